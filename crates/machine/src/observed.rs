//! The data that a wave sends to the fixed functions of the GPU: exports and messages (docs/gcn/graphics.md#exp). They
//! are kept in the order of their execution.

use gcnsim_isa::{ExportAccess, LANES};

/// An export.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Export {
    /// Target, components and flags.
    pub access: ExportAccess,
    /// EXEC.
    pub exec: u64,
    /// Address of the instruction.
    pub pc: u64,
    /// The bits of the four components in each of the 64 lanes: 32 of them, or 16 if they are compressed. 0 in lanes
    /// that are off, and in components that are not enabled.
    pub values: [[u32; LANES]; 4],
}

/// A message of S_SENDMSG or S_SENDMSGHALT.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Message {
    /// SIMM16, which has the kind of message.
    pub message: u16,
    /// M0.
    pub m0: u32,
    /// EXEC.
    pub exec: u64,
    /// Address of the instruction.
    pub pc: u64,
}

/// The exports and messages of a wave.
///
/// Exports have a KiB each and lie side by side, so that sending one allocates nothing but the growth of the list.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Observed {
    exports: Vec<Export>,
    messages: Vec<Message>,
    /// Number of exports and of messages that were not kept.
    dropped: [u64; 2],
    /// Number of exports and of messages in front of these, between [`Observed::set_aside`] and
    /// [`Observed::put_back`].
    aside: [usize; 2],
}

/// Number of exports that the memory of the first one has room for. Most waves send no more.
const FIRST_ROOM: usize = 4;

impl Observed {
    /// The most exports, and the most messages, that are kept.
    pub const MOST: usize = 1 << 14;

    /// The exports, up to [`Observed::MOST`].
    pub fn exports(&self) -> &[Export] {
        &self.exports
    }

    /// The messages, up to [`Observed::MOST`].
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// Whether neither an export nor a message is here.
    pub fn is_empty(&self) -> bool {
        self.exports.is_empty() && self.messages.is_empty()
    }

    /// Forgets all. The memory is kept for other exports.
    pub fn clear(&mut self) {
        self.exports.clear();
        self.messages.clear();
        (self.dropped, self.aside) = ([0; 2], [0; 2]);
    }

    /// Number of exports that were executed.
    pub fn export_count(&self) -> u64 {
        (self.aside[0] + self.exports.len()) as u64 + self.dropped[0]
    }

    /// Number of messages that were sent.
    pub fn message_count(&self) -> u64 {
        (self.aside[1] + self.messages.len()) as u64 + self.dropped[1]
    }

    /// Takes the exports and messages out, and leaves their numbers. Clones of the wave are cheap until they are
    /// [put back](Observed::put_back).
    pub fn set_aside(&mut self) -> Observed {
        let rest = Observed {
            dropped: self.dropped,
            aside: [self.aside[0] + self.exports.len(), self.aside[1] + self.messages.len()],
            ..Observed::default()
        };
        std::mem::replace(self, rest)
    }

    /// Puts exports and messages that were [set aside](Observed::set_aside) in front of those that were sent since.
    pub fn put_back(&mut self, mut earlier: Observed) {
        earlier.exports.append(&mut self.exports);
        earlier.messages.append(&mut self.messages);
        *self = Observed { dropped: self.dropped, ..earlier };
    }

    /// Adds an export. Returns whether it was kept; if not (`exports-cut`), it is only counted.
    pub fn export(&mut self, export: Export) -> bool {
        let values = self.export_with(export.access, export.exec, export.pc);
        values.map(|values| *values = export.values).is_some()
    }

    /// Adds an export, and returns its values, which are 0 and may be set. Returns `None` if the export was not kept
    /// (`exports-cut`), but only counted.
    #[inline]
    pub fn export_with(&mut self, access: ExportAccess, exec: u64, pc: u64) -> Option<&mut [[u32; LANES]; 4]> {
        if self.aside[0] + self.exports.len() >= Observed::MOST {
            self.dropped[0] += 1;
            return None;
        }
        if self.exports.capacity() == 0 {
            self.exports.reserve(FIRST_ROOM);
        }
        self.exports.push(Export { access, exec, pc, values: [[0; LANES]; 4] });
        self.exports.last_mut().map(|export| &mut export.values)
    }

    /// Adds a message. Returns whether it was kept; if not (`exports-cut`), it is only counted.
    pub fn message(&mut self, message: Message) -> bool {
        let is_kept = self.aside[1] + self.messages.len() < Observed::MOST;
        if is_kept {
            self.messages.push(message)
        } else {
            self.dropped[1] += 1
        }
        is_kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_much_is_counted() {
        let mut observed = Observed::default();
        let message = Message { message: 3, m0: 1, exec: 1, pc: 8 };
        for n in 0..Observed::MOST + 5 {
            assert_eq!(observed.message(message), n < Observed::MOST);
        }
        assert_eq!((observed.messages().len(), observed.message_count()), (Observed::MOST, Observed::MOST as u64 + 5));
        assert!(observed.exports().is_empty() && observed.export_count() == 0 && !observed.is_empty());
    }

    #[test]
    fn what_is_set_aside_comes_back_in_front() {
        let access = ExportAccess { target: 0, en: 1, compr: false, done: false, vm: false, sources: [0; 4] };
        let message = |pc: u64| Message { message: 3, m0: 1, exec: 1, pc };
        let send = |observed: &mut Observed, pc: u64| {
            observed.export_with(access, 1, pc).unwrap()[0][0] = 7;
            assert!(observed.message(message(pc)));
        };
        let mut observed = Observed::default();
        send(&mut observed, 4);
        let before = observed.clone();
        let earlier = observed.set_aside();
        assert!(observed.is_empty() && earlier == before);
        assert_eq!((observed.export_count(), observed.message_count()), (1, 1));
        send(&mut observed, 8);
        observed.put_back(earlier);
        let mut expected = before;
        send(&mut expected, 8);
        assert_eq!(observed, expected);
        assert_eq!((observed.export_count(), observed.message_count()), (2, 2));
        assert_eq!(observed.exports()[1].values[0][..2], [7, 0]);
    }

    #[test]
    fn what_is_set_aside_counts_for_the_limit() {
        let access = ExportAccess { target: 9, en: 0, compr: false, done: false, vm: false, sources: [0; 4] };
        let mut observed = Observed::default();
        for n in 0..Observed::MOST - 1 {
            assert!(observed.export_with(access, 0, n as u64).is_some());
        }
        let earlier = observed.set_aside();
        let kept = [0, 1, 2].map(|pc| observed.export_with(access, 0, pc).is_some());
        assert_eq!(kept, [true, false, false]);
        observed.put_back(earlier);
        assert_eq!((observed.exports().len(), observed.export_count()), (Observed::MOST, Observed::MOST as u64 + 2));
    }
}
