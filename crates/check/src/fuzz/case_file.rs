//! The parts that the files of all cases have.

use std::fmt::Write as _;
use std::io;

use gcnsim_isa::{Opcode, decode};
use gcnsim_launches::sidecar::SidecarError;

use super::CaseRun;
use crate::generate::Case;

/// Returns the comment at the head of a file: settings, listing, and the first differences.
pub(super) fn comment(run: &CaseRun, rerun: &str) -> String {
    let CaseRun { case, settings, .. } = run;
    let mut text = format!("# Found by {rerun}\n# {settings}\n");
    for (at, _, line) in listing(case) {
        let _ = writeln!(text, "#   {:#06x}  {line}", 4 * at);
    }
    for difference in run.divergence.iter().flat_map(|d| &d.differences).take(8) {
        let _ = writeln!(text, "# {difference}");
    }
    text
}

/// Error of reading a case.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// A file cannot be read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The sidecar is wrong.
    #[error(transparent)]
    Sidecar(#[from] SidecarError),
}

/// Returns the instructions of a linear sweep: for each the index of its dword, its opcode, and its text.
pub(super) fn listing(case: &Case) -> Vec<(usize, Option<Opcode>, String)> {
    let mut lines = Vec::new();
    let mut at = 0;
    while at < case.words.len() {
        match decode(case.arch, case.words[at], case.words.get(at + 1).copied()) {
            Ok(inst) => {
                lines.push((at, Some(inst.opcode), inst.to_string()));
                at += inst.size() as usize / 4;
            }
            Err(_) => {
                lines.push((at, None, format!("{:#010x}", case.words[at])));
                at += 1;
            }
        }
    }
    lines
}
