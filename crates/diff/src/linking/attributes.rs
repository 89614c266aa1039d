//! The attributes that a code interpolates, and codes that take others in their place.

use std::collections::BTreeMap;
use std::sync::Arc;

use gcnsim_isa::{Inst, OperandType, Program};

use crate::code;

/// A component of an attribute: attribute and component.
pub(crate) type Component = (u8, u8);

/// How a component is read. Linking moves a component only to where it is read in the same way.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub(crate) struct Reads {
    /// Interpolated as a float of 32 bits.
    is_smooth: bool,
    /// Moved as it is.
    is_flat: bool,
    /// Interpolated as a float of 16 bits.
    is_half: bool,
}

/// Where a code interpolates what.
pub(crate) struct Attributes {
    sites: Vec<(u64, Inst, Component)>,
    /// How each component is read.
    pub reads: BTreeMap<Component, Reads>,
}

impl Attributes {
    /// Those of a program, if it is not too long and reads no high halves of attributes.
    pub fn of(program: &Program) -> Option<Attributes> {
        let (insts, is_cut) = code::insts(program);
        let (mut sites, mut reads) = (Vec::new(), BTreeMap::<Component, Reads>::new());
        for (address, inst) in insts {
            let Some(access) = inst.attribute_access() else { continue };
            if access.is_high {
                return None;
            }
            let component = (access.attribute, access.component);
            let desc = inst.desc();
            let is_flat = desc.src.get(1) == Some(&OperandType::none);
            let is_half = desc.mnemonic.ends_with("f16");
            let read = reads.entry(component).or_default();
            read.is_flat |= is_flat;
            read.is_half |= is_half;
            read.is_smooth |= !is_flat && !is_half;
            sites.push((address, inst, component));
        }
        (!is_cut).then_some(Attributes { sites, reads })
    }

    /// The program with other names for components.
    pub fn renamed(&self, program: &Program, name: impl Fn(Component) -> Component) -> Program {
        let mut bytes = program.bytes().to_vec();
        for (address, inst, component) in &self.sites {
            let (attribute, component) = name(*component);
            let Some(words) = inst.with_attribute(attribute, component) else { continue };
            let at = address.wrapping_sub(program.base()) as usize;
            let words = words.into_iter().flat_map(u32::to_le_bytes).take(inst.size() as usize);
            bytes.iter_mut().skip(at).zip(words).for_each(|(byte, new)| *byte = new);
        }
        Program::new(program.arch(), Arc::new(bytes), program.base(), program.entry().wrapping_sub(program.base()))
    }
}

/// Pairs the components of two codes that are read in the same way, in ascending order: compilers pack components in
/// the order that they had. `None` if one has more of a kind than the other.
pub(crate) fn in_order(
    old: &BTreeMap<Component, Reads>,
    new: &BTreeMap<Component, Reads>,
) -> Option<Vec<(Component, Component)>> {
    let by_kind = |of: &BTreeMap<Component, Reads>| {
        let mut kinds: BTreeMap<Reads, Vec<Component>> = BTreeMap::new();
        of.iter().for_each(|(component, reads)| kinds.entry(*reads).or_default().push(*component));
        kinds
    };
    let (old, new) = (by_kind(old), by_kind(new));
    let is_alike = old.len() == new.len() && old.iter().all(|(k, v)| new.get(k).is_some_and(|of| of.len() == v.len()));
    is_alike.then(|| old.into_values().flatten().zip(new.into_values().flatten()).collect())
}
