//! The composition of a program. It is drawn once per program, so that programs differ in kind.

use gcnsim_isa::Arch;

use super::memory::{self, MemoryStyle};
use gcnsim_random::Rng;

/// First of the TTMP registers that every generation has and that random operands do not name: 116..=123.
const RESERVED_TTMP: u32 = 116;

/// First of the SGPRs with addresses and descriptors, in programs with memory.
const FIRST_ADDRESS: u32 = 44;

/// Registers and proportions of a program.
#[derive(Clone, Debug)]
pub struct Style {
    /// Whether the program does only what real programs do: operands in range and aligned, loops that end, EXEC
    /// restored.
    pub tame: bool,
    /// Approximate number of instructions of the main program.
    pub size: u32,
    /// First register of the pool, the scalar registers that operands name.
    pub pool_first: u32,
    /// Number of registers of the pool, at least 2.
    pub pool_count: u32,
    /// Registers that count nested loops.
    pub counters: [u32; 4],
    /// Pairs that hold the return addresses of nested calls.
    pub returns: [u32; 2],
    /// First of the pairs that hold EXEC around nested EXEC-mask flow; `None` means any pair of the pool.
    pub saves: Option<u32>,
    /// The vector registers that operands name: the first, and their number.
    pub vgprs: (u32, u32),
    /// Weights among straight-line instructions: SOP1, SOP2, SOPC, SOPK, SOPP, VOPC, [`super::vector_rows`], and
    /// [`super::memory_rows`].
    pub encodings: [u32; 8],
    /// The memory of the program, if it has any.
    pub memory: Option<MemoryStyle>,
    /// Percentage of compares in VOP3 form.
    pub vop3: u32,
    /// Percentage of special registers among register operands (VCC, M0, EXEC, TTMP...).
    pub special: u32,
    /// Percentage of constants among sources.
    pub constants: u32,
    /// Percentage of recently written registers among register operands.
    pub recent: u32,
    /// Percentage of odd pairs among register pairs.
    pub odd: u32,
    /// Weight of straight-line instructions.
    pub straight: u32,
    /// Weight of long runs of vector instructions.
    pub runs: u32,
    /// Weight of idioms: carry chains, min/max, moves to EXEC and M0.
    pub idioms: u32,
    /// Weight of forward branches over items.
    pub branches: u32,
    /// Weight of counted loops.
    pub loops: u32,
    /// Most iterations of a loop.
    pub iterations: u32,
    /// Most iterations of nested loops together.
    pub repeats: u32,
    /// Weight of EXEC-mask flow: compare, save EXEC, skip.
    pub exec_flow: u32,
    /// Weight of calls.
    pub calls: u32,
    /// Weight of fork and join.
    pub forks: u32,
    /// Weight of computed jumps.
    pub jumps: u32,
    /// Percentage of items that a barrier follows. Only kernels have any.
    pub barriers: u32,
}

impl Style {
    /// Index of the vector ALU in [`Style::encodings`].
    pub const VECTOR: usize = 6;
    /// Index of memory instructions in [`Style::encodings`].
    pub const MEMORY: usize = 7;

