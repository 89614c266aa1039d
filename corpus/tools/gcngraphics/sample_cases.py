"""The vectors of IMAGE_SAMPLE, IMAGE_GATHER4 and IMAGE_GET_LOD."""

from fractions import Fraction

from gcnmem.base import FLOATS32

from . import formats
from .base import PLACES, QUADS, S_SHARP, T_SHARP, GraphicsCase, dims_of, f32_bits, half_bits, is_layered
from .descriptors import CUBE, UNDER_DA, sampler, texture
from .footprint import MIRROR_BORDER, MIRROR_HALF_BORDER
from .formats import FLOAT, SINT, SNORM, UINT, UNORM
from .image_cases import MIPS, ODD_MIPS, SHAPES, all_formats, name

REGISTERS = [(0, 20), (5, 40), (100, 3), (16, 240), (30, 60), (77, 100), (1, 25), (12, 200)]
LINEAR = dict(mag=1, min_=1)
TRILINEAR = dict(mag=1, min_=1, mip=2)
POW2_ARRAY = SHAPES["2d-array"] | dict(width=12, height=6, layers=3, last_level=1, pow2=1, pitch=16)
SPECIAL = [0x7FC00000, 0x7F800000, 0xFF800000, 0x7F800001, 0x501502F9, 0xD01502F9, 1, 0x80000000]
PER_ROW = 26


