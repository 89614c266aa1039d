"""Which register accesses no wait covers, and what removing or weakening a wait does.

Pending operations of a counter age by the younger operations of their class; `wait N` finishes those of age N or more,
of classes without order only `wait 0` does. The walk follows direct branches, without regard to which lanes are active,
so what it finds behind a change of EXEC may be no mistake; `same_block` says that producer and consumer stand in one
block with EXEC unchanged between them.
"""

import re
from dataclasses import dataclass

from .decode import EXEC, M0, SCC, VCC, VGPR

VMEM = ("MUBUF", "MTBUF", "MIMG", "FLAT", "GLOBAL", "SCRATCH")
UNORDERED = ("smem", "exec")


@dataclass(frozen=True, order=True)
class Finding:
    """An access to a register whose producer is not finished, or too few wait states between two instructions."""

    kind: str
    producer: int
    consumer: int
    register: int
    same_block: bool


def maxima(arch):
    """The largest value of each counter."""
    return {"vm": 63 if arch in ("gcn1.4", "gcn1.4.1") else 15, "lgkm": 15, "exp": 7}


def counts(inst, arch):
    """Returns what an S_WAITCNT waits for: {counter: N}, without counters at their maximum."""
    if inst.name != "s_waitcnt":
        return {}
    simm = inst.fields["simm"]
    vm = simm & 15
    if arch in ("gcn1.4", "gcn1.4.1"):
        vm |= simm >> 10 & 0x30
    result = {"vm": vm, "exp": simm >> 4 & 7, "lgkm": simm >> 8 & 15}
    return {counter: value for counter, value in result.items() if value < maxima(arch)[counter]}


def immediate(old, counter, value):
    """Returns an S_WAITCNT immediate with another count."""
    if counter == "vm":
        return old & ~0xC00F | value & 15 | (value & 0x30) << 10
    if counter == "exp":
        return old & ~0x70 | value << 4
    return old & ~0xF00 | value << 8


def events(inst, arch):
    """Yields (counter, class, registers, role) of what an instruction starts; role W: written later, R: read later."""
    name, encoding = inst.name, inst.encoding
    vgprs = {register for register in inst.writes if register >= VGPR}
    if encoding in VMEM and not name.startswith("buffer_wbinvl1"):
        yield "vm", "vm", vgprs, "W"
        if arch == "gcn1.0" and ("store" in name or "atomic" in name):
            yield "exp", "vmw", inst.fields.get("data", set()) - vgprs, "R"
    elif encoding == "DS":
        gds = inst.fields["gds"] or "gws" in name
        yield "lgkm", "gds" if gds else "lds", vgprs, "W"
        if gds:
            yield "exp", "gds", {register for register in inst.reads if register >= VGPR}, "R"
            yield "exp", "exec", {EXEC, EXEC + 1}, "R"
    elif encoding == "SMEM" and not name.startswith(("s_dcache_inv", "s_atc")):
        yield "lgkm", "smem", set(inst.writes), "W"
    elif name in ("s_sendmsg", "s_sendmsghalt"):
        yield "lgkm", "msg", set(), "W"
    elif encoding == "EXP":
        target = inst.fields["target"]
        group = "param" if target >= 32 else "pos" if target >= 12 else "mrt"
        yield "exp", f"exp-{group}", set(inst.reads), "R"
        yield "exp", "exec", {EXEC, EXEC + 1}, "R"


def in_order(old, inst):
    """Whether a second write of a register needs no wait: loads of one kind write back in order."""
    if old.encoding in VMEM and inst.encoding in VMEM:
        return bool(old.fields.get("sampler")) == bool(inst.fields.get("sampler"))
    return old.encoding == "DS" and inst.encoding == "DS" and old.fields["gds"] == inst.fields["gds"]