    /// Returns a random style.
    pub fn random(rng: &mut Rng, arch: Arch) -> Style {
        let size = match rng.below(100) {
            0..50 => rng.between(2, 16),
            50..85 => rng.between(16, 50),
            85..98 => rng.between(50, 150),
            98 => rng.between(150, 400),
            _ if rng.one_in(6) => rng.between(400, 2000),
            _ => rng.between(2, 50),
        };
        let sgprs = arch.sgpr_count();
        let mut pool_count = rng.pick(&[2, 3, 4, 4, 6, 8, 8, 12, 16, 24, 40, 64, 100]);
        // Counters and return addresses are in TTMP registers, or in SGPRs above the pool.
        let in_sgprs = rng.percent(50);
        let reserved = if in_sgprs { sgprs - 8 } else { RESERVED_TTMP };
        pool_count = pool_count.min(if in_sgprs { sgprs - 8 } else { sgprs });
        let room = if in_sgprs { sgprs - 8 } else { sgprs } - pool_count;
        let pool_first = if rng.percent(60) { 0 } else { rng.below(room + 1) };
        let has_runs = rng.one_in(12);
        let vgpr_count = if has_runs { rng.between(40, 64) } else { rng.pick(&[1, 2, 4, 8, 30]) };
        let mut weight = |percent: u32, most: u32| if rng.percent(percent) { rng.between(1, most) } else { 0 };
        Style {
            tame: false,
            size,
            pool_first,
            pool_count,
            counters: [reserved, reserved + 1, reserved + 2, reserved + 3],
            returns: [reserved + 4, reserved + 6],
            saves: None,
            encodings: [
                weight(85, 30),
                weight(90, 40),
                weight(60, 10),
                weight(60, 12),
                weight(30, 4),
                weight(70, 20),
                weight(75, 100),
                0,
            ],
            memory: None,
            vop3: weight(80, 80),
            special: weight(70, 25),
            constants: weight(90, 50),
            recent: weight(70, 40),
            odd: weight(40, 30),
            straight: 60,
            runs: if has_runs { 12 } else { 0 },
            idioms: weight(60, 20),
            branches: weight(60, 20),
            loops: weight(60, 12),
            exec_flow: weight(50, 15),
            calls: weight(35, 8),
            forks: weight(25, 8),
            jumps: weight(25, 6),
            barriers: 0,
            vgprs: (
                if rng.percent(70) { rng.below((256 - vgpr_count).min(240)) & !1 } else { 256 - vgpr_count },
                vgpr_count,
            ),
            iterations: rng.pick(&[1, 3, 10, 40]),
            repeats: rng.pick(&[4, 30, 200]),
        }
        .lengthened(rng)
    }

    /// Returns the style with memory instructions. Registers with addresses and descriptors lie outside the pools, so
    /// that they keep their values for a while.
    pub fn with_memory(mut self, rng: &mut Rng, arch: Arch) -> Style {
        self.pool_first = 0;
        self.pool_count = self.pool_count.min(FIRST_ADDRESS);
        let (first, count) = self.vgprs;
        let vgprs = if first >= memory::VGPRS { first - memory::VGPRS } else { first + count + 4 };
        self.memory = Some(MemoryStyle::random(rng, arch, FIRST_ADDRESS, vgprs));
        self.encodings[Style::MEMORY] = rng.between(5, 120);
        self
    }

    /// Makes the loops of some styles so long that they get hot by default, and use up what one entry of compiled code
    /// may count.
    fn lengthened(mut self, rng: &mut Rng) -> Style {
        if rng.one_in(150) && self.size < 50 {
            (self.iterations, self.repeats, self.loops) = (20_000, 20_000, 10);
        }
        self
    }

    /// Returns the style of programs for corpora, as compilers and people write them. It has only scalar instructions
    /// and compares; see [`Style::with_vectors`].
    pub fn tame(rng: &mut Rng) -> Style {
        Style {
            tame: true,
            size: match rng.below(10) {
                0..6 => rng.between(30, 80),
                6..9 => rng.between(80, 160),
                _ => rng.between(160, 270),
            },
            pool_first: 0,
            pool_count: rng.pick(&[12, 16, 24, 32, 48, 64]),
            counters: [90, 91, 92, 93],
            returns: [94, 96],
            saves: Some(68),
            vgprs: (0, rng.pick(&[2, 4, 8, 16])),
            encodings: [18, 45, 10, 8, 2, 12, 0, 0],
            memory: None,
            vop3: 40,
            special: 4,
            constants: 30,
            recent: 40,
            odd: 0,
            straight: 72,
            runs: 0,
            idioms: 6,
            branches: 8,
            loops: 3,
            iterations: 8,
            repeats: 32,
            exec_flow: 6,
            calls: if rng.percent(20) { 2 } else { 0 },
            forks: 0,
            jumps: 0,
            barriers: 0,
        }
    }

    /// Returns the style with vector ALU instructions: half of all instructions that are neither flow nor idiom.
    pub fn with_vectors(mut self) -> Style {
        self.encodings[Style::VECTOR] = self.encodings.iter().sum();
        self
    }
}
