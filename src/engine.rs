//! Running a program on an engine.
//!
//! Minimal for now: every kind of engine is the reference interpreter.

use std::time::Instant;

use gcnsim_isa::{InstDesc, Opcode, Program};

use crate::interp::Interp;
use crate::outcome::Outcome;
use crate::wave::Wave;

/// Which engine runs a program, and how it is checked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EngineKind {
    /// The reference interpreter only.
    Interp,
    /// Tiered; the first 64 entries of every region are checked against the interpreter.
    Jit,
    /// Tiered, unchecked.
    JitNoCheck,
    /// Tiered; every slice is checked.
    Check,
}

impl EngineKind {
    /// Name in results: `interp`, `jit`, `check`.
    pub const fn name(self) -> &'static str {
        match self {
            EngineKind::Interp => "interp",
            EngineKind::Jit | EngineKind::JitNoCheck => "jit",
            EngineKind::Check => "check",
        }
    }

    /// Does it compile code? Then it needs the feature `jit`.
    pub const fn compiles(self) -> bool {
        !matches!(self, EngineKind::Interp)
    }
}

/// How to run.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// The engine.
    pub engine: EngineKind,
    /// Stop after this many instructions from here on.
    pub max_insts: Option<u64>,
    /// Compile a region when it was entered this often; 0: at once.
    pub hot: u32,
    /// Most instructions of a region.
    pub region_max: u32,
    /// Keep [`Wave::classes`] up to date.
    pub count_classes: bool,
}

impl Default for RunOptions {
    fn default() -> RunOptions {
        RunOptions {
            engine: if cfg!(feature = "jit") { EngineKind::Jit } else { EngineKind::Interp },
            max_insts: None,
            hot: 4000,
            region_max: 1000,
            count_classes: false,
        }
    }
}

/// What a run did besides executing.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct RunStats {
    /// Compiled regions entered at least once.
    pub regions_entered: u64,
    /// Regions compiled.
    pub regions_compiled: u64,
    /// Nanoseconds of compiling.
    pub compile_ns: u64,
    /// Nanoseconds of checking.
    pub check_ns: u64,
    /// Nanoseconds of execution: no compiling, no checking.
    pub run_ns: u64,
    /// Slices checked.
    pub checks: u64,
}

/// A mistake of ours: never an outcome of a program.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum EngineError {
    /// The engines disagree; the text is the whole report.
    #[error("{0}")]
    Divergence(String),
    /// An engine failed.
    #[error("internal error: {0}")]
    Internal(String),
}

impl EngineError {
    /// Name in results: `divergence` or `internal-error`.
    pub const fn name(&self) -> &'static str {
        match self {
            EngineError::Divergence(_) => "divergence",
            EngineError::Internal(_) => "internal-error",
        }
    }
}

/// How a run ended and what it did.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RunResult {
    /// How the program ended, or what went wrong with us.
    pub outcome: Result<Outcome, EngineError>,
    /// What it took.
    pub stats: RunStats,
}

/// Runs a wave from its present state.
pub fn run(program: &Program, wave: &mut Wave, options: &RunOptions) -> RunResult {
    let mut interp = Interp::new(program);
    interp.count_classes(options.count_classes);
    let start = Instant::now();
    let outcome = interp.run(wave, options.max_insts.unwrap_or(u64::MAX));
    let stats = RunStats { run_ns: start.elapsed().as_nanos() as u64, ..RunStats::default() };
    RunResult { outcome: Ok(outcome), stats }
}

/// Runs up to `max_insts` instructions in compiled code only, regions of one instruction for `max_insts` = 1: what
/// conformance vectors run on.
///
/// # Errors
/// [`EngineError::Internal`] if it cannot be compiled.
pub fn run_compiled(program: &Program, wave: &mut Wave, max_insts: u64) -> Result<Outcome, EngineError> {
    // To be replaced by the JIT: until then the interpreter stands in.
    Ok(Interp::new(program).run(wave, max_insts))
}

/// How compiled code executes an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum JitSupport {
    /// Not at all.
    None,
    /// By a call to a helper.
    Call,
    /// By host instructions of its own.
    Inline,
}

/// How compiled code executes an instruction.
pub fn jit_support(_desc: &InstDesc) -> JitSupport {
    // To be asked of the JIT.
    JitSupport::None
}

/// Does the interpreter execute an instruction?
pub fn interp_support(desc: &InstDesc) -> bool {
    !desc.unknown
        && match desc.opcode {
            Opcode::Sop1(_) | Opcode::Sop2(_) | Opcode::Sopc(_) | Opcode::Sopk(_) | Opcode::Sopp(_) => true,
            Opcode::Vopc(_) => true,
        }
}
