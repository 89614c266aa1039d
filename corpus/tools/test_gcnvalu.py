#!/usr/bin/env python3
"""Hand-computed cases against slips of the vector ALU model: python3 corpus/tools/test_gcnvalu.py

Expected values come from the tables of the documents or were worked out on paper, not
copied from a run.
"""

import math
import os
import random
import struct
import sys
import unittest
from fractions import Fraction

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from gcnmodel import EXEC, M0, VCC, Program, State, run
from gcnvalu import arith, encode
from gcnvalu.floats import F16, F32, F64, rounded
from gcnvalu.ints import M32
from gcnvalu.rows import GENERATION, ROWS, executed, meaning
from gcnvalu.transcend import transcendental
from gcnvalu.floats import Env

FULL = (1 << 64) - 1
KEEP = 0x3F0                    # all denormals kept, IEEE, DX10_CLAMP
A, B = 0x89ABCDEF, 0x01007F23
QNAN = 0xFFC00000


def find(name, arch):
    return next(r for r in ROWS if r.mnemonic == name and arch in r.opcode)


def put(st, n, value, kind):
    for k in range(max(1, int(kind[1:]) // 32)):
        st.vgpr[n + k] = [value >> 32 * k & M32] * 64


def execute(words, st, arch):
    result = run(Program(words, arch, st.pc), st, 1)
    assert result.outcome == "budget", (result.outcome, result.detail)
    return st


def calc(name, *sources, arch=None, mode=KEEP, vcc=0, old=0, full=False, **fields):
    """The result of lane 0, VOP3 form, sources in v4, v8, v12, D in v20; with `cout` also the lane bit."""
    arch = arch or next(a for a in ("gcn1.4.1", "gcn1.4", "gcn1.2", "gcn1.1", "gcn1.0")
                        if any(r.mnemonic == name and a in r.opcode for r in ROWS))
    row, m = find(name, arch), meaning(name, GENERATION[arch])
    st = State()
    st.mode = mode
    st.write64(EXEC, FULL)
    st.write64(VCC, vcc)
    for n, (value, kind) in enumerate(zip(sources, m.src)):
        put(st, 4 + 4 * n, value, kind if row.encoding != "VOP3P" else "b32")
    put(st, 20, old, m.dst)
    codes = [256 + 4 + 4 * n for n in range(len(m.src))]
    if row.encoding == "VOP3P":
        words = encode.vop3p(arch, row, 20, codes, **fields)
    else:
        if m.cin:
            codes.append(VCC)
        words = encode.vop3(arch, row, 20, codes, sdst=VCC if m.cout else None, **fields)
    execute(words, st, arch)
    width = int(m.dst[1:])
    value = sum(st.vgpr[20 + k][0] << 32 * k for k in range(max(1, width // 32)))
    if width == 16 and not full:
        value &= 0xFFFF
    return (value, st.read64(VCC) & 1) if m.cout else value


class Case(unittest.TestCase):
    def check(self, name, *cases, **more):
        """Tuples: sources..., expected."""
        for *sources, expected in cases:
            with self.subTest(name=name, sources=[hex(x) for x in sources], **more):
                got = calc(name, *sources, **more)
                show = (lambda x: tuple(map(hex, x))) if isinstance(got, tuple) else hex
                self.assertEqual(show(got), show(expected))


class CheckValues(Case):
    """The values of docs/gcn/valu-check-values.md#check-values."""

    def test_bytes(self):
        self.check("v_sad_u8", (A, B, 0x10, 0x25D))
        self.check("v_msad_u8", (A, B, 0x10, 0x1B2))
        self.check("v_sad_hi_u8", (A, B, 0x10, 0x024D0010))
        self.check("v_sad_u16", (A, B, 0x10, 0xD787))
        self.check("v_sad_u32", (A, B, 0x10, 0x88AB4EDC))
        self.check("v_lerp_u8", (A, B, 0x00010100, 0x4556A689))
        quad = 0x8899AABBCCDDEEFF
        self.check("v_qsad_pk_u16_u8", (quad, B, 0x0001000200030004, 0x0228026D02B202F7))
        self.check("v_mqsad_pk_u16_u8", (quad, B, 0x0001000200030004, 0x017E01B201E6021A))
        self.check("v_perm_b32", (0x01020304, 0x85868788, 0x0C080700, 0x00FF0188),
                   (0x01020304, 0x85868788, 0x0D0B0905, 0xFF00FF03),
                   (0x11223344, 0x55667788, 0x06050403, 0x22334455))
        self.check("v_alignbit_b32", (A, B, 12, 0xDEF01007))
        self.check("v_alignbyte_b32", (A, B, 1, 0xEF01007F), (A, B, 5, 0xEF01007F))

    def test_fields(self):
        self.check("v_bfe_i32", (A, 4, 8, 0xFFFFFFDE), (A, 28, 31, 0xFFFFFFF8), (A, 0, 0, 0), (A, 0, 32, 0))
        self.check("v_bfe_u32", (A, 4, 8, 0xDE), (A, 28, 31, 8))
        self.check("v_bfm_b32", (8, 28, 0xF0000000), (3, 30, 0xC0000000), (32, 0, 0))

    def test_products(self):
        self.check("v_mul_i32_i24", (0xFF800001, 3, 0xFE800003))
        self.check("v_mul_hi_i32_i24", (0xFF800001, 3, M32))
        self.check("v_mul_u32_u24", (0x12FFFFFF, 0xFFFFFF, 0xFE000001))
        self.check("v_mul_hi_u32_u24", (0x12FFFFFF, 0xFFFFFF, 0xFFFF))
        self.check("v_mad_u64_u32", (M32, M32, FULL, (0xFFFFFFFE00000000, 1)))
        self.check("v_mad_i64_i32", (M32, 1, 0, (FULL, 1)), (M32, M32, (1 << 63) - 1, (1 << 63, 0)))

    def test_floats(self):
        self.check("v_mad_f32", (0x3F800001, 0x3F800001, 0xBF800002, 0))
        self.check("v_fma_f32", (0x3F800001, 0x3F800001, 0xBF800002, 0x28800000))
        for name in ("v_min_f32", "v_max_f32"):
            self.check(name, (0x7FC00000, 0x3F800000, 0x3F800000), (0x3F800000, 0x7FC00000, 0x3F800000))
        self.check("v_min_f32", (0x7F800001, 0x3F800000, 0x7FC00001))
        self.check("v_min_f32", (0x7F800001, 0x3F800000, 0x3F800000), mode=0x1F0)
        self.check("v_fract_f32", (0xB3000000, 0x3F7FFFFF), (0xBF000000, 0x3F000000), (0xFF800000, QNAN))

    def test_conversions(self):
        self.check("v_cvt_rpi_i32_f32", (0x3EFFFFFF, 0), (0xBF000000, 0), (0x40200000, 3), (QNAN, 0x80000000))
        self.check("v_cvt_flr_i32_f32", (0xBF000000, M32), (QNAN, 0x80000000), (0x7FC00000, 0x7FFFFFFF))
        self.check("v_cvt_i32_f32", (QNAN, 0), (0xBFC00000, M32), (0x7F800000, 0x7FFFFFFF), (0xFF800000, 1 << 31))
        self.check("v_cvt_u32_f32", (QNAN, 0), (0xBFC00000, 0), (0x4F800000, M32))
        self.check("v_cvt_pknorm_i16_f32", (0x3F000000, 0xBF000000, 0xC0004000), (0x3DCCCCCD, 0xBF800000, 0x80010CCD))
        self.check("v_cvt_pknorm_u16_f32", (0x3F000000, 0x3F800000, 0xFFFF8000))
        self.check("v_cvt_pkrtz_f16_f32", (0x3DCCCCCD, 0x477FF000, 0x7BFF2E66), (0x49742400, 0xC9742400, 0xFBFF7BFF))
        self.check("v_cvt_f16_f32", (0x477FEF00, 0x7BFF), (0x477FF000, 0x7C00), (0x33000000, 0), (0x33400000, 1))
        self.check("v_cvt_f64_f32", (1, 0x36A0000000000000), (0xFF800001, 0xFFF8000020000000))
        self.check("v_cvt_f32_f64", (0x7FF0000000000001, 0x7FC00000), (0x3FF0000010000000, 0x3F800000))
        self.check("v_cvt_off_f32_i4", (7, 0x3EE00000), (8, 0xBF000000), (0xF, 0xBD800000))
        self.check("v_cvt_pk_u8_f32", (0x40200000, 1, M32, 0xFFFF02FF), (0x43800000, 0, 0, 255))

    def test_exponents(self):
        self.check("v_frexp_exp_i32_f32", (1, 0xFFFFFF6C), (0x3F800000, 1), (0x7F800000, 0))
        self.check("v_frexp_mant_f32", (1, 0x3F000000), (0xC0400000, 0xBF400000))
        self.check("v_ldexp_f32", (0x3F800000, 0x80000000, 0), (0x3F800000, 127, 0x7F000000), (1, 149, 0x3F800000))

    def test_trig_preop(self):
        one = 0x3FF0000000000000
        self.check("v_trig_preop_f64", (one, 0, 0x3FE45F306DC9C882), (one, 1, 0x3C94A7F09D5F47D4),
                   (one, 2, 0x394A6EE06DB14ACC), (0x4480F0CF064DD592, 0, 0x3E8B727220A94FE0),
                   (0x7E37E43C8800759C, 0, 0x0D0F516BA93DD63F))

    DIV_SCALE = [
        (0x3F800000, 0x40000000, 0x3F800000, 0x40000000, 0), (0x21800000, 0x5D800000, 0x41800000, 0x5D800000, 1),
        (0x71800000, 0x35800000, 0x71800000, 0x55800000, 1), (0x7F000000, 0x3F800000, 0x5F000000, 0x3F800000, 1),
        (0x7F400000, 0x70000000, 0x5F400000, 0x50000000, 0), (0x00800000, 0x08800000, 0x20800000, 0x28800000, 0),
        (0x00000001, 0x3F800000, 0x15000000, 0x3F800000, 1), (0x40400000, 0x03800000, 0x40400000, 0x23800000, 1),
        (0x00000000, 0x3F800000, 0xFFC00000, 0xFFC00000, 1)]

    def test_division(self):
        for d, n, den, num, flag in self.DIV_SCALE:
            self.check("v_div_scale_f32", (d, d, n, (den, flag)), (n, d, n, (num, flag)))
        self.check("v_div_fmas_f32", (0, 0, 0x40000000, 0x60000000), (0, 0, 0x3F800000, 0x1F800000), vcc=FULL)
        self.check("v_div_fmas_f32", (0, 0, 0x40000000, 0x40000000))
        self.check("v_div_fixup_f32", (0, 0, 0, QNAN), (0, 0, 0xBF800000, 0xFF800000),
                   (0x3F800000, 0x7F800000, 0xBF800000, 0x80000000), (0x7FC00000, 0x3F800000, 0x3F800000, 0x7F800000))

    def test_division_sequence(self):
        """The sequence SCALE, RCP, FMA.., FMAS, FIXUP gives the correctly rounded quotient."""
        rng = random.Random(1)
        for _ in range(300):
            n, d = rng.getrandbits(32), rng.getrandbits(32)
            if not (F32.is_finite(n) and F32.is_finite(d)) or F32.is_zero(n) or F32.is_zero(d):
                continue
            ds, _ = calc("v_div_scale_f32", d, d, n)
            ns, flag = calc("v_div_scale_f32", n, d, n)
            neg = ds ^ 1 << 31
            r = calc("v_rcp_f32", ds)
            e = calc("v_fma_f32", neg, r, 0x3F800000)
            r = calc("v_fma_f32", e, r, r)
            q = calc("v_mul_f32", ns, r)
            e = calc("v_fma_f32", neg, q, ns)
            q = calc("v_fma_f32", e, r, q)
            e = calc("v_fma_f32", neg, q, ns)
            q = calc("v_div_fmas_f32", e, r, q, vcc=flag)
            q = calc("v_div_fixup_f32", q, d, n)
            (sn, mn, en), (sd, md, ed) = F32.value(n), F32.value(d)
            quotient, rest = divmod(mn << 200, md)
            self.assertEqual(hex(q), hex(rounded(F32, sn ^ sd, quotient, en - ed - 200, rest != 0, 0, False)))


class Rounding(unittest.TestCase):
    def test_against_struct(self):
        """Nearest even, against the host's binary64 to binary32 and binary16 conversion."""
        rng = random.Random(2)
        for _ in range(3000):
            x = struct.unpack("<d", struct.pack("<Q", rng.getrandbits(52) | rng.randrange(800, 1150) << 52))[0]
            exact = F64.value(struct.unpack("<Q", struct.pack("<d", x))[0])
            try:
                want = struct.unpack("<I", struct.pack("<f", x))[0]
            except OverflowError:
                want = F32.inf
            self.assertEqual(rounded(F32, *exact, False, 0, False), want)
            try:
                want = struct.unpack("<H", struct.pack("<e", x))[0]
            except OverflowError:
                want = F16.inf
            self.assertEqual(rounded(F16, *exact, False, 0, False), want)

    def test_arithmetic_against_the_host(self):
        """Sums and products: binary64 directly; binary32, binary16 through binary64, where the second rounding
        is harmless for these operations."""
        rng = random.Random(4)
        env = Env(KEEP, 9)
        for fmt, letter, pattern in ((F16, "e", "H"), (F32, "f", "I"), (F64, "d", "Q")):
            def number(bits):
                return struct.unpack("<" + letter, struct.pack("<" + pattern, bits))[0]

            def pattern_of(x):
                try:
                    return struct.unpack("<" + pattern, struct.pack("<" + letter, x))[0]
                except OverflowError:
                    return fmt.inf | (x < 0) * fmt.sign
            for _ in range(2000):
                a, b = rng.getrandbits(fmt.width), rng.getrandbits(fmt.width)
                if rng.random() < 0.5:          # exponents near each other
                    b = b & ~fmt.inf | a & fmt.inf
                if not (fmt.is_finite(a) and fmt.is_finite(b)):
                    continue
                x, y = number(a), number(b)
                self.assertEqual(arith.add(env, fmt, a, b), pattern_of(x + y))
                self.assertEqual(arith.sub(env, fmt, a, b), pattern_of(x - y))
                self.assertEqual(arith.mul(env, fmt, a, b), pattern_of(x * y))
                if fmt is not F16 and x > 0:
                    self.assertEqual(transcendental(Env(KEEP, 9), F64, "sqrt", a) if fmt is F64 else
                                     rounded(F32, *self.root(a), 0, False), pattern_of(math.sqrt(x)))

    @staticmethod
    def root(bits):
        from gcnvalu.transcend import root
        return root(*F32.value(bits))

    def test_fma_against_fractions(self):
        rng = random.Random(5)
        env = Env(KEEP, 9)
        for fmt in (F16, F32, F64):
            for _ in range(500):
                a, b, c = ((fmt.bias + rng.randrange(-9, 9) << fmt.mbits | rng.getrandbits(fmt.mbits)
                            | rng.getrandbits(1) * fmt.sign) for _ in range(3))
                values = [Fraction((-1) ** s * m) * Fraction(2) ** e for s, m, e in map(fmt.value, (a, b, c))]
                exact = values[0] * values[1] + values[2]
                if exact == 0:
                    continue
                got = arith.fma(env, fmt, a, b, c)
                if fmt.is_inf(got):
                    continue
                s, m, e = fmt.value(got)
                value = Fraction((-1) ** s * m) * Fraction(2) ** e
                half_ulp = Fraction(2) ** e / 2
                self.assertLessEqual(abs(value - exact), half_ulp)
                if abs(value - exact) == half_ulp:
                    self.assertEqual(m & 1, 0)

    def test_directions(self):
        third = (0, (1 << 60) // 3, -60, True)
        self.assertEqual([rounded(F32, *third, mode, False) for mode in range(4)],
                         [0x3EAAAAAB, 0x3EAAAAAB, 0x3EAAAAAA, 0x3EAAAAAA])
        minus = (1,) + third[1:]
        self.assertEqual([rounded(F32, *minus, mode, False) for mode in range(4)],
                         [0xBEAAAAAB, 0xBEAAAAAA, 0xBEAAAAAB, 0xBEAAAAAA])
        huge = (0, 1, 200)
        self.assertEqual([rounded(F32, *huge, False, mode, False) for mode in range(4)],
                         [0x7F800000, 0x7F800000, 0x7F7FFFFF, 0x7F7FFFFF])
        self.assertEqual(rounded(F32, 1, 1, 200, False, 1, False), 0xFF7FFFFF)

    def test_tiny_is_decided_after_full_precision(self):
        # (2^25 - 1) * 2^-151: 24 bits round it up to 2^-126, no flush
        self.assertEqual(rounded(F32, 0, (1 << 25) - 1, -151, False, 0, True), 0x00800000)
        # (2^24 - 1) * 2^-150 has 24 bits: tiny, though the denormal rounding would reach 2^-126
        self.assertEqual(rounded(F32, 1, (1 << 24) - 1, -150, False, 0, True), 0x80000000)
        self.assertEqual(rounded(F32, 0, (1 << 24) - 1, -150, False, 0, False), 0x00800000)


class Transcendental(unittest.TestCase):
    def test_against_mpmath(self):
        try:
            import mpmath
        except ImportError:
            self.skipTest("no mpmath")
        mpmath.mp.prec = 300
        two_pi = 2 * mpmath.pi
        f = {"exp": lambda x: mpmath.power(2, x), "log": lambda x: mpmath.log(x, 2),
             "sin": lambda x: mpmath.sin(two_pi * x), "cos": lambda x: mpmath.cos(two_pi * x),
             "rcp": lambda x: 1 / x, "sqrt": mpmath.sqrt, "rsq": lambda x: 1 / mpmath.sqrt(x)}
        rng = random.Random(3)
        for fmt in (F16, F32, F64):
            env = Env(0x3F0, 9)
            for name, function in f.items():
                if fmt is F64 and name not in ("rcp", "sqrt", "rsq"):
                    continue
                for _ in range(150):
                    e = rng.randrange(-10, 8) if name in ("exp", "sin", "cos") else \
                        rng.randrange(fmt.emin // 2, fmt.bias // 2)
                    bits = e + fmt.bias << fmt.mbits | rng.getrandbits(fmt.mbits)
                    if name in ("exp", "sin", "cos", "rcp"):
                        bits |= rng.getrandbits(1) * fmt.sign
                    s, m, x = fmt.value(bits)
                    want = function(mpmath.mpf((-1) ** s * m) * mpmath.mpf(2) ** x)
                    if abs(want) < mpmath.mpf(2) ** fmt.emin:
                        continue
                    s, m, x, _ = want._mpf_
                    with self.subTest(name=name, fmt=fmt.name, x=hex(bits)):
                        self.assertEqual(hex(transcendental(env, fmt, name, bits)),
                                         hex(rounded(fmt, s, int(m), x, False, 0, fmt is F32)))

    def test_special_values(self):
        env = Env(0x3C0, 8)
        for name, x, want in (
                ("rcp", 0x80000001, 0xFF800000), ("rcp", 0x7F7FFFFF, 0), ("rcp", 0x40000000, 0x3F000000),
                ("rsq", 0x80000000, 0xFF800000), ("rsq", 0xBF800000, QNAN), ("sqrt", 0x80000000, 0x80000000),
                ("sqrt", 0x00400000, 0), ("exp", 0x43000000, 0x7F800000), ("exp", 0xC2FC0001, 0),
                ("exp", 0xC2FC0000, 0x00800000), ("log", 0x3F800000, 0), ("log", 0x80000001, 0xFF800000),
                ("log", 0x41000000, 0x40400000), ("sin", 0xBE800000, 0xBF800000), ("sin", 0x80000000, 0),
                ("sin", 0x3F000000, 0), ("cos", 0x3E800000, 0), ("cos", 0x3F000000, 0xBF800000),
                ("cos", 0x43808000, 0x3F800000), ("sin", 0x7F800000, QNAN), ("sin", 0x3DAAAAAB, 0x3F000000)):
            with self.subTest(name=name, x=hex(x)):
                self.assertEqual(hex(transcendental(env, F32, name, x)), hex(want))
        self.assertEqual(transcendental(Env(0x3F0, 9), F32, "sin", 0x43802000), 0x3F800000)     # 256.25
        self.assertEqual(hex(transcendental(Env(0x3F0, 9), F32, "sin", 1)), "0x6")      # 2 pi * 2^-149

    def test_pi_ln2(self):
        from gcnvalu import transcend
        self.assertEqual(transcend.PI >> transcend.BITS - 64,
                         int(Fraction("3.14159265358979323846264338327950288") * 2**64))
        self.assertEqual(transcend.LN2 >> transcend.BITS - 64,
                         int(Fraction("0.69314718055994530941723212145817657") * 2**64))


class Rules(Case):
    def test_nan(self):
        self.check("v_add_f32", (0x7F800001, 0x3F800000, 0x7FC00001), (0x3F800000, 0xFFC00123, 0xFFC00123),
                   (0x7FC00001, 0x7FC00002, 0x7FC00001), (0x7F800000, 0xFF800000, QNAN))
        self.check("v_add_f32", (0x7F800001, 0x3F800000, 0x7F800001), mode=0x1F0)
        self.check("v_subrev_f32", (0x7FC00001, 0x7FC00002, 0x7FC00001))
        self.check("v_sub_f32", (0x3F800000, 0x7FC00002, 0x7FC00002))
        self.check("v_fma_f32", (0, 0x7F800000, 0x7FC00001, QNAN))
        self.check("v_mul_legacy_f32", (0, 0x7FC00001, 0), (0x80000000, 0x40000000, 0))

    def test_min_max(self):
        self.check("v_min_f32", (0x80000000, 0, 0x80000000), (0, 0x80000000, 0x80000000))
        self.check("v_max_f32", (0x80000000, 0, 0), (0, 0x80000000, 0))
        self.check("v_max_f32", (1, 0x80000000, 1), arch="gcn1.2", mode=0x3C0)
        self.check("v_max_f32", (1, 0x80000000, 0), arch="gcn1.4", mode=0x3C0)
        self.check("v_min_legacy_f32", (0x7FC00000, 0x3F800000, 0x3F800000), (0x3F800000, 0x7F800001, 0x7F800001))
        self.check("v_min3_f32", (0x7F800001, 0x40000000, 0x3F800000, 0x3F800000))
        self.check("v_med3_f32", (0x40400000, 0x3F800000, 0x40000000, 0x40000000),
                   (0x7FC00000, 0x40400000, 0x3F800000, 0x3F800000), (0, 0x80000000, 0, 0))

    def test_flush(self):
        self.check("v_mul_f32", (0x00800000, 0x3F000000, 0x00400000))
        self.check("v_mul_f32", (0x80800000, 0x3F000000, 0x80000000), mode=0x3C0)
        self.check("v_mad_f32", (0x00800000, 0x3F000000, 0, 0))
        self.check("v_add_f32", (1, 1, 2))
        self.check("v_add_f32", (1, 1, 0), mode=0x3E0)
        self.check("v_floor_f32", (0x80000001, 0xBF800000))
        self.check("v_floor_f32", (0x80000001, 0x80000000), mode=0x3C0)

    def test_omod_clamp(self):
        self.check("v_add_f32", (0x3F800000, 0x3F800000, 0x40800000), mode=0x1C0, omod=1)
        self.check("v_add_f32", (0x3F800000, 0x3F800000, 0x40000000), mode=0x3C0, omod=1)
        self.check("v_add_f32", (0x3F800000, 0x3F800000, 0x40000000), mode=0x1F0, omod=1)
        self.check("v_add_f32", (0x80000000, 0x80000000, 0), mode=0x1C0, omod=3)
        self.check("v_add_f32", (0x3F800000, 0x3F800000, 0x3F800000), clamp=1)
        self.check("v_max_f32", (0x7FC00000, 0x7FC00000, 0), clamp=1)
        self.check("v_max_f32", (0x7FC00000, 0x7FC00000, 0x7FC00000), clamp=1, mode=0x2F0)
        self.check("v_add_f32", (0x80000000, 0x80000000, 0), clamp=1)

    def test_integer_clamp(self):
        self.check("v_add_u32", (M32, 1, M32), clamp=1)
        self.check("v_sub_u32", (0, 1, 0), clamp=1)
        self.check("v_add_co_u32", (M32, 2, (M32, 1)), clamp=1)
        self.check("v_add_i32", (0x7FFFFFFF, 1, 0x7FFFFFFF), clamp=1)
        self.check("v_mad_i16", (0x7FFF, 0x7FFF, 0, 0x7FFF), clamp=1)

    def test_carry(self):
        self.check("v_addc_co_u32", (M32, 0, (0, 1)), vcc=1)
        self.check("v_subb_co_u32", (0, M32, (0, 1)), vcc=1)
        self.check("v_subbrev_co_u32", (1, 3, (1, 0)), vcc=1)
        self.check("v_subrev_co_u32", (1, 3, (2, 0)))

    def test_halves(self):
        self.check("v_mad_f16", (0x3C00, 0x3C00, 0, 0xABCD3C00), old=0xABCD1234, full=True)
        self.check("v_mad_f16", (0x3C00, 0x3C00, 0, 0x3C001234), old=0xABCD1234, full=True, op_sel=8)
        self.check("v_mad_f16", (0x3C000000, 0x3C00, 0, 0xABCD3C00), old=0xABCD1234, full=True, op_sel=1)
        self.check("v_mad_f16", (0x3C00, 0x3C00, 0, 0x3C00), old=0xABCD1234, full=True, arch="gcn1.2")
        self.check("v_add_f16", (0x3C00, 0x3C00, 0x4000), old=0xABCD1234, full=True)
        self.check("v_max3_i16", (1, 2, 0xFFFF, 2), old=0xABCD1234, full=True)
        self.check("v_add_i16", (1, 2, 0xABCD0003), old=0xABCD1234, full=True)
        self.check("v_mac_f16", (0x3C00, 0x3C00, 0xABCD4000), old=0xABCD3C00, full=True)

    def test_ffbh(self):
        self.check("v_ffbh_u32", (0, M32), (1, 31))
        self.check("v_ffbh_i32", (0x40000000, 1), (7, 29), (0, M32), (M32, M32), (0x80000000, 1))
        self.check("v_ffbl_b32", (0, M32), (8, 3))

    def test_shifts(self):
        self.check("v_lshl_b32", (1, 33, 2))
        self.check("v_lshlrev_b32", (33, 1, 2))
        self.check("v_lshlrev_b64", (65, 1, 2))
        self.check("v_ashrrev_i64", (63, 1 << 63, FULL))

    def test_packed(self):
        self.check("v_pk_add_i16", (0x7FFF0001, 0x00010001, 0x80000002))
        self.check("v_pk_add_i16", (0x7FFF0001, 0x00010001, 0x7FFF0002), clamp=1)
        self.check("v_pk_add_f16", (0x3C004000, 0x3C003C00, 0x40004200))
        self.check("v_pk_add_f16", (0x3C004000, 0x3C003C00, 0x42004000), op_sel=1, op_sel_hi=6)
        self.check("v_pk_mul_f16", (0x3C004000, 0x3C003C00, 0xBC004000), neg_hi=1)
        self.check("v_pk_lshlrev_b16", (0x00110004, 0x00010001, 0x00020010))
        self.check("v_fma_mix_f32", (0x3C00, 0x40000000, 0x3F800000, 0x40400000), op_sel_hi=1)
        self.check("v_dot2_i32_i16", (0xFFFF0002, 0x00030004, 1, 6))
        self.check("v_dot4_i32_i8", (0x010203FF, 0x01010101, 0, 5))
        self.check("v_dot8_u32_u4", (0x11111111, 0x0F0F0F0F, 1, 61))
        self.check("v_dot4_u32_u8", (M32, M32, M32, M32), clamp=1)

    def test_cube(self):
        one, two, three = 0x3F800000, 0x40000000, 0x40400000
        minus = 1 << 31
        self.check("v_cubeid_f32", (one, two, three, 0x40800000), (one, two, three | minus, 0x40A00000),
                   (three | minus, two, one, one), (one, one, minus | one, 0x40A00000), (one, minus | two, one, three))
        self.check("v_cubesc_f32", (one, two, three | minus, one | minus), (three, two, one, one | minus))
        self.check("v_cubetc_f32", (one, two, three, two | minus), (one, three | minus, two, two | minus))
        self.check("v_cubema_f32", (one, two, three | minus, 0xC0C00000))


class Lanes(unittest.TestCase):
    """Tests of selection and movement, on v0 = 0..63 (or bytes); results are in v2."""

    def run_words(self, words, arch="gcn1.4", execute_mask=FULL, old=0xDEADBEEF, values=None, **state):
        st = State()
        st.mode = KEEP
        st.write64(EXEC, execute_mask)
        st.vgpr[0] = list(values or range(64))
        st.vgpr[2] = [old] * 64
        for code, value in state.get("regs", {}).items():
            st.sgpr[code] = value
        return execute(words, st, arch)

    def dpp(self, ctrl, mask=FULL, **more):
        word = encode.short("gcn1.4", find("v_mov_b32", "gcn1.4"), 2, 250)[0]
        return self.run_words(encode.dpp(word, 256, ctrl, **more), execute_mask=mask).vgpr[2]

    def test_dpp(self):
        kept = 0xDEADBEEF
        self.assertEqual(self.dpp(0x1B)[:8], [3, 2, 1, 0, 7, 6, 5, 4])
        self.assertEqual(self.dpp(0x101)[14:18], [15, kept, 17, 18])
        self.assertEqual(self.dpp(0x101, bound_ctrl=1)[14:18], [15, 0, 17, 18])
        self.assertEqual(self.dpp(0x112)[:4], [kept, kept, 0, 1])
        self.assertEqual(self.dpp(0x121)[16:19], [31, 16, 17])
        self.assertEqual(self.dpp(0x130)[62:], [63, kept])
        self.assertEqual(self.dpp(0x134)[62:], [63, 0])
        self.assertEqual(self.dpp(0x138)[:2], [kept, 0])
        self.assertEqual(self.dpp(0x13C)[:2], [63, 0])
        self.assertEqual(self.dpp(0x140)[16:18], [31, 30])
        self.assertEqual(self.dpp(0x141)[8:10], [15, 14])
        self.assertEqual(self.dpp(0x142)[15:18], [kept, 15, 15])
        self.assertEqual(self.dpp(0x143)[31:34], [kept, 31, 31])
        self.assertEqual(self.dpp(0xE4, row_mask=2)[14:18], [kept, kept, 16, 17])
        self.assertEqual(self.dpp(0xE4, bank_mask=4)[6:10], [kept, kept, 8, 9])
        self.assertEqual(self.dpp(0x138, mask=FULL ^ 2)[:4], [kept, kept, kept, 2])
        self.assertEqual(self.dpp(0x138, mask=FULL ^ 2, bound_ctrl=1)[:4], [0, kept, 0, 2])

    def sdwa(self, name="v_mov_b32", value=0x8081F2F3, old=0xDEADBEEF, **more):
        word = encode.short("gcn1.4", find(name, "gcn1.4"), 2, 249, 0)[0]
        src1 = 256 if name != "v_mov_b32" else None
        return self.run_words(encode.sdwa("gcn1.4", word, 256, src1, **more), values=[value] * 64, old=old).vgpr[2][0]

    def test_sdwa(self):
        self.assertEqual(self.sdwa(sel0=0), 0xF3)
        self.assertEqual(self.sdwa(sel0=3, sext=1), 0xFFFFFF80)
        self.assertEqual(self.sdwa(sel0=4, sext=1), 0xFFFFF2F3)
        self.assertEqual(self.sdwa(sel0=5), 0x8081)
        self.assertEqual(self.sdwa(dst_sel=1), 0xF300)
        self.assertEqual(self.sdwa(dst_sel=1, dst_unused=1), 0xFFFFF300)
        self.assertEqual(self.sdwa(dst_sel=1, dst_unused=2), 0xDEADF3EF)
        self.assertEqual(self.sdwa(dst_sel=5, dst_unused=2), 0xF2F3BEEF)
        self.assertEqual(self.sdwa("v_add_u32", sel0=0, sel1=1), 0x1E5)

    def test_lane_operations(self):
        arch = "gcn1.2"
        row = find("v_readlane_b32", arch)
        st = self.run_words(encode.vop3(arch, row, 7, [256, 10]), arch, 0, regs={10: 64 + 5})
        self.assertEqual(st.sgpr[7], 5)
        st = self.run_words(encode.vop3(arch, find("v_writelane_b32", arch), 2, [9, M0]), arch, 0,
                            regs={9: 77, M0: 63})
        self.assertEqual((st.vgpr[2][62], st.vgpr[2][63]), (0xDEADBEEF, 77))
        words = encode.short(arch, find("v_readfirstlane_b32", arch), 3, 256)
        self.assertEqual(self.run_words(words, arch, 0x30).sgpr[3], 4)
        self.assertEqual(self.run_words(words, arch, 0).sgpr[3], 0)

    def test_mbcnt_and_carry_mask(self):
        arch = "gcn1.2"
        st = self.run_words(encode.vop3(arch, find("v_mbcnt_hi_u32_b32", arch), 2, [193, 128]), arch)
        self.assertEqual([st.vgpr[2][i] for i in (0, 32, 33, 63)], [0, 0, 1, 31])
        words = encode.short(arch, find("v_add_u32", arch), 2, 193, 0)      # v2 = -1 + v0: carry but in lane 0
        st = self.run_words(words, arch, 0xFF)
        self.assertEqual(st.read64(VCC), 0xFE)

    def test_gpr_index(self):
        words = encode.short("gcn1.4", find("v_mov_b32", "gcn1.4"), 1, 256 + 250)
        st = State()
        st.mode = KEEP | 1 << 27
        st.write64(EXEC, FULL)
        st.sgpr[M0] = 1 << 15 | 1
        st.vgpr[250] = [9] * 64
        self.assertEqual(execute(words, st, "gcn1.4").vgpr[2], [9] * 64)

    def test_compare_dpp(self):
        from gcnmodel import BY_NAME
        word = encode.vopc_word("gcn1.2", BY_NAME["v_cmp_eq_u32"], 250, 0)
        st = self.run_words(encode.dpp(word, 256, 0x138), "gcn1.2")
        self.assertEqual(st.read64(VCC), 0)
        st = self.run_words(encode.dpp(word, 256, 0x138, bound_ctrl=1), "gcn1.2")
        self.assertEqual(st.read64(VCC), 1)


class Table(unittest.TestCase):
    COUNTS = {"gcn1.0": (60, 50, 53, 0), "gcn1.1": (66, 50, 56, 0), "gcn1.2": (77, 52, 77, 0),
              "gcn1.4": (81, 55, 109, 22), "gcn1.4.1": (81, 57, 109, 29)}

    def test_rows(self):
        for arch, counts in self.COUNTS.items():
            self.assertEqual(tuple(sum(r.encoding == e and arch in r.opcode for r in ROWS)
                                   for e in ("VOP1", "VOP2", "VOP3", "VOP3P")), counts)
            for row in ROWS:
                if arch in row.opcode and executed(row):
                    self.assertIsNotNone(meaning(row.mnemonic, GENERATION[arch]), row.mnemonic)


if __name__ == "__main__":
    unittest.main()
