//! Addresses of buffer accesses and their range checks (docs/gcn/buffers.md).

use gcnsim_isa::buffer::BufferDescriptor;
use gcnsim_isa::{Arch, BufferAccess, Note};
use gcnsim_machine::Place;

use super::super::Machine;
use super::super::lanes::Pieces;

/// The values that all lanes of an access share.
pub(super) struct Addressing {
    arch: Arch,
    descriptor: BufferDescriptor,
    stride: u32,
    soffset: u32,
    check: Check,
    /// Whether no buffer is bound: loads give 0, stores and atomics are dropped.
    pub is_unbound: bool,
}

/// The units of a lane's bytes that are addressed and checked as a whole.
#[derive(Clone, Copy)]
pub(super) enum Unit {
    /// One or two bytes; or dwords, each with an address and a range check.
    Dwords(u8),
    /// An atomic of 4 or 8 bytes.
    Whole(u8),
    /// An element of a data format.
    Element(u8),
}

/// A range check.
#[derive(Clone, Copy)]
enum Check {
    Never,
    /// The offset in the buffer, with the index, against a number of bytes, which is smaller by SOFFSET.
    Bytes(Limits),
    /// The offset alone against such a number.
    Offset(Limits),
    /// The index against a number of records.
    Index {
        and_offset: bool,
    },
}

#[derive(Clone, Copy)]
struct Limits {
    chosen: u64,
    /// The limit if SOFFSET did not count.
    other: u64,
}

/// Offset and index of a lane.
#[derive(Clone, Copy)]
struct Position {
    /// Sum of both offsets, not wrapped to 32 bits.
    offset: u64,
    index: u32,
}

impl Addressing {
    /// The addressing by `descriptor`. With `extends_stride` the instruction does not use the data format, which
    /// may be a part of the stride.
    pub fn new(
        m: &mut Machine,
        descriptor: BufferDescriptor,
        access: &BufferAccess,
        soffset: u32,
        extends_stride: bool,
    ) -> Addressing {
        let arch = m.arch;
        let is_long = extends_stride && descriptor.extends_stride(arch);
        let stride = if is_long { descriptor.long_stride() } else { descriptor.stride() };
        m.notes.insert_if(descriptor.heap(arch), Note::BufferHeap);
        m.notes.insert_if(descriptor.kind() != 0, Note::BufferType);
        let is_unbound = match access.addr64 {
            true => descriptor.is_null(),
            false => descriptor.data_format() == 0 && !is_long,
        };
        m.notes.insert_if(is_unbound && !descriptor.is_null(), Note::BufferInvalidFormat);
        let mut addressing = Addressing { arch, descriptor, stride, soffset, check: Check::Never, is_unbound };
        if !is_unbound {
            addressing.check = addressing.choose_check(m, access);
        }
        addressing
    }

    fn choose_check(&self, m: &mut Machine, access: &BufferAccess) -> Check {
        let Addressing { arch, descriptor, stride, .. } = *self;
        let (idxen, adds_lane, is_swizzled) = (access.idxen, descriptor.adds_lane(), descriptor.is_swizzled());
        let records = descriptor.num_records() as u64;
        let counted = Limits { chosen: records.saturating_sub(self.soffset as u64), other: records };
        match arch {
            _ if access.addr64 => Check::Never,
            Arch::Gcn10 | Arch::Gcn11 if stride == 0 => Check::Bytes(counted),
            Arch::Gcn10 | Arch::Gcn11 => {
                m.notes.insert_if(!idxen && !adds_lane, Note::BufferOobStrideNoidx);
                Check::Index { and_offset: idxen || adds_lane }
            }
            Arch::Gcn12 | Arch::Gfx810 if stride == 0 || !is_swizzled => Check::Bytes(counted),
            Arch::Gcn12 | Arch::Gfx810 => Check::Index { and_offset: true },
            Arch::Gcn14 | Arch::Gfx904 | Arch::Gcn141 => {
                let odd = if idxen { adds_lane } else { is_swizzled && !adds_lane };
                m.notes.insert_if(odd, Note::BufferOobGfx9Other);
                m.notes.insert_if(idxen && stride == 0, Note::BufferOobGfx9Stride0);
                match (idxen, adds_lane) {
                    (false, true) => Check::Never,
                    (false, false) => Check::Offset(counted),
                    (true, _) if stride == 0 => Check::Never,
                    (true, _) => Check::Index { and_offset: false },
                }
            }
        }
    }

    /// The bytes of a lane that are in range.
    pub fn locate(&self, m: &mut Machine, access: &BufferAccess, lane: u8, unit: Unit) -> Pieces {
        if self.is_unbound {
            return Pieces::NONE;
        }
        let total = unit.bytes();
        let base = self.descriptor.base().wrapping_add(self.soffset as u64);
        let position = match access.addr64 {
            true => Position { offset: 0, index: 0 },
            false => self.position(m, access, lane),
        };
        let long = match access.addr64 {
            true => m.vgpr_pair(access.vaddr, lane).wrapping_add(access.offset as u64),
            false => 0,
        };
        let mut pieces = Pieces::NONE;
        let (mut inside, mut outside) = (false, false);
        for (at, bytes) in unit.components() {
            if !self.has(m, position, at, bytes) {
                outside = true;
                continue;
            }
            inside = true;
            let address = match access.addr64 {
                true => base.wrapping_add(long).wrapping_add(at as u64),
                false => base.wrapping_add(self.buffer_offset(position.advanced(at))),
            };
            pieces.add(Place::Memory, self.aligned(m, address, unit), bytes, at);
        }
        m.notes.insert_if(inside && outside, Note::BufferOobPartial);
        if inside && !access.addr64 {
            self.note_odd_places(m, position, total);
        }
        let start = match access.addr64 {
            true => base.wrapping_add(long),
            // A swizzle moves dwords apart: their offset in the record says where they begin.
            false if self.descriptor.is_swizzled() && matches!(unit, Unit::Dwords(5..)) => position.offset,
            false => base.wrapping_add(self.buffer_offset(position)),
        };
        pieces.beginning_at(start & !self.ignored_bits(unit))
    }

