//! Reads of LDS (docs/gcn/lds.md#address-and-limits).
//!
//! Reads at the same addresses, but for constant offsets, are a [group](ReadGroup). For each chunk it is found once how
//! its elements lie: in a row, all in one place, near each other, or anywhere. An address that is a scalar operand or a
//! constant needs no group. What is out of range, or aligned oddly, is left to helpers.

use gcnsim_isa::table::{Load, Part, Share, Transfer};
use gcnsim_isa::{Inst, reg};

use super::{Lanes, Lowering};
use crate::segments::list::{Action, Bound, Home, List, Node, ReadGroup, Value};
use crate::segments::ops::Op;
use gcnsim_helpers::segment_frame::{BOUNDS, GROUPS};

/// "Less than", in compares of integers.
const LESS: u8 = 1;
/// Number of nodes behind which addresses are not looked for.
const NEAR: usize = 64;

/// A read.
struct Read {
    /// Bytes of an element.
    bytes: u32,
    offsets: [u32; 2],
    /// Number of elements: 1 or 2.
    count: usize,
}

impl Read {
    /// The read that an instruction is; `None` if it is another one, or not of whole dwords.
    fn of(inst: &Inst) -> Option<Read> {
        let (shape, access) = (inst.ds_shape()?, inst.ds_access()?);
        if access.gds {
            return None;
        }
        match shape.moves {
            Transfer::Load(Load { bytes, part: Part::Whole, .. }) if bytes >= 4 => {
                Some(Read { bytes: bytes.into(), offsets: [access.offset; 2], count: 1 })
            }
            Transfer::Share(Share::Read2(width, scale)) => {
                let bytes = u32::from(width.bytes());
                let offsets = access.offsets.map(|offset| offset * u32::from(scale) * bytes);
                Some(Read { bytes, offsets, count: 2 })
            }
            _ => None,
        }
    }
}

