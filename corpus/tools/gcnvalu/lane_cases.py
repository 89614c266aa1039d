"""Vectors of moves and lane operations, and of compares in SDWA and DPP form."""

from compare_cases import Lanes, class_masks
from gcnmodel import COMPARE_NAME, EXEC, M0, VCC
from vectorlib import pair

from . import encode, values
from .base import DPP_CTRLS, EXECS, FULL, MASKS, OLD, REGISTERS, Base
from .forms import DPP, SDWA

WORDS = values.lanes(values.words("b32"), 0, 0)


class LaneCases(Base):
    """The vectors of V_NOP, V_CLREXCP, V_SWAP, V_READLANE, V_WRITELANE, V_READFIRSTLANE and V_MOVREL*."""

    def __init__(self, writer, row, group, m):
        super().__init__(writer, row, group)
        self.m = m

    def add(self, label, words, form="e32", **state):
        self.w.emit(self.group, self.row.mnemonic, form, label, words, self.state(**state))

    def words(self, form, vd, *codes, literal=None):
        if form == "e64":
            return encode.vop3(self.arch, self.row, vd, codes)
        src0 = codes[0] if codes else 0
        return encode.short(self.arch, self.row, vd, src0, codes[1] if len(codes) > 1 else 0, literal)

    def lanes(self):
        t = self.turn
        return [WORDS[(lane + 5 * t) % 64] for lane in range(64)]

    def all(self):
        getattr(self, self.m.special)()

    def execute(self, i):
        return FULL if i % 3 == 0 else 0 if i % 7 == 2 else EXECS[i % 8]

    def nothing(self):
        for i in range(40):
            self.next()
            form = ("e32", "e64")[i % 2]
            self.add("state", self.words(form, 0), form, execute=self.execute(i), vcc=MASKS[i % 5],
                     vgpr={0: self.lanes()} if i % 4 == 0 else {}, mode=(0x3F0, 0x3C0, 0x3FF,
                             0x1A5)[i % 4], regs={i: 7 * i + 1})

    def swap(self):
        for i in range(42):
            t = self.next()
            a, b = REGISTERS[t % 8][:2] if i != 5 else (9, 9)
            vgpr = {a: self.lanes()}
            if b != a:
                vgpr[b] = OLD
            self.add("swap" if a != b else "itself", self.words("e32", a, 256 + b), vgpr=vgpr, execute=self.execute(i),
                     mode=0x100003F0 if i == 7 else None)

    def destinations(self, i):
        """SGPRs a lane is read into."""
        return (0, 5, 101, VCC, VCC + 1, EXEC, EXEC + 1, 33, 62, 77)[i % 10]

    def readfirstlane(self):
        for i in range(42):
            t = self.next()
            v = REGISTERS[t % 8][0]
            execute = (0, 1, 1 << 63, 1 << 31, 1 << 32, FULL, 0x8000000000000010)[i] if i < 7 else self.execute(i)
            sdst = self.destinations(i // 2)
            state = dict(execute=execute, vgpr={v: self.lanes()}, mode=0x100003F0 if i == 20 else None)
            self.add(f"exec_{execute:x}", self.words("e32", sdst, 256 + v), **state)
        self.add("src0-sgpr", self.words("e32", 3, 9), regs={9: 0x12345678}, execute=EXECS[3])
        self.add("dst-m0", self.words("e32", M0, 256 + 4), vgpr={4: self.lanes()})

    def readlane(self):
        form = "e32" if self.row.encoding == "VOP2" else "e64"
        selectors = [(128, {}), (129, {}), (191, {}), (192, {}), (193, {}), (160, {}), (9, {9: 31}), (9, {9: 64 + 7}),
                     (9, {9: 0xFFFFFFC5}), (M0, {M0: 63}), (M0, {M0: 0x80000020}), (VCC, {}), (101, {101: 12}), (208,
                             {})]
        for i in range(42):
            t = self.next()
            code, regs = selectors[i % 14]
            v, sdst = REGISTERS[t % 8][0], self.destinations(i)
            execute = self.execute(i)
            vcc = MASKS[i % 5] if code == VCC or sdst in (VCC, VCC + 1) else 0
            self.add(f"lane-by-{code}", self.words(form, sdst, 256 + v, code), form, regs=regs, vgpr={v: self.lanes()},
                     execute=execute, vcc=vcc, mode=0x100003F0 if i == 20 else None)
        self.add("dst-m0", self.words(form, M0, 256 + 4, 133), form, vgpr={4: self.lanes()})

    def writelane(self):
        form = "e32" if self.row.encoding == "VOP2" else "e64"
        pairs = [(9, 128, {9: 77}), (9, M0, {9: 0xDEADBEEF, M0: 63}), (9, 9, {9: 0x12345605}), (193, 9, {9: 31}),
                 (242, 191, {}), (248 if self.gen >= 8 else 240, 130, {}), (M0, M0, {M0: 0x8000003F}), (VCC, 140, {}),
                 (9, 192, {9: 5}), (EXEC, 150, {}), (101, 177, {101: 0x80000000}), (208, 6, {6: 0xFFFFFFFF}),
                 (130, M0, {M0: 64}), (9, 207, {9: 1})]
        for i in range(42):
            t = self.next()
            src0, lane, regs = pairs[i % 14]
            v = REGISTERS[t % 8][3]
            self.add(f"src{src0}-lane{lane}", self.words(form, v, src0, lane), form, regs=regs,
                     vgpr={v: OLD} if i % 4 else {}, execute=self.execute(i), vcc=MASKS[i % 5] if src0 == VCC else 0,
                     mode=0x100003F0 if i == 20 else None)
        if form == "e32":
            self.add("literal", self.words(form, 3, 255, 133, literal=0xCAFEF00D), form)

    def indices(self, i):
        return (0, 1, 5, 40, 2, 100, 17, 250, 255, 256, 1000, 0x7FFFFFFF)[i % 12]

    def movrel(self, any_source=False):
        for i in range(42):
            t = self.next()
            a, _, _, d = REGISTERS[t % 8]
            m0 = self.indices(i)
            form = ("e32", "e64")[i % 2]
            vgpr = {a: self.lanes(), 0: [lane * 0x01010101 for lane in range(64)]}
            for n in (a + m0, d + m0):
                if n < 256 and n not in vgpr:
                    vgpr[n] = self.lanes()[::-1] if n == a + m0 else OLD
            code, regs = 256 + a, {M0: m0}
            if any_source and i % 4 == 1:
                code, regs = 10, {10: 0x600DF00D, M0: m0}
            if any_source and i % 4 == 3:
                code = 195
            self.add(f"m0_{m0:x}", self.words(form, d, code), form, vgpr=vgpr, regs=regs, execute=self.execute(i),
                     mode=0x100003F0 if i == 13 else None)

    def movrels(self):
        self.movrel()

    def movreld(self):
        self.movrel(any_source=True)

    def movrelsd(self):
        self.movrel()


class CompareForms(Base):
    """The vectors of one compare in SDWA and DPP form."""

    def __init__(self, writer, row, group):
        super().__init__(writer, row, group)
        _, self.op, self.letter, width = COMPARE_NAME.match(row.mnemonic).groups()
        self.width, self.is_float = int(width), self.letter == "f"
        self.lanes = Lanes(self.letter, self.width)

    def sources(self, k, narrow):
        """Lane values; narrow: the value lies in some byte or halfword of a full register."""
        a, b = self.lanes.straight(), self.lanes.turned(k % 16)
        if self.op == "class":
            b = class_masks(k)
        if self.width == 16 or narrow:
            a = [x & 0xFFFF | a[lane - 3] << 16 & 0xFFFFFFFF for lane, x in enumerate(a)]
            if self.op != "class":
                b = [x & 0xFFFF | b[lane - 5] << 16 & 0xFFFFFFFF for lane, x in enumerate(b)]
        return a, b

    def emit(self, label, form, words, state):
        self.w.emit(self.group, self.row.mnemonic, form, label, words, state)

    def modifiers(self, class_too):
        t = self.turn
        if self.is_float:
            only = 1 if self.op == "class" and class_too else 3
            return dict(neg=(0, 1, 2, 3, 0)[t % 5] & only, abs_=(0, 0, 1, 2, 3)[t % 5] & only)
        return dict(sext=(0, 1, 3, 2)[t % 4])

    def sdwa(self, count):
        selects = [(6, 6), (5, 4), (4, 5), (0, 1), (3, 2), (1, 6), (6, 5), (2, 0), (4, 4)]
        for i in range(count):
            t = self.next()
            sel0, sel1 = selects[t % 9]
            if self.is_float and self.width == 32 and i % 2 == 0 and self.op != "class":
                sel0 = sel1 = 6
            a, b = self.sources(t, True)
            v0, v1 = REGISTERS[t % 8][:2]
            src0, src1, regs, more, vgpr = 256 + v0, 256 + v1, {}, self.modifiers(True), {v0: a, v1: b}
            if self.gen >= 9:
                if i % 3 == 1:
                    more["sdst"] = (10, 100, 62, VCC)[t % 4]
                    if more["sdst"] != VCC:
                        regs |= pair(more["sdst"], MASKS[t % 5])
                if i % 4 == 2:
                    src0 = 18
                    regs[18] = a[t % 64]
                    del vgpr[v0]
                elif i % 4 == 3:
                    src1 = 18
                    regs[18] = b[t % 64]
                    del vgpr[v1]
            elif i == 5 and self.is_float:
                more["clamp"] = 1
            mode = (0x3F0, 0x3C0, 0x330)[t % 3] if i % 2 else 0x3F0
            word = encode.vopc_word(self.arch, self.row, SDWA, src1 & 0xFF)
            words = encode.sdwa(self.arch, word, src0, src1, dst_sel=0, sel0=sel0, sel1=sel1, **more)
            self.emit(f"src{sel0}.{sel1}", "sdwa", words, self.state(
                regs, vgpr, FULL if i % 4 else EXECS[t % 8], mode, MASKS[(t + 1) % 5]))

    def dpp(self, count):
        for i in range(count):
            t = self.next()
            ctrl = DPP_CTRLS[t % len(DPP_CTRLS)]
            a, b = self.sources(t, False)
            v0, v1 = REGISTERS[t % 8][:2]
            bank, row = (15, 15, 5, 15)[i % 4], (15, 15, 15, 10)[i % 4]
            word = encode.vopc_word(self.arch, self.row, DPP, v1)
            more = self.modifiers(True)
            more.pop("sext", None)
            words = encode.dpp(word, 256 + v0, ctrl, row, bank, t % 2, **more)
            self.emit(f"{ctrl:x}-{row:x}.{bank:x}", "dpp", words, self.state(
                {}, {v0: a, v1: b}, EXECS[t % 8] if i % 4 == 3 else FULL, 0x3F0, MASKS[t % 5]))

    def all(self, count):
        self.sdwa(count)
        self.dpp(count)
