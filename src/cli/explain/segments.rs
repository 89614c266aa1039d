//! Shows vector segments: guest code, registers, host code, and the time of a call.

use std::fmt::Write as _;

use gcnsim_jit::{SegmentInst, SegmentListing};
use serde::Serialize;

use super::{Report, screen};
use gcnsim_engine::report::{duration, grouped};

/// Width of the column with register names, in characters.
const REGISTERS: usize = 13;

/// A segment in JSON.
#[derive(Serialize)]
pub(super) struct JsonSegment {
    number: usize,
    block: String,
    reads: Vec<String>,
    writes: Vec<String>,
    code_bytes: usize,
    compile_ns: u64,
    chunks: usize,
    chunk_instructions: usize,
    chunk_loads: usize,
    chunk_stores: usize,
    chunk_spills: usize,
    run_ns: u64,
    left_chunks: u64,
    prologue: Vec<String>,
    instructions: Vec<JsonSegmentInst>,
    chunk_end: Vec<String>,
    epilogue: Vec<String>,
}

#[derive(Serialize)]
struct JsonSegmentInst {
    pc: String,
    text: String,
    /// Whether the instruction is scalar. Scalar instructions are executed before the segment.
    scalar: bool,
    registers: Vec<[String; 2]>,
    host: Vec<String>,
}

impl Report<'_> {
    /// Returns numbers and listings of the segments in blocks that are shown.
    pub(super) fn segments(&self) -> impl Iterator<Item = (usize, &SegmentListing)> {
        let segments = self.listing.segments.iter().enumerate().map(|(i, segment)| (i + 1, segment));
        segments.filter(|(_, segment)| self.shown[segment.block])
    }

    pub(super) fn json_segment(&self, number: usize, segment: &SegmentListing) -> JsonSegment {
        let insts = &self.listing.plan.blocks[segment.block].insts;
        let [chunk_loads, chunk_stores, chunk_spills] = segment.accesses;
        let inst = |inst: &SegmentInst| JsonSegmentInst {
            pc: format!("{:#x}", insts[inst.index].0),
            text: insts[inst.index].1.to_string(),
            scalar: inst.is_scalar,
            registers: inst.registers.iter().cloned().map(<[String; 2]>::from).collect(),
            host: inst.host.clone(),
        };
        JsonSegment {
            number,
            block: self.listing.labels[segment.block].clone(),
            reads: segment.reads.clone(),
            writes: segment.writes.clone(),
            code_bytes: segment.code_size,
            compile_ns: segment.compile_ns,
            chunks: segment.chunks,
            chunk_instructions: segment.chunk_insts,
            chunk_loads,
            chunk_stores,
            chunk_spills,
            run_ns: segment.run_ns,
            left_chunks: segment.left_chunks,
            prologue: segment.prologue.clone(),
            instructions: segment.insts.iter().map(inst).collect(),
            chunk_end: segment.chunk_end.clone(),
            epilogue: segment.epilogue.clone(),
        }
    }

    /// Writes a segment.
    pub(super) fn segment(&self, text: &mut String, number: usize, segment: &SegmentListing) {
        let vector = segment.insts.iter().filter(|inst| !inst.is_scalar).count();
        let heading = format!("segment {number}, in {}", self.listing.labels[segment.block]);
        let _ = writeln!(text, "\n{}", self.bold(&heading));
        let _ = match segment.insts.len() - vector {
            0 => writeln!(text, "{} instructions", vector),
            scalar => writeln!(text, "{vector} vector instructions, {scalar} scalar ones that are executed before"),
        };
        let (bytes, time) = (grouped(segment.code_size as u64), duration(segment.compile_ns));
        let _ = writeln!(text, "{bytes} bytes of host code and constants, compiled in {time}");
        let [loads, stores, spills] = segment.accesses;
        let _ = writeln!(
            text,
            "{} chunks of {} host instructions: {loads} load VGPRs, {stores} store them, {spills} spill",
            segment.chunks, segment.chunk_insts
        );
        let _ = writeln!(text, "{}", cost(segment, vector));
        self.wrapped(text, "reads ", &segment.reads);
        self.wrapped(text, "writes", &segment.writes);
        self.segment_rows(text, "the beginning; a chunk", &[], &segment.prologue);
        let insts = &self.listing.plan.blocks[segment.block].insts;
        for inst in &segment.insts {
            let (pc, guest) = &insts[inst.index];
            let guest = format!("{pc:0width$x}  {guest}", width = self.listing.address_width);
            let before = ["(executed before)".to_owned()];
            let host = if inst.is_scalar { &before } else { inst.host.as_slice() };
            self.segment_rows(text, &guest, &inst.registers, host);
        }
        self.segment_rows(text, "the end of the chunk", &[], &segment.chunk_end);
        self.segment_rows(text, "the next chunk; the end", &[], &segment.epilogue);
    }

    /// Writes guest code, registers and host code beside each other.
    fn segment_rows(&self, text: &mut String, guest: &str, registers: &[(String, String)], host: &[String]) {
        let guest_width = (self.width * 2 / 5).clamp(32, 48);
        let host_width = self.width - guest_width - REGISTERS - 2;
        for row in 0..host.len().max(registers.len()).max(usize::from(!guest.is_empty())) {
            let guest = screen::pad(if row == 0 { guest } else { "" }, guest_width);
            let guest = if row == 0 && !guest.trim().is_empty() { self.bold(&guest) } else { guest };
            let register = registers.get(row).map_or(String::new(), |(name, register)| format!("{name} {register}"));
            let host = host.get(row).map_or("", String::as_str);
            let line = format!("{guest} {} {}", screen::pad(&register, REGISTERS), screen::fit(host, host_width));
            let _ = writeln!(text, "{}", line.trim_end());
        }
    }
}

/// Returns in words the time that a call takes.
fn cost(segment: &SegmentListing, vector: usize) -> String {
    let each = segment.run_ns as f64 / vector.max(1) as f64;
    let left = match segment.left_chunks {
        0 => String::new(),
        n => format!("; {n} chunks were left to kernels"),
    };
    format!("a call with all lanes active took {}, {each:.1} ns an instruction{left}", duration(segment.run_ns))
}
