//! The outcome of an entry of a batch: an outcome of a run, or one that only a batch has.

use gcnsim_engine::{EngineError, quote};
use gcnsim_machine::outcome::Outcome;
use serde::{Deserialize, Deserializer, de};

macro_rules! outcomes {
    ($($(#[doc = $doc:literal])* $Variant:ident = $name:literal,)*) => {
        /// Outcome of an entry.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[repr(u8)]
        pub enum EntryOutcome { $($(#[doc = $doc])* $Variant,)* }

        impl EntryOutcome {
            /// All outcomes, in the order of `outcome as usize`.
            pub const ALL: &[EntryOutcome] = &[$(EntryOutcome::$Variant),*];

            /// Returns the name in results.
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
    /// The program came to an instruction that the simulator does not execute.
    Unsupported = "unsupported",
    /// The program faulted, for example at memory that is not there or at dwords that do not decode.
    Fault = "fault",
    /// The program halted itself.
    Halted = "halted",
    /// The program called a trap handler, and there is none.
    Trap = "trap",
    /// The result is not what the sidecar or the launch expects.
    Mismatch = "mismatch",
    /// The file cannot be read or run.
    BadInput = "bad-input",
    /// The user stopped the batch while the entry ran.
    Interrupted = "interrupted",
    /// Compiled code and the interpreter disagree.
    Divergence = "divergence",
    /// The simulator made a mistake, such as a panic.
    InternalError = "internal-error",
}

impl EntryOutcome {
    /// Returns the outcome with this name, if there is one.
    pub fn from_name(name: &str) -> Option<EntryOutcome> {
        EntryOutcome::ALL.iter().copied().find(|outcome| outcome.name() == name)
    }

    /// Whether the outcome is a mistake of the simulator.
    pub const fn is_our_fault(self) -> bool {
        matches!(self, EntryOutcome::Divergence | EntryOutcome::InternalError)
    }
}

impl<'de> Deserialize<'de> for EntryOutcome {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<EntryOutcome, D::Error> {
        let name = String::deserialize(deserializer)?;
        EntryOutcome::from_name(&name)
            .ok_or_else(|| de::Error::custom(format!("unknown outcome '{}'", quote::text(&name))))
    }
}

impl From<&Result<Outcome, EngineError>> for EntryOutcome {
    fn from(outcome: &Result<Outcome, EngineError>) -> EntryOutcome {
        match outcome {
            Ok(Outcome::Ended) => EntryOutcome::Ended,
            // A wave that runs alone does not wait at a barrier.
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
