"""Whole programs: loops, calls, fork and join, divergent loops, 64-bit arithmetic.

Each returns its words and initial state; Writer.add_program runs it to S_ENDPGM.
Registers are given by operand code.
"""

from gcnasm import Program, hwreg
from gcnmodel import EXEC, M0, VCC, before
from vectorlib import pair

FULL = (1 << 64) - 1
LIT = 255


def const(n):
    """The operand code of a small integer."""
    return 128 + n if n >= 0 else 192 - n


def default_mode(arch):
    return 0x3C0 if before(arch, "gcn1.4") else 0x3F0


def fibonacci(arch):
    p = Program(arch)
    p.sop1("s_mov_b32", 0, const(0)).sop1("s_mov_b32", 1, const(1)).sop1("s_mov_b32", 2, const(40))
    p.label("loop").sop2("s_add_u32", 3, 0, 1).sop1("s_mov_b32", 0, 1).sop1("s_mov_b32", 1, 3)
    p.sopk("s_addk_i32", 2, -1).sopc("s_cmp_lg_i32", 2, const(0)).branch("s_cbranch_scc1", "loop")
    return p.sopp("s_endpgm"), {}


def collatz(arch):
    """Steps from s0 to 1 in s1."""
    p = Program(arch)
    p.sop1("s_mov_b32", 1, const(0))
    p.label("loop").sopc("s_cmp_eq_u32", 0, const(1)).branch("s_cbranch_scc1", "out")
    p.sopc("s_bitcmp1_b32", 0, const(0)).branch("s_cbranch_scc1", "odd")
    p.sop2("s_lshr_b32", 0, 0, const(1)).branch("s_branch", "next")
    p.label("odd").sopk("s_mulk_i32", 0, 3).sopk("s_addk_i32", 0, 1)
    p.label("next").sop2("s_add_u32", 1, 1, const(1)).branch("s_branch", "loop")
    return p.label("out").sopp("s_endpgm"), {"regs": {0: 27}}


def gcd(arch):
    """Greatest common divisor of s0 and s1 by subtraction, chosen with S_CSELECT."""
    p = Program(arch)
    p.label("loop").sopc("s_cmp_eq_u32", 0, 1).branch("s_cbranch_scc1", "out")
    p.sop2("s_max_u32", 2, 0, 1).sop2("s_min_u32", 3, 0, 1).sop2("s_sub_u32", 0, 2, 3)
    p.sop1("s_mov_b32", 1, 3).branch("s_branch", "loop")
    return p.label("out").sopp("s_endpgm"), {"regs": {0: 462, 1: 1071}}


def multiply64(arch):
    """s[4:5] = s[0:1] * s[2:3] by shift and add."""
    p = Program(arch)
    p.sop1("s_mov_b64", 4, const(0))
    p.label("loop").sopc("s_bitcmp0_b64", 2, const(0)).branch("s_cbranch_scc1", "skip")
    p.sop2("s_add_u32", 4, 4, 0).sop2("s_addc_u32", 5, 5, 1)
    p.label("skip").sop2("s_lshl_b64", 0, 0, const(1)).sop2("s_lshr_b64", 2, 2, const(1))
    p.branch("s_cbranch_scc1", "loop")
    return p.sopp("s_endpgm"), {"regs": pair(0, 0x123456789AB) | pair(2, 0xFEDCBA9876)}


def divide(arch):
    """s2 = s0 / s1, s0 = remainder, by SUBB chains over 64 bits."""
    p = Program(arch)
    p.sop1("s_mov_b64", 2, const(0))
    p.label("loop").sop2("s_sub_u32", 4, 0, 6).sop2("s_subb_u32", 5, 1, 7)
    p.branch("s_cbranch_scc1", "out").sop1("s_mov_b64", 0, 4)
    p.sop2("s_add_u32", 2, 2, const(1)).branch("s_branch", "loop")
    return p.label("out").sopp("s_endpgm"), {"regs": pair(0, 0x5_00000007) | pair(6, 0x10000001)}


