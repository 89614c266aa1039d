//! Reads `.tar` archives in place: finds each member without copying or unpacking anything.
//!
//! A tar file is a sequence of 512-byte blocks. Each member has a header block and its bytes, padded to whole blocks:
//!
//! ```text
//! 0   name (100)     124  size, octal (12)      156  type     257  "ustar"
//! 148 checksum (8)   157  target of a link                    345  prefix of the name (155)
//! ```
//!
//! Long names come before their member: as a member of type `L` (GNU; `K` for the target of a link) or in records
//! `path=`, `linkpath=` and `size=` of type `x` (pax). Sources: POSIX.1-2017, *pax*; GNU tar manual, "Basic Tar
//! Format".

use std::borrow::Cow;
use std::ops::Range;

const BLOCK: usize = 512;

/// Something in an archive: a file, a link, or a special file. Folders are skipped.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Member<'a> {
    /// Path of the member in the archive.
    pub name: Cow<'a, [u8]>,
    /// Range of the member's bytes in the archive; empty if it has none.
    pub range: Range<usize>,
    /// Kind of the member.
    pub kind: MemberKind<'a>,
}

/// Kinds of members.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MemberKind<'a> {
    /// A regular file.
    File,
    /// Another name of an earlier member. The text is that member's path in the archive.
    HardLink(Cow<'a, [u8]>),
    /// A link to a path, which is relative to the folder of the member.
    SymbolicLink(Cow<'a, [u8]>),
    /// A device or a pipe.
    Special,
}

/// Error that ends the reading of an archive.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("broken archive: {what} at offset {offset:#x}")]
pub struct TarError {
    /// Byte offset of the mistake.
    pub offset: usize,
    /// The mistake in words.
    pub what: &'static str,
}

/// Iterator over the members of an archive, in order. After an error it ends.
pub struct Members<'a> {
    bytes: &'a [u8],
    at: usize,
    long_name: Option<&'a [u8]>,
    long_target: Option<&'a [u8]>,
    long_size: Option<usize>,
    done: bool,
}

/// Returns the members of the archive `bytes`.
pub fn members(bytes: &[u8]) -> Members<'_> {
    Members { bytes, at: 0, long_name: None, long_target: None, long_size: None, done: false }
}

impl<'a> Iterator for Members<'a> {
    type Item = Result<Member<'a>, TarError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.done {
            return None;
        }
        let next = self.member().transpose();
        self.done = !matches!(next, Some(Ok(_)));
        next
    }
}

