//! Launches by registers: what a driver writes into registers, and memory at fixed addresses.

use std::path::PathBuf;

use super::buffer::{At, BufferSpec};
use super::expect::{Check, Expect};
use super::tree::{Node, Read};
use super::{LaunchSpec, text_of};
use gcnsim_device::geometry::Geometry;
use gcnsim_device::{DEFAULT_SCRATCH, Grid, Registers, Scratch, most_lds};
use gcnsim_isa::Arch;
use gcnsim_isa::kernel::{Rsrc1, Rsrc2};
use gcnsim_loader::{PROGRAM_LIMIT, TargetChoice, recorded};
use gcnsim_machine::canonical;

/// Keys of a launch by registers.
pub(super) const KEYS: [&str; 7] = ["name", "kernel", "registers", "memory", "allocations", "expect", "max_insts"];

/// How a launch by registers starts, and where its memory is.
#[derive(Clone, PartialEq, Debug)]
pub struct RegistersSpec {
    /// The processor.
    pub target: TargetChoice,
    /// File with the code, with its path as the launch file states it.
    pub code: PathBuf,
    /// Guest address of the code.
    pub base: u64,
    /// The registers.
    pub registers: Registers,
    /// Ranges of addresses that are one mapping each, ascending.
    pub allocations: Vec<Allocation>,
}

/// A range of guest addresses that is one mapping. What no memory states is 0.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Allocation {
    /// Guest address.
    pub base: u64,
    /// Size in bytes.
    pub size: u64,
    /// Name for messages.
    pub name: String,
}

impl RegistersSpec {
    /// Returns the generation.
    pub fn arch(&self) -> Arch {
        self.target.arch
    }

    /// Returns the index of the allocation that has the byte at `address`.
    pub fn allocation_at(&self, address: u64) -> Option<usize> {
        let behind = self.allocations.partition_point(|allocation| allocation.base <= address);
        let index = behind.checked_sub(1)?;
        let Allocation { base, size, .. } = self.allocations[index];
        (address - base < size).then_some(index)
    }
}

/// Reads a launch by registers.
pub(super) fn launch(node: &Node<'_>, number: usize) -> Read<LaunchSpec> {
    node.allow(&KEYS)?;
    let given = node.need("registers")?;
    let (target, code, base, registers) = registers(&given)?;
    let allocations = allocations(node)?;
    let spec = RegistersSpec { target, code, base, registers, allocations };
    let (buffers, checks) = memory(node, &spec)?;
    let expect = node.get("expect").map(|node| Expect::read(&node)).transpose()?;
    let expect = match (expect, checks.is_empty()) {
        (None, true) => None,
        (expect, _) => {
            let mut expect = expect.unwrap_or_else(Expect::ended);
            expect.buffers.extend(checks);
            Some(expect)
        }
    };
    let name = node.get("name").map(|node| node.text().map(str::to_owned)).transpose()?;
    node.get("kernel").map_or(Ok(""), |kernel| kernel.text())?;
    Ok(LaunchSpec {
        name: name.unwrap_or_else(|| number.to_string()),
        kernel: Some(recorded::kernel_name(node.value, number)),
        geometry: geometry(&spec.registers.grid),
        args: Vec::new(),
        buffers,
        registers: Some(spec),
        expect,
        max_insts: node.get("max_insts").map(|node| node.integer_in()).transpose()?,
        text: text_of(node),
    })
}

/// Returns the geometry of a grid of groups, for messages and results.
fn geometry(grid: &Grid) -> Geometry {
    let items = |i: usize| {
        let (groups, group) = (grid.groups[i], grid.group[i]);
        let whole = groups.saturating_mul(group);
        if grid.partial[i] == 0 { whole } else { whole - group.min(whole) + grid.partial[i].min(group) }
    };
    Geometry { dimensions: 3, grid: std::array::from_fn(items), group: grid.group, offset: [0; 3] }
}

