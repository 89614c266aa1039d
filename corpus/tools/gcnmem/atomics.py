"""The new value of every atomic operation."""

from gcnvalu.floats import F32, F64

from .machine import sx


def integer(op, old, data, bits):
    """The new value; `data` is one operand, or the pair that the operation takes."""
    mask = (1 << bits) - 1
    one = data if isinstance(data, int) else data[0]
    signed_old, signed_one = sx(old, bits), sx(one, bits)
    results = {
        "swap": lambda: one,
        "add": lambda: old + one,
        "sub": lambda: old - one,
        "rsub": lambda: one - old,
        "smin": lambda: min(signed_old, signed_one),
        "smax": lambda: max(signed_old, signed_one),
        "umin": lambda: min(old, one),
        "umax": lambda: max(old, one),
        "and": lambda: old & one,
        "or": lambda: old | one,
        "xor": lambda: old ^ one,
        "inc": lambda: 0 if old >= one else old + 1,
        "dec": lambda: one if old == 0 or old > one else old - 1,
        "cmpswap": lambda: data[0] if old == data[1] else old,      # source, comparand
        "cmpst": lambda: data[1] if old == data[0] else old,        # comparand, source
        "mskor": lambda: old & ~data[0] | data[1],
        "wrap": lambda: old - data[0] if old >= data[0] else old + data[1],
    }
    return results[op]() & mask


def order(f, x):
    """A key that sorts floats; both zeros are equal."""
    magnitude = f.magnitude(x)
    return -magnitude if f.negative(x) else magnitude


def vector_memory_float(op, old, data, bits, doubts):
    """FMIN, FMAX, FCMPSWAP of MUBUF and FLAT: a plain compare, bits are copied."""
    f = F32 if bits == 32 else F64
    if op == "fcmpswap":
        source, comparand = data
        equal = not f.is_nan(old) and not f.is_nan(comparand) and order(f, old) == order(f, comparand)
        return source if equal else old
    if any(f.is_nan(x) or f.is_denormal(x) for x in (old, data)):
        doubts.add("atomic-fminmax")
    if f.is_nan(old) or f.is_nan(data):
        return old
    less = order(f, data) < order(f, old) if op == "fmin" else order(f, data) > order(f, old)
    return data if less else old


def share_float(op, old, data, bits, mode, doubts):
    """CMPST_F, MIN_F, MAX_F, ADD_F32 of DS, under MODE's rules for denormals."""
    f = F32 if bits == 32 else F64
    field = mode >> (4 if bits == 32 else 6) & 3
    keep_input, keep_result = field & 1, field >> 1

    def flushed(x, keep=keep_input):
        if f.is_denormal(x) and not keep:
            doubts.add("lds-float-denorm")
            return x & f.sign
        return x

    if op == "fcmpst":
        comparand, source = data
        a, b = flushed(old), flushed(comparand)
        equal = not f.is_nan(a) and not f.is_nan(b) and order(f, a) == order(f, b)
        return flushed(source) if equal else old
    if op in ("fmin", "fmax"):
        return minmax(f, op, old, data, flushed, doubts)
    a, b = flushed(old), flushed(data)
    if f.is_nan(a) or f.is_nan(b):
        return (a if f.is_nan(a) else b) | f.quiet
    if f.is_inf(a) or f.is_inf(b):
        if f.is_inf(a) and f.is_inf(b) and a != b:
            return f.inf | f.quiet
        return a if f.is_inf(a) else b
    return flushed(add(f, a, b), keep_result)


def minmax(f, op, old, data, flushed, doubts):
    if f.is_nan(old) or f.is_nan(data):
        doubts.add("atomic-fminmax")
        chosen = old if f.is_nan(data) else data
        return chosen | f.quiet if f.is_nan(chosen) else chosen
    a, b = flushed(old), flushed(data)
    if f.is_zero(a) and f.is_zero(b) and a != b:
        doubts.add("atomic-fminmax")
    # -0 lies below +0
    key_a, key_b = (order(f, a), -f.negative(a)), (order(f, b), -f.negative(b))
    less = key_b < key_a if op == "fmin" else key_b > key_a
    return data if less else old


def add(f, a, b):
    """The sum of two finite numbers, rounded to nearest even."""
    (sa, ma, ea), (sb, mb, eb) = f.value(a), f.value(b)
    e = min(ea, eb)
    total = (-ma if sa else ma) * (1 << ea - e) + (-mb if sb else mb) * (1 << eb - e)
    if total == 0:
        return f.sign if sa and sb else 0
    return nearest(f, total, e)


def nearest(f, m, e):
    """m * 2^e in a format, rounded to nearest even."""
    sign, m = (f.sign, -m) if m < 0 else (0, m)
    # the exponent of the last bit of the result
    last = max(m.bit_length() - 1 + e - f.mbits, f.emin - f.mbits)
    shift = last - e
    if shift > 0:
        rest, half = m & (1 << shift) - 1, 1 << shift - 1
        m >>= shift
        m += rest > half or rest == half and m & 1
    else:
        m <<= -shift
    # a carry out of the mantissa moves into the exponent by itself
    bits = m if m < f.min_normal else m + (last - (f.emin - f.mbits)) * f.min_normal
    return sign | min(bits, f.inf)
