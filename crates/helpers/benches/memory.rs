//! Memory instructions of compiled code: ns per instruction of 64 lanes, the call of its helper included.
//!
//! `cargo bench -p gcnsim-helpers --bench memory [-- WORD..]` prints the rows whose names have one of the words. A time
//! is the lower quartile of samples of about 50 us.
#![allow(unsafe_code)]

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use gcnsim_helpers::Level;
use gcnsim_helpers::frame::Frame;
use gcnsim_helpers::memory::{DONE, MemoryOp};
use gcnsim_isa::{Arch, Notes, Src, Vgpr, decode};
use gcnsim_machine::{Apertures, Backing, Context, Mapping};

/// Guest address of the data.
const DATA: u64 = 0x1_0000;
/// Number of bytes of the data.
const BYTES: usize = 16 << 10;
const LDS: u32 = 64 << 10;
const SOME: u64 = 0x0fff_ffff_ffff_fff0;
const FEW: u64 = 0x1111_1111_1111_1111;
const ALL: u64 = !0;

/// A function from a lane to its address.
type Order = fn(u32) -> u32;

/// An instruction that is measured, which is one line of the table.
struct Row {
    name: String,
    arch: Arch,
    words: [u32; 2],
    /// v0 in each lane. With `pair`, v[0:1] is this plus [`DATA`].
    address: Vec<u32>,
    pair: bool,
    exec: u64,
    /// The registers of the base address, or of the descriptor.
    base: [u32; 4],
    /// Whether other threads may reach memory.
    shared: bool,
}

/// Returns a pseudo-random number below 2^12.
fn random(lane: u32) -> u32 {
    (lane.wrapping_mul(0x9e37_79b9) ^ 0x5bd1_e995).wrapping_mul(0x85eb_ca6b) >> 20
}

impl Row {
    fn new(name: impl Into<String>, arch: Arch, words: [u32; 2], order: Order) -> Row {
        let address = (0..64).map(order).collect();
        let base = [DATA as u32, 0, 0, 0];
        Row { name: name.into(), arch, words, address, pair: false, exec: ALL, base, shared: false }
    }

    /// Measures the instruction on a level. Returns nanoseconds.
    fn time(&self, level: Level) -> f64 {
        let inst = decode(self.arch, self.words[0], Some(self.words[1])).unwrap();
        let op = MemoryOp::new(&inst).unwrap();
        let mut context = context(self.shared);
        let mut frame = Box::new(Frame { context: &mut context, vgpr_count: 32, ..Frame::default() });
        let mut vgprs: Vec<Vgpr> = (0..32).map(|n| Vgpr(std::array::from_fn(|lane| (n << 8 | lane) as u32))).collect();
        let (first, rest) = vgprs.split_at_mut(1);
        first[0].0.copy_from_slice(&self.address);
        if self.pair {
            first[0].0.iter_mut().for_each(|low| *low += DATA as u32);
            rest[0].0 = [0; 64];
        }
        if let Some(Src::Imm(value)) = op.uses().offset {
            frame.memory.offset = value as u32;
        }
        frame.memory.flat_scratch = [DATA as u32, 0];
        let (helper, mut notes) = (op.helper(level), Notes::NONE);
        let mut call = |times: u32| {
            for _ in 0..times {
                // Compiled code stores these operands before the call.
                frame.memory.exec = self.exec;
                frame.memory.base = self.base;
                frame.memory.m0 = !0;
                // SAFETY: the wave has 32 VGPRs, and the context outlives the calls.
                let code = unsafe { helper(black_box(&op), &mut notes, vgprs.as_mut_ptr(), &mut *frame) };
                assert_eq!(code, DONE, "{inst}");
            }
        };
        call(100);
        let start = Instant::now();
        call(100);
        let times = (50_000 / (start.elapsed().as_nanos() as u32 / 100).max(1)).max(1);
        let mut samples = Vec::new();
        let end = Instant::now() + Duration::from_millis(20);
        while Instant::now() < end {
            let start = Instant::now();
            call(times);
            samples.push(start.elapsed().as_nanos() as f64 / times as f64);
        }
        samples.sort_by(f64::total_cmp);
        samples[samples.len() / 4]
    }
}

/// Makes a context with nine mappings, LDS and apertures, as a dispatch has it.
fn context(shared: bool) -> Context {
    let mut context = Context::ready(LDS as usize);
    context.is_alone = !shared;
    let mut map = |at: u64, len: usize| {
        let backing = Arc::new(Backing::zeroed(len).unwrap());
        context.space.map(Mapping::new(at, "data", backing));
    };
    map(DATA, BYTES);
    (1..9).for_each(|n| map(DATA + n * 0x10_0000, 256));
    context.apertures = Some(Apertures { shared: 0x1_0000, private: 0x2_0000, hidden_private_base: 0 });
    context
}

