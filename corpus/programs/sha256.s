; SHA-256 compression of one padded 64-byte block, 64 rounds unrolled with their constants as literals.
; in:  s[0:15] = block as big-endian words (overwritten by the schedule)
; out: s[32:39] = digest words
; generations: gcn1.0 gcn1.4
; the working variables a..h rotate through s[16:23]
.macro PAIR src
    s_mov_b32 s48, \src                 ; both halves equal: the low half of a shift right is a rotation
    s_mov_b32 s49, \src
.endm
.macro XOR_ROTR d, n
    s_lshr_b64 s[50:51], s[48:49], \n
    s_xor_b32 \d, \d, s50
.endm
.macro BIG_SIGMA d, src, p, q, r
    PAIR \src
    s_lshr_b64 s[52:53], s[48:49], \p
    s_mov_b32 \d, s52
    XOR_ROTR \d, \q
    XOR_ROTR \d, \r
.endm
.macro SMALL_SIGMA d, src, p, q, r
    PAIR \src
    s_lshr_b32 \d, \src, \r
    XOR_ROTR \d, \p
    XOR_ROTR \d, \q
.endm
.macro ROUND i, k
    .if \i >= 16
        SMALL_SIGMA s40, s[(\i+1)&15], 7, 18, 3
        s_add_u32 s[\i&15], s[\i&15], s40
        s_add_u32 s[\i&15], s[\i&15], s[(\i+9)&15]
        SMALL_SIGMA s40, s[(\i+14)&15], 17, 19, 10
        s_add_u32 s[\i&15], s[\i&15], s40
    .endif
    BIG_SIGMA s40, s[16+((4-\i)&7)], 6, 11, 25
    s_add_u32 s40, s40, s[16+((7-\i)&7)]
    s_add_u32 s40, s40, \k
    s_add_u32 s40, s40, s[\i&15]
    s_and_b32 s41, s[16+((4-\i)&7)], s[16+((5-\i)&7)]
    s_andn2_b32 s42, s[16+((6-\i)&7)], s[16+((4-\i)&7)]
    s_or_b32 s41, s41, s42
    s_add_u32 s40, s40, s41                         ; T1
    s_add_u32 s[16+((3-\i)&7)], s[16+((3-\i)&7)], s40
    BIG_SIGMA s41, s[16+((0-\i)&7)], 2, 13, 22
    s_add_u32 s40, s40, s41
    s_or_b32 s41, s[16+((0-\i)&7)], s[16+((1-\i)&7)]
    s_and_b32 s41, s41, s[16+((2-\i)&7)]
    s_and_b32 s42, s[16+((0-\i)&7)], s[16+((1-\i)&7)]
    s_or_b32 s41, s41, s42                          ; majority
    s_add_u32 s[16+((7-\i)&7)], s40, s41            ; the new a takes the place of h
.endm
    s_mov_b32 s32, 0x6a09e667
    s_mov_b32 s33, 0xbb67ae85
    s_mov_b32 s34, 0x3c6ef372
    s_mov_b32 s35, 0xa54ff53a
    s_mov_b32 s36, 0x510e527f
    s_mov_b32 s37, 0x9b05688c
    s_mov_b32 s38, 0x1f83d9ab
    s_mov_b32 s39, 0x5be0cd19
    s_mov_b64 s[16:17], s[32:33]
    s_mov_b64 s[18:19], s[34:35]
    s_mov_b64 s[20:21], s[36:37]
    s_mov_b64 s[22:23], s[38:39]
.set I, 0
.irp k, 0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2
    ROUND I, \k
    .set I, I+1
.endr
    s_add_u32 s32, s32, s16
    s_add_u32 s33, s33, s17
    s_add_u32 s34, s34, s18
    s_add_u32 s35, s35, s19
    s_add_u32 s36, s36, s20
    s_add_u32 s37, s37, s21
    s_add_u32 s38, s38, s22
    s_add_u32 s39, s39, s23
    s_endpgm
