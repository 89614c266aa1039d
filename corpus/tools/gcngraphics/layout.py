"""Where a texel of a linear image lies.

gfx9: all levels have the pitch of level 0 and are stacked in each slice; heights halve rounding
up.  gfx6 to gfx8: a level is a surface of its own behind the one before, with all its slices.  With
POW2_PAD rows and slices of all levels are powers of two, and each level has half the pitch of the one before.
Fragments of a texel are planes (`msaa-layout`; the documents say nothing of it).
"""

from .descriptors import D3, align
from .formats import decode


def next_power(n):
    return 1 << (n - 1).bit_length()


def rows_of(texture, level):
    """Rows of elements of a level, counted from the level 0 of the resource."""
    height = texture.height
    if texture.gen >= 9:
        height = -(-height >> level) if level == 0 else -(-height // (1 << level))
        return -(-height // texture.block)
    rows = -(-max(1, height >> level) // texture.block)
    return next_power(rows) if texture.pow2 else rows


def pitch_of(texture, level):
    """Elements between two rows of a level."""
    if texture.gen >= 9 or level == 0:
        return texture.pitch // texture.block
    whole = texture.pitch // texture.block * texture.block if texture.pow2 else texture.width
    columns = -(-max(1, whole >> level) // texture.block)
    unit = texture.pitch_unit()
    pitch = align(next_power(columns) if texture.pow2 else columns, unit)
    while pitch * rows_of(texture, level) % max(64, 256 // texture.bytes):
        pitch += unit
    return pitch


def planes_of(texture, level):
    """Slices of a level before gfx9, without those that pad it."""
    planes = texture.total_layers() * texture.samples
    return max(1, planes >> level) if texture.type == D3 else planes


def padded_planes(texture, level):
    planes = planes_of(texture, level)
    return next_power(planes) if texture.pow2 else planes


def place(texture, level, x, y, plane):
    """The address of the element of a texel; level and plane are those of the resource."""
    pitch = pitch_of(texture, level)
    if texture.gen >= 9:
        chain = [rows_of(texture, k) for k in range(max(texture.max_mip, level) + 1)]
        row = plane * sum(chain) + sum(chain[:level]) + y // texture.block
        first = 0
    else:
        first = sum(pitch_of(texture, k) * rows_of(texture, k) * padded_planes(texture, k) for k in range(level))
        row = plane * rows_of(texture, level) + y // texture.block
    if level:
        texture.doubts.add("mip-layout")
    return texture.base + (first + row * pitch + x // texture.block) * texture.bytes


def extent(texture):
    """Bytes from the base to the end of the last element."""
    last = max(texture.max_mip, texture.last_level)
    planes = (texture.total_layers() if texture.gen < 9 or texture.type == D3 else texture.last_array + 1) \
        * texture.samples
    end = 0
    for level in range(last + 1):
        top = planes_of(texture, level) - 1 if texture.gen < 9 else planes - 1
        rows, pitch = rows_of(texture, level), pitch_of(texture, level)
        end = max(end, place(texture, level, 0, (rows - 1) * texture.block, top) + pitch * texture.bytes)
    return end - texture.base


def piece(texture, level, x, y, layer, fragment=0):
    """The piece of memory of a texel inside the image; `level` and `layer` from the first of the view."""
    if texture.samples > 1 and (fragment or layer):
        texture.doubts.add("msaa-layout")
    plane = (layer if texture.type == D3 else texture.base_array + layer) * texture.samples + fragment
    return ("mem", place(texture, texture.base_level + level, x, y, plane), texture.bytes)


def texel(w, texture, lane, level, x, y, layer, fragment=0):
    """The components of a texel inside the image."""
    pieces = [piece(texture, level, x, y, layer, fragment)]
    w.check(pieces, "load", lane)
    raw = w.read(pieces)
    at = (x % texture.block, y % texture.block)
    return decode(texture.dfmt, texture.nfmt, raw, texture.gen, w.doubts, at)
