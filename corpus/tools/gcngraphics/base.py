"""What the generators share: images in memory, address registers, tolerances, the writer."""

import random

from gcnmem.base import IDLE, Case, MemWriter, changes_json, fault_json, world_json
from gcnmem.formats import single_to_half
from gcnmem.machine import M32, Memory, canonical
from gcnvalu.floats import F16, F32
from vectorlib import expect_json, init_json

from . import formats
from .descriptors import CUBE, D3, Texture
from .encode import Op
from .execute import Wave, step
from .formats import fraction
from .layout import pitch_of, place, planes_of, rows_of

T_SHARP, S_SHARP = 8, 16                # where the descriptors are
PLACES = [0x10000, 0x7FFF0000, 0x100000000, 0x80_0000_0000, 0x7FFF_FFFF_0000, 0x1234_5600]
QUADS = [0xF, 0xF000000F, 0x00F0000000000007, 0xB0000000000000F0, 0x8000000000F00001, 0x0000000F0000000D, 0xFF,
         0x40F0000000000000, 0x21F, 0xF0000000000000F]


class GraphicsWriter(MemWriter):
    """Collects the vectors of one generation, by group."""

    def keep_graphics(self, row, group, label, words, old, new, fault, more=()):
        init = init_json(old.st) | world_json(old)
        expect = fault_json(fault, old) if fault else expect_json(old.st, new.st) | changes_json(old, new)
        if new.exports:
            expect["exports"] = new.exports
        key = (row.mnemonic, row.encoding, tuple(words), str(init), str(more))
        if key in self.seen:
            return
        self.seen.add(key)
        name = row.mnemonic + ("_e64" if row.encoding == "VOP3" and row.mnemonic.endswith("f32") else "")
        number = self.count.get(name, 0)
        self.count[name] = number + 1
        vector = {"id": f"{self.arch}/{name}/{number:03d}-{label}", "arch": self.arch, "mnemonic": row.mnemonic,
                  "words": words, "certainty": "likely" if new.doubts else "certain"}
        if new.doubts:
            vector["why"] = sorted(new.doubts)
        self.vectors.setdefault(group, []).append(vector | dict(more) | {"init": init, "expect": expect})


