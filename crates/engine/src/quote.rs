//! Names and text out of files for terminals: names are quoted as GNU `ls` does.
//!
//! A name may hold anything but `/` and NUL: line breaks, escape codes that move the cursor or change colours, bytes
//! that are not UTF-8. [`name`] writes it so that a terminal shows one line and a shell reads the name back (`ls
//! --quoting-style=shell-escape`). Files for programs (JSON, XML, lists) have the plain names.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::path::Path;

/// Quotes a file name, or another name from outside such as a kernel's. A plain name stays as it is. Other names are
/// put in quotation marks, and unprintable characters become `$'\n'` or `$'\033'`.
///
/// Characters that change the direction of text are escaped too. `ls` does not do that.
pub fn name<N: AsRef<[u8]> + ?Sized>(name: &N) -> Cow<'_, str> {
    let bytes = name.as_ref();
    match std::str::from_utf8(bytes) {
        Ok(text) if is_plain(text) => Cow::Borrowed(text),
        Ok(text) if text.contains('\'') && text.chars().enumerate().all(fits_double_quotes) => {
            Cow::Owned(format!("\"{text}\""))
        }
        _ => Cow::Owned(quoted(bytes)),
    }
}

/// Returns `path`, quoted by [`name`].
pub fn path(path: &Path) -> String {
    name(path.as_os_str().as_encoded_bytes()).into_owned()
}

/// Returns `words` with unprintable characters replaced by escapes (`\n`, `\x1b`). No quotation marks are added.
pub fn text(words: &str) -> Cow<'_, str> {
    if words.chars().all(is_printable) {
        return Cow::Borrowed(words);
    }
    let mut out = String::with_capacity(words.len() + 8);
    for c in words.chars() {
        match c {
            c if is_printable(c) => out.push(c),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            // Writing to a String cannot fail.
            c => drop(write!(out, "\\u{{{:x}}}", c as u32)),
        }
    }
    Cow::Owned(out)
}

/// Returns `words` with unprintable characters but line breaks and tabs replaced by escapes, as [`text`] writes them.
pub fn lines(words: &str) -> Cow<'_, str> {
    let is_kept = |c| is_printable(c) || c == '\n' || c == '\t';
    if words.chars().all(is_kept) {
        return Cow::Borrowed(words);
    }
    let mut out = String::with_capacity(words.len() + 8);
    let mut rest = words;
    while let Some(at) = rest.find(|c| !is_kept(c)) {
        let end = at + rest[at..].chars().next().map_or(0, char::len_utf8);
        out += &rest[..at];
        out += &text(&rest[at..end]);
        rest = &rest[end..];
    }
    out += rest;
    Cow::Owned(out)
}

/// Returns `text` as a JSON string in which everything unprintable is escaped, so that a terminal shows it on one line.
pub fn json_string(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    for c in serde_json::Value::from(text).to_string().chars() {
        match c {
            c if is_printable(c) => out.push(c),
            // A character outside ASCII that is not printable has a code point of at most four hex digits. Writing to a
            // String cannot fail.
            c => drop(write!(out, "\\u{:04x}", c as u32)),
        }
    }
    out
}

/// Whether a terminal shows `c` as one character, without moving the cursor or turning text around.
pub fn is_printable(c: char) -> bool {
    let ends_line = matches!(c, '\u{2028}' | '\u{2029}');
    let turns_text =
        matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    !c.is_control() && !ends_line && !turns_text
}

/// Whether a shell reads `text` as one word without quotation marks.
fn is_plain(text: &str) -> bool {
    // `#` and `~` are special only as the first character. (Braces are special only as the whole name; that is checked
    // below.)
    let special = |(at, c): (usize, char)| match c {
        '#' | '~' => at == 0,
        c => " !\"$&'()*;<=>?[\\^`|".contains(c) || !is_printable(c),
    };
    !text.is_empty() && text != "{" && text != "}" && !text.chars().enumerate().any(special)
}

/// Whether the character `c` at index `at` stands for itself between double quotation marks, in shells and in C.
fn fits_double_quotes((at, c): (usize, char)) -> bool {
    match c {
        '#' | '~' => at == 0,
        c if c.is_ascii() => c.is_ascii_alphanumeric() || " '%+,-./:@]_".contains(c),
        c => is_printable(c),
    }
}

fn quoted(bytes: &[u8]) -> String {
    let mut out = String::from("'");
    // `in_escape` says whether the output so far ends inside `$'...'`, where backslashes are escapes.
    let mut in_escape = false;
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '\'' => {
                    out.push_str("'\\''");
                    in_escape = false;
                }
                c if is_printable(c) => {
                    if std::mem::take(&mut in_escape) {
                        out.push_str("''");
                    }
                    out.push(c);
                }
                c => escape(c.encode_utf8(&mut [0; 4]).as_bytes(), &mut in_escape, &mut out),
            }
        }
        escape(chunk.invalid(), &mut in_escape, &mut out);
    }
    out.push('\'');
    out
}

