//! The context of a wave: guest memory, LDS, and what else its work-group shares.

use std::mem;
use std::sync::Arc;

use gcnsim_isa::{Arch, Program};

use crate::journal::{Journal, Place};
use crate::peripheral::{Answers, SharedPeripheral};
use crate::space::{Access, Guess, Mapping, Space, canonical};
use crate::world::{SCRATCH, SCRATCH_END, WorldMemory, low};
use crate::{Backing, LazyMarks, Lds, Meeting};

/// An access to memory that is not allowed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MemoryFault {
    /// The kind of access.
    pub access: Access,
    /// Guest address of the first byte, as the instruction computed it.
    pub address: u64,
    /// Number of bytes.
    pub bytes: u32,
    /// The lane that made the access; `None` for scalar instructions.
    pub lane: Option<u8>,
}

/// The FLAT addresses that stand for LDS and scratch (docs/gcn/flat.md#apertures).
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Apertures {
    /// High dword of the addresses that mean LDS.
    pub shared: u32,
    /// High dword of the addresses that mean the lane's scratch.
    pub private: u32,
    /// Before GCN 1.4: the address that FLAT_SCRATCH_HI is relative to.
    pub hidden_private_base: u64,
}

/// Everything that a wave can reach outside itself. It belongs to the thread that runs the wave's work-group. The waves
/// of the group use it in turn.
#[derive(Debug, Default)]
pub struct Context {
    /// Guest memory.
    pub space: Space,
    /// LDS of the work-group; its length is that of the allocation.
    pub lds: Lds,
    /// The global data share. It is empty, or has 64 KiB once it has been used.
    pub gds: Vec<u8>,
    /// Apertures of FLAT addresses. `None` outside dispatches, where every address is a global one.
    pub apertures: Option<Apertures>,
    /// Whether no other thread reaches guest memory while the waves of this context run. Then atomics need not be
    /// atomic.
    pub is_alone: bool,
    /// The peripheral that answers accesses to addresses that are not mapped. `peripheral_answers` says whether it may.
    pub peripheral: Option<SharedPeripheral>,
    /// Whether the peripheral may answer. Engines set it.
    pub peripheral_answers: Answers,
    /// The access because of which the instruction at PC could not execute. It is read after a run has stopped there.
    pub fault: Option<MemoryFault>,
    /// Why the instruction at PC could not execute, if its operands are not supported. It is read like `fault`.
    pub unsupported: Option<&'static str>,
    /// What makes memory, attributes and images in the synthetic environment.
    pub(crate) world: Option<Box<WorldMemory>>,
    /// Whether memory and LDS exist. A run of a raw program makes them when it first needs them.
    is_ready: bool,
    pub(crate) journal: Option<Journal>,
    /// The mapping that was checked or written last.
    pub(crate) stored: Guess,
}

impl Context {
    /// A context with `lds` bytes of LDS and no memory.
    pub fn ready(lds: usize) -> Context {
        Context { lds: Lds::zeroed(lds), is_ready: true, ..Context::default() }
    }

    /// Makes memory and LDS for a raw program, unless they exist. The code is mapped read-only. LDS has the largest
    /// size that a group of the generation can have.
    #[inline]
    pub fn make_ready(&mut self, program: &Program) {
        if !self.is_ready {
            self.make(program);
        }
    }

    #[cold]
    fn make(&mut self, program: &Program) {
        self.is_ready = true;
        self.lds = Lds::zeroed(if program.arch() == Arch::Gcn10 { 32 << 10 } else { 64 << 10 });
        let code = program.bytes();
        if let (false, Some(backing)) = (code.is_empty(), Backing::zeroed(code.len())) {
            backing.write(0, code);
            self.space.map(Mapping::read_only(program.base(), "code", Arc::new(backing)));
        }
    }

    /// Makes the global data share, filled with zeros, unless it exists.
    pub fn make_gds_ready(&mut self) {
        if self.gds.is_empty() {
            self.gds = vec![0; 64 << 10];
        }
    }

