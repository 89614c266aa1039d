#version 450
// Fetches all texels of a level.
layout(local_size_x = 64) in;
layout(binding = 0) uniform sampler3D image;
layout(binding = 1) writeonly buffer Out { vec4 texels[]; };
layout(push_constant) uniform Push { uvec3 size; int level; uint first; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    ivec3 at = ivec3(i % size.x, i / size.x % size.y, i / size.x / size.y);
    if (at.z < size.z) texels[first + i] = texelFetch(image, at, level);
}
