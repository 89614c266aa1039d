//! Instructions with their operands resolved, by lookup.
//!
//! [`decode`] and the accessors of [`Inst`] define what dwords mean. A [`Resolver`] says the same of what a wave executes, some ten
//! times quicker, from tables that are made of that definition when a generation is first met: most shaders of a batch run
//! once, so that decoding them is most of the work. An instruction takes a few lookups and no branch that depends on it:
//! its leading bits and opcode give its row and a [`Pattern`], which says where its operand codes are and in which tables to
//! find them. What is out of the ordinary (notes, illegal operands, VOP3 forms) the tables leave to `decode`. They are small, so
//! that they stay in the first-level cache.

use std::fmt;
use std::sync::OnceLock;

use crate::arch::Arch;
use crate::decode::decode;
use crate::inst::{CodeField, Inst};
use crate::notes::{Notes, source_notes};
use crate::operand::{LITERAL, OperandType, Src, is_in_class, literal_value};
use crate::table::{Fx, Opcode};

/// What a source is. The numbers are for [`SourcePlace::shapes`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum SourceKind {
    /// A scalar register or pair.
    Sgpr = 0b00_00,
    /// A constant.
    Imm = 0b10_01,
    /// 1 if VCC = 0.
    Vccz = 0b00_11_11,
    /// 1 if EXEC = 0.
    Execz = 0b01_11_11,
    /// The SCC bit.
    Scc = 0b10_11_11,
    /// A vector register or pair.
    Vgpr = 0b11_11_11,
}

/// Where a source is: its kind, and the operand code of a scalar register or the number of a vector register. In one number, because it
/// is copied so often.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct SourcePlace(u16);

impl SourcePlace {
    /// Of what has no register.
    pub const fn of_kind(kind: SourceKind) -> SourcePlace {
        SourcePlace::new(kind, 0)
    }

    const fn new(kind: SourceKind, number: u8) -> SourcePlace {
        SourcePlace((kind as u16) << 8 | number as u16 & 127 | (number as u16 & 128) << 7)
    }

    /// In two bytes: bits 6 to 0 of the number, and all the rest.
    #[inline(always)]
    pub const fn to_bytes(self) -> [u8; 2] {
        self.0.to_le_bytes()
    }

    /// From [`SourcePlace::to_bytes`].
    #[inline(always)]
    pub const fn from_bytes(bytes: [u8; 2]) -> SourcePlace {
        SourcePlace(u16::from_le_bytes(bytes))
    }

    /// Kind.
    #[inline(always)]
    pub fn kind(self) -> SourceKind {
        use SourceKind::{Execz, Imm, Scc, Sgpr, Vccz, Vgpr};
        let kinds = [Sgpr, Imm, Vccz, Execz, Scc];
        kinds.into_iter().find(|&kind| self.is(kind)).unwrap_or(Vgpr)
    }

    /// Operand code or number.
    #[inline(always)]
    pub fn number(self) -> u8 {
        (self.0 & 127 | self.0 >> 7 & 128) as u8
    }

    /// Is it of this kind?
    #[inline(always)]
    pub fn is(self, kind: SourceKind) -> bool {
        self.0 >> 8 & 0x3f == kind as u16
    }

    /// Tells the shapes of two sources apart: 0 two scalar registers, 1 a constant and a register, 2 a register and a
    /// constant, 3 all others. No branches, for nobody can guess what comes.
    #[inline(always)]
    pub fn shapes(src: [SourcePlace; 2]) -> usize {
        (src[0].0 as usize >> 8 | src[1].0 as usize >> 10) & 3
    }
}

impl fmt::Debug for SourcePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} {}", self.kind(), self.number())
    }
}

/// A source operand: [`Src`] taken apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Operand {
    /// Where it is.
    pub place: SourcePlace,
    /// Value of a constant, otherwise 0.
    pub value: u64,
}

impl Operand {
    /// What stands for a source that an instruction does not have.
    pub const ABSENT: Operand = Operand { place: SourcePlace::of_kind(SourceKind::Sgpr), value: 0 };

