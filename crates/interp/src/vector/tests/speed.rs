//! Measures how long an instruction takes:
//! `cargo test --release -p gcnsim-interp vector::tests::speed -- --ignored --nocapture`.

use std::hint::black_box;
use std::time::Instant;

use super::*;

#[test]
#[ignore = "a measurement"]
fn nanoseconds_per_instruction() {
    let arch = Arch::Gcn14;
    let v3 = |op, src| vop3(arch, op, 3, src);
    let add_f32 = vop2(arch, Vop2::VAddF32, 3, v(1), 2);
    let e64 = vop2_e64(arch, Vop2::VMulF32, 3, 1, [v(1), v(2), 0]);
    for (name, words) in [
        ("v_mov_b32 v, v", vop1(arch, Vop1::VMovB32, 3, v(1))),
        ("v_mov_b32 v, s", vop1(arch, Vop1::VMovB32, 3, 5)),
        ("v_and_b32 v, v", vop2(arch, Vop2::VAndB32, 3, v(1), 2)),
        ("v_add_u32 v, s", vop2(arch, Vop2::VAddU32, 3, 5, 2)),
        ("v_add_co_u32", vop2(arch, Vop2::VAddCoU32, 3, v(1), 2)),
        ("v_addc_co_u32", vop2(arch, Vop2::VAddcCoU32, 3, v(1), 2)),
        ("v_cndmask_b32", vop2(arch, Vop2::VCndmaskB32, 3, v(1), 2)),
        ("v_lshlrev_b32", vop2(arch, Vop2::VLshlrevB32, 3, 130, 2)),
        ("v_mul_lo_u32", v3(Vop3::VMulLoU32, [v(1), v(2), 0])),
        ("v_mul_hi_u32", v3(Vop3::VMulHiU32, [v(1), v(2), 0])),
        ("v_mad_u32_u24", v3(Vop3::VMadU32U24, [v(1), v(2), v(4)])),
        ("v_bfe_i32", v3(Vop3::VBfeI32, [v(1), v(2), v(4)])),
        ("v_alignbit_b32", v3(Vop3::VAlignbitB32, [v(1), v(2), 132])),
        ("v_perm_b32", v3(Vop3::VPermB32, [v(1), v(2), v(4)])),
        ("v_sad_u8", v3(Vop3::VSadU8, [v(1), v(2), v(4)])),
        ("v_add3_u32", v3(Vop3::VAdd3U32, [v(1), v(2), v(4)])),
        ("v_med3_i32", v3(Vop3::VMed3I32, [v(1), v(2), v(4)])),
        ("v_bcnt_u32_b32", v3(Vop3::VBcntU32B32, [v(1), v(2), 0])),
        ("v_ffbh_u32", vop1(arch, Vop1::VFfbhU32, 3, v(1))),
        ("v_bfrev_b32", vop1(arch, Vop1::VBfrevB32, 3, v(1))),
        ("v_mbcnt_lo_u32_b32", v3(Vop3::VMbcntLoU32B32, [193, ZERO, 0])),
        ("v_add_u16", vop2(arch, Vop2::VAddU16, 3, v(1), 2)),
        ("v_pk_add_u16", vop3p(Vop3p::VPkAddU16, 3, [v(1), v(2), 0])),
        ("v_lshlrev_b64", v3(Vop3::VLshlrevB64, [130, v(4), 0])),
        ("v_mad_u64_u32", vop3_word(arch, number(arch, Opcode::Vop3(Vop3::VMadU64U32)), 6, 4, [v(1), v(2), v(4)])),
        ("v_add_f32", add_f32),
        ("v_mul_f32 |v|", e64),
        ("v_max_f32 clamp", vop2_e64(arch, Vop2::VMaxF32, 3, 0x80, [v(1), v(2), 0])),
        ("v_add_f16", vop2(arch, Vop2::VAddF16, 3, v(1), 2)),
        ("v_mad_f32", v3(Vop3::VMadF32, [v(1), v(2), v(1)])),
        ("v_mad_u16", v3(Vop3::VMadU16, [v(1), v(2), v(4)])),
        ("v_cmp_lt_u32", vopc(arch, Vopc::VCmpLtU32, v(1), 2)),
        ("v_or_b32_sdwa", sdwa(vop2(arch, Vop2::VOrB32, 3, v(1), 2), 1, 2, [0, 5], 0)),
        ("v_mov_b32_dpp", dpp(vop1(arch, Vop1::VMovB32, 3, v(1)), 0x111, true)),
        ("v_readlane_b32", v3(Vop3::VReadlaneB32, [v(1), 133, 0])),
    ] {
        let times = [u64::MAX, 0x0fff_ffff_f0f0_ffff].map(|exec| {
            let mut setup = Setup::new(arch).exec(exec);
            setup.fill(1, |lane| (lane as f32 * 0.37 + 1.0).to_bits());
            setup.fill(2, |lane| (lane as f32 * 1.7 - 9.0).to_bits());
            setup.set(4, 2, 0x0000_0005_0302_0100);
            setup.state.set_vcc(0x5555_5555_5555_5555);
            let op = VectorOp::new(&setup.inst(words));
            let mut best = f64::MAX;
            for _ in 0..20 {
                let start = Instant::now();
                for _ in 0..10_000 {
                    (black_box(op.function))(black_box(&op), &mut setup.state, &mut setup.vgprs);
                }
                best = best.min(start.elapsed().as_nanos() as f64 / 10_000.0);
            }
            best
        });
        println!("{name:20} {:6.1} ns, EXEC partial {:6.1} ns", times[0], times[1]);
    }
    let inst = Setup::new(arch).inst(vop2(arch, Vop2::VAndB32, 3, v(1), 2));
    let start = Instant::now();
    for _ in 0..100_000 {
        black_box(VectorOp::new(black_box(&inst)));
    }
    println!("predecoding {:.1} ns, {} bytes", start.elapsed().as_nanos() as f64 / 100_000.0, size_of::<VectorOp>());
}
