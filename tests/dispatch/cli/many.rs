//! Several launches: names, totals, `--only` on shared memory, and writing expectations.

use serde_json::{Value, json};

use super::{bench, saxpy};
use crate::common::Bench;

/// Returns a directory with two launches on the same memory: y becomes 2 x, then 4 x.
fn shared(expected: Option<Value>) -> Bench {
    let step = |name: &str| {
        let mut launch = saxpy(200, None);
        launch["name"] = name.into();
        launch.as_object_mut().unwrap().remove("buffers");
        launch
    };
    let bench = bench(&json!([]));
    let mut launches = json!([step("one"), step("two"), step("three")]);
    if let Some(expected) = expected {
        launches[1]["expect"] = expected;
    }
    let buffers = json!({"x": {"iota": {"type": "f32"}, "size": 800}, "y": {"size": 800, "save": "y.bin"}});
    bench.file("l.json", json!({"buffers": buffers, "launch": launches}).to_string());
    bench
}

fn floats(bench: &Bench, name: &str) -> Vec<f32> {
    let bytes = std::fs::read(bench.path(name)).unwrap();
    bytes.chunks_exact(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect()
}

#[test]
fn one_launch_on_shared_buffers_finds_what_those_before_it_left() {
    let bench = shared(None);
    let all = bench.run("run k.co --launch l.json --json");
    let hashes: Vec<Value> =
        all.stdout.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["state_hash"].clone()).collect();
    let ran = bench.run("run k.co --launch l.json --only two --json");
    assert_eq!((ran.code, &ran.json()["launch"], &ran.json()["state_hash"]), (0, &json!("two"), &hashes[1]), "{ran:?}");
    assert!(ran.stderr.contains("note: launch 'one' runs first, unseen"), "{ran:?}");
    assert_eq!(floats(&bench, "y.bin")[..3], [0.0, 4.0, 8.0]);
    let ran = bench.run("run k.co --launch l.json --only 2");
    assert!(ran.stdout.contains("launch        three\n") && !ran.stdout.contains("one"), "{ran:?}");
    assert!(ran.stderr.contains("launches 'one', 'two' run first"), "{ran:?}");
    assert_eq!(floats(&bench, "y.bin")[1], 6.0);
    // A wave of the second launch is also shown on that memory.
    let ran = bench.run("run k.co --launch l.json --only two --trace --wave 0:0");
    assert!(ran.stdout.contains("y+0x4=0x40800000"), "{}", ran.stdout);
    // Without shared buffers nothing else runs.
    let bench = self::bench(&json!([saxpy(150, None), {"name": "c", "kernel": "collatz", "grid": 1, "group": 1,
        "args": [{"buffer": "o"}, {"u32": 6}], "buffers": {"o": {"size": 4}}}]));
    let ran = bench.run("run k.co --launch l.json --only c");
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{ran:?}");
    bench.run("run k.co --launch l.json --only d").fails(2, "l.json: no launch 'd'; there are s, c");
}

#[test]
fn launches_have_names_and_a_last_line() {
    let good = json!({"name": "good", "kernel": "collatz", "grid": 1, "group": 1,
        "args": [{"buffer": "o"}, {"u32": 6}], "buffers": {"o": {"size": 4}}});
    let bench = bench(&json!([good, saxpy(150, None)]));
    let ran = bench.run("run k.co --launch l.json");
    assert_eq!(ran.code, 1);
    let lines: Vec<&str> = ran.stdout.lines().collect();
    assert_eq!(lines[..2], ["outcome       ended", "launch        good (1 of 2)"]);
    assert!(lines.contains(&"launch        s (2 of 2)"), "{ran:?}");
    assert!(lines.last().unwrap().starts_with("all launches  2: 1 ended, 1 fault (s); "), "{ran:?}");
    // A single launch has no line of totals, and a launch from flags has no name.
    let ran = bench.run("run k.co --launch l.json --only good");
    assert!(ran.stdout.contains("launch        good\n") && !ran.stdout.contains("all launches"), "{ran:?}");
    let ran = bench.run("run k.co --kernel collatz --grid 1 --group 1 --arg zero=4 --arg u32=6");
    assert!(!ran.stdout.contains("launch"), "{ran:?}");
    // In JSON there is an object for each launch, and classes are an object that counts all instructions.
    for flags in ["--json", "--json --interp", "--json --jobs 2"] {
        let ran = bench.run(&format!("run k.co --launch l.json {flags}"));
        let objects: Vec<Value> = ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(objects.len(), 2);
        for object in objects {
            let classes = object["by_class"].as_object().unwrap();
            let sum: u64 = classes.values().map(|count| count.as_u64().unwrap()).sum();
            assert_eq!(sum, object["instructions"].as_u64().unwrap(), "{flags}");
        }
    }
}

fn written(bench: &Bench, name: &str) -> Value {
    serde_json::from_str(&bench.read(name)).unwrap()
}

