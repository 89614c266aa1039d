//! Small programs for GCN 1.4 in a world, with their findings: kind, and addresses of both instructions. Words were
//! assembled by llvm-mc.

use gcnsim_engine::Observers;
use gcnsim_isa::Arch;
use gcnsim_launches::lines::SourceLines;
use gcnsim_loader::{Shader, Stage};
use gcnsim_machine::world::{World, WorldKind};
use gcnsim_sanitize::{Checks, Findings, Sanitizer};
use gcnsim_synthetic::setup::setup;
use gcnsim_synthetic::{Subject, Synthetic};

/// v_lshlrev_b32 v1, 2, v0: four times the number of the work-item.
const TIMES_4: u32 = 0x2402_0082;
/// ds_write_b32 v1, v0; ds_read_b32 v2, v1 offset:4.
const WRITE: [u32; 2] = [0xd81a_0000, 0x0000_0001];
const READ_NEXT: [u32; 2] = [0xd86c_0004, 0x0200_0001];
/// v_xor_b32 v5, 4, v1: the byte of the neighbour.
const NEIGHBOUR: u32 = 0x2a0a_0284;
const BARRIER: u32 = 0xbf8a_0000;
const END: u32 = 0xbf81_0000;

fn found(words: &[u32], shader: Shader) -> Findings {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let subject = Subject::raw(bytes.into(), Arch::Gcn14, 0, shader);
    let world = World::new(WorldKind::Float);
    let setup = setup(&subject, &world).unwrap();
    let mut sanitizer = Sanitizer::in_world(Checks::ALL, &subject, &setup);
    let run = Synthetic::default().run_set_up(&subject, setup, world, None, &mut Observers::one(&mut sanitizer));
    assert_eq!(run.outcome_name(), "ended");
    sanitizer.into_findings(&SourceLines::default())
}

/// Returns a compute shader of 128 work-items, with 512 bytes of LDS, eight user SGPRs, and one local id.
fn compute() -> Shader {
    Shader {
        stage: Some(Stage::Compute),
        rsrc2: Some(8 << 1),
        lds_bytes: Some(512),
        group: Some([128, 1, 1]),
        ..Shader::default()
    }
}

/// Returns the findings: kind, address of the first instruction if there is one, and address of the second.
fn pairs(findings: &Findings) -> Vec<(&'static str, Option<u64>, u64)> {
    let pair = |finding: &gcnsim_sanitize::Finding| {
        (finding.kind, finding.first.as_ref().map(|first| first.pc.0), finding.second.pc.0)
    };
    let mut pairs: Vec<_> = findings.findings.iter().map(pair).collect();
    pairs.sort_unstable();
    pairs
}

fn program(parts: &[&[u32]]) -> Vec<u32> {
    parts.concat()
}

/// Each work-item reads what the next one writes. In a wave, all write before they read. The last work-item of wave 0
/// reads before wave 1 writes. The last read of all is past LDS.
#[test]
fn a_race_names_both_instructions() {
    let shader = Shader { lds_bytes: Some(1024), ..compute() };
    let racy = found(&program(&[&[TIMES_4], &WRITE, &READ_NEXT, &[END]]), shader.clone());
    assert_eq!(pairs(&racy), [("race", Some(4), 0xc), ("race", Some(0xc), 4)]);
    let of = |first: u64| racy.findings.iter().find(|f| f.first.as_ref().is_some_and(|f| f.pc.0 == first)).unwrap();
    let who = |finding: &gcnsim_sanitize::Finding| {
        let first = finding.first.as_ref().unwrap();
        (first.access, first.wave, first.lane, finding.second.access, finding.second.wave, finding.second.lane)
    };
    assert_eq!(who(of(4)), ("write", Some(0), Some(1), "read", Some(0), Some(0)));
    assert_eq!(who(of(0xc)), ("read", Some(0), Some(63), "write", Some(1), Some(0)));
    // Each of two waves in two groups has 63 pairs that race.
    assert_eq!((of(4).count, of(0xc).count), (2 * 2 * 63, 2));
    assert_eq!((of(4).at, of(0xc).at), (Some(4), Some(256)));
    let fixed = found(&program(&[&[TIMES_4], &WRITE, &[BARRIER], &READ_NEXT, &[END]]), shader.clone());
    assert_eq!(pairs(&fixed), []);
    // In a group of one wave, lanes are in lockstep.
    let small = Shader { group: Some([64, 1, 1]), ..shader };
    assert_eq!(pairs(&found(&program(&[&[TIMES_4], &WRITE, &READ_NEXT, &[END]]), small)), []);
}

