/* Shared by bench_expected.c and loops_expected.c: result registers, the instruction count, lane values.
 *
 * Lane values come in on standard input, lines of "vN" and 64 numbers; results go out as "count N" and "sK VALUE". */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint32_t u32;
typedef int32_t i32;
typedef uint64_t u64;
typedef int64_t i64;
typedef unsigned __int128 u128;

#ifdef LIBRARY
#define count ((u64){0})        /* nothing is counted */
#else
static u64 count;               /* executed instructions */
#endif
static u32 result[128];
static u32 vgpr[16][64];

/* Instructions of the macros NEXT / COUNT_DOWN and FINISH of corpus/programs/include. */
enum { NEXT = 3, FINISH = 37 };

static inline void store64(int reg, u64 v) { result[reg] = (u32)v; result[reg + 1] = (u32)(v >> 32); }
static inline u32 lcg(u32 x) { return x * 1664525u + 1013904223u; }
static inline u32 rotl(u32 x, int n) { return x << n | x >> (32 - n); }
static inline u64 lane64(int v, int l) { return vgpr[v][l] | (u64)vgpr[v + 1][l] << 32; }

/* 0..9: sNaN qNaN -inf -normal -denormal -0 +0 +denormal +normal +inf */
static inline u32 float_class(u64 bits, int exponent_bits, int fraction_bits)
{
    u64 sign = bits >> (exponent_bits + fraction_bits) & 1;
    u64 exponent = bits >> fraction_bits & ((1u << exponent_bits) - 1);
    u64 fraction = bits & (((u64)1 << fraction_bits) - 1);
    int top = exponent == (1u << exponent_bits) - 1;
    if (top && fraction) return (u32)(fraction >> (fraction_bits - 1));
    u32 size = top ? 3 : exponent ? 2 : fraction ? 1 : 0;
    return sign ? 5 - size : 6 + size;
}

static inline float as_float(u32 x) { float f; memcpy(&f, &x, 4); return f; }
static inline double as_double(u64 x) { double d; memcpy(&d, &x, 8); return d; }

/* Exact: every binary16 is a float. */
static inline float half(u32 x)
{
    u32 sign = (x >> 15 & 1) << 31, exponent = x >> 10 & 31, fraction = x & 0x3ff;
    if (exponent == 31) return as_float(sign | 0x7f800000 | fraction << 13);
    if (exponent) return as_float(sign | (exponent + 112) << 23 | fraction << 13);
    float f = (float)fraction * 5.9604644775390625e-8f;         /* 2^-24 */
    return sign ? -f : f;
}

static void read_lanes(void)
{
    int v;
    while (scanf(" v%d", &v) == 1) {
        if (v < 0 || v >= 16) exit(2);
        for (int l = 0; l < 64; l++)
            if (scanf("%" SCNu32, &vgpr[v][l]) != 1) exit(2);
    }
}

static void print_results(void)
{
    printf("count %" PRIu64 "\n", count);
    for (int r = 0; r < 128; r++)
        if (result[r]) printf("s%d %" PRIu32 "\n", r, result[r]);
}
