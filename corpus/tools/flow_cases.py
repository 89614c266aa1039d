"""Cases of everything scalar that is no plain ALU work: PC, fork and join, relative
moves, GPR index registers, hardware registers, SOPP."""

import gcnasm as asm
from gcnmodel import CSP, EXEC, M0, VCC, before, sgpr_count
from vectorlib import (BASES, INT_MIN, Const, Lit, Reg, literal_of, pair, place, rows_of, show,
                       specials, specials32, specials64)

FULL = (1 << 64) - 1
EXECS = [FULL, 1, 1 << 63, 0xFFFFFFFF_00000000, 0x00000000_FFFFFFFF, 0xAAAAAAAA_AAAAAAAA, 0]


# --- PC ----------------------------------------------------------------------------

def s_getpc_b64(w):
    name = "s_getpc_b64"
    for base in BASES:
        for sdst in (0, 4, 100, VCC):
            w.add("sop1", name, f"at_{base:x}-dst{sdst}", asm.sop1(w.arch, name, sdst),
                  regs=pair(sdst, 0x1111222233334444), pc=base, scc=sdst >> 2 & 1)
    for code, reg in specials64(w.arch):
        w.add("sop1", name, f"dst-{reg}", asm.sop1(w.arch, name, code), pc=0x100000FFC)
    for code in (1, 128, 253):
        w.add("sop1", name, f"unused-field-{code}", asm.sop1(w.arch, name, 2, code), pc=0x2000)
    w.add("sop1", name, "unused-field-255", asm.sop1(w.arch, name, 2, 255), pc=0x2000,
          doubts=["unused-255"])


TARGETS = [0, 4, 0x1000, 0x1004, 0xFFFFFFFC, 0x100000000, 0x100000004, 0x7FFFFFFFFFFC,
           0x123456789ABC, 0x1234567890, 0x10000000000, 0xFFFFFFFFFFFC, 0x80000000, 0x7FFFFFFC]
ROUGH_TARGETS = [1, 2, 3, 0x1001, 0x100000003, 1 << 48, FULL, 0x8000_0000_0000_0000]


def jump(w, row):
    """Vectors of S_SETPC, S_SWAPPC, S_RFE and S_RFE_RESTORE: PC = S0."""
    name = row.mnemonic
    group = row.encoding.lower()

    def case(label, s0, sdst=2, s1=Const(128), regs=None, pc=0x1000, scc=0):
        state = dict(regs or {})
        if row.dst:
            state |= pair(sdst, 0x5555666677778888)
        place(state, s0, 64)
        if row.encoding == "SOP2":
            place(state, s1, 32)
            words = asm.sop2(w.arch, name, sdst, s0.code, s1.code, literal_of(s0, s1))
        else:
            words = asm.sop1(w.arch, name, sdst, s0.code, literal_of(s0))
        w.add(group, name, label, words, regs=state, pc=pc, scc=scc)

    for i, target in enumerate(TARGETS):
        case(f"to_{target:x}", Reg(8 + 2 * (i % 3), target), pc=BASES[i % len(BASES)], scc=i & 1)
    for base in BASES:
        case(f"self-at_{base:x}", Reg(20, base), pc=base)
    for target in ROUGH_TARGETS:
        case(f"to_{target:x}", Reg(6, target))
    for code, reg in specials64(w.arch):
        case(f"src-{reg}", Reg(code, 0x100002000 + 8 * code), pc=0xFFFFFFFC)
    for literal in (0x2000, 0x80000000, 0xFFFFFFF0):
        case(f"literal-{literal:x}", Lit(literal), pc=0x100001000)
    for code in (128, 132, 192, 208, 240):
        case(f"inline{code}", Const(code))
    case("src-execz", Const(252))
    if row.dst:
        for code, reg in specials64(w.arch):
            case(f"dst-{reg}", Reg(8, 0x3000), sdst=code, pc=0x100000FF8)
        case("dst-is-src", Reg(8, 0x3000), sdst=8)
        case("dst-overlaps-src-high", Reg(8, 0x1_00003000), sdst=9)
        case("dst-is-src-above-4gib", Reg(30, 0x1_00003000), sdst=30, pc=0x2FFFFFFF8)
    if row.encoding == "SOP2":
        for i, s1 in enumerate((Const(129), Const(193), Lit(0x1234), Reg(30, 1), Reg(VCC, 9))):
            case(f"src1-{i}", Reg(8, 0x3000), s1=s1)
        case("literal-both", Lit(0x4000), s1=Lit(0x4000))


