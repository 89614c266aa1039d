"""What vertex shaders share: vertex buffers, their formats, positions."""

from gcnmem.formats import LAYOUT, load_component

from .base import dwords, number
from .pixels import register

UNORM, SNORM, USCALED, SSCALED, UINT, SINT, FLOAT = 0, 1, 2, 3, 4, 5, 7
WAVES = [0x0000_0000_00FF_FFFF, 0x0000_00FF_FFFF_FFFF, 0x0000_0000_0000_FFFF, 0x0000_0000_3FFF_FFFF]


def vertex(function, name=None):
    return register("vertex", function, name)


def of_generations(generations):
    """A vertex shader that not all generations have."""
    return lambda function: register("vertex", function, generations=generations)


def components(dfmt, nfmt, raw, gen):
    """The components of an element, as long as it has them: floats, of integer formats integers."""
    out = []
    for first, bits in LAYOUT[dfmt]:
        value = load_component(raw >> first & (1 << bits) - 1, bits, nfmt, gen, set())
        out.append(value if nfmt in (UINT, SINT) else number(value))
    return out


def wave(s, mask, base=0, instance=None, first=0):
    """The lanes of a wave: v0 = vertex, v1 = instance (a function of the lane)."""
    s.execute = mask
    s.v(0, lambda lane: lane + first)
    if instance:
        s.v(1, instance)


class Attributes:
    """A vertex buffer of interleaved floats; each vertex is a list."""

    def __init__(self, s, rows, pad=0):
        self.rows, self.stride = rows, 4 * len(rows[0]) + pad
        self.address = s.data(b"".join(dwords(row) + bytes(pad) for row in rows))
        self.sharp = s.buffer(self.address, stride=self.stride, records=len(rows))


def floats(rnd, count, low=-64, high=64, unit=8):
    return [rnd.randrange(low, high + 1) / unit for _ in range(count)]
