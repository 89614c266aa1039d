//! Counts by instruction: listings of the functions that a launch reached, and stacks for flame graphs.

use std::collections::BTreeMap;

use serde::Serialize;

use super::count::{CountedSite, Counter, Spread, has_lanes};
use crate::lines::SourceLines;
use gcnsim_engine::report::Hex;
use gcnsim_flow::{Site, direct_target};
use gcnsim_loader::functions::{Function, Functions};

/// A function that a launch reached.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ListedFunction {
    /// `kernel`, `function`, `label`, or `code` without a symbol.
    pub kind: &'static str,
    /// Name of the function.
    pub name: String,
    /// Number of executed instructions.
    pub executed: u64,
    /// All instructions of the function.
    pub code: Vec<ListedInst>,
}

/// An instruction with its counts.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ListedInst {
    /// Address of the instruction, as the file states it.
    pub pc: Hex,
    /// Text of the instruction.
    pub text: String,
    /// Target, if the instruction is a direct branch or call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<Hex>,
    /// Source line of the instruction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Number of executions by waves.
    pub executed: u64,
    /// Mean number of active lanes, for instructions that work on lanes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lanes: Option<f64>,
    /// Number of times that a branch with two ways was taken.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub taken: Option<u64>,
    /// Number of 64-byte lines of memory that an execution touched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines: Option<MeanMax>,
    /// Number of cycles of LDS that an execution took.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cycles: Option<MeanMax>,
    /// Number of these cycles that bank conflicts caused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conflicts: Option<MeanMax>,
}

/// Mean and maximum of a number that each access has.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct MeanMax {
    /// Mean.
    pub mean: f64,
    /// Maximum.
    pub max: u32,
}

impl MeanMax {
    /// Returns mean and maximum; `None` if there was no access.
    pub(super) fn of(spread: Spread) -> Option<MeanMax> {
        mean(spread.sum, spread.count).map(|mean| MeanMax { mean, max: spread.max })
    }
}

/// Returns the mean rounded to two decimals; `None` if `count` is 0.
pub(super) fn mean(sum: u64, count: u64) -> Option<f64> {
    (count > 0).then(|| (sum as f64 / count as f64 * 100.0).round() / 100.0)
}

/// Returns the functions that a launch reached, with all their instructions.
pub fn listing(counter: &Counter, functions: &Functions, lines: &SourceLines) -> Vec<ListedFunction> {
    functions.iter().filter_map(|function| listed(function, counter, lines)).collect()
}

fn listed(function: &Function, counter: &Counter, lines: &SourceLines) -> Option<ListedFunction> {
    let sites = counter.sites().filter(|(pc, _)| function.range.contains(pc));
    let executed: u64 = sites.map(|(_, site)| site.executed).sum();
    if executed == 0 {
        return None;
    }
    let code = function.insts().map(|placed| listed_inst(placed, counter.at(placed.address), lines)).collect();
    Some(ListedFunction { kind: function.kind, name: function.name.clone(), executed, code })
}

fn listed_inst(placed: Site, site: Option<&CountedSite>, lines: &SourceLines) -> ListedInst {
    let accesses = site.map(|site| site.accesses).unwrap_or_default();
    let lanes = site.filter(|site| has_lanes(site.inst.desc().kind));
    ListedInst {
        pc: Hex(placed.address),
        text: placed.inst.to_string(),
        target: direct_target(&placed.inst, placed.address).map(Hex),
        source: lines.at(placed.address),
        executed: site.map_or(0, |site| site.executed),
        lanes: lanes.and_then(|site| mean(site.lanes, site.executed)),
        taken: site.filter(|site| site.is_branch()).map(|site| site.taken),
        lines: MeanMax::of(accesses.lines),
        cycles: MeanMax::of(accesses.cycles),
        conflicts: MeanMax::of(accesses.conflicts),
    }
}

/// Number of executed instructions by stack, for flame graphs. Frames are the kernel, the function if it is another
/// one, and the source line if it is known.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Folded(BTreeMap<String, u64>);

impl Folded {
    /// Adds a launch of a kernel.
    pub fn add(&mut self, kernel: &str, counter: &Counter, functions: &Functions, lines: &SourceLines) {
        for (pc, site) in counter.sites() {
            let function = functions.at(pc).map(|function| function.name.as_str());
            let other = function.filter(|name| *name != kernel);
            let line = lines.at(pc);
            let mut stack = frame(kernel);
            // If the function is known, a stack has two frames at least: the source line, or else the function's name
            // again, follows the kernel.
            for name in [other, line.as_deref().or(function.filter(|_| other.is_none()))].into_iter().flatten() {
                stack.push(';');
                stack.push_str(&frame(name));
            }
            *self.0.entry(stack).or_default() += site.executed;
        }
    }

    /// Returns a line for each stack: frames with `;` between them, a blank, and the number of instructions.
    pub fn text(&self) -> String {
        self.0.iter().map(|(stack, count)| format!("{stack} {count}\n")).collect()
    }
}

/// Returns a name as a frame, without the characters that separate frames and lines.
fn frame(name: &str) -> String {
    let plain = |c: char| if c == ';' || c.is_whitespace() || c.is_control() { '_' } else { c };
    name.chars().map(plain).collect()
}