def s_call_b64(w):
    name = "s_call_b64"
    for base in BASES:
        for simm in (0, 1, -1, 0x7FFF, -0x8000, 0x1234):
            if base + 4 * simm >= 0:
                w.add("sopk", name, f"at_{base:x}-{simm}", asm.sopk(w.arch, name, 30, simm),
                      regs=pair(30, FULL), pc=base, scc=simm & 1)
    for code, reg in specials64(w.arch):
        w.add("sopk", name, f"dst-{reg}", asm.sopk(w.arch, name, code, 0x10), pc=0x100000FFC)


def sopp_branch(w, name):
    states = {"scc0": dict(scc=0), "scc1": dict(scc=1)}
    if "vcc" in name:
        states = {"vcc0": {}, "vcc_lo": dict(regs={VCC: 1}), "vcc_hi": dict(regs={VCC + 1: INT_MIN}),
                  "exec-not-vcc": dict(regs=pair(EXEC, FULL))}
    elif "exec" in name:
        states = {"exec0": {}, "exec_lo": dict(regs={EXEC: 8}), "exec_hi": dict(regs={EXEC + 1: 1}),
                  "vcc-not-exec": dict(regs=pair(VCC, FULL))}
    for label, state in states.items():
        for simm in (0, 1, -1, 5, 0x7FFF, -0x8000, -5):
            for base in (0x1000, 0x100000000, 0x7FFF00021000):
                if base + 4 * simm >= 0:
                    w.add("sopp", name, f"{label}-{simm}-at_{base:x}",
                          asm.sopp(w.arch, name, simm), pc=base, **state)
    for simm in (0x100, -0x100):
        w.add("sopp", name, f"across-4gib-{simm}", asm.sopp(w.arch, name, simm), pc=0xFFFFFFFC,
              **list(states.values())[-1])


def sopp_plain(w, name):
    """Vectors of SOPP instructions that only move PC, or end, halt or trap."""
    immediates = [0, 1, 2, 3, 7, 8, 15, 16, 0x7F, 0x80, 0xFF, 0x100, 0xF7F, 0x7FFF, 0x8000, 0xFFFF]
    states = [dict(), dict(regs=pair(EXEC, FULL) | pair(VCC, 5) | {M0: 0x1234, 0: 7}, scc=1,
                           mode=0x3C0, trapsts=0x11),
              dict(regs={M0: 0xFFFFFFFF, 127: 1}, mode=0x68000000, pc=0x1FFFFFFFC)]
    for simm in immediates:
        for i, state in enumerate(states):
            w.add("sopp", name, f"imm{simm:x}-state{i}", asm.sopp(w.arch, name, simm), **state)


# --- fork and join -----------------------------------------------------------------

FORK_MASKS = [
    # label, EXEC, mask
    ("exec0", 0, 0x1234), ("exec0-mask0", 0, 0), ("all-pass", FULL, FULL),
    ("all-fail", FULL, 0), ("all-pass-partial", 0xF0F0, 0xFFFF), ("all-fail-partial", 0xF0F0, 0x0F0F),
    ("fewer-fail", 0xFF, 0x3F), ("fewer-pass", 0xFF, 0x03), ("tie", 0xFF, 0x0F),
    ("tie-high", 0xFF << 56, 0xF << 56), ("one-fail", FULL, FULL - 1), ("one-pass", FULL, 1 << 63),
    ("mask-outside-exec", 0x00FF00FF, 0xFF00FF0F), ("tie-full", FULL, 0xFFFFFFFF),
]


def stack(seed=0x40000000):
    """Registers with a number of its own in every dword of the fork stack."""
    return {i: seed + 0x01010101 * i for i in range(32)}


