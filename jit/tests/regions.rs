//! The code of a region, and the edges between its blocks.

use gcnsim_isa::encode::Builder;
use gcnsim_isa::table::{Sop1, Sop2, Sopk, Sopp};
use gcnsim_isa::{Arch, Note, Notes, Opcode, Program, WaveState};
use gcnsim_jit::cache::RegionCache;
use gcnsim_jit::region::{Block, Edge, End, Jump, Plan};
use gcnsim_jit::{CompileOptions, Compiler, EqualMaxima, ExitCode, Frame, RegionKey};
use gcnsim_machine::{Context as MachineContext, Observed, VgprFile};

/// The words of instructions that have one dword each.
fn words(insts: &[Builder]) -> Vec<u32> {
    insts.iter().map(|inst| inst.words().unwrap().0).collect()
}

fn inst(opcode: Opcode) -> Builder {
    Builder::new(Arch::Gcn14, opcode)
}

fn call(link: u32, by: i16) -> Builder {
    inst(Opcode::Sopk(Sopk::SCallB64)).dst(link).simm16(by as u16)
}

fn setpc(pair: u32) -> Builder {
    inst(Opcode::Sop1(Sop1::SSetpcB64)).src(0, pair)
}

fn endpgm() -> Builder {
    inst(Opcode::Sopp(Sopp::SEndpgm))
}

fn add(dst: u32) -> Builder {
    inst(Opcode::Sop2(Sop2::SAddU32)).dst(dst).src(0, dst).src(1, 129)
}

fn plan(insts: &[Builder], max: usize, observed: &[Jump]) -> Plan {
    Plan::discover(&Program::from_words(Arch::Gcn14, &words(insts)), 0, max, observed).unwrap().unwrap()
}

fn at(plan: &Plan, pc: u64) -> Vec<&Block> {
    plan.blocks.iter().filter(|block| block.pc == pc).collect()
}

/// Addresses of the blocks that a computed jump expects, or goes to for certain.
fn expected(plan: &Plan, block: &Block) -> Option<Vec<u64>> {
    match &block.end {
        End::Indirect { known } => known.as_ref().map(|known| known.iter().map(|&b| plan.blocks[b].pc).collect()),
        End::Goto(Edge::Block(b)) => Some(vec![plan.blocks[*b].pc]),
        end => panic!("no computed jump at the end of {:#x}: {end:?}", block.pc),
    }
}

/// Two calls of one function, which returns to its callers.
fn two_calls() -> Vec<Builder> {
    vec![call(30, 2), call(30, 1), endpgm(), add(0), setpc(30)]
}

#[test]
fn a_callee_has_a_block_for_each_return_address() {
    let plan = plan(&two_calls(), 100, &[]);
    let callees = at(&plan, 0xc);
    let returns: Vec<_> = callees.iter().map(|block| expected(&plan, block)).collect();
    assert_eq!(returns, [Some(vec![4]), Some(vec![8])]);
    assert!(callees.iter().all(|block| matches!(block.end, End::Goto(_))), "nothing is left to compare");
    assert_eq!((at(&plan, 4).len(), at(&plan, 8).len()), (1, 1));
    assert!(plan.blocks.iter().all(|block| !block.is_header));
}

#[test]
fn contexts_stay_below_the_cap() {
    // The plain blocks have five instructions, so there is no room for others.
    let plan = plan(&two_calls(), 5, &[]);
    let callees = at(&plan, 0xc);
    assert_eq!(callees.len(), 1);
    assert_eq!(expected(&plan, callees[0]), None);
    assert_eq!(plan.inst_count, 5);
}

#[test]
fn a_copied_return_address_is_known_and_an_overwritten_one_is_not() {
    let copy = inst(Opcode::Sop1(Sop1::SMovB64)).dst(40).src(0, 30);
    let copied = plan(&[call(30, 1), endpgm(), copy, add(30), setpc(40)], 100, &[]);
    assert_eq!(expected(&copied, at(&copied, 8)[0]), Some(vec![4]));
    let unknown = inst(Opcode::Sop1(Sop1::SMovB32)).dst(31).src(0, 5);
    let overwritten = plan(&[call(30, 1), endpgm(), unknown, setpc(30)], 100, &[]);
    assert_eq!(expected(&overwritten, at(&overwritten, 8)[0]), None);
}

