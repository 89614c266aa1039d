"""The vectors of VOP3P instructions: halves, OP_SEL, NEG_LO and NEG_HI."""

from . import values
from .cases import RowCases
from .machine import bits_of


class PackedCases(RowCases):
    """The vectors of one VOP3P instruction."""

    def registers(self, n, flavour):
        m = self.m
        if "_mix" in self.row.mnemonic:
            if self.op_sel_hi >> n & 1:
                return [self.two(n, "f16", flavour)]
            return [values.lanes(values.pool(self.row.mnemonic, n, "f32", flavour), n, self.turn)]
        if bits_of(m.src[n]) == 16:
            return [self.two(n, m.src[n], flavour)]
        return super().registers(n, flavour)

    def two(self, n, kind, flavour):
        pool = values.pool(self.row.mnemonic, n, kind, flavour)
        low, high = values.lanes(pool, n, self.turn), values.lanes(pool, n, self.turn + 3)
        return [a | b << 16 for a, b in zip(low, high)]

    def emit(self, label, form=None, flavour="edge", **more):
        mix = "_mix" in self.row.mnemonic
        if "_dot4" in self.row.mnemonic or "_dot8" in self.row.mnemonic:
            more["op_sel"], more["op_sel_hi"] = 0, 7
        t = self.turn
        more.setdefault("op_sel", (0, 0, 1, 2, 7, 3)[t % 6])
        more.setdefault("op_sel_hi", (7, 7, 6, 3, 0, 5)[t % 6] if not mix else (7, 0, 1, 6, 5, 2)[t % 6])
        if "_dot2" in self.row.mnemonic:        # S2 is a whole register
            more["op_sel"], more["op_sel_hi"] = more["op_sel"] & 3, more["op_sel_hi"] | 4
        self.op_sel_hi = more["op_sel_hi"]
        for n, code in (more.get("operands") or {}).items():
            if 128 <= code:                     # a constant has no high half to speak of
                more["op_sel"] &= ~(1 << n)
        super().emit(label, "vop3p", flavour, **more)

    def scalar(self, n, code):
        return {code: self.registers_value(n)}

    def registers_value(self, n):
        self.op_sel_hi = 7
        return self.registers(n, "edge")[0][self.turn % 64]

    def modifiers(self):
        m = self.m
        used = sum(1 << n for n, t in enumerate(m.src) if t == "f16")
        if any(self.floats):
            combos = [(1, 0), (0, 1), (7, 7), (2, 5), (7, 0), (0, 7)]
            for i, (lo, hi) in enumerate(combos):
                self.emit(f"neg_lo{lo & used}-neg_hi{hi & used}", flavour=("edge", "all")[i == 4],
                          neg_lo=lo & used, neg_hi=hi & used)
        if m.clamp:
            for mode in (0x3F0, 0x2F0, 0x3C0):
                self.emit(f"clamp-mode_{mode:x}", flavour="all" if mode == 0x2F0 and any(self.floats) else "edge",
                          clamp=1,
                          mode=mode)
        for op_sel, op_sel_hi in ((0, 7), (7, 0), (1, 6), (5, 2), (2, 7)):
            self.emit(f"op_sel{op_sel}.{op_sel_hi}", op_sel=op_sel, op_sel_hi=op_sel_hi)
