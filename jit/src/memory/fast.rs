//! Loads and stores of whole dwords (and loads of bytes and shorts) whose active lanes all reach one mapping: where
//! lanes follow each other, all are in one place, or lie anywhere. What is neither is declined, before anything has
//! changed, and goes [lane by lane](super::exchange).
#![allow(unsafe_code)]

use gcnsim_isa::{LANES, Vgpr};
use gcnsim_machine::{Access, Context, Mapping};

use super::element::{Load, Store};
use super::host::{self, Host};
use super::lanes;

/// A lane's address is `base + low + (high << 32)`, with 64 bits.
#[derive(Clone, Copy)]
pub(super) struct Form<'a> {
    /// What all lanes add.
    pub base: u64,
    /// By lane.
    pub low: &'a [u32; LANES],
    /// By lane; 0 if there is none.
    pub high: Option<&'a [u32; LANES]>,
}

/// What the lanes access at their addresses.
#[derive(Clone, Copy)]
pub(super) struct Extent {
    /// Neighbouring bytes.
    pub bytes: u8,
    /// How often, each 256 bytes behind the one before (scratch).
    pub rows: u8,
}

/// Where the lanes' elements are in host memory.
pub(super) struct Located {
    first: *mut u8,
    pattern: Pattern,
}

#[allow(clippy::large_enum_variant, reason = "there is one at a time, on the stack")]
enum Pattern {
    /// Lane i's element is the i-th from the first.
    Consecutive,
    /// All are one.
    Uniform,
    /// So many bytes from the first.
    Scattered([u64; LANES]),
}

/// Calls `f` for the lanes of a mask, ascending.
#[inline(always)]
fn each_lane(mask: u64, f: impl FnMut(usize)) {
    if mask == !0 { (0..LANES).for_each(f) } else { lanes(mask).for_each(f) }
}

/// Replaces the lanes of a mask.
#[inline(always)]
fn blend(register: &mut [u32; LANES], mask: u64, values: impl Fn(usize) -> u32) {
    if mask == !0 {
        *register = std::array::from_fn(values);
    } else {
        let active = expanded(mask);
        for lane in 0..LANES {
            register[lane] = register[lane] & !active[lane] | values(lane) & active[lane];
        }
    }
}

/// Private offsets `low + offset` (of 32 bits) to bytes behind the wave's scratch, where dwords of the lanes lie side
/// by side. Only where elements lie in whole dwords or within one, and near enough.
#[inline(always)]
pub(super) fn interleave(low: &[u32; LANES], offset: u32, mask: u64, bytes: u8) -> Option<[u32; LANES]> {
    let active = expanded(mask);
    let mut odd = 0;
    let behind = std::array::from_fn(|lane| {
        let place = low[lane].wrapping_add(offset);
        odd |= ((place & 3) + (bytes.min(4) as u32) > 4 || place >> 24 != 0) as u32 & active[lane];
        (place >> 2 << 8).wrapping_add(4 * lane as u32 + (place & 3))
    });
    (odd == 0).then_some(behind)
}

/// All bits of the lanes of a mask.
#[inline(always)]
pub(super) fn expanded(mask: u64) -> [u32; LANES] {
    let (low, high) = (mask as u32, (mask >> 32) as u32);
    std::array::from_fn(|lane| {
        let half = if lane < 32 { low } else { high };
        (half >> (lane % 32) & 1).wrapping_neg()
    })
}

/// Have the active lanes `first + step * lane`?
#[inline(always)]
fn is_ramp(values: &[u32; LANES], first: u32, step: u32, mask: u64) -> bool {
    let mut different = 0;
    if mask == !0 {
        for (lane, value) in values.iter().enumerate() {
            different |= value ^ first.wrapping_add(step.wrapping_mul(lane as u32));
        }
    } else {
        let active = expanded(mask);
        for lane in 0..LANES {
            different |= (values[lane] ^ first.wrapping_add(step.wrapping_mul(lane as u32))) & active[lane];
        }
    }
    different == 0
}

/// The mapping at an address, if it holds so many bytes and FLAT windows are far from it.
#[inline(always)]
fn mapping(context: &Context, address: u64, bytes: u64, access: Access) -> Option<(&Mapping, *mut u8)> {
    let (mapping, at) = context.space.find(address, bytes, access)?;
    if let Some(apertures) = context.apertures {
        // OFFSET may move an address into a mapping.
        let range = mapping.base.saturating_sub(1 << 12) >> 32..=(mapping.base + mapping.len) >> 32;
        if range.contains(&(apertures.shared as u64)) || range.contains(&(apertures.private as u64)) {
            return None;
        }
    }
    Some((mapping, mapping.segment.as_ptr().wrapping_add(at)))
}

