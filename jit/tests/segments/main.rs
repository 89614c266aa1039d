//! Compares vector segments with the helpers of their instructions: registers, masks and notes are equal bit by bit.
#![cfg(target_arch = "x86_64")]
#![allow(unsafe_code)]

mod support;
#[path = "../../../crates/helpers/tests/lanes/valu_support/mod.rs"]
mod valu_support;

use gcnsim_isa::table::{Encoding, Vop1};
use gcnsim_isa::{Arch, Inst, LANES, Opcode, OperandType, Vgpr, decode};
use gcnsim_jit::helpers::Level;
use gcnsim_jit::helpers::valu::helper;
use gcnsim_jit::segments::{Draft, Features, Options, Segment, SegmentFrame, Width, is_lane_wise};
use gcnsim_random::Rng;
use support::{Wave, check, opcodes, random};
use valu_support::{Asm, find, v};

const ARCHS: [Arch; 4] = [Arch::Gcn10, Arch::Gcn12, Arch::Gcn14, Arch::Gcn141];
/// Values of MODE: the defaults of compilers, then others, without IEEE, with other rounding, or with denormals kept
/// only in sources or only in results.
const MODES: [u32; 8] = [0x3f0, 0x3c0, 0x0f0, 0x1c0, 0x3f5, 0x3ca, 0x0df, 0x2e0];

#[test]
fn every_opcode_alone() {
    for features in Features::available() {
        let mut rng = Rng::new(0x1234_5678_9abc_def1);
        let mut taken = 0;
        for arch in ARCHS {
            for opcode in opcodes() {
                let mut is_taken = false;
                for round in 0..24 {
                    let Some(inst) = random(&mut rng, arch, opcode, 24) else { continue };
                    let mode = MODES[round % MODES.len()];
                    let options = Options { features, mode: Some(mode) };
                    if is_lane_wise(&inst, &options) {
                        is_taken = true;
                        check(&[inst], &options, &Wave::random(&mut rng, mode), &mut rng);
                        check(&[inst], &options, &Wave::numbers(&mut rng, mode), &mut rng);
                        check(&[inst], &options, &Wave::one_odd_lane(&mut rng, mode), &mut rng);
                    }
                }
                taken += is_taken as usize;
            }
        }
        assert!(taken > 600, "{taken} opcodes on four generations");
    }
}

/// Whether a segment does not take the instruction: a minimum or maximum with AVX2 in a MODE that flushes denormals.
fn is_left_out(mnemonic: &str, options: &Options) -> bool {
    let is_order = ["v_min", "v_max", "v_med"].iter().any(|start| mnemonic.starts_with(start));
    options.features.width == Width::Ymm && is_order && options.mode.is_some_and(|mode| mode & 0x10 == 0)
}

