//! The functions of a code object with their instructions, for listings of executed code and for coverage.

use std::ops::Range;
use std::sync::Arc;

use gcnsim_isa::{Arch, Inst, Program};

use crate::areas::AreaKind;
use crate::codemap::direct_target;
use crate::object::{CodeSection, Object};

/// The functions of an object, sorted by address.
pub struct Functions {
    list: Vec<Function>,
}

/// A function, or other code between two symbols.
pub struct Function {
    /// `kernel`, `function`, `label`, or `code` without a symbol.
    pub kind: &'static str,
    /// Its name, or its address if it has none.
    pub name: String,
    /// Its addresses.
    pub range: Range<u64>,
    /// The section that holds it.
    program: Program,
}

/// An instruction of a function.
#[derive(Clone, Copy, Debug)]
pub struct Placed {
    /// Its address.
    pub address: u64,
    /// The instruction.
    pub inst: Inst,
}

impl Placed {
    /// The target of a direct branch, call or fork.
    pub fn target(&self) -> Option<u64> {
        direct_target(&self.inst, self.address)
    }
}

impl Functions {
    /// Finds the functions of `object`, decoding for `arch`. Addresses are those of the object.
    pub fn new(object: &Object, arch: Arch) -> Functions {
        let mut list: Vec<Function> = object.sections.iter().flat_map(|section| of_section(section, arch)).collect();
        list.sort_by_key(|function| function.range.start);
        Functions { list }
    }

    /// All functions, by address.
    pub fn iter(&self) -> impl Iterator<Item = &Function> {
        self.list.iter()
    }

    /// The function that contains `address`.
    pub fn at(&self, address: u64) -> Option<&Function> {
        let behind = self.list.partition_point(|function| function.range.start <= address);
        self.list[..behind].last().filter(|function| function.range.contains(&address))
    }
}

fn of_section(section: &CodeSection, arch: Arch) -> Vec<Function> {
    let program = Program::new(arch, Arc::new(section.linked_bytes().clone()), section.address, 0);
    let code = section.areas.iter().filter(|area| area.kind.is_code());
    let function = |area: &crate::areas::Area| Function {
        kind: area.kind.name(),
        name: match area.names.first() {
            Some(name) => name.to_string(),
            None if area.kind == AreaKind::Unnamed && section.name.is_empty() => "code".to_owned(),
            None => format!("{:#x}", section.shown(area.range.start)),
        },
        range: area.range.clone(),
        program: program.clone(),
    };
    code.map(function).collect()
}

impl Function {
    /// Its instructions, by address. Dwords that do not decode are left out.
    pub fn insts(&self) -> impl Iterator<Item = Placed> + '_ {
        let mut address = self.range.start.next_multiple_of(4);
        std::iter::from_fn(move || {
            while address < self.range.end {
                let at = address;
                let inst = self.program.word_index(at).and_then(|index| self.program.decode_word(index).ok());
                address += inst.map_or(4, |inst| u64::from(inst.size()));
                if let Some(inst) = inst {
                    return Some(Placed { address: at, inst });
                }
            }
            None
        })
    }
}
