//! What predecoding has to know of each opcode, whatever its operands, from the `step` functions of the encodings'
//! modules. A process that executes few instructions decodes each by itself ([`Plain`]). Tables are made once per
//! generation, when more are decoded: that takes as long as decoding some thousand instructions does.

use std::hint::{cold_path, select_unpredictable};
use std::sync::OnceLock;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use gcnsim_isa::table::Sopp;
use gcnsim_isa::{
    Arch, Found, Incomplete, InstDesc, Opcode, OperandType, Operands, Pred, Resolved, Resolver, SourceKind,
    SourcePlace, decode,
};

use super::classes::Classes;
use super::op::{Any, Exec, Imm, Op, Reg, Role, Simm, Step, Traits, Uimm, leave};
use super::{sop1, sop2, sopc, sopk, sopp, vopc};

/// The entry of one opcode of a generation.
pub(super) struct Template {
    /// The functions of the opcode, by [`SourcePlace::shapes`].
    exec: [Exec; 4],
    /// [`Op::field`]: these bits of the first dword, or else the constant below.
    field_mask: u16,
    field: u16,
    pred: Pred,
    /// The way in which the opcode ends a block.
    end: End,
    /// Kind and role of the opcode, unless SIMM16 decides about the role.
    pub traits: Traits,
    /// The addend for [`Classes`](super::classes::Classes) for one instruction.
    pub one: u64,
}

/// The way in which an opcode ends blocks.
#[derive(Clone, Copy, PartialEq)]
enum End {
    /// Control goes on to the next instruction, whatever SIMM16.
    Never,
    /// The instruction ends the program, or jumps without a direct target.
    Always,
    /// SIMM16 is the distance to a direct target.
    WithTarget,
    /// The instruction halts if bit 0 of SIMM16 is set (S_SETHALT).
    IfOdd,
    /// The instruction stops the run unless SIMM16\[7:0\] is 3 (S_TRAP).
    UnlessThree,
}

// Together with what the resolver needs it fits a cache line.
const _: () = assert!(size_of::<Template>() <= 48);

/// An example of each of [`SourcePlace::shapes`].
const SHAPES: [[SourceKind; 2]; 4] = [
    [SourceKind::Sgpr, SourceKind::Sgpr],
    [SourceKind::Imm, SourceKind::Sgpr],
    [SourceKind::Sgpr, SourceKind::Imm],
    [SourceKind::Scc, SourceKind::Scc],
];

/// The tables of each generation.
static TEMPLATES: [OnceLock<Box<Resolver<Template>>>; Arch::ALL.len()] = [const { OnceLock::new() }; Arch::ALL.len()];

/// Number of instructions of each generation that were decoded without tables.
static DECODED: [AtomicU32; Arch::ALL.len()] = [const { AtomicU32::new(0) }; Arch::ALL.len()];

/// Most instructions that are decoded without tables. More take longer than making the tables.
const MOST_PLAIN: u32 = 2048;

/// The tables of a generation, if they are there or it pays to make them.
pub(super) fn useful(arch: Arch) -> Option<&'static Resolver<Template>> {
    let made = TEMPLATES[arch as usize].get().map(|made| &**made);
    made.or_else(|| (DECODED[arch as usize].load(Relaxed) >= MOST_PLAIN).then(|| templates(arch)))
}

/// Counts instructions that were decoded without tables.
pub(super) fn count_plain(arch: Arch, count: u32) {
    DECODED[arch as usize].fetch_add(count, Relaxed);
}

/// The tables of a generation.
pub(super) fn templates(arch: Arch) -> &'static Resolver<Template> {
    TEMPLATES[arch as usize].get_or_init(|| Resolver::new(arch, || Template::NONE, |desc| Template::new(arch, desc)))
}

