//! What each row of MUBUF and MTBUF does.

use gcnsim_isa::table::{Mtbuf, Mubuf};

use super::atomics::Atomic;
use super::element::{Data, Part};

/// What a row of MUBUF or MTBUF does.
#[derive(Clone, Copy, Debug)]
pub(super) enum Row {
    /// Moves bytes as they are.
    Untyped(Data),
    /// Loads or stores components of an element in a format.
    Formatted(Formatted),
    /// Stores a dword of LDS.
    StoreLds,
    /// Does nothing: an instruction of the caches.
    Nothing,
}

/// A formatted access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Formatted {
    /// Is it a store?
    pub is_store: bool,
    /// Components in registers, 1..=4.
    pub components: u8,
    /// How registers hold them.
    pub layout: Layout,
}

/// How registers hold the components of a formatted access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Layout {
    /// 32 bits each.
    Dwords,
    /// 16 bits each: two to a register from GCN 1.4 on, before it one in the low half.
    Halves,
    /// One in the upper half.
    HighHalf,
}

const fn load(components: u8, layout: Layout) -> Row {
    Row::Formatted(Formatted { is_store: false, components, layout })
}

const fn store(components: u8, layout: Layout) -> Row {
    Row::Formatted(Formatted { is_store: true, components, layout })
}

/// Of a MTBUF row.
pub(super) fn typed(op: Mtbuf) -> Row {
    use Layout::{Dwords, Halves};
    use Mtbuf::*;
    match op {
        TbufferLoadFormatX => load(1, Dwords),
        TbufferLoadFormatXy => load(2, Dwords),
        TbufferLoadFormatXyz => load(3, Dwords),
        TbufferLoadFormatXyzw => load(4, Dwords),
        TbufferStoreFormatX => store(1, Dwords),
        TbufferStoreFormatXy => store(2, Dwords),
        TbufferStoreFormatXyz => store(3, Dwords),
        TbufferStoreFormatXyzw => store(4, Dwords),
        TbufferLoadFormatD16X => load(1, Halves),
        TbufferLoadFormatD16Xy => load(2, Halves),
        TbufferLoadFormatD16Xyz => load(3, Halves),
        TbufferLoadFormatD16Xyzw => load(4, Halves),
        TbufferStoreFormatD16X => store(1, Halves),
        TbufferStoreFormatD16Xy => store(2, Halves),
        TbufferStoreFormatD16Xyz => store(3, Halves),
        TbufferStoreFormatD16Xyzw => store(4, Halves),
    }
}

