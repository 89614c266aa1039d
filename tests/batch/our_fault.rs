//! Failures of the simulator: the line says so, and the rest goes on.

use crate::batch_support;

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use batch_support::*;
use gcnsim::{EngineKind, RunOptions};
use gcnsim_batch::{self as batch, EntryOutcome, Observer, Options, Progress};
use gcnsim_inputs::Inputs;
use gcnsim_isa::{Opcode, table::Sop2};

#[test]
fn a_divergence_is_a_line() {
    let corpus = Corpus::new();
    corpus.shader("d/a.bin", &constant(1));
    // The loop becomes hot and is compiled with the planted mistake.
    corpus.shader("d/b.bin", &countdown(50_000));
    corpus.shader("d/c.bin", &constant(3));
    let inputs = Inputs::collect(&[corpus.path("d")]).unwrap();
    let plant = Some(Opcode::Sop2(Sop2::SSubU32));
    let run = RunOptions::default().engine(EngineKind::Check).plant(plant);
    let options = Options::default().run(run).jobs(2);
    let mut out = Vec::new();
    let stop = Arc::new(AtomicBool::new(false));
    let finished = batch::run(&inputs, &options, None, &mut out, &stop, &mut ()).unwrap();
    let lines = parse(&text(&out));
    assert_eq!(strings(&lines, "outcome"), ["ended", "divergence", "ended"]);
    let detail = &lines[1]["detail"];
    assert_eq!((&detail["kind"], &detail["mnemonic"]), (&"divergence".into(), &"s_sub_u32".into()));
    assert!(detail["report"].as_str().unwrap().contains("rerun:\nsave as state.json: {"), "{detail}");
    let summary = finished.summary;
    assert_eq!((summary.our_faults(), summary.outcome(EntryOutcome::Ended)), (1, 2));
}

/// Returns a flag that becomes true after some milliseconds, and the thread that sets it.
fn stop_after(milliseconds: u64) -> (Arc<AtomicBool>, JoinHandle<()>) {
    let stop = Arc::new(AtomicBool::new(false));
    let setter = stop.clone();
    let waiter = thread::spawn(move || {
        thread::sleep(Duration::from_millis(milliseconds));
        setter.store(true, Ordering::Relaxed);
    });
    (stop, waiter)
}

/// A shader that is stopped while it runs has the outcome `interrupted`, and the results up to it are complete.
#[test]
fn a_stopped_shader_is_interrupted() {
    let corpus = Corpus::new();
    corpus.shader("d/a.bin", &constant(1));
    corpus.shader("d/b.bin", &[FOREVER]);
    let inputs = Inputs::collect(&[corpus.path("d")]).unwrap();
    let options = Options::default().max_insts(u64::MAX / 2).jobs(1);
    let (stop, waiter) = stop_after(300);
    let mut out = Vec::new();
    let finished = batch::run(&inputs, &options, None, &mut out, &stop, &mut ()).unwrap();
    waiter.join().unwrap();
    assert_eq!(strings(&parse(&text(&out)), "outcome"), ["ended", "interrupted"]);
    assert!(finished.interrupted);
}

/// A writer that fails like a full disk, after `room` bytes.
struct Full {
    room: usize,
    failed: u32,
}

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.room.checked_sub(bytes.len()) {
            Some(room) => self.room = room,
            None => {
                self.failed += 1;
                return Err(io::ErrorKind::StorageFull.into());
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// If results cannot be written, the batch ends with the reason on any number of threads, and nothing more is written.
#[test]
fn results_that_cannot_be_written_end_the_batch() {
    let corpus = Corpus::new();
    for i in 0..2000 {
        corpus.shader(&format!("d/{i}.bin"), &constant(i));
    }
    let inputs = Inputs::collect(&[corpus.path("d")]).unwrap();
    for (jobs, room) in [(1, 0), (1, 200_000), (4, 0), (4, 200_000), (4, 600_000)] {
        let options = Options::default().jobs(jobs);
        let mut out = Full { room, failed: 0 };
        let result = batch::run(&inputs, &options, None, &mut out, &Arc::new(AtomicBool::new(false)), &mut ());
        assert_eq!(result.unwrap_err().to_string(), "cannot write results", "{jobs} {room}");
        assert_eq!(out.failed, 1, "{jobs} {room}");
    }
}

/// Records progress.
#[derive(Default)]
struct Heard(Vec<Progress>);

impl Observer for Heard {
    fn progress(&mut self, progress: Progress) {
        self.0.push(progress);
    }
}

/// While a slow shader runs, the progress of finished shaders is reported.
#[test]
fn progress_is_told_while_shaders_run() {
    let corpus = Corpus::new();
    corpus.shader("d/a.bin", &constant(1));
    corpus.shader("d/b.bin", &[FOREVER]);
    let inputs = Inputs::collect(&[corpus.path("d")]).unwrap();
    for jobs in [1, 3] {
        let options = Options::default().max_insts(u64::MAX / 2).jobs(jobs);
        let (stop, waiter) = stop_after(700);
        let (mut out, mut heard) = (Vec::new(), Heard::default());
        batch::run(&inputs, &options, None, &mut out, &stop, &mut heard).unwrap();
        waiter.join().unwrap();
        let (last, before) = heard.0.split_last().unwrap();
        assert_eq!(*last, Progress { done: 2, failed: 1 });
        let early = before.iter().filter(|progress| **progress == Progress { done: 1, failed: 0 }).count();
        assert!(early >= 2, "{jobs} jobs: {before:?}");
    }
}