/// The function of a compare and the next instruction, a branch, if there is one for both.
pub(super) fn compare_and_branch(
    ((compare, opcode), (_, branch)): ((Resolved, Opcode), (Resolved, Opcode)),
) -> Option<Exec> {
    let kinds = compare.src.map(|src| src.place.kind());
    let taken_if = match branch {
        Opcode::Sopp(Sopp::SCbranchScc0) => false,
        Opcode::Sopp(Sopp::SCbranchScc1) => true,
        _ => return None,
    };
    step_and_branch(opcode, kinds, taken_if)
}

/// The function of an instruction of a carry chain and the next link, if there is one for both. There is one for the
/// commonest shapes.
pub(super) fn chain_and_link(roles: [Role; 2], ops: [&Op; 2]) -> Option<Exec> {
    use SourceKind::{Imm as I, Sgpr as R};
    use sop2::step_and_link as step;
    match ops.map(|op| op.src.map(|src| src.kind())) {
        [[R, R], [R, R]] => step::<Reg, Reg, Reg, Reg>(roles),
        [[R, R], [R, I]] => step::<Reg, Reg, Reg, Imm>(roles),
        [[R, I], [R, I]] => step::<Reg, Imm, Reg, Imm>(roles),
        _ => None,
    }
}

/// Finds instructions that can be executed, with their operands and templates.
pub(super) trait Look {
    /// What is known of an instruction for which [`Look::look_up`] failed.
    type Rest<'a>
    where
        Self: 'a;

    /// Looks up an ordinary instruction of one dword.
    fn look_up<'a>(&'a self, word: u32, op: &mut Op) -> Result<Found<'a, Template>, Self::Rest<'a>>;

    /// Completes any other instruction. `next` is the dword after `word`, and `own` the place for a template that is in
    /// no table. `None` if a wave cannot execute it, or its operands do not fit an [`Op`].
    fn complete<'a>(
        &'a self,
        rest: Self::Rest<'a>,
        word: u32,
        next: Option<u32>,
        op: &mut Op,
        own: &'a mut Template,
    ) -> Option<Found<'a, Template>>;
}

impl Look for Resolver<Template> {
    type Rest<'a> = Incomplete<'a, Template>;

    #[inline(always)]
    fn look_up<'a>(&'a self, word: u32, op: &mut Op) -> Result<Found<'a, Template>, Self::Rest<'a>> {
        Resolver::look_up(self, word, op)
    }

    #[inline(always)]
    fn complete<'a>(
        &'a self,
        rest: Self::Rest<'a>,
        word: u32,
        next: Option<u32>,
        op: &mut Op,
        _own: &'a mut Template,
    ) -> Option<Found<'a, Template>> {
        Resolver::complete(self, rest, word, next, op)
    }
}

/// Decodes each instruction of a generation by itself.
pub(super) struct Plain(pub Arch);

impl Look for Plain {
    type Rest<'a> = ();

    #[inline(always)]
    fn look_up<'a>(&'a self, _word: u32, _op: &mut Op) -> Result<Found<'a, Template>, ()> {
        Err(())
    }

    #[inline(never)]
    fn complete<'a>(
        &'a self,
        _rest: (),
        word: u32,
        next: Option<u32>,
        op: &mut Op,
        own: &'a mut Template,
    ) -> Option<Found<'a, Template>> {
        let inst = decode(self.0, word, next).ok()?;
        let Resolved { words, dst, modifiers, src, notes } = Resolved::of(&inst)?;
        op.source(0, src[0]);
        op.source(1, src[1]);
        op.destination(dst);
        *own = Template::new(self.0, inst.desc());
        Some(Found { of_user: own, words, modifiers, notes })
    }
}

impl Template {
    /// The entry of an opcode that does not exist.
    pub const NONE: Template = Template {
        exec: [leave; 4],
        field_mask: 0,
        field: 0,
        pred: Pred::F,
        end: End::Always,
        traits: Traits { role: Role::Stop, kind: 0 },
        one: Classes::one(0),
    };

