//! Long runs: Ctrl-C ends them with a report, and a line on the terminal shows their progress.

use std::io::{self, IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use super::{Exit, output};
use gcnsim_engine::report::grouped;

/// Returns a flag that the first Ctrl-C (or SIGTERM) sets. The second one ends the process at once. `without` is the
/// text of the note that is printed if the signal cannot be caught.
pub(super) fn stop_on_signal(without: &str) -> Arc<AtomicBool> {
    let stop = Arc::new(AtomicBool::new(false));
    let seen = stop.clone();
    let handler = move || {
        if seen.swap(true, Ordering::Relaxed) {
            std::process::exit(Exit::Negative.code().into());
        }
    };
    if let Err(error) = ctrlc::set_handler(handler) {
        output::note(format_args!("{without}: {error}"));
    }
    stop
}

/// Time before the first progress line of a run.
const QUIET: Duration = Duration::from_millis(500);
/// Time between two updates of the progress line.
const TICK: Duration = Duration::from_millis(250);

/// Calls `run` with a counter of instructions that `run` keeps up to date. Meanwhile the last line of the terminal at
/// stderr shows the counter. If stderr is no terminal, there is neither line nor counter.
pub(super) fn with_progress<R>(max: Option<u64>, run: impl FnOnce(Option<Arc<AtomicU64>>) -> R) -> R {
    if !io::stderr().is_terminal() {
        return run(None);
    }
    let counter = Arc::new(AtomicU64::new(0));
    thread::scope(|scope| {
        // `running` is dropped when the run is over, even by a panic.
        let (running, over) = mpsc::channel::<()>();
        let shown = counter.clone();
        scope.spawn(move || show(&shown, max, &over));
        let result = run(Some(counter));
        drop(running);
        result
    })
}

/// Shows the counter until the run is over.
fn show(counter: &AtomicU64, max: Option<u64>, over: &mpsc::Receiver<()>) {
    let start = Instant::now();
    let (mut wait, mut shown) = (QUIET, false);
    let mut last = (start, counter.load(Ordering::Relaxed));
    while over.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
        let now = (Instant::now(), counter.load(Ordering::Relaxed));
        let text = line(start.elapsed(), now.1, max, now.1.saturating_sub(last.1), now.0 - last.0);
        // An error means that the terminal is gone. Then no line is needed.
        let _ = write!(io::stderr().lock(), "\r{text}\x1b[K");
        (wait, shown, last) = (TICK, true, now);
    }
    if shown {
        let _ = write!(io::stderr().lock(), "\r\x1b[K");
    }
}

/// Makes the progress line. Of `instructions`, out of `max`, `lately` were executed in the last interval, `time`.
fn line(elapsed: Duration, instructions: u64, max: Option<u64>, lately: u64, time: Duration) -> String {
    let of_max = max.map_or(String::new(), |max| format!(" of {}", grouped(max)));
    let speed = lately as f64 / time.as_secs_f64().max(1e-3) / 1e6;
    format!("{:.0} s: {} instructions{of_max} ({speed:.0} M/s)", elapsed.as_secs_f64(), grouped(instructions))
}
