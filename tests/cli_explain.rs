//! `explain`, and branch targets in `--trace`.
#![cfg(feature = "cli")]
#![cfg(feature = "jit")]

mod common;

use common::{Bench, bytes};

/// s0 = 0; twice: loop { s0 += 1; until s0 == limit }; end
const LOOPS: [u32; 8] =
    [0xbe80_0080, 0x8000_8100, 0xbf07_8a00, 0xbf85_fffd, 0x8000_8100, 0xbf07_9400, 0xbf85_fffd, 0xbf81_0000];

fn corpus(name: &str) -> String {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(name).display().to_string()
}

/// The region has two loops. A jump table allows entering at each.
#[test]
fn no_data_is_shown_as_code() {
    let bench = Bench::new();
    bench.file("loops.bin", bytes(&LOOPS));
    let ran = bench.run("explain --arch gcn1.4 loops.bin");
    assert_eq!(ran.code, 0, "{ran:?}");
    if cfg!(target_arch = "x86_64") {
        assert!(ran.stdout.contains("(jump table, "), "{}", ran.stdout);
        assert!(!ran.stdout.contains("(bad)") && !ran.stdout.contains("add [rax], al"), "{}", ran.stdout);
    }
    // This program has constants after the code.
    let ran = bench.run(&format!("explain {}", corpus("loops/bits.bin")));
    if cfg!(target_arch = "x86_64") {
        assert!(ran.stdout.contains("(constants, ") && !ran.stdout.contains("(bad)"), "{}", ran.stdout);
    }
    // An endless loop is run only for a while.
    bench.file("endless.bin", 0xbf82_ffffu32.to_le_bytes());
    let ran = bench.run("explain --hot --max-insts 100000 --arch gcn1.4 endless.bin");
    assert!(ran.code == 0 && ran.stdout.contains("instructions executed in it"), "{ran:?}");
    bench.run("explain --hot --max-insts 10 --arch gcn1.4 endless.bin").fails(1, "nothing got hot enough");
}

#[test]
fn listings_fit_the_width_and_keep_the_columns_beside_each_other() {
    let bench = Bench::new();
    for file in ["loops/gcd.bin", "loops/bits.bin", "programs/modpow-gcn1.4.bin"] {
        for width in [80, 120, 160, 200] {
            let ran = bench.run(&format!("explain --width {width} {}", corpus(file)));
            assert_eq!(ran.code, 0, "{ran:?}");
            // The first line has the file's name, which is not cut.
            let widest = ran.stdout.lines().skip(1).map(|line| line.chars().count()).max().unwrap();
            assert!(widest <= width, "{file}: {widest} of {width}: {}", ran.stdout);
            assert!(widest > 70, "{}", ran.stdout);
            assert!(width > 80 || ran.stdout.contains('\u{2026}'), "nothing is cut: {}", ran.stdout);
            if cfg!(target_arch = "x86_64") {
                assert!(ran.stdout.lines().any(three_columns), "{}", ran.stdout);
            }
        }
    }
}

/// Whether a line has a guest instruction with its address, IR, and a host instruction with its offset.
fn three_columns(line: &str) -> bool {
    let is_address = |word: &str| word.len() == 4 && word.chars().all(|c| c.is_ascii_hexdigit());
    let addresses = line.split_whitespace().filter(|word| is_address(word.trim_start_matches('H'))).count();
    line.contains("  s_") && line.contains(" v") && addresses == 2
}

/// s4 is only read, and s0 is written before it is read: only s4 is loaded.
#[test]
fn loads_are_what_is_loaded() {
    let bench = Bench::new();
    // s_mov_b32 s0, 0; s_add_u32 s0, s0, s4; s_endpgm
    bench.words("x.bin", &[0xbe80_0080, 0x8000_0400, 0xbf81_0000]);
    let ran = bench.run("explain --arch gcn1.4 --width 120 x.bin");
    let line = |start: &str| ran.stdout.lines().find(|line| line.starts_with(start)).unwrap_or_default().to_owned();
    assert_eq!((line("loads"), line("writes")), ("loads  s4".into(), "writes s0 scc".into()), "{}", ran.stdout);
    let json = bench.run("explain --arch gcn1.4 --json x.bin").json();
    assert_eq!(json["loads"], serde_json::json!(["s4"]));
    assert_eq!((&json["reads_or_writes"][0], &json["blocks"][0]["label"]), (&"s0".into(), &"L0000".into()));
}

