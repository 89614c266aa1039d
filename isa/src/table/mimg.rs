//! MIMG rows: image accesses. Columns: see [`crate::table`].

macro_rules! for_each_mimg {
    ($callback:ident) => {
        $callback! { Mimg MIMG
    image_load = ImageLoad { op: [0 0 0 0 0], kind: Access::Load, vaddr: 1, d16: true, "D = texel" }
    image_load_mip = ImageLoadMip { op: [1 1 1 1 1], kind: Access::Load, vaddr: 1, d16: true, "D = texel of the mip level in the address" }
    image_load_pck = ImageLoadPck { op: [2 2 2 2 2], kind: Access::Load, vaddr: 1, "D = texel, its bits as they are" }
    image_load_pck_sgn = ImageLoadPckSgn { op: [3 3 3 3 3], kind: Access::Load, vaddr: 1, "D = texel, its bits sign-extended" }
    image_load_mip_pck = ImageLoadMipPck { op: [4 4 4 4 4], kind: Access::Load, vaddr: 1, "D = texel of the mip level in the address, its bits as they are" }
    image_load_mip_pck_sgn = ImageLoadMipPckSgn { op: [5 5 5 5 5], kind: Access::Load, vaddr: 1, "D = texel of the mip level in the address, its bits sign-extended" }
    image_store = ImageStore { op: [8 8 8 8 8], kind: Access::Store, vaddr: 1, d16: true, "texel = DATA" }
    image_store_mip = ImageStoreMip { op: [9 9 9 9 9], kind: Access::Store, vaddr: 1, d16: true, "texel of the mip level in the address = DATA" }
    image_store_pck = ImageStorePck { op: [10 10 10 10 10], kind: Access::Store, vaddr: 1, "texel = DATA, its bits as they are" }
    image_store_mip_pck = ImageStoreMipPck { op: [11 11 11 11 11], kind: Access::Store, vaddr: 1, "texel of the mip level in the address = DATA, its bits as they are" }
    image_get_resinfo = ImageGetResinfo { op: [14 14 14 14 14], kind: Access::Load, vaddr: 1, "D = width, height, depth and number of mip levels of the image" }
    image_atomic_swap = ImageAtomicSwap { op: [15 15 16 16 16], kind: Access::Atomic, vaddr: 1, data: ImageData::Atomic(1), "texel = DATA; with GLC D = old" }
    image_atomic_cmpswap = ImageAtomicCmpswap { op: [16 16 17 17 17], kind: Access::Atomic, vaddr: 1, data: ImageData::Atomic(2), "texel = old == DATA1 ? DATA0 : old; with GLC D = old" }
    image_atomic_add = ImageAtomicAdd { op: [17 17 18 18 18], kind: Access::Atomic, vaddr: 1, data: ImageData::Atomic(1), "texel = old + DATA; with GLC D = old" }
    image_atomic_rsub = ImageAtomicRsub { op: [19 - - - -], kind: Access::Atomic, vaddr: 1, data: ImageData::Atomic(1), "texel = DATA - old; with GLC D = old" }
    image_atomic_sub = ImageAtomicSub { op: [18 18 19 19 19], kind: Access::Atomic, vaddr: 1, data: ImageData::Atomic(1), "texel = old - DATA; with GLC D = old" }
    image_atomic_smin = ImageAtomicSmin { op: [20 20 20 20 20], kind: Access::Atomic, vaddr: 1, data: ImageData::Atomic(1), "texel = smaller of old, DATA, signed; with GLC D = old" }
    image_atomic_umin = ImageAtomicUmin { op: [21 21 21 21 21], kind: Access::Atomic, vaddr: 1, data: ImageData::Atomic(1), "texel = smaller of old, DATA, unsigned; with GLC D = old" }
    image_atomic_smax = ImageAtomicSmax { op: [22 22 22 22 22], kind: Access::Atomic, vaddr: 1, data: ImageData::Atomic(1), "texel = larger of old, DATA, signed; with GLC D = old" }
    image_atomic_umax = ImageAtomicUmax { op: [23 23 23 23 23], kind: Access::Atomic, vaddr: 1, data: ImageData::Atomic(1), "texel = larger of old, DATA, unsigned; with GLC D = old" }
    image_atomic_and = ImageAtomicAnd { op: [24 24 24 24 24], kind: Access::Atomic, vaddr: 1, data: ImageData::Atomic(1), "texel = old & DATA; with GLC D = old" }
    image_atomic_or = ImageAtomicOr { op: [25 25 25 25 25], kind: Access::Atomic, vaddr: 1, data: ImageData::Atomic(1), "texel = old | DATA; with GLC D = old" }
    image_atomic_xor = ImageAtomicXor { op: [26 26 26 26 26], kind: Access::Atomic, vaddr: 1, data: ImageData::Atomic(1), "texel = old ^ DATA; with GLC D = old" }
    image_atomic_inc = ImageAtomicInc { op: [27 27 27 27 27], kind: Access::Atomic, vaddr: 1, data: ImageData::Atomic(1), "texel = old >= DATA ? 0 : old + 1; with GLC D = old" }
    image_atomic_dec = ImageAtomicDec { op: [28 28 28 28 28], kind: Access::Atomic, vaddr: 1, data: ImageData::Atomic(1), "texel = old == 0 or old > DATA ? DATA : old - 1; with GLC D = old" }
    image_atomic_fcmpswap = ImageAtomicFcmpswap { op: [29 29 - - -], kind: Access::Atomic, vaddr: 1, data: ImageData::Atomic(2), "texel = old == DATA1 ? DATA0 : old, floats; with GLC D = old" }
    image_atomic_fmin = ImageAtomicFmin { op: [30 30 - - -], kind: Access::Atomic, vaddr: 1, data: ImageData::Atomic(1), "texel = smaller of old, DATA, floats; with GLC D = old" }
    image_atomic_fmax = ImageAtomicFmax { op: [31 31 - - -], kind: Access::Atomic, vaddr: 1, data: ImageData::Atomic(1), "texel = larger of old, DATA, floats; with GLC D = old" }
    image_sample = ImageSample { op: [32 32 32 32 32], kind: Access::Load, vaddr: 1, sampler: true, d16: true, "D = filtered texels" }
    image_sample_cl = ImageSampleCl { op: [33 33 33 33 33], kind: Access::Load, vaddr: 1, sampler: true, d16: true, "D = filtered texels, clamped level" }
    image_sample_d = ImageSampleD { op: [34 34 34 34 34], kind: Access::Load, vaddr: 2, sampler: true, d16: true, "D = filtered texels, by gradients" }
    image_sample_d_cl = ImageSampleDCl { op: [35 35 35 35 35], kind: Access::Load, vaddr: 2, sampler: true, d16: true, "D = filtered texels, by gradients, clamped level" }
    image_sample_l = ImageSampleL { op: [36 36 36 36 36], kind: Access::Load, vaddr: 1, sampler: true, d16: true, "D = filtered texels, of a level" }
    image_sample_b = ImageSampleB { op: [37 37 37 37 37], kind: Access::Load, vaddr: 2, sampler: true, d16: true, "D = filtered texels, with a bias" }
    image_sample_b_cl = ImageSampleBCl { op: [38 38 38 38 38], kind: Access::Load, vaddr: 2, sampler: true, d16: true, "D = filtered texels, with a bias, clamped level" }
    image_sample_lz = ImageSampleLz { op: [39 39 39 39 39], kind: Access::Load, vaddr: 1, sampler: true, d16: true, "D = filtered texels, of level 0" }
    image_sample_c = ImageSampleC { op: [40 40 40 40 40], kind: Access::Load, vaddr: 2, sampler: true, d16: true, "D = filtered texels, compared" }
    image_sample_c_cl = ImageSampleCCl { op: [41 41 41 41 41], kind: Access::Load, vaddr: 2, sampler: true, d16: true, "D = filtered texels, compared, clamped level" }
    image_sample_c_d = ImageSampleCD { op: [42 42 42 42 42], kind: Access::Load, vaddr: 3, sampler: true, d16: true, "D = filtered texels, compared, by gradients" }
    image_sample_c_d_cl = ImageSampleCDCl { op: [43 43 43 43 43], kind: Access::Load, vaddr: 3, sampler: true, d16: true, "D = filtered texels, compared, by gradients, clamped level" }
    image_sample_c_l = ImageSampleCL { op: [44 44 44 44 44], kind: Access::Load, vaddr: 2, sampler: true, d16: true, "D = filtered texels, compared, of a level" }
    image_sample_c_b = ImageSampleCB { op: [45 45 45 45 45], kind: Access::Load, vaddr: 3, sampler: true, d16: true, "D = filtered texels, compared, with a bias" }
    image_sample_c_b_cl = ImageSampleCBCl { op: [46 46 46 46 46], kind: Access::Load, vaddr: 3, sampler: true, d16: true, "D = filtered texels, compared, with a bias, clamped level" }
    image_sample_c_lz = ImageSampleCLz { op: [47 47 47 47 47], kind: Access::Load, vaddr: 2, sampler: true, d16: true, "D = filtered texels, compared, of level 0" }
    image_sample_o = ImageSampleO { op: [48 48 48 48 48], kind: Access::Load, vaddr: 2, sampler: true, d16: true, "D = filtered texels, offset" }
    image_sample_cl_o = ImageSampleClO { op: [49 49 49 49 49], kind: Access::Load, vaddr: 2, sampler: true, d16: true, "D = filtered texels, clamped level, offset" }
    image_sample_d_o = ImageSampleDO { op: [50 50 50 50 50], kind: Access::Load, vaddr: 3, sampler: true, d16: true, "D = filtered texels, by gradients, offset" }
    image_sample_d_cl_o = ImageSampleDClO { op: [51 51 51 51 51], kind: Access::Load, vaddr: 3, sampler: true, d16: true, "D = filtered texels, by gradients, clamped level, offset" }
    image_sample_l_o = ImageSampleLO { op: [52 52 52 52 52], kind: Access::Load, vaddr: 2, sampler: true, d16: true, "D = filtered texels, of a level, offset" }
    image_sample_b_o = ImageSampleBO { op: [53 53 53 53 53], kind: Access::Load, vaddr: 3, sampler: true, d16: true, "D = filtered texels, with a bias, offset" }
    image_sample_b_cl_o = ImageSampleBClO { op: [54 54 54 54 54], kind: Access::Load, vaddr: 3, sampler: true, d16: true, "D = filtered texels, with a bias, clamped level, offset" }
    image_sample_lz_o = ImageSampleLzO { op: [55 55 55 55 55], kind: Access::Load, vaddr: 2, sampler: true, d16: true, "D = filtered texels, of level 0, offset" }
    image_sample_c_o = ImageSampleCO { op: [56 56 56 56 56], kind: Access::Load, vaddr: 3, sampler: true, d16: true, "D = filtered texels, compared, offset" }
    image_sample_c_cl_o = ImageSampleCClO { op: [57 57 57 57 57], kind: Access::Load, vaddr: 3, sampler: true, d16: true, "D = filtered texels, compared, clamped level, offset" }
    image_sample_c_d_o = ImageSampleCDO { op: [58 58 58 58 58], kind: Access::Load, vaddr: 4, sampler: true, d16: true, "D = filtered texels, compared, by gradients, offset" }
    image_sample_c_d_cl_o = ImageSampleCDClO { op: [59 59 59 59 59], kind: Access::Load, vaddr: 4, sampler: true, d16: true, "D = filtered texels, compared, by gradients, clamped level, offset" }
    image_sample_c_l_o = ImageSampleCLO { op: [60 60 60 60 60], kind: Access::Load, vaddr: 3, sampler: true, d16: true, "D = filtered texels, compared, of a level, offset" }
    image_sample_c_b_o = ImageSampleCBO { op: [61 61 61 61 61], kind: Access::Load, vaddr: 4, sampler: true, d16: true, "D = filtered texels, compared, with a bias, offset" }
    image_sample_c_b_cl_o = ImageSampleCBClO { op: [62 62 62 62 62], kind: Access::Load, vaddr: 4, sampler: true, d16: true, "D = filtered texels, compared, with a bias, clamped level, offset" }
    image_sample_c_lz_o = ImageSampleCLzO { op: [63 63 63 63 63], kind: Access::Load, vaddr: 3, sampler: true, d16: true, "D = filtered texels, compared, of level 0, offset" }
    image_gather4 = ImageGather4 { op: [64 64 64 64 64], kind: Access::Load, vaddr: 1, data: ImageData::Four, sampler: true, d16: true, "D = a component of four texels" }
    image_gather4_cl = ImageGather4Cl { op: [65 65 65 65 65], kind: Access::Load, vaddr: 1, data: ImageData::Four, sampler: true, d16: true, "D = a component of four texels, clamped level" }
    image_gather4h = ImageGather4h { op: [- - - 66 66], kind: Access::Load, vaddr: 1, data: ImageData::Four, sampler: true, "D = a component of four texels in a row" }
    image_gather4_l = ImageGather4L { op: [68 68 68 68 68], kind: Access::Load, vaddr: 1, data: ImageData::Four, sampler: true, d16: true, "D = a component of four texels, of a level" }
    image_gather4_b = ImageGather4B { op: [69 69 69 69 69], kind: Access::Load, vaddr: 2, data: ImageData::Four, sampler: true, d16: true, "D = a component of four texels, with a bias" }
    image_gather4_b_cl = ImageGather4BCl { op: [70 70 70 70 70], kind: Access::Load, vaddr: 2, data: ImageData::Four, sampler: true, d16: true, "D = a component of four texels, with a bias, clamped level" }
    image_gather4_lz = ImageGather4Lz { op: [71 71 71 71 71], kind: Access::Load, vaddr: 1, data: ImageData::Four, sampler: true, d16: true, "D = a component of four texels, of level 0" }
    image_gather4_c = ImageGather4C { op: [72 72 72 72 72], kind: Access::Load, vaddr: 2, data: ImageData::Four, sampler: true, d16: true, "D = a component of four texels, compared" }
    image_gather4_c_cl = ImageGather4CCl { op: [73 73 73 73 73], kind: Access::Load, vaddr: 2, data: ImageData::Four, sampler: true, d16: true, "D = a component of four texels, compared, clamped level" }
    image_gather4h_pck = ImageGather4hPck { op: [- - - 74 74], kind: Access::Load, vaddr: 1, data: ImageData::Four, sampler: true, "D = four texels in a row, their bits" }
    image_gather8h_pck = ImageGather8hPck { op: [- - - 75 75], kind: Access::Load, vaddr: 1, data: ImageData::Four, sampler: true, "D = eight texels in a row, their bits" }
    image_gather4_c_l = ImageGather4CL { op: [76 76 76 76 76], kind: Access::Load, vaddr: 2, data: ImageData::Four, sampler: true, d16: true, "D = a component of four texels, compared, of a level" }
    image_gather4_c_b = ImageGather4CB { op: [77 77 77 77 77], kind: Access::Load, vaddr: 3, data: ImageData::Four, sampler: true, d16: true, "D = a component of four texels, compared, with a bias" }
    image_gather4_c_b_cl = ImageGather4CBCl { op: [78 78 78 78 78], kind: Access::Load, vaddr: 3, data: ImageData::Four, sampler: true, d16: true, "D = a component of four texels, compared, with a bias, clamped level" }
    image_gather4_c_lz = ImageGather4CLz { op: [79 79 79 79 79], kind: Access::Load, vaddr: 2, data: ImageData::Four, sampler: true, d16: true, "D = a component of four texels, compared, of level 0" }
    image_gather4_o = ImageGather4O { op: [80 80 80 80 80], kind: Access::Load, vaddr: 2, data: ImageData::Four, sampler: true, d16: true, "D = a component of four texels, offset" }
    image_gather4_cl_o = ImageGather4ClO { op: [81 81 81 81 81], kind: Access::Load, vaddr: 2, data: ImageData::Four, sampler: true, d16: true, "D = a component of four texels, clamped level, offset" }
    image_gather4_l_o = ImageGather4LO { op: [84 84 84 84 84], kind: Access::Load, vaddr: 2, data: ImageData::Four, sampler: true, d16: true, "D = a component of four texels, of a level, offset" }
    image_gather4_b_o = ImageGather4BO { op: [85 85 85 85 85], kind: Access::Load, vaddr: 3, data: ImageData::Four, sampler: true, d16: true, "D = a component of four texels, with a bias, offset" }
    image_gather4_b_cl_o = ImageGather4BClO { op: [86 86 86 86 86], kind: Access::Load, vaddr: 3, data: ImageData::Four, sampler: true, d16: true, "D = a component of four texels, with a bias, clamped level, offset" }
    image_gather4_lz_o = ImageGather4LzO { op: [87 87 87 87 87], kind: Access::Load, vaddr: 2, data: ImageData::Four, sampler: true, d16: true, "D = a component of four texels, of level 0, offset" }
    image_gather4_c_o = ImageGather4CO { op: [88 88 88 88 88], kind: Access::Load, vaddr: 3, data: ImageData::Four, sampler: true, d16: true, "D = a component of four texels, compared, offset" }
    image_gather4_c_cl_o = ImageGather4CClO { op: [89 89 89 89 89], kind: Access::Load, vaddr: 3, data: ImageData::Four, sampler: true, d16: true, "D = a component of four texels, compared, clamped level, offset" }
    image_gather4_c_l_o = ImageGather4CLO { op: [92 92 92 92 92], kind: Access::Load, vaddr: 3, data: ImageData::Four, sampler: true, d16: true, "D = a component of four texels, compared, of a level, offset" }
    image_gather4_c_b_o = ImageGather4CBO { op: [93 93 93 93 93], kind: Access::Load, vaddr: 4, data: ImageData::Four, sampler: true, d16: true, "D = a component of four texels, compared, with a bias, offset" }
    image_gather4_c_b_cl_o = ImageGather4CBClO { op: [94 94 94 94 94], kind: Access::Load, vaddr: 4, data: ImageData::Four, sampler: true, d16: true, "D = a component of four texels, compared, with a bias, clamped level, offset" }
    image_gather4_c_lz_o = ImageGather4CLzO { op: [95 95 95 95 95], kind: Access::Load, vaddr: 3, data: ImageData::Four, sampler: true, d16: true, "D = a component of four texels, compared, of level 0, offset" }
    image_get_lod = ImageGetLod { op: [96 96 96 96 96], kind: Access::Load, vaddr: 1, sampler: true, "D = level of detail that a sample would take" }
    image_sample_cd = ImageSampleCd { op: [104 104 104 104 104], kind: Access::Load, vaddr: 2, sampler: true, d16: true, "D = filtered texels, by coarse gradients" }
    image_sample_cd_cl = ImageSampleCdCl { op: [105 105 105 105 105], kind: Access::Load, vaddr: 2, sampler: true, d16: true, "D = filtered texels, by coarse gradients, clamped level" }
    image_sample_c_cd = ImageSampleCCd { op: [106 106 106 106 106], kind: Access::Load, vaddr: 3, sampler: true, d16: true, "D = filtered texels, compared, by coarse gradients" }
    image_sample_c_cd_cl = ImageSampleCCdCl { op: [107 107 107 107 107], kind: Access::Load, vaddr: 3, sampler: true, d16: true, "D = filtered texels, compared, by coarse gradients, clamped level" }
    image_sample_cd_o = ImageSampleCdO { op: [108 108 108 108 108], kind: Access::Load, vaddr: 3, sampler: true, d16: true, "D = filtered texels, by coarse gradients, offset" }
    image_sample_cd_cl_o = ImageSampleCdClO { op: [109 109 109 109 109], kind: Access::Load, vaddr: 3, sampler: true, d16: true, "D = filtered texels, by coarse gradients, clamped level, offset" }
    image_sample_c_cd_o = ImageSampleCCdO { op: [110 110 110 110 110], kind: Access::Load, vaddr: 4, sampler: true, d16: true, "D = filtered texels, compared, by coarse gradients, offset" }
    image_sample_c_cd_cl_o = ImageSampleCCdClO { op: [111 111 111 111 111], kind: Access::Load, vaddr: 4, sampler: true, d16: true, "D = filtered texels, compared, by coarse gradients, clamped level, offset" }
        }
    };
}
pub(crate) use for_each_mimg;
