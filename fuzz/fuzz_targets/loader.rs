//! Any bytes as a file: raw code, ELF code objects, offload bundles. What is found in them can be disassembled and scanned.
#![no_main]

use gcnsim::loader::{FileBytes, is_code_object, parse};
use gcnsim::scan::scan;
use gcnsim_isa::Arch;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    is_code_object(data);
    let Ok(loaded) = parse(FileBytes::from(data.to_vec())) else { return };
    for entry in loaded.entries.iter().take(8) {
        for arch in [Arch::Gcn10, Arch::Gcn14] {
            let program = entry.program(arch);
            let _ = (program.fetch(program.entry()), entry.own_code(arch).word_count());
            if program.word_count() < 4096 {
                scan(&program);
            }
        }
    }
});
