"""BC1 to BC7: a block of 4 x 4 texels, given as the number that its bytes are, as 16 lists of exact components.

Interpolated colours are exact fractions of the end points; hardware and libraries round
them to some precision that is not documented (`bc-precision`).  BC6 and BC7 are integers
by definition.
"""

import math
from fractions import Fraction

from gcnmem.machine import sx


def bits(data, first, count):
    return data >> first & (1 << count) - 1


# --- BC1 to BC5 ----------------------------------------------------------------------

def colour(data):
    """A 5_6_5 colour with red in the top bits, as three fractions."""
    return [Fraction(data >> 11, 31), Fraction(data >> 5 & 63, 63), Fraction(data & 31, 31)]


def mix(a, b, wa, wb):
    return [(wa * x + wb * y) / (wa + wb) for x, y in zip(a, b)]


def colours(data, opaque):
    """The colours of a block, with alpha."""
    c0, c1 = bits(data, 0, 16), bits(data, 16, 16)
    a, b = colour(c0), colour(c1)
    one = [Fraction(1)]
    if c0 > c1 or opaque:
        palette = [a + one, b + one, mix(a, b, 2, 1) + one, mix(a, b, 1, 2) + one]
    else:
        palette = [a + one, b + one, mix(a, b, 1, 1) + one, [Fraction(0)] * 4]
    return [palette[bits(data, 32 + 2 * k, 2)] for k in range(16)]


def bc1(data, _signed=False):
    return colours(data, False)


def bc2(data, _signed=False):
    found = colours(data >> 64, True)
    return [c[:3] + [Fraction(bits(data, 4 * k, 4), 15)] for k, c in enumerate(found)]


def bc3(data, _signed=False):
    alpha = channel(data, False)
    return [c[:3] + [a] for c, a in zip(colours(data >> 64, True), alpha)]


def channel(data, signed):
    """One interpolated component."""
    e0, e1 = bits(data, 0, 8), bits(data, 8, 8)
    if signed:
        # -128 counts as -127 also where the two are compared
        e0, e1 = max(-127, sx(e0, 8)), max(-127, sx(e1, 8))
    top, low = (127, -127) if signed else (255, 0)
    if e0 > e1:
        palette = [e0, e1] + [Fraction((7 - k) * e0 + k * e1, 7) for k in range(1, 7)]
    else:
        palette = [e0, e1] + [Fraction((5 - k) * e0 + k * e1, 5) for k in range(1, 5)] + [low, top]
    return [Fraction(palette[bits(data, 16 + 3 * k, 3)]) / top for k in range(16)]


def bc4(data, signed=False):
    return [[x] for x in channel(data, signed)]


def bc5(data, signed=False):
    return [[x, y] for x, y in zip(channel(data, signed), channel(data >> 64, signed))]


# --- partitions of BC6 and BC7 -------------------------------------------------------

TWO = [0xCCCC, 0x8888, 0xEEEE, 0xECC8, 0xC880, 0xFEEC, 0xFEC8, 0xEC80, 0xC800, 0xFFEC, 0xFE80, 0xE800, 0xFFE8, 0xFF00,
       0xFFF0, 0xF000, 0xF710, 0x008E, 0x7100, 0x08CE, 0x008C, 0x7310, 0x3100, 0x8CCE, 0x088C, 0x3110, 0x6666, 0x366C,
       0x17E8, 0x0FF0, 0x718E, 0x399C, 0xAAAA, 0xF0F0, 0x5A5A, 0x33CC, 0x3C3C, 0x55AA, 0x9696, 0xA55A, 0x73CE, 0x13C8,
       0x324C, 0x3BDC, 0x6996, 0xC33C, 0x9966, 0x0660, 0x0272, 0x04E4, 0x4E40, 0x2720, 0xC936, 0x936C, 0x39C6, 0x639C,
       0x9336, 0x9CC6, 0x817E, 0xE718, 0xCCF0, 0x0FCC, 0x7744, 0xEE22]
