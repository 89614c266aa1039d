//! MUBUF rows: untyped buffer accesses. Columns: see [`crate::table`].

macro_rules! for_each_mubuf {
    ($callback:ident) => {
        $callback! { Mubuf MUBUF
        buffer_load_format_x = BufferLoadFormatX { op: [0 0 0 0 0], moves: LoadFormat(1, Whole) }
        buffer_load_format_xy = BufferLoadFormatXy { op: [1 1 1 1 1], moves: LoadFormat(2, Whole) }
        buffer_load_format_xyz = BufferLoadFormatXyz { op: [2 2 2 2 2], moves: LoadFormat(3, Whole) }
        buffer_load_format_xyzw = BufferLoadFormatXyzw { op: [3 3 3 3 3], moves: LoadFormat(4, Whole) }
        buffer_store_format_x = BufferStoreFormatX { op: [4 4 4 4 4], moves: StoreFormat(1, Whole) }
        buffer_store_format_xy = BufferStoreFormatXy { op: [5 5 5 5 5], moves: StoreFormat(2, Whole) }
        buffer_store_format_xyz = BufferStoreFormatXyz { op: [6 6 6 6 6], moves: StoreFormat(3, Whole) }
        buffer_store_format_xyzw = BufferStoreFormatXyzw { op: [7 7 7 7 7], moves: StoreFormat(4, Whole) }
        buffer_load_format_d16_x = BufferLoadFormatD16X { op: [- - 8 8 8], moves: LoadFormat(1, D16) }
        buffer_load_format_d16_xy = BufferLoadFormatD16Xy { op: [- - 9 9 9], moves: LoadFormat(2, D16) }
        buffer_load_format_d16_xyz = BufferLoadFormatD16Xyz { op: [- - 10 10 10], moves: LoadFormat(3, D16) }
        buffer_load_format_d16_xyzw = BufferLoadFormatD16Xyzw { op: [- - 11 11 11], moves: LoadFormat(4, D16) }
        buffer_store_format_d16_x = BufferStoreFormatD16X { op: [- - 12 12 12], moves: StoreFormat(1, D16) }
        buffer_store_format_d16_xy = BufferStoreFormatD16Xy { op: [- - 13 13 13], moves: StoreFormat(2, D16) }
        buffer_store_format_d16_xyz = BufferStoreFormatD16Xyz { op: [- - 14 14 14], moves: StoreFormat(3, D16) }
        buffer_store_format_d16_xyzw = BufferStoreFormatD16Xyzw { op: [- - 15 15 15], moves: StoreFormat(4, D16) }
        buffer_load_ubyte = BufferLoadUbyte { op: [8 8 16 16 16], moves: Load(U8) }
        buffer_load_sbyte = BufferLoadSbyte { op: [9 9 17 17 17], moves: Load(I8) }
        buffer_load_ushort = BufferLoadUshort { op: [10 10 18 18 18], moves: Load(U16) }
        buffer_load_sshort = BufferLoadSshort { op: [11 11 19 19 19], moves: Load(I16) }
        buffer_load_dword = BufferLoadDword { op: [12 12 20 20 20], moves: load(1) }
        buffer_load_dwordx2 = BufferLoadDwordx2 { op: [13 13 21 21 21], moves: load(2) }
        buffer_load_dwordx3 = BufferLoadDwordx3 { op: [- 15 22 22 22], moves: load(3) }
        buffer_load_dwordx4 = BufferLoadDwordx4 { op: [14 14 23 23 23], moves: load(4) }
        buffer_store_byte = BufferStoreByte { op: [24 24 24 24 24], moves: Store(BYTE) }
        buffer_store_byte_d16_hi = BufferStoreByteD16Hi { op: [- - - 25 25], moves: Store(BYTE_D16_HI) }
        buffer_store_short = BufferStoreShort { op: [26 26 26 26 26], moves: Store(SHORT) }
        buffer_store_short_d16_hi = BufferStoreShortD16Hi { op: [- - - 27 27], moves: Store(SHORT_D16_HI) }
        buffer_store_dword = BufferStoreDword { op: [28 28 28 28 28], moves: store(1) }
        buffer_store_dwordx2 = BufferStoreDwordx2 { op: [29 29 29 29 29], moves: store(2) }
        buffer_store_dwordx3 = BufferStoreDwordx3 { op: [- 31 30 30 30], moves: store(3) }
        buffer_store_dwordx4 = BufferStoreDwordx4 { op: [30 30 31 31 31], moves: store(4) }
        buffer_load_ubyte_d16 = BufferLoadUbyteD16 { op: [- - - 32 32], moves: Load(U8_D16) }
        buffer_load_ubyte_d16_hi = BufferLoadUbyteD16Hi { op: [- - - 33 33], moves: Load(U8_D16_HI) }
        buffer_load_sbyte_d16 = BufferLoadSbyteD16 { op: [- - - 34 34], moves: Load(I8_D16) }
        buffer_load_sbyte_d16_hi = BufferLoadSbyteD16Hi { op: [- - - 35 35], moves: Load(I8_D16_HI) }
        buffer_load_short_d16 = BufferLoadShortD16 { op: [- - - 36 36], moves: Load(B16_D16) }
        buffer_load_short_d16_hi = BufferLoadShortD16Hi { op: [- - - 37 37], moves: Load(B16_D16_HI) }
        buffer_load_format_d16_hi_x = BufferLoadFormatD16HiX { op: [- - - 38 38], moves: LoadFormat(1, D16Hi) }
        buffer_store_format_d16_hi_x = BufferStoreFormatD16HiX { op: [- - - 39 39], moves: StoreFormat(1, D16Hi) }
        buffer_atomic_rsub = BufferAtomicRsub { op: [52 - - - -], moves: Atomic(Rsub, B32) }
        buffer_store_lds_dword = BufferStoreLdsDword { op: [- - 61 61 61], moves: StoreLds }
        buffer_atomic_fcmpswap = BufferAtomicFcmpswap { op: [62 62 - - -], moves: Atomic(Fcmpswap, B32) }
        buffer_wbinvl1 = BufferWbinvl1 { op: [113 113 62 62 62], moves: Cache, "no effect: the vector cache is written back and invalidated" }
        buffer_atomic_fmin = BufferAtomicFmin { op: [63 63 - - -], moves: Atomic(Fmin, B32) }
        buffer_wbinvl1_vol = BufferWbinvl1Vol { op: [- 112 63 63 63], moves: Cache, "no effect: volatile lines of the vector cache are written back and invalidated" }
        buffer_atomic_fmax = BufferAtomicFmax { op: [64 64 - - -], moves: Atomic(Fmax, B32) }
        buffer_atomic_swap = BufferAtomicSwap { op: [48 48 64 64 64], moves: Atomic(Swap, B32) }
        buffer_atomic_cmpswap = BufferAtomicCmpswap { op: [49 49 65 65 65], moves: Atomic(Cmpswap, B32) }
        buffer_atomic_add = BufferAtomicAdd { op: [50 50 66 66 66], moves: Atomic(Add, B32) }
        buffer_atomic_sub = BufferAtomicSub { op: [51 51 67 67 67], moves: Atomic(Sub, B32) }
        buffer_atomic_smin = BufferAtomicSmin { op: [53 53 68 68 68], moves: Atomic(Smin, B32) }
        buffer_atomic_umin = BufferAtomicUmin { op: [54 54 69 69 69], moves: Atomic(Umin, B32) }
        buffer_atomic_smax = BufferAtomicSmax { op: [55 55 70 70 70], moves: Atomic(Smax, B32) }
        buffer_atomic_umax = BufferAtomicUmax { op: [56 56 71 71 71], moves: Atomic(Umax, B32) }
        buffer_atomic_and = BufferAtomicAnd { op: [57 57 72 72 72], moves: Atomic(And, B32) }
        buffer_atomic_or = BufferAtomicOr { op: [58 58 73 73 73], moves: Atomic(Or, B32) }
        buffer_atomic_xor = BufferAtomicXor { op: [59 59 74 74 74], moves: Atomic(Xor, B32) }
        buffer_atomic_inc = BufferAtomicInc { op: [60 60 75 75 75], moves: Atomic(Inc, B32) }
        buffer_atomic_dec = BufferAtomicDec { op: [61 61 76 76 76], moves: Atomic(Dec, B32) }
        buffer_atomic_rsub_x2 = BufferAtomicRsubX2 { op: [84 - - - -], moves: Atomic(Rsub, B64) }
        buffer_atomic_fcmpswap_x2 = BufferAtomicFcmpswapX2 { op: [94 94 - - -], moves: Atomic(Fcmpswap, B64) }
        buffer_atomic_fmin_x2 = BufferAtomicFminX2 { op: [95 95 - - -], moves: Atomic(Fmin, B64) }
        buffer_atomic_fmax_x2 = BufferAtomicFmaxX2 { op: [96 96 - - -], moves: Atomic(Fmax, B64) }
        buffer_atomic_swap_x2 = BufferAtomicSwapX2 { op: [80 80 96 96 96], moves: Atomic(Swap, B64) }
        buffer_atomic_cmpswap_x2 = BufferAtomicCmpswapX2 { op: [81 81 97 97 97], moves: Atomic(Cmpswap, B64) }
        buffer_atomic_add_x2 = BufferAtomicAddX2 { op: [82 82 98 98 98], moves: Atomic(Add, B64) }
        buffer_atomic_sub_x2 = BufferAtomicSubX2 { op: [83 83 99 99 99], moves: Atomic(Sub, B64) }
        buffer_atomic_smin_x2 = BufferAtomicSminX2 { op: [85 85 100 100 100], moves: Atomic(Smin, B64) }
        buffer_atomic_umin_x2 = BufferAtomicUminX2 { op: [86 86 101 101 101], moves: Atomic(Umin, B64) }
        buffer_atomic_smax_x2 = BufferAtomicSmaxX2 { op: [87 87 102 102 102], moves: Atomic(Smax, B64) }
        buffer_atomic_umax_x2 = BufferAtomicUmaxX2 { op: [88 88 103 103 103], moves: Atomic(Umax, B64) }
        buffer_atomic_and_x2 = BufferAtomicAndX2 { op: [89 89 104 104 104], moves: Atomic(And, B64) }
        buffer_atomic_or_x2 = BufferAtomicOrX2 { op: [90 90 105 105 105], moves: Atomic(Or, B64) }
        buffer_atomic_xor_x2 = BufferAtomicXorX2 { op: [91 91 106 106 106], moves: Atomic(Xor, B64) }
        buffer_atomic_inc_x2 = BufferAtomicIncX2 { op: [92 92 107 107 107], moves: Atomic(Inc, B64) }
        buffer_atomic_dec_x2 = BufferAtomicDecX2 { op: [93 93 108 108 108], moves: Atomic(Dec, B64) }
        buffer_wbinvl1_sc = BufferWbinvl1Sc { op: [112 - - - -], moves: Cache, "no effect: lines of the vector cache that a group shares are invalidated" }
            }
    };
}
pub(crate) use for_each_mubuf;
