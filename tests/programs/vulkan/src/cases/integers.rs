//! Integers, and branches that they decide.

use gcnsim_random::Rng;
use sha2::{Digest, Sha256};

use super::{Case, pairs};
use crate::gpu::{Features, Gpu};
use crate::job::{Bound, Job, shader};
use crate::outcome::{Done, need};

pub(super) const CASES: &[Case] = &[
    ("integers", integers),
    ("bits", bits),
    ("int64", int64),
    ("small_integers", small_integers),
    ("sha256", sha256),
    ("crc32", crc32),
    ("collatz", collatz),
    ("switches", switches),
    ("conversions", conversions),
];

const COUNT: usize = 512;
const GROUPS: [u32; 3] = [COUNT as u32 / 64, 1, 1];

fn integers(gpu: &Gpu) -> Done {
    let pairs = pairs(1, COUNT);
    let (given, out) = (gpu.buffer_of(&pairs)?, gpu.buffer(COUNT as u64 * 80)?);
    gpu.run(&Job::new(shader!("integers")).storage(&given).storage(&out), GROUPS)?;
    let want = pairs.iter().flat_map(|&[a, b]| {
        let (sa, sb, shift) = (a as i32, b as i32, b & 31);
        let divisor = if b == 0 { 7 } else { b };
        let sdivisor = if sb == 0 || sb == -1 { 3 } else { sb };
        let (product, sproduct) = (u64::from(a) * u64::from(b), i64::from(sa) * i64::from(sb));
        let flags = [a < b, sa < sb, a == b, sa >= sb];
        [
            a.wrapping_add(b),
            a.wrapping_sub(b),
            a.wrapping_mul(b),
            a / divisor,
            a % divisor,
            (sa / sdivisor) as u32,
            (sa % sdivisor) as u32,
            a << shift,
            a >> shift,
            (sa >> shift) as u32,
            (product >> 32) as u32,
            (sproduct >> 32) as u32,
            product as u32 ^ sproduct as u32,
            a.min(b),
            sa.max(sb) as u32,
            sa.clamp(-1000, 1000) as u32,
            sa.wrapping_abs() as u32,
            sa.signum() as u32,
            (a & b) | (!a ^ b),
            flags.iter().rev().fold(0, |all, &flag| all << 1 | u32::from(flag)),
        ]
    });
    gpu.same("words", &out.read(), &want.collect::<Vec<u32>>())
}

fn bits(gpu: &Gpu) -> Done {
    let pairs = pairs(2, COUNT);
    let (given, out) = (gpu.buffer_of(&pairs)?, gpu.buffer(COUNT as u64 * 48)?);
    gpu.run(&Job::new(shader!("bits")).storage(&given).storage(&out), GROUPS)?;
    let highest = |bits: u32| if bits == 0 { u32::MAX } else { 31 - bits.leading_zeros() };
    let want = pairs.iter().flat_map(|&[a, b]| {
        let (offset, count) = (b & 15, b >> 8 & 15);
        let mask = (1u32 << count) - 1;
        let field = a >> offset & mask;
        let sign = if count == 0 { 0 } else { field >> (count - 1) & 1 };
        [
            field,
            if sign == 1 { field | !mask } else { field },
            a & !(mask << offset) | (b & mask) << offset,
            a.reverse_bits(),
            a.count_ones(),
            if a == 0 { u32::MAX } else { a.trailing_zeros() },
            highest(a),
            highest(if a as i32 > -1 { a } else { !a }),
            a.wrapping_add(b),
            u32::from(a.checked_add(b).is_none()),
            a.wrapping_sub(b),
            u32::from(a < b),
        ]
    });
    gpu.same("words", &out.read(), &want.collect::<Vec<u32>>())
}

/// Numbers of 64 bits, edges among them.
fn wide_pairs() -> Vec<[u64; 2]> {
    let mut random = Rng::new(3);
    let both = |[low, high]: [u32; 2]| u64::from(low) | u64::from(high) << 32;
    let mut edges = pairs(3, 0);
    edges.resize_with(COUNT, || [random.bits(), random.bits()]);
    // Divisors of all lengths.
    edges.iter().enumerate().map(|(at, &pair)| [both(pair), random.bits64() >> (at % 64)]).collect()
}

