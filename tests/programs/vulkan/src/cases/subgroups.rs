//! Subgroups. Expected results follow from their size, which devices choose.

use ash::vk::SubgroupFeatureFlags as Feature;

use super::Case;
use super::memory::dwords;
use crate::gpu::Gpu;
use crate::job::{Job, shader};
use crate::outcome::{Done, need, same_here};

pub(super) const CASES: &[Case] = &[
    ("subgroup_basic", basic),
    ("subgroup_vote", vote),
    ("subgroup_ballot", ballot),
    ("subgroup_shuffle", shuffle),
    ("subgroup_arithmetic_u32", arithmetic_u32),
    ("subgroup_arithmetic_i32", arithmetic_i32),
    ("subgroup_arithmetic_i64", arithmetic_i64),
    ("subgroup_arithmetic_f32", arithmetic_f32),
    ("subgroup_small", small),
    ("subgroup_clustered", clustered),
    ("subgroup_large_clusters", large_clusters),
    ("subgroup_quad", quad),
];

fn needs(gpu: &Gpu, feature: Feature) -> Done {
    need(gpu.subgroup_operations.contains(feature), &format!("{feature:?} of subgroups"))
}

/// Runs a shader on `values`, with `N` results of each, and compares them with `of`, which gets the values of a
/// subgroup and the number of an invocation in it.
fn check<T: Copy, R, const N: usize>(gpu: &Gpu, code: &[u8], values: &[T], of: impl Fn(&[T], usize) -> [R; N]) -> Done
where
    R: Copy + Default + PartialEq + std::fmt::Debug + std::fmt::LowerHex,
{
    let (given, out) = (gpu.buffer_of(values)?, gpu.buffer((values.len() * N * size_of::<R>()) as u64)?);
    gpu.run(&Job::new(code).storage(&given).storage(&out), [values.len() as u32 / 64, 1, 1])?;
    let groups = values.chunks(gpu.subgroup as usize);
    let want: Vec<R> =
        groups.flat_map(|group| (0..group.len()).flat_map(|me| of(group, me)).collect::<Vec<R>>()).collect();
    same_here("results", &out.read(), &want)
}

fn basic(gpu: &Gpu) -> Done {
    const GROUPS: u32 = 2;
    let (out, elected) = (gpu.buffer(u64::from(GROUPS) * 192 * 16)?, gpu.buffer(8)?);
    gpu.run(&Job::new(shader!("subgroup_basic")).storage(&out).storage(&elected), [GROUPS, 1, 1])?;
    let (size, count) = (gpu.subgroup, 192u32.div_ceil(gpu.subgroup));
    let want = (0..GROUPS * 192).flat_map(|i| [size, i % 192 % size, i % 192 / size, count]);
    same_here("numbers", &out.read(), &want.collect::<Vec<u32>>())?;
    // The first one of those that ask is the fourth.
    same_here("elected", &elected.read(), &[GROUPS * count, GROUPS * count * 3])
}

fn vote(gpu: &Gpu) -> Done {
    needs(gpu, Feature::VOTE)?;
    let mut values: Vec<u32> = dwords(51, 512).into_iter().map(|word| word % 100).collect();
    // Subgroups that agree.
    values[64..128].fill(7);
    values[128..192].iter_mut().for_each(|value| *value %= 80);
    check(gpu, shader!("subgroup_vote"), &values, |all, me| {
        let odd: Vec<u32> = all.iter().copied().filter(|value| value % 2 == 1).collect();
        let flags = [
            all.iter().all(|&value| value < 90),
            all.iter().any(|&value| value < 3),
            all.iter().all(|&value| value == all[0]),
            true,
        ];
        let of_odd = [odd.iter().all(|&value| value > 5), odd.iter().any(|&value| value > 95), true];
        let of_odd = of_odd.map(|flag| flag && all[me] % 2 == 1);
        [flags.iter().chain(&of_odd).rev().fold(0u32, |bits, &flag| bits << 1 | u32::from(flag))]
    })
}

