"""What the programs wave-* on integers compute, as plain algorithms (see programs.py)."""

import hashlib
import math
import random
import struct
import zlib

from programs import EXECUTE, MASK32, MASK64, i32, lanes, mask, pack64, program, rotl32, wide, words

LANES = range(64)


def vector(n, values):
    """VGPR n with a number for each lane."""
    return {f"v{n}": [x & MASK32 for x in values]}


def wide_vector(n, values, dwords=2):
    """VGPRs n, n+1, ... with a number of several words for each lane."""
    out = {}
    for i in range(dwords):
        out |= vector(n + i, [x >> 32 * i for x in values])
    return out


def columns(n, rows):
    """VGPRs n, n+1, ... from one tuple of words for each lane."""
    out = {}
    for i, column in enumerate(zip(*rows)):
        out |= vector(n + i, column)
    return out


def pairs(c, n):
    return [lo | hi << 32 for lo, hi in zip(c.v[n], c.v[n + 1])]


def per_lane(c, *registers):
    return list(zip(*(c.v[n] for n in registers)))


def draws(seed, low, high):
    r = random.Random(seed)
    return [r.randrange(low, high) for _ in LANES]


# Numbers at the edges among random ones.
CORNERS = [0, 1, 2, 3, 0x7FFFFFFF, 0x80000000, 0x80000001, MASK32, MASK32 - 1, 0x0000FFFF, 0xFFFF0000, 0x7FFF8000,
           0x80007FFF, 0x00FFFFFF, 0x00800000, 0xFF7FFFFF]


def corners(seed):
    r = random.Random(seed)
    return [r.choice(CORNERS) if r.random() < 0.5 else r.getrandbits(r.choice((8, 16, 24, 32))) for _ in LANES]


# --- hashes, ciphers, generators ---------------------------------------------------

