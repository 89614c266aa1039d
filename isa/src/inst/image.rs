//! Fields of image instructions, exports and interpolation (docs/gcn/encodings.md#mimg).

use super::Inst;
use crate::operand::{LDS_DIRECT, OperandType};
use crate::table::{Encoding, Has, ImageMove, ImageShape, Opcode};

/// A MIMG instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ImageAccess {
    /// First VGPR of the address.
    pub vaddr: u8,
    /// First VGPR of the data.
    pub vdata: u8,
    /// First SGPR of the image descriptor.
    pub srsrc: u8,
    /// First SGPR of the sampler descriptor.
    pub ssamp: u8,
    /// DMASK: bit n selects component n.
    pub dmask: u8,
    /// UNORM: coordinates of samples are in texels.
    pub unorm: bool,
    /// GLC: an atomic returns the old value.
    pub glc: bool,
    /// DA: the image is an array or a cube.
    pub da: bool,
    /// R128: the image descriptor has four dwords (before GCN 1.4).
    pub r128: bool,
    /// A16: coordinates, levels and derivatives have 16 bits (from GCN 1.4 on).
    pub a16: bool,
    /// D16: components of the data have 16 bits. [`Arch::packs_d16`](crate::Arch::packs_d16) says how many a register
    /// holds.
    pub d16: bool,
    /// Whether one more VGPR of the result reports residency (TFE or LWE).
    pub reports_residency: bool,
}

/// An EXP instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ExportAccess {
    /// TARGET, 6 bits: 0..=7 mrt0.., 8 mrtz, 9 null, 12..=15 pos0.., 32..=63 param0...
    pub target: u8,
    /// EN: bit n enables component n.
    pub en: u8,
    /// COMPR: components are halves of registers.
    pub compr: bool,
    /// DONE: the last export of its class.
    pub done: bool,
    /// VM: EXEC of this export is the final coverage.
    pub vm: bool,
    /// The VGPR of each component.
    pub sources: [u8; 4],
}

/// The name of an export target, 0..=63.
///
/// ```
/// use gcnsim_isa::export_target_name;
/// assert_eq!([0, 8, 9, 13, 63].map(export_target_name), ["mrt0", "mrtz", "null", "pos1", "param31"]);
/// ```
pub fn export_target_name(target: u8) -> String {
    match target {
        0..=7 => format!("mrt{target}"),
        8 => "mrtz".into(),
        9 => "null".into(),
        12..=15 => format!("pos{}", target - 12),
        32.. => format!("param{}", target - 32),
        10..=11 | 16..=31 => format!("invalid_target_{target}"),
    }
}

/// The attribute of an interpolation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AttributeAccess {
    /// Number of the attribute, 0..=63.
    pub attribute: u8,
    /// The component of the attribute, 0..=3.
    pub component: u8,
    /// HIGH: the upper half of the attribute's dwords (16-bit interpolation).
    pub is_high: bool,
    /// VSRC of V_INTERP_MOV_F32: 0 P10, 1 P20, 2 P0.
    pub parameter: u8,
}

fn bit(word: u32, at: u32) -> bool {
    word >> at & 1 == 1
}

impl Inst {
    /// Columns of a MIMG row.
    pub fn image_shape(&self) -> Option<ImageShape> {
        if let Opcode::Mimg(op) = self.opcode { Some(op.shape()) } else { None }
    }

    /// Fields of MIMG; `None` for all others.
    pub fn image_access(&self) -> Option<ImageAccess> {
        let shape = self.image_shape()?;
        let [w, w1] = self.words;
        let gcn14 = self.arch.is_gcn14_or_later();
        Some(ImageAccess {
            vaddr: w1 as u8,
            vdata: (w1 >> 8) as u8,
            srsrc: (w1 >> 16 & 0x1f) as u8 * 4,
            ssamp: (w1 >> 21 & 0x1f) as u8 * 4,
            dmask: (w >> 8 & 15) as u8,
            unorm: bit(w, 12),
            glc: bit(w, 13),
            da: bit(w, 14),
            r128: !gcn14 && bit(w, 15),
            a16: gcn14 && bit(w, 15),
            d16: shape.d16 && bit(w1, 31),
            reports_residency: bit(w, 16) || bit(w, 17),
        })
    }

