//! Kernels of `corpus/sanitize`, each with a mistake, and the same kernels without it. Their names say what is
//! expected. The other kernels of the corpus have no mistakes but those that a list explains.

use std::path::{Path, PathBuf};

use gcnsim_engine::Observers;
use gcnsim_launches::launch::{LaunchDraft, LaunchFile, Syntax};
use gcnsim_launches::lines::SourceLines;
use gcnsim_launches::{DispatchOptions, Launcher};
use gcnsim_loader::FileBytes;
use gcnsim_loader::code_object::CodeObject;
use gcnsim_sanitize::{Checks, Findings, Sanitizer};

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus")
}

/// Returns the findings of all launches of an object, by name.
fn findings(object: &str, launches: &str) -> Vec<(String, Findings)> {
    let object = CodeObject::parse(&FileBytes::read(&corpus().join(object)).unwrap()).unwrap();
    let path = corpus().join(launches);
    let draft = LaunchDraft::parse(&std::fs::read_to_string(&path).unwrap(), Syntax::Json).unwrap();
    let file = LaunchFile::try_from(draft).unwrap();
    let options = DispatchOptions::default().jobs(1);
    let mut launcher = Launcher::new(&object, path.parent().unwrap(), &file.buffers, &options).unwrap();
    let lines = SourceLines::of(&object.bytes);
    let mut all = Vec::new();
    for launch in &file.launches {
        let mut sanitizer = Sanitizer::of_kernel(Checks::ALL, &object, launch.kernel.as_deref());
        launcher.launch_observed(launch, &|_| {}, &mut Observers::one(&mut sanitizer)).unwrap();
        all.push((launch.name.clone(), sanitizer.into_findings(&lines)));
    }
    all
}

/// Checks that launches whose names end in `suffix`, at least `least` of them, have a finding of a kind, and that the
/// others have none.
fn check(object: &str, launches: &str, suffix: &str, kind: &str, least: usize) {
    let mut wrong = String::new();
    let all = findings(object, launches);
    for (name, found) in &all {
        let has_mistake = name.ends_with(suffix);
        // A launch with a race may have other findings, because a race may leave bytes undefined.
        let is_right = match has_mistake {
            true => found.findings.iter().any(|finding| finding.kind == kind),
            false => found.is_clean(),
        };
        if !is_right {
            wrong.push_str(&format!("{name}: {}\n", found.text()));
        }
    }
    assert!(wrong.is_empty(), "{object}:\n{wrong}");
    assert!(all.iter().filter(|(name, _)| name.ends_with(suffix)).count() >= least);
}

/// The kinds of the two accesses of each race, sorted. By the source, they are what a missing barrier or a missing
/// atomic leaves unordered.
const RACES: &[(&str, &str, &[[&str; 2]])] = &[
    ("neighbour", "lds", &[["read", "write"]]),
    ("reverse", "lds", &[["read", "write"]]),
    ("reduce", "lds", &[["read", "write"]]),
    ("reduce_start", "lds", &[["read", "write"]]),
    ("scan", "lds", &[["read", "write"]]),
    ("scan_end", "lds", &[["read", "write"]]),
    ("broadcast", "lds", &[["read", "write"]]),
    ("broadcast_loop", "lds", &[["read", "write"]]),
    ("transpose", "lds", &[["read", "write"]]),
    ("tile_reuse", "lds", &[["read", "write"]]),
    ("histogram_zero", "lds", &[["atomic", "write"]]),
    ("histogram_read", "lds", &[["atomic", "read"]]),
    ("histogram_plain", "lds", &[["read", "write"], ["write", "write"]]),
    ("double_buffer", "lds", &[["read", "write"]]),
    ("bitonic", "lds", &[["read", "write"]]),
    ("stencil", "lds", &[["read", "write"]]),
    ("bytes", "lds", &[["read", "write"]]),
    ("overlap", "lds", &[["write", "write"]]),
    ("one_slot", "lds", &[["write", "write"]]),
    ("flag", "lds", &[["write", "write"]]),
    ("shift", "memory", &[["read", "write"]]),
    ("in_place", "memory", &[["read", "write"]]),
    ("scratchpad", "memory", &[["read", "write"]]),
    ("one_sum", "memory", &[["read", "write"], ["write", "write"]]),
    ("last_writer", "memory", &[["write", "write"]]),
    ("next_group", "memory", &[["read", "write"]]),
    ("border", "memory", &[["write", "write"]]),
    ("atomic_read", "memory", &[["atomic", "read"]]),
    ("counter_reset", "memory", &[["atomic", "write"]]),
    ("compact", "memory", &[["read", "write"], ["write", "write"]]),
    ("last_group", "memory", &[["read", "write"]]),
    ("queue", "lds", &[["atomic", "read"], ["read", "write"]]),
];

