//! The metadata of code objects: MessagePack from v3 on, YAML in v2.
//!
//! Loading needs only the names (`kernels`). Listings read all of it (`of_message_pack`, `of_yaml`).
//!
//! Source: LLVM, "User Guide for AMDGPU Backend", code object metadata.

use super::node::Node;
use super::{message_pack, yaml};

/// The names of a kernel in the metadata.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct KernelName {
    /// The name in the source.
    pub name: String,
    /// The symbol of its descriptor, `<name>.kd`.
    pub descriptor: String,
}

/// The kernels of an `amdhsa` note in its order; empty for notes of other systems.
///
/// # Errors
/// The byte offset of the error in the note, and what is wrong there.
pub(super) fn kernels(note: &[u8]) -> Result<Vec<KernelName>, (usize, String)> {
    let root = message_pack::parse(note)?;
    let kernels = match root.get("amdhsa.kernels") {
        None => return Ok(Vec::new()),
        Some(Node::List(kernels)) => kernels,
        Some(_) => return Err((0, "amdhsa.kernels is no list".into())),
    };
    kernels
        .iter()
        .enumerate()
        .map(|(i, kernel)| {
            let field = |key| {
                let text = kernel.get(key).and_then(Node::text);
                text.map(str::to_owned).ok_or_else(|| (0, format!("amdhsa.kernels[{i}] has no {key}")))
            };
            Ok(KernelName { name: field(".name")?, descriptor: field(".symbol")? })
        })
        .collect()
}

/// The target id in a MessagePack note, for example `amdgcn-amd-amdhsa--gfx906:xnack-`.
pub(super) fn target(note: &[u8]) -> Option<String> {
    message_pack::parse(note).ok()?.get("amdhsa.target")?.text().map(str::to_owned)
}

/// The metadata of a kernel.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct StatedKernel {
    /// The name in the source.
    pub name: String,
    /// The symbol of its descriptor: `<name>.kd` from v3 on, `<name>@kd` in v2.
    pub symbol: String,
    /// Size of its arguments in bytes, hidden ones included.
    pub kernarg_size: Option<u64>,
    /// Alignment of its arguments in bytes.
    pub kernarg_align: Option<u64>,
    /// Size of static LDS in bytes.
    pub group_size: Option<u64>,
    /// Size of a work-item's scratch in bytes.
    pub private_size: Option<u64>,
    /// Number of SGPRs used.
    pub sgprs: Option<u64>,
    /// Number of VGPRs used.
    pub vgprs: Option<u64>,
    /// Number of SGPRs spilled.
    pub sgpr_spills: Option<u64>,
    /// Number of VGPRs spilled.
    pub vgpr_spills: Option<u64>,
    /// Largest number of work-items in a group.
    pub max_group: Option<u64>,
    /// The only size of groups that the kernel allows, one number per dimension.
    pub required_group: Option<Vec<u64>>,
    /// Whether the stack grows at run time.
    pub dynamic_stack: bool,
    /// Its arguments in order, hidden ones included.
    pub arguments: Vec<Argument>,
}

/// An argument of a kernel.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Argument {
    /// Its name in the source, if the compiler kept it.
    pub name: Option<String>,
    /// Its type in the source, if the compiler kept it.
    pub type_name: Option<String>,
    /// Byte offset in the kernarg segment.
    pub offset: u64,
    /// Size in bytes.
    pub size: u64,
    /// The kind, in the spelling of v3: `by_value`, `global_buffer`, `hidden_global_offset_x`, ...
    pub kind: String,
    /// The address space of a pointer: `global`, `local`, ...
    pub address_space: Option<String>,
    /// The access to an image: `read_only`, `write_only`, `read_write`.
    pub access: Option<String>,
    /// Alignment in bytes of the LDS that a pointer to LDS points to.
    pub pointee_align: Option<u64>,
}

/// Why the metadata of a code object cannot be used.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MetadataError {
    /// The note is no MessagePack.
    #[error("{what}")]
    MessagePack {
        /// Byte offset in the note.
        offset: usize,
        /// What is wrong there.
        what: String,
    },
    /// The note is no YAML.
    #[error("bad YAML metadata ({what})")]
    Yaml {
        /// What is wrong, with the line.
        what: String,
    },
    /// A kernel lacks what launches need.
    #[error("kernel {index} of the metadata: {error}")]
    Kernel {
        /// Its number in the note, from 0.
        index: usize,
        /// What is wrong with it.
        error: KernelError,
    },
}

/// What is wrong with a kernel of the metadata.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KernelError {
    /// The name or the symbol is missing.
    #[error("no name or no symbol")]
    NoName,
    /// An argument is wrong.
    #[error("argument {index}: {error}")]
    Arg {
        /// Its number, from 0.
        index: usize,
        /// What is wrong with it.
        error: StatedArgError,
    },
}

/// What is wrong with an argument of the metadata.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StatedArgError {
    /// It has no size.
    #[error("no size")]
    NoSize,
    /// It ends beyond all addresses.
    #[error("absurd size")]
    Size,
    /// It is of a kind that nobody knows.
    #[error("unknown kind {name}")]
    Kind {
        /// The name of the kind.
        name: String,
    },
}

/// The contents of a metadata note.
pub(super) struct NoteMetadata {
    /// The kernels in the order of the note.
    pub kernels: Vec<StatedKernel>,
    /// The format strings of printf, uninterpreted.
    pub printf: Vec<Vec<u8>>,
}

