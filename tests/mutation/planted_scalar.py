#!/usr/bin/env python3
"""Do the vectors notice well-known mistakes?  Plants each in the model and counts failures.

    python3 tests/mutation/planted_scalar.py [--markdown | --exchange] [--arch gcn1.2]

Each entry names who makes the mistake, according to what is published about it.  A mistake that
no vector notices is printed as MISSED and makes the exit status 1.
"""

import argparse
import contextlib
import gzip
import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "corpus" / "tools"))

import gcnmodel as m
from gcnmodel import EXEC, M0, MASK32, VCC, Program, State, i32, run, sext, u32, u64
from vectorlib import made

MISTAKES = []


def mistake(who, what, mnemonics, **patch):
    """Register a wrong version: patch maps a table name to {mnemonic: wrong function}, or a
    global of the model to its wrong replacement."""
    MISTAKES.append((who, what, mnemonics, patch))


def wrong2(who, what, name, f):
    mistake(who, what, [name], SOP2={name: f})


def wrong1(who, what, name, f):
    mistake(who, what, [name], SOP1={name: f})


# --- SOP2 --------------------------------------------------------------------------

wrong2("MGPUSim", "S_ADD_I32: SCC is the unsigned carry", "s_add_i32",
       lambda a, b, c: (u32(a + b), a + b >= 2**32))
wrong2("Multi2Sim", "S_ADD_I32: INT_MIN + INT_MIN does not overflow", "s_add_i32",
       lambda a, b, c: (u32(a + b), not m.fits_i32(i32(a) + i32(b)) and (a, b) != (1 << 31, 1 << 31)))
wrong2("Multi2Sim", "S_SUB_I32: 0 - INT_MIN does not overflow", "s_sub_i32",
       lambda a, b, c: (u32(a - b), not m.fits_i32(i32(a) - i32(b)) and (a, b) != (0, 1 << 31)))
wrong2("seed page", "S_ADD_I32: unsigned sum, inverted comparison", "s_add_i32",
       lambda a, b, c: (u32(a + b), a + b > 2**31 - 1))
wrong2("seed page", "S_SUB_U32: SCC becomes all ones on borrow", "s_sub_u32",
       lambda a, b, c: (u32(a - b), MASK32 if a < b else 0))
wrong2("MGPUSim", "S_ADDC_U32: sum 0xFFFFFFFF counts as carry", "s_addc_u32",
       lambda a, b, c: (u32(a + b + c), a + b + c >= 2**32 - 1))
wrong2("gem5", "S_SUBB_U32: S1 + SCC wraps at 32 bits", "s_subb_u32",
       lambda a, b, c: (u32(a - b - c), u32(b + c) > a))
wrong2("CDNA doc", "S_MAX_I32: SCC = 1 for equal operands", "s_max_i32",
       lambda a, b, c: (max(a, b, key=i32), i32(a) >= i32(b)))
wrong2("CDNA doc", "S_MAX_U32: SCC = 1 for equal operands", "s_max_u32", lambda a, b, c: (max(a, b), a >= b))
wrong2("common", "S_MIN_I32: SCC = 1 for equal operands", "s_min_i32",
       lambda a, b, c: (min(a, b, key=i32), i32(a) <= i32(b)))
wrong2("seed page (prose)", "S_LSHL_B64: count masked to 5 bits", "s_lshl_b64",
       lambda a, b, c: (u64(a << (b & 31)), u64(a << (b & 31)) != 0))
wrong2("seed page (prose)", "S_ASHR_I64: count masked to 5 bits", "s_ashr_i64",
       lambda a, b, c: (u64(m.i64(a) >> (b & 31)), u64(m.i64(a) >> (b & 31)) != 0))
wrong2("common", "S_LSHR_B32: counts above 31 give 0", "s_lshr_b32", lambda a, b, c: (a >> b, a >> b != 0))


def bfe_width_masked(width, signed):
    good = m.bfe(width, signed)

    def op(a, b, c):
        if (b >> 16 & 0x7F) >= width:
            return 0, False
        return good(a, b, c)
    return op


for _name, _w, _s in (("s_bfe_u32", 32, 0), ("s_bfe_i32", 32, 1), ("s_bfe_u64", 64, 0), ("s_bfe_i64", 64, 1)):
    wrong2("gem5", f"{_name.upper()}: 0 for a width of {_w} and more", _name, bfe_width_masked(_w, _s))
