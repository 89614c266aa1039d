#!/usr/bin/env python3
"""Lanes of float instructions with exact results, by rational arithmetic.

    python3 crates/helpers/tests/lanes/float/vectors.py > crates/helpers/tests/lanes/float/vectors.txt

Written from docs/gcn/valu-float-rules.md and docs/gcn/valu-float.md; nothing here comes from an engine. A line is
`mnemonic generation mode source.. = result [mask]`, words in hex. Sources are after ABS and NEG.
"""
import random
from fractions import Fraction as Q
from math import floor, isqrt

PER_OP = 26
GENERATIONS = ["gcn1.0", "gcn1.1", "gcn1.2", "gcn1.4", "gcn1.4.1"]


class Format:
    def __init__(self, width, fraction, low):
        self.width, self.fraction, self.low = width, fraction, low
        self.sign = 1 << (width - 1)
        self.inf = self.sign - (1 << fraction)
        self.bias = (self.inf >> fraction) // 2
        self.quiet = 1 << (fraction - 1)
        self.qnan = self.sign | self.inf | self.quiet
        self.one = self.bias << fraction
        self.least = Q(1, 1 << (self.bias - 1))  # the smallest normal number

    def size(self, x):
        return x & ~self.sign

    def field(self, x):
        return self.size(x) >> self.fraction

    def is_nan(self, x):
        return self.size(x) > self.inf

    def is_inf(self, x):
        return self.size(x) == self.inf

    def is_zero(self, x):
        return self.size(x) == 0

    def is_snan(self, x):
        return self.is_nan(x) and not x & self.quiet

    def value(self, x):
        e, f = self.field(x), x & ((1 << self.fraction) - 1)
        v = Q(f + ((1 << self.fraction) if e else 0)) * Q(2) ** (max(e, 1) - self.bias - self.fraction)
        return -v if x & self.sign else v


H, S, D = Format(16, 10, 2), Format(32, 23, 0), Format(64, 52, 2)


class Mode:
    """`low` of a format is the first bit of its rounding field; its denormal field is four bits up."""

    def __init__(self, word, gen):
        self.word, self.gen = word, GENERATIONS.index(gen)
        self.ieee = word >> 9 & 1
        self.ovfl = word >> 23 & 1 if self.gen >= 3 else 0

    def rounding(self, f):
        return self.word >> f.low & 3

    def keep_in(self, f):
        return bool(self.word >> (f.low + 4) & 1)

    def keep_out(self, f):
        return bool(self.word >> (f.low + 4) & 2)

    def flush(self, f, x):
        return x & f.sign if f.field(x) == 0 and not self.keep_in(f) else x


def integer(v, mode, negative):
    """The integer next to v >= 0."""
    n = floor(v)
    rest = v - n
    if mode == 0:
        return n + (rest > Q(1, 2) or rest == Q(1, 2) and n % 2 == 1)
    return n + (rest != 0 and mode == (2 if negative else 1))


def power_of(v):
    """floor(log2 v)"""
    e = v.numerator.bit_length() - v.denominator.bit_length()
    return e if v >= Q(2) ** e else e - 1


def rounded(f, v, mode, keep, negative_zero=False, ovfl=0):
    """The bits of v in the format f, rounded by `mode`."""
    negative = v < 0 or v == 0 and negative_zero
    sign = f.sign if negative else 0
    v = abs(v)
    if v == 0:
        return sign
    unit = Q(2) ** (power_of(v) - f.fraction)
    n = integer(v / unit, mode, negative) * unit
    if n < f.least:
        if not keep:
            return sign
        unit = f.least / (1 << f.fraction)
        return sign | integer(v / unit, mode, negative)
    if n >= Q(2) ** (f.bias + 1):
        infinite = mode == 0 or mode == (2 if negative else 1)
        return sign | (f.inf - 1 if ovfl or not infinite else f.inf)
    # n below the smallest normal number was dealt with; a kept denormal may still round up to it.
    e = power_of(n)
    return sign | (e + f.bias << f.fraction) + int(n / Q(2) ** (e - f.fraction)) - (1 << f.fraction)


def out(m, f, v, keep=None, mode=None, negative_zero=False):
    keep = m.keep_out(f) if keep is None else keep
    mode = m.rounding(f) if mode is None else mode
    return rounded(f, v, mode, keep, negative_zero, m.ovfl if f is H else 0)


def nan(m, f, x):
    return x | f.quiet if m.ieee else x


