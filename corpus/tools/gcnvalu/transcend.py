"""Reciprocal, roots, exponential, logarithm, sine and cosine, rounded correctly.

Rational results and roots are exact integers with a sticky remainder; the others are
evaluated in fixed point with enough bits that the rounding cannot be in doubt.  MODE's
rounding field is ignored: the result is the nearest one, ties to even.
"""

from functools import lru_cache
from math import isqrt

from .floats import F16, F32, F64, NEAREST

BITS = 460              # of the fixed-point fraction
GUARD = 40              # of these, not trusted
UNIT = 1 << BITS


# --- fixed-point functions ---------------------------------------------------------

def atanh_inverse(n):
    """atanh(1/n), as fixed point."""
    total, term, k = 0, UNIT // n, 1
    while term:
        total += term // k
        term //= n * n
        k += 2
    return total


LN2 = 18 * atanh_inverse(26) - 2 * atanh_inverse(4801) + 8 * atanh_inverse(8749)


def atan_inverse(n):
    total, term, k, sign = 0, UNIT // n, 1, 1
    while term:
        total += sign * (term // k)
        term //= n * n
        k, sign = k + 2, -sign
    return total


PI = 4 * (4 * atan_inverse(5) - atan_inverse(239))


def fixed_exp2(x):
    """2^x for 0 <= x < 1."""
    y = x * LN2 >> BITS + 8                     # e^(y * 256)
    total, term, k = UNIT, UNIT, 1
    while term:
        term = (term * y >> BITS) // k
        total += term
        k += 1
    for _ in range(8):
        total = total * total >> BITS
    return total


def fixed_log2(m):
    """log2(m) for 1 <= m < 2."""
    n = isqrt(isqrt(isqrt(m * UNIT) * UNIT) * UNIT)         # eighth root
    z = (n - UNIT << BITS) // (n + UNIT)
    square, total, term, k = z * z >> BITS, 0, z, 1
    while term:
        total += term // k
        term = term * square >> BITS
        k += 2
    return (16 * total << BITS) // LN2


def fixed_sin_cos(x):
    """sin and cos of 2 pi x for |x| <= 1/8, x fixed point."""
    y = x * 2 * PI >> BITS
    square = y * y >> BITS
    sine, cosine, term, k = 0, 0, UNIT, 0
    while term:
        sign = -1 if k & 2 else 1
        cosine += sign * term
        sine += sign * (term * y >> BITS) // (k + 1)
        term = (term * square >> BITS) // ((k + 1) * (k + 2))
        k += 2
    return sine, cosine


def inexact(value, e=-BITS):
    """(sign, m, e, sticky) of an approximate fixed-point value."""
    sign, m = int(value < 0), abs(value) >> GUARD
    return sign, m, e + GUARD, True


# --- the functions on exact values: (sign, m, e) -> (sign, m, e, sticky) -----------

def reciprocal(sign, m, e):
    shift = m.bit_length() + 120
    q, r = divmod(1 << shift, m)
    return sign, q, -shift - e, r != 0


def root(sign, m, e):
    shift = 240 + (e & 1)
    r = isqrt(m << shift)
    return sign, r, (e - shift) // 2, r * r != m << shift


def reciprocal_root(sign, m, e):
    if e & 1:
        m, e = 2 * m, e - 1
    shift = 2 * (m.bit_length() + 120)
    r = isqrt((1 << shift) // m)
    return sign, r, -(shift + e) // 2, r * r * m != 1 << shift


@lru_cache(maxsize=None)
def exponential(sign, m, e):
    if e >= 0:
        n, f = (-(m << e) if sign else m << e), 0
    else:
        x = (-m if sign else m) << BITS + e if e >= -BITS else (-1 if sign else 1)
        n, f = x >> BITS, x & (UNIT - 1)
    if f == 0:
        return 0, 1, n, False
    return inexact(fixed_exp2(f), n - BITS)


@lru_cache(maxsize=None)
def logarithm(sign, m, e):
    """log2 of a positive number."""
    n = m.bit_length() - 1
    if m == 1 << n:
        return int(n + e < 0), abs(n + e), 0, False
    return inexact((n + e << BITS) + fixed_log2(m << BITS - n))


@lru_cache(maxsize=None)
def turned(m, e, quarter):
    """sin(2 pi x) of x = m * 2^e + quarter / 4 for signed m."""
    if e >= -2:
        return ((0, 0, 0, False), (0, 1, 0, False), (0, 0, 0, False), (1, 1, 0, False))[
            ((m << e + 2) + quarter) & 3]
    eighth = (m << 1 << BITS + e if e >= -BITS else m << 1 >> -e - BITS) + quarter * (UNIT // 2)
    # 4x + quarter = k + rest, |rest| <= 1/2
    turn = 2 * eighth
    k = (turn + UNIT // 2) >> BITS
    rest = turn - (k << BITS)
    if rest == 0:
        return turned((k & 3) - quarter, -2, quarter)
    sine, cosine = fixed_sin_cos(rest // 4)
    return inexact((sine, cosine, -sine, -cosine)[k & 3])


def sine(sign, m, e):
    if quarters(m, e):
        return turned(-m if sign else m, e, 0)
    if e + m.bit_length() < -60:                # sin y = y to the last bit, a little below
        y = m * 2 * PI >> GUARD
        return sign, y, e - BITS + GUARD, True
    return turned(-m if sign else m, e, 0)


def cosine(sign, m, e):
    if e + m.bit_length() < -200:               # 1 - tiny
        return 0, (1 << 300) - 1, -300, True
    return turned(m, e, 1)


def quarters(m, e):
    return m == 0 or e >= -2 or m & ((1 << -2 - e) - 1) == 0


# --- instructions ------------------------------------------------------------------

# Results the documents promise exactly, beyond zero, infinity and NaN.
def promised(name, fmt, x):
    power = fmt.is_finite(x) and fmt.field(x) and x & (fmt.min_normal - 1) == 0
    if fmt is F64:
        return False
    if name == "rcp" and fmt is F32:
        return power
    return x == fmt.one and (name == "log" or fmt is F16 and name in ("rcp", "rsq", "sqrt"))


def special(name, fmt, x):
    """The result where the documents list it, else None.  x is flushed already, and no NaN."""
    zero, infinite = fmt.is_zero(x), fmt.is_inf(x)
    sign = x & fmt.sign
    if name == "rcp":
        return sign | fmt.inf if zero else sign if infinite else None
    if name == "rsq":
        if zero:
            return sign | fmt.inf
        return fmt.qnan if sign else 0 if infinite else None
    if name == "sqrt":
        if zero:
            return x
        return fmt.qnan if sign else x if infinite else None
    if name == "exp":
        if infinite:
            return 0 if sign else x
        return fmt.one if zero else None
    if name == "log":
        if zero:
            return fmt.sign | fmt.inf
        return fmt.qnan if sign else x if infinite else None
    if infinite:
        return fmt.qnan
    if zero:
        return 0 if name == "sin" else fmt.one
    return None


FUNCTIONS = {"rcp": reciprocal, "rsq": reciprocal_root, "sqrt": root, "exp": exponential,
             "log": logarithm, "sin": sine, "cos": cosine}


def transcendental(env, fmt, name, x):
    always = fmt is F32 and name != "sin"
    if not always and fmt.is_denormal(x) and not env.keep_in[fmt.width]:
        env.doubts.add("trans-denorm")
    x = env.flush(fmt, x, always)
    nan = env.nan_of(fmt, x)
    if nan is not None:
        return nan
    listed = special(name, fmt, x)
    if listed is not None:
        if name == "sqrt" and listed == fmt.sign:
            env.doubts.add("sqrt-neg-zero")
        return listed
    value = fmt.value(x)
    if name in ("sin", "cos"):
        if fmt.magnitude(x) > magnitude_256(fmt):
            env.doubts.add("trig-range")
            if env.gen < 9:
                return 0 if name == "sin" else fmt.one
        if quarters(value[1], value[2]):
            sign, m, e, _ = FUNCTIONS[name](*value)
            return env.store(fmt, sign if m else 0, m, e, mode=NEAREST)
    if not promised(name, fmt, x):
        env.doubts.add("transcendental-approx")
    sign, m, e, sticky = FUNCTIONS[name](*value)
    return env.store(fmt, sign, m, e, sticky, mode=NEAREST, flush=True if always else None)


def magnitude_256(fmt):
    return fmt.bias + 8 << fmt.mbits


def clamped_infinity(fmt, x):
    """What the *_CLAMP forms give for an infinity: the largest number."""
    return x - 1 if fmt.is_inf(x) else x


def log_clamp(env, x):
    env.doubts.add("log-clamp")
    r = transcendental(env, F32, "log", x)
    return r - 1 if r == F32.sign | F32.inf else r


def legacy_infinity(env, name, x):
    """RCP_LEGACY and RSQ_LEGACY: infinity becomes zero."""
    r = transcendental(env, F32, name, x)
    if F32.is_inf(r):
        env.doubts.add("rcp-legacy")
        return r & F32.sign
    return r


# The bound the documents give: (format, unit in the last place) or an absolute error.
def bound(mnemonic):
    """The `tolerance` of a vector, for simulators that approximate otherwise; None if results are exact."""
    parts = mnemonic.split("_")
    name, kind = parts[1], parts[-1]
    if name in ("sin", "cos"):
        return {"ulp": 1} if kind == "f16" else {"abs": 2.0**-18}
    if kind == "f64":
        return {"ulp": 1 << 29}
    return {"ulp": 2 if "legacy" in mnemonic and name in ("exp", "log") else 1}

