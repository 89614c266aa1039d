//! Vector segments against the interpreter: registers, masks and notes of random segments, bit by bit.
#![cfg(all(feature = "jit", target_arch = "x86_64"))]
#![allow(unsafe_code)]

use gcnsim::Wave;
use gcnsim_interp::Interp;
use gcnsim_isa::table::{Encoding, InstDesc, all_rows};
use gcnsim_isa::{Arch, Inst, LANES, Notes, Program, WaveState, decode};
use gcnsim_jit::segments::{Draft, Features, Options, Segment, SegmentFrame, is_lane_wise, may_stand_between};
use gcnsim_random::Rng;

const ARCHS: [Arch; 5] = [Arch::Gcn10, Arch::Gcn11, Arch::Gcn12, Arch::Gcn14, Arch::Gcn141];
const MODES: [u32; 10] = [0x3f0, 0x3c0, 0x0f0, 0x1c0, 0x3f5, 0x3ca, 0x2d7, 0x0030, 0x0c5, 0x1ca];

/// Returns a float of ordinary size; if `odd`, often any bits or a value at an edge.
fn dword(rng: &mut Rng, odd: bool) -> u32 {
    match odd && rng.below(4) != 0 {
        true => rng.dword(),
        false => rng.bits() & 0x807f_ffff | (112 + rng.below(30)) << 23,
    }
}

/// Mnemonics of instructions that end no segment, of which long segments are made.
const LONG: &str = "v_and_b32 v_or_b32 v_xor_b32 v_lshlrev_b32 v_ashrrev_i32 v_cndmask_b32 v_min_u32 v_max_i32 \
    v_not_b32 v_bfi_b32 v_bfe_u32 v_alignbit_b32 v_add_u32 v_sub_u32 v_mul_lo_u32 v_mad_u32_u24 v_med3_i32 v_sad_u32 \
    v_lshlrev_b64 v_cmp_lt_u32 v_cmp_ne_u64 v_cmp_gt_i64";

/// Returns a random instruction of a row. Its operands are mostly VGPRs, below `vgprs` (a power of two).
fn random(rng: &mut Rng, arch: Arch, desc: &InstDesc, vgprs: u32) -> Option<Inst> {
    let op = desc.opcode_on(arch)? as u32;
    let bits = rng.bits64();
    // The bits of VGPR fields for numbers from `vgprs` on are cleared in `low` and `high`.
    let beyond = 0xff & !(vgprs - 1);
    let low = bits as u32 & !(beyond | beyond << 17);
    let high = (bits >> 32) as u32 & !(beyond | beyond << 9 | beyond << 18);
    let gcn12 = arch.is_gcn12_or_later();
    let is_short = rng.below(4) != 0;
    let sdwa = if gcn12 && rng.below(4) == 0 { Some(249) } else { None };
    let s0 = sdwa.unwrap_or(if rng.below(2) == 0 { 256 | low & 0xff } else { low & 0x1ff });
    let promoted = |offset: u32| 0xd000_0000 | (op + offset) << if gcn12 { 16 } else { 17 } | low & 0xff;
    let (first, is_long) = match desc.encoding {
        Encoding::Vop1 if is_short => (0x7e00_0000 | (high & 0xff) << 17 | op << 9 | s0, false),
        Encoding::Vop2 if is_short => (op << 25 | (low & 0x01fe_0000) | (high & 0xff) << 9 | s0, false),
        Encoding::Vopc if is_short => (0x7c00_0000 | op << 17 | (high & 0xff) << 9 | s0, false),
        Encoding::Vop1 => (promoted(if gcn12 { 320 } else { 384 }), true),
        Encoding::Vop2 => (promoted(256), true),
        Encoding::Vop3 | Encoding::Vopc => (promoted(0), true),
        _ => return None,
    };
    // Sources of the long form are VGPRs or, at times, anything. Modifiers that do not exist are refused.
    let anything = rng.pick(&[0x0002_0100, 0x0402_0000, 0x0402_0100, 0x0402_0100]);
    let second = if is_long { high & 0x07ff_ffff | anything } else { high };
    let more = rng.pick(&[0, 0, 0, 1 << 29, 6 << 29, 1 << 27, 2 << 27, 3 << 27]);
    let flags = rng.pick(&[0, 0, 1 << 8, 0x700, 1 << 11, 1 << 15]);
    let carries = desc.has.any(gcnsim_isa::table::Has::VCC_OUT);
    let flags = if carries { 106 << 8 } else { flags };
    let with = if is_long { (first | flags, second | more) } else { (first, second) };
    let plain = if carries { first | 106 << 8 } else { first };
    decode(arch, with.0, Some(with.1)).or_else(|_| decode(arch, plain, Some(second))).ok()
}

