//! Groups that wait for each other: kernels of `corpus/kernels/groups`. What is expected follows from their source, and
//! from what docs/gcn/dispatch.md says of groups.

use std::path::Path;

use gcnsim::Outcome;
use gcnsim_device::args::ArgValue;
use gcnsim_engine::observe::{At, Entry, Needs, Step};
use gcnsim_engine::{EngineKind, Observer, Observers, RunOptions, Scene};
use gcnsim_launches::coverage::{Coverage, Covered, Hits, Spot};
use gcnsim_launches::launch::LaunchSpec;
use gcnsim_launches::profile::Counter;
use gcnsim_launches::{DispatchOptions, LaunchResult, Launcher, launch};
use gcnsim_loader::FileBytes;
use gcnsim_loader::code_object::CodeObject;
use gcnsim_machine::{Context, Wave};

use crate::memory::dwords;

const CHIPS: [&str; 3] = ["gfx600", "gfx803", "gfx900"];

fn object(chip: &str) -> CodeObject {
    let path = format!("corpus/kernels/groups/groups-{chip}.co");
    CodeObject::parse(&FileBytes::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()).unwrap()
}

/// A launch of `groups` groups. The buffer `data` has `size` dwords, and the last argument has a value.
fn spec(kernel: &str, groups: u32, group: u32, size: u32, last: u32) -> LaunchSpec {
    let last = ArgValue::Bytes { bytes: last.to_le_bytes().to_vec(), align: 4 };
    let spec = LaunchSpec::new(kernel, &[groups * group], &[group]).unwrap();
    let spec = spec.args([ArgValue::buffer("data"), ArgValue::buffer("count"), last]);
    spec.buffer("data", vec![0; 4 * size as usize]).buffer("count", vec![0; 4])
}

/// Runs a launch on every engine and on one and two threads. All must agree. Returns the launch, and the dwords of
/// `data`.
fn run(chip: &str, spec: &LaunchSpec) -> (LaunchResult, Vec<u32>) {
    let object = object(chip);
    let mut first: Option<LaunchResult> = None;
    for engine in [EngineKind::Interp, EngineKind::Jit, EngineKind::Check, EngineKind::JitNoCheck] {
        for jobs in [1, 2] {
            let hot = if engine == EngineKind::Jit { RunOptions::default().hot } else { 0 };
            let run = RunOptions::default().engine(engine).hot(hot);
            let options = DispatchOptions::default().jobs(jobs).run(run);
            let result = launch(&object, spec, &options).unwrap();
            let first = first.get_or_insert_with(|| result.clone());
            let at = (chip, engine, jobs);
            assert_eq!(result.run.outcome, first.run.outcome, "{at:?}");
            assert_eq!(result.run.instructions, first.run.instructions, "{at:?}");
            assert_eq!((result.run.notes, result.state_hash), (first.run.notes, first.state_hash), "{at:?}");
            let place = |result: &LaunchResult| result.run.stopped.as_ref().map(|wave| (wave.group, wave.index));
            assert_eq!(place(&result), place(first), "{at:?}");
        }
    }
    let first = first.unwrap();
    let data = dwords(&first.buffer("data").unwrap());
    (first, data)
}

#[test]
fn all_groups_wait_for_all() {
    for chip in CHIPS {
        for (groups, group) in [(2, 1), (7, 64), (5, 256)] {
            let all = groups * group;
            let (result, data) = run(chip, &spec("grid_barrier", groups, group, all, groups));
            assert_eq!(result.run.outcome, Ok(Outcome::Ended), "{chip} {groups}");
            let once = |i: u32| i + (i + group) % all;
            let twice = |i: u32| once(i) + once((i + group) % all);
            assert_eq!(data, (0..all).map(twice).collect::<Vec<u32>>(), "{chip} {groups}");
            assert_eq!(dwords(&result.buffer("count").unwrap()), [4 * groups]);
            // The first look whether a wave waits comes after 16,384 instructions at most, and later ones after 128.
            let most = u64::from(groups * group.div_ceil(64)) * 32_000;
            assert!(result.run.instructions < most, "{chip} {groups}: {}", result.run.instructions);
        }
    }
}

/// A group that waits keeps LDS and scratch. It waits by loads, so what groups do overlaps.
#[test]
fn groups_keep_lds_and_scratch_while_they_wait() {
    for chip in CHIPS {
        for (groups, group) in [(3, 64), (4, 192)] {
            let all = groups * group;
            let mut spec = spec("grid_keeps", groups, group, all, groups);
            spec = spec.args([ArgValue::Local(4 * group)]);
            let (result, data) = run(chip, &spec);
            assert_eq!(result.run.outcome, Ok(Outcome::Ended), "{chip} {groups}");
            // kept[(5 * k + i) % 16] is 100 * i + k, and 13 * 5 is 1 more than 4 * 16.
            let kept = |i: u32, at: u32| 100 * i + 13 * (at + 16 * i - i) % 16;
            let mine = |i: u32| 7 * (i - i % group + group - 1 - i % group) + 1;
            let expected: Vec<u32> = (0..all).map(|i| mine(i) + kept(i, (3 * i + groups) % 16)).collect();
            assert_eq!(data, expected, "{chip} {groups}");
            assert!(result.run.notes.codes().contains(&"groups-overlap"), "{chip}");
        }
    }
}

