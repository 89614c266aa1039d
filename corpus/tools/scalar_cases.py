"""Cases of the scalar ALU, scalar compares and register moves (SOP1, SOP2, SOPC, SOPK)."""

import random

import gcnasm as asm
from gcnmodel import EXEC, VCC
from vectorlib import (BASES, COUNTS, EDGES32, EDGES64, INT64_MIN, INT_MAX, INT_MIN, Const, Lit,
                       Reg, literal_of, pair, place, show, specials)

SENTINEL = 0xDEADBEEF
SENTINEL64 = 0xDEADBEEFCAFEF00D

# (SDST, SSRC0, SSRC1): even, apart, all over the file.
REGISTERS = [(2, 4, 6), (0, 8, 10), (100, 98, 96), (20, 50, 80), (62, 64, 66), (94, 2, 0)]

MIX32 = [0x12345678, 0xFEDCBA98, 0x0000FFFF, 0xFFFF0000, 0x55555555, 0x80000001]
MIX64 = [0x123456789ABCDEF0, 0xFEDCBA9876543210, 0x00000001_80000000, 0x80000000_7FFFFFFF]


def edges(width):
    return EDGES64 if width == 64 else EDGES32


def mixes(width):
    return MIX64 if width == 64 else MIX32


def bfe_selectors(width):
    """S1 of a bit field extract: every odd width, and rubbish in the ignored bits."""
    offsets = [0, 1, 16, width - 1]
    lengths = [0, 1, 31, 32, 33, 64, 127]
    out = [off | length << 16 for length in lengths for off in offsets]
    ignored = ~(width - 1 | 0x7F << 16) & 0xFFFFFFFF
    return out + [8 << 16 | 4 | ignored, 32 << 16 | ignored, ignored]


def source_pairs(row):
    """Value pairs (S0, S1), edge values first."""
    name, width = row.mnemonic, row.src0
    rng = random.Random(name)
    if "_bfe_" in name:
        values = [(1 << width) - 1, 1 << width - 1, 0xA5C396F1_5A3C690F >> 64 - width]
        return [(v, s) for v in values for s in bfe_selectors(width)] + [(0, 4 << 16)]
    if "_bfm_" in name:
        lengths = [0, 1, 5, 31, 32, 63, 64, 255]
        return [(a, b) for a in lengths for b in lengths]
    if name.split("_")[1] in ("lshl", "lshr", "ashr") or "bitcmp" in name or "vskip" in name:
        values = [(1 << width) - 1, 1, 1 << width - 1, mixes(width)[0]]
        return [(v, c) for v in values for c in COUNTS] + [(0, 0), (0, 1), (0, 255)]
    pairs = [(a, b) for a in edges(width) for b in edges(row.src1)]
    if width == 32:
        near = [(INT_MAX, INT_MAX - 1), (INT_MIN, INT_MIN + 1), (0xFFFFFFFE, 0xFFFFFFFF),
                (0xFFFFFFFE, 1), (0x40000000, 0x40000000), (0xC0000000, 0xBFFFFFFF),
                (0x3FFFFFFF, 0x40000000), (0xFFFF, 0x10000), (0x8000, 0xFFFF8000),
                (0x10000000, 0xF0000000), (0x12345678, 0x9ABCDEF0)]
    else:
        near = [(x, x) for x in MIX64] + [(x ^ 1, x) for x in MIX64] \
            + [(x ^ 1 << 32, x) for x in MIX64] + [(INT64_MIN + 1, INT64_MIN)]
    pairs += near
    return pairs + [(rng.getrandbits(width), rng.getrandbits(row.src1)) for _ in range(6)]


