//! Code objects of the corpus: clean as the compiler made them, and with mistakes planted in functions, descriptors and
//! the flow of control. Random bytes, too.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use gcnsim_isa::{Arch, Flow, Opcode, Program, Sopp};
use gcnsim_lint::rules::{Level, by_id};
use gcnsim_lint::{EntryKind, EntryReport, Linter, Options, file};
use gcnsim_loader::object::Object;
use gcnsim_loader::{FileBytes, Loaded, Shader, Xnack};
use gcnsim_random::Rng;

const NOP: u32 = 0xbf80_0000;

fn corpus(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus").join(name)
}

fn parse(bytes: Vec<u8>) -> Loaded {
    gcnsim_loader::parse(FileBytes::from(bytes)).unwrap()
}

fn reports(loaded: &Loaded, options: Options) -> Vec<EntryReport> {
    let mut linter = Linter::new(options);
    let objects = file::lint(&mut linter, loaded, Arch::Gcn14, 0, &Shader::default()).unwrap();
    objects.into_iter().flat_map(|object| object.entries).collect()
}

fn ids(reports: &[EntryReport]) -> BTreeSet<(&'static str, u64)> {
    let findings = reports.iter().flat_map(|report| &report.findings);
    findings.map(|finding| (finding.rule.id, finding.place.pc)).collect()
}

fn only(id: &str) -> Options {
    Options::default().only([by_id(id).unwrap().id])
}

#[test]
fn what_compilers_make_is_clean() {
    let folder = std::fs::read_dir(corpus("kernels")).unwrap();
    let objects = folder.map(|entry| entry.unwrap().path()).filter(|path| path.extension().is_some_and(|e| e == "co"));
    let (mut files, mut instructions) = (0, 0);
    for path in objects {
        let found = reports(&gcnsim_loader::load(&path).unwrap(), Options::default());
        assert_eq!(ids(&found), BTreeSet::new(), "{}", path.display());
        assert!(found.iter().all(|report| report.incomplete.is_none()), "{}", path.display());
        files += 1;
        instructions += found.iter().map(|report| report.instructions).sum::<usize>();
    }
    assert!(files >= 10 && instructions > 30_000, "{files} files, {instructions} instructions");
}

/// An object with functions, as bytes, with the changes of its code.
struct Functions {
    bytes: Vec<u8>,
    loaded: Loaded,
    object: Object,
}

impl Functions {
    fn new() -> Functions {
        let bytes = std::fs::read(corpus("kernels/kernels-gfx900-v4-O0.co")).unwrap();
        let loaded = parse(bytes.clone());
        let object = loaded.objects(0).unwrap().remove(0);
        Functions { bytes, loaded, object }
    }

    fn program(&self) -> Program {
        let section = &self.object.sections[0];
        Program::new(Arch::Gcn14, std::sync::Arc::new(section.bytes.clone()), section.address, 0)
    }

    /// Returns the object with `words` in place of those at the given addresses.
    fn with(&self, words: &[(u64, u32)]) -> Loaded {
        let section = &self.object.sections[0];
        let mut bytes = self.bytes.clone();
        for (pc, word) in words {
            let at = (section.file_offset + pc - section.address) as usize;
            bytes[at..at + 4].copy_from_slice(&word.to_le_bytes());
        }
        parse(bytes)
    }

    fn entries(&self, kind: EntryKind) -> Vec<EntryReport> {
        let all = reports(&self.loaded, Options::default());
        all.into_iter().filter(|report| report.kind == kind).collect()
    }
}

