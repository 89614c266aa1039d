#version 450
// Atomics of 32 bits on buffers. Results do not depend on the order.
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint data[]; };
layout(binding = 1) buffer Out { uint add, low, high, all, any, odd; int slow, shigh; uint taken[4]; uint last; uint exchanged; uint spins; };
layout(binding = 2) buffer Seen { uint seen[]; };
void main() {
    uint value = data[gl_GlobalInvocationID.x];
    uint ticket = atomicAdd(add, 1);
    atomicAdd(seen[ticket], 1);
    atomicMin(low, value);
    atomicMax(high, value);
    atomicAnd(all, value | 0xff);
    atomicOr(any, value & 0xf0f0f0f0);
    atomicXor(odd, value);
    atomicMin(slow, int(value));
    atomicMax(shigh, int(value));
    // Each number 1.. is taken by one invocation.
    for (uint k = 0; k < 4; ++k) {
        if (atomicCompSwap(taken[k], 0, 1) == 0) atomicAdd(last, k + 1);
    }
    // What is taken out comes back in by somebody, once.
    uint old = atomicExchange(exchanged, gl_GlobalInvocationID.x + 1);
    atomicXor(spins, old);
}
