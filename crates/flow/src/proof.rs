//! Computed jumps of a program, followed by constants over all paths.
//!
//! A value is known before an instruction if all paths to it leave the same value. Return addresses may differ: then
//! the jump goes to the return site of one of the calls that were found, and all of these are reached. Compilers keep
//! return addresses in lanes of VGPRs, so those are followed, too. What goes through memory is not known.

use std::collections::BTreeMap;

use gcnsim_isa::{HwReg, Inst, Mode, Opcode, Program, Sopc, Sopk, Src, Vop2, Vop3, hwreg};

use crate::blocks::Blocks;
use crate::constants::{Constants, Goal, Kind, Known};
use crate::search::{Code, Flow, Search, Through};
use crate::ways::{Ways, is_computed};

/// Most rounds of finding code that jumps lead to: the depth of calls.
const MOST_ROUNDS: usize = 64;
/// Most visits of a block in a round.
const MOST_VISITS: u8 = 32;
/// Most halves of addresses that are known where a block begins.
const MOST_KNOWN: usize = 64;

impl Flow {
    /// Finds what is reached from the entry of a program, at most `most` instructions. Computed jumps are followed where
    /// all paths agree on the target.
    ///
    /// ```
    /// use gcnsim_flow::{Flow, Through};
    /// use gcnsim_isa::{Arch, Program};
    /// // s_getpc_b64 s[4:5]; s_add_u32 s4, s4, 16; s_addc_u32 s5, s5, 0; s_swappc_b64 s[30:31], s[4:5]; s_endpgm;
    /// // s_setpc_b64 s[30:31]
    /// let words = [0xbe84_1c00, 0x8004_9004, 0x8205_8005, 0xbe9e_1e04, 0xbf81_0000, 0xbe80_1d1e];
    /// let flow = Flow::of(&Program::from_words(Arch::Gcn14, &words), Through::CALLS, usize::MAX);
    /// assert!(flow.is_complete());
    /// assert_eq!(flow.calls().map(|call| (call.callee, call.return_to)).collect::<Vec<_>>(), [(Some(20), 16)]);
    /// ```
    pub fn of(program: &Program, through: Through, most: usize) -> Flow {
        Flow::from_entries(program, &[program.entry()], through, most)
    }

    /// As [`Flow::of`], from any number of entries.
    pub fn from_entries(code: &impl Code, entries: &[u64], through: Through, most: usize) -> Flow {
        let mut search = Search::default();
        search.begin(code, through, most);
        entries.iter().for_each(|&entry| search.follow(code, entry));
        search.finish();
        let mut rounds = 0;
        while search.flow().sites.iter().any(|site| is_computed(&site.inst)) {
            let paths = Paths::follow(search.flow(), entries);
            let (goals, gave_up) = (paths.goals, paths.gave_up);
            let new = search.flow_mut().settle(&goals);
            rounds += 1;
            let is_last = new.is_empty() || rounds == MOST_ROUNDS || gave_up;
            search.flow_mut().is_cut |= gave_up || !new.is_empty() && is_last;
            new.into_iter().for_each(|target| search.follow(code, target));
            search.finish();
            if is_last {
                break;
            }
        }
        search.into_flow()
    }

    /// Notes where computed jumps go. Returns the targets that are new.
    fn settle(&mut self, goals: &BTreeMap<u64, Goal>) -> Vec<u64> {
        let before = std::mem::take(&mut self.computed);
        let with = |goal: Goal| goals.iter().filter(move |found| *found.1 == goal).map(|found| *found.0);
        self.returns = with(Goal::Returns).collect();
        self.open.retain(|pc| !goals.contains_key(pc));
        self.open.extend(with(Goal::Unknown));
        self.open.sort_unstable();
        let target = |(pc, goal): (&u64, &Goal)| match goal {
            Goal::At(target) => Some((*pc, *target)),
            Goal::Returns | Goal::Unknown => None,
        };
        self.computed = goals.iter().filter_map(target).collect();
        let is_new = |jump: &&(u64, u64)| before.binary_search(jump).is_err();
        self.computed.iter().filter(is_new).map(|jump| jump.1).collect()
    }
}

/// What is known where a block begins: halves of addresses, by SGPR or by lane of a VGPR ([`lane_key`]), in order.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Entry {
    known: Vec<(u16, Known)>,
    /// Whether lanes are followed. They are not where MODE may redirect or skip vector instructions.
    has_lanes: bool,
}

impl Entry {
    const NOTHING: Entry = Entry { known: Vec::new(), has_lanes: true };

