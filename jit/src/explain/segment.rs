//! Vector segments in a listing: host code of each instruction, and the registers of values.
//!
//! Host code refers to memory by displacements from registers and from itself. A listing has names in their place: that
//! of the VGPR or the scalar register, or the value of the constant.

use std::collections::BTreeSet;

use gcnsim_isa::{Arch, Inst, LANES, scalar_register_name};
use iced_x86::{Decoder, DecoderOptions, Formatter, Instruction, IntelFormatter, Mnemonic, OpKind, Register};

use super::{SegmentInst, SegmentListing, formatter};
use crate::lower::ExplainedPlace;
use crate::region::Plan;
use crate::segments::{Explained, may_stand_between, pair_name};

/// A host instruction.
struct Line {
    offset: usize,
    text: String,
    /// Target of the jump, if the instruction is one.
    target: Option<usize>,
    /// The address of the routine that the instruction calls, if it is a call.
    calls: Option<u64>,
    /// The index in [`SegmentListing::accesses`] that counts the instruction, if it accesses a VGPR or a spilled value.
    access: Option<usize>,
}

/// The listing of a segment of a plan.
pub(super) fn listing(plan: &Plan, place: &ExplainedPlace) -> SegmentListing {
    let (explained, all) = (&place.explained, &plan.blocks[place.block].insts);
    let members: Vec<&Inst> = place.insts.iter().map(|&i| &all[i].1).collect();
    let Some(first) = members.first() else { return SegmentListing::default() };
    let lines = host_lines(explained, first.arch);
    let in_chunk = || lines.iter().filter(|line| explained.chunk.contains(&line.offset));
    let (time, left_chunks) = explained.measured();
    let mut listing = SegmentListing {
        block: place.block,
        insts: insts(place, &members),
        reads: reads(explained, first.arch),
        writes: writes(explained, first.arch),
        code_size: explained.segment.bytes().len(),
        chunks: LANES / explained.width.lanes(),
        chunk_insts: in_chunk().count(),
        accesses: [0, 1, 2].map(|kind| in_chunk().filter(|line| line.access == Some(kind)).count()),
        compile_ns: explained.compile_time.as_nanos() as u64,
        run_ns: time.as_nanos() as u64,
        left_chunks,
        ..SegmentListing::default()
    };
    let first_mark =
        explained.marks.iter().find(|(_, inst)| inst.is_some()).map_or(explained.chunk.start, |mark| mark.0);
    let targets: BTreeSet<usize> = lines.iter().filter_map(|line| line.target).collect();
    for line in &lines {
        let mark = if targets.contains(&line.offset) { 'H' } else { ' ' };
        let owner = explained.marks.iter().rev().find(|(at, _)| *at <= line.offset).and_then(|&(_, inst)| inst);
        let to = match owner.and_then(|inst| listing.insts.get_mut(inst)) {
            _ if line.offset < first_mark => &mut listing.prologue,
            _ if line.offset >= explained.chunk.end => &mut listing.epilogue,
            Some(inst) => &mut inst.host,
            None => &mut listing.chunk_end,
        };
        to.push(format!("{mark}{:04x}  {}", line.offset, line.text));
    }
    let routines: BTreeSet<u64> = lines.iter().filter_map(|line| line.calls).collect();
    for (name, code) in routines.into_iter().filter_map(|address| explained.routine(address)) {
        listing.epilogue.push(format!(" {name}:"));
        let lines = lines_of(&code.bytes, code.end, explained, first.arch);
        listing.epilogue.extend(lines.iter().map(|line| format!(" {:04x}  {}", line.offset, line.text)));
    }
    listing
}

fn insts(place: &ExplainedPlace, members: &[&Inst]) -> Vec<SegmentInst> {
    let inst = |((&index, inst), registers): ((&usize, &&Inst), &Vec<(String, String)>)| SegmentInst {
        index,
        is_scalar: may_stand_between(inst),
        host: Vec::new(),
        registers: registers.clone(),
    };
    place.insts.iter().zip(members).zip(&place.explained.registers).map(inst).collect()
}

/// Names of live-ins. The halves of EXEC have one name.
fn reads(explained: &Explained, arch: Arch) -> Vec<String> {
    let vgprs = explained.reads.iter().map(|n| format!("v{n}"));
    let mut codes: Vec<u8> = explained.segment.inputs().iter().map(|input| input.code).collect();
    codes.sort_unstable();
    codes.dedup();
    let exec = codes.contains(&127).then(|| pair_name(arch, 126));
    vgprs
        .chain(codes.iter().filter(|code| **code < 126).map(|&code| scalar_register_name(arch, code)))
        .chain(exec)
        .collect()
}

