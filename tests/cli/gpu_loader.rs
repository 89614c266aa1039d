//! `loader`: the programs of `corpus/libc`, whose sources say what they print and return.

use std::fs;

use crate::common::{Bench, Ran};

/// A folder with both programs.
fn bench() -> Bench {
    let bench = Bench::new();
    for name in ["hello-gfx900.co", "division-gfx900.co"] {
        bench.file(name, fs::read(format!("{}/corpus/libc/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap());
    }
    bench
}

#[track_caller]
fn gives(ran: &Ran, code: i32, stdout: &str) {
    assert_eq!((ran.code, ran.stdout.as_str()), (code, stdout), "{ran:?}");
    assert!(ran.stderr.is_empty(), "{ran:?}");
}

#[test]
fn programs_print_and_exit() {
    let bench = bench();
    for engine in ["", "--interp "] {
        let hello = |more: &str| bench.run(&format!("loader {engine}{more}"));
        let lines = "a line\na longer line, whose bytes do not fit into one packet: they come in three packets of 64 bytes, \
                     or four\n\nthe end\n";
        gives(&hello("--threads 3 hello-gfx900.co"), 0, lines);
        // 4 + 1 + 6 + 1 + 4 + 1 + 11 + 1 + 1 bytes, and the line's end.
        let printed = "  -3|word  |2.50|10000000000|%\nthe end\n";
        gives(&hello("hello-gfx900.co print word"), 31, printed);
        gives(&hello("hello-gfx900.co exit"), 7, "");
        gives(&hello("hello-gfx900.co memory"), 5, "the end\n");
        gives(&hello("--kernel alone --blocks 5 hello-gfx900.co"), 31, "");
        gives(&hello("--kernel=_end hello-gfx900.co --kernel=x"), 0, "the end\n");
    }
    let read = bench.run_with_stdin("loader hello-gfx900.co read", b"one\ntwo");
    gives(&read, 0, "one\ntwothe end\n");
    let output = bench.command("loader hello-gfx900.co variables").env("GPU_OF", "gfx900").output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "GPU_OF=gfx900\nthe end\n");
}

/// All waves call at once: each line comes whole, and none is lost.
#[test]
fn groups_call_at_once() {
    let ran = bench().run("loader --threads 256 --blocks 6 hello-gfx900.co");
    assert_eq!(ran.code, 0, "{ran:?}");
    let count = |what: &dyn Fn(&str) -> bool| ran.stdout.lines().filter(|line| what(line)).count();
    // Of 256 work-items of a group 86 have the first of three words, and 85 each of the others.
    assert_eq!(count(&|line| line == "a line"), 86 * 6);
    assert_eq!(count(&|line| line.starts_with("a longer line, ") && line.ends_with(" or four")), 85 * 6);
    assert_eq!(count(&str::is_empty), 85 * 6);
    assert_eq!(ran.stdout.lines().count(), 256 * 6 + 1);
}

#[test]
fn results_of_tests_are_exit_codes() {
    let bench = bench();
    gives(&bench.run("loader --threads 64 --blocks 3 division-gfx900.co"), 0, "");
    gives(&bench.run("loader division-gfx900.co wrong"), 2, "");
    bench.run("loader division-gfx900.co trap").fails(1, "trap");
}

#[test]
fn failures_say_what_failed() {
    let bench = bench();
    let fault = bench.run("loader hello-gfx900.co fault");
    fault.fails(1, "loader: _start did not end");
    assert!(fault.stderr.contains("0x10"), "{fault:?}");
    assert!(!fault.stdout.contains("the end"), "{fault:?}");
    bench.run("loader hello-gfx900.co trap").fails(1, "trap");
    bench.run("loader hello-gfx900.co unknown").fails(1, "operation 0x6300004d of libc's remote calls is not served");
    bench.run("loader --max-insts 10 hello-gfx900.co").fails(1, "budget");
    bench.run("loader --kernel selftest hello-gfx900.co").fails(2, "there are _begin, _start, _end, alone");
    bench.run("loader --threads 4000000 --blocks 4000000 hello-gfx900.co").fails(2, "are too many");
    bench.run("loader --threads 4000 hello-gfx900.co").fails(2, "4000");
    bench.run("loader --threads 0 hello-gfx900.co").fails(2, "--threads-x");
    bench.run("loader missing.co").fails(2, "missing.co");
    bench.file("text.co", "no object\n").run("loader text.co").fails(2, "text.co");
    bench.run("loader --arch gfx906 hello-gfx900.co").fails(2, "choose a part with --arch");
    let other = fs::read(format!("{}/corpus/elf/v3-gfx900.co", env!("CARGO_MANIFEST_DIR"))).unwrap();
    bench.file("other.co", other).run("loader other.co").fails(2, "other.co");
}
