"""MUBUF and MTBUF: descriptors, addresses, range checks."""

from . import formats
from .atomics import integer, vector_memory_float
from .machine import M32, Pieces

INLINE_FLOATS = [0x3F000000, 0xBF000000, 0x3F800000, 0xBF800000, 0x40000000, 0xC0000000, 0x40800000, 0xC0800000,
                 0x3E22F983]


def scalar_operand(w, code):
    """The value of SOFFSET: of any scalar source but a literal."""
    if code < 128:
        return w.s(code)
    if code <= 192:
        return code - 128
    if code <= 208:
        return 192 - code & M32
    if code >= 251:
        vcc, execute = w.st.read64(106), w.st.read64(126)
        return (int(vcc == 0), int(execute == 0), w.st.scc)[code - 251]
    return INLINE_FLOATS[code - 240]


class Resource:
    """A buffer descriptor as an instruction sees it."""

    def __init__(self, w, op):
        words = [w.s(op.srsrc + k) for k in range(4)]
        formatted = op.row.encoding == "MTBUF" or op.m.comps > 0
        w3 = words[3]
        self.base = words[0] | (words[1] & 0xFFFF) << 32
        self.stride, self.swizzle = words[1] >> 16 & 0x3FFF, words[1] >> 31
        self.records = words[2]
        self.select = [w3 >> 3 * k & 7 for k in range(4)]
        self.nfmt, self.dfmt = w3 >> 12 & 7, w3 >> 15 & 15
        self.element = 2 << (w3 >> 19 & 3) if op.gen < 9 else 4
        self.indices = 8 << (w3 >> 21 & 3)
        self.add_tid = w3 >> 23 & 1
        wide_stride = op.gen >= 8 and self.add_tid and not formatted
        if wide_stride:
            self.stride |= self.dfmt << 14
        self.unbound = self.dfmt == 0 and not wide_stride and not (op.addr64 and any(words))
        if self.unbound and any(words):
            w.doubts.add("buffer-invalid-format")
        if op.gen < 9 and w3 >> 26 & 1:
            w.doubts.add("buffer-heap")
        if w3 >> 30:
            w.doubts.add("buffer-type")
        if op.row.encoding == "MTBUF":
            self.select, self.nfmt, self.dfmt = [4, 5, 6, 7], op.nfmt, op.dfmt


class Address:
    """Where one lane of a buffer instruction goes."""

    def __init__(self, w, op, r, lane):
        self.w, self.op, self.r = w, op, r
        self.soffset = scalar_operand(w, op.soffset)
        if op.addr64:
            if op.offen or op.idxen:
                w.doubts.add("addr64-offen")
            self.absolute = r.base + w.v(op.vaddr, lane, 2) + self.soffset + op.offset
            return
        at = op.vaddr
        vindex = w.v(at, lane) if op.idxen else 0
        voffset = w.v(at + op.idxen, lane) if op.offen else 0
        self.sum = voffset + op.offset
        self.index = vindex + (lane if r.add_tid else 0) & M32

    def buffer_offset(self, c):
        """The offset in the buffer of byte c of the access."""
        r = self.r
        offset = self.sum + c & M32
        if not r.swizzle:
            return self.index * r.stride + offset
        record = self.index // r.indices * r.stride + offset // r.element * r.element
        return record * r.indices + self.index % r.indices * r.element + offset % r.element

    def address(self, c):
        if self.op.addr64:
            return self.absolute + c
        bo = self.buffer_offset(c)
        if not self.r.swizzle and bo >> 32:
            self.w.doubts.add("buffer-offset-width")
        return self.r.base + self.soffset + bo

    def outside(self, c):
        """Whether the component at byte c is out of range."""
        r, op, w = self.r, self.op, self.w
        if op.addr64:
            return False
        # swizzled buffers before 1.4 are checked with the full sum, all others with one of 32 bits
        offset = self.sum + c if r.swizzle and op.gen < 9 else self.sum + c & M32
        place = self.buffer_offset(c) + (offset - (offset & M32))
        if offset != self.sum + c:
            w.doubts.add("buffer-offset-wrap")
        if op.gen < 8:
            if r.stride == 0:
                return self.beyond(place)
            if not (op.idxen or r.add_tid):
                w.doubts.add("buffer-oob-stride-noidx")
            return self.index >= r.records or bool(op.idxen or r.add_tid) and offset >= r.stride
        if op.gen == 8:
            if r.stride == 0 or not r.swizzle:
                return self.beyond(place)
            return self.index >= r.records or offset >= r.stride
        if r.add_tid and not op.idxen:
            return False
        if r.swizzle and not op.idxen or r.add_tid:
            w.doubts.add("buffer-oob-gfx9-other")
        if not op.idxen:
            return self.beyond(offset)
        if r.stride == 0:
            w.doubts.add("buffer-oob-gfx9-stride0")
            return False
        return self.index >= r.records

    def beyond(self, bo):
        """Whether buffer offset `bo` is out of range in the check by bytes, which subtracts SOFFSET."""
        found = bo >= max(0, self.r.records - self.soffset)
        if self.soffset and found != (bo >= self.r.records):
            self.w.doubts.add("buffer-oob-soffset")
        return found

    def untyped(self, size):
        """The pieces of an access of whole dwords, or of a byte or short."""
        w, r, op = self.w, self.r, self.op
        found, outside = [], []
        unit = size if op.m.kind == "atomic" else min(size, 4)
        for c in range(0, size, unit):
            if r.unbound:
                found.append((None, 0, unit))
                continue
            out = self.outside(c)
            outside.append(out)
            address = self.address(c)
            if op.gen == 6 and op.m.kind != "atomic" and address % unit:
                w.doubts.add("vmem-align-gfx6")
                address -= address % unit
            found.append((None if out else "mem", address, unit))
        if any(outside) and not all(outside):
            w.doubts.add("buffer-oob-partial")
        if not op.addr64 and not r.unbound:
            self.note_ends(size, unit, outside)
        if r.swizzle and not op.addr64 and len(found) > 1:
            return Pieces(found, self.sum - (self.sum % unit if op.gen == 6 else 0))
        return found

    def note_ends(self, size, unit, outside):
        """Adds the doubts of accesses that end beyond the range or the swizzled element in which they begin."""
        w, r = self.w, self.r
        for c, out in zip(range(0, size, unit), outside):
            if not out and unit > 1 and self.outside(c + unit - 1):
                w.doubts.add("buffer-oob-tail")
        if r.swizzle and self.sum % r.element + size > r.element:
            w.doubts.add("buffer-swizzle-wide")

    def formatted(self, size):
        """The pieces of a formatted access: one, of the whole element."""
        w, r, op = self.w, self.r, self.op
        if r.unbound or self.outside(0) or size == 0:
            return [(None, 0, max(size, 1))]
        address = self.address(0)
        if address % formats.alignment(r.dfmt, op.gen):
            w.doubts.add("format-align")
        if not op.addr64:
            self.note_ends(size, size, [False])
        if op.gen == 6 and r.dfmt in (6, 7):
            w.doubts.add("format-10-11-11-gfx6")
        return [("mem", address, size)]


