//! Numbers of findings of the linter, for `--lint`.

use std::collections::HashMap;

use gcnsim_isa::{Arch, Program};
use gcnsim_launches::sidecar::Sidecar;
use gcnsim_lint::file;
use gcnsim_loader::object::Object;
use gcnsim_loader::{Entry, Loaded, Xnack};

use crate::run::worker::Worker;

/// The numbers of findings about the entries of a file, by part and address.
pub(super) struct LintFindings(HashMap<(Option<String>, u64), u32>);

impl LintFindings {
    /// Returns the number of findings about an entry.
    pub fn of(&self, entry: &Entry) -> u32 {
        let part = entry.part.as_ref().map(|part| part.name.clone());
        let address = if entry.kernel.is_some() { entry.address } else { 0 };
        self.0.get(&(part, address)).copied().unwrap_or(0)
    }
}

impl Worker<'_> {
    /// Lints a raw program and returns the number of findings. `None` if that is not wanted.
    pub(super) fn raw_findings(&mut self, program: &Program, sidecar: Option<&Sidecar>) -> Option<u32> {
        let linter = self.linter.as_mut()?;
        let object = Object::of_program(program);
        let shader = |_| sidecar.map(Sidecar::shader).unwrap_or_default();
        let reports = linter.lint(&object, program.arch(), Xnack::Off, &shader);
        Some(reports.iter().map(|report| report.findings.len() as u32).sum())
    }

    /// Lints all entries of a file. `None` if that is not wanted. `offset` is the offset of a raw file's entry, in
    /// bytes.
    pub(super) fn findings(
        &mut self,
        loaded: &Loaded,
        arch: Arch,
        offset: u64,
        sidecar: Option<&Sidecar>,
    ) -> Option<LintFindings> {
        let linter = self.linter.as_mut()?;
        let shader = sidecar.map(Sidecar::shader).unwrap_or_default();
        // A file that has changed since it was loaded has no objects here; its lines say so later.
        let objects = file::lint(linter, loaded, arch, offset, &shader).unwrap_or_default();
        let counts = objects.iter().flat_map(|object| {
            object.entries.iter().map(|entry| {
                // The address of a raw file's entry depends on its sidecar, so it is not used as the key.
                let address = if entry.name.is_some() { entry.address } else { 0 };
                ((object.object.part.clone(), address), entry.findings.len() as u32)
            })
        });
        Some(LintFindings(counts.collect()))
    }
}
