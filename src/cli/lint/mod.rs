//! `gcnsim lint`: finds mistakes that execution does not show, without running anything.

mod json;
mod read;
mod sarif;
mod sources;
mod text;

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::{Context, bail};

use super::args::{self, RawArgs};
use super::result_file::{self, check_outputs};
use super::{CommandResult, Exit, output, screen};
use gcnsim_engine::quote;
use gcnsim_inputs::InputPath;
use gcnsim_lint::file::ObjectReport;
use gcnsim_lint::ledger::{Known, LintLedger, hash};
use gcnsim_lint::rules::{self, Level, RULES, Rule};
use gcnsim_lint::{EntryKind, EntryReport, Finding, Options};
use gcnsim_loader::{self as loader, nearest};
use read::FileReport;

const EXAMPLES: &str = "\
Examples:
  gcnsim lint kernel.co                   mistakes in all its kernels and functions
  gcnsim lint shaders/ --arch-from-path   shaders/gfx600/a.bin, shaders/fiji/b.bin
  gcnsim lint build/ --sarif lint.sarif --fail-on error
  gcnsim lint shaders.tar @more.txt       the shaders of an archive, and those that a list names
  gcnsim lint a.co --pedantic             also what is no mistake: unneeded waits, dead code, ..
  gcnsim lint shaders/ --write-ledger known.txt; gcnsim lint shaders/ --ledger known.txt
  gcnsim lint --list-rules

Nothing is executed, and no inputs are needed. docs/use/lint.md has the rules and what is not covered.
Exit code: 0 nothing was found; 1 something was found, or a line of the ledger is out of date; 2 wrong usage, or a file
that cannot be read.";

/// Schema of the JSON lines that `--json` prints.
const SCHEMA: &str = "gcnsim.lint.v1";

/// Arguments of `lint`.
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// Files, folders, .tar archives, or @FILE with one path a line (@- is stdin); - is a file on stdin
    #[arg(required_unless_present = "list_rules")]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    raw: RawArgs,
    /// Also report what is no mistake, and rules that correct code breaks (certainty info)
    #[arg(long)]
    pedantic: bool,
    /// Test only these rules, with commas between (see --list-rules)
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = rule_id, conflicts_with = "pedantic")]
    rules: Vec<&'static str>,
    /// Fail if there is a finding of these certainties or rules: error, suspicious, info, RULE, none
    #[arg(long, value_name = "LIST", default_value = "error,suspicious")]
    fail_on: FailOn,
    /// Print at most N findings; the others are counted
    #[arg(long, value_name = "N", value_parser = args::count, allow_negative_numbers = true)]
    max: Option<u64>,
    /// Print one JSON object for each finding, and one with the summary
    #[arg(long)]
    json: bool,
    /// Write the findings to FILE as SARIF 2.1.0, which code hosts show; - is stdout, which has nothing else then
    #[arg(long, value_name = "FILE")]
    sarif: Option<PathBuf>,
    /// File with known findings, which do not fail and are not shown
    #[arg(long, value_name = "FILE")]
    ledger: Option<PathBuf>,
    /// Write a ledger of all findings; reasons in --ledger are kept
    #[arg(long, value_name = "FILE", value_parser = args::ledger_file)]
    write_ledger: Option<PathBuf>,
    /// Number of threads [default: the number of cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    jobs: Option<u16>,
    /// Print the rules and exit
    #[arg(long, conflicts_with_all = ["json", "sarif", "ledger", "write_ledger"])]
    list_rules: bool,
}

fn rule_id(text: &str) -> Result<&'static str, String> {
    match rules::by_id(text) {
        Some(rule) => Ok(rule.id),
        None => {
            let near = nearest::question(text, RULES.iter().map(|rule| rule.id));
            Err(format!("unknown rule '{text}'{near} (gcnsim lint --list-rules has them)"))
        }
    }
}

/// The findings that make `lint` fail.
#[derive(Clone, Debug)]
struct FailOn {
    levels: Vec<Level>,
    rules: Vec<&'static str>,
}

impl FromStr for FailOn {
    type Err = String;

    fn from_str(list: &str) -> Result<FailOn, String> {
        let mut found = FailOn { levels: Vec::new(), rules: Vec::new() };
        for item in list.split(',').filter(|_| list != "none") {
            match Level::ALL.into_iter().find(|level| level.name() == item) {
                Some(level) => found.levels.push(level),
                None => found.rules.push(rule_id(item).map_err(|_| {
                    let levels = Level::ALL.into_iter().map(Level::name);
                    let near = nearest::question(item, levels.chain(RULES.iter().map(|rule| rule.id)));
                    format!(
                        "'{item}' is neither error, suspicious, info, none nor a rule (--list-rules has them){near}"
                    )
                })?),
            }
        }
        Ok(found)
    }
}

impl FailOn {
    fn has(&self, rule: &Rule) -> bool {
        self.levels.contains(&rule.level) || self.rules.contains(&rule.id)
    }
}

