#version 450
// Parts of a buffer.
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint data[]; };
layout(binding = 1) writeonly buffer Out { uint results[]; };
void main() {
    uint i = gl_LocalInvocationIndex;
    results[i] = data[i] * 2 + data.length();
}
