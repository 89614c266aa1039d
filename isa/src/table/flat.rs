//! FLAT rows: loads, stores and atomics on generic addresses. Columns: see [`crate::table`].

macro_rules! for_each_flat {
    ($callback:ident) => {
        $callback! { Flat FLAT
        flat_load_ubyte = FlatLoadUbyte { op: [- 8 16 16 16], kind: Access::Load, vdst: 1, data: 0 }
        flat_load_sbyte = FlatLoadSbyte { op: [- 9 17 17 17], kind: Access::Load, vdst: 1, data: 0 }
        flat_load_ushort = FlatLoadUshort { op: [- 10 18 18 18], kind: Access::Load, vdst: 1, data: 0 }
        flat_load_sshort = FlatLoadSshort { op: [- 11 19 19 19], kind: Access::Load, vdst: 1, data: 0 }
        flat_load_dword = FlatLoadDword { op: [- 12 20 20 20], kind: Access::Load, vdst: 1, data: 0 }
        flat_load_dwordx2 = FlatLoadDwordx2 { op: [- 13 21 21 21], kind: Access::Load, vdst: 2, data: 0 }
        flat_load_dwordx3 = FlatLoadDwordx3 { op: [- 15 22 22 22], kind: Access::Load, vdst: 3, data: 0 }
        flat_load_dwordx4 = FlatLoadDwordx4 { op: [- 14 23 23 23], kind: Access::Load, vdst: 4, data: 0 }
        flat_store_byte = FlatStoreByte { op: [- 24 24 24 24], kind: Access::Store, vdst: 0, data: 1 }
        flat_store_byte_d16_hi = FlatStoreByteD16Hi { op: [- - - 25 25], kind: Access::Store, vdst: 0, data: 1 }
        flat_store_short = FlatStoreShort { op: [- 26 26 26 26], kind: Access::Store, vdst: 0, data: 1 }
        flat_store_short_d16_hi = FlatStoreShortD16Hi { op: [- - - 27 27], kind: Access::Store, vdst: 0, data: 1 }
        flat_store_dword = FlatStoreDword { op: [- 28 28 28 28], kind: Access::Store, vdst: 0, data: 1 }
        flat_store_dwordx2 = FlatStoreDwordx2 { op: [- 29 29 29 29], kind: Access::Store, vdst: 0, data: 2 }
        flat_store_dwordx3 = FlatStoreDwordx3 { op: [- 31 30 30 30], kind: Access::Store, vdst: 0, data: 3 }
        flat_store_dwordx4 = FlatStoreDwordx4 { op: [- 30 31 31 31], kind: Access::Store, vdst: 0, data: 4 }
        flat_load_ubyte_d16 = FlatLoadUbyteD16 { op: [- - - 32 32], kind: Access::Load, vdst: 1, data: 0 }
        flat_load_ubyte_d16_hi = FlatLoadUbyteD16Hi { op: [- - - 33 33], kind: Access::Load, vdst: 1, data: 0 }
        flat_load_sbyte_d16 = FlatLoadSbyteD16 { op: [- - - 34 34], kind: Access::Load, vdst: 1, data: 0 }
        flat_load_sbyte_d16_hi = FlatLoadSbyteD16Hi { op: [- - - 35 35], kind: Access::Load, vdst: 1, data: 0 }
        flat_load_short_d16 = FlatLoadShortD16 { op: [- - - 36 36], kind: Access::Load, vdst: 1, data: 0 }
        flat_load_short_d16_hi = FlatLoadShortD16Hi { op: [- - - 37 37], kind: Access::Load, vdst: 1, data: 0 }
        flat_atomic_fcmpswap = FlatAtomicFcmpswap { op: [- 62 - - -], kind: Access::Atomic, vdst: 1, data: 2 }
        flat_atomic_fmin = FlatAtomicFmin { op: [- 63 - - -], kind: Access::Atomic, vdst: 1, data: 1 }
        flat_atomic_fmax = FlatAtomicFmax { op: [- 64 - - -], kind: Access::Atomic, vdst: 1, data: 1 }
        flat_atomic_swap = FlatAtomicSwap { op: [- 48 64 64 64], kind: Access::Atomic, vdst: 1, data: 1 }
        flat_atomic_cmpswap = FlatAtomicCmpswap { op: [- 49 65 65 65], kind: Access::Atomic, vdst: 1, data: 2 }
        flat_atomic_add = FlatAtomicAdd { op: [- 50 66 66 66], kind: Access::Atomic, vdst: 1, data: 1 }
        flat_atomic_sub = FlatAtomicSub { op: [- 51 67 67 67], kind: Access::Atomic, vdst: 1, data: 1 }
        flat_atomic_smin = FlatAtomicSmin { op: [- 53 68 68 68], kind: Access::Atomic, vdst: 1, data: 1 }
        flat_atomic_umin = FlatAtomicUmin { op: [- 54 69 69 69], kind: Access::Atomic, vdst: 1, data: 1 }
        flat_atomic_smax = FlatAtomicSmax { op: [- 55 70 70 70], kind: Access::Atomic, vdst: 1, data: 1 }
        flat_atomic_umax = FlatAtomicUmax { op: [- 56 71 71 71], kind: Access::Atomic, vdst: 1, data: 1 }
        flat_atomic_and = FlatAtomicAnd { op: [- 57 72 72 72], kind: Access::Atomic, vdst: 1, data: 1 }
        flat_atomic_or = FlatAtomicOr { op: [- 58 73 73 73], kind: Access::Atomic, vdst: 1, data: 1 }
        flat_atomic_xor = FlatAtomicXor { op: [- 59 74 74 74], kind: Access::Atomic, vdst: 1, data: 1 }
        flat_atomic_inc = FlatAtomicInc { op: [- 60 75 75 75], kind: Access::Atomic, vdst: 1, data: 1 }
        flat_atomic_dec = FlatAtomicDec { op: [- 61 76 76 76], kind: Access::Atomic, vdst: 1, data: 1 }
        flat_atomic_fcmpswap_x2 = FlatAtomicFcmpswapX2 { op: [- 94 - - -], kind: Access::Atomic, vdst: 2, data: 4 }
        flat_atomic_fmin_x2 = FlatAtomicFminX2 { op: [- 95 - - -], kind: Access::Atomic, vdst: 2, data: 2 }
        flat_atomic_fmax_x2 = FlatAtomicFmaxX2 { op: [- 96 - - -], kind: Access::Atomic, vdst: 2, data: 2 }
        flat_atomic_swap_x2 = FlatAtomicSwapX2 { op: [- 80 96 96 96], kind: Access::Atomic, vdst: 2, data: 2 }
        flat_atomic_cmpswap_x2 = FlatAtomicCmpswapX2 { op: [- 81 97 97 97], kind: Access::Atomic, vdst: 2, data: 4 }
        flat_atomic_add_x2 = FlatAtomicAddX2 { op: [- 82 98 98 98], kind: Access::Atomic, vdst: 2, data: 2 }
        flat_atomic_sub_x2 = FlatAtomicSubX2 { op: [- 83 99 99 99], kind: Access::Atomic, vdst: 2, data: 2 }
        flat_atomic_smin_x2 = FlatAtomicSminX2 { op: [- 85 100 100 100], kind: Access::Atomic, vdst: 2, data: 2 }
        flat_atomic_umin_x2 = FlatAtomicUminX2 { op: [- 86 101 101 101], kind: Access::Atomic, vdst: 2, data: 2 }
        flat_atomic_smax_x2 = FlatAtomicSmaxX2 { op: [- 87 102 102 102], kind: Access::Atomic, vdst: 2, data: 2 }
        flat_atomic_umax_x2 = FlatAtomicUmaxX2 { op: [- 88 103 103 103], kind: Access::Atomic, vdst: 2, data: 2 }
        flat_atomic_and_x2 = FlatAtomicAndX2 { op: [- 89 104 104 104], kind: Access::Atomic, vdst: 2, data: 2 }
        flat_atomic_or_x2 = FlatAtomicOrX2 { op: [- 90 105 105 105], kind: Access::Atomic, vdst: 2, data: 2 }
        flat_atomic_xor_x2 = FlatAtomicXorX2 { op: [- 91 106 106 106], kind: Access::Atomic, vdst: 2, data: 2 }
        flat_atomic_inc_x2 = FlatAtomicIncX2 { op: [- 92 107 107 107], kind: Access::Atomic, vdst: 2, data: 2 }
        flat_atomic_dec_x2 = FlatAtomicDecX2 { op: [- 93 108 108 108], kind: Access::Atomic, vdst: 2, data: 2 }
            }
    };
}
pub(crate) use for_each_flat;
