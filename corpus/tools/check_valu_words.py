#!/usr/bin/env python3
"""Is each vector of the vector ALU the instruction that it claims to be?

    python3 corpus/tools/check_valu_words.py [target/vectors/valu-*.jsonl.gz] [--verbose]

Prints every word as the model decodes it in LLVM's syntax, assembles the text with
llvm-mc (LLVM 14) and compares the words; and, for the chips LLVM can disassemble, compares
the mnemonic.  Words that the assembler has no syntax for are counted by reason.
"""

import argparse
import gzip
import json
import os
import re
import subprocess
from collections import Counter

from gcnmodel import OPCODES
from gcnvalu import forms
from gcnvalu.machine import bits_of, dwords_of
from vectorlib import made

CHIPS = {"gcn1.0": "gfx600", "gcn1.1": "gfx700", "gcn1.2": "gfx803", "gcn1.4": "gfx900", "gcn1.4.1": "gfx906"}
FLOATS = {240: "0.5", 241: "-0.5", 242: "1.0", 243: "-1.0", 244: "2.0", 245: "-2.0", 246: "4.0", 247: "-4.0"}
NAMES32 = {106: "vcc_lo", 107: "vcc_hi", 124: "m0", 126: "exec_lo", 127: "exec_hi", 251: "src_vccz", 252: "src_execz",
           253: "src_scc"}
NAMES64 = {106: "vcc", 126: "exec", 251: "src_vccz", 252: "src_execz", 253: "src_scc"}
SEL = ["BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3", "WORD_0", "WORD_1", "DWORD"]
UNUSED = ["UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE"]
BARE = {"v_nop", "v_clrexcp", "v_swap_b32", "v_readfirstlane_b32"}


def register(letter, n, dwords):
    return f"{letter}{n}" if dwords == 1 else f"{letter}[{n}:{n + dwords - 1}]"


def operand(code, dwords, literal=None, width=32):
    if code >= 256:
        return register("v", code - 256, dwords)
    names = NAMES64 if dwords == 2 else NAMES32
    if code in names:
        return names[code]
    if code < 106:
        return register("s", code, dwords)
    if code <= 192:
        return str(code - 128)
    if code <= 208:
        return str(192 - code)
    if code in FLOATS:
        return FLOATS[code]
    if code == 248:
        return {16: "0.1591796875", 32: "0.15915494", 64: "0.15915494309189532"}[width]
    if code == 255:
        return hex(literal)
    return f"?{code}"


def modified(op, n, text):
    constant = 128 <= op.src[n] < 249 or op.src[n] == 255
    if op.sdwa and op.sdwa.sext[n]:
        return f"sext({text})"
    if op.abs >> n & 1:
        text = f"abs({text})" if constant else f"|{text}|"
    if op.neg >> n & 1:
        text = f"neg({text})"
    return text


def kinds(op):
    if op.m:
        return op.m.src
    width = re.search(r"_([fiu])(16|32)$", op.row.mnemonic)
    kind = width[1] + width[2]
    return [kind, "b32" if "class" in op.row.mnemonic else kind]


def dpp_text(dpp):
    c, n = dpp.ctrl, dpp.ctrl & 15
    if c < 256:
        out = "quad_perm:[%d,%d,%d,%d]" % tuple(c >> 2 * k & 3 for k in range(4))
    elif c in (0x130, 0x134, 0x138, 0x13C):
        out = {0x130: "wave_shl:1", 0x134: "wave_rol:1", 0x138: "wave_shr:1", 0x13C: "wave_ror:1"}[c]
    elif c >= 0x140:
        out = ["row_mirror", "row_half_mirror", "row_bcast:15", "row_bcast:31"][c & 3]
    else:
        out = {1: "row_shl", 2: "row_shr"}.get((c >> 4) - 15, "row_ror") + f":{n}"
    return out + f" row_mask:{dpp.row_mask:#x} bank_mask:{dpp.bank_mask:#x}" + (" bound_ctrl:0" if dpp.bound_ctrl
            else "")


