//! Expected texts are those of C's printf (glibc), unless a comment says otherwise.

use super::*;

/// Returns the text of a record of an OpenCL program with this format and these arguments, in the sizes that they have
/// in the buffer.
fn opencl(format: &str, args: &[&[u8]]) -> String {
    let sizes: String = args.iter().map(|arg| format!("{}:", arg.len())).collect();
    let entry = format!("7:{}:{sizes}{format}", args.len()).into_bytes();
    let mut data = 7u32.to_le_bytes().to_vec();
    for arg in args {
        data.extend_from_slice(arg);
        data.resize(data.len().next_multiple_of(4), 0);
    }
    text(&[entry], &data)
}

fn buffer(wanted: u32, data: &[u8], bytes: usize) -> Vec<u8> {
    let mut buffer = [wanted.to_le_bytes(), (bytes as u32).to_le_bytes()].concat();
    buffer.extend_from_slice(data);
    buffer.resize(HEAD + bytes, 0);
    buffer
}

fn text(entries: &[Vec<u8>], data: &[u8]) -> String {
    let printed = printed(entries, &buffer(data.len() as u32, data, 4096), &|_| None);
    assert_eq!(printed.missing, None);
    String::from_utf8(printed.text).unwrap()
}

fn int(format: &str, value: i32) -> String {
    opencl(format, &[&value.to_le_bytes()])
}

fn double(format: &str, value: f64) -> String {
    opencl(format, &[&value.to_le_bytes()])
}

#[test]
fn integers() {
    for (format, value, expected) in [
        ("%d", -5, "-5"),
        ("%i|", 5, "5|"),
        ("%5d|%%", -5, "   -5|%"),
        ("%-5d|", 5, "5    |"),
        ("%05d", -5, "-0005"),
        ("%+d", 5, "+5"),
        ("% d", 5, " 5"),
        ("%+ d", 5, "+5"),
        ("%.3d", -5, "-005"),
        ("%08.3d|", 5, "     005|"),
        ("%-08d|", 5, "5       |"),
        ("%.0d|", 0, "|"),
        ("%u", -1, "4294967295"),
        ("%x", -1, "ffffffff"),
        ("%X", 0xab, "AB"),
        ("%#x", 0xab, "0xab"),
        ("%#x", 0, "0"),
        ("%#010X", 0xab, "0X000000AB"),
        ("%o", 8, "10"),
        ("%#o", 8, "010"),
        ("%#.0o", 0, "0"),
        ("%hd", 0x1_8000, "-32768"),
        ("%hhd", 0x1ff, "-1"),
        ("%hhu", -1, "255"),
        ("%hx", -1, "ffff"),
        ("%ld", -1, "-1"),
        ("%c", 65, "A"),
        ("%3c|%-3c", 65, "  A|%-3c"),
    ] {
        assert_eq!(int(format, value), expected, "{format}");
    }
    let long = 0x1234_5678_9abc_def0_u64.to_le_bytes();
    assert_eq!(opencl("%lx %d", &[&long]), "123456789abcdef0 %d");
    assert_eq!(opencl("%d", &[&long]), "1311768467463790320", "the size is that of the argument");
    assert_eq!(opencl("%p", &[&0xdead_u64.to_le_bytes()]), "0xdead");
    assert_eq!(opencl("%12p|%-12p|", &[&0xdead_u64.to_le_bytes(), &[0; 8]]), "      0xdead|(nil)       |");
}

