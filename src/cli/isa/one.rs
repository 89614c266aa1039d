//! What the table knows of one instruction: `gcnsim isa NAME`.

use std::io::Write;

use anyhow::bail;
use gcnsim_isa::layout::{Layout, has_form};
use gcnsim_isa::table::{Has, all_rows};
use gcnsim_isa::{Arch, Encoding, Flow, Form, Fx, InstDesc, Note, OperandType, decode};
use serde::Serialize;

use super::docs;
use super::operands::{self, Operand};
use crate::cli::screen;
use crate::support::{self, JitSupport};
use gcnsim_engine::quote;
use gcnsim_engine::report::json_line;
use gcnsim_loader::nearest;

/// Endings of mnemonics that name a form.
const FORMS: [&str; 4] = ["_e32", "_e64", "_sdwa", "_dpp"];

/// An instruction: all rows with its mnemonic.
#[derive(Serialize)]
struct Instruction {
    mnemonic: &'static str,
    rows: Vec<Row>,
}

/// A row of the table.
#[derive(Serialize)]
struct Row {
    encoding: &'static str,
    operation: String,
    class: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    flow: Option<&'static str>,
    modifiers: Vec<&'static str>,
    notes: Vec<&'static str>,
    docs: Vec<&'static str>,
    generations: Vec<Generation>,
}

/// A row on one generation, or on a chip that differs from its generation.
#[derive(Serialize)]
struct Generation {
    arch: &'static str,
    forms: Vec<FormRow>,
    operands: Vec<Operand>,
    reads: Vec<&'static str>,
    writes: Vec<&'static str>,
    decode: bool,
    interp: bool,
    jit: JitSupport,
    status: &'static str,
}

/// A form of an instruction.
#[derive(Serialize, PartialEq)]
struct FormRow {
    encoding: &'static str,
    opcode: u16,
    /// Bytes without a literal.
    bytes: u32,
}

/// Prints one instruction.
pub(super) fn print(name: &str, arches: &[Arch], is_json: bool, out: &mut impl Write) -> anyhow::Result<()> {
    let lower = name.to_ascii_lowercase();
    let plain = FORMS.iter().find_map(|form| lower.strip_suffix(form)).unwrap_or(&lower);
    let rows: Vec<_> = all_rows().filter(|desc| desc.mnemonic == plain || desc.mnemonic == lower).collect();
    let Some(&first) = rows.first() else {
        let known: Vec<&str> = all_rows().map(|desc| desc.mnemonic).collect();
        bail!("no instruction is called '{}'{}", quote::text(name), nearest::question(plain, known));
    };
    let has = |desc: &InstDesc| arches.iter().any(|&arch| desc.opcode_on(arch).is_some());
    if !rows.iter().any(|desc| has(desc)) {
        let is_there = |arch: &Arch| rows.iter().any(|desc| desc.opcode_on(*arch).is_some());
        let on: Vec<_> = super::columns().into_iter().filter(is_there).map(Arch::full_name).collect();
        let wanted: Vec<_> = arches.iter().map(|arch| arch.full_name()).collect();
        bail!("{} has no {}: it is on {}", wanted.join(", "), first.mnemonic, on.join(", "));
    }
    let rows: Vec<_> = rows.into_iter().filter(|desc| has(desc)).map(|desc| (desc, row(desc, arches))).collect();
    if is_json {
        let rows = rows.into_iter().map(|(_, row)| row).collect();
        writeln!(out, "{}", json_line("isa-instruction", &Instruction { mnemonic: first.mnemonic, rows }))?;
        return Ok(());
    }
    for (i, (desc, row)) in rows.iter().enumerate() {
        if i > 0 {
            writeln!(out)?;
        }
        writeln!(out, "{} ({})", desc.mnemonic, row.encoding)?;
        text(row, out)?;
    }
    Ok(())
}

fn row(desc: &'static InstDesc, arches: &[Arch]) -> Row {
    let generations: Vec<_> = arches.iter().filter_map(|&arch| generation(desc, arch)).collect();
    Row {
        encoding: desc.encoding.name(),
        operation: desc.operation().into_owned(),
        class: desc.kind.name(),
        flow: flow(desc.flow),
        modifiers: modifiers(desc),
        notes: notes(desc, arches),
        docs: docs::pages(desc),
        generations,
    }
}

fn generation(desc: &InstDesc, arch: Arch) -> Option<Generation> {
    let opcode = desc.opcode_on(arch)?;
    let (reads, writes) = effects(desc, arch);
    Some(Generation {
        arch: arch.full_name(),
        forms: forms(desc, arch, opcode),
        operands: operands::of(desc, arch),
        reads,
        writes,
        decode: true,
        interp: support::interp(desc),
        jit: support::jit(desc),
        status: if desc.unknown { "unknown" } else { "ok" },
    })
}

