"""Conversions between formats of floats, integers and normalised numbers."""

from .arith import floor_of
from .floats import F16, F32, F64, ZERO, round_integer


def saturate(x, bits, signed):
    low, high = (-1 << bits - 1, (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
    return min(max(x, low), high) & ((1 << bits) - 1)


def to_integer(env, fmt, x, bits, signed):
    """A float as an integer: rounded toward zero and saturated; NaN gives 0."""
    x = env.flush(fmt, x)
    if fmt.is_nan(x):
        return 0
    if fmt.is_inf(x):
        return saturate(-1 << 80 if x & fmt.sign else 1 << 80, bits, signed)
    sign, m, e = fmt.value(x)
    whole = floor_of(0, m, e)
    return saturate(-whole if sign else whole, bits, signed)


def floor_to_i32(env, x, half):
    """CVT_FLR (half = False) and CVT_RPI: floor(x + 1/2), exactly.  NaN saturates by sign."""
    x = env.flush(F32, x)
    if not F32.is_finite(x):
        return 0x80000000 if x & F32.sign else 0x7FFFFFFF
    sign, m, e = F32.value(x)
    if half:                                    # floor(x + 1/2) = floor((2x + 1) / 2)
        m, e = (-m if sign else m), e + 1
        if e >= 0:
            r = (m << e) + 1 >> 1
        else:
            r = m + (1 << -e) >> 1 - e
    else:
        r = floor_of(sign, m, e)
    return saturate(r, 32, True)


def from_integer(env, fmt, x):
    return env.store(fmt, int(x < 0), abs(x), 0)


def widen_nan(env, source, target, x):
    x = env.quieted(source, x)
    return target.signed(x & source.sign, target.inf
                         | (x & (source.min_normal - 1)) << target.mbits - source.mbits)


def narrow_nan(source, target, x):
    """A NaN in another format; it is always quiet."""
    return target.signed(x & source.sign, target.inf | target.quiet
                         | (x & (source.min_normal - 1)) >> source.mbits - target.mbits)


def special_to(source, target, x):
    if source.is_inf(x):
        return target.signed(x & source.sign, target.inf)
    return None


def f64_to_f32(env, x):
    x = env.flush(F64, x)
    if F64.is_nan(x):
        return narrow_nan(F64, F32, x)
    listed = special_to(F64, F32, x)
    return env.store(F32, *F64.value(x)) if listed is None else listed


def f32_to_f64(env, x):
    x = env.flush(F32, x)
    if F32.is_nan(x):
        return widen_nan(env, F32, F64, x)
    listed = special_to(F32, F64, x)
    return env.store(F64, *F32.value(x), flush=False) if listed is None else listed


def half_flush_doubt(env, x):
    if env.gen >= 8 and F16.is_denormal(x) and not (env.keep_in[16] and env.keep_out[16]):
        env.doubts.add("cvt-f16-denorm")


def f16_to_f32(env, x):
    """A binary16 as binary32.  Before gfx8 denormals of binary16 are always kept."""
    half_flush_doubt(env, x)
    if env.gen >= 8:
        x = env.flush(F16, x)
    return widen_half(env, x)


def widen_half(env, x):
    if F16.is_nan(x):
        return widen_nan(env, F16, F32, x)
    listed = special_to(F16, F32, x)
    return env.store(F32, *F16.value(x), flush=False) if listed is None else listed


def to_half(env, x, mode=None):
    """binary32 to binary16; `mode` given: that rounding."""
    x = env.flush(F32, x)
    if F32.is_nan(x):
        return narrow_nan(F32, F16, x)
    listed = special_to(F32, F16, x)
    if listed is not None:
        return listed
    kept = env.store(F16, *F32.value(x), mode=mode, flush=False)
    half_flush_doubt(env, kept)
    if env.gen < 8:
        return kept
    return env.store(F16, *F32.value(x), mode=mode)


def f32_to_f16(env, x):
    if env.gen < 8:
        mode, other = env.round[32], env.round[16]
    else:
        mode, other = env.round[16], env.round[32]
    if mode != other:
        doubts, env.doubts = env.doubts, set()
        differ = to_half(env, x, mode) != to_half(env, x, other)
        env.doubts = doubts | ({"cvt-f16-round"} if differ else set())
    if env.gen == 6 and env.old >> 16:
        env.doubts.add("cvt-f16-hi-gfx6")
    return to_half(env, x, mode)


def pkrtz(env, a, b):
    return to_half(env, a, ZERO) | to_half(env, b, ZERO) << 16


def normalised(env, fmt, x, bits, signed):
    """CVT_NORM, or one half of CVT_PKNORM: x * (2^n - 1) to nearest even, with x clamped to [-1 or 0, 1]."""
    if fmt is F16:
        env.doubts.add("norm-f16")
    x = env.flush(fmt, x)
    if fmt.is_nan(x):
        return 0
    if x & fmt.sign and not signed:
        return 0
    sign, m, e = fmt.value(min(fmt.magnitude(x), fmt.one))
    scale = (1 << bits - 1) - 1 if signed else (1 << bits) - 1
    r = round_integer(m * scale, -e, False, 0, 0)
    return (-r if x & fmt.sign else r) & ((1 << bits) - 1)


def pknorm(env, fmt, a, b, signed):
    return normalised(env, fmt, a, 16, signed) | normalised(env, fmt, b, 16, signed) << 16


def byte_of(env, x):
    """The byte of CVT_PK_U8_F32: x rounded by MODE and saturated; NaN gives 0."""
    if env.round[32]:
        env.doubts.add("pk-u8-round")
    x = env.flush(F32, x)
    if F32.is_nan(x):
        return 0
    if F32.is_inf(x):
        return 0 if x & F32.sign else 255
    sign, m, e = F32.value(x)
    r = round_integer(m, -e, False, sign, env.round[32])
    return saturate(-r if sign else r, 8, False)


def pk_u8(env, x, position, rest):
    shift = 8 * (position & 3)
    return rest & ~(255 << shift) | byte_of(env, x) << shift


def off_f32_i4(env, x):
    n = (x & 15 ^ 8) - 8
    return env.store(F32, int(n < 0), abs(n), -4)

