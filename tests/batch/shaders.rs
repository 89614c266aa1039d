//! The real shaders of `corpus/shaders`: all of them end in the synthetic environment, alike on both engines, and
//! linting finds nothing.

use std::collections::BTreeSet;
use std::io::Read;

use gcnsim_engine::{EngineKind, RunOptions};
use gcnsim_isa::Arch;
use gcnsim_loader::{self as loader, FileBytes, Shader};
use gcnsim_machine::world::{World, WorldKind};
use gcnsim_synthetic::{Subject, Synthetic};

use crate::batch_support;

use batch_support::*;

/// Returns a corpus with `radv.tar`, the committed shaders.
fn shaders() -> Corpus {
    let corpus = Corpus::new();
    corpus.file("radv.tar", unpacked());
    corpus
}

fn unpacked() -> Vec<u8> {
    let packed = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/corpus/shaders/radv.tar.gz")).unwrap();
    let mut tar = Vec::new();
    flate2::read::GzDecoder::new(&packed[..]).read_to_end(&mut tar).unwrap();
    tar
}

/// Returns names and contents of the files in a tar archive with plain headers.
fn members(mut tar: &[u8]) -> Vec<(String, Vec<u8>)> {
    let mut members = Vec::new();
    while let Some((header, rest)) = tar.split_first_chunk::<512>()
        && header[0] != 0
    {
        let text = |field: &[u8]| field.split(|&byte| byte == 0).next().unwrap().escape_ascii().to_string();
        let size = usize::from_str_radix(&text(&header[124..136]), 8).unwrap();
        members.push((text(&header[..100]), rest[..size].to_vec()));
        tar = &rest[size.next_multiple_of(512)..];
    }
    members
}

fn count(line: &serde_json::Value, class: &str) -> u64 {
    line["observed"][class]["count"].as_u64().unwrap()
}

#[test]
fn all_end_and_are_observed() {
    let corpus = shaders();
    corpus.run(&["batch", "radv.tar", "--synthetic", "--interp", "--out", "r.jsonl"], 0);
    let lines = corpus.lines("r.jsonl");
    assert!(lines.len() > 700, "{}", lines.len());
    let outcomes: BTreeSet<_> = strings(&lines, "outcome").into_iter().collect();
    assert_eq!(outcomes, BTreeSet::from(["ended".to_owned()]));
    let stages = strings(&lines, "stage").into_iter().collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>();
    let all = ["compute", "copy", "evaluation", "export", "geometry", "hull", "local", "pixel", "vertex"];
    assert_eq!(stages, all);
    let classes = ["exports", "stores", "images", "messages"];
    let observed = lines.iter().filter(|line| classes.iter().any(|class| count(line, class) > 0)).count();
    assert!(observed * 100 > lines.len() * 95, "{observed} of {}", lines.len());
}

/// Every twelfth shader has the observations of the interpreter if it is compiled at once and checked.
#[test]
fn engines_agree() {
    let corpus = shaders();
    let batch = ["batch", "radv.tar", "--synthetic", "--shard", "1/12", "--out"];
    corpus.run(&[&batch[..], &["a.jsonl", "--interp", "--jobs", "1"]].concat(), 0);
    corpus.run(&[&batch[..], &["b.jsonl", "--check", "--hot", "0"]].concat(), 0);
    let of = |name: &str| {
        let lines = corpus.lines(name);
        lines.iter().map(|line| (line["file"].clone(), line["observed"].clone(), line["notes"].clone())).collect()
    };
    let (interpreted, compiled): (Vec<_>, Vec<_>) = (of("a.jsonl"), of("b.jsonl"));
    assert!(interpreted.len() > 50, "{}", interpreted.len());
    assert_eq!(interpreted, compiled);
}

/// Returns the value of a key in a sidecar.
fn value<'a>(sidecar: &'a str, key: &str) -> Option<&'a str> {
    let (_, value) = sidecar.lines().filter_map(|line| line.split_once(" = ")).find(|(name, _)| *name == key)?;
    Some(value.trim_matches('"'))
}

fn number(sidecar: &str, key: &str) -> Option<u32> {
    let text = value(sidecar, key)?;
    text.strip_prefix("0x").map_or_else(|| text.parse().ok(), |hex| u32::from_str_radix(hex, 16).ok())
}

/// Every twelfth shader has the same observations with and without segments, in all worlds.
#[test]
fn segments_change_nothing() {
    let members = members(&unpacked());
    let compiled = |segments| {
        let mut options = RunOptions::default().engine(EngineKind::JitNoCheck).hot(0);
        options.segments = segments;
        options
    };
    let mut engines = [true, false].map(|segments| Synthetic::new(compiled(segments)));
    for pair in members.chunks(2).step_by(12) {
        let [(name, code), (sidecar_name, sidecar)] = pair else { panic!("a shader without sidecar") };
        assert_eq!(name.strip_suffix(".bin"), sidecar_name.strip_suffix(".toml"));
        let sidecar = std::str::from_utf8(sidecar).unwrap();
        let arch: Arch = value(sidecar, "arch").unwrap().parse().unwrap();
        let shader = Shader {
            stage: value(sidecar, "stage").map(|stage| stage.parse().unwrap()),
            rsrc1: number(sidecar, "rsrc1"),
            rsrc2: number(sidecar, "rsrc2"),
            ps_input_ena: number(sidecar, "ps_input_ena"),
            ps_input_addr: number(sidecar, "ps_input_addr"),
            lds_bytes: number(sidecar, "lds_bytes"),
            scratch_bytes_per_lane: number(sidecar, "scratch_bytes_per_lane"),
            ..Shader::default()
        };
        let loaded = loader::parse(FileBytes::from(code.clone())).unwrap();
        let subject = Subject::described(&loaded.entries[0], arch, 0, shader);
        for kind in WorldKind::ALL {
            let [with, without] = engines.each_mut().map(|engine| {
                let run = engine.run(&subject, World::new(kind)).unwrap();
                (run.state_hash(), run.run.instructions, run.outcome_name())
            });
            assert_eq!(with, without, "{name} in world {}", kind.name());
        }
    }
}

#[test]
fn linting_finds_nothing() {
    let corpus = Corpus::new();
    for (name, content) in members(&unpacked()) {
        corpus.file(&format!("shaders/{name}"), content);
    }
    let output = corpus.run(&["lint", "shaders", "--json"], 0);
    let summary = parse_all(&text(&output.stdout)).pop().unwrap();
    assert_eq!(summary["findings"], 0, "{summary}");
    assert!(summary["kernels"].as_u64().unwrap() > 700, "{summary}");
}
