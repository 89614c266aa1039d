"""Pipelines with all their stages: SPIR-V by glslang, stages that are missing, and the job for the driver."""

import hashlib
import os
import re
import subprocess
import zlib
from pathlib import Path

from . import spirv
from .sources import Pipeline

STAGE_BITS = {"vert": 1, "tesc": 2, "tese": 4, "geom": 8, "frag": 16, "comp": 32}
# Vulkan's numbers of formats, by base type and number of components; a vertex attribute takes one of them.
ATTRIBUTES = {
    ("float", 4): [109, 109, 97, 37, 92, 64],
    ("float", 3): [106],
    ("float", 2): [103, 103, 83, 77],
    ("float", 1): [100, 76],
    ("int", 4): [108, 42],
    ("int", 3): [105],
    ("int", 2): [102, 82],
    ("int", 1): [99],
    ("uint", 4): [107, 41],
    ("uint", 3): [104],
    ("uint", 2): [101, 81],
    ("uint", 1): [98],
}
COLOURS = {"float": [37, 97, 109, 44, 103, 91], "int": [108, 42, 96], "uint": [107, 41, 95]}
TARGET = "vulkan1.2"


class NoPipeline(Exception):
    """A pipeline that cannot be made; the text says why."""


def compile_stage(text, stage, folder, extra=()):
    """Returns SPIR-V of a GLSL text; kept in the folder by its hash. Raises NoPipeline with glslang's words."""
    key = hashlib.sha256("\0".join([stage, *extra, text]).encode()).hexdigest()[:24]
    out = Path(folder) / f"{key}.spv"
    if out.exists():
        return out
    bad = Path(folder) / f"{key}.bad"
    if bad.exists():
        raise NoPipeline(bad.read_text())
    source = Path(folder) / f"{key}.{stage}"
    source.write_text(text)
    part = Path(folder) / f"{key}.part"
    command = [
        "glslangValidator",
        "-V",
        "--target-env",
        TARGET,
        "--quiet",
        *extra,
        "-S",
        stage,
        "-o",
        str(part),
        str(source),
    ]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace")
    source.unlink()
    if done.returncode or not part.exists():
        lines = [line for line in done.stdout.split("\n") if line.startswith("ERROR")]
        bad.write_text(lines[0] if lines else f"glslang: {done.returncode}")
        raise NoPipeline(bad.read_text())
    os.rename(part, out)
    return out


def glsl_type(variable):
    """Returns the GLSL name of a variable's type, without its array."""
    prefix = {"float": "", "int": "i", "uint": "u"}[variable.base]
    if variable.bits == 64:
        prefix = "d"
    if variable.columns > 1:
        return f"{prefix}mat{variable.columns}x{variable.rows}"
    if variable.rows > 1:
        return f"{prefix}vec{variable.rows}"
    return "double" if variable.bits == 64 else variable.base


def declare(variable, direction, name):
    """Returns the GLSL declaration of an interface variable."""
    flat = "flat " if variable.base != "float" or variable.bits == 64 else ""
    component = f", component = {variable.component}" if variable.component else ""
    array = f"[{variable.count}]" if variable.count > 1 else ""
    return f"layout(location = {variable.location}{component}) {flat}{direction} {glsl_type(variable)} {name}{array};"


def vertex_for(inputs):
    """Returns a vertex shader that feeds a pixel shader's inputs from an attribute each."""
    lines = ["#version 450", "layout(location = 0) in vec4 position;"]
    body = ["gl_Position = position;"]
    for index, variable in enumerate(inputs):
        if variable.bits != 32:
            raise NoPipeline("pixel input that is not of 32 bits")
        lines += [declare(variable, "out", f"o{index}")]
        base = {"float": "vec4", "int": "ivec4", "uint": "uvec4"}[variable.base]
        lines += [f"layout(location = {index + 1}) in {base} a{index};"]
        one = f"{base}(a{index})" if base != "vec4" else f"a{index}"
        swizzle = "xyzw"[: variable.rows]
        value = f"{one}.{swizzle}"
        if variable.columns > 1:
            value = f"{glsl_type(variable)}({', '.join([value] * variable.columns)})"
        for element in range(variable.count):
            body += [f"o{index}{f'[{element}]' if variable.count > 1 else ''} = {value};"]
    return "\n".join([*lines, "void main() {", *body, "}"]) + "\n"


