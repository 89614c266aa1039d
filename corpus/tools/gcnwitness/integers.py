"""Operations on integers: how OpenCL C writes them, and what one component of them is in plain C."""

from .kinds import Type

# Name to (OpenCL text of result type, argument types and texts; C of one component over x, y, z).
OPS = {}


def op(name, opencl, plain):
    OPS[name] = (opencl, plain)


def cast(kind, text):
    return f"(({kind})({text}))"


def unsigned(kind, text):
    """OpenCL text as unsigned, so that arithmetic on it wraps."""
    if not kind.is_vector:
        return f"(({kind.wide}){text})"
    return f"as_{kind.unsigned}({text})" if kind.signed else text


def signed_again(kind, text):
    """OpenCL text converted back to the type of the result."""
    if not kind.is_vector:
        return cast(kind, text)
    return f"as_{kind}({text})" if kind.signed else f"({text})"


def wrapping(name, sign):
    op(name, lambda r, a, x: signed_again(r, f"{unsigned(r, x[0])} {sign} {unsigned(r, x[1])}"),
       lambda r, a: f"({r.base})(({r.wide})x {sign} ({r.wide})y)")


def bitwise(name, sign):
    op(name, lambda r, a, x: f"({x[0]} {sign} {x[1]})" if r.is_vector else cast(r, f"{x[0]} {sign} {x[1]}"),
       lambda r, a: f"({r.base})(x {sign} y)")


def call(name, plain, function=None):
    op(name, lambda r, a, x: f"{function or name}({', '.join(x)})", plain)


def by_vector(name, a, x):
    """A built-in whose scalar form assumes in the device libraries that signed numbers of 32 and 64 bits do not wrap.
    Its vector form does not, so that takes its place.
    """
    if a[0].is_vector or not a[0].signed or a[0].bits < 32:
        return f"{name}({', '.join(x)})"
    return f"{name}({', '.join(f'({kind.times(2)})({text})' for kind, text in zip(a, x))}).s0"


def compare(name, sign):
    op(name, lambda r, a, x: f"({x[0]} {sign} {x[1]})",
       lambda r, a: f"-(x {sign} y)" if r.is_vector else f"(x {sign} y)")


def wide(r):
    return "__int128" if r.signed else "unsigned __int128"


def saturated(r, text):
    """C text of a 128-bit number, saturated to the range of a type."""
    limits = f"({wide(r)}){r.low + 1} - 1" if r.signed else "0"
    return f"({r.base})SATURATE({wide(r)}, {text}, {limits}, ({wide(r)}){r.high}{'' if r.signed else 'UL'})"


wrapping("add", "+")
wrapping("sub", "-")
for _name, _sign in (("and", "&"), ("or", "|"), ("xor", "^")):
    bitwise(_name, _sign)
for _name, _sign in (("eq", "=="), ("ne", "!="), ("lt", "<"), ("le", "<="), ("gt", ">"), ("ge", ">=")):
    compare(_name, _sign)


def shift(name, sign, masked):
    """Defines a shift. Without a mask OpenCL takes the amount modulo the width of the promoted type."""
    def opencl(r, a, x):
        mask = r.bits - 1
        amount = f"({x[1]} & ({a[1]})({mask}))" if masked else x[1]
        left = unsigned(r, x[0]) if sign == "<<" else x[0]
        if not r.is_vector:
            return cast(r, f"{left} {sign} {amount}")
        amount = unsigned(r, amount) if sign == "<<" else amount
        return signed_again(r, f"{left} {sign} {amount}") if sign == "<<" else f"({left} {sign} {amount})"

    def plain(r, a):
        left = f"({r.wide})x" if sign == "<<" else "x"
        return f"({r.base})({left} {sign} (y & {r.bits - 1}))"
    op(name, opencl, plain)


shift("shl", "<<", True)
shift("shr", ">>", True)
shift("shl_any", "<<", False)
shift("shr_any", ">>", False)


