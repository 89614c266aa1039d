//! The operands of an instruction, with their widths.

use std::fmt;

use gcnsim_isa::table::{Access, Base, DsOffset, Has, ImageData, MemShape, Opcode};
use gcnsim_isa::{Arch, Encoding, InstDesc};
use serde::Serialize;

use super::one::is_there;

/// An operand.
#[derive(Serialize, PartialEq)]
pub(super) struct Operand {
    /// D, S0 to S2, or the manual's name of the field.
    name: &'static str,
    /// What it is.
    kind: String,
    /// Its width; `null` if other fields decide.
    bits: Option<u32>,
}

impl fmt::Display for Operand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.bits {
            Some(bits) => write!(f, "{:<6} {bits} bits: {}", self.name, self.kind),
            None => write!(f, "{:<6} {}", self.name, self.kind),
        }
    }
}

fn operand(name: &'static str, kind: &str, bits: impl Into<Option<u32>>) -> Operand {
    Operand { name, kind: kind.to_owned(), bits: bits.into() }
}

fn registers(name: &'static str, kind: &str, dwords: u32) -> Option<Operand> {
    (dwords > 0).then(|| operand(name, kind, 32 * dwords))
}

/// Returns the operands of a row.
pub(super) fn of(desc: &InstDesc, arch: Arch) -> Vec<Operand> {
    match desc.opcode {
        Opcode::Smrd(op) => scalar_memory(op.shape()),
        Opcode::Smem(op) => scalar_memory(op.shape()),
        Opcode::Flat(op) => flat(desc.encoding, op.shape(), arch),
        Opcode::Global(op) => flat(desc.encoding, op.shape(), arch),
        Opcode::Scratch(op) => flat(desc.encoding, op.shape(), arch),
        Opcode::Mubuf(op) => buffer(op.shape(), arch),
        Opcode::Mtbuf(op) => buffer(op.shape(), arch),
        Opcode::Ds(op) => {
            let shape = op.shape();
            let addr = shape.addr.then(|| operand("ADDR", "VGPR", 32));
            let offset = match shape.offset {
                DsOffset::None => None,
                DsOffset::One => Some(operand("OFFSET", "immediate", 16)),
                DsOffset::Two => Some(operand("OFFSET0, OFFSET1", "immediates", 8)),
                DsOffset::Swizzle => Some(operand("OFFSET", "pattern", 16)),
            };
            let data = [0, 1].map(|i| registers(["DATA0", "DATA1"][i], "VGPRs", shape.data[i].into()));
            let [data0, data1] = data;
            [registers("D", "VGPRs", shape.vdst.into()), addr, data0, data1, offset].into_iter().flatten().collect()
        }
        Opcode::Mimg(op) => {
            let shape = op.shape();
            let data = match shape.data {
                ImageData::Mask => operand("VDATA", "VGPRs, one for each bit of DMASK", None),
                ImageData::Four => operand("VDATA", "VGPRs", 128),
                ImageData::Atomic(count) => operand("VDATA", "VGPRs, as many again with 64 bits", 32 * count as u32),
            };
            let vaddr = operand("VADDR", "VGPRs, as many as the image has coordinates, and what the name adds", None);
            let sampler = shape.sampler.then(|| operand("SSAMP", "SGPRs, S#", 128));
            let resource = operand("SRSRC", "SGPRs, T#", 256);
            [Some(data), Some(vaddr), Some(resource), sampler].into_iter().flatten().collect()
        }
        Opcode::Exp(_) => vec![operand("TARGET", "immediate", 6), operand("VSRC0 to VSRC3", "VGPRs", 32)],
        Opcode::Sopp(_) => vec![operand("SIMM16", "immediate", 16)],
        _ => alu(desc),
    }
}

fn alu(desc: &InstDesc) -> Vec<Operand> {
    const SOURCES: [&str; 3] = ["S0", "S1", "S2"];
    let mut list = Vec::new();
    let is_compare = desc.encoding == Encoding::Vopc;
    if is_compare {
        list.push(operand("D", "VCC, in VOP3 any pair of SGPRs: a bit for each lane", 64));
    } else if is_there(desc.dst) {
        list.push(operand("D", &format!("{:?}", desc.dst), desc.dst.bits()));
    }
    if desc.has.any(Has::VCC_OUT) {
        let kind = match desc.encoding {
            Encoding::Vop3 => "any pair of SGPRs: a bit for each lane",
            _ => "VCC, in VOP3 any pair of SGPRs: a bit for each lane",
        };
        list.push(operand("SDST", kind, 64));
    }
    for (name, ty) in SOURCES.into_iter().zip(desc.src) {
        let kind = if is_there(*ty) { format!("{ty:?}") } else { "attribute or parameter".to_owned() };
        list.push(operand(name, &kind, is_there(*ty).then(|| ty.bits())));
    }
    if desc.has.any(Has::VCC_IN) {
        list.push(operand("mask", "VCC, in VOP3 any pair of SGPRs in S2: a bit for each lane", 64));
    }
    list
}

fn scalar_memory(shape: MemShape) -> Vec<Operand> {
    let data = if matches!(shape.kind, Access::Load | Access::Time) { "D" } else { "SDATA" };
    let base = match shape.base {
        Base::Buffer => "SGPRs, V#",
        _ => "SGPRs, address",
    };
    let offset = (shape.base != Base::None).then(|| operand("OFFSET", "immediate or SGPR", None));
    let data = registers(data, "SGPRs", shape.data.into());
    [data, registers("SBASE", base, shape.base.dwords().into()), offset].into_iter().flatten().collect()
}

fn flat(encoding: Encoding, shape: MemShape, arch: Arch) -> Vec<Operand> {
    let addr = match encoding {
        Encoding::Scratch => operand("ADDR", "VGPR, or SADDR an SGPR", 32),
        Encoding::Global => operand("ADDR", "VGPRs; with SADDR (a pair of SGPRs) an offset of 32 bits", 64),
        _ => operand("ADDR", "VGPRs", 64),
    };
    let offset = arch.is_gcn14_or_later().then(|| match encoding {
        Encoding::Flat => operand("OFFSET", "immediate", 12),
        _ => operand("OFFSET", "signed immediate", 13),
    });
    let d = registers("D", if shape.kind == Access::Atomic { "VGPRs, with GLC" } else { "VGPRs" }, shape.vdst.into());
    [d, Some(addr), registers("DATA", "VGPRs", shape.data.into()), offset].into_iter().flatten().collect()
}

fn buffer(shape: MemShape, arch: Arch) -> Vec<Operand> {
    if shape.kind == Access::Invalidate {
        return Vec::new();
    }
    let name = if shape.kind == Access::Load { "D" } else { "VDATA" };
    let data = registers(name, "VGPRs", shape.data_dwords(arch));
    let rest = [
        operand("VADDR", "VGPRs: index, offset or both", None),
        operand("SRSRC", "SGPRs, V#", 128),
        operand("SOFFSET", "SGPR or constant", 32),
        operand("OFFSET", "immediate", 12),
    ];
    data.into_iter().chain(rest).collect()
}
