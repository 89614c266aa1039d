#!/usr/bin/env python3
"""Make the conformance vectors of images in the synthetic environment: synthetic-image-<arch>.jsonl.gz.

    python3 corpus/tools/make_lattice_vectors.py [--out target/vectors] [--arch gcn1.2] [--row image_load]

Repeatable: the same tools give the same bytes.  Expected values come from gcngraphics/lattice.py.
"""

import random

from gcngraphics import lattice
from gcngraphics.base import GraphicsCase, GraphicsWriter
from gcngraphics.encode import Op
from gcngraphics.execute import Wave
from gcngraphics.rows import ROWS
from gcnmem.base import IDLE
from gcnmem.formats import single_to_half
from vectorlib import thin, write_all

PER_ROW = 6
# Of a row; the generations differ little.
KEPT = {"gcn1.0": 6, "gcn1.1": 2, "gcn1.2": 3, "gcn1.4": 6, "gcn1.4.1": 1}
KINDS = [0, 0, 0, 8, 9, 10, 11, 12, 13, 14, 15, 5]
SPECIAL = [0x7FC00000, 0x7F800000, 0xFF800000, 0x7F7FFFFF, 0xFF7FFFFF, 1, 0x80000001, 0x80000000, 0x3C000000,
           0x3BFFFFFF, 0x3C000001, 0xBC000000, 0x4B800001, 0x5F000000, 0x1E3CE508, 0x9E3CE508]
EXECS = [0x8000000180010301, 0xF3, 0x10, 0x0101010100000000]


class LatticeCase(GraphicsCase):
    """A vector in the making."""

    def __init__(self, writer, row, number):
        execute = (1 << 64) - 1 if number % 18 == 3 else EXECS[number % len(EXECS)]
        super().__init__(writer, row, "image", f"{number}", execute=execute)
        # Half of them are in detailed sets.
        variant = 4 + number // 6 % 8 if number // 3 % 2 else number % 3
        # Two thirds have descriptors that drivers made.
        self.w.lattice = lattice.Lattice(variant, ("float", "int", "mixed")[number % 3], number // 2 % 3 != 0)
        self.number = number

    def make(self):
        rnd, m = self.rnd, self.row.m
        fields = dict(vaddr=20, vdata=rnd.choice([60, 24, 100]), da=rnd.getrandbits(1), dmask=rnd.randrange(1, 16))
        fields["unorm"] = rnd.random() < 0.3
        fields["tfe"] = rnd.random() < 0.2
        fields["a16"], fields["r128"] = self.gen >= 9 and rnd.random() < 0.25, self.gen < 9 and rnd.random() < 0.2
        formatted = m.kind in ("sample", "gather") or m.kind in ("load", "store") and not m.pck
        fields["d16"] = self.gen >= 8 and formatted and rnd.random() < 0.3
        if m.kind == "gather":
            fields["dmask"] = 1 << rnd.randrange(4)
        if m.kind == "atomic":
            fields["dmask"] = rnd.choice([3, 15] if m.op in ("cmpswap", "fcmpswap") else [1, 3])
            fields["glc"] = rnd.getrandbits(1)
        words = [rnd.getrandbits(32) for _ in range(8)]
        kind = KINDS[self.number % len(KINDS)]
        words[3] = words[3] & 0xFFFFFFF | kind << 28
        self.sgprs(8, *words)
        self.sgprs(16, *[rnd.getrandbits(32) for _ in range(4)])
        self.addresses(bool(fields["a16"]))
        self.data(fields["vdata"], 4, self.store_data(m))
        self.old(fields["vdata"] + 4, 2)
        op = Op(self.row, self.arch, **{name: int(value) for name, value in fields.items()})
        if m.kind != "store":
            self.write_some(op)
        self.finish(op)

    def store_data(self, m):
        """Sets store data: few values, so that atomics compare equal now and then."""
        if m.kind == "atomic":
            return [sum(self.one() << 32 * k for k in range(4)) for _ in range(8)]
        return None

    def one(self):
        return self.rnd.choice([0, 1, 7, 0x3F800000, 0x3F000000, 0x7FFFFFFF, 0x80000003, self.rnd.getrandbits(32)])

    def addresses(self, short):
        """Address registers: integers or floats, as the instruction takes them."""
        rnd, m = self.rnd, self.row.m
        is_integer = m.kind in ("load", "store", "atomic", "resinfo")
        special = self.number % 3 == 2
        for n in range(20, 33):
            def value(lane):
                if is_integer:
                    number = rnd.choice([lane, rnd.randrange(200), rnd.getrandbits(32)])
                    return number if not short else number & 0xFFFF | rnd.randrange(300) << 16
                if m.offset and n == 20:
                    return rnd.getrandbits(32)
                bits = [self.coordinate(special) for _ in range(2)]
                if short and not (m.compare and n == 20 + m.offset + m.bias):
                    return single_to_half(bits[0], set()) | single_to_half(bits[1], set()) << 16
                return bits[0]
            self.w.st.vgpr[n] = [value(lane) if lane in self.active else IDLE + n for lane in range(64)]

    def coordinate(self, special):
        rnd = self.rnd
        if special and rnd.random() < 0.3:
            return rnd.choice(SPECIAL)
        return lattice.formats.rounded(rnd.choice([
            lattice.Fraction(rnd.randrange(-40, 80), 16), lattice.Fraction(rnd.getrandbits(30), 1 << 30),
            lattice.Fraction(rnd.randrange(-(1 << 20), 1 << 20), 1 << 12), lattice.Fraction(rnd.randrange(9))]))

    def write_some(self, op):
        """Sets dwords that were written before, among those that the instruction will read."""
        seen = Recorder(self.w.lattice.variant, self.w.lattice.kind, self.w.lattice.is_made)
        trial = self.w.copy()
        trial.lattice = seen
        lattice.execute(trial, op)
        for place in sorted(seen.touched)[::3]:
            bits = self.rnd.choice([0, 5, 0x40400000, 0xBF400000, 0x42FE0001, 0x38000000])
            self.w.lattice.written[place] = bits

    def finish(self, op):
        new = self.w.copy()
        new.lattice = self.w.lattice.copy()
        lattice.execute(new, op)
        new.st.pc += 8
        images, changes = self.w.lattice.changes(), new.lattice.changes()
        world = {"kind": new.lattice.kind, "variant": new.lattice.variant}
        if new.lattice.is_made:
            world["descriptors"] = "made"
        if images:
            world["images"] = images
        if changes:
            world["expect"] = changes
        self.writer.keep_graphics(self.row, self.group, self.label, op.words(), self.w, new, None, {"world": world})


class Recorder(lattice.Lattice):
    """A lattice that notes what is read."""

    def __init__(self, variant, kind, is_made):
        super().__init__(variant, kind, is_made)
        self.touched = set()

    def read(self, key, at):
        self.touched.add((key, at))
        return super().read(key, at)


def make(arch, only=None):
    """The vectors of one generation."""
    writer = GraphicsWriter(arch)
    for row in ROWS:
        wanted = row.encoding == "MIMG" and row.m.kind != "none" and (not only or row.mnemonic in only)
        if not wanted or arch not in row.opcode:
            continue
        plain = row.mnemonic in ("image_load", "image_sample", "image_store", "image_sample_l", "image_load_mip")
        for number in range(36 if plain else PER_ROW):
            first = sum(map(ord, row.mnemonic))
            LatticeCase(writer, row, number if plain else first + number).make()
    return writer


def kept(arch, _group, vectors):
    return thin(vectors, KEPT[arch])


if __name__ == "__main__":
    random.seed(0)
    write_all(__doc__, "synthetic", make, kept)
