; XTEA, 32 cycles: encrypts a block, then decrypts the result again.
; in:  s[0:3] = key, s4, s5 = plain text
; out: s6, s7 = cipher text, s8, s9 = decrypted (equal to s4, s5)
; generations: gcn1.0 gcn1.1
.set DELTA, 0x9e3779b9
; s12 = (((v << 4) ^ (v >> 5)) + v) ^ (sum + key[m0])
.macro MIX v
    s_lshl_b32 s12, \v, 4
    s_lshr_b32 s13, \v, 5
    s_xor_b32 s12, s12, s13
    s_add_u32 s12, s12, \v
    s_movrels_b32 s13, s0
    s_add_u32 s13, s13, s10
    s_xor_b32 s12, s12, s13
.endm
    s_mov_b32 s6, s4
    s_mov_b32 s7, s5
    s_mov_b32 s10, 0                    ; sum
    s_mov_b32 s11, 32
encrypt:
    s_and_b32 m0, s10, 3
    MIX s7
    s_add_u32 s6, s6, s12
    s_add_u32 s10, s10, DELTA
    s_bfe_u32 m0, s10, 0x2000b          ; (sum >> 11) & 3
    MIX s6
    s_add_u32 s7, s7, s12
    s_sub_u32 s11, s11, 1
    s_cmp_lg_u32 s11, 0
    s_cbranch_scc1 encrypt
    s_mov_b32 s8, s6
    s_mov_b32 s9, s7
decrypt:
    s_bfe_u32 m0, s10, 0x2000b
    MIX s8
    s_sub_u32 s9, s9, s12
    s_sub_u32 s10, s10, DELTA
    s_and_b32 m0, s10, 3
    MIX s9
    s_sub_u32 s8, s8, s12
    s_cmp_lg_u32 s10, 0
    s_cbranch_scc1 decrypt
    s_endpgm
