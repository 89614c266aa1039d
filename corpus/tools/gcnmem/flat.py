"""FLAT, GLOBAL, SCRATCH: addresses, apertures, scratch."""

from .buffer import extended, set_half, update
from .machine import M32, M64, Fault, Pieces, sx

OFF = 0x7F


def scratch_pieces(wave_base, offset, lane, size):
    """Addresses of a lane's scratch: dwords are interleaved over the lanes."""
    found, start = [], offset
    while size:
        part = min(size, 4 - offset % 4)
        found.append(("mem", wave_base + offset // 4 * 256 + 4 * lane + offset % 4, part))
        offset, size = offset + part, size - part
    return Pieces(found, start)


class Access:
    """Where the lanes of an instruction go."""

    def __init__(self, w, op, kind):
        self.w, self.op, self.kind, self.size = w, op, kind, op.m.size
        self.align = op.m.size if kind == "atomic" else 0

    def __call__(self, lane):
        return self.scratch(lane) if self.op.row.encoding == "SCRATCH" else self.address(lane)

    def wave_base(self):
        """Start of the wave's scratch."""
        w = self.w
        if w.gen >= 9:
            return w.s(102) | w.s(103) << 32
        return w.apertures["hidden_private_base"] + w.s(self.flat_scratch() + 1) * 256

    def flat_scratch(self):
        return 104 if self.w.gen == 7 else 102

    def scratch(self, lane):
        """The pieces of a SCRATCH instruction, whose address is an offset and nothing else."""
        w, op = self.w, self.op
        start = w.v(op.addr, lane) if op.saddr == OFF else w.s(op.saddr)
        if op.saddr != OFF and sx(op.offset, 13) < 0:
            w.doubts.add("scratch-negative-offset")
        return scratch_pieces(self.wave_base(), start + sx(op.offset, 13) & M32, lane, self.size)

    def address(self, lane):
        w, op = self.w, self.op
        if op.saddr != OFF and op.row.encoding == "GLOBAL":
            if op.saddr % 2:
                w.doubts.add("smem-misaligned-reg")
            base = w.s(op.saddr) | w.s(op.saddr + 1) << 32
            address = base + w.v(op.addr, lane) + sx(op.offset, 13) & M64
        else:
            offset = 0 if w.gen < 9 else sx(op.offset, 13) if op.row.encoding == "GLOBAL" else op.offset & 0xFFF
            address = w.v(op.addr, lane, 2) + offset & M64
            if w.apertures and op.row.encoding == "FLAT" and self.window(address) != self.window(address - offset):
                w.doubts.add("flat-offset-aperture")
        window = self.window(address)
        if self.align and address % self.align:
            w.doubts.add("atomic-align")
            self.fault(address, lane)
        if window is None:
            return [("mem", address, self.size)]
        if op.row.encoding == "GLOBAL":
            self.fault(address, lane)
        return self.shared(address, lane) if window == "shared" else self.private(address, lane)

    def fault(self, address, lane):
        raise Fault(self.kind, address, self.size, lane)

    def window(self, address):
        """The aperture that an address lies in."""
        w = self.w
        high = (address & M64) >> 32
        if w.apertures and high in (w.apertures["shared"], w.apertures["private"]):
            return "shared" if high == w.apertures["shared"] else "private"
        return None

    def shared(self, address, lane):
        at = address & M32
        if at + self.size > len(self.w.lds):
            self.fault(address, lane)
        return [("lds", at, self.size)]

    def private(self, address, lane):
        w, offset = self.w, address & M32
        if w.gen < 9 and offset + self.size > w.s(self.flat_scratch()):
            w.doubts.add("scratch-oob")
            self.fault(scratch_pieces(self.wave_base(), offset, lane, self.size)[0][1], lane)
        return scratch_pieces(self.wave_base(), offset, lane, self.size)


def execute(w, op):
    """One instruction of FLAT, GLOBAL or SCRATCH."""
    m = op.m
    dwords = max(1, m.size // 4)
    where = Access(w, op, m.kind)
    if (m.kind == "load" and not op.lds or m.kind == "atomic" and op.glc) and w.past_the_end(op.vdst, dwords + op.tfe):
        return
    if m.kind == "load":
        w.load(where, to_share(w, op) if op.lds else to_registers(w, op, dwords))
    elif m.kind == "store":
        w.store(where, lambda lane: w.v(op.data, lane, dwords) >> (16 if m.hi else 0))
    else:
        update(w, op, where, dwords, 0)



def to_registers(w, op, dwords):
    m = op.m

    def deliver(lane, data):
        value = extended(m, data)
        if m.d16:
            set_half(w, op.vdst, lane, value, m.hi)
        else:
            w.set_v(op.vdst, lane, value, dwords)
        if op.tfe:
            w.doubts.add("tfe")
            w.set_v(op.vdst + dwords, lane, 0)

    return deliver


def to_share(w, op):
    """A function that writes the loaded dword of a lane to LDS."""
    w.doubts.add("flat-lds-transfer")
    start = (w.m0 & 0xFFFC) + sx(op.offset, 13)

    def deliver(lane, data):
        at = start + 4 * lane
        if 0 <= at and at + 4 <= len(w.lds):
            w.write([("lds", at, 4)], extended(op.m, data))

    return deliver
