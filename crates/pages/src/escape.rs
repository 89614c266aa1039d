//! Texts from files, made harmless in the form that they go to.

use gcnsim_engine::quote;

/// Escapes `text` for XML and HTML, including attributes in double quotes. Control characters, and those
/// that turn text around, are replaced.
pub fn xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\t' | '\n' | '\r' => out.push(' '),
            '\0'..' ' | '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            c if !quote::is_printable(c) => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// Escapes the text of a cell in Markdown, so that nothing in a name can end the cell or begin markup.
pub fn markdown(cell: &str) -> String {
    let mut out = String::with_capacity(cell.len());
    for c in cell.chars() {
        match c {
            '\n' | '\r' => out.push(' '),
            '<' => out.push_str("&lt;"),
            '&' => out.push_str("&amp;"),
            '|' | '\\' | '`' | '*' | '_' | '[' | ']' => {
                out.push('\\');
                out.push(c);
            }
            c if quote::is_printable(c) => out.push(c),
            c => out.push_str(&quote::text(c.encode_utf8(&mut [0; 4]))),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_cannot_break_the_table() {
        assert_eq!(markdown("a|b_c<d>&\ne"), "a\\|b\\_c&lt;d>&amp; e");
        assert_eq!(markdown("\x1b[31m\u{202e}"), "\\u{1b}\\[31m\\u{202e}");
    }

    #[test]
    fn elements_cannot_be_broken() {
        assert_eq!(xml("\u{1}<&\">\n\u{202e}"), "\u{fffd}&lt;&amp;&quot;&gt; \u{fffd}");
    }
}
