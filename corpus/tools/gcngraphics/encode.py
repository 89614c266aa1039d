"""Fields to words.  An `Op` has a row, an arch and the fields by name; absent ones take the defaults."""

from gcnmem.rows import GENERATION

DEFAULTS = {
    "MIMG": dict(dmask=15, unorm=0, glc=0, da=0, r128=0, a16=0, tfe=0, lwe=0, slc=0, d16=0, vaddr=0, vdata=0, srsrc=8,
                 ssamp=16),
    "VINTRP": dict(vsrc=0, chan=0, attr=0, vdst=0),
    "VOP3": dict(vsrc=0, chan=0, attr=0, vdst=0, high=0, src2=128, neg=0, abs=0, omod=0, clamp=0, op_sel=0),
    "EXP": dict(en=15, target=0, compr=0, done=0, vm=0, vsrc0=0, vsrc1=0, vsrc2=0, vsrc3=0),
    "VOP1": dict(vdst=0, src0=254),
}


class Op:
    """One instruction: a row, a generation and its fields."""

    def __init__(self, row, arch, **fields):
        unknown = set(fields) - set(DEFAULTS[row.encoding])
        if unknown:
            raise ValueError(f"{row.mnemonic}: no fields {unknown}")
        self.row, self.m, self.arch, self.gen = row, row.m, arch, GENERATION[arch]
        vars(self).update(DEFAULTS[row.encoding] | fields)
        if row.encoding == "MIMG" and row.m.kind not in ("sample", "gather", "lod"):
            self.ssamp = 0

    def words(self):
        """The dwords of the instruction."""
        return ENCODERS[self.row.encoding](self, self.row.opcode[self.arch])


def mimg(op, code):
    low = 0b111100 << 26 | op.slc << 25 | (code & 127) << 18 | op.lwe << 17 | op.tfe << 16 | op.da << 14 \
        | op.glc << 13 | op.unorm << 12 | op.dmask << 8 | (op.a16 if op.gen >= 9 else op.r128) << 15
    return [low, op.d16 << 31 | op.ssamp // 4 << 21 | op.srsrc // 4 << 16 | op.vdata << 8 | op.vaddr]


def vintrp(op, code):
    top = 0b110010 if op.gen < 8 else 0b110101
    return [top << 26 | op.vdst << 18 | code << 16 | op.attr << 10 | op.chan << 8 | op.vsrc]


def vop3(op, code):
    low = 0b110100 << 26 | code << 16 | op.clamp << 15 | op.op_sel << 11 | op.abs << 8 | op.vdst
    # V_INTERP_MOV has a selector where the others have a register
    src1 = op.vsrc if op.m.op == "mov_f32" else 256 + op.vsrc
    high = op.neg << 29 | op.omod << 27 | op.src2 << 18 | src1 << 9 | op.high << 8 | op.chan << 6 | op.attr
    return [low, high]


def exp(op, _code):
    top = 0b111110 if op.gen < 8 else 0b110001
    low = top << 26 | op.vm << 12 | op.done << 11 | op.compr << 10 | op.target << 4 | op.en
    return [low, op.vsrc3 << 24 | op.vsrc2 << 16 | op.vsrc1 << 8 | op.vsrc0]


def vop1(op, code):
    return [0b0111111 << 25 | op.vdst << 17 | code << 9 | op.src0]


ENCODERS = {"MIMG": mimg, "VINTRP": vintrp, "VOP3": vop3, "EXP": exp, "VOP1": vop1}
