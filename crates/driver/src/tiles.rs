//! What chips before GCN 1.4 say of their surfaces: modes by number, as AMD's address library looks for them.
//!
//! Source: the tables of the kernel's driver (`gfx_v8_0`), fields of GB_TILE_MODE and GB_MACROTILE_MODE. Images are linear
//! in memory whatever a mode says, so all chips have the pipes and banks of one: the library must only find a mode for
//! each surface, and room for its bytes.

/// How tiles lie in memory (ARRAY_MODE).
#[derive(Clone, Copy)]
enum Lie {
    Linear = 1,
    Thin1d = 2,
    Thick1d = 3,
    Thin2d = 4,
    ThinPart = 5,
    Thick2d = 7,
    XThick2d = 8,
    ThickPart = 9,
    Thin3d = 12,
    Thick3d = 13,
    XThick3d = 14,
}

/// What pixels of a tile are for (MICRO_TILE_MODE).
#[derive(Clone, Copy)]
enum Use {
    Display = 0,
    Thin = 1,
    Depth = 2,
    Rotated = 3,
    Thick = 4,
}

/// The number of a mode, how tiles lie, what they are for, and the field of the split.
type Mode = (usize, Lie, Use, u32);

/// The modes. Depth has the bytes of a tile's split (64 << n), all others the samples (1 << n).
#[rustfmt::skip]
const MODES: [Mode; 26] = [
    (0, Lie::Thin2d, Use::Depth, 0), (1, Lie::Thin2d, Use::Depth, 1), (2, Lie::Thin2d, Use::Depth, 2),
    (3, Lie::Thin2d, Use::Depth, 3), (4, Lie::Thin2d, Use::Depth, 5), (5, Lie::Thin1d, Use::Depth, 5),
    (6, Lie::ThinPart, Use::Depth, 5), (8, Lie::Linear, Use::Display, 0), (9, Lie::Thin1d, Use::Display, 1),
    (10, Lie::Thin2d, Use::Display, 1), (11, Lie::ThinPart, Use::Display, 3), (13, Lie::Thin1d, Use::Thin, 1),
    (14, Lie::Thin2d, Use::Thin, 1), (15, Lie::Thin3d, Use::Thin, 1), (16, Lie::ThinPart, Use::Thin, 3),
    (18, Lie::Thick1d, Use::Thin, 0), (19, Lie::Thick1d, Use::Thick, 0), (20, Lie::Thick2d, Use::Thick, 0),
    (21, Lie::Thick3d, Use::Thick, 0), (22, Lie::ThickPart, Use::Thick, 0), (24, Lie::Thick2d, Use::Thin, 0),
    (25, Lie::XThick2d, Use::Thick, 0), (26, Lie::XThick3d, Use::Thick, 0), (27, Lie::Thin1d, Use::Rotated, 1),
    (28, Lie::Thin2d, Use::Rotated, 1), (29, Lie::ThinPart, Use::Rotated, 3),
];
/// Eight pipes of 32 by 32 and 16 by 16 (PIPE_CONFIG).
const PIPES: u32 = 12;
/// Banks one wide and four high, an aspect of 4, 16 of them.
pub const BANKS: u32 = 0b11_10_10_00;
/// Number of modes.
pub const COUNT: u32 = 32;
/// Number of modes of banks.
pub const BANK_COUNT: u32 = 16;

/// Returns the registers of all modes. Those without one are 0.
pub fn modes() -> [u32; COUNT as usize] {
    let mut modes = [0; COUNT as usize];
    for (number, lie, usage, split) in MODES {
        let split = if let Use::Depth = usage { split << 11 } else { split << 25 };
        modes[number] = (lie as u32) << 2 | PIPES << 6 | (usage as u32) << 22 | split;
    }
    modes
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Registers of Polaris 10 as its driver writes them.
    #[test]
    fn registers() {
        let modes = modes();
        assert_eq!(modes[0], 0x0080_0310);
        assert_eq!(modes[8], 0x0000_0304);
        assert_eq!(modes[13], 0x0240_0308);
        assert_eq!((modes[7], BANKS), (0, 0xe8));
    }
}
