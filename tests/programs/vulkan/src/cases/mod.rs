//! The cases.

mod atomics;
mod commands;
mod control;
mod floats;
mod images;
mod integers;
mod memory;
mod sampling;
mod subgroups;

use crate::gpu::Gpu;
use crate::outcome::Done;

/// A name, and what runs.
pub(crate) type Case = (&'static str, fn(&Gpu) -> Done);

/// Returns all cases.
pub(crate) fn all() -> impl Iterator<Item = Case> {
    [
        integers::CASES,
        floats::CASES,
        memory::CASES,
        atomics::CASES,
        control::CASES,
        subgroups::CASES,
        commands::CASES,
        images::CASES,
        sampling::CASES,
    ]
    .into_iter()
    .flatten()
    .copied()
}

/// Returns pairs of dwords, edges among them.
fn pairs(seed: u64, count: usize) -> Vec<[u32; 2]> {
    const EDGES: [u32; 10] = [0, 1, 2, 31, 32, 0x7fff_ffff, 0x8000_0000, 0x8000_0001, 0xffff_fffe, u32::MAX];
    let mut random = gcnsim_random::Rng::new(seed);
    let edges = EDGES.iter().flat_map(|&a| EDGES.iter().map(move |&b| [a, b]));
    let mut all: Vec<_> = edges.collect();
    all.resize_with(count.max(all.len()), || [random.bits(), random.bits()]);
    all
}
