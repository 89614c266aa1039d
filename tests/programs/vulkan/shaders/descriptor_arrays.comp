#version 450
#extension GL_EXT_nonuniform_qualifier : require
// Buffers in an array, of which each invocation reads another one.
layout(local_size_x = 64) in;
layout(binding = 0) buffer Many { uint data[]; } many[7];
layout(binding = 1) writeonly buffer Out { uint results[]; };
void main() {
    uint i = gl_GlobalInvocationID.x, which = i * 5 % 7;
    results[i] = many[nonuniformEXT(which)].data[i / 7 % 16] + many[nonuniformEXT(which)].data.length();
    barrier();
    if (i < 7) many[nonuniformEXT(i)].data[16] = i * 3 + 1;
}
