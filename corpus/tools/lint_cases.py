#!/usr/bin/env python3
"""Writes crates/lint/tests/cases.txt: hand-made programs and the findings that a linter must report about them.

Each case is assembled by llvm-mc (LLVM 15). What must be found is stated here by hand, by labels: `P:` marks the
earlier and `C:` the later instruction. Run it from the root of the repository:

    python3 corpus/tools/lint_cases.py
"""
import re
import subprocess
import sys

ALL = ["gfx600", "gfx701", "gfx803", "gfx900"]
GFX7_9 = ALL[1:]
GFX8_9 = ALL[2:]
GFX6_7 = ALL[:2]
GFX9 = ALL[3:]
GFX6 = ALL[:1]
cases = []


def case(name, chips, code, *findings, flags=()):
    """A program without its s_endpgm. A finding is (rule, producer's label or None, consumer's label)."""
    for chip in chips:
        cases.append((name, chip, code, findings, flags))


def states(rule, chips, producer, consumer, count, clean_chips=(), setup="", tail="", flags=()):
    """A pair that needs `count` wait states: with one less, with enough, by s_nop and by other instructions."""
    for chip in chips:
        for n in range(count + 1):
            for filler in ["s_nop 0", "s_sleep 0"]:
                between = "\n".join([filler] * n)
                found = [(rule, "P", "C")] if n < count else []
                case(f"{rule}-{n}", [chip], f"{setup}\nP: {producer}\n{between}\nC: {consumer}\n{tail}", *found,
                     flags=flags)
            if n > 1:
                found = [(rule, "P", "C")] if n < count else []
                case(f"{rule}-nop-{n}", [chip], f"{setup}\nP: {producer}\ns_nop {n - 1}\nC: {consumer}\n{tail}", *found,
                     flags=flags)
    case(f"{rule}-elsewhere", clean_chips, f"{setup}\nP: {producer}\nC: {consumer}")


def assemble(chip, texts):
    """Returns for each program its words, the addresses of its labels, and its lines. One run of the assembler."""
    lines = lambda code: "\n".join(line.strip() for line in code.strip().splitlines() if line.strip())
    # Labels are those of a program; the assembler sees all programs at once.
    joined = ""
    for n, code in enumerate(texts):
        code = re.sub(r"^\s*(\w+):", rf"L{n}_\1:", lines(code), flags=re.M)
        code = re.sub(r"^(.*s_c?branch\w*) ([a-z]\w*)$", rf"\1 L{n}_\2", code, flags=re.M)
        joined += f"PROGRAM{n}:\n{code}\n"
    command = ["llvm-mc-15", "-arch=amdgcn", f"-mcpu={chip}", "-show-encoding"]
    out = subprocess.run(command, input=joined, capture_output=True, text=True)
    if out.returncode != 0:
        sys.exit(f"{chip}:\n{out.stderr}")
    programs = re.split(r"^PROGRAM\d+:.*$", out.stdout, flags=re.M)[1:]
    return [of_listing(program) for program in programs]


def of_listing(text):
    labels, at, lines = {}, 0, []
    for line in text.splitlines():
        label = re.match(r"^L\d+_(\w+):", line)
        if label:
            labels[label[1]] = at
        encoding = re.search(r"encoding: \[([^\]]*)\]", line)
        if encoding:
            values = encoding[1].split(",")
            lines.append((at, line.split(";")[0].strip(), values))
            at += len(values)
    words = []
    for address, line, values in lines:
        branch = re.match(r"s_c?branch\w* L\d+_(\w+)$", line)
        if branch:
            offset = (labels[branch[1]] - address - 4) // 4 & 0xffff
            values[0], values[1] = f"0x{offset & 255:02x}", f"0x{offset >> 8:02x}"
        octets = [int(value, 16) for value in values]
        words += [int.from_bytes(bytes(octets[i:i + 4]), "little") for i in range(0, len(octets), 4)]
    return words, labels, [re.sub(r"\bL\d+_", "", line) for _, line, _ in lines]


# Wait states, section by section of docs/use/lint.md: at every number of states up to the one that is needed.
V_SGPR = "v_readfirstlane_b32 s4, v0"
states("valu-sgpr-vmem", GFX8_9, V_SGPR, "buffer_load_dword v1, off, s[4:7], 0", 5, GFX6_7)
states("valu-sgpr-vmem", GFX8_9, V_SGPR, "buffer_store_dword v1, off, s[8:11], s4", 5, GFX6_7)
states("valu-sgpr-vmem", GFX8_9, "v_cmp_eq_u32 vcc, v0, v1", "buffer_load_dword v1, off, s[8:11], vcc_lo", 5, GFX6_7)
states("valu-sgpr-vmem", GFX8_9, V_SGPR, "image_load v1, v[2:3], s[4:11] dmask:0x1", 5, GFX6_7)
states("valu-sgpr-vmem", GFX8_9, V_SGPR, "image_sample v1, v[2:3], s[8:15], s[4:7] dmask:0x1", 5, GFX6_7)
states("valu-sgpr-vmem", GFX9, V_SGPR, "global_load_dword v1, v2, s[4:5]", 5)
states("valu-sgpr-vmem", GFX9, "v_add_co_u32 v1, s[4:5], v2, v3", "global_load_dword v1, v2, s[4:5]", 5)
states("valu-sgpr-lanesel", ALL, V_SGPR, "v_readlane_b32 s5, v1, s4", 4)
states("valu-sgpr-lanesel", ALL, V_SGPR, "v_writelane_b32 v1, s4, s4", 4)
states("valu-vcc-divfmas", ALL, "v_cmp_eq_u32 vcc, v0, v1", "v_div_fmas_f32 v2, v3, v4, v5", 4)
states("valu-vcc-divfmas", ALL, "v_div_scale_f64 v[0:1], vcc, v[2:3], v[2:3], v[4:5]",
       "v_div_fmas_f64 v[6:7], v[8:9], v[10:11], v[12:13]", 4)
