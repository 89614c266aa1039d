#version 450
#extension GL_KHR_shader_subgroup_basic : require
// Numbers of subgroups, and one invocation of each.
layout(local_size_x = 192) in;
layout(binding = 0) buffer Out { uint results[]; };
layout(binding = 1) buffer Count { uint elected[]; };
void main() {
    uint i = gl_GlobalInvocationID.x, o = 4 * i;
    results[o] = gl_SubgroupSize;
    results[o + 1] = gl_SubgroupInvocationID;
    results[o + 2] = gl_SubgroupID;
    results[o + 3] = gl_NumSubgroups;
    if (subgroupElect()) atomicAdd(elected[0], 1);
    if ((i & 3) == 3) { if (subgroupElect()) atomicAdd(elected[1], gl_SubgroupInvocationID); }
    subgroupBarrier();
    subgroupMemoryBarrierShared();
}
