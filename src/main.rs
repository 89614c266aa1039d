//! The `gcnsim` command.

fn main() {}