/// ds_read_b32 v2, v1; s_waitcnt lgkmcnt(0); buffer_store_dword v2, v1, s[4:7], 0 offen; v_add_u32 v3, v9, v0;
/// buffer_store_dword v3, v1, s[4:7], 0 offen.
#[test]
fn undefined_reads() {
    let words =
        [0xd86c_0000, 0x0200_0001, 0xbf8c_c07f, 0xe070_1000, 0x8001_0201, 0x6806_0109, 0xe070_1000, 0x8001_0301];
    let all = found(&program(&[&[TIMES_4], &words, &[END]]), compute());
    assert_eq!(pairs(&all), [("uninit", None, 0x1c), ("uninit", Some(4), 0x10)]);
    let of_register = all.findings.iter().find(|finding| finding.first.is_none()).unwrap();
    assert_eq!((of_register.register.as_deref(), of_register.used_for), (Some("v9"), Some("store")));
    // In a graphics stage other waves may have written LDS, and more registers are inputs.
    let vertex = Shader { stage: Some(Stage::Geometry), ..compute() };
    let others = found(&program(&[&[TIMES_4], &words, &[END]]), vertex);
    assert!(others.findings.iter().all(|finding| finding.kind != "uninit" || finding.place.is_none()));
}

/// v_lshrrev_b64 v[2:3], 32, v[8:9] and v_lshrrev_b64 v[4:5], 31, v[8:9], with v9 given and v8 not; then v2 or v4 is
/// exported by buffer_store_dword.
#[test]
fn a_shift_by_32_needs_the_high_half_only() {
    let store = |register: u32| [0xe070_1000, 0x8001_0001 | register << 8];
    let with = |shift: u32, register| {
        let words = [0x7e12_0300, 0xd290_0002, 0x0002_1080 | shift, 0xbf80_0000];
        pairs(&found(&program(&[&[TIMES_4], &words, &store(register), &[END]]), compute()))
    };
    // The low result of a shift by 31 has no value; high results always have one.
    assert_eq!((with(32, 2), with(32, 3), with(31, 3)), (vec![], vec![], vec![]));
    assert_eq!(with(31, 2), [("uninit", None, 0x14)]);
}

/// A structure with padding is copied as dwords: ds_write_b8 v1, v0; ds_read_b32 v2, v5; v_mov_b32 v3, v2;
/// ds_write_b32 v1, v3 offset:256. Then ds_read_u8 v4, v1 offset:256 (or 257) and buffer_store_dword v4.
#[test]
fn padding_that_is_copied_is_no_use() {
    let written = [NEIGHBOUR, 0xd83c_0000, 0x0000_0001];
    let copied = |from: u32| [0xd86c_0000, 0x0200_0000 | from, 0xbf8c_c07f, 0x7e06_0302, 0xd81a_0100, 0x0000_0301];
    let copy = [&written[..], &copied(5)].concat();
    let shader = || Shader { group: Some([64, 1, 1]), ..compute() };
    let with = |offset: u32| {
        let read = [0xd874_0100 | offset, 0x0400_0001, 0xbf8c_c07f];
        let store = [0xe070_1000, 0x8001_0401];
        pairs(&found(&program(&[&[TIMES_4], &copy, &read, &store, &[END]]), shader()))
    };
    assert_eq!(with(0), [], "the byte that was written");
    assert_eq!(with(1), [("uninit", Some(0x28), 0x34)], "padding");

    // buffer_store_dword v3: memory gets bytes of LDS that nothing has written, next to one of another work-item. If it
    // is the work-item's own, the dword may be one of a private structure.
    let store = [0xe070_1000, 0x8001_0301];
    let found_there = pairs(&found(&program(&[&[TIMES_4], &copy, &store, &[END]]), shader()));
    assert_eq!(found_there, [("uninit", Some(0x10), 0x28)]);
    let own = [&written[..], &copied(1)].concat();
    assert_eq!(pairs(&found(&program(&[&[TIMES_4], &own, &store, &[END]]), shader())), []);
    // v_add_u32 v3, v3, v0: what is computed from padding is not there.
    let sum = [0x6806_0103, 0xe070_1000, 0x8001_0301];
    let found_there = pairs(&found(&program(&[&[TIMES_4], &copy, &sum, &[END]]), shader()));
    assert_eq!(found_there, [("uninit", Some(0x10), 0x2c)]);
}

/// ds_write_b8 v1, v0; ds_write_b32 v1, v0 offset:256; ds_read2_b32 v[2:3], v5 offset1:64; s_waitcnt lgkmcnt(0): v2 has
/// a byte with a value, v3 has four. Written by ds_write2_b32 v1, v3, v2 offset1:64, they change places.
#[test]
fn two_places_are_told_apart() {
    let written = [NEIGHBOUR, 0xd83c_0000, 0x0000_0001, 0xd81a_0100, 0x0000_0001];
    let load = [&written[..], &[0xd86e_4000, 0x0200_0005, 0xbf8c_c07f]].concat();
    let shader = || Shader { group: Some([64, 1, 1]), ..compute() };
    let stored = |between: &[u32], register: u32| {
        let store = [0xe070_1000, 0x8001_0001 | register << 8];
        pairs(&found(&program(&[&[TIMES_4], &load, between, &store, &[END]]), shader()))
    };
    assert_eq!([stored(&[], 2), stored(&[], 3)], [vec![("uninit", Some(0x18), 0x24)], vec![]]);
    // ds_read_b32 v4, v5 and the same with offset:256.
    let after = |offset: u32| [0xd81c_4000, 0x0002_0301, 0xd86c_0000 | offset, 0x0400_0005, 0xbf8c_c07f];
    assert_eq!([stored(&after(0), 4), stored(&after(256), 4)], [vec![], vec![("uninit", Some(0x2c), 0x38)]]);
}

