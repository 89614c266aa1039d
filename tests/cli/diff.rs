//! `gcnsim diff`: exit codes, messages and reports. Words are those of llvm-mc 15 for gfx900.

use std::fs;

use crate::common;

use common::Bench;
use serde_json::{Value, json};

/// v_interp_p1_f32 v2, v0, attr0.x; v_interp_p2_f32 v2, v1, attr0.x; v_mul_f32 v3, 2.0, v2;
/// exp mrt0 v3, off, off, off done vm; s_endpgm
const DOUBLE: [u32; 6] = [0xd408_0000, 0xd409_0001, 0x0a06_04f4, 0xc400_1801, 3, 0xbf81_0000];
/// The shader above with v_mul_f32 v3, 4.0, v2.
const FOURFOLD: [u32; 6] = [0xd408_0000, 0xd409_0001, 0x0a06_04f6, 0xc400_1801, 3, 0xbf81_0000];

/// Returns two folders of two shaders, of which one differs.
fn bench() -> Bench {
    let bench = Bench::new();
    for folder in ["old", "new", "other"] {
        fs::create_dir(bench.path(folder)).unwrap();
    }
    bench.words("old/a.bin", &DOUBLE).words("old/b.bin", &DOUBLE).words("old/c.bin", &DOUBLE);
    bench.words("new/a.bin", &DOUBLE).words("new/b.bin", &FOURFOLD).words("other/d.bin", &DOUBLE);
    bench
}

#[test]
fn a_difference_is_exit_code_1() {
    let bench = bench();
    let ran = bench.run("diff old new");
    assert_eq!(ran.code, 1, "{ran:?}");
    for line in [
        "same         a.bin",
        "differ       b.bin",
        "  >      8  v_mul_f32_e32 v3, 2.0, v2",
        "2 pairs: 1 same, 1 differ",
        "only in OLD: c.bin",
    ] {
        assert!(ran.stdout.lines().any(|found| found.starts_with(line)), "no '{line}' in {}", ran.stdout);
    }
    assert_eq!(bench.run("diff old new --fail-on none").code, 0);
    assert_eq!(bench.run("diff old/a.bin new/a.bin").code, 0);
    assert_eq!(bench.run("diff old/a.bin new/a.bin --fail-on insensitive").code, 0);
    assert_eq!(bench.run("diff old new --fail-on removed").code, 1);
}

/// s_endpgm: nothing says that it is a pixel shader, so stages differ.
const NO_EXPORT: [u32; 1] = [0xbf81_0000];

#[test]
fn reducers_and_git_bisect_have_exit_codes() {
    let bench = bench();
    bench.words("stage.bin", &NO_EXPORT);
    let code = |command: &str| bench.run(&format!("diff {command}")).code;
    for (pair, interesting, bisect) in [
        ("old/a.bin new/a.bin", 1, 0),
        ("old/b.bin new/b.bin", 0, 1),
        ("old new", 0, 1),
        ("old/a.bin stage.bin", 1, 125),
    ] {
        let both = ["--interesting", "--bisect"].map(|flag| code(&format!("{pair} {flag}")));
        assert_eq!(both, [interesting, bisect], "{pair}");
    }
    bench.run("diff old other --bisect").fails(125, "looked for d.bin among a.bin, b.bin, c.bin");
    assert_eq!(["old other --interesting", "old new --bisect --interesting"].map(code), [2, 2]);
    assert_eq!(code("old new --bisect --fail-on none"), 2);
}

