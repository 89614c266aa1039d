//! What would not run in a program, found without running it.
//!
//! Code is followed from the entry through direct branches, forks, calls and their return sites. If nothing there jumps
//! to a computed address, the rest is never reached: it is swept all the same, and what is found there is marked.
//! Otherwise any of the rest may be reached. Dwords of zero that nothing leads to are padding.

use gcnsim_isa::{FetchError, Flow, Inst, Opcode, Program, table::Sopk};

/// An instruction that would stop a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// Its address.
    pub pc: u64,
    /// Its first dword.
    pub word: u32,
    /// The instruction, unless the dwords are none.
    pub mnemonic: Option<&'static str>,
    /// `unsupported`, or the kind of the fault.
    pub kind: &'static str,
    /// Why it would not run.
    pub reason: &'static str,
    /// May a run reach it?
    pub reachable: bool,
}

/// Result of a scan.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Scan {
    /// In order of address.
    pub findings: Vec<Finding>,
    /// Instructions that a run may reach.
    pub instructions: u64,
    /// Does reachable code jump to computed addresses?
    pub computed_jumps: bool,
}

impl Scan {
    /// Findings that a run may reach.
    pub fn reachable(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(|finding| finding.reachable)
    }
}

/// Scans a program.
///
/// ```
/// use gcnsim::isa::{Arch, Program};
/// // s_mov_b32 s0, 0; a reserved encoding; s_endpgm
/// let program = Program::from_words(Arch::Gcn14, &[0xbe80_0080, 0xbeff_ffff, 0xbf81_0000]);
/// let scan = gcnsim::scan::scan(&program);
/// assert_eq!((scan.findings.len(), scan.findings[0].pc), (1, 4));
/// ```
pub fn scan(program: &Program) -> Scan {
    let mut scanner = Scanner { program, visited: vec![false; program.word_count()], scan: Scan::default() };
    scanner.follow();
    scanner.sweep_rest();
    scanner.scan.findings.sort_by_key(|finding| finding.pc);
    scanner.scan
}

/// Where a direct branch, call or fork leads from `pc`.
pub fn direct_target(inst: &Inst, pc: u64) -> Option<u64> {
    let direct = match inst.flow() {
        Flow::Branch | Flow::CondBranch | Flow::Call => true,
        Flow::Fork => inst.opcode == Opcode::Sopk(Sopk::SCbranchIFork),
        _ => false,
    };
    direct.then(|| pc.wrapping_add_signed(inst.branch_offset()))
}

struct Scanner<'a> {
    program: &'a Program,
    /// Per dword: it belongs to an instruction seen already.
    visited: Vec<bool>,
    scan: Scan,
}

impl Scanner<'_> {
    fn follow(&mut self) {
        let mut work: Vec<usize> = self.program.word_index(self.program.entry()).into_iter().collect();
        while let Some(mut index) = work.pop() {
            while self.visited.get(index) == Some(&false) {
                let Some(inst) = self.visit(index, true) else {
                    index += 1;
                    continue;
                };
                let target = direct_target(&inst, self.program.address(index));
                work.extend(target.and_then(|pc| self.program.word_index(pc)));
                self.scan.computed_jumps |= match inst.flow() {
                    Flow::SwapPc | Flow::Indirect => true,
                    Flow::Fork => target.is_none(),
                    _ => false,
                };
                if matches!(inst.flow(), Flow::End | Flow::Branch | Flow::Indirect) {
                    break;
                }
                index += inst.size() as usize / 4;
            }
        }
    }

    fn sweep_rest(&mut self) {
        let mut index = 0;
        while index < self.visited.len() {
            let padding = self.program.word(index) == Some(0);
            if self.visited[index] || padding {
                index += 1;
                continue;
            }
            index += self.visit(index, self.scan.computed_jumps).map_or(1, |inst| inst.size() as usize / 4);
        }
    }

    /// Looks at the instruction at a dword.
    fn visit(&mut self, index: usize, reachable: bool) -> Option<Inst> {
        let decoded = self.program.decode_word(index);
        let dwords = decoded.map_or(1, |inst| inst.size() as usize / 4);
        let end = (index + dwords).min(self.visited.len());
        self.visited[index..end].fill(true);
        self.scan.instructions += reachable as u64;
        let (mnemonic, kind, reason) = match &decoded {
            Ok(inst) => match inst.unsupported() {
                Some(reason) => (Some(inst.desc().mnemonic), "unsupported", reason),
                None => return Some(*inst),
            },
            Err(FetchError::Decode(error)) => (None, error.kind.name(), error.reason),
            Err(FetchError::OutOfRange(_)) => return None,
        };
        let (pc, word) = (self.program.address(index), self.program.word(index).unwrap_or(0));
        self.scan.findings.push(Finding { pc, word, mnemonic, kind, reason, reachable });
        decoded.ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gcnsim_isa::Arch;

    const END: u32 = 0xbf81_0000;
    const ILLEGAL: u32 = 0xbeff_ffff;
    const NOP: u32 = 0xbf80_0000;

    fn found(words: &[u32]) -> Vec<(u64, bool)> {
        scan(&Program::from_words(Arch::Gcn14, words)).findings.iter().map(|f| (f.pc, f.reachable)).collect()
    }

    #[test]
    fn code_after_the_end_is_marked_unreachable() {
        assert_eq!(found(&[END, ILLEGAL, 0, 0]), [(4, false)]);
        // s_cbranch_scc0 +1 leads past the end
        assert_eq!(found(&[0xbf84_0001, END, ILLEGAL, END]), [(8, true)]);
        // s_branch +1 jumps over
        assert_eq!(found(&[0xbf82_0001, ILLEGAL, END]), [(4, false)]);
    }

    #[test]
    fn after_a_computed_jump_everything_may_be_reached() {
        // s_setpc_b64 s[0:1]
        assert_eq!(found(&[0xbe80_1d00, ILLEGAL, END]), [(4, true)]);
    }

    #[test]
    fn a_finding_does_not_hide_the_next() {
        assert_eq!(found(&[ILLEGAL, NOP, ILLEGAL, END]), [(0, true), (8, true)]);
        // a literal missing at the end
        assert_eq!(found(&[NOP, 0xbe80_00ff]), [(4, true)]);
    }
}
