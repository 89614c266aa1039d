//! `gcnsim extract`: writes the code objects of a file to files of their own.

use std::collections::HashMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use serde::Serialize;

use super::{CommandResult, Exit, args, output, result_file};
use gcnsim_engine::quote;
use gcnsim_engine::report::{json_line, plural};
use gcnsim_inputs::InputPath;
use gcnsim_loader::{FileBytes, FilePart, PartContent, file_parts};

const EXAMPLES: &str = "\
Examples:
  gcnsim extract app --out parts                  code objects of an executable of HIP or OpenMP
  gcnsim extract kernels.hipfb --out parts --json
  gcnsim extract libkernels.a --out parts --force

Reads offload bundles (compressed ones, too), offload binaries of LLVM, ar archives, executables and objects
of hosts that hold these, and dumps. Code objects for every AMD GPU are written, as STEM.TARGET.co, or as
STEM.INDEX.TARGET.co where several are for one target. Exit code 1: there are none.";

/// Arguments of `extract`.
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// File that holds code objects; - is stdin
    file: PathBuf,
    /// Folder to write to; it is made if it is not there
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Replace files that are there
    #[arg(long)]
    force: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// The files that were written, and the parts that were not.
#[derive(Serialize)]
struct Report {
    file: String,
    written: Vec<Written>,
    not_written: Vec<NotWritten>,
}

#[derive(Serialize)]
struct Written {
    path: String,
    /// Name of the part in the file. Empty if the file is the code object itself.
    part: String,
    target: Option<String>,
    bundle: usize,
    /// Offset of the code object in the file, or in the unpacked file, in bytes.
    offset: u64,
    bytes: u64,
}

#[derive(Serialize)]
struct NotWritten {
    part: String,
    bundle: usize,
    reason: String,
}

/// Writes the code objects of the file to `--out`.
pub(super) fn execute(args: Args) -> CommandResult {
    let name = || args::quoted(&args.file);
    let bytes = FileBytes::read(&args.file).with_context(name)?;
    let parts = file_parts(&bytes).with_context(name)?;
    let objects: Vec<&FilePart> = parts.iter().filter(|part| part.content == PartContent::CodeObject).collect();
    let paths: Vec<PathBuf> = file_names(&args.file, &objects).into_iter().map(|name| args.out.join(name)).collect();
    check_outputs(&args, &paths)?;
    if !paths.is_empty() {
        fs::create_dir_all(&args.out).with_context(|| format!("cannot make {}", args::quoted(&args.out)))?;
    }
    for (object, path) in objects.iter().zip(&paths) {
        let write = if args.force { result_file::write } else { result_file::write_new };
        write(path, object.bytes.as_ref())?;
    }
    bytes.check_whole().with_context(name)?;
    let report = Report {
        file: args::name(&args.file),
        written: objects.iter().zip(&paths).map(|(object, path)| written(object, path)).collect(),
        not_written: parts.iter().filter_map(not_written).collect(),
    };
    print(&args, &report)?;
    Ok(if report.written.is_empty() { Exit::Negative } else { Exit::Success })
}

fn written(object: &FilePart, path: &Path) -> Written {
    Written {
        path: args::name(path),
        part: object.id.name.clone(),
        target: object.id.target().map(str::to_owned),
        bundle: object.id.index,
        offset: object.offset,
        bytes: object.bytes.as_ref().len() as u64,
    }
}

fn not_written(part: &FilePart) -> Option<NotWritten> {
    let reason = match &part.content {
        PartContent::CodeObject => return None,
        PartContent::Host => "host code".to_owned(),
        PartContent::Other(what) => what.clone(),
    };
    Some(NotWritten { part: part.id.name.clone(), bundle: part.id.index, reason })
}

/// Checks that no existing file is replaced without `--force`, and that the input is not an output.
fn check_outputs(args: &Args, paths: &[PathBuf]) -> anyhow::Result<()> {
    let there: Vec<_> = paths.iter().filter(|path| path.symlink_metadata().is_ok()).collect();
    if let (Some(first), false) = (there.first(), args.force) {
        bail!("{} is there already ({} in all): give --force to replace it", args::quoted(first), there.len());
    }
    let outputs: Vec<&Path> = paths.iter().map(PathBuf::as_path).collect();
    result_file::check_outputs(&outputs, std::iter::once(InputPath::named(&args.file)))
}

/// Longest stem and longest target in a file name, in characters.
const LONGEST: usize = 80;

/// Returns the file name for each of `objects`. All are different, even without regard to case, and safe on every
/// system.
fn file_names(file: &Path, objects: &[&FilePart]) -> Vec<String> {
    let stem = file.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let stem = if file.as_os_str() == "-" { "stdin".to_owned() } else { safe(&stem, "file") };
    let targets: Vec<String> = objects.iter().map(|object| safe(&object.id.target, "unknown")).collect();
    // Some file systems do not distinguish upper and lower case.
    let mut counts: HashMap<String, usize> = HashMap::new();
    targets.iter().for_each(|target| *counts.entry(target.to_lowercase()).or_default() += 1);
    let name = |(object, target): (&&FilePart, &String)| match counts[&target.to_lowercase()] {
        1 => format!("{stem}.{target}.co"),
        _ => format!("{stem}.{}.{target}.co", object.id.index),
    };
    objects.iter().zip(&targets).map(name).collect()
}

/// Makes `text` a safe part of a file name: letters, digits, `+`, `-` and `_`. Returns `fallback` for an empty text.
fn safe(text: &str, fallback: &str) -> String {
    let is_safe = |c: char| c.is_ascii_alphanumeric() || "+-_".contains(c);
    let safe: String = text.chars().take(LONGEST).map(|c| if is_safe(c) { c } else { '-' }).collect();
    let safe = safe.trim_start_matches('-');
    if safe.is_empty() { fallback.to_owned() } else { safe.to_owned() }
}

fn print(args: &Args, report: &Report) -> anyhow::Result<()> {
    let mut out = output::stdout_for(args.json);
    if args.json {
        writeln!(out, "{}", json_line("extract", report))?;
        return Ok(out.flush()?);
    }
    for Written { path, part, bytes, .. } in &report.written {
        let part = if part.is_empty() { String::new() } else { format!("  {}", quote::name(part)) };
        writeln!(out, "{}  {}{part}", quote::name(path), plural(*bytes, "byte"))?;
    }
    for NotWritten { part, reason, .. } in &report.not_written {
        writeln!(out, "part {} is not written: {}", quote::name(part), quote::text(reason))?;
    }
    writeln!(out, "{} written", plural(report.written.len() as u64, "code object"))?;
    Ok(out.flush()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_safe() {
        for (text, expected) in [
            ("gfx906:sramecc+:xnack-", "gfx906-sramecc+-xnack-"),
            ("../../etc/passwd", "etc-passwd"),
            ("-rf", "rf"),
            ("a\0\x1b\u{202e}b", "a---b"),
            ("...", "x"),
            ("", "x"),
        ] {
            assert_eq!(safe(text, "x"), expected, "{text:?}");
        }
        assert_eq!(safe(&"x".repeat(500), "").len(), LONGEST);
    }
}
