#!/usr/bin/env python3
"""Compares gcnsim with an OpenCL that compiles the same source for the CPU: same inputs, one thread each.

    python3 benches/kernels/pocl.py GCNSIM [--rounds 3] [--only sgemm,aes] [--chip gfx900] [--platform PoCL]

The platform is PoCL (Debian: pocl-opencl-icd) or Intel's runtime (`--platform Intel`; PyPI: intel-opencl-rt and
intel-cmplr-lib-rt, which OCL_ICD_VENDORS and LD_LIBRARY_PATH must name).

Times are CPU times. The platform's is that of the dispatch alone: the kernel was built and run before. gcnsim's includes
compiling and first checks, but not the start of the process. What both leave in their buffers is compared: integers by
bits, floats by a tolerance. Without the platform the script says so and ends well.
"""

import argparse
import array
import ctypes
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import table

FOLDER = pathlib.Path(__file__).resolve().parent
SOURCE = FOLDER / "kernels.cl"
MASK = 0xFFFFFFFFFFFFFFFF
# Type of a launch file: array type code, ctypes type.
TYPES = {"f32": ("f", ctypes.c_float), "f64": ("d", ctypes.c_double), "u32": ("I", ctypes.c_uint32),
         "i32": ("i", ctypes.c_int32)}
# Which results are floats, and the largest difference, as a part of the largest number in the buffer.
FLOATS = {"sgemm": ("f", 1e-5), "dgemm": ("d", 1e-13), "nbody": ("f", 1e-5), "fir": ("f", 1e-5), "spmv": ("f", 1e-5),
          "black_scholes": ("f", 1e-4), "triad": ("f", 1e-6)}


# What the names of platforms contain.
PLATFORMS = {"PoCL": b"Portable Computing Language", "Intel": b"Intel(R) OpenCL"}


class Missing(Exception):
    """The platform is not there."""


def content(spec, size):
    """The bytes of a buffer that a launch file describes."""
    if "random" in spec:
        random = spec["random"]
        code, _ = TYPES[random["type"]]
        count, low, high = size // array.array(code).itemsize, random["min"], random["max"]
        if low == high:
            return array.array(code, [low]) * count
        values, state = array.array(code), random["seed"]
        for _ in range(count):
            state = (state + 0x9E3779B97F4A7C15) & MASK
            z = (state ^ state >> 30) * 0xBF58476D1CE4E5B9 & MASK
            z = (z ^ z >> 27) * 0x94D049BB133111EB & MASK
            z ^= z >> 31
            values.append(low + z % (high - low + 1) if code == "I" else low + (high - low) * ((z >> 11) * 2.0 ** -53))
        return values
    if "hex" in spec:
        return bytearray.fromhex(spec["hex"])
    return bytearray(size)


class Device:
    """A CPU, reached through the C interface of OpenCL."""

    def __init__(self, platform):
        try:
            self.cl = ctypes.CDLL("libOpenCL.so.1")
        except OSError as error:
            raise Missing(error) from error
        for name in ("clCreateContext", "clCreateCommandQueue", "clCreateProgramWithSource", "clCreateKernel",
                     "clCreateBuffer"):
            getattr(self.cl, name).restype = ctypes.c_void_p
        self.device, self.version = self.find(PLATFORMS[platform])
        error = ctypes.c_int()
        self.context = ctypes.c_void_p(self.cl.clCreateContext(None, 1, ctypes.byref(self.device), None, None,
                                                               ctypes.byref(error)))
        self.check("clCreateContext", error.value)
        queue = self.cl.clCreateCommandQueue(self.context, self.device, ctypes.c_uint64(0), ctypes.byref(error))
        self.check("clCreateCommandQueue", error.value)
        self.queue = ctypes.c_void_p(queue)
        text = ctypes.c_char_p(SOURCE.read_bytes())
        program = self.cl.clCreateProgramWithSource(self.context, 1, ctypes.byref(text), None, ctypes.byref(error))
        self.check("clCreateProgramWithSource", error.value)
        self.program = ctypes.c_void_p(program)
        self.call("clBuildProgram", self.program, 1, ctypes.byref(self.device), b"-cl-std=CL1.2", None, None)

    def find(self, wanted):
        """The device of the platform whose name contains `wanted`, and the version of its driver."""
        count = ctypes.c_uint()
        platforms = (ctypes.c_void_p * 16)()
        if self.cl.clGetPlatformIDs(16, platforms, ctypes.byref(count)) != 0:
            raise Missing("no OpenCL platform")
        for platform in platforms[:count.value]:
            name, device = ctypes.create_string_buffer(256), ctypes.c_void_p()
            self.cl.clGetPlatformInfo(ctypes.c_void_p(platform), 0x0902, ctypes.c_size_t(256), name, None)
            found = self.cl.clGetDeviceIDs(ctypes.c_void_p(platform), ctypes.c_uint64(2), 1, ctypes.byref(device), None)
            if wanted in name.value and found == 0:
                self.cl.clGetDeviceInfo(device, 0x102D, ctypes.c_size_t(256), name, None)
                return device, name.value.decode()
        raise Missing("no such platform")

    def name(self):
        text = ctypes.create_string_buffer(256)
        self.call("clGetDeviceInfo", self.device, 0x102B, ctypes.c_size_t(256), text, None)
        return text.value.decode()

    def check(self, what, error):
        if error:
            sys.exit(f"{what}: error {error}")

    def call(self, name, *arguments):
        self.check(name, getattr(self.cl, name)(*arguments))

    def move(self, name, buffer, data):
        """Reads or writes a whole buffer."""
        view = (ctypes.c_char * len(data)).from_buffer(data)
        self.call(name, self.queue, buffer, 1, ctypes.c_size_t(0), ctypes.c_size_t(len(data)), view, 0, None, None)

    def run(self, launch, inputs, rounds):
        """Buffers after a launch, and the best CPU time of the dispatch in seconds."""
        error = ctypes.c_int()
        kernel = ctypes.c_void_p(self.cl.clCreateKernel(self.program, launch["kernel"].encode(), ctypes.byref(error)))
        self.check("clCreateKernel", error.value)
        buffers = {}
        for name, data in inputs.items():
            size = ctypes.c_size_t(len(data))
            made = self.cl.clCreateBuffer(self.context, ctypes.c_uint64(1), size, None, ctypes.byref(error))
            self.check("clCreateBuffer", error.value)
            buffers[name] = ctypes.c_void_p(made)
        for index, arg in enumerate(launch["args"]):
            (kind, value), = arg.items()
            value = buffers[value] if kind == "buffer" else TYPES[kind][1](value)
            self.call("clSetKernelArg", kernel, index, ctypes.c_size_t(ctypes.sizeof(value)), ctypes.byref(value))
        sizes = [(ctypes.c_size_t * 3)(*launch[key]) for key in ("grid", "group")]
        times = []
        for _ in range(rounds + 1):
            for name, data in inputs.items():
                self.move("clEnqueueWriteBuffer", buffers[name], data)
            start = time.process_time()
            self.call("clEnqueueNDRangeKernel", self.queue, kernel, len(launch["grid"]), None, *sizes, 0, None, None)
            self.call("clFinish", self.queue)
            times.append(time.process_time() - start)
        outputs = {name: bytearray(len(data)) for name, data in inputs.items()}
        for name, data in outputs.items():
            self.move("clEnqueueReadBuffer", buffers[name], data)
        for buffer in buffers.values():
            self.call("clReleaseMemObject", buffer)
        # The first run compiles the kernel for groups of this size.
        return outputs, min(times[1:])


