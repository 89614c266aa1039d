//! Arguments that several commands share.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use gcnsim_isa::Arch;

use super::output;
use gcnsim_engine::number;
use gcnsim_engine::quote;
use gcnsim_engine::{EngineKind, RunOptions};
use gcnsim_inputs::{DataFiles, RawFiles};
use gcnsim_launches::sidecar::{self, Sidecar};
use gcnsim_loader::walk::Found;
use gcnsim_loader::{self as loader, DEFAULT_ARCH, Entry, FileBytes, Loaded, Reading, Skipped, TargetChoice};

/// Which engine runs the program.
#[derive(clap::Args, Clone, Default, Debug)]
#[command(next_help_heading = "Engine")]
pub(super) struct EngineArgs {
    /// Interpret first, compile what gets hot, check the first 64 entries of each region [default]
    #[arg(long, group = "engine")]
    jit: bool,
    /// Reference interpreter only
    #[arg(long, group = "engine")]
    interp: bool,
    /// Like --jit, with every slice checked against the interpreter
    #[arg(long, group = "engine", conflicts_with = "no_check")]
    check: bool,
    /// Do not check compiled code
    #[arg(long)]
    no_check: bool,
    /// Compile a loop once N backward jumps have arrived at its start (0: compile everything at once)
    #[arg(long, value_name = "N", value_parser = u32_number, allow_negative_numbers = true)]
    hot: Option<u32>,
    /// Most instructions of a compiled region; more than 4000 count as 4000
    #[arg(long, value_name = "N", value_parser = u32_number, allow_negative_numbers = true)]
    region_max: Option<u32>,
}

/// How raw files are read, of commands that take many files.
#[derive(clap::Args, Clone, Copy, Default, Debug)]
pub(super) struct RawArgs {
    /// Generation of raw files, whatever their sidecars say [default: their sidecars', else gcn1.4]
    #[arg(long)]
    pub arch: Option<TargetChoice>,
    /// Raw files are of the generation that the innermost folder named like one tells (gfx600/, fiji/, gcn1.2/); --arch
    /// and sidecars win over it
    #[arg(long)]
    pub arch_from_path: bool,
    /// Take what is no code object as dwords, even if it looks like text or another format
    #[arg(long)]
    pub raw: bool,
}

impl RawArgs {
    /// Returns what the flags stand for.
    pub(super) fn files(&self) -> RawFiles {
        let mut files = RawFiles::default();
        (files.arch, files.arch_from_path, files.any) =
            (self.arch.map(|target| target.arch), self.arch_from_path, self.raw);
        files
    }
}

/// Returns the path of a ledger that is written. A ledger is a file: reasons are added to it.
pub(super) fn ledger_file(text: &str) -> Result<PathBuf, String> {
    match text {
        "-" => Err("a ledger is written to a file, not to stdout".into()),
        _ => Ok(text.into()),
    }
}

impl EngineArgs {
    /// Whether a single run may compile in the background. It may not if the user says when to compile, or wants every
    /// slice checked.
    #[cfg(feature = "jit")]
    pub(super) fn allow_background(&self) -> bool {
        let is_default = self.hot.is_none() && self.region_max.is_none() && !self.check;
        is_default && std::thread::available_parallelism().is_ok_and(|threads| threads.get() > 1)
    }

    /// Returns the run options that the flags stand for.
    pub(super) fn options(&self) -> anyhow::Result<RunOptions> {
        let defaults = RunOptions::default();
        let engine = match self {
            EngineArgs { interp: true, .. } => EngineKind::Interp,
            EngineArgs { check: true, .. } => EngineKind::Check,
            EngineArgs { jit: true, no_check: false, .. } => EngineKind::Jit,
            EngineArgs { jit: true, .. } => EngineKind::JitNoCheck,
            EngineArgs { no_check: true, .. } if defaults.engine == EngineKind::Jit => EngineKind::JitNoCheck,
            _ => defaults.engine,
        };
        if engine != EngineKind::Interp && !cfg!(feature = "jit") {
            bail!("this build has no JIT (it was built without the feature 'jit'): use --interp");
        }
        if self.region_max == Some(0) {
            bail!("--region-max 0: a region has at least one instruction");
        }
        let (hot, region_max) = (self.hot.unwrap_or(defaults.hot), self.region_max.unwrap_or(defaults.region_max));
        Ok(defaults.engine(engine).hot(hot).region_max(region_max))
    }
}

/// Parses a value of up to 64 bits, decimal or 0x.
pub(super) fn u64_number(text: &str) -> Result<u64, String> {
    number::parse(text, 64).map_err(|error| error.to_string())
}

/// Parses a value of up to 32 bits, decimal or 0x. Negative values are errors.
pub(super) fn u32_number(text: &str) -> Result<u32, String> {
    if text.starts_with('-') {
        return Err(format!("'{text}' is negative"));
    }
    number::parse(text, 32).map(|n| n as u32).map_err(|error| error.to_string())
}

/// Parses a count, decimal or 0x. Negative values are errors.
pub(super) fn count(text: &str) -> Result<u64, String> {
    if text.starts_with('-') {
        return Err(format!("'{text}' is negative"));
    }
    number::parse(text, 64).map_err(|error| error.to_string())
}

