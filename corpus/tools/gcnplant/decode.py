"""Instructions with the registers that they read and write, for gcn1.0 to gcn1.4.1.

Registers are numbers: 0 to 127 scalar operand codes (VCC 106, EXEC 126, M0 124), 253 SCC, 256 + n VGPRs.
"""

import csv
import re
from dataclasses import dataclass, field
from pathlib import Path

ARCHES = ["gcn1.0", "gcn1.1", "gcn1.2", "gcn1.4", "gcn1.4.1"]
COLUMNS = dict(zip(ARCHES, ["opcode_gcn10", "opcode_gcn11", "opcode_gcn12", "opcode_gcn14", "opcode_gcn141"]))
VCC, M0, EXEC, SCC, VGPR = 106, 124, 126, 253, 256
LITERAL, SDWA, DPP = 255, 249, 250


class Undecoded(Exception):
    """A word that no row explains."""


@dataclass
class Inst:
    """An instruction. `fields` are encoding fields by name; `words` its dwords."""

    pc: int
    words: tuple
    encoding: str
    name: str
    fields: dict
    reads: set = field(default_factory=set)
    writes: set = field(default_factory=set)
    is_vop3: bool = False

    @property
    def size(self):
        return 4 * len(self.words)

    @property
    def is_valu(self):
        return self.encoding in ("VOP1", "VOP2", "VOP3", "VOP3P", "VOPC")


