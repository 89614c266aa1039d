"""Images in the synthetic environment: docs/gcn/synthetic.md#images, in exact numbers."""

from fractions import Fraction
from math import floor

from gcnmem.atomics import integer, vector_memory_float
from gcnmem.formats import half_to_single, single_to_half
from gcnmem.machine import M32

from . import formats
from .access import Cursor, components, halved, packed, past_the_end
from .descriptors import ARRAYS, CUBE, D1, D1_ARRAY, D2, D3, MSAA, MSAA_ARRAY, UNDER_DA

M64 = (1 << 64) - 1
ONE, NAN = 0x3F800000, 0x7FC00000
TEXEL, IMAGE, LEVEL = 4, 6, 7       # purposes of hashes


def hash64(of, seed):
    z = of + (seed + 1) * 0x9E3779B97F4A7C15 & M64
    z ^= z >> 30
    z = z * 0xBF58476D1CE4E5B9 & M64
    z ^= z >> 27
    z = z * 0x94D049BB133111EB & M64
    return z ^ z >> 31


def image_key(words):
    key = 0
    for word in words:
        key = hash64(key ^ word, IMAGE)
    return key


# Of the sets from 4 on, by v / 2 mod 4: the first of 31 floats, their steps per unit, the bits of integers.
DETAILED = [(-7, 2, 255), (-15, 1024, 0x807FFBFF), (1, 32, 7), (-15, 16, 15)]


