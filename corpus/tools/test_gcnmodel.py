#!/usr/bin/env python3
"""Hand-computed cases against slips of the model: python3 corpus/tools/test_gcnmodel.py

Every expected value below was worked out on paper from the documents, not copied
from a run.  One test class per topic.
"""

import gzip
import json
import os
import re
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import gcnasm as asm
from gcnmodel import (ARCHES, BY_NAME, EXEC, M0, ROWS, SOP1, SOP2, SOPC, UNKNOWN, VCC, Program,
                      State, float_class, float_relation, run)

HERE = os.path.dirname(os.path.abspath(__file__))
FULL = (1 << 64) - 1
M1, MIN, MAX = 0xFFFFFFFF, 0x80000000, 0x7FFFFFFF
MIN64, MAX64 = 1 << 63, (1 << 63) - 1


def state(regs=None, vgpr=None, wide=None, **more):
    st = State()
    for code, value in (regs or {}).items():
        st.sgpr[code] = value
    for code, value in (wide or {}).items():
        st.write64(code, value)
    st.vgpr = vgpr or {}
    for name, value in more.items():
        setattr(st, name, value)
    return st


def execute(words, st, arch="gcn1.4", outcome="budget"):
    result = run(Program(words, arch, st.pc), st, 1)
    assert result.outcome == outcome, (result.outcome, result.detail)
    return st


def outcome_of(words, arch="gcn1.4", st=None):
    st = st or state()
    result = run(Program(words, arch, st.pc), st, 1)
    return result.outcome, result.detail.get("kind")


class ScalarCase(unittest.TestCase):
    """Helpers: tables of (S0, S1, SCC before, D, SCC after)."""

    def sop2(self, name, *cases):
        for a, b, scc, d, scc_after in cases:
            with self.subTest(name=name, a=hex(a), b=hex(b), scc=scc):
                got, flag = SOP2[name](a, b, scc)
                self.assertEqual(hex(got), hex(d))
                self.assertEqual(flag if flag is None else int(flag), scc_after)

    def sop1(self, name, *cases):
        for s, d, scc_after in cases:
            with self.subTest(name=name, s=hex(s)):
                got, flag = SOP1[name](s, 0, 0)
                self.assertEqual(hex(got), hex(d))
                self.assertEqual(flag if flag is None else int(flag), scc_after)


