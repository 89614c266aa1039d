//! Impossible launches, and kernels with faults: the outcome, the exit code and the message.

use crate::common;

use common::{Bench, Ran, elf};
use gcnsim_loader::FileBytes;
use gcnsim_loader::code_object::CodeObject;
use serde_json::{Value, json};

fn kernels(name: &str) -> Vec<u8> {
    std::fs::read(format!("{}/corpus/kernels/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

/// Returns a directory with `hostile.co` as `h.co`.
fn bench() -> Bench {
    let bench = Bench::new();
    bench.file("h.co", kernels("hostile/hostile.co"));
    bench
}

/// Returns a launch of `many_kinds(int *out, float f, uchar c, float4 v, local int *l)`, changed by `change`.
fn many_kinds(change: impl FnOnce(&mut Value)) -> Value {
    let mut launch = json!({
        "name": "it", "kernel": "many_kinds", "grid": [1], "group": [1],
        "args": [{"buffer": "out"}, {"f32": 1}, {"u8": 2}, {"f32": [4, 0, 0, 0]}, {"local": 4}],
        "buffers": {"out": {"size": 4}},
        "expect": {"buffers": {"out": {"i32": [7]}}},
    });
    change(&mut launch);
    launch
}

fn launch(bench: &Bench, launch: Value) -> Ran {
    bench.file("l.json", json!({ "launch": [launch] }).to_string());
    bench.run("run h.co --launch l.json --json")
}

#[test]
fn the_launch_that_the_others_are_made_of_is_right() {
    let ran = launch(&bench(), many_kinds(|_| {}));
    assert_eq!((ran.code, &ran.json()["outcome"]), (0, &json!("ended")), "{ran:?}");
}

#[test]
fn what_is_wrong_in_a_launch_file_is_named_before_anything_runs() {
    type Change = fn(&mut Value);
    let cases: &[(Change, &str)] = &[
        (
            |l| l["kernel"] = json!("many"),
            "launch 'it': there is no kernel 'many'; the object has wild_store, for_ever, ",
        ),
        (|l| drop(l.as_object_mut().unwrap().remove("kernel")), "which kernel? The object has wild_store, "),
        (
            |l| drop(l["args"].as_array_mut().unwrap().pop()),
            "the kernel takes 5 arguments (int*, float, uchar, float4, int*), not 4",
        ),
        (|l| l["args"][0] = json!({"i32": 5}), "argument 0 (int*) has 8 bytes, not 4"),
        (|l| l["args"][1] = json!({"f64": 5}), "argument 1 (float) has 4 bytes, not 8"),
        (|l| l["args"][2] = json!({"u8": 256}), "launch[0].args[2].u8: 256 does not fit u8"),
        (|l| l["args"][2] = json!({"u8": 1.5}), "launch[0].args[2].u8: the number 1.5 where an integer is expected"),
        (|l| l["args"][3] = json!({"f32": [1, 2]}), "argument 3 (float4) has 16 bytes, not 8"),
        (|l| l["args"][4] = json!({"u32": 4}), "argument 4 (int*) is LDS: give it a number of bytes"),
        (|l| l["args"][1] = json!({"local": 4}), "argument 1 (float) is no LDS"),
        (|l| l["args"][1] = json!({"f23": 4}), "launch[0].args[1]: unknown key 'f23'; did you mean 'f32'?"),
        (|l| l["args"][0]["buffer"] = json!("in"), "there is no buffer 'in'"),
        (|l| l["args"][0]["at"] = json!(5), "byte 5 is beyond the end of buffer 'out' of 4 bytes"),
        (|l| l["gird"] = json!(1), "launch[0]: unknown key 'gird'; did you mean 'grid'?"),
        (|l| l["grid"] = json!(0), "launch[0].grid: a size of 0"),
        (|l| l["grid"] = json!([]), "launch[0].grid: 0 sizes: there are 1 to 3 dimensions"),
        (|l| l["group"] = json!([1, 1]), "launch[0]: the group has more dimensions than the grid"),
        (|l| l["group"] = json!(1025), "a group of 1025 work-items: there are at most 1024 in one"),
        (|l| l["buffers"]["out"] = json!({"size": 1u64 << 46}), "no room for buffer 'out' of 70368744177664 bytes"),
        (|l| l["buffers"]["out"] = json!({"file": "none.bin"}), "buffer 'out': none.bin: cannot read: no such file"),
        (|l| l["buffers"]["out"] = json!({"file": "../x"}), "buffer 'out': ../x leaves the folder of the launch file"),
        (|l| l["buffers"]["out"] = json!({"file": "h.co", "size": 4}), "bytes in 4 bytes"),
        (
            |l| l["buffers"]["out"] = json!({"sise": 4}),
            "launch[0].buffers.out: unknown key 'sise'; did you mean 'size'?",
        ),
        (|l| l["buffers"]["out"] = json!({"struct": [{"buffer": "to"}]}), "buffer 'out': there is no buffer 'to'"),
        (|l| l["expect"]["buffers"]["in"] = json!({"u8": []}), "expect: there is no buffer 'in'"),
        (
            |l| l["expect"]["buffers"]["out"] = json!({"u32": [1, 2]}),
            "expect: 2 u32 from byte 0 on are expected of buffer 'out', which has 4 bytes",
        ),
        (
            |l| l["expect"]["buffers"]["out"] = json!({"file": "odd", "type": "u32"}),
            "expect: odd: 7 bytes are no whole number of u32",
        ),
        (|l| l["expect"]["outcome"] = json!("done"), "launch[0].expect.outcome: no outcome (there are ended, "),
        (|l| l["args"][4] = json!({"local": 65537}), "65537 bytes of LDS: a group has at most 65536"),
    ];
    let bench = bench();
    bench.file("odd", [0; 7]);
    for (change, message) in cases {
        let mut wrong = many_kinds(change);
        wrong["name"] = "it".into();
        // The other launch of the file is right, but does not run either.
        let first = many_kinds(|launch| launch["name"] = "first".into());
        bench.file("l.json", json!({ "launch": [wrong, first] }).to_string());
        let ran = bench.run("run h.co --launch l.json");
        ran.fails(2, message);
        assert_eq!(ran.stdout, "", "{message}");
        let first = many_kinds(|launch| launch["name"] = "first".into());
        let mut wrong = many_kinds(change);
        wrong["name"] = "it".into();
        bench.file("l.json", json!({ "launch": [first, wrong] }).to_string());
        let ran = bench.run("run h.co --launch l.json");
        ran.fails(2, &message.replace("launch[0]", "launch[1]"));
        assert_eq!(ran.stdout, "", "{message}");
    }
}

/// Launch files may come from strangers: without a flag they write only to files in their own folder.
/// Nobody writes to the pipe, and contents are read more than once: it is not even opened.
#[cfg(unix)]
#[test]
fn contents_come_from_regular_files() {
    let bench = bench();
    rustix::fs::mkfifoat(rustix::fs::CWD, bench.path("pipe"), 0o600.into()).unwrap();
    for (file, message) in [("pipe", "pipe: is no regular file"), (".", "is a directory, not a file"), ("-", "no such")]
    {
        let ran = launch(&bench, many_kinds(|l| l["buffers"]["out"] = json!({"file": file, "size": 4})));
        ran.fails(2, message);
    }
}

#[test]
fn buffers_are_saved_in_the_folder_of_the_launch_file() {
    let bench = bench();
    std::fs::create_dir(bench.path("in")).unwrap();
    let save = |path: &str, flags: &str| {
        let launch = many_kinds(|launch| launch["buffers"]["out"]["save"] = json!(path));
        bench.file("in/l.json", json!({ "launch": [launch] }).to_string());
        bench.run(&format!("run h.co --launch in/l.json {flags}"))
    };
    let outside = bench.path("absolute");
    for path in ["../x", "a/../../x", outside.to_str().unwrap()] {
        save(path, "").fails(2, &format!("buffer 'out': {path} leaves the folder of the launch file"));
        assert!(!bench.path("x").exists() && !outside.exists());
    }
    assert_eq!(save("../x", "--allow-outside").code, 0);
    assert_eq!(save("./y", "").code, 0);
    assert_eq!((bench.path("x").exists(), bench.path("in/y").exists()), (true, true));
}

#[test]
fn flags_are_named_as_they_were_written() {
    let bench = bench();
    let all = "--arg zero=4 --arg f32=1 --arg u8=2 --arg f32=4,0,0,0 --arg local=4";
    assert_eq!(bench.run(&format!("run h.co --kernel many_kinds --grid 1 --group 1 {all}")).code, 0);
    for (from, to, message) in [
        ("u8=2", "u8=256", "--arg u8=256: 256 does not fit u8"),
        ("f32=1", "f23=1", "--arg f23=1: unknown key 'f23'; did you mean 'f32'?"),
        // It is answered with what --arg takes, not with the keys of launch files.
        (
            "f32=1",
            "f23=1",
            "(known: f32=V, f64=V, f16=V, i32=V, u32=V, i64=V, u64=V, i16=V, u16=V, i8=V, u8=V, buf=FILE[:OUT], ",
        ),
        ("zero=4", "buffer=4", "--arg buffer=4: unknown key 'buffer' (known: f32=V"),
        ("zero=4", "zreo=4", "--arg zreo=4: unknown key 'zreo'; did you mean 'zero'?"),
        ("f32=1", "f32", "--arg f32: f32=VALUE is expected"),
        ("zero=4", "out=4", "--arg out=4: out=BYTES:FILE is expected"),
        ("zero=4", "buf=none.bin", "buffer 'arg0': none.bin: cannot read: no such file"),
        ("--grid 1", "--grid 0", "--grid: a size of 0"),
        ("--grid 1", "--grid x", "'x' is no X[,Y,Z]"),
        ("--group 1", "--group 2000", "a group of 2000 work-items"),
        ("many_kinds", "none", "there is no kernel 'none'"),
    ] {
        let line = format!("run h.co --kernel many_kinds --grid 1 --group 1 {all}").replacen(from, to, 1);
        bench.run(&line).fails(2, message);
    }
}

#[test]
fn groups_are_as_the_kernel_wants_them() {
    let bench = bench();
    let run =
        |group: &str| bench.run(&format!("run h.co --kernel only_8_by_2 --grid 16,2 --group {group} --arg zero=128"));
    run("16,1").fails(2, "a group of [16, 1, 1] work-items: the kernel requires [8, 2, 1]");
    assert_eq!(run("8,2").code, 0);
    // Clang allows 256 work-items in a group unless the source says something else.
    let mut object = kernels("hostile/hostile.co");
    let key = b".max_flat_workgroup_size\xcd\x01\x00";
    let places: Vec<usize> =
        object.windows(key.len()).enumerate().filter(|(_, w)| w == key).map(|(at, _)| at).collect();
    assert!(places.len() > 5, "{places:?}");
    places.iter().for_each(|at| object[at + key.len() - 2] = 0);
    places.iter().for_each(|at| object[at + key.len() - 1] = 100);
    bench.file("small.co", object);
    let ran = bench.run("run small.co --kernel for_ever --grid 101 --group 101 --arg zero=4");
    ran.fails(2, "a group of 101 work-items: the kernel allows 100");
}

/// Returns `hostile.co` with a dword of a kernel's descriptor replaced, at byte `at`.
fn with_descriptor(kernel: &str, at: u64, value: u32) -> Vec<u8> {
    let mut bytes = kernels("hostile/hostile.co");
    let object = CodeObject::parse(&FileBytes::from(bytes.clone())).unwrap();
    let descriptor = object.kernels.iter().find(|k| k.name == kernel).unwrap().descriptor_address;
    // The descriptor's segment begins at byte 0 of the file and at address 0.
    assert!(object.segments[0].address == 0 && descriptor < object.segments[0].size);
    let at = (descriptor + at) as usize;
    bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
    bytes
}

#[test]
fn objects_that_want_too_much_are_refused() {
    let bench = bench();
    for (at, value, message) in [
        (0, 65_600, "65604 bytes of LDS: a group has at most 65536"),
        (4, 0xffff_fff0, "no room for scratch of "),
        (8, 0x7fff_0000, "no room for the kernarg segment of 2147418112 bytes"),
    ] {
        bench.file("w.co", with_descriptor("many_kinds", at, value));
        let args = "--arg zero=4 --arg f32=1 --arg u8=2 --arg f32=4,0,0,0 --arg local=4";
        bench.run(&format!("run w.co --kernel many_kinds --grid 64 --group 64 {args}")).fails(2, message);
    }
    bench
        .run("run h.co --kernel much_local --grid 2 --group 2 --arg zero=8 --arg local=8192")
        .fails(2, "69632 bytes of LDS");
}

/// The metadata is changed to say that the first argument of each kernel is at byte 127.
#[test]
fn metadata_that_lies_is_found_out() {
    let bench = bench();
    let mut object = kernels("hostile/hostile.co");
    let key = b".offset\x00";
    let places: Vec<usize> =
        object.windows(key.len()).enumerate().filter(|(_, w)| w == key).map(|(at, _)| at).collect();
    places.iter().for_each(|at| object[at + key.len() - 1] = 0x7f);
    bench.file("w.co", object);
    let ran = bench.run("run w.co --kernel for_ever --grid 1 --group 1 --arg zero=4");
    ran.fails(2, "argument 0 (int*) lies outside the kernarg segment of 8 bytes: the metadata is wrong");
}

#[test]
fn objects_that_are_not_launched_are_refused_by_name() {
    let bench = Bench::new();
    for (name, message) in [
        ("v4-gfx1030.co", "gfx1030"),
        ("v4-gfx908.co", "gfx908"),
        ("v4-gfx900.o", "a relocatable object: link it"),
        ("pal-gfx900.o", "an object for PAL"),
        ("undefined-gfx900.co", ""),
    ] {
        bench.file("x.co", elf(name));
        bench.run("run x.co --kernel k --grid 1 --group 1").fails(2, message);
    }
    let mut mesa = elf("v4-gfx906.co");
    mesa[7] = 66;
    bench.file("x.co", mesa);
    bench.run("run x.co --kernel k --grid 1 --group 1").fails(2, "cannot be launched: an object for Mesa");
    bench.file("x.co", [0; 64]);
    assert_eq!(bench.run("run x.co --kernel k --grid 1 --group 1").code, 2, "a raw program");
    bench.file("x.co", &elf("v4-gfx906.co")[..100]);
    assert_eq!(bench.run("run x.co --kernel k --grid 1 --group 1").code, 2, "cut short");
}

/// Returns the result of a hostile kernel. It must have an outcome, the same on every engine.
fn outcome(kernel: &str, args: &str) -> Value {
    let bench = bench();
    let mut results = ["--interp", "--jit", "--check --hot 0"].map(|engine| {
        let ran = bench.run(&format!("run h.co --kernel {kernel} {args} --json {engine} --max-insts 20000"));
        assert!(ran.code <= 1 && !ran.stderr.contains("panicked"), "{ran:?}");
        let mut json = ran.json();
        let changes = |key: &str| key.ends_with("_ns") || ["engine", "regions", "checks"].contains(&key);
        json.as_object_mut().unwrap().retain(|key, _| !changes(key));
        json
    });
    results.sort_by_key(Value::to_string);
    assert_eq!(results[0], results[2]);
    results[0].clone()
}

#[test]
fn a_wild_pointer_is_a_fault() {
    let result = outcome("wild_store", "--grid 64 --group 64 --arg zero=4 --arg u64=0x123456789000");
    let detail = &result["detail"];
    assert_eq!(
        (&result["outcome"], &detail["kind"], &detail["access"]),
        (&json!("fault"), &json!("memory"), &json!("store"))
    );
    assert_eq!((&detail["address"], &detail["lane"]), (&json!("0x123456789000"), &json!(0)));
    // The instruction had no effect, and none after it ran.
    assert_eq!(result["buffers"]["arg0"]["changed"], false);
    assert_eq!(outcome("wild_store", "--grid 64 --group 64 --arg zero=4 --arg u64=0")["detail"]["address"], "0x0");
    // Code cannot be written. The kernel's own is at the beginning of the image.
    let code = outcome("wild_store", "--grid 1 --group 1 --arg zero=4 --arg u64=0x10003200");
    assert_eq!((&code["outcome"], &code["detail"]["near"]["buffer"]), (&json!("fault"), &json!("code")));
}

#[test]
fn an_endless_kernel_uses_up_its_budget() {
    let result = outcome("for_ever", "--grid 64 --group 64 --arg zero=4");
    assert_eq!((&result["outcome"], &result["instructions"]), (&json!("budget"), &json!(20000)));
}

#[test]
fn data_is_not_executed() {
    let result = outcome("into_data", "--grid 1 --group 1 --arg zero=4");
    assert_eq!((&result["outcome"], &result["detail"]["kind"]), (&json!("fault"), &json!("pc-out-of-range")));
    assert!(!result["detail"]["from"].is_null());
}

/// Reads beyond the allocation give 0, and writes there are dropped. Only lane 0 is inside.
#[test]
fn lds_beyond_the_allocation_is_nothing() {
    let bench = bench();
    let run = "run h.co --kernel lds_overflow --grid 64 --group 64 --arg out=256:o.bin --arg i32=1000";
    assert_eq!(bench.run(run).code, 0);
    let out = std::fs::read(bench.path("o.bin")).unwrap();
    assert_eq!((&out[..4], out[4..].iter().all(|&byte| byte == 0)), (&[1, 0, 0, 0][..], true));
    assert_eq!(outcome("lds_overflow", "--grid 64 --group 64 --arg zero=256 --arg i32=1000")["outcome"], "ended");
}

#[test]
fn scratch_of_others_is_out_of_reach() {
    let result = outcome("private_overflow", "--grid 256 --group 256 --arg zero=1024 --arg i32=300");
    let detail = &result["detail"];
    assert_eq!((&result["outcome"], &detail["kind"]), (&json!("fault"), &json!("memory")));
    assert_eq!(
        (&detail["near"]["buffer"], &detail["near"]["side"], &detail["wave"]),
        (&json!("scratch"), &json!("after"), &json!(0))
    );
}

#[test]
fn garbage_in_descriptors_is_an_outcome() {
    for words in [
        "0xdeadbeef 0xdeadbeef 0xffffffff 0xdeadbeef",
        "0 0 0 0",
        "1 0x1234 0xffffffff 0x27000",
        "0xffffffff 0xffffffff 0xffffffff 0xffffffff",
        "0x10000000 0x3fff0000 0x7 0xffffffff",
    ] {
        let args: String = words.split(' ').map(|word| format!(" --arg u32={word}")).collect();
        let result = outcome("garbage_descriptor", &format!("--grid 64 --group 64 --arg zero=256{args}"));
        let outcome = result["outcome"].as_str().unwrap();
        assert!(matches!(outcome, "ended" | "fault"), "{words}: {result}");
        // A descriptor of zeros has no records, so loads read 0 and stores write nothing.
        assert!(words != "0 0 0 0" || outcome == "ended");
    }
}

/// A buffer of seven bytes has exactly seven.
#[test]
fn odd_sizes_are_exact() {
    let bench = bench();
    bench.file("seven", [1; 7]);
    let ran = bench.run("run h.co --kernel only_8_by_2 --grid 8,2 --group 8,2 --arg buf=seven --json");
    let detail = ran.json()["detail"].clone();
    assert_eq!(
        (&detail["lane"], &detail["bytes"], &detail["near"]["distance"]),
        (&json!(1), &json!(4), &json!(0)),
        "{detail}"
    );
}
