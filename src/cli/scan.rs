//! `gcnsim scan`: finds instructions that would not run, without running anything.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;
use gcnsim_isa::Arch;
use serde::Serialize;

use super::args::{self, ArchSource, RawArgs};
use super::output;
use super::screen;
use super::{CommandResult, Exit};
use gcnsim_engine::quote;
use gcnsim_engine::report::{Hex, grouped, json_line_of, plural};
use gcnsim_inputs::arch::arch_of_folders;
use gcnsim_loader::Loaded;
use gcnsim_loader::code_object::{CodeObject, Kernel};
use gcnsim_loader::object::{CodeSection, Object};
use gcnsim_loader::scan::needs::launch_needs;
use gcnsim_loader::scan::summary::{Rank, Summary};
use gcnsim_loader::scan::{Blocker, Finding, KernelScan, Scan, Scanner};

const EXAMPLES: &str = "\
Examples:
  gcnsim scan shaders/                    how much would run, and what holds up the rest
  gcnsim scan --all kernel.co             every instruction that would not run
  gcnsim scan --arch gfx803 --json dumps/ extra.co
  gcnsim scan --arch-from-path corpus/    corpus/gfx600/a.bin, corpus/fiji/b.bin

Folders are searched for .bin .co .hsaco .hipfb .o .elf .rgp .sb .clo and for files that begin like ELF, an ar archive
or an offload bundle.";

/// Schema of the JSON lines that `--json` prints.
const SCHEMA: &str = "gcnsim.scan.v2";

/// Arguments of `scan`.
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// Files or folders; - is stdin
    #[arg(required = true)]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    raw: RawArgs,
    /// List every instruction that would not run, file by file
    #[arg(long)]
    all: bool,
    /// Show the N instructions that hold up most
    #[arg(long, value_name = "N", default_value = "20", value_parser = args::count, allow_negative_numbers = true)]
    top: u64,
    /// Print one JSON object for each finding, and one with the summary
    #[arg(long, conflicts_with = "all")]
    json: bool,
}

/// The reasons why each kernel cannot be launched; kernels that can be launched are absent.
type Needs = BTreeMap<String, Vec<String>>;

/// A file that was scanned.
struct Scanned {
    loaded: Loaded,
    objects: Vec<Object>,
    /// The generation of objects that do not state theirs.
    arch: Arch,
    /// For each object, the reason why it cannot be launched as a whole, or the kernels that cannot be launched.
    needs: Vec<Result<Needs, String>>,
    assumed_arch: bool,
}

#[derive(Serialize)]
struct JsonFinding<'a> {
    record: &'static str,
    file: &'a str,
    part: Option<&'a str>,
    arch: &'static str,
    section: &'a str,
    symbol: Option<&'a str>,
    pc: Hex,
    word: Hex,
    mnemonic: Option<&'static str>,
    encoding: Option<&'static str>,
    kind: &'static str,
    reason: &'static str,
    reachable: bool,
    kernels: u32,
}

#[derive(Serialize)]
struct JsonSummary {
    record: &'static str,
    files: u64,
    files_running: u64,
    kernels: u64,
    kernels_running: u64,
    kernels_with_computed_jumps: u64,
    instructions: u64,
    instructions_running: u64,
    findings: u64,
    unreachable_findings: u64,
    /// Number of bytes behind the code of raw files, which are constants.
    data_bytes: u64,
    unreadable: Vec<JsonError>,
    skipped_files: u64,
    by_encoding: Vec<JsonEncoding>,
    blockers: Vec<JsonRank>,
    kernels_not_running: Vec<JsonKernel>,
    /// Parts of bundles, archives and executables that are not read: code for other GPUs, or no code.
    parts_not_read: Vec<JsonNotRead>,
}

#[derive(Serialize)]
struct JsonNotRead {
    file: String,
    part: String,
    reason: String,
}

/// A kernel that cannot run.
#[derive(Serialize)]
struct JsonKernel {
    file: String,
    part: Option<String>,
    kernel: Option<String>,
    arch: &'static str,
    instructions: u64,
    blocked: u64,
    needs: Vec<String>,
}

#[derive(Serialize)]
struct JsonError {
    file: String,
    error: String,
}

#[derive(Serialize)]
struct JsonEncoding {
    arch: &'static str,
    encoding: &'static str,
    instructions: u64,
    running: u64,
}

