//! SMRD, SMEM, DS, FLAT, MUBUF, MTBUF, MIMG, EXP.

use std::fmt::{self, Formatter};

use super::operand::Vgprs;
use super::{Operands, bit, bits, flag};
use crate::arch::Arch;
use crate::decode::SADDR_OFF;
use crate::inst::{Inst, export_target_name};
use crate::operand::OperandType;
use crate::table::{Access, Base, DsOffset, DsShape, Encoding, ImageShape, MemShape};

impl Inst {
    /// Writes data and base of scalar memory.
    fn put_scalar_data(&self, operands: &mut Operands<'_, '_>, shape: MemShape, data: u32, base: u32) -> fmt::Result {
        if shape.kind == Access::Probe {
            if data <= 64 { operands.put(data)? } else { operands.put(format_args!("{data:#x}"))? }
        }
        if shape.data != 0 {
            operands.put(self.sgprs(data, shape.data as u32))?;
        }
        if shape.base != Base::None {
            operands.put(self.sgprs(base, shape.base.dwords() as u32))?;
        }
        Ok(())
    }

    pub(super) fn fmt_smrd(&self, shape: MemShape, f: &mut Formatter<'_>) -> fmt::Result {
        let word = self.words[0];
        let mut operands = Operands::new(f);
        self.put_scalar_data(&mut operands, shape, bits(word, 15, 7), bits(word, 9, 6) << 1)?;
        if shape.base == Base::None {
            return Ok(());
        }
        let offset = bits(word, 0, 8);
        if self.size() == 8 {
            operands.put(format_args!("{:#x}", self.words[1]))
        } else if bit(word, 8) {
            operands.put(format_args!("{offset:#x}"))
        } else {
            operands.put(self.sgprs(offset, 1))
        }
    }

    pub(super) fn fmt_smem(&self, shape: MemShape, f: &mut Formatter<'_>) -> fmt::Result {
        let [word, w1] = self.words;
        let mut operands = Operands::new(f);
        self.put_scalar_data(&mut operands, shape, bits(word, 6, 7), bits(word, 0, 6) << 1)?;
        if shape.base != Base::None {
            let gcn14 = self.arch.is_gcn14_or_later();
            let soffset = self.sgprs(w1 >> 25, 1);
            // The offset has 20 bits, and from GCN 1.4 on 21 with a sign.
            let constant = if gcn14 { (w1 << 11) as i32 >> 11 } else { (w1 & 0xf_ffff) as i32 };
            let (sign, magnitude) = (if constant < 0 { "-" } else { "" }, constant.unsigned_abs());
            match (bit(word, 17), gcn14 && bit(word, 14)) {
                (true, false) => operands.put(format_args!("{sign}{magnitude:#x}"))?,
                (true, true) => operands.put(format_args!("{soffset} offset:{sign}{magnitude:#x}"))?,
                (false, true) => operands.put(soffset)?,
                (false, false) => operands.put(self.sgprs(bits(w1, 0, 7), 1))?,
            }
        }
        let has_glc = matches!(shape.kind, Access::Load | Access::Store | Access::Atomic);
        flag(f, has_glc && bit(word, 16), "glc")
    }

    pub(super) fn fmt_ds(&self, shape: DsShape, f: &mut Formatter<'_>) -> fmt::Result {
        let word = self.words[0];
        let [addr, data0, data1, vdst] = self.words[1].to_le_bytes().map(u32::from);
        let mut operands = Operands::new(f);
        let widths = [shape.vdst, shape.addr as u8, shape.data[0], shape.data[1]];
        for (first, width) in [vdst, addr, data0, data1].into_iter().zip(widths) {
            if width != 0 {
                operands.put(Vgprs(first, width as u32))?;
            }
        }
        match shape.offset {
            DsOffset::None => {}
            DsOffset::One => fmt_offset(f, "offset", bits(word, 0, 16))?,
            DsOffset::Swizzle => fmt_swizzle(f, bits(word, 0, 16))?,
            DsOffset::Two => {
                fmt_offset(f, "offset0", bits(word, 0, 8))?;
                fmt_offset(f, "offset1", bits(word, 8, 8))?;
            }
        }
        let gds = bit(word, if self.arch.is_gcn12_or_later() { 16 } else { 17 });
        flag(f, gds && shape.offset != DsOffset::None, "gds")
    }

