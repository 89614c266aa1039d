"""Draws expressions of a wanted type."""

from . import floats, integers
from .kinds import BY_WIDTH, INT, INTEGERS, UINT, WIDTHS, Type
from .tree import Expr, literal, variable

SHUFFLES = (2, 4, 8, 16)


class Place:
    """An array that can be read: `index` draws an expression for an index inside of it."""

    def __init__(self, name, kind, count, write=False, own=None):
        self.name, self.kind, self.count, self.write, self.own = name, kind, count, write, own
        # Whether as many elements are there as the group has members; the address space of cells.
        self.modulo, self.space = False, "global"


class Scope:
    """The variables, arrays and functions that an expression can name."""

    def __init__(self, variables=(), places=(), functions=()):
        self.variables, self.places, self.functions = list(variables), list(places), list(functions)
        self.fixed = set()

    def inner(self):
        scope = Scope(self.variables, self.places, self.functions)
        scope.fixed = set(self.fixed)
        return scope


class Expressions:
    """Draws expressions over the bases of a program."""

    def __init__(self, rng, bases, structs):
        self.rng, self.bases, self.structs = rng, bases, structs
        self.integers = [base for base in bases if base in INTEGERS]

    def kind(self, scalar=0.55):
        """A scalar or vector type, chosen at random."""
        base = self.rng.choice(self.bases)
        if self.rng.random() < scalar:
            return Type(base, 1)
        return Type(base, self.rng.choices(WIDTHS[1:], (5, 3, 5, 2, 1))[0])

    def bits(self, kind):
        """Random bits of a scalar: values at the edges as often as any."""
        rng = self.rng
        if kind.is_float:
            return self.float_bits(kind)
        top = 1 << kind.bits
        value = rng.choice((rng.randrange(top), rng.randrange(9), -rng.randrange(9), kind.low, kind.high,
                            1 << rng.randrange(kind.bits), (1 << rng.randrange(kind.bits)) - 1))
        value %= top
        return self.short_bits(value) if kind.bits == 16 else value

    @staticmethod
    def short_bits(value):
        """Of pairs with -16 to -1 clang 15 makes inline constants that have another upper half on gfx9. It adds a pair
        of 0 and 1 to 16 by subtracting one of those.
        """
        if value >= 0xFFF0:
            return value & 0x7FFF
        return value | 0x20 if 1 <= value <= 16 else value

    def float_bits(self, kind):
        """Random bits of a float: mostly of moderate size, now and then at the ends of the range."""
        rng = self.rng
        keep, put = floats.MODERATE[kind.base]
        if rng.random() < 0.85:
            return rng.getrandbits(kind.bits) & keep | put
        sign = rng.getrandbits(1) << kind.bits - 1
        exponents = {"half": 5, "float": 8, "double": 11}[kind.base]
        fraction = kind.bits - 1 - exponents
        infinity = (1 << exponents) - 1 << fraction
        number = rng.choice((0, infinity, infinity - 1, 1 << fraction, rng.randrange(1, 1 << fraction),
                             rng.randrange(infinity), infinity | 1 << fraction - 1))
        return number if number > infinity else number | sign

    def draw(self, kind, scope, depth):
        """An expression of a type."""
        if kind.n == 0:
            return self.structure(kind, scope, depth)
        if depth <= 0:
            return self.leaf(kind, scope)
        uses = self.uses(kind, scope)
        _, name, args = self.rng.choices(uses, [weight for weight, _, _ in uses])[0]
        if callable(args):
            return args(kind, scope, depth)
        return Expr(name, kind, [self.draw(arg, scope, depth - self.rng.choice((1, 1, 2))) for arg in args])

    def uses(self, kind, scope):
        """The operations that give a type in a scope, with their weights."""
        uses = [(5, "leaf", lambda kind, scope, depth: self.leaf(kind, scope))]
        if kind.is_integer:
            uses += integers.integer_uses(kind)
            uses += integers.truth_uses(kind, self.bases)
            uses += floats.from_float_uses(kind, self.bases)
            for base in self.integers:
                if base != kind.base:
                    uses += [(1, "convert", [kind.of(base)]), (1, "convert_sat", [kind.of(base)])]
                    uses += [] if kind.is_vector else [(1, "cast", [kind.of(base)])]
        else:
            uses += floats.float_uses(kind, self.bases)
        condition = kind.of(BY_WIDTH[kind.bits, True])
        uses.append((2, "choose", [condition if kind.is_vector else INT, kind, kind]))
        uses.append((1, "select", [kind, kind, condition]))
        uses += self.shapes(kind)
        if scope.places:
            uses.append((4, "load", self.load))
        if any(function.result == kind for function in scope.functions):
            uses.append((6, "call", self.call))
        return uses

    def shapes(self, kind):
        """The operations that make a type out of components and vectors, with their weights."""
        uses = []
        if kind.is_vector:
            uses += [(4, "make", self.make), (3, "swizzle", self.swizzle)]
            if kind.n in SHUFFLES:
                uses.append((1, "shuffle", self.shuffle))
            if kind.is_integer and kind.n in (2, 4, 8) and kind.bits < 64 and kind.n * 2 * kind.bits <= 512:
                uses.append((1, "reinterpret", self.reinterpret))
        else:
            uses += [(3, "swizzle", self.swizzle), (1, "component", self.component)]
            if kind == INT:
                uses.append((1, "any", self.any_or_all))
        return uses

    def leaf(self, kind, scope):
        """A variable, a literal, or a variable of another type."""
        same = [name for name, of in scope.variables if of == kind]
        if same and self.rng.random() < 0.8:
            return variable(self.rng.choice(same), kind)
        if self.rng.random() < 0.4:
            return self.constant(kind)
        others = [(name, of) for name, of in scope.variables if of.n == kind.n and of.base != kind.base]
        if others:
            name, of = self.rng.choice(others)
            return self.conversion(kind, variable(name, of))
        vectors = [(name, of) for name, of in scope.variables if of.n > 1 and of.base == kind.base]
        if vectors:
            name, of = self.rng.choice(vectors)
            return Expr("swizzle", kind, [variable(name, of)], [self.rng.randrange(of.n) for _ in range(kind.n)])
        fields = self.fields(kind, scope)
        if fields:
            return self.rng.choice(fields)
        if kind.is_vector and self.rng.random() < 0.7:
            return Expr("make", kind, [self.leaf(kind.times(1), scope) for _ in range(kind.n)])
        return self.constant(kind)

    def fields(self, kind, scope):
        """Fields of structures in scope."""
        return [Expr("field", kind, [variable(name, of)], field)
                for name, of in scope.variables if of.n == 0
                for field, field_kind in self.structs[of.base].fields if field_kind == kind]

    def conversion(self, kind, value):
        """The expression of a value converted to another type."""
        if kind.is_float:
            return Expr("to_float", kind, [value])
        if value.type.is_float:
            return Expr("to_integer", kind, [value])
        return Expr("convert", kind, [value])

    def constant(self, kind):
        if kind.is_vector and self.rng.random() < 0.5:
            scalar = kind.times(1)
            return Expr("make", kind, [literal(scalar, self.literal_bits(scalar)) for _ in range(kind.n)])
        return literal(kind, self.literal_bits(kind))

    def literal_bits(self, kind):
        """Clang 15 and 19 make x of `x | -1` if they see the -1 late. So no half of a literal of 64 bits is -1."""
        bits = self.bits(kind)
        if kind.bits < 64 or kind.is_float:
            return bits
        for half in (0xFFFFFFFF, 0xFFFFFFFF << 32):
            if bits & half == half:
                bits &= ~(1 << 24 | 1 << 56)
        return bits

    def structure(self, kind, scope, depth):
        """A structure: a variable, the result of a call, or one made of its fields."""
        same = [name for name, of in scope.variables if of == kind]
        functions = [function for function in scope.functions if function.result == kind]
        if functions and depth > 0 and self.rng.random() < 0.4:
            return self.call(kind, scope, depth)
        if same and self.rng.random() < 0.6:
            return variable(self.rng.choice(same), kind)
        return Expr("structure", kind, [self.draw(of, scope, depth - 1) for _, of in self.structs[kind.base].fields])

    def index(self, place, scope, depth):
        """An index of a place: below a power of two, or below the number of members of the group."""
        value = self.draw(UINT, scope, depth)
        if place.modulo:
            return Expr("mod", UINT, [value, variable("members", UINT)])
        return Expr("and", UINT, [value, literal(UINT, place.count - 1)])

    def load(self, kind, scope, depth):
        """An element, converted if no place has this type; vectors from several elements."""
        place = self.rng.choice(scope.places)
        if place.kind.n == 0:
            value = Expr("load", place.kind, [self.index(place, scope, depth - 2)], place)
            fields = self.structs[place.kind.base].fields
            field, of = self.rng.choice(fields)
            value = Expr("field", of, [value], field)
        elif kind.is_vector and place.kind == kind.times(1) and place.own is None and place.name.startswith("in"):
            wide = Place(place.name, place.kind, max(place.count >> kind.n.bit_length(), 1))
            return Expr("vload", kind, [self.index(wide, scope, depth - 2)], place)
        else:
            value = Expr("load", place.kind, [self.index(place, scope, depth - 2)], place)
        return self.fit(kind, value, scope)

    def fit(self, kind, value, scope):
        """The expression of a value, of whatever base and size, as another type."""
        if value.type.n > 1 and kind.n != value.type.n:
            components = [self.rng.randrange(value.type.n) for _ in range(kind.n)]
            value = Expr("swizzle", value.type.times(kind.n), [value], components)
        if value.type.base != kind.base:
            value = self.conversion(value.type.of(kind.base), value)
        if value.type.n != kind.n:
            value = Expr("make", kind, [value])
        return value

    def call(self, kind, scope, depth):
        """A call of a function that writes nothing."""
        function = self.rng.choice([function for function in scope.functions if function.result == kind])
        return Expr("call", kind, [self.draw(of, scope, depth - 2) for _, of, _ in function.params], function.name)

    def make(self, kind, scope, depth):
        """A vector of scalars and smaller vectors."""
        parts, left = [], kind.n
        if self.rng.random() < 0.2:
            return Expr("make", kind, [self.draw(kind.times(1), scope, depth - 1)])
        while left:
            n = self.rng.choice([n for n in (1, 1, 2, 3, 4, 8) if n <= left and n < kind.n])
            parts.append(self.draw(kind.times(n), scope, depth - 2))
            left -= n
        return Expr("make", kind, parts)

    def swizzle(self, kind, scope, depth):
        of = kind.times(self.rng.choice([n for n in WIDTHS[1:] if n <= 4 or n >= kind.n]))
        components = [self.rng.randrange(of.n) for _ in range(kind.n)]
        return Expr("swizzle", kind, [self.draw(of, scope, depth - 1)], components)

    def component(self, kind, scope, depth):
        """A component chosen at run time."""
        vectors = [(name, of) for name, of in scope.variables if of.base == kind.base and of.n in SHUFFLES]
        if not vectors:
            return self.leaf(kind, scope)
        name, of = self.rng.choice(vectors)
        index = self.index(Place("", of, of.n), scope, depth - 2)
        return Expr("component", kind, [variable(name, of), index])

    def shuffle(self, kind, scope, depth):
        of = kind.times(self.rng.choice(SHUFFLES))
        return Expr("shuffle", kind, [self.draw(of, scope, depth - 1), self.draw(kind.unsigned, scope, depth - 2)])

    def reinterpret(self, kind, scope, depth):
        """The same bytes as other components."""
        wide = Type(BY_WIDTH[kind.bits * 2, self.rng.random() < 0.5], kind.n // 2)
        narrow = [Type(BY_WIDTH[kind.bits // 2, False], kind.n * 2)] if kind.bits > 8 else []
        return Expr("reinterpret", kind, [self.draw(self.rng.choice([wide] + narrow), scope, depth - 1)])

    def any_or_all(self, kind, scope, depth):
        of = Type(self.rng.choice(("char", "short", "int", "long")), self.rng.choice(WIDTHS[1:5]))
        return Expr(self.rng.choice(("any", "all")), kind, [self.draw(of, scope, depth - 1)])
