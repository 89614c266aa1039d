//! Vector segments.
pub mod encode;
pub mod ops;
