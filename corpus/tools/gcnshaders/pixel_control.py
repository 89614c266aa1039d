"""Pixel shaders for the engine more than for the picture: masks, branches, registers, conversions of targets."""

import math
import struct
from fractions import Fraction

from gcnmem.formats import rounded

from .base import f16, f32, half, number
from .images import FLOAT, Image, combined, point
from .pixel_color import RAMP
from .pixel_texture import PROLOGUE, QUAD, SAMPLING
from .pixels import COVERAGES, Pixels, derivatives, of_generations, pixel


@pixel
def demote_to_helper(s):
    """Pixels that are killed go on as helpers: later derivatives still see them."""
    p = Pixels(s, COVERAGES[0], mask=2)
    value = p.varying(0, (0.25, 1.0, 2.0), (1.0, -1.0, 4.0))
    p.place_attributes()
    s.text("""
        s_mov_b64 s[4:5], exec
        s_wqm_b64 exec, exec
        s_mov_b32 m0, s2
        [9] s_nop 0
        interp v2, attr0.xy
        v_mul_f32 v4, v3, v3
        v_and_b32 v5, 1, v4
        v_cmp_gt_f32 vcc, 0.5, v2
        s_andn2_b64 s[4:5], s[4:5], vcc
        s_cbranch_scc0 nothing
        s_wqm_b64 s[6:7], s[4:5]
        s_and_b64 exec, exec, s[6:7]
        quad v6, v4, 0,0,0,0
        quad v7, v4, 1,1,1,1
        quad v8, v4, 2,2,2,2
        v_sub_f32 v7, v7, v6
        v_sub_f32 v8, v8, v6
        s_mov_b64 exec, s[4:5]
        exp mrt0 v7, v8, v2, off done vm
        s_endpgm
    nothing:
        exp null off, off, off, off done vm
        s_endpgm""")
    stay = [lane for lane in s.lanes() if value(lane)[0] >= 0.5]
    assert any(lane & ~3 | k not in stay for lane in stay for k in range(4))
    square = lambda lane: value(lane)[1] ** 2
    s.export("mrt0", lambda lane: [*derivatives(square, lane), value(lane)[0]], done=True, vm=True, lanes=stay)


@pixel
def one_of_two_exports(s):
    """A uniform branch: two ways to end, with other targets."""
    p = Pixels(s, COVERAGES[1], mask=2)
    colour = p.varying(0, *RAMP)
    p.place_attributes()
    s.s(3, 5)
    s.text("""
        s_mov_b32 m0, s2
        [9] s_nop 0
        interp v2, attr0.xyzw
        s_bitcmp1_b32 s3, 1
        s_cbranch_scc1 other
        s_bitcmp1_b32 s3, 2
        s_cbranch_scc0 other
        exp mrt0 v5, v4, v3, v2
        exp mrtz v2, off, off, off done vm
        s_endpgm
    other:
        exp mrt0 v2, v3, v4, v5 done vm
        s_endpgm""")
    s.export("mrt0", lambda lane: colour(lane)[::-1])
    s.export("mrtz", lambda lane: colour(lane)[:1], done=True, vm=True)


@pixel
def m0_comes_and_goes(s):
    """Interpolation, LDS and interpolation again: M0 changes in between, at another offset with other primitives."""
    p = Pixels(s, COVERAGES[2], mask=2, starts=(3, 9))
    colour = p.varying(0, [(0.5, 1.0, k) for k in (1.0, 2.0, -1.0)], (0.25, 0.5, 0.5))
    p.place_attributes()
    s.lds_size = 1024
    s.text("""
        s_mov_b32 m0, s2
        [9] s_nop 0
        interp v2, attr0.x
        [678] s_mov_b32 m0, -1
        v_mbcnt_lo_u32_b32 v3, -1, 0
        v_mbcnt_hi_u32_b32 v3, -1, v3
        v_lshlrev_b32 v3, 2, v3
        ds_write_b32 v3, v2 offset:512
        v_xor_b32 v3, 0xfc, v3
        s_waitcnt lgkmcnt(0)
        ds_read_b32 v4, v3 offset:512
        s_waitcnt lgkmcnt(0)
        s_and_b32 m0, s2, 0x8000ffff
        s_or_b32 m0, m0, 0x01040000
        [9] s_nop 0
        interp v5, attr0.y
        exp mrt0 v2, v4, v5, off done vm
        s_endpgm""")
    # 0x0104: the same quads 3 and 9 begin primitives
    every = {lane: colour(lane)[0] for lane in s.lanes()}

    def seen(lane):
        other = 63 - lane
        return [every[lane], every[other] if other in every else 0.0, colour(lane)[1]]
    s.export("mrt0", seen, done=True, vm=True)


