//! Pairs of small shaders in worlds. llvm-mc 15 assembled the words for gfx900.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use gcnsim_diff::DEFAULT_WORLDS;
use gcnsim_diff::pairs::{Files, of_files};
use gcnsim_diff::result::{Hex, PairResult, Verdict};
use gcnsim_diff::run::{Item, Options, run};
use gcnsim_diff::value::Tolerance;
use gcnsim_engine::RunOptions;

/// v_interp_p1_f32 v2, v0, attr0.x; v_interp_p2_f32 v2, v1, attr0.x
const INTERP: [u32; 2] = [0xd408_0000, 0xd409_0001];
/// v_mul_f32 v3, 2.0, v2 and v_mul_f32 v3, 4.0, v2
const MUL: [u32; 2] = [0x0a06_04f4, 0x0a06_04f6];
/// v_add_f32 v4, v3, v2
const ADD: u32 = 0x0208_0503;
/// v_mov_b32 v5, 0.5; v_cmp_lt_f32 vcc, v2, v5 or v_cmp_gt_f32; v_cndmask_b32 v4, v2, v3, vcc
const HALF: u32 = 0x7e0a_02f0;
const LESS: u32 = 0x7c82_0b02;
const GREATER: u32 = 0x7c88_0b02;
const SELECT: u32 = 0x0008_0702;
/// v_rcp_f32 v6, v2; v_rcp_f32 v6, v6
const RECIPROCALS: [u32; 2] = [0x7e0c_4502, 0x7e0c_4506];
/// v_mov_b32 v9, 1.0
const ONE: u32 = 0x7e12_02f2;
/// s_branch to itself
const ENDLESS: u32 = 0xbf82_ffff;
const END: u32 = 0xbf81_0000;

/// exp mrt0 vN, off, off, off done vm
fn exp(register: u32) -> [u32; 2] {
    [0xc400_1801, register]
}

fn code(parts: &[&[u32]]) -> Vec<u8> {
    parts.concat().into_iter().chain([END]).flat_map(u32::to_le_bytes).collect()
}

/// Returns the results of comparing two folders with the given files (name, old bytes, new bytes). The run is stopped
/// when `count` results are there.
fn results_until(count: usize, files: &[(&str, Vec<u8>, Vec<u8>)], options: &Options) -> (bool, Vec<PairResult>) {
    let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    for (name, old, new) in files {
        fs::write(folders[0].path().join(name), old).unwrap();
        fs::write(folders[1].path().join(name), new).unwrap();
    }
    let [old, new] = folders.each_ref().map(|folder| Files::collect(folder.path()).unwrap());
    let pairs = of_files(&old, &new).unwrap();
    let stop = Arc::new(AtomicBool::new(false));
    let (mut found, stopper) = (Vec::new(), stop.clone());
    let mut take = |item| {
        if let Item::Pair(pair) = item {
            found.push(*pair);
        }
        stopper.store(found.len() == count, Ordering::Relaxed);
        Ok(())
    };
    let is_whole = run([&old, &new], &pairs, options, &stop, &mut take, &mut |_| ()).unwrap();
    (is_whole, found)
}

fn results(files: &[(&str, Vec<u8>, Vec<u8>)], options: &Options) -> Vec<PairResult> {
    let (is_whole, found) = results_until(usize::MAX, files, options);
    assert!(is_whole);
    found
}

fn result_with(old: &[&[u32]], new: &[&[u32]], options: &Options) -> PairResult {
    results(&[("a.bin", code(old), code(new))], options).remove(0)
}

fn result(old: &[&[u32]], new: &[&[u32]]) -> PairResult {
    result_with(old, new, &Options::default())
}

#[test]
fn equal_codes_do_the_same() {
    let found = result(&[&INTERP, &exp(2)], &[&INTERP, &exp(2)]);
    assert_eq!((found.result, found.stage, &*found.name), (Verdict::Same, Some("pixel"), "a.bin"));
    assert_eq!((found.worlds.len(), found.insensitive, found.instructions), (25, false, [4, 4]));
    // The values are the lanes, and one component in each lane: 64 lanes in 14 worlds, 59 in the eleven worlds that do
    // not cover all pixels.
    assert_eq!((found.counts.exports.compared, found.counts.exports.differ), (14 * 128 + 11 * 118, 0));
}

