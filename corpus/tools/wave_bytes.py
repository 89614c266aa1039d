"""What the programs wave-* on bytes, halfwords and pixels compute, as plain algorithms (see programs.py)."""

import random
import struct

from programs import MASK32, MASK64, i32, lanes, mask, program, wide
from wave_integers import LANES, columns, corners, draws, per_lane, vector


# --- bytes and halfwords -----------------------------------------------------------

def sad_inputs():
    r = random.Random("sad")
    block = [[r.choice((0, r.getrandbits(8))) for _ in range(16)] for _ in LANES]
    strips = []
    for b in block:
        strip = [bytearray(r.getrandbits(8) for _ in range(12)) for _ in range(4)]
        place = r.randrange(8)
        for row in range(4):                # the block itself, a little changed, at one place
            strip[row][place:place + 4] = bytes(min(255, x + r.randrange(3)) for x in b[4 * row:4 * row + 4])
        strips.append(b"".join(strip))
    return {**columns_of(0, [struct.unpack("<4I", bytes(b)) for b in block]),
            **columns_of(4, [struct.unpack("<12I", s) for s in strips])}


def columns_of(n, rows):
    return {n + i: list(column) for i, column in enumerate(zip(*rows))}


@program("wave-sad", vgpr=sad_inputs())
def wave_sad(c):
    def one(row):
        block, strip = (struct.pack("<4I", *row[:4]), struct.pack("<12I", *row[4:]))

        def distance(place, masked):
            return sum(abs(block[4 * r + k] - strip[12 * r + place + k]) for r in range(4) for k in range(4)
                       if block[4 * r + k] or not masked)
        best = min(range(8), key=lambda n: distance(n, False))
        places = [distance(n, False) for n in range(4)]
        half = sum(abs((row[a] >> s & 0xFFFF) - (row[b] >> s & 0xFFFF)) for a, b in ((0, 4), (1, 7)) for s in (0, 16))
        first = sum(abs(block[k] - strip[k]) for k in range(4))
        return (best, distance(best, False), places[0] | places[1] << 16, places[2] | places[3] << 16,
                distance(best, True), half, abs(row[0] - row[4]) + abs(row[1] - row[7]), (first << 16) + 5)
    return columns(16, map(one, per_lane(c, *range(16))))


@program("wave-sdwa-blend", vgpr={0: lanes("bottom", 0, MASK32), 1: lanes("top", 0, MASK32), 2: [
    x & MASK32 & ~255 | max(1, x & 255) for x in corners("alpha")]})
