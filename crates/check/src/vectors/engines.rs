//! The engines that conformance vectors run on.

use gcnsim_isa::{FetchError, Program, decode, decode_strict};
use gcnsim_machine::Context;

use crate::vectors::VectorEngine;
use gcnsim_engine::EngineError;
use gcnsim_interp::Interp;
use gcnsim_machine::Wave;
use gcnsim_machine::outcome::Outcome;

#[cfg(feature = "jit")]
pub use compiled::{compiled, compiled_with};

/// Returns the reference interpreter.
pub fn interpreter() -> Box<dyn VectorEngine> {
    Box::new(Interpreter)
}

struct Interpreter;

impl VectorEngine for Interpreter {
    fn name(&self) -> &'static str {
        "interp"
    }

    fn execute(
        &mut self,
        program: &Program,
        wave: &mut Wave,
        context: &mut Context,
        budget: u64,
    ) -> Result<Outcome, EngineError> {
        Ok(Interp::new(program).run_alone(wave, context, budget))
    }
}

/// Returns an engine that refuses instructions whose idle fields are not 0 ([`decode_strict`]). In a program it checks
/// all words before it executes the first.
pub fn strict(engine: Box<dyn VectorEngine>) -> Box<dyn VectorEngine> {
    Box::new(Strict(engine))
}

struct Strict(Box<dyn VectorEngine>);

impl VectorEngine for Strict {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn execute(
        &mut self,
        program: &Program,
        wave: &mut Wave,
        context: &mut Context,
        budget: u64,
    ) -> Result<Outcome, EngineError> {
        // A vector of one instruction has a budget of 1. The words after the instruction are not executed, so they are
        // not checked.
        match refused(program, budget == 1) {
            Some(outcome) => Ok(outcome),
            None => self.0.execute(program, wave, context, budget),
        }
    }
}

/// Returns the outcome of a strict reader at the first instruction whose idle fields are not 0. `None` if there is
/// none.
fn refused(program: &Program, first_only: bool) -> Option<Outcome> {
    let mut index = 0;
    while let Some(word) = program.word(index) {
        let inst = decode(program.arch(), word, program.word(index + 1));
        if inst.is_ok_and(|inst| inst.idle_reason().is_some()) {
            let error = decode_strict(program.arch(), word, program.word(index + 1)).err()?;
            let pc = program.entry() + 4 * index as u64;
            return Some(Outcome::from_fetch_error(FetchError::Decode(error), pc, None));
        }
        index += inst.map_or(1, |inst| inst.size() as usize / 4);
        if first_only {
            break;
        }
    }
    None
}

#[cfg(feature = "jit")]
mod compiled {
    use super::*;
    use gcnsim_engine::RunOptions;
    use gcnsim_engine::{enter_region, new_compiler};
    use gcnsim_jit::cache::{Lookup, RegionCache};
    use gcnsim_jit::{Compiler, EqualMaxima, ExitCode, Frame, RegionKey};
    use gcnsim_machine::outcome::Detail;

    /// Fuel in addition to the budget. Compiled code does not begin code for whose end it may have too little fuel.
    const SLACK: u64 = 1 << 20;

    /// Most regions that are compiled for a vector.
    const MAX_REGIONS: u32 = 64;

    /// Returns the engine of compiled code. A vector of one instruction is a region of one; programs have whole
    /// regions. Only what the JIT hands to the interpreter in every run is interpreted here, too.
    ///
    /// # Errors
    /// [`EngineError::Internal`] if the host has no code generator.
    pub fn compiled() -> Result<Box<dyn VectorEngine>, EngineError> {
        compiled_with(&RunOptions::default())
    }

    /// Returns the engine of compiled code with `options`: helpers, planted mistakes, the size of the regions of
    /// programs.
    ///
    /// # Errors
    /// As [`compiled`].
    pub fn compiled_with(options: &RunOptions) -> Result<Box<dyn VectorEngine>, EngineError> {
        let single = options.clone().region_max(1);
        let (single, whole) = (new_compiler(&single).map_err(internal)?, new_compiler(options).map_err(internal)?);
        Ok(Box::new(Compiled { single, whole, frame: Frame::default() }))
    }

