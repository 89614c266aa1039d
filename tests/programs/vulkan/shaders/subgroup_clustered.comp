#version 450
#extension GL_KHR_shader_subgroup_clustered : require
// Sums of clusters.
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint data[]; };
layout(binding = 1) writeonly buffer Out { uint results[]; };
void main() {
    uint i = gl_GlobalInvocationID.x, value = data[i], o = 6 * i;
    results[o] = subgroupClusteredAdd(value, 2);
    results[o + 1] = subgroupClusteredAdd(value, 4);
    results[o + 2] = subgroupClusteredMax(value, 4);
    results[o + 3] = subgroupClusteredXor(value, 2);
    results[o + 4] = subgroupClusteredMin(value, 4);
    results[o + 5] = subgroupClusteredMul(value | 1, 4);
}