    pub(super) fn fmt_flat(&self, segment: Encoding, shape: MemShape, f: &mut Formatter<'_>) -> fmt::Result {
        let word = self.words[0];
        let [addr, data, saddr, vdst] = self.words[1].to_le_bytes().map(u32::from);
        let (saddr, glc) = (saddr & 0x7f, bit(word, 16));
        let lds = shape.lds && bit(word, 13);
        let mut operands = Operands::new(f);
        if shape.vdst != 0 && !lds && (shape.kind != Access::Atomic || glc) {
            operands.put(Vgprs(vdst, shape.vdst as u32))?;
        }
        let off = saddr == SADDR_OFF;
        match segment {
            Encoding::Scratch if !off => operands.put("off")?,
            Encoding::Scratch => operands.put(Vgprs(addr, 1))?,
            Encoding::Global if !off => operands.put(Vgprs(addr, 1))?,
            _ => operands.put(Vgprs(addr, 2))?,
        }
        if shape.data != 0 {
            operands.put(Vgprs(data, shape.data as u32))?;
        }
        match segment {
            Encoding::Flat => {}
            _ if off => operands.put("off")?,
            Encoding::Global => operands.put(self.sgprs(saddr, 2))?,
            _ => operands.put(self.sgprs(saddr, 1))?,
        }
        if segment == Encoding::Flat {
            // Before GCN 1.4 the field is empty.
            fmt_offset(f, "offset", bits(word, 0, 12))?;
        } else {
            let offset = (word << 19) as i32 >> 19;
            if offset != 0 {
                write!(f, " offset:{offset}")?;
            }
        }
        flag(f, glc, "glc")?;
        flag(f, bit(word, 17), "slc")?;
        flag(f, lds, "lds")
    }

    pub(super) fn fmt_mubuf(&self, shape: MemShape, f: &mut Formatter<'_>) -> fmt::Result {
        if shape.kind == Access::Invalidate {
            return Ok(());
        }
        let [word, w1] = self.words;
        let gcn12 = self.arch.is_gcn12_or_later();
        let lds = bit(word, 16);
        let addr64 = !gcn12 && bit(word, 15);
        let mut operands = Operands::new(f);
        if shape.data == 0 {
            // A store from LDS has neither data nor address.
            operands.put(self.sgprs(bits(w1, 16, 5) << 2, 4))?;
            operands.put(self.source(w1 >> 24, OperandType::b32))?;
        } else {
            self.put_buffer(&mut operands, shape, addr64)?;
            self.fmt_buffer_address(f, addr64)?;
        }
        fmt_offset(f, "offset", bits(word, 0, 12))?;
        flag(f, lds && shape.data == 0, "lds")?;
        flag(f, bit(word, 14), "glc")?;
        flag(f, if gcn12 { bit(word, 17) } else { bit(w1, 22) }, "slc")?;
        flag(f, bit(w1, 23) && !lds && shape.kind != Access::Atomic, "tfe")?;
        flag(f, lds && shape.data != 0, "lds")
    }

    pub(super) fn fmt_mtbuf(&self, shape: MemShape, f: &mut Formatter<'_>) -> fmt::Result {
        let [word, w1] = self.words;
        let addr64 = !self.arch.is_gcn12_or_later() && bit(word, 15);
        let mut operands = Operands::new(f);
        self.put_buffer(&mut operands, shape, addr64)?;
        fmt_format(f, self.arch, bits(word, 19, 4), bits(word, 23, 3))?;
        self.fmt_buffer_address(f, addr64)?;
        fmt_offset(f, "offset", bits(word, 0, 12))?;
        flag(f, bit(word, 14), "glc")?;
        flag(f, bit(w1, 22), "slc")?;
        flag(f, bit(w1, 23), "tfe")
    }

    /// Writes data, address, descriptor and scalar offset of a buffer access.
    fn put_buffer(&self, operands: &mut Operands<'_, '_>, shape: MemShape, addr64: bool) -> fmt::Result {
        let [word, w1] = self.words;
        operands.put(Vgprs(bits(w1, 8, 8), shape.data_dwords(self.arch)))?;
        match bits(word, 12, 2) {
            _ if addr64 => operands.put(Vgprs(bits(w1, 0, 8), 2))?,
            0 => operands.put("off")?,
            3 => operands.put(Vgprs(bits(w1, 0, 8), 2))?,
            _ => operands.put(Vgprs(bits(w1, 0, 8), 1))?,
        }
        operands.put(self.sgprs(bits(w1, 16, 5) << 2, 4))?;
        operands.put(self.source(w1 >> 24, OperandType::b32))
    }

    fn fmt_buffer_address(&self, f: &mut Formatter<'_>, addr64: bool) -> fmt::Result {
        let word = self.words[0];
        flag(f, bit(word, 13), "idxen")?;
        flag(f, bit(word, 12), "offen")?;
        flag(f, addr64, "addr64")
    }

