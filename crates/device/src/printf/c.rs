//! Prints formats of C, whose arguments somebody else has.

use super::conversion::{Conversion, Count, Length, MOST_WIDTH};
use super::number::{Fill, float, integer};

/// The type of an argument of a format of C.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wanted {
    /// An `int`.
    Int,
    /// A `long`, or another integer of 64 bits.
    Long,
    /// A `double`.
    Double,
    /// A pointer, to a string or anything else.
    Pointer,
}

impl Wanted {
    /// Size in bytes; the alignment is the same.
    pub fn bytes(self) -> usize {
        if self == Wanted::Int { 4 } else { 8 }
    }
}

/// Has the arguments of a format.
pub trait Arguments {
    /// Returns the bits of the next argument.
    fn next(&mut self, wanted: Wanted) -> u64;

    /// Returns the bytes of the string at a pointer that is not null, which was the last argument.
    fn string(&mut self, address: u64) -> Vec<u8>;
}

/// Returns the text of a format.
pub fn text(format: &[u8], arguments: &mut dyn Arguments) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = format;
    while let Some(percent) = rest.iter().position(|&byte| byte == b'%') {
        out.extend_from_slice(&rest[..percent]);
        let behind = &rest[percent + 1..];
        rest = match Conversion::parse(behind) {
            Some((conversion, len)) => {
                convert(&mut out, &conversion, arguments);
                &behind[len..]
            }
            None => {
                out.push(b'%');
                behind.strip_prefix(b"%").unwrap_or(behind)
            }
        };
    }
    out.extend_from_slice(rest);
    out
}

fn convert(out: &mut Vec<u8>, conversion: &Conversion, arguments: &mut dyn Arguments) {
    let most = MOST_WIDTH as i32;
    let mut count = |count: Option<Count>| match count {
        None => None,
        Some(Count::Given(count)) => Some(count as i32),
        Some(Count::Argument) => Some((arguments.next(Wanted::Int) as i32).clamp(-most, most)),
    };
    let width = count(conversion.width).unwrap_or(0);
    let precision = count(conversion.precision).and_then(|precision| usize::try_from(precision).ok());
    let (left, width) = (conversion.left || width < 0, width.unsigned_abs() as usize);
    let fill = Fill { width, left, precision, conversion };
    match conversion.letter {
        b's' => {
            let string = match arguments.next(Wanted::Pointer) {
                0 => b"(null)".to_vec(),
                address => arguments.string(address),
            };
            fill.pad(out, &string[..string.len().min(precision.unwrap_or(usize::MAX))]);
        }
        b'c' => fill.pad(out, &[arguments.next(Wanted::Int) as u8]),
        b'p' => match arguments.next(Wanted::Pointer) {
            0 => fill.pad(out, b"(nil)"),
            address => fill.pad(out, format!("{address:#x}").as_bytes()),
        },
        // It prints nothing, and nothing is written.
        b'n' => drop(arguments.next(Wanted::Pointer)),
        _ if conversion.is_float() => float(out, &fill, f64::from_bits(arguments.next(Wanted::Double))),
        _ => {
            let (wanted, bits) = match conversion.length {
                Length::Long => (Wanted::Long, 64),
                Length::Byte => (Wanted::Int, 8),
                Length::Short => (Wanted::Int, 16),
                Length::Default | Length::Word => (Wanted::Int, 32),
            };
            integer(out, &fill, arguments.next(wanted), bits);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct List(Vec<u64>, Vec<Wanted>);

    impl Arguments for List {
        fn next(&mut self, wanted: Wanted) -> u64 {
            self.1.push(wanted);
            self.0.remove(0)
        }

        fn string(&mut self, address: u64) -> Vec<u8> {
            format!("at {address}").into_bytes()
        }
    }

    /// What glibc prints for the same.
    #[test]
    fn formats_of_c() {
        use Wanted::{Double, Int, Long, Pointer};
        let real = 3.146f64.to_bits();
        for (format, values, expected, wanted) in [
            ("%d%%|%5i|%-4u|%#x", vec![u64::MAX, 7, 8, 255], "-1%|    7|8   |0xff", vec![Int, Int, Int, Int]),
            ("%*d|%.*f", vec![4, 7, 2, real], "   7|3.15", vec![Int, Int, Int, Double]),
            (
                "%ld %hhd %hu %zx",
                vec![1 << 40, 0x1ff, 0x1_0001, 10],
                "1099511627776 -1 1 a",
                vec![Long, Int, Int, Long],
            ),
            ("%s|%8s|%.2s|%p", vec![5, 0, 7, 0], "at 5|  (null)|at|(nil)", vec![Pointer; 4]),
            ("%c%n %k", vec![65, 9], "A %k", vec![Int, Pointer]),
        ] {
            let mut list = List(values, Vec::new());
            assert_eq!(String::from_utf8_lossy(&text(format.as_bytes(), &mut list)), expected);
            assert_eq!(list.1, wanted, "{format}");
        }
    }
}
