//! The functions of a code object with their instructions, for listings of executed code and for coverage.

use std::ops::Range;
use std::sync::Arc;

use gcnsim_flow::{Site, in_order};
use gcnsim_isa::{Arch, Program};

use crate::areas::AreaKind;
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
    pub fn insts(&self) -> impl Iterator<Item = Site> + '_ {
        let first = self.program.word_index(self.range.start.next_multiple_of(4)).unwrap_or(usize::MAX);
        in_order(&self.program, first).take_while(|site| site.address < self.range.end)
    }
}