def first_nan(m, f, sources):
    return next((nan(m, f, x) for x in sources if f.is_nan(x)), None)


def plus(m, f, a, b, keep):
    if f.is_inf(a) or f.is_inf(b):
        return f.qnan if f.is_inf(a) and f.is_inf(b) and a != b else a if f.is_inf(a) else b
    v = f.value(a) + f.value(b)
    zero = a >> (f.width - 1) if (a ^ b) & f.sign == 0 else m.rounding(f) == 2
    return out(m, f, v, keep, negative_zero=bool(zero) if v == 0 else False)


def times(m, f, a, b, keep):
    if f.is_inf(a) and f.is_zero(b) or f.is_zero(a) and f.is_inf(b):
        return f.qnan
    negative = bool((a ^ b) & f.sign)
    if f.is_inf(a) or f.is_inf(b):
        return f.inf | (f.sign if negative else 0)
    return out(m, f, f.value(a) * f.value(b), keep, negative_zero=negative)


def add(f, flip0=0, flip1=0):
    def op(m, a, b):
        a, b = m.flush(f, a), m.flush(f, b)
        r = first_nan(m, f, [a, b])
        return plus(m, f, a ^ f.sign * flip0, b ^ f.sign * flip1, None) if r is None else r
    return op


def mul(f):
    def op(m, a, b):
        a, b = m.flush(f, a), m.flush(f, b)
        r = first_nan(m, f, [a, b])
        return times(m, f, a, b, None) if r is None else r
    return op


def mul_legacy(m, a, b):
    a, b = m.flush(S, a), m.flush(S, b)
    return 0 if S.is_zero(a) or S.is_zero(b) else mul(S)(m, a, b)


def product_nan(m, f, a, b, c):
    r = first_nan(m, f, [a, b])
    if r is None and (f.is_inf(a) and f.is_zero(b) or f.is_zero(a) and f.is_inf(b)):
        r = f.qnan
    return first_nan(m, f, [c]) if r is None else r


def mad(f, legacy=False):
    def op(m, a, b, c):
        a, b, c = (x & f.sign if f.field(x) == 0 else x for x in (a, b, c))
        if legacy and (f.is_zero(a) or f.is_zero(b)):
            r, t = first_nan(m, f, [c]), 0
        else:
            r = product_nan(m, f, a, b, c)
            t = times(m, f, a, b, False) if r is None else 0
        return plus(m, f, t, c, False) if r is None else r
    return op


def exact_fma(m, f, a, b, c):
    """(special, value, negative zero)"""
    r = product_nan(m, f, a, b, c)
    if r is not None:
        return r, None, None
    sign = (a ^ b) & f.sign
    if f.is_inf(a) or f.is_inf(b):
        return (f.qnan if f.is_inf(c) and c != sign | f.inf else sign | f.inf), None, None
    if f.is_inf(c):
        return c, None, None
    p, v = f.value(a) * f.value(b), f.value(c)
    if p == 0 and v == 0:
        zero = bool(sign) if sign == c & f.sign else m.rounding(f) == 2
    else:
        zero = m.rounding(f) == 2
    return None, p + v, zero


def fma(f):
    def op(m, a, b, c):
        r, v, zero = exact_fma(m, f, *(m.flush(f, x) for x in (a, b, c)))
        return out(m, f, v, negative_zero=zero) if r is None else r
    return op


def fmas(f, scale):
    def op(m, a, b, c, vcc):
        r, v, zero = exact_fma(m, f, a, b, c)
        if r is not None:
            return r
        if vcc:
            v *= Q(2) ** (scale if f.field(c) > f.bias else -scale)
        return out(m, f, v, negative_zero=zero)
    return op


def div_scale(f, th, sc, lim):
    def op(m, v, d, n):
        v, d, n = (m.flush(f, x) for x in (v, d, n))
        dl, den, post = f.field(n) - f.field(d), v == d, 0
        if dl >= th:
            post, adj = 1, sc if den else 0
        elif f.field(d) == 0:
            adj = sc
        elif f.field(d) >= 2 * f.bias - 1:
            post = int(dl <= -th)
            adj = 0 if post and not den else -sc
        elif dl <= -th:
            post, adj = 1, 0 if den else sc
        else:
            adj = sc if f.field(n) <= lim else 0
        if f.is_zero(d) or f.is_zero(n):
            r = f.qnan
        elif f.is_nan(v):
            r = v | f.quiet
        else:
            r = v if f.is_inf(v) else out(m, f, f.value(v) * Q(2) ** adj, negative_zero=bool(v & f.sign))
        return r, post
    return op


