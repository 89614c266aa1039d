"""What the case generators share: values, operands, and the writer that asks the model.

A generator describes an instruction and an initial state; `Writer.add` executes the one
instruction on the model, and keeps what differs afterwards as the expectation.
"""

import argparse
import gzip
import json
import os
from pathlib import Path

from gcnmodel import (ARCHES, BY_NAME, EXEC, LITERAL, M0, VCC, ZERO_LANES, Program, State, before, hex64,
                      run)

# The folder of all vectors. The repository has one in twenty of them; `vectors.py` makes the rest.
FULL = Path(__file__).resolve().parents[2] / "target" / "vectors"

BASES = [0, 0x1000, 0x100001000, 0x7FFFFFFC, 0xFFFFFFFC, 0x7FFF00000100, 0x2FFFFFFF8]

INT_MIN, INT_MAX = 0x80000000, 0x7FFFFFFF
INT64_MIN, INT64_MAX = 1 << 63, (1 << 63) - 1
EDGES32 = [0, 1, 0xFFFFFFFF, INT_MIN, INT_MAX]
EDGES64 = [0, 1, (1 << 64) - 1, INT64_MIN, INT64_MAX, 0xFFFFFFFF, 1 << 32]
COUNTS = [0, 1, 31, 32, 33, 63, 64, 255, 0xFFFFFFE2]

NAMES = {INT_MIN: "int_min", INT_MAX: "int_max", 0xFFFFFFFF: "m1", INT64_MIN: "int64_min",
         INT64_MAX: "int64_max", (1 << 64) - 1: "m1_64"}


def show(value):
    """A value as part of an id."""
    if value in NAMES:
        return NAMES[value]
    return str(value) if value < 1000 else f"{value:x}"


def made(pattern):
    """The files with all vectors whose names fit."""
    found = sorted(FULL.glob(pattern))
    if not found:
        raise SystemExit(f"{FULL}: no {pattern}; corpus/tools/vectors.py makes them")
    return found


# --- operands ----------------------------------------------------------------------

class Reg:
    """A register (by operand code) and the value it starts with; None: as it comes."""

    def __init__(self, code, value=None):
        self.code, self.value, self.literal = code, value, None


class Const:
    def __init__(self, code):
        self.code, self.value, self.literal = code, None, None


class Lit:
    def __init__(self, literal):
        self.code, self.value, self.literal = LITERAL, None, literal


def place(regs, operand, width):
    """Put an operand's value into the register map of an initial state."""
    if operand.value is None:
        return
    regs[operand.code] = operand.value & 0xFFFFFFFF
    if width == 64:
        regs[operand.code + 1] = operand.value >> 32


def pair(code, value):
    return {code: value & 0xFFFFFFFF, code + 1: value >> 32}


def literal_of(*operands):
    return next((o.literal for o in operands if o.literal is not None), 0)


def constant_codes(arch):
    codes = list(range(128, 209)) + list(range(240, 248))
    return codes if before(arch, "gcn1.2") else codes + [248]


class ConstantPool:
    """Deals out the inline constants so that every code meets every operand type."""

    def __init__(self, arch):
        self.codes, self.at, self.dealt = constant_codes(arch), {}, {}

    def take(self, kind, count):
        """The next `count` codes for operands of this kind."""
        start = self.at.get(kind, 0)
        self.at[kind] = start + count
        taken = [self.codes[(start + i) * 7 % len(self.codes)] for i in range(count)]
        self.dealt.setdefault(kind, set()).update(taken)
        return taken

    def missing(self):
        return {kind: sorted(set(self.codes) - dealt)
                for kind, dealt in self.dealt.items() if set(self.codes) - dealt}


