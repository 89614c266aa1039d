//! `gcnsim run --profile`: counts that were made by hand, from the listing of the kernels and their arguments.
#![cfg(feature = "cli")]

mod common;

use common::Bench;
use serde_json::{Value, json};

/// The result and the profile of a launch of a kernel of the gfx900 corpus.
fn profile(launch: &Value, flags: &str) -> (Value, Value) {
    let bench = Bench::new();
    let object = concat!(env!("CARGO_MANIFEST_DIR"), "/corpus/kernels/kernels-gfx900-v5-O2.co");
    bench.file("k.co", std::fs::read(object).unwrap()).file("l.json", json!({ "launch": [launch] }).to_string());
    let ran = bench.run(&format!("run k.co --launch l.json --json --profile {flags}"));
    assert_eq!(ran.code, 0, "{ran:?}");
    let lines: Vec<Value> = ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let [run, profile] = &lines[..] else { panic!("two lines: {ran:?}") };
    assert_eq!((&run["schema"], &profile["schema"]), (&json!("gcnsim.run.v1"), &json!("gcnsim.profile.v1")));
    (run.clone(), profile.clone())
}

/// Four waves of 64, 64, 64 and 8 lanes, for 100 elements: 64 lanes of the first wave and 36 of the second have one.
fn saxpy() -> Value {
    json!({
        "name": "s", "kernel": "saxpy", "grid": [200], "group": [128],
        "args": [{"buffer": "y"}, {"buffer": "x"}, {"f32": 2.0}, {"i32": 100}],
        "buffers": {"x": {"iota": {"type": "f32"}, "size": 400}, "y": {"size": 400}},
    })
}

#[test]
fn classes_lanes_and_branches_of_saxpy() {
    let (run, profile) = profile(&saxpy(), "");
    // All four waves execute 11 instructions up to the branch, and s_endpgm; two of them the 17 between.
    assert_eq!(
        (&profile["instructions"], &run["instructions"], &profile["waves"]),
        (&json!(82), &json!(82), &json!(4))
    );
    // Lanes of two additions and the compare: 200 / 4; of the ten instructions behind the branch: 100 / 2.
    let classes = json!([
        {"class": "salu", "instructions": 3 * 4},
        {"class": "branch", "instructions": 4},
        {"class": "vcmp", "instructions": 4, "lanes": 50.0},
        {"class": "system", "instructions": 4 + 3 * 2 + 4},
        {"class": "valu", "instructions": 2 * 4 + 10 * 2, "lanes": 50.0},
        {"class": "smem", "instructions": 3 * 4 + 2},
        {"class": "vmem", "instructions": 3 * 2, "lanes": 50.0},
    ]);
    assert_eq!(profile["classes"], classes);
    assert_eq!((&run["by_class"]["valu"], &run["by_class"]["lds"]), (&json!(28), &json!(0)));
    let access = |access: &str, n: u64| {
        json!({"class": "vmem", "access": access, "instructions": n, "lanes": 50.0,
        "consecutive": n, "uniform": 0, "random": 0})
    };
    assert_eq!(profile["accesses"], json!([access("load", 4), access("store", 2)]));
    // s_cbranch_execz goes on with 64, 36, 0 and 0 lanes: the second wave is of two minds.
    let branch = json!([{"pc": "0x7c38", "mnemonic": "s_cbranch_execz", "executed": 4, "taken": 2, "lanes": 25.0,
        "split": 1}]);
    assert_eq!(profile["branches"], branch);
    // Nothing gets hot, and the object has no line table.
    assert_eq!((&profile["regions"], &profile["lines"]), (&json!([]), &json!([])));
    assert_eq!(profile["interpreted"]["instructions"], 82);
}

