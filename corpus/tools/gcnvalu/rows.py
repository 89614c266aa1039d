"""Every vector ALU instruction: operand types, modifiers, and what it computes.

`define(name, dst, src, f, ...)`: f(env, *sources) gives the bits of the result, or of
(result, lane bit) for `cout`.  Types: f16 f32 f64, i/u/b and a width, `none`.  Opcodes come
from opcodes.csv.
"""

import csv
import os

from . import arith, convert, ints, packed, transcend
from .floats import F16, F32, F64
from .ints import M32, i32, sext

GENERATION = {"gcn1.0": 6, "gcn1.1": 7, "gcn1.2": 8, "gcn1.4": 9, "gcn1.4.1": 10}
SIX_SEVEN, SIX_EIGHT, NINE, ANY = (6, 7), (6, 8), (9, 10), (6, 10)


class Meaning:
    """What a mnemonic means on a range of generations."""

    def __init__(self, name, dst, src, f, gens=ANY, clamp=None, omod=None, neg=None, abs_=None,
                 cin=False, cout=False, acc=False, keep=False, op_sel=False, vcc=False, mode=None,
                 special=None, doubt=None, bits_ignored="", constant=None):
        self.name, self.dst, self.src, self.f, self.gens = name, dst, src.split(), f, gens
        floats = [t[0] == "f" for t in self.src]
        self.float_result = dst[0] == "f"
        # what CLAMP does: "float", "int" (gfx8 on), "ignored", or "" if there is none
        self.clamp = clamp if clamp is not None else "float" if self.float_result else ""
        self.omod = self.float_result if omod is None else omod
        self.neg = floats if neg is None else neg
        self.abs = self.neg if abs_ is None else abs_
        self.cin, self.cout, self.acc, self.vcc = cin, cout, acc, vcc
        # what gfx9 does with the half not written: False zeroes it, "keep" keeps it; "mac", "keep-new9" and
        # "zero-new9": kept or zeroed, and documents differ
        self.keep = keep
        self.op_sel = op_sel            # an OP_SEL instruction of gfx9 (no OMOD there)
        self.special = special          # executed by the machine as a whole
        self.doubt = doubt
        self.ignored = bits_ignored     # those of clamp and omod that are accepted without effect
        self.constant = constant        # position of the constant of MADMK, MADAK
        self.reads_mode = mode if mode is not None else self.float_result or any(floats)


MEANINGS = {}


def define(name, dst, src, f, **more):
    MEANINGS.setdefault(name, []).append(Meaning(name, dst, src, f, **more))


def meaning(name, gen):
    for m in MEANINGS.get(name, ()):
        if m.gens[0] <= gen <= m.gens[1]:
            return m
    return None


class Row:
    """One line of opcodes.csv: an instruction of one encoding."""

    def __init__(self, encoding, mnemonic, opcode):
        self.encoding, self.mnemonic, self.opcode = encoding, mnemonic, opcode


# Instructions that only one source names; what they do is unknown.  The model refuses them.
UNDOCUMENTED = {("v_mov_prsv_b32", "VOP1"), ("v_writelane_regwr_b32", "VOP1"),
                ("v_readlane_regrd_b32", "VOP3"), ("v_mac_legacy_f32", "VOP3")}


def load():
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "opcodes.csv")
    rows = []
    with open(path, newline="") as f:
        for line in csv.DictReader(f):
            if line["encoding"] in ("VOP1", "VOP2", "VOP3", "VOP3P"):
                opcode = {arch: int(line["opcode_" + arch.replace(".", "")]) for arch in GENERATION
                          if line["opcode_" + arch.replace(".", "")]}
                rows.append(Row(line["encoding"], line["mnemonic"], opcode))
    return rows


# --- helpers to define families ----------------------------------------------------

def of(f, fmt, *fixed, **named):
    """f(env, fmt, sources...) as f(env, sources...)."""
    return lambda env, *s: f(env, fmt, *s, *fixed, **named)


def approximate(fmt, name):
    return lambda env, x: transcend.transcendental(env, fmt, name, x)


def pure(f):
    """f(sources...) as f(env, sources...): an integer function that needs no rules."""
    return lambda env, *s: f(*s) & M32


