//! `gcnsim gen-corpus`: writes a corpus of random, well-behaved programs.

use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::Context;
use gcnsim_isa::Arch;

use super::result_file::ResultFiles;
use super::{CommandResult, Exit, args, output};
use gcnsim_check::generate::corpus;
use gcnsim_engine::quote;

/// Arguments of `gen-corpus`.
#[derive(clap::Args, Debug)]
pub(super) struct Args {
    /// Folder to write to; made if it does not exist
    directory: PathBuf,
    /// Number of programs
    #[arg(long, value_name = "N", default_value = "1000", value_parser = args::count, allow_negative_numbers = true)]
    count: u64,
    /// The same seed writes the same files
    #[arg(long, value_name = "S", default_value = "1", value_parser = args::u64_number, allow_negative_numbers = true)]
    seed: u64,
    /// Generation of all programs; without it they go round all five, each with a sidecar that names its own
    #[arg(long)]
    arch: Option<Arch>,
    /// Vector ALU instructions too, in every form
    #[arg(long)]
    vector: bool,
}

/// Writes the programs.
pub(super) fn execute(args: Args) -> CommandResult {
    fs::create_dir_all(&args.directory).with_context(|| args::quoted(&args.directory))?;
    let untouched = untouched(&args)?;
    let next = AtomicU64::new(0);
    let jobs = std::thread::available_parallelism().map_or(1, usize::from);
    let bytes = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..jobs).map(|_| scope.spawn(|| work(&args, &next))).collect();
        workers.into_iter().try_fold(0, |sum, worker| match worker.join() {
            Ok(bytes) => bytes.map(|bytes| sum + bytes),
            Err(_) => anyhow::bail!("a thread panicked"),
        })
    })?;
    let mut out = output::stdout();
    writeln!(out, "{} programs, {bytes} bytes in {}", args.count, args::quoted(&args.directory))?;
    out.flush()?;
    if !untouched.is_empty() {
        let mut names = untouched.iter().take(MOST_NAMED).cloned().collect::<Vec<_>>().join(", ");
        if untouched.len() > MOST_NAMED {
            names += &format!(" and {} more", untouched.len() - MOST_NAMED);
        }
        let directory = args::quoted(&args.directory);
        output::note(format_args!("{directory} held more than this corpus; left untouched: {names}"));
    }
    Ok(Exit::Success)
}

/// Most files that the note names.
const MOST_NAMED: usize = 20;

/// Sorted names of the files in the folder that this run does not overwrite.
fn untouched(args: &Args) -> anyhow::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(&args.directory).with_context(|| args::quoted(&args.directory))? {
        let name = entry.with_context(|| args::quoted(&args.directory))?.file_name();
        if !is_written(args, &name) {
            names.push(quote::path(Path::new(&name)));
        }
    }
    names.sort();
    Ok(names)
}

/// Whether `work` writes a file with the name `name`.
fn is_written(args: &Args, name: &OsStr) -> bool {
    let Some((stem, extension)) = name.to_str().and_then(|name| name.split_once('.')) else { return false };
    let number = stem.parse().ok().filter(|&number: &u64| number < args.count && program_name(number) == stem);
    number.is_some() && (extension == "bin" || extension == "toml" && args.arch.is_none())
}

/// Returns the name of a program's file, without extension.
fn program_name(number: u64) -> String {
    format!("{number:06}")
}

/// Writes programs until all numbers are taken from `next`. Returns the number of bytes written.
fn work(args: &Args, next: &AtomicU64) -> anyhow::Result<u64> {
    let (mut files, mut written) = (ResultFiles::default(), 0);
    loop {
        let number = next.fetch_add(1, Ordering::Relaxed);
        if number >= args.count {
            files.finish()?;
            return Ok(written);
        }
        let arch = args.arch.unwrap_or(Arch::GENERATIONS[(number % Arch::GENERATIONS.len() as u64) as usize]);
        let make = if args.vector { corpus::vector_program } else { corpus::program };
        let words = make(arch, args.seed, number);
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let path = args.directory.join(program_name(number) + ".bin");
        if args.arch.is_none() {
            files.add(&path.with_extension("toml"), format!("arch = \"{arch}\"\n").as_bytes())?;
        }
        files.add(&path, &bytes)?;
        written += bytes.len() as u64;
    }
}
