"""Runs kernels of AMD GCN GPUs on a CPU.

    import gcnsim, numpy as np
    dev = gcnsim.Device("gfx900")
    module = dev.load(gcnsim.compile('''
        kernel void saxpy(global float *y, global const float *x, float a, int n) {
            int i = get_global_id(0);
            if (i < n) y[i] += a * x[i];
        }''', "gfx900"))
    y, x = np.zeros(1024, np.float32), np.arange(1024, dtype=np.float32)
    run = module["saxpy"]((1024,), (256,), y, x, 2.0, 1024)      # y holds the result
    run.outcome, run.instructions

Device, Module, Kernel, Buffer, Image, Sampler, local: the device, and what kernels get.
Run, Profile, Trace, Step: what a launch gives.
compile: OpenCL C to a code object, by clang.
disasm, lint, diff, batch, main: what the command gcnsim does.
dask: batches on a cluster (gcnsim.dask.run).
Error, Fault: exceptions. How a kernel ended is a value: Run.outcome.
"""

from ._commands import CommandError, batch, command, diff, disasm, lint
from ._compiler import CompileError, compile
from ._gcnsim import (
    Buffer,
    Descriptor,
    Device,
    Error,
    Fault,
    Image,
    Kernel,
    Module,
    Pointer,
    Run,
    Sampler,
    Step,
    Trace,
    __version__,
    local,
)
from ._profile import Profile

__all__ = [
    "Buffer",
    "CommandError",
    "CompileError",
    "Descriptor",
    "Device",
    "Error",
    "Fault",
    "Image",
    "Kernel",
    "Module",
    "Pointer",
    "Profile",
    "Run",
    "Sampler",
    "Step",
    "Trace",
    "__version__",
    "batch",
    "command",
    "compile",
    "diff",
    "disasm",
    "lint",
    "local",
]
