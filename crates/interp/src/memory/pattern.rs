//! What the active lanes of a memory instruction touch, found without executing it: for profiles.

use gcnsim_isa::{Mode, Notes};
use gcnsim_machine::{Access, Context, Place, canonical};

use super::lanes::{Piece, Pieces, lanes_of};
use super::{Action, Machine, MemoryOp};
use gcnsim_machine::Wave;

/// Bytes of a line of memory, log 2.
const LINE: u32 = 6;
/// Banks of LDS, each four bytes wide.
const BANKS: usize = 32;

/// The arrangement of the addresses of lanes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pattern {
    /// All lanes access one address.
    Uniform,
    /// Each lane accesses the bytes after the data of the lane before it, as if inactive lanes took part.
    Consecutive,
    /// Anything else.
    Random,
}

/// The places that an instruction accesses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Footprint {
    /// The arrangement of the places of the lanes.
    pub pattern: Pattern,
    /// Lines of 64 bytes of memory; `None` if it touches no memory.
    pub lines: Option<u32>,
    /// Use of LDS; `None` if it touches none.
    pub banks: Option<Banks>,
}

/// The use of the banks of LDS by an access. Lanes 0 to 31 come first, then lanes 32 to 63. In a half, each bank
/// serves one dword a cycle, and lanes that read or write the same dword share it; atomics do not.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Banks {
    /// Cycles that it takes.
    pub cycles: u32,
    /// Number of cycles above the number for dwords that are spread over all banks.
    pub conflicts: u32,
}

/// Bytes that a lane of an instruction accesses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Touch {
    /// The lane; of a scalar instruction the first active one.
    pub lane: u8,
    /// The kind of memory.
    pub place: Place,
    /// Guest address, or byte of LDS or GDS.
    pub address: u64,
    /// Number of bytes.
    pub bytes: u8,
    /// The first byte of the lane's data that lies there.
    pub at: u8,
}

/// What an instruction may do to memory, LDS and whatever else lies outside the wave.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effect {
    /// Nothing.
    Nothing,
    /// It reads the bytes that [`MemoryOp::touches`] names.
    Reads,
    /// It reads and writes the bytes that [`MemoryOp::touches`] names.
    Writes,
    /// It reads or writes what [`MemoryOp::touches`] does not name, or sends something.
    Other,
}

impl MemoryOp {
    /// What the instruction may do outside the wave in the synthetic environment, where images lie in no memory.
    pub fn effect_in_world(&self) -> Effect {
        match &self.action {
            Action::Image(op) => op.effect_in_world(),
            _ => self.effect(),
        }
    }

    /// What the instruction may do outside the wave.
    pub fn effect(&self) -> Effect {
        match &self.action {
            Action::Scalar(op) => op.effect(),
            Action::Share(op) => op.effect(),
            Action::Flat(op) => Effect::of(op.access()),
            Action::Buffer(op) if op.moves_lds() => Effect::Other,
            Action::Buffer(op) => op.access().map_or(Effect::Nothing, Effect::of),
            Action::Image(op) => op.effect(),
            Action::Export(_) => Effect::Other,
        }
    }

    /// The bytes that the instruction would access now, by ascending lanes. Bytes out of range are left out.
    pub fn touches(&self, wave: &mut Wave, context: &mut Context) -> Vec<Touch> {
        if let Action::Scalar(op) = &self.action {
            let lane = wave.state.exec().trailing_zeros() as u8 & 63;
            let touch =
                |(address, bytes)| Touch { lane, place: Place::Memory, address: canonical(address), bytes, at: 0 };
            return op.located(&wave.state).map(touch).into_iter().collect();
        }
        let exec = wave.state.exec();
        let mut touches = Vec::new();
        for (lane, pieces) in lanes_of(exec).zip(self.located(wave, context)) {
            let touch = |piece: &Piece| Touch {
                lane,
                place: piece.place,
                address: if piece.place == Place::Memory { canonical(piece.address) } else { piece.address },
                bytes: piece.bytes,
                at: piece.at,
            };
            touches.extend(pieces.iter().filter(|piece| piece.bytes > 0).map(touch));
        }
        touches
    }

    /// The pieces of the active lanes.
    fn located(&self, wave: &mut Wave, context: &mut Context) -> Vec<Pieces> {
        if wave.state.mode & Mode::VSKIP != 0 || wave.state.exec() == 0 {
            return Vec::new();
        }
        let (arch, state, vgprs) = (self.arch, &wave.state, wave.vgprs.regs_mut());
        let mut machine = Machine { arch, state, vgprs, context, notes: Notes::NONE };
        match &self.action {
            Action::Scalar(_) | Action::Export(_) => Vec::new(),
            Action::Flat(op) => op.located(&mut machine),
            Action::Buffer(op) => op.located(&mut machine),
            Action::Share(op) => op.located(&mut machine),
            Action::Image(op) => op.located(&mut machine),
        }
    }

