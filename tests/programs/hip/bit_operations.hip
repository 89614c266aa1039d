// Bit counts, reversals, permutations of bytes, funnel shifts, fields, 24-bit products, saturations.
#include "check.h"

struct Results {
    uint32_t ones, zeros, reversed, first, bytes, funnel, product24, high, absolute, field, average;
    uint64_t ones64, reversed64;
};

__device__ Results on_device(uint32_t a, uint32_t b) {
    uint64_t wide = uint64_t(a) << 32 | b;
    Results r;
    r.ones = __popc(a);
    r.zeros = __clz(int(a));
    r.reversed = __brev(a);
    r.first = __ffs(int(a)) + 100 * __ffsll((unsigned long long)wide);
    r.bytes = __byte_perm(a, b, b & 0x7777);
    r.funnel = __funnelshift_l(a, b, a & 31) ^ __funnelshift_rc(a, b, b & 63);
    r.product24 = __umul24(a, b) + uint32_t(__mul24(int(a << 8) >> 8, int(b << 8) >> 8));
    r.high = __umulhi(a, b) ^ uint32_t(__mulhi(int(a), int(b)));
    r.absolute = __sad(int(a), int(b), 7u);
    r.field = __bitextract_u32(a, b % 25, 7) ^ __bitinsert_u32(a, b, 5, 11);
    r.average = __uhadd(a >> 1, b >> 1);
    r.ones64 = uint64_t(__popcll(wide)) << 32 | uint32_t(__clzll((long long)wide));
    r.reversed64 = __brevll(wide);
    return r;
}
static uint64_t reverse(uint64_t x, int bits) {
    uint64_t y = 0;
    for (int i = 0; i < bits; i++) y |= (x >> i & 1) << (bits - 1 - i);
    return y;
}
static Results on_host(uint32_t a, uint32_t b) {
    uint64_t wide = uint64_t(a) << 32 | b;
    auto signed24 = [](uint32_t x) { return int64_t(int32_t(x << 8) >> 8); };
    Results r;
    r.ones = uint32_t(__builtin_popcount(a));
    r.zeros = a ? uint32_t(__builtin_clz(a)) : 32;
    r.reversed = uint32_t(reverse(a, 32));
    r.first = uint32_t(__builtin_ffs(int(a)) + 100 * __builtin_ffsll((long long)wide));
    uint64_t pool = uint64_t(b) << 32 | a;
    r.bytes = 0;
    for (int i = 0; i < 4; i++) r.bytes |= uint32_t(pool >> (b >> 4 * i & 7) * 8 & 255) << 8 * i;
    uint32_t left = a & 31, right = std::min(b & 63, 32u);
    r.funnel = uint32_t(pool << left >> 32) ^ uint32_t(pool >> right);
    r.product24 = (a & 0xffffff) * (b & 0xffffff) + uint32_t(signed24(a) * signed24(b));
    r.high = uint32_t(uint64_t(a) * b >> 32) ^ uint32_t(int64_t(int32_t(a)) * int32_t(b) >> 32);
    int64_t difference = int64_t(int32_t(a)) - int32_t(b);
    r.absolute = uint32_t(difference < 0 ? -difference : difference) + 7;
    r.field = (a >> b % 25 & 127) ^ ((a & ~(2047u << 5)) | (b & 2047) << 5);
    r.average = ((a >> 1) + (b >> 1)) >> 1;
    r.ones64 = uint64_t(__builtin_popcountll(wide)) << 32 | uint64_t(wide ? __builtin_clzll(wide) : 64);
    r.reversed64 = reverse(wide, 64);
    return r;
}
__global__ void run(const uint32_t* a, const uint32_t* b, Results* to) {
    to[thread_index()] = on_device(a[thread_index()], b[thread_index()]);
}

int main() {
    const int n = 4096;
    Random random;
    std::vector<uint32_t> a(n), b(n);
    for (int i = 0; i < n; i++) a[i] = random.next() >> random.below(32), b[i] = random.next() >> random.below(32);
    for (int i = 0; i < 4; i++) a[i] = i & 1 ? ~0u : 0, b[i] = i & 2 ? 0x80000000u : 0;
    Array<uint32_t> x(a), y(b);
    Array<Results> to(n);
    run<<<n / 64, 64>>>(x, y, to);
    auto got = to.read();
    for (int i = 0; i < n; i++) {
        Results g = got[i], e = on_host(a[i], b[i]);
        CHECK_EQ(g.ones, e.ones);
        CHECK_EQ(g.zeros, e.zeros);
        CHECK_EQ(g.reversed, e.reversed);
        CHECK_EQ(g.first, e.first);
        CHECK_EQ(g.bytes, e.bytes);
        CHECK_EQ(g.funnel, e.funnel);
        CHECK_EQ(g.product24, e.product24);
        CHECK_EQ(g.high, e.high);
        CHECK_EQ(g.absolute, e.absolute);
        CHECK_EQ(g.field, e.field);
        CHECK_EQ(g.average, e.average);
        CHECK_EQ(g.ones64, e.ones64);
        CHECK_EQ(g.reversed64, e.reversed64);
    }
    return OK();
}