    /// Keeps what is also known on another path. Returns whether anything changed.
    fn meet(&mut self, other: &Entry) -> bool {
        let before = self.clone();
        let of_other = |key: u16| {
            let at = other.known.binary_search_by_key(&key, |known| known.0).ok()?;
            Some(other.known[at].1)
        };
        self.known.retain_mut(|(key, known)| {
            *known = of_other(*key).map_or(Known::default(), |other| known.meet(other));
            is_half(*known)
        });
        self.has_lanes &= other.has_lanes;
        *self != before
    }
}

fn is_half(known: Known) -> bool {
    !matches!(known.kind, Kind::Unknown | Kind::Number)
}

/// The key of a lane of a VGPR, above those of SGPRs.
fn lane_key(vgpr: u8, lane: u64) -> u16 {
    128 + 64 * u16::from(vgpr) + (lane % 64) as u16
}

/// What is known before an instruction.
struct State {
    regs: Constants,
    lanes: BTreeMap<u16, Known>,
    has_lanes: bool,
}

impl State {
    fn new(entry: &Entry) -> State {
        let mut state = State { regs: Constants::default(), lanes: BTreeMap::new(), has_lanes: entry.has_lanes };
        for &(key, known) in &entry.known {
            match u8::try_from(key) {
                Ok(n) if n < 128 => state.regs.set(n, known),
                _ => drop(state.lanes.insert(key, known)),
            }
        }
        state
    }

    fn leave(&self) -> Entry {
        let regs = self.regs.all().iter().enumerate().map(|(n, known)| (n as u16, *known));
        let lanes = self.lanes.iter().map(|(key, known)| (*key, *known)).filter(|_| self.has_lanes);
        let known = regs.chain(lanes).filter(|(_, known)| is_half(*known)).take(MOST_KNOWN).collect();
        Entry { known, has_lanes: self.has_lanes }
    }

    fn step(&mut self, inst: &Inst, pc: u64) {
        let read = self.lane_read(inst);
        self.regs.step(inst, pc);
        let written = inst.writes().vgprs;
        if !self.lanes.is_empty() && !written.is_empty() && !self.write_lane(inst) {
            self.lanes.retain(|key, _| !written.contains(((key - 128) / 64) as u8));
        } else if self.lanes.is_empty() {
            self.write_lane(inst);
        }
        if let Some((sdst, known)) = read {
            self.regs.set(sdst, known);
        }
        if self.has_lanes && unsettles_lanes(inst) {
            self.has_lanes = false;
            self.lanes.clear();
        }
    }

    /// Executes V_WRITELANE_B32. Returns whether it is one whose lane is known.
    fn write_lane(&mut self, inst: &Inst) -> bool {
        let is_write = matches!(inst.opcode, Opcode::Vop2(Vop2::VWritelaneB32) | Opcode::Vop3(Vop3::VWritelaneB32));
        let (true, Some(vgpr), Src::Imm(lane)) = (is_write, inst.vdst(), lane_of(inst)) else { return false };
        let value = match inst.src(0) {
            Src::Sgpr(n) => self.regs.get(n),
            _ => Known::default(),
        };
        if is_half(value) && self.has_lanes && self.lanes.len() < MOST_KNOWN {
            self.lanes.insert(lane_key(vgpr, lane), value);
        } else {
            self.lanes.remove(&lane_key(vgpr, lane));
        }
        true
    }

    /// Returns register and value of V_READLANE_B32, if the value is known.
    fn lane_read(&self, inst: &Inst) -> Option<(u8, Known)> {
        let is_read = matches!(inst.opcode, Opcode::Vop2(Vop2::VReadlaneB32) | Opcode::Vop3(Vop3::VReadlaneB32));
        let (true, Src::Imm(lane)) = (is_read && self.has_lanes, lane_of(inst)) else { return None };
        let known = self.lanes.get(&lane_key(inst.src_vgpr(0)?, lane))?;
        Some((inst.sdst()?, *known))
    }
}

/// Returns the lane that V_READLANE_B32 or V_WRITELANE_B32 selects.
fn lane_of(inst: &Inst) -> Src {
    if inst.src_count() > 1 { inst.src(1) } else { Src::Scc }
}

/// Whether vector instructions behind this one may be skipped or use other registers than they name.
fn unsettles_lanes(inst: &Inst) -> bool {
    match inst.opcode {
        Opcode::Sopc(Sopc::SSetvskip | Sopc::SSetGprIdxOn) => true,
        Opcode::Sopk(Sopk::SSetregB32 | Sopk::SSetregImm32B32) => {
            let field = HwReg::from_simm16(inst.simm16() as u16);
            field.id == hwreg::MODE && field.offset + field.size > Mode::GPR_IDX_EN_BIT.min(Mode::VSKIP_BIT)
        }
        _ => false,
    }
}

