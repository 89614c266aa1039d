//! `gcnsim scan`: every instruction that would not run, before running.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

use gcnsim_isa::{Arch, Program};
use serde::Serialize;

use super::args::{self, ArchSource};
use super::output::{self, plural};
use super::{CommandResult, Exit};
use crate::loader::Loaded;
use crate::loader::walk::walk;
use crate::report::{Hex, json_line};
use crate::scan::{Finding, scan};

const EXAMPLES: &str = "\
Examples:
  gcnsim scan shader.bin
  gcnsim scan --arch gfx803 --json dumps/ extra.co

Folders are searched for .bin .co .hsaco .hipfb .o .elf and for files that begin like ELF or an offload bundle.";

/// Arguments of `scan`.
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// Files or folders; - is stdin
    #[arg(required = true)]
    paths: Vec<PathBuf>,
    /// Generation of raw files [default: their sidecars', else gcn1.4]
    #[arg(long)]
    arch: Option<Arch>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct FileReport {
    file: String,
    error: Option<String>,
    entries: Vec<EntryReport>,
    skipped: Vec<SkippedReport>,
    #[serde(skip)]
    assumed_arch: bool,
}

#[derive(Serialize)]
struct SkippedReport {
    name: String,
    reason: String,
}

#[derive(Serialize)]
struct EntryReport {
    kernel: Option<String>,
    arch: &'static str,
    instructions: u64,
    computed_jumps: bool,
    findings: Vec<FindingReport>,
}

#[derive(Serialize)]
struct FindingReport {
    pc: Hex,
    word: Hex,
    mnemonic: Option<&'static str>,
    kind: &'static str,
    reason: &'static str,
    reachable: bool,
}

#[derive(Serialize, Default)]
struct Summary {
    files: u64,
    entries: u64,
    instructions: u64,
    findings: u64,
    unreachable_findings: u64,
    files_with_findings: u64,
    unreadable: u64,
    skipped_files: u64,
    by_reason: Vec<Count>,
}

#[derive(Serialize, Clone)]
struct Count {
    mnemonic: Option<&'static str>,
    kind: &'static str,
    reason: &'static str,
    count: u64,
    example: String,
}

#[derive(Serialize)]
struct Report {
    files: Vec<FileReport>,
    summary: Summary,
}

impl From<&Finding> for FindingReport {
    fn from(f: &Finding) -> FindingReport {
        let (mnemonic, kind, reason, reachable) = (f.mnemonic, f.kind, f.reason, f.reachable);
        FindingReport { pc: Hex(f.pc), word: Hex(f.word.into()), mnemonic, kind, reason, reachable }
    }
}

/// Scans.
pub(super) fn execute(args: Args) -> CommandResult {
    let found = walk(&args.paths);
    let mut summary = Summary { skipped_files: found.skipped, ..Summary::default() };
    let mut counts = BTreeMap::new();
    let mut files = Vec::new();
    let mut assumed = 0;
    let mut out = output::stdout();
    for (path, error) in &found.errors {
        output::message("error", format_args!("{}: {error}", path.display()));
        summary.unreadable += 1;
    }
    for path in &found.files {
        let file = scan_file(path, args.arch);
        summary.add(&file, &mut counts);
        assumed += u64::from(file.assumed_arch);
        if let Some(error) = &file.error {
            output::message("error", error);
        }
        if args.json {
            files.push(file);
        } else {
            print_file(&file, &mut out)?;
        }
    }
    if assumed > 0 {
        output::note(format_args!(
            "architecture of {} not stated, taken as gcn1.4 (--arch says otherwise)",
            plural(assumed, "raw file")
        ));
    }
    summary.by_reason = counts.into_values().collect();
    summary.by_reason.sort_by_key(|count| std::cmp::Reverse(count.count));
    let exit = match &summary {
        Summary { unreadable: 1.., .. } => Exit::BadInput,
        Summary { findings: 1.., .. } => Exit::Negative,
        _ => Exit::Success,
    };
    if args.json {
        writeln!(out, "{}", json_line("scan", &Report { files, summary }))?;
    } else {
        print_summary(&summary, &mut out)?;
    }
    out.flush()?;
    Ok(exit)
}

