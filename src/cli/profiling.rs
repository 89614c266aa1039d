//! `run --profile` with `--listing` and `--folded`: runs each launch again to count, and writes the counts.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use super::output;
use gcnsim_engine::quote;
use gcnsim_engine::report::{grouped, plural};
use gcnsim_launches::LaunchResult;
use gcnsim_launches::lines::SourceLines;
use gcnsim_launches::profile::{Counter, Folded, ListedFunction, ListedInst, Profile, Timed, listing};
use gcnsim_loader as loader;
use gcnsim_loader::code_object::CodeObject;
use gcnsim_loader::functions::Functions;

/// Size of the largest source file that is shown, in bytes.
const MOST_SOURCE: u64 = 16 << 20;

/// Profiles the launches of an object, one after the other.
pub(super) struct Profiler<'o> {
    object: &'o CodeObject,
    lines: SourceLines,
    /// The functions of the object. `None` unless a listing or folded stacks are wanted.
    functions: Option<Functions>,
    folded: Folded,
    wants_listing: bool,
    /// Folder that the object's file is in.
    folder: PathBuf,
}

impl<'o> Profiler<'o> {
    /// Makes a profiler for `object`, which is in the file `path`.
    pub fn new(object: &'o CodeObject, path: &Path, wants_listing: bool, wants_folded: bool) -> anyhow::Result<Self> {
        let functions = match wants_listing || wants_folded {
            true => {
                let objects = loader::parse(object.bytes.clone())?.objects(0)?;
                objects.first().map(|found| Functions::new(found, object.arch))
            }
            false => None,
        };
        Ok(Profiler {
            object,
            lines: SourceLines::of(&object.bytes),
            functions,
            folded: Folded::default(),
            wants_listing,
            folder: path.parent().unwrap_or(Path::new("")).to_owned(),
        })
    }

    /// Profiles the launch `name`, of which `timed` is the timed run. Another run has counted.
    pub fn profile(&mut self, name: &str, timed: &LaunchResult, counter: &Counter) -> anyhow::Result<Profile> {
        let run = Timed { kernel: &timed.facts.kernel, run: &timed.run, dispatch: &timed.placed.dispatch };
        let mut profile = Profile::new(name, self.object, &run, counter, &self.lines)?;
        if let Some(functions) = &self.functions {
            self.folded.add(&timed.facts.kernel, counter, functions, &self.lines);
            profile.listing = self.wants_listing.then(|| listing(counter, functions, &self.lines));
        }
        Ok(profile)
    }

    /// Prints a profile.
    pub fn print(&self, profile: &Profile, json: bool) -> anyhow::Result<()> {
        let mut out = output::stdout_for(json);
        if json {
            writeln!(out, "{}", profile.to_json())?;
            return Ok(out.flush()?);
        }
        write!(out, "\n{}", super::profile::text(profile))?;
        let mut sources = Sources { folder: &self.folder, files: HashMap::new() };
        for function in profile.listing.iter().flatten() {
            out.write_all(sources.listing(function).as_bytes())?;
        }
        Ok(out.flush()?)
    }

    /// Returns the folded stacks of all launches so far, as text.
    pub fn folded(&self) -> String {
        self.folded.text()
    }
}

/// Source files, as far as they can be found: beside the object, or below the current folder, under the path that the
/// object has for them.
struct Sources<'f> {
    folder: &'f Path,
    files: HashMap<String, Option<Vec<String>>>,
}

impl Sources<'_> {
    /// Returns the text of a function: counts before each instruction, and source lines before the instructions that
    /// come from them.
    fn listing(&mut self, function: &ListedFunction) -> String {
        let reached = function.code.iter().filter(|inst| inst.executed > 0).count() as u64;
        let mut text = format!(
            "\n; {} {}: {} executed, {} of {} reached\n",
            function.kind,
            quote::text(&function.name),
            plural(function.executed, "instruction"),
            grouped(reached),
            grouped(function.code.len() as u64)
        );
        let _ = writeln!(text, "{:>14}  {:>5}  {:>12}  address", "executed", "lanes", "each touches");
        let mut last = None;
        for inst in &function.code {
            if inst.source.is_some() && inst.source != last {
                last.clone_from(&inst.source);
                let source = inst.source.as_deref().unwrap_or_default();
                let words =
                    self.line(source).map_or(String::new(), |line| format!("  {}", quote::text(line.trim_end())));
                let _ = writeln!(text, "; {}{words}", quote::text(source));
            }
            text.push_str(&line_of(inst));
        }
        text
    }

    /// Returns the source text at `source`, which is `FILE:LINE`. `None` if the file or line is not there.
    fn line(&mut self, source: &str) -> Option<&str> {
        let (file, line) = source.rsplit_once(':')?;
        let number = line.parse::<usize>().ok()?.checked_sub(1)?;
        let folder = self.folder;
        let lines = self.files.entry(file.to_owned()).or_insert_with(|| read(folder, file));
        lines.as_ref()?.get(number).map(String::as_str)
    }
}

fn read(folder: &Path, file: &str) -> Option<Vec<String>> {
    let beside = Path::new(file).file_name().map(|name| folder.join(name));
    let is_below = !Path::new(file).components().any(|part| !matches!(part, std::path::Component::Normal(_)));
    let below = is_below.then(|| PathBuf::from(file));
    let found = [beside, below]
        .into_iter()
        .flatten()
        .find(|path| std::fs::metadata(path).is_ok_and(|meta| meta.is_file() && meta.len() <= MOST_SOURCE))?;
    let bytes = std::fs::read(found).ok()?;
    Some(String::from_utf8_lossy(&bytes).lines().map(str::to_owned).collect())
}

fn line_of(inst: &ListedInst) -> String {
    let executed = if inst.executed == 0 { "-".to_owned() } else { grouped(inst.executed) };
    let lanes = inst.lanes.map_or(String::new(), |lanes| format!("{lanes:.1}"));
    let touches = match (inst.lines, inst.cycles) {
        (Some(lines), _) => format!("{:.1} lines", lines.mean),
        (None, Some(cycles)) => format!("{:.1} cycles", cycles.mean),
        (None, None) => String::new(),
    };
    let mut text = format!("{executed:>14}  {lanes:>5}  {touches:>12}  {:06x}: {}", inst.pc.0, inst.text);
    let mut remarks = Vec::new();
    if let Some(target) = inst.target {
        remarks.push(format!("-> {:x}", target.0));
    }
    if let (Some(taken), true) = (inst.taken, inst.executed > 0) {
        remarks.push(format!("taken {}", grouped(taken)));
    }
    if let Some(conflicts) = inst.conflicts.filter(|conflicts| conflicts.max > 0) {
        remarks.push(format!("bank conflicts {:.1}, at most {}", conflicts.mean, conflicts.max));
    }
    if !remarks.is_empty() {
        let _ = write!(text, "  ; {}", remarks.join("; "));
    }
    text.push('\n');
    text
}
