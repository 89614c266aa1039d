// Atomics on LDS: all integer kinds, 32 and 64 bits, results used and not, contended and spread.
#include "check.h"

struct Shared {
    unsigned add, sub, exclusive_or, set, clear, up, down;
    int least, greatest;
    unsigned long long add64, or64, least64, greatest64, swapped64;
    unsigned swapped, order;
};

__host__ __device__ unsigned value(unsigned group, unsigned i) { return (group * 977 + i * 2654435761u) >> 3; }

__global__ void run(Shared* to, unsigned* orders) {
    __shared__ Shared s;
    __shared__ unsigned spread[64];
    unsigned i = threadIdx.x;
    if (i == 0) {
        s = Shared();
        s.clear = ~0u, s.least = INT32_MAX, s.greatest = INT32_MIN, s.least64 = ~0ull;
    }
    if (i < 64) spread[i] = 0;
    __syncthreads();
    unsigned v = value(blockIdx.x, i);
    unsigned long long w = (unsigned long long)v * v;
    atomicAdd(&s.add, v);
    atomicSub(&s.sub, v);
    atomicXor(&s.exclusive_or, v);
    atomicOr(&s.set, 1u << v % 32);
    atomicAnd(&s.clear, ~(1u << v % 31));
    atomicInc(&s.up, 6);
    atomicDec(&s.down, 12);
    atomicMin(&s.least, int(v << 3) >> 3);
    atomicMax(&s.greatest, int(v << 3) >> 3);
    atomicAdd(&s.add64, w);
    atomicOr(&s.or64, 1ull << v % 64);
    atomicMin(&s.least64, w);
    atomicMax(&s.greatest64, w);
    for (unsigned seen = 0, before; (before = atomicCAS(&s.swapped, seen, seen + 3)) != seen; seen = before) {
    }
    for (unsigned long long seen = 0, before; (before = atomicCAS(&s.swapped64, seen, seen + w)) != seen;
         seen = before) {
    }
    unsigned mine = atomicAdd(&s.order, 1u);
    atomicAdd(&spread[mine % 64], i);
    __syncthreads();
    if (i == 0) to[blockIdx.x] = s;
    if (i < 64) orders[blockIdx.x * 64 + i] = spread[i];
}

int main() {
    const unsigned n = 8, size = 320;
    Array<Shared> to(n);
    Array<unsigned> orders(n * 64);
    run<<<n, size>>>(to, orders);
    auto got = to.read();
    auto spread = orders.read();
    for (unsigned g = 0; g < n; g++) {
        Shared e;
        memset(&e, 0, sizeof e);
        e.clear = ~0u, e.least = INT32_MAX, e.greatest = INT32_MIN, e.least64 = ~0ull;
        unsigned sum = 0;
        for (unsigned i = 0; i < size; i++) {
            unsigned v = value(g, i);
            unsigned long long w = (unsigned long long)v * v;
            int narrow = int(v << 3) >> 3;
            e.add += v, e.sub -= v, e.exclusive_or ^= v, e.set |= 1u << v % 32, e.clear &= ~(1u << v % 31);
            e.up = e.up >= 6 ? 0 : e.up + 1, e.down = e.down == 0 || e.down > 12 ? 12 : e.down - 1;
            e.least = std::min(e.least, narrow), e.greatest = std::max(e.greatest, narrow);
            e.add64 += w, e.or64 |= 1ull << v % 64;
            e.least64 = std::min(e.least64, w), e.greatest64 = std::max(e.greatest64, w);
            e.swapped += 3, e.swapped64 += w, e.order++;
            sum += i;
        }
        CHECK(memcmp(&got[g], &e, offsetof(Shared, order) + 4) == 0);
        for (unsigned i = 0; i < 64; i++) sum -= spread[g * 64 + i];
        CHECK_EQ(sum, 0u);
    }
    return OK();
}
