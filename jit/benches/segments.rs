//! Vector segments against the helpers of their instructions, and against the same instructions in C, compiled by the
//! system's compiler for this processor: time per instruction of 64 lanes, and time to compile.
#![allow(unsafe_code)]

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use gcnsim_bench_support::native::{NativeSegment, compile_segment};
use gcnsim_bench_support::translate_segment;
use gcnsim_isa::{Arch, Fx, Inst, Src, Vgpr, decode};
use gcnsim_jit::helpers::Level;
use gcnsim_jit::helpers::valu::{self, Chosen, Control};
use gcnsim_jit::segments::{Draft, Features, Options, Segment, SegmentFrame, Width};

const MODE: u32 = 0x3f0;
const V: u32 = 256;

fn inst(first: u32, second: u32) -> Inst {
    decode(Arch::Gcn14, first, Some(second)).unwrap()
}

fn vop2(op: u32, dst: u32, s0: u32, s1: u32) -> Inst {
    inst(op << 25 | dst << 17 | s1 << 9 | s0, 0)
}

fn vop3(op: u32, dst: u32, [s0, s1, s2]: [u32; 3]) -> Inst {
    inst(0xd000_0000 | op << 16 | dst, s0 | s1 << 9 | s2 << 18)
}

const FMA_F32: u32 = 459;
const FMA_F64: u32 = 460;
const BFI: u32 = 458;
const ALIGNBIT: u32 = 462;
const ADD3: u32 = 511;
const MAD_U64: u32 = 488;
const ADD: u32 = 52;
const XOR: u32 = 21;
const AND: u32 = 19;
const ADD_CO: u32 = 25;
const ADDC_CO: u32 = 28;
const ADD_F32: u32 = 1;
const MUL_F32: u32 = 5;

/// Twelve steps of MD5: the state in v0 to v3, words of the message from v8 on, constants in scalar registers.
fn md5() -> Vec<Inst> {
    let steps = (0..12).flat_map(|step| {
        let [a, b, c, d] = [0, 1, 2, 3].map(|i| (i + 4 - step % 4) % 4);
        [
            vop3(BFI, 4, [V + b, V + c, V + d]),
            vop3(ADD3, a, [V + a, V + 4, V + 8 + step]),
            vop2(ADD, a, step, a),
            vop3(ALIGNBIT, a, [V + a, V + a, 128 + 7 + step]),
            vop2(ADD, a, V + b, a),
        ]
    });
    steps.collect()
}

/// Four rounds of SHA-256: the state in v0 to v7, words of the message from v16 on.
fn sha256() -> Vec<Inst> {
    let rounds = (0..4).flat_map(|round| {
        let [a, b, c, d, e, f, g, h] = [0, 1, 2, 3, 4, 5, 6, 7].map(|i: u32| (i + 8 - round) % 8);
        [
            vop3(ALIGNBIT, 8, [V + e, V + e, 128 + 6]),
            vop3(ALIGNBIT, 9, [V + e, V + e, 128 + 11]),
            vop3(ALIGNBIT, 10, [V + e, V + e, 128 + 25]),
            vop2(XOR, 8, V + 8, 9),
            vop2(XOR, 8, V + 8, 10),
            vop3(BFI, 9, [V + e, V + f, V + g]),
            vop3(ADD3, h, [V + h, V + 8, V + 9]),
            vop3(ADD3, h, [V + h, round, V + 16 + round]),
            vop2(ADD, d, V + h, d),
            vop3(ALIGNBIT, 8, [V + a, V + a, 128 + 2]),
            vop3(ALIGNBIT, 9, [V + a, V + a, 128 + 13]),
            vop2(XOR, 10, V + a, b),
            vop2(XOR, 8, V + 8, 9),
            vop3(BFI, 10, [V + 10, V + c, V + b]),
            vop3(ADD3, h, [V + h, V + 8, V + 10]),
        ]
    });
    rounds.collect()
}

/// A matrix product: 4 x `depth` by `depth` x 4 values, summed up in v0 to v15.
fn fma(depth: u32) -> Vec<Inst> {
    let product =
        |k: u32, i: u32, j: u32| vop3(FMA_F32, 4 * i + j, [V + 16 + 8 * k + i, V + 20 + 8 * k + j, V + 4 * i + j]);
    (0..depth).flat_map(|k| (0..16).map(move |n| product(k, n / 4, n % 4))).collect()
}

/// Products, sums and fused multiply-adds of floats; most operands are results of earlier ones.
fn floats() -> Vec<Inst> {
    let mixed = (0..48).map(|n| {
        let (d, a, b) = (n % 8, (n + 3) % 8, 8 + n % 8);
        match n % 3 {
            0 => vop2(MUL_F32, d, V + a, b),
            1 => vop2(ADD_F32, d, V + a, b),
            _ => vop3(FMA_F32, d, [V + a, n, V + b]),
        }
    });
    mixed.collect()
}

