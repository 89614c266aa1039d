//! Outputs of `run` do not replace what the run reads, and `save` replaces only what a run has saved.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::json;

use super::{bench, saxpy};
use crate::common::{self, Bench};

/// A bench with an object, a launch file and the file of a buffer, with other names for all three.
fn named_bench(save: Option<&str>) -> Bench {
    let mut launch = saxpy(200, None);
    launch["buffers"]["x"] = json!({"file": "x.bin"});
    launch["expect"] = json!({"buffers": {"y": {"file": "e.bin", "type": "f32"}}});
    if let Some(save) = save {
        launch["buffers"]["y"]["save"] = save.into();
    }
    let bench = bench(&json!([launch]));
    bench.file("x.bin", vec![0; 800]).file("e.bin", vec![0; 800]);
    for name in ["k.co", "l.json", "x.bin", "e.bin"] {
        symlink(name, bench.path(&format!("link-{name}"))).unwrap();
        fs::hard_link(bench.path(name), bench.path(&format!("twin-{name}"))).unwrap();
    }
    bench
}

#[test]
fn no_output_replaces_what_is_read() {
    let bench = named_bench(None);
    let read = |name: &str| fs::read(bench.path(name)).unwrap();
    let flags =
        ["--dump-buffer y=", "--wave 0:0 --dump-state ", "--coverage ", "--profile --folded ", "--write-expect "];
    for name in ["k.co", "l.json", "x.bin", "e.bin"] {
        let before = read(name);
        for spelled in [name.to_owned(), format!("link-{name}"), format!("twin-{name}"), format!("./{name}")] {
            for flag in flags {
                if name == "l.json" && flag.starts_with("--write-expect") {
                    continue;
                }
                let ran = bench.run(&format!("run k.co --launch l.json {flag}{spelled}"));
                ran.fails(2, "it will not be written to");
                assert!(ran.stdout.is_empty(), "nothing has run: {ran:?}");
            }
            // A launch file may name it, too.
            let saving = named_bench(Some(&spelled));
            let kept = fs::read(saving.path(name)).unwrap();
            for force in ["", "--force"] {
                let ran = saving.run(&format!("run k.co --launch l.json {force}"));
                ran.fails(2, "it will not be written to");
            }
            assert!(fs::read(saving.path(name)).unwrap() == kept, "save: {spelled}");
        }
        assert!(read(name) == before, "{name}");
    }
    let arguments = "run k.co --kernel saxpy --grid 4 --group 4";
    for args in ["--arg out=16:k.co --arg zero=16", "--arg buf=x.bin:twin-x.bin --arg zero=800"] {
        bench.run(&format!("{arguments} {args} --arg f32=1 --arg i32=4")).fails(2, "it will not be written to");
    }
    // What a launch file expects may be written into itself.
    assert_eq!(bench.run("run k.co --launch l.json --write-expect l.json").code, 0);
    assert_eq!(bench.run("run k.co --launch l.json").code, 0);
}

#[test]
fn outputs_of_programs_replace_no_inputs() {
    let bench = Bench::new();
    bench.words("a.bin", &[common::END]).file("a.toml", "max_insts = 5\n").file("lanes", "0x1\n".repeat(64));
    bench.file("s.json", "{}");
    let read = || ["a.bin", "a.toml", "lanes", "s.json"].map(|name| fs::read(bench.path(name)).unwrap());
    let before = read();
    for name in ["a.bin", "a.toml", "lanes", "s.json"] {
        for flag in ["--dump-state", "--coverage"] {
            let run = format!("run a.bin --arch gfx900 --state s.json --vgpr 0=@lanes {flag} ./{name}");
            bench.run(&run).fails(2, "it will not be written to");
        }
    }
    for name in ["a.bin", "a.toml"] {
        let run = format!("run a.bin --arch gfx900 --synthetic --dump-state {name}");
        bench.run(&run).fails(2, "it will not be written to");
    }
    assert_eq!(read(), before);
}

#[test]
fn save_replaces_what_a_run_has_saved() {
    let mut launch = saxpy(200, None);
    launch["buffers"]["y"]["save"] = "y.bin".into();
    let bench = bench(&json!([launch]));
    let run = |flags: &str| bench.run(&format!("run k.co --launch l.json {flags}"));
    let read = || fs::read(bench.path("y.bin")).unwrap();
    bench.file("y.bin", "precious");
    run("").fails(2, "'save': y.bin is there already: --force replaces it");
    assert_eq!(read(), b"precious");
    // Runs go on without a word once one of them wrote the file, whatever they write.
    assert_eq!(run("--force").code, 0);
    let saved = read();
    launch["args"][2] = json!({"f32": 3.0});
    for launches in [json!([saxpy(200, None)]), json!([launch])] {
        bench.file("l.json", json!({"launch": launches}).to_string());
        assert_eq!(run("").code, 0);
        assert_eq!(run("").code, 0);
    }
    assert_ne!(read(), saved);
    // A file that has changed since is the user's again; one that is gone is nobody's.
    bench.file("y.bin", "precious");
    run("").fails(2, "'save': y.bin has changed since a run saved it: --force replaces it");
    assert_eq!(read(), b"precious");
    fs::remove_file(bench.path("y.bin")).unwrap();
    assert_eq!((run("").code, run("").code), (0, 0));
    // The list itself is no place to save to, and what is wrong in it counts as nothing.
    bench.file(".gcnsim.saved", "\u{0}\nzz  y.bin\n");
    run("").fails(2, "--force replaces it");
    launch["buffers"]["y"]["save"] = ".gcnsim.saved".into();
    bench.file("l.json", json!({"launch": [launch]}).to_string());
    run("").fails(2, "it will not be written to");
}
