//! Memory of random programs: buffers, LDS and GDS, and registers that hold addresses and descriptors made for them.
//!
//! Most addresses lie inside a buffer, so that programs go on for a while. Some lie at an edge or outside; how many
//! ([`MemoryStyle::wild`]) is drawn per program.

mod image;
mod inst;

use gcnsim_isa::{Arch, LANES, reg};

use super::values;
use gcnsim_engine::memory_file::{ApertureSpec, LdsSpec, Region};
use gcnsim_engine::state_file::StateSpec;
use gcnsim_machine::VgprFile;
use gcnsim_machine::Wave;
use gcnsim_random::Rng;

/// The memory of a program, and the registers that reach it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MemoryStyle {
    /// Address and size in bytes of each buffer.
    pub regions: Vec<(u64, u32)>,
    /// Size of LDS in bytes.
    pub lds: u32,
    /// Whether there are FLAT addresses that mean LDS and scratch.
    pub apertures: bool,
    /// Whether instructions may use the global data share.
    pub gds: bool,
    /// First of the [`SGPRS`] scalar registers with addresses and descriptors.
    pub sgprs: u32,
    /// First of the [`VGPRS`] vector registers with addresses and data.
    pub vgprs: u32,
    /// Percentage of operands that are any registers, not those made for them.
    pub wild: u32,
    /// Whether there are offsets that wrap: places 2^32 bytes above buffers are mapped, too, with other contents.
    pub wraps: bool,
    /// Whether descriptors are usual ones and everything is aligned for atomics, so that nothing faults.
    pub plain: bool,
    /// A pair of scalar registers with an address divided by 256, to which the bases of images are relative. Kernels
    /// have it, because their buffers have no fixed address.
    pub image_base: Option<u32>,
}

/// Number of scalar registers that a program's memory takes: groups of four, then offsets.
pub const SGPRS: u32 = 4 * QUADS + OFFSETS;
/// Number of groups of four scalar registers. A group whose index is a multiple of 3 has two addresses; any other has a
/// descriptor.
pub(super) const QUADS: u32 = 9;
/// Number of scalar registers with offsets.
const OFFSETS: u32 = 4;
/// Number of vector registers that a program's memory takes.
pub const VGPRS: u32 = 16;

/// Indices of the vector registers with addresses, from the first one.
pub(super) mod place {
    /// Pairs with addresses inside a buffer.
    pub(crate) const INSIDE: [u32; 2] = [0, 2];
    /// A pair with addresses of any kind.
    pub(crate) const ANYWHERE: u32 = 4;
    /// A pair with addresses that mean LDS or scratch, if there are any.
    pub(super) const APERTURE: u32 = 6;
    /// An index, which an offset follows.
    pub(super) const INDEX: u32 = 8;
    /// Offsets inside a buffer.
    pub(super) const OFFSET: u32 = 9;
    /// Offsets inside the scratch of a lane.
    pub(super) const PRIVATE: u32 = 10;
    /// Addresses inside LDS.
    pub(super) const SHARE: u32 = 11;
    /// Addresses at the end of LDS and anywhere.
    pub(super) const SHARE_EDGE: u32 = 12;
    /// The index that stands for any register.
    pub(super) const ANY: u32 = 13;
    /// A pair with 64-bit distances from the start of a buffer.
    pub(super) const DISTANCE: u32 = 14;
}

/// High dwords of FLAT addresses that mean LDS and scratch.
const fn aperture_dwords(arch: Arch) -> [u32; 2] {
    if arch.is_gcn14_or_later() { [0x0001_0000, 0x0002_0000] } else { [0x2000_0000, 0x2000_0001] }
}

/// Scratch of a lane in bytes, if a program has scratch.
pub(super) const PRIVATE_BYTES: u32 = 64;
/// Number of bytes at the end of a buffer in which careful addresses do not begin.
const ROOM: u32 = 48;
/// Number of mapped bytes below a place 2^32 bytes above a buffer: those at offsets that are about to wrap.
const BELOW: u32 = 64;

