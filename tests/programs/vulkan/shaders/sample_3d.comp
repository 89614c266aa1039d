#version 450
// Samples a volume.
layout(local_size_x = 64) in;
layout(binding = 0) uniform sampler3D image;
layout(binding = 1) readonly buffer In { vec4 places[]; };
layout(binding = 2) writeonly buffer Out { vec4 results[]; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i < places.length()) results[i] = textureLod(image, places[i].xyz, places[i].w);
}
