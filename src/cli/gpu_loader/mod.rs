//! `gcnsim loader`: runs a program of LLVM's libc for GPUs, as `llvm-gpu-loader` does.
//!
//! A program has the kernels `_begin(argc, argv, envp)`, `_start(argc, argv, envp, ret)` and `_end()`: the first and
//! the last run on one work-item. What it asks of the host comes by remote calls (`rpc`, `services`).

mod rpc;
mod services;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use anyhow::{Context, bail};

use super::args::{self, EngineArgs};
use super::{CommandResult, Exit, live, output};
use gcnsim_device::args::ArgValue;
use gcnsim_device::{Buffer, Device, DeviceOptions, Kernel, Module};
use gcnsim_engine::{EngineError, Run};
use gcnsim_launches::lines::SourceLines;
use gcnsim_launches::report::{Stop, outcome_text, run_report};
use gcnsim_loader::TargetChoice;
use gcnsim_loader::code_object::CodeObject;
use gcnsim_machine::Outcome;
use rpc::Server;
use services::{Host, Next};

const EXAMPLES: &str = "\
Examples:
  gcnsim loader test.co one two                  main(3, {\"test.co\", \"one\", \"two\"}, ..) of LLVM's libc
  gcnsim loader --threads 64 --blocks 2 test.co
  gcnsim loader --kernel selftest test.co        one kernel; it may take (int argc, char **argv, char **envp, int *ret)
  cmake .. -DCMAKE_CROSSCOMPILING_EMULATOR='gcnsim;loader'

The exit code is what the program exits with, or *ret of _start; 1 after a fault, a trap or the budget; 134 if it
aborts; 2 wrong usage; 3 our mistake. Files, other programs and functions of the host are not given to a program.";

/// Ticks of the clock in a second, as programs are told (symbol `__llvm_libc_clock_freq`).
const CLOCK: u64 = 100_000_000;
const CLOCK_SYMBOL: &str = "__llvm_libc_clock_freq";

/// Arguments of `loader`. Those without a description of their own have the names of `llvm-gpu-loader`.
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// Work-items of a group of _start
    #[arg(long, alias = "threads", value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    threads_x: u32,
    /// The same in y
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    threads_y: u32,
    /// The same in z
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    threads_z: u32,
    /// Groups of _start
    #[arg(long, alias = "blocks", value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    blocks_x: u32,
    /// The same in y
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    blocks_y: u32,
    /// The same in z
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    blocks_z: u32,
    /// Run this kernel instead of _begin, _start and _end
    #[arg(long, value_name = "NAME")]
    kernel: Option<String>,
    /// The part of an image with several [default: the image's only one]
    #[arg(long, value_name = "ARCH")]
    arch: Option<TargetChoice>,
    /// Stop after N instructions of a kernel
    #[arg(long, value_name = "N", value_parser = args::count, allow_negative_numbers = true)]
    max_insts: Option<u64>,
    /// Taken, and of no meaning here: an older loader had it
    #[arg(long, hide = true)]
    no_parallelism: bool,
    /// The same
    #[arg(long, hide = true)]
    print_resource_usage: bool,
    #[command(flatten)]
    engine: EngineArgs,
    /// Code object, or what has one, and arguments of the program: all that follows it
    #[arg(value_name = "IMAGE [ARG]", required = true, trailing_var_arg = true)]
    command: Vec<PathBuf>,
}

impl Args {
    fn image(&self) -> &Path {
        // Clap wants one word at least.
        self.command.first().map_or(Path::new(""), PathBuf::as_path)
    }
}

/// A program on the device.
struct Program {
    module: Module,
    argc: u32,
    argv: Buffer,
    envp: Buffer,
    ret: Buffer,
    /// Set to end the kernel that runs.
    stop: Arc<AtomicBool>,
    server: Option<Server>,
}

/// Runs a program.
pub(super) fn execute(args: &Args) -> CommandResult {
    let object = object(args)?;
    let stop = live::stop_on_signal("Ctrl-C will end the program");
    let run = args.engine.options()?.max_insts(args.max_insts).stop(stop.clone()).with_host_writes();
    let device = Device::new(object.arch, DeviceOptions::default().run(run));
    let program = Program::new(&device, object, args, stop)?;
    let sizes = [(args.blocks_x, args.threads_x), (args.blocks_y, args.threads_y), (args.blocks_z, args.threads_z)];
    let mut grid = [0; 3];
    for (side, (blocks, threads)) in grid.iter_mut().zip(sizes) {
        *side =
            u32::checked_mul(blocks, threads).with_context(|| format!("{blocks} groups of {threads} are too many"))?;
    }
    let group = [args.threads_x, args.threads_y, args.threads_z];
    let one = [1; 3];
    let mut host = Host::new(&device);
    let kernels = match &args.kernel {
        Some(name) => vec![(name.as_str(), grid, group)],
        None => vec![("_begin", one, one), ("_start", grid, group), ("_end", one, one)],
    };
    for (name, grid, group) in kernels {
        let kernel = match program.module.kernel(name) {
            Ok(kernel) => kernel,
            Err(_) if name != "_start" && args.kernel.is_none() => continue,
            Err(error) => bail!("{}: {error}; there are {}", args::quoted(args.image()), program.names()),
        };
        if let Some(code) = program.launch(&kernel, (grid, group), &mut host)? {
            services::flush();
            return Ok(Exit::Program(code as u8));
        }
    }
    services::flush();
    Ok(Exit::Program(program.returned() as u8))
}

/// Reads the code object that the arguments name.
fn object(args: &Args) -> anyhow::Result<CodeObject> {
    let name = || args::quoted(args.image());
    let bytes = args::load_object(args.image(), args.arch)?;
    let (mut objects, skipped) = CodeObject::choose_parts(&bytes, args.arch.as_ref(), None).with_context(name)?;
    args::note_not_read(args.image(), &skipped);
    match (objects.pop(), objects.len()) {
        (Some(only), 0) => Ok(only),
        (Some(_), others) => bail!("{}: {} parts could be meant: --arch chooses one", name(), others + 1),
        (None, _) => bail!("{}: no part for this chip", name()),
    }
}

impl Program {
    fn new(device: &Device, object: CodeObject, args: &Args, stop: Arc<AtomicBool>) -> anyhow::Result<Program> {
        let module = device.load(&Arc::new(object))?;
        let server = Server::new(device, &module)?;
        let has = |symbol: &str| module.object().variables.iter().any(|variable| variable.name == symbol);
        if server.is_none() && has(rpc::OLD_CLIENT) {
            output::note("this is a program of LLVM 19 or before: what it asks of the host is not served");
        }
        set_clock(device, &module);
        let words: Vec<String> = args.command.iter().map(|word| word.to_string_lossy().into_owned()).collect();
        let environment: Vec<String> = std::env::vars_os()
            .map(|(name, value)| format!("{}={}", name.to_string_lossy(), value.to_string_lossy()))
            .collect();
        Ok(Program {
            argc: u32::try_from(words.len())?,
            argv: strings(device, "argv", &words)?,
            envp: strings(device, "envp", &environment)?,
            ret: device.alloc_named("ret", 4)?,
            module,
            stop,
            server,
        })
    }

    fn names(&self) -> String {
        self.module.kernels().collect::<Vec<_>>().join(", ")
    }

    /// What `_start` has left in `*ret`.
    fn returned(&self) -> i32 {
        let mut bytes = [0; 4];
        // It has as many bytes.
        let _ = self.ret.read(0, &mut bytes);
        i32::from_le_bytes(bytes)
    }

    /// Launches a kernel, and serves it meanwhile. Returns the exit code if it is the last one.
    fn launch(
        &self,
        kernel: &Kernel,
        (grid, group): ([u32; 3], [u32; 3]),
        host: &mut Host<'_>,
    ) -> anyhow::Result<Option<i32>> {
        let mut launch = kernel.launch(grid, group);
        for value in self.values(kernel) {
            launch = launch.arg(value);
        }
        let mut exit = None;
        let (run, dispatch) = match &self.server {
            None => launch.run_dispatch()?,
            Some(server) => {
                server.done.store(false, Ordering::SeqCst);
                thread::scope(|scope| {
                    let serving = scope.spawn(|| self.serve(server, host));
                    let given = launch.run_dispatch();
                    server.done.store(true, Ordering::SeqCst);
                    exit = serving.join().unwrap_or(Some(3));
                    given
                })?
            }
        };
        match (exit, &run.outcome) {
            (Some(code), _) => Ok(Some(code)),
            (None, Ok(Outcome::Ended)) => Ok(None),
            (None, Err(EngineError::Interrupted)) => Ok(Some(130)),
            (None, outcome) => {
                services::flush();
                self.say(kernel, &run, &dispatch);
                Ok(Some(if outcome.is_ok() { 1 } else { 3 }))
            }
        }
    }

    /// Serves calls until the kernel has ended. Returns the code if the program exits.
    fn serve(&self, server: &Server, host: &mut Host<'_>) -> Option<i32> {
        let (mut next, mut is_running) = (0, true);
        loop {
            let Some(port) = server.waiting(next) else {
                if !is_running {
                    return None;
                }
                is_running = server.pause();
                continue;
            };
            next = port.index() + 1;
            let code = match host.serve(port) {
                Ok(Next::GoesOn) => continue,
                Ok(Next::Exits(code)) => code,
                Err(rpc::CallError::Gone) => return None,
                Err(error) => {
                    output::message("loader", error);
                    1
                }
            };
            self.stop.store(true, Ordering::SeqCst);
            return Some(code);
        }
    }

    /// The arguments of a kernel: as many of `(argc, argv, envp, ret)` as it takes. `_end` may take what `_start`
    /// returned.
    fn values(&self, kernel: &Kernel) -> Vec<gcnsim_device::Argument> {
        let count = kernel.arguments().map_or(4, |arguments| arguments.len());
        if kernel.name() == "_end" {
            return vec![ArgValue::i32(self.returned()).into(); count.min(1)];
        }
        let all: [gcnsim_device::Argument; 4] =
            [self.argc.into(), (&self.argv).into(), (&self.envp).into(), (&self.ret).into()];
        all.into_iter().take(count).collect()
    }

    /// Says why a kernel did not end.
    fn say(&self, kernel: &Kernel, run: &Run, dispatch: &gcnsim_device::Dispatch) {
        let object = self.module.object();
        let pc = run.outcome.as_ref().ok().and_then(Outcome::detail).map(|detail| dispatch.address_of_file(detail.pc));
        let source = pc.and_then(|pc| SourceLines::of(&object.bytes).at(pc));
        let stop = Stop { dispatch, source: source.as_deref(), wants: &[] };
        let engine = dispatch.run_options().engine.name();
        let report = run_report(object.arch.name(), engine, run, &stop);
        output::message("loader", format_args!("{} did not end: {}", kernel.name(), outcome_text(&report)));
    }
}

/// Tells the program how fast the clock is.
fn set_clock(device: &Device, module: &Module) {
    let Some(variable) = module.object().variables.iter().find(|variable| variable.name == CLOCK_SYMBOL) else {
        return;
    };
    let address = module.address(variable.address);
    if let Some(mapping) = device.mapped(address, 8)
        && let Some(at) = mapping.place(address, 8)
    {
        mapping.backing.write(at, &CLOCK.to_le_bytes());
    }
}

/// Returns a list of pointers to strings that ends with a null pointer, and behind it the strings.
fn strings(device: &Device, name: &str, strings: &[String]) -> anyhow::Result<Buffer> {
    let head = 8 * (strings.len() as u64 + 1);
    let text: Vec<u8> = strings.iter().flat_map(|string| string.bytes().chain([0])).collect();
    let buffer = device.alloc_named(name, head + text.len() as u64)?;
    let mut address = buffer.address() + head;
    for (number, string) in strings.iter().enumerate() {
        buffer.write(8 * number as u64, &address.to_le_bytes())?;
        address += string.len() as u64 + 1;
    }
    buffer.write(head, &text)?;
    Ok(buffer)
}
