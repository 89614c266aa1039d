//! Peripherals of the library's user. They answer accesses to addresses that are not mapped, for example to registers.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::Access;

/// Answers accesses to addresses that are not mapped.
///
/// A vector instruction asks `allows` for all its lanes before any access is made, so that it faults as a whole. Then
/// its lanes are loaded or stored in ascending order, each once; most wide accesses are one call. All loads and stores
/// come from the interpreter, whatever the engine: compiled code leaves such instructions to it, and no check repeats
/// them.
pub trait Peripheral: Send {
    /// Whether the peripheral has these bytes and allows the access. The call must have no effect.
    fn allows(&self, address: u64, bytes: u32, access: Access) -> bool;

    /// Reads bytes from `address` on, which [`Peripheral::allows`] has allowed.
    fn load(&mut self, address: u64, bytes: &mut [u8]);

    /// Writes bytes from `address` on, which [`Peripheral::allows`] has allowed. An atomic is a load and a store.
    fn store(&mut self, address: u64, bytes: &[u8]);
}

/// A peripheral in a form that several contexts and its owner can share.
#[derive(Clone)]
pub struct SharedPeripheral(Arc<Mutex<dyn Peripheral>>);

impl SharedPeripheral {
    /// Makes `peripheral` shareable.
    pub fn new(peripheral: impl Peripheral + 'static) -> SharedPeripheral {
        SharedPeripheral(Arc::new(Mutex::new(peripheral)))
    }

    /// The peripheral, for this thread alone until the guard is dropped.
    pub fn lock(&self) -> MutexGuard<'_, dyn Peripheral + 'static> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<D: Peripheral + 'static> From<Arc<Mutex<D>>> for SharedPeripheral {
    fn from(peripheral: Arc<Mutex<D>>) -> SharedPeripheral {
        SharedPeripheral(peripheral)
    }
}

impl fmt::Debug for SharedPeripheral {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SharedPeripheral")
    }
}

/// Whether a context lets its peripheral answer.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Answers {
    /// It does not. Accesses to the peripheral are faults.
    #[default]
    Never,
    /// The peripheral is only asked whether it allows an access. An allowed load gives 0, and no write of any kind is
    /// made.
    Asks,
    /// It does: loads and stores reach the peripheral.
    Yes,
}
