//! Memory of one's own: a peripheral that answers where nothing is mapped. `cargo run --example peripheral`.

use std::error::Error;
use std::sync::{Arc, Mutex};

use gcnsim::isa::{Arch, Program};
use gcnsim::machine::{Access, Context, Peripheral};
use gcnsim::{Engine, EngineKind, Outcome, RunOptions, Wave};

/// Two registers: each load of the first one counts down, and the second one takes stores.
#[derive(Default)]
struct Counter {
    left: u32,
    stored: Vec<u32>,
}

const COUNTER: u64 = 0xf000_0000;

impl Peripheral for Counter {
    fn allows(&self, address: u64, bytes: u32, access: Access) -> bool {
        bytes == 4 && matches!((address - COUNTER, access), (0, Access::Load) | (4, Access::Store))
    }

    fn load(&mut self, _address: u64, bytes: &mut [u8]) {
        bytes.copy_from_slice(&self.left.to_le_bytes());
        self.left = self.left.saturating_sub(1);
    }

    fn store(&mut self, _address: u64, bytes: &[u8]) {
        self.stored.extend(bytes.as_chunks().0.iter().map(|dword| u32::from_le_bytes(*dword)));
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    #[rustfmt::skip]
    let words = [
        0xbe80_00ff, 0xf000_0000, 0xbe81_0080,          // s_mov_b32 s0, 0xf0000000; s_mov_b32 s1, 0
        0xc002_0080, 0x0000_0000, 0xbf8c_0000,          // loop: s_load_dword s2, s[0:1], 0x0; s_waitcnt 0
        0x8003_0203, 0xc042_00c0, 0x0000_0004,          // s_add_u32 s3, s3, s2; s_store_dword s3, s[0:1], 0x4
        0xbf07_8002, 0xbf85_fff8, 0xbf81_0000,          // s_cmp_lg_u32 s2, 0; s_cbranch_scc1 loop; s_endpgm
    ];
    let program = Program::from_words(Arch::Gcn14, &words);
    // On every engine the device sees the same accesses, each once: checks do not repeat them.
    for engine in [EngineKind::Interp, EngineKind::Jit, EngineKind::Check] {
        let counter = Arc::new(Mutex::new(Counter { left: 3, ..Counter::default() }));
        let mut context = Context::ready(0);
        context.peripheral = Some(counter.clone().into());
        let mut wave = Wave::new(&program);
        let options = RunOptions::default().engine(engine).hot(0);
        let result = Engine::new(options).run_alone(&program, &mut wave, &mut context, Some(1000));
        assert_eq!(result.outcome?, Outcome::Ended);
        let stored = counter.lock().map_err(|_| "a panic")?.stored.clone();
        println!("{engine:?}: the device was told {stored:?}");
        assert_eq!(stored, [3, 5, 6, 6]);
    }
    Ok(())
}
