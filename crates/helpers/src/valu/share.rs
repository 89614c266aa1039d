//! Sources of vector instructions that lie in LDS: attributes (docs/gcn/graphics.md#interpolation) and LDS_DIRECT.

use gcnsim_isa::table::{Opcode, Vintrp, Vop3};
use gcnsim_isa::{AttributeAccess, Inst, LANES};
use gcnsim_machine::Context;
use gcnsim_machine::world::World;

use super::float::widen_f16;
use crate::frame::Frame;

/// The parts of an attribute that an interpolation reads, packed for compiled code.
///
/// | bits | meaning |
/// |---|---|
/// | 5:0 | number of the attribute |
/// | 11:8 | dword of source 0 among the twelve of a primitive |
/// | 15:12 | dword of source 2 |
/// | 16 | source 2 is a part of the attribute |
/// | 17 | the parts are binary16 |
/// | 18 | they lie in the high half |
/// | 19 | the instruction does not interpolate |
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Parts(pub u32);

impl Parts {
    const P0: u32 = 1 << 16;
    const HALF: u32 = 1 << 17;
    const HIGH: u32 = 1 << 18;
    const FLAT: u32 = 1 << 19;

    /// The parts that an instruction reads; `None` if it is no interpolation.
    pub fn of(inst: &Inst) -> Option<Parts> {
        let AttributeAccess { attribute, component, is_high, parameter } = inst.attribute_access()?;
        let component = u32::from(component);
        let (p0, p10, p20) = (2 * component, 2 * component + 1, 8 + component);
        let parts = match inst.opcode {
            Opcode::Vintrp(Vintrp::VInterpMovF32) => [p10, p20, p0, p0][usize::from(parameter & 3)] << 8 | Parts::FLAT,
            Opcode::Vintrp(Vintrp::VInterpP1F32) => p10 << 8 | p0 << 12 | Parts::P0,
            Opcode::Vintrp(Vintrp::VInterpP2F32) => p20 << 8,
            Opcode::Vop3(Vop3::VInterpP1llF16) => p10 << 8 | p0 << 12 | Parts::P0 | Parts::HALF,
            Opcode::Vop3(Vop3::VInterpP1lvF16) => p10 << 8 | Parts::HALF,
            _ => p20 << 8 | Parts::HALF,
        };
        Some(Parts(parts | u32::from(attribute) | if is_high { Parts::HIGH } else { 0 }))
    }

    /// A dword of the attribute, as the instruction takes it.
    fn taken(self, dword: u32) -> u32 {
        if self.0 & Parts::HALF == 0 { dword } else { half(dword, self.0 & Parts::HIGH != 0) }
    }
}

/// A half of a dword as binary32.
fn half(dword: u32, is_high: bool) -> u32 {
    widen_f16(if is_high { (dword >> 16) as u16 } else { dword as u16 })
}

/// `N` bytes of LDS as a number; zeros if LDS does not have them all.
fn read<const N: usize>(lds: &[u8], at: u32) -> u32 {
    let found = lds.get(at as usize..).and_then(|rest| rest.first_chunk::<N>());
    let mut bytes = [0; 4];
    found.inspect(|found| bytes[..N].copy_from_slice(&found[..]));
    u32::from_le_bytes(bytes)
}

/// Puts the parts of an attribute into scratch lanes of the frame: source 0 of an interpolation into the first, source
/// 2 into the third, if it is a part.
///
/// # Safety
/// The frame and its context are there, and nothing else uses them during the call.
pub unsafe extern "C" fn fetch_attribute(frame: *mut Frame, m0: u32, parts: u32) {
    // SAFETY: the caller's promise.
    let (frame, parts) = (unsafe { &mut *frame }, Parts(parts));
    // SAFETY: the context is the run's, and compiled code does not touch it otherwise.
    let context: &Context = unsafe { &*frame.context };
    if let Some(world) = context.world() {
        let mut fill = |scratch: usize, dword: u32| {
            let (channel, of) = if dword < 8 { (dword / 2, dword as usize & 1) } else { (dword - 8, 2) };
            let channel = channel + 4 * u32::from(parts.0 & Parts::HIGH != 0);
            let values = match parts.0 & Parts::FLAT {
                0 => world.attribute(parts.0 & 63, channel),
                _ => world.flat_attribute(parts.0 & 63, channel),
            };
            frame.scratch[scratch].0.fill(values[of]);
        };
        fill(0, parts.0 >> 8 & 15);
        if parts.0 & Parts::P0 != 0 {
            fill(2, parts.0 >> 12 & 15);
        }
        return;
    }
    fetch_part(&context.lds, m0, parts, parts.0 >> 8 & 15, &mut frame.scratch[0].0);
    if parts.0 & Parts::P0 != 0 {
        fetch_part(&context.lds, m0, parts, parts.0 >> 12 & 15, &mut frame.scratch[2].0);
    }
}

