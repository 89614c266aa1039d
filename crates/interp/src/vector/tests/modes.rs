//! VSKIP, GPR-index mode, and waves with few registers.

use gcnsim_isa::Mode;

use super::*;

const ARCH: Arch = Arch::Gcn14;
const SRC0: u32 = 1 << 12;
const SRC1: u32 = 1 << 13;
const DST: u32 = 1 << 15;

/// Lane l of VGPR n holds 1000 n + l.
fn indexed(m0: u32) -> Setup {
    let mut setup = Setup::new(ARCH);
    (0..256).for_each(|n| setup.fill(n, |lane| 1000 * n as u32 + lane));
    setup.state.sgpr[M0 as usize] = m0;
    setup.state.mode |= Mode::GPR_IDX_EN;
    setup
}

#[test]
fn vskip_passes_over_everything() {
    for words in [
        vop2(ARCH, Vop2::VAddCoU32, 2, v(1), 1),
        vop1(ARCH, Vop1::VReadfirstlaneB32, 6, v(1)),
        vop1(ARCH, Vop1::VSwapB32, 1, v(2)),
        vop3(ARCH, Vop3::VWritelaneB32, 2, [129, 130, 0]),
        dpp(vop1(ARCH, Vop1::VMovB32, 3, v(1)), 0xe4, false),
        vopc(ARCH, Vopc::VCmpxTU32, v(1), 1),
    ] {
        let mut setup = indexed(7);
        setup.state.mode |= Mode::VSKIP;
        setup.state.set_vcc(5);
        let (state, vgprs) = (setup.state.clone(), setup.vgprs.clone());
        setup.run(words);
        assert!(setup.state == state && setup.vgprs == vgprs, "{words:08x?}");
    }
}

#[test]
fn operands_are_moved() {
    let mov = vop1(ARCH, Vop1::VMovB32, 3, v(1));
    let mut setup = indexed(SRC0 | 10);
    setup.run(mov);
    assert_eq!((setup.lane(3, 5), setup.notes()), (11_005, vec![]));
    let mut setup = indexed(DST | 10);
    setup.run(mov);
    assert_eq!([setup.lane(3, 5), setup.lane(13, 5)], [3_005, 1_005]);
    // Only M0[7:0] counts, and scalar sources are not moved.
    let mut setup = indexed(0xffff_0000 | SRC0 | SRC1 | 2);
    setup.run(vop2(ARCH, Vop2::VSubU32, 30, v(8), 1));
    assert_eq!(setup.lane(30, 63), 7_000);
    setup.run(vop2(ARCH, Vop2::VAddU32, 30, 130, 1));
    assert_eq!(setup.lane(30, 63), 3_065);
    // The base of a pair moves.
    let mut setup = indexed(SRC1 | DST | 2);
    setup.run(vop3(ARCH, Vop3::VLshlrevB64, 20, [ZERO, v(4), 0]));
    assert_eq!([setup.lane(22, 1), setup.lane(23, 1)], [6_001, 7_001]);
    // Register numbers stay as they are if the mode is off, or the generation does not have it.
    for (arch, mode) in [(ARCH, 0), (Arch::Gcn11, Mode::GPR_IDX_EN)] {
        let mut setup = indexed(SRC0 | 10);
        setup.arch = arch;
        setup.state.mode = mode;
        setup.run(mov);
        assert_eq!(setup.lane(3, 5), 1_005);
    }
}

#[test]
fn past_the_last_register() {
    let mut setup = indexed(SRC0 | 255);
    setup.run(vop1(ARCH, Vop1::VMovB32, 3, v(1)));
    assert_eq!((setup.lane(3, 5), setup.notes()), (5, vec![Note::GpridxRange]));
    let mut setup = indexed(DST | 255);
    let before = setup.vgprs.clone();
    setup.run(vop1(ARCH, Vop1::VMovB32, 3, v(1)));
    assert_eq!((setup.vgprs == before, setup.notes()), (true, vec![Note::GpridxRange]));
    // Only the second register of a pair is out of range.
    let mut setup = indexed(SRC1 | 250);
    setup.run(vop3(ARCH, Vop3::VLshlrevB64, 20, [ZERO, v(5), 0]));
    assert_eq!([setup.lane(20, 1), setup.lane(21, 1)], [1, 1_001]);
    assert_eq!(setup.notes(), [Note::GpridxRange]);
    // A compare has a note of its own.
    let mut setup = indexed(SRC0 | 255);
    setup.run(vopc(ARCH, Vopc::VCmpEqU32, v(1), 0));
    assert_eq!((setup.state.vcc(), setup.notes()), (u64::MAX, vec![Note::GprIdxRange]));
}

#[test]
fn accumulators_go_with_the_destination() {
    let mut setup = indexed(DST | 10);
    setup.set(1, 1, 1.0f32.to_bits().into());
    setup.set(13, 1, 2.0f32.to_bits().into());
    setup.run(vop2(ARCH, Vop2::VMacF32, 3, v(1), 1));
    assert_eq!((setup.lane(13, 0), setup.notes()), (3.0f32.to_bits(), vec![Note::GpridxMac]));
}

