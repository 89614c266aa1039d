#!/usr/bin/env python3
"""Make the conformance vectors of memory instructions: memory-<group>-<arch>.jsonl.gz.

    python3 corpus/tools/make_memory_vectors.py [--out target/vectors] [--arch gcn1.2] [--row ds_add_u32]

Repeatable: the same tools give the same bytes.  Expected values come from the package
gcnmem; its *_cases.py only choose the cases.
"""

from gcnmem.base import MemWriter
from gcnmem.cases import cases_of
from gcnmem.rows import GROUPS, ROWS, executed
from vectorlib import thin, write_all

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


def kept(arch, _group, vectors):
    return thin(vectors, GCN141) if arch == "gcn1.4.1" else vectors


if __name__ == "__main__":
    write_all(__doc__, "memory", make, kept)
