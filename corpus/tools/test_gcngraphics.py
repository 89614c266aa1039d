#!/usr/bin/env python3
"""Cases against slips of the model of images, interpolation and exports: python3 corpus/tools/test_gcngraphics.py

Expected values come from the tables of the documents or were worked out on paper, not
copied from a run.  Compared with code that others wrote, where it is installed:

    words          llvm-mc 15: every row of 1.0 to 1.4.1 assembles to the same words
    BC1 to BC5     Pillow, 8-bit results: within 1.4 of 255
    BC6 unsigned   Pillow, all 14 modes: within 1.2 of 255; signed: only the modes without differences (0b11110,
                   0b00011, 0b01111), because Pillow extends the sign of a sum from the width of the difference
    BC7            Pillow and texture2ddecoder, all modes: equal
    binary16       Python's struct; sRGB: the published values for 8 bits

Pillow and texture2ddecoder are optional: `pip install pillow texture2ddecoder`.
"""

import io
import os
import random
import shutil
import struct
import subprocess
import sys
import unittest
from fractions import Fraction

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from gcnmodel import EXEC, M0
from gcnmem.machine import Memory
from gcngraphics import blocks, formats
from gcngraphics.descriptors import (CUBE, D1, D1_ARRAY, D2, D2_ARRAY, D3, Sampler, Texture, sampler, texture)
from gcngraphics.encode import Op
from gcngraphics.execute import Wave, step
from gcngraphics.footprint import axis, neighbour
from gcngraphics.layout import place
from gcngraphics.rows import ROWS, find

try:
    from PIL import Image
except ImportError:
    Image = None
try:
    import texture2ddecoder
except ImportError:
    texture2ddecoder = None

M32 = (1 << 32) - 1
ARCHES = ("gcn1.0", "gcn1.1", "gcn1.2", "gcn1.4")
ONE = 0x3F800000


def f32(x):
    return struct.unpack("<I", struct.pack("<f", x))[0]


def number(bits):
    return struct.unpack("<f", struct.pack("<I", bits))[0]


class Harness:
    """A wave with an image of R8G8B8A8 unless told otherwise; texel (x, y, z) holds `texel(x, y, z, level)`."""

    def __init__(self, arch="gcn1.4", execute=1, texel=None, s=None, **shape):
        self.w = Wave(arch)
        self.w.st.write64(EXEC, execute)
        shape = dict(kind=D2, width=8, height=4, dfmt=4, nfmt=formats.FLOAT) | shape
        words = texture(self.w.gen, **shape)
        for k, word in enumerate(words):
            self.w.st.sgpr[8 + k] = word
        for k, word in enumerate(sampler(**(s or {}))):
            self.w.st.sgpr[16 + k] = word
        self.texture = Texture(words, self.w.gen)
        self.w.memory = Memory([(self.texture.base, bytes(1 << 17))])
        for level in range(shape.get("last_level", 0) + 1):
            width, height, depth = self.texture.size(level - self.texture.base_level) if level else \
                (shape["width"], shape["height"] if shape["kind"] not in (D1, D1_ARRAY) else 1, shape.get("depth", 1))
            for plane in range(depth if shape["kind"] == D3 else shape.get("layers", 1)):
                for y in range(height):
                    for x in range(width):
                        if texel:
                            raw = texel(x, y, plane, level)
                            self.w.memory.write(place(self.texture, level, x, y, plane),
                                                raw.to_bytes(self.texture.bytes, "little"))

    def run(self, name, lanes, **fields):
        """`lanes`: address registers of each lane.  The data registers of lane 0."""
        for n, column in enumerate(zip(*lanes)):
            self.w.st.vgpr[n] = list(column) + [0] * (64 - len(column))
        for n in range(40, 46):
            self.w.st.vgpr.setdefault(n, [0xAAAAAAAA] * 64)
        op = Op(find(name, self.w.arch), self.w.arch, vdata=40, **fields)
        fault = step(self.w, op)
        if fault:
            raise fault
        return [self.w.st.vgpr[40 + k][0] for k in range(6)]


def place_value(x, y, z, level):
    """1000 level + 100 z + 10 y + x, as binary32."""
    return f32(1000 * level + 100 * z + 10 * y + x)