def specials32(arch):
    """Special registers and the last SGPR, as 32-bit operands."""
    codes = [(VCC, "vcc_lo"), (VCC + 1, "vcc_hi"), (M0, "m0"), (EXEC, "exec_lo"),
             (EXEC + 1, "exec_hi"), (101, "s101")]
    if before(arch, "gcn1.2"):
        codes += [(103, "s103"), (108, "tba_lo"), (111, "tma_hi"), (112, "ttmp0"), (123, "ttmp11")]
        if arch == "gcn1.1":
            codes += [(104, "flat_scratch_lo"), (105, "flat_scratch_hi")]
    else:
        codes += [(102, "flat_scratch_lo"), (103, "flat_scratch_hi"), (104, "xnack_mask_lo")]
        if arch == "gcn1.2":
            codes += [(109, "tba_hi"), (110, "tma_lo"), (112, "ttmp0"), (123, "ttmp11")]
        else:
            codes += [(108, "ttmp0"), (111, "ttmp3"), (123, "ttmp15")]
    return codes


def specials64(arch):
    codes = [(VCC, "vcc"), (EXEC, "exec"), (100, "s100"), (3, "s3_odd")]
    if before(arch, "gcn1.2"):
        codes += [(102, "s102"), (108, "tba"), (110, "tma"), (112, "ttmp0"), (122, "ttmp10")]
        if arch == "gcn1.1":
            codes += [(104, "flat_scratch")]
    else:
        codes += [(102, "flat_scratch"), (104, "xnack_mask"), (110, "tma_or_ttmp2"),
                  (122, "ttmp_last"), (113, "ttmp_odd")]
    return codes


def specials(arch, width):
    return specials64(arch) if width == 64 else specials32(arch)


# --- states ------------------------------------------------------------------------

def make_state(regs=None, vgpr=None, scc=0, mode=0, trapsts=0, pc=0):
    st = State()
    for code, value in (regs or {}).items():
        st.sgpr[code] = value & 0xFFFFFFFF
    for n, lanes in (vgpr or {}).items():
        st.vgpr[n] = list(lanes)
    st.scc, st.mode, st.trapsts, st.pc = scc, mode, trapsts, pc
    return st


def sgpr_json(codes, sgpr):
    """The registers `codes` in the contract's form."""
    out, plain = {}, {}
    for code in sorted(codes):
        if code in (VCC, VCC + 1):
            out["vcc"] = hex64(sgpr[VCC] | sgpr[VCC + 1] << 32)
        elif code in (EXEC, EXEC + 1):
            out["exec"] = hex64(sgpr[EXEC] | sgpr[EXEC + 1] << 32)
        elif code == M0:
            out["m0"] = sgpr[M0]
        else:
            plain[str(code)] = sgpr[code]
    return ({"sgpr": plain} if plain else {}) | out


def init_json(st):
    """An initial state in the form of `init`; what is absent is zero."""
    out = sgpr_json([c for c in range(128) if st.sgpr[c]], st.sgpr)
    if st.vgpr:
        out["vgpr"] = {str(n): lanes for n, lanes in sorted(st.vgpr.items())}
    for name in ("scc", "mode", "trapsts"):
        if getattr(st, name):
            out[name] = getattr(st, name)
    if st.pc:
        out["pc"] = hex64(st.pc)
    return out


def expect_json(old, new):
    """What differs afterwards, in the form of `expect`; PC is always in it."""
    out = sgpr_json([c for c in range(128) if old.sgpr[c] != new.sgpr[c]], new.sgpr)
    vgpr = {str(n): lanes for n, lanes in sorted(new.vgpr.items()) if lanes != old.vgpr.get(n, ZERO_LANES)}
    if vgpr:
        out["vgpr"] = vgpr
    for name in ("scc", "mode", "trapsts"):
        if getattr(old, name) != getattr(new, name):
            out[name] = getattr(new, name)
    out["pc"] = hex64(new.pc)
    return out


# --- the writer --------------------------------------------------------------------

