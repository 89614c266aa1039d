#!/usr/bin/env python3
"""Writes the binaries of OpenCL drivers and the text of other tools in corpus/drivers.

    make_drivers.py [OUT]

Byte by byte, after the layouts in crates/loader/src/driver; llvm-mc assembles the kernels. Nothing here comes from a
driver. Each kernel does out[i] = in[i] * n, some plus a constant.
"""

import struct
import subprocess
import sys
import tempfile
from pathlib import Path

CORPUS = Path(__file__).resolve().parent.parent


def words(*values):
    return struct.pack(f"<{len(values)}I", *values)


class Elf:
    """An ELF file of 32 or 64 bits."""

    def __init__(self, wide, machine, os_abi=0, kind=2, flags=0):
        self.wide, self.machine, self.os_abi, self.kind, self.flags = wide, machine, os_abi, kind, flags
        self.sections, self.symbols, self.programs = [], [], []

    def section(self, name, kind, flags, data, align=1, link=0, info=0, entry=0, memory=None):
        self.sections.append([name, kind, flags, data, align, link, info, entry, memory])
        return len(self.sections)

    def symbol(self, name, info, section, value, size):
        self.symbols.append((name, info, section, value, size))

    def bytes(self):
        names = b"\0"
        table, strings = b"", b"\0"
        entry = "<IBBHQQ" if self.wide else "<IIIBBH"
        for name, info, section, value, size in [("", 0, 0, 0, 0), *self.symbols]:
            at = len(strings) if name else 0
            strings += name.encode() + b"\0" if name else b""
            fields = (at, info, 0, section, value, size) if self.wide else (at, value, size, info, 0, section)
            table += struct.pack(entry, *fields)
        if self.symbols:
            self.section(".strtab", 3, 0, strings)
            self.section(".symtab", 2, 0, table, 8, len(self.sections), 1, struct.calcsize(entry))
        number = self.section(".shstrtab", 3, 0, b"")
        for section in self.sections:
            section.append(len(names))
            names += section[0].encode() + b"\0"
        self.sections[number - 1][3] = names
        header, program, head = (64, 56, "<IIQQQQIIQQ") if self.wide else (52, 32, "<10I")
        at = header + program * len(self.programs)
        heads, body, places = bytes(struct.calcsize(head)), b"", {}
        for name, kind, flags, data, align, link, info, entry, memory, place in self.sections:
            body += bytes(-(at + len(body)) % align)
            places[name] = (at + len(body), len(data))
            size = len(data) if memory is None else memory
            heads += struct.pack(head, place, kind, flags, 0, at + len(body), size, link, info, align, entry)
            body += data
        body += bytes(-(at + len(body)) % 8)
        ident = b"\x7fELF" + bytes([2 if self.wide else 1, 1, 1, self.os_abi]) + bytes(8)
        layout = "<HHIQQQIHHHHHH" if self.wide else "<HHIIIIIHHHHHH"
        count = len(self.sections) + 1
        rest = (self.kind, self.machine, 1, 0, header if self.programs else 0, at + len(body), self.flags, header,
                program, len(self.programs), struct.calcsize(head), count, count - 1)
        programs = b""
        for kind, name in self.programs:
            offset, size = places[name]
            programs += words(kind, offset, 0, 0, size, 0, 0, 0)
        return ident + struct.pack(layout, *rest) + programs + body + heads


def kernel_code(machine, rsrc1, rsrc2, properties, kernarg):
    """An `amd_kernel_code_t`: version 1.0, code 256 bytes on."""
    code = bytearray(256)
    struct.pack_into("<IIHHHHQ", code, 0, 1, 0, 1, *machine, 256)
    struct.pack_into("<III", code, 48, rsrc1, rsrc2, properties)
    struct.pack_into("<Q", code, 72, kernarg)
    return bytes(code)


def note(kind, desc):
    """A note without padding, as AMD's finalizer writes it."""
    return words(4, len(desc), kind) + b"AMD\0" + desc


# The arguments that the compiler puts before those of the source.
SETUP = [("_.global_offset_0", "size_t", 9, 0), ("_.global_offset_1", "size_t", 9, 0),
         ("_.global_offset_2", "size_t", 9, 0), ("_.printf_buffer", "size_t", 7, 4),
         ("_.vqueue_pointer", "size_t", 9, 0), ("_.aqlwrap_pointer", "size_t", 9, 0)]


