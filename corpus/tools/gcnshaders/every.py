"""All shaders: (name, stage, function).  Numbers of vectors count by stage, in this order."""

from . import (compute_algorithms, compute_buffers, compute_images, compute_shared, compute_special,  # noqa: F401
               pixel_color, pixel_control, pixel_masks, pixel_resources, pixel_sampling, pixel_texture, vertex_fetch,
               vertex_stages, vertex_transform)
from .base import GENERATIONS, Shader
from .pixels import REGISTRY

STAGES = ("pixel", "vertex", "compute")


def every():
    return [item for stage in STAGES for item in REGISTRY if item[1] == stage]


def generations(function):
    """The generations that a shader is written for."""
    return [arch for arch, gen in GENERATIONS.items() if str(gen) in function.generations]


def vectors(arch, only=None):
    """The vectors of a generation, by stage."""
    out, numbers = {stage: [] for stage in STAGES}, dict.fromkeys(STAGES, 0)
    for name, stage, function in every():
        number = numbers[stage]
        numbers[stage] += 1
        if arch not in generations(function) or only and name not in only:
            continue
        out[stage].append(vector(arch, name, stage, function, number))
    return out


def vector(arch, name, stage, function, number):
    s = Shader(arch, name, stage)
    function(s)
    return s.vector(number)
