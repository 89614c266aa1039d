//! The part of a code object's metadata that a launch needs: kernels, and the kinds and offsets of their arguments.
//!
//! Source: LLVM, "User Guide for AMDGPU Backend", code object metadata; docs/gcn/code-objects.md#metadata.

use crate::metadata;
pub use crate::metadata::{KernelError, MetadataError, StatedArgError};

/// The metadata of a code object.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct ObjectMetadata {
    /// The kernels in the order of the metadata.
    pub kernels: Vec<KernelMetadata>,
    /// The format strings of printf, uninterpreted.
    pub printf: Vec<Vec<u8>>,
}

/// A kernel as the metadata lists it.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct KernelMetadata {
    /// The name in the source.
    pub name: String,
    /// The symbol of its descriptor: `<name>.kd` from v3 on, `<name>@kd` in v2.
    pub symbol: String,
    /// The arguments in the order of the metadata: explicit ones first, then hidden ones.
    pub args: Vec<Arg>,
    /// Size of the kernarg segment in bytes.
    pub kernarg_size: u64,
    /// Alignment of the kernarg segment in bytes.
    pub kernarg_align: u64,
    /// Largest number of work-items in a group, if the metadata limits it.
    pub max_group_size: Option<u32>,
    /// The only size of groups that the kernel allows, if there is one.
    pub required_group_size: Option<[u32; 3]>,
    /// Whether the stack grows at run time.
    pub dynamic_stack: bool,
}

/// An argument.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Arg {
    /// Its name in the source, if the object has it.
    pub name: Option<String>,
    /// Its type in the source, if the object has it.
    pub type_name: Option<String>,
    /// Byte offset in the kernarg segment.
    pub offset: u64,
    /// Size in bytes.
    pub size: u64,
    /// The kind of the argument.
    pub kind: ArgKind,
    /// Alignment in bytes of the LDS that a dynamic LDS pointer points to.
    pub pointee_align: u64,
}

/// Kinds of arguments.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ArgKind {
    /// The bytes of the value.
    ByValue,
    /// The address of a buffer in global memory.
    Buffer,
    /// The byte offset of dynamic LDS within the group's LDS.
    Local,
    /// Address of a sampler object.
    Sampler,
    /// Address of an image object.
    Image,
    /// A pipe, which is not supported.
    Pipe,
    /// A device queue, which is not supported.
    Queue,
    /// A hidden argument, whose value comes from the simulator.
    Hidden(Hidden),
}

/// Hidden arguments (docs/gcn/kernel-arguments.md#hidden-arguments). The numbers in variants are dimensions: 0 to 2.
#[allow(missing_docs)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Hidden {
    None,
    GlobalOffset(u8),
    BlockCount(u8),
    GroupSize(u8),
    Remainder(u8),
    GridDims,
    PrintfBuffer,
    HostcallBuffer,
    DefaultQueue,
    CompletionAction,
    MultigridSync,
    Heap,
    DynamicLdsSize,
    PrivateBase,
    SharedBase,
    QueuePtr,
}

impl Hidden {
    /// The metadata's name for the argument, if it is one that no launch provides. Such an argument gets a null
    /// pointer.
    pub fn unprovided(self) -> Option<&'static str> {
        match self {
            Hidden::HostcallBuffer => Some("hidden_hostcall_buffer"),
            Hidden::DefaultQueue => Some("hidden_default_queue"),
            Hidden::CompletionAction => Some("hidden_completion_action"),
            Hidden::MultigridSync => Some("hidden_multigrid_sync_arg"),
            Hidden::Heap => Some("hidden_heap_v1"),
            _ => None,
        }
    }

    /// What a kernel with the argument asks for, in words. `None` for arguments that a launch provides.
    pub fn wish(self) -> Option<&'static str> {
        match self {
            Hidden::HostcallBuffer => Some("a hostcall (hidden_hostcall_buffer: printf, assert and malloc of HIP)"),
            Hidden::DefaultQueue => Some("a device queue (hidden_default_queue: enqueue_kernel)"),
            Hidden::CompletionAction => Some("a completion action (hidden_completion_action: enqueue_kernel)"),
            Hidden::MultigridSync => {
                Some("a grid on several devices (hidden_multigrid_sync_arg: cooperative launches)")
            }
            Hidden::Heap => Some("a heap (hidden_heap_v1: malloc and new on the device)"),
            _ => None,
        }
    }
}

impl ArgKind {
    /// The metadata's name for the kind, if it is one that no launch provides: pipes, device queues and some hidden
    /// arguments. Such an argument is a null pointer.
    pub fn unprovided(self) -> Option<&'static str> {
        match self {
            ArgKind::Pipe => Some("pipe"),
            ArgKind::Queue => Some("queue"),
            ArgKind::Hidden(hidden) => hidden.unprovided(),
            _ => None,
        }
    }

    /// What a kernel with the argument asks for, in words. `None` for arguments that a launch provides.
    pub fn wish(self) -> Option<&'static str> {
        match self {
            ArgKind::Pipe => Some("a pipe (pipe: read_pipe, write_pipe)"),
            ArgKind::Queue => Some("a device queue (queue: enqueue_kernel)"),
            ArgKind::Hidden(hidden) => hidden.wish(),
            _ => None,
        }
    }
}