/// Returns the words of GLOBAL on GCN 1.4, with address v0 and s[0:1], data v[8:11] and result v[12:15].
fn global(op: u32, glc: u32) -> [u32; 2] {
    [0xdc00_8000 | op << 18 | glc << 16, 12 << 24 | 8 << 8]
}

/// Returns the words of GLOBAL with the address in v[0:1].
fn global_pair(op: u32) -> [u32; 2] {
    [0xdc00_8000 | op << 18, 12 << 24 | 0x7f << 16 | 8 << 8]
}

/// Returns the words of FLAT with address v[0:1].
fn flat(op: u32) -> [u32; 2] {
    [0xdc00_0000 | op << 18, 12 << 24 | 8 << 8]
}

/// Returns the words of SCRATCH with offset v0.
fn scratch(op: u32) -> [u32; 2] {
    [0xdc00_4000 | op << 18, 12 << 24 | 0x7f << 16 | 8 << 8]
}

/// Returns the words of MUBUF with descriptor s[0:3], data v[8:11] and `flags` of the first word.
fn mubuf(op: u32, flags: u32) -> [u32; 2] {
    [0xe000_0000 | op << 18 | flags, 128 << 24 | 8 << 8]
}

const OFFEN: u32 = 1 << 12;
const IDXEN: u32 = 1 << 13;
const ADDR64: u32 = 1 << 15;

/// Returns the words of DS on LDS from GCN 1.2 on. The address is v0. As far as the instruction has them, the data are
/// v[8:11] and v[12:15], and the result begins with v16.
fn ds(op: u32, offset: u32) -> [u32; 2] {
    let fields = [0, 1, 2, 3, 4, 5, 6, 7].map(|used: u8| [0, 8 * (used & 1), 6 * (used & 2), 4 * (used & 4)]);
    let words = fields.map(|fields| [0xd800_0000 | op << 17 | offset, u32::from_le_bytes(fields)]);
    let is_right = |words: &&[u32; 2]| decode(Arch::Gcn14, words[0], Some(words[1])).is_ok();
    // A field that the instruction does not use must be 0. A used one may also be 0, as in the earlier forms, so the
    // right form is the last one that the decoder takes.
    *words.iter().rfind(is_right).unwrap()
}

/// Returns the words of S_LOAD from s[0:1] to registers from s8 on.
fn smem(op: u32) -> [u32; 2] {
    [0xc000_0000 | op << 18 | 1 << 17 | 8 << 6, 0]
}

