#!/usr/bin/env python3
"""Cases against slips of the shaders of our own making: python3 corpus/tools/test_gcnshaders.py

Values are worked out on paper.  With llvm-mc (version 14) every shader is also assembled, for one of its generations,
and run on the models of instructions: they must leave what the meaning of the shader says.  Committed vectors are run
on the models for all generations by `make_shader_vectors.py --check`.
"""

import copy
import os
import shutil
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from gcngraphics.descriptors import sampler
from gcnshaders import assemble, base, every, models
from gcnshaders.base import Shader, bits_of, f16, f32, half, runs
from gcnshaders.images import BORDER, EDGE, FLOAT, MIRROR, REPEAT, Image, combined, linear, point, wrapped
from gcnshaders.pixel_texture import cube_texel
from gcnshaders.pixels import Pixels, derivatives

ARCHES = ("gcn1.0", "gcn1.1", "gcn1.2", "gcn1.4")


class Numbers(unittest.TestCase):
    def test_halves_are_rounded_toward_zero(self):
        for x, bits in ((1.0, 0x3C00), (-2.0, 0xC000), (1 / 3, 0x3555), (0.1, 0x2E66), (-0.1, 0xAE66), (0.0, 0),
                        (65504.0, 0x7BFF), (2.0 ** -24, 1), (1 + 2047 / 2048, 0x3FFF), (-0.0, 0x8000)):
            self.assertEqual(f16(x), bits, x)
        self.assertEqual(half(0x3555), 0x555 / 4096)

    def test_bits(self):
        self.assertEqual((bits_of(1.5), bits_of(-1), bits_of(7)), (0x3FC00000, 0xFFFFFFFF, 7))

    def test_runs_fill_short_holes(self):
        self.assertEqual(runs([1, 2, 5, 20], 4), [[1, 6], [20, 21]])


class Macros(unittest.TestCase):
    def expanded(self, text, gen):
        return assemble.expand(text, gen).split("\n")[:-1]

    def test_lines_of_some_generations(self):
        text = "[67] a\n[89] b // why\n\n c"
        self.assertEqual([self.expanded(text, gen) for gen in (6, 9)], [["a", "c"], ["b", "c"]])

    def test_offsets_of_scalar_loads(self):
        self.assertEqual(self.expanded("s_load_dwordx4 s[0:3], s[2:3], off(0x50)", 7),
                         ["s_load_dwordx4 s[0:3], s[2:3], 0x14"])
        self.assertEqual(self.expanded("s_load_dword s0, s[2:3], off(12)", 8), ["s_load_dword s0, s[2:3], 0xc"])

    def test_pointer(self):
        self.assertEqual(self.expanded("pointer s3", 8), ["s_mov_b32 s3, 0"])
        self.assertEqual(self.expanded("pointer s3", 9), ["s_movk_i32 s3, 0x8000"])

    def test_integers(self):
        self.assertEqual([self.expanded("v_iadd v0, s1, v2", gen)[0] for gen in (7, 8, 9)],
                         ["v_add_i32 v0, vcc, s1, v2", "v_add_u32 v0, vcc, s1, v2", "v_add_u32 v0, s1, v2"])

    def test_interpolation(self):
        self.assertEqual(self.expanded("interp v4, attr2.xz, v8, v9", 6),
                         ["v_interp_p1_f32 v4, v8, attr2.x", "v_interp_p2_f32 v4, v9, attr2.x",
                          "v_interp_p1_f32 v5, v8, attr2.z", "v_interp_p2_f32 v5, v9, attr2.z"])

    def test_three_dwords(self):
        text = "load3 v4, v0, s[8:11], 0 idxen offset:16"
        self.assertEqual(self.expanded(text, 6), ["buffer_load_dword v6, v0, s[8:11], 0 idxen offset:24",
                                                  "buffer_load_dwordx2 v[4:5], v0, s[8:11], 0 idxen offset:16"])
        self.assertEqual(self.expanded(text, 7), ["buffer_load_dwordx3 v[4:6], v0, s[8:11], 0 idxen offset:16"])