/// One part of the attribute in all lanes. It is the same in the four lanes of a quad, and in all if M0 says that there
/// is one primitive.
fn fetch_part(lds: &[u8], m0: u32, parts: Parts, dword: u32, lanes: &mut [u32; LANES]) {
    let starts = m0 >> 16 & 0x7fff;
    let primitives = starts.count_ones() + 1;
    let first = (m0 >> 2 & 0x3fff) + 12 * (parts.0 & 63) * primitives + dword;
    let at = |primitive: u32| parts.taken(read::<4>(lds, 4 * (first + 12 * primitive)));
    if starts == 0 {
        lanes.fill(at(0));
        return;
    }
    let mut primitive = 0;
    for (quad, lanes) in lanes.chunks_exact_mut(4).enumerate() {
        if quad > 0 {
            primitive += starts >> (quad - 1) & 1;
        }
        lanes.fill(at(primitive));
    }
}

/// Puts halves of a VGPR, widened, into the third scratch lanes of the frame: source 2 of V_INTERP_P1LV_F16.
///
/// # Safety
/// The frame is there, and `lanes` is a VGPR or scratch lanes; or, if bit 0 of the address is set, a scalar at the
/// address without it. Nothing else uses them during the call.
pub unsafe extern "C" fn widen_halves(frame: *mut Frame, lanes: *const u32, parts: u32) {
    let step = if lanes.addr() & 1 == 1 { 0 } else { 1 };
    let first = lanes.wrapping_byte_sub(lanes.addr() & 1);
    for lane in 0..LANES {
        // SAFETY: the caller's promise: there are 64 dwords, or one.
        let dword = unsafe { *first.add(lane * step) };
        // SAFETY: the caller's promise.
        unsafe { (&mut *frame).scratch[2].0[lane] = half(dword, parts & Parts::HIGH != 0) };
    }
}

/// The element of a type at a byte of the attributes of a pixel shader. Dwords are at multiples of 4.
fn parameter(world: &World, at: u32, kind: u32) -> u32 {
    let dword = world.parameter(at >> 2);
    let rest = dword >> (8 * (at & 3));
    match kind {
        0 => rest & 0xff,
        1 => rest & 0xffff,
        4 => rest as i8 as u32,
        5 => rest as i16 as u32,
        _ => dword,
    }
}

/// The value of LDS_DIRECT: the element at M0\[15:0\], whose type is M0\[18:16\]. In a world, LDS of no bytes stands
/// for that of a pixel shader, which has attributes.
///
/// # Safety
/// The frame and its context are there, and nothing else uses them during the call.
pub unsafe extern "C" fn lds_direct(frame: *const Frame, m0: u32) -> u32 {
    // SAFETY: the caller's promise.
    let context: &Context = unsafe { &*(*frame).context };
    let (lds, at) = (&context.lds[..], m0 & 0xffff);
    if let (Some(world), true) = (context.world(), lds.is_empty()) {
        return parameter(world, at, m0 >> 16 & 7);
    }
    match m0 >> 16 & 7 {
        0 => read::<1>(lds, at),
        1 => read::<2>(lds, at),
        4 => read::<1>(lds, at) as u8 as i8 as u32,
        5 => read::<2>(lds, at) as u16 as i16 as u32,
        _ => read::<4>(lds, at),
    }
}