def dividend(r, text):
    """Unsigned dividends lose their top bit: clang 15 and 19 divide them as 24 bits if they are sign-extended."""
    if r.signed or r.bits < 32:
        return text
    return f"({text} & ({r})({r.high >> 1:#x}{'UL' if r.bits == 64 else 'u'}))"


def divide(name, sign):
    """Defines a division by a positive number, and one by a number below -1."""
    def plain(r, a):
        masked = "x" if r.signed or r.bits < 32 else f"(x & {r.high >> 1:#x}UL)"
        return f"({r.base})({masked} {sign} (y < 1 ? ({r.base})1 : y))"
    op(name, lambda r, a, x: signed_cast(r, f"{dividend(r, x[0])} {sign} max({x[1]}, ({r})(1))"), plain)
    op(f"{name}_negative", lambda r, a, x: signed_cast(r, f"{x[0]} {sign} min({x[1]}, ({r})(-2))"),
       lambda r, a: f"({r.base})(x {sign} (y > -2 ? ({r.base})-2 : y))")


def signed_cast(r, text):
    return f"({text})" if r.is_vector else cast(r, text)


divide("div", "/")
divide("mod", "%")

# Signed arithmetic that cannot overflow: compilers draw conclusions from that.
op("add_exact", lambda r, a, x: signed_cast(r, f"({x[0]} >> ({r})(2)) + ({x[1]} >> ({r})(2))"),
   lambda r, a: f"({r.base})((x >> 2) + (y >> 2))")
op("sub_exact", lambda r, a, x: signed_cast(r, f"({x[0]} >> ({r})(1)) - ({x[1]} >> ({r})(1))"),
   lambda r, a: f"({r.base})((x >> 1) - (y >> 1))")
op("mul_exact", lambda r, a, x: signed_cast(r, f"({x[0]} >> ({r})({r.bits // 2})) * ({x[1]} >> ({r})({r.bits // 2}))"),
   lambda r, a: f"({r.base})((x >> {r.bits // 2}) * (y >> {r.bits // 2}))")

op("neg", lambda r, a, x: signed_again(r, f"-{unsigned(r, x[0])}"), lambda r, a: f"({r.base})(0 - ({r.wide})x)")
op("not", lambda r, a, x: f"(~{x[0]})" if r.is_vector else cast(r, f"~{x[0]}"), lambda r, a: f"({r.base})~x")
op("land", lambda r, a, x: f"({x[0]} && {x[1]})", lambda r, a: "(x && y)")
op("lor", lambda r, a, x: f"({x[0]} || {x[1]})", lambda r, a: "(x || y)")
op("lnot", lambda r, a, x: f"(!{x[0]})", lambda r, a: "!x")

call("min", lambda r, a: "x < y ? x : y")
call("max", lambda r, a: "x > y ? x : y")
op("abs", lambda r, a, x: by_vector("abs", a, x),
   lambda r, a: f"({r.base})(x < 0 ? 0 - ({r.wide})x : ({r.wide})x)")
op("abs_diff", lambda r, a, x: by_vector("abs_diff", a, x),
   lambda r, a: f"({r.base})(x > y ? ({r.wide})x - ({r.wide})y : ({r.wide})y - ({r.wide})x)")
call("add_sat", lambda r, a: saturated(r, f"({wide(r)})x + y"))
call("sub_sat", lambda r, a: saturated(r, f"({wide(r)})x - y") if r.signed else f"x > y ? ({r.base})(x - y) : 0")
call("hadd", lambda r, a: f"({r.base})((({wide(r)})x + y) >> 1)")
call("rhadd", lambda r, a: f"({r.base})((({wide(r)})x + y + 1) >> 1)")
call("rotate", lambda r, a: f"({r.base})((({r.wide})({r.unsigned.base})x << (y & {r.bits - 1})) | "
     f"(({r.unsigned.base})x >> (-({r.wide})y & {r.bits - 1})))")