/// The host computes functions of ordinary numbers: hardly any chunk is left to helpers.
#[test]
fn functions_of_numbers() {
    for features in Features::available() {
        let mut rng = Rng::new(0x1357_9bdf_0246_8ace);
        let (vop1, vop3) = (Encoding::Vop1, Encoding::Vop3);
        let functions = [
            (vop1, "v_exp_f32", 5),
            (vop1, "v_exp_f32", 30),
            (vop1, "v_log_f32", 2),
            (vop1, "v_log_f32", 120),
            (vop1, "v_rcp_f32", 100),
            (vop1, "v_rsq_f32", 100),
            (vop1, "v_sqrt_f32", 100),
            (vop1, "v_sin_f32", 7),
            (vop1, "v_cos_f32", 7),
            (vop1, "v_fract_f32", 10),
            (vop1, "v_frexp_mant_f32", 100),
            (vop1, "v_frexp_exp_i32_f32", 100),
            (vop3, "v_div_scale_f32", 40),
            (vop3, "v_div_fmas_f32", 30),
            (vop3, "v_div_fixup_f32", 70),
            (vop3, "v_fma_f32", 30),
            (vop3, "v_fma_f64", 30),
            (vop3, "v_max3_f32", 30),
            (vop1, "v_rcp_f64", 100),
            (vop1, "v_rsq_f64", 100),
            (vop1, "v_sqrt_f64", 100),
            (vop1, "v_cvt_f64_i32", 100),
            (vop1, "v_cvt_f64_u32", 100),
            (vop1, "v_cvt_i32_f64", 100),
            (vop1, "v_cvt_u32_f64", 100),
            (vop1, "v_cvt_f64_f32", 100),
            (vop1, "v_cvt_f32_f64", 10),
            (vop3, "v_div_scale_f64", 40),
            (vop3, "v_div_fmas_f64", 30),
            (vop3, "v_div_fixup_f64", 60),
        ];
        for (encoding, mnemonic, size) in functions {
            let mut left = 0;
            for round in 0..400 {
                let mode = [0x3f0, 0x3c0, 0x0f0][round % 3];
                let options = Options { features, mode: Some(mode) };
                let is_scale = mnemonic.starts_with("v_div_scale");
                let second = if is_scale { v(4) } else { v(8) };
                let count = find(Arch::Gcn14, encoding, mnemonic).desc().src.len();
                let sources = &[v(4), second, v(12)][..count];
                let more = if is_scale { 106 << 8 } else { 0 };
                let asm = Asm::new(Arch::Gcn14, find(Arch::Gcn14, encoding, mnemonic), 0, sources).more(more, 0);
                if is_left_out(mnemonic, &options) {
                    assert!(!is_lane_wise(&asm.inst(), &options), "{mnemonic} is taken");
                    continue;
                }
                left += check(&[asm.inst()], &options, &Wave::positive(&mut rng, mode, size), &mut rng);
            }
            assert!(left < 16, "{mnemonic}: {left} of 1600 chunks");
        }
    }
}

/// Reciprocal roots are rounded as exact ones are: here of all parities of exponents, and of the number whose root is
/// nearest to the middle between two others. Zeros and infinities are not left to helpers.
#[test]
fn reciprocal_roots() {
    let rsq = Asm::new(Arch::Gcn14, find(Arch::Gcn14, Encoding::Vop1, "v_rsq_f32"), 0, &[v(4)]).inst();
    for features in Features::available() {
        let segment = Segment::compile(&[rsq], &Options { features, mode: Some(0x3c0) }).unwrap();
        let mut rng = Rng::new(0x2468_ace0_1357_9bdf);
        for round in 0..4_000u32 {
            let mut vgprs = vec![Vgpr([0; LANES]); 5];
            let mut frame = SegmentFrame::default();
            frame.sgpr[126..128].fill(!0);
            for (lane, x) in vgprs[4].0.iter_mut().enumerate() {
                *x = match lane {
                    0..3 => [0, 0x8000_0000, 0x7f80_0000][lane],
                    3 => 0x4b3a_18e3 ^ (round % 64),
                    _ => 0x0080_0000 + rng.below(0x7f00_0000),
                };
            }
            // SAFETY: there are all VGPRs that the segment names, and nobody else uses them and the frame.
            unsafe { (segment.function())(vgprs.as_mut_ptr(), &mut frame) };
            for (x, y) in vgprs[4].0.into_iter().zip(vgprs[0].0) {
                let exact = (1.0 / f64::from(f32::from_bits(x)).sqrt()) as f32;
                assert_eq!(y, exact.to_bits(), "of {x:#x}");
            }
            assert_eq!(frame.left_chunks, 0);
        }
    }
}

