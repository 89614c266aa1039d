//! The state that an instruction works on, and both ways to execute it.

use std::fmt::Write;
use std::sync::Arc;

use gcnsim::Wave;
use gcnsim_interp::Interp;
use gcnsim_isa::{Arch, Inst, Notes, Program, Src, flat_scratch};
use gcnsim_jit::Frame;
use gcnsim_jit::helpers::Level;
use gcnsim_jit::memory::{DONE, MemoryOp, REFUSED};
use gcnsim_machine::{Apertures, Backing, Context, Mapping, VgprFile};
use gcnsim_random::Rng;

pub const ARCHS: [Arch; 4] = [Arch::Gcn10, Arch::Gcn11, Arch::Gcn12, Arch::Gcn14];
const END: u32 = 0xbf81_0000;
/// Number of VGPRs of the wave.
pub const VGPRS: usize = 12;
/// Guest address of the memory.
pub const BASE: u64 = 0xffff_8000_0001_0000;
/// Bytes of memory, unless a test sets them.
const MEMORY: usize = 256;
/// Bytes of LDS.
pub const LDS: usize = 640;
/// Number of random instructions of each row.
pub const CASES: u64 = 30;

/// Returns a dword of data, which is often small or a special float.
pub fn data(random: &mut Rng) -> u32 {
    const SPECIAL: &[u32] = &[
        0,
        1,
        0x8000_0000,
        0x8000_0001,
        0x3f80_0000,
        0xbf80_0000,
        0x7f80_0000,
        0xff80_0000,
        0x7f80_0001,
        0x7fc0_0000,
        0x0080_0000,
        0x8080_0001,
        0x007f_ffff,
        0x7ff0_0000,
        0x7ff8_0000,
        0x3ff0_0000,
        u32::MAX,
    ];
    match random.below(3) {
        0 => random.bits(),
        1 => random.below(4),
        _ => random.pick(SPECIAL),
    }
}

/// Returns addresses of the lanes: in rows, equal, anywhere in LDS or near its end, or odd.
fn addresses(random: &mut Rng) -> [u32; 64] {
    let (base, step) = (random.below(700), random.pick(&[0, 1, 2, 4, 4, 8, 8, 16, 12]));
    let align = !(random.pick(&[1, 1, 2, 4, 8, 16]) - 1);
    let kind = random.below(6);
    std::array::from_fn(|lane| match kind {
        0..=2 => (base & align).wrapping_add(lane as u32 * step),
        3 | 4 => random.below(LDS as u32 + 20) & align,
        _ => match random.below(4) {
            0 => random.bits(),
            1 => random.below(1200).wrapping_sub(600),
            _ => random.below(100) & align,
        },
    })
}

/// The state that an instruction works on.
#[derive(Clone)]
pub struct Setting {
    pub wave: Wave,
    pub lds: Vec<u8>,
    gds: Vec<u8>,
    pub memory: Vec<u8>,
    pub apertures: Option<Apertures>,
    pub is_alone: bool,
}

impl Setting {
    /// Returns a random setting. `gds` says whether there is GDS.
    pub fn random(random: &mut Rng, gds: bool) -> Setting {
        let mut wave = Wave::from_state(gcnsim_isa::WaveState::zeroed());
        wave.vgprs = VgprFile::with_count(VGPRS);
        for n in 0..VGPRS as u8 {
            let lanes = if n < 4 { addresses(random) } else { std::array::from_fn(|_| data(random)) };
            *wave.vgprs.lanes_mut(n) = lanes;
        }
        wave.state.set_exec(random.mask());
        wave.state.mode = random.pick(&[0, 0x3c0, 0x3f0, 0x50, 0xa0]);
        wave.executed = random.bits64() >> 24;
        // Addresses and descriptors are in all registers, and offsets in s2, s3 and M0.
        for n in (0..100).step_by(4) {
            let base = BASE + random.pick(&[0, 0, 1, 3, 4, 8, 64, MEMORY as u64 - 8, MEMORY as u64 - 4]);
            let stride = random.pick(&[0, 0, 4, 16]);
            let high = (base >> 32) as u32 & 0xffff | stride << 16;
            let records = random.pick(&[0, 1, 2, 5, 12, 40, u32::MAX]);
            let plain = random.below(2) == 0;
            let high = if plain { (base >> 32) as u32 } else { high };
            wave.state.sgpr[n..n + 4].copy_from_slice(&[base as u32, high, records, data(random)]);
        }
        for n in [30, 31] {
            wave.state.sgpr[n] = random.pick(&[0, 1, 2, 3, 4, 6, 8, 31, u32::MAX]);
        }
        wave.state.sgpr[124] = match random.below(6) {
            0 => random.bits(),
            1 => random.below(700),
            2 => random.below(2000) << 16 | random.below(700),
            3 => random.below(16),
            _ => u32::MAX,
        };
        let mut bytes = |len: usize| (0..len / 4).flat_map(|_| data(random).to_le_bytes()).collect::<Vec<u8>>();
        let (lds, gds, memory) = (bytes(LDS), bytes(if gds { 64 << 10 } else { 0 }), bytes(MEMORY));
        Setting { wave, lds, gds, memory, apertures: None, is_alone: false }
    }

