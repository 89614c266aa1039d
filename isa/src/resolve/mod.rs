//! Instructions with their operands resolved, by lookup.
//!
//! [`decode`] and the accessors of [`Inst`] define what dwords mean. A [`Resolver`] gives the same answers for
//! instructions that a wave executes, about ten times as fast. Most shaders of a batch run once, so that decoding them
//! is most of the work. The tables of a resolver are made from the definition (`make.rs`).
//!
//! An instruction takes a few lookups, and no branch that depends on the instruction. Its leading bits and opcode give
//! its [`Pattern`], which says where its operand codes are and which tables have them. Flags in the tables mark unusual
//! cases (literals, VOP3 forms, illegal operands). The tables are small, so that they stay in the first-level cache.

mod make;
mod place;

pub use place::{RegCode, SourceKind, SourcePlace};

use crate::arch::Arch;
use crate::decode::decode;
use crate::inst::{Form, Inst};
use crate::notes::{CoreNotes, Notes};
use crate::operand::{OperandType, Src, literal_value};
use crate::table::InstDesc;

/// A source operand: [`Src`] taken apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Operand {
    /// The place of the source.
    pub place: SourcePlace,
    /// Value of a constant, otherwise 0.
    pub value: u64,
}

impl Operand {
    /// A source that an instruction does not have, or has in SIMM16.
    pub const ABSENT: Operand = Operand { place: SourcePlace::of_kind(SourceKind::Sgpr), value: 0 };

    fn of(src: Src) -> Operand {
        let (kind, number, value) = match src {
            Src::Sgpr(code) => (SourceKind::Sgpr, code, 0),
            Src::Vgpr(number) => (SourceKind::Vgpr, number, 0),
            Src::Imm(value) => (SourceKind::Imm, 0, value),
            Src::Vccz => (SourceKind::Vccz, 0, 0),
            Src::Execz => (SourceKind::Execz, 0, 0),
            Src::Scc => (SourceKind::Scc, 0, 0),
            // Instructions with this source are not resolved.
            Src::LdsDirect => (SourceKind::Imm, 0, 0),
        };
        Operand { place: SourcePlace::new(kind, number), value }
    }
}

/// A scalar instruction or a vector compare in VOPC or VOP3 form that a wave can execute, with its operands resolved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Resolved {
    /// Length in dwords, 1 or 2.
    pub words: u8,
    /// Operand code of the destination, 0 if there is none.
    pub dst: RegCode,
    /// ABS of sources 0 and 1 (bits 0 and 1) and NEG (bits 2 and 3).
    pub modifiers: u8,
    /// Sources.
    pub src: [Operand; 2],
    /// [`Inst::static_notes`].
    pub notes: CoreNotes,
}

impl Resolved {
    /// Resolves a decoded instruction. `None` if it is not executed, is neither a scalar instruction nor a compare in
    /// VOPC or VOP3 form, or reads LDS_DIRECT.
    pub fn of(inst: &Inst) -> Option<Resolved> {
        let is_plain = inst.desc().encoding.is_core() && !matches!(inst.form, Form::Sdwa | Form::Dpp);
        if inst.unsupported().is_some() || !is_plain || inst.reads_lds_directly() {
            return None;
        }
        let has_modifiers = inst.form != Form::Plain;
        let modifier = |i: usize| match has_modifiers {
            true => (inst.abs(i) as u8) << i | (inst.neg(i) as u8) << (2 + i),
            false => 0,
        };
        let src = [0, 1].map(|i| {
            let is_field = inst.desc().src.get(i).is_some_and(|ty| !ty.is_in_simm16());
            if is_field { Operand::of(inst.src(i)) } else { Operand::ABSENT }
        });
        Some(Resolved {
            words: (inst.size() / 4) as u8,
            dst: RegCode::new(inst.dst().unwrap_or(0)),
            modifiers: modifier(0) | modifier(1),
            src,
            notes: inst.static_notes().core(),
        })
    }
}

impl Operands for Resolved {
    fn source(&mut self, i: usize, source: Operand) {
        self.src[i] = source;
    }

    fn destination(&mut self, dst: RegCode) {
        self.dst = dst;
    }
}