def call_and_return(arch):
    """A subroutine reached with S_SWAPPC (S_CALL on 1.4), three times, above 4 GiB."""
    p = Program(arch)
    p.sop1("s_getpc_b64", 10)                           # s[10:11] = base + 4
    p.sop2("s_add_u32", 10, 10, LIT, literal=0)         # patched below
    p.sop2("s_addc_u32", 11, 11, const(0)).sop1("s_mov_b32", 0, const(7))
    for _ in range(3):
        p.sop1("s_swappc_b64", 30, 10)
    if not before(arch, "gcn1.4"):
        p.branch("s_call_b64", "sub", sdst=30)
    p.sopp("s_endpgm")
    p.label("sub").sopk("s_mulk_i32", 0, 0x35).sopk("s_addk_i32", 0, 0x11)
    p.sop1("s_setpc_b64", 0, 30)
    p.words[2] = p.offset("sub") - 4
    return p, {"pc": 0xFFFFFFF8}


def bit_tricks(arch):
    """Feedback of FF1, FLBIT, BREV, BCNT, WQM and BFE results, twenty rounds."""
    p = Program(arch)
    p.sop1("s_mov_b32", 20, const(20))
    p.label("loop").sop1("s_ff1_i32_b64", 2, 0).sop1("s_flbit_i32_i64", 3, 0)
    p.sop1("s_bcnt1_i32_b64", 4, 0).sop1("s_brev_b64", 0, 0).sop2("s_xor_b32", 0, 0, 2)
    p.sop2("s_add_u32", 1, 1, 3).sop2("s_addc_u32", 0, 0, 4)
    p.sop2("s_bfe_i64", 6, 0, LIT, literal=0x00250009).sop2("s_xor_b64", 0, 0, 6)
    p.sop1("s_wqm_b32", 8, 0).sop2("s_absdiff_i32", 9, 8, 1).sop2("s_xor_b32", 1, 1, 9)
    p.sop1("s_abs_i32", 12, 1).sop2("s_lshl_b32", 12, 12, 3).sop2("s_xor_b32", 0, 0, 12)
    p.sop2("s_sub_u32", 20, 20, const(1)).sopc("s_cmp_lg_u32", 20, const(0))
    p.branch("s_cbranch_scc1", "loop")
    return p.sopp("s_endpgm"), {"regs": pair(0, 0x0123456789ABCDEF)}


def lcg(arch):
    """A linear congruential generator with a 64-bit sum."""
    p = Program(arch)
    p.sop1("s_mov_b32", 8, LIT, literal=1000).sop1("s_mov_b64", 4, const(0))
    p.label("loop").sop2("s_mul_i32", 0, 0, LIT, literal=1664525)
    p.sop2("s_add_u32", 0, 0, LIT, literal=1013904223).sop2("s_add_u32", 4, 4, 0)
    p.sop2("s_addc_u32", 5, 5, const(0)).sopk("s_addk_i32", 8, -1)
    p.sopc("s_cmp_gt_i32", 8, const(0)).branch("s_cbranch_scc1", "loop")
    return p.sopp("s_endpgm"), {"regs": {0: 12345}}


def fill_relative(arch):
    """s[20..51] = squares, written with S_MOVRELD and summed with S_MOVRELS."""
    p = Program(arch)
    p.sop1("s_mov_b32", M0, const(0)).sop1("s_mov_b32", 1, const(0))
    p.label("fill").sop2("s_mul_i32", 0, M0, M0).sop1("s_movreld_b32", 20, 0)
    p.sop2("s_add_u32", M0, M0, const(1)).sopc("s_cmp_lt_u32", M0, const(32))
    p.branch("s_cbranch_scc1", "fill")
    p.label("sum").sop2("s_sub_u32", M0, M0, const(1)).sop1("s_movrels_b32", 0, 20)
    p.sop2("s_add_u32", 1, 1, 0).sopc("s_cmp_lg_u32", M0, const(0)).branch("s_cbranch_scc1", "sum")
    return p.sopp("s_endpgm"), {}


