//! The width of the terminal, and text that fits it.

use std::io::IsTerminal;
#[cfg(unix)]
use std::os::fd::AsFd;

/// A stream that may have a width.
#[cfg(unix)]
pub(super) trait Stream: AsFd + IsTerminal {}
#[cfg(unix)]
impl<T: AsFd + IsTerminal> Stream for T {}
/// A stream that may have a width.
#[cfg(not(unix))]
pub(super) trait Stream: IsTerminal {}
#[cfg(not(unix))]
impl<T: IsTerminal> Stream for T {}

/// The character at the end of a text that was cut.
pub(super) const CUT: char = '…';
/// Smallest width that text is laid out for, in columns.
const LEAST: usize = 40;

/// Returns the width at which lines of stdout may be cut. `None` in a pipe or a file, where nothing is cut.
pub(super) fn terminal_width() -> Option<usize> {
    let stdout = std::io::stdout();
    if stdout.is_terminal() { width_of(&stdout) } else { None }
}

/// Returns the width for lines of `stream`: the variable `COLUMNS`, else the width of the terminal. `None` if the
/// variable is not set and the stream is no terminal: then lines are not broken.
pub(super) fn width_of(stream: &impl Stream) -> Option<usize> {
    let columns = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok()).filter(|&columns| columns > 0);
    columns.or_else(|| terminal_columns(stream)).map(|columns: usize| columns.max(LEAST))
}

#[cfg(unix)]
fn terminal_columns(stream: &impl Stream) -> Option<usize> {
    let size = if stream.is_terminal() { rustix::termios::tcgetwinsize(stream).ok()? } else { return None };
    Some(usize::from(size.ws_col)).filter(|&columns| columns > 0)
}

#[cfg(not(unix))]
fn terminal_columns(_: &impl Stream) -> Option<usize> {
    None
}

/// Returns `text` cut to at most `width` characters. A text that was cut ends with [`CUT`].
pub(super) fn fit(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    let mut cut: String = text.chars().take(width.saturating_sub(1)).collect();
    cut.push(CUT);
    cut
}

/// Returns `first` and `text` in lines that fit stdout if it is a terminal, or `COLUMNS`; in one line otherwise. Lines
/// are broken between words, and those after the first begin with `indent` spaces.
pub(super) fn wrapped(first: &str, indent: usize, text: &str) -> String {
    match width_of(&std::io::stdout()) {
        Some(width) => wrapped_at(width, first, indent, text),
        None => format!("{first}{text}"),
    }
}

/// Returns `first` and `text` in lines of at most `width` characters, as far as words are not longer.
pub(super) fn wrapped_at(width: usize, first: &str, indent: usize, text: &str) -> String {
    let (mut lines, mut line, mut is_empty) = (String::new(), first.to_owned(), true);
    for word in text.split(' ') {
        let length = line.chars().count() + word.chars().count() + usize::from(!is_empty);
        if length > width && !is_empty {
            lines.push_str(line.trim_end());
            lines.push('\n');
            (line, is_empty) = (" ".repeat(indent), true);
        }
        if !is_empty {
            line.push(' ');
        }
        line.push_str(word);
        is_empty = false;
    }
    lines + &line
}

/// Returns `text` cut or padded to exactly `width` characters.
#[cfg(feature = "jit")]
pub(super) fn pad(text: &str, width: usize) -> String {
    let fitting = fit(text, width);
    let missing = width.saturating_sub(fitting.chars().count());
    fitting + &" ".repeat(missing)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_text_is_cut_with_a_mark() {
        assert_eq!(fit("abcdef", 6), "abcdef");
        assert_eq!(fit("abcdef", 5), "abcd…");
        assert_eq!(fit("äöüß", 3), "äö…");
        #[cfg(feature = "jit")]
        assert_eq!(pad("ab", 4), "ab  ");
        assert_eq!(fit("ab", 0), "…");
    }
}