DPP = "v_mov_b32_dpp v2, v3 quad_perm:[0,0,0,0] row_mask:0xf bank_mask:0xf"
states("valu-exec-dpp", GFX8_9, "v_cmpx_eq_u32 vcc, v0, v1", DPP, 5)
states("valu-vgpr-dpp", GFX8_9, "v_mov_b32 v3, v0", DPP, 2)
states("valu-vgpr-dpp", GFX8_9, "v_interp_p1_f32 v3, v0, attr0.x", DPP, 2)
case("valu-vgpr-dpp-other", GFX8_9, f"v_mov_b32 v4, v0\n{DPP}")
states("valu-vcc-vccz", ALL, "v_cmp_eq_u32 vcc, v0, v1", "v_mov_b32 v2, src_vccz", 5)
states("valu-exec-execz", ALL, "v_cmpx_eq_u32 vcc, v0, v1", "v_mov_b32 v2, src_execz", 5)
case("branches-are-interlocked", ALL, """
    v_cmp_eq_u32 vcc, v0, v1
    s_cbranch_vccz end
    v_cmpx_eq_u32 vcc, v0, v1
    s_cbranch_execz end
    s_nop 0
    end: s_nop 0""")
STORE = "buffer_store_dwordx4 v[0:3], off, s[4:7], 0"
states("store-data-overwrite", GFX7_9, STORE, "v_mov_b32 v1, v9", 1)
states("store-data-overwrite", GFX7_9, "buffer_store_dwordx3 v[0:2], off, s[4:7], 0", "v_interp_p1_f32 v1, v9, attr0.x", 1)
states("store-data-overwrite", GFX7_9, "flat_store_dwordx4 v[4:5], v[0:3]", "v_mov_b32 v3, v9", 1)
states("store-data-overwrite", GFX9, "global_store_dwordx3 v[4:5], v[0:2], off", "v_mov_b32 v2, v9", 1)
states("store-data-overwrite", GFX7_9, "buffer_atomic_cmpswap_x2 v[0:3], off, s[4:7], 0", "v_mov_b32 v1, v9", 1)
states("store-data-overwrite", GFX7_9, "buffer_store_format_xyzw v[0:3], off, s[4:7], 0", "v_mov_b32 v1, v9", 1)
case("store-with-offset-register", GFX7_9, "buffer_store_dwordx4 v[0:3], off, s[4:7], s8\nv_mov_b32 v1, v9")
case("store-of-two", GFX7_9, "buffer_store_dwordx2 v[0:1], off, s[4:7], 0\nv_mov_b32 v1, v9")
case("store-other-register", GFX7_9, f"{STORE}\nv_mov_b32 v4, v9")
case("image-store", GFX8_9, "image_store v[0:3], v[4:5], s[4:11] dmask:0xf unorm\nv_mov_b32 v1, v9")
states("store-data-overwrite", ["gfx701", "gfx803"],
       "image_store v[0:3], v[4:5], s[4:11] dmask:0xf unorm r128", "v_mov_b32 v1, v9", 1)
states("valu-sgpr-smrd", GFX6, V_SGPR, "s_load_dword s6, s[4:5], 0x0", 4, GFX7_9)
states("salu-sgpr-sbuffer", GFX6, "s_mov_b32 s4, 0", "s_buffer_load_dword s8, s[4:7], 0x0", 4, GFX7_9)
states("vintrp-readlane", GFX6, "v_interp_p1_f32 v1, v0, attr0.x", "v_readfirstlane_b32 s4, v1", 1, GFX7_9)
case("vintrp-writelane", GFX6, "v_interp_p1_f32 v1, v0, attr0.x\nv_writelane_b32 v1, s0, 0")
states("salu-m0-msg", GFX8_9, "s_mov_b32 m0, s0", "s_sendmsg sendmsg(MSG_INTERRUPT)", 1, GFX6_7)
states("salu-m0-msg", GFX8_9, "s_mov_b32 m0, s0", "ds_gws_sema_v gds", 1)
states("salu-m0-msg", GFX8_9, "s_mov_b32 m0, s0", "s_ttracedata", 1, GFX6_7)
states("salu-m0-lds", GFX9, "s_mov_b32 m0, s0", "v_interp_p1_f32 v1, v0, attr0.x", 1, ALL[:3])
states("salu-m0-lds", GFX9, "s_mov_b32 m0, s0", "ds_read_addtid_b32 v1", 1)
states("salu-m0-lds", GFX9, "s_mov_b32 m0, s0", "buffer_load_dword off, s[4:7], 0 lds", 1, ALL[:3])
states("salu-m0-lds", GFX9, "s_mov_b32 m0, s0", "v_mov_b32 v1, src_lds_direct", 1)
states("salu-m0-movrel", GFX9, "s_mov_b32 m0, s0", "s_movrels_b32 s1, s2", 1, ALL[:3])
states("salu-m0-movrel", GFX9, "s_add_u32 m0, m0, s0", "s_movreld_b64 s[2:3], s[4:5]", 1, ALL[:3])
case("m0-by-vector", GFX9, "v_readfirstlane_b32 m0, v0\nv_interp_p1_f32 v1, v0, attr0.x")
SETREG = "s_setreg_b32 hwreg(HW_REG_MODE), s0"
states("setreg-getreg", ALL, SETREG, "s_getreg_b32 s1, hwreg(HW_REG_MODE)", 2)
states("setreg-getreg", ALL, "s_setvskip s0, s1", "s_getreg_b32 s1, hwreg(HW_REG_MODE)", 2)
case("setreg-setvskip", ALL, f"{SETREG}\ns_setvskip s0, s1")
case("setvskip-setreg", ALL, f"s_setvskip s0, s1\n{SETREG}")
case("setreg-getreg-other", ALL, f"{SETREG}\ns_getreg_b32 s1, hwreg(HW_REG_STATUS)")
states("setreg-setreg", GFX6_7, SETREG, "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 3", 1)
states("setreg-setreg", GFX8_9, SETREG, "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 3", 2)
states("vskip-vector", ALL, "s_setvskip s0, s1", "v_mov_b32 v0, v1", 2)
states("vskip-vector", ALL, "s_setreg_b32 hwreg(HW_REG_MODE, 28, 1), s0", "ds_read_b32 v0, v1", 2,
       setup="s_mov_b32 m0, -1")