#[test]
fn functions_wait_first_and_return_with_nothing_in_flight() {
    let object = Functions::new();
    let program = object.program();
    let functions = object.entries(EntryKind::Function);
    assert!(functions.len() >= 5, "{}", functions.len());
    let mut returns = 0;
    for function in functions {
        let place = function.address;
        let first = reports(&object.with(&[(place, NOP)]), only("abi-entry-wait"));
        let expected = BTreeSet::from([("abi-entry-wait", place)]);
        // A function that only jumps to another one has no return.
        let insts: Vec<_> = (function.range.start..function.range.end).step_by(4).collect();
        let is_return = |pc: &&u64| program.fetch(**pc).is_ok_and(|inst| inst.to_string() == "s_setpc_b64 s[30:31]");
        let Some(&back) = insts.iter().find(is_return) else { continue };
        assert_eq!(ids(&first), expected, "{:?}", function.name);
        let before = program.fetch(back - 4).unwrap();
        if before.opcode == Opcode::Sopp(Sopp::SWaitcnt) {
            let last = reports(&object.with(&[(back - 4, NOP)]), only("abi-return-wait"));
            assert_eq!(ids(&last), BTreeSet::from([("abi-return-wait", back)]), "{:?}", function.name);
            returns += 1;
        }
    }
    assert!(returns >= 3, "{returns}");
}

#[test]
fn control_that_runs_on_and_code_that_nothing_reaches() {
    let object = Functions::new();
    let program = object.program();
    let (mut ends, mut dead) = (0, 0);
    for kernel in object.entries(EntryKind::Kernel).iter().take(12) {
        let (mut pc, mut jump) = (kernel.range.start, None);
        let mut last = pc;
        while pc < kernel.range.end {
            let inst = program.fetch(pc).unwrap();
            if inst.flow() == Flow::CondBranch && inst.simm16() > 0 && jump.is_none() {
                jump = Some((pc, inst.branch_offset()));
            }
            (last, pc) = (pc, pc + u64::from(inst.size()));
        }
        if program.fetch(last).unwrap().opcode == Opcode::Sopp(Sopp::SEndpgm) {
            let found = reports(&object.with(&[(last, NOP)]), only("falls-off-end"));
            assert_eq!(ids(&found), BTreeSet::from([("falls-off-end", last)]), "{:?}", kernel.name);
            ends += 1;
        }
        // The branch becomes one that is always taken. So only jumps from elsewhere reach the code behind it.
        if let Some((pc, _)) = jump {
            let word = 0xbf82_0000 | program.fetch(pc).unwrap().words[0] & 0xffff;
            let found = reports(&object.with(&[(pc, word)]), only("dead-code"));
            dead += usize::from(ids(&found).contains(&("dead-code", pc + 4)));
        }
    }
    assert!(ends >= 8 && dead >= 1, "{ends} {dead}");
    assert_eq!(ids(&reports(&object.loaded, only("dead-code"))), BTreeSet::new());
}

#[test]
fn descriptors_that_promise_too_little() {
    let lint = |change: &dyn Fn(&mut Object), id: &str| -> usize {
        let mut object = Functions::new().object;
        change(&mut object);
        let shader = |_| Shader::default();
        let found = Linter::new(only(id)).lint(&object, Arch::Gcn14, Xnack::Off, &shader);
        found.iter().map(|report| report.findings.len()).sum()
    };
    let each = |change: fn(&mut gcnsim_loader::descriptor::Descriptor)| {
        move |object: &mut Object| {
            object.kernels.iter_mut().filter_map(|kernel| kernel.descriptor.as_mut()).for_each(change);
        }
    };
    assert_eq!(lint(&|_| {}, "scratch-off"), 0);
    let without_scratch = each(|descriptor| (descriptor.private_size, descriptor.rsrc2) = (0, descriptor.rsrc2 & !1));
    assert!(lint(&without_scratch, "scratch-off") > 10);
}

/// Returns the findings of `lds-over` about a program of a kernel with `bytes` of LDS.
fn past_lds(words: &[u32], bytes: u32) -> BTreeSet<(&'static str, u64)> {
    let mut object = Object::of_program(&Program::from_words(Arch::Gcn14, words));
    let other = Functions::new().object;
    let kernel = other.kernels.into_iter().find(|kernel| kernel.metadata.is_some()).unwrap();
    object.kernels[0].metadata = kernel.metadata;
    object.kernels[0].descriptor = kernel.descriptor;
    if let Some(metadata) = &mut object.kernels[0].metadata {
        metadata.arguments.clear();
    }
    if let Some(descriptor) = &mut object.kernels[0].descriptor {
        descriptor.group_size = bytes;
    }
    ids(&Linter::new(only("lds-over")).lint(&object, Arch::Gcn14, Xnack::Off, &|_| Shader::default()))
}

