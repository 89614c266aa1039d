#!/usr/bin/env python3
"""Builds corpus/sanitize: kernels with a mistake each and the same without it, by clang 15, and their launches.

    python3 corpus/tools/build_sanitize.py            the launch files
    python3 corpus/tools/build_sanitize.py --clang    the code objects, too (Debian: clang-15 lld-15 rocm-device-libs)

A kernel's name says what is expected: NAME_racy and NAME_bad have the mistake, NAME_fixed and NAME_good have not.
"""

import json
import pathlib
import re
import subprocess
import sys

from build_kernels import BITCODE

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "sanitize"
# Source, chip, optimisation.
TARGETS = [("races", "gfx900", "-O2"), ("races", "gfx803", "-O1"), ("uninit", "gfx900", "-O1"),
           ("uninit", "gfx803", "-O0"), ("padding", "gfx900", "-O2"), ("padding", "gfx803", "-O1"),
           ("bounds", "gfx900", "-O2"), ("bounds", "gfx701", "-O1")]
SUFFIXES = {"races": ("racy", "fixed"), "uninit": ("bad", "good"), "padding": ("bad", "good"),
            "bounds": ("bad", "good")}


def compile_objects():
    for source, chip, level in TARGETS:
        command = ["clang-15", "-target", "amdgcn-amd-amdhsa", f"-mcpu={chip}", "-x", "cl", "-cl-std=CL2.0", "-Xclang",
                   "-finclude-default-header", f"--rocm-device-lib-path={BITCODE}", "-mcode-object-version=4", level,
                   "-gline-tables-only", "-fdebug-compilation-dir=.", "-w", "-o", f"{source}-{chip}{level}.co",
                   f"{source}.cl"]
        subprocess.run(command, check=True, cwd=FOLDER)


def launches(source):
    text = (FOLDER / f"{source}.cl").read_text()
    for name, parameters in re.findall(r"^PAIR\((\w+), (.*)\)", text, re.M):
        for suffix in SUFFIXES[source]:
            yield launch(source, f"{name}_{suffix}", re.findall(r"\*(\w+)", parameters))


def launch(source, kernel, buffers):
    if source == "bounds":
        # Buffers lie 128 KiB apart: 64 KiB of each, and the gap.
        return {"name": kernel, "kernel": kernel, "grid": [64], "group": [64],
                "args": [{"buffer": "a"}, {"buffer": "b"}, {"i32": 32768}],
                "buffers": {"a": {"size": 65536}, "b": {"size": 65536}}}
    grid, group = ([1024], [256]) if source == "races" else ([64], [64])
    contents = {"in": {"iota": {"type": "u32"}, "size": 4096}}
    return {"name": kernel, "kernel": kernel, "grid": grid, "group": group,
            "args": [{"buffer": name} for name in buffers],
            "buffers": contents | {name: {"size": 20480} for name in buffers if name != "in"}}


if __name__ == "__main__":
    for source in SUFFIXES:
        lines = ",\n".join(json.dumps(entry, separators=(",", ":")) for entry in launches(source))
        (FOLDER / f"{source}.json").write_text('{"launch":[\n' + lines + "\n]}\n")
    if "--clang" in sys.argv:
        compile_objects()