fn registers(node: &Node<'_>) -> Read<(TargetChoice, PathBuf, u64, Registers)> {
    node.allow(&[
        "arch",
        "code",
        "base",
        "pc",
        "rsrc1",
        "rsrc2",
        "user_sgprs",
        "groups",
        "group",
        "start",
        "partial",
        "lds_bytes",
        "scratch_bytes_per_lane",
        "scratch_base",
    ])?;
    let arch = node.need("arch")?;
    let target: TargetChoice = arch.text()?.parse().map_err(|error| arch.error(error))?;
    let address = |key: &str| node.get(key).map(|node| node.integer_in::<u64>()).transpose();
    let number = |key: &str| node.get(key).map(|node| node.integer_in::<u32>()).transpose();
    let base = node.need("base")?.integer_in::<u64>()?;
    check_range(&node.need("base")?, base, 4)?;
    let pc = address("pc")?.unwrap_or(base);
    for (key, value) in [("base", base), ("pc", pc)] {
        if !value.is_multiple_of(4) {
            return Err(node.need(key)?.error(format_args!("{value:#x} is not a multiple of 4")));
        }
    }
    if pc < base || pc - base >= PROGRAM_LIMIT {
        return Err(node.need("pc")?.error(format_args!("{pc:#x} is not in the code at {base:#x}")));
    }
    let user_sgprs = match node.get("user_sgprs") {
        Some(list) => list.list()?.iter().map(Node::integer_in).collect::<Read<Vec<u32>>>()?,
        None => Vec::new(),
    };
    if user_sgprs.len() > 32 {
        return Err(node.need("user_sgprs")?.error("more than 32"));
    }
    let lds_bytes = number("lds_bytes")?.unwrap_or(0);
    if lds_bytes > most_lds(target.arch) {
        return Err(node.need("lds_bytes")?.error(format_args!("a group has at most {}", most_lds(target.arch))));
    }
    let groups = sizes(node, "groups", 1)?;
    let group = sizes(node, "group", 1)?;
    let grid = Grid { groups, group, start: sizes_or(node, "start", 0)?, partial: sizes_or(node, "partial", 0)? };
    if grid.items() > 1024 {
        return Err(node.need("group")?.error(format_args!("{} work-items: there are at most 1024", grid.items())));
    }
    let scratch_address = address("scratch_base")?.unwrap_or(DEFAULT_SCRATCH);
    let scratch = Scratch { address: scratch_address, lane_bytes: number("scratch_bytes_per_lane")?.unwrap_or(0) };
    let registers = Registers {
        pc,
        rsrc1: Rsrc1(node.need("rsrc1")?.integer_in()?),
        rsrc2: Rsrc2(node.need("rsrc2")?.integer_in()?),
        user_sgprs,
        grid,
        lds_bytes,
        scratch,
    };
    Ok((target, PathBuf::from(node.need("code")?.text()?), base, registers))
}

fn sizes(node: &Node<'_>, key: &str, rest: u32) -> Read<[u32; 3]> {
    let given = node.need(key)?;
    let list = given.list_or_one()?.iter().map(Node::integer_in).collect::<Read<Vec<u32>>>()?;
    match list.len() {
        1..=3 => Ok(std::array::from_fn(|i| list.get(i).copied().unwrap_or(rest))),
        n => Err(given.error(format_args!("{n} numbers: there are 1 to 3 dimensions"))),
    }
}

fn sizes_or(node: &Node<'_>, key: &str, rest: u32) -> Read<[u32; 3]> {
    if node.get(key).is_some() { sizes(node, key, rest) } else { Ok([rest; 3]) }
}

/// Checks that there are `size` bytes at a guest address.
fn check_range(node: &Node<'_>, base: u64, size: u64) -> Read<()> {
    let last = size.checked_sub(1).and_then(|more| base.checked_add(more));
    match last {
        // A range on both sides of the gap between low and high addresses has no such addresses in it.
        Some(last) if canonical(base) == base && canonical(last) == last && base >> 63 == last >> 63 => Ok(()),
        Some(_) => Err(node.error(format_args!("{size} bytes at {base:#x}: addresses have 48 bits"))),
        None => Err(node.error(format_args!("{size} bytes at {base:#x}"))),
    }
}

fn allocations(node: &Node<'_>) -> Read<Vec<Allocation>> {
    let Some(list) = node.get("allocations") else { return Ok(Vec::new()) };
    let mut found: Vec<Allocation> = Vec::new();
    for node in list.list()? {
        node.allow(&["base", "size", "name"])?;
        let (base, size) = (node.need("base")?.integer_in()?, node.need("size")?.integer_in()?);
        check_range(&node, base, size)?;
        let name = node.get("name").map(|name| name.text().map(str::to_owned)).transpose()?;
        let name = name.unwrap_or_else(|| format!("{base:#x}"));
        let at = found.partition_point(|other| other.base < base);
        let overlaps = found[..at].last().is_some_and(|other| base - other.base < other.size)
            || found.get(at).is_some_and(|other| other.base - base < size);
        if overlaps {
            return Err(node.error("it overlaps another one"));
        }
        found.insert(at, Allocation { base, size, name });
    }
    Ok(found)
}

