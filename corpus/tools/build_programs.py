#!/usr/bin/env python3
"""Assemble corpus/programs/*.s and write the sidecars with the expected results.

For each source and each generation of its `; generations:` line:

1. llvm-mc assembles it; .text becomes NAME.bin, or NAME-gcnX.Y.bin if there are several.
2. The plain algorithm of programs.py computes what the result registers must hold.
3. gcnmodel.py, the independent model of the instruction set, runs the binary and gives
   the whole final state and the number of executed instructions. Programs with a long loop
   it runs for a few rounds only; see `run_rounds`.
4. The two must agree on every register that the algorithm names; then the sidecar is written.

    python3 corpus/tools/build_programs.py                  # build everything
    python3 corpus/tools/build_programs.py gcd crc32        # only these
    python3 corpus/tools/build_programs.py --check          # write nothing, report differences
    python3 corpus/tools/build_programs.py --no-assemble    # keep the .bin files (no llvm-mc needed)
"""

import argparse
import pathlib
import struct
import subprocess
import sys
import tempfile

import programs as registry
import wave_bytes       # noqa: F401  these register their programs
import wave_floats      # noqa: F401
import wave_integers    # noqa: F401
import wave_more        # noqa: F401

TOOLS = pathlib.Path(__file__).resolve().parent
PROGRAMS = TOOLS.parent / "programs"
CPU = {"gcn1.0": "gfx600", "gcn1.1": "gfx700", "gcn1.2": "gfx803", "gcn1.4": "gfx900", "gcn1.4.1": "gfx906"}
GENERATION = {"gcn1.0": 10, "gcn1.1": 11, "gcn1.2": 12, "gcn1.4": 14, "gcn1.4.1": 141}
MAX_INSTS = 1_000_000       # of a small program: a safety net, not an expectation
ROUNDS = (2, 3, 7)          # that the model runs of a program with a long loop


class BuildError(Exception):
    pass


# --- assembling --------------------------------------------------------------------

