//! Finds the instructions that a kernel may reach.

use std::sync::Arc;

use gcnsim_isa::{Flow, Inst, Opcode, Sop1};

use crate::areas::AreaKind;
use crate::codemap::{CodeMap, scalar_writes, source_pair};

/// A search from a kernel's entry. It is reused for all kernels to reuse its memory.
#[derive(Default)]
pub(super) struct Reach {
    /// Numbers of the instructions reached, in no particular order.
    pub numbers: Vec<u32>,
    /// For each instruction, the number of the last search that reached it.
    seen: Vec<u32>,
    walk: u32,
    work: Vec<u64>,
}

/// Facts that decide which jumps are returns. In sets, bit n is the register pair that begins at s[2n].
#[derive(Default)]
struct Returns {
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
    fn see(&mut self, inst: &Inst, resolved: bool) {
        match inst.flow() {
            Flow::Call | Flow::SwapPc => {
                self.given |= inst.dst().map_or(0, |n| 1 << (n / 2));
                self.odd |= inst.flow() == Flow::SwapPc && !resolved;
                return;
            }
            Flow::Indirect if !resolved => match source_pair(inst) {
                Some(n) if inst.opcode == Opcode::Sop1(Sop1::SSetpcB64) => self.jumps |= 1 << (n / 2),
                _ => self.odd = true,
            },
            Flow::Fork if !resolved => self.odd = true,
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
    fn explain_all(&self) -> bool {
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

impl Reach {
    /// Fills [`Reach::numbers`] with the instructions that may be reached from `entry`. Returns whether there is a jump
    /// with an unknown target that is not a return.
    pub fn follow(&mut self, map: &CodeMap<'_>, entry: u64) -> bool {
        self.numbers.clear();
        self.walk += 1;
        let mut returns = Returns::default();
        self.work.push(entry);
        self.drain(map, &mut returns);
        if returns.explain_all() {
            return false;
        }
        let own = map.object.section_at(entry).and_then(|s| s.area_at(entry)).map(|area| area.names.clone());
        for section in &map.object.sections {
            for area in &section.areas {
                let anyones = matches!(area.kind, AreaKind::Function | AreaKind::Label | AreaKind::Unnamed);
                let is_own = own.as_ref().is_some_and(|own| Arc::ptr_eq(own, &area.names));
                let is_own = is_own && area.kind == AreaKind::Kernel;
                if !anyones && !is_own {
                    continue;
                }
                for number in map.of_area(section, area) {
                    let decoded = map.get(number);
                    // A zero dword that is not reached and has no symbol may be padding.
                    if area.kind != AreaKind::Unnamed || decoded.word != 0 {
                        self.work.push(decoded.address);
                        self.drain(map, &mut returns);
                    }
                }
            }
        }
        true
    }

    fn drain(&mut self, map: &CodeMap<'_>, returns: &mut Returns) {
        while let Some(mut address) = self.work.pop() {
            while let Some(number) = map.number_at(address) {
                if self.seen.len() <= number {
                    self.seen.resize(number + 1, 0);
                }
                if std::mem::replace(&mut self.seen[number], self.walk) == self.walk {
                    break;
                }
                // An object has fewer than 2^32 dwords of code.
                self.numbers.push(number as u32);
                let decoded = map.get(number);
                address = decoded.address.wrapping_add(decoded.size());
                let Ok(inst) = &decoded.inst else { continue };
                self.work.extend(decoded.target);
                returns.see(inst, decoded.target.is_some());
                if matches!(inst.flow(), Flow::End | Flow::Branch | Flow::Indirect) {
                    break;
                }
            }
        }
    }
}
