/* Loops that nobody tuned gcnsim for: textbook algorithms, as loops_expected.c has the others. */

static void collatz(u32 n)
{
    u32 start = 1, steps = 0, most = 0;
    for (; n; n--) {
        u32 x = start;
        do {
            if (x & 1) {
                x = 3 * x + 1;
                if (x > most) most = x;
                count += 5;
            } else {
                x /= 2;
                count += 4;
            }
            steps++;
            count += 3;
        } while (x != 1);
        start = (start + 2) & 0xffff;
        count += 1 + 2 + NEXT;
    }
    result[64] = start;
    result[66] = steps;
    result[67] = most;
    count += 2 + 2;
}

static void ones(u32 n)
{
    u32 x = 1, cleared = 0, shifted = 0;
    for (; n; n--) {
        x = lcg(x);
        for (u32 rest = x | 1; rest; rest &= rest - 1) {
            cleared++;
            count += 4;
        }
        for (u32 rest = x | 1; rest; rest >>= 1) {
            shifted += rest & 1;
            count += 4;
        }
        count += 2 + 2 + NEXT;
    }
    result[64] = x;
    result[65] = cleared;
    result[66] = shifted;
    count += 5 + 2;
}

static void crc_mask(u32 n)
{
    u32 crc = UINT32_MAX, x = 0x12345;
    for (; n; n--) {
        crc ^= x;
        x += 0x3d;
        for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (-(crc & 1) & 0xedb88320);
        count += 3 + 8 * 8 + NEXT;
    }
    result[64] = crc;
    count += 3 + 1;
}

static void fibonacci(u32 n)
{
    u32 a = 0, b = 1, fold = 0;
    for (; n; n--) {
        u32 next = a + b;
        a = b;
        if (next >= 1000000007) {
            next -= 1000000007;
            count++;
        }
        b = next;
        fold ^= b;
        count += 6 + NEXT;
    }
    result[64] = a;
    result[65] = b;
    result[66] = fold;
    count += 4 + 2;
}

static void power(u32 n)
{
    u32 x = 1, fold = 0;
    for (; n; n--) {
        x = lcg(x);
        u32 a = 1, b = 0, c = 0, d = 1;
        for (u32 e = x >> 12 | 1; e; e >>= 1) {
            if (e & 1) {
                u32 both = b * d;
                b = a * d + b * c + both;
                a = a * c + both;
                count += 7;
            }
            u32 both = d * d, twice = 2 * (c * d);
            c = c * c + both;
            d = twice + both;
            count += 10;
        }
        fold ^= b;
        count += 7 + 1 + NEXT;
    }
    result[64] = x;
    result[65] = fold;
    count += 4 + 1;
}

static void walk(u32 n)
{
    u32 random = 1, walks = 0;
    i32 x = 0, y = 0;
    for (; n; n--) {
        random = lcg(random);
        u32 way = random >> 30;
        if (way & 2) {
            y += way & 1 ? -1 : 1;
            count += way & 1 ? 5 : 6;
        } else {
            x += way & 1 ? -1 : 1;
            count += 6;
        }
        if (x * x + y * y > 400) {
            x = y = 0;
            walks++;
            count += 2;
        }
        count += 2 + 5 + NEXT;
    }
    result[64] = random;
    result[65] = walks;
    result[66] = (u32)x;
    result[67] = (u32)y;
    count += 5 + 2;
}

static void bubble(u32 n)
{
    u32 x = 1, exchanges = 0, sum = 0, a[8];
    for (; n; n--) {
        for (int k = 7; k >= 0; k--) a[k] = x = lcg(x);
        count += 1 + 8 * 7 + 1;
        for (int end = 7; end; end--) {
            for (int k = 0; k < end; k++) {
                if (a[k] > a[k + 1]) {
                    u32 t = a[k];
                    a[k] = a[k + 1];
                    a[k + 1] = t;
                    exchanges++;
                    count += 3;
                }
                count += 8;
            }
            count += 1 + 3;
        }
        sum += a[3];
        count += 1 + NEXT;
    }
    result[64] = x;
    result[65] = exchanges;
    result[66] = sum;
    count += 5 + 2;
}

static void find(u32 n)
{
    u32 x = 1, sum = 0, without = 0;
    for (; n; n--) {
        x = lcg(x);
        u32 pattern = x >> 28, text = x & 0xfffffff, place = 0;
        for (; place < 25; place++, text >>= 1) {
            count += 3;
            if ((text & 15) == pattern) break;
            count += 4;
        }
        if (place == 25) {
            without++;
            count += 1;
        }
        sum += place;
        count += 5 + 1 + NEXT;
    }
    result[64] = x;
    result[65] = sum;
    result[66] = without;
    count += 5 + 2;
}

static void root(u32 n)
{
    u32 x = 1, sum = 0;
    for (; n; n--) {
        x = lcg(x);
        u32 rest = x, found = 0;
        for (u32 bit = 1u << 30; bit; bit >>= 2) {
            u32 next = found + bit;
            found >>= 1;
            if (rest >= next) {
                rest -= next;
                found += bit;
                count += 2;
            }
            count += 6;
        }
        sum += found;
        count += 5 + 1 + NEXT;
    }
    result[64] = x;
    result[65] = sum;
    count += 4 + 1;
}