/// Names of live-outs. A pair of scalar registers has one name.
fn writes(explained: &Explained, arch: Arch) -> Vec<String> {
    let masks = explained.segment.writes();
    let vgprs = explained.writes.iter().map(|n| format!("v{n}"));
    let mut names: Vec<String> = vgprs.collect();
    let mut code = 0;
    while code < 127u8 {
        if masks >> code & 3 == 3 {
            names.push(pair_name(arch, code));
            code += 1;
        }
        code += 1;
    }
    names
}

fn host_lines(explained: &Explained, arch: Arch) -> Vec<Line> {
    lines_of(explained.segment.bytes(), explained.constants, explained, arch)
}

/// Lines of the code in `bytes` up to offset `end`, where its constants follow.
fn lines_of(bytes: &[u8], end: usize, explained: &Explained, arch: Arch) -> Vec<Line> {
    let mut formatter = formatter();
    let decoder = Decoder::new(64, &bytes[..end], DecoderOptions::NONE);
    decoder.into_iter().map(|inst| line(&inst, bytes, explained, arch, &mut formatter)).collect()
}

fn line(inst: &Instruction, bytes: &[u8], explained: &Explained, arch: Arch, formatter: &mut IntelFormatter) -> Line {
    let offset = inst.ip() as usize;
    let mut text = String::new();
    formatter.format(inst, &mut text);
    let has_target = inst.op_count() > 0 && inst.op0_kind() == OpKind::NearBranch64;
    let target = has_target.then(|| inst.near_branch_target() as usize);
    if let (Some(target), Some((head, _))) = (target, text.rsplit_once(' ')) {
        text = format!("{head} H{target:04x}");
    }
    let is_memory = inst.op_kinds().any(|kind| kind == OpKind::Memory) && inst.mnemonic() != Mnemonic::Lea;
    let name = if is_memory { memory_name(inst, &text, bytes, explained, arch) } else { None };
    if let Some(name) = &name {
        text = with_name(&text, name);
    }
    let stores = inst.op0_kind() == OpKind::Memory;
    let is_spill = name.as_ref().is_some_and(|name| name.starts_with("spill") || name.starts_with("kspill"));
    let access = match inst.memory_base() {
        Register::RDI if is_memory => Some(stores as usize),
        _ => is_spill.then_some(2),
    };
    let calls = (inst.mnemonic() == Mnemonic::Call).then(|| qword_at(bytes, inst.ip_rel_memory_address())).flatten();
    Line { offset, text, target, calls, access }
}

fn qword_at(bytes: &[u8], at: u64) -> Option<u64> {
    bytes.get(at as usize..)?.first_chunk().map(|bytes| u64::from_le_bytes(*bytes))
}

/// The name of the operand that an instruction has in memory.
fn memory_name(inst: &Instruction, text: &str, bytes: &[u8], explained: &Explained, arch: Arch) -> Option<String> {
    if inst.is_ip_rel_memory_operand() {
        let at = inst.ip_rel_memory_address() as usize;
        let element = |size| bytes.get(at..at + size);
        let is_element = inst.is_broadcast() || text.starts_with("vpbroadcast");
        let qword = || qword_at(bytes, inst.ip_rel_memory_address());
        return match () {
            () if inst.mnemonic() == Mnemonic::Call => Some(explained.routine(qword()?)?.0.to_owned()),
            () if !is_element && text.contains("zmm") => Some(lanes_name(element(64)?)),
            () if !is_element && text.contains("ymm") => Some(lanes_name(element(32)?)),
            () if text.contains("qword") => Some(format!("={:#x}", qword()?)),
            () => Some(format!("={:#x}", u32::from_le_bytes(element(4)?.try_into().ok()?))),
        };
    }
    explained.memory_name(arch, inst.memory_base(), inst.memory_displacement64() as i64)
}

/// The name of a constant vector: the element that all lanes have, or `=lanes` if they differ.
fn lanes_name(bytes: &[u8]) -> String {
    let all = |size: usize| bytes.chunks_exact(size).all(|element| *element == bytes[..size]);
    let hex = |size: usize| bytes[..size].iter().rev().fold(0u64, |value, byte| value << 8 | *byte as u64);
    match () {
        () if all(4) => format!("={:#x}", hex(4)),
        () if all(8) => format!("={:#x}", hex(8)),
        () => "=lanes".to_owned(),
    }
}

/// The text with a name in place of the operand in memory.
fn with_name(text: &str, name: &str) -> String {
    let Some((before, rest)) = text.split_once('[') else { return text.to_owned() };
    let Some((_, after)) = rest.split_once(']') else { return text.to_owned() };
    // The operand begins behind the mnemonic, or behind the operand before it.
    let mnemonic = before.find(' ').map_or(0, |at| at + 1);
    let start = before.rfind(", ").map_or(mnemonic, |at| at + 2);
    format!("{}{name}{after}", &before[..start])
}
