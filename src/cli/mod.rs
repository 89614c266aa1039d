//! The command line: one file per command.
//!
//! A command is an `Args` struct (clap) and a function from it to an `Exit`. Results go to stdout, everything else to
//! stderr (`output`). A new command needs a file with both, a variant of `Command`, and an arm in `Command::execute`.
//!
//! `run` may be omitted: `with_default_command` inserts it when the first argument names no command.

mod args;
mod batch;
mod compare;
mod completions;
mod coverage;
#[cfg(target_os = "linux")]
mod device;
mod diff;
mod disasm;
mod dispatch;
mod dispatch_flags;
#[cfg(feature = "jit")]
mod explain;
mod extract;
#[cfg(feature = "jit")]
mod fuzz;
mod gen_corpus;
mod gpu_loader;
#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod heap;
mod identity;
mod isa;
mod launch_template;
mod lint;
mod live;
mod man;
mod merge;
mod output;
mod printf;
mod profile;
mod profiling;
mod provenance;
mod registers;
mod replay;
mod result_file;
mod run;
mod saves;
mod scan;
mod screen;
mod synthetic;
mod totals;
mod trace;
mod verify;
mod watch;
mod words;
mod write_expect;

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Args as _, CommandFactory, FromArgMatches as _, Parser, Subcommand};

/// Result of a command: what exit code it means.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
enum Exit {
    /// Nothing failed.
    #[default]
    Success,
    /// The answer is no: a program did not end, a vector failed, or something was found.
    Negative,
    /// Wrong usage or unreadable input.
    BadInput,
    /// A mistake of the simulator: a divergence or an internal error.
    OurFault,
    /// A comparison for `git bisect` that says nothing.
    Skip,
    /// Exit code of a program that the command has run.
    Program(u8),
}

impl Exit {
    /// Returns the exit code.
    fn code(self) -> u8 {
        match self {
            Exit::Success => 0,
            Exit::Negative => 1,
            Exit::BadInput => 2,
            Exit::OurFault => 3,
            Exit::Skip => 125,
            Exit::Program(code) => code,
        }
    }
}

type CommandResult = anyhow::Result<Exit>;

