//! Parses conversions of format strings: `%-8.3v4hlf`.

/// Most characters of a field or digits of a number. (C requires at least 4095.)
pub const MOST_WIDTH: u32 = 4096;

/// A width or a precision.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Count {
    /// A number in the format.
    Given(u32),
    /// `*`: the next argument.
    Argument,
}

/// Size of a number, which the letters before the conversion state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Length {
    /// No letter: 64 bits or the size of the argument (OpenCL), 32 bits (HIP).
    Default,
    /// `hh`: 8 bits.
    Byte,
    /// `h`: 16 bits.
    Short,
    /// `hl`: 32 bits, of vectors.
    Word,
    /// `l` and the other letters of C: 64 bits, or the size of the argument.
    Long,
}

/// A conversion.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Conversion {
    /// Flag `-`.
    pub left: bool,
    /// Flag `+`.
    pub plus: bool,
    /// Flag ` `.
    pub space: bool,
    /// Flag `#`.
    pub alternate: bool,
    /// Flag `0`.
    pub zero: bool,
    /// Fewest characters.
    pub width: Option<Count>,
    /// Number of digits, or most characters of a string.
    pub precision: Option<Count>,
    /// Number of elements of a vector; 1 for a single value.
    pub elements: u8,
    /// Length of a number.
    pub length: Length,
    /// The letter that ends the conversion.
    pub letter: u8,
}

impl Conversion {
    /// Returns the conversion at the beginning of `text`, which follows a `%`, and its length in bytes; `None` if there
    /// is none.
    pub fn parse(text: &[u8]) -> Option<(Conversion, usize)> {
        let mut at = 0;
        let mut found = Conversion {
            left: false,
            plus: false,
            space: false,
            alternate: false,
            zero: false,
            width: None,
            precision: None,
            elements: 1,
            length: Length::Default,
            letter: 0,
        };
        loop {
            match text.get(at)? {
                b'-' => found.left = true,
                b'+' => found.plus = true,
                b' ' => found.space = true,
                b'#' => found.alternate = true,
                b'0' => found.zero = true,
                _ => break,
            }
            at += 1;
        }
        found.width = count(text, &mut at);
        if text.get(at) == Some(&b'.') {
            at += 1;
            found.precision = Some(count(text, &mut at).unwrap_or(Count::Given(0)));
        }
        if text.get(at) == Some(&b'v') {
            at += 1;
            found.elements = match digits(text, &mut at)? {
                elements @ (2 | 3 | 4 | 8 | 16) => elements as u8,
                _ => return None,
            };
        }
        let (length, used) = match text.get(at..)? {
            [b'h', b'h', ..] => (Length::Byte, 2),
            [b'h', b'l', ..] => (Length::Word, 2),
            [b'h', ..] => (Length::Short, 1),
            [b'l', b'l', ..] => (Length::Long, 2),
            [b'l' | b'j' | b'z' | b't' | b'L', ..] => (Length::Long, 1),
            _ => (Length::Default, 0),
        };
        found.length = length;
        found.letter = *text.get(at + used)?;
        let is_known = b"diouxXfFeEgGaAcspn".contains(&found.letter);
        is_known.then_some((found, at + used + 1))
    }

    /// Whether it converts a float.
    pub fn is_float(&self) -> bool {
        b"fFeEgGaA".contains(&self.letter)
    }
}

fn count(text: &[u8], at: &mut usize) -> Option<Count> {
    if text.get(*at) == Some(&b'*') {
        *at += 1;
        return Some(Count::Argument);
    }
    digits(text, at).map(Count::Given)
}

/// Reads a number, at most [`MOST_WIDTH`]; `None` if there are no digits.
fn digits(text: &[u8], at: &mut usize) -> Option<u32> {
    let mut number = None;
    while let Some(digit) = text.get(*at).filter(|byte| byte.is_ascii_digit()) {
        let more = number.unwrap_or(0u32).saturating_mul(10).saturating_add(u32::from(digit - b'0'));
        number = Some(more.min(MOST_WIDTH));
        *at += 1;
    }
    number
}
