#!/usr/bin/env python3
"""Mutation proof: plants wrong semantics in a copy of the source tree and sees which check notices first.

    tests/mutation/mutate.py --work /tmp/mutants [--jobs 1] [--seconds 5] [--only N,N-N..|AREA] [--all] > table.md
    tests/mutation/mutate.py --plant         # a few seconds: does every pattern still match the sources?

The mistakes are in mutants/, one file for each area: the file, text that precedes the place, the right and the wrong
expression, and what is wrong. All go into one build of the copy: each replaced expression becomes
`if mutant() == N { wrong } else { right }`, and the environment variable GCNSIM_MUTANT is N. The real tree is not
touched. Then the checks of the area (AREAS, CHECKS) run for each mutant, in their order, up to the first that notices;
all of them with --all. Without a mutant they must all pass, which is tried first.

Blanks and line ends in a pattern match any others. A wrong expression with @ is raw text for all that is replaced, and @
is the number. A check that needs more CPU time than --time-out counts as one that notices. Vectors are all those that
corpus/tools/vectors.py makes, which has to run before.

CARGO_TARGET_DIR in the environment is used for the copy if set (it may hold compiled dependencies). --no-build takes the
build of an earlier run. Results are also in WORK/results.jsonl.
"""

import argparse
import collections
import concurrent.futures
import gzip
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "corpus" / "tools"))

import vectorlib
from mutants import avx2, dispatch, helpers, interpreter, memory, planting, scalar, segments, strips

# Fast enough, and compiled in half the time.
PROFILE = ["--config", "profile.release.codegen-units=16", "--config", "profile.release.incremental=true"]

# Instead of an exit code: ran out of time.
ENDLESS = "does not end"

# Of the vectors, one in so many is tried first.
SAMPLES = ["64", "8"]

# Three tests of how long compiling very large programs takes are left out.
SLOW = ["--skip=forty_thousand", "--skip=very_many_regions", "--skip=very_many_tiny_blocks"]

# Test binaries: the package, the target (lib or a test), arguments.
TESTS = {
    "interp unit tests": [("gcnsim-interp", "lib", [])],
    "dispatch unit tests": [
        ("gcnsim-isa", "lib", ["kernel::"]),
        ("gcnsim-device", "lib", []),
        ("gcnsim-launches", "lib", []),
        ("gcnsim-loader", "lib", []),
    ],
    "helper tests": [("gcnsim-helpers", "lanes", ["integers::", "forms::", "float::", "levels::"])],
    "segment tests": [
        ("gcnsim-jit", "lib", []),
        ("gcnsim-jit", "segments", []),
        ("gcnsim", "engines", ["segments::"]),
    ],
    "strip tests": [
        ("gcnsim", "engines", ["strips::"]),
        ("gcnsim-jit", "lib", ["strip::"]),
        ("gcnsim-engine", "segments_loads", []),
    ],
    "memory tests": [
        ("gcnsim-interp", "lib", ["memory::"]),
        ("gcnsim-helpers", "lib", ["memory::"]),
        ("gcnsim-helpers", "memory", []),
        ("gcnsim-machine", "lib", []),
        ("gcnsim", "engines", ["compiled_memory::", "memory_twice::"]),
    ],
    "dispatch tests": [
        ("gcnsim", "dispatch", ["kernels::", "memory::", "cli::", "bad_input::"]),
        ("gcnsim", "files", ["loader_"]),
    ],
    "compiler tests": [
        ("gcnsim", "engines", ["fused::", "lowering::", "float_modes::", "differential::what_once_diverged"]),
        ("gcnsim", "hostile", ["words::", "registers::", "links::", *SLOW]),
        ("gcnsim", "files", ["fuzz_inputs::"]),
        ("gcnsim", "interp", ["vcmp::"]),
        ("gcnsim-jit", "regions", []),
        ("gcnsim-helpers", "lanes", ["compares::"]),
    ],
}

# The folder of a package.
FOLDERS = {"gcnsim": "", "gcnsim-isa": "isa", "gcnsim-jit": "jit"}

Area = collections.namedtuple("Area", "name title mutants checks")

