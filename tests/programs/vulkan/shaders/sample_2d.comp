#version 450
// Samples at places that a buffer has, with a level.
layout(local_size_x = 64) in;
layout(binding = 0) uniform sampler2D image;
layout(binding = 1) readonly buffer In { vec4 places[]; };
layout(binding = 2) writeonly buffer Out { vec4 results[]; };
layout(constant_id = 0) const uint how = 0;
void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i >= places.length()) return;
    vec4 p = places[i];
    if (how == 0) results[i] = textureLod(image, p.xy, p.z);
    else if (how == 1) results[i] = textureGrad(image, p.xy, vec2(p.z, 0), vec2(0, p.w));
    else if (how == 2) results[i] = textureGather(image, p.xy, 0);
    else if (how == 3) results[i] = textureGatherOffset(image, p.xy, ivec2(1, -2), 1);
    else results[i] = textureLodOffset(image, p.xy, p.z, ivec2(-3, 2));
}
