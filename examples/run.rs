//! Loads a shader, runs it and says how it ended: `cargo run --example run -- FILE`.

use std::error::Error;
use std::path::PathBuf;

use gcnsim::isa::Arch;
use gcnsim::state::state_hash;
use gcnsim::{Engine, RunOptions, Wave, loader};

fn main() -> Result<(), Box<dyn Error>> {
    let own = || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/corpus/bench.bin"));
    let path = std::env::args_os().nth(1).map_or_else(own, PathBuf::from);
    let loaded = loader::load(&path)?;
    let entry = loaded.entries.first().ok_or("the file has no kernel")?;
    // GCN 1.4 is for raw files, which do not state their generation.
    let program = entry.program(Arch::Gcn14);
    let mut wave = Wave::new(&program);
    let vgprs = wave.vgprs.clone();

    let options = RunOptions::default().max_insts(10_000_000);
    let result = Engine::new(options).run(&program, &mut wave);
    // An error is a failure of the simulator. What the guest did is an outcome.
    let outcome = result.outcome?;
    println!("{} after {} instructions, pc {:#x}", outcome.name(), wave.executed, wave.state.pc);
    if let Some(detail) = outcome.detail() {
        println!("{} at {:#x}", detail.mnemonic.unwrap_or(detail.kind), detail.pc);
    }
    println!("state {:016x}", state_hash(&wave, &vgprs));
    Ok(())
}
