#!/usr/bin/env python3
"""Do the vectors of the vector ALU notice well-known mistakes?  Plants each in the model.

    python3 tests/mutation/planted_valu.py [--markdown | --exchange gcn1.4]

As planted_scalar.py: who makes the mistake is what is published about it; a mistake that
no vector notices is printed as MISSED and makes the exit status 1.
"""

import argparse
import contextlib
import gzip
import json
import sys
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "corpus" / "tools"))

from gcnmodel import EXEC, M0, VSKIP, Program, State, run
from gcnvalu import arith, convert, floats, forms, ints, machine, packed, transcend
from gcnvalu.floats import F16, F32, F64
from gcnvalu.ints import M32, i32, sext
from gcnvalu.rows import GENERATION, ROWS, executed, meaning
from vectorlib import made

MISTAKES = []


def mistake(who, what, names, *patches, arch="gcn1.4"):
    MISTAKES.append((who, what, names.split(), arch, patches))


def attribute(target, name, value):
    return lambda arch: mock.patch.object(target, name, value)


def function(name, f):
    """A patch that replaces the function of a mnemonic by f(right, env, *sources)."""
    def patch(arch):
        m = meaning(name, GENERATION[arch])
        right = m.f
        return mock.patch.object(m, "f", lambda env, *s: f(right, env, *s))
    return patch


def wrong(who, name, what, f, arch="gcn1.4"):
    mistake(who, f"{name.upper()}: {what}", name, function(name, f), arch=arch)


def setting(name, **values):
    """A patch that replaces properties of a mnemonic."""
    def patch(arch):
        m, stack = meaning(name, GENERATION[arch]), contextlib.ExitStack()
        for key, value in values.items():
            stack.enter_context(mock.patch.object(m, key, value))
        return stack
    return patch


# --- division ----------------------------------------------------------------------

def scaled(right, env, a, b, c, by):
    carry, env.carry = env.carry, 0
    r = right(env, a, b, c)
    env.carry = carry
    return arith.ldexp(env, F32, r, by) if carry else r


def public_div_scale(right, env, v, d, n):
    """V_DIV_SCALE as AMD's public pseudo-code has it."""
    v, d, n = (env.flush(F32, x) for x in (v, d, n))
    if F32.is_zero(d) or F32.is_zero(n):
        return F32.qnan, 0
    if not all(map(F32.is_finite, (v, d, n))):
        return right(env, v, d, n)
    gap = F32.field(n) - F32.field(d)
    if gap >= 96:
        return (arith.ldexp(env, F32, v, 64) if v == d else v), 1
    if F32.is_denormal(d):
        return arith.ldexp(env, F32, v, 64), 0
    inverse, quotient = F32.field(d) >= 253, gap < -126
    if inverse and quotient:
        return (arith.ldexp(env, F32, v, 64) if v == d else v), 1
    if inverse:
        return arith.ldexp(env, F32, v, -64), 0
    if quotient:
        return (arith.ldexp(env, F32, v, 64) if v == n else v), 1
    return (arith.ldexp(env, F32, v, 64) if F32.field(n) <= 23 else v), 0


wrong("AMD text", "v_div_fmas_f32", "scales up only", lambda right, env, a, b, c: scaled(right, env, a, b, c, 64))
wrong("CLRX", "v_div_fmas_f32", "VCC ignored", lambda right, env, a, b, c: scaled(right, env, a, b, c, 0))
mistake("MGPUSim", "V_DIV_FMAS_F32: only bit 0 of VCC looked at", "v_div_fmas_f32",
        function("v_div_fmas_f32", lambda right, env, *s: lane_zero(right, env, *s)))


def lane_zero(right, env, *sources):
    if env.lane == 0:
        env.first = env.carry
    env.carry = getattr(env, "first", 0)
    return right(env, *sources)


wrong("AMD text", "v_div_scale_f32", "public pseudo-code", public_div_scale)
wrong("common", "v_div_fixup_f32", "sign of the quotient kept",
      lambda right, env, q, d, n: right(env, q, d, n) & M32 >> 1 | q & F32.sign)

# --- DPP ---------------------------------------------------------------------------

RIGHT_SOURCE = forms.Dpp.source


def dpp_source(change):
    def source(self, lane):
        wrong_lane = change(self, lane)
        return RIGHT_SOURCE(self, lane) if wrong_lane is NotImplemented else wrong_lane
    return attribute(forms.Dpp, "source", source)


