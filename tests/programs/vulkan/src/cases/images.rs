//! Images: formats, levels and layers, copies, stores and atomics.

use ash::vk;

use super::Case;
use crate::gpu::Gpu;
use crate::image::{Image, Shape, part, range};
use crate::job::{Bound, Job, shader};
use crate::outcome::{Done, need, wrong};
use crate::texel::{FORMATS, Format, Kind, format};

pub(super) const CASES: &[Case] = &[
    ("image_stores", image_stores),
    ("image_formats", image_formats),
    ("image_planes", image_planes),
    ("image_lines", image_lines),
    ("image_volumes", image_volumes),
    ("image_arrays", image_arrays),
    ("image_cubes", image_cubes),
    ("image_copies", image_copies),
    ("image_clears", image_clears),
    ("image_atomics", image_atomics),
    ("image_atomics64", image_atomics64),
    ("image_sizes", image_sizes),
    ("image_levels_stored", image_levels_stored),
    ("image_slices", image_slices),
    ("image_volume_store", image_volume_store),
    ("image_views", image_views),
    ("image_linear", image_linear),
    ("image_blur", image_blur),
];

const RGBA8: vk::Format = vk::Format::R8G8B8A8_UNORM;

/// Returns what a buffer has, as texels of a shader.
fn read_texels(buffer: &crate::buffer::Buffer, kind: Kind) -> Vec<f64> {
    match kind {
        Kind::Float => buffer.read::<f32>().into_iter().map(f64::from).collect(),
        Kind::Unsigned => buffer.read::<u32>().into_iter().map(f64::from).collect(),
        Kind::Signed => buffer.read::<i32>().into_iter().map(f64::from).collect(),
    }
}

/// Whether texels differ by more than rounding.
fn differs(got: &[f64], want: &[f64]) -> bool {
    got.iter().zip(want).any(|(got, want)| (got - want).abs() > want.abs() * 1e-6)
}

/// Compares all texels of levels with those of the shader and of copies. The view has layers.
fn check_fetches(gpu: &Gpu, image: &Image, format: &Format, levels: &[Vec<u8>]) -> Done {
    let shape = image.shape;
    let (kind, code) = match (shape.kind, format.kind) {
        (vk::ImageType::TYPE_1D, _) => (vk::ImageViewType::TYPE_1D_ARRAY, &shader!("fetch_1d_f")[..]),
        (vk::ImageType::TYPE_3D, _) => (vk::ImageViewType::TYPE_3D, &shader!("fetch_3d_f")[..]),
        (_, Kind::Float) => (vk::ImageViewType::TYPE_2D_ARRAY, &shader!("fetch_2d_f")[..]),
        (_, Kind::Unsigned) => (vk::ImageViewType::TYPE_2D_ARRAY, &shader!("fetch_2d_u")[..]),
        (_, Kind::Signed) => (vk::ImageViewType::TYPE_2D_ARRAY, &shader!("fetch_2d_i")[..]),
    };
    let view = gpu.view(image, kind, image.whole())?;
    let sampler = gpu.sampler(&vk::SamplerCreateInfo::default().max_lod(vk::LOD_CLAMP_NONE))?;
    let count: usize = (0..shape.levels).map(|level| shape.texels(level)).sum();
    let out = gpu.buffer(count as u64 * 16)?;
    let commands = gpu.begin()?;
    let mut first = 0;
    for level in 0..shape.levels {
        let [width, height, depth] = shape.level(level);
        let push = [width, height, depth * shape.layers, level, first];
        let job = Job::new(code).bind(Bound::Sampled(view, sampler)).storage(&out).push(&push);
        let texels = shape.texels(level) as u32;
        gpu.dispatch(commands, &gpu.ready(&job)?, [texels.div_ceil(64), 1, 1]);
        first += texels;
    }
    gpu.finish(commands)?;
    let got = read_texels(&out, format.kind);
    let mut got = got.chunks(4);
    for (level, texels) in levels.iter().enumerate() {
        for (at, texel) in texels.chunks(format.bytes).enumerate() {
            let (got, want) = (got.next().unwrap_or_default(), (format.decode)(texel));
            if differs(got, &want) {
                return wrong(format!("{:?}: level {level}, texel {at} is {got:?} instead of {want:?}", format.vk));
            }
        }
    }
    check_copies(gpu, image, format, levels)
}