class Section3(ScalarCase):
    def test_add_u32_carry(self):
        self.sop2("s_add_u32", (M1, 1, 0, 0, 1), (M1, 0, 1, M1, 0), (MIN, MIN, 0, 0, 1),
                  (MAX, 1, 0, MIN, 0))

    def test_addc_sum_of_all_ones_is_no_carry(self):
        self.sop2("s_addc_u32", (0xFFFFFFFE, 0, 1, M1, 0), (M1, 0, 1, 0, 1), (M1, M1, 1, M1, 1),
                  (0x7FFFFFFF, MIN, 0, M1, 0), (0, 0, 1, 1, 0))

    def test_sub_borrow(self):
        self.sop2("s_sub_u32", (0, 1, 0, M1, 1), (5, 5, 1, 0, 0), (MIN, 1, 0, MAX, 0),
                  (1, M1, 0, 2, 1))

    def test_subb_with_s1_all_ones(self):
        self.sop2("s_subb_u32", (0, M1, 1, 0, 1), (M1, M1, 1, M1, 1), (M1, M1, 0, 0, 0),
                  (5, 4, 1, 0, 0), (5, 5, 1, M1, 1), (0, 0, 1, M1, 1), (0, 0, 0, 0, 0))

    def test_signed_overflow(self):
        self.sop2("s_add_i32", (MAX, 1, 0, MIN, 1), (MIN, MIN, 0, 0, 1), (M1, 1, 0, 0, 0),
                  (MIN, M1, 0, MAX, 1), (MAX, MIN, 1, M1, 0), (M1, M1, 1, 0xFFFFFFFE, 0))
        self.sop2("s_sub_i32", (0, MIN, 0, MIN, 1), (MIN, 1, 0, MAX, 1), (M1, MIN, 0, MAX, 0),
                  (MAX, M1, 0, MIN, 1), (MIN, MIN, 1, 0, 0), (0, 1, 0, M1, 0))

    def test_min_max_equal_operands_clear_scc(self):
        for name in ("s_min_i32", "s_min_u32", "s_max_i32", "s_max_u32"):
            self.sop2(name, (7, 7, 1, 7, 0))
        self.sop2("s_min_i32", (M1, 0, 0, M1, 1), (0, M1, 1, M1, 0))
        self.sop2("s_min_u32", (M1, 0, 0, 0, 0), (0, M1, 0, 0, 1))
        self.sop2("s_max_i32", (M1, 0, 0, 0, 0), (MAX, MIN, 0, MAX, 1))
        self.sop2("s_max_u32", (M1, 0, 0, M1, 1), (MAX, MIN, 0, MIN, 0))

    def test_cselect(self):
        self.sop2("s_cselect_b32", (1, 2, 1, 1, None), (1, 2, 0, 2, None))

    def test_second_source_is_complemented(self):
        self.sop2("s_andn2_b32", (0xFF, 0x0F, 0, 0xF0, 1), (0x0F, 0xFF, 1, 0, 0))
        self.sop2("s_orn2_b32", (0, M1, 1, 0, 0), (0, 0xFFFFFF00, 0, 0xFF, 1))
        self.sop2("s_nand_b64", (FULL, FULL, 1, 0, 0))
        self.sop2("s_nor_b32", (0, 0, 0, M1, 1))
        self.sop2("s_xnor_b32", (0xF0, 0xF0, 0, M1, 1), (M1, 0, 1, 0, 0))

    def test_shift_counts(self):
        self.sop2("s_lshl_b32", (1, 32, 0, 1, 1), (1, 31, 0, MIN, 1), (2, 31, 1, 0, 0),
                  (1, 255, 0, MIN, 1))
        self.sop2("s_lshl_b64", (1, 32, 0, 1 << 32, 1), (1, 64, 0, 1, 1), (1, 255, 0, MIN64, 1))
        self.sop2("s_lshr_b64", (MIN64, 63, 0, 1, 1), (MIN64, 31, 0, 1 << 32, 1))
        self.sop2("s_ashr_i32", (MIN, 31, 0, M1, 1), (MIN, 33, 0, 0xC0000000, 1), (1, 1, 1, 0, 0))
        self.sop2("s_ashr_i64", (MIN64, 63, 0, FULL, 1), (MAX64, 63, 1, 0, 0))

    def test_bfm(self):
        self.sop2("s_bfm_b32", (0, 5, 1, 0, None), (32, 0, 0, 0, None), (4, 4, 0, 0xF0, None),
                  (31, 31, 0, MIN, None))
        self.sop2("s_bfm_b64", (64, 0, 0, 0, None), (8, 60, 0, 0xF << 60, None),
                  (63, 1, 0, 0xFFFFFFFFFFFFFFFE, None))

    def test_bfe_unsigned(self):
        x = 0x89ABCDEF
        self.sop2("s_bfe_u32", (x, 0, 1, 0, 0), (x, 4 << 16 | 4, 0, 0xE, 1), (x, 32 << 16, 0, x, 1),
                  (x, 32 << 16 | 8, 0, 0x89ABCD, 1), (x, 127 << 16 | 31, 0, 1, 1),
                  (x, 31 << 16, 0, 0x09ABCDEF, 1), (x, 4 << 16 | 4 | 0xFF80FFE0, 0, 0xE, 1),
                  (0, 8 << 16, 1, 0, 0))

    def test_bfe_signed(self):
        x = 0x89ABCDEF
        self.sop2("s_bfe_i32", (x, 0, 1, 0, 0), (x, 1 << 16, 0, M1, 1), (x, 4 << 16 | 4, 0, 0xFFFFFFFE, 1),
                  (x, 32 << 16, 0, x, 1), (x, 32 << 16 | 8, 0, 0xFF89ABCD, 1),
                  (x, 33 << 16 | 31, 0, M1, 1), (x, 5 << 16 | 4, 0, 0x1E - 0x20 + 2**32, 1),
                  (x, 31 << 16, 0, 0x09ABCDEF, 1))

    def test_bfe_64_offset_has_six_bits(self):
        x = 0x8000000012345678
        self.sop2("s_bfe_u64", (x, 8 << 16 | 32, 1, 0, 0), (x, 64 << 16, 0, x, 1),
                  (x, 127 << 16 | 60, 0, 8, 1), (x, 33 << 16 | 63, 0, 1, 1))
        self.sop2("s_bfe_i64", (x, 127 << 16 | 60, 0, FULL - 7, 1), (x, 64 << 16, 0, x, 1),
                  (x, 8 << 16 | 16, 0, 0x34, 1), (x, 4 << 16 | 60, 0, FULL - 7, 1))

    def test_multiply(self):
        self.sop2("s_mul_i32", (M1, M1, 1, 1, None), (0x10000, 0x10000, 0, 0, None))
        self.sop2("s_mul_hi_u32", (M1, M1, 0, 0xFFFFFFFE, None), (MIN, 2, 0, 1, None))
        self.sop2("s_mul_hi_i32", (M1, M1, 0, 0, None), (M1, 1, 0, M1, None),
                  (MIN, MIN, 0, 0x40000000, None), (MIN, 2, 0, M1, None))

    def test_absdiff_wraps(self):
        self.sop2("s_absdiff_i32", (MAX, MIN, 0, 1, 1), (MIN, 0, 0, MIN, 1), (0, MIN, 0, MIN, 1),
                  (3, 5, 0, 2, 1), (5, 3, 0, 2, 1), (4, 4, 1, 0, 0), (M1, 1, 0, 2, 1))

    def test_lshl_add_does_not_cut_the_shifted_value(self):
        self.sop2("s_lshl1_add_u32", (MIN, 0, 0, 0, 1), (MAX, 1, 0, M1, 0), (MAX, 2, 0, 0, 1))
        self.sop2("s_lshl4_add_u32", (0x10000000, 5, 0, 5, 1), (1, 1, 1, 17, 0))

    def test_pack(self):
        a, b = 0x1111AAAA, 0x2222BBBB
        self.sop2("s_pack_ll_b32_b16", (a, b, 1, 0xBBBBAAAA, None))
        self.sop2("s_pack_lh_b32_b16", (a, b, 0, 0x2222AAAA, None))
        self.sop2("s_pack_hh_b32_b16", (a, b, 0, 0x22221111, None))


