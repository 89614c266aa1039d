//! `gcnsim completions`: prints a script with which a shell completes commands and options.

use std::io::Write;

use clap::CommandFactory;
use clap_complete::Shell;

use super::{Cli, CommandResult, Exit, output};

const EXAMPLES: &str = "\
Examples:
  gcnsim completions bash > ~/.local/share/bash-completion/completions/gcnsim
  gcnsim completions fish > ~/.config/fish/completions/gcnsim.fish
  gcnsim completions zsh > DIR/_gcnsim          DIR is one of $fpath";

/// Arguments of `completions`.
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The shell
    shell: Shell,
}

/// Prints the script of a shell.
pub(super) fn execute(args: Args) -> CommandResult {
    // The script goes to memory first: the generator panics if it cannot write.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "gcnsim", &mut script);
    let mut out = output::stdout_for(true);
    out.write_all(&script)?;
    out.flush()?;
    Ok(Exit::Success)
}
