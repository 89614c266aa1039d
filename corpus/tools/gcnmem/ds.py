"""DS: LDS and GDS, and the exchange between lanes."""

from gcnmodel import EXEC

from .atomics import integer, share_float
from .buffer import extended, set_half
from .machine import M32, Fault, sx

FLOATS = ("fcmpst", "fmin", "fmax", "fadd")


class Share:
    """Limits and alignment of LDS, or of GDS."""

    def __init__(self, w, op):
        self.w, self.op = w, op
        self.place = "gds" if op.gds else "lds"
        if op.gds:
            w.doubts.add("gds")

    def raw(self, address, size):
        """The piece at an address; one that is nowhere if the address is out of range."""
        w = self.w
        if self.op.gds:
            base, limit = w.m0 >> 16, w.m0 & 0xFFFF
            inside = address + size <= limit and base + address + size <= 65536
            return ("gds", base + address, size) if inside else (None, 0, size)
        limit = len(w.lds)
        if w.gen < 9:
            limit = min(limit, w.m0 & 0x1FFFF)
        if address < limit < address + size:
            w.doubts.add("lds-partial-oob")
        return ("lds", address, size) if address + size <= limit else (None, 0, size)

    def aligned(self, address, size):
        """An address as the hardware aligns it: before 1.4 its low bits are dropped."""
        step = 16 if size > 8 else size
        if self.w.gen < 9 and address % step:
            self.w.doubts.add("lds-misaligned")
            address -= address % step
        return address

    def piece(self, lane, offset, size, kind):
        """The piece that the address register of a lane and an offset name."""
        w, op = self.w, self.op
        start = w.v(op.addr, lane)
        address = start + offset & M32
        if w.gen == 6 and start >> 31 and offset:
            w.doubts.add("lds-negative-base")
            return (None, 0, size)
        address = self.aligned(address, size)
        found = self.raw(address, size)
        if kind == "atomic" and address % size and found[0]:
            w.doubts.add("atomic-align")
            raise Fault("atomic", address, size, lane)
        return found


