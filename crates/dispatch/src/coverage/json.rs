//! Coverage by instruction, as lines of JSON: `gcnsim.coverage.v1`, one for each code object.

use gcnsim_flow::Site;
use gcnsim_isa::Flow;
use serde::Serialize;

use super::Covered;
use gcnsim_engine::report::{Hex, json_line};
use gcnsim_loader::functions::Function;

#[derive(Serialize)]
struct ObjectLine<'a> {
    files: &'a [String],
    target: Option<&'static str>,
    arch: &'static str,
    instructions: u64,
    executed: u64,
    functions: Vec<FunctionPart>,
}

#[derive(Serialize)]
struct FunctionPart {
    kind: &'static str,
    name: String,
    pc: Hex,
    instructions: u64,
    executed: u64,
    code: Vec<InstPart>,
}

#[derive(Serialize)]
struct InstPart {
    pc: Hex,
    text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<String>,
    count: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    taken: Option<u64>,
}

/// Returns the line of a code object.
pub fn line(object: &Covered) -> String {
    let functions: Vec<FunctionPart> = object.functions.iter().map(|function| part(object, function)).collect();
    let line = ObjectLine {
        files: &object.files,
        target: object.target,
        arch: object.arch.name(),
        instructions: functions.iter().map(|function| function.instructions).sum(),
        executed: functions.iter().map(|function| function.executed).sum(),
        functions,
    };
    json_line("coverage", &line)
}

fn part(object: &Covered, function: &Function) -> FunctionPart {
    let code: Vec<InstPart> = function.insts().map(|placed| inst(object, placed)).collect();
    FunctionPart {
        kind: function.kind,
        name: function.name.clone(),
        pc: Hex(function.range.start),
        instructions: code.len() as u64,
        executed: code.iter().filter(|inst| inst.count > 0).count() as u64,
        code,
    }
}

fn inst(object: &Covered, placed: Site) -> InstPart {
    let count = object.count(placed.address);
    InstPart {
        pc: Hex(placed.address),
        text: placed.inst.to_string(),
        source: object.lines.at(placed.address),
        count: count.executed,
        taken: (placed.inst.flow() == Flow::CondBranch).then_some(count.taken),
    }
}
