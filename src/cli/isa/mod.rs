//! `gcnsim isa`: prints what instructions do, and which of them are decoded, interpreted and compiled on which
//! generation; all about one instruction; or what fidelity notes stand for.

use std::borrow::Cow;
use std::io::Write;

use gcnsim_isa::table::all_rows;
use gcnsim_isa::{Arch, Encoding, InstDesc, Note};
use serde::Serialize;

mod docs;
mod one;
mod operands;

use super::{CommandResult, Exit, output, screen};
use crate::support::{self, JitSupport};
use gcnsim_engine::quote;
use gcnsim_engine::report::json_line;
use gcnsim_loader::nearest;

const EXAMPLES: &str = "\
Examples:
  gcnsim isa --arch gcn1.4                      every instruction of a generation
  gcnsim isa v_mad_u64_u32                      all about one instruction
  gcnsim isa --notes smax-equal-scc             what a fidelity note stands for";

/// Arguments of `isa`.
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// Show one instruction: forms, opcodes, operands with widths, what else it reads and writes, notes, docs pages
    #[arg(value_name = "NAME", conflicts_with = "notes")]
    name: Option<String>,
    /// Only this generation
    #[arg(long)]
    arch: Option<Arch>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Print the case, our choice and the sources of these fidelity notes, or of all
    #[arg(long, num_args = 0.., value_name = "CODE", conflicts_with = "arch")]
    notes: Option<Vec<String>>,
}

/// The support of one instruction on one generation.
#[derive(Serialize)]
struct Row {
    encoding: &'static str,
    mnemonic: &'static str,
    arch: &'static str,
    opcode: u16,
    decode: bool,
    interp: bool,
    jit: JitSupport,
    status: &'static str,
    /// The operation, in one line.
    operation: Cow<'static, str>,
    /// Whether the instruction is a compare that also has a VOP3 form.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    vop3: bool,
}

#[derive(Serialize)]
struct Matrix {
    instructions: Vec<Row>,
}

/// A fidelity note, with its case and our choice.
#[derive(Serialize)]
struct NoteRow {
    code: &'static str,
    basis: &'static str,
    case: &'static str,
    choice: &'static str,
    source: &'static str,
}

#[derive(Serialize)]
struct NoteList {
    notes: Vec<NoteRow>,
}

fn row(desc: &InstDesc, arch: Arch) -> Option<Row> {
    let opcode = desc.opcode_on(arch)?;
    Some(Row {
        encoding: desc.encoding.name(),
        mnemonic: desc.mnemonic,
        arch: arch.full_name(),
        opcode,
        decode: true,
        interp: support::interp(desc),
        jit: support::jit(desc),
        status: if desc.unknown { "unknown" } else { "ok" },
        operation: desc.operation(),
        vop3: desc.encoding == Encoding::Vopc,
    })
}

/// Returns the rows of the notes with these codes, sorted by code; of all notes if `codes` is empty.
fn notes(codes: &[String]) -> anyhow::Result<Vec<NoteRow>> {
    if let Some(code) = codes.iter().find(|code| Note::ALL.iter().all(|note| note.code() != **code)) {
        let near = nearest::question(code, Note::ALL.iter().map(|note| note.code()));
        anyhow::bail!("no fidelity note has the code '{}'{near}", quote::text(code));
    }
    let wanted = Note::ALL.iter().filter(|note| codes.is_empty() || codes.iter().any(|code| code == note.code()));
    let mut rows: Vec<_> = wanted
        .map(|note| NoteRow {
            code: note.code(),
            basis: note.basis().name(),
            case: note.case(),
            choice: note.choice(),
            source: note.source(),
        })
        .collect();
    rows.sort_unstable_by_key(|row| row.code);
    Ok(rows)
}

fn print_notes(rows: Vec<NoteRow>, is_json: bool, out: &mut impl Write) -> std::io::Result<()> {
    if is_json {
        return writeln!(out, "{}", json_line("notes", &NoteList { notes: rows }));
    }
    for row in rows {
        writeln!(out, "{} ({})", row.code, row.basis)?;
        for (name, text) in [("case", row.case), ("choice", row.choice), ("source", row.source)] {
            writeln!(out, "{}", screen::wrapped(&format!("  {name:<8}"), 10, text))?;
        }
    }
    Ok(())
}