def integer(kind, f):
    """A function whose exact integer result, given by f, is wrapped or saturated."""
    return lambda env, *s: env.integer(f(*s), kind)


def signed(f):
    return lambda *s: f(*map(i32, s))


def signed16(f):
    return lambda *s: f(*(sext(x, 16) for x in s))


WIDTHS = (("f32", F32, ANY), ("f16", F16, (8, 10)))


def float_arithmetic():
    for name, f in (("add", arith.add), ("sub", arith.sub), ("subrev", arith.subrev), ("mul", arith.mul),
                    ("min", arith.minimum), ("max", arith.maximum)):
        for kind, fmt, gens in WIDTHS + (("f64", F64, ANY),) * (not name.startswith("sub")):
            define(f"v_{name}_{kind}", kind, f"{kind} {kind}", of(f, fmt), gens=gens)
    define("v_mul_legacy_f32", "f32", "f32 f32", arith.mul_legacy)
    define("v_min_legacy_f32", "f32", "f32 f32", arith.min_legacy)
    define("v_max_legacy_f32", "f32", "f32 f32", arith.max_legacy)
    for kind, fmt, gens in WIDTHS:
        keep = "mac" if kind == "f16" else False
        define(f"v_mac_{kind}", kind, f"{kind} {kind}", of(arith.mad, fmt), gens=gens, acc=True, keep=keep)
        for name, constant in (("madmk", 1), ("madak", 2)):
            define(f"v_{name}_{kind}", kind, f"{kind} {kind} {kind}", of(arith.mad, fmt), gens=gens,
                   constant=constant, keep=keep)
    define("v_mac_legacy_f32", "f32", "f32 f32", of(arith.mad, F32, legacy=True), acc=True)
    define("v_fmac_f32", "f32", "f32 f32", of(arith.fma, F32), acc=True)
    define("v_mad_legacy_f32", "f32", "f32 f32 f32", of(arith.mad, F32, legacy=True))
    define("v_mad_f32", "f32", "f32 f32 f32", of(arith.mad, F32))
    define("v_mullit_f32", "f32", "f32 f32 f32", arith.mullit)
    for kind, fmt in (("f32", F32), ("f64", F64)):
        define(f"v_fma_{kind}", kind, f"{kind} {kind} {kind}", of(arith.fma, fmt))
        define(f"v_div_fixup_{kind}", kind, f"{kind} {kind} {kind}", of(arith.div_fixup, fmt))
        define(f"v_div_scale_{kind}", kind, f"{kind} {kind} {kind}", of(arith.div_scale, fmt), cout=True,
               abs_=[False] * 3)
        define(f"v_div_fmas_{kind}", kind, f"{kind} {kind} {kind}", of(arith.div_fmas, fmt), vcc=True)
        define(f"v_ldexp_{kind}", kind, f"{kind} i32", lambda env, x, n, fmt=fmt: arith.ldexp(env, fmt, x, i32(n)))
    define("v_ldexp_f16", "f16", "f16 i16", lambda env, x, n: arith.ldexp(env, F16, x, sext(n, 16)))
    for name, f in (("mad", arith.mad), ("fma", arith.fma), ("div_fixup", arith.div_fixup)):
        define(f"v_{name}_f16", "f16", "f16 f16 f16", of(f, F16), gens=(8, 8))
        define(f"v_{name}_f16", "f16", "f16 f16 f16", of(f, F16), gens=NINE, keep="keep", op_sel=True)
        define(f"v_{name}_legacy_f16", "f16", "f16 f16 f16", of(f, F16), gens=NINE)
    for name, f in (("min3", arith.minimum), ("max3", arith.maximum), ("med3", arith.med3)):
        define(f"v_{name}_f32", "f32", "f32 f32 f32", of(f, F32))
        define(f"v_{name}_f16", "f16", "f16 f16 f16", of(f, F16), gens=NINE, keep="zero-new9", op_sel=True)
    for name in ("cubeid", "cubesc", "cubetc", "cubema"):
        define(f"v_{name}_f32", "f32", "f32 f32 f32", getattr(arith, name))
    define("v_trig_preop_f64", "f64", "f64 i32", arith.trig_preop)
    define("v_pack_b32_f16", "b32", "f16 f16", lambda env, a, b: a | b << 16, gens=NINE, op_sel=True,
           mode=False)