fn escape(bytes: &[u8], in_escape: &mut bool, out: &mut String) {
    for &byte in bytes {
        if !std::mem::replace(in_escape, true) {
            out.push_str("'$'");
        }
        let letter = match byte {
            0x07 => 'a',
            0x08 => 'b',
            b'\t' => 't',
            b'\n' => 'n',
            0x0b => 'v',
            0x0c => 'f',
            b'\r' => 'r',
            byte => {
                // Writing to a String cannot fail.
                let _ = write!(out, "\\{byte:03o}");
                continue;
            }
        };
        out.extend(['\\', letter]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The output of `ls --quoting-style=shell-escape -d` of GNU coreutils 9.1 for files of these names.
    const LS: &[(&[u8], &str)] = &[
        (b"plain.bin", "plain.bin"),
        (b"a b", "'a b'"),
        (b"it's", "\"it's\""),
        (b"it's \"x\"", r#"'it'\''s "x"'"#),
        (b"a\nb", r"'a'$'\n''b'"),
        (b"\x1b[31mred", r"''$'\033''[31mred'"),
        (b"tab\there", r"'tab'$'\t''here'"),
        (b"a\\b", r"'a\b'"),
        (b"$x", "'$x'"),
        (b"#x", "'#x'"),
        (b"x#", "x#"),
        (b"~x", "'~x'"),
        (b"x~", "x~"),
        (b"{", "'{'"),
        (b"{}", "{}"),
        (b"a{b}", "a{b}"),
        (b"}", "'}'"),
        (b"a=b", "'a=b'"),
        (b"a^b", "'a^b'"),
        (b"a!b", "'a!b'"),
        (b"a%b", "a%b"),
        (b"a,b", "a,b"),
        (b"a:b", "a:b"),
        (b"a@b", "a@b"),
        (b"a[b", "'a[b'"),
        (b"a]b", "a]b"),
        (b"a?b", "'a?b'"),
        (b"a*b", "'a*b'"),
        (b"a|b", "'a|b'"),
        (b"a&b", "'a&b'"),
        (b"a;b", "'a;b'"),
        (b"a(b", "'a(b'"),
        (b"a<b", "'a<b'"),
        (b"a>b", "'a>b'"),
        (b"a`b", "'a`b'"),
        (b"-x", "-x"),
        (b"+x", "+x"),
        ("hä".as_bytes(), "hä"),
        (b"\xff\xfe", r"''$'\377\376'"),
        (b"a\xffb", r"'a'$'\377''b'"),
        (b"\xc2\x9bx", r"''$'\302\233''x'"),
        (b"\x7f", r"''$'\177'"),
        (b"it's\nx", r"'it'\''s'$'\n''x'"),
        (b"\n", r"''$'\n'"),
        (b"\x01\x02", r"''$'\001\002'"),
        (b"'", "\"'\""),
        (b"\"", "'\"'"),
        (b"a'\x1bb'c", r"'a'\'''$'\033''b'\''c'"),
        ("\u{2028}".as_bytes(), r"''$'\342\200\250'"),
        (b"\x07\x08\x0b\x0c\r", r"''$'\a\b\v\f\r'"),
        ("e\u{301}\u{200b}\u{a0}".as_bytes(), "e\u{301}\u{200b}\u{a0}"),
        (b"a\n'b", r"'a'$'\n'\''b'"),
        (b"it's$x", r"'it'\''s$x'"),
        (b"it's!", r"'it'\''s!'"),
        (b"it's\\", r"'it'\''s\'"),
    ];

    #[test]
    fn names_are_quoted_as_ls_does() {
        for &(bytes, expected) in LS {
            assert_eq!(name(bytes), expected, "{bytes:?}");
        }
        assert_eq!(name(""), "''");
    }

    #[test]
    fn text_cannot_be_turned_around() {
        assert_eq!(name("a\u{202e}nib.b"), r"'a'$'\342\200\256''nib.b'");
    }

    #[test]
    fn json_strings_lead_back() {
        let name = "a \"b\"\n\x1b[2J\u{7f}\u{85}\u{202e}\u{2028}\\ é";
        let shown = json_string(name);
        assert_eq!(serde_json::from_str::<String>(&shown).unwrap(), name);
        assert!(shown.chars().all(is_printable), "{shown}");
    }

    #[test]
    fn words_stay_words() {
        assert_eq!(lines("a\tb\r\n\x1b[31m\u{9b}2Jc\u{202e}\n"), "a\tb\\r\n\\u{1b}[31m\\u{9b}2Jc\\u{202e}\n");
        assert_eq!(lines("a\nb"), "a\nb");
        assert_eq!(text("no such file: it's \"a b\""), "no such file: it's \"a b\"");
        assert_eq!(text("a\n\x1b[0m\u{202e}"), "a\\n\\u{1b}[0m\\u{202e}");
    }
}