#[test]
fn constant_addresses_past_lds() {
    // s_mov_b32 m0, -1; v_mov_b32 v1, 60; ds_read_b32 v2, v1 offset:4; s_endpgm
    let words = [0xbefc_00c1, 0x7e02_02bc, 0xd86c_0004, 0x0200_0001, 0xbf81_0000];
    assert_eq!(past_lds(&words, 64), BTreeSet::from([("lds-over", 8)]));
    assert_eq!(past_lds(&words, 67), BTreeSet::from([("lds-over", 8)]));
    assert_eq!(past_lds(&words, 68), BTreeSet::new());
}

/// A VGPR is a constant only for the lanes that wrote it, and as long as nothing else may have written it.
#[test]
fn constants_of_some_lanes() {
    // v_mov_b32 v1, 60; (between); ds_read_b32 v2, v1 offset:4; s_endpgm
    let found = |first: &[u32], between: &[u32]| {
        let words = [first, &[0x7e02_02bc], between, &[0xd86c_0004, 0x0200_0001, 0xbf81_0000]].concat();
        past_lds(&words, 64).len()
    };
    // s_mov_b64 exec, 1, and later -1, or s_mov_b32 exec_lo, -1, or s_or_b64 exec, exec, s[2:3].
    assert_eq!(found(&[0xbefe_0181], &[]), 1);
    for between in [0xbefe_01c1, 0xbefe_00c1, 0x87fe_027e] {
        assert_eq!(found(&[0xbefe_0181], &[between]), 0, "{between:#x}");
    }
    // Fewer lanes: s_and_saveexec_b64 s[0:1], s[2:3]; s_and_b64 exec, exec, s[2:3]; v_cmpx_eq_u32 vcc, v0, v3.
    for between in [0xbe80_2002, 0x86fe_027e, 0x7db4_0700] {
        assert_eq!(found(&[], &[between]), 1, "{between:#x}");
    }
    // v_readfirstlane_b32 exec_lo, v0 may add lanes.
    assert_eq!(found(&[], &[0x7efc_0500]), 0);
    // s_set_gpr_idx_on s0, gpr_idx(DST); v_mov_b32 v0, 0; s_set_gpr_idx_off: v1 may be what is written.
    assert_eq!(found(&[], &[0xbf11_0800, 0x7e00_0280, 0xbf9c_0000]), 0);
    // With the index, 60 may be in another VGPR.
    assert_eq!(found(&[0xbf11_0800], &[0xbf9c_0000]), 0);
    assert_eq!(found(&[0xbf11_0800, 0xbf9c_0000], &[]), 1);
}

/// V_READFIRSTLANE may write any lanes to EXEC, as S_MOV_B32 does. Then nobody knows whether a load in flight is for
/// lanes that are active.
#[test]
fn a_lane_that_is_read_into_exec() {
    // s_and_b64 exec, exec, s[2:3]; global_load_dword v1, v[2:3], off; (between); v_mov_b32 v4, v1; s_endpgm
    let found = |between: &[u32]| {
        let load = [0x86fe_027e, 0xdc50_8000, 0x017f_0002];
        let program = Program::from_words(Arch::Gcn14, &[&load, between, &[0x7e08_0301, 0xbf81_0000]].concat());
        let object = Object::of_program(&program);
        ids(&Linter::new(only("vmcnt-read")).lint(&object, Arch::Gcn14, Xnack::Off, &|_| Shader::default())).len()
    };
    // v_cmpx_eq_u32 vcc, v0, v3 takes lanes away.
    assert_eq!([found(&[]), found(&[0x7db4_0700])], [1, 1]);
    // s_mov_b32 exec_lo, -1; v_readfirstlane_b32 exec_lo, v0.
    assert_eq!([found(&[0xbefe_00c1]), found(&[0x7efc_0500])], [0, 0]);
}

