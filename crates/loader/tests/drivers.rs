//! Files of corpus/drivers: binaries of OpenCL drivers, and what tools print, all made by a script byte by byte.

use gcnsim_isa::Arch;
use gcnsim_loader::code_object::CodeObject;
use gcnsim_loader::code_object::metadata::{ArgKind, Hidden};
use gcnsim_loader::{FileBytes, Loaded, Reading, Stage, parse, parse_as};

fn file(name: &str) -> Vec<u8> {
    std::fs::read(format!("{}/../../corpus/drivers/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

fn load(name: &str) -> Loaded {
    parse(FileBytes::from(file(name))).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn names(loaded: &Loaded) -> Vec<&str> {
    loaded.entries.iter().map(|entry| entry.kernel.as_deref().unwrap()).collect()
}

fn object(name: &str) -> CodeObject {
    CodeObject::choose(&FileBytes::from(file(name)), None).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Whether the code of the entries stands in the file where they say.
fn check_places(name: &str, loaded: &Loaded) {
    let bytes = file(name);
    for entry in &loaded.entries {
        let code = entry.code.as_ref();
        assert_eq!(&bytes[entry.file_offset as usize..][..code.len()], code, "{name}: {:?}", entry.kernel);
    }
}

#[test]
fn kernels_of_opencl_2_are_named_and_have_arguments() {
    for (name, chip, arch) in [
        ("amdcl2-gfx704.clo", "gfx704", Arch::Gcn11),
        ("amdcl2-gfx803.clo", "gfx803", Arch::Gcn12),
        ("amdcl2-gfx900.clo", "gfx900", Arch::Gcn14),
        ("amdcl2-note-gfx900.clo", "gfx900", Arch::Gcn14),
        ("amdcl2-old-gfx704.clo", "gfx704", Arch::Gcn11),
    ] {
        let loaded = load(name);
        let entry = &loaded.entries[0];
        assert_eq!(
            (entry.kernel.as_deref(), entry.target, entry.arch),
            (Some("scale"), Some(chip), Some(arch)),
            "{name}"
        );
        check_places(name, &loaded);
        let object = object(name);
        let metadata = object.kernels[0].metadata.as_ref().unwrap();
        let args: Vec<_> = metadata.args.iter().map(|arg| (arg.offset, arg.size, arg.kind)).collect();
        let hidden = |i: u64, hidden| (8 * i, 8, ArgKind::Hidden(hidden));
        let offsets = (0..3).map(|i| hidden(i, Hidden::GlobalOffset(i as u8)));
        let unused = (3..6).map(|i| hidden(i, Hidden::None));
        let own = [(48, 4, ArgKind::ByValue), (56, 8, ArgKind::Buffer), (64, 8, ArgKind::Buffer)];
        assert_eq!(args, offsets.chain(unused).chain(own).collect::<Vec<_>>(), "{name}");
        assert_eq!((metadata.args[6].name.as_deref(), metadata.kernarg_size), (Some("n"), 72), "{name}");
    }
    let object = object("amdcl2-gfx900.clo");
    assert_eq!(object.kernels[1].metadata.as_ref().unwrap().required_group_size, Some([8, 4, 2]));
}

/// The address of the table is in two literals of the code.
#[test]
fn data_beside_the_code_are_loaded_and_addressed() {
    let object = object("amdcl2-table-gfx900.clo");
    let table = &object.segments[1];
    assert_eq!(table.bytes.as_ref(), [1000u32.to_le_bytes(), 2000u32.to_le_bytes()].concat());
    assert_eq!(object.relocations.iter().map(|r| r.target).collect::<Vec<_>>(), [table.address + 4; 2]);
}

#[test]
fn kernels_of_catalyst_have_registers() {
    for (name, chip) in [
        ("catalyst-tahiti.clo", "gfx600"),
        ("catalyst-pitcairn.clo", "gfx601"),
        ("catalyst-bonaire.clo", "gfx704"),
        ("catalyst-tonga.clo", "gfx802"),
        ("catalyst-wide-tahiti.clo", "gfx600"),
        ("catalyst-stripped-tonga.clo", "gfx802"),
    ] {
        let loaded = load(name);
        assert_eq!(names(&loaded), ["first", "second"], "{name}");
        check_places(name, &loaded);
        for (n, entry) in (0u32..).zip(&loaded.entries) {
            // v_mov_b32 v0, 1 or 2: the code for the right chip of the two in each kernel.
            let first = u32::from_le_bytes(*entry.code.as_ref().first_chunk().unwrap());
            assert_eq!((entry.target, first), (Some(chip), 0x7e00_0281 + n), "{name}");
            // 8 or 12 VGPRs, 16 SGPRs; denormals of f64.
            let rsrc1 = (1 + n) | 1 << 6 | 0xc0 << 12 | 1 << 21;
            assert_eq!((entry.shader.stage, entry.shader.rsrc1), (Some(Stage::Compute), Some(rsrc1)), "{name}");
            assert_eq!(entry.shader.rsrc2, Some(0x98), "{name}");
        }
    }
}

#[test]
fn kernels_of_clover_are_those_of_its_list() {
    for name in ["clover-32.clo", "clover-64.clo"] {
        let loaded = load(name);
        assert_eq!(names(&loaded), ["plain", "spills"], "{name}");
        assert!(
            loaded.remark.as_ref().unwrap().contains("names no GPU, read as a code object for gcn1.4; --arch"),
            "{name}"
        );
        assert_eq!(loaded.entries[0].shader.rsrc1, Some(0x2c_0040), "{name}");
        let words: Vec<u32> =
            loaded.entries[1].code.as_ref().as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
        // S_MOV_B32 s0 gets the address of the synthetic environment's scratch.
        assert_eq!(words[..2], [0xbe80_03ff, 0x0800_0000], "{name}");
        let reading = Reading::default().arch(Arch::Gcn10);
        let told = parse_as(FileBytes::from(file(name)), reading).unwrap();
        assert_eq!(told.entries[0].target, Some("gfx600"), "{name}");
    }
    let object = object("clover-hsa-gfx803.clo");
    let args = &object.kernels[0].metadata.as_ref().unwrap().args;
    let found: Vec<_> = args.iter().map(|arg| (arg.offset, arg.kind)).collect();
    let hidden = |hidden| ArgKind::Hidden(hidden);
    let offsets = (0..3).map(|d| (28 + 4 * u64::from(d), hidden(Hidden::GlobalOffset(d))));
    let own = [(0, ArgKind::ByValue), (8, ArgKind::Buffer), (16, ArgKind::Buffer), (24, hidden(Hidden::GridDims))];
    assert_eq!(found, own.into_iter().chain(offsets).collect::<Vec<_>>());
}

#[test]
fn what_umr_and_clrxdisasm_print_is_the_code() {
    for (chip, arch) in [("gfx803", Arch::Gcn12), ("gfx900", Arch::Gcn14)] {
        let code = file(&format!("printed-{chip}.bin"));
        let waves = load(&format!("umr-{chip}.txt"));
        assert_eq!((names(&waves), waves.entries[0].code.as_ref()), (vec!["shader-0"], &code[..]), "two waves of one");
        let listing = load(&format!("clrx-{chip}.txt"));
        assert_eq!(names(&listing), ["one", "two"]);
        assert!(listing.entries.iter().all(|entry| entry.code.as_ref() == code && entry.arch == Some(arch)));
    }
}

/// Every truncation and every changed byte of headers and tables is an answer: an error, or fewer kernels.
#[test]
fn damaged_binaries_are_answered() {
    let folder = format!("{}/../../corpus/drivers", env!("CARGO_MANIFEST_DIR"));
    for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if path.extension().is_none_or(|extension| extension != "clo") {
            continue;
        }
        let whole = std::fs::read(&path).unwrap();
        let answer = |bytes: Vec<u8>| {
            let bytes = FileBytes::from(bytes);
            if let Ok(loaded) = parse(bytes.clone()) {
                loaded.entries.iter().for_each(|entry| assert!(entry.code.as_ref().len() <= whole.len()));
                let _ = loaded.objects(0);
                loaded.launch_objects();
            }
        };
        (0..whole.len()).step_by(13).for_each(|end| answer(whole[..end].to_vec()));
        let mut seed = 1u32;
        for at in 0..whole.len() {
            for value in [0, 1, 0x7f, 0x80, 0xff] {
                seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                // All bytes that are not the same as their neighbour, and some others.
                if seed >> 29 == 0 || whole[at] != 0 && value == 0xff {
                    let mut bytes = whole.clone();
                    bytes[at] = value;
                    answer(bytes);
                }
            }
        }
    }
}
