"""Which generator makes the vectors of a row."""

from .buffer_cases import BufferCases
from .ds_cases import DsCases
from .flat_cases import FlatCases
from .format_cases import FormatCases
from .lane_cases import LaneCases
from .scalar_cases import ScalarCases

GENERATORS = {"SMRD": ScalarCases, "SMEM": ScalarCases, "MUBUF": BufferCases, "MTBUF": FormatCases, "DS": DsCases,
              "FLAT": FlatCases, "GLOBAL": FlatCases, "SCRATCH": FlatCases}
LANES = ("swizzle", "permute", "bpermute", "append", "consume", "read_addtid", "write_addtid")


def cases_of(writer, row, group):
    """The generator of a row's vectors."""
    generator = GENERATORS[row.encoding]
    if row.encoding == "DS" and row.m.kind in LANES:
        generator = LaneCases
    if row.encoding == "MUBUF" and row.m.comps:
        generator = FormatCases
    return generator(writer, row, group)
