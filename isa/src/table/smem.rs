//! SMEM rows: scalar memory (GCN 1.2 on). Columns: see [`crate::table`].

macro_rules! for_each_smem {
    ($callback:ident) => {
        $callback! { Smem SMEM
    s_load_dword = SLoadDword { op: [- - 0 0 0], moves: load(1), base: Address }
    s_load_dwordx2 = SLoadDwordx2 { op: [- - 1 1 1], moves: load(2), base: Address }
    s_load_dwordx4 = SLoadDwordx4 { op: [- - 2 2 2], moves: load(4), base: Address }
    s_load_dwordx8 = SLoadDwordx8 { op: [- - 3 3 3], moves: load(8), base: Address }
    s_load_dwordx16 = SLoadDwordx16 { op: [- - 4 4 4], moves: load(16), base: Address }
    s_scratch_load_dword = SScratchLoadDword { op: [- - - 5 5], moves: load(1), base: Scratch }
    s_scratch_load_dwordx2 = SScratchLoadDwordx2 { op: [- - - 6 6], moves: load(2), base: Scratch }
    s_scratch_load_dwordx4 = SScratchLoadDwordx4 { op: [- - - 7 7], moves: load(4), base: Scratch }
    s_buffer_load_dword = SBufferLoadDword { op: [- - 8 8 8], moves: load(1), base: Buffer }
    s_buffer_load_dwordx2 = SBufferLoadDwordx2 { op: [- - 9 9 9], moves: load(2), base: Buffer }
    s_buffer_load_dwordx4 = SBufferLoadDwordx4 { op: [- - 10 10 10], moves: load(4), base: Buffer }
    s_buffer_load_dwordx8 = SBufferLoadDwordx8 { op: [- - 11 11 11], moves: load(8), base: Buffer }
    s_buffer_load_dwordx16 = SBufferLoadDwordx16 { op: [- - 12 12 12], moves: load(16), base: Buffer }
    s_store_dword = SStoreDword { op: [- - 16 16 16], moves: store(1), base: Address }
    s_store_dwordx2 = SStoreDwordx2 { op: [- - 17 17 17], moves: store(2), base: Address }
    s_store_dwordx4 = SStoreDwordx4 { op: [- - 18 18 18], moves: store(4), base: Address }
    s_scratch_store_dword = SScratchStoreDword { op: [- - - 21 21], moves: store(1), base: Scratch }
    s_scratch_store_dwordx2 = SScratchStoreDwordx2 { op: [- - - 22 22], moves: store(2), base: Scratch }
    s_scratch_store_dwordx4 = SScratchStoreDwordx4 { op: [- - - 23 23], moves: store(4), base: Scratch }
    s_buffer_store_dword = SBufferStoreDword { op: [- - 24 24 24], moves: store(1), base: Buffer }
    s_buffer_store_dwordx2 = SBufferStoreDwordx2 { op: [- - 25 25 25], moves: store(2), base: Buffer }
    s_buffer_store_dwordx4 = SBufferStoreDwordx4 { op: [- - 26 26 26], moves: store(4), base: Buffer }
    s_dcache_inv = SDcacheInv { op: [- - 32 32 32], moves: Cache, "no effect: the scalar data cache is invalidated" }
    s_dcache_wb = SDcacheWb { op: [- - 33 33 33], moves: Cache, "no effect: the scalar data cache is written back" }
    s_dcache_inv_vol = SDcacheInvVol { op: [- - 34 34 34], moves: Cache, "no effect: volatile lines of the scalar data cache are invalidated" }
    s_dcache_wb_vol = SDcacheWbVol { op: [- - 35 35 35], moves: Cache, "no effect: volatile lines of the scalar data cache are written back" }
    s_memtime = SMemtime { op: [- - 36 36 36], moves: Clock, "D = counter of clock cycles (64 bits)" }
    s_memrealtime = SMemrealtime { op: [- - 37 37 37], moves: Clock, "D = counter of a constant clock (64 bits)" }
    s_atc_probe = SAtcProbe { op: [- - 38 38 38], moves: Probe, base: Address }
    s_atc_probe_buffer = SAtcProbeBuffer { op: [- - 39 39 39], moves: Probe, base: Buffer }
    s_dcache_discard = SDcacheDiscard { op: [- - - 40 40], moves: Discard, base: Address }
    s_dcache_discard_x2 = SDcacheDiscardX2 { op: [- - - 41 41], moves: Discard, base: Address }
    s_buffer_atomic_swap = SBufferAtomicSwap { op: [- - - 64 64], moves: Atomic(Swap, B32), base: Buffer }
    s_buffer_atomic_cmpswap = SBufferAtomicCmpswap { op: [- - - 65 65], moves: Atomic(Cmpswap, B32), base: Buffer }
    s_buffer_atomic_add = SBufferAtomicAdd { op: [- - - 66 66], moves: Atomic(Add, B32), base: Buffer }
    s_buffer_atomic_sub = SBufferAtomicSub { op: [- - - 67 67], moves: Atomic(Sub, B32), base: Buffer }
    s_buffer_atomic_smin = SBufferAtomicSmin { op: [- - - 68 68], moves: Atomic(Smin, B32), base: Buffer }
    s_buffer_atomic_umin = SBufferAtomicUmin { op: [- - - 69 69], moves: Atomic(Umin, B32), base: Buffer }
    s_buffer_atomic_smax = SBufferAtomicSmax { op: [- - - 70 70], moves: Atomic(Smax, B32), base: Buffer }
    s_buffer_atomic_umax = SBufferAtomicUmax { op: [- - - 71 71], moves: Atomic(Umax, B32), base: Buffer }
    s_buffer_atomic_and = SBufferAtomicAnd { op: [- - - 72 72], moves: Atomic(And, B32), base: Buffer }
    s_buffer_atomic_or = SBufferAtomicOr { op: [- - - 73 73], moves: Atomic(Or, B32), base: Buffer }
    s_buffer_atomic_xor = SBufferAtomicXor { op: [- - - 74 74], moves: Atomic(Xor, B32), base: Buffer }
    s_buffer_atomic_inc = SBufferAtomicInc { op: [- - - 75 75], moves: Atomic(Inc, B32), base: Buffer }
    s_buffer_atomic_dec = SBufferAtomicDec { op: [- - - 76 76], moves: Atomic(Dec, B32), base: Buffer }
    s_buffer_atomic_swap_x2 = SBufferAtomicSwapX2 { op: [- - - 96 96], moves: Atomic(Swap, B64), base: Buffer }
    s_buffer_atomic_cmpswap_x2 = SBufferAtomicCmpswapX2 { op: [- - - 97 97], moves: Atomic(Cmpswap, B64), base: Buffer }
    s_buffer_atomic_add_x2 = SBufferAtomicAddX2 { op: [- - - 98 98], moves: Atomic(Add, B64), base: Buffer }
    s_buffer_atomic_sub_x2 = SBufferAtomicSubX2 { op: [- - - 99 99], moves: Atomic(Sub, B64), base: Buffer }
    s_buffer_atomic_smin_x2 = SBufferAtomicSminX2 { op: [- - - 100 100], moves: Atomic(Smin, B64), base: Buffer }
    s_buffer_atomic_umin_x2 = SBufferAtomicUminX2 { op: [- - - 101 101], moves: Atomic(Umin, B64), base: Buffer }
    s_buffer_atomic_smax_x2 = SBufferAtomicSmaxX2 { op: [- - - 102 102], moves: Atomic(Smax, B64), base: Buffer }
    s_buffer_atomic_umax_x2 = SBufferAtomicUmaxX2 { op: [- - - 103 103], moves: Atomic(Umax, B64), base: Buffer }
    s_buffer_atomic_and_x2 = SBufferAtomicAndX2 { op: [- - - 104 104], moves: Atomic(And, B64), base: Buffer }
    s_buffer_atomic_or_x2 = SBufferAtomicOrX2 { op: [- - - 105 105], moves: Atomic(Or, B64), base: Buffer }
    s_buffer_atomic_xor_x2 = SBufferAtomicXorX2 { op: [- - - 106 106], moves: Atomic(Xor, B64), base: Buffer }
    s_buffer_atomic_inc_x2 = SBufferAtomicIncX2 { op: [- - - 107 107], moves: Atomic(Inc, B64), base: Buffer }
    s_buffer_atomic_dec_x2 = SBufferAtomicDecX2 { op: [- - - 108 108], moves: Atomic(Dec, B64), base: Buffer }
    s_atomic_swap = SAtomicSwap { op: [- - - 128 128], moves: Atomic(Swap, B32), base: Address }
    s_atomic_cmpswap = SAtomicCmpswap { op: [- - - 129 129], moves: Atomic(Cmpswap, B32), base: Address }
    s_atomic_add = SAtomicAdd { op: [- - - 130 130], moves: Atomic(Add, B32), base: Address }
    s_atomic_sub = SAtomicSub { op: [- - - 131 131], moves: Atomic(Sub, B32), base: Address }
    s_atomic_smin = SAtomicSmin { op: [- - - 132 132], moves: Atomic(Smin, B32), base: Address }
    s_atomic_umin = SAtomicUmin { op: [- - - 133 133], moves: Atomic(Umin, B32), base: Address }
    s_atomic_smax = SAtomicSmax { op: [- - - 134 134], moves: Atomic(Smax, B32), base: Address }
    s_atomic_umax = SAtomicUmax { op: [- - - 135 135], moves: Atomic(Umax, B32), base: Address }
    s_atomic_and = SAtomicAnd { op: [- - - 136 136], moves: Atomic(And, B32), base: Address }
    s_atomic_or = SAtomicOr { op: [- - - 137 137], moves: Atomic(Or, B32), base: Address }
    s_atomic_xor = SAtomicXor { op: [- - - 138 138], moves: Atomic(Xor, B32), base: Address }
    s_atomic_inc = SAtomicInc { op: [- - - 139 139], moves: Atomic(Inc, B32), base: Address }
    s_atomic_dec = SAtomicDec { op: [- - - 140 140], moves: Atomic(Dec, B32), base: Address }
    s_atomic_swap_x2 = SAtomicSwapX2 { op: [- - - 160 160], moves: Atomic(Swap, B64), base: Address }
    s_atomic_cmpswap_x2 = SAtomicCmpswapX2 { op: [- - - 161 161], moves: Atomic(Cmpswap, B64), base: Address }
    s_atomic_add_x2 = SAtomicAddX2 { op: [- - - 162 162], moves: Atomic(Add, B64), base: Address }
    s_atomic_sub_x2 = SAtomicSubX2 { op: [- - - 163 163], moves: Atomic(Sub, B64), base: Address }
    s_atomic_smin_x2 = SAtomicSminX2 { op: [- - - 164 164], moves: Atomic(Smin, B64), base: Address }
    s_atomic_umin_x2 = SAtomicUminX2 { op: [- - - 165 165], moves: Atomic(Umin, B64), base: Address }
    s_atomic_smax_x2 = SAtomicSmaxX2 { op: [- - - 166 166], moves: Atomic(Smax, B64), base: Address }
    s_atomic_umax_x2 = SAtomicUmaxX2 { op: [- - - 167 167], moves: Atomic(Umax, B64), base: Address }
    s_atomic_and_x2 = SAtomicAndX2 { op: [- - - 168 168], moves: Atomic(And, B64), base: Address }
    s_atomic_or_x2 = SAtomicOrX2 { op: [- - - 169 169], moves: Atomic(Or, B64), base: Address }
    s_atomic_xor_x2 = SAtomicXorX2 { op: [- - - 170 170], moves: Atomic(Xor, B64), base: Address }
    s_atomic_inc_x2 = SAtomicIncX2 { op: [- - - 171 171], moves: Atomic(Inc, B64), base: Address }
    s_atomic_dec_x2 = SAtomicDecX2 { op: [- - - 172 172], moves: Atomic(Dec, B64), base: Address }
        }
    };
}
pub(crate) use for_each_smem;
