//! Kernels whose waits were removed. If the waits that the linter demands are put where the compiler has waits, the
//! kernels are clean again, and no wait is stricter than the compiler's.

use std::path::Path;
use std::sync::Arc;

use gcnsim_isa::{Arch, Opcode, Program, Sopp};
use gcnsim_lint::{EntryReport, Linter, Options, file};
use gcnsim_loader::{FileBytes, Shader};

/// An S_WAITCNT of an object.
struct Slot {
    pc: u64,
    /// Its place in the file.
    at: usize,
    /// The limits of VM_CNT, EXP_CNT and LGKM_CNT that the compiler wrote, and those that were put back.
    original: [u8; 3],
    limits: [u8; 3],
}

/// Returns the largest limits, which wait for nothing.
fn most(arch: Arch) -> [u8; 3] {
    [if arch.is_gcn14_or_later() { 63 } else { 15 }, 7, 15]
}

/// Returns the limits in the bits of an S_WAITCNT, as the ISA manuals say.
fn limits(bits: u16, arch: Arch) -> [u8; 3] {
    let high = if arch.is_gcn14_or_later() { bits >> 14 << 4 } else { 0 };
    [(bits & 15 | high) as u8, (bits >> 4 & 7) as u8, (bits >> 8 & 15) as u8]
}

fn bits([vm, exp, lgkm]: [u8; 3]) -> u16 {
    let [vm, exp, lgkm] = [vm, exp, lgkm].map(u16::from);
    vm & 15 | exp << 4 | lgkm << 8 | vm >> 4 << 14
}

struct Stripped {
    bytes: Vec<u8>,
    arch: Arch,
    slots: Vec<Slot>,
}

impl Stripped {
    fn new(name: &str) -> Stripped {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/kernels").join(name);
        let bytes = std::fs::read(path).unwrap();
        let loaded = gcnsim_loader::parse(FileBytes::from(bytes.clone())).unwrap();
        let object = loaded.objects(0).unwrap().remove(0);
        let (arch, section) = (object.arch.unwrap(), &object.sections[0]);
        let program = Program::new(arch, Arc::new(section.bytes.clone()), section.address, 0);
        let (mut slots, mut pc) = (Vec::new(), section.address);
        while let Ok(inst) = program.fetch(pc) {
            if inst.opcode == Opcode::Sopp(Sopp::SWaitcnt) {
                let at = (section.file_offset + pc - section.address) as usize;
                let original = limits(inst.simm16() as u16, arch);
                slots.push(Slot { pc, at, original, limits: most(arch) });
            }
            pc += u64::from(inst.size());
        }
        Stripped { bytes, arch, slots }
    }

    fn reports(&mut self) -> Vec<EntryReport> {
        for slot in &self.slots {
            self.bytes[slot.at..slot.at + 2].copy_from_slice(&bits(slot.limits).to_le_bytes());
        }
        let loaded = gcnsim_loader::parse(FileBytes::from(self.bytes.clone())).unwrap();
        let mut linter = Linter::new(Options::default());
        let objects = file::lint(&mut linter, &loaded, self.arch, 0, &Shader::default()).unwrap();
        objects.into_iter().flat_map(|object| object.entries).collect()
    }

    /// Lowers the limit `need` of the nearest slot before `pc`, or else of the nearest one behind it (in a loop), where
    /// the compiler waits for as little as that. Without `need` a slot gets back all its limits. Returns whether a slot
    /// was found.
    fn put_back(&mut self, entry: &EntryReport, pc: u64, need: Option<(usize, u8)>) -> bool {
        let suits = |slot: &&mut Slot| {
            entry.range.contains(&slot.pc)
                && match need {
                    Some((counter, limit)) => slot.original[counter] <= limit && slot.limits[counter] > limit,
                    None => slot.limits != slot.original,
                }
        };
        let (before, behind): (Vec<&mut Slot>, Vec<&mut Slot>) =
            self.slots.iter_mut().filter(suits).partition(|slot| slot.pc <= pc);
        let nearest = before.into_iter().next_back().or(behind.into_iter().next());
        let Some(slot) = nearest else { return false };
        match need {
            Some((counter, limit)) => slot.limits[counter] = limit,
            None => slot.limits = slot.original,
        }
        true
    }
}

#[test]
fn needed_waits_make_kernels_clean_and_are_no_stricter_than_the_compilers() {
    for name in ["kernels-gfx900-v5-O2.co", "kernels-gfx803-v4-O3.co", "algorithms-gfx701-v3-O3.co"] {
        let mut stripped = Stripped::new(name);
        assert!(stripped.slots.len() > 100, "{name}: {}", stripped.slots.len());
        let mut rounds = 0;
        loop {
            let reports = stripped.reports();
            let findings = reports.iter().flat_map(|entry| entry.findings.iter().map(move |finding| (entry, finding)));
            let findings: Vec<_> = findings.collect();
            if findings.is_empty() {
                break;
            }
            assert!(rounds > 0 || findings.len() > 100, "{name}: {} without waits", findings.len());
            rounds += 1;
            // Several findings of a round may need the same wait. The first of them puts it back.
            let mut changed = false;
            for (entry, finding) in &findings {
                let need = finding.counter.map(|counter| (counter as usize, finding.needed.unwrap()));
                changed |= stripped.put_back(entry, finding.place.pc, need);
            }
            assert!(changed, "{name}: the compiler has no waits as strict: {findings:?}");
            assert!(rounds < 200, "{name}");
        }
        // The waits that are there now are enough, and some are weaker than those of the compiler.
        let weaker = |slot: &&Slot| slot.limits != slot.original;
        assert!(stripped.slots.iter().filter(weaker).count() > 0, "{name}");
        assert!(stripped.slots.iter().all(|slot| (0..3).all(|i| slot.limits[i] >= slot.original[i])), "{name}");
    }
}
