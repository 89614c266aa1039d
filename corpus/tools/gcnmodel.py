#!/usr/bin/env python3
"""An executable model of the GCN instructions, independent of gcnsim's engines: scalar and
vector ALU (the latter in package gcnvalu).

It exists to say what *should* happen: the conformance vectors of corpus/vectors are
made with it, and small programs can be run on it.  It was written from the documents on
the instruction set alone (what they say is summed up in docs/refer/isa.md, what they leave open
in docs/refer/fidelity.md); nobody looked at the interpreter or the JIT while writing it, and
nobody should: two copies that inherit each other's slips prove nothing.

Every time an instruction meets a case on which the documents are silent or disagree, a
short code is added to `State.doubts`; corpus/vectors/README.md lists the codes.

Arithmetic is on Python's unbounded integers.  A register always holds an unsigned
number; `i32`/`i64` reinterpret it, `u32`/`u64` wrap it.

    python3 gcnmodel.py run FILE.bin --arch gcn1.2 [--state S.json] [--max-insts N]
                                     [--base ADDR] [--entry OFFSET]
"""

import argparse
import csv
import json
import os
import re
import sys

ARCHES = ("gcn1.0", "gcn1.1", "gcn1.2", "gcn1.4", "gcn1.4.1")

M0, VCC, EXEC = 124, 106, 126
LITERAL = 255
MASK32 = 0xFFFFFFFF
MASK64 = 0xFFFFFFFFFFFFFFFF

GPR_IDX_EN = 27         # MODE bits
VSKIP = 28
CSP = 29


# --- integers ----------------------------------------------------------------------

def u32(x):
    return x & MASK32


def u64(x):
    return x & MASK64


def sext(x, n):
    """The low n bits of x as a signed number."""
    x &= (1 << n) - 1
    return x - (1 << n) if x >> (n - 1) else x


def i32(x):
    return sext(x, 32)


def i64(x):
    return sext(x, 64)


def bit(x, n):
    return x >> n & 1


def fits_i32(x):
    return -2**31 <= x < 2**31


# --- why a run stops ---------------------------------------------------------------

class Stop(Exception):
    """Raised where a run ends.  `counted`: the instruction completed; `pc`: what PC shows."""

    def __init__(self, outcome, pc, counted, **detail):
        super().__init__(outcome)
        self.outcome, self.pc, self.counted, self.detail = outcome, pc, counted, detail


class Illegal(Exception):
    """The word is no instruction of this generation (kind as in the run contract)."""

    def __init__(self, kind, why=""):
        super().__init__(f"{kind}: {why}" if why else kind)
        self.kind = kind


class Unsupported(Exception):
    """The word may well be an instruction, but not one of the core."""


# --- state -------------------------------------------------------------------------

ZERO_LANES = [0] * 64


class State:
    """One wave.  sgpr[128] is indexed by operand code (VCC 106, M0 124, EXEC 126)."""

    __slots__ = ("sgpr", "vgpr", "scc", "mode", "trapsts", "pc", "doubts")

    def __init__(self):
        self.sgpr = [0] * 128
        self.vgpr = {}
        self.scc = self.mode = self.trapsts = self.pc = 0
        self.doubts = set()

    @classmethod
    def initial(cls, arch, pc=0):
        """The state a run starts with."""
        st = cls()
        st.write64(EXEC, MASK64)
        st.mode = 0x3F0 if arch.startswith("gcn1.4") else 0x3C0
        st.pc = pc
        return st

    def copy(self):
        other = State()
        other.sgpr = list(self.sgpr)
        other.vgpr = {n: list(lanes) for n, lanes in self.vgpr.items()}
        other.scc, other.mode, other.trapsts, other.pc = self.scc, self.mode, self.trapsts, self.pc
        return other

    def read64(self, code):
        return self.sgpr[code] | self.sgpr[code + 1] << 32

    def write64(self, code, value):
        self.sgpr[code] = value & MASK32
        self.sgpr[code + 1] = value >> 32 & MASK32

    @property
    def csp(self):
        return self.mode >> CSP & 7

    @csp.setter
    def csp(self, value):
        self.mode = self.mode & ~(7 << CSP) & MASK32 | (value & 7) << CSP

    def load(self, data):
        """Override what a JSON state names."""
        named = set()
        for code, value in data.get("sgpr", {}).items():
            self.sgpr[int(code)] = number(value) & MASK32
            named.add(int(code))
        for name, code, width in (("vcc", VCC, 2), ("exec", EXEC, 2), ("m0", M0, 1)):
            if name in data:
                if named & set(range(code, code + width)):
                    raise ValueError(f"{name} is named twice")
                value = number(data[name])
                self.sgpr[code] = value & MASK32
                if width == 2:
                    self.sgpr[code + 1] = value >> 32 & MASK32
        for n, lanes in data.get("vgpr", {}).items():
            if len(lanes) != 64:
                raise ValueError(f"v{n} needs 64 lanes")
            self.vgpr[int(n)] = [number(x) & MASK32 for x in lanes]
        self.scc = number(data.get("scc", self.scc)) & 1
        self.mode = number(data.get("mode", self.mode)) & MASK32
        self.trapsts = number(data.get("trapsts", self.trapsts)) & MASK32
        self.pc = number(data.get("pc", self.pc)) & MASK64
        return self

    def dump(self):
        """The contract's JSON form; zeros are left out only of sgpr and vgpr."""
        special = {VCC, VCC + 1, M0, EXEC, EXEC + 1}
        return {
            "sgpr": {str(c): v for c, v in enumerate(self.sgpr) if v and c not in special},
            "vgpr": {str(n): lanes for n, lanes in sorted(self.vgpr.items()) if any(lanes)},
            "vcc": hex64(self.read64(VCC)),
            "exec": hex64(self.read64(EXEC)),
            "m0": self.sgpr[M0],
            "scc": self.scc,
            "mode": self.mode,
            "trapsts": self.trapsts,
            "pc": hex64(self.pc),
        }


def number(value):
    return int(value, 0) if isinstance(value, str) else value


def hex64(value):
    return f"0x{value:x}"


# --- SOP2: f(S0, S1, SCC) -> (D, new SCC or None) ----------------------------------

SOP2 = {}


def sop2(f):
    SOP2[f.__name__] = f
    return f


@sop2
def s_add_u32(a, b, scc):
    t = a + b
    return u32(t), t >= 2**32


@sop2
def s_sub_u32(a, b, scc):
    return u32(a - b), a < b


@sop2
def s_add_i32(a, b, scc):
    """S0 + S1; SCC is the signed overflow of the exact sum."""
    r = i32(a) + i32(b)
    return u32(r), not fits_i32(r)


@sop2
def s_sub_i32(a, b, scc):
    r = i32(a) - i32(b)
    return u32(r), not fits_i32(r)


@sop2
def s_addc_u32(a, b, scc):
    t = a + b + scc
    return u32(t), t >= 2**32


@sop2
def s_subb_u32(a, b, scc):
    """S0 - S1 - SCC; SCC is the borrow: S1 + SCC, not wrapped, is above S0."""
    return u32(a - b - scc), b + scc > a


