//! Compares integer helpers with check values (docs/gcn/valu-check-values.md), and with formulas over wide integers
//! that differ from those of the helpers.
#![allow(unsafe_code)]

use crate::valu_support;

use gcnsim_helpers::Level;
use gcnsim_isa::table::Encoding::{self, Vop1, Vop2, Vop3, Vop3p};
use gcnsim_isa::{Arch, LANES, Note};
use gcnsim_random::Rng;
use valu_support::{Asm, Machine, find, has, v};

/// Returns an instruction with v4, v8 and v12 as sources (with the registers after them) and v0 as destination.
fn asm(arch: Arch, encoding: Encoding, mnemonic: &str) -> Asm {
    let opcode = find(arch, encoding, mnemonic);
    let count = opcode.desc().src.len();
    Asm::new(arch, opcode, 0, &[v(4), v(8), v(12)][..count])
}

/// Returns the first lane's result for sources of up to 64 bits, and its mask bit.
fn one(arch: Arch, encoding: Encoding, mnemonic: &str, sources: &[u64]) -> (u64, bool) {
    let inst = asm(arch, encoding, mnemonic).inst();
    let mut outcomes = Level::available().map(|level| {
        let mut machine = Machine::new();
        for (i, &source) in sources.iter().enumerate() {
            machine.vgprs[4 + 4 * i].0 = [source as u32; LANES];
            machine.vgprs[5 + 4 * i].0 = [(source >> 32) as u32; LANES];
        }
        let (mask, _) = machine.run(level, &inst);
        let high = if inst.desc().dst.is_wide() { machine.vgprs[1].0[0] } else { 0 };
        (machine.vgprs[0].0[0] as u64 | (high as u64) << 32, mask & 1 == 1)
    });
    let first = outcomes.next().unwrap();
    assert!(outcomes.all(|outcome| outcome == first), "{mnemonic}: levels differ");
    first
}

const A: u64 = 0x89ab_cdef;
const B: u64 = 0x0100_7f23;

