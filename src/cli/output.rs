//! Writes results to stdout and messages to stderr, and handles readers that go away.

use std::fmt::Display;
use std::io::{self, BufWriter, IsTerminal, StderrLock, StdoutLock, Write};

use crate::quote;

/// Buffered stdout. Errors are returned as `io::Error`; call `flush` at the end.
pub(super) fn stdout() -> BufWriter<StdoutLock<'static>> {
    BufWriter::with_capacity(1 << 16, io::stdout().lock())
}

/// Buffered stderr, for output of any length.
pub(super) fn stderr() -> BufWriter<StderrLock<'static>> {
    BufWriter::with_capacity(1 << 16, io::stderr().lock())
}

/// Writes a message to stderr: `gcnsim: error: ...`. Names in it may come from a file: what a terminal would obey is
/// escaped in every line. If stderr is closed, nobody can be told.
pub(super) fn message(kind: &str, text: impl Display) {
    let text = text.to_string();
    let lines: Vec<_> = text.split('\n').map(quote::text).collect();
    let _ = writeln!(io::stderr().lock(), "gcnsim: {kind}: {}", lines.join("\n"));
}

/// Writes a note to stderr.
pub(super) fn note(text: impl Display) {
    message("note", text);
}

/// Whether the reader of our output went away, which is no failure.
pub(super) fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let kind = |e: &(dyn std::error::Error + 'static)| e.downcast_ref::<io::Error>().map(io::Error::kind);
    error.chain().any(|cause| kind(cause) == Some(io::ErrorKind::BrokenPipe))
}

/// Colours for outcomes.
#[derive(Clone, Copy)]
pub(super) enum Colour {
    Green,
    Red,
}

/// Whether output to this stream may be coloured: it is a terminal, and `NO_COLOR` is not set.
pub(super) fn colours(stream: &impl IsTerminal) -> bool {
    stream.is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// The text in a colour.
pub(super) fn paint(text: &str, colour: Colour) -> String {
    let code = match colour {
        Colour::Green => 32,
        Colour::Red => 31,
    };
    format!("\x1b[{code}m{text}\x1b[0m")
}
