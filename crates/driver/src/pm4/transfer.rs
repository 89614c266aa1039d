//! Packets that move data, write what has ended, and wait.

use std::sync::atomic::Ordering::SeqCst;

use gcnsim_machine::canonical;

use super::{Body, Lost, Processor};
use crate::clock::ticks;

/// Places of data in WRITE_DATA and COPY_DATA.
mod place {
    pub const REGISTER: u32 = 0;
    pub const MEMORY_OLD: u32 = 1;
    pub const MEMORY: u32 = 2;
    pub const PERFORMANCE: u32 = 4;
    pub const IMMEDIATE_OR_MEMORY: u32 = 5;
    pub const CLOCK: u32 = 9;
}

impl Processor<'_> {
    pub(super) fn write_data(&mut self, body: &Body<'_>) -> Result<(), Lost> {
        let data = body.0.get(3..).unwrap_or(&[]);
        match body.at(0) >> 8 & 0xf {
            place::REGISTER => {
                for (at, &value) in (0..).zip(data) {
                    self.registers.insert(body.at(1).wrapping_add(at) << 2, value);
                }
                Ok(())
            }
            place::MEMORY_OLD | place::MEMORY | place::IMMEDIATE_OR_MEMORY => {
                let bytes: Vec<u8> = data.iter().flat_map(|word| word.to_le_bytes()).collect();
                if bytes.is_empty() { Ok(()) } else { self.write(body.address(1), &bytes) }
            }
            other => self.lose(&format!("WRITE_DATA to {other} is not known")),
        }
    }

    pub(super) fn copy_data(&mut self, body: &Body<'_>) -> Result<(), Lost> {
        let is_wide = body.at(0) >> 16 & 1 == 1;
        let (from, to) = (body.address(1), body.address(3));
        let value = match body.at(0) & 0xf {
            place::REGISTER | place::PERFORMANCE => u64::from(self.register((from as u32) << 2)),
            place::MEMORY_OLD | place::MEMORY if is_wide => self.u64_at(from)?,
            place::MEMORY_OLD | place::MEMORY => self.u32_at(from)?.into(),
            place::IMMEDIATE_OR_MEMORY => from,
            place::CLOCK => ticks(),
            other => return self.lose(&format!("COPY_DATA from {other} is not known")),
        };
        match body.at(0) >> 8 & 0xf {
            place::REGISTER | place::PERFORMANCE => {
                self.registers.insert((to as u32) << 2, value as u32);
                Ok(())
            }
            place::MEMORY_OLD | place::MEMORY | place::IMMEDIATE_OR_MEMORY => match is_wide {
                true => self.write(to, &value.to_le_bytes()),
                false => self.write(to, &(value as u32).to_le_bytes()),
            },
            other => self.lose(&format!("COPY_DATA to {other} is not known")),
        }
    }

    /// CP_DMA and DMA_DATA: copies, or fills with a dword.
    pub(super) fn copy(&mut self, (control, command): (u32, u32), (from, to): (u64, u64)) -> Result<(), Lost> {
        const MEMORY: [u32; 2] = [0, 3];
        const DATA: u32 = 2;
        /// Nothing is written: the data go to a cache.
        const NOWHERE: u32 = 2;
        let most = if self.version >= 9 { 0x3ff_ffff } else { 0x1f_ffff };
        let len = u64::from(command & most);
        if len == 0 || self.version >= 9 && control >> 20 & 3 == NOWHERE {
            return Ok(());
        }
        match control >> 29 & 3 {
            kind if MEMORY.contains(&kind) => {
                let bytes = self.read(from, len as usize)?;
                self.write(to, &bytes)
            }
            DATA => self.write(to, &(from as u32).to_le_bytes().repeat(len as usize / 4)),
            other => self.lose(&format!("a copy from {other} is not known")),
        }
    }

    pub(super) fn atomic(&mut self, body: &Body<'_>) -> Result<(), Lost> {
        // The opcodes are those of the caches (TC_OP). Whether they return the old value makes no difference.
        const WIDE: u32 = 0x20;
        const NO_RETURN: u32 = 0x40;
        const COMPARE_AND_SWAP: u32 = 0x08;
        // The processor tries again until the compared value is there.
        const LOOP: u32 = 1;
        let (op, at, value) = (body.at(0) & 0x7f, canonical(body.address(1)), body.address(3));
        let compared = if op & WIDE != 0 { body.address(5) } else { body.at(5).into() };
        let (mapping, place) = self.mapped(at, if op & WIDE != 0 { 8 } else { 4 })?;
        let new = |old: u64| match op & !(NO_RETURN | WIDE) {
            COMPARE_AND_SWAP => Some(if old == compared { value } else { old }),
            0x07 => Some(value),
            0x0f => Some(old.wrapping_add(value)),
            0x10 => Some(old.wrapping_sub(value)),
            0x15 => Some(old & value),
            0x16 => Some(old | value),
            0x17 => Some(old ^ value),
            _ => None,
        };
        if new(0).is_none() || !at.is_multiple_of(8) && op & WIDE != 0 || !at.is_multiple_of(4) {
            return self.lose(&format!("ATOMIC_MEM {op:#x} is not known"));
        }
        let old = match op & WIDE != 0 {
            true => mapping.backing.update64(place, |old| new(old).unwrap_or(old)),
            false => mapping.backing.update32(place, |old| new(old.into()).unwrap_or(old.into()) as u32).into(),
        };
        let waits = op & !(NO_RETURN | WIDE) == COMPARE_AND_SWAP && body.at(0) >> 8 & 3 == LOOP && old != compared;
        if waits { self.lose(&format!("it would wait for ever for {compared:#x} at {at:#x}")) } else { Ok(()) }
    }

    /// Writes what a packet asks for when all work before it has ended, as it has.
    pub(super) fn end_of_pipe(&mut self, what: u32, at: u64, data: u64) -> Result<(), Lost> {
        let at = canonical(at);
        match what {
            0 => Ok(()),
            1 => self.write(at, &(data as u32).to_le_bytes()),
            2 => self.write(at, &data.to_le_bytes()),
            3 | 4 => self.write(at, &ticks().to_le_bytes()),
            other => self.lose(&format!("data {other} at the end of the pipe are not known")),
        }
    }

    /// Events: those with an address write counters.
    pub(super) fn event(&mut self, body: &Body<'_>) -> Result<(), Lost> {
        const STATISTICS: u32 = 0x1e;
        const SAMPLES: u32 = 0x15;
        /// Number of counters, and the one of invocations of compute shaders.
        const COUNTERS: u64 = 11;
        const COMPUTE: u64 = 10;
        if body.0.len() < 3 {
            return Ok(());
        }
        let at = canonical(body.address(1) & 0xffff_ffff_ffff);
        let counts_alone = self.is_compute && self.version >= 7 && self.gpu.drm.is_recent.load(SeqCst);
        match body.at(0) & 0x3f {
            STATISTICS if counts_alone => self.write(at, &self.invocations.to_le_bytes()),
            STATISTICS => (0..COUNTERS).try_for_each(|counter| {
                let value = if counter == COMPUTE { self.invocations } else { 0 };
                self.write(at + 8 * counter, &value.to_le_bytes())
            }),
            // The counters of all render backends, which are ready.
            SAMPLES => (0..u64::from(self.gpu.chip.pipes))
                .try_for_each(|backend| self.write(at + 16 * backend, &(1u64 << 63).to_le_bytes())),
            other => self.lose(&format!("the event {other:#x} with an address is not known")),
        }
    }

    /// WAIT_REG_MEM. What it waits for must be true: all work before it has ended, and nobody else works.
    pub(super) fn wait(&mut self, body: &Body<'_>) -> Result<(), Lost> {
        let is_memory = body.at(0) >> 4 & 3 != 0;
        if !is_memory {
            return Ok(());
        }
        let (mask, at) = (body.at(4), body.address(1) & !3);
        let (value, reference) = (self.u32_at(at)? & mask, body.at(3) & mask);
        let is_so = match body.at(0) & 7 {
            1 => value < reference,
            2 => value <= reference,
            3 => value == reference,
            4 => value != reference,
            5 => value >= reference,
            6 => value > reference,
            _ => true,
        };
        if is_so { Ok(()) } else { self.lose(&format!("it would wait for ever for {value:#x} at {at:#x}")) }
    }

    /// SET_PREDICATION: by a number in memory.
    pub(super) fn predicate(&mut self, body: &Body<'_>) -> Result<(), Lost> {
        const WIDE: u32 = 3;
        const NARROW: u32 = 4;
        let (at, how) = match self.version {
            9.. => (body.address(1), body.at(0)),
            _ => (u64::from(body.at(0)) | u64::from(body.at(1) & 0xff) << 32, body.at(1)),
        };
        let is_if_true = how >> 8 & 1 == 1;
        self.predicate = match how >> 16 & 7 {
            WIDE => (self.u64_at(at)? != 0) == is_if_true,
            NARROW => (self.u32_at(at)? != 0) == is_if_true,
            _ => true,
        };
        Ok(())
    }
}
