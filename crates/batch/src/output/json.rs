//! Appends pieces of JSON to a buffer. Every line of results has dozens of pieces, so the functions have to be fast.

/// Appends text as it is.
#[inline]
pub fn text(out: &mut Vec<u8>, text: &str) {
    out.extend_from_slice(text.as_bytes());
}

/// Appends a value, or `null`.
pub fn optional<T>(out: &mut Vec<u8>, value: Option<T>, write: impl FnOnce(&mut Vec<u8>, T)) {
    match value {
        Some(value) => write(out, value),
        None => text(out, "null"),
    }
}

/// Appends a number in decimal.
#[inline]
pub fn number(out: &mut Vec<u8>, value: u64) {
    match value {
        0..10 => out.push(b'0' + value as u8),
        10..100 => out.extend_from_slice(&TWO_DIGITS[value as usize]),
        _ => long_number(out, value),
    }
}

fn long_number(out: &mut Vec<u8>, mut value: u64) {
    let mut digits = [0; 20];
    let mut at = digits.len();
    while at > 1 && value >= 10 {
        at -= 2;
        digits[at..at + 2].copy_from_slice(&TWO_DIGITS[(value % 100) as usize]);
        value /= 100;
    }
    if value > 0 {
        at -= 1;
        digits[at] = b'0' + value as u8;
    }
    out.extend_from_slice(&digits[at..]);
}

/// The decimal numbers `00` to `99`.
const TWO_DIGITS: [[u8; 2]; 100] = {
    let mut pairs = [[b'0'; 2]; 100];
    let mut i = 0;
    while i < 100 {
        pairs[i] = [b'0' + i as u8 / 10, b'0' + i as u8 % 10];
        i += 1;
    }
    pairs
};

/// Appends a list of numbers.
pub fn numbers(out: &mut Vec<u8>, values: &[u64]) {
    out.push(b'[');
    for (i, &value) in values.iter().enumerate() {
        if i > 0 {
            out.push(b',');
        }
        number(out, value);
    }
    out.push(b']');
}

/// Appends a number as a string of hex digits, such as `"0x1f"`.
pub fn hex(out: &mut Vec<u8>, value: u64) {
    // Addresses in shaders are short, so a loop over the digits is cheap.
    let (mut digits, mut at, mut rest) = ([0; 16], 16, value);
    loop {
        at -= 1;
        digits[at] = digit(rest as u8 & 15);
        rest >>= 4;
        if rest == 0 || at == 0 {
            break;
        }
    }
    text(out, "\"0x");
    out.extend_from_slice(&digits[at..]);
    out.push(b'"');
}

/// Appends bytes as a string of two hex digits each.
#[inline]
pub fn hex_bytes<const N: usize>(out: &mut Vec<u8>, bytes: [u8; N]) {
    out.push(b'"');
    out.extend_from_slice(hex_digits(bytes).as_flattened());
    out.push(b'"');
}

/// Returns the hex digits of bytes. It uses no table, so that the compiler can vectorise the loop.
#[inline]
fn hex_digits<const N: usize>(bytes: [u8; N]) -> [[u8; 2]; N] {
    bytes.map(|byte| [digit(byte >> 4), digit(byte & 15)])
}

#[inline(always)]
fn digit(n: u8) -> u8 {
    n + if n < 10 { b'0' } else { b'a' - 10 }
}

/// Appends a string, escaped as serde_json escapes it.
pub fn string(out: &mut Vec<u8>, value: &str) {
    out.push(b'"');
    inside(out, value.as_bytes());
    out.push(b'"');
}

/// Appends one string made of the text `before` and then `bytes`. Bytes that are not UTF-8 are replaced.
pub fn string_lossy(out: &mut Vec<u8>, before: &str, bytes: &[u8]) {
    out.push(b'"');
    inside(out, before.as_bytes());
    if is_plain(bytes) {
        out.extend_from_slice(bytes);
    } else {
        inside(out, String::from_utf8_lossy(bytes).as_bytes());
    }
    out.push(b'"');
}

