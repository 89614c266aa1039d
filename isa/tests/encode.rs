//! Building words and decoding them are inverse.

use gcnsim_isa::encode::{Builder, EncodeError, vgpr};
use gcnsim_isa::table::core_rows;
use gcnsim_isa::{Arch, DecodeErrorKind, Encoding, Form, Inst, Opcode, Sop1, Sop2, Sopc, Sopk, Sopp, Vopc, decode};
use gcnsim_random::Rng;

fn random_builder(random: &mut Rng, arch: Arch, opcode: Opcode) -> Builder {
    let is_compare = matches!(opcode, Opcode::Vopc(_));
    let mut builder =
        Builder::new(arch, opcode).dst(random.below(128)).simm16(random.bits() as u16).literal(random.bits());
    for i in 0..2 {
        builder = builder.src(i, if is_compare { random.below(512) } else { random.below(256) });
    }
    if is_compare && random.below(2) == 0 {
        builder = builder.vop3();
        builder = if random.below(2) == 0 { builder.neg(random.below(2) as usize) } else { builder };
        builder = if random.below(2) == 0 { builder.abs(random.below(2) as usize) } else { builder };
        builder = if random.below(4) == 0 { builder.clamp() } else { builder };
    } else if is_compare {
        builder = builder.src(1, vgpr(random.bits() as u8));
    }
    builder
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn built_instructions_decode_to_themselves() {
    let mut random = Rng::new(5);
    for arch in Arch::ALL {
        for row in core_rows().filter(|row| row.opcode_on(arch).is_some()) {
            let mut built = 0;
            for _ in 0..60 {
                let builder = random_builder(&mut random, arch, row.opcode);
                let Ok(inst) = builder.build() else { continue };
                built += 1;
                assert_eq!(inst.opcode, row.opcode);
                assert_eq!(decode(arch, inst.words[0], Some(inst.words[1])), Ok(inst));
                let again = Builder::from_inst(&inst).build();
                assert_eq!(again.map(|again| again.to_string()), Ok(inst.to_string()));
            }
            assert!(built > 3, "{arch}: {} of 60 {} are legal", built, row.mnemonic);
        }
    }
}

/// The fields of the first dword that an instruction does not use.
fn unused_fields(inst: &Inst) -> u32 {
    let desc = inst.desc();
    let sdst = if desc.dst.bits() == 0 { 0x7f << 16 } else { 0 };
    match (desc.encoding, inst.form) {
        (Encoding::Sop1, _) if inst.src_count() == 0 => sdst | 0xff,
        (Encoding::Sop1 | Encoding::Sop2, _) => sdst,
        (Encoding::Sopk, _) if inst.opcode == Opcode::Sopk(Sopk::SSetregImm32B32) => sdst,
        // Bits between ABS and CLAMP or the opcode, which are OP_SEL from GCN 1.4 on.
        (Encoding::Vopc, Form::Vop3) if !inst.arch.is_gcn12_or_later() => 0x1_f000,
        (Encoding::Vopc, Form::Vop3) if !inst.arch.is_gcn14_or_later() => 0x7800,
        _ => 0,
    }
}

#[test]
#[cfg_attr(miri, ignore = "takes minutes")]
fn rebuilding_a_decoded_word_gives_the_word_back() {
    let mut random = Rng::new(6);
    let mut count = 0;
    for arch in Arch::ALL {
        for n in 0..200_000u32 {
            let lead = [0xbe80_0000, 0x8000_0000, 0xbf00_0000, 0xb000_0000, 0xbf80_0000, 0x7c00_0000, 0xd000_0000];
            let free = [0x007f_ffff, 0x3fff_ffff, 0x007f_ffff, 0x0fff_ffff, 0x007f_ffff, 0x01ff_ffff, 0x01ff_f0ff];
            let word = lead[n as usize % 7] | random.bits() & free[n as usize % 7];
            let Ok(inst) = decode(arch, word, Some(random.bits() & 0x2003_ffff)) else { continue };
            if !inst.desc().encoding.is_core() || matches!(inst.form, Form::Sdwa | Form::Dpp) {
                continue;
            }
            count += 1;
            let again = Builder::from_inst(&inst).build().expect("it was legal");
            let unused = unused_fields(&inst);
            let [first, second] = inst.without_idle_fields().words;
            assert_eq!(again.words, [first & !unused, second], "{inst} ({arch} {word:08x})");
            assert_eq!(again.to_string(), inst.to_string());
        }
    }
    assert!(count > 200_000, "only {count} words were legal");
}

#[test]
fn fields_are_where_the_manual_says() {
    let words = |builder: Builder| builder.build().map(|inst| inst.words);
    let arch = Arch::Gcn12;
    let mov = Builder::new(arch, Opcode::Sop1(Sop1::SMovB32)).dst(5).src(0, 255).literal(0x1234_5678);
    assert_eq!(words(mov), Ok([0xbe85_00ff, 0x1234_5678]));
    let add = Builder::new(arch, Opcode::Sop2(Sop2::SAddU32)).dst(1).src(0, 2).src(1, 3);
    assert_eq!(words(add), Ok([0x8001_0302, 0]));
    let cmp = Builder::new(arch, Opcode::Sopc(Sopc::SCmpEqU32)).src(0, 4).src(1, 130);
    assert_eq!(words(cmp), Ok([0xbf06_8204, 0]));
    let movk = Builder::new(arch, Opcode::Sopk(Sopk::SMovkI32)).dst(7).simm16(0x8000);
    assert_eq!(words(movk), Ok([0xb007_8000, 0]));
    let branch = Builder::new(arch, Opcode::Sopp(Sopp::SBranch)).simm16(0xffff);
    assert_eq!(words(branch), Ok([0xbf82_ffff, 0]));
    let lt = Builder::new(arch, Opcode::Vopc(Vopc::VCmpLtF32)).src(0, 242).src(1, vgpr(3));
    assert_eq!(words(lt), Ok([0x7c82_06f2, 0]));
    let lt = lt.vop3().dst(10).src(0, vgpr(1)).abs(0).neg(1).clamp();
    assert_eq!(words(lt), Ok([0xd041_810a, 0x4002_0701]));
    let old =
        Builder::new(Arch::Gcn10, Opcode::Vopc(Vopc::VCmpLtF32)).vop3().dst(10).src(0, vgpr(1)).src(1, vgpr(3)).clamp();
    assert_eq!(words(old), Ok([0xd002_080a, 0x0002_0701]));
}

#[test]
fn what_cannot_be_built_says_why() {
    let call = Builder::new(Arch::Gcn10, Opcode::Sopk(Sopk::SCallB64));
    assert_eq!(call.build(), Err(EncodeError::NoOpcode { mnemonic: "s_call_b64", arch: Arch::Gcn10 }));
    let wide = Builder::new(Arch::Gcn10, Opcode::Sop1(Sop1::SMovB32)).dst(128);
    assert_eq!(wide.build(), Err(EncodeError::Field { field: "SDST", bits: 7, code: 128 }));
    let reserved = Builder::new(Arch::Gcn10, Opcode::Sop1(Sop1::SMovB32)).src(0, 209);
    assert!(matches!(reserved.build(), Err(EncodeError::Illegal(e)) if e.kind == DecodeErrorKind::IllegalOperand));
    let integer =
        Builder::new(Arch::Gcn14, Opcode::Vopc(Vopc::VCmpLtI32)).vop3().src(0, vgpr(0)).src(1, vgpr(1)).neg(0);
    assert!(matches!(integer.build(), Err(EncodeError::Illegal(_))));
    // SRC0 = 249 would choose another form.
    let sdwa = Builder::new(Arch::Gcn14, Opcode::Vopc(Vopc::VCmpLtI32)).src(0, 249).src(1, vgpr(1));
    assert!(sdwa.build().is_err());
}
