//! Batches of code objects with launch files beside them: running, checking, comparing, resuming, dealing out to
//! shards.

use crate::batch_support;

use std::fs;
use std::path::Path;

use batch_support::*;
use serde_json::{Value, json};

/// Returns an object of `corpus/kernels`.
fn object(name: &str) -> Vec<u8> {
    fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/kernels").join(name)).unwrap()
}

fn gfx900() -> Vec<u8> {
    object("kernels-gfx900-v5-O2.co")
}

/// Returns a launch of saxpy over four numbers: y = 2 x + y.
fn saxpy(name: &str, x: [f32; 4], expected: [f32; 4]) -> Value {
    json!({
        "name": name, "kernel": "saxpy", "grid": [4], "group": [4],
        "args": [{"buffer": "y"}, {"buffer": "x"}, {"f32": 2.0}, {"i32": 4}],
        "buffers": {"x": {"f32": x}, "y": {"f32": [10, 20, 30, 40]}},
        "expect": {"buffers": {"y": {"f32": expected}}},
    })
}

fn good(name: &str) -> Value {
    saxpy(name, [1.0, 2.0, 3.0, 4.0], [12.0, 24.0, 36.0, 48.0])
}

fn launches(list: &[Value]) -> String {
    json!({ "launch": list }).to_string()
}

/// Returns a folder `k` with other files and an object of four launches, of which one has another result than expected
/// and one is wrong.
fn corpus() -> Corpus {
    let corpus = Corpus::new();
    let other = saxpy("other", [1.0, 2.0, 3.0, 4.0], [12.0, 24.0, 36.5, 49.0]);
    let mut wrong = good("wrong");
    wrong["gird"] = json!(4);
    corpus.file("k/a.co", gfx900());
    corpus.file("k/a.json", launches(&[good("first"), other, wrong, good("last")]));
    corpus.file("k/b.co", object("kernels-gfx803-v4-O3.co"));
    corpus.file(
        "k/b.toml",
        "[[launch]]\nkernel = \"collatz\"\ngrid = 3\ngroup = 3\nargs = [{buffer = \"s\"}, {u32 = 6}]\n\
                             buffers.s.size = 12\nexpect.buffers.s.u32 = [8, 16, 3]\n",
    );
    corpus.shader("k/c.bin", &constant(5));
    corpus.file("k/c.json", launches(&[good("of no object")]));
    corpus.file("k/notes.json", "{}");
    corpus
}

#[test]
fn every_launch_is_a_line() {
    let corpus = corpus();
    let output = corpus.run(&["batch", "k", "--out", "r.jsonl"], 1);
    let lines = corpus.lines("r.jsonl");
    assert_eq!(strings(&lines, "file"), ["k/a.co", "k/a.co", "k/a.co", "k/a.co", "k/b.co", "k/c.bin"]);
    assert_eq!(strings(&lines, "launch"), ["first", "other", "wrong", "last", "0", "null"]);
    assert_eq!(strings(&lines, "outcome"), ["ended", "mismatch", "bad-input", "ended", "ended", "ended"]);
    assert_eq!(strings(&lines, "kernel"), ["saxpy", "saxpy", "null", "saxpy", "collatz", "null"]);
    let (first, other, wrong) = (&lines[0], &lines[1], &lines[2]);
    assert_eq!(
        (&first["pc"], &first["chip"], &first["dispatch"]["waves"]),
        (&Value::Null, &json!("gfx900"), &json!(1))
    );
    assert_eq!(first["buffers"]["y"]["changed"], true);
    let y: Vec<u8> = [12f32, 24.0, 36.0, 48.0].iter().flat_map(|x| x.to_le_bytes()).collect();
    assert_eq!(first["buffers"]["y"]["hash"], format!("{:016x}", xxhash_rust::xxh3::xxh3_64(&y)));
    for field in ["kind", "buffer", "index", "at", "expected", "actual", "failures"] {
        assert!(!other["detail"][field].is_null(), "{field}: {other}");
    }
    assert_eq!((&other["detail"]["index"], &other["detail"]["failures"]), (&json!(2), &json!(2)));
    let what = wrong["detail"]["kind"].as_str().unwrap();
    assert!(what.contains("unknown key 'gird'; did you mean 'grid'?"), "{what}");
    for line in [wrong, &lines[4]] {
        for field in ["launch_sha256", "chip", "dispatch", "buffers"] {
            assert!(line.as_object().unwrap().contains_key(field), "{field}: {line}");
        }
    }
    // c.json belongs to no object, and notes.json to no file at all.
    let summary = text(&output.stdout) + &text(&output.stderr);
    assert!(summary.contains("skipped       2 other files"), "{summary}");
}

