//! Memory instructions, one at a time; what is expected is by hand from the tables of docs/gcn/memory.md and
//! the pages that it names, and from docs/gcn/memory-check-values.md.

mod atomics;
mod buffer;
mod ds;
mod flat;
mod formats;
mod images;
mod ranges;
mod scalar;

use std::sync::Arc;

use gcnsim_isa::table::{self, Encoding};
use gcnsim_isa::{Arch, Note, WaveState, decode, reg};
use gcnsim_machine::{Access, Backing, Context, Mapping, MemoryFault, VgprFile};

use super::{MemoryOp, Refused};
use gcnsim_machine::Wave;

/// The address of the memory of tests, whose byte i is `i % 251` at first.
const MEMORY: u64 = 0x10000;
/// Its size.
const SIZE: usize = 0x4000;

/// The place where an instruction executes: a wave and a context.
struct Place {
    arch: Arch,
    wave: Wave,
    context: Context,
}

/// The opcode of a mnemonic.
fn opcode(arch: Arch, encoding: Encoding, mnemonic: &str) -> u32 {
    let row = table::all_rows().find(|row| row.encoding == encoding && row.mnemonic == mnemonic);
    row.and_then(|row| row.opcode_on(arch)).unwrap_or_else(|| panic!("{mnemonic} on {arch}")) as u32
}

/// SMRD: constant offset in dwords, or a register.
fn smrd(arch: Arch, mnemonic: &str, sdst: u32, sbase: u32, offset: Result<u32, u32>) -> [u32; 2] {
    let (imm, offset) = offset.map_or_else(|register| (0, register), |dwords| (1, dwords));
    [0xc000_0000 | opcode(arch, Encoding::Smrd, mnemonic) << 22 | sdst << 15 | (sbase / 2) << 9 | imm << 8 | offset, 0]
}

/// SMEM: constant and register offset.
fn smem(arch: Arch, mnemonic: &str, data: u32, sbase: u32, imm: Option<i32>, register: Option<u32>) -> [u32; 2] {
    let op = opcode(arch, Encoding::Smem, mnemonic);
    let word = 0xc000_0000 | op << 18 | data << 6 | (sbase / 2);
    match (imm, register) {
        (Some(imm), None) => [word | 1 << 17, imm as u32 & 0x1f_ffff],
        (Some(imm), Some(register)) => [word | 1 << 17 | 1 << 14, imm as u32 & 0x1f_ffff | register << 25],
        (None, register) => [word, register.unwrap_or(0)],
    }
}

const GLC_SMEM: [u32; 2] = [1 << 16, 0];

/// DS: ADDR, DATA0, DATA1 and VDST.
fn ds(arch: Arch, mnemonic: &str, registers: [u8; 4], offset: u32) -> [u32; 2] {
    let shift = if arch.is_gcn12_or_later() { 17 } else { 18 };
    [0xd800_0000 | opcode(arch, Encoding::Ds, mnemonic) << shift | offset, u32::from_le_bytes(registers)]
}

fn gds(arch: Arch) -> [u32; 2] {
    [if arch.is_gcn12_or_later() { 1 << 16 } else { 1 << 17 }, 0]
}

/// FLAT, GLOBAL or SCRATCH: ADDR, DATA and VDST.
fn flat(arch: Arch, mnemonic: &str, [addr, data, vdst]: [u8; 3], offset: i32, saddr: Option<u8>) -> [u32; 2] {
    let (encoding, segment) = match mnemonic {
        _ if mnemonic.starts_with("flat") => (Encoding::Flat, 0),
        _ if mnemonic.starts_with("scratch") => (Encoding::Scratch, 1),
        _ => (Encoding::Global, 2),
    };
    let off = if segment == 0 { 0 } else { 0x7f };
    let word = 0xdc00_0000 | opcode(arch, encoding, mnemonic) << 18 | segment << 14 | offset as u32 & 0x1fff;
    [word, u32::from_le_bytes([addr, data, saddr.unwrap_or(off), vdst])]
}

const GLC_FLAT: [u32; 2] = [1 << 16, 0];
const LDS_FLAT: [u32; 2] = [1 << 13, 0];

/// MUBUF with SOFFSET = 0, or another operand code with [`soffset`].
fn mubuf(arch: Arch, mnemonic: &str, [vaddr, vdata, srsrc]: [u32; 3], offset: u32) -> [u32; 2] {
    let word = 0xe000_0000 | opcode(arch, Encoding::Mubuf, mnemonic) << 18 | offset;
    [word, vaddr | vdata << 8 | (srsrc / 4) << 16 | 128 << 24]
}

/// MTBUF with SOFFSET = 0.
fn mtbuf(arch: Arch, mnemonic: &str, registers: [u32; 3], (dfmt, nfmt): (u32, u32)) -> [u32; 2] {
    let shift = if arch.is_gcn12_or_later() { 15 } else { 16 };
    let [vaddr, vdata, srsrc] = registers;
    let word = 0xe800_0000 | opcode(arch, Encoding::Mtbuf, mnemonic) << shift | dfmt << 19 | nfmt << 23;
    [word, vaddr | vdata << 8 | (srsrc / 4) << 16 | 128 << 24]
}

const OFFEN: [u32; 2] = [1 << 12, 0];
const IDXEN: [u32; 2] = [1 << 13, 0];
const GLC: [u32; 2] = [1 << 14, 0];
const ADDR64: [u32; 2] = [1 << 15, 0];
const LDS: [u32; 2] = [1 << 16, 0];
const TFE: [u32; 2] = [0, 1 << 23];

/// SOFFSET as an operand code.
fn soffset(words: [u32; 2], code: u32) -> [u32; 2] {
    [words[0], words[1] & 0xff_ffff | code << 24]
}

