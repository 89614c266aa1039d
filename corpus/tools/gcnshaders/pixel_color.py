"""Pixel shaders without textures: inputs, constants, targets."""

import math

from .base import bits_of, f16, f32, half
from .pixels import COVERAGES, Pixels, pixel

RAMP = (1 / 8, 1.0, 1 / 4), (1 / 2, -1 / 4, 1 / 8), (3 / 4, 1 / 8, -1 / 2), (1.0, -1 / 2, -1 / 4)


@pixel
def smooth_colour(s):
    """A colour, interpolated; exported as four floats."""
    p = Pixels(s, COVERAGES[0], mask=2)
    colour = p.varying(0, *RAMP)
    p.place_attributes()
    s.text("""
        s_mov_b32 m0, s2
        [9] s_nop 0
        interp v2, attr0.xyzw
        exp mrt0 v2, v3, v4, v5 done vm
        s_endpgm""")
    s.export("mrt0", colour, done=True, vm=True)


@pixel
def smooth_colour_packed(s):
    """A colour as FP16_ABGR."""
    p = Pixels(s, COVERAGES[1], mask=2)
    colour = p.varying(0, *RAMP)
    p.place_attributes()
    s.text("""
        s_mov_b32 m0, s2
        [9] s_nop 0
        interp v2, attr0.xyzw
        v_cvt_pkrtz_f16_f32 v0, v2, v3
        v_cvt_pkrtz_f16_f32 v1, v4, v5
        exp mrt0 v0, v0, v1, v1 done compr vm
        s_endpgm""")
    s.export("mrt0", colour, compr=True, done=True, vm=True)


@pixel
def several_primitives(s):
    """Four triangles in one wave, at an offset in LDS; attribute 2 is not used."""
    p = Pixels(s, 0xF0F0_F0F0_F0FF_FFFF, mask=2, offset=64, starts=(2, 3, 9))
    colour = p.varying(1, [(0.25 * k, 0.5 + k, -0.25) for k in range(4)], [(1.0, 0.0, k * 1.5) for k in range(4)])
    other = p.varying(3, [(k - 2.0, 0.125, k + 1.0) for k in range(4)])
    p.place_attributes()
    s.text("""
        s_mov_b32 m0, s2
        [9] s_nop 0
        interp v2, attr1.xy
        interp v4, attr3.x
        exp mrt0 v2, v3, v4, off done vm
        s_endpgm""")
    s.export("mrt0", lambda lane: colour(lane) + other(lane), done=True, vm=True)


@pixel
def flat_inputs(s):
    """Integers of the provoking vertex and a float, to an integer target."""
    p = Pixels(s, COVERAGES[2], mask=2, starts=(4, 8))
    ids = p.flat(0, [7, 1000, 65535], [0xFFFF_FFFF, 0x8000_0000, 3], 123)
    weight = p.varying(1, (0.5, 2.0, 4.0))
    p.place_attributes()
    s.text("""
        s_mov_b32 m0, s2
        [9] s_nop 0
        v_interp_mov_f32 v2, p0, attr0.x
        v_interp_mov_f32 v3, p0, attr0.y
        v_interp_mov_f32 v4, p0, attr0.z
        interp v5, attr1.x
        v_cvt_i32_f32 v5, v5
        v_iadd v4, v4, v5
        exp mrt0 v2, v3, v4, v5 done vm
        s_endpgm""")

    def colour(lane):
        a, b, c = ids(lane)
        w = int(weight(lane)[0])
        return [a, b, c + w, w]
    s.export("mrt0", colour, done=True, vm=True)


@pixel
def unsigned_16_target(s):
    """UINT16: clamped and packed."""
    p = Pixels(s, COVERAGES[3], mask=2, starts=(5,))
    ids = p.flat(0, [70000, 9], [65535, 2], [0, 65536], [1, 0xFFFF_FFFF])
    p.place_attributes()
    s.text("""
        s_mov_b32 m0, s2
        [9] s_nop 0
        v_interp_mov_f32 v2, p0, attr0.x
        v_interp_mov_f32 v3, p0, attr0.y
        v_interp_mov_f32 v4, p0, attr0.z
        v_interp_mov_f32 v5, p0, attr0.w
        v_cvt_pk_u16_u32 v0, v2, v3
        v_cvt_pk_u16_u32 v1, v4, v5
        exp mrt0 v0, v0, v1, v1 done compr vm
        s_endpgm""")
    s.export("mrt0", lambda lane: [min(x, 65535) for x in ids(lane)], compr=True, done=True, vm=True)