def fork_join(arch):
    """Two nested forks; every path sets its own registers and joins."""
    p = Program(arch)
    p.branch("s_cbranch_i_fork", "a", sdst=40)
    p.sop2("s_add_u32", 60, 60, const(1)).branch("s_branch", "end_a")
    p.label("a").sop2("s_add_u32", 61, 61, const(1))
    p.branch("s_cbranch_i_fork", "b", sdst=42)
    p.sop1("s_mov_b64", 50, EXEC).branch("s_branch", "end_b")
    p.label("b").sop1("s_mov_b64", 52, EXEC)
    p.label("end_b").sop1("s_cbranch_join", 0, const(1))
    p.label("end_a").sop2("s_add_u32", 62, 62, const(1)).sop1("s_cbranch_join", 0, const(0))
    p.sop1("s_mov_b64", 54, EXEC)
    return p.sopp("s_endpgm"), {
        "regs": pair(40, 0xFFFF) | pair(42, 0xFF) | pair(EXEC, FULL), "pc": 0x1_FFFFFFE0,
        "mode": 0x3C0}


def divergent_loop(arch):
    """Lane n counts down from n: V_CMPX shrinks EXEC until nobody is left."""
    p = Program(arch)
    p.sop1("s_mov_b64", 30, EXEC).sop1("s_mov_b32", 0, const(0)).sop1("s_mov_b64", 2, const(0))
    p.label("loop").vopc("v_cmpx_lt_u32", 0, 1)              # s0 < v1
    p.branch("s_cbranch_execz", "out")
    p.sop1("s_bcnt1_i32_b64", 4, EXEC).sop2("s_add_u32", 2, 2, 4)
    p.sop2("s_add_u32", 0, 0, const(3)).branch("s_branch", "loop")
    p.label("out").sop1("s_mov_b64", EXEC, 30)
    return p.sopp("s_endpgm"), {"regs": pair(EXEC, FULL), "vgpr": {1: [37 * n % 64 for n in range(64)]}}


def if_else(arch):
    """if/else by S_AND_SAVEEXEC and S_ANDN2 with a float compare in VOP3 form."""
    lanes = [0x3F800000 + (n * 0x00123456 & 0x00FFFFFF) for n in range(64)]
    lanes[5], lanes[9], lanes[13] = 0x7FC00000, 0xFF800000, 0x80000000
    p = Program(arch)
    p.vop3("v_cmp_gt_f32", 10, 257, 244, abs_=1)      # |v1| > 2.0
    p.sop1("s_and_saveexec_b64", 12, 10).branch("s_cbranch_execz", "else")
    p.vopc("v_cmp_lt_i32", 257, 2).sop1("s_mov_b64", 14, VCC)
    p.label("else").sop2("s_xor_b64", EXEC, EXEC, 12)
    p.branch("s_cbranch_execz", "endif").vopc("v_cmp_class_f32", 257, 3).sop1("s_mov_b64", 16, VCC)
    p.label("endif").sop1("s_mov_b64", EXEC, 12).vop3("v_cmp_u_f32", 18, 257, 257)
    return p.sopp("s_endpgm"), {
        "regs": pair(EXEC, 0xFFFF0FFF_F0FFFFFF), "mode": default_mode(arch),
        "vgpr": {1: lanes, 2: [0x40000000 + 0x1000 * n for n in range(64)], 3: [0x3FF >> n % 8 for n in range(64)]}}


