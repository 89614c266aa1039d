"""SMRD and SMEM: addresses, bounds, loads, stores, atomics, the clock."""

from gcnmodel import M0

from .atomics import integer
from .machine import M32, Fault, sx


class Offset:
    """The parts of an offset: a constant and a register (None if there is none)."""

    def __init__(self, op):
        self.immediate, self.register = 0, None
        if op.row.encoding == "SMRD":
            if op.imm:
                self.immediate = 4 * op.offset
            elif op.offset == 255:
                self.immediate = 4 * op.literal
            else:
                self.register = op.offset
            return
        if op.imm:
            self.immediate = op.offset & 0xFFFFF if op.gen < 9 else sx(op.offset, 21)
        if op.gen >= 9 and op.soe:
            self.register = op.soffset
        elif not op.imm:
            self.register = op.offset & 0x7F

    def value(self, w):
        return w.s(self.register) if self.register is not None else 0

    def note(self, w, op, base):
        """Adds the doubts of an address."""
        parts = [base, self.immediate, self.value(w)]
        if sum(part & 3 != 0 for part in parts) > 1:
            w.doubts.add("smem-unaligned")
        if op.m.kind in ("store", "atomic") and self.register not in (None, M0):
            w.doubts.add("smem-store-offset-reg")
        if self.immediate + self.value(w) < 0 and self.register is not None:
            w.doubts.add("smem-negative-offset")


def pieces(w, op):
    """The pieces of an access, dword by dword; None where a buffer ends before one."""
    offset = Offset(op)
    count = op.m.size // 4
    buffer = op.m.base == "s_buffer"
    if buffer and op.sbase % 4:
        w.doubts.add("smem-misaligned-reg")
    low, high = w.s(op.sbase), w.s(op.sbase + 1)
    base = low | (high & 0xFFFF if buffer else high) << 32
    offset.note(w, op, base)
    if not buffer:
        factor = 64 if op.m.base == "s_scratch" else 1
        if factor == 64 and offset.value(w) & 3:
            w.doubts.add("smem-scratch-align")
        first = (base & ~3) + (offset.immediate & ~3) + factor * (offset.value(w) & ~3)
        return [("mem", first + 4 * k, 4) for k in range(count)]
    stride, records = high >> 16 & 0x3FFF, w.s(op.sbase + 2)
    limit = stride * records if stride else records
    start = offset.immediate + offset.value(w)
    found = []
    if op.m.kind == "atomic":
        inside = start >= 0 and (start & ~3) < limit
        if inside and (start & ~3) + op.m.size > limit:
            w.doubts.add("buffer-oob-partial")
        return [("mem" if inside else None, (base & ~3) + (start & ~3), op.m.size)]
    for k in range(count):
        inside = start >= 0 and (start & ~3) + 4 * k < limit
        found.append(("mem" if inside else None, (base & ~3) + (start & ~3) + 4 * k, 4))
    return found


def note_registers(w, op):
    """Adds the doubts of destinations that should be aligned."""
    count = op.m.size // 4 * (2 if op.m.op == "cmpswap" else 1)
    if op.m.kind == "clock":
        count = 2
    if count == 2 and op.sdst % 2 or count > 2 and op.sdst % 4:
        w.doubts.add("smem-misaligned-reg")


def value_of(w, code, dwords):
    return sum(w.s(code + k) << 32 * k for k in range(dwords))


def set_value(w, code, dwords, value):
    for k in range(dwords):
        w.st.sgpr[code + k] = value >> 32 * k & M32


def execute(w, op):
    """Executes an instruction that is neither the clock nor about caches."""
    note_registers(w, op)
    found = pieces(w, op)
    dwords = op.m.size // 4
    inside = [piece for piece in found if piece[0]]
    if inside:
        # what is in range begins at the first dword: one access
        w.check([("mem", inside[0][1], sum(size for _, _, size in inside))], op.m.kind, None, 64)
    if op.m.kind == "load":
        set_value(w, op.sdst, dwords, w.read(found))
    elif op.m.kind == "store":
        w.write(found, value_of(w, op.sdst, dwords))
    else:
        atomic(w, op, found, dwords)


def atomic(w, op, found, dwords):
    place, address, _ = found[0]
    if place and address % op.m.size:
        w.doubts.add("atomic-align")
        raise Fault("atomic", address, op.m.size, None)
    old = w.read(found)
    data = value_of(w, op.sdst, dwords)
    if op.m.op == "cmpswap":
        data = (data, value_of(w, op.sdst + dwords, dwords))
    w.write(found, integer(op.m.op, old, data, 8 * op.m.size))
    if op.glc:
        set_value(w, op.sdst, dwords, old)


def clock(w, op, completed):
    """Executes S_MEMTIME and S_MEMREALTIME, which give the number of instructions completed before them."""
    note_registers(w, op)
    w.doubts.add("memtime")
    set_value(w, op.sdst, 2, completed)