/// Tables for one generation. They hold a `T` for every opcode, which the user of the tables chooses.
pub struct Resolver<T> {
    arch: Arch,
    /// Entries by the nine leading bits of an instruction.
    leads: [Lead; 512],
    /// Opcodes. Those with the same leading bits are consecutive. A compare is there twice, as VOPC and as VOP3.
    opcodes: Box<[Entry<T>; OPCODES]>,
    /// Compares in VOP3 form, from [`Resolver::first_vop3`] on.
    vop3: Vec<Option<Vop3Pattern>>,
    first_vop3: usize,
    /// Tables of source operands by operand code, one after the other.
    sources: Box<[Source; SOURCES]>,
    /// Tables of destinations by operand code, one after the other.
    destinations: Box<[Flags; DESTINATIONS]>,
}

/// Room for the tables. Making them fails if it is not enough.
const OPCODES: usize = 2048;
const SOURCES: usize = 16 * SOURCE_CODES;
const DESTINATIONS: usize = 16 * DESTINATION_CODES;

/// Length of a table.
const SOURCE_CODES: usize = 512;
const DESTINATION_CODES: usize = 128;

const _: () = assert!(DESTINATION_CODES == 128, "the low bits of an index are the code");

/// The first opcode with some leading bits, and the place of the other bits of the opcode.
#[derive(Clone, Copy)]
struct Lead {
    start: u16,
    shift: u8,
    mask: u8,
}

/// An opcode. It is a cache line if `T` has at most 48 bytes.
#[repr(align(64))]
struct Entry<T> {
    of_user: T,
    pattern: Pattern,
}

/// The places of an opcode's operands.
#[derive(Clone, Copy)]
struct Pattern {
    src: [SourcePattern; 2],
    /// The destination: a field of the first dword, or none.
    dst_mask: u8,
    /// The beginning of its table; if the operand code is fixed, the code is added.
    dst_table: u16,
}

#[derive(Clone, Copy)]
struct SourcePattern {
    /// The place of the operand code in the first dword.
    mask: u16,
    shift: u8,
    ty: OperandType,
    /// The beginning of its table, including the number that is added to the code.
    table: u16,
}

const _: () = assert!(size_of::<Pattern>() == 16);

/// The places of the operands of a compare in VOP3 form: codes in the second dword, and the destination in the first.
#[derive(Clone, Copy)]
struct Vop3Pattern {
    src_tables: [u16; 2],
    dst_table: u16,
    /// Bits of both dwords that neither name operands nor are permitted ABS or NEG bits.
    rest: [u32; 2],
}

/// An operand code as an operand of some type.
#[derive(Clone, Copy)]
struct Source {
    value: u64,
    place: SourcePlace,
    flags: Flags,
}

/// Further properties of an operand: its notes, as the bits of [`CoreNotes`], and whether the table lacks something.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Flags(u32);

impl Flags {
    /// The value is the dword after the instruction.
    const TAKES_LITERAL: Flags = Flags(1 << 30);
    /// Only [`decode`] can tell what this is.
    const LEFT_TO_DECODE: Flags = Flags(1 << 31);

    /// Notes of operands. They must be among the first notes; otherwise the tables cannot be made.
    fn of(notes: Notes) -> Flags {
        let [low, middle, high] = notes.0;
        let fits = low < Flags::TAKES_LITERAL.0 as u64 && middle | high == 0;
        assert!(fits, "the tables have no room for these notes: {notes:?}");
        Flags(low as u32)
    }

    const fn or(self, other: Flags) -> Flags {
        Flags(self.0 | other.0)
    }

    /// Whether there are no flags besides notes.
    const fn is_complete(self) -> bool {
        self.0 < Flags::TAKES_LITERAL.0
    }

    const fn is_left_to_decode(self) -> bool {
        self.0 & Flags::LEFT_TO_DECODE.0 != 0
    }

    const fn notes(self) -> CoreNotes {
        CoreNotes(self.0 & (Flags::TAKES_LITERAL.0 - 1))
    }
}

/// Receives the operands of an instruction as they are found, so that they are stored at once where they are needed.
pub trait Operands {
    /// Source 0 or 1. The last call counts.
    fn source(&mut self, i: usize, source: Operand);
    /// The destination.
    fn destination(&mut self, dst: RegCode);
}