fn ballot(gpu: &Gpu) -> Done {
    needs(gpu, Feature::BALLOT)?;
    let values: Vec<u32> = dwords(52, 512).into_iter().map(|word| word % 100).collect();
    let (given, out) = (gpu.buffer_of(&values)?, gpu.buffer(512 * 48)?);
    gpu.run(&Job::new(shader!("subgroup_ballot")).storage(&given).storage(&out), [4, 1, 1])?;
    let mut want = Vec::new();
    for all in values.chunks(gpu.subgroup as usize) {
        let bits = (0..).zip(all).filter(|(_, value)| *value % 3 == 0).fold(0u64, |bits, (k, _)| bits | 1 << k);
        let size_mask = if all.len() == 64 { u64::MAX } else { (1 << all.len()) - 1 };
        for (me, &value) in all.iter().enumerate() {
            let (below, upto) = ((1u64 << me) - 1, (2u64 << me).wrapping_sub(1));
            let is_in = bits >> me & 1 == 1;
            let equal = 1u64 << me;
            let first = all.iter().find(|&&value| value > 50).map_or(0, |value| value + 1);
            want.extend([
                bits as u32,
                (bits >> 32) as u32,
                bits.count_ones(),
                (bits & upto).count_ones(),
                (bits & below).count_ones(),
                u32::from(is_in),
                all[0],
                all[3],
                if is_in { bits.trailing_zeros() | (63 - bits.leading_zeros()) << 8 } else { 0 },
                (bits >> 2 & 1) as u32 | ((equal as u32) | (equal >> 32) as u32) << 1,
                (below as u32) ^ ((!below & size_mask) as u32),
                if value > 50 { first } else { 0 },
            ]);
        }
    }
    same_here("results", &out.read(), &want)
}

fn shuffle(gpu: &Gpu) -> Done {
    needs(gpu, Feature::SHUFFLE | Feature::SHUFFLE_RELATIVE)?;
    let values: Vec<u32> = dwords(53, 512).into_iter().map(|word| word % 1000).collect();
    let first = values[0] as usize;
    check(gpu, shader!("subgroup_shuffle"), &values, |all, me| {
        let size = all.len();
        [
            all[size - 1 - me],
            all[(all[me] as usize + me) % size],
            all[me ^ 1],
            all[me ^ (size / 2)],
            if me >= 1 { all[me - 1] } else { 0 },
            if me + 3 < size { all[me + 3] } else { 0 },
            all[me ^ 2] + (me as u32 ^ 2) * 1000,
            all[first % size],
        ]
    })
}

macro_rules! arithmetic {
    ($name:ident, $type:ty, $bits:ty, $shader:literal, $seed:literal) => {
        fn $name(gpu: &Gpu) -> Done {
            needs(gpu, Feature::ARITHMETIC)?;
            if size_of::<$type>() == 8 {
                let has = gpu.features.v12.shader_subgroup_extended_types & gpu.features.core.shader_int64;
                need(has != 0, "subgroups of 64 bits")?;
            }
            let words = dwords($seed, 1024);
            let one = |pair: &[u32]| (u64::from(pair[0]) | u64::from(pair[1]) << 32) as $type;
            let values: Vec<$type> = words.chunks(2).map(one).collect();
            check(gpu, shader!($shader), &values, |all, me| {
                let sum = |part: &[$type]| part.iter().fold(0 as $type, |sum, value| sum.wrapping_add(*value));
                let odd: Vec<$type> = all.iter().copied().filter(|value| value & 1 == 1).collect();
                let before = all[..me].iter().filter(|&value| value & 1 == 1).fold(0, |all, value| all ^ value);
                let is_odd = all[me] & 1 == 1;
                let results: [$type; 12] = [
                    sum(all),
                    all.iter().fold(1 as $type, |product, value| product.wrapping_mul(value | 1)),
                    all.iter().copied().min().unwrap_or(0),
                    all.iter().copied().max().unwrap_or(0),
                    all.iter().fold(!0, |bits, value| bits & (value | 7)),
                    all.iter().fold(0, |bits, value| bits | value & 0x5555),
                    all.iter().fold(0, |bits, value| bits ^ value),
                    sum(&all[..=me]),
                    sum(&all[..me]),
                    all[..=me].iter().copied().max().unwrap_or(0),
                    if is_odd { sum(&odd) } else { 0 },
                    if is_odd { before } else { 0 },
                ];
                results.map(|result| result as $bits)
            })
        }
    };
}