#[test]
fn a_group_waits_for_a_later_one() {
    for chip in CHIPS {
        for (groups, from) in [(6, 5), (6, 1), (2600, 2599)] {
            let (result, data) = run(chip, &spec("from_later", groups, 128, 257, from));
            assert_eq!(result.run.outcome, Ok(Outcome::Ended), "{chip} {from}");
            let produced = (0..128).map(|l| 3 * l + 7);
            let expected: Vec<u32> = [0].into_iter().chain(produced.clone()).chain(produced.map(|x| x + 1)).collect();
            assert_eq!(data, expected, "{chip} {from}");
            assert_eq!(result.run.notes.codes(), ["groups-overlap"], "{chip}");
        }
    }
}

#[test]
fn later_groups_have_the_first_tickets() {
    for chip in CHIPS {
        for group in [1, 128] {
            let (result, data) = run(chip, &spec("tickets", 40, group, 40, 40));
            assert_eq!(result.run.outcome, Ok(Outcome::Ended), "{chip}");
            assert_eq!(data, (0..40).rev().collect::<Vec<u32>>(), "{chip}");
            assert_eq!(result.run.notes.codes(), Vec::<&str>::new(), "atomics may say who writes what");
        }
    }
}

/// A compute unit has 64 KiB of LDS, and the chip 64 units. If each group has 64 KiB, and waits for the next one, the
/// chip holds all of 64 groups, but not the last of 65.
#[test]
fn a_chip_holds_so_many_groups() {
    let spec = |groups| {
        let local = ArgValue::Local(64 << 10);
        LaunchSpec { max_insts: Some(3_456_789), ..spec("large_tickets", groups, 1, 65, groups).args([local]) }
    };
    let (result, data) = run("gfx900", &spec(64));
    assert_eq!(result.run.outcome, Ok(Outcome::Ended));
    assert_eq!(data[..64], (0..64).rev().collect::<Vec<u32>>());
    let (result, data) = run("gfx900", &spec(65));
    assert_eq!(result.run.waiting, 63);
    assert_eq!((result.run.outcome, result.run.instructions), (Ok(Outcome::Budget), 3_456_789));
    assert_eq!(data, [0; 65]);
}

/// Groups that wait for one that never comes use up the budget, to the last instruction. So do groups that wait for
/// others, if the budget ends meanwhile.
#[test]
fn budgets_end_groups_that_wait() {
    for chip in CHIPS {
        for (goal, budget) in [(6, 7_654_321), (5, 10_000), (5, 50_001), (5, 1)] {
            let spec = LaunchSpec { max_insts: Some(budget), ..spec("grid_barrier", 5, 64, 5 * 64, goal) };
            let (result, _) = run(chip, &spec);
            let run = (result.run.outcome, result.run.instructions);
            assert_eq!(run, (Ok(Outcome::Budget), budget), "{chip} {goal} {budget}");
        }
    }
}

/// A loop that looks as if it waited, but counts how often it looks, comes to its end though nobody helps it.
#[test]
fn groups_that_only_seem_to_wait_end() {
    for chip in CHIPS {
        let (result, data) = run(chip, &spec("gives_up", 3, 64, 3, 100_000));
        assert_eq!((result.run.outcome, data), (Ok(Outcome::Ended), vec![100_000; 3]), "{chip}");
    }
}

/// The groups that had turns, and how.
#[derive(Default)]
struct Order(Vec<([u32; 3], Entry)>);

impl Observer for Order {
    fn needs(&mut self, _at: &At<'_>, _wave: &Wave) -> Needs {
        Needs::NOTHING
    }

    fn after(&mut self, _at: &At<'_>, _step: &Step<'_>, _wave: &Wave, _context: &Context) {}

    fn enter(&mut self, _scene: &Scene, group: [u32; 3], entry: Entry) {
        self.0.push((group, entry));
    }
}

/// Returns the number of instructions of which the coverage knows that they were executed.
fn covered(object: &CodeObject, hits: &Hits) -> u64 {
    let coverage = Coverage::default();
    let key = coverage.code_object("k.co", object).unwrap().unwrap();
    coverage.add(Spot { key, bias: 0 }, hits);
    let objects = coverage.into_objects();
    let count = |object: &Covered| {
        let insts = object.functions.iter().flat_map(|function| function.insts());
        insts.map(|inst| object.count(inst.address).executed).sum::<u64>()
    };
    objects.iter().map(count).sum()
}

/// Observers see a group that is set aside, and goes on: as many instructions as the launch counts, and each in the
/// program's order.
#[test]
fn observers_see_groups_that_are_set_aside() {
    let spec = spec("from_later", 6, 128, 257, 5);
    for chip in CHIPS {
        let object = object(chip);
        for jobs in [1, 2] {
            let options = DispatchOptions::default().jobs(jobs);
            let mut launcher = Launcher::new(&object, Path::new(""), &[], &options).unwrap().remembering();
            let launched = launcher.launch(&spec, &|_| {}).unwrap();
            let (mut counter, mut hits, mut order) = (Counter::default(), Hits::default(), Order::default());
            let mut observers = Observers::none();
            observers.add(&mut counter);
            observers.add(&mut hits);
            observers.add(&mut order);
            launcher.again(&mut observers).unwrap();
            let count = launched.run.instructions;
            assert_eq!(counter.sites().map(|(_, site)| site.executed).sum::<u64>(), count, "{chip} {jobs}");
            assert_eq!(covered(&object, &hits), count, "{chip} {jobs}");
            let began = order.0.iter().filter(|(_, entry)| *entry == Entry::Begins).map(|(group, _)| group[0]);
            assert_eq!(began.collect::<Vec<u32>>(), [0, 1, 2, 3, 4, 5], "{chip} {jobs}");
            // Group 0 waits for group 5, so it goes on behind that.
            assert_eq!(order.0.last(), Some(&([0; 3], Entry::GoesOn)), "{chip} {jobs}");
        }
    }
}
