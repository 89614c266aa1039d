"""The vectors of loads, stores, atomics and IMAGE_GET_RESINFO."""

from gcnmem.base import EDGES32, FLOATS32, IDLE, M32

from .base import PLACES, T_SHARP, GraphicsCase
from .descriptors import CUBE, D1, D1_ARRAY, D2, D2_ARRAY, D3, MSAA, MSAA_ARRAY, UNDER_DA, texture
from .formats import FLOAT, SINT, SNORM, UINT, UNORM
from .image_cases import MIPS, ODD_MIPS, SHAPES, all_formats, name, stored_formats

REGISTERS = [(0, 8), (5, 20), (100, 3), (16, 250), (30, 40), (77, 88), (1, 5), (12, 200)]
PER_ROW = 24
# Mode 14 of BC6: end points of 16 bits, given once, and differences of four bits.  Red goes from -32768, which is
# -infinity, to -32767, which is -65504; green from 32767 to 32766, blue from 1 to 1.  All indices occur.
BC6_INFINITY = (0b01111 | 0x3FF << 15 | 1 << 25 | 1 << 35 | 1 << 39 | 15 << 45 | 0b111110 << 49
                | 0x7B3D591E6A2C480F << 65 & (1 << 128) - 1)


class AccessCases:
    """All vectors of one row."""

    def __init__(self, writer, row, group):
        self.writer, self.row, self.group, self.m = writer, row, group, row.m
        self.gen = GraphicsCase(writer, row, group, "").gen
        self.asked = sum(map(ord, row.mnemonic))

    def made(self):
        return self.writer.count.get(self.row.mnemonic, 0)

    def all(self):
        self.shapes()
        self.flags()
        self.edges()
        if self.m.kind == "resinfo":
            self.sizes()
        if not self.m.pck and not self.m.mip and self.m.kind in ("load", "store"):
            formats_ = all_formats if self.m.kind == "load" else stored_formats
            for dfmt, nfmt in formats_(self.gen):
                self.one(name(dfmt, nfmt), dfmt=dfmt, nfmt=nfmt, execute=0x80000006B)
        if self.row.mnemonic == "image_load" and self.writer.arch in ("gcn1.0", "gcn1.4"):
            self.one("bc6-infinity", dfmt=40, nfmt=SNORM, block=BC6_INFINITY, execute=0xFFFFFFFF)
        for i in range(40):
            if self.made() >= PER_ROW:
                break
            shape = list(SHAPES)[i % 8]
            self.one(f"more{i}", SHAPES[shape])

    # --- groups of vectors

    def shapes(self):
        for label, shape in SHAPES.items():
            self.one(label, shape)
        if self.m.mip or self.m.kind == "resinfo":
            self.one("mips", MIPS)
            self.one("mips-base", MIPS | dict(base_level=1))
            self.one("mips-odd", ODD_MIPS)
            self.one("mips-past-the-last", MIPS, far=True)
            self.one("mips-3d", SHAPES["3d"] | dict(width=8, height=8, depth=4, last_level=2))
            self.one("mips-array", SHAPES["2d-array"] | dict(width=8, height=6, last_level=2))
            if self.gen < 9:
                self.one("mips-pow2", MIPS | dict(width=6, height=5, last_level=2, pow2=1))
                self.padded()
        else:
            self.one("base-level", MIPS | dict(base_level=2))
        self.one("base-array", SHAPES["2d-array"] | dict(base_array=1, last_array=2))

        self.contradictions()

    def padded(self):
        """Images of several levels as drivers make them before gfx9: 12 rows lie as 16, 3 layers as 4, 5 as 8."""
        self.one("pow2-rows", MIPS | dict(width=20, height=12, last_level=2, pow2=1, pitch=32))
        self.one("pow2-odd", MIPS | dict(width=33, height=9, last_level=3, pow2=1, pitch=64))
        self.one("pow2-layers", SHAPES["2d-array"] | dict(width=12, height=6, layers=3, last_level=2, pow2=1, pitch=16))
        self.one("pow2-layers5", SHAPES["2d-array"] | dict(width=8, height=4, layers=5, last_level=2, pow2=1, pitch=16))
        self.one("pow2-3d", SHAPES["3d"] | dict(width=8, height=6, depth=5, last_level=2, pow2=1, pitch=16))
        self.one("pow2-cube", SHAPES["cube"] | dict(last_level=1, pow2=1, pitch=16))
        self.one("pow2-base", MIPS | dict(width=20, height=12, base_level=1, last_level=2, pow2=1, pitch=32))

    def contradictions(self):
        """DA is not what the type of the image says: it decides whether there is a coordinate for the layer."""
        for label in ("1d-array", "2d-array", "cube", "msaa-array"):
            layers = SHAPES[label].get("layers")
            self.one(f"{label}-without-da", SHAPES[label] | dict(base_array=layers - 1, last_array=layers - 1), da=0)
        self.one("2d-array-layers-without-da", SHAPES["2d-array"] | dict(base_array=1, last_array=3), da=0)
        for label in ("1d", "2d", "msaa"):
            self.one(f"{label}-with-da", SHAPES[label], da=1)
        if self.m.mip:
            self.one("mips-array-without-da", SHAPES["2d-array"] | dict(width=8, height=6, last_level=2, base_array=2),
                     da=0)
            self.one("mips-with-da", MIPS, da=1)

    def flags(self):
        self.one("exec-full-quads", execute=0xFF0000F)
        self.one("exec-one", execute=1 << 63)
        self.one("exec-none", execute=0)
        if self.m.kind == "atomic":
            self.one("glc", glc=1)
            self.one("glc-same-texel", glc=1, same=True)
            self.one("same-texel", same=True)
            self.one("64", wide=True)
            self.one("64-glc", wide=True, glc=1)
            self.one("glc-tfe", glc=1, tfe=1)
        elif self.m.kind != "resinfo":
            for dmask in (1, 2, 3, 5, 8, 12, 7, 14):
                self.one(f"dmask{dmask}", dmask=dmask)
            if self.m.kind == "load":
                self.one("dmask0", dmask=0)
            self.one("swizzle", SHAPES["2d"] | dict(select=(6, 5, 4, 7)))
            self.one("swizzle-constants", SHAPES["2d"] | dict(select=(4, 0, 1, 1)))
            self.one("swizzle-integer-one", SHAPES["2d"] | dict(select=(7, 1, 0, 4)), dfmt=10, nfmt=UINT)
        if self.m.kind in ("load", "resinfo"):
            self.one("tfe", tfe=1)
            self.one("lwe", lwe=1)
            self.one("tfe-dmask", tfe=1, dmask=5)
        self.one("unorm-slc", unorm=1, slc=1)
        if self.gen >= 9:
            self.one("a16", a16=1)
            self.one("a16-3d", SHAPES["3d"], a16=1)
            self.one("a16-array", SHAPES["2d-array"], a16=1)
        else:
            self.one("r128", SHAPES["2d"] | dict(width=5), r128=1)
        if self.gen >= 8 and self.m.kind in ("load", "store") and not self.m.pck:
            for dmask in (1, 3, 7, 15):
                self.one(f"d16-{dmask}", d16=1, dmask=dmask)
            self.one("d16-integer", dfmt=12, nfmt=SINT, d16=1)
            self.one("d16-float", dfmt=14, nfmt=FLOAT, d16=1, values=True)

    def edges(self):
        self.one("outside", far=True)
        self.one("outside-3d", SHAPES["3d"], far=True)
        self.one("outside-array", SHAPES["2d-array"], far=True)
        self.one("null", raw=[0] * 8)
        self.one("high-base", place=PLACES[4])
        self.one("upper-half", place=0x8000_0001_0000)
        self.one("mtype-bits", SHAPES["2d"] | dict(more=[(2, 0 if self.gen >= 9 else 1 << 31), (6, 0x5A)]))
        self.one("tiled", SHAPES["2d"] | dict(tiling=9 if self.gen >= 9 else 13))
        self.one("long-pitch", SHAPES["2d"] | dict(pitch=512 if self.gen >= 9 else 40))
        if self.gen >= 7 and self.gen < 9:
            self.one("3d-as-array", SHAPES["3d"], da=1)
        if self.m.kind != "resinfo":
            self.one("unmapped", unmapped=True)
        if self.m.kind in ("load", "store") and not self.m.pck:
            self.one("nan-texels", dfmt=14, nfmt=FLOAT, values=True)

    def sizes(self):
        for k, (width, height) in enumerate(((1, 1), (16384, 16384), (255, 3), (1000, 777))):
            self.one(f"size{k}", dict(kind=D2, width=width, height=height, last_level=(0, 14, 7, 9)[k]))
            self.one(f"size{k}-3d", dict(kind=D3, width=width, height=height, depth=(1, 8192, 5, 100)[k],
                                         last_level=(0, 14, 7, 9)[k]))

    # --- one vector

    def format(self, wide):
        """The formats of a vector that asks for none."""
        if self.m.kind == "atomic":
            return (11 if wide else 4), FLOAT if self.m.op[0] == "f" and not wide else UINT
        if self.m.pck:
            choices = [(1, UINT), (2, SINT), (4, UINT), (11, UINT), (14, FLOAT), (10, UNORM)]
        else:
            choices = [(10, UNORM), (4, FLOAT), (12, FLOAT), (10, UINT), (14, FLOAT), (5, SINT), (10, UNORM)]
        return choices[self.asked % len(choices)]

    def one(self, label, shape=None, dfmt=None, nfmt=None, execute=None, dmask=None, raw=None, place=None, far=False,
            same=False, wide=False, unmapped=False, values=False, r128=0, block=None, **fields):
        self.asked += 1
        c = GraphicsCase(self.writer, self.row, self.group, label, execute)
        shape = dict(shape or SHAPES["2d"])
        kind = shape["kind"]
        if r128 and kind not in (D1, D2):
            return
        default = self.format(wide)
        dfmt, nfmt = (default if dfmt is None else (dfmt, nfmt))
        words = raw or texture(self.gen, dfmt=dfmt, nfmt=nfmt, base=place or PLACES[self.asked % 3], **shape)
        c.bind(words, bool(r128), unmapped=unmapped or self.m.kind == "resinfo")
        if block is not None:
            c.fill(block.to_bytes(16, "little"))
        fields.setdefault("da", int(kind in (CUBE, D1_ARRAY, D2_ARRAY, MSAA_ARRAY)))
        vaddr, vdata = REGISTERS[self.asked % len(REGISTERS)]
        dmask = self.mask(dmask, wide)
        address = Coordinates(self, c, shape | {"kind": UNDER_DA[kind][fields["da"]]}, far, same, fields.get("a16", 0))
        c.registers(vaddr, lambda lane: address.of(lane) if lane in c.active else None)
        self.fill(c, vdata, dmask, wide, values, fields.get("d16", 0), nfmt)
        c.run(vaddr=vaddr, vdata=vdata, dmask=dmask, r128=r128, srsrc=T_SHARP, **fields)

    def mask(self, dmask, wide):
        if self.m.kind == "atomic":
            swap = self.m.op in ("cmpswap", "fcmpswap")
            return (15 if wide else 3) if swap else (3 if wide else 1)
        return 15 if dmask is None else dmask

    def fill(self, c, vdata, dmask, wide, values, d16, nfmt):
        """Store data, operands, or what results overwrite."""
        count = max(1, dmask.bit_count())
        if self.m.kind == "store":
            special = FLOATS32 if values or nfmt not in (UINT, SINT) else EDGES32
            for k in range(count):
                table = {lane: self.datum(c, special, lane + 3 * k, values, d16, nfmt) for lane in c.active}
                c.put(vdata + k, table.__getitem__)
        elif self.m.kind == "atomic":
            pool = FLOATS32 if self.m.op[0] == "f" else EDGES32
            for k in range(count):
                c.data(vdata + k, 1, pool if k % 2 == 0 or not wide else None)
        else:
            c.old(vdata, count + 1)

    def datum(self, c, special, turn, values, d16, nfmt):
        if d16 and not values:
            return c.rnd.getrandbits(32) & 0x7BFF7BFF
        if values or c.rnd.random() < 0.3:
            return special[turn % len(special)]
        if nfmt in (UINT, SINT):
            return c.rnd.getrandbits(c.rnd.choice([4, 8, 12, 32]))
        return c.rnd.getrandbits(1) << 31 | c.rnd.randrange(118, 129) << 23 | c.rnd.getrandbits(23)


