//! A region for people: guest instructions with the Cranelift IR and the host instructions they became.

use std::collections::BTreeMap;

use gcnsim_isa::RegSet;

use crate::region::Plan;

/// A region in all its forms.
pub struct Listing {
    /// Guest blocks.
    pub plan: Plan,
    /// IR and host code of each guest instruction, in the order of the plan's blocks.
    pub parts: Vec<Part>,
    /// Code that loads registers and goes to the entry.
    pub prologue: Part,
    /// Code that belongs to no instruction: computed jumps, edges, exits.
    pub rest: Part,
    /// Registers that the region reads or writes.
    pub touched: RegSet,
    /// Registers that it writes.
    pub written: RegSet,
    /// Bytes of host code.
    pub code_size: usize,
    /// The whole IR as text.
    pub clif: String,
}

/// Lines of IR and of host assembly.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Part {
    /// Cranelift IR.
    pub clif: Vec<String>,
    /// Host assembly.
    pub host: Vec<String>,
}

/// Which part lines belong to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Owner {
    Prologue,
    /// Number of the instruction in the plan.
    Inst(usize),
    Rest,
}

/// Ranges of host code that source locations (instruction number + 1) were given to.
pub(crate) struct HostRange {
    pub start: usize,
    pub end: usize,
    pub location: u32,
}

/// What Cranelift made of a region.
pub(crate) struct HostCode<'a> {
    pub bytes: &'a [u8],
    /// Offsets of its basic blocks, ascending.
    pub block_starts: &'a [u32],
    pub ranges: &'a [HostRange],
    /// Cranelift's own text, where we have no disassembler.
    #[cfg_attr(target_arch = "x86_64", expect(dead_code))]
    pub vcode: &'a str,
}

impl Listing {
    pub(crate) fn new(plan: Plan, clif: String, host: &HostCode<'_>) -> Listing {
        let mut parts: BTreeMap<Owner, Part> = BTreeMap::new();
        for (owner, line) in clif_lines(&clif) {
            parts.entry(owner).or_default().clif.push(line);
        }
        for (owner, line) in host_lines(host) {
            parts.entry(owner).or_default().host.push(line);
        }
        let (mut touched, mut written) = (RegSet::default(), RegSet::default());
        for (_, inst) in plan.blocks.iter().flat_map(|b| &b.insts) {
            touched.union(inst.reads());
            touched.union(inst.writes());
            written.union(inst.writes());
        }
        let mut take = |owner| parts.remove(&owner).unwrap_or_default();
        Listing {
            parts: (0..plan.inst_count).map(|i| take(Owner::Inst(i))).collect(),
            prologue: take(Owner::Prologue),
            rest: take(Owner::Rest),
            plan,
            touched,
            written,
            code_size: host.bytes.len(),
            clif,
        }
    }
}

/// The instruction lines of the IR with the part they belong to; block headers go with the first line after them.
fn clif_lines(clif: &str) -> Vec<(Owner, String)> {
    let mut lines = Vec::new();
    let mut owner = Owner::Prologue;
    let mut header: Option<String> = None;
    for line in clif.lines().skip_while(|line| !line.trim_start().starts_with("block")) {
        let text = line.trim();
        if text.is_empty() || text == "}" {
            continue;
        }
        if text.starts_with("block") && text.ends_with(':') {
            header = Some(text.to_string());
            continue;
        }
        let (location, text) = match text.strip_prefix('@').and_then(|rest| rest.split_once(char::is_whitespace)) {
            Some((location, text)) => (u32::from_str_radix(location, 16).ok(), text.trim()),
            None => (None, text),
        };
        owner = match location {
            Some(number) if number > 0 => Owner::Inst(number as usize - 1),
            _ if owner == Owner::Prologue => Owner::Prologue,
            _ => Owner::Rest,
        };
        lines.extend(header.take().map(|header| (owner, header)));
        lines.push((owner, text.to_string()));
    }
    lines
}

/// Host instructions with the part they belong to. The table of an indirect jump lies between it and the next block: it is
/// one line. So are the constants after the code, which begin at the lowest address that an instruction reads.
#[cfg(target_arch = "x86_64")]
fn host_lines(host: &HostCode<'_>) -> Vec<(Owner, String)> {
    use iced_x86::{Code, Decoder, DecoderOptions, Formatter, IntelFormatter};
    let ranges = host.ranges;
    let mut decoder = Decoder::new(64, host.bytes, DecoderOptions::NONE);
    let mut formatter = IntelFormatter::new();
    formatter.options_mut().set_space_after_operand_separator(true);
    formatter.options_mut().set_hex_prefix("0x");
    formatter.options_mut().set_hex_suffix("");
    let first = ranges.iter().map(|range| range.start).min().unwrap_or(0);
    let mut lines = Vec::new();
    let mut end = host.bytes.len();
    loop {
        let offset = decoder.position();
        // Before the constants may lie padding.
        if host.bytes[offset.min(end)..end].iter().all(|&byte| byte == 0) {
            break;
        }
        let inst = decoder.decode();
        if inst.is_ip_rel_memory_operand() && inst.code() != Code::Lea_r64_m {
            end = end.min(inst.ip_rel_memory_address() as usize);
        }
        let mut text = String::new();
        formatter.format(&inst, &mut text);
        let range = ranges.iter().find(|range| (range.start..range.end).contains(&offset) && range.location > 0);
        let owner = match range {
            Some(range) => Owner::Inst(range.location as usize - 1),
            None if offset < first => Owner::Prologue,
            None => Owner::Rest,
        };
        lines.push((owner, format!("{offset:04x}  {text}")));
        if inst.code() == Code::Jmp_rm64 {
            let table = decoder.position();
            let next = host.block_starts.iter().map(|&start| start as usize).find(|&start| start >= table);
            let next = next.unwrap_or(host.bytes.len());
            if next > table && decoder.set_position(next).is_ok() {
                decoder.set_ip(next as u64);
                lines.push((owner, format!("{table:04x}  (jump table, {} entries)", (next - table) / 4)));
            }
        }
    }
    if end < host.bytes.len() {
        lines.push((Owner::Rest, format!("{end:04x}  (constants, {} bytes)", host.bytes.len() - end)));
    }
    lines
}

/// Elsewhere Cranelift's own text, not split by instruction.
#[cfg(not(target_arch = "x86_64"))]
fn host_lines(host: &HostCode<'_>) -> Vec<(Owner, String)> {
    host.vcode.lines().map(|line| (Owner::Rest, line.to_string())).collect()
}