impl MemoryStyle {
    /// Returns random memory, with its addresses in the registers from `sgprs` and `vgprs` on.
    pub fn random(rng: &mut Rng, arch: Arch, sgprs: u32, vgprs: u32) -> MemoryStyle {
        let first = rng.pick(&[0x2000_0000, 0x20_0000_0000, 0x7fff_0000_0000, 0xffff_8000_0001_0000]);
        let mut next: u64 = first;
        let mut regions = Vec::new();
        for i in 0..rng.between(2, 4) {
            // The first buffer has room for the scratch of a wave.
            let size = if i == 0 { 4096 } else { rng.pick(&[64, 256, 256, 1024, 4096]) };
            let shift = rng.pick(&[0, 0, 0, 0, 256, 16, 4, 1]);
            regions.push((next + shift, size));
            next += rng.pick(&[0x2000, 0x1_0000, 0x1_0000]);
        }
        // Some addresses 2^32 bytes above others are none.
        let plain = rng.one_in(4);
        let wraps = !plain && first != 0x7fff_0000_0000 && rng.one_in(3);
        if wraps {
            let above = |&(base, len): &(u64, u32)| (base + (1 << 32) - BELOW as u64, len + BELOW);
            regions.extend(regions.iter().map(above).collect::<Vec<_>>());
        } else if rng.one_in(8) {
            // The last mapping lies across a multiple of 2^32, or ends where addresses of 48 bits do.
            let end = (first | 0xffff_ffff) + 1;
            regions.push((end - 256, if end == 1 << 47 { 256 } else { 512 }));
        }
        MemoryStyle {
            regions,
            lds: rng.pick(&[256, 512, 1024, 1024, 4096, 4096, 0x8000]),
            apertures: arch != Arch::Gcn10 && rng.percent(60),
            gds: rng.one_in(10),
            sgprs,
            vgprs,
            wild: rng.pick(&[0, 0, 0, 1, 3, 10, 30]),
            wraps,
            plain,
            image_base: None,
        }
    }

    /// Returns a buffer: its address and size.
    fn region(&self, rng: &mut Rng) -> (u64, u32) {
        rng.pick(&self.regions)
    }

    /// Returns the memory with random contents.
    pub fn contents(&self, rng: &mut Rng, arch: Arch) -> StateSpec {
        let [shared, private] = aperture_dwords(arch);
        let mut bytes = |len: u32| {
            let mut bytes: Vec<u8> = (0..len.div_ceil(4)).flat_map(|_| values::edge32(rng).to_le_bytes()).collect();
            bytes.truncate(len as usize);
            bytes
        };
        let memory = self.regions.iter().map(|&(base, len)| Region::new(base, bytes(len))).collect();
        let lds = LdsSpec { size: Some(self.lds), bytes: bytes(self.lds.min(1024)) };
        let gds = self.gds.then(|| LdsSpec { size: None, bytes: bytes(512) });
        let apertures =
            self.apertures.then(|| ApertureSpec { shared, private, hidden_private_base: self.regions[0].0 & !0xff });
        StateSpec { memory, lds: Some(lds), gds, apertures, ..StateSpec::default() }
    }

    /// Puts addresses, descriptors and offsets into the registers of a wave.
    pub fn fill(&self, rng: &mut Rng, arch: Arch, wave: &mut Wave) {
        let sgpr = &mut wave.state.sgpr;
        for quad in 0..QUADS {
            let first = (self.sgprs + 4 * quad) as usize;
            let values = match quad % 3 {
                0 => {
                    let (a, b) = (self.careful(rng), self.address(rng));
                    [a as u32, (a >> 32) as u32, b as u32, (b >> 32) as u32]
                }
                1 => self.descriptor(rng, false),
                _ => self.descriptor(rng, !self.plain),
            };
            sgpr[first..first + 4].copy_from_slice(&values);
        }
        let offsets = (self.sgprs + 4 * QUADS) as usize;
        let small = if self.plain { rng.below(8) * 8 } else { rng.below(64) };
        let values = [rng.below(4) * 8, small, rng.pick(&[0, 4, 60, 252, 4096]), values::edge32(rng)];
        sgpr[offsets..offsets + OFFSETS as usize].copy_from_slice(&values);
        self.fill_scratch(arch, sgpr);
        sgpr[reg::M0 as usize] = self.m0(rng);
        self.fill_vgprs(rng, arch, &mut wave.vgprs);
    }

