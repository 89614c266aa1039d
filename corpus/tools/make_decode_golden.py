#!/usr/bin/env python3
"""Make corpus/decode/: golden data for the decoder and the disassembler.

Everything here comes from llvm-mc (LLVM 14).  gfx803, gfx900 and gfx906 are disassembled:

    llvm-mc -arch=amdgcn -mcpu=gfx803 -disassemble -show-encoding

gfx600 and gfx700 have no LLVM disassembler, so texts are assembled and what the assembler prints back is kept:

    llvm-mc -arch=amdgcn -mcpu=gfx600 -show-encoding

Usage: make_decode_golden.py OUT_DIR

opcodes.csv beside this file has one row per (encoding, mnemonic) with the opcode per generation in the columns opcode_gcn10, opcode_gcn11, opcode_gcn12,
opcode_gcn14, opcode_gcn141 and, for scalar and compare rows, operand widths; source "clrx" means that LLVM does not have it.  Every random choice is seeded by (chip, encoding, mnemonic), so the
output is the same, byte for byte, on every run.
"""
import csv
import random
import re
import subprocess
import sys
from pathlib import Path

DIS = ["gfx803", "gfx900", "gfx906"]
ASM = ["gfx600", "gfx700"]
CHIPS = ASM + DIS
COLUMN = {"gfx600": "opcode_gcn10", "gfx700": "opcode_gcn11", "gfx803": "opcode_gcn12",
          "gfx900": "opcode_gcn14", "gfx906": "opcode_gcn141"}
CORE = ["SOP1", "SOP2", "SOPC", "SOPK", "SOPP"]
CORE_CASES = 22                                                 # the compares, five times as many rows, take 20
OTHER_CASES = 4


def gfx9(chip):
    return chip in ("gfx900", "gfx906")


# ---------------------------------------------------------------------------------------------------------------- llvm-mc

def hexwords(words):
    return " ".join("%08x" % w for w in words)


def octets(words):
    return [b for w in words for b in w.to_bytes(4, "little")]


def split_line(line):
    """One line of llvm-mc output -> (text, encoding as words)."""
    text, _, enc = line.partition("; encoding: [")
    text = re.sub(r"^\s+", "", text).rstrip()
    text = re.sub(r"^(\S+)\s+", r"\1 ", text)
    octs = [int(x, 16) for x in enc.rstrip().rstrip("]").split(",")] if enc else []
    words = [int.from_bytes(bytes(octs[i:i + 4]), "little") for i in range(0, len(octs), 4)]
    return text, words


def decode_blocks(chip, cases):
    """For each case ([(text, re-encoded words)], whether llvm-mc called it invalid)."""
    lines = []
    for i, words in enumerate(cases):
        # brackets make a block of its own: without them llvm-mc reads on past the end of a line
        for block in (words, [0xbf800000 | i & 0xffff], [0xbf920000 | (i ^ 0x5555) & 0xffff]):
            lines.append("[" + ",".join("0x%02x" % b for b in octets(block)) + "]")
    run = subprocess.run(["llvm-mc", "-arch=amdgcn", "-mcpu=" + chip, "-disassemble", "-show-encoding"],
                         input="\n".join(lines) + "\n", capture_output=True, text=True)
    bad = {int(m.group(1)) for m in re.finditer(r"^<stdin>:(\d+):\d+: (?:warning|error)", run.stderr, re.M)}
    out, got, i = [], [], 0
    printed = [split_line(l) for l in run.stdout.split("\n") if l.strip() and not l.lstrip().startswith(".")]
    for k, (text, words) in enumerate(printed):
        nop, trap = [0xbf800000 | i & 0xffff], [0xbf920000 | (i ^ 0x5555) & 0xffff]
        if words == nop and k + 1 < len(printed) and printed[k + 1][1] == trap and len(out) == i:
            out.append((got, 3 * i + 1 in bad))
            got = []
        elif words == trap and len(out) == i + 1:
            i += 1
        else:
            got.append((text, words))
    assert len(out) == len(cases), (len(out), len(cases))
    return out


def disassemble(chip, cases):
    """(text, re-encoded words) per case; None where llvm-mc calls it invalid or takes another length."""
    return [got[0] if len(got) == 1 and not bad else None for got, bad in decode_blocks(chip, cases)]


def refuses(chip, cases):
    """Whether llvm-mc calls the first instruction of a case invalid."""
    return [bad and not got for got, bad in decode_blocks(chip, cases)]


def assemble(chip, texts):
    """[(printed text, words)] per text; None where llvm-mc refuses it."""
    source = "\n".join(texts) + "\n"
    cmd = ["llvm-mc", "-arch=amdgcn", "-mcpu=" + chip, "-show-encoding"]
    run = subprocess.run(cmd, input=source, capture_output=True, text=True)
    bad = {int(m.group(1)) for m in re.finditer(r"^<stdin>:(\d+):\d+: error", run.stderr, re.M)}
    good = [t for n, t in enumerate(texts, 1) if n not in bad]
    run = subprocess.run(cmd, input="\n".join(good) + "\n", capture_output=True, text=True)
    assert "error" not in run.stderr, run.stderr
    printed = [split_line(l) for l in run.stdout.split("\n") if "; encoding:" in l]
    assert len(printed) == len(good), (len(printed), len(good))
    it = iter(printed)
    return [None if n in bad else next(it) for n, _ in enumerate(texts, 1)]


# ------------------------------------------------------------------------------------------------------------ operand pools

def specials(chip):
    """Named scalar registers of this chip: {code: 32-bit name}."""
    regs = {106: "vcc_lo", 107: "vcc_hi", 124: "m0", 126: "exec_lo", 127: "exec_hi"}
    if gfx9(chip):
        regs.update({108 + i: "ttmp%d" % i for i in range(16)})
    else:
        regs.update({108: "tba_lo", 109: "tba_hi", 110: "tma_lo", 111: "tma_hi"})
        regs.update({112 + i: "ttmp%d" % i for i in range(12)})
    if chip == "gfx700":
        regs.update({104: "flat_scratch_lo", 105: "flat_scratch_hi"})
    if chip in DIS:
        regs.update({102: "flat_scratch_lo", 103: "flat_scratch_hi", 104: "xnack_mask_lo", 105: "xnack_mask_hi"})
    return regs


def last_sgpr(chip):
    return 103 if chip in ASM else 101


SINGLE = {235: "src_shared_base", 236: "src_shared_limit", 237: "src_private_base", 238: "src_private_limit",
          239: "src_pops_exiting_wave_id", 251: "src_vccz", 252: "src_execz", 253: "src_scc"}
FLOATS = {240: "0.5", 241: "-0.5", 242: "1.0", 243: "-1.0", 244: "2.0", 245: "-2.0", 246: "4.0", 247: "-4.0"}


def sdst_codes(chip, width):
    codes = [0, 2, 4, 6, 8, 14, 36, 50, 98, 100] + ([1, 3, 5, 15, 33, 63, 99, 101] if width == 32 else [])
    if chip in ASM:
        codes += [102] + ([103] if width == 32 else [])
    codes += [c for c in specials(chip) if width == 32 or (c % 2 == 0 and c != 124)]
    return codes


def ssrc_codes(chip, width):
    """Every kind of scalar source code but the literal."""
    codes = sdst_codes(chip, width) + [128, 129, 130, 144, 191, 192, 193, 194, 200, 207, 208] + list(FLOATS) + [251, 252, 253]
    if chip in DIS:
        codes.append(248)
    if gfx9(chip):
        codes += [235, 236, 237, 238, 239]
    return codes


LITERALS = [0x12345678, 0xdeadbeef, 0x80000000, 0x7fffffff, 0xffffffee, 0x00000041, 0x0000ffff, 0x00010000, 0x3f800001, 0x40490fdb,
            0x7f800000, 0x7fc00000, 0x00000100, 0xffff0000, 0xcafebabe]
INLINE_LITERALS = [0, 1, 0x3f800000, 0xffffffff, 0xc0800000]


def code_text(chip, code, width, literal):
    """Assembler text of a scalar operand (only used where we assemble)."""
    if code == 255:
        return "0x%x" % literal
    if code in SINGLE:
        return SINGLE[code]
    if code in FLOATS:
        return FLOATS[code]
    if 128 <= code <= 192:
        return str(code - 128)
    if 193 <= code <= 208:
        return str(192 - code)
    if width == 32:
        return "v%d" % (code - 256) if code >= 256 else specials(chip).get(code, "s%d" % code)
    if code >= 256:
        return "v[%d:%d]" % (code - 256, code - 255)
    name = specials(chip).get(code)
    if name is None:
        return "s[%d:%d]" % (code, code + 1)
    if name.startswith("ttmp"):
        n = int(name[4:])
        return "ttmp[%d:%d]" % (n, n + 1)
    return name.removesuffix("_lo")


def rng_for(*key):
    return random.Random("gcnsim-decode/" + "/".join(map(str, key)))


def cycle(rng, pool):
    """Yields the pool again and again, each time in another order."""
    while True:
        p = list(pool)
        rng.shuffle(p)
        yield from p