impl<'a> Members<'a> {
    fn member(&mut self) -> Result<Option<Member<'a>>, TarError> {
        loop {
            let at = self.at;
            let error = |what| TarError { offset: at, what };
            // An archive that ends without its final blocks of zeros was cut short: members may be missing.
            let header: &[u8; BLOCK] = self
                .bytes
                .get(at..)
                .and_then(|rest| rest.first_chunk())
                .ok_or_else(|| error("the archive is cut short"))?;
            if header.iter().all(|&b| b == 0) {
                return Ok(None);
            }
            if number(&header[148..156]) != Some(checksum(header)) {
                return Err(error("no header (wrong checksum)"));
            }
            let kind = header[156];
            let stated = number(&header[124..136]).ok_or_else(|| error("unreadable size"))?;
            let start = at + BLOCK;
            let size = self.long_size.take().filter(|_| is_file(kind)).unwrap_or(stated);
            // Some programs state the size of a hard link's target, but do not write the bytes again.
            let size = if kind == HARD_LINK && self.is_header(start) { 0 } else { size };
            let end = start.checked_add(size).filter(|&end| end <= self.bytes.len());
            let range = start..end.ok_or_else(|| error("a member exceeds the archive"))?;
            self.at = range.end.checked_next_multiple_of(BLOCK).unwrap_or(usize::MAX).min(self.bytes.len());
            let content = &self.bytes[range.clone()];
            match kind {
                b'L' => self.long_name = Some(until_nul(content)),
                b'K' => self.long_target = Some(until_nul(content)),
                b'x' => self.extended(content).ok_or_else(|| error("unreadable extended header"))?,
                b'S' => return Err(error("sparse members are not read")),
                // Global headers are ignored.
                b'g' => {}
                kind => {
                    let name = self.long_name.take().map_or_else(|| short_name(header), Cow::Borrowed);
                    let target = self.long_target.take().unwrap_or_else(|| until_nul(&header[157..257]));
                    let kind = match kind {
                        // Archives older than POSIX mark folders only by a slash at the end of the name.
                        FOLDER => continue,
                        kind if is_file(kind) && name.ends_with(b"/") => continue,
                        // A hard link may have bytes of its own.
                        HARD_LINK if size == 0 => MemberKind::HardLink(Cow::Borrowed(target)),
                        SYMBOLIC_LINK => MemberKind::SymbolicLink(Cow::Borrowed(target)),
                        kind if is_file(kind) || kind == HARD_LINK => MemberKind::File,
                        _ => MemberKind::Special,
                    };
                    return Ok(Some(Member { name, range, kind }));
                }
            }
        }
    }

    /// Whether there is a header, or the end of the archive, at offset `at`.
    fn is_header(&self, at: usize) -> bool {
        let header = self.bytes.get(at..).and_then(|rest| rest.first_chunk::<BLOCK>());
        header
            .is_some_and(|header| header.iter().all(|&b| b == 0) || number(&header[148..156]) == Some(checksum(header)))
    }

    /// Reads the records `LENGTH KEY=VALUE\n` of a pax header.
    fn extended(&mut self, mut records: &'a [u8]) -> Option<()> {
        while !until_nul(records).is_empty() {
            let space = records.iter().position(|&b| b == b' ')?;
            let length: usize = std::str::from_utf8(&records[..space]).ok()?.parse().ok()?;
            let record = records.get(space + 1..length)?.strip_suffix(b"\n")?;
            if let Some(path) = record.strip_prefix(b"path=") {
                self.long_name = Some(path);
            }
            if let Some(target) = record.strip_prefix(b"linkpath=") {
                self.long_target = Some(target);
            }
            if let Some(size) = record.strip_prefix(b"size=") {
                self.long_size = Some(std::str::from_utf8(size).ok()?.parse().ok()?);
            }
            records = &records[length..];
        }
        Some(())
    }
}

/// Types of members.
const HARD_LINK: u8 = b'1';
const SYMBOLIC_LINK: u8 = b'2';
const FOLDER: u8 = b'5';

fn is_file(kind: u8) -> bool {
    matches!(kind, b'0' | 0 | b'7')
}

fn until_nul(bytes: &[u8]) -> &[u8] {
    &bytes[..bytes.iter().position(|&b| b == 0).unwrap_or(bytes.len())]
}

fn short_name(header: &[u8; BLOCK]) -> Cow<'_, [u8]> {
    let (name, prefix) = (until_nul(&header[..100]), until_nul(&header[345..500]));
    if &header[257..263] == b"ustar\0" && !prefix.is_empty() {
        Cow::Owned([prefix, b"/", name].concat())
    } else {
        Cow::Borrowed(name)
    }
}

/// Reads a number from its field: octal digits between blanks, or binary with the top bit set (GNU, for sizes from 8
/// GiB). `None` if it is something else.
fn number(field: &[u8]) -> Option<usize> {
    if field[0] & 0x80 != 0 {
        let (head, tail) = field.split_at(field.len().saturating_sub(8).max(1));
        let plain = head[0] == 0x80 && head[1..].iter().all(|&b| b == 0);
        return plain.then(|| tail.iter().fold(0, |number, &byte| number << 8 | byte as usize));
    }
    let is_blank = |b: &u8| matches!(b, b' ' | 0);
    let start = field.iter().position(|b| !is_blank(b)).unwrap_or(field.len());
    let (mut number, mut rest) = (0, &field[start..]);
    while let [digit @ b'0'..=b'7', behind @ ..] = rest {
        number = number << 3 | (digit - b'0') as usize;
        rest = behind;
    }
    rest.iter().all(is_blank).then_some(number)
}