/// The same code takes one local id on one side and three on the other, as clang does with and without optimisation:
/// v_lshlrev_b32 v1, 2, v0; buffer_store_dword v0, v1, s[4:7], 0 offen.
#[test]
fn groups_have_the_same_size_on_both_sides() {
    let store: &[u32] = &[0x2402_0082, 0xe070_1000, 0x8001_0001];
    // RSRC2 has eight user SGPRs, and the number of local ids less one in bits 11 and 12.
    let sidecar = |ids: u32| format!("stage = \"cs\"\nrsrc2 = {}\n", 8 << 1 | (ids - 1) << 11).into_bytes();
    for (old, new) in [(1, 3), (3, 1), (2, 3), (2, 2)] {
        let files = [("a.bin", code(&[store]), code(&[store])), ("a.toml", sidecar(old), sidecar(new))];
        let found = results(&files, &Options::default()).remove(0);
        assert_eq!((found.result, found.why), (Verdict::Same, None), "{old} and {new} local ids");
    }
}

/// v_interp_mov_f32 v2, p0, attr0.x; v_and_b32 v3, 7, v2 (or 3), which are 0 for floats that are multiples of 1/1024.
#[test]
fn flat_attributes_are_integers_in_some_worlds() {
    let shader = |and: u32| [&[0xd40a_0002, and][..], &exp(3)].concat();
    let (old, new) = (shader(0x2606_0487), shader(0x2606_0483));
    let found = result(&[&old[..]], &[&new[..]]);
    let first = found.first.unwrap();
    assert_eq!((found.result, first.inst_new.as_deref()), (Verdict::Differ, Some("v_and_b32_e32 v3, 3, v2")));
    let plain = Options::default().worlds(&DEFAULT_WORLDS[..8]);
    assert_eq!(result_with(&[&old[..]], &[&new[..]], &plain).result, Verdict::Same);
}

/// The shader has four instructions.
#[test]
fn sidecars_state_the_budget_of_their_side() {
    let shader = || code(&[&INTERP, &exp(2)]);
    let sidecars = |old: &str| ("a.toml", old.as_bytes().to_vec(), b"max_insts = 4\n".to_vec());
    let options = Options::default();
    let cut = results(&[("a.bin", shader(), shader()), sidecars("max_insts = 3\n")], &options).remove(0);
    assert_eq!((cut.result, &*cut.first.unwrap().what), (Verdict::Differ, "outcome"));
    let whole = results(&[("a.bin", shader(), shader()), sidecars("")], &options).remove(0);
    assert_eq!(whole.result, Verdict::Same);
    let run = RunOptions::default().max_insts(4);
    let options = Options::default().run(run);
    let both = results(&[("a.bin", shader(), shader()), sidecars("max_insts = 3\n")], &options).remove(0);
    assert_eq!(both.result, Verdict::Same, "the command line wins");
}

#[test]
fn the_instruction_that_makes_a_difference_is_named() {
    let found = result(&[&INTERP, &MUL[..1], &[ADD], &exp(4)], &[&INTERP, &MUL[1..], &[ADD], &exp(4)]);
    let first = found.first.unwrap();
    assert_eq!((found.result, first.place().as_str()), (Verdict::Differ, "export mrt0.x, lane 0"));
    assert_eq!((first.pc_old, first.pc_new), (Some(Hex(8)), Some(Hex(8))));
    assert_eq!(first.inst_new.as_deref(), Some("v_mul_f32_e32 v3, 4.0, v2"));
    assert_eq!((first.seen_old, first.seen_new), (Some(Hex(16)), Some(Hex(16))));
    // The old value is 3 x, the new one 5 x, of the same x.
    let [old, new] = first.floats.unwrap().map(|float| float.parse::<f64>().unwrap());
    assert!((old * 5.0 - new * 3.0).abs() < 1e-6, "{old} {new}");
    assert_eq!(found.codes.marks, [Some(2), Some(2)]);
}

#[test]
fn a_compare_is_found_behind_a_select() {
    let with = |compare: u32| [&INTERP[..], &MUL[..1], &[HALF, compare, SELECT], &exp(4)].concat();
    let found = result(&[&with(LESS)], &[&with(GREATER)]);
    let first = found.first.unwrap();
    assert_eq!((found.result, first.pc_old, first.pc_new), (Verdict::Differ, Some(Hex(16)), Some(Hex(16))));
}

#[test]
fn another_register_exported_is_the_export_itself() {
    let found = result(&[&INTERP, &MUL[..1], &exp(3)], &[&INTERP, &MUL[..1], &exp(2)]);
    let first = found.first.unwrap();
    assert_eq!((found.result, first.pc_old, first.pc_new), (Verdict::Differ, Some(Hex(12)), Some(Hex(12))));
}

