//! Runs a program on both engines and compares the final states.

use gcnsim::isa::{Arch, Program};
use gcnsim::{Engine, EngineError, EngineKind, RunOptions, Wave};

fn main() -> Result<(), EngineError> {
    // loop: s_add_u32 s1, s1, s0; s_sub_u32 s0, s0, 1; s_cmp_lg_u32 s0, 0; s_cbranch_scc1 loop; s_endpgm
    let words = [0x8001_0001, 0x8080_8100, 0xbf07_8000, 0xbf85_fffc, 0xbf81_0000];
    let program = Program::from_words(Arch::Gcn14, &words);
    let mut waves = Vec::new();
    for engine in [EngineKind::Interp, EngineKind::Jit, EngineKind::Check] {
        let mut wave = Wave::new(&program);
        wave.state.sgpr[0] = 1_000_000;
        let result = Engine::new(RunOptions::default().engine(engine)).run(&program, &mut wave);
        let (outcome, stats) = (result.outcome?, result.stats);
        println!(
            "{engine:?}: {} after {} instructions, {} regions",
            outcome.name(),
            wave.executed,
            stats.regions_entered
        );
        waves.push(wave);
    }
    for wave in &waves[1..] {
        assert_eq!((&wave.state, wave.executed), (&waves[0].state, waves[0].executed));
    }
    Ok(())
}
