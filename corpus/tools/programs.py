"""What each program of corpus/programs computes, as a plain algorithm in Python.

Programs of the vector ALU (wave-*) are in the modules wave_*.py.

An entry gives the initial state and a function that says what the result registers must
hold: scalar registers by number, vector registers as "v5" with 64 values.  Nothing here
knows about instructions: the functions use Python's integers, zlib, hashlib and the like,
so that a slip in the model of the instruction set cannot hide.  Registers that the function
does not name are taken from the model (see build_programs.py).
"""

import hashlib
import math
import random
import struct
import zlib
from dataclasses import dataclass, field
from typing import Callable

MASK32 = 0xFFFFFFFF
MASK64 = 0xFFFFFFFFFFFFFFFF

PROGRAMS = {}


@dataclass
class Program:
    algorithm: Callable
    state: dict = field(default_factory=dict)
    outcome: str = "ended"
    kind: str | None = None         # of a fault
    max_insts: int | None = None
    entry: int = 0
    rounds: int | None = None       # the SGPR that holds the rounds of a long loop


def program(name, outcome="ended", kind=None, max_insts=None, entry=0, rounds=None, **state):
    """Register a program: keyword arguments are the initial state (sgpr, vgpr, vcc, ...).

    With `rounds`, the model runs only a few rounds (see build_programs.py); the function must
    then name every register that depends on their number.
    """
    def add(f):
        assert name not in PROGRAMS, name
        PROGRAMS[name] = Program(f, state, outcome, kind, max_insts, entry, rounds)
        return f
    return add


class Case:
    """The initial state as an algorithm sees it, and the generation (10, 11, 12, 14, 141)."""

    def __init__(self, state, generation):
        self.sgpr = state.get("sgpr", {})
        self.v = state.get("vgpr", {})
        self.generation = generation

    def s(self, n):
        return self.sgpr.get(n, 0)

    def pair(self, n):
        return self.s(n) | self.s(n + 1) << 32

    def wide(self, n, words):
        return sum(self.s(n + i) << 32 * i for i in range(words))


def wide(n, value, words=2):
    """Registers n, n+1, ... of a number of several words."""
    return {n + i: value >> 32 * i & MASK32 for i in range(words)}


def words(data, first):
    """Bytes as little-endian words in registers first, first+1, ..."""
    data += bytes(-len(data) % 4)
    return {first + i: w for i, (w,) in enumerate(struct.iter_unpack("<I", data))}


def i32(x):
    return (x & MASK32) - ((x & 0x80000000) << 1)


def rotl32(x, n):
    return (x << n | x >> (32 - n)) & MASK32 if n else x


def rotr32(x, n):
    return rotl32(x, -n % 32)


def rotl64(x, n):
    return (x << n | x >> (64 - n)) & MASK64


def is_prime(n):
    return n > 1 and all(n % d for d in range(2, math.isqrt(n) + 1))


# --- number theory -----------------------------------------------------------------

@program("gcd", sgpr={0: 1071 * 37, 1: 462 * 37})
def gcd(c):
    a, b = c.s(0), c.s(1)
    # a / b by subtraction: the partial quotients, but the last one stops at a == b
    steps = 0
    while b:
        steps, a, b = steps + a // b, b, a % b
    return {2: math.gcd(c.s(0), c.s(1)), 3: steps - 1}


@program("gcd-binary", sgpr={**wide(0, 2**7 * 3**20 * 1000003), **wide(2, 2**5 * 3**11 * 99990001)})
def gcd_binary(c):
    return wide(4, math.gcd(c.pair(0), c.pair(2)))


