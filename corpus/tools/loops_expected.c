/* What each program of corpus/loops must compute for N iterations, and how many instructions it executes.
 *
 * Ordinary C, not translated from the instructions; next to each path stands its number of instructions.
 *
 *     cc -O2 -o loops_expected corpus/tools/loops_expected.c && ./loops_expected NAME N < LANES
 *
 * corpus/tools/build_long.py builds and runs it, and benches run it as a library. */
#include "expected.h"

static void hash(u32 n)
{
    u32 x = 0x9e3779b9, h = 0;
    for (; n; n--) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        h = rotl(h ^ rotl(x * 0xcc9e2d51, 15) * 0x1b873593, 13) * 5 + 0xe6546b64;
        count += 17 + NEXT;
    }
    result[64] = x;
    result[65] = h;
    count += 4 + 1;
}

static void xorshift64(u32 n)
{
    u64 x = 1, sum = 0;
    for (; n; n--) {
        x ^= x >> 12;
        x ^= x << 25;
        x ^= x >> 27;
        sum += x * 0x2545f4914f6cdd1d;
        count += 14 + NEXT;
    }
    store64(64, x);
    store64(66, sum);
    count += 4 + 2;
}

static void carry_2(u32 n)
{
    u64 a = 1, b = 1;
    u128 sum = 0;
    for (; n; n--) {
        u64 next = a + b;
        b = a;
        a = next;
        sum += b;
        count += 7 + NEXT;
    }
    store64(64, a);
    store64(66, b);
    store64(68, (u64)sum);
    result[70] = (u32)(sum >> 64);
    count += 4 + 4;
}

/* a += b over `words` 32-bit words, lowest first; a -= b if negative */
static void add(u32 *a, const u32 *b, int words, int negative)
{
    u64 carry = negative;
    for (int k = 0; k < words; k++) {
        carry += (u64)a[k] + (negative ? ~b[k] : b[k]);
        a[k] = (u32)carry;
        carry >>= 32;
    }
}

static void carry_8(u32 n)
{
    u32 a[8], b[8];
    for (int k = 0; k < 8; k++) {
        a[k] = k + 1;
        b[k] = k + 9;
    }
    for (; n; n--) {
        add(a, b, 8, 0);
        add(b, a, 8, 0);
        count += 16 + NEXT;
    }
    memcpy(result + 64, a, sizeof a);
    memcpy(result + 72, b, sizeof b);
    count += 16 + 8;
}

static void carry_16(u32 n)
{
    u32 a[16], b[16], c[16] = {0};
    for (int k = 0; k < 16; k++) {
        a[k] = k + 1;
        b[k] = 3 * k + 5;
    }
    for (; n; n--) {
        add(a, b, 16, 0);
        add(c, a, 16, 1);
        b[0] ^= a[15];
        count += 33 + NEXT;
    }
    memcpy(result + 64, a, sizeof a);
    memcpy(result + 80, c, sizeof c);
    count += 48 + 16;
}

static void pair_halves(u32 n)
{
    u64 x = 0x9abcdef012345678;
    u32 ones = 0;
    for (; n; n--) {
        u64 t = x << 7;
        x += (u64)(u32)t << 32;
        x ^= t;
        t = (u32)t | (u64)((u32)x * 0x85ebca6bu) << 32;
        u64 either = t | x;
        ones += (u32)__builtin_popcountll(either);
        u64 field = either << (64 - 50) >> (64 - 37);           /* 37 bits from bit 13 */
        x ^= field >> 32;
        x += field << 32;
        t = x >> 29;
        x = (x & 0xffffffff00000000) | (u32)(x + t);
        x ^= t >> 32 << 32;
        count += 14 + NEXT;
    }
    store64(64, x);
    result[66] = ones;
    count += 5 + 2;
}

static void bits(u32 n)
{
    u32 x = 12345, sum = 0, fold = 0;
    for (; n; n--) {
        x = lcg(x);
        u32 ones = (u32)__builtin_popcount(x);
        fold ^= x >> 7 & 0x1fff;
        sum += ones + (x ? (u32)__builtin_clz(x) : (u32)-1);
        sum += ~x ? (u32)__builtin_ctz(~x) : (u32)-1;
        u32 sign_run = x && ~x ? (u32)__builtin_clrsb((i32)x) + 1 : (u32)-1;
        fold += ((1u << (ones & 31)) - 1) << (sign_run & 31);
        u32 reversed = 0, quads = 0;
        for (u32 k = 0; k < 32; k++) {
            reversed |= (x >> k & 1) << (31 - k);
            quads |= (x >> k & 1) << k / 4;
        }
        fold ^= reversed & ~(1u << (ones & 31));
        sum -= (u32)(int8_t)fold;
        fold ^= quads;
        count += 20 + NEXT;
    }
    result[64] = x;
    result[65] = sum;
    result[66] = fold;
    count += 6 + 3;
}

