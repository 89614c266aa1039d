//! What a wave sends to the fixed functions of the GPU: exports and messages (docs/gcn/graphics.md#exp). They are kept
//! in the order of their execution.

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
    /// The bits of the four components in each of the 64 lanes: 32 of them, or 16 if they are compressed. 0 in lanes that
    /// are off, and in components that are not enabled.
    pub values: Box<[[u32; LANES]; 4]>,
}

/// A message of S_SENDMSG or S_SENDMSGHALT.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Message {
    /// SIMM16: what is sent.
    pub message: u16,
    /// M0.
    pub m0: u32,
    /// EXEC.
    pub exec: u64,
    /// Address of the instruction.
    pub pc: u64,
}

/// What a wave has sent.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Observed {
    exports: Vec<Export>,
    messages: Vec<Message>,
    /// Number of exports and of messages that were not kept.
    dropped: [u64; 2],
}

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

    /// Whether nothing was sent.
    pub fn is_empty(&self) -> bool {
        self.exports.is_empty() && self.messages.is_empty()
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        self.exports.clear();
        self.messages.clear();
        self.dropped = [0; 2];
    }

    /// Number of exports that were executed.
    pub fn export_count(&self) -> u64 {
        self.exports.len() as u64 + self.dropped[0]
    }

    /// Number of messages that were sent.
    pub fn message_count(&self) -> u64 {
        self.messages.len() as u64 + self.dropped[1]
    }

    /// Adds an export. Returns whether it was kept; if not (`exports-cut`), it is only counted.
    pub fn export(&mut self, export: Export) -> bool {
        let is_kept = self.exports.len() < Observed::MOST;
        if is_kept {
            self.exports.push(export)
        } else {
            self.dropped[0] += 1
        }
        is_kept
    }

    /// Adds a message. Returns whether it was kept; if not (`exports-cut`), it is only counted.
    pub fn message(&mut self, message: Message) -> bool {
        let is_kept = self.messages.len() < Observed::MOST;
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
}
