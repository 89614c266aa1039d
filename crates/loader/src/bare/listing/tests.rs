use super::super::Found;
use super::*;

fn found(text: &str) -> Found {
    read(text.as_bytes(), None).unwrap().unwrap()
}

fn words(found: &Found, index: usize) -> Vec<u32> {
    let bytes = found.shaders[index].code.as_ref();
    bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
}

fn names(found: &Found) -> Vec<&str> {
    found.shaders.iter().map(|shader| shader.name.as_str()).collect()
}

fn error(text: &str) -> String {
    match read(text.as_bytes(), None) {
        Err(error) => error.to_string(),
        Ok(found) => panic!("{:?}", found.map(|found| names(&found).join(","))),
    }
}

/// A log as RADV writes it.
const RADV: &str = "AMD RADV VEGA10\n
Pixel Shader\ndisasm:\nBB0:\n\ts_mov_b32 s0, s3   ; be800003\n\ts_nop 0 ; bf800000\n\t(then repeated 2 times)\nBB1:
\ts_load_dwordx8 s[8:15], s[2:3], 0x20  ; c00e0201 00000020\n\ts_endpgm  ; bf810000\n
/* constant data */\n[000000] 3f800000 40000000 40400000 40800000 40a00000 40c00000 40e00000 41000000\n[000032] 00000001
\nAfter RA:\nACO shader stage: vertex_vs\n\ts_endpgm\n
Vertex Shader as LS + Tessellation Control Shader\ndisasm:\nBB0:\n\ts_endpgm                ; bf810000\n
Pixel Shader\ndisasm:\nBB0:\n\ts_endpgm                ; bf810000\n";

#[test]
fn a_log_of_radv_has_its_shaders_with_constants_and_repetitions() {
    let log = found(RADV);
    assert_eq!(names(&log), ["pixel-0", "hull-0", "pixel-1"]);
    let mut expected = vec![0xbe80_0003, 0xbf80_0000, 0xbf80_0000, 0xbf80_0000, 0xc00e_0201, 0x20, END];
    expected.extend((1..=8).map(|n| (n as f32).to_bits()));
    expected.push(1);
    assert_eq!(words(&log, 0), expected);
    assert_eq!((words(&log, 1), words(&log, 2)), (vec![END], vec![END]));
    let stages: Vec<_> = log.shaders.iter().map(|shader| shader.shader.stage).collect();
    assert_eq!(stages, [Some(Stage::Pixel), Some(Stage::Hull), Some(Stage::Pixel)]);
    assert_eq!((log.target, log.arch), (Some("gfx900"), Some(Arch::Gcn14)));
}

/// Parts are printed apart, and lie one after the other in memory.
#[test]
fn parts_of_radeonsi_are_one_shader() {
    let log = found(
        "Vertex Shader as VS:\nShader prolog disassembly:\nmain:\n\ts_nop 0 ; BF800000\n
Shader main disassembly:\n\ts_nop 1 ; BF800001\n\nShader epilog disassembly:\n\ts_endpgm ; BF810000\n
*** SHADER STATS ***\nSGPRS: 16\n
Pixel Shader:\nShader main disassembly:\n\ts_endpgm ; BF810000\nShader main disassembly:\n\ts_endpgm ; BF810000\n",
    );
    assert_eq!(names(&log), ["vertex-0", "pixel-0", "shader-0"]);
    assert_eq!(words(&log, 0), [0xbf80_0000, 0xbf80_0001, END]);
    assert_eq!(log.arch, None);
}

