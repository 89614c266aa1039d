//! Finds out from the code alone in which loops waves may wait. Most loops show that no wave waits in them, and turns
//! of waves that are there are not probed.
//!
//! A wave that waits leaves its loop because of what it reads there, round after round at the same place. So a loop is
//! none in which a wave waits if each of its conditions depends on something else: on what does not change, or on what
//! goes on from round to round, such as a count or a sum. A loop is the code from the target of a branch back to the
//! branch. In a loop with calls or computed jumps a wave may wait.

use gcnsim_interp::{Effect, MemoryOp};
use gcnsim_isa::table::Flow;
use gcnsim_isa::{Inst, Program, RegSet, VgprSet, reg};

/// Size in dwords of the largest loop in which a wave is expected to wait.
const MOST_WORDS: usize = 1024;
/// Size in dwords of the largest program that is looked at. In larger ones waves may wait anywhere.
const MOST_OF_PROGRAM: usize = 1 << 18;
/// Most steps of a look at a program. In loops for which they do not suffice waves may wait.
const MOST_STEPS: usize = 1 << 20;

const EXEC: u128 = 3 << reg::EXEC_LO;

/// The loops of a program.
#[derive(Clone, Default, Debug)]
pub struct Spins {
    /// Whether waves may wait outside of loops, too: in functions that a loop calls.
    anywhere: bool,
    /// The first and the last dword of each loop in which waves may wait.
    open: Vec<(usize, usize)>,
    /// The same of the other loops.
    closed: Vec<(usize, usize)>,
}

impl Spins {
    /// Returns the loops of a program.
    pub fn of(program: &Program) -> Spins {
        if program.parts().map(|part| part.len()).sum::<usize>() > MOST_OF_PROGRAM {
            return Spins { anywhere: true, ..Spins::default() };
        }
        let code = Code::of(program);
        let (mut spins, mut steps) = (Spins::default(), MOST_STEPS);
        for (index, (word, inst)) in code.insts.iter().enumerate() {
            let is_branch = matches!(inst.flow(), Flow::Branch | Flow::CondBranch);
            let Some(target) = target(*word, inst).filter(|target| is_branch && target <= word) else { continue };
            let Some(first) = code.find(target) else { continue };
            let insts = &code.insts[first..=index];
            match way_to_wait(insts, word - target, &mut steps) {
                None => spins.closed.push((target, *word)),
                Some(way) => {
                    spins.anywhere |= way == Way::Calls;
                    spins.open.push((target, *word));
                }
            }
        }
        spins
    }

    /// Whether no wave of the program waits.
    pub fn is_empty(&self) -> bool {
        !self.anywhere && self.open.is_empty()
    }

    /// Whether a wave at an address may wait.
    pub fn may_wait(&self, program: &Program, pc: u64) -> bool {
        let Some(word) = program.word_index(pc & !3) else { return false };
        let is_in = |loops: &[(usize, usize)]| loops.iter().any(|(first, last)| (*first..=*last).contains(&word));
        is_in(&self.open) || self.anywhere && !is_in(&self.closed)
    }
}

/// All that decodes, in order.
struct Code {
    /// Index of the first dword, and instruction.
    insts: Vec<(usize, Inst)>,
}

impl Code {
    fn of(program: &Program) -> Code {
        let mut insts = Vec::new();
        for part in program.parts() {
            let mut word = part.start;
            while word < part.end {
                match program.decode_word(word) {
                    Ok(inst) => {
                        insts.push((word, inst));
                        word += inst.size() as usize / 4;
                    }
                    Err(_) => word += 1,
                }
            }
        }
        Code { insts }
    }

    /// Index of the instruction at a dword.
    fn find(&self, word: usize) -> Option<usize> {
        self.insts.binary_search_by_key(&word, |(word, _)| *word).ok()
    }
}

/// The dword that a direct branch at dword `word` leads to.
fn target(word: usize, inst: &Inst) -> Option<usize> {
    usize::try_from(word as i64 + inst.branch_offset() / 4).ok()
}

/// Why a wave may wait in a loop.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// What it reads decides.
    Data,
    /// It calls functions, or jumps to computed addresses.
    Calls,
}

fn way_to_wait(insts: &[(usize, Inst)], words: usize, steps: &mut usize) -> Option<Way> {
    if words >= MOST_WORDS {
        return None;
    }
    let Some(left) = steps.checked_sub(insts.len()) else { return Some(Way::Data) };
    *steps = left;
    let is_plain = |inst: &Inst| matches!(inst.flow(), Flow::Next | Flow::Branch | Flow::CondBranch | Flow::End);
    if insts.iter().any(|(_, inst)| !is_plain(inst)) {
        return Some(Way::Calls);
    }
    let reads = insts.iter().any(|(_, inst)| reads_memory(inst));
    (reads && depends_on_data(insts, steps)).then_some(Way::Data)
}

fn reads_memory(inst: &Inst) -> bool {
    MemoryOp::new(inst).is_some_and(|op| op.effect() != Effect::Nothing)
}

/// What is known of registers in a loop.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
struct Known {
    /// Registers with data that this round has read.
    data: RegSet,
    /// Registers with what goes on from round to round.
    carried: RegSet,
}

