//! Buffer descriptors (V#) and data formats: the meaning of their bits (docs/gcn/buffers.md#descriptor,
//! docs/gcn/buffer-formats.md). The engines compute addresses, check ranges and convert.
//!
//! ```text
//! 47:0    base address, bytes                    61:48   stride, bytes            63   swizzle enable
//! 95:64   number of records                      107:96  four selectors of three bits, X first
//! 110:108 number format     114:111 data format (or stride[17:14])     116:115 element size     118:117 index stride
//! 119     add lane number   122 heap (before GCN 1.4)                  127:126 type, 0 = buffer
//! ```

use crate::arch::Arch;

/// A buffer descriptor as four SGPRs hold it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BufferDescriptor(pub [u32; 4]);

/// The source of a component of a result, or the destination of a component of a store.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Selector {
    /// The constant 0.
    Zero,
    /// The constant 1, in the type of the number format.
    One,
    /// Codes 2 and 3.
    Reserved,
    /// Component 0..=3 (X..W) of the element in memory.
    Component(u8),
}

impl Selector {
    /// The selector with the code in the low three bits of `code`.
    pub const fn of_code(code: u32) -> Selector {
        match code & 7 {
            0 => Selector::Zero,
            1 => Selector::One,
            code @ 4..=7 => Selector::Component(code as u8 - 4),
            _ => Selector::Reserved,
        }
    }
}

impl BufferDescriptor {
    /// The base address in bytes, 48 bits.
    pub const fn base(self) -> u64 {
        self.0[0] as u64 | (self.0[1] as u64 & 0xffff) << 32
    }

    /// Number of bytes from one index to the next, 14 bits.
    pub const fn stride(self) -> u32 {
        self.0[1] >> 16 & 0x3fff
    }

    /// The stride of 18 bits. The data format field has its upper four bits ([`BufferDescriptor::extends_stride`]).
    pub const fn long_stride(self) -> u32 {
        self.stride() | (self.data_format() as u32) << 14
    }

    /// Whether the data format field extends the stride. It does from GCN 1.2 on, for untyped accesses that add the
    /// lane number.
    pub const fn extends_stride(self, arch: Arch) -> bool {
        arch.is_gcn12_or_later() && self.adds_lane()
    }

    /// Whether addresses are swizzled.
    pub const fn is_swizzled(self) -> bool {
        self.0[1] >> 31 == 1
    }

    /// Number of records. Generation and mode decide whether these are bytes or indices.
    pub const fn num_records(self) -> u32 {
        self.0[2]
    }

    /// Selector of component `i` (0..=3).
    pub const fn selector(self, i: u32) -> Selector {
        Selector::of_code(self.0[3] >> (3 * (i & 3)))
    }

    /// Number format, 3 bits.
    pub const fn num_format(self) -> u8 {
        (self.0[3] >> 12 & 7) as u8
    }

    /// Data format, 4 bits.
    pub const fn data_format(self) -> u8 {
        (self.0[3] >> 15 & 15) as u8
    }

    /// Bytes of an element of swizzled addresses: 2, 4, 8 or 16; always 4 from GCN 1.4 on.
    pub const fn element_size(self, arch: Arch) -> u32 {
        if arch.is_gcn14_or_later() { 4 } else { 2 << (self.0[3] >> 19 & 3) }
    }

    /// Number of indices that are interleaved in swizzled addresses: 8, 16, 32 or 64.
    pub const fn index_stride(self) -> u32 {
        8 << (self.0[3] >> 21 & 3)
    }

    /// Whether the lane number, 0..=63, is added to the index.
    pub const fn adds_lane(self) -> bool {
        self.0[3] >> 23 & 1 == 1
    }

    /// The heap bit (GCN 1.0 to 1.2).
    pub const fn heap(self, arch: Arch) -> bool {
        !arch.is_gcn14_or_later() && self.0[3] >> 26 & 1 == 1
    }

    /// Type of the resource; 0 is a buffer.
    pub const fn kind(self) -> u8 {
        (self.0[3] >> 30) as u8
    }

    /// Whether all bits are 0, as in the usual descriptor of no buffer.
    pub fn is_null(self) -> bool {
        self.0 == [0; 4]
    }
}

/// A component within an element of memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Field {
    /// The lowest bit within the element.
    pub shift: u8,
    /// Width in bits: 2, 8, 10, 11, 16 or 32.
    pub bits: u8,
}

/// The components of an element, X first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DataFormat {
    /// Size of the element in bytes.
    pub bytes: u8,
    /// The components, one to four.
    pub fields: &'static [Field],
}

const fn field(shift: u8, bits: u8) -> Field {
    Field { shift, bits }
}

/// Data formats by code. Those without components are invalid.
const FORMATS: [DataFormat; 16] = [
    DataFormat { bytes: 0, fields: &[] },
    DataFormat { bytes: 1, fields: &[field(0, 8)] },
    DataFormat { bytes: 2, fields: &[field(0, 16)] },
    DataFormat { bytes: 2, fields: &[field(0, 8), field(8, 8)] },
    DataFormat { bytes: 4, fields: &[field(0, 32)] },
    DataFormat { bytes: 4, fields: &[field(0, 16), field(16, 16)] },
    DataFormat { bytes: 4, fields: &[field(0, 11), field(11, 11), field(22, 10)] },
    DataFormat { bytes: 4, fields: &[field(0, 10), field(10, 11), field(21, 11)] },
    DataFormat { bytes: 4, fields: &[field(0, 2), field(2, 10), field(12, 10), field(22, 10)] },
    DataFormat { bytes: 4, fields: &[field(0, 10), field(10, 10), field(20, 10), field(30, 2)] },
    DataFormat { bytes: 4, fields: &[field(0, 8), field(8, 8), field(16, 8), field(24, 8)] },
    DataFormat { bytes: 8, fields: &[field(0, 32), field(32, 32)] },
    DataFormat { bytes: 8, fields: &[field(0, 16), field(16, 16), field(32, 16), field(48, 16)] },
    DataFormat { bytes: 12, fields: &[field(0, 32), field(32, 32), field(64, 32)] },
    DataFormat { bytes: 16, fields: &[field(0, 32), field(32, 32), field(64, 32), field(96, 32)] },
    DataFormat { bytes: 0, fields: &[] },
];