def fixup(f):
    def op(m, q, d, n):
        d, n = m.flush(f, d), m.flush(f, n)
        sign = (d ^ n) & f.sign
        if f.is_nan(n):
            return n | f.quiet
        if f.is_nan(d):
            return d | f.quiet
        if f.is_zero(d) and f.is_zero(n) or f.is_inf(d) and f.is_inf(n):
            return f.qnan
        if f.is_zero(d) or f.is_inf(n):
            return sign | f.inf
        if f.is_inf(d) or f.is_zero(n):
            return sign
        if f is not H:
            huge = Q(2) ** (3 * f.bias) * (-1 if sign else 1)
            if f.field(n) - f.field(d) < -(f.bias + f.fraction):
                return out(m, f, 1 / huge)
            if f.size(q) >= f.inf:
                return out(m, f, huge)
        return sign | f.size(q)
    return op


def key(f, x):
    return (-f.size(x) - 1) if x & f.sign else f.size(x)


def pick(f, low):
    def op(m, a, b):
        if m.gen >= 3:
            a, b = m.flush(f, a), m.flush(f, b)
        for x in (a, b):
            if m.ieee and f.is_snan(x):
                return x | f.quiet
        if f.is_nan(a):
            return b
        if f.is_nan(b):
            return a
        return min(a, b, key=lambda x: key(f, x)) if low else max(a, b, key=lambda x: key(f, x))
    return op


def pick3(f, low):
    return lambda m, a, b, c: pick(f, low)(m, pick(f, low)(m, a, b), c)


def med3(f):
    def op(m, a, b, c):
        if any(f.is_nan(x) for x in (a, b, c)):
            return pick3(f, True)(m, a, b, c)
        if m.gen >= 3:
            a, b, c = (m.flush(f, x) for x in (a, b, c))
        return sorted((a, b, c), key=lambda x: key(f, x))[1]
    return op


def integral(f, mode):
    def op(m, x):
        x = m.flush(f, x)
        if f.is_nan(x):
            return nan(m, f, x)
        if f.is_inf(x):
            return x
        n = integer(abs(f.value(x)), mode, bool(x & f.sign))
        return rounded(f, Q(n), 0, True) | x & f.sign
    return op


def fract(f):
    def op(m, x):
        x = m.flush(f, x)
        if f.is_nan(x) or f.is_inf(x):
            return nan(m, f, x) if f.is_nan(x) else f.qnan
        v = f.value(x)
        return min(out(m, f, v - floor(v)), f.one - 1)
    return op


def frexp_mant(f):
    def op(m, x):
        x = m.flush(f, x)
        if f.is_nan(x):
            return nan(m, f, x)
        v = f.value(x) if not f.is_inf(x) else 0
        return rounded(f, v / Q(2) ** (power_of(abs(v)) + 1), 0, True) if v else x
    return op


def frexp_exp(f, bits):
    def op(m, x):
        x = m.flush(f, x)
        finite = f.size(x) < f.inf and not f.is_zero(x)
        return (power_of(abs(f.value(x))) + 1 if finite else 0) & (1 << bits) - 1
    return op


def signed(x, bits):
    return x - (1 << bits) if x >> (bits - 1) else x


def ldexp(f, bits):
    def op(m, x, n):
        x, n = m.flush(f, x), max(-5000, min(5000, signed(n & (1 << bits) - 1, bits)))
        if f.is_nan(x) or f.is_inf(x):
            return nan(m, f, x) if f.is_nan(x) else x
        return out(m, f, f.value(x) * Q(2) ** n, negative_zero=bool(x & f.sign))
    return op


def to_int(f, low, high, floor_of=None):
    def op(m, x):
        x = m.flush(f, x)
        if f.is_nan(x):
            v = 0 if floor_of is None else low if x & f.sign else high
        elif f.is_inf(x):
            v = low if x & f.sign else high
        else:
            v = f.value(x)
            v = floor(floor_of(v)) if floor_of else int(v)
        return max(low, min(high, v)) & (1 << (32 if f is not H else 16)) - 1
    return op


I32, U32, I16, U16 = (-(1 << 31), (1 << 31) - 1), (0, (1 << 32) - 1), (-(1 << 15), (1 << 15) - 1), (0, 65535)


