//! Float arithmetic of the vector ALU.
