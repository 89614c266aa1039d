"""Levels of detail.  A lod is a float; `w.fragile` says that other arithmetic might choose another level."""

import math

from .descriptors import D1, D1_ARRAY, D3


def dims(texture):
    """The number of coordinates that have derivatives."""
    return 1 if texture.type in (D1, D1_ARRAY) else 3 if texture.type == D3 else 2


def computed(texture, normalized, across, down):
    """The lod before bias and clamping: log2 of the longer of two vectors, in texels."""
    sizes = texture.size(0) if normalized else (1, 1, 1)
    longest = max(sum(float(d * n) ** 2 for d, n in zip(vector, sizes)) for vector in (across, down))
    return math.log2(longest) / 2 if longest > 0 else -math.inf


def clamped(texture, sampler, value, least):
    """A lod clamped to the ranges of S#, T# and the operand; and the same clamped to the levels of the view."""
    low = max(sampler.min_lod / 256, texture.min_lod / 256, least)
    value = min(max(value, low), sampler.max_lod / 256)
    return value, min(value, texture.levels() - 1)


def near(value, grid):
    """Whether other arithmetic might round a lod to another multiple of 1/grid."""
    if math.isinf(value):
        return False
    scaled = value * grid + 0.5
    return abs(scaled - round(scaled)) < 0.02 and value * 256 != round(value * 256)


def levels(w, texture, sampler, value):
    """[(level, weight)] of a clamped lod."""
    if sampler.mip_filter == 0:
        return [(0, 1.0)]
    if sampler.mip_filter == 1:
        if near(value, 1):
            w.fragile = True
        return [(min(math.floor(value + 0.5), texture.levels() - 1), 1.0)]
    if near(value, 256):
        w.fragile = True
    fine = math.floor(value * 256 + 0.5) / 256
    low = math.floor(fine)
    if fine == low:
        return [(low, 1.0)]
    return [(low, 1 - (fine - low)), (min(low + 1, texture.levels() - 1), fine - low)]