/// Words with more bits set.
fn with(words: [u32; 2], bits: &[[u32; 2]]) -> [u32; 2] {
    bits.iter().fold(words, |words, bits| [words[0] | bits[0], words[1] | bits[1]])
}

impl Place {
    /// Memory at [`MEMORY`], 1,024 bytes of LDS, 16 VGPRs, M0 = -1, EXEC = all ones.
    fn new(arch: Arch) -> Place {
        let mut wave = Wave::from_state(WaveState::zeroed());
        wave.vgprs = VgprFile::with_count(16);
        wave.state.set_exec(u64::MAX);
        wave.state.sgpr[reg::M0 as usize] = u32::MAX;
        let mut place = Place { arch, wave, context: Context::ready(1024) };
        place.map(MEMORY, SIZE, true);
        let bytes: Vec<u8> = (0..SIZE).map(|i| (i % 251) as u8).collect();
        place.context.store(MEMORY, &bytes);
        place
    }

    fn map(&mut self, base: u64, len: usize, writable: bool) {
        let segment = Arc::new(Backing::zeroed(len).unwrap());
        self.context.space.map(Mapping { writable, ..Mapping::new(base, "test", segment) });
    }

    fn exec(mut self, exec: u64) -> Place {
        self.wave.state.set_exec(exec);
        self
    }

    fn sgprs(mut self, first: u8, values: &[u32]) -> Place {
        self.wave.state.sgpr[first as usize..][..values.len()].copy_from_slice(values);
        self
    }

    fn vgpr(mut self, number: u8, of_lane: impl Fn(u32) -> u32) -> Place {
        let lanes = self.wave.vgprs.lanes_mut(number);
        lanes.iter_mut().enumerate().for_each(|(lane, value)| *value = of_lane(lane as u32));
        self
    }

    /// A pair of VGPRs.
    fn vgpr64(self, number: u8, of_lane: impl Fn(u64) -> u64) -> Place {
        self.vgpr(number, |lane| of_lane(lane as u64) as u32)
            .vgpr(number + 1, |lane| (of_lane(lane as u64) >> 32) as u32)
    }

    fn dwords(mut self, address: u64, values: &[u32]) -> Place {
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        self.context.store(address, &bytes);
        self
    }

    fn lds(mut self, at: usize, values: &[u32]) -> Place {
        for (i, value) in values.iter().enumerate() {
            self.context.lds[at + 4 * i..][..4].copy_from_slice(&value.to_le_bytes());
        }
        self
    }

    /// Executes an instruction; the notes that it raised.
    fn try_run(&mut self, words: [u32; 2]) -> Result<Vec<&'static str>, Refused> {
        let inst = decode(self.arch, words[0], Some(words[1])).unwrap_or_else(|error| panic!("{words:x?}: {error:?}"));
        let op = MemoryOp::new(&inst).unwrap_or_else(|| panic!("{inst} is not executed"));
        let notes = op.execute(&mut self.wave, &mut self.context)?;
        Ok(notes.or(op.notes).codes())
    }

    /// Runs an instruction that has no fault.
    #[track_caller]
    fn run(&mut self, words: [u32; 2]) -> Vec<&'static str> {
        self.try_run(words).unwrap()
    }

    /// Executes an instruction that faults and leaves everything as it was.
    #[track_caller]
    fn fault(&mut self, words: [u32; 2]) -> (MemoryFault, Option<Note>) {
        let before =
            (self.wave.state.clone(), self.wave.vgprs.clone(), self.context.lds.clone(), self.bytes(MEMORY, SIZE));
        let refused = self.try_run(words).expect_err("a fault");
        let after =
            (self.wave.state.clone(), self.wave.vgprs.clone(), self.context.lds.clone(), self.bytes(MEMORY, SIZE));
        assert!(before == after, "the fault changed something");
        (refused.fault, refused.note)
    }

    fn lane(&self, vgpr: u8, lane: usize) -> u32 {
        self.wave.vgprs.lanes(vgpr)[lane]
    }

    /// The first lanes of a VGPR.
    fn lanes<const N: usize>(&self, vgpr: u8) -> [u32; N] {
        std::array::from_fn(|lane| self.lane(vgpr, lane))
    }

    /// A lane of consecutive VGPRs.
    fn column<const N: usize>(&self, first: u8, lane: usize) -> [u32; N] {
        std::array::from_fn(|n| self.lane(first + n as u8, lane))
    }

    fn bytes(&self, address: u64, len: usize) -> Vec<u8> {
        let mut bytes = vec![0; len];
        self.context.load(address, &mut bytes, None).unwrap();
        bytes
    }

    fn dword(&self, address: u64) -> u32 {
        u32::from_le_bytes(self.bytes(address, 4).try_into().unwrap())
    }

    fn lds_dword(&self, at: usize) -> u32 {
        u32::from_le_bytes(self.context.lds[at..at + 4].try_into().unwrap())
    }

    fn sgpr(&self, code: u8) -> u32 {
        self.wave.state.sgpr[code as usize]
    }
}

/// The byte that memory has at first at a distance from its beginning.
fn initial(at: u64) -> u32 {
    u32::from_le_bytes(std::array::from_fn(|i| ((at as usize + i) % 251) as u8))
}

fn fault(access: Access, address: u64, bytes: u32, lane: Option<u8>) -> MemoryFault {
    MemoryFault { access, address, bytes, lane }
}

const NO_NOTES: [&str; 0] = [];
const GFX6: Arch = Arch::Gcn10;
const GFX7: Arch = Arch::Gcn11;
const GFX8: Arch = Arch::Gcn12;
const GFX9: Arch = Arch::Gcn14;
