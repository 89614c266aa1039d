//! Runs a shader with other values where its inputs state none (registers, LDS and scratch that nobody has written),
//! and with floats rounded in other directions. Where its own results change, a difference to another compilation says
//! nothing.

use std::collections::HashMap;

use gcnsim_engine::Observers;
use gcnsim_machine::world::World;
use gcnsim_synthetic::{Setup, Subject, Synthetic, SyntheticRun, setup};

use crate::compare::{Compared, Difference, Place};
use crate::value::{Holds, are_beyond_range, distance};

/// Dwords that undefined registers, LDS and scratch get: about 1.67 as a float, and not a small integer; and 0.5.
pub(crate) const FILLS: [u32; 2] = [0x3fd5_a5a5, 0x3f00_0000];

/// Values of FP_ROUND (MODE[3:0]) for floats of all sizes: upwards, downwards, to zero.
const ROUNDINGS: [u32; 3] = [0b0101, 0b1010, 0b1111];

/// Largest quotient of a difference between the sides and the change by another rounding for which the rounding
/// explains the difference. (A contraction saves one rounding, and later operations may amplify it more than others.)
const MOST_TIMES: f64 = 16.0;

/// Runs a shader with undefined registers, LDS and scratch filled. `None` if it cannot be set up.
pub(crate) fn filled(
    synthetic: &mut Synthetic,
    subject: &Subject<'_>,
    world: World,
    max_insts: Option<u64>,
    fill: u32,
) -> Option<SyntheticRun> {
    changed(synthetic, subject, world, max_insts, |setup| setup.fill(fill))
}

/// Runs a shader once for each of [`ROUNDINGS`].
pub(crate) fn rounded(
    synthetic: &mut Synthetic,
    subject: &Subject<'_>,
    world: World,
    max_insts: Option<u64>,
) -> Vec<SyntheticRun> {
    let run = |rounding| changed(synthetic, subject, world, max_insts, |setup| setup.round(rounding));
    ROUNDINGS.into_iter().filter_map(run).collect()
}

fn changed(
    synthetic: &mut Synthetic,
    subject: &Subject<'_>,
    world: World,
    max_insts: Option<u64>,
    change: impl FnOnce(&mut Setup),
) -> Option<SyntheticRun> {
    let mut setup = setup::setup(subject, &world).ok()?;
    change(&mut setup);
    Some(synthetic.run_set_up(subject, setup, world, max_insts, &mut Observers::none()))
}

/// Pairs of values at each place: with the rounding of the shader, and with another one where the value changes.
#[derive(Default)]
pub(crate) struct Roundings(HashMap<Place, Vec<[u32; 2]>>);

impl Roundings {
    /// Adds the differences between a run with the rounding of the shader and one with another rounding.
    pub fn add(&mut self, compared: &Compared) {
        for difference in &compared.differences {
            if let Some(values) = difference.values() {
                self.0.entry(difference.place()).or_default().push(values);
            }
        }
    }

    /// Whether a difference says nothing: another rounding changes the value as much, or both values are NaN or
    /// infinite, which the order of operations decides if one of them overflows. `holds` is the kind of value.
    pub fn explain(&self, difference: &Difference, holds: Holds) -> bool {
        let Some(values) = difference.values() else { return false };
        if are_beyond_range(holds, values) {
            return true;
        }
        let Some(found) = self.0.get(&difference.place()) else { return false };
        match distance(holds, values) {
            Some(between) => {
                let most = found.iter().filter_map(|values| distance(holds, *values)).fold(0.0, f64::max);
                between <= MOST_TIMES * most
            }
            // Integers that compares of floats decide.
            None => true,
        }
    }
}
