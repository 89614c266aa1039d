//! Random instructions, and waves that execute them one by one or as a segment.

use gcnsim_isa::table::{Encoding, Vopc};
use gcnsim_isa::{Arch, Inst, LANES, Note, Notes, Opcode, OperandType, Pred, Src, Vgpr, decode};
use gcnsim_jit::helpers::Level;
use gcnsim_jit::segments::{Options, Segment, SegmentFrame};

use crate::valu_support::{self, Machine, Operand};
use gcnsim_random::Rng;

/// All opcodes that a segment might take.
pub fn opcodes() -> Vec<Opcode> {
    let vector = valu_support::rows().filter(|opcode| !matches!(opcode, Opcode::Vop3p(_)));
    vector.chain(Vopc::ALL.iter().map(|&op| Opcode::Vopc(op))).collect()
}

/// Bits of ABS, OP_SEL and NEG in the first and the second dword of VOP3. The decoder refuses those that an instruction
/// does not have.
const MODIFIERS: [(u32, u32); 8] =
    [(0, 0), (0, 0), (0, 1 << 29), (0, 2 << 29), (0, 4 << 29), (1 << 8, 0), (3 << 8, 1 << 29), (0x700, 7 << 29)];

/// An instruction with random operands, of which VGPRs are among the first `registers`; `None` if the decoder refuses
/// it.
pub fn random(rng: &mut Rng, arch: Arch, opcode: Opcode, registers: u32) -> Option<Inst> {
    let desc = opcode.desc();
    let op = desc.opcode_on(arch)? as u32;
    let vgpr = |rng: &mut Rng| rng.below(registers);
    let dst = vgpr(rng);
    let sources: [u32; 3] = std::array::from_fn(|_| source(rng, registers));
    if desc.encoding != Encoding::Vop3 && rng.below(4) == 0 {
        return sdwa(rng, arch, opcode, registers);
    }
    let is_short = desc.encoding != Encoding::Vop3 && rng.below(2) == 0;
    if is_short {
        let [s0, literal] = [sources[0], rng.dword()];
        let first = match desc.encoding {
            Encoding::Vop1 => 0x7e00_0000 | dst << 17 | op << 9 | s0,
            Encoding::Vop2 => op << 25 | dst << 17 | vgpr(rng) << 9 | s0,
            _ => 0x7c00_0000 | op << 17 | vgpr(rng) << 9 | s0,
        };
        return decode(arch, first, Some(literal)).ok();
    }
    let gcn12 = arch.is_gcn12_or_later();
    let base = match desc.encoding {
        Encoding::Vop1 if gcn12 => 320,
        Encoding::Vop1 => 384,
        Encoding::Vop2 => 256,
        _ => 0,
    };
    let is_compare = desc.encoding == Encoding::Vopc;
    let dst = if is_compare { 2 * rng.below(53) } else { dst };
    let carries = desc.has.any(gcnsim_isa::table::Has::VCC_OUT);
    let sdst = if carries { pair(rng) << 8 } else { 0 };
    let (mut first, mut second) = rng.pick(&MODIFIERS);
    if carries {
        first = sdst;
    } else if rng.below(8) == 0 {
        first |= if gcn12 { 1 << 15 } else { 1 << 11 };
    } else if rng.below(16) == 0 {
        second |= rng.below(4) << 27;
    }
    let s2 = if desc.has.any(gcnsim_isa::table::Has::VCC_IN) { pair(rng) } else { sources[2] };
    let fields = [sources[0], sources[1], s2];
    let count = desc.src.len().max(if desc.has.any(gcnsim_isa::table::Has::VCC_IN) { 3 } else { 0 });
    for (i, field) in fields.iter().enumerate().take(count) {
        second |= field.min(&511) << (9 * i);
    }
    let word = 0xd000_0000 | (op + base) << (if gcn12 { 16 } else { 17 }) | dst | first;
    decode(arch, word, Some(second)).ok()
}