/// Whether data that a loop reads at the same place in each round decide whether it ends. Branches within the loop
/// may do so by what they skip, but not those of inner loops, and those by EXEC, where no lane is active.
fn depends_on_data(insts: &[(usize, Inst)], steps: &mut usize) -> bool {
    let mut start = Known::default();
    insts.iter().for_each(|(_, inst)| start.carried.union(inst.writes()));
    let mut known = vec![None; insts.len()];
    known[0] = Some(start);
    let mut open = vec![0];
    while let Some(index) = open.pop() {
        let (Some(before), Some(left)) = (known[index], steps.checked_sub(1)) else { return true };
        *steps = left;
        let (word, inst) = &insts[index];
        let within = target(*word, inst)
            .and_then(|target| insts.binary_search_by_key(&target, |(word, _)| *word).ok())
            .filter(|_| matches!(inst.flow(), Flow::Branch | Flow::CondBranch));
        if inst.flow() == Flow::CondBranch {
            let reads = inst.reads();
            let decides = meet(&before.data, &reads) && !meet(&before.carried, &reads);
            let may_leave = match within {
                None | Some(0) => true,
                Some(to) => to > index && reads.sgprs & EXEC == 0,
            };
            if decides && may_leave {
                return true;
            }
        }
        let after = before.after(inst);
        let next = Some(index + 1).filter(|_| matches!(inst.flow(), Flow::Next | Flow::CondBranch));
        for to in [next, within].into_iter().flatten().filter(|to| (1..insts.len()).contains(to)) {
            let mut all = known[to].unwrap_or_default();
            all.data.union(after.data);
            all.carried.union(after.carried);
            if known[to] != Some(all) {
                known[to] = Some(all);
                open.push(to);
            }
        }
    }
    false
}

impl Known {
    /// What is known after an instruction.
    fn after(mut self, inst: &Inst) -> Known {
        let (mut reads, writes) = (inst.reads(), inst.writes());
        let has_data = meet(&self.data, &reads);
        // Which lanes take part is not what an instruction computes.
        reads.sgprs &= !EXEC;
        let is_carried = meet(&self.carried, &reads) && !(has_data && joins_masks(inst));
        let is_data = !is_carried && (has_data || reads_memory(inst));
        for (set, is_in) in [(&mut self.data, is_data), (&mut self.carried, is_carried)] {
            if is_in {
                set.union(writes);
            } else {
                set.sgprs &= !writes.sgprs;
                set.scc &= !writes.scc;
                set.vgprs = set.vgprs.without(writes.vgprs);
            }
        }
        self
    }
}

/// Whether an instruction joins masks of lanes. Loops that lanes leave one by one keep such a mask from round to round.
fn joins_masks(inst: &Inst) -> bool {
    let name = inst.desc().mnemonic;
    (name.starts_with("s_and") || name.starts_with("s_or")) && name.ends_with("_b64")
}

fn meet(one: &RegSet, other: &RegSet) -> bool {
    let VgprSet(vgprs) = one.vgprs;
    one.sgprs & other.sgprs != 0
        || one.scc && other.scc
        || vgprs.iter().zip(other.vgprs.0).any(|(one, other)| one & other != 0)
}

#[cfg(test)]
mod tests {
    use gcnsim_isa::Arch;

    use super::*;

    fn of(words: &[u32]) -> bool {
        !Spins::of(&Program::from_words(Arch::Gcn14, words)).is_empty()
    }

    #[test]
    fn loops_that_end_because_of_what_they_read_may_wait() {
        // ds_read_b32 v2, v1; s_waitcnt lgkmcnt(0); v_readfirstlane_b32 s10, v2; s_cmp_lg_u32 s10, s9;
        // s_cbranch_scc1 back; s_endpgm
        assert!(of(&[0xd86c_0000, 0x0200_0001, 0xbf8c_c07f, 0x7e14_0502, 0xbf07_090a, 0xbf85_fffa, 0xbf81_0000]));
        // s_swappc_b64 s[0:1], s[2:3]; s_cmp_lg_u32 s10, s9; ds_read_b32 v2, v1; s_cbranch_scc1 back; s_endpgm
        assert!(of(&[0xbe80_1e02, 0xbf07_090a, 0xd86c_0000, 0x0200_0001, 0xbf85_fffb, 0xbf81_0000]), "a call");
    }

    #[test]
    fn loops_that_count_do_not_wait() {
        // ds_read_b32 v2, v1; s_waitcnt lgkmcnt(0); v_add_f32 v3, v3, v2; v_add_u32 v1, 4, v1; s_sub_u32 s9, s9, 1;
        // s_cmp_lg_u32 s9, 0; s_cbranch_scc1 back; s_endpgm
        let words = [
            0xd86c_0000,
            0x0200_0001,
            0xbf8c_c07f,
            0x0206_0503,
            0x6802_0284,
            0x8089_8109,
            0xbf07_8009,
            0xbf85_fff8,
            0xbf81_0000,
        ];
        assert!(!of(&words));
        // The same, but v_readfirstlane_b32 s9, v2 in the place of s_sub_u32: a search, in another place each round.
        let search = words.map(|word| if word == 0x8089_8109 { 0x7e12_0502 } else { word });
        assert!(!of(&search));
        // The same, but the address is set to 0 in each round, in front of the read: it reads the same place.
        let same =
            [0x7e02_0280, 0xd86c_0000, 0x0200_0001, 0xbf8c_c07f, 0x7e12_0502, 0xbf07_8009, 0xbf85_fff9, 0xbf81_0000];
        assert!(of(&same));
        // s_load_dword s0, s[12:13], 0x0; s_waitcnt lgkmcnt(0); s_add_u32 s1, s1, s0; s_cmp_lt_u32 s1, s2;
        // s_cbranch_scc1 back; s_endpgm
        let sum = [0xc002_0006, 0, 0xbf8c_c07f, 0x8001_0001, 0xbf0a_0201, 0xbf85_fffa, 0xbf81_0000];
        assert!(!of(&sum), "a sum of data goes on from round to round");
        // s_cmp_lg_u32 s10, s9; s_cbranch_scc1 back; s_endpgm
        assert!(!of(&[0xbf07_090a, 0xbf85_fffe, 0xbf81_0000]), "it reads nothing");
        assert!(!of(&[]));
    }
}
