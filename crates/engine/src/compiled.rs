//! The compiler that options ask for, and one entry of compiled code.

use gcnsim_jit::helpers::Level;
use gcnsim_jit::{CompileOptions, Compiler, ExitCode, Frame, JitError, MANY_WAVES, Region};
use gcnsim_machine::{Context, Wave};

use crate::RunOptions;

/// The compiler that the options ask for.
pub fn new_compiler(options: &RunOptions) -> Result<Compiler, JitError> {
    Compiler::new(compile_options(options))
}

/// The settings of the compiler that the options ask for. Those that compile the same code are equal.
pub fn compile_options(options: &RunOptions) -> CompileOptions {
    CompileOptions {
        region_max: options.region_max as usize,
        count_classes: options.count_classes,
        level: options.level.unwrap_or_else(Level::best),
        plant: options.plant,
        segments: options.segments,
        waves: if options.is_for_many() { MANY_WAVES } else { 1 },
        ..CompileOptions::default()
    }
}

/// Runs compiled code and brings the wave's counters up to date.
///
/// # Errors
/// That of [`Region::run`].
#[inline]
pub fn enter_region(
    region: &Region,
    entry: usize,
    wave: &mut Wave,
    context: &mut Context,
    frame: &mut Frame,
    fuel: u64,
) -> Result<ExitCode, JitError> {
    frame.fuel = fuel;
    frame.clock_end = wave.executed.saturating_add(fuel);
    let exit = region.run(entry, &mut wave.state, &mut wave.vgprs, &mut wave.observed, context, frame)?;
    let executed = fuel - frame.fuel;
    wave.executed += executed;
    if executed != 0 && exit != ExitCode::Fuel {
        wave.last_pc = Some(frame.last_pc);
    }
    region.count_classes(&mut wave.classes, frame, executed);
    Ok(exit)
}