class Walk:
    """The dataflow over the blocks of one kernel. State: {(register, counter, class, role, producer): age}."""

    def __init__(self, instructions, blocks, arch):
        self.instructions, self.blocks, self.arch = instructions, blocks, arch
        self.block_of = {pc: start for start in blocks.starts for pc in blocks.members[start]}
        self.limits = maxima(arch)

    def same_block(self, producer, consumer):
        if self.block_of[producer] != self.block_of[consumer] or consumer <= producer:
            return False
        between = [pc for pc in self.blocks.members[self.block_of[producer]] if producer < pc < consumer]
        return not any(EXEC in self.instructions[pc].writes for pc in between)

    def step(self, inst, state, report):
        """Executes one instruction on the state."""
        for counter, value in counts(inst, self.arch).items():
            for key in [key for key, age in state.items() if key[1] == counter and self.finished(key, age, value)]:
                del state[key]
        if state:
            self.check(inst, state, report)
        for counter, group, registers, role in events(inst, self.arch):
            for key in [key for key in state if key[1] == counter and key[2] == group]:
                state[key] += 1
                if state[key] >= self.limits[counter] and group not in UNORDERED:
                    del state[key]
            for register in registers:
                state[register, counter, group, role, inst.pc] = 0
        if inst.name in ("s_swappc_b64", "s_call_b64"):
            state.clear()

    @staticmethod
    def finished(key, age, value):
        return value == 0 if key[2] in UNORDERED else value <= age

    def check(self, inst, state, report):
        for key in list(state):
            register, counter, group, role, producer = key
            reads = role == "W" and register in inst.reads
            writes = register in inst.writes
            if writes and not reads and role == "W" and in_order(self.instructions[producer], inst):
                del state[key]
                continue
            if reads or writes:
                if report is not None:
                    finding = Finding(
                        f"wait-{counter}", producer, inst.pc, register, self.same_block(producer, inst.pc)
                    )
                    report.add(finding)
                del state[key]

    def run(self):
        """Returns the findings."""
        states = {start: None for start in self.blocks.starts}
        first = self.blocks.starts[0]
        states[first] = {}
        work = [first]
        while work:
            start = work.pop(0)
            state = dict(states[start])
            for pc in self.blocks.members[start]:
                self.step(self.instructions[pc], state, None)
            for successor in self.blocks.next[start]:
                known = states[successor]
                if known is None:
                    states[successor], changed = dict(state), True
                else:
                    changed = False
                    for key, age in state.items():
                        if key not in known or age < known[key]:
                            known[key], changed = age, True
                if changed and successor not in work:
                    work.append(successor)
        report = set()
        for start in self.blocks.starts:
            if states[start] is None:
                continue
            state = dict(states[start])
            for pc in self.blocks.members[start]:
                self.step(self.instructions[pc], state, report)
        return report


def hardware_register(inst):
    """The hardware register that S_SETREG or S_GETREG names, else None."""
    return inst.fields["simm"] & 63 if inst.name.startswith(("s_setreg", "s_getreg")) else None


def is_salu(inst):
    return inst.encoding in ("SOP1", "SOP2", "SOPC", "SOPK")


