//! The first instructions of a kernel. They load the registers that [`MemoryStyle::fill`] has filled, and add the
//! address of the data.

use gcnsim_isa::layout::{Layout, MemoryRole, Role, Switch};
use gcnsim_isa::table::{Mubuf, Opcode, Smem, Smrd, Sop1, Sop2, Vop1, Vop2};
use gcnsim_isa::{Arch, Form, decode, reg};

use super::super::memory::{self, MemoryStyle, QUADS, place};
use super::super::{Generator, Row, is_ending};
use super::{Launch, PART};
use gcnsim_machine::Wave;

// User SGPRs come first: the descriptor of scratch, the kernarg segment, FLAT_SCRATCH. System SGPRs follow them.
const KERNARG: u32 = 4;
const FLAT_INIT: u32 = 6;
const GROUP_ID: u32 = 8;
const SCRATCH_OFFSET: u32 = 11;
/// The registers that random operands name: the first, and their number.
pub(super) const POOL: (u32, u32) = (12, 16);
/// First of the registers for addresses, descriptors and offsets.
pub(super) const ADDRESSES: u32 = 28;
/// First of the pairs that hold EXEC.
pub(super) const SAVES: u32 = 68;
/// Pair with the address of the group's data. The next pair has the address of the table.
const DATA: u32 = 80;
const TABLE: u32 = 82;
/// First register of the table's descriptor. The prologue uses these registers for other values, too.
const SCRATCHPAD: u32 = 84;
/// Pair with the address of the group's data, divided by 256, after the prologue.
pub(super) const IMAGE_BASE: u32 = SCRATCHPAD + 2;
/// Registers that count loops.
pub(super) const COUNTERS: [u32; 4] = [90, 91, 92, 93];
/// Pairs with return addresses.
pub(super) const RETURNS: [u32; 2] = [94, 96];

/// Offset of the values for vector registers in the table, in bytes.
const VECTORS_AT: u32 = 256;
/// The last dword of a descriptor of dwords.
const DWORDS: u32 = 0x0002_7fac;

/// Returns the table: the registers that `memory` has filled in `wave`, first scalar registers, then vector registers.
pub(super) fn table(memory: &MemoryStyle, wave: &Wave) -> Vec<u8> {
    let sgprs = &wave.state.sgpr[memory.sgprs as usize..][..memory::SGPRS as usize];
    let mut bytes: Vec<u8> = sgprs.iter().flat_map(|value| value.to_le_bytes()).collect();
    bytes.resize(VECTORS_AT as usize, 0);
    let vgprs = (0..memory::VGPRS).flat_map(|place| wave.vgprs.lanes((memory.vgprs + place) as u8));
    bytes.extend(vgprs.flat_map(|value| value.to_le_bytes()));
    bytes
}

impl Generator {
    /// Writes the code that loads addresses.
    pub(super) fn prologue(&mut self, memory: &MemoryStyle, launch: &Launch) {
        self.scalar_load(2, DATA, KERNARG, 0);
        if launch.orderly {
            self.part_of_group(launch);
        }
        for (log, first) in [(4, 0), (4, 16), (3, 32)] {
            self.scalar_load(log, ADDRESSES + first, TABLE, 4 * first);
        }
        for quad in 0..QUADS {
            let first = ADDRESSES + 4 * quad;
            self.add_data(first);
            if quad % 3 == 0 {
                self.add_data(first + 2);
            }
        }
        self.flat_scratch();
        self.load_vectors(memory);
        self.emit(self.new_inst(Sop2::SLshrB64).dst(IMAGE_BASE).src(0, DATA).src(1, 128 + 8));
        self.emit(self.new_inst(Sop1::SMovB32).dst(reg::M0 as u32).src(0, 193));
        // Two registers of the pool get the local id of the first lane, and the group id, so that waves and groups
        // compute other values.
        self.vector_move(Opcode::Vop1(Vop1::VReadfirstlaneB32), POOL.0, 256);
        self.emit(self.new_inst(Sop1::SMovB32).dst(POOL.0 + 1).src(0, GROUP_ID));
    }

    /// Adds the distance of the group's part to the address of the data.
    fn part_of_group(&mut self, launch: &Launch) {
        let [x, y, _] = [0, 1, 2].map(|i| launch.grid[i].div_ceil(launch.group[i]));
        let at = SCRATCHPAD;
        self.emit(self.new_inst(Sop2::SMulI32).dst(at).src(0, GROUP_ID + 2).src(1, 255).literal(y));
        self.emit(self.new_inst(Sop2::SAddU32).dst(at).src(0, at).src(1, GROUP_ID + 1));
        self.emit(self.new_inst(Sop2::SMulI32).dst(at).src(0, at).src(1, 255).literal(x));
        self.emit(self.new_inst(Sop2::SAddU32).dst(at).src(0, at).src(1, GROUP_ID));
        self.emit(self.new_inst(Sop2::SMulI32).dst(at).src(0, at).src(1, 255).literal(PART));
        self.emit(self.new_inst(Sop2::SAddU32).dst(DATA).src(0, DATA).src(1, at));
    }

    /// Adds the address of the data to a pair.
    fn add_data(&mut self, pair: u32) {
        self.emit(self.new_inst(Sop2::SAddU32).dst(pair).src(0, pair).src(1, DATA));
        self.emit(self.new_inst(Sop2::SAddcU32).dst(pair + 1).src(0, pair + 1).src(1, DATA + 1));
    }

