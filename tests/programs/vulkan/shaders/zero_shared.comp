#version 450
#extension GL_EXT_null_initializer : require
// Shared memory that begins with zeros.
layout(local_size_x = 64) in;
layout(binding = 0) buffer Out { uint results[]; };
shared uint words[1000] = {};
void main() {
    uint i = gl_LocalInvocationIndex, any = 0;
    for (uint k = i; k < 1000; k += 64) any |= words[k];
    barrier();
    for (uint k = i; k < 1000; k += 64) words[k] = ~0u;
    barrier();
    results[gl_GlobalInvocationID.x] = any + words[999 - i];
}
