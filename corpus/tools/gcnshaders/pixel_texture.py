"""Pixel shaders with textures."""

import math

from .images import (BORDER, EDGE, FLOAT, MIRROR, REPEAT, SINT, SRGB, UNORM, Image, combined, linear, point, sampler,
                     wrapped)
from .pixels import COVERAGES, Pixels, pixel

SAMPLING = "sample-precision"
# u and v of a texture of 16 x 16 texels, a little turned: lanes are nowhere on the edge of a texel
QUAD = (1 / 64, 1.0, 1 / 16), (1 / 64, 1 / 16, 1.0)


def textured(s, coverage, image, s_sharp, *planes, starts=()):
    """Sets up a wave with texture coordinates in attribute 0, and one combined image and sampler in set 0."""
    p = Pixels(s, coverage, mask=3, starts=starts)
    coordinates = p.varying(0, *planes)
    p.place_attributes()
    s.s(2, s.table(combined(image, s_sharp)))
    s.doubts.add(SAMPLING)
    return p, coordinates


# what every such shader begins with; the descriptors are in s[8:15] and s[4:7], the coordinates from v2 on
PROLOGUE = """
        s_mov_b64 s[20:21], exec
        s_wqm_b64 exec, exec
        s_mov_b32 s0, s3
        pointer s3
        s_load_dwordx8 s[8:15], s[2:3], off(0x0)
        s_load_dwordx4 s[4:7], s[2:3], off(0x50)
        s_mov_b32 m0, s0
        [9] s_nop 0
"""
PACK = """
        v_cvt_pkrtz_f16_f32 v0, v4, v5
        v_cvt_pkrtz_f16_f32 v1, v6, v7
        s_mov_b64 exec, s[20:21]
        exp mrt0 v0, v0, v1, v1 done compr vm
        s_endpgm"""
PLAIN = """
        s_mov_b64 exec, s[20:21]
        exp mrt0 v4, v5, v6, v7 done vm
        s_endpgm"""


@pixel
def textured_quad(s):
    """A texture, its nearest texel."""
    image = Image(s, "2d", 16, 16)
    _, uv = textured(s, COVERAGES[0], image, point(), *QUAD)
    s.text(PROLOGUE + """
        interp v2, attr0.xy
        s_waitcnt lgkmcnt(0)
        image_sample v[4:7], v[2:3], s[8:15], s[4:7] dmask:0xf
        s_waitcnt vmcnt(0)""" + PACK)
    s.export("mrt0", lambda lane: image.nearest(*uv(lane)), compr=True, done=True, vm=True)
    s.close("mrt0", "f16", ulp=1)


@pixel
def bilinear(s):
    """A texture, filtered, modulated by a colour of the vertices."""
    image = Image(s, "2d", 8, 4)
    p = Pixels(s, COVERAGES[1], mask=3)
    uv = p.varying(0, (1 / 8, 3 / 4, 1 / 8), (0.0, 1 / 4, 7 / 8))
    colour = p.varying(1, (1.0, -1 / 2, 0.0), (1 / 2, 0.0, 1 / 4), (0.0, 1 / 2, 1 / 2), (1.0, 0.0, 0.0))
    p.place_attributes()
    s.s(2, s.table(combined(image, linear())))
    s.doubts.add(SAMPLING)
    s.text(PROLOGUE + """
        interp v2, attr0.xy
        s_waitcnt lgkmcnt(0)
        image_sample v[4:7], v[2:3], s[8:15], s[4:7] dmask:0xf
        interp v8, attr1.xyzw
        s_waitcnt vmcnt(0)
        v_mul_f32 v4, v4, v8
        v_mul_f32 v5, v5, v9
        v_mul_f32 v6, v6, v10
        v_mul_f32 v7, v7, v11""" + PACK)
    s.export("mrt0", lambda lane: [a * b for a, b in zip(image.bilinear(*uv(lane)), colour(lane))], compr=True,
             done=True, vm=True)
    s.close("mrt0", "f16", ulp=2, absolute=1e-6)


