//! SMRD rows: scalar memory reads (GCN 1.0 and 1.1). Columns: see [`crate::table`].

macro_rules! for_each_smrd {
    ($callback:ident) => {
        $callback! { Smrd SMRD
        s_load_dword = SLoadDword { op: [0 0 - - -], kind: Access::Load, data: 1, base: 2 }
        s_load_dwordx2 = SLoadDwordx2 { op: [1 1 - - -], kind: Access::Load, data: 2, base: 2 }
        s_load_dwordx4 = SLoadDwordx4 { op: [2 2 - - -], kind: Access::Load, data: 4, base: 2 }
        s_load_dwordx8 = SLoadDwordx8 { op: [3 3 - - -], kind: Access::Load, data: 8, base: 2 }
        s_load_dwordx16 = SLoadDwordx16 { op: [4 4 - - -], kind: Access::Load, data: 16, base: 2 }
        s_buffer_load_dword = SBufferLoadDword { op: [8 8 - - -], kind: Access::Load, data: 1, base: 4 }
        s_buffer_load_dwordx2 = SBufferLoadDwordx2 { op: [9 9 - - -], kind: Access::Load, data: 2, base: 4 }
        s_buffer_load_dwordx4 = SBufferLoadDwordx4 { op: [10 10 - - -], kind: Access::Load, data: 4, base: 4 }
        s_buffer_load_dwordx8 = SBufferLoadDwordx8 { op: [11 11 - - -], kind: Access::Load, data: 8, base: 4 }
        s_buffer_load_dwordx16 = SBufferLoadDwordx16 { op: [12 12 - - -], kind: Access::Load, data: 16, base: 4 }
        s_dcache_inv_vol = SDcacheInvVol { op: [- 29 - - -], kind: Access::Invalidate }
        s_memtime = SMemtime { op: [30 30 - - -], kind: Access::Time, data: 2 }
        s_dcache_inv = SDcacheInv { op: [31 31 - - -], kind: Access::Invalidate }
            }
    };
}
pub(crate) use for_each_smrd;
