//! `--sanitize` of `run` and `batch` (docs/use/sanitize.md). What is found in which kernels is tested with the crate.

use serde_json::json;

use crate::common::Bench;

/// v_lshlrev_b32 v1, 2, v0; ds_write_b32 v1, v0; ds_read_b32 v2, v1 offset:4; s_endpgm: a race of two waves (gfx900).
const RACY: [u32; 6] = [0x2402_0082, 0xd81a_0000, 1, 0xd86c_0004, 0x0200_0001, 0xbf81_0000];

#[test]
fn shaders_in_worlds_are_looked_at() {
    let bench = Bench::new();
    let sidecar = "arch = \"gfx900\"\nstage = \"compute\"\nrsrc2 = 16\nlds_bytes = 1024\ngroup = [128, 1, 1]\n";
    bench.words("s.bin", &RACY).file("s.toml", sidecar);
    let ran = bench.run("run s.bin --synthetic --sanitize --json");
    let found = ran.json()["sanitizer"].clone();
    assert_eq!((ran.code, &found["total"]), (1, &json!(2)), "{ran:?}");
    assert_eq!(found["findings"][0]["first"]["pc"], "0x4");
    let ran = bench.run("run s.bin --synthetic=float,int --sanitize=race");
    assert_eq!(ran.stdout.matches("race: byte 0x4 of LDS").count(), 2, "{ran:?}");
    let ran = bench.run("batch s.bin --synthetic=float,int --sanitize=race,bounds --out r.jsonl");
    assert!(ran.code == 1 && ran.stderr.contains("the sanitizer found 4 mistakes"), "{ran:?}");
    let totals: Vec<_> = bench.read("r.jsonl").lines().map(|line| line.matches("\"total\":2").count()).collect();
    assert_eq!(totals, [1, 1, 0]);
    // Results are those without the flag.
    let hash = |flags: &str| bench.run(&format!("run s.bin --synthetic --json {flags}")).json()["state_hash"].clone();
    assert_eq!(hash(""), hash("--sanitize"));
}

/// Returns a directory with the kernels that have races, and two launches of one: with and without its mistake.
fn bench() -> Bench {
    let bench = Bench::new();
    let object = concat!(env!("CARGO_MANIFEST_DIR"), "/corpus/sanitize/races-gfx900-O2.co");
    let launch = |kernel: &str| {
        json!({
            "name": kernel, "kernel": kernel, "grid": [512], "group": [256],
            "args": [{"buffer": "out"}, {"buffer": "in"}],
            "buffers": {"in": {"size": 2048}, "out": {"size": 2048}},
        })
    };
    let launches = json!({"launch": [launch("reduce_racy"), launch("reduce_fixed")]});
    bench.file("k.co", std::fs::read(object).unwrap()).file("k.json", launches.to_string());
    bench
}

#[test]
fn a_finding_is_a_result_and_makes_the_exit_code_1() {
    let bench = bench();
    for engine in ["--interp", "--jit"] {
        let ran = bench.run(&format!("run k.co {engine} --only reduce_racy --sanitize=race"));
        assert_eq!(ran.code, 1, "{ran:?}");
        assert!(ran.stdout.contains("outcome       ended") && ran.stdout.contains("race: byte"), "{}", ran.stdout);
        assert!(ran.stdout.contains("races.cl:") && ran.stdout.contains("ds_"), "{}", ran.stdout);
        let report = ran.stdout.split_once("sanitizer").unwrap().1;
        assert!(report.lines().all(|line| line.chars().count() <= 80), "{report}");
    }
    let ran = bench.run("run k.co --only reduce_fixed --sanitize");
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stdout.contains("sanitizer     nothing found (race, uninit, bounds)"), "{}", ran.stdout);
    assert!(!bench.run("run k.co --only reduce_racy").stdout.contains("sanitizer"), "none was asked for");
}

#[test]
fn findings_are_in_the_json_of_runs_and_batches() {
    let bench = bench();
    let found = bench.run("run k.co --only reduce_racy --json --sanitize").json()["sanitizer"].clone();
    assert_eq!((&found["checks"], found["total"].as_u64().unwrap() > 0), (&json!(["race", "uninit", "bounds"]), true));
    let finding = &found["findings"][0];
    assert_eq!((&finding["kind"], &finding["place"]), (&json!("race"), &json!("lds")));
    let first = finding["first"].as_object().unwrap();
    assert!(["pc", "text", "access", "group", "wave", "lane", "source"].iter().all(|key| first.contains_key(*key)));
    let ran = bench.run("batch k.co --out r.jsonl --sanitize=race");
    assert_eq!(ran.code, 1, "{ran:?}");
    let lines = bench.read("r.jsonl");
    let totals: Vec<u64> = lines
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["sanitizer"]["total"].as_u64())
        .collect();
    assert!(totals.len() == 2 && totals[0] > 0 && totals[1] == 0, "{lines}");
    assert!(!ran.stderr.contains("looked at nothing"), "{ran:?}");
    // Without a launch file there is nothing to look at.
    bench.words("raw.bin", &[crate::common::END]);
    let ran = bench.run("batch raw.bin --arch gfx900 --sanitize");
    assert!(ran.code == 0 && ran.stderr.contains("--sanitize looked at nothing"), "{ran:?}");
    // In a world the size of groups is made up, so that LDS is left out.
    let ran = bench.run("run k.co --kernel reduce_racy --synthetic --sanitize");
    assert!(ran.code == 0 && ran.stdout.contains("sanitizer     nothing found"), "{ran:?}");
    assert!(ran.stdout.contains("limit reached: LDS was not looked at"), "{ran:?}");
    bench.run("run raw.bin --arch gfx900 --sanitize").fails(2, "--sanitize");
    bench.run("run k.co --sanitize=rice").fails(2, "'rice' is not race, uninit or bounds");
}

#[test]
fn all_observers_see_one_run() {
    let bench = bench();
    let flags = ["--sanitize", "--profile", "--trace=5 --wave 0:0", "--coverage c.json"];
    let lines = |ran: &crate::common::Ran| -> Vec<serde_json::Value> {
        ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let run = |flags: &str| bench.run(&format!("run k.co --only reduce_racy --json {flags}"));
    let alone = flags.map(run);
    let coverage = bench.read("c.json");
    let together = run(&flags.join(" "));
    let [report, profile] = &lines(&together)[..] else { panic!("{together:?}") };
    assert_eq!((together.code, &report["sanitizer"]), (1, &lines(&alone[0])[0]["sanitizer"]));
    for key in ["classes", "accesses", "branches", "instructions", "lines"] {
        assert_eq!(profile[key], lines(&alone[1])[1][key], "{key}");
    }
    assert!(profile["classes"].is_array() && alone[2].stderr.lines().count() >= 5, "{alone:?}");
    assert!(together.stderr.starts_with(&alone[2].stderr), "{together:?}");
    assert_eq!(bench.read("c.json"), coverage);
}
