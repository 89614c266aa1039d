//! One line of a listing: what it holds, without knowledge of the lines around it.
//!
//! | code words stand | printed by |
//! |---|---|
//! | `; be800003`, `; c00e0201 00000020 [PC=0x.., off=4, size=8]` | RADV, radeonsi, their hang reports |
//! | `// 000000001100: C0020002 00000000` | llvm-objdump, AMD's compilers and tools |
//! | `; encoding: [0x03,0x00,0x80,0xbe]` | llvm-mc -show-encoding |
//! | `/*be8400ff 3f012345*/`, `/*000000000008: be840300*/` | clrxdisasm |
//! | `pgm[3@0x800100b00 + 0x8] = 0xbe840300` | umr, waves of a hung GPU |
//!
//! Source: Mesa, `aco_print_asm.cpp` and `radv_debug.c`; LLVM, `AMDGPUInstPrinter.cpp`; umr, `print_waves.c`; CLRX,
//! page on its disassembler.

/// The most code words of a line. An instruction has two; CLRX prints data behind a branch with it.
const MOST_WORDS: usize = 64;

/// The heading of constants.
const CONSTANT_DATA: &str = "/* constant data */";
/// How a repetition begins.
const REPEATED: &str = "(then repeated ";

/// What a line holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Line<'t> {
    /// An instruction with its code.
    Code(Code),
    /// The instruction before is there `n` times more.
    Repeat(u32),
    /// A heading: constants follow.
    ConstantData,
    /// Constants at a byte offset behind the code.
    Constants { offset: u32, words: Vec<u32> },
    /// An instruction or a directive for data without its code.
    NoCode,
    /// A label: its name, and its address if the line states it.
    Label { name: &'t str, address: Option<u64> },
    /// The name of the kernel whose code follows, maybe behind other directives.
    Kernel(&'t str),
    /// Zeros that llvm-objdump leaves out.
    Zeros,
    /// Nothing, or a remark that belongs to the lines around it.
    Remark,
    /// Anything else.
    Other,
}

/// The code of a line.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct Code {
    /// Its dwords.
    pub words: Vec<u32>,
    /// Its address, if the line states it.
    pub address: Option<u64>,
    /// Its byte offset in the shader, if the line states it.
    pub offset: Option<u64>,
}

/// Removes ANSI escape sequences (colours) from a line.
pub(super) fn without_escapes(line: &str) -> String {
    let mut plain = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find('\x1b') {
        plain.push_str(&rest[..at]);
        let sequence = &rest[at + 1..];
        let end = match sequence.strip_prefix('[') {
            Some(body) => body.find(|c: char| ('@'..='~').contains(&c)).map_or(sequence.len(), |end| end + 2),
            None => 0,
        };
        rest = &sequence[end..];
    }
    plain.push_str(rest);
    plain
}

/// Removes what mail and the kernel's log put before each line: `> `, `[   12.345678] `.
pub(super) fn without_prefix(line: &str) -> &str {
    let mut rest = line;
    loop {
        let time = rest.strip_prefix('[').and_then(|rest| rest.split_once(']'));
        let after_time = time.filter(|(time, _)| time.trim_start().split_once('.').is_some_and(|(s, f)| is_time(s, f)));
        match rest.strip_prefix('>').or(after_time.map(|(_, after)| after)) {
            Some(after) => rest = after.strip_prefix(' ').unwrap_or(after),
            None => return rest,
        }
    }
}

