//! Finds out whether two sides have different inputs or outputs, so that differences say nothing: linking moves and
//! drops components between stages, and clocks count the executed instructions.

use std::collections::BTreeSet;

use gcnsim_isa::export_target_name;
use gcnsim_synthetic::Observations;

use crate::compare::{Compared, Difference, PARAM0};
use crate::resolve::Both;

/// The beginning of reasons that name linking.
pub(crate) const LINKING: &str = "linking: ";
/// Fewest components of attributes that one side has and the other has not, from which on the inputs count as linked
/// differently if one code is an edit of the other. A single mistake in an instruction makes two.
const MOVED: usize = 3;

/// A component between stages: the parameter or attribute, and the number of the component.
type Component = (u8, u8);

/// Returns the reason why the differences say nothing; `None` if they count. `is_close` says whether one code is an
/// edit of the other.
pub(crate) fn differs(
    compared: &Compared,
    origins: &Both,
    observations: [&Observations; 2],
    is_close: bool,
) -> Option<String> {
    let [old, new] = [0, 1].map(|side| &origins[side].attributes);
    if old.symmetric_difference(new).count() >= if is_close { MOVED } else { 1 } {
        let attribute = |number: u8| format!("attr{number}");
        return Some(format!("{LINKING}other attributes are interpolated{}", moved(old, new, attribute)));
    }
    if compared.differences.iter().all(is_parameter) {
        let [old, new] = observations.map(parameters);
        if old != new {
            return Some(format!("{LINKING}other parameters are exported{}", moved(&old, &new, export_target_name)));
        }
    }
    // If one code is an edit of the other, both have executed as many instructions when they read the clock.
    let reads_clock = !is_close && origins.iter().any(|origins| origins.reads_clock);
    reads_clock.then(|| "clock: the time depends on what was executed".to_owned())
}

/// Returns the first component that only one side has, for each side, in words.
fn moved(old: &BTreeSet<Component>, new: &BTreeSet<Component>, name: impl Fn(u8) -> String) -> String {
    let text =
        |&(number, component): &Component| format!("{}.{}", name(number), ["x", "y", "z", "w"][component as usize & 3]);
    match (old.difference(new).next(), new.difference(old).next()) {
        (Some(old), Some(new)) => format!(" (old {}, new {})", text(old), text(new)),
        (Some(old), None) => format!(" (old {})", text(old)),
        (None, Some(new)) => format!(" (new {})", text(new)),
        (None, None) => String::new(),
    }
}

fn is_parameter(difference: &Difference) -> bool {
    match difference {
        Difference::Value { target, .. } | Difference::Lanes { target, .. } | Difference::Export { target, .. } => {
            *target >= PARAM0
        }
        _ => false,
    }
}

/// Returns the components of parameters that are exported.
fn parameters(of: &Observations) -> BTreeSet<Component> {
    let exports = of.waves.iter().flat_map(|wave| wave.observed.exports());
    let params = exports.map(|export| export.access).filter(|access| access.target >= PARAM0);
    params.flat_map(|access| (0..4).filter(move |n| access.en >> n & 1 == 1).map(move |n| (access.target, n))).collect()
}