@pixel
def long_polynomial(s):
    """Two hundred steps of Horner's rule, each rounded: a product, then a sum."""
    p = Pixels(s, COVERAGES[3], mask=2)
    value = p.varying(0, (-0.75, 1.0, 0.5))
    p.place_attributes()
    factors = [s.rnd.randrange(-999, 999) / 1024 for _ in range(200)]
    s.text("""
        s_mov_b32 m0, s2
        [9] s_nop 0
        interp v2, attr0.x
        v_mov_b32 v3, 0
        """ + "\n".join(f"v_mul_f32 v3, v3, v2\nv_add_f32 v3, {f32(c):#x}, v3" for c in factors) + """
        exp mrt0 v3, off, off, off done vm
        s_endpgm""")

    def horner(lane):
        x, y = value(lane)[0], 0.0
        for c in factors:
            y = number(f32(number(f32(y * x)) + c))
        return [y]
    s.export("mrt0", horner, done=True, vm=True)


@pixel
def loops_in_loops(s):
    """Divergent loops inside a uniform one, with continue and break."""
    p = Pixels(s, COVERAGES[4], mask=2, starts=(2, 5, 7, 11))
    n = p.flat(0, [3, 0, 7, 12, 5])
    p.place_attributes()
    s.text("""
        s_mov_b32 m0, s2
        [9] s_nop 0
        v_interp_mov_f32 v2, p0, attr0.x
        v_mov_b32 v3, 0
        s_mov_b32 s4, 0
        s_mov_b64 s[6:7], exec
    outer:
        v_mov_b32 v4, 0
        s_mov_b64 s[8:9], exec
    inner:
        v_cmp_lt_u32 vcc, v4, v2
        s_and_b64 exec, exec, vcc
        s_cbranch_execz inner_out
        v_iadd v4, 1, v4
        v_iadd v5, s4, v4
        v_and_b32 v5, 3, v5
        v_cmp_ne_u32 vcc, 0, v5
        s_and_saveexec_b64 s[10:11], vcc
        s_cbranch_execz continue
        v_cmp_lt_u32 vcc, 40, v3
        s_and_saveexec_b64 s[12:13], vcc
        s_andn2_b64 s[10:11], s[10:11], exec
        s_andn2_b64 exec, s[12:13], exec
        v_iadd v3, v3, v4
    continue:
        s_mov_b64 exec, s[10:11]
        s_cbranch_execnz inner
    inner_out:
        s_mov_b64 exec, s[8:9]
        s_add_u32 s4, s4, 1
        s_cmp_lt_u32 s4, 6
        s_cbranch_scc1 outer
        s_mov_b64 exec, s[6:7]
        exp mrt0 v3, v4, off, off done vm
        s_endpgm""")

    def result(lane):
        total, last = 0, 0
        for outer in range(6):
            k = 0
            while k < n(lane)[0]:
                k += 1
                if (outer + k) % 4 == 0:
                    continue
                if total > 40:
                    break
                total += k
            last = k
        return [total, last]
    s.export("mrt0", result, done=True, vm=True)