/// Colours, waves and source lines stand between the instructions of a hang report.
#[test]
fn a_hang_report_is_read() {
    let report = "\x1b[1;33mCompute Shader - annotated disassembly:\x1b[0m
\ts_mov_b32 s0, 1   ; be800081 [PC=0x800012000, off=0, size=4]
          \x1b[1;32m^ SE0 SH0 CU1 SIMD0 WAVE2  EXEC=ffffffffffffffff  INST32=BE800081\x1b[0m
// 0x4 shader.comp:12:3
\ts_endpgm   ; bf810000 [PC=0x800012004, off=4, size=4]\r\n\n";
    assert_eq!(words(&found(report), 0), [0xbe80_0081, END]);
    let gap = report.replace("off=4", "off=8");
    assert_eq!(error(&gap), "line 5: code at 0x8 of its shader, of which 0x4 bytes are there");
}

#[test]
fn listings_of_disassemblers_are_read() {
    let objdump = "\na.co:\tfile format elf64-amdgpu\n\nDisassembly of section .text:\n
0000000000001900 <first>:\n\ts_cbranch_scc0 1  // 000000001900: BF840001 <first+0x8>\n\ts_nop 0 // 000000001904: BF800000
\ts_endpgm // 000000001908: BF810000\n\t...\n\ts_nop 0 // 000000001914: BF800000\n
0000000000001A00 <_amdgpu_ps_main>:\n\ts_endpgm // 000000001A00: BF810000\n";
    let log = found(objdump);
    assert_eq!(names(&log), ["first", "_amdgpu_ps_main"]);
    assert_eq!(words(&log, 0), [0xbf84_0001, 0xbf80_0000, END, 0, 0, 0xbf80_0000]);
    assert_eq!(log.shaders[1].shader.stage, Some(Stage::Pixel));
    let gap = objdump.replace("\t...\n", "");
    assert_eq!(error(&gap), "line 10: code at 0x1914; the code before it ends at 0x190c");
    let mc = "\t.amdgcn_target \"amdgcn-amd-amdhsa--gfx803\"\nshade:\n\ts_nop 0 ; encoding: [0x00,0x00,0x80,0xbf]\n
.LBB0_1:\n\ts_endpgm ; encoding: [0x00,0x00,0x81,0xbf]\n";
    assert_eq!((names(&found(mc)), found(mc).arch), (vec!["shade"], Some(Arch::Gcn12)));
    assert_eq!(words(&found(mc), 0), [0xbf80_0000, END]);
}

/// Old systems end lines with CR alone. A CR within a line separates what a terminal shows one after the other.
#[test]
fn lines_end_at_carriage_returns() {
    let text = "Pixel Shader\rdisasm:\r\ts_nop 0 ; bf800000\r\ts_endpgm ; bf810000\r";
    assert_eq!(words(&found(text), 0), [0xbf80_0000, END]);
    assert_eq!(words(&found("disasm:\n\ts_nop 0 ; bf800000\r\ts_endpgm ; bf810000\r\n"), 0), [0xbf80_0000, END]);
    let broken = text.replace("bf81", "bf8");
    assert_eq!(error(&broken), "line 4: 'bf80000' is no code word of eight hex digits");
}

#[test]
fn code_is_not_dropped() {
    let head = "Pixel Shader\ndisasm:\nBB0:\n";
    for (rest, expected) in [
        ("\ts_nop 0 ; bf80000\n", "line 4: 'bf80000' is no code word of eight hex digits"),
        ("\ts_nop 0\n", "line 4: 's_nop 0' has no code words beside it"),
        ("\t(then repeated 3 times)\n", "line 4: nothing stands before it that could be repeated"),
        ("\ts_nop 0 ; bf800000\n\t(then repeated 4000000000 times)\n", "line 5: repeated 4000000000 times, the"),
        (
            "\ts_nop 0 ; bf800000\nATTENTION: here\n\ts_endpgm ; bf810000\n",
            "line 6: code goes on here after line 5, which is no part of a listing",
        ),
        (
            "\ts_endpgm ; bf810000\nATTENTION: here\n\ts_nop 0 ; bf800000\n",
            "line 6: code goes on here after line 5, which is no part of a listing",
        ),
        (
            "\ts_endpgm ; bf810000\nATTENTION: here\nmore\nBB1:\n\ts_nop 0 ; bf800000\n",
            "line 8: code goes on here after line 5, which is no part of a listing",
        ),
        ("\ts_nop 0 ; bf800000\n\t(then repeated 262145 times)\n", "line 5: repeated 262145 times, the"),
        ("\ts_nop 0 ; bf800000\n/* constant data */\n[000032] 00000001\n", "line 6: constants at 32, of which 0 bytes"),
        (
            "\ts_nop 0 ; bf800000\n/* constant data */\n\ts_endpgm ; bf810000\n",
            "line 6: an instruction among the constants",
        ),
    ] {
        let found = error(&format!("{head}{rest}"));
        assert!(found.starts_with(expected), "{found}");
    }
}

/// A shader with 32 bytes of constants and 4 more, as RADV prints it: eight in a row.
const CONSTANTS: &str = "Pixel Shader\ndisasm:\n\ts_nop 0 ; bf800000\n\ts_endpgm ; bf810000\n
/* constant data */\n[000000] 00000001 00000002 00000003 00000004 00000005 00000006 00000007 00000008
[000032] 00000009\n";

#[test]
fn constants_are_not_dropped() {
    assert_eq!(words(&found(CONSTANTS), 0), [0xbf80_0000, END, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    for (from, to, expected) in [
        ("\n\n/*", "\nATTENTION\n/*", "line 6: '/* constant data */' comes after line 5, which is no part of a"),
        ("[000032]", "ATTENTION\n[000032]", "line 9: '[000032] 00000009' comes after line 8, which is no part of a"),
        ("[000032] 00000009\n", "[000032", "line 8: '[000032' is a row of constants that is cut short"),
        ("[000032] 00000009\n", "[00", "line 8: '[00' is a row of constants that is cut short"),
        ("[000032] 00000009\n", "[000032]", "line 8: 0 code words in a line"),
        ("/* constant data */\n", "", "line 6: '[000000] 00000001 00000002 00000003 0000..' does not belong here"),
        ("/* constant data */", "/* constant da", "line 6: '/* constant da' does not belong here"),
        ("/* constant data */", "user: /* constant data */", "line 6: 'user: /* constant data */' does not belong"),
        ("[000032]", "/* constant data */\n[000032]", "line 8: '/* constant data */' does not belong here"),
    ] {
        let found = error(&CONSTANTS.replace(from, to));
        assert!(found.starts_with(expected), "{to}: {found}");
    }
    let cut = &CONSTANTS[..CONSTANTS.find("ant data").unwrap()];
    assert!(error(cut).starts_with("line 6: '/* const' does not belong here"), "{}", error(cut));
    // The compiler prints those of its intermediate code, too.
    let rows = &CONSTANTS[CONSTANTS.find("/*").unwrap()..];
    let both = format!("{CONSTANTS}\nAfter RA:\nACO shader stage: vertex_vs\n\ts_endpgm\n\n{rows}");
    assert_eq!(words(&found(&both), 0), [0xbf80_0000, END, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    // No shader is there yet.
    assert_eq!(words(&found(&format!("{rows}\n{CONSTANTS}")), 0).len(), 11);
}

/// Mail and the kernel's log put something before each line.
#[test]
fn prefixes_of_lines_are_left_out() {
    for prefix in ["> ", "> > ", ">", "[   12.345678] ", "[12.3] "] {
        let text: String = CONSTANTS.lines().map(|line| format!("{prefix}{line}\n")).collect();
        let log = found(&text);
        assert_eq!(names(&log), ["pixel-0"], "{prefix}");
        assert_eq!(words(&log, 0), [0xbf80_0000, END, 1, 2, 3, 4, 5, 6, 7, 8, 9], "{prefix}");
    }
}

/// The file is as before if it has no shader.
#[test]
fn odd_bytes_in_a_log_do_not_matter() {
    for odd in [&b"Andr\xe9"[..], b"\0", b"\x07", b"\x08\x08"] {
        let before = [&b"Device of "[..], odd, b"\n"].concat();
        let log = read(&[&before, CONSTANTS.as_bytes()].concat(), None).unwrap().unwrap();
        assert_eq!(words(&log, 0), [0xbf80_0000, END, 1, 2, 3, 4, 5, 6, 7, 8, 9], "{odd:?}");
        assert!(read(&[&before, &b"Pixel Shader\n"[..]].concat(), None).unwrap().is_none(), "{odd:?}");
        assert!(read(&[&before, &b"\ts_nop 0 ; bf80000\n"[..]].concat(), None).unwrap().is_none(), "{odd:?}");
    }
}

/// After a foreign line a shader begins with a label, a heading, or code at the offset 0.
#[test]
fn shaders_after_foreign_lines() {
    let first = "disasm:\n\ts_endpgm ; bf810000\nATTENTION\n";
    let last = "\ts_endpgm ; bf810000\n";
    for begin in ["other:\n", "Pixel Shader\n", "disasm:\n", "0000000000000000 <other>:\n"] {
        assert_eq!(found(&format!("{first}{begin}{last}")).shaders.len(), 2, "{begin}");
    }
    assert_eq!(found(&format!("{first}\ts_endpgm ; bf810000 [off=0, size=4]\n")).shaders.len(), 2);
}

#[test]
fn logs_without_code_words_say_so() {
    let log = "Pixel Shader\ndisasm:\nShader disassembly is not supported in the current configuration.\n";
    assert!(error(log).contains("without code words"), "{}", error(log));
    assert!(error("After RA:\nACO shader stage: vertex_vs\n\ts_endpgm\n").contains("clrxdisasm"));
    let several = "AMD RADV VEGA10\nAMD RADV FIJI\ndisasm:\n\ts_endpgm ; bf810000\n";
    assert_eq!(error(several), "a log of shaders that names gfx900 and gfx803: choose with --arch");
    assert!(error("AMD RADV NAVI21\nPixel Shader\ndisasm:\n\ts_endpgm ; bf810000\n").contains("not GCN"));
    // Some shaders have code: the others are named.
    let both = found(&format!("{log}Compute Shader\ndisasm:\n\ts_endpgm ; bf810000\n"));
    assert_eq!((names(&both), both.skipped.len()), (vec!["compute-0"], 1));
    assert_eq!(both.skipped[0].name, "pixel shader");
    for text in ["hello, world: this is no log\n", "__kernel void k() {}\n"] {
        assert!(read(text.as_bytes(), None).unwrap().is_none(), "{text}");
    }
    let remark = "__kernel void k() {}\n// 00000000: BF810000 is code, it says";
    assert_eq!(error(remark), "line 2: 'is' is no code word of eight hex digits");
}

#[test]
fn names_that_are_there_get_numbers() {
    let label = |name: &str| format!("0000000000000000 <{name}>:\n\ts_endpgm // 000000000000: BF810000\n");
    let text = [label("k"), label("k"), label("k-1"), label("BB0")].concat();
    assert_eq!(names(&found(&text)), ["k", "k-1", "k-1-1", "shader-0"]);
}

/// What umr prints of two waves of one shader, and of one of another.
#[test]
fn waves_have_the_code_around_them() {
    let wave = |base: &str, words: &[&str]| {
        let line = |(i, word): (usize, &&str)| {
            format!("\t {} pgm[3@{base} + {:#x}  ] = 0x{word}    \t{}\n", if i == 1 { '*' } else { ' ' }, 4 * i, ";;")
        };
        let code: String = words.iter().enumerate().map(line).collect();
        format!(
            "se0.sh0.cu3.simd1.wave0\n\nMain Registers:\n\t\t  pc_hi: 00000008 |  pc_lo: 00100b08 |\n\nSGPRS:\n\t\t\
             [   0..   3] = {{ 00000000, 3f800000, 0, 0 }}\n\nPGM_MEM:\n{code}\n\nLDS_ALLOC[00002008]:\n"
        )
    };
    let [one, other] = [&["be8400ff", "3f012345", "bf810000"][..], &["bf800000", "bf810000"]];
    let dump = found(&[wave("0x100b00", one), wave("0x100b00", one), wave("0x200000", other)].concat());
    assert_eq!(names(&dump), ["shader-0", "shader-1"]);
    assert_eq!((words(&dump, 0), words(&dump, 1)), (vec![0xbe84_00ff, 0x3f01_2345, END], vec![0xbf80_0000, END]));
    let gap = wave("0x100b00", one).replace("+ 0x4", "+ 0x6");
    assert!(error(&gap).contains("is no dword at an address"), "{}", error(&gap));
    let gap = wave("0x100b00", one).replace("+ 0x8", "+ 0xc");
    assert!(error(&gap).contains("code at 0x100b0c; the code before it ends at 0x100b08"), "{}", error(&gap));
}

/// What clrxdisasm prints: code words in front, directives around the code of each kernel.
#[test]
fn listings_of_clrx_have_kernels() {
    let listing = found(
        ".amdcl2\n.gpu Bonaire\n.64bit\n.kernel one\n    .config\n        .dims x\n    .text\n\
         /*7d880004         */ v_cmp_gt_u32    vcc, s4, v0\n/*bf880001         */ s_cbranch_execz .L128_0\n\
         /*8380ff00 0000ffff*/ s_min_u32       s0, s0, 0xffff\n.L128_0:\n/*bf810000         */ s_endpgm\n\
         .kernel two\n    .config\n    .text\n/*bf810000         */ s_endpgm\n",
    );
    assert_eq!(names(&listing), ["one", "two"]);
    assert_eq!(words(&listing, 0), [0x7d88_0004, 0xbf88_0001, 0x8380_ff00, 0xffff, END]);
    assert_eq!((listing.target, listing.arch), (Some("gfx704"), Some(Arch::Gcn11)));
    let text = ".rawcode\n.gpu Fiji\n.text\n/*000000000000: bf800000         */ s_nop 0\n\
                /*000000000004: bf810000         */ s_endpgm\n";
    assert_eq!(words(&found(text), 0), [0xbf80_0000, END]);
    assert!(error(&text.replace("bf810000 ", "bf81000 ")).contains("no code word of eight hex digits"));
}