fn orders(bytes: u32) -> [(&'static str, Order); 3] {
    match bytes {
        1 => [("consecutive", |l| l), ("uniform", |_| 40), ("random", random)],
        2 => [("consecutive", |l| 2 * l), ("uniform", |_| 40), ("random", |l| random(l) & !1)],
        4 => [("consecutive", |l| 4 * l), ("uniform", |_| 40), ("random", |l| random(l) & !3)],
        8 => [("consecutive", |l| 8 * l), ("uniform", |_| 40), ("random", |l| random(l) & !7)],
        12 => [("consecutive", |l| 12 * l), ("uniform", |_| 40), ("random", |l| random(l) & !3)],
        _ => [("consecutive", |l| 16 * l), ("uniform", |_| 40 << 4), ("random", |l| random(l) & !15)],
    }
}

fn global_rows(rows: &mut Vec<Row>) {
    let kinds = [
        ("load ubyte", 16, 1),
        ("load ushort", 18, 2),
        ("load b32", 20, 4),
        ("load b64", 21, 8),
        ("load b96", 22, 12),
        ("load b128", 23, 16),
        ("store byte", 24, 1),
        ("store short", 26, 2),
        ("store b32", 28, 4),
        ("store b64", 29, 8),
        ("store b96", 30, 12),
        ("store b128", 31, 16),
    ];
    for (name, op, bytes) in kinds {
        for (order, address) in orders(bytes) {
            rows.push(Row::new(format!("global {name} {order}"), Arch::Gcn14, global(op, 0), address));
        }
        let [consecutive, _, random] = orders(bytes);
        let some = Row::new(format!("global {name} consecutive, 56 lanes"), Arch::Gcn14, global(op, 0), consecutive.1);
        rows.push(Row { exec: SOME, ..some });
        let few = Row::new(format!("global {name} random, 16 lanes"), Arch::Gcn14, global(op, 0), random.1);
        rows.push(Row { exec: FEW, ..few });
    }
    rows.push(Row::new("global load ushort overlapping", Arch::Gcn14, global(18, 0), |l| l));
    for (order, address) in orders(4) {
        let row = Row::new(format!("global load b32, pair {order}"), Arch::Gcn14, global_pair(20), address);
        rows.push(Row { pair: true, ..row });
        let row = Row::new(format!("flat 1.2 load b32 {order}"), Arch::Gcn12, flat(20), address);
        rows.push(Row { pair: true, ..row });
    }
    for (name, op) in [("load b32", 20), ("load b128", 23), ("store b32", 28), ("store b128", 31), ("load ubyte", 16)] {
        rows.push(Row::new(format!("scratch {name} uniform"), Arch::Gcn14, scratch(op), |_| 32));
        rows.push(Row::new(format!("scratch {name} random"), Arch::Gcn14, scratch(op), |l| random(l) % 8 * 4));
    }
}

fn atomic_rows(rows: &mut Vec<Row>) {
    let histogram: Order = |l| 4 * (random(l) % 16);
    for (name, op, glc) in
        [("add", 66, 0), ("add glc", 66, 1), ("umax", 71, 0), ("cmpswap glc", 65, 1), ("add x2", 98, 0)]
    {
        let bytes = if op == 98 { 8 } else { 4 };
        let [consecutive, uniform, random] = orders(bytes);
        let all = [consecutive, uniform, random, ("of 16 places", if bytes == 8 { |_| 8 } else { histogram })];
        for (order, address) in all {
            for (threads, shared) in [("", false), (", threads", true)] {
                let name = format!("global atomic {name} {order}{threads}");
                rows.push(Row { shared, ..Row::new(name, Arch::Gcn14, global(op, glc), address) });
            }
        }
    }
}

fn buffer_rows(rows: &mut Vec<Row>) {
    let raw = |records: u32| [DATA as u32, 0, records, 0x2_7000 | 0xfac];
    let records = |count: u32, stride: u32| [DATA as u32, stride << 16, count, 0x2_7000 | 0xfac];
    let unorm8 = [DATA as u32, 4 << 16, 4096, 10 << 15 | 0xfac];
    let mut push = |name: &str, arch, words, base, address: Order| {
        rows.push(Row { base, ..Row::new(format!("buffer {name}"), arch, words, address) });
    };
    let (new, old) = (Arch::Gcn14, Arch::Gcn10);
    for (order, address) in orders(4) {
        push(&format!("load b32 offen {order}"), new, mubuf(20, OFFEN), raw(BYTES as u32), address);
        push(&format!("1.0 load b32 offen {order}"), old, mubuf(12, OFFEN), raw(BYTES as u32), address);
    }
    push("store b32 offen consecutive", new, mubuf(28, OFFEN), raw(BYTES as u32), |l| 4 * l);
    push("load b128 offen consecutive", new, mubuf(23, OFFEN), raw(BYTES as u32), |l| 16 * l);
    push("load b32 idxen consecutive", new, mubuf(20, IDXEN), records(4096, 4), |l| l);
    push("load b32 idxen random", new, mubuf(20, IDXEN), records(4096, 4), |l| random(l) / 4);
    push("load b128 idxen consecutive", new, mubuf(23, IDXEN), records(1024, 16), |l| l);
    push("load b32 offen, partly out of range", new, mubuf(20, OFFEN), raw(160), |l| 4 * l);
    push("store b32 offen, partly out of range", new, mubuf(28, OFFEN), raw(160), |l| 4 * l);
    push("load b32 idxen, partly out of range", new, mubuf(20, IDXEN), records(40, 4), |l| l);
    push("load format xyzw unorm8 consecutive", new, mubuf(3, IDXEN), unorm8, |l| l);
    push("load format x unorm8 consecutive", new, mubuf(0, IDXEN), unorm8, |l| l);
    push("store format xyzw unorm8 consecutive", new, mubuf(7, IDXEN), unorm8, |l| l);
    let float16 = [DATA as u32, 8 << 16, 2048, 12 << 15 | 7 << 12 | 0xfac];
    push("load format xyzw float16 consecutive", new, mubuf(3, IDXEN), float16, |l| l);
    push("store format xyzw float16 consecutive", new, mubuf(7, IDXEN), float16, |l| l);
    let float32 = [DATA as u32, 4 << 16, 4096, 4 << 15 | 7 << 12 | 0xfac];
    push("load format x float32 consecutive", new, mubuf(0, IDXEN), float32, |l| l);
    push("store format x float32 consecutive", new, mubuf(4, IDXEN), float32, |l| l);
    push("atomic add offen random", new, mubuf(66, OFFEN), raw(BYTES as u32), |l| random(l) & !3);
    let private = [DATA as u32, 1 << 31, BYTES as u32, 0xe0_0000 | 0x2_7000 | 0xfac];
    push("scratch load b32 uniform", new, mubuf(20, OFFEN), private, |_| 32);
    push(
        "1.0 scratch load b32 uniform",
        old,
        mubuf(12, OFFEN),
        [private[0], private[1], private[2], private[3] | 1 << 19],
        |_| 32,
    );
    push("load ubyte offen random", new, mubuf(16, OFFEN), raw(BYTES as u32), random);
    let global = [0, 0, 0, 0xf000];
    for (name, op, bytes) in
        [("load b32", 12, 4), ("load b128", 14, 16), ("store b32", 28, 4), ("load ubyte", 8, 1), ("atomic add", 50, 4)]
    {
        for (order, address) in orders(bytes) {
            let row = Row::new(format!("buffer 1.0 {name} addr64 {order}"), old, mubuf(op, ADDR64), address);
            rows.push(Row { pair: true, base: global, ..row });
        }
    }
}

fn ds_rows(rows: &mut Vec<Row>) {
    let mut push = |name: String, words, address: Order| rows.push(Row::new(name, Arch::Gcn14, words, address));
    let kinds = [
        ("read b32", 54, 4),
        ("read b64", 118, 8),
        ("read b96", 254, 12),
        ("read b128", 255, 16),
        ("write b32", 13, 4),
        ("write b64", 77, 8),
        ("write b96", 222, 12),
        ("write b128", 223, 16),
        ("read u8", 58, 1),
        ("read i16", 59, 2),
        ("write b8", 30, 1),
        ("write b16", 31, 2),
        ("add", 0, 4),
        ("add rtn", 32, 4),
        ("max u32", 8, 4),
        ("add u64", 64, 8),
        ("add f32", 21, 4),
        ("cmpst rtn", 48, 4),
    ];
    for (name, op, bytes) in kinds {
        for (order, address) in orders(bytes) {
            push(format!("lds {name} {order}"), ds(op, 0), address);
        }
    }
    // Lanes of groups with two dimensions.
    for (name, op) in [("read b32", 54), ("write b32", 13)] {
        push(format!("lds {name} rows of 16"), ds(op, 0), |l| l % 16 * 4 + l / 16 * 96);
        push(format!("lds {name} rows of 8"), ds(op, 0), |l| l % 8 * 4 + l / 8 * 96);
    }
    push("lds read b32 one for 16".into(), ds(54, 0), |l| l / 16 * 96);
    for (name, op) in [("read2 b32", 55), ("write2 b32", 14)] {
        push(format!("lds {name} rows"), ds(op, 64 << 8), |l| 4 * l);
        push(format!("lds {name} pairs"), ds(op, 1 << 8), |l| 8 * l);
        push(format!("lds {name} uniform"), ds(op, 1 << 8), |_| 8);
        push(format!("lds {name} random"), ds(op, 1 << 8), |l| random(l) & !7);
    }
    for (name, op) in [("read2 b64", 119), ("write2 b64", 78)] {
        push(format!("lds {name} rows"), ds(op, 64 << 8), |l| 8 * l);
        push(format!("lds {name} pairs"), ds(op, 1 << 8), |l| 16 * l);
    }
    push("swizzle".into(), ds(61, 0x041f), |l| l);
    push("swizzle quad".into(), ds(61, 0x801b), |l| l);
    push("permute".into(), ds(62, 0), |l| random(l) & !3);
    push("bpermute".into(), ds(63, 0), |l| random(l) & !3);
}

fn scalar_rows(rows: &mut Vec<Row>) {
    for (name, op) in [("b32", 0), ("b64", 1), ("b128", 2), ("b256", 3), ("b512", 4)] {
        rows.push(Row::new(format!("s_load {name}"), Arch::Gcn14, smem(op), |_| 0));
        let base = [DATA as u32, 0, 256, 0];
        rows.push(Row { base, ..Row::new(format!("s_buffer_load {name}"), Arch::Gcn14, smem(op + 8), |_| 0) });
    }
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    let mut rows = Vec::new();
    global_rows(&mut rows);
    atomic_rows(&mut rows);
    buffer_rows(&mut rows);
    ds_rows(&mut rows);
    scalar_rows(&mut rows);
    let levels: Vec<Level> = Level::available().collect();
    print!("{:54}", "ns per instruction");
    levels.iter().for_each(|level| print!("{:>10}", level.name()));
    println!();
    for row in rows.iter().filter(|row| words.is_empty() || words.iter().any(|word| row.name.contains(word))) {
        print!("{:54}", row.name);
        levels.iter().for_each(|&level| print!("{:10.1}", row.time(level)));
        println!();
    }
}
