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
    /// In the order in which they are named; each once. With the name: LLVM's, else that of the log.
    named: Vec<(Chip, String)>,
}

impl Chip {
    /// `GFX9` alone, which is what drivers call both GCN 1.4 and GCN 1.4.1.
    const GFX9: Chip = Chip::Known(None, Arch::Gcn14);

    /// Whether code for `arch` runs on it.
    fn is_of(self, arch: Arch) -> bool {
        self == Chip::GFX9 && arch == Arch::Gcn141 || matches!(self, Chip::Known(_, own) if own == arch)
    }

    fn arch(self) -> Option<Arch> {
        match self {
            Chip::Known(_, arch) => Some(arch),
            Chip::Newer => None,
        }
    }
}

impl Chips {
    /// Takes from a line what it says of the processor.
    pub fn read(&mut self, line: &str) {
        // Names of chips are words of other languages, too: they count where a line is about a GPU.
        const ABOUT: [&str; 10] = ["radv", "radeon", "amd", "chip", "mcpu", "target", "asic", "gpu", "gfx", ".arch "];
        let line = line.to_ascii_lowercase();
        if !ABOUT.iter().any(|word| line.contains(word)) {
            return;
        }
        let is_separator = |c: char| !c.is_ascii_alphanumeric() && c != '_';
        // clrxdisasm names the generation so; the other names of chips are read below.
        let generation = line.trim_start().strip_prefix(".arch ").map(str::trim);
        if let Some(choice) = generation.and_then(|name| name.parse::<TargetChoice>().ok()) {
            let chip = Chip::Known(choice.processor, choice.arch);
            if self.named.iter().all(|(named, _)| *named != chip) {
                self.named.push((chip, choice.to_string()));
            }
            return;
        }
        for word in line.split(is_separator).filter(|word| (2..=24).contains(&word.len())) {
            let chip = of_word(word, &line);
            if let Some(chip) = chip.filter(|chip| self.named.iter().all(|(named, _)| named != chip)) {
                let name = match chip {
                    Chip::Known(Some(name), _) => name,
                    _ => word,
                };
                self.named.push((chip, name.to_owned()));
            }
        }
    }

    /// The processor. `wanted` is the generation that the user states: it decides if the log names several. `None` if
    /// the log names none, or several of which none is of the generation `wanted`.
    ///
    /// # Errors
    /// The names of processors of different generations, if the user states none.
    pub(super) fn chosen(&self, wanted: Option<Arch>) -> Result<Option<Chip>, String> {
        let mut among: Vec<&(Chip, String)> = self.named.iter().collect();
        // A name of a chip says more than a generation.
        let is_named = |arch| among.iter().any(|(chip, _)| matches!(chip, Chip::Known(Some(_), own) if *own == arch));
        if is_named(Arch::Gcn14) || is_named(Arch::Gcn141) {
            among.retain(|(chip, _)| *chip != Chip::GFX9);
        }
        if let Some(arch) = wanted.filter(|&arch| among.iter().any(|(chip, _)| chip.is_of(arch))) {
            let of_wanted = || among.iter().map(|(chip, _)| *chip).filter(|chip| chip.is_of(arch));
            let named = of_wanted().find(|chip| matches!(chip, Chip::Known(Some(_), _)));
            return Ok(Some(named.unwrap_or(Chip::Known(None, arch))));
        }
        let Some((first, _)) = among.first() else { return Ok(None) };
        if among.iter().any(|(chip, _)| chip.arch() != first.arch()) {
            let names = among.iter().map(|(_, name)| name.as_str()).collect::<Vec<_>>();
            return if wanted.is_some() { Ok(None) } else { Err(names.join(" and ")) };
        }
        let named = among.iter().find(|(chip, _)| matches!(chip, Chip::Known(Some(_), _)));
        Ok(Some(named.map_or(*first, |(chip, _)| *chip)))
    }
}