class Section4(ScalarCase):
    def test_find_first(self):
        self.sop1("s_ff0_i32_b32", (M1, M1, None), (0, 0, None), (0xFFFF, 16, None))
        self.sop1("s_ff1_i32_b32", (0, M1, None), (MIN, 31, None), (12, 2, None))
        self.sop1("s_ff0_i32_b64", (FULL, M1, None), (0xFFFFFFFF, 32, None))
        self.sop1("s_ff1_i32_b64", (0, M1, None), (MIN64, 63, None))

    def test_flbit(self):
        self.sop1("s_flbit_i32_b32", (0, M1, None), (1, 31, None), (MIN, 0, None))
        self.sop1("s_flbit_i32_b64", (0, M1, None), (1, 63, None), (1 << 32, 31, None))
        self.sop1("s_flbit_i32", (0, M1, None), (M1, M1, None), (1, 31, None), (MIN, 1, None),
                  (MAX, 1, None), (0xFFFFFFFE, 31, None), (0xC0000000, 2, None))
        self.sop1("s_flbit_i32_i64", (0, M1, None), (FULL, M1, None), (MIN64, 1, None), (1, 63, None),
                  (0xFFFFFFFF_00000000, 32, None), (0x00000000_80000000, 32, None))

    def test_counts_and_quads(self):
        self.sop1("s_bcnt0_i32_b32", (M1, 0, 0), (0, 32, 1), (MIN, 31, 1))
        self.sop1("s_bcnt1_i32_b64", (0, 0, 0), (FULL, 64, 1), (MIN64 | 1, 2, 1))
        self.sop1("s_wqm_b32", (0, 0, 0), (0x10, 0xF0, 1), (0x80000001, 0xF000000F, 1))
        self.sop1("s_quadmask_b32", (0x80000001, 0x81, 1), (0, 0, 0))
        self.sop1("s_quadmask_b64", (MIN64 | 1, 0x8001, 1), (FULL, 0xFFFF, 1))

    def test_reverse_extend_abs(self):
        self.sop1("s_brev_b32", (1, MIN, None), (0x12345678, 0x1E6A2C48, None))
        self.sop1("s_brev_b64", (1, MIN64, None))
        self.sop1("s_sext_i32_i8", (0x80, 0xFFFFFF80, None), (0x17F, 0x7F, None), (0x40, 0x40, None))
        self.sop1("s_sext_i32_i16", (0x8000, 0xFFFF8000, None), (0x14000, 0x4000, None))
        self.sop1("s_abs_i32", (MIN, MIN, 1), (M1, 1, 1), (0, 0, 0), (MAX, MAX, 1))
        self.sop1("s_bitreplicate_b64_b32", (0x80000001, 0xC000000000000003, None))
        self.sop1("s_not_b32", (M1, 0, 0), (0, M1, 1))

    def test_bitset_keeps_the_rest(self):
        self.assertEqual(SOP1["s_bitset0_b64"](64 + 33, FULL, 0)[0], FULL - (1 << 33))
        self.assertEqual(SOP1["s_bitset1_b32"](33, 0x10, 0)[0], 0x12)

    def test_cmov_leaves_sdst(self):
        words = asm.sop1("gcn1.2", "s_cmov_b32", 4, 5)
        self.assertEqual(execute(words, state({4: 9, 5: 7}), "gcn1.2").sgpr[4], 9)
        self.assertEqual(execute(words, state({4: 9, 5: 7}, scc=1), "gcn1.2").sgpr[4], 7)

    def test_saveexec(self):
        s, e = 0b1100, 0b1010
        expected = {"and": 0b1000, "or": 0b1110, "xor": 0b0110, "andn2": 0b0100, "andn1": 0b0010,
                    "orn2": FULL - 0b0010, "orn1": FULL - 0b0100, "nand": FULL - 0b1000,
                    "nor": FULL - 0b1110, "xnor": FULL - 0b0110}
        for op, new in expected.items():
            st = execute(asm.sop1("gcn1.4", f"s_{op}_saveexec_b64", 8, 4), state(wide={4: s, EXEC: e}))
            self.assertEqual((st.read64(EXEC), st.read64(8), st.scc), (new, e, 1), op)

    def test_saveexec_scc_and_overlap(self):
        st = execute(asm.sop1("gcn1.0", "s_and_saveexec_b64", 4, 4),
                     state(wide={4: 0xF0, EXEC: 0x0F}, scc=1), "gcn1.0")
        self.assertEqual((st.read64(EXEC), st.read64(4), st.scc), (0, 0x0F, 0))

    def test_saveexec_into_exec_keeps_old_exec(self):
        st = execute(asm.sop1("gcn1.4", "s_and_saveexec_b64", EXEC, 4), state(wide={4: 0xF0, EXEC: 0x0F}))
        self.assertEqual((st.read64(EXEC), st.scc), (0x0F, 0))
        self.assertIn("saveexec-sdst-exec", st.doubts)

    def test_wrexec(self):
        st = execute(asm.sop1("gcn1.4", "s_andn2_wrexec_b64", 8, 4), state(wide={4: 0xFF, EXEC: 0x0F}))
        self.assertEqual((st.read64(EXEC), st.read64(8), st.scc), (0xF0, 0xF0, 1))
        st = execute(asm.sop1("gcn1.4", "s_andn1_wrexec_b64", 8, 4), state(wide={4: 0xFF, EXEC: 0xF0F}))
        self.assertEqual((st.read64(EXEC), st.read64(8), st.scc), (0xF00, 0xF00, 1))

    def test_pc_instructions(self):
        st = execute(asm.sop1("gcn1.2", "s_getpc_b64", 2), state(pc=0xFFFFFFFC), "gcn1.2")
        self.assertEqual((st.read64(2), st.pc), (1 << 32, 1 << 32))
        st = execute(asm.sop1("gcn1.2", "s_swappc_b64", 4, 4), state(wide={4: 0x2000}, pc=0x1000), "gcn1.2")
        self.assertEqual((st.read64(4), st.pc), (0x1004, 0x2000))
        st = execute(asm.sop1("gcn1.2", "s_swappc_b64", 4, 255, 0x80000000), state(pc=0x1000), "gcn1.2")
        self.assertEqual((st.read64(4), st.pc), (0x1008, 0x80000000))
        st = execute(asm.sop1("gcn1.2", "s_setpc_b64", 0, 4), state(wide={4: 0x2003}), "gcn1.2")
        self.assertEqual((st.pc, st.doubts), (0x2000, {"pc-low-bits"}))

    def test_movrel(self):
        st = execute(asm.sop1("gcn1.2", "s_movrels_b32", 8, 10), state({M0: 5, 15: 77}), "gcn1.2")
        self.assertEqual(st.sgpr[8], 77)
        st = execute(asm.sop1("gcn1.2", "s_movreld_b64", 10, 8),
                     state({M0: M1 - 3, 8: 1, 9: 2}), "gcn1.2")          # 10 - 4
        self.assertEqual(st.sgpr[6:8], [1, 2])
        # out of range: s102 is an SGPR on 1.1 only; a source reads s0, a write is dropped
        for arch, value in (("gcn1.1", 55), ("gcn1.2", 11)):
            st = execute(asm.sop1(arch, "s_movrels_b32", 8, 100), state({0: 11, M0: 2, 102: 55}), arch)
            self.assertEqual(st.sgpr[8], value)
        st = execute(asm.sop1("gcn1.2", "s_movreld_b64", 10, 8), state({M0: 1, 8: 1, 9: 2}), "gcn1.2")
        self.assertEqual(st.sgpr[10:14], [0, 0, 0, 0])

    def test_gpr_idx_registers(self):
        st = execute(asm.sop1("gcn1.2", "s_set_gpr_idx_idx", 0, 4), state({4: 0x1FF, M0: 0xABCD1234}), "gcn1.2")
        self.assertEqual(st.sgpr[M0], 0xABCD12FF)
        st = execute(asm.sopc("gcn1.2", "s_set_gpr_idx_on", 4, 255), state({4: 0x102, M0: M1}), "gcn1.2")
        self.assertEqual((st.sgpr[M0], st.mode, st.pc), (0xFFFFFF02, 1 << 27, 4))
        st = execute(asm.sopp("gcn1.2", "s_set_gpr_idx_mode", 0xFFF3), state({M0: M1}), "gcn1.2")
        self.assertEqual(st.sgpr[M0], 0xFFFF3FFF)
        st = execute(asm.sopp("gcn1.2", "s_set_gpr_idx_off"), state({M0: 7}, mode=M1), "gcn1.2")
        self.assertEqual((st.sgpr[M0], st.mode), (7, 0xF7FFFFFF))