THREE = [0xAA685050, 0x6A5A5040, 0x5A5A4200, 0x5450A0A8, 0xA5A50000, 0xA0A05050, 0x5555A0A0, 0x5A5A5050, 0xAA550000,
         0xAA555500, 0xAAAA5500, 0x90909090, 0x94949494, 0xA4A4A4A4, 0xA9A59450, 0x2A0A4250, 0xA5945040, 0x0A425054,
         0xA5A5A500, 0x55A0A0A0, 0xA8A85454, 0x6A6A4040, 0xA4A45000, 0x1A1A0500, 0x0050A4A4, 0xAAA59090, 0x14696914,
         0x69691400, 0xA08585A0, 0xAA821414, 0x50A4A450, 0x6A5A0200, 0xA9A58000, 0x5090A0A8, 0xA8A09050, 0x24242424,
         0x00AA5500, 0x24924924, 0x24499224, 0x50A50A50, 0x500AA550, 0xAAAA4444, 0x66660000, 0xA5A0A5A0, 0x50A050A0,
         0x69286928, 0x44AAAA44, 0x66666600, 0xAA444444, 0x54A854A8, 0x95809580, 0x96969600, 0xA85454A8, 0x80959580,
         0xAA141414, 0x96960000, 0xAAAA1414, 0xA05050A0, 0xA0A5A5A0, 0x96000000, 0x40804080, 0xA9A8A9A8, 0xAAAAAA44,
         0x2A4A5254]
# the texel of each further subset whose index has one bit less; the first subset's is 0
ANCHOR_TWO = [15] * 16 + [15, 2, 8, 2, 2, 8, 8, 15, 2, 8, 2, 2, 8, 8, 2, 2, 15, 15, 6, 8, 2, 8, 15, 15, 2, 8, 2, 2, 2,
                          15, 15, 6, 6, 2, 6, 8, 15, 15, 2, 2, 15, 15, 15, 15, 15, 2, 2, 15]
ANCHOR_THREE = ([3, 3, 15, 15, 8, 3, 15, 15, 8, 8, 6, 6, 6, 5, 3, 3, 3, 3, 8, 15, 3, 3, 6, 10, 5, 8, 8, 6, 8, 5, 15, 15,
                 8, 15, 3, 5, 6, 10, 8, 15, 15, 3, 15, 5, 15, 15, 15, 15, 3, 15, 5, 5, 5, 8, 5, 10, 5, 10, 8, 13, 15,
                 12, 3, 3],
                [15, 8, 8, 3, 15, 15, 3, 8, 15, 15, 15, 15, 15, 15, 15, 8, 15, 8, 15, 3, 15, 8, 15, 8, 3, 15, 6, 10, 15,
                 15, 10, 8, 15, 3, 15, 10, 10, 8, 9, 10, 6, 15, 8, 15, 3, 6, 6, 8, 15, 3, 15, 15, 15, 15, 15, 15, 15,
                 15, 15, 15, 3, 15, 15, 8])
WEIGHTS = {2: [0, 21, 43, 64], 3: [0, 9, 18, 27, 37, 46, 55, 64],
           4: [0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64]}


def subsets(count, partition):
    """The subset of each texel, and the texels whose index is a bit shorter."""
    if count == 1:
        return [0] * 16, {0}
    if count == 2:
        return [TWO[partition] >> k & 1 for k in range(16)], {0, ANCHOR_TWO[partition]}
    shape = THREE[partition]
    return [shape >> 2 * k & 3 for k in range(16)], {0, ANCHOR_THREE[0][partition], ANCHOR_THREE[1][partition]}


class Reader:
    """Reads fields from the low end."""

    def __init__(self, data):
        self.data = data

    def take(self, count):
        value = self.data & (1 << count) - 1
        self.data >>= count
        return value


def indices(reader, width, short):
    return [reader.take(width - (k in short)) for k in range(16)]


# --- BC7 -------------------------------------------------------------------------------

# subsets, bits of partition, rotation and index selection, bits of colour and alpha, P bits of end points, shared P
# bits, bits of an index, of a second index
BC7_MODES = [(3, 4, 0, 0, 4, 0, 1, 0, 3, 0), (2, 6, 0, 0, 6, 0, 0, 1, 3, 0), (3, 6, 0, 0, 5, 0, 0, 0, 2, 0),
             (2, 6, 0, 0, 7, 0, 1, 0, 2, 0), (1, 0, 2, 1, 5, 6, 0, 0, 2, 3), (1, 0, 2, 0, 7, 8, 0, 0, 2, 2),
             (1, 0, 0, 0, 7, 7, 1, 0, 4, 0), (2, 6, 0, 0, 5, 5, 1, 0, 2, 0)]


def widen(value, count):
    """A number of `count` bits as one of eight."""
    value <<= 8 - count
    return value | value >> count


def bc7(data, _signed=False):
    return [[Fraction(c, 255) for c in texel] for texel in bc7_bytes(data)]