/// Operands at the ends of the ranges in which the host computes: where results overflow, become denormal, or are
/// exact. A whole chunk has such operands, so no other lane makes the segment leave it to helpers.
#[test]
fn ends_of_ranges() {
    for features in Features::available() {
        let mut rng = Rng::new(0x0f1e_2d3c_4b5a_6978);
        let numbers = [
            0.0,
            0.125,
            0.25,
            0.375,
            0.5,
            0.75,
            1.0,
            1.5,
            2.0,
            64.0,
            125.0,
            126.0,
            127.0,
            128.0,
            149.0,
            150.0,
            151.0,
            256.0,
            2147483648.0,
        ];
        let bits =
            [0x0000_0001, 0x007f_ffff, 0x0080_0000, 0x7f7f_ffff, 0x7f80_0000, 0x7e80_0000, 0x7f00_0000, 0x3f35_04f3];
        let ends = numbers.map(f32::to_bits).into_iter().chain(bits);
        let ends: Vec<u32> = ends.flat_map(|x| [x.wrapping_sub(1), x, x + 1]).flat_map(|x| [x, x ^ 1 << 31]).collect();
        for opcode in opcodes() {
            let takes_float = opcode.desc().src.first() == Some(&OperandType::f32);
            if opcode.desc().opcode_on(Arch::Gcn14).is_none() || !takes_float || matches!(opcode, Opcode::Vopc(_)) {
                continue;
            }
            let asm = Asm::new(Arch::Gcn14, opcode, 0, &[v(4), v(8), v(12)][..opcode.desc().src.len()]);
            let Some(inst) = asm.try_inst() else { continue };
            for mode in [0x3f0, 0x3c0] {
                let options = Options { features, mode: Some(mode) };
                if !is_lane_wise(&inst, &options) {
                    continue;
                }
                let mut wave = Wave::positive(&mut rng, mode, 30);
                for &end in &ends {
                    // In v4 a whole chunk is at the end of a range; in v8 half a chunk and two whole ones are.
                    wave.machine.vgprs[4].0[..16].fill(end);
                    wave.machine.vgprs[8].0[8..48].fill(rng.pick(&ends));
                    check(&[inst], &options, &wave, &mut rng);
                }
            }
        }
    }
}

/// Each inline integer in each place of a source: segments fold operations on constants.
#[test]
fn inline_constants() {
    for features in Features::available() {
        let options = Options { features, mode: Some(MODES[0]) };
        let mut rng = Rng::new(0x1122_3344_5566_7788);
        let mnemonics = ["v_perm_b32", "v_bfe_u32", "v_bfe_i32", "v_alignbit_b32", "v_alignbyte_b32", "v_bfm_b32"];
        let more =
            ["v_lshl_add_u32", "v_lshlrev_b64", "v_ashrrev_i64", "v_mad_u64_u32", "v_mad_i64_i32", "v_mad_i32_i24"];
        for mnemonic in mnemonics.into_iter().chain(more) {
            let opcode = find(Arch::Gcn14, Encoding::Vop3, mnemonic);
            let count = opcode.desc().src.len();
            let sdst = if mnemonic.contains("64_") { 106 << 8 } else { 0 };
            let mut wave = Wave::random(&mut rng, MODES[0]);
            wave.set_pair(126, !0);
            // 0 to 64, then -1 to -16.
            for constant in 128..=208 {
                for place in 0..count {
                    let sources: Vec<_> =
                        (0..count).map(|i| if i == place { constant } else { v(4 + 4 * i as u32) }).collect();
                    let asm = Asm::new(Arch::Gcn14, opcode, 0, &sources).more(sdst, 0);
                    let Some(inst) = asm.try_inst().filter(|inst| is_lane_wise(inst, &options)) else { continue };
                    check(&[inst], &options, &wave, &mut rng);
                }
            }
        }
    }
}

