#version 450
// Arithmetic of 32 bits.
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uvec2 pairs[]; };
layout(binding = 1) writeonly buffer Out { uint words[]; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i >= pairs.length()) return;
    uint a = pairs[i].x, b = pairs[i].y, divisor = b == 0 ? 7 : b;
    int sa = int(a), sb = int(b);
    uint high, low;
    int shigh, slow;
    umulExtended(a, b, high, low);
    imulExtended(sa, sb, shigh, slow);
    // No quotient of signed numbers overflows.
    int sdivisor = sb == 0 || sb == -1 ? 3 : sb;
    uint o = i * 20;
    words[o] = a + b;
    words[o + 1] = a - b;
    words[o + 2] = a * b;
    words[o + 3] = a / divisor;
    words[o + 4] = a % divisor;
    words[o + 5] = uint(sa / sdivisor);
    words[o + 6] = uint(sa - sa / sdivisor * sdivisor);
    words[o + 7] = a << (b & 31u);
    words[o + 8] = a >> (b & 31u);
    words[o + 9] = uint(sa >> (b & 31u));
    words[o + 10] = high;
    words[o + 11] = uint(shigh);
    words[o + 12] = low ^ uint(slow);
    words[o + 13] = min(a, b);
    words[o + 14] = uint(max(sa, sb));
    words[o + 15] = uint(clamp(sa, -1000, 1000));
    words[o + 16] = uint(abs(sa));
    words[o + 17] = uint(sign(sa));
    words[o + 18] = (a & b) | (~a ^ b);
    words[o + 19] = (a < b ? 1u : 0u) | (sa < sb ? 2u : 0u) | (a == b ? 4u : 0u) | (sa >= sb ? 8u : 0u);
}
