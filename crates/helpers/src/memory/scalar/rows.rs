//! What the rows of SMRD and SMEM do.

use gcnsim_isa::table::{Smem, Smrd};

use super::super::atomics::Atomic;
use super::{Act, Base};

pub(super) fn smrd(op: Smrd) -> (Act, Base) {
    use Smrd::*;
    match op {
        SLoadDword | SLoadDwordx2 | SLoadDwordx4 | SLoadDwordx8 | SLoadDwordx16 => (Act::Load, Base::Address),
        SBufferLoadDword | SBufferLoadDwordx2 | SBufferLoadDwordx4 | SBufferLoadDwordx8 | SBufferLoadDwordx16 => {
            (Act::Load, Base::Buffer)
        }
        SMemtime => (Act::Time, Base::None),
        SDcacheInv | SDcacheInvVol => (Act::Nothing, Base::None),
    }
}

pub(super) fn smem(op: Smem) -> (Act, Base) {
    use Smem::*;
    match op {
        SLoadDword | SLoadDwordx2 | SLoadDwordx4 | SLoadDwordx8 | SLoadDwordx16 => (Act::Load, Base::Address),
        SScratchLoadDword | SScratchLoadDwordx2 | SScratchLoadDwordx4 => (Act::Load, Base::Scratch),
        SBufferLoadDword | SBufferLoadDwordx2 | SBufferLoadDwordx4 | SBufferLoadDwordx8 | SBufferLoadDwordx16 => {
            (Act::Load, Base::Buffer)
        }
        SStoreDword | SStoreDwordx2 | SStoreDwordx4 => (Act::Store, Base::Address),
        SScratchStoreDword | SScratchStoreDwordx2 | SScratchStoreDwordx4 => (Act::Store, Base::Scratch),
        SBufferStoreDword | SBufferStoreDwordx2 | SBufferStoreDwordx4 => (Act::Store, Base::Buffer),
        SMemtime | SMemrealtime => (Act::Time, Base::None),
        SDcacheInv | SDcacheWb | SDcacheInvVol | SDcacheWbVol => (Act::Nothing, Base::None),
        // Their addresses are looked at by nobody.
        SAtcProbe | SAtcProbeBuffer | SDcacheDiscard | SDcacheDiscardX2 => (Act::Nothing, Base::None),
        SAtomicSwap | SAtomicSwapX2 => (Act::Atomic(Atomic::Swap), Base::Address),
        SAtomicCmpswap | SAtomicCmpswapX2 => (Act::Atomic(Atomic::Cmpswap), Base::Address),
        SAtomicAdd | SAtomicAddX2 => (Act::Atomic(Atomic::Add), Base::Address),
        SAtomicSub | SAtomicSubX2 => (Act::Atomic(Atomic::Sub), Base::Address),
        SAtomicSmin | SAtomicSminX2 => (Act::Atomic(Atomic::Smin), Base::Address),
        SAtomicUmin | SAtomicUminX2 => (Act::Atomic(Atomic::Umin), Base::Address),
        SAtomicSmax | SAtomicSmaxX2 => (Act::Atomic(Atomic::Smax), Base::Address),
        SAtomicUmax | SAtomicUmaxX2 => (Act::Atomic(Atomic::Umax), Base::Address),
        SAtomicAnd | SAtomicAndX2 => (Act::Atomic(Atomic::And), Base::Address),
        SAtomicOr | SAtomicOrX2 => (Act::Atomic(Atomic::Or), Base::Address),
        SAtomicXor | SAtomicXorX2 => (Act::Atomic(Atomic::Xor), Base::Address),
        SAtomicInc | SAtomicIncX2 => (Act::Atomic(Atomic::Inc), Base::Address),
        SAtomicDec | SAtomicDecX2 => (Act::Atomic(Atomic::Dec), Base::Address),
        SBufferAtomicSwap | SBufferAtomicSwapX2 => (Act::Atomic(Atomic::Swap), Base::Buffer),
        SBufferAtomicCmpswap | SBufferAtomicCmpswapX2 => (Act::Atomic(Atomic::Cmpswap), Base::Buffer),
        SBufferAtomicAdd | SBufferAtomicAddX2 => (Act::Atomic(Atomic::Add), Base::Buffer),
        SBufferAtomicSub | SBufferAtomicSubX2 => (Act::Atomic(Atomic::Sub), Base::Buffer),
        SBufferAtomicSmin | SBufferAtomicSminX2 => (Act::Atomic(Atomic::Smin), Base::Buffer),
        SBufferAtomicUmin | SBufferAtomicUminX2 => (Act::Atomic(Atomic::Umin), Base::Buffer),
        SBufferAtomicSmax | SBufferAtomicSmaxX2 => (Act::Atomic(Atomic::Smax), Base::Buffer),
        SBufferAtomicUmax | SBufferAtomicUmaxX2 => (Act::Atomic(Atomic::Umax), Base::Buffer),
        SBufferAtomicAnd | SBufferAtomicAndX2 => (Act::Atomic(Atomic::And), Base::Buffer),
        SBufferAtomicOr | SBufferAtomicOrX2 => (Act::Atomic(Atomic::Or), Base::Buffer),
        SBufferAtomicXor | SBufferAtomicXorX2 => (Act::Atomic(Atomic::Xor), Base::Buffer),
        SBufferAtomicInc | SBufferAtomicIncX2 => (Act::Atomic(Atomic::Inc), Base::Buffer),
        SBufferAtomicDec | SBufferAtomicDecX2 => (Act::Atomic(Atomic::Dec), Base::Buffer),
    }
}
