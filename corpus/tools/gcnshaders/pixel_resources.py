"""Pixel shaders with several resources: textures, storage images, counters, arrays of descriptors, blocks."""

from .base import f16
from .images import FLOAT, REPEAT, UINT, Image, Texture, combined, linear, place, point, texture
from .pixel_texture import PLAIN, PROLOGUE, QUAD, SAMPLING, textured
from .pixels import COVERAGES, Pixels, pixel


@pixel
def texture_size(s):
    """textureSize of two levels and the number of levels, and the width read from the T# itself."""
    image = Image(s, "2d-array", 24, 10, layers=3, levels=4)
    s.execute = COVERAGES[4]
    s.s(2, s.table(image.words))
    s.text("""
        pointer s3
        s_load_dwordx8 s[8:15], s[2:3], off(0x0)
        v_mov_b32 v0, 0
        v_mov_b32 v1, 2
        s_waitcnt lgkmcnt(0)
        image_get_resinfo v[4:7], v0, s[8:15] dmask:0xf unorm da
        image_get_resinfo v[8:9], v1, s[8:15] dmask:0x3 unorm da
        s_and_b32 s4, s10, 0x3fff
        s_add_u32 s4, s4, 1
        s_bfe_u32 s5, s10, 0xe000e
        s_add_u32 s5, s5, 1
        v_mov_b32 v2, s4
        v_mov_b32 v3, s5
        s_waitcnt vmcnt(0)
        exp mrt0 v4, v5, v6, v7
        exp mrt1 v8, v9, v2, v3 done vm
        s_endpgm""")
    s.export("mrt0", lambda lane: [24, 10, 3, 4])
    s.export("mrt1", lambda lane: [6, 2, 24, 10], done=True, vm=True)


@pixel
def two_textures(s):
    """A mask and a detail texture, in two sets; the second is swizzled by its view."""
    mask = Image(s, "2d", 16, 16, dfmt=1)
    detail = Image(s, "2d", 8, 8, dfmt=12, nfmt=FLOAT, select=(6, 5, 4, 1))
    p = Pixels(s, COVERAGES[1], mask=4)
    uv = p.varying(0, *QUAD)
    p.place_attributes()
    s.s(2, s.table(bytes(16), combined(mask, point())), s.table(combined(detail, linear(REPEAT))))
    s.doubts.add(SAMPLING)
    s.text("""
        s_mov_b64 s[36:37], exec
        s_wqm_b64 exec, exec
        s_mov_b32 m0, s4
        s_mov_b32 s4, s3
        pointer s3
        pointer s5
        s_load_dwordx8 s[8:15], s[2:3], off(0x10)
        s_load_dwordx4 s[16:19], s[2:3], off(0x60)
        s_load_dwordx8 s[20:27], s[4:5], off(0x0)
        s_load_dwordx4 s[28:31], s[4:5], off(0x50)
        interp v2, attr0.xy
        s_waitcnt lgkmcnt(0)
        image_sample v8, v[2:3], s[8:15], s[16:19] dmask:0x1
        v_add_f32 v2, v2, v2
        image_sample_lz v[4:7], v[2:3], s[20:27], s[28:31] dmask:0xf
        s_waitcnt vmcnt(0)
        v_mul_f32 v4, v4, v8
        v_mul_f32 v5, v5, v8
        v_mul_f32 v6, v6, v8
        s_mov_b64 exec, s[36:37]
        exp mrt0 v4, v5, v6, v7 done vm
        s_endpgm""")

    def colour(lane):
        u, v = uv(lane)
        x, y, z, _ = detail.bilinear(2 * u, v, wrap=REPEAT)
        return [c * mask.nearest(u, v)[0] for c in (z, y, x)] + [1.0]
    s.export("mrt0", colour, done=True, vm=True)
    s.close("mrt0", "f32", ulp=8, absolute=1e-6)


