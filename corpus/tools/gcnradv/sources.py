"""Sources: files of GLSL shaders with parameters, to pipelines.

A shader starts with a line `//// NAME KEY=VALUE,VALUE ..`; each combination of values is a shader of its own. In its
text stand KEY (a whole word) or $KEY for the value, and KEY0, KEY1, .. for the parts of a value with slashes. Lines
`@vert`, `@tesc`, `@tese`, `@geom`, `@frag` begin the stages of a pipeline.
"""

import itertools
import re
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Pipeline:
    """Stages by their glslang name (vert, tesc, tese, geom, frag, comp), as GLSL text."""

    name: str
    stages: dict
    options: dict = field(default_factory=dict)


def split_values(text):
    """Splits at commas outside of brackets."""
    values, depth = [""], 0
    for char in text:
        depth += (char in "([") - (char in ")]")
        if char == "," and depth == 0:
            values.append("")
        else:
            values[-1] += char
    return values


def substitute(text, key, value):
    """Puts a value, and its parts, in place of the key."""
    for index, part in enumerate(value.split("/")):
        text = re.sub(rf"\b{key}{index}\b", part, text)
    text = text.replace(f"${key}", value)
    return re.sub(rf"\b{key}\b", value, text)


def plain(value):
    """Returns a value as a part of a file name."""
    names = {"+": "add", "*": "mul", "/": "-"}
    text = "".join(names.get(char, char) for char in value)
    return re.sub(r"[^A-Za-z0-9-]+", "_", text).strip("_")


def instances(header, body):
    """Yields the name and the text of each combination of values."""
    name, *parameters = header.split()
    keys = [p.split("=", 1)[0] for p in parameters]
    choices = [split_values(p.split("=", 1)[1]) for p in parameters]
    for values in itertools.product(*choices):
        text = body
        for key, value in zip(keys, values):
            text = substitute(text, key, value)
        yield "-".join([name, *map(plain, values)]), text


def with_prelude(prelude, text):
    """Returns a complete shader: version, extensions of the text, the prelude, the rest."""
    lines = text.strip("\n").split("\n")
    extensions = [line for line in lines if line.startswith("#extension")]
    rest = [line for line in lines if not line.startswith("#extension")]
    return "\n".join(["#version 450", *extensions, prelude, *rest]) + "\n"


def read(folder):
    """Returns the pipelines of the folder's files: pixel.glsl, vertex.glsl, compute.glsl, pipelines.glsl."""
    folder, pipelines = Path(folder), []
    prelude = (folder / "prelude.glsl").read_text()
    for file, stage in (("vertex", "vert"), ("pixel", "frag"), ("compute", "comp"), ("pipelines", None)):
        for block in (folder / f"{file}.glsl").read_text().split("//// ")[1:]:
            header, body = block.split("\n", 1)
            for name, text in instances(header, body):
                if stage:
                    parts = {stage: text}
                else:
                    pieces = re.split(r"^@(\w+)$", text, flags=re.M)[1:]
                    parts = dict(zip(pieces[::2], pieces[1::2]))
                stages = {key: with_prelude(prelude, part) for key, part in parts.items()}
                pipelines.append(Pipeline(f"{file}-{name}" if stage else name, stages))
    return pipelines
