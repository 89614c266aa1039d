//! Floats of 16, 32 and 64 bits.

use gcnsim_random::Rng;
use half::f16;

use super::Case;
use crate::gpu::Gpu;
use crate::job::{Job, shader};
use crate::outcome::{Done, near, need, same_here};

pub(super) const CASES: &[Case] = &[
    ("float_exact", float_exact),
    ("float_special", float_special),
    ("float_near", float_near),
    ("doubles", doubles),
    ("halves", halves),
    ("packing", packing),
    ("matrices", matrices),
    ("mandelbrot", mandelbrot),
    ("nbody", nbody),
];

/// Returns as many floats of both signs and of sizes around 1.
fn floats(seed: u64, count: usize) -> Vec<f32> {
    let mut random = Rng::new(seed);
    let one = |_| {
        let sign = if random.one_in(2) { -1.0 } else { 1.0 };
        sign * (1.0 + random.uniform() as f32) * f32::from(1u8 + random.below(200) as u8) / 16.0
    };
    (0..count).map(one).collect()
}

fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|value| value.to_bits()).collect()
}

fn wide(values: &[f32]) -> Vec<f64> {
    values.iter().map(|&value| value.into()).collect()
}

fn float_exact(gpu: &Gpu) -> Done {
    let mut values = floats(11, 512);
    values[..8].copy_from_slice(&[0.0, 1.0, -1.0, 0.5, 1.5, 2.5, -0.5, -2.5]);
    // Equal ones.
    values[9] = values[8];
    let (given, out) = (gpu.buffer_of(&values)?, gpu.buffer(256 * 64)?);
    gpu.run(&Job::new(shader!("float_exact")).storage(&given).storage(&out), [4, 1, 1])?;
    let want = values.chunks(2).flat_map(|pair| {
        let (a, b) = (pair[0], pair[1]);
        let flags = [a < b, a >= b, a == b, a != b].iter().rev().fold(0u8, |all, &flag| all << 1 | u8::from(flag));
        [
            a + b,
            a - b,
            a * b,
            a.floor(),
            a.ceil(),
            a.trunc(),
            a.round_ties_even(),
            a - a.floor(),
            a.abs(),
            if a == 0.0 { 0.0 } else { a.signum() },
            a.min(b),
            a.max(b),
            a.clamp(-2.0, 2.0),
            if b < a { 0.0 } else { 1.0 },
            -a,
            flags.into(),
        ]
    });
    gpu.same("results", &out.read(), &bits(&want.collect::<Vec<f32>>()))
}

fn float_special(gpu: &Gpu) -> Done {
    let mut values = floats(12, 256);
    values[..7].copy_from_slice(&[0.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, f32::MAX, f32::MIN_POSITIVE, 1.0]);
    let (given, out) = (gpu.buffer_of(&values)?, gpu.buffer(256 * 16)?);
    gpu.run(&Job::new(shader!("float_special")).storage(&given).storage(&out), [4, 1, 1])?;
    let want = values.iter().flat_map(|&value| {
        let kind = u32::from(value.is_nan()) | u32::from(value.is_infinite()) << 1;
        let has_parts = value.is_finite() && value != 0.0;
        let exponent = if has_parts { (value.to_bits() >> 23 & 0xff) as i32 - 126 } else { 0 };
        let mantissa = if has_parts { f32::from_bits(value.to_bits() & 0x807f_ffff | 126 << 23) } else { 0.0 };
        [kind, mantissa.to_bits(), exponent as u32, (mantissa * 32.0).to_bits()]
    });
    gpu.same("words", &out.read(), &want.collect::<Vec<u32>>())
}