@sop2
def s_min_i32(a, b, scc):
    take0 = i32(a) < i32(b)
    return (a if take0 else b), take0


@sop2
def s_min_u32(a, b, scc):
    take0 = a < b
    return (a if take0 else b), take0


@sop2
def s_max_i32(a, b, scc):
    take0 = i32(a) > i32(b)
    return (a if take0 else b), take0


@sop2
def s_max_u32(a, b, scc):
    take0 = a > b
    return (a if take0 else b), take0


@sop2
def s_cselect_b32(a, b, scc):
    return (a if scc else b), None


@sop2
def s_cselect_b64(a, b, scc):
    return (a if scc else b), None


BITWISE = {
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "andn2": lambda a, b: a & ~b,
    "orn2": lambda a, b: a | ~b,
    "nand": lambda a, b: ~(a & b),
    "nor": lambda a, b: ~(a | b),
    "xnor": lambda a, b: ~(a ^ b),
}


def bitwise(f, width):
    """A SOP2 function: D = f(S0, S1), cut to `width` bits; SCC = D != 0."""
    mask = (1 << width) - 1

    def op(a, b, scc):
        d = f(a, b) & mask
        return d, d != 0
    return op


for _name, _f in BITWISE.items():
    SOP2[f"s_{_name}_b32"] = bitwise(_f, 32)
    SOP2[f"s_{_name}_b64"] = bitwise(_f, 64)


@sop2
def s_lshl_b32(a, b, scc):
    d = u32(a << (b & 31))
    return d, d != 0


@sop2
def s_lshl_b64(a, b, scc):
    d = u64(a << (b & 63))
    return d, d != 0


@sop2
def s_lshr_b32(a, b, scc):
    d = a >> (b & 31)
    return d, d != 0


@sop2
def s_lshr_b64(a, b, scc):
    d = a >> (b & 63)
    return d, d != 0


@sop2
def s_ashr_i32(a, b, scc):
    d = u32(i32(a) >> (b & 31))
    return d, d != 0


@sop2
def s_ashr_i64(a, b, scc):
    d = u64(i64(a) >> (b & 63))
    return d, d != 0


@sop2
def s_bfm_b32(a, b, scc):
    return u32(((1 << (a & 31)) - 1) << (b & 31)), None


@sop2
def s_bfm_b64(a, b, scc):
    return u64(((1 << (a & 63)) - 1) << (b & 63)), None


@sop2
def s_mul_i32(a, b, scc):
    return u32(a * b), None


@sop2
def s_mul_hi_u32(a, b, scc):
    return a * b >> 32, None


@sop2
def s_mul_hi_i32(a, b, scc):
    return u32(i32(a) * i32(b) >> 32), None


def bfe(width, signed):
    """Bit field extract; offset and length both come from S1."""
    def op(a, b, scc):
        off = b & (width - 1)
        n = min(b >> 16 & 0x7F, width - off)
        f = a >> off & ((1 << n) - 1)
        if signed and n:
            f = sext(f, n) & ((1 << width) - 1)
        return f, f != 0
    return op


SOP2["s_bfe_u32"] = bfe(32, False)
SOP2["s_bfe_i32"] = bfe(32, True)
SOP2["s_bfe_u64"] = bfe(64, False)
SOP2["s_bfe_i64"] = bfe(64, True)


@sop2
def s_absdiff_i32(a, b, scc):
    """D = |S0 - S1|; the difference is wrapped before its sign is looked at."""
    d = i32(a - b)
    r = u32(-d if d < 0 else d)
    return r, r != 0


def lshl_add(n):
    """D = (S0 << n) + S1; the shifted value is not cut to 32 bits before the addition, so SCC is its carry."""
    def op(a, b, scc):
        t = (a << n) + b
        return u32(t), t >= 2**32
    return op


for _n in (1, 2, 3, 4):
    SOP2[f"s_lshl{_n}_add_u32"] = lshl_add(_n)


@sop2
def s_pack_ll_b32_b16(a, b, scc):
    return a & 0xFFFF | (b & 0xFFFF) << 16, None


@sop2
def s_pack_lh_b32_b16(a, b, scc):
    return a & 0xFFFF | b >> 16 << 16, None


@sop2
def s_pack_hh_b32_b16(a, b, scc):
    return a >> 16 | b >> 16 << 16, None


# --- SOP1: f(S0, old D, SCC) -> (D or None for "not written", new SCC or None) -----

SOP1 = {}


def sop1(f):
    SOP1[f.__name__] = f
    return f


def move(s, old, scc):
    return s, None


def conditional_move(s, old, scc):
    return (s if scc else None), None


SOP1["s_mov_b32"] = SOP1["s_mov_b64"] = SOP1["s_mov_fed_b32"] = move
SOP1["s_cmov_b32"] = SOP1["s_cmov_b64"] = conditional_move


def per_width(name, f):
    """Register f(S0, width) -> D for the 32- and 64-bit form; SCC = D != 0."""
    for width in (32, 64):
        def op(s, old, scc, width=width):
            d = f(s, width)
            return d, d != 0
        SOP1[name.format(width)] = op


def per_width_quiet(name, f):
    """Registers functions as per_width does, for instructions that leave SCC alone."""
    for width in (32, 64):
        def op(s, old, scc, width=width):
            return f(s, width), None
        SOP1[name.format(width)] = op


def complement(s, width):
    return ~s & ((1 << width) - 1)


