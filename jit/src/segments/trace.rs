//! What `gcnsim explain` shows of a segment, collected while it is compiled.
#![allow(unsafe_code)]

use std::ops::Range;
use std::time::{Duration, Instant};

use gcnsim_isa::{Arch, Inst, Vgpr, scalar_register_name};
use iced_x86::Register;

use super::allocate::BIAS;
use super::encode::Width;
use super::list::{Home, List, Value};
use super::lower::Lowering;
use super::routine::{Bytes, Routine};
use super::segment::{Draft, Segment};
use gcnsim_helpers::segment_frame::{Input, SegmentFrame, offset};

/// The number of the instruction, for code that belongs to none.
pub(super) const NO_INST: u16 = u16::MAX;

/// The facts that listings show, collected while a segment is compiled.
#[derive(Default, Debug)]
pub(super) struct Trace {
    /// Names of values. A value may have several.
    names: Vec<(Value, String)>,
    /// The offset where the code of an instruction begins, and the number of the instruction.
    marks: Vec<(usize, u16)>,
    /// The values in registers: number of the instruction from which on, value, register.
    held: Vec<(u16, Value, u8)>,
    /// The VGPRs that are read, and the VGPRs that are stored.
    vgprs: [Vec<u8>; 2],
    is_mask: Vec<bool>,
    width: Option<Width>,
    /// The offsets where the chunk begins, where it ends, and where constants begin.
    ends: [usize; 3],
}

/// A segment, with what listings show of it.
#[derive(Debug)]
pub(crate) struct Explained {
    /// The segment. It can be called.
    pub segment: Segment,
    /// The width of its vectors.
    pub width: Width,
    /// Where code of instructions begins: offset and number; `None` for code of no single instruction.
    pub marks: Vec<(usize, Option<usize>)>,
    /// The values that have a register from an instruction on, and the registers, for each instruction.
    pub registers: Vec<Vec<(String, String)>>,
    /// The VGPRs that it reads.
    pub reads: Vec<u8>,
    /// The VGPRs that it writes.
    pub writes: Vec<u8>,
    /// The offsets where the chunk begins and ends.
    pub chunk: Range<usize>,
    /// The offset where constants begin.
    pub constants: usize,
    /// The time that compiling takes.
    pub compile_time: Duration,
}

/// Number of calls of a segment. The fastest one is its time.
const CALLS: usize = 200;

impl Explained {
    /// The time of a call with all lanes active, where all is in the cache and VGPRs are binary32 numbers of about 1;
    /// and how many chunks it leaves to helpers.
    pub fn measured(&self) -> (Duration, u64) {
        let numbers: Vec<Vgpr> =
            (0..256u32).map(|n| Vgpr(std::array::from_fn(|lane| 0x3f80_0000 + 64 * n + lane as u32))).collect();
        let mut frame = SegmentFrame::default();
        frame.sgpr[126..128].fill(!0);
        let fastest = |call: &mut dyn FnMut(*mut Vgpr)| {
            let timed = |_| {
                let mut vgprs = numbers.clone();
                let start = Instant::now();
                call(vgprs.as_mut_ptr());
                start.elapsed()
            };
            (0..CALLS).map(timed).min().unwrap_or_default()
        };
        let clock = fastest(&mut |_| ());
        let function = self.segment.function();
        // SAFETY: there are all VGPRs that can be named, and nobody else uses them and the frame.
        let with_clock = fastest(&mut |vgprs| {
            // SAFETY: as above.
            unsafe { function(vgprs, &mut frame) };
        });
        (with_clock.saturating_sub(clock), frame.left_chunks / CALLS as u64)
    }

    /// The [routine](super::routine) at an address: its name, and its code.
    pub fn routine(&self, address: u64) -> Option<(&'static str, &'static Bytes)> {
        Routine::at(address, self.width)
    }

    /// What lies in memory at a displacement from a register of the host.
    pub fn memory_name(&self, arch: Arch, base: Register, displacement: i64) -> Option<String> {
        let at = i32::try_from(displacement).ok()?;
        match base {
            Register::RDI => Some(format!("v{}", u8::try_from((at + BIAS) / 256).ok()?)),
            Register::R9 => Some("table".to_owned()),
            Register::RSI => Some(frame_name(self.segment.inputs(), arch, at, false)),
            Register::R8 => Some(frame_name(self.segment.inputs(), arch, at, true)),
            _ => None,
        }
    }
}

