//! Loads, stores and atomics of vector memory instructions, lane by lane: for accesses of every kind, wherever the
//! bytes of a lane lie. Faster ways for common cases are in [`fast`](super::fast).

use gcnsim_isa::{LANES, Note, Notes};
use gcnsim_machine::{Access, Context, Place, canonical};

use super::atomics::Operation;
use super::element::Element;
use super::{Refused, lanes};

/// A range of bytes that memory checks as a whole.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    /// The memory: guest memory or LDS.
    pub place: Place,
    /// The address of the first byte: canonical, or a byte of LDS.
    pub address: u64,
    /// The index of that byte in the element.
    pub at: u8,
    /// Number of bytes.
    pub len: u8,
}

/// The element of one lane in memory, in up to five pieces (16 bytes of scratch at an odd address).
#[derive(Clone, Copy, Debug)]
pub(super) struct Pieces {
    list: [Piece; 5],
    count: usize,
    /// The low bits that are 0 where the element begins, four at most. Bytes of the element whose numbers differ in
    /// these bits only are loaded together: a load may read 0 behind the end of the mapping that has the first of them.
    together: u8,
}

/// A function that finds the pieces of a lane.
pub(super) trait Locate: Fn(usize) -> Result<Pieces, Refused> {}

impl<F: Fn(usize) -> Result<Pieces, Refused>> Locate for F {}

impl Pieces {
    /// An element without bytes.
    pub const NONE: Pieces =
        Pieces { list: [Piece { place: Place::Memory, address: 0, at: 0, len: 0 }; 5], count: 0, together: 0 };

    /// An element in one piece.
    pub fn one(place: Place, address: u64, len: u8) -> Pieces {
        let mut pieces = Pieces::NONE;
        pieces.push(place, address, 0, len);
        pieces.begin_at(address);
        pieces
    }

    /// Says that the element begins at `start`: an address, or an offset where its dwords lie apart.
    pub fn begin_at(&mut self, start: u64) {
        self.together = (!start & start.wrapping_sub(1)) as u8 & 15;
    }

    /// Adds a piece. There are at most five.
    pub fn push(&mut self, place: Place, address: u64, at: u8, len: u8) {
        let address = if place == Place::Memory { canonical(address) } else { address };
        if let Some(piece) = self.list.get_mut(self.count) {
            *piece = Piece { place, address, at, len };
            self.count += 1;
        }
    }

    fn iter(&self) -> &[Piece] {
        &self.list[..self.count]
    }

    /// Loads the element. Bytes in no piece keep their value.
    pub fn load(&self, context: &Context, element: &mut Element, notes: &mut Notes) -> Result<(), Refused> {
        self.iter().iter().try_for_each(|piece| {
            piece.load(context, element).or_else(|refused| self.load_outside(piece, context, element, notes, refused))
        })
    }

    /// Loads a piece that is partly unmapped, if each of its bytes is loaded together with a mapped one before it.
    #[cold]
    #[inline(never)]
    fn load_outside(
        &self,
        piece: &Piece,
        context: &Context,
        element: &mut Element,
        notes: &mut Notes,
        refused: Refused,
    ) -> Result<(), Refused> {
        let is_there = |at: u8| self.first_with(at).is_some_and(|address| context.is_mapped(address));
        if piece.place != Place::Memory || !(piece.at..piece.at + piece.len).all(is_there) {
            return Err(refused);
        }
        context.load_mapped(piece.address, piece.bytes_mut(element));
        notes.insert(Note::LoadPastEnd);
        Ok(())
    }

    /// The address of the first byte that is loaded together with byte `at` of the element.
    fn first_with(&self, at: u8) -> Option<u64> {
        let from = at & !self.together;
        self.iter().iter().find_map(|piece| {
            let first = piece.at.max(from);
            (first < piece.at + piece.len).then(|| piece.address.wrapping_add((first - piece.at) as u64))
        })
    }
}