#[derive(Serialize)]
struct JsonRank {
    mnemonic: Option<&'static str>,
    encoding: Option<&'static str>,
    kind: &'static str,
    reason: &'static str,
    files: u64,
    kernels: u64,
    places: u64,
    files_then: u64,
    kernels_then: u64,
    example: String,
}

/// Scans files and prints the findings.
pub(super) fn execute(args: Args) -> CommandResult {
    let found = args::walk(&args.paths);
    let mut summary = Summary::default();
    let mut unreadable = Vec::new();
    let mut assumed = 0;
    let mut not_running = Vec::new();
    let mut lacking: BTreeMap<String, u64> = BTreeMap::new();
    let mut not_read = Vec::new();
    let mut out = output::stdout_for(args.json);
    for (path, error) in &found.errors {
        output::message("error", format_args!("{}: {error}", quote::path(path)));
        unreadable.push(JsonError { file: args::name(path), error: error.to_string() });
    }
    for path in &found.files {
        let file = args::name(path);
        let mut refuse = |error: anyhow::Error| {
            output::message("error", format_args!("{error:#}"));
            unreadable.push(JsonError { file: file.clone(), error: format!("{:#}", error.root_cause()) });
        };
        let scanned = match open_file(path, &args) {
            Ok(scanned) => scanned,
            Err(error) => {
                refuse(error);
                continue;
            }
        };
        let scanners = scanned.scanners();
        if let Err(error) = scanned.loaded.check_whole().with_context(|| args::quoted(path)) {
            refuse(error);
            continue;
        }
        assumed += u64::from(scanned.assumed_arch);
        if args.json {
            print_json(&file, &scanned, &scanners, &mut out)?;
            not_running.extend(kernels_not_running(&file, &scanned, &scanners));
        } else if args.all {
            print_file(&args::quoted(path), &scanned, &scanners, &mut out)?;
        } else {
            args::note_not_read(path, &scanned.loaded.skipped);
        }
        let missed = scanned.loaded.skipped.iter().filter(|part| !part.is_host);
        not_read.extend(missed.map(|s| JsonNotRead {
            file: file.clone(),
            part: s.name.clone(),
            reason: s.reason.clone(),
        }));
        for need in scanned.needs.iter().flatten().flat_map(|needs| needs.values()).flatten() {
            *lacking.entry(need.clone()).or_default() += 1;
        }
        let scans: Vec<_> = scanners.into_iter().map(|scanner| (scanner.arch().name(), scanner.scan)).collect();
        summary.add(&file, &scans);
    }
    if assumed > 0 {
        output::note(format_args!(
            "architecture of {} not stated, taken as gcn1.4 (--arch, a sidecar or --arch-from-path says otherwise)",
            plural(assumed, "raw file")
        ));
    }
    let exit = match summary.findings {
        _ if !unreadable.is_empty() => Exit::BadInput,
        1.. => Exit::Negative,
        0 => Exit::Success,
    };
    if args.json {
        writeln!(
            out,
            "{}",
            json_line_of(SCHEMA, &json_summary(&summary, unreadable, found.skipped, not_running, not_read))
        )?;
    } else {
        if args.all {
            writeln!(out)?;
        }
        let width = screen::terminal_width().unwrap_or(usize::MAX);
        print_summary(&summary, args.top, width, &mut out)?;
        if !lacking.is_empty() {
            let lacking = lacking.iter().map(|(need, count)| format!("{need} ({})", plural(*count, "kernel")));
            writeln!(out, "no launch provides {}", lacking.collect::<Vec<_>>().join(", "))?;
        }
        let left_out = format!("{} unreadable, {} skipped", plural(unreadable.len() as u64, "file"), found.skipped);
        if !unreadable.is_empty() || found.skipped > 0 {
            writeln!(out, "{left_out}")?;
        }
        writeln!(out, "{}", plural(found.files.len() as u64, "file"))?;
    }
    out.flush()?;
    Ok(exit)
}

fn open_file(path: &Path, args: &Args) -> anyhow::Result<Scanned> {
    let loaded = args::load(path, args.raw.raw, args.raw.arch)?;
    let sidecar = args::sidecar(path)?;
    let first = &loaded.entries[0];
    let (default_arch, source) = args::arch_of(first, args.raw.arch, sidecar.as_ref());
    let folder_arch = || arch_of_folders(path.as_os_str().as_encoded_bytes()).filter(|_| args.raw.arch_from_path);
    let (arch, assumed_arch) = match source {
        ArchSource::Stated => (default_arch, false),
        ArchSource::Default => folder_arch().map_or((default_arch, true), |arch| (arch, false)),
    };
    let offset = sidecar.as_ref().and_then(|s| s.entry).unwrap_or(0);
    let objects = loaded.objects(offset).with_context(|| args::quoted(path))?;
    let needs = |object: CodeObject| {
        let of = |kernel: &Kernel| (kernel.name.clone(), launch_needs(&object, kernel));
        object.kernels.iter().map(of).filter(|(_, needs)| !needs.is_empty()).collect()
    };
    let launchable = loaded.launch_objects().into_iter();
    let needs = launchable.map(|object| object.map(needs).map_err(|error| error.to_string())).collect();
    Ok(Scanned { loaded, objects, arch, needs, assumed_arch })
}