#[test]
fn a_jump_that_was_seen_is_expected_where_nothing_is_known() {
    let insts = [setpc(2), endpgm(), add(0), endpgm()];
    let seen = [Jump { from: 0, to: 8 }, Jump { from: 4, to: 4 }];
    let plan = plan(&insts, 100, &seen);
    assert_eq!(expected(&plan, &plan.blocks[0]), Some(vec![8]));
    assert_eq!(plan.blocks.len(), 2);
}

#[test]
fn a_jump_that_goes_to_many_places_may_go_to_any_target() {
    let mut insts = vec![setpc(2)];
    insts.extend([add(0); 20]);
    insts.push(endpgm());
    let seen: Vec<_> = (0..20).map(|i| Jump { from: 0, to: 4 * (i + 1) }).collect();
    let plan = plan(&insts, 100, &seen);
    assert_eq!(expected(&plan, &plan.blocks[0]), None);
    assert_eq!(plan.targets.len(), 20);
}

/// A loop in a callee is entered in one place only, although there is a block of it for each call.
#[test]
fn each_address_is_entered_once() {
    let branch = inst(Opcode::Sopp(Sopp::SCbranchScc1)).simm16(-2i16 as u16);
    let plan = plan(&[call(30, 2), call(30, 1), endpgm(), add(0), branch, setpc(30)], 100, &[]);
    assert_eq!(at(&plan, 0xc).iter().filter(|block| block.is_header).count(), 2);
    let entries: Vec<u64> = plan.entries().map(|b| plan.blocks[b].pc).collect();
    assert_eq!(entries, [0, 0xc]);
    // Code that enters there may have another return address, so the jump has to compare it.
    let certain: Vec<bool> = at(&plan, 0x14).iter().map(|block| matches!(block.end, End::Goto(_))).collect();
    assert_eq!(certain, [false, true]);
}

fn branch(by: i16) -> Builder {
    inst(Opcode::Sopp(Sopp::SCbranchScc1)).simm16(by as u16)
}

#[test]
fn short_innermost_loops_are_unrolled_and_others_are_not() {
    // At 4 there is an inner loop of 2 instructions; at 0 begins and at 0xc ends an outer loop around it.
    let plan = plan(&[add(2), add(0), branch(-2), add(1), branch(-5), endpgm()], 100, &[]);
    assert_eq!((at(&plan, 0).len(), at(&plan, 4).len(), at(&plan, 0xc).len()), (1, 4, 1));
    let tested = |pc| at(&plan, pc).iter().filter(|block| block.is_header).count();
    assert_eq!((tested(0), tested(4)), (1, 1));
    // The longest way without a branch back has all copies, the rest of the outer loop, and the end.
    assert_eq!(plan.blocks[0].need, 1 + 4 * 2 + 2 + 1);
}

#[test]
fn loops_that_share_a_head_are_unrolled_together() {
    // Branches at 4 and at 0xc lead back to 0, each to the next copy.
    let plan = plan(&[add(0), branch(-2), add(1), branch(-4), endpgm()], 100, &[]);
    assert_eq!((at(&plan, 0).len(), at(&plan, 8).len()), (4, 4));
    assert_eq!(at(&plan, 0).iter().filter(|block| block.is_header).count(), 1);
    assert_eq!(plan.blocks[0].need, 4 * 4 + 1);
}

#[test]
fn copies_of_a_loop_with_several_blocks_follow_each_other() {
    // 0: add; branch over the next; add; branch to 0
    let plan = plan(&[add(0), branch(1), add(1), branch(-4), endpgm()], 100, &[]);
    assert_eq!((at(&plan, 0).len(), at(&plan, 8).len(), at(&plan, 0xc).len(), at(&plan, 0x10).len()), (4, 4, 4, 1));
    assert_eq!(plan.blocks[0].need, 4 * 4 + 1);
}