#[test]
fn lines_do_not_depend_on_threads_or_engines() {
    let corpus = corpus();
    corpus.run(&["batch", "k", "--out", "one.jsonl", "--jobs", "1"], 1);
    corpus.run(&["batch", "k", "--out", "two.jsonl", "--jobs", "2"], 1);
    assert_eq!(corpus.deterministic("one.jsonl"), corpus.deterministic("two.jsonl"));
    corpus.run(&["batch", "k", "--out", "interp.jsonl", "--interp"], 1);
    let results = |file: &str| {
        let fields = ["outcome", "instructions", "by_class", "buffers", "state_hash", "launch_sha256"];
        let of = |line: &Value| fields.map(|field| line[field].clone());
        corpus.lines(file).iter().map(of).collect::<Vec<_>>()
    };
    assert_eq!(results("one.jsonl"), results("interp.jsonl"));
}

#[test]
fn an_interrupted_batch_goes_on() {
    let corpus = corpus();
    corpus.run(&["batch", "k", "--out", "whole.jsonl"], 1);
    let whole = corpus.text("whole.jsonl");
    for kept in 0..=6 {
        let part: String = whole.split_inclusive('\n').take(kept).collect();
        corpus.file("r.jsonl.part", part + "{\"schema\":\"gcnsim.b");
        let _ = fs::remove_file(corpus.path("r.jsonl"));
        corpus.run(&["batch", "k", "--out", "r.jsonl", "--resume"], 1);
        assert_eq!(corpus.deterministic("r.jsonl"), corpus.deterministic("whole.jsonl"), "{kept} lines");
        assert_eq!(whole.lines().last(), corpus.text("r.jsonl").lines().last());
    }
    // The initial contents of buffers are part of a launch's identity.
    corpus.file("k/a.json", launches(&[saxpy("first", [9.0; 4], [0.0; 4])]));
    corpus.file("r.jsonl.part", whole.split_inclusive('\n').take(2).collect::<String>());
    fs::remove_file(corpus.path("r.jsonl")).unwrap();
    let output = corpus.run(&["batch", "k", "--out", "r.jsonl", "--resume"], 2);
    let message = text(&output.stderr);
    assert!(message.contains("k/a.co: launch 'first' or its inputs have changed since"), "{message}");
}

#[test]
fn shards_are_put_together() {
    let corpus = corpus();
    corpus.run(&["batch", "k", "--out", "whole.jsonl"], 1);
    for shard in ["1/2", "2/2"] {
        let out = format!("s{}.jsonl", &shard[..1]);
        corpus.gcnsim(&["batch", "k", "--shard", shard, "--out", &out]).output().unwrap();
    }
    corpus.run(&["merge", "s1.jsonl", "s2.jsonl", "--out", "merged.jsonl"], 0);
    assert_eq!(corpus.deterministic("merged.jsonl"), corpus.deterministic("whole.jsonl"));
}

#[test]
fn a_comparison_names_the_buffers_that_differ() {
    let corpus = corpus();
    corpus.run(&["batch", "k", "--out", "old.jsonl"], 1);
    corpus.file("k/a.json", launches(&[saxpy("first", [1.0, 2.0, 3.0, 5.0], [12.0, 24.0, 36.0, 50.0])]));
    corpus.run(&["batch", "k", "--out", "new.jsonl", "--baseline", "old.jsonl"], 1);
    let output = corpus.run(&["compare", "old.jsonl", "new.jsonl", "--json"], 1);
    let comparison: Value = serde_json::from_slice(&output.stdout).unwrap();
    let state = &comparison["state"];
    assert_eq!(state.as_array().unwrap().len(), 1, "{comparison}");
    assert_eq!((&state[0]["name"], &state[0]["buffers"]), (&json!("k/a.co: saxpy: first"), &json!(["x", "y"])));
    assert_eq!(comparison["changed"], json!(["k/a.co: saxpy: first"]));
    let output = corpus.run(&["compare", "old.jsonl", "new.jsonl"], 1);
    assert!(text(&output.stdout).contains("(x, y)"), "{}", text(&output.stdout));
}

