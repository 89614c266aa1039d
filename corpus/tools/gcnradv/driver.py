"""Runs RADV without a GPU and takes shaders out of its pipeline cache (layout of Mesa 22.3)."""

import os
import struct
import subprocess
from dataclasses import dataclass

# Chips that the driver's null device can be: name for RADV_FORCE_FAMILY, generation.
CHIPS = {
    "tahiti": "gcn1.0",
    "pitcairn": "gcn1.0",
    "bonaire": "gcn1.1",
    "hawaii": "gcn1.1",
    "polaris10": "gcn1.2",
    "fiji": "gcn1.2",
    "tonga": "gcn1.2",
    "stoney": "gcn1.2",
    "vega10": "gcn1.4",
    "raven": "gcn1.4",
    "vega20": "gcn1.4.1",
}
HEADER = 32  # VkPipelineCacheHeaderVersionOne
STAGES = 14  # slots of an entry of the cache
ENTRY = 20 + 4 * STAGES + 4 + 8 * STAGES + 8  # hash, sizes, stacks, pointers
CONFIG = 12  # behind type, stage and whether it is a copy shader
DATA = 1324  # where statistics and code of ACO begin
ELF = 1312  # where LLVM's object begins, behind its size and another one
VERTEX, CONTROL, EVALUATION, GEOMETRY, FRAGMENT, COMPUTE = range(6)


@dataclass
class Shader:
    """A shader as the driver made it: its stage as the hardware has it, config words, code with its constants."""

    stage: str
    rsrc1: int
    rsrc2: int
    ps_input_ena: int
    ps_input_addr: int
    lds_bytes: int
    scratch_bytes_per_lane: int
    exec_size: int
    code: bytes
    elf: bytes = b""


def hardware_stage(stage, is_copy, present):
    """Returns the name of the hardware's stage. `present`: stages of the pipeline, as numbers."""
    if is_copy:
        return "copy"
    if stage == VERTEX:
        return "local" if CONTROL in present else "export" if GEOMETRY in present else "vertex"
    if stage == EVALUATION:
        return "export" if GEOMETRY in present else "evaluation"
    return {CONTROL: "hull", GEOMETRY: "geometry", FRAGMENT: "pixel", COMPUTE: "compute"}[stage]


def shaders_of(data, arch, present):
    """Yields the shaders in the data of a pipeline cache."""
    at = HEADER
    while at < len(data):
        sizes = struct.unpack_from(f"<{STAGES}I", data, at + 20)
        start, at = at, at + ENTRY
        for size in sizes:
            if size == 0:
                continue
            binary = data[at : at + size]
            at += size
            kind, stage, is_copy = struct.unpack_from("<IIB", binary)
            config = struct.unpack_from("<13I", binary, CONFIG)
            unit = 256 if arch == "gcn1.0" else 512
            words = (config[10], config[11], config[6], config[7], config[5] * unit, config[9] // 64)
            stage = hardware_stage(stage, is_copy, present)
            if kind == 1:
                elf = binary[ELF : ELF + struct.unpack_from("<I", binary, ELF - 8)[0]]
                yield Shader(stage, *words, 0, b"", elf)
                continue
            total, _, code_size, exec_size, _, _, statistics = struct.unpack_from("<7I", binary, DATA - 28)
            if kind != 0 or total != size or code_size % 4 or DATA + statistics + code_size > size:
                raise ValueError("another layout of the cache than Mesa 22.3's")
            code = binary[DATA + statistics : DATA + statistics + code_size]
            yield Shader(stage, *words, exec_size, code)
        at = start + (at - start + 7 & ~7)


class Driver:
    """One chip. `program` is the path of the compiled radvdump.c."""

    def __init__(self, program, chip, environment=None):
        self.program, self.chip = program, chip
        self.environment = {
            **os.environ,
            "RADV_FORCE_FAMILY": chip,
            "MESA_SHADER_CACHE_DISABLE": "true",
            "VK_ICD_FILENAMES": "/usr/share/vulkan/icd.d/radeon_icd.x86_64.json",
            **(environment or {}),
        }

    def compile(self, jobs):
        """Yields (index, data) for jobs in order; data is None where the driver refuses or dies."""
        start = 0
        while start < len(jobs):
            done = subprocess.run(
                [self.program],
                input="".join(jobs[start:]).encode(),
                env=self.environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
            out, at = done.stdout, 0
            while at < len(out):
                end = out.index(b"\n", at)
                line = out.index(b"\n", end + 1)
                result, size = map(int, out[end + 1 : line].split())
                if line + 1 + size > len(out):
                    break
                yield start, out[line + 1 : line + 1 + size] if result == 0 else None
                at = line + 1 + size
                start += 1
            if start < len(jobs):
                yield start, None
                start += 1