/// Compares all texels with those of copies.
fn check_copies(gpu: &Gpu, image: &Image, format: &Format, levels: &[Vec<u8>]) -> Done {
    for (level, (got, want)) in gpu.texels_of(image, format.bytes)?.iter().zip(levels).enumerate() {
        gpu.same(&format!("bytes of level {level} of {:?}", format.vk), got, want)?;
    }
    Ok(())
}

/// Fills an image by copies, and reads it by a shader and by copies.
fn check_image(gpu: &Gpu, shape: Shape, format: &Format) -> Done {
    gpu.need_copies_without_draws()?;
    let levels = shape.random(format, u64::from(shape.size[0]) + u64::from(shape.layers));
    let image = gpu.image_of(shape, format.vk, &levels)?;
    match check_fetches(gpu, &image, format, &levels) {
        Err(crate::outcome::Stop::Wrong(what)) => wrong(format!("{shape:?}: {what}")),
        done => done,
    }
}

fn image_formats(gpu: &Gpu) -> Done {
    for format in &FORMATS {
        check_image(gpu, Shape::plane(37, 21), format)?;
        check_image(gpu, Shape::plane(37, 21).stored(), format)?;
    }
    Ok(())
}

fn image_planes(gpu: &Gpu) -> Done {
    for (width, height, levels) in [(1, 1, 1), (64, 64, 7), (130, 70, 8), (255, 3, 8), (16, 256, 9), (300, 200, 1)] {
        for vk in [RGBA8, vk::Format::R8_UNORM, vk::Format::R32G32B32A32_SFLOAT] {
            check_image(gpu, Shape::plane(width, height).levels(levels), format(vk))?;
        }
    }
    Ok(())
}

fn image_lines(gpu: &Gpu) -> Done {
    for (width, levels, layers) in [(100, 1, 1), (129, 8, 1), (64, 7, 5)] {
        check_image(gpu, Shape::line(width).levels(levels).layers(layers), format(RGBA8))?;
    }
    Ok(())
}

fn image_volumes(gpu: &Gpu) -> Done {
    for (size, levels) in [([16, 16, 16], 5), ([20, 9, 33], 6), ([64, 4, 3], 1)] {
        for vk in [RGBA8, vk::Format::R16G16B16A16_SFLOAT] {
            check_image(gpu, Shape::volume(size).levels(levels), format(vk))?;
        }
    }
    Ok(())
}

fn image_arrays(gpu: &Gpu) -> Done {
    for (width, height, levels, layers) in [(32, 32, 6, 4), (37, 21, 6, 3), (128, 128, 1, 9), (5, 77, 7, 2)] {
        for vk in [RGBA8, vk::Format::R16_SFLOAT, vk::Format::R32G32_UINT] {
            check_image(gpu, Shape::plane(width, height).levels(levels).layers(layers), format(vk))?;
        }
    }
    Ok(())
}

fn image_cubes(gpu: &Gpu) -> Done {
    check_image(gpu, Shape::cubes(32, 1).levels(6), format(RGBA8))?;
    check_image(gpu, Shape::cubes(20, 3).levels(3), format(RGBA8))
}

fn image_stores(gpu: &Gpu) -> Done {
    gpu.need_copies_without_draws()?;
    for format in FORMATS.iter().filter(|format| gpu.can(format.vk, vk::FormatFeatureFlags::STORAGE_IMAGE)) {
        let shape = Shape::plane(37, 21).stored();
        let levels = shape.random(format, 81);
        let image = gpu.image(shape, format.vk)?;
        let values: Vec<[u32; 4]> = levels[0]
            .chunks(format.bytes)
            .map(|texel| {
                (format.decode)(texel).map(|value| match format.kind {
                    Kind::Float => (value as f32).to_bits(),
                    Kind::Unsigned => value as u32,
                    Kind::Signed => value as i32 as u32,
                })
            })
            .collect();
        let given = gpu.buffer_of(&values)?;
        let code = match format.kind {
            Kind::Float => &shader!("image_store_f")[..],
            Kind::Unsigned => &shader!("image_store_u")[..],
            Kind::Signed => &shader!("image_store_i")[..],
        };
        let view = gpu.view(&image, vk::ImageViewType::TYPE_2D, image.whole())?;
        gpu.run(&Job::new(code).bind(Bound::Image(view)).storage(&given), [5, 3, 1])?;
        check_copies(gpu, &image, format, &levels)?;
    }
    Ok(())
}