/// The same as [`random`], in SDWA form.
fn sdwa(rng: &mut Rng, arch: Arch, opcode: Opcode, registers: u32) -> Option<Inst> {
    let desc = opcode.desc();
    let op = desc.opcode_on(arch)? as u32;
    let vgpr = |rng: &mut Rng| rng.below(registers);
    let (d, s0, s1) = (vgpr(rng), vgpr(rng), vgpr(rng));
    let first = match desc.encoding {
        Encoding::Vop1 => 0x7e00_0000 | d << 17 | op << 9,
        Encoding::Vop2 => op << 25 | d << 17 | s1 << 9,
        _ => 0x7c00_0000 | op << 17 | s1 << 9,
    };
    let select = |rng: &mut Rng| rng.pick(&[0, 1, 2, 3, 4, 5, 6, 6, 6]);
    let source = |rng: &mut Rng, more: u32| select(rng) | (rng.bits() & more);
    let mut second = s0 | source(rng, 0x38) << 16;
    if desc.src.len() > 1 {
        second |= source(rng, 0x38) << 24;
    }
    if desc.encoding == Encoding::Vopc {
        second |= if arch.is_gcn14_or_later() && rng.below(2) == 0 { 0x8000 | pair(rng) << 8 } else { 0 };
    } else {
        second |= select(rng) << 8 | rng.below(3) << 11 | if rng.below(8) == 0 { 1 << 13 } else { 0 };
    }
    if arch.is_gcn14_or_later() && rng.below(4) == 0 {
        second |= 1 << 23;
    }
    // The decoder refuses modifiers that the instruction does not have. Then more and more are left out.
    [second, second & 0xcfff_ffff & !0x0030_0000, second & 0xc7c7_dfff]
        .into_iter()
        .find_map(|second| decode(arch, first | 249, Some(second)).ok())
}

/// A pair of scalar registers for a lane mask, mostly VCC.
fn pair(rng: &mut Rng) -> u32 {
    rng.pick(&[106, 106, 106, 0, 2, 10, 104])
}

/// A random source operand, mostly one of the first `registers` VGPRs.
fn source(rng: &mut Rng, registers: u32) -> u32 {
    match rng.below(8) {
        0 => rng.below(106),
        1 => rng.pick(&[106, 107, 124, 126, 127, 128, 193, 240, 242, 248, 255]),
        2 => 128 + rng.below(81),
        _ => 256 + rng.below(registers),
    }
}

/// A wave. It executes instructions one by one with the portable helpers, or all of them as a segment.
#[derive(Clone)]
pub struct Wave {
    pub machine: Machine,
    pub notes: Notes,
    /// Chunks that a segment left to helpers.
    pub left: u64,
}

impl Wave {
    pub fn random(rng: &mut Rng, mode: u32) -> Wave {
        let mut machine = Machine::new();
        machine.vgprs = (0..256).map(|_| Vgpr(std::array::from_fn(|_| rng.dword()))).collect();
        machine.sgprs = std::array::from_fn(|_| rng.dword());
        machine.mode = mode;
        let mut wave = Wave { machine, notes: Notes::NONE, left: 0 };
        wave.set_pair(126, rng.mask());
        wave.set_pair(106, rng.mask());
        wave
    }

    /// A wave with positive numbers from 2^-`size` to 2^`size` in all VGPRs.
    pub fn positive(rng: &mut Rng, mode: u32, size: u32) -> Wave {
        let mut wave = Wave::random(rng, mode);
        wave.set_pair(106, 0);
        for vgpr in &mut wave.machine.vgprs {
            vgpr.0 = std::array::from_fn(|_| (rng.bits() & 0x007f_ffff) | (127 - size + rng.below(2 * size)) << 23);
        }
        wave
    }

    /// A wave with numbers of ordinary size in all VGPRs and SGPRs: neither NaNs nor denormals.
    pub fn numbers(rng: &mut Rng, mode: u32) -> Wave {
        let mut wave = Wave::random(rng, mode);
        let number = |rng: &mut Rng| (rng.bits() & 0x807f_ffff) | (110 + rng.below(34)) << 23;
        for vgpr in &mut wave.machine.vgprs {
            vgpr.0 = std::array::from_fn(|_| number(rng));
        }
        for code in 0..104 {
            wave.machine.sgprs[code] = number(rng);
        }
        wave
    }