class Lattice:
    """The texels of all images: made up by hashes, but for those that were written."""

    def __init__(self, variant=0, kind="float", is_made=False):
        """`is_made`: drivers make the descriptors, so TYPE of T# and FORCE_UNNORMALIZED of S# count."""
        self.variant, self.kind, self.is_made, self.written = variant, kind, is_made, {}

    def copy(self):
        other = Lattice(self.variant, self.kind, self.is_made)
        other.written = dict(self.written)
        return other

    @property
    def is_detailed(self):
        return self.variant >= 4

    def has_integers(self, key):
        """Whether the texels behind the key of a level are integers."""
        return self.is_detailed and (self.kind == "int" or self.kind == "mixed" and key >> 63 == 1)

    def made_up(self, key, at):
        of = hash64(key ^ at * 0xD6E8FEB86659FD93 & M64, TEXEL + 16 * self.variant)
        first, steps, mask = DETAILED[self.variant // 2 % 4] if self.is_detailed else (1, 16, 7)
        if self.has_integers(key):
            return of & mask
        return formats.rounded(Fraction(of % 31 + first, steps))

    def read(self, key, at):
        return self.written.get((key, at), self.made_up(key, at))

    def changes(self):
        """[key, at, bits] of each texel component that was written and differs from the made-up one."""
        found = sorted((k, at, bits) for (k, at), bits in self.written.items() if bits != self.made_up(k, at))
        return [[f"0x{k:x}", at, bits] for k, at, bits in found]


def kind_of(w, op):
    """The type of the image of an instruction, and the number that stands for it in hashes."""
    words = [w.s(op.srsrc + k) if k < 4 or not (op.r128 and op.gen < 9) else 0 for k in range(8)]
    kind = words[3] >> 28 if w.lattice.is_made else 0
    if kind < 8:
        w.doubts.add("synthetic-image-dim")
        kind = D2
    return UNDER_DA[kind][bool(op.da)], image_key(words)


def dims(kind):
    return 1 if kind in (D1, D1_ARRAY) else 3 if kind == D3 else 2


def layered(kind):
    return kind in ARRAYS or kind == CUBE


def at(x, y, z):
    return ((z % 8 * 64 + y % 64) * 64 + x % 64) * 4


def integer_place(w, op, lane):
    """(key of the level, place of the component X)."""
    kind, image = kind_of(w, op)
    cursor = Cursor(w, op, lane)
    place = [cursor.next() for _ in range(dims(kind))] + [0] * (3 - dims(kind))
    for extra in (layered(kind), kind in (MSAA, MSAA_ARRAY)):
        place[2] += cursor.next() if extra else 0
    if w.lattice.is_detailed:
        place[1] += place[0] // 64
    level = cursor.next() if op.m.mip else 0
    return hash64(image ^ level, LEVEL), at(*place)


# --- numbers -------------------------------------------------------------------------

def is_finite(bits):
    return bits & 0x7F800000 != 0x7F800000


def number(w, bits):
    """A coordinate as a number."""
    if not is_finite(bits):
        w.doubts.add("image-coordinate")
        return Fraction(0)
    return formats.fraction(bits)


def blend(a, b, weight):
    """a + (b - a) * weight in binary32; operands and result are bits."""
    if is_finite(a) and is_finite(b):
        step = formats.rounded(formats.fraction(b) - formats.fraction(a))
        if is_finite(step):
            product = formats.rounded(formats.fraction(step) * weight)
            if is_finite(product):
                return formats.rounded(formats.fraction(a) + formats.fraction(product))
    raise NotImplementedError("infinite")


def ramp(texel, reference):
    """clamp(0.5 + 4 * (texel - reference)); 0 for a NaN."""
    if not is_finite(texel):
        return ONE if texel == 0x7F800000 else 0
    distance = formats.fraction(formats.rounded(formats.fraction(texel) - reference))
    if abs(distance) > 1 << 20:
        return ONE if distance > 0 else 0
    return formats.rounded(min(max(formats.fraction(formats.rounded(Fraction(1, 2) + 4 * distance)), 0), 1))


def neighbours(t, size):
    """The texels around a place in binary64, and the weight of the second, rounded to binary32."""
    first = floor(t)
    return [first % size, (first + 1) % size], formats.fraction(formats.rounded(t - first))


def lookup(w, op, lane):
    """What a lane looks up: (kind, key, columns, rows, layers, reference, addition)."""
    kind, image = kind_of(w, op)
    short = op.a16 and op.gen >= 9
    cursor = Cursor(w, op, lane)

    def next_float():
        bits = cursor.next()
        return number(w, half_to_single(bits) if short else bits)

    addition = Fraction(0)

    def add(weight):
        """Adds the next operand (bias, derivative or clamp) times weight / 64 to `addition`; both steps are rounded."""
        nonlocal addition
        bits = cursor.next()
        bits = half_to_single(bits) if short else bits
        if is_finite(bits):
            product = formats.fraction(formats.rounded(formats.fraction(bits) * Fraction(weight, 64)))
            addition = formats.fraction(formats.rounded(addition + product))

    word = cursor.whole() if op.m.offset else 0
    offset = [(word >> 8 * k & 63 ^ 32) - 32 for k in range(3)]
    if op.m.bias:
        add(1)
        cursor.restart()
    reference = number(w, cursor.whole()) if op.m.compare else None
    if op.m.derivatives:
        for first in (2, 5):
            [add(first + axis) for axis in range(dims(kind))]
            cursor.restart()
    coordinates = [next_float() for _ in range(dims(kind))]
    layer = next_float() if layered(kind) else Fraction(0)
    level = next_float() if op.m.lod else Fraction(0)
    if op.m.clamp:
        add(8)
    axes = []
    in_texels = op.unorm or w.lattice.is_made and w.s(op.ssamp) >> 15 & 1
    for k, size in zip(range(dims(kind)), (64, 64, 8)):
        t = coordinates[k] + offset[k] if in_texels else coordinates[k] * size + offset[k] - Fraction(1, 2)
        axes.append(neighbours(Fraction(float(t)), size))
    flat = [0, 0], Fraction(0)
    rows = axes[1] if dims(kind) > 1 else flat
    layers = axes[2] if kind == D3 else ([round(layer)] * 2, Fraction(0))
    layers = [z + floor(level) for z in layers[0]], layers[1]
    key = hash64(image, LEVEL)
    if not w.lattice.is_detailed or w.lattice.has_integers(key):
        addition = None
    return kind, key, axes[0], rows, layers, reference, addition


# --- instructions --------------------------------------------------------------------

def deliver(w, op, lane, values):
    """Writes the components to the data registers of a lane, and the status behind them."""
    count = (len(values) + 1) // 2 if packed(op) else len(values)
    for k, value in enumerate(values):
        if halved(op):
            if value >= 1 << 16:
                doubts = set()
                value = single_to_half(value, doubts)
                w.doubts |= doubts
            old = w.v(op.vdata + k // 2, lane) if packed(op) else 0
            if packed(op):
                value = old & 0xFFFF | value << 16 if k % 2 else old & 0xFFFF0000 | value
        w.set_v(op.vdata + (k // 2 if packed(op) else k), lane, value)
    if op.tfe or op.lwe:
        w.set_v(op.vdata + count, lane, 0)


def execute(w, op):
    {"load": load, "store": store, "atomic": atomic, "resinfo": resinfo, "sample": sample, "gather": gather,
     "lod": level_of_detail}[op.m.kind](w, op)


def load(w, op):
    for lane in w.lanes():
        key, place = integer_place(w, op, lane)
        deliver(w, op, lane, [w.lattice.read(key, place + k) for k in components(op)] or [0])


def store(w, op):
    for lane in w.lanes():
        key, place = integer_place(w, op, lane)
        for n, k in enumerate(components(op)):
            value = w.v(op.vdata + (n // 2 if packed(op) else n), lane)
            if halved(op):
                value = value >> (16 * (n % 2) if packed(op) else 0) & 0xFFFF
                value = value if value < 1 << 10 else half_to_single(value)
            w.lattice.written[key, place + k] = value


def atomic(w, op):
    swap = op.m.op in ("cmpswap", "fcmpswap")
    dwords = len(components(op)) // (2 if swap else 1)
    for lane in w.lanes():
        key, place = integer_place(w, op, lane)
        operand = w.v(op.vdata, lane, dwords)
        if swap:
            operand = (operand, w.v(op.vdata + dwords, lane, dwords))
        old = sum(w.lattice.read(key, place + k) << 32 * k for k in range(dwords))
        if op.m.op in ("fmin", "fmax", "fcmpswap"):
            new = vector_memory_float(op.m.op, old, operand, 32 * dwords, w.doubts)
        else:
            new = integer(op.m.op, old, operand, 32 * dwords)
        for k in range(dwords):
            w.lattice.written[key, place + k] = new >> 32 * k & M32
        if op.glc:
            w.set_v(op.vdata, lane, old, dwords)
            if op.tfe:
                w.set_v(op.vdata + dwords, lane, 0)


def resinfo(w, op):
    for lane in w.lanes():
        level = w.v(op.vaddr, lane) & (0xFFFF if op.a16 and op.gen >= 9 else M32)
        size = [max(1, n >> level) for n in (64, 64, 8)] + [7]
        deliver(w, op, lane, [size[k] for k in components(op)] or [0])


def level_of_detail(w, op):
    for lane in w.lanes():
        deliver(w, op, lane, [0 for _ in components(op)] or [0])


def sample(w, op):
    for lane in w.lanes():
        kind, key, columns, rows, layers, reference, addition = lookup(w, op, lane)

        def flat(z, k):
            above, below = ([w.lattice.read(key, at(x, y, z) + k) for x in columns[0]] for y in rows[0])
            return blend(blend(*above, columns[1]), blend(*below, columns[1]), rows[1])

        def texel(k):
            if w.lattice.has_integers(key):
                return w.lattice.read(key, at(columns[0][0], rows[0][0], layers[0][0]) + k)
            near = flat(layers[0][0], k)
            value = blend(near, flat(layers[0][1], k), layers[1]) if kind == D3 else near
            return value if addition is None else formats.rounded(formats.fraction(value) + addition)

        if op.m.compare:
            values = [ramp(texel(0), reference), 0, 0, ONE]
        else:
            values = [texel(k) if k in components(op) else 0 for k in range(4)]
        deliver(w, op, lane, [values[k] for k in components(op)] or [0])


def gather(w, op):
    for lane in w.lanes():
        _, key, columns, rows, layers, reference, _ = lookup(w, op, lane)
        component = 0 if op.m.compare else (components(op) or [0])[0]
        corners = [(0, 1), (1, 1), (1, 0), (0, 0)]
        values = [w.lattice.read(key, at(columns[0][x], rows[0][y], layers[0][0]) + component) for x, y in corners]
        deliver(w, op, lane, [ramp(v, reference) for v in values] if op.m.compare else values)
