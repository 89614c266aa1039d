//! Image instructions of compiled code: time per instruction of 64 lanes, the call of its helper included.
//!
//! `cargo bench -p gcnsim-helpers --bench images` measures all. The image has 256 x 64 texels, and neighbouring lanes
//! meet neighbouring texels. Names are `instruction format/level`.
#![allow(unsafe_code)]

use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use gcnsim_helpers::Level;
use gcnsim_helpers::frame::Frame;
use gcnsim_helpers::memory::{DONE, MemoryOp};
use gcnsim_isa::{Arch, Notes, Vgpr, decode};
use gcnsim_machine::{Backing, Context, Mapping};

const DATA: u64 = 0x1_0000;
const SIZE: [u32; 2] = [256, 64];

/// Makes a T# of GCN 1.4 of a two-dimensional image with a data and a number format.
fn image(data: u32, number: u32) -> [u32; 8] {
    let [width, height] = SIZE;
    let size = (width - 1) | (height - 1) << 14;
    [(DATA >> 8) as u32, data << 20 | number << 26, size, 9 << 28 | 0xfac, 255 << 13, 0, 0, 0]
}

/// Measures the instruction of `words` on the image `t`. The coordinates are floats if it `has_floats`.
fn bench(c: &mut Criterion, name: &str, words: [u32; 2], t: [u32; 8], filters: u32, has_floats: bool) {
    let mut group = c.benchmark_group(name);
    group.warm_up_time(Duration::from_millis(100)).measurement_time(Duration::from_millis(400)).sample_size(30);
    let op = MemoryOp::new(&decode(Arch::Gcn14, words[0], Some(words[1])).unwrap()).unwrap();
    let mut context = Context::ready(0);
    let bytes = 16 * SIZE[0] as usize * SIZE[1] as usize;
    context.space.map(Mapping::new(DATA, "data", Arc::new(Backing::zeroed(bytes).unwrap())));
    let mut frame = Box::new(Frame { context: &mut context, vgpr_count: 32, ..Frame::default() });
    frame.memory.image = t;
    frame.memory.sampler = [0o222, 0xfff << 12, filters, 0];
    let mut vgprs: Vec<Vgpr> = (0..32).map(|n| Vgpr(std::array::from_fn(|lane| (n << 8 | lane) as u32))).collect();
    let coordinate = |texel: u32, size: u32| ((texel as f32 + 0.7) / size as f32).to_bits();
    for lane in 0..64 {
        let at = [lane as u32, 3];
        for k in 0..2 {
            vgprs[k].0[lane] = if has_floats { coordinate(at[k], SIZE[k]) } else { at[k] };
        }
    }
    for level in Level::available() {
        let (helper, mut notes) = (op.helper(level), Notes::NONE);
        group.bench_function(level.name(), |bencher| {
            bencher.iter(|| {
                // Compiled code stores these operands before the call.
                frame.memory.exec = !0;
                frame.memory.image = black_box(t);
                // SAFETY: the wave has 32 VGPRs, and the context outlives the calls.
                let code = unsafe { helper(black_box(&op), &mut notes, vgprs.as_mut_ptr(), &mut *frame) };
                assert_eq!(code, DONE);
            });
        });
    }
    group.finish();
}

fn images(c: &mut Criterion) {
    const UNORM: u32 = 0;
    const UINT: u32 = 4;
    const FLOAT: u32 = 7;
    const LINEAR: u32 = 1 << 20 | 1 << 22;
    // Address v[0:1], data v[8:11], s[4:11], s[12:15].
    let (all, one) = (0x0f00, 0x0100);
    let words = |op: u32, dmask: u32| [0xf000_0000 | op << 18 | dmask, 0x0061_0800];
    for (name, data, number, dmask) in [
        ("32 float", 4, FLOAT, one),
        ("8_8_8_8 uint", 10, UINT, all),
        ("8_8_8_8 unorm", 10, UNORM, all),
        ("16_16_16_16 float", 12, FLOAT, all),
        ("32_32_32_32 float", 14, FLOAT, all),
    ] {
        bench(c, &format!("load {name}"), words(0, dmask), image(data, number), 0, false);
        bench(c, &format!("store {name}"), words(8, dmask), image(data, number), 0, false);
        bench(c, &format!("sample nearest {name}"), words(39, dmask), image(data, number), 0, true);
        bench(c, &format!("gather {name}"), words(71, one), image(data, number), 0, true);
        if number != UINT {
            bench(c, &format!("sample linear {name}"), words(39, dmask), image(data, number), LINEAR, true);
        }
    }
}

criterion_group!(benches, images);
criterion_main!(benches);