@pixel
def high_registers(s):
    """The last vector and scalar registers, and VCC as an address."""
    p = Pixels(s, COVERAGES[5], mask=2)
    colour = p.varying(0, *RAMP)
    p.place_attributes()
    s.s(3, s.table([0.0, 3.0, -0.5, 8.0]))
    s.text("""
        s_mov_b32 m0, s2
        s_mov_b32 vcc_lo, s3
        pointer vcc_hi
        s_load_dwordx2 s[98:99], vcc, off(0x4)
        s_load_dword s101, vcc, off(0xc)
        interp v252, attr0.xyzw
        s_waitcnt lgkmcnt(0)
        v_mul_f32 v252, s98, v252
        v_mul_f32 v253, s99, v253
        v_mul_f32 v255, s101, v255
        exp mrt0 v252, v253, v254, v255 done vm
        s_endpgm""")
    s.export("mrt0", lambda lane: [a * b for a, b in zip(colour(lane), (3.0, -0.5, 1.0, 8.0))], done=True, vm=True)


@pixel
def interpolate_at_offset(s):
    """interpolateAtOffset: barycentrics moved along their derivatives."""
    p = Pixels(s, COVERAGES[0], mask=2)
    colour = p.varying(0, *RAMP)
    p.place_attributes()
    s.text("""
        s_mov_b64 s[4:5], exec
        s_wqm_b64 exec, exec
        s_mov_b32 m0, s2
        """ + "".join(f"""
        quad v2, v{k}, 0,0,0,0
        quad v3, v{k}, 1,1,1,1
        quad v4, v{k}, 2,2,2,2
        v_sub_f32 v3, v3, v2
        v_sub_f32 v4, v4, v2
        v_mov_b32 v{6 + k}, v{k}
        v_mad_f32 v{6 + k}, v3, 0.5, v{6 + k}
        v_mad_f32 v{6 + k}, v4, -0.5, v{6 + k}""" for k in (0, 1)) + """
        interp v8, attr0.xyzw, v6, v7
        s_mov_b64 exec, s[4:5]
        exp mrt0 v8, v9, v10, v11 done vm
        s_endpgm""")
    s.export("mrt0", lambda lane: colour(lane, p.i(lane) + 1 / 32, p.j(lane) - 1 / 32), done=True, vm=True)


@pixel
def without_perspective(s):
    """Linear barycentrics besides those with perspective, and both as they are."""
    p = Pixels(s, COVERAGES[1], mask=2)
    colour = p.varying(0, *RAMP)
    p.place_attributes()
    s.v(2, lambda lane: 1 - p.i(lane))
    s.v(3, lambda lane: p.j(lane) / 2)
    s.text("""
        s_mov_b32 m0, s2
        [9] s_nop 0
        interp v4, attr0.xy
        interp v6, attr0.zw, v2, v3
        exp mrt0 v4, v5, v6, v7
        exp mrt1 v0, v1, v2, v3 done vm
        s_endpgm""")
    s.export("mrt0", lambda lane: colour(lane)[:2] + colour(lane, 1 - p.i(lane), p.j(lane) / 2)[2:])
    s.export("mrt1", lambda lane: [p.i(lane), p.j(lane), 1 - p.i(lane), p.j(lane) / 2], done=True, vm=True)


def normalised(x, top, low):
    """A clamped float as an integer of 16 bits."""
    return round(min(max(x, low), 1.0) * top) & 0xFFFF


@pixel
def normalised_targets(s):
    """UNORM16, SNORM16 and SINT16 of values outside their ranges."""
    p = Pixels(s, COVERAGES[2], mask=2)
    value = p.varying(0, (-1.25, 3.0, 1.0), (0.5, -2.0, 0.25))
    p.place_attributes()
    s.text("""
        s_mov_b32 m0, s2
        [9] s_nop 0
        interp v2, attr0.xy
        v_cvt_pknorm_u16_f32 v4, v2, v3
        v_cvt_pknorm_i16_f32 v5, v2, v3
        v_mul_f32 v6, 0x47800000, v2
        v_mul_f32 v7, 0x43000000, v3
        v_cvt_i32_f32 v6, v6
        v_cvt_i32_f32 v7, v7
        v_cvt_pk_i16_i32 v6, v6, v7
        exp mrt0 v4, v4, v5, v5 compr
        exp mrt1 v6, v6, v6, v6 done compr vm
        s_endpgm""")

    def norms(lane):
        x, y = value(lane)
        return [normalised(x, 65535, 0.0), normalised(y, 65535, 0.0), normalised(x, 32767, -1.0),
                normalised(y, 32767, -1.0)]

    def integers(lane):
        x, y = value(lane)
        clamp = lambda t: min(max(int(t), -32768), 32767) & 0xFFFF
        return [clamp(x * 65536), clamp(y * 128)] * 2
    s.export("mrt0", norms, compr=True)
    s.export("mrt1", integers, compr=True, done=True, vm=True)