/// The reciprocal of a reciprocal is rounded twice.
#[test]
fn floats_have_a_tolerance() {
    let (old, new) = ([&INTERP[..], &exp(2)].concat(), [&INTERP[..], &RECIPROCALS, &exp(6)].concat());
    let found = result(&[&old], &[&new]);
    assert_eq!((found.result, found.counts.exports.differ), (Verdict::Same, 0));
    assert!(found.counts.exports.tolerated > 0);
    let options = Options::default().tolerance(Tolerance::BITS);
    let found = result_with(&[&old], &[&new], &options);
    assert_eq!(found.result, Verdict::Differ);
    // The culprit is the first instruction whose result the old side does not have.
    assert_eq!(found.first.unwrap().inst_new.as_deref(), Some("v_rcp_f32_e32 v6, v2"));
}

#[test]
fn a_result_without_inputs_is_insensitive() {
    let found = result(&[&[ONE], &exp(9)], &[&[ONE], &exp(9)]);
    assert_eq!((found.result, found.insensitive), (Verdict::Same, true));
}

#[test]
fn what_nothing_has_written_is_found() {
    let found = result(&[&exp(9)], &[&[ONE], &exp(9)]);
    assert_eq!((found.result, &found.undef_read[..]), (Verdict::Incomparable, &["old"][..]), "{:?}", found.why);
    // The new side has lost the instruction that writes v9.
    let found = result(&[&[ONE], &exp(9)], &[&exp(9)]);
    assert_eq!((found.result, &found.undef_read[..]), (Verdict::Differ, &["new"][..]));
}

/// An edit of a shader that reads v9, which nothing has written: the difference is that of the edit.
#[test]
fn an_undefined_read_does_not_hide_an_edit() {
    let with = |factor: usize| {
        // v_subrev_f32 v3, v3, v2, twice; v_add_f32 v4, v3, v9
        [&INTERP[..], &MUL[factor..=factor], &[0x0606_0503; 2], &[0x0208_1303], &exp(4)].concat()
    };
    let found = result(&[&with(0)], &[&with(1)]);
    assert_eq!((found.result, &found.undef_read[..]), (Verdict::Differ, &["old", "new"][..]), "{:?}", found.why);
}

/// x / x - 1 is 0 only if the quotient is rounded: v_fma_f32 v4, v6, v2, -1.0, or v_mul_f32 v4, v6, v2 and
/// v_add_f32 v4, -1.0, v4.
#[test]
fn what_other_roundings_change_says_nothing() {
    let reciprocal = [&INTERP[..], &RECIPROCALS[..1]].concat();
    let old = [&reciprocal[..], &[0xd1cb_0004, 0x03ce_0506], &exp(4)].concat();
    let new = [&reciprocal[..], &[0x0a08_0506, 0x0208_08f3], &exp(4)].concat();
    let found = result(&[&old], &[&new]);
    assert_eq!(found.result, Verdict::Incomparable);
    assert!(found.why.is_some_and(|why| why.starts_with("rounding: ")) && found.first.is_some());
    // v_mul_f32 v4, 2.0, v4 in place of the sum is another result.
    let other = [&reciprocal[..], &[0x0a08_0506, 0x0a08_08f4], &exp(4)].concat();
    assert_eq!(result(&[&old], &[&other]).result, Verdict::Differ);
}

/// s_mov_b32 s0, 250000; loop: s_sub_u32 s0, s0, 1; s_cmp_lg_u32 s0, 0; s_cbranch_scc1 loop. With two s_nop in the loop
/// it takes 1,250,000 instructions.
#[test]
fn a_longer_loop_has_a_longer_budget() {
    let short = [0xbe80_00ff, 250_000, 0x8080_8100, 0xbf07_8000, 0xbf85_fffd];
    let long = [0xbe80_00ff, 250_000, 0xbf80_0000, 0xbf80_0000, 0x8080_8100, 0xbf07_8000, 0xbf85_fffb];
    let options = Options::default().worlds(&DEFAULT_WORLDS[..1]);
    let found = result_with(&[&INTERP, &short, &exp(2)], &[&INTERP, &long, &exp(2)], &options);
    assert_eq!((found.result, found.instructions), (Verdict::Same, [750_005, 1_250_005]));
    let found = result_with(&[&INTERP, &short, &exp(2)], &[&INTERP, &exp(2), &[ENDLESS]], &options);
    assert_eq!((found.result, found.first.unwrap().values()), (Verdict::Differ, "ended -> budget".into()));
}