/// Fused multiply-adds of binary64 in four chains.
fn doubles() -> Vec<Inst> {
    (0..16).map(|n| vop3(FMA_F64, 2 * (n % 4), [V + 2 * (n % 4), V + 8, V + 10])).collect()
}

/// Sums of 256 bits and 64-bit products.
fn carries() -> Vec<Inst> {
    let sums = (0..8).map(|n| vop2(if n == 0 { ADD_CO } else { ADDC_CO }, n, V + n, 8 + n));
    let products = (0..8).map(|n| {
        let first = 0xd000_0000 | MAD_U64 << 16 | 106 << 8 | (16 + 2 * n);
        inst(first, (V + n) | (V + 8 + n) << 9 | (V + 16 + 2 * n) << 18)
    });
    sums.chain(products).collect()
}

/// A division as compilers write it.
fn division() -> Vec<Inst> {
    let (d, n) = (V + 1, V + 2);
    let scale = |dst: u32, s0: u32| inst(0xd000_0000 | 480 << 16 | 106 << 8 | dst, s0 | d << 9 | n << 18);
    let minus =
        |dst: u32, s: [u32; 3]| inst(0xd000_0000 | FMA_F32 << 16 | dst, s[0] | s[1] << 9 | s[2] << 18 | 1 << 29);
    let one = 242;
    vec![
        scale(3, d),
        scale(4, n),
        inst(0x7e00_0000 | 5 << 17 | 34 << 9 | (V + 3), 0),
        minus(6, [V + 3, V + 5, one]),
        vop3(FMA_F32, 5, [V + 6, V + 5, V + 5]),
        vop2(MUL_F32, 6, V + 4, 5),
        minus(7, [V + 3, V + 6, V + 4]),
        vop3(FMA_F32, 6, [V + 7, V + 5, V + 6]),
        minus(7, [V + 3, V + 6, V + 4]),
        vop3(482, 5, [V + 7, V + 5, V + 6]),
        vop3(478, 0, [V + 5, d, n]),
    ]
}

/// The instructions of each group of measurements, by name.
fn blocks() -> Vec<(&'static str, Vec<Inst>)> {
    vec![
        ("md5", md5()),
        ("sha256", sha256()),
        ("fma 4x4", fma(1)),
        ("fma 4x4x4", fma(4)),
        ("floats", floats()),
        ("f64 fma", doubles()),
        ("carries", carries()),
        ("division", division()),
        ("exp, log", (0..8).map(|n| inst(0x7e00_0000 | n << 17 | (32 + n % 2) << 9 | (V + 8 + n), 0)).collect()),
        ("one xor", vec![vop2(XOR, 0, V + 1, 2)]),
        ("four", (0..4).map(|n| vop2(if n % 2 == 0 { XOR } else { AND }, n, V + n + 1, 8)).collect()),
    ]
}

fn registers() -> Vec<Vgpr> {
    // Registers have numbers between 1/2 and 1, so that results neither overflow nor become denormal.
    (0..256u32)
        .map(|n| {
            Vgpr(std::array::from_fn(|lane| 0x3f00_0000 | (n * 64 + lane as u32).wrapping_mul(0x9e37) & 0x7f_ffff))
        })
        .collect()
}

fn execute(c: &mut Criterion) {
    let Some(features) = Features::detect() else { return };
    for (name, insts) in blocks() {
        let segment = Segment::compile(&insts, &Options { features, mode: Some(MODE) }).unwrap();
        let mut group = c.benchmark_group(name);
        group.throughput(Throughput::Elements(insts.len() as u64));
        if let Some(native) = native(name, &insts) {
            let (mut vgprs, mut sgprs) = arguments(!0);
            check(name, &insts, &segment, &native);
            group.bench_function("C, all lanes", |b| b.iter(|| native.run(&mut vgprs, &mut sgprs)));
        }
        for (lanes, exec) in [("all lanes", !0u64), ("some lanes", 0x0fff_ffff_ffff_fff0)] {
            let (mut vgprs, mut frame) = (registers(), SegmentFrame::default());
            frame.sgpr = std::array::from_fn(|n| 0x3f00_0000 + n as u32);
            (frame.sgpr[126], frame.sgpr[127]) = (exec as u32, (exec >> 32) as u32);
            let function = segment.function();
            group.bench_function(format!("segment, {lanes}"), |b| {
                // SAFETY: blocks name fewer than 64 VGPRs.
                b.iter(|| unsafe { function(vgprs.as_mut_ptr(), &mut frame) })
            });
            let mut vgprs = registers();
            let calls = calls(&insts, &mut vgprs, &frame.sgpr);
            group.bench_function(format!("helpers, {lanes}"), |b| b.iter(|| helpers(&calls, exec)));
        }
        group.finish();
    }
}

