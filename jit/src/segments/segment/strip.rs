//! Strips: the rounds of a loop for one chunk after the other.
//!
//! A segment is called once for each round of a loop, and VGPRs leave the host's registers at its end. A *strip* has
//! the whole body of a loop. It executes all rounds for the lanes of one chunk, with the VGPRs that go around the loop
//! in registers, then all rounds for the next chunk. So no instruction of the loop stores to memory or looks at other
//! lanes, and scalar code alone, or a lane mask that the body writes, decides when the loop ends.
//!
//! ```text
//! for each chunk:   load what is carried
//!     for each round:   body, with scalar operands of the round
//!     keep the last values in the frame
//! for each chunk:   store them to VGPRs, in active lanes
//! ```
//!
//! The caller executes the scalar instructions of all rounds first, and leaves operands that vary in
//! [records](gcnsim_helpers::segment_frame::offset::RECORDS). Nothing outside the frame changes before all chunks are
//! done. So a strip declines wherever it finds that it may not go on: where memory might refuse a load, where a lane is
//! not right, where chunks do not leave the loop in the same round. The caller then executes rounds one by one.
//!
//! Besides what [`SegmentFn`](crate::segments::SegmentFn) takes, a strip takes the most rounds (64 bits, at least one)
//! as its third argument. It returns the rounds that it executed, or 0 if it declined.
//!
//! Strips are for AVX-512.

use gcnsim_isa::{Inst, LANES, reg};

use super::{Draft, Options, Segment, Shape, finished, push_dword};
use crate::segments::allocate::{Allocator, BIAS, Carried, Layout, OutOfRoom, fixed_registers};
use crate::segments::encode::{Encoder, Gpr, Masking, Rm, Width};
use crate::segments::list::{Action, Home, Value};
use crate::segments::lower::{Lowering, Mxcsr};
use crate::segments::ops::Op;
use crate::segments::plan::{Plan, deferred_tests, plan_round};
use gcnsim_helpers::segment_frame::{Input, RECORDS, STRIP_RESULTS, offset};

/// The most instructions of a strip: it gains little where a round is long.
const MOST_INSTS: usize = 192;
/// The most VGPRs that are carried: other values want registers, too.
const MOST_CARRIED: usize = 24;
/// The same where a routine is called, which has the registers behind these.
const MOST_CARRIED_WITH_CALLS: usize = 18;

/// The end of a loop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ending {
    /// Scalar instructions decide, which the caller executes.
    Count,
    /// The loop goes on while VCC, which the body writes, is 0 (or, with `false`, is not 0).
    WhileVcc(bool),
}

/// What a strip wants of its caller.
#[derive(Clone, Debug)]
pub(crate) struct Rounds {
    /// Operands that vary, in the order of slots: dwords of a record.
    pub varying: Vec<Input>,
    /// The end of the loop.
    pub ending: Ending,
}

impl Rounds {
    /// The most rounds whose records there is room for.
    pub fn most(&self) -> usize {
        // A call takes little time beside 64 rounds.
        (RECORDS / self.varying.len().max(1)).min(64)
    }
}

impl Draft {
    /// Compiles a loop's body, without the branch at its end; `None` if it makes no strip. Loads have the sites from
    /// `sites` on. Instructions for which `is_foreign` holds are the caller's, as scalar ones are.
    pub(crate) fn strip(
        insts: &[Inst],
        options: &Options,
        sites: std::ops::Range<u8>,
        ending: Ending,
        is_foreign: impl Fn(&Inst) -> bool,
    ) -> Option<Draft> {
        if options.features.width != Width::Zmm || insts.len() > MOST_INSTS {
            return None;
        }
        let mut lowering = Lowering::new(options, insts.len()).with_sites(sites.clone()).with_loads_anywhere();
        for inst in insts {
            if is_foreign(inst) {
                lowering.add_foreign(inst);
            } else {
                lowering.add(inst)?;
            }
        }
        // What is carried in lane masks, and what scalar instructions make of them, no strip has.
        let masks = lowering.written_masks();
        let scalar = || insts.iter().filter(|inst| is_foreign(inst) || super::may_stand_between(inst));
        let meets = |set: u128| set & masks != 0;
        let written = scalar().fold(0, |set, inst| set | inst.writes().sgprs);
        if meets(written) || scalar().any(|inst| meets(inst.reads().sgprs)) {
            return None;
        }
        if lowering.inputs.iter().any(|input| meets(1 << input.code)) || written != 0 && ending != Ending::Count {
            return None;
        }
        Strip { lowering, ending, written }.compile(insts.len(), sites)
    }
}

