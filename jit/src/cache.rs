//! Compiled regions of one program, by entry address.

use std::collections::HashMap;
use std::sync::Arc;

use gcnsim_isa::Program;

use crate::compile::{Compiler, JitError, Region, RegionKey};

/// What is known about an address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lookup {
    /// A region (by number) can be entered there (entry number).
    Region {
        /// Number of the region, for [`RegionCache::region`].
        region: usize,
        /// Number of the entry.
        entry: usize,
    },
    /// Compiled code cannot start there.
    Interpret,
}

/// Regions by (address, is MODE special).
#[derive(Default)]
pub struct RegionCache {
    regions: Vec<Arc<Region>>,
    entries: HashMap<(u64, bool), Lookup>,
}

impl RegionCache {
    /// What is known about an address, if anything.
    pub fn get(&self, pc: u64, special_mode: bool) -> Option<Lookup> {
        self.entries.get(&(pc, special_mode)).copied()
    }

    /// A region by number.
    pub fn region(&self, number: usize) -> &Arc<Region> {
        &self.regions[number]
    }

    /// The regions in the order of their compilation.
    pub fn regions(&self) -> &[Arc<Region>] {
        &self.regions
    }

    /// Forgets a region: its entries are compiled anew when they are asked for.
    pub fn invalidate(&mut self, region: usize) {
        self.entries.retain(|_, lookup| !matches!(lookup, Lookup::Region { region: r, .. } if *r == region));
    }

    /// Compiles the region entered at an address of which nothing is known yet.
    ///
    /// # Errors
    /// As [`Compiler::compile`].
    pub fn compile(
        &mut self,
        compiler: &mut Compiler,
        program: &Program,
        key: &RegionKey<'_>,
    ) -> Result<Lookup, JitError> {
        let RegionKey { pc, special_mode, .. } = *key;
        let Some(region) = compiler.compile(program, key)? else {
            self.entries.insert((pc, special_mode), Lookup::Interpret);
            return Ok(Lookup::Interpret);
        };
        let number = self.regions.len();
        for (i, entry) in region.entries().iter().enumerate() {
            let lookup = Lookup::Region { region: number, entry: i };
            self.entries.entry((entry.pc, special_mode)).or_insert(lookup);
            if region.any_mode() {
                self.entries.entry((entry.pc, !special_mode)).or_insert(lookup);
            }
        }
        self.regions.push(Arc::new(region));
        Ok(Lookup::Region { region: number, entry: 0 })
    }
}
