//! Runs of small programs for GCN 1.4, set up by hand. llvm-mc assembled the words; expected values follow from the
//! rules in docs/use/corpora.md.

use std::collections::BTreeMap;

use gcnsim_engine::{EngineKind, RunOptions};
use gcnsim_isa::{Arch, Note, Notes, WaveState};
use gcnsim_loader::{Shader, Stage};
use gcnsim_machine::world::{TABLES, World, WorldKind};
use gcnsim_machine::{Outcome, VgprFile, Wave};
use xxhash_rust::xxh3::xxh3_64;

use gcnsim_engine::Observers;

use crate::{Class, Ending, Group, Setup, Subject, Synthetic, SyntheticRun};

const WORLD: World = World::new(WorldKind::Float);

fn subject(stage: Stage, words: &[u32]) -> Subject<'static> {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let shader = Shader { stage: Some(stage), ..Shader::default() };
    Subject::raw(bytes.into(), Arch::Gcn14, 0, shader)
}

/// Returns a wave with eight VGPRs, and with the given values in s\[0:1\] and in the lanes of v0.
fn wave(subject: &Subject, s01: u64, v0: impl Fn(u32) -> u32) -> Wave {
    let mut wave = Wave::from_state(WaveState::initial(Arch::Gcn14, subject.program.entry()));
    (wave.state.sgpr[0], wave.state.sgpr[1]) = (s01 as u32, (s01 >> 32) as u32);
    wave.vgprs = VgprFile::with_count(8);
    wave.vgprs.lanes_mut(0).iter_mut().zip(0..).for_each(|(value, lane)| *value = v0(lane));
    wave
}

fn setup(waves: Vec<Wave>, lds_bytes: usize) -> Setup {
    let groups = vec![Group { id: [0; 3], waves }];
    let (apertures, coverage, notes) = (None, u64::MAX, Notes::NONE);
    let (initial_sgprs, initial_vgprs, undefined) = (2, 2, 0);
    let pieces = Vec::new();
    Setup {
        groups,
        lds_bytes,
        pieces,
        buffers: Vec::new(),
        descriptors: Default::default(),
        apertures,
        coverage,
        notes,
        initial_sgprs,
        initial_vgprs,
        undefined,
        wave_scratch: 0,
        is_group_stated: true,
        lds_is_input: false,
    }
}

/// Returns options of all engines.
fn engines() -> Vec<RunOptions> {
    let of = |engine, hot| RunOptions::default().engine(engine).hot(hot);
    #[allow(unused_mut)]
    let mut all = vec![of(EngineKind::Interp, 4000)];
    #[cfg(feature = "jit")]
    {
        all.extend([of(EngineKind::Jit, 4000), of(EngineKind::Jit, 1), of(EngineKind::Check, 0)]);
        all.extend([true, false].map(|segments| {
            let mut options = of(EngineKind::JitNoCheck, 0);
            options.segments = segments;
            options
        }));
    }
    all
}

/// Runs a shader on all engines, twice on each. The runs must agree.
fn run(subject: &Subject, setup: &Setup, max_insts: Option<u64>) -> SyntheticRun {
    let mut first: Option<SyntheticRun> = None;
    for options in engines() {
        let (engine, hot) = (options.engine, options.hot);
        let mut synthetic = Synthetic::new(options);
        for _ in 0..2 {
            let run = synthetic.run_set_up(subject, setup.clone(), WORLD, max_insts, &mut Observers::none());
            let first = first.get_or_insert_with(|| run.clone());
            assert_eq!((&run.ending(), run.classes), (&first.ending(), first.classes), "{engine:?} {hot}");
            assert_eq!(
                (run.run.instructions, run.run.notes),
                (first.run.instructions, first.run.notes),
                "{engine:?} {hot}"
            );
            assert_eq!(run.observations, first.observations, "{engine:?} {hot}");
        }
    }
    first.unwrap()
}

/// Returns the bytes of memory that were stored, by address.
fn stored(run: &SyntheticRun) -> BTreeMap<u64, u8> {
    let stores = run.observations.stores.iter();
    stores.flat_map(|stored| (stored.address..).zip(stored.bytes.iter().copied())).collect()
}

