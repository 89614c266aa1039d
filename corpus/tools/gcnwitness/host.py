"""Compiles and runs the plain C of a program."""

import subprocess

from .plainc import PlainC

CHECKED = ["-O1", "-fsanitize=undefined", "-fno-sanitize-recover"]


class HostError(Exception):
    """The C does not compile, or does not end well: a mistake of the generator."""


def write_inputs(program, folder):
    for kernel in program.kernels:
        for buffer in kernel.buffers:
            (folder / f"{buffer.name}.in").write_bytes(buffer.data)


def expect(program, folder, compiler="gcc", sanitize=False):
    """Runs a program. Leaves inputs (`NAME.in`) and what comes out (`NAME.out`) in a folder."""
    write_inputs(program, folder)
    source, binary = folder / "witness.c", folder / "witness"
    source.write_text(PlainC(program).text())
    how = CHECKED if sanitize else ["-O0"]
    command = [compiler, "-std=gnu11", "-w", "-Wno-psabi", "-ffp-contract=off", *how, "-o", str(binary), str(source),
               "-lm"]
    run(command, 1200)
    run([str(binary), str(folder)], 600)
    binary.unlink()


def run(command, seconds):
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds, check=False)
    except subprocess.TimeoutExpired as error:
        raise HostError(f"{command[0]}: more than {seconds} s") from error
    if done.returncode:
        raise HostError(f"{command[0]}: {done.returncode}\n{done.stderr[:2000]}")
