//! Code that lies in guest memory: what is reached from its entries is read, and nothing else.

use std::cell::RefCell;
use std::collections::HashMap;
use std::iter;
use std::ops::Range;
use std::sync::Arc;

use gcnsim_flow::{Code as _, Flow, Through, direct_target};
use gcnsim_isa::{Arch, Inst, Program, decode};

/// Size in bytes of a page, which is read at once.
const PAGE: usize = 4096;
/// Most instructions that are read before the code runs.
const MOST_INSTS: usize = 1 << 20;
/// Most entries. A wave that comes to ever more code that was not known before may run anything.
const MOST_ENTRIES: usize = 64;
/// Most bytes that are compared at once.
const PIECE: usize = 4096;

/// A range of guest memory in which code lies. Where a wave leaves it, it faults.
#[derive(Clone, Copy)]
pub struct Window<'a> {
    /// Generation of the code.
    pub arch: Arch,
    /// Guest address of the first byte, a multiple of 4.
    pub base: u64,
    /// Number of bytes.
    pub size: usize,
    /// Reads bytes of the range from a guest address on.
    pub load: &'a dyn Fn(u64, &mut [u8]),
}

impl Window<'_> {
    /// The program of what is reached from addresses in the window. The first one is where it is entered.
    pub(crate) fn program(&self, entries: &[u64]) -> Program {
        // The system zeroes this memory when it is first touched.
        let mut bytes = vec![0; self.size];
        let code = Reached { window: *self, pages: RefCell::default() };
        let parts = if entries.len() > MOST_ENTRIES { None } else { code.parts(entries) };
        let parts = match parts {
            Some(parts) => {
                parts.iter().for_each(|part| code.copy(4 * part.start, &mut bytes[4 * part.start..4 * part.end]));
                parts
            }
            None => {
                (self.load)(self.base, &mut bytes);
                iter::once(0..self.size / 4).collect()
            }
        };
        let entry = entries.first().map_or(0, |entry| entry.wrapping_sub(self.base));
        Program::new(self.arch, Arc::new(bytes), self.base, entry).with_known(parts.into())
    }

    /// Whether the memory holds what is known of a program.
    pub(crate) fn holds(&self, program: &Program) -> bool {
        let (mut piece, bytes) = ([0; PIECE], program.bytes());
        let mut pieces = program.parts().flat_map(|part| {
            let (start, end) = (4 * part.start, 4 * part.end);
            (start..end).step_by(PIECE).map(move |from| from..end.min(from + PIECE))
        });
        pieces.all(|part| {
            let piece = &mut piece[..part.len()];
            (self.load)(self.base.wrapping_add(part.start as u64), piece);
            *piece == bytes[part]
        })
    }
}

/// The pages of a window that were read.
struct Reached<'a> {
    window: Window<'a>,
    pages: RefCell<HashMap<usize, Box<[u8; PAGE]>>>,
}

impl Reached<'_> {
    /// Copies bytes from an offset in the window on.
    fn copy(&self, mut at: usize, mut bytes: &mut [u8]) {
        while !bytes.is_empty() {
            let (page, from) = (at / PAGE, at % PAGE);
            let (piece, rest) = bytes.split_at_mut((PAGE - from).min(bytes.len()));
            let mut pages = self.pages.borrow_mut();
            let known = pages.entry(page).or_insert_with(|| self.load(page));
            piece.copy_from_slice(&known[from..from + piece.len()]);
            (at, bytes) = (at + piece.len(), rest);
        }
    }

    fn load(&self, page: usize) -> Box<[u8; PAGE]> {
        let mut bytes = Box::new([0; PAGE]);
        let start = page * PAGE;
        let len = PAGE.min(self.window.size - start);
        (self.window.load)(self.window.base.wrapping_add(start as u64), &mut bytes[..len]);
        bytes
    }

    fn word(&self, number: usize) -> Option<u32> {
        let mut word = [0; 4];
        (number < self.limit()).then(|| self.copy(4 * number, &mut word))?;
        Some(u32::from_le_bytes(word))
    }

    /// The dwords of instructions that are reached, and of those that are none; `None` if they are too many.
    fn parts(&self, entries: &[u64]) -> Option<Vec<Range<usize>>> {
        let flow = Flow::from_entries(self, entries, Through::CALLS.and(Through::FORKS), MOST_INSTS);
        if flow.sites.len() >= MOST_INSTS {
            return None;
        }
        let sites = flow.sites.iter().map(|site| (site.number as usize, site.inst.size() as usize / 4));
        // The second dword may be why the first one is no instruction.
        let illegal = flow.illegal.iter().filter_map(|&address| Some((self.number_at(address)?, 2)));
        let mut dwords: Vec<_> = sites.chain(illegal).collect();
        dwords.sort_unstable();
        let mut parts: Vec<Range<usize>> = Vec::new();
        for (start, count) in dwords {
            let end = (start + count).min(self.limit());
            match parts.last_mut() {
                Some(last) if start <= last.end => last.end = last.end.max(end),
                _ => parts.push(start..end),
            }
        }
        Some(parts)
    }
}

impl gcnsim_flow::Code for Reached<'_> {
    fn limit(&self) -> usize {
        self.window.size / 4
    }

    fn number_at(&self, address: u64) -> Option<usize> {
        let number = address.wrapping_sub(self.window.base) / 4;
        (number < self.limit() as u64).then_some(number as usize)
    }

    fn read(&self, number: usize, address: u64) -> Option<(Inst, Option<u64>)> {
        let inst = decode(self.window.arch, self.word(number)?, self.word(number + 1)).ok()?;
        Some((inst, direct_target(&inst, address)))
    }
}
