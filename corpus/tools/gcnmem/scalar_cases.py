"""Vectors of SMRD and SMEM."""

from gcnmodel import M0, VCC

from .base import (EDGES32, EDGES64, FULL, Case, behind, first_byte, last_byte, last_lane, pattern, second_halves,
                   values_fill)
from .machine import M32

BASES = [0x10000, 0xFFFFFFF0, 0x7FFFFFFF1000, 0x2345600000, 0xFFFF800000001000, 0x100]
NOP, END = 0xBF800000, 0xBF810000
DESTINATIONS = [8, 40, 0, 64, 80]


class ScalarCases:
    """All vectors of a row."""

    def __init__(self, writer, row, group):
        self.writer, self.row, self.group, self.m = writer, row, group, row.m
        self.dwords = row.m.size // 4 * (2 if row.m.op == "cmpswap" else 1)
        self.buffer = row.m.base == "s_buffer"
        self.gen = Case(writer, row, group, "").gen

    def all(self):
        if self.m.kind == "none":
            self.nothing()
        elif self.m.kind == "clock":
            self.clock()
        else:
            self.accesses()

    def case(self, label, **more):
        return Case(self.writer, self.row, self.group, label, **more)

    def nothing(self):
        """Vectors of instructions about caches, which do nothing."""
        for i in range(12):
            c = self.case(f"nothing{i}", execute=(FULL, 0, 5)[i % 3], mode=0x100003F0 if i == 4 else None)
            c.sgprs(4, 0x10000, 0, 64, 0)
            fields = dict(sbase=0, imm=0, offset=0)
            if "probe" in self.row.mnemonic or "discard" in self.row.mnemonic:
                fields = dict(sbase=4, offset=16 * i, imm=1)
                if i % 3 == 0:
                    fields |= dict(imm=0, offset=20 + i)
                if "probe" in self.row.mnemonic:
                    fields["sdst"] = (0, 7, 127, 64)[i % 4]
            c.emit(**fields)

    def clock(self):
        """Vectors of the clock: 0 for a single instruction, more in programs."""
        special = [102] if self.gen >= 8 else [102, 104] if self.gen == 7 else [100]
        for i, sdst in enumerate([0, 2, 8, 98, VCC, 112, 120, 50, 3, 20] + special + [30, 4]):
            c = self.case(f"clock-s{sdst}", execute=(FULL, 0, 3)[i % 3], mode=0x100003F0 if i == 5 else None)
            c.sgprs(sdst, 0xAAAA0001, 0x55550002)
            c.emit(sbase=0, sdst=sdst, imm=0, offset=0)
        for before, between in ((0, 0), (1, 0), (5, 3), (100, 0), (17, 200)):
            c = self.case(f"program-{before}-{between}")
            c.w.st.pc = 0
            c.emit_program([NOP] * before, dict(sbase=0, sdst=2, imm=0, offset=0),
                           [NOP] * between, dict(sbase=0, sdst=6, imm=0, offset=0), [END])

    # --- loads, stores, atomics

    def forms(self):
        """Forms of the offset: label, fields, registers."""
        far, odd = 0x12344, 0x2030C
        if self.gen < 8:
            out = [("imm0", {}, {}), ("imm255", dict(offset=255), {}), ("imm1", dict(offset=1), {}),
                   ("sgpr", dict(imm=0, offset=20), {20: far}), ("vcc_hi", dict(imm=0, offset=107), {107: 0x40}),
                   ("m0", dict(imm=0, offset=M0), {M0: 0xFFC}),
                   ("sgpr-large", dict(imm=0, offset=33), {33: 0x80000000})]
            if self.gen == 7:
                out += [("literal", dict(imm=0, offset=255, literal=0x1234), {}),
                        ("literal-large", dict(imm=0, offset=255, literal=0x20000001), {}),
                        ("flat_scratch", dict(imm=0, offset=104), {104: 0x80})]
            return out
        largest = 0xFFFFC
        out = [("imm0", {}, {}), ("imm4", dict(offset=4), {}), ("imm-max", dict(offset=largest), {}),
               ("m0", dict(imm=0, offset=M0), {M0: 0xFFC}), ("sgpr", dict(imm=0, offset=20), {20: far}),
               ("sgpr-large", dict(imm=0, offset=33), {33: 0x80000000})]
        if self.m.base == "s_scratch":
            out[3:] = [("m0", dict(imm=0, offset=M0), {M0: 5 * 4}), ("sgpr", dict(imm=0, offset=20), {20: 0x1234}),
                       ("sgpr-bits", dict(imm=0, offset=33), {33: 0x107})]
        if self.gen >= 9:
            out += [("soe", dict(imm=0, offset=0, soe=1, soffset=22), {22: 0x48}),
                    ("soe-not-offset", dict(imm=0, offset=24, soe=1, soffset=M0), {M0: 0x90, 24: 0x7770000}),
                    ("both", dict(offset=0x10, soe=1, soffset=22), {22: odd & ~3}),
                    ("both-negative", dict(offset=-8, soe=1, soffset=M0), {M0: 0x2000}),
                    ("negative", dict(offset=-0x40), {}),
                    ("both-below-0", dict(offset=-64, soe=1, soffset=22), {22: 8})]
        return out

    def accesses(self):
        forms = self.forms()
        for i, (label, fields, registers) in enumerate(forms):
            self.one(label, fields, registers, base=BASES[i % len(BASES)], sdst=DESTINATIONS[i % 5])
        self.misaligned(forms)
        self.registers(forms)
        self.one("exec0", {}, {}, execute=0)
        self.one("vskip", {}, {}, mode=0x100003F0)
        self.one("unmapped", {}, {}, spoil=last_lane)
        self.one("last-byte-unmapped", forms[3][1], forms[3][2], spoil=last_byte)
        if self.buffer:
            self.bounds()
        if self.m.kind == "atomic":
            for i in range(12):
                self.one(f"values{i}", *forms[i % len(forms)][1:], glc=(i % 3 != 2), sdst=DESTINATIONS[i % 5])
        for i in range(40):
            if self.writer.count.get(self.row.mnemonic, 0) >= 24:
                break
            label, fields, registers = forms[(5 * i + 1) % len(forms)]
            self.one(f"more{i}-{label}", fields, registers, base=BASES[i % len(BASES)], sbase=(12, 24, 96)[i % 3],
                     sdst=(DESTINATIONS + [4, 60, 76])[i % 8])
        self.ends()

    def ends(self):
        """Vectors where memory ends within an access: aligned loads read 0 there."""
        size = self.m.size
        self.one("end", {}, {}, base=0x10000, spoil=second_halves)
        self.one("end-far", {}, {}, base=0xFFFF800000001000, spoil=last_byte)
        self.one("end-misaligned", {}, {}, base=0x10000 + size // 2, spoil=second_halves)
        self.one("end-begins-outside", {}, {}, base=0x10000, spoil=first_byte)
        if self.buffer and size > 4:
            self.one("end-bounds", {}, {}, base=0x10000, records=size // 2 + 4, spoil=last_byte)
        if self.m.kind != "load":
            return
        for block in (4, 8, 16, 32):
            if block < size:
                self.one(f"end-block-{block}", {}, {}, base=0x10000 + block,
                         spoil=behind(size - block // 2))
                self.one(f"end-behind-block-{block}", {}, {}, base=0x10000 + block,
                         spoil=behind(size - block))

    def misaligned(self, forms):
        plain = forms[0]
        self.one("base-misaligned", *plain[1:], base=0x10003)
        register = next(f for f in forms if f[0] == "sgpr")
        code = register[1]["offset"]
        self.one("offset-misaligned", register[1], {code: 0x43})
        self.one("both-misaligned", register[1], {code: 0x42}, base=0x10002)
        if self.gen >= 8:
            self.one("constant-misaligned", dict(offset=0x22), {})
        if self.gen >= 9:
            self.one("two-offsets-misaligned", dict(offset=0x22, soe=1, soffset=22), {22: 0x13})

    def registers(self, forms):
        """Vectors with registers that overlap, special ones and odd ones."""
        load = self.m.kind == "load"
        if load and self.dwords <= 4:
            self.one("over-base", {}, {}, sdst=4, sbase=4)
        if load and self.dwords == 1:
            self.one("over-offset", *next(f for f in forms if f[0] == "sgpr")[1:], sdst=20)
        if self.dwords <= 2:
            self.one("sdst-vcc", {}, {}, sdst=VCC)
            self.one("sdst-ttmp", {}, {}, sdst=112)
            if self.gen >= 7:
                self.one("sdst-flat_scratch", {}, {}, sdst=104 if self.gen == 7 else 102)
        self.one("sdst-ttmp4" if self.dwords <= 4 else "sdst-s4", {}, {}, sdst=116 if self.dwords <= 4 else 4, sbase=96)
        if not self.buffer:
            self.one("sbase-vcc", {}, {}, sbase=VCC)
            self.one("sbase-s100", {}, {}, sbase=100)
        if self.dwords >= 2:
            self.one("sdst-odd", {}, {}, sdst=9)
        if self.dwords >= 8:
            self.one("sdst-multiple-of-4", {}, {}, sdst=12)

    def bounds(self):
        """Vectors of S_BUFFER_* in and out of range."""
        n, forms = 4 * self.m.size // 4, self.forms()
        register = next(f for f in forms if f[0] == "sgpr")
        for label, stride, records, offset in (
                ("in-range", 0, n, 0), ("half", 0, max(4, n // 2), 0), ("last-bytes", 0, 6, 4), ("just-out", 0, 64, 64),
                ("last-dword", 0, 64, 60), ("limit-misaligned", 0, 0x3D, 60), ("offset-misaligned", 0, 12, 6),
                ("stride", 16, 2, 28), ("stride-out", 16, 2, 32), ("stride-large", 0x3FFF, 0x100000, 0x80000000),
                ("no-records", 0, 0, 0), ("far-out", 0, 64, 0xFFFFFFFC), ("all-records", 0, M32, 0xFFFFFF00),
                ("stride1", 1, n, 0), ("product-64-bits", 0x2000, 0x80000, 0)):
            code = register[1]["offset"]
            self.one(f"bounds-{label}", register[1], {code: offset}, stride=stride, records=records,
                     base=0x7000 if "large" in label or "all" in label else None, glc=1)
        self.one("descriptor-bits", {}, {}, word1=0xC000, word3=0x7FFFFFFF, stride=4, records=64)
        self.one("descriptor-type", {}, {}, word3=0xFFFFFFFF)
        if self.gen >= 9:
            self.one("bounds-negative", dict(offset=-4), {}, glc=1)

    def one(self, label, fields, registers, base=None, sdst=None, sbase=4, stride=0, records=None, word1=0, word3=0,
            spoil=None, glc=None, **more):
        c = self.case(label, **more)
        m = self.m
        base = BASES[c.turn % len(BASES)] if base is None else base
        sdst = DESTINATIONS[c.turn % 5] if sdst is None else sdst
        data = [c.rnd.choice(EDGES32) if m.kind == "atomic" and m.size == 4 else c.rnd.getrandbits(32)
                for _ in range(self.dwords)]
        fill = pattern
        if m.kind == "atomic":
            pool, size = (EDGES32, 4) if m.size == 4 else (EDGES64, 8)
            fill = values_fill(pool, size)
            if size == 8:
                data = [c.rnd.choice(pool) >> 32 * (k % 2) & M32 for k in range(self.dwords)]
            if m.op == "cmpswap" and c.turn % 2:
                # often the comparand is one of the values of memory
                wanted = c.rnd.choice(pool)
                data[size // 4:] = [wanted & M32, wanted >> 32][:size // 4]
                fill = values_fill([wanted], size)
        if m.kind == "load":
            data = [0xD0000001 + k for k in range(self.dwords)]
        if not (m.kind == "load" and sdst in (4, 20)):
            c.sgprs(sdst, *data)
        if self.buffer:
            records = M32 if records is None else records
            c.sgprs(sbase, base, base >> 32 & 0xFFFF | stride << 16 | word1 << 16, records, word3)
        else:
            c.sgprs(sbase, base, base >> 32)
        for code, value in registers.items():
            c.sgprs(code, value)
        extra = dict(sdst=sdst, sbase=sbase) | fields
        if m.kind == "atomic":
            extra["glc"] = c.turn % 4 != 0 if glc is None else int(glc)
        elif self.gen >= 8 and c.turn % 7 == 0:
            extra["glc"] = 1
        c.emit(fill=fill, spoil=spoil, **extra)
