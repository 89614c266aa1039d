"""IMAGE_SAMPLE, IMAGE_GATHER4 and IMAGE_GET_LOD."""

from fractions import Fraction
from math import isinf

from gcnmem.formats import rounded
from gcnvalu.floats import F32

from . import formats, lod
from .access import Cursor, components, deliver, has_slice, past_the_end, result_count, selected, texture_of
from .descriptors import CUBE, D1, D1_ARRAY, D3, Sampler
from .footprint import axis, cube_footprint, fixed, floor, number, saturated
from .formats import fraction
from .layout import texel

HALF = Fraction(1, 2)
NAN = F32.inf | F32.quiet


class Address:
    """The values in the address registers of a lane, by their meaning."""

    def __init__(self, w, op, texture, lane):
        m, cursor = op.m, Cursor(w, op, lane)
        self.offset = [0, 0, 0]
        if m.offset:
            word = cursor.whole()
            self.offset = [(word >> 8 * k & 63 ^ 32) - 32 for k in range(3)]
        self.bias = Fraction(0)
        if m.bias:
            self.bias = number(w, cursor.next(), cursor.a16)
            cursor.restart()
        self.reference = cursor.whole() if m.compare else 0
        self.across = self.down = None
        if m.derivatives:
            vectors = []
            for _ in range(2):
                vectors.append([number(w, cursor.next(), cursor.a16) for _ in range(lod.dims(texture))])
                cursor.restart()
            self.across, self.down = vectors
        count = 1 if texture.type in (D1, D1_ARRAY) else 3 if texture.type == D3 else 2
        self.at = [number(w, cursor.next(), cursor.a16) for _ in range(count)]
        self.layer = Fraction(0)
        if has_slice(texture, op):
            self.layer = number(w, cursor.next(), cursor.a16)
        self.lod = self.least = Fraction(0)
        if m.lod:
            self.lod = number(w, cursor.next(), cursor.a16)
        if m.clamp:
            self.least = number(w, cursor.next(), cursor.a16)


