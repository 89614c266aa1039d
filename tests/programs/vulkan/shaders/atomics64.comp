#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_atomic_int64 : require
// Atomics of 64 bits on buffers and on shared memory.
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In { uint64_t data[]; };
layout(binding = 1) buffer Out { uint64_t add, low, high, all, any, odd, swapped, exchanged; int64_t slow, shigh; };
layout(constant_id = 0) const bool in_shared = false;
shared uint64_t part[6];
void main() {
    uint64_t value = data[gl_GlobalInvocationID.x];
    if (in_shared) {
        if (gl_LocalInvocationIndex == 0) {
            part[0] = 0ul; part[1] = ~0ul; part[2] = 0ul; part[3] = ~0ul; part[4] = 0ul; part[5] = 0ul;
        }
        barrier();
        atomicAdd(part[0], value);
        atomicMin(part[1], value);
        atomicMax(part[2], value);
        atomicAnd(part[3], value | 0xfful);
        atomicOr(part[4], value & 0xf0f0f0f0f0f0f0f0ul);
        atomicXor(part[5], value);
        barrier();
        if (gl_LocalInvocationIndex != 0) return;
        atomicAdd(add, part[0]);
        atomicMin(low, part[1]);
        atomicMax(high, part[2]);
        atomicAnd(all, part[3]);
        atomicOr(any, part[4]);
        atomicXor(odd, part[5]);
    } else {
        atomicAdd(add, value);
        atomicMin(low, value);
        atomicMax(high, value);
        atomicAnd(all, value | 0xfful);
        atomicOr(any, value & 0xf0f0f0f0f0f0f0f0ul);
        atomicXor(odd, value);
        atomicMin(slow, int64_t(value));
        atomicMax(shigh, int64_t(value));
        uint64_t old = atomicExchange(exchanged, uint64_t(gl_GlobalInvocationID.x + 1) << 32);
        atomicXor(swapped, old);
    }
}
