//! Where the bytes of a lane lie in LDS or GDS (docs/gcn/lds.md#address-and-limits).

use gcnsim_isa::{Arch, Note, Notes};
use gcnsim_machine::Place;

use super::{ADDR, Act, Machine, ShareOp};

/// The part of a data share that a wave reaches.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    pub place: Place,
    /// The byte of the share at address 0.
    pub base: u32,
    /// The address after the last one.
    pub limit: u32,
    /// Size of the share in bytes. A window of GDS may be larger than the share.
    len: u32,
    arch: Arch,
}

/// Size of the largest share in bytes.
pub(super) const LARGEST: usize = 64 << 10;

impl Window {
    /// The window of an instruction, by M0 and the generation.
    pub fn new(op: &ShareOp, m: &mut Machine<'_>) -> Window {
        let (whole, m0) = (Window::whole(op, m), m.scalars.m0);
        if op.gds {
            let base = m0 >> 16;
            return Window { base, limit: m0 & 0xffff, ..whole };
        }
        let is_clamped = !op.arch.is_gcn14_or_later();
        Window { limit: if is_clamped { whole.limit.min(m0 & 0x1_ffff) } else { whole.limit }, ..whole }
    }

    /// The window with the whole share.
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

    /// The place of an element of `bytes` bytes at `register + offset`; `None` if it is out of range.
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

    /// The place of `bytes` bytes at the address `at`; `None` if they are not all in range.
    pub fn check(&self, at: u32, bytes: u32, notes: &mut Notes) -> Option<u32> {
        let is_below = self.is_below(at, bytes, notes);
        self.place(is_below, at, bytes)
    }

    /// Whether the element at the address `at` ends below the limit.
    fn is_below(&self, at: u32, bytes: u32, notes: &mut Notes) -> bool {
        let is_below = self.limit >= bytes && at <= self.limit - bytes;
        notes.insert_if(!is_below && at < self.limit, Note::LdsPartialOob);
        is_below
    }

    /// The place of an element, if it is below the limit and inside the share.
    fn place(&self, is_below: bool, at: u32, bytes: u32) -> Option<u32> {
        let place = is_below.then(|| self.base + at)?;
        (place + bytes <= self.len).then_some(place)
    }

    /// The dword at the place `at`, which [`Window::find`] has returned.
    pub fn dword(&self, m: &Machine<'_>, at: u32) -> u32 {
        self.value(m, at, 4) as u32
    }

    /// The 4 or 8 bytes at the place `at`, which [`Window::find`] has returned.
    pub fn value(&self, m: &Machine<'_>, at: u32, bytes: u8) -> u64 {
        let mut value = [0; 8];
        if let Some(found) = m.context.share(self.place, at, bytes.into()) {
            value[..bytes.into()].copy_from_slice(found);
        }
        u64::from_le_bytes(value)
    }

    /// Writes 4 or 8 bytes at the place `at`, which [`Window::find`] has returned.
    pub fn set(&self, m: &mut Machine<'_>, at: u32, bytes: u8, value: u64) {
        m.context.write_share(self.place, at, &value.to_le_bytes()[..bytes.into()]);
    }
}

impl ShareOp {
    /// The address register of `lane`, without the offset.
    pub(super) fn address(&self, m: &mut Machine<'_>, lane: usize) -> u32 {
        match self.act {
            Act::ReadByThread | Act::WriteByThread => (m.scalars.m0 & 0xffff) + 4 * lane as u32,
            _ => m.vgpr(self.sources[ADDR].0, 0, lane),
        }
    }

    /// The place of element 0 or 1 (`which`) of `lane`.
    pub(super) fn place(&self, m: &mut Machine<'_>, window: &Window, lane: usize, which: usize) -> Option<u32> {
        let register = self.address(m, lane);
        window.find(register, self.offsets[which], self.bytes.into(), &mut m.notes)
    }

    /// The 4 or 8 bytes of a data operand of `lane`; 0 if the instruction does not have the operand.
    pub(super) fn value(&self, m: &mut Machine<'_>, source: usize, lane: usize) -> u64 {
        let (first, count) = self.sources[source];
        let low = if count > 0 { m.vgpr(first, 0, lane).into() } else { 0 };
        let high = if count > 1 { u64::from(m.vgpr(first, 1, lane)) << 32 } else { 0 };
        high | low
    }

    /// Writes 4 or 8 bytes of the result of `lane`, from the `n`th result register on.
    pub(super) fn set_result(&self, m: &mut Machine<'_>, n: u8, lane: usize, value: u64) {
        let first = usize::from(self.vdst.0) + usize::from(n);
        m.vgprs[first].0[lane] = value as u32;
        if self.bytes == 8 {
            m.vgprs[first + 1].0[lane] = (value >> 32) as u32;
        }
    }
}
