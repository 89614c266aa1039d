//! Loads and stores of all lanes of a wave at once, where the elements of all lanes lie in one mapping.

use gcnsim_isa::LANES;

use crate::context::Context;
use crate::journal::Place;
use crate::marks::Marks;
use crate::peripheral::Answers;
use crate::space::{Access, Guess, Mapping, canonical};

/// The elements of lanes: dword by dword, and in each by lane. An element of one or two bytes is in the low bits of its
/// dword.
pub type Elements = [[u32; LANES]; 4];

/// The elements of the lanes of a mask in a mapping.
struct Found<'a> {
    mapping: &'a Mapping,
    /// Offset in the backing of the element at the lowest address.
    at: usize,
    /// The distance of each lane's element from there.
    distances: [u32; LANES],
    mask: u64,
    bytes: u8,
}

/// The lanes of a mask, which is not 0, in order.
fn lanes(mut mask: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lane = mask.trailing_zeros() as usize;
        mask &= mask.wrapping_sub(1);
        (lane < LANES).then_some(lane)
    })
}

impl<'a> Found<'a> {
    /// The elements of `bytes` bytes at the addresses of the lanes of `mask`. `None` if there are no lanes, or no
    /// mapping has all elements and allows the access.
    fn new(
        mappings: impl FnOnce(u64, u64) -> Option<(&'a Mapping, usize)>,
        addresses: &[u64; LANES],
        mask: u64,
        bytes: u8,
    ) -> Option<Found<'a>> {
        let addresses = addresses.map(canonical);
        let (lowest, highest) =
            lanes(mask).fold((u64::MAX, 0), |(low, high), lane| (low.min(addresses[lane]), high.max(addresses[lane])));
        let reach = u32::try_from(highest.checked_sub(lowest)?).ok()?;
        let (mapping, at) = mappings(lowest, u64::from(reach) + u64::from(bytes))?;
        let distances = addresses.map(|address| address.wrapping_sub(lowest) as u32);
        Some(Found { mapping, at, distances, mask, bytes })
    }

    /// Offset in the backing of a lane's element.
    fn at(&self, lane: usize) -> usize {
        self.at + self.distances[lane] as usize
    }

    /// Marks the accesses, if that is wanted.
    fn mark(&self, access: Access) {
        let Some(marks) = self.mapping.marks().filter(|marks| marks.wants(access)) else { return };
        let (step, first) = (u32::from(self.bytes), self.mask.trailing_zeros() as usize % LANES);
        let at = (self.at(first) - self.mapping.offset) as u64;
        let of_row = |lane: usize| (lane - first) as u32 * step;
        if lanes(self.mask).all(|lane| self.distances[lane] == of_row(lane)) {
            marks.mark_row(access, at, step, self.mask);
        } else {
            self.mark_places(marks, access, at);
        }
    }

    fn mark_places(&self, marks: &Marks, access: Access, at: u64) {
        let (step, distances) = (u32::from(self.bytes), &self.distances);
        let is_joined = |lane: usize| {
            let more = distances[lane].wrapping_sub(distances[lane - 1]);
            more == 0 || more == step
        };
        let joined = (1..LANES).fold(0, |joined, lane| joined | u64::from(is_joined(lane)) << lane);
        marks.mark_lanes(access, at, step, distances, joined, self.mask);
    }
}

impl Context {
    /// Loads an element of `bytes` bytes (1, 2, 4, 8, 12 or 16) for each lane of `mask`, if one mapping has those of
    /// all lanes. Returns whether it has; if not, nothing has happened. Other lanes of `elements` keep their values.
    /// Elements of four and eight bytes at multiples of their size are read as a whole.
    pub fn load_lanes(
        &self,
        guess: &Guess,
        addresses: &[u64; LANES],
        mask: u64,
        bytes: u8,
        elements: &mut Elements,
    ) -> bool {
        let find = |address, len| self.space.find_again(guess, address, len, Access::Load);
        let Some(found) = Found::new(find, addresses, mask, bytes) else { return false };
        let backing = &found.mapping.backing;
        for lane in lanes(mask) {
            let at = found.at(lane);
            match bytes {
                1 => elements[0][lane] = u8::from_le_bytes(backing.read(at)).into(),
                2 => elements[0][lane] = u16::from_le_bytes(backing.read(at)).into(),
                4 => elements[0][lane] = u32::from_le_bytes(backing.read(at)),
                8 if at.is_multiple_of(8) => {
                    let both = u64::from_le_bytes(backing.read(at));
                    (elements[0][lane], elements[1][lane]) = (both as u32, (both >> 32) as u32);
                }
                _ => {
                    for (n, dwords) in elements.iter_mut().take(usize::from(bytes / 4)).enumerate() {
                        dwords[lane] = u32::from_le_bytes(backing.read(at + 4 * n));
                    }
                }
            }
        }
        found.mark(Access::Load);
        true
    }

