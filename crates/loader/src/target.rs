//! Target ids: a processor, and the features that its code needs on or off.
//!
//! An example is `gfx906:sramecc+:xnack-`. A feature that is not mentioned may be either. Source: LLVM, "User Guide for
//! AMDGPU Backend", Target ID.

use std::fmt;
use std::str::FromStr;

use gcnsim_isa::{Arch, UnknownArch, of_triple};

use super::machine;

/// Features of a target id: `Some(true)` is on, `Some(false)` is off, `None` is either.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Features {
    /// XNACK, the retry of page faults.
    pub xnack: Option<bool>,
    /// SRAMECC, the error correction of SRAM.
    pub sramecc: Option<bool>,
}

/// Processors that have XNACK. Only gfx906 has SRAMECC.
const WITH_XNACK: [&str; 8] = ["gfx801", "gfx810", "gfx900", "gfx902", "gfx904", "gfx906", "gfx909", "gfx90c"];

/// The user's choice of a part of a file (`--arch`): a generation, a processor or a target id. For raw files only the
/// generation counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TargetChoice {
    /// The generation.
    pub arch: Arch,
    /// LLVM's name of the processor, if one was named.
    pub processor: Option<&'static str>,
    /// The features.
    pub features: Features,
}

/// The reason why a text is not a target.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum TargetError {
    /// The processor is unknown.
    #[error(transparent)]
    Arch(#[from] UnknownArch),
    /// A feature is unknown, malformed, repeated, or not of this processor.
    #[error("{0}")]
    Feature(String),
}

impl Features {
    /// Reads the features that follow the processor in a target id, for example `xnack+`, separated by `:`.
    fn parse(text: &str) -> Result<Features, String> {
        let mut features = Features::default();
        for feature in text.split(':') {
            let (name, is_on) = match (feature.strip_suffix('+'), feature.strip_suffix('-')) {
                (Some(name), _) => (name, true),
                (_, Some(name)) => (name, false),
                _ => return Err(format!("'{feature}': a feature ends with + or -, as in gfx906:xnack+")),
            };
            let place = match name {
                "xnack" => &mut features.xnack,
                "sramecc" => &mut features.sramecc,
                _ => return Err(format!("unknown feature '{name}': there are xnack and sramecc")),
            };
            if place.replace(is_on).is_some() {
                return Err(format!("feature '{name}' is there twice"));
            }
        }
        Ok(features)
    }

    /// The features of the target id `id`. All are `None` if the id has none or they cannot be read.
    pub(super) fn of_id(id: &str) -> Features {
        id.split_once(':').and_then(|(_, features)| Features::parse(features).ok()).unwrap_or_default()
    }

    /// Whether code that needs these features is acceptable where the features `wanted` are asked for.
    fn allow(self, wanted: Features) -> bool {
        let allows = |own: Option<bool>, wanted: Option<bool>| own.is_none() || wanted.is_none() || own == wanted;
        allows(self.xnack, wanted.xnack) && allows(self.sramecc, wanted.sramecc)
    }
}

impl fmt::Display for Features {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, value) in [("sramecc", self.sramecc), ("xnack", self.xnack)] {
            if let Some(is_on) = value {
                write!(f, ":{name}{}", if is_on { '+' } else { '-' })?;
            }
        }
        Ok(())
    }
}

impl FromStr for TargetChoice {
    type Err = TargetError;

    fn from_str(text: &str) -> Result<TargetChoice, TargetError> {
        let (name, rest) = text.split_once(':').map_or((text, None), |(name, rest)| (name, Some(rest)));
        let arch: Arch = name.parse()?;
        let lower = name.to_ascii_lowercase();
        let processor = machine::by_name(&of_triple(&lower).unwrap_or(lower)).map(|(name, _)| name);
        let features = rest.map_or(Ok(Features::default()), Features::parse).map_err(TargetError::Feature)?;
        let lacks = |feature: &str| TargetError::Feature(format!("{name} has no feature '{feature}'"));
        if features.xnack.is_some() && processor.is_some_and(|name| !WITH_XNACK.contains(&name)) {
            return Err(lacks("xnack"));
        }
        if features.sramecc.is_some() && processor.is_some_and(|name| name != "gfx906") {
            return Err(lacks("sramecc"));
        }
        Ok(TargetChoice { arch, processor, features })
    }
}

impl From<Arch> for TargetChoice {
    fn from(arch: Arch) -> TargetChoice {
        TargetChoice { arch, processor: None, features: Features::default() }
    }
}

impl fmt::Display for TargetChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.processor.unwrap_or(self.arch.name()), self.features)
    }
}