    /// Whether memory and LDS exist.
    pub fn is_ready(&self) -> bool {
        self.is_ready
    }

    /// Reads `bytes.len()` bytes of guest memory from `address` on, if all of them may be read. They may lie in several
    /// mappings that adjoin.
    ///
    /// # Errors
    /// The fault to report, if a byte may not be read. The contents of `bytes` are unspecified then.
    pub fn load(&self, address: u64, bytes: &mut [u8], lane: Option<u8>) -> Result<(), MemoryFault> {
        if self.load_again(&Guess::default(), address, bytes) {
            return Ok(());
        }
        let len = bytes.len() as u32;
        let is_whole = self.load_mapped(address, bytes) || self.load_peripheral(address, bytes);
        if is_whole { Ok(()) } else { Err(MemoryFault { access: Access::Load, address, bytes: len, lane }) }
    }

    /// Reads guest memory from `address` on, if one mapping has all the bytes. Returns whether it has. It is quicker if
    /// that is the mapping that `guess` has found last.
    #[inline]
    pub fn load_again(&self, guess: &Guess, address: u64, bytes: &mut [u8]) -> bool {
        let found = self.space.find_again(guess, canonical(address), bytes.len() as u64, Access::Load);
        let Some((mapping, at)) = found else { return false };
        mapping.backing.read_into(at, bytes);
        mapping.mark(Access::Load, at, bytes.len() as u64);
        true
    }

    /// Fills `bytes` from `address` on. Bytes that are not mapped become 0. Returns whether all are mapped.
    pub fn load_mapped(&self, address: u64, bytes: &mut [u8]) -> bool {
        let (mut at, mut is_whole) = (0, true);
        while at < bytes.len() {
            let (from, left) = (canonical(address.wrapping_add(at as u64)), (bytes.len() - at) as u64);
            at += match self.space.find_part(from, left, Access::Load) {
                Some((mapping, offset, len)) => {
                    mapping.backing.read_into(offset, &mut bytes[at..at + len as usize]);
                    mapping.mark(Access::Load, offset, len);
                    len as usize
                }
                None => {
                    (bytes[at], is_whole) = (0, false);
                    1
                }
            };
        }
        is_whole
    }

    /// The peripheral, if it may answer and allows the access. While a journal records, it may not: its accesses cannot
    /// be undone.
    fn peripheral_allows(&self, address: u64, bytes: u32, access: Access) -> Option<&SharedPeripheral> {
        let peripheral =
            self.peripheral.as_ref().filter(|_| self.peripheral_answers != Answers::Never && self.journal.is_none())?;
        peripheral.lock().allows(canonical(address), bytes, access).then_some(peripheral)
    }

    /// Loads `bytes` from the peripheral. Returns whether the peripheral allows that.
    fn load_peripheral(&self, address: u64, bytes: &mut [u8]) -> bool {
        let Some(peripheral) = self.peripheral_allows(address, bytes.len() as u32, Access::Load) else { return false };
        match self.peripheral_answers {
            Answers::Yes => peripheral.lock().load(canonical(address), bytes),
            Answers::Asks | Answers::Never => bytes.fill(0),
        }
        true
    }

    /// Whether the byte at a guest address belongs to the scratch of a wave, which no other wave reads.
    pub fn is_scratch(&self, address: u64) -> bool {
        if self.world.is_some() {
            return (SCRATCH..SCRATCH_END).contains(&low(address));
        }
        self.space.find(canonical(address), 1, Access::Load).is_some_and(|(mapping, _)| mapping.moves)
    }

    /// Whether the byte at `address` is mapped, so that a load that begins there may end where nothing is mapped. In a
    /// world no load may: what is not mapped is [made](Context::touch).
    pub fn is_mapped(&self, address: u64) -> bool {
        self.world.is_none() && self.space.find(canonical(address), 1, Access::Load).is_some()
    }