    /// The kind of access of a vector memory or DS instruction. `None` of scalar memory, and where lanes have no
    /// address of their own.
    pub fn access(&self) -> Option<Access> {
        match &self.action {
            Action::Scalar(_) | Action::Export(_) => None,
            Action::Flat(op) => Some(op.access()),
            Action::Buffer(op) => op.access(),
            Action::Share(op) => op.access(),
            Action::Image(op) => op.access(),
        }
    }

    /// The places that the instruction would access now; `None` if there are none. Lanes out of range do not count.
    pub fn footprint(&self, wave: &mut Wave, context: &mut Context) -> Option<Footprint> {
        let exec = wave.state.exec();
        let located = self.located(wave, context);
        let lanes: Vec<(u8, &Pieces)> = lanes_of(exec).zip(&located).collect();
        let is_atomic = self.access() == Some(Access::Atomic);
        Some(Footprint { pattern: pattern(&lanes)?, lines: lines(&lanes), banks: banks(&lanes, is_atomic) })
    }
}

impl Effect {
    pub(super) fn of(access: Access) -> Effect {
        match access {
            Access::Load => Effect::Reads,
            Access::Store | Access::Atomic => Effect::Writes,
        }
    }
}

/// The arrangement of the first pieces of lanes; `None` if no lane has one.
fn pattern(lanes: &[(u8, &Pieces)]) -> Option<Pattern> {
    let places = lanes.iter().filter_map(|(lane, pieces)| Some((*lane, *pieces.iter().next()?)));
    let mut places = places.map(|(lane, piece)| (lane as u64, piece.address, piece.bytes as u64));
    let (first_lane, first, bytes) = places.next()?;
    let (mut is_uniform, mut is_consecutive) = (true, true);
    for (lane, address, _) in places {
        is_uniform &= address == first;
        is_consecutive &= address == first.wrapping_add((lane - first_lane) * bytes);
    }
    Some(match (is_uniform, is_consecutive) {
        (true, _) => Pattern::Uniform,
        (_, true) => Pattern::Consecutive,
        _ => Pattern::Random,
    })
}