/// Every form of output shows, for all buffers that differ, which value differs first, what was expected, what it is,
/// and how many values differ.
#[test]
fn mismatches_name_values_everywhere() {
    let corpus = Corpus::new();
    let mut launch = good("two");
    // y ends as 12, 24, 36, 48, and x as 1, 2, 3, 4.
    launch["expect"] = json!({"buffers": {
        "y": [{"f32": [12]}, {"at": 8, "f32": [36.5, 49]}, {"at": 4, "f32": [25]}],
        "x": {"at": 2, "u16": [16256, 0, 7, "any"]},
    }});
    corpus.file("k/a.co", gfx900());
    corpus.file("k/a.json", launches(&[good("two")]));
    corpus.run(&["batch", "k", "--out", "old.jsonl"], 0);
    corpus.file("k/a.json", launches(&[launch]));
    let arguments = ["batch", "k", "--out", "r.jsonl", "--report", "r.html", "--write-ledger", "known.txt"];
    let batch = text(&corpus.run(&arguments, 0).stdout).replace("\n           ", " ");
    let detail = &corpus.lines("r.jsonl")[0]["detail"];
    let first = ["kind", "buffer", "index", "element", "at", "expected", "actual", "failures"];
    // The buffers are compared in the order of their names.
    let found = first.map(|field| detail[field].clone());
    let x = json!(["buffer", "x", 2, 3, 6, "7", "16384", 1]);
    assert_eq!(json!(found), x, "{detail}");
    assert_eq!(
        detail["buffers"],
        json!([
            {"buffer": "x", "index": 2, "element": 3, "at": 6, "expected": "7", "actual": "16384", "failures": 1, "values": 3},
            {"buffer": "y", "index": 0, "element": 2, "at": 8, "expected": "36.5", "actual": "36", "failures": 3, "values": 4},
        ])
    );
    let (x, y) = (
        "x[3] at byte 6: expected 7, got 16384 (1 of 3 values differ)",
        "y[2] at byte 8: expected 36.5, got 36 (3 of 4 values differ)",
    );
    let run = text(&corpus.run(&["run", "k/a.co"], 1).stdout);
    assert!(run.contains(&format!("\n  {x}\n")) && run.contains(&format!("\n  {y}\n")), "{run}");
    let both = format!("{x}; {y}");
    assert!(batch.contains(&both), "{batch}");
    assert!(corpus.text("r.html").contains(&both), "{}", corpus.text("r.html"));
    assert!(corpus.text("known.txt").contains(&both), "{}", corpus.text("known.txt"));
    let arguments = ["compare", "old.jsonl", "r.jsonl", "--junit", "j.xml", "--markdown"];
    let markdown = text(&corpus.run(&arguments, 1).stdout).replace('\\', "");
    assert!(markdown.contains(&both), "{markdown}");
    assert!(corpus.text("j.xml").contains(&both), "{}", corpus.text("j.xml"));
    let people = text(&corpus.run(&["compare", "old.jsonl", "r.jsonl"], 1).stdout);
    assert!(people.contains(&both), "{people}");
}

#[test]
fn a_renamed_launch_is_found_again() {
    let corpus = Corpus::new();
    corpus.file("a.co", gfx900());
    corpus.file("a.json", launches(&[good("one"), saxpy("two", [0.0; 4], [10.0, 20.0, 30.0, 40.0])]));
    corpus.run(&["batch", "a.co", "--out", "old.jsonl"], 0);
    corpus.file("a.json", launches(&[good("uno"), saxpy("two", [0.0; 4], [10.0, 20.0, 30.0, 40.0])]));
    corpus.run(&["batch", "a.co", "--out", "new.jsonl"], 0);
    let output = corpus.run(&["compare", "old.jsonl", "new.jsonl", "--json"], 0);
    let comparison: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(comparison["renamed"], json!([["a.co: saxpy: one", "a.co: saxpy: uno"]]));
}

