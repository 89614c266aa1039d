//! Footprints: the texels that coordinates meet, and their weights (docs/gcn/sampling.md#coordinates). Coordinates are
//! in 1/256 of a texel, weights in 1/256 for each axis.

use gcnsim_isa::{Note, Notes};

/// The magnitude at which coordinates saturate, in texels.
const FAR: f64 = (1 << 23) as f64;

/// A coordinate in texels, rounded in two ways.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Place {
    /// The coordinate in 1/256 of a texel, rounded to the nearest, ties up.
    fixed: i64,
    /// The floor and the ceiling of the coordinate.
    cut: [i64; 2],
}

impl Place {
    /// The place of the exact coordinate `texels`. Notes that it is far away.
    pub fn new(texels: f64, notes: &mut Notes) -> Place {
        notes.insert_if(texels.abs() > FAR, Note::ImageCoordinate);
        let texels = texels.clamp(-FAR, FAR);
        // The product and the sum are exact where it matters: a binary32 times a size has 39 bits.
        let fixed = (texels * 256.0 + 0.5).floor() as i64;
        Place { fixed, cut: [texels.floor() as i64, texels.ceil() as i64] }
    }

    /// The place `by` 1/256 of a texel further on. Floor and ceiling move by whole texels only.
    pub fn moved(self, by: i64) -> Place {
        Place { fixed: self.fixed + by, cut: self.cut.map(|cut| cut + by.div_euclid(256)) }
    }

    /// The place of the distance from 0.
    fn absolute(self) -> Place {
        let [floor, ceiling] = self.cut;
        let cut = if floor < 0 { [-ceiling, -floor] } else { self.cut };
        Place { fixed: self.fixed.abs(), cut }
    }

    /// The nearest place from 0 to `n` texels.
    pub fn within(self, n: u32) -> Place {
        let n = n as i64;
        Place { fixed: self.fixed.clamp(0, 256 * n), cut: self.cut.map(|cut| cut.clamp(0, n)) }
    }
}

/// How an axis is sampled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Along {
    /// The texel that the coordinate lies in. With `true` it is found by the floor of the exact coordinate, otherwise
    /// by the coordinate rounded to 1/256.
    Point(bool),
    /// The two nearest texels.
    Linear,
}

/// The texels that a coordinate meets along an axis: two neighbours, or one texel twice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Pair {
    /// The indices of the texels.
    pub index: [i64; 2],
    /// The weight of the second texel in 1/256, 0 to 255; 0 if there is one texel.
    pub second: u32,
}

impl Pair {
    /// The texels of a coordinate.
    pub fn at(place: Place, along: Along) -> Pair {
        match along {
            Along::Point(is_cut) => {
                let index = if is_cut { place.cut[0] } else { place.fixed >> 8 };
                Pair { index: [index; 2], second: 0 }
            }
            Along::Linear => {
                let first = place.fixed - 128;
                let index = first >> 8;
                Pair { index: [index, index + 1], second: (first & 255) as u32 }
            }
        }
    }

    /// The weight of texel 0 or 1, in 1/256.
    pub fn weight(self, k: usize) -> u64 {
        (if k == 1 { self.second } else { 256 - self.second }) as u64
    }
}

/// The texels that a coordinate meets along an axis of `n` texels by a mode of CLAMP; `None` for one that is beyond the
/// border.
pub(super) fn clamped(place: Place, n: u32, clamp: u32, along: Along) -> (Pair, [Option<u32>; 2]) {
    let place = if matches!(clamp, 5 | 7) { place.absolute() } else { place };
    let place = if matches!(clamp, 4 | 5) { place.within(n) } else { place };
    let pair = Pair::at(place, along);
    (pair, pair.index.map(|index| wrapped(index, n, clamp)))
}

/// The texel with the index `index` by a mode of CLAMP; `None` if it is beyond the border.
fn wrapped(index: i64, n: u32, clamp: u32) -> Option<u32> {
    let n = n as i64;
    let mirrored = if index < 0 { -1 - index } else { index };
    let index = match clamp {
        0 => index.rem_euclid(n),
        1 => {
            let index = index.rem_euclid(2 * n);
            if index < n { index } else { 2 * n - 1 - index }
        }
        2 => index.clamp(0, n - 1),
        3 => mirrored.min(n - 1),
        5 | 7 => mirrored,
        _ => index,
    };
    (0..n).contains(&index).then_some(index as u32)
}

