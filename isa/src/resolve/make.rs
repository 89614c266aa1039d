//! Makes the tables of a [`Resolver`] from the results of `decode`.

use super::{
    DESTINATION_CODES, DESTINATIONS, Entry, Flags, Lead, OPCODES, Operand, Pattern, Resolved, Resolver, SOURCE_CODES,
    SOURCES, Source, SourcePattern, Vop3Pattern,
};
use crate::arch::Arch;
use crate::decode::decode;
use crate::inst::{CodeField, Inst, source_notes};
use crate::notes::Notes;
use crate::operand::{LITERAL, OperandType, Src, is_in_class};
use crate::table::{Flow, Fx, InstDesc, Opcode};

/// Tables of sources that every resolver has. This one leaves everything to `decode`; the next is for absent sources.
const NOTHING: usize = 0;
const ABSENT: usize = 1;

/// The pattern of opcodes that the tables do not have.
const NO_PATTERN: Pattern = Pattern { src: [no_source(NOTHING); 2], dst_mask: 0, dst_table: 0 };

/// A source without an operand code.
const fn no_source(table: usize) -> SourcePattern {
    SourcePattern { shift: 0, mask: 0, ty: OperandType::none, table: (table * SOURCE_CODES) as u16 }
}

/// Class and type of a source.
type Kind = (u8, OperandType);