@pixel
def two_colours_and_a_count(s):
    """Half of a compressed export, and the number of covered pixels of the wave by the mask itself."""
    p = Pixels(s, COVERAGES[3], mask=2)
    value = p.varying(0, (0.25, 1.0, 0.5))
    p.place_attributes()
    s.text("""
        s_mov_b32 m0, s2
        [9] s_nop 0
        interp v2, attr0.x
        s_bcnt1_i32_b64 s4, exec
        s_ff1_i32_b64 s5, exec
        v_mov_b32 v3, s4
        v_lshlrev_b32 v3, 8, v3
        v_or_b32 v3, s5, v3
        v_cvt_pkrtz_f16_f32 v4, v2, 1.0
        exp mrt0 v4, v4, off, off compr
        exp mrt1 v3, off, off, off done vm
        s_endpgm""")
    s.export("mrt0", lambda lane: [value(lane)[0], 1.0], compr=True)
    count = len(s.lanes()) << 8 | s.lanes()[0]
    s.export("mrt1", lambda lane: [count], done=True, vm=True)


@pixel
def divided(s):
    """A quotient, correctly rounded: LLVM's sequence with scaling, denormals on while it lasts."""
    p = Pixels(s, COVERAGES[4], mask=2)
    value = p.varying(0, (1.0, 7.0, -3.0), (0.3, 2.0, 5.0))
    p.place_attributes()
    s.text("""
        s_mov_b32 m0, s2
        [9] s_nop 0
        interp v2, attr0.xy
        v_div_scale_f32 v4, s[4:5], v3, v3, v2
        v_div_scale_f32 v5, vcc, v2, v3, v2
        v_rcp_f32 v6, v4
        s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 3
        v_fma_f32 v7, -v4, v6, 1.0
        v_fma_f32 v6, v7, v6, v6
        v_mul_f32 v7, v5, v6
        v_fma_f32 v8, -v4, v7, v5
        v_fma_f32 v7, v8, v6, v7
        v_fma_f32 v4, -v4, v7, v5
        s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 0
        v_div_fmas_f32 v4, v4, v6, v7
        v_div_fixup_f32 v4, v4, v3, v2
        exp mrt0 v4, v2, v3, off done vm
        s_endpgm""")

    def quotient(lane):
        # interpolation rounds twice
        i, j = p.i(lane), p.j(lane)
        x, y = ((number(f32(number(f32(j * c)) + number(f32(number(f32(i * b)) + a)))))
                for a, b, c in ((1.0, 7.0, -3.0), (number(f32(0.3)), 2.0, 5.0)))
        return [rounded(Fraction(x) / Fraction(y)), x, y]
    s.export("mrt0", quotient, done=True, vm=True)


@of_generations("89")
def half_interpolation(s):
    """Interpolation of halves: two attributes in one dword."""
    p = Pixels(s, COVERAGES[5], mask=2)
    planes = [(0.5, 1.0, -0.25), (2.0, -1.0, 0.5)]
    pack = lambda k: f16(planes[0][k]) | f16(planes[1][k]) << 16
    p.flat(0, 0)
    for k in range(3):
        p.planes[0, 0, 0] = tuple(pack(k) for k in range(3))
    p.place_attributes()
    s.doubts.add("interp-f16")
    s.text("""
        s_mov_b32 m0, s2
        [9] s_nop 0
        v_interp_p1ll_f16 v2, v0, attr0.x
        v_interp_p1ll_f16 v3, v0, attr0.x high
        v_interp_p2_f16 v2, v1, attr0.x, v2
        v_interp_p2_f16 v3, v1, attr0.x, v3 high
        v_lshlrev_b32 v3, 16, v3
        v_or_b32_sdwa v2, v2, v3 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_0 src1_sel:DWORD
        exp mrt0 v2, v2, v2, v2 done compr vm
        s_endpgm""")

    def colour(lane):
        x, y = (a + p.i(lane) * b + p.j(lane) * c for a, b, c in planes)
        return [x, y, x, y]
    s.export("mrt0", colour, compr=True, done=True, vm=True)