/// The faces of a cube. Each has three axes of the cube, with their signs: that through its middle, that along which
/// its s grows, and that along which its t grows.
const FACES: [[(usize, i64); 3]; 6] = [
    [(0, 1), (2, -1), (1, -1)],
    [(0, -1), (2, 1), (1, -1)],
    [(1, 1), (0, 1), (2, 1)],
    [(1, -1), (0, 1), (2, -1)],
    [(2, 1), (0, 1), (1, -1)],
    [(2, -1), (0, -1), (1, -1)],
];

/// The face and the texel at the indices `[x, y]` of a face with sides of `n` texels. The indices are at most one
/// beyond the edges; `None` if both are, because three faces meet at a corner.
pub(super) fn on_cube(face: u32, [x, y]: [i64; 2], n: u32) -> Option<(u32, [u32; 2])> {
    let n = n as i64;
    let [is_inside_x, is_inside_y] = [x, y].map(|index| (0..n).contains(&index));
    match (is_inside_x, is_inside_y) {
        (true, true) => return Some((face, [x as u32, y as u32])),
        (false, false) => return None,
        _ => {}
    }
    // The cube has sides of 2n, so that middles of texels have odd coordinates. `point` is the middle of the texel; a
    // coordinate beyond the edge is folded onto the face behind it.
    let [(across, side), along_s, along_t] = FACES[face as usize % 6];
    let mut point = [0; 3];
    point[across] = side * (n - 1);
    let mut over = across;
    for ((axis, sign), index) in [(along_s, x), (along_t, y)] {
        let distance = 2 * index + 1 - n;
        point[axis] = sign * distance.clamp(-n, n);
        if distance.abs() > n {
            over = axis;
        }
    }
    let behind = FACES.iter().position(|[(axis, sign), ..]| *axis == over && *sign == point[over].signum())?;
    let [_, along_s, along_t] = FACES[behind];
    let index = |(axis, sign): (usize, i64)| ((sign * point[axis] + n) / 2).clamp(0, n - 1) as u32;
    Some((behind as u32, [index(along_s), index(along_t)]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(texels: f64) -> Place {
        let mut notes = Notes::NONE;
        Place::new(texels, &mut notes)
    }

    #[test]
    fn coordinates_have_a_256th_of_a_texel() {
        // Ties go up.
        assert_eq!(Pair::at(place(2.5 + 0.5 / 256.0), Along::Linear), Pair { index: [2, 3], second: 1 });
        assert_eq!(Pair::at(place(2.25), Along::Linear), Pair { index: [1, 2], second: 192 });
        assert_eq!(Pair::at(place(3.0 - 0.5 / 256.0), Along::Point(false)).index[0], 3);
        assert_eq!(Pair::at(place(3.0 - 0.5 / 256.0), Along::Point(true)).index[0], 2);
        assert_eq!(Pair::at(place(-0.25), Along::Point(true)).index[0], -1);
    }

    #[test]
    fn modes_of_clamp() {
        let at = |t: f64, clamp| clamped(place(t), 4, clamp, Along::Point(false)).1[0];
        assert_eq!([-1.5, 5.5].map(|t| at(t, 0)), [Some(2), Some(1)]);
        assert_eq!([-1.5, 5.5, 8.5].map(|t| at(t, 1)), [Some(1), Some(2), Some(0)]);
        assert_eq!([-1.5, 5.5].map(|t| at(t, 2)), [Some(0), Some(3)]);
        assert_eq!([-1.5, 5.5, -7.5].map(|t| at(t, 3)), [Some(1), Some(3), Some(3)]);
        assert_eq!([-1.5, 5.5, 3.5].map(|t| at(t, 6)), [None, None, Some(3)]);
        assert_eq!([-1.5, 5.5].map(|t| at(t, 7)), [Some(1), None]);
        // Half of the border: t is 0, between texels -1 and 0.
        let (pair, texels) = clamped(place(-2.0), 4, 4, Along::Linear);
        assert_eq!((pair.second, texels), (128, [None, Some(0)]));
    }

    /// The expected neighbours were found with a cube of paper, by docs/gcn/sampling.md#cubes: +x has s = -z, t = -y.
    #[test]
    fn neighbours_on_a_cube() {
        let n = 4;
        assert_eq!(on_cube(0, [4, 1], n), Some((5, [0, 1])));
        assert_eq!(on_cube(0, [-1, 1], n), Some((4, [3, 1])));
        assert_eq!(on_cube(0, [1, -1], n), Some((2, [3, 2])));
        assert_eq!(on_cube(0, [1, 4], n), Some((3, [3, 1])));
        assert_eq!(on_cube(4, [2, -1], n), Some((2, [2, 3])));
        assert_eq!((on_cube(0, [-1, -1], n), on_cube(0, [2, 3], n)), (None, Some((0, [2, 3]))));
    }
}