def bits_list(name, value, count):
    return f" {name}:[" + ",".join(str(value >> n & 1) for n in range(count)) + "]"


def text(op):
    """An instruction in LLVM's syntax, or None where LLVM has none."""
    m, name, kind = op.m, op.row.mnemonic, kinds(op)
    sources = [operand(code, dwords_of(kind[n]) if code >= 256 or bits_of(kind[n]) == 64 else 1, op.literal,
                       bits_of(kind[n])) for n, code in enumerate(op.src)]
    if op.packed:
        return packed_text(op, sources)
    sources = [modified(op, n, s) for n, s in enumerate(sources)]
    suffix = {"e32": "_e32", "e64": "_e64", "sdwa": "_sdwa", "dpp": "_dpp"}[op.form]
    if name in BARE or op.row.encoding == "VOP3" or m and (m.constant is not None or m.special in ("readlane",
            "writelane")):
        suffix = "_e64" if name in ("v_nop", "v_clrexcp") and op.form == "e64" else ""
    out = []
    if m is None:
        out.append(operand(op.sdst, 2))
    elif m.special in ("readlane", "readfirstlane"):
        out.append(operand(op.vdst, 1))
    elif m.dst != "none":
        out.append(register("v", op.vdst, dwords_of(m.dst)))
        if m.cout:
            out.append(operand(op.sdst, 2))
    out += sources
    if m and m.cin:
        out.append(operand(op.mask, 2))
    line = name + suffix + " " + ", ".join(out)
    if op.form == "e64":
        if op.op_sel:
            line += bits_list("op_sel", op.op_sel & 7 if m.dst[1:] != "16" else op.op_sel & (1 << len(op.src)) - 1
                              | op.op_sel >> 3 << len(op.src), len(op.src) + (m.dst[1:] == "16"))
    if op.clamp:
        line += " clamp"
    if op.omod:
        line += ["", " mul:2", " mul:4", " div:2"][op.omod]
    if op.sdwa:
        if m:
            line += f" dst_sel:{SEL[op.sdwa.dst_sel]} dst_unused:{UNUSED[op.sdwa.dst_unused]}"
        line += "".join(f" src{n}_sel:{SEL[op.sdwa.sel[n]]}" for n in range(len(op.src)))
    if op.dpp:
        line += " " + dpp_text(op.dpp)
    return line


def packed_text(op, sources):
    p, n = op.packed, len(op.src)
    mix = "_mix" in op.row.mnemonic
    if mix:
        for k in range(3):
            if p.neg_hi >> k & 1:
                sources[k] = f"abs({sources[k]})"
            if p.neg_lo >> k & 1:
                sources[k] = f"neg({sources[k]})"
    line = op.row.mnemonic + " " + ", ".join([register("v", op.vdst, 1)] + sources)
    line += bits_list("op_sel", p.op_sel, n) + bits_list("op_sel_hi", p.op_sel_hi, n)
    if not mix and p.neg_lo:
        line += bits_list("neg_lo", p.neg_lo, n)
    if not mix and p.neg_hi:
        line += bits_list("neg_hi", p.neg_hi, n)
    return line + (" clamp" if op.clamp else "")


def decode(arch, words):
    word = words[0]
    if word >> 25 == 0x3E:
        row = OPCODES["VOPC", arch, word >> 17 & 0xFF]
        return forms.compare(arch, row, word, words[1])
    return forms.decode(arch, word, lambda: words[1])


def llvm(chip, lines, *more):
    command = ["llvm-mc", "-arch=amdgcn", f"-mcpu={chip}", *more]
    r = subprocess.run(command, input="\n".join(lines) + "\n", capture_output=True, text=True)
    return r.stdout, r.stderr