/// A search over all paths of a flow.
struct Paths<'a> {
    flow: &'a Flow,
    blocks: Blocks,
    /// What is known where each block begins; `None` if no path has led there.
    before: Vec<Option<Entry>>,
    /// What is known behind jumps to return sites.
    returning: Option<Entry>,
    /// Blocks that begin at return sites.
    return_sites: Vec<u32>,
    queue: Vec<u32>,
    is_queued: Vec<bool>,
    goals: BTreeMap<u64, Goal>,
    /// Whether all code lies in one window of 4 GiB, so that halves of return addresses fit together.
    is_near: bool,
    gave_up: bool,
}

impl Paths<'_> {
    /// Follows all paths until nothing changes.
    fn follow<'a>(flow: &'a Flow, entries: &[u64]) -> Paths<'a> {
        let blocks = Blocks::from_entries(flow, entries);
        let count = blocks.all.len();
        let is_site = |block: &&crate::Block| Ways::of(&flow.sites[block.end as usize - 1].inst) == Ways::Call;
        let [first, last] = [flow.sites.first(), flow.sites.last()].map(|site| site.map(|site| site.address >> 32));
        let mut paths = Paths {
            flow,
            before: vec![None; count],
            returning: None,
            return_sites: blocks.all.iter().filter(is_site).filter_map(|block| block.next).collect(),
            queue: Vec::new(),
            is_queued: vec![false; count],
            goals: BTreeMap::new(),
            is_near: first == last,
            gave_up: false,
            blocks,
        };
        entries.iter().for_each(|&entry| paths.enter_at(entry, &Entry::NOTHING));
        let mut visits = vec![0u8; count];
        while let Some(block) = paths.queue.pop() {
            let block = block as usize;
            paths.is_queued[block] = false;
            visits[block] += 1;
            if visits[block] > MOST_VISITS {
                paths.gave_up = true;
                break;
            }
            paths.visit(block);
        }
        paths
    }

    fn visit(&mut self, block: usize) {
        let Some(mut state) = self.before[block].as_ref().map(State::new) else { return };
        let block = self.blocks.all[block];
        let flow = self.flow;
        let sites = &flow.sites[block.first as usize..block.end as usize];
        let Some((last, others)) = sites.split_last() else { return };
        others.iter().for_each(|site| state.step(&site.inst, site.address));
        let goal = is_computed(&last.inst).then(|| state.regs.goal(&last.inst));
        state.step(&last.inst, last.address);
        let edge = state.leave();
        let is_call = Ways::of(&last.inst) == Ways::Call;
        if let Some(goal) = goal {
            let goal = if goal == Goal::Returns && !self.is_near { Goal::Unknown } else { goal };
            self.goals.insert(last.address, goal);
            match goal {
                Goal::At(target) => self.enter_at(target, &edge),
                Goal::Returns => self.come_back(&edge),
                // Anything may have happened when control comes back.
                Goal::Unknown => self.come_back(&Entry { has_lanes: false, ..Entry::NOTHING }),
            }
        } else if let Some(target) = flow.target(last) {
            self.enter_at(target, &edge);
        }
        // A callee comes back by a jump of its own.
        if let (Some(next), false) = (block.next, is_call) {
            self.enter(next, &edge);
        }
    }

    fn enter_at(&mut self, target: u64, edge: &Entry) {
        let Some(at) = self.flow.index_of(target) else { return };
        let block = self.blocks.holding(at as u32);
        if self.blocks.all.get(block).is_some_and(|block| block.first as usize == at) {
            self.enter(block as u32, edge);
        }
    }

    fn enter(&mut self, block: u32, edge: &Entry) {
        let before = &mut self.before[block as usize];
        let is_changed = match before {
            Some(before) => before.meet(edge),
            None => {
                *before = Some(edge.clone());
                true
            }
        };
        if is_changed && !std::mem::replace(&mut self.is_queued[block as usize], true) {
            self.queue.push(block);
        }
    }

    /// Enters all return sites.
    fn come_back(&mut self, edge: &Entry) {
        let is_changed = match &mut self.returning {
            Some(before) => before.meet(edge),
            None => {
                self.returning = Some(edge.clone());
                true
            }
        };
        if let (true, Some(returning)) = (is_changed, self.returning.clone()) {
            let sites = std::mem::take(&mut self.return_sites);
            sites.iter().for_each(|&site| self.enter(site, &returning));
            self.return_sites = sites;
        }
    }
}