fn image_copies(gpu: &Gpu) -> Done {
    gpu.need_copies_without_draws()?;
    let format = format(vk::Format::R16G16_SINT);
    let (from_shape, to_shape) = (Shape::plane(40, 30).levels(3).layers(3), Shape::plane(64, 50).levels(2).layers(4));
    let (from, mut to) = (from_shape.random(format, 82), to_shape.random(format, 83));
    let source = gpu.image_of(from_shape, format.vk, &from)?;
    let target = gpu.image_of(to_shape, format.vk, &to)?;
    // Level and layer of both; places; size.
    type Copy = ([u32; 2], [u32; 2], [i32; 2], [i32; 2], [u32; 2]);
    const COPIES: [Copy; 4] = [
        ([0, 0], [0, 1], [0, 0], [0, 0], [40, 30]),
        ([1, 2], [0, 3], [3, 5], [17, 9], [11, 10]),
        ([2, 1], [1, 0], [1, 0], [20, 11], [9, 7]),
        ([0, 2], [1, 2], [33, 22], [0, 0], [7, 8]),
    ];
    let commands = gpu.begin()?;
    for (source_part, target_part, [sx, sy], [tx, ty], [width, height]) in COPIES {
        let copy = vk::ImageCopy::default().extent(vk::Extent3D { width, height, depth: 1 });
        let copy = copy.src_subresource(part(source_part[0], source_part[1]..source_part[1] + 1));
        let copy = copy.dst_subresource(part(target_part[0], target_part[1]..target_part[1] + 1));
        let copy = copy.src_offset(vk::Offset3D { x: sx, y: sy, z: 0 }).dst_offset(vk::Offset3D { x: tx, y: ty, z: 0 });
        let layout = vk::ImageLayout::GENERAL;
        unsafe { gpu.device.cmd_copy_image(commands, source.handle, layout, target.handle, layout, &[copy]) };
        for (x, y) in (0..height as usize).flat_map(|y| (0..width as usize).map(move |x| (x, y))) {
            let place = |shape: Shape, [level, layer]: [u32; 2], x0: i32, y0: i32| {
                let [width, height, _] = shape.level(level).map(|side| side as usize);
                4 * ((layer as usize * height + y0 as usize + y) * width + x0 as usize + x)
            };
            let (at, goes) = (place(from_shape, source_part, sx, sy), place(to_shape, target_part, tx, ty));
            to[target_part[0] as usize][goes..goes + 4].copy_from_slice(&from[source_part[0] as usize][at..at + 4]);
        }
    }
    gpu.finish(commands)?;
    check_copies(gpu, &target, format, &to)
}