@pixel
def repeated(s):
    """Coordinates that wrap in x and are mirrored in y; one channel of the texture is read."""
    image = Image(s, "2d", 8, 4, dfmt=2, nfmt=FLOAT)
    sharp = sampler(clamp=(REPEAT, MIRROR, EDGE), mag=1, min_=1)
    _, uv = textured(s, COVERAGES[2], image, sharp, (-2.0, 3.0, 1.0), (-1.0, 1.0, 4.0))
    s.text(PROLOGUE + """
        interp v2, attr0.xy
        s_waitcnt lgkmcnt(0)
        image_sample v4, v[2:3], s[8:15], s[4:7] dmask:0x1
        s_waitcnt vmcnt(0)
        s_mov_b64 exec, s[20:21]
        exp mrt0 v4, off, off, off done vm
        s_endpgm""")

    def colour(lane):
        u, v = uv(lane)
        total = 0.0
        for x, weight in line(u, 8, REPEAT):
            for y, other in line(v, 4, MIRROR):
                total += weight * other * image.texel(x, y)[0]
        return [total]
    s.export("mrt0", colour, done=True, vm=True)
    s.close("mrt0", "f32", ulp=4, absolute=1e-6)


def line(t, n, wrap):
    """The two texels along an axis of n texels, with weights."""
    t = t * n - 0.5
    i = math.floor(t)
    return [(wrapped(i, n, wrap), 1 - (t - i)), (wrapped(i + 1, n, wrap), t - i)]


@pixel
def border_colour(s):
    """Outside of the texture there is opaque black."""
    image = Image(s, "2d", 8, 8, dfmt=14, nfmt=FLOAT)
    _, uv = textured(s, COVERAGES[3], image, linear(BORDER, border=1), (-1 / 2, 2.0, 0.0), (-1 / 4, 0.0, 2.0))
    s.doubts.add("border-color")
    s.text(PROLOGUE + """
        interp v2, attr0.xy
        s_waitcnt lgkmcnt(0)
        image_sample v[4:7], v[2:3], s[8:15], s[4:7] dmask:0xf
        s_waitcnt vmcnt(0)""" + PLAIN)
    s.export("mrt0", lambda lane: image.bilinear(*uv(lane), wrap=BORDER, border=(0.0, 0.0, 0.0, 1.0)), done=True,
             vm=True)
    s.close("mrt0", "f32", ulp=4, absolute=1e-6)


@pixel
def alpha_test(s):
    """Discard where the alpha of a texture is low; lanes that only help do not count."""
    image = Image(s, "2d", 16, 16)
    _, uv = textured(s, COVERAGES[4], image, point(), *QUAD)
    s.text(PROLOGUE + """
        interp v2, attr0.xy
        s_waitcnt lgkmcnt(0)
        image_sample v[4:7], v[2:3], s[8:15], s[4:7] dmask:0xf
        s_waitcnt vmcnt(0)
        v_cmp_gt_f32 vcc, 0.5, v7
        s_andn2_b64 s[20:21], s[20:21], vcc
        s_cbranch_scc0 nothing
        v_cvt_pkrtz_f16_f32 v0, v4, v5
        v_cvt_pkrtz_f16_f32 v1, v6, v7
        s_mov_b64 exec, s[20:21]
        exp mrt0 v0, v0, v1, v1 done compr vm
        s_endpgm
    nothing:
        s_mov_b64 exec, 0
        exp null off, off, off, off done vm
        s_endpgm""")
    stay = [lane for lane in s.lanes() if image.nearest(*uv(lane))[3] >= 0.5]
    assert 0 < len(stay) < len(s.lanes())
    s.export("mrt0", lambda lane: image.nearest(*uv(lane)), compr=True, done=True, vm=True, lanes=stay)
    s.close("mrt0", "f16", ulp=1)


