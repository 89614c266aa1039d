"""Code of files: raw files with their sidecars, and kernels of code objects."""

import struct
import tomllib
from dataclasses import dataclass
from pathlib import Path

from .decode import ARCHES, Decoder, Undecoded

CHIPS = {
    0x20: "gcn1.0",
    0x21: "gcn1.0",
    0x3A: "gcn1.0",
    0x22: "gcn1.1",
    0x23: "gcn1.1",
    0x24: "gcn1.1",
    0x25: "gcn1.1",
    0x26: "gcn1.1",
    0x3B: "gcn1.1",
    0x27: "gcn1.2",
    0x28: "gcn1.2",
    0x29: "gcn1.2",
    0x2A: "gcn1.2",
    0x2B: "gcn1.2",
    0x2C: "gcn1.4",
    0x2D: "gcn1.4",
    0x2E: "gcn1.4",
    0x2F: "gcn1.4.1",
    0x31: "gcn1.4",
}


@dataclass
class Area:
    """Code of one kernel: `base` is the address of its first byte, `offset` where that byte is in the file."""

    file: Path
    kernel: str
    arch: str
    base: int
    offset: int
    code: bytes
    stage: str = "compute"

    def words(self):
        return struct.unpack(f"<{len(self.code) // 4}I", self.code[: len(self.code) // 4 * 4])


def raw(path):
    """The area of a raw file; its sidecar says generation and stage."""
    sidecar = tomllib.loads(path.with_suffix(".toml").read_text())
    return Area(path, "", sidecar["arch"], 0, 0, path.read_bytes(), sidecar.get("stage", "compute"))


def kernels(path):
    """Yields the kernels of a code object: functions that have a descriptor."""
    data = path.read_bytes()
    if data[:4] != b"\x7fELF":
        return
    flags = struct.unpack_from("<I", data, 48)[0]
    arch = CHIPS.get(flags & 0xFF)
    (offset,) = struct.unpack_from("<Q", data, 40)
    size, count = struct.unpack_from("<HH", data, 58)
    sections = [struct.unpack_from("<IIQQQQIIQQ", data, offset + size * index) for index in range(count)]
    names, functions = set(), {}
    for section in sections:
        if section[1] not in (2, 11):
            continue
        strings = sections[section[6]][4]
        for at in range(section[4], section[4] + section[5], 24):
            name, info, _, index, value, length = struct.unpack_from("<IBBHQQ", data, at)
            text = data[strings + name : data.index(b"\0", strings + name)].decode()
            if text.endswith(".kd"):
                names.add(text[:-3])
            if info & 15 in (2, 10) and 0 < index < count and length:
                functions[text] = (value, length, sections[index], info & 15)
    for name, (value, length, section, kind) in sorted(functions.items()):
        skip = 256 if kind == 10 else 0
        if name in names or kind == 10:
            start = section[4] + value - section[3] + skip
            yield Area(path, name, arch, value + skip, start, data[start : start + length - skip])


def instructions(area):
    """Decodes what the area's first instruction reaches by falling through and direct branches; {pc: instruction}."""
    decoder, words = Decoder(area.arch), area.words()
    found, work = {}, [0]
    while work:
        index = work.pop()
        while index < len(words) and area.base + 4 * index not in found:
            pc = area.base + 4 * index
            inst = decoder.decode(words, index, pc)
            found[pc] = inst
            target = branch_target(inst)
            if target is not None and 0 <= target - area.base < 4 * len(words):
                work.append((target - area.base) // 4)
            if inst.name in ("s_endpgm", "s_endpgm_saved", "s_branch", "s_setpc_b64", "s_rfe_b64"):
                break
            index += len(inst.words)
    return found


def branch_target(inst):
    """Address of a direct branch, else None."""
    if inst.encoding == "SOPP" and (inst.name == "s_branch" or inst.name.startswith("s_cbranch")):
        simm = inst.fields["simm"]
        return inst.pc + 4 + 4 * (simm - 0x10000 if simm & 0x8000 else simm)
    return None


__all__ = ["ARCHES", "Area", "Undecoded", "branch_target", "instructions", "kernels", "raw"]