/// V_DIV_SCALE, V_DIV_FMAS and V_DIV_FIXUP with exponents on both sides of where their rules change.
#[test]
fn exponents_of_divisions() {
    for features in Features::available() {
        let mut rng = Rng::new(0x8877_6655_4433_2211);
        let options = Options { features, mode: Some(0x3f0) };
        let single: &[u32] = &[0, 1, 2, 23, 24, 25, 26, 95, 96, 97, 127, 128, 150, 151, 222, 223, 252, 253, 254, 255];
        let double: &[u32] =
            &[0, 1, 2, 52, 53, 54, 55, 255, 256, 767, 768, 769, 1022, 1023, 1075, 1076, 1279, 2044, 2045, 2046, 2047];
        for (mnemonic, second, more) in [("v_div_scale", 4, 106 << 8), ("v_div_fmas", 8, 0), ("v_div_fixup", 8, 0)] {
            // The registers with exponents, and the place of these.
            for (suffix, fields, high, shift) in [("_f32", single, 0, 23), ("_f64", double, 1, 20)] {
                let opcode = find(Arch::Gcn14, Encoding::Vop3, &format!("{mnemonic}{suffix}"));
                let inst = Asm::new(Arch::Gcn14, opcode, 0, &[v(4), v(second), v(12)]).more(more, 0).inst();
                assert!(is_lane_wise(&inst, &options));
                for &a in fields {
                    let mut wave = Wave::positive(&mut rng, 0x3f0, 30);
                    for (lane, &b) in fields.iter().enumerate() {
                        // A chunk has several pairs of exponents. One that is left to helpers hides others in its
                        // chunk, so each pair is tested alone, too (`alone`).
                        for (chunk, [n, d]) in [[a, b], [b, a], [a, a]].into_iter().enumerate() {
                            let at = 16 * chunk + lane % 16;
                            wave.machine.vgprs[12 + high].0[at] = n << shift | 0x2_3456;
                            wave.machine.vgprs[4 + high].0[at] = d << shift | 0x5_4321;
                        }
                        let [n, d] = [12, 4].map(|r: usize| wave.machine.vgprs[r + high].0[lane % 16]);
                        let mut alone = Wave::positive(&mut rng, 0x3f0, 30);
                        alone.machine.vgprs[12 + high].0.fill(n);
                        alone.machine.vgprs[4 + high].0.fill(d);
                        check(&[inst], &options, &alone, &mut rng);
                    }
                    check(&[inst], &options, &wave, &mut rng);
                }
            }
        }
    }
}

/// V_LDEXP_F64 at the ends of the powers that segments take and of the range, and V_RSQ_F64 of what is near a power of
/// four, whose root is near a number.
#[test]
fn ends_of_doubles() {
    for features in Features::available() {
        let mut rng = Rng::new(0x0123_5813_2134_5589);
        let ldexp = Asm::new(Arch::Gcn14, find(Arch::Gcn14, Encoding::Vop3, "v_ldexp_f64"), 0, &[v(4), v(8)]).inst();
        let one = |mnemonic| Asm::new(Arch::Gcn14, find(Arch::Gcn14, Encoding::Vop1, mnemonic), 0, &[v(4)]).inst();
        let functions =
            ["v_rsq_f64", "v_rcp_f64", "v_sqrt_f64", "v_cvt_i32_f64", "v_cvt_u32_f64", "v_cvt_f32_f64"].map(one);
        let powers = [0, 1, -1, 52, -52, 999, 1000, 1001, -999, -1000, -1001, 2100, -2100, i32::MIN, i32::MAX];
        let ends = [
            0.0,
            0.5,
            1.0,
            1.5,
            2.0,
            4.0,
            16.0,
            2147483646.5,
            2147483647.0,
            2147483648.0,
            4294967295.0,
            4294967295.5,
            3.4028235677973366e38,
            1.1754943508222875e-38,
            1e-310,
            2.2250738585072014e-308,
            1.7e308,
            f64::INFINITY,
        ];
        let near = |x: f64| [x.to_bits().wrapping_sub(1), x.to_bits(), x.to_bits() + 1];
        let ends: Vec<u64> = ends.into_iter().flat_map(near).flat_map(|x| [x, x ^ 1 << 63]).collect();
        for mode in [0x3f0, 0x3c0, 0x0f0, 0x330, 0x3f4] {
            let options = Options { features, mode: Some(mode) };
            for &end in &ends {
                let mut wave = Wave::positive(&mut rng, mode, 30);
                wave.set_pair(126, !0);
                // Half of the lanes, for there are lanes that are left and others.
                for lane in 0..40 {
                    let bits = if lane < 16 { end } else { rng.pick(&ends) };
                    (wave.machine.vgprs[4].0[lane], wave.machine.vgprs[5].0[lane]) = (bits as u32, (bits >> 32) as u32);
                }
                for lane in 0..64 {
                    wave.machine.vgprs[8].0[lane] = rng.pick(&powers) as u32;
                }
                for inst in functions.iter().chain([&ldexp]) {
                    if is_lane_wise(inst, &options) {
                        check(&[*inst], &options, &wave, &mut rng);
                    }
                }
                for power in powers {
                    wave.machine.vgprs[8].0.fill(power as u32);
                    check(&[ldexp], &options, &wave, &mut rng);
                }
            }
        }
    }
}

