//! Compares modifiers of integer helpers, and the steps of SDWA and DPP forms, with values written by hand.
#![allow(unsafe_code)]

use crate::valu_support;

use gcnsim_helpers::Level;
use gcnsim_helpers::valu::dpp::{dpp_how, prepare_dpp, source_lane};
use gcnsim_helpers::valu::sdwa::{SEXT, finish_sdwa, prepare_sdwa};
use gcnsim_helpers::valu::{Control, helper};
use gcnsim_isa::table::Encoding::{Vop1, Vop2, Vop3, Vop3p};
use gcnsim_isa::{Arch, LANES, Note, Notes, Vgpr};
use valu_support::{Asm, Machine, find, has, v};

/// Runs an instruction with v4, v8 and v12 (one value for all lanes each) and v0 = `old`. Returns v0 and the notes, on
/// which all levels agree.
fn v0(asm: Asm, old: u32, sources: &[u32]) -> (u32, Notes) {
    let inst = asm.inst();
    let mut outcomes = Level::available().map(|level| {
        let mut machine = Machine::new();
        machine.vgprs[0].0 = [old; LANES];
        for (i, &source) in sources.iter().enumerate() {
            machine.vgprs[4 + 4 * i].0 = [source; LANES];
        }
        machine.mask = 0x5555_5555_5555_5555;
        let (_, notes) = machine.run(level, &inst);
        (machine.vgprs[0].0[63], notes)
    });
    let first = outcomes.next().unwrap();
    assert!(outcomes.all(|outcome| outcome == first), "{inst:?}: levels differ");
    first
}

fn vop3(arch: Arch, mnemonic: &str) -> Asm {
    let opcode = [Vop3, Vop2, Vop1].into_iter().find_map(|encoding| {
        let rows = valu_support::rows().filter(|row| row.desc().opcode_on(arch).is_some());
        rows.into_iter().find(|row| row.desc().mnemonic == mnemonic && row.desc().encoding == encoding)
    });
    let opcode = opcode.unwrap();
    let count = opcode.desc().src.len();
    Asm::new(arch, opcode, 0, &[v(4), v(8), v(12)][..count]).vop3()
}

const CLAMP: u32 = 1 << 15;

#[test]
fn clamp_saturates_integers() {
    let clamped = |mnemonic, sources: &[u32]| v0(vop3(Arch::Gcn14, mnemonic).more(CLAMP, 0), 0, sources).0;
    assert_eq!(clamped("v_add_u32", &[0xffff_fff0, 0x20]), 0xffff_ffff);
    assert_eq!(clamped("v_add_u32", &[0xffff_fff0, 0xf]), 0xffff_ffff);
    assert_eq!(clamped("v_add_u32", &[0xffff_fff0, 0xe]), 0xffff_fffe);
    assert_eq!(clamped("v_sub_u32", &[1, 2]), 0);
    assert_eq!(clamped("v_subrev_u32", &[1, 2]), 1);
    assert_eq!(clamped("v_add_i32", &[0x7fff_ffff, 1]), 0x7fff_ffff);
    assert_eq!(clamped("v_sub_i32", &[0x8000_0000, 1]), 0x8000_0000);
    assert_eq!(clamped("v_add_u16", &[0xffff, 0x1_0001]), 0xffff);
    assert_eq!(clamped("v_mad_u32_u24", &[0xff_ffff, 0xff_ffff, 0]), 0xffff_ffff);
    assert_eq!(clamped("v_mad_i32_i24", &[0x80_0000, 0x7f_ffff, 0]), 0x8000_0000);
    assert_eq!(clamped("v_sad_u32", &[0xffff_ffff, 0, 1]), 0xffff_ffff);
    // Without CLAMP the result is 0x8000_0000.
    assert_eq!(v0(vop3(Arch::Gcn14, "v_add_i32"), 0, &[0x7fff_ffff, 1]).0, 0x8000_0000);
}

