//! Runs every helper with random operands and modifiers. All levels must agree and keep inactive lanes; operands may
//! overlap.
#![allow(unsafe_code)]

use crate::valu_support;

use gcnsim_helpers::Level;
use gcnsim_helpers::valu;
use gcnsim_isa::table::Encoding;
use gcnsim_isa::{Arch, Inst, LANES, Vgpr};
use gcnsim_random::Rng;
use valu_support::{Asm, Machine, Operand, rows};

/// Returns an instruction with random operands among few registers, so that they often overlap, and with random
/// modifiers.
fn random(rng: &mut Rng, arch: Arch, opcode: gcnsim_isa::Opcode) -> Option<Inst> {
    let encoding = opcode.desc().encoding;
    (0..40).find_map(|_| {
        let source = |rng: &mut Rng| match rng.below(6) {
            0 => 2 * rng.below(20),
            1 => rng.pick(&[128, 129, 192, 193, 208, 240, 243, 247]),
            _ => 256 + rng.below(8),
        };
        let src = [source(rng), source(rng), source(rng)];
        let count = opcode.desc().src.len();
        let mut asm = Asm::new(arch, opcode, rng.below(8), &src[..count]);
        let is_long = matches!(encoding, Encoding::Vop3 | Encoding::Vop3p);
        asm.vop3 = is_long || rng.below(2) == 0;
        if !asm.vop3 {
            if count > 1 {
                asm.src[1] = 256 + rng.below(8);
            }
            // MADMK and MADAK have a constant of their own.
            return asm.more(0, rng.dword()).try_inst();
        }
        // The carry of VOP3B comes from VCC and goes to VCC.
        let carry = opcode.desc().has.any(gcnsim_isa::table::Has::VCC_OUT);
        let modifiers = (rng.bits() & rng.bits() & 0xff00, rng.bits() & 0xf800_0000);
        let modifiers = if carry { (modifiers.0 & 0x8000 | 106 << 8, modifiers.1) } else { modifiers };
        if opcode.desc().has.any(gcnsim_isa::table::Has::VCC_IN) {
            asm.src[count] = 106;
        }
        // The full set of modifiers comes first. It is often illegal.
        let less = [(modifiers.0, modifiers.1), (modifiers.0 & 0xf800, 0), (if carry { 106 << 8 } else { 0 }, 0)];
        let pick = rng.pick(&less);
        asm.more(pick.0, pick.1).try_inst()
    })
}

fn machine(rng: &mut Rng) -> Machine {
    let mut machine = Machine::new();
    for vgpr in &mut machine.vgprs {
        vgpr.0 = std::array::from_fn(|_| rng.dword());
    }
    machine.sgprs = std::array::from_fn(|_| rng.dword());
    (machine.exec, machine.mask) = (rng.mask(), rng.bits64());
    let modes = [0x3f0, 0x3c0, 0x0f0, 0x000, 0x2f5, 0x1fa, 0x3ff];
    machine.mode = rng.pick(&modes);
    machine
}

/// Returns the number of registers that the destination covers.
fn dwords(inst: &Inst) -> usize {
    inst.desc().dst.dwords() as usize
}

fn check(inst: &Inst, start: &Machine) {
    let dst = inst.vdst().unwrap() as usize;
    let mut expected = start.clone();
    let (mask, notes) = expected.run(Level::Portable, inst);
    assert_eq!(mask & !start.exec, 0, "{inst:?}");
    for (n, (new, old)) in expected.vgprs.iter().zip(&start.vgprs).enumerate() {
        for lane in 0..LANES {
            let is_written = (dst..dst + dwords(inst)).contains(&n) && start.exec >> lane & 1 == 1;
            assert!(is_written || new.0[lane] == old.0[lane], "{inst:?}: v{n}[{lane}] changed");
        }
    }
    let same = |other: &Machine, result: (u64, gcnsim_isa::Notes), how: &str| {
        for n in dst..dst + dwords(inst) {
            for lane in 0..LANES {
                let (was, is) = (expected.vgprs[n].0[lane], other.vgprs[n].0[lane]);
                assert_eq!(format!("{was:08x}"), format!("{is:08x}"), "{inst:?} {how}: v{n}[{lane}]");
            }
        }
        assert_eq!(result, (mask, notes), "{inst:?} {how}");
    };
    for level in Level::available() {
        let mut other = start.clone();
        let result = other.run(level, inst);
        same(&other, result, level.name());
    }
    // `slow` is run without the fast paths of floats.
    let mut slow = start.clone();
    let result = slow.run_on(Level::Portable, inst, dst, start.operands(inst), false);
    same(&slow, result, "lane by lane");
    // In this run the sources do not overlap the destination. The old destination stays where it is.
    let mut apart = start.clone();
    let mut next = 12;
    let operands = start.operands(inst).map(|operand| match operand {
        Operand::Vgpr(n) => {
            let copy: Vec<Vgpr> = start.vgprs[n..n + 4].to_vec();
            apart.vgprs[next..next + 4].clone_from_slice(&copy);
            next += 4;
            Operand::Vgpr(next - 4)
        }
        other => other,
    });
    let result = apart.run_on(Level::best(), inst, dst, operands, true);
    same(&apart, result, "without overlap");
}

fn all_rows(arch: Arch) {
    let mut rng = Rng::new(0x1234_5678_9abc_def1 + arch as u64);
    let (mut helpers, mut tried) = (0, 0);
    // Interpolation takes parts of attributes, which are no operands.
    let has_operands = |opcode: &gcnsim_isa::Opcode| !opcode.desc().has.any(gcnsim_isa::table::Has::ATTR);
    for opcode in rows().filter(|opcode| opcode.desc().opcode_on(arch).is_some() && has_operands(opcode)) {
        let plain = random(&mut rng, arch, opcode);
        let Some(_) = plain.and_then(|inst| valu::helper(Level::Portable, &inst)) else { continue };
        if opcode == gcnsim_isa::Opcode::Vop1(gcnsim_isa::table::Vop1::VSwapB32) {
            continue;
        }
        helpers += 1;
        for _ in 0..24 {
            if let Some(inst) = random(&mut rng, arch, opcode) {
                check(&inst, &machine(&mut rng));
                tried += 1;
            }
        }
    }
    // Some rows have no helper here: V_NOP, V_CLREXCP, lane moves, V_SWAP, interpolation, undocumented ones.
    let rows = rows().filter(|opcode| opcode.desc().opcode_on(arch).is_some()).count();
    assert!(rows - helpers <= 14, "{arch}: {helpers} of {rows}");
    assert!(tried > 20 * helpers, "{arch}: {tried} instructions for {helpers} helpers");
}

#[test]
fn gcn10() {
    all_rows(Arch::Gcn10);
}

#[test]
fn gcn11() {
    all_rows(Arch::Gcn11);
}

#[test]
fn gcn12() {
    all_rows(Arch::Gcn12);
}

#[test]
fn gcn14() {
    all_rows(Arch::Gcn14);
}

#[test]
fn gcn141() {
    all_rows(Arch::Gcn141);
}
