"""Pixel shaders that sample in other ways: comparisons, offsets, clamped lods, cubes and arrays, views, narrow data."""

import math

from .base import f16
from .images import (BORDER, EDGE, FLOAT, MIRROR, REPEAT, UINT, UNORM, Image, combined, linear, point, sampler)
from .pixel_texture import PLAIN, PROLOGUE, QUAD, SAMPLING, cube_texel, textured
from .pixels import COVERAGES, Pixels, of_generations, pixel

ONE = """
        s_mov_b64 exec, s[20:21]
        exp mrt0 v4, off, off, off done vm
        s_endpgm"""
WAIT = """
        s_waitcnt vmcnt(0)"""
FETCH = """
        s_waitcnt lgkmcnt(0)
        """


def depths(rnd_seed):
    """Texels of a depth texture: multiples of 1/8."""
    return lambda level, plane, x, y: f16(((x * 5 + y * 3 + level + 2 * plane + rnd_seed) % 8) / 8)


@pixel
def shadow_cascades(s):
    """A layer of a depth array at an explicit level, compared."""
    image = Image(s, "2d-array", 16, 16, layers=3, levels=2, dfmt=2, nfmt=FLOAT, texels=depths(1))
    p = Pixels(s, COVERAGES[0], mask=3, starts=(2, 5))
    uv = p.varying(0, *QUAD)
    cascade = p.flat(1, [2.0, 0.0, 1.0], [1.0, 0.0, 1.0])
    p.place_attributes()
    s.s(2, s.table(combined(image, point(compare=6, mip=1))))
    s.doubts |= {SAMPLING, "mip-layout"}
    s.text(PROLOGUE + """
        v_mov_b32 v8, 0.5
        interp v9, attr0.xy
        v_interp_mov_f32 v11, p0, attr1.x
        v_interp_mov_f32 v12, p0, attr1.y""" + FETCH + """
        image_sample_c_l v4, v[8:15], s[8:15], s[4:7] dmask:0x1 da""" + WAIT + ONE)

    def lit(lane):
        layer, level = (int(x) for x in cascade(lane))
        return [float(0.5 >= image.nearest(*uv(lane), plane=layer, level=level)[0])]
    s.export("mrt0", lit, done=True, vm=True)


@pixel
def offset_of_level(s):
    """textureLodOffset: the offset is in texels of the level."""
    image = Image(s, "2d", 16, 16, levels=2)
    p = Pixels(s, COVERAGES[1], mask=3)
    uv = p.varying(0, *QUAD)
    p.place_attributes()
    s.s(2, s.table(combined(image, point(REPEAT, mip=1))))
    s.doubts |= {SAMPLING, "mip-layout"}
    s.text(PROLOGUE + """
        v_mov_b32 v8, 0x3f02
        interp v9, attr0.xy
        v_mov_b32 v11, 1.0""" + FETCH + """
        image_sample_l_o v[4:7], v[8:11], s[8:15], s[4:7] dmask:0xf""" + WAIT + PLAIN)

    def colour(lane):
        u, v = uv(lane)
        return image.nearest(u + 2 / 8, v - 1 / 8, level=1, wrap=REPEAT)
    s.export("mrt0", colour, done=True, vm=True)
    s.close("mrt0", "f32", ulp=1)


@pixel
def offset_at_zero(s):
    """Two taps of one texture with constant offsets, at level 0."""
    image = Image(s, "2d", 16, 16, dfmt=4, nfmt=FLOAT)
    _, uv = textured(s, COVERAGES[2], image, point(), *QUAD)
    s.text(PROLOGUE + """
        interp v9, attr0.xy
        v_mov_b32 v8, 0x3c""" + FETCH + """
        image_sample_lz_o v4, v[8:10], s[8:15], s[4:7] dmask:0x1
        s_waitcnt vmcnt(0)
        v_mov_b32 v8, 0x400
        image_sample_lz_o v5, v[8:10], s[8:15], s[4:7] dmask:0x1
        s_waitcnt vmcnt(0)
        v_sub_f32 v4, v4, v5""" + ONE)

    def colour(lane):
        u, v = uv(lane)
        return [image.nearest(u - 4 / 16, v)[0] - image.nearest(u, v + 4 / 16)[0]]
    s.export("mrt0", colour, done=True, vm=True)


