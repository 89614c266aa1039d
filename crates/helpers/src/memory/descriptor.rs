//! Addresses and range checks of buffers (docs/gcn/buffers.md).

use gcnsim_isa::buffer::BufferDescriptor;
use gcnsim_isa::{Arch, Note, Notes};

/// The fields of an instruction that decide on its addresses.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mode {
    /// Constant offset in bytes.
    pub offset: u32,
    /// Whether a VGPR holds an index.
    pub idxen: bool,
    /// Whether two VGPRs hold an address, to which everything else is added.
    pub addr64: bool,
    /// Whether the data are untyped. From GCN 1.2 on, an untyped access that adds the lane number takes the data
    /// format field as part of the stride.
    pub is_untyped: bool,
}

/// The components that one lane accesses. Each has a range check of its own.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    /// Number of components, four bytes apart.
    pub components: u8,
    /// Bytes of a component.
    pub bytes: u8,
}

/// A buffer as one instruction addresses it: the values that all lanes share.
#[derive(Clone, Copy, Debug)]
pub(super) struct Buffer {
    /// Base address plus scalar offset.
    pub base: u64,
    /// The scalar offset.
    pub soffset: u32,
    /// Number of records.
    pub records: u32,
    /// Bytes from one index to the next.
    pub stride: u32,
    /// The swizzle of addresses, if the descriptor has one.
    pub swizzle: Option<Swizzle>,
    /// Whether the lane number is added to the index.
    pub adds_lane: bool,
    /// Constant offset in bytes.
    pub offset: u32,
    /// The kind of range check.
    pub check: Check,
    /// Whether the range check sees offsets as sums of 32 bits.
    pub wraps: bool,
}

/// A swizzle: elements of `element` bytes, where those of `indices` neighbouring indices lie side by side.
#[derive(Clone, Copy, Debug)]
pub(super) struct Swizzle {
    pub element: u32,
    pub indices: u32,
}

/// The kind of range check: the value that is compared with the number of records.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Check {
    /// No value: everything is in range.
    Nothing,
    /// The byte in the buffer, with SOFFSET.
    Bytes,
    /// The offset, with SOFFSET, without the index.
    Offset,
    /// The index.
    Index,
    /// The index. The offset is compared with the size of a record, too.
    Record,
}

/// The places of the components of one lane.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spot {
    /// The address of each component in range.
    pub address: [u64; 4],
    /// The address of the first component, in range or not.
    pub first: u64,
    /// Bit n says whether component n is in range.
    pub in_range: u8,
    /// The offset in the record, if a swizzle moves components apart.
    pub offset: Option<u64>,
}

impl Spot {
    /// A lane with all components out of range.
    pub const NONE: Spot = Spot { address: [0; 4], first: 0, in_range: 0, offset: None };
}

impl Swizzle {
    fn place(self, index: u32, stride: u32, offset: u64) -> u64 {
        let (element, indices) = (self.element as u64, self.indices as u64);
        let (index, stride) = (index as u64, stride as u64);
        let row = (index / indices).wrapping_mul(stride).wrapping_add(offset / element * element);
        row.wrapping_mul(indices).wrapping_add(index % indices * element + offset % element)
    }
}

/// Whether no buffer is bound. ADDR64 needs only a base, so for it this means that all bits of the descriptor are
/// 0.
pub(super) fn is_unbound(v: BufferDescriptor, arch: Arch, mode: Mode) -> bool {
    match mode.addr64 {
        true => v.is_null(),
        false => v.data_format() == 0 && !(mode.is_untyped && v.extends_stride(arch)),
    }
}

/// Notes on the descriptor of an instruction with active lanes.
pub(super) fn descriptor_notes(v: BufferDescriptor, arch: Arch, is_unbound: bool) -> Notes {
    let mut notes = Notes::NONE;
    notes.insert_if(v.heap(arch), Note::BufferHeap);
    notes.insert_if(v.kind() != 0, Note::BufferType);
    notes.insert_if(is_unbound && !v.is_null(), Note::BufferInvalidFormat);
    notes
}

impl Buffer {
    /// The buffer of the descriptor `v`. Adds the notes of its range check.
    pub fn new(v: BufferDescriptor, soffset: u32, arch: Arch, mode: Mode, notes: &mut Notes) -> Buffer {
        let is_long = mode.is_untyped && v.extends_stride(arch);
        let stride = if is_long { v.long_stride() } else { v.stride() };
        let swizzle = Swizzle { element: v.element_size(arch), indices: v.index_stride() };
        let linear = !v.is_swizzled() || mode.addr64;
        Buffer {
            base: v.base().wrapping_add(soffset as u64),
            soffset,
            records: v.num_records(),
            stride: if mode.addr64 { 0 } else { stride },
            swizzle: if linear { None } else { Some(swizzle) },
            adds_lane: v.adds_lane() && !mode.addr64,
            offset: mode.offset,
            check: check(v, stride, arch, mode, notes),
            wraps: linear || arch.is_gcn14_or_later(),
        }
    }

