#!/usr/bin/env python3
"""Expected values for the float functions of the interpreter, from exact rational arithmetic.

    python3 crates/interp/src/float/tests/oracle.py > crates/interp/src/float/tests/exact.txt

Each line: function, MODE in hex, operands and result in hex. GCN 1.4 throughout. No operand is a NaN or infinite: the tables in
`special.rs` are about those.
"""
import random
from fractions import Fraction as Q
from math import isqrt

FORMATS = {"f16": (10, 15), "f32": (23, 127), "f64": (52, 1023)}  # fraction bits, bias
NEAREST, UP, DOWN, ZERO = range(4)
random.seed(14)


class Mode:
    """MODE[7:0] as it concerns one format."""

    def __init__(self, mode):
        self.mode = mode

    def round(self, fmt):
        return self.mode & 3 if fmt == "f32" else self.mode >> 2 & 3

    def keep_in(self, fmt):
        return self.mode >> (4 if fmt == "f32" else 6) & 1

    def keep_out(self, fmt):
        return self.mode >> (5 if fmt == "f32" else 7) & 1


def width(fmt):
    return {"f16": 16, "f32": 32, "f64": 64}[fmt]


def sign_bit(fmt):
    return 1 << width(fmt) - 1


def decode(bits, fmt):
    """(is negative, magnitude)"""
    p, bias = FORMATS[fmt]
    e, f = bits >> p & 2 * bias + 1, bits & (1 << p) - 1
    m = Q(f + (1 << p if e else 0)) * Q(2) ** (max(e, 1) - bias - p)
    return bits & sign_bit(fmt) != 0, m


def operand(bits, fmt, keep):
    negative, m = decode(bits, fmt)
    if not keep and m < Q(2) ** (1 - FORMATS[fmt][1]):
        m = Q(0)
    return negative, m


def signed(operand):
    return -operand[1] if operand[0] else operand[1]


def to_integer(m, negative, direction):
    floor = m.numerator // m.denominator
    rest = m - floor
    up = {
        NEAREST: rest > Q(1, 2) or rest == Q(1, 2) and floor % 2 == 1,
        UP: rest > 0 and not negative,
        DOWN: rest > 0 and negative,
        ZERO: False,
    }[direction]
    return floor + up


def exponent_of(m):
    """2^e <= m < 2^(e+1)"""
    e = m.numerator.bit_length() - m.denominator.bit_length()
    while Q(2) ** e > m:
        e -= 1
    while Q(2) ** (e + 1) <= m:
        e += 1
    return e


def encode(negative, m, fmt, direction, keep):
    """Rounds and flushes: the pattern."""
    p, bias = FORMATS[fmt]
    sign = sign_bit(fmt) if negative else 0
    if m == 0:
        return sign
    least = Q(2) ** (1 - bias)
    if m < least and not keep:
        unit = Q(2) ** (exponent_of(m) - p)
        if to_integer(m / unit, negative, direction) * unit < least:
            return sign
    unit = Q(2) ** (max(exponent_of(m), 1 - bias) - p)
    r = to_integer(m / unit, negative, direction) * unit
    if r >= Q(2) ** (bias + 1):
        infinite = direction == NEAREST or direction == (DOWN if negative else UP)
        return sign | (2 * bias + 1 << p) - (0 if infinite else 1)
    if r == 0:
        return sign
    e = max(exponent_of(r), 1 - bias)
    field = r / (Q(2) ** (e - p))
    assert field.denominator == 1
    return sign | (e + bias - 1 << p) + field.numerator


def result(exact, zero_negative, fmt, mode, rounding=None, keep=None):
    direction = mode.round(fmt) if rounding is None else rounding
    keep = mode.keep_out(fmt) if keep is None else keep
    negative = exact < 0 if exact else zero_negative
    return encode(negative, abs(exact), fmt, direction, keep)


def sum_zero_sign(a, b, direction):
    """The sign of a sum that is zero."""
    return a if a == b else direction == DOWN


def add(mode, fmt, a, b, negate=False):
    a, b = (operand(s, fmt, mode.keep_in(fmt)) for s in (a, b))
    if negate:
        b = (not b[0], b[1])
    zero = sum_zero_sign(a[0], b[0], mode.round(fmt))
    return result(signed(a) + signed(b), zero, fmt, mode)


def mul(mode, fmt, a, b):
    a, b = (operand(s, fmt, mode.keep_in(fmt)) for s in (a, b))
    return result(signed(a) * signed(b), a[0] != b[0], fmt, mode)


