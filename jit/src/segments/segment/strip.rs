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
use crate::segments::encode::{Encoder, Gpr, KOp, Masking, Rm, Width};
use crate::segments::list::{Action, Home, Value};
use crate::segments::lower::{Lowering, Mxcsr};
use crate::segments::ops::Op;
use crate::segments::plan::{Plan, deferred_tests, plan_round};
use gcnsim_helpers::segment_frame::{Input, RECORDS, STRIP_RESULTS, offset};

/// The most instructions of a strip: it gains little where a round is long.
const MOST_INSTS: usize = 192;
/// The most operands that vary: the bytes of a record are fewer than 256.
const MOST_VARYING: u8 = 63;
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
    /// Lanes leave the loop one by one: those in the mask `leaving`, which the body writes, join those in `done` and
    /// leave EXEC at the end of a round. The loop goes on while EXEC is not 0.
    WhileExec {
        /// The first register of each mask.
        done: u8,
        leaving: u8,
    },
}

/// What a strip wants of its caller.
#[derive(Clone, Debug)]
pub(crate) struct Rounds {
    /// Operands that vary, in the order of slots: dwords of a record.
    pub varying: Vec<Input>,
    /// The sites of loads, in their order.
    pub sites: Vec<u8>,
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
    /// Compiles a loop's body, without what ends a round; `None` if it makes no strip. Loads have the sites `sites`, in
    /// their order. Instructions for which `is_foreign` holds are the caller's, as scalar ones are.
    pub(crate) fn strip(
        insts: &[Inst],
        options: &Options,
        sites: Vec<u8>,
        ending: Ending,
        is_foreign: impl Fn(&Inst) -> bool,
    ) -> Option<Draft> {
        if options.features.width != Width::Zmm || insts.len() > MOST_INSTS {
            return None;
        }
        let mut lowering = Lowering::new(options, insts.len()).with_strip_sites(sites.clone());
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
        let reads = lowering.inputs.iter().fold(0u128, |set, input| set | 1 << input.code);
        let is_exec_read = matches!(ending, Ending::WhileExec { .. }) && reads & 3 << reg::EXEC_LO != 0;
        if meets(reads) || is_exec_read || written != 0 && ending != Ending::Count {
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
    fn compile(mut self, len: usize, sites: Vec<u8>) -> Option<Draft> {
        if self.lowering.list.loads as usize != sites.len() || !self.lowering.moves.all.is_empty() {
            return None;
        }
        self.lowering.list.inst = super::NO_INST;
        let (results, masks) = (self.lowering.results(), self.lowering.mask_results());
        let (varying, inputs) = self.operands();
        let records = self.records(&varying)?;
        let initial = self.lowering.initial;
        let (carried, fresh): (Vec<_>, Vec<_>) = results.iter().partition(|(n, _)| initial[*n as usize] != Value::NONE);
        let carried: Vec<Carried> =
            carried.into_iter().map(|(n, last)| Carried { first: initial[n as usize], last }).collect();
        let calls = self.lowering.list.nodes.iter().any(|node| node.action == Action::Call);
        let most = if calls { MOST_CARRIED_WITH_CALLS } else { MOST_CARRIED };
        if carried.len() > most || results.len() >= STRIP_RESULTS {
            return None;
        }
        let vcc = match self.ending {
            Ending::Count => None,
            Ending::WhileVcc(_) => Some(masks.iter().find(|(code, _)| *code == reg::VCC_LO)?.1),
            Ending::WhileExec { leaving, .. } => Some(masks.iter().find(|(code, _)| *code == leaving)?.1),
        };
        let values = || results.iter().chain(&masks).map(|&(_, value)| value);
        let is_carried = |value: &Value| carried.iter().any(|carried| carried.last == *value);
        let others: Vec<Value> = fresh.iter().map(|&(_, value)| value).filter(|value| !is_carried(value)).collect();
        let pairs = carried.iter().map(|carried| (carried.first, carried.last));
        // Where lanes leave one by one, what is not tested in a round would have to be tested in each of them.
        let deferred = match self.ending {
            Ending::WhileExec { .. } => Vec::new(),
            _ => deferred_tests(&mut self.lowering.list, pairs),
        };
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
        let mut declines = Vec::new();
        let leave = match self.ending {
            Ending::WhileExec { done, .. } => Some(Leave::begin(&mut allocator, done, shape.has_tests, &mut declines)),
            _ => None,
        };
        allocator.begin_rounds(&carried);
        // lea r10, [records]; mov r11d, [rounds]
        allocator.code.raw_imm32(&[0x4c, 0x8d, 0x96], offset::RECORDS as u32);
        allocator.code.raw_imm32(&[0x44, 0x8b, 0x9e], offset::ROUNDS as u32);
        let round = allocator.code.bytes.len();
        allocator.run(&nodes, &uses).ok()?;
        allocator.end_round(&carried, &others).ok()?;
        if let (Some(leave), Some(leaving)) = (&leave, vcc) {
            leave.close(&mut allocator, round, leaving, &results, &mut declines).ok()?;
        } else {
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
        }
        for &(code, value) in &masks {
            allocator.keep_mask(code, value).ok()?;
        }
        if let Some(leave) = &leave {
            leave.end(&mut allocator, results.len());
        }
        declines.append(&mut allocator.declines);
        let (detours, mut code) = (
            std::mem::take(&mut allocator.detours),
            std::mem::replace(&mut allocator.code, Encoder::new(Width::Zmm, 0)),
        );
        shape.next_chunk(&mut code, chunk);
        commit(&shape, &mut code, &results, leave.as_ref().map(|_| &masks[..]));
        Allocator::detours(&mut code, &detours, Width::Zmm, fixed_registers(Width::Zmm)[1]);
        shape.decline(&mut code, &declines, 0);
        let mut writes = masks.iter().fold(0, |codes, (code, _)| codes | 3u128 << code);
        if let Ending::WhileExec { done, .. } = self.ending {
            writes |= 3 << done | 3 << reg::EXEC_LO;
        }
        let reads_memory = !self.lowering.list.bounds.is_empty() || !sites.is_empty();
        let named = (0..=255).rfind(|&n| self.lowering.names(n));
        let vgpr_count = if reads_memory { named.map_or(0, |n| n as usize + 1) } else { 0 };
        let bytes = finished(code, &self.lowering.list, &shape.layout);
        Some(Draft {
            bytes,
            fallback: None,
            len,
            inputs,
            writes,
            uses_mode: self.lowering.uses_mode,
            vgpr_count,
            sites: 0..0,
            moves: Vec::new(),
            conflict_slot: None,
            rounds: Some(Rounds { varying, sites, ending: self.ending }),
        })
    }

    /// The operands that vary, and the others that the frame must have, both in the order of slots.
    fn operands(&self) -> (Vec<Input>, Vec<Input>) {
        let (mut varying, mut inputs): (Vec<Input>, Vec<Input>) =
            self.lowering.inputs.iter().partition(|input| self.written >> input.code & 1 == 1);
        let mut masks = vec![reg::EXEC_LO];
        if let Ending::WhileExec { done, .. } = self.ending {
            masks.push(done);
        }
        for code in masks.into_iter().flat_map(|code| [code, code + 1]) {
            if !inputs.iter().any(|input| input.slot == code) {
                inputs.push(Input { at: 0, code, slot: code });
            }
        }
        inputs.sort_by_key(|input| input.slot);
        varying.sort_by_key(|input| input.slot);
        (varying, inputs)
    }

    /// For each slot its place in a record, if it varies; `None` if what varies is no operand of vectors.
    fn records(&self, varying: &[Input]) -> Option<[Option<u8>; 256]> {
        let mut records = [None; 256];
        for (number, input) in varying.iter().enumerate() {
            records[input.slot as usize] = Some(u8::try_from(number).ok().filter(|&number| number < MOST_VARYING)?);
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

/// What a loop needs that lanes leave one by one.
///
/// The chunk's EXEC is a mask register that loses the lanes which leave. In that round their results are kept, in these
/// lanes only, so that nothing is merged in other rounds. Rounds are counted for each chunk: the loop has as many as the
/// chunk with the most.
struct Leave {
    /// The first register of the mask of lanes that are done.
    done: u8,
    /// Mask registers that no value has.
    spare: [u8; 2],
    /// The jump of a chunk without active lanes.
    idle: usize,
    /// Whether lanes can turn out to be wrong.
    has_tests: bool,
}

impl Leave {
    /// Emits the beginning of a chunk.
    fn begin(allocator: &mut Allocator<'_>, done: u8, has_tests: bool, declines: &mut Vec<usize>) -> Leave {
        let spare = allocator.reserve_masks();
        let [exec, _] = fixed_registers(Width::Zmm);
        let code = &mut allocator.code;
        // The lanes that are done are not active. (Otherwise these would leave, too.)
        code.k_load(spare[0], Gpr::R8, offset::sgpr(done));
        code.k_op(KOp::And, spare[0], spare[0], exec);
        code.k_test(spare[0], spare[0]);
        declines.push(code.jump(&[0x0f, 0x85]));
        // xor r11d, r11d: a chunk without active lanes has no rounds.
        code.raw(&[0x45, 0x31, 0xdb]);
        code.k_test(exec, exec);
        let idle = code.jump(&[0x0f, 0x84]);
        Leave { done, spare, idle, has_tests }
    }

    /// Emits the end of a round that began at `round`.
    fn close(
        &self,
        allocator: &mut Allocator<'_>,
        round: usize,
        leaving: Value,
        results: &[(u8, Value)],
        declines: &mut Vec<usize>,
    ) -> Result<(), OutOfRoom> {
        let ([exec, ok], [kept, scratch]) = (fixed_registers(Width::Zmm), self.spare);
        let leaving = allocator.mask_register(leaving)?;
        let code = &mut allocator.code;
        code.k_test(leaving, leaving);
        let some = code.jump(&[0x0f, 0x85]);
        let again = code.bytes.len();
        // dec r11d; jnz round
        code.raw(&[0x41, 0xff, 0xcb]);
        let jump = code.jump(&[0x0f, 0x85]);
        code.land(jump, round);
        // There may be no more rounds: the results of all lanes are kept.
        code.k_copy(kept, exec);
        let all = code.jump(&[0xe9]);
        let place = code.bytes.len();
        code.land(some, place);
        code.k_copy(kept, leaving);
        let place = code.bytes.len();
        code.land(all, place);
        if self.has_tests {
            code.k_op(KOp::AndNot, scratch, ok, kept);
            code.k_test(scratch, scratch);
            declines.push(code.jump(&[0x0f, 0x85]));
        }
        point_at_results(code);
        for (number, &(_, value)) in results.iter().enumerate() {
            allocator.keep_lanes(number, value, kept)?;
        }
        let code = &mut allocator.code;
        // test r11d, r11d; jz end
        code.raw(&[0x45, 0x85, 0xdb]);
        let end = code.jump(&[0x0f, 0x84]);
        code.k_op(KOp::AndNot, exec, leaving, exec);
        if self.has_tests {
            code.k_op(KOp::And, ok, ok, exec);
        }
        code.k_test(exec, exec);
        let jump = code.jump(&[0x0f, 0x85]);
        code.land(jump, again);
        // dec r11d
        code.raw(&[0x41, 0xff, 0xcb]);
        let place = code.bytes.len();
        code.land(end, place);
        // sub r11d, [rounds]; neg r11d: the rounds of the chunk
        code.raw_imm32(&[0x44, 0x2b, 0x9e], offset::ROUNDS as u32);
        code.raw(&[0x41, 0xf7, 0xdb]);
        let place = code.bytes.len();
        code.land(self.idle, place);
        Ok(())
    }

    /// Emits the end of a chunk: its rounds, and what became of EXEC and the lanes that are done.
    fn end(&self, allocator: &mut Allocator<'_>, results: usize) {
        let ([exec, _], [kept, left]) = (fixed_registers(Width::Zmm), self.spare);
        let code = &mut allocator.code;
        point_at_results(code);
        // mov [rounds of the chunk], r11d; cmp r11d, [most]; jbe over; mov [most], r11d; over:
        code.raw_imm32(&[0x44, 0x89, 0x9a], (offset::strip_result(results) - 64) as u32);
        code.raw_imm32(&[0x44, 0x3b, 0x9e], (offset::ROUNDS + 4) as u32);
        code.raw(&[0x76, 7]);
        code.raw_imm32(&[0x44, 0x89, 0x9e], (offset::ROUNDS + 4) as u32);
        code.k_store(exec, Gpr::R8, offset::mask(reg::EXEC_LO));
        code.k_load(kept, Gpr::R8, offset::sgpr(reg::EXEC_LO));
        code.k_op(KOp::AndNot, kept, exec, kept);
        code.k_load(left, Gpr::R8, offset::sgpr(self.done));
        code.k_op(KOp::Or, kept, kept, left);
        code.k_store(kept, Gpr::R8, offset::mask(self.done));
    }
}

/// mov edx, ecx; shl edx, 6; add rdx, rsi: the frame, and 64 bytes for each chunk that is left.
fn point_at_results(code: &mut Encoder) {
    code.raw(&[0x89, 0xca, 0xc1, 0xe2, 6, 0x48, 0x01, 0xf2]);
}

/// Emits the loop that stores results to VGPRs, and the return. Where lanes leave one by one, `masks` are 0 in chunks
/// that had no lane in the last round.
fn commit(shape: &Shape, code: &mut Encoder, results: &[(u8, Value)], masks: Option<&[(u8, Value)]>) {
    let [exec, _] = fixed_registers(Width::Zmm);
    // sub rdi, 256; mov r8, rsi; mov ecx, chunks
    code.raw_imm32(&[0x48, 0x81, 0xef], 4 * LANES as u32);
    code.raw(&[0x49, 0x89, 0xf0, 0xb9, (LANES / Width::Zmm.lanes()) as u8, 0, 0, 0]);
    let chunk = shape.load_exec(code, false);
    point_at_results(code);
    for (number, &(n, _)) in results.iter().enumerate() {
        let kept = Rm::Memory(Gpr::Rdx, offset::strip_result(number) - 64);
        code.op(Op::Load, 0, 0, kept, Masking::default(), 0);
        code.store(0, Gpr::Rdi, 256 * i32::from(n) - BIAS, exec);
    }
    if let Some(masks) = masks {
        // mov eax, [rounds of the chunk]; cmp eax, [most]; je over
        code.raw_imm32(&[0x8b, 0x82], (offset::strip_result(results.len()) - 64) as u32);
        code.raw_imm32(&[0x3b, 0x86], (offset::ROUNDS + 4) as u32);
        let over = code.jump(&[0x0f, 0x84]);
        for &(mask, _) in masks {
            // mov word [mask], 0
            code.raw_imm32(&[0x66, 0x41, 0xc7, 0x80], offset::mask(mask) as u32);
            code.raw(&[0, 0]);
        }
        let place = code.bytes.len();
        code.land(over, place);
    }
    shape.next_chunk(code, chunk);
    shape.load_mxcsr(code, 1);
    // vzeroupper; mov eax, [rounds]; ret
    code.raw(&[0xc5, 0xf8, 0x77]);
    code.raw_imm32(&[0x8b, 0x86], (offset::ROUNDS + if masks.is_some() { 4 } else { 0 }) as u32);
    code.raw(&[0xc3]);
}

impl Segment {
    /// What the segment wants of its caller, if it is a strip.
    pub(crate) fn rounds(&self) -> Option<&Rounds> {
        self.draft.rounds.as_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::segments::Features;
    use gcnsim_isa::{Arch, decode};

    // Words by llvm-mc 14 for gfx900.
    /// v_add_f32 v1, v2, v1
    const SUM: [u32; 2] = [0x0202_0302, 0];
    /// s_add_u32 s4, s4, 3
    const STEP: [u32; 2] = [0x8004_8304, 0];
    /// v_add_u32 v6, s4, v7
    const VARYING: [u32; 2] = [0x680c_0e04, 0];
    /// v_cmp_eq_u32 vcc, 0, v9
    const COMPARE: [u32; 2] = [0x7d94_1280, 0];
    /// v_cndmask_b32 v3, v4, v5, vcc
    const SELECT: [u32; 2] = [0x0006_0b04, 0];
    /// v_readfirstlane_b32 s3, v1
    const ACROSS: [u32; 2] = [0x7e06_0501, 0];

    /// The strip of a body, if the machine has AVX-512.
    fn strip(body: &[[u32; 2]], ending: Ending) -> Option<Option<Draft>> {
        let features = Features::detect().filter(|features| features.width == Width::Zmm)?;
        let insts: Vec<Inst> =
            body.iter().map(|words| decode(Arch::Gcn14, words[0], Some(words[1])).unwrap()).collect();
        let options = Options { features, mode: Some(0x3f0) };
        Some(Draft::strip(&insts, &options, Vec::new(), ending, |_| false))
    }

    #[test]
    fn loops_by_scalar_code_leave_records() {
        let Some(draft) = strip(&[VARYING, STEP, SUM], Ending::Count) else { return };
        let rounds = draft.unwrap().rounds.unwrap();
        assert_eq!(rounds.varying.iter().map(|input| input.code).collect::<Vec<_>>(), [4]);
        assert_eq!(rounds.most(), 64);
    }

    #[test]
    fn what_goes_from_lane_to_lane_or_round_to_round_makes_no_strip() {
        let is_some = |body: &[[u32; 2]], ending| strip(body, ending).map(|draft| draft.is_some());
        let Some(yes) = is_some(&[SUM, COMPARE, SELECT], Ending::WhileVcc(true)) else { return };
        assert!(yes);
        assert_eq!(is_some(&[SUM, ACROSS], Ending::Count), Some(false), "an instruction across lanes");
        assert_eq!(is_some(&[SELECT, SUM, COMPARE], Ending::Count), Some(false), "a mask of the round before");
        assert_eq!(is_some(&[SUM, SELECT], Ending::WhileVcc(true)), Some(false), "VCC does not change");
        assert_eq!(is_some(&[SUM, STEP, COMPARE], Ending::WhileVcc(true)), Some(false), "scalar code, unknown rounds");
    }

    #[test]
    fn a_record_has_room_for_63_operands() {
        // v_add_u32 v6, s4 (and on), v7; s_add_u32 s4 (and on), s4, 3
        let body = |count: u32| -> Vec<[u32; 2]> {
            let of = |n: u32| [[0x680c_0e00 | n, 0], [0x8000_8300 | n << 16 | n, 0]];
            (4..4 + count).flat_map(of).collect()
        };
        let Some(draft) = strip(&body(63), Ending::Count) else { return };
        assert_eq!(draft.unwrap().rounds.unwrap().most(), 8);
        assert!(strip(&body(64), Ending::Count).unwrap().is_none());
    }
}
