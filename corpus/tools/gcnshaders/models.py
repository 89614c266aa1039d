"""Runs a vector of a whole shader on the models of instructions, and compares what it leaves with what it should.

This is a second opinion for tests: the expected values of vectors do not come from here.
"""

import struct

import gcngraphics.encode
import gcngraphics.execute
import gcngraphics.rows
import gcnmem.encode
import gcnmem.execute
import gcnmem.rows
from gcngraphics.execute import Wave
from gcnmem.machine import Memory
from gcnmodel import EXEC, M0, VCC, Program, Stop

from .base import GENERATIONS

BUDGET = 100_000


def bits(word, first, count):
    return word >> first & (1 << count) - 1


class Instructions:
    """Decodes what gcnmodel does not: memory, images, interpolation, exports."""

    def __init__(self, arch):
        self.arch, self.gen = arch, GENERATIONS[arch]
        self.rows = {}
        for module in (gcnmem, gcngraphics):
            for row in module.rows.ROWS:
                if arch in row.opcode:
                    self.rows[row.encoding, row.opcode[arch]] = (module, row)

    def decode(self, low, high):
        """(module, Op, bytes) of an instruction; None if it is not one of these."""
        found = self.fields(low, high)
        if found is None:
            return None
        encoding, opcode, fields, length = found
        module, row = self.rows[encoding, opcode]
        op = module.encode.Op(row, self.arch, **fields)
        if op.words() != [low, high][:length // 4]:
            raise ValueError(f"{row.mnemonic}: {low:08x} {high:08x} is decoded wrongly")
        return module, op, length

    def fields(self, low, high):
        top, old = low >> 26, self.gen < 8
        if old and low >> 27 == 0b11000:
            literal = not bits(low, 8, 1) and bits(low, 0, 8) == 255
            fields = dict(sbase=2 * bits(low, 9, 6), sdst=bits(low, 15, 7), imm=bits(low, 8, 1),
                          offset=bits(low, 0, 8), literal=high if literal else None)
            return "SMRD", bits(low, 22, 5), fields, 8 if literal else 4
        if top == 0b110000:
            size = 20 if self.gen == 8 else 21
            fields = dict(sbase=2 * bits(low, 0, 6), sdst=bits(low, 6, 7), imm=bits(low, 17, 1), glc=bits(low, 16, 1),
                          nv=bits(low, 15, 1), soe=bits(low, 14, 1), soffset=bits(high, 25, 7))
            offset = bits(high, 0, size)
            return "SMEM", bits(low, 18, 8), fields | {"offset": offset}, 8
        if top == 0b110110:
            at = 18 if old else 17
            fields = dict(addr=bits(high, 0, 8), data0=bits(high, 8, 8), data1=bits(high, 16, 8),
                          vdst=bits(high, 24, 8), offset=bits(low, 0, 16), gds=bits(low, at - 1, 1))
            return "DS", bits(low, at, 8), fields, 8
        if top == 0b110111:
            encoding = "FLAT" if self.gen < 9 else ("FLAT", "SCRATCH", "GLOBAL")[bits(low, 14, 2)]
            fields = dict(addr=bits(high, 0, 8), data=bits(high, 8, 8), vdst=bits(high, 24, 8), glc=bits(low, 16, 1),
                          slc=bits(low, 17, 1), tfe=bits(high, 23, 1))
            if self.gen >= 9:
                fields |= dict(saddr=bits(high, 16, 7), offset=bits(low, 0, 13))
            return encoding, bits(low, 18, 7), fields, 8
        if top in (0b111000, 0b111010):
            fields = dict(vaddr=bits(high, 0, 8), vdata=bits(high, 8, 8), srsrc=4 * bits(high, 16, 5),
                          soffset=bits(high, 24, 8), offset=bits(low, 0, 12), offen=bits(low, 12, 1),
                          idxen=bits(low, 13, 1), glc=bits(low, 14, 1), addr64=bits(low, 15, 1) if old else 0,
                          tfe=bits(high, 23, 1))
            if top == 0b111010:
                fields |= dict(dfmt=bits(low, 19, 4), nfmt=bits(low, 23, 3), slc=bits(high, 22, 1))
                return "MTBUF", bits(low, 16, 3) if old else bits(low, 15, 4), fields, 8
            fields |= dict(slc=bits(high, 22, 1) if old else bits(low, 17, 1), lds=bits(low, 16, 1))
            return "MUBUF", bits(low, 18, 7), fields, 8
        if top == 0b111100:
            fields = dict(dmask=bits(low, 8, 4), unorm=bits(low, 12, 1), glc=bits(low, 13, 1), da=bits(low, 14, 1),
                          tfe=bits(low, 16, 1), lwe=bits(low, 17, 1), slc=bits(low, 25, 1), vaddr=bits(high, 0, 8),
                          vdata=bits(high, 8, 8), srsrc=4 * bits(high, 16, 5), ssamp=4 * bits(high, 21, 5),
                          d16=bits(high, 31, 1))
            fields["a16" if self.gen >= 9 else "r128"] = bits(low, 15, 1)
            return "MIMG", bits(low, 18, 7), fields, 8
        if top == (0b110010 if old else 0b110101):
            return "VINTRP", bits(low, 16, 2), dict(vsrc=bits(low, 0, 8), chan=bits(low, 8, 2), attr=bits(low, 10, 6),
                                                    vdst=bits(low, 18, 8)), 4
        if top == (0b111110 if old else 0b110001):
            return "EXP", 0, dict(en=bits(low, 0, 4), target=bits(low, 4, 6), compr=bits(low, 10, 1),
                                  done=bits(low, 11, 1), vm=bits(low, 12, 1), vsrc0=bits(high, 0, 8),
                                  vsrc1=bits(high, 8, 8), vsrc2=bits(high, 16, 8), vsrc3=bits(high, 24, 8)), 8
        if top == 0b110100 and ("VOP3", bits(low, 16, 10)) in self.rows:
            _, row = self.rows["VOP3", bits(low, 16, 10)]
            vsrc = bits(high, 9, 9) - (0 if row.m.op == "mov_f32" else 256)
            return "VOP3", bits(low, 16, 10), dict(attr=bits(high, 0, 6), chan=bits(high, 6, 2), high=bits(high, 8, 1),
                                                   vsrc=vsrc, src2=bits(high, 18, 9), omod=bits(high, 27, 2),
                                                   neg=bits(high, 29, 3), vdst=bits(low, 0, 8), abs=bits(low, 8, 3),
                                                   op_sel=bits(low, 11, 4), clamp=bits(low, 15, 1)), 8
        return None


def number(text):
    return int(text, 16) if isinstance(text, str) else text


def initial(vector):
    """The wave of a vector."""
    w, init = Wave(vector["arch"]), vector["init"]
    w.st.write64(EXEC, number(init.get("exec", 0)))
    for code, value in init.get("sgpr", {}).items():
        w.st.sgpr[int(code)] = value
    for n, lanes in init.get("vgpr", {}).items():
        w.st.vgpr[int(n)] = list(lanes)
    w.st.write64(VCC, number(init.get("vcc", 0)))
    w.st.sgpr[M0], w.st.scc = init.get("m0", 0), init.get("scc", 0)
    w.st.mode, w.st.pc = init.get("mode", 0), number(init["pc"])
    if "lds" in init:
        content = bytes.fromhex(init["lds"]["hex"])
        w.lds = bytearray(content.ljust(init["lds"]["size"], b"\0"))
    code = b"".join(word.to_bytes(4, "little") for word in vector["words"])
    pieces = [(number(m["base"]), bytes.fromhex(m["hex"])) for m in init.get("memory", [])]
    w.memory = Memory(pieces + [(w.st.pc, code)])
    return w


def run(vector):
    """Runs a vector's shader; returns the wave when it has ended."""
    w, arch = initial(vector), vector["arch"]
    program = Program(vector["words"], arch, w.st.pc)
    instructions = Instructions(arch)
    for _ in range(BUDGET):
        pc = w.st.pc
        low = program.fetch(pc)
        if low is None:
            raise ValueError(f"{vector['id']}: ran out of the code at {pc:#x}")
        found = instructions.decode(low, program.fetch(pc + 4) or 0)
        if found:
            module, op, length = found
            try:
                fault = module.execute.step(w, op)
            except Exception as error:
                raise ValueError(f"{vector['id']}: {op.row.mnemonic} at {pc:#x}: {error!r}") from error
            if fault:
                raise ValueError(f"{vector['id']}: {op.row.mnemonic} at {pc:#x}: {fault}")
            if getattr(w, "fragile", False):
                raise ValueError(f"{vector['id']}: {op.row.mnemonic} at {pc:#x}: hangs on the last bit")
            w.st.pc = pc + length
            continue
        try:
            w.st.pc = program.inst(pc).step(w.st)
        except Stop as stop:
            if stop.outcome == "ended":
                return w
            if stop.outcome != "barrier":
                raise ValueError(f"{vector['id']}: {stop.outcome} at {pc:#x}: {stop.detail}") from None
            w.st.pc = pc + 4
    raise ValueError(f"{vector['id']}: does not end")


# --- comparing -----------------------------------------------------------------------

def differences(vector):
    """The differences between a wave and what the vector expects, as lines of text."""
    w = run(vector)
    return export_differences(vector, w.exports) + memory_differences(vector, w)


def export_differences(vector, found):
    expected, out = vector["expect"].get("exports", []), []
    if len(expected) != len(found):
        return [f"{len(found)} exports: {[e['target'] for e in found]}"]
    mask = number(vector["init"]["exec"])
    for k, (want, have) in enumerate(zip(expected, found)):
        name = f"export {k} {want['target']}"
        for key in ("target", "en", "compr", "done", "vm"):
            if want[key] != have[key]:
                out.append(f"{name}: {key} is {have[key]}")
        if number(want["exec"]) & mask != number(have["exec"]) & mask:
            out.append(f"{name}: exec is {have['exec']}, not {want['exec']}")
        kind = vector.get("fmt", {}).get(want["target"])
        for c in range(4):
            if (want["values"][c] is None) != (have["values"][c] is None):
                out.append(f"{name}: component {c}")
                continue
            for lane in range(64) if want["values"][c] else ():
                a, b = want["values"][c][lane], have["values"][c][lane]
                if number(want["exec"]) & mask & 1 << lane and not admitted(vector, kind, a, b):
                    out.append(f"{name}: lane {lane} component {c}: {shown(a, kind)}, found {shown(b, kind)}")
    return out


def shown(bits_, kind):
    if bits_ is None:
        return "nothing"
    value = struct.unpack("<e", struct.pack("<H", bits_))[0] if kind == "f16" else \
        struct.unpack("<f", struct.pack("<I", bits_))[0]
    return f"{bits_:#x} ({value:g})"


def admitted(vector, kind, a, b):
    if a == b:
        return True
    if kind is None or a is None or b is None:
        return False
    width = 16 if kind == "f16" else 32
    tolerance = vector.get("tolerance", {})
    step = lambda x: x if not x >> width - 1 else -(x & (1 << width - 1) - 1)
    if abs(step(a) - step(b)) <= tolerance.get("ulp", -1):
        return True
    form = ("<H", "<e") if width == 16 else ("<I", "<f")
    x, y = (struct.unpack(form[1], struct.pack(form[0], v))[0] for v in (a, b))
    return abs(x - y) <= tolerance.get("abs", -1)


def memory_differences(vector, w):
    expected = {}
    for piece in vector["expect"].get("memory", []):
        for k, byte in enumerate(bytes.fromhex(piece["hex"])):
            expected[number(piece["base"]) + k] = byte
    out = []
    for piece, (base, after) in zip(vector["init"].get("memory", []), w.memory.regions):
        before = bytes.fromhex(piece["hex"])
        if piece.get("private"):
            continue
        for k in range(len(after)):
            want = expected.get(base + k, before[k])
            if after[k] != want:
                out.append(f"memory {base:#x} + {k}: {want:02x}, found {after[k]:02x}")
    return out
