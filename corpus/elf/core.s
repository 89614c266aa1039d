; A kernel of core instructions only, which runs: s2 = 1 + ... + 10, through a call to a function beside it.
.text
.globl sum
.p2align 8
.type sum,@function
sum:
  s_mov_b32 s0, 10
  s_mov_b32 s2, 0
  s_getpc_b64 s[4:5]
here:
  s_add_u32 s4, s4, add_up - here
  s_addc_u32 s5, s5, 0
  s_swappc_b64 s[6:7], s[4:5]
  s_endpgm
.Lsum_end:
.size sum, .Lsum_end - sum

.p2align 8
.type add_up,@function
add_up:
  s_add_u32 s2, s2, s0
  s_sub_u32 s0, s0, 1
  s_cmp_lg_u32 s0, 0
  s_cbranch_scc1 add_up
  s_setpc_b64 s[6:7]
.Ladd_up_end:
.size add_up, .Ladd_up_end - add_up

.rodata
.p2align 6
.amdhsa_kernel sum
  .amdhsa_next_free_vgpr 1
  .amdhsa_next_free_sgpr 8
.end_amdhsa_kernel
