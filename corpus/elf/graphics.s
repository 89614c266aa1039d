; A pixel shader as graphics drivers lay it out: a function symbol and no descriptor.
.text
.globl _amdgpu_ps_main
.p2align 8
.type _amdgpu_ps_main,@function
_amdgpu_ps_main:
  s_mov_b32 m0, s0
  v_mov_b32 v0, 1.0
  exp mrt0 v0, v0, v0, v0 done vm
  s_endpgm
.Lend:
.size _amdgpu_ps_main, .Lend - _amdgpu_ps_main