@of_generations("89")
def bytes_by_selection(s):
    """A packed colour taken apart by SDWA, blended and packed again."""
    p = Pixels(s, COVERAGES[0], mask=2, starts=(1, 4))
    packed = p.flat(0, [0x10204080, 0xFF7F3F01, 0x00C0A0E0])
    p.place_attributes()
    s.text("""
        s_mov_b32 m0, s2
        [9] s_nop 0
        v_interp_mov_f32 v2, p0, attr0.x
        v_mov_b32 v3, 2
        v_lshrrev_b32_sdwa v4, v3, v2 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:BYTE_0
        v_lshrrev_b32_sdwa v5, v3, v2 dst_sel:BYTE_1 dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:BYTE_1
        v_lshrrev_b32_sdwa v6, v3, v2 dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:BYTE_2
        v_mov_b32_sdwa v4, v2 dst_sel:BYTE_3 dst_unused:UNUSED_PRESERVE src0_sel:BYTE_3
        v_or_b32 v4, v4, v5
        v_or_b32 v4, v4, v6
        exp mrt0 v4, off, off, off done vm
        s_endpgm""")

    def colour(lane):
        b = packed(lane)[0].to_bytes(4, "little")
        return [b[0] >> 2 | b[1] >> 2 << 8 | b[2] >> 2 << 16 | b[3] << 24]
    s.export("mrt0", colour, done=True, vm=True)


@of_generations("9")
def mixed_precision(s):
    """V_MAD_MIX: halves and floats in one instruction."""
    p = Pixels(s, COVERAGES[1], mask=2)
    value = p.varying(0, (0.5, 1.0, -2.0))
    word = f16(1.5) | f16(-0.75) << 16
    p.flat(1, word)
    p.place_attributes()
    s.text("""
        s_mov_b32 m0, s2
        s_nop 0
        interp v2, attr0.x
        v_interp_mov_f32 v3, p0, attr1.x
        v_mad_mix_f32 v4, v2, v3, v3 op_sel:[0,0,1] op_sel_hi:[0,1,1]
        v_mad_mixlo_f16 v5, v2, v2, v3 op_sel_hi:[0,0,1]
        v_mad_mixhi_f16 v5, v2, 2.0, v3 op_sel:[0,0,1] op_sel_hi:[0,0,1]
        exp mrt0 v4, v5, off, off done vm
        s_endpgm""")

    def colour(lane):
        x = value(lane)[0]
        nearest = lambda y: int.from_bytes(struct.pack("<e", y), "little")
        return [x * half(word) + half(word >> 16), nearest(x * x + 1.5) | nearest(2 * x - 0.75) << 16]
    s.export("mrt0", colour, done=True, vm=True)


@pixel
def parallax(s):
    """A loop of dependent texture reads: each lane walks until it is under the height field."""
    image = Image(s, "2d", 16, 16, dfmt=2, nfmt=FLOAT,
                  texels=lambda l, q, x, y: f16(((x * 3 + y * 5) % 16) / 16))
    p = Pixels(s, COVERAGES[2], mask=3)
    uv = p.varying(0, *QUAD)
    p.place_attributes()
    s.s(2, s.table(combined(image, point(0))))
    s.doubts.add(SAMPLING)
    s.text(PROLOGUE + """
        interp v2, attr0.xy
        s_mov_b64 exec, s[20:21]
        v_mov_b32 v4, 1.0
        v_mov_b32 v5, 0
        s_waitcnt lgkmcnt(0)
    again:
        image_sample_lz v6, v[2:3], s[8:15], s[4:7] dmask:0x1
        s_waitcnt vmcnt(0)
        v_cmp_gt_f32 vcc, v4, v6
        s_and_b64 exec, exec, vcc
        s_cbranch_execz out
        v_add_f32 v2, 0x3d800000, v2
        v_add_f32 v3, 0x3e000000, v3
        v_add_f32 v4, 0xbe000000, v4
        v_iadd v5, 1, v5
        s_branch again
    out:
        s_mov_b64 exec, s[20:21]
        exp mrt0 v2, v3, v4, v5 done vm
        s_endpgm""")

    def walk(lane):
        u, v = uv(lane)
        height, steps = 1.0, 0
        while height > image.nearest(u, v, wrap=0)[0]:
            u, v, height, steps = u + 1 / 16, v + 1 / 8, height - 1 / 8, steps + 1
        return [u, v, height, steps]
    s.export("mrt0", walk, done=True, vm=True)


