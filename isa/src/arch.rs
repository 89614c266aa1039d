//! Generations of the instruction set and their many names.

use std::fmt;
use std::str::FromStr;

/// A generation of the instruction set, or a chip whose instructions or listings differ from those of its generation.
/// All other chips of a generation decode and execute alike.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Arch {
    /// GCN 1.0, gfx600..602 (Southern Islands).
    Gcn10,
    /// GCN 1.1, gfx700..705 (Sea Islands).
    Gcn11,
    /// GCN 1.2, gfx801..805 (Volcanic Islands).
    Gcn12,
    /// gfx810 (Stoney): GCN 1.2 with two 16-bit components in a register (D16) and signed components of two bits.
    Gfx810,
    /// GCN 1.4, gfx900, 902, 909, 90c (Vega).
    Gcn14,
    /// gfx904 (Vega 12): GCN 1.4 with V_FMA_MIX_* in the place of V_MAD_MIX_*.
    Gfx904,
    /// GCN 1.4.1, gfx906 (Vega 20): 1.4 with a few vector instructions more.
    Gcn141,
}

/// Names that a user may give besides the canonical ones: LLVM processors and code names.
const ALIASES: &[(&str, Arch)] = &[
    ("gfx600", Arch::Gcn10),
    ("gfx601", Arch::Gcn10),
    ("gfx602", Arch::Gcn10),
    ("tahiti", Arch::Gcn10),
    ("pitcairn", Arch::Gcn10),
    ("verde", Arch::Gcn10),
    ("oland", Arch::Gcn10),
    ("hainan", Arch::Gcn10),
    ("gfx700", Arch::Gcn11),
    ("gfx701", Arch::Gcn11),
    ("gfx702", Arch::Gcn11),
    ("gfx703", Arch::Gcn11),
    ("gfx704", Arch::Gcn11),
    ("gfx705", Arch::Gcn11),
    ("kaveri", Arch::Gcn11),
    ("hawaii", Arch::Gcn11),
    ("kabini", Arch::Gcn11),
    ("mullins", Arch::Gcn11),
    ("bonaire", Arch::Gcn11),
    ("gfx801", Arch::Gcn12),
    ("gfx802", Arch::Gcn12),
    ("gfx803", Arch::Gcn12),
    ("gfx805", Arch::Gcn12),
    ("gfx810", Arch::Gfx810),
    ("carrizo", Arch::Gcn12),
    ("iceland", Arch::Gcn12),
    ("tonga", Arch::Gcn12),
    ("tongapro", Arch::Gcn12),
    ("fiji", Arch::Gcn12),
    ("polaris10", Arch::Gcn12),
    ("polaris11", Arch::Gcn12),
    ("stoney", Arch::Gfx810),
    ("gfx900", Arch::Gcn14),
    ("gfx902", Arch::Gcn14),
    ("gfx904", Arch::Gfx904),
    ("gfx909", Arch::Gcn14),
    ("gfx90c", Arch::Gcn14),
    ("gfx9-generic", Arch::Gcn14),
    ("vega10", Arch::Gcn14),
    ("vega12", Arch::Gfx904),
    ("raven", Arch::Gcn14),
    ("renoir", Arch::Gcn14),
    ("gfx906", Arch::Gcn141),
    ("vega20", Arch::Gcn141),
];

impl Arch {
    /// Everything that has instructions of its own, oldest first; index with `arch as usize`.
    pub const ALL: [Arch; 7] =
        [Arch::Gcn10, Arch::Gcn11, Arch::Gcn12, Arch::Gfx810, Arch::Gcn14, Arch::Gfx904, Arch::Gcn141];

    /// The generations, oldest first, without their single chips.
    pub const GENERATIONS: [Arch; 5] = [Arch::Gcn10, Arch::Gcn11, Arch::Gcn12, Arch::Gcn14, Arch::Gcn141];

    /// The generation that a chip belongs to.
    pub const fn generation(self) -> Arch {
        match self {
            Arch::Gfx810 => Arch::Gcn12,
            Arch::Gfx904 => Arch::Gcn14,
            generation => generation,
        }
    }

    /// The one among several that this means: itself, or else a chip of the generation that it is.
    pub fn among(self, mut held: impl Iterator<Item = Arch> + Clone) -> Option<Arch> {
        let itself = held.clone().find(|&arch| arch == self);
        itself.or_else(|| held.find(|arch| arch.generation() == self))
    }

