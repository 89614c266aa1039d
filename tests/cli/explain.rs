//! `explain`, and branch targets in `--trace`.

use crate::common;

use common::{Bench, bytes};

/// s0 = 0; then twice: loop { s0 += 1; until s0 == limit }; end.
const LOOPS: [u32; 8] =
    [0xbe80_0080, 0x8000_8100, 0xbf07_8a00, 0xbf85_fffd, 0x8000_8100, 0xbf07_9400, 0xbf85_fffd, 0xbf81_0000];

fn corpus(name: &str) -> String {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(name).display().to_string()
}

/// The region has two loops and can be entered at each, by a jump table among the host code.
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
    // The program has constants after the code.
    let ran = bench.run(&format!("explain {}", corpus("loops/bits.bin")));
    if cfg!(target_arch = "x86_64") {
        assert!(ran.stdout.contains("(constants, ") && !ran.stdout.contains("(bad)"), "{}", ran.stdout);
    }
    // An endless loop runs only for a while.
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
            // The first line has the name of the file, which is never cut.
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

/// The heads of blocks in the IR say which registers the values hold. Branches name blocks in all columns.
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
    // The loop's branch back is in the IR.
    assert!(ran.stdout.lines().any(|line| line.contains("brif") && line.contains("L0004(")), "{}", ran.stdout);
    if cfg!(target_arch = "x86_64") {
        // The host code has a jump, and its target.
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

/// v_add_u32 v1, s4, v0; s_mov_b32 s4, 7; v_cmp_lt_u32 vcc, v1, v0; v_cndmask_b32 v2, v0, v1, vcc;
/// v_xor_b32 v3, s4, v2; s_endpgm
const SEGMENT: [u32; 6] = [0x6802_0004, 0xbe84_0087, 0x7d92_0101, 0x0004_0300, 0x2a06_0404, 0xbf81_0000];

/// The code of a function that segments call is listed once, after the segment.
#[test]
fn routines_have_names_and_host_code() {
    let bench = Bench::new();
    // v_exp_f32 v2, v1; v_log_f32 v3, v0; v_exp_f32 v0, v2; s_endpgm
    bench.words("x.bin", &[0x7e04_4101, 0x7e06_4300, 0x7e00_4102, 0xbf81_0000]);
    let ran = bench.run("explain --arch gcn1.4 --width 160 x.bin");
    let count = |what: &str| ran.stdout.lines().filter(|line| line.trim_end().ends_with(what)).count();
    let times = if chunks() == 0 { [0; 4] } else { [2, 1, 1, 1] };
    assert_eq!([count("call exp2"), count("call log2"), count(" exp2:"), count(" log2:")], times, "{}", ran.stdout);
}

/// Returns the number of chunks of lanes in a segment: 0 if the host has neither AVX-512 nor AVX2.
fn chunks() -> usize {
    #[cfg(target_arch = "x86_64")]
    return gcnsim_jit::segments::Features::detect().map_or(0, |features| 64 / features.width.lanes());
    #[cfg(not(target_arch = "x86_64"))]
    return 0;
}

#[test]
fn segments_have_guest_code_registers_and_host_code() {
    let bench = Bench::new();
    bench.words("x.bin", &SEGMENT);
    let json = bench.run("explain --arch gcn1.4 --json x.bin").json();
    let segments = json["segments"].as_array().unwrap();
    let chunks = chunks();
    if chunks == 0 {
        return assert!(segments.is_empty(), "{json}");
    }
    assert_eq!(segments.len(), 1, "{json}");
    let segment = &segments[0];
    assert_eq!(segment["reads"], serde_json::json!(["v0", "s4", "exec"]));
    // (V1 is not read after its store.)
    assert_eq!(segment["writes"], serde_json::json!(["v1", "v2", "v3", "vcc"]));
    assert_eq!(segment["chunks"], chunks);
    // With AVX2, a store loads the old value first, to keep the lanes that are not active.
    let is_narrow = chunks == 8;
    assert_eq!(
        (&segment["chunk_loads"], &segment["chunk_stores"], &segment["chunk_spills"]),
        (&if is_narrow { 4 } else { 1 }.into(), &3.into(), &0.into())
    );
    let insts = segment["instructions"].as_array().unwrap();
    let scalar: Vec<bool> = insts.iter().map(|inst| inst["scalar"].as_bool().unwrap()).collect();
    assert_eq!(scalar, [false, true, false, false, false]);
    let host = |i: usize| insts[i]["host"].to_string();
    let registers = |i: usize| insts[i]["registers"].to_string();
    // Each instruction has a host instruction, and its result is in the register that the host instruction names.
    let [blend, xor] = if is_narrow { ["vblendvps", "vpxor"] } else { ["vpblendmd", "vpxord"] };
    for (i, mnemonic, name) in [(0, "vpaddd", "v1"), (2, "vpcmp", "vcc"), (3, blend, "v2"), (4, xor, "v3")] {
        assert!(host(i).contains(mnemonic), "{mnemonic}: {segment}");
        let pairs = insts[i]["registers"].as_array().unwrap();
        let register = pairs.iter().find(|pair| pair[0] == name).and_then(|pair| pair[1].as_str()).unwrap_or_default();
        assert!(!register.is_empty(), "{name}: {segment}");
        assert!(host(i).contains(&format!(" {register}")), "{name} in {register}: {segment}");
    }
    assert!(host(1) == "[]" && registers(1) == "[]", "{segment}");
    assert!(host(0).contains("s4") && host(0).contains("v0"), "operands in memory have names: {segment}");
    // With AVX2 the bits of lanes are a constant with a name.
    assert_eq!(segment["prologue"].to_string().contains("=lanes"), is_narrow, "{segment}");
    // The code of the region shows where the segment is called.
    let first = json["blocks"][0]["instructions"][0]["host"].to_string();
    assert!(first.contains("(segment 1)") && first.contains("call"), "{first}");
}

#[test]
fn segments_fit_the_width() {
    let bench = Bench::new();
    bench.words("x.bin", &SEGMENT);
    for width in [80, 160] {
        let ran = bench.run(&format!("explain --arch gcn1.4 --width {width} x.bin"));
        let at = ran.stdout.find("\nsegment 1, in L0000\n");
        assert_eq!(at.is_some(), chunks() > 0, "{}", ran.stdout);
        let Some(at) = at else { continue };
        let lines: Vec<&str> = ran.stdout[at..].lines().collect();
        assert!(lines.iter().all(|line| line.chars().count() <= width), "{}", ran.stdout);
        let line = lines.iter().find(|line| line.contains("v_cmp_lt_u32")).copied().unwrap_or_default();
        let register = if chunks() == 4 { "vcc k" } else { "vcc ymm" };
        assert!(line.starts_with("0008  v_cmp_lt_u32") && line.contains(register), "{line}");
        assert!(lines.iter().any(|line| line.starts_with("reads  v0 s4 exec")), "{}", ran.stdout);
        assert!(lines.iter().any(|line| line.starts_with("0004  s_mov_b32") && line.ends_with("(executed before)")));
    }
    // A block that is not shown does not show its segments.
    let words: Vec<u32> = LOOPS.into_iter().chain(SEGMENT).collect();
    bench.words("two.bin", &words[..7].iter().chain(&words[8..]).copied().collect::<Vec<_>>());
    let shows =
        |options: &str| bench.run(&format!("explain --arch gcn1.4 {options} two.bin")).stdout.contains("\nsegment ");
    assert_eq!((shows(""), shows("--block 0x0"), shows("--block 0x1c")), (chunks() > 0, false, chunks() > 0));
}

/// `--launch` and `--only` show the kernel of a launch, and run it for `--hot`.
#[test]
fn kernels_of_launches_are_explained() {
    let bench = Bench::new();
    bench.file("k.co", std::fs::read(corpus("kernels/kernels-gfx900-v5-O2.co")).unwrap());
    let launch = |name: &str, kernel: &str| {
        serde_json::json!({
            "name": name, "kernel": kernel, "grid": 16384, "group": 256,
            "args": [{"buffer": "s"}, {"u32": 27}], "buffers": {"s": {"size": 65536}},
        })
    };
    bench.file("l.json", serde_json::json!({"launch": [launch("a", "collatz"), launch("b", "collatz")]}).to_string());
    let start = bench.run("explain k.co --launch l.json --only b");
    assert!(start.code == 0 && start.stdout.contains("k.co: collatz"), "{start:?}");
    let hot = bench.run("explain k.co --launch l.json --only 1 --hot --json").json();
    assert!(hot["executed"].as_u64().unwrap() > 100_000, "{hot}");
    // The region lies in the kernel, at addresses of the file.
    let listed = bench.run("disasm k.co").stdout;
    let pc = u64::from_str_radix(hot["pc"].as_str().unwrap().trim_start_matches("0x"), 16).unwrap();
    assert!(listed.contains(&format!("{pc:012x}: ")), "{pc:#x}: {listed}");
    bench.run("explain k.co --launch l.json").fails(2, "several launches: choose one with --only: 'a', 'b'");
    bench.run("explain k.co --only a").fails(2, "no launch file lies beside it");
    bench.run("explain k.co --launch l.json --only c").fails(2, "no launch 'c'; there are a, b");
}
