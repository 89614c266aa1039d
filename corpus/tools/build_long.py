#!/usr/bin/env python3
"""Assemble corpus/bench.s and corpus/loops/*.s, and write their sidecars and corpus/loops/loops.toml.

These programs execute 10^8 to 10^9 instructions, too many for the Python model.  What they
must compute, and how many instructions that takes, comes from bench_expected.c and
loops_expected.c; before anything is written, both are validated against gcnmodel.py with the
loop counts scaled down (bench: -defsym SCALE=1000; loops: other values in s100): result
registers, the rest of the state and the instruction count must agree exactly.

    python3 corpus/tools/build_long.py                  # validate and build everything
    python3 corpus/tools/build_long.py bench hash       # only these
    python3 corpus/tools/build_long.py --check          # write nothing, report differences
    python3 corpus/tools/build_long.py --no-assemble    # keep the .bin files (no llvm-mc needed)

Without llvm-mc there is no scaled-down bench.bin, so that validation is left out then.
"""

import argparse
import pathlib
import random
import re
import struct
import subprocess
import sys
import tempfile

import build_programs as base
from programs import special_floats

CORPUS = base.TOOLS.parent
LOOPS = CORPUS / "loops"
ARCH = "gcn1.4"
MODE = 0x3F0
MAX_INSTS = 2_000_000_000
SCALE = 1000                # of the validation run of bench.s
SHORT_RUNS = (3, 250)       # iterations of the validation runs of a loop

# name: (iterations, instructions per iteration if constant, what it exercises)
TABLE = {
    "hash": (40_000_000, 20, "32-bit shifts, xors, products, literals"),
    "xorshift64": (40_000_000, 17, "64-bit shifts and xors, s_mul_hi_u32, 64-bit sum"),
    "carry-2": (60_000_000, 10, "add/addc and sub/subb chains on 2 and 3 registers"),
    "carry-8": (40_000_000, 19, "addc chains on 8 registers"),
    "carry-16": (20_000_000, 36, "addc and subb chains on 16 registers"),
    "pair-halves": (40_000_000, 17, "64-bit pairs with mixed access to their halves"),
    "bits": (30_000_000, 23, "bit fields, counts, searches, reversal, quad masks"),
    "select": (35_000_000, 20, "min, max, abs, absdiff, cselect, cmov"),
    "minmax": (40_000_000, 15, "minima and maxima, of equal operands too"),
    "network": (40_000_000, 24, "a sorting network of minima and maxima, seldom of equal operands"),
    "primes": (30_000_000, None, "division by multiplying with reciprocals, early exits"),
    "crc32": (20_000_000, None, "a branch for each bit that chooses one of two ways"),
    "search": (2_000_000, None, "an inner loop whose branch chooses one of two ways"),
    "branches": (50_000_000, None, "data-dependent branches, four short paths"),
    "gcd": (3_500_000, None, "an inner loop of unknown length with a branch inside"),
    "nested": (3_000_000, 244, "three nested loops with short blocks"),
    "calls-swappc": (40_000_000, 17, "s_swappc_b64 / s_setpc_b64 with s_getpc_b64 in the loop"),
    "calls-call": (40_000_000, None, "s_call_b64, two levels, early return"),
    "jump-table": (40_000_000, None, "s_setpc_b64 to a computed address"),
    "immediates": (40_000_000, None, "s_movk, s_cmpk, s_addk, s_mulk, s_cmovk"),
    "movrel": (40_000_000, 14, "s_movrels / s_movreld in a ring of 16 registers"),
    "exec-mask": (7_000_000, None, "v_cmp, s_and_saveexec, s_cbranch_execz, s_or exec"),
    "compare-int": (4_000_000, 24, "v_cmp of i32, u32, i64, u64, i16, u16"),
    "compare-float": (4_000_000, 23, "v_cmp of f32 (denormals kept and flushed), f64, f16"),
    "compare-class": (7_000_000, 15, "v_cmp_class of f32, f64, f16"),
    "cmpx-narrow": (6_000_000, 18, "v_cmpx of u32, f32, i64 that narrow EXEC"),
    "collatz": (700_000, None, "an inner loop of unknown length with a branch that chooses one of two ways"),
    "ones": (2_500_000, None, "two inner loops of unknown length that count bits"),
    "crc-mask": (8_000_000, 70, "an inner loop of eight rounds without branches"),
    "fibonacci": (60_000_000, None, "one subtraction that is skipped half of the time"),
    "power": (2_000_000, None, "an inner loop of products, half of which are skipped"),
    "walk": (30_000_000, None, "one of four ways at random, and a seldom branch"),
    "bubble": (1_300_000, None, "s_movrels / s_movreld in two nested loops, exchanges at random"),
    "find": (5_000_000, None, "an inner loop that is left in the middle"),
    "root": (4_000_000, None, "an inner loop of sixteen rounds with a branch at random"),
    "sieve": (65_000, 8_674, "s_movrels / s_movreld of words of bits, two nested loops"),
    "queens": (100_000, 5_251, "a stack of four arrays, indexed with s_movrels / s_movreld"),
    "josephus": (1_800_000, 330, "remainders by subtraction in a loop of known length"),
    "gcd-pairs": (6_000_000, None, "an inner loop with a branch, which the host learns"),
    "product": (3_500_000, None, "two subtractions that are skipped half of the time in an inner loop"),
    "calendar": (25_000_000, None, "counters with seldom branches"),
    "lookup": (12_000_000, None, "s_movrels in an inner loop whose branch chooses one of two ways"),
    "adler": (10_000_000, None, "subtractions that are skipped nearly always, and at random"),
    "runs": (2_000_000, None, "an inner loop with a selection and a seldom branch"),
}