/// Names of chips in logs, and LLVM's for them.
#[rustfmt::skip]
const LLVM_NAMES: [(&str, &str); 39] = [
    ("tahiti", "gfx600"), ("pitcairn", "gfx601"), ("verde", "gfx601"), ("capeverde", "gfx601"), ("oland", "gfx602"),
    ("hainan", "gfx602"), ("kaveri", "gfx700"), ("hawaii", "gfx701"), ("kabini", "gfx703"), ("mullins", "gfx703"),
    ("bonaire", "gfx704"), ("carrizo", "gfx801"), ("iceland", "gfx802"), ("tonga", "gfx802"), ("fiji", "gfx803"),
    ("polaris10", "gfx803"), ("polaris11", "gfx803"), ("polaris12", "gfx803"), ("vegam", "gfx803"),
    ("stoney", "gfx810"), ("vega10", "gfx900"), ("raven", "gfx902"), ("picasso", "gfx902"), ("vega12", "gfx904"),
    ("vega20", "gfx906"), ("raven2", "gfx909"), ("renoir", "gfx90c"),
    // Those of AMD's OpenCL compilers and of CLRX.
    ("spectre", "gfx700"), ("spooky", "gfx700"), ("kalindi", "gfx703"), ("topaz", "gfx802"), ("baffin", "gfx803"),
    ("ellesmere", "gfx803"), ("gfx804", "gfx803"), ("vega11", "gfx900"), ("gfx901", "gfx900"), ("gfx903", "gfx902"),
    ("gfx905", "gfx904"), ("gfx907", "gfx906"),
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

    fn chosen(lines: &[&str], wanted: Option<Arch>) -> Result<Option<Chip>, String> {
        let mut chips = Chips::default();
        lines.iter().for_each(|line| chips.read(line));
        chips.chosen(wanted)
    }

    #[test]
    fn chips_are_found_in_headers_of_logs() {
        let arch = |line: &str| match chosen(&[line], None) {
            Ok(Some(Chip::Known(_, arch))) => Some(arch),
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
            (".gpu Ellesmere", Arch::Gcn12),
            (".gpu CapeVerde", Arch::Gcn10),
            (".arch GCN1.4.1", Arch::Gcn141),
        ] {
            assert_eq!(arch(line), Some(expected), "{line}");
        }
        for line in ["my hawaii holidays", "\tv_mov_b32 v0, v1", "a raven in vega10", ""] {
            assert_eq!(chosen(&[line], None), Ok(None), "{line}");
        }
        assert_eq!(chosen(&["AMD RADV NAVI21 (LLVM 15)"], None), Ok(Some(Chip::Newer)));
        assert_eq!(chosen(&["gfx1030"], None), Ok(Some(Chip::Newer)));
    }

    #[test]
    fn several_chips_are_no_choice_but_the_user_has_one() {
        let lines = ["AMD RADV RAVEN", "AMD RADV POLARIS10"];
        assert_eq!(chosen(&lines, None), Err("gfx902 and gfx803".into()));
        assert_eq!(chosen(&lines, Some(Arch::Gcn12)), Ok(Some(Chip::Known(Some("gfx803"), Arch::Gcn12))));
        assert_eq!(chosen(&lines, Some(Arch::Gcn10)), Ok(None));
        assert_eq!(chosen(&["AMD RADV NAVI21", "AMD RADV TONGA"], None), Err("navi21 and gfx802".into()));
    }

    /// Drivers call all of GCN 1.4 and GCN 1.4.1 by this name.
    #[test]
    fn gfx9_is_any_chip_of_its_family() {
        let (old, new) = (Chip::Known(Some("gfx900"), Arch::Gcn14), Chip::Known(Some("gfx906"), Arch::Gcn141));
        assert_eq!(chosen(&["GFX9", "AMD RADV VEGA10"], None), Ok(Some(old)));
        assert_eq!(chosen(&["AMD RADV VEGA20", "gfx_level = GFX9"], None), Ok(Some(new)));
        assert_eq!(chosen(&["gfx_level = GFX9"], None), Ok(Some(Chip::Known(None, Arch::Gcn14))));
        assert_eq!(chosen(&["gfx_level = GFX9"], Some(Arch::Gcn141)), Ok(Some(Chip::Known(None, Arch::Gcn141))));
        assert_eq!(chosen(&["AMD RADV VEGA20", "GFX9"], Some(Arch::Gcn14)), Ok(Some(new)), "the log names one chip");
        assert_eq!(chosen(&["GFX9", "GFX8"], None), Err("gfx9 and gfx8".into()));
    }
}
