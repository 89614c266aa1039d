//! `--synthetic`: runs on made-up inputs, their results, and comparisons of these.

use serde_json::Value;

use crate::common::{Bench, END, ENDLESS};

/// v_interp_p1_f32 v2, v0, attr0.x; v_interp_p2_f32 v2, v1, attr0.x; exp mrt0 v2, off, off, off done vm; s_endpgm
const PIXEL: [u32; 5] = [0xd408_0000, 0xd409_0001, 0xc400_1801, 2, END];
/// The shader above with component y.
const OTHER: [u32; 5] = [0xd408_0100, 0xd409_0101, 0xc400_1801, 2, END];

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn bench() -> Bench {
    let bench = Bench::new();
    bench.words("pixel.bin", &PIXEL).words("end.bin", &[END]).words("endless.bin", &ENDLESS);
    // A sidecar with a state keeps its inputs.
    bench.words("own.bin", &[END]).file("own.toml", "[state]\nm0 = 7\n");
    bench
}

#[test]
fn a_run_says_what_was_observed() {
    let bench = bench();
    let ran = bench.run("run --synthetic --json --arch gcn1.4 pixel.bin");
    let result = ran.json();
    assert_eq!((ran.code, &result["outcome"], &result["pc"]), (0, &"ended".into(), &Value::Null));
    assert_eq!((&result["environment"], &result["stage"]), (&"synthetic-float.2".into(), &"pixel".into()));
    assert_eq!(
        (&result["observed"]["exports"]["count"], &result["observed"]["stores"]["count"]),
        (&1.into(), &0.into())
    );
    let notes: Vec<_> = result["notes"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert!(notes.contains(&"synthetic") && notes.contains(&"stage-guessed"), "{notes:?}");
    // Every engine gives the same results.
    for engine in ["--interp", "--check --hot 0", "--no-check --hot 0"] {
        let other = bench.run(&format!("run --synthetic --json --arch gcn1.4 {engine} pixel.bin")).json();
        assert_eq!((&other["observed"], &other["state_hash"]), (&result["observed"], &result["state_hash"]));
    }
    let text = bench.run("run --synthetic=int,float --arch gcn1.4 --trace=3 pixel.bin").stdout;
    assert!(text.contains("environment   synthetic-int.2, stage pixel\nobserved      1 export, "), "{text}");
    assert!(text.contains("group 0,0,0 wave 0\n000000000000  v_interp_p1_f32"), "{text}");
}

#[test]
fn wrong_usage_is_named() {
    let bench = bench();
    bench.run("run --synthetic=green pixel.bin").fails(2, "'green' is no world");
    bench.run("run --synthetic=int,int pixel.bin").fails(2, "world int is there twice");
    bench.run("run --synthetic --exec 1 pixel.bin").fails(2, "--synthetic makes the inputs");
    bench.run("run --synthetic --dump-buffer a=b pixel.bin").fails(2, "--synthetic makes the inputs: no --dump-buffer");
    bench.run("run --synthetic=int,float --dump-state x pixel.bin").fails(2, "one world at a time");
}

#[test]
fn batches_do_not_depend_on_threads_or_engines() {
    let bench = bench();
    for (n, flags) in ["--jobs 1", "--jobs 3", "--jobs 2 --check --hot 0", "--interp"].iter().enumerate() {
        let ran =
            bench.run(&format!("batch . --synthetic=float,mixed --max-insts 999 --force --out {n}.jsonl {flags}"));
        assert_eq!(ran.code, 1, "{ran:?}");
    }
    let all: Vec<Vec<Value>> = (0..4).map(|n| lines(&bench.read(&format!("{n}.jsonl")))).collect();
    let of = |n: usize, field: &str| all[n].iter().map(|line| line[field].clone()).collect::<Vec<_>>();
    for n in 1..4 {
        for field in ["file", "outcome", "environment", "observed", "state_hash", "instructions", "notes"] {
            assert_eq!(of(n, field), of(0, field), "{n} {field}");
        }
    }
    let found: Vec<_> = all[0].iter().filter(|line| line["file"].is_string()).collect();
    let text = |line: &Value, field: &str| line[field].as_str().unwrap_or("-").to_owned();
    let found: Vec<_> =
        found.iter().map(|line| ["file", "environment", "outcome"].map(|field| text(line, field))).collect();
    let expected = [
        ["./end.bin", "synthetic-float.2", "ended"],
        ["./end.bin", "synthetic-mixed.2", "ended"],
        ["./endless.bin", "synthetic-float.2", "budget"],
        ["./endless.bin", "synthetic-mixed.2", "budget"],
        ["./own.bin", "-", "ended"],
        ["./pixel.bin", "synthetic-float.2", "ended"],
        ["./pixel.bin", "synthetic-mixed.2", "ended"],
    ];
    assert_eq!(found, expected);
}

/// A batch that was stopped goes on behind the last file all of whose lines are there.
#[test]
fn batches_are_resumed() {
    let bench = bench();
    let batch = |more: &str| bench.run(&format!("batch . --synthetic=float,int --max-insts 99 --out r.jsonl {more}"));
    batch("");
    let whole = bench.read("r.jsonl");
    let without_times = |text: &str| {
        let fields = |line: &str| line.split(",\"compile_ns\"").next().unwrap_or_default().to_owned();
        text.lines().map(fields).collect::<Vec<_>>()
    };
    for lines in 0..6 {
        let part: Vec<&str> = whole.lines().take(lines).collect();
        bench.file("r.jsonl.part", part.join("\n") + if lines == 0 { "" } else { "\n" });
        std::fs::remove_file(bench.path("r.jsonl")).unwrap();
        let ran = batch("--resume");
        assert_eq!(without_times(&bench.read("r.jsonl")), without_times(&whole), "{lines}: {ran:?}");
    }
    let part: Vec<&str> = whole.lines().take(1).collect();
    bench.file("x.jsonl.part", part.join("\n") + "\n");
    let other = bench.run("batch . --synthetic=mixed --max-insts 99 --out x.jsonl --resume");
    other.fails(2, "world synthetic-float.2, which is not wanted");
}

#[test]
fn compare_names_the_class_that_changed() {
    let bench = bench();
    let batch = |out: &str| bench.run(&format!("batch pixel.bin --synthetic=float,int --force --out {out}"));
    assert_eq!(batch("old.jsonl").code, 0);
    assert_eq!(bench.run("compare old.jsonl old.jsonl").code, 0);
    bench.words("pixel.bin", &OTHER);
    batch("new.jsonl");
    let ran = bench.run("compare old.jsonl new.jsonl --json");
    let state = &ran.json()["state"];
    assert_eq!((ran.code, state.as_array().unwrap().len()), (1, 2), "{ran:?}");
    assert_eq!(
        (&state[0]["name"], &state[0]["buffers"]),
        (&"pixel.bin: synthetic-float".into(), &serde_json::json!(["exports"]))
    );
}

#[test]
fn worlds_of_other_versions_are_not_compared() {
    let bench = bench();
    bench.run("batch pixel.bin --synthetic --out old.jsonl");
    bench.file("new.jsonl", bench.read("old.jsonl").replace("synthetic-float.2", "synthetic-float.1"));
    let ran = bench.run("compare old.jsonl new.jsonl --allow-partial");
    ran.fails(2, "the old results are of synthetic-float.2, the new ones of synthetic-float.1");
    bench.run("batch pixel.bin --synthetic=int --out int.jsonl");
    bench.run("compare old.jsonl int.jsonl").fails(2, "no world is in both");
}
