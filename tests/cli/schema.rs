//! `docs/schema/`: the outputs of commands and the files of the corpus agree with the schemas; schema and command both
//! refuse broken files.

use crate::common;
use crate::schema_support;

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use common::Bench;
use serde_json::{Value, json};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// The schemas.
struct Book(schema_support::Book);

/// Returns the names of all schemas.
fn names() -> Vec<String> {
    let files = fs::read_dir(Path::new(ROOT).join("docs/schema")).unwrap();
    let name = |path: PathBuf| path.file_name()?.to_str()?.strip_suffix(".schema.json").map(str::to_owned);
    files.filter_map(|file| name(file.unwrap().path())).collect()
}

fn schema(name: &str) -> Value {
    let path = Path::new(ROOT).join(format!("docs/schema/{name}.schema.json"));
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

/// Closes every object that lists its keys, so that a key of a result without a line in its schema is an error here.
/// (For readers, results are open.)
fn close(schema: &mut Value) {
    match schema {
        Value::Object(table) => {
            table.values_mut().for_each(close);
            if table.get("properties").is_some_and(Value::is_object) && table.contains_key("description") {
                table.entry("additionalProperties").or_insert(json!(false));
            }
        }
        Value::Array(list) => list.iter_mut().for_each(close),
        _ => {}
    }
}

impl Book {
    fn new() -> Book {
        let mut book = schema_support::Book::default();
        for name in names() {
            let mut schema = schema(&name);
            close(&mut schema);
            book.add(&format!("{name}.schema.json"), schema);
        }
        Book(book)
    }

    fn check(&self, name: &str, value: &Value) -> Result<(), String> {
        self.0.check(&format!("{name}.schema.json"), value).map_err(|error| format!("{name}: {error}"))
    }

    #[track_caller]
    fn holds(&self, name: &str, value: &Value) {
        if let Err(error) = self.check(name, value) {
            let text = value.to_string();
            panic!("{error}\n{}", text.chars().take(2000).collect::<String>());
        }
    }

    /// Checks each line against the schema that it names. Returns the number of lines.
    #[track_caller]
    fn holds_lines(&self, text: &str) -> usize {
        let mut count = 0;
        for line in text.lines() {
            let value: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
            let name = value["schema"].as_str().unwrap().split('.').nth(1).unwrap().to_owned();
            self.holds(&name, &value);
            count += 1;
        }
        count
    }
}

fn corpus(folder: &str, ending: &str) -> Vec<PathBuf> {
    let files = fs::read_dir(Path::new(ROOT).join(folder)).unwrap().map(|file| file.unwrap().path());
    let mut files: Vec<PathBuf> = files.filter(|path| path.to_str().unwrap().ends_with(ending)).collect();
    files.sort();
    assert!(!files.is_empty(), "{folder}: {ending}");
    files
}

/// Returns TOML as JSON.
fn of_toml(text: &str) -> Value {
    serde_json::to_value(toml::from_str::<toml::Table>(text).unwrap()).unwrap()
}

/// Adds to `found` the keys of objects that have no description.
fn described(schema: &Value, path: &str, found: &mut Vec<String>) {
    let Value::Object(table) = schema else {
        if let Value::Array(list) = schema {
            list.iter().for_each(|part| described(part, path, found));
        }
        return;
    };
    // A table without a description is a list of keys, of which one may be `properties`.
    if let (Some(Value::Object(properties)), true) = (table.get("properties"), table.contains_key("description")) {
        let has_words =
            |part: &Value| part.get("description").is_some_and(Value::is_string) || part.get("$ref").is_some();
        found.extend(properties.iter().filter(|(_, part)| !has_words(part)).map(|(key, _)| format!("{path}/{key}")));
    }
    table.iter().for_each(|(key, part)| described(part, &format!("{path}/{key}"), found));
}

#[test]
fn every_key_is_described_and_every_schema_listed() {
    let readme = fs::read_to_string(Path::new(ROOT).join("docs/schema/README.md")).unwrap();
    for name in names() {
        let mut found = Vec::new();
        let schema = schema(&name);
        described(&schema, &name, &mut found);
        assert!(found.is_empty(), "without a description: {found:?}");
        assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema", "{name}");
        assert!(readme.contains(&format!("`{name}`")), "{name} is not in the README");
    }
}

#[test]
fn files_of_the_corpus() {
    let book = Book::new();
    let folders = ["corpus/kernels", "corpus/kernels/images", "benches/kernels"];
    for path in folders.into_iter().flat_map(|folder| corpus(folder, ".json")) {
        book.holds("launch", &serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap());
    }
    for path in corpus("corpus/programs", ".toml").into_iter().chain(corpus("corpus", "bench.toml")) {
        book.holds("sidecar", &of_toml(&fs::read_to_string(&path).unwrap()));
    }
    for path in corpus("corpus/vectors", ".jsonl.gz") {
        let mut text = String::new();
        flate2::read::MultiGzDecoder::new(fs::File::open(&path).unwrap()).read_to_string(&mut text).unwrap();
        // Every 37th line is tested, because the lines of a file have few forms.
        text.lines().step_by(37).for_each(|line| book.holds("vectors", &serde_json::from_str(line).unwrap()));
    }
}

/// Returns a bench with a kernel and its launches, a program that ends, and one that faults.
fn bench() -> Bench {
    let bench = Bench::new();
    let object = fs::read(Path::new(ROOT).join("corpus/kernels/kernels-gfx900-v5-O2.co")).unwrap();
    let saxpy = |name: &str, expect: Value| {
        json!({
            "name": name, "kernel": "saxpy", "grid": [200], "group": [128], "expect": expect,
            "args": [{"buffer": "y"}, {"buffer": "x"}, {"f32": 2.0}, {"i32": 100}],
            "buffers": {"x": {"iota": {"type": "f32"}, "size": 400}, "y": {"size": 400}},
        })
    };
    let short = json!({
        "name": "short", "kernel": "saxpy", "grid": [64], "group": [64],
        "args": [{"buffer": "y"}, {"buffer": "y"}, {"f32": 2.0}, {"i32": 64}], "buffers": {"y": {"size": 100}},
    });
    let wrong = json!({"instructions": 3, "buffers": {"y": {"at": 4, "f32": [7.5]}}});
    let launches = json!({"launch": [saxpy("good", json!({})), saxpy("wrong", wrong), short]});
    bench.file("k.co", object).file("k.json", launches.to_string());
    bench.words("sum.bin", &common::SUM).file("sum.toml", "arch = \"gcn1.4\"\n[state]\nsgpr = { 0 = 5 }\n");
    bench
        .words("interp.bin", &[common::UNDOCUMENTED, common::END])
        .words("bad.bin", &[0xffff_ffff])
        .file("odd.bin", "abc");
    bench
}

#[test]
fn results_of_runs_and_profiles() {
    let (book, bench) = (Book::new(), bench());
    assert_eq!(book.holds_lines(&bench.run("run k.co --json").stdout), 3);
    assert_eq!(book.holds_lines(&bench.run("run k.co --json --profile --listing --hot 0").stdout), 6);
    let worlds = "bad.bin --arch gcn1.4 --synthetic";
    for file in ["sum.bin --dump-state s.json", "interp.bin --arch gcn1.2", "bad.bin --arch gcn1.4", worlds] {
        assert_eq!(book.holds_lines(&bench.run(&format!("run {file} --json")).stdout), 1, "{file}");
    }
    book.holds("state", &serde_json::from_str(&bench.read("s.json")).unwrap());
    let wave = bench.run("run k.co --launch k.json --only good --dump-state w.json");
    assert_eq!(wave.code, 0, "{wave:?}");
    book.holds("state", &serde_json::from_str(&bench.read("w.json")).unwrap());
    let expect = bench.run("run k.co --launch k.json --write-expect e.json");
    book.holds("launch", &serde_json::from_str(&bench.read("e.json")).unwrap_or_else(|_| panic!("{expect:?}")));
    book.holds("launch", &serde_json::from_str(&bench.run("launch-template k.co").stdout).unwrap());
}

#[test]
fn results_of_batches_and_what_reads_them() {
    let (book, bench) = (Book::new(), bench());
    bench.run("batch . --out a.jsonl --coverage c.json");
    bench.run("batch . --out b.jsonl --max-insts 10 --repeat 2 --shard 1/1");
    assert_eq!(book.holds_lines(&bench.read("a.jsonl")), 8);
    assert_eq!(book.holds_lines(&bench.read("b.jsonl")), 8);
    assert!(book.holds_lines(&bench.read("c.json")) >= 2);
    assert_eq!(book.holds_lines(&bench.run("compare a.jsonl b.jsonl --json").stdout), 1);
    bench.run("batch sum.bin interp.bin bad.bin --synthetic=int,float --max-insts 1000 --out d.jsonl");
    assert!(book.holds_lines(&bench.read("d.jsonl")) >= 4);
    bench.run("batch sum.bin --out c.jsonl");
    assert_eq!(book.holds_lines(&bench.run("compare a.jsonl c.jsonl --json").stdout), 1);
    // The pairs are one that is the same, one that differs, the launches of a kernel, and one that failed; the sum
    // follows.
    assert_eq!(book.holds_lines(&bench.run("diff sum.bin sum.bin --json").stdout), 2);
    assert_eq!(book.holds_lines(&bench.run("diff sum.bin interp.bin --arch gcn1.2 --json").stdout), 2);
    assert!(book.holds_lines(&bench.run("diff k.co k.co --json").stdout) >= 2);
    assert_eq!(book.holds_lines(&bench.run("diff sum.bin bad.bin --json").stdout), 2);
}

#[test]
fn objects_of_other_commands() {
    let (book, bench) = (Book::new(), bench());
    for command in [
        "isa --json",
        "isa --notes --json",
        "isa v_cndmask_b32 --json",
        "isa image_load --json",
        "isa s_cbranch_scc0 --json",
        "disasm --json k.co",
        "disasm --json bad.bin --arch gcn1.4",
        "explain --json k.co --kernel sgemm",
    ] {
        assert_eq!(book.holds_lines(&bench.run(command).stdout), 1, "{command}");
    }
    let archive = Path::new(ROOT).join("corpus/elf/objects-gnu.a");
    let extracted = bench.run(&format!("extract --json --out parts {}", archive.display()));
    assert_eq!(book.holds_lines(&extracted.stdout), 1);
    assert!(book.holds_lines(&bench.run("scan --json k.co interp.bin bad.bin --arch gcn1.2").stdout) >= 2);
    assert!(book.holds_lines(&bench.run("lint --json k.co interp.bin bad.bin --arch gcn1.2").stdout) >= 2);
    let vectors = corpus("corpus/vectors", "gcn1.2-sopk.jsonl.gz");
    let ran = bench.run(&format!("verify --json {}", vectors[0].display()));
    assert_eq!(book.holds_lines(&ran.stdout), 1);
}

/// Schema and command both refuse broken launch files, states, sidecars and vectors.
#[test]
fn broken_files_are_refused_by_both() {
    let (book, bench) = (Book::new(), bench());
    let launch = |launch: Value| json!({"launch": [launch]});
    let kernel = |args: Value, buffers: Value| {
        launch(json!({"kernel": "saxpy", "grid": 64, "group": 64, "args": args, "buffers": buffers}))
    };
    let by_registers = |key: &str, value: Value, memory: Value| {
        let mut registers = json!({
            "arch": "gfx900", "code": "sum.bin", "base": "0x1000", "rsrc1": 0, "rsrc2": 0, "groups": 1, "group": 1,
        });
        registers[key] = value;
        launch(json!({"registers": registers, "memory": memory}))
    };
    let image = |image: Value| launch(json!({"kernel": "saxpy", "grid": 1, "group": 1, "images": {"a": image}}));
    let broken_launches = [
        json!({}),
        json!({"launch": [], "x": 1}),
        launch(json!({"kernel": "saxpy", "gird": 1, "group": 1})),
        launch(json!({"kernel": "saxpy", "grid": [1, 1, 1, 1], "group": 1})),
        kernel(json!([{"f23": 1}]), json!({})),
        kernel(json!([{"f32": 1, "u32": 1}]), json!({})),
        kernel(json!([{"null": false}]), json!({})),
        kernel(json!([{"at": 4}]), json!({})),
        kernel(json!([]), json!({"x": {}})),
        kernel(json!([]), json!({"x": {"u32": [1], "hex": "00"}})),
        kernel(json!([]), json!({"x": {"fill": {"u32": 0}}})),
        kernel(json!([]), json!({"x": {"iota": {"start": 0}, "size": 4}})),
        kernel(json!([]), json!({"x": {"hex": "0"}})),
        image(json!({"type": "4d", "size": 1, "format": "r8_unorm"})),
        image(json!({"type": "1d", "format": "r8_unorm"})),
        image(json!({"type": "1d", "size": [1, 1, 1, 1], "format": "r8_unorm"})),
        image(json!({"type": "1d", "size": 1, "format": "R8"})),
        image(json!({"type": "1d", "size": 1, "format": "r8_unorm", "u8": 1, "hex": "01"})),
        kernel(json!([{"sampler": {"filter": "cubic"}}]), json!({})),
        kernel(json!([{"sampler": {"address": "wrap"}}]), json!({})),
        kernel(json!([{"buffer_descriptor": {"stride": 4}}]), json!({})),
        launch(json!({"kernel": "saxpy", "grid": 1, "group": 1, "expect": {"outcome": "perfect"}})),
        launch(json!({"kernel": "saxpy", "grid": 1, "group": 1, "expect": {"buffers": {"x": {"ulp": 1}}}})),
        launch(json!({"kernel": "saxpy", "grid": 1, "group": 1, "expect": {"buffers": {"x": {"file": "y"}}}})),
        by_registers("lds_bytes", json!("much"), json!([])),
        by_registers("grid", json!(1), json!([])),
        by_registers("rsrc1", Value::Null, json!([])),
        by_registers("pc", json!("0x1000"), json!([{"base": 0, "size": 4, "rights": "x"}])),
        by_registers("pc", json!("0x1000"), json!([{"base": 0, "rights": "r"}])),
        by_registers("pc", json!("0x1000"), json!([{"base": 0, "size": 4, "rights": "r", "u8": 1, "hex": "01"}])),
    ];
    let good = by_registers("pc", json!("0x1000"), json!([{"base": 0, "size": 4, "rights": "r", "u8": 1}]));
    book.holds("launch", &good);
    for broken in broken_launches {
        assert!(book.check("launch", &broken).is_err(), "{broken}");
        bench.file("l.json", broken.to_string());
        assert_eq!(bench.run("run k.co --launch l.json").code, 2, "{broken}");
    }
    let broken_states = [
        json!({"sgrp": {}}),
        json!({"sgpr": {"128": 0}}),
        json!({"sgpr": {"01": 0}}),
        json!({"sgpr": {"0": "red"}}),
        json!({"vgpr": {"0": [1, 2]}}),
        json!({"vgpr": {"256": vec![0; 64]}}),
        json!({"scc": 2}),
        json!({"memory": [{"base": 0}]}),
        json!({"lds": {"hexx": ""}}),
    ];
    for broken in broken_states {
        assert!(book.check("state", &broken).is_err(), "{broken}");
        bench.file("st.json", broken.to_string());
        assert_eq!(bench.run("run sum.bin --state st.json").code, 2, "{broken}");
    }
    bench.words("s2.bin", &[common::END]);
    for broken in
        ["max_inst = 1", "[expect]\noutcome = \"perfect\"", "[expect.state]\nsgpr = { 200 = 1 }", "entry = \"x\""]
    {
        assert!(book.check("sidecar", &of_toml(broken)).is_err(), "{broken}");
        bench.file("s2.toml", broken);
        assert_eq!(bench.run("run s2.bin").code, 2, "{broken}");
    }
    let vector = json!({"id": "a", "arch": "gcn1.2", "words": [0x8080_8080u32], "expect": {"scc": 0}});
    book.holds("vectors", &vector);
    for (key, value) in
        [("id", json!(3)), ("words", json!([])), ("certainty", json!("maybe")), ("expect", json!({"outcome": "ended"}))]
    {
        let mut broken = vector.clone();
        broken[key] = value;
        assert!(book.check("vectors", &broken).is_err(), "{broken}");
        bench.file("v.jsonl", broken.to_string());
        assert_eq!(bench.run("verify v.jsonl").code, 2, "{broken}");
    }
}