impl DataFormat {
    /// Code of 10_11_11: X and Y have eleven bits, Z has ten.
    pub const CODE_10_11_11: u8 = 6;
    /// Code of 11_11_10: X has ten bits, Y and Z have eleven.
    pub const CODE_11_11_10: u8 = 7;
    /// Code of 10_10_10_2, whose component X has two bits.
    pub const CODE_10_10_10_2: u8 = 8;

    /// The format with a code, 0..=15. Names list components from the highest bits down; X is always the lowest. `None`
    /// for the codes that are invalid (0) or reserved (15).
    pub const fn of_code(code: u8) -> Option<DataFormat> {
        match &FORMATS[code as usize & 15] {
            DataFormat { bytes: 0, .. } => None,
            format => Some(*format),
        }
    }
}

/// The way in which the bits of a component are a number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NumFormat {
    /// 0..=1.
    Unorm,
    /// -1..=1.
    Snorm,
    /// An unsigned integer as a float.
    Uscaled,
    /// A signed integer as a float.
    Sscaled,
    /// An unsigned integer.
    Uint,
    /// A signed integer.
    Sint,
    /// -1..=1 without 0 (GCN 1.0 and 1.1).
    SnormOgl,
    /// A float.
    Float,
}

impl NumFormat {
    /// The format with a code, 0..=7. `None` if the code is reserved on the generation.
    pub const fn of_code(arch: Arch, code: u8) -> Option<NumFormat> {
        Some(match code {
            0 => NumFormat::Unorm,
            1 => NumFormat::Snorm,
            2 => NumFormat::Uscaled,
            3 => NumFormat::Sscaled,
            4 => NumFormat::Uint,
            5 => NumFormat::Sint,
            6 if !arch.is_gcn12_or_later() => NumFormat::SnormOgl,
            7 => NumFormat::Float,
            _ => return None,
        })
    }

    /// Whether results are integers. All others are floats.
    pub const fn is_integer(self) -> bool {
        matches!(self, NumFormat::Uint | NumFormat::Sint)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scratch_descriptor() {
        // base 0x12_3456_7800, swizzled, 0x8000 records, word 3 as ROCr writes it (docs/gcn/dispatch.md#scratch)
        let v = BufferDescriptor([0x3456_7800, 0x8000_0012, 0x8000, 0x00ea_4fac]);
        assert_eq!((v.base(), v.stride(), v.is_swizzled(), v.num_records()), (0x12_3456_7800, 0, true, 0x8000));
        assert_eq!([0, 1, 2, 3].map(|i| v.selector(i)), [0, 1, 2, 3].map(Selector::Component));
        assert_eq!((v.num_format(), v.data_format(), v.adds_lane(), v.index_stride(), v.kind()), (4, 4, true, 64, 0));
        assert_eq!([Arch::Gcn10, Arch::Gcn14].map(|arch| v.element_size(arch)), [4, 4]);
        assert!(v.extends_stride(Arch::Gcn12) && !v.extends_stride(Arch::Gcn11) && v.long_stride() == 4 << 14);
    }

    #[test]
    fn every_field_by_itself() {
        let with = |word: usize, bits: u32| {
            let mut words = [0; 4];
            words[word] = bits;
            BufferDescriptor(words)
        };
        assert_eq!((with(1, 0xffff).base(), with(1, 0xffff_0000).base()), (0xffff_0000_0000, 0));
        assert_eq!((with(1, 0x3fff_0000).stride(), with(1, 0xc000_ffff).stride()), (0x3fff, 0));
        assert_eq!((with(3, 3 << 19).element_size(Arch::Gcn12), with(3, 3 << 19).element_size(Arch::Gcn14)), (16, 4));
        assert_eq!((with(3, 0).element_size(Arch::Gcn10), with(3, 0).index_stride()), (2, 8));
        assert_eq!((with(3, 1 << 26).heap(Arch::Gcn11), with(3, 1 << 26).heap(Arch::Gcn14)), (true, false));
        assert_eq!((with(3, 3 << 30).kind(), with(3, !(3 << 30)).kind()), (3, 0));
        assert_eq!(with(3, 0o3210).selector(0), Selector::Zero);
        assert_eq!(
            [1, 2, 3].map(|i| with(3, 0o3210).selector(i)),
            [Selector::One, Selector::Reserved, Selector::Reserved]
        );
    }

    #[test]
    fn fields_fill_their_element() {
        for code in 1..15 {
            let format = DataFormat::of_code(code).unwrap();
            let mut shift = 0;
            for field in format.fields {
                assert_eq!(field.shift, shift, "format {code}");
                shift += field.bits;
            }
            assert_eq!(shift, 8 * format.bytes, "format {code}");
        }
        assert_eq!([0, 15].map(DataFormat::of_code), [None; 2]);
    }
}
