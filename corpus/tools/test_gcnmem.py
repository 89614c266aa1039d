#!/usr/bin/env python3
"""Hand-computed cases against slips of the model of memory instructions: python3 corpus/tools/test_gcnmem.py

Expected values come from the tables of the documents or were worked out on paper, not
copied from a run.  Words are compared with llvm-mc 15 where it is installed.
"""

import os
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from gcnmodel import EXEC, M0
from gcnmem import formats
from gcnmem.atomics import integer, share_float, vector_memory_float
from gcnmem.buffer_cases import SELECT, descriptor
from gcnmem.ds import swizzle_source
from gcnmem.encode import Op
from gcnmem.execute import step
from gcnmem.machine import Machine, Memory
from gcnmem.rows import ROWS, executed, find

M32 = (1 << 32) - 1
GENERATIONS = ("gcn1.0", "gcn1.1", "gcn1.2", "gcn1.4")


def machine(arch, execute=1, memory=(), lds=None):
    w = Machine(arch)
    w.st.write64(EXEC, execute)
    w.memory = Memory(memory)
    w.lds = None if lds is None else bytearray(lds)
    w.st.sgpr[M0] = M32 if lds is not None else 0
    return w


def dwords(*values):
    return b"".join(value.to_bytes(4, "little") for value in values)


def run(w, name, **fields):
    """Executes an instruction; returns its fault or None."""
    return step(w, Op(find(name, w.arch), w.arch, **fields))


def put(w, n, lanes):
    w.st.vgpr[n] = list(lanes) + [0] * (64 - len(lanes))


def got(w, n, lanes):
    return [w.v(n, lane) for lane in lanes]


class Words(unittest.TestCase):
    """Fields to words: compared with what llvm-mc 15 prints for the text."""

    def check(self, name, arch, expected, **fields):
        words = Op(find(name, arch), arch, **fields).words()
        self.assertEqual([f"{word:08x}" for word in words], expected.split(), name)

    def test_words(self):
        self.check("global_load_dword", "gcn1.4", "dc508000 017f0002", addr=2, vdst=1)
        self.check("global_store_dword", "gcn1.4", "dc708004 007f0102", addr=2, data=1, offset=4)
        self.check("ds_add_u32", "gcn1.4", "d8000000 00000100", data0=1)
        self.check("s_memtime", "gcn1.4", "c0900080 00000000", sbase=0, sdst=2, imm=0)
        self.check("s_load_dword", "gcn1.4", "c0020001 00000000", sbase=2, sdst=0, imm=1)

    @unittest.skipUnless(shutil.which("llvm-mc-15"), "no llvm-mc-15")
    def test_words_of_all_rows(self):
        """LLVM's disassembler reads every row of 1.2 and 1.4 as the same instruction."""
        for arch, chip in (("gcn1.2", "gfx803"), ("gcn1.4", "gfx900"), ("gcn1.4.1", "gfx906")):
            rows = [row for row in ROWS if arch in row.opcode and executed(row)]
            text = ""
            for row in rows:
                fields = dict(addr=1, vdst=2, data0=3, data1=5) if row.encoding == "DS" else {}
                if row.encoding == "DS" and row.m.kind == "none":
                    fields = {}
                if row.encoding == "SMEM":
                    fields = dict(sbase=0 if row.m.kind in ("none", "clock") else 4, sdst=8, imm=1)
                    if row.m.kind == "none" and "probe" not in row.mnemonic:
                        fields = dict(sbase=4 * ("discard" in row.mnemonic), imm="discard" in row.mnemonic)
                    if row.m.kind == "clock":
                        fields["imm"] = 0
                words = Op(row, arch, **fields).words()
                if row.mnemonic.startswith("buffer_wbinvl1"):
                    words = [words[0], 0]
                text += " ".join(f"0x{byte:02x}" for byte in dwords(*words)) + "\n"
            command = ["llvm-mc-15", "-arch=amdgcn", f"-mcpu={chip}", "-disassemble"]
            done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
            self.assertEqual(done.stderr, "")
            names = [line.split()[0] for line in done.stdout.splitlines() if line.strip()]
            self.assertEqual(names, [".text"] + [row.mnemonic for row in rows])


