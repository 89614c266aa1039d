#version 450
// Changes one layer of an image, which is seen as a plain one.
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0, r32ui) uniform uimage2D image;
layout(push_constant) uniform Push { uint term; };
void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    if (all(lessThan(at, imageSize(image)))) imageStore(image, at, imageLoad(image, at) * 3 + term);
}