static i32 min(i32 a, i32 b) { return a < b ? a : b; }
static i32 max(i32 a, i32 b) { return a > b ? a : b; }

static void select_(u32 n)
{
    u32 x = 99, smallest = (u32)-1, fold = 0, sum = 0;
    i32 largest = 0;
    for (; n; n--) {
        x = lcg(x);
        i32 y = (i32)x >> 6;
        largest = max(largest, y) - 5;
        smallest = (x < smallest ? x : smallest) + 9;
        u32 apart = (u32)abs(y - largest);
        u32 chosen = apart > smallest ? apart : smallest;
        fold ^= chosen;
        if (abs(y) < (i32)chosen) sum = chosen;
        u32 low = (u32)min(abs(y), (i32)fold);
        sum += low > smallest ? low : smallest;
        count += 17 + NEXT;
    }
    result[64] = x;
    result[65] = (u32)largest;
    result[66] = fold;
    result[67] = sum;
    count += 7 + 3;
}

static u32 lesser(u32 a, u32 b) { return a < b ? a : b; }
static u32 greater(u32 a, u32 b) { return a > b ? a : b; }

static void minmax(u32 n)
{
    u32 x = 99, before = 0, second = 0, sum = 0, least = 15, greatest = 0;
    for (; n; n--) {
        x = lcg(x);
        u32 new = x >> 28, a = lesser(new, before), b = greater(new, before);
        u32 median = second < a ? a : second > b ? b : second;
        sum += median;
        least = lesser(least, median);
        greatest = greater(greatest, median);
        second = before;
        before = new;
        count += 12 + NEXT;
    }
    result[64] = x;
    result[65] = sum;
    result[66] = least;
    result[67] = greatest;
    count += 8 + 3;
}

static void crc32(u32 n)
{
    u32 crc = UINT32_MAX, x = 0x12345;
    for (; n; n--) {
        crc ^= x;
        x += 0x3d;
        for (int bit = 0; bit < 4; bit++) {
            int one = crc & 1;
            crc = crc >> 1 ^ (one ? 0xedb88320 : 0);
            count += one ? 5 : 3;
        }
        count += 2 + NEXT;
    }
    result[64] = crc;
    count += 3 + 1;
}

static void search(u32 n)
{
    u32 x = 7, sum = 0;
    for (; n; n--) {
        x = lcg(x);
        u32 low = 0, high = 0x8000;
        count += 5;
        while (low < high) {
            u32 middle = (low + high) / 2;
            int is_less = middle * middle <= x >> 2;
            if (is_less)
                low = middle + 1;
            else
                high = middle;
            count += is_less ? 9 : 8;
        }
        sum += low;
        count += 1 + NEXT;
    }
    result[64] = x;
    result[65] = sum;
    count += 4 + 1;
}

static void network(u32 n)
{
    u32 x = 99, digest = 0;
    for (; n; n--) {
        x = lcg(x);
        u32 sorted[] = {x >> 16, x & 0xffff, x >> 8 & 0xffff, x >> 3 & 0x7fff};
        for (int i = 1; i < 4; i++)
            for (int j = i; j && sorted[j] < sorted[j - 1]; j--) {
                u32 t = sorted[j];
                sorted[j] = sorted[j - 1];
                sorted[j - 1] = t;
            }
        digest = ((digest + sorted[0] + 2 * sorted[1]) ^ sorted[2]) - sorted[3];
        count += 21 + NEXT;
    }
    result[64] = x;
    result[65] = digest;
    count += 4 + 1;
}

static void primes(u32 n)
{
    static const u32 divisors[] = {3, 5, 11, 13};
    u32 x = 3, found = 0, last = 0;
    for (; n; n--) {
        int i = 0;
        for (; i < 4; i++) {
            count += 5;
            if (x % divisors[i] == 0) break;
        }
        if (i == 4) {
            found++;
            last = x;
            count += 2;
        }
        x += 2;
        count += 1 + NEXT;
    }
    result[64] = found;
    result[65] = last;
    result[66] = x;
    count += 7 + 3;
}

static void branches(u32 n)
{
    u32 x = 1, a = 0, b = 0, c = 0;
    for (; n; n--) {
        x = lcg(x);
        count += 4;
        if (x >> 31) {
            a += x;
            count += 3;
            if (x >> 30 & 1) {
                b ^= x;
                count += 2;
            } else {
                a -= 7;
                b ^= a << 3;
                count += 4;
            }
        } else {
            count += 3;
            if (a <= x) {
                a /= 2;
                count += 1;
            }
            c++;
        }
        count += NEXT;
    }
    result[64] = x;
    result[65] = a;
    result[66] = b;
    result[67] = c;
    count += 6 + 2;
}

