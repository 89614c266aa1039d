//! Text that kernels print, and hidden arguments that are not provided. Expected texts are those of C's printf.

use serde_json::{Value, json};

use crate::common::{Bench, Ran};

/// `gfx900-v5-lib4.co` is of v5, but looks for the printf buffer in the place of v4, as a device library for v4 does.
const OBJECTS: [&str; 4] = ["gfx803-v2", "gfx906-v4", "gfx900-v5", "gfx900-v5-lib4"];

/// Returns a directory with the objects that print.
fn bench() -> Bench {
    let bench = Bench::new();
    for name in OBJECTS {
        let path = format!("{}/corpus/kernels/printf/{name}.co", env!("CARGO_MANIFEST_DIR"));
        bench.file(&format!("{name}.co"), std::fs::read(path).unwrap());
    }
    bench
}

const CONVERSIONS: &str = "--kernel conversions --grid 1 --group 1 --arg zero=4 --arg i32=10 --arg f32=1.5 \
    --arg f64=-0.1 --arg u64=12345678901234 --arg f32=1,2.5,-3,0 --arg u8=255,2,128 --arg f16=1,2,-0.5,65504 \
    --arg i64=-1,5 --arg i16=-3";

const TEXT: &str = r#"10|   10|10   |0000a|012|+10
1.500000|     1.500|1.5|-1.000000e-01|-0x1.9ap-4
12345678901234|b3a73ce2ff2|-3|253|K|(nil)
1.000000,2.500000,-3.000000,0.000000|-1,2,-128|-1,5|1.0,2.0,-0.5,65504.0|0x3f800000,0x40200000,0xc0400000,0
a: b|   ab|ab   |he|
colon: % "quotes" \ tab	.
"#;

#[test]
fn kernels_print_on_stdout() {
    let bench = bench();
    for name in OBJECTS {
        for engine in ["--interp", "--check --hot 0", "--jit --jobs 2"] {
            let ran = bench.run(&format!("run {name}.co {engine} {CONVERSIONS}"));
            assert_eq!(ran.code, 0, "{ran:?}");
            let (text, report) = ran.stdout.split_once("outcome ").expect("a report");
            assert_eq!(text, TEXT, "{name} {engine}");
            assert!(report.contains("buffer        arg0: 4 bytes") && !report.contains("printf"), "{report}");
        }
    }
}

#[test]
fn with_json_the_text_is_a_field() {
    let bench = bench();
    let ran = bench.run(&format!("run gfx900-v5.co --json {CONVERSIONS}"));
    assert_eq!((ran.code, ran.stderr.as_str(), &ran.json()["printf"]), (0, TEXT, &json!(TEXT)));
    assert_eq!(ran.json()["printf_missing"], Value::Null);
    assert_eq!(ran.json()["buffers"].as_object().unwrap().len(), 1, "the printf buffer is none of them");
    // A kernel that cannot print does not have this field.
    let object = concat!(env!("CARGO_MANIFEST_DIR"), "/corpus/kernels/kernels-gfx900-v5-O2.co");
    bench.file("k.co", std::fs::read(object).unwrap());
    let ran = bench.run("run k.co --json --kernel collatz --grid 3 --group 64 --arg zero=12 --arg u32=6");
    assert!(ran.json().get("printf").is_none(), "{ran:?}");
}

fn items(bench: &Bench, flags: &str) -> Ran {
    bench.run(&format!("run gfx906-v4.co --kernel items --grid 300 --group 64 --arg zero=1200 --json {flags}"))
}

fn lines(count: usize) -> String {
    (0..count).map(|i| format!("item {i}\n")).collect()
}

#[test]
fn the_order_is_the_same_on_many_threads() {
    let bench = bench();
    for jobs in ["1", "3", "4 --no-check", "4 --interp"] {
        let ran = items(&bench, &format!("--jobs {jobs}"));
        assert_eq!(ran.json()["printf"], lines(300), "{jobs}");
    }
}

