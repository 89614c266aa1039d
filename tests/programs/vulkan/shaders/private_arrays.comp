#version 450
// An array of each invocation that lies in scratch.
layout(local_size_x = 128) in;
layout(binding = 0) readonly buffer In { uint data[]; };
layout(binding = 1) writeonly buffer Out { uint results[]; };
layout(constant_id = 0) const uint rounds = 200;
void main() {
    uint i = gl_GlobalInvocationID.x, value = data[i & 63] + i;
    uint a[150];
    for (uint k = 0; k < 150; ++k) a[k] = k * value;
    for (uint k = 0; k < rounds; ++k) {
        uint from = value % 150, to = (value >> 8) % 150;
        value = value * 1664525 + 1013904223 + a[from];
        a[to] ^= value;
    }
    uint sum = 0;
    for (uint k = 0; k < 150; ++k) sum = sum * 31 + a[k];
    results[i] = sum;
}
