//! Dispatches by `gcnsim run`: showing a wave, finding the last writer of a value, and writing results to files.

use crate::common;
mod drivers;
mod files;
mod many;
mod outputs;
mod printf;
mod sanitize;

use common::Bench;
use serde_json::{Value, json};

/// Returns a directory with the gfx900 kernels as `k.co`, and a launch file `l.json`.
fn bench(launches: &Value) -> Bench {
    let bench = Bench::new();
    let object = concat!(env!("CARGO_MANIFEST_DIR"), "/corpus/kernels/kernels-gfx900-v5-O2.co");
    bench.file("k.co", std::fs::read(object).unwrap()).file("l.json", json!({ "launch": launches }).to_string());
    bench
}

/// Returns a launch of 200 work-items in groups of 128, where y has room for `n` of them.
fn saxpy(n: u32, expected: Option<Value>) -> Value {
    let mut launch = json!({
        "name": "s", "kernel": "saxpy", "grid": [200], "group": [128],
        "args": [{"buffer": "y"}, {"buffer": "x"}, {"f32": 2.0}, {"i32": 200}],
        "buffers": {"x": {"iota": {"type": "f32"}, "size": 800}, "y": {"size": 4 * n}},
    });
    if let Some(expected) = expected {
        launch["expect"] = json!({"buffers": {"y": expected}});
    }
    launch
}

#[test]
fn a_fault_names_the_wave_and_the_nearest_buffer() {
    let bench = bench(&json!([saxpy(150, None)]));
    let ran = bench.run("run k.co --launch l.json --json");
    assert_eq!(ran.code, 1, "{ran:?}");
    let detail = &ran.json()["detail"];
    // Work-item 150 is lane 22 of the first wave of the second group. Its load of y comes first.
    assert_eq!((&detail["kind"], &detail["group"], &detail["wave"]), (&json!("memory"), &json!([1, 0, 0]), &json!(0)));
    assert_eq!((&detail["lane"], &detail["access"], &detail["bytes"]), (&json!(22), &json!("load"), &json!(4)));
    assert_eq!(detail["near"], json!({"buffer": "y", "distance": 1, "side": "after"}));
}

#[test]
fn the_wave_that_stopped_is_shown() {
    let bench = bench(&json!([saxpy(150, None)]));
    let ran = bench.run("run k.co --launch l.json --trace --dump-state s.json");
    assert_eq!(ran.code, 1, "{ran:?}");
    let (trace, report) = ran.stdout.split_once("outcome").expect("a report");
    let last = trace.lines().last().unwrap();
    assert!(last.contains("global_load_dword") && last.ends_with("not executed: fault"), "{trace}");
    let pc = u64::from_str_radix(last.split_whitespace().next().unwrap(), 16).unwrap();
    assert!(report.contains(&format!("pc {pc:#x}")), "{report}");
    let state: Value = serde_json::from_str(&bench.read("s.json")).unwrap();
    assert_eq!(state["pc"], format!("{pc:#x}"));
    // All 64 lanes are below n.
    assert_eq!(state["exec"], "0xffffffffffffffff");
    assert!(state["memory"].as_array().unwrap().len() > 4 && state["lds"].is_null());
}

#[test]
fn a_chosen_wave_is_shown_to_its_end() {
    let bench = bench(&json!([saxpy(200, None)]));
    let ran = bench.run("run k.co --launch l.json --trace --wave 1:1 --dump-state s.json --json");
    assert_eq!(ran.code, 0, "{ran:?}");
    // Work-items 192 to 199 are its first eight lanes; the first writes y[192] = 2 * 192.
    let store = ran.stderr.lines().find(|line| line.contains("global_store_dword")).unwrap();
    assert!(store.contains(&format!("y+{:#x}={:#x}", 4 * 192, 384f32.to_bits())), "{store}");
    assert!(store.ends_with("+5 writes"), "{store}");
    assert!(ran.stderr.lines().last().unwrap().ends_with("ended"), "{}", ran.stderr);
    let state: Value = serde_json::from_str(&bench.read("s.json")).unwrap();
    let memory: usize = state["memory"].as_array().unwrap().iter().map(|r| r["hex"].as_str().unwrap().len() / 2).sum();
    assert!(memory >= 1600, "both buffers: {memory}");
    let short = bench.run("run k.co --launch l.json --trace=2 --wave 1:1");
    assert_eq!(short.stdout.split("outcome").next().unwrap().lines().count(), 2, "{short:?}");
}