def bc7_bytes(data):
    mode = (data & -data).bit_length() - 1 if data & 0xFF else 8
    if mode > 7:
        return [[0, 0, 0, 0]] * 16
    count, part, rotation, selection, cbits, abits, own, shared, first, second = BC7_MODES[mode]
    r = Reader(data >> mode + 1)
    partition, rotation, selection = r.take(part), r.take(rotation), r.take(selection)
    channels = [[r.take(cbits) for _ in range(2 * count)] for _ in range(3)]
    channels.append([r.take(abits) for _ in range(2 * count)] if abits else None)
    widths = [cbits] * 3 + [abits]
    if own or shared:
        p = [r.take(1) for _ in range(2 * count if own else count)]
        p = p if own else [p[k // 2] for k in range(2 * count)]
        channels = [c and [v << 1 | q for v, q in zip(c, p)] for c in channels]
        widths = [n + 1 if c else 0 for n, c in zip(widths, channels)]
    points = [[widen(v, n) for v in c] if c else [255] * (2 * count) for c, n in zip(channels, widths)]
    where, short = subsets(count, partition)
    chosen = [indices(r, first, short), indices(r, second, {0}) if second else None]
    depth = [first, second]
    of_colour, of_alpha = (1, 0) if selection else (0, 1 if second else 0)
    out = []
    for k in range(16):
        texel = []
        for c in range(4):
            which = of_alpha if c == 3 else of_colour
            weight = WEIGHTS[depth[which]][chosen[which][k]]
            a, b = points[c][2 * where[k]], points[c][2 * where[k] + 1]
            texel.append((64 - weight) * a + weight * b + 32 >> 6)
        if rotation:
            texel[rotation - 1], texel[3] = texel[3], texel[rotation - 1]
        out.append(texel)
    return out


# --- BC6 -------------------------------------------------------------------------------

# mode bits: (end point bits, bits of the differences or None, the fields in the order of the block)
BC6_MODES = {
    0b00: (10, (5, 5, 5), "gy4 by4 bz4 rw9:0 gw9:0 bw9:0 rx4:0 gz4 gy3:0 gx4:0 bz0 gz3:0 bx4:0 bz1 by3:0 ry4:0 bz2"
                          " rz4:0 bz3"),
    0b01: (7, (6, 6, 6), "gy5 gz4 gz5 rw6:0 bz0 bz1 by4 gw6:0 by5 bz2 gy4 bw6:0 bz3 bz5 bz4 rx5:0 gy3:0 gx5:0 gz3:0"
                         " bx5:0 by3:0 ry5:0 rz5:0"),
    0b00010: (11, (5, 4, 4), "rw9:0 gw9:0 bw9:0 rx4:0 rw10 gy3:0 gx3:0 gw10 bz0 gz3:0 bx3:0 bw10 bz1 by3:0 ry4:0 bz2"
                             " rz4:0 bz3"),
    0b00110: (11, (4, 5, 4), "rw9:0 gw9:0 bw9:0 rx3:0 rw10 gz4 gy3:0 gx4:0 gw10 gz3:0 bx3:0 bw10 bz1 by3:0 ry3:0 bz0"
                             " bz2 rz3:0 gy4 bz3"),
    0b01010: (11, (4, 4, 5), "rw9:0 gw9:0 bw9:0 rx3:0 rw10 by4 gy3:0 gx3:0 gw10 bz0 gz3:0 bx4:0 bw10 by3:0 ry3:0 bz1"
                             " bz2 rz3:0 bz4 bz3"),
    0b01110: (9, (5, 5, 5), "rw8:0 by4 gw8:0 gy4 bw8:0 bz4 rx4:0 gz4 gy3:0 gx4:0 bz0 gz3:0 bx4:0 bz1 by3:0 ry4:0 bz2"
                            " rz4:0 bz3"),
    0b10010: (8, (6, 5, 5), "rw7:0 gz4 by4 gw7:0 bz2 gy4 bw7:0 bz3 bz4 rx5:0 gy3:0 gx4:0 bz0 gz3:0 bx4:0 bz1 by3:0"
                            " ry5:0 rz5:0"),
    0b10110: (8, (5, 6, 5), "rw7:0 bz0 by4 gw7:0 gy5 gy4 bw7:0 gz5 bz4 rx4:0 gz4 gy3:0 gx5:0 gz3:0 bx4:0 bz1 by3:0"
                            " ry4:0 bz2 rz4:0 bz3"),
    0b11010: (8, (5, 5, 6), "rw7:0 bz1 by4 gw7:0 by5 gy4 bw7:0 bz5 bz4 rx4:0 gz4 gy3:0 gx4:0 bz0 gz3:0 bx5:0 by3:0"
                            " ry4:0 bz2 rz4:0 bz3"),
    0b11110: (6, None, "rw5:0 gz4 bz0 bz1 by4 gw5:0 gy5 by5 bz2 gy4 bw5:0 gz5 bz3 bz5 bz4 rx5:0 gy3:0 gx5:0 gz3:0 bx5:0"
                       " by3:0 ry5:0 rz5:0"),
    0b00011: (10, None, "rw9:0 gw9:0 bw9:0 rx9:0 gx9:0 bx9:0"),
    0b00111: (11, (9, 9, 9), "rw9:0 gw9:0 bw9:0 rx8:0 rw10 gx8:0 gw10 bx8:0 bw10"),
    0b01011: (12, (8, 8, 8), "rw9:0 gw9:0 bw9:0 rx7:0 rw10:11 gx7:0 gw10:11 bx7:0 bw10:11"),
    0b01111: (16, (4, 4, 4), "rw9:0 gw9:0 bw9:0 rx3:0 rw10:15 gx3:0 gw10:15 bx3:0 bw10:15"),
}


def bc6(data, signed=False):
    """The texels of a BC6 block: red, green and blue, which are binary16."""
    return [[half(c) for c in texel] for texel in bc6_halves(data, signed)]


def half(code):
    """A binary16 as a fraction.  An end point of -32768 gives the only code with exponent 31: -infinity."""
    exponent, mantissa = code >> 10 & 31, code & 1023
    if exponent == 31:
        return -math.inf if code >> 15 else math.inf
    value = Fraction(mantissa, 1 << 24) if exponent == 0 else (1024 + mantissa) * Fraction(2) ** (exponent - 25)
    return -value if code >> 15 else value


def bc6_fields(reader, text):
    found = {}
    for item in text.split():
        name, range_ = item[:2], item[2:]
        high, low = map(int, range_.split(":")) if ":" in range_ else (int(range_), int(range_))
        order = range(low, high + 1) if high >= low else range(low, high - 1, -1)
        for position in order:
            found[name] = found.get(name, 0) | reader.take(1) << position
    return found


def bc6_halves(data, signed):
    """The 16 texels as binary16 codes."""
    mode = data & 3
    if mode > 1:
        mode = data & 31
    if mode not in BC6_MODES:
        return [[0, 0, 0]] * 16
    width, deltas, text = BC6_MODES[mode]
    r = Reader(data >> (2 if mode < 2 else 5))
    fields = bc6_fields(r, text)
    count = 2 if "ry" in fields else 1
    partition = r.take(5) if count == 2 else 0
    points = []
    for c, channel_ in enumerate("rgb"):
        values = [fields.get(channel_ + end, 0) for end in "wxyz"[:2 * count]]
        if signed:
            values[0] = sx(values[0], width)
        if deltas:
            values = values[:1] + [values[0] + sx(v, deltas[c]) & (1 << width) - 1 for v in values[1:]]
        if signed:
            values = [sx(v, width) for v in values]
        points.append([unquantized(v, width, signed) for v in values])
    where, short = subsets(count, partition)
    chosen = indices(r, 3 if count == 2 else 4, short)
    out = []
    for k in range(16):
        weight = WEIGHTS[3 if count == 2 else 4][chosen[k]]
        texel = []
        for values in points:
            a, b = values[2 * where[k]], values[2 * where[k] + 1]
            texel.append(finished((64 - weight) * a + weight * b + 32 >> 6, signed))
        out.append(texel)
    return out


def unquantized(value, width, signed):
    if not signed:
        if width >= 15 or value == 0:
            return value
        return 0xFFFF if value == (1 << width) - 1 else (value << 16) + 0x8000 >> width
    if width >= 16:
        return value
    sign, value = (-1, -value) if value < 0 else (1, value)
    if value == 0:
        return 0
    return sign * (0x7FFF if value >= (1 << width - 1) - 1 else (value << 15) + 0x4000 >> width - 1)


def finished(value, signed):
    if not signed:
        return value * 31 >> 6
    return (-value * 31 >> 5) | 0x8000 if value < 0 else value * 31 >> 5
