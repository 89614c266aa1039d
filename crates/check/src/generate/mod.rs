//! Makes random programs from seeds. Instructions are drawn from the instruction table.
//!
//! [`Case::random`] makes the cases of the differential fuzzer: a program of any shape (loops, branches, calls, forks,
//! jumps into literals, nonsense) with a random initial state. [`corpus::program`] makes well-behaved programs for
//! shader corpora. Both use the same generator ([`Generator`]) with another [`Style`]. A style is drawn per program and
//! leaves features out on purpose: programs that do a few things often find more than programs that do everything once.
//!
//! The generator reads operand types, flow and generations from the row of an instruction. Programs end because loops
//! count in registers that nothing else names. If nonsense breaks that, the budget of a run ends the program.

pub mod asm;
mod calls;
pub mod corpus;
mod flow;
mod forks;
pub mod kernel;
pub mod memory;
mod operands;
mod pixel;
mod rows;
mod runs;
mod straight;
mod style;
pub mod values;
mod vector;

use std::sync::Arc;

use gcnsim_isa::encode::Builder;
use gcnsim_isa::table::Sopp;
use gcnsim_isa::{Arch, Flow, Opcode, Program, WaveState, reg};
use gcnsim_machine::Context;

use asm::{Assembler, Label};
use gcnsim_engine::state_file::StateSpec;
use gcnsim_machine::VgprFile;
use gcnsim_machine::Wave;
use gcnsim_random::Rng;
use kernel::Launch;
pub use rows::{Row, core_entries, memory_rows, rows, vector_rows};
pub use style::Style;

/// A program and its initial state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Case {
    /// Generation of the code.
    pub arch: Arch,
    /// The code.
    pub words: Vec<u32>,
    /// Address of the first dword.
    pub base: u64,
    /// Index of the dword at which the program starts.
    pub entry: usize,
    /// Scalar state at the start. Its PC is the address of the entry.
    pub state: WaveState,
    /// Vector registers at the start.
    pub vgprs: VgprFile,
    /// Memory, LDS and GDS at the start. Programs without memory instructions have none.
    pub outside: StateSpec,
    /// The grid and memory of a dispatch, if the case is one. Its waves begin as those of a kernel, not in `state`.
    pub launch: Option<Launch>,
}

impl Case {
    /// Returns the case `number`. Consecutive numbers go through all generations (unless `arch` is one) and all rows
    /// ([`rows`]). Each case almost certainly executes its row.
    pub fn random(number: u64, arch: Option<Arch>) -> Case {
        let (arch, turn) = match arch {
            Some(arch) => (arch, number),
            None => {
                let count = Arch::GENERATIONS.len() as u64;
                (Arch::GENERATIONS[(number % count) as usize], number / count)
            }
        };
        let rows = &rows()[arch as usize];
        // Because of the stride, scalar, compare and vector rows take turns.
        let count = rows.len() as u64;
        let featured = rows[(turn % count * STRIDE % count) as usize];
        let mut rng = Rng::new(number);
        if rng.one_in(DISPATCHES) {
            return Case::dispatch(rng, arch, featured);
        }
        let mut style = Style::random(&mut rng, arch);
        if featured.is_memory() || rng.percent(30) {
            style = style.with_memory(&mut rng, arch);
        }
        let mut generator = Generator::new(arch, rng, style);
        let (mut words, entry) = generator.program(featured);
        let Generator { mut rng, style, .. } = generator;
        mutate(&mut words, &mut rng);
        let base = match rng.below(16) {
            0 => rng.pick(&[0x1000, 0x8000_0000, 0xffff_fff0, 0x1_0000_0000, 0x7fff_ffff_f000, 0xffff_ffff_0000]),
            1 => rng.bits64() & 0xffff_ffff_fffc,
            _ => 0,
        };
        let pc = base + 4 * entry as u64;
        let vgprs = values::vgprs(&mut rng);
        let mut wave = Wave { vgprs, ..Wave::from_state(initial_state(&mut rng, arch, pc)) };
        let mut outside = StateSpec::default();
        if let Some(memory) = style.memory {
            outside = memory.contents(&mut rng, arch);
            memory.fill(&mut rng, arch, &mut wave);
        }
        Case { arch, words, base, entry, state: wave.state, vgprs: wave.vgprs.into_shared(), outside, launch: None }
    }