/// Returns the sum of the header's bytes, with the eight bytes of the checksum field counted as spaces.
fn checksum(header: &[u8; BLOCK]) -> usize {
    // Each number of `sums` holds four sums of 16 bits, each of 128 bytes.
    const LOW: u64 = 0x00ff_00ff_00ff_00ff;
    let sums = header.as_chunks().0.iter().map(|&bytes| u64::from_le_bytes(bytes));
    let sums = sums.fold(0, |sums, bytes| sums + (bytes & LOW) + (bytes >> 8 & LOW));
    let sum = |shift: u32| (sums >> shift & 0xffff) as usize;
    let field: usize = header[148..156].iter().map(|&byte| byte as usize).sum();
    sum(0) + sum(16) + sum(32) + sum(48) - field + 8 * b' ' as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(name: &[u8], size: &[u8], kind: u8) -> Vec<u8> {
        let mut block = [0; BLOCK];
        block[..name.len()].copy_from_slice(name);
        block[124..124 + size.len()].copy_from_slice(size);
        block[156] = kind;
        block[257..263].copy_from_slice(b"ustar\0");
        let sum = format!("{:06o}\0 ", checksum(&block));
        block[148..156].copy_from_slice(sum.as_bytes());
        block.to_vec()
    }

    fn link(name: &[u8], kind: u8, target: &[u8], size: usize) -> Vec<u8> {
        let mut block = header(name, format!("{size:011o}\0").as_bytes(), kind);
        block[157..157 + target.len()].copy_from_slice(target);
        let sum = format!("{:06o}\0 ", checksum(block.as_slice().try_into().unwrap()));
        block[148..156].copy_from_slice(sum.as_bytes());
        block
    }

    fn member(name: &[u8], kind: u8, content: &[u8]) -> Vec<u8> {
        let mut out = header(name, format!("{:011o}\0", content.len()).as_bytes(), kind);
        out.extend(content);
        out.resize(out.len().next_multiple_of(BLOCK), 0);
        out
    }

    fn names(archive: &[u8]) -> Vec<String> {
        members(archive).map(|m| String::from_utf8(m.unwrap().name.into_owned()).unwrap()).collect()
    }

    #[test]
    fn members_are_found_in_order() {
        let mut archive = [member(b"d/", b'5', b""), member(b"d/a.bin", b'0', &[1; 600])].concat();
        archive.extend(member(b"b.bin", 0, &[2; 4]));
        archive.extend([0; 2 * BLOCK]);
        archive.extend(b"rubbish after the end");
        assert_eq!(names(&archive), ["d/a.bin", "b.bin"]);
        let first = members(&archive).next().unwrap().unwrap();
        assert_eq!(archive[first.range], [1; 600]);
    }

    #[test]
    fn links_have_targets() {
        let long = "x/".repeat(90) + "a.bin";
        let record = format!("linkpath={long}\n");
        let pax = format!("{} {record}", record.len() + 4);
        let archive = [
            member(b"a.bin", b'0', &[1; 4]),
            link(b"hard", b'1', b"a.bin", 0),
            // The first link states the size of its target without having the bytes; the second has the bytes.
            link(b"stated", b'1', b"a.bin", 4),
            link(b"whole", b'1', b"a.bin", 4),
            vec![7; BLOCK],
            member(b"pax", b'x', pax.as_bytes()),
            link(b"soft", b'2', b"cut", 0),
            member(b"././@LongLink", b'K', long.as_bytes()),
            link(b"gnu", b'1', b"cut", 0),
            member(b"g", b'g', b"path=x"),
            member(b"pipe", b'6', b""),
            member(b"last", b'0', b""),
            vec![0; BLOCK],
        ];
        let archive = archive.concat();
        let found: Vec<_> = members(&archive).map(Result::unwrap).collect();
        let kinds: Vec<_> = found.iter().map(|m| (std::str::from_utf8(&m.name).unwrap(), &m.kind)).collect();
        let (hard, soft) = (|to: &str| MemberKind::HardLink(to.as_bytes().to_vec().into()), long.as_bytes().to_vec());
        let expected = [
            ("a.bin", &MemberKind::File),
            ("hard", &hard("a.bin")),
            ("stated", &hard("a.bin")),
            ("whole", &MemberKind::File),
            ("soft", &MemberKind::SymbolicLink(soft.into())),
            ("gnu", &hard(&long)),
            ("pipe", &MemberKind::Special),
            ("last", &MemberKind::File),
        ];
        assert_eq!(kinds, expected);
        assert_eq!(archive[found[3].range.clone()], [7; 4]);
    }

    #[test]
    fn long_names_of_both_kinds() {
        let long = "x/".repeat(90) + "a.bin";
        let record = format!("path={long}\n");
        let pax = format!("{} {record}", record.len() + 4);
        let mut gnu_name = long.clone().into_bytes();
        gnu_name.push(0);
        let archive = [
            member(b"././@LongLink", b'L', &gnu_name),
            member(b"cut", b'0', &[1; 4]),
            member(b"pax", b'x', pax.as_bytes()),
            member(b"cut", b'0', &[1; 4]),
            member(b"plain", b'0', &[1; 4]),
            vec![0; BLOCK],
        ];
        assert_eq!(names(&archive.concat()), [&long, &long, "plain"]);
    }

    #[test]
    fn a_size_in_binary() {
        let mut size = [0u8; 12];
        (size[0], size[11]) = (0x80, 4);
        let mut archive = header(b"a", &size, b'0');
        archive.extend([7; BLOCK]);
        assert_eq!(members(&archive).next().unwrap().unwrap().range, 512..516);
    }

    #[test]
    fn numbers_are_octal_digits_between_blanks() {
        let cases: [(&[u8], _); 9] = [
            (b"0000644\0", Some(0o644)),
            (b"  17 \0 \0", Some(0o17)),
            (b"77777777", Some(0o77777777)),
            (b"        ", Some(0)),
            (b"\0\0\0\0", Some(0)),
            (b"12 34   ", None),
            (b"128\0", None),
            (b"-1\0\0", None),
            (b"\x81\0\0\0\0\0\0\0\0\0\0\0", None),
        ];
        for (field, expected) in cases {
            assert_eq!(number(field), expected, "{field:?}");
        }
    }

    #[test]
    fn every_byte_counts_in_a_checksum() {
        assert_eq!(checksum(&[0; BLOCK]), 256);
        assert_eq!(checksum(&[255; BLOCK]), 504 * 255 + 256);
        for at in 0..BLOCK {
            let mut header = [0; BLOCK];
            header[at] = 200;
            assert_eq!(checksum(&header), if (148..156).contains(&at) { 256 } else { 456 }, "{at}");
        }
    }

    #[test]
    fn every_truncation_is_an_error() {
        let mut archive = [member(b"a.bin", b'0', &[1; 4]), member(b"b.bin", b'0', &[1; 4])].concat();
        archive.extend([0; 2 * BLOCK]);
        for length in 0..archive.len() - BLOCK {
            assert!(members(&archive[..length]).last().is_some_and(|last| last.is_err()), "{length}");
        }
        assert_eq!(names(&archive), ["a.bin", "b.bin"]);
    }

    #[test]
    fn a_wrong_checksum_says_where() {
        let mut archive = [member(b"a.bin", b'0', &[1; 4]), member(b"b.bin", b'0', &[1; 4])].concat();
        archive[1024] ^= 1;
        let found: Vec<_> = members(&archive).collect();
        assert!(found[0].is_ok());
        let error = found[1].clone().unwrap_err();
        assert_eq!(error.to_string(), "broken archive: no header (wrong checksum) at offset 0x400");
        assert_eq!(found.len(), 2);
    }
}
