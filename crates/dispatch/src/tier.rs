//! When code of a dispatch is compiled, and how much of it at once.

use gcnsim_engine::{DEFAULT_REGION_MAX, RunOptions};

/// A vector instruction takes the interpreter as long as so many scalar ones.
const VECTOR_COST: u32 = 16;

/// From so many waves on a dispatch is large: what one wave reaches, many others will.
const MANY_WAVES: u64 = 64;

/// In a large dispatch, code is compiled so much sooner.
const MANY_WAVES_COST: u32 = 8;

/// Most instructions of its regions, if options have the default. Each wave leaves a region at its end and enters the
/// next one, and that has to get hot anew.
const MANY_WAVES_REGION_MAX: u32 = 4000;

/// How the engine runs the waves of a dispatch, of which there are so many.
pub(super) fn engine_options(options: &RunOptions, waves: u64) -> RunOptions {
    let is_large = waves >= MANY_WAVES;
    let cost = if is_large { VECTOR_COST * MANY_WAVES_COST } else { VECTOR_COST };
    let region_max = match options.region_max {
        DEFAULT_REGION_MAX if is_large => MANY_WAVES_REGION_MAX,
        other => other,
    };
    RunOptions { hot: options.hot.div_ceil(cost), region_max, ..options.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `hot` and `region_max` of a dispatch.
    fn limits(hot: u32, region_max: u32, waves: u64) -> (u32, u32) {
        let options = engine_options(&RunOptions { hot, region_max, ..RunOptions::default() }, waves);
        (options.hot, options.region_max)
    }

    #[test]
    fn large_dispatches_compile_sooner_and_more_at_once() {
        assert_eq!(limits(4000, 1000, 1), (250, 1000));
        assert_eq!(limits(4000, 1000, 63), (250, 1000));
        assert_eq!(limits(4000, 1000, 64), (32, 4000));
        // What the user has asked for stays.
        assert_eq!(limits(0, 7, 64), (0, 7));
        assert_eq!((limits(1, 2000, 1), limits(1, 2000, 64)), ((1, 2000), (1, 2000)));
    }
}
