//! Makes a diverging case small: simpler settings, fewer instructions, simpler operands and forms, a simpler state. A
//! change is kept if the engines still disagree about anything.

use std::sync::Arc;
use std::time::Instant;

use gcnsim_isa::{Flow, Inst, Opcode, Sop1, WaveState, decode};
use gcnsim_jit::helpers::Level;
use gcnsim_machine::VgprFile;

use super::CaseRun;
use super::differential::{self, Divergence};
use super::settings::{FULL_BUDGET, Settings};
use super::simpler::simpler_forms;
use crate::generate::Case;
use crate::generate::kernel::Launch;
use gcnsim_engine::EngineKind;
use gcnsim_engine::memory_file::LdsSpec;
use gcnsim_engine::state_file::StateSpec;

const S_NOP: u32 = 0xbf80_0000;
const S_ENDPGM: u32 = 0xbf81_0000;

/// Returns the smallest diverging case that is found before the deadline (approximately). If the case does not diverge,
/// it is returned as it is.
pub fn shrink(run: &CaseRun, deadline: Instant) -> CaseRun {
    let mut shrinker = Shrinker {
        case: run.case.clone(),
        settings: run.settings.clone(),
        divergence: run.divergence.clone(),
        deadline,
        changes: 0,
    };
    loop {
        let before = shrinker.changes;
        shrinker.simplify_settings();
        shrinker.simplify_geometry();
        shrinker.drop_instructions();
        shrinker.remove_nops();
        shrinker.simplify_operands();
        if shrinker.case.launch.is_some() {
            shrinker.simplify_launch();
        } else {
            shrinker.simplify_state();
            shrinker.simplify_vgprs();
            shrinker.simplify_memory();
        }
        if shrinker.changes == before || shrinker.is_late() {
            break;
        }
    }
    // S_ENDPGM is added at the end if the case still diverges with it.
    if shrinker.case.words.last().is_some_and(|&word| word != S_ENDPGM) {
        shrinker.attempt_case(|case| case.words.push(S_ENDPGM));
    }
    let Shrinker { case, settings, divergence, .. } = shrinker;
    let executed = differential::executed(&case, &settings);
    CaseRun { case, settings, executed, divergence }
}

struct Shrinker {
    case: Case,
    settings: Settings,
    divergence: Option<Divergence>,
    deadline: Instant,
    changes: u64,
}

/// Returns the first dword and length, in dwords, of each instruction in a linear sweep.
fn sweep(case: &Case) -> Vec<(usize, usize)> {
    let mut slots = Vec::new();
    let mut at = 0;
    while at < case.words.len() {
        let inst = decode(case.arch, case.words[at], case.words.get(at + 1).copied());
        let len = inst.map_or(1, |inst| inst.size() as usize / 4);
        slots.push((at, len));
        at += len;
    }
    slots
}

fn instruction(case: &Case, at: usize) -> Option<Inst> {
    decode(case.arch, case.words[at], case.words.get(at + 1).copied()).ok()
}

impl Shrinker {
    fn is_late(&self) -> bool {
        Instant::now() > self.deadline
    }

    /// Takes `case` and `settings` instead of the current ones if the engines still disagree. Returns whether they do.
    fn attempt(&mut self, case: Case, settings: Settings) -> bool {
        if self.is_late() || (case == self.case && settings == self.settings) {
            return false;
        }
        let Some(divergence) = differential::run(&case, &settings) else { return false };
        (self.case, self.settings, self.divergence) = (case, settings, Some(divergence));
        self.changes += 1;
        true
    }

    fn attempt_case(&mut self, change: impl FnOnce(&mut Case)) -> bool {
        let mut case = self.case.clone();
        change(&mut case);
        self.attempt(case, self.settings.clone())
    }

    fn attempt_settings(&mut self, change: impl FnOnce(&mut Settings)) -> bool {
        let mut settings = self.settings.clone();
        change(&mut settings);
        self.attempt(self.case.clone(), settings)
    }

