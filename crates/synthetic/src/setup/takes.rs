//! What a kernel takes its arguments for: by the types in its metadata, else by its code.

use std::collections::BTreeMap;

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
    /// The types of arguments in the source, by offset: those of the metadata, else those in the name of a function of
    /// C++.
    pub(crate) names: BTreeMap<u64, String>,
    /// Whether the types are those in the name of a function: without typedefs.
    pub(crate) is_resolved: bool,
    /// What the code takes arguments for whose types nobody names.
    pub(crate) uses: Uses,
}

impl Takes {
    /// Returns what a kernel takes its inputs for.
    pub(crate) fn of(kernel: &Kernel, program: &Program) -> Takes {
        let explicit = args::explicit(kernel).unwrap_or_default();
        let (names, is_resolved) = names(kernel, &explicit);
        let is_open = |arg: &&Arg| {
            let name = names.get(&arg.offset).map_or("", String::as_str);
            match arg.kind {
                ArgKind::ByValue => element(name).is_none(),
                ArgKind::Buffer => named_pointee(name).is_none(),
                _ => false,
            }
        };
        let wants_code = kernel.metadata.is_none() || explicit.iter().any(is_open);
        let pointers = explicit.iter().filter(|arg| arg.kind == ArgKind::Buffer);
        let pointers: Vec<u32> = pointers.filter_map(|arg| u32::try_from(arg.offset).ok()).collect();
        let kernarg = kernarg_sgpr(kernel.descriptor.properties).filter(|_| wants_code);
        let uses = kernarg.map(|kernarg| uses(program, kernarg, &pointers)).unwrap_or_default();
        Takes { dimensions: Dimensions::of(kernel), names, is_resolved, uses }
    }

    /// Returns the type of an argument in the source; nothing if nobody names it.
    pub(super) fn type_name(&self, arg: &Arg) -> &str {
        self.names.get(&arg.offset).map_or("", String::as_str)
    }

    /// Returns the types of the dwords behind pointers in memory: by the type of the first argument that points to
    /// pointers, else by the code.
    pub(super) fn deep(&self, kernel: &Kernel) -> Vec<Element> {
        let explicit = args::explicit(kernel).unwrap_or_default();
        let mut named = explicit.iter().filter_map(|arg| {
            let name = self.type_name(arg).strip_suffix('*')?.trim_end();
            named_pointee(name)
        });
        named.next().map_or_else(|| self.uses.deep.clone(), |element| vec![element])
    }

    /// Returns the same for a kernel that is compared with one that has other registers: dimensions that both read.
    #[must_use]
    pub fn with_dimensions_of(&self, other: &Takes) -> Takes {
        Takes { dimensions: self.dimensions.common(other.dimensions), ..self.clone() }
    }
}

/// Returns the types that metadata state for arguments, else those in the name of the kernel; and whether it is these.
fn names(kernel: &Kernel, explicit: &[&Arg]) -> (BTreeMap<u64, String>, bool) {
    let named: BTreeMap<u64, String> =
        explicit.iter().filter_map(|arg| Some((arg.offset, arg.type_name.clone()?))).collect();
    if !named.is_empty() {
        return (named, false);
    }
    let types = gcnsim_loader::parameters(&kernel.name).filter(|types| types.len() == explicit.len());
    (explicit.iter().map(|arg| arg.offset).zip(types.unwrap_or_default()).collect(), true)
}

/// What the integer of an argument is, as far as its name or type says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Meaning {
    /// A size, or anything.
    Number,
    /// A distance, which is small beside sizes.
    Small,
    /// One of few values.
    Choice,
}

impl Takes {
    /// Returns what the integer of an argument is.
    pub(super) fn meaning(&self, arg: &Arg) -> Meaning {
        const SMALL: [&str; 8] = ["offset", "border", "radius", "pad", "start", "begin", "base", "inc"];
        let is_named = |part: &&str| arg.name.as_deref().is_some_and(|name| name.contains(*part));
        let name = self.type_name(arg);
        let is_other = self.is_resolved && arg.size == 4 && !name.is_empty() && element(name).is_none();
        match (is_other && !name.contains('<'), SMALL.iter().any(is_named)) {
            (true, _) => Meaning::Choice,
            (_, true) => Meaning::Small,
            _ => Meaning::Number,
        }
    }

    /// Returns the type of floats that a number is of which the code says nothing; `None` if it is none.
    pub(super) fn unknown_float(&self, arg: &Arg) -> Option<Element> {
        let is_real = ["real", "float", "double"].iter().any(|part| self.type_name(arg).contains(part));
        match (self.uses.computes, arg.size) {
            (Element::F32, ..=8) => Some(Element::F32),
            (Element::F64, 8) => Some(Element::F64),
            (_, 4) if is_real => Some(Element::F32),
            (_, 8) if is_real => Some(Element::F64),
            _ => None,
        }
    }
}

/// Returns the types of the dwords behind a pointer: by its type, else by the code.
pub(super) fn pointee(arg: &Arg, takes: &Takes) -> Vec<Element> {
    let by_code = || u32::try_from(arg.offset).ok().and_then(|offset| takes.uses.pointees.get(&offset)).cloned();
    let is_set_by_others = |elements: &Vec<Element>| elements.contains(&Element::Flag);
    match named_pointee(takes.type_name(arg)) {
        // No type says whether others set it.
        Some(Element::I32) => by_code().filter(is_set_by_others).unwrap_or_else(|| vec![Element::I32]),
        Some(element) => vec![element],
        None => by_code().unwrap_or_default(),
    }
}

/// Returns the type of elements that the type of a pointer names, if it names one.
fn named_pointee(type_name: &str) -> Option<Element> {
    let name = type_name.trim_end().strip_suffix('*')?.trim_end();
    // Behind a pointer to an array are its elements: `int[16][32]*`.
    let name = name.split_once('[').map_or(name, |(name, _)| name).trim_end();
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_behind_a_pointer_have_their_elements() {
        assert_eq!(named_pointee("const __global int[16][32]*"), Some(Element::I32));
        assert_eq!(named_pointee("const __global unsigned char[6]*"), Some(Element::I8));
        assert_eq!(named_pointee("const __global char2[3][8]*"), Some(Element::I8));
        assert_eq!(named_pointee("float *[4]*"), Some(Element::Pointer));
        assert_eq!(named_pointee("cell_t[4]*"), None);
    }
}