fn image_clears(gpu: &Gpu) -> Done {
    gpu.need_copies_without_draws()?;
    let colours: [(vk::Format, vk::ClearColorValue, Vec<u8>); 4] = [
        (RGBA8, vk::ClearColorValue { float32: [1.0, 0.0, 0.2, 0.6] }, vec![255, 0, 51, 153]),
        (vk::Format::R32_UINT, vk::ClearColorValue { uint32: [0x1234_5678, 0, 0, 0] }, vec![0x78, 0x56, 0x34, 0x12]),
        (vk::Format::R16_SFLOAT, vk::ClearColorValue { float32: [-2.0, 0.0, 0.0, 0.0] }, vec![0, 0xc0]),
        (vk::Format::R16G16_SINT, vk::ClearColorValue { int32: [-2, 300, 0, 0] }, vec![0xfe, 0xff, 0x2c, 1]),
    ];
    for (vk, colour, bytes) in colours {
        let (format, shape) = (format(vk), Shape::plane(50, 40).levels(4).layers(3));
        let mut levels = shape.random(format, 84);
        let image = gpu.image_of(shape, vk, &levels)?;
        let commands = gpu.begin()?;
        let layout = vk::ImageLayout::GENERAL;
        unsafe { gpu.device.cmd_clear_color_image(commands, image.handle, layout, &colour, &[range(1..3, 1..3)]) };
        gpu.finish(commands)?;
        for level in [1, 2] {
            let layer = levels[level].len() / 3;
            levels[level][layer..].chunks_mut(format.bytes).for_each(|texel| texel.copy_from_slice(&bytes));
        }
        check_copies(gpu, &image, format, &levels)?;
        // All of it.
        let commands = gpu.begin()?;
        unsafe { gpu.device.cmd_clear_color_image(commands, image.handle, layout, &colour, &[image.whole()]) };
        gpu.finish(commands)?;
        levels.iter_mut().for_each(|level| *level = bytes.repeat(level.len() / bytes.len()));
        check_fetches(gpu, &image, format, &levels)?;
    }
    Ok(())
}