@pixel
def gradients_with_offset(s):
    """textureGradOffset: level 1 by derivatives of two texels, one texel to the left."""
    image = Image(s, "2d", 16, 16, levels=3)
    _, uv = textured(s, COVERAGES[3], image, point(mip=1), *QUAD)
    s.doubts.add("mip-layout")
    s.text(PROLOGUE + """
        v_mov_b32 v8, 0x3f
        v_mov_b32 v9, 0
        v_mov_b32 v10, 0x3e000000
        v_mov_b32 v11, 0x3e000000
        v_mov_b32 v12, 0
        interp v13, attr0.xy""" + FETCH + """
        image_sample_d_o v[4:7], v[8:15], s[8:15], s[4:7] dmask:0xf""" + WAIT + PLAIN)
    s.export("mrt0", lambda lane: image.nearest(uv(lane)[0] - 1 / 8, uv(lane)[1], level=1), done=True, vm=True)
    s.close("mrt0", "f32", ulp=1)


@pixel
def least_lod(s):
    """A least level given with the coordinates: the derivatives say level 0, the clamp level 1."""
    image = Image(s, "2d", 16, 16, levels=3)
    _, uv = textured(s, COVERAGES[4], image, point(mip=1), *QUAD)
    s.doubts.add("mip-layout")
    s.text(PROLOGUE + """
        interp v8, attr0.xy
        v_mov_b32 v10, 1.0""" + FETCH + """
        image_sample_cl v[4:7], v[8:10], s[8:15], s[4:7] dmask:0xf""" + WAIT + PLAIN)
    s.export("mrt0", lambda lane: image.nearest(*uv(lane), level=1), done=True, vm=True)
    s.close("mrt0", "f32", ulp=1)


@pixel
def bias_and_least_lod(s):
    """A bias of 3 levels, at least level 1; the view has levels 1 and 2 only."""
    image = Image(s, "2d", 16, 16, levels=3)
    p = Pixels(s, COVERAGES[5], mask=3)
    uv = p.varying(0, *QUAD)
    p.place_attributes()
    view = image.sharp_of(image.base & (1 << 48) - 1, base_level=1)
    s.s(2, s.table(view, bytes(48), point(mip=1)))
    s.doubts |= {SAMPLING, "mip-layout"}
    s.text(PROLOGUE + """
        v_mov_b32 v8, 0x40400000
        interp v9, attr0.xy
        v_mov_b32 v11, 1.0""" + FETCH + """
        image_sample_b_cl v[4:7], v[8:11], s[8:15], s[4:7] dmask:0xf""" + WAIT + PLAIN)
    s.export("mrt0", lambda lane: image.nearest(*uv(lane), level=2), done=True, vm=True)
    s.close("mrt0", "f32", ulp=1)


@pixel
def shadow_gradients(s):
    """textureGrad of a shadow sampler, with an offset of one texel down."""
    image = Image(s, "2d", 16, 16, levels=2, dfmt=4, nfmt=FLOAT,
                  texels=lambda l, p, x, y: 0x3F00_0000 if (x + y * 3 + l) % 4 else 0x3E00_0000)
    _, uv = textured(s, COVERAGES[0], image, point(compare=4, mip=1), *QUAD)
    s.doubts.add("mip-layout")
    s.text(PROLOGUE + """
        v_mov_b32 v8, 0x100
        v_mov_b32 v9, 0x3e800000
        v_mov_b32 v10, 0x3e000000
        v_mov_b32 v11, 0
        v_mov_b32 v12, 0
        v_mov_b32 v13, 0x3e000000
        interp v14, attr0.xy""" + FETCH + """
        image_sample_c_d_o v4, v[8:15], s[8:15], s[4:7] dmask:0x1""" + WAIT + ONE)

    def lit(lane):
        u, v = uv(lane)
        return [float(0.25 > image.nearest(u, v + 1 / 8, level=1)[0])]
    s.export("mrt0", lit, done=True, vm=True)