    fn context(&self) -> Context {
        let mut context = Context::ready(0);
        context.lds = self.lds.clone().into();
        context.gds = self.gds.clone();
        (context.apertures, context.is_alone) = (self.apertures, self.is_alone);
        let backing = Backing::zeroed(self.memory.len()).unwrap();
        backing.write(0, &self.memory);
        context.space.map(Mapping::new(BASE, "data", Arc::new(backing)));
        context
    }

    /// Returns the setting after `wave` ran in `context`.
    fn taken_from(wave: Wave, context: &Context) -> Setting {
        let memory = context.space.mappings()[0].backing.to_vec();
        let (lds, gds) = (context.lds.to_vec(), context.gds.clone());
        Setting { wave, lds, gds, memory, apertures: context.apertures, is_alone: context.is_alone }
    }

    /// Returns in words where two states differ.
    fn differences(&self, other: &Setting) -> String {
        let mut text = String::new();
        for n in 0..VGPRS as u8 {
            let (a, b) = (self.wave.vgprs.lanes(n), other.wave.vgprs.lanes(n));
            if let Some(lane) = (0..64).find(|&lane| a[lane] != b[lane]) {
                let _ = writeln!(text, "v{n}[{lane}]: {:x} or {:x}", a[lane], b[lane]);
            }
        }
        for n in 0..128 {
            let (a, b) = (self.wave.state.sgpr[n], other.wave.state.sgpr[n]);
            if a != b {
                let _ = writeln!(text, "s{n}: {a:x} or {b:x}");
            }
        }
        for (name, a, b) in
            [("LDS", &self.lds, &other.lds), ("GDS", &self.gds, &other.gds), ("memory", &self.memory, &other.memory)]
        {
            if let Some(at) = (0..a.len()).find(|&at| a[at] != b[at]) {
                let _ = writeln!(text, "{name} at {at}: {:x} or {:x}", a[at], b[at]);
            }
        }
        if self.wave.state.notes != other.wave.state.notes {
            let _ = writeln!(text, "notes: {:?} or {:?}", self.wave.state.notes, other.wave.state.notes);
        }
        text
    }
}