class Section56(unittest.TestCase):
    def test_bitcmp_bit_beyond_zero(self):
        self.assertTrue(SOPC["s_bitcmp1_b32"](0x20, 5))
        self.assertFalse(SOPC["s_bitcmp0_b32"](0x20, 37))
        self.assertTrue(SOPC["s_bitcmp1_b64"](1 << 37, 37))

    def test_signed_and_unsigned(self):
        self.assertTrue(SOPC["s_cmp_lt_i32"](M1, 0))
        self.assertFalse(SOPC["s_cmp_lt_u32"](M1, 0))

    def test_setvskip(self):
        st = execute(asm.sopc("gcn1.2", "s_setvskip", 4, 133), state({4: 0x20}, scc=1), "gcn1.2")
        self.assertEqual((st.mode, st.scc), (1 << 28, 1))

    def sopk(self, name, imm, value, scc=0, arch="gcn1.2"):
        return execute(asm.sopk(arch, name, 4, imm), state({4: value}, scc=scc), arch)

    def test_cmpk_extension(self):
        self.assertEqual(self.sopk("s_cmpk_eq_u32", 0x8000, 0x8000).scc, 1)
        self.assertEqual(self.sopk("s_cmpk_eq_u32", 0x8000, 0xFFFF8000).scc, 0)
        self.assertEqual(self.sopk("s_cmpk_eq_i32", 0x8000, 0xFFFF8000).scc, 1)
        self.assertEqual(self.sopk("s_cmpk_gt_u32", 0xFFFF, 0x10000).scc, 1)
        self.assertEqual(self.sopk("s_cmpk_lt_i32", 0, MIN).scc, 1)

    def test_addk_movk_mulk(self):
        st = self.sopk("s_addk_i32", 1, MAX)
        self.assertEqual((st.sgpr[4], st.scc), (MIN, 1))
        st = self.sopk("s_addk_i32", -1, MIN, 0)
        self.assertEqual((st.sgpr[4], st.scc), (MAX, 1))
        st = self.sopk("s_addk_i32", -1, 0, 1)
        self.assertEqual((st.sgpr[4], st.scc), (M1, 0))
        st = self.sopk("s_movk_i32", 0x8000, 5, 1)
        self.assertEqual((st.sgpr[4], st.scc), (0xFFFF8000, 1))
        st = self.sopk("s_mulk_i32", -2, 3, 1)
        self.assertEqual((st.sgpr[4], st.scc), (0xFFFFFFFA, 1))

    def test_getreg_setreg(self):
        st = execute(asm.sopk("gcn1.2", "s_getreg_b32", 4, asm.hwreg(1)), state(mode=0xDEADBEEF), "gcn1.2")
        self.assertEqual(st.sgpr[4], 0xDEADBEEF)
        st = execute(asm.sopk("gcn1.2", "s_getreg_b32", 4, asm.hwreg(2)), state(scc=1), "gcn1.2")
        self.assertEqual(st.sgpr[4], 0x601)                     # SCC, EXECZ, VCCZ
        st = execute(asm.sopk("gcn1.2", "s_setreg_b32", 4, asm.hwreg(1, 4, 2)),
                     state({4: 0xFFFFFFFE}, mode=0x3C0), "gcn1.2")
        self.assertEqual(st.mode, 0x3E0)
        st = execute(asm.sopk("gcn1.2", "s_setreg_imm32_b32", 0, asm.hwreg(3), 0x12345678),
                     state(), "gcn1.2")
        self.assertEqual((st.trapsts, st.pc), (0x12345678, 8))
        st = execute(asm.sopk("gcn1.2", "s_setreg_b32", 4, asm.hwreg(1, 28, 8)),
                     state({4: 0xFF}), "gcn1.2")
        self.assertEqual(st.mode, 0xF0000000)

    def test_branch_offset_counts_dwords(self):
        st = execute(asm.sopk("gcn1.4", "s_call_b64", 4, -2), state(pc=0x100000000))
        self.assertEqual((st.read64(4), st.pc), (0x100000004, 0xFFFFFFFC))
        st = execute(asm.sopp("gcn1.4", "s_branch", 0x8000), state(pc=0x100000))
        self.assertEqual(st.pc, 0x100004 - 0x20000)