    /// LLVM's name of a chip that differs from its generation. `None` for the generations.
    pub const fn chip(self) -> Option<&'static str> {
        match self {
            Arch::Gfx810 => Some("gfx810"),
            Arch::Gfx904 => Some("gfx904"),
            _ => None,
        }
    }

    /// The name that [`Arch::from_str`] takes back: the chip, or else the generation.
    pub const fn full_name(self) -> &'static str {
        match self.chip() {
            Some(chip) => chip,
            None => self.name(),
        }
    }

    /// The canonical name of the generation, as in results: `gcn1.0` .. `gcn1.4.1`.
    pub const fn name(self) -> &'static str {
        match self.generation() {
            Arch::Gcn10 => "gcn1.0",
            Arch::Gcn11 => "gcn1.1",
            Arch::Gcn12 | Arch::Gfx810 => "gcn1.2",
            Arch::Gcn14 | Arch::Gfx904 => "gcn1.4",
            Arch::Gcn141 => "gcn1.4.1",
        }
    }

    /// The LLVM processor that stands for it: `gfx600` .. `gfx906`.
    pub const fn llvm_name(self) -> &'static str {
        match self {
            Arch::Gcn10 => "gfx600",
            Arch::Gcn11 => "gfx700",
            Arch::Gcn12 => "gfx803",
            Arch::Gfx810 => "gfx810",
            Arch::Gcn14 => "gfx900",
            Arch::Gfx904 => "gfx904",
            Arch::Gcn141 => "gfx906",
        }
    }

    /// Number of general SGPRs, s0 upwards: 104 before GCN 1.2, then 102.
    pub const fn sgpr_count(self) -> u32 {
        if self.is_gcn12_or_later() { 102 } else { 104 }
    }

    /// Whether the generation is GCN 1.2, 1.4 or 1.4.1, which have the renumbered instruction set.
    pub const fn is_gcn12_or_later(self) -> bool {
        self as u8 >= Arch::Gcn12 as u8
    }

    /// Whether the generation is GCN 1.4 or 1.4.1.
    pub const fn is_gcn14_or_later(self) -> bool {
        self as u8 >= Arch::Gcn14 as u8
    }

    /// Whether a register holds two components of 16 bits in formatted buffer and image accesses (D16).
    pub const fn packs_d16(self) -> bool {
        self as u8 >= Arch::Gfx810 as u8
    }

    /// Whether components of two bits are signed in signed buffer formats.
    pub const fn has_signed_pairs(self) -> bool {
        self as u8 >= Arch::Gfx810 as u8
    }
}

/// Writes [`Arch::full_name`].
impl fmt::Display for Arch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.full_name())
    }
}

/// The name is not that of a known architecture.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "unknown architecture '{0}': expected gcn1.0, gcn1.1, gcn1.2, gcn1.4, gcn1.4.1 or an LLVM name of gfx6 to gfx9 \
     (gfx600..gfx906, gfx909, gfx90c, tahiti, hawaii, fiji, vega10, ...)"
)]
pub struct UnknownArch(pub String);

/// The processor that a triple of LLVM names, all in lower case; `None` if `text` is no triple. The processor is behind
/// the triple (`amdgcn-amd-amdhsa--gfx900`), or the triple begins with it: `amdgpu9.00`, `amdgpu9.0c-amd-amdhsa` name
/// the version and stepping of one, and `amdgpu9` alone code for all of its family.
///
/// ```
/// use gcnsim_isa::of_triple;
/// assert_eq!(of_triple("amdgpu9.00-amd-amdhsa"), Some("gfx900".to_owned()));
/// assert_eq!(of_triple("gfx900"), None);
/// ```
pub fn of_triple(text: &str) -> Option<String> {
    if let Some((triple, processor)) = text.split_once("--").filter(|(triple, _)| triple.starts_with("amdg")) {
        return if processor.is_empty() { of_triple(triple) } else { Some(processor.to_owned()) };
    }
    let version = text.strip_prefix("amdgpu").or_else(|| text.strip_prefix("amdgcn"))?;
    let version = version.split('-').next()?;
    match version.split_once('.') {
        Some((major, rest)) => Some(format!("gfx{major}{rest}")),
        None => match version {
            "6" => Some("gfx600".to_owned()),
            "7" => Some("gfx700".to_owned()),
            "8" => Some("gfx803".to_owned()),
            "9" => Some("gfx9-generic".to_owned()),
            _ => None,
        },
    }
}

impl FromStr for Arch {
    type Err = UnknownArch;

    /// Takes canonical and LLVM names in any case, and LLVM's triples that name a processor.
    fn from_str(name: &str) -> Result<Arch, UnknownArch> {
        let lower = name.to_ascii_lowercase();
        let lower = of_triple(&lower).unwrap_or(lower);
        Arch::GENERATIONS
            .into_iter()
            .find(|a| a.name() == lower)
            .or_else(|| ALIASES.iter().find(|(alias, _)| *alias == lower).map(|&(_, a)| a))
            .ok_or_else(|| UnknownArch(name.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_back() {
        for arch in Arch::ALL {
            assert_eq!(Arch::ALL[arch as usize], arch);
            assert_eq!(arch.full_name().parse(), Ok(arch));
            assert_eq!(arch.llvm_name().parse(), Ok(arch));
            assert_eq!(arch.name().parse(), Ok(arch.generation()));
        }
        let held = [Arch::Gcn14, Arch::Gfx904, Arch::Gfx810];
        let found = [Arch::Gcn14, Arch::Gfx904, Arch::Gcn12, Arch::Gcn141].map(|arch| arch.among(held.into_iter()));
        assert_eq!(found, [Some(Arch::Gcn14), Some(Arch::Gfx904), Some(Arch::Gfx810), None]);
        for (triple, arch) in [
            ("amdgpu9.00", Arch::Gcn14),
            ("amdgpu9.0c-amd-amdhsa", Arch::Gcn14),
            ("amdgpu8.10", Arch::Gfx810),
            ("AMDGPU9.06-amd-amdhsa-llvm", Arch::Gcn141),
            ("amdgpu6.00", Arch::Gcn10),
            ("amdgpu9", Arch::Gcn14),
            ("amdgcn-amd-amdhsa--gfx803", Arch::Gcn12),
            ("amdgpu7.04-amd-amdhsa--", Arch::Gcn11),
        ] {
            assert_eq!(triple.parse(), Ok(arch), "{triple}");
        }
        for wrong in ["amdgpu10.30", "amdgpu", "amdgcn-amd-amdhsa", "amdgpu9.", "amdgpu9.0.0", "--gfx900"] {
            assert!(wrong.parse::<Arch>().is_err(), "{wrong}");
        }
        assert_eq!(["Stoney", "vega12"].map(|name| name.parse::<Arch>().unwrap()), [Arch::Gfx810, Arch::Gfx904]);
    }
}
