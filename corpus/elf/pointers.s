// A call through the GOT, and pointers in code and data: dynamic relocations when linked with -z notext.
  .text
  .globl f
  .p2align 8
  .type f,@function
f:
  s_getpc_b64 s[0:1]
  s_add_u32 s0, s0, g@gotpcrel32@lo+4
  s_addc_u32 s1, s1, g@gotpcrel32@hi+12
  s_load_dwordx2 s[0:1], s[0:1], 0x0
  s_waitcnt lgkmcnt(0)
  s_swappc_b64 s[30:31], s[0:1]
  s_endpgm
.Lend:
  .size f, .Lend-f
  .globl k
  .p2align 8
  .type k,@function
k:
  s_mov_b32 s2, 0x11223344
  s_mov_b32 s3, 0x55667788
  s_endpgm
  .size k, .-k
  .p2align 3
  .globl pointer
  .type pointer,@object
pointer: .quad table
  .size pointer, 8
  .globl g
  .type g,@function
  .p2align 8
g:
  s_setpc_b64 s[30:31]
  .size g, .-g
  .data
  .globl table
  .type table,@object
table: .quad f
  .size table, 8
