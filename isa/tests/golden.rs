//! Compares the decoder and the disassembler with LLVM's text. (`corpus/decode/README.md` says how the data were made.)

use std::fs;
use std::path::{Path, PathBuf};

use gcnsim_isa::{Arch, DecodeErrorKind, decode, decode_strict};

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../corpus/decode")
}

/// Words and text of each line. A missing second dword stays missing.
fn lines(text: &str) -> impl Iterator<Item = Vec<&str>> {
    text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).map(|line| line.split('\t').collect())
}

fn words(hex: &str) -> Vec<u32> {
    hex.split(' ').map(|word| u32::from_str_radix(word, 16).expect("hex word")).collect()
}

/// Instructions that LLVM accepts and we refuse, each with its reason. All other data must decode.
fn refused_on_purpose(text: &str) -> bool {
    // S0 of a fork, and the source of S_MOVRELS, must be registers (docs/refer/isa.md).
    ["s_cbranch_g_fork ", "s_movrels_b32 ", "s_movrels_b64 "].iter().any(|name| text.starts_with(name))
}

/// Text that its words cannot express completely: the VOP3b words of GCN 1.0 and 1.1 have no CLAMP, and LLVM drops it.
fn loses_clamp(arch: Arch, text: &str) -> bool {
    !arch.is_gcn12_or_later() && text.starts_with("v_div_scale") && text.ends_with(" clamp")
}

/// The error in one line, if there is one.
fn check(arch: Arch, hex: &str, text: &str) -> Option<String> {
    let words = words(hex);
    let text = if loses_clamp(arch, text) { text.trim_end_matches(" clamp") } else { text };
    // The dword after a 4-byte instruction must not matter.
    match decode(arch, words[0], Some(words.get(1).copied().unwrap_or(0xdead_beef))) {
        Ok(inst) if inst.to_string() != text => Some(format!("prints '{inst}'")),
        Ok(inst) if inst.size() as usize != 4 * words.len() => Some(format!("has {} bytes", inst.size())),
        Ok(_) => None,
        Err(error) if error.kind == DecodeErrorKind::IllegalOperand && refused_on_purpose(text) => None,
        Err(error) => Some(format!("{error}")),
    }
}

#[test]
#[cfg_attr(miri, ignore = "reads files")]
fn text_of_every_line_is_llvms() {
    let mut failures = Vec::new();
    let mut count = 0;
    for arch in Arch::ALL {
        let folder = corpus().join(arch.llvm_name());
        let mut files: Vec<_> =
            fs::read_dir(&folder).expect("corpus").map(|entry| entry.expect("entry").path()).collect();
        files.sort();
        for file in files {
            let data = fs::read_to_string(&file).expect("readable");
            for line in lines(&data) {
                count += 1;
                if let Some(complaint) = check(arch, line[0], line[1]) {
                    failures.push(format!("{} {} {}: {complaint}", arch.llvm_name(), line[0], line[1]));
                }
            }
        }
    }
    assert!(count > 70_000, "only {count} lines found");
    assert!(failures.is_empty(), "{} of {count} lines:\n{}", failures.len(), failures.join("\n"));
}

#[test]
#[cfg_attr(miri, ignore = "reads files")]
fn odd_pairs_and_instructions_llvm_lacks() {
    let mut failures = Vec::new();
    for file in ["odd-pairs.txt", "scalar-only-clrx.txt"] {
        let data = fs::read_to_string(corpus().join(file)).expect("readable");
        for line in lines(&data) {
            let arch: Arch = line[0].parse().expect("chip");
            if let Some(complaint) = check(arch, line[1], line[2]) {
                failures.push(format!("{}: {complaint}", line.join(" ")));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
#[cfg_attr(miri, ignore = "reads files")]
fn invalid_words_are_refused() {
    let mut failures = Vec::new();
    let mut count = 0;
    for arch in [Arch::Gcn12, Arch::Gcn14, Arch::Gcn141] {
        let data = fs::read_to_string(corpus().join(format!("invalid/{}.txt", arch.llvm_name()))).expect("readable");
        for line in lines(&data) {
            count += 1;
            let words = words(line[0]);
            let expected = match line[1] {
                "opcode" => DecodeErrorKind::IllegalInstruction,
                _ => DecodeErrorKind::IllegalOperand,
            };
            match decode_strict(arch, words[0], Some(words.get(1).copied().unwrap_or(0))) {
                Err(error) if error.kind == expected => {}
                Err(error) => failures.push(format!("{} {}: {error}", arch.llvm_name(), line.join(" "))),
                Ok(inst) => failures.push(format!("{} {}: '{inst}'", arch.llvm_name(), line.join(" "))),
            }
        }
    }
    assert!(count > 2_000, "only {count} lines found");
    assert!(failures.is_empty(), "{} of {count} lines:\n{}", failures.len(), failures.join("\n"));
}
