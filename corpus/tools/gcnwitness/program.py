"""Draws programs: structures, tables, functions, kernels with their buffers and dispatches."""

import random

from .expressions import Expressions, Place, Scope
from .kinds import INT, UINT, ULONG, Type
from .statements import Statements
from .tree import Buffer, Expr, Function, Kernel, Program, Section, Stmt, Struct, literal, variable

BASES = ("char", "uchar", "short", "ushort", "int", "uint", "long", "ulong")
RESULTS = 24
NUMBERS = ("get_global_id", "get_local_id", "get_group_id", "get_local_size", "get_enqueued_local_size",
           "get_global_size", "get_num_groups", "get_global_offset")
GROUPS = ([256], [64], [100], [17], [1], [128], [16, 8], [8, 8], [5, 7], [64, 2], [4, 4, 4], [3, 5, 2], [2, 2, 16],
          [256, 1], [1, 70], [33, 1, 3])
ATOMIC_NAMES = ("add", "sub", "min", "max", "and", "or", "xor", "inc", "dec")


def draw_program(seed):
    """The program of a seed."""
    return Drawer(seed).program()


class Drawer:
    """The state while a program is drawn."""

    def __init__(self, seed):
        self.seed, self.rng = seed, random.Random(f"witness {seed}")
        self.structs = {}

    def program(self):
        rng = self.rng
        bases = rng.sample(BASES, rng.randint(2, 4))
        features = set()
        for base, share in (("float", 0.6), ("double", 0.35), ("half", 0.2)):
            if rng.random() < share:
                bases.append(base)
                features.add(base)
        self.expressions = Expressions(rng, bases, self.structs)
        self.statements = Statements(rng, self.expressions)
        program = Program(self.seed, features=features)
        for index in range(rng.choice((0, 1, 1, 2))):
            fields = [(f"m{field}", self.expressions.kind()) for field in range(rng.randint(2, 5))]
            self.structs[f"S{index}"] = Struct(f"S{index}", fields)
        program.structs = list(self.structs.values())
        for index in range(rng.choice((0, 1, 2))):
            kind = self.expressions.kind(0.8)
            values = [self.expressions.constant(kind) for _ in range(rng.choice((8, 16)))]
            program.tables.append((f"table{index}", kind, values))
        self.tables = [Place(name, kind, len(values)) for name, kind, values in program.tables]
        self.functions = program.functions
        for index in range(rng.randint(0, 4)):
            program.functions.append(self.function(f"f{index}"))
        if any(function.generic for function in program.functions):
            features.add("generic")
        for index in range(rng.randint(1, 3)):
            program.kernels.append(self.kernel(index))
        return program

    def any_kind(self):
        """A random type, sometimes a structure."""
        if self.structs and self.rng.random() < 0.2:
            return Type(self.rng.choice(list(self.structs)), 0)
        return self.expressions.kind()

    def pure(self):
        """The functions that write nothing, so that expressions may call them in any order."""
        return [function for function in self.functions if not any(length for _, _, length in function.params)]

    def function(self, name):
        rng = self.rng
        params = [(f"{name}_p{index}", self.any_kind(), 0) for index in range(rng.randint(1, 4))]
        generic = False
        if rng.random() < 0.3:
            params.append((f"{name}_q", self.expressions.kind(0.8), 8))
            generic = rng.random() < 0.4
        places = [Place(param, kind, length, write=True) for param, kind, length in params if length]
        values = [(param, kind) for param, kind, length in params if not length]
        scope = Scope(values, places + self.tables, self.pure())
        self.statements.stores, self.statements.atomics, self.statements.array_functions = [], [], []
        body = []
        inner = scope.inner()
        for _ in range(rng.randint(1, 6)):
            body += self.statements.statement(inner, rng.choice((0, 1, 2)), None)
        result = self.any_kind()
        return Function(name, result, params, body, self.statements.draw(result, inner), rng.random() < 0.4, generic)

    def dispatch(self, name):
        """Draws the sizes of a dispatch: up to three dimensions, and groups that do not fill it."""
        rng = self.rng
        shape = rng.choice(GROUPS)
        grid, items = [], 1
        for size in shape:
            count = size * rng.randint(1, 3) - (rng.randrange(size) if rng.random() < 0.5 else 0)
            if items * count > 400:
                count = max(1, min(size, 400 // items))
            grid.append(count)
            items *= count
        offset = [rng.choice((0, 1, 100)) if rng.random() < 0.3 else 0 for _ in shape]
        return Kernel(name, grid, shape, offset), items

    def data(self, kind, count):
        """Random bytes of a buffer."""
        if kind.n == 0:
            return b"".join(self.struct_data(self.structs[kind.base]) for _ in range(count))
        pad = bytes(kind.size - kind.n * kind.bits // 8)
        scalar = kind.times(1)
        size = kind.bits // 8
        numbers = [self.expressions.bits(scalar).to_bytes(size, "little") for _ in range(kind.n * count)]
        return b"".join(b"".join(numbers[at:at + kind.n]) + pad for at in range(0, len(numbers), kind.n))

    def struct_data(self, struct):
        data, widest = b"", 1
        for _, kind in struct.fields:
            data += bytes(-len(data) % kind.size) + self.data(kind, 1)
            widest = max(widest, kind.size)
        return data + bytes(-len(data) % widest)

    def kernel(self, index):
        rng = self.rng
        kernel, items = self.dispatch(f"kernel{index}")
        members = 1
        for size in kernel.group:
            members *= size
        self.statements.stores, self.statements.atomics = [], []
        self.statements.array_functions = [function for function in self.functions if function not in self.pure()]
        scope = Scope(functions=self.pure(), places=list(self.tables))
        self.inputs(kernel, index, scope)
        self.outputs(kernel, index, scope, items)
        self.results = Place(f"result{index}", ULONG, RESULTS, own=f"item * {RESULTS}u")
        kernel.buffers.append(Buffer(self.results.name, ULONG, RESULTS * items, "result", bytes(8 * RESULTS * items)))
        for number in range(rng.randint(0, 3)):
            kind = self.expressions.kind()
            value = self.expressions.constant(kind)
            kernel.values.append((f"value{index}_{number}", kind, value))
        scope.variables += [(name, kind) for name, kind, _ in kernel.values]
        scope.variables += [(name, UINT) for name in ("item", "lane", "members")]
        scope.fixed |= {name for name, _ in scope.variables}
        kernel.state = [(name, UINT) for name in ("item", "lane", "members")]
        first = [Stmt("setup", kept=True)] + self.variables(kernel, index, scope)
        if rng.random() < 0.5:
            self.straight(kernel, first, scope)
        else:
            self.phases(kernel, index, first, scope, members)
        return kernel

    def inputs(self, kernel, index, scope):
        for number in range(self.rng.randint(1, 3)):
            kind = self.any_kind()
            count = self.rng.choice((16, 32, 64))
            space = "constant" if self.rng.random() < 0.2 else "global"
            name = f"in{index}_{number}"
            kernel.buffers.append(Buffer(name, kind, count, "in", self.data(kind, count), space))
            scope.places.append(Place(name, kind, count))

    def outputs(self, kernel, index, scope, items):
        """Draws the outputs: elements of each work-item, and cells for atomic operations."""
        rng = self.rng
        for number in range(rng.randint(0, 2)):
            kind, count = self.expressions.kind(0.7), rng.choice((1, 4, 8))
            name = f"out{index}_{number}"
            kernel.buffers.append(Buffer(name, kind, count * items, "out", self.data(kind, count * items)))
            place = Place(name, kind, count, own=f"item * {count}u")
            scope.places.append(place)
            self.statements.stores.append(place)
        for number in range(rng.choice((0, 0, 1, 2))):
            kind = Type(rng.choice(("int", "uint", "uint", "long", "ulong")), 1)
            name = f"cells{index}_{number}"
            kernel.buffers.append(Buffer(name, kind, 4, "atomic", self.data(kind, 4)))
            place = Place(name, kind, 4)
            place.space = "global"
            operation = "swap" if not kind.signed and rng.random() < 0.15 else rng.choice(ATOMIC_NAMES)
            self.statements.atomics.append((place, operation))

    def variables(self, kernel, index, scope):
        """Draws the variables that live through all phases, with their first values."""
        rng, statements = self.rng, []
        for number in range(rng.randint(3, 8)):
            kind, name = self.any_kind(), f"v{index}_{number}"
            if rng.random() < 0.3 and kind == UINT.of(kind.base):
                number_of = Expr("number", UINT, info=(rng.choice(NUMBERS), rng.randrange(3)))
                value = self.expressions.fit(kind, number_of, scope)
            else:
                value = self.statements.draw(kind, scope)
            statements.append(Stmt("assign", [variable(name, kind), value], kept=True))
            kernel.state.append((name, kind))
            scope.variables.append((name, kind))
        for number in range(rng.choice((0, 1, 1, 2))):
            kind, name, count = self.expressions.kind(0.8), f"array{index}_{number}", rng.choice((8, 16))
            # clang 15 keeps eight bytes in two registers, and writes two bytes at an index that varies.
            count = 16 if kind.bits == 8 else count
            place = Place(name, kind, count, write=True)
            kernel.arrays.append((name, kind, count))
            for element in range(count):
                statements.append(Stmt("store", [literal(UINT, element), self.expressions.leaf(kind, scope)],
                                       info=place, kept=True))
            scope.places.append(place)
        return statements

    def body(self, scope, low, high):
        statements, inner = [], scope.inner()
        for _ in range(self.rng.randint(low, high)):
            statements += self.statements.statement(inner, self.rng.choice((1, 2, 3)), None)
        return statements

    def visible(self, kernel):
        """Draws the stores of a kernel's variables, in any order."""
        shown = kernel.state[3:]
        self.rng.shuffle(shown)
        return self.statements.results(shown, self.results, RESULTS)

    def straight(self, kernel, first, scope):
        """Draws a kernel without barriers, which a work-item may leave early."""
        body = self.body(scope, 4, 16)
        if self.rng.random() < 0.2:
            body.insert(self.rng.randrange(len(body) + 1), Stmt("return", [self.statements.condition(scope)]))
        kernel.sections = [Section([first + body + self.visible(kernel)])]

    def phases(self, kernel, index, first, scope, members):
        """Draws a kernel with barriers: work-items write local memory in one phase and read it in the next."""
        rng = self.rng
        rings, cells = [], []
        for number in range(rng.randint(1, 2)):
            kind, name = self.expressions.kind(0.7), f"ring{index}_{number}"
            kernel.locals.append((name, kind, members))
            rings.append((name, kind))
        for number in range(rng.choice((0, 1, 2))):
            kind, name = Type(rng.choice(("int", "uint", "uint", "long", "ulong")), 1), f"shared{index}_{number}"
            kernel.locals.append((name, kind, 4))
            place = Place(name, kind, 4)
            place.space = "local"
            operation = "swap" if not kind.signed and rng.random() < 0.15 else rng.choice(ATOMIC_NAMES)
            cells.append((place, operation))
        if cells:
            stores = [Stmt("store", [literal(UINT, element), literal(place.kind, self.expressions.bits(place.kind))],
                           info=place, kept=True) for place, _ in cells for element in range(place.count)]
            first.append(Stmt("if", [Expr("eq", INT, [variable("lane", UINT), literal(UINT, 0)])], [stores], kept=True))
        kernel.sections = [Section([first])]
        for number in range(rng.randint(1, 3)):
            rounds = rng.choice((1, 1, 2, 3))
            counter = f"round{index}_{number}"
            if rounds > 1:
                kernel.state.append((counter, UINT))
            inner = scope.inner()
            if rounds > 1:
                inner.variables.append((counter, UINT))
                inner.fixed.add(counter)
            phases = [self.write(inner, rings, cells), self.read(inner, rings, cells)]
            kernel.sections.append(Section(phases, rounds, counter))
        kernel.state, counters = ([pair for pair in kernel.state if not pair[0].startswith("round")],
                                  [pair for pair in kernel.state if pair[0].startswith("round")])
        kernel.sections.append(Section([self.visible(kernel)]))
        kernel.state += counters

    def write(self, scope, rings, cells):
        """Draws writes to local memory: stores to a work-item's own elements, atomics on the shared cells."""
        scope = scope.inner()
        own = [Place(name, kind, 1, own="lane") for name, kind in rings]
        statements = []
        for place in own:
            value = self.statements.draw(place.kind, scope)
            statements.append(Stmt("store", [literal(UINT, 0), value], info=place, kept=True))
        scope.places += own
        kept = self.statements.stores, self.statements.atomics
        self.statements.stores, self.statements.atomics = kept[0] + own, kept[1] + cells
        statements += self.body(scope, 1, 5)
        self.statements.stores, self.statements.atomics = kept
        return statements

    def read(self, scope, rings, cells):
        """Draws reads of local memory, of which each work-item may read all."""
        scope = scope.inner()
        for name, kind in rings:
            place = Place(name, kind, 0)
            place.modulo = True
            scope.places += [place, place]
        scope.places += [place for place, _ in cells]
        return self.body(scope, 2, 6)