def fork_cases(w, row):
    name, indirect = row.mnemonic, row.encoding == "SOP2"
    group = row.encoding.lower()

    def case(label, execute, mask, csp, mask_reg=60, target_reg=62, target=0x5000, pc=0x1000,
             simm=0x40):
        regs = stack() | pair(EXEC, execute)
        if mask is not None:
            regs |= pair(mask_reg, mask)
        if indirect:
            regs |= pair(target_reg, target)
            words = asm.sop2(w.arch, name, 0, mask_reg, target_reg)
        else:
            words = asm.sopk(w.arch, name, mask_reg, simm)
        w.add(group, name, label, words, regs=regs, mode=csp << CSP | 0x3C0, pc=pc, scc=csp & 1)

    for i, (label, execute, mask) in enumerate(FORK_MASKS):
        for csp in (0, i % 7, 6):
            case(f"{label}-csp{csp}", execute, mask, csp)
    for csp in range(7):
        case(f"fewer-fail-csp{csp}", 0xFF, 0x3F, csp)
        case(f"fewer-pass-csp{csp}", 0xFF, 0x03, csp)
    case("push-at-csp7", 0xFF, 0x0F, 7)
    for label, execute, mask in FORK_MASKS[2:9]:
        case(f"{label}-above-4gib", execute, mask, 1, pc=0xFFFFFFFC, target=0x1_00002000)
        case(f"{label}-backwards", execute, mask, 2, pc=0x100000000, target=0xFFFF0000, simm=-0x80)
    case("mask-is-exec", 0xFF, None, 0, mask_reg=EXEC)
    case("mask-is-vcc", 0xFF, 0x7, 0, mask_reg=VCC)
    case("mask-in-stack-slot", 0xFF, 0x0F, 2, mask_reg=8)
    case("mask-in-stack-slot-fail", 0xFF, 0x7F, 2, mask_reg=10)
    case("odd-mask-pair", 0xFF, 0x0F, 0, mask_reg=61, target_reg=64)
    if indirect:
        case("target-in-stack-slot", 0xFF, 0x7F, 2, target_reg=8)
        case("target-is-mask", 0xFFFFFFFF, 0x00010000, 0, mask_reg=60, target_reg=60,
             target=0x00010000)
        case("target-low-bits", 0xFF, 0x03, 0, target=0x5002)
        for bits in (1, 2, 3):                      # pushed without its low bits
            case(f"target-low-bits-pushed-{bits}", 0xFF, 0x3F, 2 * bits, target=0x1_00005000 + bits)


def s_cbranch_join(w):
    name = "s_cbranch_join"

    def case(label, csp, s0, execute=0xF0, scc=0, pc=0x1000):
        regs = stack(0x1000)
        for i in range(8):                          # return addresses that are good targets
            regs |= pair(4 * i + 2, 0x1_00004000 + 0x100 * i)
        regs |= pair(EXEC, execute)
        place(regs, s0, 32)
        w.add("sop1", name, label, asm.sop1(w.arch, name, 0, s0.code, literal_of(s0)), regs=regs,
              mode=csp << CSP | 0x3C0, scc=scc, pc=pc)

    for csp in range(8):
        for wanted in {csp, (csp + 1) % 8, 0, 7, csp + 8, csp | INT_MIN}:
            case(f"csp{csp}-s0_{wanted:x}", csp, Reg(40, wanted), scc=csp & 1)
    for csp in (0, 1, 7):
        case(f"inline-csp{csp}", csp, Const(128 + csp))
        case(f"inline-not-csp{csp}", csp, Const(128 + (csp or 8) - 1))
        case(f"literal-csp{csp}", csp, Lit(csp), pc=0x100000FFC)
        case(f"literal-not-csp{csp}", csp, Lit(csp + 0x10000))
    case("s0-in-stack", 3, Reg(8, 3))
    case("s0-in-stack-pop", 3, Reg(8, 2))
    case("s0-m0", 2, Reg(M0, 2))
    case("s0-scc", 1, Const(253), scc=1)
    case("s0-exec_lo", 4, Reg(EXEC, 3))
    case("exec0", 5, Reg(40, 1), execute=0)


# --- relative moves and GPR index registers ----------------------------------------

