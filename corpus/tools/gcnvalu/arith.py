"""Float arithmetic.  Sources are bit patterns after ABS and NEG; so are results."""

from .floats import DOWN, F16, F32, F64, ZERO, overflowed


def exact_sum(a, b, mode):
    """(sign, m, e) of a + b, where both are (sign, m, e)."""
    (sa, ma, ea), (sb, mb, eb) = a, b
    if ma == 0 and mb == 0:
        return (sa if sa == sb else int(mode == DOWN)), 0, 0
    e = min(ea, eb)
    total = (-ma if sa else ma) << ea - e if ma else 0
    total += (-mb if sb else mb) << eb - e if mb else 0
    if total == 0:
        return int(mode == DOWN), 0, 0
    return int(total < 0), abs(total), e


def add(env, fmt, a, b, flush=None, negate=False):
    """a + b; with `negate` a - b, where the sign of a NaN stays."""
    a, b = env.flush(fmt, a, flush), env.flush(fmt, b, flush)
    nan = env.nan_of(fmt, a, b)
    if nan is not None:
        return nan
    if negate:
        b ^= fmt.sign
    if fmt.is_inf(a) or fmt.is_inf(b):
        if fmt.is_inf(a) and fmt.is_inf(b) and a != b:
            return fmt.qnan
        return a if fmt.is_inf(a) else b
    total = exact_sum(fmt.value(a), fmt.value(b), env.round[fmt.width])
    return env.store(fmt, *total, flush=flush)


def sub(env, fmt, a, b):
    return add(env, fmt, a, b, negate=True)


def subrev(env, fmt, a, b):
    """b - a; of two NaNs that of a is taken."""
    a, b = env.flush(fmt, a), env.flush(fmt, b)
    nan = env.nan_of(fmt, a, b)
    return sub(env, fmt, b, a) if nan is None else nan


def product(fmt, a, b):
    """Exact product of finite numbers."""
    (sa, ma, ea), (sb, mb, eb) = fmt.value(a), fmt.value(b)
    return sa ^ sb, ma * mb, ea + eb


def invalid_product(fmt, a, b):
    return fmt.is_inf(a) and fmt.is_zero(b) or fmt.is_zero(a) and fmt.is_inf(b)


def mul(env, fmt, a, b, flush=None, legacy=False):
    a, b = env.flush(fmt, a, flush), env.flush(fmt, b, flush)
    if legacy and (fmt.is_zero(a) or fmt.is_zero(b)):
        return 0
    nan = env.nan_of(fmt, a, b)
    if nan is not None:
        return nan
    if invalid_product(fmt, a, b):
        return fmt.qnan
    if fmt.is_inf(a) or fmt.is_inf(b):
        return (a ^ b) & fmt.sign | fmt.inf
    return env.store(fmt, *product(fmt, a, b), flush=flush)


def mul_legacy(env, a, b):
    return mul(env, F32, a, b, legacy=True)


def mad(env, fmt, a, b, c, legacy=False):
    """a * b + c, rounded after the product and after the sum; denormals always count as zero."""
    if fmt is F16 and (any(map(fmt.is_denormal, (a, b, c)))
                       or _mad(_quiet(env), fmt, a, b, c, legacy, True)
                       != _mad(_quiet(env), fmt, a, b, c, legacy, False)):
        env.doubts.add("mad-f16-denorm")
    return _mad(env, fmt, a, b, c, legacy, True)


def _quiet(env):
    """A copy of the rules that collects doubts of its own, which are dropped."""
    other = object.__new__(type(env))
    other.__dict__.update(env.__dict__, doubts=set())
    return other


def _mad(env, fmt, a, b, c, legacy, flush):
    a, b, c = (env.flush(fmt, x, flush) for x in (a, b, c))
    if legacy and (fmt.is_zero(a) or fmt.is_zero(b)):
        return add(env, fmt, 0, c, flush)
    if fmt.is_nan(a) or fmt.is_nan(b):
        return env.nan_of(fmt, a, b, c)
    if invalid_product(fmt, a, b):
        if fmt.is_nan(c):
            env.doubts.add("nan-payload")
        return fmt.qnan
    return add(env, fmt, mul(env, fmt, a, b, flush), c, flush)


def fma(env, fmt, a, b, c, flush=None):
    """a * b + c, rounded once."""
    a, b, c = (env.flush(fmt, x, flush) for x in (a, b, c))
    special = fma_special(env, fmt, a, b, c)
    if special is not None:
        return special
    total = exact_sum(product(fmt, a, b), fmt.value(c), env.round[fmt.width])
    return env.store(fmt, *total, flush=flush)


