#!/usr/bin/env python3
"""Removes and weakens waits in real code, one at a time, and says what a linter must find.

    plant_waits.py OUT.jsonl PATH.. [--limit KERNELS] [--most N] [--seed N]

PATHs are code objects, raw shaders with sidecars, or folders of them. A line is a change: file, kernel, arch, kind
(remove, vm+1, lgkm+1, exp+1, nop-1, nop-move), pc, offset in the file, the bytes before and after, and `expect`: the
dependencies that it leaves uncovered, as {kind, producer, consumer, register, same_block}; an empty list: none. `kind`
is wait-vm, wait-lgkm, wait-exp, or states- with the name of the rule. What the code has unchanged is not expected. With
`same_block` the finding is certain; else it holds on some path, without regard to which lanes are active.
"""

import argparse
import json
import random
import struct
from dataclasses import asdict
from pathlib import Path

from gcnplant import code, decode, flow, waits

NOP = 0xBF800000


def areas(paths):
    """Yields the code of files."""
    for path in paths:
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if file.suffix == ".bin" and file.with_suffix(".toml").exists():
                yield code.raw(file)
            elif file.suffix in (".co", ".o", ".elf"):
                yield from code.kernels(file)


def findings(instructions, area):
    blocks = flow.Blocks(instructions, area.base)
    return waits.Walk(instructions, blocks, area.arch).run() | waits.hazards(instructions, blocks, area.arch)


def options(instructions, arch):
    """Yields (kind, pc, words) of changes of waits; words replace those at pc and, of nop-move, at the next one."""
    for pc, inst in sorted(instructions.items()):
        if inst.name == "s_waitcnt":
            yield "remove", pc, (NOP,)
            simm = inst.fields["simm"]
            for counter, value in waits.counts(inst, arch).items():
                if value + 1 <= waits.maxima(arch)[counter]:
                    yield f"{counter}+1", pc, (inst.words[0] & ~0xFFFF | waits.immediate(simm, counter, value + 1),)
        elif inst.name == "s_nop":
            if inst.fields["simm"] % 16:
                yield "nop-1", pc, (inst.words[0] - 1,)
            following = instructions.get(pc + 4)
            if following and following.encoding not in ("SOPP",) and "pc_b64" not in following.name:
                yield "nop-move", pc, (*following.words, inst.words[0])


def changed(area, instructions, pc, words):
    """Returns the instructions of the area with other words at pc."""
    data = bytearray(area.code)
    struct.pack_into(f"<{len(words)}I", data, pc - area.base, *words)
    return code.instructions(code.Area(area.file, area.kernel, area.arch, area.base, area.offset, bytes(data)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("paths", type=Path, nargs="+")
    parser.add_argument("--limit", type=int, default=400)
    parser.add_argument("--most", type=int, default=8, help="changes of a kernel")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--longest", type=int, default=600, help="instructions of a kernel")
    arguments = parser.parse_args()
    choose = random.Random(arguments.seed)
    everything = list(areas(arguments.paths))
    choose.shuffle(everything)
    taken = lines = 0
    clean = {}
    with open(arguments.out, "w") as log:
        for area in everything:
            if taken >= arguments.limit:
                break
            try:
                instructions = code.instructions(area)
            except decode.Undecoded as error:
                print(f"{area.file} {area.kernel}: {error}")
                continue
            if not 8 <= len(instructions) <= arguments.longest:
                continue
            possible = list(options(instructions, area.arch))
            if not possible:
                continue
            taken += 1
            unchanged = findings(instructions, area)
            for finding in unchanged:
                clean.setdefault(finding.kind, []).append((area.file.name, area.kernel, finding))
            known = {(finding.kind, finding.consumer, finding.producer) for finding in unchanged}
            for kind, pc, words in choose.sample(possible, min(arguments.most, len(possible))):
                old = area.code[pc - area.base : pc - area.base + 4 * len(words)]
                new = findings(changed(area, instructions, pc, words), area)
                expect = sorted(f for f in new if (f.kind, f.consumer, f.producer) not in known)
                line = {"file": str(area.file), "kernel": area.kernel, "arch": area.arch, "kind": kind, "pc": pc}
                line |= {"offset": area.offset + pc - area.base, "old": old.hex()}
                line |= {"new": struct.pack(f"<{len(words)}I", *words).hex(), "expect": [asdict(f) for f in expect]}
                print(json.dumps(line), file=log)
                lines += 1
    print(f"{lines} changes in {taken} kernels")
    for kind, found in sorted(clean.items()):
        print(
            f"unchanged code: {len(found)} {kind}, as {found[0]}, {sum(f.same_block for _, _, f in found)} in one block"
        )


if __name__ == "__main__":
    main()