def only(ctrl, f):
    return dpp_source(lambda self, lane: f(lane) if self.ctrl == ctrl else NotImplemented)


SOME_DPP = "v_mov_b32 v_add_f32 v_and_b32 v_max_i32 v_sub_f32 v_add_u32 v_mul_f32 v_or_b32 v_not_b32 v_min_u32 " \
    "v_xor_b32 v_add_u16 v_max_f16 v_cvt_f32_i32"
mistake("gem5", "DPP wave_rol turns the other way", SOME_DPP, only(0x134, lambda lane: lane - 1 & 63))
mistake("gem5", "DPP row_mirror without the row", SOME_DPP, only(0x140, lambda lane: 15 - (lane & 15)))
mistake("gem5", "DPP row_half_mirror mirrors the row", SOME_DPP, only(0x141, lambda lane: lane ^ 15))
mistake("gem5", "DPP wave_shl wraps at lane 63", SOME_DPP, only(0x130, lambda lane: lane + 1 & 63))
mistake("CLRX", "DPP row_bcast15 for odd rows only", SOME_DPP,
        only(0x142, lambda lane: (lane & ~15) - 1 if lane & 16 else None))
mistake("CLRX", "DPP row_bcast31 takes the lane before", SOME_DPP, only(0x143, lambda lane: 30 if lane >= 32 else None))
mistake("common", "DPP row_ror turns left", SOME_DPP, dpp_source(
    lambda self, lane: lane & ~15 | lane + (self.ctrl & 15) & 15 if 0x121 <= self.ctrl <= 0x12F else NotImplemented))
mistake("common", "DPP row_shl shifts to higher lanes", SOME_DPP, dpp_source(
    lambda self, lane: lane - (self.ctrl & 15) if 0x101 <= self.ctrl <= 0x10F and lane & 15 >= self.ctrl & 15
    else NotImplemented))
mistake("common", "DPP row_shr crosses rows", SOME_DPP, dpp_source(
    lambda self, lane: max(lane - (self.ctrl & 15), 0) if 0x111 <= self.ctrl <= 0x11F else NotImplemented))
mistake("common", "DPP quad_perm ignores the quad", SOME_DPP, dpp_source(
    lambda self, lane: self.ctrl >> 2 * (lane & 3) & 3 if self.ctrl < 256 else NotImplemented))
mistake("common", "DPP masks ignored", SOME_DPP, attribute(forms.Dpp, "enabled", lambda self, lane: True))


def dpp_init(change):
    right = forms.Dpp.__init__

    def init(self, word):
        right(self, word)
        change(self)
    return attribute(forms.Dpp, "__init__", init)


mistake("CLRX", "DPP BOUND_CTRL inverted", SOME_DPP,
        dpp_init(lambda self: setattr(self, "bound_ctrl", 1 - self.bound_ctrl)))
mistake("common", "DPP BANK_MASK and ROW_MASK exchanged", SOME_DPP,
        dpp_init(lambda self: self.__dict__.update(bank_mask=self.row_mask, row_mask=self.bank_mask)))


def moved_without_exec(self, st, lanes, active):
    out, enabled = [0] * 64, 0
    for lane in range(64):
        source = self.op.dpp.source(lane)
        if active >> lane & 1 and self.op.dpp.enabled(lane) and (source is not None or self.op.dpp.bound_ctrl):
            enabled |= 1 << lane
            out[lane] = 0 if source is None else lanes[source]
    return out, enabled


mistake("gem5", "DPP reads inactive lanes", SOME_DPP, attribute(machine.Machine, "moved", moved_without_exec))

# --- SDWA --------------------------------------------------------------------------

SOME_SDWA = "v_mov_b32 v_add_f32 v_and_b32 v_max_i32 v_add_u32 v_mul_f32 v_or_b32 v_add_u16 v_max_f16 " \
    "v_cvt_f32_i32 v_xor_b32"


def sdwa_init(change):
    right = forms.Sdwa.__init__

    def init(self, word):
        right(self, word)
        change(self)
    return attribute(forms.Sdwa, "__init__", init)


mistake("common", "SDWA UNUSED_PRESERVE pads", SOME_SDWA,
        sdwa_init(lambda self: setattr(self, "dst_unused", self.dst_unused % 2)))
mistake("common", "SDWA UNUSED_SEXT pads", SOME_SDWA,
        sdwa_init(lambda self: setattr(self, "dst_unused", self.dst_unused & 2)))