def pixel_for(outputs):
    """Returns a pixel shader that uses all outputs of the stage before it, so that the driver keeps them."""
    lines = ["#version 450", "layout(location = 0) out vec4 c;"]
    body = ["c = vec4(0);"]
    for index, variable in enumerate(outputs):
        if variable.bits != 32:
            raise NoPipeline("output that is not of 32 bits")
        lines += [declare(variable, "in", f"i{index}")]
        for element in range(variable.count):
            for column in range(variable.columns):
                name = f"i{index}"
                name += f"[{element}]" if variable.count > 1 else ""
                name += f"[{column}]" if variable.columns > 1 else ""
                body += [
                    f"c += vec4({name}{', 0' * (4 - variable.rows)});" if variable.rows > 1 else f"c += vec4({name});"
                ]
    return "\n".join([*lines, "void main() {", *body, "}"]) + "\n"


def pick(choices, *key):
    """Chooses by a hash of the key."""
    return choices[zlib.crc32(repr(key).encode()) % len(choices)]


def complete(pipeline, folder, extra=()):
    """Compiles the stages of a pipeline and adds the missing ones. Returns {stage: (path, interface)}."""
    compiled = {}
    for stage, text in pipeline.stages.items():
        path = text if isinstance(text, Path) else compile_stage(text, stage, folder, extra)
        compiled[stage] = (path, spirv.reflect(Path(path).read_bytes(), stage))
    if "comp" in compiled:
        return compiled
    if "vert" not in compiled:
        path = compile_stage(vertex_for(compiled["frag"][1].inputs), "vert", folder)
        compiled["vert"] = (path, spirv.reflect(path.read_bytes(), "vert"))
    if "frag" not in compiled:
        last = next(stage for stage in ("geom", "tese", "vert") if stage in compiled)
        path = compile_stage(pixel_for(compiled[last][1].outputs), "frag", folder)
        compiled["frag"] = (path, spirv.reflect(path.read_bytes(), "frag"))
    return compiled


def topology(pipeline):
    """Returns Vulkan's topology that the geometry shader's input wants; patches for tessellation."""
    if "tesc" in pipeline.stages:
        return 10
    text = pipeline.stages.get("geom", "")
    kinds = {"points": 0, "lines": 1, "triangles": 3, "lines_adjacency": 6, "triangles_adjacency": 8}
    found = re.search(r"layout\s*\(\s*(\w+)[^)]*\)\s*in\s*;", text) if isinstance(text, str) else None
    return kinds.get(found.group(1), 3) if found else 3


def job(pipeline, compiled, optimise):
    """Returns the lines that corpus/tools/radvdump.c reads."""
    patch = pipeline.options.get("patch", 4 if "vertices = 4" in str(pipeline.stages.get("tesc")) else 3)
    depth = int(
        "gl_FragDepth" in str(pipeline.stages.get("frag")) or "gl_FragStencil" in str(pipeline.stages.get("frag"))
    )
    samples = 4 if "gl_Sample" in str(pipeline.stages.get("frag")) else 1
    lines = [f"pipeline {pipeline.name} {int(optimise)} {topology(pipeline)} {patch} {depth} {samples}"]
    bindings, push = {}, False
    for stage in STAGE_BITS:
        if stage in compiled:
            path, interface = compiled[stage]
            lines.append(f"stage {STAGE_BITS[stage]} {path}")
            bindings.update(interface.bindings)
            push = push or interface.push
    for (index, binding), (kind, count) in sorted(bindings.items()):
        if index < 8 and count <= 4096:
            lines.append(f"binding {index} {binding} {kind} {count}")
    if push:
        lines.append("push 128")
    if "vert" in compiled:
        for variable in compiled["vert"][1].inputs:
            if variable.bits != 32:
                raise NoPipeline("attribute that is not of 32 bits")
            for at in range(variable.count * variable.columns):
                location = variable.location + at
                fmt = pick(ATTRIBUTES[variable.base, variable.rows], pipeline.name, location)
                rate = int(at == 0 and location in pipeline.options.get("instance", ()))
                lines.append(f"attr {location} {fmt} 16 {rate}")
        colours = {}
        for variable in compiled["frag"][1].outputs:
            for at in range(variable.count):
                colours[variable.location + at] = pick(COLOURS[variable.base], pipeline.name, variable.location + at)
        for location in range(min(max(colours, default=-1) + 1, 8)):
            lines.append(f"color {colours.get(location, 0)}")
    lines.append("end")
    return "\n".join(lines) + "\n"


__all__ = ["NoPipeline", "Pipeline", "complete", "compile_stage", "job"]
