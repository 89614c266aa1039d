/* What corpus/bench.s must compute, and how many instructions it executes.
 *
 * The algorithms are written here as ordinary C, not translated from the instructions; next to each
 * path stands the number of instructions that the assembly spends on it.
 *
 *     cc -O2 -o bench_expected corpus/tools/bench_expected.c && ./bench_expected [SCALE] < LANES
 *
 * corpus/tools/build_long.py builds and runs it; the instructions of each section go to standard error. */
#include "expected.h"

enum { COUNT_DOWN = NEXT };

static void hash(u32 n)
{
    u64 x = 0x0123456789abcdef;
    u32 mix = 0;
    count += 5;
    for (; n; n--) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        mix = (mix ^ (u32)x) * 0x85ebca6b;
        mix = (mix ^ mix >> 13) + (u32)(x >> 32);
        count += 11 + COUNT_DOWN;
    }
    store64(64, x);
    result[66] = mix;
    count += 2;
}

static void chain(u32 n)
{
    u128 a = 1, b = 3, c = 0;
    count += 7;
    for (; n; n--) {
        a += b;
        b ^= (u64)a << 1;
        b ^= (u128)((u64)(a >> 64) >> 3) << 64;
        c -= a;
        count += 12 + COUNT_DOWN;
    }
    store64(68, (u64)c);
    store64(70, (u64)(c >> 64));
    count += 2;
}

static void bits(u32 n)
{
    u32 x = 12345, sum = 0, fold = 0;
    count += 7;
    for (; n; n--) {
        x = lcg(x);
        u32 ones = 0, zeros = 32, top = (u32)-1;
        for (u32 k = 0; k < 32; k++) ones += x >> k & 1;
        if (x) {
            for (zeros = 0; !(x << zeros >> 31); zeros++) {}
            top = zeros;
        } else {
            zeros = (u32)-1;
        }
        i32 field = (i32)(x << 12) >> 21;               /* 11 bits from bit 9 */
        u32 reversed = 0;
        for (u32 k = 0; k < 32; k++) reversed |= (x >> k & 1) << (31 - k);
        u32 mask = ((1u << (ones & 31)) - 1) << (top & 31);
        sum += ones + top + zeros;
        fold = (fold ^ (u32)field) + mask;
        fold ^= (reversed & ~mask) | 1u << (zeros & 31);
        count += 16 + COUNT_DOWN;
    }
    result[72] = sum;
    result[73] = fold;
    count += 2;
}

static void collatz(u32 n)
{
    u32 total = 0, longest = 0;
    count += 3;
    for (; n; n--) {
        u32 x = n, steps = 0;
        count += 4;
        while (x != 1) {
            steps++;
            if (x & 1) {
                x = 3 * x + 1;
                count += 3 + 3;
            } else {
                x /= 2;
                count += 6 + (x == 1);
            }
        }
        total += steps;
        if (steps > longest) longest = steps;
        count += 2 + COUNT_DOWN;
    }
    result[74] = total;
    result[75] = longest;
    count += 2;
}

static void gcd(u32 n)
{
    u32 x = 1, sum = 0, steps = 0;
    count += 4;
    for (; n; n--) {
        x = lcg(x);
        u32 a = x | 1;
        x = lcg(x);
        u32 b = x >> 3 | 1 << 20;
        count += 7;
        do {
            while (!(b & 1)) b >>= 1;
            count += 4;
            if (b < a) {
                u32 t = a;
                a = b;
                b = t;
                count += 3;
            }
            b -= a;
            steps++;
            count += 4;
        } while (b);
        sum += a;
        count += 1 + COUNT_DOWN;
    }
    result[76] = sum;
    result[77] = steps;
    count += 2;
}

static void inverse(u32 n)
{
    const u32 p = 0x7fffffff;
    enum { MODMUL = 8 };
    u32 fold = 0, good = 0;
    count += 4;
    for (; n; n--) {
        u32 b = n + 1;
        u64 power = b, inv = 1;
        count += 4;
        for (u32 e = p - 2; e; e >>= 1) {
            count += 2;
            if (e & 1) {
                inv = inv * power % p;
                count += MODMUL;
            }
            power = power * power % p;
            count += MODMUL + 2;
        }
        fold ^= (u32)inv;
        good += inv * b % p == 1;
        count += 1 + MODMUL + 2 + COUNT_DOWN;
    }
    result[78] = fold;
    result[79] = good;
    count += 2;
}

static void sieve(u32 n)
{
    u32 total = 0;
    count += 2;
    for (; n; n--) {
        unsigned char composite[1024] = {1, 1};
        count += 1 + 16 * 4 + 2;
        for (u32 p = 2; p < 32; p++) {
            count += 2;
            if (!composite[p]) {
                count += 1;
                for (u32 m = p * p; m < 1024; m += p) {
                    composite[m] = 1;
                    count += 8;
                }
                count += 2;
            }
            count += 3;
        }
        for (u32 m = 0; m < 1024; m++) total += !composite[m];
        count += 1 + 16 * 6 + COUNT_DOWN;
    }
    result[80] = total;
    count += 1;
}

