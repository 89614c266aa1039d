//! The processor that a log names: `AMD RADV VEGA10 (..)`, `-mcpu=gfx900`, `CHIP_POLARIS10`, `asic(VI)`.

use gcnsim_isa::Arch;

use crate::TargetChoice;

/// What a log says of the processor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Chip {
    /// LLVM's name, if the log has the name of a chip, and its generation.
    Known(Option<&'static str>, Arch),
    /// It is newer than GCN.
    Newer,
}

/// The processors that a log names.
#[derive(Default)]
pub(super) struct Chips {
    /// In the order in which they are named; each once.
    named: Vec<Chip>,
}

impl Chips {
    /// Takes from a line what it says of the processor.
    pub fn read(&mut self, line: &str) {
        // Names of chips are words of other languages, too: they count where a line is about a GPU.
        const ABOUT: [&str; 9] = ["radv", "radeon", "amd", "chip", "mcpu", "target", "asic", "gpu", "gfx"];
        let line = line.to_ascii_lowercase();
        if !ABOUT.iter().any(|word| line.contains(word)) {
            return;
        }
        let is_separator = |c: char| !c.is_ascii_alphanumeric() && c != '_';
        for word in line.split(is_separator).filter(|word| (2..=24).contains(&word.len())) {
            let chip = of_word(word, &line);
            if let Some(chip) = chip.filter(|chip| !self.named.contains(chip)) {
                self.named.push(chip);
            }
        }
    }

    /// The processor. `wanted` is the generation that the user states: it decides if the log names several. `None` if
    /// the log names none, or several of different generations.
    pub fn chosen(&self, wanted: Option<Arch>) -> Option<Chip> {
        let arch = |chip: &Chip| match chip {
            Chip::Known(_, arch) => Some(*arch),
            Chip::Newer => None,
        };
        let of_wanted: Vec<_> = self.named.iter().filter(|chip| arch(chip) == wanted && wanted.is_some()).collect();
        let of_all: Vec<_> = self.named.iter().collect();
        let among = if of_wanted.is_empty() { of_all } else { of_wanted };
        let first = arch(among.first()?);
        if among.iter().any(|chip| arch(chip) != first) {
            return None;
        }
        // A name of a chip says more than a generation.
        let named = among.iter().find(|chip| matches!(chip, Chip::Known(Some(_), _)));
        Some(**named.unwrap_or(&among[0]))
    }
}

/// Names of chips in logs, and LLVM's for them.
#[rustfmt::skip]
const LLVM_NAMES: [(&str, &str); 27] = [
    ("tahiti", "gfx600"), ("pitcairn", "gfx601"), ("verde", "gfx601"), ("capeverde", "gfx601"), ("oland", "gfx602"),
    ("hainan", "gfx602"), ("kaveri", "gfx700"), ("hawaii", "gfx701"), ("kabini", "gfx703"), ("mullins", "gfx703"),
    ("bonaire", "gfx704"), ("carrizo", "gfx801"), ("iceland", "gfx802"), ("tonga", "gfx802"), ("fiji", "gfx803"),
    ("polaris10", "gfx803"), ("polaris11", "gfx803"), ("polaris12", "gfx803"), ("vegam", "gfx803"),
    ("stoney", "gfx810"), ("vega10", "gfx900"), ("raven", "gfx902"), ("picasso", "gfx902"), ("vega12", "gfx904"),
    ("vega20", "gfx906"), ("raven2", "gfx909"), ("renoir", "gfx90c"),
];

/// The chip that a word of a line names. All is in lower case.
fn of_word(word: &str, line: &str) -> Option<Chip> {
    let word = word.strip_prefix("chip_").unwrap_or(word);
    const NEWER: [&str; 10] =
        ["navi", "gfx10", "gfx11", "gfx12", "vangogh", "rembrandt", "raphael", "arcturus", "aldebaran", "gfx94"];
    const NEWER_EXACT: [&str; 3] = ["gfx908", "gfx90a", "gfx950"];
    let digits = |prefix: &str| word[prefix.len()..].bytes().all(|byte| byte.is_ascii_alphanumeric());
    if NEWER_EXACT.contains(&word) || NEWER.iter().any(|name| word.starts_with(name) && digits(name)) {
        return Some(Chip::Newer);
    }
    let generation = match word {
        "gfx6" => Some(Arch::Gcn10),
        "gfx7" => Some(Arch::Gcn11),
        "gfx8" => Some(Arch::Gcn12),
        "gfx9" => Some(Arch::Gcn14),
        // AMD's tools: `asic(VI)`.
        "si" if line.contains("asic(si)") => Some(Arch::Gcn10),
        "ci" if line.contains("asic(ci)") => Some(Arch::Gcn11),
        "vi" if line.contains("asic(vi)") => Some(Arch::Gcn12),
        _ => None,
    };
    if let Some(arch) = generation {
        return Some(Chip::Known(None, arch));
    }
    let word = LLVM_NAMES.iter().find(|(name, _)| *name == word).map_or(word, |(_, llvm)| llvm);
    let choice: TargetChoice = word.parse().ok()?;
    Some(Chip::Known(choice.processor, choice.arch))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(lines: &[&str], wanted: Option<Arch>) -> Option<Chip> {
        let mut chips = Chips::default();
        lines.iter().for_each(|line| chips.read(line));
        chips.chosen(wanted)
    }

    #[test]
    fn chips_are_found_in_headers_of_logs() {
        let arch = |line: &str| match chosen(&[line], None) {
            Some(Chip::Known(_, arch)) => Some(arch),
            _ => None,
        };
        for (line, expected) in [
            ("GPU: AMD RADV VEGA10 (LLVM 15.0.6)", Arch::Gcn14),
            ("Device name: AMD Radeon RX 580 Series (polaris10, LLVM 15.0.7, DRM 3.49)", Arch::Gcn12),
            ("OpenGL renderer: Gallium 0.4 on AMD TONGA (DRM 3.1.0, LLVM 3.9)", Arch::Gcn12),
            ("    family = CHIP_PITCAIRN", Arch::Gcn10),
            ("AMD Radeon (RADV HAWAII)", Arch::Gcn11),
            ("    gfx_level = GFX7", Arch::Gcn11),
            ("  asic(VI)", Arch::Gcn12),
            ("\t.amdgcn_target \"amdgcn-amd-amdhsa--gfx906\"", Arch::Gcn141),
            ("llc -march=amdgcn -mcpu=gfx600", Arch::Gcn10),
            ("Null hardware (RADV VEGA20)", Arch::Gcn141),
        ] {
            assert_eq!(arch(line), Some(expected), "{line}");
        }
        for line in ["my hawaii holidays", "\tv_mov_b32 v0, v1", "a raven in vega10", ""] {
            assert_eq!(chosen(&[line], None), None, "{line}");
        }
        assert_eq!(chosen(&["AMD RADV NAVI21 (LLVM 15)"], None), Some(Chip::Newer));
        assert_eq!(chosen(&["gfx1030"], None), Some(Chip::Newer));
    }

    #[test]
    fn several_chips_are_no_choice_but_the_user_has_one() {
        let lines = ["AMD RADV RAVEN", "AMD RADV POLARIS10"];
        assert_eq!(chosen(&lines, None), None);
        let Some(Chip::Known(name, arch)) = chosen(&lines, Some(Arch::Gcn12)) else { panic!() };
        assert_eq!((name, arch), (Some("gfx803"), Arch::Gcn12));
        let Some(Chip::Known(name, _)) = chosen(&["GFX9", "AMD RADV VEGA10"], None) else { panic!() };
        assert_eq!(name, Some("gfx900"));
    }
}
