//! Goes back to a moment with all memory, and on from there. `cargo run --example snapshot`.

use std::error::Error;
use std::sync::Arc;

use gcnsim::isa::{Arch, Program};
use gcnsim::machine::{Backing, Context, Mapping};
use gcnsim::{Engine, Outcome, RunOptions, Wave};

fn main() -> Result<(), Box<dyn Error>> {
    #[rustfmt::skip]
    let words = [
        0xbe80_00ff, 0x0001_0000, 0xbe81_0080, // s_mov_b32 s0, 0x10000; s_mov_b32 s1, 0
        0x8002_8102, 0xc042_0080, 0x0000_0000, // loop: s_add_u32 s2, s2, 1; s_store_dword s2, s[0:1], 0x0
        0xbf07_6402, 0xbf85_fffb, 0xbf81_0000, // s_cmp_lg_u32 s2, s100; s_cbranch_scc1 loop; s_endpgm
    ];
    let program = Program::from_words(Arch::Gcn14, &words);
    let mut wave = Wave::new(&program);
    wave.state.sgpr[100] = 1000;

    // Eight bytes at 0x10000.
    let memory = Arc::new(Backing::zeroed(8).ok_or("no memory")?);
    let mut context = Context::ready(0);
    context.space.map(Mapping::new(0x1_0000, "counter", memory.clone()));
    let counter = || u32::from_le_bytes(memory.read(0));

    let mut engine = Engine::new(RunOptions::default());
    // Budgets are exact: two instructions, and 100 rounds of four.
    assert_eq!(engine.run_alone(&program, &mut wave, &mut context, Some(402)).outcome?, Outcome::Budget);
    // A wave and what its context holds are all that a run changes.
    let (wave_then, then) = (wave.clone(), context.snapshot());
    println!("snapshot at {}", counter());
    assert_eq!(counter(), 100);

    for limit in [1000, 200] {
        wave = wave_then.clone();
        context.restore(&then);
        assert_eq!(counter(), 100);
        wave.state.sgpr[100] = limit;
        assert_eq!(engine.run_alone(&program, &mut wave, &mut context, None).outcome?, Outcome::Ended);
        println!("on to {}", counter());
        assert_eq!(counter(), limit);
    }
    Ok(())
}
