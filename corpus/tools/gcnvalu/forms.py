"""Fields of the vector ALU words, decoded: an `Op` says all that the words say."""

from gcnmodel import LITERAL, VCC, Illegal, Unsupported, before

from .rows import BY_OPCODE, GENERATION, executed, has_dpp, has_sdwa, has_vop3, meaning

SDWA, DPP = 249, 250


class Op:
    """One decoded instruction.  `src`: 9-bit operand codes, VGPR n is 256 + n."""

    def __init__(self, arch, row, form):
        self.arch, self.gen, self.row, self.form = arch, GENERATION[arch], row, form
        self.m = meaning(row.mnemonic, self.gen)
        self.vdst, self.src, self.literal, self.length = 0, [], None, 4
        self.abs = self.neg = self.omod = self.clamp = self.op_sel = 0
        self.sdst = self.mask = VCC             # lane masks besides VDST: written, read
        self.sdwa = self.dpp = self.packed = None


class Sdwa:
    def __init__(self, word):
        self.dst_sel, self.dst_unused = word >> 8 & 7, word >> 11 & 3
        self.sel = [word >> 16 & 7, word >> 24 & 7]
        self.sext = [word >> 19 & 1, word >> 27 & 1]
        if self.dst_unused == 3 or 7 in self.sel + [self.dst_sel]:
            raise Illegal("illegal-operand", "SDWA field")


class Dpp:
    def __init__(self, word):
        self.ctrl, self.bound_ctrl = word >> 8 & 0x1FF, word >> 19 & 1
        self.bank_mask, self.row_mask = word >> 24 & 15, word >> 28
        self.source(0)

    def source(self, lane):
        """The lane that lane `lane` reads, or None where there is none."""
        ctrl, k, row = self.ctrl, lane & 15, lane & ~15
        n = ctrl & 15
        if ctrl < 0x100:
            return lane & ~3 | ctrl >> 2 * (lane & 3) & 3
        if 0x101 <= ctrl <= 0x10F:
            return lane + n if k + n <= 15 else None
        if 0x111 <= ctrl <= 0x11F:
            return lane - n if k >= n else None
        if 0x121 <= ctrl <= 0x12F:
            return row | k - n & 15
        if ctrl == 0x130:
            return lane + 1 if lane < 63 else None
        if ctrl == 0x134:
            return lane + 1 & 63
        if ctrl == 0x138:
            return lane - 1 if lane else None
        if ctrl == 0x13C:
            return lane - 1 & 63
        if ctrl == 0x140:
            return lane ^ 15
        if ctrl == 0x141:
            return lane ^ 7
        if ctrl == 0x142:
            return row - 1 if row else None
        if ctrl == 0x143:
            return 31 if lane >= 32 else None
        raise Illegal("illegal-operand", "DPP_CTRL")

    def enabled(self, lane):
        return self.row_mask >> (lane >> 4) & 1 and self.bank_mask >> (lane >> 2 & 3) & 1


def row_of(encoding, arch, opcode):
    row = BY_OPCODE.get((encoding, arch, opcode))
    if row is None:
        raise Illegal("illegal-instruction", f"{encoding} opcode {opcode}")
    if not executed(row):
        raise Unsupported(row.mnemonic)
    return row


def decode(arch, word, second):
    """VOP1, VOP2, VOP3 (compares apart), VOP3P.  `second`: gives the second dword."""
    if word >> 23 == 0x1A7 and not before(arch, "gcn1.4"):
        return vop3p(arch, word, second())
    if word >> 26 == 0x34:
        return vop3(arch, word, second())
    if word >> 25 == 0x3F:
        return short(Op(arch, row_of("VOP1", arch, word >> 9 & 0xFF), "e32"), word, second, [])
    op = Op(arch, row_of("VOP2", arch, word >> 25 & 0x3F), "e32")
    vsrc1 = word >> 9 & 0xFF
    lane_number = op.m.special in ("readlane", "writelane")
    return short(op, word, second, [vsrc1 if lane_number else vsrc1 + 256])


def short(op, word, second, more):
    """VOP1 and VOP2, and the literal, SDWA or DPP dword that their SRC0 announces."""
    src0, op.vdst = word & 0x1FF, word >> 17 & 0xFF
    if not op.m.src:
        return op
    if src0 in (SDWA, DPP) and op.gen >= 8:
        op.length = 8
        return (sdwa if src0 == SDWA else dpp)(op, second(), more)
    op.src = [src0] + more
    if LITERAL in op.src or op.m.constant is not None:
        op.literal, op.length = second(), 8
    if op.m.constant is not None:
        op.src.insert(op.m.constant, LITERAL)
    return op


def sdwa(op, word, more):
    if not has_sdwa(op.row, op.m, op.gen):
        raise Illegal("illegal-operand", "no SDWA form")
    op.form, op.sdwa = "sdwa", Sdwa(word)
    sdwa_sources(op, word, more)
    op.clamp = word >> 13 & 1
    op.omod = word >> 14 & 3 if op.gen >= 9 else 0
    return op


