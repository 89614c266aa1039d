"""Vectors of MUBUF without formats: descriptors, addresses, range checks, transfer to LDS, atomics."""

from gcnmodel import M0, VCC

from .base import (EDGES32, EDGES64, FLOATS32, FLOATS64, FULL, M32, Case, behind, first_byte, last_byte, last_lane,
                   pattern, second_halves, values_fill)

SELECT = 4 | 5 << 3 | 6 << 6 | 7 << 9
REGISTERS = [(0, 8, 4), (5, 20, 16), (100, 3, 40), (16, 250, 96), (30, 40, 0), (77, 88, 8), (1, 3, 64), (12, 200, 32)]
PLACES = [0x10000, 0xFFFFFF00, 0x7FFFFFFF0000, 0x800000001000, 0x2345600000, 0x1000]


def descriptor(base, stride=0, records=M32, swizzle=0, dfmt=4, nfmt=7, select=SELECT, element=1, indices=3, tid=0,
               other=0):
    """The four dwords of a buffer descriptor; `element` and `indices` are the fields."""
    return (base & M32, base >> 32 & 0xFFFF | (stride & 0x3FFF) << 16 | swizzle << 31, records & M32,
            select | nfmt << 12 | dfmt << 15 | element << 19 | indices << 21 | tid << 23 | other)


