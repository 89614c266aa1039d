//! SCRATCH rows: loads and stores in private memory. Columns: see [`crate::table`].

macro_rules! for_each_scratch {
    ($callback:ident) => {
        $callback! { Scratch SCRATCH
        scratch_load_ubyte = ScratchLoadUbyte { op: [- - - 16 16], kind: Access::Load, vdst: 1, data: 0, lds: true }
        scratch_load_sbyte = ScratchLoadSbyte { op: [- - - 17 17], kind: Access::Load, vdst: 1, data: 0, lds: true }
        scratch_load_ushort = ScratchLoadUshort { op: [- - - 18 18], kind: Access::Load, vdst: 1, data: 0, lds: true }
        scratch_load_sshort = ScratchLoadSshort { op: [- - - 19 19], kind: Access::Load, vdst: 1, data: 0, lds: true }
        scratch_load_dword = ScratchLoadDword { op: [- - - 20 20], kind: Access::Load, vdst: 1, data: 0, lds: true }
        scratch_load_dwordx2 = ScratchLoadDwordx2 { op: [- - - 21 21], kind: Access::Load, vdst: 2, data: 0 }
        scratch_load_dwordx3 = ScratchLoadDwordx3 { op: [- - - 22 22], kind: Access::Load, vdst: 3, data: 0 }
        scratch_load_dwordx4 = ScratchLoadDwordx4 { op: [- - - 23 23], kind: Access::Load, vdst: 4, data: 0 }
        scratch_store_byte = ScratchStoreByte { op: [- - - 24 24], kind: Access::Store, vdst: 0, data: 1 }
        scratch_store_byte_d16_hi = ScratchStoreByteD16Hi { op: [- - - 25 25], kind: Access::Store, vdst: 0, data: 1 }
        scratch_store_short = ScratchStoreShort { op: [- - - 26 26], kind: Access::Store, vdst: 0, data: 1 }
        scratch_store_short_d16_hi = ScratchStoreShortD16Hi { op: [- - - 27 27], kind: Access::Store, vdst: 0, data: 1 }
        scratch_store_dword = ScratchStoreDword { op: [- - - 28 28], kind: Access::Store, vdst: 0, data: 1 }
        scratch_store_dwordx2 = ScratchStoreDwordx2 { op: [- - - 29 29], kind: Access::Store, vdst: 0, data: 2 }
        scratch_store_dwordx3 = ScratchStoreDwordx3 { op: [- - - 30 30], kind: Access::Store, vdst: 0, data: 3 }
        scratch_store_dwordx4 = ScratchStoreDwordx4 { op: [- - - 31 31], kind: Access::Store, vdst: 0, data: 4 }
        scratch_load_ubyte_d16 = ScratchLoadUbyteD16 { op: [- - - 32 32], kind: Access::Load, vdst: 1, data: 0 }
        scratch_load_ubyte_d16_hi = ScratchLoadUbyteD16Hi { op: [- - - 33 33], kind: Access::Load, vdst: 1, data: 0 }
        scratch_load_sbyte_d16 = ScratchLoadSbyteD16 { op: [- - - 34 34], kind: Access::Load, vdst: 1, data: 0 }
        scratch_load_sbyte_d16_hi = ScratchLoadSbyteD16Hi { op: [- - - 35 35], kind: Access::Load, vdst: 1, data: 0 }
        scratch_load_short_d16 = ScratchLoadShortD16 { op: [- - - 36 36], kind: Access::Load, vdst: 1, data: 0 }
        scratch_load_short_d16_hi = ScratchLoadShortD16Hi { op: [- - - 37 37], kind: Access::Load, vdst: 1, data: 0 }
            }
    };
}
pub(crate) use for_each_scratch;