    fn position(&self, m: &mut Machine, access: &BufferAccess, lane: u8) -> Position {
        let vindex = if access.idxen { m.vgpr(access.vaddr, 0, lane) } else { 0 };
        let voffset = if access.offen { m.vgpr(access.vaddr, access.idxen as u8, lane) } else { 0 };
        let added = if self.descriptor.adds_lane() { lane as u32 } else { 0 };
        Position { offset: voffset as u64 + access.offset as u64, index: vindex.wrapping_add(added) }
    }

    /// Offset from base and SOFFSET.
    fn buffer_offset(&self, position: Position) -> u64 {
        // The offset in the record is a sum of 32 bits.
        let (offset, index) = (position.offset as u32 as u64, position.index as u64);
        let stride = self.stride as u64;
        if !self.descriptor.is_swizzled() {
            return index * stride + offset;
        }
        let (element, group) = (self.element_size() as u64, self.descriptor.index_stride() as u64);
        let whole = (index / group) * stride + offset / element * element;
        whole * group + index % group * element + offset % element
    }

    fn element_size(&self) -> u32 {
        self.descriptor.element_size(self.arch)
    }

    /// Whether range checks see the offset of each component as a sum of 32 bits. Those of swizzled buffers before
    /// GCN 1.4 see all 33.
    fn wraps(&self) -> bool {
        self.arch.is_gcn14_or_later() || !self.descriptor.is_swizzled()
    }

    /// Whether the component at byte `c` of a lane's data is in range.
    fn has(&self, m: &mut Machine, position: Position, c: u8, bytes: u8) -> bool {
        let component = position.advanced(c);
        let offset = if self.wraps() { component.offset as u32 as u64 } else { component.offset };
        let (start, limit) = match self.check {
            Check::Never => return true,
            Check::Index { and_offset } => {
                let is_record = position.index < self.descriptor.num_records();
                if !is_record || !and_offset {
                    return is_record;
                }
                let limit = self.stride as u64;
                (offset, Limits { chosen: limit, other: limit })
            }
            Check::Offset(limits) => (offset, limits),
            Check::Bytes(limits) if self.wraps() => (self.buffer_offset(component), limits),
            // An offset that would wrap is out of range. What a swizzle moves is the element as a whole.
            Check::Bytes(_) if position.offset >> 32 != 0 => return false,
            Check::Bytes(limits) => (self.buffer_offset(position) + c as u64, limits),
        };
        let is_inside = start < limit.chosen;
        m.notes.insert_if(is_inside != (start < limit.other), Note::BufferOobSoffset);
        m.notes.insert_if(is_inside && start + bytes as u64 > limit.chosen, Note::BufferOobTail);
        is_inside
    }

    /// The low bits of addresses that GCN 1.0 drops in untyped accesses.
    fn ignored_bits(&self, unit: Unit) -> u64 {
        match unit {
            Unit::Dwords(bytes) if self.arch == Arch::Gcn10 => bytes.min(4) as u64 - 1,
            Unit::Dwords(_) | Unit::Whole(_) | Unit::Element(_) => 0,
        }
    }

    fn aligned(&self, m: &mut Machine, address: u64, unit: Unit) -> u64 {
        if let Unit::Element(bytes) = unit {
            let whole = if bytes == 12 { 4 } else { bytes };
            let alignment = if self.arch == Arch::Gcn10 { whole } else { whole.min(4) };
            m.notes.insert_if(!address.is_multiple_of(alignment as u64), Note::FormatAlign);
        }
        let low_bits = self.ignored_bits(unit);
        m.notes.insert_if(address & low_bits != 0, Note::VmemAlignGfx6);
        address & !low_bits
    }

    fn note_odd_places(&self, m: &mut Machine, position: Position, bytes: u8) {
        let offset = position.offset as u32;
        if self.descriptor.is_swizzled() {
            let element = self.element_size();
            m.notes.insert_if(offset % element + bytes as u32 > element, Note::BufferSwizzleWide);
        } else {
            m.notes.insert_if(self.buffer_offset(position) >> 32 != 0, Note::BufferOffsetWidth);
        }
    }
}

impl Position {
    /// So many bytes further.
    fn advanced(self, bytes: u8) -> Position {
        Position { offset: self.offset + bytes as u64, ..self }
    }
}

impl Unit {
    fn bytes(self) -> u8 {
        match self {
            Unit::Dwords(bytes) | Unit::Whole(bytes) | Unit::Element(bytes) => bytes,
        }
    }

    /// Place in the data and size of what is addressed and checked by itself.
    fn components(self) -> impl Iterator<Item = (u8, u8)> {
        let (total, step) = match self {
            Unit::Dwords(bytes) => (bytes, bytes.min(4)),
            Unit::Whole(bytes) | Unit::Element(bytes) => (bytes, bytes),
        };
        (0..total).step_by(step as usize).map(move |at| (at, step))
    }
}
