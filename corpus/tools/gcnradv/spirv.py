"""What a SPIR-V module says of its interface: resources, variables by location, size of a group."""

import struct
from dataclasses import dataclass, field

# Vulkan's numbers of descriptor types.
SAMPLER, COMBINED, SAMPLED_IMAGE, STORAGE_IMAGE, UNIFORM_TEXELS, STORAGE_TEXELS, UNIFORM, STORAGE = range(8)
INPUT_ATTACHMENT = 10

INPUT, OUTPUT = 1, 3


@dataclass(frozen=True)
class Variable:
    """An input or output: each element and column has `rows` components of type `base` (float, int, uint)."""

    location: int
    component: int
    base: str
    bits: int
    rows: int
    count: int
    columns: int = 1
    patch: bool = False


@dataclass
class Interface:
    """`bindings` maps (set, binding) to (type of descriptor, count)."""

    bindings: dict = field(default_factory=dict)
    push: bool = False
    inputs: list = field(default_factory=list)
    outputs: list = field(default_factory=list)
    group: tuple = None
    xfb: bool = False


def instructions(data):
    """Yields opcode and operands of each instruction."""
    words = struct.unpack(f"<{len(data) // 4}I", data)
    if words[0] != 0x07230203:
        raise ValueError("not SPIR-V")
    at = 5
    while at < len(words):
        length = words[at] >> 16
        yield words[at] & 0xFFFF, words[at + 1 : at + length]
        at += length


class Module:
    """Types, constants and decorations of a module."""

    def __init__(self, data):
        self.types, self.constants, self.decorations, self.members = {}, {}, {}, {}
        self.variables, self.group, self.group_ids = [], None, None
        for opcode, ops in instructions(data):
            if 19 <= opcode <= 32:
                self.types[ops[0]] = (opcode, ops[1:])
            elif opcode in (43, 50):
                self.constants[ops[1]] = ops[2]
            elif opcode in (44, 51):
                self.constants[ops[1]] = [self.constants.get(op, 1) for op in ops[2:]]
            elif opcode == 59:
                self.variables.append((ops[1], ops[0], ops[2]))
            elif opcode == 71:
                self.decorations.setdefault(ops[0], {})[ops[1]] = ops[2] if len(ops) > 2 else True
            elif opcode == 72:
                self.members.setdefault(ops[0], {}).setdefault(ops[1], {})[ops[2]] = ops[3] if len(ops) > 3 else True
            elif opcode == 16 and ops[1] == 17:
                self.group = tuple(ops[2:5])
        for name, known in self.decorations.items():
            if known.get(11) == 25 and isinstance(self.constants.get(name), list):
                self.group = tuple(self.constants[name])

    def unwrap(self, kind):
        """Takes arrays off: returns the element's type and the number of elements."""
        count = 1
        while self.types[kind][0] in (28, 29):
            opcode, ops = self.types[kind]
            count *= self.constants.get(ops[1], 1) if opcode == 28 else 16
            kind = ops[0]
        return kind, count

    def descriptor(self, kind, storage):
        """Returns Vulkan's type of the descriptor, None for what is none."""
        opcode, ops = self.types[kind]
        if opcode == 30:
            known = self.decorations.get(kind, {})
            return STORAGE if storage == 12 or 3 in known else UNIFORM
        if opcode == 27:
            return COMBINED if self.types[ops[0]][1][1] != 5 else UNIFORM_TEXELS
        if opcode == 26:
            return SAMPLER
        if opcode == 25:
            dimension, sampled = ops[1], ops[5]
            if dimension == 6:
                return INPUT_ATTACHMENT
            if sampled == 2:
                return STORAGE_TEXELS if dimension == 5 else STORAGE_IMAGE
            return UNIFORM_TEXELS if dimension == 5 else SAMPLED_IMAGE
        return None

    def scalar(self, kind):
        """Returns base, bits, rows and columns of a scalar, vector or matrix; None for anything else."""
        opcode, ops = self.types[kind]
        if opcode == 24:
            base = self.scalar(ops[0])
            return base and (base[0], base[1], base[2], ops[1])
        if opcode == 23:
            base = self.scalar(ops[0])
            return base and (base[0], base[1], ops[1], 1)
        if opcode == 22:
            return "float", ops[0], 1, 1
        if opcode == 21:
            return ("int" if ops[1] else "uint"), ops[0], 1, 1
        return None


def reflect(data, stage):
    """Returns the interface of a module. Inputs of tesc, tese and geom and outputs of tesc are arrays of vertices."""
    module = Module(data)
    result = Interface(group=module.group)
    for name, pointer, storage in module.variables:
        known = module.decorations.get(name, {})
        kind = module.types[pointer][1][1]
        if storage == 9:
            result.push = True
        elif storage in (0, 2, 12) and 33 in known:
            element, count = module.unwrap(kind)
            descriptor = module.descriptor(element, storage)
            if descriptor is not None:
                result.bindings[known.get(34, 0), known[33]] = descriptor, count
        elif storage in (INPUT, OUTPUT) and 30 in known:
            arrays = (stage in ("tesc", "tese", "geom")) if storage == INPUT else stage == "tesc"
            if arrays and 15 not in known and module.types[kind][0] == 28:
                kind = module.types[kind][1][0]
            element, count = module.unwrap(kind)
            shape = module.scalar(element)
            if shape is None:
                raise ValueError("a structure between stages")
            base, bits, rows, columns = shape
            variable = Variable(known[30], known.get(31, 0), base, bits, rows, count, columns, 15 in known)
            (result.inputs if storage == INPUT else result.outputs).append(variable)
        result.xfb = result.xfb or (storage == OUTPUT and 36 in known)
    return result