def rules(inst, arch):
    """Yields (id, states, registers, is_producer) for the rules in which an instruction is the consumer."""
    gfx6, gfx8up, gfx9 = arch == "gcn1.0", arch not in ("gcn1.0", "gcn1.1"), arch in ("gcn1.4", "gcn1.4.1")
    scalars = {register for register in inst.reads if register < 108}

    def valu(other):
        return other.is_valu

    if gfx8up and inst.encoding in VMEM and scalars:
        yield "valu-sgpr-vmem", 5, scalars, valu
    if inst.name in ("v_readlane_b32", "v_writelane_b32"):
        lane = inst.fields["src1"]
        lane = lane - VGPR if lane >= VGPR and not inst.is_vop3 else lane
        if lane <= M0:
            yield "valu-sgpr-lanesel", 4, {lane}, valu
    if inst.name.startswith("v_div_fmas"):
        yield "valu-vcc-divfmas", 4, {VCC, VCC + 1}, valu
    if inst.fields.get("dpp"):
        yield "valu-exec-dpp", 5, {EXEC}, valu
        yield "valu-vgpr-dpp", 2, {
            VGPR + (inst.words[1] & 0xFF)
        }, lambda other: other.is_valu or other.encoding == "VINTRP"
    if not gfx6 and (inst.is_valu or inst.encoding == "VINTRP"):
        yield "store-data-overwrite", 1, {r for r in inst.writes if r >= VGPR}, wide_store
    if gfx6 and inst.encoding == "SMEM":
        yield "valu-sgpr-smrd", 4, scalars, valu
        if "buffer" in inst.name:
            base = inst.fields["sbase"]
            yield "salu-sgpr-sbuffer", 4, set(range(base, base + 4)), is_salu
    if gfx6 and inst.name in ("v_readlane_b32", "v_readfirstlane_b32"):
        yield "vintrp-readlane", 1, {r for r in inst.reads if r >= VGPR}, lambda other: other.encoding == "VINTRP"
    gds = inst.encoding == "DS" and (inst.fields["gds"] or "gws" in inst.name)
    if gfx8up and (inst.name in ("s_sendmsg", "s_sendmsghalt", "s_ttracedata") or gds):
        yield "salu-m0-msg", 1, {M0}, is_salu
    direct = inst.encoding == "VINTRP" or "addtid" in inst.name or inst.fields.get("lds") or inst.fields.get("interp")
    if gfx9 and direct:
        yield "salu-m0-lds", 1, {M0}, is_salu
    if gfx9 and inst.name.startswith("s_movrel"):
        yield "salu-m0-movrel", 1, {M0}, is_salu
    number = hardware_register(inst)
    if number is not None:
        same = lambda other: other.name.startswith("s_setreg") and hardware_register(other) == number  # noqa: E731
        if inst.name.startswith("s_getreg"):
            yield "setreg-getreg", 2, None, same
        else:
            yield "setreg-setreg", 2 if gfx8up else 1, None, same


def wide_store(inst):
    """Whether a store is so wide that the next instruction must not overwrite its data."""
    data = inst.fields.get("data")
    if not data or len(data) <= 2 or not ("store" in inst.name or "cmpswap_x2" in inst.name):
        return False
    if inst.encoding in ("MUBUF", "MTBUF"):
        return inst.fields["soffset"] >= 128
    if inst.encoding == "MIMG":
        return bool(inst.fields["r128"])
    return True


def hazards(instructions, blocks, arch):
    """Returns findings for wait states."""
    walk = Walk(instructions, blocks, arch)
    before = {}
    for start in blocks.starts:
        members = blocks.members[start]
        for pc, following in zip(members, members[1:]):
            before.setdefault(following, set()).add(pc)
        for successor in blocks.next[start]:
            before.setdefault(successor, set()).add(members[-1])
    report = set()
    for pc, inst in instructions.items():
        for name, states, registers, is_producer in rules(inst, arch):
            back(walk, before, pc, name, states, registers, is_producer, report)
    return report


def back(walk, before, consumer, name, needed, registers, is_producer, report):
    """Reports producers that are less than `needed` wait states before the consumer."""
    work, seen = [(previous, 0, registers) for previous in before.get(consumer, ())], set()
    while work:
        pc, states, wanted = work.pop()
        inst = walk.instructions[pc]
        touched = inst.fields.get("data", set()) if name == "store-data-overwrite" else inst.writes
        hit = is_producer(inst) and (wanted is None or wanted & touched)
        if hit:
            register = min(wanted & touched) if wanted else 0
            report.add(Finding(f"states-{name}", pc, consumer, register, walk.same_block(pc, consumer)))
            continue
        if wanted is not None and name != "store-data-overwrite":
            wanted = wanted - inst.writes
            if not wanted:
                continue
        states += inst.fields["simm"] % 16 + 1 if inst.name == "s_nop" else 1
        if states < needed and (pc, states) not in seen:
            seen.add((pc, states))
            work += [(previous, states, wanted) for previous in before.get(pc, ())]


__all__ = ["Finding", "SCC", "Walk", "counts", "hazards", "immediate", "maxima", "re"]