class Words(unittest.TestCase):
    def test_by_hand(self):
        for arch, name, expected, fields in (
                ("gcn1.4", "image_load", "f0000f00 00020000", dict()),
                ("gcn1.4", "image_sample", "f0800700 00820203", dict(dmask=7, vaddr=3, vdata=2)),
                ("gcn1.4", "v_interp_p1_f32", "d40c0000", dict(vsrc=0, vdst=3)),
                ("gcn1.0", "v_interp_p2_f32", "c80d0001", dict(vsrc=1, vdst=3)),
                ("gcn1.4", "exp", "c4001c0f 00000101",
                 dict(vsrc0=1, vsrc1=1, done=1, compr=1, vm=1)),
                ("gcn1.4", "v_mov_b32", "7e0202fe", dict(vdst=1))):
            words = Op(find(name, arch), arch, **fields).words()
            self.assertEqual(" ".join(f"{w:08x}" for w in words), expected, name)

    @unittest.skipUnless(shutil.which("llvm-mc-15"), "no llvm-mc-15")
    def test_all_rows(self):
        """LLVM's assembler makes the same words of the text."""
        for arch, chip in (("gcn1.0", "gfx600"), ("gcn1.1", "gfx700"), ("gcn1.2", "gfx803"), ("gcn1.4", "gfx900"),
                           ("gcn1.4.1", "gfx906")):
            rows = [r for r in ROWS if arch in r.opcode and r.encoding == "MIMG" and known_to_llvm(r)]
            ops = [Op(r, arch, dmask=1, vaddr=0, vdata=20, da=1, glc=1) for r in rows]
            text = "".join(f"{r.mnemonic} {self.operands(r)} dmask:0x1 glc da\n" for r in rows)
            command = ["llvm-mc-15", "-arch=amdgcn", f"-mcpu={chip}", "-show-encoding"]
            done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
            self.assertEqual(done.stderr, "", arch)
            found = [line.split("encoding: [")[1].rstrip("]") for line in done.stdout.splitlines()
                     if "encoding" in line]
            self.assertEqual(len(found), len(ops))
            for op, line in zip(ops, found):
                data = bytes(int(byte, 16) for byte in line.split(","))
                words = list(struct.unpack(f"<{len(data) // 4}I", data))
                self.assertEqual(op.words(), words, op.row.mnemonic)

    @staticmethod
    def operands(row):
        m = row.m
        data = "v[20:23]" if m.kind == "gather" else "v[20:21]" if m.op in ("cmpswap", "fcmpswap") else "v20"
        extra = m.offset + m.bias + m.compare + m.lod + m.clamp + m.mip
        count = 1 if m.kind == "resinfo" else 2 + extra + 4 * m.derivatives
        if count > 4:
            count = 8
        address = "v0" if count == 1 else f"v[0:{count - 1}]"
        sharp = "s[8:15]" + (", s[16:19]" if m.kind in ("sample", "gather", "lod") else "")
        return f"{data}, {address}, {sharp}"


def known_to_llvm(row):
    """Whether LLVM knows a row: it wants another DMASK for CMPSWAP, and has no float atomics of images."""
    return row.m.op not in ("cmpswap", "fcmpswap", "fmin", "fmax", "rsub")