/// Reads the memory of a launch, and what is expected of it.
#[allow(clippy::type_complexity)]
fn memory(node: &Node<'_>, spec: &RegistersSpec) -> Read<(Vec<BufferSpec>, Vec<(String, Check)>)> {
    let (mut specs, mut checks): (Vec<BufferSpec>, Vec<(String, Check)>) = (Vec::new(), Vec::new());
    // The parts so far, by address.
    let mut taken: std::collections::BTreeMap<u64, u64> = std::collections::BTreeMap::new();
    let mut names = std::collections::HashSet::new();
    let Some(list) = node.get("memory") else { return Ok((specs, checks)) };
    for node in list.list()? {
        let base: u64 = node.need("base")?.integer_in()?;
        let rights = node.need("rights")?;
        let writable = match rights.text()? {
            "r" => false,
            "rw" => true,
            _ => return Err(rights.error("rights are \"r\" or \"rw\"")),
        };
        let size: u64 = node.need("size")?.integer_in()?;
        check_range(&node, base, size)?;
        let name = match node.get("name") {
            Some(name) => name.text()?.to_owned(),
            None => format!("{base:#x}"),
        };
        let buffer = BufferSpec::of_memory(&name, &node, At { base, writable }, size)?;
        let before = taken.range(..=base).next_back().is_some_and(|(other, size)| base - other < *size);
        if before || taken.range(base..).next().is_some_and(|(other, _)| other - base < size) {
            return Err(node.error("it overlaps other memory"));
        }
        taken.insert(base, size);
        let (first, last) = (spec.allocation_at(base), spec.allocation_at(base + (size - 1)));
        let covers = spec.allocations.iter().any(|other| other.base > base && other.base - base < size);
        if first != last || first.is_none() && covers {
            return Err(node.error("it lies in an allocation with a part only"));
        }
        if !names.insert(name.clone()) {
            return Err(node.error(format_args!("a second memory named '{name}'")));
        }
        if let Some(expect) = node.get("expect") {
            for check in expect.list_or_one()? {
                checks.push((name.clone(), Check::read(&check)?));
            }
        }
        specs.push(buffer);
    }
    Ok((specs, checks))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::{LaunchFile, Syntax};
    use super::*;

    fn launch() -> Value {
        json!({
            "registers": {
                "arch": "gfx900", "code": "code.bin", "base": "0x1000", "rsrc1": 0, "rsrc2": "0x8c",
                "user_sgprs": [1, "0x2"], "groups": [3, 2], "group": 64, "partial": [10], "start": [1],
            },
            "allocations": [{"base": "0x20000", "size": 4096, "name": "a"}, {"base": "0x10000", "size": 256}],
            "memory": [
                {"base": "0x10000", "size": 4, "rights": "rw", "u32": 7, "expect": {"u32": 8}},
                {"base": "0x20010", "size": 16, "rights": "r", "name": "in", "expect": [{"hash": "0123456789abcdef"}]},
                {"base": "0x30000", "size": 16, "rights": "r", "hex": "00"},
            ],
            "expect": {"outcome": "fault"},
        })
    }

    fn read(launch: &Value) -> Result<LaunchSpec, String> {
        let text = json!({ "launch": [launch] }).to_string();
        let file = LaunchFile::parse(&text, Syntax::Json).map_err(|error| error.to_string())?;
        Ok(file.launches[0].clone())
    }

    #[test]
    fn registers_and_memory() {
        let spec = read(&launch()).unwrap();
        let given = spec.registers.unwrap();
        let registers = &given.registers;
        assert_eq!((given.base, registers.pc, &registers.user_sgprs[..]), (0x1000, 0x1000, &[1, 2][..]));
        assert_eq!((registers.grid.groups, registers.grid.group), ([3, 2, 1], [64, 1, 1]));
        assert_eq!((registers.grid.start, registers.grid.partial), ([1, 0, 0], [10, 0, 0]));
        assert_eq!((spec.geometry.grid, registers.scratch.address), ([138, 2, 1], DEFAULT_SCRATCH));
        let names: Vec<&str> = spec.buffers.iter().map(|buffer| buffer.name.as_str()).collect();
        assert_eq!((names, spec.kernel.as_deref()), (vec!["0x10000", "in", "0x30000"], Some("0")));
        let allocations: Vec<&str> = given.allocations.iter().map(|one| one.name.as_str()).collect();
        assert_eq!((allocations, given.allocation_at(0x20fff)), (vec!["0x10000", "a"], Some(1)));
        assert_eq!([0xffff, 0x10100, 0x21000].map(|address| given.allocation_at(address)), [None; 3]);
        let expect = spec.expect.unwrap();
        let checked: Vec<&str> = expect.buffers.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!((expect.outcome.as_str(), checked), ("fault", vec!["0x10000", "in"]));
    }

    #[test]
    fn errors_name_the_place() {
        let fails = |change: &dyn Fn(&mut Value), expected: &str| {
            let mut launch = launch();
            change(&mut launch);
            let error = read(&launch).expect_err(expected);
            assert!(error.starts_with(&format!("launch[0]{expected}")), "{expected}: {error}");
        };
        let register = |key: &'static str, value: Value, expected: &str| {
            fails(&|launch| launch["registers"][key] = value.clone(), &format!(".registers{expected}"));
        };
        register("arch", json!("gfx1030"), ".arch: ");
        register("base", json!("0x1002"), ".base: 0x1002 is not a multiple of 4");
        register("base", json!(1u64 << 47), ".base: 4 bytes at 0x800000000000: addresses have 48 bits");
        register("pc", json!("0xffc"), ".pc: 0xffc is not in the code at 0x1000");
        register("rsrc1", json!(1u64 << 32), ".rsrc1: 4294967296 is out of range");
        register("user_sgprs", json!(vec![0; 33]), ".user_sgprs: more than 32");
        register("groups", json!([1, 1, 1, 1]), ".groups: 4 numbers");
        register("group", json!([64, 17]), ".group: 1088 work-items");
        register("lds_bytes", json!(65537), ".lds_bytes: a group has at most 65536");
        register("partial", json!("x"), ".partial: ");
        register("gird", json!(1), ": unknown key 'gird'");
        fails(&|launch| launch["registers"]["code"] = Value::Null, ".registers: no 'code'");
        let memory = |change: Value, expected: &str| {
            let add = |launch: &mut Value| launch["memory"].as_array_mut().unwrap().push(change.clone());
            fails(&add, &format!(".memory[3]{expected}"));
        };
        let at = |base: u64, size: u64| json!({"base": base, "size": size, "rights": "rw"});
        memory(at(0x10002, 4), ": it overlaps other memory");
        memory(at(0xfffe, 4), ": it overlaps other memory");
        memory(at(0x200f0, 4096), ": it lies in an allocation with a part only");
        memory(at(0x1fff0, 17), ": it lies in an allocation with a part only");
        memory(at(0x1f000, 8192), ": it overlaps other memory");
        memory(at(0x40000, 0), ": 0 bytes at 0x40000");
        memory(at(u64::MAX - 3, 8), ": 8 bytes");
        memory(at((1 << 47) - 4, 8), ": 8 bytes");
        memory(json!({"base": 0, "size": 4, "rights": "w"}), ".rights: rights are");
        memory(json!({"base": 0, "size": 4, "rights": "r", "name": "in"}), ": a second memory named 'in'");
        memory(json!({"base": 0, "size": 4, "rights": "r", "name": ""}), ": memory without a name");
        memory(json!({"base": 0, "size": 8, "rights": "r", "struct": [{"null": true}]}), ".struct: memory has no");
        memory(json!({"base": 0, "size": 4, "rights": "r", "u8": 1, "u16": 1}), ": more than one content");
        memory(json!({"base": 0, "size": 4, "rights": "r", "expect": {"at": 4}}), ".expect: a check has");
        memory(json!({"base": 0, "size": 4, "rights": "r", "save": "x"}), ": unknown key 'save'");
        fails(&|launch| launch["allocations"][1]["base"] = json!(0x20fff), ".allocations[1]: it overlaps");
        fails(&|launch| launch["allocations"][1]["size"] = json!(0), ".allocations[1]: 0 bytes");
        fails(&|launch| launch["args"] = json!([]), ": unknown key 'args'");
        let shared = json!({"launch": [launch()], "buffers": {"x": {"size": 4}}}).to_string();
        let error = LaunchFile::parse(&shared, Syntax::Json).unwrap_err().to_string();
        assert_eq!(error, "launch[0]: a launch by registers shares no buffers");
    }
}
