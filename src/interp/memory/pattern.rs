//! How the active lanes of a memory instruction lie to each other, found without executing it: for profiles.

use gcnsim_isa::{Mode, Notes};
use gcnsim_machine::{Access, Context};

use super::lanes::lanes_of;
use super::{Action, Machine, MemoryOp};
use crate::Wave;

/// How the addresses of lanes lie to each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Pattern {
    /// All lanes access one address.
    Uniform,
    /// Each lane accesses what follows the data of the lane before it, as if inactive lanes took part.
    Consecutive,
    /// Anything else.
    Random,
}

impl MemoryOp {
    /// The kind of access of a vector memory or DS instruction. `None` of scalar memory, and where lanes have no
    /// address of their own.
    pub(crate) fn access(&self) -> Option<Access> {
        match &self.action {
            Action::Scalar(_) => None,
            Action::Flat(op) => Some(op.access()),
            Action::Buffer(op) => op.access(),
            Action::Share(op) => op.access(),
        }
    }

    /// How the addresses lie that it would access now; `None` if it would access none. Lanes out of range do not
    /// count.
    pub(crate) fn pattern(&self, wave: &mut Wave, context: &mut Context) -> Option<Pattern> {
        let exec = wave.state.exec();
        if wave.state.mode & Mode::VSKIP != 0 || exec == 0 {
            return None;
        }
        let (arch, state, vgprs) = (self.arch, &wave.state, wave.vgprs.regs_mut());
        let mut machine = Machine { arch, state, vgprs, context, notes: Notes::NONE };
        let located = match &self.action {
            Action::Scalar(_) => return None,
            Action::Flat(op) => op.located(&mut machine),
            Action::Buffer(op) => op.located(&mut machine),
            Action::Share(op) => op.located(&mut machine),
        };
        let places = lanes_of(exec).zip(&located).filter_map(|(lane, pieces)| Some((lane, *pieces.iter().next()?)));
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
}

#[cfg(test)]
mod tests {
    use gcnsim_isa::{Arch, Program, reg};

    use super::*;

    /// The pattern of an instruction whose address is in v2 (or v[2:3]), by lane.
    fn pattern(words: [u32; 2], exec: u64, address: impl Fn(u32) -> u32) -> Option<Pattern> {
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
        op.pattern(&mut wave, &mut Context::ready(64 << 10))
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
}