def assemble(chip, lines):
    """Words of each line, or the reason it was refused."""
    _, errors = llvm(chip, lines, "-show-encoding")
    refused = {}
    for number, why in re.findall(r"<stdin>:(\d+):\d+: error: (.*)", errors):
        refused.setdefault(int(number) - 1, why)
    good = [k for k in range(len(lines)) if k not in refused]
    out, _ = llvm(chip, [lines[k] for k in good], "-show-encoding")
    found = re.findall(r"encoding: \[([^\]]*)\]", out)
    assert len(found) == len(good), (chip, len(found), len(good))
    result = dict(refused)
    for k, code in zip(good, found):
        data = bytes(int(x, 16) for x in code.split(","))
        result[k] = [int.from_bytes(data[i:i + 4], "little") for i in range(0, len(data), 4)]
    return [result[k] for k in range(len(lines))]


def disassemble(chip, words):
    """Mnemonics; None for words LLVM calls invalid."""
    lines = [" ".join(f"0x{b:02x}" for w in ws for b in w.to_bytes(4, "little")) for ws in words]
    _, errors = llvm(chip, lines, "-disassemble")
    bad = {int(n) - 1 for n in re.findall(r"<stdin>:(\d+):\d+: warning: invalid", errors)}
    good = [line for k, line in enumerate(lines) if k not in bad]   # of a bad line the rest is read as a new word
    out, _ = llvm(chip, good, "-disassemble")
    texts = [x.split()[0] for x in out.splitlines() if x.strip() and not x.strip().startswith(".")]
    assert len(texts) == len(good), (chip, len(texts), len(good))
    names = iter(texts)
    return [None if k in bad else re.sub("_(e32|e64|sdwa|dpp)$", "", next(names)) for k in range(len(words))]


def known_difference(op, got, words):
    """Whether a difference is known: VCC as SDST of an SDWA compare, or a float constant as integer literal."""
    if op.m is None:
        return op.sdwa and got[0] == words[0] and got[1] == words[1] & ~0xFF00
    return any(240 <= code <= 248 and kind[0] != "f" for code, kind in zip(op.src, op.m.src))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("files", nargs="*")
    parser.add_argument("--verbose", action="store_true", help="show words that the assembler refuses")
    args = parser.parse_args()
    files = args.files or made("valu-*.jsonl.gz")
    bad = 0
    for path in files:
        with gzip.open(path, "rt") as f:
            vectors = [json.loads(line) for line in f]
        arch = vectors[0]["arch"]
        chip = CHIPS[arch]
        distinct = {}
        for v in vectors:
            distinct.setdefault(tuple(v["words"]), v)
        vectors = list(distinct.values())
        ops = [decode(arch, v["words"]) for v in vectors]
        lines = [text(op) for op in ops]
        reasons, same = Counter(), 0
        for v, op, line, got in zip(vectors, ops, lines, assemble(chip, lines)):
            if op.row.mnemonic != v["mnemonic"]:
                bad += 1
                print("WRONG", v["id"], op.row.mnemonic)
            if isinstance(got, str):
                reasons[got] += 1
                if args.verbose:
                    print("refused", v["id"], line, "--", got)
            elif got != v["words"] and known_difference(op, got, v["words"]):
                reasons["LLVM chooses another encoding"] += 1
            elif got != v["words"]:
                bad += 1
                print("DIFFERS", v["id"], [hex(w) for w in v["words"]], line, [hex(w) for w in got])
            else:
                same += 1
        known = 0
        if arch not in ("gcn1.0", "gcn1.1"):
            for v, name in zip(vectors, disassemble(chip, [v["words"] for v in vectors])):
                if name is None:
                    reasons["invalid for the disassembler"] += 1
                    if args.verbose:
                        print("invalid", v["id"], [hex(w) for w in v["words"]])
                elif name != v["mnemonic"]:
                    bad += 1
                    print("NAME", v["id"], name)
                else:
                    known += 1
        print(f"{os.path.basename(path):30} {len(vectors):6} words {same:6} assembled the same {known:6} disassembled;",
              dict(reasons))
    raise SystemExit(bad != 0)


if __name__ == "__main__":
    main()
