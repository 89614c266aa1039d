//! Reads MessagePack into the values that both kinds of metadata share.
//!
//! Source: the MessagePack specification. Metadata has maps, lists, strings, integers and booleans. Other values are
//! read past and become empty strings.

use std::borrow::Cow;

use super::metadata::Node;

/// Deepest nesting that is read.
const MOST_DEEP: u32 = 32;

/// The first value of a note; strings are not copied.
///
/// # Errors
/// The byte offset, and what is wrong there.
pub(super) fn parse(note: &[u8]) -> Result<Node<'_>, (usize, String)> {
    let mut reader = Reader { rest: note };
    let value = reader.value(MOST_DEEP);
    value.map_err(|what| (note.len() - reader.rest.len(), format!("bad MessagePack metadata ({what})")))
}

struct Reader<'a> {
    rest: &'a [u8],
}

type Read<T> = Result<T, &'static str>;

impl<'a> Reader<'a> {
    fn take(&mut self, count: u64) -> Read<&'a [u8]> {
        let split = usize::try_from(count).ok().and_then(|count| self.rest.split_at_checked(count));
        let (taken, rest) = split.ok_or("it ends too soon")?;
        self.rest = rest;
        Ok(taken)
    }

    /// A big-endian number of 1, 2, 4 or 8 bytes.
    fn number(&mut self, bytes: u64) -> Read<u64> {
        Ok(self.take(bytes)?.iter().fold(0, |number, &byte| number << 8 | u64::from(byte)))
    }

    fn value(&mut self, deep: u32) -> Read<Node<'a>> {
        let tag = self.take(1)?[0];
        let low = |bits: u8| u64::from(tag & ((1 << bits) - 1));
        // Sizes double with the tag.
        let size = |first: u8| 1u64 << (tag - first);
        match tag {
            0x00..=0x7f => Ok(Node::Number(tag.into())),
            0x80..=0x8f => self.map(low(4), deep),
            0x90..=0x9f => self.list(low(4), deep),
            0xa0..=0xbf => self.text(low(5)),
            0xc2 | 0xc3 => Ok(Node::Number(low(1))),
            0xc4..=0xc6 => self.number(size(0xc4)).and_then(|bytes| self.other(bytes)),
            0xc7..=0xc9 => self.number(size(0xc7)).and_then(|bytes| self.other(bytes + 1)),
            0xca | 0xcb => self.other(4 * size(0xca)),
            0xcc..=0xcf => self.number(size(0xcc)).map(Node::Number),
            0xd0..=0xd3 => {
                let bytes = size(0xd0);
                let number = self.number(bytes)?;
                Ok(Node::Number(if number >> (8 * bytes - 1) == 0 { number } else { 0 }))
            }
            0xd4..=0xd8 => self.other(1 + size(0xd4)),
            0xd9..=0xdb => self.number(size(0xd9)).and_then(|bytes| self.text(bytes)),
            0xdc | 0xdd => self.number(2 * size(0xdc)).and_then(|count| self.list(count, deep)),
            0xde | 0xdf => self.number(2 * size(0xde)).and_then(|count| self.map(count, deep)),
            // Nil, and a tag without a meaning.
            0xc0 | 0xc1 => self.other(0),
            // Nothing in metadata is negative.
            0xe0..=0xff => Ok(Node::Number(0)),
        }
    }

    fn other(&mut self, bytes: u64) -> Read<Node<'a>> {
        self.take(bytes)?;
        Ok(Node::Text(Cow::Borrowed("")))
    }

    fn text(&mut self, bytes: u64) -> Read<Node<'a>> {
        let text = std::str::from_utf8(self.take(bytes)?).unwrap_or_default();
        Ok(Node::Text(Cow::Borrowed(text)))
    }

    fn list(&mut self, count: u64, deep: u32) -> Read<Node<'a>> {
        let deep = deep.checked_sub(1).ok_or("it is nested too deeply")?;
        let mut items = Vec::with_capacity(self.room(count));
        for _ in 0..count {
            items.push(self.value(deep)?);
        }
        Ok(Node::List(items))
    }

    /// Pairs whose key is no text are left out.
    fn map(&mut self, count: u64, deep: u32) -> Read<Node<'a>> {
        let deep = deep.checked_sub(1).ok_or("it is nested too deeply")?;
        let mut pairs = Vec::with_capacity(self.room(count));
        for _ in 0..count {
            let (key, value) = (self.value(deep)?, self.value(deep)?);
            if let Node::Text(key) = key {
                pairs.push((key, value));
            }
        }
        Ok(Node::Map(pairs))
    }

    /// How many of so many values to make room for: no more than there are bytes, whatever the note says.
    fn room(&self, count: u64) -> usize {
        usize::try_from(count).unwrap_or(usize::MAX).min(self.rest.len()).min(64)
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
        let error = |bytes: &[u8]| parse(bytes).unwrap_err();
        let too_soon = "bad MessagePack metadata (it ends too soon)".to_owned();
        assert_eq!(error(b""), (0, too_soon.clone()));
        assert_eq!(error(b"\x81\xa1k"), (3, too_soon.clone()));
        assert_eq!(error(b"\xdd\xff\xff\xff\xff\x01"), (6, too_soon.clone()));
        assert_eq!(error(b"\xcf1234"), (1, too_soon));
        let deep = [0x91; 100];
        assert_eq!(error(&deep), (33, "bad MessagePack metadata (it is nested too deeply)".to_owned()));
    }
}
