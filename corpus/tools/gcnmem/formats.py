"""Data formats and number formats: what an element of a buffer means."""

from fractions import Fraction

from gcnvalu.floats import F16, F32

from .atomics import nearest
from .machine import sx

UNORM, SNORM, USCALED, SSCALED, UINT, SINT, OGL, FLOAT = range(8)

# (first bit, bits) of the components X, Y, Z, W
LAYOUT = {1: [(0, 8)], 2: [(0, 16)], 4: [(0, 32)], 3: [(0, 8), (8, 8)], 5: [(0, 16), (16, 16)],
          11: [(0, 32), (32, 32)], 10: [(8 * k, 8) for k in range(4)], 12: [(16 * k, 16) for k in range(4)],
          14: [(32 * k, 32) for k in range(4)], 13: [(32 * k, 32) for k in range(3)],
          6: [(0, 11), (11, 11), (22, 10)], 7: [(0, 10), (10, 11), (21, 11)],
          8: [(0, 2), (2, 10), (12, 10), (22, 10)], 9: [(0, 10), (10, 10), (20, 10), (30, 2)]}


def element_size(dfmt):
    """Bytes of an element, 0 for formats that there are not."""
    return max(at + bits for at, bits in LAYOUT[dfmt]) // 8 if dfmt in LAYOUT else 0


def alignment(dfmt, gen):
    """What the address of an element must be a multiple of."""
    return element_size(dfmt) if gen == 6 else min(element_size(dfmt), 4)


def number_format(nfmt, bits, gen, doubts):
    """The format that is used for a component."""
    if bits == 32:
        return nfmt
    if nfmt == OGL and gen >= 8 or nfmt == FLOAT and bits in (8, 2):
        doubts.add("format-invalid")
        return UINT
    return nfmt


def is_float_type(nfmt):
    return nfmt not in (UINT, SINT)


def small_float(field, bits):
    """An unsigned float of 11 or 10 bits as the bits of a binary32."""
    mantissa_bits = bits - 5
    exponent, mantissa = field >> mantissa_bits, field & (1 << mantissa_bits) - 1
    if exponent == 31:
        return F32.inf | mantissa << 23 - mantissa_bits
    if exponent == 0:
        return rounded(Fraction(mantissa, 1 << 14 + mantissa_bits))
    return exponent - 15 + 127 << 23 | mantissa << 23 - mantissa_bits


def half_to_single(x):
    """A binary16 as the bits of a binary32; the payload of a NaN is shifted up."""
    sign, magnitude = (x & 0x8000) << 16, x & 0x7FFF
    if magnitude >= 0x7C00:
        return sign | F32.inf | (magnitude & 0x3FF) << 13
    _, m, e = F16.value(magnitude)
    return sign | (nearest(F32, m, e) if m else 0)


def short_nan(x, mantissa_bits, code, doubts):
    """A binary32 NaN in a smaller format: the upper bits of its payload; quiet if nothing is left of it."""
    payload = (x & 0x7FFFFF) >> 23 - mantissa_bits
    if payload << 23 - mantissa_bits != x & 0x7FFFFF:
        doubts.add(code)
    return 31 << mantissa_bits | (payload or 1 << mantissa_bits - 1)


def single_to_half(x, doubts):
    """A binary32 as the bits of a binary16, rounded to nearest even."""
    sign = x >> 16 & 0x8000
    if F32.is_nan(x):
        return sign | short_nan(x, 10, "format-d16-round", doubts)
    if F32.is_inf(x):
        return sign | 0x7C00
    _, m, e = F32.value(F32.magnitude(x))
    half = nearest(F16, m, e) if m else 0
    if half_to_single(half) != F32.magnitude(x):
        doubts.add("format-d16-round")
    return sign | half


def rounded(value):
    """A fraction as the nearest binary32."""
    if value == 0:
        return 0
    sign, value = (1 << 31, -value) if value < 0 else (0, value)
    e = value.numerator.bit_length() - value.denominator.bit_length() - 60
    scaled = value / (Fraction(2) ** e)
    m = scaled.numerator // scaled.denominator
    # one bit more says whether something was cut off
    return sign | nearest(F32, 2 * m + (m != scaled), e - 1)


def quotient(value, doubts):
    """A fraction as the binary32 of a normalised number; documents do not say how exact the hardware is."""
    bits = rounded(value)
    _, m, e = F32.value(bits)
    if m * Fraction(2) ** e != abs(value):
        doubts.add("format-norm-rounding")
    return bits


