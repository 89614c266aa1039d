#!/usr/bin/env python3
"""Writes the files of corpus/containers that no tool here can write: RGP captures and shaders of a PlayStation 4.

    make_containers.py [OUT]

Byte by byte, after the layouts in crates/loader/src/container/rgp.rs and crates/loader/src/bare/console.rs. The code is
that of corpus/shaders/radv.tar.gz, and a vertex shader with a call of a fetch shader.
"""

import io
import struct
import sys
import tarfile
from pathlib import Path

CORPUS = Path(__file__).resolve().parent.parent
END = 0xBF810000


def shader(name):
    """The code of a shader of the corpus, and the values of its sidecar."""
    with tarfile.open(CORPUS / "shaders" / "radv.tar.gz") as archive:
        code = archive.extractfile(f"{name}.bin").read()
        text = archive.extractfile(f"{name}.toml").read().decode()
    values = {}
    for line in text.splitlines():
        key, _, value = line.partition(" = ")
        if value.startswith("0x") or value.isdigit():
            values[key] = int(value, 0)
        elif value.startswith("["):
            values[key] = [int(number) for number in value.strip("[]").split(",")]
    return code, values


def words(*values):
    return struct.pack(f"<{len(values)}I", *values)


# MessagePack: maps and lists of up to 15, text of up to 255 bytes, numbers of 32 bits.
def pack(node):
    if isinstance(node, dict):
        return bytes([0x80 | len(node)]) + b"".join(pack(key) + pack(value) for key, value in node.items())
    if isinstance(node, list):
        return bytes([0x90 | len(node)]) + b"".join(map(pack, node))
    if isinstance(node, str):
        return bytes([0xD9, len(node)]) + node.encode()
    return b"\xce" + struct.pack(">I", node)


def pal_object(stages, mach):
    """A PAL object as RADV writes it into a capture: no registers. `stages`: name of the hardware's stage -> code."""
    names = b"\0.strtab\0.text\0.symtab\0.note\0"
    text, symbols = b"", bytes(24)
    for stage, code in stages.items():
        text += bytes(-len(text) % 256)
        symbols += struct.pack("<IBBHQQ", len(names), 2, 0, 2, len(text), len(code))
        names += f"_amdgpu_{stage}_main\0".encode()
        text += code
    text += bytes(-len(text) % 256)
    hardware = {
        f".{stage}": {".entry_point": f"_amdgpu_{stage}_main", ".sgpr_count": 32, ".vgpr_count": 32, ".lds_size": 0}
        for stage in stages
    }
    note = pack({"amdpal.version": [2, 1], "amdpal.pipelines": [{".hardware_stages": hardware, ".api": "Vulkan"}]})
    note += bytes(-len(note) % 4)
    note = struct.pack("<III8s", 7, len(note), 32, b"AMDGPU") + note
    parts, places, at = [names, text, symbols, note], [], 64
    for part in parts:
        places.append((at, len(part)))
        at += len(part)
    strtab, code, symtab, notes = places

    def section(name, kind, flags, place, link=0, align=1, size=0):
        start = names.index(name) if name else 0
        return struct.pack("<IIQQQQIIQQ", start, kind, flags, 0, place[0], place[1], link, 0, align, size)

    headers = section(b"", 0, 0, (0, 0), align=0)
    headers += section(b".strtab", 3, 0, strtab) + section(b".text", 1, 6, code, align=256)
    headers += section(b".symtab", 2, 0, symtab, link=1, align=8, size=24) + section(b".note", 7, 0, notes, align=4)
    ident = b"\x7fELF\x02\x01\x01\x41" + bytes(8)
    head = ident + struct.pack("<HHIQQQIHHHHHH", 1, 224, 1, 0, 0, at, mach, 64, 0, 0, 64, 5, 1)
    return head + b"".join(parts) + headers


def chunk(kind, body):
    return struct.pack("<BBHHHii", kind, 0, 0, 0, 0, 16 + len(body), 0) + body


