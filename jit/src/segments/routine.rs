//! Routines: functions of one value that segments call, because they take too many operations to be compiled with each
//! instruction.
//!
//! A routine is compiled by the same steps as a segment, when it is first wanted, and stays. It takes the lanes of a
//! chunk in its first register and returns others there. Only [its registers](super::allocate) change, and the lanes
//! that are right. It touches no memory but its constants, and leaves MXCSR alone: how denormals are treated there is
//! [`Routine::keeps_denormals`].

use std::sync::OnceLock;

use super::allocate::{Allocator, Layout};
use super::encode::Width;
use super::list::{Action, Home, Value};
use super::lower::{Function, Lowering};
use super::memory::Code;
use super::plan::{Plan, plan};
use super::segment::{Features, Options, finished};

/// A function, for one treatment of denormals.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Routine {
    pub function: Function,
    /// Denormals keep their values where MXCSR could flush them.
    pub keeps_denormals: bool,
}

/// Code and its constants.
#[derive(Debug)]
pub(crate) struct Bytes {
    pub bytes: Vec<u8>,
    /// Offset of the end of the code.
    pub end: usize,
}

#[derive(Debug)]
struct Compiled {
    code: Code,
    bytes: Bytes,
}

/// The routines, by width, function and treatment of denormals.
static ALL: [[[OnceLock<Option<Compiled>>; 2]; Function::ALL.len()]; 2] =
    [const { [const { [const { OnceLock::new() }; 2] }; Function::ALL.len()] }; 2];

impl Routine {
    fn all() -> impl Iterator<Item = Routine> {
        let both = |function| [false, true].map(|keeps_denormals| Routine { function, keeps_denormals });
        Function::ALL.into_iter().flat_map(both)
    }

    /// The address of its code; `None` if there is no memory.
    pub fn address(self, width: Width) -> Option<u64> {
        let compiled = self.place(width).get_or_init(|| {
            let bytes = self.bytes(width)?;
            let code = Code::seal(&[&bytes.bytes])?.pop()?;
            Some(Compiled { code, bytes })
        });
        Some(compiled.as_ref()?.code.address())
    }

    fn place(self, width: Width) -> &'static OnceLock<Option<Compiled>> {
        &ALL[width as usize][self.function as usize][self.keeps_denormals as usize]
    }

    /// The routine whose code begins at `address`: its name and its code, for listings.
    pub fn at(address: u64, width: Width) -> Option<(&'static str, &'static Bytes)> {
        Routine::all().find_map(|routine| {
            let compiled = routine.place(width).get()?.as_ref()?;
            (compiled.code.address() == address).then_some((routine.function.name(), &compiled.bytes))
        })
    }

    /// The code; `None` if the registers of routines do not suffice.
    fn bytes(self, width: Width) -> Option<Bytes> {
        let features = Features { width, count: false, funnel: false, bytes: false };
        let options = Options { features, mode: None };
        let mut lowering = Lowering::new(&options, 1);
        let argument = lowering.list.given(Home::Computed);
        let result = lowering.function_of(self.function, self.keeps_denormals, argument);
        let list = &mut lowering.list;
        list.push(Action::Return, Value::NONE, [result, Value::NONE, Value::NONE], 0);
        // The caller leaves the chunk, not the routine.
        list.has_tests = false;
        let Plan { nodes, uses, next } = plan(list, &[], &[], &[], &lowering.initial);
        let layout = Layout::new(list);
        let mut allocator = Allocator::new(list, &lowering.initial, next, layout, &[]).for_routine(argument);
        allocator.run(&nodes, &uses).ok()?;
        let Allocator { code, .. } = allocator;
        let end = code.bytes.len();
        Some(Bytes { bytes: finished(code, &lowering.list, &layout), end })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers_suffice() {
        for width in [Width::Ymm, Width::Zmm] {
            for routine in Routine::all() {
                assert!(routine.bytes(width).is_some(), "{routine:?}, {width:?}");
            }
        }
    }
}
