//! Decides where in a cache line code begins.
//!
//! Cranelift does not align loops. A short loop that touches one more line of host code than necessary can take a third
//! more time. So all code of a region is moved by some bytes to where its innermost loops touch few lines.

use std::ops::Range;

use cranelift_codegen::CompiledCode;

/// Number of bytes in a line of host code, as processors fetch it.
pub const LINE: usize = 64;
/// Largest number of innermost loops for which code is moved. With more of them, one distance hardly suits all.
const MOST_LOOPS: usize = 16;

/// Number of bytes by which to move code from the start of a line. It is a multiple of the code's own alignment.
pub fn padding(code: &CompiledCode) -> usize {
    let step = (code.buffer.alignment as usize).max(4);
    best(&innermost(code), step)
}

/// The multiple of `step` that makes `loops` touch the fewest lines in all when they are moved by it.
fn best(loops: &[Range<usize>], step: usize) -> usize {
    let lines = |padding: usize| -> usize {
        let lines = |l: &Range<usize>| (l.end + padding).div_ceil(LINE) - (l.start + padding) / LINE;
        loops.iter().map(lines).sum()
    };
    // `min_by_key` takes the first of equal ones, which is the least padding.
    if loops.is_empty() { 0 } else { (0..LINE).step_by(step).min_by_key(|&padding| lines(padding)).unwrap_or(0) }
}

/// Loops that contain no other loop; empty if there are too many.
fn innermost(code: &CompiledCode) -> Vec<Range<usize>> {
    let starts = &code.bb_starts;
    let block_end = |start: u32| match starts.partition_point(|&s| s <= start) {
        next if next < starts.len() => starts[next] as usize,
        _ => code.code_buffer().len(),
    };
    let backward = code.bb_edges.iter().filter(|(from, to)| to <= from);
    let mut loops: Vec<_> = backward.map(|&(from, to)| to as usize..block_end(from)).collect();
    // Among loops with the same start the shortest comes first.
    loops.sort_by_key(|l| (std::cmp::Reverse(l.start), l.end));
    let mut inner: Vec<Range<usize>> = Vec::new();
    for l in loops {
        // All loops that start later are in the list. One that ends within this loop lies in it.
        if !inner.iter().rev().take(MOST_LOOPS).any(|other| other.end <= l.end) {
            inner.push(l);
        }
        if inner.len() > MOST_LOOPS {
            return Vec::new();
        }
    }
    inner
}

#[cfg(test)]
mod tests {
    use std::slice::from_ref;

    use super::*;

    #[test]
    fn a_loop_is_moved_to_fewer_lines() {
        // 0x36..0xa5 touches three lines; from 0x76 on it touches two.
        assert_eq!(best(from_ref(&(0x36..0xa5)), 16), 16);
        assert_eq!(best(from_ref(&(0..64)), 16), 0);
        assert_eq!(best(&[40..60, 100..128], 4), 0);
        assert_eq!(best(&[60..70, 124..134], 4), 4);
        assert_eq!(best(&[], 16), 0);
    }
}
