"""VOP3P: packed 16-bit operations, mixed precision, dot products."""

from . import arith, convert
from .floats import F16, F32
from .ints import i32, joined, parts, sext

PACKED_INT = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul_lo": lambda a, b: a * b,
    "mad": lambda a, b, c: a * b + c,
    "lshlrev": lambda a, b: b << (a & 15),
    "lshrrev": lambda a, b: b >> (a & 15),
    "ashrrev": lambda a, b: b >> (a & 15),
    "min": min,
    "max": max,
}

PACKED_FLOAT = {
    "add": arith.add, "mul": arith.mul, "fma": arith.fma,
    "min": arith.minimum, "max": arith.maximum,
}


class Packed:
    """The modifiers of a VOP3P word, one bit per source."""

    def __init__(self, op_sel=0, op_sel_hi=7, neg_lo=0, neg_hi=0):
        self.op_sel, self.op_sel_hi = op_sel, op_sel_hi
        self.neg_lo, self.neg_hi = neg_lo, neg_hi

    def half(self, sources, select, negate):
        """The halves of all sources for one result: bit n of `select` takes the upper half, of `negate` NEG."""
        return [x >> 16 * (select >> n & 1) & 0xFFFF ^ (negate >> n & 1) << 15
                for n, x in enumerate(sources)]

    def two(self, sources):
        return (self.half(sources, self.op_sel, self.neg_lo),
                self.half(sources, self.op_sel_hi, self.neg_hi))


def packed_int(name, kind):
    """A packed integer instruction as a function; each half wraps or, with CLAMP, saturates."""
    f = PACKED_INT[name]

    def lane(env, packed, *sources):
        out = []
        for values in packed.two(sources):
            if kind == "i16":
                # the count of a shift is unsigned, and only its low bits matter
                values = [sext(x, 16) for x in values]
            out.append(env.integer(f(*values), kind))
        return joined(out, 16)
    return lane


def packed_float(name):
    f = PACKED_FLOAT[name]

    def lane(env, packed, *sources):
        out = [f(env, F16, *values) for values in packed.two(sources)]
        if env.clamp:
            out = [env.clamped(F16, x) for x in out]
        return joined(out, 16)
    return lane


# --- MAD_MIX, FMA_MIX --------------------------------------------------------------

def mix_half(env, half, fused):
    """A binary16 source: denormals follow MODE in FMA_MIX, and are flushed in MAD_MIX and DOT2."""
    if not F16.is_denormal(half):
        return half
    keeps = env.keep_in[16]
    if fused or keeps:
        env.doubts.add("mix-f16-denorm")
    return half if fused and keeps else half & F16.sign


def mix_source(env, packed, n, x, fused):
    """Source n as binary32, from 32 bits or from a half; NEG_HI means ABS here, NEG_LO means NEG."""
    if packed.op_sel_hi >> n & 1:
        half = mix_half(env, x >> 16 * (packed.op_sel >> n & 1) & 0xFFFF, fused)
        # a signalling NaN is quieted by the operation, not by the widening
        sign, rest = half & 0x8000, half & 0x7FFF
        if F16.is_nan(half):
            x = F32.signed(sign, F32.inf | (rest & 0x3FF) << 13)
        else:
            x = convert.widen_half(env, half)
    if packed.neg_hi >> n & 1:
        x &= ~F32.sign
    if packed.neg_lo >> n & 1:
        x ^= F32.sign
    return x


def fma_to_half(env, a, b, c):
    """a * b + c, rounded once from the exact value to binary16."""
    a, b, c = (env.flush(F32, x) for x in (a, b, c))
    special = arith.fma_special(env, F32, a, b, c)
    if special is not None:
        if F32.is_nan(special):
            return convert.narrow_nan(F32, F16, special)
        return F16.signed(special & F32.sign, F16.inf) if F32.is_inf(special) else \
            env.store(F16, *F32.value(special))
    total = arith.exact_sum(arith.product(F32, a, b), F32.value(c), env.round[16])
    return env.store(F16, *total)


def mad_to_half(env, r):
    """The second rounding of MAD_MIXLO and MAD_MIXHI: a denormal is flushed whatever MODE says."""
    if F32.is_nan(r):
        return convert.narrow_nan(F32, F16, r)
    if F32.is_inf(r):
        return F16.signed(r & F32.sign, F16.inf)
    kept = env.store(F16, *F32.value(r), flush=False)
    flushed = env.store(F16, *F32.value(r), flush=True)
    if kept != flushed and env.keep_out[16]:
        env.doubts.add("mix-f16-denorm")
    return flushed


def mix(fused, to_half):
    """MIX_F32, or with `to_half` MIXLO and MIXHI, whose result the machine puts into its half."""
    def lane(env, packed, *sources):
        a, b, c = (mix_source(env, packed, n, x, fused) for n, x in enumerate(sources))
        if fused:
            r = arith.fma(env, F32, a, b, c)
        else:
            if any(map(F32.is_denormal, (a, b, c))):
                env.doubts.add("mad-mix-denorm")
            r = arith.mad(env, F32, a, b, c)
        if to_half:
            one_step = fma_to_half(env, a, b, c)
            if fused:
                two_steps = convert.to_half(env, r) if not F32.is_nan(r) else convert.narrow_nan(F32, F16, r)
            else:
                two_steps = mad_to_half(env, r)
            if two_steps != one_step:
                env.doubts.add("mix-round")
            r = one_step if fused else two_steps
            convert.half_flush_doubt(env, r)
            return env.clamped(F16, r) if env.clamp else r
        return env.clamped(F32, r) if env.clamp else r
    return lane


# --- dot products ------------------------------------------------------------------

def dot2_int(kind):
    """DOT2: the sum of S2 and of two products.  OP_SEL and OP_SEL_HI choose the halves of S0 and S1."""
    def lane(env, packed, a, b, c):
        total = sext(c, 32) if kind == "i32" else c
        for x, y, _ in packed.two((a, b, 0)):
            total += sext(x, 16) * sext(y, 16) if kind == "i32" else x * y
        return env.integer(total, kind)
    return lane


def dot_int(kind, width):
    """DOT4 and DOT8: the sum of S2 and of the products of all fields of `width` bits."""
    def lane(env, packed, a, b, c):
        total = i32(c) if kind == "i32" else c
        for x, y in zip(parts(a, width, 32 // width), parts(b, width, 32 // width)):
            total += sext(x, width) * sext(y, width) if kind == "i32" else x * y
        return env.integer(total, kind)
    return lane


def dot2_f32(env, packed, a, b, c):
    """Two fused steps in binary32, low halves first; NEG_LO and NEG_HI of S2 are not combined."""
    env.doubts.add("dot2-rounding")
    t = c ^ (packed.neg_lo >> 2 & 1) << 31
    for x, y, _ in packed.two((a, b, 0)):
        x, y = (convert.widen_half(env, mix_half(env, half, fused=False)) for half in (x, y))
        t = arith.fma(env, F32, x, y, t, flush=True)
    return env.clamped(F32, t) if env.clamp else t

