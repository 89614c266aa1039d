"""Shaders compiled by Mesa's RADV without a GPU: sources, reflection, the driver's cache, files with their sidecars.

`sources` reads corpus/shaders/glsl, `spirv` reads what glslang makes of it, `pipelines` adds the stages that a pipeline
lacks, `driver` runs corpus/tools/radvdump.c and takes the code out of the pipeline cache, `files` writes it.
"""