#[test]
fn check_values_of_the_notes() {
    let cases: &[(&str, &[u64], u64)] = &[
        ("v_sad_u8", &[A, B, 0x10], 0x25d),
        ("v_msad_u8", &[A, B, 0x10], 0x1b2),
        ("v_sad_hi_u8", &[A, B, 0x10], 0x024d_0010),
        ("v_sad_u16", &[A, B, 0x10], 0xd787),
        ("v_sad_u32", &[A, B, 0x10], 0x88ab_4edc),
        ("v_lerp_u8", &[A, B, 0x0001_0100], 0x4556_a689),
        ("v_qsad_pk_u16_u8", &[0x8899_aabb_ccdd_eeff, B, 0x0001_0002_0003_0004], 0x0228_026d_02b2_02f7),
        ("v_mqsad_pk_u16_u8", &[0x8899_aabb_ccdd_eeff, B, 0x0001_0002_0003_0004], 0x017e_01b2_01e6_021a),
        ("v_perm_b32", &[0x0102_0304, 0x8586_8788, 0x0c08_0700], 0x00ff_0188),
        ("v_perm_b32", &[0x0102_0304, 0x8586_8788, 0x0d0b_0905], 0xff00_ff03),
        ("v_perm_b32", &[0x1122_3344, 0x5566_7788, 0x0605_0403], 0x2233_4455),
        ("v_alignbit_b32", &[A, B, 12], 0xdef0_1007),
        ("v_alignbyte_b32", &[A, B, 1], 0xef01_007f),
        ("v_alignbyte_b32", &[A, B, 5], 0xef01_007f),
        ("v_bfe_i32", &[A, 4, 8], 0xffff_ffde),
        ("v_bfe_u32", &[A, 4, 8], 0xde),
        ("v_bfe_u32", &[A, 28, 31], 8),
        ("v_bfe_i32", &[A, 28, 31], 0xffff_fff8),
        ("v_bfe_i32", &[A, 0, 31], 0x09ab_cdef),
        ("v_bfe_i32", &[A, 1, 31], 0xc4d5_e6f7),
        ("v_bfe_i32", &[A, 5, 32], 0),
        ("v_bfm_b32", &[8, 28], 0xf000_0000),
        ("v_bfm_b32", &[3, 30], 0xc000_0000),
        ("v_bfm_b32", &[32, 0], 0),
        ("v_mad_u64_u32", &[0xffff_ffff, 0xffff_ffff, u64::MAX], 0xffff_fffe_0000_0000),
        ("v_mul_hi_u32", &[0xffff_ffff, 0xffff_ffff], 0xffff_fffe),
        ("v_mul_hi_i32", &[0xffff_ffff, 2], 0xffff_ffff),
    ];
    for &(mnemonic, sources, expected) in cases {
        let (result, _) = one(Arch::Gcn14, Vop3, mnemonic, sources);
        assert_eq!(format!("{result:x}"), format!("{expected:x}"), "{mnemonic} {sources:x?}");
    }
    let cases: &[(&str, &[u64], u64)] = &[
        ("v_mul_i32_i24", &[0xff80_0001, 3], 0xfe80_0003),
        ("v_mul_hi_i32_i24", &[0xff80_0001, 3], 0xffff_ffff),
        ("v_mul_u32_u24", &[0x12ff_ffff, 0x00ff_ffff], 0xfe00_0001),
        ("v_mul_hi_u32_u24", &[0x12ff_ffff, 0x00ff_ffff], 0xffff),
    ];
    for &(mnemonic, sources, expected) in cases {
        let (result, _) = one(Arch::Gcn14, Vop2, mnemonic, sources);
        assert_eq!(format!("{result:x}"), format!("{expected:x}"), "{mnemonic} {sources:x?}");
    }
    let cases: &[(&str, u64, u64)] = &[
        ("v_ffbh_u32", 0, 0xffff_ffff),
        ("v_ffbh_u32", 0x4000_0000, 1),
        ("v_ffbl_b32", 0, 0xffff_ffff),
        ("v_ffbl_b32", 0x8000_0000, 31),
        ("v_ffbh_i32", 0x4000_0000, 1),
        ("v_ffbh_i32", 7, 29),
        ("v_ffbh_i32", 0xffff_fff8, 29),
        ("v_ffbh_i32", 0, 0xffff_ffff),
        ("v_ffbh_i32", 0xffff_ffff, 0xffff_ffff),
        ("v_ffbh_i32", 0x8000_0000, 1),
        ("v_bfrev_b32", 0x8000_0003, 0xc000_0001),
        ("v_not_b32", 0x0f0f_00ff, 0xf0f0_ff00),
        ("v_sat_pk_u8_i16", 0xffff_0100, 0x00ff),
        ("v_sat_pk_u8_i16", 0x007f_8000, 0x7f00),
        ("v_screen_partition_4se_b32", 0x100, 1),
        ("v_screen_partition_4se_b32", 0x21, 15),
        ("v_screen_partition_4se_b32", 0x20, 13),
        ("v_screen_partition_4se_b32", 0xfe, 15),
        ("v_screen_partition_4se_b32", 0xff, 1),
    ];
    for &(mnemonic, source, expected) in cases {
        let (result, _) = one(Arch::Gcn14, Vop1, mnemonic, &[source]);
        assert_eq!(format!("{result:x}"), format!("{expected:x}"), "{mnemonic} {source:x}");
    }
}

/// Function that returns the result and the mask bit of an instruction by exact arithmetic, from the sources and the
/// lane's bit of the mask that it reads.
type Formula = fn([u64; 3], bool) -> (u64, bool);

fn i(x: u64) -> i128 {
    x as u32 as i32 as i128
}

fn u(x: u64) -> i128 {
    x as u32 as i128
}