def execute(w, op):
    """One instruction of MUBUF or MTBUF."""
    m = op.m
    if m.kind == "none":
        return
    r = Resource(w, op)
    dwords = max(1, m.size // 4)
    formatted = m.comps > 0
    if formatted:
        dwords = (m.comps + 1) // 2 if m.d16 and op.gen >= 9 else m.comps
    if m.kind == "load" and not op.lds or m.kind == "atomic" and op.glc:
        if w.past_the_end(op.vdata, dwords * (2 if m.op in ("cmpswap", "fcmpswap") else 1) + op.tfe):
            return

    def where(lane):
        a = Address(w, op, r, lane)
        return a.formatted(formats.element_size(r.dfmt)) if formatted else a.untyped(m.size)

    if m.kind == "load":
        deliver = to_share(w, op) if op.lds else to_registers(w, op, r, dwords)
        w.load(where, deliver)
    elif m.kind == "store":
        w.store(where, lambda lane: stored(w, op, r, lane, dwords))
    elif m.kind == "store_lds":
        store_lds(w, op, where)
    else:
        update(w, op, where, dwords, m.size)


def share_address(w, op, lane):
    if op.offset:
        w.doubts.add("buffer-lds-offset")
    return (w.m0 & 0xFFFF) + op.offset + 4 * lane


def converted(w, op, r, data):
    """The result components of a formatted load."""
    fields = formats.split(data, r.dfmt) if r.dfmt in formats.LAYOUT else []
    if not fields:
        w.doubts.add("format-invalid")
    memory = [formats.load_component(field, bits, r.nfmt, op.gen, w.doubts)
              for field, (_, bits) in zip(fields, formats.LAYOUT.get(r.dfmt, []))]
    return selected(w, r, memory, op.m.comps)


def selected(w, r, memory, count):
    """Memory components as result components."""
    out = []
    for select in r.select[:count]:
        if select in (2, 3):
            w.doubts.add("format-dst-sel")
        out.append(formats.one(r.nfmt) if select == 1 else memory[select - 4] if 4 <= select < 4 + len(memory) else 0)
    return out


def result(w, op, r, pieces_empty, data):
    """The value of a load before it goes to registers: a list of components, or one number."""
    m = op.m
    if m.comps:
        if r.unbound:
            return [0] * m.comps
        return selected(w, r, [0, 0, 0, 0], m.comps) if pieces_empty else converted(w, op, r, data)
    return extended(m, data)


def extended(m, data):
    """A byte or short extended to 32 bits."""
    if m.signed and data >> 8 * m.size - 1:
        data |= (1 << 32) - (1 << 8 * m.size)
    return data


def to_registers(w, op, r, dwords):
    """A function that writes the result of a lane into VGPRs."""
    m = op.m

    def deliver(lane, data):
        value = result(w, op, r, deliver.empty[lane], data)
        if m.comps and m.d16:
            values = [formats.to_d16(x, used_format(w, op, r), w.doubts) for x in value]
            halves(w, op, lane, values)
        elif m.comps:
            for k, x in enumerate(value):
                w.set_v(op.vdata + k, lane, x)
        elif m.d16:
            set_half(w, op.vdata, lane, value, m.hi)
        else:
            w.set_v(op.vdata, lane, value, dwords)
        if op.tfe:
            w.doubts.add("tfe")
            w.set_v(op.vdata + dwords, lane, 0)

    deliver.empty = Emptiness(w, op, r)
    return deliver


class Emptiness:
    """Whether the element of a lane is out of range: then components are 0, whatever their format makes of 0."""

    def __init__(self, w, op, r):
        self.w, self.op, self.r = w, op, r
        self.at = {lane: Address(w, op, r, lane) for lane in w.lanes()} if op.m.comps and not r.unbound else {}

    def __getitem__(self, lane):
        return lane in self.at and self.at[lane].outside(0)


def used_format(w, op, r):
    """The number format of the descriptor; another one in place of an undefined one."""
    return formats.number_format(r.nfmt, formats.LAYOUT[r.dfmt][0][1], op.gen, w.doubts) if r.dfmt in formats.LAYOUT \
        else r.nfmt


def set_half(w, n, lane, value, high):
    old = w.v(n, lane)
    w.set_v(n, lane, old & 0xFFFF | (value & 0xFFFF) << 16 if high else old & 0xFFFF0000 | value & 0xFFFF)


def halves(w, op, lane, values):
    """Writes components of 16 bits to registers: two in each from 1.4 on."""
    if op.gen < 9:
        w.doubts.add("d16-unpacked-high")
        for k, x in enumerate(values):
            w.set_v(op.vdata + k, lane, x)
        return
    for k, x in enumerate(values):
        set_half(w, op.vdata + k // 2, lane, x, op.m.hi or k % 2)


def to_share(w, op):
    """A function that writes the loaded dword of a lane to LDS."""
    def deliver(lane, data):
        at = share_address(w, op, lane)
        value = data if isinstance(data, int) else data[0]
        if at + 4 <= len(w.lds):
            w.write([("lds", at, 4)], value)

    if not op.m.comps:
        return lambda lane, data: deliver(lane, extended(op.m, data))
    r = Resource(w, op)
    empty = Emptiness(w, op, r)
    return lambda lane, data: deliver(lane, result(w, op, r, empty[lane], data))


def stored(w, op, r, lane, dwords):
    """The number whose bytes a lane stores."""
    m = op.m
    if not m.comps:
        value = w.v(op.vdata, lane, dwords)
        return value >> 16 if m.hi else value
    if m.d16 and op.gen >= 9:
        registers = [w.v(op.vdata + k // 2, lane) >> 16 * (m.hi or k % 2) & 0xFFFF for k in range(m.comps)]
    else:
        registers = [w.v(op.vdata + k, lane) for k in range(m.comps)]
    if m.d16:
        registers = [formats.from_d16(x & 0xFFFF, used_format(w, op, r)) for x in registers]
    layout = formats.LAYOUT.get(r.dfmt, [])
    if not layout:
        w.doubts.add("format-invalid")
    fields = [None] * len(layout)
    for value, select in zip(registers, r.select):
        if select in (2, 3) or 4 <= select < 4 + len(fields) and fields[select - 4] is not None:
            w.doubts.add("format-dst-sel")
        elif 4 <= select < 4 + len(fields):
            fields[select - 4] = formats.store_component(value, layout[select - 4][1], r.nfmt, op.gen, w.doubts)
    return formats.join([field or 0 for field in fields], r.dfmt) if layout else 0


def store_lds(w, op, where):
    """Executes BUFFER_STORE_LDS_DWORD."""
    active = {lane: share_address(w, op, lane) for lane in w.lanes()}
    inside = {lane: at for lane, at in active.items() if at + 4 <= len(w.lds)}
    w.store(lambda lane: where(lane) if lane in inside else [(None, 0, 4)],
            lambda lane: w.read([("lds", inside[lane], 4)]) if lane in inside else 0)


def update(w, op, where, dwords, align):
    """Executes an atomic operation, also of FLAT, whose fields have other names."""
    m = op.m
    data_at, result_at = (op.vdata, op.vdata) if op.row.encoding == "MUBUF" else (op.data, op.vdst)
    operands = {}
    for lane in w.lanes():
        operands[lane] = w.v(data_at, lane, dwords)
        if m.op in ("cmpswap", "fcmpswap"):
            operands[lane] = (operands[lane], w.v(data_at + dwords, lane, dwords))

    def change(lane, old):
        if m.op in ("fmin", "fmax", "fcmpswap"):
            return vector_memory_float(m.op, old, operands[lane], 8 * m.size, w.doubts)
        return integer(m.op, old, operands[lane], 8 * m.size)

    deliver = (lambda lane, old: w.set_v(result_at, lane, old, dwords)) if op.glc else None
    w.update(where, change, deliver, align)
    if op.tfe and op.glc:
        w.doubts.add("tfe")
        for lane in w.lanes():
            w.set_v(result_at + dwords * (2 if data_at == result_at and isinstance(operands[lane], tuple) else 1),
                    lane, 0)
