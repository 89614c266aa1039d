//! Runs a shader with other values where its inputs state none: in registers and LDS that nobody has written. Results
//! that change depend on undefined values.

use gcnsim_machine::world::World;
use gcnsim_synthetic::{Subject, Synthetic, SyntheticRun, setup};

/// The dword that undefined registers and LDS get: about 1.67 as a float, and not a small integer.
const FILL: u32 = 0x3fd5_a5a5;

/// Runs a shader with undefined registers and LDS filled. `None` if it cannot be set up.
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