/// A strip in the making.
struct Strip<'a> {
    lowering: Lowering<'a>,
    ending: Ending,
    /// Scalar registers that the caller's instructions write.
    written: u128,
}

impl Strip<'_> {
    fn compile(mut self, len: usize, sites: std::ops::Range<u8>) -> Option<Draft> {
        if self.lowering.list.loads != sites.end - sites.start || !self.lowering.moves.all.is_empty() {
            return None;
        }
        self.lowering.list.inst = super::NO_INST;
        let (results, masks) = (self.lowering.results(), self.lowering.mask_results());
        let (mut varying, mut inputs): (Vec<Input>, Vec<Input>) =
            self.lowering.inputs.iter().partition(|input| self.written >> input.code & 1 == 1);
        let exec = [reg::EXEC_LO, reg::EXEC_LO + 1].map(|code| Input { at: 0, code, slot: code });
        inputs.retain(|input| !exec.iter().any(|exec| exec.slot == input.slot));
        inputs.extend(exec);
        inputs.sort_by_key(|input| input.slot);
        varying.sort_by_key(|input| input.slot);
        let records = self.records(&varying)?;
        let initial = self.lowering.initial;
        let (carried, fresh): (Vec<_>, Vec<_>) = results.iter().partition(|(n, _)| initial[*n as usize] != Value::NONE);
        let carried: Vec<Carried> =
            carried.into_iter().map(|(n, last)| Carried { first: initial[n as usize], last }).collect();
        let calls = self.lowering.list.nodes.iter().any(|node| node.action == Action::Call);
        let most = if calls { MOST_CARRIED_WITH_CALLS } else { MOST_CARRIED };
        if carried.len() > most || results.len() > STRIP_RESULTS {
            return None;
        }
        let vcc = match self.ending {
            Ending::Count => None,
            Ending::WhileVcc(_) => Some(masks.iter().find(|(code, _)| *code == reg::VCC_LO)?.1),
        };
        let values = || results.iter().chain(&masks).map(|&(_, value)| value);
        let is_carried = |value: &Value| carried.iter().any(|carried| carried.last == *value);
        let others: Vec<Value> = fresh.iter().map(|&(_, value)| value).filter(|value| !is_carried(value)).collect();
        let pairs = carried.iter().map(|carried| (carried.first, carried.last));
        let deferred = deferred_tests(&mut self.lowering.list, pairs);
        let Plan { nodes, uses, next } = plan_round(&mut self.lowering.list, values());
        let mxcsr = self.lowering.mxcsr.special();
        let list = &mut self.lowering.list;
        let shape = Shape {
            width: Width::Zmm,
            mxcsr: mxcsr.map(|value| [value, Mxcsr::DEFAULT].map(|value| push_dword(list, value))),
            layout: Layout::new(list),
            has_tables: !list.tables.is_empty(),
            has_compare: self.lowering.has_compare,
            has_tests: list.has_tests,
            joints: Vec::new(),
        };
        let mut allocator = Allocator::new(list, &initial, next, shape.layout, &[]);
        allocator.records = Some(&records);
        // mov [rounds], rdx
        allocator.code.raw_imm32(&[0x48, 0x89, 0x96], offset::ROUNDS as u32);
        shape.prologue(&mut allocator, None);
        let chunk = shape.start(&mut allocator.code, false);
        allocator.begin_rounds(&carried);
        let mut declines = Vec::new();
        // lea r10, [records]; mov r11d, [rounds]
        allocator.code.raw_imm32(&[0x4c, 0x8d, 0x96], offset::RECORDS as u32);
        allocator.code.raw_imm32(&[0x44, 0x8b, 0x9e], offset::ROUNDS as u32);
        let round = allocator.code.bytes.len();
        allocator.run(&nodes, &uses).ok()?;
        allocator.end_round(&carried, &others).ok()?;
        self.ending.close(&mut allocator, round, (vcc, 4 * varying.len() as u8), &mut declines).ok()?;
        for value in deferred {
            allocator.test_number(value).ok()?;
        }
        if shape.has_tests {
            declines.push(allocator.jump_if_wrong().ok()?);
        }
        point_at_results(&mut allocator.code);
        for (number, &(_, value)) in results.iter().enumerate() {
            allocator.keep_result(number, value).ok()?;
        }
        for &(code, value) in &masks {
            allocator.keep_mask(code, value).ok()?;
        }
        declines.append(&mut allocator.declines);
        let (detours, mut code) = (
            std::mem::take(&mut allocator.detours),
            std::mem::replace(&mut allocator.code, Encoder::new(Width::Zmm, 0)),
        );
        shape.next_chunk(&mut code, chunk);
        commit(&shape, &mut code, results.iter().map(|&(n, _)| n));
        Allocator::detours(&mut code, &detours, Width::Zmm, fixed_registers(Width::Zmm)[1]);
        if !declines.is_empty() {
            let place = code.bytes.len();
            declines.iter().for_each(|&jump| code.land(jump, place));
            shape.load_mxcsr(&mut code, 1);
            // vzeroupper; xor eax, eax; ret
            code.raw(&[0xc5, 0xf8, 0x77, 0x31, 0xc0, 0xc3]);
        }
        let writes = masks.iter().fold(0, |codes, (code, _)| codes | 3u128 << code);
        let vgpr_count = (0..=255).rfind(|&n| self.lowering.names(n)).map_or(0, |n| n as usize + 1);
        let bytes = finished(code, &self.lowering.list, &shape.layout);
        Some(Draft {
            bytes,
            fallback: None,
            len,
            inputs,
            writes,
            uses_mode: self.lowering.uses_mode,
            vgpr_count,
            sites,
            moves: Vec::new(),
            conflict_slot: None,
            rounds: Some(Rounds { varying, ending: self.ending }),
        })
    }

    /// For each slot its place in a record, if it varies; `None` if what varies is no operand of vectors.
    fn records(&self, varying: &[Input]) -> Option<[Option<u8>; 256]> {
        let mut records = [None; 256];
        for (number, input) in varying.iter().enumerate() {
            records[input.slot as usize] = Some(u8::try_from(number).ok().filter(|&number| number < 64)?);
        }
        let varies = |slot: u8| records[slot as usize].is_some();
        let list = &self.lowering.list;
        let has_limit = list.bounds.iter().any(|bound| bound.m0.is_some_and(varies));
        let is_bad = list.values.iter().any(|info| match info.home {
            Home::Mask(slot) => varies(slot) || varies(slot + 1),
            Home::Pair(slot) => varies(slot) != varies(slot + 1),
            _ => false,
        });
        // The address of such a read is an operand of scalar code.
        let is_address = list.nodes.iter().any(|node| {
            let home = list.values[node.src[0].index()].home;
            matches!((node.action, home), (Action::ReadOne(..), Home::Scalar(slot)) if varies(slot))
        });
        (!has_limit && !is_bad && !is_address).then_some(records)
    }
}

