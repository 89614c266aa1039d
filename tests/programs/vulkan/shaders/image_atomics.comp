#version 450
// Atomics on texels.
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0, r32ui) uniform uimage2D counts;
layout(binding = 1, r32i) uniform iimage2DArray signs;
void main() {
    uvec2 at = gl_GlobalInvocationID.xy;
    uint value = at.x * 31 + at.y * 17;
    imageAtomicAdd(counts, ivec2(at) / 4, value);
    imageAtomicXor(counts, ivec2(at.x / 8, 7), value);
    imageAtomicMin(signs, ivec3(at / 8, 0), int(value) - 400);
    imageAtomicMax(signs, ivec3(at / 8, 1), int(value) - 400);
    imageAtomicOr(signs, ivec3(at / 8, 2), int(value));
    if (all(equal(at % 8, uvec2(3)))) imageAtomicExchange(signs, ivec3(at / 8, 3), int(value));
    imageAtomicCompSwap(signs, ivec3(at / 8, 4), 0, int(at.x / 8 + at.y / 8 + 1));
}
