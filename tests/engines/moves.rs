//! VGPRs with computed numbers: GPR-index mode and V_MOVREL, with indices at the ends of the wave's VGPRs and at
//! registers that the code names, too. Expected registers come from a model in this file.

use gcnsim::{Outcome, VgprFile, Wave};
use gcnsim_engine::{Engine, EngineKind, GroupEnd, Member, RunOptions, RunStats, WaveGroup};
use gcnsim_isa::{Arch, Program};
use gcnsim_jit::MAX_REGION;
use gcnsim_jit::helpers::Level;
use gcnsim_machine::Context;

const OFF: u32 = 0xbf9c_0000;
const END: u32 = 0xbf81_0000;
const BARRIER: u32 = 0xbf8a_0000;
/// `s_setreg_imm32_b32 hwreg(HW_REG_MODE, 27, 1)`, with the value behind it.
const SET_BIT_27: u32 = 0xba00_06c1;
/// Operands that GPR-index mode moves.
const SRC0: u32 = 1;
const DST: u32 = 8;

/// `s_set_gpr_idx_on s<index>, gpr_idx(<operands>)`
fn on(index: u32, operands: u32) -> u32 {
    0xbf11_0000 | operands << 8 | index
}

/// `v_mov_b32 v<dst>, v<src>`
fn mov(dst: u32, src: u32) -> u32 {
    0x7e00_0300 | dst << 17 | src
}

/// `v_xor_b32 v<dst>, v<a>, v<b>`
fn xor(arch: Arch, dst: u32, a: u32, b: u32) -> u32 {
    let op = if arch.is_gcn12_or_later() { 21 } else { 29 };
    op << 25 | dst << 17 | b << 9 | 256 | a
}

/// V_MOVRELD, V_MOVRELS or V_MOVRELSD of GCN 1.1, which `op` is (66 to 68), with M0 from an SGPR before it.
fn movrel(m0: u32, op: u32, dst: u32, src: u32) -> [u32; 2] {
    [0xbefc_0300 | m0, 0x7e00_0100 | dst << 17 | op << 9 | src]
}

/// The value of a lane of a register at the start.
fn initial(n: usize, lane: usize) -> u32 {
    (n * 0x0101_0000 + lane) as u32
}

/// A wave with `count` VGPRs, some active lanes, and `s0` to `s3`.
fn wave(program: &Program, count: usize, exec: u64, sgprs: [u32; 4]) -> Wave {
    let mut wave = Wave { vgprs: VgprFile::with_count(count), ..Wave::new(program) };
    for (n, vgpr) in wave.vgprs.regs_mut().iter_mut().enumerate() {
        vgpr.0 = std::array::from_fn(|lane| initial(n, lane));
    }
    wave.state.sgpr[..4].copy_from_slice(&sgprs);
    wave.state.set_exec(exec);
    wave
}

/// Runs waves, one after the other in the same session, on all engines. Returns the last wave of each run, which all
/// agree.
fn run(program: &Program, waves: &[Wave], budget: Option<u64>) -> Wave {
    let with = |engine, region_max| RunOptions::default().engine(engine).hot(0).region_max(region_max);
    let all = [
        with(EngineKind::Interp, 1000),
        with(EngineKind::Check, 1000),
        with(EngineKind::JitNoCheck, 1),
        with(EngineKind::JitNoCheck, 5),
        with(EngineKind::JitNoCheck, MAX_REGION as u32),
    ];
    let plain = with(EngineKind::JitNoCheck, 1000);
    let all = all.into_iter().chain(Level::available().map(|level| plain.clone().level(level)));
    let mut expected: Option<Wave> = None;
    for options in all {
        let what = format!("{:?}, region of {}, level {:?}", options.engine, options.region_max, options.level);
        let mut engine = Engine::new(options);
        let session = engine.session(program);
        for before in waves {
            let (mut wave, mut context) = (before.clone(), Context::default());
            let outcome = session.run_in(&mut wave, &mut context, budget).outcome;
            assert_eq!(outcome, Ok(if budget.is_some() { Outcome::Budget } else { Outcome::Ended }), "{what}");
            if !std::ptr::eq(before, &waves[waves.len() - 1]) {
                continue;
            }
            let expected = expected.get_or_insert_with(|| wave.clone());
            assert_eq!((&wave.state, wave.executed), (&expected.state, expected.executed), "{what}");
            assert_eq!(wave.vgprs, expected.vgprs, "{what}");
        }
    }
    expected.unwrap()
}