/// The tables while they are made.
struct Maker {
    arch: Arch,
    leads: [Lead; 512],
    /// Rows of opcodes and their patterns.
    opcodes: Vec<(Option<&'static InstDesc>, Pattern)>,
    vop3: Vec<Option<Vop3Pattern>>,
    sources: Box<[Source; SOURCES]>,
    destinations: Box<[Flags; DESTINATIONS]>,
    /// Class and type of each table of sources, after the tables that every resolver has.
    source_tables: Vec<Kind>,
    /// The properties in which tables of destinations differ.
    destination_tables: Vec<Destinations>,
    /// Classes and types of the sources of compares in VOP3 form, with [`Vop3Pattern::rest`] of these.
    modifiers: Vec<([Kind; 2], [u32; 2])>,
}

/// Instructions with these properties share a table of destinations: the type, whether the instruction is a compare in
/// VOP3 form or writes EXEC too, and the notes that it has whatever its operands.
#[derive(Clone, Copy, PartialEq)]
struct Destinations {
    ty: OperandType,
    is_vop3: bool,
    writes_exec: bool,
    notes: Notes,
}

pub(super) fn resolver<T>(
    arch: Arch,
    none: impl Fn() -> T,
    of_row: impl Fn(&'static InstDesc) -> T,
) -> Box<Resolver<T>> {
    let unknown = Source { value: 0, place: Operand::ABSENT.place, flags: Flags::LEFT_TO_DECODE };
    let mut maker = Maker {
        arch,
        leads: [Lead { start: 0, shift: 0, mask: 0 }; 512],
        // Index 0 stands for no instruction.
        opcodes: vec![(None, NO_PATTERN)],
        vop3: Vec::new(),
        sources: array(std::iter::repeat_n(unknown, SOURCES)),
        destinations: array(std::iter::repeat_n(Flags::of(Notes::NONE), DESTINATIONS)),
        source_tables: Vec::new(),
        destination_tables: Vec::new(),
        modifiers: Vec::new(),
    };
    maker.sources[ABSENT * SOURCE_CODES].flags = Flags::of(Notes::NONE);
    maker.fill();
    let first_vop3 = maker.opcodes.len() - maker.vop3.len();
    let entry = |number: usize| {
        let (row, pattern) = maker.opcodes.get(number).copied().unwrap_or((None, NO_PATTERN));
        Entry { of_user: row.map_or_else(&none, &of_row), pattern }
    };
    Box::new(Resolver {
        arch,
        leads: maker.leads,
        opcodes: array((0..OPCODES).map(entry)),
        vop3: maker.vop3,
        first_vop3,
        sources: maker.sources,
        destinations: maker.destinations,
    })
}

/// Returns an array on the heap. It is never on the stack, whose pages would have to appear first.
fn array<T, const N: usize>(entries: impl Iterator<Item = T>) -> Box<[T; N]> {
    let entries: Vec<T> = entries.collect();
    entries.try_into().unwrap_or_else(|entries: Vec<T>| panic!("{} entries instead of {N}", entries.len()))
}

impl Maker {
    fn fill(&mut self) {
        // `vop3_rest` is where the bits of the opcode number are that do not belong to the leading bits.
        let vop3_rest = if self.arch.is_gcn12_or_later() { (16, 0x7f) } else { (17, 0x3f) };
        for lead in 0..0x180 {
            let (shift, mask) = match lead {
                0x0f8..=0x0fb => (17, 0x3f),
                0x100..=0x17c => (0, 0),
                0x17d => (8, 0xff),
                0x17e | 0x17f => (16, 0x7f),
                _ => continue,
            };
            self.lead(lead, shift, mask, Maker::short);
        }
        // VOP3 opcodes below 256 are compares.
        let (shift, mask) = vop3_rest;
        for lead in (0x1a0..).take(256 / (mask as usize + 1)) {
            self.lead(lead, shift, mask, Maker::vop3);
        }
        assert!(self.opcodes.len() <= OPCODES, "more opcodes than the tables have room for");
    }

    /// Adds all opcodes with the same leading bits.
    fn lead(&mut self, lead: u32, shift: u8, mask: u8, pattern: fn(&mut Maker, u32) -> Pattern) {
        self.leads[lead as usize] = Lead { start: self.opcodes.len() as u16, shift, mask };
        for rest in 0..=mask as u32 {
            // The operands are s0 and v0, and SIMM16 is 0. A second dword, if there is one, is 0.
            let word = lead << 23 | rest << shift;
            let inst = decode(self.arch, word, Some(0)).ok();
            let inst = inst.filter(|inst| inst.desc().encoding.is_core());
            let pattern = pattern(self, word);
            self.opcodes.push((inst.map(|inst| inst.desc()), pattern));
        }
    }

    /// The pattern of an opcode of an encoding with operand codes in the first dword.
    fn short(&mut self, word: u32) -> Pattern {
        self.short_pattern(word).unwrap_or(NO_PATTERN)
    }

    /// The pattern of a compare in VOP3 form.
    fn vop3(&mut self, word: u32) -> Pattern {
        let pattern = self.vop3_pattern(word);
        self.vop3.push(pattern);
        NO_PATTERN
    }

    /// The pattern of the opcode of a dword; `None` if the opcode is left to `decode`.
    fn short_pattern(&mut self, word: u32) -> Option<Pattern> {
        // Opcodes that always have a second dword are left to `decode`.
        let inst = decode(self.arch, word, None).ok()?;
        let notes = inst.static_notes();
        // Notes of SOPK and S_TRAP depend on SIMM16.
        let by_simm16 = matches!(inst.opcode, Opcode::Sopk(_)) && !notes.is_empty() || inst.flow() == Flow::Trap;
        if inst.unsupported().is_some() || by_simm16 {
            return None;
        }
        let desc = inst.desc();
        let mut pattern = Pattern { src: [no_source(ABSENT); 2], ..NO_PATTERN };
        for (i, ty) in desc.src.iter().enumerate() {
            if let Some(CodeField { shift, mask, base }) = CodeField::of_source(desc, i) {
                // Vector registers have the same meaning in all types.
                let ty_of_table = if base == 0 { *ty } else { same_registers(*ty) };
                let table = self.source_table(inst.opcode.core_check()?.src[i], ty_of_table);
                pattern.src[i] = SourcePattern { shift, mask, ty: *ty, table: table + base };
            }
        }
        let is_field = inst.dst().is_some() && !matches!(inst.opcode, Opcode::Vopc(_));
        pattern.dst_mask = if is_field { 0x7f } else { 0 };
        pattern.dst_table = match (is_field, notes.is_empty()) {
            (false, true) => 0,
            _ => self.destination_table(&inst, if is_field { 16 } else { 32 }),
        };
        // The destination of a compare in VOPC form is VCC.
        pattern.dst_table += if is_field { 0 } else { inst.dst().unwrap_or(0) as u16 };
        Some(pattern)
    }

    fn vop3_pattern(&mut self, word: u32) -> Option<Vop3Pattern> {
        let inst = decode(self.arch, word, Some(0)).ok()?;
        let plain = Resolved::of(&inst)?;
        let check = inst.opcode.core_check()?;
        let sources = [0, 1].map(|i| (check.src[i], inst.desc().src[i]));
        let known = self.modifiers.iter().find(|(known, _)| *known == sources);
        let rest = known.map(|&(_, rest)| rest).unwrap_or_else(|| {
            let rest = self.vop3_rest(word, plain);
            self.modifiers.push((sources, rest));
            rest
        });
        let src_tables = sources.map(|(class, ty)| self.source_table(class, ty));
        Some(Vop3Pattern { src_tables, dst_table: self.destination_table(&inst, 0), rest })
    }

    /// The bits of both dwords that are no operand codes, except for ABS and NEG that `decode` accepts in a compare in
    /// VOP3 form whose first dword is `word`. It depends on the classes and types of the sources only. `plain` is the
    /// compare without modifiers.
    fn vop3_rest(&self, word: u32, plain: Resolved) -> [u32; 2] {
        let arch = self.arch;
        let modifiers = |i: usize| (1 << (8 + i), 1u32 << (29 + i));
        let mut rest = [0xff80, 0xfffc_0000];
        for (i, (abs, neg)) in [0, 1].map(modifiers).into_iter().enumerate() {
            let of = |words: [u32; 2]| Resolved::of(&decode(arch, words[0], Some(words[1])).ok()?);
            if of([word | abs, 0]) == Some(Resolved { modifiers: 1 << i, ..plain }) {
                rest[0] &= !abs;
            }
            if of([word, neg]) == Some(Resolved { modifiers: 4 << i, ..plain }) {
                rest[1] &= !neg;
            }
        }
        rest
    }

    /// The beginning of the table of sources of a class and type.
    fn source_table(&mut self, class: u8, ty: OperandType) -> u16 {
        let ty = same_codes(ty);
        let known = self.source_tables.iter().position(|&known| known == (class, ty));
        let start = (ABSENT + 1 + known.unwrap_or(self.source_tables.len())) * SOURCE_CODES;
        if known.is_none() {
            let arch = self.arch;
            let entry = |code: usize| source(arch, code as u32, class, ty);
            self.sources[start..start + SOURCE_CODES]
                .copy_from_slice(&std::array::from_fn::<_, SOURCE_CODES, _>(entry));
            self.source_tables.push((class, ty));
        }
        start as u16
    }

    /// The beginning of the table of destinations for an instruction whose operands are s0. The first dword names the
    /// destination from bit `shift` on.
    fn destination_table(&mut self, inst: &Inst, shift: u32) -> u16 {
        let InstDesc { dst, fx, .. } = *inst.desc();
        let notes = inst.static_notes();
        let like = Destinations { ty: same_registers(dst), is_vop3: shift == 0, writes_exec: fx.has(Fx::WEXEC), notes };
        let known = self.destination_tables.iter().position(|&known| known == like);
        // The first table is for instructions without destination and notes.
        let start = (1 + known.unwrap_or(self.destination_tables.len())) * DESTINATION_CODES;
        if known.is_none() {
            for code in 0..DESTINATION_CODES as u32 {
                let word = inst.words[0] | code.checked_shl(shift).unwrap_or(0);
                let flags = match decode(self.arch, word, Some(inst.words[1])) {
                    Ok(there) => Flags::of(there.static_notes()),
                    Err(_) => Flags::LEFT_TO_DECODE,
                };
                self.destinations[start + code as usize] = flags;
            }
            self.destination_tables.push(like);
        }
        start as u16
    }
}

/// A type whose operand codes have the same meaning, except for the extension of a literal. This keeps the number of
/// tables small, so that they stay in the first-level cache.
fn same_codes(ty: OperandType) -> OperandType {
    match ty {
        OperandType::f16 | OperandType::class16 => ty,
        OperandType::i16 | OperandType::u16 => OperandType::i16,
        _ => same_registers(ty),
    }
}

/// A type whose registers have the same meaning.
fn same_registers(ty: OperandType) -> OperandType {
    if ty.is_wide() { OperandType::b64 } else { OperandType::b32 }
}

/// An operand code as a source of a class and type.
fn source(arch: Arch, code: u32, class: u8, ty: OperandType) -> Source {
    // A literal that raises every note that a literal can raise.
    const LITERAL_DWORD: u32 = 0x8000_0001;
    let src = Src::of_code(code, ty, 0);
    let notes = source_notes(arch, code, ty, LITERAL_DWORD);
    let is_literal = code == LITERAL;
    let flags = match src {
        _ if !is_in_class(arch, code, class) || src == Src::LdsDirect => Flags::LEFT_TO_DECODE,
        _ if is_literal && !notes.is_empty() => Flags::LEFT_TO_DECODE,
        _ if is_literal => Flags::TAKES_LITERAL,
        _ => Flags::of(notes),
    };
    let Operand { value, place } = Operand::of(src);
    Source { value, place, flags }
}
