//! Binaries of OpenCL drivers that wrote no code objects. Each is made into code objects, which the rest of the loader
//! reads.
//!
//! | | recognized by | kernels become |
//! |---|---|---|
//! | AMD, OpenCL 2.0 | ELF machine 0xaf5a or 0xaf5b | those of a code object of version 2, with arguments (`amdcl2`) |
//! | AMD Catalyst, OpenCL 1.2 | ELF machine 0x3fd to 0x412, which is the chip | shaders with registers (`catalyst`) |
//! | Mesa's Clover | a list of kernels before an ELF file | as the one or the other (`clover`) |
//!
//! An object that is made is a copy of the file with other headers ([`crate::made`]), so offsets in the file stay.
//! Source: CLRX, documentation of binary formats and ABIs.

mod amdcl2;
mod catalyst;
mod clover;
pub(crate) mod image;
mod tables;
mod yaml;

use gcnsim_isa::Arch;

use crate::bytes::FileBytes;
use crate::error::LoadError;
use crate::{DEFAULT_ARCH, machine};
use tables::Tables;

/// Limit in bytes for a file that is copied.
const MOST_BYTES: usize = 1 << 30;

/// A binary of a driver as a code object.
pub(crate) struct Driver {
    /// What the binary is.
    pub name: &'static str,
    /// The code object.
    pub bytes: FileBytes,
    /// What the binary is and what is guessed, for the user.
    pub remark: String,
}

/// A driver that writes binaries.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Amdcl2,
    Catalyst,
    Clover,
}

impl Kind {
    /// The driver that wrote a file, by its beginning. Longer files than are copied are nobody's.
    pub fn of(data: &[u8]) -> Option<Kind> {
        if data.len() > MOST_BYTES {
            return None;
        }
        if !data.starts_with(crate::elf::MAGIC) {
            return clover::is(data).then_some(Kind::Clover);
        }
        match u16::from_le_bytes(*data.get(18..)?.first_chunk()?) {
            machine if amdcl2::MACHINES.contains(&machine) => Some(Kind::Amdcl2),
            machine => catalyst::chip(machine).map(|_| Kind::Catalyst),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Kind::Amdcl2 => "AMD OpenCL 2.0 binary",
            Kind::Catalyst => "AMD Catalyst OpenCL binary",
            Kind::Clover => "Mesa Clover OpenCL binary",
        }
    }
}

/// Reads a file. `arch` is the generation for a binary that does not state its own.
///
/// # Errors
/// [`LoadError`] with the offset of what is broken.
pub(crate) fn read(file: &FileBytes, kind: Kind, arch: Option<Arch>) -> Result<Driver, LoadError> {
    let data = file.as_ref();
    let name = kind.name();
    let error = |(offset, what): Broken| LoadError::Container { kind: name, offset, what };
    let made = match kind {
        Kind::Amdcl2 => Tables::read(data, 0).and_then(|outer| amdcl2::read(data, &outer)),
        Kind::Catalyst => Tables::read(data, 0).and_then(|outer| catalyst::read(data, &outer)),
        Kind::Clover => clover::read(data),
    };
    let Made { image, chip, os_abi } = made.map_err(error)?;
    let (mach, remark) = match chip {
        Chip::Known(chip) => (machine::mach_of(chip), format!("{name}, read as a code object")),
        Chip::Other(machine) => return Err(LoadError::OtherMachine { machine }),
        Chip::Unknown => {
            let taken = arch.unwrap_or(DEFAULT_ARCH);
            let which = if arch.is_none() { "; --arch says which" } else { "" };
            let what = format!("{name} that names no GPU, read as a code object for {taken}{which}");
            (machine::mach_of_arch(taken), what)
        }
    };
    let bytes = image.finish(mach.unwrap_or(0), os_abi).map_err(error)?;
    Ok(Driver { name, bytes: bytes.into(), remark })
}

/// Where a binary is broken, by its offset in the file, and how.
type Broken = (u64, String);

/// The processor of a binary.
enum Chip {
    /// LLVM's name of a supported one.
    Known(&'static str),
    /// Its name; it is not supported.
    Other(String),
    Unknown,
}

impl Chip {
    /// The processor with this version.
    fn of_version([major, minor, stepping]: [u32; 3]) -> Chip {
        let name = format!("gfx{major}{minor}{stepping:x}");
        match machine::by_old_name(&name) {
            Some((name, _)) => Chip::Known(name),
            None => Chip::Other(name),
        }
    }
}

/// A code object that is being made.
struct Made {
    image: image::Image,
    chip: Chip,
    os_abi: u8,
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

/// Size of an `amd_kernel_code_t` in bytes.
const KERNEL_CODE: u64 = 256;

/// The version of the machine that an `amd_kernel_code_t` states; `None` if `bytes` do not begin with one. The version
/// is zeros if the compiler left it out.
fn kernel_code_machine(bytes: &[u8]) -> Option<[u32; 3]> {
    let half = |at: usize| Some(u32::from(u16::from_le_bytes(*bytes.get(at..)?.first_chunk()?)));
    let is_one = u32_at(bytes, 0)? == 1 && u32_at(bytes, 4)? <= 2 && half(8)? == 1;
    let entry = u64_at(bytes, 16)?;
    let is_one = is_one && entry >= KERNEL_CODE && entry.is_multiple_of(4) && bytes.len() as u64 >= KERNEL_CODE;
    Some([half(10)?, half(12)?, half(14)?]).filter(|_| is_one)
}
