#version 450
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_EXT_shader_explicit_arithmetic_types_int16 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require
#extension GL_EXT_shader_subgroup_extended_types_int16 : require
#extension GL_EXT_shader_subgroup_extended_types_int8 : require
// Subgroups of short numbers.
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint data[]; };
layout(binding = 1) writeonly buffer Out { uint results[]; };
void main() {
    uint i = gl_GlobalInvocationID.x, o = 6 * i;
    uint16_t a = uint16_t(data[i]);
    int8_t b = int8_t(data[i] >> 8);
    results[o] = uint(subgroupAdd(a));
    results[o + 1] = uint(subgroupInclusiveMax(a));
    results[o + 2] = uint(subgroupShuffleXor(a, 1));
    results[o + 3] = uint(int(subgroupMin(b)));
    results[o + 4] = uint(int(subgroupExclusiveAdd(b)));
    results[o + 5] = uint(int(subgroupXor(b)));
}
