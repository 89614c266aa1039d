#version 450
// Stores what a buffer has to an image of any format.
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) writeonly uniform image2D image;
layout(binding = 1) readonly buffer In { vec4 texels[]; };
void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy), size = imageSize(image);
    if (all(lessThan(at, size))) imageStore(image, at, texels[at.y * size.x + at.x]);
}
