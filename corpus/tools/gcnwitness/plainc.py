"""Prints a program as plain C, which computes what each buffer holds afterwards.

Vectors are structures, and each operation is a function over their components. Work-items run one after the other; a
kernel with barriers is cut into phases there, and its variables are in a structure for each work-item.
"""

from .integers import OPS
from .kinds import FLOATS, INTEGERS, WIDTHS, Type
from .printer import Printer

HEAD = """#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef _Float16 half;
#define SATURATE(T, v, lo, hi) ({ T v_ = (v), lo_ = (lo), hi_ = (hi); v_ < lo_ ? lo_ : v_ > hi_ ? hi_ : v_; })
#define FLOAT_TO(T, v, lo, hi) ({ double v_ = (v); \\
  v_ != v_ ? (T)0 : v_ <= (double)(lo) ? (T)(lo) : v_ >= (double)(hi) ? (T)(hi) : (T)v_; })
#define BITS(T, F, v) ({ F v_ = (v); T t_; memcpy(&t_, &v_, sizeof t_); t_; })
struct item { size_t gid[3], lid[3], grp[3], lsz[3], esz[3], gsz[3], num[3], off[3]; };
#define get_global_id(d) (it->gid[d])
#define get_local_id(d) (it->lid[d])
#define get_group_id(d) (it->grp[d])
#define get_local_size(d) (it->lsz[d])
#define get_enqueued_local_size(d) (it->esz[d])
#define get_global_size(d) (it->gsz[d])
#define get_num_groups(d) (it->num[d])
#define get_global_offset(d) (it->off[d])
static void transfer(void *data, size_t size, const char *folder, const char *name, const char *end, const char *mode)
{
  char path[4096];
  snprintf(path, sizeof path, "%s/%s.%s", folder, name, end);
  FILE *file = fopen(path, mode);
  if (!file || (*mode == 'r' ? fread(data, 1, size, file) : fwrite(data, 1, size, file)) != size) exit(9);
  fclose(file);
}
"""

ATOMICS = {"add": "({w})p + ({w})v", "sub": "({w})p - ({w})v", "inc": "({w})p + 1", "dec": "({w})p - 1",
           "min": "p < v ? p : v", "max": "p > v ? p : v", "and": "p & v", "or": "p | v", "xor": "p ^ v"}


def vector_types():
    """Prints the types of vectors. Vectors of three are as large as vectors of four."""
    text = ""
    for base in list(INTEGERS) + list(FLOATS):
        for n in WIDTHS[1:]:
            kind = Type(base, n)
            text += f"typedef struct {{ {base} s[{kind.size * 8 // kind.bits}]; }} " \
                    f"__attribute__((aligned({kind.size}))) {kind};\n"
    return text


