#version 450
// Sizes of images.
layout(local_size_x = 1) in;
layout(binding = 0) uniform sampler2DArray layered;
layout(binding = 1) uniform sampler3D volume;
layout(binding = 2) uniform samplerCubeArray cubes;
layout(binding = 3) writeonly uniform image2DArray stored;
layout(binding = 4) writeonly buffer Out { ivec4 results[]; };
void main() {
    for (int k = 0; k < 4; ++k) results[k] = ivec4(textureSize(layered, k), textureQueryLevels(layered));
    for (int k = 0; k < 3; ++k) results[4 + k] = ivec4(textureSize(volume, k), textureQueryLevels(volume));
    results[7] = ivec4(textureSize(cubes, 0), textureQueryLevels(cubes));
    results[8] = ivec4(imageSize(stored), 0);
}
