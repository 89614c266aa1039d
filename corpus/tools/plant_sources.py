#!/usr/bin/env python3
"""Plants one change in the source of a kernel, many times over, for `gcnsim diff`.

    plant_sources.py GCNSIM OUT [--chip gfx900] [--each N] [--seed N]

The kernels are those of corpus/kernels. For each change that matters, OUT/old and OUT/new get the same name, and
OUT/changes.jsonl has a line: name, kernel, kind, line of the source, text before and after. A change matters if a
launch of corpus/kernels, whose result was computed in Python, comes out otherwise with it; a missing barrier also if
the sanitizer finds a race that was not there before. Needs Debian's clang-15, lld-15, rocm-device-libs.
"""

import argparse
import json
import pathlib
import random
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "kernels"
BITCODE = "/usr/lib/x86_64-linux-gnu/amdgcn/bitcode"
SOURCES = ["kernels", "algorithms", "images/images"]

# Kind, what is matched in a line, what stands in its place.
CHANGES = [
    ("barrier", r"\bbarrier\([A-Z_ |]*\);", ""),
    ("bound", r"(?<=[ \w)])<=(?= )", "<"),
    ("bound", r"(?<= )<(?= )", "<="),
    ("bound", r"(?<= )>=(?= )", ">"),
    ("bound", r"(?<= )>(?= )", ">="),
    ("id", r"get_local_id(?=\()", "get_global_id"),
    ("id", r"get_global_id(?=\()", "get_local_id"),
    ("id", r"get_group_id(?=\()", "get_local_id"),
    ("dimension", r"(?<=_id\()0(?=\))", "1"),
    ("dimension", r"(?<=_id\()1(?=\))", "0"),
    ("dimension", r"(?<=_size\()0(?=\))", "1"),
    ("dimension", r"\bX\b", "Y"),
    ("dimension", r"\bY\b", "X"),
    ("address", r"(?<=\w )\*(?= (width|height|n|len|size|count|stride)\b)", "+"),
    ("address", r"(?<=\[)(?=[\w(])", "1 + "),
    ("address", r"(?<=[\w\])]) \+ [\w.]+(?=\])", ""),
    ("coordinate", r"\(int2\)\(([^,()]+), ([^,()]+)\)", r"(int2)(\2, \1)"),
    ("coordinate", r"\(int2\)\(([^,()]+), ", r"(int2)(1 + \1, "),
    ("coordinate", r"(?<=_SAMPLER_)NEAREST|\bEDGE\b", "BORDER"),
    ("term", r"(?<=[\w\])]) [-+^|] [\w.]+(\[[^][]*\])?(?=[;,) ])", ""),
    ("operator", r"(?<=[\w\])] )\+(?= )", "-"),
    ("operator", r"(?<=[\w\])] )-(?= )", "+"),
    ("operator", r"(?<=[\w\])] )\^(?= )", "|"),
    ("operator", r"(?<=[\w\])] )&(?= )", "|"),
    ("operator", r"(?<=[\w\])] )>>(?= )", "<<"),
    ("constant", r"(?<![\w.\[])([2-9]|[1-9]\d+)(?![\w.])", None),
    ("constant", r"(?<![\w.])(\d+\.\d+)(?=f)", None),
    ("component", r"(?<=\w)\.x\b", ".y"),
    ("component", r"(?<=\w)\.y\b", ".x"),
    ("component", r"(?<=\w)\.z\b", ".w"),
    ("operand", r"(\b\w+) - (\w+\b)", r"\2 - \1"),
]


def kernels(text):
    """Yields the name of each kernel, its place in the text, and that of its body."""
    for found in re.finditer(r"^(?:__attribute__\S* )?kernel [^{;]*?(\w+)\([^{]*\{", text, re.M):
        end = text.index("\n}\n", found.end()) + 3
        yield found.group(1), found.start(), found.end(), end


def alone(text, name):
    """Returns the text without other kernels; lines keep their numbers."""
    for other, start, _, end in reversed(list(kernels(text))):
        if other != name and not re.search(rf"\b{other}\(", text[:start] + text[end:]):
            text = text[:start] + "\n" * text.count("\n", start, end) + text[end:]
    return text