# --------------------------------------------------------------------------------------------------------- core: candidates
# A candidate is (words, text): text only where we assemble.

def scalar_sources(chip, row, rng, n):
    """Yields n settings of (code0, code1, literal) for the scalar sources of this row."""
    w0, w1 = int(row["src0_width"] or 0), int(row["src1_width"] or 0)
    c0 = cycle(rng, ssrc_codes(chip, w0)) if w0 else iter(lambda: 0, 1)
    c1 = cycle(rng, ssrc_codes(chip, w1)) if w1 else iter(lambda: 0, 1)
    lit = cycle(rng, LITERALS)
    inl = cycle(rng, INLINE_LITERALS)
    for i in range(n):
        a, b, v = next(c0), next(c1), next(lit)
        if i in (1, 5) and w0:
            a = 255
        if i == 2 and w1:
            b = 255
        if i == 3 and w0 and w1:
            a = b = 255
        if i == 4 and w0 and chip in DIS:
            a, v = 255, next(inl)
        if i == 7:
            a, b = (128 + rng.randrange(81) if w else c for w, c in ((w0, a), (w1, b)))
        if i == 6:
            a = rng.randrange(0, 100, 1 if w0 == 32 else 2) if w0 else a
            b = rng.randrange(0, 100, 1 if w1 == 32 else 2) if w1 else b
        yield a, b, v


def finish(words, codes, literal):
    return words + [literal] if 255 in codes else words


def core_sop(chip, row, op, rng):
    enc, name = row["encoding"], row["mnemonic"]
    wd, w0, w1 = (int(row[k] or 0) for k in ("dst_width", "src0_width", "src1_width"))
    dst = cycle(rng, sdst_codes(chip, wd)) if wd else iter(lambda: 0, 1)
    for n, (a, b, v) in enumerate(scalar_sources(chip, row, rng, 150)):
        d = next(dst)
        texts = ([code_text(chip, d, wd, 0)] if wd else []) + ([code_text(chip, a, w0, v)] if w0 else [])
        if enc == "SOP1":
            if not wd and n % 5 == 4 and chip in DIS:
                d = rng.randrange(128)          # SDST is not used: ignored
            if not w0 and n % 3 == 2 and chip in DIS:
                a = rng.choice([255, 1, 249, 125, rng.randrange(256)])
                yield [0xbe800000 | d << 16 | op << 8 | a], None
                continue
            words = finish([0xbe800000 | d << 16 | op << 8 | a], [a], v)
        elif name == "s_set_gpr_idx_on":
            imm = n if n < 16 else rng.choice([16, 0x80, 0xf0, 0xfe, 255, rng.randrange(256)])
            words = finish([0xbf000000 | op << 16 | imm << 8 | a], [a], v)
        else:
            if w1:
                texts.append(code_text(chip, b, w1, v))
            if enc == "SOP2":
                if not wd and n % 5 == 4 and chip in DIS:
                    d = rng.randrange(128)
                words = [0x80000000 | op << 23 | d << 16 | b << 8 | a]
            else:
                words = [0xbf000000 | op << 16 | b << 8 | a]
            words = finish(words, [a, b], v)
        yield words, name + " " + ", ".join(texts)


def hwreg_values(rng, n):
    fixed = [(1, 0, 32), (2, 0, 32), (3, 0, 32), (4, 0, 32), (5, 0, 32), (6, 0, 32), (7, 0, 32), (1, 4, 4), (1, 0, 1), (2, 0, 1),
             (3, 31, 1), (7, 8, 4), (0, 0, 32), (15, 0, 32), (63, 31, 32), (1, 27, 1), (1, 31, 32), (8, 0, 32), (12, 3, 7), (16, 0, 32),
             (20, 1, 31), (2, 9, 2), (14, 0, 32), (1, 0, 31), (1, 1, 32)]
    rng.shuffle(fixed)
    for i in range(n):
        r, off, size = fixed[i] if i < len(fixed) else (rng.randrange(64), rng.randrange(32), rng.randrange(1, 33))
        yield r | off << 6 | (size - 1) << 11, "hwreg(%d, %d, %d)" % (r, off, size)


SIMM = [0, 1, 2, 7, 9, 10, 15, 16, 32, 63, 64, 127, 128, 255, 256, 4095, 0x7fff, 0x8000, 0x8001, 0xff80, 0xfff0, 0xfffe, 0xffff, 0x1234, 0xabcd]


def core_sopk(chip, row, op, rng):
    name = row["mnemonic"]
    width = max(int(row["dst_width"] or 0), int(row["src0_width"] or 0))
    dst = cycle(rng, sdst_codes(chip, width)) if width else iter(lambda: 0, 1)
    imm = cycle(rng, SIMM)
    if "reg" in name:
        for n, (v, text) in enumerate(hwreg_values(rng, 60)):
            d = next(dst)
            base = 0xb0000000 | op << 23 | v
            if name == "s_getreg_b32":
                yield [base | d << 16], "%s %s, %s" % (name, code_text(chip, d, 32, 0), text)
            elif name == "s_setreg_b32":
                yield [base | d << 16], "%s %s, %s" % (name, text, code_text(chip, d, 32, 0))
            else:
                lit = rng.choice(LITERALS + INLINE_LITERALS)
                d = rng.randrange(128) if n % 5 == 4 and chip in DIS else 0
                yield [base | d << 16, lit], "%s %s, 0x%x" % (name, text, lit)
        return
    for _ in range(60):
        d, v = next(dst), next(imm)
        # the assembler wants a SIMM16 that reads as signed for the signed forms; hex of 16 bits is accepted for all
        yield [0xb0000000 | op << 23 | d << 16 | v], "%s %s, 0x%x" % (name, code_text(chip, d, width, 0), v)


NO_IMM = {"s_barrier", "s_icache_inv", "s_ttracedata", "s_endpgm_saved", "s_wakeup", "s_set_gpr_idx_off", "s_endpgm_ordered_ps_done"}


def core_sopp(chip, row, op, rng):
    name = row["mnemonic"]
    if name in NO_IMM:
        yield [0xbf800000 | op << 16], name
        return
    values = [v for v in SIMM]
    if name == "s_waitcnt":
        values = [0, 0x0f70, 0x007f, 0x0f0f, 0x0f71, 0x0f7e, 0x0f7f, 0x0070, 0x0170, 0x0e70, 0x0f60, 0x0f00, 0x0f10, 0x0a23, 0x0000, 0xcf7f, 0xc07f, 0x4f70,
                  0x8f70, 0xcf7e, 0xcf0f, 0xc17f, 0xc000, 0xffff, 0x3f70, 0x0f80, 0x1f7f, 0x8001]
        if chip not in DIS:
            values = [v & 0x0f7f for v in values] + [rng.randrange(65536) & 0x0f7f for _ in range(12)]
    elif name.startswith("s_sendmsg"):
        values = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0x12, 0x22, 0x32, 0x13, 0x23, 0x33, 0x112, 0x222, 0x332, 0x123, 0x233, 0x313, 0x1f, 0x2f,
                  0x3f, 0x4f, 0x5f, 0x0, 0x11, 0x302, 0x103, 0x42, 0xff, 0x3ff, 0x400, 0xffff, 0x8001]
    elif name == "s_set_gpr_idx_mode":
        values = list(range(16)) + [16, 17, 0x80, 0xff, 0xfff, 0x8000, 0xffff]
    if name == "s_endpgm":
        values = SIMM
    head, tail = values[:20], values[20:]
    rng.shuffle(tail)
    for v in dict.fromkeys(head + tail + [rng.randrange(65536) for _ in range(12)] if name != "s_set_gpr_idx_mode" else head + tail):
        text = name + (" 0x%x" % v if name != "s_endpgm" or v else "")
        if name == "s_set_gpr_idx_mode" or name.startswith("s_cbranch") or name == "s_branch":
            text = "%s %d" % (name, v)
        yield [0xbf800000 | op << 16 | v], text


def cmp_type(name):
    """The types of a compare by its name: (kind f or i, width of src0, width of src1)."""
    t = name.rsplit("_", 1)[1]
    w = int(t[1:])
    return ("f" if t[0] == "f" else "i", w, 32 if "_class_" in name else w)


def vsrc_codes(chip, width):
    codes = ssrc_codes(chip, 64 if width == 64 else 32)
    vg = [256, 257, 258, 259, 263, 287, 382, 383, 384, 509, 510] + ([511] if width != 64 else [])
    return codes + vg + vg


def core_vopc(chip, row, op, rng):
    name = row["mnemonic"]
    kind, w0, w1 = cmp_type(name)
    c0 = cycle(rng, vsrc_codes(chip, w0))
    v1 = cycle(rng, [0, 1, 2, 3, 7, 31, 64, 127, 128, 200, 253, 254] + ([255] if w1 != 64 else []))
    lit, inl = cycle(rng, LITERALS), cycle(rng, INLINE_LITERALS)
    tw0, tw1 = (64 if w == 64 else 32 for w in (w0, w1))
    for n in range(60):
        a, b, v = next(c0), next(v1), next(lit)
        if n in (1, 4):
            a = 255
        if n == 2 and chip in DIS:
            a, v = 255, next(inl)
        if n == 3 and w0 != 64 and chip in DIS:
            a = 254
        if n in (5, 6):
            a = 256 + rng.randrange(255)
        yield finish([0x7c000000 | op << 17 | b << 9 | a], [a], v), "%s_e32 vcc, %s, %s" % (
            name, code_text(chip, a, tw0, v), code_text(chip, 256 + b, tw1, 0))


