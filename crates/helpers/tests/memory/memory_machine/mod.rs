//! A wave with memory and SGPRs, on which instructions given as words are executed. Their helpers are called as
//! compiled code calls them.
#![allow(dead_code)]

use std::sync::Arc;

use gcnsim_helpers::Level;
use gcnsim_helpers::frame::Frame;
use gcnsim_helpers::memory::{DONE, MemoryOp, REFUSED};
use gcnsim_isa::{Arch, LANES, Notes, Src, Vgpr, decode};
use gcnsim_machine::{Backing, Context, Mapping};

/// Guest address of 256 bytes of memory that can be written; behind them nothing is mapped.
pub const BASE: u64 = 0x1_0000;
/// Guest address of 64 bytes of memory that cannot be written.
pub const READ_ONLY: u64 = 0x2_0000;

pub struct Machine {
    pub arch: Arch,
    pub sgpr: [u32; 128],
    pub vgprs: Vec<Vgpr>,
    pub exec: u64,
    pub mode: u32,
    pub completed: u64,
    pub context: Context,
}

/// The contents of memory, LDS, GDS, VGPRs and SGPRs.
type All = (Vec<Vec<u8>>, [Vec<u8>; 2], Vec<Vgpr>, [u32; 128]);

impl Machine {
    /// Returns a wave with 16 VGPRs, all lanes active, 1024 bytes of LDS, and M0 = -1. Memory and LDS hold the numbers
    /// of their dwords.
    pub fn new(arch: Arch) -> Machine {
        let mut context = Context::ready(0);
        let numbers = |dwords: u32| (0..dwords).flat_map(u32::to_le_bytes).collect::<Vec<u8>>();
        context.lds = numbers(256).into();
        for (base, bytes, writable) in [(BASE, 256, true), (READ_ONLY, 64, false)] {
            let backing = Backing::zeroed(bytes).unwrap();
            backing.write(0, &numbers(bytes as u32 / 4));
            context.space.map(Mapping::new(base, format!("{base:x}"), Arc::new(backing), writable));
        }
        let mut sgpr = [0; 128];
        sgpr[124] = u32::MAX;
        let vgprs = vec![Vgpr([0; LANES]); 16];
        Machine { arch, sgpr, vgprs, exec: u64::MAX, mode: 0xf0, completed: 0, context }
    }

    /// Maps six more bytes, whose values are 1 to 6, behind the memory that can be written.
    pub fn map_rest(&mut self) {
        let backing = Backing::zeroed(6).unwrap();
        backing.write(0, &[1, 2, 3, 4, 5, 6]);
        self.context.space.map(Mapping::new(BASE + 256, "rest", Arc::new(backing), true));
    }

    /// Sets a VGPR lane by lane.
    pub fn set(&mut self, n: usize, value: impl Fn(u32) -> u32) {
        self.vgprs[n].0 = std::array::from_fn(|lane| value(lane as u32));
    }

    /// Returns the dword of LDS at an address.
    pub fn dword(&self, at: usize) -> u32 {
        u32::from_le_bytes(self.context.lds[at..at + 4].try_into().unwrap())
    }

    pub fn set_dword(&mut self, at: usize, value: u32) {
        self.context.lds[at..at + 4].copy_from_slice(&value.to_le_bytes());
    }

    /// Returns the dword of memory `at` bytes behind [`BASE`].
    pub fn memory(&self, at: u64) -> u32 {
        let mut bytes = [0; 4];
        self.context.load(BASE + at, &mut bytes, None).unwrap();
        u32::from_le_bytes(bytes)
    }

