//! What the metadata of a code object says of kernels and their arguments: MessagePack (v3 to v6) or YAML (v2).
//!
//! Source: LLVM, "User Guide for AMDGPU Backend", code object metadata; notes `abi.md` section 5.

use rmpv::ValueRef;
use yaml_rust2::{Yaml, YamlLoader};

/// A kernel as the metadata lists it.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct KernelMetadata {
    /// What people call it.
    pub name: String,
    /// The symbol of its descriptor: `<name>.kd` from v3 on, `<name>@kd` in v2.
    pub symbol: String,
    /// Explicit arguments first, then hidden ones, as they are listed.
    pub args: Vec<Arg>,
    /// Bytes of the kernarg segment.
    pub kernarg_size: u64,
    /// Alignment of the kernarg segment in bytes.
    pub kernarg_align: u64,
    /// Most work-items of a group.
    pub max_group_size: Option<u32>,
    /// The only size of groups that it allows.
    pub required_group_size: Option<[u32; 3]>,
    /// The stack grows at run time.
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
    /// What it is.
    pub kind: ArgKind,
    /// Alignment in bytes of what a dynamic LDS pointer points to.
    pub pointee_align: u64,
}

/// Kinds of arguments.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ArgKind {
    /// The bytes themselves.
    ByValue,
    /// A global address.
    Buffer,
    /// The byte offset of dynamic LDS.
    Local,
    /// Address of a sampler object.
    Sampler,
    /// Address of an image object.
    Image,
    /// Pipes: not supported.
    Pipe,
    /// Device queues: not supported.
    Queue,
    /// Filled in by the simulator.
    Hidden(Hidden),
}

/// Hidden arguments (`abi.md` section 6); a number is the dimension.
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

impl ArgKind {
    /// Of the name in either kind of metadata: `hidden_global_offset_x` or `HiddenGlobalOffsetX`.
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

/// A value of either kind of metadata.
trait Value: Sized {
    fn get<'b>(&'b self, key: &str) -> Option<&'b Self>;
    fn text(&self) -> Option<&str>;
    fn number(&self) -> Option<u64>;
    fn truth(&self) -> Option<bool>;
    fn list(&self) -> Option<&[Self]>;
}

impl Value for ValueRef<'_> {
    fn get<'b>(&'b self, key: &str) -> Option<&'b Self> {
        let ValueRef::Map(pairs) = self else { return None };
        pairs.iter().find(|(k, _)| k.text() == Some(key)).map(|(_, value)| value)
    }

    fn text(&self) -> Option<&str> {
        if let ValueRef::String(text) = self { text.as_str() } else { None }
    }

    fn number(&self) -> Option<u64> {
        self.as_u64()
    }

    fn truth(&self) -> Option<bool> {
        // As a number, too.
        if let ValueRef::Boolean(truth) = self { Some(*truth) } else { self.as_u64().map(|n| n != 0) }
    }

    fn list(&self) -> Option<&[Self]> {
        if let ValueRef::Array(list) = self { Some(list) } else { None }
    }
}

impl Value for Yaml {
    fn get<'b>(&'b self, key: &str) -> Option<&'b Self> {
        self.as_hash()?.get(&Yaml::String(key.to_owned()))
    }

    fn text(&self) -> Option<&str> {
        self.as_str()
    }

    fn number(&self) -> Option<u64> {
        u64::try_from(self.as_i64()?).ok()
    }

    fn truth(&self) -> Option<bool> {
        self.as_bool()
    }

    fn list(&self) -> Option<&[Self]> {
        self.as_vec().map(Vec::as_slice)
    }
}

/// The kernels of the MessagePack note of v3 and later.
///
/// # Errors
/// What is wrong.
pub fn of_message_pack(note: &[u8]) -> Result<Vec<KernelMetadata>, String> {
    let root =
        rmpv::decode::read_value_ref(&mut &note[..]).map_err(|error| format!("bad MessagePack metadata ({error})"))?;
    let Some(kernels) = root.get("amdhsa.kernels") else { return Ok(Vec::new()) };
    let kernels = kernels.list().ok_or("amdhsa.kernels is no list")?;
    let kernel = |(i, kernel): (usize, &ValueRef)| of_v3(kernel).map_err(|what| format!("amdhsa.kernels[{i}]: {what}"));
    kernels.iter().enumerate().map(kernel).collect()
}