@pixel
def descriptor_by_hand(s):
    """The shader patches words of a T# and an S#: another swizzle, another wrap mode."""
    image = Image(s, "2d", 8, 8, dfmt=5, nfmt=FLOAT)
    p = Pixels(s, COVERAGES[3], mask=3)
    uv = p.varying(0, (-1 / 2 + 1 / 64, 2.0, 0.0), (1 / 64, 0.0, 2.0))
    p.place_attributes()
    s.s(2, s.table(combined(image, point())))
    s.doubts.add(SAMPLING)
    s.text(PROLOGUE + """
        interp v2, attr0.xy
        s_waitcnt lgkmcnt(0)
        s_and_b32 s11, s11, 0xfffff000
        s_or_b32 s11, s11, 0x325
        s_andn2_b32 s4, s4, 0x3f
        image_sample_lz v[4:7], v[2:3], s[8:15], s[4:7] dmask:0xf
        s_mov_b64 exec, s[20:21]
        s_waitcnt vmcnt(0)
        exp mrt0 v4, v5, v6, v7 done vm
        s_endpgm""")
    # y, x, x and 1
    select = [0x325 >> 3 * k & 7 for k in range(4)]

    def colour(lane):
        texel = image.nearest(*uv(lane), wrap=0)
        return [texel[c - 4] if c >= 4 else float(c) for c in select]
    s.export("mrt0", colour, done=True, vm=True)


@pixel
def nothing_covered(s):
    """A wave without a pixel: EXEC is 0 all the time, and the export is listed all the same."""
    s.execute = 0
    s.s(2, 0)
    s.text("""
        s_mov_b32 m0, s2
        v_mov_b32 v0, 1.0
        s_cbranch_execz skip
        v_mov_b32 v0, 0
    skip:
        exp mrt0 v0, v0, v0, v0 done vm
        s_endpgm""")
    s.exports.append({"target": "mrt0", "en": 15, "compr": False, "done": True, "vm": True, "exec": "0x0",
                      "values": [[None] * 64] * 4})


@pixel
def distances(s):
    """Lengths and angles: square roots, exponentials, logarithms, fractions."""
    p = Pixels(s, COVERAGES[4], mask=2)
    value = p.varying(0, (0.5, 3.0, -2.0), (0.25, 1.0, 4.0))
    p.place_attributes()
    s.text("""
        s_mov_b32 m0, s2
        [9] s_nop 0
        interp v2, attr0.xy
        v_mul_f32 v4, v2, v2
        v_mac_f32 v4, v3, v3
        v_sqrt_f32 v4, v4
        v_exp_f32 v5, -v4
        v_log_f32 v6, v4
        v_fract_f32 v7, v2
        v_floor_f32 v8, v2
        v_trunc_f32 v9, v2
        v_ceil_f32 v10, v2
        exp mrt0 v4, v5, v6, off
        exp mrt1 v7, v8, v9, v10 done vm
        s_endpgm""")

    def colour(lane):
        d = math.hypot(*value(lane))
        return [d, 2 ** -d, math.log2(d)]
    s.export("mrt0", colour)
    s.close("mrt0", "f32", ulp=8, absolute=1e-6)

    def whole(lane):
        x = value(lane)[0]
        return [x - math.floor(x), float(math.floor(x)), float(math.trunc(x)) if x >= 0 or x <= -1 else -0.0,
                float(math.ceil(x)) if x > 0 or x <= -1 else -0.0]
    s.export("mrt1", whole, done=True, vm=True)