fn h(x: u64) -> i128 {
    x as i16 as i128
}

fn uh(x: u64) -> i128 {
    x as u16 as i128
}

fn b32(x: i128) -> (u64, bool) {
    (x as u32 as u64, false)
}

fn b16(x: i128) -> (u64, bool) {
    (x as u16 as u64, false)
}

/// Checks an instruction on all combinations of edges, one in each lane. All levels run with EXEC full, partial and
/// empty.
fn formula(arch: Arch, encoding: Encoding, mnemonic: &str, expected: Formula) {
    let mut rng = Rng::new(0x9e37_79b9_7f4a_7c15);
    let inst = asm(arch, encoding, mnemonic);
    // A carry comes from VCC and goes to VCC.
    let has = inst.opcode.desc().has;
    let carry = has.any(gcnsim_isa::table::Has::VCC_OUT) && encoding == Vop3;
    let inst = if carry { inst.more(106 << 8, 0) } else { inst }.inst();
    for exec in [!0, 0x8000_0000_0000_0001, 0, 0x0fff_ffff_ffff_fff0, 0x5555_5555_5555_5555] {
        let mut start = Machine::new();
        for vgpr in &mut start.vgprs {
            vgpr.0 = std::array::from_fn(|_| rng.dword());
        }
        (start.exec, start.mask) = (exec, rng.bits64());
        for level in Level::available() {
            let mut machine = start.clone();
            let (mask, _) = machine.run(level, &inst);
            for lane in 0..LANES {
                let at = |n: usize| start.vgprs[n].0[lane] as u64;
                let sources = [4, 8, 12].map(|n| at(n) | at(n + 1) << 32);
                let (value, bit) = expected(sources, start.mask >> lane & 1 == 1);
                let is_active = exec >> lane & 1 == 1;
                let wanted = if is_active { value as u32 } else { start.vgprs[0].0[lane] };
                let what = || format!("{mnemonic} {}, lane {lane}, {sources:x?}", level.name());
                assert_eq!(format!("{:x}", machine.vgprs[0].0[lane]), format!("{wanted:x}"), "{}", what());
                if inst.desc().dst.is_wide() {
                    let wanted = if is_active { (value >> 32) as u32 } else { start.vgprs[1].0[lane] };
                    assert_eq!(format!("{:x}", machine.vgprs[1].0[lane]), format!("{wanted:x}"), "{}", what());
                }
                assert_eq!(mask >> lane & 1 == 1, is_active && bit, "mask of {}", what());
            }
        }
    }
}