/// Executes an instruction as compiled code does. Returns the state after it, or `None` if it faults. If `records`, the
/// context records the writes, which are then taken back. If not, half of the settings have a snapshot, which is
/// restored at the end.
#[allow(unsafe_code)]
fn compiled(inst: &Inst, op: &MemoryOp, level: Level, from: &Setting, records: bool) -> Option<Setting> {
    let mut wave = from.wave.clone();
    let mut context = from.context();
    let snapshot = (!records && from.wave.executed % 2 == 1).then(|| context.snapshot());
    if records {
        context.start_recording();
    }
    let state = &mut wave.state;
    let mut frame = Frame { context: &mut context, vgpr_count: VGPRS as u64, ..Frame::default() };
    let (uses, scalars) = (op.uses(), &mut frame.memory);
    // Values that the instruction does not use must not matter.
    *scalars = gcnsim_jit::memory::Scalars {
        base: [0xdead_beef; 4],
        offset: 0xdead_beef,
        m0: 0xdead_beef,
        mode: 0xdead_beef,
        completed: 0xdead_beef,
        data: [0xdead_beef; 16],
        ..Default::default()
    };
    scalars.exec = state.exec();
    if let Some((first, count)) = uses.base {
        let (first, count) = (usize::from(first), usize::from(count));
        scalars.base[..count].copy_from_slice(&state.sgpr[first..first + count]);
    }
    match uses.offset {
        Some(Src::Sgpr(code)) => scalars.offset = state.sgpr[usize::from(code)],
        Some(Src::Imm(value)) => scalars.offset = value as u32,
        None => {}
        Some(other) => panic!("{other:?}"),
    }
    if uses.flat_scratch {
        let first = usize::from(flat_scratch(inst.arch));
        scalars.flat_scratch = [state.sgpr[first], state.sgpr[first + 1]];
    }
    if uses.m0 {
        scalars.m0 = state.sgpr[124];
    }
    if uses.mode {
        scalars.mode = state.mode;
    }
    if uses.completed {
        scalars.completed = wave.executed;
    }
    if let Some((first, count)) = uses.data {
        let (first, count) = (usize::from(first), usize::from(count));
        scalars.data[..count].copy_from_slice(&state.sgpr[first..first + count]);
    }
    let mut notes = Notes::NONE;
    // SAFETY: the registers, the notes, the context and the frame are this function's, and nothing else uses them.
    let code = unsafe { op.helper(level)(op, &mut notes, wave.vgprs.regs_mut().as_mut_ptr(), &mut frame) };
    if code == DONE {
        if let Some((first, count)) = uses.result {
            let (first, count) = (usize::from(first), usize::from(count));
            state.sgpr[first..first + count].copy_from_slice(&frame.memory.data[..count]);
        }
        state.notes = notes.or(inst.static_notes());
    } else {
        assert_eq!((code, notes), (REFUSED, Notes::NONE), "{inst}");
    }
    if records {
        let journal = context.stop_recording();
        let end = Setting::taken_from(wave.clone(), &context);
        let recorded = journal.writes().len();
        assert!(code == DONE || recorded == 0);
        context.undo(&journal);
        let undone = Setting::taken_from(from.wave.clone(), &context);
        assert_eq!(undone.differences(from), "", "{inst}: taken back");
        return (code == DONE).then_some(end);
    }
    let end = Setting::taken_from(wave, &context);
    if let Some(snapshot) = &snapshot {
        context.restore(snapshot);
        let restored = Setting::taken_from(from.wave.clone(), &context);
        assert_eq!(restored.differences(from), "", "{inst}: restored");
    }
    if code == REFUSED {
        assert_eq!(end.differences(from), "", "{inst} was refused and changed something");
        return None;
    }
    Some(end)
}

/// Executes an instruction on the interpreter. Returns the state after it, or `None` if it faults.
fn interpreted(inst: &Inst, from: &Setting) -> Option<Setting> {
    let words = &inst.words[..inst.size() as usize / 4];
    let program = Program::from_words(inst.arch, &[words, &[END]].concat());
    let (mut wave, mut context) = (from.wave.clone(), from.context());
    let before = wave.executed;
    Interp::new(&program).run_in(&mut wave, &mut context, 1);
    let done = wave.executed > before;
    done.then(|| Setting::taken_from(wave, &context))
}

/// Executes an instruction both ways, on every level, with and without recording. Adds differences to `problems`.
pub fn check(inst: &Inst, setting: &Setting, problems: &mut Vec<String>) {
    let Some(op) = MemoryOp::new(inst) else {
        assert!(inst.unsupported().is_some(), "{inst} has no helper");
        return;
    };
    let a = interpreted(inst, setting);
    for (level, records) in Level::available().flat_map(|level| [(level, false), (level, true)]) {
        let b = compiled(inst, &op, level, setting, records);
        let problem = match (&a, &b) {
            (Some(a), Some(b)) => a.differences(b),
            (None, None) => String::new(),
            _ => format!("executed: {} or {}", a.is_some(), b.is_some()),
        };
        if !problem.is_empty() {
            let (exec, m0) = (setting.wave.state.exec(), setting.wave.state.sgpr[124]);
            let name = level.name();
            problems.push(format!(
                "{} {inst} (exec {exec:x}, m0 {m0:x}, {name}, recording {records}): {problem}",
                inst.arch
            ));
        }
    }
}

/// Panics if there are problems, and prints some of them.
pub fn report(problems: &[String]) {
    let shown = problems.iter().take(40).map(String::as_str).collect::<Vec<_>>().join("\n");
    assert!(problems.is_empty(), "{} differences (interpreter or compiled code)\n{shown}", problems.len());
}