    /// A wave as of [`Wave::numbers`], but with any bits in one lane. If the segment's test misses this lane, no
    /// neighbour makes it leave the chunk to helpers.
    pub fn one_odd_lane(rng: &mut Rng, mode: u32) -> Wave {
        let mut wave = Wave::numbers(rng, mode);
        let lane = rng.below(64) as usize;
        for vgpr in &mut wave.machine.vgprs {
            vgpr.0[lane] = rng.dword();
        }
        wave
    }

    fn pair(&self, code: u8) -> u64 {
        let [low, high] = [0, 1].map(|i| self.machine.sgprs[code as usize + i] as u64);
        low | high << 32
    }

    pub fn set_pair(&mut self, code: u8, value: u64) {
        self.machine.sgprs[code as usize] = value as u32;
        self.machine.sgprs[code as usize + 1] = (value >> 32) as u32;
    }

    pub fn exec(&self) -> u64 {
        self.pair(126)
    }

    pub fn run(&mut self, insts: &[Inst]) {
        for inst in insts {
            self.step(inst);
        }
        let of_words = insts.iter().fold(Notes::NONE, |notes, inst| notes.or(inst.static_notes()));
        self.notes = self.notes.without(of_words);
    }

    fn step(&mut self, inst: &Inst) {
        self.machine.exec = self.exec();
        if let Opcode::Vopc(op) = inst.opcode {
            let lanes = (0..LANES).fold(0, |lanes, lane| lanes | (self.compare(inst, op, lane) as u64) << lane);
            self.set_pair(inst.dst().unwrap(), lanes & self.exec());
            self.notes.insert_if(self.exec() == 0, Note::VcmpExecZero);
        } else if inst.vdst().is_some() {
            self.machine.mask = inst.mask_src().map_or(0, |code| self.pair(code));
            let (mask, notes) = self.lanes(inst);
            if let Some(code) = inst.mask_dst() {
                self.set_pair(code, mask);
            }
            self.notes = self.notes.or(notes);
        }
    }

    /// Executes an instruction that is no compare, by its helper. The parts of SDWA are taken and placed here, not by
    /// the steps around helpers that compiled code calls.
    fn lanes(&mut self, inst: &Inst) -> (u64, Notes) {
        let Some(selectors) = inst.sdwa() else { return self.machine.run(Level::Portable, inst) };
        let mut operands = self.machine.operands(inst);
        for (i, operand) in operands.iter_mut().enumerate().take(inst.src_count()) {
            let lanes = std::array::from_fn(|lane| {
                let whole = match *operand {
                    Operand::Vgpr(n) => self.machine.vgprs[n].0[lane],
                    Operand::Scalar(dwords) => dwords[0],
                    Operand::None => 0,
                };
                part(whole, selectors.src_sel[i], selectors.sext[i])
            });
            self.machine.vgprs.truncate(256 + i);
            self.machine.vgprs.push(Vgpr(lanes));
            *operand = Operand::Vgpr(256 + i);
        }
        self.machine.vgprs.resize(260, Vgpr([0; LANES]));
        let d = inst.vdst().unwrap() as usize;
        self.machine.vgprs[259] = self.machine.vgprs[d];
        let result = self.machine.run_on(Level::Portable, inst, 259, operands, true);
        for lane in (0..LANES).filter(|lane| self.machine.exec >> lane & 1 == 1) {
            let (old, new) = (self.machine.vgprs[d].0[lane], self.machine.vgprs[259].0[lane]);
            self.machine.vgprs[d].0[lane] = placed(old, new, selectors.dst_sel, selectors.dst_unused);
        }
        self.machine.vgprs.truncate(256);
        result
    }