mistake("common", "SDWA SEXT ignored", SOME_SDWA, sdwa_init(lambda self: setattr(self, "sext", [0, 0])))
mistake("common", "SDWA DST_SEL ignored", SOME_SDWA, sdwa_init(lambda self: setattr(self, "dst_sel", 6)))
mistake("common", "SDWA SRC1_SEL is SRC0_SEL", SOME_SDWA,
        sdwa_init(lambda self: setattr(self, "sel", [self.sel[0]] * 2)))
mistake("common", "SDWA words 0 and 1 exchanged", SOME_SDWA,
        sdwa_init(lambda self: setattr(self, "sel", [9 - s if s in (4, 5) else s for s in self.sel])))

# --- modifiers, modes, masks -------------------------------------------------------

SOME_FLOAT = "v_add_f32 v_mul_f32 v_max_f32 v_fma_f32 v_add_f16 v_add_f64 v_sub_f32 v_rndne_f32 v_min_f64"
mistake("common", "OMOD works with IEEE = 1", SOME_FLOAT, attribute(
    floats.Env, "omod", lambda self, fmt, x, k: plain_omod(self, fmt, x, k, False)))
mistake("common", "OMOD keeps -0", SOME_FLOAT, attribute(
    floats.Env, "omod", lambda self, fmt, x, k: x if fmt.is_zero(x) else RIGHT_OMOD(self, fmt, x, k)))
mistake("common", "OMOD works with denormal results kept", SOME_FLOAT, attribute(
    floats.Env, "omod", lambda self, fmt, x, k: plain_omod(self, fmt, x, k, True)))
RIGHT_OMOD = floats.Env.omod


def plain_omod(env, fmt, x, k, ieee_matters):
    ieee, keep = env.ieee, env.keep_out
    if ieee_matters:
        env.keep_out = {16: 0, 32: 0, 64: 0}
    else:
        env.ieee = 0
    r = RIGHT_OMOD(env, fmt, x, k)
    env.ieee, env.keep_out = ieee, keep
    return r


mistake("common", "CLAMP of NaN ignores DX10_CLAMP", SOME_FLOAT, attribute(
    floats.Env, "clamped", lambda self, fmt, x: 0 if fmt.is_nan(x) or x & fmt.sign else min(x, fmt.one)))
mistake("common", "CLAMP keeps -0", SOME_FLOAT, attribute(
    floats.Env, "clamped", lambda self, fmt, x: x if x == fmt.sign else RIGHT_CLAMPED(self, fmt, x)))
RIGHT_CLAMPED = floats.Env.clamped
RIGHT_ENV = floats.Env.__init__


def environment(change):
    def init(self, *more, **named):
        RIGHT_ENV(self, *more, **named)
        change(self)
    return attribute(floats.Env, "__init__", init)


mistake("gem5, MGPUSim, Multi2Sim", "denormals never flushed", SOME_FLOAT, environment(
    lambda env: env.__dict__.update(keep_in={16: 1, 32: 1, 64: 1}, keep_out={16: 1, 32: 1, 64: 1})))
mistake("common", "sources flushed, results not", SOME_FLOAT, environment(
    lambda env: setattr(env, "keep_out", {16: 1, 32: 1, 64: 1})))
mistake("common", "F64 and F16 obey the denormal field of F32", SOME_FLOAT, environment(
    lambda env: env.__dict__.update(keep_in=dict.fromkeys((16, 32, 64), env.keep_in[32]),
                                    keep_out=dict.fromkeys((16, 32, 64), env.keep_out[32]))))
mistake("most simulators", "rounding field ignored", SOME_FLOAT, environment(
    lambda env: setattr(env, "round", {16: 0, 32: 0, 64: 0})))
mistake("common", "F64 and F16 obey the rounding field of F32", SOME_FLOAT, environment(
    lambda env: setattr(env, "round", dict.fromkeys((16, 32, 64), env.round[32]))))
mistake("common", "signalling NaN passes unquieted with IEEE = 1", SOME_FLOAT,
        attribute(floats.Env, "quieted", lambda self, fmt, x: x))
mistake("common", "every NaN becomes the default NaN", SOME_FLOAT,
        attribute(floats.Env, "quieted", lambda self, fmt, x: fmt.qnan))
mistake("common", "default NaN is positive", SOME_FLOAT + " v_fract_f32 v_sqrt_f32",
        attribute(F32, "qnan", 0x7FC00000))