call("clz", lambda r, a: f"({r.base})(x == 0 ? {r.bits} : __builtin_clzl(({r.unsigned.base})x) - {64 - r.bits})")
call("ctz", lambda r, a: f"({r.base})(x == 0 ? {r.bits} : __builtin_ctzl(({r.unsigned.base})x))")
call("popcount", lambda r, a: f"({r.base})__builtin_popcountl(({r.unsigned.base})x)")
call("bitselect", lambda r, a: f"({r.base})((x & ~z) | (y & z))")
call("upsample", lambda r, a: f"({r.base})((({r.wide})x << {r.bits // 2}) | y)")
op("clamp", lambda r, a, x: f"clamp({x[0]}, min({x[1]}, ({r})(3)), max({x[2]}, ({r})(3)))",
   lambda r, a: "x < (y < 3 ? y : 3) ? (y < 3 ? y : 3) : x > (z > 3 ? z : 3) ? (z > 3 ? z : 3) : x")


def unextended(r, text):
    """Clang 15 takes the signed instruction of 24 bits for the upper half of an unsigned product of 32 bits if both
    numbers are short, and one is 0xffffff80, say. Products of 64 bits have such parts. A bit cleared in each half of
    both prevents that.
    """
    if r.bits == 64:
        return f"({text} & ({r})(0xfefffffffeffffffUL))"
    return text if r.signed or r.bits < 32 else f"({text} & ({r})(0xfeffffffu))"


def mul(r, a, x):
    x, y = (unextended(r, text) for text in x) if r.bits == 64 else x
    return signed_again(r, f"{unsigned(r, x)} * {unsigned(r, y)}")


def plain_mul(r, a):
    x, y = (unextended(r.times(1), name) for name in "xy") if r.bits == 64 else "xy"
    return f"({r.base})(({r.wide}){x} * ({r.wide}){y})"


def product(r, x="x", y="y"):
    """A product of full width in plain C."""
    return f"({wide(r)}){unextended(r.times(1), x)} * {unextended(r.times(1), y)}"


op("mul", mul, plain_mul)
op("mul_hi", lambda r, a, x: f"mul_hi({unextended(r, x[0])}, {unextended(r, x[1])})",
   lambda r, a: f"({r.base})(({product(r)}) >> {r.bits})")
op("mad_hi", lambda r, a, x: by_vector("mad_hi", a, [unextended(r, x[0]), unextended(r, x[1]), x[2]]),
   lambda r, a: f"({r.base})(({r.wide})(({product(r)}) >> {r.bits}) + ({r.wide})z)")