    /// Sets FLAT_SCRATCH so that scratch is in the first buffer.
    fn fill_scratch(&self, arch: Arch, sgpr: &mut [u32; 128]) {
        let base = self.regions[0].0;
        let first = if arch == Arch::Gcn11 { 104 } else { 102 };
        match arch {
            Arch::Gcn10 => {}
            // The two registers are the scratch of a lane, and the distance from the hidden base in units of 256 bytes.
            Arch::Gcn11 | Arch::Gcn12 | Arch::Gfx810 => {
                (sgpr[first], sgpr[first + 1]) = (PRIVATE_BYTES, !base.is_multiple_of(256) as u32)
            }
            Arch::Gcn14 | Arch::Gfx904 | Arch::Gcn141 => {
                (sgpr[first], sgpr[first + 1]) = (base as u32, (base >> 32) as u32);
            }
        }
    }

    /// Returns a value for M0: no limit of LDS, a limit, or a place in LDS or GDS.
    pub(super) fn m0(&self, rng: &mut Rng) -> u32 {
        match rng.below(8) {
            0..4 => u32::MAX,
            4 => self.lds,
            5 => rng.below(self.lds) & !3,
            6 => rng.below(0x8000) << 16 | rng.below(0x1000),
            _ => values::edge32(rng),
        }
    }

    /// Draws an address with at least [`ROOM`] bytes after it in its buffer, where the buffer is large enough.
    fn careful(&self, rng: &mut Rng) -> u64 {
        let (base, len) = self.region(rng);
        let align = if self.plain { 16 } else { rng.pick(&[4, 4, 16, 256]) };
        let at = rng.below(len.saturating_sub(ROOM) / 2 + 1);
        base + (at - at % align) as u64
    }

    /// Returns an address that lies inside a buffer, at its edges, or anywhere.
    fn address(&self, rng: &mut Rng) -> u64 {
        let (base, len) = self.region(rng);
        match rng.below(12) {
            0 => base.wrapping_sub(rng.between(1, 16) as u64),
            1 => base + len as u64 - rng.between(0, 16).min(len) as u64,
            2 => base,
            3 => rng.bits64(),
            4 => rng.below(0x1000) as u64,
            // The top 16 bits of an address are ignored.
            5 => self.careful(rng) ^ (rng.bits64() & 0xffff << 48),
            _ => self.careful(rng),
        }
    }

    /// Returns a buffer descriptor: a usual one, or one with stride, swizzle, lane numbers, or garbage.
    fn descriptor(&self, rng: &mut Rng, unusual: bool) -> [u32; 4] {
        let (base, len) = self.region(rng);
        let (at, stride) = match unusual {
            false if self.plain => (rng.pick(&[0, 16]), rng.pick(&[0, 0, 16])),
            false => (rng.pick(&[0, 0, 4, 16]), rng.pick(&[0, 0, 0, 4, 16])),
            true => (rng.below(64), rng.pick(&[0, 4, 8, 12, 16, 20, 64, 3, 0x3fff])),
        };
        let room = len - at;
        let records = match rng.below(if unusual { 8 } else { 4 }) {
            // Some generations count records, others bytes.
            0..3 => room / stride.max(1),
            3 => room,
            4 | 5 => rng.below(room),
            6 => 0,
            _ => u32::MAX,
        };
        let base = base + at as u64;
        let formats = (rng.between(1, 14) << 15) | rng.below(8) << 12;
        let selectors = if rng.percent(80) { 0o7654 } else { rng.below(0x1000) };
        let mut last = formats | selectors;
        let mut high = (base >> 32) as u32 & 0xffff | stride << 16;
        if unusual {
            last |= rng.below(32) << 19 & !(1 << 23);
            high |= (rng.percent(30) as u32) << 31;
            last |= (rng.percent(25) as u32) << 23;
            last ^= if rng.one_in(12) { rng.bits() } else { 0 };
        }
        if rng.one_in(40) { [0; 4] } else { [base as u32, high, records, last] }
    }

