"""What the programs wave-* on floats compute, as plain algorithms (see programs.py).

Exact values are Fractions, and a result is rounded once from its exact value by `Binary`.
Where Python's own float does the same (binary64 to nearest, binary32 through it), it is used.
"""

import math
import random
import struct
from fractions import Fraction

from programs import MASK32, i32, mask, pack64, program, wide
from wave_bytes import limit
from wave_integers import LANES, columns, draws, pairs, per_lane, vector, wide_vector

EVEN, UP, DOWN, ZERO = range(4)


class Binary:
    """An IEEE 754 format: bit patterns to exact values and back."""

    def __init__(self, width, fraction):
        self.width, self.fraction = width, fraction
        self.sign = 1 << width - 1
        self.infinity = self.sign - (1 << fraction)
        self.least = 2 - (1 << width - fraction - 2)            # the exponent of the smallest normal number

    def value(self, bits):
        """The exact value of a finite number."""
        size = bits & self.sign - 1
        assert size < self.infinity, hex(bits)
        exponent, fraction = size >> self.fraction, size & (1 << self.fraction) - 1
        if exponent:
            fraction += 1 << self.fraction
        x = fraction * Fraction(2) ** (max(exponent, 1) - 1 + self.least - self.fraction)
        return -x if bits & self.sign else x

    def bits(self, x, mode=EVEN, zero=0):
        """The nearest number in a rounding mode; `zero` is the sign bit of a zero."""
        x = Fraction(x)
        if x == 0:
            return self.sign * zero
        size, sign = abs(x), self.sign * (x < 0)
        exponent = size.numerator.bit_length() - size.denominator.bit_length()
        if size < Fraction(2) ** exponent:
            exponent -= 1
        exponent = max(exponent, self.least)
        step = Fraction(2) ** (exponent - self.fraction)
        count, rest = divmod(size, step)
        if mode == EVEN:
            away = 2 * rest > step or 2 * rest == step and count % 2 == 1
        else:
            away = rest > 0 and mode == (DOWN if x < 0 else UP)
        bits = (exponent - self.least << self.fraction) + int(count) + away
        if bits >= self.infinity:
            bits = self.infinity - (mode not in (EVEN, DOWN if x < 0 else UP))
        return sign | bits


F16, F32, F64 = Binary(16, 10), Binary(32, 23), Binary(64, 52)


def single(x):
    """A binary64 number rounded to binary32.

    If it is the sum, product or quotient of two binary32 numbers, the double rounding does no harm.
    """
    return struct.unpack("<f", struct.pack("<f", x))[0]


def bits32(x):
    return struct.unpack("<I", struct.pack("<f", x))[0]


def float32(bits):
    return struct.unpack("<f", struct.pack("<I", bits))[0]


def bits64(x):
    return struct.unpack("<Q", struct.pack("<d", x))[0]


def float64(bits):
    return struct.unpack("<d", struct.pack("<Q", bits))[0]


def reals(seed, low, high):
    """Random binary32 numbers as bits."""
    r = random.Random(seed)
    return [bits32(r.uniform(low, high)) for _ in LANES]


def wild(fmt, seed, specials=(), signed=True):
    """Numbers of all exponents, zeros, denormals and the special ones given."""
    r = random.Random(seed)
    edges = [0, 1, (1 << fmt.fraction) - 1, 1 << fmt.fraction, fmt.infinity - 1, fmt.bits(1), fmt.bits(1) - 1,
             fmt.bits(3), fmt.bits(Fraction(1, 3)), *specials]
    out = [r.choice(edges) if r.random() < 0.4 else r.randrange(fmt.infinity) for _ in LANES]
    return [x | (fmt.sign if signed and r.random() < 0.5 else 0) for x in out]


# --- iteration ---------------------------------------------------------------------

