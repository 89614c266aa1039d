//! Bad input: a clear message with a position, the right exit code, no panic, no hang.

use crate::common;

use common::{Bench, END, elf};

#[test]
fn files_that_cannot_be_read() {
    let bench = Bench::new();
    bench.file("empty.bin", []).file("odd.bin", [1, 2, 3, 4, 5]);
    std::fs::create_dir(bench.path("folder")).unwrap();
    for command in ["run", "disasm"] {
        bench.run(&format!("{command} missing.bin")).fails(2, "missing.bin: cannot read: no such file or directory");
        let said = bench.run(&format!("{command} missing.bin")).stderr.to_lowercase();
        assert_eq!(said.matches("no such file").count(), 1, "{said}");
        bench.run(&format!("{command} empty.bin")).fails(2, "empty.bin: the file is empty");
        bench
            .run(&format!("{command} odd.bin"))
            .fails(2, "odd.bin: the length, 5 bytes, is not a multiple of 4: 1 left over at offset 0x4");
        bench.run(&format!("{command} folder")).fails(2, "folder: is a directory");
    }
    bench.run("verify missing.jsonl").fails(2, "missing.jsonl");
    bench.run("verify folder").fails(2, "folder is a folder: name its files, for example folder/*.jsonl.gz");
    bench.run("lint empty.bin odd.bin").fails(2, "empty.bin: the file is empty");
    let unread = bench.run("lint empty.bin odd.bin").stdout;
    assert!(unread.contains("2 files unreadable (empty.bin, odd.bin), 0 skipped"), "{unread}");
    bench.run_with_stdin("run -", b"xyz").fails(2, "<stdin>: the length, 3 bytes");
}

#[test]
fn elf_files_that_are_cut_or_for_other_machines() {
    let bench = Bench::new();
    for (name, message) in [
        ("v4-gfx908.co", "ELF code for gfx908, which is not GCN 1.0 to 1.4"),
        ("v4-gfx1030.co", "ELF code for gfx1030, which is not GCN 1.0 to 1.4"),
    ] {
        bench.file("x.co", elf(name));
        for command in ["run", "disasm", "scan"] {
            bench.run(&format!("{command} x.co")).fails(2, message);
        }
    }
    let whole = elf("v3-gfx900.co");
    for length in [4, 63, 64, 1000, whole.len() - 1] {
        bench.file("x.co", &whole[..length]);
        bench.run("run x.co").fails(2, "x.co: broken ELF: ");
        bench.run("disasm x.co").fails(2, "at offset 0x");
    }
    bench.file("x.co", b"CCOB\0\0\0\0");
    bench.run("disasm x.co").fails(2, "compressed offload bundle");
}