/// Appends the contents of a string, escaped, without quotation marks.
fn inside(out: &mut Vec<u8>, utf8: &[u8]) {
    if is_plain(utf8) {
        out.extend_from_slice(utf8);
    } else {
        escaped(out, utf8);
    }
}

/// Whether all bytes stand for themselves in a string: ASCII from 0x20 on, except quotation mark and backslash.
fn is_plain(bytes: &[u8]) -> bool {
    let (eights, _) = bytes.as_chunks();
    match bytes.last_chunk() {
        Some(&last) => !eights.iter().any(|&eight| any_special(eight)) && !any_special(last),
        None => bytes.iter().all(|&byte| matches!(byte, 0x20..0x80) && byte != b'"' && byte != b'\\'),
    }
}

/// Whether any byte of `bytes` is not [plain](is_plain).
fn any_special(bytes: [u8; 8]) -> bool {
    let bytes = u64::from_le_bytes(bytes);
    let all = |byte: u8| u64::from_le_bytes([byte; 8]);
    // The subtraction sets the top bit of each byte below the limit. A borrow may falsify bytes above the lowest such
    // byte, but never that byte itself.
    let below = |bytes: u64, limit: u8| bytes.wrapping_sub(all(limit));
    // The three terms find bytes below 0x20 and 0x22 (the exclusive or maps just these to values below 0x21),
    // backslashes, and bytes that are not ASCII.
    (below(bytes ^ all(2), 0x21) | below(bytes ^ all(b'\\'), 1) | bytes) & all(0x80) != 0
}

#[cold]
fn escaped(out: &mut Vec<u8>, utf8: &[u8]) {
    for &byte in utf8 {
        match byte {
            b'"' => text(out, "\\\""),
            b'\\' => text(out, "\\\\"),
            b'\n' => text(out, "\\n"),
            b'\r' => text(out, "\\r"),
            b'\t' => text(out, "\\t"),
            0x08 => text(out, "\\b"),
            0x0c => text(out, "\\f"),
            0..0x20 => {
                text(out, "\\u00");
                out.extend_from_slice(hex_digits([byte]).as_flattened());
            }
            byte => out.push(byte),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(write: impl FnOnce(&mut Vec<u8>)) -> String {
        let mut out = Vec::new();
        write(&mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn strings_are_those_of_serde_json() {
        let check = |value: &str| assert_eq!(written(|out| string(out, value)), serde_json::to_string(value).unwrap());
        let lossy = [b"a\xffb\xc3".as_slice(), b"01234567\x80", b"plain\\ or not"];
        for bytes in lossy {
            let expected = format!("/\"/{}", String::from_utf8_lossy(bytes));
            let expected = serde_json::to_string(&expected).unwrap();
            assert_eq!(written(|out| string_lossy(out, "/\"/", bytes)), expected);
        }
        for value in ["", "plain", "a\"b\\c/d", "\n\r\t\u{8}\u{c}\u{1}\u{1f}\u{7f}", "häß 🙂"] {
            check(value);
        }
        // The cases are every character in every place of short and long strings.
        for (length, special) in (1..20).flat_map(|length| (0..0x100u32).map(move |code| (length, code))) {
            for place in 0..length {
                let character = |i| if i == place { char::from_u32(special).unwrap() } else { '!' };
                check(&(0..length).map(character).collect::<String>());
            }
        }
    }

    #[test]
    fn numbers_of_all_lengths() {
        let powers = (0..20).map(|n| 10u64.pow(n)).flat_map(|power| [power - 1, power, power + 1]);
        let values = powers.chain((0..64).map(|shift| 0xfedc_ba98_7654_3210 >> shift)).chain([12345, u64::MAX]);
        for value in values {
            assert_eq!(written(|out| number(out, value)), value.to_string());
            assert_eq!(written(|out| hex(out, value)), format!("\"{value:#x}\""));
            assert_eq!(written(|out| hex_bytes(out, value.to_be_bytes())), format!("\"{value:016x}\""));
        }
        assert_eq!(written(|out| numbers(out, &[7, 100, 42])), "[7,100,42]");
    }
}