def fma_special(env, fmt, a, b, c):
    """The result of FMA if a NaN or an infinity decides it, else None."""
    if fmt.is_nan(a) or fmt.is_nan(b):
        return env.nan_of(fmt, a, b, c)
    if invalid_product(fmt, a, b):
        if fmt.is_nan(c):
            env.doubts.add("nan-payload")
        return fmt.qnan
    if fmt.is_nan(c):
        return env.nan_of(fmt, c)
    if fmt.is_inf(a) or fmt.is_inf(b):
        infinity = (a ^ b) & fmt.sign | fmt.inf
        return fmt.qnan if fmt.is_inf(c) and c != infinity else infinity
    return c if fmt.is_inf(c) else None


# --- minimum, maximum, median ------------------------------------------------------

def order(fmt, x):
    """A key that sorts numbers; -0 is below +0."""
    return -fmt.magnitude(x) - 1 if x & fmt.sign else x


def extreme(env, fmt, a, b, take_max):
    """Minimum or maximum. With MODE.IEEE a signalling NaN wins, quieted; else the operand that is no NaN wins."""
    if env.ieee and fmt.is_snan(a):
        return a | fmt.quiet
    if env.ieee and fmt.is_snan(b):
        return b | fmt.quiet
    if fmt.is_nan(a):
        if fmt.is_nan(b) and a != b:
            env.doubts.add("minmax-two-nans")
        return b
    if fmt.is_nan(b):
        return a
    return a if (order(fmt, a) > order(fmt, b)) == take_max else b


def minmax_sources(env, fmt, sources):
    """The sources of a minimum or maximum: on gfx9 MODE flushes denormals, before nothing is flushed."""
    if env.gen < 9:
        return sources
    if any(map(fmt.is_denormal, sources)) and env.keep_in[fmt.width] != env.keep_out[fmt.width]:
        env.doubts.add("minmax-denorm")
    return [env.flush(fmt, x) for x in sources]


def fold(env, fmt, take_max, *sources):
    first, *rest = minmax_sources(env, fmt, list(sources))
    for x in rest:
        first = extreme(env, fmt, first, x, take_max)
    return first


def minimum(env, fmt, *sources):
    return fold(env, fmt, False, *sources)


def maximum(env, fmt, *sources):
    return fold(env, fmt, True, *sources)


def med3(env, fmt, a, b, c):
    nans = [fmt.is_nan(x) for x in (a, b, c)]
    if any(nans):
        if nans == [False, False, True] or env.ieee and any(map(fmt.is_snan, (a, b, c))):
            env.doubts.add("med3-nan")
        return minimum(env, fmt, a, b, c)
    a, b, c = minmax_sources(env, fmt, [a, b, c])
    return sorted((a, b, c), key=lambda x: order(fmt, x))[1]


def min_legacy(env, a, b):
    return legacy_extreme(env, a, b, lambda x, y: x < y)


def max_legacy(env, a, b):
    return legacy_extreme(env, a, b, lambda x, y: x >= y)


def legacy_extreme(env, a, b, test):
    """The legacy minimum or maximum: S1 as it is if a source is NaN.  Nothing is flushed."""
    if F32.is_nan(a) or F32.is_nan(b):
        return b
    if F32.is_zero(a) and F32.is_zero(b) and a != b:
        env.doubts.add("legacy-zeros")
    numbers = [-F32.magnitude(x) if x & F32.sign else x for x in (a, b)]
    return a if test(*numbers) else b


def mullit(env, a, b, c):
    env.doubts.add("mullit")
    a, b, c = (env.flush(F32, x) for x in (a, b, c))
    lowest = F32.sign | F32.max
    if F32.is_nan(c) or F32.is_zero(c) or c & F32.sign:
        return lowest
    if F32.is_nan(b) or b in (lowest, F32.sign | F32.inf):
        return lowest
    return mul_legacy(env, a, b)


# --- exponents ---------------------------------------------------------------------

def ldexp(env, fmt, x, n):
    """x * 2^n for a signed n of any size."""
    x = env.flush(fmt, x)
    nan = env.nan_of(fmt, x)
    if nan is not None:
        return nan
    if fmt.is_inf(x) or fmt.is_zero(x):
        return x
    sign, m, e = fmt.value(x)
    return env.store(fmt, sign, m, e + min(max(n, -5000), 5000))


def frexp_mant(env, fmt, x):
    nonfinite_doubt(env, fmt, x)
    x = env.flush(fmt, x)
    nan = env.nan_of(fmt, x)
    if nan is not None:
        return nan
    if fmt.is_inf(x) or fmt.is_zero(x):
        return x
    sign, m, _ = fmt.value(x)
    return env.store(fmt, sign, m, -m.bit_length())