def core_vopc_e64(chip, row, op, rng):
    name = row["mnemonic"]
    kind, w0, w1 = cmp_type(name)
    c0, c1 = cycle(rng, vsrc_codes(chip, w0)), cycle(rng, vsrc_codes(chip, w1))
    sd = cycle(rng, sdst_codes(chip, 64))
    tw0, tw1 = (64 if w == 64 else 32 for w in (w0, w1))
    asm_mods = [c for c in range(1, 16)]
    for n in range(70):
        a, b, d = next(c0), next(c1), next(sd)
        if chip in ASM and a < 256 and b < 256 and a != b:       # one scalar read only, the assembler checks it
            if n % 2:
                a = 256 + rng.randrange(255)
            else:
                b = 256 + rng.randrange(255)
        elif n % 3 == 0:
            b = 256 + rng.randrange(255)
        ab = ng = cl = 0
        if kind == "f" and n % 4:
            ab, ng, cl = rng.randrange(4), rng.randrange(4), rng.randrange(2)
            if "_class_" in name:
                ab, ng = ab & 1, ng & 1
        sel = 0
        if n % 17 == 16 and gfx9(chip):
            sel = rng.randrange(1, 16)                          # OP_SEL is ignored on compares
        first = 0xd0000000 | d | ab << 8
        first |= op << 16 | cl << 15 | sel << 11 if chip in DIS else op << 17 | cl << 11
        t = []
        for i, (c, w) in enumerate(((a, tw0), (b, tw1))):
            s = code_text(chip, c, w, 0)
            if ab >> i & 1:
                s = "|%s|" % s
            if ng >> i & 1:
                s = "neg(%s)" % s if s[0].isdigit() or s[0] == "-" else "-" + s
            t.append(s)
        yield [first, a | b << 9 | ng << 29], "%s_e64 %s, %s%s" % (name, code_text(chip, d, 64, 0), ", ".join(t), " clamp" if cl else "")


CORE_MAKERS = {"SOP1": core_sop, "SOP2": core_sop, "SOPC": core_sop, "SOPK": core_sopk, "SOPP": core_sopp,
               "VOPC": core_vopc, "VOPC_E64": core_vopc_e64}


# ------------------------------------------------------------------------------------- other encodings: random words (gfx8, gfx9)

def vgpr(rng, wide=True):
    return rng.choice([0, 1, 2, 3, 5, 8, 17, 64, 100, 128, 200, 240] + ([255] if wide else []) + [rng.randrange(240)])


def vsrc(chip, rng, literal=False):
    k = rng.randrange(12)
    if k < 5:
        return 256 + vgpr(rng)
    if k == 5 and literal:
        return 255
    if k < 8:
        return rng.choice([0, 2, 4, 10, 50, 98, 100, 1, 3, 101])
    if k == 8:
        return rng.choice([c for c in specials(chip)])
    if k < 11:
        return rng.choice([128, 129, 160, 192, 193, 200, 208, 240, 241, 242, 243, 244, 245, 246, 247, 248])
    return rng.choice([251, 252, 253, 106, 126, 124])


def simple_sgpr(rng):
    return rng.choice([0, 1, 2, 3, 4, 8, 16, 20, 50, 99, 100, 101, 106, 124])


def other_smem(chip, row, op, rng):
    nine = gfx9(chip)
    for n in range(40):
        imm = n & 1
        sdata = rng.choice([0, 1, 2, 4, 8, 16, 20, 64, 84, 88, 96, 100, 106, 112])
        if "probe" in row["mnemonic"]:
            sdata = rng.randrange(128)
        if "discard" in row["mnemonic"]:
            sdata = 0
        if row["mnemonic"] in ("s_dcache_inv", "s_dcache_wb", "s_dcache_inv_vol", "s_dcache_wb_vol"):
            yield [0xc0000000 | op << 18, 0]
            continue
        if row["mnemonic"] in ("s_memtime", "s_memrealtime"):
            yield [0xc0000000 | op << 18 | sdata << 6, 0]
            continue
        sbase = rng.choice([0, 1, 2, 4, 10, 20, 40, 48, 50, 53, 54, 56])
        glc = rng.randrange(2) if "load" in row["mnemonic"] or "store" in row["mnemonic"] or "atomic" in row["mnemonic"] else 0
        if imm:
            off = rng.choice([0, 1, 4, 8, 0x100, 0xffc, 0xfffff, 0x12345, 0x80000]) if not nine or rng.randrange(3) else \
                rng.choice([0x1fffff, 0x1ffffc, 0x100000, 0x1fff00])
        else:
            off = simple_sgpr(rng)
        yield [0xc0000000 | op << 18 | imm << 17 | glc << 16 | sdata << 6 | sbase, off]


def lit(rng):
    return rng.choice(LITERALS)


def other_vop1(chip, row, op, rng):
    for n in range(40):
        a = vsrc(chip, rng, True)
        if row["mnemonic"] in ("v_nop", "v_clrexcp"):
            yield [0x7e000000 | op << 9]
            return
        yield finish([0x7e000000 | vgpr(rng) << 17 | op << 9 | a], [a], lit(rng))


def other_vop2(chip, row, op, rng):
    mad = "madmk" in row["mnemonic"] or "madak" in row["mnemonic"]
    for n in range(40):
        a = vsrc(chip, rng, not mad)
        words = [op << 25 | vgpr(rng) << 17 | vgpr(rng) << 9 | a]
        yield words + [lit(rng)] if mad else finish(words, [a], lit(rng))


def vop3_words(chip, op, rng, n, nsrc, sdst=None, scalar_dst=False):
    vd = vgpr(rng)
    if scalar_dst:
        vd = rng.choice([0, 1, 2, 50, 101, 106, 124])
    src = [vsrc(chip, rng) if i < nsrc else 0 for i in range(3)]
    w0, w1 = 0xd0000000 | op << 16 | vd, src[0] | src[1] << 9 | src[2] << 18
    if sdst is not None:
        w0 |= sdst << 8
    if n % 2:
        if sdst is None and rng.randrange(2):
            w0 |= rng.randrange(1 << nsrc) << 8
        if rng.randrange(2):
            w1 |= rng.randrange(1 << nsrc) << 29
        if rng.randrange(3) == 0:
            w0 |= 0x8000
        if rng.randrange(3) == 0:
            w1 |= rng.randrange(4) << 27
    if gfx9(chip) and sdst is None and n % 4 == 3:
        w0 |= rng.randrange(16) << 11
    return [w0, w1]


VOP3B = re.compile(r"v_(div_scale|mad_u64_u32|mad_i64_i32)")


