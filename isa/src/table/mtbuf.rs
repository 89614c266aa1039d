//! MTBUF rows: typed buffer accesses. Columns: see [`crate::table`].

macro_rules! for_each_mtbuf {
    ($callback:ident) => {
        $callback! { Mtbuf MTBUF
        tbuffer_load_format_x = TbufferLoadFormatX { op: [0 0 0 0 0], moves: LoadFormat(1, Whole) }
        tbuffer_load_format_xy = TbufferLoadFormatXy { op: [1 1 1 1 1], moves: LoadFormat(2, Whole) }
        tbuffer_load_format_xyz = TbufferLoadFormatXyz { op: [2 2 2 2 2], moves: LoadFormat(3, Whole) }
        tbuffer_load_format_xyzw = TbufferLoadFormatXyzw { op: [3 3 3 3 3], moves: LoadFormat(4, Whole) }
        tbuffer_store_format_x = TbufferStoreFormatX { op: [4 4 4 4 4], moves: StoreFormat(1, Whole) }
        tbuffer_store_format_xy = TbufferStoreFormatXy { op: [5 5 5 5 5], moves: StoreFormat(2, Whole) }
        tbuffer_store_format_xyz = TbufferStoreFormatXyz { op: [6 6 6 6 6], moves: StoreFormat(3, Whole) }
        tbuffer_store_format_xyzw = TbufferStoreFormatXyzw { op: [7 7 7 7 7], moves: StoreFormat(4, Whole) }
        tbuffer_load_format_d16_x = TbufferLoadFormatD16X { op: [- - 8 8 8], moves: LoadFormat(1, D16) }
        tbuffer_load_format_d16_xy = TbufferLoadFormatD16Xy { op: [- - 9 9 9], moves: LoadFormat(2, D16) }
        tbuffer_load_format_d16_xyz = TbufferLoadFormatD16Xyz { op: [- - 10 10 10], moves: LoadFormat(3, D16) }
        tbuffer_load_format_d16_xyzw = TbufferLoadFormatD16Xyzw { op: [- - 11 11 11], moves: LoadFormat(4, D16) }
        tbuffer_store_format_d16_x = TbufferStoreFormatD16X { op: [- - 12 12 12], moves: StoreFormat(1, D16) }
        tbuffer_store_format_d16_xy = TbufferStoreFormatD16Xy { op: [- - 13 13 13], moves: StoreFormat(2, D16) }
        tbuffer_store_format_d16_xyz = TbufferStoreFormatD16Xyz { op: [- - 14 14 14], moves: StoreFormat(3, D16) }
        tbuffer_store_format_d16_xyzw = TbufferStoreFormatD16Xyzw { op: [- - 15 15 15], moves: StoreFormat(4, D16) }
            }
    };
}
pub(crate) use for_each_mtbuf;