impl Piece {
    fn bytes<'a>(&self, element: &'a Element) -> &'a [u8] {
        &element[self.at as usize..(self.at + self.len) as usize]
    }

    fn bytes_mut<'a>(&self, element: &'a mut Element) -> &'a mut [u8] {
        &mut element[self.at as usize..(self.at + self.len) as usize]
    }

    /// First byte, and the byte after the last. Those of LDS lie above all of memory.
    fn range(&self) -> (u64, u64) {
        let start = match self.place {
            Place::Memory => self.address & 0xffff_ffff_ffff,
            Place::Lds | Place::Gds | Place::Image => self.address | 1 << 63,
        };
        (start, start + self.len as u64)
    }

    fn check(&self, context: &Context, access: Access) -> Result<(), Refused> {
        let allowed = match self.place {
            Place::Memory => context.check(self.address, self.len as u32, access, None).is_ok(),
            place => share_address(self.address)
                .is_some_and(|address| context.share(place, address, self.len as usize).is_some()),
        };
        if allowed { Ok(()) } else { Err(Refused) }
    }

    fn load(&self, context: &Context, element: &mut Element) -> Result<(), Refused> {
        let bytes = self.bytes_mut(element);
        match self.place {
            Place::Memory => context.load(self.address, bytes, None).map_err(|_| Refused),
            place => {
                let address = share_address(self.address).ok_or(Refused)?;
                bytes.copy_from_slice(context.share(place, address, bytes.len()).ok_or(Refused)?);
                Ok(())
            }
        }
    }

    fn store(&self, context: &mut Context, element: &Element) {
        match self.place {
            Place::Memory => context.store(self.address, self.bytes(element)),
            place => context.write_share(place, self.address as u32, self.bytes(element)),
        }
    }
}

fn share_address(address: u64) -> Option<u32> {
    u32::try_from(address).ok()
}

/// Loads the elements of the lanes of `mask`. Bytes in no piece, and elements of other lanes, are 0.
pub(super) fn load(
    context: &Context,
    mask: u64,
    notes: &mut Notes,
    locate: impl Locate,
) -> Result<[Element; LANES], Refused> {
    let mut elements = [[0; 16]; LANES];
    for lane in lanes(mask) {
        locate(lane)?.load(context, &mut elements[lane], notes)?;
    }
    Ok(elements)
}

/// Stores the elements of the lanes of `mask`.
pub(super) fn store(
    context: &mut Context,
    mask: u64,
    elements: &[Element; LANES],
    notes: &mut Notes,
    locate: impl Locate,
) -> Result<(), Refused> {
    check(context, mask, Access::Store, &locate)?;
    for lane in lanes(mask) {
        for piece in locate(lane)?.iter() {
            piece.store(context, &elements[lane]);
        }
    }
    // A lane that does not find its bytes was overwritten by another lane or thread.
    let is_suspicious = lanes(mask).any(|lane| !holds(context, &elements[lane], locate(lane)));
    notes.insert_if(is_suspicious && stores_differ(mask, elements, locate), Note::LaneOrder);
    Ok(())
}

fn check(context: &Context, mask: u64, access: Access, locate: &impl Locate) -> Result<(), Refused> {
    lanes(mask).try_for_each(|lane| locate(lane)?.iter().iter().try_for_each(|piece| piece.check(context, access)))
}

/// Whether memory holds the bytes of `element` at `pieces`. This is no access of the guest.
fn holds(context: &Context, element: &Element, pieces: Result<Pieces, Refused>) -> bool {
    let mut found = [0; 16];
    pieces.is_ok_and(|pieces| {
        pieces.iter().iter().all(|piece| {
            context.peek(piece.place, piece.address, piece.bytes_mut(&mut found));
            piece.bytes(&found) == piece.bytes(element)
        })
    })
}