#[test]
fn floats() {
    for (format, value, expected) in [
        ("%f", 1.5, "1.500000"),
        ("%10.3f|", -2.0625, "    -2.062|"),
        ("%-10.3f|", 3.25, "3.250     |"),
        ("%010.3f", -3.25, "-00003.250"),
        ("%.0f", 2.5, "2"),
        ("%#.0f", 2.5, "2."),
        ("%e", 123_456.789, "1.234568e+05"),
        ("%.3E", 0.000_123, "1.230E-04"),
        ("%e", 0.0, "0.000000e+00"),
        ("%.2e", 1e100, "1.00e+100"),
        ("%g", 100_000.0, "100000"),
        ("%g", 1_000_000.0, "1e+06"),
        ("%g", 0.0001, "0.0001"),
        ("%g", 0.00001, "1e-05"),
        ("%g", 3.5, "3.5"),
        ("%#g", 3.5, "3.50000"),
        ("%G", 1e-10, "1E-10"),
        ("%.3g", 999.9, "1e+03"),
        ("%.0g", 25.0, "2e+01"),
        ("%+.1f", 0.0, "+0.0"),
        ("%a", 1.0, "0x1p+0"),
        ("%a", 1.5, "0x1.8p+0"),
        ("%A", -0.1, "-0X1.999999999999AP-4"),
        ("%.1a", 1.97, "0x2.0p+0"),
        ("%.0a", 1.5, "0x2p+0"),
        ("%.3a", 1.0, "0x1.000p+0"),
        ("%.15a", 1.0, "0x1.000000000000000p+0"),
        ("%a", 0.0, "0x0p+0"),
        ("%a", 5e-324, "0x0.0000000000001p-1022"),
        ("%012a|", 1.5, "0x00001.8p+0|"),
        ("%f", f64::INFINITY, "inf"),
        ("%05f", f64::NEG_INFINITY, " -inf"),
        ("%F %g", f64::INFINITY, "INF %g"),
        ("%+e", f64::INFINITY, "+inf"),
        ("%G", f64::NAN.abs(), "NAN"),
        ("%a", f64::NAN.abs(), "nan"),
        ("%lf", -0.0, "-0.000000"),
        ("%.20f", 0.1, "0.10000000000000000555"),
    ] {
        assert_eq!(double(format, value), expected, "{format}");
    }
    assert_eq!(opencl("%f", &[&1.5f32.to_le_bytes()]), "1.500000");
    assert_eq!(opencl("%g", &[&0x3c00u16.to_le_bytes()]), "1", "a half");
}

#[test]
fn vectors() {
    let floats = [1.0f32, 2.5, -3.0, 4.0].map(f32::to_le_bytes).concat();
    assert_eq!(opencl("<%v4hlf>", &[&floats]), "<1.000000,2.500000,-3.000000,4.000000>");
    assert_eq!(opencl("%5.1v4hlf|", &[&floats]), "  1.0,  2.5, -3.0,  4.0|");
    assert_eq!(opencl("%v3hlg", &[&floats]), "1,2.5,-3");
    assert_eq!(opencl("%v3hhd", &[&[255, 2, 128, 0]]), "-1,2,-128");
    let halves = [0x3c00u16, 0xc000].map(u16::to_le_bytes).concat();
    assert_eq!(opencl("%v2hf", &[&halves]), "1.000000,-2.000000");
    assert_eq!(opencl("%#v2hx", &[&[0x34, 0x12, 0, 0, 0xff, 0xff, 0, 0]]), "0x1234,0xffff", "extended to dwords");
    let longs = [-1i64, 5].map(i64::to_le_bytes).concat();
    assert_eq!(opencl("%v2ld", &[&longs]), "-1,5");
    let many: Vec<u8> = (0..16u32).flat_map(u32::to_le_bytes).collect();
    assert_eq!(opencl("%v16hlu", &[&many]), "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15");
    assert_eq!(opencl("%v5d", &[&many]), "%v5d", "there are no vectors of five");
}

