//! Cranelift engine of gcnsim: regions of GCN code compiled to host code.

pub mod kernels;
