//! MTBUF rows: typed buffer accesses. Columns: see [`crate::table`].

macro_rules! for_each_mtbuf {
    ($callback:ident) => {
        $callback! { Mtbuf MTBUF
    tbuffer_load_format_x = TbufferLoadFormatX { op: [0 0 0 0 0], kind: Access::Load, data: 1 }
    tbuffer_load_format_xy = TbufferLoadFormatXy { op: [1 1 1 1 1], kind: Access::Load, data: 2 }
    tbuffer_load_format_xyz = TbufferLoadFormatXyz { op: [2 2 2 2 2], kind: Access::Load, data: 3 }
    tbuffer_load_format_xyzw = TbufferLoadFormatXyzw { op: [3 3 3 3 3], kind: Access::Load, data: 4 }
    tbuffer_store_format_x = TbufferStoreFormatX { op: [4 4 4 4 4], kind: Access::Store, data: 1 }
    tbuffer_store_format_xy = TbufferStoreFormatXy { op: [5 5 5 5 5], kind: Access::Store, data: 2 }
    tbuffer_store_format_xyz = TbufferStoreFormatXyz { op: [6 6 6 6 6], kind: Access::Store, data: 3 }
    tbuffer_store_format_xyzw = TbufferStoreFormatXyzw { op: [7 7 7 7 7], kind: Access::Store, data: 4 }
    tbuffer_load_format_d16_x = TbufferLoadFormatD16X { op: [- - 8 8 8], kind: Access::Load, data: 1, d16: true }
    tbuffer_load_format_d16_xy = TbufferLoadFormatD16Xy { op: [- - 9 9 9], kind: Access::Load, data: 2, d16: true }
    tbuffer_load_format_d16_xyz = TbufferLoadFormatD16Xyz { op: [- - 10 10 10], kind: Access::Load, data: 3, d16: true }
    tbuffer_load_format_d16_xyzw = TbufferLoadFormatD16Xyzw { op: [- - 11 11 11], kind: Access::Load, data: 4, d16: true }
    tbuffer_store_format_d16_x = TbufferStoreFormatD16X { op: [- - 12 12 12], kind: Access::Store, data: 1, d16: true }
    tbuffer_store_format_d16_xy = TbufferStoreFormatD16Xy { op: [- - 13 13 13], kind: Access::Store, data: 2, d16: true }
    tbuffer_store_format_d16_xyz = TbufferStoreFormatD16Xyz { op: [- - 14 14 14], kind: Access::Store, data: 3, d16: true }
    tbuffer_store_format_d16_xyzw = TbufferStoreFormatD16Xyzw { op: [- - 15 15 15], kind: Access::Store, data: 4, d16: true }
        }
    };
}
pub(crate) use for_each_mtbuf;