/// The content of the tables for an instruction, besides its operands.
pub struct Found<'a, T> {
    /// The `T` of its opcode.
    pub of_user: &'a T,
    /// The field of [`Resolved`] with this name.
    pub words: u8,
    /// The field of [`Resolved`] with this name.
    pub modifiers: u8,
    /// The field of [`Resolved`] with this name.
    pub notes: CoreNotes,
}

/// The content of the tables for an instruction that they do not have completely.
pub struct Incomplete<'a, T> {
    entry: &'a Entry<T>,
    sources: [Flags; 2],
    flags: Flags,
}

impl<T> Resolver<T> {
    /// Makes the tables of a generation. `of_row` gives the `T` for each row, and `none` the one for numbers that are
    /// no opcode.
    pub fn new(arch: Arch, none: impl Fn() -> T, of_row: impl Fn(&'static InstDesc) -> T) -> Box<Resolver<T>> {
        make::resolver(arch, none, of_row)
    }

    /// Index of an opcode in `opcodes`.
    #[inline(always)]
    fn number(&self, word: u32) -> usize {
        let lead = self.leads[(word >> 23) as usize];
        (lead.start as usize + (word.wrapping_shr(lead.shift as u32) & lead.mask as u32) as usize) % OPCODES
    }

    /// Looks up the instruction that starts with `word`. It succeeds if the tables have the instruction and it is one
    /// dword long.
    ///
    /// # Errors
    /// What is known of any other instruction, for [`Resolver::complete`]. So the common case is told apart by the
    /// lookup itself.
    #[inline(always)]
    pub fn look_up(&self, word: u32, operands: &mut impl Operands) -> Result<Found<'_, T>, Incomplete<'_, T>> {
        let entry = &self.opcodes[self.number(word)];
        let Pattern { src, dst_mask, dst_table } = &entry.pattern;
        let mut source = |i: usize| {
            let of: &SourcePattern = &src[i];
            let code = word.wrapping_shr(of.shift as u32) & of.mask as u32;
            // Every table has an entry for each code.
            let Source { place, value, flags } = self.sources[(of.table as usize + code as usize) % SOURCES];
            operands.source(i, Operand { place, value });
            flags
        };
        let sources = [source(0), source(1)];
        let dst = *dst_table as u32 + (word >> 16 & *dst_mask as u32);
        operands.destination(RegCode::new(dst as u8));
        let flags = self.destinations[dst as usize % DESTINATIONS].or(sources[0]).or(sources[1]);
        // The branch is hardly ever taken, so the next instruction need not wait for this one.
        if !flags.is_complete() {
            return Err(Incomplete { entry, sources, flags });
        }
        Ok(Found { of_user: &entry.of_user, words: 1, modifiers: 0, notes: flags.notes() })
    }

    /// Resolves any instruction that a wave can execute.
    pub fn resolve(&self, word: u32, next: Option<u32>) -> Option<(Resolved, &T)> {
        let mut resolved =
            Resolved { words: 1, dst: RegCode::R0, modifiers: 0, src: [Operand::ABSENT; 2], notes: CoreNotes::NONE };
        let found = self.look_up(word, &mut resolved);
        let found = found.or_else(|incomplete| self.complete(incomplete, word, next, &mut resolved).ok_or(())).ok()?;
        let Found { of_user, words, modifiers, notes } = found;
        Some((Resolved { words, modifiers, notes, ..resolved }, of_user))
    }

    /// Completes an instruction for which [`Resolver::look_up`] failed. `next` is the dword after `word`. `None` if a
    /// wave cannot execute it: then it is illegal or unsupported, and [`decode`] and [`Inst::unsupported`] say why.
    #[cold]
    #[inline(never)]
    pub fn complete<'a>(
        &'a self,
        incomplete: Incomplete<'a, T>,
        word: u32,
        next: Option<u32>,
        operands: &mut impl Operands,
    ) -> Option<Found<'a, T>> {
        let Incomplete { entry, sources, flags } = incomplete;
        let of_user = &entry.of_user;
        let (false, Some(literal)) = (flags.is_left_to_decode(), next) else {
            let Resolved { words, dst, modifiers, src, notes } = self.resolve_rest(word, next)?;
            operands.source(0, src[0]);
            operands.source(1, src[1]);
            operands.destination(dst);
            return Some(Found { of_user, words, modifiers, notes });
        };
        let mut take_literal = |i: usize| {
            let value = literal_value(literal, entry.pattern.src[i].ty);
            operands.source(i, Operand { place: SourcePlace::of_kind(SourceKind::Imm), value });
        };
        // The processor could not predict which source it is. It is rarely both.
        take_literal(sources[0].is_complete() as usize);
        if !(sources[0].is_complete() || sources[1].is_complete()) {
            take_literal(1);
        }
        Some(Found { of_user, words: 2, modifiers: 0, notes: flags.notes() })
    }

    #[inline(never)]
    fn resolve_rest(&self, word: u32, next: Option<u32>) -> Option<Resolved> {
        let resolved = match (next, self.vop3.get(self.number(word).wrapping_sub(self.first_vop3))) {
            (Some(next), Some(vop3)) => self.vop3(vop3.as_ref()?, word, next),
            _ => None,
        };
        resolved.or_else(|| Resolved::of(&decode(self.arch, word, next).ok()?))
    }

    /// Resolves a compare in VOP3 form, unless it has something that only `decode` knows.
    fn vop3(&self, pattern: &Vop3Pattern, word: u32, next: u32) -> Option<Resolved> {
        let source = |i: usize| {
            let code = next >> (9 * i) & 0x1ff;
            self.sources[(pattern.src_tables[i] as usize + code as usize) % SOURCES]
        };
        let src = [source(0), source(1)];
        let dst = RegCode::new(word as u8);
        let flags = self.destinations[(pattern.dst_table as usize + dst as usize) % DESTINATIONS];
        let flags = flags.or(src[0].flags).or(src[1].flags);
        let is_plain = word & pattern.rest[0] | next & pattern.rest[1] == 0;
        if !is_plain || !flags.is_complete() {
            return None;
        }
        let modifiers = (word >> 8 & 3 | (next >> 29 & 3) << 2) as u8;
        let src = src.map(|Source { place, value, .. }| Operand { place, value });
        Some(Resolved { words: 2, dst, modifiers, src, notes: flags.notes() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Opcode;

    /// A resolver that gives the row of each opcode.
    type Rows = Resolver<Option<&'static InstDesc>>;

    fn resolver(arch: Arch) -> Box<Rows> {
        Resolver::new(arch, || None, Some)
    }

    fn resolve(resolver: &Rows, word: u32, next: Option<u32>) -> Option<(Resolved, Opcode)> {
        let (resolved, row) = resolver.resolve(word, next)?;
        Some((resolved, row.expect("what executes has a row").opcode))
    }

    /// The result of the decoder.
    fn decoded(arch: Arch, word: u32, next: Option<u32>) -> Option<(Resolved, Opcode)> {
        let inst = decode(arch, word, next).ok()?;
        Some((Resolved::of(&inst)?, inst.opcode))
    }

    /// Tries every opcode of every encoding, with operand codes of every kind in every field.
    #[test]
    #[cfg_attr(miri, ignore = "takes minutes")]
    fn the_tables_say_what_the_decoder_says() {
        const LOWS: [u32; 26] = [
            0, 1, 0x6a7e, 0x7f80, 0x80eb, 0xeb80, 0xf1f8, 0xf8f1, 0xfbff, 0xfffb, 0x0aff, 0xfdfd, 0x0301, 0x81f2,
            0xffff, 0x7c7d, 0x4041, 0xc0d0, 0xd1c1, 0x01ff, 0x00fe, 0x01f9, 0xfa80, 0x0865, 0xfe01, 0xffee,
        ];
        let (mut quick, mut executable) = (0, 0);
        for arch in Arch::ALL {
            let resolver = resolver(arch);
            for high in 0..=0xffffu32 {
                for low in LOWS {
                    let word = high << 16 | low;
                    for next in [None, Some(0), Some(0x8000_0001), Some(0x0001_0203), Some(0x6002_0501)] {
                        let expected = decoded(arch, word, next);
                        assert_eq!(resolve(&resolver, word, next), expected, "{arch} {word:08x} {next:08x?}");
                        executable += expected.is_some() as u32;
                        quick += expected.is_some_and(|(e, _)| e.notes.is_empty() && e.modifiers == 0) as u32;
                    }
                }
            }
        }
        assert!(quick > 1_000_000 && executable > quick, "{quick} of {executable}");
    }

    /// Tries every operand code in every place of every core instruction that has no other encoding.
    #[test]
    #[cfg_attr(miri, ignore = "takes minutes")]
    fn every_operand_code_is_looked_up_right() {
        for arch in Arch::ALL {
            let resolver = resolver(arch);
            for lead in (0xf8..0xfc).chain(0x100..0x180) {
                for low in 0..1 << 16 {
                    let word = lead << 23 | low << 7 & 0x7f_0000 | low & 0x1ff | (low & 0x7f) << 9;
                    let expected = decoded(arch, word, Some(7));
                    assert_eq!(resolve(&resolver, word, Some(7)), expected, "{arch} {word:08x}");
                }
            }
        }
    }

    /// Tries every bit and pair of bits of both dwords of compares in VOP3 form, and every operand code.
    #[test]
    #[cfg_attr(miri, ignore = "takes minutes")]
    fn vop3_forms_are_looked_up_right() {
        let mut legal = 0;
        for arch in Arch::ALL {
            let resolver = resolver(arch);
            let step = if arch.is_gcn12_or_later() { 1 << 16 } else { 1 << 17 };
            for opcode in 0..256 {
                let word = (0x1a0 << 23) + opcode * step;
                let bits =
                    (0..=14).flat_map(|i| (0..64).map(move |j| 1u64 << i | 1 << j)).chain((15..64).map(|i| 1 << i));
                let sources =
                    (0..512).flat_map(|code| [code << 32, code << 41, (code ^ 0x107) << 41 | code << 32 | code & 0x7f]);
                for set in bits.chain(sources) {
                    let (word, next) = (word | set as u32, (set >> 32) as u32);
                    let expected = decoded(arch, word, Some(next));
                    assert_eq!(resolve(&resolver, word, Some(next)), expected, "{arch} {word:08x} {next:08x}");
                    legal += expected.is_some() as u32;
                }
            }
        }
        assert!(legal > 500_000, "{legal}");
    }

    /// Only instructions that the tables cannot have go through the decoder.
    #[test]
    fn most_instructions_are_found_in_the_tables() {
        for arch in Arch::ALL {
            let resolver = resolver(arch);
            let is_left = |number: usize| match number.checked_sub(resolver.first_vop3) {
                Some(number) => resolver.vop3[number].is_none(),
                None => resolver.opcodes[number].pattern.src[0].table == 0,
            };
            let rows = resolver.opcodes.iter().enumerate();
            let (left, found): (Vec<_>, Vec<_>) = rows
                .filter_map(|(number, entry)| Some((number, entry.of_user?)))
                .partition(|&(number, _)| is_left(number));
            let left = left.into_iter().filter(|(_, row)| !row.unknown).map(|(_, row)| row.mnemonic);
            let mut left: Vec<_> = left.collect();
            left.sort_unstable();
            assert_eq!(left, ["s_getreg_b32", "s_setreg_b32", "s_setreg_imm32_b32", "s_trap"], "{arch}");
            assert!(found.len() > 500, "{arch}: {} opcodes", found.len());
        }
    }

    #[test]
    fn forms() {
        let resolver = resolver(Arch::Gcn14);
        let of = |word, next| resolve(&resolver, word, next).unwrap().0;
        // v_cmp_lt_f32_e64 s[2:3], |v1|, -v2
        let compare = of(0xd041_0102, Some(0x4002_0501));
        assert_eq!((compare.words, compare.dst, compare.modifiers), (2, RegCode::R2, 0b1001));
        // s_add_u32 s2, s0, 0x12345678
        let add = of(0x8002_ff00, Some(0x1234_5678));
        assert_eq!(add.src[1], Operand { place: SourcePlace::of_kind(SourceKind::Imm), value: 0x1234_5678 });
        // s_movk_i32 s3, -2
        let mov = of(0xb003_fffe, None);
        assert_eq!((mov.dst, mov.src), (RegCode::R3, [Operand::ABSENT; 2]));
    }
}
