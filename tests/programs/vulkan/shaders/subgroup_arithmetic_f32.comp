#version 450
#extension GL_KHR_shader_subgroup_arithmetic : require
// Sums of small whole floats.
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { float data[]; };
layout(binding = 1) writeonly buffer Out { float results[]; };
void main() {
    uint i = gl_GlobalInvocationID.x, o = 6 * i;
    float value = data[i];
    results[o] = subgroupAdd(value);
    results[o + 1] = subgroupMin(value);
    results[o + 2] = subgroupMax(value);
    results[o + 3] = subgroupInclusiveAdd(value);
    results[o + 4] = subgroupExclusiveAdd(value);
    results[o + 5] = subgroupInclusiveMin(value);
}