def frexp_exp(env, fmt, x):
    """The exponent of V_FREXP_EXP, signed; 0 for zero, infinity and NaN."""
    nonfinite_doubt(env, fmt, x)
    x = env.flush(fmt, x)
    if not fmt.is_finite(x) or fmt.is_zero(x):
        return 0
    _, m, e = fmt.value(x)
    return m.bit_length() + e


def nonfinite_doubt(env, fmt, x):
    if env.gen == 6 and not fmt.is_finite(x):
        env.doubts.add("frexp-nonfinite-gfx6")


# --- rounding to integers ----------------------------------------------------------

def floor_of(sign, m, e):
    """The integer below (-1)^sign * m * 2^e."""
    m = -m if sign else m
    return m << e if e >= 0 else m >> -e


def nearest_of(sign, m, e):
    """The nearest integer, ties to even."""
    if e >= 0:
        return floor_of(sign, m, e)
    twice = floor_of(sign, m, e + 1)
    low = floor_of(sign, m, e)
    exact_tie = twice & 1 and m & ((1 << -e) - 1) == 1 << -e - 1
    if exact_tie:
        return low + (low & 1)
    return low + (twice & 1)


INTEGRAL = {
    "trunc": lambda s, m, e: -floor_of(0, m, e) if s else floor_of(0, m, e),
    "floor": floor_of,
    "ceil": lambda s, m, e: -floor_of(1 - s, m, e),
    "rndne": nearest_of,
}


def integral(env, fmt, x, how):
    """TRUNC, FLOOR, CEIL, RNDNE: a result of zero has the sign of the source."""
    x = env.flush(fmt, x)
    nan = env.nan_of(fmt, x)
    if nan is not None:
        return nan
    if fmt.is_inf(x):
        return x
    value = fmt.value(x)
    r = INTEGRAL[how](*value)
    return env.store(fmt, value[0], abs(r), 0)


def fract(env, fmt, x):
    """x - floor(x), rounded, and never 1."""
    x = env.flush(fmt, x)
    nan = env.nan_of(fmt, x)
    if env.gen == 6 and fmt is not F16 and nan is not None:
        env.doubts.add("fract-gfx6")
    if nan is not None:
        return nan
    if fmt.is_inf(x):
        return fmt.qnan
    sign, m, e = fmt.value(x)
    if e >= 0:
        return 0
    m = -m if sign else m
    r = env.store(fmt, 0, m & ((1 << -e) - 1), e)
    if r >= fmt.one:
        if env.gen == 6:
            env.doubts.add("fract-gfx6")
        return fmt.one - 1
    return r


# --- division helpers --------------------------------------------------------------

# format: TH, SC, LIM, FR
DIVISION = {F32: (96, 64, 24, 23), F64: (768, 128, 53, 52)}


def div_scale(env, fmt, v, d, n):
    """V_DIV_SCALE: the scaled S0, and whether V_DIV_FMAS must scale its result back: (D, flag)."""
    th, sc, lim, _ = DIVISION[fmt]
    v, d, n = (env.flush(fmt, x) for x in (v, d, n))
    if v != d and v != n:
        env.doubts.add("div-scale-s0")
    if fmt is F64 and env.gen == 6:
        env.doubts.add("div-scale-vcc-gfx6")
    dl, den = fmt.field(n) - fmt.field(d), v == d
    if dl >= th:
        post, adjust = 1, sc if den else 0
    elif fmt.field(d) == 0:
        post, adjust = 0, sc
    elif fmt.field(d) >= 2 * fmt.bias - 1:
        post = int(dl <= -th)
        adjust = 0 if post and not den else -sc
    elif dl <= -th:
        post, adjust = 1, 0 if den else sc
    elif fmt.field(n) <= lim:
        post, adjust = 0, sc
    else:
        post = adjust = 0
    if fmt.is_zero(d) or fmt.is_zero(n):
        return fmt.qnan, post
    if fmt.is_nan(v):
        return v | fmt.quiet, post
    if fmt.is_inf(v):
        return v, post
    sign, m, e = fmt.value(v)
    return env.store(fmt, sign, m, e + adjust), post


def div_fmas(env, fmt, a, b, c):
    """V_DIV_FMAS: a * b + c, scaled where VCC is set, and rounded once; sources are never flushed."""
    sc = DIVISION[fmt][1]
    special = fma_special(env, fmt, a, b, c)
    if special is not None:
        return special
    sign, m, e = exact_sum(product(fmt, a, b), fmt.value(c), env.round[fmt.width])
    if env.carry:
        e += sc if fmt.field(c) > fmt.bias else -sc
    return env.store(fmt, sign, m, e)