def fma(mode, fmt, a, b, c, keep_in=None, power=0):
    keep_in = mode.keep_in(fmt) if keep_in is None else keep_in
    a, b, c = (operand(s, fmt, keep_in) for s in (a, b, c))
    zero = sum_zero_sign(a[0] != b[0], c[0], mode.round(fmt))
    return result((signed(a) * signed(b) + signed(c)) * Q(2) ** power, zero, fmt, mode)


def mad(mode, fmt, a, b, c):
    a, b, c = (operand(s, fmt, False) for s in (a, b, c))
    product = result(signed(a) * signed(b), a[0] != b[0], fmt, mode, keep=False)
    p, bias = FORMATS[fmt]
    if product >> p & 2 * bias + 1 == 2 * bias + 1:
        return product
    t = operand(product, fmt, True)
    return result(signed(t) + signed(c), sum_zero_sign(t[0], c[0], mode.round(fmt)), fmt, mode, keep=False)


def ldexp(mode, fmt, a, n):
    n = (n ^ 1 << 31) - (1 << 31) if fmt != "f16" else (n & 0xFFFF ^ 1 << 15) - (1 << 15)
    a = operand(a, fmt, mode.keep_in(fmt))
    return result(signed(a) * Q(2) ** max(-5000, min(5000, n)), a[0], fmt, mode)