#[test]
fn what_is_taken_has_a_helper() {
    for features in Features::available() {
        let options = Options { features, mode: Some(MODES[0]) };
        let mut rng = Rng::new(0x2468_ace0_1357_9bdf);
        for arch in ARCHS {
            for opcode in opcodes() {
                let insts = (0..64).filter_map(|_| random(&mut rng, arch, opcode, 24));
                let Some(inst) = insts.into_iter().find(|inst| is_lane_wise(inst, &options)) else { continue };
                let has_helper = helper(Level::best(), &inst).is_some();
                assert!(has_helper || matches!(opcode, Opcode::Vopc(_) | Opcode::Vop1(Vop1::VNop)), "{inst:?}");
            }
        }
    }
}

/// At most `count` random instructions that one segment takes.
fn random_run(rng: &mut Rng, arch: Arch, options: &Options, count: usize, registers: u32) -> Vec<Inst> {
    let all = opcodes();
    let mut insts = Vec::new();
    let mut tries = 0;
    while insts.len() < count && tries < 50 * count {
        tries += 1;
        let opcode = rng.pick(&all);
        let Some(inst) = random(rng, arch, opcode, registers) else { continue };
        if is_lane_wise(&inst, options) {
            insts.push(inst);
            if Draft::new(&insts, options).unwrap().len() < insts.len() {
                insts.pop();
            }
        }
    }
    insts
}

#[test]
fn random_segments() {
    for features in Features::available() {
        let mut rng = Rng::new(0x0fed_cba9_8765_4321);
        for round in 0..400 {
            let arch = rng.pick(&ARCHS);
            let mode = rng.pick(&MODES);
            let options = Options { features, mode: (round % 4 != 0).then_some(mode) };
            let count = 1 + rng.below(60) as usize;
            let registers = rng.pick(&[3, 8, 40, 255]);
            let insts = random_run(&mut rng, arch, &options, count, registers);
            check(&insts, &options, &Wave::random(&mut rng, mode), &mut rng);
            check(&insts, &options, &Wave::numbers(&mut rng, mode), &mut rng);
            check(&insts, &options, &Wave::one_odd_lane(&mut rng, mode), &mut rng);
        }
    }
}

