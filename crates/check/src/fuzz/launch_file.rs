//! Dispatches that diverged, as files: a code object `NAME.co` and its launch file `NAME.toml`, which expects the
//! results of the interpreter. `gcnsim run NAME.co` runs them again.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::Path;

use gcnsim_isa::Arch;

use super::case_file::{ReadError, comment};
use super::differential;
use super::dispatch::{Ran, Subject};
use super::settings::FULL_BUDGET;
use crate::generate::kernel::{BUFFERS, KERNEL, Launch, object};
use gcnsim_engine::memory_file::hex_of_bytes;
use gcnsim_launches::launch::{LaunchFile, Syntax};
use gcnsim_loader::FileBytes;
use gcnsim_loader::code_object::CodeObject;

use super::CaseRun;

/// Returns the code object of a dispatch, and its launch file.
pub(super) fn contents(run: &CaseRun, launch: &Launch, rerun: &str) -> (Vec<u8>, String) {
    (object::object(run.case.arch, &run.case.words, launch), text(run, launch, rerun))
}

/// Returns the text of the launch file.
fn text(run: &CaseRun, launch: &Launch, rerun: &str) -> String {
    let (case, budget) = (&run.case, run.settings.total());
    let mut text = comment(run, rerun);
    let Launch { grid, group, data, table, .. } = launch;
    let args = BUFFERS.map(|name| format!("{{buffer = \"{name}\"}}")).join(", ");
    let _ =
        writeln!(text, "[[launch]]\nname = \"{KERNEL}\"\nkernel = \"{KERNEL}\"\ngrid = {grid:?}\ngroup = {group:?}");
    let _ = writeln!(text, "args = [{args}]\nmax_insts = {budget}\n\n[launch.buffers]");
    for (name, bytes) in BUFFERS.iter().zip([data, table]) {
        let _ = writeln!(text, "{name} = {{hex = \"{}\"}}", hex_of_bytes(bytes));
    }
    if let Some(ran) = reference(case.arch, &case.words, launch, budget) {
        text.push_str(&expectation(&ran));
    }
    text
}

fn reference(arch: Arch, words: &[u32], launch: &Launch, budget: u64) -> Option<Ran> {
    let subject = Subject::new(arch, words, launch)?;
    differential::caught(|| subject.interpret(budget, false)).ok()?.ok()
}

/// Returns the text that expects the results of the interpreter.
fn expectation(ran: &Ran) -> String {
    let mut text = String::from("\n[launch.expect]\n");
    let _ = writeln!(text, "outcome = \"{}\"\ninstructions = {}\n", ran.outcome(), ran.instructions());
    text.push_str("[launch.expect.buffers]\n");
    for (name, hash) in ran.hashes() {
        let _ = writeln!(text, "{name} = {{hash = \"{hash:016x}\"}}");
    }
    text
}

/// Returns grid, memory and registers of a dispatch in a line of text.
pub(super) fn describe(launch: &Launch) -> String {
    let Launch { grid, group, lds, scratch, vgprs, orderly, .. } = launch;
    let order = if *orderly { "each group has data of its own" } else { "groups share the data" };
    format!("grid {grid:?} of groups {group:?}, {lds} bytes of LDS, {scratch} of scratch, {vgprs} VGPRs; {order}\n")
}

/// A dispatch that was read from its files.
pub struct DispatchRegression {
    /// The dispatch.
    pub subject: Subject,
    /// Budget of the dispatch in instructions.
    pub budget: u64,
}

/// Reads a dispatch that [`super::regress::files`] has made.
///
/// # Errors
/// [`ReadError`]
pub fn read(path: &Path) -> Result<DispatchRegression, ReadError> {
    let invalid = |error: String| ReadError::Io(io::Error::new(io::ErrorKind::InvalidData, error));
    let bytes = FileBytes::read(path).map_err(|error| invalid(error.to_string()))?;
    let object = CodeObject::parse(&bytes).map_err(|error| invalid(error.to_string()))?;
    let text = fs::read_to_string(path.with_extension("toml"))?;
    let mut file = LaunchFile::parse(&text, Syntax::Toml).map_err(|error| invalid(error.to_string()))?;
    let spec = file.launches.remove(0);
    let budget = spec.max_insts.unwrap_or(FULL_BUDGET);
    Ok(DispatchRegression { subject: Subject::of(object, spec), budget })
}
