//! Runs the `gcnsim` binary in a directory of its own.
#![allow(dead_code)]

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::Value;

pub const END: u32 = 0xbf81_0000;
/// s1 += s0; s0 -= 1; until s0 == 0; s_endpgm.
pub const SUM: [u32; 5] = [0x8001_0001, 0x8080_8100, 0xbf07_8000, 0xbf85_fffc, END];
/// s_branch to itself.
pub const ENDLESS: [u32; 1] = [0xbf82_ffff];
/// s_mov_regrd_b32 s0, s0 on GCN 1.2 and later, whose meaning nobody knows.
pub const UNDOCUMENTED: u32 = 0xbe80_2f00;

/// A directory that is removed when the value is dropped.
pub struct Bench {
    dir: tempfile::TempDir,
}

/// The result of a process.
#[derive(Debug)]
pub struct Ran {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Ran {
    /// Returns stdout as one JSON object.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|e| panic!("{e}: {self:?}"))
    }

    /// Checks the exit code, and that stderr contains a text.
    #[track_caller]
    pub fn fails(&self, code: i32, message: &str) {
        assert_eq!(self.code, code, "{self:?}");
        assert!(self.stderr.contains(message), "no '{message}' in {self:?}");
        assert!(!self.stderr.contains("panicked"), "{self:?}");
    }
}

impl Bench {
    pub fn new() -> Bench {
        Bench { dir: tempfile::tempdir().unwrap() }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// Writes a file.
    pub fn file(&self, name: &str, bytes: impl AsRef<[u8]>) -> &Bench {
        std::fs::write(self.path(name), bytes).unwrap();
        self
    }

    /// Writes dwords.
    pub fn words(&self, name: &str, words: &[u32]) -> &Bench {
        self.file(name, bytes(words))
    }

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    /// Returns the command `gcnsim` with arguments split at blanks. It runs in the directory.
    pub fn command(&self, arguments: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gcnsim"));
        command.args(arguments.split_whitespace()).current_dir(self.dir.path());
        command.env_remove("NO_COLOR").stdin(Stdio::null());
        command
    }

    pub fn run(&self, arguments: &str) -> Ran {
        self.finish(self.command(arguments), b"")
    }

    pub fn run_with_stdin(&self, arguments: &str, input: &[u8]) -> Ran {
        self.finish(self.command(arguments), input)
    }

    fn finish(&self, mut command: Command, input: &[u8]) -> Ran {
        let stdin = if input.is_empty() { Stdio::null() } else { Stdio::piped() };
        let mut child = command.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        if let Some(mut stdin) = child.stdin.take() {
            // A command that fails early need not read its input.
            let _ = stdin.write_all(input);
        }
        let output = child.wait_with_output().unwrap();
        Ran {
            code: output.status.code().expect("not ended by a signal"),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

pub fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// Returns a file of `corpus/elf`.
pub fn elf(name: &str) -> Vec<u8> {
    std::fs::read(format!("{}/corpus/elf/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}