class Sampling:
    """One instruction: its descriptors and the addresses of all lanes that count."""

    def __init__(self, w, op):
        self.w, self.op = w, op
        self.texture = texture_of(w, op)
        self.sampler = Sampler([w.s(op.ssamp + k) for k in range(4)], op.gen)
        self.normalized = not (op.unorm or self.sampler.unnormalized)
        self.addresses = {}
        w.doubts.add("sample-precision")
        if not self.texture.null:
            self.bias = self.sampler.bias
            if self.sampler.mag > 1 or self.sampler.min > 1:
                w.doubts.add("aniso-ignored")

    def address(self, lane):
        if lane not in self.addresses:
            self.addresses[lane] = Address(self.w, self.op, self.texture, lane)
        return self.addresses[lane]

    # --- lod

    def lambda_of(self, lane):
        """The lod before clamping."""
        m, a = self.op.m, self.address(lane)
        if m.zero:
            return 0.0
        if m.lod:
            return float(a.lod) + self.sampler.bias / 256
        if m.derivatives:
            across, down = a.across, a.down
        else:
            across, down = self.quad(lane)
        value = lod.computed(self.texture, self.normalized, across, down)
        return value + self.sampler.bias / 256 + float(a.bias)

    def quad(self, lane):
        """The derivatives of a lane's quad: lane 1 - lane 0, and lane 2 - lane 0."""
        first = lane & ~3
        active = self.w.lanes()
        if not all(first + k in active for k in range(3)):
            self.w.doubts.add("quad-inactive")
        zero, one, two = (self.address(first + k).at for k in range(3))
        return [b - a for a, b in zip(zero, one)], [b - a for a, b in zip(zero, two)]

    def level(self, lane):
        """Lod before and after clamping, relative to BASE_LEVEL."""
        value = self.lambda_of(lane)
        clamp, last = lod.clamped(self.texture, self.sampler, value, float(self.address(lane).least))
        return value, clamp, last

    # --- texels

    def axes(self, a, level, linear, z_linear):
        """The texels of a sample: [(x, y, layer or z, weight)]."""
        w, t, s = self.w, self.texture, self.sampler
        sizes = t.size(level)
        if t.type == CUBE:
            return self.cube(a, sizes[0], linear)
        found = []
        for k, value in enumerate(a.at):
            place = saturated(w, value * sizes[k] if self.normalized else value) + a.offset[k]
            straight = z_linear if k == 2 else linear
            found.append(axis(w, place, sizes[k], s.clamp[k], straight, s.trunc))
        x_axis, y_axis = found[0], found[1] if len(found) > 1 else [(0, Fraction(1))]
        z_axis = found[2] if len(found) > 2 else [(self.slice(a.layer), Fraction(1))]
        return [(x, y, z, wx * wy * wz) for z, wz in z_axis for y, wy in y_axis for x, wx in x_axis]

    def slice(self, value):
        """The layer of a coordinate: rounded to nearest even, clamped to the layers of the view."""
        return min(max(round(value), 0), self.texture.slices() - 1)

    def cube(self, a, n, linear):
        axes = []
        for k, value in enumerate(a.at):
            # coordinates lie on the face
            place = min(max(saturated(self.w, (value - 1) * n) + a.offset[k], Fraction(0)), Fraction(n))
            axes.append(unwrapped(self.w, place, linear, self.sampler.trunc))
        layer = round(a.layer)
        face, cube = layer % 8, max(layer // 8, 0)
        if face > 5:
            self.w.doubts.add("cube-face")
            face = 5
        seamless = linear and not self.sampler.no_cube_wrap
        found = cube_footprint(self.w, *axes, face, n, seamless)
        if self.op.m.kind == "gather" and len(found) == 3:
            # a gather of three texels is not documented
            found = cube_footprint(self.w, *axes, face, n, False)
        last = max(self.texture.slices() // 6 - 1, 0)
        return [(x, y, 6 * min(cube, last) + face, weight) for x, y, face, weight in found]

    def fetch(self, lane, level, x, y, z):
        """The components of a texel, or of the border."""
        if x is None or y is None or z is None:
            kind = self.sampler.border
            one = formats.one(self.texture.nfmt)
            if kind == 3:
                self.w.doubts.add("border-color-table")
            self.w.doubts.add("border-color")
            return [[0, 0, 0, 0], [0, 0, 0, one], [one] * 4, [0, 0, 0, 0]][kind]
        return texel(self.w, self.texture, lane, level, x, y, z)

    def compared(self, a, value):
        """The result of comparing the reference with a texel: 0 or 1."""
        reference = a.reference
        if self.texture.nfmt == formats.UNORM and not F32.is_nan(reference):
            reference = 0 if reference >> 31 else min(reference, 0x3F800000)
        if F32.is_nan(reference) or F32.is_nan(value):
            self.w.doubts.add("compare-nan")
            return self.sampler.compare in (5, 7)
        left, right = ordered(reference), ordered(value)
        return [False, left < right, left == right, left <= right, left > right, left != right, left >= right,
                True][self.sampler.compare]

    def sample(self, lane):
        """The four result components of a lane."""
        a, s = self.address(lane), self.sampler
        _, clamp, last = self.level(lane)
        if 0 < abs(clamp) < 0.001:
            self.w.fragile = True
        xy = s.mag if clamp <= 0 else s.min
        linear = bool(xy & 1) and not self.texture.is_integer()
        if s.z_filter == 0 and self.texture.type == D3:
            self.w.doubts.add("z-filter-none")
        z_linear = (linear if s.z_filter == 0 else s.z_filter == 2) and not self.texture.is_integer()
        chosen = lod.levels(self.w, self.texture, s, last)
        if len(chosen) > 1 and self.texture.is_integer():
            self.w.doubts.add("image-integer-mip")
            chosen = [max(chosen, key=lambda c: c[1])]
        texels = []
        for level, share in chosen:
            for x, y, z, weight in self.axes(a, level, linear, z_linear):
                if weight:
                    texels.append((self.fetch(lane, level, x, y, z), weight * Fraction(share)))
        if self.op.m.compare:
            value = sum((weight for t, weight in texels if self.compared(a, t[0])), Fraction(0))
            return selected(self.texture, [rounded(value), 0, 0, 0x3F800000])
        return selected(self.texture, [self.blended([t[k] for t, _ in texels], [weight for _, weight in texels])
                                       for k in range(4)])

    def blended(self, values, weights):
        if len(values) == 1:
            return values[0]
        if self.sampler.mode and not self.texture.is_integer():
            pick = min if self.sampler.mode == 1 else max
            return pick(values, key=ordered)
        if any(map(F32.is_nan, values)):
            return NAN
        infinities = {v for v in values if F32.is_inf(v)}
        if infinities:
            return NAN if len(infinities) > 1 else infinities.pop()
        result = sum((fraction(v) * weight for v, weight in zip(values, weights)), Fraction(0))
        return rounded(result)

    def gather(self, lane):
        """One component of the four texels of the bilinear footprint: (0, 1), (1, 1), (1, 0), (0, 0)."""
        a, t = self.address(lane), self.texture
        _, _, last = self.level(lane)
        level = lod.levels(self.w, t, self.sampler, last)
        if len(level) > 1:
            self.w.doubts.add("gather-level")
        level = level[0][0]
        early_integer = t.gen < 9 and t.is_integer()
        if early_integer:
            self.w.doubts.add("gather-integer")
        if a.at and early_integer:
            # the hardware takes floor(t) as the first texel
            sizes = t.size(level) if self.normalized else (1, 1, 1)
            shift = Fraction(1, 2)
            moved = object.__new__(Address)
            vars(moved).update(vars(a))
            moved.at = [v + shift / n for v, n in zip(a.at, sizes)]
            a = moved
        places = self.axes(a, level, True, False)
        if len(places) == 2:                    # one row: 1D
            places = places * 2
        values = []
        for k in (2, 3, 1, 0):
            x, y, z, _ = places[k]
            found = self.fetch(lane, level, x, y, z)
            if self.op.m.compare:
                values.append(0x3F800000 if self.compared(a, found[0]) else 0)
            else:
                channel = components(self.op)
                values.append(selected(t, found)[channel[0] if channel else 0])
        return values

    def get_lod(self, lane):
        value, _, last = self.level(lane)
        chosen = lod.levels(self.w, self.texture, self.sampler, last)
        level = sum(k * share for k, share in chosen)
        return [float_bits(level), float_bits(value), 0, 0]


def unwrapped(w, place, linear, trunc):
    """The footprint along an axis of a cube's face: indices may lie outside."""
    if not linear:
        return [(floor(place if trunc else fixed(w, place)), Fraction(1))]
    place = fixed(w, place) - HALF
    i, weight = floor(place), place - floor(place)
    return [(i, 1 - weight), (i + 1, weight)]


def ordered(bits):
    """A key that sorts floats by value, from their bits."""
    magnitude = F32.magnitude(bits)
    return -magnitude if bits >> 31 else magnitude


def float_bits(value):
    if isinf(value):
        return F32.inf if value > 0 else F32.inf | F32.sign
    return rounded(Fraction(value))


def execute(w, op):
    s = Sampling(w, op)
    gather = op.m.kind == "gather"
    count = 4 if gather else result_count(op)
    if past_the_end(w, op, count):
        return
    results = []
    for lane in w.lanes():
        if s.texture.null:
            w.doubts.add("image-outside")
            results.append((lane, [0] * count))
        elif gather:
            results.append((lane, s.gather(lane)))
        else:
            values = s.get_lod(lane) if op.m.kind == "lod" else s.sample(lane)
            chosen = [values[k] for k in components(op)]
            if not chosen:
                w.doubts.add("mimg-dmask0")
            results.append((lane, chosen or [0]))
    is_float = op.m.kind == "lod" or op.m.compare or formats.is_float_type(s.texture.nfmt)
    for lane, values in results:
        deliver(w, op, lane, values, is_float)