    struct Compiled {
        single: Compiler,
        whole: Compiler,
        frame: Frame,
    }

    impl VectorEngine for Compiled {
        fn name(&self) -> &'static str {
            "jit"
        }

        fn execute(
            &mut self,
            program: &Program,
            wave: &mut Wave,
            context: &mut Context,
            budget: u64,
        ) -> Result<Outcome, EngineError> {
            let (compiler, slack) = if budget == 1 { (&mut self.single, 0) } else { (&mut self.whole, SLACK) };
            let mut cache = RegionCache::default();
            let mut regions = 0;
            let end = wave.executed.saturating_add(budget);
            while wave.executed < end {
                let (pc, mode) = (wave.state.pc, wave.state.mode);
                let lookup = match cache.get(&wave.state) {
                    Some(lookup) => lookup,
                    None if regions == MAX_REGIONS => {
                        return Ok(unsupported("it has more regions than a vector may have", wave));
                    }
                    None => {
                        regions += 1;
                        let key = RegionKey {
                            pc,
                            mode,
                            observed: &[],
                            maxima: EqualMaxima::of(&wave.state, 0),
                            predictable: &[],
                        };
                        cache.compile(compiler, program, &key).map_err(internal)?
                    }
                };
                let Lookup::Region { region, entry } = lookup else {
                    if !is_left_to_interpreter(program, pc) {
                        return Ok(not_compiled(program, wave));
                    }
                    match Interp::new(program).run_alone(wave, context, 1) {
                        Outcome::Budget => continue,
                        outcome => return Ok(outcome),
                    }
                };
                let region = cache.region(region);
                let fuel = end - wave.executed + slack;
                if region.entries()[entry].need > fuel {
                    return Err(internal("the region is longer than the vector"));
                }
                if region.reaches_memory() {
                    context.make_ready(program);
                }
                match enter_region(region, entry, wave, context, &mut self.frame, fuel).map_err(internal)? {
                    ExitCode::Ended => return Ok(Outcome::Ended),
                    ExitCode::Halted => return Ok(Outcome::Halted),
                    // Compiled code stops before an instruction that faults, and the interpreter names the fault.
                    ExitCode::Stopped => {
                        return Ok(match Interp::new(program).run_in(wave, context, 1) {
                            Outcome::Budget => unsupported("compiled code refuses an access that memory allows", wave),
                            outcome => outcome,
                        });
                    }
                    ExitCode::Fuel | ExitCode::Leave | ExitCode::LeaveComputed | ExitCode::Barrier => {}
                }
            }
            Ok(Outcome::Budget)
        }
    }

    /// Whether the JIT hands the instruction at `pc` to the interpreter by design.
    fn is_left_to_interpreter(program: &Program, pc: u64) -> bool {
        program.fetch(pc).is_ok_and(|inst| {
            inst.unsupported().is_none() && gcnsim_jit::support(inst.opcode) == gcnsim_jit::Support::None
        })
    }

    /// Returns the outcome of an instruction that compiled code leaves alone. The interpreter names faults, traps and
    /// unsupported instructions. Any other instruction should have been compiled.
    fn not_compiled(program: &Program, wave: &mut Wave) -> Outcome {
        match Interp::new(program).run(&mut wave.clone(), 1) {
            outcome @ (Outcome::Fault(_) | Outcome::Trap(_) | Outcome::Unsupported(_)) => outcome,
            Outcome::Ended | Outcome::Halted | Outcome::Barrier | Outcome::Budget => {
                unsupported("compiled code does not execute it", wave)
            }
        }
    }

    fn unsupported(kind: &'static str, wave: &Wave) -> Outcome {
        let pc = wave.state.pc;
        Outcome::Unsupported(Detail { kind, mnemonic: None, pc, word: None, from: wave.last_pc, memory: None })
    }

    fn internal(error: impl ToString) -> EngineError {
        EngineError::Internal(error.to_string())
    }
}
