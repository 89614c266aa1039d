//! Interpolation and LDS_DIRECT: vector instructions with a source in LDS (docs/gcn/graphics.md#interpolation).
//!
//! An interpolation is a function of up to three values: P10 or P20 of an attribute, the barycentric coordinate, and P0
//! of the attribute, the destination or source 2. [`Interpolation`] puts them into four registers of its own, and
//! executes the function on these.

use std::array;

use gcnsim_isa::{AttributeAccess, Inst, Mode, Note, Opcode, Vgpr, Vintrp, Vop3, WaveState, reg};
use gcnsim_machine::{Context, Place, Wave};

use super::drive::register;
use super::op::{Source, VectorOp};
use super::stage::Select;

/// A predecoded interpolation.
#[derive(Clone, Copy)]
pub(crate) struct Interpolation {
    /// The function. Its sources are registers 0 to 2, its destination is register 3.
    op: VectorOp,
    access: AttributeAccess,
    /// The part of the attribute that is source 0.
    part: Part,
    /// Source 1, if it is a VGPR.
    coordinate: Option<u8>,
    addend: Addend,
    vdst: u8,
    /// 1 more than the highest number of a VGPR that the instruction names.
    vgpr_end: u16,
    /// Whether the attribute is in half of a dword.
    is_half: bool,
    unusual: u32,
}

/// A part of an attribute.
#[derive(Clone, Copy)]
enum Part {
    P0,
    P10,
    P20,
}

/// Source 2.
#[derive(Clone, Copy)]
enum Addend {
    None,
    P0,
    Destination,
    /// A VGPR, or half of it.
    Register(u8),
}

impl Part {
    /// The dword of a component among the twelve of a primitive.
    fn dword(self, component: u8) -> u32 {
        match self {
            Part::P0 => 2 * u32::from(component),
            Part::P10 => 2 * u32::from(component) + 1,
            Part::P20 => 8 + u32::from(component),
        }
    }

    /// The part that VSRC of V_INTERP_MOV_F32 names; 3 has no meaning.
    fn of_vsrc(vsrc: u8) -> Part {
        match vsrc {
            0 => Part::P10,
            1 => Part::P20,
            _ => Part::P0,
        }
    }
}

impl Interpolation {
    /// Predecodes an interpolation; `None` for all others.
    pub fn new(inst: &Inst) -> Option<Interpolation> {
        let access = inst.attribute_access()?;
        let (part, addend) = match inst.opcode {
            Opcode::Vintrp(Vintrp::VInterpP1F32) | Opcode::Vop3(Vop3::VInterpP1llF16) => (Part::P10, Addend::P0),
            Opcode::Vintrp(Vintrp::VInterpP2F32) => (Part::P20, Addend::Destination),
            Opcode::Vintrp(Vintrp::VInterpMovF32) => (Part::of_vsrc(access.parameter), Addend::None),
            Opcode::Vop3(Vop3::VInterpP1lvF16) => (Part::P10, Addend::Register(inst.src_vgpr(2).unwrap_or(0))),
            _ => (Part::P20, Addend::Register(inst.src_vgpr(2).unwrap_or(0))),
        };
        let mut op = VectorOp::new(inst);
        let (vdst, vgpr_end, unusual) = (op.vdst, op.vgpr_end, op.unusual);
        let coordinate = inst.src_vgpr(1);
        (op.source[0], op.dwords[0]) = (Source::Vgpr(0), 1);
        if coordinate.is_some() {
            op.source[1] = Source::Vgpr(1);
        }
        let takes_addend = match addend {
            Addend::None => false,
            Addend::P0 | Addend::Destination => true,
            // Anything but a VGPR is left as it is.
            Addend::Register(_) => inst.src_vgpr(2).is_some(),
        };
        if takes_addend {
            (op.source[2], op.dwords[2]) = (Source::Vgpr(2), 1);
        }
        // HIGH selects the half, not OP_SEL.
        op.stage[2].select = Select::Whole;
        (op.vdst, op.vgpr_end, op.unusual) = (3, 4, 0);
        let is_half = matches!(inst.opcode, Opcode::Vop3(_));
        Some(Interpolation { op, access, part, coordinate, addend, vdst, vgpr_end, is_half, unusual })
    }