def other_vop3(chip, row, op, rng):
    name = row["mnemonic"]
    for n in range(160):
        if name.startswith("v_interp"):
            if row["encoding"] == "VINTRP":                     # the promoted forms
                op = 624 + int(row[COLUMN[chip]])
            attr, chan, high = rng.choice([0, 1, 5, 31, 32, 63]), rng.randrange(4), rng.randrange(2)
            src2 = 256 + vgpr(rng) if n & 1 else 0
            src1 = rng.randrange(3) if name == "v_interp_mov_f32" else 256 + vgpr(rng)
            high = high if row["encoding"] == "VOP3" else 0
            w0, w1 = 0xd0000000 | op << 16 | vgpr(rng), attr | chan << 6 | high << 8 | src1 << 9 | src2 << 18
            if n % 3 == 0:
                w0 |= rng.randrange(2) << 15
                w1 |= rng.randrange(4) << 29 | rng.choice([0, 0, 1, 2, 3]) << 27
            yield [w0, w1]
            continue
        sdst = rng.choice([0, 2, 10, 100, 106]) if VOP3B.match(name) else None
        scalar = name in ("v_readlane_b32", "v_readlane_regrd_b32")
        yield vop3_words(chip, op, rng, n, [2, 3, 1][n // 2 % 3], sdst, scalar)


CARRY = re.compile(r"v_(add|sub|subrev|addc|subb|subbrev)(_co)?_[ui]32$")


def other_vop1_e64(chip, row, op, rng):
    if row["mnemonic"] in ("v_nop", "v_clrexcp"):
        yield [0xd0000000 | (op + 320) << 16, 0]
        return
    for n in range(60):
        yield vop3_words(chip, op + 320, rng, n, 1)


def carries(chip, name):
    return bool(CARRY.match(name)) and (not gfx9(chip) or "_co_" in name)


def other_vop2_e64(chip, row, op, rng):
    name = row["mnemonic"]
    for n in range(80):
        sdst = rng.choice([0, 2, 10, 100, 106]) if carries(chip, name) else None
        three = name == "v_cndmask_b32" or (carries(chip, name) and ("addc" in name or "subb" in name))
        w = vop3_words(chip, op + 256, rng, n, 2, sdst)
        if three:
            w[1] |= rng.choice([0, 2, 4, 100, 106]) << 18
        yield w


def other_vop3p(chip, row, op, rng):
    name = row["mnemonic"]
    mix = "mix" in name
    for n in range(160):
        nsrc = [2, 3][n // 2 % 2]
        src = [vsrc(chip, rng) if i < nsrc else 0 for i in range(3)]
        full = (1 << nsrc) - 1
        sel, hi = (0, full) if n % 4 < 2 else (rng.randrange(full + 1), rng.randrange(full + 1))
        if mix and n % 4 < 2:
            hi = 0
        if nsrc == 2 and n % 8 < 4:
            hi |= 4                                             # LLVM's encoder sets OP_SEL_HI of an absent third source on some
        neg, neghi, clamp = (rng.randrange(full + 1), rng.randrange(full + 1), rng.randrange(2)) if n % 3 == 1 else (0, 0, 0)
        yield [0xd3800000 | op << 16 | vgpr(rng) | neghi << 8 | sel << 11 | (hi >> 2 & 1) << 14 | clamp << 15,
               src[0] | src[1] << 9 | src[2] << 18 | (hi & 3) << 27 | neg << 29]


def other_vintrp(chip, row, op, rng):
    for n in range(40):
        src = rng.randrange(3) if row["mnemonic"] == "v_interp_mov_f32" else vgpr(rng)
        yield [0xd4000000 | vgpr(rng) << 18 | op << 16 | rng.choice([0, 1, 5, 31, 32, 63]) << 10 | rng.randrange(4) << 8 | src]


def other_ds(chip, row, op, rng):
    for n in range(60):
        off = rng.choice([0, 0, 1, 4, 255, 256, 0x1234, 0xffff, 0x0100, 0x0201, 0xff00, 0x8000])
        if "swizzle" in row["mnemonic"]:
            off = rng.choice([0, 0x8000, 0x80e4, 0x801b, 0x8055, 0x041f, 0x081f, 0x401f, 0x1234, 0xc000, 0xffff, 0x001f, 0x0010, 0x5555])
        gds = rng.randrange(2)
        if row["mnemonic"] == "ds_nop":
            yield [0xd8000000 | op << 17, 0]
            return
        if "sema" in row["mnemonic"] and n & 1:
            yield [0xd8010000 | op << 17 | off, vgpr(rng, False) if "_br" in row["mnemonic"] else 0]
        use = [(1, 1, 1, 1), (1, 1, 0, 0), (1, 0, 0, 1), (1, 1, 1, 0), (1, 1, 0, 1), (0, 0, 0, 1), (0, 0, 0, 0), (1, 0, 0, 0), (0, 1, 0, 0)][n % 9]
        f = [vgpr(rng, False) * u for u in use]
        yield [0xd8000000 | op << 17 | gds << 16 | off, f[0] | f[1] << 8 | f[2] << 16 | f[3] << 24]


def other_flat(chip, row, op, rng):
    seg = {"FLAT": 0, "SCRATCH": 1, "GLOBAL": 2}[row["encoding"]]
    for n in range(80):
        off = 0
        if gfx9(chip):
            off = rng.choice([0, 1, 16, 4095, 2047]) if seg == 0 else rng.choice([0, 1, 4095, 0x1fff, 0x1000, 0x1800, 0x0fff, 64])
        glc, slc, use = rng.randrange(2), rng.randrange(2), [(1, 0, 1), (1, 1, 0), (1, 1, 1)][n % 3]
        saddr = 0
        addr = vgpr(rng, False)
        if seg:
            saddr = 0x7f if n & 1 else rng.choice([0, 2, 4, 50, 100, 106] + ([1, 3, 101] if seg == 1 else []))
            if seg == 1 and saddr != 0x7f:
                addr = 0
        f = [addr, vgpr(rng, False) * use[1], vgpr(rng, False) * use[2]]
        yield [0xdc000000 | op << 18 | slc << 17 | glc << 16 | seg << 14 | off, f[0] | f[1] << 8 | saddr << 16 | f[2] << 24]


def other_mubuf(chip, row, op, rng):
    name = row["mnemonic"]
    for n in range(60):
        if name.startswith("buffer_wbinvl1"):
            yield [0xe0000000 | op << 18, 0]
            return
        off = rng.choice([0, 0, 1, 4, 255, 4095, 2048])
        mode, glc, slc, tfe, lds = n % 4, rng.randrange(2), rng.randrange(2), int(n % 7 == 6), int(n % 5 == 4)
        addr = 0 if mode == 0 else vgpr(rng, False)
        data = 0 if name == "buffer_store_lds_dword" or lds else vgpr(rng, False)
        soff = rng.choice([0, 1, 101, 106, 124, 128, 129, 192, 193, 240, 50, 3])
        yield [0xe0000000 | op << 18 | slc << 17 | lds << 16 | glc << 14 | mode << 12 | off,
               addr | data << 8 | rng.choice([0, 1, 2, 5, 24]) << 16 | tfe << 23 | soff << 24]


def other_mtbuf(chip, row, op, rng):
    for n in range(60):
        off = rng.choice([0, 0, 1, 4, 255, 4095, 2048])
        mode, glc, slc, tfe = n % 4, rng.randrange(2), rng.randrange(2), int(n % 7 == 6)
        addr = 0 if mode == 0 else vgpr(rng, False)
        dfmt, nfmt = rng.randrange(16), rng.randrange(8)
        if n % 5 == 0:
            dfmt, nfmt = 1, 0
        soff = rng.choice([0, 1, 101, 106, 124, 128, 129, 192, 193, 240, 50, 3])
        yield [0xe8000000 | nfmt << 23 | dfmt << 19 | op << 15 | glc << 14 | mode << 12 | off,
               addr | vgpr(rng, False) << 8 | rng.choice([0, 1, 2, 5, 24]) << 16 | slc << 22 | tfe << 23 | soff << 24]


def other_mimg(chip, row, op, rng):
    for n in range(80):
        dmask = rng.choice([1, 2, 4, 8, 3, 5, 7, 15, 15, 0]) if "gather4" not in row["mnemonic"] else rng.choice([1, 2, 4, 8])
        flags = rng.randrange(16) if n & 1 else 0                # UNORM GLC DA R128/A16
        tfe, lwe, slc = (rng.randrange(2), rng.randrange(2), rng.randrange(2)) if n % 4 > 1 else (0, 0, 0)
        d16 = int(n % 6 == 5)
        samp = rng.choice([0, 1, 2, 5, 24]) if op >= 32 else 0
        yield [0xf0000000 | slc << 25 | op << 18 | lwe << 17 | tfe << 16 | flags << 12 | dmask << 8,
               vgpr(rng, False) | vgpr(rng, False) << 8 | rng.choice([0, 1, 2, 5, 24]) << 16 | samp << 21 | d16 << 31]


def other_exp(chip, row, op, rng):
    for n, target in enumerate(list(range(64)) * 2):
        if target in (10, 11) or 16 <= target < 32:
            continue
        en = rng.choice([15, 15, 1, 3, 7, 5, 12, 0, 8]) if n >= 64 else 15
        compr, done, vm = (rng.randrange(2), rng.randrange(2), rng.randrange(2)) if n >= 64 else (0, 0, 0)
        if compr:
            en = rng.choice([0, 3, 12, 15])
        srcs = [vgpr(rng) for _ in range(4)]
        v = [s if en >> i & 1 else 0 for i, s in enumerate(srcs)]
        if compr:
            v = [srcs[0] if en & 3 else 0, srcs[1] if en & 12 else 0, 0, 0]
        yield [0xc4000000 | vm << 12 | done << 11 | compr << 10 | target << 4 | en, v[0] | v[1] << 8 | v[2] << 16 | v[3] << 24]


def head_word(row, op, rng):
    enc = row["encoding"]
    if enc == "VOP1":
        return 0x7e000000 | vgpr(rng) << 17 | op << 9
    if enc == "VOP2":
        return op << 25 | vgpr(rng) << 17 | vgpr(rng) << 9
    return 0x7c000000 | op << 17 | vgpr(rng) << 9


def other_sdwa(chip, row, op, rng):
    enc = row["encoding"]
    for n in range(60):
        w0, w1 = head_word(row, op, rng) | 249, vgpr(rng)
        sel = [6, 6, 6] if n % 3 == 0 else [rng.randrange(7) for _ in range(3)]
        w1 |= sel[1] << 16
        if n % 4 < 2 or enc == "VOP1":
            pass
        if enc != "VOP1":
            w1 |= sel[2] << 24
        elif n % 3 == 0:
            w1 |= 6 << 24                                       # the field VOP1 does not use; LLVM's encoder writes 6 or 0
        if enc != "VOPC":
            w1 |= sel[0] << 8 | (rng.randrange(3) if n % 3 else 2 * rng.randrange(2)) << 11
        if n & 1:
            w1 |= rng.randrange(2) << (13 if enc != "VOPC" or not gfx9(chip) else 19)
            w1 |= rng.choice([0, 1, 2, 4, 6]) << 19
            if enc != "VOP1":
                w1 |= rng.choice([0, 1, 2, 4, 6]) << 27
        if gfx9(chip):
            if enc == "VOPC" and n % 3 == 1:
                w1 |= 1 << 15 | rng.choice([0, 2, 10, 100, 106, 126]) << 8
            if enc != "VOPC" and n % 5 == 3:
                w1 |= rng.randrange(4) << 14
            if n % 7 == 3:
                w1 = w1 & ~0xff | 1 << 23 | rng.choice([0, 1, 50, 101, 106, 124])
            if enc != "VOP1" and n % 7 == 5:
                w0 = w0 & ~(0xff << 9) | rng.choice([0, 1, 50, 101, 106, 124]) << 9
                w1 |= 1 << 31
        yield [w0, w1]


DPP_CTRL = [0, 0x1b, 0xe4, 0xff, 0x4e, 0x101, 0x10f, 0x111, 0x118, 0x11f, 0x121, 0x12f, 0x130, 0x134, 0x138, 0x13c, 0x140, 0x141, 0x142, 0x143]


def other_dpp(chip, row, op, rng):
    for n in range(40):
        w0, w1 = head_word(row, op, rng) | 250, vgpr(rng)
        w1 |= rng.choice(DPP_CTRL) << 8 | rng.randrange(2) << 19
        w1 |= 0xff << 24 if n % 3 == 0 else rng.randrange(256) << 24
        if n & 1:
            w1 |= rng.randrange(4) << 20
            if row["encoding"] == "VOP2":
                w1 |= rng.randrange(4) << 22
        yield [w0, w1]


OTHER_MAKERS = {"SMEM": other_smem, "VOP1": other_vop1, "VOP2": other_vop2, "VOP3": other_vop3, "VOP1_E64": other_vop1_e64, "VINTRP_E64": other_vop3,
                "VOP2_E64": other_vop2_e64, "VOP3P": other_vop3p, "VINTRP": other_vintrp, "DS": other_ds, "FLAT": other_flat,
                "GLOBAL": other_flat, "SCRATCH": other_flat, "MUBUF": other_mubuf, "MTBUF": other_mtbuf, "MIMG": other_mimg,
                "EXP": other_exp, "SDWA": other_sdwa, "DPP": other_dpp}


# --------------------------------------------------------------------------------------------------- choosing what is kept

def base_mnemonic(text):
    return re.sub(r"_(e32|e64|sdwa|dpp)$", "", text.split(" ")[0])


HALF = re.compile(r"0x(3800|b800|3c00|bc00|4000|c000|4400|c400|3118)\b")


def half_constant(words, text, again):
    """Whether words differ from `again` only because a float constant of an integer half prints as hex, a literal."""
    if not HALF.search(text) or not again:
        return False
    if words[0] >> 26 == 0x34:
        if words[0] != again[0] or (words[1] ^ again[1]) >> 27:
            return False
        pairs = [((words[1] >> s) & 0x1ff, (again[1] >> s) & 0x1ff) for s in (0, 9, 18)]
        return all(a == b or (240 <= a <= 248 and b == 255) for a, b in pairs)
    return len(words) == 1 and 240 <= words[0] & 0x1ff <= 248 and words[0] | 0x1ff == again[0] | 0x1ff


def keep_core(row, words, got):
    if got is None:
        return False
    text, again = got
    return base_mnemonic(text) == row["mnemonic"] and "/*" not in text and not re.search(r"\bnull\b", text)


def keep_other(row, words, got):
    """Whether words are kept: only those that llvm-mc itself makes of the text; for exceptions see half_constant."""
    if got is None:
        return False
    text, again = got
    if base_mnemonic(text) != row["mnemonic"] or "/*" in text or re.search(r"\bnull\b|invalid", text):
        return False
    literal = len(words) == 2 and words[0] >> 31 == 0 and words[0] & 0x1ff == 255
    return again == words or literal or half_constant(words, text, again)


def shape(text):
    return re.sub(r"\d+", "#", text)


def choose(kept, n):
    """Chooses n of the words: first those with texts of their own and new shapes."""
    seen, shapes, first, rest = set(), set(), [], []
    for words, text in kept:
        if text in seen:
            continue
        seen.add(text)
        (rest if shape(text) in shapes else first).append((words, text))
        shapes.add(shape(text))
    return (first + rest)[:n]


def disassembled(chip, key, rows, maker, keep, n, pool=None):
    """{mnemonic: [(words, text)]} of one file; everything valid goes to `pool`."""
    plan, cases = [], []
    for row in rows:
        made = [c if isinstance(c, list) else c[0] for c in maker(chip, row, int(row[COLUMN[chip]]), rng_for(chip, key, row["mnemonic"]))]
        unique = [list(w) for w in dict.fromkeys(tuple(w) for w in made)]
        plan.append((row, len(cases), len(unique)))
        cases += unique
    got = disassemble(chip, cases)
    out = {}
    if keep is keep_other:
        # the printed text must not hide a field: where the assembler takes the text at all, it has to give the words back
        valid = [i for i, g in enumerate(got) if g]
        for i, back in zip(valid, assemble(chip, [got[i][0] for i in valid])):
            if back and len(back[1]) == len(cases[i]) and back[1] != cases[i] and not half_constant(cases[i], *back) and \
                    not (cases[i][0] >> 31 == 0 and cases[i][0] & 0x1ff == 255):
                got[i] = None
    for row, at, count in plan:
        kept = [(w, g[0]) for w, g in zip(cases[at:at + count], got[at:at + count]) if keep(row, w, g)]
        if pool is not None:
            pool[key, row["mnemonic"]] = [t for _, t in kept]
        out[row["mnemonic"]] = core_choice(kept, wanted(row, n)) if keep is keep_core else choose(kept, n)
    return out


def wanted(row, n):
    return 60 if row["mnemonic"] in ("s_sendmsg", "s_sendmsghalt", "s_waitcnt") else n


def core_choice(kept, n):
    seen, out = set(), []
    for words, text in kept:
        # a second word for a text is wanted only if something differs that the text hides (literal, unused field)
        if text in seen and len(words) == 1:
            continue
        seen.add(text)
        out.append((words, text))
    return out[:n]


# ------------------------------------------------------------------------------------------- gfx6, gfx7: texts to assemble

def opcode_of(chip, key, words):
    """Opcode field of gfx6/gfx7 words, or None if the encoding is another one."""
    w = words[0]
    base = key.removesuffix("_E64")
    if key.endswith("_E64") or key == "VOP3":
        if w >> 26 != 0x34:
            return None
        return (w >> 17 & 0x1ff) - {"VOPC": 0, "VOP2": 256, "VOP1": 384, "VOP3": 0}[base]
    prefix, shift, bits = {
        "SOP1": (w >> 23 == 0x17d, 8, 8), "SOPC": (w >> 23 == 0x17e, 16, 7), "SOPP": (w >> 23 == 0x17f, 16, 7),
        "SOPK": (w >> 28 == 0xb, 23, 5), "SOP2": (w >> 30 == 2, 23, 7), "VOP1": (w >> 25 == 0x3f, 9, 8), "VOPC": (w >> 25 == 0x3e, 17, 8),
        "VOP2": (w >> 31 == 0, 25, 6), "SMRD": (w >> 27 == 0x18, 22, 5), "VINTRP": (w >> 26 == 0x32, 16, 2), "DS": (w >> 26 == 0x36, 18, 8),
        "FLAT": (w >> 26 == 0x37, 18, 7), "MUBUF": (w >> 26 == 0x38, 18, 7), "MTBUF": (w >> 26 == 0x3a, 16, 3),
        "MIMG": (w >> 26 == 0x3c, 18, 7), "EXP": (w >> 26 == 0x3e, 0, 0)}[key]
    return w >> shift & (1 << bits) - 1 if prefix else None


# Rows which only gfx6/gfx7 have -> a row with the same operands whose gfx8 texts serve as templates.
PROXY = {
    "v_log_clamp_f32": "v_log_f32", "v_rcp_clamp_f32": "v_rcp_f32", "v_rcp_legacy_f32": "v_rcp_f32", "v_rsq_clamp_f32": "v_rsq_f32",
    "v_rsq_legacy_f32": "v_rsq_f32", "v_rcp_clamp_f64": "v_rcp_f64", "v_rsq_clamp_f64": "v_rsq_f64",
    "v_mac_legacy_f32": "v_mac_f32", "v_min_legacy_f32": "v_min_f32", "v_max_legacy_f32": "v_max_f32", "v_lshr_b32": "v_lshrrev_b32",
    "v_ashr_i32": "v_ashrrev_i32", "v_lshl_b32": "v_lshlrev_b32", "v_bfm_b32": "v_and_b32", "v_bcnt_u32_b32": "v_and_b32",
    "v_mbcnt_lo_u32_b32": "v_and_b32", "v_mbcnt_hi_u32_b32": "v_and_b32", "v_add_i32": "v_add_u32", "v_sub_i32": "v_sub_u32",
    "v_subrev_i32": "v_subrev_u32", "v_ldexp_f32": "v_and_b32", "v_cvt_pkaccum_u8_f32": "v_add_f32", "v_cvt_pknorm_i16_f32": "v_add_f32",
    "v_cvt_pknorm_u16_f32": "v_add_f32", "v_cvt_pkrtz_f16_f32": "v_add_f32", "v_cvt_pk_u16_u32": "v_and_b32", "v_cvt_pk_i16_i32": "v_and_b32",
    "v_mullit_f32": "v_mad_f32", "v_lshl_b64": "v_lshlrev_b64", "v_lshr_b64": "v_lshrrev_b64", "v_ashr_i64": "v_ashrrev_i64",
    "v_mul_lo_i32": "v_mul_lo_u32",
    "flat_atomic_fcmpswap": "flat_atomic_cmpswap", "flat_atomic_fmin": "flat_atomic_smin", "flat_atomic_fmax": "flat_atomic_smax",
    "flat_atomic_fcmpswap_x2": "flat_atomic_cmpswap_x2", "flat_atomic_fmin_x2": "flat_atomic_smin_x2", "flat_atomic_fmax_x2": "flat_atomic_smax_x2",
    "buffer_atomic_fcmpswap": "buffer_atomic_cmpswap", "buffer_atomic_fmin": "buffer_atomic_smin", "buffer_atomic_fmax": "buffer_atomic_smax",
    "buffer_atomic_fcmpswap_x2": "buffer_atomic_cmpswap_x2", "buffer_atomic_fmin_x2": "buffer_atomic_smin_x2",
    "buffer_atomic_fmax_x2": "buffer_atomic_smax_x2", "buffer_wbinvl1_sc": "buffer_wbinvl1",
    "image_atomic_fcmpswap": "image_atomic_cmpswap", "image_atomic_fmin": "image_atomic_smin", "image_atomic_fmax": "image_atomic_smax",
    "image_atomic_rsub": "image_atomic_sub",
}
SWAPPED = {"v_lshl_b64", "v_lshr_b64", "v_ashr_i64"}             # operands the other way round than in the template


def old_text(chip, text):
    """A gfx8 text in the syntax of gfx6 and gfx7."""
    for new, old in (("flat_scratch_lo", "s102"), ("flat_scratch_hi", "s103"), ("xnack_mask_lo", "s33"), ("xnack_mask_hi", "s35")):
        text = text.replace(new, old)
    text = re.sub(r"\bflat_scratch\b", "s[102:103]", text)
    text = re.sub(r"\bxnack_mask\b", "s[34:35]", text)
    return re.sub(r"0\.15915494(309189532)?", "4.0", text)


def smrd_texts(chip, name, rng):
    if name.startswith("s_dcache"):
        return [name]
    if name == "s_memtime":
        return ["%s s[%d:%d]" % (name, n, n + 1) for n in (0, 2, 10, 100)] + [name + " vcc"]
    width = {"x2": 2, "x4": 4, "x8": 8, "x16": 16}.get(name.split("dword")[1], 1)
    out = []
    for n in range(12):
        first = rng.choice([0, 4, 8, 16, 20, 40, 64, 84, 88][:7 if width == 16 else 9])
        first -= first % min(width, 4)
        dst = "s%d" % first if width == 1 else "s[%d:%d]" % (first, first + width - 1)
        b = rng.choice([0, 4, 8, 12, 40, 64, 96, 100])
        base = "s[%d:%d]" % (b, b + (3 if "buffer" in name else 1))
        off = "s%d" % rng.choice([0, 1, 50, 101]) if n % 3 == 0 else "0x%x" % rng.choice([0, 1, 2, 16, 127, 128, 255])
        if n == 5:
            off = "vcc_lo"
        if chip == "gfx700" and n % 3 == 1:
            off = "0x%x" % rng.choice([0x100, 0x1234, 0x12345678, 0x3ffff, 0xffffffff])
        out.append("%s %s, %s, %s" % (name, dst, base, off))
    return out


def template_texts(chip, key, row, pool):
    """The texts to try for a row outside the core."""
    name = row["mnemonic"]
    if name in ("v_nop", "v_clrexcp") and key == "VOP1_E64":
        return [name + "_e64"]
    if name == "ds_nop":
        return [name]
    if key == "SMRD":
        return smrd_texts(chip, name, rng_for(chip, key, name))
    source = PROXY.get(name, name) if (key, name) not in pool else name
    key8 = key
    if name in ("v_readlane_b32", "v_writelane_b32"):
        key8, source = "VOP3", name
    texts = pool.get((key8, source), [])
    out = []
    for t in texts:
        head, _, rest = t.partition(" ")
        if name in SWAPPED:
            dst, a, b = rest.split(" ")[0].rstrip(","), *[x.strip() for x in rest.split(", ")[1:3]]
            rest = "%s, %s, %s" % (dst, b, a)
        t = old_text(chip, head.replace(source, name, 1) + (" " + rest if rest else ""))
        if key == "MUBUF" and "idxen offen" in t:
            out.append(t.replace("idxen offen", "addr64"))
        if key == "MIMG" and " d16" in t:
            continue
        out.append(t)
        if key == "VINTRP":
            out.append(t.replace("_e32", ""))
        if key in ("VOP2_E64", "VOP1_E64", "VOP3"):
            # two scalar reads are refused: keep the first
            parts = rest.split(", ")
            if len(parts) >= 3:
                out.append(old_text(chip, head.replace(source, name, 1) + " " + ", ".join(
                    parts[:2] + [re.sub(r"\bs(\d+)\b", r"v\1", re.sub(r"\bs\[", "v[", p)) for p in parts[2:]])))
    return out


def assembled(chip, key, rows, n, pool):
    """{mnemonic: [(words, text)]} of one gfx6/gfx7 file."""
    plan, texts = [], []
    for row in rows:
        if key in CORE_MAKERS:
            made = [c for c in CORE_MAKERS[key](chip, row, int(row[COLUMN[chip]]), rng_for(chip, key, row["mnemonic"])) if c[1]]
        else:
            made = [(None, t) for t in dict.fromkeys(template_texts(chip, key, row, pool))]
        plan.append((row, len(texts), made))
        texts += [t for _, t in made]
    got = assemble(chip, texts)
    out = {}
    for row, at, made in plan:
        kept = []
        for (want, _), g in zip(made, got[at:at + len(made)]):
            if g is None:
                continue
            text, words = g
            if want is not None and words != want:
                sys.exit("%s: llvm-mc encodes %r as %s, expected %s" % (chip, text, hexwords(words), hexwords(want)))
            if opcode_of(chip, key, words) == int(row[COLUMN[chip]]) and base_mnemonic(text) == row["mnemonic"]:
                kept.append((words, text))
        out[row["mnemonic"]] = core_choice(kept, wanted(row, n)) if key in CORE_MAKERS else choose(kept, n)
    return out


# ------------------------------------------------------------------------------------------------------------------- files

FILES = {  # file -> (key, encodings the rows come from)
    "sop1": ("SOP1", ["SOP1"]), "sop2": ("SOP2", ["SOP2"]), "sopc": ("SOPC", ["SOPC"]), "sopk": ("SOPK", ["SOPK"]), "sopp": ("SOPP", ["SOPP"]),
    "vopc": ("VOPC", ["VOPC"]), "vopc_e64": ("VOPC_E64", ["VOPC"]), "smrd": ("SMRD", ["SMRD"]), "smem": ("SMEM", ["SMEM"]),
    "vop1": ("VOP1", ["VOP1"]), "vop2": ("VOP2", ["VOP2"]), "vop3": ("VOP3", ["VOP3"]), "vop1_e64": ("VOP1_E64", ["VOP1"]),
    "vop2_e64": ("VOP2_E64", ["VOP2"]), "vop3p": ("VOP3P", ["VOP3P"]), "vintrp": ("VINTRP", ["VINTRP"]), "vintrp_e64": ("VINTRP_E64", ["VINTRP"]), "ds": ("DS", ["DS"]),
    "flat": ("FLAT", ["FLAT"]), "global": ("GLOBAL", ["GLOBAL"]), "scratch": ("SCRATCH", ["SCRATCH"]), "mubuf": ("MUBUF", ["MUBUF"]),
    "mtbuf": ("MTBUF", ["MTBUF"]), "mimg": ("MIMG", ["MIMG"]), "exp": ("EXP", ["EXP"]), "sdwa": ("SDWA", ["VOP1", "VOP2", "VOPC"]),
    "dpp": ("DPP", ["VOP1", "VOP2"])}


def cases_wanted(key, rows):
    if key in CORE_MAKERS:
        return 20 if key.startswith("VOPC") else CORE_CASES
    return 40 if key == "EXP" else 2 if key in ("SDWA", "DPP", "VOP1_E64", "VOP2_E64") else OTHER_CASES


# ------------------------------------------------------------------------------------------------------------ invalid words

ENCODINGS = {  # key -> (number of opcodes, first dword, second dword or None)
    "SOP1": (256, lambda o: 0xbe820000 | o << 8, None), "SOP2": (96, lambda o: 0x80020400 | o << 23, None),
    "SOPC": (128, lambda o: 0xbf000200 | o << 16, None), "SOPK": (28, lambda o: 0xb0020000 | o << 23, None),
    "SOPP": (128, lambda o: 0xbf800000 | o << 16, None), "VOP1": (256, lambda o: 0x7e020100 | o << 9, None),
    "VOP2": (62, lambda o: 0x00020300 | o << 25, None), "VOPC": (256, lambda o: 0x7c000300 | o << 17, None),
    "SMEM": (256, lambda o: 0xc0020000 | o << 18, 0), "VOP3": (1024, lambda o: 0xd0000002 | o << 16, 0x00000300),
    "VOP3P": (128, lambda o: 0xd3804002 | o << 16, 0x18000300), "VINTRP": (4, lambda o: 0xd4040000 | o << 16, None),
    "DS": (256, lambda o: 0xd8000000 | o << 17, 0x02000001), "FLAT": (128, lambda o: 0xdc000000 | o << 18, 0x02000004),
    "GLOBAL": (128, lambda o: 0xdc008000 | o << 18, 0x027f0004), "SCRATCH": (128, lambda o: 0xdc004000 | o << 18, 0x027f0004),
    "MUBUF": (128, lambda o: 0xe0000000 | o << 18, 0x80010200), "MIMG": (128, lambda o: 0xf0000100 | o << 18, 0x00010204)}


def used_opcodes(chip, key, rows):
    def of(enc):
        return {int(r[COLUMN[chip]]) for r in rows if r["encoding"] == enc and r[COLUMN[chip]] != ""}
    used = of(key)
    if key == "VOP3":
        used |= of("VOPC") | {o + 256 for o in of("VOP2")} | {o + 320 for o in of("VOP1")} | set(range(624, 628))
        # VOP3P of gfx9 lies at 896-1023; sources differ on a VOP3 form of v_mac_legacy_f32 and the lane reads, which are in the table
        used |= set(range(896, 1024)) if gfx9(chip) else set()
    return used


def invalid_candidates(chip, rows):
    rng = rng_for(chip, "invalid")
    for key, (count, first, second) in ENCODINGS.items():
        if key in ("GLOBAL", "SCRATCH", "VOP3P") and not gfx9(chip):
            continue
        free = sorted(set(range(count)) - used_opcodes(chip, key, rows))
        edges = [o for o in free if o - 1 not in free or o + 1 not in free]
        rng.shuffle(free)
        for o in list(dict.fromkeys(sorted(edges)[:24] + free))[:30]:
            for fill in (0, 1):
                w0 = first(o) | fill * {"SOP1": 3, "SOP2": 3, "SOPC": 3, "SOPK": 8, "SOPP": 1}.get(key, 0)
                yield "opcode", [w0] + ([] if second is None else [second])
    for prefix in (0x33, 0x39, 0x3b, 0x3d, 0x3e, 0x3f):         # no encoding at all
        for low in (0, 1, 0x10001, 0x3ffffff):
            yield "opcode", [prefix << 26 | low, 0]
    core = [r for r in rows if r[COLUMN[chip]] != "" and r["source"] != "clrx"]
    reserved = list(range(209, 235))
    odd_special = [103, 105, 107, 127] + ([] if gfx9(chip) else [109, 111])
    for r in core:
        op, enc, name = int(r[COLUMN[chip]]), r["encoding"], r["mnemonic"]
        w = [int(r[k] or 0) for k in ("dst_width", "src0_width", "src1_width")]
        if enc in ("SOP1", "SOP2", "SOPC"):
            for i in (0, 1):
                if not w[1 + i]:
                    continue
                bad = [rng.choice(reserved), rng.choice(reserved), rng.choice([249, 250])]
                if w[1 + i] == 64:
                    bad += [124, rng.choice(odd_special)]
                for c in bad:
                    src = c << 8 * i | (2 << 8 * (1 - i) if w[2 - i] else 0)
                    base = {"SOP1": 0xbe800000 | op << 8, "SOP2": 0x80000000 | op << 23, "SOPC": 0xbf000000 | op << 16}[enc]
                    yield "operand", [base | src | (0x40000 if w[0] else 0)]
            if w[0] == 64:
                base = {"SOP1": 0xbe800002 | op << 8, "SOP2": 0x80000402 | op << 23}[enc]
                for c in (124, rng.choice(odd_special)):
                    yield "operand", [base | c << 16]
        if enc == "SOPK" and max(w[:2]) == 64:
            for c in [124] + odd_special:
                yield "operand", [0xb0000010 | op << 23 | c << 16]
        if enc == "VOPC":
            kind, w0, w1 = cmp_type(name)
            for c in rng.sample(reserved, 1) + ([rng.choice(odd_special + [124])] if w0 == 64 else []):
                if rng.randrange(3) == 0:
                    yield "operand", [0x7c000200 | op << 17 | c]
            def e64(lo, hi):
                return [0xd0000004 | op << 16 | lo, hi]
            v = 0x00020500
            some = [("operand", e64(0, v & ~0x1ff | 255)), ("operand", e64(0, 0x100 | 255 << 9)), ("operand", e64(0, v & ~0x1ff | rng.choice(reserved))),
                    ("operand", e64(0, 0x100 | rng.choice([249, 250]) << 9)),
                    ("field", e64(0, v | rng.randrange(1, 4) << 27)), ("field", e64(0, v | rng.randrange(1, 512) << 18)), ("field", e64(0x400, v)),
                    ("field", e64(0, v | 1 << 31))]
            if kind == "i":
                some += [("field", e64(rng.choice([0x100, 0x200, 0x300]), v)), ("field", e64(0, v | rng.choice([1, 2, 3]) << 29)), ("field", e64(0x8000, v))]
            yield from rng.sample(some, 3)
        if enc in ("VOP1", "VOP2") and name not in ("v_nop", "v_clrexcp") and rng.randrange(4) == 0:
            c = rng.choice(reserved)
            yield "operand", [(0x7e040000 | op << 9 if enc == "VOP1" else op << 25 | 0x40600) | c] + ([0] if "mad" in name else [])
        if enc == "VOP3" and rng.randrange(4) == 0 and "interp" not in name:
            yield "operand", [0xd0000004 | op << 16, rng.choice([255, 249, 250, rng.choice(reserved)]) | 0x101 << 9]
    if gfx9(chip):
        for op in (16, 20, 28, 64):
            yield "field", [0xdc00c000 | op << 18, 0x027f0004]  # SEG 3


def write_invalid(chip, rows, out_dir):
    cases = {}
    for reason, words in invalid_candidates(chip, rows):
        cases.setdefault(tuple(words), reason)
    verdict = refuses(chip, [list(w) for w in cases])
    found = [(w, reason) for (w, reason), bad in zip(cases.items(), verdict) if bad]
    rng = rng_for(chip, "invalid", "sample")
    kept = set()
    for reason, most in (("opcode", 600), ("operand", 300), ("field", 200)):
        some = [w for w, r in found if r == reason]
        kept.update(rng.sample(some, min(most, len(some))))
    lines = ["%s\t%s" % (hexwords(w), reason) for w, reason in found if w in kept]
    head = ["# %s: words that LLVM 14 calls invalid (llvm-mc -arch=amdgcn -mcpu=%s -disassemble) and that have no meaning in the ISA documents either" % (chip, chip),
            "# words<TAB>reason: opcode (no such instruction), operand (illegal operand code), field (a field that must be zero)"]
    path = out_dir / "invalid" / (chip + ".txt")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(head + lines) + "\n")
    dropped = [(r, hexwords(w)) for (w, r), bad in zip(cases.items(), verdict) if not bad]
    return lines, dropped


# -------------------------------------------------------------------------------------------------- cases derived by hand

def write_odd_pairs(rows, out_dir):
    """Odd pairs: LLVM drops the low bit (disassembler) or refuses (assembler); gcnsim prints s[1:2].  Nothing here is LLVM's."""
    lines = []
    for chip in CHIPS:
        t1 = 109 if gfx9(chip) else 113                         # ttmp1

        def pair(c):
            if c >= 256:
                return "v[%d:%d]" % (c - 256, c - 255)
            kind, n = ("ttmp", c - t1 + 1) if t1 - 1 <= c < 124 else ("s", c)
            return "vcc" if c == 106 else "exec" if c == 126 else "%s[%d:%d]" % (kind, n, n + 1)

        def add(words, text):
            lines.append("%s\t%s\t%s" % (chip, hexwords(words), text))

        def op(enc, name):
            r = [r for r in rows if r["encoding"] == enc and r["mnemonic"] == name]
            return int(r[0][COLUMN[chip]]) if r and r[0][COLUMN[chip]] else None

        for d, a in ((1, 2), (2, 1), (3, 5), (99, 0), (0, 99), (t1, 4), (4, t1), (t1 + 2, t1), (106, 7), (7, 126)):
            for name in ("s_mov_b64", "s_not_b64", "s_and_saveexec_b64"):
                add([0xbe800000 | d << 16 | op("SOP1", name) << 8 | a], "%s %s, %s" % (name, pair(d), pair(a)))
        for d, a, b in ((1, 2, 4), (2, 1, 4), (2, 4, 1), (9, 11, 13), (t1, t1, t1), (106, 3, 126), (3, 106, 5)):
            for name in ("s_and_b64", "s_xor_b64", "s_cselect_b64"):
                add([0x80000000 | op("SOP2", name) << 23 | d << 16 | b << 8 | a], "%s %s, %s, %s" % (name, pair(d), pair(a), pair(b)))
        for d, a in ((1, 2), (2, 3), (t1, t1 + 2)):
            add([0x80000000 | op("SOP2", "s_lshl_b64") << 23 | d << 16 | 5 << 8 | a], "s_lshl_b64 %s, %s, s5" % (pair(d), pair(a)))
            add([0x80000000 | op("SOP2", "s_bfm_b64") << 23 | d << 16 | 129 << 8 | 4], "s_bfm_b64 %s, s4, 1" % pair(d))
            add([0xbe800000 | d << 16 | op("SOP1", "s_swappc_b64") << 8 | a], "s_swappc_b64 %s, %s" % (pair(d), pair(a)))
        for a in (1, 33, 99, t1):
            add([0xbe800000 | op("SOP1", "s_setpc_b64") << 8 | a], "s_setpc_b64 %s" % pair(a))
            add([0xbe800000 | a << 16 | op("SOP1", "s_getpc_b64") << 8], "s_getpc_b64 %s" % pair(a))
            add([0xbe800000 | 2 << 16 | op("SOP1", "s_bcnt1_i32_b64") << 8 | a], "s_bcnt1_i32_b64 s2, %s" % pair(a))
            add([0xbf000000 | op("SOPC", "s_bitcmp1_b64") << 16 | 3 << 8 | a], "s_bitcmp1_b64 %s, s3" % pair(a))
            add([0x80000000 | op("SOP2", "s_cbranch_g_fork") << 23 | 2 << 8 | a], "s_cbranch_g_fork %s, s[2:3]" % pair(a))
            add([0xb0000010 | op("SOPK", "s_cbranch_i_fork") << 23 | a << 16], "s_cbranch_i_fork %s, 16" % pair(a))
            if op("SOPC", "s_cmp_eq_u64") is not None:
                add([0xbf000000 | op("SOPC", "s_cmp_eq_u64") << 16 | 4 << 8 | a], "s_cmp_eq_u64 %s, s[4:5]" % pair(a))
            if op("SOPK", "s_call_b64") is not None:
                add([0xb0000010 | op("SOPK", "s_call_b64") << 23 | a << 16], "s_call_b64 %s, 16" % pair(a))
            c = op("VOPC", "v_cmp_lt_f64")
            add([0x7c000000 | c << 17 | 2 << 9 | a], "v_cmp_lt_f64_e32 vcc, %s, v[2:3]" % pair(a))
            at = 16 if chip in DIS else 17
            add([0xd0000000 | c << at | a, 0x102 | 0x104 << 9], "v_cmp_lt_f64_e64 %s, v[2:3], v[4:5]" % pair(a))
            add([0xd0000000 | c << at | 8, a | 0x104 << 9], "v_cmp_lt_f64_e64 s[8:9], %s, v[4:5]" % pair(a))
            i = op("VOPC", "v_cmp_eq_u32")
            add([0xd0000000 | i << at | a, 0x102 | 0x104 << 9], "v_cmp_eq_u32_e64 %s, v2, v4" % pair(a))
    head = ["# Odd 64-bit register pairs, derived by hand: LLVM 14 has no text for them (its disassembler drops the low bit, its assembler refuses them).",
            "# chip<TAB>words<TAB>text"]
    (out_dir / "odd-pairs.txt").write_text("\n".join(head + lines) + "\n")
    return lines


def write_clrx_only(rows, out_dir):
    lines = []
    for chip in CHIPS:
        for name in ("s_mov_regrd_b32", "s_mov_fed_b32"):
            op = int([r for r in rows if r["mnemonic"] == name][0][COLUMN[chip]])
            for d, a, text in ((0, 1, "s0, s1"), (106, 255, "vcc_lo, 0x12345678"), (50, 129, "s50, 1"), (124, 242, "m0, 1.0"), (127, 101, "exec_hi, s101")):
                words = [0xbe800000 | d << 16 | op << 8 | a] + ([0x12345678] if a == 255 else [])
                lines.append("%s\t%s\t%s %s" % (chip, hexwords(words), name, text))
        op = int([r for r in rows if r["mnemonic"] == "s_getreg_regrd_b32"][0][COLUMN[chip]])
        for d, imm, text in ((0, 0xf801, "s0, hwreg(HW_REG_MODE)"), (106, 0x1a07, "vcc_lo, hwreg(HW_REG_IB_STS, 8, 4)"), (5, 0xf83f, "s5, hwreg(63)")):
            lines.append("%s\t%s\ts_getreg_regrd_b32 %s" % (chip, hexwords([0xb0000000 | op << 23 | d << 16 | imm]), text))
    head = ["# Scalar instructions that LLVM does not have; text derived by hand in LLVM's style.", "# chip<TAB>words<TAB>text"]
    (out_dir / "scalar-only-clrx.txt").write_text("\n".join(head + lines) + "\n")
    return lines


# Chips that differ from their generation: the folder whose words are taken, and which of them.
CHIP_FILES = {"gfx810": ("gfx803", ("mubuf", "mtbuf", "mimg"), "d16"), "gfx904": ("gfx900", ("vop3p",), "_mix")}


def write_chips(out_dir):
    """Writes words of a generation as a chip reads them that differs from it."""
    for chip, (generation, names, part) in CHIP_FILES.items():
        for name in names:
            lines = [l.split("\t") for l in (out_dir / generation / (name + ".txt")).read_text().split("\n") if "\t" in l and l[0] != "#"]
            cases = [[int(w, 16) for w in words.split()] for words, text in lines if part in text]
            texts = ["%s\t%s" % (hexwords(w), got[0][0]) for w, (got, bad) in zip(cases, decode_blocks(chip, cases)) if not bad]
            assert len(texts) == len(cases), (chip, name)
            head = ["# %s %s, made by corpus/tools/make_decode_golden.py with LLVM 14:" % (chip, name),
                    "#   llvm-mc -arch=amdgcn -mcpu=%s -disassemble" % chip, "# words (hex, little-endian dwords)<TAB>text"]
            path = out_dir / chip / (name + ".txt")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("\n".join(head + texts) + "\n")


def main():
    table, out_dir = Path(__file__).with_name("opcodes.csv"), Path(sys.argv[1])
    rows = list(csv.DictReader(table.open()))
    pool, short = {}, []
    counts = {}
    for chip in DIS + ASM:
        for name, (key, encodings) in FILES.items():
            here = [r for r in rows if r["encoding"] in encodings and r[COLUMN[chip]] != "" and r["source"] != "clrx"]
            if chip in ASM and key in ("SDWA", "DPP", "VINTRP_E64"):
                here = []
            if not here:
                continue
            n = cases_wanted(key, here)
            if chip in ASM:
                got = assembled(chip, key, here, n, pool)
                command = "llvm-mc -arch=amdgcn -mcpu=%s -show-encoding" % chip
            else:
                maker = CORE_MAKERS.get(key) or OTHER_MAKERS[key]
                keep = keep_core if key in CORE_MAKERS else keep_other
                got = disassembled(chip, key, here, maker, keep, n, pool if chip == "gfx803" else None)
                command = "llvm-mc -arch=amdgcn -mcpu=%s -disassemble" % chip
            lines = []
            for row in here:
                cases = got[row["mnemonic"]]
                lines += ["%s\t%s" % (hexwords(w), t) for w, t in cases]
                if len(cases) < (20 if key in CORE_MAKERS else 2):
                    short.append((chip, key, row["mnemonic"], len(cases)))
            path = out_dir / chip / (name + ".txt")
            path.parent.mkdir(parents=True, exist_ok=True)
            head = ["# %s %s, made by corpus/tools/make_decode_golden.py with LLVM 14:" % (chip, name), "#   " + command,
                    "# words (hex, little-endian dwords)<TAB>text"]
            path.write_text("\n".join(head + lines) + "\n")
            counts[chip, name] = (len(here), len(lines))
    write_chips(out_dir)
    for chip in DIS:
        lines, dropped = write_invalid(chip, rows, out_dir)
        reasons = [l.split("\t")[1] for l in lines]
        print("invalid:", chip, len(lines), {r: reasons.count(r) for r in sorted(set(reasons))}, "llvm-mc accepts", len(dropped), dropped[:400:25])
    print("odd pairs:", len(write_odd_pairs(rows, out_dir)), "not in LLVM:", len(write_clrx_only(rows, out_dir)))
    for s in short:
        print("short:", *s)
    for (chip, name), (ops, n) in counts.items():
        print("count:", chip, name, ops, n)


if __name__ == "__main__":
    main()