class Atomics(unittest.TestCase):
    def test_integers(self):
        cases = [("inc", 5, 5, 0), ("inc", 5, 6, 6), ("inc", M32, M32, 0), ("dec", 0, 9, 9), ("dec", 10, 9, 9),
                 ("dec", 9, 9, 8), ("smin", 1, M32, M32), ("umin", 1, M32, 1), ("smax", 1, M32, 1),
                 ("umax", 1, M32, M32), ("sub", 0, 1, M32), ("rsub", 1, 0, M32), ("add", M32, 2, 1),
                 ("mskor", 0xFF, (0x0F, 0x100), 0x1F0), ("wrap", 7, (5, 100), 2), ("wrap", 4, (5, 100), 104),
                 ("cmpswap", 3, (7, 3), 7), ("cmpswap", 4, (7, 3), 4), ("cmpst", 3, (3, 7), 7), ("cmpst", 4, (3, 7), 4)]
        for op, old, data, new in cases:
            self.assertEqual(integer(op, old, data, 32), new, (op, old, data))
        self.assertEqual(integer("add", (1 << 64) - 1, 2, 64), 1)
        self.assertEqual(integer("smin", 1 << 63, 0, 64), 1 << 63)

    def test_floats(self):
        one, two, nan, snan, minus0 = 0x3F800000, 0x40000000, 0x7FC00000, 0x7F800001, 0x80000000
        keep, flush = 0x3F0, 0x300
        for op, old, data, mode, new in (
                ("fmin", one, two, keep, one), ("fmax", one, two, keep, two), ("fmin", 0, minus0, keep, minus0),
                ("fmax", minus0, 0, keep, 0), ("fmin", nan, one, keep, one), ("fmin", one, nan, keep, one),
                ("fmin", snan, nan, keep, 0x7FC00001), ("fadd", one, one, keep, two), ("fadd", 1, 1, keep, 2),
                ("fadd", 1, 1, flush, 0), ("fadd", 0x7F800000, 0xFF800000, keep, 0x7FC00000),
                ("fadd", 0x3F800000, 0x33800000, keep, 0x3F800000), ("fadd", 0x3F800001, 0x33800000, keep, 0x3F800002),
                ("fadd", 0x7F7FFFFF, 0x7F7FFFFF, keep, 0x7F800000), ("fcmpst", minus0, (0, two), keep, two),
                ("fcmpst", nan, (nan, two), keep, nan), ("fcmpst", 1, (2, two), flush, two),
                ("fcmpst", 1, (2, two), keep, 1),
                ("fcmpst", 0, (0, 5), flush, 0)):
            self.assertEqual(share_float(op, old, data, 32, mode, set()), new, (op, hex(old), data, hex(mode)))
        self.assertEqual(vector_memory_float("fcmpswap", 0, (two, minus0), 32, set()), two)
        self.assertEqual(vector_memory_float("fmin", minus0, 0, 32, set()), minus0)
        self.assertEqual(vector_memory_float("fmin", 0, minus0, 32, set()), 0)


