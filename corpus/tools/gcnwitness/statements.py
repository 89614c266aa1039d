"""Draws statements."""

from .expressions import Place
from .kinds import INT, UINT
from .tree import Expr, Stmt, literal, variable

MOST_TRIPS = 6


class Statements:
    """Draws blocks of statements of a function or a phase."""

    def __init__(self, rng, expressions):
        self.rng, self.expressions = rng, expressions
        self.names = 0
        self.atomics = []
        self.stores = []
        self.array_functions = []

    def name(self, prefix):
        self.names += 1
        return f"{prefix}{self.names}"

    def draw(self, kind, scope, depth=None):
        return self.expressions.draw(kind, scope, self.rng.choice((2, 3, 3, 4)) if depth is None else depth)

    def condition(self, scope):
        return self.draw(INT, scope)

    def block(self, scope, count, nesting, loop=None):
        """Statements with variables of their own. `loop`: may leave (break), may go on (continue)."""
        scope = scope.inner()
        statements = []
        for _ in range(count):
            statements += self.statement(scope, nesting, loop)
        return statements

    def statement(self, scope, nesting, loop):
        rng = self.rng
        choices = [(6, self.assign), (4, self.declare), (2, self.set_components)]
        choices += [(3, self.store)] if any(place.write for place in scope.places) else []
        choices += [(2, self.store_own)] if self.stores else []
        choices += [(2, self.atomic)] if self.atomics else []
        choices += [(2, self.call)] if self.array_functions else []
        if nesting:
            choices += [(4, self.branch), (2, self.count), (1, self.loop), (1, self.switch)]
        if loop:
            choices.append((2, self.leave))
        chosen = rng.choices(choices, [weight for weight, _ in choices])[0][1]
        return chosen(scope, nesting, loop)

    def declare(self, scope, nesting, loop):
        kind = self.expressions.kind()
        statement = Stmt("declare", [self.draw(kind, scope)], info=self.name("t"))
        scope.variables.append((statement.info, kind))
        return [statement]

    def targets(self, scope):
        return [(name, kind) for name, kind in scope.variables if name not in scope.fixed]

    def assign(self, scope, nesting, loop):
        targets = self.targets(scope)
        if not targets:
            return self.declare(scope, nesting, loop)
        name, kind = self.rng.choice(targets)
        if kind.n == 0 and self.rng.random() < 0.6:
            field, of = self.rng.choice(self.expressions.structs[kind.base].fields)
            return [Stmt("assign", [Expr("field", of, [variable(name, kind)], field), self.draw(of, scope)])]
        return [Stmt("assign", [variable(name, kind), self.draw(kind, scope)])]

    def set_components(self, scope, nesting, loop):
        vectors = [(name, kind) for name, kind in self.targets(scope) if kind.n > 1]
        if not vectors:
            return self.assign(scope, nesting, loop)
        name, kind = self.rng.choice(vectors)
        if self.may_choose(kind) and self.rng.random() < 0.25:
            index = self.expressions.index(Place("", kind, kind.n), scope, 1)
            target = Expr("component", kind.times(1), [variable(name, kind), index])
            return [Stmt("assign", [target, self.draw(kind.times(1), scope)])]
        count = self.rng.choice([n for n in (1, 1, 2, 3, 4) if n <= kind.n])
        components = self.rng.sample(range(kind.n), count)
        return [Stmt("set", [variable(name, kind), self.draw(kind.times(count), scope)], info=components)]

    @staticmethod
    def may_choose(kind):
        """Whether a component that is written can be chosen at run time. Clang 15 writes two bytes of short vectors of
        bytes, and at -O0 the upper half of 64 bits into the lower one.
        """
        return kind.n in (2, 4, 8, 16) and kind.bits < 64 and not (kind.bits == 8 and kind.n <= 8)

    def store(self, scope, nesting, loop):
        """Draws a store into a private array."""
        place = self.rng.choice([place for place in scope.places if place.write])
        return [Stmt("store", [self.expressions.index(place, scope, 2), self.draw(place.kind, scope)], info=place)]

    def store_own(self, scope, nesting, loop):
        """Draws a store into the work-item's elements of a buffer."""
        place = self.rng.choice(self.stores)
        if place.kind.n == 1 and place.count >= 4 and self.rng.random() < 0.4:
            n = self.rng.choice((2, 3, 4))
            kind = place.kind.times(n)
            index = self.expressions.index(Place("", kind, max(place.count // 4, 1)), scope, 1)
            return [Stmt("vstore", [index, self.draw(kind, scope)], info=place)]
        return [Stmt("store", [self.expressions.index(place, scope, 2), self.draw(place.kind, scope)], info=place)]

    def atomic(self, scope, nesting, loop):
        place, name = self.rng.choice(self.atomics)
        index = self.expressions.index(place, scope, 1)
        value = self.draw(place.kind, scope, 2)
        if name == "swap":
            return [Stmt("swap", [index, value], info=place)]
        return [Stmt("atomic", [index, value], info=(place, name))]

    def call(self, scope, nesting, loop):
        """Draws a call of a function on a private array, alone in its statement so that the order is certain."""
        function = self.rng.choice(self.array_functions)
        args = []
        for _, kind, length in function.params:
            if not length:
                args.append(self.draw(kind, scope, 2))
                continue
            fitting = [place for place in scope.places if place.kind == kind and place.write and place.count >= length]
            if not fitting:
                return self.assign(scope, nesting, loop)
            args.append(Expr("array", kind, info=self.rng.choice(fitting).name))
        name = self.name("t")
        scope.variables.append((name, function.result))
        return [Stmt("declare", [Expr("call", function.result, args, function.name)], info=name)]

    def branch(self, scope, nesting, loop):
        rng = self.rng
        blocks = [self.block(scope, rng.randint(1, 4), nesting - 1, loop)]
        if rng.random() < 0.5:
            blocks.append(self.block(scope, rng.randint(1, 3), nesting - 1, loop))
        return [Stmt("if", [self.condition(scope)], blocks)]

    def count(self, scope, nesting, loop):
        """Draws a loop with a counter. The limit is a constant, or each work-item has its own."""
        rng = self.rng
        name = self.name("i")
        if rng.random() < 0.4:
            limit = literal(UINT, rng.randint(1, MOST_TRIPS))
        else:
            limit = Expr("and", UINT, [self.draw(UINT, scope, 2), literal(UINT, rng.choice((1, 3, 7)))])
            self_name = self.name("n")
            declare = Stmt("declare", [limit], info=self_name)
            inner = scope.inner()
            inner.variables += [(self_name, UINT), (name, UINT)]
            inner.fixed |= {self_name, name}
            body = self.block(inner, rng.randint(1, 4), nesting - 1, ("break", "continue"))
            loop = Stmt("for", [variable(self_name, UINT)], [body], (name, rng.choice((1, 1, 2))))
            return [Stmt("block", [], [[declare, loop]])]
        inner = scope.inner()
        inner.variables.append((name, UINT))
        inner.fixed.add(name)
        body = self.block(inner, rng.randint(1, 4), nesting - 1, ("break", "continue"))
        return [Stmt("for", [limit], [body], (name, rng.choice((1, 1, 2))))]

    def loop(self, scope, nesting, loop):
        """Draws a loop with a condition."""
        rng = self.rng
        name = self.name("i")
        inner = scope.inner()
        inner.variables.append((name, UINT))
        inner.fixed.add(name)
        condition = self.condition(inner)
        body = self.block(inner, rng.randint(1, 4), nesting - 1, ("break", "continue"))
        return [Stmt(rng.choice(("while", "do")), [condition], [body], (name, rng.randint(1, MOST_TRIPS)))]

    def switch(self, scope, nesting, loop):
        rng = self.rng
        value = Expr("and", UINT, [self.draw(UINT, scope), literal(UINT, rng.choice((3, 7)))])
        labels = rng.sample(range(8), rng.randint(1, 6))
        if rng.random() < 0.7:
            labels.insert(rng.randrange(len(labels) + 1), None)
        inner = ("continue",) if loop and "continue" in loop else None
        blocks = [self.block(scope, rng.randint(1, 2), nesting - 1, inner) for _ in labels]
        info = [(label, rng.random() < 0.25) for label in labels]
        info[-1] = (info[-1][0], False)
        return [Stmt("switch", [value], blocks, info)]

    def leave(self, scope, nesting, loop):
        return [Stmt(self.rng.choice(loop), [self.condition(scope)])]

    def results(self, variables, place, own_count):
        """Draws stores of components of variables, until the work-item's elements are full."""
        statements = []
        for name, kind in variables:
            if kind.n == 0:
                parts = [Expr("field", of, [variable(name, kind)], field)
                         for field, of in self.expressions.structs[kind.base].fields]
            else:
                parts = [variable(name, kind)]
            for part in parts:
                for index in range(part.type.n):
                    if len(statements) < own_count:
                        scalar = part.type.times(1)
                        value = Expr("swizzle", scalar, [part], [index]) if part.type.is_vector else part
                        statements.append(Stmt("result", [value], info=(place, len(statements))))
        return statements

