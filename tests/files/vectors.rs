//! Runs the conformance vectors of the corpus on both engines: one in twenty. `.ci/run` makes and runs all of them.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use gcnsim_check::vectors::{self, Event, Summary, Vector, VectorEngine, verify};
use gcnsim_isa::{Arch, table};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/corpus/vectors");

/// Least number of vectors.
const ENOUGH: u64 = 11_000;

/// Returns the files with vectors, sorted by name.
fn files() -> Vec<(String, PathBuf)> {
    let paths = fs::read_dir(FOLDER).unwrap().map(|entry| entry.unwrap().path());
    let named = paths.map(|path| (path.file_name().unwrap().to_str().unwrap().to_owned(), path));
    let mut files: Vec<_> = named.filter(|(name, _)| name.ends_with(".jsonl.gz")).collect();
    files.sort();
    files
}

fn run(engines: &mut [Box<dyn VectorEngine>], filter: impl Fn(&str) -> bool) -> (Summary, Vec<String>) {
    let mut total = Summary::default();
    let mut failures = Vec::new();
    for (name, path) in files().into_iter().filter(|(name, _)| filter(name)) {
        let summary = verify(File::open(&path).unwrap(), engines, |event| match event {
            Event::NotPassed { vector, engine, verdict } => {
                failures.push(format!("{} on {engine}: {verdict:?}", vector.id));
            }
            Event::Broken { line, error } => failures.push(format!("{name} line {line}: {error}")),
        })
        .unwrap();
        total.merge(&summary);
    }
    (total, failures)
}

#[test]
fn interpreter_passes_all() {
    let (total, failures) = run(&mut [vectors::interpreter()], |_| true);
    assert!(failures.is_empty(), "{} failures, the first: {:#?}", failures.len(), &failures[..failures.len().min(40)]);
    assert!(total.total > ENOUGH && total.passed == total.total, "{total:?}");
}

#[cfg(feature = "jit")]
#[test]
fn jit_passes_all() {
    let (total, failures) = run(&mut [vectors::compiled().unwrap()], |_| true);
    assert!(failures.is_empty(), "{} failures, the first: {:#?}", failures.len(), &failures[..failures.len().min(40)]);
    assert!(total.total > ENOUGH && total.passed == total.total, "{total:?}");
}

