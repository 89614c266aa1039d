//! SCRATCH rows: loads and stores in private memory. Columns: see [`crate::table`].

macro_rules! for_each_scratch {
    ($callback:ident) => {
        $callback! { Scratch SCRATCH
        scratch_load_ubyte = ScratchLoadUbyte { op: [- - - 16 16], moves: Load(U8) }
        scratch_load_sbyte = ScratchLoadSbyte { op: [- - - 17 17], moves: Load(I8) }
        scratch_load_ushort = ScratchLoadUshort { op: [- - - 18 18], moves: Load(U16) }
        scratch_load_sshort = ScratchLoadSshort { op: [- - - 19 19], moves: Load(I16) }
        scratch_load_dword = ScratchLoadDword { op: [- - - 20 20], moves: load(1) }
        scratch_load_dwordx2 = ScratchLoadDwordx2 { op: [- - - 21 21], moves: load(2) }
        scratch_load_dwordx3 = ScratchLoadDwordx3 { op: [- - - 22 22], moves: load(3) }
        scratch_load_dwordx4 = ScratchLoadDwordx4 { op: [- - - 23 23], moves: load(4) }
        scratch_store_byte = ScratchStoreByte { op: [- - - 24 24], moves: Store(BYTE) }
        scratch_store_byte_d16_hi = ScratchStoreByteD16Hi { op: [- - - 25 25], moves: Store(BYTE_D16_HI) }
        scratch_store_short = ScratchStoreShort { op: [- - - 26 26], moves: Store(SHORT) }
        scratch_store_short_d16_hi = ScratchStoreShortD16Hi { op: [- - - 27 27], moves: Store(SHORT_D16_HI) }
        scratch_store_dword = ScratchStoreDword { op: [- - - 28 28], moves: store(1) }
        scratch_store_dwordx2 = ScratchStoreDwordx2 { op: [- - - 29 29], moves: store(2) }
        scratch_store_dwordx3 = ScratchStoreDwordx3 { op: [- - - 30 30], moves: store(3) }
        scratch_store_dwordx4 = ScratchStoreDwordx4 { op: [- - - 31 31], moves: store(4) }
        scratch_load_ubyte_d16 = ScratchLoadUbyteD16 { op: [- - - 32 32], moves: Load(U8_D16) }
        scratch_load_ubyte_d16_hi = ScratchLoadUbyteD16Hi { op: [- - - 33 33], moves: Load(U8_D16_HI) }
        scratch_load_sbyte_d16 = ScratchLoadSbyteD16 { op: [- - - 34 34], moves: Load(I8_D16) }
        scratch_load_sbyte_d16_hi = ScratchLoadSbyteD16Hi { op: [- - - 35 35], moves: Load(I8_D16_HI) }
        scratch_load_short_d16 = ScratchLoadShortD16 { op: [- - - 36 36], moves: Load(B16_D16) }
        scratch_load_short_d16_hi = ScratchLoadShortD16Hi { op: [- - - 37 37], moves: Load(B16_D16_HI) }
            }
    };
}
pub(crate) use for_each_scratch;