/// Whether these are the seconds and the fraction of a time.
fn is_time(seconds: &str, fraction: &str) -> bool {
    [seconds, fraction].iter().all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Whether a foreign line has the mark of something that belongs to a shader: it is cut, or has a prefix.
pub(super) fn is_damaged(line: &str) -> bool {
    let text = line.trim();
    let is_cut = text.len() >= 4 && CONSTANT_DATA.starts_with(text);
    is_cut || text.contains(CONSTANT_DATA) || text.contains(REPEATED)
}

/// Whether a line begins like constants that are cut before the first word: `[0000`.
pub(super) fn is_cut_row(line: &str) -> bool {
    let digits = line.trim().strip_prefix('[').unwrap_or("-");
    digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// Reads a line, which has no escape sequences.
///
/// # Errors
/// What is wrong with its code words.
pub(super) fn read(line: &str) -> Result<Line<'_>, String> {
    let text = line.trim();
    if text.is_empty() {
        return Ok(Line::Remark);
    }
    if text == "..." {
        return Ok(Line::Zeros);
    }
    if let Some(times) = text.strip_prefix(REPEATED).and_then(|rest| rest.strip_suffix(" times)")) {
        return times.parse().map(Line::Repeat).map_err(|_| format!("'{times}' is no number of repetitions"));
    }
    if text == CONSTANT_DATA {
        return Ok(Line::ConstantData);
    }
    if let Some(constants) = constants(text)? {
        return Ok(constants);
    }
    if let Some(name) = text.strip_prefix(".kernel ") {
        return Ok(Line::Kernel(name.trim()));
    }
    for place in [of_wave, in_front, addressed, commented] {
        if let Some(code) = place(text)? {
            return Ok(Line::Code(code));
        }
    }
    if ["^", ";", "//", "#"].iter().any(|start| text.starts_with(start)) {
        return Ok(Line::Remark);
    }
    if let Some(label) = label(text) {
        return Ok(label);
    }
    Ok(if is_instruction(text) { Line::NoCode } else { Line::Other })
}

fn is_hex(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Reads dwords of eight hex digits, which blanks separate. Stops at `[` and `<`, where remarks begin.
fn words(text: &str) -> Result<Vec<u32>, String> {
    let tokens = text.split_whitespace().take_while(|token| !token.starts_with(['[', '<']));
    let word = |token: &str| match u32::from_str_radix(token, 16) {
        Ok(word) if token.len() == 8 && is_hex(token) => Ok(word),
        _ => Err(format!("'{}' is no code word of eight hex digits", shown(token))),
    };
    let words: Vec<u32> = tokens.map(word).collect::<Result<_, _>>()?;
    match words.len() {
        1..=MOST_WORDS => Ok(words),
        n => Err(format!("{n} code words in a line")),
    }
}

/// A piece of the text for a message, cut off after 40 characters.
pub(super) fn shown(text: &str) -> String {
    let text = text.trim();
    match text.char_indices().nth(40) {
        Some((end, _)) => format!("{}..", &text[..end]),
        None => text.to_owned(),
    }
}

/// Reads constants: `[000032] 3f800000 ..`.
fn constants(text: &str) -> Result<Option<Line<'_>>, String> {
    let Some((offset, rest)) = text.strip_prefix('[').and_then(|rest| rest.split_once(']')) else { return Ok(None) };
    let is_number = offset.len() >= 6 && offset.bytes().all(|byte| byte.is_ascii_digit());
    let Some(offset) = offset.parse().ok().filter(|_| is_number) else { return Ok(None) };
    Ok(Some(Line::Constants { offset, words: words(rest)? }))
}

/// Checks that `before`, the text before the code of a line, has no code of its own.
fn check_single(before: &str) -> Result<(), String> {
    let is_code = |comment: &str| {
        let comment = comment.trim_start();
        let first = |text: &str| text.split_whitespace().next().is_some_and(|word| word.len() == 8 && is_hex(word));
        let addressed = comment.split_once(':').filter(|(address, _)| is_hex(address)).map(|(_, rest)| rest);
        comment.starts_with("encoding: [") || first(comment) || addressed.is_some_and(first)
    };
    let has_code = [";", "//"].iter().any(|mark| before.split(mark).skip(1).any(is_code));
    if has_code { Err("code words at two places of a line".into()) } else { Ok(()) }
}

/// Reads a dword of the code that a wave executes: `pgm[VMID@ADDRESS + OFFSET] = WORD`. A `*` in front marks the PC.
fn of_wave(text: &str) -> Result<Option<Code>, String> {
    let text = text.strip_prefix('*').unwrap_or(text).trim_start();
    let Some(rest) = text.strip_prefix("pgm[") else { return Ok(None) };
    let broken = || format!("'{}' is no dword at an address", shown(text));
    let (place, rest) = rest.split_once(']').ok_or_else(broken)?;
    let word = rest.trim_start().strip_prefix("= 0x").and_then(|rest| rest.split_whitespace().next());
    let word = word.filter(|word| word.len() == 8 && is_hex(word)).ok_or_else(broken)?;
    let (_, place) = place.split_once('@').ok_or_else(broken)?;
    let number = |text: &str| {
        let digits = text.trim().strip_prefix("0x").filter(|digits| is_hex(digits))?;
        u64::from_str_radix(digits, 16).ok()
    };
    let (base, offset) = place.split_once('+').map_or((place, Some(0)), |(base, offset)| (base, number(offset)));
    let address = number(base).zip(offset).and_then(|(base, offset)| base.checked_add(offset));
    let address = address.filter(|address| address.is_multiple_of(4)).ok_or_else(broken)?;
    Ok(Some(Code { words: words(word)?, address: Some(address), offset: None }))
}

/// Reads code in a comment before the instruction: `/*WORDS*/` or `/*ADDRESS: WORDS*/`.
fn in_front(text: &str) -> Result<Option<Code>, String> {
    let Some((comment, after)) = text.strip_prefix("/*").and_then(|rest| rest.split_once("*/")) else {
        return Ok(None);
    };
    let (address, rest) = match comment.split_once(':') {
        Some((address, rest)) if is_hex(address) && address.len() <= 16 => (Some(address), rest),
        _ => (None, comment),
    };
    // Before an instruction, hex digits are meant as code, even too few of them.
    let is_first_hex = || rest.split_whitespace().next().is_some_and(is_hex);
    let is_meant = is_instruction(after.trim()) && (address.is_some() || is_first_hex());
    match words(rest) {
        Ok(words) => {
            check_single(after)?;
            let address = address.and_then(|address| u64::from_str_radix(address, 16).ok());
            Ok(Some(Code { words, address, offset: None }))
        }
        Err(what) if is_meant => Err(what),
        Err(_) => Ok(None),
    }
}

/// Reads code behind `// ADDRESS:`.
fn addressed(text: &str) -> Result<Option<Code>, String> {
    let Some((before, comment)) = text.rsplit_once("// ") else { return Ok(None) };
    let Some((address, rest)) = comment.split_once(':') else { return Ok(None) };
    if !(4..=16).contains(&address.len()) || !is_hex(address) {
        return Ok(None);
    }
    check_single(before)?;
    let address = u64::from_str_radix(address, 16).ok();
    Ok(Some(Code { words: words(rest)?, address, offset: None }))
}

/// Reads code behind the last `;`.
fn commented(text: &str) -> Result<Option<Code>, String> {
    let Some((before, comment)) = text.rsplit_once(';') else { return Ok(None) };
    let comment = comment.trim();
    if let Some(bytes) = comment.strip_prefix("encoding: [") {
        check_single(before)?;
        return Ok(Some(Code { words: encoding(bytes)?, ..Code::default() }));
    }
    let first = comment.split_whitespace().next().unwrap_or_default();
    // Behind an instruction, digits are meant as code, even too few of them. Elsewhere they must be code words.
    let is_meant = is_hex(first) && (first.len() == 8 || first.len() >= 5 && first.bytes().any(|b| b.is_ascii_digit()));
    let words = match (is_instruction(before.trim()), words(comment)) {
        (true, words) if is_meant => words?,
        (false, Ok(words)) if !before.trim().is_empty() => words,
        _ => return Ok(None),
    };
    check_single(before)?;
    let offset = comment.split_once("off=").and_then(|(_, rest)| {
        let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        rest[..digits].parse().ok()
    });
    Ok(Some(Code { words, address: None, offset }))
}

/// Reads the bytes of `encoding: [..]`.
fn encoding(bytes: &str) -> Result<Vec<u32>, String> {
    let (bytes, _) = bytes.split_once(']').ok_or("the encoding has no ']'")?;
    let byte = |text: &str| {
        let digits = text.trim().strip_prefix("0x").filter(|digits| is_hex(digits));
        let byte = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        byte.ok_or_else(|| format!("'{}' in an encoding: it has to be assembled and linked first", shown(text)))
    };
    let bytes: Vec<u8> = bytes.split(',').map(byte).collect::<Result<_, _>>()?;
    let (words, rest) = bytes.as_chunks::<4>();
    match (words.len(), rest.len()) {
        (1..=MOST_WORDS, 0) => Ok(words.iter().map(|word| u32::from_le_bytes(*word)).collect()),
        _ => Err(format!("an encoding of {} bytes", bytes.len())),
    }
}

/// Reads `name:`, or `0000000000001900 <name>:` of llvm-objdump.
fn label(text: &str) -> Option<Line<'_>> {
    let text = text.split(" ;").next()?.trim_end();
    let name = text.strip_suffix(':')?;
    if let Some((address, name)) = name.split_once(" <").and_then(|(a, rest)| Some((a, rest.strip_suffix('>')?))) {
        let address = Some(address).filter(|address| is_hex(address) && address.len() <= 16)?;
        return Some(Line::Label { name, address: u64::from_str_radix(address, 16).ok() });
    }
    let is_name = |c: char| c.is_ascii_alphanumeric() || "_.$@".contains(c);
    let is_label = !name.is_empty() && name.chars().all(is_name);
    is_label.then_some(Line::Label { name, address: None })
}