#[test]
fn reports_hold_the_pairs() {
    let bench = bench();
    let ran = bench.run("diff old new --json --junit j.xml --report r.html --deqp-csv s.csv --synthetic=float");
    let lines: Vec<serde_json::Value> = ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((lines.len(), &lines[1]["result"], &lines[1]["first"]["pc_new"]), (3, &"differ".into(), &"0x8".into()));
    assert_eq!((&lines[2]["same"], &lines[2]["removed"][0]), (&1.into(), &"c.bin".into()));
    assert!(bench.read("j.xml").contains("tests=\"2\" failures=\"1\" skipped=\"0\""));
    assert_eq!(bench.read("s.csv"), "a.bin,Pass\nb.bin,Fail\n");
    bench.run("diff old new --fail-on none --deqp-csv s.csv");
    assert_eq!(bench.read("s.csv"), "a.bin,Pass\nb.bin,Skip\n");
    assert!(bench.read("r.html").contains("v_mul_f32_e32 v3, 4.0, v2"));
    let markdown = bench.run("diff old new --markdown");
    assert!(
        markdown.stdout.starts_with("### gcnsim diff: differences found\n\n- 1 same\n- 1 differ\n"),
        "{markdown:?}"
    );
}

/// By its README, the log has a pixel, an evaluation and a hull shader. The object has functions of three stages.
#[test]
fn files_without_a_common_entry_are_no_pair() {
    let bench = Bench::new();
    let corpus = format!("{}/corpus", env!("CARGO_MANIFEST_DIR"));
    fs::copy(format!("{corpus}/containers/tessellation-gfx900.log"), bench.path("old.log")).unwrap();
    fs::copy(format!("{corpus}/elf/shaders-pal-gfx900.o"), bench.path("new.o")).unwrap();
    let ran = bench.run("diff old.log new.o --json");
    ran.fails(2, "no entry of OLD has a partner in NEW: looked for 'new.o: _amdgpu_");
    assert_eq!(ran.stdout, "");
}

#[test]
fn what_cannot_be_compared_is_usage() {
    let bench = bench();
    bench.run("diff old other").fails(2, "looked for d.bin among a.bin, b.bin, c.bin");
    bench.run("diff old nothing").fails(2, "no such file or folder: nothing");
    bench.run("diff old new --tolerance 2").fails(2, "expected a number from 0 to below 1");
    bench.run("diff old new --synthetic=floats").fails(2, "expected float, int or mixed");
    bench.run("diff old new --fail-on all").fails(2, "'all': expected differ");
    bench.run("diff old new --report old/a.bin").fails(2, "a.bin");
    bench.run("diff - new").fails(2, "stdin");
}

/// Returns the instructions that `diff` blames, on the old and on the new side, and the result.
fn blamed(bench: &Bench, old: &str, new: &str) -> [String; 2] {
    let ran = bench.run(&format!("diff --json {old} {new}"));
    let first: serde_json::Value = serde_json::from_str(ran.stdout.lines().next().unwrap()).unwrap();
    assert_eq!(first["result"], "differ", "{first}");
    ["inst_old", "inst_new"].map(|key| first["first"][key].as_str().unwrap_or_default().to_owned())
}

/// A compare is the other way round, and so a uniform branch by VCCZ, SCC or EXECZ: it is named on both sides, and in
/// both directions. Words are those of llvm-mc 15 for gfx803; s0 and s1 come from memory.
#[test]
fn compares_that_decide_branches_are_named() {
    let start = [0xbe88_017e, 0xc026_0002, 0x0000_0010, 0xbf8c_007f, 0x7e00_0201, 0x7e02_0280, 0x7e04_0280];
    let end = [0x7e0a_02f2, 0x7e0c_02f2, 0x7e0e_02f2, 0xc400_180f, 0x0201_0201, 0xbf81_0000];
    // v_mov_b32 v1, 0.5; v_mov_b32 v2, 1.0
    let skipped = [0x7e02_02f0, 0x7e04_02f2];
    let branches: [(&str, &[u32]); 3] = [
        // s_nop 4; s_cbranch_vccz
        ("vccz", &[0xbf80_0004, 0xbf86_0002]),
        // s_and_b64 vcc, vcc, exec; s_cbranch_scc0
        ("scc0", &[0x86ea_7e6a, 0xbf84_0002]),
        // s_and_b64 exec, exec, vcc; s_cbranch_execz
        ("execz", &[0x86fe_6a7e, 0xbf88_0002]),
    ];
    for (name, branch) in branches {
        let bench = Bench::new();
        // v_cmp_gt_f32, v_cmp_ngt_f32
        for (file, compare) in [("a", 0x7c88_0000), ("b", 0x7c96_0000)] {
            // s_mov_b64 exec, s[8:9]
            let words = [&start[..], &[compare], branch, &skipped, &[0xbefe_0108], &end].concat();
            bench.words(&format!("{file}.bin"), &words);
            bench.file(&format!("{file}.toml"), "arch = \"gcn1.2\"\nstage = \"pixel\"\n");
        }
        let [gt, ngt] = ["v_cmp_gt_f32_e32 vcc, s0, v0", "v_cmp_ngt_f32_e32 vcc, s0, v0"];
        assert_eq!(blamed(&bench, "a.bin", "b.bin"), [gt, ngt], "{name}");
        assert_eq!(blamed(&bench, "b.bin", "a.bin"), [ngt, gt], "{name}");
    }
}

