"""Fields to words.  Source codes have 9 bits: VGPR n is 256 + n."""

from gcnmodel import before

SDWA, DPP = 249, 250


def opcode_vop3(row, arch):
    base = {"VOP3": 0, "VOP2": 256, "VOP1": 384 if before(arch, "gcn1.2") else 320}[row.encoding]
    return row.opcode[arch] + base


def short(arch, row, vdst, src0, vsrc1=0, literal=None):
    """The words of VOP1 and VOP2.  `vsrc1` is a register number (for lane numbers an operand code)."""
    op = row.opcode[arch]
    if row.encoding == "VOP1":
        word = 0x3F << 25 | vdst << 17 | op << 9 | src0
    else:
        word = op << 25 | vdst << 17 | vsrc1 << 9 | src0
    return [word] if literal is None else [word, literal]


def vop3(arch, row, vdst, src, abs_=0, neg=0, omod=0, clamp=0, op_sel=0, sdst=None):
    src = list(src) + [0, 0, 0]
    word = 0x34 << 26 | vdst
    if before(arch, "gcn1.2"):
        word |= opcode_vop3(row, arch) << 17 | clamp << 11
    else:
        word |= opcode_vop3(row, arch) << 16 | clamp << 15 | op_sel << 11
    word |= abs_ << 8 if sdst is None else sdst << 8
    return [word, neg << 29 | omod << 27 | src[2] << 18 | src[1] << 9 | src[0]]


def vop3p(arch, row, vdst, src, op_sel=0, op_sel_hi=7, neg_lo=0, neg_hi=0, clamp=0):
    used = (1 << len(src)) - 1
    op_sel_hi |= 7 & ~used                      # of a missing third source, as LLVM does
    op_sel, neg_lo, neg_hi = op_sel & used, neg_lo & used, neg_hi & used
    src = list(src) + [0] * (3 - len(src))
    word = 0x1A7 << 23 | row.opcode[arch] << 16 | clamp << 15 | (op_sel_hi >> 2) << 14 | op_sel << 11 \
        | neg_hi << 8 | vdst
    return [word, neg_lo << 29 | (op_sel_hi & 3) << 27 | src[2] << 18 | src[1] << 9 | src[0]]


def modifiers(abs_, neg, n):
    return (neg >> n & 1) | (abs_ >> n & 1) << 1


def sdwa(arch, word, src0, src1=None, dst_sel=6, dst_unused=0, sel0=6, sel1=6, sext=0, abs_=0, neg=0,
         omod=0, clamp=0, sdst=None):
    """`word`: the first dword with SRC0 = 249 and VSRC1 in place.  src1: None if there is none."""
    high = src0 & 0xFF | sel0 << 16 | (sext & 1) << 19 | modifiers(abs_, neg, 0) << 20 | (src0 < 256) << 23
    if src1 is not None:
        high |= sel1 << 24 | (sext >> 1) << 27 | modifiers(abs_, neg, 1) << 28 | (src1 < 256) << 31
    if sdst is None:
        high |= dst_sel << 8 | dst_unused << 11 | clamp << 13 | omod << 14
    else:
        high |= sdst << 8 | 1 << 15
    return [word, high]


def dpp(word, src0, ctrl, row_mask=15, bank_mask=15, bound_ctrl=0, abs_=0, neg=0):
    return [word, src0 & 0xFF | ctrl << 8 | bound_ctrl << 19 | modifiers(abs_, neg, 0) << 20
            | modifiers(abs_, neg, 1) << 22 | bank_mask << 24 | row_mask << 28]


def vopc_word(arch, row, src0, vsrc1):
    return 0x3E << 25 | row.opcode[arch] << 17 | vsrc1 << 9 | src0

