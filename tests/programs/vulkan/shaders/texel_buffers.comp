#version 450
// Texels of buffers: read in any format, stored, and changed by atomics.
layout(local_size_x = 64) in;
layout(binding = 0) uniform samplerBuffer colours;
layout(binding = 1) uniform usamplerBuffer numbers;
layout(binding = 2, rgba8) uniform writeonly imageBuffer stored;
layout(binding = 3, r32ui) uniform uimageBuffer counted;
layout(binding = 4) writeonly buffer Out { vec4 results[]; };
layout(binding = 5) writeonly buffer Out2 { uvec4 words[]; };
void main() {
    int i = int(gl_GlobalInvocationID.x);
    results[i] = texelFetch(colours, i);
    words[i] = texelFetch(numbers, i) + uvec4(textureSize(numbers), imageSize(stored), 0, 0);
    imageStore(stored, i, vec4(i & 1, (i >> 1) / 255.0, i / 255.0, 1.0));
    imageAtomicAdd(counted, i & 7, uint(i));
    imageAtomicMax(counted, 8, uint(i * 3));
}