def float_unary():
    for kind, fmt, gens in WIDTHS + (("f64", F64, ANY),):
        whole = (7, 10) if kind == "f64" else gens
        for name in ("trunc", "ceil", "floor", "rndne"):
            define(f"v_{name}_{kind}", kind, kind, of(arith.integral, fmt, name), gens=whole)
        define(f"v_fract_{kind}", kind, kind, of(arith.fract, fmt), gens=gens)
        define(f"v_frexp_mant_{kind}", kind, kind, of(arith.frexp_mant, fmt), gens=gens)
        exp = "i16" if kind == "f16" else "i32"
        mask = 0xFFFF if kind == "f16" else M32
        define(f"v_frexp_exp_{exp}_{kind}", exp, kind,
               lambda env, x, fmt=fmt, mask=mask: arith.frexp_exp(env, fmt, x) & mask,
               gens=gens, clamp="ignored")
        for name in ("rcp", "rsq", "sqrt") + (("exp", "log", "sin", "cos") if kind != "f64" else ()):
            define(f"v_{name}_{kind}", kind, kind, approximate(fmt, name), gens=gens)
    define("v_rcp_iflag_f32", "f32", "f32", approximate(F32, "rcp"))
    for name in ("exp", "log"):
        define(f"v_{name}_legacy_f32", "f32", "f32", approximate(F32, name), gens=(7, 10))
    for kind, fmt in (("f32", F32), ("f64", F64)):
        for name in ("rcp", "rsq"):
            define(f"v_{name}_clamp_{kind}", kind, kind, lambda env, x, fmt=fmt, name=name:
                   transcend.clamped_infinity(fmt, transcend.transcendental(env, fmt, name, x)),
                   gens=SIX_SEVEN)
    define("v_log_clamp_f32", "f32", "f32", transcend.log_clamp, gens=SIX_SEVEN)
    for name in ("rcp", "rsq"):
        define(f"v_{name}_legacy_f32", "f32", "f32",
               lambda env, x, name=name: transcend.legacy_infinity(env, name, x), gens=SIX_SEVEN)


def conversions():
    for letter in "iu":
        is_signed = letter == "i"
        for fmt, kind in ((F32, "f32"), (F64, "f64")):
            define(f"v_cvt_{letter}32_{kind}", f"{letter}32", kind, of(convert.to_integer, fmt, 32, is_signed),
                   clamp="ignored", bits_ignored="omod")
            define(f"v_cvt_{kind}_{letter}32", kind, f"{letter}32", lambda env, x, fmt=fmt, s=is_signed:
                   convert.from_integer(env, fmt, i32(x) if s else x))
        define(f"v_cvt_{letter}16_f16", f"{letter}16", "f16", of(convert.to_integer, F16, 16, is_signed),
               clamp="ignored", bits_ignored="omod", doubt="cvt-i16-hi16")
        define(f"v_cvt_f16_{letter}16", "f16", f"{letter}16", lambda env, x, s=is_signed:
               convert.from_integer(env, F16, sext(x, 16) if s else x))
        define(f"v_cvt_norm_{letter}16_f16", f"{letter}16", "f16",
               of(convert.normalised, F16, 16, is_signed), gens=NINE, clamp="ignored", bits_ignored="omod",
               doubt="cvt-i16-hi16")
        for fmt, kind in ((F32, "f32"), (F16, "f16")):
            define(f"v_cvt_pknorm_{letter}16_{kind}", "b32", f"{kind} {kind}",
                   lambda env, a, b, fmt=fmt, s=is_signed: convert.pknorm(env, fmt, a, b, s),
                   clamp="ignored", op_sel=kind == "f16")
    define("v_cvt_rpi_i32_f32", "i32", "f32", lambda env, x: convert.floor_to_i32(env, x, True), clamp="ignored")
    define("v_cvt_flr_i32_f32", "i32", "f32", lambda env, x: convert.floor_to_i32(env, x, False), clamp="ignored")
    for n in range(4):
        define(f"v_cvt_f32_ubyte{n}", "f32", "u32",
               lambda env, x, n=n: convert.from_integer(env, F32, x >> 8 * n & 255))
    define("v_cvt_off_f32_i4", "f32", "b32", convert.off_f32_i4)
    define("v_cvt_f32_f64", "f32", "f64", convert.f64_to_f32)
    define("v_cvt_f64_f32", "f64", "f32", convert.f32_to_f64)
    define("v_cvt_f32_f16", "f32", "f16", convert.f16_to_f32)
    define("v_cvt_f16_f32", "f16", "f32", convert.f32_to_f16)
    define("v_cvt_pkrtz_f16_f32", "b32", "f32 f32", convert.pkrtz, clamp="")
    define("v_cvt_pk_u8_f32", "b32", "f32 u32 u32", convert.pk_u8, clamp="ignored")
    define("v_cvt_pkaccum_u8_f32", "b32", "f32 u32", convert.pk_u8, clamp="ignored", acc=True,
           doubt="cvt-pkaccum")
    define("v_cvt_pk_u16_u32", "b32", "u32 u32", lambda env, a, b: ints.pack_saturated(env, a, b, False))
    define("v_cvt_pk_i16_i32", "b32", "i32 i32", lambda env, a, b: ints.pack_saturated(env, a, b, True))
    define("v_sat_pk_u8_i16", "b32", "b32", ints.sat_pk_u8, gens=NINE, doubt="cvt-i16-hi16")


