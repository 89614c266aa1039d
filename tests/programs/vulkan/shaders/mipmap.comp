#version 450
// A level out of the one before.
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0, rgba8ui) readonly uniform uimage2DArray from;
layout(binding = 1, rgba8ui) writeonly uniform uimage2DArray to;
void main() {
    ivec3 at = ivec3(gl_GlobalInvocationID), size = imageSize(to), last = imageSize(from) - 1;
    if (any(greaterThanEqual(at, size))) return;
    uvec4 sum = uvec4(0);
    for (int k = 0; k < 4; ++k) sum += imageLoad(from, ivec3(min(at.xy * 2 + ivec2(k & 1, k >> 1), last.xy), at.z));
    imageStore(to, at, sum / 4);
}