impl NoteMetadata {
    fn new(root: &Node<'_>, (kernels, printf): (&str, &str), described: fn(&Node<'_>) -> StatedKernel) -> Self {
        let list = |key| root.get(key).map(Node::list).unwrap_or_default();
        NoteMetadata {
            kernels: list(kernels).iter().map(described).collect(),
            printf: list(printf).iter().filter_map(Node::bytes).map(<[u8]>::to_vec).collect(),
        }
    }
}

/// Reads a MessagePack note.
///
/// # Errors
/// What is wrong with it.
pub(super) fn of_message_pack(note: &[u8]) -> Result<NoteMetadata, MetadataError> {
    let root = message_pack::parse(note).map_err(|(offset, what)| MetadataError::MessagePack { offset, what })?;
    Ok(NoteMetadata::new(&root, ("amdhsa.kernels", "amdhsa.printf"), described))
}

fn described(kernel: &Node<'_>) -> StatedKernel {
    let number = |key| kernel.get(key).and_then(Node::number);
    let argument = |arg: &Node<'_>| {
        let text = |key| arg.get(key).and_then(Node::text).map(str::to_owned);
        let number = |key| arg.get(key).and_then(Node::number);
        Argument {
            name: text(".name"),
            type_name: text(".type_name"),
            offset: number(".offset").unwrap_or(0),
            size: number(".size").unwrap_or(0),
            kind: text(".value_kind").unwrap_or_default(),
            address_space: text(".address_space"),
            access: text(".access"),
            pointee_align: number(".pointee_align"),
        }
    };
    StatedKernel {
        name: kernel.get(".name").and_then(Node::text).unwrap_or_default().to_owned(),
        symbol: kernel.get(".symbol").and_then(Node::text).unwrap_or_default().to_owned(),
        kernarg_size: number(".kernarg_segment_size"),
        kernarg_align: number(".kernarg_segment_align"),
        group_size: number(".group_segment_fixed_size"),
        private_size: number(".private_segment_fixed_size"),
        sgprs: number(".sgpr_count"),
        vgprs: number(".vgpr_count"),
        sgpr_spills: number(".sgpr_spill_count"),
        vgpr_spills: number(".vgpr_spill_count"),
        max_group: number(".max_flat_workgroup_size"),
        required_group: kernel.get(".reqd_workgroup_size").and_then(Node::numbers),
        dynamic_stack: number(".uses_dynamic_stack").is_some_and(|n| n != 0),
        arguments: kernel.get(".args").map(|args| args.list().iter().map(argument).collect()).unwrap_or_default(),
    }
}

/// Reads a YAML note (v2). Names are converted to the spelling of v3.
///
/// # Errors
/// What is wrong with it.
pub(super) fn of_yaml(note: &[u8]) -> Result<NoteMetadata, MetadataError> {
    let text = String::from_utf8_lossy(note);
    let root = yaml::parse(text.trim_end_matches('\0')).map_err(|what| MetadataError::Yaml { what })?;
    Ok(NoteMetadata::new(&root, ("Kernels", "Printf"), described_v2))
}

fn described_v2(kernel: &Node<'_>) -> StatedKernel {
    let number = |key| kernel.get("CodeProps")?.get(key)?.number();
    let mut end = 0u64;
    // v2 has sizes and alignments, but no offsets.
    let argument = |arg: &Node<'_>| {
        let text = |key| arg.get(key).and_then(Node::text);
        let size = arg.get("Size").and_then(Node::number).unwrap_or(0);
        let align = arg.get("Align").and_then(Node::number).unwrap_or(1).max(1);
        let offset = end.checked_next_multiple_of(align).unwrap_or(end);
        end = offset.saturating_add(size);
        Argument {
            name: text("Name").map(str::to_owned),
            type_name: text("TypeName").map(str::to_owned),
            offset,
            size,
            kind: text("ValueKind").map(snake_case).unwrap_or_default(),
            address_space: text("AddrSpaceQual").map(snake_case),
            access: text("AccQual").filter(|&access| access != "Default").map(snake_case),
            pointee_align: arg.get("PointeeAlign").and_then(Node::number),
        }
    };
    StatedKernel {
        name: kernel.get("Name").and_then(Node::text).unwrap_or_default().to_owned(),
        symbol: kernel.get("SymbolName").and_then(Node::text).unwrap_or_default().to_owned(),
        kernarg_size: number("KernargSegmentSize"),
        kernarg_align: number("KernargSegmentAlign"),
        group_size: number("GroupSegmentFixedSize"),
        private_size: number("PrivateSegmentFixedSize"),
        sgprs: number("NumSGPRs"),
        vgprs: number("NumVGPRs"),
        sgpr_spills: number("NumSpilledSGPRs"),
        vgpr_spills: number("NumSpilledVGPRs"),
        max_group: number("MaxFlatWorkGroupSize"),
        required_group: kernel.get("Attrs").and_then(|attrs| attrs.get("ReqdWorkGroupSize")).and_then(Node::numbers),
        dynamic_stack: number("IsDynamicCallStack").is_some_and(|n| n != 0),
        arguments: kernel.get("Args").map(|args| args.list().iter().map(argument).collect()).unwrap_or_default(),
    }
}

/// Converts `HiddenGlobalOffsetX` to `hidden_global_offset_x`.
fn snake_case(camel: &str) -> String {
    let mut snake = String::new();
    for letter in camel.chars() {
        if letter.is_ascii_uppercase() && !snake.is_empty() {
            snake.push('_');
        }
        snake.push(letter.to_ascii_lowercase());
    }
    snake
}
