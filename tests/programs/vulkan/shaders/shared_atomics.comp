#version 450
// Atomics on shared memory, with what they return.
layout(local_size_x = 128) in;
layout(binding = 0) readonly buffer In { uint data[]; };
layout(binding = 1) writeonly buffer Out { uint results[]; };
shared uint add, low, high, all, any, odd, taken, spins, seen[128];
shared int slow, shigh;
void main() {
    uint me = gl_LocalInvocationIndex, value = data[gl_GlobalInvocationID.x];
    if (me == 0) { add = 0; low = ~0u; high = 0; all = ~0u; any = 0; odd = 0; taken = 0; spins = 0; slow = 0x7fffffff; shigh = -0x7fffffff; }
    seen[me] = 0;
    barrier();
    uint ticket = atomicAdd(add, 1);
    atomicAdd(seen[ticket & 127], value | 1);
    atomicMin(low, value);
    atomicMax(high, value);
    atomicAnd(all, value | 0xff);
    atomicOr(any, value & 0xf0f0f0f0);
    atomicXor(odd, value);
    atomicMin(slow, int(value));
    atomicMax(shigh, int(value));
    uint old = atomicExchange(taken, me + 1);
    atomicXor(spins, old);
    barrier();
    uint sum = 0;
    if (me == 0) {
        for (uint k = 0; k < 128; ++k) sum += seen[k];
        uint o = gl_WorkGroupID.x * 10;
        results[o] = add; results[o + 1] = low; results[o + 2] = high; results[o + 3] = all; results[o + 4] = any;
        results[o + 5] = odd; results[o + 6] = uint(slow); results[o + 7] = uint(shigh); results[o + 8] = sum;
        results[o + 9] = spins ^ taken;
    }
}
