//! The lanes that operations in flight are for. Lanes that EXEC does not have need no register: the else side of a
//! branch need not wait for a load of the then side, and a turn of a loop over lanes need not wait for a load of the
//! turn before.
//!
//! For each operation the state has pairs of scalar registers with all lanes of the operation's EXEC
//! ([`Pending::over`]), and pairs with only such lanes ([`Pending::under`]). It follows the few ways in which compilers
//! copy and narrow masks. Anything else that writes EXEC makes operations sleep: nothing is reported about them, except
//! for instructions that ignore EXEC.

use gcnsim_isa::{Encoding, Inst, Opcode, Sop1, Sop2, Src, reg};

use crate::facts::{EXEC, Facts, Kind};
use crate::state::{Flags, NOTHING, Pending, State};

/// What an instruction does to EXEC.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Change {
    /// Lanes are taken away.
    Narrow,
    /// EXEC becomes the mask in a pair.
    Restore(u64),
    /// EXEC becomes the lanes of a pair that EXEC does not have.
    Rest(u64),
    /// EXEC and a pair are combined by XOR. If the pair has all lanes of EXEC, this is [`Change::Rest`].
    Toggle(u64),
    /// The lanes of a pair are added to EXEC.
    Add(u64),
    /// EXEC becomes all lanes.
    All,
    /// EXEC becomes anything else.
    Other,
}

/// What an instruction does to masks.
#[derive(Clone, Copy, Default, Debug)]
struct Masks {
    /// The pair that gets the old EXEC.
    captured: u64,
    /// The pair that loses lanes.
    shrunk: u64,
    /// The pair from which EXEC is taken by XOR. If it has all lanes of EXEC, it loses lanes.
    complement: u64,
    /// The pair that is copied, and its copy.
    copied: Option<(u64, u64)>,
    /// The change of EXEC, if it is written.
    exec: Option<Change>,
}

/// Returns the bit of the pair that begins at register `code`; 0 if no pair begins there or the pair is EXEC.
fn pair(code: Option<u8>) -> u64 {
    match code {
        Some(code) if code.is_multiple_of(2) && code < reg::M0 => 1 << (code / 2),
        _ => 0,
    }
}

fn source(inst: &Inst, i: usize) -> Option<u8> {
    if i >= inst.src_count() {
        return None;
    }
    match inst.src(i) {
        Src::Sgpr(code) => Some(code),
        _ => None,
    }
}

fn is_exec(code: Option<u8>) -> bool {
    code == Some(reg::EXEC_LO)
}

fn masks(inst: &Inst) -> Masks {
    match inst.opcode {
        Opcode::Sop1(op) => of_sop1(inst, op),
        Opcode::Sop2(op) => of_sop2(inst, op),
        _ => Masks::default(),
    }
}

fn of_sop1(inst: &Inst, op: Sop1) -> Masks {
    use Sop1::*;
    let (from, to) = (source(inst, 0), inst.dst());
    let saved = |exec: Change| Masks { captured: pair(to), exec: Some(exec), ..Masks::default() };
    match op {
        SMovB64 if is_exec(to) && inst.src(0) == Src::Imm(u64::MAX) => {
            Masks { exec: Some(Change::All), ..Masks::default() }
        }
        SMovB64 if is_exec(to) => Masks { exec: Some(Change::Restore(pair(from))), ..Masks::default() },
        SMovB64 if is_exec(from) => Masks { captured: pair(to), ..Masks::default() },
        SMovB64 => Masks { copied: Some((pair(from), pair(to))), ..Masks::default() },
        SAndSaveexecB64 | SAndn1SaveexecB64 => saved(Change::Narrow),
        SAndn2SaveexecB64 => saved(Change::Rest(pair(from))),
        SOrSaveexecB64 if inst.src(0) == Src::Imm(u64::MAX) => saved(Change::All),
        SOrSaveexecB64 => saved(Change::Add(pair(from))),
        SXorSaveexecB64 | SOrn2SaveexecB64 | SNandSaveexecB64 | SNorSaveexecB64 => saved(Change::Other),
        SXnorSaveexecB64 | SOrn1SaveexecB64 => saved(Change::Other),
        _ => Masks::default(),
    }
}

