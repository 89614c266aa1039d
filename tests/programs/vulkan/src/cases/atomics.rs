//! Atomics. What they give does not depend on the order of invocations.

use super::memory::dwords;
use super::{Case, pairs};
use crate::gpu::Gpu;
use crate::job::{Job, shader};
use crate::outcome::{Done, need};

pub(super) const CASES: &[Case] = &[
    ("atomics", atomics),
    ("atomics64", atomics64),
    ("shared_atomics64", shared_atomics64),
    ("shared_atomics", shared_atomics),
    ("atomic_floats", atomic_floats),
    ("last_group", last_group),
];

/// A sum, the least, the most, all bits, any bits, odd bits; the least and the most signed one.
fn combined(values: &[u32]) -> [u32; 8] {
    let signed = || values.iter().map(|&value| value as i32);
    [
        values.iter().fold(0, |sum, value| sum.wrapping_add(*value)),
        values.iter().copied().min().unwrap_or(0),
        values.iter().copied().max().unwrap_or(0),
        values.iter().fold(u32::MAX, |all, value| all & (value | 0xff)),
        values.iter().fold(0, |any, value| any | value & 0xf0f0_f0f0),
        values.iter().fold(0, |odd, value| odd ^ value),
        signed().min().unwrap_or(0) as u32,
        signed().max().unwrap_or(0) as u32,
    ]
}

fn atomics(gpu: &Gpu) -> Done {
    const COUNT: u32 = 1024;
    let given: Vec<u32> = pairs(41, COUNT as usize).into_iter().map(|[a, b]| (a ^ b).max(1)).collect();
    let data = gpu.buffer_of(&given)?;
    let mut first = [0u32; 15];
    (first[1], first[3], first[6], first[7]) = (u32::MAX, u32::MAX, i32::MAX as u32, i32::MIN as u32);
    let (out, seen) = (gpu.buffer_of(&first)?, gpu.buffer(u64::from(COUNT) * 4)?);
    gpu.run(&Job::new(shader!("atomics")).storage(&data).storage(&out).storage(&seen), [COUNT / 64, 1, 1])?;
    let mut got = out.read::<u32>();
    // All that was exchanged came out again but for what is still there.
    let exchanged = got[13] ^ got[14];
    got.truncate(13);
    let mut want = combined(&given).to_vec();
    want[0] = COUNT;
    want.extend([1, 1, 1, 1, 1 + 2 + 3 + 4]);
    gpu.same("results", &got, &want)?;
    gpu.same("exchanged", &[exchanged], &[(1..=COUNT).fold(0, |all, i| all ^ i)])?;
    gpu.same("tickets", &seen.read(), &[1u32; COUNT as usize])
}

fn wide(gpu: &Gpu, in_shared: bool) -> Done {
    const COUNT: u64 = 512;
    let words = dwords(42, COUNT as usize * 2);
    let given: Vec<u64> = words.chunks(2).map(|pair| u64::from(pair[0]) | u64::from(pair[1]) << 32).collect();
    let data = gpu.buffer_of(&given)?;
    let mut first = [0u64; 10];
    (first[1], first[3], first[8], first[9]) = (u64::MAX, u64::MAX, i64::MAX as u64, i64::MIN as u64);
    let out = gpu.buffer_of(&first)?;
    let job = Job::new(shader!("atomics64")).storage(&data).storage(&out).constant(0, in_shared.into());
    gpu.run(&job, [COUNT as u32 / 64, 1, 1])?;
    let signed = || given.iter().map(|&value| value as i64);
    let mut want = [
        given.iter().fold(0u64, |sum, value| sum.wrapping_add(*value)),
        given.iter().copied().min().unwrap_or(0),
        given.iter().copied().max().unwrap_or(0),
        given.iter().fold(u64::MAX, |all, value| all & (value | 0xff)),
        given.iter().fold(0, |any, value| any | value & 0xf0f0_f0f0_f0f0_f0f0),
        given.iter().fold(0, |odd, value| odd ^ value),
        (1..=COUNT).fold(0, |all, i| all ^ i << 32),
        0,
        signed().min().unwrap_or(0) as u64,
        signed().max().unwrap_or(0) as u64,
    ];
    if in_shared {
        (want[6], want[8], want[9]) = (0, first[8], first[9]);
    }
    let mut got: Vec<u64> = out.read();
    got[6] ^= got[7];
    got[7] = 0;
    gpu.same("results", &got, &want)
}

fn atomics64(gpu: &Gpu) -> Done {
    need(gpu.features.v12.shader_buffer_int64_atomics != 0, "shaderBufferInt64Atomics")?;
    need(gpu.features.v12.shader_shared_int64_atomics != 0, "shaderSharedInt64Atomics")?;
    wide(gpu, false)
}

fn shared_atomics64(gpu: &Gpu) -> Done {
    need(gpu.features.v12.shader_buffer_int64_atomics != 0, "shaderBufferInt64Atomics")?;
    need(gpu.features.v12.shader_shared_int64_atomics != 0, "shaderSharedInt64Atomics")?;
    wide(gpu, true)
}

fn shared_atomics(gpu: &Gpu) -> Done {
    let given = dwords(43, 5 * 128);
    let (data, out) = (gpu.buffer_of(&given)?, gpu.buffer(5 * 40)?);
    gpu.run(&Job::new(shader!("shared_atomics")).storage(&data).storage(&out), [5, 1, 1])?;
    let want = given.chunks(128).flat_map(|part| {
        let mut want = combined(part).to_vec();
        want[0] = 128;
        want.push(part.iter().fold(0, |sum, value| sum.wrapping_add(value | 1)));
        want.push((1..=128).fold(0, |all, i| all ^ i));
        want
    });
    gpu.same("results", &out.read(), &want.collect::<Vec<u32>>())
}

fn atomic_floats(gpu: &Gpu) -> Done {
    need(gpu.features.floats.shader_shared_float32_atomic_add != 0, "shaderSharedFloat32AtomicAdd")?;
    let given: Vec<f32> = dwords(44, 512).into_iter().map(|word| (word & 0x3ff) as f32).collect();
    let (data, out) = (gpu.buffer_of(&given)?, gpu.buffer(16)?);
    gpu.run(&Job::new(shader!("atomic_floats")).storage(&data).storage(&out), [4, 1, 1])?;
    let want: Vec<u32> = given.chunks(128).map(|part| part.iter().sum::<f32>().to_bits()).collect();
    gpu.same("sums", &out.read(), &want)
}

fn last_group(gpu: &Gpu) -> Done {
    need(gpu.features.v12.vulkan_memory_model != 0, "the memory model")?;
    need(gpu.is_radv, "atomic loads (lavapipe 22.3 ends an invocation there)")?;
    need(gpu.features.v12.vulkan_memory_model_device_scope != 0, "the memory model of the device")?;
    let given = dwords(45, 32 * 64);
    let (data, sums, out) = (gpu.buffer_of(&given)?, gpu.buffer(128)?, gpu.buffer(12)?);
    gpu.run(&Job::new(shader!("last_group")).storage(&data).storage(&sums).storage(&out), [32, 1, 1])?;
    let total = given.iter().fold(0u32, |sum, value| sum.wrapping_add(*value));
    gpu.same("results", &out.read(), &[32, total, 1])
}