def single_sources(row):
    """Values of S0 of a SOP1 instruction, edge values first."""
    name, width = row.mnemonic, row.src0
    rng = random.Random(name)
    top = width - 1
    if "bitset" in name:
        return COUNTS + [30, 62, 100, 0x80000000, 16, 47]
    bits = [1 << n for n in (1, 7, 8, 15, 16, top - 1, top // 2)]
    full = (1 << width) - 1
    runs = [full >> n for n in (1, 2, 8, 16)] + [full ^ full >> n for n in (1, 2, 8, 16)]
    values = edges(width) + bits + [full ^ b for b in bits] + runs + mixes(width)
    values += [0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFFFF7F80 & full, 0x10, 0x80000000]
    if width == 64:
        values += [0x11111111_11111111, 0x80000000_00000001, 0x00000010_00000000,
                   0xFFFFFFFF_00000000, 0xFFFFFFFF_7FFFFFFF, 0x00000000_80000000]
    return values + [rng.getrandbits(width) for _ in range(4)]


def boolean_sources():
    """Codes 251..253 with either value: (code, label, registers, SCC)."""
    return [(251, "vccz1", {}, 0), (251, "vccz0", {VCC + 1: 0x10}, 1),
            (252, "execz1", {}, 1), (252, "execz0", {EXEC: 1}, 0),
            (253, "scc1", {}, 1), (253, "scc0", {}, 0)]


# --- SOP2 and SOPC -----------------------------------------------------------------

class TwoSources:
    """Builds the vectors of one SOP2 or SOPC row."""

    def __init__(self, writer, row):
        self.w, self.row, self.arch = writer, row, writer.arch
        self.turn = 0

    def case(self, label, s0, s1, sdst=None, scc=None, regs=None):
        """One vector; S0 and S1 are Reg, Const or Lit."""
        row, state = self.row, dict(regs or {})
        self.turn += 1
        if sdst is None:
            sdst = REGISTERS[self.turn % len(REGISTERS)][0]
        place(state, s0, row.src0)
        place(state, s1, row.src1)
        if row.dst:
            state.setdefault(sdst, SENTINEL)
            if row.dst == 64:
                state.setdefault(sdst + 1, SENTINEL)
            words = asm.sop2(self.arch, row.mnemonic, sdst, s0.code, s1.code, literal_of(s0, s1))
        else:
            words = asm.sopc(self.arch, row.mnemonic, s0.code, s1.code, literal_of(s0, s1))
        self.w.add(row.encoding.lower(), row.mnemonic, label, words, regs=state,
                   scc=self.turn & 1 if scc is None else scc,
                   pc=BASES[self.turn % len(BASES)] if self.turn % 5 == 0 else 0)

    def values(self):
        """Vectors with register operands, over the edge values."""
        both_scc = self.row.mnemonic.split("_")[1] in ("addc", "subb", "cselect")
        for i, (a, b) in enumerate(source_pairs(self.row)):
            sdst, r0, r1 = REGISTERS[i % len(REGISTERS)]
            for scc in (0, 1) if both_scc else (None,):
                suffix = "" if scc is None else f"-scc{scc}"
                self.case(f"{show(a)}-{show(b)}{suffix}", Reg(r0, a), Reg(r1, b), sdst, scc)

    def small(self, width):
        """A value of the second operand that no edge depends on."""
        return 0x00040003 if "bfe" in self.row.mnemonic and width == 32 else 5

    def literals(self):
        r = self.row
        for value in (0x80000000, 0x7FFF1234, 3):
            self.case(f"literal-src0-{show(value)}", Lit(value), Reg(6, self.small(r.src1)))
            self.case(f"literal-src1-{show(value)}", Reg(4, mixes(r.src0)[1]), Lit(value))
        for value in (0xFFFFFFF1, 0x00050002):
            self.case(f"literal-both-{show(value)}", Lit(value), Lit(value))

    def constants(self):
        r, count = self.row, 5
        signed = r.mnemonic in ("s_ashr_i64", "s_bfe_i64")
        kind0 = f"{'i' if signed else 'b'}{r.src0}"
        for code in self.w.constants.take(kind0, 46 if signed else count):
            self.case(f"inline{code}-src0", Const(code), Reg(6, self.small(r.src1)))
        for code in self.w.constants.take(f"b{r.src1}", count):
            self.case(f"inline{code}-src1", Reg(4, mixes(r.src0)[0]), Const(code))
        self.case("inline193-inline129", Const(193), Const(129))

    def special_registers(self):
        r = self.row
        for i, (code, name) in enumerate(specials(self.arch, r.src0)):
            self.case(f"src0-{name}", Reg(code, mixes(r.src0)[i % 4]), Reg(6, self.small(r.src1)))
        for i, (code, name) in enumerate(specials(self.arch, r.src1)):
            self.case(f"src1-{name}", Reg(4, mixes(r.src0)[i % 4]),
                      Reg(code, mixes(r.src1)[(i + 1) % 4]))
        if r.dst:
            for i, (code, name) in enumerate(specials(self.arch, r.dst)):
                self.case(f"dst-{name}", Reg(4, mixes(r.src0)[i % 4]),
                          Reg(6, mixes(r.src1)[(i + 2) % 4]), sdst=code)
        for i, (code, name, regs, scc) in enumerate(boolean_sources()):
            if i % 2:
                self.case(f"src1-{name}", Reg(4, mixes(r.src0)[0]), Const(code), regs=regs, scc=scc)
            else:
                self.case(f"src0-{name}", Const(code), Reg(6, 1), regs=regs, scc=scc)
        if self.arch.startswith("gcn1.4"):
            self.case("src0-shared_base", Const(235), Reg(6, 1))

    def aliasing(self):
        r = self.row
        a, b = mixes(r.src0)[1], 0x00060005 if r.src1 == 32 else MIX64[2]
        self.case("src0-is-src1", Reg(4, a), Reg(4))
        if r.src0 == 64 and r.src1 == 32:
            self.case("src1-is-src0-high", Reg(4, a), Reg(5))
        if not r.dst:
            return
        self.case("dst-is-src0", Reg(4, a), Reg(6, b), sdst=4)
        self.case("dst-is-src1", Reg(4, a), Reg(6, b), sdst=6)
        self.case("dst-is-both", Reg(4, a), Reg(4), sdst=4)
        if r.dst == 64:
            self.case("dst-overlaps-src0-odd", Reg(5, a), Reg(8, b), sdst=4)
            self.case("dst-overlaps-src1-high", Reg(8, a), Reg(5, b), sdst=4)
            if r.src1 == 32:
                self.case("dst-high-is-src1", Reg(8, a), Reg(5, b & 0xFFFFFFFF), sdst=4)

    def all(self):
        self.values()
        self.literals()
        self.constants()
        self.special_registers()
        self.aliasing()


# --- SOP1 --------------------------------------------------------------------------

class OneSource:
    """Builds the vectors of one SOP1 row of the ALU, save-exec included."""

    def __init__(self, writer, row):
        self.w, self.row, self.arch = writer, row, writer.arch
        self.turn = 0

    def case(self, label, s0, sdst=None, scc=None, regs=None, old=None):
        row, state = self.row, dict(regs or {})
        self.turn += 1
        if sdst is None:
            sdst = REGISTERS[self.turn % len(REGISTERS)][0]
        place(state, s0, row.src0)
        old = SENTINEL64 if old is None else old
        state.setdefault(sdst, old & 0xFFFFFFFF)
        if row.dst == 64:
            state.setdefault(sdst + 1, old >> 32)
        words = asm.sop1(self.arch, row.mnemonic, sdst, s0.code, literal_of(s0))
        self.w.add("sop1", row.mnemonic, label, words, regs=state,
                   scc=self.turn & 1 if scc is None else scc,
                   pc=BASES[self.turn % len(BASES)] if self.turn % 5 == 0 else 0)

    def values(self):
        both = "cmov" in self.row.mnemonic
        olds = [0, (1 << 64) - 1] if "bitset" in self.row.mnemonic else [None]
        for i, value in enumerate(single_sources(self.row)):
            sdst, r0, _ = REGISTERS[i % len(REGISTERS)]
            for scc in (0, 1) if both else (None,):
                for old in olds:
                    suffix = "" if scc is None else f"-scc{scc}"
                    suffix += "" if old is None else f"-old{old & 1}"
                    self.case(show(value) + suffix, Reg(r0, value), sdst, scc, old=old)

    def exec_values(self):
        """Vectors of save-exec instructions: S0 against EXEC."""
        values = [0, (1 << 64) - 1, 1, 1 << 63, 0x00000000_FFFFFFFF, 0xAAAAAAAA_55555555]
        for i, s in enumerate(values):
            for execute in values:
                sdst, r0, _ = REGISTERS[i % len(REGISTERS)]
                self.case(f"{show(s)}-exec_{show(execute)}", Reg(r0, s), sdst,
                          regs=pair(EXEC, execute))
        self.case("src-exec", Reg(EXEC, 0x0F0F0F0F_12345678))

    def operands(self):
        r = self.row
        execute = pair(EXEC, 0x0F0F0F0F_33CC33CC) if "exec" in r.mnemonic else {}
        for value in (0x80000000, 0x7FFF1234, 3, 0xFFFFFFFF):
            self.case(f"literal-{show(value)}", Lit(value), regs=execute)
        signed = r.mnemonic == "s_flbit_i32_i64"
        for code in self.w.constants.take(f"{'i' if signed else 'b'}{r.src0}", 46 if signed else 7):
            self.case(f"inline{code}", Const(code), regs=execute)
        for i, (code, name) in enumerate(specials(self.arch, r.src0)):
            self.case(f"src-{name}", Reg(code, mixes(r.src0)[i % 4]), regs=execute)
        for i, (code, name) in enumerate(specials(self.arch, r.dst)):
            self.case(f"dst-{name}", Reg(4, mixes(r.src0)[i % 4]), sdst=code, regs=execute, scc=1)
        for code, name, regs, scc in boolean_sources():
            self.case(f"src-{name}", Const(code), regs=execute | regs, scc=scc)
        value = mixes(r.src0)[1]
        self.case("dst-is-src", Reg(4, value), sdst=4, regs=execute)
        if r.dst == 64 and r.src0 == 64:
            self.case("dst-overlaps-src-high", Reg(4, value), sdst=5, regs=execute)
            self.case("dst-overlaps-src-low", Reg(5, value), sdst=4, regs=execute)
        if r.dst != r.src0:
            self.case("dst-and-src-half", Reg(4, value) if r.src0 == 64 else Reg(5, value),
                      sdst=5 if r.src0 == 64 else 4, regs=execute)
        if "exec" in r.mnemonic:
            self.case("src-vcc-dst-vcc", Reg(VCC, 0xFF00FF00_0F0F0F0F), sdst=VCC, regs=execute)

    def all(self):
        if "exec" in self.row.mnemonic:
            self.exec_values()
        else:
            self.values()
        self.operands()


# --- SOPK --------------------------------------------------------------------------

IMMEDIATES = [0, 1, 0xFFFF, 0x8000, 0x7FFF, 0x1234]


def sopk_alu(w, row):
    """Vectors of S_MOVK, S_CMOVK, S_CMPK_*, S_ADDK and S_MULK."""
    name = row.mnemonic
    rng = random.Random(name)
    values = EDGES32 + [0xFFFF, 0x8000, 0xFFFF8000, 0x7FFF, 0x10000 | 0x1234, 0x1234]
    cases = [(v, imm) for v in values for imm in IMMEDIATES]
    cases += [(INT_MAX - 0x7FFF, 0x7FFF), (INT_MAX - 0x7FFE, 0x7FFF), (INT_MIN + 0x8000, 0x8000),
              (INT_MIN + 0x7FFF, 0x8000), (0x10000, 0), (0xFFFF0001, 1)]
    cases += [(rng.getrandbits(32), rng.getrandbits(16)) for _ in range(6)]
    both = "cmov" in name
    for i, (value, imm) in enumerate(cases):
        sdst = REGISTERS[i % len(REGISTERS)][0]
        for scc in (0, 1) if both else (i & 1,):
            w.add("sopk", name, f"{show(value)}-imm{imm:04x}" + (f"-scc{scc}" if both else ""),
                  asm.sopk(w.arch, name, sdst, imm), regs={sdst: value}, scc=scc,
                  pc=BASES[i % len(BASES)] if i % 5 == 0 else 0)
    for i, (code, reg) in enumerate(specials(w.arch, 32)):
        w.add("sopk", name, f"sdst-{reg}", asm.sopk(w.arch, name, code, 0x9001 + i),
              regs={code: MIX32[i % 6]}, scc=1)
