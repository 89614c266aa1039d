"""Textures: their texels, where these lie, their T#, and what sampling them means.

Where texels lie and what their bits are is the model's (gcngraphics.layout, .formats); filtering is written here once
more, as short as possible: coordinates of shaders are multiples of 1/256 of a texel, or far from a middle.
"""

import math
import random

from gcngraphics import formats
from gcngraphics.descriptors import CUBE, D1, D1_ARRAY, D2, D2_ARRAY, D3, MSAA, MSAA_ARRAY, Texture, sampler, texture
from gcngraphics.layout import place, pitch_of, rows_of

from .base import dwords, f16, number

UNORM, SNORM, USCALED, SSCALED, UINT, SINT, FLOAT, SRGB = 0, 1, 2, 3, 4, 5, 7, 9
REPEAT, MIRROR, EDGE, BORDER = 0, 1, 2, 6
KINDS = {"1d": D1, "2d": D2, "3d": D3, "cube": CUBE, "1d-array": D1_ARRAY, "2d-array": D2_ARRAY, "msaa": MSAA,
         "msaa-array": MSAA_ARRAY}


class Image:
    """An image in memory.  `texels(level, plane, x, y)` gives the bits of a texel (default: random)."""

    def __init__(self, shader, kind="2d", width=8, height=1, depth=1, layers=1, levels=1, dfmt=10, nfmt=UNORM,
                 samples_log2=0, texels=None, private=False, select=(4, 5, 6, 7), where="outside"):
        self.shader, self.gen, self.kind = shader, shader.gen, KINDS[kind]
        self.width, self.height, self.depth, self.layers, self.levels = width, height, depth, layers, levels
        self.dfmt, self.nfmt, self.samples = dfmt, nfmt, 1 << samples_log2
        self.size = formats.element_size(dfmt)
        more = dict(kind=self.kind, width=width, height=height, depth=depth, layers=layers, dfmt=dfmt, nfmt=nfmt,
                    last_level=levels - 1, samples_log2=samples_log2, select=select)
        whole = Texture(texture(self.gen, base=0, **more), self.gen)
        self.sharp_of = lambda base, **changes: texture(self.gen, base=base, **more | changes)
        self.planes = [self.planes_of(level) for level in range(levels)]
        end = max(place(whole, level, 0, 0, self.planes[level] - 1)
                  + rows_of(whole, level) * pitch_of(whole, level) * self.size for level in range(levels))
        self.base = shader.place(end, where)
        self.words = self.sharp_of(self.base & (1 << 48) - 1)
        self.texture = Texture(self.words, self.gen)
        rnd = random.Random(f"{shader.name} {kind} {dfmt} {nfmt}")
        texels = texels or (lambda *_: random_texel(rnd, dfmt, nfmt))
        self.raw, content = {}, bytearray(end)
        for level in range(levels):
            w, h = self.extent(level)
            for plane in range(self.planes[level]):
                for y in range(h):
                    for x in range(w):
                        self.raw[level, plane, x, y] = bits = texels(level, plane, x, y)
                        at = self.offset(level, plane, x, y)
                        content[at:at + self.size] = bits.to_bytes(self.size, "little")
        shader.put(self.base, content, private)
        self.content = content

    def planes_of(self, level):
        if self.kind == D3:
            return max(1, self.depth >> level)
        return self.layers * self.samples

    def offset(self, level, plane, x, y):
        """Bytes from the base to a texel."""
        return place(self.texture, level, x, y, plane) - self.texture.base

    def extent(self, level=0):
        return max(1, self.width >> level), max(1, self.height >> level)

    # --- meaning

    def texel(self, x, y=0, plane=0, level=0):
        """The four components of a texel: floats, of integer formats integers."""
        bits = formats.decode(self.dfmt, self.nfmt, self.raw[level, plane, x, y], self.gen, set())
        return [x if self.nfmt in (UINT, SINT) else number(x) for x in bits]

    def nearest(self, u, v=0.0, plane=0, level=0, wrap=EDGE):
        w, h = self.extent(level)
        x, y = wrapped(math.floor(u * w), w, wrap), wrapped(math.floor(v * h), h, wrap)
        return [0.0] * 4 if x is None or y is None else self.texel(x, y, plane, level)

    def footprint(self, u, v=0.0, level=0, wrap=EDGE):
        """[(x, y, weight)] of a bilinear sample, the first in y first."""
        w, h = self.extent(level)
        tx, ty = (math.floor(t * n * 256 + 0.5) / 256 - 0.5 for t, n in ((u, w), (v, h)))
        x, y = math.floor(tx), math.floor(ty)
        fx, fy = tx - x, ty - y
        if self.kind in (D1, D1_ARRAY):
            return [(wrapped(x + i, w, wrap), 0, (1 - fx, fx)[i]) for i in (0, 1)]
        return [(wrapped(x + i, w, wrap), wrapped(y + j, h, wrap), (1 - fx, fx)[i] * (1 - fy, fy)[j])
                for j in (0, 1) for i in (0, 1)]

    def bilinear(self, u, v=0.0, plane=0, level=0, wrap=EDGE, border=(0.0,) * 4):
        out = [0.0] * 4
        for x, y, weight in self.footprint(u, v, level, wrap):
            found = border if x is None or y is None else self.texel(x, y, plane, level)
            out = [a + weight * b for a, b in zip(out, found)]
        return out

    # --- writing

    def stored(self, changes):
        """The memory of the image after stores: {(level, plane, x, y): bits}."""
        content = bytearray(self.content)
        for (level, plane, x, y), bits in changes.items():
            at = self.offset(level, plane, x, y)
            content[at:at + self.size] = bits.to_bytes(self.size, "little")
        self.shader.leaves(self.base, content)


def wrapped(i, n, mode):
    if mode == REPEAT:
        return i % n
    if mode == MIRROR:
        i %= 2 * n
        return min(i, 2 * n - 1 - i)
    if mode == EDGE:
        return min(max(i, 0), n - 1)
    return i if 0 <= i < n else None


def random_texel(rnd, dfmt, nfmt):
    """A texel of moderate value: of floats multiples of 1/8 between -4 and 4, in 8_8_8_8 multiples of 1/15."""
    if nfmt == FLOAT and dfmt in (4, 11, 13, 14):
        count = {4: 1, 11: 2, 13: 3, 14: 4}[dfmt]
        return int.from_bytes(dwords([rnd.randrange(-32, 33) / 8 for _ in range(count)]), "little")
    if nfmt == FLOAT and dfmt in (2, 5, 12):
        return sum(f16(rnd.randrange(-32, 33) / 8) << 16 * k for k in range({2: 1, 5: 2, 12: 4}[dfmt]))
    return rnd.getrandbits(8 * formats.element_size(dfmt))


def combined(image, s):
    """A combined image and sampler as RADV lays it out: T#, no FMASK, S# at 80."""
    return dwords(image.words) + bytes(48) + dwords(s)


def point(wrap=EDGE, **more):
    """An S# that takes the nearest texel, as drivers ask for it."""
    return sampler(clamp=(wrap,) * 3, trunc=1, **more)


def linear(wrap=EDGE, **more):
    return sampler(clamp=(wrap,) * 3, mag=1, min_=1, **more)
