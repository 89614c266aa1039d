//! Images and samplers in launch files: what kernels see of them, results, expectations, templates, and bad input.

use crate::common;

use std::path::PathBuf;

use common::{Bench, Ran};
use gcnsim::{EngineKind, Outcome, RunOptions};
use gcnsim_launches::launch::{LaunchFile, Syntax};
use gcnsim_launches::{DispatchOptions, Launcher};
use gcnsim_loader::FileBytes;
use gcnsim_loader::code_object::CodeObject;
use serde_json::{Value, json};

const OBJECTS: [&str; 5] = [
    "images-gfx600-v3-O2.co",
    "images-gfx701-v2-O1.co",
    "images-gfx803-v4-O3.co",
    "images-gfx900-v5-Os.co",
    "images-gfx906-v4-O2.co",
];

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("corpus/kernels/images")
}

/// Returns a directory with the kernels for gfx900 as `i.co`.
fn bench() -> Bench {
    let bench = Bench::new();
    bench.file("i.co", std::fs::read(folder().join(OBJECTS[3])).unwrap());
    bench
}

/// A launch of `sizes`, which asks for sizes and formats and has no image instructions, changed by `change`.
fn sizes(change: impl FnOnce(&mut Value)) -> Value {
    let mut launch = json!({
        "name": "it", "kernel": "sizes", "grid": [1], "group": [1],
        "args": [{"buffer": "out"}, {"image": "a"}, {"image": "b"}, {"image": "c"}, {"image": "d"}, {"image": "e"},
                 {"image": "f"}],
        "buffers": {"out": {"size": 96}},
        "images": {
            "a": {"type": "1d", "size": 5, "format": "r8_unorm"},
            "b": {"type": "2d", "size": [3, 2], "format": "r16g16_uint", "iota": {"type": "u16"}, "save": "b.bin"},
            "c": {"type": "3d", "size": [7, 8, 9], "format": "r32g32_sint"},
            "d": {"type": "1d-array", "size": [33], "format": "r16_sfloat", "layers": 4},
            "e": {"type": "2d-array", "size": [16, 17], "format": "r16g16b16a16_snorm", "layers": 3},
            "f": {"type": "1d-buffer", "size": 70000, "format": "r16g16_uint"},
        },
    });
    change(&mut launch);
    launch
}

fn launch(bench: &Bench, launch: Value) -> Ran {
    bench.file("l.json", json!({ "launch": [launch] }).to_string());
    bench.run("run i.co --launch l.json --json --hot 0")
}

#[test]
fn results_name_images_apart_from_buffers() {
    let bench = bench();
    let ran = launch(&bench, sizes(|_| {}));
    let result = ran.json();
    assert_eq!((ran.code, &result["outcome"]), (0, &json!("ended")), "{ran:?}");
    assert_eq!(result["buffers"].as_object().unwrap().keys().collect::<Vec<_>>(), ["out"]);
    let b = &result["images"]["b"];
    let texels: Vec<u8> = (0..12u16).flat_map(u16::to_le_bytes).collect();
    let hash = format!("{:016x}", xxhash_rust::xxh3::xxh3_64(&texels));
    assert_eq!(*b, json!({"bytes": 24, "changed": false, "hash": hash}));
    assert_eq!(std::fs::read(bench.path("b.bin")).unwrap(), texels, "without padding");
    let text = bench.run("run i.co --launch l.json");
    assert!(text.stdout.contains("image         b: 2d 3 x 2, r16g16_uint, 24 bytes, unchanged, hash "), "{text:?}");
    let expect = bench.run("run i.co --launch l.json --write-expect e.json");
    assert_eq!(expect.code, 0, "{expect:?}");
    let written: Value = serde_json::from_str(&bench.read("e.json")).unwrap();
    assert_eq!(written["launch"][0]["expect"]["images"]["b"], json!({"hash": hash}));
    assert_eq!(bench.run("run i.co --launch e.json").code, 0);
}

