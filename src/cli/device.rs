//! `gcnsim device`: runs a program on the simulated GPU, under the drivers of the system.

use std::ffi::OsString;
use std::fs;
use std::io::{self, IsTerminal, Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::thread;

use anyhow::{Context, bail};
use gcnsim_driver::chips::CHIPS;
use gcnsim_driver::settings::{CHIP, Engine, SETTINGS, chip};
use gcnsim_driver::{SCHEMA, Settings, Summary};
use gcnsim_sanitize::{Checks, UnknownCheck};
use nix::sys::signal::{self, SigSet, Signal};
use nix::unistd::Pid;

use super::{CommandResult, Exit, args, output, result_file};

const EXAMPLES: &str = "\
Examples:
  gcnsim device -- ./vadd                            a program of HIP, under the system's libamdhip64
  gcnsim device --chip gfx906 -- rocminfo
  gcnsim device --record rec -- ./app && gcnsim batch rec
  gcnsim device --max-insts 1000000000 -- ./app      a kernel without an end becomes an error
  gcnsim device --list                               the chips

PROGRAM and its children see one GPU. Nothing of the system changes. Exit code: that of PROGRAM, or 128 and the number
of the signal that ended it; 2: PROGRAM or the library is not there; 3: our mistake; with --must-run 1 if PROGRAM ended
with 0 and no kernel was run.";

/// File name of the library.
const LIBRARY: &str = "libgcnsim_device.so";
/// Environment variable with the path of the library.
const LIBRARY_PATH: &str = "GCNSIM_DEVICE_LIB";
/// Exit code of the loader, if a library is not there.
const NOT_STARTED: i32 = 127;
/// Libraries of drivers, and the packages of Debian that have them.
const PACKAGES: [(&str, &str); 6] = [
    ("libamdhip64", "libamdhip64-5"),
    ("libhsa-runtime64", "libhsa-runtime64-1"),
    ("librocrand", "librocrand1"),
    ("librocsparse", "librocsparse0"),
    ("libvulkan", "libvulkan1"),
    ("libEGL", "libegl1"),
];
/// Environment variables that choose drivers of Vulkan, and folders in which drivers are listed.
const VULKAN_DRIVERS: [&str; 2] = ["VK_ICD_FILENAMES", "VK_DRIVER_FILES"];
const VULKAN_FOLDERS: [&str; 3] = ["/usr/share/vulkan/icd.d", "/etc/vulkan/icd.d", "/usr/local/share/vulkan/icd.d"];

/// Flags of Mesa's drivers, added to those that are set: images have no compression, which kernels could not read.
const MESA_FLAGS: [(&str, &str); 2] =
    [("RADV_DEBUG", "nodcc,nohiz,nofastclears,nofmask"), ("AMD_DEBUG", "nodcc,nohyperz,nofmask")];

/// Name of the layer of Vulkan that hides queues for graphics.
const LAYER: &str = "VK_LAYER_GCNSIM_compute_only";

/// Arguments of `device`.
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// Chip: LLVM's name or target id (gfx900, gfx906:xnack-), or the name of an ASIC (vega10, polaris10)
    #[arg(long, value_name = "CHIP")]
    chip: Option<String>,
    /// Run groups of a kernel on at most N threads
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    jobs: Option<u64>,
    /// Interpret kernels
    #[arg(long, conflicts_with = "no_check")]
    interp: bool,
    /// Do not check compiled code
    #[arg(long)]
    no_check: bool,
    /// Stop a kernel after N instructions of all its waves together
    #[arg(long, value_name = "N")]
    max_insts: Option<u64>,
    /// Record each dispatch into DIR, which gcnsim batch takes; kernels run on one thread
    #[arg(long, value_name = "DIR")]
    record: Option<PathBuf>,
    /// Record only kernels with these names, with commas between them
    #[arg(long, value_name = "NAMES", value_delimiter = ',', requires = "record")]
    record_only: Vec<String>,
    /// Most bytes of the recording; dispatches beyond them have no data [default: 4294967296]
    #[arg(long, value_name = "BYTES", requires = "record")]
    record_limit: Option<u64>,
    /// Look for mistakes of kernels: races, undefined reads, accesses outside the allocation of a pointer; without
    /// CHECKS all three. Kernels are interpreted
    #[arg(long, value_name = "race,uninit,bounds", num_args = 0..=1, require_equals = true,
          default_missing_value = "race,uninit,bounds", value_parser = checks)]
    sanitize: Option<String>,
    /// Show what was spent in each kernel; the first dispatch of each is counted by source lines
    #[arg(long)]
    profile: bool,
    /// A draw, which is not executed, loses the device
    #[arg(long)]
    strict: bool,
    /// Show programs of Vulkan no queues for graphics: copies and clears of images, which RADV draws there, are right
    #[arg(long)]
    compute_only: bool,
    /// Print one JSON object about the run to FILE
    #[arg(long, value_name = "FILE")]
    summary: Option<PathBuf>,
    /// Exit with 1 if PROGRAM ends with 0, but no kernel was run
    #[arg(long)]
    must_run: bool,
    /// List the chips
    #[arg(long, exclusive = true)]
    list: bool,
    /// Program and its arguments
    #[arg(last = true, value_name = "PROGRAM", required_unless_present = "list")]
    program: Vec<OsString>,
}

