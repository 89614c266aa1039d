//! Random operands by type.

use gcnsim_isa::encode::Builder;
use gcnsim_isa::{OperandType, reg};

use super::Generator;
use super::values;

/// Special scalar registers: FLAT_SCRATCH or SGPRs, XNACK_MASK, VCC, TBA, TMA or TTMP, M0, EXEC.
const SPECIAL: &[u32] =
    &[102, 103, 104, 105, 106, 106, 106, 107, 108, 109, 110, 111, 112, 115, 124, 124, 126, 126, 127];

/// Special registers that a well-behaved program names.
const TAME_SPECIAL: &[u32] = &[106, 106, 106, 107];

impl Generator {
    /// Returns a register of the pool. If `wide`, it is the first of a pair.
    pub(super) fn pool_register(&mut self, wide: bool) -> u32 {
        let (first, count) = (self.style.pool_first, self.style.pool_count);
        if !wide {
            return first + self.rng.below(count);
        }
        let code = first + self.rng.below(count - 1);
        if self.rng.percent(self.style.odd) {
            return code;
        }
        // An odd code is rounded up, if the pool has that pair, too.
        if code.is_multiple_of(2) {
            code
        } else if code + 2 < first + count {
            code + 1
        } else {
            code & !1
        }
    }

    /// Returns an even pair of the pool, for a value that a construct keeps for a while.
    pub(super) fn pool_pair(&mut self) -> u32 {
        let pairs = self.style.pool_count / 2;
        (self.style.pool_first & !1) + 2 * self.rng.below(pairs.max(1))
    }

    fn any_register(&mut self, wide: bool) -> u32 {
        if self.rng.percent(self.style.special) {
            let codes = if self.style.tame { TAME_SPECIAL } else { SPECIAL };
            let code = self.rng.pick(codes);
            return if wide && self.rng.percent(90) && code != reg::M0 as u32 { code & !1 } else { code };
        }
        if self.rng.percent(self.style.recent) {
            let code = self.rng.pick(&self.recent);
            return match self.rng.below(8) {
                // The other half of the pair, or the pair of the half.
                0 => code ^ 1,
                _ if wide && !self.rng.percent(self.style.odd) => code & !1,
                _ => code,
            };
        }
        self.pool_register(wide)
    }

    /// Draws a destination register, and remembers it as written recently.
    pub(super) fn dst(&mut self, ty: OperandType) -> u32 {
        let mut code = self.any_register(ty.is_wide());
        // Only instructions made for it write EXEC: always in tame programs, mostly in others.
        if code >= reg::EXEC_LO as u32 && (self.style.tame || self.rng.percent(70)) {
            code = self.pool_register(ty.is_wide());
        }
        let slot = self.rng.below(4) as usize;
        self.recent[slot] = code.min(123);
        code
    }

    /// Returns a scalar source. `literal` allows code 255.
    pub(super) fn scalar_src(&mut self, ty: OperandType, literal: bool) -> u32 {
        if !self.rng.percent(self.style.constants) {
            return self.any_register(ty.is_wide());
        }
        self.constant(literal)
    }

    fn constant(&mut self, literal: bool) -> u32 {
        let gcn12 = self.arch().is_gcn12_or_later();
        match self.rng.below(if self.style.tame { 14 } else { 20 }) {
            0..5 => self.rng.between(128, 208),
            5..9 => self.rng.pick(&[128, 129, 130, 159, 160, 192, 193, 208]),
            9..14 if literal => 255,
            14..17 => self.rng.between(240, if gcn12 { 248 } else { 247 }),
            17 | 18 => self.rng.between(251, 253),
            19 if self.arch().is_gcn14_or_later() && self.rng.one_in(4) => self.rng.between(235, 239),
            _ => self.rng.between(128, 192),
        }
    }

    /// Returns a source of a compare. `vgpr_only` is for VSRC1 of the VOPC form.
    pub(super) fn vector_src(&mut self, ty: OperandType, literal: bool, vgpr_only: bool) -> u32 {
        if !vgpr_only && self.rng.percent(35) {
            return self.scalar_src(ty, literal);
        }
        let (first, count) = self.style.vgprs;
        let number = first + self.rng.below(count);
        256 + number.min(256 - ty.dwords().max(1))
    }

    /// Returns a value for a literal.
    pub(super) fn literal(&mut self) -> u32 {
        values::edge32(&mut self.rng)
    }

    /// Returns the instruction with `number` as source `i`: an inline constant or a literal.
    pub(super) fn with_number(&mut self, builder: Builder, i: usize, number: i32) -> Builder {
        match number {
            0..=64 => builder.src(i, 128 + number as u32),
            -16..0 => builder.src(i, (192 - number) as u32),
            _ => builder.src(i, 255).literal(number as u32),
        }
    }
}
