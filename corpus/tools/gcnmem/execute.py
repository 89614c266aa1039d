"""One instruction on a machine."""

from gcnmodel import VSKIP, bit

from . import buffer, ds, flat, scalar
from .machine import Fault

VECTOR = {"FLAT": flat, "GLOBAL": flat, "SCRATCH": flat, "MUBUF": buffer, "MTBUF": buffer, "DS": ds}


def step(w, op, completed=0):
    """Executes an instruction in place; the fault that stopped it, or None."""
    before = w.copy()
    try:
        if op.row.encoding in VECTOR:
            if bit(w.st.mode, VSKIP):
                w.doubts.add("vskip-bit")
            elif w.lanes():
                VECTOR[op.row.encoding].execute(w, op)
        elif op.m.kind == "clock":
            scalar.clock(w, op, completed)
        elif op.m.kind != "none":
            scalar.execute(w, op)
    except Fault as fault:
        w.st, w.memory, w.lds, w.gds = before.st, before.memory, before.lds, before.gds
        return fault
    w.st.pc += 4 * len(op.words())
    return None
