//! The kind that a file seems to be. It is found once, from the bytes alone; who reads the kind decides the rest.

use crate::container::{self, Format};
use crate::driver::Kind;
use crate::elf;

/// What a file seems to be. Text and shaders of consoles are looked for before (`bare`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Sniffed {
    /// A binary of an OpenCL driver that wrote no code objects.
    Driver(Kind),
    /// A container or a code object, by its first bytes.
    Container(Format),
    /// An ELF file of another machine.
    Host,
    /// A file that has containers or code objects somewhere inside.
    Dump,
    /// An ELF file of no known machine.
    Elf,
    /// Nothing of these, so dwords.
    Raw,
}

impl Sniffed {
    /// Looks at a whole file.
    pub fn of(data: &[u8]) -> Sniffed {
        let by_start = Kind::of(data).map(Sniffed::Driver).or_else(|| Format::at(data).map(Sniffed::Container));
        match by_start {
            Some(sniffed) => sniffed,
            None if container::is_host(data) => Sniffed::Host,
            None if container::is_dump(data) => Sniffed::Dump,
            None if data.starts_with(elf::MAGIC) => Sniffed::Elf,
            None => Sniffed::Raw,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_told_by_their_bytes() {
        let elf = |machine: u16| [&b"\x7fELF\x02\x01"[..], &[0; 12], &machine.to_le_bytes(), &[0; 44]].concat();
        assert_eq!(Sniffed::of(&elf(224)), Sniffed::Container(Format::GpuElf));
        assert_eq!(Sniffed::of(&elf(62)), Sniffed::Host);
        assert_eq!(Sniffed::of(&elf(0xaf5a)), Sniffed::Driver(Kind::Amdcl2));
        assert_eq!(Sniffed::of(b"\x7fELF"), Sniffed::Elf);
        assert_eq!(Sniffed::of(b"!<arch>\n"), Sniffed::Container(Format::Archive));
        assert_eq!(Sniffed::of(&[0, 0, 0x81, 0xbf]), Sniffed::Raw);
        let inside = [&[0; 2048][..], &elf(224)].concat();
        assert_eq!(Sniffed::of(&inside), Sniffed::Dump);
        // Small files are not searched.
        assert_eq!(Sniffed::of(&inside[1500..]), Sniffed::Raw);
    }
}