fn int64(gpu: &Gpu) -> Done {
    need(gpu.features.core.shader_int64 != 0, "shaderInt64")?;
    let pairs = wide_pairs();
    let (given, out) = (gpu.buffer_of(&pairs)?, gpu.buffer(COUNT as u64 * 128)?);
    gpu.run(&Job::new(shader!("int64")).storage(&given).storage(&out), GROUPS)?;
    let want = pairs.iter().flat_map(|&[a, b]| {
        let (sa, sb, shift) = (a as i64, b as i64, b & 63);
        let divisor = if b == 0 { 7 } else { b };
        let sdivisor = if sb == 0 || sb == -1 { 3 } else { sb };
        [
            a.wrapping_add(b),
            a.wrapping_sub(b),
            a.wrapping_mul(b),
            a / divisor,
            a % divisor,
            (sa / sdivisor) as u64,
            (sa % sdivisor) as u64,
            a << shift,
            a >> shift,
            (sa >> shift) as u64,
            a.min(b),
            sa.max(sb) as u64,
            sa.wrapping_abs() as u64,
            u64::from(a < b) | u64::from(sa < sb) << 1 | u64::from(a == b) << 2,
            (a & b) | (!a ^ b),
            a & 0xffff_ffff | ((b as i32 >> 3) as u64) << 32,
        ]
    });
    gpu.same("words", &out.read(), &want.collect::<Vec<u64>>())
}

fn small_integers(gpu: &Gpu) -> Done {
    let Features { core, v11, v12, .. } = &gpu.features;
    need(core.shader_int16 != 0 && v11.storage_buffer16_bit_access != 0, "shaderInt16 with its storage")?;
    need(v12.shader_int8 != 0 && v12.storage_buffer8_bit_access != 0, "shaderInt8 with its storage")?;
    let mut random = Rng::new(4);
    let words: Vec<[u16; 2]> = (0..256).map(|_| [random.bits() as u16, random.bits() as u16]).collect();
    let bytes: Vec<[i8; 2]> = (0..256).map(|_| [random.bits() as i8, random.bits() as i8]).collect();
    let given = [gpu.buffer_of(&words)?, gpu.buffer_of(&bytes)?];
    let out = [gpu.buffer(256 * 16)?, gpu.buffer(256 * 4)?];
    let job = Job::new(shader!("small_integers"));
    gpu.run(&job.storage(&given[0]).storage(&given[1]).storage(&out[0]).storage(&out[1]), [4, 1, 1])?;
    let want16 = words.iter().flat_map(|&[a, b]| {
        let (sa, sb) = (a as i16, b as i16);
        [
            a.wrapping_add(b),
            a.wrapping_mul(b),
            a / b.max(1),
            (sa >> (b & 15)) as u16,
            a << (b & 15),
            sa.min(sb) as u16,
            a.max(b),
            a.wrapping_sub(b),
        ]
    });
    let want8 = bytes.iter().flat_map(|&[c, d]| {
        let high = ((i16::from(c) * i16::from(d)) >> 8) as u8;
        [c.wrapping_add(d) as u8, c.wrapping_mul(d) as u8, c.max(d) as u8, high]
    });
    gpu.same("words", &out[0].read(), &want16.collect::<Vec<u16>>())?;
    gpu.same("bytes", &out[1].read(), &want8.collect::<Vec<u8>>())
}

fn sha256(gpu: &Gpu) -> Done {
    let out = gpu.buffer(256 * 32)?;
    gpu.run(&Job::new(shader!("sha256")).storage(&out), [8, 1, 1])?;
    let want = (0..256u32).flat_map(|i| {
        let message: Vec<u8> = (0..55).map(|at| (i * 7 + at * 13) as u8).collect();
        let digest = Sha256::digest(&message);
        let words: Vec<u32> =
            digest.chunks(4).map(|word| word.iter().fold(0, |all, &b| all << 8 | u32::from(b))).collect();
        words
    });
    gpu.same("digests", &out.read(), &want.collect::<Vec<u32>>())
}

fn crc32(gpu: &Gpu) -> Done {
    const POLYNOMIAL: u32 = 0xedb8_8320;
    let step = |crc: u32| if crc & 1 == 1 { crc >> 1 ^ POLYNOMIAL } else { crc >> 1 };
    let table: Vec<u32> = (0..256).map(|byte| (0..8).fold(byte, |crc, _| step(crc))).collect();
    let mut random = Rng::new(5);
    let data: Vec<u32> = (0..256 * 16).map(|_| random.bits()).collect();
    let (table, given, out) = (gpu.buffer_of(&table)?, gpu.buffer_of(&data)?, gpu.buffer(1024)?);
    gpu.run(&Job::new(shader!("crc32")).bind(Bound::Uniform(table)).storage(&given).storage(&out), [4, 1, 1])?;
    let bytes = |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
    let of = |bytes: Vec<u8>| {
        !bytes.iter().fold(u32::MAX, |crc, &byte| (0..8).fold(crc ^ u32::from(byte), |crc, _| step(crc)))
    };
    let want: Vec<u32> = data.chunks(16).map(|words| of(bytes(words))).collect();
    gpu.same("sums", &out.read(), &want)
}

