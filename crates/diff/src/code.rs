//! The codes of two sides beside each other.

use std::collections::BTreeMap;

use gcnsim_flow::in_order;
use gcnsim_isa::{Inst, Program};
use gcnsim_launches::lines::SourceLines;

use crate::align::Alignment;
use crate::result::{BothCodes, CodeLine};

/// Most instructions of a side that are listed.
const MOST: usize = 4000;

/// A code at the addresses of its file, and its source lines.
pub(crate) struct Code<'a> {
    /// The code at the addresses of the file.
    pub program: &'a Program,
    pub lines: &'a SourceLines,
}

/// Returns the instructions of a code by address, up to a limit, and whether there are more.
pub(crate) fn insts(program: &Program) -> (BTreeMap<u64, Inst>, bool) {
    let mut sites = in_order(program, 0).map(|site| (site.address, site.inst));
    let insts = sites.by_ref().take(MOST).collect();
    (insts, sites.next().is_some())
}

/// Whether one code is an edit of the other.
pub(crate) fn is_close(old: &Program, new: &Program) -> bool {
    Alignment::new(&insts(old).0, &insts(new).0).is_close
}

/// Lists two codes. `marks` are the addresses of the instructions that made a difference.
pub(crate) fn both(codes: [Code<'_>; 2], marks: [Option<u64>; 2]) -> BothCodes {
    let [(old, old_cut), (new, new_cut)] = [insts(codes[0].program), insts(codes[1].program)];
    let partner = Alignment::new(&old, &new).old_of_new();
    let mut rows: Vec<[Option<CodeLine>; 2]> = Vec::new();
    let mut lines = codes.map(|code| Lines { code, before: None });
    let mut left = old.iter().peekable();
    for (address, inst) in &new {
        if let Some(partner) = partner.get(address) {
            while let Some((address, inst)) = left.next_if(|(address, _)| *address < partner) {
                rows.push([Some(lines[0].line(*address, inst)), None]);
            }
            let old = left.next_if(|(address, _)| *address == partner);
            let old = old.map(|(address, inst)| lines[0].line(*address, inst));
            rows.push([old, Some(lines[1].line(*address, inst))]);
        } else {
            rows.push([None, Some(lines[1].line(*address, inst))]);
        }
    }
    rows.extend(left.map(|(address, inst)| [Some(lines[0].line(*address, inst)), None]));
    let place = |side: usize| {
        let at = |row: &[Option<CodeLine>; 2]| row[side].as_ref().is_some_and(|line| Some(line.address) == marks[side]);
        rows.iter().position(at)
    };
    let marks = [place(0), place(1)];
    BothCodes { rows, marks, is_cut: old_cut || new_cut }
}

/// Makes the lines of a side, in order.
struct Lines<'a> {
    code: Code<'a>,
    before: Option<String>,
}

impl Lines<'_> {
    fn line(&mut self, address: u64, inst: &Inst) -> CodeLine {
        let text = match inst.flow() {
            gcnsim_isa::Flow::Branch | gcnsim_isa::Flow::CondBranch => {
                format!("{inst} -> {:#x}", address.wrapping_add_signed(inst.branch_offset()))
            }
            _ => inst.to_string(),
        };
        let found = self.code.lines.at(address);
        let source = found.clone().filter(|found| self.before.as_ref() != Some(found));
        if found.is_some() {
            self.before = found;
        }
        CodeLine { address, text, source }
    }
}