/// The registers of a wave in the model.
struct Model {
    lanes: Vec<[u32; 64]>,
    exec: u64,
    is_past: bool,
}

impl Model {
    fn of(wave: &Wave) -> Model {
        let exec = wave.state.sgpr[126] as u64 | (wave.state.sgpr[127] as u64) << 32;
        Model { lanes: wave.vgprs.regs().iter().map(|vgpr| vgpr.0).collect(), exec, is_past: false }
    }

    /// Register `number`; register 0 if the wave has too few.
    fn read(&mut self, number: u64) -> [u32; 64] {
        self.is_past |= number >= self.lanes.len() as u64;
        self.lanes[if number < self.lanes.len() as u64 { number as usize } else { 0 }]
    }

    /// Writes active lanes of a register, if the wave has it.
    fn write(&mut self, number: u64, value: [u32; 64]) {
        match self.lanes.get_mut(number as usize).filter(|_| number < 256) {
            Some(lanes) => (0..64).filter(|lane| self.exec >> lane & 1 == 1).for_each(|lane| lanes[lane] = value[lane]),
            None => self.is_past = true,
        }
    }

    fn mov(&mut self, dst: u64, src: u64) {
        let value = self.read(src);
        self.write(dst, value);
    }

    fn xor(&mut self, dst: u64, a: u64, b: u64) {
        let (a, b) = (self.read(a), self.read(b));
        self.write(dst, std::array::from_fn(|lane| a[lane] ^ b[lane]));
    }

    #[track_caller]
    fn assert_is(&self, wave: &Wave, note: &str) {
        for (n, lanes) in self.lanes.iter().enumerate() {
            assert_eq!(&wave.vgprs.regs()[n].0, lanes, "v{n}");
        }
        assert_eq!(wave.state.notes.codes().contains(&note), self.is_past, "{note}");
    }
}

/// Indices from an array at `v4`: in it, at registers that the code names (`v20` to `v23`), at the last of 24 registers
/// and behind it, and so that V0 or nothing is moved.
const INDICES: [u32; 12] = [0, 1, 7, 15, 16, 17, 18, 19, 20, 21, 100, 255];
const EXECS: [u64; 4] = [!0, 0, 0x8000_0000_0000_0001, 0x00ff_00f0_0fff_1234];

/// v20 = v4[s0]; v23 = v4[s1]; v21 = v20 ^ v23; v4[s2] = v21; v5[s3] = v1; v6[s3] = v2; v22 = v4[s3].
#[test]
fn gpr_index_mode() {
    for arch in [Arch::Gcn12, Arch::Gcn14] {
        let words = [
            on(0, SRC0),
            mov(20, 4),
            OFF,
            on(1, SRC0),
            mov(23, 4),
            OFF,
            xor(arch, 21, 20, 23),
            on(2, DST),
            mov(4, 21),
            OFF,
            on(3, DST),
            mov(5, 1),
            mov(6, 2),
            OFF,
            on(3, SRC0),
            mov(22, 4),
            OFF,
            END,
        ];
        let program = Program::from_words(arch, &words);
        for (i, &first) in INDICES.iter().enumerate() {
            for (k, exec) in EXECS.into_iter().enumerate() {
                let pick = |n: usize| INDICES[(i * n + k) % INDICES.len()];
                let sgprs = [first, pick(5), pick(7), 0xffff_ff00 | pick(11)];
                let before = wave(&program, 24, exec, sgprs);
                let mut model = Model::of(&before);
                let [a, b, c, d] = sgprs.map(|index| u64::from(index & 255));
                model.mov(20, 4 + a);
                model.mov(23, 4 + b);
                model.xor(21, 20, 23);
                model.mov(4 + c, 21);
                model.mov(5 + d, 1);
                model.mov(6 + d, 2);
                model.mov(22, 4 + d);
                let after = run(&program, &[before.clone(), before], None);
                model.assert_is(&after, "gpridx-range");
                assert_eq!(after.state.mode >> 27 & 1, 0);
            }
        }
    }
}