class BufferCases:
    """The vectors of buffer instructions without formats, and what those with formats share."""

    def __init__(self, writer, row, group):
        self.writer, self.row, self.group, self.m = writer, row, group, row.m
        self.gen = Case(writer, row, group, "").gen
        self.unit = row.m.size if row.m.kind == "atomic" else max(1, min(row.m.size, 4))
        self.dwords = max(1, row.m.size // 4) * (2 if row.m.op in ("cmpswap", "fcmpswap") else 1)
        self.share_of, self.asked = 1, sum(map(ord, row.mnemonic))

    def made(self):
        return self.writer.count.get(self.row.mnemonic, 0)

    def all(self):
        if self.m.kind == "none":
            for i in range(12):
                self.one(f"nothing{i}", execute=(None, FULL, 0)[i % 3], fields=dict(vaddr=i, srsrc=4 * i, soffset=128))
            return
        # rows of atomics share the cases of addresses among themselves
        self.share_of = 3 if self.m.kind == "atomic" else 1
        self.addresses()
        self.descriptors()
        self.ranges()
        self.exceptions()
        self.share_of = 1
        self.special()
        for i in range(60):
            if self.made() >= 24:
                break
            self.one(f"more{i}", offen=i & 1, idxen=i >> 1 & 1, stride=(i & 2) * 8 * self.unit,
                     offset=self.unit * (3 * i % 50))
        self.ends(self.m.size)
        self.share_of = 3 if self.m.kind == "atomic" else 1
        self.wraps(self.m.size)

    # --- groups of vectors

    def addresses(self):
        """Vectors with all kinds of parts of an address: registers, offsets, indices."""
        u = self.unit
        self.one("no-address", voffset=None)
        self.one("offset", offset=4096 - 16)
        self.one("offen", offen=1)
        self.one("offen-offset", offen=1, offset=u * 9)
        self.one("idxen", idxen=1, stride=16)
        self.one("idxen-stride-large", idxen=1, stride=0x3FF0, execute=0x8003)
        self.one("idxen-offen", idxen=1, offen=1, stride=64, offset=u)
        self.one("soffset-sgpr", offen=1, soffset=(20, 0x1230))
        self.one("soffset-m0", offen=1, soffset=(M0, 0x40))
        self.one("soffset-inline", offen=1, soffset=(128 + 64, None))
        self.one("soffset-minus16", offen=1, soffset=(208, None), place=0x7000)
        self.one("soffset-vcc_hi", offen=1, soffset=(VCC + 1, 0x2000))
        self.one("soffset-0.5", offen=1, soffset=(240, None))
        self.one("soffset-ttmp", idxen=1, stride=32, soffset=(115, 0x100))
        self.one("over-4GiB", offen=1, place=0xFFFFFFE0, execute=0x8421)
        self.one("half-of-address-space", offen=1, place=0x800000001000)
        self.one("fields-unused-bits", offen=1, other=self.unused_bits())
        if self.gen < 8:
            self.addr64()

    def unused_bits(self):
        """Bits of the last dword that mean nothing here: ATC, hash, MTYPE; from 1.4 on NV and reserved ones."""
        return 0x2B << 24 if self.gen < 9 else 0x37 << 24

    def addr64(self):
        for i, (label, more) in enumerate((("", {}), ("-offset", dict(offset=self.unit * 5)),
                                           ("-soffset", dict(soffset=(22, 0x100))), ("-no-format", dict(dfmt=0)))):
            self.one("addr64" + label, addr64=1, records=0, place=PLACES[i], **more)
        self.one("addr64-tid-swizzle", addr64=1, records=0, tid=1, swizzle=1, stride=16)
        self.one("addr64-offen-idxen", addr64=1, offen=1, idxen=1, records=0, stride=16)

    def descriptors(self):
        """Vectors with descriptors that swizzle, add the lane number, have wide strides, or are unbound."""
        u = self.unit
        self.one("swizzle-idxen", idxen=1, offen=1, swizzle=1, stride=64, element=1, indices=0, records=4096)
        if self.gen < 9:
            self.one("swizzle-element16", idxen=1, offen=1, swizzle=1, stride=64, element=3, indices=1, records=4096)
            self.one("swizzle-element2", idxen=1, swizzle=1, stride=48, element=0, indices=2, records=4096)
            self.one("swizzle-element8", idxen=1, offset=u, swizzle=1, stride=48, element=2, indices=1, records=4096)
        else:
            self.one("swizzle-not-element", idxen=1, offen=1, swizzle=1, stride=64, element=3, indices=1, records=4096)
        self.one("scratch", offen=1, swizzle=1, tid=1, dfmt=4 if self.gen < 8 else 0, records=0x10000,
                 soffset=(20, 0x400))
        self.one("scratch-immediate", swizzle=1, tid=1, dfmt=4 if self.gen < 8 else 0, records=0x10000, offset=u * 6,
                 execute=FULL)
        self.one("tid-linear", tid=1, stride=16, dfmt=0 if self.gen >= 8 else 4, records=4096)
        self.one("tid-idxen", tid=1, idxen=1, stride=16, dfmt=0 if self.gen >= 8 else 4, records=4096)
        self.one("tid-data-format", tid=1, stride=8, dfmt=1, records=0x100000 if self.gen >= 8 else 4096,
                 execute=0x700000009)
        self.one("nothing-bound", offen=1, raw=(0, 0, 0, 0))
        self.one("no-format", offen=1, dfmt=0)
        self.one("type-1", offen=1, other=1 << 30)
        if self.gen < 9:
            self.one("heap", offen=1, other=1 << 26)
        if self.gen >= 9:
            self.one("scratch-negative", offen=1, swizzle=1, tid=1, dfmt=0, records=0, voffset=lambda i: -64 + 4 * i,
                     offset=256, execute=0xFF0)

    def ranges(self):
        """Vectors with accesses in range, at the edge of it, and outside."""
        u, size = self.unit, max(self.m.size, 1)
        near = 8 * u
        step = dict(offen=1, voffset=lambda i: u * i)
        self.one("range-bytes", records=near, execute=0xFFFF, **step)
        self.one("range-bytes-offset", records=near, offset=u * 3, execute=0xFFFF, **step)
        self.one("range-partial", records=8, offen=1, voffset=lambda i: u * (i % 3), execute=0x1F)
        self.one("range-tail", records=size - 1 + 16 if size > 1 else 17, offen=1, voffset=lambda i: 16 * (i % 3),
                 execute=0x7)
        self.one("range-soffset", records=near, soffset=(20, 4 * u), execute=0xFFFF, **step)
        self.one("range-soffset-beyond", records=near, soffset=(20, 64 * u), execute=0x1FF, **step)
        self.one("range-negative", records=near, offen=1, voffset=lambda i: u * (i - 4), offset=2 * u, execute=0xFFF)
        self.one("range-nothing", records=0, **step)
        self.one("range-records", idxen=1, stride=16, records=8, vindex=lambda i: i, execute=0xFFFF)
        self.one("range-records-bytes", idxen=1, stride=16, records=128, vindex=lambda i: i, execute=0xFFFF)
        self.one("range-stride", idxen=1, offen=1, stride=16, records=8 if self.gen != 8 else 130, execute=0xFFF,
                 vindex=lambda i: i % 9, voffset=lambda i: u * (i % 5) * 4 // u * u)
        self.one("range-index-large", idxen=1, stride=4, records=16, execute=0x1F,
                 vindex=lambda i: (3, M32, 15, 16, 0x40000000)[i % 5])
        self.one("range-swizzled", idxen=1, offen=1, swizzle=1, stride=16, indices=0, records=8, execute=0xFFF,
                 vindex=lambda i: i, voffset=lambda i: u * (i % 6))
        self.one("range-no-index", offen=1, stride=16, records=8, voffset=lambda i: u * i, execute=0x3F)
        self.one("range-stride0", idxen=1, stride=0, records=2, vindex=lambda i: i, execute=0xF)
        self.one("range-tid", tid=1, stride=16, dfmt=0 if self.gen >= 8 else 4, records=(5 if self.gen != 8 else 80),
                 execute=0xFF)

    def exceptions(self):
        """Vectors with lanes off, faults, registers past the end, and results over addresses."""
        self.one("exec0", offen=1, execute=0)
        self.one("exec-all", offen=1, execute=FULL)
        self.one("vskip", offen=1, mode=0x100003F0)
        self.one("unmapped", offen=1, spoil=last_lane, execute=0x70F)
        self.one("last-byte-unmapped", offen=1, spoil=last_byte, execute=0x3C00)
        self.one("unmapped-inactive", offen=1, execute=0xAAAA)
        self.one("address-v254", offen=1, idxen=1, stride=16, registers=(254, 7, 4), execute=0x1F)
        self.one("data-v255", offen=1, registers=(3, 256 - self.dwords, 4), fields=dict(glc=1))
        self.one("same-place", offen=1, voffset=lambda i: 16, execute=0x1111)
        self.one("glc-slc", offen=1, fields=dict(glc=1, slc=1))
        self.one("misaligned", offen=1, voffset=lambda i: 16 * i + (i % 4), execute=0x3E)
        if self.m.kind == "load":
            self.one("over-address", offen=1, registers=(6, 6, 4))
            self.one("over-address2", offen=1, idxen=1, stride=32, registers=(6, 5, 4))

    def ends(self, size):
        """Vectors where memory ends within an access of `size` bytes: aligned loads read 0 there."""
        if size == 1 or self.m.kind == "none":
            return
        apart = dict(offen=1, swizzle=1, tid=1, dfmt=4 if self.gen < 8 else 0, records=0x10000)
        self.one("end", offen=1, voffset=lambda i: 64 * i, spoil=second_halves, execute=0x30F)
        self.one("end-misaligned", offen=1, voffset=lambda i: 64 * i + size // 2, spoil=second_halves, execute=0x101)
        self.one("end-begins-outside", offen=1, voffset=lambda i: 64 * i, spoil=first_byte, execute=0x18)
        self.one("end-range", offen=1, records=size // 2 + 1, voffset=lambda i: 0, spoil=last_byte, execute=0x3)
        if size > 4 and not self.m.comps:
            self.one("end-swizzled", voffset=lambda i: 32 * i, spoil=second_halves, execute=0x1C, **apart)
            self.one("end-swizzled-misaligned", voffset=lambda i: 32 * i + 4, spoil=second_halves, execute=0x1, **apart)
        if self.m.kind != "load":
            return
        for block in (2, 4, 8):
            if block < size and (block >= 4 or self.gen > 6):
                self.one(f"end-block-{block}", offen=1, voffset=lambda i: 64 * i + block, execute=0x21,
                         spoil=behind((size - 1) // block * block + block // 2))
                self.one(f"end-behind-block-{block}", offen=1, voffset=lambda i: 64 * i + block, execute=0x21,
                         spoil=behind((size - 1) // block * block))

    def wraps(self, size):
        """Vectors where VADDR + OFFSET wraps at 32 bits, before the access or between its dwords."""
        if self.m.kind == "none":
            return
        u, at = max(self.unit, 4), lambda i: max(self.unit, 4) * (i - 6) & M32
        near = 8 * u
        self.one("wraps", records=near, offen=1, voffset=at, offset=4 * u, execute=0xFFF)
        self.one("wraps-soffset", records=near, soffset=(20, 3 * u), offen=1, voffset=at, offset=4 * u, execute=0x3FF)
        self.one("wraps-indexed", records=near if self.gen != 8 else 16 * near, idxen=1, offen=1, stride=16,
                 vindex=lambda i: i % 3, voffset=at, offset=4 * u, execute=0xFFF)
        if size > self.unit and not self.m.comps:
            self.one("wraps-inside", records=64, offen=1, voffset=lambda i: 4 * (i - 6) & M32, execute=0x3F)
            self.one("wraps-inside-2^32", records=M32, offen=1, voffset=lambda i: 4 * (i - 6) & M32, offset=8,
                     execute=0x3F)
            self.one("wraps-inside-indexed", records=M32, idxen=1, offen=1, stride=32, vindex=lambda i: i % 2,
                     voffset=lambda i: 4 * (i - 6) & M32, execute=0x3F)

    def special(self):
        """Vectors of loads with TFE or to LDS; of atomics with many values."""
        if self.m.kind == "load":
            self.one("tfe", offen=1, fields=dict(tfe=1))
            self.one("tfe-range", offen=1, records=16, fields=dict(tfe=1), voffset=lambda i: 4 * i)
            self.one("tfe-v255", offen=1, registers=(3, 256 - self.dwords, 4), fields=dict(tfe=1))
            if self.m.size <= 4 and not self.m.d16:
                self.to_lds()
        if self.m.kind == "atomic":
            self.atomics()
        if self.m.kind == "store":
            self.one("tfe-ignored", offen=1, fields=dict(tfe=1))

    def to_lds(self):
        for i, (label, m0, more) in enumerate((("", 64, {}), ("-offset", 0, dict(offset=8)), ("-end", 512 - 24, {}),
                                               ("-m0-high", 0x7FFF0010, {}), ("-range", 32, dict(records=12)),
                                               ("-v255", 0, dict(registers=(3, 255, 4))))):
            self.one("lds" + label, offen=1, fields=dict(lds=1), m0=m0, lds=512, execute=(0x8F, FULL, 0x3F0)[i % 3],
                     voffset=(lambda j: 4 * j) if label == "-range" else None, **more)

    def atomics(self):
        for i in range(8):
            self.one(f"values{i}", offen=1, execute=(0xFFF, 0xFFF0000, 0xFFFFF, 0x3FFC0)[i % 4],
                     fields=dict(glc=i % 4 != 3))
        for i in range(3):
            self.one(f"one-place{i}", offen=1, voffset=lambda j: 8, execute=(0xF0F, 0x80000001, 0x7)[i],
                     fields=dict(glc=i != 1))
        self.one("two-places", offen=1, voffset=lambda j: 8 * (j % 2), execute=0x333)
        self.one("range-glc", offen=1, records=8 * 4, voffset=lambda j: 8 * j, execute=0x7F, fields=dict(glc=1))
        self.one("no-return", offen=1, fields=dict(glc=0))
        self.one("nothing-bound-glc", offen=1, raw=(0, 0, 0, 0), fields=dict(glc=1))

    # --- one vector

    def one(self, label, offen=0, idxen=0, offset=0, soffset=None, addr64=0, voffset=None, vindex=None, place=None,
            registers=None, fields=None, raw=None, spoil=None, execute=None, mode=None, m0=None, lds=0,
            **descriptor_bits):
        self.asked += 1
        if self.asked % self.share_of:
            return
        c = Case(self.writer, self.row, self.group, label, execute, mode)
        vaddr, vdata, srsrc = registers or REGISTERS[c.turn % len(REGISTERS)]
        place = PLACES[c.turn % len(PLACES)] if place is None else place
        more = dict(vaddr=vaddr, vdata=vdata, srsrc=srsrc, offset=offset, offen=offen, idxen=idxen)
        if soffset:
            more["soffset"] = soffset[0]
            if soffset[1] is not None:
                c.sgprs(soffset[0], soffset[1])
        if self.gen < 8 and addr64:
            more["addr64"] = 1
        c.sgprs(srsrc, *(raw or descriptor(place, **descriptor_bits)))
        if m0 is not None:
            c.m0(m0)
        if lds:
            c.lds(lds)
        self.share(c)
        self.registers(c, vaddr, offen, idxen, addr64, voffset, vindex)
        fill = self.contents(c, vdata, label)
        more |= {"glc": int(c.turn % 3 != 0)} if self.m.kind == "atomic" else {}
        more |= fields or {}
        c.emit(fill=fill, spoil=spoil, **more)

    def share(self, c):
        """Fills LDS, from which BUFFER_STORE_LDS_DWORD takes its data."""
        if self.m.kind == "store_lds":
            c.lds(512)
            c.m0((64, 0, 512 - 24, 0x12340020)[c.turn % 4])

    def registers(self, c, vaddr, offen, idxen, addr64, voffset, vindex):
        """Fills the address registers of the active lanes: each has its own place, unless told otherwise."""
        order = {lane: i for i, lane in enumerate(c.active)}
        step = max(self.element_step(), 4)
        places = 4 if idxen else 64             # with an index, a few in a record
        voffset = voffset or (lambda i: step * (i * 5 % places))
        vindex = vindex or (lambda i: i * 3 % 64)
        if addr64:
            far = 0x1_0000_0000 if c.turn % 2 else 0
            c.put(vaddr, lambda lane: far + voffset(order[lane]), 2)
            return
        if idxen:
            c.put(vaddr, lambda lane: vindex(order[lane]))
        if offen:
            c.put(vaddr + idxen, lambda lane: voffset(order[lane]))

    def element_step(self):
        return self.m.size

    def contents(self, c, vdata, label):
        """Fills the data registers; returns how memory is filled."""
        m = self.m
        if m.kind == "load":
            c.old(vdata, self.dwords + 1)
            return pattern
        if m.kind != "atomic":
            c.data(vdata, self.dwords)
            return pattern
        floats = m.op.startswith("f")
        pool = (FLOATS32 if floats else EDGES32) if m.size == 4 else (FLOATS64 if floats else EDGES64)
        if m.op not in ("cmpswap", "fcmpswap"):
            c.data(vdata, self.dwords, pool)
            return values_fill(pool, m.size)
        half = self.dwords // 2
        few = [pool[(c.turn + k) % len(pool)] for k in range(2)]
        c.data(vdata, half)
        c.data(vdata + half, half, few)
        return values_fill(few + few[:1], m.size)