wrong2("MGPUSim", "S_BFE_I32: no sign extension", "s_bfe_i32", m.bfe(32, False))
wrong2("seed page", "S_BFE_U32: offset taken from the length", "s_bfe_u32",
       lambda a, b, c: m.SOP2_GOOD["s_bfe_u32"](a, b & ~31 | b >> 16 & 31, c))
wrong2("common", "S_BFE_U64: offset has 5 bits", "s_bfe_u64",
       lambda a, b, c: m.SOP2_GOOD["s_bfe_u64"](a, b & ~32, c))
wrong2("MGPUSim", "S_MUL_I32: SCC written", "s_mul_i32", lambda a, b, c: (u32(a * b), u32(a * b) != 0))
wrong2("common", "S_ABSDIFF_I32: exact difference", "s_absdiff_i32",
       lambda a, b, c: (u32(abs(i32(a) - i32(b))), a != b))
wrong2("common", "S_LSHL1_ADD_U32: shifted value cut to 32 bits", "s_lshl1_add_u32",
       lambda a, b, c: (u32(u32(a << 1) + b), u32(a << 1) + b >= 2**32))
wrong2("common", "S_BFM_B32: length 32 gives all ones", "s_bfm_b32",
       lambda a, b, c: (u32(((1 << a) - 1) << (b & 31)) if a == 32 else m.SOP2_GOOD["s_bfm_b32"](a, b, c)[0], None))
wrong2("gem5 (comment)", "S_MUL_HI_I32: unsigned product", "s_mul_hi_i32", lambda a, b, c: (a * b >> 32, None))
wrong2("shadPS4", "S_XOR_B64 is in fact S_OR_B64", "s_xor_b64", lambda a, b, c: (a | b, (a | b) != 0))
wrong2("common", "S_ANDN2_B64 complements S0", "s_andn2_b64", lambda a, b, c: (b & ~a, b & ~a != 0))

# --- SOP1 --------------------------------------------------------------------------

wrong1("gem5", "S_SEXT_I32_I8: sign from bit 6", "s_sext_i32_i8", lambda s, o, c: (u32(sext(s, 7)), None))
wrong1("gem5", "S_SEXT_I32_I16: sign from bit 14", "s_sext_i32_i16", lambda s, o, c: (u32(sext(s, 15)), None))
wrong1("gem5", "S_BITSET1_B32: old SDST not read", "s_bitset1_b32", lambda s, o, c: (1 << (s & 31), None))
wrong1("common", "S_ABS_I32: SCC from the sign", "s_abs_i32", lambda s, o, c: (u32(abs(i32(s))), i32(s) < 0))
wrong1("common", "S_FLBIT_I32: -1 for 0 only", "s_flbit_i32",
       lambda s, o, c: ((32 if s == MASK32 else m.sign_bits(s, 32)), None))
wrong1("seed page", "S_FLBIT_I32_I64: loop over 32 bits", "s_flbit_i32_i64",
       lambda s, o, c: (m.sign_bits(s & MASK32, 32), None))
wrong1("common", "S_FF1_I32_B32 writes SCC", "s_ff1_i32_b32", lambda s, o, c: (m.lowest_set(s, 32), s != 0))
wrong1("common", "S_QUADMASK_B64: groups beyond bit 31 lost", "s_quadmask_b64",
       lambda s, o, c: (m.quad_mask(s, 64) & 0xFF, m.quad_mask(s, 64) & 0xFF != 0))
wrong1("seed page", "S_BITREPLICATE: evaluated in 32 bits", "s_bitreplicate_b64_b32",
       lambda s, o, c: (u32(sum(3 << 2 * i for i in range(32) if m.bit(s, i))), None))
wrong1("common", "S_CMOV_B32 writes 0 when SCC = 0", "s_cmov_b32", lambda s, o, c: (s if c else 0, None))
mistake("seed page", "S_ORN2_SAVEEXEC: & in place of |", ["s_orn2_saveexec_b64"],
        EXEC_FUNCTIONS={"orn2": lambda s, e: s & ~e})
mistake("seed page", "S_ORN1_SAVEEXEC: & in place of |", ["s_orn1_saveexec_b64"],
        EXEC_FUNCTIONS={"orn1": lambda s, e: ~s & e})


