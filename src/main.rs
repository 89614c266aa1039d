//! The `gcnsim` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    gcnsim::cli::main()
}