/// Whether a line begins like an instruction or a directive for data.
fn is_instruction(text: &str) -> bool {
    const BEGINNINGS: [&str; 9] = ["s_", "v_", "ds_", "buffer_", "tbuffer_", "image_", "flat_", "global_", "scratch_"];
    const DATA: [&str; 8] = [".long", ".byte", ".short", ".quad", ".fill", ".zero", ".ascii", ".space"];
    let first = text.split_whitespace().next().unwrap_or_default().to_ascii_lowercase();
    let is_mnemonic = first == "exp"
        || first.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
            && BEGINNINGS.iter().any(|start| first.starts_with(start));
    // What Mesa prints where LLVM does not know the instruction.
    let is_unknown = text.starts_with("(invalid instruction)") || text.starts_with("integer addition + clamp");
    is_mnemonic || is_unknown || DATA.contains(&&*first)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(line: &str) -> Vec<u32> {
        match read(line) {
            Ok(Line::Code(code)) => code.words,
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn code_words_are_read_in_all_their_places() {
        assert_eq!(code("\ts_mov_b32 s0, s3                         ; be800003"), [0xbe80_0003]);
        assert_eq!(code("  S_LOAD_DWORD s0, s[0:1], 0x0 ; C0000100"), [0xc000_0100]);
        assert_eq!(code("\tv_x ; c00e0201 00000020 [PC=0x800, off=4, size=8]"), [0xc00e_0201, 0x20]);
        assert_eq!(code("\ts_endpgm   // 00000000110C: BF810000 "), [0xbf81_0000]);
        assert_eq!(code("s_branch label_4 // 000000000048: BF82FFFF <main+0x4>"), [0xbf82_ffff]);
        assert_eq!(code("\ts_mov_b32 s0, 1 ; encoding: [0x81,0x00,0x80,0xbe]"), [0xbe80_0081]);
        assert_eq!(code("\t(invalid instruction)             ; deadbeef"), [0xdead_beef]);
        assert_eq!(code("/*8380ff00 0000ffff*/ s_min_u32       s0, s0, 0xffff"), [0x8380_ff00, 0xffff]);
        assert_eq!(code("/*bf810000         */ s_endpgm"), [0xbf81_0000]);
        assert_eq!(code("/*000000000008: be8400ff 3f012345*/ s_mov_b32 s4, 0x3f012345"), [0xbe84_00ff, 0x3f01_2345]);
        let wave = |address, word| Ok(Line::Code(Code { words: vec![word], address: Some(address), offset: None }));
        let lines = [
            "\t *  pgm[3@0x800100b00 + 0x8   ] = 0x0a020004    \tv_mul_f32_e32 v1, s4, v0",
            "pgm[0@0x800100b04] = 0x3f012345    \t;;",
        ];
        assert_eq!(lines.map(read), [wave(0x8_0010_0b08, 0x0a02_0004), wave(0x8_0010_0b04, 0x3f01_2345)]);
        let Ok(Line::Code(code)) = read("\tv_x ; c00e0201 00000020 [PC=0x800, off=12, size=8]") else { panic!() };
        assert_eq!((code.offset, code.address), (Some(12), None));
        let Ok(Line::Code(code)) = read("\ts_endpgm   // 00000000110C: BF810000") else { panic!() };
        assert_eq!((code.offset, code.address), (None, Some(0x110c)));
    }

    #[test]
    fn broken_code_words_are_errors() {
        for line in [
            "\ts_mov_b32 s0, s3 ; be80000",
            "\ts_mov_b32 s0, s3 ; be8000033",
            "\ts_load_dword s0, s[0:1] ; c0020002 0000002",
            "\ts_load_dword s0, s[0:1] ; c0020002 0000002g",
            "\ts_endpgm // 0000110C: BF81000",
            "\ts_endpgm // 0000110C:",
            "\ts_getpc_b64 s[0:1] ; encoding: [0x00,0x1c,0x80]",
            "\ts_add_u32 s0, s0, x ; encoding: [0x00,0xff,0x00,0x80,A,A,A,A]",
            "\tv_mov_b32 v0, 1.0 ; 7e0002f2\ts_nop 0 ; bf800000",
            "\ts_nop 0 // 000000001100: BF800000 s_nop 0 // 000000001104: BF800000",
            "\ts_nop 0 ; encoding: [0x00,0x00,0x80,0xbf] s_nop 0 ; encoding: [0x00,0x00,0x80,0xbf]",
            "/*bf81000          */ s_endpgm",
            "/*0000: bf81000g*/ s_endpgm",
            "pgm[3@0x800100b00 + 0x8   ] = 0xa020004",
            "pgm[3@0x800100b00 + 0x9] = 0x0a020004",
            "pgm[3@0xffffffffffffffff + 0x9] = 0x0a020004",
            "pgm[3] = 0x0a020004",
            "(then repeated many times)",
            "[000032] 3f80000",
        ] {
            assert!(read(line).is_err(), "{line}: {:?}", read(line));
        }
    }

    #[test]
    fn other_lines() {
        assert_eq!(read("\t(then repeated 5 times)"), Ok(Line::Repeat(5)));
        assert_eq!(read("/* constant data */"), Ok(Line::ConstantData));
        let constants = Line::Constants { offset: 32, words: vec![0x3f80_0000, 1] };
        assert_eq!(read("[000032] 3f800000 00000001"), Ok(constants));
        assert_eq!(read("BB12:"), Ok(Line::Label { name: "BB12", address: None }));
        assert_eq!(read("0000000000001900 <main>:"), Ok(Line::Label { name: "main", address: Some(0x1900) }));
        assert_eq!(read("\ts_endpgm"), Ok(Line::NoCode));
        assert_eq!(read(".kernel DCT"), Ok(Line::Kernel("DCT")));
        assert_eq!(read("/* more */ s_endpgm"), Ok(Line::Other));
        assert_eq!(read("\t.long 0x12345678"), Ok(Line::NoCode));
        assert_eq!(read("  ^ SE0 SH0 CU2 SIMD1 WAVE3  EXEC=ffff  INST32=BF810000"), Ok(Line::Remark));
        assert_eq!(read("*** SHADER STATS ***"), Ok(Line::Other));
        assert_eq!(read("loaded; 12345678 bytes"), Ok(Line::Other));
        assert_eq!(read("export PATH; deadbeef is no code"), Ok(Line::Other));
        assert_eq!(read("\ts_nop 0 ; added"), Ok(Line::NoCode));
        assert_eq!(read("; Function Attrs: nounwind"), Ok(Line::Remark));
        assert_eq!(read("\ts2: %0:exec = s_wqm_b64 %0:exec"), Ok(Line::Other));
    }

    #[test]
    fn prefixes_are_removed() {
        for (line, rest) in [
            ("> > \ts_nop 0", "\ts_nop 0"),
            (">", ""),
            ("[   12.345678] [000032] 00000001", "[000032] 00000001"),
            ("[000032] 00000001", "[000032] 00000001"),
            ("[1.2.3] a", "[1.2.3] a"),
            ("[.5] a", "[.5] a"),
        ] {
            assert_eq!(without_prefix(line), rest, "{line}");
        }
    }

    #[test]
    fn escapes_are_removed() {
        assert_eq!(without_escapes("\x1b[1;33mPixel Shader\x1b[0m:"), "Pixel Shader:");
        assert_eq!(without_escapes("a\x1b[31"), "a");
        assert_eq!(without_escapes("a\x1bb\x1b"), "ab");
        assert_eq!(without_escapes("\u{e9}\x1b[\u{e9}m\u{e9}"), "\u{e9}\u{e9}");
    }
}
