//! Exports and interpolation of compiled code: time per instruction of 64 lanes, the calls of its helpers included.
//!
//! `cargo bench -p gcnsim-helpers --bench graphics` measures all. Names are `instruction form/level`. What is observed
//! is cleared after 16 exports, the number that a wave sends.
#![allow(unsafe_code)]

use std::hint::black_box;
use std::time::Duration;

use criterion::{BenchmarkGroup, Criterion, criterion_group, criterion_main, measurement::WallTime};
use gcnsim_helpers::Level;
use gcnsim_helpers::frame::Frame;
use gcnsim_helpers::memory::{DONE, MemoryOp};
use gcnsim_helpers::valu::share::{self, Parts};
use gcnsim_helpers::valu::{self, Control};
use gcnsim_isa::{Arch, Notes, Vgpr, WaveState, decode};
use gcnsim_machine::{Context, Observed};

/// Number of exports of a wave.
const EXPORTS: usize = 16;

fn group<'a>(c: &'a mut Criterion, name: &str) -> BenchmarkGroup<'a, WallTime> {
    let mut group = c.benchmark_group(name);
    group.warm_up_time(Duration::from_millis(100)).measurement_time(Duration::from_millis(400)).sample_size(30);
    group
}

fn registers() -> Vec<Vgpr> {
    (0..32).map(|n| Vgpr(std::array::from_fn(|lane| 0x3f00_0000 | (n << 8 | lane) as u32))).collect()
}

/// Measures EXP of v[0:3]. `low` are the low bits of its first word: EN, TARGET, COMPR, DONE, VM.
fn export(c: &mut Criterion, name: &str, low: u32, exec: u64) {
    let mut group = group(c, name);
    let op = MemoryOp::new(&decode(Arch::Gcn14, 0xc400_0000 | low, Some(0x0302_0100)).unwrap()).unwrap();
    let (mut context, mut observed, mut vgprs) = (Context::ready(0), Observed::default(), registers());
    let mut frame =
        Box::new(Frame { context: &mut context, observed: &mut observed, vgpr_count: 32, ..Frame::default() });
    for level in Level::available() {
        let (helper, mut notes) = (op.helper(level), Notes::NONE);
        group.bench_function(level.name(), |bencher| {
            bencher.iter(|| {
                // SAFETY: compiled code is not running.
                let observed = unsafe { &mut *frame.observed };
                if observed.exports().len() == EXPORTS {
                    observed.clear();
                }
                frame.memory.exec = black_box(exec);
                // SAFETY: the wave has 32 VGPRs; the context and what is observed outlive the calls.
                let code = unsafe { helper(black_box(&op), &mut notes, vgprs.as_mut_ptr(), &mut *frame) };
                assert_eq!(code, DONE);
            });
        });
    }
    group.finish();
}

fn exports(c: &mut Criterion) {
    const MRT0: u32 = 0x1800;
    export(c, "exp xyzw", MRT0 | 15, !0);
    export(c, "exp xyzw, half of the lanes", MRT0 | 15, 0x5555_5555_5555_5555);
    export(c, "exp xyzw compressed", MRT0 | 1 << 10 | 15, !0);
    export(c, "exp x", MRT0 | 1, !0);
}

/// Measures an interpolation of attribute 1 of a wave with `primitives` primitives. Its destination is v8.
fn interpolate(c: &mut Criterion, name: &str, word: u32, primitives: u32) {
    let mut group = group(c, name);
    let inst = decode(Arch::Gcn14, word, None).unwrap();
    let (mut context, mut vgprs) = (Context::ready(16 << 10), registers());
    for (n, bytes) in context.lds.chunks_exact_mut(4).enumerate() {
        bytes.copy_from_slice(&(n as f32).to_bits().to_le_bytes());
    }
    let mut frame = Box::new(Frame { context: &mut context, vgpr_count: 32, ..Frame::default() });
    let (parts, m0) = (Parts::of(&inst).unwrap(), (1 << (16 + primitives - 1)) - (1 << 16));
    for level in Level::available() {
        let chosen = valu::helper(level, &inst).unwrap();
        let flags = chosen.flags.map_or(0, |flags| flags.0);
        let fast = chosen.fast.flatten();
        let mut control = Control {
            flags,
            mode: WaveState::initial(Arch::Gcn14, 0).mode,
            arch: Arch::Gcn14 as u32,
            fast,
            ..Control::default()
        };
        let (d, coordinate) = (vgprs[8].0.as_mut_ptr(), vgprs[1].0.as_ptr());
        group.bench_function(level.name(), |bencher| {
            bencher.iter(|| {
                // SAFETY: the context outlives the calls.
                unsafe { share::fetch_attribute(&mut *frame, black_box(m0), black_box(parts.0)) };
                let addend = if parts.0 & 1 << 16 != 0 { frame.scratch[2].0.as_ptr() } else { d.cast_const() };
                // SAFETY: operands are lanes of VGPRs or of the frame; the rest are locals.
                unsafe { (chosen.helper)(d, frame.scratch[0].0.as_ptr(), coordinate, addend, !0, &mut control) }
            });
        });
    }
    group.finish();
}

fn interpolations(c: &mut Criterion) {
    const VINTRP: u32 = 0b11_0101 << 26;
    // VDST is v8, VSRC is v1, the attribute is 1 and the channel 0.
    let word = |op: u32| VINTRP | 8 << 18 | op << 16 | 1 << 10 | 1;
    for primitives in [1, 4] {
        interpolate(c, &format!("v_interp_p1_f32, primitives: {primitives}"), word(0), primitives);
        interpolate(c, &format!("v_interp_p2_f32, primitives: {primitives}"), word(1), primitives);
    }
    interpolate(c, "v_interp_mov_f32, primitives: 1", word(2) & !3, 1);
}

criterion_group!(benches, exports, interpolations);
criterion_main!(benches);