def div_fixup(env, fmt, q, d, n):
    """V_DIV_FIXUP: the special cases of n / d; in other cases the quotient q."""
    if (fmt.is_denormal(d) or fmt.is_denormal(n)) and not env.keep_in[fmt.width]:
        env.doubts.add("div-fixup-denorm")
    d, n = env.flush(fmt, d), env.flush(fmt, n)
    sign = fmt.negative(d) ^ fmt.negative(n)
    if fmt is F16:
        env.doubts.add("div-fixup-f16")
    if fmt.is_nan(n):
        if fmt.is_nan(d) and n != d:
            env.doubts.add("nan-payload")
        return n | fmt.quiet
    if fmt.is_nan(d):
        return d | fmt.quiet
    if fmt.is_zero(d) and fmt.is_zero(n) or fmt.is_inf(d) and fmt.is_inf(n):
        return fmt.qnan
    if fmt.is_zero(d) or fmt.is_inf(n):
        return fmt.signed(sign, fmt.inf)
    if fmt.is_inf(d) or fmt.is_zero(n):
        return fmt.signed(sign, 0)
    if fmt is not F16:
        if fmt.field(n) - fmt.field(d) < -(fmt.bias + DIVISION[fmt][3]):
            return env.store(fmt, sign, 1, fmt.emin - 2 * fmt.mbits)
        if not fmt.is_finite(q):
            return overflowed(fmt, sign, env.round[fmt.width])
    if fmt.is_denormal(q) and not env.keep_out[fmt.width]:
        env.doubts.add("div-fixup-denorm")      # S0 is kept
    return fmt.signed(sign, fmt.magnitude(q))


TWO_OVER_PI = int(
    "a2f9836e4e441529fc2757d1f534ddc0db6295993c439041fe5163abdebbc561b7246e3a424dd2e006492eea"
    "09d1921cfe1deb1cb129a73ee88235f52ebb4484e99c7026b45f7e413991d639835339f49c845f8bbdf9283b"
    "1ff897ffde05980fef2f118b5a0a6d1f6d367ecf27cb09b74f463f669e5fea2d7527bac7ebe5f17b3d0739f7"
    "8a5292ea6bfb5fb11f8d5d0856033046", 16)


def trig_preop(env, x, n):
    """53 bits of 2/pi, placed for the exponent of x."""
    shift = (n & 31) * 53 + max(0, F64.field(x) - 1077)
    if shift >= 1120 or F64.is_nan(x):
        env.doubts.add("trig-preop-tail")
    bits = (TWO_OVER_PI << 4000) >> (1184 + 4000 - 53 - shift) & ((1 << 53) - 1)
    return env.store(F64, 0, bits, -53 - shift + (128 if F64.field(x) >= 1968 else 0), mode=ZERO)


# --- cube map ----------------------------------------------------------------------

def cube_face(env, x, y, z):
    """The axis whose coordinate has the largest magnitude: 0 X, 1 Y, 2 Z."""
    for v in (x, y, z):
        if F32.is_nan(v):
            env.doubts.add("cube-nan")
        if F32.is_denormal(v) and not (env.keep_in[32] and env.keep_out[32]):
            env.doubts.add("cube-denorm")

    def at_least(a, b):
        return not F32.is_nan(a) and not F32.is_nan(b) and F32.magnitude(a) >= F32.magnitude(b)
    if at_least(z, x) and at_least(z, y):
        return 2
    return 1 if at_least(y, x) else 0


def below_zero(x):
    return x & F32.sign and not F32.is_nan(x) and not F32.is_zero(x)


def cubeid(env, x, y, z):
    face = cube_face(env, x, y, z)
    number = 2 * face + (1 if below_zero((x, y, z)[face]) else 0)
    return (0, 0x3F800000, 0x40000000, 0x40400000, 0x40800000, 0x40A00000)[number]


def cubesc(env, x, y, z):
    face = cube_face(env, x, y, z)
    if face == 2:
        return x ^ F32.sign if below_zero(z) else x
    if face == 1:
        return x
    return z if below_zero(x) else z ^ F32.sign


def cubetc(env, x, y, z):
    if cube_face(env, x, y, z) == 1:
        return z ^ F32.sign if below_zero(y) else z
    return y ^ F32.sign


def cubema(env, x, y, z):
    major = (x, y, z)[cube_face(env, x, y, z)]
    nan = env.nan_of(F32, major)
    if nan is not None:
        return nan
    if F32.is_inf(major):
        return major
    sign, m, e = F32.value(major)
    return env.store(F32, sign, m, e + 1)

