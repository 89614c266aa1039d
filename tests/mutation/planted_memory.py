#!/usr/bin/env python3
"""Which well-known mistakes do the vectors of memory instructions catch?

    python3 tests/mutation/planted_memory.py

Each mistake is planted in the text of the model (package gcnmem), all vectors of the
instructions concerned run again, and those whose outcome differs are counted.  Prints the
table of corpus/vectors/README.md; exits 1 if no vector notices a mistake.
"""

import importlib
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "corpus" / "tools"))

from gcnmem import execute
from gcnmem.base import MemWriter
from gcnmem.cases import cases_of
from gcnmem.rows import GROUPS, ROWS, executed

MODULES = ["machine", "atomics", "formats", "scalar", "buffer", "flat", "ds", "execute"]

# what, who, generation, instructions, module, text and its replacement (pairs of them)
MISTAKES = [
    ("SMRD: the constant counts bytes", "common", "1.1", "s_", "scalar", "4 * op.offset", "op.offset"),
    ("SMRD: the literal counts bytes", "common", "1.1", "s_", "scalar", "4 * op.literal", "op.literal"),
    ("SMEM: the constant counts dwords", "common", "1.2", "s_", "scalar", "op.offset & 0xFFFFF", "4 * op.offset"),
    ("SMEM: the register is always that of SOFFSET", "rocjitsu", "1.4", "s_", "scalar",
     "self.register = op.offset & 0x7F", "self.register = op.soffset"),
    ("SMEM: the constant is unsigned", "common", "1.4", "s_", "scalar", "sx(op.offset, 21)", "op.offset & 0x1FFFFF"),
    ("SMEM: low address bits are kept", "common", "1.4", "s_", "scalar",
     "(base & ~3) + (offset.immediate & ~3) + factor * (offset.value(w) & ~3)",
     "base + offset.immediate + factor * offset.value(w)"),
    ("S_SCRATCH: the register counts bytes", "common", "1.4", "s_scratch", "scalar", "factor = 64 if",
     "factor = 1 if"),
    ("S_SCRATCH: the constant is multiplied by 64", "common", "1.4", "s_scratch", "scalar",
     "+ (offset.immediate & ~3) +", "+ 64 * (offset.immediate & ~3) +"),
    ("S_BUFFER: no bounds", "Multi2Sim", "1.4", "s_buffer", "scalar",
     "limit = stride * records if stride else records", "limit = 1 << 64"),
    ("S_BUFFER: the limit leaves the stride out", "common", "1.4", "s_buffer", "scalar",
     "limit = stride * records if stride else records", "limit = records"),
    ("S_BUFFER: a load is in range as a whole", "common", "1.4", "s_buffer", "scalar", "+ 4 * k < limit", "< limit"),
    ("S_BUFFER: a product of 32 bits", "common", "1.4", "s_buffer", "scalar", "stride * records if",
     "stride * records & M32 if"),
    ("CMPSWAP: source and comparand exchanged", "common", "1.4", ".*cmpswap", "atomics",
     "data[0] if old == data[1] else old,      #", "data[1] if old == data[0] else old,      #"),
    ("DS_CMPST: operands in the order of CMPSWAP", "common", "1.4", "ds_cmpst", "atomics",
     '"cmpst": lambda: data[1] if old == data[0]', '"cmpst": lambda: data[0] if old == data[1]'),
    ("INC: > in place of >=", "common", "1.4", ".*_inc", "atomics", "0 if old >= one", "0 if old > one"),
    ("DEC: >= in place of >", "common", "1.4", ".*_dec", "atomics", "old > one else old - 1",
     "old >= one else old - 1"),
    ("INC saturates", "CLRX (text)", "1.4", ".*_inc", "atomics", "0 if old >= one else old + 1", "min(old + 1, one)"),
    ("RSUB is SUB", "common", "1.4", "ds_rsub", "atomics", "one - old", "old - one"),
    ("SMIN, SMAX: unsigned", "common", "1.4", ".*_(s?min|s?max)_?(rtn_)?(src2_)?(i|x2)?", "atomics",
     "sx(old, bits), sx(one, bits)", "old, one"),
    ("DS_MSKOR: mask not complemented", "common", "1.4", "ds_mskor", "atomics", "old & ~data[0]", "old & data[0]"),
    ("DS_MIN_F: a NaN wins", "common", "1.4", "ds_m.*_f", "atomics", "chosen = old if f.is_nan(data) else data",
     "chosen = data if f.is_nan(data) else old"),
    ("DS_MIN_F: zeros are equal", "Vega doc", "1.4", "ds_m.*_f", "atomics",
     "-f.negative(a)), (order(f, b), -f.negative(b))", "0), (order(f, b), 0)"),
    ("DS_ADD_F32 keeps denormals whatever MODE says", "common", "1.4", "ds_add.*f32", "atomics",
     "keep_input, keep_result = field & 1, field >> 1", "keep_input = keep_result = 1"),
    ("IDXEN and OFFEN: the offset comes first", "common", "1.4", "t?buffer", "buffer", "vindex = w.v(at, lane)",
     "vindex = w.v(at + op.offen, lane)", "voffset = w.v(at + op.idxen, lane)", "voffset = w.v(at, lane)"),
    ("SOFFSET: constants read 0", "rocjitsu", "1.4", "t?buffer", "buffer", "return code - 128", "return 0"),
    ("SOFFSET is swizzled", "common", "1.4", "t?buffer", "buffer", "self.sum = voffset + op.offset",
     "self.sum = voffset + op.offset + self.soffset; self.soffset = 0"),
    ("the base has 32 bits", "Multi2Sim", "1.4", "t?buffer", "buffer", "words[0] | (words[1] & 0xFFFF) << 32",
     "words[0]"),
    ("no swizzling", "Multi2Sim", "1.4", "t?buffer", "buffer", "if not r.swizzle:\n            return",
     "if True:\n            return"),
    ("the descriptor's element size counts", "common", "1.4", "t?buffer", "buffer", " if op.gen < 9 else 4", ""),
    ("ADD_TID ignored", "common", "1.4", "t?buffer", "buffer", "lane if r.add_tid else 0", "0"),
    ("the stride has 14 bits", "common", "1.4", "t?buffer", "buffer", "self.stride |= self.dfmt << 14", "pass"),
    ("the data format is stride before 1.2, too", "common", "1.1", "t?buffer", "buffer",
     "wide_stride = op.gen >= 8 and", "wide_stride ="),
    ("1.4 checks ranges as 1.2 does", "gem5", "1.4", "t?buffer", "buffer", "if op.gen == 8:", "if op.gen >= 8:"),
    ("no range checks", "common", "1.4", "t?buffer", "buffer",
     "        r, op, w = self.r, self.op, self.w\n        if op.addr64",
     "        r, op, w = self.r, self.op, self.w\n        if True"),
    ("records count bytes, whatever the stride", "common", "1.1", "t?buffer", "buffer",
     "if r.stride == 0:\n                return self.beyond", "if True:\n                return self.beyond"),
    ("1.2 counts records, not bytes", "common", "1.2", "t?buffer", "buffer", "r.stride == 0 or not r.swizzle",
     "r.stride == 0"),
    ("ADDR64: num_records = 0 is out of range", "common", "1.1", "t?buffer", "buffer",
     "if op.addr64:\n            return False", "if op.addr64:\n            return r.records == 0"),
    ("a partly outside access is dropped whole", "common", "1.4", "t?buffer", "buffer", "out = self.outside(c)",
     "out = self.outside(size - unit)"),
    ("the range check sees 33 bits", "LLVM (code)", "1.4", "t?buffer", "buffer",
     "self.sum + c if r.swizzle and op.gen < 9 else self.sum + c & M32", "self.sum + c"),
    ("offsets do not wrap between dwords", "common", "1.1", "t?buffer", "buffer", "offset = self.sum + c & M32",
     "offset = (self.sum & M32) + c"),
    ("SOFFSET does not count in range checks", "CDNA doc", "1.4", "t?buffer", "buffer", "return self.beyond(offset)",
     "return offset >= r.records"),
    ("loads end behind memory by their width", "common", "1.4", "t?buffer", "machine", "block = most",
     "block = 1 << (sum(size for _, _, size in pieces) - 1).bit_length()", "block //= 2", "return False"),
    ("DS_APPEND: M0 in the address", "LLVM (code)", "1.4", "ds_append", "ds", "w.m0 >> 16 if op.gds else 0",
     "w.m0 >> 16 if op.gds else w.m0 & 0xFFFF"),
    ("data format 0 is bound", "common", "1.4", "t?buffer", "buffer", "self.unbound = self.dfmt == 0",
     "self.unbound = False"),
    ("atomics return without GLC", "common", "1.4", "(buffer|flat|global)_atomic", "buffer", "if op.glc else None",
     ""),
    ("FLAT atomics return into DATA", "common", "1.4", "(flat|global)_atomic", "buffer", "else (op.data, op.vdst)",
     "else (op.data, op.data)"),
    ("load to LDS leaves OFFSET out of the LDS address", "CLRX", "1.4", "buffer", "buffer", "+ op.offset + 4 * lane",
     "+ 4 * lane"),
    ("load to LDS zero-extends signed bytes", "CLRX", "1.4", "buffer_load_s", "buffer",
     "deliver(lane, extended(op.m, data))", "deliver(lane, data)"),
    ("TFE writes nothing", "common", "1.4", "t?buffer_load", "buffer", "w.set_v(op.vdata + dwords, lane, 0)", "pass"),
    ("D16 loads zero the other half", "common", "1.4", ".*_d16", "buffer", "    old = w.v(n, lane)\n",
     "    old = 0\n"),
    ("D16 is packed on gfx803", "common", "1.2", ".*format_d16", "buffer", "if op.gen < 9:\n        w.doubts",
     "if False:\n        w.doubts"),
    ("MTBUF: a missing W is 1", "common", "1.4", "tbuffer_load", "buffer", "< 4 + len(memory) else 0",
     "< 4 + len(memory) else formats.one(r.nfmt) * (select == 7)"),
    ("DST_SEL ignored", "common", "1.4", "buffer_.*format", "buffer", "[w3 >> 3 * k & 7 for k in range(4)]",
     "[4, 5, 6, 7]"),
    ("DST_SEL 1 is always 1.0", "common", "1.4", "buffer_.*format", "formats", "if is_float_type(nfmt) else 1", ""),
    ("UNORM divides by 2^n", "common", "1.4", ".*load_format", "formats", "quotient(Fraction(field, top), doubts)",
     "quotient(Fraction(field, top + 1), doubts)"),
    ("SNORM: the least value is below -1", "common", "1.4", ".*load_format", "formats",
     "max(Fraction(-1), Fraction(signed, (1 << bits - 1) - 1))", "Fraction(signed, (1 << bits - 1) - 1)"),
    ("two bits are signed before 1.4", "common", "1.2", ".*load_format", "formats", "and gen < 9:\n", "and False:\n"),
    ("10_10_10_2 is 2_10_10_10", "common", "1.4", ".*_format", "formats", "8: [(0, 2), (2, 10), (12, 10), (22, 10)]",
     "8: [(0, 10), (10, 10), (20, 10), (30, 2)]"),
    ("10_11_11 and 11_11_10 exchanged", "common", "1.4", ".*_format", "formats",
     "6: [(0, 11), (11, 11), (22, 10)], 7: [(0, 10), (10, 11), (21, 11)]",
     "7: [(0, 11), (11, 11), (22, 10)], 6: [(0, 10), (10, 11), (21, 11)]"),
    ("integers wrap in a formatted store", "common", "1.4", ".*store_format", "formats", "return min(value, mask)",
     "return value & mask"),
    ("binary16 stores round to nearest", "common", "1.4", ".*store_format", "formats",
     "half = toward_zero(value, 10)", "half = single_to_half(value & 0x7FFFFFFF, set())"),
    ("UNORM stores are cut", "common", "1.4", ".*store_format", "formats",
     "whole + (rest > Fraction(1, 2) or rest == Fraction(1, 2) and whole & 1)", "whole"),
    ("GLOBAL: the VGPR beside SADDR is signed", "rocjitsu, gem5", "1.4", "global", "flat",
     "base + w.v(op.addr, lane) +", "base + sx(w.v(op.addr, lane), 32) +"),
    ("GLOBAL: OFFSET is unsigned", "common", "1.4", "global", "flat", "sx(op.offset, 13) if op.row",
     "op.offset & 0x1FFF if op.row"),
    ("FLAT: SADDR = 0 means s[0:1]", "common", "1.4", "flat", "flat",
     'op.saddr != OFF and op.row.encoding == "GLOBAL"', "op.saddr != OFF"),
    ("FLAT goes where its first lane goes", "common", "1.4", "flat", "flat", "window = self.window(address)\n",
     'window = self.__dict__.setdefault("first", self.window(address))\n'),
    ("FLAT to LDS is limited by M0", "common", "1.2", "flat", "flat", "> len(self.w.lds)",
     "> min(len(self.w.lds), self.w.m0)"),
    ("scratch of a lane in one piece", "AMD's manuals, gem5", "1.4", "(scratch|flat)", "flat",
     "wave_base + offset // 4 * 256 + 4 * lane + offset % 4", "wave_base + offset + 128 * lane"),
    ("FLAT_SCRATCH: LO and HI exchanged", "CLRX", "1.2", "flat", "flat", "w.s(self.flat_scratch() + 1) * 256",
     "w.s(self.flat_scratch()) * 256"),
    ("SCRATCH with SADDR adds the VGPR", "gem5, rocjitsu", "1.4", "scratch", "flat", "else w.s(op.saddr)",
     "else w.s(op.saddr) + w.v(op.addr, lane)"),
    ("the limit of M0 holds on 1.4, too", "AMD's manuals", "1.4", "ds_", "ds", "if w.gen < 9:\n            limit",
     "if True:\n            limit"),
    ("no limit of M0", "common", "1.2", "ds_", "ds", "limit = min(limit, w.m0 & 0x1FFFF)", "pass"),
    ("an access of LDS partly outside is done", "common", "1.4", "ds_", "ds",
     '("lds", address, size) if address + size <= limit',
     '("lds", address, min(size, limit - address)) if address < limit'),
    ("ST64: offsets times 64 bytes", "common", "1.4", "ds_.*st64", "ds", "op.m.size * (64 if op.m.st64 else 1)",
     "64 if op.m.st64 else op.m.size"),
    ("two offsets count bytes", "common", "1.4", "ds_(read|write|wrxchg)2", "ds",
     "unit = op.m.size * (64 if op.m.st64 else 1)", "unit = 1"),
    ("one offset has 8 bits", "common", "1.4", "ds_(read_|write_)", "ds", "address = start + offset & M32",
     "address = start + (offset & 0xFF) & M32"),
    ("equal offsets: both are stored", "common", "1.4", "ds_write2", "ds", "offsets = offsets[:1]", "pass"),
    ("misaligned LDS accesses before 1.4 are done", "common", "1.2", "ds_", "ds",
     "if self.w.gen < 9 and address % step", "if False and address % step"),
    ("DS atomics without return write VDST", "rocjitsu", "1.4", "ds_", "ds", "returns = m.rtn or",
     "returns = True or"),
    ("SRC2: the offset counts bytes", "common", "1.4", "ds_.*src2", "ds", "a + 4 * relative", "a + relative"),
    ("DS_CONDXCHG32 stores bit 31", "common", "1.4", "ds_condxchg", "ds", "data & 0x7FFFFFFF if", "data if"),
    ("DS_SWIZZLE reads DATA0", "gem5", "1.4", "ds_swizzle", "ds", "op.offset, w.gen), op.addr",
     "op.offset, w.gen), op.data0"),
    ("DS_SWIZZLE crosses the halves", "CLRX", "1.4", "ds_swizzle", "ds", "half = lane & 32", "half = 0"),
    ("DS_SWIZZLE: no rotate and FFT", "CLRX, gem5", "1.4", "ds_swizzle", "ds", "offset >= 0xE000 and gen >= 9",
     "False", "offset >= 0xC000 and gen >= 9", "False"),
    ("DS_SWIZZLE: rotate and FFT before 1.4", "common", "1.2", "ds_swizzle", "ds", "offset >= 0xE000 and gen >= 9",
     "offset >= 0xE000", "offset >= 0xC000 and gen >= 9", "offset >= 0xC000"),
    ("DS_PERMUTE: the lowest lane wins", "common", "1.4", "ds_permute", "ds",
     "for lane in active:\n            result[(", "for lane in active[::-1]:\n            result[("),
    ("DS_PERMUTE: not pushed to keeps its value", "common", "1.4", "ds_permute", "ds", "dict.fromkeys(active, 0)",
     "{lane: w.v(op.vdst, lane) for lane in active}"),
    ("DS_BPERMUTE reads inactive lanes", "common", "1.4", "ds_bpermute", "ds", "if source in active else 0", ""),
    ("DS_BPERMUTE: the offset counts lanes", "CLRX", "1.4", "ds_b?permute", "ds",
     "(w.v(op.addr, lane) + op.offset & M32) // 4", "(w.v(op.addr, lane) // 4 + op.offset)"),
    ("DS_APPEND gives every lane its rank", "rocjitsu", "1.4", "ds_(append|consume)", "ds",
     "w.set_v(op.vdst, lane, old)\n\n\nACTIONS", "w.set_v(op.vdst, lane, old + w.lanes().index(lane))\n\n\nACTIONS"),
    ("DS_CONSUME increments", "CLRX (text)", "1.4", "ds_consume", "ds", "else -count", "else count"),
    ("DS_ADDTID: M0[24:16]", "rocjitsu", "1.4", "ds_.*addtid", "ds", "(w.m0 & 0xFFFF) + op.offset + 4 * lane",
     "(w.m0 >> 16 & 0x1FF) + op.offset + 4 * lane"),
    ("GDS: no base", "common", "1.4", "ds_", "ds", 'return ("gds", base + address, size)',
     'return ("gds", address, size)'),
    ("EXEC ignored", "common", "1.4", "(ds|buffer|flat|global)_", "machine", "if execute >> lane & 1]", "]"),
    ("the lowest lane's store stays", "common", "1.4", "(ds|buffer|flat|global)_", "machine",
     "for lane in range(64) if", "for lane in range(63, -1, -1) if"),
    ("lanes of an atomic do not see each other", "common", "1.4", "(ds|buffer|flat|global)_", "machine",
     "            old = self.read(pieces)\n            self.write(pieces, change(lane, old))",
     "            old = before.read(pieces)\n            self.write(pieces, change(lane, old))",
     "results, seen = [], set()", "results, seen, before = [], set(), self.copy()"),
    ("addresses have 64 bits", "common", "1.4", "(buffer|s)_", "machine", "return sx(address, 48) & M64",
     "return address & M64"),
]