#[test]
fn vop2_of_all_generations() {
    let carrying = [
        (Arch::Gcn10, "v_add_i32", "v_sub_i32", "v_subrev_i32"),
        (Arch::Gcn11, "v_add_i32", "v_sub_i32", "v_subrev_i32"),
        (Arch::Gcn12, "v_add_u32", "v_sub_u32", "v_subrev_u32"),
        (Arch::Gcn14, "v_add_co_u32", "v_sub_co_u32", "v_subrev_co_u32"),
        (Arch::Gcn141, "v_add_co_u32", "v_sub_co_u32", "v_subrev_co_u32"),
    ];
    for (arch, add, sub, subrev) in carrying {
        formula(arch, Vop2, add, |[a, b, _], _| (b32(u(a) + u(b)).0, u(a) + u(b) > u32::MAX as i128));
        formula(arch, Vop2, sub, |[a, b, _], _| (b32(u(a) - u(b)).0, u(a) - u(b) < 0));
        formula(arch, Vop2, subrev, |[a, b, _], _| (b32(u(b) - u(a)).0, u(b) - u(a) < 0));
        let co = if arch.is_gcn14_or_later() { "co_" } else { "" };
        formula(arch, Vop2, &format!("v_addc_{co}u32"), |[a, b, _], c| {
            let sum = u(a) + u(b) + c as i128;
            (b32(sum).0, sum > u32::MAX as i128)
        });
        formula(arch, Vop2, &format!("v_subb_{co}u32"), |[a, b, _], c| {
            let difference = u(a) - u(b) - c as i128;
            (b32(difference).0, difference < 0)
        });
        formula(arch, Vop2, &format!("v_subbrev_{co}u32"), |[a, b, _], c| {
            let difference = u(b) - u(a) - c as i128;
            (b32(difference).0, difference < 0)
        });
        formula(arch, Vop2, "v_cndmask_b32", |[a, b, _], c| b32(if c { u(b) } else { u(a) }));
        formula(arch, Vop2, "v_and_b32", |[a, b, _], _| b32(u(a) & u(b)));
        formula(arch, Vop2, "v_or_b32", |[a, b, _], _| b32(u(a) | u(b)));
        formula(arch, Vop2, "v_xor_b32", |[a, b, _], _| b32(u(a) ^ u(b)));
        formula(arch, Vop2, "v_min_i32", |[a, b, _], _| b32(i(a).min(i(b))));
        formula(arch, Vop2, "v_max_i32", |[a, b, _], _| b32(i(a).max(i(b))));
        formula(arch, Vop2, "v_min_u32", |[a, b, _], _| b32(u(a).min(u(b))));
        formula(arch, Vop2, "v_max_u32", |[a, b, _], _| b32(u(a).max(u(b))));
        formula(arch, Vop2, "v_lshlrev_b32", |[a, b, _], _| b32(u(b) << (a % 32)));
        formula(arch, Vop2, "v_lshrrev_b32", |[a, b, _], _| b32(u(b) >> (a % 32)));
        formula(arch, Vop2, "v_ashrrev_i32", |[a, b, _], _| b32(i(b) >> (a % 32)));
        formula(arch, Vop2, "v_mul_u32_u24", |[a, b, _], _| b32((u(a) % (1 << 24)) * (u(b) % (1 << 24))));
        formula(arch, Vop2, "v_mul_hi_u32_u24", |[a, b, _], _| b32(((u(a) % (1 << 24)) * (u(b) % (1 << 24))) >> 32));
    }
    let old =
        |mnemonic, expected: Formula| [Arch::Gcn10, Arch::Gcn11].map(|arch| formula(arch, Vop2, mnemonic, expected));
    old("v_lshl_b32", |[a, b, _], _| b32(u(a) << (b % 32)));
    old("v_lshr_b32", |[a, b, _], _| b32(u(a) >> (b % 32)));
    old("v_ashr_i32", |[a, b, _], _| b32(i(a) >> (b % 32)));
    old("v_bcnt_u32_b32", |[a, b, _], _| b32((0..32).filter(|n| a >> n & 1 == 1).count() as i128 + u(b)));
    old("v_cvt_pk_u16_u32", |[a, b, _], _| b32(u(a).min(0xffff) | u(b).min(0xffff) << 16));
    old("v_cvt_pk_i16_i32", |[a, b, _], _| {
        let [a, b] = [a, b].map(|x| i(x).clamp(-0x8000, 0x7fff) & 0xffff);
        b32(a | b << 16)
    });
    formula(Arch::Gcn141, Vop2, "v_xnor_b32", |[a, b, _], _| b32(!(u(a) ^ u(b))));
    for arch in [Arch::Gcn14, Arch::Gcn141] {
        formula(arch, Vop2, "v_add_u32", |[a, b, _], _| b32(u(a) + u(b)));
        formula(arch, Vop2, "v_sub_u32", |[a, b, _], _| b32(u(a) - u(b)));
        formula(arch, Vop2, "v_subrev_u32", |[a, b, _], _| b32(u(b) - u(a)));
    }
    for arch in [Arch::Gcn12, Arch::Gcn14] {
        formula(arch, Vop2, "v_add_u16", |[a, b, _], _| b16(uh(a) + uh(b)));
        formula(arch, Vop2, "v_sub_u16", |[a, b, _], _| b16(uh(a) - uh(b)));
        formula(arch, Vop2, "v_subrev_u16", |[a, b, _], _| b16(uh(b) - uh(a)));
        formula(arch, Vop2, "v_mul_lo_u16", |[a, b, _], _| b16(uh(a) * uh(b)));
        formula(arch, Vop2, "v_lshlrev_b16", |[a, b, _], _| b16(uh(b) << (a % 16)));
        formula(arch, Vop2, "v_lshrrev_b16", |[a, b, _], _| b16(uh(b) >> (a % 16)));
        formula(arch, Vop2, "v_ashrrev_i16", |[a, b, _], _| b16(h(b) >> (a % 16)));
        formula(arch, Vop2, "v_max_u16", |[a, b, _], _| b16(uh(a).max(uh(b))));
        formula(arch, Vop2, "v_min_u16", |[a, b, _], _| b16(uh(a).min(uh(b))));
        formula(arch, Vop2, "v_max_i16", |[a, b, _], _| b16(h(a).max(h(b))));
        formula(arch, Vop2, "v_min_i16", |[a, b, _], _| b16(h(a).min(h(b))));
    }
}

