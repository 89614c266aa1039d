//! Samplers: filters, levels, edges, gathers, volumes, cubes and compressed blocks.

use ash::vk;
use ash::vk::SamplerAddressMode as Edge;
use gcnsim_random::Rng;

use super::Case;
use crate::buffer::bytes_of;
use crate::gpu::Gpu;
use crate::image::{Shape, range};
use crate::job::{Bound, Job, shader};
use crate::outcome::{Done, Stop, near, need, wrong};
use crate::texel::format;

pub(super) const CASES: &[Case] = &[
    ("sample_nearest", sample_nearest),
    ("sample_linear", sample_linear),
    ("sample_edges", sample_edges),
    ("sample_levels", sample_levels),
    ("sample_gradients", sample_gradients),
    ("sample_gather", sample_gather),
    ("sample_offsets", sample_offsets),
    ("sample_volume", sample_volume),
    ("sample_cubes", sample_cubes),
    ("sample_blocks", sample_blocks),
    ("sample_block_modes", sample_block_modes),
    ("sample_srgb", sample_srgb),
];

const RGBA8: vk::Format = vk::Format::R8G8B8A8_UNORM;
/// Filters have fractions of 8 bits.
const STEP: f64 = 1.5 / 256.0;

/// A level on the host: sides, and texels of four channels.
struct Level {
    size: [u32; 3],
    texels: Vec<[f64; 4]>,
}

fn levels_of(shape: &Shape, bytes: &[Vec<u8>]) -> Vec<Level> {
    let read = |bytes: &Vec<u8>| bytes.chunks(4).map(format(RGBA8).decode).collect();
    let level = |(level, bytes): (u32, &Vec<u8>)| Level { size: shape.level(level), texels: read(bytes) };
    (0..).zip(bytes).map(level).collect()
}

/// Returns the coordinate of a texel that is read for `at`; `None` is the border.
fn at_edge(edge: Edge, at: i64, side: u32) -> Option<usize> {
    let side = i64::from(side);
    let inside = match edge {
        Edge::REPEAT => at.rem_euclid(side),
        Edge::MIRRORED_REPEAT => {
            let at = at.rem_euclid(2 * side);
            at.min(2 * side - 1 - at)
        }
        Edge::CLAMP_TO_EDGE => at.clamp(0, side - 1),
        Edge::MIRROR_CLAMP_TO_EDGE => (if at < 0 { -1 - at } else { at }).min(side - 1),
        _ if (0..side).contains(&at) => at,
        _ => return None,
    };
    Some(inside as usize)
}

impl Level {
    fn texel(&self, edge: Edge, at: [i64; 3], border: [f64; 4]) -> [f64; 4] {
        let inside = [0, 1, 2].map(|k| at_edge(edge, at[k], self.size[k]));
        match inside {
            [Some(x), Some(y), Some(z)] => self.texels[(z * self.size[1] as usize + y) * self.size[0] as usize + x],
            _ => border,
        }
    }

    fn nearest(&self, edge: Edge, place: [f64; 3], border: [f64; 4]) -> [f64; 4] {
        let at = [0, 1, 2].map(|k| (place[k] * f64::from(self.size[k])).floor() as i64);
        self.texel(edge, at, border)
    }

    fn linear(&self, edge: Edge, place: [f64; 3], border: [f64; 4]) -> [f64; 4] {
        let place = [0, 1, 2].map(|k| if self.size[k] == 1 { 0.0 } else { place[k] * f64::from(self.size[k]) - 0.5 });
        let mut sum = [0.0; 4];
        for corner in 0..8 {
            let (mut weight, mut at) = (1.0, [0; 3]);
            for k in 0..3 {
                let (low, part) = (place[k].floor(), place[k] - place[k].floor());
                let is_high = corner >> k & 1 == 1;
                weight *= if is_high { part } else { 1.0 - part };
                at[k] = low as i64 + i64::from(is_high);
            }
            if weight > 0.0 {
                let texel = self.texel(edge, at, border);
                (0..4).for_each(|c| sum[c] += weight * texel[c]);
            }
        }
        sum
    }
}

