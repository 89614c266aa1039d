#version 450
// Sorts 1024 numbers of each group by 512 invocations.
layout(local_size_x = 512) in;
layout(binding = 0) buffer Data { uint data[]; };
shared uint part[1024];
void main() {
    uint me = gl_LocalInvocationIndex, first = gl_WorkGroupID.x * 1024;
    part[me] = data[first + me];
    part[me + 512] = data[first + me + 512];
    for (uint size = 2; size <= 1024; size *= 2) {
        for (uint step = size / 2; step > 0; step /= 2) {
            barrier();
            uint a = 2 * me - (me & (step - 1)), b = a + step;
            bool up = (a & size) == 0;
            uint x = part[a], y = part[b];
            if ((x > y) == up) { part[a] = y; part[b] = x; }
        }
    }
    barrier();
    data[first + me] = part[me];
    data[first + me + 512] = part[me + 512];
}