/// Whether two lanes store different bytes to one place.
pub(super) fn stores_differ(mask: u64, elements: &[Element; LANES], locate: impl Locate) -> bool {
    let differ = |a: &Piece, b: &Piece, of: [&Element; 2]| {
        let ((a_start, a_end), (b_start, b_end)) = (a.range(), b.range());
        let byte = |piece: &Piece, start: u64, place: u64, element: &Element| {
            element[piece.at as usize + (place - start) as usize]
        };
        (a_start.max(b_start)..a_end.min(b_end))
            .any(|place| byte(a, a_start, place, of[0]) != byte(b, b_start, place, of[1]))
    };
    lanes(mask).any(|high| {
        let Ok(pieces) = locate(high) else { return false };
        lanes(mask & !(!0 << high)).any(|low| {
            let Ok(others) = locate(low) else { return false };
            let of = [&elements[high], &elements[low]];
            pieces.iter().iter().any(|piece| others.iter().iter().any(|other| differ(piece, other, of)))
        })
    })
}

/// Executes an atomic for the lanes of `mask`, ascending, and returns the old values. They are made only if
/// `returns` is set.
pub(super) fn atomic(
    context: &mut Context,
    mask: u64,
    operation: Operation,
    data: &[Element; LANES],
    returns: bool,
    notes: &mut Notes,
    locate: impl Locate,
) -> Result<[Element; LANES], Refused> {
    let bytes = operation.bytes;
    for lane in lanes(mask) {
        for piece in locate(lane)?.iter() {
            piece.check(context, Access::Atomic)?;
            if !piece.address.is_multiple_of(piece.len as u64) {
                return Err(Refused);
            }
        }
    }
    notes.insert_if(returns && lanes_overlap(mask, &locate), Note::LaneOrder);
    let mut old = [[0; 16]; LANES];
    for lane in lanes(mask) {
        let pieces = locate(lane)?;
        let data = [value(&data[lane], 0, bytes), value(&data[lane], bytes, bytes)];
        let before = match *pieces.iter() {
            [Piece { place: Place::Memory, address, len: 4, .. }] => {
                context.update32(address, |old| operation.apply(old as u64, data, notes) as u32) as u64
            }
            [Piece { place: Place::Memory, address, len: 8, .. }] => {
                context.update64(address, |old| operation.apply(old, data, notes))
            }
            _ => update(context, &pieces, operation, data, notes)?,
        };
        old[lane][..8].copy_from_slice(&before.to_le_bytes());
    }
    Ok(old)
}

/// Changes an element that no other thread can reach, or that lies in several pieces. Returns the old value.
fn update(
    context: &mut Context,
    pieces: &Pieces,
    operation: Operation,
    data: [u64; 2],
    notes: &mut Notes,
) -> Result<u64, Refused> {
    let mut element = [0; 16];
    pieces.iter().iter().try_for_each(|piece| piece.load(context, &mut element))?;
    let old = value(&element, 0, operation.bytes);
    element[..8].copy_from_slice(&operation.apply(old, data, notes).to_le_bytes());
    pieces.iter().iter().for_each(|piece| piece.store(context, &element));
    Ok(old)
}

/// The number in `bytes` (4 or 8) bytes of an element, from byte `at` on.
fn value(element: &Element, at: u8, bytes: u8) -> u64 {
    let mut value = [0; 8];
    value[..bytes as usize].copy_from_slice(&element[at as usize..(at + bytes) as usize]);
    u64::from_le_bytes(value)
}

/// Whether the elements of two lanes overlap.
fn lanes_overlap(mask: u64, locate: &impl Locate) -> bool {
    let mut ranges = [(0, 0); 2 * LANES];
    let mut count = 0;
    for lane in lanes(mask) {
        let Ok(pieces) = locate(lane) else { return false };
        for (range, piece) in ranges[count..].iter_mut().zip(pieces.iter()) {
            *range = piece.range();
            count += 1;
        }
    }
    let ranges = &mut ranges[..count];
    ranges.sort_unstable();
    ranges.windows(2).any(|pair| pair[1].0 < pair[0].1)
}
