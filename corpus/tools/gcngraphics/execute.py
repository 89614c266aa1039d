"""One instruction on a machine."""

from gcnmem.machine import Fault, Machine
from gcnmodel import VSKIP, bit

from . import access, export, interp, sampling

INSTRUCTIONS = {"load": access.load, "store": access.store, "atomic": access.atomic, "resinfo": access.resinfo,
                "sample": sampling.execute, "gather": sampling.execute, "lod": sampling.execute,
                "interp": interp.execute, "direct": interp.direct, "export": export.execute}


class Wave(Machine):
    """A wave that can export.  `fragile`: some decision of a sample depends on how the last bit is rounded."""

    def __init__(self, arch):
        super().__init__(arch)
        self.exports, self.fragile = [], False

    def copy(self):
        other = super().copy()
        other.__class__ = Wave
        other.exports, other.fragile = list(self.exports), False
        return other


def step(w, op):
    """Executes an instruction in place; the fault that stopped it, or None."""
    before = w.copy()
    try:
        if bit(w.st.mode, VSKIP):
            w.doubts.add("vskip-bit")
        elif w.lanes() or op.m.kind == "export":
            INSTRUCTIONS[op.m.kind](w, op)
    except Fault as fault:
        w.st, w.memory, w.lds = before.st, before.memory, before.lds
        return fault
    w.st.pc += 4 * len(op.words())
    return None
