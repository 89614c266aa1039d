#!/usr/bin/env python3
"""Random OpenCL C kernels: gcnsim's results on five chips and four levels against plain C on the host.

    python3 corpus/tools/witness.py run GCNSIM [--seconds 600] [--seed 1] [--findings FOLDER]

Each seed makes a program, which is printed as OpenCL C for clang and as plain C for gcc. What differs is kept in a
folder with its sources, objects, launch file and a list of what was found.
"""

import argparse
import collections
import json
import pathlib
import re
import sys

from gcnwitness.campaign import Campaign, Judge
from gcnwitness.program import draw_program
from gcnwitness.reduce import reduced
from gcnwitness.sample import write


def run(options):
    campaign = Campaign(options.gcnsim, options.findings, options.all, second=options.second)
    log = open(options.log, "a", encoding="utf-8") if options.log else sys.stderr
    campaign.run(options.seed, options.seconds, options.count, log)
    print(json.dumps(campaign.sums))
    return 1 if campaign.sums["findings"] else 0


def reduce(options):
    """Makes the program of a seed small, for a chip and a level where it differs."""
    out = pathlib.Path(options.out)
    out.mkdir(parents=True, exist_ok=True)
    judge = Judge(options.gcnsim, options.chip, f"-{options.level}", options.version, options.kind)
    program = draw_program(options.seed)
    if not judge.differs(program):
        sys.exit("there is no difference")
    program = reduced(program, judge.differs, options.patience)
    print(json.dumps(judge.problems(program, out), indent=1))


def sample(options):
    """Writes what `tests/dispatch/witness.rs` runs."""
    write(options.file, options.seed, options.count, options.skip)


def summary(options):
    """Prints the sums of logs, and how often each thing was found, as a table."""
    sums, found, seconds = collections.Counter(), collections.Counter(), 0
    for name in options.logs:
        for line in pathlib.Path(name).read_text().splitlines():
            entry = json.loads(line)
            sums.update({key: value for key, value in entry.items() if key not in ("seed", "found", "seconds")})
            seconds += entry.get("seconds", 0)
            found.update(re.sub("gfx[0-9]*", "gfx*", text) for text in entry.get("found", []))
    print(f"| seconds | {' | '.join(sums)} |\n|--:{'|--:' * len(sums)}|")
    print(f"| {seconds:,.0f} | {' | '.join(f'{value:,}' for value in sums.values())} |")
    for text, count in found.most_common():
        print(f"{count:6} {text}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    command = commands.add_parser("run", help="run seeds")
    command.add_argument("gcnsim")
    command.add_argument("--seed", type=int, default=1)
    command.add_argument("--count", type=int, default=10**9)
    command.add_argument("--seconds", type=float, default=600)
    command.add_argument("--findings", default="witness-findings")
    command.add_argument("--log", help="a line for each seed is added here")
    command.add_argument("--all", type=float, default=0.02, help="share of programs compiled for all chips and levels")
    command.add_argument("--second", help="another clang, asked when there is a difference")
    command.set_defaults(run=run)
    command = commands.add_parser("reduce", help="make the program of a seed small")
    command.add_argument("gcnsim")
    command.add_argument("seed", type=int)
    command.add_argument("chip")
    command.add_argument("level", help="O0, O1, O2, O3")
    command.add_argument("--version", type=int, default=4)
    command.add_argument("--kind", default="mismatch", help="mismatch, compile, gcnsim, or an outcome")
    command.add_argument("--patience", type=int, default=400, help="how many programs to try")
    command.add_argument("--out", default="witness-reduced")
    command.set_defaults(run=reduce)
    command = commands.add_parser("sample", help="write corpus/witness/kernels.jsonl.gz")
    command.add_argument("file")
    command.add_argument("--seed", type=int, default=1)
    command.add_argument("--count", type=int, default=20)
    command.add_argument("--skip", type=int, nargs="*", default=[], help="seeds to leave out")
    command.set_defaults(run=sample)
    command = commands.add_parser("summary", help="add logs up")
    command.add_argument("logs", nargs="+")
    command.set_defaults(run=summary)
    options = parser.parse_args()
    sys.exit(options.run(options))


if __name__ == "__main__":
    main()