impl Lowering<'_> {
    pub(super) fn share(&mut self, inst: &Inst) -> Option<()> {
        let (read, access) = (Read::of(inst)?, inst.ds_access()?);
        let Read { bytes, offsets, count } = read;
        let dwords = bytes / 4 * count as u32;
        let is_free = inst.arch.is_gcn14_or_later();
        let align = if is_free { 1 } else { bytes.next_power_of_two() };
        let is_odd = offsets.iter().any(|offset| offset & (align - 1) != 0);
        if is_odd || u32::from(access.vdst) + dwords > 256 || self.list.bounds.len() >= BOUNDS {
            return None;
        }
        let m0 = if is_free { None } else { Some(self.input(reg::M0, false)?) };
        let address = self.vgpr(access.addr);
        let end = offsets[0].max(offsets[1]) + bytes;
        if matches!(self.list.values[address.index()].home, Home::Scalar(_) | Home::Dword(_)) {
            let bound = self.bound(Bound { bytes: end, m0, is_final: true });
            self.require_aligned(address, align);
            self.list.has_tests = true;
            let dwords = offsets.into_iter().take(count).flat_map(|offset| (offset..offset + bytes).step_by(4));
            for (offset, n) in dwords.zip(access.vdst as usize..) {
                let read = Action::ReadOne(bound, offset);
                let value = self.list.node(read, [address, Value::NONE, Value::NONE], 0);
                (self.vgprs[n], self.written[n]) = (Lanes::Value(value), true);
            }
            return Some(());
        }
        let is_wide = bytes == 8;
        let is_same = |group: &ReadGroup| (group.address, group.m0, group.is_wide) == (address, m0, is_wide);
        let known = self.list.groups.iter().position(is_same);
        // Where elements adjoin those of the same lane, those of the next lane are hardly the next ones.
        let is_uniform = bytes > 8 || count == 2 && offsets[0].abs_diff(offsets[1]) == bytes;
        let group = match known {
            Some(group) => Some(group as u8),
            None if self.list.groups.len() >= GROUPS || self.is_scattered(address, 3) => None,
            None => Some(self.group(ReadGroup {
                address,
                m0,
                index: address,
                is_wide,
                is_uniform,
                align,
                last: 0,
                bound: 0,
            })),
        };
        let mut index = address;
        match group {
            Some(number) => {
                let group = &mut self.list.groups[number as usize];
                group.last = group.last.max(end - 4);
                index = group.index;
                let (bound, is_aligned) = (group.bound as usize, group.align >= align);
                group.align = group.align.max(align);
                let bound = &mut self.list.bounds[bound];
                bound.bytes = bound.bytes.max(end);
                if !is_aligned {
                    self.require_aligned(address, align);
                }
            }
            None => {
                let bound = self.bound(Bound { bytes: end, m0, is_final: true });
                let limit = self.given_bound(bound);
                if !self.list.join_below(address, limit) {
                    self.require_below(address, bound);
                }
                self.require_aligned(address, align);
            }
        }
        let mut n = access.vdst as usize;
        for offset in offsets.into_iter().take(count) {
            if let (Some(group), true) = (group, is_wide) {
                let half = |list: &mut List, half: bool| {
                    list.node(Action::ReadPair(group, offset, half), [index, Value::NONE, Value::NONE], 0)
                };
                let wide = [half(&mut self.list, false), half(&mut self.list, true)];
                self.set_pair(n as u8, wide)?;
                n += 2;
                continue;
            }
            for offset in (offset..offset + bytes).step_by(4) {
                let value = self.list.node(Action::Read(group, offset), [index, Value::NONE, Value::NONE], 0);
                (self.vgprs[n], self.written[n]) = (Lanes::Value(value), true);
                n += 1;
            }
        }
        Some(())
    }

    /// The number of a bound.
    fn bound(&mut self, bound: Bound) -> u8 {
        let bounds = &mut self.list.bounds;
        let known = bounds.iter().position(|known| bound.is_final && *known == bound);
        known.unwrap_or_else(|| {
            bounds.push(bound);
            bounds.len() - 1
        }) as u8
    }

    fn require_below(&mut self, address: Value, bound: u8) {
        let limit = self.given_bound(bound);
        self.list.require(Op::CompareU32, address, limit, LESS);
    }

    fn given_bound(&mut self, bound: u8) -> Value {
        let home = Home::Bound(bound);
        if let Some((_, value)) = self.given.iter().find(|(known, _)| *known == home) {
            return *value;
        }
        let value = self.list.given(home);
        self.given.push((home, value));
        value
    }

    fn require_aligned(&mut self, address: Value, align: u32) {
        if align > 1 {
            let rest = self.list.dword(align - 1);
            self.list.require(Op::TestNot, address, rest, 0);
        }
    }

    /// Makes a group; its index and bound are not known before. Returns its number.
    fn group(&mut self, group: ReadGroup) -> u8 {
        let (number, ReadGroup { address, m0, is_wide, is_uniform, align, .. }) = (self.list.groups.len() as u8, group);
        let bound = self.bound(Bound { bytes: 0, m0, is_final: false });
        self.require_below(address, bound);
        self.require_aligned(address, align);
        let distance = self.list.node(Action::Locate(number), [address, Value::NONE, Value::NONE], 0);
        if align < 4 {
            let rest = self.list.dword(3);
            self.list.require(Op::TestNot, distance, rest, 0);
        }
        let index = self.list.shift(Op::Sar, distance, 2);
        let step = if is_wide { 2 } else { 1 };
        let (row, uniform) = (self.list.vector(std::array::from_fn(|lane| step * lane as u32)), self.list.dword(0));
        let both = 2 * self.options.features.width.lanes() as u32;
        // AVX2 tests bits, AVX-512 compares.
        let far = self.list.dword(if self.list.is_narrow { !(both - 1) } else { both });
        let (expected, other) = if is_uniform { (uniform, row) } else { (row, uniform) };
        let other = if is_wide { other } else { far };
        self.list.push(Action::Classify(number), Value::NONE, [index, expected, other], 0);
        self.list.groups.push(ReadGroup { index, bound, ..group });
        number
    }

    /// Whether addresses look like those of a table that data choose: parts of one byte, or what was read.
    fn is_scattered(&self, address: Value, depth: u32) -> bool {
        let is_of = |node: &&Node| node.dst == address;
        let Some(node) = self.list.nodes.iter().rev().take(NEAR).find(is_of) else { return false };
        let is_byte = |value: &Value| self.list.constant(*value).is_some_and(|bits| bits.count_ones() == 8);
        match node.action {
            Action::Read(..) | Action::ReadPair(..) | Action::Op(Op::Bytes) => true,
            Action::Op(Op::And) if node.src.iter().any(is_byte) => true,
            Action::Op(Op::Shr) if node.imm == 24 => true,
            Action::Op(Op::Shl | Op::ShlVar | Op::Shr | Op::Add32 | Op::And) if depth > 0 => {
                node.src[..2].iter().any(|&source| self.is_scattered(source, depth - 1))
            }
            _ => false,
        }
    }
}
