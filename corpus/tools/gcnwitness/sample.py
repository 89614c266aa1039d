"""Writes a sample of programs for `tests/dispatch/witness.rs`: objects, launches, and what plain C gave."""

import gzip
import json
import pathlib
import tempfile

from . import device, host
from .opencl import OpenCl
from .program import draw_program

SMALL = 40000


def inline(launches, program, folder):
    """Launches with the content of their files in them, so that they need none."""
    buffers = {buffer.name: buffer for kernel in program.kernels for buffer in kernel.buffers}
    for launch in launches["launch"]:
        for name, content in launch["buffers"].items():
            content.clear()
            content["hex"] = buffers[name].data.hex()
        for name, check in launch["expect"]["buffers"].items():
            if "file" in check:
                kind = check.pop("type")
                check.pop("file")
                check.update(numbers(buffers[name], kind, (folder / f"{name}.out").read_bytes()))
    return launches


def numbers(buffer, kind, data):
    """The bytes of a buffer as a list of numbers; floats by their bits."""
    size = buffer.type.bits // 8
    parts = [data[at:at + size] for at in range(0, len(data), size)]
    if buffer.type.is_float:
        return {kind: [f"0x{int.from_bytes(part, 'little'):0{2 * size}x}" for part in parts]}
    return {kind: [int.from_bytes(part, "little", signed=buffer.type.signed) for part in parts]}


def is_small(program):
    return sum(len(buffer.data) for kernel in program.kernels for buffer in kernel.buffers) < SMALL


def write(path, first, count, skip=(), clang="clang-15"):
    """A line for each program but those to skip, which clang gets wrong. Chips, levels and versions take turns."""
    lines, seed = [], first
    while len(lines) < count:
        program = draw_program(seed)
        source = OpenCl(program).text()
        pairs = device.targets(program, source)
        if is_small(program) and seed not in skip:
            chip, level = pairs[(len(lines) * 4 + len(lines) // 5) % len(pairs)]
            lines.append(line(program, source, chip, level, 3 + len(lines) % 3, clang))
        seed += 1
    with gzip.GzipFile(path, "wb", mtime=0) as file:
        file.write("".join(lines).encode())


def line(program, source, chip, level, version, clang):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "witness.cl").write_text(source)
        host.expect(program, folder, sanitize=True)
        out = folder / "witness.co"
        device.compile_object(folder / "witness.cl", out, chip, level, version, clang)
        launches = inline(device.launches(program, folder), program, folder)
        entry = {"seed": program.seed, "chip": chip, "level": level, "version": version, "source": source,
                 "object": out.read_bytes().hex(), "launches": launches}
    return json.dumps(entry, separators=(",", ":")) + "\n"
