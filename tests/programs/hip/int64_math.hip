// Integers of 64 and 128 bits: products, quotients, remainders, shifts, comparisons, conversions to and from double.
#include "check.h"

struct Results {
    uint64_t product, high, quotient, remainder, shifted, wide_low, wide_high;
    int64_t signed_quotient, signed_remainder, signed_shifted, from_double;
    double from_signed, from_unsigned;
    uint32_t compared;
    int32_t narrow_quotient, narrow_remainder;
};

__host__ __device__ Results compute(uint64_t a, uint64_t b) {
    Results r;
    uint64_t d = b | 1;
    r.product = a * b;
    r.high = uint64_t((unsigned __int128)a * b >> 64);
    r.quotient = a / d;
    r.remainder = a % d;
    r.shifted = (a << (b & 63)) ^ (a >> (b >> 6 & 63));
    r.signed_quotient = int64_t(a) / int64_t(d >> 3 | 1);
    r.signed_remainder = int64_t(a) % int64_t(d | 2);
    r.signed_shifted = int64_t(a) >> (b & 63);
    r.from_signed = double(int64_t(a));
    r.from_unsigned = double(b);
    r.from_double = int64_t(double(int64_t(a >> 1)) * 0.99);
    unsigned __int128 wide = ((unsigned __int128)a << 64 | b) * 0x123456789abcdefull + a;
    wide = wide << (a & 31) ^ wide >> (b & 127);
    r.wide_low = uint64_t(wide);
    r.wide_high = uint64_t(wide >> 64);
    r.compared = (a < b) | (int64_t(a) < int64_t(b)) << 1 | (a >> 32 == b >> 32) << 2 | (a >= (b ^ 1)) << 3;
    r.narrow_quotient = int32_t(a) / int32_t(uint32_t(b) >> 1 | 1);
    r.narrow_remainder = int32_t(a >> 32) % int32_t(uint32_t(b) >> 5 | 1);
    return r;
}
__global__ void run(const uint64_t* a, const uint64_t* b, Results* to, int n) {
    int i = int(thread_index());
    if (i < n) to[i] = compute(a[i], b[i]);
}

int main() {
    const int n = 4000;
    Random random;
    const uint64_t edges[] = {0, 1, 2, ~0ull, 1ull << 63, (1ull << 63) - 1, 0xffffffff, 1ull << 32, 3, ~1ull};
    std::vector<uint64_t> a(n), b(n);
    for (int i = 0; i < n; i++) {
        a[i] = i < 100 ? edges[i % 10] : random.next64() >> random.below(64);
        b[i] = i < 100 ? edges[i / 10] : random.next64() >> random.below(64);
        // The least number divided by -1 is undefined.
        if (int64_t(a[i]) == INT64_MIN && int64_t(b[i] | 3) == -1) a[i] = 5;
    }
    Array<uint64_t> x(a), y(b);
    Array<Results> to(n);
    run<<<groups(n, 64), 64>>>(x, y, to, n);
    auto got = to.read();
    for (int i = 0; i < n; i++) {
        Results e = compute(a[i], b[i]), &g = got[i];
        CHECK_EQ(g.product, e.product);
        CHECK_EQ(g.high, e.high);
        CHECK_EQ(g.quotient, e.quotient);
        CHECK_EQ(g.remainder, e.remainder);
        CHECK_EQ(g.shifted, e.shifted);
        CHECK_EQ(g.signed_quotient, e.signed_quotient);
        CHECK_EQ(g.signed_remainder, e.signed_remainder);
        CHECK_EQ(g.signed_shifted, e.signed_shifted);
        CHECK_EQ(g.from_signed, e.from_signed);
        CHECK_EQ(g.from_unsigned, e.from_unsigned);
        CHECK_EQ(g.from_double, e.from_double);
        CHECK_EQ(g.wide_low, e.wide_low);
        CHECK_EQ(g.wide_high, e.wide_high);
        CHECK_EQ(g.compared, e.compared);
        CHECK_EQ(g.narrow_quotient, e.narrow_quotient);
        CHECK_EQ(g.narrow_remainder, e.narrow_remainder);
    }
    return OK();
}