def fract(mode, fmt, a):
    v = signed(operand(a, fmt, mode.keep_in(fmt)))
    p, bias = FORMATS[fmt]
    return min(result(v - v.numerator // v.denominator, False, fmt, mode), (bias << p) - 1)


def integral(direction):
    def of(mode, fmt, a):
        a = operand(a, fmt, mode.keep_in(fmt))
        return encode(a[0], Q(to_integer(a[1], a[0], direction)), fmt, ZERO, True)

    return of


def root_digits(v):
    """floor(sqrt(v) * 2^k), k, and whether that is exact."""
    k = 200 + max(0, -exponent_of(v))
    scaled = v * Q(4) ** k
    root = isqrt(scaled.numerator // scaled.denominator)
    return root, k, Q(root) ** 2 == scaled


def sqrt_of(v, fmt, mode, keep):
    """Half a last place more than the digits, if they do not end: rounding sees no difference."""
    root, k, exact = root_digits(v)
    return result((Q(root) if exact else Q(2 * root + 1, 2)) / Q(2) ** k, False, fmt, mode, NEAREST, keep)


def sqrt(mode, fmt, a):
    keep = fmt != "f32"
    a = operand(a & ~sign_bit(fmt), fmt, keep and mode.keep_in(fmt))
    return sqrt_of(a[1], fmt, mode, keep and mode.keep_out(fmt)) if a[1] else 0


def rsq(mode, fmt, a):
    keep = fmt != "f32"
    a = operand(a & ~sign_bit(fmt), fmt, keep and mode.keep_in(fmt))
    return sqrt_of(1 / a[1], fmt, mode, keep and mode.keep_out(fmt)) if a[1] else None


def rcp(mode, fmt, a):
    keep = fmt != "f32"
    a = operand(a, fmt, keep and mode.keep_in(fmt))
    return result(1 / signed(a), a[0], fmt, mode, NEAREST, keep and mode.keep_out(fmt)) if a[1] else None


def convert(mode, fmts, a, rounding=None):
    source, to = fmts
    a = operand(a, source, mode.keep_in(source))
    return result(signed(a), a[0], to, mode, rounding)


def integer(mode, fmt, a, direction, low, high):
    a = operand(a, fmt, mode.keep_in(fmt))
    v = to_integer(a[1], a[0], direction)
    return max(low, min(high, -v if a[0] else v)) & 0xFFFFFFFF


def rpi(mode, fmt, a):
    v = signed(operand(a, fmt, mode.keep_in(fmt))) + Q(1, 2)
    return max(-(1 << 31), min((1 << 31) - 1, v.numerator // v.denominator)) & 0xFFFFFFFF


def norm(mode, fmt, a, low, high):
    v = max(Q(low), min(Q(1), signed(operand(a, fmt, mode.keep_in(fmt))))) * high
    n = to_integer(abs(v), v < 0, NEAREST)
    return (-n if v < 0 else n) & 0xFFFF


def from_integer(mode, fmt, a, is_signed, bits):
    v = (a ^ 1 << bits - 1) - (1 << bits - 1) if is_signed else a
    return result(Q(v), False, fmt, mode)


def div_fmas(mode, fmt, a, b, c, post):
    p, bias = FORMATS[fmt]
    scale = {"f32": 64, "f64": 128}[fmt]
    up = c >> p & 2 * bias + 1 > bias
    return fma(mode, fmt, a, b, c, keep_in=True, power=(scale if up else -scale) if post else 0)


def mix_f16(mode, a, b, c):
    """One rounding, to binary16."""
    a, b, c = (operand(s, "f32", mode.keep_in("f32")) for s in (a, b, c))
    direction = mode.round("f16")
    return result(signed(a) * signed(b) + signed(c), sum_zero_sign(a[0] != b[0], c[0], direction), "f16", mode)


def mad_mix_f16(mode, a, b, c):
    s = mad(mode, "f32", a, b, c)
    if s >> 23 & 255 == 255:
        return None
    s = decode(s, "f32")
    return result(signed(s), s[0], "f16", mode, keep=0)


# Operands: near 1, near each other, near the ends of the range.
def number(fmt, spread=None):
    p, bias = FORMATS[fmt]
    f = random.choice([0, 1, 2, (1 << p) - 1, (1 << p) - 2, 1 << p - 1, random.getrandbits(p), random.getrandbits(p)])
    near = [bias + random.randint(-3, 3)] * 3 if spread is None else [bias + random.randint(-spread, spread)] * 8
    e = random.choice(near + [0, 0, 1, 2, 2 * bias, 2 * bias - 1, bias + p, bias + p + 1, bias - p, bias // 2, bias * 3 // 2])
    return random.getrandbits(1) << width(fmt) - 1 | e << p | f


def like(a, fmt):
    """A number close to the negative of another one."""
    p = FORMATS[fmt][0]
    other = (a ^ sign_bit(fmt)) + random.choice([-2, -1, 0, 1, 2, 1 << p, -(1 << p)])
    limit = sign_bit(fmt)
    return other if 0 <= other & (limit - 1) < (2 * FORMATS[fmt][1] + 1 << p) and 0 <= other < 2 * limit else a


def modes():
    """All directions in all four ways with denormals come up."""
    return random.getrandbits(4) | random.getrandbits(4) << 4


def cancel(fmt, a, b):
    """Close to the negative of a product."""
    m = Mode(0xF0)
    p = mul(m, fmt, a, b)
    return p if p >> FORMATS[fmt][0] & 2 * FORMATS[fmt][1] + 1 == 2 * FORMATS[fmt][1] + 1 else like(p, fmt)


def finite(bits, fmt):
    p, bias = FORMATS[fmt]
    return bits >> p & 2 * bias + 1 != 2 * bias + 1


def line(name, mode, operands, value):
    if value is not None:
        print(name, "%x" % mode, *("%x" % o for o in operands), "%x" % value)


def main():
    for fmt in FORMATS:
        for _ in range(24):
            mode = modes()
            m = Mode(mode)
            a, b, c = number(fmt), number(fmt), number(fmt)
            near = like(a, fmt) if random.getrandbits(1) else b
            line("add_" + fmt, mode, (a, near), add(m, fmt, a, near))
            line("mul_" + fmt, mode, (a, b), mul(m, fmt, a, b))
            near = cancel(fmt, a, b) if random.getrandbits(1) else c
            if not finite(near, fmt):
                near = c
            line("fma_" + fmt, mode, (a, b, near), fma(m, fmt, a, b, near))
            if fmt == "f64":
                continue
            line("mad_" + fmt, mode, (a, b, near), mad(m, fmt, a, b, near))
            line("sub_" + fmt, mode, (a, b), add(m, fmt, a, b, negate=True))
            line("subrev_" + fmt, mode, (a, b), add(m, fmt, b, a, negate=True))
        for _ in range(12):
            mode = modes()
            m = Mode(mode)
            a = number(fmt, spread=FORMATS[fmt][0])
            p = FORMATS[fmt][0]
            span = FORMATS[fmt][1]
            n = random.choice([0, 1, -1, span, -span, 2 * span, -2 * span, -span - p, random.randint(-2 * span, 2 * span), 1 << 30])
            line("ldexp_" + fmt, mode, (a, n & 0xFFFFFFFF), ldexp(m, fmt, a, n & 0xFFFFFFFF))
            line("fract_" + fmt, mode, (a,), fract(m, fmt, a))
            for name, direction in (("trunc", ZERO), ("ceil", UP), ("floor", DOWN), ("rndne", NEAREST)):
                line(f"{name}_{fmt}", mode, (a,), integral(direction)(m, fmt, a))
            for name, function in (("sqrt", sqrt), ("rsq", rsq), ("rcp", rcp)):
                s = a if name == "rcp" else a & ~sign_bit(fmt)
                line(f"{name}_{fmt}", mode, (s,), function(m, fmt, s))
    for fmt in ("f32", "f64"):
        for _ in range(24):
            mode = modes()
            a, b, c, post = number(fmt), number(fmt), number(fmt), random.getrandbits(1)
            line("div_fmas_" + fmt, mode, (a, b, c, post), div_fmas(Mode(mode), fmt, a, b, c, post))
    for _ in range(24):
        mode = modes()
        m = Mode(mode)
        a, d = number("f32", spread=20), number("f64", spread=30)
        line("cvt_f64_f32", mode, (a,), convert(m, ("f32", "f64"), a))
        p, bias = FORMATS["f64"]
        d = d & ~(0x7FF << p) | random.choice([d >> p & 0x7FF, bias - 127, bias - 126, bias - 149, bias - 150, bias + 127, bias + 128]) << p
        line("cvt_f32_f64", mode, (d,), convert(m, ("f64", "f32"), d))
        h = number("f16")
        line("cvt_f32_f16", mode, (h,), convert(m, ("f16", "f32"), h))
        a = a & ~(0xFF << 23) | random.choice([a >> 23 & 0xFF, 127 - 15, 127 - 14, 127 - 24, 127 - 25, 127 + 15, 127 + 16]) << 23
        line("cvt_f16_f32", mode, (a,), convert(m, ("f32", "f16"), a))
        line("cvt_f16_rtz", mode, (a,), convert(m, ("f32", "f16"), a, rounding=ZERO))
        a, d = number("f32", spread=33), number("f64", spread=33)
        line("cvt_i32_f32", mode, (a,), integer(m, "f32", a, ZERO, -(1 << 31), (1 << 31) - 1))
        line("cvt_u32_f32", mode, (a,), integer(m, "f32", a, ZERO, 0, (1 << 32) - 1))
        line("cvt_i32_f64", mode, (d,), integer(m, "f64", d, ZERO, -(1 << 31), (1 << 31) - 1))
        line("cvt_u32_f64", mode, (d,), integer(m, "f64", d, ZERO, 0, (1 << 32) - 1))
        line("cvt_i16_f16", mode, (h,), integer(m, "f16", h, ZERO, -(1 << 15), (1 << 15) - 1) & 0xFFFF)
        line("cvt_u16_f16", mode, (h,), integer(m, "f16", h, ZERO, 0, (1 << 16) - 1))
        a = number("f32", spread=9)
        line("cvt_flr_i32_f32", mode, (a,), integer(m, "f32", a, DOWN, -(1 << 31), (1 << 31) - 1))
        line("cvt_rpi_i32_f32", mode, (a,), rpi(m, "f32", a))
        line("cvt_u8_f32", mode, (a,), integer(m, "f32", a, m.round("f32"), 0, 255))
        a = number("f32")
        line("norm_i16_f32", mode, (a,), norm(m, "f32", a, -1, 32767))
        line("norm_u16_f32", mode, (a,), norm(m, "f32", a, 0, 65535))
        line("norm_i16_f16", mode, (h,), norm(m, "f16", h, -1, 32767))
        line("norm_u16_f16", mode, (h,), norm(m, "f16", h, 0, 65535))
        i = random.getrandbits(random.randint(1, 32))
        line("cvt_f32_i32", mode, (i,), from_integer(m, "f32", i, True, 32))
        line("cvt_f32_u32", mode, (i,), from_integer(m, "f32", i, False, 32))
        line("cvt_f64_i32", mode, (i,), from_integer(m, "f64", i, True, 32))
        i = random.getrandbits(random.randint(1, 16))
        line("cvt_f16_i16", mode, (i,), from_integer(m, "f16", i, True, 16))
        line("cvt_f16_u16", mode, (i,), from_integer(m, "f16", i, False, 16))
        a, b, c = number("f32", spread=8), number("f32", spread=8), number("f32", spread=8)
        line("fma_mix_f16", mode, (a, b, c), mix_f16(m, a, b, c))
        line("mad_mix_f16", mode, (a, b, c), mad_mix_f16(m, a, b, c))


main()