    /// Writes FLAT_SCRATCH as compilers do.
    fn flat_scratch(&mut self) {
        let (low, high) = (self.new_inst(Sop2::SAddU32), self.new_inst(Sop2::SAddcU32));
        let first = match self.arch() {
            Arch::Gcn10 => return,
            Arch::Gcn11 => 104,
            Arch::Gcn12 | Arch::Gfx810 | Arch::Gcn14 | Arch::Gfx904 | Arch::Gcn141 => 102,
        };
        if self.arch().is_gcn14_or_later() {
            self.emit(low.dst(first).src(0, FLAT_INIT).src(1, SCRATCH_OFFSET));
            self.emit(high.dst(first + 1).src(0, FLAT_INIT + 1).src(1, 128));
            return;
        }
        self.emit(low.dst(FLAT_INIT).src(0, FLAT_INIT).src(1, SCRATCH_OFFSET));
        self.emit(self.new_inst(Sop1::SMovB32).dst(first).src(0, FLAT_INIT + 1));
        self.emit(self.new_inst(Sop2::SLshrB32).dst(first + 1).src(0, FLAT_INIT).src(1, 136));
    }

    /// Loads the vector registers, and adds the address of the data to pairs.
    fn load_vectors(&mut self, memory: &MemoryStyle) {
        let offset = memory.vgprs + memory::VGPRS;
        self.emit(self.new_inst(Sop2::SAddU32).dst(SCRATCHPAD).src(0, TABLE).src(1, 255).literal(VECTORS_AT));
        self.emit(self.new_inst(Sop2::SAddcU32).dst(SCRATCHPAD + 1).src(0, TABLE + 1).src(1, 128));
        self.emit(self.new_inst(Sop1::SMovB32).dst(SCRATCHPAD + 2).src(0, 255).literal(0x1000));
        self.emit(self.new_inst(Sop1::SMovB32).dst(SCRATCHPAD + 3).src(0, 255).literal(DWORDS));
        // The offset is four times the lane; in groups of several dimensions it is four times the local id in x.
        self.vector_op(Vop2::VAndB32, offset, 128 + 63, 0);
        self.vector_op(Vop2::VLshlrevB32, offset, 130, offset);
        for i in 0..memory::VGPRS {
            self.write_fields(Mubuf::BufferLoadDword.into(), |role| match role {
                Role::Memory(MemoryRole::Vaddr) => offset,
                Role::Memory(MemoryRole::Vdata(0)) => memory.vgprs + i,
                Role::Memory(MemoryRole::Base(unit)) => SCRATCHPAD / unit,
                Role::Memory(MemoryRole::Soffset) => 128,
                Role::Memory(MemoryRole::Offset) => 256 * i,
                Role::Memory(MemoryRole::Switch(Switch::Offen)) => 1,
                _ => 0,
            });
        }
        for pair in [place::INSIDE[0], place::INSIDE[1], place::ANYWHERE] {
            // The part of a group is aligned to more than the offsets in it, so that an OR adds without a carry.
            for half in 0..2 {
                self.vector_op(Vop2::VOrB32, memory.vgprs + pair + half, DATA + half, memory.vgprs + pair + half);
            }
        }
    }

    /// Writes a scalar load of 2^`log` dwords from a constant distance in bytes.
    fn scalar_load(&mut self, log: u32, dst: u32, base: u32, at: u32) {
        const OF_SMRD: [Smrd; 3] = [Smrd::SLoadDwordx4, Smrd::SLoadDwordx8, Smrd::SLoadDwordx16];
        const OF_SMEM: [Smem; 3] = [Smem::SLoadDwordx4, Smem::SLoadDwordx8, Smem::SLoadDwordx16];
        let (number, is_smem) = (log as usize - 2, self.arch().is_gcn12_or_later());
        let opcode = if is_smem { OF_SMEM[number].into() } else { OF_SMRD[number].into() };
        self.write_fields(opcode, |role| match role {
            Role::Memory(MemoryRole::Sdata) => dst,
            Role::Memory(MemoryRole::Base(unit)) => base / unit,
            Role::Memory(MemoryRole::Offset) => {
                if is_smem {
                    at
                } else {
                    at / 4
                }
            }
            Role::Memory(MemoryRole::Switch(Switch::Imm)) => 1,
            _ => 0,
        });
    }

    fn vector_op(&mut self, op: Vop2, dst: u32, src0: u32, src1: u32) {
        self.write_fields(op.into(), |role| match role {
            Role::Vdst => dst,
            Role::Src(0) => src0,
            Role::Vsrc(1) => src1,
            _ => 0,
        });
    }

    pub(in crate::generate) fn vector_move(&mut self, opcode: Opcode, dst: u32, src: u32) {
        self.write_fields(opcode, |role| match role {
            Role::Vdst | Role::Sdst => dst,
            Role::Src(0) => src,
            _ => 0,
        });
    }

    /// Writes an instruction in its plain form, with the values of its fields.
    fn write_fields(&mut self, opcode: Opcode, value: impl Fn(Role) -> u32) {
        let Some(layout) = Layout::of(self.arch(), opcode.desc(), Form::Plain) else { return };
        let mut words = layout.words;
        for field in &layout.fields {
            field.set(&mut words, value(field.role));
        }
        if let Ok(inst) = decode(self.arch(), words[0], Some(words[1])) {
            self.asm.inst(&inst);
        }
    }

    /// Returns the words of the kernel: those that are written already, a random program, and the end.
    pub(super) fn kernel(&mut self, featured: Row) -> Vec<u32> {
        let size = self.style.size as usize + self.asm.instructions();
        self.limit = size + size / 2;
        let ending = is_ending(&featured);
        if !ending && !self.style.tame {
            self.feature(featured);
        }
        while self.asm.instructions() < size {
            self.item();
        }
        self.ending();
        self.write_routines();
        self.take().finish()
    }
}
