//! Interpolation, exports and LDS_DIRECT.

use gcnsim_isa::table::Sop1;
use gcnsim_isa::{decode, reg};

use super::Generator;

/// Code of source 0 that means LDS_DIRECT.
const LDS_DIRECT: u32 = 254;

impl Generator {
    /// Writes an interpolation, an export, or an instruction with LDS_DIRECT. M0 mostly gets an address in LDS, and a
    /// few primitives.
    pub(super) fn pixel(&mut self) {
        if self.rng.percent(40) {
            let primitives = if self.rng.percent(50) { 0 } else { self.rng.below(0x10000) << 16 };
            let m0 = self.rng.below(256) | primitives;
            let to_m0 = self.new_inst(Sop1::SMovB32).dst(reg::M0.into());
            let to_m0 = self.with_number(to_m0, 0, m0 as i32);
            self.emit(to_m0);
        }
        let words = match self.rng.below(4) {
            0 | 1 => [self.interpolation_word(), 0],
            2 => self.export_words(),
            _ => [self.direct_word(), 0],
        };
        if let Ok(inst) = decode(self.arch(), words[0], Some(words[1]))
            && inst.unsupported().is_none()
        {
            self.asm.inst(&inst);
        }
    }

    /// Returns an instruction of VINTRP.
    fn interpolation_word(&mut self) -> u32 {
        let encoding = if self.arch().is_gcn12_or_later() { 0xd400_0000 } else { 0xc800_0000 };
        let (op, attribute, component) = (self.rng.below(3), self.rng.below(6), self.rng.below(4));
        let source = if op == 2 { self.rng.below(3) } else { self.vgpr(1) };
        encoding | self.vgpr(1) << 18 | op << 16 | attribute << 10 | component << 8 | source
    }

    /// Returns an instruction of EXP.
    fn export_words(&mut self) -> [u32; 2] {
        let encoding = if self.arch().is_gcn12_or_later() { 0xc400_0000 } else { 0xf800_0000 };
        let target = self.rng.pick(&[0, 1, 7, 8, 9, 12, 15, 32, 63]);
        let flags = self.rng.below(8) << 10;
        let sources = [0; 4].map(|_| self.vgpr(1));
        let sources = sources.iter().rev().fold(0, |word, source| word << 8 | source);
        [encoding | flags | target << 4 | self.rng.below(16), sources]
    }

    /// Returns V_MOV_B32, V_ADD_F32, V_READFIRSTLANE_B32 or a compare of LDS_DIRECT.
    fn direct_word(&mut self) -> u32 {
        let add = if self.arch().is_gcn12_or_later() { 1 } else { 3 };
        match self.rng.below(4) {
            0 => 0x7e00_0200 | self.vgpr(1) << 17 | LDS_DIRECT,
            1 => add << 25 | self.vgpr(1) << 17 | self.vgpr(1) << 9 | LDS_DIRECT,
            2 => 0x7e00_0400 | self.pool_register(false) << 17 | LDS_DIRECT,
            // The opcode is a compare of some type on every generation.
            _ => 0x7c00_0000 | self.rng.below(256) << 17 | self.vgpr(1) << 9 | LDS_DIRECT,
        }
    }
}