fn of_v3(kernel: &ValueRef) -> Result<KernelMetadata, String> {
    let text = |key: &str| kernel.get(key).and_then(Value::text).map(str::to_owned).ok_or(format!("no {key}"));
    let mut args = Vec::new();
    for (i, arg) in kernel.get(".args").and_then(Value::list).unwrap_or_default().iter().enumerate() {
        let number = |key: &str| arg.get(key).and_then(Value::number);
        let need = |key: &str| number(key).ok_or_else(|| format!("argument {i}: no {key}"));
        let kind =
            arg.get(".value_kind").and_then(Value::text).ok_or_else(|| format!("argument {i}: no .value_kind"))?;
        args.push(Arg {
            name: arg.get(".name").and_then(Value::text).map(str::to_owned),
            type_name: arg.get(".type_name").and_then(Value::text).map(str::to_owned),
            offset: need(".offset")?,
            size: need(".size")?,
            kind: ArgKind::by_name(kind).ok_or_else(|| format!("argument {i}: unknown kind {kind}"))?,
            pointee_align: number(".pointee_align").unwrap_or(1).max(1),
        });
    }
    let number = |key: &str| kernel.get(key).and_then(Value::number);
    Ok(KernelMetadata {
        name: text(".name")?,
        symbol: text(".symbol")?,
        args,
        kernarg_size: number(".kernarg_segment_size").unwrap_or(0),
        kernarg_align: number(".kernarg_segment_align").unwrap_or(8),
        max_group_size: number(".max_flat_workgroup_size").and_then(|n| u32::try_from(n).ok()),
        required_group_size: kernel.get(".reqd_workgroup_size").and_then(sizes),
        dynamic_stack: kernel.get(".uses_dynamic_stack").and_then(Value::truth).unwrap_or(false),
    })
}

/// Three numbers; `None` if they are others, or zeros, which v2 writes where nothing is required.
fn sizes<V: Value>(list: &V) -> Option<[u32; 3]> {
    let numbers = list.list()?.iter().map(|n| u32::try_from(n.number()?).ok());
    let sizes: [u32; 3] = numbers.collect::<Option<Vec<u32>>>()?.try_into().ok()?;
    sizes.iter().all(|&n| n > 0).then_some(sizes)
}

/// The kernels of the YAML note of v2. Arguments have no offsets there: each begins at the next multiple of its alignment.
///
/// # Errors
/// What is wrong.
pub fn of_yaml(note: &[u8]) -> Result<Vec<KernelMetadata>, String> {
    let text = String::from_utf8_lossy(note);
    let documents = YamlLoader::load_from_str(text.trim_end_matches('\0'))
        .map_err(|error| format!("bad YAML metadata ({error})"))?;
    let Some(kernels) = documents.first().and_then(|root| root.get("Kernels")) else { return Ok(Vec::new()) };
    let kernels = kernels.list().ok_or("Kernels is no list")?;
    kernels
        .iter()
        .enumerate()
        .map(|(i, kernel)| of_v2(kernel).map_err(|what| format!("Kernels[{i}]: {what}")))
        .collect()
}

fn of_v2(kernel: &Yaml) -> Result<KernelMetadata, String> {
    let text = |key: &str| kernel.get(key).and_then(Value::text).map(str::to_owned).ok_or(format!("no {key}"));
    let (mut args, mut end) = (Vec::new(), 0u64);
    for (i, arg) in kernel.get("Args").and_then(Value::list).unwrap_or_default().iter().enumerate() {
        let number = |key: &str| arg.get(key).and_then(Value::number);
        let size = number("Size").ok_or_else(|| format!("argument {i}: no Size"))?;
        let align = number("Align").unwrap_or(size).max(1);
        let kind = arg.get("ValueKind").and_then(Value::text).ok_or_else(|| format!("argument {i}: no ValueKind"))?;
        let offset = end.checked_next_multiple_of(align).ok_or_else(|| format!("argument {i}: absurd alignment"))?;
        end = offset.checked_add(size).ok_or_else(|| format!("argument {i}: absurd size"))?;
        args.push(Arg {
            name: arg.get("Name").and_then(Value::text).map(str::to_owned),
            type_name: arg.get("TypeName").and_then(Value::text).map(str::to_owned),
            offset,
            size,
            kind: ArgKind::by_name(kind).ok_or_else(|| format!("argument {i}: unknown kind {kind}"))?,
            pointee_align: number("PointeeAlign").unwrap_or(1).max(1),
        });
    }
    let code = |key: &str| kernel.get("CodeProps").and_then(|props| props.get(key));
    let number = |key: &str| code(key).and_then(Value::number);
    Ok(KernelMetadata {
        name: text("Name")?,
        symbol: text("SymbolName")?,
        args,
        kernarg_size: number("KernargSegmentSize").unwrap_or(end),
        kernarg_align: number("KernargSegmentAlign").unwrap_or(8),
        max_group_size: number("MaxFlatWorkGroupSize").and_then(|n| u32::try_from(n).ok()),
        required_group_size: kernel.get("Attrs").and_then(|attrs| attrs.get("ReqdWorkGroupSize")).and_then(sizes),
        dynamic_stack: code("IsDynamicCallStack").and_then(Value::truth).unwrap_or(false),
    })
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
        let kernels = of_yaml(note).unwrap();
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
        assert_eq!(of_yaml(note), Err("Kernels[0]: argument 0: unknown kind Nonsense".to_string()));
        assert!(of_message_pack(b"\x81").unwrap_err().starts_with("bad MessagePack"));
        let mut bytes = Vec::new();
        let pairs = vec![(rmpv::Value::from("amdhsa.kernels"), rmpv::Value::from(vec![rmpv::Value::from("k")]))];
        rmpv::encode::write_value(&mut bytes, &rmpv::Value::Map(pairs)).unwrap();
        assert_eq!(of_message_pack(&bytes), Err("amdhsa.kernels[0]: no .name".to_string()));
    }
}