/// Of a MUBUF row.
pub(super) fn untyped(op: Mubuf) -> Row {
    use Layout::{Dwords, Halves, HighHalf};
    use Mubuf::*;
    let data = match op {
        BufferLoadFormatX => return load(1, Dwords),
        BufferLoadFormatXy => return load(2, Dwords),
        BufferLoadFormatXyz => return load(3, Dwords),
        BufferLoadFormatXyzw => return load(4, Dwords),
        BufferStoreFormatX => return store(1, Dwords),
        BufferStoreFormatXy => return store(2, Dwords),
        BufferStoreFormatXyz => return store(3, Dwords),
        BufferStoreFormatXyzw => return store(4, Dwords),
        BufferLoadFormatD16X => return load(1, Halves),
        BufferLoadFormatD16Xy => return load(2, Halves),
        BufferLoadFormatD16Xyz => return load(3, Halves),
        BufferLoadFormatD16Xyzw => return load(4, Halves),
        BufferStoreFormatD16X => return store(1, Halves),
        BufferStoreFormatD16Xy => return store(2, Halves),
        BufferStoreFormatD16Xyz => return store(3, Halves),
        BufferStoreFormatD16Xyzw => return store(4, Halves),
        BufferLoadFormatD16HiX => return load(1, HighHalf),
        BufferStoreFormatD16HiX => return store(1, HighHalf),
        BufferStoreLdsDword => return Row::StoreLds,
        BufferWbinvl1 | BufferWbinvl1Vol | BufferWbinvl1Sc => return Row::Nothing,
        BufferLoadUbyte => Data::load_unsigned(1, Part::Whole),
        BufferLoadSbyte => Data::load_signed(1, Part::Whole),
        BufferLoadUshort => Data::load_unsigned(2, Part::Whole),
        BufferLoadSshort => Data::load_signed(2, Part::Whole),
        BufferLoadDword => Data::load(1),
        BufferLoadDwordx2 => Data::load(2),
        BufferLoadDwordx3 => Data::load(3),
        BufferLoadDwordx4 => Data::load(4),
        BufferStoreByte => Data::store(1),
        BufferStoreByteD16Hi => Data::store_high(1),
        BufferStoreShort => Data::store(2),
        BufferStoreShortD16Hi => Data::store_high(2),
        BufferStoreDword => Data::store(4),
        BufferStoreDwordx2 => Data::store(8),
        BufferStoreDwordx3 => Data::store(12),
        BufferStoreDwordx4 => Data::store(16),
        BufferLoadUbyteD16 => Data::load_unsigned(1, Part::Low),
        BufferLoadUbyteD16Hi => Data::load_unsigned(1, Part::High),
        BufferLoadSbyteD16 => Data::load_signed(1, Part::Low),
        BufferLoadSbyteD16Hi => Data::load_signed(1, Part::High),
        BufferLoadShortD16 => Data::load_unsigned(2, Part::Low),
        BufferLoadShortD16Hi => Data::load_unsigned(2, Part::High),
        BufferAtomicSwap => Data::Atomic(Atomic::Swap, 4),
        BufferAtomicCmpswap => Data::Atomic(Atomic::Cmpswap, 4),
        BufferAtomicAdd => Data::Atomic(Atomic::Add, 4),
        BufferAtomicSub => Data::Atomic(Atomic::Sub, 4),
        BufferAtomicSmin => Data::Atomic(Atomic::Smin, 4),
        BufferAtomicUmin => Data::Atomic(Atomic::Umin, 4),
        BufferAtomicSmax => Data::Atomic(Atomic::Smax, 4),
        BufferAtomicUmax => Data::Atomic(Atomic::Umax, 4),
        BufferAtomicAnd => Data::Atomic(Atomic::And, 4),
        BufferAtomicOr => Data::Atomic(Atomic::Or, 4),
        BufferAtomicXor => Data::Atomic(Atomic::Xor, 4),
        BufferAtomicInc => Data::Atomic(Atomic::Inc, 4),
        BufferAtomicDec => Data::Atomic(Atomic::Dec, 4),
        BufferAtomicFcmpswap => Data::Atomic(Atomic::Fcmpswap, 4),
        BufferAtomicFmin => Data::Atomic(Atomic::Fmin, 4),
        BufferAtomicFmax => Data::Atomic(Atomic::Fmax, 4),
        BufferAtomicSwapX2 => Data::Atomic(Atomic::Swap, 8),
        BufferAtomicCmpswapX2 => Data::Atomic(Atomic::Cmpswap, 8),
        BufferAtomicAddX2 => Data::Atomic(Atomic::Add, 8),
        BufferAtomicSubX2 => Data::Atomic(Atomic::Sub, 8),
        BufferAtomicSminX2 => Data::Atomic(Atomic::Smin, 8),
        BufferAtomicUminX2 => Data::Atomic(Atomic::Umin, 8),
        BufferAtomicSmaxX2 => Data::Atomic(Atomic::Smax, 8),
        BufferAtomicUmaxX2 => Data::Atomic(Atomic::Umax, 8),
        BufferAtomicAndX2 => Data::Atomic(Atomic::And, 8),
        BufferAtomicOrX2 => Data::Atomic(Atomic::Or, 8),
        BufferAtomicXorX2 => Data::Atomic(Atomic::Xor, 8),
        BufferAtomicIncX2 => Data::Atomic(Atomic::Inc, 8),
        BufferAtomicDecX2 => Data::Atomic(Atomic::Dec, 8),
        BufferAtomicFcmpswapX2 => Data::Atomic(Atomic::Fcmpswap, 8),
        BufferAtomicFminX2 => Data::Atomic(Atomic::Fmin, 8),
        BufferAtomicFmaxX2 => Data::Atomic(Atomic::Fmax, 8),
        BufferAtomicRsub => Data::Atomic(Atomic::Rsub, 4),
        BufferAtomicRsubX2 => Data::Atomic(Atomic::Rsub, 8),
    };
    Row::Untyped(data)
}