def saveexec_sdst_first(f, read, write, nxt):
    def step(st):
        old = st.read64(EXEC)
        write(st, old)
        new = u64(f(read(st), old))
        st.write64(EXEC, new)
        st.scc = int(new != 0)
        return nxt
    return step


mistake("seed page, CLRX, Multi2Sim", "save-exec: SDST written before S0 is read, EXEC last",
        ["s_and_saveexec_b64", "s_xor_saveexec_b64"], saveexec=saveexec_sdst_first)

# --- operands ----------------------------------------------------------------------


def single_patterns(code, kind, arch, doubts):
    if code in m.FLOAT_INLINE:
        return m.FLOAT_INLINE[code][1] & ((1 << m.WIDTH[kind]) - 1)
    return GOOD_INLINE(code, kind, arch, doubts)


def zero_extended(code, kind, arch, doubts):
    value = GOOD_INLINE(code, kind, arch, doubts)
    return value if value is None or code > 208 else value & MASK32


GOOD_INLINE = m.inline_value
mistake("MGPUSim", "float constants are binary32 in 64-bit operands", ["s_mov_b64", "v_cmp_eq_f64", "s_and_b64"],
        inline_value=single_patterns)
mistake("common", "negative constants are zero-extended in 64-bit operands",
        ["s_mov_b64", "s_and_b64", "v_cmp_lt_i64"], inline_value=zero_extended)
mistake("common", "literals of I64 operands are zero-extended", ["s_ashr_i64", "s_bfe_i64", "s_flbit_i32_i64",
        "v_cmp_lt_i64"], literal_value=lambda lit, kind, arch, doubts: lit << 32 if kind == m.F64 else lit)
mistake("common", "the literal of an F64 operand is its low half", ["v_cmp_lt_f64", "v_cmp_class_f64"],
        literal_value=lambda lit, kind, arch, doubts: lit)

# --- SOPK, hardware registers, control flow ----------------------------------------

GOOD_SEXT = sext
mistake("common", "S_CMPK_*_U32: immediate sign-extended", ["s_cmpk_eq_u32", "s_cmpk_gt_u32", "s_cmpk_le_u32"],
        RELATIONS={n: (lambda f: lambda a, b: f(a, b if b < 0x8000 or a < 0 else b | 0xFFFF0000))(f)
                   for n, f in m.RELATIONS.items()})
mistake("MGPUSim", "S_CMPK_*: 16 bits of SDST compared", ["s_cmpk_eq_i32", "s_cmpk_eq_u32", "s_cmpk_lt_i32"],
        RELATIONS={n: (lambda f: lambda a, b: f(GOOD_SEXT(a, 16) if a < 0 or b < 0 else a & 0xFFFF, b))(f)
                   for n, f in m.RELATIONS.items()})
mistake("seed page", "branch offset counts bytes", ["s_branch", "s_cbranch_i_fork", "s_call_b64"],
        relative=lambda nxt, simm: u64(nxt + GOOD_SEXT(simm, 16)))
mistake("common", "branch offset is unsigned", ["s_branch", "s_cbranch_scc0"],
        relative=lambda nxt, simm: u64(nxt + 4 * simm))
mistake("CDNA doc (taken literally)", "branch offset multiplied in 16 bits", ["s_branch", "s_call_b64"],
        relative=lambda nxt, simm: u64(nxt + GOOD_SEXT(4 * simm, 16)))


def getreg_shift_by_size(st, simm, nxt):
    number, offset, size = m.split_hwreg(simm)
    return m.read_hwreg(st, number, nxt) >> offset & ((1 << (size & 31)) - 1)


mistake("gem5, seed page", "S_GETREG: mask is 0 for size 32", ["s_getreg_b32"], getreg=getreg_shift_by_size)


def fork_tie_fails(st, mask, target, nxt):
    execute = st.read64(EXEC)
    passing, failing = mask & execute, ~mask & execute
    if passing and failing and passing.bit_count() == failing.bit_count():
        m.push(st, passing, target)
        st.write64(EXEC, failing)
        return nxt
    return GOOD_FORK(st, mask, target, nxt)


