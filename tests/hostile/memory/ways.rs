//! Runs a wave and its memory on every engine, with every setting of compiled code.

use std::sync::Arc;

use gcnsim::{Outcome, Wave};
use gcnsim_engine::{Engine, EngineKind, RunOptions};
use gcnsim_isa::{Arch, Notes, Program};
use gcnsim_jit::helpers::Level;
use gcnsim_machine::{Access, Apertures, Backing, Context, Mapping, MemoryFault};

/// Guest address of the data.
pub const BASE: u64 = 0x10000;
/// Number of bytes of data; they are 0, 1, 2, ...
pub const SIZE: usize = 256;
/// Guest address of a second mapping of the data, which is read-only.
pub const FIXED: u64 = 0x40000;
/// Size of LDS in bytes; all are 0xaa.
pub const LDS: usize = 512;
/// High dwords of FLAT addresses of LDS and of scratch.
pub const APERTURES: Apertures = Apertures { shared: 0x10000, private: 0x20000, hidden_private_base: BASE };
/// Number of bytes of host memory on each side of the data, which no access may touch.
const GUARD: usize = 1024;
/// Value of these bytes.
const UNTOUCHED: u8 = 0xee;

/// Result of a run.
#[derive(Clone)]
pub struct End {
    pub outcome: Outcome,
    pub wave: Wave,
    /// The data after the run.
    pub data: Vec<u8>,
    pub lds: Vec<u8>,
}

/// A dword of each lane.
pub type Lanes = [u32; 64];

/// Returns `value` for all lanes.
pub fn all(value: u32) -> Lanes {
    [value; 64]
}

/// Returns the dwords that `value` computes from the lane number.
pub fn lanes(value: impl Fn(u32) -> u32) -> Lanes {
    std::array::from_fn(|lane| value(lane as u32))
}

/// Returns the initial data.
pub fn data() -> Vec<u8> {
    (0..SIZE).map(|i| i as u8).collect()
}

/// Returns the dword at byte `at` of the initial data.
pub fn dword(at: usize) -> u32 {
    u32::from_le_bytes(std::array::from_fn(|k| (at + k) as u8))
}

/// Returns settings that compile at once: each level that the CPU has, with and without segments; regions of one
/// instruction; and checks.
fn settings() -> Vec<RunOptions> {
    let plain = RunOptions::default().engine(EngineKind::JitNoCheck).hot(0);
    let mut settings: Vec<RunOptions> = Vec::new();
    for level in Level::available() {
        settings.extend([true, false].map(|segments| {
            let mut options = plain.clone().level(level);
            options.segments = segments;
            options
        }));
    }
    settings.push(plain.clone().region_max(1));
    settings.push(plain.engine(EngineKind::Check));
    settings
}

/// The interpreter, and engines with all of the [`settings`].
pub struct Ways(Vec<Engine>);

impl Ways {
    pub fn new() -> Ways {
        let interp = RunOptions::default().engine(EngineKind::Interp);
        Ways([interp].into_iter().chain(settings()).map(Engine::new).collect())
    }

    /// Runs a wave on all engines. Their results must be the same. Returns the result. `init` sets registers.
    #[track_caller]
    pub fn run(&mut self, arch: Arch, words: &[u32], init: &dyn Fn(&mut Wave)) -> End {
        let program = Program::from_words(arch, &[words, &[0xbf81_0000]].concat());
        let mut ends = self.0.iter_mut().map(|engine| (run(engine, &program, init), engine.options().clone()));
        let (expected, _) = ends.next().expect("the interpreter");
        for (end, options) in ends {
            let way = || format!("{:?} {:?} segments {}", options.engine, options.level, options.segments);
            assert_eq!(end.outcome, expected.outcome, "{}", way());
            assert_eq!(end.wave.state, expected.wave.state, "{}", way());
            assert_eq!(end.wave.executed, expected.wave.executed, "{}", way());
            assert!(end.wave.vgprs == expected.wave.vgprs, "vector registers, {}", way());
            assert!(end.data == expected.data && end.lds == expected.lds, "memory, {}", way());
        }
        expected
    }
}

fn run(engine: &mut Engine, program: &Program, init: &dyn Fn(&mut Wave)) -> End {
    let mut wave = Wave::new(program);
    init(&mut wave);
    let backing = Backing::zeroed(SIZE + 2 * GUARD).expect("memory");
    backing.write(0, &[UNTOUCHED; SIZE + 2 * GUARD]);
    backing.write(GUARD, &data());
    let backing = Arc::new(backing);
    let mut context = Context::ready(LDS);
    context.lds.fill(0xaa);
    context.apertures = Some(APERTURES);
    for (base, name, writable) in [(BASE, "data", true), (FIXED, "fixed", false)] {
        let whole = Mapping { writable, ..Mapping::new(base, name, backing.clone()) };
        context.space.map(Mapping { len: SIZE as u64, offset: GUARD, ..whole });
    }
    let outcome = engine.run_alone(program, &mut wave, &mut context, Some(100)).outcome.expect("no failure of ours");
    let bytes = backing.to_vec();
    let (before, rest) = bytes.split_at(GUARD);
    let (data, behind) = rest.split_at(SIZE);
    assert!([before, behind].iter().all(|guard| guard.iter().all(|&byte| byte == UNTOUCHED)), "outside memory");
    End { outcome, wave, data: data.to_vec(), lds: context.lds.to_vec() }
}

impl End {
    /// Returns a vector register.
    pub fn vgpr(&self, n: u8) -> &Lanes {
        self.wave.vgprs.lanes(n)
    }

    /// Returns the notes of the wave.
    pub fn notes(&self) -> Notes {
        self.wave.state.notes
    }

    /// Checks that the program ended.
    #[track_caller]
    pub fn ended(&self) -> &End {
        assert_eq!(self.outcome, Outcome::Ended);
        self
    }

    /// Returns the memory fault that stopped the wave at its first instruction. Checks that nothing has changed.
    #[track_caller]
    pub fn fault(&self) -> MemoryFault {
        let Outcome::Fault(detail) = self.outcome else { panic!("{:?}", self.outcome) };
        assert_eq!((detail.pc, self.wave.executed), (0, 0), "the first instruction");
        assert!(self.data == data() && self.lds == [0xaa; LDS], "a refused instruction wrote");
        detail.memory.expect("a fault of memory")
    }

    /// Checks that a memory fault stopped the wave at its first instruction, and what the fault states.
    #[track_caller]
    pub fn faults_with(&self, access: Access, address: u64, bytes: u32, lane: Option<u8>) {
        assert_eq!(self.fault(), MemoryFault { access, address, bytes, lane });
    }
}
