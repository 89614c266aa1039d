//! Compares floats with exact rational arithmetic, with the tables of docs/gcn/valu-float.md and with quadruple
//! precision, and whole registers with single lanes.

mod agree;
mod exact;
mod hard;
mod special;
mod tables;

use gcnsim_isa::Arch;

use super::Fp;
use crate::vector::lane::{Lane, LaneNotes};

/// Result and notes of a function in one lane.
fn run<R>(fp: &Fp, function: impl FnOnce(&mut Lane<'_>) -> R) -> (R, LaneNotes) {
    let mut lane = Lane { fp, clamp: false, notes: LaneNotes::NONE };
    let result = function(&mut lane);
    (result, lane.notes)
}

/// MODE of HSA kernels on GCN 1.4: IEEE, DX10_CLAMP, all denormals kept, round to nearest even.
const HSA: u32 = 0x3f0;
/// MODE bit: IEEE.
const IEEE: u32 = 1 << 9;

fn gcn14(mode: u32) -> Fp {
    Fp::new(mode, Arch::Gcn14)
}
