"""Every instruction of MIMG, VINTRP, EXP and V_INTERP in VOP3: its opcode in each generation, what its name says."""

import csv
import os
import re
from types import SimpleNamespace

from gcnmem.rows import GENERATION

GROUPS = {"MIMG": "image", "VINTRP": "interp", "EXP": "export", "VOP3": "interp", "VOP1": "lds-direct"}
UNDOCUMENTED = ("image_gather4h", "image_gather4h_pck", "image_gather8h_pck")


class Row:
    """An instruction of an encoding; `m` is its meaning."""

    def __init__(self, encoding, mnemonic, opcode):
        self.encoding, self.mnemonic, self.opcode = encoding, mnemonic, opcode
        self.m = meaning(mnemonic)


def meaning(name):
    """What the name of an instruction says."""
    m = SimpleNamespace(kind="none", op=None, mip=False, pck=False, sgn=False, compare=False, derivatives=False,
                        lod=False, bias=False, zero=False, clamp=False, offset=False)
    found = re.fullmatch(r"image_(load|store)(_mip)?(_pck)?(_sgn)?", name)
    if found:
        m.kind, m.mip, m.pck, m.sgn = found[1], bool(found[2]), bool(found[3]), bool(found[4])
        return m
    found = re.fullmatch(r"image_atomic_(\w+)", name)
    if found:
        m.kind, m.op = "atomic", found[1]
        return m
    found = re.fullmatch(r"image_(sample|gather4)(_c)?(_c?d|_l|_b|_lz)?(_cl)?(_o)?", name)
    if found:
        m.kind = {"sample": "sample", "gather4": "gather"}[found[1]]
        m.compare, m.clamp, m.offset = bool(found[2]), bool(found[4]), bool(found[5])
        m.derivatives, m.lod = found[3] in ("_d", "_cd"), found[3] == "_l"
        m.bias, m.zero = found[3] == "_b", found[3] == "_lz"
        return m
    m.kind = {"image_get_resinfo": "resinfo", "image_get_lod": "lod", "exp": "export"}.get(name, "none")
    found = re.fullmatch(r"v_interp_(\w+)", name)
    if found:
        m.kind, m.op = "interp", found[1]
    if name == "v_mov_b32":
        m.kind = "direct"
    return m


def read_rows():
    rows = []
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "opcodes.csv")
    with open(path, encoding="utf-8", newline="") as f:
        for line in csv.DictReader(f):
            wanted = line["encoding"] in ("MIMG", "VINTRP", "EXP") or line["mnemonic"].startswith("v_interp_")
            if not wanted or line["mnemonic"] in UNDOCUMENTED:
                continue
            numbers = {arch: line["opcode_" + arch.replace(".", "")] for arch in GENERATION}
            opcode = {arch: int(number) for arch, number in numbers.items() if number}
            rows.append(Row(line["encoding"], line["mnemonic"], opcode))
    # V_INTERP in VOP3 form: the opcode of VINTRP + 624
    for row in [r for r in rows if r.encoding == "VINTRP"]:
        late = {arch: code + 624 for arch, code in row.opcode.items() if GENERATION[arch] >= 8}
        rows.append(Row("VOP3", row.mnemonic, late))
    # LDS_DIRECT is a source; v_mov_b32 shows it
    rows.append(Row("VOP1", "v_mov_b32", {arch: 1 for arch in GENERATION}))
    return rows


ROWS = read_rows()


def find(mnemonic, arch, encoding=None):
    """The row of a name in a generation."""
    return next(r for r in ROWS if r.mnemonic == mnemonic and arch in r.opcode and encoding in (None, r.encoding))