    pub(super) fn fmt_mimg(&self, shape: ImageShape, f: &mut Formatter<'_>) -> fmt::Result {
        let [word, w1] = self.words;
        let (dmask, tfe, d16) = (bits(word, 8, 4), bit(word, 16), bit(w1, 31));
        let (vaddr, vdata) = (bits(w1, 0, 8), bits(w1, 8, 8));
        let fits = |first: u32, count: u32, least: u32| if first + count <= 256 { count } else { least };
        let data = fits(vdata, shape.data_dwords(self.arch, dmask, tfe, d16), shape.least_data());
        let mut operands = Operands::new(f);
        operands.put(Vgprs(vdata, data))?;
        operands.put(Vgprs(vaddr, fits(vaddr, shape.vaddr as u32, 1)))?;
        operands.put(self.sgprs(bits(w1, 16, 5) << 2, 8))?;
        if shape.sampler {
            operands.put(self.sgprs(bits(w1, 21, 5) << 2, 4))?;
        }
        if dmask != 0 {
            write!(f, " dmask:{dmask:#x}")?;
        }
        let bit15 = if self.arch.is_gcn14_or_later() { "a16" } else { "r128" };
        flag(f, bit(word, 12), "unorm")?;
        flag(f, bit(word, 13), "glc")?;
        flag(f, bit(word, 25), "slc")?;
        flag(f, bit(word, 15), bit15)?;
        flag(f, tfe, "tfe")?;
        flag(f, bit(word, 17), "lwe")?;
        flag(f, bit(word, 14), "da")?;
        flag(f, d16, "d16")
    }

    pub(super) fn fmt_exp(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let word = self.words[0];
        let sources = self.words[1].to_le_bytes();
        let compressed = bit(word, 10);
        write!(f, " {}", export_target_name(bits(word, 4, 6) as u8))?;
        let mut operands = Operands::new(f);
        for i in 0..4 {
            let source = sources[if compressed { i / 2 } else { i }];
            if bit(word, i as u32) {
                operands.put(Vgprs(source as u32, 1))?;
            } else {
                operands.put("off")?;
            }
        }
        flag(f, bit(word, 11), "done")?;
        flag(f, compressed, "compr")?;
        flag(f, bit(word, 12), "vm")
    }
}

/// Writes ` name:n`, or nothing for 0.
fn fmt_offset(f: &mut Formatter<'_>, name: &str, offset: u32) -> fmt::Result {
    if offset == 0 { Ok(()) } else { write!(f, " {name}:{offset}") }
}

/// Writes the lane pattern of DS_SWIZZLE_B32 (LLVM documentation, "ds_swizzle_b32"). If bit 15 is clear, it is lane
/// `((lane & and) | or) ^ xor` within 32, by its name if it has one. 0x80xx is a permutation of each four lanes.
fn fmt_swizzle(f: &mut Formatter<'_>, offset: u32) -> fmt::Result {
    if offset >> 8 == 0x80 {
        let [a, b, c, d] = [0, 2, 4, 6].map(|at| bits(offset, at, 2));
        return write!(f, " offset:swizzle(QUAD_PERM,{a},{b},{c},{d})");
    }
    if offset == 0 || bit(offset, 15) {
        return fmt_offset(f, "offset", offset);
    }
    let (and, or, xor) = (bits(offset, 0, 5), bits(offset, 5, 5), bits(offset, 10, 5));
    let group = 32 - and;
    f.write_str(" offset:swizzle(")?;
    if and == 31 && or == 0 && xor.is_power_of_two() {
        return write!(f, "SWAP,{xor})");
    }
    if and == 31 && or == 0 && xor > 0 && (xor + 1).is_power_of_two() {
        return write!(f, "REVERSE,{})", xor + 1);
    }
    if group > 1 && group.is_power_of_two() && or < group && xor == 0 {
        return write!(f, "BROADCAST,{group},{or})");
    }
    f.write_str("BITMASK_PERM,\"")?;
    let (of_zeros, of_ones) = (or ^ xor, (and | or) ^ xor);
    for i in (0..5).rev() {
        f.write_str(match (bit(of_zeros, i), bit(of_ones, i)) {
            (false, false) => "0",
            (true, true) => "1",
            (false, true) => "p",
            (true, false) => "i",
        })?;
    }
    f.write_str("\")")
}

/// Writes data and number format, except for the defaults 8 and UNORM.
fn fmt_format(f: &mut Formatter<'_>, arch: Arch, dfmt: u32, nfmt: u32) -> fmt::Result {
    const DATA: [&str; 16] = [
        "INVALID",
        "8",
        "16",
        "8_8",
        "32",
        "16_16",
        "10_11_11",
        "11_11_10",
        "10_10_10_2",
        "2_10_10_10",
        "8_8_8_8",
        "32_32",
        "16_16_16_16",
        "32_32_32",
        "32_32_32_32",
        "RESERVED_15",
    ];
    const NUMBER: [&str; 8] = ["UNORM", "SNORM", "USCALED", "SSCALED", "UINT", "SINT", "SNORM_OGL", "FLOAT"];
    let data = DATA[dfmt as usize & 15];
    let number = if nfmt == 6 && arch.is_gcn12_or_later() { "RESERVED_6" } else { NUMBER[nfmt as usize & 7] };
    match (dfmt, nfmt) {
        (1, 0) => Ok(()),
        (_, 0) => write!(f, " format:[BUF_DATA_FORMAT_{data}]"),
        (1, _) => write!(f, " format:[BUF_NUM_FORMAT_{number}]"),
        _ => write!(f, " format:[BUF_DATA_FORMAT_{data},BUF_NUM_FORMAT_{number}]"),
    }
}
