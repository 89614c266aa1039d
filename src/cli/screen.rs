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

/// The mark for text that was cut off.
pub(super) const CUT: char = '…';
/// Fewest columns that text is made for.
const LEAST: usize = 40;

/// Number of columns where lines may be cut: those of stdout, if it is a terminal. Nothing is cut in a pipe or a file.
pub(super) fn terminal_width() -> Option<usize> {
    let stdout = std::io::stdout();
    if stdout.is_terminal() { width_of(&stdout) } else { None }
}

/// Number of columns that lines of a stream are broken for: what `COLUMNS` says, else the width of the terminal. `None`
/// in a pipe or a file: a line is as long as it needs to be.
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

/// The text in at most `width` characters. A longer text is cut and gets a mark.
pub(super) fn fit(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    let mut cut: String = text.chars().take(width.saturating_sub(1)).collect();
    cut.push(CUT);
    cut
}

/// The text in exactly `width` characters.
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