    /// Stores an element of `bytes` bytes (1, 2, 4, 8, 12 or 16) for each lane of `mask`, if one mapping takes those of
    /// all lanes, and each lies above that of the lane before it. Returns whether it did; if not, nothing has happened.
    /// Writes are recorded lane by lane.
    pub fn store_lanes(&mut self, addresses: &[u64; LANES], mask: u64, bytes: u8, elements: &Elements) -> bool {
        if self.peripheral_answers == Answers::Asks {
            return false;
        }
        let Context { space, journal, stored, .. } = self;
        let find = |address, len| space.find_again(stored, address, len, Access::Store);
        let Some(found) = Found::new(find, addresses, mask, bytes) else { return false };
        let mut end = 0;
        let ascends = |lane: usize| {
            let start = found.distances[lane];
            let is_behind = start >= end;
            end = start.saturating_add(bytes.into());
            is_behind
        };
        if !lanes(mask).all(ascends) {
            return false;
        }
        let backing = &found.mapping.backing;
        for lane in lanes(mask) {
            let (at, mut all) = (found.at(lane), [0; 16]);
            for (to, dwords) in all.chunks_exact_mut(4).zip(elements).take(usize::from(bytes.div_ceil(4))) {
                to.copy_from_slice(&dwords[lane].to_le_bytes());
            }
            let new = &all[..usize::from(bytes)];
            if let Some(journal) = journal {
                let mut old = [0; 16];
                let old = &mut old[..new.len()];
                backing.read_into(at, old);
                journal.record(Place::Memory, canonical(addresses[lane]), old, new);
            }
            backing.write(at, new);
        }
        found.mark(Access::Store);
        true
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::marks::{Grain, LazyMarks, Meeting};
    use crate::{Backing, Journal};

    /// Two mappings: one of 4 KiB whose bytes count up, and one that cannot be written.
    fn context(marks: Option<Arc<LazyMarks>>) -> Context {
        let mut context = Context::ready(0);
        let backing = Backing::zeroed(4096 + 64).unwrap();
        backing.write(0, &(0..4160u32).map(|n| (n * 7 + n / 256) as u8).collect::<Vec<_>>());
        let mapping = Mapping::new(0x1_0000, "a", Arc::new(backing));
        context.space.map(Mapping { offset: 64, len: 4096, marks, ..mapping });
        context.space.map(Mapping::read_only(0x2_0000, "b", Arc::new(Backing::zeroed(4096).unwrap())));
        context
    }

    /// Rows, with gaps, upside down, at odd addresses, in one place, anywhere.
    fn patterns() -> Vec<[u64; LANES]> {
        let of = |place: fn(u64) -> u64| std::array::from_fn(|lane| 0x1_0000 + place(lane as u64));
        let far = |place: fn(u64) -> u64| std::array::from_fn(|lane| 0xabcd_0000_0001_0000 + place(lane as u64));
        vec![
            of(|lane| 4 * lane),
            of(|lane| 16 * lane),
            of(|lane| 8 * lane + 3),
            of(|lane| 20 * lane + 8),
            of(|lane| 4 * (63 - lane)),
            of(|_| 100),
            of(|lane| lane * 977 % 4000),
            far(|lane| 48 * lane + 1),
        ]
    }

    const MASKS: [u64; 5] = [!0, 1, 1 << 63, 0xf0f0_0000_1234_5678, 0x7fff_fffe];

    #[test]
    fn lanes_load_what_they_would_load_alone() {
        for (addresses, mask) in patterns().iter().flat_map(|addresses| MASKS.map(|mask| (addresses, mask))) {
            for bytes in [1, 2, 4, 8, 12, 16] {
                let context = context(None);
                let mut elements = [[0xdead_beef; LANES]; 4];
                assert!(context.load_lanes(&Guess::default(), addresses, mask, bytes, &mut elements));
                for lane in 0..LANES {
                    let mut expected = [0; 16];
                    if mask >> lane & 1 == 1 {
                        context.load(addresses[lane], &mut expected[..bytes.into()], None).unwrap();
                    } else {
                        expected = std::array::from_fn(|i| 0xdead_beef_u32.to_le_bytes()[i % 4]);
                    }
                    let count = usize::from(bytes.div_ceil(4));
                    let got: Vec<u8> = elements[..count].iter().flat_map(|dwords| dwords[lane].to_le_bytes()).collect();
                    assert_eq!(got, expected[..4 * count], "{addresses:x?} {mask:x} {bytes} {lane}");
                }
            }
        }
    }

    #[test]
    fn lanes_store_and_record_what_they_would_alone() {
        let mut stored = 0;
        for (addresses, mask) in patterns().iter().flat_map(|addresses| MASKS.map(|mask| (addresses, mask))) {
            for bytes in [1u8, 2, 4, 8, 12, 16] {
                let elements: Elements =
                    std::array::from_fn(|n| std::array::from_fn(|lane| (0x0102_0304 * (1 + lane as u32)) ^ n as u32));
                let all = |context: &Context| context.space.mappings()[0].backing.to_vec();
                let (mut one, mut other) = (context(None), context(None));
                one.start_recording();
                let is_stored = one.store_lanes(addresses, mask, bytes, &elements);
                let journal = one.stop_recording();
                let on = |lane: &usize| mask >> lane & 1 == 1;
                let active: Vec<usize> = (0..LANES).filter(on).collect();
                let is_ascending =
                    active.windows(2).all(|pair| addresses[pair[0]] + u64::from(bytes) <= addresses[pair[1]]);
                assert_eq!(is_stored, is_ascending, "{addresses:x?} {mask:x} {bytes}");
                if !is_stored {
                    assert_eq!((all(&one), journal.writes().len()), (all(&other), Journal::default().writes().len()));
                    continue;
                }
                other.start_recording();
                for lane in active {
                    let element: Vec<u8> = elements.iter().flat_map(|dwords| dwords[lane].to_le_bytes()).collect();
                    other.store(addresses[lane], &element[..bytes.into()]);
                }
                assert_eq!(other.stop_recording().writes(), journal.writes());
                assert_eq!(all(&one), all(&other));
                one.undo(&journal);
                assert_eq!(all(&one), all(&context(None)));
                stored += 1;
            }
        }
        assert!(stored > 60, "{stored}");
    }

    #[test]
    fn what_is_not_in_one_mapping_is_left_alone() {
        let mut context = context(None);
        let mut elements = [[7; LANES]; 4];
        let outside: [u64; LANES] = std::array::from_fn(|lane| 0x1_0000 + 4096 - 4 * 63 + 4 * lane as u64);
        let apart: [u64; LANES] = std::array::from_fn(|lane| if lane == 9 { 0x2_0000 } else { 0x1_0000 });
        let wide: [u64; LANES] = std::array::from_fn(|lane| 0x1_0000 + ((lane as u64) << 30));
        for addresses in [outside, apart, wide] {
            assert!(!context.load_lanes(&Guess::default(), &addresses, !0, 8, &mut elements));
            assert!(!context.store_lanes(&addresses, !0, 8, &elements));
        }
        let unwritable = std::array::from_fn(|lane| 0x2_0000 + 4 * lane as u64);
        assert!(context.load_lanes(&Guess::default(), &unwritable, !0, 4, &mut elements));
        assert!(!context.store_lanes(&unwritable, !0, 4, &elements));
        assert!(!context.load_lanes(&Guess::default(), &unwritable, 0, 4, &mut elements), "no lanes");
        assert_eq!(elements, [[0; LANES], [7; LANES], [7; LANES], [7; LANES]]);
    }

    /// One group stores by `addresses` and `mask`; another one loads each place of the mapping by itself.
    #[test]
    fn marks_are_those_of_the_lanes() {
        for (addresses, mask) in patterns().iter().flat_map(|addresses| MASKS.map(|mask| (addresses, mask))) {
            let elements = [[0; LANES]; 4];
            let is_stored = context(None).store_lanes(addresses, mask, 4, &elements);
            for place in (0..4096).step_by(36).filter(|_| is_stored) {
                let marks = Arc::new(LazyMarks::new(4096, Grain::Byte));
                let mut context = context(Some(marks));
                assert!(context.store_lanes(addresses, mask, 4, &elements));
                assert_eq!(context.end_group(), Meeting::No);
                let at = 0x1_0000 + place;
                assert!(context.load_lanes(&Guess::default(), &[at; LANES], 1 << 5, 1, &mut elements.clone()));
                let meets = (0..LANES).any(|lane| {
                    let start = canonical(addresses[lane]) & 0xffff_ffff;
                    mask >> lane & 1 == 1 && (start..start + 4).contains(&at)
                });
                assert_eq!(context.end_group(), if meets { Meeting::Yes } else { Meeting::No }, "{at:x} {mask:x}");
            }
        }
    }
}
