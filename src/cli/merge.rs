//! `gcnsim merge`: puts the results of shards together.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use super::result_file::{self, ResultFile, check_outputs, is_filled};
use super::{CommandResult, Exit, args, output};
use gcnsim_batch::merge::merge;
use gcnsim_engine::report::grouped;
use gcnsim_inputs::InputPath;

const EXAMPLES: &str = "\
Example:
  gcnsim batch shaders/ --shard 1/2 --out part1.jsonl     on one machine
  gcnsim batch shaders/ --shard 2/2 --out part2.jsonl     on another
  gcnsim merge part1.jsonl part2.jsonl --out run.jsonl    what one machine would have written
  gcnsim merge results/ --out run.jsonl                   the same of a folder

Every shard has to be complete: it ends with its closing record.";

/// Arguments of `merge`.
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// Results of all shards of a batch, in any order; of a folder, its files named .jsonl
    #[arg(required = true, value_name = "SHARD.jsonl|FOLDER")]
    shards: Vec<PathBuf>,
    /// Where to write the results of the whole
    #[arg(long, value_name = "FILE.jsonl")]
    out: PathBuf,
    /// Replace the file if it is there already
    #[arg(long)]
    force: bool,
}

/// Merges shards.
pub(super) fn execute(args: Args) -> CommandResult {
    // The file gets its name when it is complete, so an incomplete merge cannot be taken for a complete one.
    let target = ResultFile::new(&args.out)?;
    let shards = files(&args.shards, &target.path)?;
    check_outputs(&[&target.path], shards.iter().map(|path| InputPath::named(path)))?;
    if !args.force && is_filled(&target.path) {
        bail!("{} is there already: --force replaces it", args::quoted(&target.path));
    }
    let entries = result_file::write_by(&args.out, |out| Ok(merge(&shards, out)?))?;
    output::note(format_args!("{}: {} results", args::quoted(&args.out), grouped(entries)));
    Ok(Exit::Success)
}

/// Returns the files that the arguments name: of a folder those with results, but for the one that is written.
fn files(arguments: &[PathBuf], written: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let written = fs::canonicalize(written).ok();
    let mut files = Vec::new();
    for path in arguments {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let before = files.len();
        let cannot = || format!("cannot read {}", args::quoted(path));
        for entry in fs::read_dir(path).with_context(cannot)? {
            let file = entry.with_context(cannot)?.path();
            let is_written = || written.is_some() && fs::canonicalize(&file).ok() == written;
            if file.extension().is_some_and(|extension| extension == "jsonl") && file.is_file() && !is_written() {
                files.push(file);
            }
        }
        if files.len() == before {
            bail!("{} has no results: no file there is named .jsonl", args::quoted(path));
        }
        files[before..].sort();
    }
    Ok(files)
}
