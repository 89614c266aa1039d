//! Runs a shader with other values where its inputs say nothing: in registers and LDS that nobody has written. What
//! changes then depends on undefined values.

use gcnsim_machine::world::World;
use gcnsim_synthetic::{Subject, Synthetic, SyntheticRun, setup};

/// The value of what is undefined: a float, about 1.67, and no small integer.
const FILL: u32 = 0x3fd5_a5a5;

/// Runs a shader with the fill. `None` if it cannot be set up.
pub(crate) fn run(
    synthetic: &mut Synthetic,
    subject: &Subject<'_>,
    world: World,
    max_insts: Option<u64>,
) -> Option<SyntheticRun> {
    let mut setup = setup::setup(subject, &world).ok()?;
    setup.fill(FILL);
    Some(synthetic.run_set_up(subject, setup, world, max_insts))
}
