"""Encoders for the core instructions, and a very small assembler with labels.

Everything returns a list of dwords.  Operands are operand codes (0..255, VGPR n is
256 + n in a 9-bit source field).  Field layouts: docs/gcn/encodings.md.
"""

from gcnmodel import BY_NAME, LITERAL, before


def opcode(arch, name):
    return BY_NAME[name].opcode[arch]


def with_literal(word, sources, literal):
    if LITERAL in sources:
        return [word, literal]
    return [word]


def sop1(arch, name, sdst=0, ssrc0=0, literal=0):
    word = 0x17D << 23 | sdst << 16 | opcode(arch, name) << 8 | ssrc0
    return with_literal(word, [ssrc0] if BY_NAME[name].src0 else [], literal)


def sop2(arch, name, sdst, ssrc0, ssrc1, literal=0):
    word = 2 << 30 | opcode(arch, name) << 23 | sdst << 16 | ssrc1 << 8 | ssrc0
    return with_literal(word, [ssrc0, ssrc1], literal)


def sopc(arch, name, ssrc0, ssrc1, literal=0):
    word = 0x17E << 23 | opcode(arch, name) << 16 | ssrc1 << 8 | ssrc0
    used = [ssrc0] if name == "s_set_gpr_idx_on" else [ssrc0, ssrc1]
    return with_literal(word, used, literal)


def sopk(arch, name, sdst, simm16, literal=None):
    word = 0xB << 28 | opcode(arch, name) << 23 | sdst << 16 | simm16 & 0xFFFF
    return [word] if literal is None else [word, literal]


def sopp(arch, name, simm16=0):
    return [0x17F << 23 | opcode(arch, name) << 16 | simm16 & 0xFFFF]


def vopc(arch, name, src0, vsrc1, literal=0):
    word = 0x3E << 25 | opcode(arch, name) << 17 | vsrc1 << 9 | src0
    return with_literal(word, [src0], literal)


def vop3(arch, name, sdst, src0, src1, abs_=0, neg=0, clamp=0, op_sel=0):
    word = 0x34 << 26 | abs_ << 8 | sdst
    if before(arch, "gcn1.2"):
        word |= opcode(arch, name) << 17 | clamp << 11
    else:
        word |= opcode(arch, name) << 16 | clamp << 15 | op_sel << 11
    return [word, neg << 29 | src1 << 9 | src0]


def hwreg(number, offset=0, size=32):
    return number | offset << 6 | size - 1 << 11


class Program:
    """Collects words; branches name labels that are resolved at the end."""

    def __init__(self, arch):
        self.arch, self.words, self.labels, self.fixups = arch, [], {}, []

    def label(self, name):
        self.labels[name] = len(self.words)
        return self

    def emit(self, encode, name, *fields, **more):
        self.words += encode(self.arch, name, *fields, **more)
        return self

    def sop1(self, *a, **k):
        return self.emit(sop1, *a, **k)

    def sop2(self, *a, **k):
        return self.emit(sop2, *a, **k)

    def sopc(self, *a, **k):
        return self.emit(sopc, *a, **k)

    def sopk(self, *a, **k):
        return self.emit(sopk, *a, **k)

    def sopp(self, *a, **k):
        return self.emit(sopp, *a, **k)

    def vopc(self, *a, **k):
        return self.emit(vopc, *a, **k)

    def vop3(self, *a, **k):
        return self.emit(vop3, *a, **k)

    def branch(self, name, target, sdst=None):
        """A SOPP branch, or a SOPK one (fork, call) when sdst is given."""
        self.fixups.append((len(self.words), target))
        if sdst is None:
            return self.emit(sopp, name)
        return self.emit(sopk, name, sdst, 0)

    def offset(self, name):
        """Byte offset of a label that has been placed."""
        return 4 * self.labels[name]

    def done(self):
        for index, target in self.fixups:
            self.words[index] |= (self.labels[target] - index - 1) & 0xFFFF
        self.fixups = []
        return self.words