@pixel
def gather_shadow(s):
    """textureGather of a shadow sampler: four comparisons."""
    image = Image(s, "2d", 8, 8, dfmt=2, nfmt=FLOAT, texels=depths(3))
    p = Pixels(s, COVERAGES[1], mask=3)
    uv = p.varying(0, (1 / 32, 1.0, 0.0), (1 / 16, 0.0, 1.0))
    p.place_attributes()
    s.s(2, s.table(combined(image, linear(compare=3))))
    s.doubts.add(SAMPLING)
    s.text(PROLOGUE + """
        v_mov_b32 v8, 0x3ec00000
        interp v9, attr0.xy""" + FETCH + """
        image_gather4_c_lz v[4:7], v[8:10], s[8:15], s[4:7] dmask:0x1""" + WAIT + PLAIN)

    def colour(lane):
        a, b, c, d = (float(0.375 <= image.texel(x, y)[0]) for x, y, _ in image.footprint(*uv(lane)))
        return [c, d, b, a]
    s.export("mrt0", colour, done=True, vm=True)


@pixel
def gather_integers(s):
    """textureGather of integers: before gfx9 the shader takes off half a texel, because there is no filter."""
    image = Image(s, "2d", 8, 8, dfmt=10, nfmt=UINT)
    _, uv = textured(s, COVERAGES[2], image, linear(REPEAT), (1 / 32, 1.0, 0.0), (3 / 64, 0.0, 1.0))
    if s.gen < 9:
        s.doubts.add("gather-integer")
    s.text(PROLOGUE + """
        interp v8, attr0.xy
        [678] v_add_f32 v8, 0xbd800000, v8
        [678] v_add_f32 v9, 0xbd800000, v9""" + FETCH + """
        image_gather4_lz v[4:7], v[8:9], s[8:15], s[4:7] dmask:0x2""" + WAIT + PLAIN)

    def colour(lane):
        a, b, c, d = (image.texel(x, y)[1] for x, y, _ in image.footprint(*uv(lane), wrap=REPEAT))
        return [c, d, b, a]
    s.export("mrt0", colour, done=True, vm=True)


@pixel
def cube_array(s):
    """A cube of an array of two: the third coordinate is 8 * layer + face."""
    image = Image(s, "cube", 4, 4, layers=12, dfmt=14, nfmt=FLOAT)
    p = Pixels(s, COVERAGES[3], mask=3, starts=(5,))
    direction = p.varying(0, [(0.3, 0.2, -0.1), (-0.9, 0.1, 0.2)], (0.13, 0.3, 0.4),
                          [(-1.6, 0.1, 0.3), (0.7, -0.3, 0.1)])
    layer = p.flat(1, [1.0, 0.0])
    p.place_attributes()
    s.s(2, s.table(combined(image, point())))
    s.doubts.add(SAMPLING)
    s.text(PROLOGUE + """
        interp v4, attr0.xyz
        v_interp_mov_f32 v11, p0, attr1.x
        v_cubema_f32 v7, v4, v5, v6
        v_rcp_f32 v7, |v7|
        v_cubesc_f32 v8, v4, v5, v6
        v_cubetc_f32 v9, v4, v5, v6
        v_cubeid_f32 v10, v4, v5, v6
        v_mov_b32 v12, 0x3fc00000
        v_mad_f32 v8, v8, v7, v12
        v_mad_f32 v9, v9, v7, v12
        v_mov_b32 v12, 0x41000000
        v_mac_f32 v10, v11, v12""" + FETCH + """
        image_sample_lz v[4:7], v[8:10], s[8:15], s[4:7] dmask:0xf da""" + WAIT + PLAIN)
    s.export("mrt0", lambda lane: cube_texel(image, direction(lane), 6 * int(layer(lane)[0])), done=True, vm=True)