/// Heads of blocks in the IR name the registers that values hold. Branches name blocks in all columns.
#[test]
fn values_and_branches_have_names() {
    let bench = Bench::new();
    bench.words("loops.bin", &LOOPS);
    let ran = bench.run("explain --arch gcn1.4 --width 200 loops.bin");
    let has = |what: &str| assert!(ran.stdout.contains(what), "no '{what}' in {}", ran.stdout);
    has("s_cbranch_scc1 L0004");
    has("s_cbranch_scc1 L0010");
    let head = ran.stdout.lines().find(|line| line.contains("L0004(")).unwrap_or_default();
    assert!(head.contains("s0 = v") && head.contains("fuel = v") && !head.contains(": i"), "{}", ran.stdout);
    // This is the loop's branch back in the IR.
    assert!(ran.stdout.lines().any(|line| line.contains("brif") && line.contains("L0004(")), "{}", ran.stdout);
    if cfg!(target_arch = "x86_64") {
        // This is a jump of the host, and its target.
        let words: Vec<_> = ran.stdout.split_whitespace().collect();
        let jumps = words.windows(2).filter(|pair| pair[0].starts_with('j') && pair[1].starts_with('H'));
        let jump = jumps.map(|pair| pair[1]).next().unwrap_or_default();
        let marked = words.iter().filter(|word| **word == jump).count();
        assert!(marked >= 2, "{jump}: {}", ran.stdout);
        assert!(!ran.stdout.contains("0x00000000000"), "{}", ran.stdout);
    }
    for line in ran.stdout.lines() {
        assert!(!line.contains(" -> v"), "an alias: {line}");
    }
}

#[test]
fn one_block_of_a_region() {
    let bench = Bench::new();
    bench.words("loops.bin", &LOOPS);
    let all = bench.run("explain --arch gcn1.4 loops.bin");
    let one = bench.run("explain --arch gcn1.4 --block 0x14 loops.bin");
    assert!(all.stdout.contains("\nL0004:") && all.stdout.contains("\nL0010:"), "{}", all.stdout);
    assert!(!one.stdout.contains("\nL0004:") && one.stdout.contains("\nL0010:"), "{}", one.stdout);
    assert!(all.stdout.contains("prologue") && !one.stdout.contains("prologue"), "{}", one.stdout);
    let json = bench.run("explain --arch gcn1.4 --block 0x14 --json loops.bin").json();
    assert!(json["blocks"].as_array().unwrap().iter().all(|block| block["pc"] == "0x10"), "{json}");
    bench.run("explain --arch gcn1.4 --block 0x40 loops.bin").fails(2, "the region has no instruction at 0x40");
}

#[test]
fn traces_say_where_branches_lead() {
    let bench = Bench::new();
    // s_cbranch_scc1 +1; s_getpc_b64 s[0:1]; s_add_u32 s0, s0, 12; s_setpc_b64 s[0:1]; s_nop 0; s_endpgm
    bench.words("x.bin", &[0xbf85_0001, 0xbe80_1c00, 0x8000_8c00, 0xbe80_1d00, 0xbf80_0000, 0xbf81_0000]);
    let ran = bench.run("run --arch gcn1.4 --trace x.bin");
    assert!(ran.stdout.starts_with("000000000000  s_cbranch_scc1 1 -> 000000000008\n"), "{}", ran.stdout);
    let jump = ran.stdout.lines().find(|line| line.contains("s_setpc_b64")).unwrap_or_default();
    assert!(jump.ends_with(" -> 000000000014"), "{}", ran.stdout);
}

#[test]
fn source_lines_are_named_where_the_object_has_them() {
    let bench = Bench::new();
    let object = corpus("kernels/hostile/hostile.co");
    // Line 4 of hostile.cl is the body of this kernel; llvm-dwarfdump says so, too.
    let explain = format!("explain --kernel wild_store {object}");
    let ran = bench.run(&explain);
    assert!(ran.stdout.lines().any(|line| line == "hostile.cl:4"), "{}", ran.stdout);
    let json = bench.run(&format!("{explain} --json")).json();
    let sources = |json: &serde_json::Value| json.to_string().matches("\"source\":\"hostile.cl:4\"").count();
    assert!(sources(&json) > 0, "{json}");
    let json = bench.run(&format!("explain --json {}", corpus("loops/bits.bin"))).json();
    assert_eq!(json.to_string().matches("\"source\"").count(), 0, "{json}");
}