#[test]
fn strings_and_escapes() {
    assert_eq!(opencl("%s|%5s|%-5s|%.2s", &[b"abc\0", b"ab\0\0", b"ab\0\0", b"hello\0\0\0"]), "abc|   ab|ab   |he");
    assert_eq!(opencl("%s", &[b"\0\0\0\0"]), "");
    assert_eq!(opencl(r"a\72b\n\a\b\f\r\v\x\", &[]), "a:b\n\x07\x08\x0c\r\x0b\\x\\");
    assert_eq!(opencl("100%% %n|%d", &[&7u32.to_le_bytes()]), "100% |7");
    assert_eq!(opencl("%", &[]), "%");
    assert_eq!(opencl("%y %", &[]), "%y %");
    // A string in global memory is stored by its address.
    let pointer = 0x1005_0040_u64.to_le_bytes();
    let data = [&7u32.to_le_bytes()[..], &pointer].concat();
    let found = printed(&[b"7:1:8:<%s>".to_vec()], &buffer(12, &data, 64), &|address| {
        (address == 0x1005_0040).then(|| b"global".to_vec())
    });
    assert_eq!(found.text, b"<global>");
}

#[test]
fn records_of_hip() {
    let entries = [b"0:0:ff00000000000001,%d %s %f %*d\n".to_vec(), b"0:0:2,none: \\n\n".to_vec()];
    let mut data = Vec::new();
    let mut record = |id: u64, args: &[&[u8]]| {
        let args = args.concat();
        data.extend_from_slice(&((12 + args.len() as u32) << 2 | 2).to_le_bytes());
        data.extend_from_slice(&id.to_le_bytes());
        data.extend_from_slice(&args);
    };
    let word = |value: u64| value.to_le_bytes();
    record(
        0xff00_0000_0000_0001,
        &[&word(0xffff_fffe), b"eight ch\0.......", &1.5f64.to_le_bytes(), &word(4), &word(7)],
    );
    record(2, &[]);
    // The record of a format that is not a constant holds the format as text.
    data.extend_from_slice(&(4u32 + 8 + 8).wrapping_shl(2).to_le_bytes());
    data.extend_from_slice(b"x%lld!\0\0");
    data.extend_from_slice(&word(u64::MAX));
    assert_eq!(text(&entries, &data), "-2 eight ch 1.500000    7\nnone: \\n\nx-1!");
}

#[test]
fn what_is_missing_is_said() {
    let entries = [b"1:1:4:%d\n".to_vec()];
    let record = [1u32, 5].map(u32::to_le_bytes).concat();
    let missing = |wanted, data: &[u8], bytes| {
        let printed = printed(&entries, &buffer(wanted, data, bytes), &|_| None);
        let missing = printed.missing.map(|missing| missing.to_string());
        (String::from_utf8(printed.text).unwrap(), missing.unwrap_or_default())
    };
    assert_eq!(missing(8, &record, 64), ("5\n".into(), String::new()));
    let (text, what) = missing(80, &record.repeat(8), 64);
    assert_eq!(text, "5\n".repeat(8));
    assert!(what.starts_with("the printf buffer of 64 bytes is full: 16 bytes did not fit"), "{what}");
    let (text, what) = missing(56, &record.repeat(7), 64);
    assert!(text.len() == 14 && what.contains("may be missing"), "{what}");
    assert_eq!(
        missing(12, &[record, vec![9, 0, 0, 0]].concat(), 64).1,
        "4 bytes of the printf buffer, from byte 8 on, are no text"
    );
}

#[test]
fn hostile_metadata_does_no_harm() {
    for entry in [
        "1:4294967295:4:%d",
        "1:1:18446744073709551615:%d",
        "1:2:18446744073709551615:18446744073709551615:%d",
        "99999999999999999999:0:x",
        "1:0:%1000000000d%.1000000000f%v99999999999d%*.*f",
        "1:1:0:%d%s%c%f",
        "1:1:3:%v16d",
        "1:1:1:%a",
        "1:1:4:%v16a",
        ":::",
        "",
        "0:0:zz,x",
        "0:0:",
        "0:0:1,%s%s%s",
    ] {
        for head in [0u32, 1, 2, 6, 0xffff_ffff, 0x20] {
            let mut data = head.to_le_bytes().to_vec();
            data.extend_from_slice(&[1; 40]);
            for wanted in [0, 1, 3, 4, 44, u32::MAX] {
                printed(&[entry.as_bytes().to_vec()], &buffer(wanted, &data, 44), &|_| None);
            }
        }
    }
    assert_eq!(int("%1000000000d", 5).len(), 4096);
    assert!(double("%.1000000000f", 1.0).len() < 5000);
    printed(&[], &[], &|_| None);
    // Records of four bytes print a text of 1 MiB each.
    let long = [b"1:0:".to_vec(), vec![b'x'; 1 << 20]].concat();
    let data = 1u32.to_le_bytes().repeat(1000);
    let printed = printed(&[long], &buffer(4000, &data, 4096), &|_| None);
    assert_eq!((printed.text.len(), printed.missing), (64 << 20, Some(Missing::Cut)));
}
