#version 450
// y = a * x + y, and the sum of each group in its own place.
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer X { float x[]; };
layout(binding = 1) buffer Y { float y[]; };
layout(binding = 2) writeonly buffer Sums { float sums[]; };
layout(push_constant) uniform Push { float a; uint count; };
shared float part[64];
void main() {
    uint i = gl_GlobalInvocationID.x, lane = gl_LocalInvocationIndex;
    float value = i < count ? a * x[i] + y[i] : 0.0;
    if (i < count) y[i] = value;
    part[lane] = value;
    barrier();
    for (uint step = 32; step > 0; step /= 2) {
        if (lane < step) part[lane] += part[lane + step];
        barrier();
    }
    if (lane == 0) sums[gl_WorkGroupID.x] = part[0];
}
