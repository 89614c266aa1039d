//! BC6: three components of 16 bits.

use super::subsets::{Partition, Reader, between};

/// A mode of blocks.
struct Mode {
    /// The code of the mode, in the lowest two or five bits of a block.
    code: u32,
    /// Number of bits of an end point.
    width: u32,
    /// If the other end points are stored as differences from the first, the numbers of bits of these for r, g and b.
    differences: Option<[u32; 3]>,
    /// The fields of the block, from the low end on. A field is a component (r, g, b), an end point (w, x, y, z) and
    /// bits of it. In `9:0` the lowest bit comes first in the block, in `10:15` the highest.
    fields: &'static str,
}

const fn mode(code: u32, width: u32, differences: Option<[u32; 3]>, fields: &'static str) -> Mode {
    Mode { code, width, differences, fields }
}

const MODES: [Mode; 14] = [
    mode(
        0b00,
        10,
        Some([5, 5, 5]),
        "gy4 by4 bz4 rw9:0 gw9:0 bw9:0 rx4:0 gz4 gy3:0 gx4:0 bz0 gz3:0 bx4:0 bz1 by3:0 ry4:0 bz2 rz4:0 bz3",
    ),
    mode(
        0b01,
        7,
        Some([6, 6, 6]),
        "gy5 gz4 gz5 rw6:0 bz0 bz1 by4 gw6:0 by5 bz2 gy4 bw6:0 bz3 bz5 bz4 rx5:0 gy3:0 gx5:0 gz3:0 bx5:0 \
         by3:0 ry5:0 rz5:0",
    ),
    mode(
        0b00010,
        11,
        Some([5, 4, 4]),
        "rw9:0 gw9:0 bw9:0 rx4:0 rw10 gy3:0 gx3:0 gw10 bz0 gz3:0 bx3:0 bw10 bz1 by3:0 ry4:0 bz2 rz4:0 bz3",
    ),
    mode(
        0b00110,
        11,
        Some([4, 5, 4]),
        "rw9:0 gw9:0 bw9:0 rx3:0 rw10 gz4 gy3:0 gx4:0 gw10 gz3:0 bx3:0 bw10 bz1 by3:0 ry3:0 bz0 bz2 rz3:0 gy4 \
         bz3",
    ),
    mode(
        0b01010,
        11,
        Some([4, 4, 5]),
        "rw9:0 gw9:0 bw9:0 rx3:0 rw10 by4 gy3:0 gx3:0 gw10 bz0 gz3:0 bx4:0 bw10 by3:0 ry3:0 bz1 bz2 rz3:0 bz4 \
         bz3",
    ),
    mode(
        0b01110,
        9,
        Some([5, 5, 5]),
        "rw8:0 by4 gw8:0 gy4 bw8:0 bz4 rx4:0 gz4 gy3:0 gx4:0 bz0 gz3:0 bx4:0 bz1 by3:0 ry4:0 bz2 rz4:0 bz3",
    ),
    mode(
        0b10010,
        8,
        Some([6, 5, 5]),
        "rw7:0 gz4 by4 gw7:0 bz2 gy4 bw7:0 bz3 bz4 rx5:0 gy3:0 gx4:0 bz0 gz3:0 bx4:0 bz1 by3:0 ry5:0 rz5:0",
    ),
    mode(
        0b10110,
        8,
        Some([5, 6, 5]),
        "rw7:0 bz0 by4 gw7:0 gy5 gy4 bw7:0 gz5 bz4 rx4:0 gz4 gy3:0 gx5:0 gz3:0 bx4:0 bz1 by3:0 ry4:0 bz2 \
         rz4:0 bz3",
    ),
    mode(
        0b11010,
        8,
        Some([5, 5, 6]),
        "rw7:0 bz1 by4 gw7:0 by5 gy4 bw7:0 bz5 bz4 rx4:0 gz4 gy3:0 gx4:0 bz0 gz3:0 bx5:0 by3:0 ry4:0 bz2 \
         rz4:0 bz3",
    ),
    mode(
        0b11110,
        6,
        None,
        "rw5:0 gz4 bz0 bz1 by4 gw5:0 gy5 by5 bz2 gy4 bw5:0 gz5 bz3 bz5 bz4 rx5:0 gy3:0 gx5:0 gz3:0 bx5:0 \
         by3:0 ry5:0 rz5:0",
    ),
    mode(0b00011, 10, None, "rw9:0 gw9:0 bw9:0 rx9:0 gx9:0 bx9:0"),
    mode(0b00111, 11, Some([9, 9, 9]), "rw9:0 gw9:0 bw9:0 rx8:0 rw10 gx8:0 gw10 bx8:0 bw10"),
    mode(0b01011, 12, Some([8, 8, 8]), "rw9:0 gw9:0 bw9:0 rx7:0 rw10:11 gx7:0 gw10:11 bx7:0 bw10:11"),
    mode(0b01111, 16, Some([4, 4, 4]), "rw9:0 gw9:0 bw9:0 rx3:0 rw10:15 gx3:0 gw10:15 bx3:0 bw10:15"),
];

