"""Compiles the OpenCL C of a program for a chip, and runs it in gcnsim."""

import array
import json
import os
import signal
import subprocess

from .kinds import Type

CHIPS = ("gfx600", "gfx701", "gfx803", "gfx900", "gfx906")
LEVELS = ("-O0", "-O1", "-O2", "-O3")
BITCODE = os.environ.get("GCN_BITCODE", "/usr/lib/x86_64-linux-gnu/amdgcn/bitcode")
ENGINES = (["--jit"], ["--interp"], ["--check"], ["--check", "--hot", "0"], ["--jit", "--hot", "0"])
TYPES = {"char": "i8", "uchar": "u8", "short": "i16", "ushort": "u16", "int": "i32", "uint": "u32", "long": "i64",
         "ulong": "u64", "half": "f16", "float": "f32", "double": "f64"}


class CompileError(Exception):
    """clang refused the source or crashed."""


class NoObject(CompileError):
    """clang 15 took too long, or crashed in a pass that is known for it."""


def targets(program, source):
    """Chips and levels that can run a program: halves need gfx8, generic pointers gfx7."""
    first = "gfx803" if "half" in program.features else "gfx701" if "generic" in program.features else "gfx600"
    every = [(chip, level) for chip in CHIPS[CHIPS.index(first):] for level in LEVELS]
    # These functions of the library have generic pointers, which only the optimiser removes.
    generic = "shuffle(" in source or "vstore" in source
    return [pair for pair in every if pair != ("gfx600", "-O0") or not generic]


def compile_object(source, out, chip, level, version, clang="clang-15"):
    """Compiles a code object. Denormals of binary32 are kept on every chip."""
    command = [clang, "-target", "amdgcn-amd-amdhsa", f"-mcpu={chip}", "-x", "cl", "-cl-std=CL2.0", "-w", "-Xclang",
               "-finclude-default-header", f"--rocm-device-lib-path={BITCODE}", f"-mcode-object-version={version}",
               level, "-ffp-contract=off", "-Xclang", "-fdenormal-fp-math-f32=ieee,ieee",
               "-cl-fp32-correctly-rounded-divide-sqrt", "-fno-crash-diagnostics", "-Wl,-s",
               "-o", str(out), str(source)]
    code, errors = run(command, 240)
    if "Running pass 'SI Fix SGPR copies'" in errors:
        raise NoObject("a crash of clang")
    if code:
        raise CompileError(errors[-3000:])


def run(command, seconds):
    """The exit code and the errors of clang. If it takes too long, the processes that it started end with it."""
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                          start_new_session=True) as clang:
        try:
            _, errors = clang.communicate(timeout=seconds)
        except subprocess.TimeoutExpired as error:
            raise NoObject(f"more than {seconds} s") from error
        finally:
            if clang.poll() is None:
                os.killpg(clang.pid, signal.SIGKILL)
    return clang.returncode, errors


def value_bytes(expr):
    """The bytes of a literal."""
    size = expr.type.bits // 8
    if expr.op == "literal":
        return expr.info.to_bytes(size, "little")
    parts = [value_bytes(arg) for arg in expr.args]
    data = parts[0] * expr.type.n if len(parts) == 1 else b"".join(parts)
    return data + bytes(expr.type.size - len(data))


def check(buffer, folder):
    """The expected content of a buffer. The fourth element of a vector of three may be anything."""
    if buffer.type.n != 3:
        return {"file": f"{buffer.name}.out", "type": TYPES[buffer.type.base]}
    data = (folder / f"{buffer.name}.out").read_bytes()
    kind = Type(buffer.type.base, 1)
    unsigned = TYPES[kind.unsigned.base]
    numbers = array.array({8: "B", 16: "H", 32: "I", 64: "Q"}[kind.bits], data)
    if kind.is_float:
        digits = kind.bits // 4
        values = [f"0x{number:0{digits}x}" for number in numbers]
        unsigned = TYPES[kind.base]
    else:
        values = list(numbers)
    values[3::4] = [None] * (len(values) // 4)
    return {unsigned: values}


def launches(program, folder):
    """The launch file of all kernels."""
    entries = []
    for kernel in program.kernels:
        args = [{"buffer": buffer.name} for buffer in kernel.buffers]
        args += [{"hex": value_bytes(value).hex()} for _, _, value in kernel.values]
        buffers = {buffer.name: {"file": f"{buffer.name}.in"} for buffer in kernel.buffers}
        expected = {buffer.name: check(buffer, folder) for buffer in kernel.buffers if buffer.role != "in"}
        entries.append({"name": kernel.name, "kernel": kernel.name, "grid": kernel.grid, "group": kernel.group,
                        "offset": kernel.offset, "args": args, "buffers": buffers, "max_insts": 1000000000,
                        "expect": {"buffers": expected}})
    return {"launch": entries}


def simulate(gcnsim, target, launch, flags, seconds=1200):
    """Runs gcnsim. Returns the results of all kernels and what else went wrong: exit code and standard error."""
    command = [gcnsim, "run", *flags, "--json", "--launch", str(launch), str(target)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds, check=False)
    except subprocess.TimeoutExpired:
        return [], f"more than {seconds} s"
    results = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    wrong = None if done.returncode in (0, 1) and results else f"exit code {done.returncode}: {done.stderr[-3000:]}"
    return results, wrong

