#version 450
#extension GL_EXT_device_group : enable
// All numbers of an invocation.
layout(local_size_x = 4, local_size_y = 3, local_size_z = 5) in;
layout(binding = 0) buffer Out { uint results[]; };
void main() {
    uvec3 size = gl_NumWorkGroups * gl_WorkGroupSize;
    uint flat_id = (gl_GlobalInvocationID.z * size.y + gl_GlobalInvocationID.y) * size.x + gl_GlobalInvocationID.x;
    uint o = flat_id * 5;
    results[o] = gl_GlobalInvocationID.x | gl_GlobalInvocationID.y << 8 | gl_GlobalInvocationID.z << 16;
    results[o + 1] = gl_LocalInvocationID.x | gl_LocalInvocationID.y << 8 | gl_LocalInvocationID.z << 16;
    results[o + 2] = gl_WorkGroupID.x | gl_WorkGroupID.y << 8 | gl_WorkGroupID.z << 16;
    results[o + 3] = gl_LocalInvocationIndex;
    results[o + 4] = gl_NumWorkGroups.x | gl_NumWorkGroups.y << 8 | gl_NumWorkGroups.z << 16;
}