fn float_near(gpu: &Gpu) -> Done {
    type Function = (&'static str, fn(f64) -> f64, f64);
    // With the largest error, as a part of the value or absolute: Vulkan's precision, or a hundredth of it.
    const FUNCTIONS: [Function; 12] = [
        ("sqrt", f64::sqrt, 1e-6),
        ("inversesqrt", |x| 1.0 / x.sqrt(), 1e-6),
        ("exp2", f64::exp2, 2e-6),
        ("log2", f64::log2, 1e-6),
        ("sin", f64::sin, 1e-5),
        ("cos", f64::cos, 1e-5),
        ("pow", |x| x.powf(1.5), 1e-5),
        ("atan", f64::atan, 5e-4),
        ("1 / x", |x| 1.0 / x, 1e-6),
        ("tanh", f64::tanh, 5e-5),
        ("asin", |x| (x / 10.0).asin(), 5e-4),
        ("exp", |x| (-x).exp(), 2e-6),
    ];
    let mut random = Rng::new(13);
    let values: Vec<f32> = (0..256).map(|_| 0.05 + 3.0 * random.uniform() as f32).collect();
    let (given, out) = (gpu.buffer_of(&values)?, gpu.buffer(FUNCTIONS.len() as u64 * 1024)?);
    gpu.run(&Job::new(shader!("float_near")).storage(&given).storage(&out), [4, 1, 1])?;
    let got = wide(&out.read::<f32>());
    for ((name, function, error), got) in FUNCTIONS.iter().zip(got.chunks(256)) {
        let want: Vec<f64> = wide(&values).into_iter().map(function).collect();
        near(name, got, &want, *error, *error)?;
    }
    Ok(())
}

fn doubles(gpu: &Gpu) -> Done {
    need(gpu.features.core.shader_float64 != 0, "shaderFloat64")?;
    let mut random = Rng::new(14);
    let mut one = || (random.uniform() - 0.5) * f64::from(1 << random.below(20));
    let pairs: Vec<[f64; 2]> = (0..256).map(|_| [one(), one()]).collect();
    let given = gpu.buffer_of(&pairs)?;
    let (out, close, fused) = (gpu.buffer(256 * 64)?, gpu.buffer(256 * 16)?, gpu.buffer(256 * 8)?);
    let job = Job::new(shader!("doubles")).storage(&given).storage(&out).storage(&close).storage(&fused);
    gpu.run(&job, [4, 1, 1])?;
    let want = pairs.iter().flat_map(|&[a, b]| {
        let chosen = if a < b { 1.0 } else { f64::from(u8::from(a > 0.0)) };
        [a + b, a * b, b.ceil(), a.floor(), a.min(b), a.abs() - a.max(b), chosen, (a * 0.125).trunc()]
    });
    // Where the hardware has no rounding of doubles, drivers forget the sign of zero.
    let no_sign = |value: f64| (value + 0.0).to_bits();
    let got: Vec<u64> = out.read().into_iter().map(no_sign).collect();
    gpu.same("results", &got, &want.map(no_sign).collect::<Vec<u64>>())?;
    let (got, want) = (fused.read::<f64>(), pairs.iter().map(|&[a, b]| a.mul_add(b, a)).collect::<Vec<f64>>());
    if gpu.is_radv {
        let bits = |values: &[f64]| values.iter().map(|value| value.to_bits()).collect::<Vec<u64>>();
        same_here("fused", &bits(&got), &bits(&want))?;
    } else {
        // A driver may round twice.
        near("fused", &got, &want, 1e-12, 0.0)?;
    }
    let want: Vec<f64> = pairs.iter().flat_map(|&[a, b]| [a / b, a.abs().sqrt()]).collect();
    near("quotients and roots", &close.read(), &want, 1e-15, 0.0)
}

fn halves(gpu: &Gpu) -> Done {
    let features = &gpu.features;
    need(features.v12.shader_float16 != 0 && features.v11.storage_buffer16_bit_access != 0, "shaderFloat16")?;
    let mut random = Rng::new(15);
    let mut one = || f16::from_f32((random.below(4001) as f32 - 2000.0) / 16.0);
    let pairs: Vec<[f16; 2]> = (0..256).map(|_| [one(), one()]).collect();
    let (given, out, both) = (gpu.buffer_of(&pairs)?, gpu.buffer(256 * 16)?, gpu.buffer(256 * 4)?);
    gpu.run(&Job::new(shader!("halves")).storage(&given).storage(&out).storage(&both), [4, 1, 1])?;
    let of = |value: f32| f16::from_f32(value).to_bits();
    let want = pairs.iter().flat_map(|pair| {
        let [a, b] = pair.map(f16::to_f32);
        [
            of(a + b),
            of(a * b),
            of(a.min(b)),
            of(a.floor()),
            of(a.abs()),
            of(a * 0.5 + b),
            of(if a < b { 1.0 } else { -2.0 }),
            of(b.trunc()),
        ]
    });
    gpu.same("results", &out.read(), &want.collect::<Vec<u16>>())?;
    let want = pairs.iter().flat_map(|pair| {
        let [a, b] = pair.map(f16::to_f32);
        [a + b * 2.0, b + a * 4.0].map(|sum| of(f16::from_f32(sum).to_f32().max(-100.0)))
    });
    gpu.same("pairs", &both.read(), &want.collect::<Vec<u16>>())
}

fn packing(gpu: &Gpu) -> Done {
    let mut random = Rng::new(16);
    // Numbers that halves have, but none half-way between two steps.
    let mut one = || {
        let number = random.below(601) as f32 - 300.0;
        if number.abs() == 128.0 { 0.25 } else { number / 256.0 }
    };
    let values: Vec<[f32; 4]> = (0..256).map(|_| [one(), one(), one(), one()]).collect();
    let (given, out, back) = (gpu.buffer_of(&values)?, gpu.buffer(256 * 28)?, gpu.buffer(256 * 48)?);
    gpu.run(&Job::new(shader!("packing")).storage(&given).storage(&out).storage(&back), [4, 1, 1])?;
    let pack = |values: &[f32], width: u32, low: f32| {
        let most = if low < 0.0 { (1u32 << (width - 1)) - 1 } else { (1 << width) - 1 };
        let step = |value: f32| (value.clamp(low, 1.0) * most as f32).round() as i32 as u32 & ((1 << width) - 1);
        values.iter().rev().fold(0u32, |all, &value| all.unbounded_shl(width) | step(value))
    };
    let words = |v: &[f32; 4]| {
        let half = v.map(|value| u32::from(f16::from_f32(value).to_bits()));
        [
            pack(v, 8, 0.0),
            pack(v, 8, -1.0),
            pack(&v[..2], 16, 0.0),
            pack(&v[2..], 16, -1.0),
            half[0] | half[1] << 16,
            v[0].to_bits() & 0x3fff_ffff,
            v[1].to_bits() & 0x3fff_ffff,
        ]
    };
    gpu.same("words", &out.read(), &values.iter().flat_map(words).collect::<Vec<u32>>())?;
    let want = values.iter().flat_map(|v| {
        let words = words(v);
        let bytes = words[0].to_le_bytes().map(|byte| f64::from(byte) / 255.0);
        let signed = words[1].to_le_bytes().map(|byte| (f64::from(byte as i8) / 127.0).max(-1.0));
        let shorts = [words[2] & 0xffff, words[2] >> 16].map(|short| f64::from(short) / 65535.0);
        [bytes, signed, [f64::from(v[0]), f64::from(v[1]), shorts[0], shorts[1]]].concat()
    });
    near("unpacked", &wide(&back.read::<f32>()), &want.collect::<Vec<f64>>(), 1e-6, 1e-7)
}

/// A matrix as an array of columns.
type Mat4 = [[f32; 4]; 4];

fn matrices(gpu: &Gpu) -> Done {
    let mut random = Rng::new(17);
    let mut one = || random.below(17) as f32 - 8.0;
    let all: Vec<Mat4> = (0..64).map(|_| [(); 4].map(|()| [(); 4].map(|()| one()))).collect();
    let given = gpu.buffer_of(&all)?;
    let out = [gpu.buffer(64 * 64)?, gpu.buffer(64 * 48)?, gpu.buffer(64 * 64)?];
    let job = Job::new(shader!("matrices")).storage(&given);
    gpu.run(&out.iter().fold(job, |job, out| job.storage(out)), [1, 1, 1])?;
    let dot = |a: [f32; 4], b: [f32; 4]| (0..4).map(|k| a[k] * b[k]).sum::<f32>();
    let row = |m: &Mat4, r: usize| m.map(|column| column[r]);
    let cross = |a: [f32; 4], b: [f32; 4], k: usize| {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        a[i] * b[j] - a[j] * b[i]
    };
    let (mut products, mut more, mut turned) = (Vec::new(), Vec::new(), Vec::new());
    for (i, p) in all.iter().enumerate() {
        let q = &all[(i + 1) % all.len()];
        // Column c of the product is the rows of p by row c of q.
        products.extend((0..4).flat_map(|c| (0..4).map(move |r| (r, c))).map(|(r, c)| dot(row(p, r), row(q, c))));
        more.extend((0..4).map(|r| dot(row(p, r), [1.0, 2.0, 3.0, 4.0])));
        more.extend(q.map(|column| dot([4.0, 3.0, 2.0, 1.0], column)));
        let determinant = (0..3).map(|k| p[0][k] * cross(p[1], p[2], k)).sum::<f32>();
        more.extend([determinant, dot(p[0], q[1]), cross(p[1], q[2], 0), cross(p[1], q[2], 2)]);
        // Rows of three, each with room for four.
        let factor = [1.0, 0.0, -1.0];
        turned.extend((0..4).flat_map(|r| (0..4).map(move |c| (r, c))).map(|(r, c)| match c {
            3 => 0.0,
            _ => p[c][r] * (r + 1) as f32 * factor[c],
        }));
    }
    let no_sign = |values: Vec<f32>| values.into_iter().map(|value| value + 0.0).collect::<Vec<f32>>();
    gpu.same("products", &bits(&no_sign(out[0].read())), &bits(&no_sign(products)))?;
    gpu.same("more", &bits(&no_sign(out[1].read())), &bits(&no_sign(more)))?;
    gpu.same("turned", &bits(&no_sign(out[2].read())), &bits(&no_sign(turned)))
}

fn mandelbrot(gpu: &Gpu) -> Done {
    let out = gpu.buffer(64 * 64 * 4)?;
    gpu.run(&Job::new(shader!("mandelbrot")).storage(&out), [8, 8, 1])?;
    let count = |at: u32| {
        let (cx, cy) = ((at % 64) as f32 * 0.046875 - 2.0, (at / 64) as f32 * 0.046875 - 1.5);
        let (mut x, mut y) = (0.0f32, 0.0f32);
        for n in 0..100 {
            if x * x + y * y > 4.0 {
                return n;
            }
            (x, y) = (x * x - y * y + cx, x * y + x * y + cy);
        }
        100
    };
    gpu.same("counts", &out.read(), &(0..64 * 64).map(count).collect::<Vec<u32>>())
}

fn nbody(gpu: &Gpu) -> Done {
    const COUNT: usize = 256;
    let values = floats(18, COUNT * 4);
    let (given, out) = (gpu.buffer_of(&values)?, gpu.buffer(COUNT as u64 * 16)?);
    gpu.run(&Job::new(shader!("nbody")).storage(&given).storage(&out), [COUNT as u32 / 64, 1, 1])?;
    let bodies: Vec<[f64; 4]> = wide(&values).chunks(4).map(|body| [body[0], body[1], body[2], body[3]]).collect();
    let want = bodies.iter().flat_map(|me| {
        let mut force = [0.0; 4];
        for other in &bodies {
            let way = [0, 1, 2].map(|k| other[k] - me[k]);
            let scale = (way.iter().map(|w| w * w).sum::<f64>() + 0.01).sqrt().recip().powi(3) * other[3];
            (0..3).for_each(|k| force[k] += way[k] * scale);
        }
        force[3] = force.iter().take(3).map(|part| part * part).sum::<f64>().sqrt();
        force
    });
    near("forces", &wide(&out.read::<f32>()), &want.collect::<Vec<f64>>(), 1e-3, 0.05)
}