mistake("common", "tiny decided before rounding", "v_mul_f32 v_fma_f32 v_mad_f32 v_mul_f64 v_ldexp_f32",
        environment(lambda env: setattr(env, "store", lambda fmt, sign, m, e, sticky=False, mode=None, flush=None:
                                        early_flush(env, fmt, sign, m, e, sticky, mode, flush))))


def early_flush(env, fmt, sign, m, e, sticky, mode, flush):
    if flush is None:
        flush = not env.keep_out[fmt.width]
    if flush and m and m.bit_length() + e - 1 < fmt.emin:
        return fmt.signed(sign, 0)
    return floats.Env.store(env, fmt, sign, m, e, sticky, mode, flush)


def select_order(right):
    """Source modifiers in the wrong order: NEG before ABS."""
    def sources(self, st):
        op = self.op
        abs_, neg = op.abs, op.neg
        op.neg &= ~abs_
        try:
            return right(self, st)
        finally:
            op.abs, op.neg = abs_, neg
    return sources


mistake("gem5 (DPP)", "NEG before ABS", SOME_FLOAT,
        attribute(machine.Machine, "sources", select_order(machine.Machine.sources)))
mistake("Multi2Sim, rocjitsu (old)", "carry bits of inactive lanes keep their old value",
        "v_add_co_u32 v_subb_co_u32 v_div_scale_f32",
        attribute(State, "write64", lambda self, code, value: keep_inactive(self, code, value)))


def keep_inactive(st, code, value):
    inactive = ~st.read64(EXEC) if code != EXEC else 0
    value = value & ~inactive | st.read64(code) & inactive
    st.sgpr[code], st.sgpr[code + 1] = value & M32, value >> 32 & M32


mistake("common", "VSKIP ignored",
        "v_add_f32 v_add_co_u32 v_and_b32 v_swap_b32 v_readfirstlane_b32 v_mul_f64 v_add_u16 v_not_b32",
        attribute(machine, "VSKIP", VSKIP + 3))
mistake("common", "GPR index mode ignored", "v_mov_b32 v_add_f32",
        attribute(machine.Machine, "indexed", lambda self, st, n, m0_bit, dwords: n))
mistake("common", "16-bit results keep the upper half", "v_add_f16 v_mul_lo_u16 v_mad_f16",
        lambda arch: mock.patch.object(machine.Machine, "half", lambda self, st, r,
                                       old: old & 0xFFFF0000 | r), arch="gcn1.2")
mistake("common", "V_MAD_F16, V_MAD_U16 clear the upper half", "v_mad_f16 v_mad_u16",
        setting("v_mad_f16", keep=False), setting("v_mad_u16", keep=False))
def without_op_sel(right):
    def vop3(arch, word, high):
        op = right(arch, word, high)
        op.op_sel = 0
        return op
    return vop3


mistake("common", "OP_SEL ignored", "v_mad_f16 v_mad_u16 v_max3_i16 v_mad_u32_u16",
        attribute(forms, "vop3", without_op_sel(forms.vop3)))

# --- arithmetic --------------------------------------------------------------------

for _name in ("v_mad_f32", "v_mac_f32", "v_madmk_f32"):
    wrong("FMA contraction", _name, "one rounding", lambda right, env, a, b, c: arith.fma(env, F32, a, b, c, True))
wrong("common", "v_mad_f32", "denormals obey MODE", lambda right, env, a, b, c: arith._mad(env, F32, a, b, c, False,
        None))
wrong("common", "v_fma_f32", "two roundings",
      lambda right, env, a, b, c: arith.add(env, F32, arith.mul(env, F32, a, b), c))
wrong("common", "v_mul_legacy_f32", "0 * infinity is NaN", lambda right, env, a, b: arith.mul(env, F32, a, b))
wrong("x86 MINPS", "v_min_f32", "S1 on any NaN", lambda right, env, a, b: arith.min_legacy(env, a, b))
wrong("C fmin", "v_min_f32", "-0 and +0 are equal",
      lambda right, env, a, b: a if F32.is_zero(a) and F32.is_zero(b) else right(env, a, b))
wrong("common", "v_max_f32", "signalling NaN treated as quiet",
      lambda right, env, a, b: b if F32.is_nan(a) else a if F32.is_nan(b) else right(env, a, b))
wrong("common", "v_max_f32", "denormals flushed before gfx9",
      lambda right, env, a, b: right(env, env.flush(F32, a), env.flush(F32, b)), arch="gcn1.2")
wrong("common", "v_med3_f32", "NaN by sorting", lambda right, env, *s: sorted(s, key=lambda x: arith.order(F32, x))[1])
wrong("common", "v_fract_f32", "may be 1.0", lambda right, env, x: 0x3F800000 if right(env, x) == 0x3F7FFFFF
      else right(env, x))
