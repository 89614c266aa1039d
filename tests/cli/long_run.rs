//! `gcnsim run` of long or large programs: Ctrl-C, and memory.
#![cfg(target_os = "linux")]

use crate::common;

use std::fs::{self, File};
use std::io::{Seek, SeekFrom, Write};
use std::process::{Child, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use common::{Bench, END, ENDLESS, bytes};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

/// s_add_u32 s0, s0, 1; s_branch back to it.
const COUNT: [u32; 2] = [0x8000_8100, 0xbf82_fffe];

/// Returns a field of /proc/PID/status.
fn status(child: &Child, field: &str) -> Option<String> {
    let text = fs::read_to_string(format!("/proc/{}/status", child.id())).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(field))?;
    Some(line.trim_start_matches(':').trim().trim_end_matches(" kB").to_owned())
}

/// Starts a command and waits until it handles SIGINT.
fn start(bench: &Bench, arguments: &str) -> Child {
    let mut command = bench.command(arguments);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let deadline = Instant::now() + Duration::from_secs(60);
    let catches = |mask: String| u64::from_str_radix(&mask, 16).unwrap() & 1 << (2 - 1) != 0;
    while !status(&child, "SigCgt").is_some_and(catches) {
        assert!(Instant::now() < deadline, "SIGINT is not caught");
        sleep(Duration::from_millis(2));
    }
    child
}