    /// Returns memory, LDS and GDS as they are at the start.
    pub fn context(&self) -> Context {
        // A default context has no memory; a run allocates LDS or GDS when it first needs it.
        if self.outside == StateSpec::default() { Context::default() } else { self.outside.context(&self.program()) }
    }

    /// Returns the program, ready to run.
    pub fn program(&self) -> Program {
        let bytes: Vec<u8> = self.words.iter().flat_map(|word| word.to_le_bytes()).collect();
        Program::new(self.arch, Arc::new(bytes), self.base, 4 * self.entry as u64)
    }

    /// Returns a wave in the initial state.
    pub fn wave(&self) -> Wave {
        Wave { vgprs: self.vgprs.clone(), ..Wave::from_state(self.state.clone()) }
    }
}

/// One case in this many is a dispatch, on average.
const DISPATCHES: u32 = 8;

/// A prime larger than the number of rows of any generation, so that its multiples reach all rows.
const STRIDE: u64 = 7919;

fn initial_state(rng: &mut Rng, arch: Arch, pc: u64) -> WaveState {
    let mut state = WaveState::initial(arch, pc);
    if rng.percent(90) {
        for (code, value) in state.sgpr.iter_mut().enumerate() {
            let exists = gcnsim_isa::operand::is_register(arch, code as u32);
            *value = if exists { values::edge32(rng) } else { 0 };
        }
    }
    state.set_exec(values::mask64(rng));
    state.set_vcc(values::mask64(rng));
    if rng.percent(50) {
        // M0 becomes a number that can index registers.
        state.sgpr[reg::M0 as usize] = rng.below(16) | rng.pick(&[0, 0x1000, 0x2000, 0x3000]);
    }
    state.scc = rng.below(2);
    match rng.below(8) {
        0 => state.mode = rng.bits(),
        1 => state.mode ^= 1 << rng.between(24, 31),
        2..=4 => state.mode = state.mode & !0xff | rng.below(256),
        // Ten bits of MODE are random: DX10_CLAMP and IEEE are among them.
        5 => state.mode = state.mode & !0x3ff | rng.below(1024),
        _ => {}
    }
    if rng.percent(20) {
        state.trapsts = rng.bits();
    }
    state
}

/// Leading bits of random dwords: the scalar encodings, VOP1, VOP2, VOPC, VOP3, SMEM, DS, MUBUF.
const NOISE: [u32; 10] = [
    0x8000_0000,
    0xbe80_0000,
    0xb000_0000,
    0x7c00_0000,
    0x7e00_0000,
    0,
    0xd000_0000,
    0xc000_0000,
    0xd800_0000,
    0xe000_0000,
];

/// Breaks some programs: flips bits, cuts the program off, or replaces a part by random dwords.
fn mutate(words: &mut Vec<u32>, rng: &mut Rng) {
    match rng.below(40) {
        0 => {
            for _ in 0..rng.between(1, 3) {
                let at = rng.below(words.len() as u32) as usize;
                words[at] ^= 1 << rng.below(32);
            }
        }
        1 if rng.one_in(4) => words.truncate(1 + rng.below(words.len() as u32) as usize),
        2 if rng.one_in(4) => {
            for word in words {
                let head = rng.pick(&NOISE);
                *word = rng.bits() >> rng.between(1, 8) | head;
            }
        }
        _ => {}
    }
}

/// Writes one program.
#[derive(Debug)]
pub struct Generator {
    asm: Assembler,
    rng: Rng,
    style: Style,
    /// Destinations that were written recently, to be used again.
    recent: [u32; 4],
    /// Number of loops around the current position.
    loops: usize,
    /// Largest number of times that the current position is executed, by the loops around it.
    repeats: u32,
    /// Number of forks around the current position.
    forks: u32,
    /// Depth of EXEC-mask flow around the current position.
    masks: u32,
    /// Number of constructs of any kind around the current position.
    depth: u32,
    /// Subroutines: the label, and the register pair that holds the return address.
    routines: Vec<(Label, u32)>,
    /// Number of subroutines that have been written.
    written: usize,
    /// Number of calls around the current position.
    calls: usize,
    /// Number of instructions from which on no constructs begin, and open ones get at most one more item.
    limit: usize,
}

