//! The DPP step before a helper: it moves source 0 between lanes.

use gcnsim_isa::{LANES, Vgpr};

use super::Control;
use super::notes::DPP_INACTIVE_SRC;
use super::sdwa::lanes_of;

/// The lane that each lane reads under a DPP_CTRL; `None` if there is none.
///
/// Illegal values of DPP_CTRL leave the lanes where they are.
pub const fn source_lane(ctrl: u32, lane: u32) -> Option<u32> {
    let (row, k) = (lane & !15, lane & 15);
    match ctrl {
        0..=0xff => Some((lane & !3) + (ctrl >> (2 * (lane & 3)) & 3)),
        0x101..=0x10f => some_if(k + (ctrl & 15) <= 15, lane + (ctrl & 15)),
        0x111..=0x11f => some_if(k >= ctrl & 15, lane.wrapping_sub(ctrl & 15)),
        0x121..=0x12f => Some(row + (k.wrapping_sub(ctrl) & 15)),
        0x130 => some_if(lane < 63, lane + 1),
        0x134 => Some((lane + 1) & 63),
        0x138 => some_if(lane > 0, lane.wrapping_sub(1)),
        0x13c => Some(lane.wrapping_sub(1) & 63),
        0x140 => Some(lane ^ 15),
        0x141 => Some(lane ^ 7),
        0x142 => some_if(row > 0, row.wrapping_sub(1)),
        0x143 => some_if(lane >= 32, 31),
        _ => Some(lane),
    }
}

const fn some_if(condition: bool, lane: u32) -> Option<u32> {
    if condition { Some(lane) } else { None }
}

/// Number of values of DPP_CTRL.
const CONTROLS: usize = 0x144;
/// The entry of [`SOURCES`] for "no lane".
const NO_LANE: u8 = 64;

/// The values of [`source_lane`] for all controls and lanes.
static SOURCES: [[u8; LANES]; CONTROLS] = {
    let mut sources = [[NO_LANE; LANES]; CONTROLS];
    let mut ctrl = 0;
    while ctrl < CONTROLS {
        let mut lane = 0;
        while lane < LANES {
            if let Some(source) = source_lane(ctrl as u32, lane as u32) {
                sources[ctrl][lane] = source as u8;
            }
            lane += 1;
        }
        ctrl += 1;
    }
    sources
};

/// The `how` of [`prepare_dpp`]: DPP_CTRL in 8:0, BANK_MASK in 15:12, ROW_MASK in 19:16, BOUND_CTRL in 20.
pub const fn dpp_how(ctrl: u16, bank_mask: u8, row_mask: u8, bound_ctrl: bool) -> u32 {
    ctrl as u32 & 0x1ff | (bank_mask as u32 & 15) << 12 | (row_mask as u32 & 15) << 16 | (bound_ctrl as u32) << 20
}

/// Writes for each lane the dword of the lane that it reads, or 0 if it reads none. Returns the lanes that take part.
///
/// Adds the note `dpp-inactive-src` to the control block.
///
/// # Safety
///
/// `src` is a source of one dword as for [`ValuHelper`](super::ValuHelper); `dst` is 64 dwords, 64-byte aligned and
/// writable; `control` is writable.
pub unsafe extern "C" fn prepare_dpp(
    src: *const u32,
    dst: *mut u32,
    exec: u64,
    how: u32,
    control: *mut Control,
) -> u64 {
    // SAFETY: the caller promises this.
    let from = unsafe { lanes_of(src) };
    let (bank_mask, row_mask, bound_ctrl) = (how >> 12 & 15, how >> 16 & 15, how >> 20 & 1 == 1);
    let sources = &SOURCES[(how as usize & 0x1ff).min(CONTROLS - 1)];
    let mut lanes = Vgpr([0; LANES]);
    let (mut has_source, mut inactive) = (0, 0);
    for (lane, &source) in sources.iter().enumerate() {
        if source == NO_LANE {
            continue;
        }
        let source = source as usize & (LANES - 1);
        if exec >> source & 1 == 1 {
            lanes.0[lane] = from.0[source];
            has_source |= 1 << lane;
        } else {
            inactive |= 1 << lane;
        }
    }
    // A row has four banks of four lanes; a wave has four rows.
    let banks = (0..4).filter(|bank| bank_mask >> bank & 1 == 1).fold(0, |lanes, bank| lanes | 0xf << (4 * bank));
    let rows = (0..4).filter(|row| row_mask >> row & 1 == 1).fold(0, |lanes: u64, row| lanes | banks << (16 * row));
    let wanted = exec & rows;
    if inactive & wanted != 0 {
        // SAFETY: the caller promises this.
        unsafe { (*control).raise(DPP_INACTIVE_SRC) };
    }
    // SAFETY: the caller promises this.
    unsafe { dst.cast::<Vgpr>().write(lanes) };
    wanted & if bound_ctrl { !0 } else { has_source }
}
