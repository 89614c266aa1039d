//! Shows a region: guest instructions with the Cranelift IR and the host instructions that were made of them.

mod names;
#[cfg(target_arch = "x86_64")]
mod segment;

use std::collections::BTreeMap;

use cranelift_codegen::ir::{Block, Value};
use gcnsim_isa::{Flow, Inst, RegSet};

pub(crate) use names::{Names, take_reads, value_label};

use crate::lower::ExplainedPlace;
use crate::region::{Edge, End, Plan};
use crate::regs::Computed;

/// All forms of a region.
pub struct Listing {
    /// Guest blocks.
    pub plan: Plan,
    /// Names of the plan's blocks in all columns: `L` and the address.
    pub labels: Vec<String>,
    /// Number of digits of guest addresses, the same everywhere.
    pub address_width: usize,
    /// IR and host code of each guest instruction, in the order of the plan's blocks.
    pub parts: Vec<Part>,
    /// Code that loads registers and goes to the entry.
    pub prologue: Part,
    /// Code that belongs to no single instruction: computed jumps, edges, exits.
    pub rest: Part,
    /// Registers that the region reads or writes.
    pub touched: RegSet,
    /// Registers that the region loads when it is entered.
    pub loaded: RegSet,
    /// Registers that the region writes.
    pub written: RegSet,
    /// Registers (one bit each) that stay in the state, because code addresses them by computed number.
    pub in_memory: u128,
    /// Bytes of host code.
    pub code_size: usize,
    /// Vector segments, in the order of their code.
    pub segments: Vec<SegmentListing>,
    /// Blocks whose rounds a strip executes: by number, the bytes of its host code and constants.
    pub strips: BTreeMap<usize, usize>,
}

/// A vector segment of a region.
#[derive(Clone, Default, Debug)]
pub struct SegmentListing {
    /// Number of the segment's block in the plan.
    pub block: usize,
    /// Instructions of the segment, with the scalar ones between them, which are executed before the segment.
    pub insts: Vec<SegmentInst>,
    /// Host code before the loop over chunks, and the chunk's beginning.
    pub prologue: Vec<String>,
    /// Host code of the chunk that belongs to no single instruction: tests, then stores.
    pub chunk_end: Vec<String>,
    /// Host code after the chunk.
    pub epilogue: Vec<String>,
    /// Live-ins: VGPRs, scalar registers, lane masks.
    pub reads: Vec<String>,
    /// Live-outs: VGPRs, lane masks.
    pub writes: Vec<String>,
    /// Bytes of host code and constants.
    pub code_size: usize,
    /// Chunks of the 64 lanes.
    pub chunks: usize,
    /// Host instructions for a chunk.
    pub chunk_insts: usize,
    /// Numbers of host instructions that load VGPRs, store VGPRs, and access values that have no register.
    pub accesses: [usize; 3],
    /// Time to compile the segment, in nanoseconds.
    pub compile_ns: u64,
    /// Time of a call with all lanes active and binary32 numbers of about 1 in all VGPRs, in nanoseconds.
    pub run_ns: u64,
    /// Chunks of this call that were left to helpers.
    pub left_chunks: u64,
}

/// An instruction of a vector segment.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct SegmentInst {
    /// Index of the instruction in the block.
    pub index: usize,
    /// Whether the instruction is scalar. Scalar instructions are executed before the segment.
    pub is_scalar: bool,
    /// Host code of the instruction, for one chunk.
    pub host: Vec<String>,
    /// Values that get a register at this instruction, and the names of their registers.
    pub registers: Vec<(String, String)>,
}

/// Lines of IR and of host assembly.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Part {
    /// Cranelift IR.
    pub clif: Vec<String>,
    /// Host assembly.
    pub host: Vec<String>,
}

/// The part that a line belongs to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Owner {
    /// The prologue of the listing.
    Prologue,
    /// The part of an instruction, by its number in the plan.
    Inst(usize),
    /// The rest of the listing.
    Rest,
}

/// A range of host code with its source location (instruction number + 1).
pub(crate) struct HostRange {
    pub start: usize,
    pub end: usize,
    pub location: u32,
}

/// The result of Cranelift for a region.
pub(crate) struct HostCode<'a> {
    pub bytes: &'a [u8],
    /// Offsets of the basic blocks, ascending.
    pub block_starts: &'a [u32],
    pub ranges: &'a [HostRange],
    /// Cranelift's own text, for hosts without a disassembler.
    #[cfg_attr(target_arch = "x86_64", expect(dead_code))]
    pub vcode: &'a str,
}