/// The launch file of a renamed kernel has another hash, but the code is the same.
#[test]
fn a_renamed_kernel_is_found_again() {
    let corpus = Corpus::new();
    let rename = |name: &[u8]| {
        let mut bytes = gfx900();
        let places: Vec<_> = (0..bytes.len() - 5).filter(|&at| &bytes[at..at + 5] == b"saxpy").collect();
        places.into_iter().for_each(|at| bytes[at..at + 5].copy_from_slice(name));
        bytes
    };
    let two = |kernel: &str| {
        let mut two = [good("one"), saxpy("two", [0.0; 4], [10.0, 20.0, 30.0, 40.0])];
        two.iter_mut().for_each(|launch| launch["kernel"] = json!(kernel));
        launches(&two)
    };
    corpus.file("a.co", gfx900());
    corpus.file("a.json", two("saxpy"));
    corpus.run(&["batch", "a.co", "--out", "old.jsonl"], 0);
    corpus.file("a.co", rename(b"daxpy"));
    corpus.file("a.json", two("daxpy"));
    corpus.run(&["batch", "a.co", "--out", "new.jsonl"], 0);
    let output = corpus.run(&["compare", "old.jsonl", "new.jsonl", "--json"], 0);
    let comparison: Value = serde_json::from_slice(&output.stdout).unwrap();
    let expected =
        [["a.co: saxpy: one", "a.co: daxpy: one"], ["a.co: saxpy: two", "a.co: daxpy: two"]].map(|pair| json!(pair));
    assert_eq!(comparison["renamed"], json!(expected));
    assert_eq!((&comparison["changed"], &comparison["removed"]), (&json!([]), &json!([])));
}

#[test]
fn known_failures_of_launches_are_in_a_ledger() {
    let corpus = corpus();
    corpus.run(&["batch", "k/a.co", "--out", "r.jsonl", "--write-ledger", "known.txt"], 1);
    // The wrong launch has no hash and cannot be listed. It goes away.
    corpus.file("k/a.json", launches(&[good("first"), saxpy("other", [1.0, 2.0, 3.0, 4.0], [12.0, 24.0, 36.5, 49.0])]));
    corpus.run(&["batch", "k/a.co", "--out", "r.jsonl", "--force", "--ledger", "known.txt"], 0);
    let known = corpus.text("known.txt");
    assert!(known.lines().any(|line| line.contains('+') && line.contains("  mismatch  ")), "{known}");
    // Another expectation is another launch.
    corpus.file("k/a.json", launches(&[saxpy("other", [1.0, 2.0, 3.0, 4.0], [0.0; 4])]));
    corpus.run(&["batch", "k/a.co", "--out", "r.jsonl", "--force", "--ledger", "known.txt"], 1);
}

