//! `gcnsim disasm`: the code of a file, entry by entry, or lines of dwords.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::bail;
use gcnsim_isa::{Arch, FetchError, Inst, Program};

use super::{CommandResult, Exit, args, output, words};
use crate::loader::Loaded;
use crate::scan::direct_target;

const EXAMPLES: &str = "\
Examples:
  gcnsim disasm --arch fiji shader.bin
  gcnsim disasm kernels.co
  echo be910024 | gcnsim disasm --arch fiji --words -";

/// Arguments of `disasm`.
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// Raw dwords, ELF code object or offload bundle; - is stdin
    #[arg(required_unless_present = "words")]
    file: Option<PathBuf>,
    /// Generation of a raw file or of --words [default: the sidecar's, else gcn1.4]
    #[arg(long)]
    arch: Option<Arch>,
    /// Read lines of hex dwords (- is stdin); print LENGTH<TAB>TEXT for each
    #[arg(long, value_name = "FILE", conflicts_with = "file")]
    words: Option<PathBuf>,
}

/// Disassembles.
pub(super) fn execute(args: Args) -> CommandResult {
    match (&args.words, &args.file) {
        (Some(lines), _) => {
            let Some(arch) = args.arch else { bail!("--words needs --arch") };
            words::execute(lines, arch)
        }
        (None, Some(file)) => file_listing(file, args.arch),
        (None, None) => bail!("a file or --words is needed"),
    }
}

fn file_listing(path: &Path, flag: Option<Arch>) -> CommandResult {
    let loaded = args::load(path)?;
    let sidecar = args::sidecar(path)?;
    let mut out = output::stdout();
    for (i, entry) in loaded.entries.iter().enumerate() {
        let found = args::arch_of(entry, flag, sidecar.as_ref());
        if i == 0 {
            args::note_arch(path, entry, flag, found);
        }
        let program = entry.own_code(found.0);
        let separator = if i == 0 { "" } else { "\n" };
        let target = entry.target.unwrap_or(found.0.name());
        match &entry.kernel {
            Some(kernel) => {
                writeln!(out, "{separator}; kernel {kernel} ({target}), file offset {:#x}", entry.file_offset)?
            }
            None => writeln!(out, "; {} ({target})", args::name(path))?,
        }
        listing(&program, &mut out)?;
    }
    out.flush()?;
    note_skipped(path, &loaded);
    Ok(Exit::Success)
}

/// Says which parts of a bundle are not for us.
pub(super) fn note_skipped(path: &Path, loaded: &Loaded) {
    for part in &loaded.skipped {
        output::note(format_args!("{}: '{}' left out: {}", args::name(path), part.name, part.reason));
    }
}

/// One line per instruction: address, dwords, text; labels where direct branches lead.
fn listing(program: &Program, out: &mut impl Write) -> anyhow::Result<()> {
    let labels = targets(program);
    let mut index = 0;
    while let Some(word) = program.word(index) {
        let pc = program.address(index);
        if labels.contains(&pc) {
            writeln!(out, "L{pc:x}:")?;
        }
        match program.decode_word(index) {
            Ok(inst) if inst.size() == 8 => {
                writeln!(out, "{pc:012x}: {word:08x} {:08x}  {}", inst.words[1], with_target(&inst, pc, &labels))?;
            }
            Ok(inst) => writeln!(out, "{pc:012x}: {word:08x}           {}", with_target(&inst, pc, &labels))?,
            Err(error) => writeln!(out, "{pc:012x}: {word:08x}           .long {word:#010x}  ; {}", reason(&error))?,
        }
        index += program.decode_word(index).map_or(1, |inst| inst.size() as usize / 4);
    }
    Ok(())
}

/// What is wrong with dwords that are no instruction, in a few words.
pub(super) fn reason(error: &FetchError) -> String {
    match error {
        FetchError::Decode(error) => format!("{}: {}", error.kind.name(), error.reason),
        FetchError::OutOfRange(_) => error.to_string(),
    }
}

fn with_target(inst: &Inst, pc: u64, labels: &BTreeSet<u64>) -> String {
    match direct_target(inst, pc) {
        Some(target) if labels.contains(&target) => format!("{inst}  ; -> L{target:x}"),
        Some(target) => format!("{inst}  ; -> {target:#x}, outside"),
        None => inst.to_string(),
    }
}

/// Addresses in the program that direct branches lead to.
fn targets(program: &Program) -> BTreeSet<u64> {
    let mut targets = BTreeSet::new();
    let mut index = 0;
    while index < program.word_count() {
        let inst = program.decode_word(index).ok();
        let target = inst.and_then(|inst| direct_target(&inst, program.address(index)));
        targets.extend(target.filter(|&pc| program.word_index(pc).is_some()));
        index += inst.map_or(1, |inst| inst.size() as usize / 4);
    }
    targets
}
