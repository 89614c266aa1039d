#!/usr/bin/env python3
"""Make the conformance vectors of scalar instructions and compares: <arch>-<group>.jsonl.gz.

    python3 corpus/tools/make_vectors.py [--out target/vectors] [--arch gcn1.2]

Repeatable: the same tools give the same bytes.  Expected values come from gcnmodel.py;
this program only chooses the cases.
"""

import argparse
import glob
import os
import sys

import flow_cases
import program_cases
import scalar_cases
from compare_cases import CompareCases
from gcnmodel import ARCHES, EXEC_FUNCTIONS, SOP1, UNKNOWN
from vectorlib import FULL, Writer, rows_of

PLAIN_SOPK = ("s_movk", "s_cmovk", "s_cmpk", "s_addk", "s_mulk")
PER_ROW = 40                # every row and generation has at least this many


def is_exec_row(name):
    return "exec_b64" in name and name.split("_")[1] in EXEC_FUNCTIONS


def generate(arch):
    w = Writer(arch)
    for row in rows_of(arch, "SOP1"):
        if row.mnemonic in SOP1 or is_exec_row(row.mnemonic):
            scalar_cases.OneSource(w, row).all()
    for row in rows_of(arch, "SOP2"):
        if row.dst:
            scalar_cases.TwoSources(w, row).all()
    for row in rows_of(arch, "SOPC"):
        if row.mnemonic != "s_set_gpr_idx_on":
            scalar_cases.TwoSources(w, row).all()
    for row in rows_of(arch, "SOPK"):
        if row.mnemonic.startswith(PLAIN_SOPK):
            scalar_cases.sopk_alu(w, row)
    flow_cases.generate(w)
    for row in rows_of(arch, "VOPC"):
        CompareCases(w, row).all()
    program_cases.generate(w)
    check_coverage(w)
    return w


def check_coverage(w):
    """At least PER_ROW vectors for each row; every inline constant for each operand type."""
    for encoding in ("SOP1", "SOP2", "SOPC", "SOPK", "SOPP", "VOPC"):
        for row in rows_of(w.arch, encoding):
            n = w.count.get(row.mnemonic, 0)
            if n < PER_ROW and row.mnemonic not in UNKNOWN:
                raise SystemExit(f"{w.arch} {row.mnemonic}: only {n} vectors")
    if w.constants.missing():
        raise SystemExit(f"{w.arch}: constants not met: {w.constants.missing()}")


def thin(w, per_row):
    """Keep a few vectors of each row, spread over its cases (for a sibling generation)."""
    for group, vectors in w.vectors.items():
        rows = {}
        for v in vectors:
            rows.setdefault(v["mnemonic"], []).append(v)
        kept = [r[i * len(r) // per_row] for r in rows.values() for i in range(per_row)]
        w.vectors[group] = kept if group != "program" else vectors


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", default=FULL)
    parser.add_argument("--arch", choices=ARCHES, action="append", help="only these")
    args = parser.parse_args()
    os.makedirs(args.out, exist_ok=True)
    totals = [0, 0, 0]
    for arch in args.arch or ARCHES:
        for old in glob.glob(os.path.join(args.out, f"{arch}-*.jsonl.gz")):
            os.remove(old)
        w = generate(arch)
        if arch == "gcn1.4.1":
            thin(w, 3)
        for name, count, certain, size in w.write(args.out):
            print(f"{name:32} {count:6} vectors {certain:6} certain {size:8} bytes")
            totals = [t + x for t, x in zip(totals, (count, certain, size))]
    print(f"{'total':32} {totals[0]:6} vectors {totals[1]:6} certain {totals[2]:8} bytes",
          file=sys.stdout)


if __name__ == "__main__":
    main()
