#!/usr/bin/env python3
"""Make the conformance vectors of the vector ALU: valu-<encoding>-<arch>.jsonl.gz.

    python3 corpus/tools/make_valu_vectors.py [--out target/vectors] [--arch gcn1.2] [--row v_add_f32]

Repeatable: the same tools give the same bytes.  Expected values come from gcnmodel.py and
its package gcnvalu; gcnvalu/cases.py only chooses the cases.
"""

from gcnvalu.base import ValuWriter
from gcnvalu.cases import RowCases
from gcnvalu.lane_cases import CompareForms, LaneCases
from gcnvalu.packed_cases import PackedCases
from gcnvalu.rows import GENERATION, ROWS, executed, meaning
from vectorlib import rows_of, thin, write_all

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


def kept(arch, group, vectors):
    # The instructions of these groups are those of 1.4.
    same = arch == "gcn1.4.1" and group in ("vop1", "vop2", "vop3")
    return thin(vectors, PER_ROW) if same else vectors


if __name__ == "__main__":
    write_all(__doc__, "valu", make, kept)