@pixel
def row_of_array(s):
    """A 1D array, filtered; gfx9 binds it as 2D array with y in the middle."""
    kind = "2d-array" if s.gen == 9 else "1d-array"
    image = Image(s, kind, 16, 1, layers=5, dfmt=4, nfmt=FLOAT)
    p = Pixels(s, COVERAGES[4], mask=3)
    uv = p.varying(0, (1 / 128, 1.0, 0.0), (0.0, 0.0, 8.0))
    p.place_attributes()
    s.s(2, s.table(combined(image, linear())))
    s.doubts.add(SAMPLING)
    s.text(PROLOGUE + """
        interp v8, attr0.x
        [678] interp v9, attr0.y
        [678] v_rndne_f32 v9, v9
        [9] v_mov_b32 v9, 0.5
        [9] interp v10, attr0.y
        [9] v_rndne_f32 v10, v10""" + FETCH + """
        [678] image_sample_lz v4, v[8:9], s[8:15], s[4:7] dmask:0x1 da
        [9] image_sample_lz v4, v[8:10], s[8:15], s[4:7] dmask:0x1 da""" + WAIT + ONE)

    def colour(lane):
        u, v = uv(lane)
        return image.bilinear(u, 0.5, plane=min(round(v), 4))[:1]
    s.export("mrt0", colour, done=True, vm=True)
    s.close("mrt0", "f32", ulp=4, absolute=1e-6)


@pixel
def volume_trilinear(s):
    """A 3D texture, filtered in all directions, repeated in z."""
    image = Image(s, "3d", 4, 4, depth=4, dfmt=12, nfmt=FLOAT)
    sharp = sampler(clamp=(EDGE, EDGE, REPEAT), mag=1, min_=1)
    _, uvw = textured(s, COVERAGES[5], image, sharp, (1 / 8, 1.0, 0.0), (1 / 16, 0.0, 1.0), (-1 / 4, 1.0, 2.0))
    s.text(PROLOGUE + """
        interp v8, attr0.xyz""" + FETCH + """
        image_sample_lz v[4:7], v[8:10], s[8:15], s[4:7] dmask:0xf""" + WAIT + PLAIN)

    def colour(lane):
        u, v, w = uvw(lane)
        z = w * 4 - 0.5
        below = math.floor(z)
        a, b = (image.bilinear(u, v, plane=(below + k) % 4) for k in (0, 1))
        return [x * (1 - (z - below)) + y * (z - below) for x, y in zip(a, b)]
    s.export("mrt0", colour, done=True, vm=True)
    s.close("mrt0", "f32", ulp=8, absolute=1e-6)


@pixel
def three_samplers(s):
    """One texture, three samplers: mirrored, white border, nearest; only the S# changes."""
    image = Image(s, "2d", 8, 8, dfmt=4, nfmt=FLOAT)
    p = Pixels(s, COVERAGES[0], mask=3)
    uv = p.varying(0, (-1 / 2, 2.0, 1 / 4), (1 / 4, -1 / 2, 2.0))
    p.place_attributes()
    s.s(2, s.table(image.words, linear(MIRROR), linear(BORDER, border=2), point(REPEAT)))
    s.doubts |= {SAMPLING, "border-color"}
    s.text("""
        s_mov_b64 s[20:21], exec
        s_wqm_b64 exec, exec
        s_mov_b32 m0, s3
        pointer s3
        s_load_dwordx8 s[8:15], s[2:3], off(0x0)
        s_load_dwordx4 s[4:7], s[2:3], off(0x20)
        s_load_dwordx4 s[24:27], s[2:3], off(0x30)
        interp v8, attr0.xy
        s_waitcnt lgkmcnt(0)
        image_sample_lz v4, v[8:9], s[8:15], s[4:7] dmask:0x1
        image_sample_lz v5, v[8:9], s[8:15], s[24:27] dmask:0x1
        s_load_dwordx4 s[4:7], s[2:3], off(0x40)
        s_waitcnt lgkmcnt(0)
        image_sample_lz v6, v[8:9], s[8:15], s[4:7] dmask:0x1
        s_waitcnt vmcnt(0)
        s_mov_b64 exec, s[20:21]
        exp mrt0 v4, v5, v6, off done vm
        s_endpgm""")

    def colour(lane):
        u, v = uv(lane)
        return [image.bilinear(u, v, wrap=MIRROR)[0], image.bilinear(u, v, wrap=BORDER, border=(1.0,) * 4)[0],
                image.nearest(u, v, wrap=REPEAT)[0]]
    s.export("mrt0", colour, done=True, vm=True)
    s.close("mrt0", "f32", ulp=4, absolute=1e-6)


