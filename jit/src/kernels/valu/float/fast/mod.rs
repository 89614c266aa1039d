//! Whole registers at once.