class Coordinates:
    """The values for the address registers of a lane."""

    def __init__(self, cases, c, shape, far, same, a16):
        self.cases, self.c, self.shape, self.far, self.same, self.a16 = cases, c, shape, far, same, a16
        self.used = set()

    def of(self, lane):
        values = self.parts(lane)
        if self.a16 and self.c.gen >= 9:
            values = [v & 0xFFFF for v in values] + [0] * (len(values) % 2)
            values = [values[k] | values[k + 1] << 16 for k in range(0, len(values), 2)]
        return values

    def parts(self, lane):
        s, rnd, kind, m = self.shape, self.c.rnd, self.shape["kind"], self.cases.m
        levels = s.get("last_level", 0) - s.get("base_level", 0) + 1
        level = rnd.randrange(levels) if m.mip or m.kind == "resinfo" else 0
        if m.kind == "resinfo":
            return [level if not self.far else level + 3 * (lane & 1)]
        shift = level + s.get("base_level", 0)
        sizes = [max(1, s["width"] >> shift)]
        if kind not in (D1, D1_ARRAY):
            sizes.append(max(1, s["height"] >> shift))
        if kind == D3:
            sizes.append(max(1, s["depth"] >> shift))
        elif kind in (CUBE, D1_ARRAY, D2_ARRAY, MSAA_ARRAY):
            sizes.append(s.get("last_array", s.get("layers", 1) - 1) - s.get("base_array", 0) + 1)
        if kind in (MSAA, MSAA_ARRAY):
            sizes.append(1 << s["samples_log2"])
        for _ in range(50):
            values = [0 if self.same else rnd.randrange(n) for n in sizes] + ([level] if m.mip else [])
            # stores of two lanes to one texel are of no interest here
            if m.kind != "store" or tuple(values) not in self.used:
                break
        self.used.add(tuple(values))
        if self.far and rnd.random() < 0.7:
            k = rnd.randrange(len(values))
            limit = (sizes + [levels])[k]
            values[k] = rnd.choice([limit, limit + 1, M32, 0x80000000, 0xFFFF, IDLE, 0x10000 + limit])
        return values
