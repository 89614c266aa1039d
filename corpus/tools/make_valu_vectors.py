#!/usr/bin/env python3
"""Make the conformance vectors of the vector ALU: corpus/vectors/valu-<encoding>-<arch>.jsonl.gz.

    python3 corpus/tools/make_valu_vectors.py [--out corpus/vectors] [--arch gcn1.2] [--row v_add_f32]

Repeatable: the same tools give the same bytes.  Expected values come from gcnmodel.py and
its package gcnvalu; gcnvalu/cases.py only chooses the cases.
"""

import argparse
import gzip
import json
import os

from gcnmodel import ARCHES
from gcnvalu.base import ValuWriter
from gcnvalu.cases import RowCases
from gcnvalu.lane_cases import CompareForms, LaneCases
from gcnvalu.packed_cases import PackedCases
from gcnvalu.rows import GENERATION, ROWS, executed, meaning
from vectorlib import rows_of

PER_ROW = 40                # every row and generation has at least this many
COMPARES = {"gcn1.2": 12, "gcn1.4": 12, "gcn1.4.1": 4}      # of each form


def make(arch, only=None):
    """The vectors of one generation, by group."""
    w = ValuWriter(arch)
    for row in ROWS:
        if arch not in row.opcode or not executed(row) or only and row.mnemonic not in only:
            continue
        group = row.encoding.lower()
        m = meaning(row.mnemonic, GENERATION[arch])
        if m.special:
            LaneCases(w, row, group, m).all()
        else:
            (PackedCases if row.encoding == "VOP3P" else RowCases)(w, row, group).all()
        if w.count[group, row.mnemonic] < PER_ROW:
            raise SystemExit(f"{arch} {row.mnemonic}: only {w.count[group, row.mnemonic]} vectors")
    if GENERATION[arch] >= 8:
        for row in rows_of(arch, "VOPC"):
            if not row.mnemonic.endswith("64") and (not only or row.mnemonic in only):
                CompareForms(w, row, "vopc").all(COMPARES[arch])
    return w


def thin(vectors, least=PER_ROW):
    """Keep `least` vectors of each row, spread over its cases."""
    rows = {}
    for v in vectors:
        rows.setdefault(v["mnemonic"], []).append(v)
    return [r[i * len(r) // least] for r in rows.values() for i in range(least)]


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", default=os.path.join(here, "..", "vectors"))
    parser.add_argument("--arch", choices=ARCHES, action="append", help="only these")
    parser.add_argument("--row", action="append", help="only these mnemonics (for looking at; files are overwritten)")
    args = parser.parse_args()
    os.makedirs(args.out, exist_ok=True)
    totals = [0, 0, 0]
    for arch in args.arch or ARCHES:
        w = make(arch, args.row)
        for group, vectors in sorted(w.vectors.items()):
            if arch == "gcn1.4.1" and group in ("vop1", "vop2", "vop3"):
                vectors = thin(vectors)         # the instructions are those of 1.4
            name = f"valu-{group}-{arch}.jsonl.gz"
            text = "".join(json.dumps(v, separators=(",", ":")) + "\n" for v in vectors)
            packed = gzip.compress(text.encode(), compresslevel=9, mtime=0)
            with open(os.path.join(args.out, name), "wb") as f:
                f.write(packed)
            certain = sum(v["certainty"] == "certain" for v in vectors)
            print(f"{name:32} {len(vectors):6} vectors {certain:6} certain {len(packed):9} bytes", flush=True)
            totals = [t + x for t, x in zip(totals, (len(vectors), certain, len(packed)))]
    print(f"{'total':32} {totals[0]:6} vectors {totals[1]:6} certain {totals[2]:9} bytes")


if __name__ == "__main__":
    main()
