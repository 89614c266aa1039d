#!/usr/bin/env python3
"""Mutation proof: plants wrong semantics in a copy of the source tree and sees which checks notice.

    corpus/tools/mutate.py --work /tmp/mutants [--jobs 2] [--seconds 10] [--only N,N-N..] [--plant | --again] > table.md

All mutants go into one build of the copy: each replaced expression becomes `if mutant() == N { wrong } else { right }`,
and N comes from the environment. The real tree is not touched. Then, for each mutant and with 0 (none) first:

    vectors   gcnsim verify --engine interp|jit, the engine that the mutant is in
    corpus    gcnsim batch corpus/programs on that engine, results against the sidecars
    check     the same with --check --hot 0: compiled code against the interpreter
    fuzz      gcnsim fuzz --seconds 10
    tests     the tests of tests/ named in TESTS, on both engines
    kernels   the tests of the vector kernels (jit/tests/kernels.rs), for mutants in them

--again takes the copy as an earlier run left it, and its build. --plant only plants them, in a second or so: does every pattern still match the sources? (Blanks and line ends in a pattern match
any others.) Patterns of lowerings that were rewritten must be written anew.

CARGO_TARGET_DIR in the environment is used for the copy if set (it may hold compiled dependencies).
"""

import argparse
import concurrent.futures
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
I, J = "src/interp", "jit/src/lower"
K, P = "jit/src/kernels", "jit/src"

# Test binaries that are run for each mutant, with their arguments. Left out are three tests of how long compiling very large programs takes.
SLOW = ["--skip=forty_thousand", "--skip=very_many_regions", "--skip=very_many_tiny_blocks"]
TESTS = [("fused", []), ("lowering", []), ("hostile", SLOW), ("hostile_registers", []), ("fuzz_inputs", []), ("differential", ["what_once_diverged"]), ("hostile_links", []), ("regions", [])]

# Instead of an exit code: ran out of time.
ENDLESS = "does not end"

