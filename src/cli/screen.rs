//! The width of the terminal, and text that fits it.

use std::io::IsTerminal;

/// The mark for text that was cut off.
pub(super) const CUT: char = '…';

/// Number of columns of stdout, if it is a terminal.
pub(super) fn terminal_width() -> Option<usize> {
    let stdout = std::io::stdout();
    if !stdout.is_terminal() {
        return None;
    }
    #[cfg(unix)]
    if let Ok(size) = rustix::termios::tcgetwinsize(&stdout)
        && size.ws_col > 0
    {
        return Some(size.ws_col.into());
    }
    std::env::var("COLUMNS").ok()?.parse().ok()
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