    fn new(arch: Arch, desc: &InstDesc) -> Template {
        let (field_mask, field) = match desc.opcode {
            Opcode::Sop1(_) => (0, arch.sgpr_count() as u16),
            Opcode::Sopc(_) | Opcode::Sopk(_) | Opcode::Sopp(_) => (0xffff, 0),
            Opcode::Vopc(_) => (0, vopc::field(arch)),
            Opcode::Sop2(_) => (0, 0),
            Opcode::Vop1(_) | Opcode::Vop2(_) | Opcode::Vop3(_) | Opcode::Vop3p(_) | Opcode::Vintrp(_) => (0, 0),
            Opcode::Smrd(_) | Opcode::Smem(_) | Opcode::Flat(_) | Opcode::Global(_) | Opcode::Scratch(_) => (0, 0),
            Opcode::Mubuf(_) | Opcode::Mtbuf(_) | Opcode::Ds(_) | Opcode::Mimg(_) | Opcode::Exp(_) => (0, 0),
        };
        let roles = [0, 1, 3].map(|simm16| step(desc, SHAPES[0], simm16).role);
        let end = match roles {
            [even, odd, three] if even.goes_on() && odd.goes_on() && three.goes_on() => End::Never,
            [even, Role::Halt, Role::Halt] if even.goes_on() => End::IfOdd,
            [Role::Stop, Role::Stop, three] if three.goes_on() => End::UnlessThree,
            [even, odd, three] => {
                assert!(even == odd && odd == three, "SIMM16 decides about {}", desc.mnemonic);
                let has_target = matches!(desc.opcode, Opcode::Sopk(_) | Opcode::Sopp(_));
                if has_target { End::WithTarget } else { End::Always }
            }
        };
        Template {
            exec: SHAPES.map(|kinds| step(desc, kinds, if end == End::UnlessThree { 3 } else { 0 }).exec),
            field_mask,
            field,
            pred: match desc.opcode {
                Opcode::Vopc(opcode) => opcode.cmp().pred,
                _ => Pred::F,
            },
            end,
            traits: Traits { role: roles[0], kind: desc.kind as u8 },
            one: Classes::one(desc.kind as u8),
        }
    }

    /// Whether control goes on to the next instruction, whatever SIMM16.
    #[inline(always)]
    pub fn is_body(&self) -> bool {
        self.end == End::Never
    }

    /// Whether SIMM16 decides if it halts.
    pub fn halts_if_odd(&self) -> bool {
        self.end == End::IfOdd
    }

    /// Role of an instruction whose first dword is `word`.
    #[inline(always)]
    pub fn role(&self, word: u32) -> Role {
        if self.end == End::IfOdd {
            // Without the hint the bit, which the processor cannot predict, would be tested first.
            cold_path();
            return if word & 1 == 1 { Role::Halt } else { self.traits.role };
        }
        if self.end == End::UnlessThree && word as u8 == 3 {
            return Role::Body;
        }
        self.traits.role
    }

    /// Completes an instruction that has its operands. `word` is its first dword, and `next` the address after it.
    /// Returns its function.
    #[inline(always)]
    pub fn complete(&self, op: &mut Op, modifiers: u8, word: u32, next: u64) -> Exec {
        // Addresses go where constant sources leave room for them.
        op.imm[1] = select_unpredictable(op.src[1].is_imm(), op.imm[1], next);
        op.field = word as u16 & self.field_mask | self.field | modifiers as u16;
        op.pred = self.pred;
        self.exec[SourcePlace::shapes(op.src)]
    }

    /// Sets the direct target of the last instruction of a block.
    pub fn set_target(&self, op: &mut Op, word: u32, next: u64) {
        if !op.src[0].is_imm() {
            let distance = if self.end == End::WithTarget { 4 * (word as i16) as i64 } else { 0 };
            op.imm[0] = next.wrapping_add_signed(distance);
        }
    }
}