/// What the frame has at an offset: a scalar or, for chunks, a lane mask.
fn frame_name(inputs: &[Input], arch: Arch, at: i32, is_mask: bool) -> String {
    let name = |code: u8| if is_mask { pair_name(arch, code) } else { scalar_register_name(arch, code) };
    match at {
        at if at >= offset::spill(0) => format!("spill{}", (at - offset::spill(0)) / 64),
        at if at >= offset::mask_spill(0) => format!("kspill{}", (at - offset::mask_spill(0)) / 2),
        at if at >= offset::NOTES => "notes".to_owned(),
        at if at >= offset::mask(0) => pair_name(arch, ((at - offset::mask(0)) / 4) as u8),
        at => name(code_of(inputs, (at / 4) as u8)),
    }
}

/// The name of a pair of scalar registers.
pub(crate) fn pair_name(arch: Arch, code: u8) -> String {
    match scalar_register_name(arch, code).strip_suffix("_lo") {
        Some(name) => name.to_owned(),
        None => format!("s[{code}:{}]", code as u32 + 1),
    }
}

/// The register that a slot of the frame stands for.
fn code_of(inputs: &[Input], slot: u8) -> u8 {
    inputs.iter().find(|input| input.slot == slot).map_or(slot & 127, |input| input.code)
}

impl Trace {
    /// Names the values that an instruction wrote.
    pub fn wrote(&mut self, lowering: &Lowering<'_>, inst: &Inst) {
        if let Some(n) = inst.vdst() {
            self.names.extend(lowering.names_of_vgpr(n));
        }
        let code = inst.mask_dst().or(if inst.vdst().is_none() { inst.dst() } else { None });
        if let Some((code, value)) = code.and_then(|code| Some((code, lowering.mask_of(code)?))) {
            self.names.push((value, pair_name(inst.arch, code)));
        }
    }

    /// Names the values that exist at the start.
    pub fn start(&mut self, arch: Arch, list: &List, inputs: &[Input], next: &[u32], stored: impl Iterator<Item = u8>) {
        for (i, info) in list.values.iter().enumerate() {
            let name = match info.home {
                Home::Vgpr(n) => {
                    if next[i] != super::plan::NEVER {
                        self.vgprs[0].push(n);
                    }
                    format!("v{n}")
                }
                Home::Scalar(slot) => scalar_register_name(arch, code_of(inputs, slot)),
                Home::Pair(slot) | Home::Mask(slot) => pair_name(arch, code_of(inputs, slot)),
                _ => continue,
            };
            self.names.push((Value(i as u16), name));
        }
        self.vgprs[0].sort_unstable();
        self.vgprs[1].extend(stored);
        self.width = Some(if list.is_narrow { Width::Ymm } else { Width::Zmm });
        self.is_mask = list.values.iter().map(|info| info.is_mask).collect();
    }

    /// Marks the offset `at` where the code of an instruction begins.
    pub fn mark(&mut self, at: usize, inst: u16) {
        if self.marks.last().is_none_or(|&(_, last)| last != inst) {
            self.marks.push((at, inst));
        }
    }

    /// Records that a value has a register.
    pub fn hold(&mut self, value: Value, register: u8) {
        let inst = self.marks.last().map_or(NO_INST, |&(_, inst)| inst);
        self.held.push((inst, value, register));
    }

    /// The offsets where the chunk begins, where it ends, and where constants begin.
    pub fn set_ends(&mut self, ends: [usize; 3]) {
        self.ends = ends;
    }

    fn registers(&self, count: usize) -> Vec<Vec<(String, String)>> {
        let mut registers = vec![Vec::new(); count];
        for &(inst, value, register) in &self.held {
            let class = match self.is_mask[value.index()] {
                true => "k",
                false if self.width == Some(Width::Ymm) => "ymm",
                false => "zmm",
            };
            let names = self.names.iter().filter(|(named, _)| *named == value);
            if let Some(of_inst) = registers.get_mut(inst as usize) {
                of_inst.extend(names.map(|(_, name)| (name.clone(), format!("{class}{register}"))));
            }
        }
        registers
    }

    /// Makes the explanation of a segment whose draft is complete.
    pub fn finish(self, draft: Draft, compile_time: Duration) -> Option<Explained> {
        let registers = self.registers(draft.len());
        let [start, chunk_end, constants] = self.ends;
        let marks = self.marks.iter().map(|&(at, inst)| (at, (inst != NO_INST).then_some(inst as usize))).collect();
        let [reads, writes] = self.vgprs;
        let (segment, width) = (Segment::seal(vec![draft])?.pop()?, self.width?);
        Some(Explained {
            segment,
            width,
            marks,
            registers,
            reads,
            writes,
            chunk: start..chunk_end,
            constants,
            compile_time,
        })
    }
}