/// Parses an address or offset of code: a multiple of 4.
pub(super) fn code_address(text: &str) -> Result<u64, String> {
    match count(text)? {
        n if n.is_multiple_of(4) => Ok(n),
        _ => Err(format!("'{text}' is not a multiple of 4")),
    }
}

/// Loads the file `path`: as dwords if `raw` is set, else the part for `target`. Errors name the file.
pub(super) fn load(path: &Path, raw: bool, target: Option<TargetChoice>) -> anyhow::Result<Loaded> {
    let arch = target.map(|target| target.arch);
    let mut reading = Reading::default().arch(arch);
    reading.raw = raw;
    let loaded = loader::load_as(path, reading).with_context(|| quoted(path))?;
    note_remark(path, loaded.remark.as_deref());
    Ok(loaded)
}

/// Reads a code object that is to be launched. If the loader restores missing content, prints a note.
pub(super) fn load_object(path: &Path, target: Option<TargetChoice>) -> anyhow::Result<FileBytes> {
    let arch = target.map(|target| target.arch);
    let bytes = FileBytes::read_code(path).with_context(|| quoted(path))?;
    let (bytes, remark) = loader::restore(&bytes, arch);
    note_remark(path, remark.as_deref());
    Ok(bytes)
}

fn note_remark(path: &Path, remark: Option<&str>) {
    if let Some(remark) = remark {
        output::note(format_args!("{}: {remark}", quoted(path)));
    }
}

/// Reads the sidecar of the file `path`. Returns `None` for stdin.
pub(super) fn sidecar(path: &Path) -> anyhow::Result<Option<Sidecar>> {
    if path.as_os_str() == "-" {
        return Ok(None);
    }
    Sidecar::beside(path).with_context(|| quote::path(&sidecar::path_of(path)))
}

/// Returns the name of a file, escaped for a terminal.
pub(super) fn quoted(path: &Path) -> String {
    if path.as_os_str() == "-" { "<stdin>".into() } else { quote::path(path) }
}

/// Returns the name of a file without escapes, for programs.
pub(super) fn name(path: &Path) -> String {
    if path.as_os_str() == "-" { "<stdin>".into() } else { path.display().to_string() }
}

/// Most parts that [`note_not_read`] names.
const NAMED: usize = 5;

/// Prints a note about the parts of a file that are not read, except those with host code.
pub(super) fn note_not_read(path: &Path, skipped: &[Skipped]) {
    let missed: Vec<_> = skipped.iter().filter(|part| !part.is_host).collect();
    let name = |part: &&&Skipped| format!("{} ({})", quote::name(&part.name), quote::text(&part.reason));
    let mut names: Vec<_> = missed.iter().take(NAMED).map(|part| name(&part)).collect();
    if missed.len() > NAMED {
        names.push(format!("and {} more", missed.len() - NAMED));
    }
    let what = if missed.len() == 1 { "a part is".to_owned() } else { format!("{} parts are", missed.len()) };
    if !missed.is_empty() {
        output::note(format_args!("{}: {what} not read: {}", quoted(path), names.join(", ")));
    }
}

/// The source of an entry's generation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ArchSource {
    /// The file, `--arch` or the sidecar states it.
    Stated,
    /// Nobody states it, so it is the default.
    Default,
}

/// Returns the generation of an entry. An ELF file states its own; else `--arch` decides, then the sidecar, then the
/// default.
pub(super) fn arch_of(entry: &Entry, flag: Option<TargetChoice>, sidecar: Option<&Sidecar>) -> (Arch, ArchSource) {
    match entry.arch.or(flag.map(|flag| flag.arch)).or(sidecar.and_then(|s| s.arch)) {
        Some(arch) => (arch, ArchSource::Stated),
        None => (DEFAULT_ARCH, ArchSource::Default),
    }
}

/// Prints a note if the generation of a raw file was not stated, or if a file contradicts `--arch`.
pub(super) fn note_arch(path: &Path, entry: &Entry, flag: Option<TargetChoice>, found: (Arch, ArchSource)) {
    let (arch, source) = found;
    if source == ArchSource::Default {
        output::note(format_args!(
            "{}: architecture not stated, taken as {arch} (--arch says otherwise)",
            quoted(path)
        ));
    }
    let own = entry.part.as_ref().map(|part| part.target.as_str()).filter(|target| !target.is_empty());
    if let (Some(target), Some(flag)) = (own.or(entry.target), flag)
        && flag.excludes(arch, target)
    {
        output::note(format_args!("{}: the file is for {target} ({arch}); --arch {flag} does not apply", quoted(path)));
    }
}

/// Lists the shaders in `paths`, without the files that launch files among them name: these hold values. A path that is
/// no folder is taken in any case.
pub(super) fn walk<P: AsRef<Path>>(paths: &[P]) -> Found {
    let mut found = loader::walk::walk(paths);
    let mut data = DataFiles::default();
    found.texts.iter().for_each(|text| data.add(text));
    if !data.is_empty() {
        let before = found.files.len();
        found.files.retain(|file| paths.iter().any(|path| path.as_ref() == file) || !data.has(file));
        found.skipped += (before - found.files.len()) as u64;
    }
    found
}
