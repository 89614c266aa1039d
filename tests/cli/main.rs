//! The command line: options, messages, exit codes, and the documents about them.
#![cfg(all(feature = "cli", feature = "jit"))]

#[path = "../common/mod.rs"]
mod common;
#[path = "../schema_support/mod.rs"]
mod schema_support;

mod bad_input;
mod diff;
mod disasm;
mod docs;
mod explain;
mod face;
mod fuzz;
mod gpu_loader;
mod help;
mod lint;
mod long_run;
mod manifests;
mod pipes;
mod readme;
mod run;
mod scan;
mod schema;
mod synthetic;
mod tools;
