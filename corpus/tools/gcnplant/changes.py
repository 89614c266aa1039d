"""Changes of one instruction that an output depends on: operands swapped, another constant, another component."""

import re

FLOATS = {240: 244, 241: 247, 242: 244, 243: 245, 244: 246, 245: 243, 246: 242, 247: 241}
SYMMETRIC = re.compile(
    r"v_(pk_)?(add|mul|min|max|and|or|xor|xnor|mac|fmac|mad|fma|med3|min3|max3|add3|or3|sad"
    r"|cmp_(eq|ne|lg|o|u|neq|nlg)|cmpx_(eq|ne))"
)


def changed(inst, word_index, clear, bits):
    """Returns the instruction's words with `bits` in place of the bits that `clear` names."""
    words = list(inst.words)
    words[word_index] = words[word_index] & ~clear & 0xFFFFFFFF | bits
    return tuple(words)


def constant(inst):
    """Another inline constant or literal in place of the first one of a vector instruction; None if there is none."""
    if not inst.is_valu or inst.fields.get("dpp") or inst.fields.get("sdwa"):
        return None
    at = [(0, 0), (1, 9), (1, 18)] if inst.is_vop3 else [(0, 0)]
    for number, (word, shift) in enumerate([(1, 0), (1, 9), (1, 18)] if inst.is_vop3 else at):
        code = inst.fields.get(f"src{number}")
        if code is None:
            continue
        if code in FLOATS:
            return "constant", changed(inst, word, 0x1FF << shift, FLOATS[code] << shift)
        if 129 <= code < 192 and not inst.name.startswith(("v_lsh", "v_ash", "v_bfe")):
            return "constant", changed(inst, word, 0x1FF << shift, (code + 1) << shift)
    if len(inst.words) == 2 and not inst.is_vop3 and inst.words[1] not in (0, 0x80000000):
        # A float gets another mantissa. Of an integer bit 2 changes: texture offsets end at bit 21, and of addresses the
        # bits below do not count.
        is_float = inst.words[1] >> 23 & 0xFF
        return "literal", (inst.words[0], inst.words[1] ^ (0x00400000 if is_float else 4))
    return None


def swapped(inst):
    """The words of an instruction with its first two operands swapped; None if it is symmetric in them."""
    if not inst.is_valu or inst.encoding == "VOP1" or inst.fields.get("dpp") or inst.fields.get("sdwa"):
        return None
    src0, src1 = inst.fields.get("src0"), inst.fields.get("src1")
    if src0 is None or src1 is None or src0 == src1 or "lane" in inst.name:
        return None
    if SYMMETRIC.match(inst.name):
        return mixed(inst)
    if inst.is_vop3:
        if inst.name.endswith(("64",)) or inst.name.startswith("v_interp"):
            return None
        if (inst.words[1] >> 29 ^ inst.words[1] >> 30) & 1 or (inst.words[0] >> 8 ^ inst.words[0] >> 9) & 1:
            return None
        return "swap", changed(inst, 1, 0x3FFFF, src0 << 9 | src1)
    if src0 < 256 or inst.name.endswith("64"):
        return None
    return "swap", changed(inst, 0, 0x1FFFF, (src0 - 256) << 9 | src1)


def mixed(inst):
    """The words of a multiply-add with its second factor and its summand swapped."""
    if not re.match(r"v_(mad|fma)_f", inst.name) or inst.fields["src1"] == inst.fields["src2"] or not inst.is_vop3:
        return None
    src1, src2 = inst.fields["src1"], inst.fields["src2"]
    return "swap", changed(inst, 1, 0x3FFFF << 9, src2 << 9 | src1 << 18)


def component(inst):
    """The words of an instruction that exports, interpolates or loads another component."""
    if inst.encoding == "EXP":
        sources, enabled = inst.fields["sources"], inst.fields["en"]
        if not inst.fields["compr"] and enabled & 3 == 3 and sources[0] != sources[1]:
            first, second = sources[0] - 256, sources[1] - 256
            return "component", changed(inst, 1, 0xFFFF, second | first << 8)
        if inst.fields["compr"] and enabled == 15 and sources[0] != sources[1]:
            first, second = sources[0] - 256, sources[1] - 256
            return "component", changed(inst, 1, 0xFFFF, second | first << 8)
    if inst.encoding == "VINTRP":
        return "component", changed(inst, 0, 3 << 8, (inst.fields["chan"] ^ 1) << 8)
    if inst.encoding == "SMEM" and inst.name == "s_buffer_load_dword" and inst.fields["imm"]:
        if len(inst.words) == 1:
            return "component", changed(inst, 0, 0xFF, inst.fields["offset"] ^ 1)
        return "component", changed(inst, 1, 0xFFFFF, inst.fields["offset"] & 0xFFFFF ^ 4)
    return None


def candidates(instructions, distance):
    """Yields (pc, kind, words) of possible changes of instructions that an output depends on."""
    for pc in sorted(distance):
        inst = instructions[pc]
        for make in (swapped, constant, component):
            result = make(inst)
            if result and result[1] != inst.words:
                yield pc, result[0], result[1]
