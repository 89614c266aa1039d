//! What predecoding needs to know of each instruction, whatever its operands: made once per generation from the `step` functions of
//! the encodings' modules.

use std::sync::OnceLock;

use gcnsim_isa::table::{Sop2, Sopp, core_rows};
use gcnsim_isa::{Arch, InstDesc, Opcode, Pred, Resolved, SourceKind, SourcePlace};

use super::op::{Any, Exec, Imm, Op, Reg, Role, Step, leave};
use super::register::{Place, RegCode};
use super::{sop1, sop2, sopc, sopk, sopp, vopc};

/// One instruction of the core.
pub(super) struct Template {
    opcode: Opcode,
    /// What it does, by [`SourcePlace::shapes`].
    exec: [Exec; 4],
    /// The same together with a branch behind it that is taken if SCC is 0 or 1.
    exec_and_branch: [[Option<Exec>; 2]; 4],
    /// For such a branch, that value of SCC.
    pub taken_if: Option<bool>,
    /// By bit 0 of SIMM16, which decides about S_SETHALT.
    role: [Role; 2],
    /// [`gcnsim_isa::Kind`] as a number.
    pub kind: u8,
    pred: Pred,
    /// Bits of the first dword that are [`Op::field`], and the same if it is a constant.
    field_mask: u16,
    field: u16,
    /// Is SIMM16 the distance to a direct target?
    has_target: bool,
}

/// An example of each of [`SourcePlace::shapes`].
const SHAPES: [[SourceKind; 2]; 4] = [
    [SourceKind::Sgpr, SourceKind::Sgpr],
    [SourceKind::Imm, SourceKind::Sgpr],
    [SourceKind::Sgpr, SourceKind::Imm],
    [SourceKind::Scc, SourceKind::Scc],
];

impl Template {
    /// Those of a generation, indexed by [`Resolved::row`].
    pub fn all(arch: Arch) -> &'static [Template] {
        static TEMPLATES: [OnceLock<Box<[Template]>>; 5] = [const { OnceLock::new() }; 5];
        TEMPLATES[arch as usize].get_or_init(|| core_rows().map(|desc| Template::new(arch, desc)).collect())
    }

    fn new(arch: Arch, desc: &InstDesc) -> Template {
        let steps = SHAPES.map(|kinds| step(desc.opcode, kinds, 0));
        let role = [0, 1].map(|simm16| step(desc.opcode, SHAPES[0], simm16).role);
        let (field_mask, field) = match desc.opcode {
            Opcode::Sop1(_) => (0, arch.sgpr_count() as u16),
            Opcode::Sopc(_) | Opcode::Sopk(_) | Opcode::Sopp(_) => (0xffff, 0),
            Opcode::Vopc(_) => (0, vopc::field(arch)),
            Opcode::Sop2(_) | Opcode::Other(_) => (0, 0),
        };
        let exec_and_branch = SHAPES.map(|kinds| [false, true].map(|scc| step_and_branch(desc.opcode, kinds, scc)));
        let taken_if = match desc.opcode {
            Opcode::Sopp(Sopp::SCbranchScc0) => Some(false),
            Opcode::Sopp(Sopp::SCbranchScc1) => Some(true),
            _ => None,
        };
        let pred = match desc.opcode {
            Opcode::Vopc(opcode) => opcode.cmp().pred,
            _ => Pred::F,
        };
        let has_target = matches!(desc.opcode, Opcode::Sopk(_) | Opcode::Sopp(_));
        let exec = steps.map(|step| step.exec);
        let kind = desc.kind as u8;
        let opcode = desc.opcode;
        Template { opcode, exec, exec_and_branch, taken_if, role, kind, pred, field_mask, field, has_target }
    }

    /// Role of an instruction whose first dword is `word`.
    #[inline(always)]
    pub fn role(&self, word: u32) -> Role {
        self.role[word as usize & 1]
    }

    /// What `inst` does.
    #[inline(always)]
    pub fn exec(&self, inst: &Resolved) -> Exec {
        self.exec[SourcePlace::shapes([inst.src[0].place, inst.src[1].place])]
    }

    /// What an instruction and a branch behind it do, if there is a function for both.
    pub fn exec_and_branch(&self, op: &Op, taken_if: bool) -> Option<Exec> {
        self.exec_and_branch[SourcePlace::shapes(op.src.map(Place::get))][taken_if as usize]
    }

    /// What an instruction and a link of a carry chain behind it do, if there is a function for both.
    pub fn exec_and_link(&self, op: &Op, link: &Template, link_op: &Op) -> Option<Exec> {
        let (Opcode::Sop2(first), Opcode::Sop2(second)) = (self.opcode, link.opcode) else { return None };
        step_and_link([first, second], [op, link_op].map(|op| op.src.map(Place::kind)))
    }

    /// The instruction `inst`, whose first dword is `word` and behind which is the address `next`.
    #[inline(always)]
    pub fn op(&self, inst: &Resolved, word: u32, next: u64) -> Op {
        // Addresses go where constant sources leave room for them.
        let [src0, src1] = [inst.src[0].place, inst.src[1].place];
        Op {
            next: leave,
            imm: [inst.src[0].value, if src1.is(SourceKind::Imm) { inst.src[1].value } else { next }],
            src: [Place::new(src0), Place::new(src1)],
            field: word as u16 & self.field_mask | self.field | inst.modifiers as u16,
            dst: RegCode::new(inst.dst),
            pred: self.pred,
        }
    }

    /// Completes the last instruction of a block: its direct target.
    pub fn set_target(&self, op: &mut Op, word: u32, next: u64) {
        if !op.src[0].is(SourceKind::Imm) {
            let distance = if self.has_target { 4 * (word as i16) as i64 } else { 0 };
            op.imm[0] = next.wrapping_add_signed(distance);
        }
    }
}

