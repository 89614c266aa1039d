"""The vector ALU of the model: VOP1, VOP2, VOP3, VOP3P, and compares in SDWA and DPP form.

Like gcnmodel.py it is written from the documents alone; nobody looked at the interpreter or
the JIT.  Arithmetic is on unbounded integers: a finite float is sign * m * 2^e, and every
result is rounded once from the exact value.

    floats     formats, rounding, denormals, NaN rules, OMOD and CLAMP
    arith      float arithmetic, minimum and maximum, division helpers, cube map
    transcend  reciprocal, root, exponential, logarithm, sine
    convert    conversions
    ints       integers and bits
    packed     VOP3P
    rows       every instruction: types, modifiers, function
    forms      fields of the words, decoded
    machine    one instruction on a wave: operands, selection, lanes, writes
    encode     fields to words
    values     lane values that hit the edges
    cases      the vectors of one instruction
"""