def candidates(text, start, end):
    for kind, pattern, to in CHANGES:
        for found in re.finditer(pattern, text[start:end]):
            if to is None:
                new = str(int(found[0]) + 1) if found[0].isdigit() else str(float(found[0]) * 1.5)
            else:
                new = found.expand(to)
            if new != found[0]:
                yield kind, start + found.start(), start + found.end(), new


def compile(chip, text, to):
    command = ["clang-15", "-target", "amdgcn-amd-amdhsa", f"-mcpu={chip}", "-x", "cl", "-cl-std=CL2.0", "-w", "-O2"]
    command += ["-g1", "-Xclang", "-finclude-default-header", f"--rocm-device-lib-path={BITCODE}", "-", "-o", str(to)]
    return subprocess.run(command, input=text, text=True, capture_output=True, timeout=120).returncode == 0


class Planter:
    def __init__(self, arguments):
        self.arguments = arguments
        self.choose = random.Random(arguments.seed)
        for side in ("old", "new", "launches"):
            (arguments.out / side).mkdir(parents=True, exist_ok=True)

    def passes(self, code, launches, *flags):
        """Whether launches come out as Python says. None if they do not end."""
        command = [self.arguments.gcnsim, code, "--launch", launches, "--max-insts", "2000000", *flags]
        done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=300)
        return {0: True, 1: False}.get(done.returncode)

    def matters(self, kind, old, new, launches):
        if self.passes(new, launches) is False:
            return True
        race = ("--sanitize=race",)
        return kind == "barrier" and self.passes(old, launches, *race) and self.passes(new, launches, *race) is False

    def kernel(self, source, text, name, launches):
        """Returns the changes of a kernel that matter."""
        only = alone(text, name)
        place = next(place for place in kernels(only) if place[0] == name)
        launch_file = self.arguments.out / "launches" / f"{name}.json"
        launch_file.write_text(json.dumps({"launch": launches}))
        old = self.arguments.out / "old" / f"{name}.tmp"
        if not compile(self.arguments.chip, only, old) or not self.passes(old, launch_file):
            old.unlink(missing_ok=True)
            return []
        options = list(candidates(only, place[2], place[3]))
        self.choose.shuffle(options)
        # One of each kind first.
        kinds = {option: [o for o in options if o[0] == option[0]] for option in options}
        options = sorted(options, key=lambda option: kinds[option].index(option))
        lines, code = [], old.read_bytes()
        for kind, start, end, to in options:
            if len(lines) >= self.arguments.each:
                break
            number = only.count("\n", 0, start) + 1
            change = f"{source.replace('/', '-')}-{name}-{kind}-{number}-{start}"
            new = self.arguments.out / "new" / f"{change}.co"
            if not compile(self.arguments.chip, only[:start] + to + only[end:], new):
                new.unlink(missing_ok=True)
                continue
            if new.read_bytes() == code or not self.matters(kind, old, new, launch_file):
                new.unlink()
                continue
            (self.arguments.out / "old" / f"{change}.co").write_bytes(code)
            line = {"name": change, "kernel": name, "kind": kind, "line": number}
            lines.append(line | {"old": only[start:end], "new": to})
        old.unlink()
        return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gcnsim", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--chip", default="gfx900")
    parser.add_argument("--each", type=int, default=8)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    planter, tasks = Planter(arguments), []
    for source in SOURCES:
        text = (FOLDER / f"{source}.cl").read_text()
        launches = json.loads((FOLDER / f"{source}.json").read_text())["launch"]
        for name, *_ in kernels(text):
            own = [launch for launch in launches if launch["kernel"] == name]
            if own:
                tasks.append((source, text, name, own))
    with open(arguments.out / "changes.jsonl", "w") as log, ThreadPoolExecutor(2) as pool:
        for lines in pool.map(lambda task: planter.kernel(*task), tasks):
            for line in lines:
                print(json.dumps(line), file=log, flush=True)


if __name__ == "__main__":
    main()
