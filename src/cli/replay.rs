//! The second run of a launch under observers: a trace, a state, counts, mistakes, coverage, all in one run.

use std::io::Write;

use super::dispatch::{Again, Request};
use super::output;
use super::trace::{Of, Tracer};
use super::watch::{WaveId, WaveWatch};
use gcnsim_engine::Observers;
use gcnsim_engine::state_file::StateSpec;
use gcnsim_launches::LaunchResult;
use gcnsim_launches::coverage::Hits;
use gcnsim_launches::lines::SourceLines;
use gcnsim_launches::profile::Counter;
use gcnsim_sanitize::Sanitizer;

/// What the observers of a launch saw. Each is `None` if nobody asked for it.
#[derive(Default)]
pub(super) struct Seen {
    /// The state of a wave at its end.
    pub state: Option<StateSpec>,
    pub counter: Option<Counter>,
    pub sanitizer: Option<Sanitizer>,
    pub hits: Option<Hits>,
}

/// Runs a launch again, if somebody wants to observe it. A wave is shown whatever the end of the launch was; the other
/// observers see launches without an error. `wants_hits` asks for the hits of the coverage.
///
/// # Errors
/// The launch has no such wave, or cannot be run again, or the trace cannot be written.
pub(super) fn replay(
    request: &Request,
    again: &Again,
    result: &LaunchResult,
    wants_hits: bool,
) -> anyhow::Result<Seen> {
    let is_whole = result.run.outcome.is_ok();
    let (launch, is_shown) = (again.launch(), again.is_shown());
    let checks = request.args.sanitize().filter(|_| is_shown && is_whole);
    let mut seen = Seen {
        state: None,
        counter: (is_shown && is_whole && request.args.profiles()).then(Counter::default),
        sanitizer: checks.map(|checks| Sanitizer::of_kernel(checks, again.object, launch.kernel.as_deref())),
        hits: (wants_hits && is_whole).then(Hits::default),
    };
    let mut out: Box<dyn Write> =
        if request.is_for_programs() { Box::new(output::stderr()) } else { Box::new(output::stdout()) };
    let mut wave = None;
    if is_shown && request.wants_wave() {
        let lines = || SourceLines::of(&again.object.bytes);
        wave = Some(WaveWatch {
            id: wave_id(request, again, result)?,
            tracer: request.trace.map(|limit| Tracer::new(&mut *out, limit, Of::Launch(lines()))),
            state: None,
            wants_memory: request.dump_state.is_some(),
        });
    }
    let mut observers = Observers::none();
    wave.iter_mut().for_each(|watch| observers.add(watch));
    seen.counter.iter_mut().for_each(|counter| observers.add(counter));
    seen.sanitizer.iter_mut().for_each(|sanitizer| observers.add(sanitizer));
    seen.hits.iter_mut().for_each(|hits| observers.add(hits));
    if observers.is_empty() {
        return Ok(seen);
    }
    again.launcher.again(&mut observers)?;
    let Some(WaveWatch { tracer, state, .. }) = wave else { return Ok(seen) };
    if let Some(error) = tracer.and_then(|tracer| tracer.error) {
        return Err(error.into());
    }
    out.flush()?;
    Ok(Seen { state, ..seen })
}

/// Returns the wave to show: the one that the user chose, or the one that stopped, or the first one.
fn wave_id(request: &Request, again: &Again, result: &LaunchResult) -> anyhow::Result<WaveId> {
    let stopped = result.run.stopped.as_ref().map(|stopped| WaveId { group: stopped.group, index: stopped.index });
    let chosen = request.args.wave();
    let id = chosen.or(stopped).unwrap_or_default();
    id.check(&again.launch().geometry)?;
    if chosen.is_none() && stopped.is_none() {
        output::note("no wave stopped: this is the first one (--wave chooses another)");
    }
    Ok(id)
}