# (file, text that precedes it, right, wrong, what is wrong)
MUTANTS = [
    # --- interpreter
    (f"{I}/sop2.rs", "fn s_add_u32", "s0.overflowing_add(s1)", "(s0.wrapping_add(s1), (s0 as i32).overflowing_add(s1 as i32).1)", "s_add_u32: SCC = signed overflow"),
    (f"{I}/sop2.rs", "fn s_sub_u32", "s0 < s1", "s0 <= s1", "s_sub_u32: borrow also when equal"),
    (f"{I}/sop2.rs", "fn s_add_i32", "s0.overflowing_add(s1)", "(s0.wrapping_add(s1), (s0 as u32).overflowing_add(s1 as u32).1)", "s_add_i32: SCC = carry"),
    (f"{I}/sop2.rs", "fn s_addc_u32", "s0.carrying_add(s1, scc)", "(s0.carrying_add(s1, scc).0, s0 as u64 + s1 as u64 + scc as u64 >= u32::MAX as u64)", "s_addc_u32: carry one too early"),
    (f"{I}/sop2.rs", "fn s_subb_u32", "s0.borrowing_sub(s1, scc)", "(s0.borrowing_sub(s1, scc).0, s1.wrapping_add(scc as u32) > s0)", "s_subb_u32: borrow lost when S1 + SCC wraps"),
    (f"{I}/sop2.rs", "fn s_min_i32", "s0 < s1", "(s0 as u32) < s1 as u32", "s_min_i32: unsigned"),
    (f"{I}/sop2.rs", "fn s_max_u32", "s0 > s1", "s0 >= s1", "s_max_u32: SCC = 1 when equal"),
    (f"{I}/sop2.rs", "fn s_lshl_b64", "s1 & 63", "s1 & 31", "s_lshl_b64: amount modulo 32"),
    (f"{I}/sop2.rs", "fn s_ashr_i32", "s0 >> (s1 & 31)", "(s0 as u32 >> (s1 & 31)) as i32", "s_ashr_i32: logical"),
    (f"{I}/sop2.rs", "fn s_bfm_b32", "s0 & 31", "(s0 & 63).min(31)", "s_bfm_b32: size 32..63 not taken modulo 32"),
    (f"{I}/sop2.rs", "fn bfe_width", "width.min(bits - offset)", "(width & (bits - 1)).min(bits - offset)", "s_bfe: width modulo the operand's"),
    (f"{I}/sop2.rs", "fn s_bfe_i32", "non_zero_b32(if width == 0 { 0 } else { s0 << (32 - offset - width) >> (32 - width) } as u32)", "non_zero_b32(if width == 0 { 0 } else { (s0 as u32) << (32 - offset - width) >> (32 - width) })", "s_bfe_i32: no sign extension"),
    (f"{I}/sop2.rs", "fn s_absdiff_i32", "difference.unsigned_abs()", "if wrapped { 0 } else { difference.unsigned_abs() }", "s_absdiff_i32: 0 on overflow"),
    (f"{I}/sop2.rs", "fn s_mul_hi_i32", "s0 as i64 * s1 as i64", "(s0 as u32 as u64 * s1 as u32 as u64) as i64", "s_mul_hi_i32: unsigned"),
    (f"{I}/sop2.rs", "fn shift_add", "sum > u32::MAX as u64", "(s0 << shift).overflowing_add(s1).1", "s_lshl_add: bits shifted out are no carry"),
    (f"{I}/sop2.rs", "fn s_pack_lh_b32_b16", "s1 & 0xffff_0000", "s1 << 16", "s_pack_lh: low half of S1"),
    (f"{I}/sop1.rs", "fn s_ff1_i32_b64", "s0.trailing_zeros() as i32", "(s0 as u32).trailing_zeros() as i32", "s_ff1_i32_b64: only the low half"),
    (f"{I}/sop1.rs", "fn s_flbit_i32(", "if s0 < 0 { !s0 } else { s0 }", "s0", "s_flbit_i32: sign not looked at"),
    (f"{I}/sop1.rs", "fn s_bcnt0_i32_b32", "non_zero_b32(s0.count_zeros())", "(s0.count_zeros(), s0 != 0)", "s_bcnt0: SCC = source not 0"),
    (f"{I}/sop1.rs", "fn s_wqm_b64", "quads * 15", "quads * 7", "s_wqm: three of four bits"),
    (f"{I}/sop1.rs", "fn s_sext_i32_i8", "s0 as i8 as i32", "s0 as u8 as i32", "s_sext_i32_i8: zero extension"),
    (f"{I}/sop1.rs", "fn s_bitset0_b64", "s0 & 63", "s0 & 31", "s_bitset0_b64: bit number modulo 32"),
    (f"{I}/sop1.rs", "fn s_andn2_saveexec_b64", "s0 & !exec", "exec & !s0", "s_andn2_saveexec: operands exchanged"),
    (f"{I}/sop1.rs", "impl Store for ExecAndSdst", "self.exec != 0", "self.sdst != 0", "saveexec: SCC of the old EXEC"),
    (f"{I}/sop1.rs", "fn s_cmov_b32", "scc.then_some(s0)", "(!scc).then_some(s0)", "s_cmov_b32: inverted"),
    (f"{I}/sopc.rs", "fn s_cmp_lt_i32", "s0 < s1", "(s0 as u32) < s1 as u32", "s_cmp_lt_i32: unsigned"),
    (f"{I}/sopc.rs", "fn s_bitcmp1_b64", "s1 & 63", "s1 & 31", "s_bitcmp1_b64: bit number modulo 32"),
    (f"{I}/sopk.rs", "fn s_cmpk_ge_u32", "s0 >= s1", "s0 > s1", "s_cmpk_ge_u32: greater only"),
    (f"{I}/hwreg.rs", "fn mask", "u32::MAX >> (32 - field.size)", "u32::MAX >> (32 - field.size) >> 1 | 1", "hwreg: field one bit short"),
    (f"{I}/fork.rs", "fn fork(", "fail.count_ones() < pass.count_ones()", "fail.count_ones() <= pass.count_ones()", "fork: failing side first on a tie"),
    (f"{I}/fork.rs", "fn s_cbranch_join", "csp as u32 == s0", "csp as u32 == s0 & 7", "join: S0 modulo 8"),
    (f"{I}/jump.rs", "fn jump_to", "target & !3", "target & 0xffff_ffff_fffc", "setpc: PC of 48 bits"),
    (f"{I}/movrel.rs", "fn relative", "sum + (wide as u32) < sgprs", "sum < sgprs", "movrel: pair past the last SGPR"),
    (f"{I}/vopc.rs", "fn write_result", "set_register_pair(state, op.dst, lanes & exec)", "{ let old = super::register::register_pair(state, op.dst); set_register_pair(state, op.dst, lanes & exec | old & !exec) }", "v_cmp: inactive lanes keep their bits"),
    (f"{I}/vopc.rs", "fn v_cmp_float", "state.mode & T::DENORM_IN == 0", "false", "v_cmp: denormals never flushed"),
    (f"{I}/vopc.rs", "fn vgpr_number", "sum + (wide as u32) <= 255", "sum <= 255", "GPR index: pair at v255"),
    (f"{I}/lanes.rs", "fn test_floats", "!test(s1, s0, number, |b, a| b <= a)", "test(s0, s1, number, |a, b| a < b)", "v_cmp_nge: false on NaN"),
    (f"{I}/lanes.rs", "fn test_floats", "test(s0, s1, number, |a, b| (a < b) | (a > b))", "!test(s0, s1, number, |a, b| a == b)", "v_cmp_lg: true on NaN"),
    (f"{I}/class.rs", "fn class_bit", "magnitude >= quiet_nan", "magnitude > quiet_nan", "class: the smallest quiet NaN is signalling"),
    (f"{I}/lanes.rs", "fn test_integers", "!test(s1, s0, T::key, |b, a| b < a)", "test(s0, s1, T::key, |a, b| a < b)", "v_cmp_le: less only (integers)"),
    # --- compiled code
    (f"{J}/sop2.rs", "fn lower_s_add_u32", "l.b.ins().icmp(IntCC::UnsignedLessThan, sum, a)", "l.b.ins().icmp(IntCC::UnsignedLessThanOrEqual, sum, a)", "s_add_u32: carry also when the sum equals S0"),
    (f"{J}/sop2.rs", "pub(super) fn signed_add", "l.b.ins().bxor(sum, b)", "l.b.ins().bxor(a, b)", "s_add_i32: overflow condition"),
    (f"{J}/sop2.rs", "fn lower_s_sub_i32", "l.b.ins().bxor(difference, a)", "l.b.ins().bxor(difference, b)", "s_sub_i32: overflow condition"),
    (f"{J}/sop2.rs", "fn lower_s_subb_u32", "l.b.ins().isub(difference, scc)", "l.b.ins().iadd(difference, scc)", "s_subb_u32: borrow added"),
    (f"{J}/sop2.rs", "fn lower_s_max_i32", "choose(l, inst, IntCC::SignedGreaterThan)", "choose(l, inst, IntCC::SignedGreaterThanOrEqual)", "s_max_i32: SCC = 1 when equal"),
    (f"{J}/sop2.rs", "fn lower_s_orn2_b32", "l.b.ins().bor_not(a, b)", "l.b.ins().bor_not(b, a)", "s_orn2_b32: operands exchanged"),
    (f"{J}/sop2.rs", "fn lower_s_ashr_i64", "l.b.ins().sshr(a, amount)", "l.b.ins().ushr(a, amount)", "s_ashr_i64: logical"),
    (f"{J}/sop2.rs", "fn extract_constant", "width.min(bits - offset)", "width.min(bits)", "s_bfe, constant: field reaches past the end"),
    (f"{J}/sop2.rs", "fn extract_variable", "l.b.ins().umin(width, there)", "{ let _ = there; l.b.ins().band_imm_u(width, bits as i64 - 1) }", "s_bfe, variable: width modulo the operand's"),
    (f"{J}/sop2.rs", "fn lower_s_absdiff_i32", "l.b.ins().iabs(difference)", "difference", "s_absdiff_i32: no absolute value"),
    (f"{J}/sop2.rs", "fn lower_s_mul_hi_i32", "l.b.ins().sextend(types::I64, b)", "l.b.ins().uextend(types::I64, b)", "s_mul_hi_i32: S1 unsigned"),
    (f"{J}/sop2.rs", "fn lower_s_pack_hh_b32_b16", "l.b.ins().ushr_imm_u(a, 16)", "l.b.ins().sshr_imm_u(a, 16)", "s_pack_hh: sign of S0 spills"),
    (f"{J}/fuse.rs", "fn wide_add", "self.b.ins().bor(carry, again)", "{ let _ = again; carry }", "fused s_addc: carry of the carry lost"),
    (f"{J}/fuse.rs", "fn wide_sub", "self.b.ins().icmp(IntCC::UnsignedLessThan, difference, scc)", "self.b.ins().icmp(IntCC::UnsignedLessThanOrEqual, difference, scc)", "fused s_subb: borrow when the difference equals SCC"),
    (f"{J}/sop1.rs", "fn quad_bits", "l.b.ins().bor(bits, moved)", "{ let _ = moved; bits }", "s_quadmask: bits not gathered"),
    (f"{J}/sop1.rs", "fn leading_signs", "l.b.ins().bxor(value, signs)", "{ let _ = signs; value }", "s_flbit_i32: sign not looked at"),
    (f"{J}/sop1.rs", "fn minus_one_if_zero", "l.const32(u32::MAX)", "l.const32(32)", "s_ff1/s_flbit: 32 for none"),
    (f"{J}/sop1.rs", "fn lower_s_sext_i32_i16", "l.b.ins().sextend(types::I32, value)", "l.b.ins().uextend(types::I32, value)", "s_sext_i32_i16: zero extension"),
    (f"{J}/sop1.rs", "fn saveexec(", "l.set_scc_nonzero(new)", "l.set_scc_nonzero(old)", "saveexec: SCC of the old EXEC"),
    (f"{J}/sop1.rs", "fn relative_address", "l.options.arch.sgpr_count() - wide as u32", "l.options.arch.sgpr_count()", "movrel: pair past the last SGPR"),
    (f"{J}/sopc.rs", "fn lower_s_cmp_ge_u32", "IntCC::UnsignedGreaterThanOrEqual", "IntCC::SignedGreaterThanOrEqual", "s_cmp_ge_u32: signed"),
    (f"{J}/sopc.rs", "fn test_bit", "inst.src_type(0).bits() as u64 - 1", "31", "s_bitcmp_b64: constant bit number modulo 32"),
    (f"{J}/sopk.rs", "fn lower_s_mulk_i32", "l.product(a, b)", "l.product(b, b)", "s_mulk_i32: the square of the immediate"),
    (f"{J}/sopk.rs", "fn low_ones", "u32::MAX >> (32 - n)", "u32::MAX >> (32 - n) >> 1 | 1", "hwreg: field one bit short"),
    (f"{J}/flow.rs", "fn conditional_branch", "self.pair_is(IntCC::Equal, reg::VCC_LO)", "self.pair_is(IntCC::NotEqual, reg::VCC_LO)", "s_cbranch_vccz: inverted"),
    (f"{J}/flow.rs", "fn fork(", "self.b.ins().icmp(IntCC::UnsignedLessThan, fails, passes)", "self.b.ins().icmp(IntCC::UnsignedLessThanOrEqual, fails, passes)", "fork: failing side first on a tie"),
    (f"{J}/flow.rs", "fn jump_address", "self.b.ins().band_imm_s(address, -4)", "self.b.ins().band_imm_s(address, -2)", "setpc: one low bit kept"),
    (f"{J}/vopc.rs", "pub(super) fn lower", "l.b.ins().band_not(exec, lanes)", "l.b.ins().bnot(lanes)", "v_cmp_n*: bits of inactive lanes set"),
    (f"{J}/vopc.rs", "fn exchanged", "KernelOp::Le => KernelOp::Ge", "KernelOp::Le => if gcnsim_isa::mutant() == @ { KernelOp::Gt } else { KernelOp::Ge }", "v_cmp_le, operands exchanged: greater only"),
    (f"{J}/vopc.rs", "fn vector_address", "255 - wide as i64", "255", "GPR index: pair at v255"),
    # --- vector kernels
    (f"{K}/portable.rs", "impl<H: Ordered> Ordered for Halves<H>", "self.lo < other.lo", "(self.lo as i32) < other.lo as i32", "portable, 64-bit integers: low half signed"),
    (f"{K}/portable.rs", "impl Half", "magnitude > F16::EXPONENT as i32", "magnitude >= F16::EXPONENT as i32", "portable, f16: infinity is NaN"),
    (f"{K}/avx512.rs", "fn wide_int", "_mm512_set1_epi32(i32::MIN)", "_mm512_set1_epi32(0)", "avx512, i64: low half signed"),
    (f"{K}/avx512.rs", "fn f32_test", "_mm512_cmp_ps_mask::<_CMP_LE_OQ>(a, b)", "_mm512_cmp_ps_mask::<_CMP_NGT_UQ>(a, b)", "avx512, f32: le true on NaN"),
    (f"{K}/avx512.rs", "fn f64_test", "_mm512_cmp_pd_mask::<_CMP_NEQ_OQ>(a, b)", "_mm512_cmp_pd_mask::<_CMP_NEQ_UQ>(a, b)", "avx512, f64: lg true on NaN"),
    (f"{K}/avx512.rs", "fn join_doubles", "_pdep_u64(second, 0xcccc_cccc_cccc_cccc)", "_pdep_u64(second, 0xaaaa_aaaa_aaaa_aaaa)", "avx512, f64: lanes in the wrong places"),
    (f"{K}/generic.rs", "unsafe extern \"C\" fn float_sv", "mode & T::KEEP_DENORMALS != 0", "true", "float, scalar first: denormals never flushed"),
    (f"{K}/prepare.rs", "fn sign_masks", "if ty_and_flags & ABS != 0 { !sign } else { !0 }", "!0", "ABS of vectors ignored"),
    (f"{K}/avx2.rs", "fn ordered", "float_test::<T, _CMP_NEQ_OQ>(a, b)", "float_test::<T, _CMP_NEQ_UQ>(a, b)", "avx2, f32: lg true on NaN"),
    # --- what compiled code does besides translating instructions: registers, flow, exits
    (f"{P}/regs.rs", "fn write32", "cached.dirty", "false", "pairs: the other half of a new 64-bit value forgotten"),
    (f"{P}/regs.rs", "fn write32", "cached.whole = None", "()", "pairs: 64-bit value kept when a half is written"),
    (f"{P}/regs.rs", "pub fn end_block", "self.cached[pair].whole.is_some()", "false", "pairs: 64-bit value not split at the end of a block"),
    (f"{P}/regs.rs", "pub fn forget_memory", "*cached = Cached::default()", "()", "memory: value kept after a store to a computed number"),
    (f"{P}/regs.rs", "pub fn in_memory", "registers |= FORK_STACK", "()", "memory: the fork stack not in memory"),
    (f"{P}/regs.rs", "pub fn in_memory", "registers |= (1 << inst.arch.sgpr_count()) - 1", "()", "memory: movrel's SGPRs not in memory"),
    (f"{P}/regs.rs", "pub fn in_memory", "registers |= 3 << (code & !1) | 3 << (next & !1)", "()", "memory: movrel's base not in memory"),
    (f"{P}/dataflow.rs", "fn dirty(", "at_end[s].union(at_start[s])", "()", "dirty: what earlier blocks wrote is not stored"),
    (f"{P}/dataflow.rs", "impl Dataflow", "dirty_computed.union(*dirty)", "()", "dirty: nothing stored after a shared computed jump"),
    (f"{P}/dataflow.rs", "fn live(", "out.union(dirty_out[b])", "()", "live: what an exit stores is not loaded"),
    (f"{P}/dataflow.rs", "fn live(", "successors[b].iter().for_each(|&s| out.union(at_start[s]))", "()", "live: what later blocks read is not loaded"),
    (f"{P}/dataflow.rs", "fn effect(", "reads.union(writes)", "()", "live: conditional writes do not read the old value"),
    (f"{P}/dataflow.rs", "fn effect(", "reads.sgprs |= partly", "()", "live: the other half of a pair is not loaded"),
    (f"{J}/exits.rs", "fn finish_exits", "minus(*set, *smaller)", "minus(minus(*set, *smaller), RegSet { scc: true, ..RegSet::default() })", "exits: SCC not stored where exits share code"),
    (f"{J}/exits.rs", "fn finish_exits", "is_subset(smaller, set)", "smaller.sgprs & !set.sgprs == 0", "exits: shared with one that stores SCC or MODE besides"),
    (f"{J}/convert.rs", "pub(super) fn skipped_blocks", "predecessors[skipped] == 1", "predecessors[skipped] != 0", "if-conversion: of a block with several predecessors"),
    (f"{J}/convert.rs", "fn is_plain", "!may_note(inst)", "true", "if-conversion: of instructions that may raise notes"),
    (f"{J}/convert.rs", "fn convert(", "1 - scc", "scc", "if-conversion: SCC as if the branch were taken"),
    (f"{J}/convert.rs", "fn convert(", "_ if !writes_scc => None", "_ if !writes_scc || gcnsim_isa::mutant() == @ => None", "if-conversion: SCC of the skipped block kept"),
    (f"{J}/charge.rs", "fn charge_either(", "self.b.ins().select(taken, short, long)", "self.b.ins().select(taken, long, short)", "if-conversion: classes of instructions counted when skipped"),
    (f"{J}/flow.rs", "fn conditional_branch", "scc_when_taken.map(|scc| 1 - scc)", "scc_when_taken", "constant SCC: the same on both edges"),
    (f"{J}/flow.rs", "fn conditional_branch", "self.b.ins().icmp_imm_u(IntCC::Equal, condition, 0)", "self.b.ins().icmp_imm_u(IntCC::NotEqual, condition, 0)", "layout: branch not turned over with its edges"),
    (f"{J}/mod.rs", "pub fn set_scc(", "self.scc_dirty = true", "()", "SCC: not handed on to the next block"),
    (f"{J}/mod.rs", "pub fn compare(", "constant.wrapping_sub(distance)", "constant.wrapping_add(distance)", "compare of a sum: distance on the wrong side"),
    (f"{J}/charge.rs", "fn charge(", "block.insts.len() as i64", "block.insts.len() as i64 - 1", "fuel: one instruction of a block not charged"),
    (f"{J}/mod.rs", "pub fn note_if(", "self.options.raised.contains(note)", "true", "notes that depend on operands: never raised"),
    (f"{J}/mod.rs", "fn static_notes(", "self.options.raised.0", "u64::MAX", "notes of instructions: never raised"),
    (f"{J}/flow.rs", "fn test_fuel_with(", "target.need as i64", "1", "fuel: a test asks for one instruction only"),
    (f"{P}/region.rs", "pub fn is_tested(", "self.blocks[to].postorder >= self.blocks[from].postorder", "self.blocks[to].postorder > self.blocks[from].postorder", "fuel: not tested in loops of one block"),
    (f"{P}/region.rs", "let mut after_computed", "self.blocks[b].insts.len() as u32 + longest", "self.blocks[b].insts.len() as u32", "fuel: need of a block without those after it"),
    (f"{J}/flow.rs", "fn chain(", "self.b.ins().icmp_imm_s(IntCC::Equal, target, pc as i64)", "self.b.ins().iconst(types::I8, 1)", "compare chain: the first target taken for granted"),
    (f"{J}/flow.rs", "fn chain(", "pc >> 48 != 0", "false", "compare chain: no note on high bits of targets above 2^48"),
    (f"{J}/flow.rs", "fn jump_table(", "self.b.ins().rotr_imm_u(offset, 2)", "self.b.ins().ushr_imm_u(offset, 2)", "jump table: low bits of the address ignored"),
    (f"{J}/flow.rs", "fn jump_table(", "self.b.ins().umin(index, most)", "{ let _ = most; index }", "jump table: index cut to 32 bits"),
    (f"{J}/sop1.rs", "fn relative_address", "most < last as u64", "most < last as u64 + 2", "movrel: no check where M0 is small, by two"),
    (f"{P}/placement.rs", "pub fn padding(", "(code.buffer.alignment as usize).max(4)", "4", "placement: alignment of the code ignored"),
    (f"{J}/mod.rs", "pub fn product(", "(factor - 1).trailing_zeros()", "factor.trailing_zeros()", "product with 3, 5, 9: shift"),
    (f"{J}/mod.rs", "fn upper_bound(", "u32::MAX >> (by & 31)", "u32::MAX >> (by & 31) >> 1", "bound of a shift: half of it"),
    (f"{J}/fuse.rs", "fn fuse(", "hi as u32", "0", "fused addition of a register: high half lost"),
    (f"{J}/mod.rs", "fn sets_special_mode", "field.offset <= Mode::VSKIP_BIT", "field.offset < Mode::VSKIP_BIT", "special mode: a field that begins at VSKIP does not count"),
    (f"{J}/charge.rs", "fn charge_edge(", "*handed_on = self.charges.debt", "{ let _ = handed_on; }", "fuel: what is owed not handed on to the next block"),
    (f"{J}/charge.rs", "fn settle(", "self.charges.debt.owed > 0", "self.charges.debt.owed > 1_000", "fuel: what is owed never subtracted"),
    (f"{J}/charge.rs", "pub fn new(", "predecessors[b] == 1", "predecessors[b] >= 1", "fuel: what is owed taken over where ways meet"),
    (f"{J}/convert.rs", "fn least_or_greatest(", "or_equal.contains(&cond)", "true", "if-conversion: equal numbers taken for not exchanged"),
    (f"{J}/charge.rs", "fn charge_either(", "self.b.ins().select(taken, fuel, less)", "self.b.ins().select(taken, less, fuel)", "if-conversion: charged when skipped, by a selection"),
    (f"{J}/charge.rs", "fn charge_either(", "self.b.ins().iadd(fuel, refund)", "{ let _ = refund; fuel }", "if-conversion: charged when skipped, nothing given back"),
    (f"{J}/charge.rs", "pub fn new(", "predecessors[s] += if s > b { 1 } else { 2 }", "predecessors[s] += 1", "fuel: what is owed taken over from a block that is lowered later"),
    (f"{J}/charge.rs", "pub fn new(", "plan.targets.iter().chain(skipped.iter().flatten()).for_each(|&b| predecessors[b] += 2)", "()", "fuel: what is owed taken over by targets of computed jumps"),
    (f"{J}/charge.rs", "fn charge(", "!matches!(block.end, End::Goto(_) | End::Cond { .. })", "false", "fuel: what is owed not subtracted before a computed jump"),
    (f"{J}/convert.rs", "fn least_or_greatest(", "cond = cond.complement()", "()", "if-conversion: order of two registers by SCC being 0 not turned over"),
    (f"{J}/convert.rs", "fn convert(", "self.scc = before", "()", "if-conversion: SCC known in the skipped block, also after it"),
    (f"{P}/region.rs", "fn settle(", "self.entries().filter(|&b| self.blocks[b].believes).collect()", "Vec::new()", "contexts: no doubt where the region is entered"),
    (f"{P}/region.rs", "fn settle(", "queue.extend(self.direct_successors(b).filter(|&s| self.blocks[s].believes))", "()", "contexts: doubt not handed on"),
    ("isa/src/constants.rs", "let writes = inst.writes()", "reg.known = false", "()", "contexts: registers that are written are not forgotten"),
    (f"{P}/contexts.rs", "fn end(", "(to & 3 == 0 && to >> 48 == 0).then_some(edge)", "Some(edge)", "contexts: jumps to addresses with odd bits are certain, too"),
    (f"{P}/region.rs", "let mut after_computed", "longest.max(most)", "longest", "fuel: need without what follows a computed jump"),
    (f"{P}/compile.rs", "pub fn run(", "frame.fuel < need", "frame.fuel == 0", "fuel: regions entered with less than they need"),
    # --- vector compares of the interpreter: bits of lanes, scalars, modifiers, notes
    (f"{I}/lanes.rs", "fn bits(", "u64::from(signs(group)) << (16 * i)", "u64::from(signs(group)) << (16 * (i ^ (i >> 1)))", "lanes: results of lanes 32 to 47 and 48 to 63 exchanged"),
    (f"{I}/vopc.rs", "fn broadcast", "spread((value >> 32) as u32, high)", "spread(value as u32, high)", "64-bit scalars: the low dword for the high one, too"),
    (f"{I}/vopc.rs", "fn modify", "op.field & NEG[i] != 0", "op.field & NEG[1 - i] != 0", "NEG: that of the other source"),
    (f"{I}/vopc.rs", "fn v_cmp_float", "(result ^ kept) & state.exec() != 0", "result != kept", "note on flushed denormals: also for inactive lanes"),
    (f"{I}/class.rs", "fn class_bit", "magnitude >= min_normal", "magnitude > min_normal", "class: the smallest normal number is a denormal"),
]


