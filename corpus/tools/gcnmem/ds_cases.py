"""Vectors of DS: loads, stores, atomics, pairs of addresses, GDS, limits, exchange between lanes."""

from .base import EDGES32, EDGES64, FLOATS32, FLOATS64, FULL, M32, Case, pattern, values_fill

REGISTERS = [(0, 8, 20, 30), (5, 1, 11, 17), (100, 3, 200, 50), (16, 250, 2, 7), (30, 40, 248, 60), (1, 4, 8, 244),
             (77, 88, 99, 111), (12, 200, 201, 33)]
SIZE = 1024
DENORMAL_MODES = (0x3F0, 0x300, 0x310, 0x320, 0x3C0, 0x3FF, 0x3B0, 0x365)


class DsCases:
    """All vectors of a row that reads or writes LDS."""

    def __init__(self, writer, row, group):
        self.writer, self.row, self.group, self.m = writer, row, group, row.m
        self.gen = Case(writer, row, group, "").gen
        self.two = row.m.kind in ("read2", "write2", "wrxchg2")
        self.floats = bool(row.m.op) and row.m.op in ("fcmpst", "fmin", "fmax", "fadd")
        self.asked = sum(map(ord, row.mnemonic))
        self.share_of = 3 if row.m.kind in ("atomic", "src2") else 1

    def made(self):
        return self.writer.count.get(self.row.mnemonic, 0)

    def all(self):
        if self.m.kind == "none":
            for i in range(12):
                self.one(f"nothing{i}", execute=(None, FULL, 0)[i % 3], vdst=i)
            return
        self.addresses()
        self.limits()
        self.exceptions()
        self.share_of = 1
        if self.two:
            self.pairs()
        if self.m.op:
            self.values()
        if self.m.kind == "condxchg":
            for i in range(8):
                self.one(f"values{i}", execute=(0xFFF, 0xF0F0)[i % 2], offset=8 * i)
        for i in range(60):
            if self.made() >= 24:
                break
            self.one(f"more{i}", offset=self.m.size * i, pick=i)

    def addresses(self):
        u = self.m.size
        if not self.two:
            self.one("offset0")
            self.one("offset", offset=u * 3)
            self.one("offset-high", offset=256 + u * 2)
            self.one("offset-large", offset=0xFF00, start=lambda i: u * i - 0xFF00)
            self.one("wraps", offset=64, start=lambda i: u * i - 64)
            self.one("offset-misaligned", offset=u * 4 + 1, start=lambda i: 16 * i)
        self.one("misaligned", start=lambda i: 16 * i + i % max(u, 2))
        self.one("misaligned4", start=lambda i: 32 * i + 4 * (i % 4))
        self.one("same-place", start=lambda i: 32, execute=0x1111)
        self.one("overlapping", start=lambda i: 32 + u * (i % 3), execute=0x33300)
        self.one("negative", start=lambda i: u * i if i % 2 else 0x80000000 + u * i, offset=0 if self.two else u)

    def limits(self):
        u = self.m.size
        self.one("alloc-end", start=lambda i: 512 - 3 * u + u * i, size=512)
        self.one("alloc-straddle", start=lambda i: 512 - 2 * u + u // 2 * i, size=512)
        self.one("alloc-beyond", start=lambda i: (512, 0x10000, 0x7FFFFF00, M32 - u + 1, 0x1FFF0)[i % 5], size=512)
        self.one("alloc-none", size=0)
        self.one("alloc-large", size=32768 if self.gen == 6 else 65536, start=lambda i: 32768 - 4 * u + u * i)
        self.one("m0-limit", m0=256, start=lambda i: 256 - 4 * u + u * i)
        self.one("m0-zero", m0=0)
        self.one("m0-odd", m0=67, start=lambda i: 64 - 4 * u + u * i)
        self.one("m0-17-bits", m0=0xFFFE0080, start=lambda i: 128 - 4 * u + u * i)
        self.one("m0-65536", m0=0x10000, start=lambda i: u * i)
        self.one("gds", gds=1, m0=0x01000200, start=lambda i: 0x200 - 6 * u + u * i, offset=0 if self.two else u)
        self.one("gds-base", gds=1, m0=0x00400100)

    def exceptions(self):
        self.one("exec0", execute=0)
        self.one("exec-all", execute=FULL)
        self.one("vskip", mode=0x100003F0)
        self.one("over-address", registers=(6, 8, 20, 6))
        self.one("over-data", registers=(6, 8, 20, 8))
        dwords = max(1, self.m.size // 4)
        self.one("vdst-v255", registers=(6, 8, 20, 256 - dwords * (2 if self.two else 1)))
        self.one("data-v255", registers=(6, 256 - max(dwords, 2), 256 - dwords, 30))
        self.one("address-v255", registers=(255, 8, 20, 30))

    def pairs(self):
        """Vectors of instructions with two addresses."""
        pairs = [(0, 1), (1, 0), (3, 9), (255, 254), (5, 5), (0, 0), (2, 7), (1, 2)]
        for i, (first, second) in enumerate(pairs):
            size = 65536 if self.m.st64 and self.gen > 6 else 32768 if self.m.st64 else 4096
            if self.m.st64 and max(first, second) > 9:
                first, second = 20, 19
            self.one(f"offsets{first}-{second}", offset=first | second << 8, size=size,
                     execute=(0xF, 0x8001, 0x70)[i % 3])
        self.one("one-outside", offset=1 | 8 << 8, size=(64 * 8 if self.m.st64 else 8) * self.m.size,
                 start=lambda i: 0, execute=1)
        self.one("manual", offset=1 | 2 << 8, start=lambda i: 16, execute=1, size=4096)

    def values(self):
        """Vectors with operands that hit the edges, and with lanes that share a place."""
        for i in range(8 if self.floats else 6):
            mode = DENORMAL_MODES[i] if self.floats else None
            self.one(f"values{i}", execute=(0xFFF, 0xFFFFF, 0x3FFC0, 0xFFFF0000)[i % 4], mode=mode, pick=i)
        for i in range(3):
            self.one(f"one-place{i}", start=lambda j: 8, execute=(0xF0F, 0x80000001, 0x7)[i], pick=i)
        self.one("two-places", start=lambda j: 8 * (j % 2), execute=0x333)
        if self.m.kind == "src2":
            self.both_in_share()

    def both_in_share(self):
        """Vectors of instructions with both operands in LDS: where the second one lies."""
        for i, offset in enumerate((1, 4, 16, 0x7FFC, 0x7FF0, 0x8000, 0xFFFF, 0x4000)):
            self.one(f"offset-{offset:x}", offset=offset, execute=0xFF, pick=i,
                     start=lambda j, o=offset: 64 + 16 * j if not o >> 15
                     else (64 + 16 * j) | ((j - 3) * 4 & 0x7FFF) << 17 if j != 5 else 96 | 1 << 31 | 0x7FFC << 17 & M32)

    # --- one vector

    def one(self, label, offset=None, start=None, size=SIZE, m0=None, gds=0, execute=None, mode=None, registers=None,
            vdst=None, pick=0):
        self.asked += 1
        if self.asked % self.share_of:
            return
        c = Case(self.writer, self.row, self.group, label, execute, mode)
        addr, data0, data1, dst = registers or REGISTERS[c.turn % len(REGISTERS)]
        offset = (0 if not self.two else 1 << (c.turn & 8)) if offset is None else offset
        c.lds(size)
        if gds:
            c.w.gds = bytearray(65536)
        if m0 is None:
            m0 = M32 if self.gen < 9 else (0, 0x20, M32)[c.turn % 3]
        c.m0(m0)
        order = {lane: i for i, lane in enumerate(c.active)}
        step = max(self.m.size, 4)
        if start is None:
            def start(i):
                return step * (i * 5 % 64) % 256
        c.old(dst, max(1, self.m.size // 4) * (2 if self.two else 1))
        fill = self.operands(c, data0, data1, pick)
        c.put(addr, lambda lane: start(order[lane]) & M32)
        vdst = dst if vdst is None else vdst
        c.emit(fill=fill, addr=addr, data0=data0, data1=data1, vdst=vdst, offset=offset, gds=gds)

    def operands(self, c, data0, data1, pick):
        """Fills the data registers; returns how LDS is filled."""
        m, dwords = self.m, max(1, self.m.size // 4)
        if m.kind == "condxchg":
            c.data(data0, 2)
            return pattern
        if not m.op:
            if m.kind not in ("load", "read2"):
                c.data(data0, dwords)
                c.data(data1, dwords)
            return pattern
        pool = (FLOATS32 if self.floats else EDGES32) if m.size == 4 else (FLOATS64 if self.floats else EDGES64)
        if m.op in ("cmpst", "fcmpst"):
            few = [pool[(c.turn + 3 * k + pick) % len(pool)] for k in range(2)]
            c.data(data0, dwords, few)
            c.data(data1, dwords, pool)
            return values_fill(few + few[:1], m.size)
        c.data(data0, dwords, pool[pick:] + pool[:pick])
        if m.op in ("mskor", "wrap"):
            c.data(data1, dwords, pool[::-1])
        return values_fill(pool, m.size)