fn forms(desc: &InstDesc, arch: Arch, opcode: u16) -> Vec<FormRow> {
    let bytes = if desc.encoding.is_two_dwords() { 8 } else { 4 };
    let mut forms = vec![FormRow { encoding: desc.encoding.name(), opcode, bytes }];
    if !matches!(desc.encoding, Encoding::Vop1 | Encoding::Vop2 | Encoding::Vopc) {
        return forms;
    }
    for (form, encoding) in [(Form::Vop3, "VOP3"), (Form::Sdwa, "SDWA"), (Form::Dpp, "DPP")] {
        if !has_form(arch, desc, form) {
            continue;
        }
        let opcode = match (form, Layout::of(arch, desc, form)) {
            // The field of VOP3 begins one bit lower from GCN 1.2 on.
            (Form::Vop3, Some(layout)) if arch.is_gcn12_or_later() => (layout.words[0] >> 16 & 0x3ff) as u16,
            (Form::Vop3, Some(layout)) => (layout.words[0] >> 17 & 0x1ff) as u16,
            _ => opcode,
        };
        forms.push(FormRow { encoding, opcode, bytes: 8 });
    }
    forms
}

/// What else than operands is read and written.
fn effects(desc: &InstDesc, arch: Arch) -> (Vec<&'static str>, Vec<&'static str>) {
    let vector = desc.has.any(Has::VOP3) || desc.encoding == Encoding::Vopc;
    let vcc_out = if vector && desc.has.any(Has::VCC_OUT) { "VCC (not VOP3)" } else { "VCC" };
    let vcc_in = if vector && desc.has.any(Has::VCC_IN) { "VCC (not VOP3)" } else { "VCC" };
    let is_vop3_carry = desc.encoding == Encoding::Vop3 && desc.has.any(Has::VCC_OUT);
    // In vector instructions M0 counts in GPR-index mode and for LDS_DIRECT; LDS needs it before GCN 1.4.
    let m0 = match desc.encoding {
        Encoding::Vop1 | Encoding::Vop2 | Encoding::Vop3 | Encoding::Vop3p | Encoding::Vopc => {
            "M0 (GPR-index mode, LDS_DIRECT)"
        }
        Encoding::Ds if arch.is_gcn14_or_later() => "M0 (GDS, or where the operation says so)",
        _ => "M0",
    };
    let named = |list: &[(Fx, &'static str)]| -> Vec<&'static str> {
        list.iter().filter(|(fx, _)| desc.fx.has(*fx)).map(|(_, name)| *name).collect()
    };
    let reads = named(&[
        (Fx::RSCC, "SCC"),
        (Fx::RVCC, vcc_in),
        (Fx::REXEC, "EXEC"),
        (Fx::RM0, m0),
        (Fx::RMODE, "MODE"),
        (Fx::RDST, "D"),
        (Fx::RSGPRS, "SGPRs by a computed number"),
        (Fx::RVGPRS, "VGPRs by a computed number"),
    ]);
    let mut writes = named(&[
        (Fx::WSCC, "SCC"),
        (Fx::WVCC, vcc_out),
        (Fx::WEXEC, "EXEC"),
        (Fx::WM0, "M0"),
        (Fx::WMODE, "MODE"),
        (Fx::WSGPRS, "SGPRs by a computed number"),
        (Fx::WVGPRS, "VGPRs by a computed number"),
    ]);
    if is_vop3_carry {
        writes.retain(|name| *name != "VCC");
    }
    if desc.encoding == Encoding::Vopc {
        writes.insert(0, "VCC (not VOP3)");
    }
    (reads, writes)
}

fn flow(flow: Flow) -> Option<&'static str> {
    Some(match flow {
        Flow::Next => return None,
        Flow::Branch => "to the target",
        Flow::CondBranch => "to the target or the next instruction",
        Flow::Call => "to the target; the next instruction is where it returns to",
        Flow::SwapPc => "to a computed address; the next instruction is where it returns to",
        Flow::Indirect => "to a computed address",
        Flow::Fork => "to the next instruction or the target, lanes of the other one later",
        Flow::Join => "to the next instruction or an address of the fork stack",
        Flow::End => "the wave ends",
        Flow::Halt => "the wave stops",
        Flow::Trap => "to the trap handler",
    })
}

fn modifiers(desc: &InstDesc) -> Vec<&'static str> {
    let is_float_compare = desc.encoding == Encoding::Vopc && desc.src.first().is_some_and(|ty| ty.is_float());
    let list = [
        (Has::ABS, "ABS"),
        (Has::NEG, "NEG"),
        (Has::CLAMP, "CLAMP"),
        (Has::OMOD, "OMOD"),
        (Has::OP_SEL, "OP_SEL (1.4 on)"),
        (Has::PK, "OP_SEL, OP_SEL_HI, NEG_LO, NEG_HI"),
        (Has::MIX, "OP_SEL, OP_SEL_HI, ABS, NEG"),
    ];
    let mut found: Vec<_> = list.iter().filter(|(has, _)| desc.has.any(*has)).map(|(_, name)| *name).collect();
    if is_float_compare {
        found = vec!["ABS", "NEG", "CLAMP"];
    }
    found
}