/// Runs a program.
pub(super) fn execute(args: Args) -> CommandResult {
    if args.list {
        return list();
    }
    let chip = chip(args.chip.as_deref())?;
    let library = library()?;
    let program = program(&args.program[0])?;
    if let Some(path) = &args.summary {
        result_file::check_outputs(&[path], [gcnsim_inputs::InputPath::named(&program)].into_iter())?;
    }
    if let Some(why) = sees_nothing(&program) {
        output::note(format_args!("{} {why}: it does not see the device", args::quoted(&program)));
    }
    if let Some(folder) = &args.record {
        // The processes of the program go on with it.
        gcnsim_record::Recorder::create(folder, 0)?;
    }
    let folder = tempfile::Builder::new().prefix("gcnsim-device-").tempdir().context("cannot make a folder")?;
    let settings = args.settings(folder.path());
    let mut command = Command::new(&program);
    command.args(&args.program[1..]).env(CHIP, args.chip.as_deref().unwrap_or(chip.name));
    command.env(SETTINGS, settings.to_text()).env("LD_PRELOAD", preloaded(&library));
    // Each allocation is one for the device, too, so that an access behind it is a fault.
    if std::env::var_os("HSA_DISABLE_FRAGMENT_ALLOCATOR").is_none() {
        command.env("HSA_DISABLE_FRAGMENT_ALLOCATOR", "1");
    }
    for (name, flags) in MESA_FLAGS {
        let set = std::env::var(name).ok().filter(|set| !set.is_empty());
        command.env(name, set.map_or(flags.to_owned(), |set| format!("{set},{flags}")));
    }
    if args.compute_only {
        hide_graphics(&mut command, folder.path(), &library).context("cannot make the layer of --compute-only")?;
    }
    if let Some(driver) = vulkan_driver() {
        for name in VULKAN_DRIVERS.into_iter().filter(|name| std::env::var_os(name).is_none()) {
            command.env(name, &driver);
        }
    }
    let status = run(&mut command).with_context(|| format!("cannot run {}", args::quoted(&program)))?;
    if status.code() == Some(NOT_STARTED) {
        missing(&program).into_iter().for_each(output::note);
    }
    // A program that was ended may have been in its first kernel.
    let has_ended = status.code().is_some();
    let name = args::quoted(&program).to_string();
    let mut summary = collect(folder.path(), chip.name);
    summary.program = args.program.iter().map(|part| part.to_string_lossy().into_owned()).collect();
    let mut exit = exit_of(status);
    if summary.dispatches == 0 && has_ended {
        output::note(format_args!("{name} has run no kernel on the device"));
        if args.must_run && exit == Exit::Program(0) {
            exit = Exit::Negative;
        }
    }
    if !summary.errors.is_empty() {
        exit = Exit::OurFault;
    }
    summary.exit = Some(exit.code().into());
    if let Some(path) = &args.summary {
        result_file::write(path, format!("{}\n", summary.to_json()).as_bytes())?;
    }
    Ok(exit)
}

/// Lets the loader of Vulkan find the layer of the library that hides queues for graphics.
fn hide_graphics(command: &mut Command, folder: &Path, library: &Path) -> std::io::Result<()> {
    let folder = folder.join("layers");
    std::fs::create_dir(&folder)?;
    let manifest = serde_json::json!({
        "file_format_version": "1.2.0",
        "layer": {
            "name": LAYER,
            "type": "GLOBAL",
            "library_path": library,
            "api_version": "1.3.0",
            "implementation_version": "1",
            "description": "Hides queues for graphics",
            "functions": { "vkNegotiateLoaderLayerInterfaceVersion": "gcnsim_compute_only" },
        },
    });
    std::fs::write(folder.join("compute-only.json"), manifest.to_string())?;
    // The loader ignores VK_ADD_LAYER_PATH where VK_LAYER_PATH is set.
    let path = if std::env::var_os("VK_LAYER_PATH").is_some() { "VK_LAYER_PATH" } else { "VK_ADD_LAYER_PATH" };
    for (name, own) in [(path, folder.as_os_str()), ("VK_INSTANCE_LAYERS", LAYER.as_ref())] {
        let mut value = own.to_owned();
        if let Some(set) = std::env::var_os(name).filter(|set| !set.is_empty()) {
            value.push(":");
            value.push(set);
        }
        command.env(name, value);
    }
    Ok(())
}