AREAS = [
    Area("scalar", "scalar instructions, compares, regions", scalar.MUTANTS, ["sample", "compiler tests", "programs", "fuzz", "vectors"]),
    Area("interpreter", "interpreter: vector ALU", interpreter.MUTANTS, ["sample", "interp unit tests", "kernels", "fuzz", "vectors"]),
    Area("helpers", "compiled code: helpers", helpers.MUTANTS, ["sample", "helper tests", "kernels", "compiler tests", "fuzz", "vectors"]),
    Area("segments", "compiled code: vector segments", segments.MUTANTS, ["sample", "kernels", "segment tests", "compiler tests", "fuzz", "vectors"]),
    Area("memory", "memory instructions of both engines", memory.MUTANTS, ["sample", "memory tests", "kernels", "fuzz", "vectors"]),
    Area("dispatch", "dispatch set-up and loader", dispatch.MUTANTS, ["dispatch unit tests", "kernels", "dispatch tests"]),
    Area("strips", "compiled code: strips of loops", strips.MUTANTS, ["strip tests", "kernels", "fuzz"]),
    Area("avx2", "compiled code: AVX2", avx2.MUTANTS, ["sample", "segment tests", "memory tests", "kernels", "fuzz", "vectors"]),
]

MUTANTS = [mutant for area in AREAS for mutant in area.mutants]


def area_of(number):
    for area in AREAS:
        if number <= len(area.mutants):
            return area
        number -= len(area.mutants)
    raise IndexError(number)


def engines_of(file):
    if file.startswith("crates/interp/src"):
        return ["interp"]
    return ["jit"] if file.startswith("jit") else ["interp", "jit"]


def make_samples(folder):
    """Writes samples of the vectors: enough for most mistakes, and much faster."""
    for step in SAMPLES:
        (folder / step).mkdir(exist_ok=True, parents=True)
        for path in vectorlib.made("*.jsonl.gz"):
            with gzip.open(path, "rt") as lines, open(folder / step / path.name.removesuffix(".gz"), "w") as out:
                out.writelines(line for i, line in enumerate(lines) if i % int(step) == 5)


