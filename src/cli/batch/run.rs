//! Runs a batch into its result file, from the start or from where an earlier run stopped.

use std::fs::{self, File};
use std::io::{self, Seek, SeekFrom, Write};

use anyhow::{Context, bail};

use super::super::result_file::{NewFile, ResultFile, is_filled};
use super::super::{args, live, output};
use super::bar::Bar;
use gcnsim_batch::{self as batch, Finished, Ledger, Options, Out, Summary};
use gcnsim_engine::report::grouped;
use gcnsim_inputs::Inputs;

/// Prepares `options` for the results that an earlier run left. Returns the summary of their lines, and whether nothing
/// is left to do.
pub(super) fn resume(
    target: &ResultFile,
    inputs: &Inputs,
    options: &mut Options,
    ledger: Option<&Ledger>,
) -> anyhow::Result<(Summary, bool)> {
    if target.is_stream() {
        bail!("cannot go on with {}: is no regular file", args::quoted(&target.path));
    }
    target.check_part()?;
    let has_part = is_filled(&target.part);
    let source = if has_part { &target.part } else { &target.path };
    let cannot = || format!("cannot go on with {}", args::quoted(source));
    let kept = batch::resume::plan(source, inputs, options).with_context(cannot)?;
    let (summary, digest) = batch::resume::summarize(source, &kept, ledger, options.failures).with_context(cannot)?;
    if kept.is_complete {
        if has_part {
            target.finish().with_context(|| format!("cannot write {}", args::quoted(&target.path)))?;
        }
        output::note(format_args!("{} is complete: there is nothing to do", args::quoted(&target.path)));
        return Ok((summary, true));
    }
    if !has_part && target.path.exists() {
        fs::rename(&target.path, &target.part).with_context(cannot)?;
    }
    match kept.samples.len() {
        passes if passes > 1 || passes == 1 && kept.start == inputs.len() => {
            output::note(format_args!("{passes} of {} passes are there already", options.repeat));
        }
        _ => output::note(format_args!("{} results are there already", grouped(kept.lines))),
    }
    (options.start, options.kept_digest, options.kept_samples) = (kept.start, digest, kept.samples);
    options.kept_bytes = kept.bytes;
    Ok((summary, false))
}

/// Runs the rest of the batch. When the results are complete, gives them their final name.
pub(super) fn run(
    inputs: &Inputs,
    options: &Options,
    ledger: Option<&Ledger>,
    target: Option<&ResultFile>,
) -> anyhow::Result<Finished> {
    let mut out: Box<dyn Out> = match target {
        None => Box::new(io::stdout()),
        Some(target) => Box::new(PassFiles {
            // The file is opened here, so that an error comes before the warm-up passes.
            file: target.open()?,
            next: None,
            target,
            kept_bytes: options.kept_bytes,
        }),
    };
    // The flag of the first Ctrl-C. A second one ends the process, and the results can be resumed then, too.
    let stop = live::stop_on_signal("Ctrl-C will end the batch at once");
    let mut bar = Bar::new(inputs, options);
    let finished = batch::run(inputs, options, ledger, &mut *out, &stop, &mut bar);
    bar.close();
    let finished = finished?;
    if let (Some(target), false) = (target, finished.interrupted) {
        target.finish().with_context(|| format!("cannot write {}", args::quoted(&target.path)))?;
    }
    Ok(finished)
}

/// The files for the lines of a batch. Lines of the first pass are appended to `FILE.part`. Lines of a later pass have
/// more samples: they go to another file, which replaces `FILE.part` when the pass is complete.
struct PassFiles<'a> {
    target: &'a ResultFile,
    /// The file of the first pass, then that of the last complete one. It is locked.
    file: File,
    /// The file of a later pass. A pass that is stopped leaves nothing of it.
    next: Option<NewFile>,
    /// Length of the results of an earlier run that the first pass keeps, in bytes.
    kept_bytes: u64,
}

impl Out for PassFiles<'_> {
    fn begin_pass(&mut self, number: u32, is_last: bool) -> io::Result<Option<&mut (dyn Write + Send)>> {
        if self.target.is_stream() {
            return Ok(is_last.then_some(&mut self.file));
        }
        if number == 1 {
            self.file.set_len(self.kept_bytes)?;
            self.file.seek(SeekFrom::End(0))?;
            return Ok(Some(&mut self.file));
        }
        Ok(Some(self.next.insert(NewFile::growing(&self.target.part)?).file()))
    }

    fn end_pass(&mut self) -> io::Result<()> {
        let Some(mut next) = self.next.take() else { return Ok(()) };
        // `FILE.part` stays locked. Some file systems do not support locks.
        let _ = next.file().try_lock();
        self.file = next.file().try_clone()?;
        next.replace()
    }
}

/// Returns in words where the results of a stopped batch are.
pub(super) fn what_is_left(target: Option<&ResultFile>, options: &Options, finished: &Finished) -> String {
    let part = target.filter(|target| !target.is_stream()).map(|target| args::quoted(&target.part));
    match (part, options.repeat, finished.passes) {
        (None, 1, _) => "the lines until here are whole; a batch with --out FILE can be gone on with".into(),
        (None, ..) => "nothing is written, as lines come with the last pass; with --out FILE they can be kept".into(),
        // A batch with --sanitize cannot be resumed.
        (Some(part), 1, _) if options.sanitize.is_some() => format!("the results so far are in {part}"),
        (Some(part), 1, _) => format!("the results so far are in {part}; --resume goes on"),
        (Some(_), _, 0) if finished.summary.entries == 0 && options.start == 0 => {
            "nothing was measured yet, so that nothing is kept".into()
        }
        (Some(part), _, 0) => format!("what the first pass measured is in {part}; --resume goes on"),
        (Some(part), passes, n) => format!("{n} of {passes} passes are in {part}; --resume goes on with the next"),
    }
}