wrong("common", "v_fract_f32", "x - trunc(x)", lambda right, env, x: right(env, x & ~F32.sign))
wrong("common", "v_rndne_f32", "ties away from zero", lambda right, env, x: half_away(right, env, x))


def half_away(right, env, x):
    if F32.is_finite(x) and F32.field(x) < F32.bias + 23:
        sign, m, e = F32.value(x)
        return env.store(F32, sign, m + (1 << -e - 1) >> -e, 0)
    return right(env, x)


wrong("common", "v_ceil_f32", "sign of zero lost", lambda right, env, x: right(env, x) & (M32 if right(env,
        x) << 1 & M32 else 0))
wrong("common", "v_frexp_exp_i32_f32", "denormals not normalised",
      lambda right, env, x: M32 & -125 if F32.is_denormal(x) else right(env, x))
wrong("common", "v_frexp_mant_f32", "in [1, 2)", lambda right, env, x: right(env, x) + F32.min_normal
      if F32.is_finite(x) and not F32.is_zero(env.flush(F32, x)) else right(env, x))
wrong("common", "v_ldexp_f32", "exponent cut to 8 bits", lambda right, env, x, n: right(env, x, sext(n, 8) & M32))
wrong("common", "v_cubema_f32", "not doubled", lambda right, env, *s: s[arith.cube_face(env, *s)])
wrong("common", "v_cubeid_f32", "ties go to X",
      lambda right, env, x, y, z: right(env, x + (x & ~F32.sign == y & ~F32.sign), y, z))
wrong("common", "v_trig_preop_f64", "53 bits too early", lambda right, env, x, n: right(env, x, n - 1 if n & 31 else n))

# --- transcendental ----------------------------------------------------------------

wrong("common", "v_sin_f32", "radians", lambda right, env, x: right(env, F32.is_finite(x) and x
        and x - 0x01400000 or x))
wrong("CLRX", "v_sin_f32", "0 beyond one revolution",
      lambda right, env, x: 0 if F32.is_finite(x) and F32.magnitude(x) > F32.one else right(env, x))
wrong("common", "v_exp_f32", "e^x", lambda right, env, x: right(env, arith.mul(env, F32, x, 0x3FB8AA3B)))
wrong("common", "v_exp_f32", "denormal results", lambda right, env, x: deep_exp(right, env, x))


def deep_exp(right, env, x):
    if F32.is_finite(x) and 0xC2FC0000 < x < 0xC3150000:
        return env.store(F32, *transcend.exponential(*F32.value(x)), flush=False)
    return right(env, x)


wrong("common", "v_log_f32", "natural logarithm", lambda right, env, x: arith.mul(env, F32, right(env, x), 0x3F317218))
wrong("common", "v_rcp_f32", "denormal source kept", lambda right, env, x: right(env, x) if not F32.is_denormal(x)
      else env.store(F32, *transcend.reciprocal(*F32.value(x))))
wrong("common", "v_rsq_f32", "of -0 is +infinity", lambda right, env, x: right(env, x & ~F32.sign if F32.is_zero(x)
        else x))
wrong("PS4 fork", "v_sqrt_f32", "of -0 is +0", lambda right, env, x: 0 if x == F32.sign else right(env, x))

# --- conversions -------------------------------------------------------------------

wrong("x86", "v_cvt_i32_f32", "NaN gives 0x80000000", lambda right, env, x: 1 << 31 if F32.is_nan(x) else right(env, x))
wrong("x86", "v_cvt_i32_f32", "overflow gives 0x80000000",
      lambda right, env, x: 1 << 31 if right(env, x) == M32 >> 1 else right(env, x))
wrong("common", "v_cvt_u32_f32", "negative numbers wrap",
      lambda right, env, x: -right(env, x ^ F32.sign) & M32 if x & F32.sign else right(env, x))
wrong("common", "v_cvt_flr_i32_f32", "NaN gives 0", lambda right, env, x: 0 if F32.is_nan(x) else right(env, x))
wrong("common", "v_cvt_rpi_i32_f32", "0.5 added in binary32",
      lambda right, env, x: convert.floor_to_i32(env, arith.add(env, F32, x, 0x3F000000), False))
wrong("gem5, shadPS4", "v_cvt_pk_u8_f32", "truncates",
      lambda right, env, x, p, d: right(env, arith.integral(env, F32, x, "trunc"), p, d))
