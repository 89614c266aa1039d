//! Metadata of a code object of version 2.

use std::fmt::Write;

/// A kernel for the metadata.
pub(super) struct Kernel {
    pub name: String,
    pub args: Vec<Arg>,
    /// Size of the kernarg segment in bytes, if it is stated.
    pub kernarg_size: Option<u64>,
    /// The only size of groups that the kernel allows, if there is one.
    pub required: Option<[u64; 3]>,
}

/// An argument for the metadata.
pub(super) struct Arg {
    pub name: String,
    pub type_name: String,
    pub size: u64,
    pub align: u64,
    /// Its kind, for example `GlobalBuffer`.
    pub kind: &'static str,
    /// The type of its value, for example `F32`; empty if nobody knows.
    pub value: &'static str,
}

/// The note with the metadata of `kernels`, with its header.
pub(super) fn note(kernels: &[Kernel]) -> Vec<u8> {
    let mut text = "---\nVersion: [ 1, 0 ]\nKernels:\n".to_owned();
    for kernel in kernels {
        let name = quoted(&kernel.name);
        let _ = writeln!(text, "  - Name: {name}\n    SymbolName: {name}");
        if let Some([x, y, z]) = kernel.required {
            let _ = writeln!(text, "    Attrs:\n      ReqdWorkGroupSize: [ {x}, {y}, {z} ]");
        }
        if !kernel.args.is_empty() {
            text.push_str("    Args:\n");
        }
        for arg in &kernel.args {
            let Arg { size, align, kind, .. } = arg;
            let _ = write!(text, "      - {{ Size: {size}, Align: {align}, ValueKind: {kind}");
            for (key, value) in [("Name", arg.name.as_str()), ("TypeName", &arg.type_name), ("ValueType", arg.value)] {
                if !value.is_empty() {
                    let _ = write!(text, ", {key}: {}", quoted(value));
                }
            }
            text.push_str(" }\n");
        }
        if let Some(size) = kernel.kernarg_size {
            let _ = writeln!(text, "    CodeProps:\n      KernargSegmentSize: {size}\n      KernargSegmentAlign: 16");
        }
    }
    text.push_str("...\n");
    let mut note: Vec<u8> = [4, text.len() as u32, 10].into_iter().flat_map(u32::to_le_bytes).collect();
    note.extend(b"AMD\0");
    note.extend(text.as_bytes());
    note.resize(note.len().next_multiple_of(4), 0);
    note
}

/// A string of YAML in quotes.
fn quoted(text: &str) -> String {
    let mut quoted = "\"".to_owned();
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            ' '..='~' => quoted.push(c),
            _ => {
                let _ = write!(quoted, "\\U{:08x}", u32::from(c));
            }
        }
    }
    quoted + "\""
}