impl Listing {
    pub(crate) fn new(plan: Plan, clif: &str, names: &Names, host: &HostCode<'_>) -> Listing {
        let mut parts: BTreeMap<Owner, Part> = BTreeMap::new();
        for (owner, line) in clif_lines(clif, names) {
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
            labels: names.labels.clone(),
            address_width: names::address_width(&plan),
            touched,
            loaded: names.loaded,
            written,
            in_memory: Computed::of(&plan).in_memory,
            code_size: host.bytes.len(),
            segments: Vec::new(),
            strips: BTreeMap::new(),
            plan,
        }
    }

    /// Adds the vector segments of the region.
    pub(crate) fn with_segments(mut self, places: &[ExplainedPlace]) -> Listing {
        let firsts: Vec<usize> = (self.plan.blocks.iter())
            .scan(0, |next, block| Some(std::mem::replace(next, *next + block.insts.len())))
            .collect();
        for (number, place) in places.iter().enumerate() {
            let segment = segment::listing(&self.plan, place);
            for inst in segment.insts.iter().filter(|inst| !inst.is_scalar) {
                self.parts[firsts[segment.block] + inst.index].host.push(format!("(segment {})", number + 1));
            }
            self.segments.push(segment);
        }
        self
    }

    /// Adds the strips of the region.
    pub(crate) fn with_strips(mut self, strips: BTreeMap<usize, usize>) -> Listing {
        self.strips = strips;
        self
    }

    /// Text of a guest instruction of a block, with a label in place of a direct branch's distance.
    pub fn guest_text(&self, block: usize, inst: &Inst) -> String {
        let text = inst.to_string();
        let edge = match (inst.flow(), &self.plan.blocks[block].end) {
            (Flow::Branch | Flow::Call, End::Goto(edge)) | (Flow::CondBranch, End::Cond { taken: edge, .. }) => edge,
            (Flow::Fork, End::Fork { target: Some((edge, _)), .. }) => edge,
            _ => return text,
        };
        match text.rsplit_once(' ') {
            Some((head, _)) => format!("{head} {}", self.edge_name(edge)),
            None => text,
        }
    }

    /// The destination of an edge, in words.
    pub fn edge_name(&self, edge: &Edge) -> String {
        match *edge {
            Edge::Block(i) => self.labels[i].clone(),
            Edge::Leave(pc) => format!("{pc:#0width$x}", width = self.address_width + 2),
        }
    }
}

/// The lines of the IR, each with the part that it belongs to. Block headers belong to the first line after them.
fn clif_lines(clif: &str, names: &Names) -> Vec<(Owner, String)> {
    let mut lines = Vec::new();
    let mut owner = Owner::Prologue;
    let mut header: Option<String> = None;
    for line in clif.lines().skip_while(|line| !line.trim_start().starts_with("block")) {
        let text = line.trim();
        if text.is_empty() || text == "}" {
            continue;
        }
        if text.starts_with("block") && text.ends_with(':') {
            header = Some(header_text(text, names));
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
        // All our accesses have these flags.
        lines.push((owner, with_labels(&text.replace(" notrap aligned", ""), names)));
    }
    lines
}

/// The header `block5(v41: i32, v45: i64):` as `L0020(s0 = v41, fuel = v45):`.
fn header_text(header: &str, names: &Names) -> String {
    let Some((block, rest)) = header.split_once('(') else { return with_labels(header, names) };
    let Some((params, rest)) = rest.split_once(')') else { return with_labels(header, names) };
    let param = |param: &str| {
        let (value, ty) = param.split_once(": ").unwrap_or((param, ""));
        let number = value.trim().strip_prefix('v').and_then(|number| number.parse().ok());
        match number.and_then(|number| names.params.get(&Value::from_u32(number))) {
            Some(name) => format!("{name} = {}", value.trim()),
            None => format!("{}: {ty}", value.trim()),
        }
    };
    let params: Vec<_> = params.split(',').map(param).collect();
    format!("{}({}){rest}", with_labels(block, names), params.join(", "))
}

/// The text with labels in place of the names of blocks that begin blocks of the plan.
fn with_labels(text: &str, names: &Names) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("block") {
        let (before, name) = rest.split_at(at);
        let digits = name[5..].bytes().take_while(u8::is_ascii_digit).count();
        let (name, after) = name.split_at(5 + digits);
        out.push_str(before);
        let block = name[5..].parse().ok().map(Block::from_u32);
        match block.and_then(|block| names.blocks.get(&block)) {
            Some(&i) => out.push_str(&names.labels[i]),
            None => out.push_str(name),
        }
        rest = after;
    }
    out + rest
}

