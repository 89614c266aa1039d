#!/usr/bin/env python3
"""Writes the seeds of the fuzz targets, taken from the corpus: fuzz/make_seeds.py

Formats are those of fuzz/src: `run` has a head of 32 bytes before the code, `dispatch` one of 64, `descriptor` one of 8
before a descriptor; `files`, `launch` and `metadata` have a byte that says the kind of file.
"""

import gzip
import io
import json
import random
import struct
import tarfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SEEDS = ROOT / "fuzz/seeds"
CORPUS = ROOT / "corpus"
ARCHES = ["gcn1.0", "gcn1.1", "gcn1.2", "gcn1.4", "gcn1.4.1"]


def write(target, name, data):
    folder = SEEDS / target
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(data)


def vectors(arch):
    for path in sorted((CORPUS / "vectors").glob(f"{arch}-*.jsonl.gz")):
        for line in gzip.open(path, "rt"):
            yield json.loads(line), line.encode()


def decode_seeds():
    chosen = []
    for arch in ("gcn1.0", "gcn1.4"):
        by_mnemonic = {}
        for vector, _ in vectors(arch):
            if not vector.get("program"):
                by_mnemonic[vector["mnemonic"]] = vector["words"]
        names = sorted(by_mnemonic)
        chosen += [(f"{arch}-{name}", by_mnemonic[name]) for name in names[::len(names) // 24]]
    for name, words in chosen:
        words = (words + [0x12345678])[:2]
        write("decode", name, b"".join(int(word).to_bytes(4, "little") for word in words))


def bundle(parts):
    table, offset = b"__CLANG_OFFLOAD_BUNDLE__" + len(parts).to_bytes(8, "little"), 512
    for name, code in parts:
        for field in (offset, len(code), len(name)):
            table += field.to_bytes(8, "little")
        table += name.encode()
        offset += len(code)
    return table.ljust(512, b"\0") + b"".join(code for _, code in parts)


def archive(files, format):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=format) as tar:
        for name, data in files:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    # Python pads to 10 KiB; two blocks of zeros are enough.
    data = out.getvalue().rstrip(b"\0")
    return data + bytes(-len(data) % 512 + 1024)


def loader_seeds():
    # The files in corpus/elf are seeds as they are.
    small = (CORPUS / "elf/pal-gfx900.o").read_bytes()
    raw = (CORPUS / "programs/gcd-gcn1.4.bin").read_bytes()
    write("loader", "raw", raw)
    write("loader", "bundle", bundle([("host-x86_64--", b""), ("hip-amdgcn-amd-amdhsa--gfx900", small)]))
    files = [("a/raw.bin", raw), ("b.o", small), ("a/raw.toml", b'arch = "fiji"\n')]
    write("loader", "tar-ustar", archive(files, tarfile.USTAR_FORMAT))
    long = [("x/" * 80 + "a.bin", raw)]
    write("loader", "tar-gnu", archive(long, tarfile.GNU_FORMAT))
    write("loader", "tar-pax", archive(long, tarfile.PAX_FORMAT))
    for path in sorted((CORPUS / "drivers").glob("*.clo")) + sorted((CORPUS / "drivers").glob("*.txt")):
        write("loader", f"driver-{path.stem}", path.read_bytes())


RECORD = {
    "schema": "gcnsim.batch.v1", "file": "a.bin", "kernel": None, "entry": None, "sha256": "00" * 32, "outcome": "ended",
    "detail": None, "arch": "gcn1.4", "engine": "jit", "pc": "0x0", "instructions": 3,
    "by_class": {"salu": 2, "scmp": 0, "branch": 0, "vcmp": 0, "system": 1, "other": 0}, "regions": 0, "compile_ns": 0,
    "check_ns": 0, "run_ns": 50000, "checks": 0, "notes": ["setkill"], "state_hash": "00",
}


def device_seeds():
    chosen = random.Random(47)
    for i in range(40):
        steps = [chosen.choice([0, 1, 2, 3, 3, 3, 4, 5, 5, 6, 6, 7]) for _ in range(24)]
        data = bytes([i])
        for step in steps:
            data += bytes([step]) + bytes(chosen.choice([0, 1, 2, 3, 5, 14, 64, 255, chosen.randrange(256)]) for _ in range({0: 24, 1: 8, 2: 3, 3: 6, 4: 6}.get(step, 0)))
        write("device", f"case-{i:02}", data)
    # Submissions: an opcode's place in the list of the target, and a body of numbers, each of a kind and a byte.
    for i in range(26):
        data = bytes([i])
        for _ in range(4):
            packets = chosen.randrange(1, 6)
            data += bytes([0xe0, packets - 1])
            for packet in range(packets):
                words = chosen.randrange(1, 8)
                body = bytes(b for _ in range(words) for b in (chosen.choice([0, 1, 2, 3, 4, 6]), chosen.randrange(8)))
                data += bytes([i if packet == 0 else chosen.randrange(26), words]) + body
            data += bytes([chosen.randrange(12), chosen.randrange(16), chosen.randrange(2)])
            data += bytes(chosen.choice([0, 1, 2, 3, 5, 64]) for _ in range(16))
        write("device", f"submission-{i:02}", data)


def files_seeds():
    state = {"sgpr": {"0": 1, "5": "0xff"}, "vcc": "0x5", "exec": "0xffffffffffffffff", "m0": 3, "scc": 1, "pc": "0x10"}
    write("files", "state", b"s" + json.dumps(state).encode())
    write("files", "state-vgpr", b"s" + json.dumps({"vgpr": {"255": list(range(64))}}).encode())
    lines = []
    for arch in ("gcn1.0", "gcn1.4"):
        seen = {}
        for vector, line in vectors(arch):
            if len(line) < 700:
                seen.setdefault("program" if vector.get("program") else vector["mnemonic"][:5], line)
        for kind, line in sorted(seen.items())[::4]:
            write("files", f"vector-{arch}-{kind}", b"v" + line)
            lines.append(line)
    write("files", "vectors", b"V" + b"".join(lines[:3]))
    write("files", "vectors-gzip", b"V" + gzip.compress(b"".join(lines[:3]), mtime=0))
    for name in ("gcd-gcn1.4", "edge-jump-outside-gcn1.4"):
        write("files", f"sidecar-{name}", b"t" + (CORPUS / f"programs/{name}.toml").read_bytes())
    write("files", "ledger", b"l# known\n" + b"01" * 32 + b"  unsupported  loads memory (a.bin)\n")
    samples = RECORD | {"samples_ns": [50000, 51000, 52000, 50500, 50100], "reference_ns": [900, 910, 905, 900, 899]}
    slower = samples | {"samples_ns": [80000, 81000, 82000, 80500, 80100], "run_ns": 80500}
    fault = RECORD | {"outcome": "fault", "detail": {"kind": "truncated", "mnemonic": None, "pc": "0x4", "word": None, "from": None}}
    compact = [json.dumps(record, separators=(",", ":")) + "\n" for record in (RECORD, samples, fault, slower)]
    write("files", "results", b"r" + "".join(compact[:2]).encode())
    write("files", "results-slower", b"r" + (compact[1] + compact[3]).encode())
    write("files", "results-fault", b"r" + (compact[0] + compact[2]).encode())


def run_seeds():
    rng = random.Random(1)
    stems = {}
    for path in sorted((CORPUS / "programs").glob("*.bin")) + sorted((CORPUS / "loops").glob("*.bin")):
        arch = next((arch for arch in ARCHES if path.stem.endswith(arch)), "gcn1.4")
        if path.stat().st_size <= 512:
            stems.setdefault(path.stem.removesuffix("-" + arch), []).append((arch, path))
    for number, (stem, paths) in enumerate(sorted(stems.items())):
        arch, path = paths[number % len(paths)]
        # Generation, and settings that change from seed to seed.
        first = next(n for n in range(8 * (number % 8), 256) if n % 5 == ARCHES.index(arch) and n // 8 % 8 == number % 8)
        values = [rng.choice([0, 1, 7, 64, 0x7f800001, 0xffffffff, 0x80000000]) for _ in range(6)]
        head = bytes([first, number % 4, 1, 0]) + bytes(4) + b"".join(v.to_bytes(4, "little") for v in values)
        write("run", stem, head + path.read_bytes())


# Objects of v3 and later, a chip each: what the targets of dispatches begin with.
OBJECTS = [
    ("kernels-gfx600-v3-O2", 0), ("algorithms-gfx701-v3-O3", 1), ("kernels-gfx803-v4-O3", 2),
    ("kernels-gfx906-v4-Os", 4),
]
MEMORY = ("buffer_", "tbuffer_", "flat_", "global_", "scratch_", "ds_", "s_load", "s_buffer", "s_store", "s_atomic")


class Object:
    """The parts of a code object that seeds are made of."""

    def __init__(self, data):
        self.data = data
        phoff, shoff = struct.unpack_from("<QQ", data, 32)
        phnum, shentsize, shnum = struct.unpack_from("<H2xHH", data, 56)[0], 64, struct.unpack_from("<H", data, 60)[0]
        headers = [struct.unpack_from("<IIQQQQQQ", data, phoff + 56 * i) for i in range(phnum)]
        self.loads = [(h[3], h[2], h[5]) for h in headers if h[0] == 1]
        self.notes = next(data[h[2]:h[2] + h[5]] for h in headers if h[0] == 4)
        sections = [struct.unpack_from("<IIQQQQIIQQ", data, shoff + shentsize * i) for i in range(shnum)]
        table = next(s for s in sections if s[1] == 11)
        names = sections[table[6]][4]
        self.symbols = {}
        for at in range(table[4], table[4] + table[5], 24):
            name, _, value = struct.unpack_from("<IIQ", data, at)
            end = data.index(b"\0", names + name)
            self.symbols[data[names + name:end].decode()] = value

    def at(self, address, size):
        """The `size` bytes of the file that are mapped at an address."""
        for start, offset, length in self.loads:
            if start <= address < start + length:
                return self.data[offset + address - start:offset + length][:size]
        raise KeyError(hex(address))

    def metadata(self):
        """The description of the note of metadata."""
        name, size = struct.unpack_from("<II", self.notes)
        start = 12 + (name + 3) // 4 * 4
        return self.notes[start:start + size]


def head(chip, setting, group, grid, args, descriptor):
    """The head of `dispatch`: args are pairs of a kind and a number."""
    lds, private = struct.unpack_from("<II", descriptor)
    rsrc1, rsrc2, properties = struct.unpack_from("<IIH", descriptor, 48)
    sizes = bytes([chip * 8 + setting, group - 1, (grid - 1) % 256, len(args)])
    rest = struct.pack("<IIHHHBB", rsrc1, rsrc2, properties, min(lds, 0xffff), min(private, 0x3ff), 0, 3)
    kinds = bytes(kind for kind, _ in args).ljust(8, b"\0")
    return (sizes + rest + kinds + b"".join(number.to_bytes(4, "little") for _, number in args)).ljust(64, b"\0")


def argument(value):
    """The kind and number of an argument of a launch file; None if the target has no such argument."""
    (kind, number), = [pair for pair in value.items() if pair[0] != "at"]
    if kind == "buffer":
        return len(number) % 2, 0
    if kind == "local":
        return 4, min(number, 0xfff)
    if kind in ("u32", "i32") and isinstance(number, int):
        return 2, number % 50
    return (2, 0x40200000) if kind == "f32" and not isinstance(number, list) else None


def dispatch_seeds():
    for number, (stem, chip) in enumerate(OBJECTS):
        found = Object((CORPUS / f"kernels/{stem}.co").read_bytes())
        launches = json.loads((CORPUS / f"kernels/{stem.split('-')[0]}.json").read_text())["launch"]
        by_kernel = {launch["kernel"]: [argument(arg) for arg in launch.get("args", [])] for launch in launches}
        fitting = [kernel for kernel, args in sorted(by_kernel.items()) if None not in args and len(args) <= 8]
        for i, kernel in enumerate(fitting[number % 2::3]):
            at = found.symbols[kernel + ".kd"]
            descriptor = found.at(at, 64)
            entry = at + struct.unpack_from("<q", descriptor, 16)[0]
            first = head(chip, i % 8, 64 + i, 80, by_kernel[kernel], descriptor)
            write("dispatch", f"{stem.split('-')[1]}-{kernel}", first + found.at(entry, 2048))
    for arch, chip in (("gcn1.1", 1), ("gcn1.4", 3)):
        rows = {}
        for vector, _ in vectors(arch):
            if vector.get("mnemonic", "").startswith(MEMORY) and not vector.get("program"):
                rows.setdefault(vector["mnemonic"], vector["words"])
        words = [rows[name] for name in sorted(rows)]
        for i in range(0, len(words), 24):
            code = b"".join(int(word).to_bytes(4, "little") for row in words[i:i + 24] for word in row)
            descriptor = bytes(48) + struct.pack("<IIH6x", 0x3f, 12 << 1 | 1 << 7 | 1, 0x2b)
            args = [(0, 0), (1, 0), (2, 77)]
            first = head(chip, i // 24 % 8, 64, 100, args, struct.pack("<II", 512, 64) + descriptor[8:])
            write("dispatch", f"{arch}-memory-{i // 24}", first + code + bytes([0, 0, 0x81, 0xbf]))


def register_seeds():
    """Small numbers at first; in later ones, more and more parts have any value."""
    chosen = random.Random(46)
    for i in range(40):
        any_parts = 0 if i < 16 else chosen.getrandbits(7) & chosen.getrandbits(7)
        pc = chosen.choice([2, 3, 2 + 16, 0, 1]) if i % 3 == 0 else 3
        first = bytes([i % 40, any_parts, pc, chosen.randrange(17)])
        write("registers", f"case-{i:02}", first + bytes(chosen.choice([1, 2, 3, 16, 64, 255]) for _ in range(60)))


def descriptor_seeds():
    for stem, chip in OBJECTS:
        found = Object((CORPUS / f"kernels/{stem}.co").read_bytes())
        kernels = sorted(name for name in found.symbols if name.endswith(".kd"))
        for i, kernel in enumerate(kernels[::6]):
            write("descriptor", f"{stem.split('-')[1]}-{kernel[:-3]}",
                  bytes([chip * 8 + i, 2 * i, 63, 70, 0, 0, 0, 0]) + found.at(found.symbols[kernel], 64))
    old = Object((CORPUS / "kernels/kernels-gfx701-v2-O1.co").read_bytes())
    for kernel in ("saxpy", "private_array", "reduce"):
        write("descriptor", f"v2-{kernel}", bytes([8, 0, 63, 70, 0, 0, 0, 0]) + old.at(old.symbols[kernel], 256))


def metadata_seeds():
    for stem, version in (("v3-gfx900", "v3"), ("v4-gfx906", "v4"), ("v5-gfx900", "v5"), ("v2-gfx803", "v2")):
        path = CORPUS / f"elf/{stem}.co"
        if path.exists():
            write("metadata", stem, (b"\1" if version == "v2" else b"\0") + Object(path.read_bytes()).metadata())
    hostile = Object((CORPUS / "kernels/hostile/hostile.co").read_bytes()).metadata()
    for change in (0, 2, 6, 18):
        write("metadata", f"hostile-{change}", bytes([change]) + hostile)
    yaml = """---
Version: [ 1, 0 ]
Kernels:
  - Name: k
    SymbolName: 'k@kd'
    Attrs: { ReqdWorkGroupSize: [ 8, 4, 1 ] }
    Args:
      - { Name: c, TypeName: char, Size: 1, Align: 1, ValueKind: ByValue, ValueType: I8 }
      - { Size: 8, Align: 8, ValueKind: GlobalBuffer, AddrSpaceQual: Global }
      - { Size: 4, Align: 4, ValueKind: DynamicSharedPointer, PointeeAlign: 16 }
      - { Size: 4, Align: 4, ValueKind: DynamicSharedPointer, PointeeAlign: 4 }
      - { Size: 8, Align: 8, ValueKind: HiddenGlobalOffsetX }
    CodeProps: { KernargSegmentSize: 72, KernargSegmentAlign: 16, MaxFlatWorkGroupSize: 32 }
...
"""
    for change in (1, 9, 17):
        write("metadata", f"yaml-{change}", bytes([change]) + yaml.encode())


def launch_seeds():
    args = [{"buffer": "out"}, {"f32": 1}, {"u8": 2}, {"f32": [4, 0, 0, 0]}, {"local": 4}]
    kinds = {"kernel": "many_kinds", "grid": [1], "group": [1], "args": args, "buffers": {"out": {"size": 4}},
             "expect": {"buffers": {"out": [{"i32": [7]}, {"hash": "0" * 16}]}}}
    wild = {"kernel": "wild_store", "grid": [64, 2], "group": 64, "offset": [1], "max_insts": 100,
            "args": [{"buffer": "out", "at": 4}, {"u64": "0x123456789000"}], "expect": {"outcome": "fault"}}
    buffers = {
        "out": {"fill": {"u16": [1, 2]}, "size": 64}, "b": {"iota": {"type": "i8", "start": -1, "step": 2}, "size": 40},
        "c": {"random": {"type": "f32", "min": -1, "max": 1, "seed": 7}, "size": 32}, "d": {"base64": "AQI="},
        "e": {"struct": [{"buffer": "d"}, {"u8": [1, 2, 3]}, {"null": True}, {"hex": "00 fF"}]},
        "f": {"f16": ["nan", "-inf", 2]},
    }
    parts = [{"buffer": "b"}, {"struct": [{"u32": 1}, {"u32": 2}]}]
    shared = {"buffers": buffers, "launch": [wild, {**wild, "name": "b", "args": parts}]}
    garbage = {"kernel": "garbage_descriptor", "grid": 70, "group": 64, "buffers": {"o": {"size": 280}},
               "args": [{"buffer": "o"}] + [{"u32": n} for n in (1, 0x1234, 0xffffffff, 0x27000)]}
    for name, file in (("kinds", {"launch": [kinds]}), ("shared", shared), ("garbage", {"launch": [garbage, kinds]})):
        write("launch", name, b"j" + json.dumps(file).encode())
    toml = """[buffers]
x = {f32 = [1, inf], size = 300}
[[launch]]
kernel = "lds_overflow"
grid = [64, 1]
group = 64
args = [{buffer = "x", at = 4}, {i32 = 1000}]
expect.buffers.x = {f32 = [1, "any"], ulp = 2, at = 0}
"""
    write("launch", "toml", b"k" + toml.encode())
    write("launch", "toml-one", b"k" + b'launch = {kernel = "for_ever", grid = 1, group = 1, args = [{null = true}]}')


decode_seeds()
loader_seeds()
files_seeds()
run_seeds()
dispatch_seeds()
descriptor_seeds()
register_seeds()
device_seeds()
metadata_seeds()
launch_seeds()