/// A record has eight bytes, so these buffers are too small for the head and all records.
#[test]
fn a_full_buffer_is_said_and_a_larger_one_can_be_had() {
    let bench = bench();
    let ran = items(&bench, "--printf-bytes 808");
    let report = ran.json();
    assert_eq!((ran.code, &report["printf"]), (0, &json!(lines(100))));
    let missing = report["printf_missing"].as_str().unwrap();
    assert!(missing.contains("808 bytes") && missing.contains("--printf-bytes"), "{missing}");
    assert!(ran.stderr.contains("note: launch '0': the printf buffer"), "{ran:?}");
    assert_eq!(items(&bench, "--printf-bytes 0").json()["printf"], "");
    // The size changes no addresses and no results.
    let [small, large] = ["4096", "0x4000000"].map(|bytes| items(&bench, &format!("--printf-bytes {bytes}")).json());
    assert_eq!((&small["printf"], &small["printf_missing"]), (&json!(lines(300)), &Value::Null));
    assert_eq!((&small["state_hash"], &small["printf"]), (&large["state_hash"], &large["printf"]));
    bench.run("run gfx906-v4.co --printf-bytes 5").fails(2, "--printf-bytes is for dispatches");
}

#[test]
fn what_was_printed_before_a_fault_is_shown() {
    let bench = bench();
    let ran = bench.run("run gfx900-v5.co --kernel falls --grid 2 --group 2 --arg zero=4 --arg u64=0x123456789000");
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.stdout.starts_with("before 0\nbefore 1\noutcome       fault: memory"), "{ran:?}");
}

/// Older compilers store the address of a string that is not a literal.
#[test]
fn strings_of_buffers_are_read() {
    let bench = bench();
    bench.file("s.bin", "in a buffer\0 and not this");
    for name in OBJECTS {
        let ran = bench.run(&format!("run {name}.co --kernel text --grid 1 --group 1 --arg buf=s.bin"));
        assert!(ran.stdout.starts_with("<in a buffer>\noutcome"), "{ran:?}");
    }
}

#[test]
fn lines_of_a_batch_have_the_text() {
    let bench = bench();
    let launch = |n: u32| {
        json!({"name": format!("n{n}"), "kernel": "items", "grid": n, "group": 64,
        "args": [{"buffer": "o"}], "buffers": {"o": {"size": 4 * n}}})
    };
    bench.file("gfx900-v5.json", json!({"launch": [launch(2), launch(10_000)]}).to_string());
    let ran = bench.run("batch gfx900-v5.co");
    let results: Vec<Value> = ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(
        (&results[0]["printf"], &results[0]["outcome"]),
        (&json!("item 0\nitem 1\n"), &json!("ended")),
        "{ran:?}"
    );
    assert_eq!(results[1]["printf"].as_str().unwrap(), &lines(10_000)[..64 << 10]);
    let missing = results[1]["printf_missing"].as_str().unwrap();
    assert!(missing.starts_with("the text of 98890 bytes is cut after 65536"), "{missing}");
}

/// Hidden arguments that launches do not provide are named. The object is one that prints, with another name for the
/// hidden printf buffer.
#[test]
fn hidden_arguments_that_nobody_provides_are_named() {
    let bench = bench();
    let object = std::fs::read(bench.path("gfx906-v4.co")).unwrap();
    for (hidden, wish) in [
        ("hidden_heap_v1", "a heap (hidden_heap_v1"),
        ("hidden_default_queue", "a device queue (hidden_default_queue: enqueue_kernel)"),
    ] {
        let changed = renamed(&object, "hidden_printf_buffer", hidden);
        bench.file("h.co", changed);
        let run = "run h.co --kernel items --grid 1 --group 1 --arg zero=4";
        let ran = bench.run(run);
        assert_eq!(ran.code, 1, "{ran:?}");
        assert!(ran.stdout.contains(&format!("the kernel wants {wish}")), "{ran:?}");
        assert_eq!(bench.run(&format!("{run} --json")).json()["detail"]["wants"], json!([hidden]));
        let ran = bench.run("scan --all h.co");
        assert!(ran.stdout.contains(hidden), "{ran:?}");
        let ran = bench.run("scan h.co");
        assert!(ran.stdout.contains(&format!("no launch provides {hidden} (4 kernels)")), "{ran:?}");
    }
}

