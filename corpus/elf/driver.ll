; A compute shader with what drivers resolve: two symbols in LDS of different alignments, and scratch.
@small = external addrspace(3) global [3 x i32], align 4
@large = external addrspace(3) global [8 x i32], align 16

define amdgpu_cs void @_amdgpu_cs_main(i32 inreg %i, i32 inreg %j) {
  %buffer = alloca [32 x i32], align 4, addrspace(5)
  %place = getelementptr [32 x i32], [32 x i32] addrspace(5)* %buffer, i32 0, i32 %i
  store volatile i32 %j, i32 addrspace(5)* %place
  %a = getelementptr [3 x i32], [3 x i32] addrspace(3)* @small, i32 0, i32 1
  store volatile i32 %i, i32 addrspace(3)* %a
  %b = getelementptr [8 x i32], [8 x i32] addrspace(3)* @large, i32 0, i32 1
  store volatile i32 %j, i32 addrspace(3)* %b
  ret void
}