/// A plane of random texels with levels, on the device and here.
fn plane(gpu: &Gpu, width: u32, height: u32, levels: u32) -> Result<(vk::ImageView, Vec<Level>), Stop> {
    gpu.need_copies_without_draws()?;
    let shape = Shape::plane(width, height).levels(levels);
    let bytes = shape.random(format(RGBA8), 101);
    let image = gpu.image_of(shape, RGBA8, &bytes)?;
    Ok((gpu.view(&image, vk::ImageViewType::TYPE_2D, image.whole())?, levels_of(&shape, &bytes)))
}

/// Random places in the middle half of texels, from `low` to `high`.
fn places(seed: u64, [width, height]: [u32; 2], low: f64, high: f64) -> Vec<[f32; 4]> {
    let mut random = Rng::new(seed);
    let mut one = |side: u32| {
        let at = (low + (high - low) * random.uniform()) * f64::from(side);
        ((at.floor() + 0.25 + 0.5 * random.uniform()) / f64::from(side)) as f32
    };
    (0..256).map(|_| [one(width), one(height), 0.0, 0.0]).collect()
}

/// Runs a shader that samples at `places`.
fn sampled(
    gpu: &Gpu,
    code: &[u8],
    how: u32,
    (view, sampler): (vk::ImageView, vk::Sampler),
    places: &[[f32; 4]],
) -> Result<Vec<f64>, Stop> {
    let (given, out) = (gpu.buffer_of(places)?, gpu.buffer(places.len() as u64 * 16)?);
    let job = Job::new(code).bind(Bound::Sampled(view, sampler)).storage(&given).storage(&out);
    let job = if how == 0 { job } else { job.constant(0, how) };
    gpu.run(&job, [places.len().div_ceil(64) as u32, 1, 1])?;
    Ok(out.read::<f32>().into_iter().map(f64::from).collect())
}

fn sampler(filter: vk::Filter, edge: Edge) -> vk::SamplerCreateInfo<'static> {
    let info = vk::SamplerCreateInfo::default().mag_filter(filter).min_filter(filter).max_lod(vk::LOD_CLAMP_NONE);
    info.address_mode_u(edge).address_mode_v(edge).address_mode_w(edge)
}

fn in_plane(place: &[f32; 4]) -> [f64; 3] {
    [place[0].into(), place[1].into(), 0.5]
}

fn sample_nearest(gpu: &Gpu) -> Done {
    let (view, levels) = plane(gpu, 37, 21, 1)?;
    let sampler = gpu.sampler(&sampler(vk::Filter::NEAREST, Edge::REPEAT))?;
    let places = places(102, [37, 21], 0.0, 1.0);
    let got = sampled(gpu, shader!("sample_2d"), 0, (view, sampler), &places)?;
    let want = places.iter().flat_map(|place| levels[0].nearest(Edge::REPEAT, in_plane(place), [0.0; 4]));
    near("samples", &got, &want.collect::<Vec<f64>>(), 1e-6, 0.0)
}

fn sample_linear(gpu: &Gpu) -> Done {
    let (view, levels) = plane(gpu, 37, 21, 1)?;
    let sampler = gpu.sampler(&sampler(vk::Filter::LINEAR, Edge::CLAMP_TO_EDGE))?;
    let places = places(103, [37, 21], 0.0, 1.0);
    let got = sampled(gpu, shader!("sample_2d"), 0, (view, sampler), &places)?;
    let want = places.iter().flat_map(|place| levels[0].linear(Edge::CLAMP_TO_EDGE, in_plane(place), [0.0; 4]));
    near("samples", &got, &want.collect::<Vec<f64>>(), 0.0, STEP)
}