    /// Executes the instruction of these words, whose text must be `text`, on every level; all levels must do the same.
    /// Returns the notes that it raises; `None` if it is refused.
    pub fn run(&mut self, text: &str, words: [u32; 2]) -> Option<Vec<&'static str>> {
        let before = self.all();
        let mut done = self.run_on(Level::Portable, text, words);
        // A journal would record the writes of each level, so a recording context is used on one level only.
        let is_recording = self.context.is_recording();
        for level in Level::available().skip(1).filter(|_| !is_recording) {
            let after = done.take();
            let expected = self.all();
            self.restore(&before);
            done = self.run_on(level, text, words);
            assert!(done == after && self.all() == expected, "{text}: {} is different", level.name());
        }
        done
    }

    /// Returns everything that instructions can change.
    fn all(&self) -> All {
        let memory = self.context.space.mappings().iter().map(|mapping| mapping.backing.to_vec()).collect();
        (memory, [self.context.lds.to_vec(), self.context.gds.clone()], self.vgprs.clone(), self.sgpr)
    }

    fn restore(&mut self, all: &All) {
        let (memory, [lds, gds], vgprs, sgpr) = all;
        let mappings = self.context.space.mappings().iter();
        mappings.zip(memory).for_each(|(mapping, bytes)| mapping.backing.write(0, bytes));
        (self.context.lds, self.context.gds) = (lds.clone().into(), gds.clone());
        (self.vgprs, self.sgpr) = (vgprs.clone(), *sgpr);
    }

    /// Executes an instruction on one level, like [`Machine::run`].
    #[allow(unsafe_code)]
    fn run_on(&mut self, level: Level, text: &str, words: [u32; 2]) -> Option<Vec<&'static str>> {
        let inst = decode(self.arch, words[0], Some(words[1])).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(inst.to_string(), text);
        let op = MemoryOp::new(&inst).unwrap_or_else(|| panic!("{text} has no helper"));
        let mut frame = Frame { context: &mut self.context, vgpr_count: self.vgprs.len() as u64, ..Frame::default() };
        let (uses, scalars, sgpr) = (op.uses(), &mut frame.memory, &mut self.sgpr);
        let range = |(first, count): (u8, u8)| usize::from(first)..usize::from(first) + usize::from(count);
        scalars.exec = self.exec;
        if let Some(base) = uses.base {
            scalars.base[..range(base).len()].copy_from_slice(&sgpr[range(base)]);
        }
        if let Some(Src::Sgpr(code)) = uses.offset {
            scalars.offset = sgpr[usize::from(code)];
        }
        if let Some(data) = uses.data {
            scalars.data[..range(data).len()].copy_from_slice(&sgpr[range(data)]);
        }
        scalars.m0 = if uses.m0 { sgpr[124] } else { 0 };
        scalars.mode = if uses.mode { self.mode } else { 0 };
        scalars.completed = if uses.completed { self.completed } else { 0 };
        let mut notes = Notes::NONE;
        // SAFETY: the wave has these VGPRs; frame, context and notes outlive the call, and nothing else uses them.
        let code = unsafe { op.helper(level)(&op, &mut notes, self.vgprs.as_mut_ptr(), &mut frame) };
        if code == REFUSED {
            return None;
        }
        assert_eq!(code, DONE);
        if let Some(result) = uses.result {
            let count = range(result).len();
            sgpr[range(result)].copy_from_slice(&frame.memory.data[..count]);
        }
        Some(notes.codes())
    }

    /// Executes an instruction that must raise no notes.
    #[track_caller]
    pub fn plain(&mut self, text: &str, words: [u32; 2]) {
        assert_eq!(self.run(text, words), Some(vec![]), "{text}");
    }

    /// Executes an instruction that must be refused and change nothing.
    #[track_caller]
    pub fn refused(&mut self, text: &str, words: [u32; 2]) {
        let (lds, vgprs, sgpr) = (self.context.lds.clone(), self.vgprs.clone(), self.sgpr);
        let memory = || self.context.space.mappings().iter().map(|m| m.backing.to_vec()).collect::<Vec<_>>();
        let before = memory();
        assert_eq!(self.run(text, words), None, "{text}");
        let memory = || self.context.space.mappings().iter().map(|m| m.backing.to_vec()).collect::<Vec<_>>();
        assert!((lds, vgprs, sgpr, before) == (self.context.lds.clone(), self.vgprs.clone(), self.sgpr, memory()));
    }
}

/// Returns the words of the DS instruction `op`; `fields` are the registers of address, DATA0, DATA1 and result. On GCN
/// 1.0 and 1.1 the opcode lies one bit higher.
pub fn ds(arch: Arch, op: u32, offset: u32, fields: [u8; 4]) -> [u32; 2] {
    let shift = if arch.is_gcn12_or_later() { 17 } else { 18 };
    [0xd800_0000 | op << shift | offset, u32::from_le_bytes(fields)]
}

/// Returns the words of the DS instruction with the GDS bit.
pub fn gds(arch: Arch, op: u32, offset: u32, fields: [u8; 4]) -> [u32; 2] {
    let bit = if arch.is_gcn12_or_later() { 16 } else { 17 };
    let [first, second] = ds(arch, op, offset, fields);
    [first | 1 << bit, second]
}
