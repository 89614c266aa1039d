//! The waves of a dispatch: the state in which each of them starts, as its registers say.
//!
//! Sources: docs/gcn/dispatch.md, docs/gcn/dispatch-example.md (which the tests of `abi` repeat).

use gcnsim_isa::{Arch, LANES, Vgpr, WaveState};
use gcnsim_machine::{Apertures, pc_at};

use super::registers::{Registers, WAVE};

/// Returns the apertures: the high dwords of the addresses that mean LDS and scratch. `scratch` is the address of the
/// scratch of the first wave. `None` on GCN 1.0, which has no FLAT instructions.
pub fn apertures(arch: Arch, scratch: u64) -> Option<Apertures> {
    let (shared, private) = match arch {
        Arch::Gcn10 => return None,
        Arch::Gcn11 | Arch::Gcn12 | Arch::Gfx810 => (0x2000_0000, 0x2000_0001),
        Arch::Gcn14 | Arch::Gfx904 | Arch::Gcn141 => (0x0001_0000, 0x0002_0000),
    };
    Some(Apertures { shared, private, hidden_private_base: scratch })
}

/// Returns the register SH_MEM_BASES: both apertures from GCN 1.4 on; 0 on older generations.
fn sh_mem_bases(arch: Arch) -> u32 {
    if arch.is_gcn14_or_later() { 0x0001_0002 } else { 0 }
}

/// The state in which the waves of a dispatch start.
#[derive(Clone, Debug)]
pub struct Waves {
    arch: Arch,
    registers: Registers,
}

impl Waves {
    /// Returns the waves of a dispatch on a device of the generation `arch`.
    pub fn new(arch: Arch, registers: Registers) -> Waves {
        Waves { arch, registers }
    }

    /// Returns the registers.
    pub fn registers(&self) -> &Registers {
        &self.registers
    }

    /// Returns the number of vector registers of a wave.
    pub fn vgprs(&self) -> usize {
        self.registers.rsrc1.vgprs() as usize
    }

    /// Returns the number of scalar registers, from s0 on, that the hardware sets before a wave starts.
    pub fn initial_sgprs(&self) -> u32 {
        let rsrc2 = self.registers.rsrc2;
        let ids = (0..3).filter(|&i| rsrc2.group_id(i)).count();
        (self.user_sgprs() + ids) as u32 + u32::from(rsrc2.group_info()) + u32::from(rsrc2.scratch())
    }

    /// Returns the number of vector registers, from v0 on, that the hardware sets before a wave starts.
    pub fn initial_vgprs(&self) -> u32 {
        self.registers.rsrc2.local_ids()
    }

    /// Returns the number of waves of the group with the id `group`.
    pub fn waves(&self, group: [u32; 3]) -> u32 {
        self.registers.grid.size_of(group).iter().fold(1u32, |items, &size| items.saturating_mul(size)).div_ceil(WAVE)
    }

    /// Returns the scratch of a wave in bytes.
    pub fn wave_scratch(&self) -> u64 {
        self.registers.scratch.wave_bytes()
    }

    /// Returns the number of user SGPRs.
    fn user_sgprs(&self) -> usize {
        self.registers.rsrc2.user_sgprs() as usize
    }

    /// Returns the scalar state with which wave number `wave` of the group with the id `group` starts.
    pub fn state(&self, group: [u32; 3], wave: u32) -> WaveState {
        let mut state = self.state_in_any(self.registers.grid.size_of(group), wave);
        self.set_group(group, &mut state);
        state
    }

    /// Returns the scalar state with which wave number `wave` of a group of `x` by `y` by `z` work-items starts, but
    /// for the [id of the group](Waves::set_group).
    pub(crate) fn state_in_any(&self, [x, y, z]: [u32; 3], wave: u32) -> WaveState {
        let rsrc2 = self.registers.rsrc2;
        let mut state = WaveState::zeroed();
        state.pc = pc_at(self.registers.pc, self.registers.pc);
        state.mode = self.registers.rsrc1.mode(self.arch);
        state.sh_mem_bases = sh_mem_bases(self.arch);
        let items = x * y * z;
        let info = items.div_ceil(WAVE) & 0x3f | (wave & 0x7ff) << 6 | ((wave == 0) as u32) << 31;
        let user = self.registers.user_sgprs.iter().copied().chain(std::iter::repeat(0)).take(self.user_sgprs());
        let initial = user
            .chain(self.group_ids().map(|_| 0))
            .chain(rsrc2.group_info().then_some(info))
            .chain(rsrc2.scratch().then_some((wave as u64 * self.wave_scratch()) as u32));
        state.sgpr.iter_mut().zip(initial).for_each(|(sgpr, value)| *sgpr = value);
        let lanes = (items - (wave * WAVE).min(items)).min(WAVE);
        state.set_exec(if lanes == WAVE { u64::MAX } else { (1 << lanes) - 1 });
        state
    }

    /// Sets the id of the group in the state with which a wave starts.
    #[inline]
    pub(crate) fn set_group(&self, group: [u32; 3], state: &mut WaveState) {
        let sgprs = state.sgpr.iter_mut().skip(self.user_sgprs());
        sgprs.zip(self.group_ids()).for_each(|(sgpr, dimension)| *sgpr = group[dimension]);
    }

    /// The dimensions in which waves get the id of their group, ascending.
    #[inline]
    fn group_ids(&self) -> impl Iterator<Item = usize> {
        let rsrc2 = self.registers.rsrc2;
        (0..3).filter(move |&i| rsrc2.group_id(i as u32))
    }

    /// Returns the number of work-items of a group in each dimension.
    pub fn group_size(&self, group: [u32; 3]) -> [u32; 3] {
        self.registers.grid.size_of(group)
    }

    /// Returns the first vector registers of wave number `wave`: the local ids of its work-items, in a group of `x` by
    /// `y` by `z` work-items.
    pub fn local_ids(&self, [x, y, z]: [u32; 3], wave: u32) -> Vec<Vgpr> {
        let mut vgprs = vec![Vgpr([0; LANES]); self.registers.rsrc2.local_ids() as usize];
        for lane in 0..LANES as u32 {
            let item = wave * WAVE + lane;
            if item >= x * y * z {
                break;
            }
            let id = [item % x, item / x % y, item / x / y];
            for (vgpr, id) in vgprs.iter_mut().zip(id) {
                vgpr.0[lane as usize] = id;
            }
        }
        vgprs
    }
}
