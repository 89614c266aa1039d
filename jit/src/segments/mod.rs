//! Vector segments: straight-line lists of lane-wise instructions as one piece of host code, with VGPRs in vector
//! registers.
//!
//! A lane-wise instruction computes each lane of its results from the same lane of its operands. So a list of them can
//! be executed for 16 lanes (a *chunk*) from its first to its last instruction, then for the next 16. Within a chunk
//! a VGPR is a 512-bit register, a lane mask is a mask register, and a result that a later instruction overwrites is
//! never stored. The code is there once and runs four times.
//!
//! A function of many operations (2^x) is a routine (`routine.rs`) that segments call for each chunk.
//!
//! This is so with AVX-512. With AVX2 a chunk has eight lanes, a VGPR is a 256-bit register, and a lane mask is one,
//! too (`narrow.rs`). The code runs eight times. It is there twice: for waves all of whose lanes are active, whose
//! VGPRs are stored without a mask, and for others.
//!
//! ```text
//! insts -> lower/ -> List -> plan.rs -> Steps -> allocate.rs -> bytes -> memory.rs -> Segment
//!          nodes     values  stores,    next     registers,     encode.rs
//!                    narrow  tests      uses     code           ops.rs
//! ```
//!
//! # Active lanes
//!
//! Arithmetic is done in all lanes. What lanes outside EXEC compute is thrown away: stores of VGPRs are masked with
//! EXEC, and lane masks that are results have no bit outside it. No instruction of a segment writes EXEC.
//!
//! # LDS
//!
//! A read of LDS is lane-wise, too: no instruction of a segment writes there. Lanes out of range, and elements that are
//! aligned oddly, fail a test (see [Floats](#floats)), and helpers read them.
//!
//! # VGPRs with computed numbers
//!
//! Where the caller knows what VSKIP and GPR-index mode are, a segment may move lanes from or to a VGPR whose number is
//! computed (`lower/moves.rs`). The caller gives the distance of that register from VGPR 0. If it is one that the
//! segment keeps elsewhere, helpers execute the whole segment.
//!
//! # Guest memory
//!
//! A segment may load guest memory, if its caller gives it [sites](Segment::sites). Such a segment probes the addresses
//! of all loads before its first chunk, and declines if memory might refuse one (`lower/loads.rs`).
//!
//! # Floats
//!
//! A segment is compiled for one value of MODE, and sets MXCSR to what its float instructions want. The host does what
//! the notes say of numbers; with NaNs, and where a note depends on operands, it may not. The code tests for that, a
//! whole chunk at once: VGPRs that the segment reads before it writes them are stored when all active lanes have
//! passed. A chunk that fails has changed none of these, and is executed by [helpers](gcnsim_helpers), instruction by
//! instruction. Bits and notes are theirs, then.
//!
//! # Contract
//!
//! The caller (the lowering of a block) collects instructions for which [`is_lane_wise`] holds and makes [`Draft`]s of
//! them; a draft says how many it took. [`Segment::seal`] puts all drafts of a region into memory. To execute a
//! segment:
//!
//! 1. Execute the scalar instructions between the others. Where an operand of [`Segment::inputs`] is read first, store
//!    it to its slot of [`SegmentFrame::sgpr`]. EXEC is always one.
//!    Likewise the distances of [`Segment::moves`], and 1 or 0 in [`Segment::conflict_slot`].
//! 2. Call [`Segment::function`] with VGPR 0 and the frame, by the System V convention. If it reads LDS, the frame
//!    [reaches](SegmentFrame::reach) it. If it has sites, the region has [claimed](SegmentFrame::claim) them, and the
//!    result says whether it has declined: then nothing has changed.
//! 3. Load the pairs of [`Segment::writes`] from [`SegmentFrame::masks`]: every bit is defined.
//! 4. Add [`SegmentFrame::notes`] to the wave's, some time later. They are never cleared here. Notes that the words of
//!    instructions decide are the caller's.
//!
//! The caller counts instructions, and sees to it that the wave has the VGPRs that are named, that VSKIP is off, that
//! GPR-index mode is as it said when it made the draft (off, if it said nothing) and, if the segment [uses
//! MODE](Segment::uses_mode), that it is the one it was compiled for. MXCSR must be Rust's default at the call, and is
//! again after it. A segment does not leave by another way, does not fault, and touches nothing but the frame and
//! VGPRs; it may read LDS and what its sites have of guest memory.
//!
//! ```
//! # use gcnsim_isa::{Arch, Vgpr, decode};
//! # use gcnsim_jit::segments::{Features, Options, Segment, SegmentFrame};
//! // v_add_u32 v1, s4, v0; v_xor_b32 v1, 15, v1
//! let words = [0x6802_0004, 0x2a02_028f];
//! let insts = words.map(|word| decode(Arch::Gcn14, word, None).unwrap());
//! let Some(features) = Features::detect() else { return };
//! let segment = Segment::compile(&insts, &Options { features, mode: None }).unwrap();
//! assert_eq!(segment.inputs().iter().map(|input| input.slot).collect::<Vec<_>>(), [4, 126, 127]);
//!
//! let (mut vgprs, mut frame) = ([Vgpr([5; 64]); 2], SegmentFrame::default());
//! (frame.sgpr[4], frame.sgpr[126]) = (100, 1);
//! // SAFETY: there are two VGPRs, and nobody else uses them.
//! unsafe { (segment.function())(vgprs.as_mut_ptr(), &mut frame) };
//! assert_eq!(vgprs[1].0[..2], [105 ^ 15, 5]);
//! ```

mod allocate;
mod encode;
mod fallback;
mod list;
mod lower;
mod memory;
mod narrow;
mod ops;
mod plan;
mod routine;
mod segment;
mod trace;

pub use encode::Width;
pub use gcnsim_helpers::segment_frame::{Input, SegmentFrame};
pub use lower::Moved;
pub use memory::SegmentFn;
pub use segment::{Draft, Features, MODE_BITS, Options, Segment, is_lane_wise, may_stand_between};
pub(crate) use segment::{Ending, Rounds};
pub(crate) use trace::{Explained, pair_name};
