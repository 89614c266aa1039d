//! Movement between lanes (docs/gcn/valu-packed.md#dpp).

use std::array;
use std::sync::OnceLock;

use gcnsim_isa::{Dpp, LANES, Vgpr};

/// One bit per lane: set if ROW_MASK and BANK_MASK enable it.
#[inline(always)]
pub(super) fn enabled(dpp: Dpp) -> u64 {
    let banks = (0..4).fold(0, |row, bank| row | ((u64::from(dpp.bank_mask) >> bank & 1) * 0xf) << (4 * bank));
    (0..4).fold(0, |lanes, row| lanes | ((u64::from(dpp.row_mask) >> row & 1) * banks) << (16 * row))
}

/// The lanes that other lanes get their values from.
pub(super) struct Movement {
    /// The source of each lane. If a lane has none, this is any number below 64.
    from: [u8; LANES],
    /// One bit per lane: set if it has a source.
    pub in_range: u64,
}

impl Movement {
    /// One bit per lane: set if its source is in range and active.
    #[inline(always)]
    pub fn reached(&self, exec: u64) -> u64 {
        if exec == u64::MAX {
            return self.in_range;
        }
        let active = (0..LANES).fold(0, |bits, lane| bits | (exec >> (self.from[lane] & 63) & 1) << lane);
        active & self.in_range
    }

    /// The moved values; 0 in lanes that are not `reached`.
    #[inline(always)]
    pub fn apply<'a>(&self, dwords: &Vgpr, reached: u64, room: &'a mut Option<Vgpr>) -> &'a Vgpr {
        let mut out = Vgpr([0; LANES]);
        for lane in 0..LANES {
            let value = dwords.0[usize::from(self.from[lane] & 63)];
            out.0[lane] = if reached >> lane & 1 == 1 { value } else { 0 };
        }
        room.insert(out)
    }
}

/// The movement of a DPP_CTRL. An illegal one moves nothing.
pub(super) fn movement(ctrl: u16) -> &'static Movement {
    static MOVEMENTS: OnceLock<Vec<Movement>> = OnceLock::new();
    const LAST: u16 = 0x143;
    const NONE: Movement = Movement { from: [0; LANES], in_range: 0 };
    let movements = MOVEMENTS.get_or_init(|| {
        let movement = |ctrl| Movement {
            from: array::from_fn(|lane| source_lane(ctrl, lane as i32).unwrap_or(0) as u8),
            in_range: (0..64).fold(0, |bits, lane| bits | u64::from(source_lane(ctrl, lane).is_some()) << lane),
        };
        (0..=LAST).map(movement).collect()
    });
    movements.get(usize::from(ctrl)).unwrap_or(&NONE)
}

/// The lane whose value a lane gets.
fn source_lane(ctrl: u16, lane: i32) -> Option<i32> {
    let (place, row) = (lane & 15, lane & !15);
    let n = i32::from(ctrl & 15);
    let inside = |condition: bool, source: i32| condition.then_some(source);
    match ctrl {
        // quad_perm
        0x000..=0x0ff => Some((lane & !3) + i32::from(ctrl >> (2 * (lane & 3)) & 3)),
        // row_shl
        0x101..=0x10f => inside(place + n <= 15, lane + n),
        // row_shr
        0x111..=0x11f => inside(place >= n, lane - n),
        // row_ror
        0x121..=0x12f => Some(row + ((place - n) & 15)),
        // wave_shl
        0x130 => inside(lane < 63, lane + 1),
        // wave_rol
        0x134 => Some((lane + 1) & 63),
        // wave_shr
        0x138 => inside(lane > 0, lane - 1),
        // wave_ror
        0x13c => Some((lane - 1) & 63),
        // row_mirror
        0x140 => Some(lane ^ 15),
        // row_half_mirror
        0x141 => Some(lane ^ 7),
        // row_bcast15
        0x142 => inside(lane >= 16, row - 1),
        // row_bcast31
        0x143 => inside(lane >= 32, 31),
        _ => None,
    }
}
