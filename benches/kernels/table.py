#!/usr/bin/env python3
"""Prints how fast gcnsim runs the benchmark set: one thread, compiling and first checks included.

    python3 benches/kernels/table.py GCNSIM [GCNSIM2...] [--rounds 3] [--only sgemm,aes] [--chip gfx900]
                                     [--engine=--interp]

Time is CPU time, of the process less that of one which interprets the first instruction only, so it hardly matters
what else the machine does. With several binaries they run in turns, and the last column is the speed of the last over
that of the first. The best of the rounds counts, of both processes. The state hashes of a kernel's runs must agree.
"""

import argparse
import json
import math
import pathlib
import resource
import subprocess
import sys

FOLDER = pathlib.Path(__file__).resolve().parent


def process(binary, chip, name, extra, code):
    """The result of a launch, and the CPU time of its process in seconds."""
    command = [binary, "run", str(FOLDER / f"kernels-{chip}.co"), "--launch", str(FOLDER / "kernels.json"),
               "--only", name, "--jobs", "1", "--json", *extra]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != code:
        sys.exit(f"{name}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    used = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return json.loads(done.stdout), used


def run(binary, chip, name, extra):
    """The result of a launch, and the CPU times of its process and of one that stops at once, in seconds."""
    # The interpreter compiles nothing before it stops, so that compiling is a part of what is left.
    _, start = process(binary, chip, name, ["--max-insts", "1", "--interp"], 1)
    result, whole = process(binary, chip, name, extra, 0)
    return result, whole, start


def best(runs):
    """The CPU time in seconds that a launch took in the best of its runs."""
    return max(min(whole for _, whole, _ in runs) - min(start for _, _, start in runs), 1e-6)


def mean(values):
    """The geometric mean."""
    return math.exp(sum(map(math.log, values)) / len(values))


def table(chip, names, options):
    binaries = options.binaries
    speeds = [[] for _ in binaries]
    heads = "".join(f" ms | M/s |" for _ in binaries) + (" ratio |" if len(binaries) > 1 else "")
    print(f"\n| {chip} | wave instructions |{heads}\n|---|--:|" + "--:|" * (heads.count("|")))
    for name in names:
        results = [[] for _ in binaries]
        for _ in range(options.rounds):
            for binary, of in zip(binaries, results):
                of.append(run(binary, chip, name, options.engine))
        if len({result["state_hash"] for of in results for result, _, _ in of}) != 1:
            sys.exit(f"{name}: the results differ")
        cells = ""
        for of, all_speeds in zip(results, speeds):
            seconds = best(of)
            all_speeds.append(of[0][0]["instructions"] / seconds / 1e6)
            cells += f" {seconds * 1e3:.1f} | {all_speeds[-1]:.1f} |"
        if len(binaries) > 1:
            cells += f" {speeds[-1][-1] / speeds[0][-1]:.2f} |"
        print(f"| {name} | {results[0][0][0]['instructions']:,} |{cells}", flush=True)
    cells = "".join(f" | {mean(of):.1f} |" for of in speeds)
    if len(binaries) > 1:
        cells += f" {mean(speeds[-1]) / mean(speeds[0]):.2f} |"
    print(f"| geometric mean | |{cells}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("binaries", nargs="+", metavar="GCNSIM")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", help="names of launches, separated by commas")
    parser.add_argument("--chip", choices=["gfx803", "gfx900"])
    parser.add_argument("--engine", action="append", default=[], metavar="FLAG", help="a flag for gcnsim")
    options = parser.parse_args()
    names = [launch["name"] for launch in json.loads((FOLDER / "kernels.json").read_text())["launch"]]
    if options.only:
        names = [name for name in names if name in options.only.split(",")]
    for chip in [options.chip] if options.chip else ["gfx803", "gfx900"]:
        table(chip, names, options)


if __name__ == "__main__":
    main()