fn scan_file(path: &Path, flag: Option<Arch>) -> FileReport {
    let mut file = FileReport {
        file: args::name(path),
        error: None,
        entries: Vec::new(),
        skipped: Vec::new(),
        assumed_arch: false,
    };
    if let Err(error) = args::load(path).and_then(|loaded| scan_entries(&loaded, path, flag, &mut file)) {
        file.error = Some(format!("{error:#}"));
    }
    file
}

fn scan_entries(loaded: &Loaded, path: &Path, flag: Option<Arch>, file: &mut FileReport) -> anyhow::Result<()> {
    let sidecar = args::sidecar(path)?;
    for entry in &loaded.entries {
        let (arch, source) = args::arch_of(entry, flag, sidecar.as_ref());
        file.assumed_arch |= source == ArchSource::Default;
        let offset = if entry.kernel.is_none() { sidecar.as_ref().and_then(|s| s.entry) } else { None };
        let program: Program = entry.program_at(arch, None, offset.unwrap_or(0));
        let scan = scan(&program);
        file.entries.push(EntryReport {
            kernel: entry.kernel.clone(),
            arch: arch.name(),
            instructions: scan.instructions,
            computed_jumps: scan.computed_jumps,
            findings: scan.findings.iter().map(FindingReport::from).collect(),
        });
    }
    let skipped = loaded.skipped.iter();
    file.skipped = skipped.map(|s| SkippedReport { name: s.name.clone(), reason: s.reason.clone() }).collect();
    loaded.check_whole()?;
    Ok(())
}

type Counts = BTreeMap<(Option<&'static str>, &'static str, &'static str), Count>;

impl Summary {
    fn add(&mut self, file: &FileReport, counts: &mut Counts) {
        self.files += 1;
        self.unreadable += u64::from(file.error.is_some());
        let mut any = false;
        for entry in &file.entries {
            self.entries += 1;
            self.instructions += entry.instructions;
            for f in &entry.findings {
                if !f.reachable {
                    self.unreachable_findings += 1;
                    continue;
                }
                any = true;
                self.findings += 1;
                let new = || Count {
                    mnemonic: f.mnemonic,
                    kind: f.kind,
                    reason: f.reason,
                    count: 0,
                    example: file.file.clone(),
                };
                counts.entry((f.mnemonic, f.kind, f.reason)).or_insert_with(new).count += 1;
            }
        }
        self.files_with_findings += u64::from(any);
    }
}

fn print_file(file: &FileReport, out: &mut impl Write) -> anyhow::Result<()> {
    if file.error.is_some() {
        writeln!(out, "{}: unreadable", file.file)?;
    }
    for entry in &file.entries {
        let name = entry.kernel.as_ref().map_or(file.file.clone(), |kernel| format!("{}: {kernel}", file.file));
        let bad = entry.findings.iter().filter(|f| f.reachable).count();
        let (arch, all) = (entry.arch, plural(entry.instructions, "instruction"));
        match bad {
            0 => writeln!(out, "{name}: ok, {all} ({arch})")?,
            _ => writeln!(out, "{name}: {bad} of {all} would not run ({arch})")?,
        }
        for f in &entry.findings {
            let mnemonic = f.mnemonic.unwrap_or("-");
            let unreachable = if f.reachable { "" } else { " (never reached)" };
            writeln!(out, "  {:#x}: {:08x}  {mnemonic:<28} {}: {}{unreachable}", f.pc.0, f.word.0, f.kind, f.reason)?;
        }
    }
    for part in &file.skipped {
        writeln!(out, "{}: '{}' left out: {}", file.file, part.name, part.reason)?;
    }
    Ok(())
}

fn print_summary(summary: &Summary, out: &mut impl Write) -> anyhow::Result<()> {
    if !summary.by_reason.is_empty() {
        writeln!(out, "\nwould not run, by instruction:")?;
    }
    for count in &summary.by_reason {
        let mnemonic = count.mnemonic.unwrap_or("-");
        writeln!(out, "{:>8}  {mnemonic:<28} {}: {} (in {})", count.count, count.kind, count.reason, count.example)?;
    }
    writeln!(
        out,
        "{} would not run, in {}; {} unreadable, {} skipped",
        plural(summary.findings, "instruction"),
        plural(summary.files_with_findings, "file"),
        plural(summary.unreadable, "file"),
        summary.skipped_files
    )?;
    writeln!(out, "{}", plural(summary.files, "file"))?;
    Ok(())
}