def assemble(source, arch, symbols=()):
    """The bytes of .text that llvm-mc makes of a source file."""
    with tempfile.TemporaryDirectory() as folder:
        output = pathlib.Path(folder) / "a.o"
        command = ["llvm-mc", "-arch=amdgcn", f"-mcpu={CPU[arch]}", "-filetype=obj",
                   f"-I={PROGRAMS / 'include'}", f"-defsym=GCN={GENERATION[arch]}",
                   *(f"-defsym={name}={value}" for name, value in symbols),
                   str(source), "-o", str(output)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise BuildError(f"{source.name} for {arch}:\n{done.stderr}")
        return text_section(output.read_bytes(), source.name)


def text_section(elf, name):
    """.text of a little-endian ELF64 object that needs no relocation."""
    table, = struct.unpack_from("<Q", elf, 0x28)
    count, names = struct.unpack_from("<HH", elf, 0x3C)
    sections = [struct.unpack_from("<IIQQQQIIQQ", elf, table + 64 * i) for i in range(count)]
    text = b""
    for section in sections:
        start = sections[names][4] + section[0]
        title = elf[start:elf.index(b"\0", start)]
        if title == b".text":
            text = elf[section[4]:section[4] + section[5]]
        if title == b".rel.text" or title == b".rela.text":
            raise BuildError(f"{name}: needs relocations (a symbol is used before it is set?)")
    return text


def generations(source):
    for line in source.read_text().splitlines():
        if line.startswith("; generations:"):
            return line.split(":")[1].split()
    raise BuildError(f"{source.name}: no '; generations:' line")


# --- sidecars ----------------------------------------------------------------------

def number(value):
    return str(value) if value < 100_000 else f"0x{value:08x}"


def toml_state(state):
    """The lines of a state table (contract: the keys of the state JSON)."""
    lines = []
    if state.get("sgpr"):
        items = ", ".join(f'"{n}" = {number(v)}' for n, v in sorted(state["sgpr"].items()))
        lines.append(f"sgpr = {{{items}}}")
    for key in ("vcc", "exec"):
        if key in state:
            lines.append(f'{key} = "0x{state[key]:x}"')
    for key in ("m0", "scc", "mode", "trapsts"):
        if key in state:
            lines.append(f"{key} = {number(state[key])}")
    if "pc" in state:
        lines.append(f'pc = "0x{state["pc"]:x}"')
    if state.get("vgpr"):
        lanes = ", ".join(f'"{n}" = [{", ".join(map(number, v))}]'
                          for n, v in sorted(state["vgpr"].items()))
        lines.append(f"vgpr = {{{lanes}}}")
    return lines


def sidecar(comment, arch, entry, max_insts, state, outcome, instructions, expected):
    lines = [f"# {line}" for line in comment] + [f'arch = "{arch}"']
    if entry:
        lines.append(f"entry = {entry}")
    lines.append(f"max_insts = {max_insts}")
    if any(state.values()):
        lines += ["", "[state]", *toml_state(state)]
    lines += ["", "[expect]", f'outcome = "{outcome}"', f"instructions = {instructions}",
              "", "[expect.state]", *toml_state(expected)]
    return "\n".join(lines) + "\n"


def json_state(state):
    """The registry's state with its integer keys as the state JSON wants them."""
    out = dict(state)
    for bank in ("sgpr", "vgpr"):
        out[bank] = {str(n): v for n, v in state.get(bank, {}).items()}
    return out


def final_state(st, named):
    """All non-zero registers, those in `named` even if zero (VGPRs as "v5"), and the special ones."""
    special = {106, 107, 124, 126, 127}
    return {
        "sgpr": {n: v for n, v in enumerate(st.sgpr) if (v or n in named) and n not in special},
        "vgpr": {n: lanes for n, lanes in st.vgpr.items() if any(lanes) or f"v{n}" in named},
        "vcc": st.read64(106), "exec": st.read64(126), "m0": st.sgpr[124],
        "scc": int(st.scc), "mode": st.mode, "trapsts": st.trapsts, "pc": st.pc,
    }


# --- running -----------------------------------------------------------------------

def run_model(model, code, arch, entry, state, max_insts):
    words = [w for w, in struct.iter_unpack("<I", code)]
    st = model.State.initial(arch, entry)
    st.load(json_state(state))
    result = model.run(model.Program(words, arch), st, max_insts)
    return st, result


def vgpr_number(key):
    """The number in the name of a VGPR, 5 of "v5"; None for the other keys of an algorithm's result."""
    return int(key[1:]) if isinstance(key, str) and key[0] == "v" and key[1:].isdigit() else None


def store(st, wanted):
    """Write the algorithm's result into a state."""
    for key, value in wanted.items():
        if vgpr_number(key) is not None:
            st.vgpr[vgpr_number(key)] = list(value)
        elif isinstance(key, int):
            st.sgpr[key] = value
        else:
            raise BuildError(f"{key} must not depend on the number of rounds")


def run_checked(model, code, arch, program, state):
    """The model's final state and result, and the algorithm's result, after checking that they agree."""
    st, result = run_model(model, code, arch, program.entry, state, program.max_insts or MAX_INSTS)
    if result.outcome != program.outcome or result.detail.get("kind") != program.kind:
        raise BuildError(f"{result.outcome} {result.detail} at pc 0x{st.pc:x}, "
                         f"expected {program.outcome} {program.kind or ''}")
    wanted = program.algorithm(registry.Case(state, GENERATION[arch]))
    found = differences(st, wanted)
    if found:
        raise BuildError("model and algorithm disagree\n    " + "\n    ".join(found))
    return st, result.instructions, wanted


def run_rounds(model, code, arch, program):
    """The same of a program with a long loop.

    The model runs it for a few small numbers of rounds.  The count must grow by the same amount each round,
    and what the algorithm does not name must not depend on the rounds at all; then both hold for the real number.
    """
    def with_rounds(n):
        return program.state | {"sgpr": program.state["sgpr"] | {program.rounds: n}}
    rests, counts, doubts = [], [], set()
    for n in ROUNDS:
        st, count, wanted = run_checked(model, code, arch, program, with_rounds(n))
        counts.append(count)
        doubts |= st.doubts
        rest = final_state(st, ())
        for key in wanted:
            rest["sgpr"].pop(key, None)
            rest["vgpr"].pop(vgpr_number(key), None)
        rests.append(rest)
    each, over = divmod(counts[1] - counts[0], ROUNDS[1] - ROUNDS[0])
    if over or counts[2] - counts[1] != each * (ROUNDS[2] - ROUNDS[1]) or rests[0] != rests[1] or rests[1] != rests[2]:
        raise BuildError(f"the rounds differ from each other: counts {counts}")
    wanted = program.algorithm(registry.Case(program.state, GENERATION[arch]))
    store(st, wanted)
    st.doubts = doubts
    return st, counts[0] + each * (program.state["sgpr"][program.rounds] - ROUNDS[0]), wanted


def differences(st, wanted):
    """The differences between the model's final state and the algorithm's result, register by register."""
    found = []
    for key, value in wanted.items():
        if vgpr_number(key) is not None:
            lanes = st.vgpr.get(vgpr_number(key), [0] * 64)
            found += [f"{key} lane {lane}: model 0x{x:x}, algorithm 0x{y:x}"
                      for lane, (x, y) in enumerate(zip(lanes, value, strict=True)) if x != y][:3]
            continue
        if isinstance(key, int):
            actual, key = st.sgpr[key], f"s{key}"
        elif key in ("vcc", "exec"):
            actual = st.read64({"vcc": 106, "exec": 126}[key])
        elif key == "m0":
            actual = st.sgpr[124]
        else:
            actual = getattr(st, key)
        if actual != value:
            found.append(f"{key}: model 0x{actual:x}, algorithm 0x{value:x}")
    return found


def build(model, source, arch, several, options):
    """One binary and its sidecar; returns (file name, executed instructions)."""
    name = source.stem
    program = registry.PROGRAMS[name]
    stem = f"{name}-{arch}" if several else name
    binary, toml = PROGRAMS / f"{stem}.bin", PROGRAMS / f"{stem}.toml"
    code = binary.read_bytes() if options.no_assemble else assemble(source, arch)
    max_insts = program.max_insts or MAX_INSTS
    try:
        if program.rounds is None:
            st, instructions, wanted = run_checked(model, code, arch, program, program.state)
        else:
            st, instructions, wanted = run_rounds(model, code, arch, program)
    except BuildError as e:
        raise BuildError(f"{stem}: {e}") from None
    comment = [f"Made by corpus/tools/build_programs.py from {source.name}."]
    if st.doubts:
        comment.append("Rests on choices where the documents are unclear: "
                       + " ".join(sorted(st.doubts)))
    if program.kind:
        comment.append(f"The fault is of kind {program.kind}.")
    named = set(program.state.get("sgpr", {})) | set(wanted)
    inputs = program.state.get("vgpr", {})
    if any(st.vgpr[n] != list(lanes) for n, lanes in inputs.items()) or set(st.vgpr) - set(inputs):
        named |= {f"v{n}" for n in inputs}
    else:
        st.vgpr = {}            # the program writes no VGPR: naming its inputs again would say nothing
    text = sidecar(comment, arch, program.entry, max_insts, program.state,
                   program.outcome, instructions, final_state(st, named))
    if options.check:
        if binary.read_bytes() != code or toml.read_text() != text:
            raise BuildError(f"{stem}: differs from what is committed")
    else:
        binary.write_bytes(code)
        toml.write_text(text)
    return stem, instructions


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", help="programs to build (default: all)")
    parser.add_argument("--check", action="store_true", help="write nothing, report differences")
    parser.add_argument("--no-assemble", action="store_true", help="use the .bin files as they are")
    parser.add_argument("--quiet", action="store_true", help="print only the summary")
    options = parser.parse_args()
    import gcnmodel
    sources = sorted(PROGRAMS.glob("*.s"))
    unknown = {s.stem for s in sources} ^ set(registry.PROGRAMS)
    if unknown:
        sys.exit(f"source without algorithm or the other way round: {sorted(unknown)}")
    failures, built = [], []
    for source in sources:
        if options.names and source.stem not in options.names:
            continue
        archs = generations(source)
        for arch in archs:
            try:
                built.append(build(gcnmodel, source, arch, len(archs) > 1, options))
                if not options.quiet:
                    print("%-28s %8d instructions" % built[-1])
            except (BuildError, OSError) as e:
                failures.append(str(e))
    for failure in failures:
        print(failure, file=sys.stderr)
    print(f"{len(built)} programs from {len({b[0].split('-gcn')[0] for b in built})} sources, "
          f"{sum(n for _, n in built)} instructions, {len(failures)} failures")
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