    /// Checks that `bytes` bytes from `address` on may be accessed. For an atomic they must be in one mapping; for
    /// other accesses they may be in several that adjoin.
    ///
    /// # Errors
    /// The fault to report.
    pub fn check(&self, address: u64, bytes: u32, access: Access, lane: Option<u8>) -> Result<(), MemoryFault> {
        let is_allowed = self.space.find_again(&self.stored, canonical(address), bytes as u64, access).is_some()
            || access != Access::Atomic && self.is_without_gap(address, bytes as u64, access)
            || self.peripheral_allows(address, bytes, access).is_some();
        if is_allowed { Ok(()) } else { Err(MemoryFault { access, address, bytes, lane }) }
    }

    fn is_without_gap(&self, address: u64, bytes: u64, access: Access) -> bool {
        let mut at = 0;
        while at < bytes {
            match self.space.find_part(canonical(address.wrapping_add(at)), bytes - at, access) {
                Some((_, _, len)) => at += len,
                None => return false,
            }
        }
        true
    }

    /// Writes `bytes` to guest memory. If [`Context::check`] does not allow it, it is unspecified which bytes are
    /// written.
    pub fn store(&mut self, address: u64, bytes: &[u8]) {
        self.put(address, bytes, true);
    }

    fn put(&mut self, address: u64, bytes: &[u8], is_marked: bool) {
        if self.peripheral_answers == Answers::Asks {
            return;
        }
        let mut rest = bytes;
        let mut address = canonical(address);
        while !rest.is_empty() {
            let Context { space, journal, stored, .. } = self;
            let whole = space.find_again(stored, address, rest.len() as u64, Access::Store);
            let part = match whole {
                Some((mapping, at)) => Some((mapping, at, rest.len() as u64)),
                None => space.find_part(address, rest.len() as u64, Access::Store),
            };
            let Some((mapping, at, len)) = part else {
                if let Some(peripheral) = self.peripheral_allows(address, rest.len() as u32, Access::Store) {
                    peripheral.lock().store(address, rest);
                }
                return;
            };
            let (part, behind) = rest.split_at(len as usize);
            if let Some(journal) = journal {
                record(journal, mapping, at, address, part);
            }
            mapping.backing.write(at, part);
            if is_marked {
                mapping.mark(Access::Store, at, len);
            }
            (rest, address) = (behind, canonical(address.wrapping_add(len)));
        }
    }

    /// Replaces the aligned dword at `address` atomically by the result of `new`. Returns the old value. If
    /// [`Context::check`] does not allow it, nothing is written and the result is 0.
    pub fn update32(&mut self, address: u64, mut new: impl FnMut(u32) -> u32) -> u32 {
        let address = canonical(address);
        if self.peripheral_answers == Answers::Asks {
            return 0;
        }
        let Some((mapping, at)) = self.space.find(address, 4, Access::Atomic) else {
            let mut old = [0; 4];
            if let Some(peripheral) = self.peripheral_allows(address, 4, Access::Atomic) {
                let mut peripheral = peripheral.lock();
                peripheral.load(address, &mut old);
                peripheral.store(address, &new(u32::from_le_bytes(old)).to_le_bytes());
            }
            return u32::from_le_bytes(old);
        };
        mapping.mark(Access::Atomic, at, 4);
        let mut stored = 0;
        let old = mapping.backing.update32(at, |old| {
            stored = new(old);
            stored
        });
        if let Some(journal) = &mut self.journal {
            journal.record(Place::Memory, address, &old.to_le_bytes(), &stored.to_le_bytes());
        }
        old
    }

