//! Generations of the instruction set and their many names.

use std::fmt;
use std::str::FromStr;

/// A generation of the instruction set. Chips within one generation decode alike.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Arch {
    /// GCN 1.0, gfx600..602 (Southern Islands).
    Gcn10,
    /// GCN 1.1, gfx700..705 (Sea Islands).
    Gcn11,
    /// GCN 1.2, gfx801..810 (Volcanic Islands).
    Gcn12,
    /// GCN 1.4, gfx900, 902, 904, 909, 90c (Vega).
    Gcn14,
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
    ("gfx810", Arch::Gcn12),
    ("carrizo", Arch::Gcn12),
    ("iceland", Arch::Gcn12),
    ("tonga", Arch::Gcn12),
    ("tongapro", Arch::Gcn12),
    ("fiji", Arch::Gcn12),
    ("polaris10", Arch::Gcn12),
    ("polaris11", Arch::Gcn12),
    ("stoney", Arch::Gcn12),
    ("gfx900", Arch::Gcn14),
    ("gfx902", Arch::Gcn14),
    ("gfx904", Arch::Gcn14),
    ("gfx909", Arch::Gcn14),
    ("gfx90c", Arch::Gcn14),
    ("gfx9-generic", Arch::Gcn14),
    ("vega10", Arch::Gcn14),
    ("vega12", Arch::Gcn14),
    ("raven", Arch::Gcn14),
    ("renoir", Arch::Gcn14),
    ("gfx906", Arch::Gcn141),
    ("vega20", Arch::Gcn141),
];

impl Arch {
    /// All generations, oldest first; index with `arch as usize`.
    pub const ALL: [Arch; 5] = [Arch::Gcn10, Arch::Gcn11, Arch::Gcn12, Arch::Gcn14, Arch::Gcn141];

    /// The canonical name, as in results: `gcn1.0` .. `gcn1.4.1`.
    pub const fn name(self) -> &'static str {
        match self {
            Arch::Gcn10 => "gcn1.0",
            Arch::Gcn11 => "gcn1.1",
            Arch::Gcn12 => "gcn1.2",
            Arch::Gcn14 => "gcn1.4",
            Arch::Gcn141 => "gcn1.4.1",
        }
    }

    /// The LLVM processor that stands for the generation: `gfx600` .. `gfx906`.
    pub const fn llvm_name(self) -> &'static str {
        match self {
            Arch::Gcn10 => "gfx600",
            Arch::Gcn11 => "gfx700",
            Arch::Gcn12 => "gfx803",
            Arch::Gcn14 => "gfx900",
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
}

impl fmt::Display for Arch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The name is not that of a known architecture.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "unknown architecture '{0}': expected gcn1.0, gcn1.1, gcn1.2, gcn1.4, gcn1.4.1 or an LLVM name of gfx6 to gfx9 \
     (gfx600..gfx906, gfx909, gfx90c, tahiti, hawaii, fiji, vega10, ...)"
)]
pub struct UnknownArch(pub String);

impl FromStr for Arch {
    type Err = UnknownArch;

    /// Takes canonical and LLVM names in any case.
    fn from_str(name: &str) -> Result<Arch, UnknownArch> {
        let lower = name.to_ascii_lowercase();
        Arch::ALL
            .into_iter()
            .find(|a| a.name() == lower)
            .or_else(|| ALIASES.iter().find(|(alias, _)| *alias == lower).map(|&(_, a)| a))
            .ok_or_else(|| UnknownArch(name.to_string()))
    }
}