class Formats(unittest.TestCase):
    def load(self, field, bits, nfmt, gen=9):
        return formats.load_component(field, bits, nfmt, gen, set())

    def store(self, value, bits, nfmt, gen=9):
        return formats.store_component(value, bits, nfmt, gen, set())

    def test_loads(self):
        for field, bits, nfmt, gen, value in (
                (128, 8, 0, 9, 0x3F008081), (0x80, 8, 1, 9, 0xBF800000), (0x81, 8, 1, 9, 0xBF800000),
                (0x40, 8, 1, 9, 0x3F010204), (512, 10, 0, 9, 0x3F002008), (0x80, 8, 6, 6, 0xBF800000),
                (0, 8, 6, 7, 0x3B808081), (3, 2, 1, 8, 0x3F800000), (3, 2, 1, 9, 0xBF800000), (2, 2, 5, 8, 2),
                (2, 2, 5, 9, 0xFFFFFFFE), (200, 8, 2, 9, 0x43480000), (200, 8, 3, 9, 0xC2600000), (200, 8, 4, 9, 200),
                (200, 8, 5, 9, 0xFFFFFFC8), (0x3C00, 16, 7, 9, 0x3F800000), (0x0001, 16, 7, 9, 0x33800000),
                (0xFC00, 16, 7, 9, 0xFF800000), (0x7E01, 16, 7, 9, 0x7FC02000), (0xDEADBEEF, 32, 0, 9, 0xDEADBEEF),
                (0x3C0, 11, 7, 9, 0x3F800000), (1, 11, 7, 9, 0x35800000), (0x3E0, 10, 7, 9, 0x7F800000)):
            self.assertEqual(self.load(field, bits, nfmt, gen), value, (field, bits, nfmt, gen))
        fields = formats.split(0x786003C0, 6)
        self.assertEqual([self.load(x, bits, 7) for x, (_, bits) in zip(fields, formats.LAYOUT[6])],
                         [0x3F800000, 0x40000000, 0x3F840000])

    def test_stores(self):
        half, minus = 0x3F000000, 0xBF800000
        for value, bits, nfmt, field in (
                (half, 8, 0, 128), (0x40000000, 8, 0, 255), (minus, 8, 0, 0), (0x7FC00000, 8, 0, 0),
                (minus, 8, 1, 0x81), (half, 8, 1, 64), (300, 8, 4, 255), (0xFFFFFF00, 8, 5, 0x80), (300, 8, 5, 127),
                (0x477FF000, 16, 7, 0x7BFF), (0x3F801FFF, 16, 7, 0x3C00), (0xFF800000, 16, 7, 0xFC00),
                (0xBF800000, 11, 7, 0), (0x3F800000, 10, 7, 0x1E0), (0x33800000, 16, 7, 1), (0x33000000, 16, 7, 0),
                (0x12345678, 32, 0, 0x12345678)):
            self.assertEqual(self.store(value, bits, nfmt), field, (hex(value), bits, nfmt))

    def test_select(self):
        w = machine("gcn1.4", memory=[(0x1000, dwords(0x44332211))])
        w.st.sgpr[4:8] = descriptor(0x1000, dfmt=10, nfmt=4, select=6 | 5 << 3 | 4 << 6 | 1 << 9)
        run(w, "buffer_load_format_xyzw", vdata=8)
        self.assertEqual([w.v(n, 0) for n in range(8, 12)], [0x33, 0x22, 0x11, 1])

    def test_stores_zero_other_components(self):
        w = machine("gcn1.4", memory=[(0x1000, dwords(M32))])
        w.st.sgpr[4:8] = descriptor(0x1000)
        put(w, 1, [0x12])
        run(w, "tbuffer_store_format_x", vdata=1, dfmt=10, nfmt=4)
        self.assertEqual(bytes(w.memory.regions[0][1]), dwords(0x12))