/// Returns the final dword at an address.
fn dword(stored: &BTreeMap<u64, u8>, address: u64) -> u32 {
    let initial = WORLD.dword(address).to_le_bytes();
    u32::from_le_bytes([0, 1, 2, 3].map(|k| *stored.get(&(address + k)).unwrap_or(&initial[k as usize])))
}

/// s_load_dwordx4 s[4:7], s[0:1], 0x0; s_mov_b32 s8, 0; s_waitcnt lgkmcnt(0);
/// loop: buffer_load_dword v1, v0, s[4:7], 0 idxen; s_waitcnt vmcnt(0); v_add_f32 v1, 1.0, v1;
/// buffer_store_dword v1, v0, s[4:7], 0 idxen; s_add_u32 s8, s8, 1; s_cmp_lt_u32 s8, 10; s_cbranch_scc1 loop; s_endpgm
const LOOP: [u32; 15] = [
    0xc00a_0100,
    0,
    0xbe88_0080,
    0xbf8c_c07f,
    0xe050_2000,
    0x8001_0100,
    0xbf8c_0f70,
    0x0202_02f2,
    0xe070_2000,
    0x8001_0100,
    0x8008_8108,
    0xbf0a_8a08,
    0xbf85_fff7,
    0xbf81_0000,
    0,
];

#[test]
fn tables_lead_to_data() {
    let subject = subject(Stage::Compute, &LOOP);
    let setup = setup(vec![wave(&subject, TABLES, |lane| lane)], 0);
    let run = run(&subject, &setup, None);
    assert_eq!(run.ending(), Ok(Ending::Guest(Outcome::Ended)));
    assert_eq!(run.run.instructions, 3 + 10 * 7 + 1);
    assert!(run.run.notes.contains(Note::Synthetic));
    // The first descriptor of the tables has the base 0x5900_0000 and the stride 256.
    let (stored, lanes) = (stored(&run), 0..64);
    for address in lanes.map(|lane| 0x5900_0000 + 256 * lane) {
        let expected = f32::from_bits(WORLD.dword(address)) + 10.0;
        assert_eq!(f32::from_bits(dword(&stored, address)), expected, "{address:x}");
    }
    assert!(stored.keys().all(|address| address & 0xff < 4));
    assert_eq!(run.classes.of(Class::Stores).count, stored.len() as u64);
    assert_eq!(run.classes.of(Class::Exports).count, 0);
}

/// v_lshlrev_b32 v1, 2, v0; ds_write_b32 v1, v0; s_waitcnt lgkmcnt(0); s_barrier; v_sub_u32 v2, 0x1fc, v1;
/// ds_read_b32 v3, v2; s_waitcnt lgkmcnt(0); global_store_dword v1, v3, s[0:1]; s_endpgm
const REVERSED: [u32; 13] = [
    0x2402_0082,
    0xd81a_0000,
    0x0000_0001,
    0xbf8c_c07f,
    0xbf8a_0000,
    0x6a04_02ff,
    0x1fc,
    0xd86c_0000,
    0x0300_0002,
    0xbf8c_c07f,
    0xdc70_8000,
    0x0000_0301,
    0xbf81_0000,
];

#[test]
fn waves_of_a_group_meet_at_barriers() {
    let subject = subject(Stage::Compute, &REVERSED);
    let waves = [0, 64].map(|first| wave(&subject, 0x4000_0000, |lane| first + lane)).to_vec();
    let run = run(&subject, &setup(waves, 512), None);
    assert_eq!((&run.ending(), run.run.instructions), (&Ok(Ending::Guest(Outcome::Ended)), 2 * 9));
    let stored = stored(&run);
    (0..128).for_each(|id| assert_eq!(dword(&stored, 0x4000_0000 + 4 * id), 127 - id as u32));
    let waves: Vec<_> = run.observations.waves.iter().map(|wave| (wave.index, wave.outcome)).collect();
    assert_eq!(waves, [(0, Outcome::Ended), (1, Outcome::Ended)]);
}