/// Attributes x and y of 0, or of 0 and 1: v_interp_p1_f32, v_interp_p2_f32 of v2 and v3; v_mul_f32 v3, 4.0, v3;
/// v_add_f32 v4, v3, v2.
#[test]
fn attributes_are_compared_in_order() {
    // An attribute and its component, in bits 15:8.
    let with = |first: u32, second: u32| {
        let of = |vdst: u32, at: u32| [0xd400_0000 | vdst << 18 | at << 8, 0xd401_0001 | vdst << 18 | at << 8];
        [&of(2, first)[..], &of(3, second), &[0x0a06_06f6, ADD], &exp(4)].concat()
    };
    let found = result(&[&with(0, 1)], &[&with(0, 4)]);
    assert_eq!((found.result, found.relinked, found.worlds.len()), (Verdict::Same, true, 25));
    assert_eq!(found.why.as_deref(), Some("linking: new attr1.x as attr0.y"));
    // What is multiplied changed places: no order makes it the same.
    let found = result(&[&with(0, 1)], &[&with(4, 0)]);
    assert_eq!((found.result, found.relinked), (Verdict::Incomparable, false));
    assert!(found.why.unwrap().starts_with("linking: other attributes"));
}

/// exp pos0 v4; exp param0 v2, v3, or exp param0 v3 and exp param1 v2. The vertex (v0) is made a float: v_cvt_f32_u32
/// v2, v0; v_mul_f32 v3, 4.0, v2; v_add_f32 v4, v3, v2.
#[test]
fn parameters_are_compared_by_what_they_hold() {
    let with = |exports: &[u32]| [&[0x7e04_0d00, 0x0a06_04f6, ADD, 0xc400_08c1, 4], exports].concat();
    let (old, new) = (with(&[0xc400_0203, 0x0302]), with(&[0xc400_0201, 3, 0xc400_0211, 2]));
    let found = result(&[&old], &[&new]);
    assert_eq!((found.result, found.relinked), (Verdict::Same, true), "{:?}", found.why);
    assert_eq!(found.why.as_deref(), Some("linking: new param1.x as param0.x, param0.x as param0.y"));
    // v4 in place of v2.
    let other = with(&[0xc400_0201, 3, 0xc400_0211, 4]);
    assert_eq!(result(&[&old], &[&other]).result, Verdict::Incomparable);
}

#[test]
fn other_stages_are_incomparable() {
    // exp pos0 v4, off, off, off done
    let found = result(&[&INTERP, &exp(2)], &[&[0xc400_08c1, 4]]);
    assert_eq!((found.result, found.why.as_deref()), (Verdict::Incomparable, Some("stage: pixel and vertex")));
}

/// s_movk_i32 s0, COUNT; loop: s_sendmsg sendmsg(MSG_INTERRUPT); s_sub_u32 s0, s0, 1; s_cmp_lg_u32 s0, 0;
/// s_cbranch_scc1 loop. Of each wave 2^14 messages are kept.
#[test]
fn messages_that_are_cut_are_counted() {
    let with = |count: u32| [0xb000_0000 | count, 0xbf90_0001, 0x8080_8100, 0xbf07_8000, 0xbf85_fffc];
    let sides = |old: u32, new: u32| result(&[&INTERP, &with(old), &exp(2)], &[&INTERP, &with(new), &exp(2)]);
    let (kept, same, other) = (sides(0x4000, 0x4000), sides(0x4001, 0x4001), sides(0x4001, 0x4003));
    assert_eq!((kept.result, kept.why), (Verdict::Same, None));
    assert_eq!(same.result, Verdict::Same);
    assert!(same.why.is_some_and(|why| why.contains("first 16384")));
    let first = other.first.unwrap();
    assert_eq!(
        (other.result, &*first.what, first.values()),
        (Verdict::Differ, "number of messages", "16385 -> 16387".into())
    );
}

#[test]
fn bad_input_is_a_result_and_the_rest_goes_on() {
    let good = code(&[&INTERP, &exp(2)]);
    let endless = code(&[&INTERP, &exp(2), &[ENDLESS]]);
    let files = [
        ("a.bin", good.clone(), vec![1, 2, 3]),
        ("b.bin", endless.clone(), endless.clone()),
        ("c.bin", good.clone(), endless),
        ("d.elf", good.clone(), b"\x7fELF\x02\x01\x01".to_vec()),
        ("e.bin", good.clone(), good),
    ];
    let run = RunOptions::default().max_insts(1000);
    let found = results(&files, &Options::default().run(run));
    let verdicts: Vec<_> = found.iter().map(|pair| pair.result).collect();
    use Verdict::{Differ, Failed, Same};
    assert_eq!(verdicts, [Failed, Failed, Differ, Failed, Same]);
    assert_eq!(found[1].why.as_deref(), Some("both: budget"));
    let first = found[2].first.as_ref().unwrap();
    assert_eq!((first.what.as_str(), first.values().as_str()), ("outcome", "ended -> budget"));
}

