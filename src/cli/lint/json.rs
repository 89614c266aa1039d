//! Findings as JSON lines.

use std::collections::BTreeMap;
use std::io::Write;

use serde::Serialize;

use super::{Found, SCHEMA, Totals};
use gcnsim_engine::report::{Hex, json_line_of};
use gcnsim_lint::rules::Level;

#[derive(Serialize)]
struct JsonFinding<'a> {
    record: &'static str,
    file: &'a str,
    part: Option<&'a str>,
    arch: &'static str,
    kernel: Option<&'a str>,
    kind: &'static str,
    id: &'static str,
    certainty: &'static str,
    basis: &'static str,
    text: &'static str,
    pc: Hex,
    instruction: Option<&'a str>,
    line: Option<&'a str>,
    producer: Option<JsonSpot<'a>>,
    registers: Option<&'a str>,
    counter: Option<&'static str>,
    needed: Option<u8>,
    found: Option<u8>,
    path: Vec<Hex>,
    known: Option<&'a str>,
}

#[derive(Serialize)]
struct JsonSpot<'a> {
    pc: Hex,
    instruction: Option<&'a str>,
    line: Option<&'a str>,
}

#[derive(Serialize)]
struct JsonSummary<'a> {
    record: &'static str,
    files: u64,
    kernels: u64,
    kernels_with_findings: u64,
    instructions: u64,
    findings: u64,
    errors: u64,
    suspicious: u64,
    info: u64,
    known: u64,
    by_id: &'a BTreeMap<&'static str, u64>,
    incomplete: Vec<JsonIncomplete<'a>>,
    unreadable: Vec<JsonError<'a>>,
    skipped_files: u64,
}

#[derive(Serialize)]
struct JsonIncomplete<'a> {
    file: &'a str,
    kernel: Option<&'a str>,
    reason: &'a str,
}

#[derive(Serialize)]
struct JsonError<'a> {
    file: &'a str,
    error: &'a str,
}

fn if_any(text: &str) -> Option<&str> {
    (!text.is_empty()).then_some(text)
}

/// Writes a finding.
pub(super) fn write(found: &Found<'_>, out: &mut impl Write) -> anyhow::Result<()> {
    let Found { file, object, entry, finding, known, lines } = found;
    let shown = |pc: u64| Hex(object.shown(pc));
    let line = JsonFinding {
        record: "finding",
        file,
        part: object.object.part.as_deref(),
        arch: object.arch.name(),
        kernel: entry.name.as_deref(),
        kind: entry.kind.name(),
        id: finding.rule.id,
        certainty: finding.rule.level.name(),
        basis: finding.rule.basis.name(),
        text: finding.rule.text,
        pc: shown(finding.place.pc),
        instruction: if_any(&finding.place.text),
        line: lines[0].as_deref(),
        producer: finding.producer.as_ref().map(|spot| JsonSpot {
            pc: shown(spot.pc),
            instruction: if_any(&spot.text),
            line: lines[1].as_deref(),
        }),
        registers: if_any(&finding.registers),
        counter: finding.counter.map(|counter| counter.name()),
        needed: finding.needed,
        found: finding.found,
        path: finding.path.iter().map(|&pc| shown(pc)).collect(),
        known: *known,
    };
    Ok(writeln!(out, "{}", json_line_of(SCHEMA, &line))?)
}

/// Writes the summary.
pub(super) fn write_summary(totals: &Totals, out: &mut impl Write) -> anyhow::Result<()> {
    let level = |level: Level| totals.by_level.get(&level).copied().unwrap_or(0);
    let summary = JsonSummary {
        record: "summary",
        files: totals.files,
        kernels: totals.entries,
        kernels_with_findings: totals.entries_with_findings,
        instructions: totals.instructions,
        findings: totals.by_rule.values().sum(),
        errors: level(Level::Error),
        suspicious: level(Level::Suspicious),
        info: level(Level::Info),
        known: totals.known,
        by_id: &totals.by_rule,
        incomplete: totals
            .incomplete
            .iter()
            .map(|(file, kernel, reason)| JsonIncomplete { file, kernel: kernel.as_deref(), reason })
            .collect(),
        unreadable: totals.unreadable.iter().map(|(file, error)| JsonError { file, error }).collect(),
        skipped_files: totals.skipped_files,
    };
    Ok(writeln!(out, "{}", json_line_of(SCHEMA, &summary))?)
}
