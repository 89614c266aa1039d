//! Results of runs in a world, as reports and lines of batches have them.

use gcnsim_engine::EngineError;
use gcnsim_engine::report::{ByClass, ClassReport, DetailReport, Hex, ObservedReport, RunReport};
use gcnsim_machine::outcome::MEMORY;
use gcnsim_machine::{Detail, Outcome};

use crate::observe::{Class, ClassHash, Classes};
use crate::run::{Ending, SyntheticRun};
use crate::subject::Subject;

impl SyntheticRun {
    /// Returns the name of the outcome in results.
    pub fn outcome_name(&self) -> &'static str {
        match &self.ending() {
            Ok(Ending::Guest(outcome)) => outcome.name(),
            Ok(Ending::Memory(_)) => Outcome::Budget.name(),
            Err(error) => error.name(),
        }
    }

    /// Returns the address of the next instruction of the wave that stopped, as the file states it; `None` if all
    /// ended.
    pub fn pc(&self, subject: &Subject) -> Option<u64> {
        self.run.stopped.as_ref().map(|stopped| subject.file_address(stopped.wave.state.pc))
    }

    /// Returns where and why the run stopped, with addresses as the file states them, if there is anything to say.
    pub fn detail(&self, subject: &Subject) -> Option<DetailReport> {
        let report = match &self.ending() {
            Ok(Ending::Guest(outcome)) => of_guest(outcome.detail()?, subject),
            Ok(Ending::Memory(Some(detail))) => of_guest(detail, subject),
            Ok(Ending::Memory(None)) => DetailReport::of_kind(MEMORY),
            Err(EngineError::Interrupted) => return None,
            Err(EngineError::Divergence(divergence)) => DetailReport {
                mnemonic: divergence.mnemonic,
                pc: Some(Hex(subject.file_address(divergence.pc))),
                ..DetailReport::of_kind("divergence")
            },
            Err(error @ EngineError::Internal(_)) => return Some(DetailReport::of_kind(error.to_string())),
        };
        let stopped = self.run.stopped.as_ref();
        let (group, wave) = (stopped.map(|stopped| stopped.group), stopped.map(|stopped| stopped.index));
        Some(DetailReport { group, wave, ..report })
    }

    /// Returns the report of the run. `engine` is the name of the engine that the user chose.
    pub fn report(&self, subject: &Subject, engine: &'static str) -> RunReport {
        let arch = subject.program.arch();
        RunReport {
            outcome: self.outcome_name(),
            detail: self.detail(subject),
            chip: arch.chip(),
            pc: self.pc(subject).map(Hex),
            instructions: self.run.instructions,
            by_class: Some(ByClass(self.run.classes)),
            notes: self.run.notes.codes(),
            state_hash: format!("{:016x}", self.state_hash()),
            environment: Some(self.world.version_name()),
            stage: Some(self.stage.name()),
            observed: Some(self.classes.report()),
            ..RunReport::of_outcome(arch.name(), engine, &Ok(Outcome::Ended), &self.run.stats)
        }
    }
}

impl Classes {
    /// Returns the field `observed` of results.
    pub fn report(&self) -> ObservedReport {
        let of = |class| {
            let ClassHash { count, hash } = self.of(class);
            ClassReport { count, hash: format!("{hash:016x}") }
        };
        ObservedReport {
            exports: of(Class::Exports),
            stores: of(Class::Stores),
            images: of(Class::Images),
            messages: of(Class::Messages),
        }
    }
}

/// Returns the detail of an outcome of the guest.
fn of_guest(detail: &Detail, subject: &Subject) -> DetailReport {
    let moved = Detail {
        pc: subject.file_address(detail.pc),
        from: detail.from.map(|from| subject.file_address(from)),
        ..*detail
    };
    DetailReport::from(&moved)
}
