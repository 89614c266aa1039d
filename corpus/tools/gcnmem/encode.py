"""Fields to words.  `op` has a row, an arch and the fields by name; absent ones take the defaults."""

from gcnmodel import before

from .rows import GENERATION, ds_fields

DEFAULTS = {
    "SMRD": dict(sbase=4, sdst=0, offset=0, imm=1, literal=None),
    "SMEM": dict(sbase=4, sdst=0, offset=0, imm=1, glc=0, soe=0, soffset=0, nv=0),
    "DS": dict(addr=0, data0=0, data1=0, vdst=0, offset=0, gds=0),
    "FLAT": dict(addr=0, data=0, vdst=0, offset=0, saddr=0, glc=0, slc=0, lds=0, tfe=0),
    "MUBUF": dict(vaddr=0, vdata=0, srsrc=4, soffset=128, offset=0, offen=0, idxen=0, glc=0, slc=0, addr64=0, lds=0,
                  tfe=0),
}
DEFAULTS["GLOBAL"] = DEFAULTS["SCRATCH"] = DEFAULTS["FLAT"] | dict(saddr=0x7F)
DEFAULTS["MTBUF"] = DEFAULTS["MUBUF"] | dict(dfmt=4, nfmt=7)
SEG = {"FLAT": 0, "SCRATCH": 1, "GLOBAL": 2}


class Op:
    """One instruction: a row, a generation and its fields."""

    def __init__(self, row, arch, **fields):
        unknown = set(fields) - set(DEFAULTS[row.encoding])
        if unknown:
            raise ValueError(f"{row.mnemonic}: no fields {unknown}")
        self.row, self.m, self.arch, self.gen = row, row.m, arch, GENERATION[arch]
        vars(self).update(DEFAULTS[row.encoding] | fields)
        if row.encoding == "DS":
            for name in {"addr", "data0", "data1", "vdst"} - ds_fields(row.m):
                setattr(self, name, 0)
        if row.m.kind == "store_lds":
            self.lds = 1

    def words(self):
        """The dwords of the instruction."""
        return ENCODERS[self.row.encoding](self, self.row.opcode[self.arch])


def smrd(op, code):
    word = 0b11000 << 27 | code << 22 | op.sdst << 15 | op.sbase // 2 << 9 | op.imm << 8 | op.offset
    return [word] if op.literal is None else [word, op.literal]


def smem(op, code):
    low = 0b110000 << 26 | code << 18 | op.imm << 17 | op.glc << 16 | op.nv << 15 | op.soe << 14 | op.sdst << 6 \
        | op.sbase // 2
    bits = 20 if before(op.arch, "gcn1.4") else 21
    return [low, op.offset & (1 << bits) - 1 | op.soffset << 25]


def ds(op, code):
    old = before(op.arch, "gcn1.2")
    low = 0b110110 << 26 | code << (18 if old else 17) | op.gds << (17 if old else 16) | op.offset
    return [low, op.vdst << 24 | op.data1 << 16 | op.data0 << 8 | op.addr]


def flat(op, code):
    low = 0b110111 << 26 | code << 18 | op.slc << 17 | op.glc << 16
    high = op.vdst << 24 | op.tfe << 23 | op.data << 8 | op.addr
    if op.gen >= 9:
        low |= SEG[op.row.encoding] << 14 | op.lds << 13 | op.offset & 0x1FFF
        high |= op.saddr << 16
    return [low, high]


def mubuf(op, code):
    low = 0b111000 << 26 | code << 18 | op.lds << 16 | op.addr64 << 15
    high = op.soffset << 24
    if op.gen >= 8:
        low |= op.slc << 17
    else:
        high |= op.slc << 22
    return [low | buffer_low(op), high | buffer_high(op)]


def mtbuf(op, code):
    low = 0b111010 << 26 | op.nfmt << 23 | op.dfmt << 19 | op.addr64 << 15 | code << (15 if op.gen >= 8 else 16)
    return [low | buffer_low(op), op.soffset << 24 | op.slc << 22 | buffer_high(op)]


def buffer_low(op):
    return op.glc << 14 | op.idxen << 13 | op.offen << 12 | op.offset


def buffer_high(op):
    return op.tfe << 23 | op.srsrc // 4 << 16 | op.vdata << 8 | op.vaddr


ENCODERS = {"SMRD": smrd, "SMEM": smem, "DS": ds, "FLAT": flat, "GLOBAL": flat, "SCRATCH": flat, "MUBUF": mubuf,
            "MTBUF": mtbuf}
