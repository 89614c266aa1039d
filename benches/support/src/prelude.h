// A GCN program as C, one statement per instruction. Made by gcnsim-bench-support.
#include <math.h>
#include <stdint.h>
#include <string.h>

struct state {
    uint32_t sgpr[128];
    uint32_t scc, mode, trapsts, reserved;
    uint64_t pc;
};

enum { EXIT_ENDED = 0, EXIT_HALTED = 1, EXIT_UNKNOWN_TARGET = 2 };

#define JOIN(lo, hi) ((uint64_t)(hi) << 32 | (uint32_t)(lo))

static inline uint32_t brev32(uint32_t x)
{
    x = (x >> 1 & 0x55555555u) | (x & 0x55555555u) << 1;
    x = (x >> 2 & 0x33333333u) | (x & 0x33333333u) << 2;
    x = (x >> 4 & 0x0f0f0f0fu) | (x & 0x0f0f0f0fu) << 4;
    return __builtin_bswap32(x);
}
static inline uint64_t brev64(uint64_t x) { return JOIN(brev32(x >> 32), brev32((uint32_t)x)); }
static inline uint32_t ff1_32(uint32_t x) { return x ? (uint32_t)__builtin_ctz(x) : UINT32_MAX; }
static inline uint32_t ff1_64(uint64_t x) { return x ? (uint32_t)__builtin_ctzll(x) : UINT32_MAX; }
static inline uint32_t flbit32(uint32_t x) { return x ? (uint32_t)__builtin_clz(x) : UINT32_MAX; }
static inline uint32_t flbit64(uint64_t x) { return x ? (uint32_t)__builtin_clzll(x) : UINT32_MAX; }
static inline uint64_t any_of_quads(uint64_t x)
{
    x |= x >> 2;
    x |= x >> 1;
    return x & 0x1111111111111111ull;
}
static inline uint64_t quadmask(uint64_t x)
{
    x = any_of_quads(x);
    x = (x | x >> 3) & 0x0303030303030303ull;
    x = (x | x >> 6) & 0x000f000f000f000full;
    x = (x | x >> 12) & 0x000000ff000000ffull;
    return (x | x >> 24) & 0xffff;
}
static inline uint64_t bitreplicate(uint64_t x)
{
    x = (x | x << 16) & 0x0000ffff0000ffffull;
    x = (x | x << 8) & 0x00ff00ff00ff00ffull;
    x = (x | x << 4) & 0x0f0f0f0f0f0f0f0full;
    x = (x | x << 2) & 0x3333333333333333ull;
    x = (x | x << 1) & 0x5555555555555555ull;
    return x | x << 1;
}
static inline uint64_t bfe_u64(uint64_t x, uint32_t control, uint32_t bits)
{
    uint32_t offset = control & (bits - 1), width = control >> 16 & 0x7f;
    uint32_t n = width < bits - offset ? width : bits - offset;
    return x >> offset & (n == 64 ? ~0ull : (1ull << n) - 1);
}
static inline int64_t bfe_i64(int64_t x, uint32_t control, uint32_t bits)
{
    uint32_t offset = control & (bits - 1), width = control >> 16 & 0x7f;
    uint32_t n = width < bits - offset ? width : bits - offset;
    return n == 0 ? 0 : (int64_t)((uint64_t)x << (64 - offset - n)) >> (64 - n);
}
static inline uint32_t absdiff(uint32_t a, uint32_t b)
{
    uint32_t d = a - b;
    return (int32_t)d < 0 ? -d : d;
}

// Lanes as numbers. A denormal counts as zero if the bit of MODE that keeps it is clear.
static inline float f32(uint32_t x) { float f; memcpy(&f, &x, 4); return f; }
static inline double f64(uint64_t x) { double f; memcpy(&f, &x, 8); return f; }
static inline double f16(uint16_t x)
{
    double m = x & 0x3ff;
    int e = x >> 10 & 31;
    m = e == 31 ? (m ? NAN : INFINITY) : e ? ldexp(1024 + m, e - 25) : ldexp(m, -24);
    return x >> 15 ? -m : m;
}
static inline uint32_t flush32(uint32_t x, uint32_t mode) { return mode & 0x10 || x & 0x7f800000u ? x : x & 0x80000000u; }
static inline uint64_t flush64(uint64_t x, uint32_t mode)
{
    return mode & 0x40 || x & 0x7ff0000000000000ull ? x : x & 0x8000000000000000ull;
}
static inline uint16_t flush16(uint16_t x, uint32_t mode) { return mode & 0x40 || x & 0x7c00 ? x : x & 0x8000; }
// Class of a float by sign, exponent and mantissa: 0 sNaN, 1 qNaN, 2 -inf, 3 -normal, 4 -denormal, 5 -0, then positive.
static inline uint32_t class_of(uint32_t negative, int all_ones, int no_exponent, int mantissa, int quiet)
{
    if (all_ones && mantissa) return quiet;
    uint32_t kind = all_ones ? 0 : no_exponent ? (mantissa ? 2 : 3) : 1;
    return negative ? 2 + kind : 9 - kind;
}
static inline uint32_t class32(uint32_t x)
{
    uint32_t e = x >> 23 & 0xff;
    return class_of(x >> 31, e == 0xff, e == 0, (x & 0x7fffff) != 0, x >> 22 & 1);
}
static inline uint32_t class64(uint64_t x)
{
    uint32_t e = x >> 52 & 0x7ff;
    return class_of(x >> 63, e == 0x7ff, e == 0, (x & 0xfffffffffffffull) != 0, x >> 51 & 1);
}
static inline uint32_t class16(uint16_t x)
{
    uint32_t e = x >> 10 & 0x1f;
    return class_of(x >> 15, e == 0x1f, e == 0, (x & 0x3ff) != 0, x >> 9 & 1);
}
