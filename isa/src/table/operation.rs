//! The operation of a row in words. Rows of the scalar and the vector ALU, and some others, have it as a cell. That of
//! compares and of memory instructions follows from their columns.

use std::borrow::Cow;

use super::image::{ImageMove, LodSource, Lookup, MipLevel, Texel};
use super::memory::Base;
use super::transfer::{Atomic, Load, Packing, Part, Share, Store, Transfer, Width};
use super::{Encoding, InstDesc, Opcode, Vopc};

impl InstDesc {
    /// The operation of the row in one line.
    ///
    /// D is the destination, S0 to S2 are the sources. In memory instructions MEM is what lies at the lane's address,
    /// LDS the same in a data share, DATA what registers hold; of two data values DATA0 is the first. `old` is what was
    /// in memory before. Values of a lane are meant where a register has one for each.
    pub fn operation(&self) -> Cow<'static, str> {
        if !self.meaning.is_empty() {
            return self.meaning.into();
        }
        let moved = match self.opcode {
            Opcode::Vopc(op) => return of_compare(op).into(),
            Opcode::Mimg(op) => return of_image(op.shape().moves).into(),
            Opcode::Ds(op) => return of_transfer(op.shape().moves, "LDS", "").into(),
            Opcode::Smrd(op) => op.shape(),
            Opcode::Smem(op) => op.shape(),
            Opcode::Flat(op) => op.shape(),
            Opcode::Global(op) => op.shape(),
            Opcode::Scratch(op) => op.shape(),
            Opcode::Mubuf(op) => op.shape(),
            Opcode::Mtbuf(op) => op.shape(),
            _ => return self.meaning.into(),
        };
        let place = match (self.encoding, moved.base) {
            (Encoding::Scratch, _) | (_, Base::Scratch) => "scratch",
            (Encoding::Mubuf | Encoding::Mtbuf, _) | (_, Base::Buffer) => "buffer",
            _ => "MEM",
        };
        of_transfer(moved.moves, place, "with GLC ").into()
    }
}

fn of_compare(op: Vopc) -> String {
    let cmp = op.cmp();
    let exec = if cmp.writes_exec { "; EXEC = D" } else { "" };
    let signals = if cmp.signalling { "; signals a NaN" } else { "" };
    format!("{}{exec}{signals}", cmp.pred.meaning())
}

/// The text of a transfer between registers and `m`; `glc` says when an atomic returns the old value.
fn of_transfer(moves: Transfer, m: &str, glc: &str) -> String {
    match moves {
        Transfer::Load(load) => format!("D{} = {} of {m}", part(load.part), loaded(load)),
        Transfer::Store(store) => format!("{m} = {}", stored(store)),
        Transfer::Atomic(atomic, width) if glc.is_empty() => exchanged(atomic, width, m),
        Transfer::Atomic(atomic, width) => format!("{}; {glc}D = old", exchanged(atomic, width, m)),
        Transfer::LoadFormat(count, packing) => {
            let to = if packing == Packing::D16Hi { part(Part::High) } else { "" };
            format!("D{to} = {} of {m}, by its format", components(count, packing))
        }
        Transfer::StoreFormat(count, packing) => {
            let from = if packing == Packing::D16Hi { part(Part::High) } else { "" };
            format!("{} of {m} = DATA{from}, by its format", components(count, packing))
        }
        Transfer::StoreLds => format!("{m} = dword of LDS at M0 + offset + 4 * lane"),
        Transfer::Cache => "no effect: a cache is written back or invalidated".into(),
        Transfer::Discard => "no effect: lines of a cache are dropped".into(),
        Transfer::Probe => "no effect: the translation of an address is fetched".into(),
        Transfer::Clock => "D = clock of 64 bits".into(),
        Transfer::Share(share) => of_share(share),
    }
}

/// The text of a transfer between registers and an image.
fn of_image(moves: ImageMove) -> String {
    let level = |level: MipLevel| if level == MipLevel::Mip { " of the mip level in the address" } else { "" };
    let bits = |texel: Texel| match texel {
        Texel::Formatted => "",
        Texel::Raw => ", its bits as they are",
        Texel::RawSigned => ", its bits sign-extended",
    };
    match moves {
        ImageMove::Load(mip, texel) => format!("D = texel{}{}", level(mip), bits(texel)),
        ImageMove::Store(mip, texel) => format!("texel{} = DATA{}", level(mip), bits(texel)),
        ImageMove::Atomic(op) => exchanged(op, Width::B32, "texel") + "; with GLC D = old",
        ImageMove::Sample(lookup) => format!("D = filtered texels{}", looked_up(lookup)),
        ImageMove::Gather(lookup) => format!("D = a component of four texels{}", looked_up(lookup)),
        ImageMove::GatherRow => "D = texels of a row".into(),
        ImageMove::Level => "D = level of detail that a sample would take".into(),
        ImageMove::Size => "D = width, height, depth and number of mip levels of the image".into(),
    }
}

fn looked_up(lookup: Lookup) -> String {
    let lod = match lookup.lod {
        LodSource::Quad => "",
        LodSource::Bias => ", with a bias",
        LodSource::Derivatives => ", by derivatives",
        LodSource::Given => ", of a level",
        LodSource::Zero => ", of level 0",
    };
    let compared = if lookup.compares { ", compared" } else { "" };
    let clamped = if lookup.is_clamped { ", clamped level" } else { "" };
    let offset = if lookup.has_offset { ", offset" } else { "" };
    [compared, lod, clamped, offset].concat()
}

