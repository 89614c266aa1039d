; Insertion sort of 24 signed numbers in s40.., read and written through s_movrels_b32 and s_movreld_b32.
; in:  s40..s63 = numbers
; out: s40..s63 = ascending, s0 = moves made
; generations: gcn1.0 gcn1.1 gcn1.2 gcn1.4
    s_mov_b32 s0, 0
    s_movk_i32 s1, 1                    ; first unsorted
outer:
    s_mov_b32 m0, s1
    s_movrels_b32 s2, s40
shift:
    s_cmp_eq_u32 m0, 0
    s_cbranch_scc1 insert
    s_movrels_b32 s3, s39               ; its left neighbour
    s_cmp_le_i32 s3, s2
    s_cbranch_scc1 insert
    s_movreld_b32 s40, s3
    s_sub_u32 m0, m0, 1
    s_addk_i32 s0, 1
    s_branch shift
insert:
    s_movreld_b32 s40, s2
    s_addk_i32 s1, 1
    s_cmpk_lt_u32 s1, 24
    s_cbranch_scc1 outer
    s_endpgm
