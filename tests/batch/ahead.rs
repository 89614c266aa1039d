//! A batch that reads files ahead gives the same results as one that reads them one at a time, for files of all kinds.
#![cfg(unix)]

use crate::batch_support;

use std::fs::{self, OpenOptions, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use batch_support::*;
use gcnsim_batch::{self as batch, Options};
use gcnsim_inputs::Inputs;
use serde_json::Value;

/// Returns a corpus with files of all kinds among many small ones. `f/` has 60 of them; in `g/` the lengths of files
/// matter.
fn odd_corpus() -> Corpus {
    let corpus = Corpus::new();
    for i in 0..60 {
        corpus.shader(&format!("f/s{i:02}.bin"), &countdown(i + 1));
    }
    for (i, sidecar) in [(3, "arch = \"gcn1.2\"\n"), (4, "arch = 1\n"), (5, ""), (6, "max_insts = 7\n")] {
        corpus.file(&format!("f/s{i:02}.toml"), sidecar);
    }
    corpus.file("f/s07.bin", []);
    corpus.file("f/s08.bin", [0; 5]);
    corpus.file("f/s09.bin", b"\x7fELF, but not for long");
    corpus.shader(&format!("f/s10{}.bin", "x".repeat(248)), &constant(10));
    symlink(corpus.path("f/s00.bin"), corpus.path("f/s11link.bin")).unwrap();
    symlink("/nowhere", corpus.path("f/s12link.bin")).unwrap();
    let lengths = [4, 508, 512, 516, 1024, 4092, 4096, 16380, 16384, 16388, 262_140, 262_144, 262_148, 1 << 20];
    for (i, length) in lengths.into_iter().enumerate() {
        // The last dword matters: if it is cut off or read twice, the program ends elsewhere or the hash differs.
        let mut words = vec![0xb000_0000 | i as u32; length / 4];
        *words.last_mut().unwrap() = ENDPGM;
        corpus.shader(&format!("g/s{i:02}.bin"), &words);
    }
    corpus
}

fn lines(inputs: &Inputs, options: Options) -> Vec<Value> {
    let mut out = Vec::new();
    batch::run(inputs, &options, None, &mut out, &Arc::new(AtomicBool::new(false)), &mut ()).unwrap();
    parse(&text(&out)).into_iter().map(without_times).collect()
}

/// Returns the lines of a batch. Asserts that they are the same with and without reading ahead.
#[track_caller]
fn both_ways(inputs: &Inputs, options: &Options) -> Vec<Value> {
    let [plain, ahead] = [usize::MAX, 0].map(|ahead_from| {
        let mut options = options.clone();
        options.ahead_from = ahead_from;
        lines(inputs, options)
    });
    assert_eq!(ahead, plain);
    plain
}

#[test]
fn files_of_all_kinds() {
    let corpus = odd_corpus();
    let inputs = Inputs::collect(&[corpus.path("f"), corpus.path("g"), corpus.path("f")]).unwrap();
    let one = both_ways(&inputs, &Options::default().jobs(1));
    assert_eq!(one.len(), inputs.len());
    assert_eq!(one.len(), 63 + 14 + 63);
    assert_eq!(strings(&one, "outcome").iter().filter(|outcome| *outcome == "ended").count(), 2 * 57 + 14);
    assert_eq!(both_ways(&inputs, &Options::default().jobs(3)), one);
    let repeated = both_ways(&inputs, &Options::default().jobs(2).repeat(3).warmup(1));
    assert_eq!(strings(&repeated, "sha256"), strings(&one, "sha256"));
    let mut rest = Options::default().jobs(1);
    rest.start = 17;
    assert_eq!(both_ways(&inputs, &rest), one[17..]);
    let parts = ["1/2", "2/2"].map(|shard| Options::default().jobs(1).shard(shard.parse().unwrap()));
    let parts = parts.map(|options| both_ways(&inputs, &options).len());
    assert_eq!(parts[0] + parts[1], one.len());
}

/// Anything may happen to a file between listing and reading.
#[test]
fn files_that_are_no_longer_what_they_were() {
    let corpus = odd_corpus();
    let inputs = Inputs::collect(&[corpus.path("f")]).unwrap();
    let again = |name: &str| {
        let path = corpus.path(name);
        fs::remove_file(&path).unwrap();
        path
    };
    again("f/s20.bin");
    fs::create_dir(again("f/s21.bin")).unwrap();
    symlink(corpus.path("g/s01.bin"), again("f/s22.bin")).unwrap();
    symlink("s23.bin", again("f/s23.bin")).unwrap();
    // The first pipe has no writer. The second one has one, which writes nothing.
    for name in ["f/s24.bin", "f/s25.bin"] {
        let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
        rustix::fs::mknodat(rustix::fs::CWD, again(name), rustix::fs::FileType::Fifo, mode, 0).unwrap();
    }
    let _writer = OpenOptions::new().read(true).write(true).open(corpus.path("f/s25.bin")).unwrap();
    corpus.file("f/s26.bin", []);
    corpus.shader("f/s27.bin", &vec![ENDPGM; 100_000]);
    // Only root can read this file.
    fs::set_permissions(corpus.path("f/s28.bin"), Permissions::from_mode(0o000)).unwrap();
    let lines = both_ways(&inputs, &Options::default().jobs(1));
    let outcome = |name: &str| {
        let line = lines.iter().find(|line| line["file"].as_str().unwrap().ends_with(name)).unwrap();
        line["outcome"].as_str().unwrap().to_owned()
    };
    for name in ["s20.bin", "s21.bin", "s23.bin", "s24.bin", "s25.bin", "s26.bin"] {
        assert_eq!(outcome(name), "bad-input", "{name}");
    }
    for name in ["s19.bin", "s22.bin", "s27.bin", "s29.bin"] {
        assert_eq!(outcome(name), "ended", "{name}");
    }
    fs::remove_dir_all(corpus.path("f")).unwrap();
    let lines = both_ways(&inputs, &Options::default().jobs(1));
    assert_eq!(strings(&lines, "outcome"), vec!["bad-input"; inputs.len()]);
}
