"""Vectors of formatted buffer instructions: MTBUF, and MUBUF with a format in the descriptor."""

from . import formats
from .base import f32, pattern, values_fill
from .buffer_cases import SELECT, BufferCases

EIGHT, SIXTEEN, PACKED, TWO, WIDE = (1, 3, 10), (2, 5, 12), (6, 7), (8, 9), (4, 11, 13, 14)
FLOATS = [f32(x) for x in (0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 0.25, 2.0, -2.0, 1.5 / 255, 2.5 / 255, 0.4999, 100.5,
                           101.5, 65504.0, 65520.0, 131072.0, -65519.9, 1e-8, 6e-5, 3.0517578125e-05, 254.5, 255.5,
                           1e30, -1e30, 1 / 3, -127.5 / 127, 0.1)]
FLOATS += [0x7F800000, 0xFF800000, 0x7FC00000, 0x7FFFFFFF, 0x3F7FFFFF, 1, 0x7F800001, 0xFFA12345]
HALVES = [0, 0x8000, 0x3C00, 0xBC00, 0x3800, 0x3555, 0x7BFF, 0xFBFF, 0x7C00, 0xFC00, 0x7E00, 0x0001, 0x03FF, 0x5BF8,
          0x57F8, 0x2E66]
INTEGERS = [0, 1, 127, 128, 255, 256, 511, 512, 1023, 1024, 2047, 2048, 32767, 32768, 65535, 65536, 0x7FFFFFFF,
            0x80000000, 0xFFFFFFFF, 0xFFFFFF80, 0xFFFFFF7F, 0xFFFF8000, 0xFFFF7FFF, 0xFFFFFE00, 3, 2, 0xFFFFFFFE]
MEMORY = [0x00000000, 0xFFFFFFFF, 0x80808080, 0x7F7F7F7F, 0x81008001, 0x44332211, 0x786003C0, 0x80008000, 0x7FFF7FFF,
          0xC0000000, 0x40000000, 0x80000001, 0x3C00BC00, 0x7C00FC01, 0x03FF0001, 0x3F800000, 0xE007C1FF, 0x12345678,
          0x7BFF8001, 0x7F800001, 0xFFA00000, 0x33000001, 0x477FF000, 0xFFC003FF, 0x801FF200, 0x00FF01FE]
SELECTS = [(6, 5, 4, 1), (4, 0, 0, 1), (4, 4, 4, 4), (5, 4, 7, 6), (1, 1, 0, 4), (0, 1, 5, 7), (7, 6, 5, 4),
           (4, 5, 0, 1)]


def combinations(gen, loads):
    """Pairs of data and number formats that are defined (and a few that are not)."""
    out = []
    for dfmt in sorted(formats.LAYOUT):
        if dfmt in WIDE:
            numbers = [formats.UINT, formats.SINT, formats.FLOAT]
        else:
            numbers = list(range(6)) + ([formats.OGL] if gen < 8 and dfmt not in TWO and loads else [])
            if dfmt in SIXTEEN or dfmt in PACKED:
                numbers.append(formats.FLOAT)
        out += [(dfmt, nfmt) for nfmt in numbers]
    return out