@pixel
def provoking_vertices(s):
    """P10 and P20 read as they are (explicit interpolation)."""
    p = Pixels(s, COVERAGES[4], mask=2)
    p.varying(0, (1.5, -2.25, 8.0), (0.125, 3.0, 1024.0))
    p.place_attributes()
    s.text("""
        s_mov_b32 m0, s2
        [9] s_nop 0
        v_interp_mov_f32 v2, p10, attr0.x
        v_interp_mov_f32 v3, p20, attr0.x
        v_interp_mov_f32 v4, p0, attr0.y
        v_interp_mov_f32 v5, p20, attr0.y
        exp mrt0 v2, v3, v4, v5 done vm
        s_endpgm""")
    s.export("mrt0", lambda lane: [-2.25, 8.0, 0.125, 1024.0], done=True, vm=True)


@pixel
def push_constant_colour(s):
    """A uniform colour, inlined into user SGPRs."""
    s.execute = COVERAGES[5]
    colour = [0.25, 0.5, -1.0, 1.0]
    s.s(2, *map(f32, colour))
    s.text("""
        v_mov_b32 v0, s3
        v_mov_b32 v1, s5
        v_cvt_pkrtz_f16_f32 v0, s2, v0
        v_cvt_pkrtz_f16_f32 v1, s4, v1
        exp mrt0 v0, v0, v1, v1 done compr vm
        s_endpgm""")
    s.export("mrt0", lambda lane: colour, compr=True, done=True, vm=True)


@pixel
def push_constants_in_memory(s):
    """Push constants behind a 32-bit pointer: scale and bias of a varying."""
    p = Pixels(s, COVERAGES[0], mask=3)
    value = p.varying(0, (1 / 4, 1 / 2, 1.0), (2.0, -1.0, 1 / 2))
    p.place_attributes()
    s.s(2, s.table([9.0, 2.0, -4.0, 0.5, 0.25, 99.0]))
    s.text("""
        s_mov_b32 s0, s3
        pointer s3
        s_load_dwordx4 s[4:7], s[2:3], off(0x4)
        s_mov_b32 m0, s0
        [9] s_nop 0
        interp v2, attr0.xy
        s_waitcnt lgkmcnt(0)
        v_mov_b32 v4, s6
        v_mov_b32 v5, s7
        v_mac_f32 v4, s4, v2
        v_mac_f32 v5, s5, v3
        exp mrt0 v4, v5, off, off done vm
        s_endpgm""")

    def colour(lane):
        x, y = value(lane)
        return [2.0 * x + 0.5, -4.0 * y + 0.25]
    s.export("mrt0", colour, done=True, vm=True)


