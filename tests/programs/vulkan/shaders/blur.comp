#version 450
// The sum of nine neighbours, read as colours and stored as halves.
layout(local_size_x = 16, local_size_y = 4) in;
layout(binding = 0) uniform sampler2D from;
layout(binding = 1, rgba16f) writeonly uniform image2D to;
void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy), size = imageSize(to);
    if (any(greaterThanEqual(at, size))) return;
    vec4 sum = vec4(0);
    for (int y = -1; y <= 1; ++y) for (int x = -1; x <= 1; ++x) sum += texelFetch(from, clamp(at + ivec2(x, y), ivec2(0), size - 1), 0);
    imageStore(to, at, sum);
}
