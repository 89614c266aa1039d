"""What more of the programs wave-* compute: instructions that the other programs leave out (see programs.py)."""

import math
import random
from fractions import Fraction

from programs import MASK32, MASK64, i32, lanes, pack64, program
from wave_bytes import half, limit
from wave_floats import F16, F32, F64, bits32, bits64, float32, float64, halves, reals, single, split
from wave_integers import LANES, columns, corners, draws, pairs, per_lane, vector

MAX32, MAX64 = F32.infinity - 1, F64.infinity - 1
QUIET = 0x7FC00123


def squares(fmt, seed, exponents):
    """Zeros, and powers of four of both signs."""
    r = random.Random(seed)
    return [fmt.sign * r.randrange(2) | (0 if k % 9 == 4 else fmt.bits(Fraction(4) ** r.randrange(*exponents)))
            for k in LANES]


@program("wave-legacy", vgpr={0: squares(F32, "legacy", (-25, 25))[:30] + squares(F32, "legacy", (-25, -13))[30:], 1: [
    {3: QUIET, 4: QUIET, 5: 0, 13: F32.sign, 22: bits32(-0.5), 30: F32.sign | MAX32}.get(k, x)
    for k, x in enumerate(reals("legacy", -3, 3))], 2: corners("legacy"), **dict(enumerate(pack64(
        squares(F64, "legacy64", (-200, 200))), 4))})
def wave_legacy(c):
    def one(b0, b1, n, d):
        x, y = float32(b0), float32(b1)
        nan = math.isnan(y)

        def product():
            return 0.0 if x == 0 or y == 0 else single(x * y)

        def plus(z):
            return QUIET if nan and (x or z is y) else bits32(single(product() + z))

        def reciprocal(fmt, bits, root, zero):
            if bits & fmt.sign - 1 == 0:
                return zero | (0 if root else bits)
            value = 1 / fmt.value(bits)
            return fmt.bits(Fraction(2) ** (Fraction(math.log2(abs(value))) / 2) if root else value)
        shift = b0 >> 23 & 31
        lit = F32.sign | MAX32 if x <= 0 or nan or b1 == F32.sign | MAX32 else bits32(product())
        wide = i32(b0) * i32(n)
        out = [b0 if x < y else b1, b0 if x >= y else b1, plus(y), plus(x), reciprocal(F32, b0, False, MAX32),
               reciprocal(F32, b0, False, 0), reciprocal(F32, b0, True, MAX32), reciprocal(F32, b0, True, 0),
               bits32(math.log2(abs(x))) if x else F32.sign | MAX32, lit, *split(reciprocal(F64, d, False, MAX64)),
               *split(reciprocal(F64, d, True, MAX64)), n << shift, n >> shift, i32(n) >> shift]
        high = d - (d >> 63 << 64) >> (b0 >> 23 & 63)
        return out, (*split(high & MASK64), wide & MASK32, wide >> 32), bits32(max(1.0, abs(x)))
    done = [one(b0, b1, n, d) for (b0, b1, n), d in zip(per_lane(c, 0, 1, 2), pairs(c, 4))]
    out = {**columns(6, [d[0] for d in done]), **columns(24, [d[1] for d in done])}
    return out | (vector(3, [d[2] for d in done]) if c.generation >= 11 else {})


# --- binary64 ----------------------------------------------------------------------

def reciprocal_of_two_pi(bits):
    """floor(2^bits / (2 pi)), by Machin's formula."""
    guard = bits + 64

    def arctan_inverse(n):
        total, power, k = 0, (1 << guard) // n, 1
        while power:
            total += power // k if k % 4 == 1 else -(power // k)
            power //= n * n
            k += 2
        return total
    two_pi = 8 * (4 * arctan_inverse(5) - arctan_inverse(239))
    return (1 << guard + bits) // two_pi


TURN_BITS = 1300
TURN = reciprocal_of_two_pi(TURN_BITS)
assert abs(TURN / 2**TURN_BITS - 1 / (2 * math.pi)) < 1e-15


def turns(bits):
    """x / (2 pi) modulo 1 as 64 bits: 24 that the result shows, and 40 more."""
    return int(F64.value(bits) * TURN * 2**64 / 2**TURN_BITS) & MASK64


def angles():
    r, out = random.Random("angles"), [bits64(1e22), bits64(1e300), bits64(2.0**1023), bits64(355.0), bits64(2.0**945)]
    while len(out) < 64:
        x = r.randrange(bits64(1.0), F64.infinity)
        if 2**24 < turns(x) % 2**40 < 2**40 - 2**24:     # not next to a multiple of 2^-24
            out.append(x)
    return out


@program("wave-trig-preop", vgpr=dict(enumerate(pack64(angles()))))
def wave_trig_preop(c):
    return vector(2, [turns(x) >> 40 for x in pairs(c, 0)])