class Descriptors(unittest.TestCase):
    def test_records_are_vertices_but_bytes_on_gfx8(self):
        found = [Shader(arch, "x", "vertex").buffer(0x8000_12345678, stride=24, records=10)[2] for arch in ARCHES]
        self.assertEqual(found, [10, 10, 240, 10])
        self.assertEqual(Shader("gcn1.4", "x", "vertex").buffer(0xFFFF8000_12345678, 16, stride=24),
                         [0x12345678, 24 << 16 | 0x8000, 16, 0x27FAC])

    def test_windows_of_pointers(self):
        for arch, window in zip(ARCHES, (0, 0, 0, 0xFFFF8000)):
            s = Shader(arch, "x", "pixel")
            pointer = s.table([1, 2])
            self.assertEqual((pointer, s.memory[0][0]), (0x10000000, window << 32 | 0x10000000))

    def test_sampler_behind_the_image(self):
        s = Shader("gcn1.2", "x", "pixel")
        image = Image(s, "2d", 4, 4)
        table = combined(image, point())
        self.assertEqual(len(table), 96)
        self.assertEqual(int.from_bytes(table[80:84], "little"), sampler(clamp=(2, 2, 2), trunc=1)[0])


class Attributes(unittest.TestCase):
    def test_layout_in_lds(self):
        s = Shader("gcn1.4", "x", "pixel")
        p = Pixels(s, 0xFF, mask=2, offset=16, starts=(1,))
        p.varying(1, [(1.0, 2.0, 3.0), (4.0, 5.0, 6.0)], (7.0, 8.0, 9.0))
        p.place_attributes()
        # two primitives: attribute 1 of primitive 1 begins at dword 12 * (1 * 2 + 1) behind the offset
        dword = lambda k: int.from_bytes(s.lds[16 + 4 * k:20 + 4 * k], "little")
        self.assertEqual([dword(36 + k) for k in (0, 1, 8, 2, 3, 9)], [f32(x) for x in (4, 5, 6, 7, 8, 9)])
        self.assertEqual([dword(24 + k) for k in (0, 1, 8)], [f32(x) for x in (1, 2, 3)])
        self.assertEqual(s.sgpr[2], 16 | 1 << 16 | 1 << 31)

    def test_planes_and_derivatives(self):
        s = Shader("gcn1.0", "x", "pixel")
        p = Pixels(s, 0x1F)
        value = p.varying(0, (1.0, 32.0, 64.0))
        # lane 5 is the second pixel of the second quad: x = 3, y = 0
        self.assertEqual(value(5), [1 + 7 + 2.0])
        self.assertEqual(derivatives(lambda lane: value(lane)[0], 6), (2.0, 4.0))
        self.assertEqual(s.alive(), list(range(8)))


class Filtering(unittest.TestCase):
    def image(self, **more):
        s = Shader("gcn1.2", "x", "pixel")
        return Image(s, "2d", 4, 2, dfmt=4, nfmt=FLOAT, texels=lambda _l, _p, x, y: f32(10 * y + x), **more)

    def test_wrap_modes(self):
        places = (-5, -1, 0, 3, 4, 7)
        self.assertEqual([wrapped(i, 4, REPEAT) for i in places], [3, 3, 0, 3, 0, 3])
        self.assertEqual([wrapped(i, 4, MIRROR) for i in places], [3, 0, 0, 3, 3, 0])
        self.assertEqual([wrapped(i, 4, EDGE) for i in places], [0, 0, 0, 3, 3, 3])
        self.assertEqual([wrapped(i, 4, BORDER) for i in places], [None, None, 0, 3, None, None])

    def test_nearest(self):
        image = self.image()
        self.assertEqual(image.nearest(0.3, 0.6)[0], 11.0)
        self.assertEqual(image.nearest(1.1, -3.0)[0], 3.0)
        self.assertEqual(image.nearest(1.1, 0.0, wrap=REPEAT)[0], 0.0)

    def test_bilinear(self):
        image = self.image()
        # u * 4 - 0.5 = 1.25, v * 2 - 0.5 = 0.5
        self.assertEqual(image.bilinear(1.75 / 4, 0.5)[0], 1.25 + 5.0)
        self.assertEqual(image.bilinear(0.0, 0.0)[0], 0.0)
        self.assertEqual(image.bilinear(0.0, 0.25, wrap=REPEAT)[0], 1.5)
        self.assertEqual(image.bilinear(0.0, 0.25, wrap=BORDER, border=(8.0, 0, 0, 0))[0], 4.0)

    def test_a_store_changes_its_texel_only(self):
        image = self.image()
        image.stored({(0, 0, 1, 1): f32(99.0)})
        changes = image.shader.changes()
        # 11.0 and 99.0 have the two low bytes in common
        self.assertEqual([int(c["base"], 16) - image.base for c in changes], [4 * (image.texture.pitch + 1) + 2])

    def test_faces_of_a_cube(self):
        s = Shader("gcn1.1", "x", "pixel")
        image = Image(s, "cube", 4, 4, layers=6, dfmt=4, nfmt=FLOAT,
                      texels=lambda _l, face, x, y: f32(100 * face + 10 * y + x))
        # a direction a little right and up of the middle of each face, as seen from inside
        near = {(1, 0.3, -0.2): 12, (-1, 0.3, 0.2): 112, (0.2, 1, 0.3): 222, (0.2, -1, -0.3): 322, (0.2, 0.3, 1): 412,
                (-0.2, 0.3, -1): 512}
        for direction, texel in near.items():
            self.assertEqual(cube_texel(image, direction)[0], texel, direction)


