//! Compares with `exact.txt`: results of exact rational arithmetic, which `oracle.py` beside it made.

use super::super::{F16, F32, F64, Round, arith, convert, divide, elementary, parts};
use super::{gcn14, run};
use crate::float::format::Format;
use crate::vector::lane::Lane;
use crate::vop1::float as vop1;

fn narrow<F: Format>(bits: u64) -> F::Bits {
    F::bits(bits)
}

/// Calls a function of any format by its name.
fn of_format<F: Format>(x: &mut Lane<'_>, name: &str, s: &[u64]) -> Option<F::Bits> {
    let [a, b, c] = [0, 1, 2].map(|i| narrow::<F>(s.get(i).copied().unwrap_or(0)));
    Some(match name {
        "add" => arith::add::<F>(x, a, b),
        "sub" => arith::sub::<F>(x, a, b),
        "subrev" => arith::subrev::<F>(x, a, b),
        "mul" => arith::mul::<F>(x, a, b),
        "fma" => arith::fma::<F>(x, a, b, c),
        "mad" => arith::mad::<F>(x, a, b, c),
        "ldexp" => {
            let n = s[1] as u32;
            arith::ldexp::<F>(x, a, if F::EXPONENT == 5 { (n as i16).into() } else { n as i32 })
        }
        "fract" => parts::fract::<F>(x, a),
        "trunc" => parts::integral::<F>(x, a, Round::Zero),
        "ceil" => parts::integral::<F>(x, a, Round::Up),
        "floor" => parts::integral::<F>(x, a, Round::Down),
        "rndne" => parts::integral::<F>(x, a, Round::Nearest),
        "sqrt" => elementary::sqrt::<F>(x, a),
        "rsq" => elementary::rsq::<F>(x, a),
        "rcp" => elementary::rcp::<F>(x, a),
        _ => return None,
    })
}

fn conversion(x: &mut Lane<'_>, name: &str, s: &[u64]) -> u64 {
    let (dword, half) = (s[0] as u32, s[0] as u16);
    let [b, c] = [1, 2].map(|i| s.get(i).copied().unwrap_or(0) as u32);
    match name {
        "div_fmas_f32" => divide::div_fmas::<F32>(x, dword, b, c, s[3] == 1).into(),
        "div_fmas_f64" => divide::div_fmas::<F64>(x, s[0], s[1], s[2], s[3] == 1),
        "cvt_f64_f32" => vop1::v_cvt_f64_f32(x, dword),
        "cvt_f32_f64" => vop1::v_cvt_f32_f64(x, s[0]).into(),
        "cvt_f32_f16" => vop1::v_cvt_f32_f16(x, half).into(),
        "cvt_f16_f32" => vop1::v_cvt_f16_f32(x, dword).into(),
        "cvt_f16_rtz" => convert::f32_to_f16_rounded(x, dword, Round::Zero).into(),
        "cvt_i32_f32" => vop1::v_cvt_i32_f32(x, dword).into(),
        "cvt_u32_f32" => vop1::v_cvt_u32_f32(x, dword).into(),
        "cvt_i32_f64" => vop1::v_cvt_i32_f64(x, s[0]).into(),
        "cvt_u32_f64" => vop1::v_cvt_u32_f64(x, s[0]).into(),
        "cvt_i16_f16" => vop1::v_cvt_i16_f16(x, half).into(),
        "cvt_u16_f16" => vop1::v_cvt_u16_f16(x, half).into(),
        "cvt_flr_i32_f32" => vop1::v_cvt_flr_i32_f32(x, dword).into(),
        "cvt_rpi_i32_f32" => vop1::v_cvt_rpi_i32_f32(x, dword).into(),
        "cvt_u8_f32" => convert::to_u8(x, dword).into(),
        "norm_i16_f32" => convert::norm_i16::<F32>(x, dword).into(),
        "norm_u16_f32" => convert::norm_u16::<F32>(x, dword).into(),
        "norm_i16_f16" => vop1::v_cvt_norm_i16_f16(x, half).into(),
        "norm_u16_f16" => vop1::v_cvt_norm_u16_f16(x, half).into(),
        "cvt_f32_i32" => vop1::v_cvt_f32_i32(x, dword).into(),
        "cvt_f32_u32" => vop1::v_cvt_f32_u32(x, dword).into(),
        "cvt_f64_i32" => vop1::v_cvt_f64_i32(x, dword),
        "cvt_f16_i16" => vop1::v_cvt_f16_i16(x, half).into(),
        "cvt_f16_u16" => vop1::v_cvt_f16_u16(x, half).into(),
        "fma_mix_f16" => arith::fma_mix_f16(x, dword, b, c).into(),
        "mad_mix_f16" => arith::mad_mix_f16(x, dword, b, c).into(),
        _ => panic!("no function is called {name}"),
    }
}

#[test]
fn results_are_those_of_rational_arithmetic() {
    let mut wrong = Vec::new();
    let lines = include_str!("exact.txt").lines();
    for line in lines.clone() {
        let (name, numbers) = line.split_once(' ').unwrap();
        let numbers: Vec<u64> = numbers.split(' ').map(|hex| u64::from_str_radix(hex, 16).unwrap()).collect();
        let [mode, operands @ .., expected] = &numbers[..] else { panic!("{line}") };
        let (stem, format) = name.rsplit_once('_').unwrap();
        let (result, _) = run(&gcn14(*mode as u32), |x| {
            let of_format = match format {
                "f16" => of_format::<F16>(x, stem, operands).map(u64::from),
                "f32" => of_format::<F32>(x, stem, operands).map(u64::from),
                _ => of_format::<F64>(x, stem, operands),
            };
            of_format.unwrap_or_else(|| conversion(x, name, operands))
        });
        if result != *expected {
            wrong.push(format!("{line}: {result:x}"));
        }
    }
    assert!(lines.count() > 1000);
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}