class Section7(unittest.TestCase):
    def fork(self, execute_mask, mask, csp=0):
        st = state(wide={EXEC: execute_mask, 60: mask, 62: 0x5000}, pc=0x1000, mode=csp << 29)
        return execute(asm.sop2("gcn1.0", "s_cbranch_g_fork", 0, 60, 62), st, "gcn1.0")

    def test_uniform(self):
        self.assertEqual(self.fork(0, 0x1234).pc, 0x5000)       # EXEC = 0 jumps
        self.assertEqual(self.fork(0xF, 0xFF).pc, 0x5000)
        st = self.fork(0xF, 0xF0)
        self.assertEqual((st.pc, st.read64(EXEC), st.csp), (0x1004, 0xF, 0))

    def test_fewer_fail(self):
        st = self.fork(0xF, 0x7, 2)
        self.assertEqual((st.pc, st.read64(EXEC), st.csp), (0x1004, 0x8, 3))
        self.assertEqual((st.read64(8), st.read64(10)), (0x7, 0x5000))

    def test_tie_runs_the_passing_side(self):
        st = self.fork(0xF, 0x3)
        self.assertEqual((st.pc, st.read64(EXEC), st.csp), (0x5000, 0x3, 1))
        self.assertEqual((st.read64(0), st.read64(2)), (0xC, 0x1004))

    def join(self, csp, s0):
        st = state({40: s0}, wide={EXEC: 1, 0: 0xAA, 2: 0x1_00002000, 28: 0xBB, 30: 0x3000},
                   pc=0x1000, mode=csp << 29)
        return execute(asm.sop1("gcn1.2", "s_cbranch_join", 0, 40), st, "gcn1.2")

    def test_join(self):
        st = self.join(1, 1)
        self.assertEqual((st.pc, st.read64(EXEC), st.csp), (0x1004, 1, 1))
        st = self.join(1, 0)
        self.assertEqual((st.pc, st.read64(EXEC), st.csp), (0x1_00002000, 0xAA, 0))
        st = self.join(0, 9)                                    # wraps to entry 7
        self.assertEqual((st.pc, st.read64(EXEC), st.csp), (0x3000, 0xBB, 7))
        self.assertEqual(self.join(1, 0x80000001).csp, 0)       # all 32 bits are compared


class Section9(unittest.TestCase):
    def test_outcomes(self):
        for name, simm, outcome, pc in (
                ("s_endpgm", 0, "ended", 0x40), ("s_endpgm_saved", 0, "ended", 0x40),
                ("s_sethalt", 1, "halted", 0x44), ("s_sethalt", 2, "budget", 0x44),
                ("s_sendmsghalt", 0, "halted", 0x44), ("s_trap", 2, "trap", 0x40),
                ("s_trap", 3, "budget", 0x44), ("s_trap", 0x303, "budget", 0x44), ("s_trap", 0x302, "trap", 0x40),
                ("s_nop", 3, "budget", 0x44), ("s_cbranch_cdbgsys", 9, "budget", 0x44)):
            st = execute(asm.sopp("gcn1.4", name, simm), state(pc=0x40), outcome=outcome)
            self.assertEqual(st.pc, pc, name)

    def test_branches(self):
        for name, taken in (("s_cbranch_scc0", False), ("s_cbranch_scc1", True),
                            ("s_cbranch_vccz", False), ("s_cbranch_vccnz", True),
                            ("s_cbranch_execz", True), ("s_cbranch_execnz", False)):
            st = state({VCC + 1: 1}, scc=1, pc=0x100)
            self.assertEqual(execute(asm.sopp("gcn1.0", name, 3), st, "gcn1.0").pc,
                             0x110 if taken else 0x104, name)

    def test_budget_and_count(self):
        p = asm.Program("gcn1.2").label("l").sopp("s_nop").branch("s_branch", "l")
        st = state()
        result = run(Program(p.done(), "gcn1.2"), st, 7)
        self.assertEqual((result.outcome, result.instructions, st.pc), ("budget", 7, 4))
        st = state()
        result = run(Program(asm.sopp("gcn1.2", "s_nop") + asm.sopp("gcn1.2", "s_endpgm"), "gcn1.2"), st, 2)
        self.assertEqual((result.outcome, result.instructions, st.pc), ("ended", 2, 4))


def lanes(*values):
    return [values[i % len(values)] for i in range(64)]


ONE, NAN, SNAN, DENORM = 0x3F800000, 0x7FC00000, 0x7F800001, 0x00000001


