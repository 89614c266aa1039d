//! The accesses of all lanes: where their bytes lie, loading, storing and exchanging them.

use std::hint::cold_path;

use gcnsim_isa::table::{Atomic, Width};
use gcnsim_isa::{Note, Notes, reg};
use gcnsim_machine::{Access, Context, MemoryFault, Place, canonical};

use super::atomics::{Denormals, Operation};
use super::transfer::{Bytes, of_dwords};
use super::{Machine, Refused};

/// Some bytes of a lane's data that lie together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Piece {
    pub place: Place,
    /// Guest address, or byte of LDS or GDS.
    pub address: u64,
    /// Number of bytes.
    pub bytes: u8,
    /// First byte of the data.
    pub at: u8,
}

/// Largest number of pieces of a lane: sixteen misaligned bytes of scratch.
const MOST: usize = 5;

/// The bytes of a lane in memory, LDS or scratch. Bytes in no piece are out of range: they read as 0 and are not
/// written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pieces {
    /// The first `count` are pieces.
    list: [Piece; MOST],
    count: u8,
    /// The largest power of two, at most 16, of which the place where the data begin is a multiple. A part of the data
    /// of this size is in memory if its first byte is: a load may end where nothing is mapped.
    alignment: u8,
    /// The note of a fault there.
    fault_note: Option<Note>,
}

impl Pieces {
    /// A lane without bytes.
    pub const NONE: Pieces = Pieces {
        list: [Piece { place: Place::Memory, address: 0, bytes: 0, at: 0 }; MOST],
        count: 0,
        alignment: 1,
        fault_note: None,
    };

    /// A lane without bytes yet, in scratch, where a fault means an address past the lane's share.
    pub const SCRATCH: Pieces = Pieces { fault_note: Some(Note::ScratchOob), ..Pieces::NONE };

    /// A lane with all bytes in one piece.
    pub fn one(place: Place, address: u64, bytes: u8) -> Pieces {
        let mut pieces = Pieces::NONE.beginning_at(address);
        pieces.add(place, address, bytes, 0);
        pieces
    }

    /// The same pieces, for data that begin at `address` (or at an offset in scratch).
    pub fn beginning_at(self, address: u64) -> Pieces {
        Pieces { alignment: 1 << address.trailing_zeros().min(4), ..self }
    }

    /// Adds a piece.
    pub fn add(&mut self, place: Place, address: u64, bytes: u8, at: u8) {
        if let Some(room) = self.list.get_mut(self.count as usize) {
            *room = Piece { place, address, bytes, at };
            self.count += 1;
        }
    }

    /// Drops the low bits of addresses in memory that are no multiples of their size.
    fn align_down(&mut self) {
        for piece in self.list.iter_mut().take(self.count as usize).filter(|piece| piece.place == Place::Memory) {
            piece.address -= piece.address % u64::from(piece.bytes.max(1));
        }
    }

    /// Returns the first piece that is misaligned.
    fn misaligned(&self) -> Option<&Piece> {
        self.iter().find(|piece| !piece.address.is_multiple_of(piece.bytes as u64))
    }

    pub fn iter(&self) -> impl Iterator<Item = &Piece> + Clone {
        self.list.iter().take(self.count as usize)
    }

    /// Whether a load may have bytes of `piece` past the end of a mapping: all parts of the data that the piece has
    /// bytes of begin with a mapped one.
    fn may_end_behind(&self, piece: &Piece, context: &Context) -> bool {
        let part = |at: u8| at / self.alignment * self.alignment;
        let mut parts = (part(piece.at)..piece.at + piece.bytes).step_by(self.alignment as usize);
        piece.place == Place::Memory
            && parts.all(|part| self.first_behind(part).is_some_and(|address| context.is_mapped(address)))
    }

    /// The address of the first byte in range from byte `at` of the data on.
    fn first_behind(&self, at: u8) -> Option<u64> {
        let piece = self.iter().find(|piece| piece.at + piece.bytes > at)?;
        Some(piece.address.wrapping_add(at.saturating_sub(piece.at) as u64))
    }
}

impl Piece {
    fn range(&self) -> std::ops::Range<usize> {
        self.at as usize..self.at as usize + self.bytes as usize
    }

    /// Address by which it is compared with others.
    fn start(&self) -> u64 {
        if self.place == Place::Memory { canonical(self.address) } else { self.address }
    }