impl KernelMetadata {
    /// The kinds of arguments that no launch provides: in order, each once.
    pub fn unprovided(&self) -> Vec<ArgKind> {
        let mut found = Vec::new();
        for kind in self.args.iter().map(|arg| arg.kind).filter(|kind| kind.unprovided().is_some()) {
            if !found.contains(&kind) {
                found.push(kind);
            }
        }
        found
    }
}

impl ArgKind {
    /// The kind that `name` stands for, in either spelling: `hidden_global_offset_x` or `HiddenGlobalOffsetX`.
    fn by_name(name: &str) -> Option<ArgKind> {
        let plain: String = name.chars().filter(|c| *c != '_').map(|c| c.to_ascii_lowercase()).collect();
        let kind = match plain.as_str() {
            "byvalue" => ArgKind::ByValue,
            "globalbuffer" => ArgKind::Buffer,
            "dynamicsharedpointer" => ArgKind::Local,
            "sampler" => ArgKind::Sampler,
            "image" => ArgKind::Image,
            "pipe" => ArgKind::Pipe,
            "queue" => ArgKind::Queue,
            hidden => {
                let hidden = hidden.strip_prefix("hidden")?;
                let (stem, dimension) = match hidden.as_bytes() {
                    [stem @ .., last @ b'x'..=b'z'] => (&hidden[..stem.len()], last - b'x'),
                    _ => (hidden, 0),
                };
                ArgKind::Hidden(match (stem, hidden) {
                    ("globaloffset", _) => Hidden::GlobalOffset(dimension),
                    ("blockcount", _) => Hidden::BlockCount(dimension),
                    ("groupsize", _) => Hidden::GroupSize(dimension),
                    ("remainder", _) => Hidden::Remainder(dimension),
                    (_, "none") => Hidden::None,
                    (_, "griddims") => Hidden::GridDims,
                    (_, "printfbuffer") => Hidden::PrintfBuffer,
                    (_, "hostcallbuffer") => Hidden::HostcallBuffer,
                    (_, "defaultqueue") => Hidden::DefaultQueue,
                    (_, "completionaction") => Hidden::CompletionAction,
                    (_, "multigridsyncarg") => Hidden::MultigridSync,
                    (_, "heapv1") => Hidden::Heap,
                    (_, "dynamicldssize") => Hidden::DynamicLdsSize,
                    (_, "privatebase") => Hidden::PrivateBase,
                    (_, "sharedbase") => Hidden::SharedBase,
                    (_, "queueptr") => Hidden::QueuePtr,
                    _ => return None,
                })
            }
        };
        Some(kind)
    }
}

/// Reads the MessagePack note of code objects v3 and later.
///
/// # Errors
/// [`MetadataError`]: what is wrong with the note.
pub fn of_message_pack(note: &[u8]) -> Result<ObjectMetadata, MetadataError> {
    launchable(metadata::of_message_pack(note)?)
}

/// Reads the YAML note of code objects v2.
///
/// # Errors
/// [`MetadataError`]: what is wrong with the note.
pub fn of_yaml(note: &[u8]) -> Result<ObjectMetadata, MetadataError> {
    launchable(metadata::of_yaml(note)?)
}

fn launchable(note: metadata::NoteMetadata) -> Result<ObjectMetadata, MetadataError> {
    let kernel = |(index, kernel)| of_listed(kernel).map_err(|error| MetadataError::Kernel { index, error });
    let kernels = note.kernels.into_iter().enumerate().map(kernel).collect::<Result<_, _>>()?;
    Ok(ObjectMetadata { kernels, printf: note.printf })
}

/// Checks and converts `kernel`. A launch needs fields that a mere listing may lack.
fn of_listed(kernel: metadata::StatedKernel) -> Result<KernelMetadata, KernelError> {
    if kernel.name.is_empty() || kernel.symbol.is_empty() {
        return Err(KernelError::NoName);
    }
    let mut args = Vec::new();
    for (i, arg) in kernel.arguments.into_iter().enumerate() {
        let wrong = |error| KernelError::Arg { index: i, error };
        if arg.size == 0 {
            return Err(wrong(StatedArgError::NoSize));
        }
        let end = arg.offset.checked_add(arg.size).ok_or_else(|| wrong(StatedArgError::Size))?;
        let kind = ArgKind::by_name(&arg.kind).ok_or_else(|| wrong(StatedArgError::Kind { name: arg.kind.clone() }))?;
        args.push((
            end,
            Arg {
                kind,
                name: arg.name,
                type_name: arg.type_name,
                offset: arg.offset,
                size: arg.size,
                pointee_align: arg.pointee_align.unwrap_or(1).max(1),
            },
        ));
    }
    let end = args.iter().map(|&(end, _)| end).max().unwrap_or(0);
    Ok(KernelMetadata {
        name: kernel.name,
        symbol: kernel.symbol,
        args: args.into_iter().map(|(_, arg)| arg).collect(),
        kernarg_size: kernel.kernarg_size.unwrap_or(end),
        kernarg_align: kernel.kernarg_align.unwrap_or(8),
        max_group_size: kernel.max_group.and_then(|n| u32::try_from(n).ok()),
        required_group_size: kernel.required_group.and_then(|sizes| required(&sizes)),
        dynamic_stack: kernel.dynamic_stack,
    })
}

