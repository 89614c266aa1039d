//! `--plan`: lists of the parts of a batch, each for one worker.

use std::fs;
use std::io;
use std::path::Path;

use anyhow::{Context, bail};

use super::super::result_file::{self, check_outputs};
use super::super::{CommandResult, Exit, args, output};
use super::Args;
use gcnsim_engine::report::grouped;
use gcnsim_inputs::Inputs;
use gcnsim_inputs::plan::plan;

/// Writes the lists into the folder of `--out`.
pub(super) fn write(args: &Args, parts: u32) -> CommandResult {
    let folder = args.out.as_deref().context("--plan needs a folder: --out DIR")?;
    let inputs = Inputs::collect(&args.paths)?;
    if inputs.is_empty() {
        bail!("no shaders: the lists are empty");
    }
    let lists = plan(&inputs, parts)?;
    let path_of = |number: usize| folder.join(format!("part-{number}.txt"));
    let paths: Vec<_> = (1..=lists.len()).map(path_of).collect();
    check_outputs(&paths.iter().map(AsRef::as_ref).collect::<Vec<&Path>>(), inputs.paths())?;
    make_empty(folder)?;
    for (path, (_, text)) in paths.iter().zip(&lists) {
        result_file::write(path, text)?;
    }
    let bytes = lists.iter().map(|(part, _)| part.bytes);
    let (least, most) = (bytes.clone().min().unwrap_or(0), bytes.max().unwrap_or(0));
    output::note(format_args!(
        "{}: {} lists of {} files, {} to {} bytes each",
        args::quoted(folder),
        grouped(lists.len() as u64),
        grouped(inputs.len() as u64),
        grouped(least),
        grouped(most)
    ));
    Ok(Exit::Success)
}

/// Makes the folder, unless it is there and empty: parts of another plan must not be taken for parts of this one.
fn make_empty(folder: &Path) -> anyhow::Result<()> {
    let name = || format!("cannot write {}", args::quoted(folder));
    match fs::read_dir(folder) {
        Ok(mut entries) => match entries.next() {
            None => Ok(()),
            Some(_) => bail!("{} is not empty: a plan needs a folder of its own", args::quoted(folder)),
        },
        Err(error) if error.kind() == io::ErrorKind::NotFound => fs::create_dir_all(folder).with_context(name),
        Err(error) => Err(error).with_context(name),
    }
}
