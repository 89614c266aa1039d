"""Text of a shader to words, by LLVM's assembler.

One text serves all generations:

    [67] LINE            only on these (6 = gcn1.0, 7 = gcn1.1, 8 = gcn1.2, 9 = gcn1.4)
    off(BYTES)           the immediate offset of a scalar load: dwords on 6 and 7
    pointer sN           the high half of a 32-bit pointer: 0, on 9 0xffff8000
    v_iadd D, A, B       v_add_i32 or v_add_u32, with the carry in VCC where there must be one; also v_isub, v_isubrev
    quad D, S, a,b,c,d   D = the lane of the quad of S: DPP, on 6 and 7 ds_swizzle
    interp D, A.xyz      v_interp_p1 and _p2 of attribute A into D, D+1, ..; the barycentrics are in v0 and v1
    interp D, A.x, I, J  the same with other registers of barycentrics
    load3 D, REST        buffer_load_dwordx3; on 6 x2 and x1 (REST has offset:N last)
    constants s[A:B]     a V# of the constants behind the code
"""

import re
import struct
import subprocess

CPUS = {6: "gfx600", 7: "gfx700", 8: "gfx803", 9: "gfx900"}
ASSEMBLERS = ("llvm-mc-14", "llvm-mc")


def expand(text, gen, constants=()):
    """The text for one generation, without macros; the constants are behind the code."""
    lines = []
    for line in text.split("\n"):
        line = line.split("//")[0].strip()
        marked = re.match(r"\[(\d+)\]\s*(.*)", line)
        if marked:
            line = marked[2] if str(gen) in marked[1] else ""
        if line:
            lines += expanded(line, gen, len(lines), 4 * len(constants))
    if constants:
        lines += ["behind:"] + [f".long {x:#x}" for x in constants]
    return "\n".join(lines) + "\n"


def expanded(line, gen, number, size):
    unit = 4 if gen < 8 else 1
    line = re.sub(r"off\((\w+)\)", lambda m: hex(int(m[1], 0) // unit), line)
    name, _, rest = line.partition(" ")
    if name not in MACROS:
        return [line]
    arguments = [a.strip() for a in re.split(r",(?![^\[]*\])", rest)]
    return MACROS[name](gen, arguments, number, size)


def pointer(gen, arguments, _number, _size):
    return [f"s_movk_i32 {arguments[0]}, 0x8000" if gen == 9 else f"s_mov_b32 {arguments[0]}, 0"]


def integer(name):
    def macro(gen, arguments, _number, _size):
        if gen == 9:
            return [f"v_{name}_u32 {', '.join(arguments)}"]
        suffix = "u32" if gen == 8 else "i32"
        return [f"v_{name}_{suffix} {arguments[0]}, vcc, {', '.join(arguments[1:])}"]
    return macro


def quad(gen, arguments, _number, _size):
    to, of, *perm = arguments
    if gen < 8:
        return [f"ds_swizzle_b32 {to}, {of} offset:swizzle(QUAD_PERM,{','.join(perm)})", "s_waitcnt lgkmcnt(0)"]
    return [f"v_mov_b32_dpp {to}, {of} quad_perm:[{','.join(perm)}] row_mask:0xf bank_mask:0xf"]


def interp(_gen, arguments, _number, _size):
    to, of, i, j = (arguments + ["v0", "v1"])[:2] + (arguments[2:] or ["v0", "v1"])
    attribute, channels = of.split(".")
    first = int(to[1:])
    out = []
    for k, c in enumerate(channels):
        out += [f"v_interp_p1_f32 v{first + k}, {i}, {attribute}.{c}",
                f"v_interp_p2_f32 v{first + k}, {j}, {attribute}.{c}"]
    return out


def load3(gen, arguments, _number, _size):
    to, rest = int(arguments[0][1:]), ", ".join(arguments[1:])
    if gen > 6:
        return [f"buffer_load_dwordx3 v[{to}:{to + 2}], {rest}"]
    before, offset = rest.split("offset:")
    # the address may be the first register of the destination
    return [f"buffer_load_dword v{to + 2}, {before}offset:{int(offset) + 8}",
            f"buffer_load_dwordx2 v[{to}:{to + 1}], {before}offset:{offset}"]


def constants_macro(_gen, arguments, number, size):
    first = int(re.match(r"s\[(\d+)", arguments[0])[1])
    return [f"s_getpc_b64 s[{first}:{first + 1}]", f"here{number}:",
            f"s_add_u32 s{first}, s{first}, behind-here{number}", f"s_addc_u32 s{first + 1}, s{first + 1}, 0",
            f"s_movk_i32 s{first + 2}, {size:#x}", f"s_mov_b32 s{first + 3}, 0x27fac"]


MACROS = {"pointer": pointer, "v_iadd": integer("add"), "v_isub": integer("sub"), "v_isubrev": integer("subrev"),
          "quad": quad, "interp": interp, "load3": load3, "constants": constants_macro}


def text_section(elf):
    """The bytes of .text of a 64-bit ELF file."""
    table, = struct.unpack_from("<Q", elf, 0x28)
    size, count, names = struct.unpack_from("<HHH", elf, 0x3A)
    sections = [struct.unpack_from("<IIQQQQ", elf, table + k * size) for k in range(count)]
    strings = sections[names][4]
    for name, _, _, _, offset, length in sections:
        if elf[strings + name:].startswith(b".text\0"):
            return elf[offset:offset + length]
    raise ValueError("no .text")


def assemble(text, gen, constants=()):
    """(words, bytes of code)."""
    source = expand(text, gen, constants)
    for tool in ASSEMBLERS:
        try:
            made = subprocess.run([tool, "-arch=amdgcn", f"-mcpu={CPUS[gen]}", "-filetype=obj", "-o", "-"],
                                  input=source.encode(), capture_output=True)
            break
        except FileNotFoundError:
            continue
    else:
        raise SystemExit("llvm-mc is needed (version 14)")
    if made.returncode:
        raise ValueError(f"{CPUS[gen]}: {made.stderr.decode()}")
    code = text_section(made.stdout)
    words = [w for w, in struct.iter_unpack("<I", code)]
    return words, 4 * (len(words) - len(constants))