fn of_sop2(inst: &Inst, op: Sop2) -> Masks {
    use Sop2::*;
    let (a, b, to) = (source(inst, 0), source(inst, 1), inst.dst());
    let exec = |change: Change| Masks { exec: Some(change), ..Masks::default() };
    let other = if is_exec(a) { b } else { a };
    let has_exec = is_exec(a) || is_exec(b);
    match op {
        SAndB64 if is_exec(to) && has_exec => exec(Change::Narrow),
        SAndn2B64 if is_exec(to) && is_exec(a) => exec(Change::Narrow),
        SAndn2B64 if is_exec(to) && is_exec(b) => exec(Change::Rest(pair(a))),
        SXorB64 if is_exec(to) && has_exec => exec(Change::Toggle(pair(other))),
        SOrB64 if is_exec(to) && has_exec => exec(Change::Add(pair(other))),
        SAndB64 if to.is_some() && (to == a || to == b) => Masks { shrunk: pair(to), ..Masks::default() },
        SAndn2B64 if to.is_some() && to == a => Masks { shrunk: pair(to), ..Masks::default() },
        SXorB64 if has_exec && to.is_some() && other == to => Masks { complement: pair(to), ..Masks::default() },
        _ => Masks::default(),
    }
}

/// Returns the pairs of which any register is in `sgprs`.
fn pairs_of(mut sgprs: u128) -> u64 {
    let mut pairs = 0;
    while sgprs != 0 {
        let pair = sgprs.trailing_zeros() / 2;
        pairs |= 1 << pair;
        sgprs &= !(3 << (2 * pair));
    }
    pairs
}

/// Applies the effect of the instruction `i` on masks and EXEC.
pub(crate) fn apply(state: &mut State, i: u32, facts: &Facts) {
    let writes = facts.writes.sgprs;
    if writes == 0 {
        return;
    }
    let is_scalar = facts.kind == Kind::Scalar;
    let writes_exec = writes & EXEC != 0;
    let tracked = state.pending.iter().fold(state.supersets | state.whole, |all, entry| all | entry.over | entry.under);
    if !is_scalar && !writes_exec {
        let lost = pairs_of(writes);
        if tracked & lost != 0 {
            lose(state, lost);
        }
        return;
    }
    let masks = if is_scalar { masks(&facts.inst) } else { Masks::default() };
    let written = pairs_of(writes & !EXEC);
    follow_entry(state, i, &masks, written, writes_exec);
    // Facts about sources are taken before the instruction overwrites them.
    let exec_in = masks.exec.map(|change| of_sources(state, change));
    let complement = masks.complement & state.supersets;
    let copied = masks.copied.map(|(from, to)| (members(state, from), to));
    let kept = masks.shrunk | complement;
    if tracked & written != 0 {
        for entry in &mut state.pending {
            entry.over &= !written;
            entry.under &= !(written & !kept);
        }
        state.supersets &= !written;
    }
    if let Some((members, to)) = copied {
        members.apply(state, to);
    }
    if masks.captured != 0 {
        state.supersets |= masks.captured;
        for entry in state.pending.iter_mut().filter(|entry| entry.is_live && entry.is_within) {
            entry.under |= masks.captured;
        }
    }
    if !writes_exec {
        return;
    }
    state.flags.set(Flags::SOME_LANES, masks.exec != Some(Change::All));
    match (masks.exec, exec_in) {
        (Some(change), Some(sources)) => {
            change_exec(state, change, &sources);
            // A pair that the instruction overwrites does not have the lanes of EXEC any more, unless EXEC was copied
            // to it and then narrowed.
            state.supersets &= !written | (masks.captured & narrowed(masks.exec));
        }
        // V_CMPX only takes lanes away from EXEC. V_READFIRSTLANE and V_READLANE write anything.
        _ if writes_mask(facts) => {}
        _ => sleep(state),
    }
    // An operation that was issued with all lanes is for any lanes that EXEC has.
    for entry in state.pending.iter_mut().filter(|entry| entry.is_whole) {
        (entry.is_live, entry.is_within) = (true, true);
    }
}

/// Whether the scalar result of an instruction is a mask with bits of active lanes only.
fn writes_mask(facts: &Facts) -> bool {
    facts.inst.desc().encoding == Encoding::Vopc || facts.inst.mask_dst().is_some()
}

