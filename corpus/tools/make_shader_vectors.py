#!/usr/bin/env python3
"""Make the conformance vectors of whole shaders: shaders-<stage>-<arch>.jsonl.gz.

    python3 corpus/tools/make_shader_vectors.py [--out target/vectors] [--arch gcn1.2] [--shader lambert] [--check]

Repeatable: the same tools give the same bytes.  Needs llvm-mc 14 for the words.  Expected values come from the meaning
of each shader (package gcnshaders).  --check also runs every vector on the models of instructions, which must agree.
"""

import argparse
import os

from gcnshaders.base import GENERATIONS
from gcnshaders.every import vectors
from gcnshaders.models import differences
from vectorlib import FULL, pack


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", default=FULL)
    parser.add_argument("--arch", choices=GENERATIONS, action="append", help="only these")
    parser.add_argument("--shader", action="append", help="only these (for looking at; files are overwritten)")
    parser.add_argument("--check", action="store_true", help="compare with the models of instructions")
    args = parser.parse_args()
    os.makedirs(args.out, exist_ok=True)
    totals, wrong = [0, 0, 0], 0
    for arch in args.arch or GENERATIONS:
        for stage, made in vectors(arch, args.shader).items():
            for vector in made if args.check else ():
                found = differences(vector)
                wrong += bool(found)
                for line in found[:8]:
                    print(f"{vector['id']}: {line}")
            name = f"shaders-{stage}-{arch}.jsonl.gz"
            counts = pack(made, os.path.join(args.out, name))
            print("{:34} {:6} vectors {:6} certain {:9} bytes".format(name, *counts), flush=True)
            totals = [t + x for t, x in zip(totals, counts)]
    print("{:34} {:6} vectors {:6} certain {:9} bytes".format("total", *totals))
    if wrong:
        raise SystemExit(f"{wrong} vectors differ from the models")


if __name__ == "__main__":
    main()
