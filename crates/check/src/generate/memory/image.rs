//! Image instructions, with descriptors and coordinates that are made right before them.

use gcnsim_isa::table::{Atomic, ImageMove, Sop1, Sop2, Vop1, Vop2};
use gcnsim_isa::{Arch, Encoding, Inst, Opcode, decode};

use super::super::Generator;
use super::super::rows::{Row, with_idle_fields};
use super::MemoryStyle;
use gcnsim_random::Rng;

/// Number of times that fields are drawn until they are legal.
const ATTEMPTS: usize = 12;

/// Index of the first register of an image descriptor, and of a sampler, among the scalar registers of a program's
/// memory.
const IMAGE: u32 = 12;
const SAMPLER: u32 = 20;

/// Whether a row is an atomic on an image.
fn is_atomic(row: Row) -> bool {
    matches!(row.desc.opcode, Opcode::Mimg(op) if matches!(op.shape().moves, ImageMove::Atomic(_)))
}

/// Whether a row is an image instruction.
pub(super) fn is_image(row: Row) -> bool {
    row.desc.encoding == Encoding::Mimg
}

impl Generator {
    /// Writes the instruction of a row.
    pub(super) fn image_row(&mut self, row: Row, style: &MemoryStyle) {
        let Some(inst) = self.image_inst(row, style) else { return };
        let Some(access) = inst.image_access() else { return };
        let (image, sampler) = (style.sgprs + IMAGE, style.sgprs + SAMPLER);
        let is_kernel = style.image_base.is_some();
        if access.srsrc as u32 == image && (self.rng.percent(80) || is_kernel) {
            let words = style.image(&mut self.rng, row.arch, is_atomic(row));
            self.scalars(image, &words);
            style.image_base.inspect(|&base| self.add_base(image, base));
        }
        if access.ssamp as u32 == sampler && (self.rng.percent(60) || is_kernel) {
            let words = sampler_words(&mut self.rng);
            self.scalars(sampler, &words);
        }
        if self.rng.percent(80) {
            self.coordinates(row, access.vaddr as u32);
        }
        self.asm.inst(&inst);
    }

    /// Adds an address divided by 256, in the pair `base`, to the base address of an image descriptor.
    fn add_base(&mut self, image: u32, base: u32) {
        self.emit(self.new_inst(Sop2::SAddU32).dst(image).src(0, image).src(1, base));
        self.emit(self.new_inst(Sop2::SAddcU32).dst(image + 1).src(0, image + 1).src(1, base + 1));
    }

    /// Moves constants to scalar registers.
    fn scalars(&mut self, first: u32, words: &[u32]) {
        for (code, word) in (first..).zip(words) {
            let to = self.new_inst(Sop1::SMovB32).dst(code);
            let to = self.with_number(to, 0, *word as i32);
            self.emit(to);
        }
    }

    /// Writes code that makes the address registers small numbers: integers, or floats around 0 .. 1.
    fn coordinates(&mut self, row: Row, first: u32) {
        let is_lookup = match row.desc.opcode {
            Opcode::Mimg(op) => op.shape().sampler,
            _ => return,
        };
        for n in (first..256).take(self.rng.between(1, 5) as usize) {
            let mask = if is_lookup { 63 } else { self.rng.pick(&[3, 7, 7, 15]) };
            self.vector_word(Vop2::VAndB32.into(), n, 128 + mask, n, None);
            if is_lookup {
                self.vector_word(Vop1::VCvtF32U32.into(), n, 256 + n, 0, None);
                let scale = self.rng.pick(&[0.03125f32, 0.021, 0.25, -0.125, 1.0]);
                self.vector_word(Vop2::VMulF32.into(), n, 255, n, Some(scale.to_bits()));
            }
        }
    }

    /// Writes an instruction of VOP1 or VOP2.
    fn vector_word(&mut self, opcode: Opcode, to: u32, source: u32, second: u32, literal: Option<u32>) {
        let arch = self.arch();
        let Some(op) = opcode.desc().opcode_on(arch).map(u32::from) else { return };
        let word = match opcode {
            Opcode::Vop1(_) => 0x7e00_0000 | to << 17 | op << 9 | source,
            _ => op << 25 | to << 17 | second << 9 | source,
        };
        if let Ok(inst) = decode(arch, word, literal) {
            self.asm.inst(&inst);
        }
    }