/// ds_swizzle_b32 v2, v0 offset:swizzle(REVERSE,8), or of v9, which nothing has written; s_waitcnt lgkmcnt(0);
/// buffer_store_dword v2.
#[test]
fn lanes_are_exchanged() {
    let with = |source: u32| {
        let words = [0xd87a_1c1f, 0x0200_0000 | source, 0xbf8c_c07f, 0xe070_1000, 0x8001_0201];
        pairs(&found(&program(&[&[TIMES_4], &words, &[END]]), compute()))
    };
    assert_eq!((with(0), with(9)), (vec![], vec![("uninit", None, 0x10)]));
}

/// s_getreg_b32 s9, hwreg(HW_REG_SH_MEM_BASES, 16, 16); v_mov_b32 v2, s9; buffer_store_dword v2, v1, s[4:7], 0 offen.
/// Nothing has written SCC.
#[test]
fn hardware_registers_have_values() {
    let words = [0xb889_7c0f, 0x7e04_0209, 0xe070_1000, 0x8001_0201];
    let shader = Shader { group: Some([64, 1, 1]), ..compute() };
    assert_eq!(pairs(&found(&program(&[&[TIMES_4], &words, &[END]]), shader)), []);
}

/// A structure of one byte lies in scratch: s_mov_b32 s2, -1; s_mov_b32 s3, 0xe00000; buffer_store_byte v0, off,
/// s[0:3], s8; buffer_load_dword v2, off, s[0:3], s8; s_waitcnt vmcnt(0). Memory gets it: buffer_store_dword v2, v1,
/// s[4:7], 0 offen.
#[test]
fn memory_gets_the_padding_of_private_structures() {
    let load = [0xbe82_00c1, 0xbe83_00ff, 0x00e0_0000, 0xe060_0000, 0x0800_0000, 0xe050_0000, 0x0800_0200, 0xbf8c_0f70];
    // The offset of the wave's scratch is in s8.
    let rsrc2 = Some(8 << 1 | 1);
    let shader = || Shader { group: Some([64, 1, 1]), scratch_bytes_per_lane: Some(64), rsrc2, ..compute() };
    let with = |between: &[u32]| {
        let store = [0xe070_1000, 0x8001_0201];
        pairs(&found(&program(&[&[TIMES_4], &load, between, &store, &[END]]), shader()))
    };
    assert_eq!(with(&[]), []);
    // buffer_store_byte and buffer_store_short: the second byte has no value.
    let part = |store: u32| pairs(&found(&program(&[&[TIMES_4], &load, &[store, 0x8001_0201], &[END]]), shader()));
    assert_eq!([part(0xe060_1000), part(0xe068_1000)], [vec![], vec![("uninit", Some(0x18), 0x24)]]);
    // buffer_load_ubyte v2, off, s[0:3], s8 offset:1; s_waitcnt vmcnt(0): the padding alone has no value.
    assert_eq!(with(&[0xe040_0001, 0x0800_0200, 0xbf8c_0f70]), [("uninit", Some(0x24), 0x30)]);
}

/// ds_write_b32 v1, v0 offset:260: the last addresses are past 512 bytes.
#[test]
fn an_access_past_lds() {
    let words = program(&[&[TIMES_4], &[0xd81a_0104, 0x0000_0001], &[END]]);
    let outside = found(&words, compute());
    assert_eq!(pairs(&outside), [("bounds", None, 4)]);
    let finding = &outside.findings[0];
    // Lane 63 of wave 0 is inside, at 512 - 0: 4 * 63 + 260 = 512.
    let who = (finding.place, finding.at, finding.second.wave, finding.second.lane);
    assert_eq!(who, (Some("lds"), Some(512), Some(0), Some(63)));
    assert!(outside.text().contains("bounds: byte 0x200 of LDS does not exist"), "{}", outside.text());
    assert_eq!(pairs(&found(&words, Shader { lds_bytes: Some(1024), ..compute() })), []);
}

/// All work-items write the first dword of LDS at once: those of a patch may.
#[test]
fn what_lanes_may_do() {
    let words = program(&[&[0x7e02_0280], &WRITE, &[END]]);
    assert!(found(&words, compute()).findings.iter().all(|finding| finding.kind == "race"));
    assert_eq!(pairs(&found(&words, compute())), [("race", Some(4), 4)]);
    assert_eq!(pairs(&found(&words, Shader { stage: Some(Stage::Hull), ..compute() })), []);
    // If the size of the group is a guess, accesses to LDS are not checked, and the report says so.
    let guessed = found(&words, Shader { group: None, ..compute() });
    assert!(guessed.is_clean() && guessed.text().contains("LDS was not looked at"), "{}", guessed.text());
}
