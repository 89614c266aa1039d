//! How an entry of a batch ended: one of the outcomes of runs, or what else can happen to a file.

use gcnsim_engine::EngineError;
use gcnsim_machine::outcome::Outcome;

macro_rules! outcomes {
    ($($(#[doc = $doc:literal])* $Variant:ident = $name:literal,)*) => {
        /// Outcome of an entry.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[repr(u8)]
        pub enum EntryOutcome { $($(#[doc = $doc])* $Variant,)* }

        impl EntryOutcome {
            /// All outcomes; index with `outcome as usize`.
            pub const ALL: &[EntryOutcome] = &[$(EntryOutcome::$Variant),*];

            /// Name in results.
            pub const fn name(self) -> &'static str {
                match self { $(EntryOutcome::$Variant => $name),* }
            }
        }
    };
}

outcomes! {
    /// The program ended.
    Ended = "ended",
    /// The budget is used up.
    Budget = "budget",
    /// An instruction is not executed here.
    Unsupported = "unsupported",
    /// The program went wrong.
    Fault = "fault",
    /// The program halted itself.
    Halted = "halted",
    /// The program called a trap handler, and there is none.
    Trap = "trap",
    /// The sidecar's expectation does not hold.
    Mismatch = "mismatch",
    /// Nothing can be taken from the file.
    BadInput = "bad-input",
    /// The user stopped the batch while it ran.
    Interrupted = "interrupted",
    /// Compiled code and the interpreter disagree.
    Divergence = "divergence",
    /// Something happened that must not happen.
    InternalError = "internal-error",
}

impl EntryOutcome {
    /// The outcome that has a name.
    pub fn from_name(name: &str) -> Option<EntryOutcome> {
        EntryOutcome::ALL.iter().copied().find(|outcome| outcome.name() == name)
    }

    /// Whether the outcome is a mistake of the simulator.
    pub const fn is_our_fault(self) -> bool {
        matches!(self, EntryOutcome::Divergence | EntryOutcome::InternalError)
    }
}

impl From<&Result<Outcome, EngineError>> for EntryOutcome {
    fn from(outcome: &Result<Outcome, EngineError>) -> EntryOutcome {
        match outcome {
            Ok(Outcome::Ended) => EntryOutcome::Ended,
            // A wave that is alone does not wait at a barrier.
            Ok(Outcome::Budget | Outcome::Barrier) => EntryOutcome::Budget,
            Ok(Outcome::Unsupported(_)) => EntryOutcome::Unsupported,
            Ok(Outcome::Fault(_)) => EntryOutcome::Fault,
            Ok(Outcome::Halted) => EntryOutcome::Halted,
            Ok(Outcome::Trap(_)) => EntryOutcome::Trap,
            Err(EngineError::Divergence(_)) => EntryOutcome::Divergence,
            Err(EngineError::Internal(_)) => EntryOutcome::InternalError,
            Err(EngineError::Interrupted) => EntryOutcome::Interrupted,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_back() {
        for &outcome in EntryOutcome::ALL {
            assert_eq!(EntryOutcome::from_name(outcome.name()), Some(outcome));
        }
        assert_eq!(EntryOutcome::from_name("done"), None);
        assert_eq!(EntryOutcome::from(&Ok(Outcome::Halted)).name(), Outcome::Halted.name());
    }
}
