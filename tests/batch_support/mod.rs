//! Corpora and command lines that the tests of `batch` and `compare` share.
#![allow(dead_code)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

pub const ENDPGM: u32 = 0xbf81_0000;
/// s_branch to itself.
pub const FOREVER: u32 = 0xbf82_ffff;
/// A SOP2 opcode that no generation has.
pub const ILLEGAL: u32 = 0xbf00_0000 | 0x7f << 16;
/// s_mov_regrd_b32 s0, s0 on GCN 1.2 and later, whose meaning nobody knows.
pub const UNDOCUMENTED: u32 = 0xbe80_2f00;

/// s_movk_i32 s0, n; s_endpgm
pub fn constant(n: u16) -> Vec<u32> {
    vec![0xb000_0000 | u32::from(n), ENDPGM]
}

/// Counts s0 down from n, in 3n + 2 instructions.
pub fn countdown(n: u32) -> Vec<u32> {
    vec![0xbe80_00ff, n, 0x8080_8100, 0xbf07_8000, 0xbf85_fffd, ENDPGM]
}

/// A folder of shaders that is removed after the test.
pub struct Corpus {
    root: TempDir,
}

impl Corpus {
    pub fn new() -> Corpus {
        Corpus { root: tempfile::tempdir().unwrap() }
    }

    /// Returns a corpus of `count` small shaders in a few folders. Some of them fail.
    pub fn mixed(count: usize) -> Corpus {
        let corpus = Corpus::new();
        for i in 0..count {
            let name = format!("d{}/s{i:05}.bin", i / 50);
            match i % 10 {
                3 => corpus.shader(&name, &[0xb000_0000 | i as u32, FOREVER]),
                5 => corpus.shader(&name, &[0xb000_0000 | i as u32, UNDOCUMENTED, ENDPGM]),
                7 => corpus.shader(&name, &[0xb000_0000 | i as u32, ILLEGAL]),
                8 => corpus.shader(&name, &countdown(5000 + i as u32)),
                _ => corpus.shader(&name, &constant(i as u16)),
            };
        }
        corpus
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    pub fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    }

    pub fn shader(&self, name: &str, words: &[u32]) -> PathBuf {
        self.file(name, words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<_>>())
    }

    /// Returns the command `gcnsim` with this folder as working directory.
    pub fn gcnsim(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gcnsim"));
        command.args(arguments).current_dir(self.root.path()).stdin(Stdio::null()).env_remove("COLUMNS");
        command
    }

    /// Runs the command and checks the exit code.
    #[track_caller]
    pub fn run(&self, arguments: &[&str], code: i32) -> Output {
        let output = self.gcnsim(arguments).output().unwrap();
        let (out, err) = (text(&output.stdout), text(&output.stderr));
        assert_eq!(output.status.code(), Some(code), "{arguments:?}\n{out}\n{err}");
        output
    }

    /// Returns lines of results in a file, as JSON.
    pub fn lines(&self, name: &str) -> Vec<serde_json::Value> {
        parse(&fs::read_to_string(self.path(name)).unwrap())
    }