def near_integers(seed):
    r = random.Random(seed)
    edges = [0.0, -0.0, 0.5, -0.5, 1.5, -1.5, 2.5, -2.5, 5e-324, -5e-324, 0.49999999999999994, -0.49999999999999994,
             -1e-20, 3.0, -7.0]
    return [bits64(x) for x in edges + [r.choice((1, 1e-3, 1e-9)) * r.uniform(-5e5, 5e5) for _ in range(49)]]


@program("wave-round-f64", vgpr=dict(enumerate(pack64(near_integers("a")) + pack64(near_integers("b")[::-1]))))
def wave_round_f64(c):
    def one(b, d):
        x, y = float64(b), float64(d)
        value = Fraction(x)

        def integer(n):
            return F64.bits(n, zero=b >> 63)
        whole = [math.floor(value), math.ceil(value), math.trunc(value), round(value)]
        smaller, larger = sorted((b, d), key=lambda v: (float64(v), -(v >> 63)))
        out = [*map(integer, whole), min(F64.bits(value - whole[0]), 0x3FEFFFFFFFFFFFFF), smaller, larger,
               F64.bits(abs(whole[3]))]
        return [word for v in out for word in split(v)]
    return columns(4, [one(*row) for row in zip(pairs(c, 0), pairs(c, 2))])


# --- integers ----------------------------------------------------------------------

@program("wave-fixed64", sgpr={8: 0x12345678, 9: 0x87654321, 10: 0x7FFFFFFF, 11: 0x80000000},
         vgpr={n: corners(f"fixed {n}") for n in range(4)})
