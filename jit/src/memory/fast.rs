//! Loads and stores of whole dwords (and loads of bytes and shorts) whose active lanes all reach one mapping: where lanes
//! follow each other, all are in one place, or lie anywhere. What is neither is declined, before anything has changed, and
//! goes [lane by lane](super::exchange).
#![allow(unsafe_code)]

use gcnsim_isa::{LANES, Vgpr};
use gcnsim_machine::{Access, Context, Mapping};

use super::element::{Load, Part, Store};
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

enum Pattern {
    /// Lane i's element is the i-th from the first.
    Consecutive,
    /// All are one.
    Uniform,
    /// So many bytes from the first.
    Scattered([u64; LANES]),
}

/// Registers of a result, or data of a store, by dword and lane.
pub(super) struct Values([[u32; LANES]; 4]);

impl Values {
    /// Zeros.
    pub const NONE: Values = Values([[0; LANES]; 4]);

    /// The data of a store, if the wave has the registers.
    #[inline(always)]
    pub fn read(vgprs: &[Vgpr], first: u8, store: Store) -> Option<Values> {
        let registers = vgprs.get(first as usize..)?.get(..store.dwords() as usize)?;
        let mut values = Values::NONE;
        for (values, register) in values.0.iter_mut().zip(registers) {
            *values = register.0;
        }
        if store.high {
            values.0[0].iter_mut().for_each(|value| *value >>= 16);
        }
        Some(values)
    }

    /// Writes the result of a load to the registers of the lanes of a mask.
    #[inline(always)]
    pub fn write(&self, vgprs: &mut [Vgpr], first: u8, load: Load, mask: u64) {
        let registers = vgprs.iter_mut().skip(first as usize).take(load.dwords() as usize);
        if load.part != Part::Whole {
            registers.for_each(|register| {
                lanes(mask).for_each(|lane| register.0[lane] = load.part.merge(register.0[lane], self.0[0][lane]));
            });
        } else if mask == !0 {
            registers.zip(&self.0).for_each(|(register, values)| register.0 = *values);
        } else {
            let active = expanded(mask);
            for (register, values) in registers.zip(&self.0) {
                for lane in 0..LANES {
                    register.0[lane] = register.0[lane] & !active[lane] | values[lane] & active[lane];
                }
            }
        }
    }
}