def movrel(w, row):
    name, width = row.mnemonic, row.dst
    last = sgpr_count(w.arch) - 1
    loads = name.startswith("s_movrels")
    value = 0x1122334455667788 if width == 64 else 0x11223344
    step = width // 32
    moves = [(0, 0), (0, 2), (10, 4), (20, 0xFFFFFFFC), (40, 20), (0, last + 1 - step),
             (last + 1 - step, 0), (last - 1, 0x100000000 - (last - 1)), (2, 80), (90, 0xFFFFFFD8),
             (60, 6), (100, 0xFFFFFFFE), (8, 48), (50, 50), (30, 0xFFFFFFE4), (12, 34), (70, 16)]
    if width == 32:
        moves += [(1, 0), (3, 7), (0, 1), (99, 2), (101, 0xFFFFFF9B), (5, 5)]
    else:
        moves += [(1, 1), (5, 3), (99, 0xFFFFFFFF)]
    outside = [(0, last + 1), (last + 1 - step, step), (10, 0x7FFFFFFF), (0, 0xFFFFFFFE), (4, 0x80000000), (0, 124),
               (0, 127), (20, 108), (100, 100)]
    if width == 64:
        outside += [(0, 1), (4, 0xFFFFFFFF), (0, last), (50, 3)]

    def case(label, base, m0, other=34, regs=None, scc=0, operand=None):
        index = base + m0 & 0xFFFFFFFF
        state = pair(0, 0xA0A1A2A3B0B1B2B3) | {M0: m0} | dict(regs or {})
        # every register a slip might pick instead holds something else
        for near in (base, base + 1, base + m0 % 256, other, other + 1):
            if near < 102:
                state.setdefault(near, 0xBAD00000 + near)
        if loads:
            if index + step - 1 <= last:
                state |= {index: value & 0xFFFFFFFF}
                if width == 64:
                    state |= {index + 1: value >> 32}
            words = asm.sop1(w.arch, name, other, base)
        else:
            s0 = operand or Reg(other, value)
            place(state, s0, width)
            words = asm.sop1(w.arch, name, base, s0.code, literal_of(s0))
        w.add("sop1", name, label, words, regs=state, scc=scc)

    for i, (base, m0) in enumerate(moves):
        case(f"s{base}-m0_{show(m0)}", base, m0, scc=i & 1)
        if i % 3 == 0:
            case(f"s{base}-m0_{show(m0)}-s66", base, m0, other=66, scc=i & 1)
    for base, m0 in outside:
        case(f"outside-s{base}-m0_{show(m0)}", base, m0)
    for code, reg in specials(w.arch, width):
        if code > last and code != M0 and not code & step - 1:
            case(f"{reg}-m0_0", code, 0, regs=pair(code, value) if width == 64 else {code: value})
    for code, reg in specials(w.arch, width):
        if loads:
            if code not in (M0, 3):
                case(f"dst-{reg}", 10, 6, other=code)
        elif code not in (M0, 3):
            case(f"src-{reg}", 10, 6, operand=Reg(code, value))
    if loads:
        if width == 32:
            case("dst-m0", 10, 6, other=M0)
        case("dst-is-indexed", 10, 4, other=14)
    else:
        if width == 32:
            case("src-m0", 10, 6, operand=Reg(M0))
        for operand in (Lit(0x80000001), Const(193), Const(242), Const(247), Const(192)):
            case(f"constant-{operand.code}", 10, 4, operand=operand)
        case("src-is-indexed", 10, 4, operand=Reg(14, value))
        case("src-is-base", 10, 4, operand=Reg(10, value))


M0_VALUES = [0, 0xFFFFFFFF, 0x12345678, 0x0000F0FF, 0xFFFF0F00]
INDEX_VALUES = [0, 1, 0xFF, 0x100, 0xFFFFFFFF, 0xABCDEF12]


def s_set_gpr_idx_idx(w):
    name = "s_set_gpr_idx_idx"
    for m0 in M0_VALUES:
        for value in INDEX_VALUES:
            w.add("sop1", name, f"m0_{m0:x}-{show(value)}", asm.sop1(w.arch, name, 0, 8),
                  regs={M0: m0, 8: value}, mode=0x08000000 * (value & 1), scc=m0 & 1)
    gpr_idx_operands(w, "sop1", name, lambda s0: asm.sop1(w.arch, name, 0, s0.code, literal_of(s0)))