def wave_sdwa_blend(c):
    def one(bottom, top, alpha):
        bottom, top, alpha = list(bottom.to_bytes(4, "little")), list(top.to_bytes(4, "little")), alpha & 255
        for _ in range(16):
            # (t + 128 + ((t + 128) >> 8)) >> 8 is t / 255 rounded to the nearest
            bottom = [(2 * (a * alpha + b * (255 - alpha)) + 255) // 510 for a, b in zip(top, bottom)]
            top = top[1:] + top[:1]
        return int.from_bytes(bytes(bottom), "little")
    return vector(0, [one(*row) for row in per_lane(c, 0, 1, 2)])


def half(x, n, signed=True):
    x = x >> 16 * n & 0xFFFF
    return x - (x >> 15 << 16) if signed else x


@program("wave-sdwa-complex", sgpr={0: 24}, vgpr={0: lanes("z", 0, MASK32), 1: [
    x & 0xFFFF | y << 16 & 0xFFFF0000 for x, y in zip(draws("w0", -25000, 25000), draws("w1", -20000, 20000))]})
def wave_sdwa_complex(c):
    def one(z, w):
        total = 0
        for _ in range(c.s(0)):
            a, b, p, q = half(z, 0), half(z, 1), half(w, 0), half(w, 1)
            z = (a * p - b * q >> 15) & 0xFFFF | ((a * q + b * p >> 15) & 0xFFFF) << 16
            total += abs(half(z, 0)) + abs(half(z, 1))
        x, y = ((z >> s & 255 ^ 128) - 128 for s in (8, 16))
        return z, half(z, 0), total, x + y
    done = [one(z, w) for z, w in per_lane(c, 0, 1)]
    return {**vector(0, [d[0] for d in done]), **columns(2, [d[1:] for d in done])}


def limit(x, low, high):
    return min(max(x, low), high)


def signed24(x):
    return (x & 0xFFFFFF ^ 0x800000) - 0x800000


@program("wave-saturate", vgpr={0: corners("left"), 1: corners("right")})
def wave_saturate(c):
    def u32(x):
        return limit(x, 0, MASK32)

    def s32(x):
        return limit(x, -2**31, 2**31 - 1)

    def u16(x):
        return limit(x, 0, 0xFFFF)

    def both(f, signed):
        low, high = (-2**15, 2**15 - 1) if signed else (0, 0xFFFF)
        return lambda x, y: sum((limit(f(half(x, n, signed), half(y, n, signed)), low, high) & 0xFFFF) << 16 * n
                                for n in (0, 1))

    def one(x, y):
        a, b, p, q = i32(x), i32(y), half(x, 0, False), half(y, 0, False)
        add, sub = both(lambda m, n: m + n, True), both(lambda m, n: m - n, True)
        out = (u32(x + y), u32(x - y), u16(p + q), u16(p - q), u32((x & 0xFFFFFF) * (y & 0xFFFFFF)),
               s32(signed24(x) * signed24(y) + a), u16(p * q + q))
        if c.generation < 14:
            return out
        return out + (s32(a + b), s32(a - b), add(x, y) & 0xFFFF | sub(x, y) & 0xFFFF0000, add(x, y), sub(x, y),
                      both(lambda m, n: m + n, False)(x, y), both(lambda m, n: m - n, False)(x, y),
                      both(lambda m, n: m * n + m, True)(x, y), s32(half(x, 0) * half(y, 0) + b))
    out = columns(2, [one(x, y) for x, y in per_lane(c, 0, 1)])
    if c.generation < 14:
        carries = mask([x + y > MASK32 for x, y in per_lane(c, 0, 1)])
        out |= {"vcc": carries, **vector(18, [carries] * 64), **wide(4, mask([x < y for x, y in per_lane(c, 0, 1)]))}
    return out


@program("wave-packed", vgpr={0: lanes("pixels", 0, MASK32)})
def wave_packed(c):
    def brightness(p):
        r, g, b = p >> 11, p >> 5 & 63, p & 31
        return 77 * (r << 3 | r >> 2) + 150 * (g << 2 | g >> 4) + 29 * (b << 3 | b >> 2) >> 8

    def one(x):
        low, high = brightness(x & 0xFFFF), brightness(x >> 16)
        return (low | high << 16, max(low, high) * 0x10001, min(low, high) * 0x10001,
                -low >> 1 & 0xFFFF | (-high >> 2 & 0xFFFF) << 16)
    return columns(0, map(one, c.v[0]))


@program("wave-dot", sgpr={16 + n: w for n, w in enumerate((0x7F80FF01, 0x80008001, 0x12345678, 0xFEDCBA98))},
         vgpr={n: corners(f"dot {n}") for n in range(5)})
def wave_dot(c):
    def parts(x, width, signed):
        for k in range(0, 32, width):
            part = x >> k & (1 << width) - 1
            yield part - (part >> width - 1 << width) if signed else part

    def one(inputs, bias):
        def dot(width, signed):
            return bias + sum(x * y for n, v in enumerate(inputs)
                              for x, y in zip(parts(v, width, signed), parts(c.s(16 + n), width, signed)))
        saturated = i32(bias)
        for n, v in enumerate(inputs):
            saturated += sum(x * y for x, y in zip(parts(v, 16, True), parts(c.s(16 + n), 16, True)))
            saturated = limit(saturated, -2**31, 2**31 - 1)
        single = 3 * (inputs[0] & 63) - 2 * (inputs[0] >> 26) + 1
        return (dot(8, True), dot(8, False), dot(4, True), dot(4, False), saturated, dot(16, False),
                struct.unpack("<I", struct.pack("<f", single))[0])
    return columns(5, [one(row[:4], row[4]) for row in per_lane(c, 0, 1, 2, 3, 4)])


# --- raster ------------------------------------------------------------------------

def bayer(n):
    if n == 1:
        return [[0]]
    m = bayer(n // 2)
    quadrants = [[0, 2], [3, 1]]
    return [[4 * m[y % len(m)][x % len(m)] + quadrants[y // len(m)][x // len(m)] for x in range(n)] for y in range(n)]


@program("wave-dither")
def wave_dither(c):
    thresholds = [t for row in bayer(8) for t in row]
    assert sorted(thresholds) == list(LANES)
    fold = 0
    for shade in range(65):
        tile = mask([t < shade for t in thresholds])
        fold = (fold << 3 | fold >> 61) & MASK64 ^ tile
    return {**vector(0, thresholds), **wide(2, fold), 4: sum(range(65))}