const EXAMPLES: &str = "\
Examples:
  gcnsim --jit bench.bin                        run a program ('run' may be left out)
  gcnsim run --arch fiji --sgpr 0=42 x.bin      GCN 1.2, s0 = 42
  gcnsim run --trace=20 --max-insts 1000 x.bin  show the first 20 instructions
  gcnsim run --json --dump-state end.json x.bin
  gcnsim disasm kernel.co                       list every kernel
  echo 'be8000ff 00000001' | gcnsim disasm --arch gfx900 --words -
  gcnsim scan shaders/                          what would not run, before running
  gcnsim lint kernel.co                         missing waits and wait states, without running
  gcnsim extract app --out parts                code objects of a bundle, archive or executable
  gcnsim batch shaders/ --out new.jsonl         every shader of a corpus
  gcnsim device -- ./app                        a program of HIP, without a GPU
  gcnsim loader test.co one two                 a program of LLVM's libc for GPUs
  gcnsim compare old.jsonl new.jsonl            what changed since the last time
  gcnsim diff build-old/ build-new/             which shaders do something else, and by which instruction
  gcnsim verify corpus/vectors/*.jsonl.gz
  gcnsim explain --hot bench.bin                what the JIT made of the hottest code
  gcnsim isa --arch gcn1.4
  gcnsim fuzz --seconds 60                      random programs and dispatches on both engines
  gcnsim help run                               the same as 'gcnsim run --help'

Architectures: gcn1.0 gcn1.1 gcn1.2 gcn1.4 gcn1.4.1, or LLVM names (gfx600 .. gfx90c, tahiti, fiji, vega10, ...).
Exit codes: 0 the program ended; 1 it did not, or something was found; 2 usage or unreadable input; 3 our mistake.";

/// The version of the command, with the commit that it was built from.
const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), env!("GCNSIM_BUILD"));

/// Simulator of AMD GCN shader binaries (GCN 1.0 to 1.4).
#[derive(Parser)]
#[command(name = "gcnsim", version = VERSION, about, after_help = EXAMPLES, arg_required_else_help = true)]
#[command(max_term_width = 110)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run one program (the default command)
    Run(Box<run::Args>),
    /// Run every shader of a corpus
    Batch(batch::Args),
    /// Run a program on the simulated GPU, under the drivers of the system
    #[cfg(target_os = "linux")]
    Device(device::Args),
    /// Run a program of LLVM's libc for GPUs, as llvm-gpu-loader does
    Loader(gpu_loader::Args),
    /// Show what changed between two batches
    Compare(compare::Args),
    /// Say whether two compilations of shaders do the same
    Diff(diff::Args),
    /// Put the results of shards together
    Merge(merge::Args),
    /// Run conformance vectors
    Verify(verify::Args),
    /// Disassemble a file, or lines of hex dwords
    Disasm(disasm::Args),
    /// List every instruction that would not run
    Scan(scan::Args),
    /// Find missing waits, missing wait states and other mistakes that execution does not show
    Lint(lint::Args),
    /// Write the code objects of a bundle, archive or executable to files
    Extract(extract::Args),
    /// Print a launch file to fill in, for the kernels of a code object
    LaunchTemplate(launch_template::Args),
    /// Show a region as guest code, Cranelift IR and host assembly
    #[cfg(feature = "jit")]
    Explain(explain::Args),
    /// Show which instructions are supported on which generation, and what fidelity notes stand for
    Isa(isa::Args),
    /// Run random programs and dispatches on both engines and compare
    #[cfg(feature = "jit")]
    Fuzz(fuzz::Args),
    /// Write a corpus of random programs
    GenCorpus(gen_corpus::Args),
    /// Print what a shell needs to complete commands and options
    Completions(completions::Args),
    /// Print manual pages
    Man(man::Args),
}

impl Command {
    fn execute(self) -> CommandResult {
        match self {
            Command::Run(args) => run::execute(*args),
            Command::Batch(args) => batch::execute(args),
            #[cfg(target_os = "linux")]
            Command::Device(args) => device::execute(args),
            Command::Loader(args) => gpu_loader::execute(&args),
            Command::Compare(args) => compare::execute(args),
            Command::Diff(args) => diff::execute(args),
            Command::Merge(args) => merge::execute(args),
            Command::Verify(args) => verify::execute(args),
            Command::Disasm(args) => disasm::execute(args),
            Command::Scan(args) => scan::execute(args),
            Command::Lint(args) => lint::execute(args),
            Command::Extract(args) => extract::execute(args),
            Command::LaunchTemplate(args) => launch_template::execute(args),
            #[cfg(feature = "jit")]
            Command::Explain(args) => explain::execute(args),
            Command::Isa(args) => isa::execute(args),
            #[cfg(feature = "jit")]
            Command::Fuzz(args) => fuzz::execute(args),
            Command::GenCorpus(args) => gen_corpus::execute(args),
            Command::Completions(args) => completions::execute(args),
            Command::Man(args) => man::execute(args),
        }
    }
}

/// Runs the command that the process was started with.
pub fn main() -> ExitCode {
    gcnsim_engine::report::set_version(VERSION);
    let arguments = with_default_command(std::env::args_os().collect());
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    if arguments.get(1).is_some_and(|first| first == "run") {
        heap::use_large_pages();
    }
    let command = match parsed(&arguments) {
        Ok(command) => command,
        Err(error) => match missing_name(&arguments, &error) {
            Some(text) => {
                output::message("error", text);
                return ExitCode::from(Exit::BadInput.code());
            }
            None => error.exit(),
        },
    };
    let exit = match command.execute() {
        Ok(exit) => exit,
        Err(error) if output::is_broken_pipe(&error) => Exit::Success,
        Err(error) => {
            output::message("error", format_args!("{error:#}"));
            Exit::BadInput
        }
    };
    ExitCode::from(exit.code())
}

/// Parses the arguments of a process. The options of all commands take as long to set up as many a run does, so those
/// of `run` are set up alone; help and errors need the whole.
fn parsed(arguments: &[OsString]) -> Result<Command, clap::Error> {
    if arguments.get(1).is_some_and(|first| first == "run") {
        let matches = run::Args::augment_args(clap::Command::new("run")).try_get_matches_from(&arguments[1..]);
        if let Ok(args) = matches.and_then(|mut matches| run::Args::from_arg_matches_mut(&mut matches)) {
            return Ok(Command::Run(Box::new(args)));
        }
    }
    Cli::try_parse_from(arguments).map(|cli| cli.command)
}

/// Returns the message for a first argument that names neither a command nor a file. `None` if `error` is about
/// something else.
fn missing_name(arguments: &[OsString], error: &clap::Error) -> Option<String> {
    let first = arguments.get(1).filter(|first| *first != "help")?;
    if error.kind() != ErrorKind::InvalidSubcommand {
        return None;
    }
    let similar = match error.get(ContextKind::SuggestedSubcommand) {
        Some(ContextValue::Strings(names)) => names.iter().map(|name| format!("'{name}'")).collect::<Vec<_>>(),
        _ => Vec::new(),
    };
    let similar = if similar.is_empty() { String::new() } else { format!("; is it {}?", similar.join(" or ")) };
    let first = first.to_string_lossy();
    Some(format!("neither a command nor a file is named '{first}'{similar} ('gcnsim help' lists the commands)"))
}

/// Inserts `run` before arguments that do not begin with a command. A single word that is neither a command nor a file
/// stays, so that the error says so.
fn with_default_command(mut arguments: Vec<OsString>) -> Vec<OsString> {
    let Some(first) = arguments.get(1) else { return arguments };
    let text = first.to_string_lossy();
    let stays = match text.as_ref() {
        "-h" | "--help" | "help" | "-V" | "--version" => true,
        word if word.starts_with('-') => false,
        "run" => true,
        // Names of commands have none of these.
        word if word.contains(['.', '/', '\\']) => false,
        word => {
            let is_command = Cli::command().get_subcommands().any(|command| command.get_name() == word);
            is_command || !Path::new(first).exists()
        }
    };
    if !stays {
        arguments.insert(1, "run".into());
    }
    arguments
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clap_finds_nothing_wrong() {
        Cli::command().debug_assert();
    }

    #[test]
    fn run_may_be_left_out() {
        let inserted = |line: &str| {
            let arguments = line.split(' ').map(OsString::from).collect();
            with_default_command(arguments).get(1).is_some_and(|a| a == "run")
        };
        for line in ["gcnsim --jit a.bin", "gcnsim a.bin", "gcnsim - --json", "gcnsim run x", "gcnsim ./isa"] {
            assert!(inserted(line), "{line}");
        }
        for line in ["gcnsim", "gcnsim --help", "gcnsim isa", "gcnsim disasm x", "gcnsim dsasm x", "gcnsim help run"] {
            assert!(!inserted(line), "{line}");
        }
    }
}