fn collatz(gpu: &Gpu) -> Done {
    let out = gpu.buffer(1024 * 8)?;
    gpu.run(&Job::new(shader!("collatz")).storage(&out), [16, 1, 1])?;
    let want = (1..=1024u32).flat_map(|first| {
        let next = |&n: &u32| (n != 1).then(|| if n.is_multiple_of(2) { n / 2 } else { 3 * n + 1 });
        let path: Vec<u32> = std::iter::successors(Some(first), next).collect();
        [path.len() as u32 - 1, path.into_iter().max().unwrap_or(0)]
    });
    gpu.same("results", &out.read(), &want.collect::<Vec<u32>>())
}

/// What the machine of `switches.comp` gives.
fn machine(code: &[u32], i: u32) -> u32 {
    let (mut a, mut b, mut pc) = (i, 1u32, i % 8);
    for step in 0..200 {
        let op = code[pc as usize % code.len()];
        pc = pc.wrapping_add(1);
        match op & 7 {
            0 => a = a.wrapping_add(op >> 3),
            kind @ (1 | 2) => {
                a = if kind == 1 { a ^ b << 3 } else { a };
                b = b.wrapping_mul(5).wrapping_add(a);
            }
            3 if a & 1 == 0 => a >>= 1,
            3 => {}
            4 => (a, b) = (a.max(b), a.min(b)),
            5 => pc += a & 3,
            6 => {
                for k in 0..a & 7 {
                    b = b.wrapping_add(k.wrapping_mul(a));
                    if b.is_multiple_of(11) {
                        break;
                    }
                }
            }
            _ if a % 97 == 5 => return 0xdead_0000 | step,
            _ => a = a.wrapping_mul(3).wrapping_add(1),
        }
    }
    a ^ b
}

fn switches(gpu: &Gpu) -> Done {
    let mut random = Rng::new(6);
    let code: Vec<u32> = (0..64).map(|_| random.bits()).collect();
    let (given, out) = (gpu.buffer_of(&code)?, gpu.buffer(COUNT as u64 * 4)?);
    gpu.run(&Job::new(shader!("switches")).storage(&given).storage(&out), GROUPS)?;
    gpu.same("results", &out.read(), &(0..COUNT as u32).map(|i| machine(&code, i)).collect::<Vec<u32>>())
}

fn conversions(gpu: &Gpu) -> Done {
    let core = &gpu.features.core;
    need(core.shader_int64 != 0 && core.shader_float64 != 0, "shaderInt64 and shaderFloat64")?;
    let bits: Vec<u32> = pairs(7, COUNT).into_iter().map(|[a, b]| a ^ b.rotate_left(3)).collect();
    let given = gpu.buffer_of(&bits)?;
    let out = [gpu.buffer(COUNT as u64 * 24)?, gpu.buffer(COUNT as u64 * 32)?];
    gpu.run(&Job::new(shader!("conversions")).storage(&given).storage(&out[0]).storage(&out[1]), GROUPS)?;
    let narrow = bits.iter().flat_map(|&a| {
        let f = (a as i32 >> 8) as f32;
        [
            ((a & 0xff_ffff) as f32).to_bits(),
            f.to_bits(),
            (f * 0.5) as i32 as u32,
            (f.abs() * 0.25) as u32,
            (f64::from(a as i32) * 0.5) as i32 as u32,
            (f * 0.25).to_bits(),
        ]
    });
    let wide = bits.iter().flat_map(|&a| {
        let a64 = u64::from(a);
        [
            (f64::from(a) * 65536.0).to_bits(),
            a64 * 4096,
            (i64::from(a as i32) * -1024) as u64,
            ((a64 << 20) as f64).to_bits(),
        ]
    });
    gpu.same("words", &out[0].read(), &narrow.collect::<Vec<u32>>())?;
    gpu.same("wide words", &out[1].read(), &wide.collect::<Vec<u64>>())
}