fn sample_edges(gpu: &Gpu) -> Done {
    let (view, levels) = plane(gpu, 8, 5, 1)?;
    let places = places(104, [8, 5], -2.5, 3.5);
    let mut edges = vec![Edge::REPEAT, Edge::MIRRORED_REPEAT, Edge::CLAMP_TO_EDGE, Edge::CLAMP_TO_BORDER];
    if gpu.features.v12.sampler_mirror_clamp_to_edge != 0 {
        edges.push(Edge::MIRROR_CLAMP_TO_EDGE);
    }
    let borders = [
        (vk::BorderColor::FLOAT_TRANSPARENT_BLACK, [0.0; 4]),
        (vk::BorderColor::FLOAT_OPAQUE_BLACK, [0.0, 0.0, 0.0, 1.0]),
        (vk::BorderColor::FLOAT_OPAQUE_WHITE, [1.0; 4]),
    ];
    for edge in edges {
        let borders = if edge == Edge::CLAMP_TO_BORDER { &borders[..] } else { &borders[..1] };
        for (colour, border) in borders {
            for filter in [vk::Filter::NEAREST, vk::Filter::LINEAR] {
                let sampler = gpu.sampler(&sampler(filter, edge).border_color(*colour))?;
                let got = sampled(gpu, shader!("sample_2d"), 0, (view, sampler), &places)?;
                let want = places.iter().flat_map(|place| match filter {
                    vk::Filter::NEAREST => levels[0].nearest(edge, in_plane(place), *border),
                    _ => levels[0].linear(edge, in_plane(place), *border),
                });
                near(&format!("{edge:?} {filter:?}"), &got, &want.collect::<Vec<f64>>(), 1e-6, STEP)?;
            }
        }
    }
    Ok(())
}

fn sample_levels(gpu: &Gpu) -> Done {
    let (view, levels) = plane(gpu, 64, 64, 7)?;
    let mut places = places(105, [64, 64], 0.0, 1.0);
    let mut random = Rng::new(106);
    places.iter_mut().for_each(|place| place[2] = (random.below(20) as f32 + 0.5) * 0.4 - 1.0);
    let (nearest, linear) = (vk::SamplerMipmapMode::NEAREST, vk::SamplerMipmapMode::LINEAR);
    for (mode, least, most, filter) in [
        (nearest, 0.0, 1000.0, vk::Filter::NEAREST),
        (linear, 0.0, 1000.0, vk::Filter::NEAREST),
        (linear, 1.25, 3.5, vk::Filter::NEAREST),
        (linear, 0.0, 1000.0, vk::Filter::LINEAR),
    ] {
        let info = sampler(filter, Edge::CLAMP_TO_EDGE).mipmap_mode(mode).min_lod(least).max_lod(most);
        let got = sampled(gpu, shader!("sample_2d"), 0, (view, gpu.sampler(&info)?), &places)?;
        let mut want = Vec::new();
        for place in &places {
            let lod = f64::from(place[2].clamp(least, most)).clamp(0.0, 6.0);
            let at = |level: f64| match filter {
                vk::Filter::NEAREST => levels[level as usize].nearest(Edge::CLAMP_TO_EDGE, in_plane(place), [0.0; 4]),
                _ => levels[level as usize].linear(Edge::CLAMP_TO_EDGE, in_plane(place), [0.0; 4]),
            };
            let part = if mode == nearest { 0.0 } else { lod.fract() };
            let (low, high) = match mode == nearest {
                true => (at((lod - 0.5).ceil()), [0.0; 4]),
                false => (at(lod.floor()), at((lod.floor() + 1.0).min(6.0))),
            };
            want.extend((0..4).map(|c| low[c] * (1.0 - part) + high[c] * part));
        }
        near(&format!("{mode:?} {filter:?} {least} {most}"), &got, &want, 1e-6, 2.0 * STEP)?;
    }
    Ok(())
}

fn sample_gradients(gpu: &Gpu) -> Done {
    let (view, levels) = plane(gpu, 64, 64, 7)?;
    let mut places = places(107, [64, 64], 0.0, 1.0);
    let mut random = Rng::new(108);
    let mut lods = Vec::new();
    for place in &mut places {
        // Steps of a little more than a power of two in texels, the larger one in either direction.
        let (lod, turned) = (random.below(6), random.one_in(2));
        let (long, short) = (1.1 * (1 << lod) as f32 / 64.0, 0.3 * (1 << lod) as f32 / 64.0);
        (place[2], place[3]) = if turned { (short, long) } else { (long, short) };
        lods.push(lod as usize);
    }
    let info = sampler(vk::Filter::NEAREST, Edge::CLAMP_TO_EDGE).mipmap_mode(vk::SamplerMipmapMode::NEAREST);
    let got = sampled(gpu, shader!("sample_2d"), 1, (view, gpu.sampler(&info)?), &places)?;
    let want = places.iter().zip(lods);
    // The middle of a texel's half is no edge of a larger one.
    let want = want.flat_map(|(place, lod)| levels[lod].nearest(Edge::CLAMP_TO_EDGE, in_plane(place), [0.0; 4]));
    near("samples", &got, &want.collect::<Vec<f64>>(), 1e-6, 0.0)
}

