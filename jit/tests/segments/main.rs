//! Vector segments do what the kernels of their instructions do, bit by bit.
#![cfg(target_arch = "x86_64")]
#![allow(unsafe_code)]

mod support;
#[path = "../valu_support/mod.rs"]
mod valu_support;

use gcnsim_isa::table::Vop1;
use gcnsim_isa::{Arch, Inst, Opcode};
use gcnsim_jit::kernels::Level;
use gcnsim_jit::kernels::valu::kernel;
use gcnsim_jit::vector::{Draft, Options, is_lane_wise};
use support::{Wave, check, features, opcodes, random};
use valu_support::Rng;

const ARCHS: [Arch; 4] = [Arch::Gcn10, Arch::Gcn12, Arch::Gcn14, Arch::Gcn141];
/// Defaults of compilers, then others: without IEEE, other rounding, denormals of half a kind.
const MODES: [u32; 8] = [0x3f0, 0x3c0, 0x0f0, 0x1c0, 0x3f5, 0x3ca, 0x0df, 0x2e0];

#[test]
fn every_opcode_alone() {
    let Some(features) = features() else { return };
    let mut rng = Rng(0x1234_5678_9abc_def1);
    let mut taken = 0;
    for arch in ARCHS {
        for opcode in opcodes() {
            let mut is_taken = false;
            for round in 0..24 {
                let Some(inst) = random(&mut rng, arch, opcode, 24) else { continue };
                let mode = MODES[round % MODES.len()];
                let options = Options { features, mode: Some(mode) };
                if is_lane_wise(&inst, &options) {
                    is_taken = true;
                    check(&[inst], &options, &Wave::random(&mut rng, mode), &mut rng);
                    check(&[inst], &options, &Wave::numbers(&mut rng, mode), &mut rng);
                    check(&[inst], &options, &Wave::one_odd_lane(&mut rng, mode), &mut rng);
                }
            }
            taken += is_taken as usize;
        }
    }
    assert!(taken > 600, "{taken} opcodes on four generations");
}

#[test]
fn what_is_taken_has_a_kernel() {
    let Some(features) = features() else { return };
    let options = Options { features, mode: Some(MODES[0]) };
    let mut rng = Rng(0x2468_ace0_1357_9bdf);
    for arch in ARCHS {
        for opcode in opcodes() {
            let insts = (0..64).filter_map(|_| random(&mut rng, arch, opcode, 24));
            let Some(inst) = insts.into_iter().find(|inst| is_lane_wise(inst, &options)) else { continue };
            let has_kernel = kernel(Level::best(), &inst).is_some();
            assert!(has_kernel || matches!(opcode, Opcode::Vopc(_) | Opcode::Vop1(Vop1::VNop)), "{inst:?}");
        }
    }
}

/// As many random instructions as are taken together.
fn random_run(rng: &mut Rng, arch: Arch, options: &Options, count: usize, registers: u64) -> Vec<Inst> {
    let all = opcodes();
    let mut insts = Vec::new();
    let mut tries = 0;
    while insts.len() < count && tries < 50 * count {
        tries += 1;
        let opcode = all[rng.below(all.len() as u64) as usize];
        let Some(inst) = random(rng, arch, opcode, registers) else { continue };
        if is_lane_wise(&inst, options) {
            insts.push(inst);
            if Draft::new(&insts, options).unwrap().len() < insts.len() {
                insts.pop();
            }
        }
    }
    insts
}

#[test]
fn random_segments() {
    let Some(features) = features() else { return };
    let mut rng = Rng(0x0fed_cba9_8765_4321);
    for round in 0..400 {
        let arch = ARCHS[rng.below(4) as usize];
        let mode = MODES[rng.below(8) as usize];
        let options = Options { features, mode: (round % 4 != 0).then_some(mode) };
        let count = 1 + rng.below(60) as usize;
        let registers = [3, 8, 40, 255][rng.below(4) as usize];
        let insts = random_run(&mut rng, arch, &options, count, registers);
        check(&insts, &options, &Wave::random(&mut rng, mode), &mut rng);
        check(&insts, &options, &Wave::numbers(&mut rng, mode), &mut rng);
        check(&insts, &options, &Wave::one_odd_lane(&mut rng, mode), &mut rng);
    }
}