def moves():
    define("v_nop", "none", "", None, special="nothing")
    define("v_clrexcp", "none", "", None, special="nothing")
    define("v_mov_b32", "b32", "b32", pure(lambda a: a))
    define("v_mov_fed_b32", "b32", "b32", pure(lambda a: a), doubt="mov-fed")
    define("v_cndmask_b32", "b32", "b32 b32", lambda env, a, b: b if env.carry else a, cin=True,
           neg=[True, True])
    define("v_swap_b32", "b32", "b32", None, special="swap")
    define("v_readfirstlane_b32", "b32", "b32", None, special="readfirstlane")
    define("v_readlane_b32", "b32", "b32 b32", None, special="readlane")
    define("v_writelane_b32", "b32", "b32 b32", None, special="writelane")
    for name in ("movreld", "movrels", "movrelsd"):
        define(f"v_{name}_b32", "b32", "b32", None, special=name)
    define("v_mbcnt_lo_u32_b32", "u32", "b32 u32", ints.mbcnt_lo)
    define("v_mbcnt_hi_u32_b32", "u32", "b32 u32", ints.mbcnt_hi)
    define("v_screen_partition_4se_b32", "b32", "b32", ints.screen_partition)


def integers():
    for name, f in (("add", ints.add_carry), ("sub", ints.sub_borrow), ("subrev", ints.subrev_borrow)):
        define(f"v_{name}_i32", "i32", "i32 i32", f, gens=SIX_SEVEN, cout=True)
        define(f"v_{name}_u32", "u32", "u32 u32", f, gens=(8, 8), cout=True, clamp="int")
        define(f"v_{name}_co_u32", "u32", "u32 u32", f, gens=NINE, cout=True, clamp="int")
        define(f"v_{name}_u32", "u32", "u32 u32", lambda env, a, b, f=f: f(env, a, b)[0], gens=NINE, clamp="int")
    for name, f in (("addc", ints.add_carry), ("subb", ints.sub_borrow), ("subbrev", ints.subrev_borrow)):
        define(f"v_{name}_u32", "u32", "u32 u32", f, gens=SIX_EIGHT, cin=True, cout=True, clamp="int")
        define(f"v_{name}_co_u32", "u32", "u32 u32", f, gens=NINE, cin=True, cout=True, clamp="int")
    define("v_add_i32", "i32", "i32 i32", lambda env, a, b: env.integer(i32(a) + i32(b), "i32", True),
           gens=NINE, clamp="int")
    define("v_sub_i32", "i32", "i32 i32", lambda env, a, b: env.integer(i32(a) - i32(b), "i32", True),
           gens=NINE, clamp="int")
    for name, f in (("min", min), ("max", max)):
        for count, suffix in ((2, ""), (3, "3")):
            define(f"v_{name}{suffix}_i32", "i32", " ".join(["i32"] * count), pure(signed(f)))
            define(f"v_{name}{suffix}_u32", "u32", " ".join(["u32"] * count), pure(f))

    def middle(*s):
        return sorted(s)[1]
    define("v_med3_i32", "i32", "i32 i32 i32", pure(signed(middle)))
    define("v_med3_u32", "u32", "u32 u32 u32", pure(middle))
    define("v_not_b32", "b32", "b32", pure(lambda a: ~a))
    for name, f in (("and", lambda a, b: a & b), ("or", lambda a, b: a | b), ("xor", lambda a, b: a ^ b),
                    ("xnor", lambda a, b: ~(a ^ b))):
        define(f"v_{name}_b32", "b32", "b32 b32", pure(f))
    define("v_lshl_b32", "b32", "b32 u32", pure(lambda a, b: a << (b & 31)))
    define("v_lshr_b32", "b32", "b32 u32", pure(lambda a, b: a >> (b & 31)))
    define("v_ashr_i32", "i32", "i32 u32", pure(lambda a, b: i32(a) >> (b & 31)))
    define("v_lshlrev_b32", "b32", "u32 b32", pure(lambda a, b: b << (a & 31)))
    define("v_lshrrev_b32", "b32", "u32 b32", pure(lambda a, b: b >> (a & 31)))
    define("v_ashrrev_i32", "i32", "u32 i32", pure(lambda a, b: i32(b) >> (a & 31)))
    m64 = (1 << 64) - 1
    define("v_lshl_b64", "b64", "b64 u32", lambda env, a, b: a << (b & 63) & m64)
    define("v_lshr_b64", "b64", "b64 u32", lambda env, a, b: a >> (b & 63))
    define("v_ashr_i64", "i64", "i64 u32", lambda env, a, b: sext(a, 64) >> (b & 63) & m64)
    define("v_lshlrev_b64", "b64", "u32 b64", lambda env, a, b: b << (a & 63) & m64)
    define("v_lshrrev_b64", "b64", "u32 b64", lambda env, a, b: b >> (a & 63))
    define("v_ashrrev_i64", "i64", "u32 i64", lambda env, a, b: sext(b, 64) >> (a & 63) & m64)
    define("v_lshl_add_u32", "u32", "u32 u32 u32", pure(lambda a, b, c: (a << (b & 31)) + c))
    define("v_add_lshl_u32", "u32", "u32 u32 u32", pure(lambda a, b, c: (a + b & M32) << (c & 31)))
    define("v_lshl_or_b32", "b32", "b32 b32 b32", pure(lambda a, b, c: a << (b & 31) | c))
    define("v_and_or_b32", "b32", "b32 b32 b32", pure(lambda a, b, c: a & b | c))
    define("v_or3_b32", "b32", "b32 b32 b32", pure(lambda a, b, c: a | b | c))
    define("v_add3_u32", "u32", "u32 u32 u32", pure(lambda a, b, c: a + b + c))
    define("v_xad_u32", "u32", "u32 u32 u32", pure(lambda a, b, c: (a ^ b) + c))
    define("v_bfi_b32", "b32", "b32 b32 b32", pure(lambda a, b, c: a & b | ~a & c))
    define("v_alignbit_b32", "b32", "b32 b32 u32", pure(lambda a, b, c: (a << 32 | b) >> (c & 31)))
    define("v_alignbyte_b32", "b32", "b32 b32 u32", pure(lambda a, b, c: (a << 32 | b) >> 8 * (c & 3)))
    define("v_bcnt_u32_b32", "u32", "b32 u32", pure(lambda a, b: a.bit_count() + b))
    for name, dst, src, f in (
            ("bfe_u32", "u32", "u32 u32 u32", ints.bfe_u32), ("bfe_i32", "i32", "i32 u32 u32", ints.bfe_i32),
            ("bfm_b32", "b32", "u32 u32", ints.bfm), ("bfrev_b32", "b32", "b32", ints.bfrev),
            ("ffbh_u32", "u32", "u32", ints.ffbh_u32), ("ffbl_b32", "b32", "b32", ints.ffbl_b32),
            ("ffbh_i32", "i32", "i32", ints.ffbh_i32), ("perm_b32", "b32", "b32 b32 b32", ints.perm),
            ("lerp_u8", "u32", "u32 u32 u32", ints.lerp)):
        define(f"v_{name}", dst, src, f)
    for name in ("sad_u8", "msad_u8", "sad_hi_u8", "sad_u16", "sad_u32"):
        define(f"v_{name}", "u32", "u32 u32 u32", getattr(ints, name), clamp="int")
    for name, sad in (("qsad_pk_u16_u8", ints.sad4), ("qsad_u8", ints.sad4), ("mqsad_pk_u16_u8", ints.msad4)):
        define(f"v_{name}", "b64", "b64 b32 b64", ints.quad(sad, 16, "qsad-wrap"), clamp="int")
    define("v_mqsad_u32_u8", "b128", "b64 b32 b128", ints.quad(ints.msad4, 32, "mqsad-saturate"), clamp="int")


