"""Cases of the vector compares, in VOPC and in VOP3 form.

One vector holds 64 value pairs.  SRC0 runs through the 32 values of its type twice;
SRC1 is the same list turned by k, in lanes 32..63 by k + 16, so that turns 0..15
together meet every pair of values.  Turns repeat from row to row, which keeps the
compressed files small.
"""

import random

import gcnasm as asm
from gcnmodel import (B32, CLASS16, COMPARE_NAME, EXEC, F32, F64, M0, MANTISSA_BITS, VCC, WIDTH,
                      Compare, before)
from vectorlib import BASES, INT_MIN, pair, specials64

FULL = (1 << 64) - 1
PARTIAL = [0xAAAAAAAA_AAAAAAAA, 0x00000000_FFFFFFFF, 0xFFFFFFFF_00000000, 1, 1 << 63,
           0x8000000180000001, 0x0123456789ABCDEF, 0xFFFFFFFF_FFFFFFFE]
OLD_VCC = [0, FULL, 0x5555555555555555, 0xDEADBEEFCAFEF00D]
DENORM_MODES = [0x3C0, 0x3F0, 0x30F, 0x33F, 0x390, 0x360]     # F32 off/on x F64/F16 off/on, halves


def float_values(width):
    """Both signs of: zero, denormals, normals, infinity, quiet and signalling NaN."""
    m = MANTISSA_BITS[width]
    infinity = (1 << (width - 1)) - (1 << m)
    one = (1 << (width - 2)) - (1 << m)
    quiet = infinity | 1 << (m - 1)
    magnitudes = [0, 1, 1 << (m - 1), (1 << m) - 1, 1 << m, (1 << m) + 1, one, one + 1, one + (1 << m),
                  infinity - 1, infinity, quiet, quiet | 1, infinity | (1 << m) - 1, infinity + 1,
                  quiet - 1]
    sign = 1 << (width - 1)
    return magnitudes + [x | sign for x in magnitudes]


def denormal_values(width):
    m = MANTISSA_BITS[width]
    sign = 1 << (width - 1)
    return [x | s for x in (0, 1, (1 << m) - 1, 1 << m) for s in (0, sign)]


def int_values(width):
    """Edges of this width, of its half, and of the other signedness."""
    full, top, half = (1 << width) - 1, 1 << (width - 1), width // 2
    values = [0, 1, 2, full, full - 1, top, top - 1, top + 1, top - 2, top + 2]
    for edge in (1 << half, 1 << (half - 1), top | 1 << (half - 1), full ^ 1 << half):
        values += [edge, edge - 1, edge + 1]
    values += [full >> half, full ^ full >> half, 0x55555555_55555555 & full]
    rng = random.Random(width)
    while len(values) < 32:
        values.append(rng.getrandbits(width))
    return [v & full for v in values[:32]]


def lane_words(lanes, width):
    """The VGPRs that hold lane values: one, or low and high.  Above 16-bit values they hold rubbish."""
    if width == 64:
        return [[x & 0xFFFFFFFF for x in lanes], [x >> 32 for x in lanes]]
    if width == 16:
        return [[x | (0xFFFF, 0, 0x8000, 0x7C01)[i & 3] << 16 for i, x in enumerate(lanes)]]
    return [lanes]


class Lanes:
    """The lane patterns of one operand type."""

    def __init__(self, letter, width):
        self.width = width
        self.values = float_values(width) if letter == "f" else int_values(width)

    def straight(self):
        return [self.values[lane & 31] for lane in range(64)]

    def turned(self, k):
        return [self.values[lane + k + 16 * (lane >> 5) & 31] for lane in range(64)]

    def denormals(self):
        """All 64 pairs of eight values: (SRC0, SRC1)."""
        v = denormal_values(self.width)
        return [v[lane & 7] for lane in range(64)], [v[lane >> 3] for lane in range(64)]


def class_masks(k):
    """The class mask of each lane: one bit, with rubbish above bit 9 in half of the lanes."""
    return [1 << (lane + k) % 10 | (0xFFFFFC00 if lane & 1 else 0) for lane in range(64)]