/// Returns a random scalar instruction that may stand among vector instructions, with `dst` as its destination.
fn random_scalar(rng: &mut Rng, arch: Arch, desc: &InstDesc, dst: u32) -> Option<Inst> {
    let op = desc.opcode_on(arch)? as u32;
    let low = rng.bits();
    let register = |rng: &mut Rng| rng.pick(&[0, 1, 2, low & 15, low >> 4 & 127, low >> 11 & 127]);
    let (s0, s1) = (register(rng), register(rng));
    let s0 = rng.pick(&[s0, s0, 128 + (low & 63), 193, 255]);
    let first = match desc.encoding {
        Encoding::Sop2 => 0x8000_0000 | op << 23 | dst << 16 | s1 << 8 | s0,
        Encoding::Sopk => 0xb000_0000 | op << 23 | dst << 16 | low >> 16,
        Encoding::Sop1 => 0xbe80_0000 | dst << 16 | op << 8 | s0,
        Encoding::Sopc => 0xbf00_0000 | op << 16 | s1 << 8 | s0,
        _ => return None,
    };
    let inst = decode(arch, first, Some(low.rotate_left(7))).ok()?;
    // The test executes instructions one by one, each at another address than in the segment.
    let reads_pc = desc.mnemonic == "s_getpc_b64";
    (may_stand_between(&inst) && inst.unsupported().is_none() && !reads_pc).then_some(inst)
}

fn words(insts: &[Inst]) -> Vec<u32> {
    insts.iter().flat_map(|inst| inst.words[..inst.size() as usize / 4].to_vec()).collect()
}

fn random_wave(rng: &mut Rng, mode: u32) -> Wave {
    let mut wave = Wave::from_state(WaveState::zeroed());
    let (kind, odd_lane) = (rng.below(3), rng.below(LANES as u32) as usize);
    for n in 0..=255 {
        let lanes = wave.vgprs.lanes_mut(n);
        for (lane, value) in lanes.iter_mut().enumerate() {
            *value = dword(rng, kind == 0 || kind == 1 && lane == odd_lane);
        }
    }
    wave.state.sgpr = std::array::from_fn(|_| dword(rng, kind == 0));
    wave.state.set_exec(rng.mask());
    wave.state.set_vcc(rng.mask());
    wave.state.mode = mode;
    wave
}

/// Executes one instruction of a wave.
fn step(wave: &mut Wave, inst: &Inst) {
    let program = Program::from_words(inst.arch, &words(&[*inst]));
    wave.state.pc = program.base();
    Interp::new(&program).run(wave, 1);
}

/// Returns the wave after the segment, and the number of chunks that it left to helpers. The interpreter executes
/// scalar instructions. Notes that follow from the words alone are added, as a region does.
fn execute(segment: &Segment, insts: &[Inst], wave: &Wave) -> (Wave, u64) {
    let mut wave = wave.clone();
    let mut frame = SegmentFrame::default();
    let mut inputs = segment.inputs().iter().peekable();
    for (at, inst) in insts.iter().enumerate() {
        while let Some(input) = inputs.next_if(|input| input.at == at) {
            frame.sgpr[input.slot as usize] = wave.state.sgpr[input.code as usize];
        }
        if may_stand_between(inst) {
            step(&mut wave, inst);
        }
    }
    assert_eq!(inputs.next(), None);
    // SAFETY: there are 256 VGPRs, and nothing else uses them.
    unsafe { (segment.function())(wave.vgprs.regs_mut().as_mut_ptr(), &mut frame) };
    for code in (0..128).filter(|code| segment.writes() >> code & 1 == 1) {
        wave.state.sgpr[code] = frame.masks[code];
    }
    let raised = Notes::of_low_words(frame.notes);
    let raised = wave.state.notes.or(raised);
    wave.state.notes = insts.iter().fold(raised, |notes, inst| notes.or(inst.static_notes()));
    (wave, frame.left_chunks)
}