def lane_values():
    """VGPRs of the long programs: v0 u32, v1 f32, v[2:3] i64, v[4:5] f64, v6 a 16-bit number."""
    rng = random.Random("lanes")

    def mixed(width):
        """Random bit patterns, a quarter of them the special floats."""
        special = special_floats(width, "long")
        return [special[k] if k % 4 == 0 else rng.getrandbits(width) for k in range(64)]
    out = {0: [rng.randrange(4_100_000_000) for _ in range(64)], 1: mixed(32)}
    for n, values in ((2, [rng.randrange(-2**33, 2**33) & base.registry.MASK64 for _ in range(64)]),
                      (4, mixed(64))):
        out[n] = [v & base.registry.MASK32 for v in values]
        out[n + 1] = [v >> 32 for v in values]
    out[6] = mixed(16)
    return out


def lanes_of(source):
    """The lane values that a program reads."""
    named = set()
    for line in source.read_text().splitlines():
        for a, b in re.findall(r"\bv\[?(\d+)(?::(\d+))?\]?", line.split(";")[0]):
            named |= set(range(int(a), int(b or a) + 1))
    return {n: v for n, v in lane_values().items() if n in named}


class Expected:
    """Runs one of the C programs."""

    def __init__(self, source, folder):
        self.binary = pathlib.Path(folder) / source.stem
        subprocess.run(["cc", "-O2", "-Wall", "-o", self.binary, source], check=True)
        self.lanes = "".join(f"v{n} {' '.join(map(str, v))}\n" for n, v in lane_values().items())

    def __call__(self, *arguments):
        """Runs the program. Returns (executed instructions, {register: value})."""
        done = subprocess.run([self.binary, *map(str, arguments)], input=self.lanes,
                              capture_output=True, text=True, check=True)
        lines = [line.split() for line in done.stdout.splitlines()]
        registers = {int(name[1:]): int(value) for name, value in lines[1:]}
        return int(lines[0][1]), registers


def whole_state(registers, pc):
    """The whole final state: the macro FINISH clears all registers but the results."""
    return {"sgpr": {**registers, 100: 0}, "vcc": 0, "exec": base.registry.MASK64, "m0": 0, "scc": 0,
            "mode": MODE, "trapsts": 0, "pc": pc}


def validate(model, name, code, state, expected):
    """One short run on the model; returns its final PC."""
    st, result = base.run_model(model, code, ARCH, 0, state, 50_000_000)
    count, registers = expected
    if result.outcome != "ended" or result.instructions != count:
        raise base.BuildError(f"{name}: {result.outcome} after {result.instructions} instructions "
                              f"at pc 0x{st.pc:x}; the C program says {count}")
    actual = base.final_state(st, {100})
    del actual["vgpr"]          # these programs write none
    wanted = whole_state(registers, st.pc)
    if actual != wanted:
        differing = [k for k in wanted if actual[k] != wanted[k]]
        raise base.BuildError(f"{name}: model and C program differ in {differing}\n"
                              f"    model {actual}\n    C     {wanted}")
    return st.pc


