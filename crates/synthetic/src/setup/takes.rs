//! What a kernel takes its arguments for: by the types in its metadata, else by its code.

use gcnsim_device::args;
use gcnsim_isa::Program;
use gcnsim_loader::code_object::Kernel;
use gcnsim_loader::code_object::metadata::{Arg, ArgKind};
use gcnsim_machine::world::Element;

use super::kernel::kernarg_sgpr;
use super::plan::Dimensions;
use super::uses::{Uses, uses};

/// What a kernel takes its inputs for.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Takes {
    /// The dimensions that it reads.
    pub(crate) dimensions: Dimensions,
    /// What the code takes arguments for whose types nobody names.
    pub(crate) uses: Uses,
}

impl Takes {
    /// Returns what a kernel takes its inputs for.
    pub(crate) fn of(kernel: &Kernel, program: &Program) -> Takes {
        let explicit = args::explicit(kernel).unwrap_or_default();
        let is_open = |arg: &&Arg| match arg.kind {
            ArgKind::ByValue => element(arg.type_name.as_deref().unwrap_or_default()).is_none(),
            ArgKind::Buffer => named_pointee(arg).is_none(),
            _ => false,
        };
        let wants_code = kernel.metadata.is_none() || explicit.iter().any(is_open);
        let pointers = explicit.iter().filter(|arg| arg.kind == ArgKind::Buffer);
        let pointers: Vec<u32> = pointers.filter_map(|arg| u32::try_from(arg.offset).ok()).collect();
        let kernarg = kernarg_sgpr(kernel.descriptor.properties).filter(|_| wants_code);
        let uses = kernarg.map(|kernarg| uses(program, kernarg, &pointers)).unwrap_or_default();
        Takes { dimensions: Dimensions::of(kernel), uses }
    }

    /// Returns the same for a kernel that is compared with one that has other registers: dimensions that both read.
    #[must_use]
    pub fn with_dimensions_of(&self, other: &Takes) -> Takes {
        Takes { dimensions: self.dimensions.common(other.dimensions), uses: self.uses.clone() }
    }
}

/// Returns the types of the dwords behind a pointer: by its type, else by the code.
pub(super) fn pointee(arg: &Arg, takes: &Takes) -> Vec<Element> {
    let by_code = || u32::try_from(arg.offset).ok().and_then(|offset| takes.uses.pointees.get(&offset)).cloned();
    named_pointee(arg).map(|element| vec![element]).or_else(by_code).unwrap_or_default()
}

/// Returns the type of elements that the type of a pointer names, if it names one.
fn named_pointee(arg: &Arg) -> Option<Element> {
    let name = arg.type_name.as_deref()?.trim_end().strip_suffix('*')?.trim_end();
    if name.ends_with('*') {
        return Some(Element::Pointer);
    }
    match element(name)? {
        Scalar::Element(element) => Some(element),
        Scalar::Bool => Some(Element::I8),
    }
}

/// The elements that a type is made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Scalar {
    /// Truth values of a byte.
    Bool,
    /// Numbers.
    Element(Element),
}

/// Returns the elements of a scalar or vector type of OpenCL, such as `float`, `uint4`, `unsigned long`; `None` for a
/// type that has another name.
pub(super) fn element(type_name: &str) -> Option<Scalar> {
    let name = type_name.trim().trim_end_matches(|c: char| c.is_ascii_digit());
    Some(Scalar::Element(match name.rsplit(' ').next().unwrap_or_default() {
        "half" | "_Float" | "__fp" => Element::F16,
        "float" => Element::F32,
        "double" => Element::F64,
        "bool" | "_Bool" => return Some(Scalar::Bool),
        "char" | "uchar" | "int8_t" | "uint8_t" => Element::I8,
        "short" | "ushort" | "int16_t" | "uint16_t" => Element::I16,
        "int" | "uint" | "int32_t" | "uint32_t" | "unsigned" => Element::I32,
        "long" | "ulong" | "size_t" | "ptrdiff_t" | "int64_t" | "uint64_t" => Element::I64,
        _ => return None,
    }))
}

/// Returns the size of an integer in bytes.
pub(super) fn bytes_of(element: Element) -> usize {
    match element {
        Element::I8 => 1,
        Element::I16 => 2,
        Element::I64 => 8,
        _ => 4,
    }
}