/// Whether the text of an instruction is an access of a kind.
fn is_access(text: &str, place: &str, access: &str) -> bool {
    let mnemonic = text.split(' ').next().unwrap();
    let is_it = |name: &str| mnemonic.contains(name);
    match (place, access) {
        ("lds", "read") => mnemonic.starts_with("ds_read"),
        ("lds", "write") => mnemonic.starts_with("ds_write"),
        ("lds", _) => mnemonic.starts_with("ds_") && !is_it("read") && !is_it("write"),
        (_, "read") => is_it("load"),
        (_, "write") => is_it("store"),
        _ => is_it("atomic"),
    }
}

#[test]
fn races_name_the_two_accesses() {
    let all = findings("sanitize/races-gfx900-O2.co", "sanitize/races.json");
    for (name, place, kinds) in RACES {
        let (_, found) = all.iter().find(|(launch, _)| launch.strip_suffix("_racy") == Some(name)).unwrap();
        let races = found.findings.iter().filter(|finding| finding.kind == "race");
        let mut pairs: Vec<[&str; 2]> = Vec::new();
        for race in races {
            let first = race.first.as_ref().unwrap();
            assert_eq!(race.place, Some(*place), "{name}");
            for accessor in [first, &race.second] {
                assert!(is_access(&accessor.text, place, accessor.access), "{name}: {accessor:?}");
            }
            let mut pair = [first.access, race.second.access];
            pair.sort_unstable();
            pairs.push(pair);
        }
        pairs.sort_unstable();
        pairs.dedup();
        assert_eq!(&pairs, kinds, "{name}");
    }
}

#[test]
fn races_are_found_and_nothing_else() {
    check("sanitize/races-gfx900-O2.co", "sanitize/races.json", "_racy", "race", 30);
    check("sanitize/races-gfx803-O1.co", "sanitize/races.json", "_racy", "race", 30);
}

/// Groups go on after others, and find what the sanitizer knows of them.
#[test]
fn groups_that_wait_for_each_other_are_clean() {
    for chip in ["gfx600", "gfx803", "gfx900"] {
        check(&format!("kernels/groups/groups-{chip}.co"), "kernels/groups/groups.json", "_racy", "race", 1);
    }
}

#[test]
fn undefined_reads_are_found_and_nothing_else() {
    check("sanitize/uninit-gfx900-O1.co", "sanitize/uninit.json", "_bad", "uninit", 20);
    check("sanitize/uninit-gfx803-O0.co", "sanitize/uninit.json", "_bad", "uninit", 20);
}

#[test]
fn undefined_bits_may_be_moved_and_masked() {
    check("sanitize/padding-gfx900-O2.co", "sanitize/padding.json", "_bad", "uninit", 19);
    check("sanitize/padding-gfx803-O1.co", "sanitize/padding.json", "_bad", "uninit", 19);
}

#[test]
fn accesses_to_other_buffers_are_found_and_nothing_else() {
    check("sanitize/bounds-gfx900-O2.co", "sanitize/bounds.json", "_bad", "bounds", 5);
    check("sanitize/bounds-gfx701-O1.co", "sanitize/bounds.json", "_bad", "bounds", 5);
}

/// The mistakes that kernels of the corpus have, as launch and kind. `bfs` writes and reads a level in one step, with
/// one possible value. The loop of `float_sum` begins with a plain load of what its compare-and-swap changes.
const KNOWN: &[(&str, &str)] = &[("bfs", "race"), ("float-sum", "race")];

/// Checks that launches have no findings but known ones.
fn check_clean(object: &str, launches: &str) {
    let mut wrong = String::new();
    for (name, found) in findings(object, launches) {
        let is_known = |kind: &str| KNOWN.contains(&(name.as_str(), kind));
        if found.findings.iter().any(|finding| !is_known(finding.kind)) {
            wrong.push_str(&format!("{name}: {}\n", found.text()));
        }
    }
    assert!(wrong.is_empty(), "{object}:\n{wrong}");
}

#[test]
fn other_kernels_are_clean() {
    for (object, launches) in [
        ("kernels-gfx600-v3-O2", "kernels"),
        ("kernels-gfx701-v2-O1", "kernels"),
        ("kernels-gfx803-v4-O3", "kernels"),
        ("kernels-gfx900-v4-O0", "kernels"),
        ("kernels-gfx900-v5-O2", "kernels"),
        ("kernels-gfx906-v4-Os", "kernels"),
    ] {
        check_clean(&format!("kernels/{object}.co"), &format!("kernels/{launches}.json"));
    }
}

#[test]
fn algorithms_are_clean() {
    for object in ["gfx600-v4-Os", "gfx701-v3-O3", "gfx803-v2-O1", "gfx900-v3-Os", "gfx906-v5-O1"] {
        check_clean(&format!("kernels/algorithms-{object}.co"), "kernels/algorithms.json");
    }
}

#[test]
fn kernels_with_images_are_clean() {
    for object in ["gfx600-v3-O2", "gfx701-v2-O1", "gfx803-v4-O3", "gfx900-v5-Os", "gfx906-v4-O2"] {
        check_clean(&format!("kernels/images/images-{object}.co"), "kernels/images/images.json");
    }
}
