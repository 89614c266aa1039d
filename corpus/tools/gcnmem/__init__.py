"""The memory instructions of the model: SMRD, SMEM, MUBUF, MTBUF, FLAT, GLOBAL, SCRATCH, DS.

Like gcnmodel.py it is written from the documents alone; nobody looked at the interpreter or
the JIT.  An access of a lane is a list of pieces (place, address, size): `mem`, `lds`, `gds`,
or None where nothing is accessed and 0 is read.

    rows       every instruction: opcodes, and what the name says
    encode     fields to words
    machine    memory, LDS, GDS, registers, and how lanes load, store and update
    atomics    the new value of every atomic operation
    formats    data and number formats
    scalar     SMRD and SMEM
    buffer     descriptors, addresses and range checks; MUBUF and MTBUF
    flat       FLAT, GLOBAL, SCRATCH, apertures and scratch
    ds         LDS, GDS and the exchange between lanes
    execute    one instruction on a machine

    base       what the generators share: settings, registers, the writer
    scalar_cases, buffer_cases, format_cases, flat_cases, ds_cases, lane_cases
               the vectors of one instruction
"""