def cube_root(n):
    x = 1 << -(-n.bit_length() // 3)
    while x ** 3 > n:
        x = (2 * x + n // (x * x)) // 3
    return x


PRIMES = [n for n in range(2, 312) if all(n % d for d in range(2, n))]


@program("wave-sha256", sgpr={32 + i: cube_root(p << 96) & MASK32 for i, p in enumerate(PRIMES[:64])})
def wave_sha256(c):
    def digest(lane):
        message = struct.pack(">13I", *((lane + 1) * (i + 1) * 0x9E3779B1 & MASK32 for i in range(13)))
        return struct.unpack(">8I", hashlib.sha256(message).digest())
    return columns(16, map(digest, LANES))


@program("wave-md5", sgpr={32 + i: int(abs(math.sin(i + 1)) * 2**32) for i in range(64)},
         vgpr={n: draws(f"md5 {n}", 0, 2**32) for n in range(4)})
def wave_md5(c):
    return columns(16, [struct.unpack("<4I", hashlib.md5(struct.pack("<4I", *m)).digest())
                        for m in per_lane(c, 0, 1, 2, 3)])


@program("wave-crc32", vgpr={0: lanes("crc", 0, MASK32)})
def wave_crc32(c):
    def crc(x):
        message = b""
        for _ in range(6):
            x = (x * 1664525 + 1013904223) & MASK32
            message += struct.pack(">I", x)
        return zlib.crc32(message)
    return vector(1, map(crc, c.v[0]))


def chacha_block(state):
    x = list(state)

    def quarter(a, b, c, d):
        for p, q, r, n in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
            x[p] = x[p] + x[q] & MASK32
            x[r] = rotl32(x[r] ^ x[p], n)
    for _ in range(10):
        for k in range(4):
            quarter(k, 4 + k, 8 + k, 12 + k)
        for k in range(4):
            quarter(k, 4 + (k + 1) % 4, 8 + (k + 2) % 4, 12 + (k + 3) % 4)
    return [a + b & MASK32 for a, b in zip(x, state)]


CHACHA = words(b"expand 32-byte k" + bytes(range(32)) + bytes.fromhex("01000000000000090000004a00000000"), 0)
# RFC 8439, section 2.3.2
assert chacha_block(list(CHACHA.values())) == list(words(bytes.fromhex(
    "10f1e7e4d13b5915500fdd1fa32071c4c7d1f4c733c068030422aa9ac3d46c4e"
    "d2826446079faa0914c2d705d98b02a2b5129cd1de164eb9cbd083e8a2503c4e"), 0).values())


@program("wave-chacha20", sgpr=CHACHA)
def wave_chacha20(c):
    def fold(lane):
        state = [c.s(n) for n in range(16)]
        state[12] += lane
        x = chacha_block(state)
        return [x[k] ^ x[4 + k] ^ x[8 + k] ^ x[12 + k] for k in range(4)]
    return columns(0, map(fold, LANES))


def philox(counter, key):
    a, b, c, d = counter
    k, m = key
    for _ in range(10):
        p, q = a * 0xD2511F53, c * 0xCD9E8D57
        a, b, c, d = q >> 32 ^ b ^ k, q & MASK32, p >> 32 ^ d ^ m, p & MASK32
        k, m = k + 0x9E3779B9 & MASK32, m + 0xBB67AE85 & MASK32
    return a, b, c, d


# the known answers published with the generator
assert philox((0, 0, 0, 0), (0, 0)) == (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)
assert philox((MASK32,) * 4, (MASK32,) * 2) == (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)


@program("wave-philox", rounds=2, sgpr={0: 0xA4093822, 1: 0x299F31D0, 2: 150})
def wave_philox(c):
    def fold(lane):
        out = (0, 0, 0, 0)
        for k in range(c.s(2)):
            out = [rotl32(x, 5) ^ y for x, y in zip(out, philox((lane, k, 0, 0), (c.s(0), c.s(1))))]
        return out
    return {2: c.s(2), **columns(8, map(fold, LANES))}


@program("wave-xorshift64", rounds=0, sgpr={0: 4000}, vgpr=dict(enumerate(pack64(draws("xorshift64", 1, 2**64)))))
def wave_xorshift64(c):
    def run(x):
        total = 0
        for _ in range(c.s(0)):
            x ^= x >> 12
            x ^= x << 25 & MASK64
            x ^= x >> 27
            total += x * 0x2545F4914F6CDD1D
        return x | (total & MASK64) << 64
    done = [run(x) for x in pairs(c, 0)]
    return {**wide_vector(0, done), **wide_vector(4, [x >> 64 for x in done])}


# --- number theory -----------------------------------------------------------------

def modpow_inputs():
    r = random.Random("modpow64")
    moduli = [3, 5, 2**63 - 1, 2**63 - 25, 2**32 + 15, 2**62 + 1] + [r.getrandbits(r.randrange(33, 64)) | 1
                                                                    for _ in range(58)]
    bases = [r.randrange(m) for m in moduli]
    exponents = [0, MASK64, 1, 2**63] + [r.getrandbits(64) for _ in range(60)]
    return dict(enumerate(pack64(bases) + pack64(exponents) + pack64(moduli)))


@program("wave-modpow64", vgpr=modpow_inputs())
def wave_modpow64(c):
    return wide_vector(0, [pow(b, e, m) for b, e, m in zip(pairs(c, 0), pairs(c, 2), pairs(c, 4))])


def smooth(seed):
    r = random.Random(seed)
    return [math.prod(p ** r.randrange(n) for p, n in ((2, 9), (3, 6), (5, 4), (7, 3), (11, 2))) for _ in LANES]


@program("wave-gcd", exec=EXECUTE, vgpr={0: smooth("a"), 1: smooth("b")})
def wave_gcd(c):
    return vector(0, [math.gcd(a, b) if EXECUTE >> lane & 1 else a for lane, (a, b) in enumerate(per_lane(c, 0, 1))])


@program("wave-collatz", sgpr={0: 5})
def wave_collatz(c):
    def length(n):
        count = 1
        while n != 1:
            assert n % 2 == 0 or n < 1 << 24
            n, count = (3 * n + 1 if n % 2 else n // 2), count + 1
        return count
    best = [max(range(lane + 1, lane + 1 + 64 * c.s(0), 64), key=lambda n: (length(n), -n)) for lane in LANES]
    return {**vector(0, best), **vector(1, map(length, best))}


@program("wave-udiv", vgpr={0: corners("n"), 1: [max(1, x) for x in corners("d")]})
def wave_udiv(c):
    out = []
    for n, d in per_lane(c, 0, 1):
        sn, sd = i32(n), i32(d)
        q = abs(sn) // abs(sd) * (1 if (sn < 0) == (sd < 0) else -1)
        out.append((n // d, n % d, q, sn - q * sd))
    return columns(2, out)


# --- bits and long arithmetic ------------------------------------------------------

@program("wave-bits", vgpr={0: corners("x"), 1: lanes("fields", 0, MASK32)})
def wave_bits(c):
    def one(x, y):
        text = f"{x:032b}"
        runs = len(text) - len(text.lstrip(text[0]))
        low = len(text) - len(text.rstrip("0"))
        width, offset = y >> 8 & 31, y & 31
        field = text[max(0, 32 - offset - width):32 - offset] if width else ""
        unsigned = int(field or "0", 2)
        signed = unsigned - ((1 << len(field)) if field[:1] == "1" else 0)
        other = f"{y:032b}"
        gray = x ^ x >> 1
        below = x - 1 & MASK32
        power = 1 << (below.bit_length() if below else 33) % 32
        assert not 1 < x <= 1 << 31 or power // 2 < x <= power
        return (int(text[::-1], 2), text.count("1"), 32 - x.bit_length() if x else -1, runs if runs < 32 else -1,
                low if x else -1, int.from_bytes(x.to_bytes(4, "little"), "big"),
                int("".join(a + b for a, b in zip(other[::2], text[1::2])), 2),
                int("".join(b + a for a, b in zip(text[16:], other[16:])), 2), unsigned, signed,
                sum(1 << i for i in range(offset, min(32, offset + width))),
                (x << 32 | y) >> (y >> 16 & 31), (x << 32 | y) >> 8 * (y >> 24 & 3), gray, x, power,
                text.count("1") % 2, ~(x | y))
    return columns(2, [one(x, y) for x, y in per_lane(c, 0, 1)])


@program("wave-add256")
def wave_add256(c):
    def run(n):
        a, b = n, 2**256 - 1 - n
        for _ in range(n + 40):
            a, b = b, (a + b) % 2**256
        return a, b
    done = [run(n) for n in LANES]
    return {**wide_vector(0, [a for a, _ in done], 8), **wide_vector(8, [b for _, b in done], 8),
            **wide_vector(16, [(a - b) % 2**256 for a, b in done], 8), **wide(4, mask([a < b for a, b in done]))}


@program("wave-mul24", rounds=0, sgpr={0: 2000}, vgpr={0: lanes("mul24", 0, MASK32)})
def wave_mul24(c):
    def run(seed):
        state, fold = seed % 2**24, 0
        x, y = 0x80000 - (seed & 0xFFFFF), 0x80000 - (seed >> 3 & 0xFFFFF)
        for _ in range(c.s(0)):
            state = (0xB5AD4F * state + 0xFC43) % 2**24
            fold ^= state * state >> 32
            x, y = ((x * 0x7FFD88 >> 23) - (y * 0x01921D >> 23), (y * 0x7FFD88 >> 23) + (x * 0x01921D >> 23))
            assert abs(x) < 1 << 23 and abs(y) < 1 << 23
        return state, fold, x, y
    return columns(0, map(run, c.v[0]))


# --- across the lanes --------------------------------------------------------------

def random_rows(seed, width=32):
    r = random.Random(seed)
    return [r.getrandbits(width) for _ in LANES]


@program("wave-life", rounds=0, sgpr={0: 120}, vgpr={0: random_rows("life")})
def wave_life(c):
    board = {(x, y) for y, row in enumerate(c.v[0]) for x in range(32) if row >> x & 1}
    for _ in range(c.s(0)):
        count = {}
        for x, y in board:
            for dx in (-1, 0, 1):
                for dy in (-1, 0, 1):
                    if dx or dy:
                        cell = (x + dx) % 32, (y + dy) % 64
                        count[cell] = count.get(cell, 0) + 1
        board = {p for p, n in count.items() if n == 3 or n == 2 and p in board}
    rows = [0] * 64
    for x, y in board:
        rows[y] |= 1 << x
    return vector(0, rows)


@program("wave-bitonic", vgpr={0: [x & MASK32 for x in draws("bitonic", -500, 500)]})
def wave_bitonic(c):
    return vector(0, sorted(map(i32, c.v[0])))


def running(f, values):
    out = []
    for x in values:
        out.append(f(out[-1], x) if out else x)
    return out


@program("wave-scan", vgpr={0: lanes("scan", 0, MASK32), 1: [
    struct.unpack("<I", struct.pack("<f", random.Random(f"scan {k}").gauss(0, 100 - k)))[0] for k in LANES]})
def wave_scan(c):
    x = c.v[0]
    sums = running(lambda a, b: a + b & MASK32, x)
    floats = running(max, [struct.unpack("<f", struct.pack("<I", v))[0] for v in c.v[1]])
    return {**vector(2, sums), **vector(3, [0] + sums[:-1]), **vector(4, running(max, map(i32, x))),
            **vector(5, running(min, x)), **vector(6, running(lambda a, b: a ^ b, x)),
            **vector(7, [struct.unpack("<I", struct.pack("<f", v))[0] for v in floats]),
            **vector(8, [sum(x[k // 4 * 4:k // 4 * 4 + 4]) for k in LANES]),
            **vector(9, [x[k // 16 * 16 + 15 - k % 16] for k in LANES]), 0: sums[-1]}


@program("wave-reduce", exec=EXECUTE, vgpr={0: lanes("reduce", 0, MASK32), 1: draws("keys", 100, 109)})
def wave_reduce(c):
    active = [k for k in LANES if EXECUTE >> k & 1]
    before, size, rank = [0] * 64, [0] * 64, [0] * 64
    for n, k in enumerate(active):
        before[k] = sum(c.v[0][j] for j in active[:n])
        size[k] = sum(c.v[1][j] == c.v[1][k] for j in active)
        rank[k] = sum(c.v[1][j] == c.v[1][k] for j in active[:n])
    numbers = [c.v[0][k] for k in active]
    return {**vector(2, before), **vector(3, size), **vector(4, rank), 10: sum(numbers) & MASK32,
            11: min(map(i32, numbers)) & MASK32, 12: max(map(i32, numbers)) & MASK32,
            13: len({c.v[1][k] for k in active}), "exec": EXECUTE}


# --- registers by index ------------------------------------------------------------

@program("wave-table", sgpr={0: 12}, vgpr={0: draws("index", 0, 16), **{
    16 + n: draws(f"table {n}", 0, 16) for n in range(16)}})
def wave_table(c):
    index, waited = list(c.v[0]), [0] * 64
    visits = [[0] * 64 for _ in range(16)]
    for _ in range(c.s(0)):
        served = list(dict.fromkeys(index))         # in the order of their first lanes
        for lane in LANES:
            waited[lane] += served.index(index[lane])
            visits[index[lane]][lane] += 1
            index[lane] = c.v[16 + index[lane]][lane]
    return {**vector(0, index), **vector(1, waited), **vector(3, c.v[19]),
            **{f"v{32 + n}": row for n, row in enumerate(visits)}}


@program("wave-shellsort", vgpr={16 + n: lanes(f"shell {n}", 0, MASK32) for n in range(16)})
def wave_shellsort(c):
    return columns(16, [sorted(map(i32, row)) for row in per_lane(c, *range(16, 32))])


@program("wave-swap", vgpr={n: corners(f"swap {n}") for n in range(6)})
def wave_swap(c):
    return columns(0, map(sorted, per_lane(c, *range(6))))