def fork_exec0_falls_through(st, mask, target, nxt):
    return nxt if st.read64(EXEC) == 0 else GOOD_FORK(st, mask, target, nxt)


GOOD_FORK = m.fork
mistake("common", "fork: on a tie the failing side runs first", ["s_cbranch_g_fork", "s_cbranch_i_fork"],
        fork=fork_tie_fails)
mistake("common", "fork: EXEC = 0 falls through", ["s_cbranch_g_fork", "s_cbranch_i_fork"],
        fork=fork_exec0_falls_through)
mistake("common", "join: only 3 bits of S0 compared", ["s_cbranch_join"],
        join=lambda st, wanted, nxt, good=m.join: good(st, wanted & 7, nxt))

# --- vector compares ---------------------------------------------------------------

FLOAT_ROWS = ["v_cmp_lg_f32", "v_cmp_u_f32", "v_cmp_lt_f32", "v_cmp_nge_f32", "v_cmp_eq_f64"]


class KeepsInactive(m.Compare):
    def step(self, sdst, nxt):
        good = super().step(sdst, nxt)

        def step(st):
            old, execute = st.read64(sdst), st.read64(EXEC)
            nxt_ = good(st)
            if not m.bit(st.mode, m.VSKIP):
                st.write64(sdst, st.read64(sdst) | old & ~execute)
            return nxt_
        return step


class CmpxExecOnly(m.Compare):
    def step(self, sdst, nxt):
        good = super().step(sdst, nxt)

        def step(st):
            old = st.read64(sdst)
            nxt_ = good(st)
            if self.writes_exec and sdst != EXEC:
                st.write64(sdst, old)
            return nxt_
        return step


class IgnoresAbsNeg(m.Compare):
    def modified(self, read, abs_, neg):
        return read


class NegBeforeAbs(m.Compare):
    def modified(self, read, abs_, neg):
        return super().modified(read, abs_, neg and not abs_)


class NeverFlushes(m.Compare):
    def flushes(self, mode):
        return False


class FlushesBySinglePrecision(m.Compare):
    def flushes(self, mode):
        return not m.bit(mode, 4)


class FlushesByOutputBit(m.Compare):
    def flushes(self, mode):
        return not m.bit(mode, 5 if self.width == 32 else 7)


class ClassFlushes(m.Compare):
    def test(self, a, b, flush):
        if self.is_class and m.is_denormal(a, self.width):
            a &= 1 << self.width - 1
        return super().test(a, b, flush)


class Signed16(m.Compare):
    def test(self, a, b, flush):
        if self.letter == "u" and self.width == 16:
            return m.relation(sext(a, 16), sext(b, 16)) in m.INT_PREDICATES[self.op]
        return super().test(a, b, flush)


class Whole32(m.Compare):
    def kinds(self):
        kind0, kind1 = super().kinds()
        return (m.B32 if kind0 == m.I16 else kind0), (m.B32 if kind1 == m.I16 else kind1)


class IgnoresVskip(m.Compare):
    def step(self, sdst, nxt):
        good = super().step(sdst, nxt)

        def step(st):
            mode = st.mode
            st.mode &= ~(1 << m.VSKIP)
            good(st)
            st.mode = mode
            return nxt
        return step


class IgnoresIndex(m.Compare):
    def step(self, sdst, nxt):
        good = super().step(sdst, nxt)

        def step(st):
            mode = st.mode
            st.mode &= ~(1 << m.GPR_IDX_EN)
            good(st)
            st.mode = mode
            return nxt
        return step


class WritesScc(m.Compare):
    def step(self, sdst, nxt):
        good = super().step(sdst, nxt)

        def step(st):
            nxt_ = good(st)
            st.scc = int(st.read64(sdst) != 0)
            return nxt_
        return step


