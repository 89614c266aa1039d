#!/usr/bin/env python3
"""Checks of gcnradv and gcnplant: python3 corpus/tools/test_gcnplant.py (no packages, no compiler)."""

import gzip
import io
import pathlib
import struct
import sys
import tarfile
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from gcnplant import changes, code, decode, flow, waits
from gcnradv import sources

SHADERS = pathlib.Path(__file__).resolve().parent.parent / "shaders"
END = 0xBF810000


def program(arch, *words):
    """Instructions and blocks of words, which an end is added to."""
    data = struct.pack(f"<{len(words) + 1}I", *words, END)
    instructions = code.instructions(code.Area(pathlib.Path("t"), "", arch, 0, 0, data))
    return instructions, flow.Blocks(instructions, 0)


def found(arch, *words):
    instructions, blocks = program(arch, *words)
    return waits.Walk(instructions, blocks, arch).run() | waits.hazards(instructions, blocks, arch)


# gcn1.2: s_load_dword s4, s[0:1], 0x0; s_mov_b32 s5, s4; waits; buffer_load_dword v1, v0, s[0:3], 0 offen; v_add_f32
LOAD = (0xC0020100, 0x00000000)
USE = 0xBE850004
BUFFER = (0xE0501000, 0x80000100)
BUFFER2 = (0xE0501000, 0x80000200)
ADD = 0x02060301  # v_add_f32 v3, v1, v1
WAIT_LGKM0, WAIT_VM1, WAIT_VM0 = 0xBF8C007F, 0xBF8C0F71, 0xBF8C0F70


class Waits(unittest.TestCase):
    def test_scalar_load(self):
        self.assertEqual([(f.kind, f.producer, f.consumer) for f in found("gcn1.2", *LOAD, USE)], [("wait-lgkm", 0, 8)])
        self.assertEqual(found("gcn1.2", *LOAD, WAIT_LGKM0, USE), set())

    def test_ages(self):
        self.assertEqual(found("gcn1.2", *BUFFER, *BUFFER2, WAIT_VM1, ADD), set())
        self.assertEqual(len(found("gcn1.2", *BUFFER2, *BUFFER, WAIT_VM1, ADD)), 1)
        self.assertEqual(found("gcn1.2", *BUFFER2, *BUFFER, WAIT_VM0, ADD), set())

    def test_states(self):
        # v_readlane_b32 s0, v0, s1 after v_readfirstlane_b32 s1, v2 wants four states
        lane, first = (0xD2890000, 0x00000300), 0x7E020502
        self.assertEqual([f.kind for f in found("gcn1.2", first, *lane)], ["states-valu-sgpr-lanesel"])
        self.assertEqual([f.kind for f in found("gcn1.2", first, 0xBF800002, *lane)], ["states-valu-sgpr-lanesel"])
        self.assertEqual(found("gcn1.2", first, 0xBF800003, *lane), set())

    def test_immediates(self):
        for counter, value in (("vm", 37), ("exp", 3), ("lgkm", 9)):
            word = 0xBF8C0000 | waits.immediate(0xCF7F, counter, value)
            inst = decode.Decoder("gcn1.4").decode((word,), 0, 0)
            self.assertEqual(waits.counts(inst, "gcn1.4"), {counter: value})


class Sample(unittest.TestCase):
    """The committed shaders: all decode, have no finding within a block, and can be changed."""

    def test_sample(self):
        data = gzip.decompress((SHADERS / "radv.tar.gz").read_bytes())
        with tempfile.TemporaryDirectory() as folder:
            tarfile.open(fileobj=io.BytesIO(data)).extractall(folder, filter="data")
            files = sorted(pathlib.Path(folder).rglob("*.bin"))
            self.assertGreater(len(files), 300)
            changeable = 0
            for file in files[::20]:
                area = code.raw(file)
                instructions = code.instructions(area)
                blocks = flow.Blocks(instructions, 0)
                findings = waits.Walk(instructions, blocks, area.arch).run()
                findings |= waits.hazards(instructions, blocks, area.arch)
                self.assertEqual([f for f in findings if f.same_block], [], file)
                options = list(changes.candidates(instructions, flow.towards_outputs(instructions, blocks)))
                for pc, _, words in options:
                    again = decode.Decoder(area.arch).decode(words, 0, pc)
                    self.assertEqual((again.name, again.size), (instructions[pc].name, instructions[pc].size))
                changeable += bool(options)
            self.assertGreater(changeable, len(files) // 20 * 3 // 4)


class Sources(unittest.TestCase):
    def test_values(self):
        self.assertEqual(sources.split_values("pow(a,b),ivec2(1, -1),x"), ["pow(a,b)", "ivec2(1, -1)", "x"])
        self.assertEqual(
            list(sources.instances("n D=a/x,b/y", "D0 s.D1 $D")), [("n-a-x", "a s.x a/x"), ("n-b-y", "b s.y b/y")]
        )

    def test_shaders(self):
        names = [pipeline.name for pipeline in sources.read(SHADERS / "glsl")]
        self.assertGreater(len(names), 300)
        self.assertEqual(len(names), len(set(names)))


if __name__ == "__main__":
    unittest.main()
