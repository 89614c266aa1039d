#!/usr/bin/env python3
"""Make all conformance vectors, and compare them with the hashes in corpus/vectors/SHA256SUMS.

    python3 corpus/tools/vectors.py [--out target/vectors] [--jobs N]
    python3 corpus/tools/vectors.py --update        # write the hashes, and the vectors that the repository has

The repository has one in twenty vectors: of each file and mnemonic at least one, spread over its cases.  The rest is
made on demand, by the make_*_vectors.py.  Hashes are those of the text, because each zlib compresses in its own way.
The exit code is 1 if a file is not what its hash says, or if those of the repository are not a part of it.
Whole shaders need llvm-mc of LLVM 14; without one they are left out, which is said.
"""

import argparse
import gzip
import hashlib
import os
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from gcnmodel import ARCHES
from gcnshaders.assemble import ASSEMBLERS
from gcnshaders.base import GENERATIONS
from vectorlib import FULL

TOOLS = Path(__file__).resolve().parent
KEPT = TOOLS.parent / "vectors"
SUMS = KEPT / "SHA256SUMS"
ONE_IN = 20

# What makes the files, and the generations that it makes them for; the slowest first.
SHADERS = "make_shader_vectors.py"
MAKERS = {"make_graphics_vectors.py": ARCHES, "make_memory_vectors.py": ARCHES, "make_valu_vectors.py": ARCHES,
          SHADERS: GENERATIONS, "make_lattice_vectors.py": ARCHES, "make_vectors.py": ARCHES}


def make(script, arch, out):
    """Runs a script for one generation."""
    command = [sys.executable, TOOLS / script, "--out", out, "--arch", arch]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{script} --arch {arch}:\n{done.stdout}{done.stderr}")


def make_all(out, jobs):
    """Makes all files in an empty folder; returns whether whole shaders are among them."""
    for old in out.glob("*.jsonl.gz"):
        old.unlink()
    out.mkdir(parents=True, exist_ok=True)
    has_assembler = any(map(shutil.which, ASSEMBLERS))
    scripts = [name for name in MAKERS if has_assembler or name != SHADERS]
    with ThreadPoolExecutor(jobs) as pool:
        list(pool.map(lambda one: make(*one, out), [(name, arch) for name in scripts for arch in MAKERS[name]]))
    return has_assembler


def lines_of(path):
    with gzip.open(path, "rb") as file:
        return file.readlines()


def part(lines):
    """The vectors that the repository has: of each mnemonic one in so many, each from another place of its cases."""
    rows = {}
    for number, line in enumerate(lines):
        rows.setdefault(line.split(b'"mnemonic":"', 1)[1].split(b'"', 1)[0], []).append(number)
    chosen = set()
    for turn, numbers in enumerate(rows.values()):
        count = max(1, len(numbers) // ONE_IN)
        for i in range(count):
            first, end = i * len(numbers) // count, (i + 1) * len(numbers) // count
            chosen.add(numbers[first + turn * 7 % (end - first)])
    return [line for number, line in enumerate(lines) if number in chosen]


def update(out, hashes):
    SUMS.write_text("".join(f"{digest}  {name}\n" for name, digest in sorted(hashes.items())))
    for old in KEPT.glob("*.jsonl.gz"):
        old.unlink()
    for path in sorted(out.glob("*.jsonl.gz")):
        packed = gzip.compress(b"".join(part(lines_of(path))), compresslevel=9, mtime=0)
        (KEPT / path.name).write_bytes(packed)


def differences(out, hashes, has_shaders):
    """What is not as the repository says."""
    wanted = dict(reversed(line.split()) for line in SUMS.read_text().splitlines())
    if not has_shaders:
        wanted = {name: digest for name, digest in wanted.items() if not name.startswith("shaders-")}
    for name in sorted(wanted.keys() | hashes.keys()):
        if name not in hashes:
            yield f"{name}: not made"
        elif name not in wanted:
            yield f"{name}: no hash"
        elif wanted[name] != hashes[name]:
            yield f"{name}: {hashes[name]}, but the list says {wanted[name]}"
        elif not (KEPT / f"{name}.gz").exists() or lines_of(KEPT / f"{name}.gz") != part(lines_of(out / f"{name}.gz")):
            yield f"{name}.gz: what the repository has is not one in {ONE_IN} of it"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=FULL, help="the folder for them; its other vectors are removed")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--update", action="store_true", help="write what the repository has of them")
    args = parser.parse_args()
    if args.out.resolve() == KEPT:
        raise SystemExit("--out: that folder has one in twenty; use --update")
    begin = time.time()
    has_shaders = make_all(args.out, args.jobs)
    names = sorted(path.name.removesuffix(".gz") for path in args.out.glob("*.jsonl.gz"))
    hashes = {name: hashlib.sha256(b"".join(lines_of(args.out / f"{name}.gz"))).hexdigest() for name in names}
    if not has_shaders:
        print("not made: shaders-*, because llvm-mc of LLVM 14 is not there")
    if args.update:
        if not has_shaders:
            raise SystemExit("--update needs all of them")
        update(args.out, hashes)
    wrong = list(differences(args.out, hashes, has_shaders))
    print(*wrong, f"{len(names)} files in {args.out}, {time.time() - begin:.0f} s, {len(wrong)} wrong", sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
