//! Reads MessagePack into [`Node`]s, which both metadata formats share.
//!
//! Metadata has maps, lists, strings, integers and booleans. Other values become empty strings.

use std::borrow::Cow;

use rmp::Marker;

use super::node::Node;

/// Limit for the nesting of lists and maps.
const MOST_DEPTH: usize = 1024;

/// Limit for the elements of a list or map that memory is reserved for in advance. Most have fewer.
const ROOM: u64 = 16;

/// Returns the first value of `note`. Strings are not copied.
///
/// # Errors
/// The byte offset of the error, and what is wrong there.
pub(super) fn parse(note: &[u8]) -> Result<Node<'_>, (usize, String)> {
    let mut reader = Reader { rest: note };
    let node = reader.marker().and_then(|marker| reader.node(marker, 0));
    node.map_err(|what| (note.len() - reader.rest.len(), format!("bad MessagePack metadata ({what})")))
}

struct Reader<'a> {
    rest: &'a [u8],
}

type Read<T> = Result<T, &'static str>;

impl<'a> Reader<'a> {
    fn take(&mut self, count: u64) -> Read<&'a [u8]> {
        let at = usize::try_from(count).ok().and_then(|count| self.rest.split_at_checked(count));
        let (bytes, rest) = at.ok_or("it ends too soon")?;
        self.rest = rest;
        Ok(bytes)
    }

    fn marker(&mut self) -> Read<Marker> {
        Ok(Marker::from_u8(self.number(1)? as u8))
    }

    /// Reads an unsigned integer of `bytes` bytes.
    fn number(&mut self, bytes: u64) -> Read<u64> {
        Ok(self.take(bytes)?.iter().fold(0, |number, &byte| number << 8 | u64::from(byte)))
    }

    /// Reads a signed integer of `bytes` bytes. Negative ones, which metadata do not have, become 0.
    fn positive(&mut self, bytes: u64) -> Read<Node<'a>> {
        let number = self.number(bytes)?;
        Ok(Node::Number(if number >> (8 * bytes - 1) == 0 { number } else { 0 }))
    }

    /// Reads the string of `marker`; `None` if that is not a string's marker. The inner error has the bytes if they are
    /// not UTF-8.
    fn string(&mut self, marker: Marker) -> Read<Option<Result<&'a str, &'a [u8]>>> {
        let bytes = match marker {
            Marker::FixStr(bytes) => bytes.into(),
            Marker::Str8 => self.number(1)?,
            Marker::Str16 => self.number(2)?,
            Marker::Str32 => self.number(4)?,
            _ => return Ok(None),
        };
        let bytes = self.take(bytes)?;
        Ok(Some(str::from_utf8(bytes).map_err(|_| bytes)))
    }

    /// Reads the value of `marker`, which lies within `depth` lists and maps.
    fn node(&mut self, marker: Marker, depth: usize) -> Read<Node<'a>> {
        if let Some(text) = self.string(marker)? {
            return Ok(text.map_or_else(Node::Bytes, |text| Node::Text(Cow::Borrowed(text))));
        }
        let others = match marker {
            Marker::FixPos(number) => return Ok(Node::Number(number.into())),
            Marker::FixNeg(_) | Marker::False => return Ok(Node::Number(0)),
            Marker::True => return Ok(Node::Number(1)),
            Marker::U8 => return Ok(Node::Number(self.number(1)?)),
            Marker::U16 => return Ok(Node::Number(self.number(2)?)),
            Marker::U32 => return Ok(Node::Number(self.number(4)?)),
            Marker::U64 => return Ok(Node::Number(self.number(8)?)),
            Marker::I8 => return self.positive(1),
            Marker::I16 => return self.positive(2),
            Marker::I32 => return self.positive(4),
            Marker::I64 => return self.positive(8),
            Marker::FixMap(count) => return self.map(count.into(), depth),
            Marker::Map16 => return self.number(2).and_then(|count| self.map(count, depth)),
            Marker::Map32 => return self.number(4).and_then(|count| self.map(count, depth)),
            Marker::FixArray(count) => return self.list(count.into(), depth),
            Marker::Array16 => return self.number(2).and_then(|count| self.list(count, depth)),
            Marker::Array32 => return self.number(4).and_then(|count| self.list(count, depth)),
            Marker::FixStr(_) | Marker::Str8 | Marker::Str16 | Marker::Str32 | Marker::Null | Marker::Reserved => 0,
            Marker::F32 => 4,
            Marker::F64 => 8,
            Marker::Bin8 => self.number(1)?,
            Marker::Bin16 => self.number(2)?,
            Marker::Bin32 => self.number(4)?,
            // An extension has one byte more: its type comes first.
            Marker::FixExt1 => 2,
            Marker::FixExt2 => 3,
            Marker::FixExt4 => 5,
            Marker::FixExt8 => 9,
            Marker::FixExt16 => 17,
            Marker::Ext8 => self.number(1)? + 1,
            Marker::Ext16 => self.number(2)? + 1,
            Marker::Ext32 => self.number(4)? + 1,
        };
        self.take(others)?;
        Ok(Node::Text(Cow::Borrowed("")))
    }

    /// Reads a map of `count` pairs. A key that is a number becomes its decimal digits. Pairs with other keys that are
    /// not UTF-8 text are left out.
    fn map(&mut self, count: u64, depth: usize) -> Read<Node<'a>> {
        let mut pairs = Vec::with_capacity(count.min(ROOM) as usize);
        for _ in 0..count {
            let marker = self.marker()?;
            let key = match self.string(marker)? {
                Some(text) => text.ok().map(Cow::Borrowed),
                None => self.part(marker, depth)?.number().map(|number| Cow::Owned(number.to_string())),
            };
            let marker = self.marker()?;
            let value = self.part(marker, depth)?;
            if let Some(key) = key {
                pairs.push((key, value));
            }
        }
        Ok(Node::Map(pairs))
    }

    /// Reads a list of `count` values.
    fn list(&mut self, count: u64, depth: usize) -> Read<Node<'a>> {
        let mut items = Vec::with_capacity(count.min(ROOM) as usize);
        for _ in 0..count {
            let marker = self.marker()?;
            items.push(self.part(marker, depth)?);
        }
        Ok(Node::List(items))
    }

    /// Reads a value in a list or map, which itself lies within `depth` others.
    fn part(&mut self, marker: Marker, depth: usize) -> Read<Node<'a>> {
        if depth == MOST_DEPTH { Err("too deep") } else { self.node(marker, depth + 1) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Node<'_> {
        Node::Text(Cow::Borrowed(text))
    }

    /// The encodings are those in the tables of the MessagePack specification.
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
            // The value after it must be found.
            let list = [b"\x92", bytes, b"\x07"].concat();
            assert_eq!(parse(&list), Ok(Node::List(vec![text(""), Node::Number(7)])), "{bytes:x?}");
        }
        for bytes in [&b"\x92\x01\xa1b"[..], b"\xdc\0\x02\x01\xa1b", b"\xdd\0\0\0\x02\x01\xa1b"] {
            assert_eq!(parse(bytes), Ok(Node::List(vec![Node::Number(1), text("b")])), "{bytes:x?}");
        }
        for bytes in
            [&b"\x82\x01\xa1b\xa1k\x05"[..], b"\xde\0\x02\x01\xa1b\xa1k\x05", b"\xdf\0\0\0\x02\x01\xa1b\xa1k\x05"]
        {
            let pairs = vec![(Cow::Borrowed("1"), text("b")), (Cow::Borrowed("k"), Node::Number(5))];
            assert_eq!(parse(bytes), Ok(Node::Map(pairs)), "{bytes:x?}");
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