def metadata(args, required=(0, 0, 0), newer=False):
    """The metadata of a kernel of AMD's OpenCL 2.0. `args`: name, type, number of the type, address space or 0."""
    args = SETUP + args
    first, second = b"__OpenCL_dummy_kernel", b"generic"
    entries, names = b"", b""
    for i, (name, kind, number, space) in enumerate(args):
        entries += struct.pack("<5Q8I4BIQ", 88, len(name), len(kind), 0, 0, 1, 1, 16 * i, number, 4 if space else 0,
                               8 if space else 0, space, 3 if space else 0, 0, 0, 0, 0, 5 if space else 4, 0)
        names += name.encode() + b"\0" + kind.encode() + b"\0"
    rest = first + b"\0" + second + b"\0" + (b"\0" if newer else b"") + entries + bytes(88) + names
    head = struct.pack("<QQ4IHHIQQ3Q2Q2Q3Q3QQ", 0xE0, 0xE0 + len(rest), 3, 1, 104, 32, 1024, 0, 0, 0x100000008,
                       0x200000001, *required, 0, 0, len(first), len(second), 0, 0, 0, 0, 0, 0, len(args))
    return head + bytes(0xE0 - len(head)) + rest


def assemble(chip, text):
    """The code of assembly."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "k.o"
        command = ["llvm-mc", "-triple=amdgcn", f"-mcpu={chip}", "-filetype=obj", "-o", str(path)]
        subprocess.run(command, input=text.encode(), check=True)
        data = path.read_bytes()
    start, count = struct.unpack_from("<Q", data, 40)[0], struct.unpack_from("<H", data, 60)[0]
    for i in range(count):
        _, kind, flags, _, at, size = struct.unpack_from("<IIQQQQ", data, start + 64 * i)
        if kind == 1 and flags & 4:
            return data[at:at + size]
    raise ValueError("no code")


# A kernel of HSA: s[4:5] point to the dispatch packet, s[6:7] to the arguments n, in and out. Offsets are in the units
# of the generation.
HSA = """
    s_load_dword s0, s[6:7], {n}
    s_load_dwordx2 s[2:3], s[6:7], {src}
    s_load_dwordx2 s[4:5], s[6:7], {dst}
{table}
    v_lshlrev_b32 v0, 2, v0
    s_waitcnt lgkmcnt(0)
    v_mov_b32 v2, s3
    v_{add} v1, vcc, s2, v0
    v_{addc} v2, vcc, 0, v2, vcc
    flat_load_dword v3, v[1:2]
    v_mov_b32 v2, s5
    v_{add} v1, vcc, s4, v0
    v_{addc} v2, vcc, 0, v2, vcc
    s_waitcnt vmcnt(0) lgkmcnt(0)
    v_mul_lo_u32 v3, v3, s0
{sum}
    flat_store_dword v[1:2], v3
    s_endpgm