/// Each instruction that the engines execute has a vector for each generation that has it.
#[test]
fn every_row_has_a_vector() {
    let mut seen = BTreeSet::new();
    for (_, path) in files() {
        let lines = BufReader::new(flate2::read::MultiGzDecoder::new(File::open(path).unwrap())).lines();
        for line in lines {
            let vector = Vector::parse(line.unwrap().as_bytes()).unwrap();
            seen.insert((vector.arch, vector.mnemonic));
        }
    }
    let rows = table::all_rows().filter(|row| row.opcode.is_executed());
    let pairs = rows.flat_map(|row| Arch::GENERATIONS.map(|arch| (arch, row)));
    let wanted = pairs.filter(|&(arch, row)| row.op[arch as usize] != table::NO_OPCODE);
    let missing: Vec<_> = wanted.filter(|(arch, row)| !seen.contains(&(*arch, row.mnemonic.to_owned()))).collect();
    let missing: BTreeSet<&str> = missing.iter().map(|(_, row)| row.mnemonic).collect();
    // A wave alone cannot execute these.
    let of_several_waves = |name: &&&str| !name.starts_with("ds_gws_") && **name != "ds_ordered_count";
    let missing: Vec<_> = missing.iter().filter(of_several_waves).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

/// The list of hashes names the files.
#[test]
fn hashes_are_those_of_the_files() {
    let sums = fs::read_to_string(Path::new(FOLDER).join("SHA256SUMS")).unwrap();
    let named: Vec<_> = sums.lines().map(|line| format!("{}.gz", line.split_once("  ").unwrap().1)).collect();
    assert_eq!(named, files().into_iter().map(|(name, _)| name).collect::<Vec<_>>());
}

/// A wrong lowering of s_add_u32 must be detected, which shows that the vectors run on compiled code.
#[cfg(feature = "jit")]
#[test]
fn a_planted_mistake_is_caught() {
    use gcnsim_isa::{Opcode, table::Sop2};
    let plant = Some(Opcode::Sop2(Sop2::SAddU32));
    let options = gcnsim::RunOptions::default().plant(plant);
    let mut engine = [vectors::compiled_with(&options).unwrap()];
    let (total, failures) = run(&mut engine, |name| name.contains("gcn1.4-sop2"));
    assert!(total.failed > 0 && total.passed > 0, "{total:?}");
    assert!(failures.iter().all(|failure| failure.contains("s_add_u32")), "{failures:#?}");
}

/// Checks a vector of one instruction on both engines. `init` and `expect` are the fields of a vector in JSON.
fn passes(arch: &str, words: &[u32], init: &str, expect: &str) -> Result<(), String> {
    let words: Vec<String> = words.iter().map(u32::to_string).collect();
    let line = format!(
        r#"{{"id": "case", "arch": "{arch}", "words": [{}], "init": {{{init}}}, "expect": {{{expect}}}}}"#,
        words.join(", ")
    );
    let vector = vectors::Vector::parse(line.as_bytes()).map_err(|error| format!("{line}: {error}"))?;
    for mut engine in engines() {
        match vector.check(&mut *engine) {
            vectors::Verdict::Passed => {}
            verdict => return Err(format!("{arch}: {verdict:?}")),
        }
    }
    Ok(())
}

#[cfg(feature = "jit")]
fn engines() -> Vec<Box<dyn VectorEngine>> {
    vec![vectors::interpreter(), vectors::compiled().unwrap()]
}

#[cfg(not(feature = "jit"))]
fn engines() -> Vec<Box<dyn VectorEngine>> {
    vec![vectors::interpreter()]
}

/// Returns the field `vgpr` of a vector, for registers that have a value in lane 0 and 0 in the other lanes.
fn vgprs(values: &[(u32, u32)]) -> String {
    let one = |&(number, value): &(u32, u32)| format!(r#""{number}": [{value}{}]"#, ", 0".repeat(63));
    format!(r#""vgpr": {{{}}}"#, values.iter().map(one).collect::<Vec<_>>().join(", "))
}

/// gfx904 has V_FMA_MIX_F32 where its generation has V_MAD_MIX_F32, under the same opcode.
#[test]
fn one_rounding_on_gfx904() {
    let words = [0xd3a0_0003, 0x040a_0300];
    let sources = vgprs(&[(0, 0x3f80_0001), (1, 0x3f80_0001), (2, 0xbf80_0002)]);
    let init = format!(r#""exec": 1, "mode": 1008, {sources}"#);
    // (1 + 2^-23)^2 - (1 + 2^-22) is 2^-46, which a rounded product loses.
    let fused = vgprs(&[(3, 0x2880_0000)]);
    for (arch, expect) in
        [("gfx904", &*fused), ("gfx906", &*fused), ("gfx900", ""), ("gfx902", ""), ("gfx909", ""), ("gfx90c", "")]
    {
        passes(arch, &words, &init, expect).unwrap();
    }
}

/// gfx810 packs two components of 16 bits into a register; the other chips of its generation have one in each.
#[test]
fn components_of_16_bits_are_packed_on_gfx810() {
    // The descriptor is that of eight bytes at 0x1000 in the format 16_16_16_16 FLOAT.
    let buffer = r#""exec": 1, "mode": 960, "sgpr": {"4": 4096, "6": 8, "7": 425900}"#;
    let load = |arch: &str, registers: &[(u32, u32)]| {
        let init = format!(r#"{buffer}, "memory": [{{"base": "0x1000", "hex": "003c004000440048"}}]"#);
        passes(arch, &[0xe02c_0000, 0x8001_0100], &init, &vgprs(registers))
    };
    load("gfx810", &[(1, 0x4000_3c00), (2, 0x4800_4400)]).unwrap();
    for arch in ["gfx801", "gfx802", "gfx803", "gfx805"] {
        load(arch, &[(1, 0x3c00), (2, 0x4000), (3, 0x4400), (4, 0x4800)]).unwrap();
    }
    let store = |arch: &str, registers: &[(u32, u32)]| {
        let memory = r#""memory": [{"base": "0x1000", "hex": "0000000000000000"}]"#;
        let init = format!("{buffer}, {}, {memory}", vgprs(registers));
        let stored = r#""memory": [{"base": "0x1000", "hex": "003c00400044"}]"#;
        passes(arch, &[0xe038_0000, 0x8001_0100], &init, stored)
    };
    store("gfx810", &[(1, 0x4000_3c00), (2, 0x4400)]).unwrap();
    store("gfx803", &[(1, 0x3c00), (2, 0x4000), (3, 0x4400)]).unwrap();
}

/// V_MAD_MIXLO_F16 flushes 16-bit denormals in every MODE. V_FMA_MIXLO_F16, which has the same opcode, obeys MODE.
#[test]
fn denormals_in_mixed_arithmetic() {
    let words = [0xd3a1_4003, 0x1c0a_0300];
    let mixed = |arch: &str, mode: u32, [a, b, c]: [u32; 3], expected: u32| {
        let init = format!(r#""exec": 1, "mode": {mode}, {}"#, vgprs(&[(0, a), (1, b), (2, c), (3, 0xabcd_7777)]));
        passes(arch, &words, &init, &vgprs(&[(3, 0xabcd_0000 | expected)]))
    };
    // The products are 2^-14 * 2^-1 and 2^-24 * 2^14.
    let (result, source) = ([0x0400, 0x3800, 0], [0x8001, 0x7400, 0]);
    for arch in ["gfx900", "gfx902", "gfx909", "gfx90c"] {
        for mode in [0x3f0, 0x330, 0x3c0] {
            mixed(arch, mode, result, 0).unwrap();
            mixed(arch, mode, source, 0).unwrap();
        }
    }
    for arch in ["gfx904", "gfx906"] {
        mixed(arch, 0x3f0, result, 0x0200).unwrap();
        mixed(arch, 0x330, result, 0).unwrap();
        mixed(arch, 0x370, result, 0).unwrap();
        mixed(arch, 0x3f0, source, 0x9400).unwrap();
        mixed(arch, 0x3b0, source, 0).unwrap();
    }
}

/// Unused fields of an instruction are ignored, unless the decoder is strict.
#[test]
fn idle_fields() {
    let init = format!(r#""exec": 1, "mode": 960, "sgpr": {{"0": 4660}}, {}"#, vgprs(&[(2, 7), (3, 5)]));
    let written = vgprs(&[(1, 0x1234)]);
    for arch in ["gfx803", "gfx900"] {
        // v_writelane_b32 v1, s0, 0 with SRC2 = 1, 209 (reserved), 255 (literal), 511 (VGPR)
        for src2 in [0, 1, 209, 255, 511] {
            passes(arch, &[0xd28a_0001, 0x0001_0000 | src2 << 18], &init, &written).unwrap();
        }
        // v_and_b32_e64 v1, v2, v3 with ABS and NEG of both, OMOD and CLAMP
        passes(arch, &[0xd113_8301, 0x7802_0702], &init, &vgprs(&[(1, 5)])).unwrap();
    }
    // v_pk_sub_i16 v1, v2, v3 with NEG_LO and NEG_HI of integers and a third source
    passes("gfx900", &[0xd383_4701, 0xfbfe_0702], &init, &vgprs(&[(1, 2)])).unwrap();
    let line = br#"{"id": "strict", "arch": "gfx900", "words": [3532259329, 66912768], "init": {"exec": 1}}"#;
    let vector = vectors::Vector::parse(line).unwrap();
    for engine in engines() {
        let verdict = vector.check(&mut *vectors::strict(engine));
        assert!(format!("{verdict:?}").contains("illegal-operand"), "{verdict:?}");
    }
}

/// The counter is the dword of GDS at M0[31:16] + OFFSET[7:2] * 4. OFFSET[13:12] adds the value of the first active
/// lane, or puts it in the place of the old one.
#[test]
fn counts_in_order() {
    let lanes = |values: [u32; 3]| format!("[{}, {}, {}{}]", values[0], values[1], values[2], ", 0".repeat(61));
    let gds = |value: u32| format!(r#""gds": {{"hex": "{}{value:02x}000000"}}"#, "00".repeat(12));
    let init = format!(r#""m0": 524288, "exec": 6, "vgpr": {{"1": {}}}, {}"#, lanes([9, 3, 4]), gds(5));
    for (operation, after) in [(0, 8), (1, 3), (2, 5)] {
        // ds_ordered_count v0, v1 offset:4 gds
        let words = [0xd97f_0004 | operation << 12, 1];
        let expect = format!(r#""vgpr": {{"0": {}}}, {}"#, lanes([0, 5, 5]), gds(after));
        passes("gcn1.4", &words, &init, &expect).unwrap();
    }
    // ds_gws_init v1 gds shows nothing.
    passes("gcn1.4", &[0xd933_0000, 1], &init, "").unwrap();
}