wrong("CLRX", "v_cvt_pk_u8_f32", "NaN test inverted",
      lambda right, env, x, p, d: right(env, x if F32.is_nan(x) else F32.qnan, p, d))
wrong("common", "v_cvt_pknorm_i16_f32", "times 32768, truncated",
      lambda right, env, a, b: right(env, a, b) + (1 if a == 0x3F000000 else 0) if a == 0x3F000000 else
      ints.joined([int(norm_truncated(env, x)) & 0xFFFF for x in (a, b)], 16))


def norm_truncated(env, x):
    if F32.is_nan(x):
        return 0
    sign, m, e = F32.value(min(F32.magnitude(x), F32.one))
    r = m * 32767 >> -e
    return -r if x & F32.sign else r


wrong("common", "v_cvt_pkrtz_f16_f32", "nearest even",
      lambda right, env, a, b: convert.to_half(env, a, 0) | convert.to_half(env, b, 0) << 16)
wrong("common", "v_cvt_f32_f16", "signalling NaN not quieted", lambda right, env, x: right(env, x) if not F16.is_snan(x)
      else F32.signed(x & F16.sign, F32.inf | (x & 0x3FF) << 13))
wrong("common", "v_cvt_f32_f64", "NaN payload dropped", lambda right, env, x: F32.qnan if F64.is_nan(x)
      else right(env, x))
wrong("common", "v_cvt_off_f32_i4", "unsigned", lambda right, env, x: right(env, x & 7))
wrong("common", "v_cvt_f32_ubyte1", "byte 0", lambda right, env, x: right(env, x << 8))

# --- integers ----------------------------------------------------------------------

wrong("common", "v_lshlrev_b32", "operands exchanged", lambda right, env, a, b: right(env, b, a))
wrong("common", "v_lshl_b32", "operands exchanged", lambda right, env, a, b: right(env, b, a), arch="gcn1.0")
wrong("common", "v_lshr_b64", "operands exchanged", lambda right, env, a, b: b >> (a & 63), arch="gcn1.0")
wrong("common", "v_lshrrev_b64", "5-bit count", lambda right, env, a, b: right(env, a & 31, b))
mistake("common", "V_ADD_U32 on gfx9 writes the carry", "v_add_u32",
        lambda arch: setting("v_add_u32", cout=True, f=ints.add_carry)(arch))
wrong("Vega doc", "v_alignbyte_b32", "5 bits of S2", lambda right, env, a, b, c: (a << 32 | b) >> 8 * (c & 31) & M32)
wrong("Vega doc", "v_sad_u32", "signed distance", lambda right, env, a, b, c: abs(i32(a) - i32(b)) + c & M32)
wrong("gem5", "v_bcnt_u32_b32", "no addend", lambda right, env, a, b: a.bit_count())
wrong("Vega doc", "v_subbrev_co_u32", "borrow computed with S1",
      lambda right, env, a, b: (right(env, a, b)[0], int(b + env.carry > a)))
wrong("common", "v_addc_co_u32", "carry-in ignored", lambda right, env, a, b: (a + b & M32, a + b >> 32))
wrong("gem5", "v_subb_co_u32", "S1 + carry wraps",
      lambda right, env, a, b: (right(env, a, b)[0], int((b + env.carry & M32) > a)))
wrong("common", "v_ffbh_u32", "32 for 0", lambda right, env, a: right(env, a) if a else 32)
wrong("common", "v_ffbl_b32", "0 for 0", lambda right, env, a: right(env, a) if a else 0)
wrong("common", "v_ffbh_i32", "-1 for 0 only", lambda right, env, a: 32 if a == M32 else right(env, a))
wrong("common", "v_bfe_i32", "not sign-extended past bit 31", lambda right, env, a, b, c: bfe_short(right, env, a, b,
        c))


def bfe_short(right, env, a, b, c):
    return a >> (b & 31) if (b & 31) + (c & 31) > 32 else right(env, a, b, c)


wrong("common", "v_bfm_b32", "width 32 gives all ones", lambda right, env, a, b: M32 if a == 32 else right(env, a, b))
wrong("common", "v_perm_b32", "S0 holds bytes 0 to 3", lambda right, env, a, b, c: right(env, b, a, c))
wrong("common", "v_perm_b32", "selectors masked to 3 bits", lambda right, env, a, b, c: right(env, a, b,
        c & 0x07070707))
