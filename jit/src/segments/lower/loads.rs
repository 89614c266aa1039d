//! Loads of guest memory: a dword for each lane, in a row.
//!
//! A load may be refused, and then the run stops before it. So a segment with loads first executes a *probe*: it
//! computes the addresses of all loads and compares them with their [sites](gcnsim_helpers::memory::SiteLoad). If an
//! address is elsewhere, or a chunk's addresses are no row, the segment declines: nothing has changed, and the caller
//! executes the instructions one after the other. Behind the probe no load can be refused.
//!
//! The probe and the chunks compute the same addresses, because they have the same operands and nothing in between
//! changes these: no scalar instruction stands before a load or behind it, no value comes from memory, and no lane can
//! turn out to be wrong before a load.

use gcnsim_helpers::memory::SiteLoad;
use gcnsim_isa::Inst;

use super::{Lanes, Lowering};
use crate::segments::list::{Action, Value};

impl Lowering<'_> {
    pub(super) fn load(&mut self, inst: &Inst) -> Option<()> {
        let load = SiteLoad::of(inst)?;
        let site = self.sites.start + self.list.loads;
        let is_first = !self.has_passengers && !self.list.has_tests && self.list.bounds.is_empty();
        if self.list.is_narrow || !is_first || site >= self.sites.end {
            return None;
        }
        let address = [load.addr, load.addr + 1].map(|n| self.vgpr(n));
        if self.come_from_memory(address) {
            return None;
        }
        let row = self.list.vector(std::array::from_fn(|lane| 4 * lane as u32));
        let value = self.list.node(Action::Load(site), [address[0], address[1], row], 0);
        self.list.loads += 1;
        (self.vgprs[load.vdst as usize], self.written[load.vdst as usize]) = (Lanes::Value(value), true);
        Some(())
    }

    /// Whether a load has a part in the computation of values.
    fn come_from_memory(&self, values: [Value; 2]) -> bool {
        let mut are_needed = vec![false; self.list.values.len()];
        values.into_iter().for_each(|value| are_needed[value.index()] = true);
        self.list.nodes.iter().rev().any(|node| {
            let is_needed = node.dst != Value::NONE && are_needed[node.dst.index()];
            if is_needed {
                node.src.into_iter().chain([node.mask]).for_each(|source| are_needed[source.index()] = true);
            }
            is_needed && matches!(node.action, Action::Load(_))
        })
    }
}