class Buffers(unittest.TestCase):
    def at(self, arch, v, bits, execute=1, **fields):
        """The dwords that BUFFER_LOAD_DWORD loads; memory holds its own address from 0x1000."""
        w = machine(arch, execute, [(0x1000, dwords(*range(0x1000, 0x1000 + (1 << 19), 4)))])
        w.st.sgpr[4:8] = descriptor(0x1000, **bits)
        for n, lanes in v.items():
            put(w, n, lanes)
        self.assertIsNone(run(w, "buffer_load_dword", vdata=20, **fields))
        return [value and value - 0x1000 for value in got(w, 20, w.lanes())]

    def test_swizzle(self):
        scratch = dict(swizzle=1, tid=1, indices=3, element=1, records=1 << 20)
        for arch in GENERATIONS:
            bits = scratch | dict(dfmt=0 if arch in ("gcn1.2", "gcn1.4") else 4)
            # element 2 of lane 5, element 1024 of lane 63
            self.assertEqual(self.at(arch, {0: [0] * 5 + [8]}, bits, 1 << 5, offen=1), [532])
            self.assertEqual(self.at(arch, {0: [0] * 63 + [4096]}, bits, 1 << 63, offen=1), [262396])
        tiled = dict(swizzle=1, stride=16, indices=0, element=1, records=1 << 20)
        self.assertEqual(self.at("gcn1.4", {0: [13], 1: [8]}, tiled, offen=1, idxen=1), [212])
        tiled = dict(swizzle=1, stride=48, indices=1, element=2, records=1 << 20)
        self.assertEqual(self.at("gcn1.0", {0: [37], 1: [20]}, tiled, offen=1, idxen=1), [1836])

    def test_order_of_address_registers(self):
        self.assertEqual(self.at("gcn1.4", {0: [2], 1: [4]}, dict(stride=16), offen=1, idxen=1), [36])

    def test_ranges(self):
        structured = dict(stride=16, records=4)
        far = dict(idxen=1, offset=16)
        self.assertEqual(self.at("gcn1.4", {0: [3]}, structured, **far), [64])
        self.assertEqual(self.at("gcn1.0", {0: [3]}, structured, **far), [0])
        self.assertEqual(self.at("gcn1.1", {0: [3]}, structured, **far), [0])
        self.assertEqual(self.at("gcn1.2", {0: [3]}, dict(stride=16, records=64), **far), [0])
        self.assertEqual(self.at("gcn1.2", {0: [3]}, dict(stride=16, records=65), **far), [64])
        self.assertEqual(self.at("gcn1.4", {0: [4]}, structured, idxen=1), [0])

    def test_partly_out_of_range(self):
        for arch in GENERATIONS:
            w = machine(arch, memory=[(0x1000, dwords(1, 2, 3, 4))])
            w.st.sgpr[4:8] = descriptor(0x1000, records=8)
            run(w, "buffer_load_dwordx4", vdata=4)
            self.assertEqual([w.v(n, 0) for n in range(4, 8)], [1, 2, 0, 0])

    def test_atomic(self):
        w = machine("gcn1.4", memory=[(0x1000, dwords(3))])
        w.st.sgpr[4:8] = descriptor(0x1000)
        put(w, 1, [7])
        put(w, 2, [3])
        run(w, "buffer_atomic_cmpswap", vdata=1, glc=1)
        self.assertEqual((bytes(w.memory.regions[0][1]), w.v(1, 0), w.v(2, 0)), (dwords(7), 3, 3))

    def test_to_lds(self):
        w = machine("gcn1.4", 0b101, [(0x1000, bytes([0x80] * 32))], bytes(64))
        w.st.sgpr[4:8] = descriptor(0x1000)
        w.st.sgpr[M0] = 16
        run(w, "buffer_load_sbyte", lds=1, offset=4)
        self.assertEqual(w.lds[20:32], dwords(0xFFFFFF80, 0, 0xFFFFFF80))

    def test_fault_changes_nothing(self):
        w = machine("gcn1.4", 0b11, [(0x1000, dwords(5))])
        w.st.sgpr[4:8] = descriptor(0x1000)
        put(w, 0, [0, 4])
        fault = run(w, "buffer_store_dword", offen=1, vdata=9)
        self.assertEqual((fault.access, fault.address, fault.size, fault.lane), ("store", 0x1004, 4, 1))
        self.assertEqual((bytes(w.memory.regions[0][1]), w.st.pc), (dwords(5), 0))


