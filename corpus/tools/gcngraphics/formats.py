"""A texel as four components, and back.  A component is the 32 bits of a register."""

import math
from fractions import Fraction
from functools import lru_cache

from gcnmem import formats as buffers
from gcnmem.formats import FLOAT, OGL, SINT, SNORM, SSCALED, UINT, UNORM, USCALED, rounded
from gcnvalu.floats import F32

from . import blocks

SRGB = 9
NUMBERS = {UNORM: "unorm", SNORM: "snorm", USCALED: "uscaled", SSCALED: "sscaled", UINT: "uint", SINT: "sint",
           OGL: "snorm_ogl", FLOAT: "float", SRGB: "srgb"}

# (first bit, bits) of the components X, Y, Z, W
LAYOUT = buffers.LAYOUT | {
    16: [(0, 5), (5, 6), (11, 5)], 17: [(0, 5), (5, 5), (10, 5), (15, 1)], 18: [(0, 1), (1, 5), (6, 5), (11, 5)],
    19: [(4 * k, 4) for k in range(4)], 20: [(0, 24), (24, 8)], 21: [(0, 8), (8, 24)], 22: [(0, 32), (32, 8)],
    57: [(0, 4), (4, 4)], 58: [(0, 5), (5, 5), (10, 6)]}
SIZES = {22: 8, 34: 4, 35: 8, 36: 16, 37: 16, 38: 8, 39: 16, 40: 16, 41: 16}
SHARED_EXPONENT = 34
INFINITIES = (math.inf, -math.inf)
BLOCKS = {35: blocks.bc1, 36: blocks.bc2, 37: blocks.bc3, 38: blocks.bc4, 39: blocks.bc5, 40: blocks.bc6,
          41: blocks.bc7}


def element_size(dfmt):
    """Bytes of a texel or block, 0 for formats that there are not."""
    if dfmt in SIZES:
        return SIZES[dfmt]
    return max(at + bits for at, bits in LAYOUT[dfmt]) // 8 if dfmt in LAYOUT else 0


def block(dfmt):
    """Texels of an element, each way."""
    return 4 if dfmt in BLOCKS else 1


def is_float_type(nfmt):
    return nfmt not in (UINT, SINT)


def one(nfmt):
    return 0x3F800000 if is_float_type(nfmt) else 1


@lru_cache(maxsize=None)
def linear(value):
    """An sRGB component (a fraction) as the bits of a linear one: correctly rounded but for double rounding."""
    x = float(value)
    return rounded(Fraction(x / 12.92 if x <= 0.04045 else ((x + 0.055) / 1.055) ** 2.4))


def fraction(bits):
    """A finite binary32 as a fraction."""
    sign, m, e = F32.value(bits)
    return (-1) ** sign * m * Fraction(2) ** e


def decode(dfmt, nfmt, raw, gen, doubts, at=(0, 0)):
    """The four components of a texel; of a block, those of the texel `at`."""
    if dfmt in BLOCKS:
        return decode_block(dfmt, nfmt, raw, doubts, at)
    if dfmt == SHARED_EXPONENT:
        exponent = Fraction(2) ** ((raw >> 27) - 24)
        return [rounded((raw >> 9 * k & 511) * exponent) for k in range(3)] + [0x3F800000]
    layout = LAYOUT[dfmt]
    found = []
    for k, (first, bits) in enumerate(layout):
        field = raw >> first & (1 << bits) - 1
        if nfmt == SRGB and bits < 32:
            if k < 3:
                doubts.add("srgb-table")
                found.append(linear(Fraction(field, (1 << bits) - 1)))
                continue
            found.append(buffers.load_component(field, bits, UNORM, gen, doubts))
            continue
        number = nfmt
        if nfmt == FLOAT and bits not in (32, 16, 11, 10):
            doubts.add("format-invalid")
            number = UINT
        found.append(buffers.load_component(field, bits, number, gen, doubts))
    return found + [0, 0, 0, one(nfmt)][len(found):]


def decode_block(dfmt, nfmt, raw, doubts, at):
    x, y = at
    values = BLOCKS[dfmt](raw, nfmt == SNORM)[4 * y + x]
    if dfmt <= 39:
        doubts.add("bc-precision")
    if nfmt == SRGB:
        doubts.add("srgb-table")
        values = [linear(v) if k < 3 else rounded(v) for k, v in enumerate(values)]
    else:
        values = [(0x7F800000 if v > 0 else 0xFF800000) if v in INFINITIES else rounded(v) for v in values]
    return values + [0, 0, 0, 0x3F800000][len(values):]


def encode(dfmt, nfmt, values, gen, doubts):
    """Four components (None: 0) as the bits of a texel."""
    raw = 0
    for value, (first, bits) in zip(values, LAYOUT[dfmt]):
        if value is not None:
            raw |= buffers.store_component(value, bits, nfmt, gen, doubts) << first
    return raw


def can_store(dfmt, nfmt):
    return dfmt in LAYOUT and nfmt != SRGB