/// The four texels around a place, in the order of gathers.
fn gathered(level: &Level, place: &[f32; 4], [dx, dy]: [i64; 2], channel: usize) -> [f64; 4] {
    let at = [0, 1].map(|k| (f64::from(place[k]) * f64::from(level.size[k]) - 0.5).floor() as i64);
    let order = [[0, 1], [1, 1], [1, 0], [0, 0]];
    order.map(|[x, y]| level.texel(Edge::REPEAT, [at[0] + x + dx, at[1] + y + dy, 0], [0.0; 4])[channel])
}

/// Places that are no middle of a texel.
fn off_middle(mut places: Vec<[f32; 4]>, side: [u32; 2]) -> Vec<[f32; 4]> {
    let middle = |at: f32, side: u32| ((at * side as f32).fract() - 0.5).abs() < 0.02;
    places.retain(|place| !middle(place[0], side[0]) && !middle(place[1], side[1]));
    places
}

fn sample_gather(gpu: &Gpu) -> Done {
    let (view, levels) = plane(gpu, 37, 21, 1)?;
    let sampler = gpu.sampler(&sampler(vk::Filter::LINEAR, Edge::REPEAT))?;
    let places = off_middle(places(109, [37, 21], 0.0, 1.0), [37, 21]);
    for (how, offset, channel) in [(2, [0, 0], 0), (3, [1, -2], 1)] {
        let got = sampled(gpu, shader!("sample_2d"), how, (view, sampler), &places)?;
        let want = places.iter().flat_map(|place| gathered(&levels[0], place, offset, channel));
        near("gathers", &got, &want.collect::<Vec<f64>>(), 1e-6, 0.0)?;
    }
    Ok(())
}

fn sample_offsets(gpu: &Gpu) -> Done {
    let (view, levels) = plane(gpu, 64, 32, 3)?;
    let mut places = places(110, [64, 32], 0.0, 1.0);
    (0..).zip(&mut places).for_each(|(i, place)| place[2] = (i % 3) as f32);
    let info = sampler(vk::Filter::NEAREST, Edge::REPEAT).mipmap_mode(vk::SamplerMipmapMode::NEAREST);
    let got = sampled(gpu, shader!("sample_2d"), 4, (view, gpu.sampler(&info)?), &places)?;
    let want = places.iter().flat_map(|place| {
        let level = &levels[place[2] as usize];
        let at = [0, 1].map(|k| (f64::from(place[k]) * f64::from(level.size[k])).floor() as i64);
        level.texel(Edge::REPEAT, [at[0] - 3, at[1] + 2, 0], [0.0; 4])
    });
    near("samples", &got, &want.collect::<Vec<f64>>(), 1e-6, 0.0)
}

fn sample_volume(gpu: &Gpu) -> Done {
    gpu.need_copies_without_draws()?;
    let shape = Shape::volume([12, 10, 7]);
    let bytes = shape.random(format(RGBA8), 111);
    let image = gpu.image_of(shape, RGBA8, &bytes)?;
    let view = gpu.view(&image, vk::ImageViewType::TYPE_3D, range(0..1, 0..1))?;
    let level = &levels_of(&shape, &bytes)[0];
    let mut places = places(112, [12, 10], -0.5, 1.5);
    let mut random = Rng::new(113);
    places.iter_mut().for_each(|place| place[2] = (random.below(14) as f32 - 3.0 + 0.3) / 7.0);
    for filter in [vk::Filter::NEAREST, vk::Filter::LINEAR] {
        let sampler = gpu.sampler(&sampler(filter, Edge::REPEAT))?;
        let got = sampled(gpu, shader!("sample_3d"), 0, (view, sampler), &places)?;
        let want = places.iter().flat_map(|place| {
            let place = [place[0].into(), place[1].into(), place[2].into()];
            match filter {
                vk::Filter::NEAREST => level.nearest(Edge::REPEAT, place, [0.0; 4]),
                _ => level.linear(Edge::REPEAT, place, [0.0; 4]),
            }
        });
        near(&format!("{filter:?}"), &got, &want.collect::<Vec<f64>>(), 1e-6, STEP)?;
    }
    Ok(())
}

