// Atomics of 32 and 64 bits in global memory, with and without use of the old value, of any scope; a ticket lock.
#include "check.h"

struct Counters {
    int sum, difference, least, greatest;
    unsigned unsigned_least, unsigned_greatest, bits_or, bits_and, bits_xor, wrapped_up, wrapped_down, exchanged, swaps;
    unsigned long long sum64, greatest64, least64, or64, xor64, exchanged64, swaps64;
    unsigned ticket, serving, guarded;
};

__host__ __device__ int value(unsigned i) { return int(i * 2654435761u) >> 4; }

__global__ void run(Counters* c, unsigned* old, unsigned n) {
    unsigned i = thread_index();
    if (i >= n) return;
    int v = value(i);
    unsigned u = unsigned(v);
    unsigned long long w = (unsigned long long)(u) << 20 | i;
    atomicAdd(&c->sum, v);
    atomicSub(&c->difference, v);
    atomicMin(&c->least, v);
    atomicMax(&c->greatest, v);
    atomicMin(&c->unsigned_least, u);
    atomicMax(&c->unsigned_greatest, u);
    atomicOr(&c->bits_or, 1u << i % 31);
    atomicAnd(&c->bits_and, ~(1u << i % 29));
    atomicXor(&c->bits_xor, u);
    atomicInc(&c->wrapped_up, 99);
    atomicDec(&c->wrapped_down, 99);
    atomicExch(&c->exchanged, i + 1);
    atomicAdd(&c->sum64, w);
    atomicMax(&c->greatest64, w);
    atomicMin(&c->least64, w);
    atomicOr(&c->or64, 1ull << i % 61);
    atomicXor(&c->xor64, w);
    atomicExch(&c->exchanged64, w);
    // Compare and swap until it succeeds.
    for (unsigned seen = c->swaps, before; (before = atomicCAS(&c->swaps, seen, seen * 3 + 1)) != seen; seen = before) {
    }
    for (unsigned long long seen = c->swaps64, before;
         (before = atomicCAS(&c->swaps64, seen, seen + w)) != seen; seen = before) {
    }
    // Each item gets a number of its own.
    old[atomicAdd(&c->ticket, 1u)] = i;
}
// One lane of each group holds the lock in turn.
__global__ void lock(Counters* c) {
    if (threadIdx.x != 0) return;
    unsigned mine = __hip_atomic_fetch_add(&c->ticket, 1u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    while (__hip_atomic_load(&c->serving, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT) != mine) {
    }
    c->guarded = c->guarded * 5 + 1;
    __hip_atomic_store(&c->serving, mine + 1, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_SYSTEM);
}

int main() {
    const unsigned n = 3000;
    Counters start = {};
    start.unsigned_least = ~0u, start.bits_and = ~0u, start.least64 = ~0ull, start.wrapped_down = 40;
    Array<Counters> counters(std::vector<Counters>{start});
    Array<unsigned> old(n);
    run<<<groups(n, 128), 128>>>(counters, old, n);
    Counters got = counters.read()[0], e = start;
    for (unsigned i = 0; i < n; i++) {
        int v = value(i);
        unsigned u = unsigned(v);
        unsigned long long w = (unsigned long long)(u) << 20 | i;
        e.sum = int(unsigned(e.sum) + u), e.difference = int(unsigned(e.difference) - u);
        e.least = std::min(e.least, v), e.greatest = std::max(e.greatest, v);
        e.unsigned_least = std::min(e.unsigned_least, u), e.unsigned_greatest = std::max(e.unsigned_greatest, u);
        e.bits_or |= 1u << i % 31, e.bits_and &= ~(1u << i % 29), e.bits_xor ^= u;
        e.wrapped_up = e.wrapped_up >= 99 ? 0 : e.wrapped_up + 1;
        e.wrapped_down = e.wrapped_down == 0 || e.wrapped_down > 99 ? 99 : e.wrapped_down - 1;
        e.sum64 += w, e.greatest64 = std::max(e.greatest64, w), e.least64 = std::min(e.least64, w);
        e.or64 |= 1ull << i % 61, e.xor64 ^= w, e.swaps = e.swaps * 3 + 1, e.swaps64 += w;
    }
    CHECK(got.exchanged >= 1 && got.exchanged <= n);
    CHECK((got.exchanged64 & 0xfffff) < n);
    CHECK_EQ(got.ticket, n);
    e.exchanged = got.exchanged, e.exchanged64 = got.exchanged64, e.ticket = n;
    CHECK(memcmp(&got, &e, sizeof e) == 0);
    std::vector<bool> seen(n);
    for (unsigned i : old.read()) {
        CHECK(i < n && !seen[i]);
        seen[i] = true;
    }
    counters.fill(0);
    lock<<<40, 64>>>(counters);
    unsigned expected = 0;
    for (int i = 0; i < 40; i++) expected = expected * 5 + 1;
    CHECK_EQ(counters.read()[0].guarded, expected);
    return OK();
}