def execute(w, op):
    """One DS instruction."""
    m = op.m
    if m.kind == "none":
        return
    if m.kind in ("swizzle", "permute", "bpermute"):
        exchange(w, op)
        return
    results = {"load": max(1, m.size // 4), "read2": m.size // 2, "wrxchg2": m.size // 2, "condxchg": 2, "append": 1,
               "consume": 1, "read_addtid": 1, "atomic": m.size // 4 * (m.rtn or m.op in ("swap", "wrap"))}
    if results.get(m.kind) and w.past_the_end(op.vdst, results[m.kind]):
        return
    share = Share(w, op)
    ACTIONS[m.kind](w, op, share)


def load(w, op, share):
    m = op.m
    dwords = max(1, m.size // 4)

    def deliver(lane, data):
        if m.d16:
            set_half(w, op.vdst, lane, extended(m, data), m.hi)
        else:
            w.set_v(op.vdst, lane, extended(m, data), dwords)

    w.load(lambda lane: [share.piece(lane, op.offset, m.size, "load")], deliver)


def store(w, op, share):
    m = op.m
    w.store(lambda lane: [share.piece(lane, op.offset, m.size, "store")],
            lambda lane: w.v(op.data0, lane, max(1, m.size // 4)) >> (16 if m.hi else 0))


def two(op):
    """Both offsets of an instruction with two addresses, in bytes."""
    unit = op.m.size * (64 if op.m.st64 else 1)
    return (op.offset & 0xFF) * unit, (op.offset >> 8) * unit


def read2(w, op, share):
    offsets, dwords = two(op), op.m.size // 4
    if offsets[0] == offsets[1]:
        w.doubts.add("ds-equal-offsets")
    w.load(lambda lane: [share.piece(lane, offset, op.m.size, "load") for offset in offsets],
           lambda lane, data: w.set_v(op.vdst, lane, data, 2 * dwords))


def write2(w, op, share):
    offsets, dwords = two(op), op.m.size // 4
    registers = (op.data0, op.data1)
    if offsets[0] == offsets[1]:
        w.doubts.add("ds-equal-offsets")
        offsets = offsets[:1]
    w.store(lambda lane: [share.piece(lane, offset, op.m.size, "store") for offset in offsets],
            lambda lane: sum(w.v(n, lane, dwords) << 8 * op.m.size * k for k, n in enumerate(registers[:len(offsets)])))


def wrxchg2(w, op, share):
    offsets, dwords, bits = two(op), op.m.size // 4, 8 * op.m.size
    same = offsets[0] == offsets[1]
    if same:
        w.doubts.add("ds-equal-offsets")

    def where(lane):
        return [share.piece(lane, offset, op.m.size, "atomic") for offset in (offsets[:1] if same else offsets)]

    values = {lane: w.v(op.data0, lane, dwords) | (0 if same else w.v(op.data1, lane, dwords) << bits)
              for lane in w.lanes()}
    w.update(where, lambda lane, old: values[lane],
             lambda lane, old: w.set_v(op.vdst, lane, old | old << bits if same else old, 2 * dwords))


def new_value(w, op, lane, old):
    """The new value of an atomic operation."""
    m, dwords = op.m, op.m.size // 4
    data = w.v(op.data0, lane, dwords)
    if m.op in ("cmpst", "fcmpst", "mskor", "wrap"):
        data = (data, w.v(op.data1, lane, dwords))
    if m.op in FLOATS:
        return share_float(m.op, old, data, 8 * m.size, w.st.mode, w.doubts)
    return integer(m.op, old, data, 8 * m.size)


def atomic(w, op, share):
    m = op.m
    returns = m.rtn or m.op in ("swap", "wrap")
    w.update(lambda lane: [share.piece(lane, op.offset, m.size, "atomic")],
             lambda lane, old: new_value(w, op, lane, old),
             (lambda lane, old: w.set_v(op.vdst, lane, old, m.size // 4)) if returns else None)


def condxchg(w, op, share):
    """Executes DS_CONDXCHG32_RTN_B64: two dwords, each replaced if bit 31 of its data is set."""
    def where(lane):
        return [share.raw(w.v(op.addr, lane) + op.offset & 0xFFF8, 8)]

    def change(lane, old):
        parts = []
        for k in range(2):
            data = w.v(op.data0 + k, lane)
            parts.append(data & 0x7FFFFFFF if data >> 31 else old >> 32 * k & M32)
        return parts[0] | parts[1] << 32

    w.update(where, change, lambda lane, old: w.set_v(op.vdst, lane, old, 2))


def src2(w, op, share):
    """Executes atomics with both operands in LDS: [A] = op([A], [B])."""
    m, size = op.m, op.m.size
    found = []
    for lane in w.lanes():
        start = w.v(op.addr, lane)
        chosen = op.offset >> 15
        a = (start & 0x1FFFF if chosen else start) & ~(size - 1) & M32
        relative = sx(start >> 17 | start >> 31 << 15, 16) if chosen else sx(op.offset & 0x7FFF, 15)
        b = a + 4 * relative & 0x1FFFF & ~(size - 1)
        pair = share.raw(a, size), share.raw(b, size)
        if None in (pair[0][0], pair[1][0]):
            w.doubts.add("ds-src2")
        else:
            found.append(pair)
    for at_a, at_b in found:
        old, data = w.read([at_a]), w.read([at_b])
        if m.op in FLOATS:
            new = share_float(m.op, old, data, 8 * size, w.st.mode, w.doubts)
        else:
            new = integer(m.op, old, data, 8 * size)
        w.write([at_a], new)


def addtid(w, op, share):
    """Executes DS_READ_ADDTID and DS_WRITE_ADDTID."""
    def where(lane):
        return [share.raw((w.m0 & 0xFFFF) + op.offset + 4 * lane, 4)]

    if op.m.kind == "read_addtid":
        w.load(where, lambda lane, data: w.set_v(op.vdst, lane, data))
    else:
        w.store(where, lambda lane: w.v(op.data0, lane))


def append(w, op, share):
    """Executes DS_APPEND and DS_CONSUME: a counter for the whole wave."""
    count = bin(w.st.read64(EXEC)).count("1")
    if not count:
        return
    if not op.gds:
        w.doubts.add("ds-append-m0")
    at = (w.m0 >> 16 if op.gds else 0) + op.offset & ~3
    inside = at + 4 <= (65536 if op.gds else len(w.lds))
    piece = (share.place if inside else None, at, 4)
    old = w.read([piece])
    w.write([piece], old + (count if op.m.kind == "append" else -count) & M32)
    for lane in w.lanes():
        w.set_v(op.vdst, lane, old)


ACTIONS = {"load": load, "store": store, "read2": read2, "write2": write2, "wrxchg2": wrxchg2, "atomic": atomic,
           "condxchg": condxchg, "src2": src2, "read_addtid": addtid, "write_addtid": addtid, "append": append,
           "consume": append}


# --- exchange between lanes


def swizzle_source(lane, offset, gen):
    """The lane that DS_SWIZZLE reads."""
    half = lane & 32
    i = lane & 31
    if offset >= 0xE000 and gen >= 9:
        m = offset & 31
        return half + (int(f"{i:05b}"[::-1], 2) >> bin(m).count("1") | i & m)
    if offset >= 0xC000 and gen >= 9:
        r = (offset >> 5 & 31) * (-1 if offset >> 10 & 1 else 1)
        m = offset & 31
        return half + ((i & m | i + r & ~m) & 31)
    if offset >> 15:
        return lane & ~3 | offset >> 2 * (lane & 3) & 3
    return half + ((i & offset & 31 | offset >> 5 & 31) ^ offset >> 10 & 31)


def exchange(w, op):
    """Executes DS_SWIZZLE, DS_PERMUTE and DS_BPERMUTE."""
    active = w.lanes()
    if w.past_the_end(op.vdst, 1):
        return
    if op.m.kind == "permute":
        result = dict.fromkeys(active, 0)
        for lane in active:
            result[(w.v(op.addr, lane) + op.offset & M32) // 4 % 64] = w.v(op.data0, lane)
    else:
        result = {}
        for lane in active:
            if op.m.kind == "swizzle":
                source, register = swizzle_source(lane, op.offset, w.gen), op.addr
            else:
                source, register = (w.v(op.addr, lane) + op.offset & M32) // 4 % 64, op.data0
            result[lane] = w.v(register, source) if source in active else 0
    for lane in active:
        w.set_v(op.vdst, lane, result[lane])