/// Host instructions, each with the part that it belongs to. Jump targets are marked with an H before the offset. The
/// table of an indirect jump lies between the jump and the next block; it is one line. So are the constants after the
/// code, which begin at the lowest address that an instruction reads.
#[cfg(target_arch = "x86_64")]
fn host_lines(host: &HostCode<'_>) -> Vec<(Owner, String)> {
    use iced_x86::{Code, Decoder, DecoderOptions, Formatter, OpKind};
    let ranges = host.ranges;
    let mut decoder = Decoder::new(64, host.bytes, DecoderOptions::NONE);
    let mut formatter = formatter();
    let width = format!("{:x}", host.bytes.len()).len().max(4);
    let first = ranges.iter().map(|range| range.start).min().unwrap_or(0);
    let mut lines: Vec<(Owner, usize, String)> = Vec::new();
    let mut targets = std::collections::BTreeSet::new();
    let mut end = host.bytes.len();
    loop {
        let offset = decoder.position();
        // Padding may lie before the constants.
        if host.bytes[offset.min(end)..end].iter().all(|&byte| byte == 0) {
            break;
        }
        let inst = decoder.decode();
        if inst.is_ip_rel_memory_operand() && inst.code() != Code::Lea_r64_m {
            end = end.min(inst.ip_rel_memory_address() as usize);
        }
        let mut text = String::new();
        formatter.format(&inst, &mut text);
        if inst.op_count() > 0 && inst.op0_kind() == OpKind::NearBranch64 {
            let target = inst.near_branch_target();
            targets.insert(target as usize);
            if let Some((head, _)) = text.rsplit_once(' ') {
                text = format!("{head} H{target:0width$x}");
            }
        }
        let range = ranges.iter().find(|range| (range.start..range.end).contains(&offset) && range.location > 0);
        let owner = match range {
            Some(range) => Owner::Inst(range.location as usize - 1),
            None if offset < first => Owner::Prologue,
            None => Owner::Rest,
        };
        lines.push((owner, offset, text));
        if inst.code() == Code::Jmp_rm64 {
            let table = decoder.position();
            let next = host.block_starts.iter().map(|&start| start as usize).find(|&start| start >= table);
            let next = next.unwrap_or(host.bytes.len());
            if next > table && decoder.set_position(next).is_ok() {
                decoder.set_ip(next as u64);
                lines.push((owner, table, format!("(jump table, {} entries)", (next - table) / 4)));
            }
        }
    }
    if end < host.bytes.len() {
        lines.push((Owner::Rest, end, format!("(constants, {} bytes)", host.bytes.len() - end)));
    }
    let line = |(owner, offset, text): (Owner, usize, String)| {
        let mark = if targets.contains(&offset) { 'H' } else { ' ' };
        (owner, format!("{mark}{offset:0width$x}  {text}"))
    };
    lines.into_iter().map(line).collect()
}

/// Syntax of the host instructions.
#[cfg(target_arch = "x86_64")]
fn formatter() -> iced_x86::IntelFormatter {
    use iced_x86::Formatter;
    let mut formatter = iced_x86::IntelFormatter::new();
    formatter.options_mut().set_space_after_operand_separator(true);
    formatter.options_mut().set_hex_prefix("0x");
    formatter.options_mut().set_hex_suffix("");
    formatter.options_mut().set_uppercase_hex(false);
    formatter
}

/// On other hosts there are no segments.
#[cfg(not(target_arch = "x86_64"))]
mod segment {
    /// The listing of a segment, of which there is none.
    pub fn listing(_plan: &super::Plan, place: &super::ExplainedPlace) -> super::SegmentListing {
        match *place {}
    }
}

/// The lines of Cranelift's own text, which is not split by instruction.
#[cfg(not(target_arch = "x86_64"))]
fn host_lines(host: &HostCode<'_>) -> Vec<(Owner, String)> {
    host.vcode.lines().map(|line| (Owner::Rest, line.to_string())).collect()
}
