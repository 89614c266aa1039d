//! Compiled code of floats is valid for one MODE; another MODE gives other results.

use gcnsim::{Outcome, Wave};
use gcnsim_engine::{Engine, EngineKind, RunOptions};
use gcnsim_isa::{Arch, Program};
use gcnsim_machine::Context;

// Words by hand, for gfx900.
/// v_add_f32 v1, v2, v3
const SUM: u32 = 0x0202_0702;
/// s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 0
const FLUSH: [u32; 2] = [0xba00_0901, 0];
const END: u32 = 0xbf81_0000;
/// Values of MODE in which denormals of binary32 are kept, or flushed.
const KEEPS: u32 = 0x3f0;
const FLUSHES: u32 = 0x3c0;

/// Returns the sum of the denormals 1 and 2 from one wave for each of `modes`, which share a session.
fn sums(words: &[u32], modes: &[u32]) -> Vec<u32> {
    let program = Program::from_words(Arch::Gcn14, words);
    let options = RunOptions::default().engine(EngineKind::JitNoCheck).hot(0);
    let mut engine = Engine::new(options);
    let session = engine.session(&program);
    let sum = |&mode: &u32| {
        let (mut wave, mut context) = (Wave::new(&program), Context::default());
        wave.state.mode = mode;
        wave.vgprs.lanes_mut(2).fill(1);
        wave.vgprs.lanes_mut(3).fill(2);
        assert_eq!(session.run_in(&mut wave, &mut context, None).outcome, Ok(Outcome::Ended));
        assert_eq!(wave.vgprs.lanes(1), &[wave.vgprs.lanes(1)[0]; 64]);
        wave.vgprs.lanes(1)[0]
    };
    modes.iter().map(sum).collect()
}

#[test]
fn waves_of_other_modes() {
    assert_eq!(sums(&[SUM, END], &[KEEPS, FLUSHES, KEEPS, FLUSHES]), [3, 0, 3, 0]);
    assert_eq!(sums(&[SUM, END], &[FLUSHES, KEEPS]), [0, 3]);
}

#[test]
fn code_that_changes_its_mode() {
    assert_eq!(sums(&[FLUSH[0], FLUSH[1], SUM, END], &[KEEPS, FLUSHES]), [0, 0]);
}
