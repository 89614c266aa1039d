"""What the generators of memory vectors share: registers, lanes, what memory holds, the writer."""

import random
import struct

from gcnmodel import EXEC, M0, VCC, hex64
from vectorlib import BASES, expect_json, init_json

from .encode import Op
from .execute import step
from .machine import M32, M64, Machine, Memory, Recorder

FULL = M64
EXECS = [0x8000000180000001, 0xF, 0x00000001000000A0, 0x1C00000000000007, 1 << 63, 0x0F00000000F00000, 0x1111,
         0x2000400080010003, 0x0000000300000000, 0x8421, 0x00FF, 0xC000000000000001]
IDLE = 0xBADBAD03                   # inactive lanes hold this: whoever uses it goes astray
PATTERN = random.Random("memory").randbytes(1021)
EDGES32 = [0, 1, M32, 1 << 31, (1 << 31) - 1, 2, 5, 0xFFFFFFFE, 0x80000001, 0x12345678, 6, 0xDEADBEEF]
EDGES64 = [0, 1, M64, 1 << 63, (1 << 63) - 1, M32, 1 << 32, 0x80000000, 0x123456789ABCDEF0, 5, (1 << 63) + 1,
           0xFFFFFFFF00000000]
FLOATS32 = [0, 0x80000000, 0x3F800000, 0xBF800000, 0x7F800000, 0xFF800000, 0x7FC00001, 0x7FA00001, 1, 0x80000001,
            0x007FFFFF, 0x00800000, 0x7F7FFFFF, 0xFF7FFFFF, 0x40490FDB, 0x33800000, 0xFFC12345, 0x3F800001]
FLOATS64 = [0, 1 << 63, 0x3FF0000000000000, 0xBFF0000000000000, 0x7FF0000000000000, 0xFFF0000000000000,
            0x7FF8000000000001, 0x7FF4000000000001, 1, (1 << 63) + 1, 0x000FFFFFFFFFFFFF, 0x0010000000000000,
            0x7FEFFFFFFFFFFFFF, 0x400921FB54442D18, 0xFFF8123456789ABC, 0x3FF0000000000001]


def pattern(address):
    """The byte of memory at an address, where nothing special is wanted."""
    return PATTERN[address * 7 % 1021]


