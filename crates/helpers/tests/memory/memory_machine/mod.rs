//! A [`Bench`] with SGPRs, from which instructions take their scalars.

use std::ops::{Deref, DerefMut, Range};
use std::sync::Arc;

use gcnsim_helpers::memory::{Scalars, Uses};
use gcnsim_isa::{Arch, Src};
use gcnsim_machine::{Backing, Context, Mapping};

use crate::memory_support::Bench;

/// Guest address of 256 bytes of memory that can be written; behind them nothing is mapped.
pub const BASE: u64 = 0x1_0000;
/// Guest address of 64 bytes of memory that cannot be written.
pub const READ_ONLY: u64 = 0x2_0000;

pub struct Machine {
    bench: Bench,
    pub sgpr: [u32; 128],
    pub exec: u64,
    pub mode: u32,
    pub completed: u64,
}

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
            context.space.map(Mapping { writable, ..Mapping::new(base, format!("{base:x}"), Arc::new(backing)) });
        }
        let mut sgpr = [0; 128];
        sgpr[124] = u32::MAX;
        Machine { bench: Bench::with(arch, context), sgpr, exec: u64::MAX, mode: 0xf0, completed: 0 }
    }

    /// Maps six more bytes, whose values are 1 to 6, behind the memory that can be written.
    pub fn map_rest(&mut self) {
        let backing = Backing::zeroed(6).unwrap();
        backing.write(0, &[1, 2, 3, 4, 5, 6]);
        self.context.space.map(Mapping::new(BASE + 256, "rest", Arc::new(backing)));
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

    /// Gives an instruction the scalars that it uses. Returns what these are.
    #[track_caller]
    fn take_scalars(&mut self, text: &str, words: [u32; 2]) -> Uses {
        let uses = self.bench.op(text, words).uses();
        let (scalars, sgpr) = (&mut self.bench.frame.memory, &self.sgpr);
        *scalars = Scalars { exec: self.exec, ..Scalars::default() };
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
        uses
    }

    /// Executes an instruction as [`Bench::run`] does. Returns the notes that it raises; `None` if it is refused.
    #[track_caller]
    pub fn run(&mut self, text: &str, words: [u32; 2]) -> Option<Vec<&'static str>> {
        let uses = self.take_scalars(text, words);
        if !self.bench.run(text, words) {
            return None;
        }
        if let Some(result) = uses.result {
            let count = range(result).len();
            self.sgpr[range(result)].copy_from_slice(&self.bench.frame.memory.data[..count]);
        }
        Some(self.bench.notes.codes())
    }

    /// Executes an instruction that must raise no notes.
    #[track_caller]
    pub fn plain(&mut self, text: &str, words: [u32; 2]) {
        assert_eq!(self.run(text, words), Some(vec![]), "{text}");
    }

    /// Executes an instruction that must be refused and change nothing.
    #[track_caller]
    pub fn refused(&mut self, text: &str, words: [u32; 2]) {
        self.take_scalars(text, words);
        self.bench.refuses(text, words);
    }
}

/// Returns the registers that `first` and `count` name.
fn range((first, count): (u8, u8)) -> Range<usize> {
    usize::from(first)..usize::from(first) + usize::from(count)
}

impl Deref for Machine {
    type Target = Bench;

    fn deref(&self) -> &Bench {
        &self.bench
    }
}

impl DerefMut for Machine {
    fn deref_mut(&mut self) -> &mut Bench {
        &mut self.bench
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