def products():
    define("v_mul_lo_u32", "u32", "u32 u32", pure(lambda a, b: a * b))
    define("v_mul_lo_i32", "i32", "i32 i32", pure(lambda a, b: a * b))
    define("v_mul_hi_u32", "u32", "u32 u32", pure(lambda a, b: a * b >> 32))
    define("v_mul_hi_i32", "i32", "i32 i32", pure(lambda a, b: i32(a) * i32(b) >> 32))
    define("v_mad_u64_u32", "u64", "u32 u32 u64", ints.mad_u64, cout=True, clamp="int")
    define("v_mad_i64_i32", "i64", "i32 i32 i64", ints.mad_i64, cout=True, clamp="int")
    define("v_mul_i32_i24", "i32", "i32 i32", integer("i32", ints.mul_i24), clamp="int")
    define("v_mul_u32_u24", "u32", "u32 u32", integer("u32", ints.mul_u24), clamp="int")
    define("v_mul_hi_i32_i24", "i32", "i32 i32", pure(lambda a, b: ints.mul_i24(a, b) >> 32))
    define("v_mul_hi_u32_u24", "u32", "u32 u32", pure(lambda a, b: ints.mul_u24(a, b) >> 32))
    define("v_mad_i32_i24", "i32", "i32 i32 i32", integer("i32", lambda a, b, c: ints.mul_i24(a, b) + i32(c)),
           clamp="int")
    define("v_mad_u32_u24", "u32", "u32 u32 u32", integer("u32", lambda a, b, c: ints.mul_u24(a, b) + c),
           clamp="int")