    /// The components of `lane`. `index` and `offset` come from registers; the lane number is added here.
    pub fn spot(&self, lane: usize, index: u32, offset: u32, shape: Shape, notes: &mut Notes) -> Spot {
        let index = if self.adds_lane { index.wrapping_add(lane as u32) } else { index };
        let sum = offset as u64 + self.offset as u64;
        let is_apart = self.swizzle.is_some() && shape.components > 1;
        let address = |k| self.base.wrapping_add(self.place(index, sum as u32, k));
        let mut spot = Spot { offset: is_apart.then_some(sum), first: address(0), ..Spot::NONE };
        for k in 0..shape.components {
            if self.is_in_range(index, sum, k, shape, notes) {
                spot.in_range |= 1 << k;
                spot.address[k as usize] = address(k);
            }
        }
        let all = (1 << shape.components) - 1;
        notes.insert_if(spot.in_range != 0 && spot.in_range != all, Note::BufferOobPartial);
        if spot.in_range != 0 {
            self.place_notes(index, sum as u32, shape, notes);
        }
        spot
    }

    /// The components of a lane whose registers hold `address` (ADDR64).
    pub fn spot64(&self, address: u64, shape: Shape) -> Spot {
        let first = self.base.wrapping_add(address).wrapping_add(self.offset as u64);
        let address = std::array::from_fn(|k| first.wrapping_add(4 * k as u64));
        Spot { address, first, in_range: (1 << shape.components) - 1, offset: None }
    }

    /// The byte of component `k` in the buffer. Its offset in the record is a sum of 32 bits.
    fn place(&self, index: u32, offset: u32, k: u8) -> u64 {
        let within = u64::from(offset.wrapping_add(4 * u32::from(k)));
        match self.swizzle {
            Some(swizzle) => swizzle.place(index, self.stride, within),
            None => index as u64 * self.stride as u64 + within,
        }
    }

    fn place_notes(&self, index: u32, offset: u32, shape: Shape, notes: &mut Notes) {
        match self.swizzle {
            Some(Swizzle { element, .. }) => {
                let bytes = 4 * (shape.components as u32 - 1) + shape.bytes as u32;
                notes.insert_if(offset % element + bytes > element, Note::BufferSwizzleWide);
            }
            None => notes.insert_if(self.place(index, offset, 0) >> 32 != 0, Note::BufferOffsetWidth),
        }
    }

    /// Whether component `k` is in range. `offset` has not wrapped.
    fn is_in_range(&self, index: u32, offset: u64, k: u8, shape: Shape, notes: &mut Notes) -> bool {
        let (records, soffset) = (self.records as u64, self.soffset as u64);
        let sum = offset + 4 * k as u64;
        let within = if self.wraps { sum & u64::from(u32::MAX) } else { sum };
        // The first byte, the limit, and the number of these bytes that SOFFSET takes from the buffer.
        let (start, records, soffset) = match self.check {
            Check::Nothing => return true,
            Check::Index => return (index as u64) < records,
            Check::Record if index as u64 >= records => return false,
            Check::Record => (within, self.stride.into(), 0),
            Check::Offset => (within, records, soffset),
            Check::Bytes => match self.swizzle {
                Some(swizzle) => {
                    let element = swizzle.place(index, self.stride, offset);
                    (element.wrapping_add(4 * k as u64), records, soffset)
                }
                None => (index as u64 * self.stride as u64 + within, records, soffset),
            },
        };
        let limit = records.saturating_sub(soffset);
        let is_in_range = start < limit;
        notes.insert_if(is_in_range != (start < records), Note::BufferOobSoffset);
        notes.insert_if(is_in_range && start + shape.bytes as u64 > limit, Note::BufferOobTail);
        is_in_range
    }
}

/// The range check of an instruction (the table of docs/gcn/buffers.md#range-check).
fn check(v: BufferDescriptor, stride: u32, arch: Arch, mode: Mode, notes: &mut Notes) -> Check {
    let (adds_lane, is_swizzled) = (v.adds_lane(), v.is_swizzled());
    if mode.addr64 {
        return Check::Nothing;
    }
    if arch.is_gcn14_or_later() {
        let is_other = if mode.idxen { adds_lane } else { is_swizzled && !adds_lane };
        notes.insert_if(is_other, Note::BufferOobGfx9Other);
        notes.insert_if(mode.idxen && stride == 0, Note::BufferOobGfx9Stride0);
        return match (mode.idxen, adds_lane) {
            (false, true) => Check::Nothing,
            (false, false) => Check::Offset,
            (true, _) if stride == 0 => Check::Nothing,
            (true, _) => Check::Index,
        };
    }
    if arch.is_gcn12_or_later() {
        return if stride == 0 || !is_swizzled { Check::Bytes } else { Check::Record };
    }
    let has_index = mode.idxen || adds_lane;
    notes.insert_if(stride != 0 && !has_index, Note::BufferOobStrideNoidx);
    match (stride, has_index) {
        (0, _) => Check::Bytes,
        (_, true) => Check::Record,
        (_, false) => Check::Index,
    }
}