    fn check(&self, context: &Context, access: Access, lane: u8) -> Result<(), MemoryFault> {
        match self.place {
            Place::Memory => context.check(self.address, self.bytes as u32, access, Some(lane)),
            // Whoever made the piece has checked it.
            Place::Lds | Place::Gds | Place::Image => Ok(()),
        }
    }

    fn load(&self, context: &Context, lane: u8, data: &mut Bytes) -> Result<(), MemoryFault> {
        let data = &mut data[self.range()];
        match self.place {
            Place::Memory => context.load(self.address, data, Some(lane)),
            place => {
                if let Some(bytes) = context.share(place, self.address as u32, data.len()) {
                    data.copy_from_slice(bytes);
                }
                Ok(())
            }
        }
    }

    fn store(&self, context: &mut Context, data: &Bytes) {
        let data = &data[self.range()];
        match self.place {
            Place::Memory => context.store(self.address, data),
            place => context.write_share(place, self.address as u32, data),
        }
    }
}

/// A lane's part of an instruction that writes.
pub(crate) struct LaneWrite {
    pub lane: u8,
    pub pieces: Pieces,
    /// The stored bytes; or the operands of an atomic, each in eight bytes.
    pub data: Bytes,
}

/// The data of a value of 64 bits.
fn bytes_of(value: u64) -> Bytes {
    of_dwords([value as u32, (value >> 32) as u32])
}

/// The lanes of a mask, ascending.
pub(crate) fn lanes_of(mask: u64) -> impl Iterator<Item = u8> {
    (0..64).filter(move |lane| mask >> lane & 1 == 1)
}

impl Machine<'_> {
    /// Lanes that take part.
    pub fn active(&self) -> impl Iterator<Item = u8> + use<> {
        lanes_of(self.state.exec())
    }

    /// A scalar register.
    pub fn scalar(&self, code: u8) -> u32 {
        self.state.sgpr[code as usize & 127]
    }

    /// A pair of scalar registers.
    pub fn scalar_pair(&self, code: u8) -> u64 {
        self.scalar(code) as u64 | (self.scalar(code + 1) as u64) << 32
    }

    /// M0.
    pub fn m0(&self) -> u32 {
        self.scalar(reg::M0)
    }

    /// A lane of a source VGPR, `n` behind another. One that the wave does not have is v0.
    pub fn vgpr(&mut self, first: u8, n: u8, lane: u8) -> u32 {
        let register = match self.vgprs.get(first as usize + n as usize) {
            Some(register) => register,
            None => {
                cold_path();
                self.notes.insert(Note::RegRange);
                let Some(register) = self.vgprs.first() else { return 0 };
                register
            }
        };
        register.0[lane as usize]
    }

    /// A lane of two source VGPRs.
    pub fn vgpr_pair(&mut self, first: u8, lane: u8) -> u64 {
        self.vgpr(first, 0, lane) as u64 | (self.vgpr(first, 1, lane) as u64) << 32
    }

    /// Has the wave all these registers? If not, that is noted. An instruction without its destination does nothing.
    pub fn has_registers(&mut self, first: u8, count: u8) -> bool {
        let has_all = count == 0 || first as usize + count as usize <= self.vgprs.len();
        self.notes.insert_if(!has_all, Note::RegRange);
        has_all
    }

    /// Loads the data of a lane.
    pub fn load(&mut self, lane: u8, pieces: &Pieces) -> Result<Bytes, Refused> {
        let mut data = [0; 16];
        for piece in pieces.iter() {
            if let Err(fault) = piece.load(self.context, lane, &mut data) {
                if !pieces.may_end_behind(piece, self.context) {
                    return Err(Refused { fault, note: pieces.fault_note });
                }
                self.context.load_mapped(piece.address, &mut data[piece.range()]);
                self.notes.insert(Note::LoadPastEnd);
            }
        }
        Ok(data)
    }

    /// Refuses an atomic at a misaligned address. In a world, where nothing is refused, the low bits are dropped.
    pub fn check_alignment(&mut self, lane: u8, pieces: &mut Pieces) -> Result<(), Refused> {
        let Some(piece) = pieces.misaligned() else { return Ok(()) };
        if self.context.allows_all() {
            self.notes.insert(Note::AtomicAlign);
            pieces.align_down();
            return Ok(());
        }
        let fault =
            MemoryFault { access: Access::Atomic, address: piece.address, bytes: piece.bytes as u32, lane: Some(lane) };
        Err(Refused { fault, note: Some(Note::AtomicAlign) })
    }

    /// Checks that the bytes of `lane` may be accessed.
    pub fn check(&self, lane: u8, pieces: &Pieces, access: Access) -> Result<(), Refused> {
        let checked = pieces.iter().try_for_each(|piece| piece.check(self.context, access, lane));
        checked.map_err(|fault| Refused { fault, note: pieces.fault_note })
    }

    /// Stores what has been checked, by ascending lanes.
    pub fn store_all(&mut self, writes: &[LaneWrite]) {
        self.notes.insert_if(overlap(writes, true), Note::LaneOrder);
        writes.iter().for_each(|write| self.store(write));
    }

    /// Stores the data of a lane, which has been checked.
    pub fn store(&mut self, write: &LaneWrite) {
        write.pieces.iter().for_each(|piece| piece.store(self.context, &write.data));
    }

    /// Exchanges what has been checked, by ascending lanes. Returns each lane with its old value, 0 out of range.
    pub fn exchange_all(&mut self, mut operation: Operation, writes: &[LaneWrite], returns: bool) -> Vec<(u8, Bytes)> {
        self.notes.insert_if(returns && overlap(writes, false), Note::LaneOrder);
        let old = writes.iter().map(|write| (write.lane, bytes_of(self.exchange(&mut operation, write)))).collect();
        self.notes = self.notes.or(operation.notes);
        old
    }

    /// Exchanges what has been checked for a lane; the old value, 0 out of range.
    pub fn exchange(&mut self, operation: &mut Operation, write: &LaneWrite) -> u64 {
        let operand = |i: usize| write.data[8 * i..].first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
        let data = [operand(0), operand(1)];
        let mut pieces = write.pieces.iter();
        let whole = match (pieces.next(), pieces.next()) {
            (Some(piece), None) if piece.place == Place::Memory => Some(piece),
            (None, _) => return 0,
            _ => None,
        };
        match (whole, operation.width) {
            (Some(piece), Width::B32) => {
                let new = |old| operation.apply(old as u64, data) as u32;
                self.context.update32(piece.address, new) as u64
            }
            (Some(piece), Width::B64) => self.context.update64(piece.address, |old| operation.apply(old, data)),
            // LDS and scratch are of the group and of the lane alone.
            (None, width) => {
                let mut old = [0; 16];
                for piece in write.pieces.iter() {
                    // The access has been checked and cannot fail.
                    let _ = piece.load(self.context, write.lane, &mut old);
                }
                let old = u64::from_le_bytes(*old.first_chunk().unwrap_or(&[0; 8]));
                let new = operation.apply(old, data);
                let mut bytes = [0; 16];
                bytes[..width.bytes() as usize].copy_from_slice(&new.to_le_bytes()[..width.bytes() as usize]);
                write.pieces.iter().for_each(|piece| piece.store(self.context, &bytes));
                old
            }
        }
    }

    /// An atomic under the wave's MODE.
    pub fn operation(&self, atomic: Atomic, width: Width) -> Operation {
        let denormals = Denormals::of_mode(self.state.mode, width);
        Operation { atomic, width, denormals, notes: Notes::NONE }
    }
}

