#!/usr/bin/env python3
"""Checks of the generator of random kernels: python3 corpus/tools/test_witness.py

What plain C makes of each operation is compared with Python's unbounded integers, and with known values of floats.
"""

import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from gcnwitness import device, reduce
from gcnwitness.expressions import Expressions
from gcnwitness.kinds import INTEGERS, Type, float_literal, literal
from gcnwitness.opencl import OpenCl
from gcnwitness.plainc import HEAD, PlainC, vector_types
from gcnwitness.program import draw_program
from gcnwitness.tree import Expr, Program
from gcnwitness.tree import literal as tree_literal

EDGES = (0, 1, 2, 3, 5, 7, 8, 31, 100, -1, -2, -7, -100, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFFFF, 0x7FFFFFFF,
         0x80000000, 0xFFFFFFFF, 0x123456789ABCDEF0, 0x7FFFFFFFFFFFFFFF, 0x8000000000000000, 0xFFFFFFFFFFFFFFFF)


def wrap(kind, value):
    value &= (1 << kind.bits) - 1
    return value - (1 << kind.bits) if kind.signed and value >> kind.bits - 1 else value


def clip(kind, value):
    return max(kind.low, min(kind.high, value))


def raw(kind, value):
    """The bits of a value."""
    return value & (1 << kind.bits) - 1


def toward_zero(x, y):
    return abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)


def factor(kind, value):
    """A factor as the generator makes it: of some types one bit of each half is cleared."""
    if kind.bits == 64 or kind.bits == 32 and not kind.signed:
        return wrap(kind, value & ~(1 << 24 | 1 << 56))
    return value


def short_sum(kind, x, y, z):
    """The value of a signed product and sum whose terms are made short so that it does not wrap."""
    if kind.signed and kind.bits >= 32:
        x, y, z = x >> kind.bits // 2, y >> kind.bits // 2, z >> (kind.bits == 64)
    return factor(kind, x) * factor(kind, y) + z