@program("wave-mandelbrot", sgpr={1: 60})
def wave_mandelbrot(c):
    def one(lane):
        re = single(single((lane & 7) * single(0.35)) + single(-1.92))
        im = single(single((lane >> 3) * single(0.3)) + single(-1.1))
        x = y = 0.0
        for n in range(c.s(1) + 1):
            xx, yy = single(x * x), single(y * y)
            if n == c.s(1) or single(xx + yy) > 4:
                return x, y, n
            x, y = single(single(xx - yy) + re), single(2 * single(x * y) + im)
            assert min(abs(x), abs(y)) > 1e-18             # nothing is near the denormals
    done = [one(lane) for lane in LANES]
    return {**columns(0, [(bits32(x), bits32(y), n) for x, y, n in done]), 1: c.s(1)}


@program("wave-julia", sgpr={1: 80, **wide(2, bits64(-0.8)), **wide(4, bits64(0.156)), **wide(6, bits64(0.37))})
def wave_julia(c):
    re, im, distance = (float64(c.pair(n)) for n in (2, 4, 6))

    def one(lane):
        x, y = ((lane & 7) - 4.0) * distance, ((lane >> 3) - 4.0) * distance
        for n in range(c.s(1) + 1):
            if n == c.s(1) or x * x + y * y > 4:
                return x, y, n
            x, y = x * x - y * y + re, 2 * (x * y) + im
    done = [one(lane) for lane in LANES]
    return {**vector(2, [n for *_, n in done]), **wide_vector(4, [bits64(x) for x, *_ in done]),
            **wide_vector(6, [bits64(y) for _, y, _ in done])}


def unit_quaternions(seed):
    r, out = random.Random(seed), []
    for _ in LANES:
        q = [r.gauss(0, 1) for _ in range(4)]
        out.append([bits32(x / math.hypot(*q)) for x in q])
    return [list(column) for column in zip(*out)]


@program("wave-quaternion", sgpr={0: 40}, vgpr=dict(enumerate(unit_quaternions("q") + unit_quaternions("r"))))
def wave_quaternion(c):
    def chain(*terms):
        total = None
        for a, b in terms:
            product = single(a * b)
            total = product if total is None else single(total + product)
            assert total == 0 or abs(total) > 1e-36 and abs(product) > 1e-36
        return total

    def one(row):
        row = [float32(x) for x in row]
        (w, x, y, z), (rw, rx, ry, rz) = row[:4], row[4:]
        for _ in range(c.s(0)):
            w, x, y, z = (chain((w, rw), (-x, rx), (-y, ry), (-z, rz)), chain((w, rx), (x, rw), (y, rz), (z, -ry)),
                          chain((w, ry), (x, -rz), (y, rw), (z, rx)), chain((w, rz), (x, ry), (-y, rx), (z, rw)))
        return (w, x, y, z, chain((w, w), (x, x), (y, y), (z, z)), single(1 - 2 * chain((y, y), (z, z))))
    done = [list(map(bits32, one(row))) for row in per_lane(c, *range(8))]
    return {**columns(0, [d[:4] for d in done]), **columns(8, [d[4:] for d in done])}


# --- division and roots ------------------------------------------------------------

def quotient(fmt, n, d):
    """n / d of bit patterns, exactly rounded; NaN operands are quiet."""
    quiet = fmt.infinity | 1 << fmt.fraction - 1
    size_n, size_d = n & fmt.sign - 1, d & fmt.sign - 1
    sign = (n ^ d) & fmt.sign
    for x, size in ((n, size_n), (d, size_d)):
        if size > fmt.infinity:
            return x
    if size_n == size_d and size_n in (0, fmt.infinity):
        return quiet | fmt.sign
    if size_n == fmt.infinity or size_d == 0:
        return sign | fmt.infinity
    if size_d == fmt.infinity:
        return sign
    return fmt.bits(fmt.value(n) / fmt.value(d), zero=sign > 0)


def quotients(fmt, a, b):
    """a / b and b / a, lane by lane."""
    return [quotient(fmt, n, d) for n, d in zip(a, b)], [quotient(fmt, d, n) for n, d in zip(a, b)]


SPECIAL64 = (F64.infinity, F64.infinity | 1 << 51 | 77)
SPECIAL32 = (F32.infinity, F32.infinity | 1 << 22 | 77)


@program("wave-div-f64", vgpr=dict(enumerate(
    pack64(wild(F64, "n", SPECIAL64)) + pack64(wild(F64, "d", SPECIAL64)))))
