//! Compiled regions of one program, by entry address.

use std::collections::HashMap;
use std::sync::Arc;

use gcnsim_isa::Program;

use crate::compile::{Compiler, JitError, Region};

/// What is known about an entry.
#[derive(Clone)]
pub enum Entry {
    /// Compiled.
    Region(Arc<Region>),
    /// Compiled code cannot start there.
    Interpret,
}

/// Regions by (address, kind of MODE).
#[derive(Default)]
pub struct RegionCache {
    entries: HashMap<(u64, bool), Entry>,
}

impl RegionCache {
    /// What is known about an entry, if it was asked for before.
    pub fn get(&self, pc: u64, special_mode: bool) -> Option<&Entry> {
        self.entries.get(&(pc, special_mode))
    }

    /// The entry, compiled now if it is new. The flag tells whether it was.
    ///
    /// # Errors
    /// As [`Compiler::compile`].
    pub fn get_or_compile(
        &mut self,
        compiler: &mut Compiler,
        program: &Program,
        pc: u64,
        special_mode: bool,
    ) -> Result<(Entry, bool), JitError> {
        if let Some(entry) = self.get(pc, special_mode) {
            return Ok((entry.clone(), false));
        }
        let entry = match compiler.compile(program, pc, special_mode)? {
            Some(region) => Entry::Region(Arc::new(region)),
            None => Entry::Interpret,
        };
        self.entries.insert((pc, special_mode), entry.clone());
        Ok((entry, true))
    }
}