wrong("common", "v_mul_i32_i24", "32-bit factors", lambda right, env, a, b: a * b & M32)
wrong("common", "v_mul_hi_u32_u24", "bits 24 and up", lambda right, env, a, b: ints.mul_u24(a, b) >> 24 & M32)
wrong("common", "v_mad_u64_u32", "carry dropped", lambda right, env, a, b, c: (right(env, a, b, c)[0], 0))
wrong("common", "v_msad_u8", "S0 = 0 masks", lambda right, env, a, b, c: right(env, b, a, c))
wrong("common", "v_qsad_pk_u16_u8", "S0 not shifted", lambda right, env, a, b, c: right(env, (a & M32) * 0x100000001,
        b, c))
wrong("common", "v_lerp_u8", "always rounds up", lambda right, env, a, b, c: right(env, a, b, M32))
wrong("common", "v_mbcnt_lo_u32_b32", "counts its own lane",
      lambda right, env, a, b: right(env, a, b) + (a >> env.lane & 1 if env.lane < 32 else 0) & M32)
wrong("common", "v_med3_i32", "unsigned", lambda right, env, *s: sorted(s)[1])
wrong("common", "v_cndmask_b32", "operands exchanged", lambda right, env, a, b: right(env, b, a))
wrong("common", "v_cvt_pk_i16_i32", "cut, not saturated", lambda right, env, a, b: a & 0xFFFF | (b & 0xFFFF) << 16)
wrong("common", "v_mul_lo_u16", "CLAMP-like saturation", lambda right, env, a, b: min(a * b, 0xFFFF))
wrong("common", "v_lshlrev_b16", "5-bit count", lambda right, env, a, b: b << (a & 31) & 0xFFFF)
mistake("common", "integer CLAMP ignored", "v_add_u32 v_sub_u32 v_add_i32 v_mad_i16 v_pk_add_u16",
        attribute(floats.Env, "integer", lambda self, x, kind, well_known=False: x & (1 << int(kind[1:])) - 1))

# --- packed ------------------------------------------------------------------------

PACKED = "v_pk_add_f16 v_pk_mul_lo_u16 v_pk_fma_f16 v_pk_max_i16"
mistake("common", "OP_SEL_HI ignored", PACKED, attribute(packed.Packed, "two", lambda self, s: (
    self.half(s, self.op_sel, self.neg_lo), self.half(s, 7, self.neg_hi))))
mistake("common", "NEG_HI is NEG_LO", PACKED, attribute(packed.Packed, "two", lambda self, s: (
    self.half(s, self.op_sel, self.neg_lo), self.half(s, self.op_sel_hi, self.neg_lo))))
mistake("common", "MIX: NEG_HI negates", "v_mad_mix_f32 v_mad_mixlo_f16", attribute(
    packed, "mix_source", lambda env, p, n, x, fused: RIGHT_MIX(env, packed.Packed(p.op_sel, p.op_sel_hi,
            p.neg_lo ^ p.neg_hi, 0), n, x, fused)))
RIGHT_MIX = packed.mix_source
mistake("common", "MIX: binary16 denormals are kept", "v_mad_mix_f32 v_mad_mixlo_f16", attribute(
    packed, "mix_half", lambda env, half, fused: half))
mistake("common", "V_MAD_MIXHI_F16 clears the low half", "v_mad_mixhi_f16", attribute(
    machine.Machine, "half", lambda self, st, r, old: r << 16))
wrong("common", "v_dot4_i32_i8", "unsigned bytes", lambda right, env, p, a, b, c:
      sum(x * y for x, y in zip(ints.parts(a, 8, 4), ints.parts(b, 8, 4))) + c & M32, arch="gcn1.4.1")
wrong("common", "v_fma_mix_f32", "two roundings", lambda right, env, p, *s:
      meaning("v_mad_mix_f32", 9).f(env, p, *s), arch="gcn1.4.1")

# --- lanes -------------------------------------------------------------------------

mistake("common", "V_READFIRSTLANE with EXEC = 0 leaves SDST", "v_readfirstlane_b32", attribute(
    machine.Machine, "readfirstlane", lambda self, st: RIGHT_FIRST(self, st) if st.read64(EXEC) else None))
RIGHT_FIRST = machine.Machine.readfirstlane
mistake("common", "V_WRITELANE obeys EXEC", "v_writelane_b32", attribute(
    machine.Machine, "writelane", lambda self, st: RIGHT_WRITE(self, st)
    if st.read64(EXEC) >> (self.plain(st, 1)[0] & 63) & 1 else None))
