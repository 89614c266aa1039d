//! Files are written whole or not at all.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;

use serde_json::json;

use super::{bench, saxpy};
use crate::common::{Bench, Ran};

/// Runs a command that cannot write files of more than 512 or 1024 bytes (as the shell counts), like on a full disk.
fn on_a_full_disk(bench: &Bench, arguments: &str) -> Ran {
    let script = format!("trap '' XFSZ; ulimit -f 1; exec {} {arguments}", env!("CARGO_BIN_EXE_gcnsim"));
    let output = std::process::Command::new("sh").args(["-c", &script]).current_dir(bench.path(".")).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Ran { code: output.status.code().unwrap(), stdout: text(output.stdout), stderr: text(output.stderr) }
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// `gen-corpus` replaces older files, each by a whole one or not at all.
#[test]
fn old_programs_survive_a_full_disk() {
    let bench = Bench::new();
    let whole = bench.run("gen-corpus whole --count 100 --arch gcn1.4");
    assert_eq!(whole.code, 0, "{whole:?}");
    let new = |name: &str| fs::read(bench.path(&format!("whole/{name}"))).unwrap();
    let programs = names(&bench.path("whole"));
    assert!(programs.len() == 100 && programs.iter().any(|name| new(name).len() > 1024));
    fs::create_dir(bench.path("c")).unwrap();
    programs.iter().for_each(|name| fs::write(bench.path(&format!("c/{name}")), "old").unwrap());
    let ran = on_a_full_disk(&bench, "gen-corpus c --count 100 --arch gcn1.4");
    assert_eq!(ran.code, 2, "{ran:?}");
    assert_eq!(names(&bench.path("c")), programs);
    for name in &programs {
        let bytes = fs::read(bench.path(&format!("c/{name}"))).unwrap();
        assert!(bytes == b"old" || bytes == new(name), "{name}: {} bytes", bytes.len());
    }
    let again = bench.run("gen-corpus c --count 100 --arch gcn1.4");
    assert_eq!((again.code, names(&bench.path("c"))), (0, programs.clone()));
    assert!(programs.iter().all(|name| fs::read(bench.path(&format!("c/{name}"))).unwrap() == new(name)));
}

#[test]
fn the_old_file_survives_a_full_disk() {
    let bench = bench(&json!([saxpy(200, None)]));
    let many: String = (0..40).map(|i| format!("{{\"x\": {i}}}\n")).collect();
    bench.file("x.bin", vec![0; 4000]).file("many.jsonl", many);
    for i in 0..20 {
        // s_nop i; s_branch to itself: each uses up its budget, which is a failure.
        bench.words(&format!("c-{i}-with-a-long-name-so-that-reports-are-long.bin"), &[0xbf80_0000 | i, 0xbf82_ffff]);
    }
    let batch = "batch c-*.bin --arch gfx900 --max-insts 1000";
    let whole = bench.run("run k.co --launch l.json");
    assert_eq!(whole.code, 0);
    let old = "what was there\n";
    for (arguments, code) in [
        ("run k.co --kernel collatz --grid 1000 --group 64 --arg out=4000:old --arg u32=6", 2),
        ("run k.co --kernel saxpy --grid 1 --group 1 --arg buf=x.bin:old --arg zero=4000 --arg f32=1 --arg i32=1", 2),
        ("run k.co --launch l.json --dump-buffer x=old", 2),
        ("run k.co --launch l.json --trace=0 --wave 0:0 --dump-state old", 2),
        ("run k.co --launch l.json --write-expect old", 2),
        (&format!("{batch} --write-ledger old"), 2),
        (&format!("{batch} --force --out old"), 2),
    ] {
        bench.file("old", old);
        let before = names(&bench.path("."));
        let ran = on_a_full_disk(&bench, arguments);
        assert_eq!(ran.code, code, "{arguments}: {ran:?}");
        assert_eq!(bench.read("old"), old, "{arguments}");
        // Only incomplete results are left, to be resumed.
        let after: Vec<_> = names(&bench.path(".")).into_iter().filter(|name| name != "old.part").collect();
        assert_eq!(after, before, "{arguments}");
        let _ = fs::remove_file(bench.path("old.part"));
    }
}

#[test]
fn rights_and_links_stay() {
    let bench = bench(&json!([saxpy(200, None)]));
    bench.file("old", "x");
    fs::set_permissions(bench.path("old"), fs::Permissions::from_mode(0o640)).unwrap();
    symlink("old", bench.path("link")).unwrap();
    symlink("new", bench.path("dangling")).unwrap();
    let run = |to: &str| {
        let ran = bench.run(&format!("run k.co --kernel collatz --grid 3 --group 64 --arg out=12:{to} --arg u32=6"));
        assert_eq!(ran.code, 0, "{ran:?}");
    };
    run("link");
    run("dangling");
    // Collatz takes 8, 16 and 3 steps from 6, 7 and 8 to 1.
    let steps = [8u32, 16, 3].map(u32::to_le_bytes).concat();
    for name in ["old", "new"] {
        assert_eq!(fs::read(bench.path(name)).unwrap(), steps, "{name}");
    }
    assert_eq!(fs::metadata(bench.path("old")).unwrap().mode() & 0o777, 0o640);
    assert!(bench.path("link").is_symlink() && bench.path("dangling").is_symlink());
    // Results of batches keep the mode of the file, too.
    bench.file("results", "x").words("a.bin", &[super::common::END]);
    fs::set_permissions(bench.path("results"), fs::Permissions::from_mode(0o600)).unwrap();
    assert_eq!(bench.run("batch a.bin --arch gfx900 --force --out results").code, 0);
    assert_eq!(fs::metadata(bench.path("results")).unwrap().mode() & 0o777, 0o600);
}

/// Stdout is the same stream under each of its names, even if it is a file.
#[test]
fn stdout_is_written_directly() {
    let bench = bench(&json!([]));
    for name in ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"] {
        let run = format!("run k.co --kernel collatz --grid 1 --group 64 --arg out=4:{name} --arg u32=0x41");
        let ran = bench.run(&run);
        // Collatz takes 27 steps from 65: 0x1b.
        assert!(ran.stdout.ends_with("\u{1b}\0\0\0") && ran.stdout.starts_with("outcome       ended"), "{ran:?}");
        let script = format!("echo first > o; exec {} {run} >> o", env!("CARGO_BIN_EXE_gcnsim"));
        assert!(
            std::process::Command::new("sh")
                .args(["-c", &script])
                .current_dir(bench.path("."))
                .status()
                .unwrap()
                .success()
        );
        let text = bench.read("o");
        assert!(text.starts_with("first\noutcome") && text.ends_with("\u{1b}\0\0\0"), "{text:?}");
    }
    bench.words("a.bin", &[super::common::END]);
    let ran = bench.run("batch a.bin --arch gfx900 --out /dev/stdout");
    assert!(ran.stdout.starts_with("{\"schema\""), "{ran:?}");
}

/// Large inputs are hashed by another thread, while the launch runs.
#[test]
fn the_identity_of_a_launch_covers_its_files_on_any_number_of_threads() {
    let mut launch = saxpy(200, None);
    launch["buffers"]["z"] = json!({"file": "z.bin"});
    let bench = bench(&json!([launch]));
    let identity = |jobs: u32| {
        let ran = bench.run(&format!("run k.co --launch l.json --json --jobs {jobs}"));
        assert_eq!(ran.code, 0, "{ran:?}");
        ran.json()["launch_sha256"].as_str().unwrap().to_owned()
    };
    let mut seen = Vec::new();
    for byte in [1, 2] {
        bench.file("z.bin", vec![byte; 1 << 20]);
        assert_eq!(identity(1), identity(2));
        seen.push(identity(2));
    }
    assert_ne!(seen[0], seen[1]);
}