def copy_tree(tree):
    shutil.rmtree(tree, ignore_errors=True)
    tree.mkdir()
    names = ["Cargo.toml", "Cargo.lock", "README.md", "isa", "jit", "src", "corpus", "tests", "benches", "fuzz/src", "fuzz/seeds", "fuzz/regress"]
    for name in names:
        source = ROOT / name
        (tree / name).parent.mkdir(exist_ok=True)
        (shutil.copytree if source.is_dir() else shutil.copy)(source, tree / name)


def plant(tree):
    lib = tree / "isa/src/lib.rs"
    lib.write_text(lib.read_text() + """
/// Number of the mutant that is alive.
pub fn mutant() -> u32 {
    static MUTANT: std::sync::OnceLock<u32> = std::sync::OnceLock::new();
    *MUTANT.get_or_init(|| std::env::var("GCNSIM_MUTANT").ok().and_then(|n| n.parse().ok()).unwrap_or(0))
}
""")
    missing = []
    for number, (file, anchor, right, wrong, what) in enumerate(MUTANTS, 1):
        path = tree / file
        text = path.read_text()
        start = text.find(anchor)
        found = pattern(right).search(text, max(start, 0))
        if start < 0 or not found:
            missing.append(f"mutant {number} ({what}): '{right}' not found after '{anchor}' in {file}")
            continue
        if "@" in wrong:
            new = wrong.replace("@", str(number))
        else:
            new = f"(if gcnsim_isa::mutant() == {number} {{ {wrong} }} else {{ {right} }})"
        path.write_text(text[:found.start()] + new + text[found.end():])
    if missing:
        sys.exit("\n".join(missing))