    /// As [`Context::update32`], for a qword.
    pub fn update64(&mut self, address: u64, mut new: impl FnMut(u64) -> u64) -> u64 {
        let address = canonical(address);
        if self.peripheral_answers == Answers::Asks {
            return 0;
        }
        let Some((mapping, at)) = self.space.find(address, 8, Access::Atomic) else {
            let mut old = [0; 8];
            if let Some(peripheral) = self.peripheral_allows(address, 8, Access::Atomic) {
                let mut peripheral = peripheral.lock();
                peripheral.load(address, &mut old);
                peripheral.store(address, &new(u64::from_le_bytes(old)).to_le_bytes());
            }
            return u64::from_le_bytes(old);
        };
        mapping.mark(Access::Atomic, at, 8);
        let mut stored = 0;
        let old = mapping.backing.update64(at, |old| {
            stored = new(old);
            stored
        });
        if let Some(journal) = &mut self.journal {
            journal.record(Place::Memory, address, &old.to_le_bytes(), &stored.to_le_bytes());
        }
        old
    }

    /// The `len` bytes of LDS or GDS (`place`) from byte `at` on; `None` if some do not exist.
    pub fn share(&self, place: Place, at: u32, len: usize) -> Option<&[u8]> {
        let share: &[u8] = if place == Place::Gds { &self.gds } else { &self.lds };
        share.get(at as usize..)?.get(..len)
    }

    /// Writes `bytes` to LDS or GDS (`place`) from byte `at` on. Does nothing if some of them do not exist.
    pub fn write_share(&mut self, place: Place, at: u32, bytes: &[u8]) {
        if self.peripheral_answers == Answers::Asks {
            return;
        }
        let share: &mut [u8] = if place == Place::Gds { &mut self.gds } else { &mut self.lds };
        let Some(old) = share.get_mut(at as usize..).and_then(|share| share.get_mut(..bytes.len())) else { return };
        if let Some(journal) = &mut self.journal {
            journal.record(place, at as u64, old, bytes);
        }
        old.copy_from_slice(bytes);
    }

    /// The marks of accesses, of each mapping that has any.
    pub fn marks(&self) -> impl Iterator<Item = &Arc<LazyMarks>> {
        self.space.mappings().iter().filter_map(|mapping| mapping.marks.as_ref())
    }

    /// Ends a group in all marks. Returns whether the group conflicts with an earlier one of this context: one of the
    /// two wrote bytes that the other accessed.
    pub fn end_group(&self) -> Meeting {
        self.marks().fold(Meeting::No, |meeting, marks| meeting.max(marks.end_group()))
    }

    /// Whether accesses are marked.
    pub fn is_marked(&self) -> bool {
        self.marks().next().is_some()
    }

    /// Ends all marking.
    pub fn drop_marks(&mut self) {
        self.space.drop_marks();
    }

    /// Whether writes are being recorded. If so, memory must be written only through the functions above.
    pub fn is_recording(&self) -> bool {
        self.journal.is_some()
    }

    /// Starts to record writes.
    pub fn start_recording(&mut self) {
        self.journal = Some(Journal::default());
    }

    /// Stops recording, and returns what was recorded.
    pub fn stop_recording(&mut self) -> Journal {
        self.journal.take().unwrap_or_default()
    }

    /// Undoes all writes of `journal`, the last one first. Nothing else may have been written there since.
    pub fn undo(&mut self, journal: &Journal) {
        let recording = mem::take(&mut self.journal);
        for write in journal.writes().iter().rev() {
            let old = &write.old[..write.len as usize];
            match write.place {
                // The write that is undone is already marked, whether it was a store or an atomic.
                Place::Memory => self.put(write.address, old, false),
                Place::Image => self.put_image_back(write.address, old),
                place => self.write_share(place, write.address as u32, old),
            }
        }
        self.journal = recording;
    }

    /// Fills `bytes` with the current values from `address` on, and marks no access. Bytes that do not exist become 0.
    pub fn peek(&self, place: Place, address: u64, bytes: &mut [u8]) {
        if place == Place::Memory
            && let Some((mapping, at)) = self.space.find(canonical(address), bytes.len() as u64, Access::Load)
        {
            return mapping.backing.read_into(at, bytes);
        }
        bytes.iter_mut().zip(0..).for_each(|(byte, at)| *byte = self.byte(place, address.wrapping_add(at)));
    }