/// A barrier with LDS in flight is a mistake only where a group may have several waves.
#[test]
fn barriers_of_one_wave() {
    // s_mov_b32 m0, -1; ds_write_b32 v1, v2; s_barrier; s_endpgm
    let words = [0xbefc_00c1, 0xd81a_0000, 0x0000_0201, 0xbf8a_0000, 0xbf81_0000];
    let lint = |most: Option<u64>, required: Option<[u64; 3]>| {
        let mut object = Object::of_program(&Program::from_words(Arch::Gcn14, &words));
        let kernels = Functions::new().object.kernels;
        object.kernels[0].metadata = kernels.into_iter().find_map(|kernel| kernel.metadata);
        let metadata = object.kernels[0].metadata.as_mut().unwrap();
        (metadata.max_group, metadata.required_group) = (most, required.map(Vec::from));
        let found =
            Linter::new(only("barrier-lds-pending")).lint(&object, Arch::Gcn14, Xnack::Off, &|_| Shader::default());
        ids(&found).len()
    };
    assert_eq!([lint(None, None), lint(Some(65), None), lint(Some(1024), Some([64, 2, 1]))], [1, 1, 1]);
    assert_eq!([lint(Some(64), None), lint(Some(1024), Some([8, 8, 1]))], [0, 0]);
}

#[test]
fn odd_pairs() {
    let lint = |word: u32| {
        let object = Object::of_program(&Program::from_words(Arch::Gcn14, &[word, 0xbf81_0000]));
        ids(&Linter::new(only("sgpr-align")).lint(&object, Arch::Gcn14, Xnack::Off, &|_| Shader::default()))
    };
    // The moves are s_mov_b64 s[1:2], s[4:5]; s_mov_b64 s[2:3], s[5:6]; s_mov_b64 s[2:3], s[4:5].
    assert_eq!(lint(0xbe81_0104).len(), 1);
    assert_eq!(lint(0xbe82_0105).len(), 1);
    assert_eq!(lint(0xbe82_0104), BTreeSet::new());
}

/// The data of scalar loads and stores must be aligned, and not go past the last register.
#[test]
fn data_of_scalar_memory() {
    let lint = |arch: Arch, words: &[u32]| {
        let object = Object::of_program(&Program::from_words(arch, words));
        ids(&Linter::new(only("sgpr-align")).lint(&object, arch, Xnack::Off, &|_| Shader::default())).len()
    };
    let smem = |op: u32, data: u32| lint(Arch::Gcn14, &[0xc002_0000 | op << 18 | data << 6, 0, 0xbf81_0000]);
    // s_load_dwordx4 is 2, s_load_dwordx8 3; s_store_dwordx2 17, s_store_dwordx4 18.
    assert_eq!([smem(17, 4), smem(17, 6), smem(18, 8), smem(2, 96), smem(3, 92)], [0; 5]);
    assert_eq!([smem(17, 5), smem(18, 6), smem(18, 100), smem(2, 100), smem(3, 96)], [1; 5]);
    // s_load_dwordx4 of SMRD has s[100:103] and s[98:101]. An instruction that goes past the last register does not
    // decode there.
    let smrd = |data: u32| lint(Arch::Gcn11, &[0xc080_0100 | data << 15, 0xbf81_0000]);
    assert_eq!([smrd(100), smrd(98)], [0, 1]);
}

