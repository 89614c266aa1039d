; A pixel shader that loads a constant of the object.
@table = internal unnamed_addr addrspace(4) constant [8 x float] [float 100.0, float 2.0, float 3.0, float 4.0, float 5.0, float 6.0, float 7.0, float 8.0], align 16
define amdgpu_ps void @_amdgpu_ps_main(i32 inreg %globals, i32 inreg %index) {
  %p = getelementptr [8 x float], [8 x float] addrspace(4)* @table, i32 0, i32 %index
  %x = load float, float addrspace(4)* %p
  call void @llvm.amdgcn.exp.f32(i32 0, i32 1, float %x, float %x, float %x, float %x, i1 true, i1 true)
  ret void
}
declare void @llvm.amdgcn.exp.f32(i32, i32, float, float, float, float, i1, i1)