@pixel
def image_store_and_counter(s):
    """A pixel shader that writes an image and counts pixels; discarded pixels and helpers do neither."""
    image = Image(s, "2d", 8, 8, dfmt=4, nfmt=UINT, texels=lambda *_: 0)
    p = Pixels(s, COVERAGES[4], mask=3)
    value = p.varying(0, (-0.5, 2.0, 1.0))
    p.place_attributes()
    s.v(2, lambda lane: p.x(lane) + 0.5)
    s.v(3, lambda lane: p.y(lane) + 0.5)
    counter = s.data([1000, 0, 0, 0])
    s.s(2, s.table(image.words, s.buffer(counter, 16)))
    s.text("""
        s_mov_b32 m0, s3
        pointer s3
        s_load_dwordx8 s[8:15], s[2:3], off(0x0)
        s_load_dwordx4 s[4:7], s[2:3], off(0x20)
        interp v4, attr0.x
        v_cvt_u32_f32 v2, v2
        v_cvt_u32_f32 v3, v3
        v_cmp_le_f32 vcc, 0, v4
        s_and_b64 exec, exec, vcc
        s_cbranch_execz nothing
        v_lshlrev_b32 v5, 8, v3
        v_or_b32 v5, v5, v2
        v_mov_b32 v6, 1
        s_waitcnt lgkmcnt(0)
        image_store v5, v[2:3], s[8:15] dmask:0x1 unorm glc
        buffer_atomic_add v6, off, s[4:7], 0 offset:4
        s_waitcnt vmcnt(0)
        exp mrt0 v4, off, off, off done vm
        s_endpgm
    nothing:
        exp null off, off, off, off done vm
        s_endpgm""")
    stay = [lane for lane in s.lanes() if value(lane)[0] >= 0]
    assert 0 < len(stay) < len(s.lanes())
    s.doubts.add("mimg-store-dmask")
    image.stored({(0, 0, p.x(k), p.y(k)): p.y(k) << 8 | p.x(k) for k in stay})
    s.leaves(counter, [1000, len(stay)])
    s.export("mrt0", value, done=True, vm=True, lanes=stay)


@pixel
def dependent_reads(s):
    """Coordinates from one texture look into another."""
    first = Image(s, "2d", 16, 16, dfmt=5, nfmt=FLOAT,
                  texels=lambda l, p, x, y: f16((x * 5 + y) % 8 / 8 + 1 / 16) | f16((x + 3 * y) % 4 / 4 + 1 / 8) << 16)
    second = Image(s, "2d", 8, 4, dfmt=14, nfmt=FLOAT)
    p = Pixels(s, COVERAGES[5], mask=3)
    uv = p.varying(0, *QUAD)
    p.place_attributes()
    s.s(2, s.table(combined(first, point()), combined(second, point())))
    s.doubts.add(SAMPLING)
    s.text("""
        s_mov_b64 s[36:37], exec
        s_wqm_b64 exec, exec
        s_mov_b32 m0, s3
        pointer s3
        s_load_dwordx8 s[8:15], s[2:3], off(0x0)
        s_load_dwordx4 s[16:19], s[2:3], off(0x50)
        s_load_dwordx8 s[20:27], s[2:3], off(0x60)
        s_load_dwordx4 s[28:31], s[2:3], off(0xb0)
        interp v2, attr0.xy
        s_waitcnt lgkmcnt(0)
        image_sample v[2:3], v[2:3], s[8:15], s[16:19] dmask:0x3
        s_mov_b64 exec, s[36:37]
        s_waitcnt vmcnt(0)
        image_sample_lz v[4:7], v[2:3], s[20:27], s[28:31] dmask:0xf
        s_waitcnt vmcnt(0)
        exp mrt0 v4, v5, v6, v7 done vm
        s_endpgm""")
    s.export("mrt0", lambda lane: second.nearest(*first.nearest(*uv(lane))[:2]), done=True, vm=True)


