//! Launch files by registers: memory at its addresses.

use std::collections::BTreeMap;
use std::ops::Range;

use gcnsim_device::Dispatch;
use gcnsim_loader::FileBytes;
use gcnsim_machine::canonical;
use serde_json::{Value, json};

use crate::About;
use crate::capture::{Capture, Piece};
use crate::code::Reached;
use crate::folder::{Files, LITTLE, Launch};

/// Most bytes of an allocation that is recorded with its whole size.
const MOST_WHOLE: u64 = 256 << 20;
/// Most bytes of the accessed part of a larger one.
const MOST_SPAN: u64 = 1 << 30;
/// Size of a page in bytes.
const PAGE: u64 = 4096;

/// Returns an address as text.
pub fn hex(number: u64) -> String {
    format!("{number:#x}")
}

/// Makes the launch file of a dispatch.
pub fn launch(dispatch: &Dispatch, about: &About<'_>, code: &Reached, capture: &Capture) -> Launch {
    let mut files = Files::default();
    let registers = dispatch.waves().registers();
    let grid = &registers.grid;
    let mut of_registers = json!({
        "arch": about.chip,
        "code": files.add_file("code.bin", &FileBytes::from(code.bytes.clone())),
        "base": hex(code.base),
        "pc": hex(canonical(registers.pc)),
        "rsrc1": hex(registers.rsrc1.0.into()),
        "rsrc2": hex(registers.rsrc2.0.into()),
        "user_sgprs": registers.user_sgprs.iter().map(|&sgpr| hex(sgpr.into())).collect::<Vec<_>>(),
        "groups": grid.groups,
        "group": grid.group,
        "lds_bytes": registers.lds_bytes,
        "scratch_bytes_per_lane": registers.scratch.lane_bytes,
        "scratch_base": hex(registers.scratch.address),
    });
    for (key, sizes) in [("start", grid.start), ("partial", grid.partial)] {
        if sizes != [0; 3] {
            of_registers[key] = json!(sizes);
        }
    }
    let mut names = vec![("kernarg", about.kernarg), ("packet", about.packet)];
    let memory: Vec<Value> = capture.pieces.iter().map(|piece| memory(piece, &mut names, &mut files)).collect();
    let mut launch = json!({ "registers": of_registers, "memory": memory });
    let allocations: Vec<Value> = allocations(capture, code)
        .into_iter()
        .map(|range| json!({ "base": hex(range.start), "size": range.end - range.start }))
        .collect();
    if !allocations.is_empty() {
        launch["allocations"] = allocations.into();
    }
    let mut tree = json!({});
    if let Some(object) = &about.object {
        // Names, source lines and listings are those of the object.
        tree["program"] = files.add_file("program.co", object.bytes).into();
        launch["kernel"] = object.kernel.into();
    }
    tree["launch"] = json!([launch]);
    Launch { tree, files }
}

/// Returns a piece of memory. `names` are addresses that have a name; each is used once.
fn memory(piece: &Piece, names: &mut Vec<(&str, Option<u64>)>, files: &mut Files) -> Value {
    let mut memory = json!({
        "base": hex(piece.base),
        "size": piece.len(),
        "rights": if piece.writable { "rw" } else { "r" },
    });
    let is_named = |(_, address): &(&str, Option<u64>)| address.is_some_and(|address| piece.meets(address, 64));
    if let Some(index) = names.iter().position(is_named) {
        memory["name"] = names.remove(index).0.into();
    }
    content(&mut memory, &piece.before, files);
    if let Some(after) = &piece.after {
        memory["expect"] = json!([check(after, piece.stored.clone(), files)]);
    }
    memory
}

/// Adds contents to a buffer or to memory. Zeros at the end need none.
pub fn content(to: &mut Value, bytes: &[u8], files: &mut Files) {
    let end = bytes.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
    let bytes = &bytes[..end];
    match bytes.len() {
        0 => {}
        1..=LITTLE => to["hex"] = bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>().into(),
        _ => to["file"] = files.add(bytes).into(),
    }
}

/// Returns a check of a range of bytes.
pub fn check(bytes: &[u8], range: Range<usize>, files: &mut Files) -> Value {
    // Whole dwords are easier to read, if there are so many bytes.
    let (start, end) = (range.start & !3, range.end.next_multiple_of(4));
    let is_whole = end <= bytes.len();
    let range = if is_whole { start..end } else { range };
    let bytes = &bytes[range.clone()];
    let mut check = match (is_whole, bytes.len()) {
        (true, ..=LITTLE) => json!({ "u32": dwords(bytes) }),
        (false, ..=LITTLE) => json!({ "u8": bytes }),
        (is_whole, _) => json!({ "file": files.add(bytes), "type": if is_whole { "u32" } else { "u8" } }),
    };
    if range.start > 0 {
        check["at"] = range.start.into();
    }
    check
}

fn dwords(bytes: &[u8]) -> Vec<u32> {
    bytes.as_chunks::<4>().0.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect()
}

/// Returns the ranges of the allocations that have pieces. Of large ones only what was accessed is left.
fn allocations(capture: &Capture, code: &Reached) -> Vec<Range<u64>> {
    // The accessed part of each, and how much of it was accessed.
    let mut accessed: BTreeMap<usize, (Range<u64>, u64)> = BTreeMap::new();
    for piece in &capture.pieces {
        let Some(index) = piece.allocation else { continue };
        let (span, bytes) = accessed.entry(index).or_insert((piece.base..piece.base, 0));
        span.end = piece.base + piece.len();
        *bytes += piece.len();
    }
    let mut found = Vec::new();
    for (index, (span, bytes)) in accessed {
        let (base, size) = capture.allocations[index];
        let mut range = base..base + size;
        if size > MOST_WHOLE {
            if span.end - span.start > MOST_SPAN && bytes < (span.end - span.start) / 16 {
                continue;
            }
            range = (span.start & !(PAGE - 1)).max(base)..span.end.next_multiple_of(PAGE).min(base + size);
        }
        // Code lies in it as a whole, or not at all.
        let code = code.range();
        if code.start < range.end && range.start < code.end {
            range = range.start.min(code.start)..range.end.max(code.end);
        }
        found.push(range);
    }
    found
}
