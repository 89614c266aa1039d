//! `gcnsim disasm`: lists all code of files, each byte once, or disassembles lines of dwords.

mod headers;
mod json;
mod lines;
mod text;

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use gcnsim_isa::{Arch, DecodeError, decode, decode_strict};

use super::{CommandResult, Exit, args, output, words};
use gcnsim_engine::quote;
use gcnsim_engine::report::plural;
use gcnsim_loader::codemap::{CodeMap, Decode};
use gcnsim_loader::object::Object;
use gcnsim_loader::{Loaded, TargetChoice};

const EXAMPLES: &str = "\
Examples:
  gcnsim disasm --arch fiji shader.bin
  gcnsim disasm kernels.co more.hipfb
  gcnsim disasm --headers kernels.co       with kernel descriptors and arguments
  echo be910024 | gcnsim disasm --arch fiji --words -

Exit code 1: some dwords in code are no instructions.";

/// Arguments of `disasm`.
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// Raw dwords, ELF code objects, bundles, archives or executables that hold some, RGP captures, logs of drivers
    /// with code words, a PlayStation 4's .sb; - is stdin
    #[arg(required_unless_present = "words", value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Generation of raw files or of --words [default: the sidecar's, else gcn1.4]
    #[arg(long)]
    arch: Option<TargetChoice>,
    /// Take a file that is no code object as dwords, even if it looks like text or another format
    #[arg(long)]
    raw: bool,
    /// Show how kernels are launched: descriptor, registers at the start, arguments
    #[arg(long)]
    headers: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Read lines of hex dwords (- is stdin); print LENGTH, a tab and TEXT for each
    #[arg(long, value_name = "FILE", conflicts_with_all = ["files", "headers", "json", "raw"])]
    words: Option<PathBuf>,
    /// Take instructions with fields that they do not use and that are not 0 for no instructions, as LLVM does
    #[arg(long)]
    strict: bool,
}

impl Args {
    fn decode(&self) -> Decode {
        if self.strict { decode_strict } else { decode }
    }
}

/// Disassembles files or lines.
pub(super) fn execute(args: Args) -> CommandResult {
    if let Some(lines) = &args.words {
        let Some(arch) = args.arch else { bail!("--words needs --arch") };
        return words::execute(lines, arch.arch, args.decode());
    }
    let mut out = output::stdout_for(args.json);
    let mut exit = Exit::Success;
    let mut listed = 0;
    if args.json {
        out.write_all(json::BEGIN.as_bytes())?;
    }
    for path in &args.files {
        let listing = match Listing::of_file(path, &args) {
            Ok(listing) => listing,
            Err(error) => {
                output::message("error", format_args!("{error:#}"));
                exit = exit.max(Exit::BadInput);
                continue;
            }
        };
        let undecodable = if args.json {
            json::write(&listing, listed > 0, &mut out)?
        } else {
            text::write(&listing, listed > 0, args.headers, &mut out)?
        };
        listed += 1;
        exit = exit.max(listing.tell(undecodable, &mut out)?);
    }
    if args.json {
        writeln!(out, "{}", json::END)?;
    }
    out.flush()?;
    Ok(exit)
}

/// The listing of a file.
struct Listing {
    path: PathBuf,
    loaded: Loaded,
    objects: Vec<Object>,
    /// The generation that applies if the file is raw.
    arch: Arch,
    decode: Decode,
}

impl Listing {
    fn of_file(path: &Path, args: &Args) -> anyhow::Result<Listing> {
        let flag = args.arch;
        let loaded = super::args::load(path, args.raw, flag)?;
        let sidecar = super::args::sidecar(path)?;
        let first = &loaded.entries[0];
        let found = super::args::arch_of(first, flag, sidecar.as_ref());
        super::args::note_arch(path, first, flag, found);
        let entry = sidecar.as_ref().and_then(|s| s.entry).unwrap_or(0);
        let objects = loaded.objects(entry).with_context(|| super::args::quoted(path))?;
        Ok(Listing { path: path.to_owned(), loaded, objects, arch: found.0, decode: args.decode() })
    }

    /// Returns the objects with their code.
    fn maps(&self) -> impl Iterator<Item = CodeMap<'_>> {
        self.objects.iter().map(|object| CodeMap::as_needed(object, object.arch.unwrap_or(self.arch), self.decode))
    }

    /// Flushes the listing, then prints on stderr what it cannot show.
    fn tell(&self, undecodable: u64, out: &mut impl Write) -> CommandResult {
        out.flush()?;
        note_skipped(&self.path, &self.loaded);
        let name = args::quoted(&self.path);
        for error in self.objects.iter().filter_map(|object| object.metadata_error.as_ref()) {
            output::note(format_args!("{name}: arguments are not known: {}", quote::text(error)));
        }
        self.loaded.check_whole().with_context(|| name.clone())?;
        if undecodable == 0 {
            return Ok(Exit::Success);
        }
        output::note(format_args!("{name}: {} in code: no instruction", plural(undecodable, "dword")));
        Ok(Exit::Negative)
    }
}

/// Prints a note about each part of a file that is not read.
pub(super) fn note_skipped(path: &Path, loaded: &Loaded) {
    for part in &loaded.skipped {
        let (name, part, reason) = (args::quoted(path), quote::name(&part.name), quote::text(&part.reason));
        output::note(format_args!("{name}: part {part} is not read: {reason}"));
    }
}

/// Returns the reason why a dword is not an instruction.
fn reason(error: &DecodeError) -> String {
    format!("{}: {}", error.kind.name(), error.reason)
}
