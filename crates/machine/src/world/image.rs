//! What stands for an image in a world: keys (docs/gcn/synthetic.md#images).

use super::{Purpose, hash64};

/// What stands for the image of a descriptor: all eight dwords count, whatever they mean.
pub fn image_key(descriptor: &[u32; 8]) -> u64 {
    descriptor.iter().fold(0, |key, word| hash64(key ^ u64::from(*word), Purpose::Image as u64))
}

/// The key of a mip level of an image, as [`World::texel`](super::World::texel) takes it.
pub fn level_key(image: u64, level: u32) -> u64 {
    hash64(image ^ u64::from(level), Purpose::Level as u64)
}