class Blocks(unittest.TestCase):
    def test_by_hand(self):
        # red and blue end points, indices 0 1 2 3 in the first row
        data = 0xF800 | 0x001F << 16 | 0b11100100 << 32
        third = Fraction(1, 3)
        self.assertEqual(blocks.bc1(data)[:4], [[1, 0, 0, 1], [0, 0, 1, 1], [2 * third, 0, third, 1],
                                                [third, 0, 2 * third, 1]])
        data = 0x001F | 0xF800 << 16 | 0b11100100 << 32
        self.assertEqual(blocks.bc1(data)[2:4], [[Fraction(1, 2), 0, Fraction(1, 2), 1], [0, 0, 0, 0]])
        self.assertEqual(blocks.bc2(0xF << 4 | data << 64)[1][3], 1)
        self.assertEqual(blocks.bc2(0xF << 4 | data << 64)[3][:3], [2 * third, 0, third])
        self.assertEqual(blocks.bc4(255 | 2 << 16 | 1 << 19)[:2], [[Fraction(6, 7)], [0]])
        self.assertEqual(blocks.bc4(255 << 8 | 6 << 16 | 7 << 19)[:2], [[0], [1]])
        self.assertEqual(blocks.bc4(0x80 | 0x7F << 8 | 1 << 19, True)[:2], [[-1], [1]])
        # mode 6, both end points 255 in red, 1 in alpha's P bit
        self.assertEqual(blocks.bc7_bytes(1 << 6 | 0x3FFF << 7 | 3 << 63)[0], [255, 1, 1, 1])
        # a mode that there is not
        self.assertEqual(blocks.bc7_bytes(0)[5], [0, 0, 0, 0])
        # one subset of 10 bits: 0x3ff is 1.0 * 65504, 0 is 0
        self.assertEqual(blocks.bc6(0b00011 | 0x3FF << 5)[0], [65504, 0, 0])

    @unittest.skipUnless(Image, "no Pillow")
    def test_pillow(self):
        for name, dx, size, bound in (("bc1", 71, 8, 1.4), ("bc2", 74, 16, 1.4), ("bc3", 77, 16, 1.4),
                                      ("bc4", 80, 8, 1.4), ("bc5", 83, 16, 1.4), ("bc6", 95, 16, 1.2),
                                      ("bc7", 98, 16, 0)):
            rnd = random.Random(name)
            for turn in range(280):
                data = self.data(name, rnd, turn, size)
                ours = getattr(blocks, name)(int.from_bytes(data, "little"))
                for texel, theirs in zip(ours, self.pillow(dx, data)):
                    for a, b in zip(texel, theirs):
                        self.assertLessEqual(abs(min(a, 1) * 255 - b), bound, (name, data.hex()))

    @unittest.skipUnless(Image, "no Pillow")
    def test_pillow_bc6_signed(self):
        rnd = random.Random(6)
        for turn in range(120):
            data = self.data("bc6", rnd, (9, 10, 13)[turn % 3], 16)
            ours = blocks.bc6(int.from_bytes(data, "little"), True)
            for texel, theirs in zip(ours, self.pillow(96, data)):
                for a, b in zip(texel, theirs):
                    self.assertLessEqual(abs(min(max(a, 0), 1) * 255 - b), 1.2, data.hex())

    @unittest.skipUnless(texture2ddecoder, "no texture2ddecoder")
    def test_texture2ddecoder(self):
        rnd = random.Random(7)
        for turn in range(800):
            data = self.data("bc7", rnd, turn, 16)
            found = texture2ddecoder.decode_bc7(data, 4, 4)
            theirs = [[found[4 * k + c] for c in (2, 1, 0, 3)] for k in range(16)]
            self.assertEqual(blocks.bc7_bytes(int.from_bytes(data, "little")), theirs, data.hex())

    @staticmethod
    def data(name, rnd, turn, size):
        data = int.from_bytes(rnd.randbytes(size), "little")
        if name == "bc7":
            mode = turn % 8
            data = data >> mode + 1 << mode + 1 | 1 << mode
        if name == "bc6":
            mode = list(blocks.BC6_MODES)[turn % 14]
            width = 2 if mode < 2 else 5
            data = data >> width << width | mode
        return data.to_bytes(size, "little")

    @staticmethod
    def pillow(dx, data):
        head = b"DDS " + struct.pack("<7I44x", 124, 0x1007, 4, 4, len(data), 0, 1)
        head += struct.pack("<2I4s5I", 32, 4, b"DX10", 0, 0, 0, 0, 0) + struct.pack("<5I", 0x1000, 0, 0, 0, 0)
        image = Image.open(io.BytesIO(head + struct.pack("<5I", dx, 3, 0, 1, 0) + data))
        image.load()
        texels = [image.getpixel((k % 4, k // 4)) for k in range(16)]
        return [t if isinstance(t, tuple) else (t,) for t in texels]


class Formats(unittest.TestCase):
    def check(self, dfmt, nfmt, raw, expected, gen=9):
        self.assertEqual(formats.decode(dfmt, nfmt, raw, gen, set()), [f32(x) if isinstance(x, float) else x & M32
                                                                        for x in expected], (dfmt, nfmt))

    def test_layouts(self):
        unorm, uint, flt = formats.UNORM, formats.UINT, formats.FLOAT
        self.check(16, unorm, 0x001F, [1.0, 0.0, 0.0, 1.0])
        self.check(16, unorm, 0x07E0, [0.0, 1.0, 0.0, 1.0])
        self.check(17, unorm, 0x8000 | 31 << 10, [0.0, 0.0, 1.0, 1.0])
        self.check(17, unorm, 31 << 10, [0.0, 0.0, 1.0, 0.0])
        self.check(18, unorm, 1 | 31 << 11, [1.0, 0.0, 0.0, 1.0])
        self.check(19, unorm, 0x0F05, [1 / 3, 0.0, 1.0, 0.0])
        self.check(20, uint, 0xAB123456, [0x123456, 0xAB, 0, 1])
        self.check(21, uint, 0x123456AB, [0xAB, 0x123456, 0, 1])
        self.check(20, unorm, 0xFFFFFF, [1.0, 0.0, 0.0, 1.0])
        self.check(22, flt, 0x55_3F000000, [0.5, 0x55, 0, 1.0])
        self.check(57, unorm, 0xF0, [0.0, 1.0, 0.0, 1.0])
        self.check(58, unorm, 0x3F << 10, [0.0, 0.0, 1.0, 1.0])
        self.check(34, flt, 256 | 128 << 9 | 1 << 18 | 16 << 27, [1.0, 0.5, 2.0 ** -8, 1.0])
        self.check(6, flt, 0x3C0 | 0x400 << 11 | 0x1E0 << 22, [1.0, 2.0, 1.0, 1.0])
        self.check(9, formats.SNORM, 3 << 30, [0.0, 0.0, 0.0, -1.0])
        self.check(9, formats.SNORM, 3 << 30, [0.0, 0.0, 0.0, 1.0], gen=8)
        self.check(4, uint, 0xDEADBEEF, [0xDEADBEEF, 0, 0, 1])
        self.check(1, formats.SINT, 0x80, [-128, 0, 0, 1])

    def test_halves(self):
        for code in range(0, 0x7C00, 37):
            expected = struct.unpack("<e", code.to_bytes(2, "little"))[0]
            self.assertEqual(formats.decode(2, formats.FLOAT, code, 8, set())[0], f32(expected))

    def test_srgb(self):
        """Published values of sRGB: 188 is 0.5029, 10 is 0.003035, 255 is 1; alpha is linear."""
        found = formats.decode(10, formats.SRGB, 10 | 188 << 8 | 255 << 16 | 128 << 24, 9, set())
        for bits, expected in zip(found, (0.003035, 0.502886, 1.0, 128 / 255)):
            self.assertAlmostEqual(number(bits), expected, 5)

    def test_encode(self):
        """Decoding a texel and encoding it again gives the same bits."""
        rnd = random.Random(3)
        for dfmt in formats.LAYOUT:
            for nfmt in (formats.UNORM, formats.UINT):
                for _ in range(20):
                    raw = rnd.getrandbits(8 * formats.element_size(dfmt))
                    raw &= sum((1 << bits) - 1 << at for at, bits in formats.LAYOUT[dfmt])
                    values = formats.decode(dfmt, nfmt, raw, 9, set())
                    self.assertEqual(formats.encode(dfmt, nfmt, values, 9, set()), raw, (dfmt, nfmt))


class Descriptors(unittest.TestCase):
    def test_fields(self):
        t = Texture([0x00123400, 0x0205_0 << 12 | 7, 99 | 49 << 14, 0x93050FAC | 8 << 20, 0, 0, 0, 0], 9)
        self.assertEqual((t.base, t.width, t.height, t.select), (0x00123400 << 8 | 7 << 40, 100, 50, [4, 5, 6, 7]))
        self.assertEqual((t.type, t.base_level, t.last_level, t.dfmt), (D2, 0, 5, 0x20))
        for gen in (6, 7, 8, 9):
            t = Texture(texture(gen, D2_ARRAY, 20, 9, layers=7, base_array=2, last_array=5, base_level=1, last_level=3),
                        gen)
            self.assertEqual((t.width, t.height, t.slices(), t.levels(), t.size(1)), (20, 9, 4, 3, (5, 2, 1)))
            self.assertEqual(t.pitch % (64 // 4 if gen < 9 else 64), 0)
        s = Sampler(sampler(clamp=(1, 2, 6), mag=1, min_=0, mip=2, bias=-256, min_lod=0x80, border=2, compare=3), 9)
        self.assertEqual((s.clamp, s.mag, s.min, s.mip_filter, s.bias, s.min_lod, s.max_lod, s.border, s.compare),
                         ([1, 2, 6], 1, 0, 2, -256, 0x80, 0xFFF, 2, 3))


class Layout(unittest.TestCase):
    def test_gfx9(self):
        t = Texture(texture(9, D2, 10, 5, last_level=2, base=0x10000), 9)
        self.assertEqual(place(t, 0, 3, 2, 0), 0x10000 + (2 * 64 + 3) * 4)
        self.assertEqual(place(t, 1, 0, 0, 0), 0x10000 + 5 * 64 * 4)
        self.assertEqual(place(t, 2, 1, 1, 0), 0x10000 + ((5 + 3 + 1) * 64 + 1) * 4)
        t = Texture(texture(9, D2_ARRAY, 10, 5, layers=3, last_level=1, base=0x10000), 9)
        self.assertEqual(place(t, 1, 0, 0, 2), 0x10000 + (2 * 8 + 5) * 64 * 4)

    def test_gfx6(self):
        for gen in (6, 7, 8):
            t = Texture(texture(gen, D2, 20, 4, last_level=1, base=0x10000), gen)
            self.assertEqual(t.pitch, 32)
            self.assertEqual(place(t, 0, 1, 3, 0), 0x10000 + (3 * 32 + 1) * 4)
            # 32 * 4 texels; then 32 * 2 (16 wide would do for the width: 16 * 2 is no multiple of 64)
            self.assertEqual(place(t, 1, 0, 1, 0), 0x10000 + (32 * 4 + 32) * 4)

    def test_powers_of_two(self):
        # 12 rows lie as 16, three layers as four, five as eight
        for layers, padded in ((3, 4), (5, 8)):
            words = texture(8, D2_ARRAY, 20, 12, layers=layers, last_level=2, base=0x10000, pow2=1, pitch=32)
            t = Texture(words, 8)
            self.assertEqual(place(t, 0, 1, 2, 2), 0x10000 + (2 * 16 * 32 + 2 * 32 + 1) * 4)
            first = padded * 16 * 32
            self.assertEqual(place(t, 1, 1, 2, 2), 0x10000 + (first + 2 * 8 * 16 + 2 * 16 + 1) * 4)
            self.assertEqual(place(t, 2, 1, 2, 1), 0x10000 + (first + padded * 8 * 16 + 4 * 16 + 2 * 16 + 1) * 4)
        # rows of a level are those of its own height: 9 rows as 16, four as four; pitches halve
        t = Texture(texture(6, D2, 33, 9, last_level=1, base=0x10000, pow2=1, pitch=64), 6)
        self.assertEqual([place(t, 1, 0, y, 0) - 0x10000 for y in (0, 1)], [64 * 16 * 4, (64 * 16 + 32) * 4])

    def test_blocks(self):
        t = Texture(texture(9, D2, 16, 8, dfmt=35, base=0x10000), 9)
        self.assertEqual(place(t, 0, 9, 6, 0), 0x10000 + (32 + 2) * 8)


class Access(unittest.TestCase):
    def test_load(self):
        for arch in ARCHES:
            h = Harness(arch, texel=place_value)
            self.assertEqual(h.run("image_load", [(5, 3)])[:5], [f32(35), 0, 0, ONE, 0xAAAAAAAA])
            self.assertEqual(h.run("image_load", [(5, 3)], dmask=9)[:2], [f32(35), ONE])
            self.assertEqual(h.run("image_load", [(8, 0)]), [0, 0, 0, 0, 0xAAAAAAAA, 0xAAAAAAAA])
            self.assertEqual(h.run("image_load", [(1, 1)], dmask=1, tfe=1)[:2], [f32(11), 0])
            h = Harness(arch, texel=place_value, kind=D3, depth=3)
            self.assertEqual(h.run("image_load", [(5, 3, 2)])[0], f32(235))
            self.assertEqual(h.run("image_load", [(5, 3, 3)])[0], 0)
            h = Harness(arch, texel=place_value, kind=D1_ARRAY, layers=3)
            self.assertEqual(h.run("image_load", [(5, 1)], da=1)[0], f32(105))
            h = Harness(arch, texel=place_value, kind=D2_ARRAY, layers=4, base_array=1, last_array=2)
            self.assertEqual(h.run("image_load", [(5, 1, 1)], da=1)[0], f32(215))
            self.assertEqual(h.run("image_load", [(5, 1, 2)], da=1)[0], 0)
            h = Harness(arch, texel=place_value, last_level=2)
            self.assertEqual(h.run("image_load_mip", [(3, 1, 1)])[0], f32(1013))
            self.assertEqual(h.run("image_load_mip", [(0, 0, 3)])[0], 0)

    def test_d16(self):
        h = Harness("gcn1.4", texel=place_value)
        self.assertEqual(h.run("image_load", [(2, 0)], d16=1, dmask=9)[:2], [0x3C004000, 0xAAAAAAAA])
        self.assertEqual(h.run("image_load", [(2, 0)], d16=1, dmask=1)[0], 0x3C004000)
        h = Harness("gcn1.2", texel=place_value)
        self.assertEqual(h.run("image_load", [(2, 0)], d16=1, dmask=9)[:2], [0x4000, 0x3C00])

    def test_a16(self):
        h = Harness("gcn1.4", texel=place_value, kind=D3, depth=3)
        self.assertEqual(h.run("image_load", [(5 | 3 << 16, 2)], a16=1)[0], f32(235))

    def test_store_and_atomic(self):
        for arch in ARCHES:
            h = Harness(arch, dfmt=10, nfmt=formats.UNORM)
            for k, x in enumerate((ONE, 0x3F000000, 0x40000000)):
                h.w.st.vgpr[40 + k] = [x] * 64
            h.run("image_store", [(2, 1)], dmask=13)
            self.assertEqual(h.w.memory.read(place(h.texture, 0, 2, 1, 0), 4).hex(), "ff0080ff")
            h = Harness(arch, texel=lambda *_: 5, nfmt=formats.UINT)
            h.w.st.vgpr[40] = [7] * 64
            self.assertEqual(h.run("image_atomic_add", [(1, 1)], dmask=1, glc=1)[0], 5)
            self.assertEqual(h.w.memory.read(place(h.texture, 0, 1, 1, 0), 4)[0], 12)
            h.w.st.vgpr[40], h.w.st.vgpr[41] = [9] * 64, [12] * 64
            self.assertEqual(h.run("image_atomic_cmpswap", [(1, 1)], dmask=3, glc=1)[:2], [12, 12])
            self.assertEqual(h.w.memory.read(place(h.texture, 0, 1, 1, 0), 4)[0], 9)

    def test_resinfo(self):
        for arch in ARCHES:
            h = Harness(arch, kind=D3, width=20, height=9, depth=5, last_level=2)
            self.assertEqual(h.run("image_get_resinfo", [(1,)])[:4], [10, 4, 2, 3])
            h = Harness(arch, kind=CUBE, width=8, height=8, layers=12)
            self.assertEqual(h.run("image_get_resinfo", [(0,)], da=1)[:4], [8, 8, 12, 1])
            h = Harness(arch, kind=D1_ARRAY, layers=3)
            self.assertEqual(h.run("image_get_resinfo", [(0,)], da=1)[:2], [8, 3 if arch != "gcn1.4" else 1])


class Sampling(unittest.TestCase):
    def one(self, h, name, *address, **fields):
        return number(h.run(name, [tuple(f32(a) if isinstance(a, float) else a for a in address)], **fields)[0])

    def test_filters(self):
        for arch in ARCHES:
            h = Harness(arch, texel=place_value)
            self.assertEqual(self.one(h, "image_sample_lz", 5.5 / 8, 2.5 / 4), 25)
            h = Harness(arch, texel=place_value, s=dict(mag=1))
            # between texels 3 and 4 in x, and 1 and 2 in y: (3.5, 1.75)
            self.assertEqual(self.one(h, "image_sample_lz", 4.0 / 8, 2.25 / 4), 10 * 1.75 + 3.5)
            h = Harness(arch, texel=place_value, kind=D3, depth=4, s=dict(mag=1))
            self.assertEqual(self.one(h, "image_sample_lz", 4.0 / 8, 2.25 / 4, 0.5), 150 + 17.5 + 3.5)
            h = Harness(arch, texel=place_value, s=dict(mag=1, unnormalized=1))
            self.assertEqual(self.one(h, "image_sample_lz", 4.0, 2.5), 23.5)

    def test_wraps(self):
        self.assertEqual([axis(Wave("gcn1.4"), Fraction(2 * k + 1, 2), 3, mode, False, 0)[0][0]
                          for mode in range(8) for k in (-4, -2, -1, 0, 2, 3, 5)],
                         [2, 1, 2, 0, 2, 0, 2, 2, 1, 0, 0, 2, 2, 0, 0, 0, 0, 0, 2, 2, 2, 2, 1, 0, 0, 2, 2, 2,
                          0, 0, 0, 0, 2, None, None, None, 1, 0, 0, 2, None, None, None, None, None, 0, 2, None, None,
                          None, 1, 0, 0, 2, None, None])

    def test_lod(self):
        for arch in ARCHES:
            s = dict(mag=1, min_=1, mip=2)
            h = Harness(arch, texel=lambda x, y, z, level: f32(level), width=8, height=8, last_level=3, s=s)
            self.assertEqual(self.one(h, "image_sample_l", 0.5, 0.5, 1.25), 1.25)
            self.assertEqual(self.one(h, "image_sample_l", 0.5, 0.5, 9.0), 3)
            self.assertEqual(self.one(h, "image_sample_lz", 0.5, 0.5), 0)
            # 4 texels in x, 2 in y a step: log2(4)
            self.assertEqual(self.one(h, "image_sample_d", 0.5, 0.0, 0.0, 0.25, 0.5, 0.5), 2)
            self.assertEqual(self.one(h, "image_sample_d_cl", 0.5, 0.0, 0.0, 0.25, 0.5, 0.5, 2.5), 2.5)
            quad = [(0.0, 0.0), (0.25, 0.0), (0.0, 0.125), (0.25, 0.125)]
            h.run("image_sample", [(f32(a), f32(b)) for a, b in quad])
            self.assertEqual(number(h.w.st.vgpr[40][0]), 1)
            h.run("image_sample_b", [(f32(1.5), f32(a), f32(b)) for a, b in quad])
            self.assertEqual(number(h.w.st.vgpr[40][0]), 2.5)
            h.run("image_get_lod", [(f32(a), f32(b)) for a, b in quad], dmask=3)
            self.assertEqual([number(h.w.st.vgpr[40 + k][0]) for k in range(2)], [1, 1])

    def test_gather(self):
        for arch in ARCHES:
            h = Harness(arch, texel=place_value)
            h.run("image_gather4_lz", [(f32(4.0 / 8), f32(2.0 / 4))], dmask=1)
            self.assertEqual([number(h.w.st.vgpr[40 + k][0]) for k in range(4)], [23, 24, 14, 13])
            h = Harness(arch, texel=lambda x, y, z, level: 10 * y + x, nfmt=formats.UINT)
            h.run("image_gather4_lz", [(f32(4.25 / 8), f32(2.25 / 4))], dmask=1)
            self.assertEqual([h.w.st.vgpr[40 + k][0] for k in range(4)],
                             [23, 24, 14, 13] if arch == "gcn1.4" else [34, 35, 25, 24])
            h = Harness(arch, texel=place_value)
            offset = 1 | (-1 & 63) << 8
            h.run("image_gather4_lz_o", [(offset, f32(4.0 / 8), f32(2.0 / 4))], dmask=1)
            self.assertEqual([number(h.w.st.vgpr[40 + k][0]) for k in range(4)], [14, 15, 5, 4])

    def test_compare(self):
        h = Harness(texel=lambda x, y, z, level: f32(x / 8), s=dict(compare=1, mag=1))
        # texels 3/8 and 4/8 with equal weights; 0.4 < 0.5 only
        self.assertEqual(self.one(h, "image_sample_c_lz", 0.4, 4.0 / 8, 0.5, dmask=1), 0.5)

    def test_border(self):
        h = Harness(texel=place_value, s=dict(clamp=(6, 6, 6), border=1))
        self.assertEqual(h.run("image_sample_lz", [(f32(-0.25), f32(0.5))])[:4], [0, 0, 0, ONE])

    def test_array(self):
        h = Harness(texel=place_value, kind=D2_ARRAY, layers=4)
        for layer, expected in ((1.5, 2), (2.5, 2), (-3.0, 0), (9.0, 3)):
            self.assertEqual(self.one(h, "image_sample_lz", 0.5 / 8, 0.5 / 4, layer, da=1), 100 * expected)

    def test_null(self):
        h = Harness()
        h.w.st.sgpr[8:16] = [0] * 8
        self.assertEqual(h.run("image_sample_lz", [(0, 0)])[:4], [0, 0, 0, 0])

    def test_cube_edges(self):
        """The right edge of +X meets the left one of -Z, its upper edge the right one of +Y turned by a quarter."""
        self.assertEqual(neighbour(0, 4, 1, 4), (5, 0, 1))
        self.assertEqual(neighbour(0, -1, 1, 4), (4, 3, 1))
        self.assertEqual(neighbour(0, 1, -1, 4), (2, 3, 2))
        self.assertEqual(neighbour(4, 1, -1, 4), (2, 1, 3))
        self.assertEqual(neighbour(4, 1, 4, 4), (3, 1, 0))
        self.assertIsNone(neighbour(0, 4, 4, 4))
        # whoever goes over an edge and comes back is where he was
        for face in range(6):
            for x, y in ((-1, 2), (4, 2), (2, -1), (2, 4)):
                other, i, j = neighbour(face, x, y, 4)
                back = [neighbour(other, i + a, j + b, 4) for a, b in ((1, 0), (-1, 0), (0, 1), (0, -1))]
                inside = (face, min(max(x, 0), 3), min(max(y, 0), 3))
                self.assertIn(inside, back)


class Pixels(unittest.TestCase):
    def test_interpolation(self):
        for arch in ARCHES:
            w = Wave(arch)
            w.st.write64(EXEC, (1 << 64) - 1)
            w.st.sgpr[M0] = 64 | 1 << 16                            # quad 1 begins the second primitive
            w.lds = bytearray(512)
            # attribute 1, primitive 1, channel y: P0 = 3, P10 = 2, P20 = 4
            at = 64 + 4 * 12 * (1 * 2 + 1)
            for slot, x in ((2, 3.0), (3, 2.0), (9, 4.0)):
                w.lds[at + 4 * slot:at + 4 * slot + 4] = struct.pack("<f", x)
            w.st.vgpr[0], w.st.vgpr[1] = [f32(0.5)] * 64, [f32(0.25)] * 64
            step(w, Op(find("v_interp_p1_f32", arch), arch, vsrc=0, attr=1, chan=1, vdst=2))
            step(w, Op(find("v_interp_p2_f32", arch), arch, vsrc=1, attr=1, chan=1, vdst=2))
            self.assertEqual([number(w.st.vgpr[2][lane]) for lane in (0, 3, 4, 63)], [0, 0, 5, 5])
            step(w, Op(find("v_interp_mov_f32", arch), arch, vsrc=2, attr=1, chan=1, vdst=2))
            self.assertEqual(number(w.st.vgpr[2][9]), 3)

    def test_direct(self):
        w = Wave("gcn1.4")
        w.st.write64(EXEC, 5)
        w.lds = bytearray(range(128, 192))
        w.st.sgpr[M0] = 4 << 16 | 3
        step(w, Op(find("v_mov_b32", "gcn1.4"), "gcn1.4", vdst=2))
        self.assertEqual(w.st.vgpr[2][:3], [0xFFFFFF83, 0, 0xFFFFFF83])

    def test_export(self):
        w = Wave("gcn1.4")
        w.st.write64(EXEC, 2)
        w.st.vgpr[1], w.st.vgpr[2] = [0x11112222] * 64, [0x33334444] * 64
        step(w, Op(find("exp", "gcn1.4"), "gcn1.4", target=2, en=0xF, compr=1, vsrc0=1, vsrc1=2, done=1))
        found = w.exports[0]
        self.assertEqual((found["target"], found["compr"], found["done"], found["vm"], found["exec"]),
                         ("mrt2", True, True, False, "0x2"))
        self.assertEqual([column[:2] for column in found["values"]],
                         [[None, 0x2222], [None, 0x1111], [None, 0x4444], [None, 0x3333]])
        step(w, Op(find("exp", "gcn1.4"), "gcn1.4", target=12, en=5, vsrc0=1, vsrc2=2))
        self.assertEqual([c and c[1] for c in w.exports[1]["values"]], [0x11112222, None, 0x33334444, None])


if __name__ == "__main__":
    unittest.main()
