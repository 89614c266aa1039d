//! The instructions that are reached from entries.

use gcnsim_isa::{Inst, Program};

use crate::ways::{Ways, direct_target, has_target, is_computed};

/// Code that a search follows. Dwords have numbers; an instruction has that of its first dword.
pub trait Code {
    /// One more than the highest number.
    fn limit(&self) -> usize;
    /// Number of the dword at an address; `None` if there is no code.
    fn number_at(&self, address: u64) -> Option<usize>;
    /// Decodes the instruction at a number and its address. Returns `None` for dwords that are none; and, besides the
    /// instruction, the target of its jump or call if it is known.
    fn read(&self, number: usize, address: u64) -> Option<(Inst, Option<u64>)>;
    /// Whether control is followed to an address.
    fn holds(&self, _address: u64) -> bool {
        true
    }
}

impl Code for Program {
    fn limit(&self) -> usize {
        self.word_count()
    }

    fn number_at(&self, address: u64) -> Option<usize> {
        self.word_index(address)
    }

    fn read(&self, number: usize, address: u64) -> Option<(Inst, Option<u64>)> {
        let inst = self.decode_word(number).ok()?;
        Some((inst, direct_target(&inst, address)))
    }
}

/// What a search goes through, besides jumps.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Through(u8);

impl Through {
    /// Nothing: halts and traps end a path, calls are stepped over, forks are unknown jumps.
    pub const NOTHING: Through = Through(0);
    /// Callees.
    pub const CALLS: Through = Through(1);
    /// Both sides of forks, and what follows joins.
    pub const FORKS: Through = Through(2);
    /// Halts and traps: something may let the wave go on.
    pub const STOPS: Through = Through(4);
    /// Dwords that are no instruction.
    pub const ILLEGAL: Through = Through(8);

    /// Returns what either goes through.
    pub const fn and(self, other: Through) -> Through {
        Through(self.0 | other.0)
    }

    /// Whether it goes through all of `other`.
    pub const fn has(self, other: Through) -> bool {
        self.0 & other.0 == other.0
    }
}

/// An instruction that is reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Site {
    /// Its address.
    pub address: u64,
    /// Number of its first dword.
    pub number: u32,
    /// The instruction.
    pub inst: Inst,
}

impl Site {
    /// The address behind it.
    pub fn next(&self) -> u64 {
        self.address.wrapping_add(self.inst.size().into())
    }
}

/// A call, with where it leads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Call {
    /// Address of the instruction.
    pub address: u64,
    /// Address of the callee, if it is known.
    pub callee: Option<u64>,
    /// The address to which the callee returns.
    pub return_to: u64,
}

/// What is reached from the entries of a search.
#[derive(Clone, Default, Debug)]
pub struct Flow {
    /// The instructions, by address.
    pub sites: Vec<Site>,
    /// Addresses of dwords that are reached and are no instruction, if the search ends there.
    pub illegal: Vec<u64>,
    /// Jumps whose targets are not known: addresses, ascending. Forks are among them if the search does not go through
    /// them, and calls if it goes through those.
    pub open: Vec<u64>,
    /// Computed jumps that go to return sites of the calls in this flow: addresses, ascending.
    pub returns: Vec<u64>,
    /// Jumps and their targets which the code does not hold.
    pub strays: Vec<(u64, u64)>,
    /// Instructions behind which control runs out of the code.
    pub falls: Vec<u64>,
    /// Whether there is more than was wanted.
    pub is_cut: bool,
    /// Targets of computed jumps, by the address of the jump.
    pub(crate) computed: Vec<(u64, u64)>,
    pub(crate) through: Through,
}

impl Flow {
    /// Returns the index of the instruction at an address.
    pub fn index_of(&self, address: u64) -> Option<usize> {
        self.sites.binary_search_by_key(&address, |site| site.address).ok()
    }

    /// Returns the target of the jump or call `site`, if it is known.
    pub fn target(&self, site: &Site) -> Option<u64> {
        if !is_computed(&site.inst) {
            return direct_target(&site.inst, site.address);
        }
        let at = self.computed.binary_search_by_key(&site.address, |jump| jump.0).ok()?;
        Some(self.computed[at].1)
    }

    /// Returns the calls, by address.
    pub fn calls(&self) -> impl Iterator<Item = Call> + '_ {
        let calls = self.sites.iter().filter(|site| Ways::of(&site.inst) == Ways::Call);
        calls.map(|site| Call { address: site.address, callee: self.target(site), return_to: site.next() })
    }

    /// Whether these are all instructions that can be reached.
    pub fn is_complete(&self) -> bool {
        self.open.is_empty() && !self.is_cut
    }

    fn clear(&mut self) {
        self.sites.clear();
        self.illegal.clear();
        self.open.clear();
        self.returns.clear();
        self.strays.clear();
        self.falls.clear();
        self.computed.clear();
        self.is_cut = false;
    }
}

