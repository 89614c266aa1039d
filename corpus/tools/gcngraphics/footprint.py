"""Which texels a coordinate meets, with which weights.

Coordinates are exact fractions of texels, rounded to 1/256; a footprint is a list of
(x, y, layer or z, weight); x, y and z are None beyond a border.
"""

from fractions import Fraction

from gcnmem.formats import half_to_single, rounded
from gcnvalu.floats import F32

from .formats import fraction

WRAP, MIRROR, EDGE, MIRROR_ONCE, HALF_BORDER, MIRROR_HALF_BORDER, BORDER, MIRROR_BORDER = range(8)
FAR = 1 << 23                       # texels; coordinates saturate there


def number(w, bits, a16=False):
    """An operand as a fraction: a NaN counts as 0, infinities are far away."""
    if a16:
        bits = half_to_single(bits)
    if F32.is_nan(bits):
        w.doubts.add("image-coordinate")
        return Fraction(0)
    if F32.is_inf(bits):
        w.doubts.add("image-coordinate")
        return Fraction(-1 if bits >> 31 else 1) * (1 << 126)
    return fraction(bits)


def saturated(w, t):
    if abs(t) > FAR:
        w.doubts.add("image-coordinate")
        return Fraction(FAR if t > 0 else -FAR)
    return t


def fixed(w, t):
    """A coordinate rounded to 1/256; ties go up.  Sets `w.fragile` if another rounding might give another number."""
    scaled = t * 256
    rest = scaled - (scaled.numerator // scaled.denominator)
    distance = abs(rest - Fraction(1, 2))
    if distance == 0 or fraction(rounded(t)) != t and distance < Fraction(1, 64):
        w.fragile = True
    return Fraction((scaled + Fraction(1, 2)).numerator // (scaled + Fraction(1, 2)).denominator, 256)


def floor(t):
    return t.numerator // t.denominator


def wrapped(i, n, mode):
    """The index of a texel after a clamp mode; None is beyond the border."""
    if mode == WRAP:
        return i % n
    if mode == MIRROR:
        i %= 2 * n
        return i if i < n else 2 * n - 1 - i
    if mode in (MIRROR_ONCE, MIRROR_HALF_BORDER, MIRROR_BORDER) and i < 0:
        i = -1 - i
    if mode in (EDGE, MIRROR_ONCE):
        return min(max(i, 0), n - 1)
    return i if 0 <= i < n else None


def axis(w, t, n, mode, linear, trunc):
    """(index, weight) pairs along one axis; `t` in texels."""
    if not linear and trunc:
        if fraction(rounded(t)) != t and abs(t - round(t)) < Fraction(1, 1024):
            w.fragile = True
    else:
        t = fixed(w, t)
    if mode in (MIRROR_HALF_BORDER, MIRROR_BORDER):
        t = abs(t)
    if mode in (HALF_BORDER, MIRROR_HALF_BORDER):
        t = min(max(t, Fraction(0)), Fraction(n))
    if not linear:
        return [(wrapped(floor(t), n, mode), Fraction(1))]
    t -= Fraction(1, 2)
    i, weight = floor(t), t - floor(t)
    return [(wrapped(i, n, mode), 1 - weight), (wrapped(i + 1, n, mode), weight)]


# --- cubes ------------------------------------------------------------------------------

# axis and sign of the face; then which axis s and t are along, and with which sign
FACES = [(0, 1, (2, -1), (1, -1)), (0, -1, (2, 1), (1, -1)), (1, 1, (0, 1), (2, 1)), (1, -1, (0, 1), (2, -1)),
         (2, 1, (0, 1), (1, -1)), (2, -1, (0, -1), (1, -1))]


def neighbour(face, x, y, n):
    """The texel behind an edge of a face: (face, x, y); None behind a corner."""
    if 0 <= x < n and 0 <= y < n:
        return face, x, y
    if not (0 <= x < n or 0 <= y < n):
        return None
    major, sign, s, t = FACES[face]
    point = [Fraction(0)] * 3
    point[major] = Fraction(sign)
    for (k, direction), i in ((s, x), (t, y)):
        point[k] = direction * (Fraction(2 * i + 1, n) - 1)
    # what lies beyond the edge is folded: it is as far from the edge on the other face
    over = next(k for k, _ in (s, t) if abs(point[k]) > 1)
    point[major] = sign * (2 - abs(point[over]))
    point[over] = Fraction(1 if point[over] > 0 else -1)
    for other, (axis_, direction, s2, t2) in enumerate(FACES):
        if axis_ == over and direction == point[over]:
            return other, *(floor((d * point[k] + 1) * n / 2) for k, d in (s2, t2))
    raise AssertionError


def cube_footprint(w, x_axis, y_axis, face, n, seamless):
    """The texels of a face, and of its neighbours; the weight of a missing corner goes to the other three."""
    found, lost = [], Fraction(0)
    for y, wy in y_axis:
        for x, wx in x_axis:
            if not seamless:
                found.append([face, min(max(x, 0), n - 1), min(max(y, 0), n - 1), wx * wy])
                continue
            if not (0 <= x < n and 0 <= y < n) and wx * wy:
                w.doubts.add("cube-seam")
            place = neighbour(face, x, y, n)
            if place is None:
                lost += wx * wy
            else:
                found.append([*place, wx * wy])
    for item in found if lost else ():
        item[3] += lost / 3
    return [(x, y, face, weight) for face, x, y, weight in found]