class Section11(unittest.TestCase):
    def compare(self, name, a, b, execute_mask=FULL, mode=0x3F0, arch="gcn1.2", **modifiers):
        """The result mask of the VOP3 form of a compare, over v0 and v2."""
        st = state(wide={EXEC: execute_mask, 4: FULL}, mode=mode)
        st.vgpr = {0: a, 2: b}
        return execute(asm.vop3(arch, name, 4, 256, 258, **modifiers), st, arch)

    def bit0(self, name, a, b, **more):
        return self.compare(name, lanes(a), lanes(b), **more).read64(4) & 1

    def test_inactive_lanes_become_zero(self):
        st = self.compare("v_cmp_t_u32", lanes(0), lanes(0), execute_mask=0xF0)
        self.assertEqual((st.read64(4), st.read64(EXEC)), (0xF0, 0xF0))
        st = state(wide={EXEC: 0xF0, VCC: FULL})
        execute(asm.vopc("gcn1.2", "v_cmpx_f_f32", 256, 1), st, "gcn1.2")
        self.assertEqual((st.read64(VCC), st.read64(EXEC)), (0, 0))

    def test_cmpx_writes_both(self):
        st = self.compare("v_cmpx_lt_i32", lanes(1, M1), lanes(0), execute_mask=0xFF)
        self.assertEqual((st.read64(4), st.read64(EXEC)), (0xAA, 0xAA))

    def test_unordered(self):
        truth = {"f": "000", "lt": "100", "eq": "010", "le": "110", "gt": "000", "lg": "100", "ge": "010",
                 "o": "110", "u": "001", "nge": "101", "nlg": "011", "ngt": "111", "nle": "001",
                 "neq": "101", "nlt": "011", "tru": "111"}
        for op, bits in truth.items():          # 0 < 1, 1 = 1, NaN ? 1
            for (a, b), want in zip(((0, ONE), (ONE, ONE), (NAN, ONE)), bits):
                self.assertEqual(self.bit0(f"v_cmp_{op}_f32", a, b), int(want), (op, hex(a)))

    def test_negation_of_opcode(self):
        ops = ["f", "lt", "eq", "le", "gt", "lg", "ge", "o"]
        opposite = ["tru", "nlt", "neq", "nle", "ngt", "nlg", "nge", "u"]
        pairs = [(a, b) for a in (0, MIN, ONE, NAN, SNAN, 0x7F800000) for b in (0, ONE, NAN, 0xFF800000)]
        for k, (op, other) in enumerate(zip(ops, opposite)):
            self.assertEqual(BY_NAME[f"v_cmp_{op}_f32"].opcode["gcn1.0"]
                             + BY_NAME[f"v_cmp_{other}_f32"].opcode["gcn1.0"], 15)
            for a, b in pairs:
                self.assertNotEqual(self.bit0(f"v_cmp_{op}_f32", a, b), self.bit0(f"v_cmp_{other}_f32", a, b))

    def test_zero_signs_and_infinities(self):
        self.assertEqual(float_relation(0x8000, 0, 16, False), "=")
        self.assertEqual(float_relation(0xFF800000, 0xFF7FFFFF, 32, False), "<")
        self.assertEqual(float_relation(0x7FF0 << 48, 0x7FEFFFFFFFFFFFFF, 64, False), ">")
        self.assertEqual(float_relation(0x7FF0000000000001, 0, 64, False), "u")

    def test_denormal_modes(self):
        """F32 obeys MODE[5:4], F64 and F16 MODE[7:6]; bit 0 of the field decides."""
        for field, flushed in ((0, True), (1, False), (2, True), (3, False)):
            got = self.bit0("v_cmp_eq_f32", DENORM, 0, mode=field << 4 | 0xC0)
            self.assertEqual(got, int(flushed), field)
            got = self.bit0("v_cmp_eq_f16", 0x3FF, 0x8000, mode=field << 6 | 0x30)
            self.assertEqual(got, int(flushed), field)
        self.assertEqual(self.bit0("v_cmp_class_f32", DENORM, 1 << 7, mode=0), 1)

    def test_classes(self):
        f32 = [SNAN, NAN, 0xFF800000, 0xBF800000, 0x80000001, MIN, 0, 0x007FFFFF, 0x00800000, 0x7F800000]
        f16 = [0x7C01, 0xFE00, 0xFC00, 0x8400, 0x83FF, 0x8000, 0, 1, 0x7BFF, 0x7C00]
        f64 = [0x7FF0000000000001, 0xFFF8 << 48, 0xFFF0 << 48, 0x8010 << 48, 0x800FFFFFFFFFFFFF,
               MIN64, 0, 1, 0x7FEFFFFFFFFFFFFF, 0x7FF0 << 48]
        for width, values in ((16, f16), (32, f32), (64, f64)):
            self.assertEqual([float_class(v, width) for v in values], list(range(10)), width)

    def test_class_modifiers_and_mask(self):
        self.assertEqual(self.bit0("v_cmp_class_f32", 0xFF800000, 1 << 9, abs_=1), 1)
        self.assertEqual(self.bit0("v_cmp_class_f32", 0x7F800000, 1 << 2, neg=1), 1)
        self.assertEqual(self.bit0("v_cmp_class_f32", SNAN, 1, neg=1), 1)
        self.assertEqual(self.bit0("v_cmp_class_f32", 0, 0xFFFFFC00), 0)

    def test_abs_then_neg(self):
        self.assertEqual(self.bit0("v_cmp_lt_f32", 0xBF800000, 0, abs_=1, neg=1), 1)    # -|-1| < 0
        self.assertEqual(self.bit0("v_cmp_gt_f32", 0xBF800000, 0, abs_=1), 1)
        self.assertEqual(self.bit0("v_cmp_gt_f32", 0, ONE, neg=2), 1)                   # 0 > -1

    def test_small_integers_ignore_the_high_half(self):
        self.assertEqual(self.bit0("v_cmp_eq_u16", 0x12340001, 0xFFFF0001), 1)
        self.assertEqual(self.bit0("v_cmp_lt_i16", 0x00008000, 0), 1)
        self.assertEqual(self.bit0("v_cmp_lt_u16", 0x00008000, 0), 0)

    def test_exec_zero_and_vskip(self):
        st = self.compare("v_cmp_t_i32", lanes(0), lanes(0), execute_mask=0)
        self.assertEqual((st.read64(4), st.pc), (0, 8))
        st = self.compare("v_cmpx_f_i32", lanes(0), lanes(0), mode=1 << 28)
        self.assertEqual((st.read64(4), st.read64(EXEC), st.pc), (FULL, FULL, 8))

    def test_gpr_indexing(self):
        st = state({M0: 0x1003}, wide={EXEC: 1}, mode=1 << 27)
        st.vgpr = {4: lanes(7), 1: lanes(1), 2: lanes(7)}
        execute(asm.vopc("gcn1.2", "v_cmp_eq_u32", 257, 2), st, "gcn1.2")        # v4, v2
        self.assertEqual(st.read64(VCC), 1)
        st.write64(VCC, 0)
        st.sgpr[M0], st.pc, st.vgpr[0] = 0x10FF, 0, lanes(7)
        execute(asm.vopc("gcn1.2", "v_cmp_eq_u32", 257, 2), st, "gcn1.2")        # past the end: v0
        self.assertEqual((st.read64(VCC), "gpr-idx-range" in st.doubts), (1, True))

    def test_scalar_source_is_broadcast_and_exec_read_first(self):
        st = state(wide={EXEC: 0xFF}, vgpr={1: lanes(0xFF, 0)})
        execute(asm.vopc("gcn1.2", "v_cmpx_eq_u32", EXEC, 1), st, "gcn1.2")
        self.assertEqual(st.read64(EXEC), 0x55)


