"""What both languages have in common: statements and the shape of expressions."""

from .kinds import literal

INDENT = "  "


class Printer:
    """Prints statements. Languages add expressions."""

    def __init__(self, program):
        self.program = program
        self.structs = {struct.name: struct for struct in program.structs}

    def block(self, statements, depth):
        return "".join(self.statement(statement, depth) for statement in statements)

    def braces(self, statements, depth):
        return "{\n" + self.block(statements, depth + 1) + INDENT * depth + "}"

    def statement(self, statement, depth):
        text = getattr(self, f"print_{statement.kind}")(statement, depth)
        return f"{INDENT * depth}{text}\n"

    def print_declare(self, statement, depth):
        value, = statement.exprs
        return f"{value.type} {statement.info} = {self.expr(value)};"

    def print_assign(self, statement, depth):
        target, value = statement.exprs
        return f"{self.expr(target)} = {self.expr(value)};"

    def print_if(self, statement, depth):
        text = f"if ({self.expr(statement.exprs[0])}) {self.braces(statement.blocks[0], depth)}"
        if len(statement.blocks) > 1:
            text += f" else {self.braces(statement.blocks[1], depth)}"
        return text

    def print_for(self, statement, depth):
        name, step = statement.info
        return (f"for (uint {name} = 0u; {name} < {self.expr(statement.exprs[0])}; {name} += {step}u) "
                f"{self.braces(statement.blocks[0], depth)}")

    def print_while(self, statement, depth):
        """Prints a loop with a condition and a limit."""
        name, limit = statement.info
        return (f"for (uint {name} = 0u; {name} < {limit}u && {self.expr(statement.exprs[0])}; {name}++) "
                f"{self.braces(statement.blocks[0], depth)}")

    def print_do(self, statement, depth):
        name, limit = statement.info
        return (f"{{ uint {name} = 0u; do {self.braces(statement.blocks[0], depth)} "
                f"while (++{name} < {limit}u && {self.expr(statement.exprs[0])}); }}")

    def print_switch(self, statement, depth):
        text = f"switch ({self.expr(statement.exprs[0])}) {{\n"
        for (label, falls), block in zip(statement.info, statement.blocks):
            head = "default" if label is None else f"case {label}u"
            text += f"{INDENT * depth}{head}: {self.braces(block, depth)}{'' if falls else ' break;'}\n"
        return text + INDENT * depth + "}"

    def print_break(self, statement, depth):
        return f"if ({self.expr(statement.exprs[0])}) break;"

    def print_continue(self, statement, depth):
        return f"if ({self.expr(statement.exprs[0])}) continue;"

    def print_block(self, statement, depth):
        return self.braces(statement.blocks[0], depth)

    def expr(self, expr):
        special = getattr(self, f"expr_{expr.op}", None)
        return special(expr) if special else self.operation(expr, [self.expr(arg) for arg in expr.args])

    def expr_literal(self, expr):
        return literal(expr.type, expr.info)

    def expr_field(self, expr):
        return f"{self.expr(expr.args[0])}.{expr.info}"

    def expr_structure(self, expr):
        return f"({expr.type}){{{', '.join(self.expr(arg) for arg in expr.args)}}}"

    def expr_call(self, expr):
        return f"{expr.info}({', '.join(self.expr(arg) for arg in expr.args)})"

    def element(self, place, index):
        """The text of an element of a place: the work-item's own ones, or those that all share."""
        return f"{place.name}[{index}]" if place.own is None else f"{place.name}[{place.own} + {index}]"

    def expr_load(self, expr):
        return self.element(expr.info, self.expr(expr.args[0]))

    def print_store(self, statement, depth):
        index, value = statement.exprs
        return f"{self.element(statement.info, self.expr(index))} = {self.expr(value)};"

    def parameter(self, space, name, kind, length):
        return f"{space}{kind} *{name}" if length else f"{kind} {name}"