def s_set_gpr_idx_on(w):
    name = "s_set_gpr_idx_on"
    for i, m0 in enumerate(M0_VALUES):
        for j, value in enumerate(INDEX_VALUES):
            flags = (i * 6 + j) % 16
            w.add("sopc", name, f"m0_{m0:x}-{show(value)}-flags{flags}",
                  asm.sopc(w.arch, name, 8, flags), regs={M0: m0, 8: value},
                  mode=(0, 0x3C0, 0xF7FFFFFF, 0x08000000)[j % 4], scc=i & 1)
    for flags in (0x10, 0xF3, 0x80):
        w.add("sopc", name, f"raw-field-{flags:x}", asm.sopc(w.arch, name, 8, flags),
              regs={8: 3, M0: 0xFFFFFFFF})
    w.add("sopc", name, "raw-field-255", asm.sopc(w.arch, name, 8, 255), regs={8: 3},
          doubts=["unused-255"])
    gpr_idx_operands(w, "sopc", name, lambda s0: asm.sopc(w.arch, name, s0.code, 3, literal_of(s0)))


def gpr_idx_operands(w, group, name, encode):
    for operand in (Lit(0x12345678), Const(129), Const(193), Const(242), Const(248), Reg(M0),
                    Reg(VCC, 0x55), Reg(EXEC + 1, 0x66), Reg(101, 0x77), Reg(102, 0x88)):
        state = {M0: 0xFEDCBA98}
        place(state, operand, 32)
        w.add(group, name, f"operand{operand.code}", encode(operand), regs=state)


def s_set_gpr_idx_mode(w):
    name = "s_set_gpr_idx_mode"
    for simm in (*range(16), 0x10, 0xFFF0, 0xFFFF, 0x8005):
        for m0 in (0, 0xFFFFFFFF, 0x12345678):
            w.add("sopp", name, f"imm{simm:x}-m0_{m0:x}", asm.sopp(w.arch, name, simm),
                  regs={M0: m0}, mode=0x08000000 * (simm & 1), scc=simm & 1)


def s_set_gpr_idx_off(w):
    name = "s_set_gpr_idx_off"
    for simm in (0, 1, 0xFFFF, 0x800):
        for mode in (0, 0x08000000, 0xFFFFFFFF, 0xF7FFFFFF, 0x080003C0):
            for m0 in (0, 0xFFFFFFFF, 0x12345678):
                w.add("sopp", name, f"imm{simm:x}-mode_{mode:x}-m0_{m0:x}",
                      asm.sopp(w.arch, name, simm), regs={M0: m0}, mode=mode, scc=m0 & 1)


# --- hardware registers ------------------------------------------------------------

FIELDS = [(0, 32), (0, 1), (0, 8), (4, 4), (4, 2), (6, 2), (8, 2), (31, 1), (27, 1), (28, 4), (1, 31),
          (29, 3), (12, 7), (3, 17), (16, 16), (8, 32), (31, 32), (20, 31)]
OTHER_IDS = (0, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 32, 63)


def s_getreg_b32(w):
    name = "s_getreg_b32"
    for number, label in ((1, "mode"), (3, "trapsts")):
        for i, (offset, size) in enumerate(FIELDS):
            w.add("sopk", name, f"{label}-{offset}-{size}",
                  asm.sopk(w.arch, name, 4, asm.hwreg(number, offset, size)),
                  regs={4: 0xDEADBEEF}, mode=0xA5C396F1, trapsts=0x5A3C690F, scc=i & 1)
    flags = [("none", dict(regs=pair(EXEC, 1) | pair(VCC, 1))), ("scc", dict(
        regs=pair(EXEC, 1 << 63) | pair(VCC, 1 << 32), scc=1)), ("execz", dict(regs=pair(VCC, 2))),
             ("vccz", dict(regs=pair(EXEC, 2))), ("all", dict(scc=1))]
    for label, state in flags:
        for offset, size in ((0, 1), (9, 1), (10, 1), (9, 2), (0, 32), (0, 11)):
            w.add("sopk", name, f"status-{label}-{offset}-{size}",
                  asm.sopk(w.arch, name, 6, asm.hwreg(2, offset, size)), **state)
    for number in OTHER_IDS:
        w.add("sopk", name, f"id{number}", asm.sopk(w.arch, name, 4, asm.hwreg(number)),
              regs={4: 0xDEADBEEF}, mode=0xFFFFFFFF, trapsts=0xFFFFFFFF, pc=0x1_00001000)
    w.add("sopk", name, "pc_lo-8-16", asm.sopk(w.arch, name, 4, asm.hwreg(8, 8, 16)), pc=0x12345678)
    for code, reg in specials32(w.arch):
        w.add("sopk", name, f"dst-{reg}", asm.sopk(w.arch, name, code, asm.hwreg(1, 4, 8)),
              regs={code: 0xFFFFFFFF}, mode=0xA5C396F1)


