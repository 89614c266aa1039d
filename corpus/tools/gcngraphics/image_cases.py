"""The formats that images have, and shapes for all generators."""

from .descriptors import CUBE, D1, D1_ARRAY, D2, D2_ARRAY, D3, MSAA, MSAA_ARRAY
from .formats import FLOAT, OGL, SINT, SNORM, SRGB, SSCALED, UINT, UNORM, USCALED, can_store

NORMS = [UNORM, SNORM, USCALED, SSCALED, UINT, SINT]


def all_formats(gen):
    """(data format, number format) pairs that are documented for images."""
    out = [(d, n) for d in (1, 3, 10) for n in NORMS + ([OGL] if gen < 8 else [])]
    out += [(10, SRGB), (1, SRGB), (3, SRGB)]
    out += [(d, n) for d in (2, 5, 12) for n in NORMS + [FLOAT]]
    out += [(d, n) for d in (4, 11, 14) for n in (UINT, SINT, FLOAT)]
    out += [(d, n) for d in (6, 7) for n in (UNORM, UINT, FLOAT)]
    out += [(d, n) for d in (8, 9) for n in NORMS]
    out += [(d, UNORM) for d in (16, 17, 18, 19, 57, 58)]
    out += [(20, UNORM), (20, UINT), (21, UNORM), (21, UINT), (22, FLOAT), (34, FLOAT)]
    out += [(d, n) for d in (35, 36, 37, 41) for n in (UNORM, SRGB)]
    out += [(d, n) for d in (38, 39, 40) for n in (UNORM, SNORM)]
    out += [(13, n) for n in (UINT, SINT, FLOAT)]
    return out


def stored_formats(gen):
    # what a store to SNORM_OGL does is not documented
    return [(d, n) for d, n in all_formats(gen) if can_store(d, n) and n != OGL]


def name(dfmt, nfmt):
    from .formats import NUMBERS
    return f"format{dfmt}-{NUMBERS[nfmt]}"


SHAPES = {
    "1d": dict(kind=D1, width=13),
    "2d": dict(kind=D2, width=8, height=5),
    "2d-odd": dict(kind=D2, width=7, height=3),
    "3d": dict(kind=D3, width=5, height=4, depth=3),
    "cube": dict(kind=CUBE, width=4, height=4, layers=6),
    "cube-array": dict(kind=CUBE, width=4, height=4, layers=12),
    "1d-array": dict(kind=D1_ARRAY, width=9, layers=3),
    "2d-array": dict(kind=D2_ARRAY, width=6, height=3, layers=4),
    "msaa": dict(kind=MSAA, width=6, height=3, samples_log2=2),
    "msaa-array": dict(kind=MSAA_ARRAY, width=4, height=3, layers=2, samples_log2=1),
}
LAYERED = ("cube", "cube-array", "1d-array", "2d-array", "msaa-array")
MIPS = dict(kind=D2, width=8, height=8, last_level=3)
ODD_MIPS = dict(kind=D2, width=7, height=5, last_level=2)