/// Pipes and device queues are named, too, with the argument. The object is one whose pointer to a buffer has another
/// kind.
#[test]
fn pipes_and_queues_that_nobody_provides_are_named() {
    let bench = bench();
    let object = std::fs::read(bench.path("gfx906-v4.co")).unwrap();
    for (kind, what, wish) in [
        ("pipe", "a pipe", "a pipe (pipe: read_pipe, write_pipe)"),
        ("queue", "a device queue", "a device queue (queue: enqueue_kernel)"),
    ] {
        bench.file("h.co", renamed(&object, "global_buffer", kind));
        let run = "run h.co --kernel items --grid 1 --group 1 --arg";
        bench.run(&format!("{run} zero=4")).fails(2, &format!("is {what}, which no launch provides: pass null"));
        let ran = bench.run(&format!("{run} null"));
        assert_eq!(ran.code, 1, "{ran:?}");
        assert!(ran.stdout.contains(&format!("the kernel wants {wish}")), "{ran:?}");
        assert_eq!(bench.run(&format!("{run} null --json")).json()["detail"]["wants"], json!([kind]));
        let ran = bench.run("scan h.co");
        assert!(ran.stdout.contains(&format!("no launch provides {what} (argument 0) (4 kernels)")), "{ran:?}");
    }
}

/// Returns `object` with a string in its MessagePack note replaced by a shorter one. The rest of the note moves to the
/// left, and zeros fill it up.
fn renamed(object: &[u8], from: &str, to: &str) -> Vec<u8> {
    let string = |text: &str| [&[0xa0 | text.len() as u8][..], text.as_bytes()].concat();
    let (old, new) = (string(from), string(to));
    let start = object.windows(8).position(|bytes| bytes == b"AMDGPU\0\0").unwrap();
    let size = u32::from_le_bytes(object[start - 8..start - 4].try_into().unwrap()) as usize;
    let note = start + 8..start + 8 + size;
    let (mut changed, mut rest) = (Vec::new(), &object[note.clone()]);
    while let Some(at) = rest.windows(old.len()).position(|bytes| bytes == old) {
        changed.extend_from_slice(&rest[..at]);
        changed.extend_from_slice(&new);
        rest = &rest[at + old.len()..];
    }
    changed.extend_from_slice(rest);
    changed.resize(size, 0);
    [&object[..note.start], &changed, &object[note.end..]].concat()
}

/// The recipe of docs/use/launch-contents.md#what-kernels-print, where clang 15 and the device libraries are installed.
#[test]
fn the_recipe_for_debians_clang_makes_kernels_that_print() {
    let has = |program: &str| std::process::Command::new(program).arg("--version").output().is_ok();
    let libs = std::path::Path::new("/usr/lib/x86_64-linux-gnu/amdgcn/bitcode/opencl.bc");
    if !["clang-15", "opt-15", "llvm-link-15", "ld.lld-15"].into_iter().all(has) || !libs.exists() {
        eprintln!("skipped: clang-15, opt-15, llvm-link-15, ld.lld-15 and rocm-device-libs are not all installed");
        return;
    }
    let bench = Bench::new();
    bench.file(
        "k.cl",
        "kernel void items(int n) { int i = get_global_id(0); if (i < n) printf(\"item %d of %s\\n\", i, \"two\"); }\n",
    );
    for processor in ["gfx803", "gfx900"] {
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/compile-printf.sh");
        let mut compiler = std::process::Command::new("sh");
        let compiled = compiler.arg(script).arg(bench.path("k.cl")).arg(bench.path("k.co")).arg(processor).output();
        let compiled = compiled.unwrap();
        assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
        let ran = bench.run("run k.co --grid 8 --group 8 --arg i32=2");
        assert!(ran.stdout.starts_with("item 0 of two\nitem 1 of two\noutcome "), "{processor}: {ran:?}");
    }
}