/// The dumped state of a wave has the LDS of its group, also between barriers.
#[test]
fn a_state_has_the_lds_of_the_group() {
    let bench = bench(&json!([{
        "kernel": "reduce", "grid": 128, "group": 128, "args": [{"buffer": "out"}, {"buffer": "in"}, {"local": 512}],
        "buffers": {"in": {"fill": {"u32": 1}, "size": 512}, "out": {"size": 4}},
    }]));
    let ran = bench.run("run k.co --launch l.json --wave 0:0 --dump-state - --trace");
    assert_eq!(ran.code, 0, "{ran:?}");
    let state: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(state["lds"]["size"], 512);
    // The sum of 128 ones is the first dword.
    assert_eq!(&state["lds"]["hex"].as_str().unwrap()[..8], "80000000");
    assert!(ran.stderr.contains("s_barrier") && ran.stderr.contains("waits"), "{}", ran.stderr);
}

#[test]
fn who_wrote_a_wrong_value_is_found() {
    let mut expected: Vec<f32> = (0..200).map(|i| 2.0 * i as f32).collect();
    expected[137] = 0.0;
    let bench = bench(&json!([saxpy(200, Some(json!({ "f32": expected })))]));
    let ran = bench.run("run k.co --launch l.json --json");
    assert_eq!(ran.code, 1, "{ran:?}");
    let writer = &ran.json()["detail"]["written_by"];
    // Work-item 137 is work-item 9 of the second group.
    assert_eq!((&writer["group"], &writer["wave"], &writer["lane"]), (&json!([1, 0, 0]), &json!(0), &json!(9)));
    assert_eq!(writer["mnemonic"], "global_store_dword");
    let ran = bench.run("run k.co --launch l.json");
    assert!(
        ran.stdout.contains("last written by group [1, 0, 0] wave 0 lane 9, global_store_dword at pc 0x"),
        "{ran:?}"
    );
}

#[test]
fn atomics_write_too_and_what_nobody_wrote_is_said() {
    let launch = |at: u32| {
        json!([{
            "kernel": "histogram", "grid": 128, "group": 64,
            "args": [{"buffer": "bins"}, {"buffer": "data"}, {"u32": 128}],
            "buffers": {"data": {"iota": {"type": "u8"}, "size": 128}, "bins": {"size": 512}},
            "expect": {"buffers": {"bins": {"at": at, "u32": [77]}}},
        }])
    };
    // Bin 5 counts bytes 5 and 69, the latter in lane 5 of the second group.
    let writer = bench(&launch(20)).run("run k.co --launch l.json --json").json()["detail"]["written_by"].clone();
    assert_eq!((&writer["group"], &writer["lane"]), (&json!([1, 0, 0]), &json!(5)));
    let ran = bench(&launch(400)).run("run k.co --launch l.json");
    assert!(ran.stdout.contains("no wave wrote there"), "{ran:?}");
}