    fn simplify_settings(&mut self) {
        let plant = self.settings.plant;
        let plain = Settings { plant, ..Settings::plain() };
        if self.settings == plain || self.attempt(self.case.clone(), plain.clone()) {
            return;
        }
        self.attempt_settings(|s| s.engine = EngineKind::JitNoCheck);
        self.attempt_settings(|s| s.hot = 0);
        self.attempt_settings(|s| s.region_max = plain.region_max);
        self.attempt_settings(|s| s.count_classes = false);
        self.attempt_settings(|s| s.again = false);
        self.attempt_settings(|s| s.jobs = 1);
        self.attempt_settings(|s| (s.budget, s.slices) = (s.total(), 1));
        self.attempt_settings(|s| s.level = Level::best());
        if self.settings.budget < FULL_BUDGET && self.attempt_settings(|s| s.budget = FULL_BUDGET) {
            return;
        }
        for budget in [1, 2, 3, 4, 6, 8, 12, 16, 24, 50, 100, 200, 500, 1000, 3000, 10_000, FULL_BUDGET] {
            if budget < self.settings.budget && self.attempt_settings(|s| s.budget = budget) {
                break;
            }
        }
    }

    /// Replaces instructions by S_NOP: half of them at a time, then ever fewer.
    fn drop_instructions(&mut self) {
        let slots = sweep(&self.case);
        in_chunks(slots.len(), |range| {
            let words = &self.case.words;
            let is_nop = |&(at, len): &(usize, usize)| words[at..at + len].iter().all(|&word| word == S_NOP);
            if slots[range.clone()].iter().all(is_nop) {
                return;
            }
            let slots = &slots[range];
            self.attempt_case(|case| slots.iter().for_each(|&(at, len)| case.words[at..at + len].fill(S_NOP)));
        });
    }

    /// Removes S_NOPs, and corrects branches over them.
    fn remove_nops(&mut self) {
        let nops: Vec<usize> = (0..self.case.words.len()).filter(|&at| self.case.words[at] == S_NOP).collect();
        const ALL: [Literals; 3] = [Literals::Numbers, Literals::Distances, Literals::Addresses];
        if ALL.into_iter().any(|literals| self.attempt_case(|case| remove(case, &nops, literals))) {
            return;
        }
        // S_NOPs are removed from the end on, so that indices of the others stay valid.
        for &at in nops.iter().rev() {
            let _ = ALL.into_iter().any(|literals| self.attempt_case(|case| remove(case, &[at], literals)));
        }
        self.attempt_case(|case| {
            case.base = 0;
            case.state.pc = 4 * case.entry as u64;
        });
    }

    fn simplify_operands(&mut self) {
        for (at, _) in sweep(&self.case) {
            let Some(inst) = instruction(&self.case, at) else { continue };
            if inst.desc().flow != Flow::Next {
                continue;
            }
            for simpler in simpler_forms(&inst) {
                let (new, len) = (simpler, inst.size() as usize / 4);
                if new.size() > inst.size() || (new.words, new.size()) == (inst.words, inst.size()) {
                    continue;
                }
                let kept = self.attempt_case(|case| {
                    case.words[at] = new.words[0];
                    if len == 2 {
                        // If the new form has no literal or modifiers, an S_NOP takes the place of its second dword.
                        case.words[at + 1] = if new.size() == 8 { new.words[1] } else { S_NOP };
                    }
                });
                if kept {
                    break;
                }
            }
        }
    }

    fn simplify_state(&mut self) {
        let fresh = WaveState::initial(self.case.arch, self.case.state.pc);
        if self.attempt_case(|case| case.state = fresh.clone()) {
            return;
        }
        self.attempt_case(|case| case.state.mode = fresh.mode);
        self.attempt_case(|case| case.state.trapsts = 0);
        self.attempt_case(|case| case.state.scc = 0);
        self.attempt_case(|case| case.state.set_exec(u64::MAX));
        in_chunks(128, |range| {
            let target = &fresh.sgpr[range.clone()];
            if self.case.state.sgpr[range.clone()] != *target {
                self.attempt_case(|case| case.state.sgpr[range].copy_from_slice(target));
            }
        });
        for code in 0..128 {
            if self.case.state.sgpr[code] == fresh.sgpr[code] {
                continue;
            }
            for simpler in [1, u32::MAX, 2, 0x8000_0000] {
                if self.case.state.sgpr[code] == simpler || self.attempt_case(|case| case.state.sgpr[code] = simpler) {
                    break;
                }
            }
        }
    }