/// Function and role of an instruction with sources of these kinds and this SIMM16.
fn step(opcode: Opcode, kind: [SourceKind; 2], simm16: i16) -> Step {
    use SourceKind::{Imm as I, Sgpr as R};
    match opcode {
        Opcode::Sop1(opcode) => match kind[0] {
            R => sop1::step::<Reg>(opcode),
            I => sop1::step::<Imm>(opcode),
            _ => sop1::step::<Any>(opcode),
        },
        Opcode::Sop2(opcode) => match kind {
            [R, R] => sop2::step::<Reg, Reg>(opcode),
            [R, I] => sop2::step::<Reg, Imm>(opcode),
            [I, R] => sop2::step::<Imm, Reg>(opcode),
            _ => sop2::step::<Any, Any>(opcode),
        },
        Opcode::Sopc(opcode) => match kind {
            [R, R] => sopc::step::<Reg, Reg>(opcode),
            [R, I] => sopc::step::<Reg, Imm>(opcode),
            [I, R] => sopc::step::<Imm, Reg>(opcode),
            _ => sopc::step::<Any, Any>(opcode),
        },
        Opcode::Sopk(opcode) => match kind[0] {
            I => sopk::step::<Imm, Imm>(opcode),
            _ => sopk::step::<Reg, Imm>(opcode),
        },
        Opcode::Sopp(opcode) => sopp::step(opcode, simm16),
        Opcode::Vopc(opcode) => vopc::step(opcode.cmp()),
        Opcode::Other(_) => Step::stop(Role::Stop),
    }
}

/// Function of an instruction with sources of these kinds and a branch behind it that is taken if SCC is `taken_if`, for the
/// commonest shapes of scalar compares.
fn step_and_branch(opcode: Opcode, kind: [SourceKind; 2], taken_if: bool) -> Option<Exec> {
    use SourceKind::{Imm as I, Sgpr as R};
    use sopc::step_and_branch as step;
    let Opcode::Sopc(opcode) = opcode else { return None };
    match (kind, taken_if) {
        ([R, R], false) => step::<Reg, Reg, false>(opcode),
        ([R, R], true) => step::<Reg, Reg, true>(opcode),
        ([R, I], false) => step::<Reg, Imm, false>(opcode),
        ([R, I], true) => step::<Reg, Imm, true>(opcode),
        _ => None,
    }
}

/// Function of an instruction with sources of these kinds and of a link of a carry chain behind it, for the commonest shapes.
fn step_and_link([first, link]: [Sop2; 2], kinds: [[SourceKind; 2]; 2]) -> Option<Exec> {
    use SourceKind::{Imm as I, Sgpr as R};
    use sop2::step_and_link as step;
    match kinds {
        [[R, R], [R, R]] => step::<Reg, Reg, Reg, Reg>(first, link),
        [[R, R], [R, I]] => step::<Reg, Reg, Reg, Imm>(first, link),
        [[R, I], [R, I]] => step::<Reg, Imm, Reg, Imm>(first, link),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_those_of_the_examples() {
        let shapes = |kinds: [SourceKind; 2]| SourcePlace::shapes(kinds.map(SourcePlace::of_kind));
        assert_eq!(SHAPES.map(shapes), [0, 1, 2, 3]);
        use SourceKind::{Execz, Imm, Scc, Sgpr, Vccz, Vgpr};
        for other in [Vccz, Execz, Scc, Vgpr] {
            for kind in [Sgpr, Imm, other] {
                assert_eq!([[kind, other], [other, kind]].map(shapes), [3, 3]);
            }
        }
        assert_eq!(shapes([Imm, Imm]), 3);
    }
}
