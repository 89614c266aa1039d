//! LDS of a group.
#![allow(unsafe_code)]

use std::fmt;
use std::ops::{Deref, DerefMut};
use std::slice;

/// A line of the host's cache.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Line([u8; 64]);

/// Bytes of LDS. They begin at a line of the host's cache, so that a row of lanes lies in as few lines as it can.
#[derive(Clone, Default)]
pub struct Lds {
    lines: Vec<Line>,
    len: usize,
}

impl Lds {
    /// `len` zeros.
    pub fn zeroed(len: usize) -> Lds {
        Lds { lines: vec![Line([0; 64]); len.div_ceil(64)], len }
    }
}

impl Deref for Lds {
    type Target = [u8];

    #[inline(always)]
    fn deref(&self) -> &[u8] {
        // SAFETY: the lines have `len` bytes or more, all of them initialised. Their number never changes.
        unsafe { slice::from_raw_parts(self.lines.as_ptr().cast(), self.len) }
    }
}

impl DerefMut for Lds {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [u8] {
        // SAFETY: as above.
        unsafe { slice::from_raw_parts_mut(self.lines.as_mut_ptr().cast(), self.len) }
    }
}

impl From<Vec<u8>> for Lds {
    fn from(bytes: Vec<u8>) -> Lds {
        let mut lds = Lds::zeroed(bytes.len());
        lds.copy_from_slice(&bytes);
        lds
    }
}

impl FromIterator<u8> for Lds {
    fn from_iter<I: IntoIterator<Item = u8>>(bytes: I) -> Lds {
        bytes.into_iter().collect::<Vec<u8>>().into()
    }
}

impl PartialEq for Lds {
    fn eq(&self, other: &Lds) -> bool {
        **self == **other
    }
}

impl Eq for Lds {}

impl fmt::Debug for Lds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_begin_at_a_line_of_the_cache() {
        for len in [0, 1, 63, 64, 65, 4096] {
            let bytes: Vec<u8> = (0..len).map(|at| at as u8).collect();
            let lds: Lds = bytes.iter().copied().collect();
            assert_eq!((&lds[..], lds.as_ptr() as usize % 64), (&bytes[..], 0));
            assert_eq!((&Lds::from(bytes.clone()), &lds.clone()), (&lds, &lds));
        }
    }

    #[test]
    fn zeros_are_written_in_place() {
        let mut lds = Lds::zeroed(70);
        lds[69] = 7;
        assert_eq!((lds.iter().map(|&byte| u32::from(byte)).sum::<u32>(), lds.len()), (7, 70));
        assert!(lds != Lds::zeroed(70));
    }
}
