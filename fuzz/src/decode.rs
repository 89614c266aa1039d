//! Tests decoder, disassembler and encoder on any two dwords, for all generations.

use gcnsim_isa::encode::Builder;
use gcnsim_isa::{Arch, decode};

/// Tests two dwords. Shorter input is ignored, and longer input is cut.
pub fn check(data: &[u8]) {
    let Some(data) = data.first_chunk::<8>() else { return };
    let word = |i: usize| u32::from_le_bytes([data[i], data[i + 1], data[i + 2], data[i + 3]]);
    for arch in Arch::ALL {
        for second in [None, Some(word(4))] {
            let inst = match decode(arch, word(0), second) {
                Ok(inst) => inst,
                Err(error) => {
                    assert!(!error.to_string().is_empty());
                    continue;
                }
            };
            assert!(matches!(inst.size(), 4 | 8));
            let text = inst.to_string();
            assert!(!text.is_empty());
            let _ = (inst.unsupported(), inst.flow(), inst.reads(), inst.writes(), inst.static_notes());
            if !inst.desc().encoding.is_core() || inst.unsupported().is_some() {
                continue;
            }
            // The words that the builder makes have the same meaning, and building them again changes nothing.
            if let Ok(built) = Builder::from_inst(&inst).build() {
                assert_eq!(built.to_string(), text, "{arch}");
                let again = Builder::from_inst(&built).build().map(|again| again.words);
                assert_eq!(again, Ok(built.words), "{arch} {text}");
            }
        }
    }
}
