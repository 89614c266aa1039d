#version 450
// A matrix turned by tiles of shared memory.
layout(local_size_x = 16, local_size_y = 16) in;
layout(binding = 0) readonly buffer In { uint from[]; };
layout(binding = 1) writeonly buffer Out { uint to[]; };
layout(push_constant) uniform Push { uint width; uint height; };
shared uint tile[16][17];
void main() {
    uvec2 at = gl_GlobalInvocationID.xy, me = gl_LocalInvocationID.xy;
    if (at.x < width && at.y < height) tile[me.y][me.x] = from[at.y * width + at.x];
    barrier();
    uvec2 turned = gl_WorkGroupID.yx * 16 + me;
    if (turned.x < height && turned.y < width) to[turned.y * height + turned.x] = tile[me.x][me.y];
}
