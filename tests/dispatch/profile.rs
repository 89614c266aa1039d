//! `gcnsim run --profile`, compared with counts made by hand from the listing of the kernels and their arguments.

use crate::common;

use common::Bench;
use serde_json::{Value, json};

/// Returns the result and the profile of a launch of a kernel of the gfx900 corpus.
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

/// Returns a launch of four waves, of 64, 64, 64 and 8 lanes, for 100 elements: 64 lanes of the first wave and 36 of
/// the second have one.
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
    // The two additions and the compare have 200 / 4 lanes in the mean; the ten instructions after the branch have 100
    // / 2.
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
        "consecutive": n, "uniform": 0, "random": 0, "lines": {"mean": 3.5, "max": 4}})
    };
    // 64 lanes touch four lines of 64 bytes; 36 lanes, from byte 256 to 400, touch three.
    assert_eq!(profile["accesses"], json!([access("load", 4), access("store", 2)]));
    // s_cbranch_execz sees 64, 36, 0 and 0 active lanes: in the second wave lanes disagree.
    let branch = json!([{"pc": "0x7c38", "mnemonic": "s_cbranch_execz", "executed": 4, "taken": 2, "lanes": 25.0,
        "split": 1}]);
    assert_eq!(profile["branches"], branch);
    // The kernel does not get hot, and the object has no line table.
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
    let access = |class: &str, access: &str, n: u64, lanes: f64, consecutive: u64, uniform: u64, more: Value| {
        let mut access = json!({"class": class, "access": access, "instructions": n, "lanes": lanes,
            "consecutive": consecutive, "uniform": uniform, "random": 0});
        access.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        access
    };
    let lines = |mean: f64, max: u64| json!({"lines": {"mean": mean, "max": max}});
    // No two of the 32 lanes of a half wave access different dwords of one bank.
    let cycles =
        |mean: f64, max: u64| json!({"cycles": {"mean": mean, "max": max}, "conflicts": {"mean": 0.0, "max": 0}});
    let expected = json!([
        // All lanes load the group's size; each lane loads an element; one lane stores the sum.
        access("vmem", "load", 2, 64.0, 1, 1, lines(2.5, 4)),
        access("vmem", "store", 1, 1.0, 0, 1, lines(1.0, 1)),
        // 32, 16, 8, 4, 2 and 1 lanes load two numbers and store one. A single lane counts as uniform. At the end one
        // lane loads the sum: (2 * 63 + 1) / 13 lanes.
        access("lds", "load", 13, 9.77, 10, 3, cycles(1.0, 1)),
        // At the beginning all lanes store, which takes two cycles: (64 + 63) / 7 lanes, 8 / 7 cycles.
        access("lds", "store", 7, 18.14, 6, 1, cycles(1.14, 2)),
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

/// Compiled code is timed by region, and the times of the parts add up.
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
    // The object has line tables.
    assert!(ran.stdout.contains("kernels.cl:"), "{}", ran.stdout);
}

/// Adds a launch of `triad` for 256 work-items: four waves, each through the loop over `passes` once. Its object has
/// line tables.
fn triad(bench: &Bench, stem: &str) {
    let object = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/kernels/kernels-gfx900.co");
    let launch = json!({
        "kernel": "triad", "grid": [256], "group": [256],
        "args": [{"buffer": "a"}, {"buffer": "a"}, {"buffer": "a"}, {"f32": 1.0}, {"u32": 256}, {"u32": 1}],
        "buffers": {"a": {"size": 1024}},
    });
    bench.file(&format!("{stem}.co"), std::fs::read(object).unwrap());
    bench.file(&format!("{stem}.json"), json!({ "launch": [launch] }).to_string());
}

#[test]
fn occupancy_names_what_limits_it() {
    // The metadata state 10 SGPRs and 4 VGPRs. Groups have two waves, so there are at most sixteen.
    let (_, profile) = profile(&saxpy(), "");
    let expected = json!({
        "waves_per_simd": 8.0, "max_waves_per_simd": 10, "groups": 16, "group_waves": 2, "limited_by": ["barriers"],
        "sgprs": {"wave": 16, "allocated": 16, "waves": 10}, "vgprs": {"wave": 4, "allocated": 4, "waves": 10},
        "lds": {"allocated": 0, "waves": 10.0},
    });
    assert_eq!(profile["occupancy"], expected);
    let bench = Bench::new();
    triad(&bench, "k");
    let ran = bench.run("run k.co --profile");
    let line = ran.stdout.lines().find(|line| line.starts_with("occupancy ")).unwrap();
    assert!(line.contains("of 10 waves per SIMD"), "{line}");
}

#[test]
fn listings_have_counts_before_each_instruction() {
    let (_, profile) = profile(&saxpy(), "--listing");
    let [function] = &profile["listing"].as_array().unwrap()[..] else { panic!("{profile}") };
    assert_eq!(
        (&function["kind"], &function["name"], &function["executed"]),
        (&json!("kernel"), &json!("saxpy"), &json!(82))
    );
    let code = function["code"].as_array().unwrap();
    let branch = code.iter().find(|inst| inst["pc"] == "0x7c38").unwrap();
    let expected = json!({"pc": "0x7c38", "text": "s_cbranch_execz 22", "target": "0x7c94", "executed": 4, "taken": 2});
    assert_eq!(*branch, expected);
    let store = code.iter().find(|inst| inst["pc"] == "0x7c8c").unwrap();
    assert_eq!((&store["executed"], &store["lanes"], &store["lines"]["mean"]), (&json!(2), &json!(50.0), &json!(3.5)));

    // The text for people has source lines, and their text if the source is beside the object.
    let bench = Bench::new();
    triad(&bench, "k");
    let plain = bench.run("run k.co --profile --listing").stdout;
    assert!(plain.contains("; kernel triad: 240 instructions executed, 60 of 60 reached\n"), "{plain}");
    assert!(plain.contains("\n; kernels.cl:245\n"), "{plain}");
    bench
        .file("kernels.cl", std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/benches/kernels/kernels.cl")).unwrap());
    let ran = bench.run("run k.co --profile --listing");
    assert!(ran.stdout.lines().any(|line| line.starts_with("; kernels.cl:245  ") && line.contains("a[i] = b[i]")));
    let end = ran.stdout.lines().last().unwrap();
    assert_eq!(end.split_whitespace().collect::<Vec<_>>(), ["4", "00ca40:", "s_endpgm"]);
    assert_eq!(bench.run("run k.co --listing").code, 2);
}

#[test]
fn folded_stacks_add_up() {
    let bench = Bench::new();
    triad(&bench, "k");
    assert_eq!(bench.run("run k.co --profile --folded out.txt").code, 0);
    let text = bench.read("out.txt");
    let counts = text.lines().map(|line| line.rsplit_once(' ').unwrap());
    assert_eq!(counts.clone().map(|(_, count)| count.parse::<u64>().unwrap()).sum::<u64>(), 240);
    assert!(counts.clone().any(|(stack, _)| stack == "triad;kernels.cl:245"), "{text}");
    // Without line tables the second frame is the function.
    let object = concat!(env!("CARGO_MANIFEST_DIR"), "/corpus/kernels/kernels-gfx900-v5-O2.co");
    bench
        .file("s.co", std::fs::read(object).unwrap())
        .file("s.json", json!({ "launch": [saxpy(), saxpy()] }).to_string().replacen("\"s\"", "\"t\"", 1));
    assert_eq!(bench.run("run s.co --profile --folded out.txt").code, 0);
    assert_eq!(bench.read("out.txt"), "saxpy;saxpy 164\n");
    assert!(!bench.path("out.txt.part").exists());
}

#[test]
fn coverage_of_a_run_by_line() {
    let bench = Bench::new();
    triad(&bench, "k");
    let ran = bench.run("run k.co --coverage c.info");
    assert_eq!(ran.code, 0, "{ran:?}");
    let text = bench.read("c.info");
    assert!(text.lines().any(|line| line.starts_with("SF:") && line.ends_with("kernels.cl")), "{text}");
    // There are four waves. The branch on passes > 0 goes on; the one after the loop's body leaves the loop.
    for line in ["FNDA:4,triad", "FNDA:0,nbody", "DA:244,4", "DA:245,4", "DA:246,4", "BRDA:244,0,0,4", "BRDA:244,0,1,0"]
    {
        assert!(text.lines().any(|other| other == line), "{line}: {text}");
    }
    let count = |start: &str| text.lines().filter(|line| line.starts_with(start)).count();
    let hit = text.lines().filter(|line| line.starts_with("DA:") && !line.ends_with(",0")).count();
    assert!(text.contains(&format!("LF:{}\nLH:{hit}\nend_of_record\n", count("DA:"))), "{text}");
    assert!(!bench.path("c.info.json").exists() && ran.stderr.contains("of 1 code object"), "{ran:?}");
}

/// Lines of results without times.
fn results(text: &str) -> Vec<Value> {
    let untimed = |line: &str| {
        let mut line: Value = serde_json::from_str(line).unwrap();
        line.as_object_mut().unwrap().retain(|key, _| !key.ends_with("_ns"));
        line
    };
    text.lines().map(untimed).collect()
}

#[test]
fn coverage_of_a_batch_adds_launches_and_files_up() {
    let bench = Bench::new();
    let object = concat!(env!("CARGO_MANIFEST_DIR"), "/corpus/kernels/kernels-gfx900-v5-O2.co");
    std::fs::create_dir(bench.path("in")).unwrap();
    triad(&bench, "in/a");
    triad(&bench, "in/b");
    bench.file("in/s.co", std::fs::read(object).unwrap()).file("in/s.json", json!({ "launch": [saxpy()] }).to_string());
    bench.words("in/sum.bin", &common::SUM).file("in/sum.toml", "arch = \"gcn1.4\"\n[state]\nsgpr = { 0 = 5 }\n");
    assert_eq!(bench.run("batch in --out plain.jsonl").code, 0);
    let ran = bench.run("batch in --out with.jsonl --coverage c.info");
    assert_eq!(ran.code, 0, "{ran:?}");
    // Coverage does not change results.
    assert_eq!(results(&bench.read("plain.jsonl")), results(&bench.read("with.jsonl")));
    // Two files have the same code, which runs with four waves each.
    let text = bench.read("c.info");
    assert!(text.lines().any(|line| line == "FNDA:8,triad") && text.lines().any(|line| line == "DA:246,8"), "{text}");
    assert_eq!(text.lines().filter(|line| line.starts_with("SF:")).count(), 1);
    // Code without source lines is listed by instruction.
    let by_instruction = results(&bench.read("c.info.json"));
    let of = |file: &str| {
        let is_it = |line: &&Value| line["files"][0].as_str().unwrap().ends_with(file);
        by_instruction.iter().find(is_it).unwrap_or_else(|| panic!("{file}: {by_instruction:?}"))
    };
    assert_eq!(by_instruction.len(), 2);
    let sum = of("sum.bin");
    assert_eq!(
        (&sum["schema"], &sum["instructions"], &sum["executed"]),
        (&json!("gcnsim.coverage.v1"), &json!(5), &json!(5))
    );
    let counts: Vec<&Value> =
        sum["functions"][0]["code"].as_array().unwrap().iter().map(|inst| &inst["count"]).collect();
    assert_eq!(counts, [5, 5, 5, 5, 1]);
    assert_eq!(sum["functions"][0]["code"][3]["taken"], 4);
    let saxpy =
        of("s.co")["functions"].as_array().unwrap().iter().find(|function| function["name"] == "saxpy").unwrap();
    assert_eq!(
        (&saxpy["instructions"], &saxpy["executed"], &saxpy["code"][0]["count"]),
        (&json!(29), &json!(29), &json!(4))
    );
    assert!(of("s.co")["functions"].as_array().unwrap().iter().any(|function| function["executed"] == 0));
    // With a `.json` file all code is listed by instruction.
    assert_eq!(bench.run("batch in --out with.jsonl --force --coverage c.json").code, 0);
    assert_eq!(bench.read("c.json").lines().count(), 3);
    assert_eq!(bench.run("batch in --out with.jsonl --force --coverage c.json --repeat 2").code, 2);
}

#[test]
fn coverage_in_worlds() {
    let bench = Bench::new();
    std::fs::create_dir(bench.path("in")).unwrap();
    // s_mov_b32 s0, 3; s_sub_u32 s0, s0, 1; s_cmp_lg_u32 s0, 0; s_cbranch_scc1 -3; s_endpgm.
    bench.words("in/k.bin", &[0xbe80_0083, 0x8080_8100, 0xbf07_8000, 0xbf85_fffd, 0xbf81_0000]);
    let flags = "--arch gfx900 --synthetic=float,int --sanitize";
    let ran = bench.run(&format!("batch in {flags} --out r.jsonl --coverage c.json"));
    assert_eq!(ran.code, 0, "{ran:?}");
    let lines = results(&bench.read("r.jsonl"));
    let waves: u64 = lines.iter().filter_map(|line| line["instructions"].as_u64()).sum::<u64>() / 11;
    assert!(waves >= 2);
    let counts = |text: &str| -> Vec<u64> {
        let code = results(text)[0]["functions"][0]["code"].clone();
        code.as_array().unwrap().iter().map(|inst| inst["count"].as_u64().unwrap()).collect()
    };
    // The first and last instruction run once in each wave, the loop three times.
    assert_eq!(counts(&bench.read("c.json")), [1, 3, 3, 3, 1].map(|n| n * waves));
    let ran = bench.run(&format!("run in/k.bin {flags} --coverage d.json"));
    assert_eq!((ran.code, counts(&bench.read("d.json"))), (0, [1, 3, 3, 3, 1].map(|n| n * waves).to_vec()), "{ran:?}");
}