impl Args {
    fn settings(&self, folder: &Path) -> Settings {
        Settings {
            engine: match (self.interp, self.no_check) {
                (true, _) => Engine::Interp,
                (_, true) => Engine::NoCheck,
                _ => Engine::Jit,
            },
            jobs: self.jobs.map(|jobs| usize::try_from(jobs).unwrap_or(usize::MAX)),
            max_insts: self.max_insts,
            // The program may change its folder.
            record: self.record.as_ref().map(|folder| std::path::absolute(folder).unwrap_or_else(|_| folder.clone())),
            record_only: self.record_only.clone(),
            record_limit: self.record_limit,
            sanitize: self.sanitize.clone(),
            profile: self.profile,
            strict: self.strict,
            folder: Some(folder.to_owned()),
            ..Settings::default()
        }
    }
}

/// Returns names of checks of the sanitizer that all exist.
fn checks(names: &str) -> Result<String, UnknownCheck> {
    Checks::parse(names).map(|_| names.to_owned())
}

/// Prints the chips.
fn list() -> CommandResult {
    let mut out = output::stdout();
    writeln!(out, "{:<8} {:<10} {:>5} {:>10}  drivers", "name", "asic", "units", "memory")?;
    for chip in CHIPS {
        let drivers = if chip.rocm { "ROCm, Mesa" } else { "Mesa" };
        let (units, memory) = (chip.compute_units(), format!("{} MiB", chip.memory));
        writeln!(out, "{:<8} {:<10} {units:>5} {memory:>10}  {drivers}", chip.name, chip.asic)?;
    }
    Ok(Exit::Success)
}

/// Returns the path of the library: as the environment says, beside the command, or in `../lib` of it.
fn library() -> anyhow::Result<PathBuf> {
    if let Some(path) = std::env::var_os(LIBRARY_PATH) {
        let path = PathBuf::from(path);
        if !path.is_file() {
            bail!("{LIBRARY_PATH}: {} is not there", args::quoted(&path));
        }
        return Ok(fs::canonicalize(path)?);
    }
    let command = std::env::current_exe().and_then(fs::canonicalize).context("cannot find the command itself")?;
    let folder = command.parent().unwrap_or(Path::new("/"));
    let places = [folder.join(LIBRARY), folder.join("../lib").join(LIBRARY)];
    let Some(found) = places.iter().find(|path| path.is_file()) else {
        bail!(
            "{LIBRARY} is neither beside the command nor in ../lib: 'cargo build --release --package gcnsim-preload' \
             builds it, and {LIBRARY_PATH} says where it is"
        );
    };
    Ok(fs::canonicalize(found)?)
}

/// Returns the path of a program as a shell finds it.
fn program(name: &OsString) -> anyhow::Result<PathBuf> {
    let is_program = |path: &Path| fs::metadata(path).is_ok_and(|meta| meta.is_file() && meta.mode() & 0o111 != 0);
    if name.as_bytes().contains(&b'/') {
        let path = PathBuf::from(name);
        let meta = fs::metadata(&path).with_context(|| format!("cannot run {}", args::quoted(&path)))?;
        if !is_program(&path) {
            let why = if meta.is_dir() { "is a directory" } else { "is no program (chmod +x makes it one)" };
            bail!("cannot run {}: {why}", args::quoted(&path));
        }
        return Ok(path);
    }
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let mut places = std::env::split_paths(&folders).map(|folder| folder.join(name));
    let found = places.find(|path| is_program(path));
    found.with_context(|| format!("cannot run {}: no such program in PATH", args::quoted(Path::new(name))))
}

/// Returns the file that lists Mesa's driver of Vulkan for this device, if it is there.
fn vulkan_driver() -> Option<PathBuf> {
    let is_it = |path: &PathBuf| {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        name.starts_with("radeon_icd") && name.ends_with(".json") && !name.contains("i686")
    };
    let files = VULKAN_FOLDERS.iter().filter_map(|folder| fs::read_dir(folder).ok()).flatten().flatten();
    files.map(|entry| entry.path()).find(is_it)
}

