#version 450
#extension GL_KHR_shader_subgroup_clustered : require
// Sums of clusters of 8 to 32 invocations.
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint data[]; };
layout(binding = 1) writeonly buffer Out { uint results[]; };
void main() {
    uint i = gl_GlobalInvocationID.x, value = data[i], o = 6 * i;
    results[o] = subgroupClusteredAdd(value, 8);
    results[o + 1] = subgroupClusteredAdd(value, 16);
    results[o + 2] = subgroupClusteredMax(value, 32);
    results[o + 3] = subgroupClusteredXor(value, 16);
    results[o + 4] = subgroupClusteredMin(value, 8);
    results[o + 5] = subgroupClusteredAnd(value | 3, 32);
}
