//! Compares in SDWA and DPP form, and whether the other forms agree with VOPC.

use super::*;

const ARCH: Arch = Arch::Gcn14;

#[test]
fn plain_forms() {
    let exec = 0xff00_ff00_ff00_00ff;
    let mut setup = Setup::new(ARCH).exec(exec);
    setup.fill(1, |lane| lane);
    setup.run(vopc(ARCH, Vopc::VCmpGtU32, 128 + 9, 1));
    assert_eq!(setup.state.vcc(), 0x1ff & exec);
    setup.run(vopc(ARCH, Vopc::VCmpxGeU32, 128 + 60, 1));
    assert_eq!((setup.state.vcc(), setup.state.exec()), (((1 << 61) - 1) & exec, ((1 << 61) - 1) & exec));
    // In pairs, lane << 32 | 5 is below 3 << 32 | 4 for small lanes.
    let mut setup = Setup::new(ARCH);
    setup.set(1, 1, 5);
    setup.fill(2, |lane| lane);
    setup.state.set_pair(4, 3 << 32 | 4);
    setup.run(vopc(ARCH, Vopc::VCmpGtU64, 4, 1));
    assert_eq!(setup.state.vcc(), 7);
    // With EXEC = 0 the mask is 0.
    let mut setup = Setup::new(ARCH).exec(0);
    setup.state.set_vcc(1);
    setup.run(vopc(ARCH, Vopc::VCmpEqU32, v(1), 1));
    assert_eq!((setup.state.vcc(), setup.notes()), (0, vec![Note::VcmpExecZero]));
}

#[test]
fn sdwa_selects_and_names_its_destination() {
    let mut setup = Setup::new(ARCH);
    setup.fill(1, |lane| lane << 24 | 0x00ff_ffff);
    setup.set(2, 1, 0x0000_2000);
    // Byte 3 of v1 is compared with byte 1 of v2. The result goes to VCC and to s[8:9].
    let [w, w1] = sdwa(vopc(ARCH, Vopc::VCmpLtU32, v(1), 2), 0, 0, [3, 1], 0);
    setup.run([w, w1]);
    assert_eq!(setup.state.vcc(), 0xffff_ffff);
    setup.run([w, w1 | 1 << 15 | 8 << 8]);
    assert_eq!(setup.state.pair(8), 0xffff_ffff);
    // With SEXT, bytes from 0x80 on are negative.
    setup.fill(1, |lane| lane << 26);
    setup.run(sdwa(vopc(ARCH, Vopc::VCmpLtI32, v(1), 3), 0, 0, [3, 6], 1 << 19));
    assert_eq!(setup.state.vcc(), 0xffff_ffff_0000_0000);
    // Words as binary16, S0 negated: -0x3c00 + lane is below 0x4000 in all lanes, and above -1.0 in none.
    setup.fill(1, |lane| (0x3c00 + lane) << 16);
    setup.set(2, 1, 0xbc00_0000);
    setup.run(sdwa(vopc(ARCH, Vopc::VCmpLtF16, v(1), 2), 0, 0, [5, 5], 1 << 20));
    assert_eq!(setup.state.vcc(), !1);
}

#[test]
fn sdwa_compare_that_writes_exec() {
    let mut setup = Setup::new(Arch::Gcn12).exec(0xffff_0000);
    setup.fill(1, |lane| lane << 8);
    setup.set(2, 1, 20);
    setup.run(sdwa(vopc(Arch::Gcn12, Vopc::VCmpxLtU32, v(1), 2), 0, 0, [1, 6], 0));
    assert_eq!((setup.state.exec(), setup.state.vcc()), (0x000f_0000, 0x000f_0000));
}

#[test]
fn dpp_compares() {
    // v1 moved by wave_shr equals lane - 1. Lane 0 has no source.
    let mut setup = Setup::new(ARCH).exec(!(1 << 5));
    setup.fill(1, |lane| lane);
    setup.fill(2, |lane| lane.wrapping_sub(1));
    setup.state.set_vcc(u64::MAX);
    setup.run(dpp(vopc(ARCH, Vopc::VCmpEqU32, v(1), 2), 0x138, false));
    // Three lanes do not take part: 0 (no source), 5 (inactive), 6 (its source is inactive).
    assert_eq!((setup.state.vcc(), setup.notes()), (!(1 | 1 << 5 | 1 << 6), vec![Note::DppInactiveSrc]));
    // With BOUND_CTRL, 0 is compared.
    setup.fill(2, |lane| if lane == 0 { 0 } else { lane - 1 });
    setup.run(dpp(vopc(ARCH, Vopc::VCmpEqU32, v(1), 2), 0x138, true));
    assert_eq!(setup.state.vcc(), !(1 << 5 | 1 << 6));
    // |-1.0| equals 1.0.
    setup.set(1, 1, 0xbf80_0000);
    setup.set(2, 1, 0x3f80_0000);
    let [w, w1] = dpp(vopc(ARCH, Vopc::VCmpEqF32, v(1), 2), 0xe4, true);
    setup.run([w, w1]);
    assert_eq!(setup.state.vcc(), 0);
    setup.run([w, w1 | 1 << 21]);
    assert_eq!(setup.state.vcc(), !(1 << 5));
}

#[test]
fn classes_and_denormals() {
    let mut setup = Setup::new(ARCH);
    // Word 0 of v1: a binary16 denormal with its sign by lane. Bits 4 and 7 of the mask.
    setup.fill(1, |lane| 0xffff_0001 | (lane % 2) << 15);
    setup.set(2, 1, 1 << 4);
    setup.run(sdwa(vopc(ARCH, Vopc::VCmpClassF16, v(1), 2), 0, 0, [4, 6], 0));
    assert_eq!(setup.state.vcc(), 0xaaaa_aaaa_aaaa_aaaa);
    // A denormal equals 0 only where denormals are flushed. The note is raised only for active lanes.
    for (mode, exec, expected, notes) in
        [(0, 3, 3, vec![Note::CmpDenormFlush]), (0, 2, 2, vec![]), (1 << 4, 3, 2, vec![])]
    {
        let mut setup = Setup::new(ARCH).exec(exec);
        setup.state.mode = mode;
        setup.fill(1, |lane| u32::from(lane == 0));
        setup.run(sdwa(vopc(ARCH, Vopc::VCmpEqF32, v(1), 3), 0, 0, [6, 6], 0));
        assert_eq!((setup.state.vcc(), setup.notes()), (expected, notes));
    }
}
