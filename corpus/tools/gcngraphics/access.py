"""Loads, stores and atomics at integer coordinates; the size of an image."""

from gcnmem.atomics import integer, vector_memory_float
from gcnmem.formats import from_d16, to_d16
from gcnmem.machine import M32, sx

from . import formats
from .descriptors import ARRAYS, CUBE, D1, D1_ARRAY, D3, MSAA, MSAA_ARRAY, Texture
from .layout import piece, texel


def texture_of(w, op):
    count = 4 if op.r128 and op.gen < 9 else 8
    texture = Texture([w.s(op.srsrc + k) for k in range(count)], op.gen, count == 4, w.doubts)
    if texture.compressed and not texture.null:
        raise NotImplementedError("image-compressed")
    return texture.under(op.da)


class Cursor:
    """Reads address registers in order; from `packed` on two 16-bit values are in one."""

    def __init__(self, w, op, lane):
        self.w, self.lane, self.at, self.half, self.a16 = w, lane, op.vaddr, 0, op.a16 and op.gen >= 9

    def whole(self):
        """The next register, as a value of 32 bits."""
        self.restart()
        self.at += 1
        return self.w.v(self.at - 1, self.lane)

    def restart(self):
        """The next value begins in a register of its own."""
        self.at += self.half
        self.half = 0

    def next(self):
        """The next value: a register, or with A16 half of one."""
        if not self.a16:
            return self.whole()
        value = self.w.v(self.at, self.lane) >> 16 * self.half & 0xFFFF
        self.at, self.half = self.at + self.half, 1 - self.half
        return value


def has_slice(texture, op):
    """Whether there is a coordinate for the layer.  DA decides; the type in T# should agree."""
    if (texture.resource in ARRAYS or texture.resource == CUBE) != bool(op.da):
        texture.doubts.add("image-da")
    return texture.type in ARRAYS or texture.type == CUBE


def integer_coordinates(texture, op, cursor):
    """The coordinates of a load, store or atomic: (x, y, layer, fragment)."""
    x = cursor.next()
    y = cursor.next() if texture.type not in (D1, D1_ARRAY) else 0
    layer = cursor.next() if texture.type == D3 or has_slice(texture, op) else 0
    fragment = cursor.next() if texture.type in (MSAA, MSAA_ARRAY) else 0
    return x, y, layer, fragment


def located(w, op, texture, lane):
    """(level, x, y, layer, fragment) that a lane accesses; None if it is outside of the image."""
    cursor = Cursor(w, op, lane)
    x, y, layer, fragment = integer_coordinates(texture, op, cursor)
    level = cursor.next() if op.m.mip else 0
    if level >= texture.levels():
        return None
    width, height, depth = texture.size(level)
    layers = depth if texture.type == D3 else texture.slices()
    if x >= width or y >= height or layer >= layers or fragment >= texture.samples:
        return None
    return level, x, y, layer, fragment


# --- results to registers ------------------------------------------------------------

def components(op):
    """The components that DMASK names; none counts as one."""
    return [k for k in range(4) if op.dmask >> k & 1]


def halved(op):
    return bool(op.d16) and op.gen >= 8


def packed(op):
    return halved(op) and op.gen >= 9


def registers(op, count):
    """The number of data registers that hold `count` components, without the status."""
    return (count + 1) // 2 if packed(op) else count


def selected(texture, values):
    """The components of a texel in the order that DST_SEL gives."""
    out = []
    for select in texture.select:
        if select in (2, 3):
            texture.doubts.add("format-dst-sel")
        out.append(formats.one(texture.nfmt) if select == 1 else values[select - 4] if select >= 4 else 0)
    return out


def past_the_end(w, op, count):
    """Whether a destination register lies past the last one: then the instruction does nothing."""
    status = op.tfe or op.lwe
    return w.past_the_end(op.vdata, registers(op, count) + bool(status))


