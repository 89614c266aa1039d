#version 450
#extension GL_EXT_shader_atomic_float : require
// Sums of floats in shared memory.
layout(local_size_x = 128) in;
layout(binding = 0) readonly buffer In { float data[]; };
layout(binding = 1) writeonly buffer Out { float sums[]; };
shared float sum;
void main() {
    if (gl_LocalInvocationIndex == 0) sum = 0.0;
    barrier();
    atomicAdd(sum, data[gl_GlobalInvocationID.x]);
    barrier();
    if (gl_LocalInvocationIndex == 0) sums[gl_WorkGroupID.x] = sum;
}