states("vskip-vector", ALL, "s_setvskip s0, s1", "exp mrt0 v0, v1, v2, v3 done vm", 2)
case("setreg-of-other-bits", ALL, "s_setreg_b32 hwreg(HW_REG_MODE, 0, 4), s0\nv_mov_b32 v0, v1")
states("setreg-rfe", GFX8_9, "s_setreg_b32 hwreg(HW_REG_TRAPSTS), s0", "s_rfe_b64 s[4:5]", 1, GFX6_7)
states("smem-clause-store", GFX8_9, "s_store_dword s0, s[4:5], 0x0", "s_load_dword s6, s[4:5], 0x0", 1,
       tail="s_waitcnt lgkmcnt(0)\ns_dcache_wb")
case("overwritten-meanwhile", GFX8_9, f"{V_SGPR}\ns_mov_b32 s4, 0\nbuffer_load_dword v1, off, s[8:11], s4")
case("overwritten-by-half", GFX8_9, "P: v_cmp_eq_u32 s[4:5], v0, v1\ns_mov_b32 s4, 0\n"
     "C: buffer_load_dword v1, off, s[8:11], s5", ("valu-sgpr-vmem", "P", "C"))
# At a join the smaller distance counts.
case("states-at-a-join", GFX8_9, f"""
    P: {V_SGPR}
    s_cbranch_scc0 join
    s_nop 4
    join: s_nop 0
    C: buffer_load_dword v1, off, s[4:7], 0""", ("valu-sgpr-vmem", "P", "C"))
case("states-in-a-loop", GFX8_9, f"""
    head: s_nop 0
    C: buffer_load_dword v1, off, s[4:7], 0
    s_waitcnt vmcnt(0)
    P: {V_SGPR}
    s_cbranch_scc0 head""", ("valu-sgpr-vmem", "P", "C"))

# Waits. The ages: of three loads the first is there after vmcnt(2), the second after vmcnt(1).
LOADS = """
    A: buffer_load_dword v1, off, s[4:7], 0
    B: buffer_load_dword v2, off, s[4:7], 0
    D: buffer_load_dword v3, off, s[4:7], 0"""
for n in range(4):
    for register, label in [(1, "A"), (2, "B"), (3, "D")]:
        age = {"A": 2, "B": 1, "D": 0}[label]
        found = [("vmcnt-read", label, "C")] if n > age else []
        case(f"ages-{n}-{label}", ALL, f"{LOADS}\ns_waitcnt vmcnt({n})\nC: v_mov_b32 v9, v{register}", *found)
        case(f"ages-stores-{n}-{label}", ALL,
             f"{LOADS}\nbuffer_store_dword v8, off, s[4:7], 0\ns_waitcnt vmcnt({n})\nC: v_mov_b32 v9, v{register}",
             *([("vmcnt-read", label, "C")] if n > age + 1 else []))
case("no-wait", ALL, "P: buffer_load_dword v1, off, s[4:7], 0\nC: v_mov_b32 v9, v1", ("vmcnt-read", "P", "C"))
case("address-is-read-at-once", ALL, "buffer_load_dword v1, v2, s[4:7], s8 offen\nv_mov_b32 v2, 0\ns_mov_b32 s8, 0")
case("store-needs-its-data", ALL, "P: buffer_load_dword v1, off, s[4:7], 0\nC: buffer_store_dword v1, off, s[4:7], 0",
     ("vmcnt-read", "P", "C"))
case("one-finding-for-one-wait", ALL,
     "P: buffer_load_dwordx2 v[1:2], off, s[4:7], 0\nC: v_mov_b32 v9, v1\nv_mov_b32 v9, v2", ("vmcnt-read", "P", "C"))
case("expcnt-is-another", ALL, "P: buffer_load_dword v1, off, s[4:7], 0\ns_waitcnt expcnt(0) lgkmcnt(0)\nC: v_mov_b32 v9, v1",
     ("vmcnt-read", "P", "C"))
case("overwrite", ALL, "P: buffer_load_dword v1, off, s[4:7], 0\nC: v_mov_b32 v1, 0", ("vmcnt-overwrite", "P", "C"))
case("load-over-load", ALL, "buffer_load_dword v1, off, s[4:7], 0\nbuffer_load_dword v1, off, s[4:7], 0")
case("lds-over-load", ALL, "s_mov_b32 m0, -1\nP: buffer_load_dword v1, off, s[4:7], 0\nC: ds_read_b32 v1, v2",
     ("vmcnt-overwrite", "P", "C"))
case("sample-over-load", ALL, "P: buffer_load_dword v1, off, s[4:7], 0\n"
     "C: image_sample v1, v[2:3], s[8:15], s[16:19] dmask:0x1", ("vmcnt-overwrite", "P", "C"))
case("sample-over-image-load", ALL, "P: image_load v1, v[2:3], s[8:15] dmask:0x1\n"
     "C: image_sample v1, v[2:3], s[8:15], s[16:19] dmask:0x1", ("vmcnt-overwrite", "P", "C"))
case("sample-over-sample", ALL, "image_sample v1, v[2:3], s[8:15], s[16:19] dmask:0x1\n"
     "image_gather4 v[0:3], v[4:5], s[8:15], s[16:19] dmask:0x1")
case("sample-over-global", GFX9, "P: global_load_dword v1, v[4:5], off\n"
     "C: image_sample v1, v[2:3], s[8:15], s[16:19] dmask:0x1", ("waw-vm-kind", "P", "C"))
