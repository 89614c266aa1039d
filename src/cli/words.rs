//! `gcnsim disasm --words`: reads lines of hex dwords, and prints a line of `LENGTH<TAB>TEXT` for each.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read as _, Write};
use std::path::Path;

use anyhow::{Context, bail};
use gcnsim_isa::{Arch, DecodeErrorKind, decode};

use super::{CommandResult, Exit, args, output};
use crate::quote;

/// Longest line that is read. Only two dwords of it are used.
const MAX_LINE: u64 = 1 << 20;

/// Disassembles each line of a file; `-` is stdin.
pub(super) fn execute(path: &Path, arch: Arch) -> CommandResult {
    let mut input: Box<dyn BufRead> = if path.as_os_str() == "-" {
        Box::new(io::stdin().lock())
    } else {
        Box::new(BufReader::new(File::open(path).with_context(|| args::quoted(path))?))
    };
    let mut out = output::stdout();
    let mut line = Vec::new();
    while (&mut input).take(MAX_LINE + 1).read_until(b'\n', &mut line).context("cannot read the lines of dwords")? != 0
    {
        if line.len() as u64 > MAX_LINE {
            bail!("{}: a line is longer than {MAX_LINE} bytes", args::quoted(path));
        }
        writeln!(out, "{}", answer(&String::from_utf8_lossy(&line), arch))?;
        line.clear();
    }
    out.flush()?;
    Ok(Exit::Success)
}

/// The answer to one line.
fn answer(line: &str, arch: Arch) -> String {
    let mut words = [None; 2];
    for (i, digits) in line.split_whitespace().enumerate() {
        let word = u32::from_str_radix(digits.strip_prefix("0x").unwrap_or(digits), 16);
        let Some(word) = word.ok().filter(|_| !digits.starts_with('+')) else {
            return format!("0\tINVALID: '{}' is no hex dword", quote::text(digits));
        };
        if let Some(slot) = words.get_mut(i) {
            *slot = Some(word);
        }
    }
    let Some(first) = words[0] else { return "0\tINVALID: no dword".into() };
    match decode(arch, first, words[1]) {
        Ok(inst) => format!("{}\t{inst}", inst.size()),
        Err(error) if error.kind == DecodeErrorKind::Truncated => "0\tINVALID: truncated".into(),
        Err(error) => format!("0\tINVALID: {}: {}", error.kind.name(), error.reason),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_has_an_answer() {
        for (line, start) in [
            ("bf810000", "4\ts_endpgm"),
            ("0xbf810000 12345678 9", "4\ts_endpgm"),
            ("be8000ff 00000001\n", "8\ts_mov_b32"),
            ("be8000ff", "0\tINVALID: truncated"),
            ("beffffff", "0\tINVALID: illegal-instruction: "),
            ("be8000d1", "0\tINVALID: illegal-operand: "),
            ("", "0\tINVALID: no dword"),
            ("xyz", "0\tINVALID: 'xyz' is no hex dword"),
            ("bf810000 123456789", "0\tINVALID: '123456789' is no hex dword"),
        ] {
            let found = answer(line, Arch::Gcn14);
            assert!(found.starts_with(start), "{line}: {found}");
        }
    }
}