def halfwords():
    def add(a, b):
        return a + b

    def mad(a, b, c):
        return a * b + c
    for name, f in (("add", add), ("sub", lambda a, b: a - b), ("subrev", lambda a, b: b - a)):
        define(f"v_{name}_u16", "u16", "u16 u16", integer("u16", f), clamp="int")
    define("v_mul_lo_u16", "u16", "u16 u16", lambda env, a, b: a * b & 0xFFFF)
    define("v_add_i16", "i16", "i16 i16", integer("i16", signed16(add)), clamp="int", keep="keep-new9", op_sel=True)
    define("v_sub_i16", "i16", "i16 i16", integer("i16", signed16(lambda a, b: a - b)), clamp="int", keep="keep-new9",
           op_sel=True)
    define("v_lshlrev_b16", "u16", "u16 u16", lambda env, a, b: b << (a & 15) & 0xFFFF)
    define("v_lshrrev_b16", "u16", "u16 u16", lambda env, a, b: b >> (a & 15))
    define("v_ashrrev_i16", "i16", "i16 i16", lambda env, a, b: sext(b, 16) >> (a & 15) & 0xFFFF)

    def middle(*s):
        return sorted(s)[1]
    for letter, wrap in (("u", lambda f: f), ("i", signed16)):
        kind = f"{letter}16"
        for name, f in (("min", min), ("max", max)):
            define(f"v_{name}_{kind}", kind, f"{kind} {kind}", lambda env, *s, g=wrap(f): g(*s) & 0xFFFF)
        for name, f in (("min3", min), ("max3", max), ("med3", middle)):
            define(f"v_{name}_{kind}", kind, f"{kind} {kind} {kind}",
                   lambda env, *s, g=wrap(f): g(*s) & 0xFFFF, keep="zero-new9", op_sel=True)
        define(f"v_mad_{kind}", kind, f"{kind} {kind} {kind}", integer(kind, wrap(mad)), gens=(8, 8), clamp="int")
        define(f"v_mad_{kind}", kind, f"{kind} {kind} {kind}", integer(kind, wrap(mad)), gens=NINE, clamp="int",
               keep="keep", op_sel=True)
        define(f"v_mad_legacy_{kind}", kind, f"{kind} {kind} {kind}", integer(kind, wrap(mad)), clamp="int")
    define("v_mad_u32_u16", "u32", "u16 u16 u32", integer("u32", mad), clamp="int", op_sel=True)
    define("v_mad_i32_i16", "i32", "i16 i16 i32",
           integer("i32", lambda a, b, c: sext(a, 16) * sext(b, 16) + i32(c)), clamp="int", op_sel=True)