#[test]
fn op_sel_chooses_halves() {
    let op_sel =
        |mnemonic, bits: u32, old, sources: &[u32]| v0(vop3(Arch::Gcn14, mnemonic).more(bits << 11, 0), old, sources);
    let (a, b, c) = (0x0003_0002, 0x0007_0005, 0x0064_000a);
    // The lower half is 2 * 5 + 10, and the upper half is kept.
    assert_eq!(op_sel("v_mad_u16", 0, 0xaaaa_bbbb, &[a, b, c]).0, 0xaaaa_0014);
    // OP_SEL of each source gives 3 * 5 + 10, 2 * 7 + 10 and 2 * 5 + 100.
    assert_eq!(op_sel("v_mad_u16", 1, 0xaaaa_bbbb, &[a, b, c]).0, 0xaaaa_0019);
    assert_eq!(op_sel("v_mad_u16", 2, 0xaaaa_bbbb, &[a, b, c]).0, 0xaaaa_0018);
    assert_eq!(op_sel("v_mad_u16", 4, 0xaaaa_bbbb, &[a, b, c]).0, 0xaaaa_006e);
    // 3 * 7 + 100 goes to the upper half.
    assert_eq!(op_sel("v_mad_u16", 15, 0xaaaa_bbbb, &[a, b, c]).0, 0x0079_bbbb);
    // A promoted instruction clears the upper half or writes it.
    assert_eq!(op_sel("v_add_u16", 0, 0xaaaa_bbbb, &[a, b]).0, 7);
    assert_eq!(op_sel("v_add_u16", 1, 0xaaaa_bbbb, &[a, b]).0, 8);
    assert_eq!(op_sel("v_add_u16", 8, 0xaaaa_bbbb, &[a, b]).0, 0x0007_bbbb);
    // S2 and the result have 32 bits.
    assert_eq!(op_sel("v_mad_u32_u16", 3, 0xaaaa_bbbb, &[a, b, c]).0, 0x0064_001f);
}

#[test]
fn doubtful_upper_halves_are_noted() {
    let note = |(value, notes): (u32, Notes)| (value, has(notes, Note::Hi16New9));
    let add = vop3(Arch::Gcn14, "v_add_i16");
    assert_eq!(note(v0(add, 0x0001_0000, &[2, 3])), (0x0001_0005, true));
    assert_eq!(note(v0(add, 0x0000_ffff, &[2, 3])), (5, false));
    assert_eq!(note(v0(add.more(8 << 11, 0), 0x0001_0002, &[2, 3])), (0x0005_0002, false));
    let min = vop3(Arch::Gcn14, "v_min3_u16");
    assert_eq!(note(v0(min, 0x0001_0000, &[2, 3, 9])), (2, true));
}

#[test]
fn generations_differ_in_the_upper_half() {
    let opcode = |arch| find(arch, Vop3, "v_mad_u16");
    let asm = |arch| Asm::new(arch, opcode(arch), 0, &[v(4), v(8), v(12)]);
    assert_eq!(v0(asm(Arch::Gcn12), 0xaaaa_bbbb, &[2, 3, 4]).0, 10);
    assert_eq!(v0(asm(Arch::Gcn14), 0xaaaa_bbbb, &[2, 3, 4]).0, 0xaaaa_000a);
}

#[test]
fn cndmask_takes_signs() {
    // Bit 63 of the mask is 0, so lane 63 takes S0. ABS, then NEG apply to bit 31.
    let asm = |more: (u32, u32)| {
        let asm = vop3(Arch::Gcn14, "v_cndmask_b32");
        Asm { src: [v(4), v(8), 106], ..asm }.more(more.0, more.1)
    };
    assert_eq!(v0(asm((0, 0)), 0, &[0x8000_0001, 5]).0, 0x8000_0001);
    assert_eq!(v0(asm((1 << 8, 0)), 0, &[0x8000_0001, 5]).0, 1);
    assert_eq!(v0(asm((0, 1 << 29)), 0, &[0x7fc0_0000, 5]).0, 0xffc0_0000);
    assert_eq!(v0(asm((1 << 8, 1 << 29)), 0, &[0x8000_0001, 5]).0, 0x8000_0001);
    assert_eq!(v0(asm((2 << 8, 0)), 0, &[0x8000_0001, 5]).0, 0x8000_0001);
}

#[test]
fn packed_sources_come_from_any_half() {
    let asm = |op_sel: u32, op_sel_hi: u32| {
        let opcode = find(Arch::Gcn14, Vop3p, "v_pk_sub_u16");
        Asm::new(Arch::Gcn14, opcode, 0, &[v(4), v(8)]).more(op_sel << 11, op_sel_hi << 27)
    };
    let sources = [0x0064_0032, 0x0003_0001];
    assert_eq!(v0(asm(0, 3), 0, &sources).0, 0x0061_0031);
    assert_eq!(v0(asm(3, 0), 0, &sources).0, 0x0031_0061);
    assert_eq!(v0(asm(1, 1), 0, &sources).0, 0x0063_0063);
    assert_eq!(v0(asm(2, 2), 0, &sources).0, 0x002f_002f);
}

