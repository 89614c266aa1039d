"""Programs as data: expressions, statements, functions, kernels."""

import dataclasses

from .kinds import Type


@dataclasses.dataclass
class Expr:
    """An operation on arguments. `info` is what else it needs: a name, bits, components."""

    op: str
    type: Type
    args: list = dataclasses.field(default_factory=list)
    info: object = None


@dataclasses.dataclass
class Stmt:
    """A statement: `kind` says which, `exprs` and `blocks` are its parts. One that is `kept` gives something its first
    value, and reducing must not remove it."""

    kind: str
    exprs: list = dataclasses.field(default_factory=list)
    blocks: list = dataclasses.field(default_factory=list)
    info: object = None
    kept: bool = False


@dataclasses.dataclass
class Struct:
    """A structure: fields are pairs of name and type."""

    name: str
    fields: list


@dataclasses.dataclass
class Function:
    """A function of the program. A parameter is (name, type, length): length 0 is a value, else a private array."""

    name: str
    result: Type
    params: list
    body: list
    value: Expr
    inline: bool
    generic: bool = False


@dataclasses.dataclass
class Buffer:
    """A buffer of a kernel. `role` is in, out, result, or the name of an atomic operation."""

    name: str
    type: Type
    count: int
    role: str
    data: bytes
    space: str = "global"


@dataclasses.dataclass
class Section:
    """Phases with a barrier after each; more than one `rounds` makes a loop with the counter `name`."""

    phases: list
    rounds: int = 1
    name: str = ""


@dataclasses.dataclass
class Kernel:
    """A kernel and its dispatch."""

    name: str
    grid: list
    group: list
    offset: list
    buffers: list = dataclasses.field(default_factory=list)
    values: list = dataclasses.field(default_factory=list)
    state: list = dataclasses.field(default_factory=list)
    arrays: list = dataclasses.field(default_factory=list)
    locals: list = dataclasses.field(default_factory=list)
    sections: list = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Program:
    """A whole source: structures, tables, functions and kernels."""

    seed: int
    structs: list = dataclasses.field(default_factory=list)
    tables: list = dataclasses.field(default_factory=list)
    functions: list = dataclasses.field(default_factory=list)
    kernels: list = dataclasses.field(default_factory=list)
    features: set = dataclasses.field(default_factory=set)


def literal(kind, bits):
    """A literal: a scalar, or all components of a vector."""
    scalar = Expr("literal", kind.times(1), info=bits)
    return scalar if kind.n == 1 else Expr("make", kind, [scalar])


def variable(name, kind):
    return Expr("var", kind, info=name)
