#!/usr/bin/env python3
"""Makes a corpus of small launches, to measure what a launch costs in a batch.

    python3 benches/launches/build.py FOLDER [--count 5000]    objects with a launch file each
    python3 benches/launches/build.py --clang [--bitcode FOLDER]       the objects that they are copies of

Each object has a few bytes of its own at its end, so no two are the same. Debian: clang-15 lld-15 rocm-device-libs.
"""

import argparse
import json
import pathlib
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
BITCODE = "/usr/lib/x86_64-linux-gnu/amdgcn/bitcode"
# Kernel, and the type and value of its last argument. All take two buffers before it.
KERNELS = [("SAXPY", "f32", 2.5), ("HASH", "u32", 17), ("REDUCE", "u32", 3), ("POLYNOMIAL", "f32", 0.25),
           ("BRANCHES", "u32", 8), ("COLOURS", "f32", 0.75)]
FILLS = {"SAXPY": {"f32": 1.5}, "POLYNOMIAL": {"f32": 0.5}}


def compile_objects(bitcode):
    for name, _, _ in KERNELS:
        out = HERE / f"{name.lower()}.co"
        command = ["clang-15", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx900", "-x", "cl", "-cl-std=CL1.2", "-Xclang",
                   "-finclude-default-header", f"--rocm-device-lib-path={bitcode}", "-mcode-object-version=4", "-O2",
                   "-Wl,-s", f"-D{name}", "-o", str(out), str(HERE / "small.cl")]
        subprocess.run(command, check=True)


def write_corpus(folder, count):
    folder.mkdir(parents=True)
    for number in range(count):
        name, kind, value = KERNELS[number % len(KERNELS)]
        fill = {"fill": FILLS.get(name, {"u32": 7 + number}), "size": 4096}
        launch = {"name": "first", "kernel": "small", "grid": [64], "group": [64],
                  "args": [{"buffer": "out"}, {"buffer": "in"}, {kind: value}],
                  "buffers": {"in": fill, "out": {"fill": {"u32": 0}, "size": 4096}}}
        stem = folder / f"{name.lower()}-{number:05}"
        object_ = (HERE / f"{name.lower()}.co").read_bytes()
        stem.with_suffix(".co").write_bytes(object_ + number.to_bytes(8, "little"))
        stem.with_suffix(".json").write_text(json.dumps({"launch": [launch]}))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", type=pathlib.Path)
    parser.add_argument("--count", type=int, default=5000)
    parser.add_argument("--clang", action="store_true", help="compile the objects")
    parser.add_argument("--bitcode", default=BITCODE, help="the folder of rocm-device-libs")
    options = parser.parse_args()
    if options.clang:
        compile_objects(options.bitcode)
    if options.folder:
        write_corpus(options.folder, options.count)


if __name__ == "__main__":
    main()
