; Three nested forks sort the lanes into eight classes by value; every leaf keeps its EXEC mask.
; in:  v0 = lane values below 256
; out: s[64:65], s[66:67], ... s[78:79] = lanes of class value/32, s80 = leaves visited
; generations: gcn1.0 gcn1.1 gcn1.2 gcn1.4
; The fork stack may take s0..s11. JOIN wants the CSP of before the fork: 1 in the side that runs first, 0 in the other.
.macro NODE level, low, size
    .if \size == 32
        s_mov_b64 s[64+\low/16:65+\low/16], exec
        s_addk_i32 s80, 1
    .else
        s_mov_b64 s[36+2*\level:37+2*\level], exec
        s_getreg_b32 s[32+\level], hwreg(HW_REG_MODE, 29, 3)
        s_movk_i32 s50, \low+\size/2
        v_cmp_le_u32_e32 vcc, s50, v0
        s_cbranch_i_fork vcc, upper\@
        NODE (\level+1), \low, (\size/2)
        s_branch joined\@
    upper\@:
        NODE (\level+1), (\low+\size/2), (\size/2)
    joined\@:
        s_cbranch_join s[32+\level]
        s_mov_b64 exec, s[36+2*\level:37+2*\level]
    .endif
.endm
    s_mov_b32 s80, 0
    NODE 0, 0, 256
    s_endpgm
