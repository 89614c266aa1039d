//! Writing: results to stdout, messages to stderr, and what happens when nobody reads them.

use std::fmt::Display;
use std::io::{self, BufWriter, IsTerminal, StderrLock, StdoutLock, Write};

/// Stdout, buffered. Errors surface as `io::Error`; call `flush` at the end.
pub(super) fn stdout() -> BufWriter<StdoutLock<'static>> {
    BufWriter::with_capacity(1 << 16, io::stdout().lock())
}

/// Stderr, buffered, for output of any length.
pub(super) fn stderr() -> BufWriter<StderrLock<'static>> {
    BufWriter::with_capacity(1 << 16, io::stderr().lock())
}

/// A number of things: `1 file`, `2 files`.
pub(super) fn plural(n: u64, thing: &str) -> String {
    format!("{n} {thing}{}", if n == 1 { "" } else { "s" })
}

/// A message on stderr: `gcnsim: error: ...`. If stderr is closed there is nobody to tell.
pub(super) fn message(kind: &str, text: impl Display) {
    let _ = writeln!(io::stderr().lock(), "gcnsim: {kind}: {text}");
}

/// A note on stderr.
pub(super) fn note(text: impl Display) {
    message("note", text);
}

/// Did the reader of our output go away? That is no failure.
pub(super) fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let kind = |e: &(dyn std::error::Error + 'static)| e.downcast_ref::<io::Error>().map(io::Error::kind);
    error.chain().any(|cause| kind(cause) == Some(io::ErrorKind::BrokenPipe))
}

/// Colours of outcomes.
#[derive(Clone, Copy)]
pub(super) enum Colour {
    Green,
    Red,
}

/// May output to this terminal be coloured? Not if it is none, and not if `NO_COLOR` is set.
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