    /// Source `i` in a lane, with its modifiers.
    fn bits(&self, inst: &Inst, i: usize, lane: usize) -> u64 {
        let is_wide = inst.src_type(i).dwords() == 2;
        let join = |low: u32, high: u32| low as u64 | if is_wide { (high as u64) << 32 } else { 0 };
        let bits = match inst.src(i) {
            Src::Vgpr(n) => {
                let next = self.machine.vgprs.get(n as usize + 1).map_or(0, |vgpr| vgpr.0[lane]);
                join(self.machine.vgprs[n as usize].0[lane], next)
            }
            Src::Sgpr(n) => join(self.machine.sgprs[n as usize], self.machine.sgprs[(n as usize + 1).min(127)]),
            Src::Imm(value) => value,
            other => panic!("{other:?}"),
        };
        let bits = inst.sdwa().map_or(bits, |s| part(bits as u32, s.src_sel[i], s.sext[i]) as u64);
        let sign = 1 << (inst.src_type(i).bits() - 1);
        if !inst.src_type(i).is_float() {
            return bits;
        }
        (if inst.abs(i) { bits & !sign } else { bits }) ^ if inst.neg(i) { sign } else { 0 }
    }

    fn compare(&mut self, inst: &Inst, op: Vopc, lane: usize) -> bool {
        let [a, b] = [0, 1].map(|i| self.bits(inst, i, lane));
        let integers = |a: i128, b: i128| predicate(op.cmp().pred, Some(a.cmp(&b)));
        let is_active = self.exec() >> lane & 1 == 1;
        match op.cmp().ty {
            OperandType::i32 => integers((a as i32).into(), (b as i32).into()),
            OperandType::u32 => integers((a as u32).into(), (b as u32).into()),
            OperandType::i16 => integers((a as i16).into(), (b as i16).into()),
            OperandType::u16 => integers((a as u16).into(), (b as u16).into()),
            OperandType::i64 => integers((a as i64).into(), (b as i64).into()),
            OperandType::u64 => integers(a.into(), b.into()),
            OperandType::f32 => {
                let (a, b) = (f32::from_bits(a as u32), f32::from_bits(b as u32));
                let flush = |x: f32| if x.is_subnormal() { 0.0 } else { x };
                let kept = predicate(op.cmp().pred, a.partial_cmp(&b));
                if self.machine.mode & 0x10 != 0 {
                    return kept;
                }
                let flushed = predicate(op.cmp().pred, flush(a).partial_cmp(&flush(b)));
                self.notes.insert_if(is_active && kept != flushed, Note::CmpDenormFlush);
                flushed
            }
            OperandType::f64 => {
                assert!(self.machine.mode & 0x40 != 0, "segments leave this to helpers");
                predicate(op.cmp().pred, f64::from_bits(a).partial_cmp(&f64::from_bits(b)))
            }
            ty => panic!("{ty:?}"),
        }
    }

    /// The wave after the segment: registers, masks and notes.
    pub fn segment(&self, segment: &Segment, rng: &mut Rng) -> Wave {
        let mut wave = self.clone();
        let mut frame = SegmentFrame::default();
        let garbage = rng.bits();
        for code in 0..128 {
            (frame.sgpr[code], frame.masks[code]) = (garbage, garbage);
        }
        for input in segment.inputs() {
            frame.sgpr[input.slot as usize] = self.machine.sgprs[input.code as usize];
        }
        let before = frame.sgpr;
        // SAFETY: the wave has all VGPRs that an instruction can name, and nobody else uses them.
        unsafe { (segment.function())(wave.machine.vgprs.as_mut_ptr(), &mut frame) };
        assert_eq!(before, frame.sgpr, "operands are not written");
        for code in 0..128 {
            if segment.writes() >> code & 1 == 1 {
                wave.machine.sgprs[code] = frame.masks[code];
            } else {
                assert_eq!(frame.masks[code], garbage, "register {code} is not one that is written");
            }
        }
        wave.left = frame.left_chunks;
        wave.notes = Notes::of_low_words(frame.notes);
        wave
    }