@pixel
def descriptor_array(s):
    """Textures of an array of descriptors, by an index that lanes do not share: a waterfall loop."""
    images = [Image(s, "2d", 16, 16, texels=lambda l, p, x, y, k=k: 0x01020304 * (k + 1) + x + (y << 8))
              for k in range(3)]
    p = Pixels(s, 0x0000_0000_F0F0_FFFF, mask=3, starts=(2, 5, 6))
    uv = p.varying(0, *QUAD)
    index = p.flat(1, [2, 0, 1, 0])
    p.place_attributes()
    s.s(2, s.table(*(combined(image, point()) for image in images)))
    s.doubts.add(SAMPLING)
    s.text("""
        s_mov_b32 m0, s3
        pointer s3
        interp v2, attr0.xy
        v_interp_mov_f32 v8, p0, attr1.x
        s_mov_b64 s[20:21], exec
    again:
        v_readfirstlane_b32 s22, v8
        v_cmp_eq_u32 vcc, s22, v8
        s_and_saveexec_b64 s[24:25], vcc
        s_mul_i32 s22, s22, 0x60
        s_add_u32 s26, s2, s22
        s_addc_u32 s27, s3, 0
        s_load_dwordx8 s[8:15], s[26:27], off(0x0)
        s_load_dwordx4 s[4:7], s[26:27], off(0x50)
        s_waitcnt lgkmcnt(0)
        image_sample_lz v[4:7], v[2:3], s[8:15], s[4:7] dmask:0xf
        s_andn2_b64 exec, s[24:25], exec
        s_cbranch_execnz again
        s_mov_b64 exec, s[20:21]
        s_waitcnt vmcnt(0)
        exp mrt0 v4, v5, v6, v7 done vm
        s_endpgm""")
    s.export("mrt0", lambda lane: images[index(lane)[0]].nearest(*uv(lane)), done=True, vm=True)
    s.close("mrt0", "f32", ulp=1)


@pixel
def block_compressed(s):
    """BC1: colours of blocks of 4 x 4 texels."""
    s.doubts.add("bc-precision")
    blocks = {(x, y): s.rnd.getrandbits(64) for x in range(4) for y in range(4)}
    image = Compressed(s, blocks)
    _, uv = textured(s, COVERAGES[0], image, point(), *QUAD)
    s.text(PROLOGUE + """
        interp v2, attr0.xy
        s_waitcnt lgkmcnt(0)
        image_sample v[4:7], v[2:3], s[8:15], s[4:7] dmask:0xf
        s_waitcnt vmcnt(0)""" + PLAIN)
    s.export("mrt0", lambda lane: image.nearest(*uv(lane)), done=True, vm=True)
    s.close("mrt0", "f32", absolute=1 / 128)


class Compressed:
    """A texture of 16 x 16 texels of BC1."""

    def __init__(self, s, blocks):
        make = lambda base: texture(s.gen, width=16, height=16, dfmt=35, base=base)
        probe = Texture(make(0), s.gen)
        places = {at: place(probe, 0, 4 * at[0], 4 * at[1], 0) for at in blocks}
        content = bytearray(max(places.values()) + 8)
        for at, first in places.items():
            content[first:first + 8] = blocks[at].to_bytes(8, "little")
        self.words, self.blocks = make(s.data(content)), blocks

    def nearest(self, u, v):
        """One texel: two colours of 16 bits, and two between them, or one and transparent black."""
        x, y = int(u * 16), int(v * 16)
        block = self.blocks[x // 4, y // 4]
        c = block & 0xFFFF, block >> 16 & 0xFFFF
        a, b = ([(n >> 11) / 31, (n >> 5 & 63) / 63, (n & 31) / 31] for n in c)
        k = block >> 32 + 2 * (4 * (y % 4) + x % 4) & 3
        if k < 2:
            return (a, b)[k] + [1.0]
        if c[0] > c[1]:
            return [(p * (4 - k) + q * (k - 1)) / 3 for p, q in zip(a, b)] + [1.0]
        return [(p + q) / 2 for p, q in zip(a, b)] + [1.0] if k == 2 else [0.0] * 4