/// Values and masks that are used behind calls of routines: fewer than there are registers, as many, and more.
#[test]
fn values_outlive_calls() {
    let arch = Arch::Gcn14;
    let vop2 = |mnemonic, to, s0, s1| Asm::new(arch, find(arch, Encoding::Vop2, mnemonic), to, &[s0, s1]).inst();
    let vop1 = |mnemonic, to, s0| Asm::new(arch, find(arch, Encoding::Vop1, mnemonic), to, &[s0]).inst();
    for features in Features::available() {
        let mut rng = Rng::new(0x1032_5476_98ba_dcfe);
        for count in [1, 4, 7, 13, 20, 31, 40] {
            for masks in 0..7 {
                // First come sums, and masks in s[20:21] and the next pairs; then functions of some sums; then uses of
                // all.
                let sums = (0..count).map(|n| vop2("v_add_f32", 40 + n, v(n), v(n + 1)));
                // The words are V_CMP_LT_U32 s[20 + 2n : ..], v_n, v_n+2.
                let compare = |n| decode(arch, 0xd0c9_0014 + 2 * n, Some(v(n) | v(n + 2) << 9)).unwrap();
                let compares = (0..masks).map(compare);
                let calls = (0..count.min(5)).flat_map(|n| {
                    let function = if n % 2 == 0 { "v_exp_f32" } else { "v_log_f32" };
                    // The first function's argument is used again; the second one's is overwritten.
                    [vop1(function, 90 + n, v(40 + n)), vop1("v_exp_f32", 40 + n, v(40 + n))]
                });
                let uses = (0..count).map(|n| vop2("v_xor_b32", 40 + n, v(40 + n), v(90 + n % 5)));
                let choices = (0..masks).map(|n| {
                    let opcode = find(arch, Encoding::Vop2, "v_cndmask_b32");
                    Asm::new(arch, opcode, 100 + n, &[v(1), v(2), 20 + 2 * n]).vop3().inst()
                });
                let insts: Vec<Inst> = sums.chain(compares).chain(calls).chain(uses).chain(choices).collect();
                let options = Options { features, mode: Some(MODES[0]) };
                assert_eq!(Draft::new(&insts, &options).unwrap().len(), insts.len());
                check(&insts, &options, &Wave::numbers(&mut rng, MODES[0]), &mut rng);
                check(&insts, &options, &Wave::positive(&mut rng, MODES[0], 3), &mut rng);
            }
        }
    }
}

/// NaNs that are results, and numbers that are minima and maxima of them. The chunk must be left to helpers because of
/// the NaN, which is stored, too: a test of the minimum alone would miss it.
#[test]
fn hidden_nans() {
    for features in Features::available() {
        let mut rng = Rng::new(0x7531_8642_0fdb_ca97);
        let arch = Arch::Gcn14;
        let sum = Asm::new(arch, find(arch, Encoding::Vop2, "v_add_f32"), 20, &[v(4), v(8)]).inst();
        let two = ["v_min_f32", "v_max_f32"].map(|mnemonic| (Encoding::Vop2, mnemonic));
        let three = ["v_min3_f32", "v_max3_f32", "v_med3_f32"].map(|mnemonic| (Encoding::Vop3, mnemonic));
        for (encoding, mnemonic) in two.into_iter().chain(three) {
            let opcode = find(arch, encoding, mnemonic);
            let sources = &[v(20), v(12), v(16)][..opcode.desc().src.len()];
            let limit = Asm::new(arch, opcode, 24, sources).inst();
            for mode in [0x3f0, 0x3c0, 0x0f0, 0x1f0] {
                let options = Options { features, mode: Some(mode) };
                if is_left_out(mnemonic, &options) {
                    continue;
                }
                let mut wave = Wave::positive(&mut rng, mode, 30);
                wave.set_pair(126, !0);
                let pairs = [[0x7f80_0000, 0xff80_0000], [0x7fc0_0001, 0xffc0_0002], [0xff80_0003, 0x7fc0_0004]];
                for (lane, [a, b]) in [5, 17, 47].into_iter().zip(pairs) {
                    (wave.machine.vgprs[4].0[lane], wave.machine.vgprs[8].0[lane]) = (a, b);
                }
                let left = check(&[sum, limit], &options, &wave, &mut rng);
                assert_eq!(left, 3, "chunks with NaNs, {mnemonic}, mode {mode:#x}");
            }
        }
    }
}

/// V_CMP_LT_U32 and V_ADD_CO_U32 in VOP3 form, with their masks in the pair of scalar registers at `code`; `None` if
/// the decoder refuses the pair.
fn with_mask(code: u32) -> [Option<Inst>; 2] {
    let compare = decode(Arch::Gcn14, 0xd0c9_0000 | code, Some(0x0002_0d0c)).ok();
    let sum = decode(Arch::Gcn14, 0xd119_0014 | code << 8, Some(0x0002_0d0c)).ok();
    [compare, sum]
}

