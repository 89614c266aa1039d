#version 450
// Exponents, infinities and numbers that are none.
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint bits[]; };
layout(binding = 1) writeonly buffer Out { uint words[]; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i >= bits.length()) return;
    float f = uintBitsToFloat(bits[i]);
    uint o = i * 4;
    words[o] = uint(isnan(f)) | uint(isinf(f)) << 1;
    int exponent = 0;
    float mantissa = 0.0;
    if (!isnan(f) && !isinf(f)) mantissa = frexp(f, exponent);
    words[o + 1] = floatBitsToUint(mantissa);
    words[o + 2] = uint(exponent);
    words[o + 3] = floatBitsToUint(ldexp(mantissa, 5));
}
