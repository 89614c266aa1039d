//! The code that a dispatch may have reached.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use gcnsim_device::Dispatch;
use gcnsim_engine::Code;
use gcnsim_flow::{Flow, Through};
use gcnsim_machine::{Access, canonical};

use crate::About;
use crate::kernel::Objects;

/// Most bytes behind the last instruction that are recorded, too: what is no instruction lies there.
const BEHIND: u64 = 16;
/// Most bytes of code that are recorded as a whole.
const MOST_WHOLE: usize = 64 << 20;
/// Number of kernels whose code is remembered.
const MOST_KNOWN: usize = 256;

/// Code that a dispatch may have reached.
#[derive(Clone, Debug)]
pub struct Reached {
    /// Guest address of the first byte.
    pub base: u64,
    /// The bytes.
    pub bytes: Vec<u8>,
}

impl Reached {
    /// Returns its addresses.
    pub fn range(&self) -> Range<u64> {
        self.base..self.base + self.bytes.len() as u64
    }

    /// Returns all code of the mapping that has it, if this is not all and not too much.
    pub fn whole(&self, dispatch: &Dispatch) -> Option<Reached> {
        let program = dispatch.code.program();
        let is_more = program.bytes().len() > self.bytes.len() && program.bytes().len() <= MOST_WHOLE;
        is_more.then(|| part(dispatch, &(0..program.bytes().len())))
    }
}

/// Parts of programs that were found before.
#[derive(Default, Debug)]
pub struct Codes(Mutex<Vec<(Code, Range<usize>)>>);

impl Codes {
    /// Returns the code that a dispatch may reach: from the first to the last instruction that jumps and calls lead to,
    /// where all targets are known, and else the segment of the code object.
    pub fn reached(&self, dispatch: &Dispatch, about: &About<'_>, objects: &Objects) -> Reached {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let found = known.iter().find(|(code, _)| code.is_same(&dispatch.code)).map(|(_, range)| range.clone());
        let range = found.unwrap_or_else(|| {
            let range = range(&dispatch.code, about, objects);
            if known.len() >= MOST_KNOWN {
                known.remove(0);
            }
            known.push((dispatch.code.clone(), range.clone()));
            range
        });
        part(dispatch, &range)
    }
}

/// A part of the program, from the memory where it lies: not all of it may be known.
fn part(dispatch: &Dispatch, range: &Range<usize>) -> Reached {
    let program = dispatch.code.program();
    let base = canonical(program.base() + range.start as u64);
    let mut bytes = program.bytes()[range.clone()].to_vec();
    if let Some((mapping, at)) = dispatch.space().find(base, bytes.len() as u64, Access::Load) {
        mapping.backing.read_into(at, &mut bytes);
    }
    Reached { base, bytes }
}

/// Returns the part of a program that may be reached.
fn range(code: &Code, about: &About<'_>, objects: &Objects) -> Range<usize> {
    let program = code.program();
    let (base, len) = (program.base(), program.bytes().len() as u64);
    let flow = Flow::of(program, Through::CALLS, usize::MAX);
    let entry = program.entry().wrapping_sub(base).min(len);
    let ends = flow.sites.first().zip(flow.sites.last());
    let (start, end) = ends.map_or((entry, entry), |(first, last)| {
        ((first.address - base).min(entry), last.next().wrapping_sub(base).max(entry))
    });
    let (mut start, mut end) = (start, end.saturating_add(BEHIND).min(len));
    if !flow.is_complete() {
        let segment = objects.segment(about, program.entry()).map(|(address, size)| {
            let from = address.saturating_sub(base).min(len);
            (from, address.saturating_add(size).saturating_sub(base).min(len))
        });
        let (from, to) = segment.unwrap_or((0, len));
        (start, end) = (start.min(from), end.max(to));
    }
    start as usize & !3..end as usize
}