class Scalars(unittest.TestCase):
    def buffer(self, arch, stride, records, offset, name="s_buffer_load_dword", count=1):
        w = machine(arch, memory=[(0x1000, dwords(*range(1, 33)))])
        w.st.sgpr[4:8] = 0x1000, stride << 16, records, 0
        w.st.sgpr[20] = offset
        run(w, name, sbase=4, sdst=8, imm=0, offset=20)
        return w.st.sgpr[8:8 + count]

    def test_bounds(self):
        for arch in GENERATIONS:
            self.assertEqual(self.buffer(arch, 0, 12, 6, "s_buffer_load_dwordx4", 4), [2, 3, 0, 0])
            self.assertEqual(self.buffer(arch, 16, 2, 28), [8])
            self.assertEqual(self.buffer(arch, 16, 2, 32), [0])

    def test_units(self):
        for arch, fields, index in (("gcn1.0", dict(offset=3), 3), ("gcn1.2", dict(offset=12), 3),
                                    ("gcn1.1", dict(imm=0, offset=255, literal=5), 5),
                                    ("gcn1.4", dict(offset=8, soe=1, soffset=20), 4),
                                    ("gcn1.4", dict(imm=0, soe=1, soffset=20), 2),
                                    ("gcn1.4", dict(imm=0, offset=20), 2)):
            w = machine(arch, memory=[(0x1000, dwords(*range(32)))])
            w.st.sgpr[4], w.st.sgpr[20] = 0x1000, 8
            run(w, "s_load_dword", sbase=4, sdst=8, **fields)
            self.assertEqual(w.st.sgpr[8], index, (arch, fields))
        w = machine("gcn1.4", memory=[(0x1000, dwords(*range(64)))])
        w.st.sgpr[4], w.st.sgpr[20] = 0x1000, 2 * 4
        run(w, "s_scratch_load_dword", sbase=4, sdst=8, offset=-512 + 4, soe=1, soffset=20)
        self.assertEqual(w.st.sgpr[8], 1)


class Flat(unittest.TestCase):
    def test_scratch(self):
        for arch, code in (("gcn1.1", 104), ("gcn1.2", 102), ("gcn1.4", 102)):
            w = machine(arch, 1 << 5, [(0x8000 + 8 * 64 + 20, dwords(0x44332211))], bytes(64))
            w.apertures = dict(shared=0x10000, private=0x20000, hidden_private_base=0x7000)
            w.st.sgpr[code], w.st.sgpr[code + 1] = (0x8000, 0) if arch == "gcn1.4" else (64, 0x10)
            put(w, 0, [0] * 5 + [10])
            put(w, 1, [0] * 5 + [0x20000])
            self.assertIsNone(run(w, "flat_load_ubyte", addr=0, vdst=2))
            self.assertEqual(w.v(2, 5), 0x33, arch)
        self.assertIsNone(run(w, "scratch_load_ubyte", addr=0, vdst=3))
        self.assertEqual(w.v(3, 5), 0x33)

    def test_saddr_form(self):
        w = machine("gcn1.4", 1, [(0x80001000, dwords(9))])
        w.st.sgpr[20] = 0x1010
        put(w, 0, [0x80000000])
        run(w, "global_load_dword", addr=0, vdst=1, saddr=20, offset=-16)
        self.assertEqual(w.v(1, 0), 9)

    def test_shared_limits(self):
        w = machine("gcn1.2", 1, lds=dwords(1, 2))
        w.apertures = dict(shared=0x20000000, private=0x20000001, hidden_private_base=0)
        w.st.sgpr[M0] = 0
        put(w, 0, [4])
        put(w, 1, [0x20000000])
        self.assertIsNone(run(w, "flat_load_dword", addr=0, vdst=2))
        self.assertEqual(w.v(2, 0), 2)
        put(w, 0, [8])
        self.assertEqual(run(w, "flat_load_dword", addr=0, vdst=2).address, 0x2000000000000008)