class Section1(unittest.TestCase):
    def mov64(self, code, literal=0, arch="gcn1.4"):
        st = state(scc=1)
        execute(asm.sop1(arch, "s_mov_b64", 4, code, literal), st, arch)
        return st.read64(4)

    def test_constants_by_width(self):
        self.assertEqual(self.mov64(193), FULL)
        self.assertEqual(self.mov64(208), FULL - 15)
        self.assertEqual(self.mov64(192), 64)
        self.assertEqual(self.mov64(242), 0x3FF0 << 48)
        self.assertEqual(self.mov64(248), 0x3FC45F306DC9C882)
        self.assertEqual(self.mov64(253), 1)
        self.assertEqual(self.mov64(251), 1)                    # VCC = 0

    def test_literals_by_type(self):
        self.assertEqual(self.mov64(255, 0x80000000), 0x80000000)
        st = execute(asm.sop2("gcn1.4", "s_ashr_i64", 4, 255, 128, 0x80000000), state())
        self.assertEqual(st.read64(4), 0xFFFFFFFF80000000)
        st = state(wide={EXEC: 1}, vgpr={2: lanes(0), 3: lanes(0x3FF00000)})
        execute(asm.vopc("gcn1.4", "v_cmp_eq_f64", 255, 2, 0x3FF00000), st)
        self.assertEqual(st.read64(VCC), 1)

    def test_both_sources_share_the_literal(self):
        st = execute(asm.sop2("gcn1.4", "s_add_u32", 4, 255, 255, 0x100), state())
        self.assertEqual((st.sgpr[4], st.pc), (0x200, 8))

    def test_half_constants(self):
        st = state(wide={EXEC: 1}, vgpr={2: lanes(0x3C00)})
        execute(asm.vopc("gcn1.4", "v_cmp_eq_f16", 242, 2), st)
        self.assertEqual(st.read64(VCC), 1)
        st = state(wide={EXEC: 1}, vgpr={2: lanes(0xF983)})     # low half of binary32 1/(2*pi)
        execute(asm.vopc("gcn1.4", "v_cmp_eq_u16", 248, 2), st)
        self.assertEqual(st.read64(VCC), 1)

    def test_illegal(self):
        bad = ("fault", "illegal-operand")
        mov = 0x17D << 23 | 4 << 16
        op = {a: BY_NAME["s_mov_b32"].opcode[a] << 8 for a in ARCHES}
        for code, arches in ((209, ARCHES), (125, ARCHES), (248, ARCHES[:2]), (235, ARCHES[:3]),
                             (249, ARCHES), (254, ARCHES), (104, ARCHES[:1])):
            for arch in arches:
                self.assertEqual(outcome_of([mov | op[arch] | code], arch), bad, (code, arch))
        self.assertEqual(outcome_of(asm.sop1("gcn1.2", "s_mov_b64", 4, M0), "gcn1.2"), bad)
        self.assertEqual(outcome_of(asm.sop1("gcn1.2", "s_mov_b64", 107, 4), "gcn1.2"), bad)
        self.assertEqual(outcome_of(asm.sop1("gcn1.2", "s_mov_b64", 3, 5), "gcn1.2"), ("budget", None))
        self.assertEqual(outcome_of([asm.sop1("gcn1.2", "s_mov_b64", 4, 255)[0]], "gcn1.2"),
                         ("fault", "truncated"))
        self.assertEqual(outcome_of(asm.vop3("gcn1.2", "v_cmp_lt_u32", 4, 256, 257, abs_=1), "gcn1.2"), bad)
        self.assertEqual(outcome_of(asm.vop3("gcn1.2", "v_cmp_lt_f32", 4, 255, 257), "gcn1.2"), bad)
        self.assertEqual(outcome_of([0x17D << 23 | 47 << 8], "gcn1.2"), ("unsupported", None))
        self.assertEqual(outcome_of([0x17D << 23 | 51 << 8], "gcn1.2"), ("fault", "illegal-instruction"))


