//! Buffers, shared memory, atomics and scratch.

use ash::vk;
use gcnsim_random::Rng;
use half::f16;

use super::Case;
use crate::buffer::{Buffer, bytes_of};
use crate::gpu::Gpu;
use crate::job::{Bound, Job, shader};
use crate::outcome::{Done, near, need, same_here};

pub(super) const CASES: &[Case] = &[
    ("saxpy", saxpy),
    ("transpose", transpose),
    ("scan", scan),
    ("bitonic_sort", bitonic_sort),
    ("histogram", histogram),
    ("private_arrays", private_arrays),
    ("layouts", layouts),
    ("references", references),
    ("descriptor_arrays", descriptor_arrays),
    ("dynamic_offsets", dynamic_offsets),
    ("texel_buffers", texel_buffers),
    ("robust", robust),
    ("shared_layout", shared_layout),
    ("zero_shared", zero_shared),
    ("matrix_product", matrix_product),
];

/// Returns random dwords.
pub(super) fn dwords(seed: u64, count: usize) -> Vec<u32> {
    let mut random = Rng::new(seed);
    (0..count).map(|_| random.bits()).collect()
}

fn saxpy(gpu: &Gpu) -> Done {
    const COUNT: usize = 1000;
    // Whole numbers, so that neither the order nor the rounding matters.
    let x: Vec<f32> = (0..COUNT).map(|i| (i % 100) as f32).collect();
    let y: Vec<f32> = (0..COUNT).map(|i| (i % 7) as f32).collect();
    let (bx, by, sums) = (gpu.buffer_of(&x)?, gpu.buffer_of(&y)?, gpu.buffer(16 * 4)?);
    let job = Job::new(shader!("saxpy")).storage(&bx).storage(&by).storage(&sums);
    gpu.run(&job.push(&[2.5f32.to_bits(), COUNT as u32]), [16, 1, 1])?;
    let want: Vec<f32> = x.iter().zip(&y).map(|(x, y)| 2.5 * x + y).collect();
    let bits = |values: &[f32]| values.iter().map(|value| value.to_bits()).collect::<Vec<u32>>();
    gpu.same("y", &by.read(), &bits(&want))?;
    let want: Vec<f32> = want.chunks(64).map(|part| part.iter().sum()).collect();
    gpu.same("sums", &sums.read(), &bits(&want))
}

fn transpose(gpu: &Gpu) -> Done {
    const WIDTH: usize = 67;
    const HEIGHT: usize = 45;
    let given = dwords(21, WIDTH * HEIGHT);
    let (from, to) = (gpu.buffer_of(&given)?, gpu.buffer(given.len() as u64 * 4)?);
    let job = Job::new(shader!("transpose")).storage(&from).storage(&to).push(&[WIDTH as u32, HEIGHT as u32]);
    // As many groups as both directions need.
    gpu.run(&job, [5, 5, 1])?;
    let want: Vec<u32> = (0..WIDTH * HEIGHT).map(|at| given[at % HEIGHT * WIDTH + at / HEIGHT]).collect();
    gpu.same("turned", &to.read(), &want)
}

fn scan(gpu: &Gpu) -> Done {
    let given = dwords(22, 4096);
    let (data, totals) = (gpu.buffer_of(&given)?, gpu.buffer(8 * 4)?);
    gpu.run(&Job::new(shader!("scan")).storage(&data).storage(&totals), [8, 1, 1])?;
    let (mut sums, mut all) = (Vec::new(), Vec::new());
    for part in given.chunks(512) {
        let mut sum = 0u32;
        for value in part {
            sums.push(sum);
            sum = sum.wrapping_add(*value);
        }
        all.push(sum);
    }
    gpu.same("sums", &data.read(), &sums)?;
    gpu.same("totals", &totals.read(), &all)
}

fn bitonic_sort(gpu: &Gpu) -> Done {
    let mut given = dwords(23, 3 * 1024);
    let data = gpu.buffer_of(&given)?;
    gpu.run(&Job::new(shader!("bitonic_sort")).storage(&data), [3, 1, 1])?;
    given.chunks_mut(1024).for_each(<[u32]>::sort_unstable);
    gpu.same("sorted", &data.read(), &given)
}