def wave_div_f64(c):
    there, back = quotients(F64, pairs(c, 0), pairs(c, 2))
    return {**wide_vector(4, there), **wide_vector(6, back)}


@program("wave-div-f32", mode=0x3F0, vgpr={0: wild(F32, "n", SPECIAL32), 1: wild(F32, "d", SPECIAL32)})
def wave_div_f32(c):
    there, back = quotients(F32, c.v[0], c.v[1])
    return {**vector(2, there), **vector(3, back), "mode": 0x3F0}


@program("wave-sqrt-f64", vgpr=dict(enumerate(pack64(
    [F64.sign, F64.infinity, 0] + wild(F64, "root", signed=False)[3:]))))
def wave_sqrt_f64(c):
    return wide_vector(2, [bits64(math.sqrt(float64(x))) for x in pairs(c, 0)])


# --- binary16 ----------------------------------------------------------------------

def halves(seed, low, high):
    r = random.Random(seed)
    return [F16.bits(Fraction(r.uniform(low, high))) for _ in LANES]


def fused16(a, b, c):
    return F16.value(F16.bits(a * b + c))


COEFFICIENTS = [(0.5, -1.25), (1.0, 0.75), (-0.25, 2.5), (0.125, -0.5), (-1.5, 0.0625), (0.75, 0.3)]


def packed16(low, high):
    return F16.bits(Fraction(low)) | F16.bits(Fraction(high)) << 16


@program("wave-pk-f16", sgpr={**{n: packed16(*pair) for n, pair in enumerate(COEFFICIENTS)}, 6: packed16(0.125, 3)},
         vgpr={0: [a | b << 16 for a, b in zip(halves("pk a", -1.6, 1.6), halves("pk b", -1.6, 1.6))]})
def wave_pk_f16(c):
    def polynomial(x, h):
        total = F16.value(c.s(5) >> 16 * h & 0xFFFF)
        for n in (4, 3, 2, 1, 0):
            total = fused16(total, x, F16.value(c.s(n) >> 16 * h & 0xFFFF))
        return total

    def one(x):
        low, high = F16.value(x & 0xFFFF), F16.value(x >> 16)
        out = [polynomial(low, 0), polynomial(high, 1)], [polynomial(high, 0), polynomial(low, 0)]
        less = [F16.value(F16.bits(a - b)) for a, b in zip(*out)]
        scaled = [limit(F16.value(F16.bits(x * y)), 0, 1) for x, y in zip(less, (Fraction(1, 8), 3))]
        return [packed16(*pair) for pair in (*out, less, scaled, map(min, *out), map(max, *out))]
    return columns(1, map(one, c.v[0]))


@program("wave-horner-f16", sgpr={n: F16.bits(Fraction(x)) for n, x in enumerate((2.3, -1.7, 3.1, 0.4, -0.9, 0.25))},
         vgpr={0: reals("horner", -3, 3)})
def wave_horner_f16(c):
    def unfused(a, b, d):
        product = F16.value(F16.bits(a * b))
        total = F16.value(F16.bits(product + d))
        assert all(x == 0 or abs(x) >= Fraction(2) ** -14 for x in (product, total))
        return total

    def one(bits):
        v1 = F16.bits(F32.value(bits))
        x = F16.value(v1)
        fused = rounded = F16.value(c.s(5))
        for n in (4, 3, 2, 1, 0):
            fused, rounded = (f(t, x, F16.value(c.s(n))) for f, t in ((fused16, fused), (unfused, rounded)))
        inline = unfused(unfused(Fraction(3, 2), x, Fraction(-3, 4)), x, Fraction(3))
        inline = F16.value(F16.bits(unfused(inline, Fraction(1), fused) - fused))
        mantissa, exponent = math.frexp(fused)
        fraction = min(F16.bits(fused - math.floor(fused)), 0x3BFF)
        return (v1, F16.bits(fused), F16.bits(rounded), F16.bits(inline), F32.bits(fused),
                F16.bits(Fraction(round(fused)), zero=fused < 0), int(fused) & 0xFFFF, fraction, exponent & 0xFFFF,
                F16.bits(Fraction(mantissa)))
    return columns(1, map(one, c.v[0]))