/// The three sizes in `sizes`. `None` if there are not three, or if one is zero: v2 writes zeros where nothing is
/// required.
fn required(sizes: &[u64]) -> Option<[u32; 3]> {
    let sizes: Vec<u32> = sizes.iter().map(|&n| u32::try_from(n).ok().filter(|&n| n > 0)).collect::<Option<_>>()?;
    sizes.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_have_two_spellings() {
        for (v3, v2, kind) in [
            ("by_value", "ByValue", ArgKind::ByValue),
            ("global_buffer", "GlobalBuffer", ArgKind::Buffer),
            ("dynamic_shared_pointer", "DynamicSharedPointer", ArgKind::Local),
            ("hidden_global_offset_y", "HiddenGlobalOffsetY", ArgKind::Hidden(Hidden::GlobalOffset(1))),
            ("hidden_none", "HiddenNone", ArgKind::Hidden(Hidden::None)),
            ("hidden_printf_buffer", "HiddenPrintfBuffer", ArgKind::Hidden(Hidden::PrintfBuffer)),
        ] {
            assert_eq!((ArgKind::by_name(v3), ArgKind::by_name(v2)), (Some(kind), Some(kind)));
        }
        assert_eq!(ArgKind::by_name("hidden_group_size_z"), Some(ArgKind::Hidden(Hidden::GroupSize(2))));
        assert_eq!((ArgKind::by_name("nonsense"), ArgKind::by_name("hidden_x")), (None, None));
    }

    #[test]
    fn yaml_arguments_are_placed_by_their_alignment() {
        let note = b"---\nVersion: [ 1, 0 ]\nKernels:\n  - Name: k\n    SymbolName: 'k@kd'\n    Attrs:\n      ReqdWorkGroupSize: [ 8, 4, 1 ]\n    Args:\n      - { Name: c, TypeName: char, Size: 1, Align: 1, ValueKind: ByValue, ValueType: I8 }\n      - { Size: 8, Align: 8, ValueKind: GlobalBuffer, AddrSpaceQual: Global }\n      - { Size: 4, Align: 4, ValueKind: DynamicSharedPointer, PointeeAlign: 16 }\n      - { Size: 8, Align: 8, ValueKind: HiddenGlobalOffsetX }\n    CodeProps:\n      KernargSegmentSize: 72\n      KernargSegmentAlign: 16\n      MaxFlatWorkGroupSize: 32\n...\n\0";
        let kernels = of_yaml(note).unwrap().kernels;
        let kernel = &kernels[0];
        assert_eq!((kernel.name.as_str(), kernel.symbol.as_str()), ("k", "k@kd"));
        assert_eq!(
            kernel.args.iter().map(|arg| (arg.offset, arg.size)).collect::<Vec<_>>(),
            [(0, 1), (8, 8), (16, 4), (24, 8)]
        );
        assert_eq!(kernel.args[2].pointee_align, 16);
        assert_eq!((kernel.kernarg_size, kernel.kernarg_align, kernel.max_group_size), (72, 16, Some(32)));
        assert_eq!(kernel.required_group_size, Some([8, 4, 1]));
    }

    #[test]
    fn errors_name_the_kernel_and_the_argument() {
        let note = b"Kernels:\n  - Name: k\n    SymbolName: k\n    Args:\n      - { Size: 4, ValueKind: Nonsense }\n";
        let error = of_yaml(note).unwrap_err();
        let kind = KernelError::Arg { index: 0, error: StatedArgError::Kind { name: "nonsense".into() } };
        assert_eq!(error, MetadataError::Kernel { index: 0, error: kind });
        assert_eq!(error.to_string(), "kernel 0 of the metadata: argument 0: unknown kind nonsense");
        let error = of_message_pack(b"\x81").unwrap_err();
        assert!(matches!(error, MetadataError::MessagePack { offset: 1, .. }), "{error:?}");
        assert!(error.to_string().starts_with("bad MessagePack"));
        // A map of one pair; its value is a list of one string.
        let bytes = b"\x81\xaeamdhsa.kernels\x91\xa1k";
        assert_eq!(of_message_pack(bytes).unwrap_err().to_string(), "kernel 0 of the metadata: no name or no symbol");
    }
}