/// The kernel saxpy adds a product to y. With v_sub_f32 in place of v_add_f32, y is subtracted.
#[test]
fn launches_of_the_old_side_run_on_both() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/kernels");
    let object = fs::read(corpus.join("kernels-gfx900-v5-O2.co")).unwrap();
    let launches = fs::read(corpus.join("kernels.json")).unwrap();
    // v_add_f32 v2, v2, v3 and v_sub_f32 v2, v2, v3, in saxpy.
    let [add, sub] = [0x0204_0702u32, 0x0404_0702].map(u32::to_le_bytes);
    let at = object.windows(4).position(|word| word == add).unwrap();
    let mut changed = object.clone();
    changed[at..at + 4].copy_from_slice(&sub);
    let found = results(&[("k.json", launches.clone(), launches), ("k.co", object, changed)], &Options::default());
    let differing: Vec<_> = found.iter().filter(|pair| pair.result != Verdict::Same).collect();
    let names: Vec<&str> = differing.iter().map(|pair| &*pair.name).collect();
    assert_eq!(names, ["k.co: saxpy: saxpy-1000", "k.co: saxpy: saxpy-333"]);
    assert_eq!((found.len() > 20, differing[0].counts.stores.differ), (true, 1000));
    let first = differing[0].first.as_ref().unwrap();
    assert_eq!(first.place(), "buffer y at 0x0");
    let insts = [&first.inst_old, &first.inst_new].map(|inst| inst.as_deref());
    assert_eq!(insts, [Some("v_add_f32_e32 v2, v2, v3"), Some("v_sub_f32_e32 v2, v2, v3")]);
    // The code is 0x1000 bytes further in memory than in the file.
    assert_eq!((first.pc_old, first.pc_new), (Some(Hex(at as u64 + 0x1000)), Some(Hex(at as u64 + 0x1000))));
}

#[test]
fn results_do_not_depend_on_threads() {
    let mul = |number: usize| code(&[&INTERP, &MUL[number..number + 1], &exp(3)]);
    let names: Vec<_> = (0..40).map(|n| format!("{n:02}.bin")).collect();
    let files: Vec<_> = names.iter().enumerate().map(|(n, name)| (name.as_str(), mul(0), mul(n % 2))).collect();
    let with = |jobs| results(&files, &Options::default().jobs(jobs));
    let (one, four) = (with(1), with(4));
    assert_eq!(one, four);
    assert_eq!(one.iter().filter(|pair| pair.result == Verdict::Differ).count(), 20);
}

#[test]
fn a_stopped_run_keeps_what_is_done() {
    let same = || code(&[&INTERP, &exp(2)]);
    let names: Vec<_> = (0..50).map(|n| format!("{n:02}.bin")).collect();
    let files: Vec<_> = names.iter().map(|name| (name.as_str(), same(), same())).collect();
    let (is_whole, found) = results_until(10, &files, &Options::default().jobs(1));
    assert_eq!((is_whole, found.len(), &*found[9].name), (false, 10, "09.bin"));
}

/// Two objects of clang 15 (gfx900, -O2) with the variables `seen`, `total` and `last`, of which each is at another
/// address in the other object. The kernel of both writes in[0..4] to `seen`, 3 * in[0] to `total`, and in[1] and in[2]
/// to `last`.
#[test]
fn variables_are_paired_by_their_symbols() {
    let old = include_bytes!("objects/variables-old.co").to_vec();
    let new = include_bytes!("objects/variables-new.co").to_vec();
    let found = results(&[("k.co", old.clone(), new.clone())], &Options::default());
    assert_eq!(found[0].result, Verdict::Same, "{:?}", found[0]);
    assert_eq!(found[0].why.as_deref(), Some("variables lie at other addresses: last, seen, total"));

    // v_mul_lo_u32 by 5 instead of 3: `total` is another one.
    let multiply = 0x0001_0701u32.to_le_bytes();
    let at = new.windows(4).position(|words| words == multiply).unwrap();
    let mut other = new;
    other[at..at + 4].copy_from_slice(&0x0001_0b01u32.to_le_bytes());
    let other = results(&[("k.co", old, other)], &Options::default());
    assert_eq!(other[0].result, Verdict::Differ);
}
