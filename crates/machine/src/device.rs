//! Memory of one's own: what answers accesses to addresses that are not mapped, such as registers of a device.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::Access;

/// Answers accesses to addresses that are not mapped.
///
/// A vector instruction asks for all its lanes before any takes effect, so that it faults as a whole. Then its lanes
/// are loaded or stored by ascending number, each once, dwords of wide accesses mostly in one piece. Loads and stores
/// are those of the interpreter, whatever the engine: compiled code leaves such an instruction to it, and no check
/// repeats them.
pub trait Device: Send {
    /// Whether the device has these bytes and allows the access. It has no effect.
    fn allows(&self, address: u64, bytes: u32, access: Access) -> bool;

    /// Reads bytes that are allowed.
    fn load(&mut self, address: u64, bytes: &mut [u8]);

    /// Writes bytes that are allowed. An atomic is a load and a store.
    fn store(&mut self, address: u64, bytes: &[u8]);
}

/// A device that a context has, and perhaps other contexts or its owner.
#[derive(Clone)]
pub struct SharedDevice(Arc<Mutex<dyn Device>>);

impl SharedDevice {
    /// Shares a device.
    pub fn new(device: impl Device + 'static) -> SharedDevice {
        SharedDevice(Arc::new(Mutex::new(device)))
    }

    /// The device, for this thread alone until the guard is dropped.
    pub fn lock(&self) -> MutexGuard<'_, dyn Device + 'static> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<D: Device + 'static> From<Arc<Mutex<D>>> for SharedDevice {
    fn from(device: Arc<Mutex<D>>) -> SharedDevice {
        SharedDevice(device)
    }
}

impl fmt::Debug for SharedDevice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SharedDevice")
    }
}

/// Whether a context lets a device answer.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Answers {
    /// It does not: accesses to the device are faults.
    #[default]
    Never,
    /// The device is asked whether it allows an access. What is allowed loads 0, and nothing at all is written.
    Asks,
    /// It does.
    Yes,
}