static void gcd(u32 n)
{
    u32 x = 1, sum = 0, steps = 0;
    for (; n; n--) {
        x = lcg(x);
        u32 a = x | 1;
        x = lcg(x);
        u32 b = x >> 3 | 1 << 20;
        count += 7;
        do {
            b >>= __builtin_ctz(b);
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
        count += 1 + NEXT;
    }
    result[64] = x;
    result[65] = sum;
    result[66] = steps;
    count += 5 + 2;
}

static void nested(u32 n)
{
    u32 x = 1, y = 0;
    for (; n; n--) {
        for (u32 j = 8; j; j--) {
            y += j;
            for (u32 k = 4; k; k--) x = (x * 5) ^ k;
            y ^= x;
        }
        count += 1 + 8 * (2 + 4 * 6 + 4) + NEXT;
    }
    result[64] = x;
    result[65] = y;
    count += 2 + 1;
}

static u32 mix(u32 x) { return (x ^ x >> 15) * 0x2c1b3c6d; }

static void calls_swappc(u32 n)
{
    u32 x = 1, y = 0;
    for (; n; n--) {
        x = mix(x);
        y = rotl(y, 1) + x;
        count += 3 + 1 + 4 + 1 + 5 + NEXT;
    }
    result[64] = x;
    result[65] = y;
    count += 5 + 1;
}

static void calls_call(u32 n)
{
    u32 x = 1, y = 0;
    for (; n; n--) {
        y += x;
        count += 1 + 3 + 1;
        if (!(y & 16)) {
            x = mix(x) + 77;
            count += 1 + 4 + 1;
        }
        x = mix(x);
        count += 1 + 4 + NEXT;
    }
    result[64] = x;
    result[65] = y;
    count += 2 + 1;
}

static void jump_table(u32 n)
{
    u32 x = 1, y = 0, z = 0;
    for (; n; n--) {
        x = lcg(x);
        count += 7;
        switch (x >> 30) {
        case 0: y += x; count += 2; break;
        case 1: y ^= x; z++; count += 3; break;
        case 2: y = x - y; count += 2; break;
        default: y = 5 * y + 3; count += 3;
        }
        count += NEXT;
    }
    result[64] = x;
    result[65] = y;
    result[66] = z;
    count += 8 + 2;
}

static void immediates(u32 n)
{
    u32 a = 0, b = 1, c = 0;
    for (; n; n--) {
        a += 0x1357;
        b = b * 0x6255 - 0x3619;
        i32 k = (i32)b > 0x4000 ? -0x7f : 0x100;
        c += (u32)k;
        count += 9;
        if (a >= 0x8000) {
            a = 11;
            count += 2;
        }
        if (k == 0x100) c++;
        if (b <= 0xffff) b = 0x7a31;
        count += 4 + 3;
    }
    result[64] = a;
    result[65] = b;
    result[66] = c;
    count += 3 + 2;
}

static void movrel(u32 n)
{
    u32 ring[16], fold = 0, i = 0;
    for (u32 k = 0; k < 16; k++) ring[k] = 0x01234567 * (2 * k + 1);
    for (; n; n--) {
        ring[i] += ring[(i + 9) % 16];
        fold ^= ring[i];
        i = (i + 1) % 16;
        count += 11 + NEXT;
    }
    result[64] = i;
    result[65] = fold;
    memcpy(result + 66, ring, sizeof ring);
    count += 18 + 9;
}

static void exec_mask(u32 n)
{
    u32 x = 7, inside = 0, negative = 0, skips = 0;
    for (; n; n--) {
        u32 in = 0, neg = 0;
        x = lcg(x);
        for (int l = 0; l < 64; l++) {
            in += vgpr[0][l] > x;
            neg += vgpr[0][l] > x && vgpr[0][l] >> 31;
        }
        count += 5;
        if (in) {
            inside += in;
            negative += neg;
            count += 6;
        } else {
            skips++;
            count += 1;
        }
        count += 1 + NEXT;
    }
    result[64] = inside;
    result[66] = negative;
    result[67] = skips;
    count += 6 + 2;
}

static void compare_int(u32 n)
{
    u32 x = 7, c[6] = {0};
    for (; n; n--) {
        x = lcg(x);
        i64 wide = (i32)x;
        for (int l = 0; l < 64; l++) {
            u32 v = vgpr[0][l], h = vgpr[6][l] & 0xffff;
            u64 w = lane64(2, l);
            c[0] += (i32)x < (i32)v;
            c[1] += x >= v;
            c[2] += wide > (i64)w;
            c[3] += (u64)wide <= w;
            c[4] += (int16_t)x > (int16_t)h;
            c[5] += (x & 0xffff) != h;
        }
        count += 3 + 6 * 3 + NEXT;
    }
    memcpy(result + 64, c, sizeof c);
    count += 6 + 3;
}

static void compare_float(u32 n)
{
    u32 x = 7, c[5] = {0};
    for (; n; n--) {
        x = lcg(x);
        u32 y = x ^ 0x5a5a5a5a;
        float a = as_float(x), b = as_float(y), s = half(x & 0xffff);
        double d = as_double(x | (u64)y << 32);
        for (int l = 0; l < 64; l++) {
            u32 v = vgpr[1][l];
            c[0] += a < as_float(v);
            c[1] += (v >> 23 & 255) == 0;       /* zero or flushed denormal */
            c[2] += d > as_double(lane64(4, l));
            c[3] += s <= half(vgpr[6][l] & 0xffff);
            c[4] += !(b >= as_float(v));
        }
        count += 3 + 5 * 3 + 2 + NEXT;
    }
    memcpy(result + 64, c, sizeof c);
    count += 6 + 3;
}

static void compare_class(u32 n)
{
    u32 x = 7, c[3] = {0};
    for (; n; n--) {
        x = lcg(x);
        u32 mask = x >> 14 & 0x3ff;
        for (int l = 0; l < 64; l++) {
            c[0] += mask >> float_class(vgpr[1][l], 8, 23) & 1;
            c[1] += mask >> float_class(lane64(4, l), 11, 52) & 1;
            c[2] += mask >> float_class(vgpr[6][l] & 0xffff, 5, 10) & 1;
        }
        count += 3 + 3 * 3 + NEXT;
    }
    memcpy(result + 64, c, sizeof c);
    count += 5 + 2;
}

static void cmpx_narrow(u32 n)
{
    u32 x = 7, c[4] = {0};
    for (; n; n--) {
        u32 left = 0;
        x = lcg(x);
        for (int l = 0; l < 64; l++) {
            int one = x > vgpr[0][l];
            int two = one && !(as_float(x) < as_float(vgpr[1][l]));
            int three = two && (i64)(i32)x >= (i64)lane64(2, l);
            c[0] += one;
            c[1] += two;
            left += three;
        }
        c[2] += left;
        c[3] += !left;
        count += 3 + 3 * 3 + 3 + NEXT;
    }
    memcpy(result + 64, c, sizeof c);
    count += 6 + 2;
}

#include "loops_plain.h"

static const struct { const char *name; void (*run)(u32); } programs[] = {
    {"hash", hash}, {"xorshift64", xorshift64}, {"carry-2", carry_2}, {"carry-8", carry_8},
    {"carry-16", carry_16}, {"pair-halves", pair_halves}, {"bits", bits}, {"select", select_},
    {"minmax", minmax}, {"network", network}, {"primes", primes}, {"crc32", crc32}, {"search", search},
    {"branches", branches}, {"gcd", gcd}, {"nested", nested}, {"calls-swappc", calls_swappc},
    {"calls-call", calls_call}, {"jump-table", jump_table}, {"immediates", immediates},
    {"movrel", movrel}, {"exec-mask", exec_mask}, {"compare-int", compare_int},
    {"compare-float", compare_float}, {"compare-class", compare_class}, {"cmpx-narrow", cmpx_narrow},
    {"collatz", collatz}, {"ones", ones}, {"crc-mask", crc_mask}, {"fibonacci", fibonacci}, {"power", power},
    {"walk", walk}, {"bubble", bubble}, {"find", find}, {"root", root}, {"sieve", sieve}, {"queens", queens},
    {"josephus", josephus}, {"gcd-pairs", gcd_pairs}, {"product", product}, {"calendar", calendar},
    {"lookup", lookup}, {"adler", adler}, {"runs", runs},
};

#ifdef LIBRARY
/* For benches: runs a loop that reads no lanes. Returns 0 if there is none of that name. */
int run(const char *name, u32 n, u32 *registers)
{
    for (size_t k = 0; k < sizeof programs / sizeof *programs; k++)
        if (!strcmp(name, programs[k].name)) {
            memset(result, 0, sizeof result);
            programs[k].run(n);
            memcpy(registers, result, sizeof result);
            return 1;
        }
    return 0;
}
#else
int main(int argc, char **argv)
{
    read_lanes();
    for (size_t k = 0; argc == 3 && k < sizeof programs / sizeof *programs; k++)
        if (!strcmp(argv[1], programs[k].name)) {
            programs[k].run((u32)strtoul(argv[2], 0, 10));
            count += FINISH;
            print_results();
            return 0;
        }
    fprintf(stderr, "usage: loops_expected NAME N < LANES\n");
    return 2;
}
#endif