/// v_interp_p1_f32 v2, v0, attr0.x; v_interp_p2_f32 v2, v1, attr0.x; exp mrt0 v2, off, off, v9 done vm; s_endpgm
const INTERPOLATED: [u32; 5] = [0xd408_0000, 0xd409_0001, 0xc400_1809, 0x0900_0002, 0xbf81_0000];

#[test]
fn attributes_are_affine() {
    let subject = subject(Stage::Pixel, &INTERPOLATED);
    let mut wave = wave(&subject, 0, |lane| (lane as f32 / 32.0).to_bits());
    wave.vgprs.lanes_mut(1).fill(0.25f32.to_bits());
    let setup = Setup { coverage: 0xf0, ..setup(vec![wave], 0) };
    let run = run(&subject, &setup, None);
    let wave = &run.observations.waves[0];
    let export = &wave.observed.exports()[0];
    // P0 = 5/16, P10 = -5/16, P20 = -9/16.
    for (lane, value) in (0..).zip(export.values[0]) {
        assert_eq!(f32::from_bits(value), 0.3125 - 0.3125 * lane as f32 / 32.0 - 0.5625 * 0.25, "{lane}");
    }
    // v9 is not among the eight registers, so its component does not count.
    assert_eq!((wave.lanes(export), wave.components(export), export.access.en), (0xf0, 1, 9));
    // The hash is over target 0, EN 9, components 1, DONE and VM; lanes 4 to 7; and their values.
    let mut bytes = vec![0, 0x19, 6, 0, 0xf0, 0, 0, 0, 0, 0, 0, 0];
    bytes.extend((4..8).flat_map(|lane| export.values[0][lane].to_le_bytes()));
    let exports = run.classes.of(Class::Exports);
    assert_eq!((exports.count, exports.hash), (1, xxh3_64(&bytes)));
    let none = xxh3_64(&[]);
    let hashes = [exports.hash, none, none, none];
    let bytes: Vec<u8> = hashes.iter().flat_map(|hash| hash.to_le_bytes()).collect();
    assert_eq!(run.state_hash(), xxh3_64(&bytes));
}

#[test]
fn endless_shaders_use_up_their_budget() {
    // loop: s_branch loop
    let subject = subject(Stage::Compute, &[0xbf82_ffff]);
    let run = run(&subject, &setup(vec![wave(&subject, 0, |lane| lane)], 0), Some(12_345));
    assert_eq!((run.ending(), run.run.instructions), (Ok(Ending::Guest(Outcome::Budget)), 12_345));
}

/// Both groups wait for a dword of memory to become s2, which nobody brings about.
///
/// loop: s_load_dword s3, s[0:1], 0x0 glc; s_waitcnt lgkmcnt(0); s_cmp_lg_u32 s3, s2; s_cbranch_scc1 loop; s_endpgm
#[test]
fn groups_that_wait_in_vain_are_given_up() {
    let subject = subject(Stage::Compute, &[0xc003_00c0, 0, 0xbf8c_c07f, 0xbf07_0203, 0xbf85_fffb, 0xbf81_0000]);
    let waits = |value: u32| {
        let mut wave = wave(&subject, 0x4000_0000, |lane| lane);
        wave.state.sgpr[2] = value;
        wave
    };
    let both = |value: u32| {
        let mut setup = setup(vec![waits(value)], 0);
        setup.groups.push(Group { id: [1, 0, 0], waves: vec![waits(value)] });
        run(&subject, &setup, None)
    };
    let in_vain = both(u32::MAX);
    assert_eq!(in_vain.ending(), Ok(Ending::Guest(Outcome::Budget)));
    let turns = in_vain.run.instructions;
    assert!(turns > 1_000_000 && turns < crate::DEFAULT_BUDGET, "{turns} instructions");
    assert_eq!(both(WORLD.dword(0x4000_0000)).ending(), Ok(Ending::Guest(Outcome::Ended)));
}