@program("wave-mix", vgpr={**{n: [a | b << 16 for a, b in zip(halves(f"mix a{n}", -9, 9), halves(f"mix b{n}", -9, 9))]
                              for n in range(8)}, 8: reals("mix", -20, 20)})
def wave_mix(c):
    def one(row):
        start = total = F32.value(row[8])
        for n in range(4):
            for h in (0, 16):
                product = F16.value(row[n] >> h & 0xFFFF) * F16.value(row[4 + n] >> h & 0xFFFF)
                assert F32.value(F32.bits(product)) == product
                total = F32.value(F32.bits(total + product))
        out = []
        for x in (total / 16 + start, start - abs(total)):
            # unfused: rounded to binary32 first; fused: once
            out.append(F16.bits(x if c.generation > 14 else F32.value(F32.bits(x))))
        return F32.bits(total), out[0] | out[1] << 16
    return columns(9, map(one, per_lane(c, *range(9))))


# --- graphics ----------------------------------------------------------------------

def directions():
    r = random.Random("cube")
    out = []
    for _ in LANES:
        major = r.choice((-1, 1)) * 2.0 ** r.randrange(-3, 4)
        direction = [abs(major) * r.randrange(-16, 17) / 16 for _ in range(3)]
        direction[r.randrange(3)] = major
        out.append([bits32(x + 0.0) for x in direction])
    return {n: list(column) for n, column in enumerate(zip(*out))}


@program("wave-cube", vgpr=directions())
def wave_cube(c):
    def one(row):
        x, y, z = (float32(v) for v in row)
        # the faces of a cube map: right-handed, as the graphics interfaces define them
        if abs(z) >= max(abs(x), abs(y)):
            face, s, t, major = (5, -x, -y, z) if z < 0 else (4, x, -y, z)
        elif abs(y) >= abs(x):
            face, s, t, major = (3, x, -z, y) if y < 0 else (2, x, z, y)
        else:
            face, s, t, major = (1, z, -y, x) if x < 0 else (0, -z, -y, x)
        return face, s / (2 * abs(major)) + 1.5, t / (2 * abs(major)) + 1.5, 2 * major
    done = [one(row) for row in per_lane(c, 0, 1, 2)]
    faces = [d[0] for d in done]
    return {**columns(3, [list(map(bits32, d)) for d in done]), **vector(7, [faces.count(f) for f in faces])}


def medians():
    r = random.Random("median")
    return {n: [r.getrandbits(1) << 31 | r.randrange(0x00800000, 0x7F800000) for _ in LANES] for n in range(9)}


@program("wave-median", vgpr=medians())
def wave_median(c):
    return columns(9, [[sorted(row, key=key)[4] for key in (i32, int, float32)] for row in per_lane(c, *range(9))])


# --- taking apart and converting ---------------------------------------------------

@program("wave-frexp", mode=0x3F0, vgpr={0: wild(F32, "frexp"), 4: [x & MASK32 for x in (
    draws("small", -40, 40)[:32] + draws("large", -1300, 1300)[32:])],
    **dict(enumerate(pack64(wild(F64, "frexp64")), 2))})
def wave_frexp(c):
    def apart(fmt, bits):
        if bits & fmt.sign - 1 == 0:
            return bits, 0
        x = fmt.value(bits)
        exponent = abs(x).numerator.bit_length() - abs(x).denominator.bit_length() + 1
        while abs(x) < Fraction(2) ** (exponent - 1):
            exponent -= 1
        return fmt.bits(x / Fraction(2) ** exponent), exponent

    def scaled(fmt, bits, n):
        return fmt.bits(fmt.value(bits) * Fraction(2) ** n, zero=bits >= fmt.sign)
    single_, double, add = c.v[0], pairs(c, 2), list(map(i32, c.v[4]))
    narrow, long = [apart(F32, x) for x in single_], [apart(F64, x) for x in double]
    for bits, (mantissa, exponent) in zip(double, long):
        assert (float64(mantissa), exponent) == math.frexp(float64(bits))
    return {**columns(5, narrow), **vector(7, [e for _, e in long]), **wide_vector(8, [m for m, _ in long]),
            **vector(10, [scaled(F32, x, n) for x, n in zip(single_, add)]),
            **wide_vector(12, [scaled(F64, x, n) for x, n in zip(double, add)]), **vector(1, [1] * 64)}