fn i24(x: u64) -> i128 {
    let low = u(x) % (1 << 24);
    if low >= 1 << 23 { low - (1 << 24) } else { low }
}

fn sorted(mut x: [i128; 3]) -> [i128; 3] {
    x.sort_unstable();
    x
}

#[test]
fn vop3() {
    let all = |mnemonic, expected: Formula| {
        [Arch::Gcn10, Arch::Gcn12, Arch::Gcn14].map(|arch| formula(arch, Vop3, mnemonic, expected))
    };
    all("v_mul_lo_u32", |[a, b, _], _| b32(u(a) * u(b)));
    all("v_mul_hi_u32", |[a, b, _], _| b32((u(a) * u(b)) >> 32));
    all("v_mul_hi_i32", |[a, b, _], _| b32((i(a) * i(b)) >> 32));
    all("v_mad_i32_i24", |[a, b, c], _| b32(i24(a) * i24(b) + u(c)));
    all("v_mad_u32_u24", |[a, b, c], _| b32((u(a) % (1 << 24)) * (u(b) % (1 << 24)) + u(c)));
    all("v_bfi_b32", |[a, b, c], _| {
        b32((0..32).fold(0, |x, n| x | (if a >> n & 1 == 1 { b } else { c } as i128) & 1 << n))
    });
    all("v_bfe_u32", |[a, b, c], _| {
        b32((0..c % 32).filter(|n| b % 32 + n < 32).fold(0, |x, n| x | (u(a) >> (b % 32 + n) & 1) << n))
    });
    all("v_alignbit_b32", |[a, b, c], _| b32((u(a) << 32 | u(b)) >> (c % 32)));
    all("v_alignbyte_b32", |[a, b, c], _| b32((u(a) << 32 | u(b)) >> (8 * (c % 4))));
    all("v_min3_i32", |[a, b, c], _| b32(sorted([i(a), i(b), i(c)])[0]));
    all("v_med3_i32", |[a, b, c], _| b32(sorted([i(a), i(b), i(c)])[1]));
    all("v_max3_i32", |[a, b, c], _| b32(sorted([i(a), i(b), i(c)])[2]));
    all("v_min3_u32", |[a, b, c], _| b32(sorted([u(a), u(b), u(c)])[0]));
    all("v_med3_u32", |[a, b, c], _| b32(sorted([u(a), u(b), u(c)])[1]));
    all("v_max3_u32", |[a, b, c], _| b32(sorted([u(a), u(b), u(c)])[2]));
    formula(Arch::Gcn10, Vop3, "v_mul_lo_i32", |[a, b, _], _| b32(i(a) * i(b)));
    formula(Arch::Gcn10, Vop3, "v_lshl_b64", |[a, b, _], _| (((a as u128) << (b % 64)) as u64, false));
    formula(Arch::Gcn10, Vop3, "v_lshr_b64", |[a, b, _], _| ((a as u128 >> (b % 64)) as u64, false));
    formula(Arch::Gcn10, Vop3, "v_ashr_i64", |[a, b, _], _| ((a as i64 as i128 >> (b % 64)) as u64, false));
    formula(Arch::Gcn12, Vop3, "v_lshlrev_b64", |[a, b, _], _| (((b as u128) << (a % 64)) as u64, false));
    formula(Arch::Gcn12, Vop3, "v_lshrrev_b64", |[a, b, _], _| ((b as u128 >> (a % 64)) as u64, false));
    formula(Arch::Gcn12, Vop3, "v_ashrrev_i64", |[a, b, _], _| ((b as i64 as i128 >> (a % 64)) as u64, false));
    for arch in [Arch::Gcn11, Arch::Gcn14] {
        formula(arch, Vop3, "v_mad_u64_u32", |[a, b, c], _| {
            let sum = u(a) * u(b) + c as i128;
            (sum as u64, sum >> 64 & 1 == 1)
        });
        formula(arch, Vop3, "v_mad_i64_i32", |[a, b, c], _| {
            let sum = i(a) * i(b) + c as i64 as i128;
            (sum as u64, sum < 0)
        });
    }
    formula(Arch::Gcn12, Vop3, "v_mad_u16", |[a, b, c], _| b16(uh(a) * uh(b) + uh(c)));
    formula(Arch::Gcn12, Vop3, "v_mad_i16", |[a, b, c], _| b16(h(a) * h(b) + h(c)));
    formula(Arch::Gcn12, Vop3, "v_bcnt_u32_b32", |[a, b, _], _| {
        b32((0..32).filter(|n| a >> n & 1 == 1).count() as i128 + u(b))
    });
    let new = |mnemonic, expected: Formula| formula(Arch::Gcn14, Vop3, mnemonic, expected);
    new("v_mad_legacy_u16", |[a, b, c], _| b16(uh(a) * uh(b) + uh(c)));
    new("v_mad_u32_u16", |[a, b, c], _| b32(uh(a) * uh(b) + u(c)));
    new("v_mad_i32_i16", |[a, b, c], _| b32(h(a) * h(b) + u(c)));
    new("v_xad_u32", |[a, b, c], _| b32((u(a) ^ u(b)) + u(c)));
    new("v_lshl_add_u32", |[a, b, c], _| b32((u(a) << (b % 32)) + u(c)));
    new("v_add_lshl_u32", |[a, b, c], _| b32((u(a) + u(b)) << (c % 32)));
    new("v_add3_u32", |[a, b, c], _| b32(u(a) + u(b) + u(c)));
    new("v_lshl_or_b32", |[a, b, c], _| b32(u(a) << (b % 32) | u(c)));
    new("v_and_or_b32", |[a, b, c], _| b32(u(a) & u(b) | u(c)));
    new("v_or3_b32", |[a, b, c], _| b32(u(a) | u(b) | u(c)));
    new("v_add_i32", |[a, b, _], _| b32(u(a) + u(b)));
    new("v_sub_i32", |[a, b, _], _| b32(u(a) - u(b)));
    new("v_min3_i16", |[a, b, c], _| b16(sorted([h(a), h(b), h(c)])[0]));
    new("v_med3_i16", |[a, b, c], _| b16(sorted([h(a), h(b), h(c)])[1]));
    new("v_max3_u16", |[a, b, c], _| b16(sorted([uh(a), uh(b), uh(c)])[2]));
    new("v_med3_u16", |[a, b, c], _| b16(sorted([uh(a), uh(b), uh(c)])[1]));
}