class VectorFiles(unittest.TestCase):
    def test_committed_vectors_agree_with_the_model(self):
        """They are run again; ids are unique.  Only files without memory and images are this model's."""
        directory = os.path.join(HERE, "..", "vectors")
        ids = set()
        for name in sorted(os.listdir(directory)):
            if not name.endswith(".gz") or not name.startswith(("gcn", "valu-")):
                continue
            with gzip.open(os.path.join(directory, name), "rt") as f:
                for line in f:
                    v = json.loads(line)
                    self.assertNotIn(v["id"], ids)
                    ids.add(v["id"])
                    self.check(v)

    def check(self, v):
        st, want = State().load(v["init"]), State().load(v["init"])
        expect = dict(v["expect"])
        want.load({"sgpr": expect.pop("sgpr", {})})
        want.load(expect)
        limit = v["executed"] + 1 if v.get("program") else 1
        result = run(Program(v["words"], v["arch"], st.pc), st, limit)
        self.assertEqual(st.dump(), want.dump(), v["id"])
        if v.get("program"):
            self.assertEqual((result.outcome, result.instructions), ("ended", v["executed"]))


CPU = {"gcn1.0": "tahiti", "gcn1.1": "hawaii", "gcn1.2": "fiji", "gcn1.4": "gfx900", "gcn1.4.1": "gfx906"}
LLVM_MC = shutil.which("llvm-mc-14") or shutil.which("llvm-mc")


@unittest.skipUnless(LLVM_MC, "no llvm-mc")
class OpcodesAgainstLlvm(unittest.TestCase):
    """One form of every row that LLVM knows, assembled for every generation."""

    def test_every_row(self):
        for arch, cpu in CPU.items():
            texts, words = [], []
            for row in ROWS:
                if arch in row.opcode and row.mnemonic not in UNKNOWN | {"s_mov_fed_b32"}:
                    for text, encoded in forms(row, arch):
                        texts.append(text)
                        words.append(encoded)
            run_ = subprocess.run([LLVM_MC, "-arch=amdgcn", f"-mcpu={cpu}", "-show-encoding"],
                                  input="\n".join(texts), capture_output=True, text=True, check=True)
            found = [bytes(int(x, 16) for x in e.split(","))
                     for e in re.findall(r"encoding: \[([^\]]*)\]", run_.stdout)]
            self.assertEqual(len(found), len(texts))
            for text, want, got in zip(texts, words, found):
                self.assertEqual(b"".join(w.to_bytes(4, "little") for w in want), got, f"{arch} {text}")


def sreg(width, n):
    return f"s[{n}:{n + 1}]" if width == 64 else f"s{n}"


def vreg(width, n):
    return f"v[{n}:{n + 1}]" if width == 64 else f"v{n}"


NO_IMMEDIATE = {"s_endpgm", "s_barrier", "s_icache_inv", "s_ttracedata", "s_endpgm_saved", "s_wakeup",
                "s_set_gpr_idx_off", "s_endpgm_ordered_ps_done"}


def forms(row, arch):
    """(assembler text, expected words) of the forms of a row."""
    name, enc = row.mnemonic, row.encoding
    dst = [sreg(row.dst, 4)] if row.dst else []
    if enc == "SOP1":
        src = [sreg(row.src0, 8)] if row.src0 else []
        yield f"{name} " + ", ".join(dst + src), asm.sop1(arch, name, 4 * len(dst), 8 * len(src))
    elif enc == "SOP2":
        yield (f"{name} " + ", ".join(dst + [sreg(row.src0, 8), sreg(row.src1, 10)]),
               asm.sop2(arch, name, 4 * len(dst), 8, 10))
    elif enc == "SOPC":
        second = 3 if name == "s_set_gpr_idx_on" else 10
        text = "3" if second == 3 else sreg(row.src1, 10)
        yield f"{name} {sreg(row.src0, 8)}, {text}", asm.sopc(arch, name, 8, second)
    elif enc == "SOPK":
        reg, field = asm.hwreg(1, 2, 3), "hwreg(1, 2, 3)"
        if name == "s_setreg_imm32_b32":
            yield f"{name} {field}, 0x1234567", asm.sopk(arch, name, 0, reg, literal=0x1234567)
        elif "setreg" in name:
            yield f"{name} {field}, s4", asm.sopk(arch, name, 4, reg)
        elif "getreg" in name:
            yield f"{name} s4, {field}", asm.sopk(arch, name, 4, reg)
        else:
            yield f"{name} {sreg(row.dst or row.src0, 4)}, 0x123", asm.sopk(arch, name, 4, 0x123)
    elif enc == "SOPP":
        none = name in NO_IMMEDIATE
        yield name + ("" if none else " 0x2"), asm.sopp(arch, name, 0 if none else 2)
    else:
        sources = f"{vreg(row.src0, 8)}, {vreg(row.src1, 10)}"
        yield f"{name}_e32 vcc, {sources}", asm.vopc(arch, name, 264, 10)
        yield f"{name}_e64 s[4:5], {sources}", asm.vop3(arch, name, 4, 264, 266)


if __name__ == "__main__":
    unittest.main()
