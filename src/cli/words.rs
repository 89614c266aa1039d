//! `gcnsim disasm --words`: reads lines of hex dwords, and prints a line of `LENGTH<TAB>TEXT` for each.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read as _, Write};
use std::path::Path;

use anyhow::{Context, bail};
use gcnsim_isa::{Arch, DecodeErrorKind};

use super::{CommandResult, Exit, args, output};
use gcnsim_engine::quote;
use gcnsim_loader::codemap::Decode;

/// Longest line that is read, in bytes. Only its first two dwords are used.
const MAX_LINE: u64 = 1 << 20;

/// Disassembles each line of a file; `-` is stdin.
pub(super) fn execute(path: &Path, arch: Arch, decode: Decode) -> CommandResult {
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
        writeln!(out, "{}", answer(&String::from_utf8_lossy(&line), arch, decode))?;
        line.clear();
    }
    out.flush()?;
    Ok(Exit::Success)
}

/// Returns the output for one line.
fn answer(line: &str, arch: Arch, decode: Decode) -> String {
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
    use gcnsim_isa::{decode, decode_strict};

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
            let found = answer(line, Arch::Gcn14, decode);
            assert!(found.starts_with(start), "{line}: {found}");
        }
    }

    #[test]
    fn idle_fields() {
        const SDWA: &str = "v_mov_b32_sdwa v2, v0 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:DWORD";
        const DPP: &str = "v_add_u32_dpp v1, v2, v3 quad_perm:[0,1,2,3] row_mask:0xf bank_mask:0xf";
        const COMPARE: &str = "ABS, NEG and CLAMP do not apply to an integer compare";
        for (line, text, reason) in [
            ("d28a0001 03fd0a00", "v_writelane_b32 v1, s0, 5", "a source field that is not used is not 0"),
            ("d1350101 20020501", "v_sub_u32_e64 v1, v1, v2", "the modifier does not apply"),
            ("d3824001 58020501", "v_pk_add_i16 v1, v1, v2", "the modifier does not apply"),
            ("d3824001 1bfe0501", "v_pk_add_i16 v1, v1, v2", "a field of the missing third source is not 0"),
            ("d86c0000 01020203", "ds_read_b32 v1, v3", "a field that is not used is not 0"),
            ("7e0402f9 00160600", SDWA, "the source modifier does not apply"),
            ("680206fa ff10e402", DPP, "the source modifier does not apply"),
            ("d0c10000 20020501", "v_cmp_lt_i32_e64 s[0:1], v1, v2", COMPARE),
        ] {
            assert_eq!(answer(line, Arch::Gcn14, decode), format!("8\t{text}"));
            let strict = format!("0\tINVALID: illegal-operand: {reason}");
            assert_eq!(answer(line, Arch::Gcn14, decode_strict), strict, "{line}");
        }
    }
}
