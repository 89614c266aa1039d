//! Vector instructions: the machinery around the functions of single lanes.

pub(super) mod lane;
