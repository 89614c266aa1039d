//! Writing lines in large pieces, but not so rarely that a killed batch loses much.

use std::io::{self, Write};
use std::time::{Duration, Instant};

const PIECE: usize = 256 << 10;
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