    fn of(src: Src) -> Operand {
        let (kind, number, value) = match src {
            Src::Sgpr(code) => (SourceKind::Sgpr, code, 0),
            Src::Vgpr(number) => (SourceKind::Vgpr, number, 0),
            Src::Imm(value) => (SourceKind::Imm, 0, value),
            Src::Vccz => (SourceKind::Vccz, 0, 0),
            Src::Execz => (SourceKind::Execz, 0, 0),
            Src::Scc => (SourceKind::Scc, 0, 0),
            // Not executed (`Inst::unsupported`).
            Src::LdsDirect => (SourceKind::Imm, 0, 0),
        };
        Operand { place: SourcePlace::new(kind, number), value }
    }
}

/// An instruction that a wave can execute, with its operands resolved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Resolved {
    /// Position of its row in [`crate::table::core_rows`].
    pub row: u16,
    /// Length in dwords, 1 or 2.
    pub words: u8,
    /// Operand code of the destination, 0 if there is none.
    pub dst: u8,
    /// ABS of sources 0 and 1 (bits 0 and 1) and NEG (bits 2 and 3).
    pub modifiers: u8,
    /// Sources.
    pub src: [Operand; 2],
    /// [`Inst::static_notes`].
    pub notes: Notes,
}

impl Resolved {
    /// The same from a decoded instruction; `None` if it is not executed.
    fn of(inst: &Inst) -> Option<Resolved> {
        if inst.unsupported().is_some() {
            return None;
        }
        let modifier = |i: usize| (inst.abs(i) as u8) << i | (inst.neg(i) as u8) << (2 + i);
        let src = [0, 1].map(|i| if i < inst.src_count() { Operand::of(inst.src(i)) } else { Operand::ABSENT });
        Some(Resolved {
            row: inst.opcode.core_number()? as u16,
            words: (inst.size() / 4) as u8,
            dst: inst.dst().unwrap_or(0),
            modifiers: modifier(0) | modifier(1),
            src,
            notes: inst.static_notes(),
        })
    }
}

/// Tables for one generation.
pub struct Resolver {
    arch: Arch,
    /// By the nine leading bits of an instruction.
    leads: [Lead; 512],
    opcodes: [OpcodeEntry; OPCODES],
    patterns: [Pattern; PATTERNS],
    /// Tables of operands by operand code, one after the other.
    sources: [Source; SOURCES],
    /// Tables of destinations by operand code: what is unusual about them.
    destinations: [u8; DESTINATIONS],
}

/// Room for what the tables hold; a test says that it is enough.
const OPCODES: usize = 1024;
const PATTERNS: usize = 64;
const SOURCES: usize = 32 * SOURCE_CODES;
const DESTINATIONS: usize = 8 * DESTINATION_CODES;

/// Length of a table.
const SOURCE_CODES: usize = 512;
const DESTINATION_CODES: usize = 128;

/// Where the opcodes of instructions with the same leading bits are, and where these have further bits of it.
#[derive(Clone, Copy)]
struct Lead {
    start: u16,
    shift: u8,
    mask: u8,
}

#[derive(Clone, Copy)]
struct OpcodeEntry {
    row: u16,
    pattern: u8,
}

/// What is to be known of the operands of an opcode.
#[derive(Clone, Copy, PartialEq)]
#[repr(align(32))]
struct Pattern {
    src: [SourcePattern; 2],
    /// The destination: a field, or fixed.
    dst_mask: u8,
    dst: u8,
    /// Where its table begins.
    dst_table: u16,
}

#[derive(Clone, Copy, PartialEq)]
struct SourcePattern {
    /// SIMM16, sign-extended, as a source: the bits of it that count.
    simm: u32,
    /// Where the operand code is.
    shift: u8,
    ty: OperandType,
    mask: u16,
    /// Where its table begins, what is added to the code included.
    table: u16,
}

/// An operand code in an operand of some type.
#[derive(Clone, Copy, PartialEq)]
struct Source {
    value: u64,
    place: SourcePlace,
    unusual: u8,
}

impl Source {
    fn new(operand: Operand, unusual: u8) -> Source {
        Source { value: operand.value, place: operand.place, unusual }
    }
}

/// The value is the dword behind the instruction.
const TAKES_LITERAL: u8 = 1;
/// [`decode`] is to say what this is.
const LEFT_TO_DECODE: u8 = 2;