/// Prints the matrix, or the notes.
pub(super) fn execute(args: Args) -> CommandResult {
    if let Some(codes) = args.notes {
        let rows = notes(&codes)?;
        let mut out = output::stdout_for(args.json);
        print_notes(rows, args.json, &mut out)?;
        out.flush()?;
        return Ok(Exit::Success);
    }
    let arches: Vec<_> = args.arch.map_or(columns(), |arch| vec![arch]);
    let mut out = output::stdout_for(args.json);
    if let Some(name) = &args.name {
        one::print(name, &arches, args.json, &mut out)?;
    } else if args.json {
        let rows = arches.iter().flat_map(|&arch| all_rows().filter_map(move |desc| row(desc, arch)));
        writeln!(out, "{}", json_line("isa", &Matrix { instructions: rows.collect() }))?;
    } else {
        print_matrix(&arches, &mut out)?;
    }
    out.flush()?;
    Ok(Exit::Success)
}

/// Returns the columns of the matrix: the generations, and chips that have other instructions than their generation.
fn columns() -> Vec<Arch> {
    let differs = |arch: Arch| all_rows().any(|row| row.opcode_on(arch) != row.opcode_on(arch.generation()));
    Arch::ALL.into_iter().filter(|&arch| arch == arch.generation() || differs(arch)).collect()
}

fn print_matrix(arches: &[Arch], out: &mut impl Write) -> std::io::Result<()> {
    writeln!(
        out,
        "opcode, then D decoded, I interpreted, J compiled inline, C compiled as a call,\n\
        ? meaning unknown; below it the operation: D destination, S0.. sources,\n\
        SDST any pair of SGPRs, MEM memory at the address, old what it held, DATA\n\
        registers that are stored"
    )?;
    let mut encoding = None;
    for desc in all_rows() {
        if encoding != Some(desc.encoding) {
            encoding = Some(desc.encoding);
            let names: String = arches.iter().map(|arch| format!("{:>9}", arch.full_name())).collect();
            writeln!(out, "\n{:<26}{names}", desc.encoding.name())?;
        }
        let cells: Vec<_> = arches.iter().map(|&arch| cell(desc, arch)).collect();
        if cells.iter().any(|cell| cell != "-") {
            let cells: String = cells.iter().map(|cell| format!("{cell:>9}")).collect();
            writeln!(out, "{:<26}{cells}\n  {}", desc.mnemonic, desc.operation())?;
        }
    }
    print_totals(arches, out)
}

fn cell(desc: &InstDesc, arch: Arch) -> String {
    let Some(row) = row(desc, arch) else { return "-".into() };
    let jit = match row.jit {
        JitSupport::None => "",
        JitSupport::Call => "C",
        JitSupport::Inline => "J",
    };
    let interp = if row.interp { "I" } else { "" };
    let unknown = if desc.unknown { "?" } else { "" };
    format!("{} D{interp}{jit}{unknown}", row.opcode)
}

/// Prints totals by encoding and generation: decoded / interpreted / compiled.
fn print_totals(arches: &[Arch], out: &mut impl Write) -> std::io::Result<()> {
    let names: String = arches.iter().map(|arch| format!("{:>12}", arch.full_name())).collect();
    writeln!(out, "\n{:<8}{names}", "totals")?;
    let mut encodings: Vec<Encoding> = Vec::new();
    for desc in all_rows() {
        if !encodings.contains(&desc.encoding) {
            encodings.push(desc.encoding);
        }
    }
    for encoding in encodings {
        let of_encoding = || all_rows().filter(|desc| desc.encoding == encoding);
        let total = |arch| {
            let rows = || of_encoding().filter_map(move |desc| row(desc, arch));
            let interp = rows().filter(|row| row.interp).count();
            let jit = rows().filter(|row| row.jit != JitSupport::None).count();
            format!("{}/{interp}/{jit}", rows().count())
        };
        let totals: String = arches.iter().map(|&arch| format!("{:>12}", total(arch))).collect();
        writeln!(out, "{:<8}{totals}", encoding.name())?;
    }
    writeln!(out, "(decoded/interpreted/compiled)")
}
