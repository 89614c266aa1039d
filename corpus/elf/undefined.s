// Calls a function that nobody defines.
  .text
  .globl f
  .p2align 8
  .type f,@function
f:
  s_getpc_b64 s[0:1]
  s_add_u32 s0, s0, missing@gotpcrel32@lo+4
  s_addc_u32 s1, s1, missing@gotpcrel32@hi+12
  s_load_dwordx2 s[0:1], s[0:1], 0x0
  s_waitcnt lgkmcnt(0)
  s_swappc_b64 s[30:31], s[0:1]
  s_endpgm
.Lend:
  .size f, .Lend-f