#[test]
fn values_are_written_as_what_is_expected() {
    let mut small = saxpy(200, None);
    small["grid"] = 4.into();
    small["buffers"] = json!({"x": {"f32": [1, 0.1, "-inf", "nan"]}, "y": {"f32": [0, 0, 0, 0]}});
    small["args"][3] = json!({"i32": 4});
    let mut large = saxpy(200, None);
    large["name"] = "large/one".into();
    large["grid"] = 2000.into();
    large["args"][3] = json!({"i32": 2000});
    large["buffers"] = json!({"x": {"iota": {"type": "f32"}, "size": 8000}, "y": {"size": 8000, "fill": {"f32": 0}}});
    let bench = bench(&json!([small, large]));
    let ran = bench.run("run k.co --launch l.json --write-expect e.json");
    assert_eq!(ran.code, 0, "{ran:?}");
    let file = written(&bench, "e.json");
    let expect = &file["launch"][0]["expect"];
    assert_eq!(expect["buffers"]["y"], json!({"f32": [2.0, 0.2, "-inf", "nan"]}));
    assert_eq!((&expect["outcome"], expect.get("instructions")), (&json!("ended"), None));
    assert!(expect["buffers"]["x"]["hash"].is_string(), "what did not change");
    let values = file["launch"][1]["expect"]["buffers"]["y"].clone();
    assert_eq!(values, json!({"file": "e.large_one.y.values", "type": "f32"}));
    assert_eq!(floats(&bench, "e.large_one.y.values"), (0..2000).map(|i| 2.0 * i as f32).collect::<Vec<_>>());
    assert_eq!(bench.run("run k.co --launch e.json").code, 0);
    // Expectations are also written in TOML, and with numbers of instructions.
    let ran = bench.run("run k.co --launch l.json --write-expect e.toml --expect-instructions");
    assert_eq!(ran.code, 0, "{ran:?}");
    let text = bench.read("e.toml");
    assert!(text.contains("instructions = ") && text.contains("[[launch]]"), "{text}");
    assert_eq!(bench.run("run k.co --launch e.toml").code, 0, "{text}");
    // A launch by flags is written as a launch file, too.
    let flags = "--kernel collatz --grid 2 --group 2 --arg zero=8 --arg u32=6";
    assert_eq!(bench.run(&format!("run k.co {flags} --write-expect f.json")).code, 0);
    assert_eq!(written(&bench, "f.json")["launch"][0]["expect"]["buffers"]["arg0"], json!({"u32": [8, 16]}));
    assert_eq!(bench.run("run k.co --launch f.json").code, 0);
    bench.words("raw.bin", &[super::common::END]);
    bench.run("run raw.bin --arch gfx900 --write-expect g.json").fails(2, "--write-expect is for dispatches");
}

#[test]
fn what_is_wrong_is_written_anew_and_tolerances_stay() {
    let mut launch = saxpy(200, None);
    launch["expect"] = json!({"instructions": 1, "buffers": {"y": [
        {"at": 4, "f32": [9, "any", 9], "rel": 0.5},
        {"at": "0x10", "f32": 9, "ulp": 2},
        {"file": "y.f32", "type": "f32", "abs": 1},
        {"hash": "0000000000000000"},
    ]}});
    let other = json!({"name": "other", "kernel": "collatz", "grid": 1, "group": 1,
        "args": [{"buffer": "o"}, {"u32": 6}], "buffers": {"o": {"size": 4}}, "expect": {"buffers": {"o": {"u32": 1}}}});
    let bench = bench(&json!([launch, other]));
    bench.file("y.f32", [5.0f32, 5.0].map(f32::to_le_bytes).concat());
    let ran = bench.run("run k.co --launch l.json --only s --write-expect l.json");
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stdout.starts_with("outcome       mismatch"), "{ran:?}");
    let file = written(&bench, "l.json");
    let checks = &file["launch"][0]["expect"]["buffers"]["y"];
    assert_eq!(checks[0], json!({"at": 4, "f32": [2.0, "any", 6.0], "rel": 0.5}));
    assert_eq!(checks[1], json!({"at": "0x10", "f32": 8.0, "ulp": 2}));
    assert_eq!(checks[2], json!({"file": "l.s.y.2.values", "type": "f32", "abs": 1}));
    assert_eq!(floats(&bench, "l.s.y.2.values"), [0.0, 2.0]);
    assert_eq!(floats(&bench, "y.f32"), [5.0, 5.0], "other files stay");
    assert!(file["launch"][0]["expect"]["instructions"].as_u64().unwrap() > 1);
    assert!(file["launch"][0]["expect"]["buffers"].get("x").is_none());
    // The other launch did not run.
    assert_eq!(file["launch"][1]["expect"]["buffers"]["o"], json!({"u32": 1}));
    assert_eq!(bench.run("run k.co --launch l.json --only s").code, 0);
    assert_eq!(bench.run("run k.co --launch l.json").code, 1);
    // A fault that nobody expected still sets the exit code, and is written as the expected outcome.
    let bench = self::bench(&json!([saxpy(150, None)]));
    assert_eq!(bench.run("run k.co --launch l.json --write-expect e.json").code, 1);
    let file = written(&bench, "e.json");
    assert_eq!(file["launch"][0]["expect"]["outcome"], "fault");
    let ran = bench.run("run k.co --launch e.json");
    assert!(ran.code == 0 && ran.stdout.starts_with("outcome       fault"), "it is expected now: {ran:?}");
}

