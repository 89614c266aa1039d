//! Runs the two entries of a pair in the same worlds, and compares their observations.

use std::collections::HashSet;

use gcnsim_engine::Observers;
use gcnsim_engine::{EngineError, RunOptions};
use gcnsim_inputs::EntryName;
use gcnsim_isa::{Arch, Note, Program};
use gcnsim_launches::lines::SourceLines;
use gcnsim_loader::FileBytes;
use gcnsim_loader::code_object::metadata::{ArgKind, KernelMetadata};
use gcnsim_machine::Observed;
use gcnsim_machine::outcome::Outcome;
use gcnsim_machine::world::{World, WorldKind};
use gcnsim_synthetic::{DEFAULT_BUDGET, Ending, SetupError, Subject, Synthetic, SyntheticRun, setup};

use crate::code::{self, Code};
use crate::compare::{self, Compared, Difference, Place};
use crate::endless::{self, Stopped};
use crate::interface;
use crate::origin::Origins;
use crate::resolve::{self, Both, Side};
use crate::result::{BothCodes, Counts, First, PairResult, SCHEMA, Verdict};
use crate::step::{Follow, Shown};
use crate::trace::Trace;
use crate::undef::{self, Roundings};
use crate::value::{Holds, Tolerance};

/// The worlds in which pairs run if the user names none. Worlds of odd variants do not cover all pixels. Variants from
/// 4 on are detailed worlds of each of the four kinds of numbers: they show what others do not. A shader often takes a
/// branch only with a certain mixture of integers and floats, so there are several mixed ones. Variant 128 has NaNs and
/// other special floats.
pub const DEFAULT_WORLDS: [World; 25] = [
    float(0),
    float(1),
    float(2),
    float(3),
    int(0),
    int(1),
    mixed(0),
    mixed(1),
    float(4),
    float(7),
    float(8),
    float(10),
    int(6),
    int(9),
    int(67),
    int(53),
    int(16),
    mixed(6),
    mixed(8),
    mixed(13),
    mixed(16),
    mixed(22),
    mixed(128),
    mixed(27),
    mixed(33),
];

/// The budget of a wave, if nobody states one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Budget {
    /// A sixteenth of the default one: after a world in which neither side ends. What ends in others, ends soon.
    Short,
    /// The default one.
    Usual,
    /// Eight times the default one, if only one side ends within it. (One compilation of a loop executes more
    /// instructions than the other.)
    Long,
}

impl Budget {
    fn instructions(self) -> u64 {
        match self {
            Budget::Short => DEFAULT_BUDGET / 16,
            Budget::Usual => DEFAULT_BUDGET,
            Budget::Long => 8 * DEFAULT_BUDGET,
        }
    }

    /// The next larger one.
    fn longer(self) -> Option<Budget> {
        match self {
            Budget::Short => Some(Budget::Usual),
            Budget::Usual => Some(Budget::Long),
            Budget::Long => None,
        }
    }
}

/// Number of worlds without an end of either side that are enough to call a pair endless, if there is no other world.
const ENDLESS: usize = 3;

const fn float(variant: u32) -> World {
    World { kind: WorldKind::Float, variant }
}

const fn int(variant: u32) -> World {
    World { kind: WorldKind::Int, variant }
}

const fn mixed(variant: u32) -> World {
    World { kind: WorldKind::Mixed, variant }
}

/// An entry of a side.
pub(crate) struct Entry<'a> {
    pub subject: Subject<'a>,
    /// The entry's own code, at the addresses of its file.
    pub own_code: Program,
    pub arch: Arch,
    /// The code object that it comes from; empty for raw code.
    pub object: FileBytes,
    /// The budget of a wave that its sidecar states.
    pub max_insts: Option<u64>,
}

/// Settings of pairs.
pub(crate) struct Settings<'a> {
    pub worlds: &'a [World],
    pub tolerance: Tolerance,
    /// Whether results have the codes of pairs that differ.
    pub with_codes: bool,
    pub run: &'a RunOptions,
}

/// Runs pairs, one after the other.
pub(crate) struct PairRunner<'a> {
    settings: Settings<'a>,
    synthetic: Synthetic,
    /// The budget of a wave, if nobody states one.
    budget: Budget,
}

