//! Finds the instructions of a program or an object that would not run, without running it.
//!
//! Code is followed from each kernel's entry through direct branches, forks, calls and the code after calls, and
//! through computed jumps whose targets can be found by reading ([`crate::codemap`]). A jump to the return address of a
//! call is a return. The target of any other jump is unknown: it may be anywhere in the kernel or in any function of
//! the object, but not in another kernel. Code that several kernels share is counted once for the object.
//!
//! Code that no kernel reaches is read, too, and findings in it are marked. Zero dwords that are not reached and have
//! no symbol are padding. In a raw file, dwords behind the last instruction that is reached are constants, unless a
//! jump may lead there.

pub mod needs;
mod reach;
pub mod summary;

use std::collections::{BTreeMap, BTreeSet};

use gcnsim_flow::{Search, Ways};
use gcnsim_isa::{Arch, Inst, Program};

use crate::areas::AreaKind;
use crate::codemap::{CodeMap, Decoded};
use crate::object::Object;

/// An instruction that would stop a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// Its address.
    pub pc: u64,
    /// Its first dword.
    pub word: u32,
    /// The reason why it would not run.
    pub blocker: Blocker,
    /// Number of the object's kernels that may reach it.
    pub kernels: u32,
    /// Whether any kernel may reach it.
    pub reachable: bool,
}

/// A reason why code would not run: a missing feature of the simulator, or an invalid instruction.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Blocker {
    /// The instruction; `None` if the dwords are not an instruction.
    pub mnemonic: Option<&'static str>,
    /// Its encoding; `None` if the dwords are not an instruction.
    pub encoding: Option<&'static str>,
    /// `unsupported`, or the kind of the decoding fault.
    pub kind: &'static str,
    /// The reason.
    pub reason: &'static str,
}

/// The result of a scan.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Scan {
    /// The findings, sorted by address.
    pub findings: Vec<Finding>,
    /// For each reason, the number of findings that a kernel may reach.
    pub places: BTreeMap<Blocker, u64>,
    /// Number of findings that no kernel reaches.
    pub unreachable: u64,
    /// In a raw file, the number of dwords behind its last instruction: constants.
    pub data: u64,
    /// Instructions that a kernel may reach, by encoding.
    pub instructions: Counts,
    /// The results for each kernel.
    pub kernels: Vec<KernelScan>,
}

/// The result of a scan for one kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KernelScan {
    /// Its name; `None` for a raw file.
    pub name: Option<String>,
    /// Number of instructions that the kernel may reach.
    pub instructions: u64,
    /// Number of those that would not run.
    pub blocked: u64,
    /// The reasons, sorted, each once.
    pub blockers: Vec<Blocker>,
    /// Whether it has jumps whose targets cannot be found by reading.
    pub computed_jumps: bool,
}

/// Numbers of instructions by encoding.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Counts {
    /// For each encoding (`-` for dwords that do not decode): how many instructions would run, and how many would not.
    pub by_encoding: BTreeMap<&'static str, (u64, u64)>,
}

impl Counts {
    fn add(&mut self, encoding: &'static str, runs: bool) {
        let (would, would_not) = self.by_encoding.entry(encoding).or_default();
        *(if runs { would } else { would_not }) += 1;
    }

    /// Adds the counts of another scan.
    pub fn merge(&mut self, other: &Counts) {
        for (encoding, (run, not)) in &other.by_encoding {
            let (would, would_not) = self.by_encoding.entry(encoding).or_default();
            *would += run;
            *would_not += not;
        }
    }

    /// Number of instructions that would run.
    pub fn running(&self) -> u64 {
        self.by_encoding.values().map(|(run, _)| run).sum()
    }

    /// Number of all instructions.
    pub fn total(&self) -> u64 {
        self.by_encoding.values().map(|(run, not)| run + not).sum()
    }
}

impl Scan {
    /// The findings that a kernel may reach.
    pub fn reachable(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(|finding| finding.reachable)
    }

    /// Whether any kernel has jumps whose targets cannot be found by reading.
    pub fn computed_jumps(&self) -> bool {
        self.kernels.iter().any(|kernel| kernel.computed_jumps)
    }
}

/// The reason why an instruction would not run; `None` if it would.
pub fn blocker(decoded: &Decoded) -> Option<Blocker> {
    match &decoded.inst {
        Ok(inst) => inst.unsupported().map(|reason| Blocker {
            mnemonic: Some(inst.desc().mnemonic),
            encoding: Some(encoding(inst)),
            kind: "unsupported",
            reason,
        }),
        Err(error) => Some(Blocker { mnemonic: None, encoding: None, kind: error.kind.name(), reason: error.reason }),
    }
}