/// Segments do not write EXEC, because later instructions of the segment would still be executed under the old value.
#[test]
fn exec_is_no_destination() {
    for features in Features::available() {
        let options = Options { features, mode: Some(MODES[0]) };
        assert!(with_mask(104).into_iter().all(|inst| is_lane_wise(&inst.unwrap(), &options)));
        let mut refused = 0;
        for code in 125..128 {
            for inst in with_mask(code).into_iter().flatten() {
                assert!(!is_lane_wise(&inst, &options), "{inst}");
                refused += 1;
            }
        }
        assert!(refused >= 2, "{refused} instructions have EXEC as their destination");
    }
}

/// The segment makes the mask of V_MAD_I64_I32 of signs. An addition that takes it as carry-in must add 0 or 1.
#[test]
fn carries_of_signs() {
    let mad = decode(Arch::Gcn14, 0xd1e9_6a14, Some(0x0432_1104)).unwrap();
    assert_eq!(mad.to_string(), "v_mad_i64_i32 v[20:21], vcc, v4, v8, v[12:13]");
    let sum = decode(Arch::Gcn14, 0x382c_2310, None).unwrap();
    assert_eq!(sum.to_string(), "v_addc_co_u32_e32 v22, vcc, v16, v17, vcc");
    for features in Features::available() {
        let mut rng = Rng::new(0x0246_8ace_1357_9bdf);
        let options = Options { features, mode: Some(MODES[0]) };
        assert_eq!(Draft::new(&[mad, sum], &options).unwrap().len(), 2);
        for _ in 0..8 {
            check(&[mad, sum], &options, &Wave::random(&mut rng, MODES[0]), &mut rng);
        }
    }
}

/// Sums of sums, which segments add in another order. There are few registers, so that addends are overwritten, copied,
/// used again, and added to themselves.
#[test]
fn sums_of_sums() {
    let random = |rng: &mut Rng| {
        let [d, a, b, c] = [0; 4].map(|_| rng.below(4));
        let source = if rng.below(4) == 0 { 4 + a } else { 256 + a };
        let words = match rng.below(8) {
            0 => [0x2a00_0000 | d << 17 | b << 9 | source, 0],
            // V_MOV, and a shift by 0.
            6 => [0x7e00_0200 | d << 17 | source, 0],
            7 => [0x2400_0080 | d << 17 | b << 9, 0],
            1 | 2 => [0xd1ff_0000 | d, source | (256 + b) << 9 | (256 + c) << 18],
            _ => [0x6800_0000 | d << 17 | b << 9 | source, 0],
        };
        decode(Arch::Gcn14, words[0], Some(words[1])).unwrap()
    };
    for features in Features::available() {
        let mut rng = Rng::new(0x1357_9bdf_0246_8ace);
        let options = Options { features, mode: Some(MODES[0]) };
        for round in 0..400 {
            let insts: Vec<Inst> = (0..2 + round % 9).map(|_| random(&mut rng)).collect();
            check(&insts, &options, &Wave::random(&mut rng, MODES[0]), &mut rng);
        }
    }
}

/// A segment ends before a mask whose pair of scalar registers has one register of an earlier mask.
#[test]
fn masks_that_overlap_by_half() {
    for features in Features::available() {
        let options = Options { features, mode: Some(MODES[0]) };
        let [even, odd] = [10, 11].map(with_mask);
        let odd: Vec<Inst> = odd.into_iter().flatten().collect();
        for first in even.into_iter().flatten() {
            for &second in &odd {
                assert_eq!(Draft::new(&[first, second], &options).unwrap().len(), 1, "{first}; {second}");
                assert_eq!(Draft::new(&[second, first], &options).unwrap().len(), 1, "{second}; {first}");
            }
            assert_eq!(Draft::new(&[first, first], &options).unwrap().len(), 2);
        }
        assert_eq!(odd.len(), 2, "the decoder takes odd pairs");
    }
}
