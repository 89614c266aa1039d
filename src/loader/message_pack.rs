//! Reads MessagePack into the values that both kinds of metadata share.
//!
//! Metadata has maps, lists, strings, integers and booleans. Other values become empty strings.

use std::borrow::Cow;

use rmpv::ValueRef;

use super::metadata::Node;

/// The first value of a note. Strings are not copied.
///
/// # Errors
/// The byte offset, and what is wrong there.
pub(super) fn parse(note: &[u8]) -> Result<Node<'_>, (usize, String)> {
    let mut rest = note;
    match rmpv::decode::read_value_ref(&mut rest) {
        Ok(value) => Ok(node(value)),
        Err(error) => Err((note.len() - rest.len(), format!("bad MessagePack metadata ({error})"))),
    }
}

fn node(value: ValueRef<'_>) -> Node<'_> {
    match value {
        // Pairs whose key is no text are left out.
        ValueRef::Map(pairs) => {
            Node::Map(pairs.into_iter().filter_map(|(key, value)| Some((text(key)?, node(value)))).collect())
        }
        ValueRef::Array(items) => Node::List(items.into_iter().map(node).collect()),
        // Nothing in metadata is negative.
        ValueRef::Integer(number) => Node::Number(number.as_u64().unwrap_or(0)),
        ValueRef::Boolean(truth) => Node::Number(truth.into()),
        other => Node::Text(text(other).unwrap_or_default()),
    }
}

fn text(value: ValueRef<'_>) -> Option<Cow<'_, str>> {
    match value {
        ValueRef::String(text) => text.into_str().map(Cow::Borrowed),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Node<'_> {
        Node::Text(Cow::Borrowed(text))
    }

    /// Encodings by the tables of the specification.
    #[test]
    fn values_of_every_form() {
        let numbers: [(&[u8], u64); 12] = [
            (&[0x7f], 127),
            (&[0xcc, 0x80], 128),
            (&[0xcd, 1, 2], 0x102),
            (&[0xce, 1, 2, 3, 4], 0x0102_0304),
            (&[0xcf, 1, 2, 3, 4, 5, 6, 7, 8], 0x0102_0304_0506_0708),
            (&[0xd0, 0x7f], 127),
            (&[0xd1, 0x7f, 0xff], 0x7fff),
            (&[0xd2, 0xff, 0xff, 0xff, 0xfe], 0),
            (&[0xd3, 0, 0, 0, 0, 0, 0, 1, 0], 256),
            (&[0xe0], 0),
            (&[0xc2], 0),
            (&[0xc3], 1),
        ];
        for (bytes, number) in numbers {
            assert_eq!(parse(bytes), Ok(Node::Number(number)), "{bytes:x?}");
        }
        let texts: [&[u8]; 4] = [b"\xa2ab", b"\xd9\x02ab", b"\xda\0\x02ab", b"\xdb\0\0\0\x02ab"];
        for bytes in texts {
            assert_eq!(parse(bytes), Ok(text("ab")), "{bytes:x?}");
        }
        let others: [&[u8]; 9] = [
            b"\xc0",
            b"\xc4\x01x",
            b"\xc5\0\x01x",
            b"\xc6\0\0\0\x01x",
            b"\xc7\x01\x05x",
            b"\xca1234",
            b"\xcb12345678",
            b"\xd4\x05x",
            b"\xd8\x050123456789abcdef",
        ];
        for bytes in others {
            // What follows is found behind them.
            let list = [b"\x92", bytes, b"\x07"].concat();
            assert_eq!(parse(&list), Ok(Node::List(vec![text(""), Node::Number(7)])), "{bytes:x?}");
        }
        for bytes in [&b"\x92\x01\xa1b"[..], b"\xdc\0\x02\x01\xa1b", b"\xdd\0\0\0\x02\x01\xa1b"] {
            assert_eq!(parse(bytes), Ok(Node::List(vec![Node::Number(1), text("b")])), "{bytes:x?}");
        }
        for bytes in
            [&b"\x82\x01\xa1b\xa1k\x05"[..], b"\xde\0\x02\x01\xa1b\xa1k\x05", b"\xdf\0\0\0\x02\x01\xa1b\xa1k\x05"]
        {
            assert_eq!(parse(bytes), Ok(Node::Map(vec![(Cow::Borrowed("k"), Node::Number(5))])), "{bytes:x?}");
        }
    }

    #[test]
    fn broken_notes_are_refused() {
        for bytes in [&b""[..], b"\x81\xa1k", b"\xdd\xff\xff\xff\xff\x01", b"\xcf1234", &[0x91; 5000]] {
            let (at, what) = parse(bytes).unwrap_err();
            assert!(at <= bytes.len() && what.starts_with("bad MessagePack metadata ("), "{at}: {what}");
        }
    }
}