#[test]
fn launches_that_share_buffers_run_again_from_where_they_began() {
    let step = |name: &str, expected: Option<Value>| {
        let mut launch = saxpy(200, expected);
        launch["name"] = name.into();
        launch.as_object_mut().unwrap().remove("buffers");
        launch
    };
    let bench = bench(&json!([]));
    let mut expected: Vec<f32> = (0..200).map(|i| 4.0 * i as f32).collect();
    expected[3] = -1.0;
    let right: Vec<f32> = (0..200).map(|i| 6.0 * i as f32).collect();
    let launches = json!([
        step("one", None),
        step("two", Some(json!({ "f32": expected }))),
        step("three", Some(json!({ "f32": right })))
    ]);
    let buffers = json!({"x": {"iota": {"type": "f32"}, "size": 800}, "y": {"size": 800}});
    bench.file("l.json", json!({"buffers": buffers, "launch": launches}).to_string());
    let ran = bench.run("run k.co --launch l.json --json");
    let lines: Vec<Value> = ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let outcomes = lines.iter().map(|line| line["outcome"].as_str().unwrap()).collect::<Vec<_>>();
    assert_eq!(outcomes, ["ended", "mismatch", "ended"]);
    let detail = &lines[1]["detail"];
    assert_eq!(
        (&detail["actual"], &detail["failures"], &detail["written_by"]["lane"]),
        (&json!("12"), &json!(1), &json!(3))
    );
}

#[test]
fn wrong_wishes_are_refused() {
    let bench = bench(&json!([saxpy(200, None)]));
    for (flags, message) in [
        ("--wave 0:0", "--wave chooses the wave of --trace and --dump-state"),
        ("--trace --wave 2:0", "there is no group [2, 0, 0]; there are [2, 1, 1] groups"),
        ("--trace --wave 1:2", "group [1, 0, 0] has 2 waves"),
        ("--trace --wave x", "is no X[,Y,Z]:W"),
        ("--sgpr 0=1", "a dispatch starts from its launch"),
        ("--json --dump-state -", "both want stdout"),
        ("--dump-buffer y", "NAME=FILE is expected"),
    ] {
        bench.run(&format!("run k.co --launch l.json {flags}")).fails(2, message);
    }
    let two = json!([saxpy(200, None), {"kernel": "crc32", "grid": 1, "group": 1}]);
    bench.file("l.json", json!({ "launch": two }).to_string());
    bench.run("run k.co --launch l.json --trace").fails(2, "choose one with --only, such as '1'");
    // A raw program is not a dispatch.
    bench.words("raw.bin", &[common::END]);
    for flag in ["--profile", "--wave 0:0", "--dump-buffer y=y.bin"] {
        let message = format!("{} is for dispatches", flag.split(' ').next().unwrap());
        bench.run(&format!("run raw.bin --arch gcn1.4 {flag}")).fails(2, &message);
    }
}

#[test]
fn buffers_are_saved_and_dumped() {
    let mut launch = saxpy(200, None);
    launch["buffers"]["y"]["save"] = "saved.bin".into();
    let bench = bench(&json!([launch]));
    assert_eq!(bench.run("run k.co --launch l.json --dump-buffer y=y.bin --dump-buffer x=x.bin").code, 0);
    let read = |name: &str| {
        let bytes = std::fs::read(bench.path(name)).unwrap();
        bytes.chunks_exact(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect::<Vec<_>>()
    };
    let x: Vec<f32> = (0..200).map(|i| i as f32).collect();
    let y: Vec<f32> = x.iter().map(|x| 2.0 * x).collect();
    assert_eq!((read("x.bin"), read("y.bin"), read("saved.bin")), (x, y.clone(), y));
    bench.run("run k.co --launch l.json --dump-buffer z=z.bin").fails(2, "there is no buffer 'z'");
}

/// `hostile.co` has line tables. By llvm-dwarfdump its store at 0x3260 is of line 4, the next instruction of line 5.
#[test]
fn source_lines_are_named_where_the_object_has_them() {
    let bench = Bench::new();
    let object = concat!(env!("CARGO_MANIFEST_DIR"), "/corpus/kernels/hostile/hostile.co");
    bench.file("h.co", std::fs::read(object).unwrap());
    let run = "run h.co --kernel wild_store --grid 1 --group 1 --arg zero=4 --arg u64=0x123456789000";
    let detail = bench.run(&format!("{run} --json")).json()["detail"].clone();
    assert_eq!((&detail["pc"], &detail["source"]), (&json!("0x3260"), &json!("hostile.cl:4")));
    let ran = bench.run(&format!("{run} --trace"));
    assert!(ran.stdout.contains("pc 0x3260 (hostile.cl:4)"), "{ran:?}");
    let lines: Vec<&str> = ran.stdout.lines().collect();
    assert_eq!((lines[0], lines.iter().filter(|line| **line == "hostile.cl:4").count()), ("hostile.cl:4", 1));
    // Objects without line tables have no such field.
    let other = self::bench(&json!([saxpy(150, None)])).run("run k.co --launch l.json --json").json();
    assert!(other["detail"].get("source").is_none());
}

/// The expectations that `--write-expect` writes hold, and fail if something changes.
#[test]
fn what_came_out_can_be_expected() {
    let bench = bench(&json!([saxpy(200, None)]));
    assert_eq!(bench.run("run k.co --launch l.json --write-expect e.json").code, 0);
    assert_eq!(bench.run("run k.co --launch e.json").code, 0);
    let changed = bench.read("e.json").replace("2.0", "3.0");
    bench.file("e.json", changed);
    let ran = bench.run("run k.co --launch e.json");
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.stdout.starts_with("outcome       mismatch: buffer"), "{ran:?}");
}

