"""The vectors of interpolation, LDS_DIRECT and EXP."""

from gcnmodel import M0
from gcnmem.base import EXECS, FULL

from .base import GraphicsCase, half_value
from .encode import Op
from .execute import step

PRIMITIVES = [0, 1 << 16, 0x5 << 16, 0x7FFF << 16, 0x4001 << 16, 0x80000000, 0x0010 << 16]
PER_ROW = 30


class InterpCases:
    """The vectors of V_INTERP_*, as VINTRP and as VOP3."""

    def __init__(self, writer, row, group):
        self.writer, self.row, self.group, self.m = writer, row, group, row.m
        self.half = "f16" in row.mnemonic
        self.asked = sum(map(ord, row.mnemonic))

    def all(self):
        for turn in range(PER_ROW):
            self.one(turn)

    def one(self, turn):
        self.asked += 1
        execute = (EXECS + [FULL, 0xF, 0xFF0])[turn % 15] if turn != 17 else 0
        mode = (0x3C0, 0x3F0, 0x1C0)[turn % 3] | (0, 0, 5, 10)[turn % 4]
        c = GraphicsCase(self.writer, self.row, self.group, f"{turn}", execute, mode)
        attr, chan = turn % 5 if turn % 7 else 0, turn % 4
        mask = PRIMITIVES[turn % len(PRIMITIVES)]
        primitives = 1 + (mask >> 16 & 0x7FFF).bit_count()
        offset = (0, 64, 256, 12)[turn % 4]
        c.m0(mask | offset)
        c.lds(min(65536, (offset + 48 * primitives * 5 + 511) // 512 * 512))
        self.fill(c, offset, attr, primitives, turn)
        fields = dict(attr=attr, chan=chan, vdst=(9, 40, 255, 3)[turn % 4], vsrc=(2, 7, 200, 254)[turn % 4])
        if turn % 10 == 9 and self.m.op != "p1_f32":
            fields["vdst"] = fields["vsrc"]
        c.put(fields["vsrc"], lambda lane: self.float(c, turn, lane))
        if self.m.op == "mov_f32":
            fields["vsrc"] = turn % 3
        if self.m.op != "p1_f32" and self.m.op != "mov_f32":
            c.put(fields["vdst"], lambda lane: self.float(c, turn + 1, lane)) if fields["vdst"] != fields["vsrc"] else 0
        else:
            c.old(fields["vdst"], 1)
        if self.row.encoding == "VOP3":
            fields |= self.modifiers(c, turn)
        op = Op(self.row, c.arch, **fields)
        new = c.w.copy()
        step(new, op)
        more = {"fmt": "f32", "nan": "any"} if not self.half and self.m.op != "mov_f32" else {}
        self.writer.keep_graphics(self.row, self.group, c.label, op.words(), c.w, new, None, more)

    def modifiers(self, c, turn):
        out = {}
        if self.half:
            out["high"] = turn & 1
        if self.m.op in ("p1lv_f16", "p2_f16", "p2_legacy_f16"):
            out["src2"] = 256 + 30
            if self.m.op == "p1lv_f16":
                c.put(30, lambda lane: int.from_bytes(half_value(c.rnd) + half_value(c.rnd), "little"))
            else:
                c.put(30, lambda lane: self.float(c, 0, lane))
        if self.m.op == "p2_f16" and c.gen >= 9:
            out["op_sel"] = 8 * (turn >> 1 & 1)
        if self.m.op != "mov_f32" and turn % 6 == 5:
            out["neg"] = 2
        return out

    def fill(self, c, offset, attr, primitives, turn):
        """Attributes 0 to 4 of all primitives; other bytes of LDS are marked."""
        for at in range(0, len(c.w.lds), 4):
            if self.half:
                word = half_value(c.rnd) + half_value(c.rnd)
            else:
                word = self.float(c, turn, at).to_bytes(4, "little")
            c.w.lds[at:at + 4] = word

    def float(self, c, turn, lane):
        """The bits of a number; now and then one with long products, a denormal, an infinity or a NaN."""
        rnd = c.rnd
        if self.half:
            return rnd.getrandbits(1) << 31 | rnd.randrange(124, 129) << 23 | rnd.getrandbits(23)
        if turn % 5 == 4 and rnd.random() < 0.2:
            return rnd.choice([0, 0x80000000, 1, 0x807FFFFF, 0x7F800000, 0xFF800000, 0x7F7FFFFF, 0x00800000,
                               0x7FC00001])
        width = 23 if turn % 3 else 8
        return rnd.getrandbits(1) << 31 | rnd.randrange(120, 132) << 23 | rnd.getrandbits(width) << 23 - width


class DirectCases:
    """The vectors of V_MOV_B32 of LDS_DIRECT."""

    def __init__(self, writer, row, group):
        self.writer, self.row, self.group = writer, row, group

    def all(self):
        for turn in range(24):
            kind = (0, 1, 2, 4, 5)[turn % 5]
            c = GraphicsCase(self.writer, self.row, self.group, f"type{kind}-{turn}",
                             (EXECS + [FULL, 0])[turn % 14])
            c.lds(512)
            c.w.lds[:] = c.rnd.randbytes(512)
            size = {0: 1, 1: 2, 2: 4, 4: 1, 5: 2}[kind]
            c.m0(kind << 16 | c.rnd.randrange(512 // size) * size)
            c.old(7 + turn, 1)
            c.run(vdst=7 + turn)


class ExportCases:
    """The vectors of EXP."""

    def __init__(self, writer, row, group):
        self.writer, self.row, self.group = writer, row, group

    def all(self):
        targets = list(range(10)) + list(range(12, 16)) + [32, 33, 40, 63]
        for turn, target in enumerate(targets):
            pixel = target < 10
            self.one(turn, target, en=(15, 3, 7, 1)[turn % 4], compr=0, done=int(turn % 3 == 0),
                     vm=int(pixel and turn & 1))
        for turn, (en, compr, target) in enumerate(((15, 1, 0), (3, 1, 1), (12, 1, 2), (0, 0, 9), (0, 1, 9), (8, 0, 8),
                                                    (15, 1, 8), (5, 0, 34), (10, 0, 12), (15, 1, 7))):
            self.one(20 + turn, target, en, compr, done=turn & 1, vm=int(target < 10))
        self.one(31, 0, 15, 0, 1, 1, execute=0)
        self.one(32, 9, 0, 0, 1, 1, execute=0)
        self.one(33, 12, 15, 0, 1, 0, execute=FULL)
        self.one(34, 0, 15, 1, 1, 1, execute=FULL)
        self.one(35, 3, 15, 0, 0, 0, same=True)

    def one(self, turn, target, en, compr, done, vm, execute=None, same=False):
        c = GraphicsCase(self.writer, self.row, self.group, f"target{target}-en{en}" + "-compr" * compr, execute)
        sources = [(3, 3, 3, 3) if same else (4, 5, 6, 7), (10, 2, 255, 0), (100, 101, 50, 51)][0 if same else turn % 3]
        used = sources[:2] if compr else sources
        for k, n in enumerate(used):
            c.put(n, lambda lane, k=k: c.rnd.getrandbits(32), idle=0xBAD00000 + k)
        c.w.st.sgpr[M0] = turn
        c.run(target=target, en=en, compr=compr, done=done, vm=vm, vsrc0=sources[0], vsrc1=sources[1],
              vsrc2=sources[2], vsrc3=sources[3])