/// A finding with its place, as reports need it.
struct Found<'a> {
    file: &'a str,
    object: &'a ObjectReport,
    entry: &'a EntryReport,
    finding: &'a Finding,
    /// The reason why the ledger accepts it; `None` if it does not.
    known: Option<&'a str>,
    /// Source lines of the later and the earlier instruction.
    lines: [Option<String>; 2],
}

/// Totals of a run.
#[derive(Default)]
struct Totals {
    files: u64,
    /// Number of files that could be read.
    read: u64,
    entries: u64,
    /// Number of entries that are functions.
    functions: u64,
    entries_with_findings: u64,
    instructions: u64,
    by_rule: BTreeMap<&'static str, u64>,
    by_level: BTreeMap<Level, u64>,
    known: u64,
    failing: u64,
    assumed: u64,
    /// Entries of which code is not seen: file, entry and reason.
    incomplete: Vec<(String, Option<String>, &'static str)>,
    unreadable: Vec<(String, String)>,
    skipped_files: u64,
}

impl Args {
    /// Whether stdout is for the SARIF log.
    fn logs_to_stdout(&self) -> bool {
        self.sarif.as_deref() == Some(Path::new("-"))
    }
}

/// Lints files and prints the findings.
pub(super) fn execute(args: Args) -> CommandResult {
    if args.list_rules {
        return list_rules();
    }
    if args.json && args.logs_to_stdout() {
        bail!("--json and --sarif -: both write to stdout");
    }
    let sources = sources::Sources::collect(&args.paths)?;
    check_paths(&args, &sources)?;
    let mut ledger = args.ledger.as_deref().map(read_ledger).transpose()?.unwrap_or_default();
    let mut run = Run {
        args: &args,
        ledger: &mut ledger,
        totals: Totals { skipped_files: sources.skipped, ..Totals::default() },
        known: Vec::new(),
        sarif: args.sarif.is_some().then(sarif::Log::default),
        shown: 0,
        width: screen::width_of(&std::io::stdout()).unwrap_or(usize::MAX),
        out: output::stdout_for(args.json || args.logs_to_stdout()),
    };
    for (path, error) in &sources.errors {
        run.refuse(path, error.to_string());
    }
    let reading = read::Reading { options: options(&args), raw: args.raw };
    let jobs = args.jobs.map_or_else(read::cores, usize::from);
    read::all(&sources, &reading, jobs, |path, report| run.file(path, report))?;
    run.finish()
}

fn options(args: &Args) -> Options {
    let mut options = Options::default().only(args.rules.clone());
    options.pedantic = args.pedantic;
    options
}

/// A run over files, in the order of their names.
struct Run<'a> {
    args: &'a Args,
    ledger: &'a mut LintLedger,
    totals: Totals,
    /// The findings for a new ledger.
    known: Vec<Known>,
    sarif: Option<sarif::Log>,
    /// Number of findings that have been printed.
    shown: u64,
    width: usize,
    out: output::People<std::io::StdoutLock<'static>>,
}