#[test]
fn swap_exchanges_active_lanes() {
    let inst = Asm::new(Arch::Gcn14, find(Arch::Gcn14, Vop1, "v_swap_b32"), 0, &[v(4)]).inst();
    let mut machine = Machine::new();
    (machine.vgprs[0].0, machine.vgprs[4].0) = ([1; LANES], [2; LANES]);
    machine.exec = 0xffff_0000_0000_0001;
    machine.run(Level::best(), &inst);
    let expected = |lane: usize| if lane == 0 || lane >= 48 { (2, 1) } else { (1, 2) };
    let found: Vec<_> = (0..LANES).map(|lane| (machine.vgprs[0].0[lane], machine.vgprs[4].0[lane])).collect();
    assert_eq!(found, (0..LANES).map(expected).collect::<Vec<_>>());
}

#[test]
fn lane_moves_have_no_helper() {
    for mnemonic in ["v_nop", "v_clrexcp", "v_readfirstlane_b32"] {
        let asm = Asm::new(Arch::Gcn14, find(Arch::Gcn14, Vop1, mnemonic), 0, &[v(4)]);
        assert!(helper(Level::best(), &asm.inst()).is_none(), "{mnemonic}");
    }
}

#[test]
fn sdwa_selects_parts() {
    let select = |value: u32, select: u32| {
        let (src, mut dst) = (Vgpr([value; LANES]), Vgpr([0xdead; LANES]));
        // SAFETY: both are registers.
        unsafe { prepare_sdwa(src.0.as_ptr(), dst.0.as_mut_ptr(), select) };
        assert!(dst.0.iter().all(|&lane| lane == dst.0[0]));
        let scalar = [value];
        // SAFETY: a scalar and a register.
        unsafe { prepare_sdwa(scalar.as_ptr().wrapping_byte_add(1), dst.0.as_mut_ptr(), select) };
        dst.0[63]
    };
    let value = 0x8182_f3f4;
    let parts: Vec<_> = (0..7).map(|n| select(value, n)).collect();
    assert_eq!(parts, [0xf4, 0xf3, 0x82, 0x81, 0xf3f4, 0x8182, value]);
    let signed: Vec<_> = (0..7).map(|n| select(value, n | SEXT)).collect();
    assert_eq!(signed, [0xffff_fff4, 0xffff_fff3, 0xffff_ff82, 0xffff_ff81, 0xffff_f3f4, 0xffff_8182, value]);
    assert_eq!(select(0x0000_007f, SEXT), 0x7f);
}

#[test]
fn sdwa_places_results() {
    let place = |result: u32, how: u32| {
        let (mut d, results) = (Vgpr([0xaabb_ccdd; LANES]), Vgpr([result; LANES]));
        // SAFETY: both are registers.
        unsafe { finish_sdwa(d.0.as_mut_ptr(), results.0.as_ptr(), 1 << 7, how) };
        assert!((0..LANES).all(|lane| lane == 7 || d.0[lane] == 0xaabb_ccdd));
        d.0[7]
    };
    let (pad, sext, preserve) = (0, 1 << 3, 2 << 3);
    let padded: Vec<_> = (0..7).map(|n| place(0x1234_5687, n | pad)).collect();
    assert_eq!(padded, [0x87, 0x8700, 0x0087_0000, 0x8700_0000, 0x5687, 0x5687_0000, 0x1234_5687]);
    let extended: Vec<_> = (0..7).map(|n| place(0x1234_f687, n | sext)).collect();
    let expected = [0xffff_ff87, 0xffff_8700, 0xff87_0000, 0x8700_0000, 0xffff_f687, 0xf687_0000, 0x1234_f687];
    assert_eq!(extended, expected);
    assert_eq!(place(0x1234_5607, 1 | sext), 0x0700, "a positive part");
    let kept: Vec<_> = (0..7).map(|n| place(0x1234_5687, n | preserve)).collect();
    let expected = [0xaabb_cc87, 0xaabb_87dd, 0xaa87_ccdd, 0x87bb_ccdd, 0xaabb_5687, 0x5687_ccdd, 0x1234_5687];
    assert_eq!(kept, expected);
}