class SampleCases:
    """All vectors of one row."""

    def __init__(self, writer, row, group):
        self.writer, self.row, self.group, self.m = writer, row, group, row.m
        self.gen = GraphicsCase(writer, row, group, "").gen
        self.asked = sum(map(ord, row.mnemonic)) * 7
        self.dropped = []

    def made(self):
        return self.writer.count.get(self.row.mnemonic, 0)

    def all(self):
        every = self.scenarios()
        if self.row.mnemonic in ("image_sample", "image_sample_lz", "image_sample_l", "image_gather4_lz",
                                 "image_sample_c_lz", "image_get_lod", "image_sample_d"):
            chosen = every
        else:
            # what each row needs, and its share of the rest
            needed = [s for s in every if s[0] in NEEDED]
            rest = [s for s in every if s[0] not in NEEDED]
            turn = self.asked % max(1, len(rest))
            chosen = needed + rest[turn:] + rest[:turn]
        full = chosen is every
        for label, options in chosen:
            if not full and self.made() >= PER_ROW:
                break
            self.one(label, **options)
        if self.row.mnemonic == "image_sample_lz":
            for dfmt, nfmt in all_formats(self.gen):
                self.one(name(dfmt, nfmt), dfmt=dfmt, nfmt=nfmt, execute=0x8000B)
                if formats.is_float_type(nfmt) and dfmt not in (35, 36, 37, 38, 39, 40, 41):
                    self.one(name(dfmt, nfmt) + "-linear", dfmt=dfmt, nfmt=nfmt, s=LINEAR, execute=0x30)

    def scenarios(self):
        """(label, options) of all vectors."""
        s = [("point", {}), ("linear", dict(s=LINEAR)), ("partial-quads", dict(s=LINEAR, execute=0x5A00000008000021)),
             ("mip-linear", dict(shape=MIPS, s=TRILINEAR)),
             ("mip-point", dict(shape=MIPS, s=dict(mag=1, min_=0, mip=1))),
             ("1d", dict(shape=SHAPES["1d"], s=LINEAR)), ("3d", dict(shape=SHAPES["3d"], s=LINEAR)),
             ("cube", dict(shape=SHAPES["cube"], s=LINEAR)), ("1d-array", dict(shape=SHAPES["1d-array"], s=LINEAR)),
             ("2d-array", dict(shape=SHAPES["2d-array"], s=LINEAR)), ("null", dict(raw=[0] * 8)),
             ("special-coordinates", dict(special=True)), ("unnormalized", dict(s=dict(unnormalized=1))),
             ("tfe", dict(tfe=1, s=LINEAR))]
        for mode in range(8):
            s.append((f"wrap{mode}", dict(s=dict(clamp=(mode, (mode + 3) % 8, 2), border=mode % 3), wild=True)))
            s.append((f"wrap{mode}-linear", dict(s=LINEAR | dict(clamp=(mode, mode, mode), border=(mode + 1) % 3),
                                                 wild=True)))
        s += [("trunc", dict(s=dict(trunc=1))), ("border-table", dict(s=dict(clamp=(6, 6, 6), border=3), wild=True)),
              ("cube-array", dict(shape=SHAPES["cube-array"])), ("cube-point", dict(shape=SHAPES["cube"])),
              ("cube-edge-clamped", dict(shape=SHAPES["cube"], s=LINEAR | dict(no_cube_wrap=1), edge=True)),
              ("cube-seam", dict(shape=SHAPES["cube"], s=LINEAR, edge=True)),
              ("3d-wrap", dict(shape=SHAPES["3d"], s=LINEAR | dict(clamp=(0, 1, 3)), wild=True)),
              ("3d-point", dict(shape=SHAPES["3d"])), ("3d-z-point", dict(shape=SHAPES["3d"], s=LINEAR | dict(z=1))),
              ("array-outside", dict(shape=SHAPES["2d-array"], wild_layer=True)),
              ("base-array", dict(shape=SHAPES["2d-array"] | dict(base_array=1, last_array=2), wild_layer=True)),
              ("mip-none", dict(shape=MIPS, s=dict(mag=0, min_=1))),
              ("mip-odd", dict(shape=ODD_MIPS, s=dict(mip=1))),
              ("mip-base-level", dict(shape=MIPS | dict(base_level=1), s=TRILINEAR)),
              ("mip-last-level", dict(shape=MIPS | dict(last_level=2), s=dict(mip=1, mag=1, min_=1))),
              ("min-lod", dict(shape=MIPS, s=TRILINEAR | dict(min_lod=0x140))),
              ("max-lod", dict(shape=MIPS, s=TRILINEAR | dict(max_lod=0xC0))),
              ("t-min-lod", dict(shape=MIPS | dict(min_lod=0x100), s=TRILINEAR)),
              ("lod-bias", dict(shape=MIPS, s=TRILINEAR | dict(bias=0x80))),
              ("lod-bias-negative", dict(shape=MIPS, s=TRILINEAR | dict(bias=-0x140))),
              ("mip-3d", dict(shape=SHAPES["3d"] | dict(width=8, height=8, depth=4, last_level=2), s=TRILINEAR)),
              ("mip-cube", dict(shape=SHAPES["cube"] | dict(last_level=1), s=TRILINEAR)),
              ("mip-array", dict(shape=SHAPES["2d-array"] | dict(width=8, height=8, last_level=2), s=TRILINEAR)),
              ("filter-min", dict(s=LINEAR | dict(mode=1))), ("filter-max", dict(s=LINEAR | dict(mode=2))),
              ("aniso", dict(shape=MIPS, s=dict(mag=3, min_=3, mip=1, aniso=3))),
              ("swizzle", dict(shape=SHAPES["2d"] | dict(select=(6, 5, 4, 1)), s=LINEAR)),
              ("uint", dict(dfmt=10, nfmt=UINT, s=LINEAR)), ("sint", dict(dfmt=12, nfmt=SINT)),
              ("snorm", dict(dfmt=10, nfmt=SNORM, s=LINEAR)), ("f32", dict(dfmt=14, nfmt=FLOAT, s=LINEAR)),
              ("f16", dict(dfmt=12, nfmt=FLOAT, s=LINEAR)), ("r8", dict(dfmt=1, nfmt=UNORM, s=LINEAR)),
              ("bc1", dict(dfmt=35, nfmt=UNORM)), ("bc7", dict(dfmt=41, nfmt=UNORM)),
              ("unorm-bit", dict(unorm=1, s=LINEAR)), ("unmapped", dict(unmapped=True)), ("exec-none", dict(execute=0)),
              ("high-base", dict(place=PLACES[4])), ("special-linear", dict(special=True, s=LINEAR)),
              ("lwe", dict(lwe=1))]
        s += [(f"dmask{k}", dict(dmask=k, s=LINEAR)) for k in (1, 2, 4, 8, 3, 10, 0)]
        if self.m.compare:
            s += [(f"compare{k}", dict(s=LINEAR | dict(compare=k))) for k in range(8)]
            s += [("compare-unorm", dict(dfmt=2, nfmt=UNORM, s=dict(compare=3), reference=True)),
                  ("compare-24", dict(dfmt=20, nfmt=UNORM, s=dict(compare=6), reference=True))]
        if self.gen >= 9:
            s += [("a16", dict(a16=1, s=LINEAR)), ("a16-3d", dict(a16=1, shape=SHAPES["3d"])),
                  ("a16-array", dict(a16=1, shape=SHAPES["2d-array"])),
                  ("a16-mips", dict(a16=1, shape=MIPS, s=TRILINEAR))]
        else:
            s += [("r128", dict(r128=1, shape=SHAPES["2d"] | dict(width=5)))]
        if self.gen >= 8 and self.m.kind != "lod":
            s += [("d16", dict(d16=1)), ("d16-linear", dict(d16=1, s=LINEAR)), ("d16-x", dict(d16=1, dmask=1)),
                  ("d16-uint", dict(d16=1, dfmt=10, nfmt=UINT))]
        s += self.contradictions()
        if self.gen < 9:
            s += [("pow2", dict(shape=MIPS | dict(width=20, height=12, last_level=2, pow2=1, pitch=32), s=TRILINEAR)),
                  ("pow2-array", dict(shape=POW2_ARRAY, s=dict(mip=1)))]
        if self.m.kind == "gather":
            s = [x for x in s if x[0] not in GATHER_NOT]
            s += [("gather-integer-edge", dict(dfmt=4, nfmt=UINT, wild=True, s=dict(clamp=(0, 0, 0))))]
        return s

    @staticmethod
    def contradictions():
        """DA is not what the type of the image says: it decides whether there is a coordinate for the layer."""
        array = SHAPES["2d-array"]
        return [("2d-array-without-da", dict(shape=array | dict(base_array=2, last_array=2), s=LINEAR, da=0)),
                ("2d-array-layers-without-da", dict(shape=array | dict(base_array=1, last_array=3), da=0)),
                ("1d-array-without-da", dict(shape=SHAPES["1d-array"] | dict(base_array=1, last_array=1), da=0)),
                ("cube-without-da", dict(shape=SHAPES["cube"] | dict(base_array=4, last_array=4), s=LINEAR, da=0)),
                ("2d-with-da", dict(da=1, s=LINEAR)), ("1d-with-da", dict(shape=SHAPES["1d"], da=1)),
                ("mip-array-without-da", dict(shape=array | dict(width=8, height=8, last_level=2, base_array=1),
                                              s=TRILINEAR, da=0))]

    # --- one vector

    def one(self, label, **options):
        for attempt in range(30):
            if self.attempt(label, attempt, **options):
                return
        self.dropped.append(label)

    def attempt(self, label, attempt, shape=None, s=None, dfmt=None, nfmt=None, execute=None, dmask=None, raw=None,
                place=None, wild=False, wild_layer=False, edge=False, special=False, unmapped=False, reference=False,
                r128=0, **fields):
        if not attempt:
            self.asked += 1
        shape, s = dict(shape or SHAPES["2d"]), dict(s or {})
        kind = shape["kind"]
        execute = QUADS[self.asked % len(QUADS)] if execute is None else execute
        c = GraphicsCase(self.writer, self.row, self.group, label, execute, attempt=attempt)
        if dfmt is None:
            dfmt, nfmt = (4, FLOAT) if self.m.compare else (10, UNORM)
        if self.m.compare and dfmt not in (2, 4, 20):
            dfmt, nfmt = 4, FLOAT
        place = place or PLACES[self.asked % 3]
        words = raw or texture(self.gen, dfmt=dfmt, nfmt=nfmt, base=place, **shape)
        c.bind(words, bool(r128), depth=self.m.compare and dfmt == 4, unmapped=unmapped)
        if unmapped and self.m.kind == "lod":
            return True
        if self.m.compare:
            s.setdefault("compare", 1 + self.asked % 6)
        c.sgprs(S_SHARP, *sampler(**s))
        c.blends = (s.get("mag", 0) | s.get("min_", 0)) & 1 or s.get("mip") == 2 or "z" in s
        c.magnitude = 65536 if dfmt == 40 or dfmt == 34 else 2 ** 17 if nfmt in (2, 3) else 64 if nfmt == FLOAT else 1
        fields.setdefault("da", int(is_layered(kind)))
        shape["kind"] = UNDER_DA[kind][fields["da"]]
        normalized = not (s.get("unnormalized") or fields.get("unorm"))
        draw = Draw(self, c, shape, s, normalized, wild, wild_layer, edge, special, reference, fields.get("a16", 0))
        vaddr, vdata = REGISTERS[self.asked % len(REGISTERS)]
        lanes = c.quads()
        c.registers(vaddr, lambda lane: draw.registers(lane) if lane in lanes else None)
        dmask = self.mask(dmask)
        c.old(vdata, 6)
        return c.run(vaddr=vaddr, vdata=vdata, dmask=dmask, r128=r128, srsrc=T_SHARP, ssamp=S_SHARP, **fields)

    def mask(self, dmask):
        if self.m.kind == "gather":
            return dmask if dmask in (1, 2, 4, 8) and not self.m.compare else 1 if self.m.compare \
                else 1 << self.asked % 4
        if self.m.kind == "lod":
            return dmask if dmask in (1, 2, 3) else 3
        if self.m.compare:
            return 1
        return 15 if dmask is None else dmask