RIGHT_WRITE = machine.Machine.writelane
mistake("common", "V_READLANE reads 0 from an inactive lane", "v_readlane_b32", attribute(
    machine.Machine, "readlane", lambda self, st: RIGHT_READ(self, st)
    if st.read64(EXEC) >> (self.plain(st, 1)[0] & 63) & 1 else self.to_sgpr(st, 0)))
RIGHT_READ = machine.Machine.readlane
mistake("common", "V_SWAP_B32 copies one way", "v_swap_b32", attribute(
    machine.Machine, "swap", lambda self, st: self.move(st, self.op.src[0] - 256, self.op.vdst)))
mistake("common", "V_MOVRELD ignores M0", "v_movreld_b32", attribute(
    machine.Machine, "movreld", lambda self, st: self.move(st, None, self.op.vdst)), arch="gcn1.2")
mistake("common", "V_MOVRELS takes 8 bits of M0", "v_movrels_b32", attribute(
    machine.Machine, "movrels", lambda self, st: self.move(st, self.op.src[0] - 256 + (st.sgpr[M0] & 255),
                                                           self.op.vdst)),
    arch="gcn1.2")


# --- running -----------------------------------------------------------------------

def load_vectors(wanted):
    """{(arch, mnemonic): vectors} of those wanted."""
    out = {key: [] for key in wanted}
    for arch in {arch for arch, _ in wanted}:
        for path in made(f"valu-vop[123]*-{arch}.jsonl.gz"):
            with gzip.open(path, "rt") as f:
                for line in f:
                    name = line.split('"mnemonic":"', 1)[1].split('"', 1)[0]
                    if (arch, name) in out:
                        out[arch, name].append(json.loads(line))
    return out


def passes(v):
    st, want = State().load(v["init"]), State().load(v["init"])
    want.load({"sgpr": v["expect"].get("sgpr", {})})
    want.load({k: x for k, x in v["expect"].items() if k != "sgpr"})
    result = run(Program(v["words"], v["arch"], st.pc), st, 1)
    return result.outcome == "budget" and st.dump() == want.dump()


def exchange(arch):
    """Puts every function in the place of every other of the same shape. Returns the pairs not noticed."""
    gen, groups = GENERATION[arch], {}
    for row in ROWS:
        if arch in row.opcode and executed(row):
            m = meaning(row.mnemonic, gen)
            if m.f:
                key = (row.encoding == "VOP3P", m.dst, tuple(m.src), m.acc, m.cin, m.cout, m.vcc, m.constant)
                groups.setdefault(key, []).append(m)
    vectors = load_vectors({(arch, m.name) for group in groups.values() for m in group})
    count, unnoticed = 0, []
    for group in groups.values():
        for m in group:
            for other in group:
                if other is not m:
                    count += 1
                    with mock.patch.object(m, "f", other.f):
                        if all(passes(v) for v in vectors[arch, m.name]):
                            unnoticed.append((m.name, other.name))
    return count, unnoticed


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--markdown", action="store_true", help="print the table of the README")
    parser.add_argument("--exchange", metavar="ARCH", help="exchange functions of the same shape instead")
    args = parser.parse_args()
    if args.exchange:
        count, unnoticed = exchange(args.exchange)
        print(f"{args.exchange}: {count} exchanges, {len(unnoticed)} not noticed", *map(" = ".join, unnoticed),
              sep="\n  ")
        return
    vectors = load_vectors({(arch, n) for _, _, names, arch, _ in MISTAKES for n in names})
    wrong_model = [v["id"] for vs in vectors.values() for v in vs[::10] if not passes(v)]
    assert not wrong_model, wrong_model[:5]
    missed = 0
    for who, what, names, arch, patches in MISTAKES:
        some = [v for n in names for v in vectors[arch, n]]
        assert some, what
        with contextlib.ExitStack() as stack:
            for patch in patches:
                stack.enter_context(patch(arch))
            failed = [v for v in some if not passes(v)]
        certain = sum(v["certainty"] == "certain" for v in failed)
        missed += not failed
        if args.markdown:
            print(f"| {what} | {who} | {len(failed)} ({certain}) |")
        else:
            print(f"{'MISSED' if not failed else 'caught':7} {len(failed):4} of {len(some):4} "
                  f"({certain} certain)  {what} [{who}]", flush=True)
    if not args.markdown:
        print(f"{len(MISTAKES)} mistakes, {missed} missed")
    sys.exit(missed > 0)


if __name__ == "__main__":
    main()