fn nibble(x: u64, k: u32) -> i128 {
    (x >> (4 * k) & 15) as i128
}

fn byte(x: u64, k: u32) -> i128 {
    (x >> (8 * k) & 255) as i128
}

#[test]
fn dot_products() {
    let dot = |mnemonic, expected: Formula| {
        let all_high = (0x4000, 0x1800_0000);
        let asm = asm(Arch::Gcn141, Vop3p, mnemonic).more(all_high.0, all_high.1);
        assert!(asm.try_inst().is_some());
        packed(mnemonic, expected);
    };
    dot("v_dot2_i32_i16", |[a, b, c], _| b32(h(a) * h(b) + h(a >> 16) * h(b >> 16) + u(c)));
    dot("v_dot2_u32_u16", |[a, b, c], _| b32(uh(a) * uh(b) + uh(a >> 16) * uh(b >> 16) + u(c)));
    dot("v_dot4_u32_u8", |[a, b, c], _| b32((0..4).map(|k| byte(a, k) * byte(b, k)).sum::<i128>() + u(c)));
    dot("v_dot8_u32_u4", |[a, b, c], _| b32((0..8).map(|k| nibble(a, k) * nibble(b, k)).sum::<i128>() + u(c)));
    dot("v_dot4_i32_i8", |[a, b, c], _| {
        let signed = |x| if x > 127 { x - 256 } else { x };
        b32((0..4).map(|k| signed(byte(a, k)) * signed(byte(b, k))).sum::<i128>() + u(c))
    });
    dot("v_dot8_i32_i4", |[a, b, c], _| {
        let signed = |x| if x > 7 { x - 16 } else { x };
        b32((0..8).map(|k| signed(nibble(a, k)) * signed(nibble(b, k))).sum::<i128>() + u(c))
    });
}