impl Ending {
    /// Emits the end of a round that began at `round`. The mask that decides, and the bytes of a record, are `(vcc,
    /// record)`.
    fn close(
        self,
        allocator: &mut Allocator<'_>,
        round: usize,
        (vcc, record): (Option<Value>, u8),
        declines: &mut Vec<usize>,
    ) -> Result<(), OutOfRoom> {
        let vcc = vcc.map(|vcc| allocator.mask_register(vcc)).transpose()?;
        let code = &mut allocator.code;
        if record != 0 {
            // add r10, record
            code.raw_imm32(&[0x49, 0x81, 0xc2], record.into());
        }
        let again = |code: &mut Encoder| {
            // dec r11d; jnz round
            code.raw(&[0x41, 0xff, 0xcb]);
            let jump = code.jump(&[0x0f, 0x85]);
            code.land(jump, round);
        };
        let Some(vcc) = vcc else {
            again(code);
            if record != 0 {
                // sub r10, record: a result may be an operand of the last round.
                code.raw_imm32(&[0x49, 0x81, 0xea], record.into());
            }
            return Ok(());
        };
        // The first chunk decides how many rounds there are. VCC is 0 if it is in all chunks, so that a chunk may leave
        // the loop by itself if VCC is not 0 there, and may not go on by itself then.
        let stop = if self == Ending::WhileVcc(true) {
            code.k_test(vcc, vcc);
            code.jump(&[0x0f, 0x85])
        } else {
            // cmp ecx, chunks; jne over
            code.raw(&[0x83, 0xf9, (LANES / Width::Zmm.lanes()) as u8]);
            let over = code.jump(&[0x0f, 0x85]);
            code.k_test(vcc, vcc);
            let stop = code.jump(&[0x0f, 0x84]);
            let place = code.bytes.len();
            code.land(over, place);
            stop
        };
        again(code);
        let out = code.jump(&[0xe9]);
        let place = code.bytes.len();
        code.land(stop, place);
        // dec r11d
        code.raw(&[0x41, 0xff, 0xcb]);
        let place = code.bytes.len();
        code.land(out, place);
        // cmp ecx, chunks; je first; test r11d, r11d; jnz decline; jmp on; first: sub [rounds], r11d; on:
        code.raw(&[0x83, 0xf9, (LANES / Width::Zmm.lanes()) as u8]);
        let first = code.jump(&[0x0f, 0x84]);
        code.raw(&[0x45, 0x85, 0xdb]);
        declines.push(code.jump(&[0x0f, 0x85]));
        let on = code.jump(&[0xe9]);
        let place = code.bytes.len();
        code.land(first, place);
        code.raw_imm32(&[0x44, 0x29, 0x9e], offset::ROUNDS as u32);
        let place = code.bytes.len();
        code.land(on, place);
        Ok(())
    }
}

