#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int16 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int8 : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
// Arithmetic of 8 and 16 bits, and stores of as many.
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint16_t words[]; };
layout(binding = 1) readonly buffer Bytes { int8_t bytes[]; };
layout(binding = 2) writeonly buffer Out16 { uint16_t out16[]; };
layout(binding = 3) writeonly buffer Out8 { uint8_t out8[]; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    uint16_t a = words[2 * i], b = words[2 * i + 1];
    int16_t sa = int16_t(a), sb = int16_t(b);
    uint o = i * 8;
    out16[o] = a + b;
    out16[o + 1] = a * b;
    out16[o + 2] = a / max(b, uint16_t(1));
    out16[o + 3] = uint16_t(sa >> int16_t(b & uint16_t(15)));
    out16[o + 4] = a << (b & uint16_t(15));
    out16[o + 5] = uint16_t(min(sa, sb));
    out16[o + 6] = max(a, b);
    out16[o + 7] = a - b;
    int8_t c = bytes[2 * i], d = bytes[2 * i + 1];
    o = i * 4;
    out8[o] = uint8_t(c + d);
    out8[o + 1] = uint8_t(c * d);
    out8[o + 2] = uint8_t(max(c, d));
    out8[o + 3] = uint8_t(int16_t(c) * int16_t(d) >> 8);
}