/// Checks an instruction of VOP3P with the usual OP_SEL_HI, like [`formula`].
fn packed(mnemonic: &str, expected: Formula) {
    let inst = asm(Arch::Gcn141, Vop3p, mnemonic);
    let three = inst.opcode.desc().src.len() == 3;
    let inst = inst.more(if three { 0x4000 } else { 0 }, 0x1800_0000).inst();
    let mut rng = Rng::new(77);
    for level in Level::available() {
        let mut machine = Machine::new();
        machine.vgprs.iter_mut().for_each(|vgpr| vgpr.0 = std::array::from_fn(|_| rng.dword()));
        let start = machine.clone();
        machine.run(level, &inst);
        for lane in 0..LANES {
            let sources = [4, 8, 12].map(|n: usize| start.vgprs[n].0[lane] as u64);
            let wanted = expected(sources, false).0;
            assert_eq!(format!("{:x}", machine.vgprs[0].0[lane]), format!("{wanted:x}"), "{mnemonic} {sources:x?}");
        }
    }
}

#[test]
fn packed_halves() {
    fn halves(f: impl Fn(u64) -> i128) -> (u64, bool) {
        b32((f(0) & 0xffff) | (f(16) & 0xffff) << 16)
    }
    packed("v_pk_mad_i16", |[a, b, c], _| halves(|n| h(a >> n) * h(b >> n) + h(c >> n)));
    packed("v_pk_mad_u16", |[a, b, c], _| halves(|n| uh(a >> n) * uh(b >> n) + uh(c >> n)));
    packed("v_pk_mul_lo_u16", |[a, b, _], _| halves(|n| uh(a >> n) * uh(b >> n)));
    packed("v_pk_add_i16", |[a, b, _], _| halves(|n| h(a >> n) + h(b >> n)));
    packed("v_pk_add_u16", |[a, b, _], _| halves(|n| uh(a >> n) + uh(b >> n)));
    packed("v_pk_sub_i16", |[a, b, _], _| halves(|n| h(a >> n) - h(b >> n)));
    packed("v_pk_sub_u16", |[a, b, _], _| halves(|n| uh(a >> n) - uh(b >> n)));
    packed("v_pk_lshlrev_b16", |[a, b, _], _| halves(|n| uh(b >> n) << ((a >> n) % 16)));
    packed("v_pk_lshrrev_b16", |[a, b, _], _| halves(|n| uh(b >> n) >> ((a >> n) % 16)));
    packed("v_pk_ashrrev_i16", |[a, b, _], _| halves(|n| h(b >> n) >> ((a >> n) % 16)));
    packed("v_pk_max_i16", |[a, b, _], _| halves(|n| h(a >> n).max(h(b >> n))));
    packed("v_pk_min_i16", |[a, b, _], _| halves(|n| h(a >> n).min(h(b >> n))));
    packed("v_pk_max_u16", |[a, b, _], _| halves(|n| uh(a >> n).max(uh(b >> n))));
    packed("v_pk_min_u16", |[a, b, _], _| halves(|n| uh(a >> n).min(uh(b >> n))));
}

