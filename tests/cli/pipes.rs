//! Output that nobody takes: readers that go away, and full disks.

use std::fs::OpenOptions;
use std::io::Read;
use std::process::Stdio;

use super::common::{Bench, END, bytes};

/// Commands with more output than a pipe holds (64 KiB).
const LISTINGS: [&str; 4] =
    ["disasm --arch gcn1.2 long.bin", "disasm --arch gcn1.2 --json long.bin", "isa", "isa --json"];

/// Returns a program of 60,000 instructions, and a short one.
fn bench() -> Bench {
    let bench = Bench::new();
    bench.file("long.bin", bytes(&vec![0xbf80_0000; 60_000]));
    bench.words("end.bin", &[END]);
    bench
}

#[test]
fn a_reader_that_goes_away_ends_a_listing() {
    let bench = bench();
    for line in LISTINGS {
        let mut child = bench.command(line).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut first = [0; 10];
        child.stdout.take().unwrap().read_exact(&mut first).unwrap();
        // The pipe is closed now.
        let output = child.wait_with_output().unwrap();
        assert_eq!((output.status.code(), &*String::from_utf8_lossy(&output.stderr)), (Some(0), ""), "{line}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_an_error() {
    let bench = bench();
    let short = [
        "scan --arch gcn1.2 end.bin",
        "run --arch gcn1.2 end.bin",
        "run --json --arch gcn1.2 end.bin",
        "disasm --arch gcn1.2 end.bin",
    ];
    let fuzz = if cfg!(feature = "jit") { &["fuzz --seconds 0 --seed 1 --jobs 1"][..] } else { &[] };
    for line in LISTINGS.iter().chain(&short).chain(fuzz) {
        let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = bench.command(line).stdout(full).stderr(Stdio::piped()).output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(2) && stderr.contains("No space left on device"), "{line}: {output:?}");
        assert!(!stderr.contains("panicked"), "{line}: {stderr}");
    }
}