def short_terms(r, x):
    """Makes terms short: the device libraries assume that no step wraps in signed numbers of 32 and 64 bits."""
    if not r.signed or r.bits < 32:
        return x
    return [f"({text} >> ({r})({amount}))" for text, amount in zip(x, (r.bits // 2, r.bits // 2, r.bits // 64))]


def mad_sat(r, a, x):
    x, y, z = short_terms(r, x)
    return f"mad_sat({unextended(r, x)}, {unextended(r, y)}, {z})"


def plain_mad_sat(r, a):
    x, y, z = short_terms(r.times(1), ("x", "y", "z"))
    return saturated(r, f"{product(r, x, y)} + {z}")


op("mad_sat", mad_sat, plain_mad_sat)


def short_product(name, tail):
    """Defines a product of 24-bit numbers. Signed ones fit 32 bits, since the device libraries assume that."""
    def opencl(r, a, x):
        parts = [f"({x[0]} >> 8)", f"({x[1]} >> 24)"] if r.signed else [f"({part} & 0xffffffu)" for part in x[:2]]
        return f"{name}({', '.join(parts + x[2:])})"

    def plain(r, a):
        x, y = ("(uint)(x >> 8)", "(uint)(y >> 24)") if r.signed else ("(x & 0xffffffu)", "(y & 0xffffffu)")
        return f"({r.base})({x} * {y}{tail})"
    op(name, opencl, plain)


short_product("mul24", "")


def mad24(r, a, x):
    """mad24 as OpenCL text. The sum may wrap only in unsigned numbers, so that of signed ones is kept small."""
    if r.signed:
        return f"mad24(({x[0]} >> 20), ({x[1]} >> 20), ({x[2]} >> 1))"
    return f"mad24(({x[0]} & 0xffffffu), ({x[1]} & 0xffffffu), {x[2]})"


op("mad24", mad24, lambda r, a: "(x >> 20) * (y >> 20) + (z >> 1)" if r.signed else
   "(x & 0xffffffu) * (y & 0xffffffu) + z")

# Between integer types: bits are cut off, or the value is brought into the range.
op("convert", lambda r, a, x: f"convert_{r}({x[0]})", lambda r, a: f"({r.base})x")
op("cast", lambda r, a, x: f"(({r}){x[0]})", lambda r, a: f"({r.base})x")


def saturate(r, a):
    low, high = max(r.low, a[0].low), min(r.high, a[0].high)
    if low <= a[0].low and high >= a[0].high:
        return f"({r.base})x"
    low_text = f"{low + 1}L - 1" if a[0].signed else "0"
    return f"({r.base})SATURATE({a[0].base}, x, {low_text}, {high}{'L' if a[0].signed else 'UL'})"


op("convert_sat", lambda r, a, x: f"convert_{r}_sat({x[0]})", saturate)

# Choices. Vectors look at the top bit.
op("choose", lambda r, a, x: signed_cast(r, f"{x[0]} ? {x[1]} : {x[2]}"),
   lambda r, a: "x < 0 ? y : z" if r.is_vector else "x ? y : z")
op("select", lambda r, a, x: f"select({x[0]}, {x[1]}, {x[2]})",
   lambda r, a: "z < 0 ? y : x" if r.is_vector else "z ? y : x")


def integer_uses(r):
    """(weight, operation, argument types) that give integers of a type."""
    same = r.unsigned if not r.signed else r
    uses = [(3, name, [r, r]) for name in ("add", "sub", "mul", "and", "or", "xor")]
    uses += [(2, name, [r, r]) for name in ("shl", "shr")]
    uses += [(1, name, [r, r]) for name in ("div", "mod", "min", "max", "add_sat", "sub_sat", "hadd", "rhadd", "mul_hi",
                                            "rotate")]
    uses += [(1, name, [r]) for name in ("neg", "not", "clz", "ctz", "popcount")]
    uses += [(1, name, [r, r, r]) for name in ("mad_hi", "mad_sat", "bitselect", "clamp")]
    if r.is_vector or r.bits >= 32:
        uses += [(1, name, [r, r]) for name in ("shl_any", "shr_any")]
    if r.signed:
        uses += [(1, name, [r, r]) for name in ("add_exact", "sub_exact", "mul_exact", "div_negative", "mod_negative")]
    else:
        signed = r.of({8: "char", 16: "short", 32: "int", 64: "long"}[r.bits])
        uses += [(1, "abs", [signed]), (1, "abs", [same])]
        uses += [(1, "abs_diff", [signed, signed]), (1, "abs_diff", [r, r])]
    if r.bits > 8:
        half = {16: "char", 32: "short", 64: "int"}[r.bits]
        top = half if r.signed else "u" + half
        uses.append((1, "upsample", [r.of(top), r.of("u" + half)]))
    if r.bits == 32:
        uses += [(1, "mul24", [r, r]), (1, "mad24", [r, r, r])]
    return uses


def truth_uses(r, bases):
    """Comparisons that give `r`."""
    uses = []
    for base in bases:
        kind = Type(base, r.n)
        if kind.truth == r:
            uses += [(1, name, [kind, kind]) for name in ("eq", "ne", "lt", "le", "gt", "ge")]
    if r == Type("int", 1):
        uses += [(2, "land", [r, r]), (2, "lor", [r, r]), (1, "lnot", [r])]
    return uses