/// Returns dwords of all levels.
fn dwords_of(gpu: &Gpu, image: &Image) -> Result<Vec<u32>, crate::outcome::Stop> {
    let bytes = gpu.texels_of(image, 4)?.concat();
    Ok(bytes.chunks(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect())
}

fn image_atomics(gpu: &Gpu) -> Done {
    gpu.need_copies_without_draws()?;
    let (flat, deep) = (Shape::plane(8, 8).stored(), Shape::plane(4, 2).layers(5).stored());
    let counts = gpu.image_of(flat, vk::Format::R32_UINT, &[vec![0; 256]])?;
    let mut first = [0u32; 40];
    first[..8].fill(i32::MAX as u32);
    first[8..16].fill(i32::MIN as u32);
    let bytes: Vec<u8> = first.iter().flat_map(|word| word.to_le_bytes()).collect();
    let signs = gpu.image_of(deep, vk::Format::R32_SINT, &[bytes])?;
    let views = [
        gpu.view(&counts, vk::ImageViewType::TYPE_2D, counts.whole())?,
        gpu.view(&signs, vk::ImageViewType::TYPE_2D_ARRAY, signs.whole())?,
    ];
    let job = Job::new(shader!("image_atomics")).bind(Bound::Image(views[0])).bind(Bound::Image(views[1]));
    gpu.run(&job, [4, 2, 1])?;
    let mut want = [0u32; 64];
    let mut signed = [[0i32; 8]; 5];
    (signed[0], signed[1]) = ([i32::MAX; 8], [i32::MIN; 8]);
    for (x, y) in (0..16u32).flat_map(|y| (0..32u32).map(move |x| (x, y))) {
        let value = x * 31 + y * 17;
        want[(y / 4 * 8 + x / 4) as usize] += value;
        want[(7 * 8 + x / 8) as usize] ^= value;
        let (at, value) = ((y / 8 * 4 + x / 8) as usize, value as i32);
        signed[0][at] = signed[0][at].min(value - 400);
        signed[1][at] = signed[1][at].max(value - 400);
        signed[2][at] |= value;
        if x % 8 == 3 && y % 8 == 3 {
            signed[3][at] = value;
        }
        signed[4][at] = (x / 8 + y / 8 + 1) as i32;
    }
    gpu.same("counts", &dwords_of(gpu, &counts)?, &want)?;
    let want: Vec<u32> = signed.concat().into_iter().map(|value| value as u32).collect();
    gpu.same("signs", &dwords_of(gpu, &signs)?, &want)
}

fn image_atomics64(gpu: &Gpu) -> Done {
    need(gpu.features.image64.shader_image_int64_atomics != 0, "shaderImageInt64Atomics")?;
    need(gpu.can(vk::Format::R64_UINT, vk::FormatFeatureFlags::STORAGE_IMAGE_ATOMIC), "atomics on R64_UINT")?;
    gpu.need_copies_without_draws()?;
    let image = gpu.image_of(Shape::plane(4, 4).stored(), vk::Format::R64_UINT, &[vec![0; 128]])?;
    let view = gpu.view(&image, vk::ImageViewType::TYPE_2D, image.whole())?;
    gpu.run(&Job::new(shader!("image_atomics64")).bind(Bound::Image(view)), [4, 2, 1])?;
    let mut want = [0u64; 16];
    for (x, y) in (0..16u64).flat_map(|y| (0..32u64).map(move |x| (x, y))) {
        let (at, value) = ((y / 8 * 4 + x / 8) as usize, (x * 31 + y * 17) << 30);
        want[at] += value;
        want[at + 8] = want[at + 8].max(value);
    }
    let bytes = gpu.texels_of(&image, 8)?.concat();
    let got = bytes.chunks(8).map(|word| word.iter().rev().fold(0u64, |all, &byte| all << 8 | u64::from(byte)));
    gpu.same("texels", &got.collect::<Vec<u64>>(), &want)
}

fn image_sizes(gpu: &Gpu) -> Done {
    let layered = gpu.image(Shape::plane(100, 60).levels(5).layers(7), RGBA8)?;
    let volume = gpu.image(Shape::volume([33, 20, 10]).levels(3), RGBA8)?;
    let cubes = gpu.image(Shape::cubes(24, 2).levels(2), RGBA8)?;
    let stored = gpu.image(Shape::plane(70, 50).levels(3).layers(4).stored(), RGBA8)?;
    let sampler = gpu.sampler(&vk::SamplerCreateInfo::default())?;
    let out = gpu.buffer(9 * 16)?;
    // Parts of images: levels from the second one on, layers from the third one on, one level.
    let views = [
        gpu.view(&layered, vk::ImageViewType::TYPE_2D_ARRAY, range(1..5, 2..5))?,
        gpu.view(&volume, vk::ImageViewType::TYPE_3D, range(0..3, 0..1))?,
        gpu.view(&cubes, vk::ImageViewType::CUBE_ARRAY, range(0..2, 0..12))?,
        gpu.view(&stored, vk::ImageViewType::TYPE_2D_ARRAY, range(1..2, 1..4))?,
    ];
    let job = Job::new(shader!("image_sizes"));
    let job = views[..3].iter().fold(job, |job, view| job.bind(Bound::Sampled(*view, sampler)));
    gpu.run(&job.bind(Bound::Image(views[3])).storage(&out), [1, 1, 1])?;
    let layered = (1..5).map(|level| [100 >> level, 60 >> level, 3, 4]);
    let volume = (0..3).map(|level| [33 >> level, 20 >> level, 10 >> level, 3]);
    let want: Vec<[u32; 4]> = layered.chain(volume).chain([[24, 24, 2, 2], [35, 25, 3, 0]]).collect();
    gpu.same("sizes", &out.read(), &want.concat())
}

fn image_levels_stored(gpu: &Gpu) -> Done {
    gpu.need_copies_without_draws()?;
    let format = format(vk::Format::R8G8B8A8_UINT);
    let shape = Shape::plane(45, 70).levels(7).layers(3).stored();
    let mut levels = shape.random(format, 85);
    let image = gpu.image_of(shape, format.vk, &levels)?;
    let commands = gpu.begin()?;
    for level in 1..shape.levels {
        let view = |level| gpu.view(&image, vk::ImageViewType::TYPE_2D_ARRAY, range(level..level + 1, 0..3));
        let job = Job::new(shader!("mipmap")).bind(Bound::Image(view(level - 1)?)).bind(Bound::Image(view(level)?));
        let [width, height, _] = shape.level(level);
        gpu.dispatch(commands, &gpu.ready(&job)?, [width.div_ceil(8), height.div_ceil(8), 3]);
        gpu.barrier(commands);
        let ([w, h, _], last) = (shape.level(level - 1), levels[level as usize - 1].clone());
        let texel = |at: u32| {
            let (x, y, z) = (at % width, at / width % height, at / width / height);
            let byte = move |x: u32, y: u32, c: usize| {
                let at = (z * h + y.min(h - 1)) * w + x.min(w - 1);
                u32::from(last[4 * at as usize + c])
            };
            [0, 1, 2, 3].map(|c| ((0..4).map(|k| byte(2 * x + (k & 1), 2 * y + (k >> 1), c)).sum::<u32>() / 4) as u8)
        };
        let texels: Vec<[u8; 4]> = (0..width * height * 3).map(|at| texel.clone()(at)).collect();
        levels[level as usize] = texels.concat();
    }
    gpu.finish(commands)?;
    check_fetches(gpu, &image, format, &levels)
}

fn image_slices(gpu: &Gpu) -> Done {
    gpu.need_copies_without_draws()?;
    let format = format(vk::Format::R32_UINT);
    let shape = Shape::plane(30, 20).levels(3).layers(4).stored();
    let mut levels = shape.random(format, 86);
    let image = gpu.image_of(shape, format.vk, &levels)?;
    let commands = gpu.begin()?;
    for (level, layer, term) in [(0, 1, 7u32), (1, 3, 8), (2, 0, 9)] {
        let view = gpu.view(&image, vk::ImageViewType::TYPE_2D, range(level..level + 1, layer..layer + 1))?;
        let job = Job::new(shader!("slices")).bind(Bound::Image(view)).push(&[term]);
        gpu.dispatch(commands, &gpu.ready(&job)?, [4, 3, 1]);
        let [width, height, _] = shape.level(level);
        let (bytes, level) = ((width * height * 4) as usize, level as usize);
        for word in levels[level][layer as usize * bytes..][..bytes].chunks_mut(4) {
            let value = u32::from_le_bytes([word[0], word[1], word[2], word[3]]);
            word.copy_from_slice(&value.wrapping_mul(3).wrapping_add(term).to_le_bytes());
        }
    }
    gpu.finish(commands)?;
    check_copies(gpu, &image, format, &levels)
}

fn image_volume_store(gpu: &Gpu) -> Done {
    gpu.need_copies_without_draws()?;
    let format = format(vk::Format::R32_UINT);
    let shape = Shape::volume([13, 10, 9]).levels(2).stored();
    let mut levels = shape.random(format, 87);
    let image = gpu.image_of(shape, format.vk, &levels)?;
    let commands = gpu.begin()?;
    for level in 0..2 {
        let view = gpu.view(&image, vk::ImageViewType::TYPE_3D, range(level..level + 1, 0..1))?;
        gpu.dispatch(commands, &gpu.ready(&Job::new(shader!("volume_store")).bind(Bound::Image(view)))?, [4, 3, 3]);
        let [w, h, _] = shape.level(level);
        for (at, word) in (0..).zip(levels[level as usize].chunks_mut(4)) {
            let value = u32::from_le_bytes([word[0], word[1], word[2], word[3]]);
            let place = at % w + 100 * (at / w % h) + 10_000 * (at / w / h);
            word.copy_from_slice(&value.wrapping_mul(5).wrapping_add(place).to_le_bytes());
        }
    }
    gpu.finish(commands)?;
    check_copies(gpu, &image, format, &levels)
}

fn image_views(gpu: &Gpu) -> Done {
    gpu.need_copies_without_draws()?;
    let (colours, numbers) = (format(RGBA8), format(vk::Format::R8G8B8A8_UINT));
    let shape = Shape::plane(24, 18).levels(4).layers(6).flags(vk::ImageCreateFlags::MUTABLE_FORMAT);
    let levels = shape.random(colours, 88);
    let image = gpu.image_of(shape, RGBA8, &levels)?;
    let sampler = gpu.sampler(&vk::SamplerCreateInfo::default().max_lod(vk::LOD_CLAMP_NONE))?;
    // The second and third level of two layers, with other channels; the same as integers.
    let turned = vk::ComponentMapping {
        r: vk::ComponentSwizzle::B,
        g: vk::ComponentSwizzle::ONE,
        b: vk::ComponentSwizzle::R,
        a: vk::ComponentSwizzle::ZERO,
    };
    let plain = vk::ComponentMapping::default();
    for (format, channels, code) in
        [(colours, turned, &shader!("fetch_2d_f")[..]), (numbers, plain, &shader!("fetch_2d_u")[..])]
    {
        let view = gpu.view_as(&image, vk::ImageViewType::TYPE_2D_ARRAY, range(1..3, 3..5), format.vk, channels)?;
        let out = gpu.buffer(12 * 9 * 2 * 16)?;
        for (level, [width, height]) in [(0, [12, 9]), (1, [6, 4])] {
            let push = [width, height, 2, level, 0];
            let job = Job::new(code).bind(Bound::Sampled(view, sampler)).storage(&out).push(&push);
            gpu.run(&job, [4, 1, 1])?;
            let texels = (width * height) as usize;
            let want = levels[level as usize + 1][4 * 3 * texels..][..4 * 2 * texels].chunks(4);
            let got = read_texels(&out, format.kind);
            for (at, (got, texel)) in got.chunks(4).zip(want).enumerate() {
                let want = (format.decode)(texel);
                let want = if format.kind == Kind::Float { [want[2], 1.0, want[0], 0.0] } else { want };
                if differs(got, &want) {
                    return wrong(format!("{:?}: level {level}, {at} is {got:?} instead of {want:?}", format.vk));
                }
            }
        }
    }
    Ok(())
}

fn image_linear(gpu: &Gpu) -> Done {
    let format = format(RGBA8);
    let shape = Shape { tiling: vk::ImageTiling::LINEAR, ..Shape::plane(37, 21) };
    let levels = shape.random(format, 89);
    let image = gpu.image(shape, RGBA8)?;
    let part = vk::ImageSubresource::default().aspect_mask(vk::ImageAspectFlags::COLOR);
    let layout = unsafe { gpu.device.get_image_subresource_layout(image.handle, part) };
    let none = vk::MemoryMapFlags::empty();
    let memory = unsafe { gpu.device.map_memory(image.memory, 0, vk::WHOLE_SIZE, none)? }.cast::<u8>();
    for (row, texels) in levels[0].chunks(37 * 4).enumerate() {
        let at = (layout.offset + row as u64 * layout.row_pitch) as usize;
        // SAFETY: the driver says that the row lies there.
        unsafe { memory.add(at).copy_from_nonoverlapping(texels.as_ptr(), texels.len()) }
    }
    check_fetches(gpu, &image, format, &levels)
}

fn image_blur(gpu: &Gpu) -> Done {
    gpu.need_copies_without_draws()?;
    let (colours, halves) = (format(RGBA8), format(vk::Format::R16G16B16A16_SFLOAT));
    let shape = Shape::plane(50, 33);
    let levels = shape.random(colours, 90);
    let from = gpu.image_of(shape, RGBA8, &levels)?;
    let to = gpu.image(shape.stored(), halves.vk)?;
    let sampler = gpu.sampler(&vk::SamplerCreateInfo::default())?;
    let views = [
        gpu.view(&from, vk::ImageViewType::TYPE_2D, from.whole())?,
        gpu.view(&to, vk::ImageViewType::TYPE_2D, to.whole())?,
    ];
    let job = Job::new(shader!("blur")).bind(Bound::Sampled(views[0], sampler)).bind(Bound::Image(views[1]));
    gpu.run(&job, [4, 9, 1])?;
    let got = gpu.texels_of(&to, 8)?.concat();
    for (at, texel) in got.chunks(8).enumerate() {
        let (x, y) = ((at % 50) as i32, (at / 50) as i32);
        let near = (-1..=1).flat_map(|dy| (-1..=1).map(move |dx| (x + dx, y + dy)));
        let places = near.map(|(x, y)| 4 * (y.clamp(0, 32) * 50 + x.clamp(0, 49)) as usize);
        let want = places.fold([0.0; 4], |mut sum, at| {
            let texel = (colours.decode)(&levels[0][at..at + 4]);
            (0..4).for_each(|c| sum[c] += texel[c]);
            sum
        });
        let got = (halves.decode)(texel);
        if got.iter().zip(want).any(|(got, want)| (got - want).abs() > want * 0.0011) {
            return wrong(format!("texel {at} is {got:?} instead of {want:?}"));
        }
    }
    Ok(())
}