class PlainC(Printer):
    """Prints C11 with extensions of gcc."""

    def __init__(self, program):
        super().__init__(program)
        self.helpers = {}
        self.state = set()

    def text(self):
        body = "".join(self.function(function) for function in self.program.functions)
        body += "".join(self.kernel(kernel) for kernel in self.program.kernels)
        head = HEAD + vector_types()
        for struct in self.program.structs:
            fields = " ".join(f"{kind} {name};" for name, kind in struct.fields)
            head += f"typedef struct {{ {fields} }} {struct.name};\n"
        tables = fill = ""
        for name, kind, values in self.program.tables:
            tables += f"static {kind} {name}[{len(values)}];\n"
            fill += "".join(f"  {name}[{index}] = {self.expr(value)};\n" for index, value in enumerate(values))
        main = f"int main(int argc, char **argv)\n{{\n  (void)argc;\n{fill}"
        main += "".join(f"  run_{kernel.name}(argv[1]);\n" for kernel in self.program.kernels)
        return head + tables + "".join(self.helpers.values()) + body + main + "  return 0;\n}\n"

    def function(self, function):
        params = ", ".join(self.parameter("", *param) for param in function.params)
        return (f"static {function.result} {function.name}({params})\n{{\n{self.block(function.body, 1)}"
                f"  return {self.expr(function.value)};\n}}\n")

    def kernel(self, kernel):
        """Prints a kernel: its buffers, variables and phases, and the loops over groups and work-items."""
        name = kernel.name
        text = "".join(f"static {buffer.type} *{buffer.name};\n" for buffer in kernel.buffers)
        text += "".join(f"static {kind} {local}[{count}];\n" for local, kind, count in kernel.locals)
        text += "".join(f"static {kind} {value};\n" for value, kind, _ in kernel.values)
        text += f"struct {name}_state {{\n"
        text += "".join(f"  {kind} {variable};\n" for variable, kind in kernel.state)
        text += "".join(f"  {kind} {array}[{count}];\n" for array, kind, count in kernel.arrays) + "};\n"
        self.state = {variable for variable, _ in kernel.state} | {array for array, _, _ in kernel.arrays}
        calls, number = "", 0
        for section in kernel.sections:
            calls += f"    for (uint round = 0; round < {section.rounds}; round++) {{\n"
            for phase in section.phases:
                text += f"static void {name}_{number}(struct {name}_state *s, const struct item *it)\n"
                text += f"{{\n  (void)s, (void)it;\n{self.block(phase, 1)}}}\n"
                counter = f"s[i].{section.name} = round, " if section.rounds > 1 else ""
                calls += f"      for (uint i = 0; i < n; i++) {counter}{name}_{number}(s + i, it + i);\n"
                number += 1
            calls += "    }\n"
        text += self.group(kernel, calls) + self.run(kernel)
        self.state = set()
        return text

    def group(self, kernel, calls):
        """Prints the function that runs one group of a kernel."""
        return (f"static void group_{kernel.name}(const struct item *it, uint n)\n{{\n"
                f"    struct {kernel.name}_state *s = aligned_alloc(128, (n * sizeof *s + 127) & ~127ul);\n"
                f"    memset(s, 0xa5, n * sizeof *s);\n{calls}    free(s);\n}}\n")

    def run(self, kernel):
        """Prints the function that runs the dispatch of a kernel."""
        grid, group = ([*sizes, 1, 1][:3] for sizes in (kernel.grid, kernel.group))
        offset = [*kernel.offset, 0, 0][:3]
        text = f"static void run_{kernel.name}(const char *folder)\n{{\n"
        for buffer in kernel.buffers:
            text += f"  {buffer.name} = aligned_alloc(256, {len(buffer.data) + 255 & ~255});\n"
            text += f'  transfer({buffer.name}, {len(buffer.data)}, folder, "{buffer.name}", "in", "rb");\n'
        text += "".join(f"  {name} = {self.expr(value)};\n" for name, _, value in kernel.values)
        text += "  static struct item items[1024];\n"
        text += (f"  const uint grid[3] = {{{grid[0]}, {grid[1]}, {grid[2]}}}, "
                 f"group[3] = {{{group[0]}, {group[1]}, {group[2]}}}, "
                 f"offset[3] = {{{offset[0]}, {offset[1]}, {offset[2]}}};\n")
        for letter, d in (("z", 2), ("y", 1), ("x", 0)):
            text += f"  for (uint {letter} = 0; {letter} < grid[{d}]; {letter} += group[{d}])\n"
        text += """  {
    const uint at[3] = {x, y, z};
    struct item one;
    for (int d = 0; d < 3; d++) {
      one.grp[d] = at[d] / group[d], one.esz[d] = group[d], one.gsz[d] = grid[d], one.off[d] = offset[d];
      one.num[d] = (grid[d] + group[d] - 1) / group[d];
      one.lsz[d] = grid[d] - at[d] < group[d] ? grid[d] - at[d] : group[d];
    }
    uint n = 0;
    for (uint k = 0; k < one.lsz[2]; k++)
    for (uint j = 0; j < one.lsz[1]; j++)
    for (uint i = 0; i < one.lsz[0]; i++) {
      one.lid[0] = i, one.lid[1] = j, one.lid[2] = k;
      one.gid[0] = x + i + offset[0], one.gid[1] = y + j + offset[1], one.gid[2] = z + k + offset[2];
      items[n++] = one;
    }
"""
        text += f"    group_{kernel.name}(items, n);\n  }}\n"
        for buffer in kernel.buffers:
            if buffer.role != "in":
                text += f'  transfer({buffer.name}, {len(buffer.data)}, folder, "{buffer.name}", "out", "wb");\n'
        return text + "}\n"

    def print_setup(self, statement, depth):
        return ("s->item = it->gid[0] - it->off[0] + it->gsz[0] * (it->gid[1] - it->off[1] + it->gsz[1] * "
                "(it->gid[2] - it->off[2])); "
                "s->lane = it->lid[0] + it->lsz[0] * (it->lid[1] + it->lsz[1] * it->lid[2]); "
                "s->members = it->lsz[0] * it->lsz[1] * it->lsz[2];")

    def expr_number(self, expr):
        name, dimension = expr.info
        return f"((uint){name}({dimension}))"

    def print_return(self, statement, depth):
        return f"if ({self.expr(statement.exprs[0])}) return;"

    def own(self, place):
        """The index at which a work-item's elements begin."""
        return place.own.replace("item", "s->item").replace("lane", "s->lane")

    def element(self, place, index):
        name = self.name(place.name)
        return f"{name}[{index}]" if place.own is None else f"{name}[{self.own(place)} + {index}]"

    def print_atomic(self, statement, depth):
        place, name = statement.info
        index, value = statement.exprs
        kind = value.type
        after = ATOMICS[name].format(w=kind.wide)
        return (f"{{ {kind} *q = &{place.name}[{self.expr(index)}]; const {kind} p = *q, v = {self.expr(value)}; "
                f"(void)v; *q = ({kind})({after}); }}")

    def print_swap(self, statement, depth):
        index, value = statement.exprs
        return f"{{ {value.type} *q = &{statement.info.name}[{self.expr(index)}]; *q = *q + {self.expr(value)}; }}"

    def print_vstore(self, statement, depth):
        index, value = statement.exprs
        n = value.type.n
        return (f"{{ const {value.type} v = {self.expr(value)}; "
                f"memcpy({statement.info.name} + {self.own(statement.info)} + {n} * {self.expr(index)}, v.s, "
                f"{n * value.type.bits // 8}); }}")

    def print_result(self, statement, depth):
        value, = statement.exprs
        place, slot = statement.info
        text = self.expr(value)
        if value.type.is_float:
            text = f"({{ {value.type} f_ = {text}; BITS({value.type.unsigned}, {value.type}, f_ != f_ ? 0 : f_); }})"
        return f"{place.name}[{self.own(place)} + {slot}u] = (ulong){text};"

    def print_set(self, statement, depth):
        target, value = statement.exprs
        name, components = self.expr(target), statement.info
        if len(components) == 1:
            return f"{name}.s[{components[0]}] = {self.expr(value)};"
        sets = " ".join(f"{name}.s[{component}] = v.s[{index}];" for index, component in enumerate(components))
        return f"{{ const {value.type} v = {self.expr(value)}; {sets} }}"

    def name(self, name):
        return f"s->{name}" if name in self.state else name

    def expr_var(self, expr):
        return self.name(expr.info)

    expr_array = expr_var

    def helper(self, name, result, args, body):
        """Defines a function once. Arguments are called x, y, z, or a0 and so on."""
        name = "_".join([name, str(result), *map(str, args)])
        if name not in self.helpers:
            letters = "xyz" if len(args) <= 3 else [f"a{index}" for index in range(len(args))]
            params = ", ".join(f"{arg} {letter}" for arg, letter in zip(args, letters))
            self.helpers[name] = f"static inline {result} {name}({params}) {{ {body} }}\n"
        return name

    def operation(self, expr, texts):
        args = [arg.type for arg in expr.args]
        plain = OPS[expr.op][1](expr.type, args)
        if not expr.type.is_vector:
            return f"{self.helper(expr.op, expr.type, args, f'return {plain};')}({', '.join(texts)})"
        declare = "".join(f"{arg.base} {letter} = {letter}_.s[i]; " for arg, letter in zip(args, "xyz"))
        declare += "".join(f"(void){letter}; " for _, letter in zip(args, "xyz"))
        body = (f"{expr.type} r = {{0}}; for (int i = 0; i < {expr.type.n}; i++) {{ {declare}r.s[i] = {plain}; }} "
                "return r;")
        name = "_".join([expr.op, str(expr.type), *map(str, args)])
        params = ", ".join(f"{arg} {letter}_" for arg, letter in zip(args, "xyz"))
        self.helpers.setdefault(name, f"static inline {expr.type} {name}({params}) {{ {body} }}\n")
        return f"{name}({', '.join(texts)})"

    def expr_make(self, expr):
        args = [arg.type for arg in expr.args]
        texts = ", ".join(self.expr(arg) for arg in expr.args)
        if len(args) == 1:
            body = f"{expr.type} r = {{0}}; for (int i = 0; i < {expr.type.n}; i++) r.s[i] = x; return r;"
            return f"{self.helper('make', expr.type, args, body)}({texts})"
        letters = "xyz" if len(args) <= 3 else [f"a{index}" for index in range(len(args))]
        parts = [f"{letter}.s[{index}]" if arg.is_vector else letter
                 for arg, letter in zip(args, letters) for index in range(arg.n)]
        body = f"{expr.type} r = {{{{{', '.join(parts)}}}}}; return r;"
        return f"{self.helper('make', expr.type, args, body)}({texts})"

    def expr_swizzle(self, expr):
        of = expr.args[0].type
        parts = [f"x.s[{component}]" for component in expr.info]
        vector = f"{expr.type} r = {{{{{', '.join(parts)}}}}}; return r;"
        body = vector if expr.type.is_vector else f"return {parts[0]};"
        name = "swizzle_" + "_".join(map(str, expr.info))
        return f"{self.helper(name, expr.type, [of], body)}({self.expr(expr.args[0])})"

    def expr_component(self, expr):
        return f"{self.expr(expr.args[0])}.s[{self.expr(expr.args[1])}]"

    def expr_shuffle(self, expr):
        args = [arg.type for arg in expr.args]
        body = (f"{expr.type} r; for (int i = 0; i < {expr.type.n}; i++) r.s[i] = x.s[y.s[i] & {args[0].n - 1}]; "
                "return r;")
        return f"{self.helper('shuffle', expr.type, args, body)}({', '.join(self.expr(arg) for arg in expr.args)})"

    def expr_reinterpret(self, expr):
        body = f"{expr.type} r; memcpy(&r, &x, sizeof r); return r;"
        return f"{self.helper('as', expr.type, [expr.args[0].type], body)}({self.expr(expr.args[0])})"

    def expr_any(self, expr):
        of = expr.args[0].type
        sign = "||" if expr.op == "any" else "&&"
        body = f"return {f' {sign} '.join(f'x.s[{index}] < 0' for index in range(of.n))};"
        return f"{self.helper(expr.op, expr.type, [of], body)}({self.expr(expr.args[0])})"

    expr_all = expr_any

    def expr_vload(self, expr):
        n, place = expr.type.n, expr.info
        body = f"{expr.type} r = {{0}}; memcpy(&r, y + {n} * x, {n * expr.type.bits // 8}); return r;"
        name = f"vload{n}_{expr.type.base}"
        params = f"uint x, const {expr.type.base} *y"
        self.helpers.setdefault(name, f"static inline {expr.type} {name}({params}) {{ {body} }}\n")
        return f"{name}({self.expr(expr.args[0])}, {place.name})"
