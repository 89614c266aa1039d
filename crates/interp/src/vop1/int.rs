//! VOP1 on bits and integers (docs/gcn/valu-integer.md).

use crate::vector::body::lanes;

lanes! {
    fn v_mov_b32(s0: u32) -> u32 { s0 }

    /// A plain move. The error that the instruction plants is not modelled.
    fn v_mov_fed_b32(s0: u32) -> u32 { s0 }

    fn v_not_b32(s0: u32) -> u32 { !s0 }
    fn v_bfrev_b32(s0: u32) -> u32 { s0.reverse_bits() }
    fn v_ffbh_u32(s0: u32) -> u32 { if s0 == 0 { u32::MAX } else { s0.leading_zeros() } }
    fn v_ffbl_b32(s0: u32) -> u32 { if s0 == 0 { u32::MAX } else { s0.trailing_zeros() } }

    /// The number of leading bits equal to the sign, including the sign.
    fn v_ffbh_i32(s0: i32) -> u32 {
        let differs = s0 ^ s0 >> 31;
        if differs == 0 { u32::MAX } else { differs.leading_zeros() }
    }

    /// D = T\[S0\[7:0\]\].
    fn v_screen_partition_4se_b32(s0: u32) -> u32 { u32::from(SCREEN_PARTITION[(s0 & 255) as usize]) }

    /// D\[7:0\] from S0\[15:0\], D\[15:8\] from S0\[31:16\], the rest 0.
    fn v_sat_pk_u8_i16(s0: u32) -> u32 {
        let saturated = |half: u32| (half as i16).clamp(0, 255) as u32;
        saturated(s0) | saturated(s0 >> 16) << 8
    }
}

/// docs/gcn/valu-integer.md#the-table-of-v_screen_partition_4se_b32: one hexadecimal digit per entry, the first one
/// most significant.
const SCREEN_PARTITION: [u8; 256] = {
    const ROWS: [u128; 8] = [
        0x137f5fff7ffffffff26efafffbffffff,
        0xdf4cff5fffdfffff9bf8fffafffeffff,
        0xffff4cdf6fffeffffffff89bf99ffdff,
        0xffff7f13ff9fffbfffff6ef26ff6fff7,
        0xbfffffff23bfaffff7fffffff19df5ff,
        0xffefffffef8cffaffffdffff67f4fff5,
        0x9fffdfffffff8ceff66ffefffffff467,
        0xff6fff7fffffbf239ff9fffbffff9df1,
    ];
    let mut table = [0; 256];
    let mut i = 0;
    while i < 256 {
        table[i] = (ROWS[i / 32] >> (4 * (31 - i % 32))) as u8 & 15;
        i += 1;
    }
    table
};
