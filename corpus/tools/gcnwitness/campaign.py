"""Runs seeds: what the host computes, what gcnsim gives for each chip and level, and a folder for each difference."""

import json
import pathlib
import random
import shutil
import tempfile
import time

from . import device, host
from .opencl import OpenCl
from .program import draw_program


def combinations(rng, every, share):
    """Chips, levels, versions and flags of a program: some of them, now and then all chips and levels."""
    chosen = every if rng.random() < share else rng.sample(every, min(5, len(every)))
    for chip, level in chosen:
        # Compiling all of an unoptimised kernel takes twenty times as long as running it.
        weights = (4, 3, 3, 1, 1) if level == "-O0" else (2, 2, 2, 2, 2)
        flags = rng.choices(device.ENGINES, weights)[0] + ["--jobs", rng.choice(("1", "1", "2"))]
        yield chip, level, rng.choice((3, 4, 5)), flags


def label(one):
    """A short label of a finding."""
    return f"{one['kind']} {one.get('chip', '')}{one.get('level', '')}: {one.get('verdict', '')}"


class Campaign:
    """A run over many seeds: its settings, and its sums."""

    def __init__(self, gcnsim, findings, every=0.02, sanitize=0.15, second=None):
        self.gcnsim, self.findings, self.second = gcnsim, pathlib.Path(findings), second
        self.every, self.sanitize = every, sanitize
        self.sums = {"programs": 0, "kernels": 0, "objects": 0, "launches": 0, "instructions": 0, "findings": 0,
                     "no object": 0}

    def seed(self, seed):
        """Makes and runs the program of a seed. Returns what was found, as text."""
        rng = random.Random(f"campaign {seed}")
        program = draw_program(seed)
        self.sums["programs"] += 1
        self.sums["kernels"] += len(program.kernels)
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            found = self.compare(program, folder, rng)
            if found:
                self.sums["findings"] += len(found)
                self.keep(seed, folder, found)
        return found

    def compare(self, program, folder, rng):
        """Runs a program in a folder, on all combinations chosen for it."""
        source = OpenCl(program).text()
        (folder / "witness.cl").write_text(source)
        try:
            host.expect(program, folder, sanitize=rng.random() < self.sanitize)
        except host.HostError as error:
            return [{"kind": "host", "detail": str(error)}]
        launch = folder / "witness.json"
        launch.write_text(json.dumps(device.launches(program, folder)))
        found = []
        for chip, level, version, flags in combinations(rng, device.targets(program, source), self.every):
            out = folder / f"{chip}{level}-v{version}.co"
            about = {"chip": chip, "level": level, "version": version, "flags": flags}
            try:
                device.compile_object(folder / "witness.cl", out, chip, level, version)
            except device.NoObject:
                self.sums["no object"] += 1
                continue
            except device.CompileError as error:
                found.append({"kind": "compile", **about, "detail": str(error), "verdict": "clang refuses"})
                continue
            self.sums["objects"] += 1
            problems = self.problems(out, launch, flags)
            if problems:
                verdict = self.verdict(folder, out, launch, about)
                found += [{**problem, **about, "verdict": verdict} for problem in problems]
            else:
                out.unlink()
        return found

    def verdict(self, folder, out, launch, about):
        """A first guess at the cause, from what the engines, no optimisation and a second compiler give."""
        ways = [device.simulate(self.gcnsim, out, launch, flags) for flags in (["--interp"], ["--jit"], ["--check"])]
        hashes = {json.dumps([[result["outcome"], result["state_hash"]] for result in results]) for results, _ in ways}
        if len(hashes) > 1 or any(wrong for _, wrong in ways):
            return "gcnsim: engines"
        tries = {"-O0": ("clang-15", "-O0")}
        if self.second:
            tries["second"] = (self.second, about["level"])
            tries["second -O0"] = (self.second, "-O0")
        right = [name for name, (clang, level) in tries.items()
                 if self.agrees(folder, launch, about["chip"], level, clang)]
        return f"right with {', '.join(right)}" if right else "open"

    def agrees(self, folder, launch, chip, level, clang):
        """Whether the object of another compiler or level gives what is expected."""
        out = folder / "other.co"
        try:
            device.compile_object(folder / "witness.cl", out, chip, level, 4, clang)
        except device.CompileError:
            return False
        results, wrong = device.simulate(self.gcnsim, out, launch, ["--jit"])
        out.unlink()
        return not wrong and all(result["outcome"] == "ended" for result in results)

    def problems(self, out, launch, flags):
        """What is wrong with the results of an object."""
        results, wrong = device.simulate(self.gcnsim, out, launch, flags)
        problems = [{"kind": "gcnsim", "detail": wrong}] if wrong else []
        for result in results:
            self.sums["launches"] += 1
            self.sums["instructions"] += result["instructions"]
            if result["outcome"] != "ended":
                about = {"kernel": result.get("launch"), "detail": result.get("detail")}
                problems.append({"kind": result["outcome"], **about})
        return problems

    def keep(self, seed, folder, found):
        target = self.findings / str(seed)
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(folder, target)
        (target / "found.json").write_text(json.dumps(found, indent=1))

    def run(self, first, seconds, count, log):
        """Seeds one after the other until the time is over."""
        end = time.monotonic() + seconds
        seed = first
        while seed < first + count and time.monotonic() < end:
            before, start = dict(self.sums), time.monotonic()
            found = self.seed(seed)
            line = {"seed": seed, "seconds": round(time.monotonic() - start, 1)}
            line |= {key: self.sums[key] - before[key] for key in self.sums}
            if found:
                line["found"] = [label(one) for one in found]
            print(json.dumps(line), file=log, flush=True)
            seed += 1
        return seed - first


class Judge:
    """Whether a program still has a difference of a kind, on one chip and level."""

    def __init__(self, gcnsim, chip, level, version, kind):
        self.gcnsim, self.chip, self.level, self.version, self.kind = gcnsim, chip, level, version, kind

    def problems(self, program, folder):
        """What is wrong with the results of a program, run in a folder."""
        campaign = Campaign(self.gcnsim, folder)
        (folder / "witness.cl").write_text(OpenCl(program).text())
        try:
            host.expect(program, folder)
        except host.HostError as error:
            return [{"kind": "host", "detail": str(error)}]
        launch, out = folder / "witness.json", folder / "witness.co"
        launch.write_text(json.dumps(device.launches(program, folder)))
        try:
            device.compile_object(folder / "witness.cl", out, self.chip, self.level, self.version)
        except device.CompileError as error:
            return [{"kind": "compile", "detail": str(error)}]
        return campaign.problems(out, launch, ["--jit"])

    def differs(self, program):
        with tempfile.TemporaryDirectory() as name:
            return any(problem["kind"] == self.kind for problem in self.problems(program, pathlib.Path(name)))
