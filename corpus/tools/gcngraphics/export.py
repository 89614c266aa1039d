"""EXP: an observation of the wave."""

from gcnmodel import EXEC, hex64

TARGETS = {**{k: f"mrt{k}" for k in range(8)}, 8: "mrtz", 9: "null", **{12 + k: f"pos{k}" for k in range(4)},
           **{32 + k: f"param{k}" for k in range(32)}}


def execute(w, op):
    """Adds the export to `w.exports`; `values` has 64 lanes for each enabled component."""
    active = set(w.lanes())
    sources = [op.vsrc0, op.vsrc1, op.vsrc2, op.vsrc3]
    values = []
    for c in range(4):
        if not op.en >> c & 1:
            values.append(None)
            continue
        column = []
        for lane in range(64):
            if lane not in active:
                column.append(None)
            elif op.compr:
                column.append(w.v(sources[c // 2], lane) >> 16 * (c & 1) & 0xFFFF)
            else:
                column.append(w.v(sources[c], lane))
        values.append(column)
    w.exports.append({"target": TARGETS[op.target], "en": op.en, "compr": bool(op.compr), "done": bool(op.done),
                      "vm": bool(op.vm), "exec": hex64(w.st.read64(EXEC)), "values": values})