class Asked(MemWriter):
    """A writer that keeps each instruction, its initial state and its outcome."""

    def __init__(self, arch):
        super().__init__(arch)
        self.all = []

    def kept(self, vector, op, old, new, fault):
        if op:
            self.all.append((vector, op, old, outcome(new, fault)))


def outcome(w, fault):
    """The outcome of an instruction: all that a vector compares."""
    lanes = {n: tuple(x) for n, x in w.st.vgpr.items() if any(x)}
    where = (fault.access, fault.address, fault.size, fault.lane) if fault else None
    return (where, tuple(w.st.sgpr), lanes, w.st.pc, [bytes(data) for _, data in w.memory.regions],
            bytes(w.lds or b""), bytes(w.gds or b"").rstrip(b"\0"))


def reload(module=None, replacements=()):
    """Executes the text of all modules of the model again, one of them changed."""
    for name in MODULES:
        loaded = importlib.import_module(f"gcnmem.{name}")
        with open(loaded.__file__, encoding="utf-8") as f:
            text = f.read()
        if name == module:
            for old, new in zip(replacements[::2], replacements[1::2]):
                if old not in text:
                    raise SystemExit(f"{module}.py has nothing like {old!r}")
                text = text.replace(old, new)
        exec(compile(text, loaded.__file__, "exec"), vars(loaded))