    /// Returns the file as text.
    pub fn text(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// Returns lines of results without the fields that differ from run to run.
    pub fn deterministic(&self, name: &str) -> Vec<serde_json::Value> {
        self.lines(name).into_iter().map(without_times).collect()
    }
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Returns lines of results, without the closing record.
pub fn parse(lines: &str) -> Vec<serde_json::Value> {
    let mut lines = parse_all(lines);
    lines.retain(|line| line["schema"] != "gcnsim.batch-end.v1");
    lines
}

/// Returns all lines, with the closing record.
pub fn parse_all(lines: &str) -> Vec<serde_json::Value> {
    assert!(lines.is_empty() || lines.ends_with('\n'), "torn: {lines}");
    lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Returns `lines` and the closing record that a batch would have written for them.
pub fn closed(lines: &str, shard: Option<&str>) -> String {
    let shard = shard.map_or("null".to_owned(), |shard| format!("\"{shard}\""));
    let (entries, digest) = (lines.lines().count(), digest(lines));
    let record =
        format!(r#"{{"schema":"gcnsim.batch-end.v1","shard":{shard},"entries":{entries},"digest":"{digest}"}}"#);
    format!("{lines}{record}\n")
}

/// Returns results without the version in their closing record.
pub fn without_version(text: &str) -> String {
    let (before, after) = text.split_once(r#""version":""#).unwrap();
    before.to_owned() + after.split_once(r#"","#).unwrap().1
}

/// Returns the digest of lines. It takes each comma with a quotation mark as the start of a field, so strings must not
/// contain these.
pub fn digest(lines: &str) -> String {
    let is_time = |field: &&str| field.split_once("\":").is_some_and(|(name, _)| name.ends_with("_ns"));
    let without = |line: &str| -> String {
        let (body, end) = line.split_at(line.rfind('}').unwrap());
        let fields: Vec<_> = body.split(",\"").filter(|field| !is_time(field)).collect();
        fields.join(",\"") + end
    };
    let seen: String = lines.split_inclusive('\n').map(without).collect();
    format!("{:016x}", xxhash_rust::xxh3::xxh3_64(seen.as_bytes()))
}

pub fn without_times(mut line: serde_json::Value) -> serde_json::Value {
    line.as_object_mut().unwrap().retain(|key, _| !key.ends_with("_ns"));
    line
}

pub fn strings(lines: &[serde_json::Value], field: &str) -> Vec<String> {
    lines.iter().map(|line| line[field].as_str().unwrap_or("null").to_owned()).collect()
}

/// Returns a tar archive of files, made without tar.
pub fn tar(files: &[(String, Vec<u8>)]) -> Vec<u8> {
    let members: Vec<_> = files.iter().map(|(name, content)| (name.as_str(), b'0', "", content.as_slice())).collect();
    tar_of(&members)
}

/// Returns a tar archive of members: name, type, target of a link, content.
pub fn tar_of(members: &[(&str, u8, &str, &[u8])]) -> Vec<u8> {
    let mut out = Vec::new();
    for &(name, kind, target, content) in members {
        let mut header = [0u8; 512];
        header[..name.len()].copy_from_slice(name.as_bytes());
        header[124..135].copy_from_slice(format!("{:011o}", content.len()).as_bytes());
        header[156] = kind;
        header[157..157 + target.len()].copy_from_slice(target.as_bytes());
        header[257..263].copy_from_slice(b"ustar\0");
        header[148..156].fill(b' ');
        let sum: u32 = header.iter().map(|&b| u32::from(b)).sum();
        header[148..155].copy_from_slice(format!("{sum:06o}\0").as_bytes());
        out.extend(header);
        out.extend(content);
        out.resize(out.len().next_multiple_of(512), 0);
    }
    out.resize(out.len() + 1024, 0);
    out
}

/// Returns all files below a folder with their paths within it, sorted as a batch sorts them.
pub fn files_below(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    let mut entries: Vec<_> = fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if path.is_dir() {
            found.extend(files_below(&path).into_iter().map(|(below, bytes)| (format!("{name}/{below}"), bytes)));
        } else {
            found.push((name, fs::read(&path).unwrap()));
        }
    }
    found
}

/// Returns an offload bundle of parts, each with a name and code. The code begins at offset 4096.
pub fn bundle(parts: &[(&str, &[u8])]) -> Vec<u8> {
    let mut out = b"__CLANG_OFFLOAD_BUNDLE__".to_vec();
    out.extend((parts.len() as u64).to_le_bytes());
    let mut offset = 4096u64;
    for (name, code) in parts {
        for field in [offset, code.len() as u64, name.len() as u64] {
            out.extend(field.to_le_bytes());
        }
        out.extend(name.as_bytes());
        offset += code.len() as u64;
    }
    out.resize(4096, 0);
    parts.iter().for_each(|(_, code)| out.extend(*code));
    out
}

/// Code objects with the kernels `first` and `second`.
pub const GFX900: &[u8] = include_bytes!("../../corpus/elf/v3-gfx900.co");
pub const GFX906: &[u8] = include_bytes!("../../corpus/elf/v4-gfx906.co");
pub const GFX803: &[u8] = include_bytes!("../../corpus/elf/v2-gfx803.co");
pub const GFX1030: &[u8] = include_bytes!("../../corpus/elf/v4-gfx1030.co");