def pattern(text):
    """Any blanks for blanks, and line ends before the dot of a method."""
    return re.compile(r"\s+".join(re.escape(part).replace(r"\.", r"\s*\.") for part in text.split()))


def execute(command, mutant, cwd, log, time_out):
    environment = dict(os.environ, GCNSIM_MUTANT=str(mutant))
    # CPU time: the machine may be shared, and the run stopped for a while.
    limited = ["sh", "-c", 'ulimit -t "$0" && exec "$@"', str(time_out), *command]
    done = subprocess.run(limited, cwd=cwd, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    output, code = done.stdout.decode(errors="replace"), done.returncode
    if -code in (signal.SIGXCPU, signal.SIGKILL):
        code = ENDLESS
    log.write(f"== {mutant} {' '.join(command[1:6])}: {code}\n{output[-2000:]}\n")
    return code, output


def checks(number, tree, binary, tests, arguments):
    """Which checks notice a mutant: name -> text."""
    file = MUTANTS[number - 1][0] if number else ""
    engines = ["interp"] if file.startswith(I) else ["jit"] if number else ["interp", "jit"]
    found = {}
    with open(arguments.work / f"log-{number}", "w") as log:

        def run(command, cwd=tree):
            return execute(command, number, cwd, log, arguments.time_out)

        vectors = sorted(str(p.relative_to(tree)) for p in (tree / "corpus/vectors").glob("*.jsonl.gz"))
        failed = 0
        for engine in engines:
            code, output = run([binary, "verify", "--engine", engine, *vectors])
            match = re.search(r"vectors: .* (\d+) failed", output)
            failed += int(match[1]) if match else int(code != 0)
        found["vectors"] = code if code == ENDLESS else f"{failed} fail" if failed else ""
        engine = ["--interp"] if engines == ["interp"] else ["--no-check", "--hot", "0"]
        for name, flags in (("corpus", engine), ("check", ["--check", "--hot", "0"])):
            with tempfile.TemporaryDirectory() as folder:
                out = Path(folder) / "out.jsonl"
                command = [binary, "batch", "corpus/programs", *flags, "--jobs", "1", "--out", str(out)]
                code, _ = run(command)
                lines = out.read_text().splitlines() if out.exists() else []
            wrong = "divergence" if name == "check" else "mismatch|divergence|internal"
            bad = sum(1 for line in lines if re.search(rf'"outcome":\s*"({wrong})', line))
            found[name] = code if code == ENDLESS else f"{bad} programs" if bad else (f"exit {code}" if code not in (0, 1) else "")
        with tempfile.TemporaryDirectory() as folder:
            command = [binary, "fuzz", "--seconds", str(arguments.seconds), "--seed", str(1000003 * (number + 1)), "--jobs", "1", "--out", folder]
            code, output = run(command)
            match = re.search(r"(\d+) programs, (\d+) instructions, (\d+) divergences", output)
            divergences = int(match[3]) if match else int(code != 0)
            what = code if code == ENDLESS else "yes"
            found["fuzz"] = f"{divergences} of {match[1]}" if match and divergences else (what if divergences else "")
        failing = []
        for name, options in TESTS:
            code, output = run([tests[name], *options], tree / "jit" if name == "regions" else tree)
            names = re.findall(r"^test (\S+) \.\.\. FAILED$", output, re.M)
            if names:
                failing.append(f"{name}: {', '.join(names)}")
            elif code != 0:
                failing.append(f"{name} {code}" if code == ENDLESS else name)
        found["tests"] = "; ".join(failing)
        if number == 0 or file.startswith(K):
            code, _ = run([tests["kernels"]], tree / "jit")
            found["kernels"] = "fails" if code else ""
    return found


def numbers_of(text):
    ranges = [part.split("-") for part in text.split(",")]
    return [n for first, *last in ranges for n in range(int(first), int(last[0] if last else first) + 1)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, default=Path(tempfile.gettempdir()) / "gcnsim-mutants")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seconds", type=int, default=10, help="of fuzzing for each mutant")
    parser.add_argument("--time-out", type=int, default=60, help="CPU seconds after which a check counts as one that does not end (without a mutant: at most 16)")
    parser.add_argument("--only", type=numbers_of)
    parser.add_argument("--plant", action="store_true", help="build and run nothing")
    parser.add_argument("--again", action="store_true", help="use the copy and the build of an earlier run")
    arguments = parser.parse_args()
    work = arguments.work
    work.mkdir(parents=True, exist_ok=True)
    tree = work / "tree"
    if not arguments.again:
        copy_tree(tree)
        plant(tree)
    if arguments.plant:
        return
    target = Path(os.environ.get("CARGO_TARGET_DIR", work / "target"))
    environment = dict(os.environ, CARGO_TARGET_DIR=str(target))
    started = time.time()
    build = ["cargo", "build", "--release", "--bin", "gcnsim"]
    subprocess.run(build, cwd=tree, env=environment, check=True)
    tests = {}
    for package, names in (("gcnsim", [name for name, _ in TESTS if name != "regions"]), ("gcnsim-jit", ["kernels", "regions"])):
        build = ["cargo", "test", "--release", "-p", package, "--no-run", *(f"--test={name}" for name in names)]
        done = subprocess.run(build, cwd=tree, env=environment, check=True, stderr=subprocess.PIPE)
        for name in names:
            path = Path(re.search(rf"\((\S*/{name}-[0-9a-f]+)\)", done.stderr.decode())[1])
            tests[name] = str(path if path.is_absolute() else tree / path)
    binary = str(target / "release/gcnsim")
    print(f"built in {time.time() - started:.0f} s", file=sys.stderr)

    clean = checks(0, tree, binary, tests, arguments)
    if any(clean.values()):
        sys.exit(f"without a mutant: {clean}")
    numbers = arguments.only or range(1, len(MUTANTS) + 1)
    print("| | where | planted mistake | vectors | corpus | check | fuzz | tests | kernel tests |")
    print("|--:|---|---|---|---|---|---|---|---|")
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        results = pool.map(lambda n: (n, checks(n, tree, binary, tests, arguments)), numbers)
        missed = []
        total = 0
        for number, found in results:
            file, what = MUTANTS[number - 1][0], MUTANTS[number - 1][4]
            cells = [found.get(name, "n/a") or "-" for name in ("vectors", "corpus", "check", "fuzz", "tests", "kernels")]
            print(f"| {number} | `{file}` | {what} | " + " | ".join(cells) + " |", flush=True)
            total += 1
            if not any(found.values()):
                missed.append(number)
    print(f"\n{total} mutants, {total - len(missed)} caught; missed: {missed or 'none'}. "
          f"{time.time() - started:.0f} s in all.")


if __name__ == "__main__":
    main()
