//! `gcnsim man`: prints manual pages, which are made from the same text as `--help`.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::{Command, CommandFactory};
use clap_mangen::Man;

use super::{Cli, CommandResult, Exit, args, output, result_file};

const EXAMPLES: &str = "\
Examples:
  gcnsim man run | man -l -
  gcnsim man --dir ~/.local/share/man/man1      gcnsim.1, gcnsim-run.1, ...";

/// Arguments of `man`.
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// Page of a command [default: that of gcnsim]
    command: Option<String>,
    /// Write the pages of gcnsim and all its commands to a folder, which is made if it does not exist
    #[arg(long, value_name = "DIR", conflicts_with = "command")]
    dir: Option<PathBuf>,
}

/// Prints the page of a command, or writes all pages to a folder.
pub(super) fn execute(args: Args) -> CommandResult {
    let mut root = Cli::command().disable_help_subcommand(true);
    root.build();
    if let Some(dir) = &args.dir {
        fs::create_dir_all(dir).with_context(|| args::quoted(dir))?;
        for command in std::iter::once(&root).chain(root.get_subcommands()) {
            write_page(command, dir)?;
        }
        return Ok(Exit::Success);
    }
    let command = match &args.command {
        None => &root,
        Some(name) => match root.find_subcommand(name) {
            Some(command) => command,
            None => bail!("there is no command '{}'", gcnsim_engine::quote::text(name)),
        },
    };
    let mut out = output::stdout_for(true);
    out.write_all(&page(command)?)?;
    out.flush()?;
    Ok(Exit::Success)
}

fn page(command: &Command) -> std::io::Result<Vec<u8>> {
    let mut page = Vec::new();
    Man::new(command.clone()).render(&mut page)?;
    Ok(page)
}

fn write_page(command: &Command, dir: &Path) -> anyhow::Result<()> {
    let path = dir.join(Man::new(command.clone()).get_filename());
    result_file::write(&path, &page(command)?)
}