fn histogram(gpu: &Gpu) -> Done {
    let given = dwords(24, 5000);
    let (data, counts) = (gpu.buffer_of(&given)?, gpu.buffer(1024)?);
    gpu.run(&Job::new(shader!("histogram")).storage(&data).storage(&counts), [6, 1, 1])?;
    let mut want = [0u32; 256];
    given.iter().flat_map(|word| word.to_le_bytes()).for_each(|byte| want[usize::from(byte)] += 1);
    gpu.same("counts", &counts.read(), &want)
}

fn private_arrays(gpu: &Gpu) -> Done {
    const ROUNDS: u32 = 60;
    let given = dwords(28, 64);
    let (data, out) = (gpu.buffer_of(&given)?, gpu.buffer(40 * 128 * 4)?);
    let job = Job::new(shader!("private_arrays")).storage(&data).storage(&out).constant(0, ROUNDS);
    gpu.run(&job, [40, 1, 1])?;
    let want = (0..40 * 128u32).map(|i| {
        let mut value = given[i as usize & 63].wrapping_add(i);
        let mut a: Vec<u32> = (0..150).map(|k| value.wrapping_mul(k)).collect();
        for _ in 0..ROUNDS {
            let (from, to) = (value as usize % 150, (value >> 8) as usize % 150);
            value = value.wrapping_mul(1_664_525).wrapping_add(1_013_904_223).wrapping_add(a[from]);
            a[to] ^= value;
        }
        a.iter().fold(0u32, |sum, &word| sum.wrapping_mul(31).wrapping_add(word))
    });
    gpu.same("results", &out.read(), &want.collect::<Vec<u32>>())
}

fn layouts(gpu: &Gpu) -> Done {
    /// Places of the numbers that the shader reads, in its order; `stride` is that of an array of dwords, `part` the
    /// size of the structure.
    fn places(stride: usize, part: usize) -> Vec<usize> {
        let matrix = (16 + 3 * stride).next_multiple_of(16);
        let one = |base: usize| {
            let columns = (0..2).flat_map(move |c| (0..3).map(move |r| base + matrix + 16 * c + 4 * r));
            let words = (0..3).map(move |k| base + 16 + stride * k);
            [base, base + 4, base + 8, base + 12].into_iter().chain(words).chain(columns)
        };
        let rows = 16 + 2 * part;
        let rows = (0..3).flat_map(move |c| (0..2).map(move |r| rows + 16 * r + 4 * c));
        [0].into_iter().chain(one(16)).chain(one(16 + part)).chain(rows).collect()
    }
    let mut want = Vec::new();
    let mut fill = |places: Vec<usize>, flags: usize, first: usize| -> Result<Buffer, crate::outcome::Stop> {
        let mut words = [0u32; 64];
        for (k, at) in places.into_iter().enumerate() {
            // The three words of each structure are integers.
            let is_word = k > 0 && k < 27 && (4..7).contains(&((k - 1) % 13));
            let value = (first + k) as f32;
            words[at / 4] = if is_word { value as u32 } else { value.to_bits() };
            want.push(value.to_bits());
        }
        words[flags / 4 + 1] = 1;
        want.extend([0f32.to_bits(), 1f32.to_bits()]);
        gpu.buffer_of(&words)
    };
    let uniform = fill(places(16, 96), 240, 100)?;
    let storage = fill(places(4, 64), 176, 200)?;
    let out = gpu.buffer(want.len() as u64 * 4)?;
    gpu.run(&Job::new(shader!("layouts")).bind(Bound::Uniform(uniform)).storage(&storage).storage(&out), [1, 1, 1])?;
    gpu.same("numbers", &out.read(), &want)
}

