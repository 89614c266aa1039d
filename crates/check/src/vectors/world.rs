//! Vectors in the synthetic environment (docs/gcn/synthetic.md).

use gcnsim_engine::difference::Difference;
use gcnsim_machine::Context;
use gcnsim_machine::world::{Descriptors, Inputs, PageStock, World, WorldKind};
use serde::Deserialize;
use serde::de::{Deserializer, Error};

/// The world of a vector.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WorldSpec {
    /// `float`, `int` or `mixed`.
    #[serde(deserialize_with = "kind")]
    pub kind: WorldKind,
    /// Number of the world's set of values.
    #[serde(default)]
    pub variant: u32,
    /// Whether drivers make descriptors: what T# and S# say of dimensions and coordinates counts.
    #[serde(default)]
    pub descriptors: DescriptorsSpec,
    /// Dwords of images that were written before the vector runs.
    #[serde(default)]
    pub images: Vec<DwordSpec>,
    /// All dwords of images that afterwards differ from those of the world, sorted.
    #[serde(default)]
    pub expect: Vec<DwordSpec>,
}

/// Where descriptors come from.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DescriptorsSpec {
    /// The world: they say nothing.
    #[default]
    Data,
    /// Drivers.
    Made,
}

/// A dword of an image: the key of its level, its index there, and its bits.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Deserialize)]
pub struct DwordSpec(#[serde(deserialize_with = "key")] pub u64, pub u32, pub u32);

impl WorldSpec {
    /// Returns the context that the vector begins in.
    pub(super) fn context(&self) -> Context {
        let world = World { kind: self.kind, variant: self.variant };
        let descriptors = match self.descriptors {
            DescriptorsSpec::Data => Descriptors::Data,
            DescriptorsSpec::Made => Descriptors::Made,
        };
        let inputs = Inputs { descriptors, ..Inputs::new(world, Vec::new()) };
        let mut context = Context::in_world(inputs, 64 << 10, PageStock::default());
        self.images.iter().for_each(|DwordSpec(key, at, bits)| context.put_world_texel(*key, *at, *bits));
        context
    }

    /// Returns how images differ from the expectation. The context is in no world afterwards.
    pub(super) fn difference(&self, context: &mut Context) -> Option<Difference> {
        let (found, _) = context.leave_world();
        let found: Vec<_> = found.images.iter().map(|dword| DwordSpec(dword.key, dword.at, dword.bits)).collect();
        let first = |ours: &[DwordSpec], theirs: &[DwordSpec]| {
            let only = ours.iter().find(|dword| !theirs.contains(dword));
            only.map_or("nothing".into(), |DwordSpec(key, at, bits)| format!("{key:#x} at {at}: {bits:#010x}"))
        };
        (found != self.expect)
            .then(|| Difference::new("images", first(&self.expect, &found), first(&found, &self.expect)))
    }
}

fn kind<'de, D: Deserializer<'de>>(deserializer: D) -> Result<WorldKind, D::Error> {
    let name = String::deserialize(deserializer)?;
    WorldKind::of_name(&name).ok_or_else(|| D::Error::custom(format!("there is no world {name}")))
}

fn key<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    let text = String::deserialize(deserializer)?;
    let digits = text.strip_prefix("0x").ok_or_else(|| D::Error::custom("a key is a string that begins with 0x"))?;
    u64::from_str_radix(digits, 16).map_err(D::Error::custom)
}
