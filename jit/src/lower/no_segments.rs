//! Hosts for which there is no compiler of vector segments: every vector instruction is a call of a helper.

use super::{Lower, LowerOptions};
use crate::region::Plan;
use crate::special::Special;

/// The segments of a plan: none.
pub(crate) struct Segments;

/// A segment of a plan, for people: there is none.
pub(crate) enum ExplainedPlace {}

impl Segments {
    /// Makes no segments.
    pub fn of_plan(_plan: &Plan, _options: &LowerOptions, _specials: &[Special], _stored: u128) -> Segments {
        Segments
    }

    /// Lists no segments.
    pub fn explained(&self, _plan: &Plan) -> Vec<ExplainedPlace> {
        Vec::new()
    }

    /// The blocks that have a strip: none.
    pub fn strip_sizes(&self) -> std::collections::BTreeMap<usize, usize> {
        std::collections::BTreeMap::new()
    }

    /// Number of VGPRs that they need, which is 0.
    pub fn vgpr_count(&self) -> usize {
        0
    }

    /// Whether one of them reads LDS: none does.
    pub fn read_share(&self) -> bool {
        false
    }

    /// The site of a load: there is none.
    pub(super) fn own_site(&self, _block: usize, _index: usize) -> Option<u8> {
        None
    }

    /// The first site of their loads: there are none.
    pub fn first_site(&self) -> Option<u8> {
        None
    }

    /// Whether MODE matters to one of them: there is none.
    pub fn use_mode(&self) -> bool {
        false
    }
}

impl Lower<'_, '_> {
    /// No block has a strip.
    pub(super) fn strip(&mut self, _index: usize) {}

    /// No segment begins with an instruction.
    pub(super) fn segment(&mut self, _index: usize, _memory: &mut usize) -> Option<usize> {
        None
    }
}
