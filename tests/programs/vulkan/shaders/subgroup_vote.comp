#version 450
#extension GL_KHR_shader_subgroup_vote : require
// Votes of whole subgroups and of parts of them.
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint data[]; };
layout(binding = 1) writeonly buffer Out { uint results[]; };
void main() {
    uint i = gl_GlobalInvocationID.x, value = data[i], flags = 0;
    flags |= subgroupAll(value < 90) ? 1 : 0;
    flags |= subgroupAny(value < 3) ? 2 : 0;
    flags |= subgroupAllEqual(value) ? 4 : 0;
    flags |= subgroupAllEqual(value / 1000) ? 8 : 0;
    if ((value & 1) == 1) {
        flags |= subgroupAll(value > 5) ? 16 : 0;
        flags |= subgroupAny(value > 95) ? 32 : 0;
        flags |= subgroupAllEqual(value & 1) ? 64 : 0;
    }
    results[i] = flags;
}