"""
NAMES = {"gfx9": ("add_co_u32", "addc_co_u32"), "gfx8": ("add_u32", "addc_u32"), "gfx7": ("add_i32", "addc_u32")}


def hsa(chip, first, table=False):
    """The code of the kernel. Its arguments begin at the byte `first`. With `table` it adds the first dword at an
    address that relocations put into the two literals."""
    add, addc = NAMES[chip[:4]]
    scale = 4 if chip.startswith("gfx7") else 1
    at = {name: hex((first + offset) // scale) for name, offset in (("n", 0), ("src", 8), ("dst", 16))}
    before = "s_mov_b32 s8, 0x11111111\ns_mov_b32 s9, 0x22222222\ns_load_dword s10, s[8:9], 0x0" if table else ""
    behind = f"v_{add} v3, vcc, s10, v3" if table else ""
    return assemble(chip, HSA.format(add=add, addc=addc, table=before, sum=behind, **at))


# 8 VGPRs and 16 SGPRs, IEEE mode; the segment buffer, the packet and the arguments in 8 user SGPRs.
HSA_REGISTERS = (0x00AC0041, 0x90, 0x0B | 1 << 17)
ARGS = [("n", "uint", 8, 0), ("in", "uint*", 7, 4), ("out", "uint*", 7, 4)]
MACHINE = {"gfx704": (7, 0, 4), "gfx803": (8, 0, 3), "gfx900": (9, 0, 0)}


def amdcl2(chip, table=False, broken_note=False, names=("scale", "empty")):
    """A binary of AMD's drivers from 1912.05 on, with two kernels: `scale`, and one that does nothing."""
    version = MACHINE[chip]
    first = kernel_code(version, *HSA_REGISTERS, 72) + hsa(chip, 48, table)
    other = kernel_code(version, *HSA_REGISTERS, 48) + assemble(chip, "s_endpgm")
    text = first + bytes(-len(first) % 256) + other
    inner = Elf(True, 224, 64, 1)
    inner.section(".hsatext", 1, 0xC00007, text, 256)
    if table:
        inner.section(".hsadata_readonly_agent", 1, 0xA00002, words(1000, 2000), 16)
    notes = note(1, words(1, 0)) + note(2, struct.pack("<IIBBBB", 1, 0, 1, 1, 1, 0)[:12])
    notes += note(3, struct.pack("<HHIII", 4, 7, *version) + b"AMD\0AMDGPU\0\0")
    # The last note of the finalizer states more bytes than it has.
    notes += words(4, 0x29, 4) + b"AMD\0" + (b"AMD HSA Runtime Finalizer" if broken_note else bytes(0x29))
    inner.section(".note", 7, 0, notes, 8)
    inner.symbol(f"&__OpenCL_{names[0]}_kernel", 0x1A, 1, 0, len(first))
    inner.symbol(f"&__OpenCL_{names[1]}_kernel", 0x1A, 1, len(first) + -len(first) % 256, len(other))
    if table:
        inner.symbol("__hsa_section.hsadata_readonly_agent", 0x03, 2, 0, 0)
        low = first.index(words(0x11111111))
        high = first.index(words(0x22222222))
        # The second dword of the table: low and high half of its address.
        relocations = struct.pack("<QQQQQQ", low, 3 << 32 | 1, 4, high, 3 << 32 | 2, 4)
        inner.section(".rela.hsatext", 4, 0, relocations, 8, 0, 1, 24)
    outer = Elf(True, 0xAF5B)
    scale, empty = metadata(ARGS), metadata([], required=(8, 4, 2), newer=True)
    outer.section(".comment", 1, 0, b"AMD-COMP-LIB-v0.8 (0.0.SC_BUILD_NUMBER)")
    outer.section(".rodata", 1, 2, scale + empty)
    outer.section(".text", 1, 6, inner.bytes())
    outer.symbol(f"__OpenCL_&__OpenCL_{names[0]}_kernel_metadata", 1, 2, 0, len(scale))
    outer.symbol(f"__OpenCL_&__OpenCL_{names[1]}_kernel_metadata", 1, 2, len(scale), len(empty))
    outer.symbol("acl_version_string", 1, 1, 0, 39)
    return outer.bytes()


def amdcl2_old(chip):
    """A binary of AMD's drivers before 1912.05: a kernel behind its stub."""
    # The compiler of that time leaves the version of the machine out: the flags are the chip.
    code = words(192) + bytes(188) + kernel_code((0, 0, 0), *HSA_REGISTERS, 72) + hsa(chip, 48)
    outer = Elf(True, 0xAF5B, flags={"gfx704": 6}[chip])
    scale = metadata(ARGS)
    outer.section(".rodata", 1, 2, scale)
    outer.section(".text", 1, 6, bytes(4) + code)
    outer.symbol("__OpenCL_&__OpenCL_scale_kernel_metadata", 1, 1, 0, len(scale))
    outer.symbol("__ISA_&__OpenCL_scale_kernel_binary", 1, 2, 4, len(code))
    return outer.bytes()


