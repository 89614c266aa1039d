//! What invocations know of themselves, and what pipelines and command buffers give them.

use super::Case;
use crate::gpu::Gpu;
use crate::job::{Job, shader};
use crate::outcome::{Done, need};

pub(super) const CASES: &[Case] =
    &[("ids", ids), ("constants", constants), ("push_constants", push_constants), ("clocks", clocks)];

fn ids(gpu: &Gpu) -> Done {
    const GROUPS: [u32; 3] = [3, 5, 2];
    const SIZE: [u32; 3] = [4, 3, 5];
    let [w, h, d] = [0, 1, 2].map(|k| GROUPS[k] * SIZE[k]);
    let out = gpu.buffer(u64::from(w * h * d) * 20)?;
    gpu.run(&Job::new(shader!("ids")).storage(&out), GROUPS)?;
    let packed = |[x, y, z]: [u32; 3]| x | y << 8 | z << 16;
    let want = (0..w * h * d).flat_map(|flat| {
        let id = [flat % w, flat / w % h, flat / w / h];
        let local = [0, 1, 2].map(|k| id[k] % SIZE[k]);
        let index = (local[2] * SIZE[1] + local[1]) * SIZE[0] + local[0];
        [packed(id), packed(local), packed([0, 1, 2].map(|k| id[k] / SIZE[k])), index, packed(GROUPS)]
    });
    gpu.same("numbers", &out.read(), &want.collect::<Vec<u32>>())
}

fn constants(gpu: &Gpu) -> Done {
    let (out, other) = (gpu.buffer(32 * 4)?, gpu.buffer(6 * 4)?);
    let job = |out| Job::new(shader!("constants")).storage(out);
    let given = job(&out).constant(0, 8).constant(1, 4).constant(2, 7).constant(3, 0.25f32.to_bits());
    gpu.run(&given.constant(4, 1).constant(5, 9), [1, 1, 1])?;
    let sum: u32 = (0..9).map(|k| k * 100).sum();
    let want = (0..32u8).map(|i| (f32::from(i) * 0.25 + 7.0).to_bits().wrapping_add(sum));
    gpu.same("given", &out.read(), &want.collect::<Vec<u32>>())?;
    // Those of the shader.
    gpu.run(&job(&other).constant(0, 3).constant(1, 2), [1, 1, 1])?;
    gpu.same("its own", &other.read(), &[3000 + 2 + 300u32; 6])
}

fn push_constants(gpu: &Gpu) -> Done {
    let words: Vec<u32> = (0..32).map(|k| 0x0101_0101 * k + 7).collect();
    let out = gpu.buffer(2 * 31 * 4)?;
    gpu.run(&Job::new(shader!("push_constants")).storage(&out).push(&words), [1, 1, 1])?;
    // All but one, which lies between the first number and a pair.
    let all = [&words[..1], &words[2..]].concat();
    gpu.same("words", &out.read(), &all.repeat(2))
}

fn clocks(gpu: &Gpu) -> Done {
    need(gpu.features.clock.shader_subgroup_clock != 0 && gpu.features.core.shader_int64 != 0, "shaderSubgroupClock")?;
    let out = gpu.buffer(8)?;
    gpu.run(&Job::new(shader!("clocks")).storage(&out), [1, 1, 1])?;
    let want = (0..1000u32).fold(0u32, |x, k| x.wrapping_mul(5).wrapping_add(k));
    gpu.same("results", &out.read(), &[want, 1])
}
