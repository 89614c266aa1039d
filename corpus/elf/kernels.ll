; Two kernels for the loader's tests; README.md says what is made of them.
target triple = "amdgcn-amd-amdhsa"

define amdgpu_kernel void @first(i32 addrspace(1)* %out, i32 %a) {
  %r = add i32 %a, 7
  store i32 %r, i32 addrspace(1)* %out
  ret void
}

define amdgpu_kernel void @second() {
  ret void
}