def sdwa_sources(op, word, more):
    scalar0 = op.gen >= 9 and word >> 23 & 1
    scalar1 = op.gen >= 9 and word >> 31
    op.src = [(word & 0xFF) + (0 if scalar0 else 256)]
    op.src += [code - 256 if scalar1 else code for code in more]
    if LITERAL in op.src:
        raise Illegal("illegal-operand", "literal in SDWA")
    op.neg = word >> 20 & 1 | (word >> 28 & 1) << 1
    op.abs = word >> 21 & 1 | (word >> 29 & 1) << 1


def dpp(op, word, more):
    if not has_dpp(op.row, op.m, op.gen):
        raise Illegal("illegal-operand", "no DPP form")
    op.form, op.dpp = "dpp", Dpp(word)
    dpp_sources(op, word, more)
    return op


def dpp_sources(op, word, more):
    op.src = [(word & 0xFF) + 256] + more
    op.neg = word >> 20 & 1 | (word >> 22 & 1) << 1
    op.abs = word >> 21 & 1 | (word >> 23 & 1) << 1


def vop3(arch, word, high):
    old = before(arch, "gcn1.2")
    opcode = word >> 17 & 0x1FF if old else word >> 16 & 0x3FF
    vop1 = 384 if old else 320
    if 256 <= opcode < 320:
        row = row_of("VOP2", arch, opcode - 256)
    elif vop1 <= opcode < (512 if old else 448):
        row = row_of("VOP1", arch, opcode - vop1)
    elif 624 <= opcode < 628 and not old:
        raise Unsupported("interpolation")
    else:
        row = row_of("VOP3", arch, opcode)
    op = Op(arch, row, "e64")
    m = op.m
    if row.encoding != "VOP3" and not has_vop3(row, m):
        raise Illegal("illegal-instruction", f"{row.mnemonic} has no VOP3 form")
    op.length, op.vdst = 8, word & 0xFF
    codes = [high & 0x1FF, high >> 9 & 0x1FF, high >> 18 & 0x1FF]
    op.src = codes[:len(m.src)]
    if LITERAL in op.src:
        raise Illegal("illegal-operand", "literal in VOP3")
    if m.cin:
        op.mask = codes[2]
    if m.cout:
        op.sdst = word >> 8 & 0x7F
    else:
        op.abs = word >> 8 & 7
    if old:
        op.clamp = 0 if m.cout else word >> 11 & 1
    else:
        op.clamp = word >> 15 & 1
        op.op_sel = word >> 11 & 15 if op.gen >= 9 and not m.cout else 0
    op.omod, op.neg = high >> 27 & 3, high >> 29
    check_modifiers(op)
    return op


def check_modifiers(op):
    m = op.m
    has_omod = (m.omod or m.ignored == "omod") and not (m.op_sel and op.gen >= 9)
    if op.omod and not has_omod or op.clamp and not m.clamp:
        raise Illegal("illegal-operand", "modifier that the instruction does not have")
    for bits, allowed in ((op.neg, any(m.neg)), (op.abs, any(m.abs))):
        if bits and not allowed:
            raise Illegal("illegal-operand", "modifier that the instruction does not have")


class PackedFields:
    def __init__(self, word, high):
        self.op_sel = word >> 11 & 7
        self.op_sel_hi = high >> 27 & 3 | (word >> 14 & 1) << 2
        self.neg_lo, self.neg_hi = high >> 29, word >> 8 & 7


def vop3p(arch, word, high):
    op = Op(arch, row_of("VOP3P", arch, word >> 16 & 0x7F), "vop3p")
    op.length, op.vdst, op.clamp = 8, word & 0xFF, word >> 15 & 1
    op.src = [high & 0x1FF, high >> 9 & 0x1FF, high >> 18 & 0x1FF][:len(op.m.src)]
    if LITERAL in op.src:
        raise Illegal("illegal-operand", "literal in VOP3P")
    op.packed = PackedFields(word, high)
    return op


def compare(arch, row, word, high):
    """A compare in SDWA or DPP form, decoded; what it compares is known to gcnmodel."""
    op = Op(arch, row, "sdwa" if word & 0x1FF == SDWA else "dpp")
    op.length = 8
    more = [(word >> 9 & 0xFF) + 256]
    if op.form == "sdwa":
        # the fields of the destination mean something else here
        op.sdwa = Sdwa(high & 0xFFFF0000)
        sdwa_sources(op, high, more)
        if op.gen >= 9 and high >> 15 & 1:
            op.sdst = high >> 8 & 0x7F
        op.clamp = op.gen == 8 and high >> 13 & 1
    else:
        op.dpp = Dpp(high)
        dpp_sources(op, high, more)
    return op