fn references(gpu: &Gpu) -> Done {
    need(gpu.features.v12.buffer_device_address != 0, "bufferDeviceAddress")?;
    need(gpu.features.core.shader_int64 != 0, "shaderInt64")?;
    const COUNT: u32 = 256;
    let (nodes, out) = (gpu.buffer(u64::from(COUNT) * 16)?, gpu.buffer(u64::from(COUNT) * 8)?);
    // Each link leads to a node with a higher number, the last ones to none.
    let mut random = Rng::new(25);
    let next: Vec<Option<u32>> = (0..COUNT).map(|i| Some(i + 1 + random.below(40)).filter(|&n| n < COUNT)).collect();
    let values = dwords(26, COUNT as usize);
    for (i, (next, value)) in next.iter().zip(&values).enumerate() {
        let link = next.map_or(0, |next| gpu.address(&nodes) + u64::from(next) * 16);
        nodes.write(16 * i as u64, &[link]);
        nodes.write(16 * i as u64 + 8, &[*value]);
    }
    gpu.run(&Job::new(shader!("references")).push(&[gpu.address(&nodes), gpu.address(&out)]), [COUNT / 64, 1, 1])?;
    let want = (0..COUNT).flat_map(|i| {
        let path = std::iter::successors(Some(i), |&at| next[at as usize]);
        path.fold([0u32; 2], |[sum, length], at| [sum.wrapping_mul(3).wrapping_add(values[at as usize]), length + 1])
    });
    gpu.same("sums and lengths", &out.read(), &want.collect::<Vec<u32>>())
}

fn descriptor_arrays(gpu: &Gpu) -> Done {
    let features = &gpu.features.v12;
    need(features.shader_storage_buffer_array_non_uniform_indexing != 0, "arrays of buffers with any index")?;
    let contents: Vec<Vec<u32>> = (0..7).map(|k| [dwords(30 + k, 16), vec![0]].concat()).collect();
    let many = contents.iter().map(|words| gpu.buffer_of(words)).collect::<Result<Vec<_>, _>>()?;
    let out = gpu.buffer(128 * 4)?;
    gpu.run(&Job::new(shader!("descriptor_arrays")).bind(Bound::Many(many.clone())).storage(&out), [2, 1, 1])?;
    let want = (0..128).map(|i| contents[i * 5 % 7][i / 7 % 16].wrapping_add(17));
    gpu.same("results", &out.read(), &want.collect::<Vec<u32>>())?;
    let stored: Vec<u32> = many.iter().map(|buffer| buffer.read()[16]).collect();
    gpu.same("stored", &stored, &(0..7).map(|k| k * 3 + 1).collect::<Vec<u32>>())
}

fn dynamic_offsets(gpu: &Gpu) -> Done {
    let given = dwords(27, 1024);
    let (data, out) = (gpu.buffer_of(&given)?, gpu.buffer(4096)?);
    let job = Job::new(shader!("dynamic_offsets")).bind(Bound::Dynamic(data, 256)).bind(Bound::Dynamic(out, 256));
    let ready = gpu.ready(&job)?;
    let commands = gpu.begin()?;
    let mut want = vec![0u32; 1024];
    for (from, to) in [(0, 1024), (2048, 0), (3840, 3840)] {
        gpu.bind(commands, &ready, &[from, to]);
        unsafe { gpu.device.cmd_dispatch(commands, 1, 1, 1) };
        let (from, to) = (from as usize / 4, to as usize / 4);
        (0..64).for_each(|i| want[to + i] = given[from + i].wrapping_mul(2).wrapping_add(64));
    }
    gpu.finish(commands)?;
    gpu.same("parts", &out.read(), &want)
}

/// Four channels of a texel.
type Decoded<T> = [T; 4];

