#version 450
// Counts in shared memory, added to those of all groups.
layout(local_size_x = 128) in;
layout(binding = 0) readonly buffer In { uint data[]; };
layout(binding = 1) buffer Out { uint counts[256]; };
shared uint mine[256];
void main() {
    uint me = gl_LocalInvocationIndex, all = gl_NumWorkGroups.x * 128;
    mine[me] = 0;
    mine[me + 128] = 0;
    barrier();
    for (uint i = gl_GlobalInvocationID.x; i < data.length(); i += all) {
        for (uint k = 0; k < 4; ++k) atomicAdd(mine[data[i] >> 8 * k & 0xff], 1);
    }
    barrier();
    if (mine[me] != 0) atomicAdd(counts[me], mine[me]);
    if (mine[me + 128] != 0) atomicAdd(counts[me + 128], mine[me + 128]);
}
