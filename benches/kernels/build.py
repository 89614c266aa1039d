#!/usr/bin/env python3
"""Builds the benchmark set: code objects by clang 15 (Debian: clang-15 lld-15 rocm-device-libs) and the launch file.

    python3 benches/kernels/build.py [--bitcode FOLDER]
"""

import argparse
import json
import pathlib
import subprocess

FOLDER = pathlib.Path(__file__).resolve().parent
BITCODE = "/usr/lib/x86_64-linux-gnu/amdgcn/bitcode"
# Chip, version of the code object, optimisation.
TARGETS = [("gfx803", 4, "-O2"), ("gfx900", 5, "-O3")]


def aes_sbox():
    """The S-box of FIPS 197: inverses in GF(2^8), and an affine map."""
    box, p, q = [0x63] * 256, 1, 1
    while True:
        p = p ^ (p << 1 & 0xFF) ^ (0x1B if p & 0x80 else 0)  # times 3
        q ^= q << 1 & 0xFF  # over 3
        q ^= q << 2 & 0xFF
        q ^= q << 4 & 0xFF
        q ^= 0x09 if q & 0x80 else 0
        turned = q
        for turn in range(1, 5):
            turned ^= (q << turn | q >> (8 - turn)) & 0xFF
        box[p] = turned ^ 0x63
        if p == 1:
            return box


def random(kind, count, low, high, seed):
    """A buffer of random numbers."""
    size = count * {"f64": 8, "u32": 4, "f32": 4}[kind]
    return {"random": {"type": kind, "min": low, "max": high, "seed": seed}, "size": size}


def words(count, seed):
    """A buffer of random words."""
    return random("u32", count, 0, 0xFFFFFFFF, seed)


def launch(kernel, grid, group, args, buffers):
    """The launch of a kernel; arguments that are names of `buffers` are buffers."""
    args = [{"buffer": arg} if isinstance(arg, str) else arg for arg in args]
    return {"name": kernel, "kernel": kernel, "grid": grid, "group": group, "args": args, "buffers": buffers}


def u32(value):
    return {"u32": value}


def launches():
    n, million = 640, 1 << 20
    for name, kind in (("sgemm", "f32"), ("dgemm", "f64")):
        buffers = {"a": random(kind, n * n, -1, 1, 1), "b": random(kind, n * n, -1, 1, 2),
                   "c": random(kind, n * n, 0, 0, 3)}
        yield launch(name, [n, n], [16, 16], ["c", "a", "b", {"i32": n}], buffers)
    yield launch("nbody", [8192], [256], ["out", "bodies", {"i32": 8192}],
                 {"out": {"size": 16 * 8192}, "bodies": random("f32", 4 * 8192, 0, 1, 1)})
    yield launch("mandelbrot", [512, 512], [64, 1],
                 ["out", {"i32": 512}, u32(500), {"f32": -2.0}, {"f32": -1.25}, {"f32": 0.0048828125}],
                 {"out": {"size": 4 * 512 * 512}})
    yield launch("sha256", [8192], [256], ["digests", u32(48)], {"digests": words(8 * 8192, 1)})
    yield launch("aes", [16384], [256], ["out", "keys", "sbox", u32(64)],
                 {"out": {"size": 16 * 16384 * 64}, "keys": words(44, 1), "sbox": {"hex": bytes(aes_sbox()).hex()}})
    yield launch("bitonic", [million], [256], ["data"], {"data": words(2 * million, 1)})
    yield launch("histogram", [16384], [256], ["bins", "data", u32(million), u32(32)],
                 {"bins": {"size": 1024}, "data": words(million, 1)})
    yield launch("reduction", [16384], [256], ["sums", "data", u32(million), u32(100)],
                 {"sums": {"size": 256}, "data": words(million, 1)})
    yield launch("fir", [million], [256], ["out", "in", "taps", {"i32": 96}],
                 {"out": {"size": 4 * million}, "in": random("f32", million + 96, -1, 1, 1),
                  "taps": random("f32", 96, -1, 1, 2)})
    rows = million // 2
    yield launch("spmv", [rows], [256], ["y", "begin", "count", "cols", "values", "x"],
                 {"y": {"size": 4 * rows}, "begin": random("u32", rows, 0, million - 129, 1),
                  "count": random("u32", rows, 16, 128, 2), "cols": random("u32", million, 0, 65535, 3),
                  "values": random("f32", million, -1, 1, 4), "x": random("f32", 65536, -1, 1, 5)})
    options = million // 4
    yield launch("black_scholes", [options], [256], ["out", "price", "strike", "years", {"f32": 0.02}, u32(32)],
                 {"out": {"size": 8 * options}, "price": random("f32", options, 5, 30, 1),
                  "strike": random("f32", options, 1, 100, 2), "years": random("f32", options, 0.25, 10, 3)})
    yield launch("xxhash", [4096], [256], ["out", "data", u32(256), u32(128)],
                 {"out": {"size": 16384}, "data": words(million, 1)})
    yield launch("triad", [16384], [256], ["a", "b", "c", {"f32": 3.0}, u32(million), u32(64)],
                 {"a": {"size": 4 * million}, "b": random("f32", million, -1, 1, 1),
                  "c": random("f32", million, -1, 1, 2)})


def compile_objects(bitcode):
    for chip, version, level in TARGETS:
        command = ["clang-15", "-target", "amdgcn-amd-amdhsa", f"-mcpu={chip}", "-x", "cl", "-cl-std=CL1.2", "-Xclang",
                   "-finclude-default-header", f"--rocm-device-lib-path={bitcode}", f"-mcode-object-version={version}",
                   level, "-gline-tables-only", "-fdebug-compilation-dir=.", "-o", f"kernels-{chip}.co", "kernels.cl"]
        subprocess.run(command, check=True, cwd=FOLDER)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bitcode", default=BITCODE, help="the folder of rocm-device-libs")
    compile_objects(parser.parse_args().bitcode)
    lines = ",\n".join(json.dumps(entry, separators=(",", ":")) for entry in launches())
    (FOLDER / "kernels.json").write_text('{"launch":[\n' + lines + "\n]}\n")


if __name__ == "__main__":
    main()