def convert_inputs():
    r = random.Random("convert")
    numbers = [0.5, -0.5, 1.5, 2.5, -1.5, -2.5, 0.49999997, -0.0, 2147483520.0, 2147483648.0, -2147483648.0,
               4294967040.0, 4294967296.0, -1.0, math.inf, -math.inf, 65519.0, 65520.0, 1e-7, -1e-5]
    numbers += [r.uniform(-1, 1) * 2.0 ** r.randrange(0, 34) for _ in range(64 - len(numbers))]
    doubles = [0.5, -0.5, 2147483647.5, -2147483648.5, 4294967295.5, -0.75, 1e-45, 1e39, -1e300, 1e-40, 16777217.0,
               16777219.0, 0.1, -2147483649.0]
    doubles += [r.uniform(-1, 1) * 2.0 ** r.randrange(-20, 40) for _ in range(64 - len(doubles))]
    units = [1.0, -1.0, 0.5, -0.5, 1.25, -1.5, 0.0, 6e-8, 2.9802322e-8, 5e-6, 0.01250000018626451]
    units += [r.uniform(-1.5, 1.5) for _ in range(64 - len(units))]
    integers = [0, 1, 0x7FFFFFFF, 0x80000000, MASK32, 0x00FFFFFF, 0x01000001, 0x01000003, 0xFF7FFFFF, 0xFEFFFFFF,
                0x8000, 0x7FFF, 0xFFFF8000, 0xFFFF7FFF]
    integers += [r.getrandbits(r.randrange(1, 33)) for _ in range(64 - len(integers))]
    return {0: list(map(bits32, numbers)), 1: list(map(bits32, units)), 4: integers,
            **dict(enumerate(pack64(list(map(bits64, doubles))), 2))}


@program("wave-convert", mode=0x3F0, vgpr=convert_inputs())
def wave_convert(c):
    def to_int(x, rounding, low, high):
        if math.isinf(x):
            return high if x > 0 else low
        return limit(rounding(Fraction(x)), low, high)

    signed, unsigned = (-2**31, 2**31 - 1), (0, MASK32)

    def toward_zero(x):
        return (F16.sign if x < 0 else 0) | F16.infinity if math.isinf(x) else F16.bits(
            Fraction(x), ZERO, math.copysign(1, x) < 0)

    def one(b0, b1, d, n):
        x, u = float32(b0), float32(b1)
        s = i32(n)
        unit16 = F16.bits(Fraction(u))
        u = Fraction(u)
        product = Fraction(single(float(u) * 200))
        out = [to_int(x, int, *signed), to_int(x, int, *unsigned), to_int(d, int, *signed), to_int(d, int, *unsigned),
               to_int(x, math.floor, *signed), to_int(x, lambda v: math.floor(v + Fraction(1, 2)), *signed),
               F32.bits(s), F32.bits(n), *split(F64.bits(s)), *split(F64.bits(n)),
               *(F32.bits(b) for b in n.to_bytes(4, "little")), F32.bits(Fraction((n & 15 ^ 8) - 8, 16)),
               F32.bits(Fraction(d)), *split(bits64(x)), unit16, F32.bits(F16.value(unit16)),
               toward_zero(float(u)) | toward_zero(x) << 16,
               sum((round(limit(v, -1, 1) * 32767) & 0xFFFF) << 16 * k for k, v in enumerate((u, -u))),
               sum(round(limit(v, 0, 1) * 65535) << 16 * k for k, v in enumerate((u, -u))),
               min(n, 0xFFFF) | min(n >> 9, 0xFFFF) << 16,
               sum((limit(v, -2**15, 2**15 - 1) & 0xFFFF) << 16 * k for k, v in enumerate((s, s >> 9))),
               n & 0xFF00FFFF | limit(round(product), 0, 255) << 16]
        return out
    doubles = [float64(x) for x in pairs(c, 2)]
    return columns(8, [one(b0, b1, d, n) for (b0, b1, n), d in zip(per_lane(c, 0, 1, 4), doubles)])


