//! Writes lines in large pieces, but often enough that a killed batch loses little.

use std::io::{self, IoSlice, Write};
use std::time::{Duration, Instant};

/// Size of a block in bytes. Pieces end at multiples of it, so that file systems with blocks of this size need not
/// split and join them.
const BLOCK: usize = 64 << 10;
const DELAY: Duration = Duration::from_millis(200);

/// Collects lines and writes them in pieces. The end of the last line may be missing from the output until the next
/// piece is written. When a line comes [`DELAY`] or more after the last piece, all lines so far are written. Nothing is
/// written while no lines come.
pub(crate) struct LineSink<'a> {
    out: &'a mut (dyn Write + Send),
    /// Bytes that have not been written yet; always less than a block.
    rest: Vec<u8>,
    /// Number of bytes of the current block that are written already.
    at: usize,
    written: Instant,
}

impl<'a> LineSink<'a> {
    pub fn new(out: &'a mut (dyn Write + Send)) -> LineSink<'a> {
        LineSink { out, rest: Vec::with_capacity(BLOCK), at: 0, written: Instant::now() }
    }

    /// Takes `lines`, which are whole.
    pub fn write(&mut self, lines: &[u8]) -> io::Result<()> {
        if self.written.elapsed() >= DELAY { self.write_through(lines) } else { self.write_in_blocks(lines) }
    }

    fn write_in_blocks(&mut self, lines: &[u8]) -> io::Result<()> {
        let total = self.rest.len() + lines.len();
        if self.at + total < BLOCK {
            self.rest.extend_from_slice(lines);
            return Ok(());
        }
        let (whole, behind) = lines.split_at(lines.len() - (self.at + total) % BLOCK);
        self.write_through(whole)?;
        self.rest.extend_from_slice(behind);
        Ok(())
    }

    /// Writes everything that has not been written.
    pub fn flush(&mut self) -> io::Result<()> {
        self.write_through(&[])
    }

    fn write_through(&mut self, lines: &[u8]) -> io::Result<()> {
        self.written = Instant::now();
        self.at = (self.at + self.rest.len() + lines.len()) % BLOCK;
        let mut pieces = &mut [IoSlice::new(&self.rest), IoSlice::new(lines)][..];
        IoSlice::advance_slices(&mut pieces, 0);
        while !pieces.is_empty() {
            match self.out.write_vectored(pieces) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(n) => IoSlice::advance_slices(&mut pieces, n),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        self.rest.clear();
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A writer for tests that keeps its input. `takes` returns how many bytes it takes of a piece of a given length.
    struct Pieces {
        bytes: Vec<u8>,
        given: Vec<usize>,
        takes: fn(usize) -> usize,
    }

    impl Pieces {
        fn new(takes: fn(usize) -> usize) -> Pieces {
            Pieces { bytes: Vec::new(), given: Vec::new(), takes }
        }
    }

    impl Write for Pieces {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.write_vectored(&[IoSlice::new(bytes)])
        }

        fn write_vectored(&mut self, pieces: &[IoSlice]) -> io::Result<usize> {
            let given: Vec<u8> = pieces.iter().flat_map(|piece| piece.iter().copied()).collect();
            self.given.push(given.len());
            if self.given.len().is_multiple_of(5) {
                return Err(io::ErrorKind::Interrupted.into());
            }
            let taken = (self.takes)(given.len());
            self.bytes.extend_from_slice(&given[..taken]);
            Ok(taken)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn lines() -> Vec<Vec<u8>> {
        let lengths = [10, BLOCK, 10, 3 * BLOCK, 1, BLOCK - 300, 200, 0, 2 * BLOCK + 7, BLOCK / 2, BLOCK / 2];
        let line = |(letter, length): (u8, usize)| [vec![letter; length], vec![b'\n']].concat();
        (b'a'..).zip(lengths).map(line).collect()
    }

    #[test]
    fn lines_arrive_whole_and_in_order() {
        let mut out = Pieces::new(|length| length.div_ceil(2));
        let mut sink = LineSink::new(&mut out);
        lines().iter().for_each(|line| sink.write(line).unwrap());
        sink.flush().unwrap();
        assert!(out.bytes == lines().concat());
    }

    #[test]
    fn pieces_end_at_blocks() {
        let mut out = Pieces::new(|length| length);
        let mut sink = LineSink::new(&mut out);
        let mut total = 0;
        for line in lines() {
            sink.write_in_blocks(&line).unwrap();
            total += line.len();
            assert!(total - sink.rest.len() == total / BLOCK * BLOCK);
        }
        sink.flush().unwrap();
        assert!(out.given.len() > 5 && out.bytes == lines().concat());
    }

    /// After a delay everything is written, so a slow batch that is killed loses little.
    #[test]
    fn slow_lines_do_not_wait() {
        let mut out = Vec::new();
        let mut sink = LineSink::new(&mut out);
        sink.write(b"first\n").unwrap();
        sink.written = Instant::now().checked_sub(DELAY).unwrap();
        sink.write(b"second\n").unwrap();
        sink.write(b"third\n").unwrap();
        drop(sink);
        assert_eq!(out, b"first\nsecond\n");
    }
}