impl Scanned {
    fn scanners(&self) -> Vec<Scanner<'_>> {
        self.objects.iter().map(|object| Scanner::new(object, self.arch)).collect()
    }
}

/// Returns the section and the symbol of `finding`, if they are known.
fn place<'o>(object: &'o Object, finding: &Finding) -> (Option<&'o CodeSection>, Option<std::borrow::Cow<'o, str>>) {
    (object.section_at(finding.pc), object.name_of(finding.pc))
}

fn print_json(file: &str, scanned: &Scanned, scanners: &[Scanner<'_>], out: &mut impl Write) -> anyhow::Result<()> {
    for (object, scanner) in scanned.objects.iter().zip(scanners) {
        let arch = scanner.arch().name();
        for finding in scanner.findings() {
            let (section, symbol) = place(object, &finding);
            let blocker = finding.blocker;
            let line = JsonFinding {
                record: "finding",
                file,
                part: object.part.as_deref(),
                arch,
                section: section.map_or("", |section| &section.name),
                symbol: symbol.as_deref(),
                pc: Hex(section.map_or(finding.pc, |section| section.shown(finding.pc))),
                word: Hex(finding.word.into()),
                mnemonic: blocker.mnemonic,
                encoding: blocker.encoding,
                kind: blocker.kind,
                reason: blocker.reason,
                reachable: finding.reachable,
                kernels: finding.kernels,
            };
            writeln!(out, "{}", json_line_of(SCHEMA, &line))?;
        }
    }
    Ok(())
}

/// Returns the reasons why a kernel cannot run: instructions that are not executed, and what a launch lacks.
fn needs_of(kernel: &KernelScan, needs: Option<&Result<Needs, String>>) -> Vec<String> {
    let blockers = kernel.blockers.iter().map(|blocker| blocker.mnemonic.unwrap_or(blocker.kind).to_owned());
    let named = kernel.name.as_ref().and_then(|name| needs?.as_ref().ok()?.get(name));
    blockers.chain(named.into_iter().flatten().cloned()).collect()
}

fn kernels_not_running(file: &str, scanned: &Scanned, scanners: &[Scanner<'_>]) -> Vec<JsonKernel> {
    let mut found = Vec::new();
    for (i, (object, scanner)) in scanned.objects.iter().zip(scanners).enumerate() {
        let arch = scanner.arch().name();
        for kernel in &scanner.scan.kernels {
            let needs = needs_of(kernel, scanned.needs.get(i));
            if !needs.is_empty() {
                found.push(JsonKernel {
                    file: file.to_owned(),
                    part: object.part.clone(),
                    kernel: kernel.name.clone(),
                    arch,
                    instructions: kernel.instructions,
                    blocked: kernel.blocked,
                    needs,
                });
            }
        }
    }
    found
}

fn json_summary(
    summary: &Summary,
    unreadable: Vec<JsonError>,
    skipped_files: u64,
    kernels_not_running: Vec<JsonKernel>,
    parts_not_read: Vec<JsonNotRead>,
) -> JsonSummary {
    let instructions = summary.instructions();
    let by_encoding = summary.by_arch.iter().flat_map(|(arch, counts)| {
        counts.by_encoding.iter().map(|(encoding, (running, blocked))| JsonEncoding {
            arch,
            encoding,
            instructions: running + blocked,
            running: *running,
        })
    });
    let rank = |rank: Rank| {
        let Rank { blocker, files, kernels, places, example, files_then, kernels_then } = rank;
        let (mnemonic, encoding) = (blocker.mnemonic, blocker.encoding);
        let (kind, reason) = (blocker.kind, blocker.reason);
        JsonRank { mnemonic, encoding, kind, reason, files, kernels, places, files_then, kernels_then, example }
    };
    JsonSummary {
        record: "summary",
        files: summary.files,
        files_running: summary.files_running,
        kernels: summary.kernels,
        kernels_running: summary.kernels_running,
        kernels_with_computed_jumps: summary.computed_jumps,
        instructions: instructions.total(),
        instructions_running: instructions.running(),
        findings: summary.findings,
        unreachable_findings: summary.unreachable_findings,
        data_bytes: 4 * summary.data,
        unreadable,
        skipped_files,
        by_encoding: by_encoding.collect(),
        blockers: summary.ranks().into_iter().map(rank).collect(),
        kernels_not_running,
        parts_not_read,
    }
}

/// Prints each finding of a file once, and the result for each kernel.
fn print_file(name: &str, scanned: &Scanned, scanners: &[Scanner<'_>], out: &mut impl Write) -> anyhow::Result<()> {
    for (i, (object, scanner)) in scanned.objects.iter().zip(scanners).enumerate() {
        let Scan { instructions, kernels, .. } = &scanner.scan;
        let part = object.part.as_deref().map(|part| format!(": {}", quote::name(part))).unwrap_or_default();
        let target = object.target.unwrap_or(scanner.arch().name());
        let (running, all) = (instructions.running(), instructions.total());
        match all - running {
            0 => writeln!(out, "{name}{part} ({target}): ok, {}", plural(all, "instruction"))?,
            bad => writeln!(out, "{name}{part} ({target}): {bad} of {} would not run", plural(all, "instruction"))?,
        }
        if let Some(Err(error)) = scanned.needs.get(i) {
            writeln!(out, "  {}", quote::text(error))?;
        }
        for kernel in kernels.iter().filter(|_| object.target.is_some()) {
            let kernel_name = quote::name(kernel.name.as_deref().unwrap_or("-"));
            let all = plural(kernel.instructions, "instruction");
            let jumps = if kernel.computed_jumps { ", and jumps that cannot be followed" } else { "" };
            let needs = needs_of(kernel, scanned.needs.get(i));
            let needs = if needs.is_empty() { String::new() } else { format!("; needs {}", needs.join(", ")) };
            match kernel.blocked {
                0 if needs.is_empty() => writeln!(out, "  {kernel_name}: ok, {all}{jumps}")?,
                0 => writeln!(out, "  {kernel_name}: {all}{jumps}{needs}")?,
                bad => writeln!(out, "  {kernel_name}: {bad} of {all} would not run{jumps}{needs}")?,
            }
        }
        for finding in scanner.findings() {
            let (section, symbol) = place(object, &finding);
            let pc = section.map_or(finding.pc, |section| section.shown(finding.pc));
            let mnemonic = finding.blocker.mnemonic.unwrap_or("-");
            let symbol = symbol.map(|symbol| format!("  <{}>", quote::text(&symbol))).unwrap_or_default();
            let unreachable = if finding.reachable { "" } else { " (never reached)" };
            let (kind, reason, word) = (finding.blocker.kind, finding.blocker.reason, finding.word);
            writeln!(out, "  {pc:#x}: {word:08x}  {mnemonic:<22} {kind}: {reason}{unreachable}{symbol}")?;
        }
    }
    for part in &scanned.loaded.skipped {
        writeln!(out, "{name}: part {} is not read: {}", quote::name(&part.name), quote::text(&part.reason))?;
    }
    Ok(())
}

/// Returns a percentage such as `12.3`. Only the whole is 100, and only nothing is 0.
fn percent(part: u64, whole: u64) -> String {
    if whole == 0 {
        return "-".into();
    }
    let tenths = (part as f64 / whole as f64 * 1000.0).round() as u64;
    let tenths = if part < whole { tenths.min(999) } else { tenths };
    let tenths = if part > 0 { tenths.max(1) } else { tenths };
    match tenths {
        0 => "0".into(),
        1000 => "100".into(),
        _ => format!("{}.{}", tenths / 10, tenths % 10),
    }
}

fn print_summary(summary: &Summary, top: u64, width: usize, out: &mut impl Write) -> anyhow::Result<()> {
    let instructions = summary.instructions();
    let (running, all) = (instructions.running(), instructions.total());
    writeln!(
        out,
        "{} of {} and {} of {} would run fully",
        grouped(summary.files_running),
        grouped_plural(summary.files, "file"),
        grouped(summary.kernels_running),
        grouped_plural(summary.kernels, "kernel")
    )?;
    writeln!(out, "{} % of {} in reach would run", percent(running, all), grouped_plural(all, "instruction"))?;
    if summary.computed_jumps > 0 {
        let kernels = grouped_plural(summary.computed_jumps, "kernel");
        writeln!(out, "{kernels} with jumps that cannot be followed: all functions count as in reach")?;
    }
    if summary.data > 0 {
        writeln!(out, "{} of constants behind the code of raw files", grouped_plural(4 * summary.data, "byte"))?;
    }
    // The table shows as many generations side by side as fit into `width`.
    let mut archs: &[&str] = &summary.by_arch.keys().copied().collect::<Vec<_>>();
    while all > 0 && !archs.is_empty() {
        let fits = |count: &usize| encodings(summary, &archs[..*count]).width() <= width;
        let count = (1..=archs.len()).rev().find(fits).unwrap_or(1);
        writeln!(out)?;
        print_table(&encodings(summary, &archs[..count]), width, out)?;
        archs = &archs[count..];
    }
    let ranks = summary.ranks();
    if ranks.is_empty() {
        return Ok(writeln!(out)?);
    }
    let shown = ranks.len().min(usize::try_from(top).unwrap_or(usize::MAX));
    writeln!(out, "\nwhat holds up most ({shown} of {}), and what would run with it and those before:", ranks.len())?;
    let head = ["files", "kernels", "places", "files run", "kernels run", "instruction", "encoding", "why"];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    for rank in &ranks[..shown] {
        let numbers = [rank.files, rank.kernels, rank.places, rank.files_then, rank.kernels_then];
        let mut row = numbers.map(grouped).to_vec();
        let Blocker { mnemonic, encoding, kind, reason } = rank.blocker;
        row.extend([mnemonic.unwrap_or(kind), encoding.unwrap_or("-"), reason].map(str::to_owned));
        rows.push(row);
    }
    let mut table = Table { rows, numbers: 0..5 };
    if table.width() > width {
        // Most rows have the same reason, so the column of reasons is dropped first.
        table.rows.iter_mut().for_each(|row| drop(row.pop()));
    }
    print_table(&table, width, out)?;
    Ok(writeln!(out)?)
}

fn grouped_plural(n: u64, thing: &str) -> String {
    format!("{} {thing}{}", grouped(n), if n == 1 { "" } else { "s" })
}

/// The cells of a table, and the range of its columns with numbers.
struct Table {
    rows: Vec<Vec<String>>,
    numbers: std::ops::Range<usize>,
}

impl Table {
    /// Returns the width of each column in characters.
    fn widths(&self) -> Vec<usize> {
        let columns = self.rows.first().map_or(0, Vec::len);
        let width = |i: usize| self.rows.iter().map(|row| row[i].chars().count()).max().unwrap_or(0);
        (0..columns).map(width).collect()
    }

    /// Returns the width of the lines in characters.
    fn width(&self) -> usize {
        self.widths().iter().map(|width| width + 2).sum::<usize>().saturating_sub(2)
    }
}

/// Makes a table of encodings by generation: number of instructions, and percentage of them that would run.
fn encodings(summary: &Summary, archs: &[&str]) -> Table {
    let counts = || archs.iter().map(|&arch| summary.by_arch[arch].by_encoding.clone());
    let names: BTreeSet<&str> = counts().flat_map(|c| c.into_keys()).collect();
    let mut head = vec!["encoding".to_owned()];
    for &arch in archs {
        head.extend([arch.to_owned(), "run %".to_owned()]);
    }
    let mut rows = vec![head];
    for name in names {
        let mut row = vec![if name == "-" { "(none)".to_owned() } else { name.to_owned() }];
        for counts in counts() {
            match counts.get(name) {
                Some((run, not)) => row.extend([grouped(run + not), percent(*run, run + not)]),
                None => row.extend(["-".to_owned(), "-".to_owned()]),
            }
        }
        rows.push(row);
    }
    let columns = rows[0].len();
    Table { rows, numbers: 1..columns }
}

/// Prints cells in columns. Numbers are aligned to the right, words to the left, and lines are cut at `width`.
fn print_table(table: &Table, width: usize, out: &mut impl Write) -> anyhow::Result<()> {
    let widths = table.widths();
    for row in &table.rows {
        let cells = row.iter().zip(&widths).enumerate().map(|(i, (cell, &width))| {
            if table.numbers.contains(&i) { format!("{cell:>width$}") } else { format!("{cell:<width$}") }
        });
        let line = cells.collect::<Vec<_>>().join("  ");
        writeln!(out, "{}", screen::fit(line.trim_end(), width))?;
    }
    Ok(())
}