/// Segments keep registers that they name elsewhere: a sum that is stored only when all lanes are known to be right,
/// and a register that is read again after a move has written it.
#[test]
fn moves_of_registers_that_a_segment_names() {
    // v_add_f32 v20, v20, v19; v21 = v4[s0]; v_xor_b32 v22, v20, v21; v4[s1] = v22; v_xor_b32 v23, v20, v22
    let sum = 0x0200_0000 | 20 << 17 | 19 << 9 | 256 | 20;
    let words = [
        &[sum, on(0, SRC0), mov(21, 4), OFF, xor(Arch::Gcn14, 22, 20, 21)][..],
        &[on(1, DST), mov(4, 22), OFF, xor(Arch::Gcn14, 23, 20, 22), END],
    ]
    .concat();
    let program = Program::from_words(Arch::Gcn14, &words);
    for (source, destination) in INDICES.iter().flat_map(|&source| INDICES.map(|destination| (source, destination))) {
        let before = wave(&program, 24, 0xffff_00ff_ffff_fffe, [source, destination, 0, 0]);
        let mut model = Model::of(&before);
        let (a, b) = (model.read(20), model.read(19));
        let sum = |lane: usize| (f32::from_bits(a[lane]) + f32::from_bits(b[lane])).to_bits();
        model.write(20, std::array::from_fn(sum));
        model.mov(21, 4 + u64::from(source));
        model.xor(22, 20, 21);
        model.mov(4 + u64::from(destination), 22);
        model.xor(23, 20, 22);
        let after = run(&program, &[before.clone(), before], None);
        model.assert_is(&after, "gpridx-range");
    }
}

/// A loop as compilers write it: all of it is one segment, and the last instruction is one behind the loop.
#[test]
#[cfg(target_arch = "x86_64")]
fn moves_are_parts_of_segments() {
    use gcnsim_jit::segments::Features;
    use gcnsim_jit::{CompileOptions, Compiler, EqualMaxima, RegionKey, SegmentInst};

    // loop: v20 = v4[s0]; s_add_u32 s0, s0, 1; v_xor_b32 v21, v20, v21; v5[s0] = v21; s_cmp_lg_u32 s0, 4; loop
    let words = [
        &[on(0, SRC0), mov(20, 4), OFF, 0x8000_8100, xor(Arch::Gcn14, 21, 20, 21)][..],
        &[on(0, DST), mov(5, 21), OFF, 0xbf07_8400, 0xbf85_fff6, xor(Arch::Gcn14, 22, 20, 21), END],
    ]
    .concat();
    let program = Program::from_words(Arch::Gcn14, &words);
    if Features::detect().is_some() {
        let (pc, maxima) = (program.base(), EqualMaxima::Unknown);
        let key = RegionKey { pc, mode: 0, observed: &[], maxima, predictable: &[] };
        let listing = Compiler::new(CompileOptions::default()).unwrap().listing(&program, &key).unwrap().unwrap();
        let vector = |insts: &[SegmentInst]| insts.iter().filter(|inst| !inst.is_scalar).count();
        assert_eq!(listing.segments.iter().map(|segment| vector(&segment.insts)).collect::<Vec<_>>(), [3, 1]);
    }
    let before = wave(&program, 24, !0, [0, 0, 0, 0]);
    let mut model = Model::of(&before);
    for round in 0..4 {
        model.mov(20, 4 + round);
        model.xor(21, 20, 21);
        model.mov(5 + round + 1, 21);
    }
    model.xor(22, 20, 21);
    model.assert_is(&run(&program, &[before.clone(), before], None), "gpridx-range");
}

/// M0 is added as a whole: it may be negative, or carry the number past 2^32.
#[test]
fn relative_moves() {
    let words = [
        &movrel(0, 67, 20, 4)[..],
        &movrel(1, 67, 23, 4),
        &[xor(Arch::Gcn11, 21, 20, 23)],
        &movrel(2, 66, 4, 21),
        &movrel(3, 68, 5, 1),
        &movrel(3, 67, 22, 4),
        &[END],
    ]
    .concat();
    let program = Program::from_words(Arch::Gcn11, &words);
    let indices = INDICES.into_iter().chain([256, 0x8000_0000, 0xffff_fffc, 0xffff_ffff]).collect::<Vec<_>>();
    for (i, &first) in indices.iter().enumerate() {
        for (k, exec) in EXECS.into_iter().enumerate() {
            let pick = |n: usize| indices[(i * n + k) % indices.len()];
            let sgprs = [first, pick(5), pick(7), pick(11)];
            let before = wave(&program, 24, exec, sgprs);
            let mut model = Model::of(&before);
            let [a, b, c, d] = sgprs.map(u64::from);
            model.mov(20, 4 + a);
            model.mov(23, 4 + b);
            model.xor(21, 20, 23);
            model.mov(4 + c, 21);
            model.mov(5 + d, 1 + d);
            model.mov(22, 4 + d);
            let after = run(&program, &[before.clone(), before], None);
            model.assert_is(&after, "movrel-range");
        }
    }
}