case("returned-atomic", ALL, "P: buffer_atomic_add v1, off, s[4:7], 0 glc\nC: v_mov_b32 v9, v1", ("vmcnt-read", "P", "C"))
case("silent-atomic", ALL, "buffer_atomic_add v1, off, s[4:7], 0\nv_mov_b32 v9, v1")
case("tfe", ["gfx600"], "P: buffer_load_dword v1, off, s[4:7], 0 tfe\nC: v_mov_b32 v9, v2", ("vmcnt-read", "P", "C"))
case("image-data", ALL, "P: image_load v[1:2], v[4:5], s[8:15] dmask:0x5\nC: v_mov_b32 v9, v2", ("vmcnt-read", "P", "C"))
case("image-data-behind", ALL, "image_load v[1:2], v[4:5], s[8:15] dmask:0x5\nv_mov_b32 v9, v3")
case("backpressure", ALL[:3], "A: buffer_load_dword v1, off, s[4:7], 0\n"
     + "buffer_load_dword v2, off, s[4:7], 0\n" * 15 + "C: v_mov_b32 v9, v1")
case("no-backpressure", ALL[:3], "P: buffer_load_dword v1, off, s[4:7], 0\n"
     + "buffer_load_dword v2, off, s[4:7], 0\n" * 14 + "C: v_mov_b32 v9, v1", ("vmcnt-read", "P", "C"))
case("no-backpressure", GFX9, "P: buffer_load_dword v1, off, s[4:7], 0\n"
     + "buffer_load_dword v2, off, s[4:7], 0\n" * 62 + "C: v_mov_b32 v9, v1", ("vmcnt-read", "P", "C"))
case("wide-vmcnt", GFX9, "P: buffer_load_dword v1, off, s[4:7], 0\n"
     + "buffer_load_dword v2, off, s[4:7], 0\n" * 20 + "s_waitcnt vmcnt(20)\nv_mov_b32 v9, v1")
case("wide-vmcnt-too-many", GFX9, "P: buffer_load_dword v1, off, s[4:7], 0\n"
     + "buffer_load_dword v2, off, s[4:7], 0\n" * 20 + "s_waitcnt vmcnt(21)\nC: v_mov_b32 v9, v1",
     ("vmcnt-read", "P", "C"))
# Scalar memory finishes in any order; LDS in order; each class for itself.
case("smem", ALL, "P: s_load_dword s4, s[0:1], 0x0\nC: s_mov_b32 s5, s4", ("lgkmcnt-read", "P", "C"))
case("smem-waited", ALL, "s_load_dword s4, s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\ns_mov_b32 s5, s4")
case("smem-in-no-order", ALL, "P: s_load_dword s4, s[0:1], 0x0\ns_load_dword s6, s[0:1], 0x0\n"
     "s_waitcnt lgkmcnt(1)\nC: s_mov_b32 s5, s4", ("lgkmcnt-read", "P", "C"))
case("smem-over-smem", ALL, "P: s_load_dword s4, s[0:1], 0x0\nC: s_load_dword s4, s[0:1], 0x0",
     ("lgkmcnt-overwrite", "P", "C"))
case("smem-as-operand", ALL, "P: s_load_dwordx4 s[4:7], s[0:1], 0x0\nC: buffer_load_dword v1, off, s[4:7], 0",
     ("lgkmcnt-read", "P", "C"))
case("smem-to-vcc", ALL, "P: s_load_dwordx2 vcc, s[0:1], 0x0\nC: v_cndmask_b32 v1, v2, v3, vcc",
     ("lgkmcnt-read", "P", "C"))
case("clock", ALL, "P: s_memtime s[4:5]\nC: s_mov_b32 s6, s5", ("lgkmcnt-read", "P", "C"))
DS = "s_mov_b32 m0, -1\nP: ds_read_b32 v1, v2\nQ: ds_read_b32 v3, v2\n"
case("lds-in-order", ALL, DS + "s_waitcnt lgkmcnt(1)\nv_mov_b32 v9, v1")
case("lds-second", ALL, DS + "s_waitcnt lgkmcnt(1)\nC: v_mov_b32 v9, v3", ("lgkmcnt-read", "Q", "C"))
case("lds-among-smem", ALL, DS + "s_load_dword s4, s[0:1], 0x0\ns_waitcnt lgkmcnt(1)\nv_mov_b32 v9, v1")
case("lds-over-lds", ALL, DS + "ds_read_b32 v1, v2")
case("lds-read-needed-by-lds", ALL, DS + "C: ds_read_b32 v4, v1", ("lgkmcnt-read", "P", "C"))
case("swizzle", GFX8_9, "P: ds_swizzle_b32 v1, v2 offset:0\nC: v_mov_b32 v9, v1", ("lgkmcnt-read", "P", "C"))
# FLAT.
case("flat", GFX7_9, "P: flat_load_dword v1, v[2:3]\nC: v_mov_b32 v9, v1", ("vmcnt-read", "P", "C"))
case("flat-is-global", GFX7_9, "flat_load_dword v1, v[2:3]\ns_waitcnt vmcnt(0)\nv_mov_b32 v9, v1")
case("flat-lgkm", GFX7_9, "P: flat_load_dword v1, v[2:3]\ns_waitcnt vmcnt(0)\nC: v_mov_b32 v9, v1",
     ("flat-lgkm", "P", "C"), flags=["only=flat-lgkm"])
# Exports, GDS, stores of gfx6.
case("export", ALL, "P: exp mrt0 v0, v1, v2, v3 done vm\nC: v_mov_b32 v1, 0", ("expcnt-overwrite", "P", "C"))
case("export-waited", ALL, "exp mrt0 v0, v1, v2, v3 done vm\ns_waitcnt expcnt(0)\nv_mov_b32 v1, 0")
case("export-off", ALL, "exp mrt0 v0, off, off, off done vm\nv_mov_b32 v1, 0")
case("exports-in-order", ALL, "exp param0 v0, v0, v0, v0\nexp param1 v1, v1, v1, v1\ns_waitcnt expcnt(1)\nv_mov_b32 v0, 0")
case("exports-of-classes", ALL, "P: exp param0 v0, v0, v0, v0\nexp pos0 v1, v1, v1, v1 done\ns_waitcnt expcnt(1)\n"
     "C: v_mov_b32 v0, 0", ("expcnt-overwrite", "P", "C"))