@pixel
def lambert(s):
    """Diffuse light: normalised normal, a direction and two colours from a uniform buffer."""
    p = Pixels(s, COVERAGES[1], mask=3)
    normal = p.varying(0, (0.5, 2.0, 0.25), (-0.25, 0.5, 1.0), (1.0, -0.5, -1.0))
    p.place_attributes()
    light, diffuse, ambient = (0.6, -0.3, 0.7), (0.9, 0.8, 0.5), (0.1, 0.05, 0.2)
    ubo = s.data([*light, 0.0, *diffuse, 1.0, *ambient, 0.0])
    s.s(2, s.table(s.buffer(ubo, 48)))
    s.text("""
        s_mov_b32 s0, s3
        pointer s3
        s_load_dwordx4 s[4:7], s[2:3], off(0x0)
        s_mov_b32 m0, s0
        [9] s_nop 0
        interp v2, attr0.xyz
        s_waitcnt lgkmcnt(0)
        s_buffer_load_dwordx4 s[8:11], s[4:7], off(0x0)
        s_buffer_load_dwordx8 s[12:19], s[4:7], off(0x10)
        v_mul_f32 v5, v2, v2
        v_mac_f32 v5, v3, v3
        v_mac_f32 v5, v4, v4
        v_rsq_f32 v5, v5
        s_waitcnt lgkmcnt(0)
        v_mul_f32 v2, s8, v2
        v_mac_f32 v2, s9, v3
        v_mac_f32 v2, s10, v4
        v_mul_f32 v2, v2, v5
        v_max_f32 v2, 0, v2
        v_mov_b32 v3, s16
        v_mov_b32 v4, s17
        v_mov_b32 v5, s18
        v_mac_f32 v3, s12, v2
        v_mac_f32 v4, s13, v2
        v_mac_f32 v5, s14, v2
        v_mov_b32 v6, 1.0
        v_cvt_pkrtz_f16_f32 v0, v3, v4
        v_cvt_pkrtz_f16_f32 v1, v5, v6
        exp mrt0 v0, v0, v1, v1 done compr vm
        s_endpgm""")

    def colour(lane):
        n = normal(lane)
        length = math.sqrt(sum(x * x for x in n))
        amount = max(0.0, sum(a * b for a, b in zip(n, light)) / length)
        return [a + d * amount for a, d in zip(ambient, diffuse)] + [1.0]
    s.export("mrt0", colour, compr=True, done=True, vm=True)
    s.close("mrt0", "f16", ulp=2)


@pixel
def lights_in_a_loop(s):
    """Attenuated point lights from an array; their number is in the buffer."""
    p = Pixels(s, COVERAGES[2], mask=3)
    place = p.varying(0, (0.0, 4.0, 0.0), (0.0, 0.0, 4.0))
    p.place_attributes()
    lights = [(1.0, 0.5, 2.0), (0.25, 3.0, -0.5), (2.0, 2.0, 1.5)]
    ubo = s.data([len(lights), 0, 0, 0] + [x for light in lights for x in (*light, 0.0)])
    s.s(2, s.table(bytes(16), s.buffer(ubo, 16 + 16 * len(lights))))
    s.text("""
        s_mov_b32 s0, s3
        pointer s3
        s_load_dwordx4 s[4:7], s[2:3], off(0x10)
        s_mov_b32 m0, s0
        [9] s_nop 0
        interp v2, attr0.xy
        v_mov_b32 v4, 0
        s_waitcnt lgkmcnt(0)
        s_buffer_load_dword s8, s[4:7], off(0x0)
        s_mov_b32 s9, 16
        s_waitcnt lgkmcnt(0)
    again:
        s_cmp_eq_u32 s8, 0
        s_cbranch_scc1 out
        s_buffer_load_dwordx4 s[12:15], s[4:7], s9
        s_add_u32 s9, s9, 16
        s_sub_u32 s8, s8, 1
        s_waitcnt lgkmcnt(0)
        v_subrev_f32 v5, s12, v2
        v_subrev_f32 v6, s13, v3
        v_mad_f32 v5, v5, v5, 1.0
        v_mac_f32 v5, v6, v6
        v_rcp_f32 v5, v5
        v_mac_f32 v4, s14, v5
        s_branch again
    out:
        exp mrt0 v4, off, off, off done vm
        s_endpgm""")

    def colour(lane):
        x, y = place(lane)
        return [sum(power / (1 + (x - lx) ** 2 + (y - ly) ** 2) for lx, ly, power in lights)]
    s.export("mrt0", colour, done=True, vm=True)
    s.close("mrt0", "f32", ulp=64, absolute=1e-6)