    fn attempt_launch(&mut self, change: impl FnOnce(&mut Launch)) -> bool {
        self.attempt_case(|case| {
            if let Some(launch) = &mut case.launch {
                change(launch);
            }
        })
    }

    /// Tries smaller grids and groups, and a single whole group.
    fn simplify_geometry(&mut self) {
        let Some(Launch { grid, group, .. }) = self.case.launch.clone() else { return };
        for (new_grid, new_group) in
            [([1; 3], [1; 3]), ([64, 1, 1], [64, 1, 1]), ([128, 1, 1], [128, 1, 1]), (group, group)]
        {
            let items = |sizes: [u32; 3]| sizes.iter().product::<u32>();
            if items(new_grid) < items(grid)
                && self.attempt_launch(|launch| (launch.grid, launch.group) = (new_grid, new_group))
            {
                return;
            }
        }
        for i in 0..3 {
            self.attempt_launch(|launch| launch.grid[i] = launch.group[i]);
            self.attempt_launch(|launch| launch.grid[i] = (2 * launch.group[i]).min(launch.grid[i]));
            self.attempt_launch(|launch| launch.grid[i] = launch.grid[i].next_multiple_of(launch.group[i]));
        }
    }

    /// Tries buffers of zeros, and the usual float modes.
    fn simplify_launch(&mut self) {
        self.attempt_launch(|launch| launch.float_mode = 0xc0);
        let Some(launch) = self.case.launch.clone() else { return };
        type Buffer = fn(&mut Launch) -> &mut Arc<Vec<u8>>;
        let buffers: [(Buffer, usize); 2] =
            [(|l| &mut l.data, launch.data.len()), (|l| &mut l.table, launch.table.len())];
        for (buffer, len) in buffers {
            in_chunks(len / 64, |range| {
                self.attempt_launch(|launch| Arc::make_mut(buffer(launch))[64 * range.start..64 * range.end].fill(0));
            });
        }
    }

    /// Tries fewer buffers, and zeros in those that remain.
    fn simplify_memory(&mut self) {
        if self.case.outside == StateSpec::default() || self.attempt_case(|case| case.outside = StateSpec::default()) {
            return;
        }
        self.attempt_case(|case| case.outside.gds = None);
        self.attempt_case(|case| case.outside.apertures = None);
        for i in (0..self.case.outside.memory.len()).rev() {
            self.attempt_case(|case| drop(case.outside.memory.remove(i)));
        }
        for i in 0..self.case.outside.memory.len() {
            in_chunks(self.case.outside.memory[i].bytes.len() / 4, |range| {
                self.attempt_case(|case| case.outside.memory[i].bytes[4 * range.start..4 * range.end].fill(0));
            });
        }
        let shares: [fn(&mut StateSpec) -> Option<&mut LdsSpec>; 2] = [|s| s.lds.as_mut(), |s| s.gds.as_mut()];
        for share in shares {
            let len = share(&mut self.case.outside).map_or(0, |share| share.bytes.len());
            in_chunks(len / 4, |range| {
                self.attempt_case(|case| {
                    if let Some(share) = share(&mut case.outside) {
                        share.bytes[4 * range.start..4 * range.end].fill(0);
                    }
                });
            });
        }
    }