    fn fill_vgprs(&self, rng: &mut Rng, arch: Arch, file: &mut VgprFile) {
        let [in_lds, in_scratch] = aperture_dwords(arch);
        let mut set = |place: u32, lanes: [u32; LANES]| *file.lanes_mut((self.vgprs + place) as u8) = lanes;
        for pair in place::INSIDE {
            let (base, len) = self.region(rng);
            let offsets = spread(rng, len.saturating_sub(ROOM), self.plain);
            let addresses = offsets.map(|offset| base + offset as u64);
            set(pair, addresses.map(|address| address as u32));
            set(pair + 1, addresses.map(|address| (address >> 32) as u32));
        }
        let addresses: [u64; LANES] = std::array::from_fn(|_| self.address(rng));
        set(place::ANYWHERE, addresses.map(|address| address as u32));
        set(place::ANYWHERE + 1, addresses.map(|address| (address >> 32) as u32));
        let (share, private) =
            (spread(rng, self.lds.saturating_sub(ROOM), self.plain), spread(rng, PRIVATE_BYTES - 16, self.plain));
        let mixed = rng.percent(50);
        let is_private: [bool; LANES] = std::array::from_fn(|_| rng.percent(50) && mixed);
        set(place::APERTURE, std::array::from_fn(|i| if is_private[i] { private[i] } else { share[i] }));
        set(place::APERTURE + 1, is_private.map(|is| if is { in_scratch } else { in_lds }));
        set(place::INDEX, spread(rng, 24, self.plain));
        let room = self.region(rng).1.saturating_sub(ROOM) / 2;
        // Offsets that wrap with what is added to them, or between the dwords of an access.
        let back = if self.wraps { rng.pick(&[0, 4, 8, 12, 16, BELOW]) } else { 0 };
        set(place::OFFSET, spread(rng, room.max(4), self.plain).map(|offset| offset.wrapping_sub(back)));
        set(place::PRIVATE, spread(rng, PRIVATE_BYTES - 16, self.plain));
        set(place::SHARE, spread(rng, self.lds.saturating_sub(ROOM), self.plain));
        let edge = self.lds.saturating_sub(20);
        set(
            place::SHARE_EDGE,
            std::array::from_fn(|_| if rng.one_in(8) { values::edge32(rng) } else { edge + rng.below(24) }),
        );
        set(place::DISTANCE, spread(rng, room.max(4), self.plain));
        set(place::DISTANCE + 1, [0; LANES]);
        set(place::ANY, std::array::from_fn(|_| values::edge32(rng)));
    }
}

/// Draws an offset below `limit` for each lane: in a row, equal, or scattered, mostly aligned.
fn spread(rng: &mut Rng, limit: u32, plain: bool) -> [u32; LANES] {
    let limit = limit.max(1);
    let align = if plain { rng.pick(&[8, 16]) } else { rng.pick(&[1, 2, 4, 4, 4, 8, 8, 16]) };
    let aligned = |offset: u32| offset - offset % align;
    let (first, step) = (rng.below(limit), rng.pick(&[0, 1, 4, 4, 8, 16]));
    let is_row = rng.percent(60);
    std::array::from_fn(|lane| {
        let offset = if is_row { (first + lane as u32 * step) % limit } else { rng.below(limit) };
        aligned(offset)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Programs with offsets that wrap have the bytes at the sum of 32 bits and at the full sum, and they differ.
    #[test]
    fn offsets_wrap_between_two_mapped_places() {
        let mut found = 0;
        for number in 0..200 {
            let mut rng = Rng::new(number);
            let style = MemoryStyle::random(&mut rng, Arch::Gcn11, 8, 8);
            let state = style.contents(&mut rng, Arch::Gcn11);
            let mut wave = Wave::from_state(gcnsim_isa::WaveState::zeroed());
            style.fill(&mut rng, Arch::Gcn11, &mut wave);
            let in_region = |region: &Region, address: u64| {
                let at = usize::try_from(address.checked_sub(region.base)?).ok()?;
                region.bytes.get(at).copied()
            };
            let byte = |address| state.memory.iter().find_map(|region| in_region(region, address));
            let offsets = wave.vgprs.lanes((style.vgprs + place::OFFSET) as u8);
            let has_wrapping = offsets.iter().any(|&offset| offset > u32::MAX - BELOW);
            assert!(style.wraps || !has_wrapping, "{number}");
            if has_wrapping {
                let (base, len) = style.regions[0];
                let both = (0..u64::from(len)).map(|at| [byte(base + at), byte(base + at + (1 << 32))]);
                assert!(both.clone().all(|both| both.iter().all(Option::is_some)), "{number}");
                assert!(both.filter(|both| both[0] != both[1]).count() > 100, "{number}");
                found += 1;
            }
        }
        assert!(found > 10, "{found}");
    }
}