/// Tables of sources that every resolver has: of nothing but what is left to `decode`, of absent sources, and of
/// immediates in SIMM16.
const NOTHING: usize = 0;
const ABSENT: usize = 1;
const IMMEDIATE: usize = 2;

const NO_PATTERN: Pattern = Pattern { src: [no_source(NOTHING); 2], dst_mask: 0, dst: 0, dst_table: 0 };

/// A source without an operand code.
const fn no_source(table: usize) -> SourcePattern {
    SourcePattern { simm: 0, shift: 0, ty: OperandType::none, mask: 0, table: (table * SOURCE_CODES) as u16 }
}

impl Resolver {
    /// The resolver of a generation, made when it is first asked for.
    pub fn of(arch: Arch) -> &'static Resolver {
        static RESOLVERS: [OnceLock<Box<Resolver>>; 5] = [const { OnceLock::new() }; 5];
        RESOLVERS[arch as usize].get_or_init(|| Maker::resolver(arch))
    }

    /// The instruction that starts with `word`; `next` gives the dword after it, if there is one. `None` if the tables do not have it.
    #[inline(always)]
    pub fn look_up(&self, word: u32, next: impl FnOnce() -> Option<u32>) -> Option<Resolved> {
        let lead = self.leads[(word >> 23) as usize];
        let opcode = self.opcodes[(lead.start as usize + (word >> lead.shift & lead.mask as u32) as usize) % OPCODES];
        let pattern = &self.patterns[opcode.pattern as usize % PATTERNS];
        let source = |of: &SourcePattern| {
            self.sources[(of.table as usize + (word >> of.shift & of.mask as u32) as usize) % SOURCES]
        };
        let sources = [source(&pattern.src[0]), source(&pattern.src[1])];
        let dst = (word >> 16) as u8 & pattern.dst_mask | pattern.dst;
        let dst_unusual = self.destinations[(pattern.dst_table as usize + dst as usize) % DESTINATIONS];
        let operand = |i: usize| {
            let Source { value, place, .. } = sources[i];
            Operand { place, value: value | (word as i16 as u32 & pattern.src[i].simm) as u64 }
        };
        let mut src = [operand(0), operand(1)];
        let mut words = 1;
        let unusual = sources[0].unusual | sources[1].unusual | dst_unusual;
        // Branches that hardly ever are taken, so that the next instruction need not wait for this one.
        if unusual != 0 {
            if unusual != TAKES_LITERAL {
                return None;
            }
            let literal = next()?;
            for i in 0..2 {
                if sources[i].unusual == TAKES_LITERAL {
                    src[i].value = literal_value(literal, pattern.src[i].ty);
                }
            }
            words = 2;
        }
        Some(Resolved { row: opcode.row, words, dst, modifiers: 0, src, notes: Notes::NONE })
    }

    /// The same for what the tables do not have; `None` if a wave cannot execute it: it is illegal or unsupported, and
    /// [`decode`] and [`Inst::unsupported`] say why.
    #[cold]
    pub fn by_decoding(&self, word: u32, next: Option<u32>) -> Option<Resolved> {
        Resolved::of(&decode(self.arch, word, next).ok()?)
    }
}

/// A resolver in the making.
struct Maker {
    resolver: Box<Resolver>,
    opcodes: usize,
    patterns: usize,
    /// Class and type of the tables of sources, after those that every resolver has.
    sources: Vec<(u8, OperandType)>,
    /// What tells destinations apart, after the table for none: type, and whether the instruction writes EXEC too.
    destinations: Vec<(OperandType, bool)>,
}

impl Maker {
    fn resolver(arch: Arch) -> Box<Resolver> {
        let immediate = Operand { place: SourcePlace::of_kind(SourceKind::Imm), value: 0 };
        let mut sources = [Source::new(Operand::ABSENT, LEFT_TO_DECODE); SOURCES];
        sources[ABSENT * SOURCE_CODES] = Source::new(Operand::ABSENT, 0);
        sources[IMMEDIATE * SOURCE_CODES] = Source::new(immediate, 0);
        let resolver = Box::new(Resolver {
            arch,
            leads: [Lead { start: 0, shift: 0, mask: 0 }; 512],
            opcodes: [OpcodeEntry { row: 0, pattern: 0 }; OPCODES],
            patterns: [NO_PATTERN; PATTERNS],
            sources,
            destinations: [0; DESTINATIONS],
        });
        let mut maker = Maker { resolver, opcodes: 1, patterns: 1, sources: Vec::new(), destinations: Vec::new() };
        maker.fill();
        maker.resolver
    }