#[test]
fn random_segments_do_what_the_interpreter_does() {
    for features in Features::available() {
        random_segments(features);
    }
}

fn random_segments(features: Features) {
    let rows: Vec<&InstDesc> = all_rows().collect();
    let is_scalar =
        |row: &InstDesc| matches!(row.encoding, Encoding::Sop1 | Encoding::Sop2 | Encoding::Sopk | Encoding::Sopc);
    let scalar_rows: Vec<&InstDesc> = all_rows().filter(|row| is_scalar(row)).collect();
    let is_long = |row: &InstDesc| LONG.split_whitespace().any(|mnemonic| mnemonic == row.mnemonic);
    let long_rows: Vec<&InstDesc> = all_rows().filter(|row| is_long(row)).collect();
    let mut rng = Rng::new(0x9e37_79b9_7f4a_7c15);
    let (mut executed, mut longest, mut overwritten, mut overwritten_and_left) = (0, 0, 0, 0);
    for round in 0..6000 {
        let (arch, mode) = (rng.pick(&ARCHS), rng.pick(&MODES));
        let options = Options { features, mode: Some(mode) };
        // In some rounds few registers are written again and again, so that there are more values than registers of the
        // host, and many are in memory only for a time. These rounds use instructions that end no segment, to make it
        // long.
        let (vgprs, rows) = if round % 5 < 2 { (64, &long_rows) } else { (256, &rows) };
        let mut insts = Vec::new();
        for _ in 0..[4, 30, 300][round % 3] {
            let row = rng.pick(rows);
            let Some(inst) = random(&mut rng, arch, row, vgprs).filter(|inst| is_lane_wise(inst, &options)) else {
                continue;
            };
            insts.push(inst);
            // Half of the rounds overwrite registers that were read, and then repeat the instruction.
            let scalars = inst.reads().sgprs & u128::MAX >> 2;
            if round & 1 == 0 && scalars != 0 {
                let row = rng.pick(&scalar_rows);
                insts.extend(random_scalar(&mut rng, arch, row, scalars.trailing_zeros()));
                insts.push(inst);
            }
        }
        let Some(draft) = Draft::new(&insts, &options) else { continue };
        insts.truncate(draft.len());
        let segment = Segment::seal(vec![draft]).unwrap().pop().unwrap();
        let wave = random_wave(&mut rng, mode);

        let program = Program::from_words(arch, &words(&insts));
        let mut expected = wave.clone();
        Interp::new(&program).run(&mut expected, insts.len() as u64);
        assert_eq!(expected.executed, insts.len() as u64);
        let (found, left) = execute(&segment, &insts, &wave);

        for n in 0..=255 {
            let (expected, found) = (expected.vgprs.lanes(n), found.vgprs.lanes(n));
            assert_eq!(expected, found, "v{n}, mode {mode:#x}, exec {:#x}, {insts:#?}", wave.state.exec());
        }
        assert_eq!(expected.state.sgpr, found.state.sgpr, "mode {mode:#x}, {insts:#?}");
        assert_eq!(expected.state.notes, found.state.notes, "mode {mode:#x}, {insts:#?}");
        assert_eq!(expected.state.scc, found.state.scc, "{insts:#?}");
        executed += insts.len();
        longest = longest.max(insts.len());
        // A scalar instruction overwrites a register that an earlier instruction reads, and a later one reads it
        // again.
        let is_overwritten = segment.inputs().iter().any(|input| input.slot != input.code);
        overwritten += is_overwritten as usize;
        overwritten_and_left += (is_overwritten && left > 0) as usize;
    }
    assert!(executed > 20_000 && longest > 250, "{executed} instructions, at most {longest}");
    assert!(overwritten > 100 && overwritten_and_left > 20, "{overwritten}, {overwritten_and_left}");
}
