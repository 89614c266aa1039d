"""Types of OpenCL C: a base and a number of components."""

import collections

# Width in bits, signed.
INTEGERS = {"char": (8, True), "uchar": (8, False), "short": (16, True), "ushort": (16, False),
            "int": (32, True), "uint": (32, False), "long": (64, True), "ulong": (64, False)}
FLOATS = {"half": 16, "float": 32, "double": 64}
WIDTHS = (1, 2, 3, 4, 8, 16)
BY_WIDTH = {(bits, signed): base for base, (bits, signed) in INTEGERS.items()}

# Where masks and exponents of floats of moderate size lie: kept bits, set bits.
MODERATE = {"half": (0x8FFF, 0x3000), "float": (0x87FFFFFF, 0x38000000),
            "double": (0x803FFFFFFFFFFFFF, 0x3FC0000000000000)}


class Type(collections.namedtuple("Type", "base n")):
    """A scalar (`n` is 1) or a vector of a base, or a structure (`n` is 0)."""

    __slots__ = ()

    def __str__(self):
        return self.base if self.n < 2 else f"{self.base}{self.n}"

    @property
    def is_integer(self):
        return self.base in INTEGERS

    @property
    def is_float(self):
        return self.base in FLOATS

    @property
    def is_vector(self):
        return self.n > 1

    @property
    def signed(self):
        return self.is_integer and INTEGERS[self.base][1]

    @property
    def bits(self):
        """The bits of one component."""
        return INTEGERS[self.base][0] if self.is_integer else FLOATS[self.base]

    @property
    def size(self):
        """The size in bytes; a vector of three takes as much as one of four."""
        return self.bits // 8 * (4 if self.n == 3 else self.n)

    def of(self, base):
        """The type of as many components of another base."""
        return Type(base, self.n)

    def times(self, n):
        """The type of another number of components."""
        return Type(self.base, n)

    @property
    def unsigned(self):
        """The type of unsigned integers of this width."""
        return self.of(BY_WIDTH[self.bits, False])

    @property
    def truth(self):
        """The type that a comparison of this type gives."""
        return self.of(BY_WIDTH[self.bits, True]) if self.is_vector else INT

    @property
    def wide(self):
        """The unsigned type in which scalars of this width are computed without overflow."""
        return "ulong" if self.bits == 64 else "uint"

    @property
    def low(self):
        return -(1 << self.bits - 1) if self.signed else 0

    @property
    def high(self):
        return (1 << self.bits - self.signed) - 1


INT = Type("int", 1)
UINT = Type("uint", 1)
ULONG = Type("ulong", 1)


def literal(kind, bits):
    """The text of a scalar of these bits, the same in both languages."""
    if kind.is_integer:
        suffix = "UL" if kind.bits == 64 else "u"
        return f"(({kind.base}){bits:#x}{suffix})"
    return float_literal(kind, bits)


def float_literal(kind, bits):
    """A float from its bits: infinities and NaNs are expressions."""
    exponents = {"half": 5, "float": 8, "double": 11}[kind.base]
    fraction_bits = kind.bits - 1 - exponents
    sign = "-" if bits >> kind.bits - 1 else ""
    exponent = bits >> fraction_bits & (1 << exponents) - 1
    fraction = bits & (1 << fraction_bits) - 1
    suffix = "" if kind.base == "double" else "f"
    if exponent == (1 << exponents) - 1:
        top = "1.0" if fraction == 0 else "0.0"
        return f"(({kind.base})({sign}{top}{suffix} / 0.0{suffix}))"
    bias = (1 << exponents - 1) - 1
    first, scale = (1, exponent - bias) if exponent else (0, 1 - bias)
    digits = (fraction_bits + 3) // 4
    text = f"{sign}0x{first}.{fraction << digits * 4 - fraction_bits:0{digits}x}p{scale}{suffix}"
    return f"(({kind.base}){text})"