def setreg(w, name):
    """Vectors of S_SETREG_B32 and S_SETREG_IMM32_B32."""
    def case(label, field, value, sdst=4, regs=None, **state):
        state.setdefault("mode", 0x5A3C690F)
        state.setdefault("trapsts", 0x0F0F0F0F)
        if name == "s_setreg_b32":
            regs = {sdst: value} | (regs or {})
            words = asm.sopk(w.arch, name, sdst, field)
        else:
            words = asm.sopk(w.arch, name, sdst, field, literal=value)
        w.add("sopk", name, label, words, regs=regs, **state)

    for value in (0xFFFFFFFF, 0xA5C396F1):
        for number, label in ((1, "mode"), (3, "trapsts")):
            for i, (offset, size) in enumerate(FIELDS):
                case(f"{label}-{offset}-{size}-{show(value)}", asm.hwreg(number, offset, size), value,
                     scc=i & 1)
    for value in range(4):
        case(f"denorm32-{value}", asm.hwreg(1, 4, 2), value, mode=0x3F0)
        case(f"denorm64-{value}", asm.hwreg(1, 6, 2), value | 0xFFFFFFF0, mode=0x3C0)
    for number in (2,) + OTHER_IDS:
        case(f"id{number}-dropped", asm.hwreg(number), 0xFFFFFFFF, regs=pair(EXEC, 1))
    case("above-4gib", asm.hwreg(1, 0, 10), 0x155, pc=0xFFFFFFFC)
    case("inst-is-8-or-4-bytes", asm.hwreg(3, 0, 7), 0x7F, trapsts=0, pc=0xFFFFFFF8)
    if name == "s_setreg_b32":
        for code, reg in specials32(w.arch):
            case(f"src-{reg}", asm.hwreg(1, 0, 10), 0x2A5, sdst=code)
    else:
        for sdst in (125, 127, 104):
            case(f"unused-sdst-{sdst}", asm.hwreg(1, 0, 10), 0x2A5, sdst=sdst)


# --- all of them -------------------------------------------------------------------

def generate(w):
    rows = {r.mnemonic: r for r in _rows(w.arch)}
    s_getpc_b64(w)
    for name in ("s_setpc_b64", "s_swappc_b64", "s_rfe_b64", "s_rfe_restore_b64"):
        if name in rows:
            jump(w, rows[name])
    for name in ("s_cbranch_g_fork", "s_cbranch_i_fork"):
        fork_cases(w, rows[name])
    s_cbranch_join(w)
    for name in ("s_movrels_b32", "s_movrels_b64", "s_movreld_b32", "s_movreld_b64"):
        movrel(w, rows[name])
    s_getreg_b32(w)
    setreg(w, "s_setreg_b32")
    setreg(w, "s_setreg_imm32_b32")
    if not before(w.arch, "gcn1.2"):
        s_set_gpr_idx_idx(w)
        s_set_gpr_idx_on(w)
        s_set_gpr_idx_off(w)
        s_set_gpr_idx_mode(w)
    if "s_call_b64" in rows:
        s_call_b64(w)
    for name, row in rows.items():
        if row.encoding == "SOPP" and not name.startswith("s_set_gpr"):
            if "branch" in name:
                sopp_branch(w, name)
            else:
                sopp_plain(w, name)


def _rows(arch):
    return [r for e in ("SOP1", "SOP2", "SOPC", "SOPK", "SOPP") for r in rows_of(arch, e)]