#[test]
fn a_mismatch_names_the_texel() {
    let bench = bench();
    let wrong = |check: Value| launch(&bench, sizes(|l| l["expect"] = json!({"images": {"b": check}})));
    assert_eq!(wrong(json!({"at": 12, "u16": [6, 7, "any", 9]})).code, 0);
    let ran = wrong(json!({"u16": [0, 1, 2, 3, 4, 5, 6, 7, 8, 8]}));
    let detail = &ran.json()["detail"];
    assert_eq!((ran.code, &detail["kind"], &detail["buffer"]), (1, &json!("image"), &json!("b")), "{ran:?}");
    assert_eq!(
        (&detail["texel"], &detail["expected"], &detail["actual"]),
        (&json!("x 1, y 1"), &json!("8"), &json!("9"))
    );
}

#[test]
fn what_is_wrong_is_named_before_anything_runs() {
    let bench = bench();
    assert_eq!(launch(&bench, sizes(|_| {})).code, 0);
    type Change = fn(&mut Value);
    let cases: &[(Change, &str)] = &[
        (|l| l["args"][1] = json!({"buffer": "out"}), "argument 1 (image1d_t) is an image: give it {\"image\": NAME}"),
        (|l| l["args"][0] = json!({"image": "a"}), "argument 0 (int*) is a buffer, not an image"),
        (|l| l["args"][1] = json!({"null": true}), "argument 1 (image1d_t) is an image: give it"),
        (|l| l["args"][1] = json!({"sampler": {}}), "argument 1 (image1d_t) is an image"),
        (|l| l["args"][0] = json!({"buffer": "a"}), "'a' is an image, not a buffer"),
        (|l| l["args"][1] = json!({"image": "out"}), "'out' is a buffer, not an image"),
        (|l| l["args"][1] = json!({"image": "g"}), "there is no image 'g'"),
        (
            |l| l["args"][1] = json!({"image": "c"}),
            "argument 1 (image1d_t) takes images of type 1d, and 'c' is 3d 7 x 8 x 9, r32g32_sint",
        ),
        (
            |l| l["images"]["a"]["format"] = json!("bc1_rgb_unorm_block"),
            "takes no format bc1_rgb_unorm_block, as 'a' has: OpenCL has no such images",
        ),
        (|l| l["images"]["a"]["format"] = json!("r8_unrom"), "there is no format 'r8_unrom'; did you mean 'r8_unorm'?"),
        (|l| l["images"]["a"]["size"] = json!(0), "images.a.size: a size of 0"),
        (|l| l["images"]["a"]["size"] = json!(16385), "16385 texels: a descriptor has room for 1 to 16384"),
        (|l| l["images"]["d"]["layers"] = json!(9000), "9000 layers: there are 1 to 8192"),
        (|l| l["images"]["a"]["u8"] = json!([1, 2, 3, 4]), "a content of 4 bytes: 1d 5, r8_unorm has 5 bytes"),
        (
            |l| l["images"]["a"]["file"] = json!("i.co"),
            "image 'a': a content of 82528 bytes: 1d 5, r8_unorm has 5 bytes",
        ),
        (|l| l["images"]["a"]["file"] = json!("../x"), "image 'a': ../x leaves the folder of the launch file"),
        (|l| l["expect"] = json!({"buffers": {"a": {"u8": 0}}}), "expect: 'a' is an image: expect.images"),
        (|l| l["expect"] = json!({"images": {"out": {"u8": 0}}}), "expect: 'out' is a buffer: expect.buffers"),
        (|l| l["expect"] = json!({"images": {"z": {"u8": 0}}}), "expect: there is no image 'z'"),
        (
            |l| l["expect"] = json!({"images": {"b": {"u16": [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]}}}),
            "13 u16 from byte 0 on are expected of buffer 'b', which has 24 bytes",
        ),
        (
            |l| {
                l["buffers"]["s"] =
                    json!({"struct": [{"sampler_descriptor": {"normalized": false, "address": "repeat"}}]})
            },
            "repeat needs coordinates from 0 to 1",
        ),
        (|l| l["buffers"]["s"] = json!({"struct": [{"image_descriptor": "out"}]}), "buffer 's': 'out' is a buffer"),
        (
            |l| l["buffers"]["s"] = json!({"struct": [{"buffer_descriptor": {"buffer": "out", "at": 97}}]}),
            "byte 97 is beyond the end of buffer 'out' of 96 bytes",
        ),
    ];
    for (change, message) in cases {
        launch(&bench, sizes(change)).fails(2, message);
    }
}