def deliver(w, op, lane, values, is_float, status=True):
    """Writes the components (32 bits each) to the data registers of a lane, and the status behind them."""
    if halved(op):
        doubts = set()
        values = [to_d16(x, 0 if is_float else formats.UINT, doubts) for x in values]
        w.doubts |= doubts
        for k, x in enumerate(values):
            if not packed(op):
                w.doubts.add("d16-unpacked-high")
                w.set_v(op.vdata + k, lane, x)
                continue
            old = w.v(op.vdata + k // 2, lane)
            w.set_v(op.vdata + k // 2, lane, old & 0xFFFF | x << 16 if k % 2 else old & 0xFFFF0000 | x)
    else:
        for k, x in enumerate(values):
            w.set_v(op.vdata + k, lane, x)
    if (op.tfe or op.lwe) and status:
        w.doubts.add("tfe-resident")
        w.set_v(op.vdata + registers(op, len(values)), lane, 0)


def result_count(op):
    return max(1, len(components(op)))


def sign_extended(texture, raw):
    """A texel below 32 bits, as a signed number of 32."""
    size = 8 * texture.bytes
    return sx(raw, size) & M32 if size < 32 else raw


# --- the instructions ----------------------------------------------------------------

def load(w, op):
    texture = texture_of(w, op)
    if past_the_end(w, op, result_count(op)):
        return
    found = []
    for lane in w.lanes():
        where = None if texture.null else located(w, op, texture, lane)
        if where is None:
            w.doubts.add("image-outside")
            values = [0] * 4
        elif op.m.pck:
            pieces = [piece(texture, *where)]
            w.check(pieces, "load", lane)
            raw = w.read(pieces)
            raw = sign_extended(texture, raw) if op.m.sgn else raw
            w.doubts.add("image-pck")
            values = [raw >> 32 * k & M32 for k in range(4)]
        else:
            values = selected(texture, texel(w, texture, lane, *where))
        found.append((lane, values))
    for lane, values in found:
        chosen = [values[k] for k in components(op)]
        if not chosen:
            w.doubts.add("mimg-dmask0")
            chosen = [0]
        deliver(w, op, lane, chosen, formats.is_float_type(texture.nfmt))


def store(w, op):
    texture = texture_of(w, op)
    if texture.null:
        w.doubts.add("image-outside")
        return
    if not op.m.pck and not formats.can_store(texture.dfmt, texture.nfmt) or op.m.pck and texture.block > 1:
        raise NotImplementedError("store to this format")
    places = {lane: located(w, op, texture, lane) for lane in w.lanes()}

    def where(lane):
        if places[lane] is None:
            w.doubts.add("image-outside")
            return [(None, 0, texture.bytes)]
        return [piece(texture, *places[lane])]

    w.store(where, lambda lane: stored(w, op, texture, lane))


def stored(w, op, texture, lane):
    """The bits of the texel that a lane stores."""
    if op.dmask not in (15,):
        w.doubts.add("mimg-store-dmask")
    values = [None] * 4
    for k, component in enumerate(components(op)):
        if halved(op):
            register = w.v(op.vdata + (k // 2 if packed(op) else k), lane)
            value = register >> (16 * (k % 2) if packed(op) else 0) & 0xFFFF
            value = from_d16(value, texture.nfmt)
        else:
            value = w.v(op.vdata + k, lane)
        if op.m.pck:
            w.doubts.add("image-pck")
            values[component] = value
            continue
        channel = texture.select[component] - 4
        if channel >= 0:
            values[channel] = value if values[channel] is None else values[channel]
            if texture.select != [4, 5, 6, 7]:
                w.doubts.add("mimg-store-dmask")
    if op.m.pck:
        return sum((v or 0) << 32 * k for k, v in enumerate(values))
    return formats.encode(texture.dfmt, texture.nfmt, values, op.gen, w.doubts)


def atomic(w, op):
    texture = texture_of(w, op)
    swap = op.m.op in ("cmpswap", "fcmpswap")
    count = len(components(op))
    dwords = count // 2 if swap else count
    if op.glc and w.past_the_end(op.vdata, dwords + op.tfe):
        return
    operands = {}
    for lane in w.lanes():
        operands[lane] = w.v(op.vdata, lane, dwords)
        if swap:
            operands[lane] = (operands[lane], w.v(op.vdata + dwords, lane, dwords))

    def where(lane):
        place = None if texture.null else located(w, op, texture, lane)
        if place is None:
            w.doubts.add("image-outside")
            return [(None, 0, 4 * dwords)]
        return [piece(texture, *place)[:2] + (4 * dwords,)]

    def change(lane, old):
        if op.m.op in ("fmin", "fmax", "fcmpswap"):
            return vector_memory_float(op.m.op, old, operands[lane], 32 * dwords, w.doubts)
        return integer(op.m.op, old, operands[lane], 32 * dwords)

    give = (lambda lane, old: w.set_v(op.vdata, lane, old, dwords)) if op.glc else None
    w.update(where, change, give, 4 * dwords)
    if op.tfe and op.glc:
        w.doubts.add("tfe-resident")
        for lane in w.lanes():
            w.set_v(op.vdata + dwords, lane, 0)


def resinfo(w, op):
    texture = texture_of(w, op)
    if past_the_end(w, op, result_count(op)):
        return
    for lane in w.lanes():
        level = w.v(op.vaddr, lane) & (0xFFFF if op.a16 and op.gen >= 9 else M32)
        values = [0] * 4
        if not texture.null:
            values = [0, 0, 0, texture.levels()]
            if level >= texture.levels():
                w.doubts.add("resinfo-level")
            else:
                width, height, depth = texture.size(level)
                values[:3] = width, height, depth if texture.type == D3 else texture.slices()
                if texture.resource == D1_ARRAY and op.gen < 9:
                    values[1] = values[2]
                if texture.resource not in ARRAYS + (D3, CUBE) and op.dmask & 4 \
                        or texture.resource in (D1, D1_ARRAY) and op.dmask & 6:
                    w.doubts.add("resinfo-unused")
        deliver(w, op, lane, [values[k] for k in components(op)] or [0], False)
