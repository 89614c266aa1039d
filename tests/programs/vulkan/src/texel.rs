//! Formats of texels, as the host reads them.

use ash::vk;
use half::f16;

/// What numbers of a format are in a shader.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Float,
    Unsigned,
    Signed,
}

/// A format.
pub(crate) struct Format {
    pub vk: vk::Format,
    /// Bytes of a texel.
    pub bytes: usize,
    pub kind: Kind,
    /// Takes out of random bytes what has more than one meaning: infinities, what is no number, tiny ones, and
    /// -128.
    pub tame: fn(&mut [u8]),
    /// Reads a texel. Integers of 32 bits are doubles, too.
    pub decode: fn(&[u8]) -> [f64; 4],
}

fn word(texel: &[u8]) -> u32 {
    texel.iter().rev().fold(0, |word, &byte| word << 8 | u32::from(byte))
}

/// Channels of `N` bytes each; those that are missing are 0, 0 and 1.
fn channels<const N: usize>(texel: &[u8], read: impl Fn(u32) -> f64) -> [f64; 4] {
    let mut all = [0.0, 0.0, 0.0, 1.0];
    texel.chunks(N).zip(&mut all).for_each(|(bytes, channel)| *channel = read(word(bytes)));
    all
}

fn half(bits: u32) -> f64 {
    f16::from_bits(bits as u16).to_f64()
}

fn nothing(_: &mut [u8]) {}

fn tame_halves(texel: &mut [u8]) {
    for bytes in texel.chunks_mut(2) {
        bytes[1] &= 0xbf;
        if bytes[1] & 0x7c == 0 {
            bytes.fill(0);
        }
    }
}

fn tame_floats(texel: &mut [u8]) {
    for bytes in texel.chunks_mut(4) {
        bytes[3] = bytes[3] & 0xbf | 0x20;
    }
}

fn tame_bytes(texel: &mut [u8]) {
    texel.iter_mut().filter(|byte| **byte == 0x80).for_each(|byte| *byte = 0x81);
}

/// Small floats without a sign keep the upper half of their exponents, but for the last: 1/2 to 4.
fn tame_small_floats(texel: &mut [u8]) {
    let bits = word(texel) & !(0x1f << 6 | 0x1f << 17 | 0x1f << 27);
    let exponent = 14 + (bits & 1);
    texel.copy_from_slice(&(bits | exponent << 6 | 15 << 17 | exponent << 27).to_le_bytes());
}

/// A float without a sign: 5 bits of exponent over `mantissa` bits.
fn small_float(bits: u32, mantissa: u32) -> f64 {
    let exponent = (bits >> mantissa & 0x1f) as i32 - 15;
    let one = f64::from(1 << mantissa);
    (1.0 + f64::from(bits & ((1 << mantissa) - 1)) / one) * f64::from(exponent).exp2()
}

/// The formats.
#[rustfmt::skip]
pub(crate) const FORMATS: [Format; 16] = [
    Format { vk: vk::Format::R8G8B8A8_UNORM, bytes: 4, kind: Kind::Float, tame: nothing,
        decode: |t| channels::<1>(t, |byte| f64::from(byte) / 255.0) },
    Format { vk: vk::Format::R8_UNORM, bytes: 1, kind: Kind::Float, tame: nothing,
        decode: |t| channels::<1>(t, |byte| f64::from(byte) / 255.0) },
    Format { vk: vk::Format::R8G8_UNORM, bytes: 2, kind: Kind::Float, tame: nothing,
        decode: |t| channels::<1>(t, |byte| f64::from(byte) / 255.0) },
    Format { vk: vk::Format::R8G8B8A8_SNORM, bytes: 4, kind: Kind::Float, tame: tame_bytes,
        decode: |t| channels::<1>(t, |byte| f64::from(byte as i8) / 127.0) },
    Format { vk: vk::Format::R16G16B16A16_UNORM, bytes: 8, kind: Kind::Float, tame: nothing,
        decode: |t| channels::<2>(t, |short| f64::from(short) / 65535.0) },
    Format { vk: vk::Format::R16_SFLOAT, bytes: 2, kind: Kind::Float, tame: tame_halves,
        decode: |t| channels::<2>(t, half) },
    Format { vk: vk::Format::R16G16B16A16_SFLOAT, bytes: 8, kind: Kind::Float, tame: tame_halves,
        decode: |t| channels::<2>(t, half) },
    Format { vk: vk::Format::R32_SFLOAT, bytes: 4, kind: Kind::Float, tame: tame_floats,
        decode: |t| channels::<4>(t, |bits| f32::from_bits(bits).into()) },
    Format { vk: vk::Format::R32G32B32A32_SFLOAT, bytes: 16, kind: Kind::Float, tame: tame_floats,
        decode: |t| channels::<4>(t, |bits| f32::from_bits(bits).into()) },
    Format { vk: vk::Format::A2B10G10R10_UNORM_PACK32, bytes: 4, kind: Kind::Float, tame: nothing,
        decode: |t| [0, 10, 20, 30].map(|at| {
            let most = if at == 30 { 3 } else { 1023 };
            f64::from(word(t) >> at & most) / f64::from(most)
        }) },
    Format { vk: vk::Format::B10G11R11_UFLOAT_PACK32, bytes: 4, kind: Kind::Float, tame: tame_small_floats,
        decode: |t| [small_float(word(t), 6), small_float(word(t) >> 11, 6), small_float(word(t) >> 22, 5), 1.0] },
    Format { vk: vk::Format::R8G8B8A8_UINT, bytes: 4, kind: Kind::Unsigned, tame: nothing,
        decode: |t| channels::<1>(t, f64::from) },
    Format { vk: vk::Format::R16G16_SINT, bytes: 4, kind: Kind::Signed, tame: nothing,
        decode: |t| channels::<2>(t, |short| f64::from(short as i16)) },
    Format { vk: vk::Format::R32_UINT, bytes: 4, kind: Kind::Unsigned, tame: nothing,
        decode: |t| channels::<4>(t, f64::from) },
    Format { vk: vk::Format::R32G32_UINT, bytes: 8, kind: Kind::Unsigned, tame: nothing,
        decode: |t| channels::<4>(t, f64::from) },
    Format { vk: vk::Format::R32G32B32A32_SINT, bytes: 16, kind: Kind::Signed, tame: nothing,
        decode: |t| channels::<4>(t, |bits| f64::from(bits as i32)) },
];

/// Returns a format of the list.
pub(crate) fn format(vk: vk::Format) -> &'static Format {
    FORMATS.iter().find(|format| format.vk == vk).expect("a format of the list")
}