/// Interrupts the command. Returns exit code, stdout and stderr.
fn interrupt(child: Child) -> (Option<i32>, String, String) {
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    let output = child.wait_with_output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn an_interrupted_run_reports_where_it_was() {
    let bench = Bench::new();
    bench.words("count.bin", &COUNT);
    let engines: &[&str] = if cfg!(feature = "jit") { &["--interp", "--jit", "--hot 0"] } else { &["--interp"] };
    for engine in engines {
        let child = start(&bench, &format!("run --arch gcn1.4 {engine} --json --dump-state end.json count.bin"));
        sleep(Duration::from_millis(50));
        let (code, stdout, stderr) = interrupt(child);
        assert_eq!(code, Some(1), "{engine}: {stderr}");
        assert!(stderr.contains("gcnsim: note: interrupted") && !stderr.contains('\r'), "{engine}: {stderr}");
        let report: Value = serde_json::from_str(&stdout).unwrap();
        assert_eq!((&report["outcome"], &report["detail"]), (&Value::from("interrupted"), &Value::Null));
        // Registers, PC and count are those of the same moment.
        let executed = report["instructions"].as_u64().unwrap();
        assert!(executed > 0 || *engine != "--interp");
        let state: Value = serde_json::from_str(&bench.read("end.json")).unwrap();
        let counted = state["sgpr"].get("0").map_or(0, |s0| s0.as_u64().unwrap());
        assert_eq!(counted, executed.div_ceil(2) & 0xffff_ffff, "{engine}");
        let pc = if executed.is_multiple_of(2) { "0x0" } else { "0x4" };
        assert_eq!((&report["pc"], &state["pc"]), (&Value::from(pc), &Value::from(pc)), "{engine}");
    }
}

#[test]
#[cfg(feature = "jit")]
fn interrupted_fuzzing_says_what_was_done() {
    let bench = Bench::new();
    let child = start(&bench, "fuzz --seconds 600 --jobs 1 --seed 1");
    sleep(Duration::from_millis(1500));
    let (code, stdout, stderr) = interrupt(child);
    assert_eq!(code, Some(1), "{stderr}");
    assert!(stderr.contains("gcnsim: note: interrupted"), "{stderr}");
    let (programs, rest) = stdout.lines().last().unwrap().split_once(" programs, ").unwrap();
    assert!(programs.parse::<u64>().unwrap() > 0 && rest.ends_with(" 0 divergences"), "{stdout}");
}

#[test]
fn a_trace_is_interrupted() {
    let bench = Bench::new();
    bench.words("count.bin", &COUNT);
    // The trace goes to a file: a pipe that nobody reads would block it.
    let out = File::create(bench.path("trace.txt")).unwrap();
    let mut command = bench.command("run --arch gcn1.4 --trace count.bin");
    let child = command.stdout(out).stderr(Stdio::piped()).spawn().unwrap();
    let deadline = Instant::now() + Duration::from_secs(60);
    while fs::metadata(bench.path("trace.txt")).unwrap().len() == 0 {
        assert!(Instant::now() < deadline, "no trace");
        sleep(Duration::from_millis(2));
    }
    let (code, _, stderr) = interrupt(child);
    assert_eq!(code, Some(1), "{stderr}");
    let text = bench.read("trace.txt");
    let traced = text.lines().filter(|line| line.contains("  s_")).count();
    let count = text.lines().find_map(|line| line.strip_prefix("instructions")).unwrap().trim().replace(',', "");
    assert_eq!(count, traced.to_string());
    assert!(text.contains("\noutcome       interrupted\n"), "{stderr}");
}

/// `script` of util-linux provides a terminal. Without it the test is skipped.
#[test]
fn a_terminal_shows_progress() {
    let bench = Bench::new();
    bench.words("count.bin", &COUNT);
    // Some versions of `script` lose what a command prints last, so this one goes on for a second. Without --foreground
    // `timeout` interrupts twice, and the second one ends the command at once.
    let run = format!(
        "timeout --foreground -s INT 2 {} run --arch gcn1.4 --interp --max-insts 0x7fffffffffff count.bin; sleep 1",
        env!("CARGO_BIN_EXE_gcnsim")
    );
    let mut command = std::process::Command::new("script");
    let command = command.args(["-qec", &run, "typescript"]).current_dir(bench.path("")).stdin(Stdio::null());
    if command.output().is_err() {
        eprintln!("not tested: there is no 'script'");
        return;
    }
    let text = bench.read("typescript");
    assert!(text.contains(" instructions of 140,737,488,355,327 ("), "{text}");
    // The progress line is erased before anything else is printed.
    let (_, after) = text.rsplit_once("\r\x1b[K").unwrap_or_else(|| panic!("{text:?}"));
    assert!(after.starts_with("gcnsim: note: interrupted") && after.contains("interrupted\x1b[0m\r\n"), "{text}");
}

/// The file is almost as large as programs may be, but only one page is code. The pages of the mapped file count as
/// memory.
#[test]
fn a_large_sparse_file_takes_little_memory() {
    let bench = Bench::new();
    bench.words("sparse.bin", &ENDLESS);
    File::options().write(true).open(bench.path("sparse.bin")).unwrap().set_len(255 << 20).unwrap();
    let child = start(&bench, "run --arch gcn1.4 sparse.bin");
    sleep(Duration::from_millis(500));
    let peak: u64 = status(&child, "VmHWM").unwrap().parse().unwrap();
    let (code, stdout, stderr) = interrupt(child);
    assert_eq!(code, Some(1), "{stderr}");
    assert!(stdout.starts_with("outcome       interrupted"), "{stdout}");
    assert!(peak < 300 << 10, "{peak} KiB");
}

/// The program is 16 Mi instructions in a row, all executed: s_nop 0 (a hole in a file holds other dwords).
#[test]
fn long_straight_code_takes_bounded_memory() {
    let bench = Bench::new();
    let count = 16 << 20;
    let mut file = File::create(bench.path("long.bin")).unwrap();
    let page = bytes(&[0xbf80_0000; 1 << 16]);
    for _ in 0..count >> 16 {
        file.write_all(&page).unwrap();
    }
    file.seek(SeekFrom::End(-4)).unwrap();
    file.write_all(&END.to_le_bytes()).unwrap();
    drop(file);
    let child = start(&bench, "run --arch gcn1.4 --interp --json long.bin");
    let mut peak = 0;
    // The loop ends when the process has ended and has no memory.
    while let Some(now) = status(&child, "VmHWM") {
        peak = now.parse::<u64>().unwrap().max(peak);
        sleep(Duration::from_millis(2));
    }
    let output = child.wait_with_output().unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&report["outcome"], &report["instructions"]), (&Value::from("ended"), &Value::from(count as u64)));
    // The file takes 64 MiB, and the tables of its dwords 128 MiB. If the number of kept instructions had no bound,
    // they would take 800 MiB.
    assert!(peak > 64 << 10 && peak < 640 << 10, "{peak} KiB");
}