def values_fill(values, size):
    """Memory that is filled with numbers of a size, by address."""
    data = b"".join(value.to_bytes(size, "little") for value in values)
    return lambda address: data[(address // size * 5 % len(values)) * size + address % size]


def f32(x):
    return struct.unpack("<I", struct.pack("<f", x))[0]


def hexes(first, data):
    return {"base": hex64(first), "hex": bytes(data).hex()}


def runs(addresses, gap):
    """Addresses as ranges; holes shorter than `gap` are filled."""
    out = []
    for address in sorted(addresses):
        if out and address - out[-1][1] < gap:
            out[-1][1] = address + 1
        else:
            out.append([address, address + 1])
    return out


class MemWriter:
    """Collects the vectors of one generation, by group."""

    def __init__(self, arch):
        self.arch, self.vectors, self.count, self.seen = arch, {}, {}, set()

    def keep(self, row, group, label, words, old, new, fault, more=(), op=None):
        """Adds a vector, unless there is one like it."""
        init = init_json(old.st) | world_json(old)
        expect = fault_json(fault, old) if fault else expect_json(old.st, new.st) | changes_json(old, new)
        key = (row.mnemonic, tuple(words), str(init), str(more))
        if key in self.seen:
            return
        self.seen.add(key)
        number = self.count.get(row.mnemonic, 0)
        self.count[row.mnemonic] = number + 1
        vector = {"id": f"{self.arch}/{row.mnemonic}/{number:03d}-{label}", "arch": self.arch,
                  "mnemonic": row.mnemonic, "words": words, "certainty": "likely" if new.doubts else "certain"}
        if new.doubts:
            vector["why"] = sorted(new.doubts)
        self.vectors.setdefault(group, []).append(vector | dict(more) | {"init": init, "expect": expect})
        self.kept(vector, op, old, new, fault)

    def kept(self, vector, op, old, new, fault):
        """Called for each vector; writers that want to know what was asked replace it."""


def world_json(w):
    """Memory, LDS, GDS and apertures of an initial state."""
    out = {}
    if w.memory.regions:
        out["memory"] = [hexes(base, data) for base, data in w.memory.regions]
    if w.lds is not None:
        out["lds"] = {"size": len(w.lds), "hex": w.lds.rstrip(b"\0").hex()}
    if w.gds is not None:
        out["gds"] = {"hex": w.gds.rstrip(b"\0").hex()}
    if w.apertures:
        out["apertures"] = {name: hex64(value) for name, value in w.apertures.items()}
    return out


def changes_json(old, new):
    """The bytes of memory, LDS and GDS that differ."""
    out, changed = {}, []
    for (base, before), (_, after) in zip(old.memory.regions, new.memory.regions):
        for first, end in runs([k for k in range(len(after)) if before[k] != after[k]], 9):
            changed.append(hexes(base + first, after[first:end]))
    if changed:
        out["memory"] = changed
    for name in ("lds", "gds"):
        before, after = getattr(old, name) or bytes(65536), getattr(new, name) or b""
        different = [k for k in range(len(after)) if before[k] != after[k]]
        if different:
            out[name] = {"hex": bytes(after[:different[-1] + 1]).hex()}
    return out


def fault_json(fault, old):
    detail = {"access": fault.access, "address": hex64(fault.address), "bytes": fault.size}
    if fault.lane is not None:
        detail["lane"] = fault.lane
    return {"outcome": "fault", "fault": detail, "pc": hex64(old.st.pc)}


class Case:
    """One vector in the making."""

    def __init__(self, writer, row, group, label, execute=None, mode=None):
        self.writer, self.row, self.group, self.label, self.arch = writer, row, group, label, writer.arch
        number = writer.count.get(row.mnemonic, 0)
        self.turn = number + sum(map(ord, row.mnemonic)) % 89
        self.rnd = random.Random(f"{self.arch} {row.mnemonic} {number} {label}")
        self.w = Machine(self.arch)
        self.gen, st = self.w.gen, self.w.st
        st.write64(EXEC, EXECS[self.turn % len(EXECS)] if execute is None else execute)
        st.mode = (0x3C0, 0x3F0)[self.turn % 2] if mode is None else mode
        st.scc = self.turn >> 1 & 1
        st.pc = BASES[self.turn % 7] if self.turn % 9 == 0 else 0
        if self.turn % 5 == 0:
            st.write64(VCC, 0x123456789ABCDEF0)
        self.active = self.w.lanes()

    def sgprs(self, code, *values):
        for k, value in enumerate(values):
            self.w.st.sgpr[code + k] = value & M32

    def m0(self, value):
        self.w.st.sgpr[M0] = value & M32

    def put(self, n, value, dwords=1, idle=IDLE):
        """Values of the active lanes; `value(lane)`.  A register that is set already keeps what it has."""
        for k in range(dwords):
            if n + k < 256:
                self.w.st.vgpr[n + k] = [value(lane) >> 32 * k & M32 if lane in self.active else idle + k
                                         for lane in range(64)]

    def data(self, n, dwords, values=None):
        """Fills data registers from n on: from the list `values`, or at random."""
        size = 32 * dwords
        if values is None:
            drawn = {lane: self.rnd.getrandbits(size) for lane in self.active}
        else:
            drawn = {lane: values[(lane * 3 + self.turn) % len(values)] for lane in self.active}
        self.put(n, drawn.__getitem__, dwords, 0xDADADA00)

    def old(self, n, dwords):
        """Fills the destination registers from n on that are not set yet."""
        for k in range(dwords):
            if n + k < 256 and n + k not in self.w.st.vgpr:
                self.w.st.vgpr[n + k] = [0x0DD0_0000 + 0x0101 * k + (lane & 1) for lane in range(64)]

    def lds(self, size):
        self.w.lds = bytearray(size)

    def emit(self, fill=pattern, spoil=None, completed=0, **fields):
        """Adds the vector.  A first run of the model finds what is touched, a second one runs with just that mapped."""
        op = Op(self.row, self.arch, **fields)
        self.map(op, fill, spoil)
        new = self.w.copy()
        fault = step(new, op, completed)
        self.writer.keep(self.row, self.group, self.label, op.words(), self.w, new, fault, op=op)

    def emit_program(self, *parts):
        """Adds a program: parts are words that do nothing, or fields of the row's instruction; one word ends it."""
        words, completed, new = [], 0, self.w.copy()
        for part in parts:
            if isinstance(part, list):
                words += part
                new.st.pc += 4 * len(part)
                completed += len(part)
            else:
                op = Op(self.row, self.arch, **part)
                words += op.words()
                step(new, op, completed)
                completed += 1
        new.st.pc -= 4
        self.writer.keep(self.row, self.group, self.label, words, self.w, new, None,
                         {"program": True, "executed": completed})

    def map(self, op, fill, spoil):
        dry = self.w.copy()
        dry.memory = Recorder()
        step(dry, op)
        touched = set().union(*dry.memory.touched.values()) if dry.memory.touched else set()
        if spoil:
            touched -= spoil(dry.memory.touched)
        regions = []
        for first, end in runs(touched, 33):
            margin = 0 if spoil else 4
            first, end = max(0, first - margin), end + margin
            regions.append((first, bytes(fill(address) for address in range(first, end))))
        self.w.memory = Memory(regions)
        for at in dry.lds_touched:
            share = self.w.gds if dry.gds is not None and self.w.gds is not None else self.w.lds
            if at < len(share):
                share[at] = fill(at)


def last_lane(touched):
    """`spoil` of emit: no address of the highest lane is mapped."""
    if not touched:
        return set()
    return touched[max(touched, key=lambda lane: -1 if lane is None else lane)]


def last_byte(touched):
    """`spoil` of emit: the last byte of the lowest lane is not mapped."""
    if not touched:
        return set()
    return {max(touched[min(touched, key=lambda lane: -1 if lane is None else lane)])}


def first_byte(touched):
    """`spoil` of emit: the first byte of the lowest lane is not mapped, so that it begins outside."""
    if not touched:
        return set()
    return {min(touched[min(touched, key=lambda lane: -1 if lane is None else lane)])}


def second_halves(touched):
    """`spoil` of emit: only the first half of each lane's bytes is mapped, so that it ends outside."""
    return {address for bytes_ in touched.values() for address in sorted(bytes_)[len(bytes_) // 2:]} \
        if all(len(bytes_) > 1 for bytes_ in touched.values()) else set()


def behind(count):
    """`spoil` of emit: only so many of each lane's first bytes are mapped."""
    return lambda touched: {address for bytes_ in touched.values() for address in sorted(bytes_)[count:]}
