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

/// Writes a message to stderr: `gcnsim: error: ...`. Control characters in it are escaped line by line, because names
/// may come from a file. If stderr is closed, the message is lost.
pub(super) fn message(kind: &str, text: impl Display) {
    let text = text.to_string();
    let lines: Vec<_> = text.split('\n').map(quote::text).collect();
    let _ = writeln!(io::stderr().lock(), "gcnsim: {kind}: {}", lines.join("\n"));
}

/// Writes a note to stderr.
pub(super) fn note(text: impl Display) {
    message("note", text);
}

/// Whether `error` says that the reader of our output went away. That is no failure.
pub(super) fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        let kind = cause.downcast_ref::<io::Error>().map(io::Error::kind);
        // serde_json does not name the error of the writer as its source.
        let of_json = cause.downcast_ref::<serde_json::Error>().and_then(serde_json::Error::io_error_kind);
        kind.or(of_json) == Some(io::ErrorKind::BrokenPipe)
    })
}

/// Colours of outcomes.
#[derive(Clone, Copy)]
pub(super) enum Colour {
    Green,
    Red,
}

/// Whether output to `stream` may be coloured: it is a terminal, and `NO_COLOR` is not set.
pub(super) fn colours(stream: &impl IsTerminal) -> bool {
    stream.is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// Returns `text` in a colour, with the escape sequences of a terminal.
pub(super) fn paint(text: &str, colour: Colour) -> String {
    let code = match colour {
        Colour::Green => 32,
        Colour::Red => 31,
    };
    format!("\x1b[{code}m{text}\x1b[0m")
}
