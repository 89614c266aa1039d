#version 450
#extension GL_EXT_shared_memory_block : require
#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int16 : require
// The same shared memory as words, shorts and bytes.
layout(local_size_x = 64) in;
layout(binding = 0) writeonly buffer Out { uint results[]; };
shared Words { uint words[64]; };
shared Shorts { uint16_t shorts[128]; };
shared Bytes { uint8_t bytes[256]; };
void main() {
    uint i = gl_LocalInvocationIndex;
    words[i] = i * 0x01030507;
    barrier();
    uint16_t short_one = shorts[(i * 7 + 3) & 127];
    uint8_t byte_one = bytes[(i * 11 + 1) & 255];
    barrier();
    bytes[4 * i + 2] = uint8_t(short_one) + byte_one;
    barrier();
    results[i] = words[63 - i];
}
