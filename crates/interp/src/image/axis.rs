//! The texels that a coordinate meets along an axis (docs/gcn/sampling.md#coordinates).

use gcnsim_isa::{Note, Notes};

/// Texels at which coordinates saturate.
const FAR: f64 = 8_388_608.0;

/// A coordinate in units of 1/512 of a texel. Rounded ones are even; an odd one lies between two multiples of 1/256.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Position(pub i64);

/// Units of a texel.
pub(super) const TEXEL: i64 = 512;

/// A texel along an axis, `None` beyond the border, and its weight in 1/256.
pub(super) type Step<T = Option<u32>> = (T, u64);

/// How an axis is sampled.
#[derive(Clone, Copy, Debug)]
pub(super) struct Axis {
    /// Texels.
    pub size: u32,
    /// CLAMP.
    pub mode: u32,
    pub is_linear: bool,
    /// TRUNC_COORD, which counts for points.
    pub truncates: bool,
}

impl Position {
    /// Of a coordinate in texels, rounded to 1/256, ties up, or not, and an offset in units.
    pub fn new(t: f64, offset: i64, is_rounded: bool, notes: &mut Notes) -> Position {
        notes.insert_if(t.abs() > FAR, Note::ImageCoordinate);
        let scaled = t.clamp(-FAR, FAR) * 256.0;
        let units = match is_rounded {
            true => 2 * (scaled + 0.5).floor() as i64,
            false => 2 * scaled.floor() as i64 + (scaled.floor() != scaled) as i64,
        };
        Position(units + offset)
    }

    /// The texel.
    pub fn index(self) -> i64 {
        self.0.div_euclid(TEXEL)
    }

    /// The two texels around a rounded position, with weights in 1/256.
    pub fn pair(self) -> [Step<i64>; 2] {
        let from_centre = (self.0 - TEXEL / 2).div_euclid(2);
        let (first, weight) = (from_centre.div_euclid(256), from_centre.rem_euclid(256) as u64);
        [(first, 256 - weight), (first + 1, weight)]
    }
}

impl Axis {
    /// The texels around a coordinate in texels and an offset in units.
    pub fn steps(&self, t: f64, offset: i64, notes: &mut Notes) -> Vec<Step> {
        let is_rounded = self.is_linear || !self.truncates;
        let Position(mut units) = Position::new(t, offset, is_rounded, notes);
        if matches!(self.mode, 5 | 7) {
            units = units.abs();
        }
        if matches!(self.mode, 4 | 5) {
            units = units.clamp(0, TEXEL * self.size as i64);
        }
        let position = Position(units);
        match self.is_linear {
            true => position.pair().map(|(i, weight)| (self.texel(i), weight)).to_vec(),
            false => vec![(self.texel(position.index()), 256)],
        }
    }

    /// The texel with an index after CLAMP; `None` beyond the border.
    fn texel(&self, i: i64) -> Option<u32> {
        let n = self.size as i64;
        let mirrored = if i < 0 { -1 - i } else { i };
        let i = match self.mode {
            0 => i.rem_euclid(n),
            1 => {
                let i = i.rem_euclid(2 * n);
                if i < n { i } else { 2 * n - 1 - i }
            }
            2 => i.clamp(0, n - 1),
            3 => mirrored.min(n - 1),
            5 | 7 => mirrored,
            _ => i,
        };
        (0..n).contains(&i).then_some(i as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(mode: u32, is_linear: bool) -> Axis {
        Axis { size: 4, mode, is_linear, truncates: false }
    }

    fn texels(mode: u32, indices: impl IntoIterator<Item = i64>) -> Vec<Option<u32>> {
        indices.into_iter().map(|i| axis(mode, false).texel(i)).collect()
    }

    #[test]
    fn clamp_modes() {
        let of = |text: &str| -> Vec<Option<u32>> { text.chars().map(|c| c.to_digit(10)).collect() };
        assert_eq!(texels(0, -5..=5), of("30123012301"));
        assert_eq!(texels(1, -5..=5), of("33210012332"));
        assert_eq!(texels(2, -5..=5), of("00000012333"));
        assert_eq!(texels(3, -5..=5), of("33210012333"));
        assert_eq!(texels(6, -5..=5), of("-----0123--"));
        assert_eq!(texels(7, -5..=5), of("-32100123--"));
    }

    #[test]
    fn weights() {
        let mut notes = Notes::NONE;
        let steps = |mode, is_linear, t, notes: &mut Notes| axis(mode, is_linear).steps(t, 0, notes);
        assert_eq!(steps(2, true, 1.75, &mut notes), [(Some(1), 192), (Some(2), 64)]);
        assert_eq!(steps(2, true, 0.25, &mut notes), [(Some(0), 64), (Some(0), 192)]);
        // CLAMP 4 reaches half a texel into the border.
        assert_eq!(steps(4, true, -3.0, &mut notes), [(None, 128), (Some(0), 128)]);
        assert_eq!(steps(4, true, 9.0, &mut notes), [(Some(3), 128), (None, 128)]);
        assert_eq!(steps(6, true, -3.0, &mut notes), [(None, 128), (None, 128)]);
        assert_eq!(steps(6, false, 3.99, &mut notes), [(Some(3), 256)]);
        // 2 - 1/512 is a tie, which goes up.
        assert_eq!(steps(2, false, 2.0 - 1.0 / 512.0, &mut notes), [(Some(2), 256)]);
        assert_eq!(notes, Notes::NONE);
        assert_eq!(steps(0, false, 1e30, &mut notes), [(Some(0), 256)]);
        assert!(notes.contains(Note::ImageCoordinate));
    }

    #[test]
    fn truncation() {
        let mut notes = Notes::NONE;
        let truncating = |mode| Axis { truncates: true, ..axis(mode, false) };
        assert_eq!(truncating(2).steps(2.0 - 1.0 / 512.0, 0, &mut notes), [(Some(1), 256)]);
        // Just above -1: the mirrored coordinate is just below 1.
        assert_eq!(truncating(7).steps(-1.0 + 1e-12, 0, &mut notes), [(Some(0), 256)]);
        assert_eq!(truncating(7).steps(-1.0, 0, &mut notes), [(Some(1), 256)]);
        assert_eq!(truncating(2).steps(1e-30, TEXEL, &mut notes), [(Some(1), 256)]);
        assert_eq!(truncating(2).steps(-1e-30, TEXEL, &mut notes), [(Some(0), 256)]);
    }
}
