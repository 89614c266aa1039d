"""Operations on floats that are exact or correctly rounded, so that every machine gives the same bits.

NaNs differ in their sign and payload: where bits of a float become visible, a NaN is made zero first.
"""

from .integers import call, op
from .kinds import INTEGERS, MODERATE, Type


def through(r, text):
    """C text rounded to half: arithmetic is in binary32, and for these operations rounding twice does no harm."""
    return f"(half)({text})" if r.base == "half" else text


def names(r, text):
    """C text with the operands x and y widened to binary32 if they are halves."""
    if r.base != "half":
        return text
    return text.replace("x", "(float)x").replace("y", "(float)y")


def arithmetic(name, sign):
    op(name, lambda r, a, x: f"({x[0]} {sign} {x[1]})", lambda r, a: through(r, names(r, f"x {sign} y")))


def suffix(r):
    return "" if r.base == "double" else "f"


def function(name, opencl=None, plain=None):
    """Defines an operation by a function of one argument that both languages have."""
    op(name, lambda r, a, x: f"{opencl or name}({x[0]})",
       lambda r, a: through(r, f"{plain or name}{suffix(r)}({names(r, 'x')})"))


for _name, _sign in (("fadd", "+"), ("fsub", "-"), ("fmul", "*"), ("fdiv", "/")):
    arithmetic(_name, _sign)
for _name in ("trunc", "fabs"):
    function(_name)


def floor(r, text):
    """floor as OpenCL text. For gfx600 clang expands floor of doubles: just below 0 that gives more than -1."""
    return f"(rint(floor({text})) + ({r})(0))" if r.base == "double" else f"floor({text})"


op("floor", lambda r, a, x: floor(r, x[0]),
   lambda r, a: through(r, f"floor{suffix(r)}({names(r, 'x')}){' + 0' if r.base == 'double' else ''}"))
# For gfx600 clang makes several instructions of these, which lose the sign of a zero.
for _name in ("ceil", "rint"):
    op(_name, lambda r, a, x, name=_name: f"({name}({x[0]}) + ({r})(0))",
       lambda r, a, name=_name: through(r, f"{name}{suffix(r)}({names(r, 'x')}) + 0"))
op("fneg", lambda r, a, x: f"(-{x[0]})", lambda r, a: "-x")
op("sqrt", lambda r, a, x: f"sqrt(fabs({x[0]}))",
   lambda r, a: through(r, f"sqrt{suffix(r)}(fabs{suffix(r)}({names(r, 'x')}))"))
call("fma", lambda r, a: f"fma{suffix(r)}(x, y, z)")
# Which zero is the smaller one is open, so that negative zeros are made positive.
for _name, _sign in (("fmin", "<"), ("fmax", ">")):
    op(_name, lambda r, a, x, name=_name: f"{name}({x[0]} + ({r})(0), {x[1]} + ({r})(0))",
       lambda r, a, sign=_sign: f"x != x ? ({r.base})(y + 0) : y != y ? ({r.base})(x + 0) : "
       f"({r.base})((x {sign} y ? x : y) + 0)")
op("copysign", lambda r, a, x: f"copysign({x[0]}, number_{r}({x[1]}))",
   lambda r, a: through(r, f"copysign{suffix(r)}(x, y != y ? 0 : y)"))
op("ldexp", lambda r, a, x: f"ldexp({x[0]}, clamp({x[1]}, ({a[1]})(-40), ({a[1]})(40)))",
   lambda r, a: f"ldexp{suffix(r)}(x, y < -40 ? -40 : y > 40 ? 40 : y)")
call("fmod", lambda r, a: f"fmod{suffix(r)}(x, y)")


def test(name, plain):
    """Defines a test of floats, which gives 1 in scalars, -1 in vectors."""
    op(name, lambda r, a, x: f"{name}({', '.join(x)})", lambda r, a: f"-({plain})" if r.is_vector else f"({plain})")