#[test]
fn templates_have_images_and_samplers() {
    let bench = bench();
    let template: Value = serde_json::from_str(&bench.run("launch-template i.co --kernel volume").stdout).unwrap();
    let launch = &template["launch"][0];
    let (image, sampler) = (launch["args"][1]["image"].as_str().unwrap(), &launch["args"][2]["sampler"]);
    assert_eq!(launch["images"][image]["type"], json!("3d"));
    assert_eq!(sampler["filter"], json!("nearest"));
    // The template can be read, and the kernel without image instructions runs.
    bench.file("t.json", bench.run("launch-template i.co").stdout);
    let ran = bench.run("run i.co --launch t.json --only sizes");
    assert_eq!(ran.code, 0, "{ran:?}");
}

/// Runs the launches of `images.json` that `wanted` chooses, with an object. Returns name, number of instructions and
/// hash of the buffers and images of each.
fn run(object: &str, engine: EngineKind, wanted: impl Fn(&str) -> bool) -> Vec<(String, u64, u64)> {
    let file =
        LaunchFile::parse(&std::fs::read_to_string(folder().join("images.json")).unwrap(), Syntax::Json).unwrap();
    let object = CodeObject::parse(&FileBytes::read(&folder().join(object)).unwrap()).unwrap();
    let run = RunOptions::default().engine(engine).hot(0);
    let options = DispatchOptions::default().run(run).jobs(1);
    let folder = folder();
    let mut launcher = Launcher::new(&object, &folder, &file.buffers, &options).unwrap();
    let mut results = Vec::new();
    for launch in file.launches.iter().filter(|launch| wanted(&launch.name)) {
        let result = launcher.launch(launch, &|_| {}).unwrap();
        assert_eq!(result.run.outcome, Ok(Outcome::Ended), "{}", launch.name);
        assert!(result.mismatches.is_empty(), "{}: {:?}", launch.name, result.mismatches);
        results.push((launch.name.clone(), result.run.instructions, result.state_hash));
    }
    results
}

#[test]
fn sizes_and_formats_on_every_chip() {
    for object in OBJECTS {
        let is_wanted = |name: &str| name == "sizes" || name.starts_with("row-buffer");
        let expected = run(object, EngineKind::Interp, is_wanted);
        assert_eq!(expected.len(), 3);
        assert_eq!(run(object, EngineKind::Jit, is_wanted), expected, "{object}");
    }
}

/// Every engine has the results of `corpus/tools/kernel_images.py`.
fn every_way(object: &str) {
    let expected = run(object, EngineKind::Interp, |_| true);
    assert!(expected.len() > 90);
    for engine in [EngineKind::Jit, EngineKind::Check] {
        assert_eq!(run(object, engine, |_| true), expected, "{engine:?}");
    }
}

#[test]
fn launches_on_gfx600() {
    every_way(OBJECTS[0]);
}

#[test]
fn launches_on_gfx701() {
    every_way(OBJECTS[1]);
}

#[test]
fn launches_on_gfx803() {
    every_way(OBJECTS[2]);
}

#[test]
fn launches_on_gfx900() {
    every_way(OBJECTS[3]);
}

#[test]
fn launches_on_gfx906() {
    every_way(OBJECTS[4]);
}

/// A kernel with COMPRESSION_EN in a T# that its launch file spells out stops, because its texels are not known.
#[test]
fn a_compressed_image_is_refused_by_name() {
    let bench = bench();
    let descriptor = |compressed: u32| {
        let words: [u32; 8] = [0x10_0000, 0x00e0_0000 | 7 << 26, 0, 0x9000_0fac, 0x7e000, 0, compressed << 21, 0];
        json!({ "u32": words })
    };
    let with = |compressed| {
        launch(
            &bench,
            json!({
                "kernel": "two_images", "grid": [1, 1], "group": [1, 1], "args": [{"image": "to"}, {"buffer": "set"}],
                "images": {"to": {"type": "2d", "size": [1, 1], "format": "r8_unorm"}},
                "buffers": {
                    "set": {"struct": [descriptor(compressed), descriptor(compressed), {"hex": "00".repeat(32)}]}
                },
            }),
        )
    };
    let ran = with(1);
    assert_eq!((ran.code, &ran.json()["outcome"]), (1, &json!("unsupported")), "{ran:?}");
    assert!(ran.stdout.contains("image-compressed"), "{ran:?}");
    // Without the bit the kernel reads a texel of what lies there: the code object.
    assert_eq!(with(0).json()["outcome"], json!("ended"));
}