def rows(arch):
    """Returns {encoding: {opcode: (mnemonic, widths)}} of a generation."""
    table = {}
    with open(Path(__file__).parent.parent / "opcodes.csv") as file:
        for row in csv.DictReader(file):
            number = row[COLUMNS[arch]]
            if number != "":
                widths = [int(row[key] or 0) // 32 for key in ("dst_width", "src0_width", "src1_width")]
                table.setdefault(row["encoding"], {})[int(number)] = (row["mnemonic"], widths)
    return table


def span(first, count):
    """`count` registers from an operand code on; none if the code is a constant."""
    if first is None or 128 <= first < VGPR:
        return set()
    return set(range(first, first + count))


def last_width(name):
    """Width in dwords that the last type in a name says."""
    found = re.findall(r"_[fbiu](\d+)", name)
    return 2 if found and found[-1] == "64" else 1


def valu_widths(name):
    """Returns widths of the destination and of three sources."""
    base = last_width(name)
    if name in ("v_qsad_pk_u16_u8", "v_mqsad_pk_u16_u8"):
        return 2, (2, 1, 2)
    if name == "v_mqsad_u32_u8":
        return 4, (2, 1, 4)
    if name in ("v_mad_u64_u32", "v_mad_i64_i32"):
        return 2, (1, 1, 2)
    if name.startswith("v_cvt_"):
        return (2 if re.match(r"v_cvt_f64_", name) else 1), (base, 1, 1)
    if name.startswith("v_frexp_exp_"):
        return 1, (base, 1, 1)
    if name in ("v_lshlrev_b64", "v_lshrrev_b64", "v_ashrrev_i64"):
        return 2, (1, 2, 1)
    if name in ("v_lshl_b64", "v_lshr_b64", "v_ashr_i64", "v_ldexp_f64", "v_trig_preop_f64"):
        return 2, (2, 1, 1)
    if name.startswith("v_cmp") and "class" in name:
        return 2, (base, 1, 1)
    if name.startswith("v_cmp"):
        return 2, (base, base, 1)
    return base, (base, base, base)


class Decoder:
    """Decodes the words of one generation."""

    def __init__(self, arch):
        self.arch, self.table = arch, rows(arch)
        self.before12 = arch in ("gcn1.0", "gcn1.1")
        self.is14 = arch in ("gcn1.4", "gcn1.4.1")

    def look(self, encoding, opcode):
        try:
            return self.table[encoding][opcode]
        except KeyError:
            raise Undecoded(f"{encoding} {opcode}") from None

    def decode(self, words, index, pc):
        """Decodes the instruction at words[index]. Raises Undecoded."""
        word = words[index]
        second = words[index + 1] if index + 1 < len(words) else None
        if word >> 31 == 0:
            return self.vector4(word, second, pc)
        top = word >> 26
        if word >> 30 == 2:
            return self.scalar(word, second, pc)
        if top == 0b110100:
            if self.is14 and word >> 23 == 0b110100111:
                return self.vop3p(word, self.need(second), pc)
            return self.vop3(word, self.need(second), pc)
        if word >> 27 == 0b11000 and self.before12:
            return self.smrd(word, second, pc)
        if top == (0b110010 if self.before12 else 0b110101):
            return self.vintrp(word, pc)
        second = self.need(second)
        if top == 0b110000 and not self.before12:
            return self.smem(word, second, pc)
        if top == 0b110110:
            return self.ds(word, second, pc)
        if top == 0b110111 and self.arch != "gcn1.0":
            return self.flat(word, second, pc)
        if top == 0b111000:
            return self.mubuf(word, second, pc)
        if top == 0b111010:
            return self.mtbuf(word, second, pc)
        if top == 0b111100:
            return self.mimg(word, second, pc)
        if top == (0b111110 if self.before12 else 0b110001):
            return self.export(word, second, pc)
        raise Undecoded(f"{word:08x}")

    @staticmethod
    def need(second):
        if second is None:
            raise Undecoded("truncated")
        return second

    # Scalar

    def scalar(self, word, second, pc):
        if word >> 23 == 0x17F:
            name, _ = self.look("SOPP", word >> 16 & 0x7F)
            inst = Inst(pc, (word,), "SOPP", name, {"simm": word & 0xFFFF})
            if "scc" in name:
                inst.reads.add(SCC)
            elif "vcc" in name:
                inst.reads |= {VCC, VCC + 1}
            elif "exec" in name:
                inst.reads |= {EXEC, EXEC + 1}
            elif name in ("s_sendmsg", "s_sendmsghalt", "s_ttracedata"):
                inst.reads.add(M0)
            return inst
        if word >> 23 == 0x17E:
            return self.finish_scalar("SOPC", word >> 16 & 0x7F, word, second, pc, None, word & 0xFF, word >> 8 & 0xFF)
        if word >> 23 == 0x17D:
            return self.finish_scalar("SOP1", word >> 8 & 0xFF, word, second, pc, word >> 16 & 0x7F, word & 0xFF, None)
        if word >> 28 == 0xB:
            return self.sopk(word, second, pc)
        dst, opcode = word >> 16 & 0x7F, word >> 23 & 0x7F
        return self.finish_scalar("SOP2", opcode, word, second, pc, dst, word & 0xFF, word >> 8 & 0xFF)

    def finish_scalar(self, encoding, opcode, word, second, pc, dst, src0, src1):
        name, (dst_width, width0, width1) = self.look(encoding, opcode)
        literal = LITERAL in (src0 if width0 else None, src1 if width1 else None)
        words = (word, self.need(second)) if literal else (word,)
        inst = Inst(pc, words, encoding, name, {"sdst": dst, "ssrc0": src0, "ssrc1": src1})
        inst.reads |= span(src0, width0) | span(src1, width1)
        if dst_width and dst is not None:
            inst.writes |= span(dst, dst_width)
        if "saveexec" in name or "_wrexec" in name:
            inst.reads |= {EXEC, EXEC + 1}
            inst.writes |= {EXEC, EXEC + 1}
        if name.startswith(("s_cselect", "s_addc", "s_subb", "s_cmov")):
            inst.reads.add(SCC)
        if encoding == "SOPC" or re.match(
            r"s_(add|sub|min|max|and|or|xor|nand|nor|xnor|not|andn|orn|lsh|ash|bfe|absdiff|abs|wqm|quadmask|bcnt)", name
        ):
            inst.writes.add(SCC)
        if name.startswith("s_movrel"):
            inst.reads.add(M0)
        if name.startswith(("s_bitset", "s_cmov", "s_movreld")):
            inst.reads |= span(dst, max(dst_width, 1))
        return inst

    def sopk(self, word, second, pc):
        name, (dst_width, _, _) = self.look("SOPK", word >> 23 & 0x1F)
        dst = word >> 16 & 0x7F
        words = (word, self.need(second)) if name == "s_setreg_imm32_b32" else (word,)
        inst = Inst(pc, words, "SOPK", name, {"sdst": dst, "simm": word & 0xFFFF})
        if name.startswith("s_cmpk") or name in (
            "s_setreg_b32",
            "s_addk_i32",
            "s_mulk_i32",
            "s_cbranch_i_fork",
            "s_cmovk_i32",
        ):
            inst.reads |= span(dst, 2 if "fork" in name else 1)
        if name in ("s_movk_i32", "s_cmovk_i32", "s_addk_i32", "s_mulk_i32", "s_getreg_b32"):
            inst.writes.add(dst)
        if name == "s_call_b64":
            inst.writes |= {dst, dst + 1}
        if name.startswith("s_cmpk") or name == "s_addk_i32":
            inst.writes.add(SCC)
        if name == "s_cmovk_i32":
            inst.reads.add(SCC)
        return inst

    # Vector ALU

    def vector4(self, word, second, pc):
        src0 = word & 0x1FF
        if word >> 25 == 0x3F:
            encoding, opcode, src1, dst = "VOP1", word >> 9 & 0xFF, None, word >> 17 & 0xFF
        elif word >> 25 == 0x3E:
            encoding, opcode, src1, dst = "VOPC", word >> 17 & 0xFF, VGPR + (word >> 9 & 0xFF), None
        else:
            encoding, opcode, src1, dst = "VOP2", word >> 25 & 0x3F, VGPR + (word >> 9 & 0xFF), word >> 17 & 0xFF
        name, _ = self.look(encoding, opcode)
        extended = src0 in (LITERAL, SDWA, DPP) if not self.before12 else src0 == LITERAL
        if name in ("v_madmk_f32", "v_madak_f32", "v_madmk_f16", "v_madak_f16"):
            extended = True
        words = (word, self.need(second)) if extended else (word,)
        inst = Inst(pc, words, encoding, name, {"src0": src0, "src1": src1, "vdst": dst})
        sources = [src0, src1]
        if not self.before12 and src0 == DPP:
            sources[0] = VGPR + (second & 0xFF)
            inst.fields["dpp"] = True
        elif not self.before12 and src0 == SDWA:
            scalar0, scalar1 = self.is14 and second >> 23 & 1, self.is14 and second >> 31 & 1
            sources[0] = (second & 0xFF) + (0 if scalar0 else VGPR)
            if scalar1 and src1 is not None:
                sources[1] = src1 - VGPR
            inst.fields["sdwa"] = True
        if name in ("v_readlane_b32", "v_writelane_b32"):
            sources[1] = src1 - VGPR
        sdst = VCC
        if self.is14 and src0 == SDWA and encoding == "VOPC" and second >> 15 & 1:
            sdst = second >> 8 & 0x7F
        preserved = (src0 == SDWA and encoding != "VOPC" and second >> 11 & 3 == 2) or src0 == DPP
        if self.before12:
            preserved = False
        return self.finish_valu(inst, sources, dst, sdst, VCC, preserved)

    def finish_valu(self, inst, sources, dst, sdst, carry_in, preserved=False):
        name = inst.name
        width, widths = valu_widths(name)
        for source, count in zip(sources, widths):
            inst.reads |= span(source, count)
        if name in ("v_nop", "v_clrexcp"):
            inst.reads.clear()
            return inst
        if name.startswith("v_cmp"):
            inst.writes |= span(sdst, 2)
            if name.startswith("v_cmpx"):
                inst.writes |= {EXEC, EXEC + 1}
            return inst
        if name in ("v_readlane_b32", "v_readfirstlane_b32"):
            inst.writes |= span(dst, 1)
            return inst
        inst.writes |= span(VGPR + dst, width)
        if self.carries_out(name):
            inst.writes |= span(sdst, 2)
        if name.startswith(("v_addc", "v_subb", "v_cndmask")):
            inst.reads |= span(carry_in, 2)
        if name.startswith("v_div_fmas"):
            inst.reads |= {VCC, VCC + 1}
        if preserved or name.startswith(
            ("v_mac_", "v_fmac_", "v_writelane", "v_mad_mixlo", "v_mad_mixhi", "v_fma_mixlo", "v_fma_mixhi")
        ):
            inst.reads |= span(VGPR + dst, width)
        if name == "v_swap_b32":
            inst.writes |= set(sources[:1])
            inst.reads |= span(VGPR + dst, 1)
        if name.startswith("v_movrel"):
            inst.reads.add(M0)
        return inst

    def carries_out(self, name):
        if name.startswith(("v_addc", "v_subb", "v_div_scale", "v_mad_u64_u32", "v_mad_i64_i32")) or "_co_" in name:
            return True
        if self.before12:
            return name in ("v_add_i32", "v_sub_i32", "v_subrev_i32")
        return self.arch == "gcn1.2" and name in ("v_add_u32", "v_sub_u32", "v_subrev_u32")

    def vop3(self, word, second, pc):
        opcode = word >> 17 & 0x1FF if self.before12 else word >> 16 & 0x3FF
        if opcode < 0x100:
            encoding, number = "VOPC", opcode
        elif opcode < (0x140 if not self.before12 else 0x140):
            encoding, number = "VOP2", opcode - 0x100
        elif not self.before12 and opcode < 0x1C0:
            encoding, number = "VOP1", opcode - 0x140
        elif self.before12 and opcode >= 0x180:
            encoding, number = "VOP1", opcode - 0x180
        else:
            encoding, number = "VOP3", opcode
        name, _ = self.look(encoding, number)
        sources = [second & 0x1FF, second >> 9 & 0x1FF, second >> 18 & 0x1FF]
        dst = word & 0xFF
        inst = Inst(
            pc,
            (word, second),
            encoding,
            name,
            {"src0": sources[0], "src1": sources[1], "src2": sources[2], "vdst": dst},
            is_vop3=True,
        )
        if name.startswith("v_interp"):
            inst.fields["interp"] = True
            inst.reads |= {sources[1], M0}
            if "p2" in name or "p1lv" in name:
                inst.reads |= span(sources[2], 1)
            inst.writes.add(VGPR + dst)
            return inst
        carry_in = sources[2]
        if encoding == "VOP1":
            sources = sources[:1]
        elif encoding in ("VOP2", "VOPC") or name in TWO_SOURCES or last_two(name):
            sources = sources[:2]
        sdst = dst & 0x7F if name.startswith("v_cmp") else word >> 8 & 0x7F
        return self.finish_valu(inst, sources, dst, sdst, carry_in)

    def vop3p(self, word, second, pc):
        name, _ = self.look("VOP3P", word >> 16 & 0x7F)
        sources = [second & 0x1FF, second >> 9 & 0x1FF, second >> 18 & 0x1FF]
        dst = word & 0xFF
        inst = Inst(
            pc,
            (word, second),
            "VOP3P",
            name,
            {"src0": sources[0], "src1": sources[1], "src2": sources[2], "vdst": dst},
            is_vop3=True,
        )
        if not re.match(r"v_(pk_mad|pk_fma|dot|mad_mix|fma_mix)", name):
            sources = sources[:2]
        return self.finish_valu(inst, sources, dst, None, None)

    def vintrp(self, word, pc):
        name, _ = self.look("VINTRP", word >> 16 & 3)
        dst, source = word >> 18 & 0xFF, word & 0xFF
        inst = Inst(
            pc, (word,), "VINTRP", name, {"vdst": dst, "vsrc": source, "attr": word >> 10 & 63, "chan": word >> 8 & 3}
        )
        inst.reads.add(M0)
        if name != "v_interp_mov_f32":
            inst.reads.add(VGPR + source)
        if name == "v_interp_p2_f32":
            inst.reads.add(VGPR + dst)
        inst.writes.add(VGPR + dst)
        return inst

    # Memory

    @staticmethod
    def scalar_count(name):
        found = re.search(r"dwordx(\d+)", name)
        return int(found.group(1)) if found else 2 if name in ("s_memtime", "s_memrealtime") or "_x2" in name else 1

    def smrd(self, word, second, pc):
        name, _ = self.look("SMRD", word >> 22 & 0x1F)
        imm, offset = word >> 8 & 1, word & 0xFF
        literal = not imm and offset == 255 and self.arch == "gcn1.1"
        fields = {
            "sdst": word >> 15 & 0x7F,
            "sbase": (word >> 9 & 0x3F) * 2,
            "imm": imm,
            "offset": offset,
            "literal": literal,
        }
        inst = Inst(pc, (word, self.need(second)) if literal else (word,), "SMEM", name, fields)
        self.finish_smem(inst, None if imm or literal else offset)
        return inst

    def smem(self, word, second, pc):
        name, _ = self.look("SMEM", word >> 18 & 0xFF)
        imm = word >> 17 & 1
        fields = {
            "sdst": word >> 6 & 0x7F,
            "sbase": (word & 0x3F) * 2,
            "imm": imm,
            "offset": second & 0x1FFFFF,
            "glc": word >> 16 & 1,
        }
        inst = Inst(pc, (word, second), "SMEM", name, fields)
        soe = self.is14 and word >> 14 & 1
        self.finish_smem(inst, second >> 25 & 0x7F if soe else None if imm else second & 0x7F)
        return inst

    def finish_smem(self, inst, soffset):
        name, fields = inst.name, inst.fields
        count = self.scalar_count(name)
        if name.startswith(("s_dcache", "s_atc")):
            return
        if name not in ("s_memtime", "s_memrealtime"):
            inst.reads |= span(fields["sbase"], 4 if "buffer" in name else 2) | span(soffset, 1)
        data = span(fields["sdst"], count * (2 if "cmpswap" in name else 1))
        if "store" in name or "atomic" in name:
            inst.reads |= data
            if "atomic" in name and fields.get("glc"):
                inst.writes |= span(fields["sdst"], count)
        else:
            inst.writes |= data

    def ds(self, word, second, pc):
        name, _ = self.look("DS", word >> (18 if self.before12 else 17) & 0xFF)
        gds = word >> (17 if self.before12 else 16) & 1
        address, data0, data1, dst = (VGPR + (second >> shift & 0xFF) for shift in (0, 8, 16, 24))
        inst = Inst(pc, (word, second), "DS", name, {"gds": gds, "vdst": dst - VGPR})
        width = 4 if "b128" in name else 3 if "b96" in name else 2 if re.search(r"_[bufi]64", name) else 1
        if not self.is14:
            inst.reads.add(M0)
        if name in ("ds_nop", "ds_gws_sema_v", "ds_gws_sema_p", "ds_gws_sema_release_all"):
            return inst
        if "addtid" in name or "append" in name or "consume" in name:
            inst.reads.add(M0)
            (inst.reads if "write" in name else inst.writes).add(data0 if "write" in name else dst)
            return inst
        inst.reads.add(address)
        if "gws" in name:
            return inst
        returns = "rtn" in name or re.match(r"ds_(read|swizzle|permute|bpermute|ordered|condxchg)", name)
        if returns:
            inst.writes |= span(dst, width * (2 if re.match(r"ds_(read2|wrxchg2)", name) else 1))
        takes = not re.match(r"ds_(read|swizzle|ordered)", name) and "src2" not in name
        if takes:
            inst.reads |= span(data0, width)
            if re.match(r"ds_(write2|wrxchg2|cmpst|mskor)", name):
                inst.reads |= span(data1, width)
        return inst

    def flat(self, word, second, pc):
        segment = (word >> 14 & 3) if self.is14 else 0
        encoding = ("FLAT", "SCRATCH", "GLOBAL", "FLAT")[segment]
        name, _ = self.look(encoding, word >> 18 & 0x7F)
        address, data, dst = VGPR + (second & 0xFF), VGPR + (second >> 8 & 0xFF), VGPR + (second >> 24)
        saddr = second >> 16 & 0x7F
        lds = self.is14 and word >> 13 & 1
        inst = Inst(pc, (word, second), encoding, name, {"glc": word >> 16 & 1, "saddr": saddr, "lds": lds})
        has_saddr = segment and saddr != 0x7F
        if segment == 1:
            inst.reads |= span(saddr, 1) if has_saddr else {address}
        else:
            inst.reads |= span(address, 1 if has_saddr else 2) | (span(saddr, 2) if has_saddr else set())
        self.finish_vmem(inst, data, dst, vector_count(name), lds)
        return inst

    def finish_vmem(self, inst, data, dst, count, lds):
        name = inst.name
        if "atomic" in name:
            inst.reads |= span(data, count * (2 if "cmpswap" in name else 1))
            if inst.fields["glc"]:
                inst.writes |= span(dst, count)
            inst.fields["data"] = span(data, count * (2 if "cmpswap" in name else 1))
        elif "store" in name:
            inst.fields["data"] = span(data, count)
            inst.reads |= inst.fields["data"]
        elif not lds:
            inst.writes |= span(dst, count)
            if "d16" in name:
                inst.reads |= set()
        if lds:
            inst.reads.add(M0)

    def buffer(self, encoding, name, word, second, pc):
        address, data = VGPR + (second & 0xFF), VGPR + (second >> 8 & 0xFF)
        offen, idxen, addr64 = word >> 12 & 1, word >> 13 & 1, self.before12 and word >> 15 & 1
        lds, tfe = encoding == "MUBUF" and word >> 16 & 1, second >> 23 & 1
        fields = {"glc": word >> 14 & 1, "lds": lds, "soffset": second >> 24, "offset": word & 0xFFF}
        inst = Inst(pc, (word, second), encoding, name, fields)
        if name.startswith("buffer_wbinvl1"):
            return inst
        inst.reads |= span(address, 2 if addr64 else offen + idxen) | span((second >> 16 & 0x1F) * 4, 4)
        inst.reads |= span(second >> 24, 1)
        count = vector_count(name, packed_d16=self.is14)
        self.finish_vmem(inst, data, data, count + (tfe if inst.name.find("load") >= 0 else 0), lds)
        return inst

    def mubuf(self, word, second, pc):
        name, _ = self.look("MUBUF", word >> 18 & 0x7F)
        return self.buffer("MUBUF", name, word, second, pc)

    def mtbuf(self, word, second, pc):
        name, _ = self.look("MTBUF", word >> 16 & 7 if self.before12 else word >> 15 & 15)
        return self.buffer("MTBUF", name, word, second, pc)

    def mimg(self, word, second, pc):
        name, _ = self.look("MIMG", word >> 18 & 0x7F)
        dmask, array, short = word >> 8 & 15, word >> 14 & 1, word >> 15 & 1
        address, data = VGPR + (second & 0xFF), VGPR + (second >> 8 & 0xFF)
        sampler = re.match(r"image_(sample|gather|get_lod)", name) is not None
        fields = {"glc": word >> 13 & 1, "dmask": dmask, "sampler": sampler, "lds": 0, "r128": short and not self.is14}
        inst = Inst(pc, (word, second), "MIMG", name, fields)
        inst.reads |= span((second >> 16 & 0x1F) * 4, 4 if fields["r128"] else 8)
        if sampler:
            inst.reads |= span((second >> 21 & 0x1F) * 4, 4)
        parts = name.split("_")
        # The least number of address registers: one coordinate, more where the name asks for them.
        count = 1 + ("gather4" in parts or "gather4h" in parts) + array
        count += sum(part in ("o", "c", "b", "l", "cl", "mip") for part in parts[1:])
        count += 2 if "d" in parts or "cd" in parts else 0
        inst.reads |= span(address, count if "a16" not in fields else 1)
        values = 4 if "gather" in name else max(bin(dmask).count("1"), 1)
        if second >> 31 and self.is14:
            values = (values + 1) // 2
        if "load" in name or sampler or "resinfo" in name:
            values += word >> 16 & 1 or word >> 17 & 1
        if "atomic" in name:
            values = bin(dmask).count("1")
            inst.fields["data"] = span(data, values)
            inst.reads |= inst.fields["data"]
            if inst.fields["glc"]:
                inst.writes |= span(data, max(values // (2 if "cmpswap" in name else 1), 1))
        elif "store" in name:
            inst.fields["data"] = span(data, values)
            inst.reads |= inst.fields["data"]
        else:
            inst.writes |= span(data, values)
        return inst

    def export(self, word, second, pc):
        sources = [VGPR + (second >> shift & 0xFF) for shift in (0, 8, 16, 24)]
        enabled, compressed = word & 15, word >> 10 & 1
        inst = Inst(
            pc,
            (word, second),
            "EXP",
            "exp",
            {"en": enabled, "target": word >> 4 & 63, "compr": compressed, "done": word >> 11 & 1},
        )
        for component in range(4):
            if enabled >> component & 1:
                inst.reads.add(sources[component // 2 if compressed else component])
        inst.fields["sources"] = sources
        return inst


TWO_SOURCES = {
    "v_add_f64",
    "v_mul_f64",
    "v_min_f64",
    "v_max_f64",
    "v_ldexp_f64",
    "v_mul_lo_u32",
    "v_mul_hi_u32",
    "v_mul_hi_i32",
    "v_mul_lo_i32",
    "v_ldexp_f32",
    "v_readlane_b32",
    "v_writelane_b32",
    "v_bcnt_u32_b32",
    "v_mbcnt_lo_u32_b32",
    "v_mbcnt_hi_u32_b32",
    "v_lshlrev_b64",
    "v_lshrrev_b64",
    "v_ashrrev_i64",
    "v_trig_preop_f64",
    "v_bfm_b32",
    "v_lshl_b64",
    "v_lshr_b64",
    "v_ashr_i64",
    "v_add_i32",
    "v_sub_i32",
    "v_add_i16",
    "v_sub_i16",
    "v_pack_b32_f16",
}


def last_two(name):
    """Whether a conversion packs two sources."""
    return name.startswith(("v_cvt_pknorm", "v_cvt_pkrtz", "v_cvt_pk_u16", "v_cvt_pk_i16"))


def vector_count(name, packed_d16=False):
    """Number of data dwords of a buffer or flat instruction."""
    found = re.search(r"dwordx(\d)", name)
    if found:
        return int(found.group(1))
    found = re.search(r"format_(?:d16_)?(?:hi_)?(x|xy|xyz|xyzw)$", name)
    if found:
        count = len(found.group(1))
        return (count + 1) // 2 if "d16" in name and packed_d16 else count
    return 2 if name.endswith("_x2") else 1
