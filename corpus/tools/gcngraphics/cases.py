"""Which generator makes the vectors of a row."""

from .access_cases import AccessCases
from .pixel_cases import DirectCases, ExportCases, InterpCases
from .sample_cases import SampleCases

GENERATORS = {"sample": SampleCases, "gather": SampleCases, "lod": SampleCases, "interp": InterpCases,
              "direct": DirectCases, "export": ExportCases}


def cases_of(writer, row, group):
    """The generator of a row's vectors."""
    return GENERATORS.get(row.m.kind, AccessCases)(writer, row, group)
