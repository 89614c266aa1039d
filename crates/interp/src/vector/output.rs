//! Applies OMOD, then CLAMP to float results in all lanes (docs/gcn/valu-float-rules.md#omod-and-clamp).

use gcnsim_isa::{LANES, Vgpr};
use multiversion::multiversion;

use super::op::{Format, Output};
use crate::float::Fp;
use crate::float::output::{clamp_f16, clamp_f32, clamp_f64, is_omod_limited_f16, omod_f16, omod_f32, omod_f64};

/// Whether FP16_OVFL keeps OMOD from making an infinity of a finite result of an active lane.
pub(super) fn is_limited(output: Output, fp: &Fp, active: u64, out: &[Vgpr]) -> bool {
    let ([out, ..], Format::F16 | Format::Packed, true) = (out, output.format, fp.fp16_ovfl) else { return false };
    let is_limited = |bits: u32| is_omod_limited_f16(fp, bits as u16, output.omod.into());
    let has_high = output.format == Format::Packed;
    let is_lane_limited = |dword: u32| is_limited(dword) || has_high && is_limited(dword >> 16);
    (0..LANES).any(|lane| active >> lane & 1 == 1 && is_lane_limited(out.0[lane]))
}

#[multiversion(targets("x86_64+avx512f+avx512bw+avx512dq+avx512vl", "x86_64+avx2"))]
pub(super) fn apply(output: Output, fp: &Fp, out: &mut [Vgpr]) {
    let (omod, clamp) = (u32::from(output.omod), output.clamp);
    let f16 = |bits: u16| {
        let bits = omod_f16(fp, bits, omod);
        if clamp { clamp_f16(fp, bits) } else { bits }
    };
    let f32 = |bits: u32| {
        let bits = omod_f32(fp, bits, omod);
        if clamp { clamp_f32(fp, bits) } else { bits }
    };
    let f64 = |bits: u64| {
        let bits = omod_f64(fp, bits, omod);
        if clamp { clamp_f64(fp, bits) } else { bits }
    };
    match (output.format, out) {
        (Format::F16, [out, ..]) => out.0.iter_mut().for_each(|dword| *dword = u32::from(f16(*dword as u16))),
        (Format::F32, [out, ..]) => out.0.iter_mut().for_each(|dword| *dword = f32(*dword)),
        (Format::F64, [low, high, ..]) => {
            for lane in 0..LANES {
                let result = f64(u64::from(low.0[lane]) | u64::from(high.0[lane]) << 32);
                (low.0[lane], high.0[lane]) = (result as u32, (result >> 32) as u32);
            }
        }
        (Format::Packed, [out, ..]) => out.0.iter_mut().for_each(|dword| {
            *dword = u32::from(f16(*dword as u16)) | u32::from(f16((*dword >> 16) as u16)) << 16;
        }),
        _ => {}
    }
}
