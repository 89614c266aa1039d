//! The kernel of a launch, as `explain --launch` shows it: its registers at the start, and its hottest region.

use anyhow::{Context, bail};

use super::{Args, HOT_BUDGET};
use crate::cli::args::{self, EngineArgs};
use crate::cli::dispatch::{DispatchArgs, objects_of_launches};
use gcnsim_engine::RegionProfile;
use gcnsim_launches::launch::LaunchSpec;
use gcnsim_launches::{DispatchOptions, Launcher};
use gcnsim_loader::code_object::CodeObject;

/// What a launch says of the region to show.
pub(super) struct OfLaunch {
    /// The kernel.
    pub kernel: String,
    /// MODE at its start.
    pub mode: u32,
    /// With `--hot`: the region that executed most instructions, with addresses of the file. `None` if nothing was
    /// compiled.
    pub hottest: Option<RegionProfile>,
}

/// Reads the launch that `--launch` and `--only` name, and runs it if `--hot` asks for its hottest region.
pub(super) fn of_launch(args: &Args) -> anyhow::Result<OfLaunch> {
    let name = || args::quoted(&args.file);
    let flags = DispatchArgs::of_launch_file(args.launch.clone(), args.only.clone());
    let Some(wanted) = flags.wanted(&args.file, args.kernel.as_deref())? else {
        bail!("{}: --only, but no launch file lies beside it: give --launch", name());
    };
    let launches: Vec<&LaunchSpec> = wanted.shown().collect();
    if launches.len() > 1 {
        let names: Vec<_> = launches.iter().map(|launch| format!("'{}'", launch.name)).collect();
        bail!("several launches: choose one with --only: {}", names.join(", "));
    }
    let Some(index) = wanted.shown.iter().position(|&is_shown| is_shown) else { bail!("{}: no launch", name()) };
    let bytes = args::load_object(&args.file, args.arch)?;
    let (objects, _) = CodeObject::choose_parts(&bytes, args.arch.as_ref(), None).with_context(name)?;
    let chosen = objects_of_launches(&objects, &wanted.file).with_context(name)?[index];
    let object = &objects[chosen];
    let launch = &wanted.file.launches[index];
    let kernel = &object.kernels[Launcher::kernel(object, launch.kernel.as_deref()).with_context(name)?];
    let mut hottest = None;
    if args.hot_region {
        let run = EngineArgs::default().options()?;
        let region_max = args.region_max.unwrap_or(run.region_max);
        let options = DispatchOptions::default()
            .run(run.region_max(region_max))
            .jobs(1)
            .max_insts(args.max_insts)
            .default_max_insts(HOT_BUDGET)
            .outside(wanted.outside);
        let mut launcher = Launcher::new(object, &wanted.folder, &wanted.file.buffers, &options)?;
        // Launches before it run first where they share its buffers.
        for (number, launch) in wanted.file.launches.iter().enumerate().take(index + 1) {
            let result = launcher.launch(launch, &|_| {}).with_context(|| format!("launch '{}'", launch.name))?;
            if number == index {
                result.run.outcome.as_ref().map_err(Clone::clone)?;
                let most = result.run.regions.iter().max_by_key(|region| region.executed);
                hottest = most.map(|region| in_file(region, |pc| result.placed.address_of_file(pc)));
            }
        }
    }
    Ok(OfLaunch { kernel: kernel.name.clone(), mode: kernel.descriptor.rsrc1.mode(object.arch), hottest })
}

/// Returns a region with addresses of the file.
fn in_file(region: &RegionProfile, of_file: impl Fn(u64) -> u64) -> RegionProfile {
    let mut region = region.clone();
    region.pc = of_file(region.pc);
    for jump in &mut region.observed {
        (jump.from, jump.to) = (of_file(jump.from), of_file(jump.to));
    }
    region.predictable.iter_mut().for_each(|pc| *pc = of_file(*pc));
    region
}
