#version 450
// Samples the faces of cubes.
layout(local_size_x = 64) in;
layout(binding = 0) uniform samplerCubeArray image;
layout(binding = 1) readonly buffer In { vec4 places[]; };
layout(binding = 2) writeonly buffer Out { vec4 results[]; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i < places.length()) results[i] = textureLod(image, places[i], 0.0);
}