@pixel
def several_targets(s):
    """Three targets of different formats; the last is done."""
    p = Pixels(s, COVERAGES[1], mask=2, starts=(13,))
    colour = p.varying(0, *RAMP)
    ids = p.flat(1, [3, 77])
    p.place_attributes()
    s.text("""
        s_mov_b32 m0, s2
        [9] s_nop 0
        interp v2, attr0.xyzw
        v_interp_mov_f32 v6, p0, attr1.x
        v_cvt_pkrtz_f16_f32 v0, v2, v3
        v_cvt_pkrtz_f16_f32 v1, v4, v5
        exp mrt0 v0, v0, v1, v1 compr
        exp mrt1 v5, v4, off, off
        exp mrt2 off, v6, off, v2
        exp mrt3 v6, off, off, off done vm
        s_endpgm""")
    s.export("mrt0", colour, compr=True)
    s.export("mrt1", lambda lane: colour(lane)[:1:-1])
    s.export("mrt2", lambda lane: ids(lane) + colour(lane)[:1], en=0b1010)
    s.export("mrt3", ids, done=True, vm=True)


@pixel
def dual_source(s):
    """Two sources of the blender."""
    p = Pixels(s, COVERAGES[2], mask=2)
    colour = p.varying(0, *RAMP)
    p.place_attributes()
    s.text("""
        s_mov_b32 m0, s2
        [9] s_nop 0
        interp v2, attr0.xyzw
        v_sub_f32 v6, 1.0, v2
        v_sub_f32 v7, 1.0, v3
        v_sub_f32 v8, 1.0, v4
        v_sub_f32 v9, 1.0, v5
        exp mrt0 v2, v3, v4, v5
        exp mrt1 v6, v7, v8, v9 done vm
        s_endpgm""")
    s.export("mrt0", colour)
    s.export("mrt1", lambda lane: [1 - x for x in colour(lane)], done=True, vm=True)


@pixel
def depth_output(s):
    """gl_FragDepth and a colour."""
    p = Pixels(s, COVERAGES[3], mask=2)
    value = p.varying(0, (0.25, 0.5, 0.125))
    p.place_attributes()
    s.text("""
        s_mov_b32 m0, s2
        [9] s_nop 0
        interp v2, attr0.x
        v_mov_b32 v3, 1.0
        exp mrt0 v2, v2, v2, v3
        v_mul_f32 v2, 0.5, v2
        exp mrtz v2, off, off, off done vm
        s_endpgm""")
    s.export("mrt0", lambda lane: value(lane) * 3 + [1.0])
    s.export("mrtz", lambda lane: [value(lane)[0] / 2], done=True, vm=True)


@pixel
def depth_stencil_sample_mask(s):
    """Depth, stencil reference and sample mask, from the sample coverage."""
    p = Pixels(s, COVERAGES[4], mask=2)
    value = p.varying(0, (0.25, 0.5, 0.125))
    p.place_attributes()
    s.v(2, lambda lane: 1 + lane % 15)
    s.text("""
        s_mov_b32 m0, s2
        [9] s_nop 0
        interp v3, attr0.x
        v_and_b32 v4, 5, v2
        v_lshlrev_b32 v5, 3, v2
        exp mrtz v3, v5, v4, off done vm
        s_endpgm""")
    s.export("mrtz", lambda lane: value(lane) + [8 * (1 + lane % 15), 1 + lane % 15 & 5], done=True, vm=True)


@pixel
def stencil_and_mask_packed(s):
    """A compressed mrtz: stencil in the upper half of the first register, mask in the second."""
    p = Pixels(s, COVERAGES[5], mask=2)
    p.varying(0, (0.0, 0.0, 0.0))
    p.place_attributes()
    s.v(2, lambda lane: 1 + lane % 15)
    s.text("""
        v_lshlrev_b32 v3, 16, v2
        v_xor_b32 v4, 0xff, v2
        exp mrtz v3, v3, v4, v4 done compr vm
        s_endpgm""")
    s.export("mrtz", lambda lane: [0, 1 + lane % 15, 1 + lane % 15 ^ 0xFF, 0], compr=True, done=True, vm=True)