#[test]
fn a_bad_launch_file_is_one_line_and_the_rest_goes_on() {
    let corpus = Corpus::new();
    for (name, sidecars) in [
        ("broken", &[("json", "{\"launch\": [")][..]),
        ("key", &[("json", r#"{"launch": [], "bufers": {}}"#)]),
        ("none", &[("json", r#"{"launch": []}"#)]),
        ("two", &[("toml", "arch = \"gfx900\""), ("json", r#"{"launch": []}"#)]),
    ] {
        corpus.file(&format!("k/{name}.co"), gfx900());
        sidecars.iter().for_each(|(kind, text)| drop(corpus.file(&format!("k/{name}.{kind}"), text)));
    }
    corpus.file("k/z.co", gfx900());
    corpus.file("k/z.json", launches(&[good("last")]));
    corpus.run(&["batch", "k", "--out", "r.jsonl"], 1);
    let lines = corpus.lines("r.jsonl");
    assert_eq!(strings(&lines, "outcome"), ["bad-input", "bad-input", "bad-input", "bad-input", "ended"]);
    let kind = |line: usize| lines[line]["detail"]["kind"].as_str().unwrap();
    for (line, what) in
        ["launch file: no JSON", "unknown key 'bufers'; did you mean 'buffers'?", "no launches", "two sidecars"]
            .into_iter()
            .enumerate()
    {
        assert!(kind(line).contains(what), "{}", kind(line));
    }
}

#[test]
fn launches_that_share_buffers_depend_on_each_other() {
    let corpus = Corpus::new();
    let shared = |second: &str| {
        let mut steps = ["one", second, "three"].map(good);
        for step in &mut steps {
            step.as_object_mut().unwrap().remove("buffers");
            step.as_object_mut().unwrap().remove("expect");
        }
        // Each launch adds 2 x to y.
        steps[2]["expect"] = json!({"buffers": {"y": {"f32": [16, 32, 48, 64]}}});
        if second == "bad" {
            steps[1]["args"] = json!([]);
        }
        json!({"buffers": {"x": {"f32": [1, 2, 3, 4]}, "y": {"f32": [10, 20, 30, 40]}}, "launch": steps}).to_string()
    };
    corpus.file("a.co", gfx900());
    corpus.file("a.json", shared("two"));
    corpus.run(&["batch", "a.co", "--out", "r.jsonl"], 0);
    corpus.file("a.json", shared("bad"));
    corpus.run(&["batch", "a.co", "--out", "r.jsonl", "--force"], 1);
    let lines = corpus.lines("r.jsonl");
    assert_eq!(strings(&lines, "outcome"), ["ended", "bad-input", "bad-input"]);
    assert!(lines[1]["detail"]["kind"].as_str().unwrap().contains("the kernel takes 4 arguments"), "{}", lines[1]);
    assert_eq!(lines[2]["detail"]["kind"], "launch 'bad' did not run, whose buffers this one shares");
}

#[test]
fn archives_have_launch_files_too() {
    let corpus = Corpus::new();
    let mut of_file = good("file");
    of_file["buffers"]["x"] = json!({"file": "x.bin"});
    let member = |name: &str, content: &[u8]| (name.to_owned(), content.to_vec());
    corpus.file(
        "k.tar",
        tar(&[
            member("d/a.co", &gfx900()),
            member("d/a.json", launches(&[good("inside"), of_file]).as_bytes()),
            member("d/x.bin", &[0; 16]),
        ]),
    );
    let output = corpus.run(&["batch", "k.tar", "--out", "r.jsonl"], 1);
    let lines = corpus.lines("r.jsonl");
    assert_eq!(strings(&lines, "launch"), ["inside", "file"]);
    assert_eq!(strings(&lines, "outcome"), ["ended", "bad-input"]);
    assert!(lines[1]["detail"]["kind"].as_str().unwrap().contains("files of launches in archives are not read"));
    let summary = text(&output.stdout);
    assert!(summary.contains("skipped       1 data file of launches\n"), "d/a.json is used: {summary}");
}

/// Each launch of a bundle for two chips runs for both.
#[test]
fn bundles_run_launches_on_every_chip() {
    let corpus = Corpus::new();
    let parts = [
        ("hipv4-amdgcn-amd-amdhsa--gfx803", object("kernels-gfx803-v4-O3.co")),
        ("hipv4-amdgcn-amd-amdhsa--gfx906", object("kernels-gfx906-v4-Os.co")),
    ];
    let mut bundle = b"__CLANG_OFFLOAD_BUNDLE__".to_vec();
    bundle.extend(2u64.to_le_bytes());
    let mut offset = 4096u64;
    for (name, code) in &parts {
        for number in [offset, code.len() as u64, name.len() as u64] {
            bundle.extend(number.to_le_bytes());
        }
        bundle.extend(name.bytes());
        offset += code.len() as u64;
    }
    bundle.resize(4096, 0);
    parts.iter().for_each(|(_, code)| bundle.extend(code));
    corpus.file("a.hipfb", &bundle);
    corpus.file("a.json", launches(&[good("both")]));
    corpus.run(&["batch", "a.hipfb", "--out", "r.jsonl"], 0);
    assert_eq!(strings(&corpus.lines("r.jsonl"), "chip"), ["gfx803", "gfx906"]);
    let output = corpus.run(&["run", "a.hipfb", "--arch", "gfx906", "--json"], 0);
    assert_eq!(serde_json::from_slice::<Value>(&output.stdout).unwrap()["chip"], "gfx906");
    let output = corpus.run(&["run", "a.hipfb"], 2);
    assert!(text(&output.stderr).contains("choose a part with --arch; there are gfx803, gfx906"));
}

/// Ctrl-C ends a launch that would never end; the batch can go on.
#[cfg(unix)]
#[test]
fn a_launch_can_be_interrupted() {
    use std::process::Stdio;
    use std::time::Duration;
    let corpus = Corpus::new();
    // collatz never ends for 0, because 0 stays even.
    let endless = json!({"kernel": "collatz", "grid": 1, "group": 1, "args": [{"buffer": "s"}, {"u32": 0}],
                         "buffers": {"s": {"size": 4}}, "max_insts": u64::MAX});
    corpus.file("a.co", gfx900());
    corpus.file("a.json", launches(&[good("first"), endless, good("after"), good("more")]));
    for command in [&["batch", "a.co", "--out", "r.jsonl"][..], &["run", "a.co"]] {
        let mut child = corpus.gcnsim(command);
        let mut child = child.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(700));
        assert!(child.try_wait().unwrap().is_none(), "it still runs");
        let id = rustix::process::Pid::from_child(&child);
        rustix::process::kill_process(id, rustix::process::Signal::INT).unwrap();
        let output = child.wait_with_output().unwrap();
        let said = text(&output.stdout) + &text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(said.contains("interrupted"), "{said}");
    }
    // Launches that never started have no lines.
    let part = corpus.text("r.jsonl.part");
    assert_eq!(strings(&parse(&part), "launch"), ["first", "1"], "{part}");
    assert_eq!(strings(&parse(&part), "outcome"), ["ended", "interrupted"], "{part}");
    // The batch goes on with the launch that was cut short, here one that ends.
    let done = [good("first"), good("second"), good("after"), good("more")];
    corpus.file("a.json", launches(&done));
    corpus.run(&["batch", "a.co", "--out", "r.jsonl", "--resume"], 0);
    assert_eq!(strings(&corpus.lines("r.jsonl"), "launch"), ["first", "second", "after", "more"]);
}

/// Files that never started have no lines if the batch stops after many fast files, on one or more threads.
#[cfg(unix)]
#[test]
fn what_never_started_has_no_line() {
    use std::process::Stdio;
    use std::time::Duration;
    let corpus = Corpus::new();
    (0..600).for_each(|n| drop(corpus.shader(&format!("d/a{n:03}.bin"), &constant(n))));
    corpus.shader("d/b.bin", &[0xb000_0000, FOREVER]);
    (0..300).for_each(|n| drop(corpus.shader(&format!("d/c{n:03}.bin"), &constant(n))));
    for jobs in ["1", "2"] {
        let command = ["batch", "d", "--jobs", jobs, "--max-insts", "100000000000000", "--out", "r.jsonl", "--force"];
        let mut child = corpus.gcnsim(&command);
        let child = child.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(1500));
        let id = rustix::process::Pid::from_child(&child);
        rustix::process::kill_process(id, rustix::process::Signal::INT).unwrap();
        let output = child.wait_with_output().unwrap();
        let summary = text(&output.stdout);
        assert_eq!(output.status.code(), Some(1), "{summary}");
        let lines = parse(&corpus.text("r.jsonl.part"));
        let last = lines.iter().position(|line| line["outcome"] == "interrupted").unwrap();
        assert_eq!(lines[last]["file"], "d/b.bin");
        if jobs == "1" {
            assert_eq!(last + 1, lines.len(), "{}", lines[last + 1]);
        }
        // The summary counts exactly the lines.
        assert!(summary.contains(&format!("shaders       {}", lines.len())), "{} lines, {summary}", lines.len());
        assert!(summary.contains("1 interrupted"), "{summary}");
    }
    corpus.shader("d/b.bin", &constant(1));
    corpus.run(&["batch", "d", "--out", "r.jsonl", "--resume", "--max-insts", "100000000000000"], 0);
    assert_eq!(corpus.lines("r.jsonl").len(), 901);
}

/// The launches of one object are dealt out evenly, and merged in order.
#[test]
fn shards_split_an_object() {
    let corpus = Corpus::new();
    let mut list: Vec<Value> = (0..14).map(|n| good(&format!("l{n}"))).collect();
    list[5]["args"] = json!([]);
    corpus.file("k/a.co", gfx900());
    corpus.file("k/a.json", launches(&list));
    corpus.shader("k/b.bin", &constant(5));
    // Launches that share buffers stay together.
    let mut steps = ["one", "two", "three"].map(good);
    for step in &mut steps {
        step.as_object_mut().unwrap().remove("buffers");
        step.as_object_mut().unwrap().remove("expect");
    }
    let shared = json!({"buffers": {"x": {"f32": [1, 2, 3, 4]}, "y": {"f32": [10, 20, 30, 40]}}, "launch": steps});
    corpus.file("k/c.co", object("kernels-gfx906-v4-Os.co"));
    corpus.file("k/c.json", shared.to_string());
    corpus.file("k/d.co", object("kernels-gfx803-v4-O3.co"));
    corpus.file("k/d.json", "{\"launch\": [");
    corpus.run(&["batch", "k", "--out", "whole.jsonl"], 1);
    let whole = corpus.text("whole.jsonl");
    let mut counts = Vec::new();
    for number in 1..=4 {
        let (shard, out) = (format!("{number}/4"), format!("s{number}.jsonl"));
        let batch = ["batch", "k", "--shard", &shard, "--out", &out];
        corpus.gcnsim(&batch).output().unwrap();
        let lines = corpus.lines(&out);
        counts.push(lines.iter().filter(|line| line["file"] == "k/a.co").count());
        let shared = lines.iter().filter(|line| line["file"] == "k/c.co").count();
        assert!(shared == 0 || shared == 3, "{shared}");
        // A complete shard is recognised as such, and an incomplete one goes on.
        let again = [&batch[..], &["--resume"]].concat();
        let said = text(&corpus.gcnsim(&again).output().unwrap().stderr);
        assert!(said.contains("there is nothing to do"), "{said}");
        let complete = corpus.text(&out);
        corpus.file(&format!("{out}.part"), complete.split_inclusive('\n').take(2).collect::<String>());
        fs::remove_file(corpus.path(&out)).unwrap();
        corpus.gcnsim(&again).output().unwrap();
        assert_eq!(parse(&complete).len(), corpus.lines(&out).len());
        assert_eq!(complete.lines().last(), corpus.text(&out).lines().last());
    }
    counts.sort_unstable();
    assert_eq!(counts, [3, 3, 4, 4]);
    corpus.run(&["merge", "s3.jsonl", "s1.jsonl", "s4.jsonl", "s2.jsonl", "--out", "m.jsonl"], 0);
    assert_eq!(corpus.deterministic("m.jsonl"), corpus.deterministic("whole.jsonl"));
    assert_eq!(corpus.text("m.jsonl").lines().last(), whole.lines().last());
}

/// JUnit output has a test case for each entry, under names that do not change.
#[test]
fn junit_has_a_case_for_each_entry() {
    let corpus = corpus();
    let name = "k/e<&\">\u{1}.bin";
    corpus.shader(name, &[ILLEGAL]);
    corpus.shader("k/f.bin", &[ILLEGAL, 1]);
    let batch = ["batch", "k", "--out", "r.jsonl", "--force", "--junit", "j.xml"];
    corpus.run(&batch, 1);
    let xml = corpus.text("j.xml");
    assert!(
        xml.contains("<testsuites name=\"gcnsim batch\" tests=\"8\" failures=\"4\" errors=\"0\" skipped=\"0\""),
        "{xml}"
    );
    for part in [
        "name=\"k/a.co: saxpy: first\" file=\"k/a.co\" time=\"0.0",
        "name=\"k/a.co: saxpy: other\"",
        "<failure type=\"mismatch\" message=\"mismatch: y[2] at byte 8: expected 36.5, got 36 (2 of 4 values differ)\">",
        "unknown key &#39;gird&#39;",
        "name=\"k/e&lt;&amp;&quot;&gt;\u{fffd}.bin\"",
        "<failure type=\"fault\" message=\"fault: illegal-instruction\">outcome fault\ndetail illegal-instruction\npc 0x0\n",
    ] {
        assert!(xml.contains(&part.replace("&#39;", "'")), "{part}\n{xml}");
    }
    assert_eq!(xml.matches("<testcase ").count(), 8, "{xml}");
    assert!(!corpus.path("j.xml.part").exists());
    // Failures that the ledger lists are skipped; a listed entry that passes is a failure.
    corpus.run(&["batch", "k", "--out", "x.jsonl", "--write-ledger", "known.txt", "--ledger-by-name"], 0);
    corpus.shader("k/f.bin", &constant(1));
    corpus.run(&[&batch[..], &["--ledger", "known.txt"]].concat(), 1);
    let xml = corpus.text("j.xml");
    assert!(xml.contains("tests=\"8\" failures=\"1\" errors=\"0\" skipped=\"3\""), "{xml}");
    assert!(
        xml.contains("<failure type=\"unexpected-pass\"") && xml.contains("<skipped message=\"known failure: "),
        "{xml}"
    );
    corpus.run(&["batch", "k", "--out", "r.jsonl", "--force", "--junit", "k/b.co"], 2);
}

/// Files that a launch file names hold values: contents, results and expectations. None of them is run.
#[test]
fn what_a_launch_file_names_is_no_shader() {
    let corpus = Corpus::new();
    let values = |numbers: &[f32]| numbers.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
    let mut launch = good("named");
    launch["buffers"]["x"] = json!({"file": "in/a.bin"});
    launch["buffers"]["y"]["save"] = json!("out.bin");
    launch["expect"] = json!({"buffers": {"y": {"file": "want.elf", "type": "f32"}}});
    corpus.file("k/m.co", gfx900());
    corpus.file("k/m.json", launches(&[launch.clone()]));
    corpus.file("k/in/a.bin", values(&[1.0, 2.0, 3.0, 4.0]));
    corpus.file("k/out.bin", values(&[0.0; 4]));
    corpus.file("k/want.elf", values(&[12.0, 24.0, 36.0, 48.0]));
    // A launch file for --launch, in a folder of its own, and one with the stem of its data.
    launch["buffers"]["y"]["save"] = json!("first.bin");
    corpus.file("k/a/other.json", launches(&[launch.clone()]));
    corpus.file("k/a/first.bin", values(&[1.0; 4]));
    launch["buffers"]["y"]["save"] = json!("z.bin");
    corpus.file("k/z.toml", "launch = [{kernel = \"saxpy\", grid = 1, group = 1, buffers.z = {save = \"z.bin\"}}]");
    corpus.file("k/z.bin", values(&[1.0; 4]));
    corpus.shader("k/shader.bin", &constant(5));
    let output = corpus.run(&["batch", "k", "--out", "r.jsonl"], 0);
    assert_eq!(strings(&corpus.lines("r.jsonl"), "file"), ["k/m.co", "k/shader.bin"]);
    let summary = text(&output.stdout);
    assert!(summary.contains("skipped       5 data files of launches"), "{summary}");
    for command in ["scan", "lint"] {
        let output = corpus.gcnsim(&[command, "k", "--arch", "gfx900", "--json"]).output().unwrap();
        let all = text(&output.stdout) + &text(&output.stderr);
        for data in ["a.bin", "out.bin", "want.elf", "first.bin", "z.bin"] {
            assert!(!all.contains(data), "{command}: {all}");
        }
    }
    // Who names a file gets it, and so does who names the folder that the launch file is not in.
    corpus.run(&["batch", "k/shader.bin", "k/z.bin", "--out", "named.jsonl"], 1);
    assert_eq!(corpus.lines("named.jsonl").len(), 2);
    corpus.run(&["batch", "k/in", "k/shader.bin", "--out", "in.jsonl"], 1);
    corpus.run(&["batch", "k/in", "k", "--out", "both.jsonl"], 0);
    assert_eq!(strings(&corpus.lines("both.jsonl"), "file"), ["k/m.co", "k/shader.bin"]);
    // In an archive the launch cannot be run, but its data is no shader either.
    let members = ["k/m.co", "k/m.json", "k/in/a.bin", "k/out.bin", "k/want.elf", "k/shader.bin"];
    let mut tar = std::process::Command::new("tar");
    tar.args(["-cf", "k.tar"]).args(members).current_dir(corpus.path("."));
    assert!(tar.status().is_ok_and(|status| status.success()));
    corpus.run(&["batch", "k.tar", "--out", "tar.jsonl"], 1);
    assert_eq!(strings(&corpus.lines("tar.jsonl"), "file"), ["k.tar/k/m.co", "k.tar/k/shader.bin"]);
}

/// What `--write-expect` writes into a corpus is not run by the next batch.
#[test]
fn written_values_are_no_shaders() {
    let corpus = Corpus::new();
    let mut launch = saxpy("large", [0.0; 4], [0.0; 4]);
    launch["grid"] = json!([2000]);
    launch["args"][3] = json!({"i32": 2000});
    launch["buffers"] = json!({"x": {"iota": {"type": "f32"}, "size": 8000}, "y": {"size": 8000, "fill": {"f32": 0}}});
    launch["expect"] = Value::Null;
    corpus.file("k/m.co", gfx900());
    corpus.file("k/m.json", launches(&[launch]));
    corpus.run(&["run", "k/m.co", "--write-expect", "k/m.json"], 0);
    assert!(corpus.path("k/m.large.y.values").is_file());
    corpus.run(&["batch", "k", "--out", "r.jsonl"], 0);
    assert_eq!(strings(&corpus.lines("r.jsonl"), "outcome"), ["ended"]);
    // Without its launch file nothing tells what it is, but its name.
    fs::remove_file(corpus.path("k/m.json")).unwrap();
    corpus.run(&["batch", "k", "--out", "r.jsonl", "--force", "--max-insts", "1000"], 1);
    assert!(strings(&corpus.lines("r.jsonl"), "file").iter().all(|file| file == "k/m.co"));
}
