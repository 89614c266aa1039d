#!/usr/bin/env python3
"""Plants one change of an instruction in each of many shaders, for `gcnsim diff`.

    plant_changes.py FOLDER OUT [--each N] [--seed N] [--limit N]

FOLDER has raw shaders with sidecars (corpus/shaders, or make_radv_corpus.py). For each, OUT/old and OUT/new get the
same name; OUT/changes.jsonl has a line for each: name, arch, stage, pc, kind (swap, constant, literal, component), the
words before and after, steps to the output. Only instructions change that an output (export, store, atomic) depends on.
"""

import argparse
import json
import random
import struct
from pathlib import Path

from gcnplant import changes, code, decode, flow


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--each", type=int, default=1)
    parser.add_argument("--limit", type=int)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    choose = random.Random(arguments.seed)
    files = sorted(arguments.folder.rglob("*.bin"))
    choose.shuffle(files)
    for side in ("old", "new"):
        (arguments.out / side).mkdir(parents=True, exist_ok=True)
    count = 0
    with open(arguments.out / "changes.jsonl", "w") as log:
        for file in files:
            if arguments.limit and count >= arguments.limit:
                break
            area = code.raw(file)
            try:
                instructions = code.instructions(area)
            except decode.Undecoded as error:
                print(f"{file}: {error}")
                continue
            distance = flow.towards_outputs(instructions, flow.Blocks(instructions, 0))
            options = list(changes.candidates(instructions, distance))
            kinds = sorted({kind for _, kind, _ in options})
            for number in range(arguments.each if options else 0):
                # A kind first, so that all of them occur.
                kind = choose.choice(kinds)
                pc, kind, words = choose.choice([option for option in options if option[1] == kind])
                name = f"{area.arch}-{file.stem}-{number}"
                data = bytearray(area.code)
                struct.pack_into(f"<{len(words)}I", data, pc, *words)
                sidecar = file.with_suffix(".toml").read_text()
                for side, content in (("old", area.code), ("new", data)):
                    (arguments.out / side / f"{name}.bin").write_bytes(content)
                    (arguments.out / side / f"{name}.toml").write_text(sidecar)
                inst = instructions[pc]
                line = {"name": name, "arch": area.arch, "stage": area.stage, "pc": pc, "kind": kind}
                line |= {"mnemonic": inst.name, "old": [f"{word:08x}" for word in inst.words]}
                line |= {"new": [f"{word:08x}" for word in words], "steps": distance[pc]}
                print(json.dumps(line), file=log)
                count += 1
    print(f"{count} changes in {arguments.out}")


if __name__ == "__main__":
    main()