/// Function and role of an instruction with sources of these kinds and this SIMM16.
fn step(desc: &InstDesc, kind: [SourceKind; 2], simm16: i16) -> Step {
    use SourceKind::{Imm as I, Sgpr as R};
    match desc.opcode {
        Opcode::Sop1(opcode) => match kind[0] {
            R => sop1::step::<Reg, Reg>(opcode),
            I => sop1::step::<Imm, Imm>(opcode),
            _ => sop1::step::<Any, Any>(opcode),
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
        Opcode::Sopk(opcode) => match desc.src {
            [OperandType::simm, ..] => sopk::step::<Simm, Reg>(opcode),
            [_, OperandType::simm, ..] => sopk::step::<Reg, Simm>(opcode),
            [_, OperandType::uimm, ..] => sopk::step::<Reg, Uimm>(opcode),
            [OperandType::lit, ..] => sopk::step::<Imm, Reg>(opcode),
            _ => sopk::step::<Reg, Reg>(opcode),
        },
        Opcode::Sopp(opcode) => sopp::step(opcode, simm16),
        Opcode::Vopc(opcode) => vopc::step(opcode.cmp()),
        // Vector instructions are not executed here.
        Opcode::Vop1(_) | Opcode::Vop2(_) | Opcode::Vop3(_) | Opcode::Vop3p(_) => Step::stop(Role::Stop),
        Opcode::Smrd(_) | Opcode::Smem(_) | Opcode::Flat(_) | Opcode::Global(_) => Step::stop(Role::Stop),
        Opcode::Scratch(_) | Opcode::Mubuf(_) | Opcode::Mtbuf(_) | Opcode::Ds(_) => Step::stop(Role::Stop),
        Opcode::Vintrp(_) | Opcode::Mimg(_) | Opcode::Exp(_) => Step::stop(Role::Stop),
    }
}

/// The function of an instruction with sources of these kinds together with a branch that is taken if SCC is
/// `taken_if`. There is one for the commonest shapes of scalar compares.
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

#[cfg(test)]
mod tests {
    use gcnsim_isa::CoreNotes;

    use super::*;

    /// What is found besides operands.
    type Content = (u8, u8, CoreNotes, [usize; 4], u16, u64);

    fn content(found: &Found<Template>) -> Content {
        let Template { exec, field, one, .. } = found.of_user;
        (found.words, found.modifiers, found.notes, exec.map(|exec| exec as usize), *field, *one)
    }

    /// Tries every opcode with some operands of each kind.
    #[test]
    fn tables_and_decoding_find_the_same() {
        const LOWS: [u32; 9] = [0, 0x0102, 0x6a7e, 0x80eb, 0xf1f8, 0xff01, 0x01ff, 0xfd80, 0x0865];
        let room = || (Op::mark(0), Template::NONE);
        let mut executable = 0;
        for arch in Arch::ALL {
            for high in (0..0x10000u32).step_by(0x40).flat_map(|high| [high, high + 0x3f]) {
                for (low, next) in LOWS.into_iter().flat_map(|low| [(low, None), (low, Some(0x8000_0001))]) {
                    let word = high << 16 | low;
                    let (mut op, mut own) = room();
                    let plain = Plain(arch).complete((), word, next, &mut op, &mut own).as_ref().map(content);
                    let plain = plain.map(|content| (content, op.src, op.imm, op.dst));
                    let (mut op, mut own) = room();
                    let tables = templates(arch);
                    let found = match tables.look_up(word, &mut op) {
                        Ok(found) => Some(found),
                        Err(rest) => Look::complete(tables, rest, word, next, &mut op, &mut own),
                    };
                    let found = found.as_ref().map(content).map(|content| (content, op.src, op.imm, op.dst));
                    assert!(plain == found, "{arch} {word:08x} {next:08x?}");
                    executable += u32::from(plain.is_some());
                }
            }
        }
        assert!(executable > 10_000, "{executable}");
    }
}
