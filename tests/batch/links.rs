//! Links in archives are entries, as they are in folders. Links that are left out are counted.

use crate::batch_support;

use batch_support::*;

fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

#[test]
fn links_are_entries() {
    let corpus = Corpus::new();
    let (one, other) = (bytes(&constant(1)), bytes(&constant(2)));
    let elf = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/corpus/elf/v3-gfx900.co")).unwrap();
    let archive = tar_of(&[
        ("d/", b'5', "", b""),
        ("d/soft.bin", b'2', "../e/./one.bin", b""),
        ("e/one.bin", b'0', "", &one),
        ("d/hard.bin", b'1', "e/one.bin", b""),
        ("d/chain.bin", b'2', "hard.bin", b""),
        ("e/one.toml", b'0', "", b"max_insts = 1\n"),
        ("d/hard.toml", b'1', "e/one.toml", b""),
        ("kernels", b'0', "", &elf),
        // The link has no name of a shader, but leads to one.
        ("named", b'2', "kernels", b""),
        ("text", b'0', "", b"hello"),
        ("text.link", b'2', "text", b""),
        ("folder.link", b'2', "d", b""),
        ("pipe", b'6', "", b""),
        ("loop.bin", b'2', "pool.bin", b""),
        ("pool.bin", b'2', "loop.bin", b""),
        ("out.bin", b'2', "../../etc/passwd", b""),
        ("own.bin", b'1', "e/one.bin", &other),
        ("e/one.bin", b'0', "", &other),
        ("late.bin", b'1', "e/one.bin", b""),
    ]);
    corpus.file("x.tar", archive);
    let out = text(&corpus.run(&["batch", "x.tar", "--out", "r.jsonl"], 1).stdout);
    let lines = corpus.lines("r.jsonl");
    let hash = |line: &serde_json::Value| line["sha256"].as_str().unwrap_or("-")[..1].to_owned();
    let (first, second) = (hash(&lines[1]), hash(lines.iter().find(|line| line["file"] == "x.tar/own.bin").unwrap()));
    let seen: Vec<_> = lines
        .iter()
        .map(|line| {
            let name = line["file"].as_str().unwrap().strip_prefix("x.tar/").unwrap();
            let content = match hash(line) {
                hash if line["kernel"].is_string() => format!("kernel {hash}"),
                hash if hash == first => "one".into(),
                hash if hash == second => "other".into(),
                hash => hash,
            };
            (name, line["outcome"].as_str().unwrap(), content)
        })
        .collect();
    let kernels: Vec<_> = seen[4..6].iter().map(|(_, outcome, content)| (*outcome, content.clone())).collect();
    let one_of = |name, outcome: &'static str, content: &str| (name, outcome, content.to_owned());
    let mut expected = vec![
        one_of("d/soft.bin", "ended", "other"),
        one_of("e/one.bin", "budget", "one"),
        one_of("d/hard.bin", "budget", "one"),
        one_of("d/chain.bin", "ended", "one"),
    ];
    for name in ["kernels", "named"] {
        expected.extend(kernels.iter().map(|(outcome, content)| (name, *outcome, content.clone())));
    }
    expected.extend([
        one_of("loop.bin", "bad-input", "-"),
        one_of("pool.bin", "bad-input", "-"),
        one_of("out.bin", "bad-input", "-"),
        one_of("own.bin", "ended", "other"),
        one_of("e/one.bin", "budget", "other"),
        one_of("late.bin", "ended", "other"),
    ]);
    assert_eq!(seen, expected);
    let reason = &lines.iter().find(|line| line["file"] == "x.tar/out.bin").unwrap()["detail"]["kind"];
    assert_eq!(reason, "a link to ../../etc/passwd, which is no file of the archive");
    // Four members are skipped: text and its link, folder.link, and the pipe. The sidecars are not skipped, of which
    // one is a link.
    let skipped = "skipped       2 other files, 1 link that leads to no file, 1 device or pipe\n";
    assert!(out.contains(skipped), "{out}");
}

/// tar stores links of a folder as links, and the archive gives the same entries as the folder.
#[cfg(unix)]
#[test]
fn archives_of_tar_give_what_the_folder_gives() {
    let corpus = Corpus::mixed(20);
    std::fs::hard_link(corpus.path("d0/s00000.bin"), corpus.path("d0/t.bin")).unwrap();
    std::os::unix::fs::symlink("s00001.bin", corpus.path("d0/u.bin")).unwrap();
    let made = std::process::Command::new("tar")
        .args(["-cf", "x.tar", "--sort=name", "d0"])
        .current_dir(corpus.path("."))
        .output();
    if !made.is_ok_and(|output| output.status.success()) {
        // The test needs a tar program.
        return;
    }
    corpus.run(&["batch", "d0", "--out", "folder.jsonl"], 1);
    corpus.run(&["batch", "x.tar", "--out", "tar.jsonl"], 1);
    let contents = |file: &str| strings(&corpus.lines(file), "sha256");
    assert_eq!((contents("tar.jsonl").len(), contents("tar.jsonl")), (22, contents("folder.jsonl")));
}
