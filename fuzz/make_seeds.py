#!/usr/bin/env python3
"""Writes the seeds of the fuzz targets, taken from the corpus: fuzz/make_seeds.py

Formats are those of fuzz/src: `run` has a head of 32 bytes before the code, `files` a byte that says the kind of file.
"""

import gzip
import io
import json
import random
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


RECORD = {
    "schema": "gcnsim.batch.v1", "file": "a.bin", "kernel": None, "entry": None, "sha256": "00" * 32, "outcome": "ended",
    "detail": None, "arch": "gcn1.4", "engine": "jit", "pc": "0x0", "instructions": 3,
    "by_class": {"salu": 2, "scmp": 0, "branch": 0, "vcmp": 0, "system": 1, "other": 0}, "regions": 0, "compile_ns": 0,
    "check_ns": 0, "run_ns": 50000, "checks": 0, "notes": ["setkill"], "state_hash": "00",
}


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


decode_seeds()
loader_seeds()
files_seeds()
run_seeds()
