"""Pixels of a wave: where they are, what the rasteriser gives them, attributes in LDS."""

import random

from .base import Shader, bits_of, dwords

REGISTRY = []
COVERAGES = [0x0000_0000_00F0_F7FF, 0xFFFF_0000_0000_0001, 0x0000_00F3_1000_08F0, 0x0F0E_0000_0000_6FF1,
             0x8000_0000_0C30_FF00, 0x0000_0009_FFFF_0000]
# where P0, P10, P20 of a channel are in the twelve dwords of an attribute
SLOTS = ((0, 1, 8), (2, 3, 9), (4, 5, 10), (6, 7, 11))


def register(stage, function, name=None, generations="6789"):
    """Adds a shader to the list; its name is that of the function."""
    function.generations = generations
    REGISTRY.append((name or function.__name__.replace("_", "-"), stage, function))
    return function


def pixel(function, name=None):
    return register("pixel", function, name)


def of_generations(generations):
    """A pixel shader that not all generations have."""
    return lambda function: register("pixel", function, generations=generations)


class Pixels:
    """The pixels of a wave: quads in rows of four.

    `mask`: the SGPR of the primitive mask; `offset`: where the attributes are in LDS; `starts`: the quads (from 1) that
    begin a new primitive; `first`: the VGPR of the barycentrics.
    """

    def __init__(self, s: Shader, coverage, mask=3, offset=0, starts=(), centroid=False, first=0, at=(0, 0)):
        self.s, self.at, self.offset, self.starts = s, at, offset, sorted(starts)
        s.execute = coverage
        self.planes = {}
        word = offset | sum(1 << 15 + k for k in self.starts) | (0 if centroid else 1 << 31)
        s.s(mask, word)
        s.v(first, self.i)
        s.v(first + 1, self.j)

    # --- where a lane is

    def x(self, lane):
        return self.at[0] + 2 * (lane // 4 % 4) + (lane & 1)

    def y(self, lane):
        return self.at[1] + 2 * (lane // 16) + (lane >> 1 & 1)

    def i(self, lane):
        return (1 + 2 * (self.x(lane) - self.at[0])) / 32

    def j(self, lane):
        return (1 + 2 * (self.y(lane) - self.at[1])) / 32

    def primitive(self, lane):
        return sum(k <= lane // 4 for k in self.starts)

    # --- attributes

    def varying(self, attribute, *planes):
        """An attribute of (P0, P10, P20) for each channel; one for all primitives, or a list of one for each.

        Returns what interpolation gives: a function of the lane.
        """
        channels = [p if isinstance(p, list) else [p] * (1 + len(self.starts)) for p in planes]
        for c, of_primitive in enumerate(channels):
            for k, plane in enumerate(of_primitive):
                self.planes[attribute, c, k] = plane

        def value(lane, i=None, j=None):
            k = self.primitive(lane)
            i, j = self.i(lane) if i is None else i, self.j(lane) if j is None else j
            return [p[k][0] + i * p[k][1] + j * p[k][2] for p in channels]
        return value

    def flat(self, attribute, *values):
        """An attribute of the provoking vertex: bits or floats, one for all primitives or a list."""
        rnd = random.Random(attribute)
        channels = [v if isinstance(v, list) else [v] * (1 + len(self.starts)) for v in values]
        for c, of_primitive in enumerate(channels):
            for k, v in enumerate(of_primitive):
                self.planes[attribute, c, k] = (v, rnd.getrandbits(32), rnd.getrandbits(32))
        return lambda lane: [v[self.primitive(lane)] for v in channels]

    def place_attributes(self):
        """Puts the attributes into LDS."""
        primitives = 1 + len(self.starts)
        count = 1 + max(attribute for attribute, _, _ in self.planes)
        words = [0] * (12 * count * primitives)
        for (attribute, c, k), plane in self.planes.items():
            for slot, value in zip(SLOTS[c], plane):
                words[12 * (attribute * primitives + k) + slot] = bits_of(value)
        self.s.lds = bytes(self.offset) + dwords(words)
        self.s.lds_size = -(-len(self.s.lds) // 512) * 512


def derivatives(values, lane):
    """(d/dx, d/dy) of a function of the lane, as the coarse derivatives of its quad."""
    first = lane & ~3
    return values(first + 1) - values(first), values(first + 2) - values(first)
