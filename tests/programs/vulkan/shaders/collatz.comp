#version 450
// Loops of which each invocation takes another number.
layout(local_size_x = 64) in;
layout(binding = 0) writeonly buffer Out { uvec2 results[]; };
void main() {
    uint i = gl_GlobalInvocationID.x, n = i + 1, steps = 0, top = n;
    while (n != 1) {
        n = (n & 1) == 0 ? n / 2 : 3 * n + 1;
        top = max(top, n);
        ++steps;
    }
    results[i] = uvec2(steps, top);
}
