#version 450
// Sums of all numbers before each one, in groups of 512 numbers by 256 invocations.
layout(local_size_x = 256) in;
layout(binding = 0) buffer Data { uint data[]; };
layout(binding = 1) writeonly buffer Totals { uint totals[]; };
shared uint part[512];
void main() {
    uint me = gl_LocalInvocationID.x, first = gl_WorkGroupID.x * 512, offset = 1;
    part[2 * me] = data[first + 2 * me];
    part[2 * me + 1] = data[first + 2 * me + 1];
    for (uint d = 256; d > 0; d >>= 1) {
        barrier();
        if (me < d) part[offset * (2 * me + 2) - 1] += part[offset * (2 * me + 1) - 1];
        offset *= 2;
    }
    barrier();
    if (me == 0) { totals[gl_WorkGroupID.x] = part[511]; part[511] = 0; }
    for (uint d = 1; d < 512; d *= 2) {
        offset >>= 1;
        barrier();
        if (me < d) {
            uint a = offset * (2 * me + 1) - 1, b = offset * (2 * me + 2) - 1, t = part[a];
            part[a] = part[b];
            part[b] += t;
        }
    }
    barrier();
    data[first + 2 * me] = part[2 * me];
    data[first + 2 * me + 1] = part[2 * me + 1];
}
