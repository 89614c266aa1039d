//! SMRD rows: scalar memory reads (GCN 1.0 and 1.1). Columns: see [`crate::table`].

macro_rules! for_each_smrd {
    ($callback:ident) => {
        $callback! { Smrd SMRD
        s_load_dword = SLoadDword { op: [0 0 - - -], moves: load(1), base: Address }
        s_load_dwordx2 = SLoadDwordx2 { op: [1 1 - - -], moves: load(2), base: Address }
        s_load_dwordx4 = SLoadDwordx4 { op: [2 2 - - -], moves: load(4), base: Address }
        s_load_dwordx8 = SLoadDwordx8 { op: [3 3 - - -], moves: load(8), base: Address }
        s_load_dwordx16 = SLoadDwordx16 { op: [4 4 - - -], moves: load(16), base: Address }
        s_buffer_load_dword = SBufferLoadDword { op: [8 8 - - -], moves: load(1), base: Buffer }
        s_buffer_load_dwordx2 = SBufferLoadDwordx2 { op: [9 9 - - -], moves: load(2), base: Buffer }
        s_buffer_load_dwordx4 = SBufferLoadDwordx4 { op: [10 10 - - -], moves: load(4), base: Buffer }
        s_buffer_load_dwordx8 = SBufferLoadDwordx8 { op: [11 11 - - -], moves: load(8), base: Buffer }
        s_buffer_load_dwordx16 = SBufferLoadDwordx16 { op: [12 12 - - -], moves: load(16), base: Buffer }
        s_dcache_inv_vol = SDcacheInvVol { op: [- 29 - - -], moves: Cache, "no effect: volatile lines of the scalar data cache are invalidated" }
        s_memtime = SMemtime { op: [30 30 - - -], moves: Clock, "D = counter of clock cycles (64 bits)" }
        s_dcache_inv = SDcacheInv { op: [31 31 - - -], moves: Cache, "no effect: the scalar data cache is invalidated" }
            }
    };
}
pub(crate) use for_each_smrd;