@pixel
def explicit_lod(s):
    """textureLod: the level is an input."""
    image = Image(s, "2d", 16, 16, levels=4)
    p = Pixels(s, COVERAGES[5], mask=3, starts=(5, 6, 8))
    uv = p.varying(0, (1 / 64, 1.0, 0.0), (1 / 64, 0.0, 1.0))
    lod = p.flat(1, [0.0, 2.0, 1.25, 9.0])
    p.place_attributes()
    s.s(2, s.table(combined(image, point(mip=1))))
    s.doubts |= {SAMPLING, "mip-layout"}
    s.text(PROLOGUE + """
        interp v2, attr0.xy
        v_interp_mov_f32 v4, p0, attr1.x
        s_waitcnt lgkmcnt(0)
        image_sample_l v[4:7], v[2:4], s[8:15], s[4:7] dmask:0xf
        s_waitcnt vmcnt(0)""" + PLAIN)
    levels = {0.0: 0, 2.0: 2, 1.25: 1, 9.0: 3}
    s.export("mrt0", lambda lane: image.nearest(*uv(lane), level=levels[lod(lane)[0]]), done=True, vm=True)
    s.close("mrt0", "f32", ulp=1)


@pixel
def mips_by_derivatives(s):
    """Three triangles whose coordinates run at different speed: level 0, 1 and 2."""
    image = Image(s, "2d", 16, 16, levels=4)
    planes = [(1 / 64, 1.0, 0.0), (1 / 32, 2.0, 0.0), (1 / 16, 4.0, 0.0)], \
             [(1 / 64, 0.0, 1.0), (1 / 32, 0.0, 1.0), (1 / 16, 0.0, 4.0)]
    _, uv = textured(s, 0x0000_F70F_0F1F_FFFF, image, point(REPEAT, mip=1), *planes, starts=(4, 8))
    s.doubts.add("mip-layout")
    s.text(PROLOGUE + """
        interp v2, attr0.xy
        s_waitcnt lgkmcnt(0)
        image_sample v[4:7], v[2:3], s[8:15], s[4:7] dmask:0xf
        s_waitcnt vmcnt(0)""" + PLAIN)
    level = lambda lane: 0 if lane < 16 else 1 if lane < 32 else 2
    s.export("mrt0", lambda lane: image.nearest(*uv(lane), level=level(lane), wrap=REPEAT), done=True, vm=True)
    s.close("mrt0", "f32", ulp=1)


@pixel
def trilinear_bias(s):
    """texture(.., bias): half way between level 0 and 1, filtered."""
    image = Image(s, "2d", 16, 8, levels=3)
    _, uv = textured(s, COVERAGES[0], image, linear(REPEAT, mip=2), (3 / 128, 1.0, 0.0), (1 / 32, 0.0, 1.0))
    s.doubts.add("mip-layout")
    s.text(PROLOGUE + """
        v_mov_b32 v4, 0.5
        interp v5, attr0.xy
        s_waitcnt lgkmcnt(0)
        image_sample_b v[4:7], v[4:6], s[8:15], s[4:7] dmask:0xf
        s_waitcnt vmcnt(0)""" + PLAIN)

    def colour(lane):
        a, b = (image.bilinear(*uv(lane), level=level, wrap=REPEAT) for level in (0, 1))
        return [(x + y) / 2 for x, y in zip(a, b)]
    s.export("mrt0", colour, done=True, vm=True)
    s.close("mrt0", "f32", ulp=8, absolute=1e-6)


@pixel
def user_derivatives(s):
    """textureGrad: steps of four texels in x and one in y give level 2."""
    image = Image(s, "2d", 16, 16, levels=4)
    _, uv = textured(s, COVERAGES[1], image, point(mip=1), *QUAD)
    s.doubts.add("mip-layout")
    s.text(PROLOGUE + """
        v_mov_b32 v4, 0x3e800000
        v_mov_b32 v5, 0
        v_mov_b32 v6, 0
        v_mov_b32 v7, 0x3d800000
        interp v8, attr0.xy
        s_waitcnt lgkmcnt(0)
        image_sample_d v[4:7], v[4:11], s[8:15], s[4:7] dmask:0xf
        s_waitcnt vmcnt(0)""" + PLAIN)
    s.export("mrt0", lambda lane: image.nearest(*uv(lane), level=2), done=True, vm=True)
    s.close("mrt0", "f32", ulp=1)


