//! Whatever the words are, there is an answer and never a panic.

use gcnsim_isa::{Arch, DecodeErrorKind, Flow, Inst, Note, Notes, decode, decode_strict};
use gcnsim_random::Rng;

/// Calls every accessor of an instruction.
fn ask(inst: &Inst) {
    let text = inst.to_string();
    assert!(text.starts_with(inst.desc().mnemonic) && !text.ends_with(' '), "'{text}'");
    for i in 0..inst.src_count() {
        let _ = (inst.src_code(i), inst.src(i), inst.src_type(i), inst.abs(i), inst.neg(i));
    }
    let _ = (inst.dst(), inst.reads(), inst.writes(), inst.static_notes(), inst.branch_offset(), inst.has_literal());
    let _ = (inst.vdst(), inst.sdst(), inst.mask_dst(), inst.mask_src(), inst.reads_vdst(), inst.writes_half());
    let _ = (inst.omod(), inst.clamp(), inst.op_sel(), inst.op_sel_hi(), inst.sdwa(), inst.dpp());
    // The three sources include those that the instruction does not have.
    let _ = [0, 1, 2].map(|i| (inst.abs(i), inst.neg(i), inst.neg_hi(i)));
    // If no form of an instruction is executed, every form is refused.
    assert!(inst.opcode.is_executed() || inst.unsupported().is_some(), "{text}");
    assert!(inst.desc().encoding.is_core() || inst.flow() == Flow::Next, "{text}");
}

/// Sets idle fields to anything: nothing changes but a note, and a strict reader refuses what is not 0.
fn change_idle_fields(inst: &Inst, noise: u32) {
    let clean = inst.without_idle_fields();
    let [first, second] = inst.idle_bits();
    let words = [clean.words[0] | noise & first, clean.words[1] | noise.swap_bytes() & second];
    let changed = decode(inst.arch, words[0], Some(words[1])).unwrap_or_else(|error| panic!("{inst}: {error}"));
    assert_eq!((changed.opcode, changed.form, changed.size()), (inst.opcode, inst.form, inst.size()), "{inst}");
    assert_eq!((changed.to_string(), changed.idle_bits()), (clean.to_string(), [first, second]), "{words:08x?}");
    assert_eq!((changed.reads(), changed.writes()), (clean.reads(), clean.writes()), "{inst}");
    let modifiers = |inst: &Inst| {
        let of_sources = [0, 1, 2].map(|i| (inst.abs(i), inst.neg(i), inst.neg_hi(i)));
        (of_sources, inst.omod(), inst.clamp(), inst.op_sel(), inst.op_sel_hi(), inst.sdwa(), inst.dpp())
    };
    assert_eq!(modifiers(&changed), modifiers(&clean), "{inst} {words:08x?}");
    let notes = |inst: &Inst| inst.static_notes().without(Notes::of(Note::IdleField));
    assert_eq!(notes(&changed), notes(&clean), "{inst} {words:08x?}");
    let strict = decode_strict(inst.arch, words[0], Some(words[1]));
    assert_eq!(strict.is_ok(), words == clean.words, "{inst} {words:08x?}");
}

/// Probes one word, with a second dword and without.
fn probe(arch: Arch, word: u32, next: u32) {
    let alone = decode(arch, word, None);
    match decode(arch, word, Some(next)) {
        Ok(inst) => {
            ask(&inst);
            assert_eq!(inst.words[0], word);
            match inst.size() {
                4 => assert_eq!((alone, inst.words[1]), (Ok(inst), 0), "{word:08x}"),
                8 => {
                    assert_eq!(inst.words[1], next);
                    change_idle_fields(&inst, next.rotate_left(7) ^ word);
                    assert_eq!(alone.map_err(|error| error.kind), Err(DecodeErrorKind::Truncated), "{word:08x}");
                }
                size => panic!("{word:08x} has {size} bytes"),
            }
        }
        Err(error) => {
            assert_eq!(error.word, word);
            assert_ne!(error.kind, DecodeErrorKind::Truncated);
            assert!(alone.is_err(), "{word:08x} is legal only when nothing follows");
        }
    }
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn random_words() {
    let mut random = Rng::new(3);
    for arch in Arch::ALL {
        for _ in 0..100_000 {
            probe(arch, random.bits(), random.bits());
            // With few bits set, operands are mostly legal.
            probe(arch, random.bits(), random.bits() & random.bits() & random.bits());
        }
    }
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn every_upper_half() {
    let mut random = Rng::new(4);
    for arch in Arch::ALL {
        for upper in 0..=0xffffu32 {
            probe(arch, upper << 16 | random.bits() & 0xffff, random.bits() & random.bits());
        }
    }
}
