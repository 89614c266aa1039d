//! Straight-line code: any row with random operands, and a few idioms.

use gcnsim_isa::encode::Builder;
use gcnsim_isa::table::{Sop1, Sop2, Sopc, Sopk, Sopp};
use gcnsim_isa::{Arch, Encoding, Flow, Form, Mode, Opcode, OperandType, hwreg, reg};

use super::values;
use super::{Generator, Row, Style, core_entries};

const M0: u32 = reg::M0 as u32;
const EXEC: u32 = reg::EXEC_LO as u32;
const VCC: u32 = reg::VCC_LO as u32;

/// Largest number of attempts to draw legal operands.
const ATTEMPTS: usize = 8;

impl Generator {
    /// Writes a random instruction after which control goes on to the next.
    pub(super) fn straight(&mut self) {
        const ENCODINGS: [Encoding; 6] =
            [Encoding::Sop1, Encoding::Sop2, Encoding::Sopc, Encoding::Sopk, Encoding::Sopp, Encoding::Vopc];
        let choice = self.rng.weighted(&self.style.encodings);
        let Some(&encoding) = ENCODINGS.get(choice) else {
            return if choice == Style::MEMORY { self.memory() } else { self.vector() };
        };
        let vop3 = encoding == Encoding::Vopc && self.rng.percent(self.style.vop3);
        let rows = &core_entries()[self.arch() as usize];
        for _ in 0..100 {
            let entry = rows[self.rng.below(rows.len() as u32) as usize];
            let desc = entry.desc;
            let plain = desc.flow == Flow::Next && !desc.unknown;
            if desc.encoding == encoding && entry.vop3 == vop3 && plain && !(self.style.tame && is_odd(desc.opcode)) {
                return self.row(entry.into());
            }
        }
    }

    /// Writes the instruction of a row with random operands. If it computes register numbers, M0 mostly gets a fitting
    /// value.
    pub(super) fn row(&mut self, row: Row) {
        let opcode = row.desc.opcode;
        if matches!(opcode, Opcode::Sop1(Sop1::SMovrelsB32 | Sop1::SMovrelsB64 | Sop1::SMovreldB32 | Sop1::SMovreldB64))
            && self.rng.percent(70)
        {
            let offset = self.rng.below(self.style.pool_count) as i32 & if self.rng.percent(60) { !1 } else { !0 };
            let to_m0 = self.new_inst(Sop1::SMovB32).dst(M0);
            let to_m0 = self.with_number(to_m0, 0, offset);
            self.emit(to_m0);
        }
        for _ in 0..ATTEMPTS {
            let builder = self.operands(row);
            if self.emit(builder) {
                return;
            }
        }
    }

    fn operands(&mut self, row: Row) -> Builder {
        let desc = row.desc;
        let mut builder = self.new_inst(desc.opcode);
        match desc.encoding {
            Encoding::Vopc => return self.compare_operands(builder, row.form == Form::Vop3, desc.src),
            Encoding::Sopp => return builder.simm16(values::simm16(&mut self.rng) & self.sopp_mask(desc.opcode)),
            Encoding::Sopk => {
                let read = desc.src.first().is_some_and(|ty| ty.is_wide());
                let sdst = if desc.dst == OperandType::none { self.scalar_register(read) } else { self.dst(desc.dst) };
                builder = builder.dst(sdst).src(0, sdst).literal(self.literal());
                let field = match desc.opcode {
                    Opcode::Sopk(Sopk::SGetregB32 | Sopk::SSetregB32 | Sopk::SSetregImm32B32) => self.hwreg(),
                    _ => values::simm16(&mut self.rng),
                };
                return builder.simm16(field);
            }
            _ => {}
        }
        let registers_only = !desc.src.is_empty() && is_movrels(desc.opcode);
        let mut sources = [u32::MAX; 2];
        for (i, &ty) in desc.src.iter().enumerate().take(2) {
            let code = if registers_only {
                self.scalar_register(ty.is_wide())
            } else if i == 1 && is_field_extract(desc.opcode) && self.rng.percent(40) {
                255
            } else {
                self.scalar_src(ty, true)
            };
            sources[i] = code;
            builder = builder.src(i, code);
        }
        if desc.dst != OperandType::none {
            // The destination is one of the sources in some instructions, on purpose.
            let alias = self.rng.pick(&sources);
            let dst = if alias < 128 && self.rng.percent(15) { alias } else { self.dst(desc.dst) };
            builder = builder.dst(dst);
        }
        match desc.opcode {
            Opcode::Sopc(Sopc::SSetGprIdxOn) => builder = builder.src(1, self.rng.pick(&[0, 1, 2, 3, 8, 15, 255])),
            // VSKIP is mostly off: a wave that skips vector instructions shows less.
            Opcode::Sopc(Sopc::SSetvskip) if self.rng.percent(60) => builder = builder.src(0, 128),
            _ => {}
        }
        builder.literal(self.literal())
    }