# Name to (number of arguments, meaning over unbounded integers).
BINARY = {
    "add": lambda k, x, y: wrap(k, x + y), "sub": lambda k, x, y: wrap(k, x - y),
    "mul": lambda k, x, y: wrap(k, factor(k, x) * factor(k, y) if k.bits == 64 else x * y),
    "and": lambda k, x, y: x & y, "or": lambda k, x, y: x | y, "xor": lambda k, x, y: x ^ y,
    "shl": lambda k, x, y: wrap(k, x << (y % k.bits)), "shr": lambda k, x, y: x >> (y % k.bits),
    "min": lambda k, x, y: min(x, y), "max": lambda k, x, y: max(x, y),
    "add_sat": lambda k, x, y: clip(k, x + y), "sub_sat": lambda k, x, y: clip(k, x - y),
    "hadd": lambda k, x, y: (x + y) >> 1, "rhadd": lambda k, x, y: (x + y + 1) >> 1,
    "mul_hi": lambda k, x, y: factor(k, x) * factor(k, y) >> k.bits,
    "rotate": lambda k, x, y: wrap(k, raw(k, x) << (y % k.bits) | raw(k, x) >> k.bits - y % k.bits),
}
SIGNED = {
    "div": lambda k, x, y: toward_zero(x, max(y, 1)), "mod": lambda k, x, y: x - max(y, 1) * toward_zero(x, max(y, 1)),
    "div_negative": lambda k, x, y: toward_zero(x, min(y, -2)),
    "mod_negative": lambda k, x, y: x - min(y, -2) * toward_zero(x, min(y, -2)),
    "add_exact": lambda k, x, y: (x >> 2) + (y >> 2), "sub_exact": lambda k, x, y: (x >> 1) - (y >> 1),
    "mul_exact": lambda k, x, y: (x >> k.bits // 2) * (y >> k.bits // 2),
}
UNARY = {
    "neg": lambda k, x: wrap(k, -x), "not": lambda k, x: ~x if k.signed else k.high - x,
    "clz": lambda k, x: k.bits - raw(k, x).bit_length(), "popcount": lambda k, x: bin(raw(k, x)).count("1"),
    "ctz": lambda k, x: k.bits if x == 0 else (raw(k, x) & -raw(k, x)).bit_length() - 1,
}
TERNARY = {
    "mad_hi": lambda k, x, y, z: wrap(k, (factor(k, x) * factor(k, y) >> k.bits) + z),
    "mad_sat": lambda k, x, y, z: clip(k, short_sum(k, x, y, z)),
    "bitselect": lambda k, x, y, z: x & ~z | y & z,
    "clamp": lambda k, x, y, z: min(max(x, min(y, 3)), max(z, 3)),
}


def evaluate(expressions):
    """The bits that plain C gives for scalar expressions."""
    printer = PlainC(Program(0))
    lines = []
    for expr in expressions:
        kind = expr.type
        lines.append(f"  {{ {kind} v = {printer.expr(expr)}; ulong bits = 0; memcpy(&bits, &v, sizeof v); "
                     'printf("%lu\\n", bits); }\n')
    text = HEAD + vector_types() + "".join(printer.helpers.values())
    text += "int main(void)\n{\n" + "".join(lines) + "  (void)transfer;\n  return 0;\n}\n"
    with tempfile.TemporaryDirectory() as name:
        source, binary = pathlib.Path(name) / "test.c", pathlib.Path(name) / "test"
        source.write_text(text)
        subprocess.run(["gcc", "-std=gnu11", "-w", "-ffp-contract=off", "-fsanitize=undefined", "-fno-sanitize-recover",
                        "-o", binary, source, "-lm"], check=True)
        out = subprocess.run([binary], check=True, capture_output=True, text=True).stdout
    return [int(line) for line in out.split()]


def scalars(kind):
    return sorted({wrap(kind, value) for value in EDGES})


@unittest.skipUnless(shutil.which("gcc"), "no gcc")
class Operations(unittest.TestCase):
    """Tests of the plain C of each operation."""

    def compare(self, cases):
        found = evaluate([expr for expr, _ in cases])
        for (expr, expected), bits in zip(cases, found):
            values = [arg.info for arg in expr.args]
            self.assertEqual(bits, raw(expr.type, expected), f"{expr.op} {expr.type} of {values}")

    def cases(self, table, kinds, count):
        for base in kinds:
            kind = Type(base, 1)
            values = scalars(kind)
            for name, meaning in table.items():
                for index, x in enumerate(values):
                    others = [values[(index * step + 3) % len(values)] for step in (1, 5, 7, 11)]
                    for y in others if count > 1 else [0]:
                        z = values[(index * 3 + others.index(y) if count > 1 else 0) % len(values)]
                        args = [x, y, z][:count]
                        expr = Expr(name, kind, [tree_literal(kind, raw(kind, arg)) for arg in args])
                        yield expr, meaning(kind, *args)

    def test_integers(self):
        for table, count in ((BINARY, 2), (UNARY, 1), (TERNARY, 3)):
            self.compare(list(self.cases(table, INTEGERS, count)))

    def test_signed(self):
        self.compare(list(self.cases(SIGNED, [base for base, (_, signed) in INTEGERS.items() if signed], 2)))

    def test_unsigned_division(self):
        def value(kind, x):
            return x & kind.high >> 1 if kind.bits >= 32 else x
        table = {"div": lambda k, x, y: value(k, x) // max(y, 1), "mod": lambda k, x, y: value(k, x) % max(y, 1)}
        self.compare(list(self.cases(table, [base for base, (_, signed) in INTEGERS.items() if not signed], 2)))

    def test_conversions(self):
        cases = []
        for source in INTEGERS:
            for target in INTEGERS:
                of, kind = Type(source, 1), Type(target, 1)
                for x in scalars(of):
                    arg = tree_literal(of, raw(of, x))
                    cases.append((Expr("convert", kind, [arg]), wrap(kind, x)))
                    cases.append((Expr("convert_sat", kind, [arg]), clip(kind, x)))
        self.compare(cases)

    def test_wide_and_short_products(self):
        uint, integer = Type("uint", 1), Type("int", 1)
        cases = []
        for x, y in ((0xFFFFFFFF, 0xFFFFFF), (0x1234567, 0x89ABCDE), (5, 7)):
            expr = Expr("mul24", uint, [tree_literal(uint, x), tree_literal(uint, y)])
            cases.append((expr, (x & 0xFFFFFF) * (y & 0xFFFFFF)))
        cases.append((Expr("mul24", integer, [tree_literal(integer, 0x80000000)] * 2), 1 << 30))
        wide = Expr("upsample", Type("long", 1), [tree_literal(integer, 0x80000001), tree_literal(uint, 0xFFFFFFFE)])
        self.compare(cases + [(wide, -0x7FFFFFFE00000002)])

    def test_floats(self):
        """Known bits: 1/3, fused and separate, ties, conversions at the ends of ranges."""
        single, double, half = Type("float", 1), Type("double", 1), Type("half", 1)
        char, ulong = Type("char", 1), Type("ulong", 1)
        def f32(*bits):
            return [tree_literal(single, value) for value in bits]
        nan = tree_literal(single, 0x7FC00000)
        self.compare([
            (Expr("fdiv", single, f32(0x3F800000, 0x40400000)), 0x3EAAAAAB),
            (Expr("fma", single, f32(0x3F800001, 0x3F800001, 0xBF800002)), 0x28800000),
            (Expr("sqrt", single, f32(0xC0000000)), 0x3FB504F3),
            (Expr("rint", single, f32(0x40200000)), 0x40000000),
            (Expr("fmin", single, [nan, f32(0x80000000)[0]]), 0),
            (Expr("to_integer", char, f32(0xC3800000)), -128), (Expr("to_integer", char, [nan]), 0),
            (Expr("to_integer_rte", char, f32(0x40200000)), 2), (Expr("to_integer_rtp", char, f32(0x40200000)), 3),
            (Expr("to_integer_rtn", char, f32(0xC0200000)), -3),
            (Expr("to_integer", ulong, f32(0x7F800000)), 2**64 - 1),
            (Expr("to_integer", Type("short", 1), [tree_literal(half, 0x7BFF)]), 32752),
            (Expr("to_integer", Type("short", 1), [tree_literal(half, 0xFBFF)]), -32768),
            (Expr("to_float", single, [tree_literal(Type("uint", 1), 0xFFFFFFFF)]), 0x4F800000),
            (Expr("to_float", half, f32(0x3F801000)), 0x3C00), (Expr("to_float", half, f32(0x3F803000)), 0x3C02),
            (Expr("to_float", double, f32(0x3F800000)), 0x3FF0000000000000),
            (Expr("bits", Type("uint", 1), [nan]), 0),
            (Expr("from_bits", single, [tree_literal(Type("uint", 1), 0xFFFFFFFF)]), 0xBFFFFFFF),
        ])


class Literals(unittest.TestCase):
    """Tests of literals in both languages."""

    def test_floats(self):
        self.assertEqual(float_literal(Type("float", 1), 0x3FC00000), "((float)0x1.800000p0f)")
        self.assertEqual(float_literal(Type("half", 1), 0x0001), "((half)0x0.004p-14f)")
        self.assertEqual(float_literal(Type("double", 1), 0x7FF0000000000000), "((double)(1.0 / 0.0))")
        self.assertEqual(literal(Type("char", 1), 0x80), "((char)0x80u)")


class Avoided(unittest.TestCase):
    """Tests that what clang or its libraries get wrong is not drawn."""

    def literals(self, kind):
        drawer = Expressions(random.Random(1), [kind.base], {})
        return {drawer.constant(kind).info for _ in range(2000)}

    def test_short_literals(self):
        values = self.literals(Type("short", 1))
        self.assertFalse(values & ({*range(1, 17)} | {*range(0xFFF0, 0x10000)}))
        self.assertIn(0, values)

    def test_halves_of_long_literals(self):
        values = self.literals(Type("long", 1))
        self.assertFalse([value for value in values if 0xFFFFFFFF in (value >> 32, value & 0xFFFFFFFF)])
        self.assertIn(0xFEFFFFFFFEFFFFFF, values)

    def test_scalars_with_sign_as_vectors(self):
        def text(kind):
            value = tree_literal(kind, 5)
            return OpenCl(Program(0)).expr(Expr("abs_diff", kind, [value, value]))
        self.assertTrue(text(Type("int", 1)).endswith(".s0"))
        self.assertFalse(text(Type("uint", 1)).endswith(".s0"))

    def test_arrays_of_64_bits(self):
        self.assertEqual(OpenCl.length(Type("ulong", 1), 8), 17)
        self.assertEqual(OpenCl.length(Type("uint", 1), 8), 8)


class Programs(unittest.TestCase):
    """Tests of whole programs."""

    def test_a_seed_gives_the_same_text(self):
        for seed in range(5):
            for language in (OpenCl, PlainC):
                self.assertEqual(language(draw_program(seed)).text(), language(draw_program(seed)).text())
        self.assertNotEqual(OpenCl(draw_program(1)).text(), OpenCl(draw_program(2)).text())

    def test_all_kinds_of_things_are_drawn(self):
        text = "".join(OpenCl(draw_program(seed)).text() for seed in range(60))
        for part in ("barrier(", "local ", "for (", "do {", "switch (", "atomic_", "atom_", "cmpxchg", "typedef struct",
                     "noinline", "half", "double16", "shuffle(", "vload", "vstore", "constant", "break;", "continue;",
                     "return;"):
            self.assertIn(part, text)

    def test_chips(self):
        program = Program(0, features={"half", "generic"})
        self.assertEqual({chip for chip, _ in device.targets(program, "")}, {"gfx803", "gfx900", "gfx906"})
        self.assertNotIn(("gfx600", "-O0"), device.targets(Program(0), "shuffle("))
        self.assertEqual(len(device.targets(Program(0), "")), 20)

    def test_reducing_keeps_what_matters(self):
        program = draw_program(3)
        kernel = program.kernels[0].name

        def differs(candidate):
            return "get_local_size" in OpenCl(candidate).text() and any(one.name == kernel for one in candidate.kernels)
        small = reduce.reduced(program, differs, 3000)
        self.assertEqual([one.name for one in small.kernels], [kernel])
        self.assertLess(len(OpenCl(small).text()), len(OpenCl(program).text()) // 2)


if __name__ == "__main__":
    unittest.main()
