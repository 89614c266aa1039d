#version 450
// 128 bytes of push constants, in parts of all kinds.
layout(local_size_x = 2) in;
layout(push_constant) uniform Push { uint a; vec2 b; layout(offset = 16) uvec4 c[5]; layout(offset = 96) mat2 m; layout(offset = 112) ivec3 d; uint last; };
layout(binding = 0) writeonly buffer Out { uint results[]; };
void main() {
    // Indices are the same for all invocations, as Vulkan wants it.
    uint o = 31 * gl_LocalInvocationIndex;
    results[o++] = a;
    for (int k = 0; k < 2; ++k) results[o++] = floatBitsToUint(b[k]);
    for (int k = 0; k < 20; ++k) results[o++] = c[k / 4][k & 3];
    for (int k = 0; k < 4; ++k) results[o++] = floatBitsToUint(m[k / 2][k & 1]);
    for (int k = 0; k < 3; ++k) results[o++] = uint(d[k]);
    results[o] = last;
}