/// The message names the kind of a file that is not code, in the same words for every command. `--raw` runs it all the
/// same.
#[test]
fn files_that_are_no_code() {
    let bench = Bench::new();
    let spirv = common::bytes(&[0x0723_0203, 0x0001_0300, 0x0008_000b, 40, 0, 0x0002_0011, 1]);
    let files: [(&str, &[u8], &str); 9] = [
        ("a.spv", &spirv, "a SPIR-V module is no GCN code: compile it"),
        ("a.foz", b"\x81FOSSILIZEDB\0\0\0\x06", "a Fossilize archive is no GCN code: it holds SPIR-V"),
        ("a.rdc", b"RDOC\0\0\0\0\x02\x01\0\0\0\0\0\0", "a RenderDoc capture is no GCN code: replay it"),
        ("a.pipe", b"[Version]\nversion = 57\n\n[CsSpirv]\n", "an LLPC pipeline (.pipe) is no GCN code"),
        ("a.s", b"\ts_mov_b32 s0, 1\n\ts_endpgm\n", "GCN assembly is no GCN code: assemble it"),
        ("a.cl", b"kernel void k(global int *p) { *p = 1; }\n", "OpenCL source is no GCN code: compile it"),
        ("b.json", b"{\"launch\": []}\n", "a launch file is no GCN code: give the code object, and this with --launch"),
        ("a.bc", b"BC\xc0\xde\x35\x14\0\0", "LLVM bitcode is no GCN code: compile it"),
        ("a.txt", b"this is text that somebody gave\n", "text is no GCN code"),
    ];
    for (name, content, message) in files {
        bench.file(name, content);
        for command in ["run", "run --grid 4 --group 4", "disasm", "scan", "launch-template"] {
            bench.run(&format!("{command} {name}")).fails(2, &format!("{name}: {message}"));
        }
        bench.run_with_stdin("disasm -", content).fails(2, &format!("<stdin>: {message}"));
        let ran = bench.run(&format!("batch {name}"));
        assert_eq!((ran.code, ran.stdout.lines().count()), (1, 2), "{ran:?}");
        assert!(ran.stdout.contains(r#""outcome":"bad-input""#) && ran.stdout.contains("is no GCN code"), "{ran:?}");
    }
    let ran = bench.run("run --raw --arch gcn1.4 --json a.spv");
    assert_eq!((ran.code, ran.json()["outcome"].as_str()), (1, Some("fault")), "{ran:?}");
    assert!(bench.run("disasm --raw --arch gcn1.4 a.spv").stdout.contains("07230203"));
    assert!(bench.run("batch --raw --arch gcn1.4 a.spv").stdout.contains(r#""outcome":"fault""#));
}

/// Every command refuses programs above the size limit without reading them. The files are sparse.
#[cfg(unix)]
#[test]
fn programs_that_are_too_long() {
    let bench = Bench::new();
    for length in [(256 << 20) + 4, 20 << 30] {
        std::fs::File::create(bench.path("x.bin")).unwrap().set_len(length).unwrap();
        let message = format!("x.bin: a program of {length} bytes: programs have up to 268435456 (256 MiB)");
        for command in ["run", "disasm", "scan", "explain", "launch-template", "run --grid 1 --group 1"] {
            bench.run(&format!("{command} --arch gcn1.4 x.bin")).fails(2, &message);
        }
        let ran = bench.run("batch x.bin");
        assert!(ran.code == 1 && ran.stdout.contains(&message[7..]), "{ran:?}");
    }
    for command in ["run /dev/zero", "disasm /dev/zero", "scan /dev/zero"] {
        bench.run(command).fails(2, "/dev/zero: more than 268435456 bytes");
    }
}

/// Listings and scans need only a few bytes of memory for each dword. `ulimit` refuses more.
#[cfg(target_os = "linux")]
#[test]
fn long_programs_take_little_memory() {
    let bench = Bench::new();
    // The words are additions, jumps, literals, computed jumps, and dwords that are not instructions.
    let words = [0x8001_0001, 0xbf84_0001, 0xbe80_00ff, 5, 0xbe80_1d00, 0xbeff_ffff];
    bench.words("x.bin", &words.repeat((8 << 20) / 24));
    for command in
        ["disasm --arch gcn1.4", "disasm --arch gcn1.4 --json", "scan --arch gcn1.4", "scan --all --arch gcn1.4"]
    {
        let mut shell = std::process::Command::new("sh");
        let line = format!("ulimit -v 256000; exec {} {command} x.bin >/dev/null", env!("CARGO_BIN_EXE_gcnsim"));
        let output = shell.args(["-c", &line]).current_dir(bench.path("")).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{command}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

/// A launch needs a kernel; raw dwords and empty files have none.
#[test]
fn launches_of_what_has_no_kernels() {
    let bench = Bench::new();
    bench.words("raw.bin", &[0xbe80_0080, END]).file("empty.bin", []);
    for command in ["run --grid 4 --group 4", "run --kernel k --grid 4 --group 4", "launch-template"] {
        bench.run(&format!("{command} raw.bin")).fails(2, "raw.bin: raw dwords have no kernels to launch");
        bench.run(&format!("{command} empty.bin")).fails(2, "empty.bin: the file is empty");
    }
    bench.run("run --kernel k raw.bin").fails(2, "raw.bin: a raw file has no kernels");
}

#[test]
fn wrong_usage() {
    let bench = Bench::new();
    bench.words("x.bin", &[END]);
    for (arguments, message) in [
        ("run --arch gfx1030 x.bin", "unknown architecture 'gfx1030'"),
        ("run --arch gcn1.3 x.bin", "unknown architecture 'gcn1.3'"),
        ("run --max-insts many x.bin", "'many' is not a number"),
        ("run --max-insts -1 x.bin", "-1"),
        ("run --sgpr 5 x.bin", "expected N=V"),
        ("run --sgpr 128=1 x.bin", "operand code, 0 to 127"),
        ("run --sgpr 0=0x100000000 x.bin", "does not fit 32 bits"),
        ("run --sgpr 0=1 --sgpr 0=2 x.bin", "s0 is named twice"),
        ("run --exec 1 --sgpr 126=2 x.bin", "exec_lo (sgpr 126) is named twice"),
        ("run --max-insts -1 x.bin", "'-1' is negative"),
        ("run --entry -4 x.bin", "'-4' is negative"),
        ("run --base 2 x.bin", "'2' is not a multiple of 4"),
        ("run --entry 0x3 x.bin", "'0x3' is not a multiple of 4"),
        ("run --interp --check x.bin", "cannot be used with"),
        ("run --interp --region-max 0 x.bin", "at least one instruction"),
        ("run --json --dump-state - x.bin", "both want stdout"),
        ("run --kernel main x.bin", "x.bin: a raw file has no kernels"),
        ("run --dump-state no/such/folder/d.json x.bin", "cannot write no/such/folder/d.json"),
        ("run", "required"),
        ("run --frobnicate x.bin", "unexpected argument '--frobnicate'"),
        ("disasm --words -", "--words needs --arch"),
        ("disasm", "required"),
        ("verify --engine gpu x", "invalid value 'gpu'"),
    ] {
        bench.run(arguments).fails(2, message);
    }
    assert_eq!(bench.run("").code, 2);
}

#[test]
fn state_files() {
    let bench = Bench::new();
    bench.words("x.bin", &[END]);
    let lanes = |n: usize| vec!["0"; n].join(",");
    let short = format!(r#"{{"vgpr": {{"3": [{}]}}}}"#, lanes(63));
    let long = format!(r#"{{"vgpr": {{"3": [{}]}}}}"#, lanes(65));
    for (text, message) in [
        (short.as_str(), "vgpr 3: 63 lanes instead of 64"),
        (long.as_str(), "vgpr 3: 65 lanes instead of 64"),
        (r#"{"sgpr": {"200": 1}}"#, "sgpr: there is no register '200'"),
        (r#"{"sgpr": {"0": "one"}}"#, "for sgpr 0"),
        (r#"{"sgpr": {"0": [1]}}"#, "for sgpr 0"),
        (r#"{"exec": null}"#, "for exec"),
        (r#"{"vcc": 1, "sgpr": {"106": 1}}"#, "vcc_lo (sgpr 106) is named twice"),
        ("{\n  \"scc\": 7\n}", "scc: 7 is neither 0 nor 1 at line 2"),
        ("{\"scc\": 1", "at line 1 column 9"),
        ("", "EOF"),
    ] {
        bench.file("s.json", text);
        let ran = bench.run("run --arch gcn1.4 --state s.json x.bin");
        ran.fails(2, message);
        ran.fails(2, "state file s.json");
    }
    bench
        .run("run --arch gcn1.4 --state nowhere.json x.bin")
        .fails(2, "state file nowhere.json: cannot read: no such file or directory");
}

#[test]
fn sidecars() {
    let bench = Bench::new();
    bench.words("x.bin", &[END]);
    for (text, message) in [
        ("arch = \"gfx1030\"", "unknown architecture 'gfx1030'"),
        ("entry = 2", "entry 0x2 is not a multiple of 4"),
        ("[expect]\noutcome = \"done\"", "unknown outcome 'done'"),
        ("nonsense", "line 1"),
    ] {
        bench.file("x.toml", text);
        let ran = bench.run("run x.bin");
        ran.fails(2, message);
        ran.fails(2, "x.toml");
    }
}

/// What a launch file is instead is said in words of our own, with the place.
#[test]
fn launch_files_that_are_none() {
    let bench = Bench::new();
    bench.file("k.co", elf("v3-gfx900.co")).file("e.json", "").file("e.toml", "\n");
    bench.file("b.json", b"{\"launch\": \xff}".as_slice()).file("b.toml", b"\x7fELF\x02\xe0".as_slice());
    std::fs::create_dir(bench.path("d")).unwrap();
    for (name, message) in [
        ("e.json", "e.json: the file is empty"),
        ("e.toml", "e.toml: the file is empty"),
        ("b.json", "b.json: is no text: byte 0xff at offset 0xb is no UTF-8"),
        ("b.toml", "b.toml: is no text: byte 0xe0 at offset 0x5 is no UTF-8"),
        ("d", "d: is a directory, not a file"),
    ] {
        bench.run(&format!("run k.co --launch {name}")).fails(2, message);
    }
}

/// A folder without shaders is a mistake of whoever names it: nothing was looked at.
#[test]
fn folders_without_shaders() {
    let bench = Bench::new();
    std::fs::create_dir(bench.path("d")).unwrap();
    bench.file("d/notes.txt", "none").words("x.bin", &[END]);
    for command in ["lint", "scan"] {
        bench.run(&format!("{command} d")).fails(2, "d: no shaders in this folder (1 other files)");
        bench.run(&format!("{command} --arch gcn1.4 x.bin d")).fails(2, "d: no shaders in this folder");
    }
}

/// Input that never ends, or never comes, is refused before it fills the memory or blocks the run.
#[cfg(unix)]
#[test]
fn endless_files() {
    let bench = Bench::new();
    std::fs::create_dir(bench.path("d")).unwrap();
    bench.words("x.bin", &[END]).words("d/x.bin", &[END]);
    for (arguments, message) in [
        ("run --state /dev/zero x.bin", "state file /dev/zero: more than 67108864 bytes"),
        ("batch --ledger /dev/zero x.bin", "ledger /dev/zero: more than 67108864 bytes"),
        ("compare /dev/zero /dev/zero", "line 1: longer than 67108864 bytes"),
        ("merge /dev/zero --out m.jsonl", "/dev/zero: a line is longer than 67108864 bytes"),
        ("batch x.bin --out /dev/full --resume", "cannot go on with /dev/full: is no regular file"),
        ("verify /dev/zero", "/dev/zero: line 1 does not end"),
        ("disasm --arch gcn1.4 --words /dev/zero", "/dev/zero: a line is longer than 1048576 bytes"),
    ] {
        bench.run(arguments).fails(2, message);
    }
    for pipe in [false, true] {
        let sidecar = bench.path("d/x.toml");
        if pipe {
            rustix::fs::mkfifoat(rustix::fs::CWD, &sidecar, 0o600.into()).unwrap();
        } else {
            std::os::unix::fs::symlink("/dev/zero", &sidecar).unwrap();
        }
        bench.run("run d/x.bin").fails(2, "x.toml: is no regular file");
        let ran = bench.run("batch d");
        ran.fails(1, "bad-input    sidecar: is no regular file");
        assert!(ran.stderr.contains("d/x.bin"), "{ran:?}");
        std::fs::remove_file(sidecar).unwrap();
    }
}

#[test]
fn endless_loops_stop_at_the_budget() {
    let bench = Bench::new();
    bench.words("x.bin", &common::ENDLESS);
    let ran = bench.run("run --arch gcn1.4 --json --max-insts 100000 x.bin");
    assert_eq!((ran.code, ran.json()["instructions"].as_u64()), (1, Some(100_000)));
}

/// Jumps to odd addresses and into literals are defined: the low bits are cleared, and the dword there is executed.
#[test]
fn odd_jumps_run_with_a_note() {
    let bench = Bench::new();
    // s_setpc_b64 s[0:1] to 9, which is 8
    bench.words("odd.bin", &[0xbe80_1d00, 0xbf92_0001, END]);
    let ran = bench.run("run --arch gcn1.4 --json --sgpr 0=9 odd.bin");
    assert_eq!((ran.code, ran.json()["notes"].to_string()), (0, r#"["pc-low-bits"]"#.into()));
    // s_branch +1 into the literal of s_mov_b32, which is s_endpgm
    bench.words("into.bin", &[0xbf82_0001, 0xbe80_00ff, END]);
    let ran = bench.run("run --arch gcn1.4 --json into.bin");
    assert_eq!((ran.code, ran.json()["notes"].to_string()), (0, r#"["jump-into-literal"]"#.into()));
}

#[test]
fn nobody_reads_our_output() {
    use std::process::Stdio;
    let bench = Bench::new();
    bench.words("x.bin", &vec![0xbf80_0000; 100_000]);
    for arguments in ["isa", "disasm --arch gcn1.4 x.bin", "run --arch gcn1.4 --trace x.bin"] {
        let mut child = bench.command(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{arguments}");
        assert_eq!(output.status.code(), Some(0), "{arguments}");
    }
}

/// Escape codes in file names, or in names that files contain, do not reach a terminal, which would obey them.
#[test]
fn names_never_reach_a_terminal_as_they_are() {
    let bench = Bench::new();
    let (bad, object, launch) = ("x\u{1b}[31m.bin", "k\u{1b}[31m.co", "l\u{1b}[31m.json");
    bench.file(bad, [1, 2, 3]);
    let kernels = concat!(env!("CARGO_MANIFEST_DIR"), "/corpus/kernels/kernels-gfx900-v5-O2.co");
    bench.file(object, std::fs::read(kernels).unwrap());
    bench.file(launch, "{\"launch\":[{\"kernel\":\"\\u001b[31m\",\"grid\":[1],\"group\":[1],\"args\":[]}]}");
    let dispatch = format!("run {object} --kernel saxpy --grid 1 --group 1 --arg buf={bad}.gone --arg buf={bad}.gone");
    let commands = [
        format!("run {bad}"),
        format!("run {object}"),
        format!("run {object} --launch {launch}"),
        format!("run {object} --launch {bad}"),
        dispatch,
        format!("scan {bad} {object}"),
        format!("disasm {bad} {object}"),
        format!("explain {bad}"),
        format!("verify {bad} {bad}.gone"),
        format!("launch-template {bad}"),
        format!("compare {bad} {bad}"),
        format!("gen-corpus --count 1 g{bad}"),
        format!("gen-corpus --count 1 {bad}"),
        format!("fuzz --seconds 0 --out {bad}"),
    ];
    for command in commands {
        let ran = bench.run(&command);
        assert!(!ran.stdout.contains('\u{1b}') && !ran.stderr.contains('\u{1b}'), "{command:?}: {ran:?}");
        assert!(!(ran.stdout.is_empty() && ran.stderr.is_empty()), "{command:?} says nothing");
    }
}
