#!/usr/bin/env python3
"""Builds corpus/kernels: code objects by clang 15, and launch files with expected results.

What kernels should compute is written a second time, in Python: for kernels.cl here, for algorithms.cl in
kernel_algorithms.py, for images.cl in kernel_images.py. No engine is asked.

    python3 corpus/tools/build_kernels.py            the launch files
    python3 corpus/tools/build_kernels.py --clang    the code objects, too (Debian: clang-15 lld-15 rocm-device-libs)
"""

import json
import pathlib
import random
import struct
import subprocess
import sys
import zlib

import kernel_algorithms
import kernel_images

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "kernels"
BITCODE = "/usr/lib/x86_64-linux-gnu/amdgcn/bitcode"

# Source, chip, version of the code object, optimisation.
TARGETS = [
    ("kernels", "gfx600", 3, "-O2"),
    ("kernels", "gfx701", 2, "-O1"),
    ("kernels", "gfx803", 4, "-O3"),
    ("kernels", "gfx900", 5, "-O2"),
    ("kernels", "gfx906", 4, "-Os"),
    ("kernels", "gfx900", 4, "-O0"),
    ("algorithms", "gfx600", 4, "-Os"),
    ("algorithms", "gfx701", 3, "-O3"),
    ("algorithms", "gfx803", 2, "-O1"),
    ("algorithms", "gfx900", 3, "-Os"),
    ("algorithms", "gfx906", 5, "-O1"),
    ("images", "gfx600", 3, "-O2"),
    ("images", "gfx701", 2, "-O1"),
    ("images", "gfx803", 4, "-O3"),
    ("images", "gfx900", 5, "-Os"),
    ("images", "gfx906", 4, "-O2"),
]


def f32(x):
    """Rounded to binary32."""
    return struct.unpack("<f", struct.pack("<f", x))[0]


def u32(x):
    return x & 0xFFFFFFFF


def u64(x):
    return x & 0xFFFFFFFFFFFFFFFF


LAUNCHES = []


def launch(name, kernel, grid, group, args, buffers, expect, offset=None, images=None, expect_images=None):
    entry = {"name": name, "kernel": kernel, "grid": grid, "group": group, "args": args, "buffers": buffers,
             "expect": {"buffers": expect}}
    if images:
        entry["images"] = images
        entry["expect"]["images"] = expect_images
    if offset:
        entry["offset"] = offset
    LAUNCHES.append(entry)


def pointer(name, at=0):
    return {"buffer": name, "at": at} if at else {"buffer": name}


