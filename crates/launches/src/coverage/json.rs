//! Coverage by instruction, as lines of JSON: `gcnsim.coverage.v1`, one for each code object.

use std::io::{self, Write};

use gcnsim_flow::Site;
use gcnsim_isa::Flow;
use serde::{Serialize, Serializer};

use super::Covered;
use gcnsim_engine::report::{Hex, json_line_to};
use gcnsim_loader::functions::Function;

#[derive(Serialize)]
struct ObjectLine<'a> {
    files: &'a [String],
    target: Option<&'static str>,
    arch: &'static str,
    instructions: u64,
    executed: u64,
    functions: Each<Functions<'a>>,
}

#[derive(Serialize)]
struct FunctionPart<'a> {
    kind: &'static str,
    name: &'a str,
    pc: Hex,
    instructions: u64,
    executed: u64,
    code: Each<Insts<'a>>,
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

/// A list whose elements are made while they are written: together they take far more memory than the code.
struct Each<L>(L);

/// A list of which each element can be made.
trait List {
    type Element: Serialize;

    fn elements(&self) -> impl Iterator<Item = Self::Element>;
}

impl<L: List> Serialize for Each<L> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.elements())
    }
}

/// The functions of an object.
struct Functions<'a>(&'a Covered);

impl<'a> List for Functions<'a> {
    type Element = FunctionPart<'a>;

    fn elements(&self) -> impl Iterator<Item = FunctionPart<'a>> {
        let object = self.0;
        object.functions.iter().map(move |function| {
            let (instructions, executed) = object.instructions_of(function);
            let code = Each(Insts { object, function });
            FunctionPart {
                kind: function.kind,
                name: &function.name,
                pc: Hex(function.range.start),
                instructions,
                executed,
                code,
            }
        })
    }
}

/// The instructions of a function.
struct Insts<'a> {
    object: &'a Covered,
    function: &'a Function,
}

impl List for Insts<'_> {
    type Element = InstPart;

    fn elements(&self) -> impl Iterator<Item = InstPart> {
        self.function.insts().map(|placed| inst(self.object, placed))
    }
}

/// Writes the line of a code object, with its line break.
///
/// # Errors
/// That of `out`.
pub fn write(object: &Covered, out: &mut dyn Write) -> io::Result<()> {
    let (instructions, executed) = object.instructions();
    let line = ObjectLine {
        files: &object.files,
        target: object.target,
        arch: object.arch.name(),
        instructions,
        executed,
        functions: Each(Functions(object)),
    };
    json_line_to(out, "coverage", &line)
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