def write(path, text, options):
    data = text if isinstance(text, bytes) else text.encode()
    if not options.check:
        path.write_bytes(data)
    elif not path.exists() or path.read_bytes() != data:
        raise base.BuildError(f"{path.name}: differs from what is committed")


def code_of(source, options, symbols=()):
    if options.no_assemble:
        return source.with_suffix(".bin").read_bytes()
    return base.assemble(source, ARCH, symbols)


def finish(source, code, state, expected, pc, by, options):
    count, registers = expected
    comment = ["Made by corpus/tools/build_long.py from " + source.name + ";",
               f"the expected results and the instruction count are those of {by}."]
    text = base.sidecar(comment, ARCH, 0, MAX_INSTS, state, "ended", count,
                        whole_state(registers, pc))
    write(source.with_suffix(".bin"), code, options)
    write(source.with_suffix(".toml"), text, options)
    print("%-16s %12d instructions" % (source.stem, count))


def build_bench(model, folder, options):
    source = CORPUS / "bench.s"
    program = Expected(base.TOOLS / "bench_expected.c", folder)
    state = {"vgpr": lanes_of(source)}
    if not options.no_assemble:
        short = base.assemble(source, ARCH, [("SCALE", SCALE)])
        validate(model, "bench", short, state, program(SCALE))
    code = code_of(source, options)
    if struct.unpack_from("<I", code, len(code) - 4)[0] != 0xBF810000:
        raise base.BuildError("bench: the last instruction is no s_endpgm")
    finish(source, code, state, program(), len(code) - 4, "bench_expected.c", options)


def build_loop(model, program, name, options):
    source = LOOPS / f"{name}.s"
    iterations, per_iteration, _ = TABLE[name]
    code = code_of(source, options)
    lanes = lanes_of(source)

    def state(n):
        return {"sgpr": {100: n}, "vgpr": lanes} if lanes else {"sgpr": {100: n}}
    counts = {}
    for n in SHORT_RUNS:
        expected = program(name, n)
        pc = validate(model, f"{name} ({n} iterations)", code, state(n), expected)
        counts[n] = expected[0]
    few, many = SHORT_RUNS
    slope, rest = divmod(counts[many] - counts[few], many - few)
    constant = rest == 0 and program(name, 2)[0] == counts[few] - slope * (few - 2)
    if per_iteration is not None and not (constant and slope == per_iteration):
        raise base.BuildError(f"{name}: {slope} instructions per iteration, not {per_iteration}")
    finish(source, code, state(iterations), program(name, iterations), pc, "loops_expected.c", options)


def loops_table(program):
    lines = ["# Made by corpus/tools/build_long.py: the single-loop programs of the benchmark suite.",
             "# `instructions` of a run = overhead + iterations * per_iteration where that is constant.", ""]
    for name, (iterations, per_iteration, exercises) in TABLE.items():
        count = program(name, iterations)[0]
        lines += ["[[loop]]", f'name = "{name}"', f'exercises = "{exercises}"',
                  "count_register = 100", f"iterations = {iterations}", f"instructions = {count}"]
        if per_iteration is not None:
            lines += [f"per_iteration = {per_iteration}",
                      f"overhead = {count - iterations * per_iteration}"]
        lines.append("")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", help="bench, or names of loops (default: all)")
    parser.add_argument("--check", action="store_true", help="write nothing, report differences")
    parser.add_argument("--no-assemble", action="store_true", help="use the .bin files as they are")
    options = parser.parse_args()
    import gcnmodel
    if {p.stem for p in LOOPS.glob("*.s")} != set(TABLE):
        sys.exit("corpus/loops and the table in build_long.py differ")
    wanted = options.names or ["bench", *TABLE]
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        loops = Expected(base.TOOLS / "loops_expected.c", folder)
        for name in wanted:
            try:
                if name == "bench":
                    build_bench(gcnmodel, folder, options)
                else:
                    build_loop(gcnmodel, loops, name, options)
            except base.BuildError as e:
                print(e, file=sys.stderr)
                failures += 1
        if not options.names:
            write(LOOPS / "loops.toml", loops_table(loops), options)
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