class FormatCases(BufferCases):
    """All vectors of a formatted row."""

    def __init__(self, writer, row, group):
        super().__init__(writer, row, group)
        self.mtbuf = row.encoding == "MTBUF"
        self.format, self.unit = (10, formats.UNORM), 4
        self.dwords = (self.m.comps + 1) // 2 if self.m.d16 and self.gen >= 9 else self.m.comps

    def all(self):
        self.formats()
        self.format = (4, formats.UINT)
        if self.m.comps > 1:
            self.format = (11, formats.FLOAT) if self.m.comps < 4 else (14, formats.UINT)
        if self.m.d16:
            self.format = (5, formats.UINT) if self.m.comps < 3 else (12, formats.SINT)
        self.unit = formats.alignment(self.format[0], self.gen)
        self.share_of = 2
        self.addresses()
        self.descriptors()
        self.ranges()
        self.exceptions()
        self.share_of = 1
        self.extras()

    def formats(self):
        """Vectors with every combination of formats for the widest rows, with a share of them for the others."""
        pairs = combinations(self.gen, self.m.kind == "load")
        widest = self.m.comps == 4 and not self.m.d16
        chosen = pairs if widest else pairs[self.asked % 3::3]
        for dfmt, nfmt in chosen:
            self.format = (dfmt, nfmt)
            self.one(f"format{dfmt}-{nfmt}", idxen=1, stride=16, execute=0x7F00F0 if widest else 0x8001F,
                     vindex=lambda i: i, offset=0)

    def extras(self):
        m, step = self.m, 16
        if not self.mtbuf:
            for i, select in enumerate(SELECTS):
                self.format = [(10, formats.UNORM), (12, formats.SINT), (5, formats.FLOAT), (9, formats.UINT)][i % 4]
                name, bits = "".join(map(str, select)), sum(s << 3 * k for k, s in enumerate(select))
                more = dict(idxen=1, stride=step, execute=0x1F0, vindex=lambda j: j, select=bits)
                self.one("select" + name, **more)
                if select[3] == 1:
                    self.one("select-range-" + name, records=0, **more)
            self.one("select-reserved", idxen=1, stride=step, execute=0x1F, select=2 | 3 << 3 | 4 << 6 | 5 << 9)
        self.format = (10, formats.SNORM)
        if m.kind == "load":
            self.one("tfe", idxen=1, stride=step, fields=dict(tfe=1))
            self.one("tfe-v255", idxen=1, stride=step, fields=dict(tfe=1), registers=(3, 256 - self.dwords, 4))
            if m.comps == 1 and not m.d16 and not self.mtbuf:
                self.to_lds()
        self.one("range-all-or-nothing", offen=1, records=3, voffset=lambda i: 4 * (i % 2), execute=0x3)
        if self.mtbuf:
            for dfmt in (0, 15):
                self.format = (dfmt, formats.UNORM)
                self.one(f"format{dfmt}", offen=1, voffset=lambda i: 16 * i)
        self.format = (10, formats.FLOAT)
        self.one("format10-7", offen=1, voffset=lambda i: 16 * i)
        if self.gen >= 8:
            self.format = (5, formats.OGL)
            self.one("format5-6", offen=1, voffset=lambda i: 16 * i)
        for self.format in ((12, formats.UINT), (14, formats.FLOAT), (13, formats.UINT), (10, formats.UNORM)):
            self.ends(formats.element_size(self.format[0]))
        self.wraps(formats.element_size(self.format[0]))

    # --- one vector

    def one(self, label, fields=None, dfmt=None, nfmt=None, select=SELECT, **more):
        """The format goes into the instruction, or into the descriptor."""
        fields = dict(fields or {})
        if self.mtbuf:
            fields |= dict(dfmt=self.format[0], nfmt=self.format[1])
            super().one(label, fields=fields, select=select, dfmt=10 if dfmt is None else dfmt, **more)
        else:
            super().one(label, fields=fields, select=select, dfmt=self.format[0] if dfmt is None else dfmt,
                        nfmt=self.format[1], **more)

    def element_step(self):
        return max(formats.element_size(self.format[0]), 4)

    def contents(self, c, vdata, label):
        """Memory with numbers at the edges; registers that suit the number format."""
        if self.m.kind == "load":
            c.old(vdata, self.dwords + 1)
            return values_fill(MEMORY[c.turn % 5:] + MEMORY[:c.turn % 5], 4) if c.turn % 3 else pattern
        integer = self.format[1] in (formats.UINT, formats.SINT)
        pool = INTEGERS if integer else HALVES if self.m.d16 else FLOATS
        if self.m.d16:
            pool = [pool[(5 * k + c.turn) % len(pool)] & 0xFFFF | (pool[(3 * k + 1) % len(pool)] & 0xFFFF) << 16
                    for k in range(len(pool))]
        for k in range(self.dwords):
            c.data(vdata + k, 1, pool[5 * k:] + pool[:5 * k])
        return pattern