/// The components of texel `k` as binary16. Blocks of reserved modes are 0.
pub(super) fn texel(data: u128, is_signed: bool, k: usize) -> [u32; 3] {
    let low = data as u32;
    let code = if low & 3 < 2 { low & 3 } else { low & 31 };
    let Some(mode) = MODES.iter().find(|mode| mode.code == code) else { return [0; 3] };
    let mut reader = Reader(data >> if code < 2 { 2 } else { 5 });
    let mut points = read_fields(&mut reader, mode.fields);
    let count = if mode.fields.contains("ry") { 2 } else { 1 };
    let number = if count == 2 { reader.take(5) } else { 0 };
    let partition = Partition { count, number };
    let weight = partition.weight(&mut reader, if count == 2 { 3 } else { 4 }, k);
    let first = 2 * partition.subset(k);
    let mut texel = [0; 3];
    for (c, component) in texel.iter_mut().enumerate() {
        let of = &mut points[c];
        if let Some(bits) = mode.differences {
            (1..4).for_each(|end| of[end] = (of[0] + signed(of[end], bits[c])) & ((1 << mode.width) - 1));
        }
        let [a, b] = [of[first], of[first + 1]].map(|point| match is_signed {
            true => unquantized_signed(signed(point, mode.width), mode.width),
            false => unquantized(point, mode.width),
        });
        *component = finished(between(a, b, weight), is_signed);
    }
    texel
}

/// The end points of each component.
fn read_fields(reader: &mut Reader, fields: &str) -> [[i32; 4]; 3] {
    let mut points = [[0; 4]; 3];
    for field in fields.split_ascii_whitespace() {
        let [component, end, range @ ..] = field.as_bytes() else { continue };
        let (component, end) = (b"rgb".iter().position(|c| c == component), b"wxyz".iter().position(|e| e == end));
        let (Some(component), Some(end)) = (component, end) else { continue };
        let mut ends = range.split(|&byte| byte == b':').map(number);
        let last = ends.next().unwrap_or(0);
        let first = ends.next().unwrap_or(last);
        for step in 0..=first.abs_diff(last) {
            let bit = if first <= last { first + step } else { first - step };
            points[component][end] |= (reader.take(1) << bit) as i32;
        }
    }
    points
}

fn number(digits: &[u8]) -> u32 {
    digits.iter().fold(0, |number, digit| 10 * number + (digit - b'0') as u32)
}

/// The low `width` bits as a signed number.
fn signed(value: i32, width: u32) -> i32 {
    value << (32 - width) >> (32 - width)
}

/// An end point of `width` bits, widened to 16.
fn unquantized(value: i32, width: u32) -> i32 {
    match value {
        _ if width >= 15 => value,
        0 => 0,
        _ if value == (1 << width) - 1 => 0xffff,
        _ => ((value << 16) + 0x8000) >> width,
    }
}

/// A signed end point of `width` bits, widened to 16.
fn unquantized_signed(value: i32, width: u32) -> i32 {
    let magnitude = value.abs();
    let wide = match magnitude {
        _ if width >= 16 => magnitude,
        0 => 0,
        _ if magnitude >= (1 << (width - 1)) - 1 => 0x7fff,
        _ => ((magnitude << 15) + 0x4000) >> (width - 1),
    };
    if value < 0 { -wide } else { wide }
}

/// An interpolated number as binary16.
fn finished(value: i32, is_signed: bool) -> u32 {
    match is_signed {
        false => ((value * 31) >> 6) as u32,
        true if value < 0 => ((-value * 31) >> 5) as u32 | 0x8000,
        true => ((value * 31) >> 5) as u32,
    }
}