impl Run<'_> {
    fn refuse(&mut self, path: &Path, error: String) {
        output::message("error", format_args!("{}: {error}", args::quoted(path)));
        self.totals.unreadable.push((args::name(path), error));
    }

    fn file(&mut self, path: &Path, report: Result<FileReport, String>) -> anyhow::Result<()> {
        self.totals.files += 1;
        let report = match report {
            Ok(report) => report,
            Err(error) => {
                self.refuse(path, error);
                return Ok(());
            }
        };
        self.totals.read += 1;
        self.totals.assumed += u64::from(report.assumed_arch);
        if let Some(remark) = &report.remark {
            output::note(format_args!("{}: {remark}", args::quoted(path)));
        }
        args::note_not_read(path, &report.skipped);
        let file = args::name(path);
        for object in &report.objects {
            // Few objects have findings, and only these need source lines.
            let has_findings = object.entries.iter().any(|entry| !entry.findings.is_empty());
            let bytes = object.bytes.as_ref().filter(|_| has_findings);
            let lines = bytes.map(gcnsim_launches::lines::SourceLines::of).unwrap_or_default();
            for entry in &object.entries {
                self.entry(&file, object, entry, &lines)?;
            }
        }
        Ok(())
    }

    fn entry(
        &mut self,
        file: &str,
        object: &ObjectReport,
        entry: &EntryReport,
        lines: &gcnsim_launches::lines::SourceLines,
    ) -> anyhow::Result<()> {
        self.totals.entries += 1;
        self.totals.functions += u64::from(entry.kind == EntryKind::Function);
        self.totals.instructions += entry.instructions as u64;
        self.totals.entries_with_findings += u64::from(!entry.findings.is_empty());
        if let Some(why) = entry.incomplete {
            self.totals.incomplete.push((file.to_owned(), entry.name.as_deref().map(str::to_owned), why));
        }
        let uses_ledger = self.args.ledger.is_some() || self.args.write_ledger.is_some();
        let code_hash = if uses_ledger { hash(object.code_of(entry)) } else { String::new() };
        self.ledger.see(&code_hash);
        for finding in &entry.findings {
            let offset = finding.place.pc.wrapping_sub(entry.address);
            if self.args.write_ledger.is_some() {
                let name = entry_name(file, object, entry);
                self.known.push(Known { hash: code_hash.clone(), rule: finding.rule.id, offset, name });
            }
            let known = self.ledger.judge(&code_hash, finding.rule.id, offset).map(str::to_owned);
            let line = |pc: u64| lines.place(pc).map(|(path, line)| format!("{path}:{line}"));
            let lines = [line(finding.place.pc), finding.producer.as_ref().and_then(|spot| line(spot.pc))];
            let found = Found { file, object, entry, finding, known: known.as_deref(), lines };
            self.finding(&found)?;
        }
        Ok(())
    }

    fn finding(&mut self, found: &Found<'_>) -> anyhow::Result<()> {
        let rule = found.finding.rule;
        if let Some(log) = &mut self.sarif {
            log.add(found);
        }
        if found.known.is_some() {
            self.totals.known += 1;
        } else {
            *self.totals.by_rule.entry(rule.id).or_default() += 1;
            *self.totals.by_level.entry(rule.level).or_default() += 1;
            self.totals.failing += u64::from(self.args.fail_on.has(rule));
        }
        if self.args.logs_to_stdout() {
            return Ok(());
        }
        if self.args.max.is_some_and(|max| self.shown >= max) || found.known.is_some() && !self.args.json {
            return Ok(());
        }
        self.shown += 1;
        match self.args.json {
            true => json::write(found, &mut self.out),
            false => text::write(found, self.width, &mut self.out),
        }
    }

    fn finish(mut self) -> CommandResult {
        if self.totals.assumed > 0 {
            output::note(format_args!(
                "architecture of {} not stated, taken as gcn1.4 (--arch, a sidecar or --arch-from-path says otherwise)",
                gcnsim_engine::report::plural(self.totals.assumed, "raw file")
            ));
        }
        let unmet = self.ledger.unmet(&options(self.args));
        for line in &unmet {
            output::message(
                "error",
                format_args!("ledger, line {}: {} is not found any more ({})", line.line, line.rule, line.reason),
            );
        }
        match self.args.json {
            _ if self.args.logs_to_stdout() => {}
            true => json::write_summary(&self.totals, &mut self.out)?,
            false => text::write_summary(&self.totals, self.shown, self.width, &mut self.out)?,
        }
        if let (Some(path), Some(log)) = (&self.args.sarif, self.sarif.take()) {
            let log = log.finish();
            match self.args.logs_to_stdout() {
                true => self.out.write_all(log.as_bytes())?,
                false => {
                    self.out.flush()?;
                    result_file::write(path, log.as_bytes())?;
                }
            }
        }
        self.out.flush()?;
        if let Some(path) = &self.args.write_ledger {
            let text = self.ledger.written(&self.known);
            result_file::write(path, text.as_bytes())?;
        }
        // Findings that a new ledger lists are accepted.
        let fails = self.totals.failing > 0 && self.args.write_ledger.is_none();
        Ok(match (self.totals.unreadable.is_empty(), fails || !unmet.is_empty()) {
            (false, _) => Exit::BadInput,
            (true, true) => Exit::Negative,
            (true, false) => Exit::Success,
        })
    }
}

/// Returns the name of an entry in messages and ledgers.
fn entry_name(file: &str, object: &ObjectReport, entry: &EntryReport) -> String {
    let part = object.object.part.as_deref().map(|part| format!(": {part}")).unwrap_or_default();
    let name = entry.name.as_deref().map(|name| format!(": {name}")).unwrap_or_default();
    quote::text(&format!("{file}{part}{name}")).into_owned()
}

fn check_paths(args: &Args, sources: &sources::Sources) -> anyhow::Result<()> {
    let sarif = args.sarif.as_ref().filter(|_| !args.logs_to_stdout());
    let outputs: Vec<&Path> = sarif.into_iter().chain(&args.write_ledger).map(PathBuf::as_path).collect();
    let listed = sources.lists.iter().flat_map(gcnsim_inputs::Inputs::paths);
    check_outputs(&outputs, args.paths.iter().map(|path| InputPath::named(path)).chain(listed))
}

fn read_ledger(path: &Path) -> anyhow::Result<LintLedger> {
    let name = || format!("ledger {}", args::quoted(path));
    let text = loader::read_text(path).with_context(name)?;
    LintLedger::parse(&text).with_context(name)
}

fn list_rules() -> CommandResult {
    let mut out = output::stdout();
    let width = RULES.iter().map(|rule| rule.id.len()).max().unwrap_or(0);
    for rule in RULES {
        let (level, basis, on) = (rule.level.name(), rule.basis.name(), rule.on.text());
        writeln!(out, "{:width$}  {level:10} {basis:8} {on:16} {}", rule.id, rule.text)?;
    }
    out.flush()?;
    Ok(Exit::Success)
}