    /// Number of VGPRs of the data of MIMG, without the one of TFE; 0 for all others.
    pub fn image_data_dwords(&self) -> u32 {
        let (Some(shape), Some(access)) = (self.image_shape(), self.image_access()) else { return 0 };
        let packs = access.d16 && self.arch.packs_d16();
        let count = match shape.moves {
            ImageMove::Gather(_) | ImageMove::GatherRow => 4,
            ImageMove::Atomic(op) => return op.operands() as u32 * self.image_atomic_dwords(),
            _ => (access.dmask.count_ones()).max(1),
        };
        if packs { count.div_ceil(2) } else { count }
    }

    /// Number of dwords that an atomic on an image changes: 1, or 2 where DMASK has twice the bits of its operands.
    pub fn image_atomic_dwords(&self) -> u32 {
        let (Some(shape), Some(access)) = (self.image_shape(), self.image_access()) else { return 0 };
        let ImageMove::Atomic(op) = shape.moves else { return 0 };
        if access.dmask.count_ones() == 2 * op.operands() as u32 { 2 } else { 1 }
    }

    /// Fields of EXP; `None` for all others.
    pub fn export_access(&self) -> Option<ExportAccess> {
        let Opcode::Exp(_) = self.opcode else { return None };
        let w = self.words[0];
        let (fields, compr) = (self.words[1].to_le_bytes(), bit(w, 10));
        Some(ExportAccess {
            target: (w >> 4 & 0x3f) as u8,
            en: (w & 15) as u8,
            compr,
            done: bit(w, 11),
            vm: bit(w, 12),
            sources: if compr { [0, 0, 1, 1].map(|i: usize| fields[i]) } else { fields },
        })
    }

    /// The attribute of VINTRP and of 16-bit interpolation; `None` for all others.
    pub fn attribute_access(&self) -> Option<AttributeAccess> {
        if !self.desc.has.any(Has::ATTR) {
            return None;
        }
        let [w, w1] = self.words;
        let is_short = self.desc.encoding == Encoding::Vintrp && self.size == 4;
        let has_parameter = self.desc.src[1] == OperandType::none;
        Some(match is_short {
            true => AttributeAccess {
                attribute: (w >> 10 & 0x3f) as u8,
                component: (w >> 8 & 3) as u8,
                is_high: false,
                parameter: if has_parameter { (w & 3) as u8 } else { 0 },
            },
            false => AttributeAccess {
                attribute: (w1 & 0x3f) as u8,
                component: (w1 >> 6 & 3) as u8,
                is_high: bit(w1, 8),
                parameter: if has_parameter { (w1 >> 9 & 3) as u8 } else { 0 },
            },
        })
    }

    /// The words of the same interpolation of another component: attribute 0..=63, component 0..=3. `None` for
    /// instructions that interpolate nothing.
    pub fn with_attribute(&self, attribute: u8, component: u8) -> Option<[u32; 2]> {
        self.attribute_access()?;
        let [w, w1] = self.words;
        let (attribute, component) = (u32::from(attribute & 0x3f), u32::from(component & 3));
        Some(match self.desc.encoding == Encoding::Vintrp && self.size == 4 {
            true => [w & !0xff00 | attribute << 10 | component << 8, w1],
            false => [w, w1 & !0xff | component << 6 | attribute],
        })
    }

    /// Whether LDS_DIRECT is a source of a vector instruction. It can only be the first source.
    pub fn reads_lds_directly(&self) -> bool {
        self.src_count() > 0 && self.src_code(0) == Some(LDS_DIRECT)
    }
}