#[test]
fn lane_counts() {
    let full = |mnemonic, seed: u32, expected: &dyn Fn(usize) -> u32| {
        let inst = asm(Arch::Gcn14, Vop3, mnemonic).inst();
        for level in Level::available() {
            let mut machine = Machine::new();
            machine.vgprs[4].0 = [seed; LANES];
            machine.vgprs[8].0 = [100; LANES];
            machine.run(level, &inst);
            let wanted: Vec<u32> = (0..LANES).map(expected).collect();
            assert_eq!(machine.vgprs[0].0.to_vec(), wanted, "{mnemonic} {}", level.name());
        }
    };
    full("v_mbcnt_lo_u32_b32", !0, &|lane| 100 + lane.min(32) as u32);
    full("v_mbcnt_hi_u32_b32", !0, &|lane| 100 + lane.saturating_sub(32) as u32);
    // Bits 1 and 31 are set.
    full("v_mbcnt_lo_u32_b32", 0x8000_0002, &|lane| 100 + (lane > 1) as u32 + (lane > 31) as u32);
    full("v_mbcnt_hi_u32_b32", 0x8000_0002, &|lane| 100 + (lane > 33) as u32);
}

#[test]
fn four_sums_of_32_bits_note_that_they_wrap() {
    let inst = asm(Arch::Gcn14, Vop3, "v_mqsad_u32_u8").inst();
    for level in Level::available() {
        let mut machine = Machine::new();
        // The bytes are 1, 2, 3, 4, 5, 6, 7, 8 and 10, 0, 20, 30. Differences begin at bytes k, k+2 and k+3.
        machine.vgprs[4].0 = [0x0403_0201; LANES];
        machine.vgprs[5].0 = [0x0807_0605; LANES];
        machine.vgprs[8].0 = [0x1e14_000a; LANES];
        for k in 0..4 {
            machine.vgprs[12 + k].0 = [1000 * k as u32; LANES];
        }
        let mut quiet = machine.clone();
        let (_, notes) = quiet.run(level, &inst);
        assert!(!has(notes, Note::MqsadSaturate));
        // |1 - 10| + |3 - 20| + |4 - 30| = 52, and each step gives 3 less.
        let results: Vec<u32> = (0..4).map(|k| quiet.vgprs[k].0[17]).collect();
        assert_eq!(results, [52, 1049, 2046, 3043]);
        machine.vgprs[13].0[5] = 0xffff_ffff;
        machine.exec = !(1 << 5);
        let (_, notes) = machine.clone().run(level, &inst);
        assert!(!has(notes, Note::MqsadSaturate), "inactive lanes raise no notes");
        machine.exec = 1 << 5;
        let (_, notes) = machine.run(level, &inst);
        assert!(has(notes, Note::MqsadSaturate));
        assert_eq!([machine.vgprs[1].0[5], machine.vgprs[1].0[6]], [48, 0]);
    }
}
