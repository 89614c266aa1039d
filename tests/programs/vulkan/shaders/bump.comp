#version 450
// Changes all words, so that an order of dispatches is seen.
layout(local_size_x = 64) in;
layout(binding = 0) buffer Data { uint data[]; };
layout(push_constant) uniform Push { uint factor; uint term; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i < data.length()) data[i] = data[i] * factor + term;
}
