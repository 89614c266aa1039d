"""The vectors of one vector ALU instruction: forms, operands, modifiers, modes, masks."""

from gcnmodel import EXEC, M0, VCC, before
from vectorlib import pair

from . import arith, encode, values
from .base import DPP_CTRLS, EXECS, FULL, MASKS, OLD, REGISTERS, Base
from .floats import FORMATS, Env
from .machine import bits_of, dwords_of
from .rows import has_dpp, has_sdwa, has_vop3, meaning
from .transcend import FUNCTIONS as TRANSCENDENTAL

PAIR_REGISTERS = [(0, 4, 8, 12), (5, 1, 11, 17), (101, 3, 201, 51), (251, 9, 33, 21), (16, 249, 2, 7),
                  (31, 41, 247, 61), (8, 12, 16, 20), (77, 88, 99, 111)]
SDSTS = [VCC, 10, 100, 20, 62, VCC, 4]


def split(lanes, kind):
    """Lane values of a type as whole registers; the upper half above 16-bit values holds rubbish."""
    if bits_of(kind) == 16:
        return [[x | (0xFFFF, 0, 0x8000, 0x7C01)[i & 3] << 16 for i, x in enumerate(lanes)]]
    return [[x >> 32 * k & 0xFFFFFFFF for x in lanes] for k in range(dwords_of(kind))]