@pixel
def query_lod(s):
    """textureQueryLod: the level is clamped, the lod is not."""
    image = Image(s, "2d", 32, 32, levels=2)
    planes = [(0.0, 1.0, 0.0), (0.0, 4.0, 0.0)], [(0.0, 0.0, 1 / 4), (0.0, 1.0, 1.0)]
    textured(s, 0x0000_0000_F0FF_1FFF, image, point(mip=1), *planes, starts=(4,))
    s.text(PROLOGUE + """
        interp v2, attr0.xy
        s_waitcnt lgkmcnt(0)
        image_get_lod v[4:5], v[2:3], s[8:15], s[4:7] dmask:0x3
        s_waitcnt vmcnt(0)
        s_mov_b64 exec, s[20:21]
        exp mrt0 v4, v5, off, off done vm
        s_endpgm""")
    # a pixel is 1/16 of the planes: 2 texels, and 8 by 2
    s.export("mrt0", lambda lane: [1.0, 1.0] if lane < 16 else [1.0, math.log2(math.hypot(8, 2))], done=True, vm=True)
    s.close("mrt0", "f32", absolute=1 / 128)


@pixel
def cube_map(s):
    """Reflections: a direction to face and coordinates by V_CUBE*, then the nearest texel."""
    image = Image(s, "cube", 4, 4, layers=6)
    p = Pixels(s, 0xFFFF_F0F0_FF00_F731, mask=3, starts=(3, 5, 7, 9, 11, 13))
    directions = [(1.0, 0.25, -0.5), (-1.0, 0.5, 0.25), (0.25, 1.0, 0.5), (-0.5, -1.0, 0.25), (0.25, 0.5, 1.0),
                  (0.5, -0.25, -1.0), (0.75, 0.125, -1.0)]
    tilt = (1 / 5, -1 / 7), (-1 / 9, 1 / 6), (1 / 8, 1 / 11)
    direction = p.varying(0, *([(d[c] * 2 + (c + 1) / 37, *tilt[c]) for d in directions] for c in range(3)))
    p.place_attributes()
    s.s(2, s.table(combined(image, point())))
    s.doubts.add(SAMPLING)
    s.text(PROLOGUE + """
        interp v4, attr0.xyz
        v_cubema_f32 v7, v4, v5, v6
        v_rcp_f32 v7, |v7|
        v_cubesc_f32 v2, v4, v5, v6
        v_cubetc_f32 v3, v4, v5, v6
        v_cubeid_f32 v4, v4, v5, v6
        v_mov_b32 v8, 0x3fc00000
        v_mad_f32 v2, v2, v7, v8
        v_mad_f32 v3, v3, v7, v8
        s_waitcnt lgkmcnt(0)
        image_sample v[4:7], v[2:4], s[8:15], s[4:7] dmask:0xf da
        s_waitcnt vmcnt(0)""" + PLAIN)
    s.export("mrt0", lambda lane: cube_texel(image, direction(lane)), done=True, vm=True)
    s.close("mrt0", "f32", ulp=1)


def cube_texel(image, direction, first=0):
    """The texel that a direction meets; the table of faces is that of Vulkan."""
    x, y, z = direction
    major = max((abs(x), 0), (abs(y), 1), (abs(z), 2))[1]
    ma = direction[major]
    face = 2 * major + (ma < 0)
    sc, tc = {0: (-z, -y), 1: (z, -y), 2: (x, z), 3: (x, -z), 4: (x, -y), 5: (-x, -y)}[face]
    u, v = sc / abs(ma) / 2 + 0.5, tc / abs(ma) / 2 + 0.5
    for t in (u, v):
        assert abs(t * 4 - round(t * 4)) > 0.002, f"{direction}: {t * 4}"
    return image.nearest(u, v, plane=first + face)