#[test]
fn patterns_of_a_reduction_in_lds() {
    let launch = json!({
        "kernel": "reduce", "grid": [64], "group": [64],
        "args": [{"buffer": "out"}, {"buffer": "in"}, {"local": 256}],
        "buffers": {"in": {"iota": {"type": "u32"}, "size": 256}, "out": {"size": 4}},
    });
    let (_, profile) = profile(&launch, "");
    let access = |class: &str, access: &str, n: u64, lanes: f64, consecutive: u64, uniform: u64| {
        json!({"class": class, "access": access, "instructions": n, "lanes": lanes, "consecutive": consecutive,
            "uniform": uniform, "random": 0})
    };
    let expected = json!([
        // The group's size, of which all lanes load the same; an element for each lane; one lane stores the sum.
        access("vmem", "load", 2, 64.0, 1, 1),
        access("vmem", "store", 1, 1.0, 0, 1),
        // 32, 16, 8, 4, 2 and 1 lanes load two numbers and store one. Alone, a lane is uniform. At the end one lane
        // loads the sum: (2 * 63 + 1) / 13 lanes.
        access("lds", "load", 13, 9.77, 10, 3),
        // At the beginning all lanes store: (64 + 63) / 7 lanes.
        access("lds", "store", 7, 18.14, 6, 1),
    ]);
    assert_eq!(profile["accesses"], expected);
    let branches = profile["branches"].as_array().unwrap();
    let branch = |pc: &str| branches.iter().find(|branch| branch["pc"] == pc).unwrap();
    // if (i < rest): six times, always with some of the 64 lanes, so never taken and always split.
    let inner = branch("0x7fe8");
    assert_eq!((&inner["executed"], &inner["taken"], &inner["split"]), (&json!(6), &json!(0), &json!(6)));
    assert_eq!(inner["lanes"], 10.5);
    // rest > 0: a scalar compare, true at the last of six.
    let outer = branch("0x7fd0");
    assert_eq!((&outer["executed"], &outer["taken"], &outer["split"]), (&json!(6), &json!(1), &json!(0)));
}

/// Compiled code is timed by region, and the parts make up the whole.
#[cfg(feature = "jit")]
#[test]
fn regions_are_timed() {
    let (run, profile) = profile(&saxpy(), "--hot 0 --no-check");
    let regions = profile["regions"].as_array().unwrap();
    let [region] = &regions[..] else { panic!("one region: {profile}") };
    assert_eq!((&region["pc"], &region["entered"], &region["instructions"]), (&json!("0x7c00"), &json!(4), &json!(82)));
    assert_eq!(
        (&profile["interpreted"]["instructions"], &profile["classes"][0]["instructions"]),
        (&json!(0), &json!(12))
    );
    let time = |name: &str| profile["time"][name].as_u64().unwrap();
    assert!(region["run_ns"].as_u64().unwrap() > 0 && time("compiled_ns") == region["run_ns"].as_u64().unwrap());
    let parts = time("compiled_ns") + time("interpreted_ns") + time("between_ns");
    assert_eq!(parts, run["run_ns"].as_u64().unwrap());
    assert_eq!(time("compile_ns"), run["compile_ns"].as_u64().unwrap());
}

#[test]
fn tables_for_people() {
    let bench = Bench::new();
    let object = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/kernels/kernels-gfx900.co");
    let launch = json!({
        "kernel": "triad", "grid": [256], "group": [256],
        "args": [{"buffer": "a"}, {"buffer": "a"}, {"buffer": "a"}, {"f32": 1.0}, {"u32": 256}, {"u32": 1}],
        "buffers": {"a": {"size": 1024}},
    });
    bench.file("k.co", std::fs::read(object).unwrap()).file("l.json", json!({ "launch": [launch] }).to_string());
    let ran = bench.run("run k.co --launch l.json --profile");
    assert_eq!(ran.code, 0, "{ran:?}");
    for head in ["time ", "class ", "access ", "branch ", "line "] {
        assert!(ran.stdout.lines().any(|line| line.starts_with(head)), "{head}: {}", ran.stdout);
    }
    // This object has line tables.
    assert!(ran.stdout.contains("kernels.cl:"), "{}", ran.stdout);
    assert_eq!(bench.run("run k.co --launch l.json --profile --trace").code, 2);
}
