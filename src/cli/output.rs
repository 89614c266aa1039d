//! Writes results to stdout and messages to stderr, and handles readers that go away.

use std::fmt::Display;
use std::io::{self, BufWriter, IsTerminal, StderrLock, StdoutLock, Write};

use super::screen;
use gcnsim_engine::quote;

/// Output for people: control characters in it are escaped ([`quote::lines`]), because names and texts may come from a
/// file.
pub(super) struct People<W: Write> {
    out: BufWriter<W>,
    /// Whether it is output for programs, which get everything as it is.
    is_plain: bool,
}

impl<W: Write> Write for People<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let is_printable = |&byte: &u8| matches!(byte, b' '..=b'~' | b'\n' | b'\t');
        match self.is_plain || bytes.iter().all(is_printable) {
            true => self.out.write_all(bytes)?,
            false => self.out.write_all(quote::lines(&String::from_utf8_lossy(bytes)).as_bytes())?,
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Buffered stdout, for people. Errors are returned as `io::Error`; call `flush` at the end.
pub(super) fn stdout() -> People<StdoutLock<'static>> {
    stdout_for(false)
}

/// Buffered stdout, for programs if `programs` is set, else for people.
pub(super) fn stdout_for(programs: bool) -> People<StdoutLock<'static>> {
    People { out: BufWriter::with_capacity(1 << 16, io::stdout().lock()), is_plain: programs }
}

/// Buffered stderr, for output of any length.
pub(super) fn stderr() -> People<StderrLock<'static>> {
    People { out: BufWriter::with_capacity(1 << 16, io::stderr().lock()), is_plain: false }
}

/// Writes a report for people to stdout, its first line in a colour if stdout shows colours.
pub(super) fn report(text: &str, colour: Colour) -> io::Result<()> {
    let mut out = stdout_for(true);
    out.write_all(painted(text, colour, colours(&io::stdout())).as_bytes())?;
    out.flush()
}

/// Returns a report for people, its first line in a colour if `colours` is set. Control characters are escaped.
pub(super) fn painted(text: &str, colour: Colour, colours: bool) -> String {
    let text = quote::lines(text);
    match text.split_once('\n') {
        Some((first, rest)) if colours => format!("{}\n{rest}", paint(first, colour)),
        _ => text.into_owned(),
    }
}

/// Writes a message to stderr: `gcnsim: error: ...`. Control characters in it are escaped, because names
/// may come from a file. If stderr is closed, the message is lost.
pub(super) fn message(kind: &str, text: impl Display) {
    let text = format!("gcnsim: {kind}: {}", quote::lines(&text.to_string()));
    // A terminal would break lines inside words.
    let stderr = io::stderr();
    let width = if stderr.is_terminal() { screen::width_of(&stderr) } else { None };
    let text = match width {
        Some(width) => text.split('\n').map(|l| screen::wrapped_at(width, "", 2, l)).collect::<Vec<_>>().join("\n"),
        None => text,
    };
    let _ = writeln!(stderr.lock(), "{text}");
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
fn paint(text: &str, colour: Colour) -> String {
    let code = match colour {
        Colour::Green => 32,
        Colour::Red => 31,
    };
    format!("\x1b[{code}m{text}\x1b[0m")
}
