"""What all shaders share: their registers and memory before, and what they leave behind.

A shader is a function that takes a `Shader`, fills in what the driver would (registers, descriptors, textures), gives
the text, and says in Python what comes out.  Nothing here executes instructions.
"""

import random
import re
import struct

from gcnmodel import hex64

from .assemble import assemble, expand

GENERATIONS = {"gcn1.0": 6, "gcn1.1": 7, "gcn1.2": 8, "gcn1.4": 9}
M32 = (1 << 32) - 1
IDLE = 0xBADBAD03                       # what lanes hold that no pixel, vertex or work-item is in
RUBBISH = 0xBAD0BA00                    # what registers hold that nobody set
WINDOW = {6: 0, 7: 0, 8: 0, 9: 0xFFFF_8000_0000_0000}   # where 32-bit pointers point to
WINDOW_FIRST, OUTSIDE_FIRST = 0x1000_0000, 0x12_3400_0000
CODE = 0x1_0010_0000
MODE = 0x1C0                            # of graphics: f32 denormals flushed, those of f16 and f64 kept, DX10_CLAMP
COMPUTE_MODE = 0x3C0                    # and IEEE, as kernels of clang have it
FLOAT32 = 0x27FAC                       # word 3 of a V#: XYZW, 32-bit float


def f32(x):
    """The bits of a float as binary32, rounded to nearest even."""
    return struct.unpack("<I", struct.pack("<f", x))[0]


def number(bits):
    return struct.unpack("<f", struct.pack("<I", bits & M32))[0]


def single(x):
    """A float rounded to binary32: what one instruction leaves of an exact result."""
    return number(f32(x))


def f16(x):
    """The bits of a float as binary16, rounded toward zero."""
    sign = 0x8000 if struct.pack(">d", x)[0] & 0x80 else 0
    bits = struct.unpack("<H", struct.pack("<e", abs(x)))[0]
    if struct.unpack("<e", struct.pack("<H", bits))[0] > abs(x):
        bits -= 1
    return sign | bits


def half(bits):
    """The float that a binary16 is."""
    return struct.unpack("<e", struct.pack("<H", bits & 0xFFFF))[0]


def dwords(values):
    """Bytes of a list of floats and integers."""
    return b"".join(struct.pack("<f", x) if isinstance(x, float) else struct.pack("<I", x & M32) for x in values)