def make():
    rng = random.Random(20261122)
    small = lambda: f32(rng.randint(-4096, 4096) / 64)

    for n, grid in ((1000, 1024), (333, 333)):
        x, y = [small() for _ in range(n)], [small() for _ in range(n)]
        launch(f"saxpy-{n}", "saxpy", [grid], [256],
               [pointer("y"), pointer("x"), {"f32": 2.5}, {"i32": n}],
               {"x": {"f32": x}, "y": {"f32": y}},
               {"y": {"f32": [f32(f32(2.5 * a) + b) for a, b in zip(x, y)]}, "x": {"f32": x}})

    n = 24
    a, b = [small() for _ in range(n * n)], [small() for _ in range(n * n)]
    c = []
    for row in range(n):
        for col in range(n):
            total = 0.0
            for k in range(n):
                total = f32(total + f32(a[row * n + k] * b[k * n + col]))
            c.append(total)
    launch("sgemm", "sgemm", [n, n], [8, 8], [pointer("c"), pointer("a"), pointer("b"), {"i32": n}],
           {"a": {"f32": a}, "b": {"f32": b}, "c": {"size": 4 * n * n}}, {"c": {"f32": c}})

    for size in (64, 256):
        data = [rng.getrandbits(32) for _ in range(4 * size)]
        sums = [u32(sum(data[g * size:(g + 1) * size])) for g in range(4)]
        launch(f"reduce-{size}", "reduce", [4 * size], [size], [pointer("out"), pointer("in"), {"local": 4 * size}],
               {"in": {"u32": data}, "out": {"size": 16}}, {"out": {"u32": sums}})

    data = [rng.getrandbits(8) for _ in range(1500)]
    bins = [sum(1 for d in data if d & 63 == i) for i in range(64)]
    launch("histogram", "histogram", [512], [128], [pointer("bins"), pointer("data"), {"u32": len(data)}],
           {"bins": {"size": 256}, "data": {"u8": data}}, {"bins": {"u32": bins}})

    data = [rng.getrandbits(20) for _ in range(384)]
    scanned = [sum(data[i // 128 * 128:i + 1]) for i in range(384)]
    launch("scan-group", "scan_group", [384], [128], [pointer("data")], {"data": {"u32": data}},
           {"data": {"u32": scanned}})

    def collatz(n):
        count = 0
        while n != 1:
            n, count = u32(3 * n + 1) if n & 1 else n // 2, count + 1
        return count
    launch("collatz", "collatz", [200], [64], [pointer("steps"), {"u32": 27}], {"steps": {"size": 800}},
           {"steps": {"u32": [collatz(27 + i) for i in range(200)]}})

    width, height, limit = 48, 32, 100
    image = []
    for py in range(height):
        for px in range(width):
            cx, cy, x, y, i = f32(px * 0.0625 - 2), f32(py * 0.0625 - 1), 0.0, 0.0, 0
            while i < limit:
                xx, yy = f32(x * x), f32(y * y)
                if f32(xx + yy) > 4:
                    break
                y = f32(f32(f32(2 * x) * y) + cy)
                x = f32(f32(xx - yy) + cx)
                i += 1
            image.append(i)
    launch("mandelbrot", "mandelbrot", [width, height], [16, 8], [pointer("out"), {"i32": width}, {"i32": limit}],
           {"out": {"size": width * height}}, {"out": {"u8": image}})

    data = [rng.getrandbits(32) for _ in range(130)]
    sums = []
    for v in data:
        t = [u32(v * (k + 1)) for k in range(32)]
        sums.append(u32(sum(t[u32(v + k * 7) & 31] ^ k for k in range(32))))
    launch("private-array", "private_array", [130], [64], [pointer("out"), pointer("in")],
           {"in": {"u32": data}, "out": {"size": 520}}, {"out": {"u32": sums}})

    def mix(a, b):
        a ^= u32(b * 0x9E3779B9)
        return u32(u32(a << 7 | a >> 25) + b)
    values = []
    for v in range(100):
        for r in range(9):
            v = mix(v, r)
        values.append(v)
    launch("calls", "calls", [100], [64], [pointer("out"), {"u32": 9}], {"out": {"size": 400}},
           {"out": {"u32": values}})

    doubles = [((((((0.75 * i + -5) + 7) + 1.5) + 2.5) + -3.5) + 4.0) + 200 for i in range(70)]
    launch("struct-by-value", "struct_by_value", [70], [32],
           [pointer("out"), {"struct": [{"u8": 7}, {"i32": -5}, {"f64": 0.75}]}, {"f32": [1.5, 2.5, -3.5, 4]},
            {"u8": 200}],
           {"out": {"size": 560}}, {"out": {"f64": doubles}})

    grid, group, offset = [10, 7, 3], [4, 3, 2], [5, 0, 9]
    cells = []
    for z in range(grid[2]):
        for y in range(grid[1]):
            for x in range(grid[0]):
                size = min(group[0], grid[0] - x // group[0] * group[0])
                cells.append((x + offset[0]) | (y + offset[1]) << 8 | (z + offset[2]) << 16 | size << 24)
    launch("grid3", "grid3", grid, group, [pointer("out")], {"out": {"size": 4 * len(cells)}},
           {"out": {"u32": cells}}, offset)

    a, b = [rng.randint(-128, 127) for _ in range(90)], [rng.getrandbits(16) for _ in range(90)]
    wrap = lambda v: (v + 0x8000 & 0xFFFF) - 0x8000
    launch("narrow", "narrow", [90], [64], [pointer("out"), pointer("a"), pointer("b")],
           {"a": {"i8": a}, "b": {"u16": b}, "out": {"size": 180}},
           {"out": {"i16": [wrap(p * 3 + q) for p, q in zip(a, b)]}})

    n = 33
    m, x = [rng.uniform(-9, 9) for _ in range(n * n)], [rng.uniform(-9, 9) for _ in range(n)]
    y = []
    for row in range(n):
        total = 0.0
        for k in range(n):
            total += m[row * n + k] * x[k]
        y.append(total)
    launch("dgemv", "dgemv", [n], [16], [pointer("y"), pointer("m"), pointer("x"), {"i32": n}],
           {"m": {"f64": m}, "x": {"f64": x}, "y": {"size": 8 * n}}, {"y": {"f64": y}})

    a, b = [small() for _ in range(128)], [small() or 1.0 for _ in range(128)]
    launch("divide", "divide", [128], [64], [pointer("q"), pointer("a"), pointer("b")],
           {"a": {"f32": a}, "b": {"f32": b}, "q": {"size": 512}},
           {"q": {"f32": [f32(p / q) for p, q in zip(a, b)], "ulp": 3}})

    a, b = [rng.getrandbits(64) for _ in range(80)], [rng.getrandbits(rng.choice((4, 33, 64))) for _ in range(80)]
    launch("mul64", "mul64", [80], [64], [pointer("out"), pointer("a"), pointer("b")],
           {"a": {"u64": a}, "b": {"u64": b}, "out": {"size": 640}},
           {"out": {"u64": [u64(p * q + (p >> (q & 63)) + p // (q | 1)) for p, q in zip(a, b)]}})

    data = [rng.getrandbits(32) for _ in range(256)]
    launch("bitonic", "bitonic", [256], [256], [pointer("data")], {"data": {"u32": data}},
           {"data": {"u32": sorted(data)}})

    rows, cols, values = [0], [], []
    for _ in range(70):
        for col in sorted(rng.sample(range(50), rng.randint(0, 9))):
            cols.append(col)
            values.append(small())
        rows.append(len(cols))
    x = [small() for _ in range(50)]
    y = []
    for r in range(70):
        total = 0.0
        for k in range(rows[r], rows[r + 1]):
            total = f32(total + f32(values[k] * x[cols[k]]))
        y.append(total)
    launch("sparse", "sparse", [70], [64], [pointer("y"), pointer("rows"), pointer("cols"), pointer("values"), pointer("x")],
           {"rows": {"u32": rows}, "cols": {"u32": cols}, "values": {"f32": values}, "x": {"f32": x}, "y": {"size": 280}},
           {"y": {"f32": y}})

    table = sorted(rng.sample(range(-1000, 1000), 300))
    keys = [rng.choice(table) if rng.random() < 0.5 else rng.randint(-1000, 1000) for _ in range(150)]
    launch("search", "search", [150], [64], [pointer("found"), pointer("sorted"), pointer("keys"), {"i32": len(table)}],
           {"sorted": {"i32": table}, "keys": {"i32": keys}, "found": {"size": 600}},
           {"found": {"i32": [table.index(k) if k in table else -1 for k in keys]}})

    def switched(i):
        v = u32(i * 2654435761)
        return u32([lambda: v ^ 0x11, lambda: v + 0x2222, lambda: v * 3, lambda: ~v, lambda: v >> 3, lambda: v << 5,
                    lambda: v - i, lambda: v | 0x80000000, lambda: 0][i % 9]())
    launch("switch-table", "switch_table", [100], [64], [pointer("out")], {"out": {"size": 400}},
           {"out": {"u32": [switched(i) for i in range(100)]}})

    data = [rng.getrandbits(8) for _ in range(70 * 13)]
    launch("crc32", "crc32", [70], [64], [pointer("out"), pointer("data"), {"u32": 13}],
           {"data": {"u8": data}, "out": {"size": 280}},
           {"out": {"u32": [zlib.crc32(bytes(data[i * 13:(i + 1) * 13])) for i in range(70)]}})


def folder_of(source):
    return FOLDER / "images" if source == "images" else FOLDER


def compile_objects():
    for source, chip, version, level in TARGETS:
        folder = folder_of(source)
        out = folder / f"{source}-{chip}-v{version}{level}.co"
        command = ["clang-15", "-target", "amdgcn-amd-amdhsa", f"-mcpu={chip}", "-x", "cl", "-cl-std=CL2.0", "-Xclang",
                   "-finclude-default-header", f"--rocm-device-lib-path={BITCODE}", f"-mcode-object-version={version}",
                   level, "-ffp-contract=off", "-Wl,-s", "-o", str(out), str(folder / f"{source}.cl")]
        subprocess.run(command, check=True)


    source = FOLDER / "hostile" / "hostile.cl"
    command = ["clang-15", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx900", "-x", "cl", "-cl-std=CL2.0", "-Xclang",
               "-finclude-default-header", f"--rocm-device-lib-path={BITCODE}", "-mcode-object-version=4", "-O1",
               "-gline-tables-only", "-fdebug-compilation-dir=.", "-o", "hostile.co", "hostile.cl"]
    subprocess.run(command, check=True, cwd=source.parent)


def write(name):
    lines = ",\n".join(json.dumps(entry, separators=(",", ":")) for entry in LAUNCHES)
    (folder_of(name.removesuffix(".json")) / name).write_text('{"launch":[\n' + lines + "\n]}\n")
    LAUNCHES.clear()


if __name__ == "__main__":
    make()
    write("kernels.json")
    kernel_algorithms.make(launch)
    write("algorithms.json")
    kernel_images.make(launch)
    write("images.json")
    if "--clang" in sys.argv:
        compile_objects()