class RowCases(Base):
    """The vectors of a row that computes something lane by lane."""

    def __init__(self, writer, row, group):
        super().__init__(writer, row, group)
        self.m = meaning(row.mnemonic, self.gen)
        m = self.m
        self.n = len(m.src)
        self.short = row.encoding in ("VOP1", "VOP2")
        self.vop3 = has_vop3(row, m)
        self.sdwa = has_sdwa(row, m, self.gen)
        self.dpp = has_dpp(row, m, self.gen)
        self.floats = [t in FORMATS for t in m.src]
        self.half = bits_of(m.dst) == 16
        self.wide = any(bits_of(t) > 32 for t in m.src + [m.dst])
        self.packed = row.encoding == "VOP3P"
        self.cancelling = False

    # one vector

    def values(self, n, flavour, kind=None):
        kind = kind or self.m.src[n]
        if n == 0 and flavour == "edge" and "div_scale" in self.row.mnemonic:
            pair_ = zip(self.values(1, flavour), self.values(2, flavour))
            return [d if lane & 1 else n for lane, (d, n) in enumerate(pair_)]
        return values.lanes(values.pool(self.row.mnemonic, n, kind, flavour), n, self.turn)

    def registers(self, n, flavour):
        """The registers of VGPR source n, low first."""
        if n == 2 and self.cancelling:
            return split(self.minus_product(), self.m.src[n])
        return split(self.values(n, flavour), self.m.src[n])

    def minus_product(self):
        """An S2 that cancels the rounded product of S0 and S1: MAD gives 0, and FMA the rounding error."""
        fmt, env = FORMATS[self.m.dst], Env(0x3F0, 9)
        return [arith.mul(env, fmt, a, b) ^ fmt.sign for a, b in zip(self.values(0, "random"), self.values(1,
                "random"))]

    def old(self):
        """What the destination registers hold before the instruction."""
        m, t = self.m, self.turn
        if m.acc and self.cancelling:
            return split(self.minus_product(), m.dst)
        if m.acc and m.float_result:
            lanes = self.values_of_result()
            if self.half:
                above = (0, 0xABCD)[t % 2] if self.gen >= 9 else 0xABCD
                return [[x | above << 16 for x in lanes]]
            return [lanes]
        first = OLD
        if self.half or m.doubt == "cvt-i16-hi16":
            first = [x & 0xFFFF for x in OLD] if t % 2 else OLD
        return [first] + [[x ^ 0x55AA55AA for x in OLD]] * (dwords_of(m.dst) - 1)

    def values_of_result(self):
        return values.lanes(values.pool(self.row.mnemonic, 3, self.m.dst, self.flavour), 3, self.turn)

    def emit(self, label, form=None, flavour="edge", operands=None, alias=None, execute=FULL, mode=None, regs=None,
             vgpr=None, doubts=(), old=None, vcc=None, **fields):
        """One vector.  `operands`: n -> operand code, or ("literal", K); the others are VGPRs.

        `alias`: "d0" D = S0, "01" S1 = S0, and so on."""
        m, t = self.m, self.next()
        self.flavour = flavour
        form = form or self.default_form(operands)
        operands = dict(operands or {})
        numbers = list((PAIR_REGISTERS if self.wide else REGISTERS)[t % 8])
        vd = numbers.pop()
        alias = alias or ""
        for a, b in zip(alias[::2], alias[1::2]):
            if a == "d":
                vd = numbers[int(b)]
            else:
                numbers[int(b)] = numbers[int(a)]
        codes, init, literal = [], {}, None
        for n in range(self.n):
            given = operands.get(n)
            if n == m.constant:
                continue
            if isinstance(given, tuple):
                literal = given[1]
                codes.append(255)
            elif given is not None:
                codes.append(given)
            else:
                codes.append(256 + numbers[n])
                if (n, "d") not in self.shared(alias):
                    for k, lanes in enumerate(self.registers(n, flavour)):
                        init.setdefault(numbers[n] + k, lanes)
        if old is None:
            old = bool(m.acc or form == "dpp" or self.half or m.keep or execute != FULL or m.doubt == "cvt-i16-hi16"
                       or fields.get("dst_unused") == 2 or t % 5 == 0)
        if old:
            for k, lanes in enumerate(self.old()):
                init.setdefault(vd + k, lanes)
        if vgpr:
            init |= vgpr(numbers, vd) if callable(vgpr) else vgpr
        regs = dict(regs or {})
        vcc = self.vcc_before(form) if vcc is None else vcc
        words, extra = self.words(form, vd, codes, literal, fields)
        state = self.state(extra | regs, init, execute, mode, vcc)
        self.w.emit(self.group, self.row.mnemonic, form, label, words, state, doubts)

    @staticmethod
    def shared(alias):
        return ()

    def default_form(self, operands):
        if self.packed:
            return "vop3p"
        if not self.short:
            return "e64"
        literal = any(isinstance(x, tuple) for x in (operands or {}).values())
        scalar1 = any(n for n in (operands or {}) if n)
        if not self.vop3 or literal:
            return "e32"
        return "e64" if scalar1 or self.turn % 2 else "e32"

    def vcc_before(self, form):
        m, t = self.m, self.turn
        if m.vcc or m.cin or m.cout or t % 6 == 0:
            return MASKS[t % 5]
        return 0

    def words(self, form, vd, codes, literal, fields):
        """The words, and scalar registers they need."""
        m, row, t, extra = self.m, self.row, self.turn, {}
        if m.constant is not None and literal is None:
            literal = fields.pop("constant", self.values(m.constant, self.flavour)[t % 64])
        if form == "e32":
            vsrc1 = codes[1] & 0xFF if len(codes) > 1 else 0
            return encode.short(self.arch, row, vd, codes[0], vsrc1, literal), extra
        if form == "vop3p":
            return encode.vop3p(self.arch, row, vd, codes, **fields), extra
        if form == "e64":
            sdst = None
            if m.cout:
                sdst = fields.pop("sdst", SDSTS[t % 7])
                if sdst != VCC:
                    extra |= pair(sdst, MASKS[(t + 1) % 5])
            if m.cin:
                scalar = any(c < 128 for c in codes)
                mask = fields.pop("mask", VCC if scalar else (VCC, 12, 30, 98)[t % 4])
                codes = codes + [mask]
                if mask != VCC:
                    extra |= pair(mask, MASKS[(t + 2) % 5])
            return encode.vop3(self.arch, row, vd, codes, sdst=sdst, **fields), extra
        vsrc1 = codes[1] & 0xFF if len(codes) > 1 else 0
        marker = 249 if form == "sdwa" else 250
        word = encode.short(self.arch, row, vd, marker, vsrc1)[0]
        if form == "sdwa":
            return encode.sdwa(self.arch, word, codes[0], codes[1] if len(codes) > 1 else None, **fields), extra
        return encode.dpp(word, codes[0], **fields), extra

    # groups of vectors

    def all(self):
        self.basic()
        self.scalars()
        self.constants()
        self.modifiers()
        self.modes()
        self.masks()
        self.indexing()
        if self.sdwa:
            self.sdwa_forms()
        if self.dpp:
            self.dpp_forms()
        self.fill()

    def made(self):
        return self.w.count.get((self.group, self.row.mnemonic), 0)

    def fill(self, least=42):
        flavours = ("edge", "random") if any(self.floats) else ("edge",)
        for i in range(least):
            if self.made() >= least:
                return
            self.emit(f"more{i}", flavour=flavours[i % len(flavours)], execute=EXECS[i // 3 % 8] if i % 3 == 2
                      else FULL)

    def forms(self):
        out = (["e32"] if self.short else []) + (["e64"] if self.vop3 and not self.packed else [])
        return out or ["vop3p"]

    def basic(self):
        forms = self.forms()
        for i in range(4):
            self.emit("edges", forms[i % len(forms)])
        if any(self.floats):
            for i in range(2):
                self.emit("nans", forms[i % len(forms)], "all", mode=(0x3F0, 0x1F0)[i])
            self.emit("random", forms[-1], "random")
            if sum(self.floats) > 1:
                self.emit("zeros", forms[0], "zeros", mode=0x3F0)
                self.emit("zeros", forms[-1], "zeros", mode=(0x3CA, 0x3F5, 0x3C0)[self.turn % 3])
        self.unusual(forms)
        for alias in ["d0", "d1", "d2"][:self.n]:
            if self.m.constant is not None and alias == f"d{self.m.constant}":
                continue
            if bits_of(self.m.src[int(alias[1])]) <= bits_of(self.m.dst):
                self.emit(f"dst-is-src{alias[1]}", forms[self.turn % len(forms)], alias=alias, old=False)
        if self.n > 1 and self.m.src[0] == self.m.src[1]:
            self.emit("src0-is-src1", forms[-1], alias="01")
            self.emit("dst-src0-src1", forms[0], alias="01d0", old=False)
        if any(x in self.row.mnemonic for x in ("_mad_", "_mac_", "_fma_", "_fmac_")) and all(self.floats) \
                and not self.packed:
            self.cancelling = True
            for form in forms:
                self.emit("cancelling", form, "random", mode=0x3F0)
            self.cancelling = False
        if "div_scale" in self.row.mnemonic:
            for i in range(3):
                self.emit("denominator", alias="01", mode=(0x3F0, 0x3C0, 0x3F0)[i])
                self.emit("numerator", alias="02", mode=(0x3F0, 0x3C0, 0x3F0)[i])

    def unusual(self, forms):
        name = self.row.mnemonic.split("_")[1]
        if name in TRANSCENDENTAL:
            for i in range(3):
                self.emit("special", forms[i % len(forms)], "special", mode=(0x3F0, 0x3C0, 0x1FF)[i])
        if name in ("sin", "cos", "trig"):
            self.emit("far", forms[0], "far")
            self.emit("far", forms[-1], "far", mode=0x3F0)
        if "qsad" in name:
            self.emit("wrap", forms[0], "all")
            self.emit("wrap", forms[0], "all", execute=EXECS[0])

    def scalar_value(self, n):
        return self.values(n, "edge")[(7 * self.turn) % 64]

    def scalar(self, n, code):
        """The scalar registers from `code` on that hold an edge value for source n."""
        value, kind = self.scalar_value(n), self.m.src[n]
        if bits_of(kind) == 16:
            value |= 0x7C010000
        return pair(code, value) if bits_of(kind) == 64 else {code: value & 0xFFFFFFFF}

    def scalars(self):
        m = self.m
        pairs = [bits_of(t) == 64 for t in m.src]
        if bits_of(m.src[0]) <= 64:
            self.emit("src0-sgpr", self.forms()[0], operands={0: 6}, regs=self.scalar(0, 6))
            code = 100 if pairs[0] else 101
            self.emit(f"src0-s{code}", operands={0: code}, regs=self.scalar(0, code))
            if not (m.cin or m.vcc):
                if pairs[0]:
                    self.emit("src0-vcc", operands={0: VCC}, vcc=self.scalar_value(0))
                else:
                    self.emit("src0-m0", self.forms()[0], operands={0: M0}, regs=self.scalar(0, M0))
                    execute = self.scalar_value(0) | 0x10 | 0xF0F0 << 32
                    self.emit("src0-exec_lo", operands={0: EXEC}, execute=execute)
        if not self.vop3:
            return
        form = self.forms()[-1]
        for n in range(1, self.n):
            if bits_of(m.src[n]) <= 64:
                self.emit(f"src{n}-sgpr", form, operands={n: 20}, regs=self.scalar(n, 20),
                          **({"mask": VCC} if m.cin else {}))
        if self.n > 1 and bits_of(m.src[0]) == bits_of(m.src[1]):
            self.emit("src0-src1-sgpr", form, operands={0: 8, 1: 8}, regs=self.scalar(0, 8))
        if self.n > 1 and m.src[0] == m.src[1] and self.turn % 4 == 0:
            self.emit("two-sgprs", form, operands={0: 8, 1: 14}, regs=self.scalar(0, 8) | self.scalar(1, 14))
        if pairs[0]:
            self.emit("src0-odd-pair", form, operands={0: 7}, regs=self.scalar(0, 7))

    def constant_kind(self, n):
        return self.m.src[n]

    def constants(self):
        m = self.m
        forms = self.forms()
        taken = self.w.constants.take("valu:" + self.constant_kind(0), 3)
        for i, code in enumerate(taken):
            if self.good_constant(0, code):
                self.emit(f"src0-inline{code}", forms[i % len(forms)], operands={0: code})
        if self.vop3 and bits_of(m.src[0]) <= 64:
            for n in range(1, self.n):
                code = self.w.constants.take("valu:" + self.constant_kind(n), 1)[0]
                if bits_of(m.src[n]) <= 64 and self.good_constant(n, code):
                    self.emit(f"src{n}-inline{code}", forms[-1], operands={n: code})
        if self.short:
            for literal in ({"f32": [0xFF800000, 0x3FC00001], "f16": [0x12343C01, 0x7C00], "f64": [0x3FF80000,
                    0xBFE00001]}
                            .get(m.src[0], [0x80000001, 0x12345678])):
                self.emit(f"literal-{literal:x}", "e32", operands={0: ("literal", literal)})
        if m.cin or self.row.mnemonic in ("v_add_f32", "v_and_b32", "v_mov_b32"):
            codes = ((251, {}), (252, {}), (253, {}))
            for code, regs in codes:
                self.emit(f"src0-{code}", "e32", operands={0: code}, regs=regs)

    def good_constant(self, n, code):
        return not (self.packed and code >= 240 and not self.floats[n])

    def modifiers(self):
        m = self.m
        if not self.vop3 or self.packed:
            return
        full = (1 << self.n) - 1
        neg = sum(1 << n for n, x in enumerate(m.neg) if x)
        abs_ = sum(1 << n for n, x in enumerate(m.abs) if x)
        if neg:
            flavours = ("edge", "all")
            combos = [dict(neg=1 & neg), dict(neg=neg), dict(neg=6 & neg)]
            if abs_:
                combos += [dict(abs_=1 & abs_), dict(abs_=abs_, neg=neg), dict(abs_=abs_ & 5, neg=neg & 2)]
            for i, more in enumerate(combos):
                if any(more.values()):
                    name = "-".join(f"{k.strip('_')}{v}" for k, v in more.items())
                    self.emit(name, "e64", flavours[i == 3], **more)
        old_b = m.cout and before(self.arch, "gcn1.2")
        if m.clamp and not old_b and not (m.clamp == "int" and self.gen < 8):
            if m.clamp == "float":
                for mode in (0x3F0, 0x2F0, 0x1C0):
                    self.emit(f"clamp-mode_{mode:x}", "e64", "all" if mode != 0x3F0 else "edge", clamp=1, mode=mode)
            else:
                for _ in range(3 if m.clamp == "int" else 1):
                    self.emit("clamp", "e64", clamp=1)
        has_omod = (m.omod or m.ignored == "omod") and not (m.op_sel and self.gen >= 9)
        if has_omod:
            # effective only with IEEE = 0 and denormal results flushed
            for k, mode in ((1, 0x100), (2, 0x150), (3, 0x100), (1, 0x3C0), (2, 0x1F0)):
                if m.float_result or k == 1 and mode == 0x100:
                    flavour = "tiny" if k == 3 and m.float_result and self.floats[0] else "edge"
                    self.emit(f"omod{k}-mode_{mode:x}", "e64", flavour, omod=k, mode=mode)
            if m.float_result and m.clamp == "float" and not old_b:
                self.emit("omod1-clamp", "e64", omod=1, clamp=1, mode=0x100)
        if self.gen >= 9:
            self.op_sel(full)

    def op_sel(self, full):
        m = self.m
        halves = sum(1 << n for n, t in enumerate(m.src) if bits_of(t) == 16)
        if m.cout or not halves and not (self.turn % 8 == 0 and not self.wide):
            return
        if m.op_sel:
            choices = [1 & halves, halves, 6 & halves] + ([8, 8 | halves] if self.half else [])
        elif self.half and halves == full and not m.acc:
            choices = [1, halves, 8 | 1]
        else:
            choices = [] if halves else [1]
        for op_sel in choices:
            if op_sel:
                self.emit(f"op_sel{op_sel}", "e64", op_sel=op_sel)

    def modes(self):
        m = self.m
        if not m.reads_mode or self.packed and not any(self.floats):
            return
        form = self.forms()[-1]
        fractional = any(self.floats)
        rounding = [0x3F0 | r for r in (5, 10, 15)] + [0x3C0 | 1, 0x3F0 | 8]
        for mode in rounding:
            for flavour in (("random",) if fractional and mode != 0x3C1 else ("edge",)):
                self.emit(f"round-mode_{mode:x}", form, flavour, mode=mode)
        if fractional:
            for mode in (0x300, 0x310, 0x320, 0x350, 0x3A0, 0x330 if self.turn % 2 else 0x3C0, 0x3FF & ~0xC):
                self.emit(f"denorm-mode_{mode:x}", self.forms()[self.turn % len(self.forms())], "tiny", mode=mode)
        halves = "f16" in m.src + [m.dst] or "_f16" in self.row.mnemonic
        if self.gen >= 9 and halves:
            self.emit("fp16_ovfl", form, "edge", mode=0x8003F0)
            self.emit("fp16_ovfl-up", form, "all" if fractional else "edge", mode=0x8003F5)

    def masks(self):
        forms = self.forms()
        for i in range(2):
            execute = EXECS[(self.turn + 3 * i) % 8]
            self.emit(f"exec_{execute:x}", forms[i % len(forms)], execute=execute)
        self.emit("exec0", forms[-1], execute=0, old=True)
        if self.turn % 3 == 0 or self.m.cout:
            self.emit("vskip", forms[0], mode=0x100003F0)

    def indexing(self):
        if self.gen < 8:
            if self.turn % 8 == 0:
                self.emit("mode27-inert", mode=0x080003F0, regs={M0: 0xF004})
            return
        step = 40
        plan = [(9, "src0-dst"), (15, "all")] if self.turn % 4 == 0 else [(1 << self.turn % (self.n + 1), "one")]
        if self.row.mnemonic == "v_mov_b32":
            plan = [(1, "src0"), (8, "dst"), (9, "both"), (0, "none"), (1, "again"), (8, "more")]
        for flags, name in plan:
            flags = 8 if flags >> self.n and flags < 8 else flags

            def more(numbers, vd):
                out = {}
                for n in range(self.n):
                    if n != self.m.constant and numbers[n] + step + 3 < 256:
                        for k, lanes in enumerate(self.registers(n, "edge")):
                            out[numbers[n] + step + k] = lanes[::-1]
                return out
            self.emit(f"gpr_idx-{name}", self.forms()[self.turn % len(self.forms())], mode=0x080003F0,
                      regs={M0: flags << 12 | step}, vgpr=more, execute=FULL ^ 0xFF00)

    def source_modifiers(self):
        """Vectors with ABS and NEG of float sources, or SEXT of the others, by turn."""
        t = self.turn
        is_float = [x and self.m.neg[n] for n, x in enumerate(self.floats)]
        mask = sum(1 << n for n, x in enumerate(is_float) if x)
        ints = sum(1 << n for n, t_ in enumerate(self.m.src) if t_ not in FORMATS)
        return dict(neg=(0, 1, 2, 3, 0)[t % 5] & mask, abs_=(0, 0, 1, 2, 3)[t % 5] & mask, sext=(0, 1, 3,
                2)[t % 4] & ints)

    def sdwa_forms(self):
        m = self.m
        selects = [(6, 6, 6), (5, 4, 5), (0, 5, 1), (1, 0, 4), (2, 3, 5), (3, 2, 0), (4, 1, 6), (6, 5, 4), (4, 6, 2)]
        start = self.turn % 9
        for i in range(8):
            dst, sel0, sel1 = selects[(start + i) % 9]
            unused = (0, 2, 1)[(self.turn + i) % 3]
            more = self.source_modifiers()
            if m.float_result and "f32" in m.src and i % 3:
                sel0, sel1 = 6, 6               # most vectors without the doubt about bytes of a binary32
            if i >= 6:
                if m.clamp in ("float", "int"):
                    more["clamp"] = 1
                if self.gen >= 9 and m.float_result and m.omod and i == 7:
                    more["omod"] = 1 + self.turn % 3
            operands, regs = {}, {}
            if self.gen >= 9 and i in (2, 5):
                n = (i == 5) * (self.n - 1)
                operands, regs = {n: 14}, {14: self.scalar_value(n) | (0x81A50000 if bits_of(m.src[n]) == 16 else 0)}
            name = f"dst{dst}.{unused}-src{sel0}" + (f".{sel1}" if self.n > 1 else "")
            self.emit(name, "sdwa", dst_sel=dst, dst_unused=unused, sel0=sel0, sel1=sel1, operands=operands, regs=regs,
                      old=True, execute=FULL if i % 4 else EXECS[self.turn % 8],
                      mode=0x100 if more.get("omod") else None, **more)

    def dpp_forms(self):
        for i in range(8):
            ctrl = DPP_CTRLS[self.turn % len(DPP_CTRLS)]
            more = self.source_modifiers()
            del more["sext"]
            bank, row = (15, 15, 5, 15)[i % 4], (15, 15, 15, 10)[i % 4]
            self.emit(f"{ctrl:x}-{row:x}.{bank:x}", "dpp", ctrl=ctrl, row_mask=row, bank_mask=bank,
                      bound_ctrl=(i ^ i >> 1) & 1,
                      execute=EXECS[self.turn % 8] if i in (3, 6) else FULL, alias="d0" if i == 5 else None,
                      old=i != 5 or None, **more)