@pixel
def array_layers(s):
    """A layer of an array, rounded by the shader."""
    image = Image(s, "2d-array", 16, 16, layers=4)
    p = Pixels(s, COVERAGES[2], mask=3)
    uv = p.varying(0, *QUAD)
    layer = p.varying(1, (0.3, 2.0, 2.0))
    p.place_attributes()
    s.s(2, s.table(combined(image, point())))
    s.doubts.add(SAMPLING)
    s.text(PROLOGUE + """
        interp v2, attr0.xy
        interp v4, attr1.x
        v_rndne_f32 v4, v4
        s_waitcnt lgkmcnt(0)
        image_sample v[4:7], v[2:4], s[8:15], s[4:7] dmask:0xf da
        s_waitcnt vmcnt(0)""" + PLAIN)
    s.export("mrt0", lambda lane: image.nearest(*uv(lane), plane=min(round(layer(lane)[0]), 3)), done=True, vm=True)
    s.close("mrt0", "f32", ulp=1)


@pixel
def volume(s):
    """A 3D texture, filtered in x and y, the nearest slice in z."""
    image = Image(s, "3d", 4, 4, depth=4, dfmt=4, nfmt=FLOAT)
    _, uvw = textured(s, COVERAGES[3], image, linear(z=1), (1 / 8, 1.0, 0.0), (1 / 16, 0.0, 1.0), (1 / 64, 1.0, 1 / 2))
    s.text(PROLOGUE + """
        interp v2, attr0.xyz
        s_waitcnt lgkmcnt(0)
        image_sample v4, v[2:4], s[8:15], s[4:7] dmask:0x1
        s_waitcnt vmcnt(0)
        s_mov_b64 exec, s[20:21]
        exp mrt0 v4, off, off, off done vm
        s_endpgm""")

    def colour(lane):
        u, v, w = uvw(lane)
        return image.bilinear(u, v, plane=min(math.floor(w * 4), 3))[:1]
    s.export("mrt0", colour, done=True, vm=True)
    s.close("mrt0", "f32", ulp=4, absolute=1e-6)


@pixel
def shadow_compare(s):
    """sampler2DShadow: 1 where the reference is less than the depth of the nearest texel."""
    image = Image(s, "2d", 16, 16, dfmt=4, nfmt=FLOAT,
                  texels=lambda l, p, x, y: 0x3F00_0000 + (x * 7 + y * 3) % 5 * 0x10_0000)
    p = Pixels(s, COVERAGES[4], mask=3)
    uv = p.varying(0, *QUAD)
    depth = p.varying(1, (0.515625, 0.25, 0.25))
    p.place_attributes()
    s.s(2, s.table(combined(image, point(compare=1))))
    s.doubts.add(SAMPLING)
    s.text(PROLOGUE + """
        interp v2, attr1.x
        interp v3, attr0.xy
        s_waitcnt lgkmcnt(0)
        image_sample_c_lz v4, v[2:4], s[8:15], s[4:7] dmask:0x1
        s_waitcnt vmcnt(0)
        s_mov_b64 exec, s[20:21]
        exp mrt0 v4, off, off, off done vm
        s_endpgm""")
    s.export("mrt0", lambda lane: [float(depth(lane)[0] < image.nearest(*uv(lane))[0])], done=True, vm=True)


@pixel
def shadow_filtered(s):
    """Percentage closer: four comparisons, filtered."""
    image = Image(s, "2d", 8, 8, dfmt=2, nfmt=UNORM, texels=lambda l, p, x, y: 0x4000 if (x ^ y) & 2 else 0xC000)
    p = Pixels(s, COVERAGES[5], mask=3)
    uv = p.varying(0, (1 / 16, 1.0, 1 / 8), (1 / 32, 1 / 4, 1.0))
    p.place_attributes()
    s.s(2, s.table(combined(image, linear(compare=3))))
    s.doubts.add(SAMPLING)
    s.text(PROLOGUE + """
        v_mov_b32 v2, 0.5
        interp v3, attr0.xy
        s_waitcnt lgkmcnt(0)
        image_sample_c v4, v[2:4], s[8:15], s[4:7] dmask:0x1
        s_waitcnt vmcnt(0)
        s_mov_b64 exec, s[20:21]
        exp mrt0 v4, off, off, off done vm
        s_endpgm""")
    s.export("mrt0", lambda lane: [sum(w for x, y, w in image.footprint(*uv(lane)) if 0.5 <= image.texel(x, y)[0])],
             done=True, vm=True)
    s.close("mrt0", "f32", ulp=2)