static void sieve(u32 n)
{
    u32 sum = 0, words[16];
    for (; n; n--) {
        memset(words, 0, sizeof words);
        count += 9;
        for (u32 p = 2; p < 512; p++) {
            count += 4 + 3;
            if (words[p >> 5] >> (p & 31) & 1) continue;
            sum += p;
            count += 4;
            if (p * p >= 512) continue;
            for (u32 m = p * p; m < 512; m += p) {
                words[m >> 5] |= 1u << (m & 31);
                count += 7;
            }
        }
        count += NEXT;
    }
    result[65] = sum;
    result[66] = words[15];
    count += 2 + 2;
}

static void queens(u32 n)
{
    u32 solutions = 0, open[8], columns[8], left[8], right[8];
    for (; n; n--) {
        int level = 0;
        open[0] = 63;
        columns[0] = left[0] = right[0] = 0;
        count += 5;
        while (level >= 0) {
            count += 4;
            if (!open[level]) {
                level--;
                count += 3;
                continue;
            }
            u32 place = open[level] & -open[level];
            open[level] ^= place;
            u32 taken = columns[level] | place;
            count += 8;
            if (taken == 63) {
                solutions++;
                count += 2;
                continue;
            }
            u32 l = (left[level] | place) << 1, r = (right[level] | place) >> 1;
            level++;
            columns[level] = taken;
            left[level] = l;
            right[level] = r;
            open[level] = 63 & ~(taken | l | r);
            count += 16;
        }
        count += NEXT;
    }
    result[65] = solutions;
    count += 2 + 1;
}

static void josephus(u32 n)
{
    u32 sum = 0;
    for (; n; n--) {
        u32 place = 0;
        for (u32 of = 2; of <= 41; of++) {
            place += 7;
            while (place >= of) {
                place -= of;
                count += 4;
            }
            count += 1 + 2 + 3;
        }
        sum += place;
        count += 3 + NEXT;
    }
    result[65] = sum;
    count += 2 + 1;
}

static void gcd_pairs(u32 n)
{
    u32 sum = 0;
    for (; n; n--) {
        u32 x = (n & 0x3ff) * 0x9e3779b1, a = x >> 24 | 1, b = (x >> 8 & 0xff) | 1;
        while (a != b) {
            if (a > b)
                a -= b;
            else
                b -= a;
            count += 6;
        }
        sum += a;
        count += 6 + 2 + 1 + NEXT;
    }
    result[65] = sum;
    count += 2 + 1;
}

static void product(u32 n)
{
    const u32 modulus = 65521;
    u32 x = 1, fold = 0;
    for (; n; n--) {
        x = lcg(x);
        u32 a = x >> 17, b = x & 0xffff, sum = 0;
        do {
            if (b & 1) {
                sum += a;
                if (sum >= modulus) {
                    sum -= modulus;
                    count++;
                }
                count += 3;
            }
            a += a;
            if (a >= modulus) {
                a -= modulus;
                count++;
            }
            b >>= 1;
            count += 2 + 3 + 2;
        } while (b);
        fold ^= sum;
        count += 5 + 1 + NEXT;
    }
    result[64] = x;
    result[65] = fold;
    count += 5 + 1;
}

static void calendar(u32 n)
{
    u32 day = 1, month = 1, year = 1900, weekday = 0, fridays = 0;
    for (; n; n--) {
        u32 days = 30 + (0x15aa >> month & 1);
        if (month == 2) {
            days = year & 3 ? 28 : 29;
            count += year & 3 ? 3 : 4;
        }
        count += 5 + 3;
        if (++day > days) {
            day = 1;
            count += 4;
            if (++month > 12) {
                month = 1;
                year++;
                count += 2;
            }
        }
        weekday = weekday == 6 ? 0 : weekday + 1;
        fridays += weekday == 4 && day == 13;
        count += 7 + NEXT;
    }
    result[64] = day;
    result[65] = month;
    result[66] = year;
    result[67] = fridays;
    count += 6 + 3;
}

static void lookup(u32 n)
{
    u32 x = 1, sum = 0, table[16];
    for (u32 k = 0; k < 16; k++) table[k] = (k * k + 5 * k + 3) % 257;
    for (; n; n--) {
        x = lcg(x);
        u32 key = x >> 23, low = 0, high = 16;
        while (low < high) {
            u32 middle = (low + high) / 2;
            int is_less = table[middle] < key;
            if (is_less)
                low = middle + 1;
            else
                high = middle;
            count += is_less ? 10 : 9;
        }
        sum += low;
        count += 5 + 1 + NEXT;
    }
    result[64] = x;
    result[65] = sum;
    count += 20 + 1;
}

static void adler(u32 n)
{
    u32 x = 1, a = 1, b = 0;
    for (; n; n--) {
        x = lcg(x);
        u32 bytes = x;
        for (int k = 0; k < 4; k++) {
            a += bytes & 0xff;
            bytes >>= 8;
            if (a >= 65521) {
                a -= 65521;
                count++;
            }
            b += a;
            if (b >= 65521) {
                b -= 65521;
                count++;
            }
            count += 11;
        }
        count += 4 + NEXT;
    }
    result[64] = x;
    result[65] = a;
    result[66] = b;
    count += 6 + 2;
}

static void runs(u32 n)
{
    u32 x = 1, sum = 0;
    for (; n; n--) {
        x = lcg(x);
        u32 rest = x, run = 0, longest = 0;
        for (int bit = 0; bit < 32; bit++) {
            run = rest & 1 ? run + 1 : 0;
            if (run > longest) {
                longest = run;
                count++;
            }
            rest >>= 1;
            count += 9;
        }
        sum += longest;
        count += 6 + 1 + NEXT;
    }
    result[64] = x;
    result[65] = sum;
    count += 4 + 1;
}