fn sample_cubes(gpu: &Gpu) -> Done {
    gpu.need_copies_without_draws()?;
    need(gpu.features.core.image_cube_array != 0, "imageCubeArray")?;
    const SIDE: u32 = 8;
    let shape = Shape::cubes(SIDE, 2);
    let bytes = shape.random(format(RGBA8), 114);
    let image = gpu.image_of(shape, RGBA8, &bytes)?;
    let view = gpu.view(&image, vk::ImageViewType::CUBE_ARRAY, image.whole())?;
    let sampler = gpu.sampler(&sampler(vk::Filter::NEAREST, Edge::CLAMP_TO_EDGE))?;
    // Middles of texels of each face: directions of any length.
    let (mut places, mut want) = (Vec::new(), Vec::new());
    for at in 0..SIDE * SIDE * 12 {
        let (x, y, layer) = (at % SIDE, at / SIDE % SIDE, at / SIDE / SIDE);
        let middle = |k: u32| (2.0 * k as f32 + 1.0) / SIDE as f32 - 1.0;
        let (s, t) = (middle(x), middle(y));
        let [dx, dy, dz] = match layer % 6 {
            0 => [1.0, -t, -s],
            1 => [-1.0, -t, s],
            2 => [s, 1.0, t],
            3 => [s, -1.0, -t],
            4 => [s, -t, 1.0],
            _ => [-s, -t, -1.0],
        };
        let length = 1.0 + (at % 5) as f32;
        places.push([dx * length, dy * length, dz * length, (layer / 6) as f32]);
        want.extend((format(RGBA8).decode)(&bytes[0][4 * at as usize..][..4]));
    }
    let got = sampled(gpu, shader!("sample_cube"), 0, (view, sampler), &places)?;
    near("samples", &got, &want, 1e-6, 0.0)
}

/// The colours of a block of BC1.
fn bc1(block: &[u8]) -> [[f64; 4]; 16] {
    colours(block, false)
}

/// The texels of a block of BC2: alphas of four bits, then colours.
fn bc2(block: &[u8]) -> [[f64; 4]; 16] {
    let colours = colours(&block[8..], true);
    let alpha = |texel: usize| f64::from(block[texel / 2] >> (4 * (texel % 2)) & 15) / 15.0;
    std::array::from_fn(|texel| [colours[texel][0], colours[texel][1], colours[texel][2], alpha(texel)])
}

/// The texels of a block of BC3: alphas as the numbers of BC4, then colours.
fn bc3(block: &[u8]) -> [[f64; 4]; 16] {
    let (alphas, colours) = (bc4(block), colours(&block[8..], true));
    std::array::from_fn(|texel| [colours[texel][0], colours[texel][1], colours[texel][2], alphas[texel][0]])
}

/// The numbers of a block of BC5: two blocks of BC4.
fn bc5(block: &[u8]) -> [[f64; 4]; 16] {
    let (red, green) = (bc4(block), bc4(&block[8..]));
    std::array::from_fn(|texel| [red[texel][0], green[texel][0], 0.0, 1.0])
}

/// The colours of a block: four, or, where the order of its ends says so, three and black.
fn colours(block: &[u8], has_four: bool) -> [[f64; 4]; 16] {
    let end = |at: usize| {
        let bits = u32::from(block[at]) | u32::from(block[at + 1]) << 8;
        (bits, [bits >> 11, bits >> 5 & 63, bits & 31].map(f64::from))
    };
    let ((first, a), (second, b)) = (end(0), end(2));
    let scale = |c: [f64; 3], alpha: f64| [c[0] / 31.0, c[1] / 63.0, c[2] / 31.0, alpha];
    let between = |part: f64| scale([0, 1, 2].map(|k| a[k] * (1.0 - part) + b[k] * part), 1.0);
    std::array::from_fn(|texel| match (block[4 + texel / 4] >> (2 * (texel % 4)) & 3, has_four || first > second) {
        (0, _) => between(0.0),
        (1, _) => between(1.0),
        (2, true) => between(1.0 / 3.0),
        (2, false) => between(0.5),
        (_, true) => between(2.0 / 3.0),
        (_, false) => [0.0; 4],
    })
}