/// Deepest nesting of constructs.
const MAX_DEPTH: u32 = 6;

impl Generator {
    /// Makes a generator of one program.
    pub fn new(arch: Arch, rng: Rng, style: Style) -> Generator {
        Generator {
            asm: Assembler::new(arch),
            rng,
            style,
            recent: [reg::VCC_LO as u32; 4],
            loops: 0,
            repeats: 1,
            forks: 0,
            masks: 0,
            depth: 0,
            routines: Vec::new(),
            written: 0,
            calls: 0,
            limit: usize::MAX,
        }
    }

    /// Returns the words of a program that executes `featured` early, and the index of the dword at which it starts.
    fn program(&mut self, featured: Row) -> (Vec<u32>, usize) {
        // Some programs have a subroutine before the entry, so that calls of it go backwards.
        let front = self.style.calls > 0 && self.rng.one_in(8);
        if front {
            let label = self.asm.label();
            self.routine_call_target(label);
            self.write_routines();
        }
        let entry = self.asm.here();
        let size = self.style.size as usize + self.asm.instructions();
        self.limit = size + size / 2;
        let ending = is_ending(&featured);
        if !ending {
            self.feature(featured);
        }
        while self.asm.instructions() < size {
            self.item();
        }
        if ending {
            self.feature(featured);
        }
        self.ending();
        self.write_routines();
        (self.take().finish(), entry)
    }

    /// Writes the instruction of a row, inside a construct if it needs one.
    fn feature(&mut self, row: Row) {
        let opcode = row.desc.opcode;
        match row.desc.flow {
            Flow::Next if row.is_core() => self.row(row),
            Flow::Next if row.is_memory() => self.memory_row(row),
            Flow::Next => self.vector_row(row),
            Flow::Branch | Flow::CondBranch => self.skip_with(opcode),
            Flow::Call | Flow::SwapPc => self.call_with(opcode),
            Flow::Indirect => self.jump_with(opcode),
            Flow::Fork => self.fork_with(opcode),
            Flow::Join => self.fork(),
            // After S_TRAP 3 the wave goes on.
            Flow::Trap if self.rng.percent(50) => {
                let simm16 = self.rng.below(256) << 8 | 3;
                self.emit(Builder::new(self.arch(), opcode).simm16(simm16 as u16));
            }
            Flow::End | Flow::Halt | Flow::Trap => self.end_with(opcode),
        }
    }

    /// Writes what follows the last instruction of the main program, which is mostly its end.
    fn ending(&mut self) {
        if self.style.tame || self.rng.percent(92) {
            return self.end_with(Opcode::Sopp(Sopp::SEndpgm));
        }
        match self.rng.below(5) {
            0 => {
                let ends: Vec<_> = rows()[self.arch() as usize].iter().filter(|row| is_ending(row)).collect();
                let row = *self.rng.pick(&ends);
                self.feature(row);
            }
            // The dword is the first one of a memory instruction, or no instruction at all.
            1 => self.asm.word(self.rng.pick(&[0xd800_0000, 0xc000_0000, 0xbfff_0000, 0xbeff_ff00])),
            2 => self.wild_jump(),
            3 => self.loop_forever(),
            _ => {}
        }
    }

    fn end_with(&mut self, opcode: Opcode) {
        let simm16 = if matches!(opcode, Opcode::Sopp(Sopp::SSethalt)) { 1 } else { 0 };
        self.emit(Builder::new(self.arch(), opcode).simm16(simm16));
    }

    fn take(&mut self) -> Assembler {
        let arch = self.arch();
        std::mem::replace(&mut self.asm, Assembler::new(arch))
    }

    fn arch(&self) -> Arch {
        self.asm.arch()
    }

    fn emit(&mut self, builder: Builder) -> bool {
        self.asm.emit(builder)
    }

    fn new_inst(&self, opcode: impl Into<Opcode>) -> Builder {
        Builder::new(self.arch(), opcode.into())
    }
}

/// Whether a program stops at the instruction.
fn is_ending(row: &Row) -> bool {
    row.desc.unknown || matches!(row.desc.flow, Flow::End | Flow::Halt | Flow::Trap)
}