def capture(objects):
    """A capture with a chunk of another kind, one of code objects, and one behind it."""
    records = b""
    for code_object in objects:
        padded = code_object + bytes(-len(code_object) % 4)
        records += words(len(padded)) + padded
    head = words(0x50303042, 1, 5, 1) + struct.pack("<10i", 56, 1, 2, 3, 4, 5, 126, 0, 0, 0)
    codes = chunk(9, words(56 + 32, 0, 32 + len(records), len(objects)) + records)
    return head + chunk(7, bytes(96)) + codes + chunk(1, b"sqtt" * 8)


# Numbers of stages in the header, and in the info behind the code.
STAGES = {"vs": (1, 1), "ps": (2, 0), "cs": (4, 4)}


def console_shader(stage, code, registers, slots=(), constants=b"", scratch=0, neo=False):
    """A file .sb. `code` is that of another compiler; in front of it comes the instruction that names the info."""
    number, kind = STAGES[stage]
    # s_mov_b32 vcc_hi, LITERAL in front; tables of the slots, then info, behind the code and its constants.
    length = 8 + len(code)
    tables = b"".join(struct.pack("<BBBB", *slot) for slot in slots)
    place = length + len(constants) + len(tables)
    place += -place % 8
    body = words(0xBEEB00FF if neo else 0xBEEB03FF, place // 8 - 1) + code + constants + tables
    body += bytes(place - len(body))
    kinds = 1 | kind << 2 | length << 8
    body += b"OrbShdr\x02" + words(kinds) + struct.pack("<BBBBQI", 0, len(slots), 0, 0, 0x1234_5678_9ABC_DEF0, 0)
    counts = 4
    offset = 8 + 4 * (2 + len(registers)) + counts + len(tables)
    common = words(len(body) - len(constants) | len(slots) << 24) + struct.pack("<HH", len(constants) // 16, scratch)
    described = common + words(offset, 0xFFFFFFFF, *registers) + bytes(counts) + tables
    head = b"Shdr" + struct.pack("<HHBBBBI", 7, 2, number, len(described) // 4, 0, 2 if neo else 1, 0)
    return head + described + body


def write(out, name, data):
    (out / name).write_bytes(data)
    print(f"{name}: {len(data)} bytes")


def main():
    out = Path(sys.argv[1]) if len(sys.argv) > 1 else CORPUS / "containers"
    pixel, _ = shader("gcn1.4/pixel-clip-in.pixel")
    compute, _ = shader("gcn1.4/compute-crc.compute")
    objects = [pal_object({"ps": pixel, "vs": words(0xBF800000, END)}, 0x2C), pal_object({"cs": compute}, 0x2C)]
    write(out, "pipelines-gfx900.rgp", capture(objects))
    code, values = shader("gcn1.1/compute-crc.compute")
    registers = [values["rsrc1"], values["rsrc2"], *values["group"]]
    write(out, "compute-gfx700.sb", console_shader("cs", code, registers))
    code, values = shader("gcn1.2/pixel-fog.pixel")
    inputs = [values["ps_input_ena"], values["ps_input_addr"]]
    registers = [values["rsrc1"], values["rsrc2"], 0, 4, *inputs, 0, 0, 0, 15]
    neo = console_shader("ps", code, registers, neo=True)
    outer = struct.pack("<12xBB2xI", 2, 1, len(neo)) + bytes(16)
    write(out, "pixel-neo-gfx803.sb", outer + neo)
    # s_swappc_b64 s[0:1], s[0:1]; exp pos0 v4, v5, v6, v7 done; exp param0 v8, v8, v8, v8; s_endpgm
    code = words(0xBE802100, 0xF80008CF, 0x07060504, 0xF800020F, 0x08080808, END)
    # The slot of a fetch shader (0x12), in s[0:1], and of a table of vertex buffers, in s[2:3].
    slots = [(0x12, 0, 0, 0), (0x17, 0, 2, 0)]
    fetch = console_shader("vs", code, [0x002C0042, 4 << 1, 0, 4, 0], slots, scratch=3)
    write(out, "vertex-fetch-gfx700.sb", fetch)
    write(out, "vertex-memory-gfx700.bin", fetch[fetch.index(words(0xBEEB03FF)) :])


if __name__ == "__main__":
    main()