case("export-exec", ALL, "P: exp mrt0 v0, v1, v2, v3 done vm\nC: s_mov_b64 exec, 0", ("expcnt-exec", "P", "C"))
case("store-data", GFX6, "P: buffer_store_dword v1, off, s[4:7], 0\nC: v_mov_b32 v1, 0", ("store-data", "P", "C"))
case("store-data-waited", GFX6, "buffer_store_dword v1, off, s[4:7], 0\ns_waitcnt expcnt(0)\nv_mov_b32 v1, 0")
case("store-data-elsewhere", GFX7_9, "buffer_store_dword v1, off, s[4:7], 0\nv_mov_b32 v1, 0")
# Joins and loops.
case("one-side-waits", ALL, """
    P: buffer_load_dword v1, off, s[4:7], 0
    s_cbranch_scc0 join
    s_waitcnt vmcnt(0)
    join: s_nop 0
    C: v_mov_b32 v9, v1""", ("vmcnt-read", "P", "C"))
case("both-sides-wait", ALL, """
    buffer_load_dword v1, off, s[4:7], 0
    s_cbranch_scc0 else
    s_waitcnt vmcnt(0)
    s_branch join
    else: s_waitcnt vmcnt(0)
    join: v_mov_b32 v9, v1""")
case("age-at-a-join", ALL, """
    P: buffer_load_dword v1, off, s[4:7], 0
    s_cbranch_scc0 join
    buffer_load_dword v2, off, s[4:7], 0
    join: s_waitcnt vmcnt(1)
    C: v_mov_b32 v9, v1""", ("vmcnt-read", "P", "C"))
case("loop", ALL, """
    head: s_nop 0
    C: v_mov_b32 v9, v1
    P: buffer_load_dword v1, off, s[4:7], 0
    s_cbranch_scc0 head
    s_waitcnt vmcnt(0)""", ("vmcnt-read", "P", "C"))
case("loop-waits", ALL, """
    buffer_load_dword v1, off, s[4:7], 0
    head: s_waitcnt vmcnt(0)
    v_mov_b32 v9, v1
    buffer_load_dword v1, off, s[4:7], 0
    s_cbranch_scc0 head""")
case("end-needs-nothing", ALL, "buffer_load_dword v1, off, s[4:7], 0\nbuffer_store_dword v2, off, s[4:7], 0")
# Lanes: the else side does not need what the then side loads.
THEN = """
    s_and_saveexec_b64 s[20:21], vcc
    s_xor_b64 s[20:21], exec, s[20:21]
    P: buffer_load_dword v1, off, s[4:7], 0
    s_andn2_saveexec_b64 s[20:21], s[20:21]"""
case("else-side", ALL, THEN + "\nv_mov_b32 v9, v1")
case("after-the-else-side", ALL, THEN + "\nv_mov_b32 v9, v1\ns_or_b64 exec, exec, s[20:21]")
case("lanes-ignore-exec", ALL, THEN + "\nC: v_readlane_b32 s22, v1, 0", ("vmcnt-read", "P", "C"))
case("then-side", ALL, """
    s_and_saveexec_b64 s[20:21], vcc
    P: buffer_load_dword v1, off, s[4:7], 0
    C: v_mov_b32 v9, v1""", ("vmcnt-read", "P", "C"))
case("all-lanes-again", ALL, """
    s_mov_b64 s[20:21], exec
    s_and_b64 exec, exec, vcc
    P: buffer_load_dword v1, off, s[4:7], 0
    s_mov_b64 exec, s[20:21]
    C: v_mov_b32 v9, v1""", ("vmcnt-read", "P", "C"))
case("or-saveexec", ALL, """
    s_and_saveexec_b64 s[20:21], vcc
    P: buffer_load_dword v1, off, s[4:7], 0
    s_or_b64 exec, exec, s[20:21]
    C: v_mov_b32 v9, v1""", ("vmcnt-read", "P", "C"))
# Two branches over both sides of an if are not both taken; one over a side, and one within the other side, may be.
SIDES = """
    P: buffer_load_dword v1, off, s[4:7], 0
    s_mov_b64 s[20:21], exec
    s_and_b64 exec, exec, vcc
    s_cbranch_execz else
    s_waitcnt vmcnt(0)
    else: s_andn2_b64 exec, s[20:21], exec
    s_cbranch_execz end
"""
case("both-sides-wait-lanes", ALL, SIDES + """
    s_waitcnt vmcnt(0)
    end: s_mov_b64 exec, s[20:21]
    v_mov_b32 v9, v1""")
case("side-within-a-side", ALL, SIDES + """
    s_mov_b64 s[22:23], exec
    v_cmpx_eq_u32 vcc, v2, v3
    s_cbranch_execz inner
    s_waitcnt vmcnt(0)
    inner: s_mov_b64 exec, s[22:23]
    end: s_mov_b64 exec, s[20:21]
    C: v_mov_b32 v9, v1""", ("vmcnt-read", "P", "C"))
# Calls: what a function's callers may rely on.
case("call", GFX9, "P: buffer_load_dword v1, off, s[4:7], 0\ns_swappc_b64 s[30:31], s[8:9]\nv_mov_b32 v9, v1")
case("call-address", GFX9, "P: s_load_dwordx2 s[8:9], s[0:1], 0x0\nC: s_swappc_b64 s[30:31], s[8:9]",
     ("lgkmcnt-read", "P", "C"))
# The order of memory.
case("barrier-lds", ALL, "s_mov_b32 m0, -1\nP: ds_write_b32 v1, v2\nC: s_barrier", ("barrier-lds-pending", "P", "C"))
case("barrier-lds-waited", ALL, "s_mov_b32 m0, -1\nds_write_b32 v1, v2\ns_waitcnt lgkmcnt(0)\ns_barrier")
# An access through FLAT for the same registers takes the place of an older one; part of them does not.
case("flat-newer", GFX7_9, "flat_load_dword v1, v[2:3]\nP: flat_load_dword v1, v[2:3]\ns_waitcnt vmcnt(0)\nC: v_mov_b32 v9, v1",
     ("flat-lgkm", "P", "C"), flags=["only=flat-lgkm"])