test("isnan", "x != x")
test("isinf", "__builtin_isinf(x) != 0")
test("isfinite", "__builtin_isfinite(x) != 0")
test("isequal", "x == y")
test("isless", "x < y")
test("islessgreater", "x < y || x > y")
test("isunordered", "x != x || y != y")

# Conversions. Integers to floats round to nearest even. What a NaN becomes is open: it is made zero before.
op("to_float", lambda r, a, x: f"convert_{r}({x[0]})", lambda r, a: f"({r.base})x")


def short_of_half(r, of):
    return of.base == "half" and r.base == "short"


def whole(r, of, text, mode):
    """The number to convert. In the device libraries `short` ends at 65504 for halves, so they are clamped first."""
    text = f"number_{of}({text})"
    if mode == "_rtn" and of.base == "double":
        text = floor(of, text)
    if short_of_half(r, of):
        return f"fmin(fmax({text}, ({of})((half)-32768.0f)), ({of})((half)32752.0f))"
    return text


def plain_whole(r, a, rounding):
    high = 32752 if short_of_half(r, a[0]) else r.high
    return (f"FLOAT_TO({r.base}, {rounding}((double)x), {r.low + r.signed}L - {int(r.signed)}, "
            f"{high}{'L' if r.signed else 'UL'})")


for _mode, _rounding in (("", "trunc"), ("_rte", "rint"), ("_rtp", "ceil"), ("_rtn", "floor")):
    op(f"to_integer{_mode}", lambda r, a, x, mode=_mode: f"convert_{r}_sat{mode}({whole(r, a[0], x[0], mode)})",
       lambda r, a, rounding=_rounding: plain_whole(r, a, rounding))
op("bits", lambda r, a, x: f"as_{r}(number_{a[0]}({x[0]}))",
   lambda r, a: f"BITS({r.base}, {a[0].base}, x != x ? ({a[0].base})0 : x)")


def from_bits(r, a, x):
    keep, put = MODERATE[r.base]
    end = "UL" if r.bits == 64 else "u"
    if r.is_vector:
        return f"as_{r}(({x[0]} & ({a[0]})({keep:#x}{end})) | ({a[0]})({put:#x}{end}))"
    return f"as_{r}(({a[0]})(({x[0]} & {keep:#x}{end}) | {put:#x}{end}))"


def plain_from_bits(r, a):
    keep, put = MODERATE[r.base]
    end = "UL" if r.bits == 64 else "u"
    return f"BITS({r.base}, {a[0].base}, ({a[0].base})((x & {keep:#x}{end}) | {put:#x}{end}))"


op("from_bits", from_bits, plain_from_bits)


def float_uses(r, bases):
    """(weight, operation, argument types) that give floats of a type."""
    uses = [(4, name, [r, r]) for name in ("fadd", "fsub", "fmul")]
    uses += [(1, name, [r]) for name in ("floor", "ceil", "trunc", "rint", "fabs", "fneg", "sqrt")]
    uses += [(1, name, [r, r]) for name in ("fdiv", "fmin", "fmax", "copysign")]
    if r.base != "half":
        uses += [(3, "fma", [r, r, r]), (1, "ldexp", [r, r.of("int")])]
    uses += [(1, "to_float", [r.of(base)]) for base in bases if base != r.base]
    uses.append((2, "from_bits", [r.unsigned]))
    return uses


def from_float_uses(r, bases):
    """(weight, operation, argument types) that give integers of floats."""
    uses = []
    for base in bases:
        if base in INTEGERS:
            continue
        kind = Type(base, r.n)
        uses += [(1, f"to_integer{mode}", [kind]) for mode in ("", "_rte", "_rtp", "_rtn")]
        if kind.bits == r.bits:
            uses.append((3, "bits", [kind]))
        if kind.truth == r:
            uses += [(1, name, [kind]) for name in ("isnan", "isinf", "isfinite")]
            uses += [(1, name, [kind, kind]) for name in ("isequal", "isless", "islessgreater", "isunordered")]
    return uses