class Shader:
    """One shader of one generation, in the making."""

    def __init__(self, arch, name, stage):
        self.arch, self.gen, self.name, self.stage = arch, GENERATIONS[arch], name, stage
        self.rnd = random.Random(name)
        self.sgpr, self.vgpr, self.memory, self.exports = {}, {}, [], []
        self.execute, self.lds, self.lds_size = M32 | M32 << 32, b"", 0
        self.mode = COMPUTE_MODE if stage == "compute" else MODE
        self.after = {}                 # what memory holds afterwards, by address of the piece
        self.constants, self.words, self.code_size = [], [], 0
        self.types, self.tolerance, self.doubts = {}, {}, set()
        self.next_place = {"window": WINDOW_FIRST, "outside": OUTSIDE_FIRST}

    # --- before

    def s(self, first, *values):
        """Sets scalar registers from `first` on."""
        for k, value in enumerate(values):
            self.sgpr[first + k] = value & M32

    def s64(self, first, address):
        self.s(first, address, address >> 32)

    def v(self, n, value, lanes=None):
        """Sets VGPR n: `value(lane)` gives bits, floats or integers; lanes not in `lanes` hold what nobody must use."""
        lanes = set(self.alive() if lanes is None else lanes)
        self.vgpr[n] = [bits_of(value(lane)) if lane in lanes else IDLE for lane in range(64)]

    def lanes(self):
        """The lanes that are on at the start."""
        return [lane for lane in range(64) if self.execute >> lane & 1]

    def alive(self):
        """The lanes that may be on: whole quads of pixels."""
        if self.stage != "pixel":
            return self.lanes()
        return sorted({lane & ~3 | k for lane in self.lanes() for k in range(4)})

    def place(self, size, where="outside", align=256):
        """An address with room for `size` bytes; 4 KiB are not mapped on both sides."""
        at = -(-self.next_place[where] // align) * align
        self.next_place[where] = at + size + 4096
        return at + (WINDOW[self.gen] if where == "window" else 0)

    def data(self, content, where="outside", private=False, align=256):
        """Adds a piece of memory; returns its address."""
        content = content if isinstance(content, (bytes, bytearray)) else dwords(content)
        at = self.place(len(content), where, align)
        self.put(at, content, private)
        return at

    def put(self, address, content, private=False):
        self.memory.append((address, bytes(content), private))

    def table(self, *parts):
        """Adds a table in the memory of 32-bit pointers: parts are bytes or lists of dwords."""
        content = b"".join(p if isinstance(p, bytes) else dwords(p) for p in parts)
        return self.data(content, "window") & M32

    def buffer(self, address, size=None, stride=0, records=None, dfmt=4, nfmt=7, select=(4, 5, 6, 7), more=0):
        """A V#: `size` bytes, or `records` elements of `stride` bytes."""
        if records is not None:
            size = records * stride if self.gen == 8 else records
        word3 = sum(x << 3 * k for k, x in enumerate(select)) | nfmt << 12 | dfmt << 15 | more
        return [address & M32, address >> 32 & 0xFFFF | stride << 16, size & M32, word3]

    # --- the code

    def text(self, text):
        """Sets the code, in the syntax of assemble.py.  Registers that it names and nobody has set hold rubbish."""
        self.words, self.code_size = assemble(text, self.gen, self.constants)
        source = expand(text, self.gen)
        for n in named("s", source):
            self.sgpr.setdefault(n, RUBBISH | n)
        for n in named("v", source):
            self.vgpr.setdefault(n, [RUBBISH | n] * 64)

    # --- after

    def export(self, target, value, en=None, compr=False, done=False, vm=False, lanes=None):
        """An export: `value(lane)` gives the components.

        Floats are binary32, in compressed exports binary16; integers are bits.  `en` is by default the mask of the
        components.  `lanes`: those that are on (default: all that were at the start).
        """
        lanes = self.lanes() if lanes is None else [k for k in lanes if self.execute >> k & 1]
        rows = {lane: value(lane) for lane in lanes}
        count = len(next(iter(rows.values()), ()))
        if en is None:
            en = (1 << count) - 1
        values = []
        columns = [k for k in range(4) if en >> k & 1]
        for c in range(4):
            if c not in columns:
                values.append(None)
                continue
            k = columns.index(c)
            values.append([narrow(rows[lane][k], compr) if lane in rows else None for lane in range(64)])
        mask = sum(1 << lane for lane in lanes)
        self.exports.append({"target": target, "en": en, "compr": compr, "done": done, "vm": vm, "exec": hex64(mask),
                             "values": values})

    def null_export(self, lanes=None, done=True, vm=True):
        lanes = self.lanes() if lanes is None else [k for k in lanes if self.execute >> k & 1]
        self.exports.append({"target": "null", "en": 0, "compr": False, "done": done, "vm": vm,
                             "exec": hex64(sum(1 << lane for lane in lanes)), "values": [None] * 4})

    def close(self, target, fmt="f32", ulp=None, absolute=None):
        """Lets exports to a target differ by `ulp` units in the last place, or by `absolute`."""
        self.types[target] = fmt
        if ulp is not None:
            self.tolerance["ulp"] = max(ulp, self.tolerance.get("ulp", 0))
        if absolute is not None:
            self.tolerance["abs"] = max(absolute, self.tolerance.get("abs", 0.0))

    def leaves(self, address, content):
        """Says what the piece of memory that begins at an address holds afterwards (from its start)."""
        content = content if isinstance(content, (bytes, bytearray)) else dwords(content)
        self.after[address] = bytes(content)

    # --- the vector

    def vector(self, number):
        if not self.words:
            raise ValueError(f"{self.name}: there is no text")
        init = {"sgpr": {str(n): x for n, x in sorted(self.sgpr.items()) if x}, "exec": hex64(self.execute),
                "vgpr": {str(n): lanes for n, lanes in sorted(self.vgpr.items())}, "mode": self.mode, "pc": hex64(CODE),
                "vcc": hex64(RUBBISH << 32 | RUBBISH), "m0": RUBBISH, "scc": 1}
        if self.lds_size:
            init["lds"] = {"size": self.lds_size, "hex": self.lds.rstrip(b"\0").hex()}
        if self.memory:
            init["memory"] = [piece_json(*piece) for piece in sorted(self.memory)]
        out = {"id": f"{self.arch}/{self.stage}/{number:03d}-{self.name}", "arch": self.arch, "mnemonic": "program",
               "words": self.words, "certainty": "likely" if self.doubts else "certain"}
        if self.doubts:
            out["why"] = sorted(self.doubts)
        out |= {"program": True, "stage": self.stage, "observe": ["exports", "memory", "images"]}
        if self.constants:
            out["exec_size"] = self.code_size
        if self.types:
            out["fmt"] = dict(sorted(self.types.items()))
        if self.tolerance:
            out["tolerance"] = self.tolerance
        expect = {}
        if self.exports:
            expect["exports"] = self.exports
        changed = self.changes()
        if changed:
            expect["memory"] = changed
        return out | {"init": {k: x for k, x in init.items() if x or k == "exec"}, "expect": expect}

    def changes(self):
        """The bytes of memory that differ."""
        out, pieces = [], {address: content for address, content, _ in self.memory}
        for address, after in sorted(self.after.items()):
            before = pieces[address]
            if len(after) > len(before):
                raise ValueError(f"{self.name}: {len(after)} bytes in a piece of {len(before)}")
            for first, end in runs([k for k in range(len(after)) if before[k] != after[k]], 9):
                out.append({"base": hex64(address + first), "hex": after[first:end].hex()})
        return out


def bits_of(value):
    return f32(value) if isinstance(value, float) else value & M32


def narrow(value, compr):
    if compr:
        return f16(value) if isinstance(value, float) else value & 0xFFFF
    return bits_of(value)


def named(letter, text):
    """The registers of a kind that a text names."""
    out = set()
    for first, last in re.findall(rf"\b{letter}\[(\d+)(?::(\d+))?\]", text):
        out |= set(range(int(first), int(last or first) + 1))
    return sorted(out | {int(n) for n in re.findall(rf"\b{letter}(\d+)\b", text)})


def piece_json(address, content, private):
    out = {"base": hex64(address), "hex": content.hex()}
    return out | {"private": True} if private else out


def runs(places, gap):
    """Places as ranges; holes shorter than `gap` are filled."""
    out = []
    for k in sorted(places):
        if out and k - out[-1][1] < gap:
            out[-1][1] = k + 1
        else:
            out.append([k, k + 1])
    return out