/// VGPRs and scalar registers for a segment.
fn arguments(exec: u64) -> (Box<[Vgpr; 256]>, [u32; 128]) {
    let vgprs = registers().into_boxed_slice().try_into().unwrap();
    let mut sgprs = std::array::from_fn(|n| 0x3f00_0000 + n as u32);
    (sgprs[126], sgprs[127]) = (exec as u32, (exec >> 32) as u32);
    (vgprs, sgprs)
}

/// The instructions in C; `None` if one of them is not translated, or if there is no compiler, which is printed.
fn native(name: &str, insts: &[Inst]) -> Option<NativeSegment> {
    let text = translate_segment(insts)?;
    let name: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    let folder = std::env::temp_dir().join("gcnsim-segments");
    compile_segment(&text, &name, &folder).inspect_err(|error| println!("{name}: no comparison with C: {error}")).ok()
}

/// Panics if C gives other registers than the segment.
fn check(name: &str, insts: &[Inst], segment: &Segment, native: &NativeSegment) {
    let (mut vgprs, mut sgprs) = arguments(!0);
    let mut expected = vgprs.clone();
    let mut frame = SegmentFrame::default();
    frame.sgpr[..sgprs.len()].copy_from_slice(&sgprs);
    let function = segment.function();
    // SAFETY: there are all VGPRs.
    unsafe { function(expected.as_mut_ptr(), &mut frame) };
    native.run(&mut vgprs, &mut sgprs);
    assert!(vgprs == expected, "{name}: VGPRs of C and of the segment differ");
    let has_mask = insts.iter().any(|inst| inst.mask_dst().is_some());
    assert!(!has_mask || sgprs[106..108] == frame.masks[106..108], "{name}: VCC of C and of the segment differ");
}

/// A call of an instruction's helper, with the addresses of its operands.
struct Call {
    chosen: Chosen,
    arch: Arch,
    to: *mut u32,
    sources: [*const u32; 3],
    /// The values of sources that are no VGPRs; `sources` has their addresses.
    _constants: Box<[[u32; 4]; 3]>,
}

/// The calls of the helpers of instructions. They have addresses of `vgprs`, which must outlive them.
fn calls(insts: &[Inst], vgprs: &mut [Vgpr], sgprs: &[u32]) -> Vec<Call> {
    let base = vgprs.as_mut_ptr().cast::<u32>();
    let lanes = |n: u8| base.wrapping_add(64 * n as usize);
    let call = |inst: &Inst| {
        let constants: Box<[[u32; 4]; 3]> =
            Box::new(std::array::from_fn(|i| match (i < inst.src_count()).then(|| inst.src(i)) {
                Some(Src::Imm(bits)) => [bits as u32, (bits >> 32) as u32, 0, 0],
                Some(Src::Sgpr(n)) => [sgprs[n as usize], sgprs[n as usize + 1], 0, 0],
                _ => [0; 4],
            }));
        let to = lanes(inst.vdst().unwrap());
        let mut sources = [base.cast_const(); 3];
        for (i, source) in sources.iter_mut().enumerate().take(inst.src_count()) {
            *source = match inst.src(i) {
                Src::Vgpr(n) => lanes(n),
                // An odd address tells the helper that the source is a scalar.
                _ => constants[i].as_ptr().wrapping_byte_add(1),
            };
        }
        if inst.desc().fx.has(Fx::RDST) {
            sources[2] = to;
        }
        let chosen = valu::helper(Level::Avx512, inst).unwrap();
        Call { chosen, arch: inst.arch, to, sources, _constants: constants }
    };
    insts.iter().map(call).collect()
}

/// Calls the helpers.
fn helpers(calls: &[Call], exec: u64) {
    let mut vcc = 0;
    for &Call { ref chosen, arch, to, sources: [a, b, c], .. } in calls {
        let mut control = Control {
            flags: chosen.flags.map_or(0, |flags| flags.0),
            mask_in: vcc,
            mode: MODE,
            arch: arch as u32,
            fast: chosen.fast.flatten(),
            notes: [0; 2],
        };
        // SAFETY: blocks name fewer than 64 VGPRs; registers and constants outlive the call.
        vcc = unsafe { (chosen.helper)(to, a, b, c, exec, &mut control) };
        black_box(&control);
    }
}

/// Measures the time to make code for both widths, whatever this processor can run.
fn compile(c: &mut Criterion) {
    let wide = Features { width: Width::Zmm, count: true, funnel: true, bytes: true };
    let narrow = Features { width: Width::Ymm, count: false, funnel: false, bytes: false };
    let mut group = c.benchmark_group("compile");
    for (level, features) in [("avx512", wide), ("avx2", narrow)] {
        let options = Options { features, mode: Some(MODE) };
        for (name, insts) in blocks() {
            group.throughput(Throughput::Elements(insts.len() as u64));
            let id = BenchmarkId::new(name, level);
            group.bench_function(id, |b| b.iter(|| Draft::new(&insts, &options).unwrap()));
        }
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(30).warm_up_time(std::time::Duration::from_millis(300))
        .measurement_time(std::time::Duration::from_millis(800));
    targets = execute, compile
}
criterion_main!(benches);
