//! The vector registers of a wave.

use std::fmt;
use std::sync::{Arc, OnceLock};

use gcnsim_isa::{LANES, Vgpr};

/// The vector registers of a wave, lane-major: VGPR n is `regs()[n]`, 64 lanes of 32 bits. A 64-bit operand is VGPR n
/// (low) and n+1 (high).
///
/// Waves that start from the same registers share them until one of them writes. A wave that never writes costs
/// nothing.
#[derive(Clone)]
pub struct VgprFile(Registers);

#[derive(Clone)]
enum Registers {
    Shared(Arc<[Vgpr]>),
    Own(Box<[Vgpr]>),
}

impl VgprFile {
    /// Number of vector registers in runs of raw programs. (In a dispatch the kernel's descriptor states it.)
    pub const COUNT: usize = 256;

    /// [`VgprFile::COUNT`] registers of zeros, which all callers share.
    pub fn zeroed() -> VgprFile {
        static ZEROED: OnceLock<Arc<[Vgpr]>> = OnceLock::new();
        let zeroed = ZEROED.get_or_init(|| vec![Vgpr([0; LANES]); VgprFile::COUNT].into());
        VgprFile(Registers::Shared(zeroed.clone()))
    }

    /// A file of `count` registers of zeros that is not shared.
    pub fn with_count(count: usize) -> VgprFile {
        VgprFile(Registers::Own(vec![Vgpr([0; LANES]); count].into_boxed_slice()))
    }

    /// Returns the same registers in a form that clones share until they are written.
    pub fn into_shared(self) -> VgprFile {
        match self.0 {
            Registers::Own(own) => VgprFile(Registers::Shared(own.into())),
            shared => VgprFile(shared),
        }
    }

    /// All registers.
    #[inline(always)]
    pub fn regs(&self) -> &[Vgpr] {
        match &self.0 {
            Registers::Shared(shared) => shared,
            Registers::Own(own) => own,
        }
    }

    /// All registers, for writing. If they are shared, they are copied first.
    #[inline(always)]
    pub fn regs_mut(&mut self) -> &mut [Vgpr] {
        if matches!(self.0, Registers::Shared(_)) {
            self.make_own();
        }
        match &mut self.0 {
            Registers::Own(own) => own,
            Registers::Shared(_) => &mut [],
        }
    }

    #[cold]
    fn make_own(&mut self) {
        if let Registers::Shared(shared) = &self.0 {
            self.0 = Registers::Own(shared.to_vec().into_boxed_slice());
        }
    }

    /// The lanes of VGPR `n`.
    ///
    /// # Panics
    /// If the wave has no such register.
    pub fn lanes(&self, n: u8) -> &[u32; LANES] {
        &self.regs()[n as usize].0
    }

    /// The lanes of VGPR `n`, for writing.
    ///
    /// # Panics
    /// If the wave has no such register.
    pub fn lanes_mut(&mut self, n: u8) -> &mut [u32; LANES] {
        &mut self.regs_mut()[n as usize].0
    }

    /// Whether both share the same memory, so that they are equal.
    pub fn is_same(&self, other: &VgprFile) -> bool {
        std::ptr::eq(self.regs(), other.regs())
    }
}

impl PartialEq for VgprFile {
    fn eq(&self, other: &VgprFile) -> bool {
        self.is_same(other) || self.regs() == other.regs()
    }
}

impl Eq for VgprFile {}

impl fmt::Debug for VgprFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let set = self.regs().iter().enumerate().filter(|(_, vgpr)| vgpr.0 != [0; LANES]);
        f.debug_map().entries(set.map(|(n, vgpr)| (n, vgpr.0))).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_shared_until_they_are_written() {
        let (mut a, b) = (VgprFile::zeroed(), VgprFile::zeroed());
        assert!(a.is_same(&b));
        a.lanes_mut(255)[63] = 7;
        assert_eq!((a.lanes(255)[63], b.lanes(255)[63], a.regs().len()), (7, 0, 256));
        assert!(!a.is_same(&b) && a != b);
        let shared = a.clone().into_shared();
        assert!(shared.clone().is_same(&shared) && shared == a);
        assert_eq!(VgprFile::with_count(3).regs().len(), 3);
    }
}