def catalyst(machine, encoding, name, wide=False, symbols=True):
    """A binary of Catalyst with the kernels `first` and `second`."""
    chip = {"tahiti": "gfx600", "pitcairn": "gfx601", "bonaire": "gfx704", "tonga": "gfx802"}[name]
    codes = [assemble(chip, f"v_mov_b32 v0, {n}\nv_mov_b32 v1, 1.0\ns_endpgm") for n in (1, 2)]
    kernels, rodata = [], b""
    for n, (kernel, code) in enumerate(zip(("first", "second"), codes)):
        # Each inner file has its code twice: for another chip first.
        info = words(0x80001041, 8 + 4 * n, 0x80001042, 16, 0x80001043, 0xC0, 0x80001044, 0, 0x80001045, 0)
        info += words(0x2E13, 0x98)
        notes = words(8, 0, 2) + b"ATI CAL\0" + words(8, len(info), 1) + b"ATI CAL\0" + info
        inner = Elf(False, 0x7D, 100, 2, 1)
        inner.programs = [(0x70000002, "encodings"), (4, "other notes"), (1, ".other"), (4, "notes"), (1, ".text")]
        inner.section("encodings", 1, 0, bytes(40))
        inner.section("other notes", 1, 0, words(8, 0, 2) + b"ATI CAL\0")
        inner.section(".other", 1, 6, assemble(chip, "s_nop 7\ns_endpgm"))
        inner.section("notes", 1, 0, notes)
        inner.section(".text", 1, 6, code)
        data = bytearray(inner.bytes())
        programs = [struct.unpack_from("<8I", data, 52 + 32 * i) for i in range(5)]
        table = words(0x99, 4, programs[1][1], programs[2][1] + programs[2][4] - programs[1][1], 0)
        table += words(encoding, 4, programs[3][1], programs[4][1] + programs[4][4] - programs[3][1], 0)
        data[programs[0][1]:programs[0][1] + 40] = table
        kernels.append(bytes(data))
        rodata += f";ARGSTART:__OpenCL_{kernel}_kernel\n;version:3:1:111\n;device:{name}\n".encode()
        rodata += f";uniqueid:{1024 + n}\n;ARGEND:__OpenCL_{kernel}_kernel\n".encode()
    outer = Elf(wide, machine)
    outer.section(".comment", 1, 0, b"@(#) OpenCL 1.2 AMD-APP (1702.3)")
    outer.section(".rodata", 1, 2, rodata)
    outer.section(".text", 1, 6, b"".join(kernels))
    if symbols:
        outer.symbol("__OpenCL_first_kernel", 2, 3, 0, len(kernels[0]))
        outer.symbol("__OpenCL_second_kernel", 2, 3, len(kernels[0]), len(kernels[1]))
    return outer.bytes()


def clover_list(kernels, elf):
    """A binary of Clover. `kernels`: name, offset, arguments."""
    data = words(len(kernels))
    for name, offset, args in kernels:
        data += words(len(name)) + name.encode() + words(0, offset, len(args))
        data += b"".join(words(*arg) for arg in args)
    return data + words(1, 0, 0, len(elf), len(elf) + 4, len(elf)) + elf


# Arguments: n, in, out, the number of dimensions, the three offsets.
CLOVER_ARGS = [(0, 4, 4, 4, 0, 0), (2, 8, 8, 8, 0, 0), (2, 8, 8, 8, 0, 0), (0, 4, 4, 4, 0, 1), (0, 4, 4, 4, 0, 2)]


def clover(wide):
    """A binary of Clover before LLVM 4, of 32 or 64 bits, that names no GPU. Its second kernel uses scratch."""
    first = assemble("gfx600", "v_mov_b32 v0, 1\nv_mov_b32 v1, 1.0\ns_endpgm")
    second = words(0xBE8003FF, 0x11111111) + assemble("gfx600", "s_mov_b32 s1, 2\ns_endpgm")
    text = first + bytes(-len(first) % 256) + second
    elf = Elf(wide, 0, 0, 1)
    elf.section(".text", 1, 6, text, 256)
    config = words(0xB848, 0x2C0040, 0xB84C, 0x1390, 0xB860, 0)
    config += words(0xB848, 0x2C0041, 0xB84C, 0x1390, 0xB860, 0x1000)
    elf.section(".AMDGPU.config", 1, 0, config)
    elf.symbol("SCRATCH_RSRC_DWORD0", 0x10, 0, 0, 0)
    relocations = struct.pack("<QQ", 256 + 4, 1 << 32) if wide else words(256 + 4, 1 << 8)
    elf.section(".rel.text", 9, 0, relocations, 8, 0, 1, 16 if wide else 8)
    return clover_list([("plain", 0, CLOVER_ARGS), ("spills", 256, [])], elf.bytes())


def clover_hsa(chip):
    """A binary of Clover from LLVM 4 on, whose kernel begins with an `amd_kernel_code_t`."""
    code = kernel_code(MACHINE[chip], *HSA_REGISTERS, 40) + hsa(chip, 0)
    elf = Elf(True, 0, 0, 1)
    elf.section(".text", 1, 6, code, 256)
    return clover_list([("scale", 0, CLOVER_ARGS)], elf.bytes())