class CompareCases:
    """Builds the vectors of one compare row."""

    def __init__(self, writer, row):
        x, self.op, self.letter, width = COMPARE_NAME.match(row.mnemonic).groups()
        self.w, self.row, self.arch = writer, row, writer.arch
        self.width = int(width)
        self.is_float, self.is_class = self.letter == "f", self.op == "class"
        self.kind0, self.kind1 = Compare(row, writer.arch, set()).kinds()
        self.width1 = WIDTH[self.kind1]
        self.lanes = Lanes(self.letter, self.width)
        self.group = f"vopc-{self.letter}{width}"
        self.turn = sum(map(ord, row.mnemonic)) % 97     # vary registers and states by row

    # lane contents

    def src1_lanes(self, k):
        return class_masks(k) if self.is_class else self.lanes.turned(k)

    def vgprs(self, v0, lanes0, v1, lanes1):
        out = {}
        for first, lanes, width in ((v1, lanes1, self.width1), (v0, lanes0, self.width)):
            if first is not None:
                for i, words in enumerate(lane_words(lanes, width)):
                    out[first + i] = words
        return out

    # one vector

    def add(self, label, form, src0, src1, sdst=VCC, literal=0, regs=None, vgpr=None, execute=FULL,
            mode=None, doubts=(), **modifiers):
        """`src1` is a 9-bit code; in VOPC form it must be a VGPR."""
        self.turn += 1
        t = self.turn
        state = pair(EXEC, execute)
        if sdst < 124:
            state |= pair(sdst, OLD_VCC[t % 4])
        if sdst != VCC:
            state |= pair(VCC, OLD_VCC[(t + 1) % 4])
        state |= regs or {}
        if form == "vopc":
            words = asm.vopc(self.arch, self.row.mnemonic, src0, src1 - 256, literal)
        else:
            words = asm.vop3(self.arch, self.row.mnemonic, sdst, src0, src1, **modifiers)
        self.w.add(self.group, self.row.mnemonic, f"{form}-{label}", words, regs=state,
                   doubts=doubts, vgpr=vgpr or {}, scc=t & 1, mode=DENORM_MODES[t % 4] if mode is None else mode,
                   pc=BASES[t % len(BASES)] if t % 7 == 0 else 0)

    def vector_pair(self, label, form, k, **more):
        """A vector that compares VGPRs, with turn k."""
        v0, v1 = ((0, 2), (2, 0), (100, 40), (253, 10), (8, 253))[k % 5]
        vgpr = self.vgprs(v0, self.lanes.straight(), v1, self.src1_lanes(k))
        self.add(label, form, 256 + v0, 256 + v1, vgpr=vgpr, **more)

    # groups of vectors

    def turns(self):
        for k in range(0, 16, 2):
            self.vector_pair(f"turn{k}", "vopc", k, execute=PARTIAL[k // 2] if k in (6, 10) else FULL)
            self.vector_pair(f"turn{k + 1}", "vop3", k + 1,
                             sdst=(VCC, 10, 100, 0, 20, 62, 4, VCC)[k // 2])

    def exec_masks(self):
        for i, execute in enumerate(PARTIAL):
            self.vector_pair(f"exec_{execute:x}", ("vopc", "vop3")[i & 1], 3 * i % 16,
                             execute=execute, sdst=(VCC, 30)[i & 1])
        for form in ("vopc", "vop3"):
            self.vector_pair("exec0", form, 4, execute=0)

    def denormals(self):
        if not self.is_float:
            return
        a, b = self.lanes.denormals()
        if self.is_class:
            b = class_masks(4)
        for i, mode in enumerate(DENORM_MODES):
            vgpr = self.vgprs(0, a, 2, b)
            for form in ("vopc", "vop3"):
                if i < 4 or form == "vopc":
                    self.add(f"denorm-mode_{mode:x}", form, 256, 258, vgpr=vgpr, mode=mode,
                             sdst=VCC if form == "vopc" else 6)

    def same_register(self):
        if self.width != self.width1:
            return
        lanes = self.vgprs(4, self.lanes.straight(), None, None)
        self.add("v4-v4", "vopc", 260, 260, vgpr=lanes)

    def modifiers(self):
        if not self.is_float:
            return
        combos = [dict(abs_=1), dict(neg=1), dict(abs_=1, neg=1)]
        if not self.is_class:
            combos += [dict(abs_=2), dict(neg=2), dict(abs_=3, neg=3), dict(abs_=1, neg=2)]
        for i, more in enumerate(combos):
            name = "-".join(f"{k.strip('_')}{v}" for k, v in more.items())
            self.vector_pair(name, "vop3", (2 * i + 1) % 16, sdst=12, mode=0x3F0, **more)
        if not self.is_class:                   # documents differ on CLAMP of the CLASS forms
            self.vector_pair("clamp", "vop3", 2, clamp=1)
        if self.arch.startswith("gcn1.4"):
            self.vector_pair("op_sel", "vop3", 0, op_sel=3)
        a, b = self.lanes.denormals()
        self.add("neg-denormal", "vop3", 256, 258, sdst=6, neg=1, mode=0x300,
                 vgpr=self.vgprs(0, a, 2, class_masks(3) if self.is_class else b))

    def destinations(self):
        for i, (code, name) in enumerate(specials64(self.arch)):
            if (i + self.turn) % 3 == 0 or name in ("exec", "s3_odd"):
                self.vector_pair(f"dst-{name}", "vop3", i, sdst=code,
                                 execute=FULL if i & 1 else 0x00FFFF00FFFF00FF)

    def scalar_value(self, i):
        v = self.lanes.values
        return v[(5 * i + self.turn) % 32]

    def scalar_sources(self):
        v1 = self.vgprs(None, None, 6, self.src1_lanes(1))
        last = 100 if self.width == 64 else 101
        sources = [(4, "s4"), (VCC, "vcc"), (EXEC, "exec"), (last, "s_last")]
        if self.width < 64:
            sources += [(M0, "m0"), (VCC + 1, "vcc_hi"), (EXEC + 1, "exec_hi")]
        for i, (code, name) in enumerate(sources):
            value, regs, execute = self.scalar_value(i), {}, FULL
            if code >= EXEC:                    # the value compared is the mask itself
                execute = value << 32 * (code - EXEC) | 0x10000000
            else:
                regs = pair(code, value) if self.width == 64 else {code: value}
            self.add(f"src0-{name}", ("vopc", "vop3")[i & 1], code, 262, regs=regs, vgpr=v1,
                     execute=execute, sdst=(VCC, 14)[i & 1])
        v0 = self.vgprs(6, self.lanes.straight(), None, None)
        for i, (code, name) in enumerate(((8, "s8"), (VCC, "vcc"), (EXEC, "exec"))):
            value = self.scalar_value(i + 2) if not self.is_class else (0x2A5, 0x15A, 0x3FF)[i]
            regs = pair(code, value) if self.width1 == 64 else {code: value}
            more = dict(execute=value | 0xF00) if code == EXEC else dict(regs=regs)
            self.add(f"src1-{name}", "vop3", 262, code, vgpr=v0, sdst=16, **more)
        value = self.scalar_value(3)
        self.add("src0-is-sdst", "vop3", 10, 262, sdst=10, vgpr=v1, regs=pair(10, value))
        if self.width == self.width1:
            self.add("src0-is-src1-scalar", "vop3", 10, 10, sdst=18, regs=pair(10, value))

    def constants(self):
        rare = {CLASS16: 48, B32: 24 if self.is_class else 6}
        v1 = self.vgprs(None, None, 6, self.src1_lanes(0))
        v0 = self.vgprs(6, self.lanes.straight(), None, None)
        for i, code in enumerate(self.w.constants.take("v:" + self.kind0, 7)):
            form = ("vopc", "vop3")[i & 1]
            self.add(f"inline{code}-src0", form, code, 262, vgpr=v1, sdst=(VCC, 22)[i & 1])
        kind1 = ("class:" if self.is_class else "v:") + self.kind1
        for code in self.w.constants.take(kind1, rare.get(self.kind1, 3)):
            self.add(f"inline{code}-src1", "vop3", 262, code, vgpr=v0, sdst=24)
        literals = [0x80000000, 0x3F800001, 0x12345678]
        if self.kind0 == F32:
            literals = [0xFF800000, 0x7FA00000, 0x00000001]
        elif self.kind0 == F64:
            literals = [0xFFF00000, 0x7FF40000, 0x00000001]
        elif self.width == 16:
            literals = [0x7C00, 0xFFFF8001, 0x1234FC01]
        for literal in literals:
            self.add(f"literal-{literal:x}", "vopc", 255, 262, literal=literal, vgpr=v1)
        for code, regs, execute in ((251, {VCC: 1}, FULL), (251, {VCC: 0, VCC + 1: 0}, 0xFF),
                                    (252, {}, FULL), (253, {}, FULL)):
            self.add(f"src0-{code}", "vopc", code, 262, regs=regs, execute=execute, vgpr=v1)
            self.add(f"src0-{code}", "vop3", code, 262, regs=regs, execute=execute, vgpr=v1, sdst=26)
        if self.arch.startswith("gcn1.4") and self.turn % 4 == 0:
            self.add("src0-aperture", "vopc", 236, 262, vgpr=v1)

    def gpr_index(self):
        """Vectors with GPR indexing: M0[7:0] is added to SRC0 if M0[12] is set, to SRC1 if M0[13] is."""
        vgpr = self.vgprs(2, self.lanes.straight(), 10, self.src1_lanes(5))
        vgpr |= self.vgprs(6, list(reversed(self.lanes.straight())), 14, self.src1_lanes(9))
        if before(self.arch, "gcn1.2"):         # the bit means nothing there yet
            self.add("mode27-inert", ("vopc", "vop3")[self.turn & 1], 258, 266, vgpr=vgpr,
                     mode=0x080003F0, regs={M0: 0x3004}, doubts=["mode-bits"])
            return
        for flags in range(4):
            self.add(f"gpr_idx-flags{flags}", ("vopc", "vop3")[flags & 1], 258, 266, vgpr=vgpr,
                     mode=0x080003F0, regs={M0: flags << 12 | 0xC00 | 4}, sdst=(VCC, 30)[flags & 1])
        self.add("gpr_idx-off", "vopc", 258, 266, vgpr=vgpr, mode=0x3F0, regs={M0: 0x3004})
        self.add("gpr_idx-scalar", "vopc", 4, 266, vgpr=vgpr, mode=0x080003F0,
                 regs=pair(4, self.scalar_value(1)) | {M0: 0x1004, 8: INT_MIN})
        self.add("gpr_idx-past-end", "vop3", 258, 266, vgpr=vgpr, mode=0x080003F0,
                 regs={M0: 0x10FE}, sdst=32)

    def vskip(self):
        self.vector_pair("vskip", ("vopc", "vop3")[self.turn & 1], 1, mode=0x100003F0)

    def last_registers(self):
        """Vectors whose index comes to v254, the last pair, and to v255, past it for pairs."""
        if before(self.arch, "gcn1.2"):
            return
        vgpr = self.vgprs(254, self.lanes.straight(), 10, self.src1_lanes(5))
        vgpr |= self.vgprs(0, list(reversed(self.lanes.straight())), 14, self.src1_lanes(9))
        for index in (0xFC, 0xFD):
            self.add(f"gpr_idx-v{index + 2}", "vop3", 258, 266, vgpr=vgpr, mode=0x080003F0,
                     regs={M0: 0x1000 | index}, sdst=34)

    def all(self):
        self.turns()
        self.exec_masks()
        self.denormals()
        self.same_register()
        self.modifiers()
        self.destinations()
        self.scalar_sources()
        self.constants()
        self.gpr_index()
        self.vskip()
        self.last_registers()