#[test]
fn dpp_source_lanes() {
    let lanes = |ctrl: u32, lanes: &[u32]| lanes.iter().map(|&lane| source_lane(ctrl, lane)).collect::<Vec<_>>();
    let some = |lanes: &[u32]| lanes.iter().copied().map(Some).collect::<Vec<_>>();
    // quad_perm:[3,2,1,0] and [1,1,1,1].
    assert_eq!(lanes(0b00_01_10_11, &[0, 1, 2, 3, 60]), some(&[3, 2, 1, 0, 63]));
    assert_eq!(lanes(0b01_01_01_01, &[0, 3, 9]), some(&[1, 1, 9]));
    // row_shl, row_shr, row_ror.
    assert_eq!(lanes(0x101, &[0, 14, 15, 16]), [Some(1), Some(15), None, Some(17)]);
    assert_eq!(lanes(0x10f, &[0, 1, 48]), [Some(15), None, Some(63)]);
    assert_eq!(lanes(0x111, &[0, 1, 16, 17]), [None, Some(0), None, Some(16)]);
    assert_eq!(lanes(0x12f, &[0, 15, 16, 63]), some(&[1, 0, 17, 48]));
    assert_eq!(lanes(0x121, &[0, 1, 16]), some(&[15, 0, 31]));
    // wave_shl, wave_rol, wave_shr, wave_ror.
    assert_eq!(lanes(0x130, &[0, 15, 63]), [Some(1), Some(16), None]);
    assert_eq!(lanes(0x134, &[0, 63]), some(&[1, 0]));
    assert_eq!(lanes(0x138, &[0, 16, 63]), [None, Some(15), Some(62)]);
    assert_eq!(lanes(0x13c, &[0, 63]), some(&[63, 62]));
    // row_mirror, row_half_mirror, row_bcast:15, row_bcast:31.
    assert_eq!(lanes(0x140, &[0, 16, 63]), some(&[15, 31, 48]));
    assert_eq!(lanes(0x141, &[0, 8, 63]), some(&[7, 15, 56]));
    assert_eq!(lanes(0x142, &[0, 15, 16, 31, 32, 63]), [None, None, Some(15), Some(15), Some(31), Some(47)]);
    assert_eq!(lanes(0x143, &[0, 31, 32, 63]), [None, None, Some(31), Some(31)]);
}

/// Moves lanes 100 + n under a control. Returns the lanes, the mask that takes part, and whether it is noted.
fn moved(exec: u64, how: u32) -> ([u32; LANES], u64, bool) {
    let src = Vgpr(std::array::from_fn(|lane| 100 + lane as u32));
    let mut dst = Vgpr([0xdead; LANES]);
    let mut control = Control::default();
    // SAFETY: two registers and a control block.
    let mask = unsafe { prepare_dpp(src.0.as_ptr(), dst.0.as_mut_ptr(), exec, how, &mut control) };
    let notes = Notes::of_low_words(control.notes);
    (dst.0, mask, has(notes, Note::DppInactiveSrc))
}

#[test]
fn dpp_lanes_take_part_by_masks_and_sources() {
    const ROW_SHR_1: u16 = 0x111;
    let (lanes, mask, noted) = moved(!0, dpp_how(ROW_SHR_1, 15, 15, false));
    assert_eq!((lanes[1], lanes[15], lanes[17], mask, noted), (100, 114, 116, !0x0001_0001_0001_0001, false));
    // With BOUND_CTRL, lanes without a source read 0.
    let (lanes, mask, noted) = moved(!0, dpp_how(ROW_SHR_1, 15, 15, true));
    assert_eq!((lanes[0], lanes[16], mask, noted), (0, 0, !0, false));
    // Rows 0 and 2 and banks 1 and 2 are enabled.
    let (_, mask, _) = moved(!0, dpp_how(0x140, 0b0110, 0b0101, false));
    assert_eq!(mask, 0x0000_0ff0_0000_0ff0);
    // An inactive source counts as missing. It is noted if the lane that reads it takes part.
    let (lanes, mask, noted) = moved(0b1011, dpp_how(0x134, 15, 15, false));
    assert_eq!((lanes[0], mask, noted), (101, 0b0001, true));
    let (lanes, mask, noted) = moved(0b1011, dpp_how(0x134, 15, 15, true));
    assert_eq!((lanes[1], mask, noted), (0, 0b1011, true));
    let (_, mask, noted) = moved(0b11, dpp_how(0b00_00_00_01, 15, 15, false));
    assert_eq!((mask, noted), (0b11, false));
    let (_, mask, noted) = moved(0b10, dpp_how(0b00_00_00_01, 15, 0b1110, false));
    assert_eq!((mask, noted), (0, false), "nobody takes part");
}