    fn fill(&mut self) {
        for lead in 0..512 {
            // Bits of the opcode that are not among the leading ones.
            let (shift, mask) = match lead {
                0x0f8..=0x0fb => (17, 0x3f),
                0x100..=0x17c => (0, 0),
                0x17d => (8, 0xff),
                0x17e | 0x17f => (16, 0x7f),
                _ => continue,
            };
            self.resolver.leads[lead as usize] = Lead { start: self.opcodes as u16, shift, mask };
            for opcode in 0..=mask as u32 {
                if let Some(entry) = self.opcode(lead << 23 | opcode << shift) {
                    self.resolver.opcodes[self.opcodes] = entry;
                }
                self.opcodes += 1;
            }
        }
    }

    /// The opcode in a dword whose operands are s0 and v0, unless it is left to `decode` as a whole.
    fn opcode(&mut self, word: u32) -> Option<OpcodeEntry> {
        let inst = decode(self.resolver.arch, word, None).ok()?;
        if inst.unsupported().is_some() || !inst.static_notes().is_empty() {
            return None;
        }
        let desc = inst.desc();
        let mut pattern = Pattern { src: [no_source(ABSENT); 2], dst: inst.dst().unwrap_or(0), ..NO_PATTERN };
        for (i, ty) in desc.src.iter().map(|ty| ty.look_alike()).enumerate() {
            pattern.src[i] = match CodeField::of_source(desc, i) {
                Some(CodeField { shift, mask, base }) => {
                    let table = self.source_table(inst.opcode.core_check()?.src[i], ty);
                    SourcePattern { simm: 0, shift, ty, mask, table: table + base }
                }
                None => {
                    let simm = if ty == OperandType::simm { u32::MAX } else { 0xffff };
                    SourcePattern { simm, ..no_source(IMMEDIATE) }
                }
            };
        }
        if inst.dst().is_some() && !matches!(inst.opcode, Opcode::Vopc(_)) {
            pattern.dst_mask = 0x7f;
            pattern.dst_table = self.destination_table(&inst);
        }
        let known = self.resolver.patterns[..self.patterns].iter().position(|&known| known == pattern);
        let number = known.unwrap_or(self.patterns);
        if known.is_none() {
            self.resolver.patterns[number] = pattern;
            self.patterns += 1;
        }
        Some(OpcodeEntry { row: inst.opcode.core_number()? as u16, pattern: number as u8 })
    }

    /// Where the table of a source of a class and type begins.
    fn source_table(&mut self, class: u8, ty: OperandType) -> u16 {
        let known = self.sources.iter().position(|&known| known == (class, ty));
        let start = (IMMEDIATE + 1 + known.unwrap_or(self.sources.len())) * SOURCE_CODES;
        if known.is_some() {
            return start as u16;
        }
        // A literal in which everything shows that could be noted.
        const LITERAL_DWORD: u32 = 0x8000_0001;
        let arch = self.resolver.arch;
        let entry = |code: usize| {
            let code = code as u32;
            let src = Src::of_code(code, ty, 0);
            let is_noted = !source_notes(arch, code, ty, LITERAL_DWORD).is_empty();
            let unusual = match code {
                _ if !is_in_class(arch, code, class) || is_noted || src == Src::LdsDirect => LEFT_TO_DECODE,
                LITERAL => TAKES_LITERAL,
                _ => 0,
            };
            Source::new(Operand::of(src), unusual)
        };
        self.resolver.sources[start..start + SOURCE_CODES]
            .copy_from_slice(&std::array::from_fn::<_, SOURCE_CODES, _>(entry));
        self.sources.push((class, ty));
        start as u16
    }