/// Numbers of the units of 2^`unit` bytes that lanes touch in a place, those of a lane one after the other.
fn units<'p>(lanes: &'p [(u8, &'p Pieces)], place: Place, unit: u32) -> impl Iterator<Item = u64> + 'p {
    let pieces = lanes.iter().flat_map(|(_, pieces)| pieces.iter()).filter(move |piece| piece.place == place);
    pieces.filter(|piece| piece.bytes > 0).flat_map(move |piece| {
        let last = piece.address.saturating_add(u64::from(piece.bytes) - 1);
        piece.address >> unit..=last >> unit
    })
}

fn lines(lanes: &[(u8, &Pieces)]) -> Option<u32> {
    let mut lines: Vec<u64> = units(lanes, Place::Memory, LINE).collect();
    lines.sort_unstable();
    lines.dedup();
    (!lines.is_empty()).then_some(lines.len() as u32)
}

fn banks(lanes: &[(u8, &Pieces)], is_atomic: bool) -> Option<Banks> {
    let mut sum: Option<Banks> = None;
    let (low, high) = lanes.split_at(lanes.partition_point(|&(lane, _)| lane < 32));
    for half in [low, high] {
        let mut dwords: Vec<u64> = units(half, Place::Lds, 2).collect();
        dwords.sort_unstable();
        if !is_atomic {
            dwords.dedup();
        }
        let mut uses = [0; BANKS];
        dwords.iter().for_each(|dword| uses[*dword as usize % BANKS] += 1);
        let (cycles, least) = (uses.into_iter().max().unwrap_or(0), dwords.len().div_ceil(BANKS) as u32);
        if cycles > 0 {
            let sum = sum.get_or_insert_default();
            *sum = Banks { cycles: sum.cycles + cycles, conflicts: sum.conflicts + cycles - least };
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use gcnsim_isa::{Arch, Program, reg};

    use super::*;

    /// The footprint of an instruction whose address is in v2 (or v[2:3]), by lane.
    fn footprint(words: [u32; 2], exec: u64, address: impl Fn(u32) -> u32) -> Option<Footprint> {
        let program = Program::from_words(Arch::Gcn14, &words);
        let op = MemoryOp::new(&program.fetch(0).unwrap()).unwrap();
        let mut wave = Wave::new(&program);
        wave.state.sgpr[reg::EXEC_LO as usize] = exec as u32;
        wave.state.sgpr[reg::EXEC_LO as usize + 1] = (exec >> 32) as u32;
        // A raw buffer of 64 KiB at 0x10000, for those that want one in s[4:7].
        wave.state.sgpr[4..8].copy_from_slice(&[0x1_0000, 0, 0x1_0000, 0x0002_7000]);
        for lane in 0..64 {
            wave.vgprs.regs_mut()[2].0[lane as usize] = address(lane);
        }
        op.footprint(&mut wave, &mut Context::ready(64 << 10))
    }

    fn pattern(words: [u32; 2], exec: u64, address: impl Fn(u32) -> u32) -> Option<Pattern> {
        footprint(words, exec, address).map(|footprint| footprint.pattern)
    }

    /// global_load_dword v1, v[2:3], off; global_store_dwordx2 v[2:3], v[4:5], off; ds_read_b32 v1, v2;
    /// buffer_load_dword v1, v2, s[4:7], 0 offen
    const LOAD: [u32; 2] = [0xdc50_8000, 0x017f_0002];
    const STORE_X2: [u32; 2] = [0xdc74_8000, 0x007f_0402];
    const DS_READ: [u32; 2] = [0xd86c_0000, 0x0100_0002];
    const BUFFER_LOAD: [u32; 2] = [0xe050_1000, 0x8001_0102];

    #[test]
    fn addresses_of_lanes_are_compared() {
        const ALL: u64 = u64::MAX;
        for words in [LOAD, DS_READ, BUFFER_LOAD] {
            assert_eq!(pattern(words, ALL, |lane| 64 + 4 * lane), Some(Pattern::Consecutive), "{words:x?}");
            assert_eq!(pattern(words, 0xf0f0, |lane| 64 + 4 * lane), Some(Pattern::Consecutive), "with gaps");
            assert_eq!(pattern(words, ALL, |_| 64), Some(Pattern::Uniform), "{words:x?}");
            assert_eq!(pattern(words, 0x10, |lane| 4 * lane), Some(Pattern::Uniform), "one lane");
            assert_eq!(pattern(words, ALL, |lane| 8 * lane), Some(Pattern::Random), "too far apart");
            assert_eq!(pattern(words, ALL, |lane| 4 * (lane ^ 1)), Some(Pattern::Random), "not in order");
            assert_eq!(pattern(words, 0, |lane| 4 * lane), None, "nobody");
        }
        assert_eq!(pattern(STORE_X2, ALL, |lane| 8 * lane), Some(Pattern::Consecutive));
        assert_eq!(pattern(STORE_X2, ALL, |lane| 4 * lane), Some(Pattern::Random), "they overlap");
        // The upper half of the lanes is beyond the allocation.
        assert_eq!(
            pattern(DS_READ, ALL, |lane| if lane < 32 { 4 * lane } else { 0x2_0000 }),
            Some(Pattern::Consecutive)
        );
    }

    #[test]
    fn lines_of_memory_are_counted_once() {
        let lines = |words, exec, address: &dyn Fn(u32) -> u32| footprint(words, exec, address).unwrap().lines;
        for words in [LOAD, BUFFER_LOAD] {
            assert_eq!(lines(words, u64::MAX, &|lane| 64 + 4 * lane), Some(4), "256 bytes: {words:x?}");
            assert_eq!(lines(words, u64::MAX, &|lane| 64 + 4 * lane + 32), Some(5), "not aligned: {words:x?}");
            assert_eq!(lines(words, u64::MAX, &|_| 68), Some(1), "{words:x?}");
            assert_eq!(lines(words, u64::MAX, &|lane| 256 * lane), Some(64), "one for each lane: {words:x?}");
            assert_eq!(lines(words, u64::MAX, &|lane| 4 * (lane ^ 5)), Some(4), "any order: {words:x?}");
        }
        // Eight bytes across the end of a line.
        assert_eq!(lines(STORE_X2, 1, &|_| 60), Some(2));
        assert_eq!(lines(DS_READ, u64::MAX, &|lane| 4 * lane), None);
    }

    #[test]
    fn conflicts_are_cycles_beyond_the_least() {
        let banks = |words, exec, address: &dyn Fn(u32) -> u32| {
            let banks = footprint(words, exec, address).unwrap().banks.unwrap();
            (banks.cycles, banks.conflicts)
        };
        // ds_write2_b32 v2, v3, v4 offset1:1; ds_add_u32 v2, v3; ds_read_b64 v[0:1], v2
        let write2 = [0xd81c_0100, 0x0004_0302];
        let add = [0xd800_0000, 0x0000_0302];
        let read_b64 = [0xd8ec_0000, 0x0000_0002];
        const ALL: u64 = u64::MAX;
        assert_eq!(banks(DS_READ, ALL, &|lane| 4 * lane), (2, 0), "a cycle for each half");
        assert_eq!(banks(DS_READ, 0xffff_ffff, &|lane| 4 * lane), (1, 0), "one half");
        assert_eq!(banks(DS_READ, ALL, &|_| 64), (2, 0), "all lanes share a dword");
        assert_eq!(banks(DS_READ, ALL, &|lane| lane), (2, 0), "four lanes share a dword");
        assert_eq!(banks(DS_READ, ALL, &|lane| 8 * lane), (4, 2), "every other bank");
        assert_eq!(banks(DS_READ, ALL, &|lane| 128 * lane), (64, 62), "one bank");
        assert_eq!(banks(DS_READ, ALL, &|lane| 132 * lane), (2, 0), "rows with a dword between them");
        assert_eq!(banks(read_b64, ALL, &|lane| 8 * lane), (4, 0), "twice the data, twice the time");
        assert_eq!(banks(write2, ALL, &|lane| 8 * lane), (4, 0), "both addresses count");
        assert_eq!(banks(add, ALL, &|_| 64), (64, 62), "atomics take turns");
        assert_eq!(footprint(LOAD, ALL, |lane| 4 * lane).unwrap().banks, None);
    }
}