/// Finds the elements of the lanes of a mask, which is not empty.
#[inline(always)]
pub(super) fn locate(context: &Context, form: Form<'_>, mask: u64, extent: Extent, access: Access) -> Option<Located> {
    let (lowest, highest) = (mask.trailing_zeros(), 63 - mask.leading_zeros());
    let low = form.low[lowest as usize & 63];
    let high = form.high.map_or(0, |high| high[lowest as usize & 63]);
    let address = form.base.wrapping_add(low as u64 | (high as u64) << 32);
    let step = extent.bytes as u32;
    let each = extent.rows as u64 * 256 - 256 + extent.bytes as u64;
    let is_one_page = form.high.is_none_or(|values| is_ramp(values, high, 0, mask));
    let between = step * (highest - lowest);
    if is_one_page
        && low.checked_add(between).is_some()
        && is_ramp(form.low, low.wrapping_sub(step * lowest), step, mask)
    {
        let (_, at) = mapping(context, address, between as u64 + each, access)?;
        return Some(Located { first: at.wrapping_sub((step * lowest) as usize), pattern: Pattern::Consecutive });
    }
    let (mapping, at) = mapping(context, address, each, access)?;
    if is_one_page && is_ramp(form.low, low, 0, mask) {
        return Some(Located { first: at, pattern: Pattern::Uniform });
    }
    scattered(form, mask, mapping, each)
}

/// Elements anywhere in a mapping.
#[inline(always)]
fn scattered(form: Form<'_>, mask: u64, mapping: &Mapping, bytes: u64) -> Option<Located> {
    let from = form.base.wrapping_sub(mapping.base);
    let at: [u64; LANES] = match form.high {
        Some(high) => std::array::from_fn(|lane| from.wrapping_add(form.low[lane] as u64 | (high[lane] as u64) << 32)),
        None => std::array::from_fn(|lane| from.wrapping_add(form.low[lane] as u64)),
    };
    let last = mapping.len - bytes;
    let mut is_outside = 0;
    let active = expanded(mask);
    for lane in 0..LANES {
        is_outside |= (at[lane] > last) as u32 & active[lane];
    }
    let first = mapping.segment.as_ptr().wrapping_add(mapping.offset);
    (is_outside == 0).then_some(Located { first, pattern: Pattern::Scattered(at) })
}

impl Located {
    /// Loads the lanes of a mask to as many registers as the load writes.
    #[inline(always)]
    pub fn load<H: Host>(&self, mask: u64, load: Load, extent: Extent, registers: &mut [Vgpr]) {
        match (load.bytes, extent.rows) {
            (1, _) => self.load_part(mask, load, registers, host::read8),
            (2, _) => self.load_part(mask, load, registers, host::read16),
            (4, _) => self.load_rows::<H, 1>(mask, registers),
            (8, 1) => self.load_wide::<H, 2>(mask, registers),
            (12, 1) => self.load_wide::<H, 3>(mask, registers),
            (16, 1) => self.load_wide::<H, 4>(mask, registers),
            (8, _) => self.load_rows::<H, 2>(mask, registers),
            (12, _) => self.load_rows::<H, 3>(mask, registers),
            _ => self.load_rows::<H, 4>(mask, registers),
        }
    }

    /// Calls `f` with the lanes of a mask, ascending, and the places of their elements of so many bytes.
    #[inline(always)]
    fn each_element(&self, mask: u64, bytes: usize, mut f: impl FnMut(usize, *mut u8)) {
        match &self.pattern {
            Pattern::Consecutive => each_lane(mask, |lane| f(lane, self.first.wrapping_add(lane * bytes))),
            Pattern::Uniform => each_lane(mask, |lane| f(lane, self.first)),
            Pattern::Scattered(at) => each_lane(mask, |lane| f(lane, self.first.wrapping_add(at[lane] as usize))),
        }
    }

    /// Loads bytes or shorts.
    #[inline(always)]
    fn load_part(&self, mask: u64, load: Load, registers: &mut [Vgpr], read: unsafe fn(*const u8) -> u32) {
        let Some(Vgpr(register)) = registers.first_mut() else { return };
        self.each_element(mask, load.bytes as usize, |lane, from| {
            // SAFETY: all elements have been located.
            let value = load.extend(unsafe { read(from) });
            register[lane] = load.part.merge(register[lane], value);
        });
    }

    /// Loads `N` rows of dwords.
    #[inline(always)]
    fn load_rows<H: Host, const N: usize>(&self, mask: u64, registers: &mut [Vgpr]) {
        for (k, Vgpr(register)) in registers.iter_mut().take(N).enumerate() {
            let row = self.first.wrapping_add(256 * k);
            // SAFETY: all elements have been located.
            unsafe {
                match &self.pattern {
                    Pattern::Consecutive if mask == !0 => host::copy_in::<H>(register, row),
                    Pattern::Consecutive => host::copy_in_masked::<H>(register, row, mask),
                    Pattern::Uniform => {
                        let value = host::read32(row);
                        blend(register, mask, |_| value);
                    }
                    Pattern::Scattered(at) => each_lane(mask, |lane| {
                        register[lane] = host::read32(row.wrapping_add(at[lane] as usize));
                    }),
                }
            }
        }
    }

