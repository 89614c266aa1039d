//! Allocations of a program: what the device may reach, and where it lies on the host.

use std::collections::BTreeMap;
use std::sync::Arc;

use gcnsim_machine::Backing;

use crate::vram::{Range, Vram};

/// Kind of an allocation, and what it needs at its end.
pub enum Kind {
    /// Video memory.
    Vram(Range),
    /// Memory of the system that the driver has allocated.
    System(Range),
    /// Memory of the program at this address.
    User(u64),
    /// Doorbells, and other registers: no memory for kernels.
    Registers,
}

/// An allocation.
pub struct Allocation {
    /// Guest address of the first byte.
    pub va: u64,
    /// Size in bytes.
    pub size: u64,
    /// Kind.
    pub kind: Kind,
    /// The bytes; `None` for registers.
    pub backing: Option<Arc<Backing>>,
    /// Whether kernels may write it.
    pub writable: bool,
    /// Whether the program may look at it while kernels run.
    pub shared: bool,
    /// Whether kernels may reach it.
    pub mapped: bool,
    /// Name in reports.
    pub name: Arc<str>,
}

/// A place in memory: what atomics of the device and of its packets see.
#[derive(Clone)]
pub struct Place {
    backing: Arc<Backing>,
    at: usize,
}

impl Place {
    /// Reads a number of 4 bytes.
    pub fn u32(&self, offset: usize) -> u32 {
        u32::from_le_bytes(self.backing.read(self.at + offset))
    }

    /// Reads a number of 8 bytes.
    pub fn u64(&self, offset: usize) -> u64 {
        u64::from_le_bytes(self.backing.read(self.at + offset))
    }

    /// Reads bytes.
    pub fn bytes<const N: usize>(&self, offset: usize) -> [u8; N] {
        self.backing.read(self.at + offset)
    }

    /// Writes a number of 8 bytes, after everything that was written before.
    pub fn set_u64(&self, offset: usize, value: u64) {
        self.backing.update64(self.at + offset, |_| value);
    }

    /// Adds to a number of 8 bytes. Returns the sum.
    pub fn add_u64(&self, offset: usize, value: u64) -> u64 {
        self.backing.update64(self.at + offset, |old| old.wrapping_add(value)).wrapping_add(value)
    }

    /// Writes a number of 2 bytes that shares its dword with others.
    pub fn set_u16(&self, offset: usize, value: u16) {
        self.backing.update32(self.at + offset, |old| old & 0xffff_0000 | u32::from(value));
    }
}

/// The allocations of a process.
#[derive(Default)]
pub struct Memory {
    list: BTreeMap<u64, Allocation>,
    /// Handles by address, of those that have bytes.
    places: BTreeMap<u64, u64>,
    last_handle: u64,
    /// Bytes of video memory that are taken.
    pub used: u64,
}

impl Memory {
    /// Adds an allocation. Returns its handle; the allocation if it overlaps another one.
    pub fn add(&mut self, allocation: Allocation) -> Result<u64, Allocation> {
        if allocation.backing.is_some() {
            let (va, end) = (allocation.va, allocation.va.saturating_add(allocation.size));
            let before = self.places.range(..end).next_back().and_then(|(_, handle)| self.list.get(handle));
            if before.is_some_and(|before| before.va + before.size > va) {
                return Err(allocation);
            }
        }
        self.last_handle += 1;
        if allocation.backing.is_some() {
            self.places.insert(allocation.va, self.last_handle);
        }
        if let Kind::Vram(_) = allocation.kind {
            self.used += allocation.size;
        }
        self.list.insert(self.last_handle, allocation);
        Ok(self.last_handle)
    }

    /// Returns an allocation by its handle.
    pub fn get_mut(&mut self, handle: u64) -> Option<&mut Allocation> {
        self.list.get_mut(&handle)
    }

    /// Removes an allocation.
    pub fn remove(&mut self, handle: u64) -> Option<Allocation> {
        let allocation = self.list.remove(&handle)?;
        if allocation.backing.is_some() {
            self.places.remove(&allocation.va);
        }
        if let Kind::Vram(_) = allocation.kind {
            self.used = self.used.saturating_sub(allocation.size);
        }
        Some(allocation)
    }

    /// Returns the allocation that holds `bytes` bytes at an address.
    pub fn holding(&self, address: u64, bytes: u64) -> Option<&Allocation> {
        let (_, handle) = self.places.range(..=address).next_back()?;
        let found = self.list.get(handle)?;
        (address - found.va < found.size && found.size - (address - found.va) >= bytes).then_some(found)
    }

    /// Returns the place at an address with at least `bytes` bytes. Numbers there must be aligned.
    pub fn place(&self, address: u64, bytes: u64) -> Option<Place> {
        let (backing, at) = self.bytes_at(address, bytes).filter(|_| address.is_multiple_of(8))?;
        Some(Place { backing, at })
    }

    /// Returns the backing of `bytes` bytes at an address, and their offset in it.
    pub fn bytes_at(&self, address: u64, bytes: u64) -> Option<(Arc<Backing>, usize)> {
        let found = self.holding(address, bytes)?;
        Some((found.backing.clone()?, (address - found.va) as usize))
    }

    /// Returns all allocations.
    pub fn all(&self) -> impl Iterator<Item = &Allocation> {
        self.list.values()
    }
}

/// Gives back what an allocation has. Nobody has its backing any more.
pub fn release(allocation: Allocation, vram: &mut Vram) {
    drop(allocation.backing);
    match allocation.kind {
        Kind::Vram(range) | Kind::System(range) => vram.free(range),
        Kind::User(_) | Kind::Registers => {}
    }
}