for _who, _what, _rows, _cls in (
        ("Multi2Sim, rocjitsu (old)", "bits of inactive lanes keep their old value",
         ["v_cmp_lt_u32", "v_cmpx_eq_f32"], KeepsInactive),
        ("later families", "V_CMPX writes EXEC only", ["v_cmpx_lt_u32", "v_cmpx_class_f32"], CmpxExecOnly),
        ("common", "ABS and NEG ignored", ["v_cmp_lt_f32", "v_cmp_class_f64", "v_cmp_ge_f64"], IgnoresAbsNeg),
        ("common", "NEG applied before ABS", ["v_cmp_lt_f32", "v_cmp_class_f32"], NegBeforeAbs),
        ("gem5, MGPUSim, Multi2Sim", "denormals never flushed", ["v_cmp_lt_f32", "v_cmp_eq_f64"], NeverFlushes),
        ("common", "F64 obeys the F32 denormal field", ["v_cmp_lt_f64"], FlushesBySinglePrecision),
        ("common", "the output bit of FP_DENORM decides", ["v_cmp_lt_f32", "v_cmp_eq_f64"], FlushesByOutputBit),
        ("common", "V_CMP_CLASS flushes denormals", ["v_cmp_class_f32", "v_cmp_class_f64"], ClassFlushes),
        ("gem5", "V_CMPX_*_U16 (VOP3) compares signed", ["v_cmpx_le_u16", "v_cmpx_gt_u16"], Signed16),
        ("common", "16-bit compares look at all 32 bits", ["v_cmp_eq_u16", "v_cmp_lt_u16"], Whole32),
        ("common", "VSKIP ignored", ["v_cmp_lt_f32", "v_cmp_eq_u32"], IgnoresVskip),
        ("common", "GPR index mode ignored", ["v_cmp_lt_f32", "v_cmp_eq_u64"], IgnoresIndex),
        ("common", "vector compare writes SCC", ["v_cmp_lt_f32", "v_cmp_eq_u32"], WritesScc)):
    mistake(_who, _what, _rows, Compare=_cls)

mistake("MGPUSim, gem5 (VOP3)", "V_CMP_LG: host `!=`, true for NaN", ["v_cmp_lg_f32", "v_cmp_lg_f64"],
        FLOAT_PREDICATES={"lg": "<>u"})
mistake("seed page", "V_CMP_U: !NaN or !NaN", ["v_cmp_u_f32", "v_cmp_u_f64"], FLOAT_PREDICATES={"u": "<=>"})
mistake("common", "V_CMP_NLT as GE: false for NaN", ["v_cmp_nlt_f32"], FLOAT_PREDICATES={"nlt": "=>"})
mistake("gem5", "V_CMP_CLASS: both NaN classes merged", ["v_cmp_class_f32", "v_cmp_class_f64"],
        float_class=lambda bits, width, good=m.float_class: 1 if m.is_nan(bits, width) else good(bits, width))
mistake("common", "-0 below +0", ["v_cmp_eq_f32", "v_cmp_lt_f64"],
        float_order=lambda bits, width, flush, good=m.float_order:
        good(bits, width, flush) - (0.5 if bits == 1 << width - 1 else 0))


# --- moves and indices -------------------------------------------------------------

def movrel_eight_bits(st, code, width, arch, good=m.movrel_index):
    m0 = st.sgpr[M0]
    st.sgpr[M0] = m0 & 0xFF
    index = good(st, code, width, arch)
    st.sgpr[M0] = m0
    return index


mistake("common", "S_MOVREL: only 8 bits of M0 used", ["s_movrels_b32", "s_movreld_b64"],
        movrel_index=movrel_eight_bits)
mistake("common", "VCCZ looks at VCC_LO only", ["s_cbranch_vccz", "s_cbranch_vccnz"], BRANCHES={
    "s_cbranch_vccz": lambda st: st.sgpr[VCC] == 0, "s_cbranch_vccnz": lambda st: st.sgpr[VCC] != 0})
mistake("Qazalin/remu", "S_BITCMP1_B32: masked bit compared with 1", ["s_bitcmp1_b32"],
        SOPC={"s_bitcmp1_b32": lambda a, b: a & 1 << (b & 31) == 1})
mistake("common", "S_BITCMP0_B64: 5-bit index", ["s_bitcmp0_b64"],
        SOPC={"s_bitcmp0_b64": lambda a, b: m.bit(a, b & 31) == 0})
mistake("seed page", "S_CMP_LG_U64 as S_CMP_EQ_U64", ["s_cmp_lg_u64"], SOPC={"s_cmp_lg_u64": lambda a, b: a == b})

m.SOP2_GOOD = dict(m.SOP2)


