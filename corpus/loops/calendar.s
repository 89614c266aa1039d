; Days, months, years and days of the week; how many Fridays are the thirteenth.
; in:  s100 = days
; out: s[64:65] = day and month, s66 = year, s67 = Fridays
; generations: gcn1.4
.include "loop.inc"
    s_mov_b32 s0, 1                     ; day
    s_mov_b32 s1, 1                     ; month
    s_mov_b32 s2, 1900                  ; year
    s_mov_b32 s5, 0                     ; day of the week: Monday
    s_mov_b32 s6, 0                     ; Fridays
    s_mov_b32 s8, 0x15aa                ; months of 31 days
loop:
    s_lshr_b32 s3, s8, s1
    s_and_b32 s3, s3, 1
    s_add_u32 s3, s3, 30
    s_cmp_eq_u32 s1, 2
    s_cbranch_scc0 other
    s_mov_b32 s3, 28
    s_and_b32 s4, s2, 3
    s_cbranch_scc1 other
    s_mov_b32 s3, 29
other:
    s_add_u32 s0, s0, 1
    s_cmp_gt_u32 s0, s3
    s_cbranch_scc0 on
    s_mov_b32 s0, 1
    s_add_u32 s1, s1, 1
    s_cmp_gt_u32 s1, 12
    s_cbranch_scc0 on
    s_mov_b32 s1, 1
    s_add_u32 s2, s2, 1
on:
    s_add_u32 s5, s5, 1
    s_cmp_eq_u32 s5, 7
    s_cmov_b32 s5, 0
    s_cmp_eq_u32 s5, 4
    s_cselect_b32 s4, s0, 0
    s_cmp_eq_u32 s4, 13
    s_addc_u32 s6, s6, 0
    NEXT loop
    s_mov_b64 s[64:65], s[0:1]
    s_mov_b32 s66, s2
    s_mov_b32 s67, s6
    FINISH