def quads(s, width):
    """A bit for each group of four bits: whether one of them is set."""
    return [i for i in range(width // 4) if s >> 4 * i & 15]


def whole_quad_mode(s, width):
    return sum(15 << 4 * i for i in quads(s, width))


def quad_mask(s, width):
    return sum(1 << i for i in quads(s, width))


def reverse(s, width):
    return int(f"{s:0{width}b}"[::-1], 2)


def lowest_set(s, width):
    """Index of the lowest set bit, -1 if there is none, as a 32-bit number."""
    return u32((s & -s).bit_length() - 1)


def leading_zeros(s, width):
    """Zeros above the highest set bit, -1 for 0, as a 32-bit number."""
    return width - s.bit_length() if s else MASK32


def sign_bits(s, width):
    """Number of leading bits equal to the sign, -1 if all are."""
    return leading_zeros(complement(s, width) if s >> (width - 1) else s, width)


per_width("s_not_b{}", complement)
per_width("s_wqm_b{}", whole_quad_mode)
per_width("s_quadmask_b{}", quad_mask)
per_width("s_bcnt0_i32_b{}", lambda s, width: complement(s, width).bit_count())
per_width("s_bcnt1_i32_b{}", lambda s, width: s.bit_count())
per_width_quiet("s_brev_b{}", reverse)
per_width_quiet("s_ff0_i32_b{}", lambda s, width: lowest_set(complement(s, width), width))
per_width_quiet("s_ff1_i32_b{}", lowest_set)
per_width_quiet("s_flbit_i32_b{}", leading_zeros)


@sop1
def s_flbit_i32(s, old, scc):
    return sign_bits(s, 32), None


@sop1
def s_flbit_i32_i64(s, old, scc):
    return sign_bits(s, 64), None


@sop1
def s_sext_i32_i8(s, old, scc):
    return u32(sext(s, 8)), None


@sop1
def s_sext_i32_i16(s, old, scc):
    return u32(sext(s, 16)), None


@sop1
def s_bitset0_b32(s, old, scc):
    return old & ~(1 << (s & 31)), None


@sop1
def s_bitset0_b64(s, old, scc):
    return old & ~(1 << (s & 63)), None


@sop1
def s_bitset1_b32(s, old, scc):
    return old | 1 << (s & 31), None


@sop1
def s_bitset1_b64(s, old, scc):
    return old | 1 << (s & 63), None


@sop1
def s_abs_i32(s, old, scc):
    """D = |S0|; the most negative number stays 0x80000000."""
    d = u32(abs(i32(s)))
    return d, d != 0


@sop1
def s_bitreplicate_b64_b32(s, old, scc):
    return sum(3 << 2 * i for i in range(32) if bit(s, i)), None


# The save-exec family: the new EXEC from S0 and the old EXEC.
EXEC_FUNCTIONS = {
    "and": lambda s, e: s & e,
    "or": lambda s, e: s | e,
    "xor": lambda s, e: s ^ e,
    "andn2": lambda s, e: s & ~e,
    "orn2": lambda s, e: s | ~e,
    "nand": lambda s, e: ~(s & e),
    "nor": lambda s, e: ~(s | e),
    "xnor": lambda s, e: ~(s ^ e),
    "andn1": lambda s, e: ~s & e,
    "orn1": lambda s, e: ~s | e,
}


# --- SOPC and S_CMPK: predicates ---------------------------------------------------

RELATIONS = {
    "eq": lambda a, b: a == b,
    "lg": lambda a, b: a != b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
}

SOPC = {
    "s_bitcmp0_b32": lambda a, b: bit(a, b & 31) == 0,
    "s_bitcmp1_b32": lambda a, b: bit(a, b & 31) == 1,
    "s_bitcmp0_b64": lambda a, b: bit(a, b & 63) == 0,
    "s_bitcmp1_b64": lambda a, b: bit(a, b & 63) == 1,
}


def signed_relation(f):
    return lambda a, b: f(i32(a), i32(b))


for _name, _f in RELATIONS.items():
    SOPC[f"s_cmp_{_name}_i32"] = signed_relation(_f)
    SOPC[f"s_cmp_{_name}_u32"] = _f
SOPC["s_cmp_eq_u64"] = RELATIONS["eq"]
SOPC["s_cmp_lg_u64"] = RELATIONS["lg"]


# --- vector compares ---------------------------------------------------------------

# A predicate is the set of relations under which it holds: less, equal, greater,
# or unordered.  Opcode 15-k is the exact negation of opcode k.
FLOAT_PREDICATES = {
    "f": "", "lt": "<", "eq": "=", "le": "<=", "gt": ">", "lg": "<>", "ge": ">=", "o": "<=>",
    "u": "u", "nge": "<u", "nlg": "=u", "ngt": "<=u", "nle": ">u", "neq": "<>u",
    "nlt": "=>u", "tru": "<=>u",
}
INT_PREDICATES = {
    "f": "", "lt": "<", "eq": "=", "le": "<=", "gt": ">", "ne": "<>", "ge": ">=", "t": "<=>",
}

MANTISSA_BITS = {16: 10, 32: 23, 64: 52}


def is_nan(bits, width):
    infinity = (1 << (width - 1)) - (1 << MANTISSA_BITS[width])
    return bits & ((1 << (width - 1)) - 1) > infinity


def is_denormal(bits, width):
    magnitude = bits & ((1 << (width - 1)) - 1)
    return 0 < magnitude < 1 << MANTISSA_BITS[width]


def float_order(bits, width, flush):
    """A key that sorts floats: sign and magnitude, so that -0 == +0."""
    magnitude = bits & ((1 << (width - 1)) - 1)
    if flush and is_denormal(bits, width):
        magnitude = 0
    return -magnitude if bit(bits, width - 1) else magnitude


def relation(a, b):
    return "<" if a < b else "=" if a == b else ">"


def float_relation(a, b, width, flush):
    if is_nan(a, width) or is_nan(b, width):
        return "u"
    return relation(float_order(a, width, flush), float_order(b, width, flush))


def float_class(bits, width):
    """0..9: sNaN qNaN -inf -normal -denormal -0 +0 +denormal +normal +inf."""
    m = MANTISSA_BITS[width]
    magnitude = bits & ((1 << (width - 1)) - 1)
    infinity = (1 << (width - 1)) - (1 << m)
    if magnitude > infinity:
        return 1 if bit(bits, m - 1) else 0
    if magnitude == infinity:
        size = 3
    elif magnitude >= 1 << m:
        size = 2
    elif magnitude:
        size = 1
    else:
        size = 0
    return 5 - size if bit(bits, width - 1) else 6 + size


# --- operands ----------------------------------------------------------------------

FLOAT_INLINE = {
    # code: (binary16, binary32, binary64)
    240: (0x3800, 0x3F000000, 0x3FE0000000000000),
    241: (0xB800, 0xBF000000, 0xBFE0000000000000),
    242: (0x3C00, 0x3F800000, 0x3FF0000000000000),
    243: (0xBC00, 0xBF800000, 0xBFF0000000000000),
    244: (0x4000, 0x40000000, 0x4000000000000000),
    245: (0xC000, 0xC0000000, 0xC000000000000000),
    246: (0x4400, 0x40800000, 0x4010000000000000),
    247: (0xC400, 0xC0800000, 0xC010000000000000),
    248: (0x3118, 0x3E22F983, 0x3FC45F306DC9C882),
}

# Operand types: bits read, and what a literal or a float constant becomes.
B32, B64, I64, F64, F32, F16, I16, CLASS16 = "b32 b64 i64 f64 f32 f16 i16 class16".split()
WIDTH = {B32: 32, F32: 32, CLASS16: 32, B64: 64, I64: 64, F64: 64, F16: 16, I16: 16}


def before(arch, other):
    return ARCHES.index(arch) < ARCHES.index(other)


def sgpr_count(arch):
    return 104 if before(arch, "gcn1.2") else 102


def reserved_register(code, arch):
    """Whether a code below 128 names nothing on this generation."""
    return code == 125 or code in (104, 105) and arch == "gcn1.0"


def is_ttmp(code, arch):
    return (112 if before(arch, "gcn1.4") else 108) <= code <= 123


def check_register(code, width, arch, doubts):
    """Refuse what is no register of this width; note an odd SGPR pair.

    TBA, TMA and TTMP are privileged on hardware: that they are plain storage here is a
    choice, and so is XNACK_MASK on the members of 1.2 that do not have it."""
    if reserved_register(code, arch):
        raise Illegal("illegal-operand", f"reserved register {code}")
    if 108 <= code <= 123:
        doubts.add("trap-register")
    if code in (104, 105) and arch == "gcn1.2":
        doubts.add("xnack-mask")
    if width == 64:
        if code == M0:
            raise Illegal("illegal-operand", "m0 is no pair")
        if code & 1:
            if code > 101 and not is_ttmp(code, arch):
                raise Illegal("illegal-operand", f"odd special pair {code}")
            doubts.add("odd-sgpr-pair")


def inline_value(code, kind, arch, doubts):
    """The value of a constant source code, or None if the code is no constant."""
    width = WIDTH[kind]
    if 128 <= code <= 208:
        value = code - 128 if code <= 192 else 192 - code
        return value & ((1 << width) - 1)
    if code in FLOAT_INLINE:
        if code == 248 and before(arch, "gcn1.2"):
            raise Illegal("illegal-operand", "1/(2*pi) before gcn1.2")
        half, single, double = FLOAT_INLINE[code]
        if kind == I16:
            doubts.add("i16-float-inline")
            return single & 0xFFFF
        if kind == CLASS16:
            if code == 248:
                doubts.add("class-f16-inline")
            return half
        return {16: half, 32: single, 64: double}[width]
    if 235 <= code <= 239 and not before(arch, "gcn1.4"):
        doubts.add("aperture-read")
        return 0
    return None


def literal_value(literal, kind, arch, doubts):
    if WIDTH[kind] == 64 and before(arch, "gcn1.4"):
        doubts.add("literal-64")
    if kind == I64:
        return u64(i32(literal))
    if kind == F64:
        return literal << 32
    if WIDTH[kind] == 16:
        return literal & 0xFFFF
    return literal


def scalar_reader(code, kind, arch, literal, doubts):
    """A function of the state that reads the scalar source `code` as `kind`."""
    wide = WIDTH[kind] == 64
    if code < 128:
        check_register(code, WIDTH[kind], arch, doubts)
        if wide:
            return lambda st: st.sgpr[code] | st.sgpr[code + 1] << 32
        if WIDTH[kind] == 16:
            return lambda st: st.sgpr[code] & 0xFFFF
        return lambda st: st.sgpr[code]
    if code == LITERAL:
        if literal is None:
            raise Illegal("illegal-operand", "literal not possible here")
        value = literal_value(literal, kind, arch, doubts)
        return lambda st: value
    if 251 <= code <= 253:
        doubts.add("bool-source")
        if code == 251:
            return lambda st: int(st.read64(VCC) == 0)
        if code == 252:
            return lambda st: int(st.read64(EXEC) == 0)
        return lambda st: st.scc
    value = inline_value(code, kind, arch, doubts)
    if value is None:
        raise Illegal("illegal-operand", f"reserved source {code}")
    return lambda st: value


def scalar_writer(code, width, arch, doubts):
    check_register(code, width, arch, doubts)
    if width == 64:
        return lambda st, value: st.write64(code, value)

    def write(st, value):
        st.sgpr[code] = value
    return write


def lane_reader(code, kind, arch, literal, doubts, index_bit):
    """A function of the state that gives the 64 lane values of a vector-compare source.

    `index_bit` is the M0 bit that switches GPR indexing on for this source."""
    if code < 256:
        if code in (249, 250):
            raise Illegal("illegal-operand", "SDWA or DPP marker out of place")
        scalar = scalar_reader(code, kind, arch, literal, doubts)
        return lambda st: [scalar(st)] * 64
    first = code - 256
    wide = WIDTH[kind] == 64
    if wide and first == 255:
        raise Illegal("illegal-operand", "v[255:256]")
    indexing = not before(arch, "gcn1.2")
    last = 254 if wide else 255

    def read(st):
        n = first
        if indexing and bit(st.mode, GPR_IDX_EN) and bit(st.sgpr[M0], index_bit):
            n += st.sgpr[M0] & 0xFF
            if n > last:
                st.doubts.add("gpr-idx-range")
                n = 0
        low = st.vgpr.get(n, ZERO_LANES)
        if wide:
            return [x | y << 32 for x, y in zip(low, st.vgpr.get(n + 1, ZERO_LANES))]
        if WIDTH[kind] == 16:
            return [x & 0xFFFF for x in low]
        return low
    return read


# --- opcode tables -----------------------------------------------------------------

class Row:
    """One line of core_opcodes.csv: widths are in bits, 0 when there is no operand."""

    def __init__(self, line):
        self.encoding, self.mnemonic = line["encoding"], line["mnemonic"]
        self.opcode = {arch: int(line[arch]) for arch in ARCHES if line[arch]}
        self.dst, self.src0, self.src1 = (int(line[k] or 0) for k in
                                          ("dst_width", "src0_width", "src1_width"))


def load_rows():
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "core_opcodes.csv")
    with open(path, newline="") as f:
        return [Row(line) for line in csv.DictReader(f)]


ROWS = load_rows()
OPCODES = {(r.encoding, arch, op): r for r in ROWS for arch, op in r.opcode.items()}
BY_NAME = {r.mnemonic: r for r in ROWS}
UNKNOWN = {"s_mov_regrd_b32", "s_getreg_regrd_b32"}

# 64-bit sources whose literal is sign-extended.
SIGNED_SOURCE = {"s_ashr_i64", "s_bfe_i64", "s_flbit_i32_i64"}


def lookup(encoding, arch, opcode):
    row = OPCODES.get((encoding, arch, opcode))
    if row is None:
        raise Illegal("illegal-instruction", f"{encoding} opcode {opcode}")
    if row.mnemonic in UNKNOWN:
        raise Unsupported(row.mnemonic)
    return row


class Inst:
    """A decoded instruction: `step(state)` executes it and returns the next PC."""

    __slots__ = ("mnemonic", "encoding", "pc", "length", "step", "doubts")

    def __init__(self, mnemonic, encoding, pc, length, step, doubts):
        self.mnemonic, self.encoding = mnemonic, encoding
        self.pc, self.length, self.doubts = pc, length, frozenset(doubts)
        self.step = step if not doubts else self._with_doubts(step, self.doubts)

    @staticmethod
    def _with_doubts(step, doubts):
        def noted(st):
            st.doubts |= doubts
            return step(st)
        return noted


def source_kind(row, width):
    if width != 64:
        return B32
    return I64 if row.mnemonic in SIGNED_SOURCE else B64


# --- control flow helpers ----------------------------------------------------------

def jump_target(st, address):
    """The target of a jump, without its two low bits; notes what the documents leave open."""
    if address & 3:
        st.doubts.add("pc-low-bits")
    if address >> 48:
        st.doubts.add("pc-high-bits")
    return address & ~3


def relative(nxt, simm16):
    """next + 4 * sext(SIMM16)."""
    return u64(nxt + 4 * sext(simm16, 16))


def fork(st, mask, target, nxt):
    """S_CBRANCH_G_FORK and _I_FORK: the smaller side runs first."""
    execute = st.read64(EXEC)
    passing, failing = mask & execute, ~mask & execute
    if passing == execute:
        return target
    if failing == execute:
        return nxt
    if failing.bit_count() < passing.bit_count():
        push(st, passing, target)
        st.write64(EXEC, failing)
        return nxt
    push(st, failing, nxt)
    st.write64(EXEC, passing)
    return target


def push(st, mask, address):
    if st.csp == 7:
        st.doubts.add("csp-wrap")
    st.write64(4 * st.csp, mask)
    st.write64(4 * st.csp + 2, address)
    st.csp += 1


def join(st, wanted, nxt):
    """S_CBRANCH_JOIN; all 32 bits of S0 take part in the comparison."""
    if st.csp == wanted:
        return nxt
    if st.csp == 0:
        st.doubts.add("csp-wrap")
    st.csp -= 1
    st.write64(EXEC, st.read64(4 * st.csp))
    return jump_target(st, st.read64(4 * st.csp + 2))


# --- hardware registers ------------------------------------------------------------

MODE_ID, STATUS_ID, TRAPSTS_ID, PC_LO_ID, PC_HI_ID = 1, 2, 3, 8, 9


def split_hwreg(simm16):
    """The fields of SIMM16 that name bits of a hardware register: (id, offset, size)."""
    return simm16 & 63, simm16 >> 6 & 31, (simm16 >> 11 & 31) + 1


def hwreg_doubts(simm16, arch, writing, doubts):
    number_, offset, size = split_hwreg(simm16)
    if offset + size > 32:
        doubts.add("hwreg-overrun")
    field = (1 << size) - 1 << offset & MASK32
    if number_ == MODE_ID:
        if field & ~(0x3FF if writing else 0xF80003FF):
            doubts.add("mode-bits")             # what the other bits hold is likely
    elif number_ == STATUS_ID:
        if writing or field & ~0x601:
            doubts.add("status-bits")           # all but SCC, EXECZ, VCCZ are our choice
    elif number_ == TRAPSTS_ID:
        if writing and field & ~0x7F:
            doubts.add("trapsts-bits")
    elif number_ in (PC_LO_ID, PC_HI_ID):
        doubts.add("hwreg-pc")
    elif 10 <= number_ <= 13:
        doubts.add("hwreg-debug")
    elif 4 <= number_ <= 7 or number_ == 15 and not before(arch, "gcn1.4"):
        doubts.add("hwreg-constant")
    else:
        doubts.add("hwreg-unknown")


def read_hwreg(st, number_, nxt):
    if number_ == MODE_ID:
        return st.mode
    if number_ == STATUS_ID:
        return st.scc | (st.read64(EXEC) == 0) << 9 | (st.read64(VCC) == 0) << 10
    if number_ == TRAPSTS_ID:
        return st.trapsts
    if number_ == PC_LO_ID:
        return u32(nxt)
    if number_ == PC_HI_ID:
        return nxt >> 32
    return 0


def getreg(st, simm16, nxt):
    number_, offset, size = split_hwreg(simm16)
    return read_hwreg(st, number_, nxt) >> offset & ((1 << size) - 1)


def setreg(st, simm16, value):
    number_, offset, size = split_hwreg(simm16)
    mask = (1 << size) - 1

    def insert(old):
        return u32(old & ~(mask << offset) | (value & mask) << offset)
    if number_ == MODE_ID:
        st.mode = insert(st.mode)
    elif number_ == TRAPSTS_ID:
        st.trapsts = insert(st.trapsts)


# --- relative moves ----------------------------------------------------------------

def movrel_index(st, code, width, arch):
    """SGPR number code + M0, or None when that is out of range."""
    m0 = st.sgpr[M0]
    index = u32(code + m0)
    count = sgpr_count(arch)
    if code >= count:                       # a special register is only itself
        if m0 == 0:
            st.doubts.add("movrel-special")
            return index
    elif width == 32 and index < count:
        return index
    elif width == 64 and index + 1 < count and index % 2 == 0:
        return index
    st.doubts.add("movrel-range")
    return None


# --- decoding ----------------------------------------------------------------------

# Data-dependent doubts of scalar ALU instructions: f(S0, S1) -> does the case arise?
OPERAND_DOUBTS = {
    "s_max_i32": ("smax-equal-scc", lambda a, b: a == b),
    "s_max_u32": ("smax-equal-scc", lambda a, b: a == b),
    "s_bfe_u32": ("bfe-wide", lambda a, b: b >> 16 & 0x7F > 32),
    "s_bfe_i32": ("bfe-wide", lambda a, b: b >> 16 & 0x7F > 32),
    "s_bfe_u64": ("bfe-wide", lambda a, b: b >> 16 & 0x7F > 64),
    "s_bfe_i64": ("bfe-wide", lambda a, b: b >> 16 & 0x7F > 64),
    "s_absdiff_i32": ("absdiff-wrap", lambda a, b: not fits_i32(i32(a) - i32(b))),
}


class Decoder:
    """Decodes one instruction at a time.  `fetch(address)` gives a dword or None."""

    def __init__(self, arch, fetch):
        if arch not in ARCHES:
            raise ValueError(f"unknown arch {arch}")
        self.arch, self.fetch = arch, fetch

    def decode(self, pc):
        word = self.fetch(pc)
        if word >> 23 == 0x17D:
            return self.sop1(pc, word)
        if word >> 23 == 0x17E:
            return self.sopc(pc, word)
        if word >> 23 == 0x17F:
            return self.sopp(pc, word)
        if word >> 28 == 0xB:
            return self.sopk(pc, word)
        if word >> 30 == 2:
            return self.sop2(pc, word)
        if word >> 25 == 0x3E:
            return self.vopc(pc, word)
        if word >> 26 == 0x34:
            return self.vop3(pc, word)
        if word >> 31 == 0:
            return self.vector(pc, word)
        raise Unsupported(f"not a core encoding: {word:08x}")

    def second_dword(self, pc):
        word = self.fetch(pc + 4)
        if word is None:
            raise Illegal("truncated")
        return word

    def sources(self, pc, used):
        """The literal dword, if one of the used fields is 255, and the address after."""
        if LITERAL in used:
            return self.second_dword(pc), pc + 8
        return None, pc + 4

    # SOP1

    def sop1(self, pc, word):
        row = lookup("SOP1", self.arch, word >> 8 & 0xFF)
        sdst, ssrc0 = word >> 16 & 0x7F, word & 0xFF
        name, arch, doubts = row.mnemonic, self.arch, set()
        if name.startswith("s_movrels") and ssrc0 >= 128:
            raise Illegal("illegal-operand", "movrels needs a register")
        literal, nxt = self.sources(pc, [ssrc0] if row.src0 else [])
        read = write = None
        if row.src0:
            read = scalar_reader(ssrc0, source_kind(row, row.src0), arch, literal, doubts)
        if row.dst:
            write = scalar_writer(sdst, row.dst, arch, doubts)
        step = self.sop1_step(row, pc, nxt, sdst, ssrc0, read, write, doubts)
        return Inst(name, "SOP1", pc, nxt - pc, step, doubts)

    def sop1_step(self, row, pc, nxt, sdst, ssrc0, read, write, doubts):
        name, arch = row.mnemonic, self.arch
        if name in SOP1:
            if name == "s_mov_fed_b32":
                doubts.add("mov-fed")
            return sop1_alu(SOP1[name], sdst, row.dst, read, write, nxt)
        if name.endswith("_saveexec_b64"):
            if sdst == EXEC:
                doubts.add("saveexec-sdst-exec")
            return saveexec(EXEC_FUNCTIONS[name.split("_")[1]], read, write, nxt)
        if name.endswith("_wrexec_b64"):
            if sdst == EXEC:
                doubts.add("saveexec-sdst-exec")
            return wrexec(EXEC_FUNCTIONS[name.split("_")[1]], read, write, nxt)
        if name == "s_getpc_b64":
            def step(st):
                write(st, nxt)
                return nxt
        elif name == "s_setpc_b64":
            def step(st):
                return jump_target(st, read(st))
        elif name == "s_swappc_b64":
            def step(st):
                target = read(st)
                write(st, nxt)
                return jump_target(st, target)
        elif name == "s_rfe_b64":
            doubts.add("rfe-outside-trap")

            def step(st):
                return jump_target(st, read(st))
        elif name == "s_cbranch_join":
            def step(st):
                return join(st, read(st), nxt)
        elif name == "s_set_gpr_idx_idx":
            def step(st):
                st.sgpr[M0] = st.sgpr[M0] & ~0xFF | read(st) & 0xFF
                return nxt
        elif name.startswith("s_movrels"):
            def step(st):
                index = movrel_index(st, ssrc0, row.dst, arch)
                index = 0 if index is None else index
                write(st, st.sgpr[index] if row.dst == 32 else st.read64(index))
                return nxt
        elif name.startswith("s_movreld"):
            def step(st):
                index = movrel_index(st, sdst, row.dst, arch)
                value = read(st)
                if index is not None:
                    st.sgpr[index] = u32(value)
                    if row.dst == 64:
                        st.sgpr[index + 1] = value >> 32
                return nxt
        else:
            raise AssertionError(name)
        return step

    # SOP2

    def sop2(self, pc, word):
        row = lookup("SOP2", self.arch, word >> 23 & 0x7F)
        sdst, ssrc1, ssrc0 = word >> 16 & 0x7F, word >> 8 & 0xFF, word & 0xFF
        name, arch, doubts = row.mnemonic, self.arch, set()
        if name == "s_cbranch_g_fork" and max(ssrc0, ssrc1) >= 128:
            raise Illegal("illegal-operand", "fork needs registers")
        literal, nxt = self.sources(pc, [ssrc0, ssrc1])
        read0 = scalar_reader(ssrc0, source_kind(row, row.src0), arch, literal, doubts)
        read1 = scalar_reader(ssrc1, source_kind(row, row.src1), arch, literal, doubts)
        if name == "s_cbranch_g_fork":
            def step(st):
                return fork(st, read0(st), jump_target(st, read1(st)), nxt)
        elif name == "s_rfe_restore_b64":
            doubts.add("rfe-outside-trap")

            def step(st):
                return jump_target(st, read0(st))
        else:
            if name == "s_sub_i32" and arch == "gcn1.0":
                doubts.add("sub-i32-scc")
            write = scalar_writer(sdst, row.dst, arch, doubts)
            step = sop2_alu(SOP2[name], read0, read1, write, nxt, OPERAND_DOUBTS.get(name))
        return Inst(name, "SOP2", pc, nxt - pc, step, doubts)

    # SOPC

    def sopc(self, pc, word):
        row = lookup("SOPC", self.arch, word >> 16 & 0x7F)
        ssrc1, ssrc0 = word >> 8 & 0xFF, word & 0xFF
        name, arch, doubts = row.mnemonic, self.arch, set()
        idx_on = name == "s_set_gpr_idx_on"         # its SSRC1 field is a plain number
        literal, nxt = self.sources(pc, [ssrc0] if idx_on else [ssrc0, ssrc1])
        read0 = scalar_reader(ssrc0, source_kind(row, row.src0), arch, literal, doubts)
        if idx_on:
            def step(st):
                index = read0(st) & 0xFF
                st.sgpr[M0] = st.sgpr[M0] & ~0xF0FF | (ssrc1 & 15) << 12 | index
                st.mode |= 1 << GPR_IDX_EN
                return nxt
            return Inst(name, "SOPC", pc, nxt - pc, step, doubts)
        read1 = scalar_reader(ssrc1, source_kind(row, row.src1), arch, literal, doubts)
        if name == "s_setvskip":
            doubts.add("vskip-bit")

            def step(st):
                skip = bit(read0(st), read1(st) & 31)
                st.mode = st.mode & ~(1 << VSKIP) | skip << VSKIP
                return nxt
        else:
            test = SOPC[name]

            def step(st):
                st.scc = int(test(read0(st), read1(st)))
                return nxt
        return Inst(name, "SOPC", pc, nxt - pc, step, doubts)

    # SOPK

    def sopk(self, pc, word):
        row = lookup("SOPK", self.arch, word >> 23 & 0x1F)
        sdst, simm16 = word >> 16 & 0x7F, word & 0xFFFF
        name, arch, doubts = row.mnemonic, self.arch, set()
        if name == "s_setreg_imm32_b32":            # SDST field unused
            value, nxt = self.second_dword(pc), pc + 8
            hwreg_doubts(simm16, arch, True, doubts)

            def step(st):
                setreg(st, simm16, value)
                return nxt
            return Inst(name, "SOPK", pc, 8, step, doubts)
        nxt = pc + 4
        check_register(sdst, row.dst or row.src0, arch, doubts)
        step = self.sopk_step(name, sdst, simm16, nxt, doubts)
        return Inst(name, "SOPK", pc, 4, step, doubts)

    def sopk_step(self, name, sdst, simm16, nxt, doubts):
        signed = sext(simm16, 16)
        if name.startswith("s_cmpk_"):
            test = RELATIONS[name.split("_")[2]]
            if name.endswith("_i32"):
                def step(st):
                    st.scc = int(test(i32(st.sgpr[sdst]), signed))
                    return nxt
            else:                                   # zero-extended in all six
                def step(st):
                    st.scc = int(test(st.sgpr[sdst], simm16))
                    return nxt
        elif name == "s_movk_i32":
            def step(st):
                st.sgpr[sdst] = u32(signed)
                return nxt
        elif name == "s_cmovk_i32":
            def step(st):
                if st.scc:
                    st.sgpr[sdst] = u32(signed)
                return nxt
        elif name == "s_addk_i32":
            def step(st):
                r = i32(st.sgpr[sdst]) + signed
                st.sgpr[sdst] = u32(r)
                st.scc = int(not fits_i32(r))
                return nxt
        elif name == "s_mulk_i32":
            def step(st):
                st.sgpr[sdst] = u32(st.sgpr[sdst] * signed)
                return nxt
        elif name == "s_cbranch_i_fork":
            target = relative(nxt, simm16)

            def step(st):
                return fork(st, st.read64(sdst), target, nxt)
        elif name == "s_call_b64":
            target = relative(nxt, simm16)

            def step(st):
                st.write64(sdst, nxt)
                return target
        elif name == "s_getreg_b32":
            hwreg_doubts(simm16, self.arch, False, doubts)

            def step(st):
                st.sgpr[sdst] = getreg(st, simm16, nxt)
                return nxt
        elif name == "s_setreg_b32":
            hwreg_doubts(simm16, self.arch, True, doubts)

            def step(st):
                setreg(st, simm16, st.sgpr[sdst])
                return nxt
        else:
            raise AssertionError(name)
        return step

    # SOPP

    def sopp(self, pc, word):
        row = lookup("SOPP", self.arch, word >> 16 & 0x7F)
        simm16, name, doubts = word & 0xFFFF, row.mnemonic, set()
        nxt = pc + 4
        step = sopp_step(name, simm16, pc, nxt, doubts)
        return Inst(name, "SOPP", pc, 4, step, doubts)

    # VOPC and the compares of VOP3

    def vopc(self, pc, word):
        row = lookup("VOPC", self.arch, word >> 17 & 0xFF)
        src0, vsrc1 = word & 0x1FF, word >> 9 & 0xFF
        if src0 in (249, 250) and not before(self.arch, "gcn1.2"):
            from gcnvalu import forms, machine
            doubts = set()
            op = forms.compare(self.arch, row, word, self.second_dword(pc))
            return self.on_wave(pc, op, machine.CompareMachine(op, doubts), doubts)
        literal, nxt = self.sources(pc, [src0])
        doubts = set()
        compare = Compare(row, self.arch, doubts)
        compare.operands(src0, vsrc1 + 256, literal)
        return Inst(row.mnemonic, "VOPC", pc, nxt - pc, compare.step(VCC, nxt), doubts)

    def vop3(self, pc, word):
        old = before(self.arch, "gcn1.2")
        opcode = word >> 17 & 0x1FF if old else word >> 16 & 0x3FF
        if opcode > 255 or word >> 23 == 0x1A7 and not before(self.arch, "gcn1.4"):
            return self.vector(pc, word)
        row = lookup("VOPC", self.arch, opcode)
        high, nxt = self.second_dword(pc), pc + 8
        sdst, clamp = word & 0xFF, bit(word, 11 if old else 15)
        abs_, neg = word >> 8 & 7, high >> 29
        src0, src1, src2, omod = high & 0x1FF, high >> 9 & 0x1FF, high >> 18 & 0x1FF, high >> 27 & 3
        doubts = set()
        compare = Compare(row, self.arch, doubts)
        if sdst > 127 or src2 or omod or bit(abs_, 2) or bit(neg, 2):
            raise Illegal("illegal-operand", "field that a compare does not have")
        if not compare.is_float and (abs_ or neg or clamp):
            raise Illegal("illegal-operand", "modifier on an integer compare")
        if not old and word >> 11 & 15:
            doubts.add("opsel-ignored")
        check_register(sdst, 64, self.arch, doubts)
        if sdst == EXEC:
            doubts.add("vcmp-sdst-exec")
        compare.operands(src0, src1, None, abs_, neg)
        return Inst(row.mnemonic, "VOP3", pc, 8, compare.step(sdst, nxt), doubts)


    # VOP1, VOP2, VOP3 and VOP3P: package gcnvalu

    def vector(self, pc, word):
        from gcnvalu import forms, machine
        doubts = set()
        op = forms.decode(self.arch, word, lambda: self.second_dword(pc))
        return self.on_wave(pc, op, machine.Machine(op, doubts), doubts)

    def on_wave(self, pc, op, wave, doubts):
        nxt = pc + op.length

        def step(st):
            wave.step(st)
            return nxt
        return Inst(op.row.mnemonic, op.row.encoding, pc, op.length, step, doubts)


# --- steps of the regular groups ---------------------------------------------------

def sop1_alu(op, sdst, width, read, write, nxt):
    """All sources, the old SDST included, are read before SDST is written."""
    def step(st):
        old = st.sgpr[sdst] if width == 32 else st.read64(sdst)
        d, scc = op(read(st), old, st.scc)
        if d is not None:
            write(st, d)
        if scc is not None:
            st.scc = int(scc)
        return nxt
    return step


def sop2_alu(op, read0, read1, write, nxt, doubt):
    def step(st):
        a, b = read0(st), read1(st)
        if doubt and doubt[1](a, b):
            st.doubts.add(doubt[0])
        d, scc = op(a, b, st.scc)
        write(st, d)
        if scc is not None:
            st.scc = int(scc)
        return nxt
    return step


def saveexec(f, read, write, nxt):
    """EXEC = f(S0, EXEC); SDST = old EXEC, written last."""
    def step(st):
        old = st.read64(EXEC)
        new = u64(f(read(st), old))
        st.write64(EXEC, new)
        write(st, old)
        st.scc = int(new != 0)
        return nxt
    return step


def wrexec(f, read, write, nxt):
    """EXEC = f(S0, EXEC); SDST = new EXEC."""
    def step(st):
        new = u64(f(read(st), st.read64(EXEC)))
        st.write64(EXEC, new)
        write(st, new)
        st.scc = int(new != 0)
        return nxt
    return step


BRANCHES = {
    "s_branch": lambda st: True,
    "s_cbranch_scc0": lambda st: st.scc == 0,
    "s_cbranch_scc1": lambda st: st.scc == 1,
    "s_cbranch_vccz": lambda st: st.read64(VCC) == 0,
    "s_cbranch_vccnz": lambda st: st.read64(VCC) != 0,
    "s_cbranch_execz": lambda st: st.read64(EXEC) == 0,
    "s_cbranch_execnz": lambda st: st.read64(EXEC) != 0,
    # STATUS.COND_DBG_*: 0 unless a debugger set them, so never taken.
    "s_cbranch_cdbgsys": lambda st: False,
    "s_cbranch_cdbguser": lambda st: False,
    "s_cbranch_cdbgsys_or_user": lambda st: False,
    "s_cbranch_cdbgsys_and_user": lambda st: False,
}

ENDINGS = {"s_endpgm", "s_endpgm_saved", "s_endpgm_ordered_ps_done"}

NO_EFFECT = {
    "s_nop", "s_wakeup", "s_barrier", "s_setkill", "s_waitcnt", "s_sleep", "s_setprio",
    "s_sendmsg", "s_icache_inv", "s_incperflevel", "s_decperflevel", "s_ttracedata",
}


def sopp_step(name, simm16, pc, nxt, doubts):
    """The step function of a SOPP instruction."""
    if name in BRANCHES:
        taken, target = BRANCHES[name], relative(nxt, simm16)
        if "cdbg" in name:
            doubts.add("cdbg-branch")

        def step(st):
            return target if taken(st) else nxt
    elif name in ENDINGS:
        def step(st):
            raise Stop("ended", pc, counted=True)
    elif name == "s_trap" and simm16 & 0xff == 3:
        doubts.add("debug-trap")

        def step(st):
            return nxt
    elif name == "s_trap":
        doubts.add("trap")

        def step(st):
            raise Stop("trap", pc, counted=False)
    elif name == "s_sendmsghalt" or name == "s_sethalt" and simm16 & 1:
        if name == "s_sethalt":
            doubts.add("sethalt")

        def step(st):
            raise Stop("halted", nxt, counted=True)
    elif name == "s_set_gpr_idx_off":
        def step(st):
            st.mode &= ~(1 << GPR_IDX_EN)
            return nxt
    elif name == "s_set_gpr_idx_mode":
        def step(st):
            st.sgpr[M0] = st.sgpr[M0] & ~0xF000 | (simm16 & 15) << 12
            return nxt
    elif name in NO_EFFECT or name == "s_sethalt":
        if name in ("s_setkill", "s_sethalt"):
            doubts.add(name[2:])

        def step(st):
            return nxt
    else:
        raise AssertionError(name)
    return step


COMPARE_NAME = re.compile(r"v_cmps?(x?)_(class|[a-z]+)_([fiu])(16|32|64)$")


class Compare:
    """A vector compare: V_CMP*, V_CMPX*, V_CMPS*, V_CMPSX* and the CLASS forms."""

    def __init__(self, row, arch, doubts):
        x, self.op, letter, width = COMPARE_NAME.match(row.mnemonic).groups()
        self.writes_exec = x == "x"
        self.letter, self.width = letter, int(width)
        self.is_float = letter == "f"
        self.is_class = self.op == "class"
        self.arch, self.doubts = arch, doubts

    def kinds(self):
        """Operand types of SRC0 and SRC1."""
        if self.is_float:
            kind = {16: F16, 32: F32, 64: F64}[self.width]
        elif self.width == 64:
            kind = I64 if self.letter == "i" else B64
        else:
            kind = {16: I16, 32: B32}[self.width]
        if self.is_class:                       # S1 is a 32-bit class mask in all forms
            return kind, CLASS16 if self.width == 16 else B32
        return kind, kind

    def operands(self, src0, src1, literal, abs_=0, neg=0):
        kind0, kind1 = self.kinds()
        if src0 == 254 and WIDTH[kind0] != 64:
            raise Unsupported("LDS_DIRECT")
        self.read0 = self.modified(
            lane_reader(src0, kind0, self.arch, literal, self.doubts, 12), abs_ & 1, neg & 1)
        read1 = lane_reader(src1, kind1, self.arch, literal, self.doubts, 13)
        if self.is_class:                       # an integer mask: no modifier reaches it
            if (abs_ | neg) >> 1:
                self.doubts.add("class-src1-modifier")
            self.read1 = read1
        else:
            self.read1 = self.modified(read1, abs_ >> 1 & 1, neg >> 1 & 1)

    def modified(self, read, abs_, neg):
        """ABS clears the sign bit, then NEG flips it, NaNs included."""
        sign = 1 << (self.width - 1)
        if abs_:
            plain = read

            def read(st):
                return [x & ~sign for x in plain(st)]
        if neg:
            unnegated = read

            def read(st):
                return [x ^ sign for x in unnegated(st)]
        return read

    def flushes(self, mode):
        """Whether denormal sources count as zero: bit 0 of their FP_DENORM field is 0."""
        return not bit(mode, 4 if self.width == 32 else 6)

    def test(self, a, b, flush):
        if self.is_class:
            return bool(b >> float_class(a, self.width) & 1)
        if self.is_float:
            return float_relation(a, b, self.width, flush) in FLOAT_PREDICATES[self.op]
        if self.letter == "i":
            a, b = sext(a, self.width), sext(b, self.width)
        return relation(a, b) in INT_PREDICATES[self.op]

    def result(self, a, b, execute, flush):
        """The result mask; the bits of inactive lanes are 0."""
        return sum(1 << lane for lane in range(64)
                   if bit(execute, lane) and self.test(a[lane], b[lane], flush))

    def step(self, sdst, nxt):
        def step(st):
            if bit(st.mode, VSKIP):
                st.doubts.add("vskip-bit")
                return nxt
            execute = st.read64(EXEC)
            if execute == 0:
                st.doubts.add("vcmp-exec-zero")
            a, b = self.read0(st), self.read1(st)
            flush = self.is_float and not self.is_class and self.flushes(st.mode)
            r = self.result(a, b, execute, flush)
            if flush and "cmp-denorm-flush" not in st.doubts \
                    and r != self.result(a, b, execute, False):
                st.doubts.add("cmp-denorm-flush")
            st.write64(sdst, r)
            if self.writes_exec:
                st.write64(EXEC, r)
            return nxt
        return step


# --- programs ----------------------------------------------------------------------

class Program:
    """Words at a base address, decoded as they are reached."""

    def __init__(self, words, arch, base=0):
        self.words, self.arch, self.base = words, arch, base
        self.decoder = Decoder(arch, self.fetch)
        self.cache = {}

    def fetch(self, address):
        index = (address - self.base) >> 2
        return self.words[index] if 0 <= index < len(self.words) else None

    def inst(self, pc):
        """The instruction at pc, or a Stop that says why there is none."""
        if self.fetch(pc) is None:
            raise Stop("fault", pc, counted=False, kind="pc-out-of-range")
        try:
            inst = self.decoder.decode(pc)
        except Illegal as e:
            raise Stop("fault", pc, counted=False, kind=e.kind, why=str(e)) from None
        except Unsupported as e:
            raise Stop("unsupported", pc, counted=False, why=str(e)) from None
        self.cache[pc] = inst.step
        return inst


class Result:
    def __init__(self, outcome, instructions, detail):
        self.outcome, self.instructions, self.detail = outcome, instructions, detail


def run(program, st, max_insts=10_000_000):
    """Run from st.pc.  Executed = completed instructions; stops at exactly max_insts."""
    cache, count, pc = program.cache, 0, st.pc
    try:
        while count < max_insts:
            step = cache.get(pc)
            if step is None:
                step = (program.inst(pc), cache[pc])[1]
            pc = step(st)
            count += 1
    except Stop as stop:
        st.pc = stop.pc
        return Result(stop.outcome, count + stop.counted, stop.detail)
    st.pc = pc
    return Result("budget", count, {})


# --- command line ------------------------------------------------------------------

def command_run(args):
    with open(args.file, "rb") as f:
        data = f.read()
    if not data or len(data) % 4:
        sys.exit("gcnmodel: the file is empty or no multiple of 4 bytes")
    words = [int.from_bytes(data[i:i + 4], "little") for i in range(0, len(data), 4)]
    program = Program(words, args.arch, args.base)
    st = State.initial(args.arch, args.base + args.entry)
    if args.state:
        with open(args.state) as f:
            st.load(json.load(f))
    result = run(program, st, args.max_insts)
    print(json.dumps({
        "outcome": result.outcome, "detail": result.detail, "instructions": result.instructions,
        "pc": hex64(st.pc), "state": st.dump(), "doubts": sorted(st.doubts)}))


def main():
    def integer(s):
        return int(s, 0)
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    p = commands.add_parser("run", help="run a raw binary and print the result as JSON")
    p.add_argument("file")
    p.add_argument("--arch", choices=ARCHES, default="gcn1.4")
    p.add_argument("--state", help="JSON file that overrides the initial state")
    p.add_argument("--max-insts", type=integer, default=10_000_000)
    p.add_argument("--base", type=integer, default=0, help="load address")
    p.add_argument("--entry", type=integer, default=0, help="byte offset of the first instruction")
    p.set_defaults(run=command_run)
    args = parser.parse_args()
    args.run(args)


if __name__ == "__main__":
    from gcnmodel import main as run_main       # the classes that gcnvalu imports
    run_main()