def from_int(f, is_signed, bits=32):
    def op(m, x):
        mode = m.rounding(S) if f is H and m.gen < 2 else None
        return out(m, f, Q(signed(x, bits) if is_signed else x), mode=mode)
    return op


def widen_nan(s, d, x):
    return (d.sign if x & s.sign else 0) | d.inf | (x & (1 << s.fraction) - 1) << (d.fraction - s.fraction)


def narrow_nan(s, d, x):
    return (d.sign if x & s.sign else 0) | d.inf | d.quiet | (x & (1 << s.fraction) - 1) >> (s.fraction - d.fraction)


def cvt(s, d):
    def op(m, x, mode=None):
        half = m.gen < 2 and H in (s, d)  # binary16 denormals are kept before 1.2
        x = x if s is H and half else m.flush(s, x)
        if s.is_nan(x):
            return nan(m, d, widen_nan(s, d, x)) if s.width < d.width else narrow_nan(s, d, x)
        if s.is_inf(x):
            return d.inf | (d.sign if x & s.sign else 0)
        if mode is None:
            mode = m.rounding(S) if d is H and half else m.rounding(d)
        keep = True if d is H and half else None
        return out(m, d, s.value(x), keep, mode, negative_zero=bool(x & s.sign))
    return op


def pkrtz(m, a, b):
    return cvt(S, H)(m, a, 3) | cvt(S, H)(m, b, 3) << 16


def norm(f, scale, is_signed):
    def op(m, x):
        x = m.flush(f, x) if f is H else x
        if f.is_nan(x):
            return 0
        v = Q(10) ** 9 * (-1 if x & f.sign else 1) if f.is_inf(x) else f.value(x)
        v = max(Q(-1 if is_signed else 0), min(Q(1), v)) * scale
        n = integer(abs(v), 0, False)
        return (-n if v < 0 else n) & 0xffff
    return op


def pair(op):
    return lambda m, a, b: op(m, a) | op(m, b) << 16


def pk_u8(m, x, place, d):
    x = m.flush(S, x)
    if S.is_nan(x) or S.is_inf(x):
        b = 255 if S.is_inf(x) and not x & S.sign else 0
    else:
        v = S.value(x)
        n = integer(abs(v), m.rounding(S), v < 0)
        b = max(0, min(255, -n if v < 0 else n))
    k = 8 * (place & 3)
    return d & ~(255 << k) | b << k


def approximate(f, special, bracket):
    """bracket(v): (a rational below the result by less than 2^-120 of it, is it exact?)"""
    def op(m, x):
        keep_in, keep = (False, False) if f is S else (m.keep_in(f), m.keep_out(f))
        x = x & f.sign if f.field(x) == 0 and not keep_in else x
        if f.is_nan(x):
            return nan(m, f, x)
        r = special(f, x)
        if r is not None:
            return r
        v, exact = bracket(f.value(x))
        v += 0 if exact else abs(v) / 2 ** 120
        return out(m, f, v, keep, 0)
    return op


def rcp_special(f, x):
    return x | f.inf if f.is_zero(x) else x & f.sign if f.is_inf(x) else None


def rsq_special(f, x):
    return x | f.inf if f.is_zero(x) else f.qnan if x & f.sign else 0 if f.is_inf(x) else None


def sqrt_special(f, x):
    return x if f.is_zero(x) else f.qnan if x & f.sign else x if f.is_inf(x) else None


def root(v):
    k = 1 << 2 * (140 + abs(power_of(v)))
    n = v.numerator * k // v.denominator
    r = isqrt(n)
    return Q(r, isqrt(k)), r * r == n and v.numerator * k % v.denominator == 0


def rsq(v):
    r, exact = root(1 / v)
    return r, exact


def mix(fused, to_half):
    def op(m, a, b, c):
        if not fused:
            r = mad(S)(m, a, b, c)
            return cvt_half(m, r, keep=False) if to_half else r
        if not to_half:
            return fma(S)(m, a, b, c)
        r, v, zero = exact_fma(m, S, *(m.flush(S, x) for x in (a, b, c)))
        return out(m, H, v, negative_zero=zero) if r is None else cvt_half(m, r)
    return op


def cvt_half(m, x, keep=None):
    if S.is_nan(x) or S.is_inf(x):
        return narrow_nan(S, H, x) if S.is_nan(x) else H.inf | (H.sign if x & S.sign else 0)
    return out(m, H, S.value(x), keep, negative_zero=bool(x & S.sign))


