#version 450
#extension GL_KHR_memory_scope_semantics : require
#pragma use_vulkan_memory_model
// Each group leaves a sum; the one that comes last adds them up.
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint data[]; };
layout(binding = 1) buffer Sums { uint sums[]; };
layout(binding = 2) buffer Out { uint count, total, lasts; };
shared uint mine;
shared uint is_last;
void main() {
    if (gl_LocalInvocationIndex == 0) mine = 0;
    barrier();
    atomicAdd(mine, data[gl_GlobalInvocationID.x], gl_ScopeWorkgroup, gl_StorageSemanticsShared, gl_SemanticsAcquireRelease);
    barrier();
    if (gl_LocalInvocationIndex == 0) {
        atomicStore(sums[gl_WorkGroupID.x], mine, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsRelease);
        is_last = atomicAdd(count, 1, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsAcquireRelease) == gl_NumWorkGroups.x - 1 ? 1 : 0;
    }
    barrier();
    if (is_last == 1 && gl_LocalInvocationIndex == 0) {
        uint all = 0;
        for (uint k = 0; k < gl_NumWorkGroups.x; ++k)
            all += atomicLoad(sums[k], gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsAcquire);
        total = all;
        lasts += 1;
    }
}
