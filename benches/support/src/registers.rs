//! Scalar registers as C variables. An aligned pair is one `uint64_t` if the program mostly uses it as one, otherwise
//! two `uint32_t`. A program that computes register numbers keeps all of them in an array.

use gcnsim_isa::{Fx, Inst, Src, reg};

/// The variables for the registers of a program.
pub(crate) struct Registers {
    /// The uses of each aligned pair.
    pairs: [Pair; 64],
    /// Whether all registers are in the array `s`.
    in_array: bool,
}

/// The uses of an aligned pair.
#[derive(Clone, Copy, Default)]
struct Pair {
    /// Number of uses of a half.
    narrow: u32,
    /// Number of uses of the whole.
    wide: u32,
}

impl Pair {
    fn is_used(self) -> bool {
        self.narrow + self.wide != 0
    }

    /// Whether the pair is one variable.
    fn is_whole(self) -> bool {
        self.wide != 0 && self.wide >= self.narrow
    }
}

impl Registers {
    /// Counts how the instructions use the registers.
    pub fn of<'a>(insts: impl Iterator<Item = &'a Inst>) -> Registers {
        let mut registers = Registers { pairs: [Pair::default(); 64], in_array: false };
        for inst in insts {
            let desc = inst.desc();
            registers.in_array |= desc.fx.has(Fx::RSGPRS.or(Fx::WSGPRS));
            for i in 0..inst.src_count() {
                match inst.src(i) {
                    Src::Sgpr(n) => registers.count(n, inst.src_type(i).is_wide()),
                    Src::Vccz => registers.count(reg::VCC_LO, true),
                    Src::Execz => registers.count(reg::EXEC_LO, true),
                    Src::Scc | Src::Imm(_) | Src::Vgpr(_) | Src::LdsDirect => {}
                }
            }
            if let Some(dst) = inst.dst() {
                registers.count(dst, desc.dst.is_wide());
            }
            if desc.fx.has(Fx::REXEC.or(Fx::WEXEC)) {
                registers.count(reg::EXEC_LO, true);
            }
            if desc.fx.has(Fx::RVCC) {
                registers.count(reg::VCC_LO, true);
            }
            if desc.fx.has(Fx::RM0.or(Fx::WM0)) {
                registers.count(reg::M0, false);
            }
        }
        registers
    }

    /// Counts a use of register `code`, or of it and the next one if `wide`.
    fn count(&mut self, code: u8, wide: bool) {
        let pair = &mut self.pairs[code as usize / 2];
        match (wide, code % 2) {
            (true, 0) => pair.wide += 1,
            (true, _) => {
                pair.narrow += 1;
                self.pairs[code as usize / 2 + 1].narrow += 1;
            }
            (false, _) => pair.narrow += 1,
        }
    }

    /// Declarations that load every used register from `st`.
    pub fn declare(&self) -> String {
        if self.in_array {
            return "    uint32_t s[128];\n    memcpy(s, st->sgpr, sizeof s);\n".to_string();
        }
        let mut text = String::new();
        for (lo, pair) in self.used() {
            let hi = lo + 1;
            text += &if pair.is_whole() {
                format!("    uint64_t p{lo} = JOIN(st->sgpr[{lo}], st->sgpr[{hi}]);\n")
            } else {
                format!("    uint32_t s{lo} = st->sgpr[{lo}], s{hi} = st->sgpr[{hi}];\n")
            };
        }
        text
    }

    /// Statements that store the registers.
    pub fn store(&self) -> String {
        if self.in_array {
            return "    memcpy(st->sgpr, s, sizeof s);\n".to_string();
        }
        let mut text = String::new();
        for (lo, pair) in self.used() {
            let hi = lo + 1;
            text += &if pair.is_whole() {
                format!("    st->sgpr[{lo}] = p{lo}; st->sgpr[{hi}] = p{lo} >> 32;\n")
            } else {
                format!("    st->sgpr[{lo}] = s{lo}; st->sgpr[{hi}] = s{hi};\n")
            };
        }
        text
    }

    /// The pairs that are used, with the number of the low register.
    fn used(&self) -> impl Iterator<Item = (usize, Pair)> {
        self.pairs.iter().enumerate().filter(|(_, pair)| pair.is_used()).map(|(i, &pair)| (2 * i, pair))
    }

    /// The expression for a register, a `uint32_t`.
    pub fn read32(&self, code: u8) -> String {
        match code {
            _ if self.in_array => format!("s[{code}]"),
            _ if !self.pairs[code as usize / 2].is_whole() => format!("s{code}"),
            _ if code.is_multiple_of(2) => format!("(uint32_t)p{code}"),
            _ => format!("(uint32_t)(p{} >> 32)", code - 1),
        }
    }

    /// The expression for a register pair, a `uint64_t`.
    pub fn read64(&self, code: u8) -> String {
        if !self.in_array && code.is_multiple_of(2) && self.pairs[code as usize / 2].is_whole() {
            return format!("p{code}");
        }
        format!("JOIN({}, {})", self.read32(code), self.read32(code + 1))
    }

    /// The statement that writes a register. `value` is a `uint32_t` without side effects.
    pub fn write32(&self, code: u8, value: &str) -> String {
        match code {
            _ if self.in_array => format!("s[{code}] = {value};"),
            _ if !self.pairs[code as usize / 2].is_whole() => format!("s{code} = {value};"),
            _ if code.is_multiple_of(2) => format!("p{code} = JOIN({value}, p{code} >> 32);"),
            _ => format!("p{0} = JOIN(p{0}, {value});", code - 1),
        }
    }

    /// The statement that writes a register pair. `value` is a `uint64_t` without side effects.
    pub fn write64(&self, code: u8, value: &str) -> String {
        if !self.in_array && code.is_multiple_of(2) && self.pairs[code as usize / 2].is_whole() {
            return format!("p{code} = {value};");
        }
        let low = self.write32(code, &format!("(uint32_t)({value})"));
        let high = self.write32(code + 1, &format!("(uint32_t)(({value}) >> 32)"));
        format!("{low} {high}")
    }
}