    /// Loads elements of `N` dwords.
    #[inline(always)]
    fn load_wide<H: Host, const N: usize>(&self, mask: u64, registers: &mut [Vgpr]) {
        let Some(registers) = registers.first_chunk_mut::<N>() else { return };
        let mut elements = [[0; N]; LANES];
        // SAFETY: all elements have been located.
        unsafe {
            match &self.pattern {
                Pattern::Uniform => {
                    let element = host::read::<N>(self.first);
                    (0..N).for_each(|k| blend(&mut registers[k].0, mask, |_| element[k]));
                    return;
                }
                Pattern::Consecutive if mask == !0 => host::copy_elements_in::<H, N>(&mut elements, self.first),
                _ => self.each_element(mask, 4 * N, |lane, from| elements[lane] = host::read::<N>(from)),
            }
        }
        (0..N).for_each(|k| blend(&mut registers[k].0, mask, |lane| elements[lane][k]));
    }

    /// Stores the lanes of a mask, ascending, from registers. Returns whether two lanes may have stored different bytes
    /// to one place.
    #[inline(always)]
    pub fn store<H: Host>(&self, mask: u64, store: Store, extent: Extent, registers: &[Vgpr]) -> bool {
        match (store.bytes, extent.rows) {
            (1, _) => self.store_part(mask, store, registers, 0xff, host::read8, host::write8),
            (2, _) => self.store_part(mask, store, registers, 0xffff, host::read16, host::write16),
            (4, _) => self.store_rows::<H, 1>(mask, registers),
            (8, 1) => self.store_wide::<H, 2>(mask, registers),
            (12, 1) => self.store_wide::<H, 3>(mask, registers),
            (16, 1) => self.store_wide::<H, 4>(mask, registers),
            (8, _) => self.store_rows::<H, 2>(mask, registers),
            (12, _) => self.store_rows::<H, 3>(mask, registers),
            _ => self.store_rows::<H, 4>(mask, registers),
        }
    }

    /// Stores bytes or shorts.
    #[inline(always)]
    fn store_part(
        &self,
        mask: u64,
        store: Store,
        registers: &[Vgpr],
        bits: u32,
        read: unsafe fn(*const u8) -> u32,
        write: unsafe fn(*mut u8, u32),
    ) -> bool {
        let Some(Vgpr(register)) = registers.first() else { return false };
        let bytes = store.bytes as usize;
        // SAFETY: all elements have been located.
        self.each_element(mask, bytes, |lane, to| unsafe { write(to, store.shift(register[lane])) });
        let mut different = 0;
        if !matches!(self.pattern, Pattern::Consecutive) {
            self.each_element(mask, bytes, |lane, from| {
                // SAFETY: as above.
                different |= unsafe { read(from) } ^ store.shift(register[lane]) & bits;
            });
        }
        different != 0
    }

    /// Stores `N` rows of dwords.
    #[inline(always)]
    fn store_rows<H: Host, const N: usize>(&self, mask: u64, registers: &[Vgpr]) -> bool {
        let mut different = 0;
        for (k, Vgpr(register)) in registers.iter().take(N).enumerate() {
            let row = self.first.wrapping_add(256 * k);
            // SAFETY: all elements have been located.
            unsafe {
                match &self.pattern {
                    Pattern::Consecutive if mask == !0 => host::copy_out::<H>(row, register),
                    Pattern::Consecutive => host::copy_out_masked::<H>(row, register, mask),
                    Pattern::Uniform => {
                        let last = register[(63 - mask.leading_zeros() as usize) & 63];
                        host::write32(row, last);
                        different |= !is_ramp(register, last, 0, mask) as u32;
                    }
                    Pattern::Scattered(at) => {
                        let place = |lane: usize| row.wrapping_add(at[lane] as usize);
                        each_lane(mask, |lane| host::write32(place(lane), register[lane]));
                        each_lane(mask, |lane| different |= host::read32(place(lane)) ^ register[lane]);
                    }
                }
            }
        }
        different != 0
    }

    /// Stores elements of `N` dwords.
    #[inline(always)]
    fn store_wide<H: Host, const N: usize>(&self, mask: u64, registers: &[Vgpr]) -> bool {
        let Some(registers) = registers.first_chunk::<N>() else { return false };
        let elements: [[u32; N]; LANES] = std::array::from_fn(|lane| std::array::from_fn(|k| registers[k].0[lane]));
        let mut different = 0;
        // SAFETY: all elements have been located.
        unsafe {
            if mask == !0 && matches!(self.pattern, Pattern::Consecutive) {
                host::copy_elements_out::<H, N>(self.first, &elements);
                return false;
            }
            self.each_element(mask, 4 * N, |lane, to| host::write::<N>(to, elements[lane]));
            if !matches!(self.pattern, Pattern::Consecutive) {
                self.each_element(mask, 4 * N, |lane, from| {
                    let found = host::read::<N>(from);
                    (0..N).for_each(|k| different |= found[k] ^ elements[lane][k]);
                });
            }
        }
        different != 0
    }
}
