//! Decides when code of a dispatch is compiled, and how much of it at once.

use gcnsim_engine::{DEFAULT_HOT, DEFAULT_REGION_MAX, EngineKind, RunOptions};

/// Time that the interpreter takes for a vector instruction, relative to a scalar one.
const VECTOR_COST: u32 = 16;

/// Fewest waves of a large dispatch, in which many waves reach the same code.
const MANY_WAVES: u64 = 64;

/// Factor by which code becomes hot sooner in a large dispatch.
const MANY_WAVES_COST: u32 = 8;

/// Most instructions of a region in a large dispatch, if options have the default. Regions are large because each wave
/// leaves a region at its end and enters the next one, which has to become hot, too.
const MANY_WAVES_REGION_MAX: u32 = 4000;

/// Returns the options of an engine for a dispatch of `waves` waves. In a large dispatch the code of the kernel is
/// compiled before the first wave runs, if options have the default: without that, the third wave would have it
/// compiled.
pub fn engine_options(options: &RunOptions, waves: u64) -> RunOptions {
    let is_large = waves >= MANY_WAVES;
    let cost = if is_large { VECTOR_COST * MANY_WAVES_COST } else { VECTOR_COST };
    let region_max = match options.region_max {
        DEFAULT_REGION_MAX if is_large => MANY_WAVES_REGION_MAX,
        other => other,
    };
    let has_default_hot = options.hot == DEFAULT_HOT && options.engine != EngineKind::Interp;
    let mut options = options.clone().hot(options.hot.div_ceil(cost)).region_max(region_max).waves(waves);
    options.compile_start |= is_large && has_default_hot;
    options
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns `hot` and `region_max` of a dispatch.
    fn limits(hot: u32, region_max: u32, waves: u64) -> (u32, u32) {
        let options = engine_options(&RunOptions::default().hot(hot).region_max(region_max), waves);
        (options.hot, options.region_max)
    }

    #[test]
    fn large_dispatches_compile_sooner_and_more_at_once() {
        assert_eq!(limits(4000, 1000, 1), (250, 1000));
        assert_eq!(limits(4000, 1000, 63), (250, 1000));
        assert_eq!(limits(4000, 1000, 64), (32, 4000));
        // Limits that the user sets stay, except that `hot` is divided.
        assert_eq!(limits(0, 7, 64), (0, 7));
        assert_eq!((limits(1, 2000, 1), limits(1, 2000, 64)), ((1, 2000), (1, 2000)));
    }

    #[test]
    fn large_dispatches_compile_the_kernel_at_once() {
        let at_once =
            |engine, hot, waves| engine_options(&RunOptions::default().engine(engine).hot(hot), waves).compile_start;
        let jit = EngineKind::Jit;
        assert_eq!([63, 64].map(|waves| at_once(jit, DEFAULT_HOT, waves)), [false, true]);
        assert!(!at_once(jit, 3000, 64), "the user says when");
        assert!(!at_once(EngineKind::Interp, DEFAULT_HOT, 64));
    }
}