/// A search for what is reached. It keeps its memory from one search to the next.
#[derive(Default, Debug)]
pub struct Search {
    /// A bit for each dword: whether it was visited.
    seen: Vec<u64>,
    /// Numbers of the dwords that were visited.
    visited: Vec<u32>,
    work: Vec<u64>,
    /// Most dwords that are wanted.
    most: usize,
    flow: Flow,
}

impl Search {
    /// Begins a search of at most `most` instructions. What the last one found is forgotten.
    pub fn begin(&mut self, code: &impl Code, through: Through, most: usize) {
        for number in self.visited.drain(..) {
            self.seen[number as usize / 64] = 0;
        }
        self.flow.clear();
        self.flow.through = through;
        self.most = most;
        let words = code.limit().div_ceil(64);
        if self.seen.is_empty() {
            // The system zeroes this memory when it is first touched.
            self.seen = vec![0; words];
        } else if self.seen.len() < words {
            self.seen.resize(words, 0);
        }
    }

    /// Adds what is reached from an address.
    pub fn follow(&mut self, code: &impl Code, entry: u64) {
        let mut sites = std::mem::take(&mut self.flow.sites);
        self.walk(code, entry, |site, _| sites.push(*site));
        self.flow.sites = sites;
    }

    /// Calls `see` with each instruction that is reached from an address and was not visited, and with the target of its
    /// jump if it is known. Only the numbers are kept.
    pub fn follow_with(&mut self, code: &impl Code, entry: u64, mut see: impl FnMut(&Inst, Option<u64>)) {
        self.walk(code, entry, |site, target| see(&site.inst, target));
    }

    fn walk(&mut self, code: &impl Code, entry: u64, mut see: impl FnMut(&Site, Option<u64>)) {
        self.work.push(entry);
        while let Some(start) = self.work.pop() {
            let mut next = self.visit(code, start, &mut see);
            while let Some(pc) = next {
                next = self.visit(code, pc, &mut see);
            }
        }
    }

    /// Visits the instruction at `pc`, if it was not visited. Returns the address behind it, if control goes there.
    fn visit(&mut self, code: &impl Code, pc: u64, see: &mut impl FnMut(&Site, Option<u64>)) -> Option<u64> {
        let number = code.number_at(pc)?;
        let bit = 1 << (number % 64);
        let seen = self.seen.get_mut(number / 64)?;
        if *seen & bit != 0 {
            return None;
        }
        if self.visited.len() >= self.most {
            self.flow.is_cut = true;
            return None;
        }
        *seen |= bit;
        // Code has fewer than 2^32 dwords.
        let number = number as u32;
        self.visited.push(number);
        let Some((inst, target)) = code.read(number as usize, pc) else {
            if self.flow.through.has(Through::ILLEGAL) {
                return Some(pc.wrapping_add(4));
            }
            self.flow.illegal.push(pc);
            return None;
        };
        let site = Site { address: pc, number, inst };
        see(&site, target);
        if !self.leave(code, &site, target) {
            return None;
        }
        let next = site.next();
        if code.holds(next) && code.number_at(next).is_some() {
            return Some(next);
        }
        self.flow.falls.push(pc);
        None
    }

    /// Follows the jump of an instruction. Returns whether control goes on behind it.
    fn leave(&mut self, code: &impl Code, site: &Site, target: Option<u64>) -> bool {
        let (through, ways) = (self.flow.through, Ways::of(&site.inst));
        let is_followed = match ways {
            Ways::Next => return true,
            Ways::End => return false,
            Ways::Resume => return through.has(Through::STOPS),
            Ways::Jump | Ways::Branch => true,
            Ways::Call => through.has(Through::CALLS),
            Ways::Fork => through.has(Through::FORKS),
        };
        match target {
            Some(target) if is_followed => {
                if is_computed(&site.inst) {
                    self.flow.computed.push((site.address, target));
                }
                if code.holds(target) && code.number_at(target).is_some() {
                    self.work.push(target);
                } else {
                    self.flow.strays.push((site.address, target));
                }
            }
            None if is_followed && has_target(&site.inst) => self.flow.open.push(site.address),
            _ if ways == Ways::Fork && !is_followed => {
                self.flow.open.push(site.address);
                return false;
            }
            _ => {}
        }
        ways.goes_on()
    }

    /// Numbers of the dwords that were visited, in no particular order. With [`Through::ILLEGAL`] there are some that
    /// are no instruction.
    pub fn visited(&self) -> &[u32] {
        &self.visited
    }

    pub(crate) fn flow(&self) -> &Flow {
        &self.flow
    }

    pub(crate) fn flow_mut(&mut self) -> &mut Flow {
        &mut self.flow
    }

    /// Returns what was found.
    pub fn into_flow(mut self) -> Flow {
        self.finish();
        self.flow
    }

    /// Sorts what was found so far.
    pub fn finish(&mut self) -> &mut Flow {
        let flow = &mut self.flow;
        flow.sites.sort_unstable_by_key(|site| site.address);
        flow.open.sort_unstable();
        flow.computed.sort_unstable();
        flow
    }
}