    /// The first difference, in words.
    pub fn difference(&self, other: &Wave) -> Option<String> {
        for n in 0..256 {
            for lane in 0..LANES {
                let (a, b) = (self.machine.vgprs[n].0[lane], other.machine.vgprs[n].0[lane]);
                if a != b {
                    return Some(format!("v{n} lane {lane}: {a:#x}, segment {b:#x}"));
                }
            }
        }
        for code in 0..128 {
            let (a, b) = (self.machine.sgprs[code], other.machine.sgprs[code]);
            if a != b {
                return Some(format!("scalar register {code}: {a:#x}, segment {b:#x}"));
            }
        }
        (self.notes != other.notes).then(|| format!("{:?}, segment {:?}", self.notes, other.notes))
    }
}

/// The bytes that an SDWA selector selects.
fn bytes_of(select: u8) -> std::ops::Range<usize> {
    match select as usize {
        n @ 0..4 => n..n + 1,
        n @ 4..6 => 2 * (n - 4)..2 * (n - 4) + 2,
        _ => 0..4,
    }
}

/// The selected part of a source, extended to 32 bits.
fn part(whole: u32, select: u8, is_signed: bool) -> u32 {
    let bytes = &whole.to_le_bytes()[bytes_of(select)];
    let fill = if is_signed && bytes[bytes.len() - 1] >= 0x80 { 0xff } else { 0 };
    u32::from_le_bytes(std::array::from_fn(|i| bytes.get(i).copied().unwrap_or(fill)))
}

/// A destination whose selected part is `new`. DST_UNUSED says what becomes of the rest: 0, signs, or as before.
fn placed(old: u32, new: u32, select: u8, unused: u8) -> u32 {
    let (range, new) = (bytes_of(select), new.to_le_bytes());
    let fill = if new[range.len() - 1] >= 0x80 { 0xff } else { 0 };
    u32::from_le_bytes(std::array::from_fn(|i| match () {
        () if range.contains(&i) => new[i - range.start],
        () if unused == 2 => old.to_le_bytes()[i],
        () if unused == 1 && i >= range.end => fill,
        () => 0,
    }))
}

/// Whether operands of an order satisfy a predicate; `None` is the order of unordered operands.
fn predicate(pred: Pred, order: Option<std::cmp::Ordering>) -> bool {
    use std::cmp::Ordering::{Equal, Greater, Less};
    match pred {
        Pred::F => false,
        Pred::Lt => order == Some(Less),
        Pred::Eq => order == Some(Equal),
        Pred::Le => matches!(order, Some(Less | Equal)),
        Pred::Gt => order == Some(Greater),
        Pred::Lg => matches!(order, Some(Less | Greater)),
        Pred::Ge => matches!(order, Some(Greater | Equal)),
        Pred::O => order.is_some(),
        Pred::U => order.is_none(),
        Pred::Nge => !matches!(order, Some(Greater | Equal)),
        Pred::Nlg => !matches!(order, Some(Less | Greater)),
        Pred::Ngt => order != Some(Greater),
        Pred::Nle => !matches!(order, Some(Less | Equal)),
        Pred::Neq => order != Some(Equal),
        Pred::Nlt => order != Some(Less),
        Pred::Tru => true,
        Pred::Class => panic!("no segment takes it"),
    }
}

/// Executes instructions from a wave one by one and as a segment. Panics if the results differ. Returns the number of
/// chunks that the segment left to helpers.
pub fn check(insts: &[Inst], options: &Options, wave: &Wave, rng: &mut Rng) -> u64 {
    let segment = Segment::compile(insts, options).unwrap();
    let mut expected = wave.clone();
    expected.run(insts);
    let mut found = wave.segment(&segment, rng);
    let of_words = insts.iter().fold(Notes::NONE, |notes, inst| notes.or(inst.static_notes()));
    found.notes = found.notes.without(of_words);
    if let Some(difference) = expected.difference(&found) {
        let mode = wave.machine.mode;
        panic!("{difference}\nmode {mode:#x}, exec {:#x}\n{insts:#?}", wave.exec());
    }
    found.left
}
