//! Files with several parts on the command line: every command handles all parts, or says which ones it does not.

use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

use super::*;

struct Folder(tempfile::TempDir);

impl Folder {
    fn with(files: &[(&str, &[u8])]) -> Folder {
        let folder = Folder(tempfile::tempdir().unwrap());
        files.iter().for_each(|(name, bytes)| std::fs::write(folder.path(name), bytes).unwrap());
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Runs a command that must exit with `code`. Returns stdout and stderr.
    #[track_caller]
    fn run(&self, arguments: &str, code: i32) -> (String, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gcnsim"));
        let output = command.args(arguments.split(' ')).current_dir(self.0.path()).output().unwrap();
        let [out, err] = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
        assert_eq!(output.status.code(), Some(code), "{arguments}\n{out}\n{err}");
        (out, err)
    }

    #[track_caller]
    fn lines(&self, arguments: &str, code: i32) -> Vec<Value> {
        let (out, _) = self.run(arguments, code);
        out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

/// Returns a file of two bundles with different kernels: `first` and `second`, and those of `calls.cl`.
fn two_bundles() -> Vec<u8> {
    let mut file = bundle(&[HOST, OF_900, OF_1030], 4096);
    file.resize(file.len().next_multiple_of(4096), 0);
    file.extend(bundle(&[HOST, ("hipv4-amdgcn-amd-amdhsa--gfx900", CALLS)], 4096));
    file
}

/// Returns the names of the kernels of `calls.cl`.
fn kernels_of_calls() -> Vec<String> {
    parse(FileBytes::from(CALLS.to_vec())).unwrap().entries.into_iter().filter_map(|entry| entry.kernel).collect()
}

#[test]
fn every_command_sees_every_part() {
    let two = two_bundles();
    let folder = Folder::with(&[("two.hipfb", &two), ("app", &host(&[(".hip_fatbin", &two)]))]);
    let more = kernels_of_calls();
    let not_read = "hipv4-amdgcn-amd-amdhsa--gfx1030 (code for gfx1030 (RDNA))";
    for file in ["two.hipfb", "app"] {
        let (out, err) = folder.run(&format!("scan {file}"), 0);
        assert!(out.contains(&format!("of {} kernels", 2 + more.len())), "{out}");
        assert!(err.contains(not_read), "{err}");
        let summary = folder.lines(&format!("scan --json {file}"), 0).pop().unwrap();
        assert_eq!(summary["parts_not_read"][0]["reason"], "code for gfx1030 (RDNA)");

        let (out, err) = folder.run(&format!("disasm {file}"), 0);
        assert!(["first", &more[0]].iter().all(|name| out.contains(&format!("; kernel {name}"))), "{out}");
        assert!(err.contains("part hipv4-amdgcn-amd-amdhsa--gfx1030 is not read: code for gfx1030 (RDNA)"), "{err}");

        let (out, err) = folder.run(&format!("launch-template {file}"), 0);
        let template: Value = serde_json::from_str(&out).unwrap();
        let names: Vec<_> = template["launch"].as_array().unwrap().iter().map(|launch| &launch["kernel"]).collect();
        assert_eq!(names.len(), 2 + more.len());
        assert!(names.iter().any(|name| **name == more[0].as_str()) && err.contains(not_read), "{out}");

        let arguments = format!("batch {file} --max-insts 1000 --out {file}.jsonl");
        let mut command = Command::new(env!("CARGO_BIN_EXE_gcnsim"));
        let output = command.args(arguments.split(' ')).current_dir(folder.0.path()).output().unwrap();
        assert!(String::from_utf8(output.stderr).unwrap().contains(not_read));
        let lines = std::fs::read_to_string(folder.path(&format!("{file}.jsonl"))).unwrap();
        let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(lines.len(), 2 + more.len() + 1, "{lines:?}");
        assert_eq!((&lines[0]["bundle"], &lines[2]["bundle"]), (&1.into(), &4.into()));

        for kernel in ["second", &more[0]] {
            let arguments = format!("run {file} --kernel {kernel} --max-insts 5 --json");
            let mut command = Command::new(env!("CARGO_BIN_EXE_gcnsim"));
            let output = command.args(arguments.split(' ')).current_dir(folder.0.path()).output().unwrap();
            let report: Value = serde_json::from_slice(&output.stdout).unwrap();
            assert_eq!(report["target"], "gfx900", "{kernel}");
        }
    }
}

/// Launches of one launch file run in the parts that have their kernels.
#[test]
fn launches_find_their_parts() {
    let folder = Folder::with(&[("two.hipfb", &two_bundles())]);
    let more = kernels_of_calls();
    let launch = r#"{"launch": [{"kernel": "NAME", "grid": 1, "group": 1, "args": []},
                                {"kernel": "second", "grid": 1, "group": 1, "args": []}]}"#;
    std::fs::write(folder.path("l.json"), launch.replace("NAME", "second")).unwrap();
    let found = folder.lines("run two.hipfb --launch l.json --json", 0);
    assert_eq!((&found[0]["bundle"], &found[0]["outcome"]), (&1.into(), &"ended".into()), "{found:?}");
    std::fs::write(folder.path("l.json"), launch.replace("NAME", "nobody")).unwrap();
    let (_, err) = folder.run("run two.hipfb --launch l.json", 2);
    assert!(err.contains("no part has a kernel 'nobody'") && err.contains(&more[0]), "{err}");
    // In a batch each launch runs in the part that has its kernel. If there is none, it is one bad line.
    std::fs::write(folder.path("two.json"), launch.replace("NAME", &more[0])).unwrap();
    let lines = folder.lines("batch two.hipfb", 1);
    let parts: Vec<_> =
        lines.iter().filter_map(|line| Some((line["kernel"].as_str()?, line["bundle"].as_u64()?))).collect();
    assert_eq!(parts, [("second", 1), (more[0].as_str(), 4)], "{lines:?}");
}

#[test]
fn target_ids_are_taken_by_commands() {
    let plus = ("hipv4-amdgcn-amd-amdhsa--gfx906:xnack+", GFX906);
    let minus = ("hipv4-amdgcn-amd-amdhsa--gfx906:xnack-", GFX906);
    let raw: Vec<u8> = 0xbf81_0000u32.to_le_bytes().to_vec();
    let folder = Folder::with(&[("x.hipfb", &bundle(&[HOST, plus, minus], 4096)), ("x.bin", &raw)]);
    for (arch, index) in [("gfx906:xnack+", 1), ("gfx906:xnack-", 2), ("gfx906:sramecc+:xnack-", 2)] {
        for rest in ["--kernel second", "--kernel second --grid 1 --group 1"] {
            let found = folder.lines(&format!("run x.hipfb --json --arch {arch} {rest}"), 0);
            assert_eq!((&found[0]["bundle"], &found[0]["outcome"]), (&index.into(), &"ended".into()), "{arch} {rest}");
        }
    }
    for rest in ["--kernel second", "--kernel second --grid 1 --group 1"] {
        let (_, err) = folder.run(&format!("run x.hipfb --arch gfx906 {rest}"), 2);
        assert!(err.contains("gfx906:xnack+") && err.contains("gfx906:xnack-"), "{err}");
    }
    for command in ["run", "disasm", "scan", "batch"] {
        folder.run(&format!("{command} x.bin --arch gfx906:xnack+"), 0);
    }
    let (_, err) = folder.run("run x.bin --arch gfx803:xnack+", 2);
    assert!(err.contains("gfx803 has no feature 'xnack'"), "{err}");
}

#[test]
fn parts_are_extracted() {
    let plus = ("hipv4-amdgcn-amd-amdhsa--gfx906:xnack+", GFX906);
    let again = ("hipv4-amdgcn-amd-amdhsa--gfx900", CALLS);
    let evil = ("hip-amdgcn-amd-amdhsa--../../evil", GFX906);
    let file = bundle(&[HOST, OF_900, plus, again, OF_1030, evil], 4096);
    let folder = Folder::with(&[("k.hipfb", &file), ("one.co", GFX900), ("raw.bin", &[0; 64])]);
    let report = &folder.lines("extract k.hipfb --out d/e --json", 0)[0];
    assert_eq!(report["schema"], "gcnsim.extract.v1");
    let paths: Vec<_> = report["written"].as_array().unwrap().iter().map(|w| w["path"].as_str().unwrap()).collect();
    let expected = ["k.1.gfx900.co", "k.gfx906-xnack+.co", "k.3.gfx900.co", "k.gfx1030.co", "k.gfx906.co"];
    assert_eq!(paths, expected.map(|name| format!("d/e/{name}")));
    assert_eq!(report["not_written"][0]["reason"], "host code");
    for (path, bytes) in paths.iter().zip([GFX900, GFX906, CALLS, GFX1030, GFX906]) {
        assert_eq!(std::fs::read(folder.path(path)).unwrap(), bytes, "{path}");
    }
    assert_eq!(std::fs::read_dir(folder.path("d/e")).unwrap().count(), 5);

    // Files are not replaced without --force.
    std::fs::write(folder.path("d/e/k.gfx1030.co"), "mine").unwrap();
    std::fs::remove_file(folder.path("d/e/k.1.gfx900.co")).unwrap();
    let (_, err) = folder.run("extract k.hipfb --out d/e", 2);
    assert!(err.contains("is there already") && err.contains("--force"), "{err}");
    assert_eq!(std::fs::read(folder.path("d/e/k.gfx1030.co")).unwrap(), b"mine");
    assert!(!folder.path("d/e/k.1.gfx900.co").exists());
    let (out, _) = folder.run("extract k.hipfb --out d/e --force", 0);
    assert!(out.contains("5 code objects written") && out.contains("is not written: host code"), "{out}");
    assert_eq!(std::fs::read(folder.path("d/e/k.gfx1030.co")).unwrap(), GFX1030);

    let (out, _) = folder.run("extract one.co --out d", 0);
    assert!(out.starts_with("d/one.gfx900.co  "), "{out}");
    let (_, err) = folder.run("extract raw.bin --out d", 2);
    assert!(err.contains("holds no code objects"), "{err}");
    let nothing = Folder::with(&[("h.hipfb", &bundle(&[HOST], 8))]);
    nothing.run("extract h.hipfb --out d", 1);
    assert!(!nothing.path("d").exists());
}

/// The message names text that clang has bundled.
#[test]
fn bundles_of_text_are_named() {
    let text = b"# __CLANG_OFFLOAD_BUNDLE____START__ hip-amdgcn-amd-amdhsa--gfx900\ns_endpgm\n";
    let folder = Folder::with(&[("k.s", text)]);
    for command in ["run", "disasm", "scan"] {
        let (_, err) = folder.run(&format!("{command} k.s"), 2);
        assert!(err.contains("an offload bundle of text"), "{err}");
    }
}

/// Parts with equal target ids and equal kernels are chosen by the index that results have.
#[test]
fn an_index_chooses_between_equal_parts() {
    let file = bundle(&[HOST, OF_900, OF_900], 4096);
    let folder = Folder::with(&[("twice.hipfb", &file), ("one.co", GFX900)]);
    for kind in ["", " --grid 64 --group 64 --arg zero=256 --arg u32=1"] {
        let run = |arguments: &str, code| folder.run(&format!("run {arguments} --kernel first{kind} --json"), code);
        let (_, err) = run("twice.hipfb", 2);
        assert!(err.contains("--bundle"), "{err}");
        for index in [1u64, 2] {
            let (out, err) = run(&format!("twice.hipfb --max-insts 1 --bundle {index}"), 1);
            let line: Value = serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {out}{err}"));
            assert_eq!((&line["bundle"], &line["target"]), (&index.into(), &"gfx900".into()), "{kind}");
        }
        let (_, err) = run("twice.hipfb --bundle 0", 2);
        assert!(err.contains("part 0 has no code; there are 1 (gfx900), 2 (gfx900)"), "{err}");
        let (_, err) = run("one.co --bundle 0", 2);
        assert!(err.contains("part 0 has no code; there are no parts"), "{err}");
    }
}