fn texel_buffers(gpu: &Gpu) -> Done {
    type Colours = (vk::Format, usize, fn(&[u8]) -> Decoded<f64>);
    type Numbers = (vk::Format, usize, fn(&[u8]) -> Decoded<u32>);
    const COLOURS: [Colours; 4] = [
        (vk::Format::R8G8B8A8_UNORM, 4, |t| [0, 1, 2, 3].map(|k| f64::from(t[k]) / 255.0)),
        (vk::Format::R8G8B8A8_SNORM, 4, |t| [0, 1, 2, 3].map(|k| (f64::from(t[k] as i8) / 127.0).max(-1.0))),
        (vk::Format::R16G16_SFLOAT, 4, |t| {
            let half = |k: usize| f16::from_le_bytes([t[2 * k], t[2 * k + 1]]).to_f64();
            [half(0), half(1), 0.0, 1.0]
        }),
        (vk::Format::R32_SFLOAT, 4, |t| [f32::from_le_bytes([t[0], t[1], t[2], t[3]]).into(), 0.0, 0.0, 1.0]),
    ];
    const NUMBERS: [Numbers; 4] = [
        (vk::Format::R8_UINT, 1, |t| [t[0].into(), 0, 0, 1]),
        (vk::Format::R16G16_UINT, 4, |t| {
            [u16::from_le_bytes([t[0], t[1]]).into(), u16::from_le_bytes([t[2], t[3]]).into(), 0, 1]
        }),
        (vk::Format::R8G8B8A8_UINT, 4, |t| [t[0].into(), t[1].into(), t[2].into(), t[3].into()]),
        (vk::Format::A2B10G10R10_UINT_PACK32, 4, |t| {
            let word = u32::from_le_bytes([t[0], t[1], t[2], t[3]]);
            [word & 0x3ff, word >> 10 & 0x3ff, word >> 20 & 0x3ff, word >> 30]
        }),
    ];
    const COUNT: u32 = 64;
    for ((colour, colour_bytes, decode), (number, number_bytes, count)) in COLOURS.into_iter().zip(NUMBERS) {
        // Halves and floats are none of the special ones.
        let texels = dwords(29, COUNT as usize).into_iter().map(|word| word & 0xbbff_bbff);
        let texels: Vec<u8> = texels.flat_map(u32::to_le_bytes).collect();
        let colours = gpu.buffer_of(&texels[..colour_bytes * COUNT as usize])?;
        let numbers = gpu.buffer_of(&texels[..number_bytes * COUNT as usize])?;
        let (stored, counted) = (gpu.buffer(u64::from(COUNT) * 4)?, gpu.buffer(9 * 4)?);
        let out = [gpu.buffer(u64::from(COUNT) * 16)?, gpu.buffer(u64::from(COUNT) * 16)?];
        let job = Job::new(shader!("texel_buffers"))
            .bind(Bound::UniformTexels(gpu.texels(&colours, colour)?))
            .bind(Bound::UniformTexels(gpu.texels(&numbers, number)?))
            .bind(Bound::StorageTexels(gpu.texels(&stored, vk::Format::R8G8B8A8_UNORM)?))
            .bind(Bound::StorageTexels(gpu.texels(&counted, vk::Format::R32_UINT)?));
        gpu.run(&job.storage(&out[0]).storage(&out[1]), [1, 1, 1])?;
        let got: Vec<f64> = out[0].read::<f32>().into_iter().map(f64::from).collect();
        let want: Vec<f64> = texels.chunks(colour_bytes).take(COUNT as usize).flat_map(decode).collect();
        near(&format!("{colour:?}"), &got, &want, 1e-6, 0.0)?;
        let want = texels.chunks(number_bytes).take(COUNT as usize).map(count);
        let want = want.flat_map(|[r, g, b, a]| [r + COUNT, g + COUNT, b, a]);
        gpu.same(&format!("{number:?}"), &out[1].read(), &want.collect::<Vec<u32>>())?;
        let want = (0..COUNT as u8).flat_map(|i| [(i & 1) * 255, i >> 1, i, 255]);
        gpu.same("stored", &stored.read(), &want.collect::<Vec<u8>>())?;
        let sums = (0..8).map(|k| (0..COUNT).filter(|i| i & 7 == k).sum()).chain([(COUNT - 1) * 3]);
        gpu.same("counted", &counted.read(), &sums.collect::<Vec<u32>>())?;
    }
    Ok(())
}