def vop3p():
    for name, kinds in (("mad", "iu"), ("add", "iu"), ("sub", "iu"), ("max", "iu"), ("min", "iu"),
                        ("mul_lo", "u"), ("lshlrev", "b"), ("lshrrev", "b"), ("ashrrev", "i")):
        for letter in kinds:
            kind = "i16" if letter == "i" else "u16"
            count = 3 if name == "mad" else 2
            saturates = name in ("mad", "add", "sub")
            define(f"v_pk_{name}_{letter}16", "b32", " ".join([kind] * count), packed.packed_int(name, kind),
                   clamp="int" if saturates else "")
    for name in packed.PACKED_FLOAT:
        define(f"v_pk_{name}_f16", "b32", " ".join(["f16"] * (3 if name == "fma" else 2)),
               packed.packed_float(name), clamp="float")
    for name, fused in (("mad", False), ("fma", True)):
        for suffix, dst, half in (("mix_f32", "f32", False), ("mixlo_f16", "f16", True), ("mixhi_f16", "f16", True)):
            define(f"v_{name}_{suffix}", dst, "f16 f16 f16", packed.mix(fused, half), clamp="float", keep="keep")
    define("v_dot2_f32_f16", "f32", "f16 f16 f32", packed.dot2_f32, clamp="float")
    for letter in "iu":
        kind = f"{letter}32"
        define(f"v_dot2_{kind}_{letter}16", kind, f"{letter}16 {letter}16 {kind}", packed.dot2_int(kind), clamp="int")
        define(f"v_dot4_{kind}_{letter}8", kind, f"b32 b32 {kind}", packed.dot_int(kind, 8), clamp="int")
        define(f"v_dot8_{kind}_{letter}4", kind, f"b32 b32 {kind}", packed.dot_int(kind, 4), clamp="int")


for family in (float_arithmetic, float_unary, conversions, moves, integers, products, halfwords, vop3p):
    family()

ROWS = [r for r in load()]
BY_OPCODE = {(r.encoding, arch, op): r for r in ROWS for arch, op in r.opcode.items()}


def executed(row):
    """Whether the model executes a row: it is documented and no interpolation."""
    return (row.mnemonic, row.encoding) not in UNDOCUMENTED and not row.mnemonic.startswith("v_interp")


# --- forms -------------------------------------------------------------------------

NO_VOP3 = {"v_swap_b32", "v_readfirstlane_b32"}
NO_SDWA_DPP = {"v_nop", "v_readfirstlane_b32", "v_clrexcp", "v_swap_b32", "v_movreld_b32", "v_movrels_b32",
               "v_movrelsd_b32"}


def has_vop3(row, m):
    if row.encoding == "VOP2" and m.special:
        return False
    return row.mnemonic not in NO_VOP3 and m.constant is None


def narrow(m):
    return all(t[1:] not in ("64", "128") for t in m.src + [m.dst])


def has_dpp(row, m, gen):
    return gen >= 8 and row.encoding in ("VOP1", "VOP2") and row.mnemonic not in NO_SDWA_DPP \
        and m.constant is None and narrow(m)


def has_sdwa(row, m, gen):
    return has_dpp(row, m, gen) and not (m.acc and m.float_result and gen >= 9)
