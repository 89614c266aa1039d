; Double dabble: binary to packed decimal digits.
; in:  s0 = number
; out: s[2:3] = ten decimal digits, four bits each
; generations: gcn1.0 gcn1.4
    s_mov_b64 s[2:3], 0
    s_movk_i32 s1, 31
bit:
    ; add 3 to each digit that is 5 or more: then digit + 3 has its bit 3 set
    s_add_u32 s4, s2, 0x33333333
    s_addc_u32 s5, s3, 0x33
    s_and_b32 s4, s4, 0x88888888
    s_and_b32 s5, s5, 0x88
    s_lshr_b64 s[6:7], s[4:5], 3
    s_lshr_b64 s[4:5], s[4:5], 2
    s_or_b64 s[4:5], s[4:5], s[6:7]     ; 3 in each such digit
    s_add_u32 s2, s2, s4
    s_addc_u32 s3, s3, s5
    s_bitcmp1_b32 s0, s1
    s_addc_u32 s2, s2, s2               ; shift the next bit in
    s_addc_u32 s3, s3, s3
    s_sub_u32 s1, s1, 1
    s_cbranch_scc0 bit
    s_endpgm
