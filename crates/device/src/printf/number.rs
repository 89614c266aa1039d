//! Prints numbers as C does.

use super::conversion::Conversion;

/// The field into which a value is printed.
pub struct Fill<'a> {
    /// Fewest characters of the field.
    pub width: usize,
    /// Whether blanks follow the text rather than precede it.
    pub left: bool,
    /// Number of digits, or most characters of a string.
    pub precision: Option<usize>,
    /// The conversion, with its flags and letter.
    pub conversion: &'a Conversion,
}

impl Fill<'_> {
    /// Appends a text, with blanks up to the width.
    pub fn pad(&self, out: &mut Vec<u8>, text: &[u8]) {
        let blanks = self.width.saturating_sub(text.len());
        let before = if self.left { 0 } else { blanks };
        out.resize(out.len() + before, b' ');
        out.extend_from_slice(text);
        out.resize(out.len() + blanks - before, b' ');
    }

    /// Appends a number: its sign or prefix, zeros up to the width if the flag says so and `may_fill`, then its digits.
    fn number(&self, out: &mut Vec<u8>, prefix: &str, digits: &str, may_fill: bool) {
        let zeros = match self.conversion.zero && !self.left && may_fill {
            true => self.width.saturating_sub(prefix.len() + digits.len()),
            false => 0,
        };
        self.pad(out, format!("{prefix}{}{digits}", "0".repeat(zeros)).as_bytes());
    }

    fn sign(&self, is_negative: bool) -> &'static str {
        match (is_negative, self.conversion.plus, self.conversion.space) {
            (true, ..) => "-",
            (_, true, _) => "+",
            (_, _, true) => " ",
            _ => "",
        }
    }
}

/// Appends the integer in the low `bits` bits of `value`.
pub fn integer(out: &mut Vec<u8>, fill: &Fill<'_>, value: u64, bits: u32) {
    let shift = 64 - bits;
    let (signed, plain) = ((value << shift) as i64 >> shift, value << shift >> shift);
    let alternate = fill.conversion.alternate;
    let (prefix, mut digits) = match fill.conversion.letter {
        b'd' | b'i' => (fill.sign(signed < 0), signed.unsigned_abs().to_string()),
        b'o' => ("", format!("{plain:o}")),
        b'x' => (if alternate && plain != 0 { "0x" } else { "" }, format!("{plain:x}")),
        b'X' => (if alternate && plain != 0 { "0X" } else { "" }, format!("{plain:X}")),
        _ => ("", plain.to_string()),
    };
    if let Some(least) = fill.precision {
        if least == 0 && digits == "0" {
            digits.clear();
        }
        digits.insert_str(0, &"0".repeat(least.saturating_sub(digits.len())));
    }
    if fill.conversion.letter == b'o' && alternate && !digits.starts_with('0') {
        digits.insert(0, '0');
    }
    fill.number(out, prefix, &digits, fill.precision.is_none());
}

/// Appends a float.
pub fn float(out: &mut Vec<u8>, fill: &Fill<'_>, value: f64) {
    let letter = fill.conversion.letter;
    let sign = fill.sign(value.is_sign_negative());
    let magnitude = value.abs();
    let is_finite = value.is_finite();
    let (prefix, digits) = match letter.to_ascii_lowercase() {
        _ if value.is_nan() => (sign.to_owned(), "nan".to_owned()),
        _ if value.is_infinite() => (sign.to_owned(), "inf".to_owned()),
        b'f' => (sign.to_owned(), fixed(magnitude, fill.precision.unwrap_or(6), fill.conversion.alternate)),
        b'e' => (sign.to_owned(), exponent(magnitude, fill.precision.unwrap_or(6), fill.conversion.alternate)),
        b'g' => (sign.to_owned(), general(magnitude, fill.precision.unwrap_or(6), fill.conversion.alternate)),
        _ => (format!("{sign}0x"), hexadecimal(magnitude, fill.precision, fill.conversion.alternate)),
    };
    match letter.is_ascii_uppercase() {
        true => fill.number(out, &prefix.to_uppercase(), &digits.to_uppercase(), is_finite),
        false => fill.number(out, &prefix, &digits, is_finite),
    }
}

/// Returns the digits of the form `1.500000`. `point` keeps the point without decimals.
fn fixed(value: f64, precision: usize, point: bool) -> String {
    let point = if precision == 0 && point { "." } else { "" };
    format!("{value:.precision$}{point}")
}

/// Returns the form `1.500000e+00`.
fn exponent(value: f64, precision: usize, point: bool) -> String {
    let text = format!("{value:.precision$e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let point = if precision == 0 && point { "." } else { "" };
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}{point}e{sign}{:02}", exponent.abs())
}

/// Returns the form of `%g`: `%f` or `%e`, as the exponent decides, without zeros at the end.
fn general(value: f64, precision: usize, alternate: bool) -> String {
    let precision = precision.max(1);
    let rounded = format!("{value:.*e}", precision - 1);
    let power: i32 = rounded.split_once('e').and_then(|(_, power)| power.parse().ok()).unwrap_or(0);
    let is_fixed = (-4..precision as i32).contains(&power);
    let text = match is_fixed {
        true => fixed(value, (precision as i32 - 1 - power) as usize, alternate),
        false => exponent(value, precision - 1, alternate),
    };
    if alternate {
        return text;
    }
    let (digits, exponent) = text.split_once('e').map_or((text.as_str(), None), |(d, e)| (d, Some(e)));
    let digits = if digits.contains('.') { digits.trim_end_matches('0').trim_end_matches('.') } else { digits };
    exponent.map_or_else(|| digits.to_owned(), |exponent| format!("{digits}e{exponent}"))
}

/// Returns the form `1.8p+0`, which follows `0x`. The last digit is rounded to nearest even.
fn hexadecimal(value: f64, precision: Option<usize>, point: bool) -> String {
    const DIGITS: usize = 13;
    let bits = value.to_bits();
    let (mut mantissa, biased) = (bits & ((1 << 52) - 1), (bits >> 52) as i32 & 0x7ff);
    let power = match (biased, mantissa) {
        (0, 0) => 0,
        (0, _) => -1022,
        _ => biased - 1023,
    };
    mantissa |= u64::from(biased != 0) << 52;
    if let Some(precision) = precision.filter(|&precision| precision < DIGITS) {
        let dropped = 4 * (DIGITS - precision) as u32;
        let (half, rest) = (1 << (dropped - 1), mantissa & ((1 << dropped) - 1));
        mantissa -= rest;
        if rest > half || rest == half && mantissa >> dropped & 1 == 1 {
            mantissa += 1 << dropped;
        }
    }
    let (whole, fraction) = (mantissa >> 52, format!("{:013x}", mantissa & ((1 << 52) - 1)));
    let fraction = match precision {
        None => fraction.trim_end_matches('0').to_owned(),
        Some(precision) if precision <= DIGITS => fraction[..precision].to_owned(),
        Some(precision) => fraction + &"0".repeat(precision - DIGITS),
    };
    let point = if fraction.is_empty() && !point { "" } else { "." };
    format!("{whole:x}{point}{fraction}p{}{}", if power < 0 { '-' } else { '+' }, power.abs())
}