fn robust(gpu: &Gpu) -> Done {
    need(gpu.features.robust.robust_buffer_access2 != 0, "robustBufferAccess2")?;
    let gpu = &gpu.robust().map_err(crate::outcome::Stop::Wrong)?;
    const FAR: [u32; 3] = [64, 1000, 0x3000_0000];
    for far in FAR {
        let given = dwords(31, 1200);
        let (data, out) = (gpu.buffer_of(&given)?, gpu.buffer(4800)?);
        let few = gpu.buffer_of(&dwords(32, 32 * 4))?;
        let words: Vec<u32> = few.read();
        let job = Job::new(shader!("robust")).bind(Bound::Dynamic(data, 256)).bind(Bound::Dynamic(out, 256));
        let ready = gpu.ready(&job.bind(Bound::Uniform(few)).push(&[far]))?;
        let commands = gpu.begin()?;
        gpu.bind(commands, &ready, &[0, 0]);
        unsafe { gpu.device.cmd_dispatch(commands, 1, 1, 1) };
        gpu.finish(commands)?;
        let value = |i: usize| given[i].wrapping_add(if i < 32 { words[4 * i] } else { 0 });
        let want: Vec<u32> = (0..1200).map(|i| if i < 64 { value(i) } else { 0 }).collect();
        same_here(&format!("accesses {far} words away"), &out.read(), &want)?;
    }
    Ok(())
}

fn shared_layout(gpu: &Gpu) -> Done {
    let features = &gpu.features;
    let layout = &features.layout;
    let has = layout.workgroup_memory_explicit_layout & layout.workgroup_memory_explicit_layout8_bit_access;
    need(has & layout.workgroup_memory_explicit_layout16_bit_access != 0, "layouts of shared memory")?;
    need(features.v12.shader_int8 & features.core.shader_int16 != 0, "shaderInt8 and shaderInt16")?;
    let out = gpu.buffer(256)?;
    gpu.run(&Job::new(shader!("shared_layout")).storage(&out), [1, 1, 1])?;
    let words: Vec<u32> = (0..64).map(|i| i * 0x0103_0507).collect();
    let before = bytes_of(&words).to_vec();
    let mut bytes = before.clone();
    for i in 0..64 {
        let short = before[2 * ((i * 7 + 3) & 127)];
        bytes[4 * i + 2] = short.wrapping_add(before[(i * 11 + 1) & 255]);
    }
    let word = |i: usize| u32::from_le_bytes([bytes[4 * i], bytes[4 * i + 1], bytes[4 * i + 2], bytes[4 * i + 3]]);
    gpu.same("words", &out.read(), &(0..64).map(|i| word(63 - i)).collect::<Vec<u32>>())
}

fn zero_shared(gpu: &Gpu) -> Done {
    need(gpu.features.v13.shader_zero_initialize_workgroup_memory != 0, "zeros in shared memory")?;
    let out = gpu.buffer(4 * 64 * 4)?;
    gpu.run(&Job::new(shader!("zero_shared")).storage(&out), [4, 1, 1])?;
    gpu.same("results", &out.read(), &[u32::MAX; 256])
}

fn matrix_product(gpu: &Gpu) -> Done {
    const N: usize = 48;
    let mut random = Rng::new(33);
    let mut matrix = || (0..N * N).map(|_| random.below(17) as f32 - 8.0).collect::<Vec<f32>>();
    let (a, b) = (matrix(), matrix());
    let (ba, bb, out) = (gpu.buffer_of(&a)?, gpu.buffer_of(&b)?, gpu.buffer((N * N * 4) as u64)?);
    let job = Job::new(shader!("matrix_product")).storage(&ba).storage(&bb).storage(&out).push(&[N as u32]);
    gpu.run(&job, [3, 3, 1])?;
    let cell = |at: usize| (0..N).map(|k| a[at / N * N + k] * b[k * N + at % N]).sum::<f32>().to_bits();
    gpu.same("product", &out.read(), &(0..N * N).map(cell).collect::<Vec<u32>>())
}
