//! Loads of guest memory: an element of up to four bytes for each lane.
//!
//! A load may be refused, and then the run stops before it. So a segment with loads first executes a *probe*: it
//! computes the addresses of all loads and compares them with their [sites](gcnsim_helpers::memory::SiteLoad). If an
//! address is elsewhere, the segment declines: nothing has changed, and the caller executes the instructions one after
//! the other. Behind the probe no load can be refused.
//!
//! The probe and the chunks compute the same addresses, because they have the same operands and nothing in between
//! changes these: scalar instructions have been executed before and their operands have slots, no address comes from
//! memory, and no lane can turn out to be wrong before a load.
//!
//! For each chunk it is found how the elements lie: in a row, near each other, all in one place, or anywhere.

use gcnsim_helpers::memory::SiteLoad;
use gcnsim_helpers::segment_frame::offset;
use gcnsim_isa::Inst;
use gcnsim_isa::table::Part;

use super::{Lanes, Lowering};
use crate::segments::allocate::WINDOW;
use crate::segments::list::{Action, Element, Logic, Value};
use crate::segments::ops::Op;

/// Predicates of integer compares.
const LESS: u8 = 1;
const DIFFERENT: u8 = 4;
const AT_LEAST: u8 = 5;

impl Lowering<'_> {
    pub(super) fn load(&mut self, inst: &Inst) -> Option<()> {
        let SiteLoad { load, addr, saddr, vdst, .. } = SiteLoad::of(inst)?;
        let site = match &self.strip_sites {
            Some(sites) => *sites.get(self.list.loads as usize)?,
            None => self.sites.start.checked_add(self.list.loads).filter(|&site| site < self.sites.end)?,
        };
        let is_strip = self.strip_sites.is_some();
        let is_first = !self.has_index_changes && !self.list.has_tests && self.list.bounds.is_empty();
        let is_first = is_first && self.moves.all.is_empty();
        if !is_first && !is_strip {
            return None;
        }
        let [low, high] = self.address(addr, saddr)?;
        if !is_strip && self.come_from_memory([low, high]) {
            return None;
        }
        let [first, first_high, count] = [offset::site_low(site), offset::site_high(site), offset::site_count(site)]
            .map(|at| self.list.of_frame(at));
        let distance = self.list.binary(Op::Sub32, low, first);
        let outside = [(high, first_high, DIFFERENT), (distance, count, AT_LEAST)]
            .map(|(value, limit, predicate)| self.list.test(Op::CompareU32, Value::EXEC, value, limit, predicate));
        self.list.push(Action::Probe, Value::NONE, [outside[0], outside[1], Value::NONE], 0);
        let row = self.list.vector(std::array::from_fn(|lane| u32::from(load.bytes) * lane as u32));
        let other = match load.bytes {
            1 | 2 if self.options.features.bytes => self.list.dword(WINDOW + 1 - u32::from(load.bytes)),
            2 => self.list.vector(std::array::from_fn(|lane| lane as u32)),
            _ => Value::NONE,
        };
        let element = Element { bytes: load.bytes, is_signed: load.signed };
        let value = self.list.node(Action::Load(site, element), [distance, row, other], 0);
        let value = self.with_part(value, load.part, vdst);
        (self.vgprs[vdst as usize], self.written[vdst as usize]) = (Lanes::Value(value), true);
        self.list.loads += 1;
        Some(())
    }

    /// The low and the high dwords of addresses, without the constant offset.
    fn address(&mut self, addr: u8, saddr: Option<u8>) -> Option<[Value; 2]> {
        let Some(saddr) = saddr else { return Some([addr, addr + 1].map(|n| self.vgpr(n))) };
        let base = [self.given_scalar(saddr, false)?, self.given_scalar(saddr.checked_add(1)?, false)?];
        let distance = self.vgpr(addr);
        let (low, one) = (self.list.binary(Op::Add32, distance, base[0]), self.list.dword(1));
        let carry = self.list.test(Op::CompareU32, Value::NONE, low, distance, LESS);
        let high = self.list.merged(Op::Add32, carry, base[1], base[1], one);
        Some([low, high])
    }

    /// The register `n` after an element was loaded to a part of it.
    fn with_part(&mut self, value: Value, part: Part, n: u8) -> Value {
        let is_low = match part {
            Part::Whole => return value,
            Part::Low => true,
            Part::High => false,
        };
        let (old, low) = (self.vgpr(n), self.list.dword(0xffff));
        let value = if is_low { value } else { self.list.shift(Op::Shl, value, 16) };
        let [first, second] = if is_low { [value, old] } else { [old, value] };
        self.list.logic(low, first, second, Logic::Select)
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
            is_needed && matches!(node.action, Action::Load(..))
        })
    }
}