    pub(super) fn scalar_register(&mut self, wide: bool) -> u32 {
        let ty = if wide { OperandType::b64 } else { OperandType::b32 };
        for _ in 0..ATTEMPTS {
            let code = self.scalar_src(ty, false);
            if code < 128 {
                return code;
            }
        }
        self.pool_register(wide)
    }

    pub(super) fn compare_operands(&mut self, mut builder: Builder, vop3: bool, types: &[OperandType]) -> Builder {
        if vop3 {
            builder = builder.vop3().dst(match self.rng.below(10) {
                0 => VCC,
                1 if !self.style.tame => EXEC,
                _ => self.dst(OperandType::b64),
            });
        }
        for (i, &ty) in types.iter().enumerate() {
            builder = builder.src(i, self.vector_src(ty, !vop3, !vop3 && i == 1));
            if vop3 && ty.is_float() {
                builder = if self.rng.percent(25) { builder.abs(i) } else { builder };
                builder = if self.rng.percent(25) { builder.neg(i) } else { builder };
            }
        }
        if vop3 && !self.style.tame {
            builder = if types[0].is_float() && self.rng.one_in(10) { builder.clamp() } else { builder };
            if self.arch().is_gcn14_or_later() && self.rng.one_in(20) {
                builder = builder.op_sel(self.rng.below(16));
            }
        }
        builder.literal(self.literal())
    }

    /// Returns the bits of SIMM16 that may be set: S_SETHALT must not halt the wave.
    fn sopp_mask(&self, opcode: Opcode) -> u16 {
        if opcode == Opcode::Sopp(Sopp::SSethalt) { !1 } else { u16::MAX }
    }

    /// Returns SIMM16 of a hardware register: mostly MODE, STATUS or TRAPSTS, and mostly a field whose write changes
    /// little.
    fn hwreg(&mut self) -> u16 {
        let id = match self.rng.below(20) {
            0..9 => hwreg::MODE,
            9..12 => hwreg::STATUS,
            12..14 => hwreg::TRAPSTS,
            14..19 => self.rng.between(4, 16),
            _ => self.rng.below(64),
        };
        let (offset, size) = match self.rng.below(8) {
            0..4 => (self.rng.below(8), self.rng.between(1, 8)),
            4 if !self.style.tame => (Mode::GPR_IDX_EN_BIT + self.rng.below(5), self.rng.between(1, 3)),
            5 if !self.style.tame => (self.rng.below(32), self.rng.between(1, 32)),
            6 => (self.rng.below(16), self.rng.between(1, 8)),
            _ => (0, if self.style.tame { 8 } else { 32 }),
        };
        ((size - 1) << 11 | offset << 6 | id) as u16
    }

    /// Writes a few instructions that belong together.
    pub(super) fn idiom(&mut self) {
        if !self.style.tame && self.style.encodings[Style::VECTOR] > 0 && self.rng.percent(40) {
            return self.vector_idiom();
        }
        let has_index_mode = self.arch() >= Arch::Gcn12;
        if self.style.tame && has_index_mode && self.style.encodings[Style::VECTOR] > 0 && self.rng.percent(40) {
            return self.array_move();
        }
        match self.rng.below(6) {
            0 | 1 => self.carry_chain(),
            2 if !self.style.tame => self.revive_exec(),
            3 => {
                // The idiom is a condition that selects one of two values.
                self.scalar_compare();
                let select = self.rng.pick(&[Sop2::SCselectB32, Sop2::SCselectB64]);
                let ty = Opcode::from(select).desc().dst;
                let select = self.two_sources(self.new_inst(select), ty);
                let dst = self.dst(ty);
                self.emit(select.dst(dst));
            }
            4 => {
                let mask = self.new_inst(Sop2::SAndB64).dst(VCC).src(0, EXEC);
                let code = self.scalar_src(OperandType::b64, false);
                self.emit(mask.src(1, code));
            }
            _ if self.style.tame => self.carry_chain(),
            _ => {
                let number = self.rng.below(20) as i32;
                let to_m0 = self.new_inst(Sop1::SMovB32).dst(M0);
                let to_m0 = self.with_number(to_m0, 0, number);
                self.emit(to_m0);
            }
        }
    }

