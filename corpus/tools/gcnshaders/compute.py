"""What compute shaders share: registers of a group of one wave, the usual first instructions."""

from .base import dwords
from .pixels import register

FULL = (1 << 64) - 1


def compute(function):
    return register("compute", function)


def of_generations(generations):
    """A compute shader that not all generations have."""
    return lambda function: register("compute", function, generations=generations)


def group(s, *sharps, group_id=(0, 0, 0), push=(), mask=FULL, local=lambda lane: lane):
    """Sets up a group: table of set 0 in s2, push constants from s4, group ids in s8 to s10; v0 = local id."""
    s.execute = mask
    if sharps:
        s.s(2, s.table(*sharps))
    s.s(4, *push)
    s.s(8, *group_id)
    s.v(0, local)


def storage(s, content, size=None):
    """Adds a storage buffer; returns (address, V#)."""
    content = content if isinstance(content, bytes) else dwords(content)
    address = s.data(content)
    return address, s.buffer(address, len(content) if size is None else size)


def sharps(count):
    """The first instructions of a shader: they load V# number k of set 0 into s[16+4k:19+4k]."""
    loads = [f"s_load_dwordx4 s[{16 + 4 * k}:{19 + 4 * k}], s[2:3], off({16 * k})" for k in range(count)]
    return "\n".join(["pointer s3", *loads, "s_waitcnt lgkmcnt(0)", ""])
