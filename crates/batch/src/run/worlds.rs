//! Synthetic runs in a batch: an entry gives one line for each world (docs/use/corpora.md).

use std::panic::{self, AssertUnwindSafe};

use gcnsim_engine::{EngineError, Observers};
use gcnsim_launches::coverage::{Hits, Spot};
use gcnsim_launches::lines::SourceLines;
use gcnsim_launches::sidecar::Sidecar;
use gcnsim_machine::world::World;
use gcnsim_sanitize::{Findings, Sanitizer};
use gcnsim_synthetic::setup::setup;
use gcnsim_synthetic::{Subject, Synthetic, SyntheticRun};

use crate::output::outcome::EntryOutcome;
use crate::output::results::{LineDetail, LineRun, SyntheticFacts};
use crate::run::lines::{Entry, InFile, Plain};
use crate::run::worker::{Slot, Worker, median, panic_message, run_options, words};
use gcnsim_inputs::arch::ArchSource;

/// A shader to run in worlds, and what its lines say of it.
pub(super) struct Inhabitant<'a> {
    pub subject: Subject<'a>,
    pub kernel: Option<&'a str>,
    pub part: Option<InFile<'a>>,
    /// Offset of the shader's code in the file, in bytes.
    pub offset: Option<u64>,
    pub sha256: [u8; 32],
    pub arch_source: ArchSource,
    pub sidecar: Option<&'a Sidecar>,
    /// Number of findings of the linter; `None` if they are not wanted.
    pub findings: Option<u32>,
    /// The place of the shader in the coverage; `None` if coverage is not wanted.
    pub spot: Option<Spot>,
}

/// Whether an entry with the given sidecar runs in the worlds of the batch: nothing states its inputs.
pub(super) fn is_inhabitant(worlds: &[World], sidecar: Option<&Sidecar>) -> bool {
    !worlds.is_empty() && sidecar.is_none_or(|sidecar| sidecar.state.is_none() && sidecar.expect.is_none())
}