    /// Writes a scalar compare of two integers.
    pub(super) fn scalar_compare(&mut self) {
        let compares = [Sopc::SCmpLtU32, Sopc::SCmpGtI32, Sopc::SCmpEqU32, Sopc::SCmpLgI32, Sopc::SCmpGeU32];
        let compare = self.rng.pick(&compares);
        let compare = self.two_sources(self.new_inst(compare), OperandType::b32);
        self.emit(compare);
    }

    fn two_sources(&mut self, builder: Builder, ty: OperandType) -> Builder {
        let (s0, s1) = (self.scalar_src(ty, true), self.scalar_src(ty, true));
        builder.src(0, s0).src(1, s1).literal(self.literal())
    }

    /// Writes a 64- to 128-bit addition or subtraction over neighbouring registers. Operands may overlap.
    fn carry_chain(&mut self) {
        let (first, rest) = self.rng.pick(&[
            (Sop2::SAddU32, Sop2::SAddcU32),
            (Sop2::SSubU32, Sop2::SSubbU32),
            (Sop2::SAddU32, Sop2::SSubbU32),
        ]);
        let dst = self.pool_register(true);
        let sources = [self.scalar_src(OperandType::b64, false), self.scalar_src(OperandType::b64, false)];
        let last = self.style.pool_first + self.style.pool_count - 1;
        for i in 0..self.rng.between(2, 4) {
            if dst + i > last {
                break;
            }
            let mut add = self.new_inst(if i == 0 { first } else { rest }).dst(dst + i);
            for (k, code) in sources.into_iter().enumerate() {
                let next = match code {
                    // The next part of a constant is mostly its sign.
                    128.. if i > 0 => self.rng.pick(&[128, 128, 193, code]),
                    128.. => code,
                    _ => (code + i).min(107),
                };
                add = add.src(k, next);
            }
            self.emit(add);
            if self.rng.one_in(12) {
                self.straight();
            }
        }
    }

    /// Writes code that activates lanes again.
    pub(super) fn revive_exec(&mut self) {
        let to_exec = self.new_inst(Sop1::SMovB64).dst(EXEC);
        let code = self.rng.pick(&[193, 193, VCC, 129]);
        let builder = match self.rng.below(4) {
            0 if !self.style.tame => {
                let pair = self.pool_register(true);
                self.new_inst(Sop2::SOrB64).dst(EXEC).src(0, EXEC).src(1, pair)
            }
            1 => self.new_inst(Sop1::SNotB64).dst(EXEC).src(0, 128),
            _ => to_exec.src(0, code),
        };
        self.emit(builder);
    }
}

/// Whether well-behaved programs avoid the instruction.
pub(super) fn is_odd(opcode: Opcode) -> bool {
    match opcode {
        Opcode::Sop1(op) => {
            opcode.desc().fx.has(gcnsim_isa::Fx::WEXEC)
                || matches!(
                    op,
                    Sop1::SMovrelsB32
                        | Sop1::SMovrelsB64
                        | Sop1::SMovreldB32
                        | Sop1::SMovreldB64
                        | Sop1::SMovFedB32
                        | Sop1::SSetGprIdxIdx
                )
        }
        Opcode::Sopc(op) => matches!(op, Sopc::SSetvskip | Sopc::SSetGprIdxOn),
        Opcode::Sopk(op) => matches!(op, Sopk::SSetregB32),
        Opcode::Sopp(op) => !matches!(op, Sopp::SNop | Sopp::SWaitcnt | Sopp::SBarrier | Sopp::SSetprio),
        Opcode::Vopc(op) => op.cmp().writes_exec,
        _ => false,
    }
}

fn is_movrels(opcode: Opcode) -> bool {
    matches!(opcode, Opcode::Sop1(Sop1::SMovrelsB32 | Sop1::SMovrelsB64))
}

fn is_field_extract(opcode: Opcode) -> bool {
    matches!(opcode, Opcode::Sop2(Sop2::SBfeU32 | Sop2::SBfeI32 | Sop2::SBfeU64 | Sop2::SBfeI64))
}
