//! Finds the last writer of a byte of a buffer: it runs a launch again in the interpreter and records writes.
//!
//! The first run counts the slices (stretches of a wave's instructions) that write the byte. The second run undoes the
//! last of these slices and repeats it instruction by instruction. The last instruction that writes the byte is
//! repeated lane by lane.

use gcnsim_isa::reg;
use gcnsim_machine::{Context, Journal, Place};

use gcnsim_device::run::{Watch, WaveAt};
pub use gcnsim_engine::report::{Hex, Writer};
use gcnsim_interp::Interp;
use gcnsim_machine::Wave;
use gcnsim_machine::outcome::Outcome;

/// Most instructions of a slice.
const SLICE: u64 = 4096;

/// Watches a launch for writes of one byte. It takes two runs of the same launch.
#[derive(Debug)]
pub struct WriterSearch {
    buffer: String,
    at: u64,
    /// Number of slices so far that write the byte.
    seen: u64,
    /// Number of the slice that the second run searches; `None` in the first run.
    wanted: Option<u64>,
    found: Option<Writer>,
}

impl WriterSearch {
    /// Returns a search for the last writer of byte `at` of a buffer.
    pub fn new(buffer: &str, at: u64) -> WriterSearch {
        WriterSearch { buffer: buffer.to_owned(), at, seen: 0, wanted: None, found: None }
    }

    /// Ends the first run. Returns whether a second run can find a writer.
    pub fn again(&mut self) -> bool {
        self.wanted = Some(std::mem::take(&mut self.seen));
        self.wanted != Some(0)
    }

    /// Returns the writer, after the second run.
    pub fn into_found(self) -> Option<Writer> {
        self.found
    }
}

impl Watch for WriterSearch {
    fn run(
        &mut self,
        at: WaveAt<'_>,
        wave: &mut Wave,
        context: &mut Context,
        max: u64,
        interp: &mut Interp,
    ) -> Option<Outcome> {
        let address = at.placed.address_of(&self.buffer, self.at)?;
        let end = wave.executed.saturating_add(max);
        loop {
            let before = self.wanted.map(|_| wave.clone());
            let (outcome, journal) =
                record(context, |context| interp.run_in(wave, context, (end - wave.executed).min(SLICE)));
            if writes(&journal, address) {
                self.seen += 1;
                if let (Some(mut again), true) = (before, self.wanted == Some(self.seen)) {
                    context.undo(&journal);
                    self.found = last_writer(&at, interp, &mut again, context, (wave.executed, address));
                }
            }
            if outcome != Outcome::Budget || wave.executed == end {
                return Some(outcome);
            }
        }
    }
}

fn record<R>(context: &mut Context, run: impl FnOnce(&mut Context) -> R) -> (R, Journal) {
    context.start_recording();
    let result = run(context);
    (result, context.stop_recording())
}

fn writes(journal: &Journal, address: u64) -> bool {
    let covers = |at: u64, len: u8| address.wrapping_sub(at) < u64::from(len);
    journal.writes().iter().any(|write| write.place == Place::Memory && covers(write.address, write.len))
}

/// Runs a slice again, until the wave has executed `end` instructions, and returns the last writer of `address` in it.
fn last_writer(
    at: &WaveAt<'_>,
    interp: &mut Interp,
    wave: &mut Wave,
    context: &mut Context,
    (end, address): (u64, u64),
) -> Option<Writer> {
    let mut found = None;
    while wave.executed < end {
        let before = wave.clone();
        let (outcome, journal) = record(context, |context| interp.run_in(wave, context, 1));
        if writes(&journal, address) {
            context.undo(&journal);
            let inst = at.placed.program.fetch(before.state.pc & !3).ok();
            found = Some(Writer {
                group: at.group,
                wave: at.index,
                lane: last_lane(interp, &before, context, address),
                pc: Hex(at.placed.address_of_file(before.state.pc)),
                mnemonic: inst.map(|inst| inst.desc().mnemonic),
                source: None,
            });
            *wave = before;
            interp.run_in(wave, context, 1);
        }
        if !matches!(outcome, Outcome::Budget | Outcome::Barrier) {
            break;
        }
    }
    found
}

/// Returns the last lane for which the next instruction writes `address`. `None` if it writes `address` with no lane
/// active (EXEC 0), too. The writes are undone.
fn last_lane(interp: &mut Interp, wave: &Wave, context: &mut Context, address: u64) -> Option<u8> {
    let mut writes_under = |exec: u64| {
        let mut alone = wave.clone();
        (alone.state.sgpr[reg::EXEC_LO as usize], alone.state.sgpr[reg::EXEC_LO as usize + 1]) =
            (exec as u32, (exec >> 32) as u32);
        let (_, journal) = record(context, |context| interp.run_in(&mut alone, context, 1));
        context.undo(&journal);
        writes(&journal, address)
    };
    if writes_under(0) {
        return None;
    }
    let low = wave.state.sgpr[reg::EXEC_LO as usize];
    let exec = u64::from(low) | u64::from(wave.state.sgpr[reg::EXEC_LO as usize + 1]) << 32;
    (0..64u8).rev().find(|&lane| exec >> lane & 1 == 1 && writes_under(1 << lane))
}