@pixel
def gather_red(s):
    """textureGather with the point sampler's TRUNC_COORD cleared, as RADV does."""
    image = Image(s, "2d", 8, 8, dfmt=4, nfmt=FLOAT)
    _, uv = textured(s, COVERAGES[0], image, point(REPEAT), (1 / 32, 1.0, 0.0), (1 / 16, 0.0, 1.0))
    s.text(PROLOGUE + """
        interp v2, attr0.xy
        s_waitcnt lgkmcnt(0)
        s_and_b32 s4, s4, 0xf7ffffff
        image_gather4_lz v[4:7], v[2:3], s[8:15], s[4:7] dmask:0x1
        s_waitcnt vmcnt(0)""" + PLAIN)

    def colour(lane):
        a, b, c, d = (image.texel(x, y)[0] for x, y, _ in image.footprint(*uv(lane), wrap=REPEAT))
        return [c, d, b, a]
    s.export("mrt0", colour, done=True, vm=True)


@pixel
def gather_with_offset(s):
    """textureGatherOffset of the blue channel."""
    image = Image(s, "2d", 16, 16, dfmt=12, nfmt=FLOAT)
    _, uv = textured(s, COVERAGES[1], image, linear(), (1 / 64, 0.5, 0.0), (1 / 32, 0.0, 0.5))
    offset = (3, -2)
    s.text(PROLOGUE + """
        v_mov_b32 v2, 0x3e03
        interp v3, attr0.xy
        s_waitcnt lgkmcnt(0)
        image_gather4_lz_o v[4:7], v[2:4], s[8:15], s[4:7] dmask:0x4
        s_waitcnt vmcnt(0)""" + PLAIN)

    def colour(lane):
        u, v = uv(lane)
        places = image.footprint(u + offset[0] / 16, v + offset[1] / 16)
        a, b, c, d = (image.texel(x, y)[2] for x, y, _ in places)
        return [c, d, b, a]
    s.export("mrt0", colour, done=True, vm=True)


@pixel
def texel_fetch(s):
    """texelFetch by the position of the pixel, of level 1; outside there is 0."""
    image = Image(s, "2d", 16, 16, levels=2)
    p = Pixels(s, COVERAGES[2], mask=3, at=(4, 2))
    p.varying(0, (0.0, 0.0, 0.0))
    p.place_attributes()
    s.v(2, lambda lane: p.x(lane) + 0.5)
    s.v(3, lambda lane: p.y(lane) + 0.5)
    s.s(2, s.table(image.words))
    s.doubts |= {"mip-layout", "image-outside"}
    s.text("""
        pointer s3
        s_load_dwordx8 s[8:15], s[2:3], off(0x0)
        v_cvt_i32_f32 v2, v2
        v_cvt_i32_f32 v3, v3
        v_mov_b32 v4, 1
        s_waitcnt lgkmcnt(0)
        image_load_mip v[4:7], v[2:4], s[8:15] dmask:0xf unorm
        s_waitcnt vmcnt(0)
        exp mrt0 v4, v5, v6, v7 done vm
        s_endpgm""")
    s.export("mrt0", lambda lane: image.texel(p.x(lane), p.y(lane), level=1) if p.x(lane) < 8 else [0.0] * 4,
             done=True, vm=True)
    s.close("mrt0", "f32", ulp=1)


