"""What the generators of vector ALU vectors share: the writer, states, registers, masks."""

from gcnmodel import EXEC, VCC, Program, run
from vectorlib import BASES, Writer, expect_json, init_json, make_state, pair

from .rows import GENERATION
from .transcend import bound

FULL = (1 << 64) - 1
EXECS = [0x00FFFF00FFFF00FF, 0xAAAAAAAAAAAAAAAA, 0x00000000FFFFFFFF, 1 << 63, 0x8000000180000001, 0xFFFFFFFFFFFFFFFE,
         0x0123456789ABCDEF, 1]
MASKS = [0x5555555555555555, 0xDEADBEEFCAFEF00D, FULL, 0xFF00FF00FF00FF00, 0x123456789ABCDEF0]
OLD = [0xDEAD0000 | lane * 0x0301 ^ 0xBEEF for lane in range(64)]
REGISTERS = [(0, 4, 8, 12), (5, 1, 11, 17), (100, 3, 200, 50), (251, 9, 33, 21), (16, 252, 2, 7), (30, 40, 250, 60),
             (1, 2, 3, 248), (77, 88, 99, 111)]
DPP_CTRLS = [0x1B, 0x101, 0x111, 0x121, 0x130, 0x134, 0x138, 0x13C, 0x140, 0x141, 0x142, 0x143, 0x4E, 0x10F, 0x11F,
             0x12F, 0x108, 0x114, 0x127, 0x00, 0xFF, 0xB1]


class ValuWriter(Writer):
    """Files named valu-<encoding>-<arch>; ids name the form."""

    def keep(self, group, mnemonic, label, words, old, new, doubts, **more):
        init, expect = init_json(old), expect_json(old, new)
        form, label = label
        key = (mnemonic, tuple(words), str(init))
        if key in self.seen:
            return
        self.seen.add(key)
        number = self.count.get((group, mnemonic), 0)
        self.count[group, mnemonic] = number + 1
        vector = {"id": f"{self.arch}/{mnemonic}/{form}-{number:03d}-{label}", "arch": self.arch,
                  "mnemonic": mnemonic, "words": words, "certainty": "likely" if doubts else "certain"}
        if doubts:
            vector["why"] = sorted(doubts)
        if "transcendental-approx" in doubts:
            vector["approx"] = {"fmt": mnemonic.split("_")[-1], "nan": "any", "tolerance": bound(mnemonic)}
        self.vectors.setdefault(group, []).append(vector | {"init": init, "expect": expect})

    def emit(self, group, mnemonic, form, label, words, state, doubts=()):
        old = make_state(**state)
        new = old.copy()
        result = run(Program(words, self.arch, old.pc), new, 1)
        if result.outcome != "budget":
            raise ValueError(f"{self.arch} {mnemonic} {form} {label}: {result.outcome} {result.detail}")
        self.keep(group, mnemonic, (form, label), words, old, new, new.doubts | set(doubts))


class Base:
    """What all kinds of rows share: initial states, and the choice of registers."""

    def __init__(self, writer, row, group):
        self.w, self.row, self.arch, self.group = writer, row, writer.arch, group
        self.gen = GENERATION[self.arch]
        self.turn = sum(map(ord, row.mnemonic)) % 89
        self.first = self.turn

    def next(self):
        self.turn += 1
        return self.turn

    def standard_mode(self):
        """A MODE register, by turn: denormals of f32 are flushed or kept."""
        return (0x3C0, 0x3F0)[self.turn % 2] if self.gen < 9 else (0x3F0, 0x3F0, 0x3C0)[self.turn % 3]

    def state(self, regs=None, vgpr=None, execute=FULL, mode=None, vcc=0):
        t = self.turn
        regs = pair(EXEC, execute) | (pair(VCC, vcc) if vcc else {}) | (regs or {})
        return dict(regs=regs, vgpr=vgpr or {}, scc=t & 1, pc=BASES[t % 7] if t % 9 == 0 else 0,
                    mode=self.standard_mode() if mode is None else mode)
