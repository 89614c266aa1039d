; A pixel, a vertex and a compute shader, as drivers compile them. The vertex shader loads through a table at s[1], a
; pointer of 32 bits, as the pixel shader does. The compute shader has LDS and scratch.
target datalayout = "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p6:32:32-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-v2048:2048-n32:64-S32-A5-G1-ni:7"

@lds = internal addrspace(3) global [96 x i32] undef, align 4

define amdgpu_ps void @_amdgpu_ps_main(i32 inreg %globals, <4 x i32> addrspace(6)* inreg %table, i32 inreg %mask, <2 x float> %sample, <2 x float> %center) #0 {
  %i = extractelement <2 x float> %center, i32 0
  %j = extractelement <2 x float> %center, i32 1
  %p = call float @llvm.amdgcn.interp.p1(float %i, i32 0, i32 0, i32 %mask)
  %a = call float @llvm.amdgcn.interp.p2(float %p, float %j, i32 0, i32 0, i32 %mask)
  %desc = load <4 x i32>, <4 x i32> addrspace(6)* %table, !invariant.load !1
  %b = call float @llvm.amdgcn.s.buffer.load.f32(<4 x i32> %desc, i32 16, i32 0)
  %sum = fadd float %a, %b
  call void @llvm.amdgcn.exp.f32(i32 0, i32 15, float %a, float %b, float %sum, float 1.0, i1 true, i1 true)
  ret void
}

define amdgpu_vs void @_amdgpu_vs_main(i32 inreg %globals, <4 x i32> addrspace(6)* inreg %table, i32 inreg %base, i32 %vertex) #1 {
  %index = add i32 %base, %vertex
  %desc = load <4 x i32>, <4 x i32> addrspace(6)* %table, !invariant.load !1
  %x = call float @llvm.amdgcn.struct.buffer.load.f32(<4 x i32> %desc, i32 %index, i32 0, i32 0, i32 0)
  call void @llvm.amdgcn.exp.f32(i32 12, i32 15, float %x, float 0.0, float 0.5, float 1.0, i1 true, i1 false)
  call void @llvm.amdgcn.exp.f32(i32 32, i32 15, float %x, float %x, float %x, float %x, i1 false, i1 false)
  ret void
}

define amdgpu_cs void @_amdgpu_cs_main(i32 inreg %globals, <4 x i32> addrspace(6)* inreg %table, <3 x i32> inreg %group, <3 x i32> %local) #1 {
  %x = extractelement <3 x i32> %local, i32 0
  %stack = alloca [16 x i32], addrspace(5)
  %place = getelementptr [16 x i32], [16 x i32] addrspace(5)* %stack, i32 0, i32 %x
  store volatile i32 %x, i32 addrspace(5)* %place
  %got = load volatile i32, i32 addrspace(5)* %place
  %cell = getelementptr [96 x i32], [96 x i32] addrspace(3)* @lds, i32 0, i32 %x
  store volatile i32 %got, i32 addrspace(3)* %cell
  %back = load volatile i32, i32 addrspace(3)* %cell
  %gx = extractelement <3 x i32> %group, i32 0
  %sum = add i32 %back, %gx
  %f = bitcast i32 %sum to float
  %desc = load <4 x i32>, <4 x i32> addrspace(6)* %table, !invariant.load !1
  %offset = shl i32 %x, 2
  call void @llvm.amdgcn.raw.buffer.store.f32(float %f, <4 x i32> %desc, i32 %offset, i32 0, i32 0)
  ret void
}

declare float @llvm.amdgcn.interp.p1(float, i32, i32, i32)
declare float @llvm.amdgcn.interp.p2(float, float, i32, i32, i32)
declare float @llvm.amdgcn.s.buffer.load.f32(<4 x i32>, i32, i32)
declare float @llvm.amdgcn.struct.buffer.load.f32(<4 x i32>, i32, i32, i32, i32)
declare void @llvm.amdgcn.raw.buffer.store.f32(float, <4 x i32>, i32, i32, i32)
declare void @llvm.amdgcn.exp.f32(i32, i32, float, float, float, float, i1, i1)

attributes #0 = { "InitialPSInputAddr"="3" "amdgpu-32bit-address-high-bits"="HIGH" }
attributes #1 = { "amdgpu-32bit-address-high-bits"="HIGH" }
!1 = !{}