/// The numbers of a block of BC4.
fn bc4(block: &[u8]) -> [[f64; 4]; 16] {
    let (a, b) = (f64::from(block[0]) / 255.0, f64::from(block[1]) / 255.0);
    let bits = block[2..8].iter().rev().fold(0u64, |bits, &byte| bits << 8 | u64::from(byte));
    let steps = if block[0] > block[1] { 7 } else { 5 };
    std::array::from_fn(|texel| {
        let value = match bits >> (3 * texel) & 7 {
            0 => a,
            1 => b,
            6 if steps == 5 => 0.0,
            7 if steps == 5 => 1.0,
            index => a + (b - a) * (index - 1) as f64 / f64::from(steps),
        };
        [value, 0.0, 0.0, 1.0]
    })
}

fn sample_blocks(gpu: &Gpu) -> Done {
    gpu.need_copies_without_draws()?;
    need(gpu.features.core.texture_compression_bc != 0, "textureCompressionBC")?;
    type Decode = fn(&[u8]) -> [[f64; 4]; 16];
    let formats: [(vk::Format, usize, Decode); 5] = [
        (vk::Format::BC1_RGBA_UNORM_BLOCK, 8, bc1),
        (vk::Format::BC2_UNORM_BLOCK, 16, bc2),
        (vk::Format::BC3_UNORM_BLOCK, 16, bc3),
        (vk::Format::BC4_UNORM_BLOCK, 8, bc4),
        (vk::Format::BC5_UNORM_BLOCK, 16, bc5),
    ];
    const WIDTH: u32 = 24;
    const HEIGHT: u32 = 16;
    for (format, bytes, decode) in formats {
        let mut random = Rng::new(115);
        let count = (WIDTH / 4 * HEIGHT / 4) as usize;
        let blocks: Vec<u8> = (0..count * bytes).map(|_| random.bits() as u8).collect();
        let image = gpu.image_of(Shape::plane(WIDTH, HEIGHT), format, std::slice::from_ref(&blocks))?;
        let view = gpu.view(&image, vk::ImageViewType::TYPE_2D_ARRAY, image.whole())?;
        let sampler = gpu.sampler(&vk::SamplerCreateInfo::default())?;
        let out = gpu.buffer(u64::from(WIDTH * HEIGHT) * 16)?;
        let job = Job::new(shader!("fetch_2d_f")).bind(Bound::Sampled(view, sampler)).storage(&out);
        gpu.run(&job.push(&[WIDTH, HEIGHT, 1, 0, 0]), [WIDTH * HEIGHT / 64, 1, 1])?;
        let got: Vec<f64> = out.read::<f32>().into_iter().map(f64::from).collect();
        let blocks: Vec<[[f64; 4]; 16]> = blocks.chunks(bytes).map(decode).collect();
        let want = (0..WIDTH * HEIGHT).flat_map(|at| {
            let (x, y) = (at % WIDTH, at / WIDTH);
            blocks[(y / 4 * WIDTH / 4 + x / 4) as usize][(y % 4 * 4 + x % 4) as usize]
        });
        near(&format!("{format:?}"), &got, &want.collect::<Vec<f64>>(), 0.0, 1.0 / 64.0)?;
    }
    Ok(())
}

