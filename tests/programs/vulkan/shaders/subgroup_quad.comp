#version 450
#extension GL_KHR_shader_subgroup_quad : require
// Values of four neighbours.
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint data[]; };
layout(binding = 1) writeonly buffer Out { uint results[]; };
void main() {
    uint i = gl_GlobalInvocationID.x, value = data[i], o = 5 * i;
    results[o] = subgroupQuadBroadcast(value, 0);
    results[o + 1] = subgroupQuadBroadcast(value, 3);
    results[o + 2] = subgroupQuadSwapHorizontal(value);
    results[o + 3] = subgroupQuadSwapVertical(value);
    results[o + 4] = subgroupQuadSwapDiagonal(value);
}