@program("egcd", sgpr={0: 1234567890, 1: 987654321})
def egcd(c):
    a, b = c.s(0), c.s(1)
    g = math.gcd(a, b)
    x = pow(a // g, -1, b // g)             # 0 <= x < b/g; Euclid gives the smaller magnitude
    if x > b // g // 2:
        x -= b // g
    y = (g - a * x) // b
    assert a * x + b * y == g
    return {2: g, 3: x & MASK32, 4: y & MASK32}


@program("modpow", sgpr={0: 123456789, 1: 987654321, 2: 2147483629})
def modpow(c):
    base, exponent, modulus = c.s(0), c.s(1), c.s(2)
    calls = exponent.bit_length() + exponent.bit_count()
    return {3: pow(base, exponent, modulus), 4: calls}


@program("miller-rabin", sgpr=dict(enumerate(
    [2147483629, 1373653, 9080191, 65537, 46341 * 3 + 2, 2047, 3277, 7919 * 13])))
def miller_rabin(c):
    return {8: sum(is_prime(c.s(k)) << k for k in range(8))}


@program("sieve")
def sieve(c):
    primes = [n for n in range(1024) if is_prime(n)]
    return {0: len(primes), 1: primes[-1], **wide(32, sum(1 << p for p in primes), 32)}


@program("isqrt", sgpr={**wide(0, 9876543210987654321 >> 1), 2: 4000000000})
def isqrt(c):
    n = c.pair(0)
    root = math.isqrt(n)
    return {**wide(4, root), **wide(6, n - root * root), 8: math.isqrt(c.s(2))}


def collatz_length(n):
    length = 1
    while n != 1:
        n, length = (3 * n + 1 if n % 2 else n // 2), length + 1
    return length


@program("collatz", sgpr={0: 300})
def collatz(c):
    best = max(range(1, c.s(0) + 1), key=lambda n: (collatz_length(n), -n))
    return {1: best, 2: collatz_length(best)}


@program("factorise", sgpr={0: 2 * 2 * 3 * 7 * 7 * 83 * 97})
def factorise(c):
    n, factors = c.s(0), []
    while n > 1:
        d = next(d for d in range(2, n + 1) if n % d == 0)
        factors.append(d)
        n //= d
    return {1: len(factors), **{10 + i: f for i, f in enumerate(factors)}}


@program("lucas-lehmer", sgpr={0: sum(1 << p for p in (3, 5, 7, 11, 13, 17, 19, 23, 29, 31))})
def lucas_lehmer(c):
    return {1: sum(1 << p for p in range(3, 32) if c.s(0) >> p & 1 and is_prime(2**p - 1))}


@program("jacobi", sgpr={0: 3 * 5 * 1009, 1: 20})
def jacobi(c):
    n, plus, minus = c.s(0), 0, 0
    for a in range(1, c.s(1) + 1):
        # the product of Legendre symbols (Euler's criterion) over the prime factors of n
        symbol = 1
        for p in (3, 5, 1009):
            e = pow(a, (p - 1) // 2, p)
            symbol *= -1 if e == p - 1 else e
        plus |= (symbol == 1) << (a - 1)
        minus |= (symbol == -1) << (a - 1)
    assert n == 3 * 5 * 1009
    return {2: plus, 3: minus}


@program("bcd", sgpr={0: 4294967295 - 276543})
def bcd(c):
    return wide(2, int(str(c.s(0)), 16))


@program("minstd", sgpr={0: 1, 1: 1000})
def minstd(c):
    x = pow(16807, c.s(1), 2**31 - 1) * c.s(0) % (2**31 - 1)
    return {2: x}


# --- hashes and generators ---------------------------------------------------------

TEXT = b"The quick brown fox jumps over the lazy dog, twice a day."


def text(c, first=16):
    return b"".join(struct.pack("<I", c.s(first + i)) for i in range(16))[:c.s(0)]


@program("crc32", sgpr={0: 43, **words(TEXT[:43], 16)})
def crc32(c):
    return {1: zlib.crc32(text(c))}


@program("adler32", sgpr={0: 57, **words(b"\xff\xf0\xfe" * 19, 16)})
def adler32(c):
    return {1: zlib.adler32(text(c))}


@program("fnv1a", sgpr={0: len(TEXT), **words(TEXT, 16)})
def fnv1a(c):
    a, b = 0x811C9DC5, 0xCBF29CE484222325
    for byte in text(c):
        a = (a ^ byte) * 0x01000193 & MASK32
        b = (b ^ byte) * 0x100000001B3 & MASK64
    return {1: a, **wide(2, b)}


@program("murmur3", sgpr={0: 14, 1: 0x9747B28C, **words(TEXT[:56], 16)})
def murmur3(c):
    h = c.s(1)
    for i in range(c.s(0)):
        k = rotl32(c.s(16 + i) * 0xCC9E2D51 & MASK32, 15) * 0x1B873593 & MASK32
        h = (rotl32(h ^ k, 13) * 5 + 0xE6546B64) & MASK32
    h ^= 4 * c.s(0)
    h = (h ^ h >> 16) * 0x85EBCA6B & MASK32
    h = (h ^ h >> 13) * 0xC2B2AE35 & MASK32
    return {2: h ^ h >> 16}


@program("xxhash32", sgpr={0: 3, 1: 2654435761, **words(TEXT[:48], 16)})
def xxhash32(c):
    p1, p2, p3 = 0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D
    acc = [c.s(1) + p1 + p2, c.s(1) + p2, c.s(1), c.s(1) - p1]
    for i in range(4 * c.s(0)):
        acc[i % 4] = rotl32(acc[i % 4] + c.s(16 + i) * p2 & MASK32, 13) * p1
    h = sum(rotl32(a & MASK32, n) for a, n in zip(acc, (1, 7, 12, 18))) + 16 * c.s(0) & MASK32
    h = (h ^ h >> 15) * p2 & MASK32
    h = (h ^ h >> 13) * p3 & MASK32
    return {2: h ^ h >> 16}


@program("siphash", sgpr={**words(bytes(range(16)), 0), 4: 2,
                          **words(bytes(range(15)) + b"\x0f", 16)})
def siphash(c):
    # the example of the SipHash paper
    return wide(6, 0xA129CA6149BE45E5)


@program("sha256", sgpr={i: w for i, (w,) in enumerate(struct.iter_unpack(
    ">I", b"abc\x80" + bytes(52) + struct.pack(">Q", 24)))})
def sha256(c):
    digest = hashlib.sha256(b"abc").digest()
    return {32 + i: w for i, (w,) in enumerate(struct.iter_unpack(">I", digest))}


@program("chacha20", sgpr={**words(bytes(range(32)), 0), 8: 1,
                           **words(bytes.fromhex("000000090000004a00000000"), 9)})
def chacha20(c):
    # RFC 8439, section 2.3.2
    return words(bytes.fromhex(
        "10f1e7e4d13b5915500fdd1fa32071c4c7d1f4c733c068030422aa9ac3d46c4e"
        "d2826446079faa0914c2d705d98b02a2b5129cd1de164eb9cbd083e8a2503c4e"), 16)


@program("xtea", sgpr={0: 0x00010203, 1: 0x04050607, 2: 0x08090A0B, 3: 0x0C0D0E0F,
                       4: 0x41424344, 5: 0x45464748})
def xtea(c):
    # a published test vector of XTEA; and decrypting gives the plain text back
    return {6: 0x497DF3D0, 7: 0x72612CB5, 8: c.s(4), 9: c.s(5)}


@program("pcg32", sgpr={**wide(0, 0x853C49E6748FEA9B), **wide(2, 0xDA3E39CB94B95BDB), 4: 1000})
def pcg32(c):
    state, increment, fold, out = c.pair(0), c.pair(2), 0, 0
    for _ in range(c.s(4)):
        out = rotr32((state >> 18 ^ state) >> 27 & MASK32, state >> 59)
        fold ^= out
        state = (state * 6364136223846793005 + increment) & MASK64
    return {5: fold, 6: out, **wide(0, state)}


@program("xorshift", sgpr={0: 2463534242, **wide(2, 88172645463325252),
                           4: 123456789, 5: 362436069, 6: 521288629, 7: 88675123, 8: 500})
def xorshift(c):
    a, b = c.s(0), c.pair(2)
    x, y, z, w = (c.s(n) for n in range(4, 8))
    for _ in range(c.s(8)):
        a ^= a << 13 & MASK32
        a ^= a >> 17
        a ^= a << 5 & MASK32
        b ^= b << 13 & MASK64
        b ^= b >> 7
        b ^= b << 17 & MASK64
        t = (x ^ x << 11) & MASK32
        x, y, z, w = y, z, w, w ^ w >> 19 ^ t ^ t >> 8
    return {0: a, **wide(2, b), 4: x, 5: y, 6: z, 7: w, 8: 0}


# --- bits --------------------------------------------------------------------------

def lcg(x, a=1664525, c=1013904223):
    return (x * a + c) & MASK32


def bits(n):
    """Positions of the set bits, ascending."""
    return [i for i in range(n.bit_length()) if n >> i & 1]


@program("popcount", sgpr={0: 12345, 1: 60})
def popcount(c):
    x, total = c.s(0), 0
    for _ in range(c.s(1)):
        x = lcg(x)
        total += f"{x:b}".count("1")
    return {0: x, 2: total, 3: total, 4: total, 5: total, 6: total, 7: 32 * c.s(1)}


@program("bit-reverse", sgpr={0: 0x12345678, **wide(2, 0x0123456789ABCDEF)})
def bit_reverse(c):
    def reverse(x, n):
        return int(f"{x:0{n}b}"[::-1], 2)
    return {1: reverse(c.s(0), 32), 4: reverse(c.s(0), 32), 5: 0,
            **wide(6, reverse(c.pair(2), 64)),
            11: sum(reverse(n, 10) == n for n in range(1024))}


@program("gray-code", sgpr={0: 500})
def gray_code(c):
    n = c.s(0)
    codes = [i ^ i >> 1 for i in range(n + 1)]
    changed = [(a ^ b).bit_length() - 1 for a, b in zip(codes, codes[1:])]
    fold = 0
    for code in codes:
        fold ^= code
    return {1: n, 2: n, 3: fold, 4: sum(changed)}


@program("morton", sgpr={0: 1, 1: 100})
def morton(c):
    x, fold = c.s(0), 0
    for _ in range(c.s(1)):
        x = lcg(x)
        fold ^= sum(1 << (2 * (b % 16) + b // 16) for b in bits(x))
    return {2: fold, 3: c.s(1)}


@program("morton-replicate", sgpr={0: 0xDEADBEEF, 1: 0x01234567})
def morton_replicate(c):
    code = sum(1 << 2 * b for b in bits(c.s(0))) | sum(2 << 2 * b for b in bits(c.s(1)))
    return {**wide(2, code), 4: 64}         # 6 bits each: the diagonal has 64 points


@program("rgb565", sgpr=dict(enumerate(
    [0x000000, 0xFFFFFF, 0xFF0000, 0x00FF00, 0x0000FF, 0x123456, 0xFEDCBA, 0x7F8081])))
def rgb565(c):
    packed, out = 0, {}
    for k in range(8):
        r, g, b = c.s(k).to_bytes(3, "big")
        r, g, b = r >> 3, g >> 2, b >> 3
        packed |= (r << 11 | g << 5 | b) << 16 * k
        out[16 + k] = (r << 3 | r >> 2) << 16 | (g << 2 | g >> 4) << 8 | b << 3 | b >> 2
    return {**wide(8, packed, 4), **out}


@program("bit-fields", sgpr={**wide(0, 0x8ABCDEF123456789)})
def bit_fields(c):
    x = c.pair(0)

    def signed(offset, width):
        f = x >> offset & ((1 << width) - 1)
        return f - (f >> (width - 1) << width)
    return {4: x & 127, 5: signed(7, 13) & MASK32, 6: x >> 20 & 0xFFFFF,
            7: signed(40, 24) & MASK32, **wide(8, x),
            10: 0, 11: signed(56, 8) & MASK32, 12: x >> 32,
            **wide(14, signed(60, 4) & MASK64), **wide(18, x), 20: 0, 21: 0xFFFFFFF0}


@program("bit-scan", sgpr={**wide(0, 0x00F0123480A5C301)})
def bit_scan(c):
    x = c.pair(0)
    up, clear = bits(x), bits(~x & MASK64)
    return {2: sum(3**k * p for k, p in enumerate(up)) & MASK32,
            3: sum(3**k * p for k, p in enumerate(up[::-1])) & MASK32,
            4: len(clear), 5: sum(clear), 6: 32 - (x >> 32).bit_length(), 7: 64 - x.bit_length(),
            8: MASK32, 9: MASK32, 15: len(clear)}


@program("quads", sgpr={**wide(0, 0x8000100200340001)})
def quads(c):
    x = c.pair(0)
    nibbles = [i for i in range(16) if x >> 4 * i & 15]
    wqm = sum(15 << 4 * i for i in nibbles)
    mask = sum(1 << i for i in nibbles)
    touched = 0
    for r in range(64):
        y = rotl64(x, r)
        touched += sum(1 for i in range(16) if y >> 4 * i & 15)
    return {**wide(2, wqm), **wide(4, mask), **wide(6, wqm), 8: mask, 9: touched}


@program("hamming", sgpr={0: 0x123, 1: 12})
def hamming(c):
    fold = syndromes = 0
    for k in range(c.s(1)):
        data = c.s(0) + 37 * k
        places = [p for p in range(1, 16) if p & (p - 1)]
        word = sum((data >> i & 1) << p for i, p in enumerate(places))
        parity = 0
        for p in bits(word):
            parity ^= p
        word |= sum(1 << p for p in (1, 2, 4, 8) if parity & p)
        fold ^= word
        syndromes += sum(range(1, 16))
    return {2: 15 * c.s(1), 3: fold, 4: syndromes}


@program("life", sgpr={**wide(0, 0x000000000E000000 | 0x0000804020000000 | 0x0302), 2: 40})
def life(c):
    board = {(b % 8, b // 8) for b in bits(c.pair(0))}
    for _ in range(c.s(2)):
        count = {}
        for x, y in board:
            for dx in (-1, 0, 1):
                for dy in (-1, 0, 1):
                    if dx or dy:
                        cell = ((x + dx) % 8, (y + dy) % 8)
                        count[cell] = count.get(cell, 0) + 1
        board = {p for p, n in count.items() if n == 3 or n == 2 and p in board}
    return {**wide(0, sum(1 << (8 * y + x) for x, y in board)), 3: len(board)}


@program("rule30", sgpr={**wide(0, 1 << 32), 2: 300})
def rule30(c):
    cells = [c.pair(0) >> i & 1 for i in range(64)]
    history = 0
    for _ in range(c.s(2)):
        # neighbours: i+1 is left, i-1 is right
        cells = [30 >> (cells[(i + 1) % 64] * 4 + cells[i] * 2 + cells[i - 1]) & 1
                 for i in range(64)]
        history = (history * 2 + cells[32]) & MASK64
    return {**wide(0, sum(b << i for i, b in enumerate(cells))), **wide(4, history)}


@program("nqueens", sgpr={0: 6})
def nqueens(c):
    n, tried = c.s(0), 0

    def place(row, taken):
        nonlocal tried
        if row == n:
            return 1
        found = 0
        for x in range(n):
            if all(x != cx and abs(x - cx) != row - r for r, cx in enumerate(taken)):
                tried += 1
                found += place(row + 1, taken + [x])
        return found
    return {1: place(0, []), 2: tried}


@program("subset-sum", sgpr=dict(enumerate([3, 11, 17, 17, 29, 5, 2, 23, 9, 1])))
def subset_sum(c):
    sums = {0}
    for k in range(10):
        sums |= {s + c.s(k) for s in sums}
    return {**wide(12, sum(1 << s for s in sums), 4), 10: len(sums), 11: max(sums)}


# --- long arithmetic ---------------------------------------------------------------

@program("fib256", sgpr={0: 380})
def fib256(c):
    a, b = 0, 1
    for _ in range(c.s(0)):
        a, b = b, a + b
    return {**wide(8, a, 8), **wide(16, b, 8)}


@program("factorial", sgpr={0: 40})
def factorial(c):
    return wide(4, math.factorial(c.s(0)), 5)


@program("mul128", sgpr={**wide(0, 0xFEDCBA9876543210), **wide(2, 0xF00DFACE0BADCAFE)})
def mul128(c):
    return wide(4, c.pair(0) * c.pair(2), 4)


@program("mul256", sgpr={**wide(0, 2**128 - 0x123456789ABCDEF, 4), **wide(4, 3**80, 4)})
def mul256(c):
    return wide(8, c.wide(0, 4) * c.wide(4, 4), 8)


@program("div64", sgpr={**wide(0, 0xFFFFFFFFFFFFFFC5), **wide(2, 0x123456789)})
def div64(c):
    return {**wide(4, c.pair(0) // c.pair(2)), **wide(6, c.pair(0) % c.pair(2))}


@program("mod25519", sgpr={0: 1234})
def mod25519(c):
    return wide(8, pow(2, c.s(0), 2**255 - 19), 8)


@program("rotate256", sgpr={**wide(8, int.from_bytes(hashlib.sha256(b"x").digest(), "big"), 8), 0: 333})
def rotate256(c):
    x, n = c.wide(8, 8), c.s(0) % 256
    return wide(8, (x << n | x >> (256 - n)) & (2**256 - 1), 8)


@program("cordic", sgpr={0: round(0.7 * 2**30)})
def cordic(c):
    # the result is exact only as an integer recurrence; check it against the real sine as well
    x, y, z = 652032874, 0, i32(c.s(0))
    for i in range(29):
        atan = round(math.atan(2.0**-i) * 2**30)
        d = -1 if z < 0 else 1
        x, y, z = x - d * (y >> i), y + d * (x >> i), z - d * atan
    angle = c.s(0) / 2**30
    assert abs(x / 2**30 - math.cos(angle)) < 1e-7 and abs(y / 2**30 - math.sin(angle)) < 1e-7
    return {1: x & MASK32, 2: y & MASK32, 3: z & MASK32}


@program("saturate", sgpr={0: 2024, 1: 200})
def saturate(c):
    x, total, overflows, small, apart = c.s(0), 0, 0, 0, 0
    for _ in range(c.s(1)):
        x = lcg(x, 1103515245, 12345)
        term = i32(x) // 4
        exact = total - term if x & 128 else total + term
        clamped = max(-2**31, min(2**31 - 1, exact))
        overflows += clamped != exact
        total = clamped
        byte = x >> 9 & 255
        small += abs(byte - 256 if byte > 127 else byte)
        low = x & 0xFFFF
        apart += abs((low - 65536 if low > 32767 else low) - (i32(x) >> 16))
    return {2: total & MASK32, 3: overflows, 4: small, 5: apart}


@program("q32-power", sgpr={**wide(0, -int(1.01 * 2**32) & MASK64), **wide(2, 1000 << 32), 4: 300})
def q32_power(c):
    def signed(x):
        return x - (x >> 63 << 64)
    factor, value = signed(c.pair(0)), signed(c.pair(2))
    for _ in range(c.s(4)):
        value = factor * value >> 32
        assert -2**63 <= value < 2**63
    return {**wide(2, value & MASK64), 4: 0}


# --- calls -------------------------------------------------------------------------

@program("fib-recursive", sgpr={0: 13})
def fib_recursive(c):
    def fib(n):
        return n if n < 2 else fib(n - 1) + fib(n - 2)

    def calls(n):
        return 1 if n < 2 else 1 + calls(n - 1) + calls(n - 2)
    n = c.s(0)
    return {1: fib(n), 2: calls(n), 3: 4 * (n - 1)}


@program("hanoi", sgpr={0: 8})
def hanoi(c):
    moves = []

    def solve(n, a, b, spare):
        if n:
            solve(n - 1, a, spare, b)
            moves.append((a, b))
            solve(n - 1, spare, b, a)
    solve(c.s(0), 0, 2, 1)
    h = 0
    for a, b in moves:
        h = (h * 31 + 4 * a + b) & MASK32
    return {1: len(moves), 2: h, 10: 0, 11: 0, 12: 2**c.s(0) - 1}


@program("ackermann", sgpr={0: 2, 1: 5})
def ackermann(c):
    m, n = c.s(0), c.s(1)
    assert m == 2
    return {2: 2 * n + 3}


@program("function-table", sgpr={0: 42, 1: 300})
def function_table(c):
    x, counts = c.s(0), [0] * 4

    def apply(k, x):
        if k == 0:
            return (x + 0x9E3779B9) & MASK32
        if k == 1:
            return x * 69069 & MASK32
        if k == 2:
            return x ^ x >> 15
        return apply(2, apply(0, x))
    for _ in range(c.s(1)):
        k = (x >> 13 ^ x) & 3
        counts[k] += 1
        x = apply(k, x)
    return {2: x, 3: sum(n << 8 * k for k, n in enumerate(counts))}


@program("coroutines", sgpr={0: 100})
def coroutines(c):
    squares = [k * k for k in range(1, c.s(0) + 1)]
    return {1: sum(squares), 2: (sum(squares[::2]) - sum(squares[1::2])) & MASK32, 3: c.s(0)}


# push 1, increment twice (3), duplicate, multiply (9), duplicate, negate, swap, increment (10),
# swap, duplicate, multiply (81), add (91), duplicate, multiply (8281), push 1, add, stop
STACK_CODE = [1, 7, 7, 4, 3, 4, 6, 5, 7, 5, 4, 3, 2, 4, 3, 1, 2, 0]


@program("jump-table", sgpr=wide(40, sum(op << 4 * k for k, op in enumerate(STACK_CODE)), 3))
def jump_table(c):
    return {0: 8282, 1: len(STACK_CODE)}


# --- lanes: fork and join, EXEC masks ----------------------------------------------

def lanes(seed, low, high):
    """64 pseudo-random integers."""
    rng = random.Random(seed)
    return [rng.randint(low, high) & MASK32 for _ in range(64)]


def f32(x):
    """The bits of a binary32."""
    return struct.unpack("<I", struct.pack("<f", x))[0]


def pack64(values):
    """64-bit lane values as a VGPR pair: low halves, high halves."""
    return [v & MASK32 for v in values], [v >> 32 & MASK32 for v in values]


def mask(flags, execute=MASK64):
    """Lane flags as a 64-bit mask; inactive lanes are 0."""
    return sum(1 << i for i, f in enumerate(flags) if f) & execute


EXECUTE = 0xFFFF0FF7FFFFFFFE        # some lanes off

VALUES = lanes("values", 0, 255)


@program("fork-if", vgpr={0: VALUES}, sgpr={40: 100})
def fork_if(c):
    above = mask(v > c.s(40) for v in c.v[0])
    rest = ~above & MASK64
    order = 12 if above.bit_count() <= rest.bit_count() else 21
    return {**wide(50, above), **wide(52, rest), 54: order, 55: 1, 56: 0, "exec": MASK64}


@program("fork-tree", vgpr={0: VALUES})
def fork_tree(c):
    out = {}
    for k in range(8):
        out |= wide(64 + 2 * k, mask(v // 32 == k for v in c.v[0]))
    return {**out, 80: 8, "exec": MASK64}


@program("fork-loop", vgpr={0: lanes("turns", 1, 40)})
def fork_loop(c):
    turns, sizes = c.v[0], []

    def wait(active, k):
        """Lanes in the loop before turn k; a bigger group of leavers comes after the rest."""
        while active:
            leaving = [v for v in active if v == k]
            staying = [v for v in active if v != k]
            if leaving and len(leaving) > len(staying) > 0:
                k = wait(staying, k + 1)
                sizes.append(len(leaving))
                return k
            if leaving:
                sizes.append(len(leaving))
            active, k = staying, k + 1
        return k
    last = wait(turns, 1)
    h = 0
    for n in sizes:
        h = (h * 31 + n) & MASK32
    return {40: last - 1, 41: sum(turns), 42: len(sizes), 43: h, "exec": MASK64}


@program("lane-if", exec=EXECUTE, vgpr={0: [f32(random.Random(k).uniform(-2, 3)) for k in range(64)]})
def lane_if(c):
    x = [struct.unpack("<f", struct.pack("<I", v))[0] for v in c.v[0]]
    return {**wide(10, mask((v < 0 for v in x), EXECUTE)),
            **wide(12, mask((0 <= v <= 1 for v in x), EXECUTE)),
            **wide(14, mask((v > 1 for v in x), EXECUTE)), 16: 1, "exec": EXECUTE}


def active(c, n, execute):
    return [v for i, v in enumerate(c.v[n]) if execute >> i & 1]


@program("lane-max", exec=EXECUTE, vgpr={0: lanes("max", 0, MASK32)})
def lane_max(c):
    v = active(c, 0, EXECUTE)
    return {0: max(v), 1: max(map(i32, v)) & MASK32, 2: min(v),
            **wide(4, mask((x == max(v) for x in c.v[0]), EXECUTE)), "exec": EXECUTE}


@program("lane-median", vgpr={0: lanes("median", 0, MASK32)})
def lane_median(c):
    v = sorted(c.v[0])
    return {i: v[rank - 1] for i, rank in enumerate((1, 16, 32, 48, 64))}


@program("lane-sort", vgpr={0: lanes("sort", 0, 99)})
def lane_sort(c):
    v = sorted(c.v[0])
    return {**{32 + i: x for i, x in enumerate(v)}, 0: sum(v), 1: len(set(v))}


@program("lane-distinct", exec=EXECUTE, vgpr={0: [v * 0x01234567 & MASK32 for v in lanes("distinct", 0, 11)]})
def lane_distinct(c):
    v = active(c, 0, EXECUTE)
    most = max(map(v.count, v))
    fold = 0
    for x in set(v):
        fold ^= x
    return {0: len(set(v)), 1: most, 2: min(x for x in v if v.count(x) == most), 3: fold,
            "exec": EXECUTE}


@program("lane-histogram", vgpr={0: [
    0x7FC00000 if k % 13 == 5 else f32(random.Random(100 + k).gauss(0, 4)) if k % 7 else f32(k // 7 - 8)
    for k in range(64)]})
def lane_histogram(c):
    x = [struct.unpack("<f", struct.pack("<I", v))[0] for v in c.v[0]]
    bins = [sum(k - 8 <= v < k - 7 for v in x) for k in range(16)]
    return {**{32 + k: n for k, n in enumerate(bins)}, 48: 64 - sum(bins),
            **wide(50, mask(math.isnan(v) for v in x))}


@program("lane-isqrt", exec=EXECUTE, vgpr={0: lanes("isqrt", 0, 2000)})
def lane_isqrt(c):
    roots = [math.isqrt(v) for v in active(c, 0, EXECUTE)]
    return {**{32 + k: roots.count(k) for k in range(32)}, 0: sum(r >= 32 for r in roots),
            1: max(roots) + 1, "exec": EXECUTE}


@program("saveexec", exec=0xF0F0123456789ABC, sgpr={**wide(0, 0x00FF00FFDEADBEEF), **wide(2, 0x1234)})
def saveexec(c):
    h, flags = c.pair(2), 0
    execute, m = 0xF0F0123456789ABC, c.pair(0)
    table = {           # truth table over (source bit, exec bit): 00 01 10 11
        "and": "0001", "or": "0111", "xor": "0110", "andn2": "0010", "orn2": "1011",
        "nand": "1110", "nor": "1000", "xnor": "1001", "andn1": "0100", "orn1": "1101"}

    def combine(name, s, e):
        return sum(1 << b for b in range(64) if table[name][2 * (s >> b & 1) + (e >> b & 1)] == "1")

    def fold(x):
        nonlocal h
        h = rotl64(h, 5) ^ x
    names = list(table)[:10 if c.generation == 14 else 8]
    for name, saves in [(n, True) for n in names] + [("andn1", False), ("andn2", False)] * (c.generation == 14):
        new = combine(name, m, execute)
        flags = flags * 2 + (new != 0)
        fold(execute if saves else new)
        fold(new)
        fold(combine(name, 0, execute))
        new = combine(name, MASK64, execute)
        fold(execute if saves else new)
        fold(new)
    return {**wide(2, h), 4: flags, **wide(6, execute), "exec": execute}


@program("wave-loop", vgpr={0: lanes("w0", 0, 100_000), 1: lanes("w1", -100, 900)}, sgpr={0: 7})
def wave_loop(c):
    x, threshold, turns, total, negative, none = c.s(0), 0, 0, 0, 0, 0
    alive = list(zip(c.v[0], map(i32, c.v[1])))
    while True:
        turns += 1
        x = lcg(x)
        threshold += x >> 22
        alive = [(a, b) for a, b in alive if a > threshold]
        if not alive:
            break
        total += len(alive)
        n = sum(b < 0 for _, b in alive)
        negative += n
        none += n == 0
    return {1: turns, 2: total, 3: negative, 4: none, "exec": MASK64}


# --- compares ----------------------------------------------------------------------

FLOAT_OPS = {
    "f": lambda a, b: False,
    "lt": lambda a, b: a < b,
    "eq": lambda a, b: a == b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "lg": lambda a, b: a < b or a > b,
    "ge": lambda a, b: a >= b,
    "o": lambda a, b: a == a and b == b,
    "u": lambda a, b: a != a or b != b,
    "nge": lambda a, b: not a >= b,
    "nlg": lambda a, b: not (a < b or a > b),
    "ngt": lambda a, b: not a > b,
    "nle": lambda a, b: not a <= b,
    "neq": lambda a, b: not a == b,
    "nlt": lambda a, b: not a < b,
    "tru": lambda a, b: True,
}
INT_OPS = {
    "f": lambda a, b: False,
    "lt": lambda a, b: a < b,
    "eq": lambda a, b: a == b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ne": lambda a, b: a != b,
    "ge": lambda a, b: a >= b,
    "t": lambda a, b: True,
}
SMALLEST_NORMAL = {16: 2.0**-14, 32: 2.0**-126, 64: 2.0**-1022}


def real(x, width, flush=False):
    """The Python float with these bits; denormals as zero if flush."""
    int_format, float_format = {16: "He", 32: "If", 64: "Qd"}[width]
    value = struct.unpack("<" + float_format, struct.pack("<" + int_format, x))[0]
    return 0.0 if flush and abs(value) < SMALLEST_NORMAL[width] else value


def signed(x, width):
    return x - (x >> (width - 1) << width)


def joined(c, n):
    return [a | b << 32 for a, b in zip(c.v[n], c.v[n + 1])]


def special_floats(width, seed):
    """64 lanes: every kind of float, met in many combinations by two seeds."""
    m = {16: 10, 32: 23, 64: 52}[width]
    sign, inf = 1 << (width - 1), (1 << (width - 1)) - (1 << m)
    one = {16: 0x3C00, 32: 0x3F800000, 64: 0x3FF0000000000000}[width]
    kinds = [0, 1, (1 << m) - 1, 1 << m, one, one + 1, inf - 1, inf, inf + 1, inf | 1 << (m - 1)]
    kinds += [k | sign for k in kinds]
    rng = random.Random(f"{seed}{width}")
    return [rng.choice(kinds) for _ in range(64)]


class Fold:
    """The rotate-and-xor hash of FOLD in include/fold.inc."""

    def __init__(self, execute=MASK64):
        self.hash, self.execute = 0, execute

    def add(self, flags):
        m = flags if isinstance(flags, int) else mask(flags, self.execute)
        self.hash = rotl64(self.hash, 5) ^ m
        return m


def flush32(c):
    """f32 denormals of inputs count as zero before gcn1.4, by the initial MODE."""
    return c.generation < 14


@program("cmp-f32", exec=EXECUTE, vgpr={0: special_floats(32, "a"), 1: special_floats(32, "b")})
def cmp_f32(c):
    h, total = Fold(EXECUTE), 0
    a, b = ([real(x, 32, flush32(c)) for x in c.v[n]] for n in (0, 1))
    for op in FLOAT_OPS.values():
        h.add(map(op, a, b))
        total += h.add(map(op, b, a)).bit_count()
    return {**wide(2, h.hash), 6: total}


@program("cmp-f64", exec=EXECUTE, sgpr={**wide(20, 0x8000000000000001)},
         vgpr=dict(enumerate([*pack64(special_floats(64, "a")), *pack64(special_floats(64, "b"))])))
def cmp_f64(c):
    h = Fold(EXECUTE)
    a, b = ([real(x, 64) for x in joined(c, n)] for n in (0, 2))
    s = real(c.pair(20), 64)
    for op in FLOAT_OPS.values():
        h.add(map(op, a, b))
        h.add(op(s, x) for x in a)
    return wide(2, h.hash)


def with_rubbish(values, seed):
    """16-bit lane values with something in bits 31:16."""
    return [v | h << 16 for v, h in zip(values, lanes(seed, 0, 0xFFFF))]


@program("cmp-f16", exec=EXECUTE, vgpr={0: with_rubbish(special_floats(16, "a"), 1),
                                        1: with_rubbish(special_floats(16, "b"), 2)})
def cmp_f16(c):
    h = Fold(EXECUTE)
    a, b = ([real(x & 0xFFFF, 16) for x in c.v[n]] for n in (0, 1))
    for op in FLOAT_OPS.values():
        h.add(map(op, a, b))
        h.add(op(x, 1.0) for x in b)
    return wide(2, h.hash)


def edge_integers(width, seed):
    top = 1 << (width - 1)
    edges = [0, 1, top - 1, top, top + 1, 2 * top - 1, 2 * top - 2, 1 << width // 2]
    rng = random.Random(f"{seed}int{width}")
    return [rng.choice(edges) for _ in range(64)]


@program("cmp-int", exec=EXECUTE, vgpr=dict(enumerate(
    [edge_integers(32, "a"), edge_integers(32, "b"),
     *pack64(edge_integers(64, "a")), *pack64(edge_integers(64, "b"))])))
def cmp_int(c):
    h = Fold(EXECUTE)
    a, b, p, q = c.v[0], c.v[1], joined(c, 2), joined(c, 4)
    for op in INT_OPS.values():
        h.add(op(signed(x, 32), signed(y, 32)) for x, y in zip(a, b))
        h.add(map(op, a, b))
        h.add(op(signed(x, 64), signed(y, 64)) for x, y in zip(p, q))
        h.add(map(op, p, q))
    return wide(2, h.hash)


@program("cmp-int16", exec=EXECUTE, sgpr={20: 0xABCD8001},
         vgpr={0: with_rubbish(edge_integers(16, "a"), 3), 1: with_rubbish(edge_integers(16, "b"), 4)})
def cmp_int16(c):
    h = Fold(EXECUTE)
    a, b = ([x & 0xFFFF for x in c.v[n]] for n in (0, 1))
    for op in INT_OPS.values():
        h.add(op(signed(x, 16), signed(y, 16)) for x, y in zip(a, b))
        h.add(map(op, a, b))
        h.add(op(-1, signed(x, 16)) for x in a)
        h.add(op(c.s(20) & 0xFFFF, x) for x in a)
    return wide(2, h.hash)


@program("cmp-signalling", exec=EXECUTE, vgpr=dict(enumerate(
    [special_floats(32, "a"), special_floats(32, "b"),
     *pack64(special_floats(64, "a")), *pack64(special_floats(64, "b"))])))
def cmp_signalling(c):
    h, left = Fold(EXECUTE), 0
    a, b = ([real(x, 32, True) for x in c.v[n]] for n in (0, 1))
    p, q = ([real(x, 64) for x in joined(c, n)] for n in (2, 4))
    for op in FLOAT_OPS.values():
        h.add(map(op, a, b))
        h.add(map(op, p, q))
        left = h.add(map(op, b, a))
        left = h.add(mask(map(op, q, p), left))
    return {**wide(2, h.hash), **wide(8, left), "exec": EXECUTE}


@program("cmpx-chain", vgpr=dict(enumerate(
    [lanes("x0", 0, 255), lanes("x1", -20, 60), special_floats(32, "c"), [0] * 64,
     *pack64([signed(v, 32) & MASK64 for v in lanes("x4", -500, 1000)])])))
def cmpx_chain(c):
    one = mask(v < 200 for v in c.v[0])
    two = mask((i32(v) >= -10 for v in c.v[1]), one)
    three = mask((not math.isnan(real(v, 32)) for v in c.v[2]), two)
    four = mask((signed(v, 64) > 0 for v in joined(c, 4)), three)
    return {**wide(10, one), **wide(12, two), **wide(14, 0), **wide(16, three), **wide(18, four),
            0: four.bit_count(), "exec": MASK64}


def float_class(bits_, width):
    """0..9: sNaN qNaN -inf -normal -denormal -0 +0 +denormal +normal +inf."""
    x = real(bits_, width)
    if math.isnan(x):
        return bits_ >> {16: 9, 32: 22, 64: 51}[width] & 1
    size = (0 if x == 0 else 1 if abs(x) < SMALLEST_NORMAL[width] else 3 if math.isinf(x) else 2)
    return 5 - size if bits_ >> (width - 1) else 6 + size


@program("cmp-class", exec=EXECUTE, vgpr={0: special_floats(32, "d"), **dict(enumerate(
    pack64(special_floats(64, "d")), 2)), 4: lanes("masks", 0, 0xFFFF)})
def cmp_class(c):
    single = [float_class(v, 32) for v in c.v[0]]
    double = [float_class(v, 64) for v in joined(c, 2)]
    out = {}
    for k in range(10):
        out[32 + k] = mask((x == k for x in single), EXECUTE).bit_count()
        out[42 + k] = mask((x == k for x in double), EXECUTE).bit_count()
    finite = mask((x in range(3, 9) and y in range(3, 9) for x, y in zip(single, double)), EXECUTE)
    return {**out, **wide(10, mask((m >> x & 1 for m, x in zip(c.v[4], single)), EXECUTE)),
            **wide(12, finite), 52: finite.bit_count(), "exec": EXECUTE}


@program("cmp-class-f16", exec=EXECUTE, vgpr={0: with_rubbish(special_floats(16, "d"), 5)})
def cmp_class_f16(c):
    kinds = [float_class(v & 0xFFFF, 16) for v in c.v[0]]
    return {**{32 + k: mask((x == k for x in kinds), EXECUTE).bit_count() for k in range(10)},
            **wide(10, mask((x in (3, 4, 5) for x in kinds), EXECUTE)), 12: 0, 13: 0, "exec": EXECUTE}


@program("cmp-modifiers", exec=EXECUTE, vgpr=dict(enumerate(
    [special_floats(32, "e"), special_floats(32, "f"),
     *pack64(special_floats(64, "e")), *pack64(special_floats(64, "f"))])))
def cmp_modifiers(c):
    h = Fold(EXECUTE)
    a, b = ([real(x, 32, flush32(c)) for x in c.v[n]] for n in (0, 1))
    p, q = ([real(x, 64) for x in joined(c, n)] for n in (2, 4))
    for name in ("lt", "eq", "ge", "lg", "nle", "u"):
        op = FLOAT_OPS[name]
        h.add(op(abs(x), y) for x, y in zip(a, b))
        h.add(op(-x, y) for x, y in zip(a, b))
        h.add(op(x, -abs(y)) for x, y in zip(a, b))
        h.add(op(-abs(x), abs(y)) for x, y in zip(a, b))
        h.add(op(abs(x), -y) for x, y in zip(p, q))
        h.add(op(-abs(x), abs(y)) for x, y in zip(p, q))
    kinds = [float_class(v, 32) for v in c.v[0]]
    nan = (0, 1)
    h.add(k in (2, 3, 4, 5) for k in kinds)
    h.add(k not in nan and 11 - k in (2, 3, 4, 5) for k in kinds)
    h.add(False for k in kinds)
    h.add(float_class(v, 64) not in nan for v in joined(c, 2))
    return wide(2, h.hash)


@program("cmp-denormals", vgpr={0: special_floats(32, "g"), **dict(enumerate(
    pack64(special_floats(64, "g")), 2))})
def cmp_denormals(c):
    out = {}
    for setting in range(4):
        flush = not setting & 1
        out[32 + setting] = sum(real(v, 32, flush) == 0 for v in c.v[0])
        out[36 + setting] = sum(real(v, 64, flush) == 0 for v in joined(c, 2))
    denormals = sum(float_class(v, 32) in (4, 7) for v in c.v[0])
    return {**out, 40: denormals, 41: denormals, 42: 0x3F0 if c.generation == 14 else 0x3C0}


@program("cmp-constants", exec=EXECUTE, sgpr={20: 0xFFFFFF00, **wide(22, 0x4000000000000001)},
         vgpr=dict(enumerate([
             [random.Random(k).choice([0, 1, 64, 100, 101, 0x3F800000, 0xFFFFFFF0, 0xFFFFFFEF, 0x12345678, 0x12345679,
                                       0x40490FDB, 0x40490FDA, 0xC0800000, 0x3F000000, 0x3E22F983, 0x3E22F982,
                                       0x7FC00000, 0xFFFFFF00, 0xFFFFFEFF, 0x3800, 0x37FF, 0x8000, 0x8001, 0x80000000])
              for k in range(64)], [0] * 64,
             *pack64([random.Random(k + 64).choice([
                 0, 1, MASK64, MASK64 - 15, 0x80000000, 0x7FFFFFFF, 0xFFFFFFFF80000000, 0xFFFFFFFF7FFFFFFF,
                 0x3FF0000000000000, 0x3FF0000000000001, 0x40091EB800000000, 0x40091EB7FFFFFFFF,
                 0x4000000000000001, 0x4000000000000002, 0x7FF0000000000001, EXECUTE, 1 << 63])
                 for k in range(64)])])))
def cmp_constants(c):
    h = Fold(EXECUTE)
    u, v = c.v[0], joined(c, 2)
    i, w = [i32(x) for x in u], [signed(x, 64) for x in v]
    f, d = [real(x, 32, flush32(c)) for x in u], [real(x, 64) for x in v]
    tiny = 0.0 if flush32(c) else 2.0**-149
    pair = c.pair(22)
    h.add(0 == x for x in u)
    h.add(64 == x for x in u)
    h.add(-16 > x for x in i)
    h.add(0x3F800000 == x for x in u)
    h.add(0x12345678 < x for x in u)
    h.add(i32(c.s(20)) <= x for x in i)
    h.add(-4.0 < x for x in f)
    h.add(real(0x40490FDB, 32) > x for x in f)
    h.add(0.5 >= x for x in f)
    h.add(tiny < x or tiny > x for x in f)
    h.add(-1 < x for x in w)
    h.add(MASK64 - 15 == x for x in v)
    h.add(-2**31 > x for x in w)
    h.add(2**31 > x for x in v)
    h.add(0x3FF0000000000000 == x for x in v)
    h.add(pair < x for x in v)
    h.add(1.0 > x for x in d)
    h.add(real(0x40091EB800000000, 64) > x for x in d)
    h.add(real(pair, 64) <= x for x in d)
    vcc = h.add(EXECUTE != x for x in v)
    h.add(vcc >= x for x in v)
    h.add(100 < x for x in u)
    h.add(x < 2.0 for x in f)
    h.add(x > i32(c.s(20)) for x in i)
    if c.generation >= 12:
        h.add(real(0x3E22F983, 32) < x for x in f)
        h.add(0.5 > real(x & 0xFFFF, 16) for x in u)
        h.add(0x8000 < x & 0xFFFF for x in u)
    return wide(2, h.hash)


@program("cmp-sdst", vgpr={0: lanes("sdst", -120, 120)})
def cmp_sdst(c):
    out, odd = {}, 0
    for k in range(11):
        m = mask(20 * k - 100 <= i32(v) for v in c.v[0])
        out |= wide(40 + 2 * k, m)
        odd ^= m
    return {**out, **wide(62, odd), **wide(10, mask(i32(v) > 7 for v in c.v[0])),
            "vcc": mask(v > 0 for v in c.v[0])}


# --- modes -------------------------------------------------------------------------

TABLE = {8 + k: [(17 * lane + 11 * k * k + 5) % 97 + 10 * k for lane in range(64)] for k in range(8)}


@program("gpr-index", vgpr={0: lanes("key", 0, 200), **TABLE})
def gpr_index(c):
    out = {}
    for k in range(8):
        out[32 + k] = sum(b < v for b, v in zip(c.v[8 + k], c.v[0]))
    for k in range(7):
        out[40 + k] = sum(a < b for a, b in zip(c.v[8 + k], c.v[9 + k]))
    mode = 0x3F0 if c.generation == 14 else 0x3C0
    return {**out, 48: 2 << 12 | 5, 49: mode | 1 << 27, 50: mode, "mode": mode,
            "vcc": mask(0x105 > v for v in c.v[13])}


@program("vskip", vgpr={0: lanes("vskip", 0, 80)})
def vskip(c):
    run = mask(v < 50 for v in c.v[0])
    counted = sum(v > k for k in range(0, 20, 2) for v in c.v[0])
    return {**wide(10, run), **wide(12, MASK64), 14: 1, 15: 0, 16: counted, "exec": MASK64}


@program("mode-fields", trapsts=0x101)
def mode_fields(c):
    mode = 0x3F0 if c.generation == 14 else 0x3C0
    written = 9 | 6 << 4 | 0x55 << 12
    return {10: 9, 11: 6, 12: 0, 13: 0, 14: 0x55, 15: written, 16: 0x101 | 15 << 2,
            17: written, 18: mode, 19: 8, "mode": mode, "trapsts": 0x101 | 15 << 2}


@program("getreg", trapsts=0x155, vcc=0)
def getreg(c):
    mode = 0x3F0 if c.generation == 14 else 0x3C0
    return {0: mode, 1: 0x155, 2: 1 | 1 << 10, 3: 1 | 1 << 9 | 1 << 10, 4: 1 << 9, 5: 0,
            10: 0, 11: 0, 12: 0, 13: 0, 14: 0}


# --- indexing, selection, immediates -----------------------------------------------

@program("insertion-sort", sgpr={40 + k: v for k, v in enumerate(lanes("sort24", -1000, 1000)[:24])})
def insertion_sort(c):
    v = [i32(c.s(40 + k)) for k in range(24)]
    inversions = sum(v[i] > v[j] for i in range(24) for j in range(i + 1, 24))
    return {**{40 + k: x & MASK32 for k, x in enumerate(sorted(v))}, 0: inversions}


@program("matrix", sgpr={16 + k: v for k, v in enumerate(lanes("matrix", -99, 99)[:32])})
def matrix(c):
    a, b = ([[i32(c.s(first + 4 * r + k)) for k in range(4)] for r in range(4)] for first in (16, 32))
    rows = [[sum(a[r][k] * b[k][col] for k in range(4)) & MASK32 for col in range(4)] for r in range(4)]
    swapped = rows[2:] + rows[:2]
    return {**dict(enumerate(sum(rows, []), 48)), **dict(enumerate(sum(swapped, []), 64))}


@program("sorting-network", sgpr=dict(enumerate(
    [5, 0xFFFFFFFF, 0x80000000, 17, 0, 0x7FFFFFFF, 0xFFFFFF00, 17])))
def sorting_network(c):
    v = [c.s(k) for k in range(8)]
    return {**dict(enumerate(sorted(v), 8)), **dict(enumerate(sorted(v, key=i32), 16))}


@program("select", sgpr={**dict(enumerate(
    [-50 & MASK32, 3, 100, -7 & MASK32, 2**31 - 1, 2**31, 55, 55])), 8: -20 & MASK32, 9: 60})
def select(c):
    v = [i32(c.s(k)) for k in range(8)]
    low, high = i32(c.s(8)), i32(c.s(9))
    clamped = [min(max(x, low), high) for x in v]
    pair = (c.s(8), c.s(9)) if v[7] >= v[6] else (c.s(9), c.s(8))
    return {**{16 + k: x & MASK32 for k, x in enumerate(clamped)},
            24: sum(a != b for a, b in zip(v, clamped)), 26: pair[0], 27: pair[1],
            28: v.index(max(v)), 30: MASK32 if min(v) < 0 else 0,
            **wide(32, 0x3FF0000000000000 if v[0] > v[1] else 0)}


EDGES = [0, 1, 0x7FFF, 0x8000, 0xFFFF, 0xFFFF8000, 0xFFFFFFFF, 0x80000000]
RELATIONS = ["eq", "lg", "gt", "ge", "lt", "le"]


def related(name, a, b):
    return {"eq": a == b, "lg": a != b, "gt": a > b, "ge": a >= b, "lt": a < b, "le": a <= b}[name]


@program("sopk", sgpr=dict(enumerate(EDGES, 40)))
def sopk(c):
    h = 0
    for k in range(8):
        x = c.s(40 + k)
        results = [related(r, i32(x), b) for r, b in
                   zip(RELATIONS, (-0x8000, -1, -0x8000, 0x7FFF, -1, -0x8000))]
        results += [related(r, x, b) for r, b in
                    zip(RELATIONS, (0x8000, 0xFFFF, 0x8000, 0x7FFF, 0xFFFF, 0x8000))]
        for r in results:
            h = rotl64(h, 1) ^ r
    total, overflows = -2**31, 0
    while overflows < 3:
        exact = total + 0x7FFF
        overflows += exact >= 2**31
        total = i32(exact + 0x7FFF8000)
    return {**wide(2, h), 4: total & MASK32, 5: overflows, 6: 3 * 0x7FFF * 123}


@program("scalar-compares", sgpr=dict(enumerate(EDGES, 40)))
def scalar_compares(c):
    h = total = 0
    for i in range(8):
        for j in range(8):
            a, b = c.s(40 + i), c.s(40 + j)
            results = [related(r, i32(a), i32(b)) for r in RELATIONS]
            results += [related(r, a, b) for r in RELATIONS]
            ab, ba = a | b << 32, b | a << 32
            results += [not a >> (b & 31) & 1, b >> (a & 31) & 1,
                        not ab >> (b & 63) & 1, ab >> (b & 63) & 1]
            if c.generation >= 12:
                results += [ab == ba, ab != ba]
            for r in results:
                h = rotl64(h, 1) ^ r
                total += r
    return {0: total, **wide(2, h)}


@program("logic", sgpr={**wide(0, 0x0F0F3355DEADBEEF), **wide(2, 0x00FF5533C001D00D)})
def logic(c):
    a, b = c.pair(0), c.pair(2)

    def table(rows):
        return sum(1 << k for k in range(64) if rows[2 * (a >> k & 1) + (b >> k & 1)] == "1")
    nand, nor, andn2, orn2 = table("1110"), table("1000"), table("0010"), table("1011")
    xnor, xor = table("1001"), table("0110")
    h = 0
    for r in (nand, nor, andn2, orn2, xnor, xor, nand, nor, andn2, orn2, xnor, table("1100")):
        h = rotl64(h, 7) ^ r
    return {4: 12, **wide(6, h)}


@program("shifts", sgpr={**wide(0, 0x9234567880000001)})
def shifts(c):
    x = c.pair(0)
    low, high = c.s(0), c.s(1)
    sums, zeros = [0] * 6, 0
    for n in range(100):
        a, b = n % 32, n % 64
        results = [low << a & MASK32, high >> a, (i32(high) >> a) & MASK32,
                   x << b & MASK64, x >> b, (x - (x >> 63 << 64) >> b) & MASK64]
        sums = [s ^ r for s, r in zip(sums, results)]
        zeros += results.count(0)
    return {2: sums[0], 3: sums[1], 4: sums[2], **wide(6, sums[3]), **wide(8, sums[4]),
            **wide(10, sums[5]), 12: zeros}


@program("constants")
def constants(c):
    floats = [0.5, -0.5, 1.0, -1.0, 2.0, -2.0, 4.0, -4.0]
    single = [n & MASK32 for n in range(-16, 65)] + [f32(x) for x in floats]
    double = [n & MASK64 for n in range(-16, 65)]
    double += [struct.unpack("<Q", struct.pack("<d", x))[0] for x in floats]
    if c.generation >= 12:
        single.append(0x3E22F983)
        double.append(0x3FC45F306DC9C882)
    return {**wide(2, sum(single)), **wide(4, sum(double) & MASK64), **wide(6, 0x80000000),
            **wide(8, 0xFFFFFFFFF8000000), **wide(10, 0xFFFFFFFF80000001), 12: 33}


@program("branches")
def branches(c):
    return {0: 0x3FFF if c.generation >= 11 else 0x3FF, "exec": MASK64}


@program("no-effect")
def no_effect(c):
    return {0: 12 + (c.generation >= 11) + (c.generation >= 12)}


@program("pack", sgpr=dict(enumerate(
    [0x7FFF8000, 0x80008000, 0x00017FFF, 0xFFFF7FFF, 0x12345678, 0x9ABCDEF0, 0xFFFF0001, 0x0001FFFF])))
def pack(c):
    v = [c.s(k) for k in range(8)]

    def half(x):
        x &= 0xFFFF
        return x - (x >> 15 << 16)
    dot = sum(half(a) * half(b) + half(a >> 16) * half(b >> 16) for a, b in zip(v[::2], v[1::2]))
    # each lshlN_add of the chain carries where the exact sum passes 2^32
    carries, x, chain = 0, v[0], v[0]
    for n in (1, 2, 3, 4):
        exact = (x << n) + chain
        carries += exact > MASK32
        chain = exact & MASK32
    return {8: dot & MASK32, 10: v[0] & 0xFFFF | v[1] << 16 & MASK32,
            11: v[0] & 0xFFFF | v[1] & 0xFFFF0000, 12: v[0] >> 16 | v[1] & 0xFFFF0000,
            13: 31 * v[0] & MASK32, 14: carries}


@program("division-magic", sgpr={0: 99, 1: 250})
def division_magic(c):
    x, fold = c.s(0), 0
    for _ in range(c.s(1)):
        x = lcg(x)
        fold ^= x // 10
        fold ^= (abs(i32(x)) // 7 * (-1 if i32(x) < 0 else 1)) & MASK32
    return {2: c.s(1), 3: c.s(1), 4: fold}


@program("special-registers", sgpr={0: 5})
def special_registers(c):
    x, kept, h = c.s(0), [], 0
    for _ in range(8 if c.generation == 14 else 12):
        x = lcg(x)
        kept.append(x)
    scratch, vcc = kept[-5:-3], kept[-3:-1]
    for v in kept + [scratch[0] ^ vcc[0], scratch[1] ^ vcc[1]]:
        h = (h * 31 + v) & MASK32
    return {1: h, "vcc": vcc[0] | vcc[1] << 32, "m0": kept[-1]}


@program("status-sources")
def status_sources(c):
    readings = [1, 0, 1, 0, 0, 1, 2]
    value = 0
    for r in readings:
        value = value << 1 | r
    return {0: value, **wide(2, 1), 5: 2, "exec": MASK64}


@program("entry-offset", entry=16, sgpr={0: 1000})
def entry_offset(c):
    return {1: 3007, 2: 16}


@program("odd-targets")
def odd_targets(c):
    return {0: 6}


# --- other outcomes ----------------------------------------------------------------

@program("edge-endless", outcome="budget", max_insts=10_000)
def edge_endless(c):
    # the s_mov, then 9,999 instructions of the two-instruction loop: the last one is its s_add
    return {0: 5000, "pc": 8}


@program("edge-vector-alu", outcome="unsupported")
def edge_vector_alu(c):
    return {0: 1, "v0": [1] * 64, "pc": 8}


@program("edge-illegal-opcode", outcome="fault", kind="illegal-instruction")
def edge_illegal_opcode(c):
    return {0: 1, "pc": 4}


@program("edge-too-new", outcome="fault", kind="illegal-instruction")
def edge_too_new(c):
    return {0: 1, 2: 0, 3: 0, "pc": 4}


@program("edge-illegal-operand", outcome="fault", kind="illegal-operand")
def edge_illegal_operand(c):
    return {0: 1, "pc": 4}


@program("edge-truncated", outcome="fault", kind="truncated")
def edge_truncated(c):
    return {0: 1, "pc": 4}


@program("edge-no-endpgm", outcome="fault", kind="pc-out-of-range")
def edge_no_endpgm(c):
    return {0: 3, "pc": 8}


@program("edge-jump-outside", outcome="fault", kind="pc-out-of-range")
def edge_jump_outside(c):
    return {0: 1, "pc": 8 + 4 * 1024}


@program("edge-call-outside", outcome="fault", kind="pc-out-of-range")
def edge_call_outside(c):
    return {0: 1, **wide(4, 24 - 4), "pc": 0x12_0000_0100}


@program("edge-halt", outcome="halted")
def edge_halt(c):
    return {0: 1, "pc": 12}


@program("edge-sendmsghalt", outcome="halted")
def edge_sendmsghalt(c):
    return {0: 1, "pc": 8}


@program("edge-trap", outcome="trap")
def edge_trap(c):
    return {0: 1, "pc": 4}


@program("edge-exact-budget", max_insts=4)
def edge_exact_budget(c):
    return {0: 5, "pc": 12}


# --- more compares, edges of indexing and modes ------------------------------------

@program("cmpx-all", exec=EXECUTE, vgpr=dict(enumerate(
    [special_floats(32, "x"), special_floats(32, "y"),
     *pack64(special_floats(64, "x")), *pack64(special_floats(64, "y"))])))
def cmpx_all(c):
    h = Fold(EXECUTE)

    def both(op, a, b):
        for flags in (map(op, a, b), map(op, b, a)):
            h.add(h.add(flags))

    def read(convert, width):
        if width == 64:
            return [[convert(x) for x in joined(c, n)] for n in (2, 4)]
        return [[convert(x & (1 << width) - 1) for x in c.v[n]] for n in (0, 1)]
    narrow = [16] if c.generation >= 12 else []
    for op in FLOAT_OPS.values():
        both(op, *read(lambda x: real(x, 32, flush32(c)), 32))
        for width in [64] + narrow:
            both(op, *read(lambda x, w=width: real(x, w), width))
    for op in INT_OPS.values():
        for width in [32, 64] + narrow:
            both(op, *read(lambda x, w=width: signed(x, w), width))
            both(op, *read(lambda x: x, width))
    return {**wide(2, h.hash), "exec": EXECUTE}


@program("cmp-exec-zero", vgpr={0: lanes("zero", 0, MASK32)})
def cmp_exec_zero(c):
    number = not math.isnan(real(c.v[0][37], 32))
    assert number
    return {**wide(10, 0), **wide(12, 1 << 37), **wide(14, 1 << 37), "vcc": 0, "exec": MASK64}


@program("getreg-rest")
def getreg_rest(c):
    return {0: 8, 1: 0, 2: 0, 3: 4}


@program("movrel-range", sgpr={0: 111, 1: 222, 101: 333})
def movrel_range(c):
    return {10: 333, 11: 111, **wide(12, 111 | 222 << 32), **wide(14, 111 | 222 << 32), 16: 222,
            17: 5, 18: 111, 20: 222, 24: 0, 30: 1, 31: 2, 4: 0, 60: 0}


@program("rfe")
def rfe(c):
    return {0: 2 if c.generation >= 12 else 1}


@program("odd-pairs", sgpr={1: 0x11111111, 2: 0x22222222, 4: 0x80000000, 5: 1})
def odd_pairs(c):
    return {7: c.s(1), 8: c.s(2), 10: c.s(1) | c.s(4), 11: c.s(2) | c.s(5)}


@program("initial-state", scc=1, vcc=0x8000000000000001, exec=0x00FF00FF12345678, m0=0xFEDCBA98,
         mode=0x2C5, pc=8)
def initial_state(c):
    return {0: 1, **wide(2, 0x8000000000000001), **wide(4, 0x00FF00FF12345678), 6: 0xFEDCBA98,
            7: 0x2C5, 8: 0, "mode": 0x2C5, "vcc": 0x8000000000000001}


@program("fork-deep", vgpr={k: [lane >> k & 1 for lane in range(64)] for k in range(6)})
def fork_deep(c):
    groups = 0
    for n in (1, 1, 2, 4, 8, 16, 32):
        groups = (groups * 10 + n) & MASK32
    return {40: int("6543210", 8), 41: 6, 42: groups, **wide(44, 1 << 63), "exec": MASK64}


@program("edge-endpgm-saved")
def edge_endpgm_saved(c):
    return {0: 1, "pc": 4}


@program("edge-endpgm-ordered")
def edge_endpgm_ordered(c):
    return {0: 1, "pc": 4}


@program("edge-setpc-outside", outcome="fault", kind="pc-out-of-range")
def edge_setpc_outside(c):
    return {0: 2, **wide(4, 0x1008), "pc": 0x1008}


@program("mov-fed", sgpr={1: 0xC0FFEE})
def mov_fed(c):
    return {0: c.s(1)}


@program("edge-unknown-move", outcome="unsupported")
def edge_unknown_move(c):
    return {0: 1, 1: 0, "pc": 4}


@program("edge-unknown-getreg", outcome="unsupported")
def edge_unknown_getreg(c):
    return {0: 1, "pc": 4}