def load_component(field, bits, nfmt, gen, doubts):
    """A field of memory as the 32 bits of a register."""
    nfmt = number_format(nfmt, bits, gen, doubts)
    if bits == 32:
        return field
    signed = sx(field, bits)
    if bits == 2 and nfmt in (SNORM, SSCALED, SINT) and gen < 9:
        doubts.add("format-2bit")
        return {SNORM: quotient(Fraction(field, 3), doubts), SSCALED: rounded(Fraction(field)), SINT: field}[nfmt]
    top = (1 << bits) - 1
    if nfmt == UNORM:
        return quotient(Fraction(field, top), doubts)
    if nfmt == SNORM:
        return quotient(max(Fraction(-1), Fraction(signed, (1 << bits - 1) - 1)), doubts)
    if nfmt == USCALED:
        return rounded(Fraction(field))
    if nfmt == SSCALED:
        return rounded(Fraction(signed))
    if nfmt == UINT:
        return field
    if nfmt == SINT:
        return signed & 0xFFFFFFFF
    if nfmt == OGL:
        return quotient(Fraction(2 * signed + 1, top), doubts)
    return half_to_single(field) if bits == 16 else small_float(field, bits)


def round_half_even(value):
    whole = value.numerator // value.denominator
    rest = value - whole
    return whole + (rest > Fraction(1, 2) or rest == Fraction(1, 2) and whole & 1)


def store_component(value, bits, nfmt, gen, doubts):
    """The 32 bits of a register as a field of memory."""
    nfmt = number_format(nfmt, bits, gen, doubts)
    if bits == 32:
        return value
    top, mask = (1 << bits - 1) - 1, (1 << bits) - 1
    if nfmt == UINT:
        if value > mask:
            doubts.add("format-int-store")
        return min(value, mask)
    if nfmt == SINT:
        signed = max(-top - 1, min(top, sx(value, 32)))
        if signed != sx(value, 32):
            doubts.add("format-int-store")
        return signed & mask
    if nfmt == FLOAT:
        return store_half(value, doubts) if bits == 16 else store_small(value, bits, doubts)
    if nfmt in (USCALED, SSCALED, OGL):
        doubts.add("format-scaled-store")
    low, high, factor = {UNORM: (0, 1, mask), SNORM: (-1, 1, top), USCALED: (0, mask, 1),
                         SSCALED: (-top - 1, top, 1)}[nfmt]
    if F32.is_nan(value):
        return 0
    if F32.is_inf(value):
        number = Fraction(low if F32.negative(value) else high)
    else:
        sign, m, e = F32.value(value)
        number = max(Fraction(low), min(Fraction(high), (-1) ** sign * m * Fraction(2) ** e))
    return round_half_even(number * factor) & mask


def toward_zero(value, mantissa_bits):
    """The magnitude of a finite binary32 with five bits of exponent, cut; the largest number if it is too large."""
    _, m, e = F32.value(F32.magnitude(value))
    if m == 0:
        return 0
    last = max(m.bit_length() - 1 + e - mantissa_bits, -14 - mantissa_bits)
    m = m >> last - e if last >= e else m << e - last
    bits = m if m < 1 << mantissa_bits else m + (last + 14 + mantissa_bits << mantissa_bits)
    return min(bits, (31 << mantissa_bits) - 1)


def store_half(value, doubts):
    sign = value >> 16 & 0x8000
    if F32.is_nan(value):
        return sign | short_nan(value, 10, "format-f16-store", doubts)
    if F32.is_inf(value):
        return sign | 0x7C00
    half = toward_zero(value, 10)
    if half_to_single(half) != F32.magnitude(value):
        doubts.add("format-f16-store")
    return sign | half


def store_small(value, bits, doubts):
    mantissa_bits = bits - 5
    if F32.is_nan(value):
        return short_nan(value, mantissa_bits, "format-f16-store", doubts)
    if value >> 31:
        if F32.magnitude(value):
            doubts.add("format-f16-store")
        return 0
    if F32.is_inf(value):
        return 31 << mantissa_bits
    field = toward_zero(value, mantissa_bits)
    if small_float(field, bits) != value:
        doubts.add("format-f16-store")
    return field


def one(nfmt):
    """The bits that selector 1 gives: 1 in the number format."""
    return 0x3F800000 if is_float_type(nfmt) else 1


def to_d16(value, nfmt, doubts):
    """A loaded component as 16 bits."""
    return single_to_half(value, doubts) if is_float_type(nfmt) else value & 0xFFFF


def from_d16(value, nfmt):
    """A stored component of 16 bits as the 32 bits that are converted."""
    if is_float_type(nfmt):
        return half_to_single(value)
    return sx(value, 16) & 0xFFFFFFFF if nfmt == SINT else value


def split(data, dfmt):
    """The fields of an element."""
    return [data >> at & (1 << bits) - 1 for at, bits in LAYOUT[dfmt]]


def join(fields, dfmt):
    return sum(field << at for field, (at, _) in zip(fields, LAYOUT[dfmt]))