def wave_fixed64(c):
    def by_bytes(f, *numbers):
        return int.from_bytes(bytes(f(*b) for b in zip(*(n.to_bytes(4, "little") for n in numbers))), "little")

    def average(x, y):
        return by_bytes(lambda a, b: (a + b) // 2, x, y)

    def one(row):
        taps = [i32(c.s(8 + n)) for n in range(4)]
        total = sum(i32(x) * t for x, t in zip(row, taps))
        total = (total + 2**63) % 2**64 - 2**63
        strip, block = (row[0] | row[1] << 32).to_bytes(8, "little"), row[2].to_bytes(4, "little")
        places = [sum(abs(strip[k + j] - b) for j, b in enumerate(block) if b) for k in range(4)]
        return [*split(total & MASK64), total >> 20, sum(i32(x) * t >> 32 for x, t in zip(row, taps)),
                by_bytes(lambda a, b, up: (a + b + (up & 1)) // 2, *row[:3]),
                average(average(row[0], row[1]), average(row[2], row[3]))], places, [
                    p + 1 + k for k, p in enumerate(places)]
    done = [one(row) for row in per_lane(c, 0, 1, 2, 3)]
    return {**columns(4, [d[0] for d in done]), **columns(12, [d[1] for d in done]),
            **columns(16, [(a | b << 16, e | f << 16) for *_, (a, b, e, f) in done])}


@program("wave-tiling", sgpr={0: 37, 1: 0x10000003}, vgpr={
    0: [x | y << 16 for x, y in zip(draws("tile x", 0, 1024), draws("tile y", 0, 1024))],
    1: corners("tile 1"), 2: corners("tile 2")})
def wave_tiling(c):
    pitch, base = c.s(0), c.s(1)

    def one(xy, a, b):
        x, y = xy & 0xFFFF, xy >> 16
        inside = y % 8 * 8 + x % 8
        address = base + 4 * ((y // 8 * pitch + x // 8) * 64 + inside)
        signed = sorted((half(a, 0), half(a, 1), half(b, 0)))
        unsigned = sorted((a & 0xFFFF, b & 0xFFFF, b >> 16))
        mad = half(a, 0) * half(b, 0) + half(b, 1)
        return [address, (((x + y << 7) ^ xy) & MASK32) + x, (x | y | base) // 8 * 8, *(v & 0xFFFF for v in signed),
                *unsigned, (a & 0xFFFF) * (b >> 16) + base,
                limit(half(a, 0), 0, 255) | limit(half(a, 1), 0, 255) << 8, xy & 0xFFFF0000 | mad & 0xFFFF,
                (a ^ b) + xy, int(xy < a)]
    return columns(3, [one(*row) for row in per_lane(c, 0, 1, 2)])


# --- binary16, across a quad, and halves -------------------------------------------

@program("wave-half", vgpr={0: draws("half q", 1, 61), 1: draws("half d", 1, 31),
                            2: [x & 0xFFFF for x in corners("half a")], 3: [x & 0xFFFF for x in corners("half b")],
                            4: [F16.bits(Fraction(n or 7, 16)) for n in draws("half x", -1600, 1600)]})
def wave_half(c):
    def one(q, d, a, b, bits):
        x, low = F16.value(bits), d & 3
        sa = half(a, 0)

        def integer(n):
            return F16.bits(n, zero=x < 0)
        power = Fraction(2) ** ((d & 7) - 4)
        sine, cosine = ((0, 1, 0, -1)[(low + k) % 4] for k in (0, 1))
        return [*map(F16.bits, (q, q, 1 / Fraction(2) ** (d & 7), power, (d & 7) - 4)),
                *map(integer, (math.floor(x), math.ceil(x), math.trunc(x))), F16.bits(sa), F16.bits(a),
                max(0, math.trunc(x)), sa >> 3 & 0xFFFF, a >> 3, a * b & 0xFFFF, a * b + a & 0xFFFF, min(a, b),
                max(a, b),
                *map(F16.bits, (min(x, q), max(x, q), x * 2**low, sine, cosine, Fraction(1, 2**low)))]
    return columns(5, [one(*row) for row in per_lane(c, 0, 1, 2, 3, 4)])


@program("wave-derivatives", vgpr={0: reals("pixels", -100, 100), 1: lanes("texels", 0, MASK32), 2: [
    a | b << 16 for a, b in zip(halves("derivative a", -30, 30), halves("derivative b", -30, 30))]})
def wave_derivatives(c):
    x = [float32(b) for b in c.v[0]]

    def one(lane):
        quad = x[lane & ~3:][:4]
        across = single(quad[lane & 2 | 1] - quad[lane & 2])
        down = single(quad[lane & 1 | 2] - quad[lane & 1])
        total = single(single(quad[0] + quad[1]) + single(quad[2] + quad[3]))
        texel = [(b ^ 128) - 128 for b in c.v[1][lane].to_bytes(4, "little")]
        low, high = F16.value(c.v[2][lane] & 0xFFFF), F16.value(c.v[2][lane] >> 16)
        other = single(x[lane & ~15 | lane - 2 & 15] - x[lane]) if lane & 1 else 0.0
        return [*map(bits32, (across, down, single(abs(across) + abs(down)), total, texel[1] * texel[3] + 0.0
                              if texel[1] * texel[3] or (texel[1] >= 0 and texel[3] >= 0) else -0.0)),
                F16.bits(low - high) << 16 | F16.bits(max(abs(low), abs(high))), F32.bits(high), bits32(other)]
    return columns(3, map(one, LANES))


def signed_halves(seed):
    r = random.Random(seed)
    return [sum(F16.bits(Fraction(r.choice((-1, 1)) * r.uniform(0.125, 0.9))) << s for s in (0, 16)) for _ in LANES]


@program("wave-half3", vgpr={0: signed_halves("three a"), 1: signed_halves("three b")})
def wave_half3(c):
    def one(a, b):
        p, q, r, s = (F16.value(v) for v in (a & 0xFFFF, a >> 16, b & 0xFFFF, b >> 16))
        least, middle, most = map(F16.bits, sorted((p, q, r)))
        signed, unsigned = ([round(limit(v, low, 1) * scale) & 0xFFFF for v in (p, s)]
                            for low, scale in ((-1, 32767), (0, 65535)))
        integer = (a & 0xFFFF) * (b & 0xFFFF) + (a & 0xFFFF) & 0xFFFF
        return [least, middle, most, a >> 16 | ((b ^ 0x8000) & 0xFFFF) << 16, signed[0] | signed[1] << 16,
                unsigned[0] | unsigned[1] << 16, signed[0], unsigned[0], middle << 16 | b & 0xFFFF,
                F16.bits(p * r + p), F16.bits(F16.value(F16.bits(p * r)) + p), integer, integer]
    return columns(2, [one(*row) for row in per_lane(c, 0, 1)])


# --- pixels ------------------------------------------------------------------------

@program("wave-tonemap", sgpr=dict(enumerate(map(bits32, (0.2126, 0.7152, 0.0722)))),
         vgpr={n: [*map(bits32, (0.0, 1.0, 0.5, 2.0)), *reals(f"tone {n}", -0.1, 1.2)[4:]] for n in range(3)})
def wave_tonemap(c):
    def one(row):
        rgb = [F32.value(b) for b in row]
        r, g, b = (x * F32.value(c.s(n)) for n, x in enumerate(rgb))

        def rounded(x):
            return F32.value(F32.bits(x))
        luma = rounded(rounded(r) + rounded(g))
        luma = rounded(luma + (b if c.generation > 14 else rounded(b)))
        bright = rounded(rounded(luma * Fraction(3, 2)) + Fraction(1, 4))
        moved = min(rounded(rgb[0] - luma), Fraction(3, 4))
        packed = int.from_bytes(bytes(limit(round(rounded(255 * x)), 0, 255) for x in (*rgb, bright)), "little")
        square = (packed & 0xFFFFFF) ** 2 & MASK32
        out = [*map(F32.bits, (luma, bright, moved)), packed, square]
        if c.generation >= 14:
            out += [sum((max(half(packed, n), half(square, n)) & 0xFFFF) << 16 * n for n in (0, 1)),
                    sum(min(half(packed, n, False), half(square, n, False)) << 16 * n for n in (0, 1))]
        return out
    return columns(3, [one(row) for row in per_lane(c, 0, 1, 2)])
