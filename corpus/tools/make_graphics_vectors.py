#!/usr/bin/env python3
"""Make the conformance vectors of images, interpolation and exports: graphics-<group>-<arch>.jsonl.gz.

    python3 corpus/tools/make_graphics_vectors.py [--out target/vectors] [--arch gcn1.2] [--row image_load]
    python3 corpus/tools/make_graphics_vectors.py --out DIR --all

Repeatable: the same tools give the same bytes.  Expected values come from the package gcngraphics; its *_cases.py only
choose the cases.  Image, sample and gather, and all of gcn1.4.1, are thinned to 24 of a row, but all formats are in
FULL, and rules that few vectors show in SHOWN.  --all keeps what is left out.
"""

import sys

from gcngraphics.base import GraphicsWriter
from gcngraphics.cases import cases_of
from gcngraphics.rows import GROUPS, ROWS
from vectorlib import thin, write_all

PER_ROW = 24                # every row and generation has at least this many
KEEP_ALL = "--all" in sys.argv
THINNED = ("image", "sample", "gather")
FULL = [(arch, row) for arch in ("gcn1.0", "gcn1.4") for row in ("image_load", "image_store", "image_sample_lz")]
# Parts of labels, and the rows for which vectors with them are kept.
SHOWN = ("without-da", "with-da", "pow2", "lod-bias")
SHOWING = ("image_load", "image_load_mip", "image_store", "image_atomic_add", "image_get_resinfo", "image_get_lod",
           "image_sample", "image_sample_d", "image_sample_l", "image_sample_lz", "image_gather4_l", "image_gather4_lz")


def is_shown(vector):
    return vector["mnemonic"] in SHOWING and any(part in vector["id"] for part in SHOWN)


def make(arch, only=None):
    """The vectors of one generation, by group."""
    writer = GraphicsWriter(arch)
    for row in ROWS:
        if arch not in row.opcode or only and row.mnemonic not in only:
            continue
        before = sum(writer.count.values())
        group = GROUPS[row.encoding]
        if group == "image":
            group = {"sample": "sample", "gather": "gather", "lod": "sample"}.get(row.m.kind, "image")
        cases_of(writer, row, group).all()
        made = sum(writer.count.values()) - before
        if made < PER_ROW:
            raise SystemExit(f"{arch} {row.mnemonic}: only {made} vectors")
    return writer


def kept(arch, group, vectors):
    if KEEP_ALL or group not in THINNED and arch != "gcn1.4.1":
        return vectors
    full = [v for v in vectors if (arch, v["mnemonic"]) in FULL or is_shown(v)]
    return full + thin([v for v in vectors if (arch, v["mnemonic"]) not in FULL and not is_shown(v)], PER_ROW)


if __name__ == "__main__":
    if KEEP_ALL:
        sys.argv.remove("--all")
    write_all(__doc__, "graphics", make, kept)