@pixel
def checkerboard(s):
    """gl_FragCoord: a board of fields of two pixels, and 1/w."""
    p = Pixels(s, COVERAGES[0], mask=2, at=(20, 10))
    p.varying(0, (0.0, 0.0, 0.0))
    p.place_attributes()
    s.v(2, lambda lane: p.x(lane) + 0.5)
    s.v(3, lambda lane: p.y(lane) + 0.5)
    s.v(4, lambda lane: 2.0 ** (lane % 5))
    s.text("""
        v_cvt_u32_f32 v2, v2
        v_cvt_u32_f32 v3, v3
        v_rcp_f32 v4, v4
        v_lshrrev_b32 v2, 1, v2
        v_lshrrev_b32 v3, 1, v3
        v_xor_b32 v2, v2, v3
        v_and_b32 v2, 1, v2
        v_cmp_eq_u32 vcc, 1, v2
        v_cndmask_b32 v3, -1.0, 1.0, vcc
        exp mrt0 v3, v4, off, off done vm
        s_endpgm""")
    s.export("mrt0", lambda lane: [1.0 if (p.x(lane) // 2 ^ p.y(lane) // 2) & 1 else -1.0, 2.0 ** -(lane % 5)],
             done=True, vm=True)


@pixel
def front_facing(s):
    """Two colours for the two sides; the face is all ones or 0."""
    p = Pixels(s, COVERAGES[1], mask=2, starts=(1, 14))
    colour = p.varying(0, *RAMP)
    p.place_attributes()
    s.v(2, lambda lane: 0 if p.primitive(lane) == 1 else 0xFFFF_FFFF)
    s.text("""
        s_mov_b32 m0, s2
        [9] s_nop 0
        interp v3, attr0.xy
        v_cmp_ne_u32 vcc, 0, v2
        v_cndmask_b32 v5, v4, v3, vcc
        v_cndmask_b32 v6, 0, 1.0, vcc
        exp mrt0 v5, v6, off, off done vm
        s_endpgm""")

    def seen(lane):
        r, g, _, _ = colour(lane)
        return [g, 0.0] if p.primitive(lane) == 1 else [r, 1.0]
    s.export("mrt0", seen, done=True, vm=True)


@pixel
def sample_and_layer(s):
    """Sample id and layer out of the ancillary register."""
    p = Pixels(s, COVERAGES[2], mask=2)
    p.varying(0, (0.0, 0.0, 0.0))
    p.place_attributes()
    s.v(2, lambda lane: (lane % 16) << 8 | (lane * 37 % 2048) << 16 | 0xF800_00FF)
    s.text("""
        v_bfe_u32 v3, v2, 8, 4
        v_bfe_u32 v4, v2, 16, 11
        exp mrt0 v3, v4, off, off done vm
        s_endpgm""")
    s.export("mrt0", lambda lane: [lane % 16, lane * 37 % 2048], done=True, vm=True)


@pixel
def centroid_or_centre(s):
    """Barycentrics of the centroid only where the primitive mask does not say that they are those of the centre."""
    p = Pixels(s, COVERAGES[3], mask=2, centroid=True)
    colour = p.varying(0, *RAMP)
    p.place_attributes()
    s.v(2, lambda lane: p.i(lane) + 1 / 64)
    s.v(3, lambda lane: p.j(lane) - 1 / 64)
    s.text("""
        s_bitcmp1_b32 s2, 31
        s_cselect_b64 vcc, -1, 0
        v_cndmask_b32 v4, v2, v0, vcc
        v_cndmask_b32 v5, v3, v1, vcc
        s_mov_b32 m0, s2
        [9] s_nop 0
        interp v6, attr0.xy, v4, v5
        interp v8, attr0.zw
        exp mrt0 v6, v7, v8, v9 done vm
        s_endpgm""")

    def mixed(lane):
        moved = colour(lane, p.i(lane) + 1 / 64, p.j(lane) - 1 / 64)
        return moved[:2] + colour(lane)[2:]
    s.export("mrt0", mixed, done=True, vm=True)


@pixel
def powers(s):
    """A specular power: exp2(n log2(x))."""
    p = Pixels(s, COVERAGES[5], mask=2)
    value = p.varying(0, (0.25, 1.0, 0.5))
    p.place_attributes()
    s.s(3, 0x4059_999A)                # 3.4
    s.text("""
        s_mov_b32 m0, s2
        [9] s_nop 0
        interp v2, attr0.x
        v_log_f32 v3, v2
        v_mul_f32 v3, s3, v3
        v_exp_f32 v3, v3
        v_sqrt_f32 v4, v2
        exp mrt0 v3, v4, off, off done vm
        s_endpgm""")
    s.export("mrt0", lambda lane: [value(lane)[0] ** 3.4, math.sqrt(value(lane)[0])], done=True, vm=True)
    s.close("mrt0", "f32", ulp=16, absolute=1e-6)


@pixel
def waves(s):
    """Sine and cosine of an angle in turns."""
    p = Pixels(s, COVERAGES[0], mask=2)
    value = p.varying(0, (0.0, 3.0, -5.0))
    p.place_attributes()
    s.text("""
        s_mov_b32 m0, s2
        [9] s_nop 0
        interp v2, attr0.x
        v_mul_f32 v2, 0.15915494, v2
        v_fract_f32 v2, v2
        v_sin_f32 v3, v2
        v_cos_f32 v4, v2
        exp mrt0 v3, v4, off, off done vm
        s_endpgm""")
    s.export("mrt0", lambda lane: [math.sin(value(lane)[0]), math.cos(value(lane)[0])], done=True, vm=True)
    s.close("mrt0", "f32", absolute=2e-6)


@pixel
def constant_palette(s):
    """An array of constants behind the code, indexed by an integer input."""
    p = Pixels(s, COVERAGES[1], mask=2, starts=(2, 13, 15))
    ids = p.flat(0, [2, 0, 3, 1])
    p.place_attributes()
    palette = [(1.0, 0.0, 0.25), (0.0, 1.0, 0.5), (0.125, 0.5, 1.0), (4.0, 2.0, -1.0)]
    s.constants = [bits_of(x) for colour in palette for x in (*colour, 0.0)]
    s.text("""
        constants s[4:7]
        s_mov_b32 m0, s2
        [9] s_nop 0
        v_interp_mov_f32 v2, p0, attr0.x
        v_lshlrev_b32 v2, 4, v2
        load3 v2, v2, s[4:7], 0 offen offset:0
        s_waitcnt vmcnt(0)
        exp mrt0 v2, v3, v4, off done vm
        s_endpgm""")
    s.export("mrt0", lambda lane: palette[ids(lane)[0]], done=True, vm=True)


@pixel
def packed_half_inputs(s):
    """Two halves in one flat attribute, unpacked; the sum of one with an interpolated float."""
    p = Pixels(s, COVERAGES[4], mask=2)
    halves = p.flat(0, f16(1.5) | f16(-0.25) << 16)
    value = p.varying(1, (0.5, 0.25, 2.0))
    p.place_attributes()
    s.text("""
        s_mov_b32 m0, s2
        [9] s_nop 0
        v_interp_mov_f32 v2, p0, attr0.x
        interp v4, attr1.x
        v_lshrrev_b32 v3, 16, v2
        v_cvt_f32_f16 v2, v2
        v_cvt_f32_f16 v3, v3
        v_add_f32 v4, v4, v3
        exp mrt0 v2, v3, v4, off done vm
        s_endpgm""")

    def colour(lane):
        word = halves(lane)[0]
        return [half(word), half(word >> 16), value(lane)[0] + half(word >> 16)]
    s.export("mrt0", colour, done=True, vm=True)


@pixel
def saturate_and_modifiers(s):
    """CLAMP, OMOD, negated and absolute sources."""
    p = Pixels(s, COVERAGES[5], mask=2)
    value = p.varying(0, (-1.5, 4.0, 2.0), (2.0, -8.0, 0.5))
    p.place_attributes()
    s.text("""
        s_mov_b32 m0, s2
        [9] s_nop 0
        interp v2, attr0.xy
        v_add_f32 v4, v2, -v3 clamp
        v_mul_f32 v5, |v2|, v3 mul:2
        v_mad_f32 v6, -|v2|, v3, 1.0 div:2
        v_med3_f32 v7, v2, -1.0, 0.5
        exp mrt0 v4, v5, v6, v7 done vm
        s_endpgm""")

    def colour(lane):
        x, y = value(lane)
        return [min(max(x - y, 0.0), 1.0), abs(x) * y * 2, (1 - abs(x) * y) / 2, min(max(x, -1.0), 0.5)]
    s.export("mrt0", colour, done=True, vm=True)
