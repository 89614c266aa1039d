//! Runs all shaders below some paths on all cores and prints the summary: `cargo run --example batch -- PATHS`.

use std::error::Error;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use gcnsim::batch::{self, Inputs, Options};

fn main() -> Result<(), Box<dyn Error>> {
    let mut paths: Vec<_> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    if paths.is_empty() {
        paths.push(PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/corpus/bench.bin")));
    }
    let inputs = Inputs::collect(&paths)?;
    let options = Options::default().max_insts(1_000_000);
    // The lines of results can go to any writer. Setting `stop` ends a batch early.
    let mut lines = Vec::new();
    let stop = Arc::new(AtomicBool::new(false));
    let finished = batch::run(&inputs, &options, None, &mut lines, &stop, &mut ())?;

    let summary = &finished.summary;
    println!("{} shaders, {} bytes of results", summary.entries, lines.len());
    for (outcome, count) in summary.outcomes() {
        println!("{count:>8} {}", outcome.name());
    }
    for group in summary.failures_by_group.by_count() {
        println!("{:>8} {}: {}", group.count.count, group.outcome.name(), group.reason);
    }
    Ok(())
}