/// A value is stored to a wrong address of LDS and read back where it should be: the address is named. Words are those
/// of llvm-mc 15 for gfx900.
#[test]
fn wrong_addresses_are_named_through_lds() {
    let words = |shifted: u32| {
        [
            0xd28c_0000,
            0x0001_00c1,
            0xd28d_0000,
            0x0002_00c1,
            shifted,
            0x7e08_0d00,
            0xd81a_0000,
            0x0000_0401,
            0xbf8c_c07f,
            0x2404_0082,
            0xd86c_0000,
            0x0300_0002,
            0xbf8c_c07f,
            0xc400_180f,
            0x0303_0303,
            0xbf81_0000,
        ]
    };
    let bench = Bench::new();
    for (file, shifted) in [("a", 0x2402_0082), ("b", 0x2402_0083)] {
        bench.words(&format!("{file}.bin"), &words(shifted));
        bench.file(&format!("{file}.toml"), "arch = \"gcn1.4\"\nstage = \"pixel\"\n");
    }
    let [right, wrong] = ["v_lshlrev_b32_e32 v1, 2, v0", "v_lshlrev_b32_e32 v1, 3, v0"];
    assert_eq!(blamed(&bench, "a.bin", "b.bin"), [right, wrong]);
    assert_eq!(blamed(&bench, "b.bin", "a.bin"), [wrong, right]);
}

/// A loop that no longer ends: the branch that turns is named, on the side that never ends.
#[test]
fn a_loop_without_an_end_is_named() {
    let bench = Bench::new();
    // 0: s_mov_b32 s0, 4; 4: s_sub_u32 s0, s0, 1 (or 0); 8: s_cmp_lg_u32 s0, 0; c: s_cbranch_scc1 4
    let count = |step: u32| [0xbe80_0084, 0x8080_8000 | step << 8, 0xbf07_8000, 0xbf85_fffd, common::END];
    for (name, step) in [("ends", 0x81), ("turns", 0x80)] {
        bench.words(&format!("{name}.bin"), &count(step)[..]);
    }
    let ran = bench.run("diff --json --arch gcn1.4 ends.bin turns.bin");
    let pair: Value = serde_json::from_str(ran.stdout.lines().next().unwrap()).unwrap();
    let first = &pair["first"];
    assert_eq!(
        (&pair["result"], &first["what"], &first["new"]),
        (&json!("differ"), &json!("outcome"), &json!("budget"))
    );
    assert_eq!((&first["pc_old"], &first["pc_new"]), (&Value::Null, &json!("0xc")), "{pair}");
    assert!(first["inst_new"].as_str().unwrap().starts_with("s_cbranch_scc1"), "{pair}");
    let text = bench.run("diff --arch gcn1.4 turns.bin ends.bin").stdout;
    assert!(text.lines().any(|line| line.trim_start().starts_with("> ") && line.contains("s_cbranch_scc1")), "{text}");
}