def run(op, old):
    """The outcome with whatever is planted; a crash of the model counts as an outcome, too."""
    new = old.copy()
    try:
        return outcome(new, execute.step(new, op))
    except Exception as error:
        return repr(error)


def main():
    asked, unnoticed = {}, []
    for arch in sorted({"gcn" + mistake[2] for mistake in MISTAKES}):
        writer = Asked(arch)
        for row in ROWS:
            if arch in row.opcode and executed(row):
                cases_of(writer, row, GROUPS[row.encoding]).all()
        asked[arch] = writer.all
    print("| mistake | who | generation | vectors that fail (certain) |\n| --- | --- | --- | --: |")
    for what, who, arch, rows, module, *replacements in MISTAKES:
        reload(module, replacements)
        chosen = [item for item in asked["gcn" + arch] if re.match(rows, item[0]["mnemonic"])]
        failing = [item[0] for item in chosen if run(item[1], item[2]) != item[3]]
        certain = sum(vector["certainty"] == "certain" for vector in failing)
        print(f"| {what} | {who} | {arch} | {len(failing)} ({certain}) |", flush=True)
        if not failing:
            unnoticed.append(what)
    reload()
    sys.exit(f"not noticed: {unnoticed}" if unnoticed else 0)


if __name__ == "__main__":
    main()