@pixel
def least_and_greatest(s):
    """Reduction modes: the least and the greatest texel of the footprint."""
    image = Image(s, "2d", 8, 8, dfmt=4, nfmt=FLOAT)
    p = Pixels(s, COVERAGES[1], mask=3)
    uv = p.varying(0, (1 / 8, 1 / 2, 0.0), (3 / 16, 0.0, 1 / 2))
    p.place_attributes()
    s.s(2, s.table(image.words, linear(mode=1), linear(mode=2)))
    s.doubts.add(SAMPLING)
    s.text("""
        s_mov_b32 m0, s3
        pointer s3
        s_load_dwordx8 s[8:15], s[2:3], off(0x0)
        s_load_dwordx8 s[16:23], s[2:3], off(0x20)
        interp v8, attr0.xy
        s_waitcnt lgkmcnt(0)
        image_sample_lz v4, v[8:9], s[8:15], s[16:19] dmask:0x1
        image_sample_lz v5, v[8:9], s[8:15], s[20:23] dmask:0x1
        s_waitcnt vmcnt(0)
        exp mrt0 v4, v5, off, off done vm
        s_endpgm""")

    def colour(lane):
        found = [image.texel(x, y)[0] for x, y, weight in image.footprint(*uv(lane)) if weight]
        return [min(found), max(found)]
    s.export("mrt0", colour, done=True, vm=True)


@pixel
def between_levels(s):
    """textureLod at a quarter between two levels, filtered in both."""
    image = Image(s, "2d", 16, 16, levels=4, dfmt=14, nfmt=FLOAT)
    p = Pixels(s, COVERAGES[2], mask=3)
    uv = p.varying(0, (3 / 128, 1.0, 0.0), (1 / 32, 0.0, 1.0))
    p.place_attributes()
    s.s(2, s.table(combined(image, linear(mip=2))))
    s.doubts |= {SAMPLING, "mip-layout"}
    s.text(PROLOGUE + """
        interp v8, attr0.xy
        v_mov_b32 v10, 0x3fa00000""" + FETCH + """
        image_sample_l v[4:7], v[8:10], s[8:15], s[4:7] dmask:0xf""" + WAIT + PLAIN)

    def colour(lane):
        a, b = (image.bilinear(*uv(lane), level=level) for level in (1, 2))
        return [x * 3 / 4 + y / 4 for x, y in zip(a, b)]
    s.export("mrt0", colour, done=True, vm=True)
    s.close("mrt0", "f32", ulp=8, absolute=1e-6)