/// Returns the codes of the fidelity notes whose case names the instruction, and of those that it always raises.
fn notes(desc: &InstDesc, arches: &[Arch]) -> Vec<&'static str> {
    let name = desc.mnemonic.to_ascii_uppercase();
    let is_word = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_' || c == '*';
    // Cases leave out types: S_*_SAVEEXEC.
    let short = name.rsplit_once('_').map_or(name.as_str(), |(short, _)| short);
    let is_named = |word: &str| word.contains('_') && (matches(word, &name) || matches(word, short));
    let names = |note: &Note| note.case().split(|c| !is_word(c)).any(is_named);
    let raised = arches.iter().filter_map(|&arch| {
        let layout = Layout::of(arch, desc, Form::Plain)?;
        let inst = decode(arch, layout.words[0], Some(layout.words[1])).ok()?;
        (inst.opcode == desc.opcode).then(|| inst.static_notes())
    });
    let raised: Vec<_> = raised.collect();
    let is_raised = |note: &Note| raised.iter().any(|notes| notes.contains(*note));
    let mut codes: Vec<_> = Note::ALL.iter().filter(|n| names(n) || is_raised(n)).map(|note| note.code()).collect();
    codes.sort_unstable();
    codes
}

/// Whether `name` has the form of `pattern`, in which a star stands for any text.
fn matches(pattern: &str, name: &str) -> bool {
    let mut rest = name;
    let mut parts = pattern.split('*').peekable();
    let Some(start) = parts.next() else { return false };
    match rest.strip_prefix(start) {
        Some(after) => rest = after,
        None => return false,
    }
    while let Some(part) = parts.next() {
        match parts.peek() {
            None => return rest.ends_with(part),
            Some(_) => match rest.find(part) {
                Some(at) => rest = &rest[at + part.len()..],
                None => return false,
            },
        }
    }
    rest.is_empty()
}

fn text(row: &Row, out: &mut impl Write) -> std::io::Result<()> {
    let mut line = |name: &str, text: String| match text.is_empty() {
        true => Ok(()),
        false => writeln!(out, "{}", screen::wrapped(&format!("  {name:<12}"), 14, &text)),
    };
    line("operation", row.operation.clone())?;
    line("class", row.class.to_owned())?;
    line("goes on", row.flow.unwrap_or_default().to_owned())?;
    // What is the same everywhere is said once.
    let generations = &row.generations;
    let of = |generation: &Generation| {
        [
            ("operands", generation.operands.iter().map(Operand::to_string).collect()),
            ("reads", vec![generation.reads.join(", ")]),
            ("writes", vec![generation.writes.join(", ")]),
        ]
    };
    let first = generations.first().map(of).unwrap_or_else(|| [("", vec![]), ("", vec![]), ("", vec![])]);
    let is_same: Vec<bool> = (0..first.len()).map(|i| generations.iter().all(|g| of(g)[i] == first[i])).collect();
    for (_, (name, lines)) in first.iter().enumerate().filter(|(i, _)| is_same[*i]) {
        for (number, text) in lines.iter().enumerate() {
            line(if number == 0 { name } else { "" }, text.clone())?;
        }
    }
    line("modifiers", row.modifiers.join(", "))?;
    line("notes", row.notes.join(", "))?;
    line("docs", row.docs.join(", "))?;
    for generation in generations {
        let forms = generation.forms.iter().map(|form| format!("{} {}", form.encoding, form.opcode));
        let mut text = forms.collect::<Vec<_>>().join(", ") + "; " + &support_text(generation);
        if generation.status != "ok" {
            text += "; meaning unknown";
        }
        line(generation.arch, text)?;
        for (_, (name, lines)) in of(generation).iter().enumerate().filter(|(i, _)| !is_same[*i]) {
            for text in lines.iter().filter(|text| !text.is_empty()) {
                line("", format!("{name}: {text}"))?;
            }
        }
    }
    Ok(())
}

fn support_text(generation: &Generation) -> String {
    let interp = if generation.interp { "interpreted" } else { "not executed" };
    let jit = match generation.jit {
        JitSupport::None => "",
        JitSupport::Call => ", compiled as a call",
        JitSupport::Inline => ", compiled inline",
    };
    format!("{interp}{jit}")
}

/// Whether a type has a width that is worth naming: `none` has not.
pub(super) fn is_there(ty: OperandType) -> bool {
    ty != OperandType::none
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stand_for_any_text() {
        for (pattern, name, expected) in [
            ("S_MAX_I32", "S_MAX_I32", true),
            ("S_MAX_I32", "S_MAX_I32_X", false),
            ("S_*_SAVEEXEC", "S_AND_SAVEEXEC", true),
            ("S_*_SAVEEXEC", "S_AND_SAVEEXEC_B64", false),
            ("S_MOVREL*", "S_MOVRELS_B32", true),
            ("V_*_F*_X", "V_ADD_F32_X", true),
            ("V_*", "S_MOV_B32", false),
        ] {
            assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
        }
    }
}
