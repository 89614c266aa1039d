//! Groups whose waves go from barrier to barrier, in regions that overlap: a region has a number for each of its
//! entries, and other regions have other numbers for the same addresses.

use std::path::Path;

use gcnsim::Outcome;
use gcnsim_device::args::ArgValue;
use gcnsim_engine::{EngineKind, RunOptions};
use gcnsim_launches::launch::LaunchSpec;
use gcnsim_launches::{DispatchOptions, launch};
use gcnsim_loader::FileBytes;
use gcnsim_loader::code_object::CodeObject;

/// Work-items of a group of the kernel `scan_group`, which sums up the elements of each group.
const GROUP: u32 = 128;

#[test]
fn waves_take_turns_in_regions_that_overlap() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/kernels/kernels-gfx900-v5-O2.co");
    let object = CodeObject::parse(&FileBytes::read(&path).unwrap()).unwrap();
    // In launches of fewer than 64 waves code is compiled when it gets hot, so a loop before the code that leads to it.
    for groups in [20, 31, 200] {
        let data: Vec<u32> = (0..groups * GROUP).map(|i| i.wrapping_mul(427_699) % 1_000_003).collect();
        let sums = data.chunks(GROUP as usize).flat_map(|group| {
            group.iter().scan(0u32, |sum, value| {
                *sum += value;
                Some(*sum)
            })
        });
        let expected: Vec<u8> = sums.flat_map(u32::to_le_bytes).collect();
        let spec = LaunchSpec::new("scan_group", &[groups * GROUP], &[GROUP])
            .unwrap()
            .args([ArgValue::buffer("data")])
            .buffer("data", data.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<u8>>());
        for engine in [EngineKind::Interp, EngineKind::Jit, EngineKind::JitNoCheck] {
            for hot in [0, 20, 3000, RunOptions::default().hot] {
                for region_max in [12, 30, RunOptions::default().region_max] {
                    let run = RunOptions::default().engine(engine).hot(hot).region_max(region_max);
                    let options = DispatchOptions::default().jobs(1).run(run);
                    let result = launch(&object, &spec, &options).unwrap();
                    let at = (groups, engine, hot, region_max);
                    assert_eq!(result.run.outcome, Ok(Outcome::Ended), "{at:?}");
                    assert!(result.buffer("data").unwrap() == expected, "{at:?}");
                }
            }
        }
    }
}
