//! Code objects with one kernel, as the loader reads them: a linked ELF file of version 3, without metadata.

use gcnsim_isa::Arch;

use super::{KERNEL, Launch};

/// Address of the descriptor, and its offset in the file.
const DESCRIPTOR_AT: u64 = 0x100;
/// Address of the code, and its offset in the file.
const CODE_AT: u64 = 0x1000;
/// Size of a section header, in bytes.
const SECTION: u16 = 64;
/// Size of a symbol, in bytes.
const SYMBOL: u64 = 24;

/// ELF machine flag of the chip that stands for a generation.
fn machine(arch: Arch) -> u32 {
    match arch {
        Arch::Gcn10 => 0x20,
        Arch::Gcn11 => 0x22,
        Arch::Gcn12 => 0x2a,
        Arch::Gfx810 => 0x2b,
        Arch::Gcn14 => 0x2c,
        Arch::Gfx904 => 0x2e,
        Arch::Gcn141 => 0x2f,
    }
}

/// Little-endian bytes.
#[derive(Default)]
struct Bytes(Vec<u8>);

impl Bytes {
    fn u16(&mut self, values: &[u16]) -> &mut Bytes {
        self.0.extend(values.iter().flat_map(|value| value.to_le_bytes()));
        self
    }

    fn u32(&mut self, values: &[u32]) -> &mut Bytes {
        self.0.extend(values.iter().flat_map(|value| value.to_le_bytes()));
        self
    }

    fn u64(&mut self, values: &[u64]) -> &mut Bytes {
        self.0.extend(values.iter().flat_map(|value| value.to_le_bytes()));
        self
    }

    /// Appends zeros up to the offset `at` in the file.
    fn pad_to(&mut self, at: u64) -> &mut Bytes {
        self.0.resize(at as usize, 0);
        self
    }
}

/// Returns the object of a kernel with the code `words`.
pub fn object(arch: Arch, words: &[u32], launch: &Launch) -> Vec<u8> {
    let code_end = CODE_AT + 4 * words.len() as u64;
    let (symbols_at, symbol) = (code_end.next_multiple_of(8), format!("{KERNEL}.kd"));
    let strings_at = symbols_at + 2 * SYMBOL;
    let strings = format!("\0{symbol}\0");
    let sections_at = (strings_at + strings.len() as u64).next_multiple_of(8);
    let mut file = Bytes::default();
    header(&mut file, arch, sections_at);
    for (flags, at, len) in [(4, DESCRIPTOR_AT, 64), (5, CODE_AT, code_end - CODE_AT)] {
        // PT_LOAD, flags, then offset, addresses, sizes and alignment.
        file.u32(&[1, flags]).u64(&[at, at, at, len, len, 0x100]);
    }
    descriptor(file.pad_to(DESCRIPTOR_AT), launch);
    file.pad_to(CODE_AT).u32(words).pad_to(symbols_at);
    // The first symbol is empty; the second is a global object in section 1.
    file.pad_to(symbols_at + SYMBOL).u32(&[1, 0x0001_0011]).u64(&[DESCRIPTOR_AT, 64]);
    file.0.extend(strings.as_bytes());
    file.pad_to(sections_at);
    // Name, type and flags; address, place and size; link and info; alignment and size of entries.
    let mut section = |[kind, flags]: [u32; 2], [address, at, len]: [u64; 3], [link, info]: [u32; 2], entry: u64| {
        file.u32(&[0, kind]).u64(&[flags.into(), address, at, len]).u32(&[link, info]).u64(&[8, entry]);
    };
    section([0, 0], [0; 3], [0; 2], 0);
    section([1, 2], [DESCRIPTOR_AT, DESCRIPTOR_AT, 64], [0; 2], 0);
    section([1, 6], [CODE_AT, CODE_AT, code_end - CODE_AT], [0; 2], 0);
    section([2, 0], [0, symbols_at, 2 * SYMBOL], [4, 1], SYMBOL);
    section([3, 0], [0, strings_at, strings.len() as u64], [0; 2], 0);
    file.0
}

/// The file header.
fn header(file: &mut Bytes, arch: Arch, sections_at: u64) {
    // 64 bits, little-endian, for HSA, ABI version 1.
    file.0.extend([0x7f, b'E', b'L', b'F', 2, 1, 1, 64, 1, 0, 0, 0, 0, 0, 0, 0]);
    // A shared object for AMDGPU.
    file.u16(&[3, 224]).u32(&[1]).u64(&[0, 64, sections_at]).u32(&[machine(arch)]);
    file.u16(&[64, 56, 2, SECTION, 5, 4]);
}

/// The kernel descriptor: user SGPRs are the descriptor of scratch, the kernarg segment and FLAT_SCRATCH.
fn descriptor(file: &mut Bytes, launch: &Launch) {
    file.u32(&[launch.lds, launch.scratch, 0, 0]).u64(&[CODE_AT - DESCRIPTOR_AT]);
    file.pad_to(DESCRIPTOR_AT + 48);
    let registers = (launch.vgprs / 4 - 1) | 12 << 6;
    // DX10_CLAMP and IEEE are set.
    let rsrc1 = registers | launch.float_mode << 12 | 1 << 21 | 1 << 23;
    // Scratch, 8 user SGPRs, group ids and local ids in all dimensions.
    let rsrc2 = 1 | 8 << 1 | 7 << 7 | 2 << 11;
    file.u32(&[rsrc1, rsrc2, 0x29, 0]);
}
