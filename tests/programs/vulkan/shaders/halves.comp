#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_EXT_shader_16bit_storage : require
// Arithmetic of halves, one by one and in pairs.
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { f16vec2 pairs[]; };
layout(binding = 1) writeonly buffer Out { float16_t results[]; };
layout(binding = 2) writeonly buffer Both { f16vec2 both[]; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i >= pairs.length()) return;
    float16_t a = pairs[i].x, b = pairs[i].y;
    precise float16_t sum = a + b, product = a * b;
    uint o = i * 8;
    results[o] = sum;
    results[o + 1] = product;
    results[o + 2] = min(a, b);
    results[o + 3] = floor(a);
    results[o + 4] = abs(a);
    results[o + 5] = float16_t(float(a) * 0.5 + float(b));
    results[o + 6] = a < b ? float16_t(1.0) : float16_t(-2.0);
    results[o + 7] = trunc(b);
    precise f16vec2 sums = pairs[i] + pairs[i].yx * f16vec2(2.0, 4.0);
    both[i] = max(sums, f16vec2(-100.0));
}
