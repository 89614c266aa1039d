//! Objects of drivers: their stages and registers. The expected numbers are those of `llvm-readelf` for the notes and
//! `.AMDGPU.config` (corpus/elf/README.md), taken apart by hand after the register tables.

use gcnsim_isa::Arch;
use gcnsim_loader::{Entry, FileBytes, Shader, Stage, parse};

fn file(name: &str) -> Vec<u8> {
    std::fs::read(format!("{}/../../corpus/elf/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

fn shaders(name: &str) -> Vec<(String, Shader)> {
    let loaded = parse(FileBytes::from(file(name))).unwrap();
    let of = |entry: &Entry| (entry.kernel.clone().unwrap(), entry.shader.clone());
    loaded.entries.iter().map(of).collect()
}

fn of_stage(name: &str, stage: Stage) -> (String, Shader) {
    shaders(name).into_iter().find(|(_, shader)| shader.stage == Some(stage)).unwrap()
}

#[test]
fn all_stages_of_a_pipeline_are_entries() {
    for (name, arch, lds) in
        [("shaders-pal-gfx900.o", Arch::Gcn14, 512), ("shaders-pal-pairs-gfx700.o", Arch::Gcn11, 512)]
    {
        assert_eq!(shaders(name).len(), 3, "{name}");
        let (entry, ps) = of_stage(name, Stage::Pixel);
        assert_eq!(
            (entry.as_str(), ps.ps_input_ena, ps.ps_input_addr),
            ("_amdgpu_ps_main", Some(2), Some(3)),
            "{name}"
        );
        assert_eq!((ps.user_sgpr_count(arch), &*ps.user_data), (Some(2), &[0x1000_0000, 0][..]), "{name}");
        let (entry, vs) = of_stage(name, Stage::Vertex);
        assert_eq!((entry.as_str(), vs.user_sgpr_count(arch)), ("_amdgpu_vs_main", Some(3)), "{name}");
        assert_eq!(*vs.user_data, [0x1000_0000, 1, 0x1000_0003], "{name}");
        let (_, cs) = of_stage(name, Stage::Compute);
        assert_eq!((cs.group, cs.user_sgpr_count(arch)), (Some([8, 8, 1]), Some(2)), "{name}");
        assert_eq!((cs.lds_bytes, cs.scratch_bytes_per_lane), (Some(lds), Some(80)), "{name}");
    }
}

#[test]
fn rsrc1_of_the_note() {
    let rsrc1 = |stage| of_stage("shaders-pal-gfx900.o", stage).1.rsrc1;
    assert_eq!((rsrc1(Stage::Pixel), rsrc1(Stage::Compute)), (Some(3_080_192), Some(3_080_256)));
}

#[test]
fn functions_of_mesa_have_the_groups_of_the_section() {
    for (name, arch, user, lds) in
        [("shaders-mesa-gfx803.o", Arch::Gcn12, 2, 512), ("shaders-mesa-gfx600.o", Arch::Gcn10, 2, 512)]
    {
        let names: Vec<_> = shaders(name).into_iter().map(|(entry, shader)| (entry, shader.stage.unwrap())).collect();
        let expected = [
            ("_amdgpu_ps_main", Stage::Pixel),
            ("_amdgpu_vs_main", Stage::Vertex),
            ("_amdgpu_cs_main", Stage::Compute),
        ];
        assert_eq!(names, expected.map(|(entry, stage)| (entry.to_owned(), stage)), "{name}");
        let (_, ps) = of_stage(name, Stage::Pixel);
        assert_eq!((ps.ps_input_ena, ps.ps_input_addr), (Some(2), Some(3)), "{name}");
        // RSRC1 is 0 in the section; Mesa sets the bits for denormals of f16 and f64.
        assert_eq!(ps.rsrc1, Some(0x000c_0000), "{name}");
        let (_, cs) = of_stage(name, Stage::Compute);
        assert_eq!((cs.user_sgpr_count(arch), cs.lds_bytes), (Some(user), Some(lds)), "{name}");
        assert_eq!(cs.scratch_bytes_per_lane, Some(80), "5 KiB for a wave");
    }
}

/// The address of .text, at byte 16 of its section header, is 0 in the object.
#[test]
fn code_at_odd_addresses_does_not_run() {
    for (moved, is_fit) in [(1u8, false), (2, false), (3, false), (4, true)] {
        let mut bytes = file("constants-pal-gfx900.o");
        let at = u64::from_le_bytes(bytes[40..48].try_into().unwrap()) as usize;
        let count = usize::from(bytes[60]);
        // SHF_EXECINSTR
        let text = (0..count).map(|n| at + 64 * n).find(|at| bytes[at + 8] & 4 != 0).unwrap();
        bytes[text + 16] = moved;
        let checked = parse(FileBytes::from(bytes))
            .and_then(|loaded| loaded.entries.iter().try_for_each(|entry| entry.check_runnable()));
        assert_eq!(checked.is_ok(), is_fit, "{moved}: {checked:?}");
    }
}

/// By llvm-readelf, .text has 68 bytes, and .rodata.cst32 has 32. The code computes the address of the table from that
/// of the instruction behind s_getpc_b64, at 0x10, and adds two literals.
#[test]
fn constants_are_linked_behind_the_code() {
    for (name, arch) in [("constants-pal-gfx900.o", Arch::Gcn14), ("constants-mesa-gfx803.o", Arch::Gcn12)] {
        let loaded = parse(FileBytes::from(file(name))).unwrap();
        let entry = &loaded.entries[0];
        entry.check_runnable().unwrap();
        for base in [0u64, 0x7000_0000_0000] {
            let program = entry.program_at(arch, Some(base), 0);
            let [low, high] = [0x14, 0x1c].map(|at| program.word(at / 4).unwrap());
            let table = (base + 0x10).wrapping_add(u64::from(high) << 32 | u64::from(low));
            assert_eq!(table, base + 0x100, "{name}: behind 68 bytes, at a multiple of 256");
            let word = program.word(program.word_index(table).unwrap()).unwrap();
            assert_eq!((word, program.bytes().len()), (100f32.to_bits(), 0x120), "{name}");
        }
    }
    let mut bytes = file("constants-pal-gfx900.o");
    // The type of the first relocation, which llvm-readelf lists at 0x2b8, becomes GOTPCREL32_LO.
    bytes[0x2c0] = 8;
    let loaded = parse(FileBytes::from(bytes)).unwrap();
    loaded.entries[0].check_runnable().unwrap();
    let program = loaded.entries[0].program_at(Arch::Gcn14, Some(0x7000), 0);
    // The table of addresses lies behind the constants, at 0x200: 0x1f0 from the end of s_getpc_b64.
    assert_eq!(program.word(5), Some(0x1f0));
    assert_eq!([0x80, 0x81].map(|index| program.word(index)), [Some(0x7100), Some(0)]);
}

/// By llvm-readelf, SCRATCH_RSRC_DWORD0 is at 4, SCRATCH_RSRC_DWORD1 at 0xc, `small` (12 bytes, alignment 4) at 0x44,
/// `large` (32 bytes, alignment 16) at 0x5c. Larger alignments come first.
#[test]
fn what_drivers_define_is_filled_in() {
    let loaded = parse(FileBytes::from(file("driver-gfx803.o"))).unwrap();
    loaded.entries[0].check_runnable().unwrap();
    let program = loaded.entries[0].program(Arch::Gcn12);
    let words = [0x4, 0xc, 0x44, 0x5c].map(|at| program.word(at / 4).unwrap());
    assert_eq!(words, [0x0800_0000, 0x8000_0000, 32, 0]);
}

/// `f` of pointers.s reaches `g`, which is 0x200 behind it, through the table of addresses. `pointer`, at 0x118, has
/// the address of `table` in another section, and `table` has that of `f`.
#[test]
fn relocatable_objects_are_linked_with_the_sections_they_refer_to() {
    let loaded = parse(FileBytes::from(file("pointers-gfx900.o"))).unwrap();
    loaded.entries.iter().for_each(|entry| entry.check_runnable().unwrap());
    let entry = loaded.entries.iter().find(|entry| entry.kernel.as_deref() == Some("f")).unwrap();
    let base = 0x1_0000_0000u64;
    let program = entry.program_at(Arch::Gcn14, Some(base), 0);
    let pair =
        |low: usize, high: usize| u64::from(program.word(high).unwrap()) << 32 | u64::from(program.word(low).unwrap());
    // The literals at 8 and 0x10 are added to the address behind s_getpc_b64.
    let slot = program.word_index((base + 4).wrapping_add(pair(2, 4))).unwrap();
    assert_eq!(pair(slot, slot + 1), base + 0x200);
    let table = program.word_index(pair(0x118 / 4, 0x11c / 4)).unwrap();
    assert_eq!(pair(table, table + 1), base);
}

/// By llvm-readelf, `shared` has a relocation at 4, to the section of LDS. The only symbol there lies at 0.
#[test]
fn the_only_symbol_in_lds_lies_at_its_beginning() {
    let mut bytes = file("lds-mesa-gfx900.o");
    // The literal of v_mov_b32, which is relocated, gets an addend.
    let at = bytes.windows(8).position(|window| window == [0xff, 2, 2, 0x7e, 0, 0, 0, 0]).unwrap();
    bytes[at + 4] = 0x20;
    let loaded = parse(FileBytes::from(bytes)).unwrap();
    loaded.entries[0].check_runnable().unwrap();
    assert_eq!(loaded.entries[0].program_at(Arch::Gcn14, Some(0x1_0000_0000), 0).word(1), Some(0x20));
}

#[test]
fn kernel_descriptors_say_that_it_is_a_compute_shader() {
    for name in ["v2-gfx803.co", "v3-gfx900.co", "v5-gfx900.co", "v4-gfx900.o"] {
        let (_, shader) = shaders(name).swap_remove(0);
        assert_eq!(shader.stage, Some(Stage::Compute), "{name}");
        assert!(shader.rsrc1.is_some_and(|rsrc1| rsrc1 >> 21 & 1 == 1), "{name}: DX10_CLAMP");
    }
}

/// Damage at any place of the note or of the section gives an error, or another shader, but no panic. Errors state a
/// place in the file.
#[test]
fn damage_is_an_error_with_a_place() {
    for name in ["shaders-pal-gfx900.o", "shaders-pal-pairs-gfx700.o", "shaders-mesa-gfx803.o"] {
        let whole = file(name);
        let mut errors = 0;
        for at in 0..whole.len() {
            for value in [0, 0x81, 0xff] {
                let mut bytes = whole.clone();
                bytes[at] = value;
                let Err(error) = parse(FileBytes::from(bytes)) else { continue };
                errors += 1;
                let text = error.to_string();
                assert!(!text.is_empty() && text.len() < 400, "{name} {at}: {text}");
            }
        }
        assert!(errors > 50, "{name}: {errors}");
        for length in 0..whole.len() {
            let _ = parse(FileBytes::from(whole[..length].to_vec()));
        }
    }
}

#[test]
fn errors_name_what_is_missing() {
    let changed = |name: &str, from: &[u8], to: &[u8]| {
        let mut bytes = file(name);
        let at = bytes.windows(from.len()).position(|window| window == from).unwrap();
        bytes[at..at + to.len()].copy_from_slice(to);
        parse(FileBytes::from(bytes)).map(|_| at).map_err(|error| error.to_string())
    };
    let error = changed("shaders-pal-gfx900.o", b"_amdgpu_ps_main\xb4", b"_amdgpu_xx_main").unwrap_err();
    assert!(error.contains("the pixel stage has no function '_amdgpu_xx_main'; note at offset 0x"), "{error}");
    let error = changed("shaders-pal-gfx900.o", b".hardware_stages", b".hardware_stagex").unwrap_err();
    assert!(error.contains("amdpal.pipelines[0] has no map .hardware_stages; note at offset 0x"), "{error}");
    let error = changed("shaders-mesa-gfx803.o", &[0x28, 0xb1, 0, 0], &[0x24]).unwrap_err();
    assert!(error.contains("registers of 2 shaders for 3 functions; .AMDGPU.config at offset 0x"), "{error}");
    let error = changed("shaders-mesa-gfx803.o", &[0x28, 0xb0, 0, 0], &[0x2c]).unwrap_err();
    assert!(error.contains("register 0xb02c comes before the RSRC1 of any stage; .AMDGPU.config at"), "{error}");
}