/// mov edx, ecx; shl edx, 6; add rdx, rsi: the frame, and 64 bytes for each chunk that is left.
fn point_at_results(code: &mut Encoder) {
    code.raw(&[0x89, 0xca, 0xc1, 0xe2, 6, 0x48, 0x01, 0xf2]);
}

/// Emits the loop that stores results to VGPRs `results`, and the return.
fn commit(shape: &Shape, code: &mut Encoder, results: impl Iterator<Item = u8>) {
    let [exec, _] = fixed_registers(Width::Zmm);
    // sub rdi, 256; mov r8, rsi; mov ecx, chunks
    code.raw_imm32(&[0x48, 0x81, 0xef], 4 * LANES as u32);
    code.raw(&[0x49, 0x89, 0xf0, 0xb9, (LANES / Width::Zmm.lanes()) as u8, 0, 0, 0]);
    let chunk = shape.load_exec(code, false);
    point_at_results(code);
    for (number, n) in results.enumerate() {
        let kept = Rm::Memory(Gpr::Rdx, offset::strip_result(number) - 64);
        code.op(Op::Load, 0, 0, kept, Masking::default(), 0);
        code.store(0, Gpr::Rdi, 256 * i32::from(n) - BIAS, exec);
    }
    shape.next_chunk(code, chunk);
    shape.load_mxcsr(code, 1);
    // vzeroupper; mov eax, [rounds]; ret
    code.raw(&[0xc5, 0xf8, 0x77]);
    code.raw_imm32(&[0x8b, 0x86], offset::ROUNDS as u32);
    code.raw(&[0xc3]);
}

impl Segment {
    /// What the segment wants of its caller, if it is a strip.
    pub(crate) fn rounds(&self) -> Option<&Rounds> {
        self.draft.rounds.as_ref()
    }
}