@pixel
def resolve_samples(s):
    """The four fragments of each pixel, averaged."""
    image = Image(s, "msaa", 12, 8, dfmt=14, nfmt=FLOAT, samples_log2=2)
    p = Pixels(s, COVERAGES[3], mask=3, at=(2, 0))
    p.varying(0, (0.0, 0.0, 0.0))
    p.place_attributes()
    s.v(2, lambda lane: p.x(lane))
    s.v(3, lambda lane: p.y(lane))
    s.s(2, s.table(image.words))
    s.doubts.add("msaa-layout")
    s.text("""
        pointer s3
        s_load_dwordx8 s[8:15], s[2:3], off(0x0)
        v_mov_b32 v5, 0
        v_mov_b32 v6, 0
        v_mov_b32 v7, 0
        s_mov_b32 s4, 0
        s_waitcnt lgkmcnt(0)
    again:
        v_mov_b32 v4, s4
        image_load v[8:10], v[2:4], s[8:15] dmask:0x7 unorm
        s_add_u32 s4, s4, 1
        s_cmp_lt_u32 s4, 4
        s_waitcnt vmcnt(0)
        v_add_f32 v5, v5, v8
        v_add_f32 v6, v6, v9
        v_add_f32 v7, v7, v10
        s_cbranch_scc1 again
        v_mul_f32 v5, 0x3e800000, v5
        v_mul_f32 v6, 0x3e800000, v6
        v_mul_f32 v7, 0x3e800000, v7
        exp mrt0 v5, v6, v7, off done vm
        s_endpgm""")

    def colour(lane):
        found = [image.texel(p.x(lane), p.y(lane), plane=k) for k in range(4)]
        return [sum(t[c] for t in found) / 4 for c in range(3)]
    s.export("mrt0", colour, done=True, vm=True)


@pixel
def integer_texture(s):
    """isampler2D: point filter, integers as they are."""
    image = Image(s, "2d", 16, 16, dfmt=12, nfmt=SINT)
    _, uv = textured(s, COVERAGES[5], image, point(), *QUAD)
    s.text(PROLOGUE + """
        interp v2, attr0.xy
        s_waitcnt lgkmcnt(0)
        image_sample_lz v[4:7], v[2:3], s[8:15], s[4:7] dmask:0xf
        s_waitcnt vmcnt(0)""" + PLAIN)
    s.export("mrt0", lambda lane: image.nearest(*uv(lane)), done=True, vm=True)


@pixel
def srgb_texture(s):
    """An sRGB texture, its nearest texel; alpha is linear."""
    image = Image(s, "2d", 16, 16, nfmt=SRGB)
    _, uv = textured(s, COVERAGES[0], image, point(), *QUAD)
    s.doubts.add("srgb-table")
    s.text(PROLOGUE + """
        interp v2, attr0.xy
        s_waitcnt lgkmcnt(0)
        image_sample v[4:7], v[2:3], s[8:15], s[4:7] dmask:0xf
        s_waitcnt vmcnt(0)""" + PLAIN)
    s.export("mrt0", lambda lane: image.nearest(*uv(lane)), done=True, vm=True)
    s.close("mrt0", "f32", absolute=1 / 2048)


@pixel
def sparse_texture(s):
    """Residency: the register behind the data is cleared first and says that all texels are there."""
    image = Image(s, "2d", 16, 16, dfmt=5, nfmt=FLOAT)
    _, uv = textured(s, COVERAGES[2], image, point(), *QUAD)
    s.doubts.add("tfe-resident")
    s.text(PROLOGUE + """
        interp v2, attr0.xy
        v_mov_b32 v6, 0
        v_mov_b32 v7, 1.0
        s_waitcnt lgkmcnt(0)
        image_sample v[4:6], v[2:3], s[8:15], s[4:7] dmask:0x3 tfe
        s_waitcnt vmcnt(0)
        v_cmp_eq_u32 vcc, 0, v6
        v_cndmask_b32 v7, 0, v7, vcc""" + PLAIN)
    s.export("mrt0", lambda lane: image.nearest(*uv(lane))[:2] + [0.0, 1.0], done=True, vm=True)


@pixel
def rectangle_coordinates(s):
    """Coordinates in texels, by a sampler that is not normalised."""
    image = Image(s, "2d", 12, 6)
    _, xy = textured(s, COVERAGES[3], image, point(unnormalized=1), (0.25, 16.0, 0.0), (-1.125, 0.0, 16.0))
    s.text(PROLOGUE + """
        interp v2, attr0.xy
        s_waitcnt lgkmcnt(0)
        image_sample_lz v[4:7], v[2:3], s[8:15], s[4:7] dmask:0xf unorm
        s_waitcnt vmcnt(0)""" + PLAIN)
    s.export("mrt0", lambda lane: image.nearest(xy(lane)[0] / 12, xy(lane)[1] / 6), done=True, vm=True)
    s.close("mrt0", "f32", ulp=1)
