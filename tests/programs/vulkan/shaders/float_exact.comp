#version 450
// Functions whose results are exact.
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { vec2 pairs[]; };
layout(binding = 1) writeonly buffer Out { float results[]; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i >= pairs.length()) return;
    float a = pairs[i].x, b = pairs[i].y;
    precise float sum = a + b, product = a * b, difference = a - b;
    uint o = i * 16;
    results[o] = sum;
    results[o + 1] = difference;
    results[o + 2] = product;
    results[o + 3] = floor(a);
    results[o + 4] = ceil(a);
    results[o + 5] = trunc(a);
    results[o + 6] = roundEven(a);
    results[o + 7] = a - floor(a);
    results[o + 8] = abs(a);
    results[o + 9] = sign(a);
    results[o + 10] = min(a, b);
    results[o + 11] = max(a, b);
    results[o + 12] = clamp(a, -2.0, 2.0);
    results[o + 13] = step(a, b);
    results[o + 14] = uintBitsToFloat(floatBitsToUint(a) ^ 0x80000000u);
    results[o + 15] = float(uint(a < b) | uint(a >= b) << 1 | uint(a == b) << 2 | uint(a != b) << 3);
}
