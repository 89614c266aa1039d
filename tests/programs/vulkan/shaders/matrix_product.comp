#version 450
// A product of matrices in tiles. All numbers are small and whole.
layout(local_size_x = 16, local_size_y = 16) in;
layout(binding = 0) readonly buffer A { float a[]; };
layout(binding = 1) readonly buffer B { float b[]; };
layout(binding = 2) writeonly buffer C { float c[]; };
layout(push_constant) uniform Push { uint n; };
shared float ta[16][16], tb[16][16];
void main() {
    uvec2 at = gl_GlobalInvocationID.xy, me = gl_LocalInvocationID.xy;
    float sum = 0.0;
    for (uint t = 0; t < n; t += 16) {
        ta[me.y][me.x] = a[at.y * n + t + me.x];
        tb[me.y][me.x] = b[(t + me.y) * n + at.x];
        barrier();
        for (uint k = 0; k < 16; ++k) sum += ta[me.y][k] * tb[k][me.x];
        barrier();
    }
    c[at.y * n + at.x] = sum;
}