case("flat-newer-wider", GFX7_9,
     "flat_load_dword v1, v[4:5]\nP: flat_load_dwordx2 v[1:2], v[4:5]\ns_waitcnt vmcnt(0)\nC: v_mov_b32 v9, v1",
     ("flat-lgkm", "P", "C"), flags=["only=flat-lgkm"])
case("flat-newer-part", GFX7_9,
     "P: flat_load_dwordx2 v[1:2], v[4:5]\nflat_load_dword v1, v[4:5]\ns_waitcnt vmcnt(0)\nC: v_mov_b32 v9, v2",
     ("flat-lgkm", "P", "C"), flags=["only=flat-lgkm"])
DIVERGENT = ["only=barrier-divergent"]
FOUND = ("barrier-divergent", "P", "C")
SAVE = "P: s_and_saveexec_b64 s[4:5], vcc\n"
case("barrier-whole", ALL, "s_barrier", flags=DIVERGENT)
case("barrier-narrow", ALL, SAVE + "C: s_barrier", FOUND, flags=DIVERGENT)
case("barrier-cmpx", ALL, "P: v_cmpx_eq_u32 vcc, v0, v1\nC: s_barrier", FOUND, flags=DIVERGENT)
case("barrier-and", ALL, "P: s_and_b64 exec, exec, vcc\nC: s_barrier", FOUND, flags=DIVERGENT)
case("barrier-else", ALL, "s_mov_b64 s[4:5], exec\nP: s_andn2_b64 exec, s[4:5], vcc\nC: s_barrier", FOUND,
     flags=DIVERGENT)
case("barrier-restored", ALL, SAVE + "s_or_b64 exec, exec, s[4:5]\ns_barrier", flags=DIVERGENT)
case("barrier-moved-back", ALL, "s_mov_b64 s[4:5], exec\ns_and_b64 exec, exec, vcc\ns_mov_b64 s[6:7], s[4:5]\n"
     "s_mov_b64 exec, s[6:7]\ns_barrier", flags=DIVERGENT)
case("barrier-all", ALL, "s_and_b64 exec, exec, vcc\ns_mov_b64 exec, -1\ns_barrier", flags=DIVERGENT)
case("barrier-nested", ALL, SAVE + "s_and_saveexec_b64 s[6:7], s[8:9]\ns_or_b64 exec, exec, s[6:7]\nC: s_barrier",
     FOUND, flags=DIVERGENT)
case("barrier-lost-mask", ALL, SAVE + "s_mov_b32 s5, 0\ns_or_b64 exec, exec, s[4:5]\nC: s_barrier", FOUND,
     flags=DIVERGENT)
case("barrier-one-path", ALL, "s_cbranch_scc0 join\n" + SAVE + "join: s_nop 0\nC: s_barrier", FOUND,
     flags=DIVERGENT)
case("barrier-in-loop", ALL, "s_mov_b64 s[6:7], exec\nloop: s_nop 0\nC: s_barrier\nP: s_andn2_b64 exec, exec, vcc\n"
     "s_cbranch_execnz loop\ns_mov_b64 exec, s[6:7]\ns_barrier", FOUND, flags=DIVERGENT)
NOPS = ["only=wait-unneeded"]
UNNEEDED = ("wait-unneeded", None, "C")
LANE = "v_readlane_b32 s5, v1, s4"
case("nop-alone", ALL, "C: s_nop 0", UNNEEDED, flags=NOPS)
case("nop-needed", ALL, f"{V_SGPR}\ns_nop 3\n{LANE}", flags=NOPS)
case("nop-needed-among-others", ALL, f"{V_SGPR}\ns_sleep 0\ns_sleep 0\ns_sleep 0\ns_nop 0\n{LANE}", flags=NOPS)
case("nop-too-late", ALL, f"{V_SGPR}\ns_sleep 0\ns_sleep 0\ns_sleep 0\ns_sleep 0\nC: s_nop 0\n{LANE}", UNNEEDED,
     flags=NOPS)
case("nop-other-register", ALL, f"v_readfirstlane_b32 s6, v0\nC: s_nop 3\n{LANE}", UNNEEDED, flags=NOPS)
case("nop-overwritten", ALL, f"{V_SGPR}\nC: s_nop 3\ns_mov_b32 s4, 0\n{LANE}", UNNEEDED, flags=NOPS)
case("nop-before-the-end", ALL, f"{V_SGPR}\nC: s_nop 3", UNNEEDED, flags=NOPS)
case("nop-before-a-branch", ALL, f"{V_SGPR}\ns_nop 2\ns_cbranch_scc0 end\n{LANE}\nend: s_mov_b32 s0, 0", flags=NOPS)
case("nop-after-a-join", ALL, f"s_cbranch_scc0 join\n{V_SGPR}\njoin: s_nop 3\n{LANE}", flags=NOPS)
case("nop-in-a-run", GFX9, "s_load_dword s4, s[0:1], 0x0\ns_nop 0\ns_load_dword s0, s[2:3], 0x0\n"
     "s_waitcnt lgkmcnt(0)", flags=NOPS + ["replay"])
case("nop-in-no-run", GFX9, "s_load_dword s4, s[0:1], 0x0\nC: s_nop 0\ns_load_dword s0, s[2:3], 0x0\n"
     "s_waitcnt lgkmcnt(0)", UNNEEDED, flags=NOPS)