    /// Returns the instruction of a row with random fields; `None` if no attempt gives a legal one.
    pub(super) fn image_inst(&mut self, row: Row, style: &MemoryStyle) -> Option<Inst> {
        let Opcode::Mimg(mimg) = row.desc.opcode else { return None };
        let op = u32::from(row.desc.opcode_on(row.arch)?);
        (0..ATTEMPTS).find_map(|_| {
            let dmask = match mimg.shape().moves {
                // In kernels without faults the elements of images have 32 bits.
                ImageMove::Atomic(Atomic::Cmpswap | Atomic::Fcmpswap) if style.is_confined() => 3,
                ImageMove::Atomic(_) if style.is_confined() => 1,
                ImageMove::Atomic(_) => self.rng.pick(&[1, 1, 3, 3, 15]),
                ImageMove::Gather(_) if self.rng.percent(90) => 1 << self.rng.below(4),
                _ if self.rng.percent(50) => 15,
                _ => self.rng.below(16),
            };
            let mut words = [0xf000_0000 | op << 18 | dmask << 8, 0];
            for (bit, percent) in [(12, 30), (13, 50), (14, 30), (15, 15), (16, 10), (17, 5)] {
                words[0] |= (self.rng.percent(percent) as u32) << bit;
            }
            let (image, sampler) = match self.is_wild(style) {
                true => (4 * self.rng.below(24), 4 * self.rng.below(25)),
                false => (style.sgprs + IMAGE, style.sgprs + SAMPLER),
            };
            let sampler = if mimg.shape().sampler { sampler } else { 0 };
            let (address, data) = (self.vgpr(4), self.data_vgpr(5));
            let d16 = mimg.shape().d16 && row.arch.is_gcn12_or_later() && self.rng.percent(20);
            words[1] = address | data << 8 | (image / 4) << 16 | (sampler / 4) << 21 | (d16 as u32) << 31;
            let inst = decode(row.arch, words[0], Some(words[1])).ok()?;
            let inst = if self.style.tame { inst } else { with_idle_fields(&inst) };
            (inst.opcode == row.desc.opcode && inst.unsupported().is_none()).then_some(inst)
        })
    }
}

impl MemoryStyle {
    /// Whether images stay within 4 KiB and nothing faults, as in orderly kernels.
    fn is_confined(&self) -> bool {
        self.plain && self.image_base.is_some()
    }

    /// Returns an image descriptor: of a small image in a buffer, or one whose fields have any values.
    pub(super) fn image(&self, rng: &mut Rng, arch: Arch, is_atomic: bool) -> [u32; 8] {
        const EXTREMES: [u32; 4] = [0, u32::MAX, 0x8000_0000, 0x7fff_ffff];
        if !self.plain && rng.one_in(8) {
            return std::array::from_fn(|_| if rng.percent(40) { rng.pick(&EXTREMES) } else { rng.bits() });
        }
        let (base, _) = self.region(rng);
        let base = base.next_multiple_of(256);
        let is_old = !arch.is_gcn14_or_later();
        let number = rng.pick(&[0, 0, 0, 4, 4, 7, 7, 1, 2, 3, 5, 9, 6]);
        let data = match number {
            7 => rng.pick(&[4, 14, 12, 2, 5, 34, 22]),
            _ if rng.percent(40) => 10,
            _ if rng.percent(70) => rng.pick(&[1, 2, 3, 4, 5, 8, 9, 16, 17, 18, 19, 20, 21, 57, 58, 6, 7]),
            _ => rng.pick(&[35, 36, 37, 38, 39, 40, 41, 13, 11, 63, 0]),
        };
        let (data, number) = if self.is_confined() && is_atomic { (4, 4) } else { (data, number) };
        let kind = if rng.percent(50) || self.is_confined() { 9 } else { rng.between(8, 15) };
        let (width, height) = (rng.below(8), rng.below(8));
        let levels = if rng.percent(60) || self.is_confined() { 0 } else { rng.below(3) | rng.below(4) << 4 };
        let selectors = if rng.percent(80) { 0xfac } else { rng.below(0x1000) };
        let linear = if is_old { 8 } else { 0 };
        let tiling = if rng.one_in(8) && !self.is_confined() { rng.below(32) } else { linear };
        let padding = u32::from(is_old && rng.one_in(2)) << 25;
        let (depth, last) = (rng.below(3), rng.below(3));
        let mut words = [
            (base >> 8) as u32,
            (base >> 40) as u32 & 0xff | data << 20 | number << 26,
            width | height << 14,
            selectors | levels << 12 | tiling << 20 | padding | kind << 28,
            depth | rng.pick(&[7, 7, 3, 15]) << 13,
            if is_old { last << 13 } else { last << 28 },
            0,
            0,
        ];
        if !self.plain && rng.one_in(6) {
            // A field of the descriptor becomes 0 or its greatest value.
            let (word, low, bits) = rng.pick(&[
                (1, 8, 12),
                (2, 0, 14),
                (2, 14, 14),
                (3, 12, 8),
                (4, 0, 13),
                (4, 13, 14),
                (5, 0, 13),
                (6, 21, 1),
            ]);
            words[word] |= ((1 << bits) - 1) << low;
        }
        words
    }
}

/// Returns a sampler descriptor.
fn sampler_words(rng: &mut Rng) -> [u32; 4] {
    let first = match rng.below(4) {
        0 => rng.bits(),
        1 => 0o222,
        _ => rng.below(0o1000) | rng.below(8) << 12 | rng.pick(&[0, 0, 1 << 15, 1 << 27, 1 << 28, 1 << 29, 2 << 29]),
    };
    let lods = if rng.percent(70) { 0xfff << 12 } else { rng.bits() };
    let bias = if rng.percent(70) { 0 } else { rng.below(0x4000) };
    [first, lods, bias | rng.below(0x100) << 20, rng.below(4) << 30]
}