/// Whether EXEC may have lanes after an instruction that it did not have before.
pub(crate) fn may_add(facts: &Facts) -> bool {
    facts.writes.sgprs & EXEC != 0 && !writes_mask(facts) && masks(&facts.inst).exec != Some(Change::Narrow)
}

/// Returns all ones if `change` only takes lanes away from EXEC, otherwise 0.
fn narrowed(change: Option<Change>) -> u64 {
    if change == Some(Change::Narrow) { u64::MAX } else { 0 }
}

/// Updates what is known of the lanes that EXEC had at the entry. The instruction `i` overwrites the pairs in
/// `written`.
fn follow_entry(state: &mut State, i: u32, masks: &Masks, written: u64, writes_exec: bool) {
    let (whole, has_all) = (state.whole, state.narrowed == NOTHING);
    state.whole &= !written;
    if let Some((from, to)) = masks.copied {
        state.whole |= if whole & from != 0 { to } else { 0 };
    }
    state.whole |= if has_all { masks.captured } else { 0 };
    if !writes_exec {
        return;
    }
    let is_restored = match masks.exec {
        Some(Change::All) => true,
        Some(Change::Restore(pair)) => whole & pair != 0,
        Some(Change::Add(pair)) => has_all || whole & pair != 0,
        Some(Change::Narrow | Change::Rest(_) | Change::Toggle(_) | Change::Other) | None => false,
    };
    if is_restored {
        state.narrowed = NOTHING;
    } else if has_all {
        state.narrowed = i;
    }
}

fn lose(state: &mut State, pairs: u64) {
    (state.supersets, state.whole) = (state.supersets & !pairs, state.whole & !pairs);
    for entry in &mut state.pending {
        entry.over &= !pairs;
        entry.under &= !pairs;
    }
}

/// The sets that a pair is in: `over` and `under` of each operation, and the supersets of EXEC.
struct Members {
    over: Vec<bool>,
    under: Vec<bool>,
    is_superset: bool,
}

fn members(state: &State, pair: u64) -> Members {
    Members {
        over: state.pending.iter().map(|entry| entry.over & pair != 0).collect(),
        under: state.pending.iter().map(|entry| entry.under & pair != 0).collect(),
        is_superset: state.supersets & pair != 0,
    }
}

impl Members {
    /// Puts the pair `pair` into the same sets.
    fn apply(&self, state: &mut State, pair: u64) {
        for (i, entry) in state.pending.iter_mut().enumerate() {
            entry.over |= if self.over[i] { pair } else { 0 };
            entry.under |= if self.under[i] { pair } else { 0 };
        }
        state.supersets |= if self.is_superset { pair } else { 0 };
    }
}

/// Returns the sets of the pair by which EXEC is changed.
fn of_sources(state: &State, change: Change) -> Members {
    match change {
        Change::Restore(pair) | Change::Rest(pair) | Change::Toggle(pair) | Change::Add(pair) => members(state, pair),
        Change::Narrow | Change::All | Change::Other => members(state, 0),
    }
}

fn change_exec(state: &mut State, change: Change, sources: &Members) {
    let mut each = |set: &dyn Fn(&mut Pending, bool, bool)| {
        for (i, entry) in state.pending.iter_mut().enumerate() {
            set(entry, sources.over[i], sources.under[i]);
        }
    };
    match change {
        Change::Narrow => return,
        Change::Restore(_) => each(&|entry, over, under| {
            (entry.is_live, entry.is_within) = (over || under, under);
            entry.is_marked = false;
        }),
        Change::Rest(_) | Change::Toggle(_) => each(&|entry, _, under| {
            (entry.is_live, entry.is_within) = (under, under);
        }),
        Change::Add(_) => each(&|entry, over, under| {
            entry.is_live |= over || under;
            entry.is_within &= under;
            entry.is_marked = false;
        }),
        Change::All => each(&|entry, _, _| {
            (entry.is_live, entry.is_within, entry.is_marked) = (true, false, false);
        }),
        Change::Other => return sleep(state),
    }
    state.supersets = match change {
        Change::Restore(pair) | Change::Rest(pair) => pair,
        Change::Toggle(pair) if sources.is_superset => pair,
        _ => 0,
    };
}

fn sleep(state: &mut State) {
    state.supersets = 0;
    for entry in &mut state.pending {
        (entry.is_live, entry.is_within) = (false, false);
    }
}