@contextlib.contextmanager
def planted(patch):
    """A context in which the model has the mistake."""
    saved = {}
    try:
        for name, value in patch.items():
            table = getattr(m, name)
            if isinstance(value, dict):
                saved[name] = dict(table)
                table.update(value)
            else:
                saved[name] = table
                setattr(m, name, value)
        yield
    finally:
        for name, value in saved.items():
            if isinstance(value, dict):
                getattr(m, name).update(value)
            else:
                setattr(m, name, value)


def load_vectors(mnemonics, arch):
    """The vectors of these mnemonics, by mnemonic."""
    out = {name: [] for name in mnemonics}
    for path in made(f"{arch}-*.jsonl.gz"):
        with gzip.open(path, "rt") as f:
            for line in f:
                name = line.split('"mnemonic":"', 1)[1].split('"', 1)[0]
                if name in out:
                    out[name].append(json.loads(line))
    return out


def passes(v):
    st = State().load(v["init"])
    want = State().load(v["init"])
    expect = {k: x for k, x in v["expect"].items() if k != "sgpr"}
    want.load({"sgpr": v["expect"].get("sgpr", {})})
    want.load(expect)
    run(Program(v["words"], v["arch"], st.pc), st, 1)
    return st.dump() == want.dump()


# Functions that do the same on every input.
SAME = [{"s_mov_b32", "s_mov_fed_b32"}, {"s_cmp_eq_i32", "s_cmp_eq_u32"}, {"s_cmp_lg_i32", "s_cmp_lg_u32"}]


def exchange(arch):
    """Put every function of a table in the place of every other of the same widths, and
    every predicate in the place of every other; returns (exchanges, those not noticed)."""
    count, unnoticed = 0, []
    for table in ("SOP1", "SOP2", "SOPC"):
        functions, groups = dict(getattr(m, table)), {}
        for row in m.ROWS:
            if arch in row.opcode and row.mnemonic in functions:
                groups.setdefault((row.dst, row.src0, row.src1), []).append(row.mnemonic)
        for names in groups.values():
            vectors = load_vectors(names, arch)
            for name in names:
                for other in names:
                    if other != name and {name, other} not in SAME:
                        count += 1
                        with planted({table: {name: functions[other]}}):
                            if all(passes(v) for v in vectors[name]):
                                unnoticed.append((name, other))
    for table, kinds in (("FLOAT_PREDICATES", ("f32", "f64")), ("INT_PREDICATES", ("i32", "u32", "i64", "u64"))):
        predicates = dict(getattr(m, table))
        for kind in kinds:
            vectors = load_vectors([f"v_cmp_{p}_{kind}" for p in predicates], arch)
            for p in predicates:
                for form in ("vopc-", "vop3-"):
                    own = [v for v in vectors[f"v_cmp_{p}_{kind}"] if form in v["id"]]
                    for other in predicates:
                        if other != p:
                            count += 1
                            with planted({table: {p: predicates[other]}}):
                                if all(passes(v) for v in own):
                                    unnoticed.append((f"{form}{p}_{kind}", other))
    return count, unnoticed


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--arch", default="gcn1.4")
    parser.add_argument("--markdown", action="store_true", help="print the table of the README")
    parser.add_argument("--exchange", action="store_true", help="exchange functions and predicates")
    args = parser.parse_args()
    if args.exchange:
        count, unnoticed = exchange(args.arch)
        print(f"{args.arch}: {count} exchanges, {len(unnoticed)} not noticed", *unnoticed)
        sys.exit(bool(unnoticed))
    everything = load_vectors({n for _, _, names, _ in MISTAKES for n in names}, args.arch)
    missed = 0
    for who, what, names, patch in MISTAKES:
        vectors = [v for n in names for v in everything[n]]
        if not vectors or "GPR index" in what and m.before(args.arch, "gcn1.2"):
            continue
        with planted(patch):
            failed = [v for v in vectors if not passes(v)]
        certain = sum(v["certainty"] == "certain" for v in failed)
        missed += not failed
        if args.markdown:
            print(f"| {what} | {who} | {len(failed)} ({certain}) |")
        else:
            print(f"{'MISSED' if not failed else 'caught':7} {len(failed):4} of {len(vectors):4} "
                  f"({certain} certain)  {what} [{who}]")
    if not args.markdown:
        print(f"{len(MISTAKES)} mistakes, {missed} missed")
    sys.exit(missed > 0)


if __name__ == "__main__":
    main()