NEEDED = ("point", "linear", "partial-quads", "mip-linear", "mip-point", "1d", "3d", "cube", "1d-array", "2d-array",
          "null", "special-coordinates", "2d-array-without-da", "2d-with-da", "lod-bias")
# a gather with two levels is not documented
GATHER_NOT = ("mip-array-without-da", "pow2", "mip-linear", "mip-base-level", "mip-3d", "mip-cube", "mip-array",
              "min-lod", "max-lod", "t-min-lod",
              "lod-bias", "lod-bias-negative", "a16-mips", "3d", "3d-wrap", "3d-point", "3d-z-point", "a16-3d", "trunc",
              "filter-min", "filter-max", "dmask0", "unmapped", "cube-seam", "cube-edge-clamped")


class Draw:
    """The operands of the lanes; those of a quad lie on a plane."""

    def __init__(self, cases, c, shape, s, normalized, wild, wild_layer, edge, special, reference, a16):
        self.cases, self.c, self.shape, self.s, self.normalized = cases, c, shape, s, normalized
        self.wild, self.wild_layer, self.edge, self.special, self.reference = wild, wild_layer, edge, special, reference
        self.a16, self.kind = a16 and c.gen >= 9, shape["kind"]
        self.dims = dims_of(self.kind)
        self.sizes = [max(1, n >> shape.get("base_level", 0))
                      for n in (shape["width"], shape.get("height", 1), shape.get("depth", 1))][:self.dims]
        self.planes = {}

    def plane(self, quad):
        """Base and derivatives of a quad, in texels of the base level."""
        if quad not in self.planes:
            rnd = self.c.rnd
            step = Fraction(2) ** rnd.choice([-2, -1, 0, 1, 2] if "last_level" in self.shape else [-3, -1, 0])
            if rnd.random() < 0.3:
                step *= Fraction(5, 4)
            base = [self.start(n, k) for k, n in enumerate(self.sizes)]
            across = [step if k == 0 else Fraction(0) for k in range(self.dims)]
            down = [step if k == 1 else Fraction(0) for k in range(self.dims)]
            if rnd.random() < 0.5 and self.dims > 1:
                across[1] = step / 4
            self.planes[quad] = base, across, down
        return self.planes[quad]

    def start(self, n, k):
        """A coordinate in texels, a multiple of 1/32 that is not halfway between two texels."""
        rnd = self.c.rnd
        mode = self.s.get("clamp", (2, 2, 2))[k]
        if self.wild:
            low, high = -2 * n, 3 * n
        else:
            low, high = 0, n
        if self.kind == CUBE:
            low, high = (0, n) if self.edge else (1, n - 1)
        while True:
            t = Fraction(rnd.randrange(int(low * 32) + 1, int(high * 32)) | 1, 32)
            # what a mirrored border does beside the mirror is not documented
            if mode in (MIRROR_HALF_BORDER, MIRROR_BORDER) and abs(t) < 1:
                continue
            if self.kind == CUBE and self.edge and k == 1:
                t = Fraction(n, 2) + Fraction(rnd.randrange(-8, 8) | 1, 32)
            return t

    def coordinates(self, lane):
        base, across, down = self.plane(lane // 4)
        i, j = lane & 1, lane >> 1 & 1
        texels = [b + i * a + j * d for b, a, d in zip(base, across, down)]
        if self.kind == CUBE and not self.edge:
            # small steps stay inside the face
            texels = [b + (i * a + j * d) / 64 for b, a, d in zip(base, across, down)]
        return [self.scaled(t, k) for k, t in enumerate(texels)]

    def scaled(self, t, k):
        if self.kind == CUBE:
            return t / self.sizes[k] + 1
        return t / self.sizes[k] if self.normalized else t

    def layer(self):
        rnd = self.c.rnd
        count = self.shape.get("last_array", self.shape.get("layers", 1) - 1) - self.shape.get("base_array", 0) + 1
        if self.kind == CUBE:
            return Fraction(rnd.randrange(6) + 8 * rnd.randrange(max(1, count // 6)))
        value = Fraction(rnd.randrange(4 * count), 4)
        if self.wild_layer:
            value = Fraction(rnd.randrange(-8, 40), 4)
        # halfway is to even
        return value

    def lod(self):
        levels = self.shape.get("last_level", 0) + 1
        return Fraction(self.c.rnd.randrange(-64, 64 * levels + 32), 64)

    def registers(self, lane):
        """The address registers of a lane."""
        m, rnd, parts = self.cases.m, self.c.rnd, []
        if m.offset:
            # offsets across the edges of a cube are not documented
            most = 0 if self.kind == CUBE else 3
            offsets = [rnd.randint(-most, most) & 63 for _ in range(3)]
            parts.append(("whole", sum(x << 8 * k for k, x in enumerate(offsets)) | 0x40 << 24))
        if m.bias:
            parts += [("value", Fraction(rnd.randrange(-128, 128), 64)), ("restart", 0)]
        if m.compare:
            parts.append(("whole", self.reference_value()))
        coordinates = self.coordinates(lane)
        if m.derivatives:
            _, across, down = self.plane(lane // 4)
            for vector in (across, down):
                parts += [("value", v / n if self.normalized else v) for v, n in zip(vector, self.sizes)]
                parts.append(("restart", 0))
        values = [("value", v) for v in coordinates]
        if self.special and lane % 3 != 1:
            values[lane % len(values)] = ("bits", SPECIAL[(lane + self.cases.asked) % len(SPECIAL)])
        parts += values
        if is_layered(self.kind):
            parts.append(("value", self.layer()))
        if m.lod:
            parts.append(("value", self.lod()))
        if m.clamp:
            parts.append(("value", Fraction(rnd.randrange(0, 64), 64)))
        return self.packed(parts)

    def reference_value(self):
        rnd = self.c.rnd
        if self.reference:
            return FLOATS32[rnd.randrange(4)] if rnd.random() < 0.2 else f32_bits(Fraction(rnd.randrange(-20, 84), 64))
        return rnd.choice([0, 0x3E800000, 0x3F000000, 0x3F100000, 0x3F200000, 0x3F800000, 0x40000000, 0xBF000000])

    def packed(self, parts):
        """The parts as registers, two in each with A16."""
        out, half = [], False
        for what, value in parts:
            if what == "restart":
                half = False
            elif what == "whole" or not self.a16:
                out.append(value if what in ("whole", "bits") else f32_bits(value))
                half = False
            else:
                value = (value >> 16 & 0xFFFF if what == "bits" else half_bits(value))
                if half:
                    out[-1] |= value << 16
                else:
                    out.append(value)
                half = not half
        return out