def differences(name, ours, theirs):
    """The differences of a buffer in words; nothing if it agrees."""
    if name not in FLOATS:
        return None if ours == theirs else "the bits differ"
    code, part = FLOATS[name]
    ours, theirs = array.array(code, bytes(ours)), array.array(code, bytes(theirs))
    most = max(map(abs, theirs))
    worst = max(abs(a - b) if a == a and b == b else float("inf") for a, b in zip(ours, theirs))
    return None if worst <= part * most else f"differences up to {worst:g}, numbers up to {most:g}"


def compare(device, launch, options, folder):
    """The seconds that gcnsim and the platform take for a launch, if their results agree."""
    name = launch["name"]
    dumps = [word for buffer in launch["buffers"] for word in ("--dump-buffer", f"{buffer}={folder / buffer}")]
    results = [table.run(options.gcnsim, options.chip, name, dumps) for _ in range(options.rounds)]
    after = {buffer: bytearray((folder / buffer).read_bytes()) for buffer in launch["buffers"]}
    result = results[0][0]
    changed = {buffer for buffer, of in result["buffers"].items() if of["changed"]}
    inputs = {}
    for buffer, spec in launch["buffers"].items():
        fresh = content(spec, len(after[buffer])) if buffer in changed else after[buffer]
        inputs[buffer] = bytearray(bytes(fresh))
    outputs, seconds = device.run(launch, inputs, options.rounds)
    for buffer in launch["buffers"]:
        is_input = buffer not in changed
        wrong = differences("" if is_input else name, after[buffer], outputs[buffer])
        if wrong:
            sys.exit(f"{name}: buffer {buffer}: {wrong}")
    return result["instructions"], table.best(results), seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("gcnsim")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", help="names of launches, separated by commas")
    parser.add_argument("--chip", choices=["gfx803", "gfx900"], default="gfx900")
    parser.add_argument("--platform", choices=list(PLATFORMS), default="PoCL")
    options = parser.parse_args()
    # PoCL reads the one variable, Intel's runtime the other.
    os.environ.update(POCL_MAX_PTHREAD_COUNT="1", DPCPP_CPU_NUM_CUS="1")
    name = options.platform
    try:
        device = Device(name)
    except Missing as missing:
        print(f"skipped: there is no platform of {name} ({missing})", file=sys.stderr)
        return
    print(f"{options.chip} against {name} {device.version} on {device.name()}, one thread each, "
          f"best of {options.rounds}\n")
    print(f"| kernel | wave instructions | gcnsim, ms | {name}, ms | gcnsim / {name} |\n|---|--:|--:|--:|--:|")
    ratios, speeds, marks = [], [], []
    for launch in json.loads((FOLDER / "kernels.json").read_text())["launch"]:
        if options.only and launch["name"] not in options.only.split(","):
            continue
        with tempfile.TemporaryDirectory() as folder:
            instructions, ours, theirs = compare(device, launch, options, pathlib.Path(folder))
        ratios.append(ours / theirs)
        speeds.append(instructions / ours / 1e6)
        marks.append(instructions / theirs / 1e6)
        print(f"| {launch['name']} | {instructions:,} | {ours * 1e3:.1f} | {theirs * 1e3:.1f} | {ratios[-1]:.2f} |",
              flush=True)
    ours, theirs, ratio = (table.mean(values) for values in (speeds, marks, ratios))
    print(f"| geometric mean | | {ours:.1f} M/s | {theirs:.1f} M/s | {ratio:.2f} |")


if __name__ == "__main__":
    main()
