//! Finds the last writer of a byte of memory. It takes two runs of the same launch.
//!
//! The first run shows the stretches of waves that write the byte. The second one shows the last of them instruction by
//! instruction.

use gcnsim_isa::Kind;
use gcnsim_machine::{Context, Place, Wave, Write};

use gcnsim_engine::observe::{At, Needs, Observer, Step};
pub use gcnsim_engine::report::{Hex, Writer};
use gcnsim_interp::MemoryOp;

/// Most instructions of a stretch.
const MOST: u64 = 4096;

/// Watches a launch for writes of one byte.
#[derive(Debug)]
pub struct WriterSearch {
    address: u64,
    /// The last stretch so far that writes the byte.
    last: Option<Stretch>,
    is_second: bool,
    /// The last lane for which the instruction that runs accesses the byte.
    lane: Option<u8>,
    found: Option<Writer>,
}

/// Some instructions of a wave.
#[derive(Clone, Copy, Debug)]
struct Stretch {
    group: [u32; 3],
    index: u32,
    /// Number of instructions of the wave before and after it.
    from: u64,
    to: u64,
}

impl WriterSearch {
    /// Returns a search for the last writer of the byte at a guest address.
    pub fn new(address: u64) -> WriterSearch {
        WriterSearch { address, last: None, is_second: false, lane: None, found: None }
    }

    /// Ends the first run. Returns whether a second run can find a writer.
    pub fn again(&mut self) -> bool {
        self.is_second = true;
        self.last.is_some()
    }

    /// Returns the writer, after the second run.
    pub fn into_found(self) -> Option<Writer> {
        self.found
    }

    /// Returns the last lane for which the next instruction accesses the byte; `None` if it is scalar.
    fn lane(&self, at: &At<'_>, wave: &mut Wave, context: &mut Context) -> Option<u8> {
        let inst = at.scene.program.fetch(wave.state.pc & !3).ok().filter(|inst| inst.desc().kind != Kind::Smem)?;
        let touches = MemoryOp::new(&inst)?.touches(wave, context);
        let covers = |address: u64, bytes: u8| self.address.wrapping_sub(address) < u64::from(bytes);
        let mut touches = touches.into_iter().rev();
        touches.find(|touch| touch.place == Place::Memory && covers(touch.address, touch.bytes)).map(|touch| touch.lane)
    }

    fn is_written(&self, writes: &[Write]) -> bool {
        let covers = |at: u64, len: u8| self.address.wrapping_sub(at) < u64::from(len);
        writes.iter().any(|write| write.place == Place::Memory && covers(write.address, write.len))
    }
}

impl Observer for WriterSearch {
    fn needs(&mut self, at: &At<'_>, wave: &Wave) -> Needs {
        match self.last {
            _ if !self.is_second => Needs { most: MOST, writes: true },
            Some(last) if (last.group, last.index) == (at.group, at.index) && wave.executed < last.to => {
                match last.from.saturating_sub(wave.executed) {
                    0 => Needs::WRITES,
                    before => Needs { most: before, writes: false },
                }
            }
            _ => Needs::NOTHING,
        }
    }

    fn before(&mut self, at: &At<'_>, wave: &mut Wave, context: &mut Context) {
        if self.is_second {
            self.lane = self.lane(at, wave, context);
        }
    }

    fn after(&mut self, at: &At<'_>, step: &Step<'_>, wave: &Wave, _context: &Context) {
        if !self.is_written(step.writes) {
            return;
        }
        let At { group, index, .. } = *at;
        if !self.is_second {
            self.last = Some(Stretch { group, index, from: wave.executed - step.executed, to: wave.executed });
            return;
        }
        let inst = at.scene.program.fetch(step.pc & !3).ok();
        self.found = Some(Writer {
            group,
            wave: index,
            lane: self.lane,
            pc: Hex(at.scene.address_of_file(step.pc)),
            mnemonic: inst.map(|inst| inst.desc().mnemonic),
            source: None,
        });
    }
}
