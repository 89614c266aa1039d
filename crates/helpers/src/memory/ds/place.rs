//! Where the bytes of a lane lie in LDS or GDS (docs/gcn/lds.md#address-and-limits).

use gcnsim_isa::{Arch, Note, Notes};
use gcnsim_machine::Place;

use super::{ADDR, Act, Machine, ShareOp};

/// The part of a share that a wave reaches.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    pub place: Place,
    /// Byte of the share at address 0.
    pub base: u32,
    /// Addresses end here.
    pub limit: u32,
    /// Bytes of the share; a window to GDS may be larger than what is there.
    len: u32,
    arch: Arch,
}

/// All bytes of the largest share.
pub(super) const LARGEST: usize = 64 << 10;

impl Window {
    /// The window of an instruction.
    pub fn new(op: &ShareOp, m: &mut Machine<'_>) -> Window {
        let (whole, m0) = (Window::whole(op, m), m.scalars.m0);
        if op.gds {
            let base = m0 >> 16;
            return Window { base, limit: m0 & 0xffff, ..whole };
        }
        let is_clamped = !op.arch.is_gcn14_or_later();
        Window { limit: if is_clamped { whole.limit.min(m0 & 0x1_ffff) } else { whole.limit }, ..whole }
    }

    /// A window to the whole share.
    pub fn whole(op: &ShareOp, m: &mut Machine<'_>) -> Window {
        let (place, len) = match op.gds {
            true => {
                m.context.make_gds_ready();
                (Place::Gds, m.context.gds.len())
            }
            false => (Place::Lds, m.context.lds.len()),
        };
        let len = len.min(LARGEST) as u32;
        Window { place, base: 0, limit: len, len, arch: op.arch }
    }

    /// The place of an element of so many bytes at `register + offset`; `None` if it is out of range.
    pub fn find(&self, register: u32, offset: u32, bytes: u32, notes: &mut Notes) -> Option<u32> {
        let wanted = register.wrapping_add(offset);
        let at = match self.arch.is_gcn14_or_later() {
            true => wanted,
            false => wanted & !(bytes.next_power_of_two() - 1),
        };
        notes.insert_if(at != wanted, Note::LdsMisaligned);
        let is_below = self.is_below(at, bytes, notes);
        if self.arch == Arch::Gcn10 && register >> 31 == 1 {
            notes.insert_if(is_below, Note::LdsNegativeBase);
            return None;
        }
        self.place(is_below, at, bytes)
    }

    /// The place of so many bytes at an address; `None` if they are not all in range.
    pub fn check(&self, at: u32, bytes: u32, notes: &mut Notes) -> Option<u32> {
        let is_below = self.is_below(at, bytes, notes);
        self.place(is_below, at, bytes)
    }

    /// Does the element at an address end below the limit?
    fn is_below(&self, at: u32, bytes: u32, notes: &mut Notes) -> bool {
        let is_below = self.limit >= bytes && at <= self.limit - bytes;
        notes.insert_if(!is_below && at < self.limit, Note::LdsPartialOob);
        is_below
    }

    /// The place of an element below the limit, if the share has it.
    fn place(&self, is_below: bool, at: u32, bytes: u32) -> Option<u32> {
        let place = is_below.then(|| self.base + at)?;
        (place + bytes <= self.len).then_some(place)
    }

    /// The dword at a place that was found.
    pub fn dword(&self, m: &Machine<'_>, at: u32) -> u32 {
        self.value(m, at, 4) as u32
    }

    /// The 4 or 8 bytes at a place that was found.
    pub fn value(&self, m: &Machine<'_>, at: u32, bytes: u8) -> u64 {
        let mut value = [0; 8];
        if let Some(found) = m.context.share(self.place, at, bytes.into()) {
            value[..bytes.into()].copy_from_slice(found);
        }
        u64::from_le_bytes(value)
    }

    /// Writes 4 or 8 bytes at a place that was found.
    pub fn set(&self, m: &mut Machine<'_>, at: u32, bytes: u8, value: u64) {
        m.context.write_share(self.place, at, &value.to_le_bytes()[..bytes.into()]);
    }
}

impl ShareOp {
    /// The address of a lane, without the offset.
    pub(super) fn address(&self, m: &mut Machine<'_>, lane: usize) -> u32 {
        match self.act {
            Act::ReadByThread | Act::WriteByThread => (m.scalars.m0 & 0xffff) + 4 * lane as u32,
            _ => m.vgpr(self.sources[ADDR].0, 0, lane),
        }
    }

    /// The place of the element at one of the two offsets of a lane.
    pub(super) fn place(&self, m: &mut Machine<'_>, window: &Window, lane: usize, which: usize) -> Option<u32> {
        let register = self.address(m, lane);
        window.find(register, self.offsets[which], self.bytes.into(), &mut m.notes)
    }

    /// The 4 or 8 bytes of a data register of a lane; 0 if there is none.
    pub(super) fn value(&self, m: &mut Machine<'_>, source: usize, lane: usize) -> u64 {
        let (first, count) = self.sources[source];
        let low = if count > 0 { m.vgpr(first, 0, lane).into() } else { 0 };
        let high = if count > 1 { u64::from(m.vgpr(first, 1, lane)) << 32 } else { 0 };
        high | low
    }

    /// Writes 4 or 8 bytes of the result of a lane, from the `n`th register on.
    pub(super) fn set_result(&self, m: &mut Machine<'_>, n: u8, lane: usize, value: u64) {
        let first = usize::from(self.vdst.0) + usize::from(n);
        m.vgprs[first].0[lane] = value as u32;
        if self.bytes == 8 {
            m.vgprs[first + 1].0[lane] = (value >> 32) as u32;
        }
    }
}
