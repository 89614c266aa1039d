//! Any bytes as a program in any state, with a budget, on both engines: same state, count, notes and outcome.
#![no_main]

use std::cell::RefCell;
use std::sync::Arc;

use gcnsim::engine::{Engine, EngineKind, RunOptions};
use gcnsim::isa::{Arch, Program};
use gcnsim::Wave;
use gcnsim::interp::Interp;
use libfuzzer_sys::fuzz_target;

const BUDGET: u64 = 300;

thread_local! {
    // One engine for each cap on regions; they keep their compilers.
    static ENGINES: RefCell<Vec<Engine>> = RefCell::new([1u32, 3, 1000].map(|region_max| Engine::new(RunOptions {
        engine: EngineKind::JitNoCheck,
        hot: 0,
        region_max,
        max_insts: Some(BUDGET),
        ..RunOptions::default()
    })).into());
}

fuzz_target!(|data: &[u8]| {
    // Generation and cap, where the program lies and starts, MODE, some registers; then the code.
    let Some((head, code)) = data.split_first_chunk::<24>() else { return };
    if code.len() > 1024 {
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
    for (n, bytes) in head[8..].chunks(4).enumerate() {
        let value = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        wave.state.sgpr[n] = value;
        wave.state.sgpr[124 + n] = value.rotate_left(n as u32);
        wave.state.set_pair(16 + 2 * n as u8, base.wrapping_add(value as u64 % 64));
    }
    let mut expected = wave.clone();
    let outcome = Interp::new(&program).run(&mut expected, BUDGET);
    ENGINES.with_borrow_mut(|engines| {
        let compiled = engines[head[0] as usize / 8 % 3].run(&program, &mut wave).outcome.expect("no failure of ours");
        assert_eq!(compiled, outcome);
        assert_eq!(wave.state, expected.state);
        assert_eq!(wave.executed, expected.executed);
    });
});
