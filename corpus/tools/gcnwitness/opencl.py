"""Prints a program as OpenCL C."""

from .integers import OPS
from .printer import Printer

HEAD = """#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
#define FRAME private char frame __attribute__((aligned(128)));
"""
DIGITS = "0123456789abcdef"


class OpenCl(Printer):
    """OpenCL C 2.0. `FRAME` aligns all frames of -O0 alike: where clang 15 aligns that of a function, the saved frame
    pointer stays where it would be without that, and a variable overwrites it.
    """

    def __init__(self, program):
        super().__init__(program)
        self.helpers = {}

    def text(self):
        head = HEAD
        if "half" in self.program.features:
            head += "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
        body = "".join(self.function(function) for function in self.program.functions)
        body += "".join(self.kernel(kernel) for kernel in self.program.kernels)
        for struct in self.program.structs:
            fields = " ".join(f"{kind} {name};" for name, kind in struct.fields)
            head += f"typedef struct {{ {fields} }} {struct.name};\n"
        for name, kind, bits in self.program.tables:
            head += f"constant {kind} {name}[{len(bits)}] = {{{', '.join(self.expr(value) for value in bits)}}};\n"
        return head + "".join(self.helpers.values()) + body

    def function(self, function):
        inline = "static inline" if function.inline else "__attribute__((noinline)) static"
        space = "" if function.generic else "private "
        params = ", ".join(self.parameter(space, *param) for param in function.params)
        return (f"{inline} {function.result} {function.name}({params}) {{\n  FRAME\n{self.block(function.body, 1)}"
                f"  return {self.expr(function.value)};\n}}\n")

    def kernel(self, kernel):
        params = [f"{'constant' if buffer.space == 'constant' else 'global'} "
                  f"{'const ' if buffer.role == 'in' and buffer.space == 'global' else ''}{buffer.type} *{buffer.name}"
                  for buffer in kernel.buffers]
        params += [f"{kind} {name}" for name, kind, _ in kernel.values]
        text = f"kernel void {kernel.name}({', '.join(params)}) {{\n  FRAME\n"
        text += "".join(f"  local {kind} {name}[{count}];\n" for name, kind, count in kernel.locals)
        text += "".join(f"  {kind} {name};\n" for name, kind in kernel.state)
        text += "".join(f"  {kind} {name}[{self.length(kind, count)}];\n" for name, kind, count in kernel.arrays)
        last = kernel.sections[-1].phases[-1]
        for section in kernel.sections:
            depth = 1
            if section.rounds > 1:
                text += f"  for ({section.name} = 0u; {section.name} < {section.rounds}u; {section.name}++) {{\n"
                depth = 2
            for phase in section.phases:
                text += self.block(phase, depth)
                if section.rounds > 1 or phase is not last:
                    text += "  " * depth + "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);\n"
            text += "  }\n" if section.rounds > 1 else ""
        return text + "}\n"

    @staticmethod
    def length(kind, count):
        """Elements of a private array. Clang 15 keeps up to 16 in registers, and where each lane has its own index, it
        writes the upper half of 64 bits into the lower one on gfx6 to gfx8.
        """
        return max(count, 17) if kind.n == 1 and kind.bits == 64 else count

    def print_setup(self, statement, depth):
        """Prints variables for the number of the work-item in the dispatch and in its group."""
        return ("item = (uint)(get_global_id(0) - get_global_offset(0)) + (uint)get_global_size(0) * "
                "((uint)(get_global_id(1) - get_global_offset(1)) + (uint)get_global_size(1) * "
                "(uint)(get_global_id(2) - get_global_offset(2))); "
                "lane = (uint)get_local_id(0) + (uint)get_local_size(0) * ((uint)get_local_id(1) + "
                "(uint)get_local_size(1) * (uint)get_local_id(2)); "
                "members = (uint)(get_local_size(0) * get_local_size(1) * get_local_size(2));")

    def expr_number(self, expr):
        """The expression of a number of the work-item."""
        name, dimension = expr.info
        return f"((uint){name}({dimension}))"

    def print_return(self, statement, depth):
        return f"if ({self.expr(statement.exprs[0])}) return;"

    def print_atomic(self, statement, depth):
        place, name = statement.info
        index, value = statement.exprs
        prefix = "atom" if value.type.bits == 64 else "atomic"
        arguments = f"&{place.name}[{self.expr(index)}]"
        if name not in ("inc", "dec"):
            arguments += f", {self.expr(value)}"
        return f"{prefix}_{name}({arguments});"

    def print_swap(self, statement, depth):
        """Prints a sum by compare-and-swap."""
        place = statement.info
        index, value = statement.exprs
        kind = value.type
        prefix = "atom" if kind.bits == 64 else "atomic"
        return (f"{{ volatile {place.space} {kind} *p = &{place.name}[{self.expr(index)}]; "
                f"{kind} add = {self.expr(value)}, seen = *p, old; "
                f"do {{ old = seen; seen = {prefix}_cmpxchg(p, old, ({kind})(old + add)); }} while (seen != old); }}")

    def print_vstore(self, statement, depth):
        index, value = statement.exprs
        place = statement.info
        return f"vstore{value.type.n}({self.expr(value)}, {self.expr(index)}, {place.name} + {place.own});"

    def print_result(self, statement, depth):
        """Prints the store of a component of a variable as 64 bits."""
        value, = statement.exprs
        place, slot = statement.info
        text = self.expr(value)
        if value.type.is_float:
            text = f"(ulong)as_{value.type.unsigned}({self.number(value.type)}({text}))"
        else:
            text = f"(ulong){text}"
        return f"{place.name}[{place.own} + {slot}u] = {text};"

    def print_set(self, statement, depth):
        """Prints an assignment to components of a variable."""
        target, value = statement.exprs
        return f"{self.swizzled(target, statement.info)} = {self.expr(value)};"

    def number(self, kind):
        """The function that makes NaNs zero."""
        name = f"number_{kind}"
        if name not in self.helpers:
            chosen = f"select(x, ({kind})(0), x != x)" if kind.is_vector else f"x != x ? ({kind})0 : x"
            self.helpers[name] = f"static inline {kind} {name}({kind} x) {{ FRAME return {chosen}; }}\n"
        return name

    def operation(self, expr, texts):
        if expr.op in ("bits", "copysign") or expr.op.startswith("to_integer"):
            self.number(expr.args[-1].type)
        return OPS[expr.op][0](expr.type, [arg.type for arg in expr.args], texts)

    def expr_var(self, expr):
        return expr.info

    expr_array = expr_var

    def expr_make(self, expr):
        return f"(({expr.type})({', '.join(self.expr(arg) for arg in expr.args)}))"

    def swizzled(self, vector, components):
        return f"{self.expr(vector)}.s{''.join(DIGITS[component] for component in components)}"

    def expr_swizzle(self, expr):
        return self.swizzled(expr.args[0], expr.info)

    def expr_component(self, expr):
        return f"{self.expr(expr.args[0])}[{self.expr(expr.args[1])}]"

    def expr_shuffle(self, expr):
        return f"shuffle({self.expr(expr.args[0])}, {self.expr(expr.args[1])})"

    def expr_reinterpret(self, expr):
        return f"as_{expr.type}({self.expr(expr.args[0])})"

    def expr_any(self, expr):
        return f"{expr.op}({self.expr(expr.args[0])})"

    expr_all = expr_any

    def expr_vload(self, expr):
        return f"vload{expr.type.n}({self.expr(expr.args[0])}, {expr.info.name})"
