//! GLOBAL rows: loads, stores and atomics on global addresses. Columns: see [`crate::table`].

macro_rules! for_each_global {
    ($callback:ident) => {
        $callback! { Global GLOBAL
        global_load_ubyte = GlobalLoadUbyte { op: [- - - 16 16], moves: Load(U8) }
        global_load_sbyte = GlobalLoadSbyte { op: [- - - 17 17], moves: Load(I8) }
        global_load_ushort = GlobalLoadUshort { op: [- - - 18 18], moves: Load(U16) }
        global_load_sshort = GlobalLoadSshort { op: [- - - 19 19], moves: Load(I16) }
        global_load_dword = GlobalLoadDword { op: [- - - 20 20], moves: load(1) }
        global_load_dwordx2 = GlobalLoadDwordx2 { op: [- - - 21 21], moves: load(2) }
        global_load_dwordx3 = GlobalLoadDwordx3 { op: [- - - 22 22], moves: load(3) }
        global_load_dwordx4 = GlobalLoadDwordx4 { op: [- - - 23 23], moves: load(4) }
        global_store_byte = GlobalStoreByte { op: [- - - 24 24], moves: Store(BYTE) }
        global_store_byte_d16_hi = GlobalStoreByteD16Hi { op: [- - - 25 25], moves: Store(BYTE_D16_HI) }
        global_store_short = GlobalStoreShort { op: [- - - 26 26], moves: Store(SHORT) }
        global_store_short_d16_hi = GlobalStoreShortD16Hi { op: [- - - 27 27], moves: Store(SHORT_D16_HI) }
        global_store_dword = GlobalStoreDword { op: [- - - 28 28], moves: store(1) }
        global_store_dwordx2 = GlobalStoreDwordx2 { op: [- - - 29 29], moves: store(2) }
        global_store_dwordx3 = GlobalStoreDwordx3 { op: [- - - 30 30], moves: store(3) }
        global_store_dwordx4 = GlobalStoreDwordx4 { op: [- - - 31 31], moves: store(4) }
        global_load_ubyte_d16 = GlobalLoadUbyteD16 { op: [- - - 32 32], moves: Load(U8_D16) }
        global_load_ubyte_d16_hi = GlobalLoadUbyteD16Hi { op: [- - - 33 33], moves: Load(U8_D16_HI) }
        global_load_sbyte_d16 = GlobalLoadSbyteD16 { op: [- - - 34 34], moves: Load(I8_D16) }
        global_load_sbyte_d16_hi = GlobalLoadSbyteD16Hi { op: [- - - 35 35], moves: Load(I8_D16_HI) }
        global_load_short_d16 = GlobalLoadShortD16 { op: [- - - 36 36], moves: Load(B16_D16) }
        global_load_short_d16_hi = GlobalLoadShortD16Hi { op: [- - - 37 37], moves: Load(B16_D16_HI) }
        global_atomic_swap = GlobalAtomicSwap { op: [- - - 64 64], moves: Atomic(Swap, B32) }
        global_atomic_cmpswap = GlobalAtomicCmpswap { op: [- - - 65 65], moves: Atomic(Cmpswap, B32) }
        global_atomic_add = GlobalAtomicAdd { op: [- - - 66 66], moves: Atomic(Add, B32) }
        global_atomic_sub = GlobalAtomicSub { op: [- - - 67 67], moves: Atomic(Sub, B32) }
        global_atomic_smin = GlobalAtomicSmin { op: [- - - 68 68], moves: Atomic(Smin, B32) }
        global_atomic_umin = GlobalAtomicUmin { op: [- - - 69 69], moves: Atomic(Umin, B32) }
        global_atomic_smax = GlobalAtomicSmax { op: [- - - 70 70], moves: Atomic(Smax, B32) }
        global_atomic_umax = GlobalAtomicUmax { op: [- - - 71 71], moves: Atomic(Umax, B32) }
        global_atomic_and = GlobalAtomicAnd { op: [- - - 72 72], moves: Atomic(And, B32) }
        global_atomic_or = GlobalAtomicOr { op: [- - - 73 73], moves: Atomic(Or, B32) }
        global_atomic_xor = GlobalAtomicXor { op: [- - - 74 74], moves: Atomic(Xor, B32) }
        global_atomic_inc = GlobalAtomicInc { op: [- - - 75 75], moves: Atomic(Inc, B32) }
        global_atomic_dec = GlobalAtomicDec { op: [- - - 76 76], moves: Atomic(Dec, B32) }
        global_atomic_swap_x2 = GlobalAtomicSwapX2 { op: [- - - 96 96], moves: Atomic(Swap, B64) }
        global_atomic_cmpswap_x2 = GlobalAtomicCmpswapX2 { op: [- - - 97 97], moves: Atomic(Cmpswap, B64) }
        global_atomic_add_x2 = GlobalAtomicAddX2 { op: [- - - 98 98], moves: Atomic(Add, B64) }
        global_atomic_sub_x2 = GlobalAtomicSubX2 { op: [- - - 99 99], moves: Atomic(Sub, B64) }
        global_atomic_smin_x2 = GlobalAtomicSminX2 { op: [- - - 100 100], moves: Atomic(Smin, B64) }
        global_atomic_umin_x2 = GlobalAtomicUminX2 { op: [- - - 101 101], moves: Atomic(Umin, B64) }
        global_atomic_smax_x2 = GlobalAtomicSmaxX2 { op: [- - - 102 102], moves: Atomic(Smax, B64) }
        global_atomic_umax_x2 = GlobalAtomicUmaxX2 { op: [- - - 103 103], moves: Atomic(Umax, B64) }
        global_atomic_and_x2 = GlobalAtomicAndX2 { op: [- - - 104 104], moves: Atomic(And, B64) }
        global_atomic_or_x2 = GlobalAtomicOrX2 { op: [- - - 105 105], moves: Atomic(Or, B64) }
        global_atomic_xor_x2 = GlobalAtomicXorX2 { op: [- - - 106 106], moves: Atomic(Xor, B64) }
        global_atomic_inc_x2 = GlobalAtomicIncX2 { op: [- - - 107 107], moves: Atomic(Inc, B64) }
        global_atomic_dec_x2 = GlobalAtomicDecX2 { op: [- - - 108 108], moves: Atomic(Dec, B64) }
            }
    };
}
pub(crate) use for_each_global;
