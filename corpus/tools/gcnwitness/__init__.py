"""Random OpenCL C kernels, printed twice: as OpenCL C for clang, and as plain C that computes the expected results.

`kinds` knows types, `integers`, `floats` and `shapes` are the table of operations, `tree` has programs as data,
`expressions`, `statements` and `program` draw them, `opencl` and `plainc` print them, `device` and `host` run them,
`campaign` compares, `reduce` makes a finding small.
"""
