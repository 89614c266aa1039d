//! What chips before GCN 1.4 say of their surfaces: modes by number, as AMD's address library looks for them.
//!
//! Numbers of modes and fields are those of the kernel's drivers (`gfx_v6_0`, `gfx_v8_0`: GB_TILE_MODE and
//! GB_MACROTILE_MODE). Pipes and banks are of no card: all chips have the fewest, so that a macro tile is small and
//! levels lie as docs/gcn/image-descriptors.md#tiled-images says, whatever the chip.

use gcnsim_isa::Arch;

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

/// The modes from GCN 1.1 on. Depth has the bytes of a tile's split (64 << n), all others the samples (1 << n).
#[rustfmt::skip]
const MODES: &[Mode] = &[
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
/// The modes of GCN 1.0, which has them by the size of a pixel. All have the bytes of a tile's split. A use of 3 is
/// thick.
#[rustfmt::skip]
const OLD_MODES: &[Mode] = &[
    (0, Lie::Thin2d, Use::Depth, 0), (1, Lie::Thin2d, Use::Depth, 1), (2, Lie::Thin2d, Use::Depth, 2),
    (3, Lie::Thin2d, Use::Depth, 4), (4, Lie::Thin1d, Use::Depth, 0), (5, Lie::Thin2d, Use::Depth, 5),
    (6, Lie::Thin2d, Use::Depth, 5), (7, Lie::Thin2d, Use::Depth, 5), (8, Lie::Linear, Use::Display, 0),
    (9, Lie::Thin1d, Use::Display, 0), (10, Lie::Thin2d, Use::Display, 2), (11, Lie::Thin2d, Use::Display, 2),
    (12, Lie::Thin2d, Use::Display, 3), (13, Lie::Thin1d, Use::Thin, 0), (14, Lie::Thin2d, Use::Thin, 2),
    (15, Lie::Thin2d, Use::Thin, 2), (16, Lie::Thin2d, Use::Thin, 3), (17, Lie::Thin2d, Use::Thin, 4),
    (18, Lie::Thick1d, Use::Rotated, 0), (19, Lie::XThick2d, Use::Rotated, 5), (20, Lie::Thick2d, Use::Rotated, 5),
    // Small levels of volumes, which no card has.
    (28, Lie::Thin2d, Use::Rotated, 5), (29, Lie::Thin1d, Use::Rotated, 0),
];
/// Banks one wide and one high, an aspect of 2, two of them.
pub const BANKS: u32 = 1 << 4;
/// Number of modes.
pub const COUNT: u32 = 32;
/// Number of modes of banks.
pub const BANK_COUNT: u32 = 16;

/// Returns the registers of all modes of a generation. Those without one are 0. The field of pipes (PIPE_CONFIG) is 0:
/// two.
pub fn modes(arch: Arch) -> [u32; COUNT as usize] {
    let is_old = arch == Arch::Gcn10;
    let mut modes = [0; COUNT as usize];
    for &(number, lie, usage, split) in if is_old { OLD_MODES } else { MODES } {
        let fields = match (is_old, usage) {
            (true, _) => usage as u32 | split << 11 | BANKS << 14,
            (false, Use::Depth) => (usage as u32) << 22 | split << 11,
            (false, _) => (usage as u32) << 22 | split << 25,
        };
        modes[number] = (lie as u32) << 2 | fields;
    }
    modes
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Registers of Polaris 10 and Tahiti as their drivers write them, but for pipes and banks.
    #[test]
    fn registers() {
        let (old, new) = (modes(Arch::Gcn10), modes(Arch::Gcn12));
        const PIPES: u32 = 0x1f << 6;
        assert_eq!(new[0], 0x0080_0310 & !PIPES);
        assert_eq!(new[8], 0x0000_0304 & !PIPES);
        assert_eq!(new[13], 0x0240_0308 & !PIPES);
        assert_eq!(new[7], 0);
        // Linear and for display; of one dimension and for depth.
        assert_eq!((old[8] & 0x3f, old[4] & 0x3f), (4, 0xa));
    }
}