def mode_changes(arch):
    """The same denormal compare under the four F32 denormal modes, set with S_SETREG."""
    p = Program(arch)
    p.sop1("s_mov_b32", 0, const(0))
    for i in range(4):
        p.sopk("s_setreg_b32", 0, hwreg(1, 4, 2)).vop3("v_cmp_lt_f32", 10 + 2 * i, const(0), 257)
        p.sop2("s_add_u32", 0, 0, const(1))
    p.sopk("s_setreg_imm32_b32", 0, hwreg(1, 4, 4), literal=0xF).sopk("s_getreg_b32", 1, hwreg(1))
    return p.sopp("s_endpgm"), {
        "regs": pair(EXEC, FULL), "mode": 0x3C0,
        "vgpr": {1: [(0, 1, 0x007FFFFF, 0x00800000, 0x80000001, 0x3F800000)[n % 6] for n in range(64)]}}


def vskip(arch):
    p = Program(arch)
    p.sopc("s_setvskip", 0, const(3)).vopc("v_cmp_t_u32", 257, 1).sop1("s_mov_b64", 10, VCC)
    p.sopc("s_setvskip", 0, const(2)).vopc("v_cmp_t_u32", 257, 1).sop1("s_mov_b64", 12, VCC)
    return p.sopp("s_endpgm"), {"regs": {0: 8} | pair(EXEC, 0xFF00FF)}


def gpr_index(arch):
    """GPR index mode walks SRC0 over v10..v13."""
    if before(arch, "gcn1.2"):
        return None
    p = Program(arch)
    p.sop1("s_mov_b32", 0, const(0)).sopc("s_set_gpr_idx_on", 0, 1)
    p.label("loop").vopc("v_cmp_gt_u32", 256 + 10, 20)
    p.sop1("s_mov_b64", 32, 30).sop1("s_mov_b64", 30, VCC)
    p.sop2("s_add_u32", 0, 0, const(2)).sop1("s_set_gpr_idx_idx", 0, 0)
    p.sopc("s_cmp_le_u32", 0, const(2)).branch("s_cbranch_scc1", "loop")
    p.sopp("s_set_gpr_idx_mode", 2).vopc("v_cmp_gt_u32", 256 + 10, 20).sopp("s_set_gpr_idx_off")
    p.sop1("s_mov_b64", 34, VCC)
    return p.sopp("s_endpgm"), {
        "regs": pair(EXEC, FULL),
        "vgpr": {10: [n for n in range(64)], 12: [63 - n for n in range(64)],
                 20: [32] * 64, 24: [16] * 64}}


def packed(arch):
    """The 1.4 additions in one chain."""
    if before(arch, "gcn1.4"):
        return None
    p = Program(arch)
    p.sop1("s_mov_b32", 8, const(10))
    p.label("loop").sop2("s_mul_hi_u32", 2, 0, 1).sop2("s_mul_hi_i32", 3, 0, 1)
    p.sop2("s_pack_lh_b32_b16", 0, 2, 3).sop2("s_lshl3_add_u32", 1, 1, 0)
    p.sop2("s_cselect_b32", 4, 0, 1).sop1("s_bitreplicate_b64_b32", 6, 4)
    p.sop2("s_pack_hh_b32_b16", 1, 6, 7).sop2("s_xor_b32", 0, 0, 1)
    p.sop1("s_andn1_saveexec_b64", 12, 6).sop1("s_orn1_saveexec_b64", 14, 12)
    p.sopk("s_addk_i32", 8, -1).sopc("s_cmp_lg_u32", 8, const(0)).branch("s_cbranch_scc1", "loop")
    return p.sopp("s_endpgm"), {"regs": pair(0, 0x89ABCDEF_12345678) | pair(EXEC, FULL)}


PROGRAMS = [fibonacci, collatz, gcd, multiply64, divide, call_and_return, bit_tricks, lcg, fill_relative,
            fork_join, divergent_loop, if_else, mode_changes, vskip, gpr_index, packed]


def generate(w):
    for make in PROGRAMS:
        made = make(w.arch)
        if made:
            program, state = made
            w.add_program(make.__name__.replace("_", "-"), program.done(), **state)