    fn simplify_vgprs(&mut self) {
        let zeroed = VgprFile::zeroed();
        if self.case.vgprs == zeroed || self.attempt_case(|case| case.vgprs = zeroed) {
            return;
        }
        let clear = |case: &mut Case, registers: std::ops::Range<usize>, lanes: std::ops::Range<usize>| {
            let file = &mut case.vgprs;
            registers.for_each(|n| file.lanes_mut(n as u8)[lanes.clone()].fill(0));
        };
        in_chunks(VgprFile::COUNT, |range| {
            self.attempt_case(|case| clear(case, range, 0..64));
        });
        for n in 0..VgprFile::COUNT {
            if self.case.vgprs.lanes(n as u8) != &[0; 64] {
                in_chunks(64, |lanes| {
                    self.attempt_case(|case| clear(case, n..n + 1, lanes));
                });
            }
        }
    }
}

/// Calls `with` for the halves of `0..count`, then for the quarters, and so on down to single numbers.
fn in_chunks(count: usize, mut with: impl FnMut(std::ops::Range<usize>)) {
    let mut size = count.next_power_of_two();
    while size > 0 {
        for start in (0..count).step_by(size) {
            with(start..(start + size).min(count));
        }
        size /= 2;
    }
}

/// The meaning of literals, when dwords before or after them are removed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Literals {
    /// Plain numbers, which do not change.
    Numbers,
    /// Distances from the preceding S_GETPC_B64.
    Distances,
    /// Addresses in the program.
    Addresses,
}

/// Removes the dwords `gone`. Corrects branches, literals and the entry that lead over them.
fn remove(case: &mut Case, gone: &[usize], literals: Literals) {
    // `before` has, for each dword, how many dwords before it are removed.
    let mut before = vec![0i64; case.words.len() + 1];
    let mut next = gone.iter().peekable();
    for at in 0..case.words.len() {
        let is_gone = next.next_if(|&&g| g == at).is_some();
        before[at + 1] = before[at] + is_gone as i64;
    }
    let shift = |at: i64| usize::try_from(at).ok().and_then(|at| before.get(at).copied()).unwrap_or(0);
    let mut getpc = 0;
    for (at, _) in sweep(case) {
        let Some(inst) = instruction(case, at) else { continue };
        let direct = matches!(inst.opcode, Opcode::Sopp(_) | Opcode::Sopk(_));
        if direct && matches!(inst.desc().flow, Flow::Branch | Flow::CondBranch | Flow::Call | Flow::Fork) {
            let (from, to) = (at as i64 + 1, at as i64 + 1 + inst.simm16() as i64);
            let simm16 = inst.simm16() as i64 - (shift(to) - shift(from));
            case.words[at] = case.words[at] & 0xffff_0000 | simm16 as u16 as u32;
        }
        if inst.opcode == Opcode::Sop1(Sop1::SGetpcB64) {
            getpc = at as i64 + 1;
        }
        if inst.has_literal() {
            let number = case.words[at + 1] as i32;
            let (from, to) = match literals {
                Literals::Numbers => (0, 0),
                Literals::Distances => (getpc, getpc + number as i64 / 4),
                Literals::Addresses => (0, number as i64 / 4),
            };
            case.words[at + 1] = (number - 4 * (shift(to) - shift(from)) as i32) as u32;
        }
    }
    case.state.pc = case.state.pc.wrapping_sub(4 * before[case.entry] as u64);
    case.entry -= before[case.entry] as usize;
    let mut at = 0;
    let mut next = gone.iter().peekable();
    case.words.retain(|_| {
        at += 1;
        next.next_if(|&&g| g == at - 1).is_none()
    });
    if case.words.is_empty() {
        case.words.push(S_NOP);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gcnsim_isa::Arch;

    #[test]
    fn branches_over_what_is_removed_are_mended() {
        // s_branch over two S_NOPs; s_nop; s_nop; s_endpgm; s_branch back to the end
        let words = vec![0xbf82_0002, S_NOP, S_NOP, S_ENDPGM, 0xbf82_fffe];
        let mut case = Case::random(0, Some(Arch::Gcn14));
        (case.words, case.entry, case.state.pc, case.base) = (words, 4, 16, 0);
        remove(&mut case, &[1, 2], Literals::Numbers);
        assert_eq!(case.words, [0xbf82_0000, S_ENDPGM, 0xbf82_fffe]);
        assert_eq!((case.entry, case.state.pc), (2, 8));
    }
}