def contents(dfmt, nfmt, seed, count):
    """`count` elements of an image, always the same for a seed."""
    rnd = random.Random(f"{dfmt} {nfmt} {seed}")
    size = formats.element_size(dfmt)
    out = b""
    for _ in range(count):
        if nfmt == formats.FLOAT and dfmt in (2, 5, 12):
            data = b"".join(half_value(rnd) for _ in range(size // 2))
        elif nfmt == formats.FLOAT and dfmt in (4, 11, 13, 14, 22):
            data = b"".join(single_value(rnd) for _ in range(size // 4))
        elif nfmt == formats.FLOAT and dfmt in (6, 7):
            fields = [rnd.randrange(8, 20) << bits - 5 | rnd.getrandbits(bits - 5) for _, bits in formats.LAYOUT[dfmt]]
            data = sum(f << at for f, (at, _) in zip(fields, formats.LAYOUT[dfmt])).to_bytes(4, "little")
        elif dfmt == 41:
            mode = rnd.randrange(8)
            data = (rnd.getrandbits(128) >> mode + 1 << mode + 1 | 1 << mode).to_bytes(16, "little")
        elif dfmt == 40:
            mode = rnd.choice([0b00, 0b01, 0b00010, 0b01110, 0b11110, 0b00011, 0b00111, 0b01111])
            width = 2 if mode < 2 else 5
            data = (rnd.getrandbits(128) >> width << width | mode).to_bytes(16, "little")
        else:
            data = rnd.randbytes(size)
        out += data
    return out


def half_value(rnd):
    return (rnd.getrandbits(1) << 15 | rnd.randrange(10, 20) << 10 | rnd.getrandbits(10)).to_bytes(2, "little")


def single_value(rnd):
    return (rnd.getrandbits(1) << 31 | rnd.randrange(122, 132) << 23 | rnd.getrandbits(12) << 11).to_bytes(4, "little")


def depth_value(rnd):
    """A depth between 0 and 1, one of a few."""
    return rnd.choice([0, 0x3E800000, 0x3F000000, 0x3F200000, 0x3F800000]).to_bytes(4, "little")


def f32_bits(value):
    """A number as binary32."""
    return formats.rounded(value)


def half_bits(value):
    return single_to_half(f32_bits(value), set())


class GraphicsCase(Case):
    """One vector in the making."""

    def __init__(self, writer, row, group, label, execute=None, mode=None, attempt=0):
        super().__init__(writer, row, group, label, execute, mode)
        number = writer.count.get(row.mnemonic, 0)
        self.rnd = random.Random(f"{self.arch} {row.mnemonic} {number} {label} {attempt}")
        old, self.w = self.w, Wave(self.arch)
        self.w.st = old.st
        self.texture = None

    def bind(self, words, r128=False, depth=False, unmapped=False):
        """Puts a T# into its registers and its image into memory."""
        words = words[:4] if r128 else words
        self.sgprs(T_SHARP, *words)
        self.texture = Texture(words, self.gen, r128, set())
        if not self.texture.null and not unmapped:
            self.w.memory = Memory(rows_in_memory(self.texture, depth))

    def fill(self, element):
        """Makes all elements of the image the same."""
        self.w.memory = Memory((at, element * (len(data) // len(element))) for at, data in self.w.memory.regions)

    def registers(self, first, lanes_of):
        """Address registers: `lanes_of(lane)` gives the values of a lane, or None."""
        table = {lane: lanes_of(lane) for lane in range(64)}
        count = max((len(values) for values in table.values() if values is not None), default=0)
        for k in range(count):
            self.w.st.vgpr[first + k] = [IDLE + k if values is None else values[k] & M32 for values in table.values()]

    def quads(self):
        """The lanes of all quads with an active lane."""
        return {lane & ~3 | k for lane in self.active for k in range(4)}

    def run(self, **fields):
        """Executes and keeps the vector; False if a decision hangs on the last bit, so that it is left out."""
        op = Op(self.row, self.arch, **fields)
        new = self.w.copy()
        fault = step(new, op)
        if new.fragile:
            return False
        more = self.tolerance(op, new) if not fault else {}
        self.writer.keep_graphics(self.row, self.group, self.label, op.words(), self.w, new, fault, more)
        return True

    def tolerance(self, op, new):
        """How far results may be off, where they are not exact."""
        kind = self.row.m.kind
        if kind not in ("load", "sample", "gather", "lod") or self.texture is None or self.texture.null:
            return {}
        texture = self.texture
        if not formats.is_float_type(texture.nfmt) and kind != "lod" and not op.m.compare:
            return {}
        bound = 2.0 ** -7 if kind == "lod" else self.bound(op, new)
        if not bound:
            return {}
        fmt = "f32"
        if op.d16:
            fmt, bound = ("f16x2" if self.gen >= 9 else "f16"), bound + 2.0 ** -11 * self.largest(op, new)
        return {"fmt": fmt, "tolerance": {"ulp": 4, "abs": bound}}

    def bound(self, op, new):
        texture, doubts = self.texture, new.doubts
        bound = 0.0
        if "bc-precision" in doubts and not op.m.pck:
            bound = 2.0 ** -9 if texture.dfmt in (38, 39) else 2.0 ** -6 if texture.nfmt == formats.SRGB else 2.0 ** -8
        elif "srgb-table" in doubts and not op.m.pck:
            bound = 2.0 ** -11
        if self.row.m.kind == "sample" and self.blends:
            bound += 2.0 ** -20 * self.largest(op, new)
        return bound

    blends = False              # does the sampler mix texels?

    def largest(self, op, new):
        """The greatest magnitude among texels or results, at least 1."""
        values = [1.0, float(self.magnitude)]
        for n in range(op.vdata, min(op.vdata + 4, 256)):
            for x in new.st.vgpr.get(n, []):
                if not op.d16 and F32.is_finite(x) and self.texture.nfmt != formats.FLOAT:
                    values.append(min(abs(float(fraction(x))), 2.0 ** 17) if x != IDLE else 0)
                elif op.d16 and F16.is_finite(x & 0xFFFF):
                    _, m, e = F16.value(x & 0x7FFF)
                    values.append(min(m * 2.0 ** e, 65536))
        return min(max(values), 65536.0)

    magnitude = 1


def rows_in_memory(texture, depth=False):
    """The regions of an image: only texels are mapped, not what pads them."""
    regions = {}
    last = max(texture.max_mip, texture.last_level)
    for level in range(last + 1):
        if texture.gen < 9:
            planes = planes_of(texture, level)
        elif texture.type == D3:
            planes = max(1, texture.depth_field + 1 >> level)
        else:
            planes = (texture.last_array + 1) * texture.samples
        width = max(1, texture.width >> level)
        columns = min(-(-width // texture.block), pitch_of(texture, level))
        height = max(1, texture.height >> level)
        for plane in range(planes):
            for row in range(min(rows_of(texture, level), -(-height // texture.block))):
                at = canonical(place(texture, level, 0, row * texture.block, plane))
                if depth:
                    rnd = random.Random(f"depth {level} {plane} {row}")
                    regions[at] = b"".join(depth_value(rnd) for _ in range(columns))
                else:
                    regions[at] = contents(texture.dfmt, texture.nfmt, f"{level} {plane} {row}", columns)
    return joined(regions)


def joined(regions):
    out = []
    for at in sorted(regions):
        if out and out[-1][0] + len(out[-1][1]) == at:
            out[-1] = (out[-1][0], out[-1][1] + regions[at])
        else:
            out.append((at, regions[at]))
    return out


def dims_of(kind):
    """The number of coordinates of a sample, without the layer."""
    return 1 if kind in (8, 12) else 3 if kind == D3 else 2


def is_layered(kind):
    return kind in (CUBE, 12, 13, 15)
