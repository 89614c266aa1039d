#version 450
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_subgroup_extended_types_int64 : require
// Sums, products and others of subgroups, of all invocations up to each one, and of a part of them.
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { int64_t data[]; };
layout(binding = 1) writeonly buffer Out { int64_t results[]; };
void main() {
    uint i = gl_GlobalInvocationID.x, o = 12 * i;
    int64_t value = data[i];
    results[o] = subgroupAdd(value);
    results[o + 1] = subgroupMul(value | int64_t(1));
    results[o + 2] = subgroupMin(value);
    results[o + 3] = subgroupMax(value);
    results[o + 4] = subgroupAnd(value | int64_t(7));
    results[o + 5] = subgroupOr(value & int64_t(0x5555));
    results[o + 6] = subgroupXor(value);
    results[o + 7] = subgroupInclusiveAdd(value);
    results[o + 8] = subgroupExclusiveAdd(value);
    results[o + 9] = subgroupInclusiveMax(value);
    int64_t part = int64_t(0), before = int64_t(0);
    if ((value & int64_t(1)) == int64_t(1)) { part = subgroupAdd(value); before = subgroupExclusiveXor(value); }
    results[o + 10] = part;
    results[o + 11] = before;
}
