//! Exports, interpolation, LDS_DIRECT and messages on both engines.

use gcnsim::{Outcome, Wave};
use gcnsim_engine::{Engine, EngineError, EngineKind, RunOptions};
use gcnsim_isa::{Arch, LANES, Program};

/// s_add_u32 s0, s0, 1; s_cmp_lg_u32 s0, 9; s_cbranch_scc1 by `dwords` dwords.
fn loop_end(dwords: i16) -> [u32; 3] {
    [0x8000_8100, 0xbf07_8900, 0xbf85_0000 | u32::from(dwords as u16)]
}

const END: u32 = 0xbf81_0000;
/// v_interp_p1_f32 v2, v0, attr0.x
const P1: u32 = 0xd408_0000;
/// v_interp_p2_f32 v2, v1, attr0.x
const P2: u32 = 0xd409_0001;
/// exp mrt0 v2, v0, off, off done vm
const EXPORT: [u32; 2] = [0xc400_1803, 0x0000_0002];
/// v_mov_b32 v3, src_lds_direct
const DIRECT: u32 = 0x7e06_02fe;
/// s_sendmsg sendmsg(MSG_GS, GS_OP_EMIT, 0)
const MESSAGE: u32 = 0xbf90_0022;

/// Nine rounds of interpolation, an export, a read of LDS and a message.
fn pixel_loop() -> Program {
    let body = [P1, P2, EXPORT[0], EXPORT[1], DIRECT, MESSAGE];
    let words = [&body[..], &loop_end(-9), &[END]].concat();
    Program::from_words(Arch::Gcn14, &words)
}

fn engine(kind: EngineKind) -> Engine {
    Engine::new(RunOptions::default().engine(kind).hot(0))
}

/// The wave and its context at the start: I and J are 0.5 and 2; P0 and P10 of the primitive are 1, P20 is 3.
fn start(program: &Program) -> (Wave, gcnsim_machine::Context) {
    let mut wave = Wave::new(program);
    wave.vgprs.lanes_mut(0).fill(0.5f32.to_bits());
    wave.vgprs.lanes_mut(1).fill(2f32.to_bits());
    wave.state.set_exec(0xf0);
    let mut context = gcnsim_machine::Context::ready(512);
    for (dword, value) in [(0, 1f32), (1, 1.0), (8, 3.0)] {
        context.lds[4 * dword..4 * dword + 4].copy_from_slice(&value.to_le_bytes());
    }
    (wave, context)
}

#[test]
fn a_pixel_shader_stays_in_one_region() {
    let program = pixel_loop();
    for kind in [EngineKind::Interp, EngineKind::Jit, EngineKind::Check] {
        let (mut wave, mut context) = start(&program);
        let result = engine(kind).run_alone(&program, &mut wave, &mut context, None);
        assert_eq!(result.outcome, Ok(Outcome::Ended), "{kind:?}");
        let observed = &wave.observed;
        assert_eq!((observed.export_count(), observed.message_count()), (9, 9), "{kind:?}");
        let export = &observed.exports()[8];
        assert_eq!((export.access.target, export.access.en, export.exec, export.pc), (0, 3, 0xf0, 8));
        assert!(export.access.done && export.access.vm && !export.access.compr);
        // The red component is P0 + P10 * I + P20 * J = 1 + 1 * 0.5 + 3 * 2, the green one is v0.
        let lane = |lane: usize| export.values.map(|component| component[lane]);
        assert_eq!([lane(3), lane(8), lane(LANES - 1)], [[0; 4]; 3]);
        assert_eq!(lane(4), [7.5f32.to_bits(), 0.5f32.to_bits(), 0, 0], "{kind:?}");
        let message = observed.messages()[0];
        assert_eq!((message.message, message.m0, message.exec, message.pc), (0x22, 0, 0xf0, 20));
        // The lowest byte of 1.0.
        assert_eq!(wave.vgprs.regs()[3].0[5], 0);
    }
}

#[test]
fn planted_mistakes_are_caught() {
    let cases = [
        (&[P1][..], "v_interp_p1_f32"),
        (&EXPORT[..], "exp"),
        (&[DIRECT][..], "v_mov_b32"),
        (&[MESSAGE][..], "s_sendmsg"),
    ];
    for (words, mnemonic) in cases {
        let program = Program::from_words(Arch::Gcn14, &[words, &[END]].concat());
        let plant = program.fetch(0).unwrap().opcode;
        let options = RunOptions::default().engine(EngineKind::Check).hot(0).plant(plant);
        let (mut wave, mut context) = start(&program);
        wave.state.set_exec(3);
        let outcome = Engine::new(options).run_alone(&program, &mut wave, &mut context, None).outcome;
        let Err(EngineError::Divergence(divergence)) = outcome else { panic!("{mnemonic}: {outcome:?}") };
        assert_eq!(divergence.mnemonic, Some(mnemonic));
    }
}

/// VSKIP passes over exports and interpolation, not over messages.
#[test]
fn skipped_exports_are_not_observed() {
    let words = [P1, EXPORT[0], EXPORT[1], MESSAGE, END];
    let program = Program::from_words(Arch::Gcn14, &words);
    for kind in [EngineKind::Interp, EngineKind::Check] {
        let (mut wave, mut context) = start(&program);
        wave.state.mode |= 1 << 28;
        let outcome = engine(kind).run_alone(&program, &mut wave, &mut context, None).outcome;
        assert_eq!(outcome, Ok(Outcome::Ended));
        assert_eq!((wave.observed.export_count(), wave.observed.message_count()), (0, 1));
        assert_eq!(wave.vgprs.regs()[2].0, [0; LANES]);
    }
}

/// An export counts whatever EXEC is; S_SENDMSGHALT sends before it halts.
#[test]
fn without_lanes_and_with_a_halt() {
    let program = Program::from_words(Arch::Gcn14, &[EXPORT[0], EXPORT[1], 0xbf91_0003, END]);
    for kind in [EngineKind::Interp, EngineKind::Check] {
        let (mut wave, mut context) = start(&program);
        wave.state.set_exec(0);
        let outcome = engine(kind).run_alone(&program, &mut wave, &mut context, None).outcome;
        assert_eq!((outcome, wave.executed), (Ok(Outcome::Halted), 2), "{kind:?}");
        assert_eq!((wave.observed.exports()[0].exec, wave.observed.messages()[0].message), (0, 3));
    }
}