/// Private offsets `low + offset` (of 32 bits) to bytes behind the wave's scratch, where dwords of the lanes lie side by side. Only
/// where elements lie in whole dwords or within one, and near enough.
#[inline(always)]
pub(super) fn interleave(
    low: &[u32; LANES],
    offset: u32,
    mask: u64,
    bytes: u8,
    bytes_behind: &mut [u32; LANES],
) -> bool {
    let active = expanded(mask);
    let mut odd = 0;
    for lane in 0..LANES {
        let place = low[lane].wrapping_add(offset);
        odd |= ((place & 3) + (bytes.min(4) as u32) > 4 || place >> 24 != 0) as u32 & active[lane];
        bytes_behind[lane] = (place >> 2 << 8).wrapping_add(4 * lane as u32 + (place & 3));
    }
    odd == 0
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
        for lane in 0..LANES {
            different |= values[lane] ^ first.wrapping_add(step.wrapping_mul(lane as u32));
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
    if is_one_page && low.checked_add(between).is_some() && is_ramp(form.low, low.wrapping_sub(step * lowest), step, mask) {
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
    let mut at = [0; LANES];
    match form.high {
        Some(high) => {
            for lane in 0..LANES {
                at[lane] = from.wrapping_add(form.low[lane] as u64 | (high[lane] as u64) << 32);
            }
        }
        None => {
            for lane in 0..LANES {
                at[lane] = from.wrapping_add(form.low[lane] as u64);
            }
        }
    }
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
    /// The next row of scratch.
    #[inline(always)]
    fn row(&self, k: usize) -> *mut u8 {
        self.first.wrapping_add(256 * k)
    }

    /// Loads the lanes of a mask. The values of others are anything.
    #[inline(always)]
    pub fn load<H: Host>(&self, mask: u64, load: Load, extent: Extent, Values(values): &mut Values) {
        match (load.bytes, extent.rows) {
            (4, 1) => self.load_dwords::<H, 1>(mask, self.first, values.first_chunk_mut()),
            (8, 1) => self.load_dwords::<H, 2>(mask, self.first, values.first_chunk_mut()),
            (12, 1) => self.load_dwords::<H, 3>(mask, self.first, values.first_chunk_mut()),
            (16, 1) => self.load_dwords::<H, 4>(mask, self.first, values.first_chunk_mut()),
            (4.., rows) => {
                for k in 0..rows as usize {
                    self.load_dwords::<H, 1>(mask, self.row(k), values[k..].first_chunk_mut());
                }
            }
            _ => self.load_part(mask, load, &mut values[0]),
        }
    }

    /// Loads bytes or shorts.
    #[inline(always)]
    fn load_part(&self, mask: u64, load: Load, values: &mut [u32; LANES]) {
        for lane in lanes(mask) {
            let from = self.element(self.first, lane, load.bytes as usize);
            // SAFETY: it has been located.
            let value = unsafe { if load.bytes == 1 { host::read8(from) } else { host::read16(from) } };
            values[lane] = load.extend(value);
        }
    }

    /// The element of a lane.
    #[inline(always)]
    fn element(&self, first: *mut u8, lane: usize, bytes: usize) -> *mut u8 {
        match &self.pattern {
            Pattern::Consecutive => first.wrapping_add(lane * bytes),
            Pattern::Uniform => first,
            Pattern::Scattered(at) => first.wrapping_add(at[lane] as usize),
        }
    }

    /// Loads `N` dwords for each lane.
    #[inline(always)]
    fn load_dwords<H: Host, const N: usize>(&self, mask: u64, first: *mut u8, values: Option<&mut [[u32; LANES]; N]>) {
        let Some(values) = values else { return };
        // SAFETY: all elements have been located.
        unsafe {
            match &self.pattern {
                Pattern::Consecutive if N == 1 && mask == !0 => host::copy_in::<H, N>(values, first),
                Pattern::Consecutive if N == 1 => host::copy_in_masked::<H>(&mut values[0], first, mask),
                Pattern::Consecutive if mask == !0 => {
                    let mut dwords = [[0; LANES]; N];
                    host::copy_in::<H, N>(&mut dwords, first);
                    let dwords = dwords.as_flattened();
                    for lane in 0..LANES {
                        for k in 0..N {
                            values[k][lane] = dwords[N * lane + k];
                        }
                    }
                }
                Pattern::Uniform => {
                    let element = host::read::<N>(first);
                    (0..N).for_each(|k| values[k] = [element[k]; LANES]);
                }
                Pattern::Consecutive => {
                    for lane in lanes(mask) {
                        let element = host::read::<N>(first.wrapping_add(4 * N * lane));
                        (0..N).for_each(|k| values[k][lane] = element[k]);
                    }
                }
                Pattern::Scattered(at) => {
                    for lane in lanes(mask) {
                        let element = host::read::<N>(first.wrapping_add(at[lane] as usize));
                        (0..N).for_each(|k| values[k][lane] = element[k]);
                    }
                }
            }
        }
    }

    /// Stores the lanes of a mask, ascending. Returns whether two lanes may have stored different bytes to one place.
    #[inline(always)]
    pub fn store<H: Host>(&self, mask: u64, store: Store, extent: Extent, Values(values): &Values) -> bool {
        match (store.bytes, extent.rows) {
            (4, 1) => self.store_dwords::<H, 1>(mask, self.first, values.first_chunk()),
            (8, 1) => self.store_dwords::<H, 2>(mask, self.first, values.first_chunk()),
            (12, 1) => self.store_dwords::<H, 3>(mask, self.first, values.first_chunk()),
            (16, 1) => self.store_dwords::<H, 4>(mask, self.first, values.first_chunk()),
            (4.., rows) => (0..rows as usize).fold(false, |overlaps, k| {
                self.store_dwords::<H, 1>(mask, self.row(k), values[k..].first_chunk()) || overlaps
            }),
            (bytes, _) => self.store_part(mask, bytes as usize, &values[0]),
        }
    }

    /// Stores bytes or shorts.
    #[inline(always)]
    fn store_part(&self, mask: u64, bytes: usize, values: &[u32; LANES]) -> bool {
        // SAFETY: all elements have been located.
        unsafe {
            for lane in lanes(mask) {
                let to = self.element(self.first, lane, bytes);
                if bytes == 1 { host::write8(to, values[lane]) } else { host::write16(to, values[lane]) }
            }
            let holds = |lane: usize| {
                let from = self.element(self.first, lane, bytes);
                match bytes {
                    1 => host::read8(from) == values[lane] & 0xff,
                    _ => host::read16(from) == values[lane] & 0xffff,
                }
            };
            !matches!(self.pattern, Pattern::Consecutive) && !lanes(mask).all(holds)
        }
    }

    /// Stores `N` dwords for each lane.
    #[inline(always)]
    fn store_dwords<H: Host, const N: usize>(
        &self,
        mask: u64,
        first: *mut u8,
        values: Option<&[[u32; LANES]; N]>,
    ) -> bool {
        let Some(values) = values else { return false };
        // SAFETY: all elements have been located.
        unsafe {
            match &self.pattern {
                Pattern::Consecutive if N == 1 && mask == !0 => host::copy_out::<H, N>(first, values),
                Pattern::Consecutive if N == 1 => host::copy_out_masked::<H>(first, &values[0], mask),
                Pattern::Consecutive if mask == !0 => {
                    let mut dwords = [[0; LANES]; N];
                    let flat = dwords.as_flattened_mut();
                    for lane in 0..LANES {
                        for k in 0..N {
                            flat[N * lane + k] = values[k][lane];
                        }
                    }
                    host::copy_out::<H, N>(first, &dwords);
                }
                pattern => {
                    for lane in lanes(mask) {
                        let to = self.element(first, lane, 4 * N);
                        host::write::<N>(to, std::array::from_fn(|k| values[k][lane]));
                    }
                    let is_apart = matches!(pattern, Pattern::Consecutive);
                    return !is_apart && !self.holds::<N>(mask, first, values);
                }
            }
        }
        false
    }

    /// Does each lane find what it stored?
    ///
    /// # Safety
    /// All elements have been located.
    #[inline(always)]
    unsafe fn holds<const N: usize>(&self, mask: u64, first: *mut u8, values: &[[u32; LANES]; N]) -> bool {
        let mut different = 0;
        for lane in lanes(mask) {
            // SAFETY: the caller's promise.
            let found = unsafe { host::read::<N>(self.element(first, lane, 4 * N)) };
            (0..N).for_each(|k| different |= found[k] ^ values[k][lane]);
        }
        different == 0
    }
}