class Writer:
    """Collects the vectors of one arch, in files named after arch and group."""

    def __init__(self, arch):
        self.arch, self.constants = arch, ConstantPool(arch)
        self.vectors, self.count, self.seen = {}, {}, set()

    def add(self, group, mnemonic, label, words, doubts=(), **state):
        """One instruction: run it on the model, keep the difference."""
        old = make_state(**state)
        new = old.copy()
        result = run(Program(words, self.arch, old.pc), new, 1)
        if result.outcome in ("fault", "unsupported"):
            raise ValueError(f"{self.arch} {mnemonic} {label}: {result.outcome} {result.detail}")
        self.keep(group, mnemonic, label, words, old, new, new.doubts | set(doubts))

    def add_program(self, label, words, **state):
        """A whole program, run to S_ENDPGM."""
        old = make_state(**state)
        new = old.copy()
        result = run(Program(words, self.arch, old.pc), new, 1_000_000)
        if result.outcome != "ended":
            raise ValueError(f"{self.arch} {label}: {result.outcome} {result.detail}")
        self.keep("program", "program", label, words, old, new, new.doubts,
                  program=True, executed=result.instructions)

    def keep(self, group, mnemonic, label, words, old, new, doubts, **more):
        init, expect = init_json(old), expect_json(old, new)
        key = (mnemonic, tuple(words), json.dumps(init))
        if key in self.seen:
            return
        self.seen.add(key)
        number = self.count.get(mnemonic, 0)
        self.count[mnemonic] = number + 1
        vector = {"id": f"{self.arch}/{mnemonic}/{number:03d}-{label}", "arch": self.arch,
                  "mnemonic": mnemonic, "words": words,
                  "certainty": "likely" if doubts else "certain"}
        if doubts:
            vector["why"] = sorted(doubts)
        self.vectors.setdefault(group, []).append(vector | more | {"init": init, "expect": expect})

    def write(self, directory):
        """Write the files; returns (name, vectors, certain, bytes) of each."""
        report = []
        for group, vectors in sorted(self.vectors.items()):
            name = f"{self.arch}-{group}.jsonl.gz"
            report.append((name, *pack(vectors, os.path.join(directory, name))))
        return report


def pack(vectors, path):
    """Write vectors to a file; returns (vectors, certain, bytes)."""
    text = "".join(json.dumps(v, separators=(",", ":")) + "\n" for v in vectors)
    packed = gzip.compress(text.encode(), compresslevel=9, mtime=0)
    with open(path, "wb") as f:
        f.write(packed)
    return len(vectors), sum(v["certainty"] == "certain" for v in vectors), len(packed)


def thin(vectors, least):
    """Keep `least` vectors of each row, spread over its cases."""
    rows = {}
    for v in vectors:
        rows.setdefault(v["mnemonic"], []).append(v)
    return [r[i * len(r) // least] for r in rows.values() for i in range(least)]


def write_all(description, prefix, make, kept):
    """A script that writes one file for each group and generation.

    `make(arch, rows)` gives the writer of a generation; `kept(arch, group, vectors)` what is kept.
    """
    parser = argparse.ArgumentParser(description=description.split("\n")[0])
    parser.add_argument("--out", default=FULL)
    parser.add_argument("--arch", choices=ARCHES, action="append", help="only these")
    parser.add_argument("--row", action="append", help="only these mnemonics (for looking at; files are overwritten)")
    args = parser.parse_args()
    os.makedirs(args.out, exist_ok=True)
    totals = [0, 0, 0]
    for arch in args.arch or ARCHES:
        for group, vectors in sorted(make(arch, args.row).vectors.items()):
            name = f"{prefix}-{group}-{arch}.jsonl.gz"
            counts = pack(kept(arch, group, vectors), os.path.join(args.out, name))
            print("{:34} {:6} vectors {:6} certain {:9} bytes".format(name, *counts), flush=True)
            totals = [t + x for t, x in zip(totals, counts)]
    print("{:34} {:6} vectors {:6} certain {:9} bytes".format("total", *totals))


def rows_of(arch, encoding):
    return [r for r in BY_NAME.values() if r.encoding == encoding and arch in r.opcode]
