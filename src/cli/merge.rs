//! `gcnsim merge`: puts the results of shards together.

use std::path::PathBuf;

use anyhow::bail;

use super::result_file::{self, ResultFile, check_outputs, is_filled};
use super::{CommandResult, Exit, args, output};
use gcnsim_batch::InputPath;
use gcnsim_batch::merge::merge;
use gcnsim_engine::report::grouped;

const EXAMPLES: &str = "\
Example:
  gcnsim batch shaders/ --shard 1/2 --out part1.jsonl     on one machine
  gcnsim batch shaders/ --shard 2/2 --out part2.jsonl     on another
  gcnsim merge part1.jsonl part2.jsonl --out run.jsonl    what one machine would have written

Every shard has to be complete: it ends with its closing record.";

/// Arguments of `merge`.
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// Results of all shards of a batch, in any order
    #[arg(required = true, value_name = "SHARD.jsonl")]
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
    let shards = args.shards.iter().map(|path| InputPath::named(path));
    check_outputs(&[&target.path], shards)?;
    if !args.force && is_filled(&target.path) {
        bail!("{} is there already: --force replaces it", args::quoted(&target.path));
    }
    let entries = result_file::write_by(&args.out, |out| Ok(merge(&args.shards, out)?))?;
    output::note(format_args!("{}: {} results", args::quoted(&args.out), grouped(entries)));
    Ok(Exit::Success)
}
