//! The progress bar of a batch.

use std::fmt;
use std::io::{self, IsTerminal};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use gcnsim_batch::{self as batch, Observer, Options, Progress};
use gcnsim_engine::report::grouped;
use gcnsim_inputs::Inputs;

/// The progress bar, which is shown only on a terminal.
pub(in crate::cli) struct Bar {
    bar: Option<ProgressBar>,
}

impl Bar {
    pub fn new(inputs: &Inputs, options: &Options) -> Bar {
        Bar::of(batch::files_to_do(inputs, options), "shaders/s")
    }

    /// Returns a bar for `files` files; `unit` is the unit of the speed.
    pub fn of(files: u64, unit: &'static str) -> Bar {
        if !io::stderr().is_terminal() {
            return Bar { bar: None };
        }
        let bar = ProgressBar::with_draw_target(Some(files), ProgressDrawTarget::stderr_with_hz(10));
        let template = "{wide_bar} {human_pos}/{human_len} {speed} {msg} {eta} left";
        let speed = move |state: &ProgressState, out: &mut dyn fmt::Write| {
            // A failure to write only means that the speed is not shown.
            let _ = out.write_fmt(format_args!("{} {unit}", grouped(state.per_sec() as u64)));
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.with_key("speed", speed));
        }
        Bar { bar: Some(bar) }
    }

    pub fn close(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

impl Bar {
    /// Sets the number of files, if more are known by now.
    pub fn set_length(&self, files: u64) {
        if let Some(bar) = &self.bar {
            bar.set_length(files);
        }
    }

    /// Shows that `done` files are done, with `message` after them.
    pub fn show(&self, done: u64, message: impl FnOnce() -> String) {
        if let Some(bar) = &self.bar {
            bar.set_position(done);
            bar.set_message(message());
        }
    }
}

impl Observer for Bar {
    fn progress(&mut self, progress: Progress) {
        self.show(progress.done, || format!("{} failed,", grouped(progress.failed)));
    }
}