    /// Executes it. SCC has to be in the state, because it may be a source.
    pub fn execute(&self, wave: &mut Wave, context: &Context) {
        let Wave { state, vgprs, .. } = wave;
        let vgprs = vgprs.regs_mut();
        if state.mode & Mode::VSKIP != 0 {
            return;
        }
        state.notes.insert_if(state.mode & self.unusual != 0, Note::GpridxOdd);
        if state.exec() == 0 {
            return;
        }
        state.notes.insert_if(usize::from(self.vgpr_end) > vgprs.len(), Note::RegRange);
        let vgpr = |number: u8| *register(vgprs, usize::from(number));
        let m0 = state.sgpr[usize::from(reg::M0)];
        let addend = match self.addend {
            Addend::None => Vgpr([0; gcnsim_isa::LANES]),
            Addend::P0 => self.fetch(context, m0, Part::P0),
            Addend::Destination => vgpr(self.vdst),
            Addend::Register(number) if self.op.dwords[2] == 1 && self.takes_half() => {
                Vgpr(vgpr(number).0.map(|dword| self.half(dword)))
            }
            Addend::Register(number) => vgpr(number),
        };
        let coordinate = vgpr(self.coordinate.unwrap_or(0));
        let mut registers = [self.fetch(context, m0, self.part), coordinate, addend, vgpr(self.vdst)];
        (self.op.function)(&self.op, state, &mut registers);
        if let Some(destination) = vgprs.get_mut(usize::from(self.vdst)) {
            *destination = registers[3];
        }
    }

    /// Whether source 2 is half of a register, as P0 of V_INTERP_P1LV_F16 is.
    fn takes_half(&self) -> bool {
        matches!(self.part, Part::P10)
    }

    /// The half of a dword that HIGH selects.
    fn half(&self, dword: u32) -> u32 {
        if self.access.is_high { dword >> 16 } else { dword & 0xffff }
    }

    /// A part of the attribute in all lanes.
    fn fetch(&self, context: &Context, m0: u32, part: Part) -> Vgpr {
        let AttributeAccess { attribute, component, is_high, .. } = self.access;
        if let Some(world) = context.world() {
            let (attribute, channel) = (u32::from(attribute), u32::from(component) | u32::from(is_high) << 2);
            let parts = match (self.is_half, self.addend) {
                (true, _) => world.attribute_f16(attribute, channel),
                (false, Addend::None) => world.flat_attribute(attribute, channel),
                (false, _) => world.attribute(attribute, channel),
            };
            return Vgpr([parts[part as usize]; gcnsim_isa::LANES]);
        }
        let primitives = 1 + (m0 >> 16 & 0x7fff).count_ones();
        Vgpr(array::from_fn(|lane| {
            let quads_before = (1 << (lane / 4)) - 1;
            let primitive = (m0 >> 16 & 0x7fff & quads_before).count_ones();
            let row = u32::from(attribute) * primitives + primitive;
            let dword = share(context, ((m0 & 0xffff) / 4 + 12 * row + part.dword(component)) * 4, 4);
            if self.is_half { self.half(dword) } else { dword }
        }))
    }
}

/// Up to four bytes of LDS, zero-extended. 0 if LDS does not have them all.
fn share(context: &Context, address: u32, size: usize) -> u32 {
    let mut bytes = [0; 4];
    if let Some(found) = context.share(Place::Lds, address, size) {
        bytes[..size].copy_from_slice(found);
    }
    u32::from_le_bytes(bytes)
}

/// LDS_DIRECT: the element at M0\[15:0\], whose type is M0\[18:16\], for all lanes.
///
/// In a world, LDS of no bytes stands for that of a pixel shader, which has attributes.
pub(crate) fn lds_direct(state: &WaveState, context: &Context) -> u32 {
    let m0 = state.sgpr[usize::from(reg::M0)];
    let parameters = context.world().filter(|_| context.lds.is_empty());
    let at = |size: usize| match parameters {
        Some(world) if size == 4 => world.parameter((m0 & 0xffff) / 4),
        Some(world) => world.parameter((m0 & 0xffff) / 4) >> (8 * (m0 & 3)) & ((1 << (8 * size as u32)) - 1),
        None => share(context, m0 & 0xffff, size),
    };
    match m0 >> 16 & 7 {
        0 => at(1),
        1 => at(2),
        4 => at(1) as i8 as u32,
        5 => at(2) as i16 as u32,
        _ => at(4),
    }
}

impl VectorOp {
    /// The instruction with a value in the place of LDS_DIRECT.
    pub fn with_lds_direct(&self, value: u32) -> VectorOp {
        VectorOp { constant: [value.into(), self.constant[1], self.constant[2]], ..*self }
    }
}