#[test]
fn loops_that_are_long_or_call_are_not_unrolled() {
    let mut long = vec![add(0); 30];
    long.extend([branch(-31), endpgm()]);
    assert_eq!(plan(&long, 100, &[]).blocks.len(), 2);
    let calling = plan(&[call(30, 2), branch(-2), endpgm(), setpc(30)], 100, &[]);
    assert_eq!((at(&calling, 0).len(), at(&calling, 4).len()), (1, 1));
}

#[test]
fn a_region_is_not_entered_with_less_fuel_than_it_needs() {
    let program = Program::from_words(Arch::Gcn14, &words(&[add(0), add(0), endpgm()]));
    let at = RegionKey { pc: 0, mode: 0, observed: &[], maxima: EqualMaxima::Unknown, predictable: &[] };
    let mut compiler = Compiler::new(CompileOptions::default()).unwrap();
    let region = compiler.compile(&program, &at).unwrap().unwrap();
    for (fuel, end, left, sum) in [(0, ExitCode::Fuel, 0, 0), (2, ExitCode::Fuel, 2, 0), (3, ExitCode::Ended, 0, 2)] {
        let (mut state, mut frame) = (WaveState::zeroed(), Frame { fuel, ..Frame::default() });
        let (vgprs, observed) = (&mut VgprFile::zeroed(), &mut Observed::default());
        let exit = region.run(0, &mut state, vgprs, observed, &mut MachineContext::default(), &mut frame).unwrap();
        assert_eq!((exit, frame.fuel, state.sgpr[0]), (end, left, sum), "{fuel}");
    }
}

#[test]
fn a_wave_with_too_few_vgprs_does_not_enter() {
    use gcnsim_isa::table::Vopc;
    let compare = inst(Opcode::Vopc(Vopc::VCmpEqU32)).src(0, 256 + 9).src(1, 256 + 3);
    let program = Program::from_words(Arch::Gcn14, &words(&[compare, endpgm()]));
    let mut compiler = Compiler::new(CompileOptions::default()).unwrap();
    let key = RegionKey { pc: 0, mode: 0, observed: &[], maxima: EqualMaxima::Unknown, predictable: &[] };
    let region = compiler.compile(&program, &key).unwrap().unwrap();
    assert_eq!(region.vgpr_count(), 10);
    for (count, expected, vcc) in [(9, ExitCode::Leave, 5), (10, ExitCode::Ended, u64::MAX)] {
        let mut state = WaveState::initial(Arch::Gcn14, 0);
        state.set_vcc(5);
        let mut frame = Frame { fuel: 100, ..Frame::default() };
        let (vgprs, observed) = (&mut VgprFile::with_count(count), &mut Observed::default());
        let exit = region.run(0, &mut state, vgprs, observed, &mut MachineContext::default(), &mut frame).unwrap();
        assert_eq!((exit, state.vcc(), state.pc == 0), (expected, vcc, expected == ExitCode::Leave));
    }
}

/// A region that does not look for maxima of equal operands is found only for waves that have the note on them.
#[test]
fn regions_for_waves_with_the_note_on_maxima() {
    let max = inst(Opcode::Sop2(Sop2::SMaxU32)).dst(0).src(0, 0).src(1, 1);
    for (code, noted) in [([max, endpgm()], true), ([add(0), endpgm()], false)] {
        let program = Program::from_words(Arch::Gcn14, &words(&code));
        let mut compiler = Compiler::new(CompileOptions::default()).unwrap();
        let mut cache = RegionCache::default();
        let mut state = WaveState::initial(Arch::Gcn14, 0);
        let key = |maxima| RegionKey { pc: 0, mode: 0, observed: &[], maxima, predictable: &[] };
        let first = cache.compile(&mut compiler, &program, &key(EqualMaxima::Noted)).unwrap();
        assert_eq!(cache.get(&state).is_none(), noted);
        state.notes.insert(Note::SmaxEqualScc);
        assert_eq!(cache.get(&state), Some(first));
        // Any wave can enter a region that looks.
        let other = cache.compile(&mut compiler, &program, &key(EqualMaxima::Seldom)).unwrap();
        state.notes = Notes::NONE;
        assert_eq!(cache.get(&state), Some(if noted { other } else { first }));
    }
}
