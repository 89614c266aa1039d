//! Writing lines in large pieces, but not so rarely that a killed batch loses much.

use std::io::{self, IoSlice, Write};
use std::time::{Duration, Instant};

/// Pieces end at multiples of this many bytes: a system that keeps files in blocks of that size need not split and join any.
const BLOCK: usize = 64 << 10;
const DELAY: Duration = Duration::from_millis(200);

/// Collects lines and writes them through. Whole lines, if it is a while until the next ones.
pub(super) struct LineSink<'a> {
    out: &'a mut (dyn Write + Send),
    /// What has not been written, less than a block.
    rest: Vec<u8>,
    /// Bytes of the current block that have been written.
    at: usize,
    written: Instant,
}

impl<'a> LineSink<'a> {
    pub fn new(out: &'a mut (dyn Write + Send)) -> LineSink<'a> {
        LineSink { out, rest: Vec::with_capacity(BLOCK), at: 0, written: Instant::now() }
    }

    /// Takes whole lines.
    pub fn write(&mut self, lines: &[u8]) -> io::Result<()> {
        let total = self.rest.len() + lines.len();
        if self.written.elapsed() >= DELAY {
            return self.write_through(lines);
        }
        if self.at + total < BLOCK {
            self.rest.extend_from_slice(lines);
            return Ok(());
        }
        let (whole, behind) = lines.split_at(lines.len() - (self.at + total) % BLOCK);
        self.write_through(whole)?;
        self.rest.extend_from_slice(behind);
        Ok(())
    }

    /// Writes what is left.
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

    #[test]
    fn lines_arrive_whole_and_in_order() {
        let mut out = Vec::new();
        let mut sink = LineSink::new(&mut out);
        let line = |letter: u8, length: usize| [vec![letter; length], vec![b'\n']].concat();
        let lines = [line(b'a', 10), line(b'b', LARGE), line(b'c', 10), line(b'd', PIECE), line(b'e', 1)];
        lines.iter().for_each(|line| sink.write(line).unwrap());
        sink.flush().unwrap();
        drop(sink);
        assert!(out == lines.concat());
    }
}