/// No program makes the linter panic, and no finding names a place outside of the program.
#[test]
fn random_programs() {
    let mut rng = Rng::new(1);
    let mut linter = Linter::new(Options::default().pedantic());
    let (mut findings, mut errors) = (0, 0);
    for round in 0..400 {
        let words: Vec<u32> = (0..100)
            .map(|_| match rng.bits() {
                // Branches, waits, moves of EXEC, loads and LDS reads.
                word if word & 7 == 0 => NOP | (word >> 8 & 0xf) << 16 | (word >> 12 & 0x3f),
                word if word & 7 == 1 => 0xbe80_0000 | (word >> 8 & 0x7f_1fff),
                word if word & 7 == 2 => 0xdc50_8000 | (word >> 8 & 0xf_0fff),
                word if word & 7 == 3 => 0xd86c_0000 | (word >> 8 & 0xff),
                word => word,
            })
            .collect();
        let arch = Arch::ALL[round % Arch::ALL.len()];
        let object = Object::of_program(&Program::from_words(arch, &words));
        let xnack = if round % 2 == 0 { Xnack::Possible } else { Xnack::Off };
        for report in linter.lint(&object, arch, xnack, &|_| Shader::default()) {
            for finding in report.findings {
                findings += 1;
                errors += usize::from(finding.rule.level == Level::Error);
                assert!(finding.place.pc < 400 && finding.path.iter().all(|&pc| pc < 400), "{finding:?}");
            }
        }
    }
    assert!(findings > 400 && errors > 200, "{findings} {errors}");
}

/// The search of a long program with many joins ends soon, because states are bounded.
#[test]
fn many_joins() {
    // s_cbranch_scc0 over a load, 8000 times: at every join all loads before it may be the last one.
    let part = [0xbf84_0002, 0xdc50_8000, 0x017f_0002, 0xbf80_0000];
    let words: Vec<u32> = (0..8000).flat_map(|_| part).chain([0xbf81_0000]).collect();
    let object = Object::of_program(&Program::from_words(Arch::Gcn14, &words));
    let found = Linter::new(Options::default()).lint(&object, Arch::Gcn14, Xnack::Off, &|_| Shader::default());
    assert_eq!((found[0].instructions, found[0].findings.len()), (24001, 0));
    assert_eq!(found[0].incomplete, Some("too many paths"));
}

/// The search takes time in proportion to the length of a chain, and 16 S_NOP are needed behind S_ICACHE_INV.
#[test]
fn chains_of_nops() {
    let lint = |words: &[u32]| {
        let object = Object::of_program(&Program::from_words(Arch::Gcn14, words));
        Linter::new(only("wait-unneeded")).lint(&object, Arch::Gcn14, Xnack::Off, &|_| Shader::default())[0]
            .findings
            .len()
    };
    // With a look at all S_NOP before each, these were 2^35 steps, which took half a minute.
    let start = std::time::Instant::now();
    assert!(lint(&[vec![NOP; 1 << 18], vec![0xbf81_0000]].concat()) > 0);
    assert!(start.elapsed().as_secs() < 15);
    // s_icache_inv
    let behind = |count| [vec![0xbf93_0000], vec![NOP; count], vec![0xbf81_0000]].concat();
    assert_eq!([0, 15, 16, 17, 20].map(|count| lint(&behind(count))), [0, 0, 0, 1, 4]);
}

/// The size of the states of all blocks together is bounded.
#[test]
fn many_blocks_with_much_in_flight() {
    // s_load_dword sN, s[100:101]: 100 of them; then s_cbranch_scc0 to the next instruction.
    let loads = (0..100).flat_map(|n| [0xc002_0032 | n << 6, 0]);
    let lint = |branches: usize| {
        let words: Vec<u32> = loads.clone().chain(vec![0xbf84_0000; branches]).chain([0xbf81_0000]).collect();
        let object = Object::of_program(&Program::from_words(Arch::Gcn14, &words));
        let found = Linter::new(Options::default()).lint(&object, Arch::Gcn14, Xnack::Off, &|_| Shader::default());
        (found[0].incomplete, found[0].findings.len())
    };
    assert_eq!(lint(5_000), (None, 0));
    assert_eq!(lint(12_000), (Some("too many paths"), 0));
}
