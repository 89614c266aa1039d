#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
// Arithmetic of 64 bits.
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { u64vec2 pairs[]; };
layout(binding = 1) writeonly buffer Out { uint64_t words[]; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i >= pairs.length()) return;
    uint64_t a = pairs[i].x, b = pairs[i].y, divisor = b == 0 ? 7 : b;
    int64_t sa = int64_t(a), sb = int64_t(b), sdivisor = sb == 0 || sb == -1 ? int64_t(3) : sb;
    uint o = i * 16;
    words[o] = a + b;
    words[o + 1] = a - b;
    words[o + 2] = a * b;
    words[o + 3] = a / divisor;
    words[o + 4] = a % divisor;
    words[o + 5] = uint64_t(sa / sdivisor);
    words[o + 6] = uint64_t(sa - sa / sdivisor * sdivisor);
    words[o + 7] = a << uint(b & 63);
    words[o + 8] = a >> uint(b & 63);
    words[o + 9] = uint64_t(sa >> uint(b & 63));
    words[o + 10] = min(a, b);
    words[o + 11] = uint64_t(max(sa, sb));
    words[o + 12] = uint64_t(abs(sa));
    words[o + 13] = (a < b ? 1ul : 0ul) | (sa < sb ? 2ul : 0ul) | (a == b ? 4ul : 0ul);
    words[o + 14] = (a & b) | (~a ^ b);
    words[o + 15] = uint64_t(uint(a)) | uint64_t(int(b) >> 3) << 32;
}