/// The result of a pair in a world.
enum InWorld {
    /// Both ended, and nothing differs.
    Same(Box<[SyntheticRun; 2]>),
    Differ(Box<Found>),
    /// Neither side ended, and both stopped in the same way.
    Unfinished(String),
    Failed(String),
    Incomparable(String),
    Interrupted,
}

/// A difference, explained.
struct Found {
    first: First,
    counts: Counts,
    instructions: [u64; 2],
    undef_read: [bool; 2],
    /// The reason why the differences say nothing; `None` if they count.
    doubt: Option<String>,
}

impl<'a> PairRunner<'a> {
    pub fn new(settings: Settings<'a>) -> PairRunner<'a> {
        let synthetic = Synthetic::new(settings.run.clone());
        PairRunner { settings, synthetic, budget: Budget::Usual }
    }

    /// Runs a pair. `None` if the run was stopped.
    pub fn run(&mut self, name: EntryName, entries: [&Entry<'_>; 2]) -> Option<PairResult> {
        let result = self.as_they_are(name, entries)?;
        let is_linking = result.why.as_deref().is_some_and(|why| why.starts_with(interface::LINKING));
        let is_in_doubt = is_linking
            || matches!(result.result, Verdict::Differ | Verdict::Incomparable)
                && result.world.is_some()
                && !code::is_close(&entries[0].own_code, &entries[1].own_code);
        let mut other = if is_in_doubt { self.relinked(&result, entries) } else { None };
        if other.is_none() && result.result == Verdict::Differ && result.world.is_some() {
            other = self.with_variables_by_name(&result, entries);
        }
        Some(other.unwrap_or(result))
    }

    /// Runs a pair with attributes and outputs at the places that each code names.
    pub(crate) fn as_they_are(&mut self, name: EntryName, entries: [&Entry<'_>; 2]) -> Option<PairResult> {
        let mut result = empty(name, Verdict::Same);
        result.stage = Some(entries[1].subject.stage.name());
        if let Some(why) = incomparable(entries) {
            return Some(PairResult { result: Verdict::Incomparable, why: Some(why), ..result });
        }
        let (mut unfinished, mut hashes, mut is_cut) = (Vec::new(), Vec::new(), false);
        for (number, &world) in self.settings.worlds.iter().enumerate() {
            let name = world.version_name();
            if unfinished.len() >= ENDLESS && hashes.is_empty() {
                break;
            }
            self.budget = if unfinished.is_empty() { Budget::Usual } else { Budget::Short };
            match self.in_world(entries, world, &mut result.counts) {
                InWorld::Interrupted => return None,
                InWorld::Same(runs) => {
                    is_cut |= runs.iter().any(|run| run.run.notes.contains(Note::ExportsCut));
                    if number == 0 {
                        result.instructions = [0, 1].map(|side| runs[side].run.instructions);
                    }
                    hashes.push((world.variant % 2, runs[0].state_hash()));
                    result.worlds.push(name);
                }
                InWorld::Unfinished(how) => unfinished.push(how),
                InWorld::Failed(why) => {
                    let why = format!("{name}: {why}");
                    return Some(PairResult { result: Verdict::Failed, why: Some(why), ..result });
                }
                InWorld::Incomparable(why) => {
                    return Some(PairResult { result: Verdict::Incomparable, why: Some(why), ..result });
                }
                InWorld::Differ(found) => {
                    result.worlds.push(name.clone());
                    return Some(self.differing(result, entries, name, *found));
                }
            }
        }
        // Worlds of odd variants cover other pixels, so they are compared only with each other.
        let is_same = |odd: u32| {
            let mut of_variants = hashes.iter().filter(|(is_odd, _)| *is_odd == odd).map(|(_, hash)| hash);
            let first = of_variants.next();
            of_variants.all(|hash| Some(hash) == first)
        };
        result.insensitive = hashes.len() > 2 && is_same(0) && is_same(1);
        if let (true, Some(how)) = (hashes.is_empty(), unfinished.into_iter().next()) {
            return Some(PairResult { result: Verdict::Failed, why: Some(how), ..result });
        }
        result.why = is_cut.then(cut);
        Some(result)
    }

    /// Returns the result of a pair that differs in a world.
    fn differing(&self, result: PairResult, entries: [&Entry<'_>; 2], world: String, found: Found) -> PairResult {
        let marks = [found.first.pc_old, found.first.pc_new].map(|pc| pc.map(|pc| pc.0));
        let codes = if self.settings.with_codes { codes(entries, marks) } else { BothCodes::default() };
        let [is_old, is_new] = found.undef_read;
        let undef_read: Vec<_> = [(is_old, "old"), (is_new, "new")].into_iter().filter(|(is, _)| *is).collect();
        PairResult {
            result: if found.doubt.is_some() { Verdict::Incomparable } else { Verdict::Differ },
            why: found.doubt,
            world: Some(world),
            undef_read: undef_read.into_iter().map(|(_, name)| name).collect(),
            first: Some(found.first),
            counts: found.counts,
            instructions: found.instructions,
            codes,
            ..result
        }
    }

    fn in_world(&mut self, entries: [&Entry<'_>; 2], world: World, counts: &mut Counts) -> InWorld {
        let mut runs = Vec::with_capacity(2);
        for (entry, side) in entries.into_iter().zip(["old", "new"]) {
            match self.run_entry(entry, world) {
                Ok(run) => runs.push(run),
                Err(error) => return InWorld::Failed(format!("{side}: {error}")),
            }
        }
        let Ok([old, new]) = <[SyntheticRun; 2]>::try_from(runs) else { return InWorld::Interrupted };
        let ends = [&old, &new].map(ending);
        let instructions = [old.run.instructions, new.run.instructions];
        let [old_end, new_end] = match ends {
            [Err(End::Interrupted), _] | [_, Err(End::Interrupted)] => return InWorld::Interrupted,
            [Err(End::Ours(why)), _] => return InWorld::Failed(format!("old: {why}")),
            [_, Err(End::Ours(why))] => return InWorld::Failed(format!("new: {why}")),
            [Ok(old), Ok(new)] => [old, new],
        };
        if let ("ended", "budget") | ("budget", "ended") = (old_end.as_str(), new_end.as_str())
            && let (Some(longer), true) = (self.budget.longer(), self.is_default_budget(entries))
        {
            self.budget = longer;
            return self.in_world(entries, world, counts);
        }
        match (old_end.as_str(), new_end.as_str()) {
            ("ended", "ended") => {}
            (old, new) if old == new => return InWorld::Unfinished(format!("both: {old}")),
            // Memory is a budget, too.
            (old, new) if [old, new].iter().all(|end| end.starts_with("budget")) => {
                return InWorld::Unfinished(format!("old: {old}; new: {new}"));
            }
            ("ended", _) | (_, "ended") => {
                let mut first =
                    First { what: "outcome".into(), old: Some(old_end), new: Some(new_end), ..First::default() };
                endless::name(
                    &mut first,
                    [(&old, entries[0]), (&new, entries[1])].map(|(run, entry)| stopped(run, entry)),
                );
                let (undef_read, doubt) = ([false; 2], None);
                return InWorld::Differ(Box::new(Found { first, counts: *counts, instructions, undef_read, doubt }));
            }
            (old, new) => return InWorld::Failed(format!("old: {old}; new: {new}")),
        }
        let is_other_arch = entries[0].arch != entries[1].arch;
        let guesses_shape = [&old, &new].iter().any(|run| run.run.notes.contains(Note::SyntheticImageDim));
        let mut compared = compare::compare(&old.observations, &new.observations, &old.contents);
        let mut origins = None;
        if !compared.differences.is_empty() {
            if is_other_arch && guesses_shape {
                let arch = entries.map(|entry| entry.arch.name());
                return InWorld::Incomparable(format!(
                    "generation: {} and {} pass the coordinates of images differently",
                    arch[0], arch[1]
                ));
            }
            let both = self.origins(entries, world, &compared);
            resolve::tolerate(&mut compared, &both, self.settings.tolerance);
            origins = Some(both);
        }
        counts.add(&compared.counts);
        match origins {
            Some(origins) if !compared.differences.is_empty() => {
                let observations = [&old.observations, &new.observations];
                let is_close = code::is_close(&entries[0].own_code, &entries[1].own_code);
                if let Some(why) = interface::differs(&compared, &origins, observations, is_close) {
                    return InWorld::Incomparable(why);
                }
                let runs = [&old, &new];
                let (undef_read, doubt) = self.doubt(entries, world, &mut compared, &origins, runs, is_close);
                let first = self.explain(entries, world, &compared.differences[0], &origins, runs);
                InWorld::Differ(Box::new(Found { first, counts: *counts, instructions, undef_read, doubt }))
            }
            _ => match compared.undecided() {
                Some(why) => InWorld::Incomparable(why),
                None => InWorld::Same(Box::new([old, new])),
            },
        }
    }

    /// Runs an entry in a world.
    pub(crate) fn run_entry(&mut self, entry: &Entry<'_>, world: World) -> Result<SyntheticRun, SetupError> {
        self.synthetic.run_up_to(&entry.subject, world, self.budget(entry))
    }

    /// Returns the worlds in which pairs run.
    pub(crate) fn worlds(&self) -> &'a [World] {
        self.settings.worlds
    }

    /// Returns the tolerance of floats.
    pub(crate) fn tolerance(&self) -> Tolerance {
        self.settings.tolerance
    }

    /// Returns the budget of a wave. That of the command line overrides that of the entry. `None` is the default
    /// budget.
    fn budget(&self, entry: &Entry<'_>) -> Option<u64> {
        let stated = self.settings.run.max_insts.or(entry.max_insts);
        stated.or((self.budget != Budget::Usual).then(|| self.budget.instructions()))
    }

    /// Whether neither the command line nor an entry states a budget.
    fn is_default_budget(&self, entries: [&Entry<'_>; 2]) -> bool {
        self.settings.run.max_insts.is_none() && entries.iter().all(|entry| entry.max_insts.is_none())
    }

    /// Runs an entry once more and shows each step to `follower`.
    fn watch(&mut self, entry: &Entry<'_>, world: World, follower: &mut dyn Follow) {
        // The shader was set up before, so an error does not occur here.
        let Ok(setup) = setup::setup(&entry.subject, &world) else { return };
        let (mut shown, budget) = (Shown::new(follower), self.budget(entry));
        self.synthetic.run_set_up(&entry.subject, setup, world, budget, &mut Observers::one(&mut shown));
    }

    fn origins(&mut self, entries: [&Entry<'_>; 2], world: World, compared: &Compared) -> Both {
        self.origins_at(entries, world, [0, 1].map(|side| compared.addresses(side)))
    }

    /// Returns the origins of both sides. Of memory these are the origins of the dwords at `wanted`.
    pub(crate) fn origins_at(&mut self, entries: [&Entry<'_>; 2], world: World, wanted: [HashSet<u64>; 2]) -> Both {
        let mut wanted = wanted.into_iter();
        entries.map(|entry| {
            let mut origins = Origins::new(entry.subject.program.base(), wanted.next().unwrap_or_default());
            self.watch(entry, world, &mut origins);
            origins
        })
    }

    fn explain(
        &mut self,
        entries: [&Entry<'_>; 2],
        world: World,
        difference: &Difference,
        origins: &Both,
        runs: [&SyntheticRun; 2],
    ) -> First {
        let id = resolve::wave(difference, origins);
        let traces = entries.map(|entry| {
            let mut trace = Trace::of_group(id.map_or(0, |id| id.group));
            self.watch(entry, world, &mut trace);
            trace
        });
        let lines = entries.map(|entry| SourceLines::of(&entry.object));
        let line = [0, 1].map(|side: usize| {
            let lines = &lines[side];
            move |address: u64| lines.at(address)
        });
        let file = [0, 1].map(|side: usize| {
            let subject = &entries[side].subject;
            move |pc: u64| subject.file_address(pc)
        });
        let side = |side: usize| Side {
            program: &entries[side].subject.program,
            file_address: &file[side],
            line: &line[side],
        };
        let mut first = resolve::explain(difference, origins, &traces, &[side(0), side(1)]);
        if let Some(id) = id {
            let numbers = compare::groups(&runs[1].observations);
            let at = numbers.iter().position(|number| *number == id);
            first.group = at.map(|index| runs[1].observations.waves[index].group);
            first.wave = Some(id.wave);
        }
        first
    }

    /// Returns whether each side depends on undefined values where the sides differ, and the reason why the differences
    /// say nothing; `None` if some count. In this case the differences that say nothing are removed from `compared`.
    fn doubt(
        &mut self,
        entries: [&Entry<'_>; 2],
        world: World,
        compared: &mut Compared,
        origins: &Both,
        runs: [&SyntheticRun; 2],
        is_close: bool,
    ) -> ([bool; 2], Option<String>) {
        let places: HashSet<Place> = compared.differences.iter().map(Difference::place).collect();
        let undefined = [0, 1].map(|side| self.undefined(entries[side], world, &places, runs[side]));
        let undef_read = undefined.each_ref().map(|undefined| !undefined.is_empty());
        let depends = |difference: &Difference| undefined[0].contains(&difference.place());
        if compared.differences.iter().all(depends) {
            if is_close && self.differ_filled(entries, world) {
                return (undef_read, None);
            }
            return (undef_read, Some("undef-read: the old side depends on what nothing has written".into()));
        }
        compared.differences.retain(|difference| !depends(difference));
        if is_close || self.settings.tolerance == Tolerance::BITS {
            return (undef_read, None);
        }
        let roundings = self.roundings(entries, world, runs);
        let is_rounding = |difference: &Difference| roundings.explain(difference, resolve::holds(difference, origins));
        if compared.differences.iter().all(is_rounding) {
            let why = "rounding: rounded otherwise, floats of a side itself change as much where they differ";
            return (undef_read, Some(why.into()));
        }
        compared.differences.retain(|difference| !is_rounding(difference));
        (undef_read, None)
    }

    /// Returns the places among `places` where a side depends on undefined values.
    fn undefined(
        &mut self,
        entry: &Entry<'_>,
        world: World,
        places: &HashSet<Place>,
        run: &SyntheticRun,
    ) -> HashSet<Place> {
        let budget = self.budget(entry);
        let Some(filled) = undef::filled(&mut self.synthetic, &entry.subject, world, budget, undef::FILLS[0]) else {
            return HashSet::new();
        };
        if !is_ended(&filled) {
            return places.clone();
        }
        let with_fill = compare::compare(&run.observations, &filled.observations, &run.contents);
        with_fill.differences.iter().map(Difference::place).filter(|place| places.contains(place)).collect()
    }

    /// Whether the sides differ with any of a few values in all undefined registers of both sides.
    fn differ_filled(&mut self, entries: [&Entry<'_>; 2], world: World) -> bool {
        undef::FILLS.into_iter().all(|fill| {
            let runs = entries.map(|entry| {
                let budget = self.budget(entry);
                let run = undef::filled(&mut self.synthetic, &entry.subject, world, budget, fill)?;
                Some(run).filter(is_ended)
            });
            let [Some(old), Some(new)] = runs else { return false };
            let compared = compare::compare(&old.observations, &new.observations, &old.contents);
            let is_same = |difference: &Difference| {
                let agree = |[old, new]: [u32; 2]| self.settings.tolerance.agree(Holds::F32, old, new);
                difference.values().is_some_and(agree)
            };
            !compared.differences.iter().all(is_same)
        })
    }

    /// Returns the values of both sides that change with the rounding of floats.
    fn roundings(&mut self, entries: [&Entry<'_>; 2], world: World, runs: [&SyntheticRun; 2]) -> Roundings {
        let mut roundings = Roundings::default();
        for (entry, run) in entries.into_iter().zip(runs) {
            let budget = self.budget(entry);
            let rounded = undef::rounded(&mut self.synthetic, &entry.subject, world, budget);
            for other in rounded.iter().filter(|run| is_ended(run)) {
                roundings.add(&compare::compare(&run.observations, &other.observations, &run.contents));
            }
        }
        roundings
    }
}

/// Returns in words what `same` does not cover if waves send more than is kept.
fn cut() -> String {
    format!(
        "of each wave the first {} exports and messages were compared, and the number of the others",
        Observed::MOST
    )
}

/// Returns the result of a pair before it has run.
pub(crate) fn empty(name: EntryName, result: Verdict) -> PairResult {
    PairResult {
        schema: SCHEMA,
        name,
        result,
        why: None,
        stage: None,
        worlds: Vec::new(),
        world: None,
        insensitive: false,
        relinked: false,
        undef_read: Vec::new(),
        first: None,
        counts: Counts::default(),
        instructions: [0; 2],
        codes: BothCodes::default(),
    }
}

/// Returns the codes of both sides, with the instructions at `marks`.
pub(crate) fn codes(entries: [&Entry<'_>; 2], marks: [Option<u64>; 2]) -> BothCodes {
    let lines = entries.map(|entry| SourceLines::of(&entry.object));
    let code = |side: usize| Code { program: &entries[side].own_code, lines: &lines[side] };
    code::both([code(0), code(1)], marks)
}

/// The reason why a run says nothing about the shader.
enum End {
    Interrupted,
    Ours(String),
}

/// Returns how a run ended, in words.
fn ending(run: &SyntheticRun) -> Result<String, End> {
    match run.ending() {
        Ok(Ending::Memory(_)) => Ok("budget (memory)".into()),
        Ok(Ending::Guest(outcome)) => Ok(outcome_words(&outcome)),
        Err(EngineError::Interrupted) => Err(End::Interrupted),
        // The first line of an error says what it is. The report of a divergence has many more.
        Err(error) => Err(End::Ours(error.to_string().lines().next().unwrap_or_default().to_owned())),
    }
}

/// Returns how a run of an entry stopped.
fn stopped<'a>(run: &'a SyntheticRun, entry: &'a Entry<'_>) -> Stopped<'a> {
    let outcome = match run.ending() {
        Ok(Ending::Guest(outcome)) => Some(outcome),
        _ => None,
    };
    Stopped {
        outcome,
        wave: run.run.stopped.as_deref(),
        program: &entry.subject.program,
        moved: 0u64.wrapping_sub(entry.subject.file_address(0)),
        lines: SourceLines::of(&entry.object),
    }
}

/// Whether a run reached the end of the shader.
pub(crate) fn is_ended(run: &SyntheticRun) -> bool {
    ending(run).ok().as_deref() == Some("ended")
}

/// Returns an outcome in words, such as `ended` or `fault (illegal-instruction)`.
pub(crate) fn outcome_words(outcome: &Outcome) -> String {
    match outcome.detail() {
        Some(detail) => {
            let mnemonic = detail.mnemonic.map(|mnemonic| format!(" at {mnemonic}")).unwrap_or_default();
            format!("{} ({}{mnemonic})", outcome.name(), detail.kind)
        }
        None => outcome.name().to_owned(),
    }
}

/// Returns the fact that makes two entries incomparable.
fn incomparable(entries: [&Entry<'_>; 2]) -> Option<String> {
    let stages = entries.map(|entry| entry.subject.stage);
    if stages[0] != stages[1] {
        return Some(format!("stage: {} and {}", stages[0].name(), stages[1].name()));
    }
    let user_sgprs = entries.map(|entry| entry.subject.shader.user_sgpr_count(entry.arch));
    if let [Some(old), Some(new)] = user_sgprs
        && old != new
        && entries.iter().all(|entry| entry.subject.kernel.is_none())
    {
        return Some(format!("user SGPRs: {old} and {new}"));
    }
    arguments(entries)
}

/// Returns in words how the arguments of two kernels differ. Hidden arguments do not count, because compilers drop
/// those that are not used.
fn arguments(entries: [&Entry<'_>; 2]) -> Option<String> {
    let metadata = |entry: &Entry<'_>| entry.subject.kernel.and_then(|kernel| kernel.metadata.as_ref().cloned());
    let [Some(old), Some(new)] = entries.map(metadata) else { return None };
    let explicit = |metadata: &KernelMetadata| {
        let args = metadata.args.iter().filter(|arg| !matches!(arg.kind, ArgKind::Hidden(_)));
        args.map(|arg| (arg.kind, arg.size)).collect::<Vec<_>>()
    };
    let (old, new) = (explicit(&old), explicit(&new));
    if old == new {
        return None;
    }
    if old.len() != new.len() {
        return Some(format!("arguments: {} and {}", old.len(), new.len()));
    }
    let index = old.iter().zip(&new).position(|(old, new)| old != new)?;
    let ((old, old_size), (new, new_size)) = (old[index], new[index]);
    Some(format!("argument {index}: {old:?} of {old_size} bytes and {new:?} of {new_size} bytes"))
}
