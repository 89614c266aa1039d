//! What is known of registers at a place of the code: where the dwords in them come from.

use gcnsim_isa::{Inst, Src};

/// What a register holds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Tag {
    /// Nothing that is followed.
    None,
    /// The address of the kernarg segment, plus an offset.
    Kernarg(i32),
    /// The dword of the kernarg segment at an offset in bytes.
    Argument(u32),
    /// A half of an address that was computed from the address at an offset of the kernarg segment.
    Address(u32),
    /// A dword that was loaded through the address at an offset of the kernarg segment, from a distance in bytes.
    Loaded(u32, i32),
    /// A dword that was computed from one that was loaded, and may be a half of an address.
    Computed(u32, i32),
    /// A dword that was loaded through an address that was loaded through the one at an offset, from a distance.
    Deep(u32, i32),
    /// An address on one path, and on another the dword that was loaded through it, from a distance.
    Linked(u32, i32),
    /// A dword of LDS.
    Lds,
    /// One of several of these.
    Several,
}

/// The tags of all registers.
#[derive(Clone, PartialEq, Eq)]
pub struct State {
    pub scalars: [Tag; 128],
    pub vectors: [Tag; 256],
}

impl Tag {
    /// Returns what a register holds that has `self` on one path and `other` on another one.
    fn joined(self, other: Tag) -> Tag {
        // Either may be the one of the first path.
        match if self <= other { (self, other) } else { (other, self) } {
            (a, b) if a == b => a,
            (Tag::None, tag) => tag,
            (Tag::Argument(a), Tag::Address(b)) if a == b => Tag::Address(a),
            (Tag::Loaded(a, i), Tag::Computed(b, k)) if (a, i) == (b, k) => Tag::Computed(a, i),
            (Tag::Loaded(a, i), Tag::Loaded(b, k)) if a == b => Tag::Loaded(a, i.min(k)),
            // A list goes on where what it holds points to.
            (Tag::Argument(a) | Tag::Address(a), Tag::Loaded(b, at) | Tag::Linked(b, at)) if a == b => {
                Tag::Linked(a, at)
            }
            (Tag::Loaded(a, i), Tag::Linked(b, k)) if (a, i) == (b, k) => Tag::Linked(a, i),
            _ => Tag::Several,
        }
    }
}

impl State {
    /// Takes in the state at the end of another path. Returns whether anything has changed.
    pub fn join(&mut self, other: &State) -> bool {
        let own = self.scalars.iter_mut().chain(&mut self.vectors);
        own.zip(other.scalars.iter().chain(&other.vectors)).fold(false, |has_changed, (own, other)| {
            let joined = own.joined(*other);
            let is_new = *own != joined;
            *own = joined;
            has_changed | is_new
        })
    }

    pub fn scalar(&self, n: u8) -> Tag {
        self.scalars.get(usize::from(n)).copied().unwrap_or(Tag::None)
    }

    pub fn vector(&self, n: u8) -> Tag {
        self.vectors[usize::from(n)]
    }

    /// Returns the tags of source `i` of an instruction that reads registers: of its first dwords.
    pub fn source(&self, inst: &Inst, i: usize) -> [Tag; 2] {
        match inst.src(i) {
            Src::Sgpr(n) => [self.scalar(n), self.scalar(n.saturating_add(1))],
            Src::Vgpr(n) => [self.vector(n), self.vector(n.wrapping_add(1))],
            _ => [Tag::None; 2],
        }
    }

    /// Forgets the registers that an instruction writes.
    pub fn forget(&mut self, inst: &Inst) {
        let writes = inst.writes();
        let mut left = writes.sgprs;
        while left != 0 {
            self.scalars[left.trailing_zeros() as usize] = Tag::None;
            left &= left - 1;
        }
        writes.vgprs.iter().for_each(|n| self.vectors[usize::from(n)] = Tag::None);
    }
}