fn of_share(share: Share) -> String {
    let (by_m0, counter) = ("LDS at M0 + offset", "LDS at offset (GDS: + M0[31:16])");
    match share {
        Share::AtomicReturn(atomic, width) => format!("{}; D = old", exchanged(atomic, width, "LDS")),
        Share::Source2(atomic, width) => {
            let [a, b] = ["LDS[A]", "LDS[B]"];
            changed(atomic, a, [b, b]) + bits(width)
        }
        Share::Read2(width, unit) => format!("D = LDS at offsets 0 and 1; {}", units(width, unit)),
        Share::Write2(width, unit) => {
            format!("LDS at offset 0 = DATA0, at offset 1 = DATA1; {}", units(width, unit))
        }
        Share::Exchange2(width, unit) => {
            format!("LDS at offset 0 = DATA0, at 1 = DATA1; D = old; {}", units(width, unit))
        }
        Share::CondExchange => "each dword of LDS = DATA[30:0] if DATA[31]; D = old".into(),
        Share::ReadAddtid => format!("D = dword of {by_m0} + 4 * lane"),
        Share::WriteAddtid => format!("{by_m0} + 4 * lane = DATA"),
        Share::Append => format!("{counter} += number of active lanes; D = old"),
        Share::Consume => format!("{counter} -= number of active lanes; D = old"),
        Share::Swizzle => "D = address VGPR of the lane that the offset's pattern names".into(),
        Share::Permute => "D of lane (address + offset) / 4 = DATA".into(),
        Share::Bpermute => "D = DATA of lane (address + offset) / 4".into(),
        Share::Nothing => "no operation".into(),
        Share::Gws(_) => "synchronizes waves by a counter".into(),
        Share::OrderedCount => "D = counter of waves, in the order of their creation".into(),
    }
}

fn part(part: Part) -> &'static str {
    match part {
        Part::Whole => "",
        Part::Low => "[15:0]",
        Part::High => "[31:16]",
    }
}

fn dwords(count: u8) -> String {
    if count == 1 { "dword".into() } else { format!("{count} dwords") }
}

fn loaded(load: Load) -> Cow<'static, str> {
    match (load.bytes, load.signed) {
        (1, false) => "zero-extended byte".into(),
        (1, true) => "sign-extended byte".into(),
        (2, _) if load.part != Part::Whole => "16 bits".into(),
        (2, false) => "zero-extended 16 bits".into(),
        (2, true) => "sign-extended 16 bits".into(),
        _ => dwords(load.registers()).into(),
    }
}

fn stored(store: Store) -> Cow<'static, str> {
    match (store.bytes, store.high) {
        (1, false) => "DATA[7:0]".into(),
        (1, true) => "DATA[23:16]".into(),
        (2, false) => "DATA[15:0]".into(),
        (2, true) => "DATA[31:16]".into(),
        _ => format!("DATA ({})", dwords(store.registers())).into(),
    }
}

fn components(count: u8, packing: Packing) -> String {
    let size = if packing == Packing::Whole { "" } else { " as 16 bits" };
    format!("{}{size}", ["x", "xy", "xyz", "xyzw"][count.saturating_sub(1).min(3) as usize])
}

fn units(width: Width, unit: u8) -> String {
    let what = if width == Width::B32 { "dwords" } else { "qwords" };
    if unit == 1 { format!("in {what}") } else { format!("in {unit} {what}") }
}

fn bits(width: Width) -> &'static str {
    if width == Width::B64 { " (64 bits)" } else { "" }
}

fn exchanged(atomic: Atomic, width: Width, m: &str) -> String {
    let data = if atomic.operands() == 1 { ["DATA"; 2] } else { ["DATA0", "DATA1"] };
    changed(atomic, m, data) + bits(width)
}

/// The value that an atomic stores to `m`, as text.
fn changed(atomic: Atomic, m: &str, [d, e]: [&str; 2]) -> String {
    let new = match atomic {
        Atomic::Swap => d.to_owned(),
        Atomic::Add => format!("old + {d}"),
        Atomic::Sub => format!("old - {d}"),
        Atomic::Rsub => format!("{d} - old"),
        Atomic::Smin => format!("smaller of old, {d}, signed"),
        Atomic::Smax => format!("larger of old, {d}, signed"),
        Atomic::Umin => format!("smaller of old, {d}, unsigned"),
        Atomic::Umax => format!("larger of old, {d}, unsigned"),
        Atomic::And => format!("old & {d}"),
        Atomic::Or => format!("old | {d}"),
        Atomic::Xor => format!("old ^ {d}"),
        Atomic::Inc => format!("old >= {d} ? 0 : old + 1"),
        Atomic::Dec => format!("old == 0 or old > {d} ? {d} : old - 1"),
        Atomic::Cmpswap => format!("old == {e} ? {d} : old"),
        Atomic::Cmpst => format!("old == {d} ? {e} : old"),
        Atomic::Mskor => format!("(old & ~{d}) | {e}"),
        Atomic::Wrap => format!("old >= {d} ? old - {d} : old + {e}"),
        Atomic::Fcmpswap => format!("old == {e} ? {d} : old, floats"),
        Atomic::CmpstF => format!("old == {d} ? {e} : old, floats"),
        Atomic::Fmin | Atomic::MinF => format!("smaller of old, {d}, floats"),
        Atomic::Fmax | Atomic::MaxF => format!("larger of old, {d}, floats"),
        Atomic::AddF => format!("old + {d}, floats"),
    };
    format!("{m} = {new}")
}
