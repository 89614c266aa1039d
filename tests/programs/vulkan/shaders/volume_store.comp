#version 450
// Changes all texels of a volume.
layout(local_size_x = 4, local_size_y = 4, local_size_z = 4) in;
layout(binding = 0, r32ui) uniform uimage3D image;
void main() {
    ivec3 at = ivec3(gl_GlobalInvocationID);
    if (all(lessThan(at, imageSize(image)))) imageStore(image, at, imageLoad(image, at) * 5 + uint(at.x + 100 * at.y + 10000 * at.z));
}
