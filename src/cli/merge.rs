//! `gcnsim merge`: the results of shards, put together.

use std::fs::{self, File};
use std::io::BufWriter;
use std::path::PathBuf;

use anyhow::Context;

use super::{CommandResult, Exit, output};
use crate::batch::merge::merge;
use crate::report::grouped;

const EXAMPLES: &str = "\
Example:
  gcnsim batch shaders/ --shard 1/2 --out part1.jsonl     on one machine
  gcnsim batch shaders/ --shard 2/2 --out part2.jsonl     on another
  gcnsim merge part*.jsonl --out run.jsonl                what one machine would have written";

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
}

/// Merges.
pub(super) fn execute(args: Args) -> CommandResult {
    // What is no result must not be found under the name of one.
    let mut unfinished = args.out.clone().into_os_string();
    unfinished.push(".part");
    let unfinished = PathBuf::from(unfinished);
    let file = File::create(&unfinished).with_context(|| format!("cannot write {}", unfinished.display()))?;
    let merged = merge(&args.shards, &mut BufWriter::with_capacity(1 << 18, file));
    let lines = match merged {
        Ok(lines) => lines,
        Err(error) => {
            let _ = fs::remove_file(&unfinished);
            return Err(error.into());
        }
    };
    fs::rename(&unfinished, &args.out).with_context(|| format!("cannot write {}", args.out.display()))?;
    output::note(format_args!("{}: {} results", args.out.display(), grouped(lines)));
    Ok(Exit::Success)
}