arithmetic!(arithmetic_u32, u32, u32, "subgroup_arithmetic_u32", 54);
arithmetic!(arithmetic_i32, i32, u32, "subgroup_arithmetic_i32", 55);
arithmetic!(arithmetic_i64, i64, u64, "subgroup_arithmetic_i64", 56);

fn arithmetic_f32(gpu: &Gpu) -> Done {
    needs(gpu, Feature::ARITHMETIC)?;
    let values: Vec<f32> = dwords(57, 512).into_iter().map(|word| (word & 0xfff) as f32 - 2000.0).collect();
    check(gpu, shader!("subgroup_arithmetic_f32"), &values, |all, me| {
        let sum = |part: &[f32]| part.iter().sum::<f32>() + 0.0;
        let results = [
            sum(all),
            all.iter().copied().fold(f32::INFINITY, f32::min),
            all.iter().copied().fold(f32::NEG_INFINITY, f32::max),
            sum(&all[..=me]),
            sum(&all[..me]),
            all[..=me].iter().copied().fold(f32::INFINITY, f32::min),
        ];
        results.map(f32::to_bits)
    })
}

fn small(gpu: &Gpu) -> Done {
    needs(gpu, Feature::ARITHMETIC | Feature::SHUFFLE)?;
    let features = &gpu.features;
    let has = features.v12.shader_subgroup_extended_types & features.v12.shader_int8 & features.core.shader_int16;
    need(has != 0, "subgroups of 8 and 16 bits")?;
    let values = dwords(58, 512);
    check(gpu, shader!("subgroup_small"), &values, |all, me| {
        let shorts: Vec<u16> = all.iter().map(|&word| word as u16).collect();
        let bytes: Vec<i8> = all.iter().map(|&word| (word >> 8) as i8).collect();
        [
            shorts.iter().fold(0u16, |sum, value| sum.wrapping_add(*value)).into(),
            shorts[..=me].iter().copied().max().unwrap_or(0).into(),
            shorts[me ^ 1].into(),
            bytes.iter().copied().min().unwrap_or(0) as u32,
            bytes[..me].iter().fold(0i8, |sum, value| sum.wrapping_add(*value)) as u32,
            bytes.iter().fold(0, |bits, value| bits ^ value) as u32,
        ]
    })
}

/// Returns the cluster of `size` values that has number `me`.
fn cluster(all: &[u32], me: usize, size: usize) -> impl Iterator<Item = u32> {
    all[me / size * size..][..size].iter().copied()
}

fn clustered(gpu: &Gpu) -> Done {
    needs(gpu, Feature::CLUSTERED)?;
    check(gpu, shader!("subgroup_clustered"), &dwords(59, 512), |all, me| {
        let sum = |size| cluster(all, me, size).fold(0u32, u32::wrapping_add);
        [
            sum(2),
            sum(4),
            cluster(all, me, 4).max().unwrap_or(0),
            cluster(all, me, 2).fold(0, |bits, value| bits ^ value),
            cluster(all, me, 4).min().unwrap_or(0),
            cluster(all, me, 4).fold(1, |product: u32, value| product.wrapping_mul(value | 1)),
        ]
    })
}

fn large_clusters(gpu: &Gpu) -> Done {
    needs(gpu, Feature::CLUSTERED)?;
    need(gpu.subgroup >= 32, "subgroups of 32 or more")?;
    check(gpu, shader!("subgroup_large_clusters"), &dwords(60, 512), |all, me| {
        let sum = |size| cluster(all, me, size).fold(0u32, u32::wrapping_add);
        [
            sum(8),
            sum(16),
            cluster(all, me, 32).max().unwrap_or(0),
            cluster(all, me, 16).fold(0, |bits, value| bits ^ value),
            cluster(all, me, 8).min().unwrap_or(0),
            cluster(all, me, 32).fold(u32::MAX, |bits, value| bits & (value | 3)),
        ]
    })
}

fn quad(gpu: &Gpu) -> Done {
    needs(gpu, Feature::QUAD)?;
    check(gpu, shader!("subgroup_quad"), &dwords(61, 512), |all, me| {
        [all[me / 4 * 4], all[me / 4 * 4 + 3], all[me ^ 1], all[me ^ 2], all[me ^ 3]]
    })
}
