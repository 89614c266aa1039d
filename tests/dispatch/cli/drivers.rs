//! Binaries of OpenCL drivers (corpus/drivers), launched, and kernels by the names of their source.

use serde_json::json;

use crate::common::Bench;

/// Returns a directory with a file of corpus/drivers as `k.clo`, and 1 to 8 in `in.bin`.
fn bench(name: &str) -> Bench {
    let bench = Bench::new();
    let path = format!("{}/corpus/drivers/{name}", env!("CARGO_MANIFEST_DIR"));
    bench.file("k.clo", std::fs::read(path).unwrap()).words("in.bin", &[1, 2, 3, 4, 5, 6, 7, 8]);
    bench
}

/// out[i] = in[i] * 3, by hand; with the table 2000 more.
#[test]
fn kernels_of_drivers_are_launched_with_their_arguments() {
    for (name, more) in [
        ("amdcl2-gfx704.clo", 0),
        ("amdcl2-gfx803.clo", 0),
        ("amdcl2-gfx900.clo", 0),
        ("amdcl2-note-gfx900.clo", 0),
        ("amdcl2-old-gfx704.clo", 0),
        ("amdcl2-table-gfx900.clo", 2000),
        ("clover-hsa-gfx803.clo", 0),
    ] {
        let bench = bench(name);
        let args = "--grid 8 --group 8 --arg u32=3 --arg buf=in.bin --arg out=32:out.bin";
        let ran = bench.run(&format!("k.clo --kernel scale {args}"));
        assert_eq!(ran.code, 0, "{name}: {ran:?}");
        let expected: Vec<u8> = (1..=8u32).flat_map(|n| (3 * n + more).to_le_bytes()).collect();
        assert_eq!(std::fs::read(bench.path("out.bin")).unwrap(), expected, "{name}");
    }
}

#[test]
fn what_a_binary_is_is_said() {
    for (name, what, kernel) in [
        ("amdcl2-gfx900.clo", "AMD OpenCL 2.0 binary", "scale"),
        ("catalyst-tonga.clo", "AMD Catalyst OpenCL binary", "first"),
        ("clover-32.clo", "Mesa Clover OpenCL binary", "plain"),
    ] {
        let bench = bench(name);
        for command in ["disasm k.clo", "scan k.clo", "run --synthetic k.clo --kernel"] {
            let kernel = if command.ends_with("--kernel") { kernel } else { "" };
            let ran = bench.run(&format!("{command} {kernel}"));
            assert_eq!(ran.code, 0, "{name}: {command}: {ran:?}");
            assert!(ran.stderr.contains(what), "{name}: {command}: {ran:?}");
        }
    }
}

/// Names of the source by c++filt of binutils.
#[test]
fn kernels_of_cpp_are_called_as_in_the_source() {
    let bench = bench("amdcl2-names-gfx900.clo");
    let listed = bench.run("disasm k.clo").stdout;
    let uint = "_Z5scaleIjEvjPT_S1_ = void scale<unsigned int>(unsigned int, unsigned int*, unsigned int*) (gfx900)";
    assert!(listed.contains(&format!("; kernel {uint}")), "{listed}");
    assert!(listed.contains("; kernel _Z5scaleIfEvT_ = void scale<float>(float) (gfx900)"), "{listed}");
    let ran = bench.run("run k.clo --kernel scale<float> --grid 8,4,2 --group 8,4,2");
    assert!(ran.code == 0 && ran.stdout.contains("_Z5scaleIfEvT_ = void scale<float>(float) (gfx900"), "{ran:?}");
    bench.run("run k.clo --kernel scale<int>").fails(2, "scale<float>(float)");
    let launch = json!({
        "name": "l", "kernel": "scale<unsigned int>", "grid": [8], "group": [8],
        "args": [{"u32": 3}, {"buffer": "in"}, {"buffer": "out"}],
        "buffers": {"in": {"u32": [1, 2, 3, 4, 5, 6, 7, 8]}, "out": {"size": 32}},
    });
    bench.file("k.json", json!({ "launch": [launch] }).to_string());
    let ran = bench.run("run k.clo --launch k.json --json");
    assert_eq!((ran.code, &ran.json()["dispatch"]["kernel"]), (0, &json!("_Z5scaleIjEvjPT_S1_")), "{ran:?}");
    let ran = bench.run("batch k.clo --out r.jsonl");
    assert!(bench.read("r.jsonl").contains("\"kernel\":\"_Z5scaleIjEvjPT_S1_\""), "{ran:?}");
}
