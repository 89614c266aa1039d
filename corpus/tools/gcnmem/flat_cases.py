"""Vectors of FLAT, GLOBAL and SCRATCH."""

from gcnmodel import VCC

from .base import (EDGES32, EDGES64, FLOATS32, FLOATS64, FULL, M32, Case, behind, first_byte, last_byte, last_lane,
                   pattern, second_halves, values_fill)

REGISTERS = [(0, 8, 20), (5, 20, 11), (100, 3, 200), (16, 250, 2), (30, 40, 248), (77, 88, 111), (1, 4, 12)]
PLACES = [0x10000, 0xFFFFFF80, 0x7FFFFFFF0000, 0xFFFF800000004000, 0x2345600000, 0x800000002000]
WAVE_BASE = 0x3_4567_8900
SHARED_FLAT, PRIVATE_FLAT = (0x20000000, 0x20000001), (0x10000, 0x20000)


class FlatCases:
    """All vectors of a row."""

    def __init__(self, writer, row, group):
        self.writer, self.row, self.group, self.m = writer, row, group, row.m
        self.gen = Case(writer, row, group, "").gen
        self.scratch = row.encoding == "SCRATCH"
        self.dwords = max(1, row.m.size // 4) * (2 if row.m.op in ("cmpswap", "fcmpswap") else 1)
        self.results = max(1, row.m.size // 4)
        self.asked, self.share_of = sum(map(ord, row.mnemonic)), 1

    def all(self):
        self.share_of = 2 if self.m.kind == "atomic" else 1
        {"FLAT": self.flat, "GLOBAL": self.global_, "SCRATCH": self.scratch_}[self.row.encoding]()
        self.exceptions()
        self.share_of = 1
        if self.m.kind == "atomic":
            self.atomics()
        for i in range(40):
            if self.writer.count.get(self.row.mnemonic, 0) >= 24:
                break
            self.one(f"more{i}", start=lambda j, k=i: 16 * (j * (2 * k + 1) % 32))
        self.ends()

    def flat(self):
        for i, place in enumerate(PLACES):
            self.one(f"place{i}", place=place)
        self.one("across-4GiB", place=0xFFFFFFF0, start=lambda i: self.m.size * i, execute=0xFF)
        self.one("misaligned", start=lambda i: 16 * i + i % 4)
        if self.gen >= 9:
            self.one("offset", offset=4095)
            self.one("offset-carry", offset=0x800, place=0xFFFFF900)
            self.one("offset4", offset=8)
        else:
            if self.m.kind == "load":
                self.one("tfe", fields=dict(tfe=1))
                self.one("tfe-v255", fields=dict(tfe=1), registers=(4, 8, 256 - self.results))
        self.apertures()

    def apertures(self):
        """Vectors with addresses in the apertures of LDS and scratch; lanes may differ."""
        shared, private = SHARED_FLAT if self.gen < 9 else PRIVATE_FLAT
        step = max(self.m.size, 4)

        def mixed(i):
            return (PLACES[0] + 64 * i, shared << 32 | step * i, private << 32 | step * i)[i % 3]

        window = dict(place=0, window=True, execute=0xFFF)
        self.one("shared", start=lambda i: shared << 32 | step * (i * 3 % 16), **window)
        self.one("private", start=lambda i: private << 32 | step * (i % 5), **window)
        self.one("mixed", start=mixed, **window)
        self.one("mixed-lane-order", start=lambda i: mixed(i + 1), **window | dict(execute=0xF00000000000003F))
        self.one("below-window", start=lambda i: (shared - 1 << 32) + 0xFFFFFF00 + step * i, **window)
        self.one("shared-end", start=lambda i: shared << 32 | 512 - step * (i + 1), **window)
        self.one("shared-beyond", start=lambda i: shared << 32 | 512 - step * (3 - i), **window)
        self.one("no-windows", start=lambda i: shared << 32 | 64 * i, place=0)
        if self.gen < 9:
            self.one("private-end", start=lambda i: private << 32 | 128 - step * (1 + i % 2), **window)
            self.one("private-beyond", start=lambda i: private << 32 | 128 - step * (3 - i), **window)
        elif self.m.kind != "atomic":
            self.one("private-misaligned", start=lambda i: private << 32 | 4 * i + i % 4, **window)
            self.one("offset-shared", start=lambda i: shared << 32 | step * i, offset=64, **window)
            self.one("offset-into-window", start=lambda i: (shared << 32) - 64 + step * i, offset=64, **window)

    def global_(self):
        for i, place in enumerate(PLACES):
            self.one(f"place{i}", place=place)
        self.one("offset", offset=4095 & ~15)
        self.one("offset-negative", offset=-4096)
        self.one("offset-minus4", offset=-8, place=0x100000004 & ~7)
        self.one("offset1", offset=0xFFF, start=lambda i: 16 * i + 1)
        self.one("saddr", saddr=(20, 0x2345600000))
        self.one("saddr-negative", saddr=(22, 0x100000000), offset=-256)
        self.one("saddr-zero-extended", saddr=(30, 0x1000), start=lambda i: 0x80000000 + 16 * i)
        self.one("saddr-all-ones", saddr=(32, 0x2000), start=lambda i: 0xFFFFFF00 + 16 * i, offset=0x40)
        self.one("saddr-vcc", saddr=(VCC, 0x7FFFFFFF0000))
        self.one("saddr-ttmp", saddr=(112, 0x10000))
        self.one("saddr-s0", saddr=(0, 0x34500))
        self.one("saddr-odd", saddr=(25, 0x20000))
        self.one("saddr-wraps", saddr=(40, 0xFFFFFFFFFFFFFF00), start=lambda i: 0x10000 + 16 * i)
        self.one("misaligned", start=lambda i: 16 * i + i % 4)
        self.one("in-window", start=lambda i: (PLACES[0] + 16 * i) if i % 3 else PRIVATE_FLAT[i // 3 % 2] << 32 | 4 * i,
                 place=0, window=True)
        if self.m.kind == "load" and self.m.size <= 4 and not self.m.d16:
            self.to_lds()

    def to_lds(self):
        for label, m0, more in (("", 64, {}), ("-offset", 0, dict(offset=16)), ("-end", 512 - 24, {}),
                                ("-m0-bits", 0x7FFF0013, {}), ("-all", 8, dict(execute=FULL))):
            self.one("lds" + label, fields=dict(lds=1), m0=m0, **more)

    def scratch_(self):
        step = max(self.m.size, 4)
        self.one("vgpr", start=lambda i: step * (i % 7))
        self.one("vgpr-offset", start=lambda i: step * (i % 7), offset=64)
        self.one("vgpr-offset-negative", start=lambda i: 256 + step * (i % 7), offset=-128)
        self.one("vgpr-wraps", start=lambda i: M32 - 63 + step * (i % 3), offset=128)
        self.one("vgpr-same", start=lambda i: 32, execute=FULL)
        self.one("sgpr", saddr=(20, 96))
        self.one("sgpr-offset", saddr=(21, 32), offset=12)
        self.one("sgpr-offset-negative", saddr=(21, 320), offset=-12)
        self.one("sgpr-m0", saddr=(124, 40))
        self.one("sgpr-vcc", saddr=(VCC, 48))
        self.one("sgpr-exec", saddr=(126, None), execute=0x40)
        self.one("sgpr-ttmp", saddr=(113, 48), execute=FULL)
        self.one("sgpr-s0", saddr=(0, 56))
        for i in range(4):
            self.one(f"misaligned{i}", start=lambda j, k=i: 8 * (j % 5) + (j + k) % 4)
        self.one("offset-max", offset=4095 & ~3, start=lambda i: 4 * (i % 4))
        if self.m.kind == "load" and self.m.size <= 4 and not self.m.d16:
            self.to_lds()

    def exceptions(self):
        self.one("exec0", execute=0)
        self.one("exec-all", execute=FULL)
        self.one("vskip", mode=0x100003F0)
        self.one("unmapped", spoil=last_lane, execute=0x70F)
        self.one("last-byte-unmapped", spoil=last_byte, execute=0x3C00)
        self.one("unmapped-inactive", execute=0xAAAA)
        self.one("same-place", start=lambda i: 16, execute=0x1111)
        self.one("glc-slc", fields=dict(glc=1, slc=1))
        self.one("data-last", registers=(4, 256 - self.dwords, 256 - self.results), fields=dict(glc=1))
        if self.m.kind != "store":
            self.one("over-address", registers=(6, 20, 6), fields=dict(glc=1))
        if self.m.kind == "atomic":
            self.one("over-data", registers=(6, 20, 20), fields=dict(glc=1))
            self.one("misaligned-atomic", start=lambda i: 16 * i + (i == 2) * 2, execute=0xFF)

    def ends(self):
        """Vectors where memory ends within an access: aligned loads read 0 there."""
        size = self.m.size
        if size == 1:
            return
        self.one("end", start=lambda i: 64 * i, spoil=second_halves, execute=0x30F)
        self.one("end-misaligned", start=lambda i: 64 * i + size // 2, spoil=second_halves, execute=0x101)
        self.one("end-begins-outside", start=lambda i: 64 * i, spoil=first_byte, execute=0x18)
        if self.row.encoding == "FLAT":
            private = (SHARED_FLAT if self.gen < 9 else PRIVATE_FLAT)[1]
            self.one("end-private", start=lambda i: private << 32 | 32 * (i % 3), place=0, window=True,
                     spoil=second_halves, execute=0x7)
        if self.row.m.kind != "load":
            return
        for block in (2, 4, 8):
            if block < size:
                self.one(f"end-block-{block}", start=lambda i: 64 * i + block, execute=0x21,
                         spoil=behind((size - 1) // block * block + block // 2))
                self.one(f"end-behind-block-{block}", start=lambda i: 64 * i + block, execute=0x21,
                         spoil=behind((size - 1) // block * block))

    def atomics(self):
        for i in range(7):
            self.one(f"values{i}", execute=(0xFFF, 0xFFF0000, 0xFFFFF, 0x3FFC0)[i % 4], fields=dict(glc=i % 4 != 3))
        for i in range(3):
            self.one(f"one-place{i}", start=lambda j: 8, execute=(0xF0F, 0x80000001, 0x7)[i], fields=dict(glc=i != 1))
        self.one("no-return", fields=dict(glc=0))

    # --- one vector

    def one(self, label, start=None, place=None, offset=0, saddr=None, registers=None, fields=None, spoil=None,
            execute=None, mode=None, m0=None, window=False):
        self.asked += 1
        if self.asked % self.share_of:
            return
        c = Case(self.writer, self.row, self.group, label, execute, mode)
        addr, data, vdst = registers or REGISTERS[c.turn % len(REGISTERS)]
        place = 0 if saddr or self.scratch else PLACES[c.turn % len(PLACES)] if place is None else place
        more = dict(addr=addr, data=data, vdst=vdst, offset=offset)
        self.setting(c, window)
        if saddr:
            more["saddr"] = saddr[0]
            if saddr[1] is not None:
                c.sgprs(saddr[0], saddr[1], *([] if self.scratch else [saddr[1] >> 32]))
        if m0 is not None:
            c.m0(m0)
            c.lds(512)
        order = {lane: i for i, lane in enumerate(c.active)}
        step = max(self.m.size, 4)
        start = start or ((lambda i: step * (i % 6)) if self.scratch else lambda i: step * (i * 5 % 64))
        fill = self.contents(c, data, vdst)
        c.put(addr, lambda lane: place + start(order[lane]), 1 if self.scratch or saddr else 2)
        more |= {"glc": int(c.turn % 3 != 0)} if self.m.kind == "atomic" else {}
        c.emit(fill=fill, spoil=spoil, **more | (fields or {}))

    def setting(self, c, window):
        """Sets the scratch of the wave and the apertures."""
        if self.scratch or window and self.gen >= 9:
            c.sgprs(102, WAVE_BASE, WAVE_BASE >> 32)
        if not window:
            return
        shared, private = SHARED_FLAT if self.gen < 9 else PRIVATE_FLAT
        c.lds(512)
        c.w.apertures = dict(shared=shared, private=private, hidden_private_base=0)
        if self.gen < 9:
            c.w.apertures["hidden_private_base"] = 0x400000
            c.sgprs(104 if self.gen == 7 else 102, 128, 0x123)

    def contents(self, c, data, vdst):
        m = self.m
        if m.kind == "load":
            c.old(vdst, self.results + 1)
            return pattern
        if m.kind != "atomic":
            c.data(data, self.dwords)
            return pattern
        c.old(vdst, self.results)
        floats = m.op.startswith("f")
        pool = (FLOATS32 if floats else EDGES32) if m.size == 4 else (FLOATS64 if floats else EDGES64)
        if m.op not in ("cmpswap", "fcmpswap"):
            c.data(data, self.dwords, pool)
            return values_fill(pool, m.size)
        half = self.dwords // 2
        few = [pool[(c.turn + k) % len(pool)] for k in range(2)]
        c.data(data, half)
        c.data(data + half, half, few)
        return values_fill(few + few[:1], m.size)