#[test]
fn odd_instructions() {
    let mut setup = indexed(SRC0 | DST | 10);
    setup.run(vop1(ARCH, Vop1::VReadfirstlaneB32, 6, v(1)));
    assert_eq!((setup.state.sgpr[6], setup.notes()), (1_000, vec![Note::GpridxOdd]));
    for words in [
        dpp(vop1(ARCH, Vop1::VMovB32, 3, v(1)), 0xe4, false),
        sdwa(vop1(ARCH, Vop1::VMovB32, 3, v(1)), 6, 0, [6, 6], 0),
    ] {
        let mut setup = indexed(SRC0 | DST | 10);
        setup.run(words);
        assert_eq!((setup.lane(13, 9), setup.notes()), (11_009, vec![Note::GpridxOdd]));
    }
    // V_SWAP behaves like all other instructions.
    let mut setup = indexed(SRC0 | DST | 10);
    setup.run(vop1(ARCH, Vop1::VSwapB32, 3, v(1)));
    assert_eq!(([setup.lane(13, 9), setup.lane(11, 9)], setup.notes()), ([11_009, 13_009], vec![]));
    let mut setup = indexed(SRC0 | 255);
    setup.run(vop1(ARCH, Vop1::VSwapB32, 3, v(1)));
    assert_eq!(([setup.lane(3, 9), setup.lane(0, 9)], setup.notes()), ([9, 9], vec![Note::GpridxRange]));
}

#[test]
fn registers_past_the_allocation_are_noted() {
    let relative = |op| vop1(Arch::Gcn12, op, 9, v(8));
    let cases = [
        // The words, and the fewest registers with which nothing is noted.
        (ARCH, vop2(ARCH, Vop2::VAddU32, 3, v(7), 5), 8),
        (ARCH, vop2(ARCH, Vop2::VAddU32, 9, v(7), 5), 10),
        (ARCH, vop3(ARCH, Vop3::VLshlrevB64, 3, [v(0), v(7), 0]), 9),
        (ARCH, vop3(ARCH, Vop3::VMqsadU32U8, 20, [v(0), v(1), v(2)]), 24),
        (ARCH, vop1(ARCH, Vop1::VReadfirstlaneB32, 100, v(3)), 4),
        (ARCH, vop3(ARCH, Vop3::VReadlaneB32, 100, [v(3), 128, 0]), 4),
        (ARCH, vop3(ARCH, Vop3::VWritelaneB32, 6, [128, 128, 0]), 7),
        (ARCH, vop1(ARCH, Vop1::VSwapB32, 6, v(7)), 8),
        (ARCH, vopc(ARCH, Vopc::VCmpEqU32, v(7), 5), 8),
        (ARCH, vop1(ARCH, Vop1::VNop, 0, 0), 0),
        // A computed number has a note of its own.
        (Arch::Gcn12, relative(Vop1::VMovrelsB32), 10),
        (Arch::Gcn12, relative(Vop1::VMovreldB32), 9),
        (Arch::Gcn12, relative(Vop1::VMovrelsdB32), 0),
    ];
    for (arch, words, least) in cases {
        let notes = |count: usize, exec: u64| {
            let mut setup = Setup::new(arch).exec(exec);
            setup.vgprs.truncate(count);
            setup.run(words);
            setup.notes().contains(&Note::RegRange)
        };
        assert!(!notes(least, u64::MAX), "{words:08x?} with {least}");
        if least > 0 {
            assert!(notes(least - 1, 1), "{words:08x?} with one less than {least}");
        }
    }
    // Without active lanes nothing is read.
    let mut setup = Setup::new(ARCH).exec(0);
    setup.vgprs.truncate(1);
    setup.run(vop2(ARCH, Vop2::VAddU32, 3, v(7), 5));
    assert_eq!(setup.notes(), []);
}

#[test]
fn nothing_outside_the_registers_is_touched() {
    // The engine would refuse some of these, and cannot refuse others. None panics, and results exist only where
    // registers do.
    for count in [0, 1, 2, 24] {
        for words in [
            vop2(ARCH, Vop2::VAddU32, 255, v(255), 255),
            vop3(ARCH, Vop3::VLshlrevB64, 254, [v(255), v(254), 0]),
            vop3(ARCH, Vop3::VMqsadU32U8, 252, [v(254), v(255), v(252)]),
            vop1(ARCH, Vop1::VSwapB32, 255, v(254)),
            vop1(ARCH, Vop1::VReadfirstlaneB32, 6, v(255)),
            vop3(ARCH, Vop3::VWritelaneB32, 255, [129, 130, 0]),
            dpp(vop1(ARCH, Vop1::VMovB32, 255, v(255)), 0x134, false),
            sdwa(vop1(ARCH, Vop1::VMovB32, 255, v(255)), 1, 2, [1, 6], 0),
            vopc(ARCH, Vopc::VCmpEqU32, v(255), 255),
        ] {
            for mode in [0, Mode::GPR_IDX_EN] {
                let mut setup = indexed(0xf0ff);
                setup.state.mode = mode;
                setup.vgprs.truncate(count);
                let before = setup.vgprs.clone();
                setup.run(words);
                assert_eq!(setup.vgprs, before, "{words:08x?} with {count}");
            }
        }
    }
}