#[test]
fn threads_that_are_asked_for_in_vain_are_explained() {
    let mut one = saxpy(200, None);
    (one["grid"], one["name"]) = (json!([128]), json!("one"));
    let bench = bench(&json!([saxpy(200, None), one]));
    let ran = bench.run("run k.co --launch l.json --only one --jobs 4 --json");
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(ran.json()["jobs_ignored"], "there is one group");
    assert!(ran.stderr.contains("--jobs 4: one thread, because there is one group"), "{ran:?}");
    let ran = bench.run("run k.co --launch l.json --only s --jobs 2 --json");
    assert_eq!((ran.code, &ran.json()["jobs_ignored"], ran.stderr.as_str()), (0, &Value::Null, ""), "{ran:?}");
    let ran = bench.run("run k.co --launch l.json --only one --json");
    assert_eq!((&ran.json()["jobs_ignored"], ran.stderr.as_str()), (&Value::Null, ""), "nobody asked: {ran:?}");
    // A program without a launch.
    let program = concat!(env!("CARGO_MANIFEST_DIR"), "/corpus/programs/gcd-gcn1.4.bin");
    let ran = bench.run(&format!("run {program} --jobs 2"));
    assert!(ran.code == 0 && ran.stderr.contains("--jobs: one thread, because"), "{ran:?}");
}

#[test]
fn a_budget_that_ends_while_groups_wait_says_so() {
    let launch = |groups: u32, goal: u32| {
        json!({
            "name": format!("goal{goal}"), "kernel": "grid_barrier", "grid": [64 * groups], "group": [64],
            "args": [{"buffer": "data"}, {"buffer": "count"}, {"u32": goal}],
            "buffers": {"data": {"size": 256 * groups}, "count": {"size": 4}},
        })
    };
    let bench = bench(&json!([launch(3, 3), launch(3, 4)]));
    let object = concat!(env!("CARGO_MANIFEST_DIR"), "/corpus/kernels/groups/groups-gfx900.co");
    bench.file("k.co", std::fs::read(object).unwrap());
    let hint = "of 3 groups while 2 others waited: for each other";
    for (goal, budget, outcome, has_hint) in
        [(3, 5, "budget", false), (3, 1_000_000, "ended", false), (4, 1_000_000, "budget", true)]
    {
        for jobs in ["", "--jobs 2"] {
            let line = format!("run k.co --launch l.json --only goal{goal} --max-insts {budget} {jobs} --json");
            let ran = bench.run(&line);
            assert_eq!(ran.json()["outcome"], outcome, "{ran:?}");
            assert_eq!(ran.stderr.contains(hint), has_hint, "{goal} {budget}: {ran:?}");
        }
    }
}
