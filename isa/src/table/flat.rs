//! FLAT rows: loads, stores and atomics on generic addresses. Columns: see [`crate::table`].

macro_rules! for_each_flat {
    ($callback:ident) => {
        $callback! { Flat FLAT
        flat_load_ubyte = FlatLoadUbyte { op: [- 8 16 16 16], moves: Load(U8) }
        flat_load_sbyte = FlatLoadSbyte { op: [- 9 17 17 17], moves: Load(I8) }
        flat_load_ushort = FlatLoadUshort { op: [- 10 18 18 18], moves: Load(U16) }
        flat_load_sshort = FlatLoadSshort { op: [- 11 19 19 19], moves: Load(I16) }
        flat_load_dword = FlatLoadDword { op: [- 12 20 20 20], moves: load(1) }
        flat_load_dwordx2 = FlatLoadDwordx2 { op: [- 13 21 21 21], moves: load(2) }
        flat_load_dwordx3 = FlatLoadDwordx3 { op: [- 15 22 22 22], moves: load(3) }
        flat_load_dwordx4 = FlatLoadDwordx4 { op: [- 14 23 23 23], moves: load(4) }
        flat_store_byte = FlatStoreByte { op: [- 24 24 24 24], moves: Store(BYTE) }
        flat_store_byte_d16_hi = FlatStoreByteD16Hi { op: [- - - 25 25], moves: Store(BYTE_D16_HI) }
        flat_store_short = FlatStoreShort { op: [- 26 26 26 26], moves: Store(SHORT) }
        flat_store_short_d16_hi = FlatStoreShortD16Hi { op: [- - - 27 27], moves: Store(SHORT_D16_HI) }
        flat_store_dword = FlatStoreDword { op: [- 28 28 28 28], moves: store(1) }
        flat_store_dwordx2 = FlatStoreDwordx2 { op: [- 29 29 29 29], moves: store(2) }
        flat_store_dwordx3 = FlatStoreDwordx3 { op: [- 31 30 30 30], moves: store(3) }
        flat_store_dwordx4 = FlatStoreDwordx4 { op: [- 30 31 31 31], moves: store(4) }
        flat_load_ubyte_d16 = FlatLoadUbyteD16 { op: [- - - 32 32], moves: Load(U8_D16) }
        flat_load_ubyte_d16_hi = FlatLoadUbyteD16Hi { op: [- - - 33 33], moves: Load(U8_D16_HI) }
        flat_load_sbyte_d16 = FlatLoadSbyteD16 { op: [- - - 34 34], moves: Load(I8_D16) }
        flat_load_sbyte_d16_hi = FlatLoadSbyteD16Hi { op: [- - - 35 35], moves: Load(I8_D16_HI) }
        flat_load_short_d16 = FlatLoadShortD16 { op: [- - - 36 36], moves: Load(B16_D16) }
        flat_load_short_d16_hi = FlatLoadShortD16Hi { op: [- - - 37 37], moves: Load(B16_D16_HI) }
        flat_atomic_fcmpswap = FlatAtomicFcmpswap { op: [- 62 - - -], moves: Atomic(Fcmpswap, B32) }
        flat_atomic_fmin = FlatAtomicFmin { op: [- 63 - - -], moves: Atomic(Fmin, B32) }
        flat_atomic_fmax = FlatAtomicFmax { op: [- 64 - - -], moves: Atomic(Fmax, B32) }
        flat_atomic_swap = FlatAtomicSwap { op: [- 48 64 64 64], moves: Atomic(Swap, B32) }
        flat_atomic_cmpswap = FlatAtomicCmpswap { op: [- 49 65 65 65], moves: Atomic(Cmpswap, B32) }
        flat_atomic_add = FlatAtomicAdd { op: [- 50 66 66 66], moves: Atomic(Add, B32) }
        flat_atomic_sub = FlatAtomicSub { op: [- 51 67 67 67], moves: Atomic(Sub, B32) }
        flat_atomic_smin = FlatAtomicSmin { op: [- 53 68 68 68], moves: Atomic(Smin, B32) }
        flat_atomic_umin = FlatAtomicUmin { op: [- 54 69 69 69], moves: Atomic(Umin, B32) }
        flat_atomic_smax = FlatAtomicSmax { op: [- 55 70 70 70], moves: Atomic(Smax, B32) }
        flat_atomic_umax = FlatAtomicUmax { op: [- 56 71 71 71], moves: Atomic(Umax, B32) }
        flat_atomic_and = FlatAtomicAnd { op: [- 57 72 72 72], moves: Atomic(And, B32) }
        flat_atomic_or = FlatAtomicOr { op: [- 58 73 73 73], moves: Atomic(Or, B32) }
        flat_atomic_xor = FlatAtomicXor { op: [- 59 74 74 74], moves: Atomic(Xor, B32) }
        flat_atomic_inc = FlatAtomicInc { op: [- 60 75 75 75], moves: Atomic(Inc, B32) }
        flat_atomic_dec = FlatAtomicDec { op: [- 61 76 76 76], moves: Atomic(Dec, B32) }
        flat_atomic_fcmpswap_x2 = FlatAtomicFcmpswapX2 { op: [- 94 - - -], moves: Atomic(Fcmpswap, B64) }
        flat_atomic_fmin_x2 = FlatAtomicFminX2 { op: [- 95 - - -], moves: Atomic(Fmin, B64) }
        flat_atomic_fmax_x2 = FlatAtomicFmaxX2 { op: [- 96 - - -], moves: Atomic(Fmax, B64) }
        flat_atomic_swap_x2 = FlatAtomicSwapX2 { op: [- 80 96 96 96], moves: Atomic(Swap, B64) }
        flat_atomic_cmpswap_x2 = FlatAtomicCmpswapX2 { op: [- 81 97 97 97], moves: Atomic(Cmpswap, B64) }
        flat_atomic_add_x2 = FlatAtomicAddX2 { op: [- 82 98 98 98], moves: Atomic(Add, B64) }
        flat_atomic_sub_x2 = FlatAtomicSubX2 { op: [- 83 99 99 99], moves: Atomic(Sub, B64) }
        flat_atomic_smin_x2 = FlatAtomicSminX2 { op: [- 85 100 100 100], moves: Atomic(Smin, B64) }
        flat_atomic_umin_x2 = FlatAtomicUminX2 { op: [- 86 101 101 101], moves: Atomic(Umin, B64) }
        flat_atomic_smax_x2 = FlatAtomicSmaxX2 { op: [- 87 102 102 102], moves: Atomic(Smax, B64) }
        flat_atomic_umax_x2 = FlatAtomicUmaxX2 { op: [- 88 103 103 103], moves: Atomic(Umax, B64) }
        flat_atomic_and_x2 = FlatAtomicAndX2 { op: [- 89 104 104 104], moves: Atomic(And, B64) }
        flat_atomic_or_x2 = FlatAtomicOrX2 { op: [- 90 105 105 105], moves: Atomic(Or, B64) }
        flat_atomic_xor_x2 = FlatAtomicXorX2 { op: [- 91 106 106 106], moves: Atomic(Xor, B64) }
        flat_atomic_inc_x2 = FlatAtomicIncX2 { op: [- 92 107 107 107], moves: Atomic(Inc, B64) }
        flat_atomic_dec_x2 = FlatAtomicDecX2 { op: [- 93 108 108 108], moves: Atomic(Dec, B64) }
            }
    };
}
pub(crate) use for_each_flat;
