//! Footprints on the faces of a cube (docs/gcn/sampling.md#cubes).

use gcnsim_isa::{Note, Notes};

use super::axis::Position;

/// A face: axis and sign of its direction; along which axes, with which signs, its coordinates s and t run.
struct Face {
    direction: (usize, i64),
    axes: [(usize, i64); 2],
}

const fn face(direction: (usize, i64), s: (usize, i64), t: (usize, i64)) -> Face {
    Face { direction, axes: [s, t] }
}

/// +x, -x, +y, -y, +z, -z.
const FACES: [Face; 6] = [
    face((0, 1), (2, -1), (1, -1)),
    face((0, -1), (2, 1), (1, -1)),
    face((1, 1), (0, 1), (2, 1)),
    face((1, -1), (0, 1), (2, -1)),
    face((2, 1), (0, 1), (1, -1)),
    face((2, -1), (0, -1), (1, -1)),
];

/// A texel of a face.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct FaceTexel {
    pub face: u32,
    pub x: u32,
    pub y: u32,
}

/// Which texels a footprint has behind an edge.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Edge {
    /// The last ones of the face.
    Clamped,
    /// Those of the neighbouring face. A missing one behind a corner gives its weight to the other three.
    Seamless,
    /// The same, but with a missing one all are clamped. Texels of weight 0 count.
    SeamlessGather,
}

/// The texel at `x`, `y` of a face of `n` texels each way, which may lie behind an edge; `None` behind a corner.
fn texel(face: u32, x: i64, y: i64, n: i64) -> Option<FaceTexel> {
    let inside = |i: i64| (0..n).contains(&i);
    if inside(x) && inside(y) {
        return Some(FaceTexel { face, x: x as u32, y: y as u32 });
    }
    if !inside(x) && !inside(y) {
        return None;
    }
    let Face { direction: (major, sign), axes } = FACES[face as usize];
    // `point` is on the cube of side 2n around the origin. What lies behind the edge is folded over it.
    let mut point = [0; 3];
    for ((axis, direction), i) in axes.into_iter().zip([x, y]) {
        point[axis] = direction * (2 * i + 1 - n);
    }
    let over = axes[if inside(x) { 1 } else { 0 }].0;
    point[major] = sign * (2 * n - point[over].abs());
    let side = point[over].signum();
    let (other, found) = FACES.iter().enumerate().find(|(_, found)| found.direction == (over, side))?;
    let [x, y] = found.axes.map(|(axis, direction)| (direction * point[axis] + n).div_euclid(2).clamp(0, n - 1) as u32);
    Some(FaceTexel { face: other as u32, x, y })
}

/// The texels around a position, with weights in thirds of 1/65536.
pub(super) fn footprint(
    at: [Position; 2],
    is_linear: bool,
    face: u32,
    n: u32,
    edge: Edge,
    notes: &mut Notes,
) -> Vec<(FaceTexel, u64)> {
    let steps = |position: Position| match is_linear {
        true => position.pair().to_vec(),
        false => vec![(position.index(), 256)],
    };
    let [columns, rows] = at.map(steps);
    let all = rows.iter().flat_map(|&(y, wy)| columns.iter().map(move |&(x, wx)| (x, y, wx * wy)));
    let all: Vec<(i64, i64, u64)> = all.collect();
    let n = n as i64;
    if edge != Edge::Clamped {
        let counts = |weight: u64| weight > 0 || edge == Edge::SeamlessGather;
        let is_outside = |&(x, y, weight): &(i64, i64, u64)| counts(weight) && (x.min(y) < 0 || x.max(y) >= n);
        notes.insert_if(all.iter().any(is_outside), Note::CubeSeam);
        let found: Vec<_> = all.iter().map(|&(x, y, weight)| (texel(face, x, y, n), weight)).collect();
        let lost: u64 = found.iter().filter(|(texel, _)| texel.is_none()).map(|(_, weight)| weight).sum();
        let has_all = found.iter().all(|(texel, _)| texel.is_some());
        if has_all || edge == Edge::Seamless {
            let shared = |(texel, weight): (Option<FaceTexel>, u64)| Some((texel?, 3 * weight + lost));
            return found.into_iter().filter_map(shared).collect();
        }
    }
    let clamped = |i: i64| i.clamp(0, n - 1) as u32;
    all.into_iter().map(|(x, y, weight)| (FaceTexel { face, x: clamped(x), y: clamped(y) }, 3 * weight)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(face: u32, x: i64, y: i64) -> Option<(u32, u32, u32)> {
        texel(face, x, y, 4).map(|texel| (texel.face, texel.x, texel.y))
    }

    /// Neighbours by the directions of docs/gcn: s and t of +x are -z and -y, of -x z and -y, of +y x and z, of -y x
    /// and -z, of +z x and -y, of -z -x and -y.
    #[test]
    fn neighbours() {
        // Right of +z is +x, at its left edge; the row stays.
        assert_eq!(at(4, 4, 1), Some((0, 0, 1)));
        assert_eq!(at(4, -1, 1), Some((1, 3, 1)));
        // Above +z (t = -1, y = +1) is +y, whose t is z: its last row.
        assert_eq!(at(4, 2, -1), Some((2, 2, 3)));
        assert_eq!(at(4, 2, 4), Some((3, 2, 0)));
        // Above +x is the right column of +y; s of +x is -z, so that the order is reversed.
        assert_eq!(at(0, 1, -1), Some((2, 3, 2)));
        // Right of -z is -x.
        assert_eq!(at(5, 4, 3), Some((1, 0, 3)));
        // Above -y (t = -1, z = +1) is +z.
        assert_eq!(at(3, 0, -1), Some((4, 0, 3)));
        assert_eq!((at(2, -1, -1), at(2, 3, 0)), (None, Some((2, 3, 0))));
    }

    /// Each edge is one edge of another face: going over and back is the same texel.
    #[test]
    fn over_and_back() {
        for face in 0..6 {
            for i in 0..4 {
                for (x, y) in [(-1, i), (4, i), (i, -1), (i, 4)] {
                    let (other, u, v) = at(face, x, y).unwrap();
                    let (inner_x, inner_y) = (x.clamp(0, 3) as u32, y.clamp(0, 3) as u32);
                    let around = [(-1, v as i64), (4, v as i64), (u as i64, -1), (u as i64, 4)];
                    let back = around.iter().filter(|(x, y)| at(other, *x, *y) == Some((face, inner_x, inner_y)));
                    assert_eq!(back.count(), 1, "{face} {x} {y}");
                }
            }
        }
    }

    #[test]
    fn a_missing_corner() {
        let mut notes = Notes::NONE;
        let corner = [Position(0), Position(0)];
        let found = footprint(corner, true, 4, 4, Edge::Seamless, &mut notes);
        assert_eq!(found.iter().map(|(texel, _)| texel.face).collect::<Vec<_>>(), [2, 1, 4]);
        assert!(found.iter().all(|(_, weight)| *weight == 65536) && notes.contains(Note::CubeSeam));
        let found = footprint(corner, true, 4, 4, Edge::SeamlessGather, &mut Notes::NONE.or(notes));
        assert!(found.len() == 4 && found.iter().all(|(texel, _)| *texel == FaceTexel { face: 4, x: 0, y: 0 }));
    }
}