case("nop-behind-icache-inv", ALL, "s_icache_inv\ns_nop 0\ns_nop 0\ns_mov_b32 s0, 0", flags=NOPS)
INVALIDATED = ["only=icache-inv"]
ICACHE = ("icache-inv", None, "C")
case("icache-inv", ALL, "C: s_icache_inv\ns_mov_b32 s0, 0", ICACHE, flags=INVALIDATED)
case("icache-inv-15", ALL, "C: s_icache_inv\n" + "s_nop 0\n" * 15 + "s_mov_b32 s0, 0", ICACHE, flags=INVALIDATED)
case("icache-inv-one-long", ALL, "C: s_icache_inv\ns_nop 7\ns_nop 7\ns_mov_b32 s0, 0", ICACHE, flags=INVALIDATED)
case("icache-inv-16", ALL, "s_icache_inv\n" + "s_nop 0\n" * 16 + "s_mov_b32 s0, 0", flags=INVALIDATED)
case("icache-inv-jump", ALL, "s_icache_inv\ns_branch end\ns_mov_b32 s0, 0\nend: s_mov_b32 s0, 0", flags=INVALIDATED)
# 16 SGPRs are allocated: behind VCC are s[14:15].
ALIAS = ["stage=cs", "rsrc1=0x40", "only=vcc-alias"]
states("vcc-alias", ALL, "s_mov_b64 vcc, 0", "v_mov_b32 v1, s14", 1, flags=ALIAS)
states("vcc-alias", ALL, "v_cmp_eq_u32 vcc, v0, v1", "v_mov_b32 v1, s15", 1, flags=ALIAS)
states("vcc-alias", ALL, "s_mov_b32 s15, 0", "v_mov_b32 v1, vcc_hi", 1, flags=ALIAS)
case("vcc-alias-half", ALL, "s_mov_b32 s15, 0\nv_mov_b32 v1, vcc_lo", flags=ALIAS)
case("vcc-alias-same-name", ALL, "s_mov_b64 vcc, 0\nv_mov_b32 v1, vcc_lo", flags=ALIAS)
case("vcc-alias-scalar", ALL, "s_mov_b64 vcc, 0\ns_mov_b32 s0, s14", flags=ALIAS)
case("vcc-alias-unknown", ALL, "s_mov_b64 vcc, 0\nv_mov_b32 v1, s14", flags=["only=vcc-alias"])
case("barrier-vmem", ALL, "buffer_load_dword v1, off, s[4:7], 0\ns_barrier")
LDS_DMA = "s_mov_b32 m0, 0\ns_nop 0\nP: buffer_load_dword off, s[4:7], 0 lds\n"
case("lds-dma-barrier", ALL, LDS_DMA + "C: s_barrier", ("lds-dma-pending", "P", "C"))
case("lds-dma-read", ALL, LDS_DMA + "C: ds_read_b32 v1, v2", ("lds-dma-pending", "P", "C"))
case("lds-dma-alone", ALL, LDS_DMA + "C: s_barrier", ("lds-dma-pending", "P", "C"), flags=["only=lds-dma-pending"])
case("lds-dma-waited", ALL, LDS_DMA + "s_waitcnt vmcnt(0)\ns_barrier")
case("wbinvl1", ALL, "P: buffer_load_dword v1, off, s[4:7], 0\nC: buffer_wbinvl1", ("wbinvl1-pending", "P", "C"))
case("smem-store", GFX8_9, "s_store_dword s0, s[4:5], 0x0", ("smem-store-no-wb", None, "END"))
case("smem-store-wb", GFX8_9, "s_store_dword s0, s[4:5], 0x0\ns_nop 0\ns_dcache_wb")
case("gs-done", ALL, "P: buffer_store_dword v1, off, s[4:7], 0\ns_mov_b32 m0, 0\ns_nop 0\n"
     "C: s_sendmsg sendmsg(MSG_GS_DONE, GS_OP_NOP)", ("gs-done-vm", "P", "C"))
# VCCZ.
VCCZ = "C: s_cbranch_vccz end\ns_nop 0\nend: s_nop 0"
case("vccz-smem", GFX6_7, "s_load_dword s4, s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\n" + VCCZ, ("vccz-smem", None, "C"))
case("vccz-smem-elsewhere", GFX8_9, "s_load_dword s4, s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\n" + VCCZ)
case("vccz-smem-written", GFX6_7, "s_load_dword s4, s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\ns_mov_b64 vcc, vcc\n" + VCCZ)
case("vccz-smem-too-early", GFX6_7, "s_load_dword s4, s[0:1], 0x0\ns_mov_b64 vcc, vcc\ns_waitcnt lgkmcnt(0)\n" + VCCZ,
     ("vccz-smem", None, "C"))
case("vccz-partial", ALL, "s_mov_b32 vcc_lo, 0\n" + VCCZ, ("vccz-partial", None, "C"))
case("vccz-whole", ALL, "s_mov_b32 vcc_lo, 0\nv_cmp_eq_u32 vcc, v0, v1\n" + VCCZ)
# XNACK.
REPLAY = "A: s_load_dword s0, s[4:5], 0x0\nB: s_load_dwordx2 s[4:5], s[6:7], 0x0"
case("xnack", GFX8_9, REPLAY, ("xnack-clause", "A", "B"), flags=["replay"])
case("xnack-off", GFX8_9, REPLAY)
case("xnack-elsewhere", GFX6_7, REPLAY, flags=["replay"])
case("xnack-ended", GFX8_9, REPLAY.replace("\nB", "\ns_nop 0\nB"), flags=["replay"])
case("xnack-store", GFX9, "A: global_load_dword v1, v[2:3], off\nB: global_store_dword v[4:5], v6, off",
     ("xnack-clause", "A", "B"), flags=["replay"])
case("xnack-own-address", GFX9, "A: global_load_dword v1, v[2:3], off\nB: global_load_dwordx2 v[4:5], v[4:5], off",
     ("xnack-clause", "B", "B"), flags=["replay"])
case("xnack-alone", GFX9, "s_nop 0\nglobal_load_dwordx2 v[4:5], v[4:5], off", flags=["replay"])
# Other mistakes.
case("pixel-without-done", ALL, "exp mrt0 v0, v1, v2, v3 vm", ("ps-no-done", None, "END"), flags=["stage=ps"])
case("pixel-on-one-path", ALL, "s_cbranch_scc0 end\nexp mrt0 v0, v1, v2, v3 done vm\nend: s_nop 0",
     ("ps-no-done", None, "END"), flags=["stage=ps"])
