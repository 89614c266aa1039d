//! Jumps that are returns by convention: they read a pair that only calls, copies and restores write.

use gcnsim_isa::{Flow as Leave, Inst, Opcode, Sop1};

use crate::ways::{scalar_writes, source_pair};

/// Facts that decide which jumps are returns. In sets, bit n is the register pair that begins at `s[2n]`.
#[derive(Default, Debug)]
pub struct Returns {
    /// Pairs that calls write return addresses to.
    given: u64,
    /// Copies from pair to pair.
    copies: Vec<(u8, u8)>,
    /// Pairs that V_READLANE writes. A function restores spilled registers by it.
    restored: u64,
    /// Pairs that other instructions write.
    other: u64,
    /// Pairs that jumps with an unknown target read.
    jumps: u64,
    /// Whether there is an unresolved jump or call that cannot be a return.
    odd: bool,
}

impl Returns {
    /// Takes an instruction into account. `is_resolved` says whether the target of its jump or call is known.
    pub fn see(&mut self, inst: &Inst, is_resolved: bool) {
        match inst.flow() {
            Leave::Call | Leave::SwapPc => {
                self.given |= inst.dst().map_or(0, |n| 1 << (n / 2));
                self.odd |= inst.flow() == Leave::SwapPc && !is_resolved;
                return;
            }
            Leave::Indirect if !is_resolved => match source_pair(inst) {
                Some(n) if inst.opcode == Opcode::Sop1(Sop1::SSetpcB64) => self.jumps |= 1 << (n / 2),
                _ => self.odd = true,
            },
            Leave::Fork if !is_resolved => self.odd = true,
            _ => {}
        }
        let mut written = scalar_writes(inst);
        if inst.opcode == Opcode::Sop1(Sop1::SMovB64)
            && let (Some(from), Some(to)) = (source_pair(inst), inst.dst())
            && to.is_multiple_of(2)
        {
            self.copies.push((from / 2, to / 2));
            return;
        }
        let restores = inst.desc().mnemonic == "v_readlane_b32";
        while written != 0 {
            let pair = written.trailing_zeros() / 2;
            written &= !(3 << (2 * pair));
            *(if restores { &mut self.restored } else { &mut self.other }) |= 1 << pair;
        }
    }

    /// Whether every jump with an unknown target reads a return address.
    pub fn explain_all(&self) -> bool {
        let mut returns = (self.given | self.restored) & !self.other;
        loop {
            let copied = self.copies.iter().filter(|(from, to)| returns >> from & 1 == 1 && self.other >> to & 1 == 0);
            let more = copied.fold(returns, |set, (_, to)| set | 1 << to);
            if more == returns {
                break;
            }
            returns = more;
        }
        let spoilt = self.copies.iter().filter(|(from, _)| returns >> from & 1 == 0);
        let returns = spoilt.fold(returns, |set, (_, to)| set & !(1 << to));
        !self.odd && self.jumps & !returns == 0 && (self.jumps == 0 || self.given != 0)
    }
}