def omod(f):
    def op(m, x, code):
        if code == 0 or m.ieee or m.keep_out(f) or f.size(x) >= f.inf:
            return x
        if f.field(x) == 0:
            return 0
        return out(m, f, f.value(x) * [0, 2, 4, Q(1, 2)][code])
    return op


def clamp(f):
    def op(m, x):
        if f.is_nan(x):
            return 0 if m.word >> 8 & 1 else x
        return 0 if x & f.sign else min(x, f.one)
    return op


I, B, N = "int", "bool", "int16"
OPS = {}
for n, f in (("f16", H), ("f32", S)):
    OPS |= {
        f"v_add_{n}": (add(f), [f, f]), f"v_sub_{n}": (add(f, 0, 1), [f, f]), f"v_subrev_{n}": (add(f, 1, 0), [f, f]),
        f"v_mul_{n}": (mul(f), [f, f]), f"v_mad_{n}": (mad(f), [f] * 3), f"v_fma_{n}": (fma(f), [f] * 3),
        f"v_min3_{n}": (pick3(f, True), [f] * 3), f"v_max3_{n}": (pick3(f, False), [f] * 3),
        f"v_med3_{n}": (med3(f), [f] * 3),
    }
for n, f in (("f16", H), ("f32", S), ("f64", D)):
    OPS |= {
        f"v_min_{n}": (pick(f, True), [f, f]), f"v_max_{n}": (pick(f, False), [f, f]),
        f"v_trunc_{n}": (integral(f, 3), [f]), f"v_ceil_{n}": (integral(f, 1), [f]),
        f"v_floor_{n}": (integral(f, 2), [f]), f"v_rndne_{n}": (integral(f, 0), [f]),
        f"v_fract_{n}": (fract(f), [f]), f"v_frexp_mant_{n}": (frexp_mant(f), [f]),
        f"v_div_fixup_{n}": (fixup(f), [f] * 3),
        f"v_rcp_{n}": (approximate(f, rcp_special, lambda v: (1 / v, True)), [f]),
        f"v_rsq_{n}": (approximate(f, rsq_special, rsq), [f]),
        f"v_sqrt_{n}": (approximate(f, sqrt_special, root), [f]),
        f"omod_{n}": (omod(f), [f, "code"]), f"clamp_{n}": (clamp(f), [f]),
    }
OPS |= {
    "v_add_f64": (add(D), [D, D]), "v_mul_f64": (mul(D), [D, D]), "v_fma_f64": (fma(D), [D] * 3),
    "v_mul_legacy_f32": (mul_legacy, [S, S]), "v_mad_legacy_f32": (mad(S, True), [S] * 3),
    "v_div_scale_f32": (div_scale(S, 96, 64, 24), [S, "d", "n"]),
    "v_div_scale_f64": (div_scale(D, 768, 128, 53), [D, "d", "n"]),
    "v_div_fmas_f32": (fmas(S, 64), [S, S, S, B]), "v_div_fmas_f64": (fmas(D, 128), [D, D, D, B]),
    "v_ldexp_f16": (ldexp(H, 16), [H, N]), "v_ldexp_f32": (ldexp(S, 32), [S, I]), "v_ldexp_f64": (ldexp(D, 32), [D, I]),
    "v_frexp_exp_i16_f16": (frexp_exp(H, 16), [H]), "v_frexp_exp_i32_f32": (frexp_exp(S, 32), [S]),
    "v_frexp_exp_i32_f64": (frexp_exp(D, 32), [D]),
    "v_cvt_i32_f32": (to_int(S, *I32), [S]), "v_cvt_u32_f32": (to_int(S, *U32), [S]),
    "v_cvt_i32_f64": (to_int(D, *I32), [D]), "v_cvt_u32_f64": (to_int(D, *U32), [D]),
    "v_cvt_i16_f16": (to_int(H, *I16), [H]), "v_cvt_u16_f16": (to_int(H, *U16), [H]),
    "v_cvt_flr_i32_f32": (to_int(S, *I32, lambda v: v), [S]),
    "v_cvt_rpi_i32_f32": (to_int(S, *I32, lambda v: v + Q(1, 2)), [S]),
    "v_cvt_f32_i32": (from_int(S, True), [I]), "v_cvt_f32_u32": (from_int(S, False), [I]),
    "v_cvt_f64_i32": (from_int(D, True), [I]), "v_cvt_f64_u32": (from_int(D, False), [I]),
    "v_cvt_f16_i16": (from_int(H, True, 16), [N]), "v_cvt_f16_u16": (from_int(H, False, 16), [N]),
    "v_cvt_f64_f32": (cvt(S, D), [S]), "v_cvt_f32_f64": (cvt(D, S), [D]), "v_cvt_f32_f16": (cvt(H, S), [H]),
    "v_cvt_f16_f32": (cvt(S, H), [S]), "v_cvt_pkrtz_f16_f32": (pkrtz, [S, S]),
    "v_cvt_pknorm_i16_f32": (pair(norm(S, 32767, True)), [S, S]),
    "v_cvt_pknorm_u16_f32": (pair(norm(S, 65535, False)), [S, S]),
    "v_cvt_pknorm_i16_f16": (pair(norm(H, 32767, True)), [H, H]),
    "v_cvt_pknorm_u16_f16": (pair(norm(H, 65535, False)), [H, H]),
    "v_cvt_pk_u8_f32": (pk_u8, [S, I, I]),
    "v_mad_mix_f32": (mix(False, False), [S] * 3), "v_fma_mix_f32": (mix(True, False), [S] * 3),
    "v_mad_mixlo_f16": (mix(False, True), [S] * 3), "v_fma_mixlo_f16": (mix(True, True), [S] * 3),
}