/// Blocks of BC6 and BC7 in all modes. Their texels are compared with those of other drivers alone.
fn sample_block_modes(gpu: &Gpu) -> Done {
    gpu.need_copies_without_draws()?;
    need(gpu.features.core.texture_compression_bc != 0, "textureCompressionBC")?;
    const SIDE: u32 = 64;
    for format in [vk::Format::BC6H_UFLOAT_BLOCK, vk::Format::BC6H_SFLOAT_BLOCK, vk::Format::BC7_UNORM_BLOCK] {
        let mut random = Rng::new(116);
        let mut blocks: Vec<u8> = (0..SIDE * SIDE).map(|_| random.bits() as u8).collect();
        for (at, block) in blocks.chunks_mut(16).enumerate() {
            block[0] = match format {
                vk::Format::BC7_UNORM_BLOCK => (block[0] | 1) << (at % 8),
                _ => block[0] & !31 | (at % 32) as u8,
            };
        }
        let image = gpu.image_of(Shape::plane(SIDE, SIDE), format, &[blocks])?;
        let view = gpu.view(&image, vk::ImageViewType::TYPE_2D_ARRAY, image.whole())?;
        let sampler = gpu.sampler(&vk::SamplerCreateInfo::default())?;
        let out = gpu.buffer(u64::from(SIDE * SIDE) * 16)?;
        let job = Job::new(shader!("fetch_2d_f")).bind(Bound::Sampled(view, sampler)).storage(&out);
        gpu.run(&job.push(&[SIDE, SIDE, 1, 0, 0]), [SIDE * SIDE / 64, 1, 1])?;
        let got: Vec<f32> = out.read();
        if format == vk::Format::BC7_UNORM_BLOCK {
            // Fractions are those of bytes, whatever their last bit is.
            let bytes: Vec<u32> = got.iter().map(|value| (value * 255.0).round() as u32).collect();
            let exact: Vec<f64> = bytes.iter().map(|&byte| f64::from(byte) / 255.0).collect();
            near("fractions", &got.iter().map(|&value| value.into()).collect::<Vec<f64>>(), &exact, 1e-6, 0.0)?;
            gpu.add_to_hash(bytes_of(&bytes));
        } else {
            // There are no -0 in the sum.
            let bits: Vec<u32> = got.iter().map(|value| (value + 0.0).to_bits()).collect();
            need_halves(&bits)?;
            gpu.add_to_hash(bytes_of(&bits));
        }
    }
    Ok(())
}

/// Compares numbers with those that binary16 has.
fn need_halves(bits: &[u32]) -> Done {
    let is_half = |bits: &u32| {
        let value = f32::from_bits(*bits).abs();
        let unit = if value < 2f32.powi(-14) { 2f32.powi(-24) } else { 2f32.powi((value.log2().floor()) as i32 - 10) };
        value <= 65504.0 && (value / unit).fract() == 0.0
    };
    match bits.iter().position(|bits| !is_half(bits)) {
        Some(at) => wrong(format!("texel {at} is {:#x}, no binary16", bits[at])),
        None => Ok(()),
    }
}

fn sample_srgb(gpu: &Gpu) -> Done {
    gpu.need_copies_without_draws()?;
    let shape = Shape::plane(16, 16);
    let bytes: Vec<u8> = (0..=255u8).flat_map(|byte| [byte, 255 - byte, byte ^ 0x55, byte]).collect();
    let image = gpu.image_of(shape, vk::Format::R8G8B8A8_SRGB, std::slice::from_ref(&bytes))?;
    let view = gpu.view(&image, vk::ImageViewType::TYPE_2D_ARRAY, image.whole())?;
    let sampler = gpu.sampler(&vk::SamplerCreateInfo::default())?;
    let out = gpu.buffer(256 * 16)?;
    let job = Job::new(shader!("fetch_2d_f")).bind(Bound::Sampled(view, sampler)).storage(&out);
    gpu.run(&job.push(&[16u32, 16, 1, 0, 0]), [4, 1, 1])?;
    let got: Vec<f64> = out.read::<f32>().into_iter().map(f64::from).collect();
    let linear = |(channel, &byte): (usize, &u8)| {
        let value = f64::from(byte) / 255.0;
        match (channel % 4, value <= 0.04045) {
            (3, _) => value,
            (_, true) => value / 12.92,
            (_, false) => ((value + 0.055) / 1.055).powf(2.4),
        }
    };
    // lavapipe computes them by a polynomial.
    let (part, least) = if gpu.is_radv { (1e-3, 1e-4) } else { (0.03, 3e-4) };
    near("texels", &got, &bytes.iter().enumerate().map(linear).collect::<Vec<f64>>(), part, least)
}
