"""Whole shaders of our own making as conformance vectors: pixel, vertex and compute, in the style of ACO and LLVM.

A shader is a Python function.  It sets up what a driver would (registers, descriptors, textures), has the text of
the code, and computes from the meaning of the shader, in floats and integers, what it exports and stores.  No
instruction is executed for that.  What is taken from the models: where texels lie and what their bits mean
(gcngraphics), what bits of vertex attributes mean (gcnmem.formats).

    assemble     text to words: one text for all generations, with a few macros
    base         registers, memory, exports, the vector
    images       textures, their descriptors, filtering
    pixels       pixels and attributes: pixel_color, pixel_masks, pixel_control, pixel_texture, pixel_sampling,
                 pixel_resources
    vertices     vertex buffers: vertex_fetch, vertex_transform, vertex_stages
    compute      what compute shaders share: compute_buffers, compute_shared, compute_images, compute_algorithms,
                 compute_special
    every        the list of all shaders
    models       runs a program on the models: for tests, not for expected values
"""