def number(r, f, near=None):
    """A random value of the format: special, near another one, or anything; `near` has the exponent wanted."""
    kind = r.randrange(8)
    top = f.inf >> f.fraction
    if kind == 0:
        e = r.choice([0, 0, f.inf, f.inf | f.quiet | r.randrange(99), f.inf | 1 + r.randrange(f.quiet - 1),
                      f.one, f.one - 1, f.one + 1, f.one - (1 << f.fraction), f.inf - 1, 1 << f.fraction, 1])
        return e | r.choice([0, f.sign])
    exponent = {1: 0, 2: r.randrange(1, 4), 3: r.randrange(top - 3, top)}.get(kind)
    if exponent is None:
        spread = f.fraction + 2 if kind < 6 else 3
        exponent = max(0, min(top - 1, (f.bias if near is None else near) + r.randrange(-spread, spread + 1)))
    fraction = r.choice([r.getrandbits(f.fraction), r.getrandbits(5) << (f.fraction - 5), (1 << f.fraction) - 1 - r.getrandbits(2), r.getrandbits(3)])
    return r.choice([0, f.sign]) | exponent << f.fraction | fraction


def sources(r, kinds):
    values = []
    for i, kind in enumerate(kinds):
        f = kinds[0]
        if kind == "code":
            values.append(r.randrange(4))
        elif kind == B:
            values.append(r.randrange(2))
        elif kind == N:
            values.append(r.choice([r.getrandbits(16), r.randrange(-40, 40) & 0xffff, r.randrange(-300, 300) & 0xffff]))
        elif kind == I:
            values.append(r.choice([r.getrandbits(32), r.randrange(-300, 300) & 0xffffffff, r.randrange(-30, 30) & 0xffffffff, r.getrandbits(25) << r.randrange(8)]))
        elif kind in ("d", "n"):
            values.append(values[0] if r.randrange(2) and (kind == "d" or values[1] != values[0]) else number(r, f))
        elif i == 2 and not f.is_nan(values[0]):
            # An addend where it meets the product.
            values.append(number(r, f, f.field(values[0]) + f.field(values[1]) - f.bias))
        elif i == 1:
            values.append(number(r, f, r.choice([None, f.field(values[0]), 2 * f.bias - f.field(values[0])])))
        else:
            values.append(number(r, kind))
    if kinds[-1] == "n" and values[0] not in values[1:]:
        values[2] = values[0]
    return values


def main():
    r = random.Random(14)
    for name in sorted(OPS):
        op, kinds = OPS[name]
        for _ in range(PER_OP):
            gen = r.choice(GENERATIONS)
            word = r.choice([0x3c0, 0x3f0, 0xc0, 0xf0, 0x100]) if r.randrange(3) == 0 else r.getrandbits(10) | r.choice([0, 0, 0x800000])
            values = sources(r, kinds)
            result = op(Mode(word, gen), *values)
            result = f"{result[0]:x} {result[1]}" if isinstance(result, tuple) else f"{result:x}"
            print(name, gen, f"{word:x}", *(f"{v:x}" for v in values), "=", result)


main()