/// The mode is left on over a branch, in a loop: `v4[s0 + round] = v1`. Only the first round comes with the mode off.
#[test]
fn mode_left_on_over_a_loop() {
    let words = [
        // loop: v_mov_b32 v4, v1 (the mode is off in the first round); s_set_gpr_idx_on s0, DST
        mov(4, 1),
        on(0, DST),
        // s_add_u32 s0, s0, 1; s_sub_u32 s1, s1, 1; s_cmp_lg_u32 s1, 0; s_cbranch_scc1 loop
        0x8000_8100,
        0x8081_8101,
        0xbf07_8001,
        0xbf85_fffa,
        // v_mov_b32 v5, v2; s_set_gpr_idx_mode gpr_idx(SRC0); v_mov_b32 v3, v4; off; v_mov_b32 v2, v3
        mov(5, 2),
        0xbf9d_0001,
        mov(3, 4),
        OFF,
        mov(2, 3),
        END,
    ];
    let program = Program::from_words(Arch::Gcn14, &words);
    for (start, rounds) in [(0, 1), (0, 5), (14, 8), (200, 100)] {
        let before = wave(&program, 24, 0xffff_0000_ffff_0001, [start, rounds, 0, 0]);
        let mut model = Model::of(&before);
        let mut index = None;
        for round in 0..u64::from(rounds) {
            model.mov(4 + index.unwrap_or(0), 1);
            index = Some((u64::from(start) + round) & 255);
        }
        let index = index.unwrap();
        model.mov(5 + index, 2);
        model.mov(3, 4 + index);
        model.mov(2, 3);
        let after = run(&program, &[before.clone(), before.clone()], None);
        model.assert_is(&after, "gpridx-range");
        // Runs that end in the middle go on with the mode on.
        for budget in [1, 2, 3, 6, 7, 8, 12] {
            if budget < after.executed {
                run(&program, &[before.clone(), before.clone()], Some(budget));
            }
        }
        // A wave that begins with the mode on, after and before others.
        let mut special = before.clone();
        (special.state.mode, special.state.sgpr[124]) = (special.state.mode | 1 << 27, 0x1000 | 3);
        let mut model = Model::of(&special);
        let mut operands = [0, 3];
        for round in 0..u64::from(rounds) {
            model.mov(4 + operands[0], 1 + operands[1]);
            operands = [(u64::from(start) + round) & 255, 0];
        }
        model.mov(5 + operands[0], 2);
        model.mov(3, 4 + operands[0]);
        model.mov(2, 3);
        let after = run(&program, &[before.clone(), special.clone()], None);
        model.assert_is(&after, "gpridx-range");
        run(&program, &[special, before], None);
    }
}

/// S_SETREG turns the mode on and off; M0 has operands and index.
#[test]
fn set_by_setreg() {
    // s_mov_b32 m0, s0; mode on; v_mov_b32 v8, v4; mode off; v_mov_b32 v9, v4
    let words = [0xbefc_0000, SET_BIT_27, 1, mov(8, 4), SET_BIT_27, 0, mov(9, 4), END];
    let program = Program::from_words(Arch::Gcn14, &words);
    for (m0, source, destination) in
        [(0x1003, 7, 8), (0x8003, 4, 11), (0x9003, 7, 11), (0x0003, 4, 8), (0x10ff, 259, 8)]
    {
        let before = wave(&program, 24, !0, [m0, 0, 0, 0]);
        let mut model = Model::of(&before);
        model.mov(destination, source);
        model.mov(9, 4);
        let after = run(&program, &[before.clone(), before], None);
        model.assert_is(&after, "gpridx-range");
    }
}