case("pixel-without-vm", ALL, "C: exp mrt0 v0, v1, v2, v3 done", ("ps-no-vm", None, "C"), flags=["stage=ps"])
case("pixel", ALL, "exp mrt0 v0, v1, v2, v3\nexp mrtz v0, off, off, off done vm", flags=["stage=ps"])
case("vertex", ALL, "exp pos0 v0, v1, v2, v3 done\nexp param0 v0, v1, v2, v3", flags=["stage=vs"])
case("vertex-without-done", ALL, "exp pos0 v0, v1, v2, v3\nexp param0 v0, v1, v2, v3", ("vs-no-pos-done", None, "END"),
     flags=["stage=vs"])
case("after-done", ALL, "exp mrt0 v0, v1, v2, v3 done vm\nC: exp mrt1 v0, v1, v2, v3", ("export-after-done", None, "C"))
case("after-done-of-another-class", ALL, "exp pos0 v0, v1, v2, v3 done\nexp param0 v0, v1, v2, v3")
case("impossible", ALL, "C: s_waitcnt 0x80", ("wait-impossible", None, "C"))
case("impossible-vmcnt", ALL[:3], "C: s_waitcnt 0x4000", ("wait-impossible", None, "C"))
case("bits-of-later-chips", ALL[:3], "s_waitcnt 0xc07f\ns_waitcnt 0x3f70")
case("unneeded", ALL, "buffer_load_dword v1, off, s[4:7], 0\ns_waitcnt vmcnt(0)\nC: s_waitcnt vmcnt(0)",
     ("wait-unneeded", None, "C"), flags=["only=wait-unneeded"])
case("unneeded-age", ALL, "buffer_load_dword v1, off, s[4:7], 0\nC: s_waitcnt vmcnt(1)",
     ("wait-unneeded", None, "C"), flags=["only=wait-unneeded"])
case("needed-age", ALL, "buffer_load_dword v1, off, s[4:7], 0\nbuffer_load_dword v2, off, s[4:7], 0\ns_waitcnt vmcnt(1)",
     flags=["only=wait-unneeded"])
case("trap", ALL, "C: s_trap 2", ("trap-in-shader", None, "C"), flags=["only=trap-in-shader"])
case("halt", ALL, "C: s_sethalt 1", ("sethalt", None, "C"), flags=["only=sethalt"])
case("out-of-the-code", ALL, "C: s_branch 100", ("branch-target", None, "C"))
case("into-an-instruction", ALL, "C: s_cbranch_scc0 1\ns_mov_b32 s0, 0xbf800001", ("branch-target", None, "C"))
case("odd-pair", ALL, "C: s_load_dwordx2 s[4:5], s[0:1], 0x0\ns_waitcnt lgkmcnt(0)")
# What is written at the start of a compute shader with four user SGPRs: s0 to s9, v0.
LIVE = ["stage=cs", "rsrc2=0x88"]
case("m0-unwritten", ALL[:3], "C: ds_read_b32 v1, v0", ("lds-m0-uninit", None, "C"), flags=LIVE)
case("m0-not-needed", GFX9, "ds_read_b32 v1, v0", flags=LIVE)
case("m0-not-needed-by-counters", ALL, "ds_append v1\nds_consume v2 offset:8", flags=LIVE)
case("m0-needed-by-counters-of-gds", ALL, "C: ds_append v1 gds", ("uninit-m0", None, "C"),
     flags=LIVE + ["only=uninit-m0"])
case("m0-unwritten-message", ALL, "C: s_sendmsg sendmsg(MSG_INTERRUPT)", ("uninit-m0", None, "C"), flags=LIVE)
case("descriptor-unwritten", ALL, "C: buffer_load_dword v1, off, s[40:43], 0", ("uninit-descriptor", None, "C"),
     flags=LIVE)
case("sgpr-unwritten", ALL, "C: s_mov_b32 s0, s40", ("uninit-sgpr", None, "C"), flags=LIVE + ["only=uninit-sgpr"])
case("vgpr-unwritten", ALL, "C: v_mov_b32 v1, v7", ("uninit-vgpr", None, "C"), flags=LIVE + ["only=uninit-vgpr"])
case("written-on-one-path", ALL, "s_cbranch_scc0 join\ns_mov_b32 s40, 0\njoin: s_mov_b32 s0, s40",
     flags=LIVE + ["only=uninit-sgpr"])
case("vgpr-allocation", ALL, "C: v_mov_b32 v8, v0", ("vgpr-over-alloc", None, "C"), flags=["stage=cs", "rsrc1=0x1"])
case("vgpr-allocation-ok", ALL, "v_mov_b32 v7, v0", flags=["stage=cs", "rsrc1=0x1"])
case("sgpr-allocation", ALL, "C: s_mov_b32 s16, s0", ("sgpr-over-alloc", None, "C"), flags=["stage=cs", "rsrc1=0x40"])
case("sgpr-allocation-ok", ALL, "s_mov_b64 vcc, 0\ns_mov_b32 s15, s0", flags=["stage=cs", "rsrc1=0x40"])


def main():
    lines = ["# Cases of the linter, made by corpus/tools/lint_cases.py. Do not edit.",
             "# @ name, chip, flags; ! rule, earlier address or -, later address; > words; ; text"]
    done = set()
    for chip in ALL:
        of_chip = [case for case in cases if case[1] == chip]
        listings = assemble(chip, [case[2] + "\nEND: s_endpgm" for case in of_chip])
        for (name, _, _, findings, flags), (words, labels, text) in zip(of_chip, listings):
            place = lambda label: "-" if label is None else f"{labels[label]:#x}"
            lines.append(" ".join(["@", name, chip, *flags]))
            lines += [f"! {rule} {place(producer)} {place(consumer)}" for rule, producer, consumer in findings]
            lines.append("> " + " ".join(f"{word:08x}" for word in words))
            lines += [] if name in done else [f"; {line}" for line in text]
            done.add(name)
    with open("crates/lint/tests/cases.txt", "w") as out:
        out.write("\n".join(lines) + "\n")
    print(len(cases), "cases")


main()