/// Returns a line for each library of a driver that a program wants and that is not there: the loader of the system lists
/// them without running the program.
fn missing(program: &Path) -> Vec<String> {
    // Others than dynamic programs would run.
    let is_elf = fs::read(program).is_ok_and(|bytes| bytes.starts_with(b"\x7fELF"));
    if !is_elf || sees_nothing(program).is_some() {
        return Vec::new();
    }
    let listed = Command::new(program).env("LD_TRACE_LOADED_OBJECTS", "1").env_remove("LD_PRELOAD").output();
    let text = listed.map(|listed| String::from_utf8_lossy(&listed.stdout).into_owned()).unwrap_or_default();
    let names = text.lines().filter_map(|line| line.trim().strip_suffix(" => not found"));
    let note = |name: &str| {
        let stem = name.split(".so").next().unwrap_or(name);
        let package = PACKAGES.iter().find(|(library, _)| *library == stem);
        package.map(|(_, package)| format!("{name} is not there: the package {package} of Debian has it"))
    };
    names.filter_map(note).collect()
}

/// Returns why the library has no effect on a program, if that is so.
fn sees_nothing(program: &Path) -> Option<&'static str> {
    const DYNAMIC: u16 = 3;
    const INTERPRETER: u32 = 3;
    if fs::metadata(program).is_ok_and(|meta| meta.permissions().mode() & 0o6000 != 0) {
        return Some("runs with the rights of somebody else");
    }
    let mut head = Vec::new();
    fs::File::open(program).ok()?.take(4096).read_to_end(&mut head).ok()?;
    let u16_at = |at: usize| head.get(at..at + 2).map(|bytes| u16::from_le_bytes([bytes[0], bytes[1]]));
    if !head.starts_with(b"\x7fELF\x02") {
        return None;
    }
    let table = u64::from_le_bytes(*head.get(32..)?.first_chunk()?);
    let (size, count) = (usize::from(u16_at(54)?), usize::from(u16_at(56)?));
    let kinds = (0..count).filter_map(|index| {
        let at = usize::try_from(table).ok()?.checked_add(index * size)?;
        head.get(at..)?.first_chunk().map(|bytes| u32::from_le_bytes(*bytes))
    });
    let is_static = !kinds.into_iter().any(|kind| kind == INTERPRETER) && u16_at(16)? <= DYNAMIC;
    is_static.then_some("is linked statically")
}

/// Returns the value of LD_PRELOAD: the library, and what the user has there.
fn preloaded(library: &Path) -> OsString {
    let mut list = library.as_os_str().to_owned();
    if let Some(other) = std::env::var_os("LD_PRELOAD").filter(|other| !other.is_empty()) {
        list.push(":");
        list.push(other);
    }
    list
}

/// Starts a program and waits for it. Signals that are to end the command are the program's: it decides what becomes of
/// them. Ctrl-C in a terminal reaches both.
fn run(command: &mut Command) -> anyhow::Result<ExitStatus> {
    let signals = SigSet::from_iter([Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP]);
    let mut child = command.spawn().context("it does not start")?;
    // Not before, as the program begins with the signals that are blocked here.
    signals.thread_block().context("cannot block signals")?;
    let id = Pid::from_raw(i32::try_from(child.id())?);
    let in_terminal = io::stdin().is_terminal() || io::stdout().is_terminal() || io::stderr().is_terminal();
    thread::spawn(move || {
        while let Ok(signal) = signals.wait() {
            if signal != Signal::SIGINT || !in_terminal {
                // The program may have ended just now.
                let _ = signal::kill(id, signal);
            }
        }
    });
    child.wait().context("cannot wait for it")
}

fn exit_of(status: ExitStatus) -> Exit {
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal));
    Exit::Program(code.and_then(|code| u8::try_from(code).ok()).unwrap_or(255))
}

/// Adds up what the processes of the program have done. Those that ended without a word are told of here.
fn collect(folder: &Path, chip: &str) -> Summary {
    let version = gcnsim_engine::report::version().to_owned();
    let mut all = Summary { schema: SCHEMA.to_owned(), version, chip: chip.to_owned(), ..Summary::default() };
    let mut files: Vec<_> = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    files.sort();
    for path in files.iter().filter(|path| path.extension().is_some_and(|extension| extension == "json")) {
        let Some(one) = fs::read_to_string(path).ok().and_then(|text| Summary::parse(&text)) else { continue };
        if !one.printed {
            let _ = write!(output::stderr(), "{one}");
        }
        all.add(&one);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_that_see_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        assert_eq!(sees_nothing(&std::env::current_exe().unwrap()), None);
        // A head without program headers.
        let mut head = b"\x7fELF\x02\x01\x01".to_vec();
        head.resize(64, 0);
        (head[16], head[54]) = (2, 56);
        fs::write(&path, &head).unwrap();
        assert_eq!(sees_nothing(&path), Some("is linked statically"));
        fs::write(&path, "#!/bin/sh\n").unwrap();
        assert_eq!(sees_nothing(&path), None);
    }
}