/// M0 is overwritten while the mode is on: other operands are moved then.
#[test]
fn operands_in_an_overwritten_m0() {
    // on s0, SRC0; s_mov_b32 m0, s1; v_mov_b32 v8, v4; s_set_gpr_idx_idx s2; v_mov_b32 v9, v5; off
    let words = [on(0, SRC0), 0xbefc_0001, mov(8, 4), 0xbe80_3202, mov(9, 5), OFF, END];
    let program = Program::from_words(Arch::Gcn14, &words);
    for operands in [0, SRC0, DST, SRC0 | DST] {
        let before = wave(&program, 24, !0, [1, operands << 12 | 2, 0xfffff00 | 3, 0]);
        let mut model = Model::of(&before);
        for (dst, src, index) in [(8, 4, 2), (9, 5, 3)] {
            let moved = |operand: u32| if operands & operand != 0 { index } else { 0 };
            model.mov(dst + moved(DST), src + moved(SRC0));
        }
        let after = run(&program, &[before.clone(), before], None);
        model.assert_is(&after, "gpridx-range");
    }
}

/// The mode is on at a barrier, and off at the next one.
#[test]
fn mode_left_on_over_barriers() {
    let words = [
        // loop: on s0, SRC0; v_mov_b32 v8, v4; s_barrier; v_mov_b32 v9, v5; off; v_xor_b32 v10, v8, v9; s_barrier
        on(0, SRC0),
        mov(8, 4),
        BARRIER,
        mov(9, 5),
        OFF,
        xor(Arch::Gcn14, 10, 10, 8),
        xor(Arch::Gcn14, 10, 10, 9),
        BARRIER,
        // s_add_u32 s0, s0, s2; s_sub_u32 s1, s1, 1; s_cmp_lg_u32 s1, 0; s_cbranch_scc1 loop
        0x8000_0200,
        0x8081_8101,
        0xbf07_8001,
        0xbf85_fff4,
        END,
    ];
    let program = Program::from_words(Arch::Gcn14, &words);
    let waves =
        || -> Vec<Wave> { (0..4).map(|i| wave(&program, 24, 0xff0f_ffff_0000_ffff >> i, [i, 12, 1 + i, 0])).collect() };
    for engine in [EngineKind::Interp, EngineKind::Check, EngineKind::JitNoCheck] {
        for region_max in [4, 1000] {
            let mut engine = Engine::new(RunOptions::default().engine(engine).hot(0).region_max(region_max));
            let (session, mut context) = (engine.session(&program), Context::ready(64));
            let mut group = WaveGroup::new(waves().into_iter().map(Member::new).collect(), 10_000);
            let end = session.run_waves(&mut group, &mut context, None, None, &mut RunStats::default());
            assert_eq!(end, GroupEnd::Ended);
            for (i, (before, member)) in (0u64..).zip(waves().iter().zip(&group.members)) {
                let mut model = Model::of(before);
                for round in 0..12 {
                    let index = i + round * (1 + i);
                    model.mov(8, 4 + index);
                    model.mov(9, 5 + index);
                    model.xor(10, 10, 8);
                    model.xor(10, 10, 9);
                }
                model.assert_is(&member.wave, "gpridx-range");
                assert_eq!(member.wave.executed, 12 * 12 + 1);
            }
        }
    }
}

/// VSKIP is turned on in the middle of code: nothing is moved or noted then.
#[test]
fn skipped_moves() {
    // on s0, SRC0; s_setvskip s1, 0; v_mov_b32 v8, v4; s_setvskip 0, 0; v_mov_b32 v9, v4; off
    let words = [on(0, SRC0), 0xbf10_8001, mov(8, 4), 0xbf10_8080, mov(9, 4), OFF, xor(Arch::Gcn14, 10, 8, 9), END];
    let program = Program::from_words(Arch::Gcn14, &words);
    for (index, skips) in [(2, 0), (2, 1), (200, 0), (200, 1)] {
        let before = wave(&program, 24, !0 << 3, [index, skips, 0, 0]);
        let mut model = Model::of(&before);
        if skips == 0 {
            model.mov(8, 4 + u64::from(index));
        }
        model.mov(9, 4 + u64::from(index));
        model.xor(10, 8, 9);
        let after = run(&program, &[before.clone(), before], None);
        model.assert_is(&after, "gpridx-range");
    }
}
