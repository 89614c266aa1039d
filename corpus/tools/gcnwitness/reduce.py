"""Makes a program with a difference small: kernels, statements and expressions go while the difference stays."""

import copy

from .tree import Stmt, literal

ONES = {"half": 0x3C00, "float": 0x3F800000, "double": 0x3FF0000000000000}


def blocks(program):
    """All lists of statements, outer ones first."""
    found = [function.body for function in program.functions]
    found += [phase for kernel in program.kernels for section in kernel.sections for phase in section.phases]
    for block in found:
        for statement in block:
            found += statement.blocks
    return found


def spots(program):
    """All places of expressions: a list and an index, outer ones first."""
    found = []
    for block in blocks(program):
        for statement in block:
            first = 1 if statement.kind in ("assign", "set") else 0
            found += [(statement.exprs, index) for index in range(first, len(statement.exprs))]
    found += [([function], None) for function in program.functions]
    every = []
    for owner, index in found:
        if index is None:
            holder = owner[0]
            every.append((holder, "value"))
            inner = [holder.value]
        else:
            every.append((owner, index))
            inner = [owner[index]]
        while inner:
            expr = inner.pop()
            if expr.op == "component":
                inner.append(expr.args[1])
                every.append((expr.args, 1))
                continue
            every += [(expr.args, at) for at in range(len(expr.args)) if expr.args[at].op != "array"]
            inner += expr.args
    return every


def get(spot):
    owner, index = spot
    return owner.value if index == "value" else owner[index]


def put(spot, value):
    owner, index = spot
    if index == "value":
        owner.value = value
    else:
        owner[index] = value


def simpler(expr):
    """Simpler expressions that could stand in the place of an expression."""
    if expr.op in ("literal", "var", "array"):
        return []
    choices = []
    if expr.type.n:
        choices += [literal(expr.type, 0), literal(expr.type, ONES.get(expr.type.base, 1))]
    choices += [arg for arg in expr.args if arg.type == expr.type and arg.op != "array"]
    nested = [inner for arg in expr.args for inner in arg.args if inner.type == expr.type and inner.op != "array"]
    return choices + nested


def is_index(spot):
    """Whether a place is the mask of an index, which has to stay."""
    return get(spot).op in ("and", "mod") and str(get(spot).type) == "uint"


class Reducer:
    """`differs` says whether a program still has the difference."""

    def __init__(self, program, differs, patience=400):
        self.program, self.differs, self.left = program, differs, patience

    def holds(self):
        if self.left <= 0:
            return False
        self.left -= 1
        return self.differs(self.program)

    def run(self):
        self.kernels()
        before = None
        while before != (before := self.size()) and self.left > 0:
            self.statements()
            self.expressions()
            self.functions()
        return self.program

    def size(self):
        return len(blocks(self.program)), len(spots(self.program))

    def kernels(self):
        for kernel in list(self.program.kernels):
            if len(self.program.kernels) > 1:
                kept = list(self.program.kernels)
                self.program.kernels = [one for one in kept if one is not kernel]
                if not self.holds():
                    self.program.kernels = kept

    def functions(self):
        for function in list(self.program.functions):
            kept = list(self.program.functions)
            self.program.functions = [one for one in kept if one is not function]
            if not self.holds():
                self.program.functions = kept

    def statements(self):
        """Removes runs of statements, from long to single; then puts their blocks in their place."""
        for block in blocks(self.program):
            size = max(len(block) // 2, 1)
            while block and size:
                at = len(block) - size
                while at >= 0:
                    self.without(block, at, size)
                    at -= size
                size //= 2
            for at in range(len(block) - 1, -1, -1):
                if block[at].kind in ("if", "for", "while", "do", "block", "switch") and not block[at].kept:
                    self.flatten(block, at)

    def without(self, block, at, size):
        kept = block[:]
        gone = [statement for statement in block[at:at + size] if not statement.kept]
        if gone:
            block[at:at + size] = [statement for statement in block[at:at + size] if statement.kept]
            if not self.holds():
                block[:] = kept

    def flatten(self, block, at):
        kept = block[:]
        for inner in kept[at].blocks:
            block[at:at + 1] = [Stmt("block", blocks=[inner])] if kept[at].kind != "block" else inner
            if self.holds():
                return
            block[:] = kept

    def expressions(self):
        seen = 0
        while seen < len(every := spots(self.program)) and self.left > 0:
            spot = every[seen]
            seen += 1
            if is_index(spot):
                continue
            old = get(spot)
            for choice in simpler(old):
                put(spot, choice)
                if self.holds():
                    break
                put(spot, old)


def reduced(program, differs, patience=400):
    """A smaller program that still differs."""
    return Reducer(copy.deepcopy(program), differs, patience).run()

