#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_image_int64 : require
// Atomics of 64 bits on texels.
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0, r64ui) uniform u64image2D counts;
void main() {
    uvec2 at = gl_GlobalInvocationID.xy;
    uint64_t value = uint64_t(at.x * 31 + at.y * 17) << 30;
    imageAtomicAdd(counts, ivec2(at) / 8, value);
    imageAtomicMax(counts, ivec2(at) / 8 + ivec2(0, 2), value);
}