class Ends(unittest.TestCase):
    """Loads that begin in memory and end behind it: 14 bytes at 0x1000, then 0x11 at 0x1010 and 0x1011."""

    MEMORY = [(0x1000, bytes(range(1, 15))), (0x1010, b"\x11"), (0x1011, b"\x11")]

    def load(self, name, address, arch="gcn1.4", count=4, **fields):
        w = machine(arch, memory=self.MEMORY)
        put(w, 0, [address])
        fault = run(w, name, addr=0, vdst=4, **fields)
        return fault and (fault.address, fault.size) or [w.v(n, 0) for n in range(4, 4 + count)], sorted(w.doubts)

    def test_vectors(self):
        past = ["load-past-end"]
        self.assertEqual(self.load("global_load_dwordx2", 0x1008, count=2), ([0x0C0B0A09, 0x0E0D], past))
        # The byte behind the gap is there, and so is the one in the region that touches.
        self.assertEqual(self.load("global_load_dword", 0x1010, count=1), ([0x1111], past))
        self.assertEqual(self.load("global_load_ushort", 0x1010, count=1), ([0x1111], []))
        self.assertEqual(self.load("flat_load_dwordx4", 0x1000), ([0x04030201, 0x08070605, 0x0C0B0A09, 0x0E0D], past))
        self.assertEqual(self.load("global_load_dwordx3", 0x1010, count=3), ([0x1111, 0, 0], past))
        # Blocks as large as the address is aligned: each begins with a mapped byte, or the load faults.
        self.assertEqual(self.load("global_load_dwordx3", 0x1008, count=3), ([0x0C0B0A09, 0x0E0D, 0x1111], past))
        self.assertEqual(self.load("global_load_dwordx2", 0x100C, count=2), ([0x0E0D, 0x1111], past))
        self.assertEqual(self.load("global_load_dwordx3", 0x100C), ((0x100C, 12), []))
        self.assertEqual(self.load("global_load_dwordx2", 0x100A), ((0x100A, 8), []))
        self.assertEqual(self.load("global_load_dword", 0x100B), ((0x100B, 4), []))
        self.assertEqual(self.load("global_load_dword", 0x100E), ((0x100E, 4), []))

    def test_buffers(self):
        for arch in GENERATIONS:
            w = machine(arch, memory=self.MEMORY)
            w.st.sgpr[4:8] = descriptor(0x1008)
            self.assertIsNone(run(w, "buffer_load_dwordx2", vdata=4))
            self.assertEqual([w.v(4, 0), w.v(5, 0), w.doubts], [0x0C0B0A09, 0x0E0D, {"load-past-end"}])
            # Two blocks of eight bytes: the second one begins in the region that comes after a gap.
            self.assertIsNone(run(w, "buffer_load_dwordx4", vdata=4))
            self.assertEqual([w.v(n, 0) for n in range(4, 8)], [0x0C0B0A09, 0x0E0D, 0x1111, 0])
            w.st.sgpr[4:8] = descriptor(0x1004)
            self.assertEqual(run(w, "buffer_load_dwordx4", vdata=4, offset=8).address, 0x1014)
            w.st.sgpr[4:8] = descriptor(0x1008)
            self.assertEqual(run(w, "buffer_store_dwordx2", vdata=4).address, 0x100C)

    def test_scalars(self):
        w = machine("gcn1.4", memory=[(0x1000, dwords(1, 2, 3)), (0x1040, dwords(4))])
        w.st.sgpr[4] = 0x1000
        self.assertIsNone(run(w, "s_load_dwordx16", sbase=4, sdst=8))
        self.assertEqual((w.st.sgpr[8:24], w.doubts), ([1, 2, 3] + 13 * [0], {"load-past-end"}))
        self.assertIsNone(run(w, "s_load_dwordx2", sbase=4, sdst=8, offset=8))
        self.assertEqual(w.st.sgpr[8:10], [3, 0])
        self.assertEqual(run(w, "s_load_dwordx4", sbase=4, sdst=8, offset=8).size, 16)
        self.assertEqual(run(w, "s_load_dwordx2", sbase=4, sdst=8, offset=16).size, 8)
        # Two loads of eight bytes, merged, in a buffer of 22 bytes.
        w = machine("gcn1.4", memory=[(0x2000, bytes(range(22)))])
        w.st.sgpr[4] = 0x2000
        self.assertIsNone(run(w, "s_load_dwordx4", sbase=4, sdst=8, offset=8))
        self.assertEqual(w.st.sgpr[8:12], [0x0B0A0908, 0x0F0E0D0C, 0x13121110, 0x1514])
        self.assertEqual(run(w, "s_load_dwordx4", sbase=4, sdst=8, offset=12).size, 16)

    def test_offsets_wrap(self):
        """VADDR + OFFSET is a sum of 32 bits, that of each dword too; SOFFSET counts in range checks."""
        for arch in GENERATIONS:
            w = machine(arch, memory=[(0x1000, dwords(*range(10, 26)))])
            w.st.sgpr[4:8], w.st.sgpr[20] = descriptor(0x1000, records=16), 8
            put(w, 0, [0xFFFFFFF8])
            run(w, "buffer_load_dwordx4", vdata=4, offen=1)
            self.assertEqual([w.v(n, 0) for n in range(4, 8)], [0, 0, 10, 11])
            run(w, "buffer_load_dwordx4", vdata=4, offen=1, offset=16)
            self.assertEqual([w.v(n, 0) for n in range(4, 8)], [12, 13, 0, 0])
            run(w, "buffer_load_dwordx4", vdata=4, offen=1, offset=8, soffset=20)
            self.assertEqual([w.v(n, 0) for n in range(4, 8)], [12, 13, 0, 0])
            run(w, "buffer_store_dword", vdata=6, offen=1, offset=20)
            self.assertEqual(w.memory.read(0x100C, 4), bytes(4))