static u32 mix(u32 x) { return (x ^ x >> 15) * 0x2c1b3c6d; }

static void calls(u32 n)
{
    u32 x = 1;
    count += 5;
    for (; n; n--) {
        x = mix(x);
        x = mix(x + n) + 77;
        count += 1 + 4 + 1 + 2 + 4 + 2 + COUNT_DOWN;
    }
    result[81] = x;
    count += 2;
}

static void short_blocks(u32 n)
{
    u32 sum = 0;
    count += 2;
    for (; n; n--) {
        i32 k = -100;
        count += 1;
        do {
            k += 7;
            count += 3;
            if (k > 50) {
                sum = sum * 5 - 3;
                count += 2;
            } else {
                sum += (u32)k;
                count += 2;
            }
            count += 2;
        } while (k < 150);
        count += 5;
    }
    result[82] = sum;
    count += 1;
}

static void exec_lanes(u32 n)
{
    u32 x = 7, above = 0, negative = 0, skips = 0;
    count += 5;
    for (; n; n--) {
        u32 in = 0, neg = 0;
        x = lcg(x);
        for (int l = 0; l < 64; l++) {
            in += vgpr[0][l] > x;
            neg += vgpr[0][l] > x && (i32)vgpr[0][l] < 0;
        }
        count += 5;
        if (in) {
            above += in;
            negative += neg;
            count += 6;
        } else {
            skips++;
            count += 1;
        }
        count += 1 + COUNT_DOWN;
    }
    result[83] = above;
    result[84] = negative;
    result[85] = skips;
    count += 3;
}

static void select_(u32 n)
{
    u32 x = 99, smallest = (u32)-1, fold = 0, taken = 0;
    i32 largest = 0;
    count += 6;
    for (; n; n--) {
        x = lcg(x);
        i32 y = (i32)x >> 5;
        if (largest > y) taken++; else largest = y;
        largest -= 3;
        if (smallest < x) taken++; else smallest = x;
        smallest += 5;
        u32 apart = (u32)(y > largest ? y - largest : largest - y);
        fold ^= apart > smallest ? apart : smallest;
        count += 13 + COUNT_DOWN;
    }
    result[86] = (u32)largest;
    result[87] = smallest;
    result[88] = fold;
    result[89] = taken;
    count += 4;
}

static void divide(u32 n)
{
    u64 x = 0xffffffffffffffc5, quotients = 0, remainders = 0;
    count += 5;
    for (; n; n--) {
        x ^= x << 9;
        x ^= x >> 11;
        u64 d = x >> 23 | 1;
        u64 q = x / d;
        quotients += q;
        remainders += x % d;
        u64 ones = 0;
        for (u64 t = q; t; t >>= 1) ones += t & 1;      /* a step that subtracts costs two more */
        count += 9 + 64 * 10 + 2 * ones + 4 + COUNT_DOWN;
    }
    store64(90, quotients);
    store64(92, remainders);
    count += 2;
}

static void types(u32 n)
{
    u32 x = 3, f32 = 0, wide = 0, classes = 0, small = 0;
    count += 4;
    for (; n; n--) {
        x = lcg(x);
        float a = as_float(x);
        u32 mask = x >> 14 & 0x3ff;
        for (int l = 0; l < 64; l++) {
            f32 += a < as_float(vgpr[1][l]);
            wide += (i64)(i32)x >= (i64)lane64(2, l);
            classes += mask >> float_class(vgpr[1][l], 8, 23) & 1;
            small += (x & 0xffff) > (vgpr[0][l] & 0xffff);
        }
        count += 16 + COUNT_DOWN;
    }
    result[94] = f32;
    result[95] = wide;
    result[96] = classes;
    result[97] = small;
    count += 2;
}

int main(int argc, char **argv)
{
    u32 scale = argc > 1 ? (u32)atoi(argv[1]) : 1;
    u64 before = 0;
    read_lanes();
#define PHASE(call)                                                                             \
    do {                                                                                        \
        call;                                                                                   \
        fprintf(stderr, "%-14.*s %12" PRIu64 "\n", (int)strcspn(#call, "("), #call, count - before); \
        before = count;                                                                         \
    } while (0)
    PHASE(hash(7000000 / scale));
    PHASE(chain(7000000 / scale));
    PHASE(bits(6000000 / scale));
    PHASE(collatz(120000 / scale));
    PHASE(gcd(600000 / scale));
    PHASE(inverse(120000 / scale));
    PHASE(sieve((3000 + scale - 1) / scale));
    PHASE(calls(6000000 / scale));
    PHASE(short_blocks(400000 / scale));
    PHASE(exec_lanes(2000000 / scale));
    PHASE(select_(7000000 / scale));
    PHASE(divide(130000 / scale));
    PHASE(types(400000 / scale));
    count += FINISH;
    print_results();
    return 0;
}