fn encoding(inst: &Inst) -> &'static str {
    inst.desc().encoding.name()
}

/// Scans a program.
///
/// ```
/// use gcnsim_isa::{Arch, Program};
/// // s_mov_b32 s0, 0; a reserved encoding; s_endpgm
/// let program = Program::from_words(Arch::Gcn14, &[0xbe80_0080, 0xbeff_ffff, 0xbf81_0000]);
/// let scan = gcnsim_loader::scan::scan(&program);
/// assert_eq!((scan.findings.len(), scan.findings[0].pc), (1, 4));
/// ```
pub fn scan(program: &Program) -> Scan {
    scan_object(&Object::of_program(program), program.arch())
}

/// Scans an object. `arch` is its generation if the object does not state it.
pub fn scan_object(object: &Object, arch: Arch) -> Scan {
    let scanner = Scanner::new(object, arch);
    let findings = scanner.findings().collect();
    Scan { findings, ..scanner.scan }
}

/// A scan of an object that makes its findings on demand, because there may be very many.
#[derive(Debug)]
pub struct Scanner<'o> {
    /// The result without its findings.
    pub scan: Scan,
    map: CodeMap<'o>,
    /// For each dword, the number of kernels that reach an instruction there.
    reached: Vec<u32>,
    /// The number of the first dword that is data, in a raw file.
    data: usize,
}

impl<'o> Scanner<'o> {
    /// Scans an object. `arch` is its generation if the object does not state it.
    pub fn new(object: &'o Object, arch: Arch) -> Scanner<'o> {
        let map = CodeMap::new(object, object.arch.unwrap_or(arch));
        let reached = vec![0; map.limit()];
        let data = map.limit();
        let mut scanner = Scanner { scan: Scan::default(), map, reached, data };
        let mut search = Search::default();
        for kernel in &object.kernels {
            let computed_jumps = reach::follow(&mut search, &scanner.map, kernel.address);
            let kernel = scanner.kernel(kernel.name.as_deref(), search.visited(), computed_jumps);
            scanner.scan.kernels.push(kernel);
        }
        scanner.find_data();
        scanner.count();
        scanner
    }

    /// Finds where the constants behind the code of a raw file begin: behind the last instruction that is reached, if
    /// the program ends in it or jumps elsewhere, and all its jumps are known.
    fn find_data(&mut self) {
        if self.map.object.target.is_some() || self.scan.computed_jumps() {
            return;
        }
        let Some(last) = self.reached.iter().rposition(|&kernels| kernels > 0) else { return };
        let decoded = self.map.get(last);
        let ends = |inst: &Inst| !Ways::of(inst).goes_on();
        if decoded.inst.as_ref().is_ok_and(ends) {
            self.data = last + decoded.size() as usize / 4;
            self.scan.data = (self.map.limit() - self.data) as u64;
        }
    }

    /// Generation of the code.
    pub fn arch(&self) -> Arch {
        self.map.arch
    }

    /// The findings, sorted by address.
    pub fn findings(&self) -> impl Iterator<Item = Finding> {
        (0..self.map.limit()).filter_map(|number| self.finding(number, &self.instruction(number)?))
    }

    fn kernel(&mut self, name: Option<&str>, numbers: &[u32], computed_jumps: bool) -> KernelScan {
        let (mut blockers, mut blocked) = (BTreeSet::new(), 0);
        for &number in numbers {
            self.reached[number as usize] += 1;
            if let Some(blocker) = blocker(&self.map.get(number as usize)) {
                blockers.insert(blocker);
                blocked += 1;
            }
        }
        KernelScan {
            name: name.map(str::to_owned),
            instructions: numbers.len() as u64,
            blocked,
            blockers: blockers.into_iter().collect(),
            computed_jumps,
        }
    }

    /// The instruction at the dword `number`, if one begins there in a code area or if a kernel reaches it.
    fn instruction(&self, number: usize) -> Option<Decoded> {
        let is_read = self.reached[number] > 0 || self.map.is_start(number) && number < self.data;
        is_read.then(|| self.map.get(number))
    }

    fn finding(&self, number: usize, decoded: &Decoded) -> Option<Finding> {
        let kernels = self.reached[number];
        if kernels == 0 && decoded.word == 0 && is_unnamed(self.map.object, decoded.address) {
            return None;
        }
        let (pc, word) = (decoded.address, decoded.word);
        Some(Finding { pc, word, blocker: blocker(decoded)?, kernels, reachable: kernels > 0 })
    }

    /// Counts instructions and findings over the whole object.
    fn count(&mut self) {
        for number in 0..self.map.limit() {
            let Some(decoded) = self.instruction(number) else { continue };
            let finding = self.finding(number, &decoded);
            if self.reached[number] > 0 {
                let encoding = decoded.inst.as_ref().map_or("-", encoding);
                self.scan.instructions.add(encoding, finding.is_none());
            }
            match finding {
                Some(finding) if finding.reachable => *self.scan.places.entry(finding.blocker).or_default() += 1,
                Some(_) => self.scan.unreachable += 1,
                None => {}
            }
        }
    }
}

/// Whether `address` is in code without a symbol, which may be padding.
fn is_unnamed(object: &Object, address: u64) -> bool {
    let area = object.section_at(address).and_then(|section| section.area_at(address));
    area.is_none_or(|area| area.kind == AreaKind::Unnamed)
}

#[cfg(test)]
mod tests {
    use super::*;

