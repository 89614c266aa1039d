//! The frame: what compiled code, helpers and their callers share besides the state of the wave.

use gcnsim_isa::{Kind, LANES, Notes, Vgpr};
use gcnsim_machine::{Context, Observed};

use crate::memory::{ImageCache, Scalars, Walks};
#[cfg(target_arch = "x86_64")]
use crate::segment_frame::SegmentFrame;
use crate::valu::Control;

/// Operands, results and fuel, which compiled code shares with its callers and with helpers. The fields that are read
/// say `In`, those that are written `Out`.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct Frame {
    /// Scratch lanes: operands and results of vector helpers that need steps before or after.
    pub scratch: [Vgpr; 3],
    /// Up to four VGPRs for results that the instruction set drops.
    pub dropped_lanes: [u32; 256],
    /// Scalar operands of vector instructions.
    pub scalars: [[u64; 2]; 3],
    /// In: modifiers and masks of vector instructions for their helpers. Out: notes.
    pub control: Control,
    /// Scalar operands and results of vector segments. Out: notes.
    #[cfg(target_arch = "x86_64")]
    pub segment: SegmentFrame,
    /// Scalar operands and results of memory instructions.
    pub memory: Scalars,
    /// In: guest memory and LDS, for [memory instructions](crate::memory); set while a region runs.
    pub context: *mut Context,
    /// In: exports and messages of the wave; set while a region runs.
    pub observed: *mut Observed,
    /// In: number of the wave's VGPRs.
    pub vgpr_count: u64,
    /// In: instructions that may execute. Out: those left over.
    pub fuel: u64,
    /// In: instructions that the wave will have completed when the fuel is used up.
    pub clock_end: u64,
    /// Out: numbers of executed instructions of the region's counted classes, 16 bits each from bit 0 of the first word
    /// on. They are valid if fuel was at most [`MAX_CLASS_FUEL`].
    pub classes: [u64; CLASS_WORDS],
    /// Out: address of the last executed instruction, but for exits by `ExitCode::Fuel`.
    pub last_pc: u64,
    /// The target of writes that the instruction set drops.
    pub dropped: u64,
    /// In: number of the entry at which the region is entered.
    pub entry: u32,
    /// Images that helpers have met.
    pub images: ImageCache,
    /// Places that loads of this thread reached last.
    pub walks: Walks,
}

// SAFETY: `context` and `observed` are null while no region runs; whatever else it has is plain data.
#[allow(unsafe_code)]
unsafe impl Send for Frame {}

/// The class of all instructions that no counter of [`Frame::classes`] counts.
pub const UNCOUNTED_CLASS: Kind = Kind::Salu;

/// Number of words of [`Frame::classes`], for all classes but one.
pub const CLASS_WORDS: usize = 3;

/// Number of classes in a word of [`Frame::classes`].
pub const CLASSES_IN_WORD: usize = 4;

const _: () = assert!(Kind::ALL.len() - 1 <= CLASS_WORDS * CLASSES_IN_WORD);

/// Largest fuel with which the counters of [`Frame::classes`] cannot overflow.
pub const MAX_CLASS_FUEL: u64 = 0xffff;

impl Frame {
    /// Takes the notes that vector instructions have left.
    #[inline]
    pub fn take_notes(&mut self) -> Notes {
        let helpers = Notes::of_low_words(std::mem::take(&mut self.control.notes));
        #[cfg(target_arch = "x86_64")]
        let helpers = helpers.or(Notes::of_low_words(std::mem::take(&mut self.segment.notes)));
        helpers
    }

    /// The counter of a class that the region counts, by the number of the class among those.
    #[inline]
    pub fn class(&self, number: usize) -> u64 {
        self.classes[number / CLASSES_IN_WORD] >> (16 * (number % CLASSES_IN_WORD)) & 0xffff
    }
}

impl Default for Frame {
    fn default() -> Frame {
        Frame {
            scratch: [Vgpr([0; LANES]); 3],
            dropped_lanes: [0; 256],
            scalars: [[0; 2]; 3],
            control: Control::default(),
            #[cfg(target_arch = "x86_64")]
            segment: SegmentFrame::default(),
            memory: Scalars::default(),
            context: std::ptr::null_mut(),
            observed: std::ptr::null_mut(),
            vgpr_count: 0,
            fuel: 0,
            clock_end: 0,
            classes: [0; CLASS_WORDS],
            last_pc: 0,
            dropped: 0,
            entry: 0,
            images: ImageCache::default(),
            walks: Walks::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_lie_one_after_the_other() {
        let frame = Frame {
            classes: [0x0004_0003_0002_0001, 0xffff_0000_0000_0005, 0x0000_000b_000a_0009],
            ..Frame::default()
        };
        let counts: Vec<u64> = (0..11).map(|number| frame.class(number)).collect();
        assert_eq!(counts, [1, 2, 3, 4, 5, 0, 0, 0xffff, 9, 10, 11]);
    }
}