/// Whether two lanes write to one place; with `differing`, different bytes.
pub(crate) fn overlap(writes: &[LaneWrite], differing: bool) -> bool {
    let pieces = writes
        .iter()
        .flat_map(|write| write.pieces.iter().map(move |piece| (piece.place, piece.start(), piece, write)));
    if pieces.clone().is_sorted_by(|a, b| a.0 == b.0 && a.1.saturating_add(a.2.bytes as u64) <= b.1) {
        return false;
    }
    let mut pieces: Vec<_> = pieces.collect();
    pieces.sort_by_key(|&(place, start, ..)| (place, start));
    // Pieces of one size that meet also meet those that begin between them, in the same bytes.
    let has_one_size = pieces.windows(2).all(|pair| pair[0].2.bytes == pair[1].2.bytes);
    let most = if has_one_size { 1 } else { usize::MAX };
    (0..pieces.len()).any(|i| {
        let (place, start, a, write) = pieces[i];
        let end = start.saturating_add(a.bytes as u64);
        let behind = pieces[i + 1..].iter().take(most).take_while(|other| other.0 == place && other.1 < end);
        behind.filter(|other| other.3.lane != write.lane).any(|&(_, other_start, b, other)| {
            let until = end.min(other_start.saturating_add(b.bytes as u64));
            let byte = |piece: &Piece, start: u64, write: &LaneWrite, address: u64| {
                write.data[piece.at as usize + (address - start) as usize]
            };
            !differing || (other_start..until).any(|at| byte(a, start, write, at) != byte(b, other_start, other, at))
        })
    })
}