    const END: u32 = 0xbf81_0000;
    const ILLEGAL: u32 = 0xbeff_ffff;
    const NOP: u32 = 0xbf80_0000;

    fn scanned(words: &[u32]) -> Scan {
        scan(&Program::from_words(Arch::Gcn14, words))
    }

    fn found(words: &[u32]) -> Vec<(u64, bool)> {
        scanned(words).findings.iter().map(|f| (f.pc, f.reachable)).collect()
    }

    #[test]
    fn code_that_is_jumped_over_is_marked_unreachable() {
        // s_cbranch_scc0 +1 leads past the end
        assert_eq!(found(&[0xbf84_0001, END, ILLEGAL, END]), [(8, true)]);
        // s_branch +1 jumps over
        assert_eq!(found(&[0xbf82_0001, ILLEGAL, END]), [(4, false)]);
    }

    #[test]
    fn constants_behind_the_code_are_data() {
        assert_eq!((found(&[END, ILLEGAL, 0, 0]), scanned(&[END, ILLEGAL, 0, 0]).data), (vec![], 3));
        // s_branch +1, s_endpgm, s_branch -2: the code's last instruction is the branch.
        assert_eq!(scanned(&[0xbf82_0001, END, 0xbf82_fffe, ILLEGAL, 5]).data, 2);
        // Control runs into what follows, or may jump there.
        assert_eq!((found(&[NOP, ILLEGAL]), scanned(&[NOP, ILLEGAL]).data), (vec![(4, true)], 0));
        assert_eq!(scanned(&[0xbe80_1d00, END, ILLEGAL]).data, 0);
    }

    #[test]
    fn after_a_computed_jump_everything_may_be_reached() {
        // s_setpc_b64 s[0:1]
        assert_eq!(found(&[0xbe80_1d00, ILLEGAL, END]), [(4, true)]);
        assert!(scanned(&[0xbe80_1d00, END]).computed_jumps());
    }

    /// s_getpc_b64 s[4:5]; s_add_u32 s4, s4, 20; s_addc_u32 s5, s5, 0; s_swappc_b64 s[30:31], s[4:5]; s_endpgm;
    /// illegal; the function: s_mov_b32 s0, 0; s_setpc_b64 s[30:31]; illegal
    #[test]
    fn calls_of_computed_addresses_and_returns_from_them_are_followed() {
        let call = [0xbe84_1c00, 0x8004_9404, 0x8205_8005, 0xbe9e_1e04, END, ILLEGAL];
        let words = [&call[..], &[0xbe80_0080, 0xbe80_1d1e, ILLEGAL]].concat();
        assert_eq!(found(&words), [(20, false)]);
        let scan = scanned(&words);
        assert_eq!((scan.kernels[0].instructions, scan.computed_jumps()), (7, false));
        // The function writes its return address: s_mov_b32 s30, s0.
        let words = [&call[..], &[0xbe9e_0000, 0xbe80_1d1e, ILLEGAL]].concat();
        assert_eq!(found(&words), [(20, true), (32, true)]);
    }

    /// s_branch into the literal of s_mov_b32 s0, s_endpgm
    #[test]
    fn jumps_into_literals_are_followed() {
        let scan = scanned(&[0xbf82_0001, 0xbe80_00ff, ILLEGAL, END]);
        assert_eq!(scan.findings.iter().map(|f| (f.pc, f.reachable)).collect::<Vec<_>>(), [(8, true)]);
    }

    #[test]
    fn a_finding_does_not_hide_the_next() {
        assert_eq!(found(&[ILLEGAL, NOP, ILLEGAL, END]), [(0, true), (8, true)]);
        // a literal missing at the end
        assert_eq!(found(&[NOP, 0xbe80_00ff]), [(4, true)]);
    }
}
