#version 450
// Counts groups, in all and by number.
layout(local_size_x = 32, local_size_y = 2) in;
layout(binding = 0) buffer Out { uint all; uint groups; uint numbers; uvec3 most; uint counts[]; };
void main() {
    atomicAdd(all, 1);
    if (gl_LocalInvocationIndex == 0) {
        atomicAdd(groups, 1);
        atomicAdd(numbers, gl_WorkGroupID.x + 100 * gl_WorkGroupID.y + 10000 * gl_WorkGroupID.z);
        atomicMax(most.x, gl_NumWorkGroups.x);
        atomicMax(most.y, gl_NumWorkGroups.y);
        atomicMax(most.z, gl_NumWorkGroups.z);
    }
}
