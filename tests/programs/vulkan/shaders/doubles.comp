#version 450
// Arithmetic of doubles.
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { dvec2 pairs[]; };
layout(binding = 1) writeonly buffer Out { double results[]; };
layout(binding = 2) writeonly buffer Near { double close[]; };
layout(binding = 3) writeonly buffer Fused { double fused[]; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i >= pairs.length()) return;
    double a = pairs[i].x, b = pairs[i].y;
    precise double sum = a + b, product = a * b;
    uint o = i * 8;
    results[o] = sum;
    results[o + 1] = product;
    results[o + 2] = ceil(b);
    results[o + 3] = floor(a);
    results[o + 4] = min(a, b);
    results[o + 5] = abs(a) - max(a, b);
    results[o + 6] = a < b ? 1.0LF : double(float(a) > 0.0);
    results[o + 7] = trunc(a * 0.125LF);
    fused[i] = fma(a, b, a);
    close[2 * i] = a / b;
    close[2 * i + 1] = sqrt(abs(a));
}
