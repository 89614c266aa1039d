"""Every memory instruction: its opcode in each generation, and what its name says."""

import csv
import os
import re
from types import SimpleNamespace

GENERATION = {"gcn1.0": 6, "gcn1.1": 7, "gcn1.2": 8, "gcn1.4": 9, "gcn1.4.1": 9}
ENCODINGS = ("SMRD", "SMEM", "DS", "FLAT", "GLOBAL", "SCRATCH", "MUBUF", "MTBUF")
GROUPS = {"SMRD": "scalar", "SMEM": "scalar", "DS": "ds", "FLAT": "flat", "GLOBAL": "flat", "SCRATCH": "flat",
          "MUBUF": "buffer", "MTBUF": "buffer"}
SIZES = {"byte": 1, "ubyte": 1, "sbyte": 1, "short": 2, "ushort": 2, "sshort": 2, "dword": 4, "dwordx2": 8,
         "dwordx3": 12, "dwordx4": 16, "dwordx8": 32, "dwordx16": 64}


class Row:
    """An instruction of an encoding; `m` is its meaning."""

    def __init__(self, encoding, mnemonic, opcode):
        self.encoding, self.mnemonic, self.opcode = encoding, mnemonic, opcode
        self.m = (ds_meaning if encoding == "DS" else meaning)(mnemonic)


def meaning(name):
    """What the name of an instruction other than DS says."""
    m = SimpleNamespace(kind="none", base="", size=0, signed=False, d16=False, hi=False, op=None, comps=0, rtn=False)
    if re.fullmatch(r"s_mem(real)?time", name):
        m.kind = "clock"
        return m
    if name == "buffer_store_lds_dword":
        m.kind, m.size = "store_lds", 4
        return m
    found = re.fullmatch(r"t?buffer_(load|store)_format_(d16_)?(hi_)?(x|xy|xyz|xyzw)", name)
    if found:
        m.kind, m.d16, m.hi, m.comps = found[1], bool(found[2]), bool(found[3]), len(found[4])
        return m
    found = re.fullmatch(r"(s|s_buffer|s_scratch|buffer|flat|global|scratch)_(load|store)_"
                         r"([us]?byte|[us]?short|dword\w*?)(_d16)?(_hi)?", name)
    if found:
        m.base, m.kind, m.size = found[1], found[2], SIZES[found[3]]
        m.signed, m.d16, m.hi = found[3] in ("sbyte", "sshort"), bool(found[4]), bool(found[5])
        return m
    found = re.fullmatch(r"(s|s_buffer|buffer|flat|global)_atomic_(\w+?)(_x2)?", name)
    if found:
        m.kind, m.base, m.op, m.size = "atomic", found[1], found[2], 8 if found[3] else 4
    return m


DS_OPS = {"add_u": "add", "sub_u": "sub", "rsub_u": "rsub", "inc_u": "inc", "dec_u": "dec", "min_i": "smin",
          "max_i": "smax", "min_u": "umin", "max_u": "umax", "and_b": "and", "or_b": "or", "xor_b": "xor",
          "mskor_b": "mskor", "cmpst_b": "cmpst", "cmpst_f": "fcmpst", "min_f": "fmin", "max_f": "fmax",
          "add_f": "fadd", "wrxchg_b": "swap", "wrap_b": "wrap"}


def ds_meaning(name):
    """What the name of a DS instruction says."""
    m = SimpleNamespace(kind="none", base="", size=4, signed=False, d16=False, hi=False, op=None, comps=0, rtn=False,
                        st64=False)
    name = name[3:]
    found = re.fullmatch(r"(read|write|wrxchg)2(st64)?(_rtn)?_b(32|64)", name)
    if found:
        m.kind, m.st64, m.size = found[1] + "2", bool(found[2]), int(found[4]) // 8
        return m
    found = re.fullmatch(r"(read|write)_([ubi])(\d+)(_d16)?(_hi)?", name)
    if found:
        m.kind = {"read": "load", "write": "store"}[found[1]]
        m.signed, m.size, m.d16, m.hi = found[2] == "i", int(found[3]) // 8, bool(found[4]), bool(found[5])
        return m
    found = re.fullmatch(r"(swizzle|permute|bpermute|append|consume|read_addtid|write_addtid)(_b32)?", name)
    if found:
        m.kind = found[1]
        return m
    found = re.fullmatch(r"(\w+?)(_rtn)?(_src2)?_([uibf])(32|64)", name)
    if found:
        m.size, m.rtn = int(found[5]) // 8, bool(found[2])
        if found[1] == "condxchg32":
            m.kind = "condxchg"
        elif found[1] == "write":
            m.kind, m.op = "src2", "swap"
        else:
            m.kind, m.op = "src2" if found[3] else "atomic", DS_OPS[f"{found[1]}_{found[4]}"]
    return m


def ds_fields(m):
    """The register fields that a DS instruction uses; the others must be 0."""
    takes_two = m.kind in ("write2", "wrxchg2") or m.op in ("cmpst", "fcmpst", "mskor", "wrap")
    no_address = ("none", "append", "consume", "read_addtid", "write_addtid")
    stores = ("store", "write2", "wrxchg2", "atomic", "condxchg", "permute", "bpermute", "write_addtid")
    silent = ("none", "store", "write2", "src2", "write_addtid")
    returns = m.rtn or m.op in ("swap", "wrap") if m.kind == "atomic" else m.kind not in silent
    used = {"addr": m.kind not in no_address, "data0": m.kind in stores, "data1": takes_two, "vdst": returns}
    return {name for name, is_used in used.items() if is_used}


def executed(row):
    """Whether the model executes a row: all but ordered counts and global wave sync, which need other waves."""
    return not re.match("ds_(gws|ordered)", row.mnemonic)


def read_rows():
    rows = []
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "opcodes.csv")
    with open(path, encoding="utf-8", newline="") as f:
        for line in csv.DictReader(f):
            if line["encoding"] in ENCODINGS:
                numbers = {arch: line["opcode_" + arch.replace(".", "")] for arch in GENERATION}
                opcode = {arch: int(number) for arch, number in numbers.items() if number}
                rows.append(Row(line["encoding"], line["mnemonic"], opcode))
    return rows


ROWS = read_rows()


def find(mnemonic, arch):
    """The row of a name in a generation."""
    return next(r for r in ROWS if r.mnemonic == mnemonic and arch in r.opcode)