# Code of which tools print text: instructions and numbers of their dwords.
PRINTED = [("s_mov_b32 s4, 0x3f012345", 2), ("v_mul_f32_e32 v1, s4, v0", 1), ("v_add_f32_e32 v2, v1, v0", 1),
           ("v_mad_f32 v3, v1, v2, v0", 2), ("exp mrt0 v1, v2, v1, v3 done vm", 2), ("s_endpgm", 1)]


def printed(chip):
    """The code, and for each instruction its offset in dwords, its dwords and its text."""
    code = assemble(chip, "\n".join(text for text, _ in PRINTED))
    dwords = struct.unpack(f"<{len(code) // 4}I", code)
    lines, at = [], 0
    for text, count in PRINTED:
        lines.append((at, dwords[at:at + count], text))
        at += count
    return code, lines


def umr(lines):
    """What umr prints of two waves that execute the code."""
    out = ""
    for wave in range(2):
        out += f"se0.sh0.cu3.simd1.wave{wave}\n\n\nMain Registers:\n\t\t         pc_hi: 00000008 |"
        out += "          pc_lo: 00100b08 |\n\n\nSGPRS:\n\t\t[   0..   3] = { 00000000, 00000000, 3f800000, 0 }\n"
        out += "\nPGM_MEM:\n"
        for at, dwords, text in lines:
            for i, dword in enumerate(dwords):
                mark, shown = "*" if at + i == 2 else " ", text if i == 0 else ";;"
                out += f"\t {mark} pgm[3@0x800100b00 + 0x{4 * (at + i):<4x}] = 0x{dword:08x}    \t{shown}\n"
        out += "\n\n\nLDS_ALLOC[00002008]:\n"
    return out


def clrx(lines, gpu):
    """What clrxdisasm prints of the code of two kernels, the second with addresses."""
    out = f".amdcl2\n.gpu {gpu}\n.64bit\n"
    for n, name in enumerate(("one", "two")):
        out += f".kernel {name}\n    .config\n        .dims x\n    .text\n"
        for at, dwords, text in lines:
            code = " ".join(f"{dword:08x}" for dword in dwords)
            out += f"/*{f'{4 * at:012x}: ' if n else ''}{code:<17}*/ {text}\n"
    return out


def main():
    out = Path(sys.argv[1]) if len(sys.argv) > 1 else CORPUS / "drivers"
    out.mkdir(exist_ok=True)
    files = {f"amdcl2-{chip}.clo": amdcl2(chip) for chip in MACHINE}
    files["amdcl2-table-gfx900.clo"] = amdcl2("gfx900", table=True)
    # Kernels of C++: scale<unsigned int>(unsigned int, unsigned int*, unsigned int*) and scale<float>(float).
    files["amdcl2-names-gfx900.clo"] = amdcl2("gfx900", names=("_Z5scaleIjEvjPT_S1_", "_Z5scaleIfEvT_"))
    files["amdcl2-note-gfx900.clo"] = amdcl2("gfx900", broken_note=True)
    files["amdcl2-old-gfx704.clo"] = amdcl2_old("gfx704")
    for machine, encoding, name in ((0x3FD, 0x1A, "tahiti"), (0x3FE, 0x1B, "pitcairn"), (0x403, 0x21, "bonaire"),
                                    (0x40A, 0x2A, "tonga")):
        files[f"catalyst-{name}.clo"] = catalyst(machine, encoding, name)
    files["catalyst-wide-tahiti.clo"] = catalyst(0x3FD, 0x1A, "tahiti", wide=True)
    files["catalyst-stripped-tonga.clo"] = catalyst(0x40A, 0x2A, "tonga", symbols=False)
    files["clover-32.clo"], files["clover-64.clo"] = clover(False), clover(True)
    files["clover-hsa-gfx803.clo"] = clover_hsa("gfx803")
    for chip, gpu in (("gfx803", "Fiji"), ("gfx900", "GFX900")):
        code, lines = printed(chip)
        files[f"printed-{chip}.bin"] = code
        files[f"umr-{chip}.txt"] = umr(lines).encode()
        files[f"clrx-{chip}.txt"] = clrx(lines, gpu).encode()
    for name, data in files.items():
        (out / name).write_bytes(data)


if __name__ == "__main__":
    main()