def split(x):
    return x & MASK32, x >> 32


@program("wave-rounding", vgpr={0: reals("round a", -3, 3), 1: reals("round b", -1, 1), **dict(enumerate(pack64(
    [bits64(random.Random(f"round {k}").uniform(-5, 5)) for k in range(128)][:64]) + pack64(
    [bits64(random.Random(f"round {k}").uniform(-5, 5)) for k in range(64, 128)]), 2))})
def wave_rounding(c):
    out = {}
    x, y, d, e = [F32.value(b) for b in c.v[0]], [F32.value(b) for b in c.v[1]], *(
        [F64.value(b) for b in pairs(c, n)] for n in (2, 4))
    for mode in range(4):
        def exact(fmt, value):
            return fmt.value(fmt.bits(value, mode))
        out |= vector(8 + mode, [F32.bits(exact(F32, a * b) + a, mode) for a, b in zip(x, y)])
        out |= vector(12 + mode, [F32.bits(a * b + a, mode) for a, b in zip(x, y)])
        out |= wide_vector(16 + 2 * mode, [F64.bits(a * b + exact(F64, a * b), mode) for a, b in zip(d, e)])
        out |= vector(24 + mode, [F32.bits(a, mode) for a in d])
    for n, rounding in enumerate((round, math.ceil, math.floor, int)):
        out |= vector(28 + n, [F32.bits(rounding(a * 1024), zero=a < 0) for a in x])
    return out


@program("wave-modifiers", mode=0x1C0, vgpr={
    0: [0, 0x80000000, 0, bits32(1.5), bits32(-2.0)] + reals("modifiers x", -2, 2)[5:],
    1: [0, 0x80000000, bits32(-0.5), bits32(-1.5), 0] + reals("modifiers y", -2, 2)[5:]})
def wave_modifiers(c):
    def scale(x, factor):
        return bits32(single(x) * factor + 0.0)     # + 0.0: a zero gets the sign +

    def clamp(x):
        return bits32(limit(single(x), 0.0, 1.0) + 0.0)

    def one(b0, b1):
        x, y = float32(b0), float32(b1)
        product = single(-abs(x) * y)
        legacy = 0.0 if x == 0 or y == 0 else x * y
        larger = abs(x) if abs(x) > -y else -y
        return (scale(x + y, 2), scale(x - y, 4), scale(x * y, 0.5), clamp(abs(x) - abs(y)),
                bits32(single(product + x)), clamp(single(x + y) / 2),
                b0 ^ F32.sign if y < 0 else b1 & ~F32.sign, scale(larger, 2), bits32(legacy))
    return {**columns(2, [one(*row) for row in per_lane(c, 0, 1)]),
            "vcc": mask([float32(y) < 0 for y in c.v[1]]), "mode": 0x1C0}


# --- transcendental functions ------------------------------------------------------

def fixed(x):
    """The eight results of an argument before rounding."""
    turn, y = 2 * math.pi * x, x + 4
    return [1024 * math.sin(turn), 1024 * math.cos(turn), 256 * 2**x, 4096 * math.log2(y), 4096 / y,
            1024 * math.sqrt(y), 4096 / math.sqrt(y), 256 * y**1.5]


def robust():
    """64 arguments whose results are not near the middle between two integers."""
    r, out = random.Random("transcend"), []
    while len(out) < 64:
        x = float32(bits32(r.uniform(-3.5, 4)))
        x = round(x * 65536) / 65536                # so that x + 4 is exact
        if all(abs(abs(v - math.floor(v)) - 0.5) > 0.02 for v in fixed(x)):
            out.append(bits32(x))
    return out


@program("wave-transcend", vgpr={0: robust()})
def wave_transcend(c):
    return columns(1, [[round(v) for v in fixed(float32(x))] for x in c.v[0]])