    /// The current value of a byte; 0 if it does not exist.
    pub fn byte(&self, place: Place, address: u64) -> u8 {
        match place {
            Place::Memory => {
                let found = self.space.find(address, 1, Access::Load);
                found.map_or(0, |(mapping, at)| mapping.backing.read::<1>(at)[0])
            }
            Place::Image => self.image_byte(address),
            place => self.share(place, address as u32, 1).map_or(0, |bytes| bytes[0]),
        }
    }
}

/// Records a write of `new` to a mapping, at a guest address and from byte `at` of its backing on.
#[inline]
fn record(journal: &mut Journal, mapping: &Mapping, at: usize, mut address: u64, new: &[u8]) {
    let mut old = [0; 16];
    for (new, at) in new.chunks(old.len()).zip((at..).step_by(old.len())) {
        let old = &mut old[..new.len()];
        mapping.backing.read_into(at, old);
        journal.record(Place::Memory, address, old, new);
        address = address.wrapping_add(new.len() as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::Differing;

    fn context() -> Context {
        let mut context = Context { lds: Lds::zeroed(64), ..Context::default() };
        context.space.map(Mapping::new(0x1000, "a", Arc::new(Backing::zeroed(64).unwrap())));
        context.space.map(Mapping::read_only(0x2000, "b", Arc::new(Backing::zeroed(64).unwrap())));
        context
    }

    #[test]
    fn accesses_outside_are_faults_and_change_nothing() {
        let mut context = context();
        let fault = |access, address, bytes| Err(MemoryFault { access, address, bytes, lane: Some(3) });
        assert_eq!(context.check(0x103d, 4, Access::Load, Some(3)), fault(Access::Load, 0x103d, 4));
        assert_eq!(context.check(0x2000, 4, Access::Store, Some(3)), fault(Access::Store, 0x2000, 4));
        assert_eq!(context.check(0xabcd_0000_0000_1000, 4, Access::Atomic, Some(3)), Ok(()), "48 bits count");
        context.store(0x2000, &[1; 4]);
        assert_eq!(context.update32(0x1040, |_| 1), 0);
        let mut all = [0; 64];
        context.load(0x1000, &mut all, None).unwrap();
        assert_eq!(all, [0; 64]);
        assert_eq!(context.load(0x1001, &mut all, Some(3)), fault(Access::Load, 0x1001, 64));
        context.write_share(Place::Lds, 61, &[1; 4]);
        context.write_share(Place::Gds, 0, &[1; 4]);
        assert_eq!(context.lds[..], [0; 64]);
    }

    /// Two mappings that adjoin, the second one of three bytes, and a third one after a gap of one byte.
    fn neighbours() -> Context {
        let mut context = Context::default();
        let backing = |bytes: &[u8]| {
            let backing = Backing::zeroed(bytes.len()).unwrap();
            backing.write(0, bytes);
            Arc::new(backing)
        };
        context.space.map(Mapping::new(0x1000, "a", backing(&[1; 16])));
        context.space.map(Mapping::new(0x1010, "b", backing(&[2; 3])));
        context.space.map(Mapping::read_only(0x1014, "c", backing(&[3; 4])));
        context
    }

    #[test]
    fn accesses_continue_in_the_next_mapping() {
        let mut context = neighbours();
        let mut bytes = [9; 6];
        context.load(0x100d, &mut bytes, None).unwrap();
        assert_eq!(bytes, [1, 1, 1, 2, 2, 2]);
        assert!(context.load(0x100e, &mut bytes, None).is_err(), "a gap");
        let allowed = |address, bytes, access| context.check(address, bytes, access, None).is_ok();
        assert!(allowed(0x100e, 4, Access::Load) && allowed(0x100e, 4, Access::Store));
        assert!(!allowed(0x100e, 4, Access::Atomic) && !allowed(0x1010, 4, Access::Store));
        context.start_recording();
        context.store(0x100e, &[7, 8, 9, 10]);
        context.load(0x100d, &mut bytes, None).unwrap();
        assert_eq!(bytes, [1, 7, 8, 9, 10, 2]);
        let journal = context.stop_recording();
        context.undo(&journal);
        context.load(0x100d, &mut bytes, None).unwrap();
        assert_eq!(bytes, [1, 1, 1, 2, 2, 2]);
    }

    #[test]
    fn what_is_not_mapped_reads_0() {
        let context = neighbours();
        let mut bytes = [9; 8];
        assert!(!context.load_mapped(0x1010, &mut bytes));
        assert_eq!(bytes, [2, 2, 2, 0, 3, 3, 3, 3]);
        assert!(!context.load_mapped(0x1014, &mut bytes));
        assert_eq!(bytes, [3, 3, 3, 3, 0, 0, 0, 0]);
        assert!(context.load_mapped(0x1008, &mut bytes) && bytes == [1; 8]);
        assert!(context.is_mapped(0x1012) && !context.is_mapped(0x1013) && !context.is_mapped(0xfff));
        // The address after the last one is 0.
        assert!(!context.load_mapped(u64::MAX - 3, &mut bytes) && bytes == [0; 8]);
    }

    #[test]
    fn what_was_recorded_can_be_taken_back() {
        let mut context = context();
        context.store(0x1000, &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
        context.write_share(Place::Lds, 8, &[7; 4]);
        context.start_recording();
        context.store(0x1002, &[0xaa; 16]);
        assert_eq!(context.update32(0x1004, |old| old + 1), 0xaaaa_aaaa);
        assert_eq!(context.update64(0x1008, |old| !old), 0xaaaa_aaaa_aaaa_aaaa);
        context.write_share(Place::Lds, 6, &[9; 4]);
        let journal = context.stop_recording();
        let written = |place, address| Differing { place, address, bytes: [Some(context.byte(place, address)), None] };
        let differences = journal.differences(&Journal::default());
        assert_eq!(differences.len(), 16 + 4);
        assert!(differences.iter().all(|byte| *byte == written(byte.place, byte.address)));
        assert_eq!((context.byte(Place::Memory, 0x1004), context.byte(Place::Memory, 0x1008)), (0xab, 0x55));
        assert_eq!((context.byte(Place::Lds, 9), journal.differences(&journal.clone()).len()), (9, 0));
        context.undo(&journal);
        let mut bytes = [0; 18];
        context.load(0x1000, &mut bytes, None).unwrap();
        assert_eq!(bytes, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 0, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(context.lds[4..14], [0, 0, 0, 0, 7, 7, 7, 7, 0, 0]);
        assert!(!context.is_recording());
    }

    /// Of several writes to a place, the last one is undone first.
    #[test]
    fn writes_are_taken_back_in_reverse() {
        let mut context = Context::ready(16);
        context.space.map(Mapping::new(0x1000, "data", Arc::new(Backing::zeroed(16).unwrap())));
        context.store(0x1004, &[1, 2, 3, 4]);
        context.lds[8..12].copy_from_slice(&[5, 6, 7, 8]);
        context.start_recording();
        context.store(0x1004, &[9; 4]);
        context.store(0x1006, &[10; 4]);
        context.update32(0x1004, |old| old + 1);
        context.write_share(Place::Lds, 8, &[11; 4]);
        context.write_share(Place::Lds, 6, &[12; 4]);
        let journal = context.stop_recording();
        context.undo(&journal);
        let mut bytes = [0; 8];
        context.load(0x1004, &mut bytes, None).unwrap();
        assert_eq!(bytes, [1, 2, 3, 4, 0, 0, 0, 0]);
        assert_eq!(context.lds[..], [0, 0, 0, 0, 0, 0, 0, 0, 5, 6, 7, 8, 0, 0, 0, 0]);
    }
}
