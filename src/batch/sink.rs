//! Writing lines in large pieces, but not so rarely that a killed batch loses much.

use std::io::{self, Write};
use std::time::{Duration, Instant};

const PIECE: usize = 256 << 10;
/// Lines that are as long as this together are not worth collecting.
const LARGE: usize = 64 << 10;
const DELAY: Duration = Duration::from_millis(200);

/// Collects lines and writes them through. Always whole lines, unless the process dies inside a write.
pub(super) struct LineSink<'a> {
    out: &'a mut dyn Write,
    buffer: Vec<u8>,
    written: Instant,
}

impl<'a> LineSink<'a> {
    pub fn new(out: &'a mut dyn Write) -> LineSink<'a> {
        LineSink { out, buffer: Vec::with_capacity(PIECE), written: Instant::now() }
    }

    /// Takes whole lines.
    pub fn write(&mut self, lines: &[u8]) -> io::Result<()> {
        if lines.len() >= LARGE {
            self.flush()?;
            self.out.write_all(lines)?;
            return self.out.flush();
        }
        self.buffer.extend_from_slice(lines);
        if self.buffer.len() >= PIECE || self.written.elapsed() >= DELAY { self.flush() } else { Ok(()) }
    }

    /// Writes what is left.
    pub fn flush(&mut self) -> io::Result<()> {
        self.written = Instant::now();
        let result = self.out.write_all(&self.buffer).and_then(|()| self.out.flush());
        self.buffer.clear();
        result
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