class Bench:
    """The copy with its binaries, and how to run the checks."""

    def __init__(self, arguments, tree, binary, tests):
        self.arguments, self.tree, self.binary, self.tests = arguments, tree, binary, tests
        self.samples = tree.parent / "samples"

    def run(self, number, command, cwd=None):
        environment = dict(os.environ, GCNSIM_MUTANT=str(number))
        # CPU time: the machine may be shared, and the run stopped for a while.
        limited = ["sh", "-c", 'ulimit -t "$0" && exec "$@"', str(self.arguments.time_out), *map(str, command)]
        done = subprocess.run(limited, cwd=cwd or self.tree, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        code = ENDLESS if -done.returncode in (signal.SIGXCPU, signal.SIGKILL) else done.returncode
        return code, done.stdout.decode(errors="replace")

    # Checks: what they found, or nothing.

    def sample(self, number, file):
        paths = vector_files(number, file)
        for step in SAMPLES:
            found = self.verify(number, file, [self.samples / step / path.name.removesuffix(".gz") for path in paths])
            if found:
                return found

    def vectors(self, number, file):
        for path in vector_files(number, file):
            found = self.verify(number, file, [path])
            if found:
                return f"{path.name.removesuffix('.jsonl.gz')}: {found}"

    def verify(self, number, file, paths):
        for engine in engines_of(file):
            code, output = self.run(number, [self.binary, "verify", "--engine", engine, *paths])
            if code != 0:
                match = re.search(r"vectors: .* (\d+) failed", output)
                return f"{match[1]} fail" if match else str(code)

    def programs(self, number, file):
        engine = ["--interp"] if engines_of(file) == ["interp"] else ["--no-check", "--hot", "0"]
        for flags, wrong in ((engine, "mismatch|divergence|internal"), (["--check", "--hot", "0"], "divergence")):
            with tempfile.TemporaryDirectory() as folder:
                out = Path(folder) / "out.jsonl"
                command = [self.binary, "batch", "corpus/programs", *flags, "--jobs", "1", "--out", out]
                code, _ = self.run(number, command)
                lines = out.read_text().splitlines() if out.exists() else []
            bad = sum(1 for line in lines if re.search(rf'"outcome":\s*"({wrong})', line))
            if bad or code not in (0, 1):
                return f"{bad} programs" if bad else f"exit {code}"

    def kernels(self, number, file):
        engines = {"interp": [["--interp"]], "jit": [["--no-check", "--hot", "0"]]}
        flags = [flags for engine in engines_of(file) for flags in engines[engine]] + [["--check", "--hot", "0"]]
        for path in sorted((self.tree / "corpus/kernels").glob("*.co")):
            launches = path.with_name(path.name.split("-")[0] + ".json")
            for engine in flags:
                code, _ = self.run(number, [self.binary, path, "--launch", launches, *engine])
                if code != 0:
                    return f"{path.stem} {engine[0]}: {code}"

    def fuzz(self, number, file):
        with tempfile.TemporaryDirectory() as folder:
            seed = 1000003 * (number + 1)
            flags = ["--seconds", self.arguments.seconds, "--seed", seed, "--jobs", 1, "--out", folder]
            code, output = self.run(number, [self.binary, "fuzz", *flags])
        match = re.search(r"(\d+) programs, (\d+) instructions, (\d+) divergences", output.replace(",", ", ").replace(",  ", ", "))
        if code != 0:
            return f"{match[3]} of {match[1]}" if match else str(code)

    def test_binaries(self, name, number):
        for package, target, options in TESTS[name]:
            cwd = self.tree / FOLDERS.get(package, package.replace("gcnsim-", "crates/"))
            code, output = self.run(number, [self.tests[package, target], *options], cwd)
            if code != 0:
                names = re.findall(r"^test (\S+) \.\.\. FAILED$", output, re.M)
                return f"{package} {target}: {names[0] if names else code}"

    def check(self, name, number, file):
        if name in TESTS:
            return self.test_binaries(name, number)
        return getattr(self, name)(number, file)

    def checks(self, number):
        """Which checks notice a mutant: name -> text; only the first, if not all are wanted."""
        area, file = area_of(number), MUTANTS[number - 1][0]
        found = {}
        for name in area.checks:
            text = self.check(name, number, file)
            if text:
                found[name] = text
                if not self.arguments.all:
                    break
        return found


def vector_files(number, file):
    """The files of vectors of the area, those first that a mistake in the file most likely breaks."""
    area = area_of(number).name if number else "all"
    starts = {"scalar": ("gcn",), "memory": ("memory-",), "all": ("",)}.get(area, ("valu-", "gcn1.2-vopc", "gcn1.4-vopc"))
    names = [path for path in vectorlib.made("*.jsonl.gz") if path.name.startswith(starts)]
    words = re.findall(r"vop\w+|sop\w|buffer|ds|flat|scalar|smem", file.replace("smem", "scalar").replace("lane_exchange", "ds"))
    generations = ["gcn1.4.1", "gcn1.4", "gcn1.2", "gcn1.0", "gcn1.1"]

    def rank(path):
        stem = path.name.removesuffix(".jsonl.gz")
        generation = min(i for i, name in enumerate(generations) if name in re.findall(r"gcn[\d.]+\d", stem))
        return (not any(f"-{word}" in stem for word in words), "vopc" in stem, generation, stem)

    return sorted(names, key=rank)


def numbers_of(text):
    numbers = []
    for part in text.split(","):
        names = [area.name for area in AREAS]
        if part in names:
            before = sum(len(area.mutants) for area in AREAS[: names.index(part)])
            numbers.extend(range(before + 1, before + len(AREAS[names.index(part)].mutants) + 1))
        else:
            first, *last = part.split("-")
            numbers.extend(range(int(first), int(last[0] if last else first) + 1))
    return numbers


def build(tree, target):
    """Builds the binary and the tests. Returns the paths."""
    environment = dict(os.environ, CARGO_TARGET_DIR=str(target))

    def cargo(*arguments):
        done = subprocess.run(["cargo", *arguments, *PROFILE], cwd=tree, env=environment, stderr=subprocess.PIPE)
        if done.returncode:
            sys.exit(done.stderr.decode(errors="replace"))
        return done

    cargo("build", "--release", "--bin", "gcnsim")
    wanted = collections.defaultdict(set)
    for package, name, _ in {(package, name, "") for tests in TESTS.values() for package, name, _ in tests}:
        wanted[package].add(name)
    tests = {}
    for package, names in wanted.items():
        flags = ["--lib" if name == "lib" else f"--test={name}" for name in sorted(names)]
        done = cargo("test", "--release", "-p", package, "--no-run", *flags)
        for name, path in re.findall(r"Executable (?:unittests )?(\S+) \((\S+)\)", done.stderr.decode()):
            name = "lib" if name == "src/lib.rs" else name.removesuffix("/main.rs").removesuffix(".rs").split("/")[-1]
            tests[package, name] = str(path if path.startswith("/") else tree / path)
    return str(target / "release/gcnsim"), tests


def summary(results):
    """The table: a row for each area, with how many mutants each check noticed first."""
    names = ["sample", *TESTS, "kernels", "programs", "fuzz", "vectors"]
    rows = ["| area | mutants | " + " | ".join(names) + " | not noticed |", "|---|--:|" + "--:|" * (len(names) + 1)]
    for area in AREAS:
        firsts = [next(iter(found), None) for number, found in results.items() if area_of(number) is area]
        if firsts:
            counts = [str(firsts.count(name)) if name in area.checks else "" for name in names]
            rows.append(f"| {area.title} | {len(firsts)} | " + " | ".join(counts) + f" | {firsts.count(None)} |")
    return "\n".join(rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, default=Path(tempfile.gettempdir()) / "gcnsim-mutants")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seconds", type=int, default=5, help="of fuzzing for each mutant")
    parser.add_argument("--time-out", type=int, default=60, help="CPU seconds for one command")
    parser.add_argument("--only", type=numbers_of, help="numbers and areas")
    parser.add_argument("--all", action="store_true", help="run all checks, not only up to the first that notices")
    parser.add_argument("--plant", action="store_true", help="build and run nothing")
    parser.add_argument("--no-build", action="store_true", help="use the copy and the build of an earlier run")
    parser.add_argument("--no-clean", action="store_true", help="do not try first that all checks pass without a mutant")
    arguments = parser.parse_args()
    work = arguments.work
    tree, target = work / "tree", Path(os.environ.get("CARGO_TARGET_DIR", work / "target"))
    tree.mkdir(parents=True, exist_ok=True)
    if not arguments.no_build:
        missing = planting.copy_tree(tree, MUTANTS)
        if missing:
            sys.exit("\n".join(missing))
    if arguments.plant:
        return print(f"{len(MUTANTS)} mutants planted")
    started = time.time()
    built = work / "built.json"
    if not arguments.no_build:
        binary, tests = build(tree, target)
        built.write_text(json.dumps([binary, [[*key, path] for key, path in tests.items()]]))
        print(f"built in {time.time() - started:.0f} s", file=sys.stderr)
    binary, tests = json.loads(built.read_text())
    make_samples(work / "samples")
    bench = Bench(arguments, tree, binary, {(package, name): path for package, name, path in tests})

    numbers = arguments.only or list(range(1, len(MUTANTS) + 1))
    if not arguments.no_clean:
        for name in dict.fromkeys(name for number in numbers for name in area_of(number).checks):
            text = bench.check(name, 0, "")
            if text:
                sys.exit(f"without a mutant: {name}: {text}")
        print(f"clean after {time.time() - started:.0f} s", file=sys.stderr)
    print("| | where | planted mistake | noticed by | |\n|--:|---|---|---|---|")
    results = {}
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool, open(work / "results.jsonl", "a") as log:
        for number, found in pool.map(lambda n: (n, bench.checks(n)), numbers):
            results[number] = found
            file, what = MUTANTS[number - 1][0], MUTANTS[number - 1][4]
            names, texts = ", ".join(found) or "**nothing**", "; ".join(found.values())
            print(f"| {number} | `{file}` | {what} | {names} | {texts} |", flush=True)
            print(json.dumps({"number": number, "what": what, "found": found}), file=log, flush=True)
    print(f"\n{summary(results)}\n\n{time.time() - started:.0f} s in all.")


if __name__ == "__main__":
    os.nice(10)
    main()
