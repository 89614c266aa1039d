//! Moves from or to a VGPR whose number is computed: V_MOV_B32 in GPR-index mode, and V_MOVREL.
//!
//! The caller computes the numbers and compares them with the number of the wave's VGPRs. The frame has the distances
//! of the registers from VGPR 0, in bytes. Moves read and write VGPRs in memory: sources are read where the instruction
//! stands, destinations are written when the chunk is complete. That is right as long as no such register is one that
//! the segment names and keeps elsewhere. These are the [conflicts](Moved::conflicts) of the operand: the caller tests
//! whether its number is among them, and if so, helpers execute the segment.

use gcnsim_isa::table::{Sop1, Sopc, Sopp, Vop1};
use gcnsim_isa::{Inst, Opcode, Src, VgprSet};

use super::{Lanes, Lowering};
use crate::segments::list::{Action, Value};
use crate::special::{Indexing, Special};

/// An operand of a move whose number is computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Moved {
    /// Number of the instruction.
    pub at: usize,
    /// Whether it is the destination. Otherwise it is source 0.
    pub is_destination: bool,
    /// The first of two slots of the frame: they have the distance of the register from VGPR 0 in bytes.
    pub slot: u8,
    /// The registers that the operand must not be.
    pub conflicts: VgprSet,
}

/// Whether the instruction changes GPR-index mode or its index.
pub(crate) fn changes_index(inst: &Inst) -> bool {
    matches!(
        inst.opcode,
        Opcode::Sop1(Sop1::SSetGprIdxIdx)
            | Opcode::Sopc(Sopc::SSetGprIdxOn)
            | Opcode::Sopp(Sopp::SSetGprIdxOff | Sopp::SSetGprIdxMode)
    )
}

/// The moves of a segment.
#[derive(Default)]
pub(in crate::segments) struct Moves {
    /// What is known of VSKIP and GPR-index mode, if the segment takes moves.
    pub special: Option<Special>,
    /// Operands with computed numbers, in the order of instructions.
    pub all: Vec<Moved>,
    /// Values of destinations, and their slots.
    pub stores: Vec<(u8, Value)>,
    /// The slot that tells of a conflict, if there are moves.
    pub conflict_slot: Option<u8>,
    /// Registers that destinations and sources count from. Arrays begin there.
    bases: VgprSet,
}

impl Moves {
    /// Forgets the moves behind the first `count` operands and `stores` stores, those of an instruction that is not
    /// taken. No instruction follows it, so the bases may stay.
    pub fn truncate(&mut self, count: usize, stores: usize) {
        self.all.truncate(count);
        self.stores.truncate(stores);
    }
}

/// The operands of an instruction that are moved: source 0, destination.
type Operands = [bool; 2];

impl Lowering<'_> {
    /// Lets the segment take moves. It begins where `special` is known.
    pub fn with_moves(mut self, special: Special) -> Self {
        self.moves.special = Some(special);
        self
    }

    /// Takes an instruction if an operand of it has a computed number: `Some(None)` if it is refused, `None` if it has
    /// no such operand.
    pub(super) fn moved(&mut self, inst: &Inst) -> Option<Option<()>> {
        let operands = match self.moved_operands(inst) {
            Some([false, false]) => return if self.names_a_base(inst) { Some(None) } else { None },
            Some(operands) => operands,
            None => return Some(None),
        };
        Some(self.moves_lanes(inst, operands))
    }

    /// The operands of an instruction that are moved; `None` if the segment cannot take it.
    fn moved_operands(&self, inst: &Inst) -> Option<Operands> {
        let is_movrel = matches!(inst.opcode, Opcode::Vop1(Vop1::VMovrelsB32 | Vop1::VMovreldB32 | Vop1::VMovrelsdB32));
        let Some(special) = self.moves.special else { return (!is_movrel).then_some([false; 2]) };
        let is_plain = inst.sdwa().is_none() && super::is_plain(inst);
        match (special.indexing, inst.opcode) {
            _ if special.may_skip => None,
            (Indexing::Off, Opcode::Vop1(Vop1::VMovrelsB32)) if is_plain => Some([true, false]),
            (Indexing::Off, Opcode::Vop1(Vop1::VMovreldB32)) if is_plain => Some([false, true]),
            (Indexing::Off, Opcode::Vop1(Vop1::VMovrelsdB32)) if is_plain => Some([true, true]),
            (Indexing::Off, _) => Some([false; 2]),
            (Indexing::On(operands), Opcode::Vop1(Vop1::VMovB32)) if is_plain => {
                Some([operands & 1 != 0 && matches!(inst.src(0), Src::Vgpr(_)), operands & 8 != 0])
            }
            (Indexing::On(_) | Indexing::Unknown, _) => None,
        }
    }

    /// Whether the instruction names a register that a move counts from: it is likely to be the one that is moved.
    fn names_a_base(&self, inst: &Inst) -> bool {
        if self.moves.all.is_empty() {
            return false;
        }
        let (reads, writes) = (inst.reads().vgprs, inst.writes().vgprs);
        let has = |set: VgprSet| set.0.iter().zip(self.moves.bases.0).any(|(a, b)| a & b != 0);
        has(writes) || !self.moves.stores.is_empty() && has(reads)
    }

    fn moves_lanes(&mut self, inst: &Inst, [source, destination]: Operands) -> Option<()> {
        let vdst = inst.vdst()?;
        // Sources are read before destinations are written, and loads of guest memory come before all.
        if self.list.loads > 0 || source && !self.moves.stores.is_empty() {
            return None;
        }
        let value = match inst.src(0) {
            Src::Vgpr(n) if source => {
                if self.written[n as usize] {
                    return None;
                }
                let slot = self.moved_operand(n, false)?;
                self.list.node(Action::Moved(slot), [Value::NONE; 3], 0)
            }
            _ if source => return None,
            _ => self.source(inst, 0)?,
        };
        if destination {
            if self.names(vdst) {
                return None;
            }
            let slot = self.moved_operand(vdst, true)?;
            self.moves.stores.push((slot, value));
        } else {
            if self.moves.bases.contains(vdst) {
                return None;
            }
            self.vgprs[vdst as usize] = Lanes::Value(value);
            self.written[vdst as usize] = true;
        }
        Some(())
    }

    /// Adds an operand that counts from VGPR `n`. Returns its slot.
    fn moved_operand(&mut self, n: u8, is_destination: bool) -> Option<u8> {
        if self.moves.conflict_slot.is_none() {
            self.moves.conflict_slot = Some(self.scalars.more_slots()?);
        }
        let slot = self.scalars.more_slots()?;
        self.moves.bases.insert(n, 1);
        self.moves.all.push(Moved { at: self.count, is_destination, slot, conflicts: VgprSet::default() });
        Some(slot)
    }

    /// The operands of the first `len` instructions, with their conflicts: a source with registers that the segment
    /// writes, a destination with those that it reads or writes.
    pub fn moved_operands_of(&self, len: usize) -> Vec<Moved> {
        let named = |reads: bool| {
            let mut set = VgprSet::default();
            let is_named = |&n: &u8| self.written[n as usize] || reads && self.names(n);
            (0..=255).filter(is_named).for_each(|n| set.insert(n, 1));
            set
        };
        let [sources, destinations] = [named(false), named(true)];
        let all = self.moves.all.iter().filter(|moved| moved.at < len);
        all.map(|&moved| Moved { conflicts: if moved.is_destination { destinations } else { sources }, ..moved })
            .collect()
    }
}
