#version 450
// Functions that are near.
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { float values[]; };
layout(binding = 1) writeonly buffer Out { float results[]; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i >= values.length()) return;
    float x = values[i], count = float(values.length());
    results[i] = sqrt(x);
    uint n = values.length();
    results[i + n] = inversesqrt(x);
    results[i + 2 * n] = exp2(x);
    results[i + 3 * n] = log2(x);
    results[i + 4 * n] = sin(x);
    results[i + 5 * n] = cos(x);
    results[i + 6 * n] = pow(x, 1.5);
    results[i + 7 * n] = atan(x);
    results[i + 8 * n] = 1.0 / x;
    results[i + 9 * n] = tanh(x);
    results[i + 10 * n] = asin(x / 10.0);
    results[i + 11 * n] = exp(-x);
}