impl TargetChoice {
    /// How well code for a processor with these features matches; `None` if it does not. Higher is better: code for the
    /// chosen processor is better than code for another one of its generation, and exactly the chosen features are
    /// best.
    fn rank(&self, processor: &str, arch: Arch, features: Features) -> Option<u8> {
        if !self.means(arch) || !features.allow(self.features) {
            return None;
        }
        match self.processor {
            _ if arch != self.arch => Some(0),
            Some(wanted) if wanted != processor => Some(1),
            _ if features == self.features => Some(3),
            _ => Some(2),
        }
    }

    /// Whether code for `arch` matches: for the chosen generation or chip, or for a chip of that generation.
    pub(super) fn means(&self, arch: Arch) -> bool {
        arch == self.arch || arch.generation() == self.arch
    }

    /// The elements of `all` that match best. `target` returns processor, generation and features of an element.
    pub(super) fn best<T>(self, all: Vec<T>, target: impl Fn(&T) -> Option<(&'static str, Arch, Features)>) -> Vec<T> {
        let rank =
            |thing: &T| target(thing).and_then(|(processor, arch, features)| self.rank(processor, arch, features));
        let best = all.iter().filter_map(rank).max();
        all.into_iter().filter(|thing| best.is_some() && rank(thing) == best).collect()
    }

    /// Whether code for `arch` with the target id `id` does not match.
    pub fn excludes(&self, arch: Arch, id: &str) -> bool {
        !self.means(arch) || !Features::of_id(id).allow(self.features)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choose(wanted: &str, ids: &[&'static str]) -> Vec<&'static str> {
        let target = |id: &&'static str| {
            let (name, arch) = machine::by_name(id.split(':').next()?)?;
            Some((name, arch, Features::of_id(id)))
        };
        wanted.parse::<TargetChoice>().unwrap().best(ids.to_vec(), target)
    }

    #[test]
    fn features_choose_between_parts() {
        let both = ["gfx906:xnack+", "gfx906:xnack-"];
        assert_eq!(choose("gfx906:xnack+", &both), ["gfx906:xnack+"]);
        assert_eq!(choose("gfx906:xnack-", &both), ["gfx906:xnack-"]);
        assert_eq!(choose("gfx906", &both), both);
        assert_eq!(choose("amdgpu9.06:xnack+", &both), ["gfx906:xnack+"]);
        assert_eq!(choose("amdgcn-amd-amdhsa--gfx906:xnack-", &both), ["gfx906:xnack-"]);
        assert_eq!(choose("vega20:xnack-", &both), ["gfx906:xnack-"]);
        assert_eq!(choose("gfx906:sramecc+:xnack-", &both), ["gfx906:xnack-"]);
        assert_eq!(choose("gfx906:xnack+", &["gfx906:sramecc-"]), ["gfx906:sramecc-"], "either will do");
        assert_eq!(choose("gfx906:xnack+", &["gfx906:xnack-"]), [""; 0]);
        assert_eq!(choose("gfx906", &["gfx906:xnack+", "gfx906"]), ["gfx906"], "what was named");
    }

    #[test]
    fn processors_come_before_generations() {
        let ids = ["gfx902", "gfx900", "gfx906"];
        assert_eq!(choose("gfx900", &ids), ["gfx900"]);
        assert_eq!(choose("gfx909", &ids), ["gfx902", "gfx900"]);
        assert_eq!(choose("gcn1.4", &ids), ["gfx902", "gfx900"]);
        assert_eq!(choose("gfx803", &ids), [""; 0]);
    }

    #[test]
    fn wrong_ids_are_named() {
        for (text, message) in [
            ("gfx906:xnack", "ends with + or -"),
            ("gfx906:", "ends with + or -"),
            ("gfx906:foo+", "unknown feature 'foo'"),
            ("gfx906:xnack+:xnack-", "'xnack' is there twice"),
            ("gfx803:xnack+", "gfx803 has no feature 'xnack'"),
            ("gfx900:sramecc+", "gfx900 has no feature 'sramecc'"),
            ("gfx1030:xnack+", "unknown architecture 'gfx1030'"),
        ] {
            let error = text.parse::<TargetChoice>().unwrap_err().to_string();
            assert!(error.contains(message), "{text}: {error}");
        }
        let choice: TargetChoice = "GFX906:xnack-:sramecc+".parse().unwrap();
        assert_eq!((choice.to_string().as_str(), choice.arch), ("gfx906:sramecc+:xnack-", Arch::Gcn141));
    }
}
