//! Steps through a program, shows each instruction with its changes, and goes back to a snapshot.

use std::error::Error;

use gcnsim::isa::{Arch, Program};
use gcnsim::{Interp, Outcome, Wave};

fn main() -> Result<(), Box<dyn Error>> {
    // loop: s_add_u32 s1, s1, s0; s_sub_u32 s0, s0, 1; s_cmp_lg_u32 s0, 0; s_cbranch_scc1 loop; s_endpgm
    let words = [0x8001_0001, 0x8080_8100, 0xbf07_8000, 0xbf85_fffc, 0xbf81_0000];
    let program = Program::from_words(Arch::Gcn14, &words);
    let mut wave = Wave::new(&program);
    wave.state.sgpr[0] = 3;

    let mut interp = Interp::new(&program);
    let mut snapshot = wave.clone();
    loop {
        let (pc, before) = (wave.state.pc, wave.state.sgpr);
        let inst = program.fetch(pc)?;
        // With a budget of one instruction, Budget means that it completed and the wave can go on.
        let outcome = interp.run(&mut wave, 1);
        let changed = (0..).zip(before.iter().zip(&wave.state.sgpr)).filter(|(_, (old, new))| old != new);
        let changed: Vec<_> = changed.map(|(number, (_, new)): (usize, _)| format!("s{number}={new}")).collect();
        println!("{pc:#06x}  {:<24}  {}", inst.to_string(), changed.join(" "));
        if wave.executed == 5 {
            snapshot = wave.clone();
        }
        if outcome != Outcome::Budget {
            println!("{}: s1 = {}", outcome.name(), wave.state.sgpr[1]);
            break;
        }
    }
    // A clone of a wave is a complete snapshot.
    assert_eq!(interp.run(&mut snapshot, u64::MAX), Outcome::Ended);
    assert_eq!((&snapshot.state.sgpr, snapshot.executed), (&wave.state.sgpr, wave.executed));
    Ok(())
}
