#!/usr/bin/env python3
"""Make the conformance vectors of memory instructions: corpus/vectors/memory-<group>-<arch>.jsonl.gz.

    python3 corpus/tools/make_memory_vectors.py [--out corpus/vectors] [--arch gcn1.2] [--row ds_add_u32]

Repeatable: the same tools give the same bytes.  Expected values come from the package
gcnmem; its *_cases.py only choose the cases.
"""

import argparse
import gzip
import json
import os

from gcnmodel import ARCHES
from gcnmem.base import MemWriter
from gcnmem.cases import cases_of
from gcnmem.rows import GROUPS, ROWS, executed

PER_ROW = 24                # every row and generation has at least this many, unless it does nothing
NO_EFFECT = 12
GCN141 = 4                  # of a row: gcn1.4.1 behaves as gcn1.4


def make(arch, only=None):
    """The vectors of one generation, by group."""
    writer = MemWriter(arch)
    for row in ROWS:
        if arch not in row.opcode or not executed(row) or only and row.mnemonic not in only:
            continue
        cases_of(writer, row, GROUPS[row.encoding]).all()
        least = NO_EFFECT if row.m.kind in ("none", "clock") else PER_ROW
        if writer.count.get(row.mnemonic, 0) < least:
            raise SystemExit(f"{arch} {row.mnemonic}: only {writer.count.get(row.mnemonic, 0)} vectors")
    return writer


def thin(vectors, least):
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
        for group, vectors in sorted(make(arch, args.row).vectors.items()):
            if arch == "gcn1.4.1":
                vectors = thin(vectors, GCN141)
            name = f"memory-{group}-{arch}.jsonl.gz"
            text = "".join(json.dumps(v, separators=(",", ":")) + "\n" for v in vectors)
            packed = gzip.compress(text.encode(), compresslevel=9, mtime=0)
            with open(os.path.join(args.out, name), "wb") as f:
                f.write(packed)
            certain = sum(v["certainty"] == "certain" for v in vectors)
            print(f"{name:34} {len(vectors):6} vectors {certain:6} certain {len(packed):9} bytes", flush=True)
            totals = [t + x for t, x in zip(totals, (len(vectors), certain, len(packed)))]
    print(f"{'total':34} {totals[0]:6} vectors {totals[1]:6} certain {totals[2]:9} bytes")


if __name__ == "__main__":
    main()