class Vectors(unittest.TestCase):
    def test_registers_that_a_text_names(self):
        text = "v_mov_b32 v3, s[4]\ns_load_dwordx2 s[6:7], s[2:3], 0x0\nimage_load v[4:5], v9, s[8:9] dmask:0x3"
        self.assertEqual(base.named("s", text), [2, 3, 4, 6, 7, 8, 9])
        self.assertEqual(base.named("v", text), [3, 4, 5, 9])

    def test_what_the_keys_say(self):
        s = Shader("gcn1.4", "x", "pixel")
        Pixels(s, 0x13)
        s.words, s.code_size, s.constants = [1, 2, 3], 8, [3]
        s.data(bytes(4), private=True)
        at = s.data(bytes(16))
        s.leaves(at, [0, 7])
        s.export("mrt0", lambda lane: [float(lane), 1.0], en=0b1001, done=True, vm=True, lanes=[1, 2, 4])
        s.close("mrt0", "f32", ulp=2)
        v = s.vector(3)
        self.assertEqual((v["id"], v["program"], v["stage"], v["exec_size"]), ("gcn1.4/pixel/003-x", True, "pixel", 8))
        self.assertEqual((v["fmt"], v["tolerance"]), ({"mrt0": "f32"}, {"ulp": 2}))
        self.assertTrue(v["init"]["memory"][0]["private"])
        self.assertEqual(v["expect"]["memory"], [{"base": f"{at + 4:#x}", "hex": "07"}])
        export, = v["expect"]["exports"]
        self.assertEqual((export["en"], export["exec"]), (9, "0x12"))
        self.assertEqual(export["values"][1:3], [None, None])
        self.assertEqual(export["values"][0][:5], [None, f32(1), None, None, f32(4)])

    def test_enough_of_each_stage(self):
        for arch in ARCHES:
            stages = [stage for _, stage, function in every.every() if arch in every.generations(function)]
            self.assertGreaterEqual(min(stages.count(stage) for stage in every.STAGES), 30)
        names = [name for name, _, _ in every.every()]
        self.assertEqual(len(names), len(set(names)))


@unittest.skipUnless(any(map(shutil.which, assemble.ASSEMBLERS)), "llvm-mc is not installed")
class Models(unittest.TestCase):
    def test_models_leave_what_shaders_mean(self):
        for k, (name, stage, function) in enumerate(every.every()):
            arches = every.generations(function)
            arch = arches[k % len(arches)]
            with self.subTest(name, arch=arch):
                self.assertEqual(models.differences(every.vector(arch, name, stage, function, k)), [])

    def test_models_notice(self):
        name, stage, function = next(item for item in every.every() if item[0] == "image-store-and-counter")
        v = every.vector("gcn1.2", name, stage, function, 0)
        self.assertEqual(models.differences(v), [])
        lane = next(k for k in range(64) if v["expect"]["exports"][0]["values"][0][k] is not None)
        for change in (lambda e: e["exports"][0]["values"][0].__setitem__(lane, 1),
                       lambda e: e["exports"][0].update(done=False), lambda e: e["exports"][0].update(exec="0x1"),
                       lambda e: e["exports"].pop(), lambda e: e.pop("memory"),
                       lambda e: e["memory"][0].update(hex="77")):
            other = copy.deepcopy(v)
            change(other["expect"])
            self.assertNotEqual(models.differences(other), [])

    def test_repeatable(self):
        name, stage, function = next(item for item in every.every() if item[0] == "bilinear")
        first, second = (every.vector("gcn1.1", name, stage, function, 5) for _ in range(2))
        self.assertEqual(first, second)


if __name__ == "__main__":
    unittest.main()
