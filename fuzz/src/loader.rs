//! Tests the loader on any bytes: raw code, ELF code objects, offload bundles, tar archives of them. Everything that is
//! found in them can be disassembled and scanned.

use gcnsim_inputs::tar;
use gcnsim_isa::Arch;
use gcnsim_loader::scan::{scan, scan_object};
use gcnsim_loader::{FileBytes, FileKind, is_code_object, parse};

/// Tests a file of any kind.
pub fn check(data: &[u8]) {
    let bytes = FileBytes::from(data.to_vec());
    file(bytes.clone());
    let mut end = 0;
    for member in tar::members(data).take(64) {
        let Ok(member) = member else { return };
        assert!(end <= member.range.start, "members overlap");
        end = member.range.end;
        file(bytes.slice(member.range).expect("a member lies in its archive"));
    }
}

fn file(bytes: FileBytes) {
    is_code_object(bytes.as_ref());
    let Ok(loaded) = parse(bytes.clone()) else { return };
    assert!(!loaded.entries.is_empty());
    let _ = (loaded.choose(None, None).is_ok(), loaded.choose(Some("first"), Some(Arch::Gcn14)).is_ok());
    if bytes.as_ref().len() < 1 << 16 {
        for object in loaded.objects(0).unwrap_or_default() {
            scan_object(&object, Arch::Gcn14);
        }
    }
    for entry in loaded.entries.iter().take(8) {
        let length = entry.code.as_ref().len() as u64;
        // Code of text is not in the file as bytes.
        assert!(loaded.kind == FileKind::Text || entry.file_offset + length <= bytes.as_ref().len() as u64);
        for (arch, base, offset) in [(Arch::Gcn10, None, 0), (Arch::Gcn14, None, 0), (Arch::Gcn12, Some(!3), 1 << 63)] {
            let program = entry.program_at(arch, base, offset);
            let _ = (program.fetch(program.entry()), entry.own_code(arch).word_count());
            if program.word_count() < 4096 {
                scan(&program);
            }
        }
    }
}