/// loop: s_load_dword s3, s[0:1], 0x0; s_waitcnt lgkmcnt(0); s_add_u32 s0, s0, 0x4000; s_addc_u32 s1, s1, 0;
/// s_branch loop
const PAGES: [u32; 7] = [0xc002_00c0, 0, 0xbf8c_c07f, 0x8000_ff00, 0x4000, 0x8201_8001, 0xbf82_fff9];

#[test]
fn memory_has_an_end() {
    let subject = subject(Stage::Compute, &PAGES);
    let run = run(&subject, &setup(vec![wave(&subject, 0x4000_0000, |lane| lane)], 0), None);
    assert_eq!((run.outcome_name(), run.run.instructions), ("budget", 5 * 16384));
    let detail = run.detail(&subject).unwrap();
    assert_eq!((detail.kind.as_str(), detail.address.map(|address| address.0)), ("memory", Some(0x5000_0000)));
    assert_eq!((detail.pc.map(|pc| pc.0), run.pc(&subject)), (Some(0), Some(0)));
}

#[test]
fn jumps_out_of_the_code_are_faults() {
    // s_setpc_b64 s[0:1]
    let subject = subject(Stage::Compute, &[0xbe80_1d00]);
    let run = run(&subject, &setup(vec![wave(&subject, 0x4000_0000, |lane| lane)], 0), None);
    assert_eq!((run.outcome_name(), run.run.instructions), ("fault", 1));
    assert!(run.run.notes.contains(Note::SyntheticCodePointer));
    assert_eq!(run.detail(&subject).unwrap().from.map(|from| from.0), Some(0));
}

#[test]
fn thousands_of_exports_are_counted() {
    // s_mov_b32 s2, 0; loop: exp null off, off, off, off; s_addk_i32 s2, 1; s_cmpk_lg_i32 s2, 20000;
    // s_cbranch_scc1 loop; s_endpgm
    let words = [0xbe82_0080, 0xc400_0090, 0, 0xb702_0001, 0xb182_4e20, 0xbf85_fffb, 0xbf81_0000];
    let subject = subject(Stage::Pixel, &words);
    let run = run(&subject, &setup(vec![wave(&subject, 0, |lane| lane)], 0), None);
    assert_eq!((run.outcome_name(), run.classes.of(Class::Exports).count), ("ended", 20_000));
    assert!(run.run.notes.contains(Note::ExportsCut));
}

/// s_sub_u32 s9, 3, s0; v_mov_b32 v1, 0; s_mov_b64 exec, 1; v_mov_b32 v3, 1; wait: ds_read_b32 v2, v1;
/// s_waitcnt lgkmcnt(0); v_readfirstlane_b32 s10, v2; s_cmp_lg_u32 s10, s9; s_cbranch_scc1 wait; ds_add_u32 v1, v3;
/// exp mrt0 v2, off, off, off done vm; s_endpgm
const WAITS: [u32; 15] = [
    0x8089_0083,
    0x7e02_0280,
    0xbefe_0181,
    0x7e06_0281,
    0xd86c_0000,
    0x0200_0001,
    0xbf8c_c07f,
    0x7e14_0502,
    0xbf07_090a,
    0xbf85_fffa,
    0xd800_0000,
    0x0000_0301,
    0xc400_1801,
    0x0000_0002,
    0xbf81_0000,
];

/// Four waves, of which each waits for the next one. A wave has as many instructions before its first probe as in a
/// launch: 4,096 until one was found to wait, then 128.
#[test]
fn waves_that_wait_make_way() {
    let subject = subject(Stage::Compute, &WAITS);
    let waves: Vec<Wave> = (0..4).map(|number| wave(&subject, number, |lane| lane)).collect();
    let run = run(&subject, &setup(waves, 64), None);
    assert_eq!(run.ending(), Ok(Ending::Guest(Outcome::Ended)));
    assert!((4096..10_000).contains(&run.run.instructions), "{}", run.run.instructions);
    let seen: Vec<u32> = run.observations.waves.iter().map(|wave| wave.observed.exports()[0].values[0][0]).collect();
    assert_eq!(seen, [3, 2, 1, 0]);
}
