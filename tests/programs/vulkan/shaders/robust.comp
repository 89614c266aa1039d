#version 450
// Reads and writes behind the end of buffers.
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint data[]; };
layout(binding = 1) buffer Out { uint results[]; };
layout(binding = 2) uniform Small { uvec4 few[64]; };
layout(push_constant) uniform Push { uint far; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    uint value = data[i] + data[i + far] + few[i].x;
    results[i] = value;
    results[i + far] = 99;
}
