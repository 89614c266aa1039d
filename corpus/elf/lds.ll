; A compute shader with LDS that the driver places.
@shared = external addrspace(3) global [64 x i32], align 4

define amdgpu_cs void @_amdgpu_cs_main(i32 %x) {
  %cell = getelementptr [64 x i32], [64 x i32] addrspace(3)* @shared, i32 0, i32 %x
  store volatile i32 %x, i32 addrspace(3)* %cell
  ret void
}
