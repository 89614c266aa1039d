//! Every row of the memory instructions on both engines, with random operands: the interpreter executes the words, and
//! the helper is called as compiled code calls it, on every level. Registers, LDS, GDS, memory, notes and faults must
//! agree.

mod setting;
mod vector;

use gcnsim_isa::table::{Ds, DsOffset, Opcode, Smem, Smrd};
use gcnsim_isa::{Arch, Inst, decode};
use gcnsim_random::Rng;
use setting::{ARCHS, CASES, Setting, check, report};

/// Checks an instruction of SMRD, SMEM or DS in a random setting.
fn check_share(inst: &Inst, random: &mut Rng, problems: &mut Vec<String>) {
    let gds = inst.ds_access().is_some_and(|access| access.gds);
    let setting = Setting::random(random, gds);
    check(inst, &setting, problems);
}

/// Returns a random instruction of a DS row; `None` if the generation does not have it, or the decoder refuses it.
fn ds(arch: Arch, op: Ds, random: &mut Rng) -> Option<Inst> {
    let (shape, number) = (op.shape(), u32::from(Opcode::Ds(op).desc().opcode_on(arch)?));
    let shift = if arch.is_gcn12_or_later() { 16 } else { 17 };
    let gds = u32::from(shape.gds || random.below(4) == 0);
    let offset = match random.below(6) {
        0 => 0,
        1 => random.bits() & 0xffff,
        2 => random.below(16) * 0x101,
        3 => random.below(64),
        4 => random.below(16) * 4,
        _ => random.bits() & 0x0303,
    };
    let offset = if shape.offset == DsOffset::None { 0 } else { offset };
    let mut field = |used: bool, from: u32, few: u32| if used { from + random.below(few) } else { 0 };
    let fields = [
        field(shape.addr, 0, 4),
        field(shape.data[0] > 0, 3, 7),
        field(shape.data[1] > 0, 3, 7),
        field(shape.vdst > 0, 0, 10),
    ];
    let is_used = [shape.addr, shape.data[0] > 0, shape.data[1] > 0, shape.vdst > 0];
    let fields: [u32; 4] =
        std::array::from_fn(|i| if is_used[i] { vector::sometimes_last(random, fields[i]) } else { 0 });
    let second = fields.iter().rev().fold(0, |word, field| word << 8 | field);
    decode(arch, 0xd800_0000 | number << (shift + 1) | gds << shift | offset, Some(second)).ok()
}

#[test]
fn ds_rows_agree() {
    let (mut random, mut problems, mut count) = (Rng::new(1), Vec::new(), 0);
    for arch in ARCHS {
        for &op in Ds::ALL {
            for _ in 0..CASES {
                let Some(inst) = ds(arch, op, &mut random) else { continue };
                check_share(&inst, &mut random, &mut problems);
                count += 1;
            }
        }
    }
    report(&problems);
    assert!(count > 400 * CASES, "{count} cases");
}

/// The same of an SMEM row.
fn smem(arch: Arch, op: Smem, random: &mut Rng) -> Option<Inst> {
    let number = u32::from(Opcode::Smem(op).desc().opcode_on(arch)?);
    let (imm, soe, glc) = (random.below(2), random.below(2), random.below(2));
    let soe = if arch.is_gcn14_or_later() { soe } else { 0 };
    let register = random.pick(&[30, 31, 124]);
    let constant = random.pick(&[0, 1, 2, 4, 7, 8, 60, 240, 0xf_fffc, 0x1f_fffc, 0x1f_fffe]);
    let constant = if arch.is_gcn14_or_later() { constant } else { constant & 0xf_ffff };
    let (base, data) = (random.pick(&[0, 2, 4, 6, 8, 14]), random.pick(&[40, 44, 41, 8]));
    let second = if imm == 1 { constant } else { register } | if soe == 1 { register << 25 } else { 0 };
    let first = 0xc000_0000 | number << 18 | imm << 17 | glc << 16 | soe << 14 | data << 6 | base >> 1;
    decode(arch, first, Some(second)).ok()
}

/// The same of an SMRD row.
fn smrd(arch: Arch, op: Smrd, random: &mut Rng) -> Option<Inst> {
    let number = u32::from(Opcode::Smrd(op).desc().opcode_on(arch)?);
    let imm = random.below(2);
    let offset = match imm {
        1 => random.pick(&[0, 1, 3, 60, 255]),
        _ => random.pick(&[30, 31, 124, 255]),
    };
    let (base, data) = (random.pick(&[0, 2, 4, 6, 8, 14]), random.pick(&[40, 44, 41, 8]));
    let first = 0xc000_0000 | number << 22 | data << 15 | (base >> 1) << 9 | imm << 8 | offset;
    decode(arch, first, Some(random.pick(&[0, 1, 15, 62]))).ok()
}

#[test]
fn scalar_rows_agree() {
    let (mut random, mut problems, mut count) = (Rng::new(2), Vec::new(), 0);
    for arch in ARCHS {
        for _ in 0..CASES {
            let rows = Smem::ALL.iter().filter_map(|&op| smem(arch, op, &mut random)).collect::<Vec<_>>();
            let reads = Smrd::ALL.iter().filter_map(|&op| smrd(arch, op, &mut random)).collect::<Vec<_>>();
            for inst in rows.iter().chain(&reads) {
                check_share(inst, &mut random, &mut problems);
                count += 1;
            }
        }
    }
    report(&problems);
    assert!(count > 100 * CASES, "{count} cases");
}