impl Worker<'_> {
    /// Runs a shader in all worlds of the batch, and writes a line for each. Fails if `check_whole` finds that the file
    /// has changed meanwhile.
    pub(super) fn inhabit(
        &mut self,
        inhabitant: &Inhabitant,
        slot: &mut Slot,
        check_whole: impl Fn() -> Result<(), String>,
    ) -> Result<(), String> {
        for &world in self.job.worlds {
            if self.is_stopped() {
                slot.is_cut = true;
                return Ok(());
            }
            let own_budget = inhabitant.sidecar.and_then(|sidecar| sidecar.max_insts);
            let budget = if self.job.budget_is_explicit { Some(self.job.budget) } else { own_budget };
            let mut synthetic = self.synthetic.take().unwrap_or_else(|| Synthetic::new(run_options(self.job)));
            let run = panic::catch_unwind(AssertUnwindSafe(|| synthetic.run_up_to(&inhabitant.subject, world, budget)));
            if run.is_ok() {
                // After a panic the runner may be in any state, so it is not kept.
                self.synthetic = Some(synthetic);
            }
            check_whole()?;
            match run {
                Ok(Ok(run)) => {
                    let found = self.observe_in(inhabitant, world, budget);
                    self.world_line(inhabitant, &run, found.as_ref(), slot);
                }
                Ok(Err(error)) => self.no_run(inhabitant, EntryOutcome::BadInput, &words(error), slot),
                Err(payload) => {
                    let error = EngineError::Internal(panic_message(payload.as_ref()));
                    self.no_run(inhabitant, EntryOutcome::InternalError, &words(error), slot);
                }
            }
        }
        Ok(())
    }

    /// Runs a shader again, observed: what it executes is counted, and a sanitizer looks for mistakes. Returns the
    /// findings; `None` if they are not wanted, or the shader cannot run.
    fn observe_in(&mut self, inhabitant: &Inhabitant, world: World, budget: Option<u64>) -> Option<Findings> {
        let (sanitizing, subject) = (self.job.sanitize, &inhabitant.subject);
        let coverage = self.job.coverage.zip(inhabitant.spot);
        if sanitizing.is_none() && coverage.is_none() {
            return None;
        }
        let mut synthetic = self.synthetic.take().unwrap_or_else(|| Synthetic::new(run_options(self.job)));
        // The shader may have run without a panic before. If it panics here, nothing was seen.
        let seen = panic::catch_unwind(AssertUnwindSafe(|| {
            let setup = setup(subject, &world).ok()?;
            let mut sanitizer = sanitizing.map(|wanted| Sanitizer::in_world(wanted.checks, subject, &setup));
            let (mut hits, mut observers) = (Hits::default(), Observers::none());
            sanitizer.iter_mut().for_each(|sanitizer| observers.add(sanitizer));
            if coverage.is_some() {
                observers.add(&mut hits);
            }
            synthetic.run_set_up(subject, setup, world, budget, &mut observers);
            coverage.into_iter().for_each(|(coverage, spot)| coverage.add(spot, &hits));
            let lines = || subject.object.map(|object| SourceLines::of(&object.bytes)).unwrap_or_default();
            Some((synthetic, sanitizer.map(|sanitizer| sanitizer.into_findings(&lines()))))
        }));
        let (synthetic, found) = seen.ok()??;
        self.synthetic = Some(synthetic);
        sanitizing?.count(found.as_ref()?);
        found
    }

    fn world_line(
        &mut self,
        inhabitant: &Inhabitant,
        run: &SyntheticRun,
        sanitizer: Option<&Findings>,
        slot: &mut Slot,
    ) {
        let subject = &inhabitant.subject;
        let line = LineRun {
            arch: subject.program.arch(),
            pc: run.pc(subject),
            instructions: run.run.instructions,
            classes: run.run.classes,
            stats: run.run.stats,
            notes: run.run.notes,
            state_hash: run.state_hash(),
            samples: None,
            synthetic: Some(SyntheticFacts { world: run.world, stage: run.stage, observed: run.classes }),
            findings: inhabitant.findings,
            sanitizer: None,
        };
        let outcome = EntryOutcome::from_name(run.outcome_name()).unwrap_or(EntryOutcome::InternalError);
        let mut detail = run.detail(subject);
        if let (Err(EngineError::Divergence(divergence)), Some(detail)) = (&run.run.outcome, &mut detail) {
            detail.report = Some(divergence.report.clone());
        }
        slot.out.run_ns.push(run.run.stats.run_ns);
        let number = slot.entry;
        slot.entry += 1;
        if let (None, None, None, [_], None) = (&detail, inhabitant.kernel, slot.sampling, self.job.worlds, sanitizer) {
            let Inhabitant { sha256, arch_source, .. } = *inhabitant;
            let plain = Plain { file: slot.file, sha256, outcome, run: line, arch_source };
            return self.lines.add_plain(self.job, plain, slot.out);
        }
        let (samples, reference) = slot.samples(number, run.run.stats.run_ns);
        let both = slot.sampling.map(|_| (&samples[..], &reference[..]));
        let mut line = LineRun { samples: both, sanitizer, ..line };
        if slot.sampling.is_some() {
            line.stats.run_ns = median(&samples);
        }
        let detail = detail.as_ref().map_or(LineDetail::None, LineDetail::Launch);
        let entry = inhabitant.entry(slot.file, number, outcome, detail);
        self.lines.add(self.job, Entry { run: Some(&line), ..entry }, slot.out);
    }

    /// Writes the line of an entry that did not run in a world.
    fn no_run(&mut self, inhabitant: &Inhabitant, outcome: EntryOutcome, reason: &str, slot: &mut Slot) {
        slot.out.run_ns.push(0);
        let number = slot.entry;
        slot.entry += 1;
        let entry = inhabitant.entry(slot.file, number, outcome, LineDetail::Words(reason));
        self.lines.add(self.job, entry, slot.out);
    }
}

impl<'a> Inhabitant<'a> {
    fn entry(&'a self, file: usize, number: usize, outcome: EntryOutcome, detail: LineDetail<'a>) -> Entry<'a> {
        Entry {
            file,
            number,
            kernel: self.kernel,
            offset: self.offset,
            part: self.part,
            sha256: Some(&self.sha256),
            outcome,
            detail,
            run: None,
            arch_source: self.arch_source,
            launch: None,
        }
    }
}
