//! Runs any bytes as a program in any state, with a budget, on both engines. State, count, notes and outcome must
//! agree.

use std::cell::RefCell;
use std::sync::Arc;

use gcnsim::{Outcome, Wave};
use gcnsim_engine::{Engine, EngineKind, RunOptions};
use gcnsim_interp::Interp;
use gcnsim_isa::{Arch, Program};
use gcnsim_jit::helpers::Level;

/// Number of bytes before the code.
const HEAD: usize = 32;
const MAX_CODE: usize = 1024;

thread_local! {
    // Engines keep their compilers and everything else that outlives a run.
    static ENGINES: RefCell<Vec<Engine>> = RefCell::new(settings().into_iter().map(Engine::new).collect());
}

/// Settings: everything compiled at once in regions of several sizes, compiled late, checked, and with the other
/// helpers. Some runs stop early.
fn settings() -> Vec<RunOptions> {
    let plain = RunOptions::default().engine(EngineKind::JitNoCheck).hot(0).max_insts(300);
    vec![
        plain.clone(),
        plain.clone().region_max(1),
        plain.clone().region_max(4).max_insts(41),
        plain.clone().hot(3),
        plain.clone().engine(EngineKind::Check).counting_classes(),
        plain.clone().max_insts(13),
        plain.clone().engine(EngineKind::Jit).hot(1).region_max(16),
        plain.level(Level::Portable),
    ]
}

/// Tests a program. The head has generation and settings, the place and entry of the program, MODE, and six numbers for
/// registers. The code follows.
pub fn check(data: &[u8]) {
    let Some((head, code)) = data.split_first_chunk::<HEAD>() else { return };
    if code.len() > MAX_CODE {
        return;
    }
    let arch = Arch::ALL[head[0] as usize % Arch::ALL.len()];
    let base = match head[1] % 4 {
        0 => 0,
        1 => 0x1000,
        2 => 0u64.wrapping_sub(4 * (head[2] as u64)),
        _ => (head[2] as u64) << 56 | 0x100,
    };
    let program = Program::new(arch, Arc::new(code.to_vec()), base, 4 * (head[3] as u64 % 64));
    let mut wave = Wave::new(&program);
    wave.state.mode ^= u32::from_le_bytes([head[4], head[5], head[6], head[7]]);
    let vgprs = &mut wave.vgprs;
    for (n, bytes) in (0u8..).zip(head[8..].chunks(4)) {
        let value = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        wave.state.sgpr[n as usize] = value;
        // VCC, M0 and EXEC are among them.
        wave.state.sgpr[[106, 107, 124, 126, 127, 100][n as usize]] = value.rotate_left(n as u32);
        wave.state.set_pair(16 + 2 * n, base.wrapping_add(value as u64 % 64));
        for (lane, x) in (0u32..).zip(vgprs.lanes_mut(n)) {
            // Lanes get equal numbers, neighbours, and the special values of floats.
            *x = if lane % 3 == 0 { value } else { value.rotate_left(lane) ^ (lane % 2).wrapping_neg() };
        }
    }
    ENGINES.with_borrow_mut(|engines| {
        let number = head[0] as usize / 8 % engines.len();
        let engine = &mut engines[number];
        let mut expected = wave.clone();
        let outcome = Interp::new(&program).run(&mut expected, engine.options().max_insts.unwrap_or(0));
        let compiled = engine.run(&program, &mut wave).outcome.expect("no failure of ours");
        assert_eq!(compiled, outcome);
        assert_eq!(wave.state, expected.state);
        assert_eq!(wave.executed, expected.executed);
        // Compiled code that stops for the budget does not report its last instruction.
        assert!(outcome == Outcome::Budget || wave.last_pc == expected.last_pc);
    });
}
