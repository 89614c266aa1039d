"""Images, interpolation and exports of the model: MIMG, VINTRP and its VOP3 forms, LDS_DIRECT, EXP.

Like gcnmodel.py it is written from the documents alone; nobody looked at the interpreter or
the JIT, and neither executed these instructions when it was written.  Registers, memory and
lanes are those of gcnmem; components of buffer formats are converted by gcnmem.formats,
interpolation multiplies and adds with gcnvalu.arith.  Filtering is exact: weights are
multiples of 1/256, texels fractions, and the sum is rounded once.

    rows         every instruction: opcodes, and what the name says
    encode       fields to words
    descriptors  T# and S#, both ways
    formats      a texel as components, and back
    blocks       BC1 to BC7
    layout       where a texel lies
    access       loads, stores, atomics, sizes
    footprint    which texels a coordinate meets: wrap modes, weights, cubes
    lod          levels of detail
    sampling     sample, gather, get_lod
    interp       interpolation and LDS_DIRECT
    export       exports
    execute      one instruction on a machine

    base         what the generators share
    image_cases, access_cases, sample_cases, pixel_cases
                 the vectors of one instruction

What was compared with what: test_gcngraphics.py says it in its head.
"""