#[test]
fn a_kernel_without_a_launch_says_so() {
    let bench = bench(&json!([]));
    let message = "note: give --grid, --group and an --arg for each argument, or --launch with a file that 'gcnsim \
                   launch-template k.co' begins: kernel 'collatz' takes 2 arguments and was run without a launch";
    let ran = bench.run("run k.co --kernel collatz");
    assert_eq!(ran.code, 1);
    assert!(ran.stderr.contains(message), "{ran:?}");
    assert!(bench.run("run k.co --kernel collatz --json").stderr.contains(message));
    // There is no note if the user sets registers.
    assert!(!bench.run("run k.co --kernel collatz --sgpr 0=1").stderr.contains("without a launch"));
    let ran = bench.run("batch k.co --out r.jsonl");
    let line = ran.stdout.lines().find(|line| line.starts_with("launches?")).unwrap_or_else(|| panic!("{ran:?}"));
    assert!(line.contains(" kernels were run without a launch"), "{line}");
    // A file that looks like a launch file is named.
    bench.file("k.json", r#"{"launches": []}"#);
    let note = "k.json looks like a launch file";
    assert!(bench.run("run k.co --kernel collatz").stderr.contains(note));
    assert!(bench.run("batch k.co --out r.jsonl --force").stdout.contains(note));
    assert!(bench.run("batch . --out r.jsonl --force").stdout.contains(note));
    bench.file("k.json", r#"{"schema": "something else"}"#);
    assert!(!bench.run("run k.co --kernel collatz").stderr.contains("looks like"));
}

/// Where a launch does not say what a buffer holds, the metadata does: saxpy takes `float*`, collatz `uint*`.
#[test]
fn values_have_the_types_of_the_source() {
    let bench = bench(&json!([]));
    let flags = "--kernel saxpy --grid 4 --group 4 --arg zero=16 --arg zero=16 --arg f32=2 --arg i32=4";
    assert_eq!(bench.run(&format!("run k.co {flags} --write-expect f.json")).code, 0);
    bench.file("x.bin", [0.5f32, 1.5, -2.0, 4.0].into_iter().flat_map(f32::to_le_bytes).collect::<Vec<u8>>());
    let flags = "--kernel saxpy --grid 4 --group 4 --arg zero=16 --arg buf=x.bin --arg f32=2 --arg i32=4";
    assert_eq!(bench.run(&format!("run k.co {flags} --write-expect f.json")).code, 0);
    assert_eq!(
        written(&bench, "f.json")["launch"][0]["expect"]["buffers"]["arg0"],
        json!({"f32": [1.0, 3.0, -4.0, 8.0]})
    );
    // The zeros of a template say little; other numbers say what is meant.
    for (fill, expected) in [
        (json!({"u32": 0}), json!({"f32": [1.0, 3.0, -4.0, 8.0]})),
        (
            json!({"u32": 0x3f80_0000u32}),
            json!({"u32": [0x4000_0000u32, 0x4080_0000u32, 0xc040_0000u32, 0x4110_0000u32]}),
        ),
    ] {
        let launch = json!({"launch": {
            "kernel": "saxpy", "grid": 4, "group": 4,
            "args": [{"buffer": "y"}, {"buffer": "x"}, {"f32": 2}, {"i32": 4}],
            "buffers": {"x": {"f32": [0.5, 1.5, -2, 4]}, "y": {"fill": fill, "size": 16}},
        }});
        bench.file("t.json", launch.to_string());
        assert_eq!(bench.run("run k.co --launch t.json --write-expect w.json").code, 0);
        let file = written(&bench, "w.json");
        let launch = &file["launch"];
        assert_eq!(launch.get(0).unwrap_or(launch)["expect"]["buffers"]["y"], expected);
    }
    let template: Value = serde_json::from_str(&bench.run("launch-template k.co --kernel saxpy").stdout).unwrap();
    assert_eq!(template["launch"][0]["buffers"]["arg0"], json!({"fill": {"f32": 0.0}, "size": 4096}));
    let template: Value = serde_json::from_str(&bench.run("launch-template k.co --kernel collatz").stdout).unwrap();
    assert_eq!(template["launch"][0]["buffers"]["arg0"], json!({"fill": {"u32": 0}, "size": 4096}));
}
