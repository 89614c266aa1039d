"""Lane values that hit the edges of an instruction.

A pool is a list of bit patterns.  `lanes` spreads a pool over the 64 lanes; each source has
its pool in another order, and turns it at another speed, so that edges meet edges.
"""

import random
import re
from functools import lru_cache

from compare_cases import int_values

from .floats import F16, F32, F64, FORMATS, rounded

SPEED = (5, 11, 17, 23)


def lanes(pool, n, turn):
    """The 64 values of source n: a pool in the order of n, turned by `turn`.  Fixed orders keep files small."""
    if n:
        pool = list(pool)
        random.Random(n).shuffle(pool)
    return [pool[(lane + turn * SPEED[n]) % len(pool)] for lane in range(64)]


def bits(fmt, x):
    """The pattern of a host number (exactly representable or rounded to nearest)."""
    if x == 0:
        return 0
    n, d = abs(x).as_integer_ratio()
    return rounded(fmt, int(x < 0), (n << 400) // d, -400, False, 0, False)


def both(fmt, magnitudes):
    return [x for m in magnitudes for x in (m, m | fmt.sign)]


@lru_cache(maxsize=None)
def edges(fmt):
    """Both signs of zero, denormals, the ends of the normal range, neighbours of 1, integers, infinity."""
    rng = random.Random(fmt.width)
    ordinary = [(fmt.bias + e << fmt.mbits) | rng.getrandbits(fmt.mbits) for e in (-3, -1, 0, 2, 5)]
    return both(fmt, [0, 1, fmt.quiet, fmt.min_normal - 1, fmt.min_normal, fmt.min_normal + 1, fmt.one - 1, fmt.one,
                      fmt.one + 1, fmt.one + fmt.quiet, bits(fmt, 2.0), bits(fmt, 0.5), bits(fmt, 3.0),
                      bits(fmt, 2.0**fmt.mbits) + 1, fmt.max, fmt.inf] + ordinary)


@lru_cache(maxsize=None)
def nans(fmt):
    return [fmt.inf | fmt.quiet, fmt.qnan | 5, fmt.inf | 1, fmt.sign | fmt.inf | fmt.quiet - 1, fmt.qnan]


@lru_cache(maxsize=None)
def ordinary(fmt, seed=0):
    """Full mantissas, exponents close enough that sums are inexact."""
    rng = random.Random(fmt.width + seed)
    spread = {16: 4, 32: 14, 64: 40}[fmt.width]
    return [rng.getrandbits(1) << fmt.width - 1 | fmt.bias + rng.randrange(-spread, spread) << fmt.mbits
            | rng.getrandbits(fmt.mbits) for _ in range(48)]


@lru_cache(maxsize=None)
def tiny(fmt):
    """Denormals, and numbers whose products and sums are denormal."""
    rng = random.Random(fmt.width + 9)
    half = fmt.bias + fmt.emin // 2
    out = [0, 1, 3, fmt.quiet, fmt.quiet + 1, fmt.min_normal - 1, fmt.min_normal, fmt.min_normal + 1,
           2 * fmt.min_normal,
           fmt.one, bits(fmt, 0.5), fmt.one - 1]
    out += [rng.getrandbits(fmt.mbits) for _ in range(3)]
    out += [half + e << fmt.mbits | rng.getrandbits(fmt.mbits) for e in (-2, -1, 0, 1)]
    out += [1 + e << fmt.mbits | rng.getrandbits(fmt.mbits) for e in (0, 1, 3)]
    return both(fmt, out)


@lru_cache(maxsize=None)
def wide_range(fmt):
    """Numbers of all exponents, for the division helpers."""
    rng = random.Random(fmt.width + 1)
    top = 2 * fmt.bias
    fields = [1, 2, 3, 20, 24, 25, 30, 52, 53, 54, 60, fmt.bias - 97, fmt.bias - 96, fmt.bias - 64, fmt.bias - 1,
              fmt.bias,
              fmt.bias + 1, fmt.bias + 64, fmt.bias + 95, fmt.bias + 96, fmt.bias + 97, top - 64, top - 2, top - 1, top]
    fields = [f for f in fields if 0 < f <= top]
    out = [f << fmt.mbits | (0 if i % 3 == 0 else rng.getrandbits(fmt.mbits)) for i, f in enumerate(fields)]
    return [x | (i % 3 == 1) * fmt.sign for i, x in enumerate(out)] + [1, fmt.quiet, fmt.sign | fmt.min_normal - 1] \
        + [0, fmt.inf, fmt.sign, fmt.sign | fmt.inf]


@lru_cache(maxsize=None)
def near_integers(fmt):
    points = [0.25, 0.5, 0.75, 1.0, 1.5, 2.5, 3.5, 7.75, 254.5, 255.0, 255.5, 256.0, 2047.5, 32767.0, 32767.5, 32768.0]
    if fmt is not F16:
        points += [65535.0, 65535.5, 65536.5, 8388607.5, 2147483520.0, 2147483648.0, 4294967040.0, 4294967296.0, 1e10]
    out = [0, 1, fmt.min_normal - 1, bits(fmt, 0.5) - 1, fmt.one - 1, fmt.max, fmt.inf] + [bits(fmt, x) for x in points]
    if fmt is F64:
        out += [bits(fmt, x) for x in (2147483647.5, 2147483647.0, 4294967295.5, 4294967295.0, 2147483648.75)]
    return both(fmt, out)


@lru_cache(maxsize=None)
def exponents_of_two(fmt):
    """Arguments of EXP."""
    low, high = fmt.emin, fmt.bias + 1
    points = [1.0, 0.5, 2.0, 0.1, 1.0 / 3, 10.7, 3.999, 2.0**-9, float(high), high - 1.0, high - 0.25, high + 0.5,
              2.0**-fmt.mbits * 0.7, 6.5]
    below = [-float(low), low - 0.5, low - 1.0, low - fmt.mbits * 1.0, low - fmt.mbits - 1.5, low + 0.25]
    return [0, fmt.sign, 1, fmt.sign | 1, fmt.inf, fmt.sign | fmt.inf, fmt.max] + [bits(fmt, x) for x in points] \
        + [bits(fmt, -x) for x in points] + [bits(fmt, -abs(x)) for x in below] \
        + [bits(fmt, float(low)) + 1]


@lru_cache(maxsize=None)
def positive(fmt):
    """Arguments of LOG, RSQ, SQRT; a few negative ones."""
    rng = random.Random(fmt.width + 2)
    out = [0, 1, fmt.min_normal - 1, fmt.quiet, fmt.min_normal, fmt.one - 1, fmt.one, fmt.one + 1, bits(fmt, 2.0),
           bits(fmt, 4.0), bits(fmt, 8.0), bits(fmt, 0.25), bits(fmt, 3.0), bits(fmt, 10.0), fmt.max, fmt.inf]
    out += [rng.randrange(fmt.min_normal, fmt.inf) for _ in range(20)]
    return out + [fmt.sign | x for x in (1, fmt.min_normal, fmt.one, fmt.inf)]


@lru_cache(maxsize=None)
def revolutions(fmt):
    rng = random.Random(fmt.width + 3)
    points = [0.25, 0.5, 0.75, 1.0, 1.25, 0.125, 1 / 12, 1 / 6, 0.3, 2.7, 17.25, 100.1, 255.5, 256.0, 2.0**-12,
              0.2500001]
    out = [0, 1, fmt.min_normal, fmt.inf] + [bits(fmt, x) for x in points] \
        + [bits(fmt, rng.random() * 4) for _ in range(6)]
    return both(fmt, out)


def far_revolutions(fmt):
    points = [256.25, 256.5, 300.3, 1000.75, 4095.5, 60000.0] + ([1e6 + 0.25, 1e9, 1e30] if fmt is not F16 else [])
    return both(fmt, [bits(fmt, x) for x in points] + [fmt.max])


@lru_cache(maxsize=None)
def unit_interval(fmt):
    rng = random.Random(fmt.width + 4)
    points = [0.5, 0.1, 0.25, 0.999, 1.0, 1.5, 2.0, 1 / 65534, 1 / 131070, 3 / 131070, 0.3333, 2.5 / 32767]
    return both(fmt, [0, 1, fmt.min_normal - 1, fmt.one - 1, fmt.one + 1, fmt.inf, fmt.max]
                + [bits(fmt, x) for x in points] + [bits(fmt, rng.random()) for _ in range(6)])


@lru_cache(maxsize=None)
def bytes_as_floats(_):
    points = [0.25, 0.5, 0.75, 1.0, 1.5, 2.5, 3.5, 100.3, 127.5, 254.4, 254.5, 254.6, 255.0, 255.4, 255.5, 256.0, 1e9]
    return both(F32, [0, 1, F32.inf] + [bits(F32, x) for x in points])


@lru_cache(maxsize=None)
def around_target(source, target):
    """Numbers of a wide format at the limits and ties of a narrow one."""
    rng = random.Random(target.width)
    shift = source.mbits - target.mbits
    out = []
    for x in (1, 2, 3, target.quiet, target.min_normal - 1, target.min_normal, target.one, target.one + 1, target.max):
        sign, m, e = target.value(x)
        exact = rounded(source, 0, m, e, False, 0, False)
        out += [exact, exact + (1 << shift - 1), exact - 1, exact + (1 << shift - 1) + 1]
    smallest = rounded(source, 0, 1, target.emin - target.mbits, False, 0, False)
    out += [smallest - source.min_normal, smallest - source.min_normal + 1, smallest - 2 * source.min_normal,
            bits(source, 2.0**(target.bias + 1)), source.max, source.inf, 0, 1, source.min_normal - 1]
    out += [target_range(rng, source, target) for _ in range(6)]
    return [x | (i & 1) * source.sign for i, x in enumerate(out)]


def target_range(rng, source, target):
    return source.bias + rng.randrange(target.emin, target.bias) << source.mbits | rng.getrandbits(source.mbits)


@lru_cache(maxsize=None)
def words(kind):
    """Integers of a width, and random ones."""
    width = int(kind[1:])
    if width == 128:
        rng = random.Random(128)
        return [rng.getrandbits(128) for _ in range(14)] + [0, (1 << 128) - 1, (1 << 128) - 1 - (1 << 64)]
    rng = random.Random(width + 77)
    extra = [rng.getrandbits(width) for _ in range(11)]
    if width == 32:
        extra += [0x7FFFFF, 0x800000, 0xFF800000, 0xFF7FFFFF, 0x00FFFFFF, 0x01000000, 0x55AA00FF, 0x00010000]
    return int_values(width) + extra


COUNTS = [0, 1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 23, 24, 28, 30, 31, 32, 33, 48, 63, 64, 0x80000000, 0xFFFFFFE1,
          0xFFFFFFFF, 12]
BYTES = [0x01007F23, 0x89ABCDEF, 0, 0xFFFFFFFF, 0x00FF00FF, 0xFF000001, 0x7F808080, 0x00000080, 0x12345678, 0xFEDCBA98,
         0x01010101, 0x80000000, 0x00FFFF00]
SELECTORS = [0x03020100, 0x07060504, 0x0B0A0908, 0x0F0E0D0C, 0x00FF7F80, 0x0C080700, 0x0D0B0905, 0x06050403, 0x10203040,
             0x04050607, 0x0C0C0C0C]
LDEXPS = [0, 1, -1, 2, -2, 10, -10, 24, -24, 52, 100, -100, 126, 127, 128, -126, -127, -140, -149, -150, -151, 277,
          -300, 1023,
          1024, -1022, -1074, -1075, 2100, -2200, 2**31 - 1, -2**31]
CUBE = [bits(F32, x) for x in (1.0, -1.0, 2.0, -2.0, 3.0, -3.0, 0.0, 0.5, -0.25, 1e30)] + [1 << 31, F32.max, F32.inf]
NIBBLES = [0x76543210, 0xFEDCBA98, 0x88888888, 0x7F7F7F7F, 0x80808080, 0xFFFFFFFF, 0, 0x01234567]
SMALL_BITS = [0, 1, 0x01010101, 0x00010001, 0xFFFFFFFF, 0xFEFEFEFE, 0x01000100]
# TRIG_PREOP: exponents up to 1300 with segments up to 12 stay clear of the end of the table
TRIG = [0x3FF0000000000000, 0x4480F0CF064DD592, 0, 0xBFF8000000000000, 0x4340000000000000, 0x4350000000000001,
        0x4370000000000000, 0x0010000000000000, 0x0000000000000001, 0x41D0000000000000,
        0x5000000000000000, 0xC3F0000000000000]
FAR_TRIG = [0x7E37E43C8800759C, 0x7AF0000000000000, 0x7B00000000000000, 0x7B10000000000000, 0x7FEFFFFFFFFFFFFF,
            0xFE00000000000000]


def special_arguments(name, fmt):
    """Arguments of transcendental functions whose results the documents promise exactly."""
    out = [0, fmt.inf, fmt.one]
    if name != "sqrt":
        out.append(fmt.sign)
    if fmt is F32:
        out += [1, fmt.quiet, fmt.min_normal - 1]
    if name == "rcp":
        out += [fmt.sign | fmt.inf, fmt.sign | 1 if fmt is F32 else 0]
        out += [bits(fmt, x) for x in ((2.0, -0.5, 1024.0, 2.0**-100, -2.0**126) if fmt is F32 else (1.0,))]
    elif name in ("sin", "cos"):
        out = [0, fmt.sign, fmt.inf, fmt.sign | fmt.inf] + [bits(fmt, k / 4) for k in range(-9, 12)]
    elif name == "exp":
        out = [0, fmt.sign, fmt.inf, fmt.sign | fmt.inf, bits(fmt, 200.0), bits(fmt, -200.0)]
        out += [1, fmt.sign | 1] if fmt is F32 else []
    else:
        out += [fmt.sign | x for x in (fmt.one, fmt.inf, fmt.max, fmt.min_normal)]
    if fmt is F64 or fmt is F32 and name in ("rsq", "sqrt"):
        out = [x for x in out if x != fmt.one]
    return out


# name pattern -> pools of the sources
SPECIAL = [
    (r"v_cvt_(pk_u8|pkaccum_u8)", [bytes_as_floats, COUNTS, BYTES]),
    (r"v_cvt_(pk)?norm", [unit_interval, unit_interval]),
    (r"v_cvt_[iu]\d+_f|v_cvt_(rpi|flr)|v_(trunc|ceil|floor|rndne|fract)_f", [near_integers]),
    (r"v_cvt_f32_f64", [lambda fmt: around_target(F64, F32)]),
    (r"v_cvt_f16_f32|v_cvt_pkrtz", [lambda fmt: around_target(F32, F16)] * 2),
    (r"v_exp", [exponents_of_two]),
    (r"v_log|v_rsq|v_sqrt", [positive]),
    (r"v_rcp", [wide_range]),
    (r"v_sin|v_cos", [revolutions]),
    (r"v_div", [wide_range] * 3),
    (r"v_ldexp_f16", [None, [x & 0xFFFF for x in LDEXPS if abs(x) < 2**15] + [0x7FFF, 0x8000, 5, -5 & 0xFFFF]]),
    (r"v_ldexp", [None, [x & 0xFFFFFFFF for x in LDEXPS]]),
    (r"v_trig_preop", [TRIG, list(range(13)) + [32, 0xFFFFFFE2, 64 + 5]]),
    (r"v_cube", [CUBE] * 3),
    (r"v_mullit", [None, [F32.sign | F32.max, F32.sign | F32.inf, F32.one, F32.sign | F32.one, 0, F32.inf, 0x40490FDB],
                   [0, F32.sign, F32.one, F32.sign | F32.one, 0x40490FDB, F32.inf, F32.sign | F32.inf, F32.max]]),
    (r"v_(lsh[lr]|ash[rl])rev_[bi](32|64)", [COUNTS, None]),
    (r"v_pk_(lsh|ash).*rev|v_(lsh[lr]|ash[rl])rev_[bi]16", None),
    (r"v_(lsh[lr]|ashr)_", [None, COUNTS]),
    (r"v_bfe", [None, COUNTS, COUNTS]),
    (r"v_bfm", [COUNTS, COUNTS]),
    (r"v_align", [None, None, COUNTS]),
    (r"v_perm", [None, BYTES, SELECTORS]),
    (r"v_lerp", [BYTES, None, SMALL_BITS]),
    (r"v_lshl_(add|or)", [None, COUNTS, None]),
    (r"v_add_lshl", [None, None, COUNTS]),
    (r"v_m?sad|v_m?qsad", [None, BYTES, None]),
    (r"v_dot[48]", [NIBBLES, NIBBLES, None]),
    (r"v_cvt_off|v_screen|v_cvt_f32_ubyte", None),
]


def unusual(mnemonic, n, kind, flavour):
    """The pool of source n in a flavour that only a few instructions have, else None."""
    name = mnemonic.split("_")[1]
    if flavour == "zeros":
        fmt = FORMATS.get(kind)
        return both(fmt, [0, 0, 1, fmt.one]) if fmt else words(kind)
    if flavour == "special":
        return special_arguments(name, FORMATS[kind])
    if flavour == "far":
        if name == "trig":
            return FAR_TRIG if n == 0 else [0, 1, 2, 33]
        return far_revolutions(FORMATS[kind])
    if name in ("qsad", "mqsad") and n == 2 and flavour == "edge":
        field = 0x7FFFFFFF_7FFFFFFF_7FFFFFFF_7FFFFFFF if kind == "b128" else 0x7FFF7FFF_7FFF7FFF
        return [x & field for x in words(kind)]             # no sum wraps
    if flavour == "edge" and re.match(r"v_mad?[ck]?(mk|ak)?_(legacy_)?f16", mnemonic):
        return [x for x in edges(F16) if F16.is_zero(x) or F16.field(x) >= 8]       # nothing is flushed
    if mnemonic == "v_trig_preop_f64" and flavour == "all":
        return TRIG + FAR_TRIG + nans(F64) if n == 0 else list(range(32))
    return None


def default_pool(kind, flavour):
    if kind in FORMATS:
        fmt = FORMATS[kind]
        return {"edge": edges, "all": edges, "random": ordinary, "tiny": tiny}[flavour](fmt)
    return words(kind)


def pool(mnemonic, n, kind, flavour):
    """The pool of source n.  `flavour`: edge (one NaN at most), all (every NaN), random, tiny."""
    chosen = unusual(mnemonic, n, kind, flavour)
    if chosen is not None:
        return chosen
    if flavour in ("edge", "all"):
        for pattern, pools in SPECIAL:
            if re.match(pattern, mnemonic):
                chosen = pools[n] if pools and n < len(pools) else None
                break
        if callable(chosen):
            chosen = chosen(FORMATS[kind])
    out = list(chosen if chosen is not None else default_pool(kind, flavour))
    if kind in FORMATS and flavour == "all":
        out += nans(FORMATS[kind])
    elif kind in FORMATS and flavour == "edge" and n == 0 and not re.match("v_cube|v_trig|v_div_scale", mnemonic):
        out.append(FORMATS[kind].inf | FORMATS[kind].quiet | 3)
    return out