class Shares(unittest.TestCase):
    def test_two_addresses(self):
        w = machine("gcn1.4", 1, lds=dwords(*range(256)))
        put(w, 0, [16])
        run(w, "ds_read2st64_b32", addr=0, vdst=1, offset=1 | 2 << 8)
        self.assertEqual([w.v(1, 0), w.v(2, 0)], [272 // 4, 528 // 4])
        run(w, "ds_read2_b64", addr=0, vdst=1, offset=1)
        self.assertEqual([w.v(n, 0) for n in range(1, 5)], [6, 7, 4, 5])

    def test_limits(self):
        for arch, m0, value in (("gcn1.2", 4, 0), ("gcn1.2", 8, 2), ("gcn1.4", 4, 2), ("gcn1.0", 0xFFFFFFFF, 2)):
            w = machine(arch, 1, lds=dwords(1, 2))
            w.st.sgpr[M0] = m0
            run(w, "ds_read_b32", addr=0, vdst=1, offset=4)
            self.assertEqual(w.v(1, 0), value, (arch, m0))
            run(w, "ds_read_b32", addr=0, vdst=1, offset=8)
            self.assertEqual(w.v(1, 0), 0)

    def test_cmpst_and_others(self):
        w = machine("gcn1.4", 1, lds=dwords(3, 0x80000010))
        put(w, 1, [3])
        put(w, 2, [7])
        run(w, "ds_cmpst_b32", addr=0, data0=1, data1=2)
        self.assertEqual(w.lds[:4], dwords(7))
        put(w, 3, [0x80000005])
        put(w, 4, [0x00000006])
        run(w, "ds_condxchg32_rtn_b64", addr=0, data0=3, vdst=5)
        self.assertEqual((bytes(w.lds), w.v(5, 0), w.v(6, 0)), (dwords(5, 0x80000010), 7, 0x80000010))

    def test_src2(self):
        w = machine("gcn1.4", 1, lds=dwords(10, 20, 30, 40))
        put(w, 0, [8])
        run(w, "ds_add_src2_u32", addr=0, offset=1)
        self.assertEqual(bytes(w.lds), dwords(10, 20, 70, 40))
        run(w, "ds_sub_src2_u32", addr=0, offset=0x7FFF)
        self.assertEqual(bytes(w.lds), dwords(10, 20, 50, 40))
        put(w, 0, [8 | 0x7FFE << 17 | 1 << 31])
        run(w, "ds_write_src2_b32", addr=0, offset=0x8000)
        self.assertEqual(bytes(w.lds), dwords(10, 20, 10, 40))

    def test_append(self):
        w = machine("gcn1.4", 0x70001, lds=dwords(0, 100))
        w.st.sgpr[M0] = 0x2FFC0
        run(w, "ds_append", vdst=1, offset=4)
        self.assertEqual((bytes(w.lds), got(w, 1, (0, 1, 16, 18))), (dwords(0, 104), [100, 0, 100, 100]))
        run(w, "ds_consume", vdst=1, offset=6)
        self.assertEqual((bytes(w.lds), w.v(1, 0)), (dwords(0, 100), 104))

    def test_gds(self):
        w = machine("gcn1.4", 1, lds=b"")
        w.gds = bytearray(0x20) + bytearray(dwords(1, 2)) + bytearray(65536 - 0x28)
        w.st.sgpr[M0] = 0x00200006
        run(w, "ds_read_b32", addr=0, vdst=1, gds=1)
        run(w, "ds_read_b32", addr=0, vdst=2, offset=4, gds=1)
        self.assertEqual([w.v(1, 0), w.v(2, 0)], [1, 0])


class Exchange(unittest.TestCase):
    def test_swizzle(self):
        def sources(offset, lanes, gen=9):
            return [swizzle_source(lane, offset, gen) for lane in lanes]

        self.assertEqual(sources(0x80E4, range(64)), list(range(64)))
        self.assertEqual(sources(0x041F, range(4)), [1, 0, 3, 2])
        self.assertEqual(sources(0x001F, range(64)), list(range(64)))
        self.assertEqual(sources(0xE000, range(8)), [0, 16, 8, 24, 4, 20, 12, 28])
        self.assertEqual(sources(0xE010, [0, 1, 2, 3, 16, 17, 18, 19]), [0, 8, 4, 12, 16, 24, 20, 28])
        self.assertEqual(sources(0xC020, [0, 31, 32, 63]), [1, 0, 33, 32])
        self.assertEqual(sources(0xC021, range(4)), [0, 3, 2, 5])
        self.assertEqual(sources(0xC421, range(4)), [30, 1, 0, 3])
        self.assertEqual(sources(0xC01B, range(4), 8), [3, 2, 1, 0])

    def test_permutes(self):
        old = 77
        for name, execute, expected in (("ds_permute_b32", 0xF, [11, 13, 0, 12]),
                                        ("ds_permute_b32", 0xA, [old, 13, old, 0]),
                                        ("ds_bpermute_b32", 0xF, [10, 10, 13, 11]),
                                        ("ds_bpermute_b32", 0xA, [old, 0, old, 11])):
            w = machine("gcn1.4", execute)
            put(w, 0, [0, 0, 12, 4])
            put(w, 1, [10, 11, 12, 13])
            put(w, 2, [old] * 4)
            run(w, name, addr=0, data0=1, vdst=2)
            self.assertEqual(got(w, 2, range(4)), expected, (name, execute))


class Rows(unittest.TestCase):
    def test_every_row_has_a_meaning(self):
        for row in ROWS:
            if executed(row) and row.m.kind == "none":
                self.assertRegex(row.mnemonic, "dcache|atc_probe|wbinvl1|ds_nop")


if __name__ == "__main__":
    unittest.main()
