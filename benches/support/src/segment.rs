//! Vector segments as C: a loop over the lanes, which the compiler makes vectors of.

use std::fmt::Write;

use gcnsim_isa::{Inst, Src, reg};

/// The beginning of the C text: conversions between bits and floats.
const PRELUDE: &str = "\
#include <stdint.h>
#include <string.h>
typedef uint32_t u32;
typedef uint64_t u64;
static inline float f32(u32 x) { float f; memcpy(&f, &x, 4); return f; }
static inline u32 b32(float f) { u32 x; memcpy(&x, &f, 4); return x; }
static inline double f64(u64 x) { double f; memcpy(&f, &x, 8); return f; }
static inline u64 b64(double f) { u64 x; memcpy(&x, &f, 8); return x; }
void run(u32 (*restrict v)[64], u32 *restrict s) {
u64 mask = 0;
#pragma GCC ivdep
for (int lane = 0; lane < 64; lane++) {
";

/// The text of a function `run(vgprs, sgprs)` that executes the instructions in all 64 lanes. It loads the VGPRs that
/// they read first, and stores all that they write, and VCC. `None` if there is an instruction that it does not know.
///
/// Denormals are kept, and no note is taken.
pub fn translate_segment(insts: &[Inst]) -> Option<String> {
    let (mut read, mut written) = (Vec::new(), Vec::new());
    let (mut body, mut has_carry) = (String::new(), false);
    for inst in insts {
        let (value, dwords) = value(inst)?;
        read.extend(inst.reads().vgprs.iter().filter(|n| !written.contains(n)));
        let first = inst.vdst()?;
        match dwords {
            1 => writeln!(body, "v{first} = {value};").ok()?,
            _ => {
                let high = first.checked_add(1)?;
                writeln!(body, "{{ u64 wide = {value}; v{first} = wide; v{high} = wide >> 32; }}").ok()?;
            }
        }
        written.extend(inst.writes().vgprs.iter());
        has_carry |= inst.mask_dst() == Some(reg::VCC_LO);
    }
    read.sort_unstable();
    read.dedup();
    written.sort_unstable();
    written.dedup();
    let mut text = String::from(PRELUDE);
    for n in 0..=u8::MAX {
        match (read.contains(&n), written.contains(&n)) {
            (true, _) => writeln!(text, "u32 v{n} = v[{n}][lane];").ok()?,
            (false, true) => writeln!(text, "u32 v{n};").ok()?,
            _ => {}
        }
    }
    writeln!(text, "u32 carry = 0;\n{body}").ok()?;
    for n in written {
        writeln!(text, "v[{n}][lane] = v{n};").ok()?;
    }
    text +=
        if has_carry { "mask |= (u64)carry << lane;\n}\ns[106] = mask; s[107] = mask >> 32;\n}\n" } else { "}\n}\n" };
    Some(text)
}

/// Returns the result of `inst` as a C expression, and its size in dwords.
fn value(inst: &Inst) -> Option<(String, u32)> {
    if (0..inst.src_count()).any(|i| inst.abs(i) || inst.neg(i)) {
        return None;
    }
    let name = inst.desc().mnemonic;
    let s = |i: usize| source(inst, i);
    let wide = |i: usize| match inst.src(i) {
        Src::Vgpr(n) => Some(format!("(v{n} | (u64)v{} << 32)", n.checked_add(1)?)),
        _ => None,
    };
    Some(match name {
        "v_xor_b32" => (format!("{} ^ {}", s(0)?, s(1)?), 1),
        "v_and_b32" => (format!("{} & {}", s(0)?, s(1)?), 1),
        "v_add_u32" => (format!("{} + {}", s(0)?, s(1)?), 1),
        "v_add3_u32" => (format!("{} + {} + {}", s(0)?, s(1)?, s(2)?), 1),
        "v_bfi_b32" => (format!("{0} & {1} | ~{0} & {2}", s(0)?, s(1)?, s(2)?), 1),
        // From this form, the compiler makes a rotation if both sources are the same.
        "v_alignbit_b32" => match inst.src(2) {
            Src::Imm(by @ 1..32) => (format!("{} << {} | {} >> {by}", s(0)?, 32 - by, s(1)?), 1),
            _ => return None,
        },
        "v_add_f32" => (format!("b32(f32({}) + f32({}))", s(0)?, s(1)?), 1),
        "v_mul_f32" => (format!("b32(f32({}) * f32({}))", s(0)?, s(1)?), 1),
        "v_fma_f32" => (format!("b32(__builtin_fmaf(f32({}), f32({}), f32({})))", s(0)?, s(1)?, s(2)?), 1),
        "v_fma_f64" => (format!("b64(__builtin_fma(f64({}), f64({}), f64({})))", wide(0)?, wide(1)?, wide(2)?), 2),
        "v_add_co_u32" | "v_addc_co_u32" if inst.mask_dst() == Some(reg::VCC_LO) => {
            let carry = if name == "v_addc_co_u32" { " + carry" } else { "" };
            (format!("({{ u64 sum = (u64){} + {}{carry}; carry = sum >> 32; sum; }})", s(0)?, s(1)?), 1)
        }
        "v_mad_u64_u32" if inst.mask_dst() == Some(reg::VCC_LO) => {
            let sum = format!("(u64){} * {} + {}", s(0)?, s(1)?, wide(2)?);
            (format!("({{ u64 sum = {sum}; carry = sum < {}; sum; }})", wide(2)?), 2)
        }
        _ => return None,
    })
}

/// The C expression for source `i`, which has one dword.
fn source(inst: &Inst, i: usize) -> Option<String> {
    match inst.src(i) {
        Src::Vgpr(n) => Some(format!("v{n}")),
        Src::Sgpr(n) => Some(format!("s[{n}]")),
        Src::Imm(bits) => Some(format!("{}u", bits as u32)),
        _ => None,
    }
}
