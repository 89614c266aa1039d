//! Loads of guest memory in segments: which instructions they are, and where their sites lie.

use gcnsim_isa::table::{Load, Transfer};
use gcnsim_isa::{Inst, Notes, Opcode, Vgpr};
use gcnsim_machine::{Access, Apertures, Context, Mapping, Marks};

use super::flat::FlatOp;
use super::{Action, DONE, MemoryOp};
use crate::frame::Frame;
use crate::segment_frame::{MOST_DECLINES, Site};

/// Most bytes that a site has: distances in it are signed numbers of 32 bits.
const MOST_BYTES: u64 = 1 << 31;
/// Bytes that are read at once, so that a site must have as many.
const DWORD: u64 = 4;

/// A load that segments can take: an element of up to four bytes for each lane, at 64-bit addresses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SiteLoad {
    /// What is loaded.
    pub load: Load,
    /// The VGPR with the low dwords of addresses, or with what is added to `saddr`. Without `saddr`, the next one has
    /// the high dwords.
    pub addr: u8,
    /// The first of two scalar registers with a base.
    pub saddr: Option<u8>,
    /// The VGPR of the result.
    pub vdst: u8,
    /// The constant that is added to addresses.
    pub offset: i32,
}

impl SiteLoad {
    /// The load that an instruction is; `None` if segments do not take it.
    pub fn of(inst: &Inst) -> Option<SiteLoad> {
        if !matches!(inst.opcode, Opcode::Flat(_) | Opcode::Global(_)) {
            return None;
        }
        let Transfer::Load(load) = inst.transfer()? else { return None };
        let access = inst.flat_access()?;
        let is_plain = load.bytes <= 4 && access.addr < 255 && !access.lds && !inst.has_tfe_result();
        is_plain.then_some(SiteLoad {
            load,
            addr: access.addr,
            saddr: access.saddr,
            vdst: access.vdst,
            offset: access.offset,
        })
    }
}

/// The helper of a load that tells a site what it reaches, unless the site declined too often.
///
/// # Safety
/// As of a [`Helper`]. The op [has a site](MemoryOp::at_site).
#[allow(unsafe_code)]
pub(super) unsafe extern "C" fn load_and_learn(
    op: *const MemoryOp,
    notes: *mut Notes,
    vgprs: *mut Vgpr,
    frame: *mut Frame,
) -> u32 {
    // SAFETY: the caller's promise.
    let Some((helper, site)) = (unsafe { (*op).site }) else { unreachable!("the op has a site") };
    // SAFETY: the caller's promise.
    let status = unsafe { helper(op, notes, vgprs, frame) };
    if status == DONE {
        // SAFETY: the caller's promise; the helper has returned.
        unsafe { learn(&*op, &mut *frame, site) };
    }
    status
}

/// Lets a site know the mapping that a load has reached. If it knows one already, or cannot know it, that is counted,
/// unless it may know it when the first group has ended.
///
/// # Safety
/// The context of the frame is there, and nothing else uses it.
#[allow(unsafe_code)]
unsafe fn learn(op: &MemoryOp, frame: &mut Frame, site: u8) {
    // SAFETY: the caller's promise.
    let context = unsafe { &*frame.context };
    let (exec, site) = (frame.memory.exec, frame.segment.site_mut(site));
    if site.declines >= MOST_DECLINES {
        return;
    }
    if let (Action::Flat(flat), true, 0) = (&op.action, exec != 0, site.count)
        && let Some(mapping) = context.space.guessed(&op.guess)
    {
        if let Some(known) = known(context, mapping, flat) {
            *site = known;
            return;
        }
        // The end of the first group decides whether loads are marked. A group may load as much as it likes before.
        if mapping.marks().is_some_and(Marks::is_undecided) {
            return;
        }
    }
    site.declines += 1;
}

/// The site of a load in a mapping. It has the addresses from the first one of the mapping on that have the same high
/// dword.
fn known(context: &Context, mapping: &Mapping, flat: &FlatOp) -> Option<Site> {
    if mapping.moves || mapping.marks().is_some_and(|marks| marks.wants(Access::Load)) {
        return None;
    }
    let first = mapping.base.wrapping_sub(flat.offset() as i64 as u64);
    let (low, high) = (first as u32, (first >> 32) as u32);
    // Neither the sum nor the register may lie in an aperture.
    let is_far = |windows: Apertures| {
        [windows.shared, windows.private].into_iter().all(|window| high.wrapping_sub(window).wrapping_add(2) > 3)
    };
    let most = (MOST_BYTES - 1).min((1 << 32) - u64::from(low));
    let last = mapping.len.checked_sub(DWORD)?.min(MOST_BYTES - 1) as u32;
    let count = (mapping.len + 1).checked_sub(u64::from(flat.bytes()))?.min(most) as u32;
    let host = mapping.backing.as_ptr().wrapping_add(mapping.offset) as u64;
    let is_known = context.apertures.is_none_or(is_far);
    is_known.then_some(Site { host, low, high, count, last, ..Site::default() })
}
