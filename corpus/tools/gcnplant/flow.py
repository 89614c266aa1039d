"""Blocks of code, and which definitions reach a use."""

from .code import branch_target

ENDS = ("s_endpgm", "s_endpgm_saved", "s_setpc_b64", "s_rfe_b64")


class Blocks:
    """Basic blocks of {pc: instruction}: `starts` in order, `members[start]` the pcs, `next[start]` the successors."""

    def __init__(self, instructions, entry):
        leaders = {entry}
        for pc, inst in instructions.items():
            target = branch_target(inst)
            if target is not None:
                leaders |= {target, pc + inst.size}
        self.members, self.next = {}, {}
        for start in sorted(leader for leader in leaders if leader in instructions):
            members, pc = [], start
            while True:
                inst = instructions[pc]
                members.append(pc)
                target = branch_target(inst)
                following = pc + inst.size
                if inst.name in ENDS:
                    successors = []
                elif inst.name == "s_branch":
                    successors = [target]
                elif target is not None:
                    successors = [following, target]
                elif following in leaders or following not in instructions:
                    successors = [following]
                else:
                    pc = following
                    continue
                break
            self.members[start] = members
            self.next[start] = [successor for successor in successors if successor in instructions]
        self.starts = sorted(self.members)


def definitions(instructions, blocks):
    """Returns {pc: {register: frozenset of pcs}}: what may have written each register that an instruction reads.

    A write under a mask leaves the old value in other lanes; here every write hides the ones before it, so that a
    definition that is found does reach.
    """
    entry_state = {start: {} for start in blocks.starts}
    work = list(blocks.starts)
    reaching = {}
    while work:
        start = work.pop(0)
        state = dict(entry_state[start])
        for pc in blocks.members[start]:
            inst = instructions[pc]
            reaching[pc] = {register: state[register] for register in inst.reads if register in state}
            for register in inst.writes:
                state[register] = frozenset([pc])
        for successor in blocks.next[start]:
            known, changed = entry_state[successor], False
            for register, pcs in state.items():
                union = known.get(register, frozenset()) | pcs
                if union != known.get(register):
                    known[register] = union
                    changed = True
            if changed and successor not in work:
                work.append(successor)
    return reaching


def is_output(inst):
    """Whether the instruction has an effect outside of the wave: an export, a store or an atomic."""
    return inst.encoding == "EXP" or "store" in inst.name or "atomic" in inst.name


def towards_outputs(instructions, blocks):
    """Returns {pc: number of steps to an output} of what an output's data or address depends on (0: an output)."""
    reaching = definitions(instructions, blocks)
    distance = {pc: 0 for pc, inst in instructions.items() if is_output(inst)}
    work = list(distance)
    while work:
        pc = work.pop(0)
        for register, pcs in reaching.get(pc, {}).items():
            if register == 124:
                continue
            for producer in pcs:
                if producer not in distance:
                    distance[producer] = distance[pc] + 1
                    work.append(producer)
    return distance
