//! Simpler forms of one instruction, for shrinking.

use gcnsim_isa::encode::Builder;
use gcnsim_isa::layout::{Layout, MemoryRole, Role};
use gcnsim_isa::{Encoding, Form, Inst, Opcode, Sopk, decode};

/// Returns forms of an instruction with simpler operands and modifiers, the simplest first. All forms are legal and
/// have the opcode of `inst`.
pub(super) fn simpler_forms(inst: &Inst) -> Vec<Inst> {
    match inst.desc().encoding {
        Encoding::Sop1 | Encoding::Sop2 | Encoding::Sopc | Encoding::Sopk | Encoding::Sopp => scalar_forms(inst),
        _ => vector_forms(inst),
    }
}

fn scalar_forms(inst: &Inst) -> Vec<Inst> {
    let builder = Builder::from_inst(inst);
    let mut forms = Vec::new();
    // The first source of SOPK is the destination.
    if !matches!(inst.opcode, Opcode::Sopk(_)) {
        for i in 0..inst.src_count().min(2) {
            let codes = simpler_codes(inst.src_code(i).unwrap_or(ZERO), &[ZERO, 0]);
            forms.extend(codes.map(|code| builder.src(i, code)));
        }
    } else if !matches!(inst.opcode, Opcode::Sopk(Sopk::SGetregB32 | Sopk::SSetregB32 | Sopk::SSetregImm32B32)) {
        forms.extend([0, 1].iter().filter(|&&n| n < inst.simm16() as u16).map(|&n| builder.simm16(n)));
    }
    if inst.has_literal() {
        forms.extend([0, 1].iter().filter(|&&n| n < inst.words[1]).map(|&n| builder.literal(n)));
    }
    if inst.dst().is_some_and(|dst| dst > 2) {
        forms.extend([0, 2].map(|dst| builder.dst(dst)));
    }
    forms.iter().filter_map(|form| form.build().ok()).collect()
}

/// Operand code of the constant 0.
const ZERO: u32 = 128;
/// Operand code of v0.
const V0: u32 = 256;

/// Returns the codes among `codes` that are simpler than `code`. The simplest come first.
fn simpler_codes(code: u32, codes: &[u32]) -> impl Iterator<Item = u32> {
    let simpler = codes.iter().position(|&other| other == code).unwrap_or(codes.len());
    codes[..simpler].iter().copied()
}

fn vector_forms(inst: &Inst) -> Vec<Inst> {
    let Some(layout) = Layout::of(inst.arch, inst.desc(), inst.form) else { return Vec::new() };
    let mut forms: Vec<[u32; 2]> = Vec::new();
    forms.extend(short_form(inst, &layout));
    let mut bare = inst.words;
    for field in &layout.fields {
        if let Some(neutral) = field.neutral() {
            field.set(&mut bare, neutral);
        }
    }
    forms.push(bare);
    if inst.idle_reason().is_some() {
        forms.push(inst.without_idle_fields().words);
    }
    for field in &layout.fields {
        let value = field.get(inst.words);
        let codes: &[u32] = match field.role {
            Role::Src(_) => &[ZERO, V0],
            Role::Ssrc(_) => &[ZERO, 0],
            Role::Vsrc(_) | Role::Vdst | Role::IsScalar(_) => &[0],
            Role::Sdst | Role::MaskDst | Role::MaskSrc => &[0, 2],
            Role::Memory(MemoryRole::Saddr) => &[127, 0],
            Role::Memory(MemoryRole::Soffset) => &[ZERO, 0],
            Role::Memory(_) => &[0],
            _ => &[field.neutral().unwrap_or(0)],
        };
        forms.extend(simpler_codes(value, codes).map(|code| {
            let mut words = inst.words;
            field.set(&mut words, code);
            words
        }));
    }
    if inst.has_literal() {
        forms.extend([0, 1].iter().filter(|&&n| n < inst.words[1]).map(|&n| [inst.words[0], n]));
    }
    let legal = |words: [u32; 2]| decode(inst.arch, words[0], Some(words[1])).ok();
    forms.into_iter().filter_map(legal).filter(|new| new.opcode == inst.opcode).collect()
}

/// Returns an SDWA, DPP or VOP3 form without its modifiers, in one dword.
fn short_form(inst: &Inst, layout: &Layout) -> Option<[u32; 2]> {
    let plain = Layout::of(inst.arch, inst.desc(), Form::Plain).filter(|_| inst.form != Form::Plain)?;
    let mut words = plain.words;
    for field in &plain.fields {
        let value = match field.role {
            Role::Src(i) | Role::Ssrc(i) => inst.src_code(i)?,
            Role::Vsrc(i) => inst.src_code(i)?.checked_sub(V0)?,
            role => layout.field(role)?.get(inst.words),
        };
        field.set(&mut words, value);
    }
    Some(words)
}

#[cfg(test)]
mod tests {
    use super::*;
    use gcnsim_isa::Arch;

    fn texts(arch: Arch, words: [u32; 2]) -> Vec<String> {
        let inst = decode(arch, words[0], Some(words[1])).unwrap();
        simpler_forms(&inst).iter().map(Inst::to_string).collect()
    }

    #[test]
    fn vector_forms_get_simpler_step_by_step() {
        // v_add_f32 v5, -v2, |v3| clamp mul:2
        let forms = texts(Arch::Gcn12, [0xd101_8205, 0x2802_0702]);
        assert_eq!(forms[0], "v_add_f32_e32 v5, v2, v3");
        assert_eq!(forms[1], "v_add_f32_e64 v5, v2, v3");
        for simpler in ["v_add_f32_e64 v0, -v2, |v3| clamp mul:2", "v_add_f32_e64 v5, -v0, |v3| clamp mul:2"] {
            assert!(forms.iter().any(|form| form == simpler), "{simpler}: {forms:#?}");
        }
        // Simpler forms of v_mov_b32 v1, v2 row_shl:1 have one dword, or another control.
        let forms = texts(Arch::Gcn12, [0x7e02_02fa, 0xff01_0102]);
        assert_eq!(forms[0], "v_mov_b32_e32 v1, v2");
        assert!(forms.iter().any(|form| form.contains("quad_perm:[0,1,2,3]")), "{forms:#?}");
        // Idle fields become 0: here v_writelane_b32 v0, 0, 0 has a third source.
        let inst = decode(Arch::Gcn14, 0xd28a_0000, Some(0x03fd_0080)).unwrap();
        assert!(simpler_forms(&inst).iter().any(|form| form.words == [0xd28a_0000, 0x0001_0080]));
        // v_mov_b32 v0, 0 has no simpler form.
        assert_eq!(texts(Arch::Gcn12, [0x7e00_0280, 0]), ["v_mov_b32_e32 v0, 0"]);
    }
}