    /// Where the table of the destination begins of an instruction whose operands are s0.
    fn destination_table(&mut self, inst: &Inst) -> u16 {
        let desc = inst.desc();
        let like = (desc.dst.look_alike(), desc.fx.has(Fx::WEXEC));
        let known = self.destinations.iter().position(|&known| known == like);
        let start = (1 + known.unwrap_or(self.destinations.len())) * DESTINATION_CODES;
        if known.is_none() {
            let arch = self.resolver.arch;
            let class = inst.opcode.core_check().map_or(0, |check| check.dst);
            for code in 0..DESTINATION_CODES {
                let there = Inst { words: [inst.words[0] | (code as u32) << 16, 0], ..*inst };
                let is_legal = is_in_class(arch, code as u32, class);
                let unusual = if is_legal && there.static_notes().is_empty() { 0 } else { LEFT_TO_DECODE };
                self.resolver.destinations[start + code] = unusual;
            }
            self.destinations.push(like);
        }
        start as u16
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolve(arch: Arch, word: u32, next: Option<u32>) -> Option<Resolved> {
        let resolver = Resolver::of(arch);
        resolver.look_up(word, || next).or_else(|| resolver.by_decoding(word, next))
    }

    /// Every opcode of every encoding, with operand codes of every kind in every field.
    #[test]
    #[cfg_attr(miri, ignore = "takes minutes")]
    fn the_tables_say_what_the_decoder_says() {
        const LOWS: [u32; 26] = [
            0, 1, 0x6a7e, 0x7f80, 0x80eb, 0xeb80, 0xf1f8, 0xf8f1, 0xfbff, 0xfffb, 0x0aff, 0xfdfd, 0x0301, 0x81f2,
            0xffff, 0x7c7d, 0x4041, 0xc0d0, 0xd1c1, 0x01ff, 0x00fe, 0x01f9, 0xfa80, 0x0865, 0xfe01, 0xffee,
        ];
        let (mut quick, mut executable) = (0, 0);
        for arch in Arch::ALL {
            for high in 0..=0xffffu32 {
                for low in LOWS {
                    let word = high << 16 | low;
                    for next in [None, Some(0), Some(0x8000_0001), Some(0x0001_0203)] {
                        let expected = decode(arch, word, next).ok().and_then(|inst| Resolved::of(&inst));
                        assert_eq!(resolve(arch, word, next), expected, "{arch} {word:08x} {next:08x?}");
                        executable += expected.is_some() as u32;
                        quick += expected.is_some_and(|e| e.notes.is_empty() && e.modifiers == 0) as u32;
                    }
                }
            }
        }
        assert!(quick > 1_000_000 && executable > quick, "{quick} of {executable}");
    }

    /// Every operand code in every place of every core instruction that has no other encoding.
    #[test]
    #[cfg_attr(miri, ignore = "takes minutes")]
    fn every_operand_code_is_looked_up_right() {
        for arch in Arch::ALL {
            for lead in (0xf8..0xfc).chain(0x100..0x180) {
                for low in 0..1 << 16 {
                    let word = lead << 23 | low << 7 & 0x7f_0000 | low & 0x1ff | (low & 0x7f) << 9;
                    let expected = decode(arch, word, Some(7)).ok().and_then(|inst| Resolved::of(&inst));
                    assert_eq!(resolve(arch, word, Some(7)), expected, "{arch} {word:08x}");
                }
            }
        }
    }

    #[test]
    fn most_instructions_are_found_in_the_tables() {
        for arch in Arch::ALL {
            let rows = Resolver::of(arch).opcodes.iter().filter(|opcode| opcode.pattern != 0);
            let rows: std::collections::BTreeSet<_> = rows.map(|opcode| opcode.row).collect();
            assert!(rows.len() > 200, "{arch}: {} rows", rows.len());
        }
    }

    #[test]
    fn forms() {
        let of = |word, next| resolve(Arch::Gcn14, word, next).unwrap();
        // v_cmp_lt_f32_e64 s[2:3], |v1|, -v2
        let compare = of(0xd041_0102, Some(0x4002_0501));
        assert_eq!((compare.words, compare.dst, compare.modifiers), (2, 2, 0b1001));
        // s_add_u32 s2, s0, 0x12345678
        let add = of(0x8002_ff00, Some(0x1234_5678));
        assert_eq!(add.src[1], Operand { place: SourcePlace::of_kind(SourceKind::Imm), value: 0x1234_5678 });
        // s_movk_i32 s3, -2
        let mov = of(0xb003_fffe, None);
        assert_eq!((mov.dst, mov.src[0].value, mov.src[1]), (3, 0xffff_fffe, Operand::ABSENT));
    }
}