@pixel
def samples_of_layers(s):
    """A fragment of a layer of a multisampled array, by the sample id."""
    image = Image(s, "msaa-array", 12, 8, layers=3, dfmt=5, nfmt=FLOAT, samples_log2=1)
    p = Pixels(s, COVERAGES[3], mask=3)
    p.varying(0, (0.0, 0.0, 0.0))
    p.place_attributes()
    sample, layer = (lambda lane: lane % 2), (lambda lane: lane // 2 % 3)
    s.v(2, lambda lane: p.x(lane))
    s.v(3, lambda lane: p.y(lane))
    s.v(4, lambda lane: sample(lane) << 8 | layer(lane) << 16)
    s.s(2, s.table(image.words))
    s.doubts.add("msaa-layout")
    s.text("""
        pointer s3
        s_load_dwordx8 s[8:15], s[2:3], off(0x0)
        v_bfe_u32 v5, v4, 8, 4
        v_bfe_u32 v4, v4, 16, 11
        s_waitcnt lgkmcnt(0)
        image_load v[6:7], v[2:5], s[8:15] dmask:0x3 unorm da
        s_waitcnt vmcnt(0)
        exp mrt0 v6, v7, off, off done vm
        s_endpgm""")
    s.export("mrt0", lambda lane: image.texel(p.x(lane), p.y(lane), plane=2 * layer(lane) + sample(lane))[:2],
             done=True, vm=True)


@pixel
def view_of_layers(s):
    """A view of layers 2 and 3 of five, of level 1; a layer outside is clamped by the sampler."""
    image = Image(s, "2d-array", 16, 16, layers=5, levels=2)
    p = Pixels(s, COVERAGES[4], mask=3)
    uv = p.varying(0, *QUAD)
    layer = p.varying(1, (-0.25, 0.0, 8.0))
    p.place_attributes()
    more = dict(base_array=2, last_array=3)
    view = image.sharp_of(image.base & (1 << 48) - 1, base_level=1, **more)
    s.s(2, s.table(view, bytes(48), point()))
    s.doubts |= {SAMPLING, "mip-layout"}
    s.text(PROLOGUE + """
        interp v8, attr0.xy
        interp v10, attr1.x
        v_rndne_f32 v10, v10""" + FETCH + """
        image_sample_lz v[4:7], v[8:10], s[8:15], s[4:7] dmask:0xf da""" + WAIT + PLAIN)
    s.export("mrt0", lambda lane: image.nearest(*uv(lane), plane=2 + min(max(round(layer(lane)[0]), 0), 1), level=1),
             done=True, vm=True)
    s.close("mrt0", "f32", ulp=1)


@of_generations("678")
def short_descriptor(s):
    """A T# of four dwords (R128); the assembler wants eight registers named."""
    image = Image(s, "2d", 8, 8, dfmt=4, nfmt=FLOAT)
    p = Pixels(s, COVERAGES[5], mask=3)
    uv = p.varying(0, (1 / 64, 1.0, 0.0), (1 / 32, 0.0, 1.0))
    p.place_attributes()
    s.s(2, s.table(image.words[:4], point()))
    s.doubts.add(SAMPLING)
    s.text("""
        s_mov_b32 m0, s3
        pointer s3
        s_load_dwordx8 s[8:15], s[2:3], off(0x0)
        interp v8, attr0.xy
        s_waitcnt lgkmcnt(0)
        image_sample_lz v4, v[8:9], s[8:15], s[12:15] dmask:0x1 r128
        s_waitcnt vmcnt(0)
        exp mrt0 v4, off, off, off done vm
        s_endpgm""")
    s.export("mrt0", lambda lane: image.nearest(*uv(lane))[:1], done=True, vm=True)


@of_generations("89")
def half_results(s):
    """D16: results as halves; gfx9 packs two into a register."""
    image = Image(s, "2d", 16, 16, dfmt=12, nfmt=FLOAT)
    _, uv = textured(s, COVERAGES[0], image, point(), *QUAD)
    if s.gen == 8:
        s.doubts.add("d16-unpacked-high")
    s.text(PROLOGUE + """
        interp v8, attr0.xy""" + FETCH + """
        [8] image_sample v[4:7], v[8:9], s[8:15], s[4:7] dmask:0xf d16
        [9] image_sample v[4:5], v[8:9], s[8:15], s[4:7] dmask:0xf d16
        s_waitcnt vmcnt(0)
        [8] v_lshlrev_b32 v5, 16, v5
        [8] v_or_b32_sdwa v4, v4, v5 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_0 src1_sel:DWORD
        [8] v_lshlrev_b32 v7, 16, v7
        [8] v_or_b32_sdwa v5, v6, v7 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_0 src1_sel:DWORD
        s_mov_b64 exec, s[20:21]
        exp mrt0 v4, v4, v5, v5 done compr vm
        s_endpgm""")
    s.export("mrt0", lambda lane: image.nearest(*uv(lane)), compr=True, done=True, vm=True)


@of_generations("9")
def half_coordinates(s):
    """A16: coordinates as a pair of halves."""
    image = Image(s, "2d", 16, 16)
    _, uv = textured(s, COVERAGES[1], image, point(), *QUAD)
    s.text(PROLOGUE + """
        interp v8, attr0.xy
        v_cvt_pkrtz_f16_f32 v8, v8, v9""" + FETCH + """
        image_sample_lz v[4:7], v8, s[8:15], s[4:7] dmask:0xf a16""" + WAIT + PLAIN)
    s.export("mrt0", lambda lane: image.nearest(*uv(lane)), done=True, vm=True)
    s.close("mrt0", "f32", ulp=1)


# (data format, number format) of images that are read at the place of the pixel, one for each target
GROUPS = {
    "small-unorm": [(16, UNORM), (17, UNORM), (18, UNORM), (19, UNORM), (3, UNORM), (57, UNORM)],
    "snorm": [(1, 1), (3, 1), (10, 1), (2, 1), (5, 1), (12, 1)],
    "floats": [(2, FLOAT), (5, FLOAT), (6, FLOAT), (7, FLOAT), (34, FLOAT), (11, FLOAT)],
    "integers": [(1, 4), (3, 5), (10, 5), (5, 4), (4, 5), (11, 4), (14, 5)],
    "scaled": [(1, 2), (10, 3), (2, 3), (12, 2)],
    "ten-bits": [(8, UNORM), (9, UNORM), (8, 4), (9, 4), (9, 2)],
    "depths": [(20, UNORM), (21, UNORM), (22, FLOAT), (2, UNORM)],
}


def formats_of(group):
    def shader(s):
        pairs = GROUPS[group]
        images = [Image(s, "2d", 8, 4, dfmt=d, nfmt=n, texels=element(s.rnd, d, n)) for d, n in pairs]
        p = Pixels(s, 0xFFFF_FFFF if group != "integers" else 0xF0FF_0FF1, mask=3)
        p.varying(0, (0.0, 0.0, 0.0))
        p.place_attributes()
        s.v(2, lambda lane: p.x(lane))
        s.v(3, lambda lane: p.y(lane))
        s.s(2, s.table(*(image.words for image in images)))
        lines = ["pointer s3"]
        for k in range(len(pairs)):
            done = " done vm" if k == len(pairs) - 1 else ""
            lines += [f"s_load_dwordx8 s[8:15], s[2:3], off({32 * k})", "s_waitcnt lgkmcnt(0)",
                      "image_load v[4:7], v[2:3], s[8:15] dmask:0xf unorm", "s_waitcnt vmcnt(0)",
                      f"exp mrt{k} v4, v5, v6, v7{done}"]
        s.text("\n".join(lines + ["s_endpgm"]))
        for k, (image, (_, nfmt)) in enumerate(zip(images, pairs)):
            last = k == len(pairs) - 1
            s.export(f"mrt{k}", lambda lane, image=image: image.texel(p.x(lane), p.y(lane)), done=last, vm=last)
            if nfmt in (UNORM, 1):
                s.close(f"mrt{k}", "f32", ulp=1)
    return shader


def element(rnd, dfmt, nfmt):
    """Texels whose value is finite; of X24_8_32 the padding is random, too."""
    if dfmt in (6, 7):
        at = ((0, 6), (11, 6), (22, 5)) if dfmt == 6 else ((0, 5), (10, 6), (21, 6))
        return lambda *_: sum((rnd.randrange(8, 22) << bits | rnd.getrandbits(bits)) << first for first, bits in at)
    if dfmt == 34:
        return lambda *_: rnd.getrandbits(27) | rnd.randrange(10, 22) << 27
    if dfmt == 22:
        return lambda *_: 0x3F00_0000 | rnd.getrandbits(20) | rnd.getrandbits(32) << 32
    return None


for _group in GROUPS:
    pixel(formats_of(_group), f"formats-{_group}")
