// Code, data and filling in one section; a label without a type; and dwords in code that are no instruction (BROKEN).
  .text
  .globl f
  .p2align 8
  .type f,@function
f:
  s_mov_b32 s0, 10
loop:
  s_sub_u32 s0, s0, 1
  s_cmp_lg_u32 s0, 0
  s_cbranch_scc1 loop
  s_branch after
.Lend:
  .size f, .Lend-f
  .type table,@object
table: .long 0xbeffffff, 1, 2, 2, 2, 2, 2
  .size table, 28
  .p2align 6
  .type after,@function
after:
.ifdef BROKEN
  .long 0xbeffffff
.endif
  s_endpgm
  .size after, .-after
